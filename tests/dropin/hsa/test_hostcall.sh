#!/bin/sh
# SPDX-License-Identifier: MIT
# printf, assert and abort of kernels: under exec, whose HIP listens itself, and
# in launch, which listens for the kernel.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
cat > "$work/app.hip" << 'H'
#include <hip/hip_runtime.h>
#include <cassert>
#include <cstdio>
extern "C" __global__ void hello(int n)
{
  printf("%d of %d: %s|%5.2f|%-6x|%c%%\n", (int)threadIdx.x, n, "text",
         1.5 * threadIdx.x, 255u, 'c');
}
extern "C" __global__ void count(int n)
{
  printf("item %d\n", (int)(blockIdx.x * blockDim.x + threadIdx.x));
}
extern "C" __global__ void check(int *p)
{
  assert(p[threadIdx.x] == 0 && "p is zero");
}
extern "C" __global__ void stop(int n) { abort(); }
int main(int argc, char **argv)
{
  int *p;
  hello<<<1, 3>>>(3);
  if (hipDeviceSynchronize() != hipSuccess || hipMalloc(&p, 256) != hipSuccess)
    return 1;
  hipMemset(p, argc > 1, 256);
  check<<<1, 1>>>(p);
  return hipDeviceSynchronize() != hipSuccess;
}
H
if ! command -v hipcc > /dev/null ||
  ! hipcc --offload-arch=gfx90a -O1 -o "$work/app" "$work/app.hip" \
    > "$work/log" 2>&1 ||
  ! hipcc --offload-arch=gfx90a -O1 --genco -o "$work/app.co" "$work/app.hip" \
    > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc is not installed or cannot compile here"
  exit 0
fi
AQUEDUCT_PLUGIN_PATH=${AQ_BUILDDIR:-.}/.libs
export AQUEDUCT_PLUGIN_PATH
text="0 of 3: text| 0.00|ff    |c%
1 of 3: text| 1.50|ff    |c%
2 of 3: text| 3.00|ff    |c%"

try "$aqueduct" exec --device mi210 --timeout 60s -- "$work/app"
check "exec: printf of a kernel prints, an assert that holds is silent" \
  [ "$status$out" = "0$text" ]
try "$aqueduct" exec --device mi210 --timeout 60s -- "$work/app" x
check "exec: an assert that fails is printed" contains "$err" \
  "Device-side assertion \`p[threadIdx.x] == 0 && \"p is zero\"' failed"
check "and the queue stops with kernel and instruction" contains "$err" \
  "s_trap 2"

launch() { # KERNEL OPTION...
  launch_kernel=$1
  shift
  try "$aqueduct" launch "$work/app.co" "$launch_kernel" --device mi210 \
    --timeout 60s "$@"
}
launch hello --grid 3 --args i32:3
check "launch: printf of a kernel prints" [ "$status" = 0 ]
check "before the times" contains "$out" "$text
submit-start"
launch hello --grid 3 --json --args i32:3
check "in --json as a text" contains "$out" '"printed": "0 of 3: text|'
launch count --grid 1024 --workgroup 128 --args i32:0
printf '%s\n' "$out" | sed -n 's/^item //p' | sort -n > "$work/items"
seq 0 1023 > "$work/wanted"
check "each item of many waves prints once" cmp -s "$work/items" "$work/wanted"
launch check --grid 4 --args 'buf:i32[4]=1'
check "launch: a failed assert stops the queue" [ "$status" != 0 ]
check "and is printed" contains "$err" "p is zero"
launch stop --grid 1 --args i32:0
check "launch: abort stops the queue, and names the wave" contains "$err" \
  "s_trap 2: workgroup 0,0,0 wave 0"
finish
