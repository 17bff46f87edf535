#!/bin/sh
# SPDX-License-Identifier: MIT
# Faults through the program: a wrapper without faults changes no row of a run
# or a replay, and a run that faults end reports it in one line.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
unset AQUEDUCT_PLUGIN_PATH AQUEDUCT_FAULTS
scenario=$srcdir/traces/scenarios/two-queue-pipeline.json
trace=$srcdir/tests/cli/small.json

rows() { # RUN FILE: its rows, without what names the run
  "$aqueduct" export "$1" --format jsonl -o "$work/export" &&
    grep -v '"transport"' "$work/export" > "$2"
}

same() { # A B: two runs with the same rows
  rows "$1" "$work/a" && rows "$2" "$work/b" &&
    [ "$(wc -l < "$work/a")" -gt 1 ] && cmp -s "$work/a" "$work/b"
}

try "$aqueduct" run "$scenario" --name plain --quiet
try "$aqueduct" run "$scenario" --transport fault+sim --name wrapped --quiet
check "a wrapper without faults runs a scenario" [ "$status" = 0 ]
check "and no row differs" same plain wrapped
echo '{"faults": []}' > "$work/none.json"
try "$aqueduct" run "$scenario" --faults "$work/none.json" --name none --quiet
check "nor with an empty schedule" same plain none
try "$aqueduct" show none --json
check "the transport is stored as it was stacked" contains "$out" '"fault+sim"'

try "$aqueduct" import "$trace" --name m --quiet
try "$aqueduct" replay m --name r --quiet
try "$aqueduct" replay m --transport fault+sim --name rw --quiet
check "a wrapper without faults replays a trace" [ "$status" = 0 ]
check "and no row of the replay differs" same r rw

excerpt=$srcdir/traces/mi300x-resnet18-excerpt.jsonl.gz
if [ -r "$excerpt" ]; then
  try "$aqueduct" import "$excerpt" --name e --quiet
  try "$aqueduct" replay e --fit none --name er --quiet
  try "$aqueduct" replay e --transport fault+sim --name ew --quiet
  check "nor one of a measured trace" same er ew
else
  skip "nor one of a measured trace" "the excerpt is not there"
fi

# Faults that let a run end late, and that end it.
cat > "$work/late.json" << 'END'
{"faults": [{"fault": "doorbell-late", "queue": 0, "doorbell": 0,
             "delay": "40us"}]}
END
try "$aqueduct" run "$scenario" --faults "$work/late.json" --name late --quiet
check "a late doorbell only moves rows" [ "$status" = 0 ]
check "and does move them" sh -c '! "$@"' - cmp -s "$work/a" "$work/late"
cat > "$work/error.json" << 'END'
{"faults": [{"fault": "queue-error", "queue": 0, "packet": 1}]}
END
try "$aqueduct" run "$scenario" --faults "$work/error.json"
check "a queue error ends the run with 1" [ "$status" = 1 ]
check "and names the packet" contains "$err" "packet 1"
cat > "$work/lost.json" << 'END'
{"faults": [{"fault": "header-corrupted", "queue": 0, "packet": 1,
             "type": 1}]}
END
try "$aqueduct" run "$scenario" --faults "$work/lost.json"
check "a hang is named" contains "$err" \
  "packet 1 is reserved but not published (INVALID); injected: header-corrupted"
check "in one line" [ "$(echo "$err" | wc -l)" = 1 ]
echo '{"faults": [{"fault": "doorbell-lots"}]}' > "$work/bad.json"
try "$aqueduct" run "$scenario" --faults "$work/bad.json"
check "a schedule that is wrong is bad input" [ "$status" = 2 ]
check "with file and place" contains "$err" \
  "bad.json: faults[0].fault: unknown fault \"doorbell-lots\""

undocumented=
# shellcheck disable=SC2013 # names without spaces
for fault in $(sed -n 's/^F([A-Z_]*, "\([a-z-]*\)".*/\1/p' \
  "$srcdir/src/transport/fault/fault_kinds.def"); do
  grep -q "^| \`$fault\` |" "$srcdir/doc/formats/faults.md" ||
    undocumented="$undocumented $fault"
done
check "doc/formats/faults.md tells of every fault$undocumented" \
  [ -z "$undocumented" ]

# Seeds.
for seed in 1 2 3 4 5 6 7 8; do
  try "$aqueduct" run "$scenario" --faults seed=$seed --name "s$seed"
  first=$status$err
  try "$aqueduct" run "$scenario" --faults seed=$seed --name "t$seed"
  check "seed $seed ends the same way again" [ "$status$err" = "$first" ]
  if [ "$status" = 0 ]; then
    check "with the same rows" same "s$seed" "t$seed"
  fi
done
try "$aqueduct" run "$scenario" --faults seed=x
check "a seed is a number" contains "$err" "'seed=x'; expected a whole number"
finish
