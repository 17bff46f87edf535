#!/bin/sh
# SPDX-License-Identifier: MIT
# `exec --report-fidelity`: what of a program was exact, approximate, unsupported.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
unset AQUEDUCT_PLUGIN_PATH HSA_XNACK
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE
report=$work/report

has() { # FILE LINE: the report has that line
  grep -qxF -- "$2" "$1"
}

# A program without kernels that calls an unsupported function.
cat > "$work/plain.c" << 'C'
#include <dlfcn.h>
int main(void)
{
  void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  if (((int (*)(void))dlsym(hsa, "hsa_init"))() != 0)
    return 1;
  int (*get)(unsigned long, void *) = (int (*)(unsigned long, void *))dlsym(
      hsa, "hsa_amd_vmem_get_vmem_info");
  return get(0, 0) == 0 || get(0, 0) == 0;
}
C
${AQ_CC:-cc} -w -o "$work/plain" "$work/plain.c" -ldl
try "$aqueduct" exec --report-fidelity "$report" "$work/plain"
check "a program without kernels has a report" [ "$status$out" = 0 ]
check "it names the default device" has "$report" \
  "  device: mi300x (gfx942), chosen by the files that the process had loaded, else as the default"
check "and an unsupported function once" \
  [ "$(grep -c hsa_amd_vmem_get_vmem_info "$report")" = 1 ]
try "$aqueduct" exec --device mi210 --report-fidelity - "$work/plain"
check "- is standard error" contains "$err" \
  "  device: mi210 (gfx90a), chosen by the user"
check "nothing stays in the folder of spools" \
  [ -z "$(ls "$work/store.db.spool")" ]
try "$aqueduct" exec --report-fidelity "$report" true
check "without HSA there is nothing to report" \
  [ "$status$(cat "$report")" = \
  "125no process opened HSA: there is nothing to report" ]
try "$aqueduct" exec --report-fidelity "$work/none/report" "$work/plain"
check "a bad path is an error before the program runs" \
  contains "$status $err" "125 aqueduct: error: --report-fidelity $work/none/report: No such file"
try "$aqueduct" exec --json --report-fidelity "$report" "$work/plain"
check "--json gives JSON" is_json "$report"
try "$aqueduct" exec "$work/plain"
check "without the option there is none" \
  sh -c '! grep -q fidelity "$1"' sh "$work/err"

if ! command -v hipcc > /dev/null; then
  skip "the kernels of a HIP program" "no hipcc"
  finish
  exit 0
fi
cat > "$work/app.hip" << 'C'
#include <hip/hip_runtime.h>
typedef float four __attribute__((ext_vector_type(4)));
typedef int whole __attribute__((ext_vector_type(4)));
extern "C" __global__ void twice(int *a) { a[threadIdx.x] *= 2; }
extern "C" __global__ void curve(float *a)
{
  float x = a[threadIdx.x];
  a[threadIdx.x] = __builtin_amdgcn_rcpf(x) + __builtin_amdgcn_rsqf(x + 1) +
                   __builtin_amdgcn_sinf(x) + __builtin_amdgcn_cosf(x) +
                   __builtin_amdgcn_rcpf(x + 2) + __builtin_amdgcn_sqrtf(x);
}
extern "C" __global__ void wide(double *a)
{
  a[threadIdx.x] = __builtin_amdgcn_rsq(a[threadIdx.x]);
}
extern "C" __global__ void matrix(four *a)
{
  four x = a[threadIdx.x];
  a[threadIdx.x] = __builtin_amdgcn_mfma_f32_4x4x1f32(x[0], x[1], x, 0, 0, 0);
}
extern "C" __global__ void integers(whole *a)
{
  whole x = a[threadIdx.x];
  a[threadIdx.x] = __builtin_amdgcn_mfma_i32_4x4x4i8(x[0], x[1], x, 0, 0, 0);
}
extern "C" __global__ void clocked(long *a)
{
  a[threadIdx.x] = __builtin_amdgcn_s_memtime();
}
extern "C" __global__ void never(float *a) { a[0] = __builtin_amdgcn_cosf(a[0]); }
extern "C" __global__ void bad(int *a)
{
  asm volatile("s_setkill 0");
  a[0] = 1;
}
__global__ void vadd(const float *a, const float *b, float *c, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = __builtin_amdgcn_rcpf(a[i]) + b[i];
}
int main(int argc, char **argv)
{
  int *a, h = 21;
  if (hipMalloc((void **)&a, 1 << 16) != hipSuccess)
    return 1;
  hipMemset(a, 0, 1 << 16);
  hipMemcpy(a, &h, 4, hipMemcpyHostToDevice);
  if (argc > 1)
    bad<<<1, 64>>>(a);
  for (int i = 0; i < 3; i++)
    twice<<<1, 1>>>(a);
  curve<<<1, 64>>>((float *)a + 1024);
  wide<<<1, 64>>>((double *)a + 1024);
  matrix<<<1, 64>>>((four *)a + 1024);
  integers<<<1, 64>>>((whole *)a + 1024);
  clocked<<<1, 64>>>((long *)a + 1024);
  float *f = (float *)a + 1024;
  vadd<<<1, 64>>>(f, f + 64, f + 128, 64);
  if (hipDeviceSynchronize() != hipSuccess)
    return 2;
  if (argc > 2)
    never<<<1, 1>>>(f);
  hipMemcpy(&h, a, 4, hipMemcpyDeviceToHost);
  return h == 168 ? 0 : 3;
}
C
if ! hipcc -O2 --offload-arch=gfx90a -o "$work/app" "$work/app.hip" \
  > "$work/log" 2>&1; then
  skip "the kernels of a HIP program" \
    "hipcc cannot compile here: $(head -n 1 "$work/log")"
  finish
  exit 0
fi
kernels=$(cd "${AQ_BUILDDIR:-.}" && pwd)/tests/dropin/hsa/.libs/libtestkernels.so
try "$aqueduct" exec --report-fidelity "$report" --kernels "$kernels" "$work/app"
check "a program with kernels has a report" [ "$status" = 0 ]
check "the device was chosen by its code" has "$report" \
  "  device: mi210 (gfx90a), chosen by the program's code objects"
check "the times are named" has "$report" \
  "  times: durations predicted ± 38 % from executed code; assumed: 2 of 10 kernels; the device model's constants are partly calibrated"
check "dispatches of machine code are counted" sh -c '
  sed -n "/by their machine code/,/^  [^ ]/p" "$1" |
  grep -qxF "    twice: dispatches 3"' sh "$report"
check "a host function of a plug-in is named" sh -c '
  sed -n "/host function of a plug-in/,/^  [^ ]/p" "$1" |
  grep -qxF "    _Z4vaddPKfS0_Pfi: dispatches 1"' sh "$report"
check "kernels that were not dispatched are not there" \
  sh -c '! grep -q "never\|bad" "$1"' sh "$report"
check "integers in any order are exact" \
  [ "$(grep -c integers "$report")" = 1 ]

# The compiler's own listing has the instructions of the kernels.
hipcc -O2 --offload-arch=gfx90a --cuda-device-only -S -o "$work/app.s" \
  "$work/app.hip"
awk '/^[a-z_A-Z0-9]*:/ { kernel = $1 }
  /^\t(v_(rcp|rsq|sqrt|exp|log|sin|cos)_|v_mfma_f|s_mem(real)?time)/ {
    sub(/_e(32|64)$/, "", $1); print kernel, $1 }' "$work/app.s" |
  grep -v -e '^never:' -e '^_Z4vadd' | sort | uniq -c |
  awk '{ print $2, $3, $1 }' | sort > "$work/listed"
awk '/^  approximate,/ { inside = 1; next }
  /^  [^ ]/ { inside = 0 }
  inside { gsub(/,/, ""); for (i = 2; i < NF; i += 2) print $1, $i, $(i + 1) }' \
  "$report" | sort > "$work/reported"
check "instructions that are not exact are those of the compiler's listing" \
  cmp "$work/listed" "$work/reported"
check "and there are some" [ "$(wc -l < "$work/listed")" -ge 8 ]
for class in ulp:v_rcp_f32 estimate:v_rsq_f64 matrix:v_mfma_f32 clock:s_memtime; do
  check "${class#*:}: class ${class%:*}" sh -c '
    sed -n "/^  approximate, $2:/,/^  [^ ]/p" "$1" | grep -q " $3"' \
    sh "$report" "${class%:*}" "${class#*:}"
done

try "$aqueduct" exec --report-fidelity "$report" --kernels-from host \
  --missing-kernels warn "$work/app"
check "kernels without an effect are named" sh -c '
  sed -n "/took time and computed nothing/,/^  [^ ]/p" "$1" |
  grep -qxF "    twice: dispatches 3"' sh "$report"
check "and nothing of them is approximate" \
  has "$report" "  approximate: nothing of executed machine code"

try "$aqueduct" exec --report-fidelity "$report" --timeout 60s "$work/app" bad
check "unsupported code is named, although the program failed" sh -c '
  [ "$2" != 0 ] && grep -q "^    bad: .*s_setkill 0" "$1"' sh "$report" "$status"

try "$aqueduct" exec --json --report-fidelity "$report" "$work/app"
if command -v python3 > /dev/null; then
  check "the same as JSON" python3 - "$report" << 'P'
import json
import sys
(p,) = json.load(open(sys.argv[1]))["processes"]
by = {k["name"]: k for k in p["kernels"]}
classes = {c["class"]: c["instructions"] for c in p["approximate"]}
assert p["device"]["gfx"] == "gfx90a" and p["durations"].startswith("predicted"), p
assert by["twice"]["by"] == "machine code" and by["twice"]["dispatches"] == 3
assert set(classes) == {"ulp", "estimate", "matrix", "clock"}, classes
assert any(i["kernel"] == "curve" and i["instruction"] == "v_rcp_f32" and
           i["count"] == 2 for i in classes["ulp"]), classes
assert p["unsupported_functions"] == [], p
P
else
  skip "the same as JSON" "no python3"
fi
finish
