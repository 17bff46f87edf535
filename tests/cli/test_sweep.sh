#!/bin/sh
# SPDX-License-Identifier: MIT
# Sweeps: every point once, the same however they are shared, and again only
# missing points.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
plan=$srcdir/tests/cli/plan.json

# The requests of every point, whatever the numbers of its runs.
contents() { # STORE
  sqlite3 "$1" "SELECT r.point, r.content_key, r.summary, q.number, q.client,
    q.entry, q.arrival, q.begin, q.complete, q.deadline, q.calls, q.commands,
    q.hint, q.rejected FROM runs r JOIN requests q ON q.run = r.id
    WHERE r.complete ORDER BY r.content_key, q.number"
}

same() { # STORE STORE
  contents "$1" > "$work/x"
  contents "$2" > "$work/y"
  [ -s "$work/x" ] && cmp -s "$work/x" "$work/y"
}

try "$aqueduct" sweep "$plan" --store "$work/one.db" --jobs 1
check "every point is run and its id printed" [ "$(echo "$out" | wc -l)" = 30 ]
check "and the points are counted" contains "$err" \
  "30 points: 30 run, 0 had been run before, 0 failed"
first=$out

try "$aqueduct" sweep "$plan" --store "$work/one.db" --jobs 1
check "nothing is run again" contains "$err" "0 run, 30 had been run before"
check "and the ids are those of before" [ "$out" = "$first" ]

for i in 1 2 3; do
  "$aqueduct" sweep "$plan" --store "$work/$i.db" --jobs 2 --shard $i/3 -q \
    > /dev/null || exit 1
done
"$aqueduct" store merge "$work/1.db" "$work/2.db" "$work/3.db" \
  --store "$work/parts.db" -q > /dev/null || exit 1
try "$aqueduct" sweep "$plan" --store "$work/parts.db" --jobs 2
check "shards are all of it" contains "$err" "0 run, 30 had been run before"

if command -v sqlite3 > /dev/null; then
  check "results are the same however points are shared" \
    same "$work/one.db" "$work/parts.db"
  sqlite3 "$work/parts.db" "DELETE FROM runs WHERE id % 2"
  try "$aqueduct" sweep "$plan" --store "$work/parts.db" --json
  check "a sweep goes on where it was" contains "$out" '"made": 15'
  check "with the same results" same "$work/one.db" "$work/parts.db"
else
  skip "results are the same however points are shared" "no sqlite3"
fi

# Batches of any number of workers, in the order of the plan.
ordered() { # JOBS: also with their ids
  "$aqueduct" sweep "$plan" --store "$work/jobs.db" --jobs "$1" -q \
    > "$work/ids.$1" || exit 1
  sqlite3 "$work/jobs.db" "SELECT r.id, r.point, r.content_key, r.summary, q.*
    FROM runs r JOIN requests q ON q.run = r.id ORDER BY r.id, q.number" \
    > "$work/rows.$1"
  rm -f "$work/jobs.db"
}

# A disk without room for a batch: none of its points is in the store.
full() (
  trap '' XFSZ
  ulimit -f 200
  exec "$aqueduct" sweep "$plan" --store "$work/full.db" --jobs 2
)

if command -v sqlite3 > /dev/null; then
  for jobs in 1 2 5; do
    ordered $jobs
    check "$jobs workers give the same runs the same ids" \
      sh -c 'cmp "$1/ids.1" "$1/ids.$2" && cmp "$1/rows.1" "$1/rows.$2"' \
      sh "$work" $jobs
  done
  "$aqueduct" sweep "$plan" --store "$work/full.db" --shard 1/3 -q \
    > /dev/null || exit 1
  try full
  check "points that the disk has no room for fail, with the reason" \
    contains "$status $err" "full.db: "
  check "the store has whole points" \
    [ "$(sqlite3 "$work/full.db" "SELECT count(*) FROM runs
         WHERE NOT complete OR id NOT IN (SELECT run FROM requests)")" = 0 ]
  try "$aqueduct" sweep "$plan" --store "$work/full.db" --jobs 2
  check "a sweep with room runs the others" contains "$err" ", 0 failed"
  check "with the same results as if there had been room" \
    same "$work/one.db" "$work/full.db"
else
  skip "workers give the same runs the same ids" "no sqlite3"
fi

# Whatever a plan names by a path lies beside it.
mkdir "$work/beside"
cp "$srcdir/tests/cli/clients.json" "$work/beside"
echo "base = mi300x ; same part" > "$work/beside/own.device"
cat > "$work/beside/plan.json" << 'JSON'
{"version": 1, "name": "beside",
 "workloads": [{"file": "clients.json", "parameters": {"rate": "40us"}}],
 "devices": ["./own.device"]}
JSON
try "$aqueduct" sweep "$work/beside/plan.json" --store "$work/beside.db"
check "paths of models are seen from the plan's folder" contains "$err" \
  "1 point: 1 run"

for folder in a,b 'a*2'; do
  mkdir "$work/$folder"
  cp "$work/beside"/* "$work/$folder"
  try "$aqueduct" sweep "$work/$folder/plan.json" --store "$work/beside.db"
  check "$folder: a path that the folder's name would end is refused" \
    [ "$status" = 2 ]
  check "with the reason" contains "$err" "./own.device: '"
done

try "$aqueduct" study --store "$work/one.db" --plan small --baseline fifo
check "a study has a row for each set of points" \
  contains "$out" "two      rate=40us  mi300x edf,slots=2"
check "with what clients lose by each other, as some were alone" \
  contains "$out" "ANTT"
check "and pairs of equal seeds" contains "$out" "less that of fifo"
try "$aqueduct" study --store "$work/one.db" --plan small
table=$out
try env LC_ALL=C timeout 60 "$aqueduct" study --store "$work/one.db" --plan small
check "it is the same in the C locale" [ "$out" = "$table" ]
try "$aqueduct" study --store "$work/one.db" --json
first=$out
try "$aqueduct" study --store "$work/parts.db" --json
check "a study is the same however points were shared" \
  [ "$(echo "$first" | grep -v '^ *[0-9]*,*$')" = \
  "$(echo "$out" | grep -v '^ *[0-9]*,*$')" ]
for kind in cdf pareto lines; do
  try "$aqueduct" study --store "$work/one.db" --plot $kind
  check "a plot $kind is SVG" contains "$out" "</svg>"
done
check "lines have the parameter that differs below them" contains "$out" \
  ">rate (us)<"
check "and a policy's name in the legend, without it" contains "$out" ">fifo<"
try "$aqueduct" study 1 --store "$work/one.db" --plot lines
check "without such a parameter they are refused" contains "$err" \
  "no parameter of the plan is a number that differs"
try "$aqueduct" study 1 --store "$work/one.db" --plot gantt
check "a plot gantt is SVG" contains "$out" "<title>"
sed 's/"name": "a"/&, "count": 70/' "$srcdir/tests/cli/clients.json" \
  > "$work/many.json"
"$aqueduct" run "$work/many.json" --store "$work/many.db" -q > /dev/null ||
  exit 1
try "$aqueduct" study 1 --store "$work/many.db" --plot gantt
check "which counts clients beyond its lanes" contains "$out" \
  "requests, 64 of 71 clients"
try "$aqueduct" study --store "$work/one.db" --metric speed --baseline fifo
check "an unknown metric is refused" [ "$status" = 2 ]

# One policy stops jobs and throws their work away.
sed 's/"request": "r"/&, "idempotent": true, "independent": true/' \
  "$srcdir/tests/cli/clients.json" > "$work/again.json"
cat > "$work/stop.json" << 'EOF'
{"version": 1, "name": "stop", "workloads": [{"file": "again.json"}],
 "policies": ["fifo", "preemptive,order=lcfs,mode=reset"]}
EOF
"$aqueduct" sweep "$work/stop.json" --store "$work/stop.db" -q > /dev/null ||
  exit 1
try "$aqueduct" study --store "$work/stop.db" --json --warmup none
wasted=$(echo "$out" | sed -n '/"wasted"/{n;s/ *"mean": \(.*\),/\1/p;}')
check "a study tells what was thrown away, and that nothing was" \
  [ "$(echo "$wasted" | sed 's/[1-9].*/some/' | tr '\n' ' ')" = "0 some " ]
check "and how long that took" contains "$out" '"preempt_p99": {
        "mean": 10'

# The commands that --tasks prints, joined in another order.
"$aqueduct" study --store "$work/one.db" --by-client > "$work/one.txt" ||
  exit 1
for n in 2 5; do
  "$aqueduct" sweep "$plan" --store "$work/t.db" --tasks $n |
    sed "s|^aqueduct|$aqueduct|" | sh > "$work/log" 2>&1 || exit 1
  "$aqueduct" store merge "$work/t.db.$n" "$work"/t.db.[!$n] -q \
    --store "$work/joined.$n" > /dev/null || exit 1
  "$aqueduct" study --store "$work/joined.$n" --by-client > "$work/$n.txt"
  check "a study of $n tasks has the same bytes" \
    cmp -s "$work/one.txt" "$work/$n.txt"
  rm -f "$work"/t.db.*
done
try "$aqueduct" sweep "$plan" --store "it's.db" --tasks 2
check "tasks are commands a shell takes" contains "$out" \
  "--jobs 1 --shard 2/2 --store 'it'\\''s.db.2'"

for option in --seed=1 --name=x; do
  try "$aqueduct" sweep "$plan" $option --store "$work/none.db"
  check "sweep $option is refused" [ "$status" = 2 ]
  check "by name" contains "$err" "${option%=*} does not apply to sweep"
done
for options in "--tasks 2 --jobs 3" "--tasks 2 --retry" \
  "--emit parallel --shards 2 -o $work/none --device mi250x"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" sweep "$plan" $options --store "$work/none.db"
  check "sweep $options is refused, as it would not apply" \
    [ "$status" = 2 ]
done
try "$aqueduct" sweep "$work/beside/plan.json" --device mi250x \
  --store "$work/none.db"
check "a device besides those of the plan is refused" contains "$err" \
  "--device does not apply to $work/beside/plan.json: the plan names devices"
try "$aqueduct" sweep --status "$work" --retry
check "sweep --status runs nothing" contains "$err" \
  "--retry does not apply to sweep --status"
for options in "--seed 1" "--device mi300x" "--metric p99" \
  "--plot cdf --metric p99" "--plot lines --json"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" study $options --store "$work/one.db"
  check "study $options is refused, as it would not apply" [ "$status" = 2 ]
done

sed 's/"fifo"/"fifo,capacity=0", "xsched,threshold=0"/' "$plan" \
  > "$work/bad.json"
cp "$srcdir/tests/cli/clients.json" "$work"
try "$aqueduct" sweep "$work/bad.json" --store "$work/bad.db"
check "points that fail are told" contains "$err" "threshold=0"
check "with exit status 1" [ "$status" = 1 ]
"$aqueduct" sweep "$work/bad.json" --store "$work/bad.db" --json -q \
  > "$work/bad.txt"
failed=$(sed -n 's/.*"failed_before": \([0-9]*\).*/\1/p' "$work/bad.txt")
try "$aqueduct" store merge "$work/bad.db" --store "$work/kept.db"
check "a merge copies the points that failed, with their reason" \
  [ "$(echo "$err" | grep -c "its point failed: .*threshold=0")" = \
  "$failed" ]
check "and counts them" contains "$err" "$failed points of plan small failed"
check "with exit status 1" [ "$status" = 1 ]
"$aqueduct" list runs --store "$work/kept.db" --json > "$work/once.txt"
try "$aqueduct" store merge "$work/bad.db" --store "$work/kept.db"
"$aqueduct" list runs --store "$work/kept.db" --json > "$work/twice.txt"
check "once" cmp "$work/once.txt" "$work/twice.txt"
try "$aqueduct" sweep "$work/bad.json" --store "$work/kept.db"
check "a sweep knows them there" contains "$err" \
  "$failed points not run, failed before"
"$aqueduct" study --store "$work/bad.db" --json > "$work/bad.txt" \
  2> "$work/bad.err"
check "a study counts them too" grep -q "$failed points of plan small failed" \
  "$work/bad.err"
"$aqueduct" study --store "$work/kept.db" --json 2> "$work/x" |
  grep -v '^ *[0-9]*,*$' > "$work/kept.txt"
check "and is the same after the merge" \
  [ "$(grep -v '^ *[0-9]*,*$' "$work/bad.txt")" = "$(cat "$work/kept.txt")" ]
for how in "" --json "--plot lines"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" study --store "$work/bad.db" --baseline sjf $how
  check "study $how: a baseline without runs is refused before any output" \
    [ "$status.$(echo "$out" | grep -vc '^[{}]\|"error"\|"exit_status": 2\|^$')" \
    = 2.0 ]
  check "and said after what is missing" [ "$(echo "$err" | tail -1)" = \
    "aqueduct: error: baseline sjf: no runs of that policy to compare with" ]
done

sed 's/"rate": \[/"rite": [/' "$plan" > "$work/bad.json"
try "$aqueduct" sweep "$work/bad.json" --store "$work/bad.db"
check "a parameter that the scenario has not is refused" contains "$err" \
  'it has no parameter "rite"'
check "with exit status 2" [ "$status" = 2 ]

# Single runs are compared as points of a sweep are.
for policy in fifo edf edf,slots=2; do
  try "$aqueduct" run "$srcdir/tests/cli/clients.json" --parameter rate=40us \
    --policy "$policy" --store "$work/single.db"
done
try "$aqueduct" run "$srcdir/tests/cli/clients.json" --parameter rate=20us \
  --policy fifo --store "$work/single.db"
try "$aqueduct" study --store "$work/single.db" --baseline fifo
check "a run stores its policy" contains "$out" "edf,slots=2"
check "and its parameters" contains "$out" "rate=20us"
check "which make runs comparable" contains "$out" "less that of fifo"
try "$aqueduct" study --store "$work/single.db" --json
check "runs that differ have rows of their own" \
  [ "$(grep -c '"policy"' "$work/out")" = 4 ]
for seed in 7 7 8; do
  "$aqueduct" run "$srcdir/tests/cli/clients.json" --policy fifo \
    --seed $seed --store "$work/again.db" -q > /dev/null || exit 1
done
try "$aqueduct" study --store "$work/again.db"
check "a run with the seed of an earlier one is not a replication" contains \
  "$err" "skipped 1 run: same row and seed as an earlier run"
"$aqueduct" run "$srcdir/tests/cli/clients.json" --policy fifo --seed 7 \
  --transport null --store "$work/again.db" -q > /dev/null || exit 1
try "$aqueduct" study --store "$work/again.db"
check "rows of two transports name them" contains "$out" "transport"

# Plans that share points.
cat > "$work/a.json" << 'JSON'
{"version": 1, "name": "A", "workloads": ["clients.json"],
 "policies": ["fifo"], "seeds": {"count": 3}}
JSON
sed 's/"A"/"B"/; s/"fifo"/&, "edf"/; s/"clients.json"/{"file": &, "name": "c"}/' \
  "$work/a.json" > "$work/b.json"
for plan in a b; do
  "$aqueduct" sweep "$work/$plan.json" --store "$work/ab.db" -q > /dev/null ||
    exit 1
done
"$aqueduct" sweep "$work/b.json" --store "$work/b.db" -q > /dev/null || exit 1
for plan in A "B --baseline fifo"; do
  # shellcheck disable=SC2086 # words
  "$aqueduct" study --plan $plan --store "$work/ab.db" > "$work/ab.txt" \
    2> "$work/ab.err"
  check "a study of plan $plan has all of its points, made by either" \
    [ ! -s "$work/ab.err" ]
done
"$aqueduct" study --plan B --baseline fifo --store "$work/b.db" > "$work/b.txt"
check "and is that of a store of its own" cmp "$work/ab.txt" "$work/b.txt"
try "$aqueduct" study --store "$work/ab.db" --json
check "without a plan a run counts once" \
  [ "$(grep -c '"policy"' "$work/out")" = 2 ]
"$aqueduct" store merge "$work/ab.db" --store "$work/ab2.db" -q > /dev/null ||
  exit 1
"$aqueduct" study --plan B --baseline fifo --store "$work/ab2.db" \
  > "$work/ab2.txt"
check "a merge keeps what a plan has of another" cmp "$work/ab2.txt" \
  "$work/b.txt"
sed 's/"count": 3/"count": 4/' "$work/b.json" > "$work/b2.json"
"$aqueduct" sweep "$work/b2.json" --store "$work/ab.db" --shard 8/8 -q \
  > /dev/null || exit 1
try "$aqueduct" study --plan B --store "$work/ab.db"
check "points of an extended plan are missing" contains "$err" \
  "7 of 8 points of plan B in the store"

# An edit of a scenario.
mkdir "$work/edit"
cp "$srcdir/tests/cli/clients.json" "$work/edit"
cat > "$work/edit/plan.json" << 'JSON'
{"version": 1, "name": "edit", "workloads": ["clients.json"],
 "policies": ["fifo", "edf"], "seeds": {"count": 3}}
JSON
cp -r "$work/edit" "$work/new"
sed -i 's/"requests": [0-9][0-9]*/"requests": 7/' "$work/new/clients.json"
"$aqueduct" sweep "$work/new/plan.json" --store "$work/new.db" -q \
  > /dev/null || exit 1
"$aqueduct" study --plan edit --store "$work/new.db" --json |
  grep -v '^ *[0-9]*,*$\|outdated' > "$work/new.txt"
for how in edit new; do
  cp "$work/$how/clients.json" "$work/edit/clients.json.new"
  mv "$work/edit/clients.json.new" "$work/edit/clients.json"
  "$aqueduct" sweep "$work/edit/plan.json" --store "$work/edit.db" -q \
    > /dev/null || exit 1
done
try "$aqueduct" study --plan edit --store "$work/edit.db"
check "runs of a scenario from before an edit are counted" contains "$err" \
  "skipped 6 runs: scenario, model, policy or version changed since"
"$aqueduct" study --plan edit --store "$work/edit.db" --json > "$work/edit.txt"
check "in the document too" grep -q '"outdated": 6' "$work/edit.txt"
check "and figures are of those after it alone" \
  [ "$(grep -v '^ *[0-9]*,*$\|outdated' "$work/edit.txt")" = \
  "$(cat "$work/new.txt")" ]
cp "$srcdir/tests/cli/clients.json" "$work/edit/clients.json"
try "$aqueduct" sweep "$work/edit/plan.json" --store "$work/edit.db"
check "an edit that is taken back needs no runs" contains "$err" \
  "0 run, 6 had been run before"
"$aqueduct" study --plan edit --store "$work/edit.db" --json > "$work/edit.txt"
check "and the runs from before it count again" [ "$(grep -c '^ *[1-6],*$' "$work/edit.txt")" = 6 ]

sed 's/"fifo", "edf"/"fifo", "edf", "fifo"/' "$work/edit/plan.json" > "$work/edit/twice.json"
for run in first second; do
  try "$aqueduct" sweep "$work/edit/twice.json" --store "$work/twice.db"
  check "a point that stands twice in a plan is run once: the $run time" contains "$err" \
    "3 points more than once in the plan: run once"
done
check "and stored once" [ "$("$aqueduct" list runs --store "$work/twice.db" --names | wc -l)" = 6 ]
finish
