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
kernels=${AQ_BUILDDIR:-.}/tests/dropin/.libs/libtestkernels.so
export AQUEDUCT_PLUGIN_PATH

less='callback came,graph agrees,cooperative agrees,managed agrees,'
less="${less}masked agrees,rows agree,arrays agree,textures agree,"
for device in mi50=gfx906 mi210=gfx90a rx6900xt=gfx1030; do
  gfx=${device#*=}
  try "$aqueduct" exec --timeout 60s --device "${device%=*}" --name "$gfx" \
    --kernels "$kernels" -- "$work/app"
  check "$gfx: memory, streams, events, graphs and a kernel of a plug-in" \
    [ "$status$(echo "$out" | tail -n +2 | tr '\n' ,)" = \
    "0memcpy agrees,memset agrees,elapsed plausible,vadd agrees,$less" ]
  check "$gfx: the program sees that device" contains "$out" "device $gfx"
  try "$aqueduct" export "$gfx" --format jsonl
  check "$gfx: its kernels, copies and waits are stored" sh -c '
    grep -q "\"kind\":\"kernel\".*\"_Z4vaddPKfS0_Pfi\".*\"vgpr\":[1-9]" "$1" &&
    grep -q "\"kind\":\"copy\"" "$1" &&
    grep -q "\"kind\":\"wait\".*\"hsa_signal_wait_" "$1"' sh "$work/out"
done
try "$aqueduct" replay gfx906 --device mi50 --name again
check "such a run can be replayed" [ "$status" = 0 ]
try "$aqueduct" compare again
check "and compared with its origin" [ "$status" = 0 ]

try "$aqueduct" exec --timeout 60s --device mi50 -- "$work/app"
check "without the plug-in it fails and names the kernel" \
  contains "$err" "kernel _Z4vaddPKfS0_Pfi has no host function"
check "the program's end is passed through" [ "$status" = 134 ]
check "the layout of its arguments is told" sh -c '
  grep -q "_Z4vaddPKfS0_Pfi: [0-9]* bytes of arguments" "$1" &&
  grep -q "offset 8, 8 bytes: global_buffer" "$1" &&
  grep -q "offset 24, 4 bytes: by_value" "$1"' sh "$work/err"
try "$aqueduct" exec --timeout 60s --device mi50 --missing-kernels=warn -- \
  "$work/app"
check "with --missing-kernels=warn it runs, and computes nothing" sh -c '
  [ "$1" = 0 ] && grep -q "elapsed plausible" "$2" &&
  ! grep -q "vadd agrees" "$2"' sh "$status" "$work/out"
finish
