#!/bin/sh
# SPDX-License-Identifier: MIT
# Recursion with scratch: frames that are fixed (V4), and a stack whose size the
# compiler does not know (V5, V6).
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
launch() { # FILE KERNEL GRID N
  try "$aqueduct" launch "$work/$1" "$2" --grid "$3" --workgroup "$3" \
    --timeout 100s --print 16 --args "out:u32[$3]" "u32:$4"
}
for kind in gfx90a:4 gfx90a:5 gfx90a:6 gfx942:5; do
  file=$kind.co
  if ! clang-22 -target amdgcn-amd-amdhsa -mcpu="${kind%:*}" -O2 -nogpulib \
    -mcode-object-version="${kind#*:}" -o "$work/$file" \
    "$srcdir/tests/gpu/hostcall/stack.c" > "$work/log" 2>&1; then
    skip "$kind" "clang-22 is not installed or does not compile it"
    continue
  fi
  launch "$file" recursive 16 12
  check "$kind: each lane recurs as deep as it needs" contains "$out" \
    "0 1 1 2 3 5 8 13 21 34 55 89 0 1 1 2"
  launch "$file" deep 64 100
  check "$kind: a hundred frames fit" contains "$out" "100 100 100 100"
  launch "$file" deep 64 10000
  check "$kind: a stack that overflows stops the queue" [ "$status" = 1 ]
  check "$kind: and the line names it" sh -c \
    'grep -Eq "kernel deep-0x.*lane 0 writes 0x.*, a work-item has 16[0-9]* bytes of scratch" "$1"' \
    sh "$work/err"
done
finish
