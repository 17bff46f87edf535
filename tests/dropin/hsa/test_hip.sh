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
  --offload-arch=gfx1030 -O1 -o "$work/app" "$srcdir/tests/dropin/hsa/app.hip" \
  > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc cannot compile here: $(head -n 1 "$work/log")"
  exit 0
fi
AQUEDUCT_PLUGIN_PATH=${AQ_BUILDDIR:-.}/.libs
kernels=${AQ_BUILDDIR:-.}/tests/dropin/hsa/.libs/libtestkernels.so
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

# Textures of linear memory are images of buffers. The host reads the same bytes.
cat > "$work/linear.hip" << 'END'
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
enum { N = 1000 };
static unsigned char bytes[N * 16];
template <typename T>
__global__ void fetch(hipTextureObject_t texture, T *out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    tex1Dfetch(&out[i], texture, N - 1 - i);
}
template <typename T> static int differs(const char *name)
{
  static T out[N];
  T *from, *to;
  hipTextureObject_t texture;
  hipResourceDesc resource = {};
  hipTextureDesc how = {};
  if (hipMalloc(&from, sizeof out) || hipMalloc(&to, sizeof out) ||
      hipMemcpy(from, bytes, sizeof out, hipMemcpyHostToDevice))
    return 2;
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = from;
  resource.res.linear.desc = hipCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = sizeof out;
  how.readMode = hipReadModeElementType;
  if (hipCreateTextureObject(&texture, &resource, &how, nullptr))
    return 3;
  fetch<T><<<(N + 255) / 256, 256>>>(texture, to);
  if (hipMemcpy(out, to, sizeof out, hipMemcpyDeviceToHost))
    return 4;
  int wrong = 0;
  for (int i = 0; i < N; i++)
    wrong += memcmp(&out[i], bytes + (N - 1 - i) * sizeof(T), sizeof(T)) != 0;
  if (wrong)
    printf("%s: %d wrong\n", name, wrong);
  return wrong != 0;
}
int main()
{
  for (int i = 0; i < N * 16; i++)
    bytes[i] = i * 7 + (i >> 8);
  return differs<char>("char") | differs<unsigned char>("unsigned char") |
         differs<short>("short") | differs<ushort2>("ushort2") |
         differs<uchar4>("uchar4") | differs<int>("int") |
         differs<unsigned>("unsigned") | differs<float>("float") |
         differs<int2>("int2") | differs<float4>("float4");
}
END
hipcc --offload-arch=gfx906 --offload-arch=gfx90a --offload-arch=gfx1030 -O2 \
  -o "$work/linear" "$work/linear.hip" > "$work/log" 2>&1
for device in mi50 mi210 rx6900xt; do
  try "$aqueduct" exec --timeout 60s --device "$device" -- "$work/linear"
  check "$device: code reads textures of linear memory as the host does" \
    [ "$status$out" = "0" ]
done

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

# Host functions reach the program's variables where no code is executed, and
# leave the bytes there that the code leaves.
cat > "$work/variables.hip" << 'END'
#include <hip/hip_runtime.h>
#include <cstdio>
__constant__ float factors[4] = {5, 3, 0, 0};
__device__ int counter;
__global__ void poly(float *p, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = factors[0] + factors[1] * p[i];
  if (i < n)
    atomicAdd(&counter, 1);
}
int main()
{
  enum { N = 1000 };
  static float host[N];
  float given[4] = {1, 2, 0, 0}, *p;
  int count = 40, wrong = 0;
  for (int i = 0; i < N; i++)
    host[i] = i;
  if (hipMemcpyToSymbol(HIP_SYMBOL(factors), given, sizeof given) ||
      hipMemcpyToSymbol(HIP_SYMBOL(counter), &count, sizeof count) ||
      hipMalloc(&p, sizeof host) ||
      hipMemcpy(p, host, sizeof host, hipMemcpyHostToDevice))
    return 2;
  for (int i = 0; i < 2; i++)
    poly<<<(N + 255) / 256, 256>>>(p, N);
  if (hipMemcpy(host, p, sizeof host, hipMemcpyDeviceToHost) ||
      hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count))
    return 3;
  for (int i = 0; i < N; i++)
    wrong += host[i] != 3 + 4.0f * i;
  printf("%d wrong, counter %d\n", wrong, count);
  return wrong != 0;
}
END
hipcc --offload-arch=gfx90a --offload-arch=gfx1030 -O2 -o "$work/variables" \
  "$work/variables.hip" > "$work/log" 2>&1
cat > "$work/poly.c" << 'END'
#include <aqueduct/kernel.h>
typedef struct poly_args {
  float *p;
  int32_t n;
} poly_args;
static void poly(const aq_kernel_call *call)
{
  const poly_args *args = call->kernarg;
  const float *factors = aq_kernel_variable(call, "factors", 4 * sizeof *factors);
  int32_t *counter = aq_kernel_variable(call, "counter", sizeof *counter);
  for (int32_t i = 0; factors && counter && i < args->n; i++, ++*counter)
    args->p[i] = factors[0] + factors[1] * args->p[i];
}
const aq_kernels *aq_kernels_plugin(void)
{
  static const aq_kernel_entry entries[] = {
      {.name = "_Z4polyPfi", .function = poly}, {.name = NULL}};
  static const aq_kernels table = {VERSION, sizeof table, "poly", "poly",
                                   entries};
  return &table;
}
END
for version in AQ_KERNELS_ABI 3; do
  # shellcheck disable=SC2086 # it may have a wrapper before it
  ${AQ_CC:-cc} -std=gnu11 -fPIC -shared -I"${AQ_BUILDDIR:-.}/public" \
    -DVERSION=$version -o "$work/poly-$version.so" "$work/poly.c"
done
for run in mi210 "mi210 --kernels $work/poly-AQ_KERNELS_ABI.so" \
  "rx6900xt --kernels $work/poly-AQ_KERNELS_ABI.so"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" exec --timeout 60s --device $run -- "$work/variables"
  check "${run%% *}: variables are those of the program$(
    [ "$run" = mi210 ] || echo ", in host functions")" \
    [ "$status$out" = "00 wrong, counter 2040" ]
done
launched() { # NAME OPTION...
  name=$1
  shift
  try "$aqueduct" launch "$work/variables" _Z4polyPfi "$@" --grid 64 --args \
    'out:f32[64]=iota' u32:64
  check "launch, $name: the variables are those of the code object" \
    contains "$status$out" ": 5 8 11 14"
}
launched "code" --device mi210
launched "host function" --device rx6900xt --kernels \
  "$work/poly-AQ_KERNELS_ABI.so"
AQUEDUCT_LIBHSA_PATH=${AQ_BUILDDIR:-.}/.libs/libhsa-runtime64.so.1
AQUEDUCT_DEVICE=mi210
export AQUEDUCT_LIBHSA_PATH AQUEDUCT_DEVICE
launched "host function through HSA" --transport hsa --device gfx90a \
  --kernels "$work/poly-AQ_KERNELS_ABI.so"
unset AQUEDUCT_LIBHSA_PATH AQUEDUCT_DEVICE
try "$aqueduct" exec --device rx6900xt --kernels "$work/poly-3.so" -- \
  "$work/variables"
check "a plug-in of before is refused by its version" contains "$err" \
  "poly-3.so: made for version 3 of the kernels interface; this program has"
try "$aqueduct" show "$work/variables" --stub -o "$work/stub.c"
check "a stub lists the variables" grep -q '^ \*   factors: 16 bytes' \
  "$work/stub.c"
# shellcheck disable=SC2086 # it may have a wrapper before it
check "and compiles" ${AQ_CC:-cc} -std=gnu11 -Wall -Wextra -Werror -fPIC \
  -shared -I"${AQ_BUILDDIR:-.}/public" -o "$work/stub.so" "$work/stub.c"

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
