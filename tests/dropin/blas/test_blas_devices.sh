#!/bin/sh
# SPDX-License-Identifier: MIT
# The BLAS libraries on a device of each processor that they have code for, under the
# checker, and on HIP where it is installed: there with AMD's own HSA runtime, too.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
builddir=${AQ_BUILDDIR:-.}
program=$builddir/tests/dropin/blas/check_blas

right() { # NAME OPTION… -- PROGRAM
  right_name=$1
  shift
  try "$aqueduct" exec --quiet --with-blas "$@"
  check "$right_name" [ "$status" = 0 ]
  grep '^not ok' "$work/out" | sed 's/^/# /'
}

for model in mi25 mi50 mi100 mi300x mi350x rx6900xt rx7900xtx gfx1151 rx9070xt; do
  right "everything is right on $model" --device $model -- "$program"
done
for model in mi210 rx7900xtx; do
  right "the checker finds nothing on $model" --device $model \
    --check=memory,race,init -- "$program"
done

# ---- HIP ----

hip=$(ldconfig -p 2> /dev/null |
  sed -n 's/.*=> \(.*libamdhip64\.so\.[0-9]*\)$/\1/p' | head -n 1)
sources=$srcdir/tests/dropin/blas
if [ -n "$hip" ] && ${AQ_CC:-cc} -std=gnu11 -O1 -I"$srcdir/src" -I"$srcdir/tests" \
  -o "$work/check" "$sources/check_blas.c" "$sources/check_gemm.c" \
  "$sources/check_rocblas.c" "$sources/check_solve.c" "$sources/check_vectors.c" \
  "$builddir/.libs/blas/libhipblas.so.2" "$builddir/.libs/blas/librocblas.so.4" \
  "$hip" -lm 2> "$work/log"; then
  right "everything is right on HIP and gfx90a" --device mi210 -- "$work/check"
  right "and on gfx1030" --device rx6900xt -- "$work/check"
  right "the checker finds nothing on HIP" --device mi210 \
    --check=memory,race,init -- "$work/check"
  right "everything is right on AMD's HSA runtime" --device mi210 \
    --runtime installed -- "$work/check"
else
  skip "everything is right on HIP" "HIP is not installed"
fi

if command -v hipcc > /dev/null; then
  mkdir -p "$work/include/hipblas"
  cp "$srcdir/src/dropin/blas/hipblas.h" "$work/include/hipblas"
  if hipcc -std=c++17 -O1 --offload-arch=gfx90a -I"$work/include" \
    -o "$work/scaled" "$sources/scaled.hip" -L"$builddir/.libs/blas" -lhipblas \
    > "$work/log" 2>&1; then
    right "a HIP program has kernels beside BLAS" --device mi210 -- "$work/scaled"
  else
    skip "a HIP program has kernels beside BLAS" \
      "hipcc cannot compile here: $(grep -m 1 error "$work/log")"
  fi
else
  skip "a HIP program has kernels beside BLAS" "hipcc is not installed"
fi
finish
