#!/bin/bash
# SPDX-License-Identifier: MIT
# Code that compilers make of an atomic is a note, and no reason to fail.
aqueduct=$AQ_BUILDDIR/aqueduct
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE=$work/store.db
case ${AQ_SANITIZERS:-} in
*thread*) echo "1..0 # SKIP TSan needs its program sanitized"; exit 0 ;;
esac
if ! command -v hipcc > /dev/null ||
  ! hipcc -O2 --offload-arch=gfx90a -o "$work/cost" \
    "$AQ_SRCDIR/tests/check/cost.hip" > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc is not installed, or cannot compile here"
  exit 0
fi

# Float atomicAdd: a plain read, then a loop of compare-and-swap.
"$aqueduct" exec --quiet --device mi210 --check=race \
  --check-report "$work/report" "$work/cost" reduce 3 > "$work/out" 2>&1 &&
  grep -q '^NOTE (race): race between workgroups: read of 4 bytes' \
    "$work/report" && grep -q 'SUMMARY.*: 0 errors, 1 note' "$work/report"
status=$?
if [ $status -eq 0 ]; then
  echo "ok 1 - the read that begins a loop of compare-and-swap is a note"
else
  echo "not ok 1 - the read that begins a loop of compare-and-swap is a note"
  sed 's/^/# /' "$work/report" "$work/out" | head -40
fi
echo "1..1"
