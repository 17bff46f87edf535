#!/bin/sh
# SPDX-License-Identifier: MIT
# `exec --compile`: the results of compiled code, its cache, and hosts without a
# compiler.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
for tool in hipcc cc; do
  command -v "$tool" > /dev/null || {
    echo "1..0 # SKIP $tool is not installed"
    exit 0
  }
done
unset AQUEDUCT_PLUGIN_PATH HSA_XNACK AQUEDUCT_COMPILE AQUEDUCT_CC
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
int main(int argc, char **argv)
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
    mix<<<N / 256, 256>>>(a, b, c, (argc > 1 ? atoi(argv[1]) : 50) + run);
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
  check "$device: nothing is compiled then" [ ! -e "$work/cache/native" ]
done
for device in mi210 rx6900xt; do
  for mode in auto always; do
    check "$device: it runs as machine code, $mode" run "$mode" "$device"
    check "$device: with the same bytes" \
      cmp "$work/out.off.$device" "$work/out.$mode.$device"
  done
  check "$device: which needs no cache" [ ! -e "$work/cache/native" ]
done
for device in mi210 rx6900xt; do
  check "$device: it runs compiled" run cc-always "$device"
  check "$device: with the same bytes" \
    cmp "$work/out.off.$device" "$work/out.cc-always.$device"
  # The first device's are looked at below.
  [ -s "$work/list" ] || ls "$work"/cache/native/*.native > "$work/list"
done
check "the cache has libraries" [ -s "$work/list" ]
check "that only this user reaches" \
  [ "$(stat -c %a "$work/cache/native")" = 700 ]

first=$(head -n 1 "$work/list")
before=$(stat -c %Y.%i "$first")
check "cc takes a library from the cache" run cc mi210
check "with the same bytes" cmp "$work/out.off.mi210" "$work/out.cc.mi210"
check "and leaves it" [ "$(stat -c %Y.%i "$first")" = "$before" ]

# Other bytes, of the same length, in each library.
while read -r file; do
  printf 'spoiled' | dd of="$file" bs=1 seek=2000 conv=notrunc 2> /dev/null
done < "$work/list"
check "spoiled libraries are not loaded" run cc-always mi210
check "with the same bytes" cmp "$work/out.off.mi210" "$work/out.cc-always.mi210"
check "but built anew" sh -c '! grep -q spoiled "$1"' sh "$first"
chmod 777 "$work/cache/native"
check "a folder that others may enter is not used" run cc-always mi210
check "and the code still runs" cmp "$work/out.off.mi210" "$work/out.cc-always.mi210"
chmod 700 "$work/cache/native"

# Code that becomes hot, while the cache has nothing of it.
AQUEDUCT_CACHE=$work/cache.cold
hot() { # MODE
  "$aqueduct" exec --record none --compile "$1" --device mi210 -- \
    "$work/app" 30000 > "$work/hot.$1" 2> "$work/err"
}
check "cc leaves code interpreted that is not hot" run cc mi210
check "and the cache empty" sh -c '! ls "$1"/native/*.native 2> "$1.err"' sh \
  "$work/cache.cold"
check "it compiles hot code" hot cc
check "into the cache" ls "$work/cache.cold"/native/*.native
check "which the next process finds" hot cc-always
check "with the same bytes" cmp "$work/hot.cc" "$work/hot.cc-always"
AQUEDUCT_CACHE=$work/cache

# The same kernel by launch.
launch() { # MODE
  "$aqueduct" launch "$work/app.hip" _Z3mixPjPfPdi --device mi210 --grid 1024 \
    --workgroup 256 --compile "$1" --print 8 --args 'out:u32[1024]' \
    'out:f32[1024]' 'out:f64[1024]' i32:40 > "$work/launch.$1" 2> "$work/err"
}
AQUEDUCT_CACHE=$work/cache.launch
check "launch interprets" launch off
check "and executes machine code by default" launch auto
check "with the same results" sh -c 'grep "^out:" "$1" > "$1.out" &&
  grep "^out:" "$2" | cmp - "$1.out"' sh "$work/launch.off" "$work/launch.auto"
check "and compiles" launch cc-always
check "with the same results" sh -c 'grep "^out:" "$1" > "$1.out" &&
  grep "^out:" "$2" | cmp - "$1.out"' sh "$work/launch.off" \
  "$work/launch.cc-always"
check "of a library in the cache" sh -c 'ls "$1"/native/*.native' sh \
  "$work/cache.launch"
AQUEDUCT_CACHE=$work/cache

AQUEDUCT_CC=$work/none
export AQUEDUCT_CC
check "without a compiler the code is interpreted" run cc-always mi210
check "which one line reports, of several kernels" [ "$(grep -c \
  "^aqueduct: hot code is interpreted, not compiled: " "$work/err")" = 1 ]
check "with the same bytes" cmp "$work/out.off.mi210" "$work/out.cc-always.mi210"
unset AQUEDUCT_CC

try "$aqueduct" exec --compile often -- "$work/app"
check "another word is an error" contains "$status $err" \
  "compile: 'often'; expected off, auto, always, cc or cc-always"
finish
