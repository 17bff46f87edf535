#!/bin/bash
# SPDX-License-Identifier: MIT
# Blocks of malloc() in kernels, where the headers' functions are inlined and
# where they are called.
# shellcheck source=tests/gpu/check/sites.sh
. "$AQ_SRCDIR/tests/gpu/check/sites.sh"

checks=all,leak
program_make heap heap -std=c++17 -g -O1 --offload-arch=gfx90a
for case in $("$work/heap" 2> /dev/null); do
  try heap "$case"
done
program_make heap heap -std=c++17 -g -O0 --offload-arch=gfx90a
of="-O0: "
for case in heap_left freed_twice object_kept; do
  try heap "$case"
done

# Code whose local symbols are gone.
of="stripped: "
name="a program is right, and a note says what is not seen"
if command -v clang-offload-bundler-15 llvm-objcopy-15 > "$work/log" &&
  program_make heap heap -std=c++17 -O1 --offload-arch=gfx90a &&
  objcopy -O binary --only-section=.hip_fatbin "$work/heap" "$work/fat" &&
  clang-offload-bundler-15 --unbundle --type=o --input="$work/fat" \
    --targets=hipv4-amdgcn-amd-amdhsa--gfx90a --output="$work/code" \
    2> "$work/log"; then
  llvm-objcopy-15 -x "$work/code"
  HEAP_CODE=$work/code run "$work/heap" object_kept bad &&
    grep -q "^NOTE (memory): malloc not seen: " "$work/report" &&
    grep -q ': 0 errors, 1 note$' "$work/report"
  outcome $? "$of$name"
else
  number=$((number + 1))
  echo "ok $number - $of$name # SKIP no LLVM tools"
fi
echo "1..$number"
