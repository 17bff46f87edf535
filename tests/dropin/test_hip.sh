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
less="${less}masked agrees,locked agrees,rows agree,arrays agree,textures agree,"
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

cat > "$work/plain.hip" << 'END'
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void vadd(const float *a, const float *b, float *c, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
__global__ void gemm(const float *a, const float *b, float *c, int n)
{
  __shared__ float sa[16][16], sb[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    sa[y][x] = a[row * n + k + x];
    sb[y][x] = b[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; i++)
      sum += sa[y][i] * sb[i][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
/* Small numbers: each product and sum is exact in any order. */
int main()
{
  enum { N = 100000, SIDE = 64 };
  static float a[N], b[N], c[N];
  float *da, *db, *dc;
  int wrong = 0;
  for (int i = 0; i < N; i++) {
    a[i] = (i * 7 % 13) * 0.25f;
    b[i] = (i * 5 % 11) * 0.5f;
  }
  if (hipMalloc(&da, sizeof a) || hipMalloc(&db, sizeof b) ||
      hipMalloc(&dc, sizeof c) ||
      hipMemcpy(da, a, sizeof a, hipMemcpyHostToDevice) ||
      hipMemcpy(db, b, sizeof b, hipMemcpyHostToDevice))
    return 2;
  vadd<<<(N + 255) / 256, 256>>>(da, db, dc, N);
  if (hipMemcpy(c, dc, sizeof c, hipMemcpyDeviceToHost))
    return 3;
  for (int i = 0; i < N; i++)
    wrong += c[i] != a[i] + b[i];
  gemm<<<dim3(SIDE / 16, SIDE / 16), dim3(16, 16)>>>(da, db, dc, SIDE);
  if (hipMemcpy(c, dc, SIDE * SIDE * sizeof *c, hipMemcpyDeviceToHost))
    return 4;
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      float sum = 0;
      for (int k = 0; k < SIDE; k++)
        sum += a[i * SIDE + k] * b[k * SIDE + j];
      wrong += sum != c[i * SIDE + j];
    }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
END
hipcc --offload-arch=gfx906 --offload-arch=gfx90a -O2 -o "$work/plain" \
  "$work/plain.hip" > "$work/log" 2>&1
for device in mi50 mi210; do
  try "$aqueduct" exec --timeout 60s --device "$device" -- "$work/plain"
  check "$device: code computes the right bytes without any plug-in" \
    [ "$status$out" = "00 wrong" ]
done

# All workgroups meet between the stores and the sum, over and over. HIP 5 waits
# at a barrier of the global wave sync, which a kernel of its own sets up.
cat > "$work/grid.hip" << 'END'
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
#include <cstdio>
enum { GROUPS = 12, SIZE = 256, N = GROUPS * SIZE, ROUNDS = 5 };
__global__ void rotate(int *from, int *to)
{
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < ROUNDS; round++) {
    int *next = round % 2 ? from : to, *now = round % 2 ? to : from;
    next[i] = now[(i + SIZE) % N] + 1;
    grid.sync();
  }
}
int main()
{
  static int host[N];
  int *from, *to, wrong = 0;
  for (int i = 0; i < N; i++)
    host[i] = i;
  if (hipMalloc(&from, sizeof host) || hipMalloc(&to, sizeof host) ||
      hipMemcpy(from, host, sizeof host, hipMemcpyHostToDevice))
    return 2;
  void *args[] = {&from, &to};
  if (hipLaunchCooperativeKernel((void *)rotate, dim3(GROUPS), dim3(SIZE), args,
                                 0, 0) ||
      hipMemcpy(host, to, sizeof host, hipMemcpyDeviceToHost))
    return 3;
  for (int i = 0; i < N; i++)
    wrong += host[i] != (i + ROUNDS * SIZE) % N + ROUNDS;
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
END
hipcc --offload-arch=gfx906 --offload-arch=gfx90a -O2 -o "$work/grid" \
  "$work/grid.hip" > "$work/log" 2>&1
for device in mi50 mi210; do
  try "$aqueduct" exec --timeout 60s --device "$device" -- "$work/grid"
  check "$device: the workgroups of a cooperative kernel wait for each other" \
    [ "$status$out" = "00 wrong" ]
done

AQUEDUCT_KERNELS_FROM=host
export AQUEDUCT_KERNELS_FROM
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
