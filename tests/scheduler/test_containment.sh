#!/bin/sh
# SPDX-License-Identifier: MIT
# Policies that crash, loop or allocate without end: one line that names them,
# and a sweep that continues with the other points.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitizer handles crashes itself"; exit 0 ;;
esac
builddir=${AQ_BUILDDIR:-.}
scenario=$srcdir/tests/cli/clients.json
policy=$work/bad.so
${AQ_CC:-cc} -Wall -Wextra -Werror -O1 -fPIC -shared -I"$builddir/public" \
  -o "$policy" "$srcdir/tests/scheduler/bad_policy.c" || exit 1

goes() { # HOW LINE [OPTION…]: its run ends with 2 and one line
  how=$1
  line=$2
  shift 2
  try "$aqueduct" run "$scenario" --policy "$policy,how=$how" "$@"
  check "how=$how ends the run with 2 and nothing on stdout" \
    [ "$status$out" = 2 ]
  check "and one line" [ "$(echo "$err" | wc -l)" = 1 ]
  check "which names the policy and its hook" \
    contains "$err" "policy $policy,how=$how: $line"
  try "$aqueduct" list runs --names
  check "nothing of it stays in the store" [ -z "$out" ]
}
goes crash "ready crashed: signal 11"
goes recurse "ready crashed: signal 11"
goes open "open crashed: signal 6"
goes close "close crashed: signal 6"
goes exit "ready ended the process with status 0"
goes loop "ready: did not return within 0.3 s" --policy-timeout 300ms
goes allocate "ready: its process took more than 200 MiB" --policy-memory 200M
try "$aqueduct" run "$scenario" --policy "$policy,how=timer"
check "timers that never let time move end the run" \
  contains "$err" "policy bad: it stalls: 1000000 timers went off at one instant"
try "$aqueduct" run "$scenario" --policy "$policy,how=device"
check "and so do those of its device half" \
  contains "$err" "1000000 device timers went off at one instant"

try "$aqueduct" run "$scenario" --policy "$policy" --name good -o "$work/id"
check "a policy that does nothing wrong runs" [ "$status" = 0 ]
check "and its output is written" [ "$(cat "$work/id")" -ge 1 ]
try "$aqueduct" replay good --device mi300x --policy "$policy,how=crash"
check "a replay is contained too" contains "$err" "ready crashed: signal 11"
check "with its exit status" [ "$status" = 2 ]
try "$aqueduct" run "$scenario" --policy "$policy,how=crash" --json
check "--json gets the error as a document" is_json "$work/out"
try "$aqueduct" run "$scenario" --policy "$policy,hw=crash"
check "errors of the other process are the user's" \
  contains "$err" "has no setting 'hw'"

cat > "$work/plan.json" << JSON
{"version": 1, "name": "bad", "seeds": [1],
 "workloads": [{"file": "$(cd "$srcdir" && pwd)/tests/cli/clients.json"}],
 "policies": ["fifo", "$policy,how=crash", "$policy", "$policy,how=loop", "edf"]}
JSON
sweep() {
  try "$aqueduct" sweep "$work/plan.json" --store "$work/sweep.db" \
    --policy-timeout 300ms "$@"
}
for jobs in 1 3; do
  rm -f "$work/sweep.db"
  sweep --jobs $jobs
  check "with --jobs $jobs a sweep runs the other points" \
    contains "$err" "5 points: 3 run, 0 had been run before, 2 failed"
  check "and exits with 1" [ "$status" = 1 ]
  check "it names the policy that crashed" \
    contains "$err" "policy $policy,how=crash: ready crashed: signal 11"
  check "and the one that looped" \
    contains "$err" "policy $policy,how=loop: ready: did not return"
done
try "$aqueduct" list runs --store "$work/sweep.db"
check "points that failed are in the store as failed" \
  [ "$(echo "$out" | grep -c ' failed ')" = 2 ]
failed=$(echo "$out" | awk '/ failed / { print $1; exit }')
try "$aqueduct" show "$failed" --store "$work/sweep.db"
check "with the reason" contains "$out" "policy $policy,how="
sweep
check "another sweep skips them" contains "$err" \
  "5 points: 0 run, 3 had been run before, 0 failed"
check "and says so" contains "$err" "2 points not run, failed before"
check "its exit status is still 1" [ "$status" = 1 ]
sweep --retry
check "--retry runs them again" contains "$err" \
  "0 run, 3 had been run before, 2 failed"
try "$aqueduct" list runs --store "$work/sweep.db"
check "and replaces what was stored of them" \
  [ "$(echo "$out" | grep -c ' failed ')" = 2 ]
cat > "$work/killed.json" << JSON
{"version": 1, "name": "killed", "seeds": [1],
 "workloads": [{"file": "$(cd "$srcdir" && pwd)/tests/cli/clients.json"}],
 "policies": ["fifo", "$policy,how=killed"]}
JSON
try "$aqueduct" sweep "$work/killed.json" --store "$work/killed.db"
check "a process that the system kills is named" contains "$err" \
  "ready crashed: signal 9 (SIGKILL); the system may be out of memory"
try "$aqueduct" sweep "$work/killed.json" --store "$work/killed.db"
check "its point is not stored: the next sweep runs it" contains "$err" \
  "2 points: 0 run, 1 had been run before, 1 failed"
try "$aqueduct" study --store "$work/sweep.db" --plan bad
check "a study leaves them out" [ "$(echo "$out" | wc -l)" = 4 ]
finish
