#!/bin/sh
# SPDX-License-Identifier: MIT
# `exec --with-blas`: programs get libhipblas.so with the option alone, and its
# results are right. test_blas_devices.sh has the other devices, and HIP.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
builddir=${AQ_BUILDDIR:-.}
program=$builddir/tests/dropin/blas/check_blas

try "$aqueduct" exec --quiet --device mi210 --with-blas -- "$program"
check "everything is right on gfx90a" [ "$status" = 0 ]
grep '^not ok' "$work/out" | sed 's/^/# /'
check "nothing was left out" contains "$out" "1..33"
check "a refused function is named" contains "$err" \
  "aqueduct: blas: hipblasCgemm is not supported"
check "and refused types" contains "$err" \
  "hipblasGemmEx is not supported with A and B in f32, C in f32, f64 computed"
check "and another device" contains "$err" \
  "hipblasSgemm is not supported on device 1: the handle is of device 0"
check "each once" [ "$(grep -c hipblasCgemm "$work/err")" = 1 ]

try "$aqueduct" exec --quiet --device mi210 -- "$program"
check "without the option the program finds no library" [ "$status" = 127 ]

# ---- a library that is installed ----

cat > "$work/other.c" << 'C'
int hipblasCreate(void **handle) { (void)handle; return 11; }
C
cat > "$work/user.c" << 'C'
int hipblasCreate(void **handle);
int main(void)
{
  void *handle;
  return hipblasCreate(&handle);
}
C
if ${AQ_CC:-cc} -shared -fPIC -Wl,-soname,libhipblas.so.2 \
  -o "$work/libhipblas.so.2" "$work/other.c" 2> "$work/log" &&
  ${AQ_CC:-cc} -o "$work/user" "$work/user.c" "$work/libhipblas.so.2" \
    2>> "$work/log"; then
  LD_LIBRARY_PATH=$work
  export LD_LIBRARY_PATH
  try "$aqueduct" exec --quiet --host-only allow --device mi210 -- "$work/user"
  check "an installed library stays in use without the option" [ "$status" = 11 ]
  try "$aqueduct" exec --quiet --host-only allow --device mi210 --with-blas -- \
    "$work/user"
  check "and gives way with it" [ "$status" = 1 ]
  check "a program without HIP is told so" contains "$err" \
    "aqueduct: blas: the program has no HIP runtime"
  unset LD_LIBRARY_PATH
else
  skip "an installed library stays in use" "no compiler"
fi

# ---- its names ----

folder=$builddir/.libs/blas
for name in libhipblas.so.0 libhipblas.so.1 libhipblas.so.2 libhipblas.so.3 \
  librocblas.so.0 librocblas.so.3 librocblas.so.4 librocblas.so.5; do
  check "$name is there" [ -r "$folder/$name" ]
done
foreign() { # LIBRARY PREFIX
  nm -D --defined-only "$folder/$1" | awk -v prefix="$2" 'index($3, prefix) != 1'
}
check "the libraries export functions" [ "$(
  nm -D --defined-only "$folder/libhipblas.so.2" "$folder/librocblas.so.4" |
    grep -c -e ' hipblasCreate$' -e ' rocblas_create_handle$')" = 2 ]
check "and only names of their own" [ -z "$(
  foreign libhipblas.so.2 hipblas && foreign librocblas.so.4 rocblas_)" ]
finish
