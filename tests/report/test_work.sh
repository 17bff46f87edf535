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
check "and operations a byte" [ "$(jq '[.groups[] | select(.flops > 0 and .work_bytes > 0) |
    .flop_per_byte * .work_bytes / .flops | . > 0.999 and . < 1.001] | length > 0 and all' \
  "$work/out")" = true ]
check "a column of the wide table" contains \
  "$("$aqueduct" stats t --by shape --wide)" FLOP/B
check "one without shapes is counted as unknown" \
  [ "$(jq -c '.groups[] | select(.name == "aten::mm") | [.calls, .ops, .unknown_calls]' \
    "$work/out")" = '[3,0,3]' ]
"$aqueduct" stats t --by family --json > "$work/out"
check "families add up" [ "$(jq -c '[.groups[] | [.name, .calls, .unknown_calls]] | sort' \
  "$work/out")" = '[["communication",3,0],["copy",3,null],["gemm",6,3]]' ]

# Inputs that are not readable, more inputs than models read, and long texts.
python3 - "$work/inputs.json" << 'END'
import json, sys
events = []
def add(cat, name, pid, tid, at, dur, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": at,
                   "dur": dur, "args": args})
def op(name, dims, types, values):
    n = len(events)
    at = 100 * n
    add("cpu_op", name, 1, 1, at, 40, **{"External id": n + 1, "Input Dims": dims,
        "Input type": types, "Concrete Inputs": values})
    add("cuda_runtime", "hipLaunchKernel", 1, 1, at + 10, 2, correlation=n + 1)
    add("kernel", "k", 0, 7, at + 20, 10, correlation=n + 1, device=0, stream=7)
op("aten::mul", [[8], []], ["float", "Scalar"], ["", "3"])
op("aten::mul", [[8], [8]], ["float", "c10::complex<float>"], ["", ""])
op("aten::add", [[1] * 9, [2]], ["float", "float"], ["", ""])
op("aten::add", [[[2], [3]], [2]], ["float", "float"], ["", ""])
op("aten::cat", [[4]] * 40 + [[]], ["float"] * 40 + ["Scalar"], [""] * 40 + ["0"])
op("aten::" + "x" * 600, [[5]], ["float"], [""])
op("aten::sum", [[2] * 6, [], []], ["float", "ScalarList", ""],
   ["", "[" + " " * 70 + "0, 1]", ""])
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
END
"$aqueduct" import "$work/inputs.json" --name inputs -q > /dev/null
"$aqueduct" stats inputs --by shape --json > "$work/out"
work_of() { # SHAPE: its known operators, unknown calls and operations
  jq -c --arg name "$1" '.groups[] | select(.name == $name) | [.ops, .unknown_calls, .flops]' \
    "$work/out"
}
check "a number beside a tensor is no tensor" [ "$(work_of 'aten::mul(f32[8])')" = '[1,0,8]' ]
check "a tensor of another type is not taken for a number" \
  [ "$(work_of 'aten::mul(f32[8], ?[8])')" = '[0,1,null]' ]
check "nor one of more than 8 dimensions" \
  [ "$(work_of 'aten::add(f32[1,1,1,1,1,1,1,1,?], f32[2])')" = '[0,1,null]' ]
check "nor one whose shape is no list of numbers" \
  [ "$(work_of 'aten::add(f32[?], f32[2])')" = '[0,1,null]' ]
check "they are counted, and the first is named" \
  [ "$(jq -c '.context | [.unreadable_ops, .first_unreadable]' "$work/out")" \
  = '[3,"aten::mul(f32[8], ?[8])"]' ]
all=$(printf ', f32[4]%.0s' $(seq 40))
check "a shape has all inputs" [ "$(work_of "aten::cat(${all#, })")" = '[0,1,null]' ]
check "and the whole name" \
  [ "$(work_of "aten::$(printf 'x%.0s' $(seq 600))(f32[5])")" = '[0,1,null]' ]
# 64 elements are read, 16 are left: sums over two dimensions.
check "a long value is read whole" [ "$(jq -c '.groups[] |
  select(.name == "aten::sum(f32[2,2,2,2,2,2])") | .work_bytes' "$work/out")" = 320 ]
try "$aqueduct" stats inputs --by family
check "the table says how many are not readable" contains "$out" \
  "3 of 7 ops with inputs of an unreadable type or shape"

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

# rpd records no ops: kernels have the families of their names, as Kineto's have.
rpd=${AQ_DATA:-$srcdir/../shared/data}/measured/raw/rpd_raptor_mytrace.rpd.gz
if [ -f "$rpd" ]; then
  zcat "$rpd" > "$work/raptor.rpd"
  "$aqueduct" import "$work/raptor.rpd" --name raptor -q > /dev/null 2>&1
  "$aqueduct" stats raptor --by family --json > "$work/stats.json"
  python3 - "$work/raptor.rpd" "$work/stats.json" "$work/kineto.json" > "$work/out" << 'END'
import json, sqlite3, sys
names = {"gemm": ("Cijk_", "wvSpltK"), "norm": ("rms_norm",),
         "attention": ("Fmha", "paged_attention")}
rows = sqlite3.connect(sys.argv[1]).execute(
    "SELECT s.string, o.start, o.end FROM rocpd_op o JOIN rocpd_string s"
    " ON s.id = o.description_id ORDER BY o.start").fetchall()
told = {g["name"]: (g["calls"], g["kernel"]["total_ns"])
        for g in json.load(open(sys.argv[2]))["groups"]}
for family, parts in names.items():
    found = [end - start for name, start, end in rows
             if any(part in name for part in parts)]
    print(family, told.get(family) == (len(found), sum(found)) and len(found) > 60)
base = rows[0][1]
json.dump({"traceEvents": [
    {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 0, "ts": (start - base) / 1000,
     "dur": (end - start) / 1000, "args": {"device": 0, "stream": 0}}
    for name, start, end in rows if name]}, open(sys.argv[3], "w"))
END
  check "rpd_raptor_mytrace: a reader of its own agrees on gemm, attention and norm" \
    [ "$(grep -c True "$work/out")" = 3 ]
  "$aqueduct" import "$work/kineto.json" --name kineto -q > /dev/null 2>&1
  "$aqueduct" stats kineto --by family --json > "$work/kineto"
  families() { jq -c '[.groups[] | select(.name != "copy" and .name != "other kernels") |
    [.name, .calls, .kernel.total_ns]] | sort' "$1"; }
  check "and the same kernels in a profile of Kineto have the same families" \
    [ "$(families "$work/kineto")" = "$(families "$work/stats.json")" ]
else
  skip "rpd_raptor_mytrace: a reader of its own agrees on gemm, attention and norm" \
    "no published traces in AQ_DATA"
fi

# Four ranks; two process groups of the same operation, one all-reduce of all.
python3 - "$work/ranks.json" << 'END'
import json, sys
events, number = [], 0
def collective(rank, name, group, ranks, at, dur, elements=100):
    global number
    number += 1
    def add(cat, name, pid, tid, at, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": at,
                       "dur": dur, "args": args})
    add("cpu_op", "record_param_comms", 100 + rank, 1, number * 10, 9, **{
        "External id": number, "Collective name": name, "dtype": "Float",
        "In msg nelems": elements, "Out msg nelems": elements, "Group size": len(ranks),
        "Process Group Name": group, "Process Group Ranks": str(ranks)})
    add("cuda_runtime", "hipLaunchKernel", 100 + rank, 1, number * 10 + 1, 2, correlation=number,
        rank=rank)
    add("kernel", "ncclDevKernel_Generic", rank, 8, at, dur, correlation=number, device=rank,
        stream=8, rank=rank)
def work(rank, at, dur):
    events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": rank, "tid": 7, "ts": at,
                   "dur": dur, "args": {"device": rank, "stream": 7, "rank": rank}})
for rank in range(4):
    pair = [rank // 2 * 2, rank // 2 * 2 + 1]
    for i in range(2):
        collective(rank, "allreduce", str(pair[0]), pair, 1000 + 500 * i + 10 * rank, 100)
    collective(rank, "allreduce", "9", [0, 1, 2, 3], 3000 + (0, 30, 100, 20)[rank], 200)
work(2, 3010, 50)                               # while the others wait for rank 2
collective(0, "broadcast", "9", [0, 1, 2, 3], 4000, 5)   # of one rank alone
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
END
"$aqueduct" import "$work/ranks.json" --name ranks -q > /dev/null 2>&1
"$aqueduct" stats ranks --by collective --json > "$work/out"
check "collectives are matched by operation and process group" \
  [ "$(jq -c '.imbalance | [(.collectives | length), .unmatched_calls, .unnamed_calls]' \
    "$work/out")" = '[5,1,0]' ]
check "a rank comes last by its distance from the one before it" \
  [ "$(jq -c '.imbalance.collectives[4] | [.last_rank, .late_ns, .busy_ns, .ranks]' \
    "$work/out")" = '[2,70000,30000,4]' ]
check "ranks have what they made others wait, and what they waited" \
  [ "$(jq -c '[.imbalance.ranks[] | [.rank, .last, .late_ns, .waited_ns]]' "$work/out")" \
  = '[[0,0,0,120000],[1,2,20000,70000],[2,1,70000,20000],[3,2,20000,80000]]' ]
"$aqueduct" stats ranks --by collective --time 600us.. --json > "$work/out"
check "of a part of the run, collectives that lie in it are told" \
  [ "$(jq -c '.imbalance | [(.collectives | length), .outside, .unmatched_calls]' "$work/out")" \
  = '[1,4,1]' ]
"$aqueduct" stats ranks --by collective --time ..1900us --json > "$work/out"
check "of a part of the run, unmatched calls that lie in it are told" \
  [ "$(jq -c '.imbalance | [.outside, .first_outside, .unmatched_calls, .first_unmatched_calls]' \
    "$work/out")" = '[1,"allreduce f32[100], 4 ranks",0,null]' ]
try "$aqueduct" stats ranks --by collective --time 600us..
check "the table names the first one outside of the part" contains "$out" \
  "4 collectives with calls outside of the part (first: allreduce f32[100], 2 ranks)"
try "$aqueduct" stats ranks --by collective
check "the table says how many are unmatched" contains "$out" \
  "1 call unmatched: another rank of the group has fewer (first: broadcast f32[100], 4 ranks)"
# The call of one collective is lost: its kernel has no operation.
jq -c '.traceEvents |= map(select(.cat != "cuda_runtime" or .args.correlation != 1))' \
  "$work/ranks.json" > "$work/unnamed.json"
"$aqueduct" import "$work/unnamed.json" --name unnamed -q > /dev/null 2>&1
"$aqueduct" stats unnamed --by collective --json > "$work/out"
check "a kernel of RCCL without an operation is counted, with its name" \
  [ "$(jq -c '.imbalance | [.unnamed_calls, .first_unnamed_calls]' "$work/out")" \
  = '[1,"ncclDevKernel_Generic"]' ]
try "$aqueduct" stats unnamed --by collective
check "in the table, too" contains "$out" \
  "1 kernel of RCCL or NCCL without a recorded operation or rank (first: ncclDevKernel_Generic)"

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
name=mixrank_resnet_train_4rank
if [ -f "$data/$name.json.gz" ]; then
  "$aqueduct" import "$data/$name.json.gz" --name late -q > /dev/null 2>&1
  "$aqueduct" stats late --by collective --json > "$work/stats.json" 2> /dev/null
  check "$name: a reader of its own agrees on the ranks that came last" \
    python3 "$srcdir/tests/report/read_collectives.py" "$work/stats.json" "$data/$name.json.gz"
else
  skip "$name: a reader of its own agrees on the ranks that came last" \
    "no published traces in AQ_DATA"
fi
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
