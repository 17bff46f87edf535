#!/bin/bash
# SPDX-License-Identifier: MIT
# Code that compilers make of an atomic is a note, and no reason to fail.
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"
program_make cost cost -O2 --offload-arch=gfx90a

# Float atomicAdd: a plain read, then a loop of compare-and-swap.
"$aqueduct" exec --quiet --device mi210 --check=race \
  --check-report "$work/report" "$work/cost" reduce 3 > "$work/out" 2>&1 &&
  grep -q '^NOTE (race): race between workgroups: read of 4 bytes' \
    "$work/report" && grep -q 'SUMMARY.*: 0 errors, 1 note' "$work/report"
result $? "the read that begins a loop of compare-and-swap is a note" \
  "$work/report" "$work/out"
echo "1..$number"
