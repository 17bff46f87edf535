#!/bin/bash
# SPDX-License-Identifier: MIT
# The program around launches: groups by op, module, line, stack, step and rank, and
# counts of dispatches without them. Published profiles are compared with a reader of their
# own.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

python3 - "$work/t.json" << 'END'
import json, sys
events = []
def span(cat, name, tid, at, end, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": at,
                   "dur": end - at, "args": args})
def launch(number, tid, at, start, dur):
    span("cuda_runtime", "hipLaunchKernel", tid, at, at + 2, correlation=number)
    events.append({"ph": "X", "cat": "kernel", "name": f"k{number}", "pid": 0, "tid": 7,
                   "ts": start, "dur": dur, "args": {"correlation": number, "device": 0,
                   "stream": 7, "grid": [1, 1, 1], "block": [64, 1, 1]}})
launch(1, 1, 90, 500, 10)          # before all: no op
span("user_annotation", "ProfilerStep#3", 1, 100, 300)
span("user_annotation", "ProfilerStep#4", 1, 300, 600)
span("python_function", "train.py(7): step", 1, 100, 300)
span("python_function", 'nn.Module: Linear_0', 1, 105, 200)
span("python_function", "torch/nn/linear.py(9): \u2192 \"forward\"", 1, 106, 199)
span("cpu_op", "aten::linear", 1, 110, 190, **{"External id": 1})
span("cpu_op", "aten::addmm", 1, 120, 180, **{"External id": 2, "Sequence number": 40,
     "Input Dims": [[4], [2, 3], [3, 4]], "Input type": ["float", "float", "float"],
     "Concrete Inputs": ["", "", ""]})
launch(2, 1, 130, 520, 20)
launch(3, 1, 185, 560, 30)         # in aten::linear alone
span("cpu_op", "aten::relu", 1, 210, 230, **{"External id": 3})
span("cpu_op", "aten::relu", 1, 210, 230, **{"External id": 3})  # a second time
launch(4, 1, 220, 600, 40)
# the backward of addmm, on its own thread, in the next step
span("cpu_op", "autograd: AddmmBackward0", 2, 400, 450,
     **{"External id": 9, "Sequence number": 40, "Fwd thread id": 1})
span("cpu_op", "aten::mm", 2, 410, 440, **{"External id": 10})
launch(5, 2, 420, 700, 50)
launch(6, 1, 310, 800, 60)         # in the step, in no other op
events.append({"ph": "X", "cat": "cpu_op", "name": "aten::bad", "pid": 1, "tid": 1,
               "ts": "x", "dur": 1})
events.append({"ph": "X", "cat": "cpu_op", "name": "aten::long", "pid": 1, "tid": 1,
               "ts": 95, "dur": 1, "args": {"Concrete Inputs": ["x" * 5000]}})
json.dump({"distributedInfo": {"rank": 3}, "traceEvents": events}, open(sys.argv[1], "w"))
END
try "$aqueduct" import "$work/t.json" --name t
check "import tells how much has an op" contains "$err" "5 of 6 dispatches in an op"
check "and what it could not read" contains "$err" "skipped 1 unreadable record of an op"
check "and what is too long to keep" contains "$err" "skipped 1 argument list of over 4096 bytes"

group() { # KEY: calls and ns of a group
  jq -r --arg name "$1" '.groups[] | select((.name // .key | tostring) == $name) |
    "\(.calls) \(.kernel.total_ns)"' "$work/out"
}
by() { # GROUPING [OPTION…]
  "$aqueduct" stats t --by "$@" --json > "$work/out"
}
by op
check "a dispatch is of the innermost op" \
  [ "$(group aten::addmm) $(group aten::linear)" = "1 20000 1 30000" ]
check "an op that the file has twice counts once" [ "$(group aten::relu)" = "1 40000" ]
check "an annotation is an op too" [ "$(group ProfilerStep#4)" = "1 60000" ]
check "what has no op is a group" [ "$(group 'no op')" = "1 10000" ]
check "the document counts them" \
  [ "$(jq -c '.context | [.dispatches, .in_ops, .in_steps]' "$work/out")" = '[6,5,5]' ]
by module
check "a module has the work of its calls and of its backward" \
  [ "$(group 'nn.Module: Linear_0')" = "3 100000" ]
check "work by forward ops is counted" [ "$(jq .context.by_forward_op "$work/out")" = 1 ]
by line
check "a line is the program's, not a library's" [ "$(group 'train.py(7): step')" = "4 140000" ]
by stack
check "a stack begins with the innermost frame, its escapes resolved" \
  [ "$(group 'torch/nn/linear.py(9): → "forward" < nn.Module: Linear_0 < train.py(7): step')" \
  = "3 100000" ]
by step
check "a step has what any thread launched in it" \
  [ "$(group 3) $(group 4) $(group 'no step')" = "3 90000 2 110000 1 10000" ]
by rank
check "the rank is the file's" [ "$(group 3)" = "6 210000" ]
by op --step 4
check "--step leaves a step" [ "$(jq -c '.window | [.step, .dispatches, .of]' "$work/out")" \
  = '[4,2,6]' ]
try "$aqueduct" stats t --step 9
check "a step that is not there is refused" [ "$status" = 2 ]
check "with what is missing" contains "$err" "0 of 6 dispatches in step 9; the run has steps 3 to 4"
try "$aqueduct" stats t --by module
check "the table says how many have a stack" contains "$out" "4 of 6 dispatches with a call stack"

"$aqueduct" import "$work/t.json" --name u -q > /dev/null
try "$aqueduct" compare t u --by op --json
check "compare groups by ops too" \
  [ "$(jq -r '[.[0].groups[] | select(.name == "aten::addmm") | .matched] | .[0]' "$work/out")" = 1 ]
check "the store is sound" "$aqueduct" store check

# Forward passes on two threads of a process, which count sequence numbers for themselves.
python3 - "$work/threads.json" << 'END'
import json, sys
events, number = [], 0
def span(cat, name, pid, tid, at, end, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": at,
                   "dur": end - at, "args": args})
def op(name, pid, tid, at, **args):
    global number
    number += 1
    span("cpu_op", name, pid, tid, at, at + 8, **{"External id": number}, **args)
    span("cuda_runtime", "hipLaunchKernel", pid, tid, at + 1, at + 3, correlation=number)
    events.append({"ph": "X", "cat": "kernel", "name": f"k{number}", "pid": 0, "tid": 7,
                   "ts": 1000 + 2 ** (number + 1), "dur": 2 ** number, "args": {"correlation": number,
                   "device": 0, "stream": 7}})
def forward(pid, tid, module, sequences):
    span("python_function", f"nn.Module: {module}", pid, tid, 100, 200)
    for i, sequence in enumerate(sequences):
        op("aten::mm", pid, tid, 110 + 10 * i + tid, **{"Sequence number": sequence})
def backward(pid, thread, sequences, at):
    for i, sequence in enumerate(sequences):
        op("MmBackward0", pid, 9, at + 10 * i,
           **{"Sequence number": sequence, "Fwd thread id": thread})
forward(1, 1, "Left_0", [40, 41])    # k1, k2
forward(1, 2, "Right_0", [40, 42, 43])  # k3 to k5
backward(1, 5, [41, 40], 300)           # k6, k7: 41 is of the left thread alone
backward(1, 6, [42, 43, 40, 41], 400)   # k8 to k10, and k11, whose number that thread lacks
forward(2, 1, "Same_0", [7])            # k12
forward(2, 2, "Same_1", [7])            # k13
backward(2, 5, [7, 8], 300)             # k14: of either thread; k15: of none
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
END
try "$aqueduct" import "$work/threads.json" --name threads
check "a backward op that may be of several threads is counted" contains "$err" \
  "2 backward launch calls with several possible forward ops"
by_threads() { # MODULE: the sum of 2^n of its kernels kn, in ns
  jq -r --arg name "$1" '.groups[] | select(.name == $name) | .kernel.total_ns / 1000' "$work/out"
}
"$aqueduct" stats threads --by module --json > "$work/out"
check "a backward op has the module of its own forward thread" \
  [ "$(by_threads 'nn.Module: Left_0') $(by_threads 'nn.Module: Right_0')" = "198 1848" ]
check "one without a certain forward op has none" \
  [ "$(by_threads 'nn.Module: Same_0') $(by_threads 'nn.Module: Same_1') $(by_threads 'no module')" \
  = "4096 8192 51200" ]

python3 - "$work/p.json" << 'END'
import json, sys
events, number = [], 0
for name in ["warm", "x"] + ["a", "b", "b", "c"] * 5 + ["z"] * 9:
    number += 1
    events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7,
                   "ts": 10 * number, "dur": 5, "args": {"device": 0, "stream": 7}})
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
END
"$aqueduct" import "$work/p.json" --name p -q > /dev/null 2>&1
try "$aqueduct" stats p --by step
check "without ProfilerStep a step is a sequence of kernels that repeats" contains "$out" \
  "a step is a repeated sequence of 4 kernels"
check "what repeats is in steps" contains "$out" "20 of 31 dispatches in steps"
try "$aqueduct" stats p --step 2
check "a part says that no ProfilerStep has its number" contains "$out" \
  "4 of 31 dispatches, launched in step 2 (a repeated sequence of 4 kernels)"
# 5 steps of 4 kernels on one queue; the other queue's kernel comes elsewhere in each.
python3 - "$work/q.json" << 'END'
import json, sys
events = []
def kernel(name, tid):
    events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": tid,
                   "ts": 10 * len(events), "dur": 5, "args": {"device": 0, "stream": tid}})
kernel("warm", 7)
for step, other in enumerate([0, 2, 1, 3, 0]):
    for place, name in enumerate("abbc"):
        if place == other:
            kernel("w%d" % step, 9)
        kernel(name, 7)
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
END
"$aqueduct" import "$work/q.json" --name q -q > /dev/null 2>&1
try "$aqueduct" stats q --by step
check "a step is found on one queue where others interleave" contains "$out" \
  "a step is a repeated sequence of 4 kernels of queue 0"
check "and has what the other queues run meanwhile" contains "$out" "24 of 26 dispatches in steps"
"$aqueduct" stats q --by step --json > "$work/out"
check "in JSON, too" [ "$(jq -c '.context | [.kernels_of_step, .queue_of_step]' "$work/out")" \
  = '[4,0]' ]
"$aqueduct" stats p --by step --json > "$work/out"
check "of a whole device no queue is named" [ "$(jq .context.queue_of_step "$work/out")" = null ]
check "kernels without a launch are within no range" [ "$(jq .context.within_range "$work/out")" \
  = null ]

# 5 layers of 3 kernels in one forward pass, and 5 passes of the same.
python3 - "$work/layers.json" "$work/passes.json" << 'END'
import json, sys
for path, passes in zip(sys.argv[1:], (1, 5)):
    events, number = [], 0
    for step in range(5):
        if step % (5 // passes) == 0:
            events.append({"ph": "X", "cat": "user_annotation", "name": "forward", "pid": 1,
                           "tid": 1, "ts": 100 * step, "dur": 500 // passes})
        for name in "abc":
            number += 1
            events += [
                {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1,
                 "ts": 100 * step + 10 * (number % 3), "dur": 5, "args": {"correlation": number}},
                {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7,
                 "ts": 1000 + 10 * number, "dur": 5,
                 "args": {"device": 0, "stream": 7, "correlation": number}}]
    json.dump({"traceEvents": events}, open(path, "w"))
END
for run in layers passes; do
  "$aqueduct" import "$work/$run.json" --name $run -q > /dev/null 2>&1
done
try "$aqueduct" stats layers --by step
check "repetitions within one range are called its parts" contains "$out" \
  "all 5 repetitions lie within one range forward: parts of it (layers, iterations), steps only"
try "$aqueduct" stats layers --step 2
check "a part says so" contains "$out" \
  "(a repeated sequence of 3 kernels, all within one range)"
"$aqueduct" stats layers --step 2 --json > "$work/out"
check "in JSON, too" [ "$(jq -c '[.context.within_range, .context.repetitions,
  .window.parts_of_range]' "$work/out")" = '["forward",5,true]' ]
try "$aqueduct" stats passes --by step
check "a range for each repetition is none around all" [ "$(echo "$out" |
  grep -c 'repeated sequence of 3 kernels\|lie within one range')" = 1 ]
try "$aqueduct" stats p --by op
check "a run without ops says so" contains "$out" "0 of 31 dispatches in an op: the run has no ops"

python3 - "$work/t.json" "$work/stray.json" << 'END'
import json, sys
trace = json.load(open(sys.argv[1]))
def stray(name, ts):
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": 1}
trace["traceEvents"] = [e for e in trace["traceEvents"] if e["ts"] != "x"]
for event in trace["traceEvents"]:
    event["ts"] += 1700000000000000
trace["traceEvents"][:0] = [stray("aten::zero", 0), stray("aten::early", 5)]
trace["traceEvents"].append(stray("aten::late", 9000000000000000))
json.dump(trace, open(sys.argv[2], "w"))
END
try "$aqueduct" import "$work/stray.json" --name stray
check "ops at a time far from the rows are left out alone" \
  contains "$err" "5 of 6 dispatches in an op"
check "they are counted" contains "$err" "skipped 3 unreadable records of an op"
check "and named with their time" contains "$err" \
  'time 0 ns, 1.97e+04 days from the others: "aten::zero"'
"$aqueduct" stats stray --by op --json | jq .groups > "$work/stray"
by op
check "the other ops are as without them" \
  test "$(jq .groups "$work/out")" = "$(cat "$work/stray")"

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
for run in mi210_resnet_bwd mi250_minitoy mi300x_bert mi300x_flux_aiter mi300x_flux_sage \
  mi300x_norm mi300x_nsfw_vit mi300x_owlv2 mi300x_qwen05b mi300x_resnet18 \
  mi300x_sglang_decode_graph mi300x_sglang_prefill mi300x_timesformer \
  mi300x_vllm_pd_piecewise mixrank_resnet_train_4rank; do
  if [ ! -f "$data/$run.json.gz" ]; then
    skip "$run: a reader of its own agrees" "no published traces in AQ_DATA"
    continue
  fi
  "$aqueduct" import "$data/$run.json.gz" --name $run -q > /dev/null 2>&1
  for by in op module step; do
    [ $by != step ] || zcat "$data/$run.json.gz" | grep -q 'ProfilerStep#' || continue
    try "$aqueduct" stats "$run" --by "$by" --json
    cp "$work/out" "$work/stats.json"
    [ "$status" = 0 ] || check "$run: stats --by $by" false
    # The reader knows no forward ops of backward ones.
    [ "$by" != module ] || [ "$(jq '.context.by_forward_op > 0' "$work/stats.json")" != true ] ||
      continue
    check "$run: a reader of its own agrees by $by" \
      python3 "$srcdir/tests/report/read_ops.py" "$data/$run.json.gz" $by "$work/stats.json"
  done
done
finish
