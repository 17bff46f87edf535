#!/bin/sh
# SPDX-License-Identifier: MIT
# The policy of doc/examples/policy: built outside of the tree with public
# headers alone, run by path and by name, and the errors when it cannot run.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
builddir=${AQ_BUILDDIR:-.}
unset AQUEDUCT_PLUGIN_PATH AQUEDUCT_POLICY MAKEFLAGS MFLAGS MAKELEVEL
scenario=$srcdir/traces/scenarios/arrivals.json

mkdir "$work/example"
cp "$srcdir"/doc/examples/policy/* "$work/example"
try make -s -C "$work/example" CC="${AQ_CC:-cc}" \
  CFLAGS='-Wall -Wextra -Werror' AQ_CFLAGS="-I$builddir/public"
check "the example builds with public headers alone" [ "$status" = 0 ]
lines=$(wc -l < "$work/example/batch.c")
check "it has fewer than 60 lines" [ "$lines" -lt 60 ]

policy=$work/example/batch.so
try "$aqueduct" run "$scenario" --policy "$policy,window=2ms,size=3" --quiet \
  --decision-log "$work/log.jsonl" --name batched
check "it runs by its path" [ "$status" = 0 ]
try "$aqueduct" show batched --json
check "the run tells its policy and settings" \
  contains "$out" 'batch,window=2ms,size=3'
check "the log has its timers" grep -q '"hook":"timer"' "$work/log.jsonl"
submits=$(grep -c '"act":"submit"' "$work/log.jsonl")
try "$aqueduct" export batched --format jsonl
rows=$(printf '%s\n' "$out" | grep -c '"row":')
check "no more was submitted than there are rows" [ "$submits" -le "$rows" ]
try "$aqueduct" run "$scenario" --policy "$policy,window=2ms,size=3" --quiet \
  --name again
try "$aqueduct" export again --format jsonl
printf '%s\n' "$out" | grep '"row":' > "$work/again"
try "$aqueduct" export batched --format jsonl
printf '%s\n' "$out" | grep '"row":' > "$work/first"
check "the same seed gives the same rows" cmp "$work/first" "$work/again"
try "$aqueduct" run "$scenario" --policy "$policy" --transport null --quiet
check "it runs on transport null" [ "$status" = 0 ]
try "$aqueduct" run "$scenario" --policy "$policy" --transport "fault,file=$srcdir/tests/fuzz/corpus/faults/none.json+sim" \
  --quiet
check "and through a wrapper" [ "$status" = 0 ]
try "$aqueduct" run "$scenario" --policy "$policy" --live --quiet
check "and in live mode" [ "$status" = 0 ]

try "$aqueduct" run "$scenario" --policy "$policy,windo=2ms"
check "a setting that it has not is named" \
  contains "$err" "policy batch has no setting 'windo'; expected window, size,"
check "and ends with 2" [ "$status" = 2 ]
try "$aqueduct" run "$scenario" --policy "$policy,window=2"
check "so is a value that is none" \
  contains "$err" "policy batch: window=2; expected a time with its unit"
try "$aqueduct" run "$scenario" --policy "$work/none.so"
check "a file that is not there is an error" [ "$status" = 2 ]
try "$aqueduct" run "$scenario" --policy fiffo
check "a misspelt name is told" contains "$err" "did you mean fifo?"

mkdir -p "$work/plugins/policies"
cp "$policy" "$work/plugins/policies"
AQUEDUCT_PLUGIN_PATH=$work/plugins
export AQUEDUCT_PLUGIN_PATH
try "$aqueduct" run "$scenario" --policy batch,size=2 --quiet
check "it is found by its name" [ "$status" = 0 ]
try "$aqueduct" list policies --wide
check "list policies has it with its settings" \
  contains "$out" "window=1ms size=8"
try "$aqueduct" list policies --names
check "and the built-in ones" contains "$out" "fifo"

# Failing runs are not stored.
before=$("$aqueduct" list runs --names | wc -l)
try "$aqueduct" run "$scenario" --policy sjf --quiet
check "a policy that lacks hints fails the run" \
  contains "$err" "policy sjf: it needs duration hints, and job 0 has none"
try "$aqueduct" list runs --names
after=$(printf '%s\n' "$out" | wc -l)
check "and nothing of it is stored" [ "$before" = "$after" ]
try "$aqueduct" run "$scenario" --policy sjf --on-policy-error fallback \
  --name fallen
check "unless a fallback was asked for" [ "$status" = 0 ]
try "$aqueduct" show fallen
check "which the run says" contains "$out" '"fallback":"policy sjf: it needs'
"$aqueduct" run "$scenario" --policy fifo -q > /dev/null
try "$aqueduct" study
check "a study leaves the run out, and counts it" contains "$err" \
  "skipped 1 run: policy failed, continued without it"
try "$aqueduct" study --json
check "in the document, too" [ "$(jq -c .fell_back "$work/out")" = 1 ]
try "$aqueduct" run "$scenario" --on-policy-error fallback
check "a fallback of no policy is refused" \
  contains "$err" "--on-policy-error needs a --policy"
finish
