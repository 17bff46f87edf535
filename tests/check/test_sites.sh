#!/bin/bash
# SPDX-License-Identifier: MIT
# Each defect of these programs is found with its kind at its line, and its fixed
# twin is silent. "FINDS CASE: KIND" in the source is the expectation; a case
# with several such lines needs one of them.
aqueduct=$AQ_BUILDDIR/aqueduct
sources="sites values barriers"
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
# The report has a paragraph a finding: kind in its first line, source line in
# another.
found() { # KIND FILE LINE
  awk -v RS= -v kind="): $1: " -v poss=" possible: $1: " \
    -v line="/$2:$3\n" \
    '(index($0, kind) || index($0, poss)) && index($0 "\n", line) { ok = 1 }
    END { exit !ok }' "$work/report"
}

run() { # PROGRAM ARGUMENT…
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check \
    --check-report "$work/report" "$@" > "$work/out" 2>&1
}

number=0
result() { # OK NAME
  number=$((number + 1))
  echo "$1 $number - $2"
  [ "$1" = ok ] || sed 's/^/# /' "$work/report" "$work/out" | head -40
}

try() { # NAME CASE ARGUMENT…
  local name=$1 case=$2 status ok="not ok" path line kind
  shift 2
  grep -Hn "FINDS.*\<$case\>.*: " "$AQ_SRCDIR/tests/check/$name."* \
    > "$work/expected"
  run "$work/$name" "$@" "$case" bad
  status=$?
  while IFS=: read -r path line kind; do
    [ $status -eq 1 ] && found "${kind##*: }" "${path##*/}" "$line" && ok=ok
  done < "$work/expected"
  result "$ok" "$case: found at its line"
  ok="not ok"
  run "$work/$name" "$@" "$case" fixed && grep -q "nothing found" \
    "$work/report" && ok=ok
  result "$ok" "$case: silent once it is fixed"
}

for name in $sources; do
  if ! hipcc -std=c++17 -g -O1 --offload-arch=gfx90a -o "$work/$name" \
    "$AQ_SRCDIR/tests/check/$name.hip" > "$work/log" 2>&1; then
    result "not ok" "$name.hip compiles"
    sed 's/^/# /' "$work/log"
    continue
  fi
  for case in $("$work/$name" 2> /dev/null); do
    try "$name" "$case"
  done
done
echo "1..$number"
