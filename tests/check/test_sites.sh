#!/bin/bash
# SPDX-License-Identifier: MIT
# Each defect of sites.hip is found with its kind at its line, and its fixed twin
# is silent. "FINDS CASE: KIND" in the source is the expectation; a case with
# several such lines needs one of them.
aqueduct=$AQ_BUILDDIR/aqueduct
source=$AQ_SRCDIR/tests/check/sites.hip
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE=$work/store.db
case ${AQ_SANITIZERS:-} in
*thread*) echo "1..0 # SKIP TSan needs its program sanitized"; exit 0 ;;
esac

skip_all() {
  echo "1..0 # SKIP $1"
  exit 0
}

command -v hipcc > /dev/null || skip_all "hipcc is not installed"
printf 'int main() { return 0; }\n' > "$work/empty.hip"
hipcc --offload-arch=gfx90a -o "$work/empty" "$work/empty.hip" \
  > "$work/log" 2>&1 ||
  skip_all "hipcc cannot compile here: $(grep -m 1 error "$work/log")"
if ! hipcc -std=c++17 -g -O1 --offload-arch=gfx90a -o "$work/sites" "$source" \
  > "$work/log" 2>&1; then
  echo "1..1"
  echo "not ok 1 - sites.hip compiles"
  sed 's/^/# /' "$work/log"
  exit 1
fi

# The report has a paragraph a finding: kind in its first line, source line in
# the second.
found() { # KIND LINE
  awk -v RS= -v kind="): $1: " -v poss=" possible: $1: " \
    -v line="/sites.hip:$2\n" \
    '(index($0, kind) || index($0, poss)) && index($0, line) { ok = 1 }
    END { exit !ok }' "$work/report"
}

run() { # CASE WAY
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check \
    --check-report "$work/report" "$work/sites" "$1" "$2" > "$work/out" 2>&1
}

number=0
result() { # OK NAME
  number=$((number + 1))
  echo "$1 $number - $2"
  [ "$1" = ok ] || sed 's/^/# /' "$work/report" "$work/out" | head -40
}

for case in $("$work/sites" 2> /dev/null); do
  grep -n "FINDS.*\<$case\>.*: " "$source" > "$work/expected"
  run "$case" bad
  status=$? ok="not ok"
  while IFS=: read -r line _ kind; do
    [ $status -eq 1 ] && found "${kind#"${kind%%[! ]*}"}" "$line" && ok=ok
  done < "$work/expected"
  result "$ok" "$case: found at its line"
  run "$case" fixed
  status=$? ok="not ok"
  [ $status -eq 0 ] && grep -q "nothing found" "$work/report" && ok=ok
  result "$ok" "$case: silent once it is fixed"
done
echo "1..$number"
