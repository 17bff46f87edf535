#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that the timeout or a signal ends still has a report: its findings, a
# summary that names the cause, valid JSON and SARIF.
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"
program_make ends ends -std=c++17 -g -O1 --offload-arch=gfx90a

run() { # OPTION… -- PROGRAM…
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check \
    --check-report "$work/report" --sarif "$work/sarif" "$@" \
    > "$work/out" 2>&1
}

ended="incomplete: .*/ends: ended by --timeout 5s"
run --timeout 5s "$work/ends" flag_never_set bad
[ $? -eq 125 ] && grep -q "^ERROR (sync): endless wait" "$work/report" &&
  grep -q "^CHECK SUMMARY (all): 1 error; $ended\$" "$work/report"
result $? "a program that the timeout ends has its findings and a summary" "$work/report" "$work/out"
python3 - "$work/sarif" << 'PY' > "$work/log" 2>&1
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
assert len(run["results"]) == 1, run
assert run["invocations"][0]["executionSuccessful"] is False, run
PY
result $? "its SARIF says that the run was not successful" "$work/report" "$work/out"
run --timeout 5s --json "$work/ends" flag_never_set bad
python3 - "$work/report" << 'PY' > "$work/log" 2>&1
import json, sys
report = json.load(open(sys.argv[1]))
assert report["errors"] == 1 and "--timeout" in report["incomplete"], report
PY
result $? "its JSON is whole and says what ended it" "$work/report" "$work/out"
# shellcheck disable=SC2016 # the child's own number
run sh -c '"$0" flag_never_set fixed; kill -SEGV $$' "$work/ends"
[ $? -eq 139 ] &&
  grep -q "^CHECK SUMMARY (all): 0 errors; incomplete: sh: ended by signal 11 (SIGSEGV)" \
    "$work/report"
result $? "a program that a signal ends is no clean one" "$work/report" "$work/out"
run "$work/ends" flag_never_set fixed && grep -q ", nothing found" \
  "$work/report" && grep -q '"executionSuccessful": true' "$work/sarif"
result $? "a program that ends by itself is complete" "$work/report" "$work/out"
echo "1..$number"
