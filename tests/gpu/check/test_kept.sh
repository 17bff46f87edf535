#!/bin/bash
# SPDX-License-Identifier: MIT
# Findings stay with the run: show, its JSON and the report page have them, and
# JUnit's test case fails for them.
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"
program_make hazards hazards -std=c++17 -g -O1 --offload-arch=gfx90a

run() { # bad|fixed
  "$aqueduct" exec --quiet --device mi210 --check=wait \
    --check-report "$work/report" --junit "$work/junit.xml" --name "$1" \
    "$work/hazards" vcc_to_fmas "$1" > "$work/out" 2>&1
}

kind="missing wait states"
run bad
[ $? -eq 1 ] && grep -q 'failures="1"' "$work/junit.xml" &&
  grep -q "1 error and 0 possible, first: $kind: .*, in kernel .*(.*) at .*/hazards.hip:[0-9]" \
    "$work/junit.xml" &&
  grep -q 'name="findings" value="1"' "$work/junit.xml"
result $? "JUnit's test case fails" "$work/junit.xml"
"$aqueduct" show latest > "$work/show" 2>&1 &&
  grep -q "^ERROR (wait): $kind" "$work/show"
result $? "show prints the finding" "$work/show"
"$aqueduct" show latest --json > "$work/show.json" 2>&1 &&
  grep -q "\"kind\": *\"$kind\"" "$work/show.json"
result $? "show --json has it" "$work/show.json"
text=$(sed -n 's/.*"text": *"\(.*\)",*$/\1/p' "$work/show.json")
[ -n "$text" ] && python3 - "$work/junit.xml" "$text" << 'PY'
import sys
from xml.etree import ElementTree
message = ElementTree.parse(sys.argv[1]).find(".//failure").get("message")
sys.exit(not message.endswith(", first: " + sys.argv[2]))
PY
result $? "its text is JUnit's" "$work/show.json" "$work/junit.xml"
"$aqueduct" report latest -o "$work/page.html" > "$work/out" 2>&1 &&
  grep -q "\"findings\":\[{" "$work/page.html" &&
  grep -q "\"kind\":\"$kind\"" "$work/page.html" &&
  grep -q '"offset":[0-9]' "$work/page.html" &&
  grep -q '"otherInstruction":"v_cmp_eq_u32' "$work/page.html"
result $? "the page has it" "$work/out"
run fixed && grep -q 'failures="0"' "$work/junit.xml" &&
  grep -q 'name="findings" value="0"' "$work/junit.xml"
result $? "the fixed program passes" "$work/junit.xml"
"$aqueduct" show latest > "$work/show" 2>&1 && ! grep -q findings "$work/show"
result $? "its run has no findings" "$work/show"
echo "1..$number"
