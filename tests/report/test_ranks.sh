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
def trace(path, rank, ahead, ends, drift=0, elements=100, pid=100, group="0", base=0,
          more=(), waits=False):
    events, number = [], 0
    def add(cat, name, pid, tid, at, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid,
                       "ts": at + ahead, "dur": dur, "args": args})
    def launch(name, stream, at, dur):
        nonlocal number
        number += 1
        add("cuda_runtime", "hipLaunchKernel", pid, 1, at - 50, 2, correlation=number)
        add("kernel", name, 0, stream, at, dur, correlation=number, device=0, stream=stream)
    def collective(name, elements, group, at):
        add("cpu_op", "record_param_comms", pid, 1, at - 60, 20, **{
            "External id": 1000 + number, "Collective name": name, "dtype": "Float",
            "In msg nelems": elements, "Out msg nelems": elements, "Group size": 2,
            "Process Group Name": group, "Process Group Ranks": "[0, 1]"})
        launch("ncclDevKernel_Generic", 8, at, 10)
    for i, end in enumerate(ends):
        before = 10 if (rank or 0) % 2 == i % 2 else 300
        begin = end - before + drift * i
        add("cpu_op", "aten::mm", pid, 1, end - 880, 100, **{"External id": 2 * i + 1})
        launch("gemm", 7, end - 800, 100)
        add("cpu_op", "record_param_comms", pid, 1, begin - 60, 20, **{"External id": 2 * i + 2,
            "Collective name": "allreduce", "dtype": "Float", "In msg nelems": elements,
            "Out msg nelems": elements, "Group size": 2, "Process Group Name": group,
            "Process Group Ranks": "[0, 1]"})
        launch("ncclDevKernel_Generic", 8, begin, before)
        if waits:    # returns 3 us before the end of its work
            add("cuda_runtime", "hipDeviceSynchronize", pid, 1, begin - 30, before + 27,
                correlation=5000 + i)
    for one in more:
        collective(*one)
    document = {"traceEvents": events, "baseTimeNanoseconds": base}
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
trace("more0.json", 0, 0, ends, more=[("allgather", 5, "0", 11000), ("broadcast", 5, "0", 11200),
    ("allreduce", 6, "0", 11400), ("allreduce", 6, "0", 11600)])
trace("more1.json", 1, 0, ends, more=[("allreduce", 6, "0", 11400)])
trace("waits.json", 1, 0, ends, waits=True)
trace("unnamed.json", None, 0, ends)
day = 86400 * 10 ** 9
trace("days25.json", 1, 0, ends, base=25 * day)
trace("days27.json", 1, 0, ends, base=27 * day)
# Ranks 0 and 2 have no group in common; rank 1 is in both.
ends2 = [end + 500 for end in ends]
trace("way0.json", 0, 0, ends)
trace("way1.json", 1, 70, ends, more=[("allreduce", 9, "1", end - 10) for end in ends2])
trace("way2.json", 2, 50000, [], more=[("allreduce", 9, "1", end - 10) for end in ends2])
# Each rank is in a step of its own when its memory is at its peak: on its GPU outside of
# an operator, on the host inside of one.
for rank, step, ahead, size in ((0, 3, 0, 10), (1, 8, 40000, 100)):
    one = json.load(open(f"{sys.argv[1]}/r{rank}.json"))
    one["traceEvents"].append({"ph": "X", "cat": "user_annotation", "pid": 100, "tid": 9,
        "name": f"ProfilerStep#{step}", "ts": ahead + 1, "dur": 20000, "args": {}})
    for kind, device, at in ((1, 0, 20), (0, -1, 125 + rank)):
        one["traceEvents"].append({"ph": "i", "cat": "cpu_instant_event", "name": "[memory]",
            "pid": 100, "tid": 1, "ts": ahead + at, "s": "t", "args": {"Bytes": size,
            "Addr": 4096, "Device Type": kind, "Device Id": device,
            "Total Allocated": size, "Total Reserved": size}})
    json.dump(one, open(f"{sys.argv[1]}/memory{rank}.json", "w"))
both = json.load(open(f"{sys.argv[1]}/r0.json"))
del both["distributedInfo"]
for i, e in enumerate(both["traceEvents"]):
    e["args"]["rank"] = 4 + (i >= 30)
json.dump(both, open(f"{sys.argv[1]}/both.json", "w"))
END
try "$aqueduct" import --ranks "$work/r0.json" "$work/r1.json" --name two
check "the files of several ranks become one run" [ "$out" = 1 ]
check "the shift of a clock and its uncertainty are told" contains "$err" \
  "-40000.000 us +- 0.000 us clock offset, by 10 collectives with rank 0: corrected"
check "processes of one id are kept apart" contains "$err" \
  "rank 1: process ids also used by another rank"
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

AQUEDUCT_STORE=$work/apart.db
export AQUEDUCT_STORE
note="if they are of one program, import --ranks makes one run of them, with aligned clocks"
try "$aqueduct" import "$work/r0.json" "$work/r1.json"
check "files of ranks are runs without --ranks, and a line names it" contains "$err" \
  "2 files of different ranks: $note"
check "they are two runs" [ "$out" = "1
2" ]
for rank in 0 1 2; do
  sed 's/{"rank": 1}/{"backend": "nccl", "rank": '$rank', "world_size": 4}/' "$work/r1.json" > "$work/of4_$rank.json"
done
sed 's/"world_size": 4/"world_size": 8/' "$work/of4_1.json" > "$work/of8.json"
try "$aqueduct" import "$work/of4_2.json" "$work/of4_0.json" "$work/of4_1.json"
check "also of how many" contains "$err" "3 files of different ranks of 4: $note"
try "$aqueduct" import "$work/of4_0.json" "$work/of4_1.json" -q
check "but with --quiet" [ "$status $err" = "0 " ]
for other in of4_0 of8 unnamed r1; do
  try "$aqueduct" import "$work/of4_0.json" "$work/$other.json"
  check "not of $other, which is another program's or names no other rank" [ "${err#*--ranks}" = "$err" ]
done
unset AQUEDUCT_STORE

try "$aqueduct" import --ranks "$work/memory0.json" "$work/memory1.json" --name memory
"$aqueduct" stats memory --memory --json > "$work/out"
check "the peak of a rank's memory is in the rank's step" [ "$(jq -c \
  '[.devices[] | [.device, .peak_bytes, .peak_op, .peak_step]]' "$work/out")" \
  = '[[0,10,null,3],[1,100,null,8],[null,110,"aten::mm",8]]' ]

try "$aqueduct" import --ranks "$work/r0.json" "$work/near.json" --name near
check "a shift within its uncertainty is none" contains "$err" \
  "-3.000 us +- 9.000 us clock offset, by 10 collectives"
try "$aqueduct" import --ranks "$work/four.json" "$work/few.json"
check "of few collectives, no ends before a begin is certain" contains "$err" \
  "-40000.000 us +- 10.000 us clock offset, by 4 collectives"
try "$aqueduct" import --ranks "$work/r0.json" "$work/drift.json"
check "a clock that drifts is told" contains "$err" "ended before the other rank began: clock drift"
try "$aqueduct" import --ranks "$work/four.json" "$work/few_drift.json" --name few_drift
check "of few collectives of a clock that drifts, the farthest one is certain" \
  contains "$err" "-40120.000 us +- 120.000 us clock offset, by 4 collectives"
try "$aqueduct" import --ranks "$work/r0.json" "$work/r1.json" --json -q
check "as a document, too" [ "$(jq -r '.[0].notes.ranks[1].found_ns' "$work/out")" = -40000000 ]

try "$aqueduct" import --ranks "$work/more0.json" "$work/more1.json" --name more
check "collectives of some ranks alone are counted, and the first is named" contains "$err" \
  "rank 0: skipped 3 collective calls: no other rank with as many (first: allgather f32[5], 2 ranks)"
check "on each rank" contains "$err" \
  "rank 1: skipped 1 collective call: no other rank with as many (first: allreduce f32[6], 2 ranks)"
check "the notes have them" [ "$("$aqueduct" show more --json |
  jq -c '[.notes.ranks[] | [.skipped, .first_skipped, .collectives]]')" \
  = '[[3,"allgather f32[5], 2 ranks",0],[1,"allreduce f32[6], 2 ranks",10]]' ]
try "$aqueduct" stats more --by collective
check "stats names the first of the unmatched ones" contains "$out" \
  "5 calls unmatched: another rank of the group has fewer (first: allgather f32[5], 2 ranks)"

try "$aqueduct" import --ranks "$work/way0.json" "$work/way2.json" "$work/way1.json" --name way
check "a rank is aligned by way of a third one" contains "$err" \
  "way2.json: -50000.000 us +- 0.000 us clock offset, by 10 collectives with rank 1: corrected"
check "which is aligned before it" contains "$err" \
  "way1.json: -70.000 us +- 0.000 us clock offset, by 10 collectives with rank 0: corrected"

try "$aqueduct" import --ranks "$work/r0.json" "$work/waits.json"
check "clocks of host and device that differ are told, too" contains "$err" \
  "waits.json: 5 of 5 waits return up to 3.0 us before the end of their work: clocks of host and device differ"

try "$aqueduct" import --ranks "$work/unnamed.json" "$work/r1.json" --name placed
check "a file that names no rank gets its place, and that is told" contains "$err" \
  "rank 0: $work/unnamed.json names no rank: numbered by its place among the files"
check "the run's notes keep it" [ "$("$aqueduct" show placed --json |
  jq -c '[.notes.ranks[] | [.rank, .placed]]')" = '[[0,true],[1,false]]' ]
try "$aqueduct" import --ranks "$work/r1.json" "$work/unnamed.json"
check "a place that is another file's rank is refused" contains "$err" \
  "unnamed.json: names no rank, and its place among the files, 1, is the rank that $work/r1.json names"
try "$aqueduct" import --ranks "$work/unnamed.json" "$work/r0.json"
check "wherever that file stands" contains "$err" \
  "unnamed.json: names no rank, and its place among the files, 0, is the rank that $work/r0.json names"
try "$aqueduct" import --ranks "$work/r0.json" "$work/both.json"
check "a file of several ranks is refused" contains "$err" \
  "both.json: has ranks 4 and 5: --ranks takes a file for each rank"
try "$aqueduct" import --ranks "$work/r0.json" "$work/days25.json" --name days
check "clocks 25 days apart are aligned" contains "$err" \
  "-2160000000000.000 us +- 0.000 us clock offset"
try "$aqueduct" import --ranks "$work/r0.json" "$work/days27.json"
check "clocks 27 days apart are refused" contains "$err" \
  "rank 1: its clock is more than 26 days away from that of rank 0"

try "$aqueduct" import --ranks "$work/r0.json" "$work/other.json"
check "ranks without a common collective are refused" contains "$err" \
  "rank 1: no collective that waits for all ranks is recorded on it as often as on another"
try "$aqueduct" import --ranks "$work/r0.json" "$work/four.json"
check "two files of one rank are refused" contains "$err" "four.json: is rank 0, as is"
try "$aqueduct" import --ranks "$work/r0.json"
check "one file is no program of ranks" contains "$err" \
  "--ranks: 1 file, expected one for each of several ranks"
mkdir "$work/none" "$work/ranks"
try "$aqueduct" import --ranks "$work/none"
check "nor is an empty directory" contains "$err" "--ranks: 0 files in $work/none, expected one"
cp "$work/r0.json" "$srcdir/tests/trace/data/rocprofv3.json" "$work/ranks"
try "$aqueduct" import --ranks "$work/ranks"
check "another file in it is refused by name" contains "$err" \
  "ranks/rocprofv3.json: --ranks reads kineto profiles"
try "$aqueduct" import --ranks "$work/r0.json" "$srcdir/tests/trace/data/rocprofv3.json"
check "other formats are refused by name" contains "$err" "--ranks reads kineto profiles"
check "what is refused leaves no run" [ "$("$aqueduct" list runs --json | jq length)" = 12 ]
rm "$work"/ranks/*
cp "$work/r1.json" "$work/ranks/rank2.json" # the numbers in the names order files
cp "$work/r0.json" "$work/ranks/rank10.json"
cp "$work/near.json" "$work/ranks/.rank3.json"
try "$aqueduct" import --ranks "$work/ranks" --name directory
check "the files of a directory are the ranks, but for hidden ones" [ "$status" = 0 ]
check "in the order of their numbers" \
  [ "$("$aqueduct" show directory --json | jq -r .source)" = \
  "rank 1: $work/ranks/rank2.json; rank 0: $work/ranks/rank10.json" ]

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
