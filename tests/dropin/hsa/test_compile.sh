#!/bin/sh
# SPDX-License-Identifier: MIT
# `exec --compile` and `launch --compile`: the results of compiled code.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
command -v hipcc > /dev/null || {
  echo "1..0 # SKIP hipcc is not installed"
  exit 0
}
unset AQUEDUCT_PLUGIN_PATH HSA_XNACK AQUEDUCT_COMPILE
AQUEDUCT_STORE=$work/store.db
AQUEDUCT_CACHE=$work/cache
export AQUEDUCT_STORE AQUEDUCT_CACHE

# Integers, floats and doubles in loops, LDS, barriers and a branch by lane.
cat > "$work/app.hip" << 'END'
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
enum { N = 1 << 14 };
__global__ void mix(unsigned *out, float *f, double *d, int turns)
{
  __shared__ unsigned s[256];
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  unsigned x = i * 2654435761u;
  float y = (float)i * 0.37f;
  double z = (double)i / 3;
  for (int k = 0; k < turns; k++) {
    x = (x << 5 | x >> 27) ^ (x * 5 + k);
    y = y * 0.999f + (float)(x & 255);
    z = z * 0.75 + 1.5;
    if (x & 1)
      y = -y;
    s[threadIdx.x] = x;
    __syncthreads();
    x += s[threadIdx.x ^ 17];
    __syncthreads();
  }
  out[i] = x;
  f[i] = y;
  d[i] = z;
}
int main()
{
  static unsigned out[N];
  static float f[N];
  static double d[N];
  unsigned *a;
  float *b;
  double *c;
  if (hipMalloc((void **)&a, sizeof out) || hipMalloc((void **)&b, sizeof f) ||
      hipMalloc((void **)&c, sizeof d))
    return 1;
  for (int run = 0; run < 3; run++)
    mix<<<N / 256, 256>>>(a, b, c, 50 + run);
  if (hipMemcpy(out, a, sizeof out, hipMemcpyDeviceToHost) ||
      hipMemcpy(f, b, sizeof f, hipMemcpyDeviceToHost) ||
      hipMemcpy(d, c, sizeof d, hipMemcpyDeviceToHost))
    return 1;
  fwrite(out, sizeof out, 1, stdout);
  fwrite(f, sizeof f, 1, stdout);
  fwrite(d, sizeof d, 1, stdout);
  return 0;
}
END
if ! hipcc --offload-arch=gfx90a --offload-arch=gfx1030 -O2 -o "$work/app" \
  "$work/app.hip" > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc cannot compile here: $(head -n 1 "$work/log")"
  exit 0
fi

run() { # MODE DEVICE: runs the program, its output goes to FILE.MODE.DEVICE
  "$aqueduct" exec --record none --compile "$1" --device "$2" -- "$work/app" \
    > "$work/out.$1.$2" 2> "$work/err"
}

for device in mi210 rx6900xt; do
  check "$device: the program runs interpreted" run off "$device"
done
for device in mi210 rx6900xt; do
  for mode in auto always; do
    check "$device: it runs, $mode" run "$mode" "$device"
    check "$device: as machine code" [ "$(grep -c "hot code is interpreted" "$work/err")" = 0 ]
    check "$device: with the same bytes" \
      cmp "$work/out.off.$device" "$work/out.$mode.$device"
  done
done

# The same kernel by launch.
launch() { # MODE
  "$aqueduct" launch "$work/app.hip" _Z3mixPjPfPdi --device mi210 --grid 1024 \
    --workgroup 256 --compile "$1" --print 8 --args 'out:u32[1024]' \
    'out:f32[1024]' 'out:f64[1024]' i32:40 > "$work/launch.$1" 2> "$work/err"
}
check "launch interprets" launch off
check "and executes machine code by default" launch auto
check "with the same results" sh -c 'grep "^out:" "$1" > "$1.out" &&
  grep "^out:" "$2" | cmp - "$1.out"' sh "$work/launch.off" "$work/launch.auto"

try "$aqueduct" exec --compile often -- "$work/app"
check "another word is an error" contains "$status $err" \
  'compile: "often"; expected off, auto or always'
try "$aqueduct" exec --compile cc -- "$work/app"
check "cc is an error that names what replaced it" contains "$status $err" \
  'aqueduct: error: --compile: "cc" is no longer: use auto'
finish
