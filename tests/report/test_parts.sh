#!/bin/bash
# SPDX-License-Identifier: MIT
# The time of a part of a run: that of its occurrences. Minimal traces, and published
# profiles that a reader of its own agrees on.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# trace FILE EVENT…: range NAME PROCESS THREAD AT LASTS; work NAME PROCESS THREAD CALLED
# DEVICE STREAM AT LASTS, launched by a call of 5 us; lost NAME PROCESS THREAD CALLED, such
# a call alone.
trace() {
  python3 - "$@" << 'END'
import json, sys
events, number = [], 0
def add(**event):
    events.append({"ph": "X", "args": {}, **event})
for words in map(str.split, sys.argv[2:]):
    kind, name, *numbers = words
    numbers = [int(n) for n in numbers]
    if kind == "range":
        pid, tid, at, lasts = numbers
        add(cat="user_annotation", name=name, pid=pid, tid=tid, ts=at, dur=lasts)
        continue
    number += 1
    pid, tid, called, *work = numbers
    add(cat="cuda_runtime", name="hipLaunchKernel", pid=pid, tid=tid, ts=called, dur=5,
        args={"correlation": number})
    if kind == "lost":
        continue
    device, stream, at, lasts = work
    add(cat="gpu_memcpy" if name == "copy" else "kernel",
        name="Memcpy HtoD" if name == "copy" else name, pid=device, tid=stream, ts=at,
        dur=lasts, args={"correlation": number, "device": device, "stream": stream,
                         "bytes": 64})
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
END
}
run_of() { # NAME EVENT…
  trace "$work/$1.json" "${@:2}"
  "$aqueduct" import "$work/$1.json" --name "$1" -q > /dev/null
}
read_occurrences() {
  python3 "$srcdir/tests/report/read_occurrences.py" "$@"
}
explained() { # RUN OPTION… : causes that took time, and all of the time, in us
  "$aqueduct" explain "$@" --json | jq -r '[(.causes[] | select(.time_ns > 0) |
    "\(.cause) \(.time_ns / 1000)"), .time_ns / 1000] | join(" ")'
}
spanned() { # RUN OPTION…: us
  "$aqueduct" stats "$@" --by all --json | jq '.makespan_ns / 1000'
}
agrees() { # NAME RANGE: explain and the reader
  "$aqueduct" explain "$1" --between "$2" --json > "$work/out"
  read_occurrences explain "$work/$1.json" "$2" "$work/out"
}

# Two ranges of 100 us, 0.9 s apart.
run_of far "range fwd 1 1 1000 100" "work k 1 1 1005 0 7 1015 80" \
  "range fwd 1 1 901000 100" "work k 1 1 901005 0 7 901015 80"
check "time between two ranges is not of the part" \
  [ "$(explained far --between fwd)" = "kernels 160 host 5 launch 5 dispatch 5 175" ]
check "nor in statistics" [ "$(spanned far --between fwd)" = 160 ]
try "$aqueduct" stats far --between fwd
check "which say so" contains "$out" "first start to last end of each range, added up: 160.000 us"
check "a reader of its own agrees" agrees far fwd
"$aqueduct" report far --between fwd -o "$work/far.html" 2> /dev/null
check "nor of the page" grep -q '"part_time":160000.000' "$work/far.html"

# A range around another: its launch without a kernel comes before the other's first.
run_of lost "work x 1 3 2 0 7 5 5" "range fwd 1 1 80 20" "work k 1 1 81 0 7 100 10" \
  "range fwd 1 2 20 180" "lost hipLaunchKernel 1 2 50" "work k 1 2 95 0 8 105 15"
try "$aqueduct" explain lost --between fwd
check "a lost launch of a range is counted wherever the range has begun" contains "$out" \
  "1 launch or copy call without a record"

# The host works between the ranges, and another range does.
run_of others "range fwd 1 1 1000 100" "work k 1 1 1005 0 7 1015 80" \
  "range load 1 1 2000 1000" "work copy 1 1 2500 0 7 2600 100" \
  "range fwd 1 1 901000 100" "work k 1 1 901005 0 7 901015 80"
check "explain blames no other range" \
  [ "$(explained others --between fwd)" = "kernels 160 host 5 launch 5 dispatch 5 175" ]
"$aqueduct" export others --between fwd --format jsonl 2> /dev/null > "$work/out"
check "an export has no rows from between" \
  [ "$(jq -rs '[.[] | .name // empty] | sort | join(" ")' "$work/out")" = "fwd fwd k k" ]

# Kernels that run after their range, on two streams of a busy device: k2 begins on its
# own stream while the kernel of another range runs.
run_of late "range fwd 1 1 0 20" "work k1 1 1 5 0 7 100 50" "work k2 1 1 12 0 8 180 40" \
  "range bwd 1 1 30 20" "work k3 1 1 35 0 7 140 60" "work k4 1 1 42 0 7 300 10"
check "kernels that run behind their range are of it, and what ran between them is outside" \
  [ "$(explained late --between fwd)" = "kernels 90 outside 30 120" ]
check "and a range that began while the device was busy takes no idle time" \
  [ "$(explained late --between bwd)" = "kernels 70 outside 20 dispatch 80 170" ]
check "a reader of its own agrees on both" agrees late fwd
check "of either range" agrees late bwd

# Two devices, and occurrences on two threads that overlap.
run_of two "range fwd 1 1 0 100" "work k1 1 1 10 0 7 20 30" "work k2 1 1 40 1 7 200 30" \
  "range fwd 1 2 20 100" "work k3 1 2 30 0 8 40 50" "work k4 1 2 60 0 8 100 20" \
  "work k5 1 3 400 0 8 500 20"
check "occurrences that overlap count once, on each device its own" \
  [ "$(explained two --between fwd)" = "kernels 120 dispatch 10 130" ]
check "over both devices, from the first start to the last end" \
  [ "$(spanned two --between fwd)" = 210 ]
check "a reader of its own agrees" agrees two fwd
run_of nested "range fwd 1 1 0 100" "work k1 1 1 10 0 7 20 30" "range fwd 1 1 40 20" \
  "work k2 1 1 45 0 7 60 10" "work k3 1 1 80 0 7 90 10"
check "nested ones, too" [ "$(spanned nested --between fwd)" = 80 ]
check "a reader of its own agrees" agrees nested fwd

# A step of two ranks, 0.5 s apart by their clocks, and the step before the second's.
run_of ranks "range ProfilerStep#3 1 1 0 100" "work k1 1 1 10 0 7 20 30" \
  "range ProfilerStep#2 2 2 500000 90" "work k2 2 2 500010 1 7 500020 20" \
  "range ProfilerStep#3 2 2 500100 100" "work k2 2 2 500110 1 7 500130 40"
check "a step of several ranks is that of each" \
  [ "$(explained ranks --step 3)" = "kernels 70 70" ]
check "in statistics, too" [ "$(spanned ranks --step 3)" = 70 ]
"$aqueduct" explain ranks --step 3 --json > "$work/out"
check "a reader of its own agrees" \
  read_occurrences explain "$work/ranks.json" ProfilerStep#3 "$work/out"
check "--time has one occurrence, from its first start on" \
  [ "$(explained late --time 35us..210us)" = "kernels 90 dispatch 80 170" ]

# A GEMM outside of the part runs beside all of its all-reduce.
run_of hid "work gemm 1 1 1010 0 7 1100 100" "range nccl:all_reduce 1 1 1020 10" \
  "work ncclDevKernel_Generic 1 1 1022 0 8 1100 100"
check "a kernel outside of a part hides its communication" \
  [ "$(explained hid --between nccl:all_reduce)" = "outside 100 100" ]
try "$aqueduct" explain hid --between nccl:all_reduce
check "and explain says so" contains "$out" \
  "communication kernels ran for 100.000 us, 100.0 % of that beside other kernels"
check "a reader of its own agrees" agrees hid nccl:all_reduce
run_of copies "work gemm 1 1 10 0 7 100 100" "range load 1 1 20 30" \
  "work copy 1 1 22 0 8 150 100"
check "and its copies" [ "$(explained copies --between load)" = "copies 50 outside 50 100" ]
stepped() { # RUN OPTION…: of each step and device what follows
  "$aqueduct" stats "$@" --by step --json | jq -r '[.steps[] | .dispatches, .span_ns / 1000,
    .busy_ns / 1000, .communication_ns / 1000, .exposed_ns / 1000, .copy_ns / 1000,
    .copy_exposed_ns / 1000] | join(" ")'
}
check "in statistics, too" [ "$(stepped copies --between load)" = "1 100 100 0 0 100 50" ]
check "communication, too" \
  [ "$(stepped hid --between nccl:all_reduce)" = "1 100 100 100 0 0 0" ]
"$aqueduct" stats hid --between nccl:all_reduce --by step --json > "$work/out"
check "a reader of its own agrees" \
  read_occurrences steps "$work/hid.json" nccl:all_reduce "$work/out"
"$aqueduct" report hid --between nccl:all_reduce -o "$work/hid.html" 2> /dev/null
check "the page has the same" \
  [ "$(grep -A 1 '^"communication":100000,' "$work/hid.html" | tail -1)" = '"exposed":0,' ]
check "time between the ranges is in no step" \
  [ "$(stepped far --between fwd)" = "2 160 160 0 0 0 0" ]

# The all-reduce of step 1 runs beside the kernel of step 2, and beside one of no step.
run_of steps "range ProfilerStep#0 1 1 0 10" "work k 1 1 1 0 7 10 20" \
  "range ProfilerStep#1 1 1 10 20" "work k 1 1 12 0 7 40 20" \
  "work ncclDevKernel_Generic 1 1 20 0 8 50 100" \
  "range ProfilerStep#2 1 1 30 20" "work k 1 1 32 0 7 70 50" "work k 1 1 60 0 7 130 10"
check "a kernel of the next step hides communication" \
  [ "$(stepped steps --step 1)" = "2 110 110 100 30 0 0" ]
check "in the whole run as in the part" [ "$(stepped steps)" \
  = "1 20 20 0 0 0 0 2 110 110 100 30 0 0 1 50 50 0 0 0 0" ]
check "and in a part of time" [ "$(stepped steps --time 40us..41us)" = "1 100 100 100 30 0 0" ]

# 3 steps on 2 devices: two samples but for the first, of 30 and 50 us.
run_of pooled "range ProfilerStep#0 1 1 0 10" "work k 1 1 1 0 7 10 20" "work k 1 1 6 1 7 15 20" \
  "range ProfilerStep#1 1 1 50 10" "work k 1 1 51 0 7 60 10" "work k 1 1 56 1 7 65 30" \
  "range ProfilerStep#2 1 1 100 10" "work k 1 1 101 0 7 110 50" "work k 1 1 106 1 7 115 20"
check "ranks of one step are no samples of their own" \
  [ "$("$aqueduct" stats pooled --by step --json | jq -c '.all_but_first |
    [.count, .span.mean_ns, .span.median_ns, (.span.half_ns / 1000 | round)]')" \
  = "[2,40000,40000,127]" ]
try "$aqueduct" stats pooled --by step
check "and the text says whose they are" contains "$out" \
  "2 steps, without the first of each device, each on its slowest device:"

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
while read -r name range; do
  if [ ! -f "$data/$name.json.gz" ]; then
    skip "$name: a reader of its own agrees on $range" "no published traces in AQ_DATA"
    continue
  fi
  "$aqueduct" list runs --names 2> /dev/null | grep -qx "$name" ||
    "$aqueduct" import "$data/$name.json.gz" --name "$name" -q > /dev/null 2>&1
  part=(--between "$range")
  [ "${range#ProfilerStep#}" = "$range" ] || part=(--step "${range#ProfilerStep#}")
  "$aqueduct" explain "$name" "${part[@]}" --json > "$work/out"
  check "$name: a reader of its own agrees on $range" \
    read_occurrences explain "$data/$name.json.gz" "$range" "$work/out"
  "$aqueduct" stats "$name" "${part[@]}" --by step --json > "$work/out"
  check "$name: and on its communication" \
    read_occurrences steps "$data/$name.json.gz" "$range" "$work/out"
done << 'END'
mi300x_norm LayerNorm affine=True
mi300x_norm RMSNorm affine=True
mixrank_resnet_train_4rank nccl:all_reduce
mixrank_resnet_train_4rank ProfilerStep#10
END
finish
