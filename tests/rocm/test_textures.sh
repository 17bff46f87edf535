#!/bin/sh
# SPDX-License-Identifier: MIT
# Textures and surfaces of HIP on devices whose image instructions execute.
# AQ_ROCM=DIR names another HIP: its program runs on mi210 too.
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

right() { # whether each of the program's 13 lines is
  [ "$status $(grep -c ' ok$' "$work/out") $(wc -l < "$work/out")" = "0 13 13" ]
}

for device in mi50=gfx906 mi210=gfx90a rx6900xt=gfx1030; do
  model=${device%=*}
  if ! hipcc -std=c++17 -O1 --offload-arch="${device#*=}" -o "$work/textures" \
    "$srcdir/tests/rocm/textures.hip" > "$work/log" 2>&1; then
    skip "$model: textures and surfaces are those of the host" \
      "hipcc cannot compile here: $(grep -m 1 error "$work/log")"
    continue
  fi
  try "$aqueduct" exec --timeout 120s --device "$model" -- "$work/textures"
  check "$model: textures and surfaces are those of the host" right
  try "$aqueduct" exec --timeout 120s --device "$model" --kernels-from isa \
    --compile always -- "$work/textures"
  check "$model: so they are with HIP's own kernels, in compiled code" right
  try "$aqueduct" exec --timeout 120s --device "$model" --check=all,leak \
    -- "$work/textures"
  check "$model: the checker has nothing to find in them" right
done
if [ -n "${AQ_ROCM:-}" ]; then
  LD_LIBRARY_PATH=$AQ_ROCM/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
  "$AQ_ROCM/bin/hipcc" -std=c++17 -O1 --offload-arch=gfx90a \
    -o "$work/textures" "$srcdir/tests/rocm/textures.hip" > "$work/log" 2>&1
  try "$aqueduct" exec --timeout 120s --device mi210 -- "$work/textures"
  check "HIP of AQ_ROCM: textures and surfaces are those of the host" right
fi
finish
