# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # the tests use the variables
# Sourced by the tests whose programs have defects: each defect is found with its
# kind at its line, and its fixed twin is silent. "FINDS CASE: KIND" in the
# source is the expectation; a case with several such lines needs one of them.
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"
checks=all
device=mi210
of=

# The report has a paragraph a finding: kind in its first line, source line in
# another.
found() { # KIND FILE LINE
  awk -v RS= -v kind="): $1: " -v line="/$2:$3\n" \
    'index($0, kind) && index($0 "\n", line) { ok = 1 }
    END { exit !ok }' "$work/report"
}

limit=100s
run() { # PROGRAM ARGUMENT…
  timeout 120 "$aqueduct" exec --quiet --timeout "$limit" --device "$device" --check="$checks" \
    --check-report "$work/report" "$@" > "$work/out" 2>&1
}

# Whether the last run did as expected.
outcome() { # STATUS NAME
  result "$1" "$2" "$work/report" "$work/out"
}

try() { # NAME CASE ARGUMENT…
  local name=$1 case=$2 status caught=1 path line kind ends=1
  shift 2
  grep -Hn "FINDS.*\<$case\>.*: " "$here/$name."* \
    > "$work/expected"
  if grep -q "FINDS.*\<$case\>.*: endless wait" "$work/expected"; then
    ends=125 limit=20s # ended by the timeout
  fi
  run "$work/$name" "$@" "$case" bad
  status=$?
  limit=100s
  while IFS=: read -r path line kind; do
    [ $status -eq $ends ] && found "${kind##*: }" "${path##*/}" "$line" &&
      caught=0
  done < "$work/expected"
  outcome $caught "$of$case: found at its line"
  run "$work/$name" "$@" "$case" fixed && grep -qE ': 0 errors(, [0-9]+ notes?)?$' \
    "$work/report"
  outcome $? "$of$case: silent once it is fixed"
}
