#!/bin/sh
# SPDX-License-Identifier: MIT
# Statistics and explanations of a measured and of a simulated run.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

"$aqueduct" import "$srcdir/tests/cli/two-streams.json" --name m -q > /dev/null
"$aqueduct" replay m --device mi300x --name s -q > /dev/null

squeezed() { # TEXT
  echo "$1" | tr -s ' \t' '  '
}

try "$aqueduct" stats m
check "kernels are told by default" contains "$(squeezed "$out")" "produce 4 "
check "the longest total comes first" \
  contains "$(echo "$out" | sed -n 2p)" produce
check "and the makespan" contains "$out" "first start to last end: 302.300 us"
try "$aqueduct" stats m --by queue
check "by queue" contains "$(squeezed "$out")" "0 4 96.5 217.600"
try "$aqueduct" stats m --by class --json
check "by class, as JSON" is_json "$work/out"
check "with words for classes" contains "$out" '"name": "idle"'
try "$aqueduct" stats s --by all --json
check "one group of all" contains "$(echo "$out" | tr -d ' \n')" \
  '"name":"all","calls":6'
try "$aqueduct" stats m --by colour
check "an unknown group is refused" [ "$status" = 2 ]
check "with those that there are" contains "$err" "kernel, queue, stream"
try "$aqueduct" stats m --by operation
check "a run without operations says so" [ "$status" = 2 ]
check "and not that it has no kernels" contains "$err" \
  "no operation of a host queue with a start and an end in this run"
try "$aqueduct" stats gone
check "a run that is not there is refused" [ "$status" = 2 ]


# The excerpt's names are longer than a line.
"$aqueduct" import "$srcdir/traces/mi300x-resnet18-excerpt.jsonl.gz" \
  --name names -q > /dev/null
narrow() { # COMMAND…: its longest line at 80 columns
  COLUMNS=80 "$aqueduct" "$@" | awk '{ if (length > most) most = length }
                                      END { print most + 0 }'
}
check "80 columns hold the table of kernels" [ "$(narrow stats names)" -le 80 ]
check "and of runs" [ "$(narrow list runs)" -le 80 ]
check "names lose their namespaces" sh -c \
  "COLUMNS=80 '$aqueduct' stats names | grep -q '^max_pool_backward_nchw<'"
try env COLUMNS=80 "$aqueduct" stats names --wide
check "--wide leaves names whole" contains "$out" \
  "void at::native::(anonymous namespace)::max_pool_backward_nchw<"
check "and adds columns" contains "$out" "idle-gap p50"
try "$aqueduct" stats names --top 2
check "--top prints the largest groups" \
  [ "$(echo "$out" | grep -c '^batch_norm')" = 2 ]
check "and counts the others" contains "$out" "47 more groups: 62.4 % of the kernel time"
try "$aqueduct" stats names --top 2 --json
check "also as JSON" contains "$out" '"groups_left_out": 47'
try "$aqueduct" stats names --top 0
check "--top 0 is refused" [ "$status" = 2 ]

for run in m s; do
  try "$aqueduct" explain $run
  check "explain names what $run is" contains "$out" "$run: "
  check "and where its time went" contains "$out" "where the time went"
  try "$aqueduct" explain $run --json
  check "explain of $run is JSON" is_json "$work/out"
  check "and names the bottleneck" contains "$out" '"bottleneck": '
  check "and the two largest causes" contains "$out" '"next": '
done

# Of one queue: kernels that overlap, a copy and a fill; one has a host call.
row() { # KIND START-US END-US MORE
  printf '{"kind": "%s", "name": "x", "device": {"id": 0}, "queue": {"id": 0}, "start": %d, "end": %d%s}\n' \
    "$1" "$2"000000 "$3"000000 "${4-}"
}
{
  row kernel 10 20 ', "host_begin": 1000000, "host_end": 2000000'
  row kernel 15 25
  row copy 30 35
  row fill 40 42
} > "$work/queue.jsonl"
"$aqueduct" import "$work/queue.jsonl" --name queue -q > /dev/null
"$aqueduct" show queue --json | tr -d ' \n' > "$work/show"
check "show counts the rows of a queue by kind, and those with host times" \
  contains "$(cat "$work/show")" \
  '"kernels":2,"copies":2,"others":0,"with_host":1,'
check "and time that it was busy once" contains "$(cat "$work/show")" \
  '"first_start_ns":10000.000,"last_end_ns":42000.000,"busy_ns":22000.000'

# Ranges of the host and of the device, and times with a mean of their own.
{
  row kernel 10 20
  row kernel 30 32
  row kernel 40 43
  row range 50 59
  printf '{"kind": "range", "name": "y", "host_begin": 1000000, "host_end": 5000000}\n'
} > "$work/ranges.jsonl"
"$aqueduct" import "$work/ranges.jsonl" --name ranges -q > /dev/null
try "$aqueduct" stats ranges
check "the mean is the total by the calls" contains \
  "$(squeezed "$out")" "x 3 100.0 15.000 5.000 10.000"
check "ranges are of the device or of the host" contains \
  "$(squeezed "$out")" "x device 1 9.000 9.000 9.000 0 0.000
y host 1 4.000 4.000 4.000 0 0.000"
check "the unknown is a dash" contains "$(squeezed "$("$aqueduct" show ranges)")" \
  "0 0 0 - 3"

# ---- words of the command line ----

try env AQUEDUCT_JSON=no "$aqueduct" list runs
check "a flag of the environment may be no" contains "$out" "name"
check "and then is none" [ "${out#[}" = "$out" ]
try "$aqueduct" list runs --names
check "names are all that is printed" [ "$out" = "m
s
names
queue
ranges" ]
"$aqueduct" import "$srcdir/tests/cli/small.json" --name "it's" -q > /dev/null
check "a command is kept as a shell reads it" contains \
  "$("$aqueduct" show "it's")" "--name 'it'\''s' -q"

# ---- a run without time ----

row kernel 5 5 > "$work/instant.jsonl"
"$aqueduct" import "$work/instant.jsonl" --name instant -q > /dev/null
try "$aqueduct" explain instant
check "a run of no length has nothing to explain" [ "$(echo "$out" | head -1)" = \
  "instant: no time to explain: the first start is the last end" ]
check "nor a critical path" [ "${out#*critical}" = "$out" ]
try "$aqueduct" explain instant --json
check "as a document, too" [ "$(jq -c '[.bottleneck, .largest, .next, .time_ns]' "$work/out")" = \
  '["no time to explain",null,null,0]' ]

# ---- printed text ----

try "$aqueduct" stats names --top -3
check "a bad --top is an error" [ "$status" = 2 ]
check "and all that is printed" [ -z "$out" ]
widest() { # COMMAND...: columns of its longest line in a pipe
  "$@" | awk '{ if (length > most) most = length } END { print most }'
}
check "a table in a pipe is no wider than names of 100 columns allow" \
  [ "$(widest "$aqueduct" stats names)" -lt 220 ]
for command in exec launch replay import; do
  "$aqueduct" $command --help | tr -s ' \n' '  ' > "$work/help"
  "$aqueduct" help $command --json |
    sed -n 's/\\"/"/g; s/^ *"help": *"\(.*\)",*$/\1/p' > "$work/texts"
  lost=$(while read -r text; do
    grep -qF -e "$text" "$work/help" || echo "$text"
  done < "$work/texts")
  check "the help of $command has the whole text of each option" \
    [ "$(wc -l < "$work/texts") $lost" = "$(grep -c . "$work/texts") " ]
done

# The header, the help and the page have the same rule of the headline.
rule=$(sed -n '/define AQ_EXPLAIN_RULE/,/[^\\]$/s/^ *"\([^"]*\)".*/\1/p' \
  "$srcdir/src/report/explain/explain.h" | tr -d '\n')
spaced() {
  tr -s ' \n' '  '
}
check "the header has the rule" contains "$rule" "at least half of its time"
check "so has the help" contains "$("$aqueduct" explain --help | spaced)" "$rule"
check "so has the page" contains "$(spaced < "$srcdir/doc/stats.md")" "$rule"
check "and no other page has one" [ "$(grep -l 'largest share' \
  "$srcdir/README.md" "$srcdir"/doc/*.md | wc -l)" = 0 ]
try "$aqueduct" explain m
next=$(echo "$out" | sed -n 's/.*, then \([0-9.]*\) % \(.*\): .*/\2 \1 /p')
check "the second cause has its own share" contains \
  "$(squeezed "$(echo "$out" | sed -n '/^where/,$p')")" "
$next"
check "the critical path has parts" contains "$out" "
critical path: "
check "each with its share" sh -c \
  'printf %s "$1" | grep -q "^critical path: [a-z].* [0-9.]* %$"' sh "$out"
check "shares add up to the whole" [ "$(echo "$out" |
  awk '/^where/ { table = 1 } table && $2 + 0 > 0 { sum += $2 }
    END { print (sum > 99.5 && sum < 100.5) }')" = 1 ]

finish
