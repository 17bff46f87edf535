#!/bin/sh
# SPDX-License-Identifier: MIT
# Predicted durations carry the word in every view.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

"$aqueduct" import "$srcdir/tests/cli/two-streams.json" --name m -q > /dev/null

try "$aqueduct" device predict m=4096 n=7168 k=2048 type=a8w8_blockscale \
  --device mi355x
check "a product has a predicted duration" contains "$out" "predicted "
check "with its interval" contains "$out" "90 % between"
try "$aqueduct" device predict m=4096 n=7168 k=2048 type=a8w8_blockscale \
  us=144 from=mi300x --device mi355x --json
check "as JSON" is_json "$work/out"
check "labelled" contains "$out" '"durations": "predicted"'
try "$aqueduct" device predict m=1 n=1 k=1 type=bf16 --device mi210
check "a GPU without a table is refused" [ "$status" = 2 ]
check "with those there are" contains "$err" "expected one of"
try "$aqueduct" device predict m=1 n=1 k=1 type=bf16 us=4 --device mi355x
check "a measurement needs its GPU" [ "$status" = 2 ]
try "$aqueduct" device predict m=1 --device mi355x
check "a size alone is no product" [ "$status" = 2 ]
try "$aqueduct" device predict m=1 n=1 k=1 type=bf16
check "the device has to be named" [ "$status" = 2 ]
"$aqueduct" import "$srcdir/tests/cli/two-streams.json" --name size=2 -q \
  > /dev/null
try "$aqueduct" device predict size=2 --device mi355x
check "a run's name may look like a size" [ "${err#*product}" = "$err" ]

"$aqueduct" replay m --device mi355x --name other -q > /dev/null
"$aqueduct" report other -o "$work/other.html" > /dev/null
check "the measurement of another GPU does not score it on a page" \
  grep -q '"other_gpu":"AMD Instinct MI355X"' "$work/other.html"
"$aqueduct" replay m --device mi300x --name own -q > /dev/null
"$aqueduct" report own -o "$work/own.html" > /dev/null
check "that of its own does" [ "$(grep -c '"other_gpu":"' "$work/own.html")" = 0 ]
for view in "show other" "show other --json" "compare other --as-if" \
  "compare other --as-if --json" "stats other" "stats other --json" \
  "explain other" "explain other --json" "list runs --json" "export other" \
  "export other --format csv" "export other --format chrome" \
  "compare m other --by kernel --json" "whatif other --launch x0.5 --json"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" $view
  check "$view says that durations are predicted" contains "$out$err" \
    "predicted ±"
done
try "$aqueduct" compare m other --by kernel
check "so does the head of a comparison by kernel" contains "$out" \
  "other (predicted durations) against m"
try "$aqueduct" compare other --as-if --format markdown
check "and a verdict" contains "$out" "other (predicted durations)"

try "$aqueduct" compare other other --against m m
check "so do repeated runs of a version, once" \
  [ "$(echo "$out" | grep -c "^after: durations: predicted ±")" = 1 ]
check "and not of the measured one" [ "${out#*before: durations: pred}" = "$out" ]
try "$aqueduct" compare m m --against m other --json
check "also as JSON" sh -c 'tr -d "\n" < "$1" |
  grep -q "\"before_caveats\": \[[^]]*\"durations: predicted ±"' sh "$work/out"
try "$aqueduct" compare m m --against m other --format markdown
check "and in their verdict" contains "$out" \
  "### m against other (predicted durations)"

# Each row that is a prediction has the flag, and no other.
flagged() { # RUN COLUMN: of CSV, by its name
  "$aqueduct" export "$1" --format csv -q | awk -F, -v name="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
    { printf "%s ", $at }'
}
check "CSV marks each predicted row" \
  [ "$(flagged other predicted)" = "yes yes yes yes no no yes yes " ]
check "and no measured one" [ "$(flagged m predicted | tr -d 'no ')" = "" ]
check "the bit of flags says the same" [ "$(flagged other flags)" = \
  "130 130 128 129 0 0 136 128 " ]
try "$aqueduct" stats other --json
check "groups count their predicted rows" [ "$(echo "$out" |
  sed -n 's/.*"predicted": \([0-9]*\),/\1/p' | tr '\n' ' ')" = "4 2 " ]
try "$aqueduct" export other --format chrome -q
check "slices of Chrome traces carry the word" \
  [ "$(echo "$out" | grep -c '"predicted":true')" = 6 ]
"$aqueduct" export other --format perfetto -q -o "$work/other.pftrace"
"$aqueduct" export m --format perfetto -q -o "$work/m.pftrace"
check "Perfetto's slices have the annotation" [ "$(($(wc -c \
  < "$work/other.pftrace") > $(wc -c < "$work/m.pftrace")))" = 1 ]
"$aqueduct" export other --format rocpd -q -o "$work/other.db"
check "events of rocpd have the message" \
  [ "$(grep -ao 'predicted duration' "$work/other.db" | wc -l)" = 6 ]
try "$aqueduct" export other --format rocprofv3-csv -o "$work/csv"
check "a format without a place for it: the line on standard error" \
  contains "$err" "durations: predicted"
"$aqueduct" report other m -o "$work/page.html" -q
check "a report's page has it" grep -q "predicted ±" "$work/page.html"
"$aqueduct" replay other --device mi355x --name again -q > /dev/null
check "a replay of predicted rows keeps the flag" \
  [ "$(flagged again predicted | tr -cd y)" = yyyyyy ]

try "$aqueduct" replay m --device mi355x --level 2
check "level 2 learns from durations that are predicted themselves" \
  contains "$err" "from a first half predicted ±"
# The last kernel of the trace gets a name of its own.
sed 's/"produce"\(.*\)"ts": 367.7, "dur": 2.3/"fresh"\1"ts": 367.7, "dur": 230/' \
  "$srcdir/tests/cli/two-streams.json" > "$work/fresh.json"
"$aqueduct" import "$work/fresh.json" --name f -q > /dev/null
"$aqueduct" replay f --device mi355x --name first -q > /dev/null
try "$aqueduct" replay f --device mi355x --name second --level 2
check "names that the first half lacks are counted" contains "$err" \
  "1 of 3 predicted rows: kernel not in the first half, duration transferred"
check "and labelled as transferred" contains "$err" \
  "; kernels new in the second half (1): transferred"
longest() {
  "$aqueduct" stats "$1" --json |
    sed -n '/"name": "fresh"/,/"gap"/s/.*"total_ns": //p' | sed -n '$p'
}
first=$(longest first)
check "they take as long as at level 1" [ "$(longest second)" = "${first:-none}" ]
check "which is less than measured" [ "${first%%.*}" -lt 230000 ]
try "$aqueduct" replay f --device mi300x --level 2
check "on the measured GPU they take a median" contains "$err" \
  "1 of 3 predicted rows: kernel not in the first half, median of its family"
try "$aqueduct" replay m --device mi300x --name same
check "on the measured GPU nothing is predicted" \
  contains "$err" "durations: measured on"
try "$aqueduct" whatif m --device mi355x
check "a what-if of the device is marked" contains "$out" "predicted ±"

finish
