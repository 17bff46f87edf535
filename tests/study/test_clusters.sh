#!/bin/sh
# SPDX-License-Identifier: MIT
# The folder of a sweep for a cluster, without one.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

mkdir -p "$work/far/plans" "$work/far/models"
cp "$srcdir/tests/cli/clients.json" "$work/far/models/c.json"
echo "base = mi300x ; same part" > "$work/far/models/own.device"
cat > "$work/far/plans/plan.json" << 'JSON'
{"version": 1, "name": "far",
 "workloads": [{"file": "../models/c.json", "parameters": {"rate": "40us"}}],
 "devices": ["../models/own.device"], "policies": ["fifo", "edf"],
 "seeds": {"count": 3}}
JSON
plan=$work/far/plans/plan.json
"$aqueduct" sweep "$plan" --store "$work/one.db" -q > "$work/ids"
study() {
  "$aqueduct" study --plan far --store "$1" --json |
    grep -v '"device"\|^ *[0-9]*,\?$' # the path, and numbers of runs
}
study "$work/one.db" > "$work/one.txt"

for engine in parallel condor; do
  try "$aqueduct" sweep "$plan" --emit $engine --shards 4 -o "$work/$engine"
  check "$engine: a folder is written" [ "$status" = 0 ]
done
check "it has every file that the plan names" \
  [ -f "$work/parallel/inputs/models/own.device" ]
check "and the keys of all points" \
  [ "$(grep -c '^point ' "$work/parallel/MANIFEST")" = 6 ]
check "a shard is a line" [ "$(tail -1 "$work/parallel/commands.txt")" = \
  "./task.sh 4" ]
check "condor's array is as long" grep -q "seq 1 4" "$work/condor/sweep.sub"
try "$aqueduct" sweep "$plan" --emit parallel --shards 4 -o "$work/parallel"
check "a folder with files is left alone" [ "$status" = 2 ]
check "and named" contains "$err" "an empty or a new folder expected"

# The folder alone is enough, anywhere.
mv "$work/parallel" "$work/moved"
mv "$work/far" "$work/gone"
for i in 1 2 3; do "$work/moved/task.sh" $i 2> "$work/err.$i" || exit 1; done
try "$aqueduct" sweep --status "$work/moved"
check "a shard that did not run is missing" contains "$err" \
  "5 of 6 points are done, 0 failed, 1 missing"
check "its number is said" contains "$err" "sbatch --array=4 array.sbatch"
check "and the exit status is 1" [ "$status" = 1 ]
try "$aqueduct" sweep --status "$work/moved" --json
check "as a document too" contains "$out" '"missing": 1'
try "$work/moved/merge.sh"
check "a merge fails without it" [ "$status" = 1 ]
try "$aqueduct" study --plan far --store "$work/moved/study.db"
check "a study fails too" [ "$status" = 1 ]
check "and counts" contains "$err" "5 of 6 points of plan far"
try "$work/moved/task.sh" 4
try "$work/moved/merge.sh"
check "with it the merge succeeds" [ "$status" = 0 ]
study "$work/moved/study.db" > "$work/moved.txt"
check "and the study is that of one machine" cmp "$work/one.txt" \
  "$work/moved.txt"

# A shard runs the emitted plan and no other.
sed -i 's/40us/50us/' "$work/moved/inputs/plans/plan.json"
try "$work/moved/task.sh" 2
check "a changed plan is refused" [ "$status" = 2 ]
check "with the reason" contains "$err" "was changed after --emit"
sed -i 's/50us/40us/; ' "$work/moved/inputs/plans/plan.json"
try "$aqueduct" sweep "$work/moved/inputs/plans/plan.json" --folder \
  "$work/moved" --shard 1/5 --store "$work/x.db"
check "another number of shards is refused" contains "$err" "of 4 shards"

# SIGTERM: the points at work leave nothing, the others stay.
sed 's/"requests": [0-9][0-9]*/"requests": 20000/' \
  "$srcdir/tests/cli/clients.json" > "$work/clients.json"
sed 's/"count": 3/"count": 40/' "$srcdir/tests/cli/plan.json" \
  > "$work/plan.json"
"$aqueduct" sweep "$work/plan.json" --store "$work/t.db" --jobs 2 \
  > "$work/t.out" 2> "$work/t.err" &
child=$!
sleep 1
kill -TERM $child
wait $child
status=$?
out=$(cat "$work/t.out")
err=$(cat "$work/t.err")
check "SIGTERM ends a sweep" [ $status = 143 ]
check "which says how to continue" contains "$err" "the same command continues"
check "and leaves no part of a run" [ -z "$("$aqueduct" list runs \
  --store "$work/t.db" --json | grep -i incomplete)" ]

SLURM_CPUS_PER_TASK=3 "$aqueduct" sweep "$work/moved/inputs/plans/plan.json" \
  --store "$work/jobs.db" --tasks 1 > "$work/x"
check "Slurm's number of cores is accepted" [ -s "$work/x" ]
for words in "--emit slurm" "--shards 2" "--status /nowhere"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" sweep $words
  check "$words alone is refused" [ "$status" = 2 ]
done
finish
