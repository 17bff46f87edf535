#!/bin/bash
# SPDX-License-Identifier: MIT
# Ranges of the program around launches: the work inside of each, groups by the
# innermost, and parts of a run. Published profiles are compared with a reader of
# their own.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

python3 - "$work/t.json" << 'END'
import json, sys
events = []
def range_of(name, tid, at, end):
    events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 1,
                   "tid": tid, "ts": at, "dur": end - at})
def launch(number, tid, at, start, dur):
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1,
                   "tid": tid, "ts": at, "dur": 2, "args": {"correlation": number}})
    events.append({"ph": "X", "cat": "kernel", "name": f"k{number}", "pid": 0, "tid": 7,
                   "ts": start, "dur": dur, "args": {"correlation": number, "device": 0,
                   "stream": 7, "grid": [1, 1, 1], "block": [64, 1, 1]}})
range_of("step", 1, 100, 200)
range_of("forward", 1, 110, 150)
range_of("late", 1, 140, 180)     # overlaps forward without nesting
range_of("step", 1, 300, 400)
range_of("step", 1, 300, 350)     # of the same name in itself
range_of("other", 2, 100, 400)    # on another thread
launch(1, 1, 90, 500, 10)         # before all
launch(2, 1, 110, 520, 20)        # step, forward: at its first microsecond
launch(3, 1, 145, 560, 30)        # step, forward, late
launch(4, 1, 160, 600, 40)        # step, late
launch(5, 1, 200, 650, 50)        # at the end of step: outside
launch(6, 2, 160, 710, 60)        # other
launch(7, 1, 310, 800, 70)        # step, step
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
END
"$aqueduct" import "$work/t.json" --name t -q > /dev/null

told() { # RANGE: ranges, dispatches, ns of kernels
  jq -r --arg name "$1" '.ranges[] | select(.name == $name) |
    "\(.ranges) \(.dispatches) \(.kernel_ns)"' "$work/out"
}
group() { # NAME: calls
  jq -r --arg name "$1" '.groups[] | select(.name == $name) | .calls' "$work/out"
}
try "$aqueduct" stats t --by range --json
check "the work launched in a range is added up, once a name" \
  [ "$(told step)" = "3 4 160000" ]
check "a call at the first moment of a range is in it" [ "$(told forward)" = "1 2 50000" ]
check "ranges may overlap without nesting" [ "$(told late)" = "1 2 70000" ]
check "a range is one of its thread" [ "$(told other)" = "1 1 60000" ]
check "groups by range go by the innermost" \
  [ "$(group forward) $(group late) $(group step) $(group other)" = "1 2 1 1" ]
check "and count what is in no range" \
  [ "$(jq '.groups[] | select(.key == null) | .calls' "$work/out")" = 2 ]

try "$aqueduct" stats t --by path --json
check "groups by path have all ranges, the outermost first" \
  [ "$(jq -r '.groups[] | select(.key != null) | "\(.name): \(.calls)"' "$work/out" | sort |
    paste -sd,)" = "other: 1,step / forward / late: 1,step / forward: 1,step / late: 1,step / step: 1" ]

sed 's|"forward"|"step / forward"|' "$work/t.json" > "$work/slash.json"
"$aqueduct" import "$work/slash.json" --name slash -q > /dev/null
try "$aqueduct" stats slash --by path --json
check "a name that looks like a path is in quotes" \
  [ "$(jq -r '.groups[] | select(.key != null) | "\(.name): \(.calls)"' "$work/out" | sort |
    paste -sd,)" = 'other: 1,step / "step / forward" / late: 1,step / "step / forward": 1,step / late: 1,step / step: 1' ]

try "$aqueduct" stats t --between step
check "--between leaves what was launched in the ranges of a name" contains "$out" \
  "4 of 7 dispatches, launched in 3 ranges step"
check "and nothing else" [ "$(echo "$out" | grep -c '^k[134567] ')" = 3 ]
try "$aqueduct" stats t --between late --by all --json
check "as JSON too" [ "$(jq -c '.window | [.range, .dispatches, .of, .ranges]' "$work/out")" \
  = '["late",2,7,1]' ]
try "$aqueduct" stats t --time 20us..100us --by all
check "--time counts from the first start" contains "$out" "2 of 7 dispatches"
try "$aqueduct" stats t --time 100us.. --between step --by all
check "both together" contains "$out" "2 of 7 dispatches, launched in 3 ranges step"
try "$aqueduct" stats t --time 20us..40us --between step --json
check "ranges that launched nothing of the part are counted apart" \
  [ "$(jq -c '.window | [.dispatches, .ranges, .launching_ranges]' "$work/out")" = "[1,3,1]" ]
try "$aqueduct" stats t --time 20us..40us --between step --by all
check "in text, too" contains "$out" "1 of 7 dispatches, launched in 1 of 3 ranges step"
try "$aqueduct" stats t --time 100us.. --between step --by all
check "without the whole times of ranges" [ "$(echo "$out" | grep -c '^range ')" = 0 ]

# k2, k3 and k4 from 520 to 640 us, k7 from 800 to 870, and the idle time in front of
# each, from the end of what ran before; k5 and k6 ran between the ranges.
"$aqueduct" explain t --between step --json > "$work/out"
cause() { # NAME: its time in ns
  jq --arg name "$1" '.causes[] | select(.cause == $name) | .time_ns' "$work/out"
}
check "explain takes a part of a run: the time of the ranges, none between them" \
  [ "$(cause kernels) $(cause outside) $(cause dispatch) $(jq .time_ns "$work/out")" \
  = "160000 0 70000 230000" ]
check "with the part that it was" \
  [ "$(jq -c '[.window.range, .window.dispatches, .window.of, .dispatches, .critical_path]' \
    "$work/out")" = '["step",4,7,4,null]' ]
try "$aqueduct" explain t --time 20us..100us
check "in text, too" contains "$out" "2 of 7 dispatches"
try "$aqueduct" explain t --step 3
check "a step that is not there is refused" contains "$err" \
  "0 of 7 dispatches in step 3; the run has no steps"

try "$aqueduct" export t --between step -o "$work/part.jsonl"
check "export says which part it wrote" contains "$err" \
  "4 of 7 dispatches, launched in 3 ranges step, 6 other rows of that time"
check "a part has its rows, numbered anew, and says how many are left out" \
  python3 - "$work/part.jsonl" << 'END'
import json, sys
run, *rows = map(json.loads, open(sys.argv[1]))
assert run["rows_left_out"] == 3, run
assert [r["row"] for r in rows] == list(range(len(rows)))
assert [r["name"] for r in rows if r["kind"] == "kernel"] == ["k2", "k3", "k4", "k7"]
assert {r["kind"] for r in rows} == {"kernel", "range"}
END
"$aqueduct" import "$work/part.jsonl" --name part -q > /dev/null
check "which can be imported" \
  [ "$("$aqueduct" stats part --by all --json | jq '.groups[0].kernel.total_ns')" = 160000 ]
read_part() {
  python3 "$srcdir/tests/report/read_part.py" "$@"
}
try "$aqueduct" export t --between step --format att
check "traced waves have no parts" contains "$err" "att has the traced waves of the whole run"
for format in csv perfetto chrome rocprofv3-csv; do
  try "$aqueduct" export t --step 3 --format $format
  check "$format: a part without rows is refused" [ "$status" = 2 ]
  "$aqueduct" export t --time 20us..100us --format $format -o "$work/part.$format" 2> /dev/null
  check "$format: a part has its kernels and no others" \
    [ "$(read_part kernels $format "$work/part.$format")" = "k2 k3" ]
  "$aqueduct" export t --format $format -o "$work/whole.$format" 2> /dev/null
  check "$format: and the whole run has all" \
    [ "$(read_part kernels $format "$work/whole.$format")" = "k1 k2 k3 k4 k5 k6 k7" ]
done

# Beside the rows: edges, samples, requests and preemptions.
sed 's/"request": "r"/&, "idempotent": true, "independent": true/' \
  "$srcdir/tests/cli/clients.json" > "$work/again.json"
"$aqueduct" run "$work/again.json" --policy preemptive,order=lcfs,mode=reset \
  --counters 20us --name tracks -q > "$work/tracks.id"
"$aqueduct" import "$srcdir/tests/report/timeline.jsonl" --name edges -q > "$work/edges.id"
outside_of() { # NUMBER NOUN…: what a part of the run has outside of it
  local list=
  while [ $# -gt 0 ]; do
    [ "$1" = 0 ] || list="$list${list:+, }$1 $2"
    shift 2
  done
  echo "${list:+; outside: $list}"
}
for case in "tracks 100 300" "tracks 0 2000" "edges 20 60" "edges 0 400"; do
  read -r run from to <<< "$case"
  "$aqueduct" export "$run" -o "$work/whole.jsonl"
  read -r edges samples requests preemptions < <(read_part outside "$work/whole.jsonl" \
    "$XDG_DATA_HOME"/aqueduct/*.db "$(cat "$work/$run.id")" "$from" "$to")
  wanted=$(outside_of "$edges" edges "$samples" samples "$requests" requests \
    "$preemptions" preemptions)
  "$aqueduct" report "$run" --time "${from}us..${to}us" -o "$work/part.html"
  check "$case: the page of a part says what lies outside$wanted" \
    [ "$(sed -n 's/.*"part":"[^"]* of that time\([^"]*\)".*/\1/p' "$work/part.html")" \
    = "$wanted" ]
  wanted=$(outside_of "$edges" edges "$samples" samples)
  try "$aqueduct" export "$run" --time "${from}us..${to}us" -o "$work/part.jsonl"
  told=${err%%$'\n'*}
  check "$case: an export, of what it would have$wanted" \
    [ "${told##* of that time}" = "$wanted" ]
done

# The same with kernels in range step 5 us longer, and one of range other alone.
python3 - "$work/t.json" "$work/v.json" << 'END'
import json, sys
trace = json.load(open(sys.argv[1]))
for event in trace["traceEvents"]:
    if event["cat"] == "kernel":
        event["dur"] += {"k2": 5, "k3": 5, "k4": 5, "k7": 5, "k6": 1000}.get(event["name"], 0)
json.dump(trace, open(sys.argv[2], "w"))
END
for name in v v2; do "$aqueduct" import "$work/v.json" --name $name -q > /dev/null 2>&1; done
try "$aqueduct" report t v --between step -o "$work/part.html" --json
check "report takes a part of each run" \
  [ "$(jq -c '[.runs[].window | [.dispatches, .of]]' "$work/out")" = '[[4,7],[4,7]]' ]
check "the page has its rows, and says of what they are" \
  [ "$(grep -c '"part":"4 of 7 dispatches, launched in 3 ranges step, 6 other rows of that time"' \
    "$work/part.html") $(grep -c '^"dispatches":{"count":4,' "$work/part.html")" = "2 2" ]
check "and explains the part" contains "$(cat "$work/part.html")" \
  '"time":70000.000,"percent":30.435,
"name":"dispatch"'
try "$aqueduct" report t --launch x0.5 --step 3 -o "$work/part.html"
check "what-ifs have no parts" contains "$err" "what-ifs are of whole runs"
try "$aqueduct" report t --step 3 -o "$work/part.html"
check "a run without the part is named here, too" contains "$err" "run 1: 0 of 7 dispatches"

try "$aqueduct" stats t --between backward
check "a name that is not there is refused" [ "$status" = 2 ]
check "with the names that are" contains "$err" "range backward: the run has only other, step, forward, late"
try "$aqueduct" stats t --time ..1ns --between late
check "an empty part is refused" contains "$err" \
  "0 of 7 dispatches in range late and that time; the last one starts at"
for time in 5us 5..6 6us..5us 1us..x; do
  try "$aqueduct" stats t --time $time
  check "--time $time is refused" [ "$status" = 2 ]
  check "with what was expected" contains "$err" "--time $time: expected A..B"
done
"$aqueduct" import "$work/t.json" --name u -q > /dev/null
try "$aqueduct" compare t u --by range --json
check "compare groups by ranges too" \
  [ "$(jq -r '[.[0].groups[] | select(.name == "late") | .matched] | .[0]' "$work/out")" = 2 ]

try "$aqueduct" compare t v --between step --json
check "compare takes the same part of both runs" \
  [ "$(jq -c '.[0] | [.pairs, .kernel.changed_ns, .window.dispatches, .window.of,
    .baseline_window.dispatches]' "$work/out")" = '[4,20000,4,7,4]' ]
check "and explains that part of each" [ "$(jq '.[0].causes[] | select(.cause == "dispatch") |
  .was_ns' "$work/out")" = 70000 ]
try "$aqueduct" compare t v --time 20us..100us
check "it says which part" contains "$out" "baseline: 2 of 7 dispatches"
try "$aqueduct" compare v v2 --against t u --between step --json
check "versions, too" [ "$(jq -c '[.window.dispatches, .window.of, .baseline_window.of,
  ([.groups[] | .before_calls] | add)]' "$work/out")" = '[8,14,14,4]' ]
try "$aqueduct" compare t part --step 3
check "a run without the part is named" contains "$err" \
  "run 1: 0 of 7 dispatches in step 3; the run has no steps"

# Steps: the part of each view is the one that a reader of its own finds.
steps_agree() { # RUN, TRACE, STEP: prints the views that differ
  local dispatches ns names
  read -r dispatches ns names < <(read_part step "$2" "$3")
  [ "$dispatches" -gt 0 ] || echo "no dispatches"
  [ "$("$aqueduct" stats "$1" --step "$3" --by kernel --json |
    jq '[.groups[].calls] | add')" = "$dispatches" ] || echo stats
  [ "$("$aqueduct" explain "$1" --step "$3" --json | jq -c '[.window.step, .dispatches]')" \
    = "[$3,$dispatches]" ] || echo explain
  [ "$("$aqueduct" compare "$1" "$1" --step "$3" --json |
    jq -c '.[0] | [.pairs, .window.dispatches, .baseline_window.dispatches]')" \
    = "[$dispatches,$dispatches,$dispatches]" ] || echo compare
  "$aqueduct" report "$1" --step "$3" -o "$work/step.html" --json > "$work/step.json"
  [ "$(jq '.runs[0].window.dispatches' "$work/step.json")" = "$dispatches" ] || echo report
  grep -q "^\"dispatches\":{\"count\":$dispatches," "$work/step.html" || echo page
  "$aqueduct" export "$1" --step "$3" -o "$work/step.jsonl" 2> /dev/null
  [ "$(read_part kernels jsonl "$work/step.jsonl")" = "$names" ] || echo export
  [ "$(jq -s '[.[] | select(.kind == "kernel") | .end - .start] | add / 1000' \
    "$work/step.jsonl")" = "$ns" ] || echo "ns of the export"
}
python3 - "$work/t.json" "$work/s.json" << 'END'
import json, sys
trace = json.load(open(sys.argv[1]))
for number, at in enumerate((95, 155, 205), start=5):
    trace["traceEvents"].append({"ph": "X", "cat": "user_annotation",
        "name": f"ProfilerStep#{number}", "pid": 1, "tid": 1, "ts": at,
        "dur": (60, 50, 200)[number - 5]})
json.dump(trace, open(sys.argv[2], "w"))
END
"$aqueduct" import "$work/s.json" --name s -q > /dev/null
for step in 5 6 7; do
  check "step $step is the same part in each view" \
    [ -z "$(steps_agree s "$work/s.json" $step)" ]
done
check "a step has the kernels that were launched in it" \
  [ "$(read_part step "$work/s.json" 6)" = "3 150000 k4 k5 k6" ]

# A page draws what explain says.
missing=
causes=$(sed -n 's/^  C([A-Z_]*, "\([a-z_]*\)".*/\1/p' "$srcdir/src/report/explain/explain.h")
for cause in $causes; do
  grep -q "^  $cause : " "$srcdir/src/report/page/diagnosis.js" || missing="$missing $cause"
done
check "each cause has a colour on the page" [ "${causes:+known}$missing" = known ]

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
for name in mi250_minitoy mi300x_bert mi300x_flux_sage mi300x_norm mi300x_owlv2 \
  mi300x_qwen05b mi300x_resnet18 mi300x_sglang_prefill mi300x_timesformer \
  mi300x_vllm_pd_piecewise mi300x_nsfw_vit mixrank_resnet_train_4rank; do
  if [ ! -f "$data/$name.json.gz" ]; then
    skip "$name: a reader of its own agrees" "no published traces in AQ_DATA"
    continue
  fi
  "$aqueduct" import "$data/$name.json.gz" --name $name -q > /dev/null 2>&1
  "$aqueduct" stats $name --json > "$work/stats.json" 2> /dev/null
  "$aqueduct" stats $name --by path --json > "$work/paths.json" 2> /dev/null
  check "$name: a reader of its own agrees on its ranges and their paths" \
    python3 "$srcdir/tests/report/read_ranges.py" "$data/$name.json.gz" "$work/stats.json" \
    "$work/paths.json"
done
for name in mi300x_bert mi300x_owlv2; do
  if [ ! -f "$data/$name.json.gz" ]; then
    skip "$name: a step is the same part in each view" "no published traces in AQ_DATA"
    continue
  fi
  step=$("$aqueduct" stats $name --by step --json 2> /dev/null | jq '.steps[-1].step')
  check "$name: step $step is the same part in each view" \
    [ -z "$(steps_agree $name "$data/$name.json.gz" "$step" 2> /dev/null)" ]
done
finish
