#!/bin/sh
# SPDX-License-Identifier: MIT
# Target regions of OpenMP under `aqueduct exec`, compiled by GCC and by LLVM of
# Debian: openmp.c compares each with the host. Which processors a compiler's own
# device library links for is on doc/libraries.md.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
unset AQUEDUCT_PLUGIN_PATH AQUEDUCT_DEVICE HSA_XNACK
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE
source=$srcdir/tests/rocm/openmp.c
cat > "$work/least.c" << 'C'
int main(void)
{
  int on = 0;
#pragma omp target map(tofrom : on)
  on = 1;
  return on;
}
C

ran() { # MODEL CASES
  [ "$status" = 0 ] && contains "$err" "device $1 (" &&
    [ "$(echo "$out" | grep -c '^equal ')" = "$2" ] &&
    [ "${out#*DIFFERS}" = "$out" ]
}
regions() { # NAME MODEL CASES COMMAND…
  name=$1 model=$2 cases=$3
  shift 3
  if ! "$@" -o "$work/least" "$work/least.c" > "$work/log" 2>&1; then
    skip "$name: target regions agree with the host" \
      "it does not compile for $model: $(grep -m 1 error "$work/log")"
    return
  fi
  if ! "$@" -DMATH -o "$work/app" "$source" -lm > "$work/log" 2>&1; then
    status=1 out='' err=$(cat "$work/log")
    check "$name: openmp.c compiles" false
    return
  fi
  try env LD_LIBRARY_PATH="$libraries" "$aqueduct" exec --timeout 120s \
    -- "$work/app"
  check "$name: target regions agree with the host" ran "$model" "$cases"
}

libraries=${LD_LIBRARY_PATH:-}
cases=17
gcc=${AQ_OPENMP_GCC:-gcc-12}
if command -v "$gcc" > /dev/null; then
  regions "GCC on gfx906" mi50 $cases "$gcc" -O2 -fopenmp \
    -foffload=amdgcn-amdhsa -foffload-options=-march=gfx906 \
    -foffload-options=-lm
else
  skip "GCC on gfx906" "no $gcc"
fi

# Only LLVM 19 of Debian has the library for GPUs, in 0.4 GB: make check-whole needs it.
clang=${AQ_OPENMP_CLANG:-clang-19}
if command -v "$clang" > /dev/null; then
  libraries=$(dirname "$("$clang" -print-file-name=libomptarget.so)")
  bitcode=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode
  # Debian's device libraries end at gfx940, whose constants are gfx942's.
  mkdir "$work/bitcode"
  for file in "$bitcode"/*.bc; do
    [ -e "$file" ] && ln -s "$file" "$work/bitcode"
  done
  ln -s "$bitcode/oclc_isa_version_940.bc" \
    "$work/bitcode/oclc_isa_version_942.bc"
  while read -r gfx model; do
    regions "LLVM on $gfx" "$model" "$cases" "$clang" -O2 -fopenmp \
      "--offload-arch=$gfx" "--rocm-device-lib-path=$work/bitcode"
  done << 'E'
gfx906 mi50
gfx908 mi100
gfx90a mi210
gfx942 mi300x
E
elif [ -n "${AQ_WHOLE:-}" ]; then
  skip "LLVM" "no $clang"
fi
finish
