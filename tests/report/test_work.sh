#!/bin/bash
# SPDX-License-Identifier: MIT
# Steps, communication and work of a run: what each step did, whether communication was
# hidden, operations and bytes of operators. Published profiles and tables are compared
# with readers of their own.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# Steps 5, 6 and 7 of 1000 us; in each a GEMM, then an all-reduce that the next GEMM
# hides by half, then a copy.
python3 - "$work/t.json" << 'END'
import json, sys
events, number = [], 0
def add(cat, name, pid, tid, at, dur, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": at,
                   "dur": dur, "args": args})
def launch(cat, name, stream, call, at, dur):
    global number
    number += 1
    add("cuda_runtime", "hipLaunchKernel", 1, 1, call, 2, correlation=number)
    add(cat, name, 0, stream, at, dur, correlation=number, device=0, stream=stream)
for step in range(3):
    t = 10000 + 1000 * step
    add("user_annotation", f"ProfilerStep#{5 + step}", 1, 1, t, 1000)
    add("cpu_op", "aten::mm", 1, 1, t + 10, 40, **{"External id": 9 * step + 1,
        "Input Dims": [[1024, 2048], [2048, 512]], "Input type": ["c10::BFloat16"] * 2,
        "Concrete Inputs": ["", ""]})
    launch("kernel", "gemm", 7, t + 20, t + 100, 100 + 10 * step)
    add("cpu_op", "record_param_comms", 1, 1, t + 60, 40, **{"External id": 9 * step + 2,
        "Collective name": "allreduce", "dtype": "BFloat16", "In msg nelems": 1000000,
        "Out msg nelems": 1000000, "Group size": 8})
    launch("kernel", "ncclDevKernel_Generic", 8, t + 70, t + 300, 200)
    add("cpu_op", "aten::mm", 1, 1, t + 110, 40, **{"External id": 9 * step + 3})
    launch("kernel", "gemm", 7, t + 120, t + 400, 200)
    launch("gpu_memcpy", "Memcpy DtoH", 7, t + 200, t + 700, 50)
json.dump({"deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X", "numSms": 304,
          "computeMajor": 9, "computeMinor": 4}], "traceEvents": events}, open(sys.argv[1], "w"))
END
"$aqueduct" import "$work/t.json" --name t -q > /dev/null
"$aqueduct" stats t --by step --json > "$work/out"
check "a step has its times, and the communication that nothing hides" \
  [ "$(jq -c '.steps[1] | [.step, .first, .dispatches, .span_ns, .busy_ns, .compute_ns,
    .communication_ns, .exposed_ns, .hidden_ns, .copy_ns, .copy_exposed_ns, .hidden_percent]' \
    "$work/out")" = '[6,false,4,650000,460000,310000,200000,100000,100000,50000,50000,50]' ]
check "the first step is apart" [ "$(jq -c '[.steps[].first]' "$work/out")" = '[true,false,false]' ]
"$aqueduct" stats t --by step --step 6 --json > "$work/window"
check "of a part of the run, too: its first step is a step of others" \
  [ "$(jq -c '[[.steps[] | [.step, .first]], .all_but_first.count]' "$work/window")" \
  = '[[[6,false]],1]' ]
check "the statistics leave it out" [ "$(jq -c '.all_but_first | [.count, .busy.mean_ns,
  .busy.median_ns, (.busy.half_ns * 10 | round)]' "$work/out")" = '[2,465000,465000,635300]' ]
try "$aqueduct" stats t --by step
check "the table has them too" contains "$out" "2 steps, without the first of each device:"
check "in words" contains "$out" "exposed: mean 100.000 us, median 100.000 us"

"$aqueduct" stats t --by collective --json > "$work/out"
check "a collective has bytes and the rate of its bus" \
  [ "$(jq -c '.groups[] | select(.name == "allreduce bf16[1000000], 8 ranks") |
    [.calls, .ops, .work_bytes, .gbps, .bus_gbps]' "$work/out")" = '[3,3,6000000,10,17.5]' ]
check "kernels that do not communicate are a group without work" \
  [ "$(jq -c '.groups[] | select(.key == null) | [.name, .calls, .ops]' "$work/out")" \
  = '["no collective",9,null]' ]

"$aqueduct" stats t --by shape --json > "$work/out"
check "an operator has operations, bytes and shares of the peaks" \
  [ "$(jq -c '.groups[] | select(.name == "aten::mm(bf16[1024,2048], bf16[2048,512])") |
    [.calls, .ops, .unknown_calls, .known_ns, .flops, .work_bytes, (.tflops * 1000 | round),
     (.flops_percent * 100 | round), (.gbps_percent * 100 | round)]' "$work/out")" \
  = '[3,3,0,330000,6442450944,22020096,19523,149,126]' ]
check "one without shapes is counted as unknown" \
  [ "$(jq -c '.groups[] | select(.name == "aten::mm") | [.calls, .ops, .unknown_calls]' \
    "$work/out")" = '[3,0,3]' ]
"$aqueduct" stats t --by family --json > "$work/out"
check "families add up" [ "$(jq -c '[.groups[] | [.name, .calls, .unknown_calls]] | sort' \
  "$work/out")" = '[["communication",3,0],["copy",3,null],["gemm",6,3]]' ]

tables=${AQ_DATA:-$srcdir/../shared/data}/ops
for table in mi300_perf_report/unified_perf_summary \
  compare_h100_mi300_qwen/unified_perf_summary_intersect_mi300; do
  if [ ! -f "$tables/$table.csv" ]; then
    skip "$table: operations and bytes agree" "no published tables in AQ_DATA"
    continue
  fi
  python3 "$srcdir/tests/report/read_tables.py" trace "$tables/$table.csv" "$work/table.json"
  "$aqueduct" import "$work/table.json" --name table -q > /dev/null 2>&1
  "$aqueduct" stats table --by shape --json > "$work/stats.json"
  "$aqueduct" store prune table > /dev/null 2>&1
  check "$table: operations and bytes agree" \
    python3 "$srcdir/tests/report/read_tables.py" compare "$tables/$table.csv" "$work/stats.json"
done

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
for name in mi250_minitoy mi300x_bert mi300x_nsfw_vit mi300x_owlv2 mi300x_timesformer \
  mixrank_resnet_train_4rank; do
  if [ ! -f "$data/$name.json.gz" ]; then
    skip "$name: a reader of its own agrees on its steps" "no published traces in AQ_DATA"
    continue
  fi
  "$aqueduct" import "$data/$name.json.gz" --name $name -q > /dev/null 2>&1
  "$aqueduct" stats $name --by step --json > "$work/stats.json" 2> /dev/null
  check "$name: a reader of its own agrees on its steps" \
    python3 "$srcdir/tests/report/read_steps.py" "$data/$name.json.gz" "$work/stats.json"
done
finish
