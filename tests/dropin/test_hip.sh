#!/bin/sh
# SPDX-License-Identifier: MIT
# A HIP program, compiled by hipcc and unmodified, on three personas.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
if ! command -v hipcc > /dev/null; then
  echo "1..0 # SKIP hipcc is not installed"
  exit 0
fi
if ! hipcc --offload-arch=gfx906 --offload-arch=gfx90a \
  --offload-arch=gfx1030 -O1 -o "$work/app" "$srcdir/tests/dropin/app.hip" \
  > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc cannot compile here: $(head -n 1 "$work/log")"
  exit 0
fi
AQUEDUCT_PLUGIN_PATH=${AQ_BUILDDIR:-.}/.libs
AQUEDUCT_KERNELS=${AQ_BUILDDIR:-.}/tests/dropin/.libs/libtestkernels.so
export AQUEDUCT_PLUGIN_PATH AQUEDUCT_KERNELS

less='callback came,graph agrees,cooperative agrees,managed agrees,'
less="${less}masked agrees,rows agree,"
for gfx in gfx906 gfx90a gfx1030; do
  try "$aqueduct" exec --timeout 60s --set "gfx=$gfx" -- "$work/app"
  check "$gfx: memory, streams, events, graphs and a kernel of a plug-in" \
    [ "$status$(echo "$out" | tail -n +2 | tr '\n' ,)" = \
    "0memcpy agrees,memset agrees,elapsed plausible,vadd agrees,$less" ]
  check "$gfx: the program sees that device" contains "$out" "device $gfx"
done

unset AQUEDUCT_KERNELS
try "$aqueduct" exec --timeout 60s --set gfx=gfx906 -- "$work/app"
check "without the plug-in it fails and names the kernel" \
  contains "$err" "kernel _Z4vaddPKfS0_Pfi has no host function"
check "the program's end is passed through" [ "$status" = 134 ]
finish
