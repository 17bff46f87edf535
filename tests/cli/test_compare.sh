#!/bin/sh
# SPDX-License-Identifier: MIT
# Any runs are compared: matched, told apart, judged, for CI systems too.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# A run of ten rounds: "a" and "b", and where asked "new" between them.
trace() { # A-US NEW?
  start=0
  for round in 0 1 2 3 4 5 6 7 8 9; do
    row a "$1"
    [ "$2" = no ] || row "<new|>" 1
    row b 20
  done
}
row() { # NAME US
  end=$((start + $2 * 1000000))
  echo "{\"kind\":\"kernel\",\"via\":\"direct\",\"name\":\"$1\"," \
    "\"correlation\":$((round + 1)),\"device\":{\"id\":0},\"queue\":{\"id\":0}," \
    "\"host_begin\":$((start - 3000000)),\"host_end\":$((start - 1000000))," \
    "\"start\":$start,\"end\":$end}"
  start=$((end + 5000000))
}
trace 10 no > "$work/before.jsonl"
trace 12 no > "$work/after.jsonl"
trace 12 yes > "$work/added.jsonl"
trace 2010 no > "$work/huge.jsonl"
for run in before after added huge; do
  "$aqueduct" import "$work/$run.jsonl" --name $run -q > /dev/null
done

squeezed() { # TEXT
  echo "$1" | tr -s ' \t' '  '
}

try "$aqueduct" compare before after
check "runs with the same names are matched by order" contains "$out" \
  "20 dispatches matched by order
0 only in the first, 0 only in the second"
check "what became slower comes first" \
  contains "$(squeezed "$out")" "a 10 10.000 12.000 +2.000 0.000 +20.0 * +20.000"
check "what did not is not significant" \
  contains "$(squeezed "$out")" "b 10 20.000 20.000 +0.000 0.000 +0.0 +0.000"
check "lost time is told by cause" \
  contains "$(squeezed "$out")" "kernel 20 15.000 16.000 +1.000"
try "$aqueduct" compare after before
check "the first run is what was" contains "$(squeezed "$out")" \
  "a 10 12.000 10.000 -2.000"
try "$aqueduct" compare before huge
check "a percentage of almost nothing is left out" contains "$(squeezed "$out")" \
  "a 10 10.000 2010.000 +2000.000 0.000 - * +20000.000"
try "$aqueduct" compare before added
check "added kernels are left out by alignment" contains "$out" \
  "20 dispatches matched by align
0 only in the first, 10 only in the second"
check "what one run alone has is part of the difference" contains "$out" \
  "kernel time: +30.000 us, of pairs +20.000, added +10.000, removed -0.000"
check "and of its group" contains "$(squeezed "$out")" \
  "<new|> 0 > 10 0 - 1.000 - - - +10.000"
check "and the figures of groups say what they are of" contains "$out" \
  "total delta: of all calls of the group; the figures before it: of its pairs, if it has any"
check "the differences by cause sum to that of the runs" contains \
  "$(squeezed "$out")" "all 395.000 475.000 80.000"
try "$aqueduct" compare before added --json
check "in JSON too" python3 -c '
import json, sys
diff = json.load(open(sys.argv[1]))[0]
assert sum(c["delta_ns"] for c in diff["causes"]) == (
    diff["makespan_ns"] - diff["was_makespan_ns"]) == 80000, diff["causes"]
k = diff["kernel"]
assert k["lost_ns"] == k["changed_ns"] + k["added_ns"] - k["removed_ns"] == 30000
assert sum(g["kernel"]["lost_ns"] for g in diff["groups"]) == k["lost_ns"]
assert "lost_ns" not in diff["queue"] and "lost_ns" not in diff["api"]' "$work/out"
try "$aqueduct" compare added before
check "what is gone counts against it" contains "$out" \
  "kernel time: -30.000 us, of pairs -20.000, added +0.000, removed -10.000"
for how in name correlation order align; do
  try "$aqueduct" compare before after --match $how
  check "--match $how matches" contains "$out" "matched by $how"
done
try "$aqueduct" compare before after --match replay
check "what replays nothing is not matched by replay" [ "$status" = 2 ]
try "$aqueduct" compare before after --match guess
check "an unknown way to match is refused" [ "$status" = 2 ]
try "$aqueduct" compare before after added --by queue --json
check "three runs at once, as JSON" is_json "$work/out"
check "each against the first" [ "$(grep -c '"matched_by"' "$work/out")" = 2 ]

# Ten rounds on two devices, 20 us and 40 us: the clock of the second is ahead, then behind.
devices() { # OFFSET-US
  for round in 0 1 2 3 4 5 6 7 8 9; do
    for device in 0 1; do
      start=$(((100 * (round + 1) + $1 * device) * 1000000))
      echo "{\"kind\":\"kernel\",\"via\":\"direct\",\"name\":\"k\",\"device\":{\"id\":$device}," \
        "\"queue\":{\"id\":$device},\"start\":$start,\"end\":$((start + 20000000 * (device + 1)))}"
    done
  done
}
devices 3 > "$work/ahead.jsonl"
devices -3 > "$work/behind.jsonl"
for run in ahead behind; do
  "$aqueduct" import "$work/$run.jsonl" --name $run -q > /dev/null
done
try "$aqueduct" compare ahead behind --by device
check "dispatches are matched within devices" contains "$out" \
  "20 dispatches matched by order within each of 2 devices"
check "whatever the clocks of devices" contains "$(squeezed "$out")" \
  "0 10 20.000 20.000 +0.000 0.000 +0.0 +0.000
1 10 40.000 40.000 +0.000 0.000 +0.0 +0.000"
try "$aqueduct" compare ahead behind --json
check "JSON says so" [ "$(jq -c '.[0] | [.matched_within, .was_devices, .devices]' "$work/out")" \
  = '["device",2,2]' ]
try "$aqueduct" compare ahead before --match order
check "other numbers of devices are matched across them" contains "$out" \
  "matched by order across devices, 2 in the first, 1 in the second"

# The same kernel on another stream, 10 us longer: pairs of two groups.
stream() { # NUMBER US
  for round in 0 1 2 3 4 5 6 7 8 9; do
    echo "{\"kind\":\"kernel\",\"name\":\"k\",\"device\":{\"id\":0},\"queue\":{\"id\":0},\"stream\":$1," \
      "\"start\":$((round * 100000000)),\"end\":$((round * 100000000 + $2 * 1000000))}"
  done
}
stream 1 50 > "$work/left.jsonl"
stream 2 60 > "$work/right.jsonl"
for run in left right; do
  "$aqueduct" import "$work/$run.jsonl" --name $run -q > /dev/null
done
try "$aqueduct" compare left right --by stream
check "the difference of a group is of all its calls, whatever their partners" contains "$(squeezed "$out")" \
  "2 0 > 10 0 - 60.000 - - - +600.000
1 10 > 0 0 50.000 - - - - -500.000"
try "$aqueduct" compare left right --by stream --json
check "in JSON too" [ "$(jq -c '[.[0] | .kernel.lost_ns, .pairs, (.groups[] | .key, .matched, .kernel.lost_ns)]' \
  "$work/out")" = '[100000,10,2,0,600000,1,0,-500000]' ]
try "$aqueduct" compare left right --by stream --format markdown
check "Markdown: a group without a name has its number" contains "$out" "| 2 | 0 | - | - | - | +600.000 |"

# Other kernels: nothing to pair, but all the rest.
{ row other 30 && row more 7; } > "$work/other.jsonl"
"$aqueduct" import "$work/other.jsonl" --name other -q > /dev/null
try "$aqueduct" compare before other
check "runs without a common kernel are compared" [ "$status" = 0 ]
check "and say so" contains "$out" ": 0 dispatches matched by align
20 only in the first, 2 only in the second
no kernel in common
"
check "with the verdict" contains "$out" "other is "
check "and where the time went" contains "$(squeezed "$out")" "
kernels 300.000 37.000 -263.000
"
check "and the kernels of each" contains "$(squeezed "$out")" "
b 10 > 0 0 20.000 - - - - -200.000
a 10 > 0 0 10.000 - - - - -100.000
other 0 > 1 0 - 30.000 - - - +30.000
more 0 > 1 0 - 7.000 - - - +7.000
"
try "$aqueduct" compare before other --by kind --json
check "a group of both has its difference" [ "$status $(jq -c '.[0] | [.kernels_in_common, .pairs,
  (.groups[] | .was_calls, .calls, .matched, .kernel.lost_ns)]' "$work/out")" = '0 [false,0,20,2,0,-263000]' ]
try "$aqueduct" compare before other --format markdown --fail-above unmatched=22
check "Markdown: it says so, too" [ "$status $(grep -c '^no kernel in common$' "$work/out")" = "0 1" ]
try "$aqueduct" compare before other --fail-above kernel.slower=5%
check "a figure of pairs is not known then" [ "$status" = 2 ]
try "$aqueduct" compare before other --match correlation
check "ids in common are another thing than names" contains "$out" "matched by correlation"
try "$aqueduct" compare before after --json
check "of common kernels nothing is said" [ "$(jq .[0].kernels_in_common "$work/out")" = true ]

try "$aqueduct" compare before after --fail-above kernel.slower=5%
check "a slowdown above its threshold exits 1" [ "$status" = 1 ]
check "and says so" contains "$err" "kernel.slower is 0.0666"
try "$aqueduct" compare before after --fail-above kernel.slower=10% \
  --fail-above unmatched=0
check "one below exits 0" [ "$status" = 0 ]
try "$aqueduct" compare before after --fail-above end.median=1us
check "a figure of replays is not told of matched runs" [ "$status" = 2 ]

try "$aqueduct" compare before added --format junit \
  --fail-above kernel.slower=5% --fail-above unmatched=20
check "JUnit: a failure is one" contains "$out" 'failures="1"'
check "JUnit: and is named" contains "$out" 'message="kernel.slower is '
check "JUnit: it exits 1 too" [ "$status" = 1 ]
if command -v xmllint > /dev/null; then
  check "JUnit: it is XML" xmllint --noout "$work/out"
else
  skip "JUnit: it is XML" "there is no xmllint"
fi
try "$aqueduct" compare before added --format markdown
check "Markdown: a table" contains "$out" "| a | 10 | 10.000 | 12.000 |"
try "$aqueduct" compare added added --format markdown --by kernel
check "Markdown: names stay text" contains "$out" "&#60;new&#124;&#62;"
try "$aqueduct" compare before after --format html
check "another format is refused" [ "$status" = 2 ]

"$aqueduct" import "$srcdir/tests/cli/two-streams.json" --name m -q > /dev/null
"$aqueduct" replay m --device mi300x --name s -q > /dev/null
try "$aqueduct" compare s --format junit --fail-above end.median=1ms
check "a replay is judged for CI as well" contains "$out" \
  'name="end.median at most 1000000 ns"/>'
try "$aqueduct" compare s --by class
check "a replay is told apart by what it replays" contains "$out" \
  "matched by replay"

# Sums of one run: a kernel of the given microseconds. With two runs a side the
# bootstrap has few outcomes: 100 before, 110 or 130 after give +10, +20, +30 %
# at 1, 2, 1 of 4.
version() { # NAME MICROSECONDS
  printf '{"kind": "kernel", "name": "k%s", "device": {"id": 0}, "queue": {"id": 0}, "start": 0, "end": %d}\n' \
    "${3:-}" "$2"000000 > "$work/v.jsonl"
  "$aqueduct" import "$work/v.jsonl" --name "$1" -q > /dev/null
}
version b1 100
version b2 100
version a1 110
version a2 130
try "$aqueduct" compare a1 a2 --against b1 b2
check "two versions: the change and its interval" contains \
  "$(echo "$out" | tr -s ' ' | grep '^k ')" "k 100.000 120.000 +20.0 +10.0 to +30.0 *"
try "$aqueduct" compare a1 --json a2 --against=b1 b2
check "two versions, as JSON" is_json "$work/out"
check "an argument behind an option keeps its side" contains "$out" \
  '"after_runs": 2'
try "$aqueduct" compare a1 a2 --against b1 b2 --fail-above kernel.slower=9%
check "an interval above the threshold exits 1" [ "$status" = 1 ]
try "$aqueduct" compare a1 a2 --against b1 b2 --fail-above kernel.slower=11%
check "one that reaches below it exits 0" [ "$status" = 0 ]
try "$aqueduct" compare a1 a2 --against b1 b2 --format junit \
  --fail-above makespan.relative=9%
check "two versions: a failure in JUnit" contains "$out" 'failures="1"'
try "$aqueduct" compare b1 b2 --against b1 b2
check "equal versions do not differ" contains \
  "$(echo "$out" | tr -s ' ' | grep '^k ')" "k 100.000 100.000 +0.0 +0.0 to +0.0"
version c1 100 other
try "$aqueduct" compare b1 c1 --against b1 b2
check "a group that only some runs have has no change before" contains \
  "$(echo "$out" | tr -s ' ' | grep '^kother ')" "kother 0.000 50.000 - -"
try "$aqueduct" compare a1 --against b1 b2
check "one run a side is refused" [ "$status" = 2 ]
check "with the number that is needed" contains "$err" "at least 2 of each"
try "$aqueduct" compare a1 a2 --against b1 gone
check "a missing run is named" contains "$err" '"gone"'
try "$aqueduct" report a1 a2 --against b1 b2 -o "$work/page.html" --json
check "a report of two versions names all runs, after before before" contains \
  "$(tr -d ' \n' < "$work/out" | grep -o '"name":"[ab][12]"' | tr -d '\n')" \
  '"name":"a1""name":"a2""name":"b1""name":"b2"'
check "and has their comparison" grep -q '"versions":{"by":"kernel"' \
  "$work/page.html"
try "$aqueduct" report a1 b1 --against b1 b2 -o "$work/no.html"
check "a run on both sides of a report is refused" contains "$err" \
  "is named twice"
try "$aqueduct" report a1 --against b1 b2 -o "$work/no.html"
check "a report of one run a side, too" contains "$err" "at least 2 of each"
check "neither leaves a page" [ ! -e "$work/no.html" ]

finish
