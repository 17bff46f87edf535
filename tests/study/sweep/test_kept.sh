#!/bin/sh
# SPDX-License-Identifier: MIT
# Plans that keep figures instead of requests.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

cp "$srcdir/tests/cli/clients.json" "$work"
cp "$srcdir/doc/examples/study/tenants.json" "$work"
{
  echo "# aqueduct requests 1, hash block 0 of prompts"
  echo "arrival_ns,prompt,output,session,tool_ns,hashes"
  i=0
  while [ $i -lt 40 ]; do
    echo "$((i * 100))000000,300,60,,,"
    i=$((i + 1))
  done
} > "$work/conv.requests.csv"
cp "$work/conv.requests.csv" "$work/code.requests.csv"
cat > "$work/all.json" << 'JSON'
{"version": 1, "name": "p",
 "workloads": [{"file": "clients.json", "parameters": {"rate": ["20us", "40us"]}},
               {"file": "tenants.json", "name": "two",
                "parameters": {"count": 30, "load": [1, 2]}}],
 "policies": ["fifo", "priority"], "devices": ["mi300x"], "alone": true,
 "seeds": {"count": 3}}
JSON
sed 's/"alone"/"requests": false, &/' "$work/all.json" > "$work/kept.json"
for plan in all kept; do
  "$aqueduct" sweep "$work/$plan.json" --store "$work/$plan.db" -q \
    > "$work/ids" || exit 1
done

study() { # STORE OPTION...: without the ids of runs
  store=$1
  shift
  "$aqueduct" study --store "$work/$store.db" --plan p "$@" |
    grep -v '^ *[0-9]*,*$'
}
for how in "--baseline fifo" "--by-client --baseline fifo" "--wide"; do
  # shellcheck disable=SC2086 # words
  study all $how --json > "$work/all.txt"
  # shellcheck disable=SC2086 # words
  study kept $how --json > "$work/kept.txt"
  check "study $how: figures, intervals and differences are the same" \
    cmp "$work/all.txt" "$work/kept.txt"
done
check "the study has figures of every kind" \
  [ "$(grep -A1 -E '"(antt|ttft_p99|itl_p99|goodput|p99|jain)"' "$work/kept.txt" |
    grep -c '"mean": [0-9]')" -gt 20 ]
cat > "$work/lines.json" << 'JSON'
{"version": 1, "name": "lines", "requests": false,
 "workloads": [{"file": "clients.json", "parameters": {"rate": ["20us", "40us"]}}],
 "devices": ["mi300x"]}
JSON
"$aqueduct" sweep "$work/lines.json" --store "$work/lines.db" -q > "$work/ids"
try "$aqueduct" study --store "$work/lines.db" --plot lines --metric p99
check "lines are drawn of them" contains "$out" "</svg>"
for how in "--warmup none" "--warmup 10%" "--plot cdf" "--plot gantt"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" study 1 --store "$work/kept.db" $how
  check "study $how is refused" [ "$status" = 2 ]
  check "with the reason" contains "$err" "run 1 keeps figures instead of requests"
done

size() { wc -c < "$work/$1.db"; }
check "their store is smaller" [ "$(size kept)" -lt "$(size all)" ]
try "$aqueduct" sweep "$work/kept.json" --store "$work/kept.db"
check "a sweep knows them" contains "$err" "0 run, 54 had been run before"
"$aqueduct" sweep "$work/kept.json" --store "$work/b.db" --shard 2/2 -q \
  > "$work/ids"
"$aqueduct" sweep "$work/kept.json" --store "$work/a.db" --shard 1/2 -q \
  > "$work/ids"
try "$aqueduct" store merge "$work/a.db" "$work/b.db" --store "$work/ab.db" -q
check "they are merged" [ "$status" = 0 ]
study kept --json > "$work/kept.txt"
study ab --json > "$work/ab.txt"
check "with the same study" cmp "$work/kept.txt" "$work/ab.txt"
try "$aqueduct" sweep "$work/all.json" --store "$work/kept.db"
check "a plan that keeps requests makes its own" contains "$err" \
  "54 run, 0 had been run before"
sed 's/"requests"/"rows": true, &/' "$work/kept.json" > "$work/bad.json"
try "$aqueduct" sweep "$work/bad.json" --store "$work/bad.db"
check "a plan of rows without requests is refused" contains "$err" \
  '"rows" keep more than requests'
finish
