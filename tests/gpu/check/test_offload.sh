#!/bin/bash
# SPDX-License-Identifier: MIT
# Defects of target regions of OpenMP, and of programs in MLIR.
# shellcheck source=tests/gpu/check/sites.sh
. "$AQ_SRCDIR/tests/gpu/check/sites.sh"

# Target regions of OpenMP. Its library keeps memory to the end, which
# LeakSanitizer would report.
export ASAN_OPTIONS=detect_leaks=0
clang=$(command -v "${AQ_OPENMP_CLANG:-clang-19}")
if [ -n "$clang" ] && "$clang" -g -O2 -fopenmp --offload-arch=gfx90a \
  --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode \
  -o "$work/offload" "$here/offload.c" 2> "$work/log"; then
  libraries=$(dirname "$("$clang" -print-file-name=libomptarget.so)")
  export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  for case in $("$work/offload"); do
    try offload "$case"
  done
elif [ -n "${AQ_WHOLE:-}" ]; then # make check-whole
  echo "ok $((number += 1)) - OpenMP # SKIP no clang that compiles for gfx90a"
fi

# GCC's threads are waves: its barriers are none of work-items. Its wait states
# are another matter.
gcc=$(command -v gcc-14 || command -v gcc-13 || command -v gcc-12)
if [ -n "$gcc" ] && "$gcc" -fopenmp -O2 -g -foffload=amdgcn-amdhsa \
  -foffload-options=-march=gfx906 -o "$work/waves" "$here/waves.c" \
  2> "$work/log"; then
  device=mi50 checks=memory,init,race,sync
  run "$work/waves" && grep -q "CHECK SUMMARY.* 0 errors" "$work/report" &&
    ! grep -q "^POSSIBLE" "$work/report"
  outcome $? "a right program of GCC's offload has no finding but notes"
  device=mi210 checks=all
elif [ -n "${AQ_WHOLE:-}" ]; then # make check-whole
  echo "ok $((number += 1)) - GCC # SKIP no gcc that compiles for gfx906"
fi

# Programs in MLIR, without source lines: the finding names the kernel.
mlir() { # WAY NAME FILE KIND
  local good=1
  run "$aqueduct" mlir "$3" --transport hsa
  case $?$1 in
  1bad) grep -A 1 "): $4: " "$work/report" | grep -q "^    at $2" && good=0 ;;
  0fixed) grep -qE ': 0 errors(, [0-9]+ notes?)?$' "$work/report" && good=0 ;;
  esac
  outcome $good "MLIR, $2, $1: $4"
}

export XDG_CACHE_HOME=$work/cache
if "$aqueduct" mlir "$here/total.mlir" --device mi210 > "$work/log" 2>&1; then
  sed 's/(%sx = %c13,/(%sx = %c14,/
    s/  %c13 = .*/&\n  %c14 = arith.constant 14 : index/' \
    "$here/../../dropin/mlir/async.mlir" > "$work/async.mlir"
  sed 's/ *\/\/ FIXED //; /\/\/ BAD/d' "$here/total.mlir" > "$work/total.mlir"
  mlir bad total "$here/total.mlir" "race between workgroups"
  mlir fixed total "$work/total.mlir" "race between workgroups"
  mlir bad main_kernel "$work/async.mlir" "out of bounds"
  mlir fixed main_kernel "$here/../../dropin/mlir/async.mlir" "out of bounds"
else
  echo "ok $((number += 1)) - MLIR # SKIP $(grep -m 1 . "$work/log")"
fi
echo "1..$number"
