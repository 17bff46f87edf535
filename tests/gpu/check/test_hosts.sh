#!/bin/bash
# SPDX-License-Identifier: MIT
# Accesses of the host: copies of any size are seen, and a note counts the other accesses.
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"
program_make hosts hosts -std=c++17 -O1 --offload-arch=gfx90a

checks=all
run() { # CASE BYTES OPTION…
  local name=$1 bytes=$2
  shift 2
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check="$checks" \
    --check-report "$work/report" "$@" -- "$work/hosts" "$name" "$bytes" \
    > "$work/out" 2>&1 < /dev/null
}

outcome() { # STATUS NAME
  result "$1" "$2" "$work/report" "$work/out"
}

for bytes in 1 64 65 16384; do
  run output $bytes
  [ $? = 1 ] && grep -q '^ERROR (init): uninitialised output' "$work/report"
  outcome $? "$bytes unwritten bytes are seen when they are copied out"
done
for name in read write; do
  bad=0
  for bytes in 4 64 4096; do
    run "$name" $bytes
    [ $? = 1 ] && grep -q '^ERROR (race): race between dispatches' \
      "$work/report" || bad=$bytes
  done
  [ "$bad" = 0 ]
  outcome $? "a copy races with a kernel's writes, however small ($name)"
done

noted='host accesses not seen: .* 1 allocation (4096 bytes)'
for checks in all race init init,race; do
  by=race
  [ $checks = init ] && by=init
  run pinned 4096 && grep -q "^NOTE ($by): $noted" "$work/report" &&
    grep -q ': 0 errors, 1 note$' "$work/report"
  outcome $? "a note names memory that kernels share with the host ($checks)"
done
checks=memory
run pinned 4096 && grep -q ': 0 errors$' "$work/report"
outcome $? "a check that does not need the host's accesses has no note of them"
checks=all

run padded 1536 && grep -q '^NOTE (init): uninitialised padding' "$work/report"
outcome $? "padding that is copied with its struct is a note"
run stored 1536 && ! grep -q '^ERROR' "$work/report"
outcome $? "so it is where a kernel copies the struct"
run second 512
[ $? = 1 ] && grep -q '^ERROR (init): uninitialised output' "$work/report"
outcome $? "a word that nothing wrote is no padding"

# 4.5 GiB, of which kernels touch 288 pages.
run large 0x120000000 &&
  awk '/^byte 1, / { ok = $3 < 1024 } END { exit !ok }' "$work/out"
outcome $? "pages that nothing touches take no memory"
run unlike 0x120000000
[ $? = 1 ] && grep -q '^ERROR (init): uninitialised output' "$work/report"
outcome $? "and a large allocation is followed to the byte"
run output 64 --strict-memory never
[ $? = 1 ] && grep -q '^ERROR (init): uninitialised output' "$work/report"
outcome $? "memory that is strict is followed too"
echo "1..$number"
