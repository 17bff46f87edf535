#!/bin/sh
# SPDX-License-Identifier: MIT
# Two tenants of one GPU that serve language models: policies decide between
# their steps (doc/examples/study/tenants.json).
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

requests() { # EVERY PROMPT OUTPUT: 40 requests, so many milliseconds apart
  echo "# aqueduct requests 1, hash block 0 of prompts"
  echo "arrival_ns,prompt,output,session,tool_ns,hashes"
  i=0
  while [ $i -lt 40 ]; do
    echo "$((i * $1))000000,$2,$3,,,"
    i=$((i + 1))
  done
}
cp "$srcdir/doc/examples/study/tenants.json" "$work"
requests 100 300 60 > "$work/conv.requests.csv"
requests 100 3000 20 > "$work/code.requests.csv"
cat > "$work/plan.json" << 'JSON'
{"version": 1, "name": "tenants",
 "workloads": [{"file": "tenants.json", "name": "two",
                "parameters": {"count": 30, "load": [0.1, 1, 2]}}],
 "policies": ["fifo", "priority"], "devices": ["mi300x"],
 "seeds": {"count": 3}}
JSON
AQUEDUCT_STORE=$work/runs.db
export AQUEDUCT_STORE
try "$aqueduct" sweep "$work/plan.json" -q
check "the example's plan runs" [ "$status" = 0 ]
"$aqueduct" study --by-client --baseline fifo --warmup none --json \
  > "$work/study.json"
less() { # CLIENT FIGURE: less fifo's, at a load of 1
  "${PYTHON:-python3}" - "$work/study.json" "$1" "$2" << 'PY'
import json, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    if (row["client"] == sys.argv[2] and row["policy"] == "priority"
            and "load=1" in row["parameters"].split()):
        d = row["less_baseline"][sys.argv[3]]
        print("less" if d["mean"] + d["half"] < 0 else
              "more" if d["mean"] - d["half"] > 0 else "same")
PY
}
if command -v "${PYTHON:-python3}" > "$work/x"; then
  check "priority shortens the chat's time per token" \
    [ "$(less chat tpot_p99)" = less ]
  check "and its time to the first" [ "$(less chat ttft_p99)" = less ]
  check "and the other tenant pays" [ "$(less others ttft_p99)" = more ]
else
  skip "policies differ" "no python3"
fi

check "each row says that its durations are predicted" \
  [ "$(grep -c '"durations": "predicted by served models: ' \
    "$work/study.json")" = "$(grep -c '"policy"' "$work/study.json")" ]
try "$aqueduct" study --by-client --baseline fifo --warmup none
check "in both tables" [ "$(echo "$out" | grep -c " predicted ")" = 27 ]
check "which no row lacks" [ "$(echo "$out" | grep "two " |
  grep -vc " predicted ")" = 0 ]

# Every policy takes steps of a server as jobs; one that resets queues needs
# kernels that may run again.
sed 's/"model"/"idempotent": true, &/' "$work/tenants.json" > "$work/again.json"
for policy in $("$aqueduct" list policies --names); do
  try "$aqueduct" run "$work/again.json" --parameter count=10 \
    --policy "$policy" --store "$work/each.db" -q
  check "policy $policy runs" [ "$status" = 0 ]
done
try "$aqueduct" run "$work/tenants.json" --parameter count=10 --policy reef \
  --store "$work/each.db"
check "policy reef resets no kernel that is not idempotent" contains "$err" \
  "a kernel that is not idempotent"

for view in "show latest" "stats latest --by queue" "explain latest" \
  "list runs --json"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" $view --store "$work/each.db"
  check "$view says so too" contains "$out$err" "predicted by served models"
done
try "$aqueduct" export latest --store "$work/each.db" --format csv
check "and a row of a kernel" contains "$out" ",yes"

try "$aqueduct" study --by-client --plot lines --metric ttft_p99
check "a plot over the load has its name" contains "$out" ">load<"
check "and that durations are predicted" contains "$out" "predicted durations"
check "a line for each client with requests and each policy" \
  [ "$(echo "$out" | grep -c ">priority · ")" = 2 ]
check "a colour for each policy" [ "$(echo "$out" |
  grep -o 'stroke="#[0-9a-f]*" stroke-width="3"' | sort | uniq -c | tr -s ' ' |
  cut -d' ' -f2 | tr '\n' ' ')" = "2 2 " ]
check "and broken lines for the other client" \
  [ "$(echo "$out" | grep -c 'stroke-width="3" stroke-dasharray="6 3"')" = 2 ]
check "what all rows have in common is in the title alone" \
  [ "$(echo "$out" | grep -c "count=30")" = 1 ]
check "a band around each" [ "$(echo "$out" | grep -c fill-opacity)" = 4 ]
finish
