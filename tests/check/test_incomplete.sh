#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that the timeout or a signal ends still has a report: its findings, a
# summary that names the cause, valid JSON and SARIF.
aqueduct=$AQ_BUILDDIR/aqueduct
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE=$work/store.db
case ${AQ_SANITIZERS:-} in
*thread*) echo "1..0 # SKIP TSan needs its program sanitized"; exit 0 ;;
esac
if ! command -v hipcc > /dev/null ||
  ! hipcc -std=c++17 -g -O1 --offload-arch=gfx90a -o "$work/ends" \
    "$AQ_SRCDIR/tests/check/ends.hip" > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc is not installed, or cannot compile here"
  exit 0
fi

number=0
result() { # STATUS NAME
  number=$((number + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    sed 's/^/# /' "$work/report" "$work/out" | head -30
  fi
}

run() { # OPTION… -- PROGRAM…
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check \
    --check-report "$work/report" --sarif "$work/sarif" "$@" \
    > "$work/out" 2>&1
}

ended="incomplete: .*/ends: ended by --timeout 5s"
run --timeout 5s "$work/ends" flag_never_set bad
[ $? -eq 125 ] && grep -q "^ERROR (sync): endless wait" "$work/report" &&
  grep -q "^CHECK SUMMARY (all): 1 error; $ended\$" "$work/report"
result $? "a program that the timeout ends has its findings and a summary"
python3 - "$work/sarif" << 'PY' > "$work/log" 2>&1
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
assert len(run["results"]) == 1, run
assert run["invocations"][0]["executionSuccessful"] is False, run
PY
result $? "its SARIF says that the run was not successful"
run --timeout 5s --json "$work/ends" flag_never_set bad
python3 - "$work/report" << 'PY' > "$work/log" 2>&1
import json, sys
report = json.load(open(sys.argv[1]))
assert report["errors"] == 1 and "--timeout" in report["incomplete"], report
PY
result $? "its JSON is whole and says what ended it"
# shellcheck disable=SC2016 # the child's own number
run sh -c '"$0" flag_never_set fixed; kill -SEGV $$' "$work/ends"
[ $? -eq 139 ] &&
  grep -q "^CHECK SUMMARY (all): 0 errors; incomplete: ended by signal 11" \
    "$work/report"
result $? "a program that a signal ends is no clean one"
run "$work/ends" flag_never_set fixed && grep -q ", nothing found" \
  "$work/report" && grep -q '"executionSuccessful": true' "$work/sarif"
result $? "a program that ends by itself is complete"
echo "1..$number"
