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

cp "$plan" "$work/far/plans/bob's plan.json"
try "$aqueduct" sweep "$work/far/plans/bob's plan.json" --emit parallel \
  --shards 4 -o "$work/quoted"
check "a plan with a quote in its name has a folder" [ "$status" = 0 ]
try "$work/quoted/task.sh" 1
check "whose tasks run" contains "$err" "2 points: 2 run"

# The folder alone is enough, anywhere.
mv "$work/parallel" "$work/moved"
mv "$work/far" "$work/gone"
for i in 1 2 3; do "$work/moved/task.sh" $i 2> "$work/err.$i" || exit 1; done
try "$aqueduct" sweep --status "$work/moved"
check "a shard that did not run is missing" contains "$err" \
  "5 of 6 points done, 0 failed, 1 missing"
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
check "with the reason" contains "$err" "was changed after that"
sed -i 's/50us/40us/; ' "$work/moved/inputs/plans/plan.json"
try "$aqueduct" sweep "$work/moved/inputs/plans/plan.json" --folder \
  "$work/moved" --shard 1/5 --store "$work/x.db"
check "another number of shards is refused" contains "$err" "of 4 shards"

# SIGTERM: the points at work leave nothing, the others stay. The last points
# that begin hold until they are killed.
${AQ_CC:-cc} -Wall -Wextra -Werror -O1 -fPIC -shared \
  -I"${AQ_BUILDDIR:-.}/public" -o "$work/hold.so" \
  "$srcdir/tests/study/sweep/hold_policy.c" || exit 1
cp "$srcdir/tests/cli/clients.json" "$work/clients.json"
sed 's|"fifo",|"fifo", "./hold.so",|; s/"count": 3/"count": 6/' \
  "$srcdir/tests/cli/plan.json" > "$work/plan.json"
mkdir "$work/held"
AQ_HOLD=$work/held
export AQ_HOLD
holding() { # COUNT: so many points hold
  left=2400
  until [ "$(find "$work/held" -type f | wc -l)" -ge "$1" ]; do
    left=$((left - 1))
    [ $left -gt 0 ] || exit 1
    sleep 0.05
  done
}
"$aqueduct" sweep "$work/plan.json" --store "$work/t.db" --jobs 2 \
  --policy-timeout none > "$work/t.out" 2> "$work/t.err" &
child=$!
# Points that have ended may wait for a batch, some ms.
within_5_s() { # COMMAND…
  left=100
  until "$@"; do
    left=$((left - 1))
    [ $left -gt 0 ] || return 1
    sleep 0.05
  done
}
stored_are() { # STORE COUNT
  [ "$("$aqueduct" list runs --store "$1" --names 2> "$work/x" | wc -l)" = "$2" ]
}
status_has() { # FOLDER LINE
  try "$aqueduct" sweep --status "$1"
  contains "$out" "$2"
}
holding 2
within_5_s stored_are "$work/t.db" 6
kill -TERM $child
wait $child
status=$?
out=$(cat "$work/t.out")
err=$(cat "$work/t.err")
check "SIGTERM ends a sweep" [ $status = 143 ]
check "which says how to continue" contains "$err" "the same command continues"
check "with the points that were done" [ "$(echo "$out" | wc -l)" = 6 ]
check "and leaves no part of a run" [ -z "$("$aqueduct" list runs \
  --store "$work/t.db" --json | grep -i incomplete)" ]

# The same in a task: its store has all points that it reported, whichever of
# its processes the signal reaches.
cat > "$work/patient" << SH
#!/bin/sh
[ "\$1" = sweep ] || exec "$(realpath "$aqueduct")" "\$@"
shift
exec "$(realpath "$aqueduct")" sweep --policy-timeout none "\$@"
SH
mkdir "$work/bin"
cat > "$work/bin/cp" << SH
#!/bin/sh
kill -TERM 0
exec $(command -v cp) "\$@"
SH
chmod +x "$work/patient" "$work/bin/cp"
stored() { # FOLDER SHARD
  "$aqueduct" list runs --store "$1/stores/$2.db" --names 2> "$work/x" | wc -l
}
said() { # FOLDER SHARD
  grep -c '^done' "$1/progress/$2.log"
}
for how in "task" "all its processes" "its sweep, at once" "its copy"; do
  rm -rf "$work/term" "$work/held"
  mkdir "$work/held"
  "$aqueduct" sweep "$work/plan.json" --emit parallel --shards 2 \
    -o "$work/term" -q
  path=$PATH
  [ "$how" != "its copy" ] || path=$work/bin:$PATH
  AQUEDUCT=$work/patient PATH=$path setsid "$work/term/task.sh" 1 \
    > "$work/x" 2>&1 &
  child=$!
  holding 1
  worker=$(ls "$work/held")
  check "$how: a shard that runs holds its points" within_5_s status_has \
    "$work/term" "1 running     36    0      0    3      33"
  check "its number is not in the command" contains "$err" "--array=2 array"
  case $how in
  task | "its copy") kill -TERM $child ;;
  "its sweep, at once") kill -KILL "$(ps -o ppid= -p "$worker" | tr -d ' ')" ;;
  *) kill -TERM -$child ;;
  esac
  wait $child
  check "$how: killed, and all that was done is kept" \
    [ "$(said "$work/term" 1).$(stored "$work/term" 1)" = 3.3 ]
  try "$aqueduct" sweep --status "$work/term"
  check "the status counts it" contains "$out" \
    "1 stopped     36    3      0    0      33"
  check "nothing is left beside the store" [ "$(ls "$work/term/stores")" = 1.db ]
done

# A report without a store is no point.
rm "$work/term/stores/1.db"
try "$aqueduct" sweep --status "$work/term"
check "points whose store is gone are missing" contains "$out" \
  "1 stopped     36    0      0    0      36"
check "and to be made again" contains "$err" "--array=1,2 array.sbatch"

# As many points at work as Slurm gave cores: each holds.
cores=$(($(nproc) + 3))
rm -rf "$work/held"
mkdir "$work/held"
SLURM_CPUS_PER_TASK=$cores "$aqueduct" sweep "$work/plan.json" --store \
  "$work/jobs.db" --policy-timeout none > "$work/t.out" 2> "$work/t.err" &
child=$!
holding $cores
kill -TERM $child
wait $child
check "a task has as many processes as Slurm gave it cores" \
  [ "$(find "$work/held" -type f | wc -l)" = $cores ]
unset AQ_HOLD
for words in "--emit slurm" "--shards 2" "--status /nowhere"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" sweep $words
  check "$words alone is refused" [ "$status" = 2 ]
done
finish
