#!/bin/bash
# SPDX-License-Identifier: MIT
# A run of several ranks, a file for each: clocks are aligned by collectives. A published
# profile is split into its ranks, with their clocks moved.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# Ranks whose all-reduces end at 1000, 2000, ... us; the clock of rank 1 is 40 ms ahead.
# The last rank begins 10 us before the end.
python3 - "$work" << 'END'
import json, sys
def trace(path, rank, ahead, ends, drift=0, elements=100, pid=100):
    events, number = [], 0
    def add(cat, name, pid, tid, at, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid,
                       "ts": at + ahead, "dur": dur, "args": args})
    def launch(name, stream, at, dur):
        nonlocal number
        number += 1
        add("cuda_runtime", "hipLaunchKernel", pid, 1, at - 50, 2, correlation=number)
        add("kernel", name, 0, stream, at, dur, correlation=number, device=0, stream=stream)
    for i, end in enumerate(ends):
        before = 10 if rank == i % 2 else 300
        begin = end - before + drift * i
        add("cpu_op", "aten::mm", pid, 1, end - 880, 100, **{"External id": 2 * i + 1})
        launch("gemm", 7, end - 800, 100)
        add("cpu_op", "record_param_comms", pid, 1, begin - 60, 20, **{"External id": 2 * i + 2,
            "Collective name": "allreduce", "dtype": "Float", "In msg nelems": elements,
            "Out msg nelems": elements, "Group size": 2, "Process Group Name": "0",
            "Process Group Ranks": "[0, 1]"})
        launch("ncclDevKernel_Generic", 8, begin, before)
    document = {"traceEvents": events, "baseTimeNanoseconds": 0}
    if rank is not None:
        document["distributedInfo"] = {"rank": rank}
    json.dump(document, open(f"{sys.argv[1]}/{path}", "w"))
ends = [1000 * i for i in range(1, 11)]
trace("r0.json", 0, 0, ends)
trace("r1.json", 1, 40000, ends)
trace("near.json", 1, 3, [end + (-9, 9)[i % 2] for i, end in enumerate(ends)])
trace("few.json", 1, 40000, ends[:4])
trace("four.json", 0, 0, ends[:4])
trace("drift.json", 1, 40000, ends, drift=80)
trace("few_drift.json", 1, 40000, ends[:4], drift=80)
trace("other.json", 1, 0, ends, elements=7)
END
try "$aqueduct" import --ranks "$work/r0.json" "$work/r1.json" --name two
check "the files of several ranks become one run" [ "$out" = 1 ]
check "the shift of a clock and its uncertainty are told" contains "$err" \
  "clock moved: -40000.000 us, within 0.000 us, by 10 collectives with rank 0"
check "processes of one id are kept apart" contains "$err" \
  "rank 1: its process ids are another rank's too"
"$aqueduct" stats two --by rank --json > "$work/out"
check "each file is a rank" [ "$(jq -c '[.groups[] | [.key, .calls]] | sort' "$work/out")" \
  = '[[0,20],[1,20]]' ]
"$aqueduct" stats two --by collective --json > "$work/out"
check "the rank that came last is told from the one that waited" \
  [ "$(jq -c '[.imbalance.ranks[] | [.last, .late_ns, .waited_ns]]' "$work/out")" \
  = '[[5,1450000,1450000],[5,1450000,1450000]]' ]
"$aqueduct" stats two --by op --json > "$work/out"
check "ops of all ranks are there" [ "$(jq -c '[.groups[] | [.name, .calls]] | sort' \
  "$work/out")" = '[["aten::mm",20],["record_param_comms",20]]' ]
check "the notes have the clocks" [ "$("$aqueduct" show two --json |
  jq -c '[.notes.ranks[] | [.rank, .shift_ns, .collectives]]')" \
  = '[[0,0,0],[1,-40000000,10]]' ]
check "the store is sound" "$aqueduct" store check

try "$aqueduct" import --ranks "$work/r0.json" "$work/near.json" --name near
check "a shift within its uncertainty is none" contains "$err" \
  "clock kept: -3.000 us, within 9.000 us, by 10 collectives"
try "$aqueduct" import --ranks "$work/four.json" "$work/few.json"
check "of few collectives, no ends before a begin is certain" contains "$err" \
  "clock moved: -40000.000 us, within 10.000 us, by 4 collectives"
try "$aqueduct" import --ranks "$work/r0.json" "$work/drift.json"
check "a clock that drifts is told" contains "$err" "end before the other rank begins: its clock drifts"
try "$aqueduct" import --ranks "$work/four.json" "$work/few_drift.json" --name few_drift
check "of few collectives of a clock that drifts, the farthest one is certain" \
  contains "$err" "clock moved: -40120.000 us, within 120.000 us, by 4 collectives"
try "$aqueduct" import --ranks "$work/r0.json" "$work/r1.json" --json -q
check "as a document, too" [ "$(jq -r '.[0].notes.ranks[1].found_ns' "$work/out")" = -40000000 ]

try "$aqueduct" import --ranks "$work/r0.json" "$work/other.json"
check "ranks without a common collective are refused" contains "$err" \
  "rank 1: no collective that waits for all ranks is recorded on it as often as on another"
try "$aqueduct" import --ranks "$work/r0.json" "$work/four.json"
check "two files of one rank are refused" contains "$err" "four.json: is rank 0, as is"
try "$aqueduct" import --ranks "$work/r0.json"
check "one file is no program of ranks" contains "$err" "expected a file for each of several ranks"
try "$aqueduct" import --ranks "$work/r0.json" "$srcdir/tests/trace/data/rocprofv3.json"
check "other formats are refused by name" contains "$err" "--ranks reads kineto profiles"
check "what is refused leaves no run" [ "$("$aqueduct" list runs --json | jq length)" = 6 ]

name=mixrank_resnet_train_4rank
data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw/$name.json.gz
if [ ! -f "$data" ]; then
  skip "$name: its ranks, apart and joined" "no published traces in AQ_DATA"
  finish
  exit
fi
shifts=(0 5000000000 -123456789 2000)
python3 "$srcdir/tests/report/split_ranks.py" "$data" "$work" "${shifts[@]}"
"$aqueduct" import --ranks "$work"/rank[0-3].json --name joined -q > /dev/null
"$aqueduct" import "$data" --name merged -q > /dev/null 2>&1
for rank in 1 2 3; do
  check "$name: the shift of rank $rank is found within its uncertainty" \
    [ "$("$aqueduct" show joined --json | jq --argjson of "${shifts[$rank]}" \
      --argjson rank $rank '.notes.ranks[$rank] |
      (.found_ns + $of | fabs) <= .uncertainty_ns and .uncertainty_ns < 50000')" = true ]
done
for by in rank op collective kernel; do
  for run in joined merged; do
    "$aqueduct" stats $run --by $by --json |
      jq -c '[.groups[] | [.name // .key, .calls, .kernel.total_ns]] | sort' > "$work/$run.out"
  done
  check "$name: joined, it is as the merged profile by $by" \
    cmp "$work/joined.out" "$work/merged.out"
done
finish
