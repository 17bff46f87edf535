#!/bin/sh
# SPDX-License-Identifier: MIT
# Sweeps: every point once, the same however they are shared, and again only
# what is missing.
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
  "$aqueduct" sweep "$plan" --store "$work/parts.db" --jobs 2 --shard $i/3 -q \
    > /dev/null || exit 1
done
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

try "$aqueduct" sweep "$plan" --store "it's.db" --tasks 2
check "tasks are commands a shell takes" contains "$out" \
  "--jobs 1 --shard 2/2 --store 'it'\\''s.db.2'"

sed 's/"fifo"/"fifo,capacity=0", "xsched,threshold=0"/' "$plan" \
  > "$work/bad.json"
cp "$srcdir/tests/cli/clients.json" "$work"
try "$aqueduct" sweep "$work/bad.json" --store "$work/bad.db"
check "points that fail are told" contains "$err" "threshold=0"
check "with exit status 1" [ "$status" = 1 ]

sed 's/"rate": \[/"rite": [/' "$plan" > "$work/bad.json"
try "$aqueduct" sweep "$work/bad.json" --store "$work/bad.db"
check "a parameter that the scenario has not is refused" contains "$err" \
  'it has no parameter "rite"'
check "with exit status 2" [ "$status" = 2 ]
finish
