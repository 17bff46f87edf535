// SPDX-License-Identifier: MIT
// Defects of memory and races, one a case, each with a fixed twin (sites.hpp).
#include "sites.hpp"

// ---- between dispatches, copies and queues ----

__global__ void put(int *a, int v)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = v + i; // FINDS write_behind_read: race between dispatches
}

__global__ void twice(const int *a, int *b)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[i]; // FINDS read_before_event: race between dispatches
  b[i] = 2 * x;
}

static void read_before_event(bool fixed)
{
  streams s;
  int *a = make<int>(N), *b = make<int>(N);
  put<<<2, 256, 0, s.a>>>(a, 3);
  if (fixed)
    s.order();
  twice<<<2, 256, 0, s.b>>>(a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

// HIP would map the first of eight streams and the fifth to one queue.
__global__ void thrice(const int *a, int *b)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[i]; // FINDS streams_of_one_queue: race between dispatches
  b[i] = 3 * x;
}

static void streams_of_one_queue(bool fixed)
{
  hipStream_t all[8];
  int *a = make<int>(N), *b = make<int>(N);
  for (hipStream_t &s : all)
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  put<<<2, 256, 0, all[0]>>>(a, 3);
  thrice<<<2, 256, 0, all[fixed ? 0 : 4]>>>(a, b);
  OK(hipDeviceSynchronize());
  for (hipStream_t s : all)
    OK(hipStreamDestroy(s));
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void count_up(int *a)
{
  int i = threadIdx.x;
  atomicAdd(a + i, 1); // FINDS fill_before_atomics: race between dispatches
}

static void fill_before_atomics(bool fixed)
{
  streams s;
  int *a = make<int>(N);
  OK(hipMemsetAsync(a, 0, N * sizeof(int), s.a));
  if (fixed)
    s.order();
  count_up<<<1, 256, 0, s.b>>>(a);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void fourfold(const int *a, int *b)
{
  int i = threadIdx.x;
  int x = a[i]; // FINDS value_not_waited: race between dispatches
  b[i] = 4 * x;
}

// Values in memory order two streams.
static void value_not_waited(bool fixed)
{
  streams s;
  int *a = make<int>(N), *b = make<int>(N);
  unsigned *value;
  OK(hipExtMallocWithFlags((void **)&value, 8, hipMallocSignalMemory));
  *value = 0;
  put<<<2, 256, 0, s.a>>>(a, 3);
  OK(hipStreamWriteValue32(s.a, value, 5, 0));
  if (fixed)
    OK(hipStreamWaitValue32(s.b, value, 5, hipStreamWaitValueEq, 0xffffffff));
  fourfold<<<1, 256, 0, s.b>>>(a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void fivefold(const int *a, int *b)
{
  int i = threadIdx.x;
  int x = a[i]; // FINDS edge_missing: race between dispatches
  b[i] = 5 * x;
}

// Two nodes of a graph.
static void edge_missing(bool fixed)
{
  int *a = make<int>(N), *b = make<int>(N), v = 3;
  void *writes[] = {&a, &v}, *reads[] = {&a, &b};
  hipGraph_t graph;
  hipGraphExec_t made;
  hipGraphNode_t first, second;
  hipKernelNodeParams one = {}, two = {};
  one.func = (void *)put, one.kernelParams = writes;
  one.gridDim = dim3(2), one.blockDim = dim3(256);
  two.func = (void *)fivefold, two.kernelParams = reads;
  two.gridDim = dim3(1), two.blockDim = dim3(256);
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddKernelNode(&first, graph, nullptr, 0, &one));
  OK(hipGraphAddKernelNode(&second, graph, &first, fixed ? 1 : 0, &two));
  OK(hipGraphInstantiate(&made, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(made, 0));
  OK(hipDeviceSynchronize());
  OK(hipGraphExecDestroy(made));
  OK(hipGraphDestroy(graph));
  OK(hipFree(a));
  OK(hipFree(b));
}

static void write_behind_read(bool fixed)
{
  streams s;
  int *a = make<int>(N), *b = make<int>(N);
  put<<<2, 256, 0, s.a>>>(a, 3);
  twice<<<2, 256, 0, s.a>>>(a, b);
  if (fixed)
    s.order();
  put<<<2, 256, 0, s.b>>>(a, 4);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void stamp(unsigned char *a, int v)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = (unsigned char)v; // FINDS write_write: race between dispatches
}

static void write_write(bool fixed)
{
  streams s;
  unsigned char *a = make<unsigned char>(N);
  stamp<<<2, 256, 0, s.a>>>(a, 3);
  if (fixed)
    s.order();
  stamp<<<2, 256, 0, s.b>>>(a, 4);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void add_one(int *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] += 1; // FINDS event_too_early: race between dispatches
}

static void event_too_early(bool fixed)
{
  streams s;
  int *a = make<int>(N);
  OK(hipMemset(a, 0, N * sizeof(int)));
  OK(hipDeviceSynchronize());
  if (!fixed)
    s.order(); // recorded before the kernel that it should cover
  add_one<<<2, 256, 0, s.a>>>(a);
  if (fixed)
    s.order();
  add_one<<<2, 256, 0, s.b>>>(a);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void sum_pair(const int *a, const int *b, int *c)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[i];
  int y = b[i]; // FINDS one_of_two_waited: race between dispatches
  c[i] = x + y;
}

static void one_of_two_waited(bool fixed)
{
  streams s;
  int *a = make<int>(N), *b = make<int>(N), *c = make<int>(N);
  hipStream_t third;
  OK(hipStreamCreateWithFlags(&third, hipStreamNonBlocking));
  put<<<2, 256, 0, s.a>>>(a, 1);
  put<<<2, 256, 0, third>>>(b, 2);
  s.order();
  if (fixed) {
    OK(hipEventRecord(s.event, third));
    OK(hipStreamWaitEvent(s.b, s.event, 0));
  }
  sum_pair<<<2, 256, 0, s.b>>>(a, b, c);
  OK(hipDeviceSynchronize());
  OK(hipStreamDestroy(third));
  OK(hipFree(a));
  OK(hipFree(b));
  OK(hipFree(c));
}

__global__ void halve(float *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i]; // FINDS fill_not_waited: race between dispatches
  a[i] = x / 2;
}

static void fill_not_waited(bool fixed)
{
  streams s;
  float *a = make<float>(N);
  OK(hipMemsetAsync(a, 0, N * sizeof(float), s.a));
  if (fixed)
    OK(hipStreamSynchronize(s.a));
  halve<<<2, 256, 0, s.b>>>(a);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void square(const int *a, int *b)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[i]; // FINDS upload_not_waited: race between dispatches
  b[i] = x * x;
}

static void upload_not_waited(bool fixed)
{
  streams s;
  int *a = make<int>(N), *b = make<int>(N), *h;
  OK(hipHostMalloc(&h, N * sizeof(int)));
  for (int i = 0; i < N; i++)
    h[i] = i;
  OK(hipMemcpyAsync(a, h, N * sizeof(int), hipMemcpyHostToDevice, s.a));
  if (fixed)
    s.order();
  square<<<2, 256, 0, s.b>>>(a, b);
  OK(hipDeviceSynchronize());
  OK(hipHostFree(h));
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void step(double *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = i * 0.5; // FINDS download_not_waited: race between dispatches
}

static void download_not_waited(bool fixed)
{
  streams s;
  double *a = make<double>(N), *h;
  OK(hipHostMalloc(&h, N * sizeof(double)));
  OK(hipMemset(a, 0, N * sizeof(double)));
  OK(hipDeviceSynchronize());
  OK(hipMemcpyAsync(h, a, N * sizeof(double), hipMemcpyDeviceToHost, s.a));
  if (fixed)
    s.order();
  step<<<2, 256, 0, s.b>>>(a, N);
  OK(hipDeviceSynchronize());
  OK(hipHostFree(h));
  OK(hipFree(a));
}


// ---- memory ----

__global__ void past_end_kernel(int *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    a[i] = i; // FINDS write_past_end: out of bounds
}

static void write_past_end(bool fixed)
{
  int *a = make<int>(N);
  past_end_kernel<<<3, 256>>>(a, fixed ? N - 1 : N);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void before_kernel(const int *a, int *b, int shift)
{
  int i = threadIdx.x;
  b[i] = a[i - shift]; // FINDS read_before_begin: out of bounds
}

static void read_before_begin(bool fixed)
{
  int *a = make<int>(N), *b = make<int>(N);
  OK(hipMemset(a, 0, N * sizeof(int)));
  before_kernel<<<1, 64>>>(a, b, fixed ? 0 : 1);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void wide_kernel(const float4 *a, float4 *b)
{
  float4 x = a[threadIdx.x]; // FINDS wide_read_past_end: out of bounds
  b[threadIdx.x] = x;
}

static void wide_read_past_end(bool fixed)
{
  float *a = make<float>(4 * 64 - (fixed ? 0 : 2));
  float4 *b = make<float4>(64);
  OK(hipMemset(a, 0, (4 * 64 - 2) * sizeof(float)));
  wide_kernel<<<1, 64>>>((const float4 *)a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void bytes_kernel(unsigned char *a, int n)
{
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i] = 7; // FINDS byte_past_end: out of bounds
}

static void byte_past_end(bool fixed)
{
  unsigned char *a = make<unsigned char>(1001);
  bytes_kernel<<<1, 256>>>(a, fixed ? 1001 : 1002);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void far_kernel(int *a, int i)
{
  a[i] = 1; // FINDS write_in_redzone: out of bounds
}

static void write_in_redzone(bool fixed)
{
  int *a = make<int>(1024), *b = make<int>(1024);
  far_kernel<<<1, 1>>>(a, fixed ? 0 : 3000);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void stale_kernel(const int *a, int *b)
{
  b[threadIdx.x] = a[threadIdx.x]; // FINDS use_after_free: use after free
}

static void use_after_free(bool fixed)
{
  int *a = make<int>(N), *b = make<int>(N);
  OK(hipMemset(a, 0, N * sizeof(int)));
  OK(hipDeviceSynchronize());
  if (!fixed)
    OK(hipFree(a));
  stale_kernel<<<1, 64>>>(a, b);
  OK(hipDeviceSynchronize());
  if (fixed)
    OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void null_kernel(int *a)
{
  a[threadIdx.x] = 1; // FINDS write_to_null: null pointer
}

static void write_to_null(bool fixed)
{
  int *a = make<int>(N);
  null_kernel<<<1, 64>>>(fixed ? a : nullptr);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void wild_kernel(const int *a, int *b)
{
  b[threadIdx.x] = a[threadIdx.x]; // FINDS read_wild: wild pointer
}

static void read_wild(bool fixed)
{
  int *a = make<int>(N), *b = make<int>(N);
  OK(hipMemset(a, 0, N * sizeof(int)));
  wild_kernel<<<1, 64>>>(fixed ? a : (const int *)0x123456789000ull, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void count_kernel(char *a, int shift)
{
  __hip_atomic_fetch_add((int *)(a + shift), 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); // FINDS misaligned_atomic: misaligned
}

static void misaligned_atomic(bool fixed)
{
  char *a = make<char>(64);
  OK(hipMemset(a, 0, 64));
  count_kernel<<<1, 1>>>(a, fixed ? 4 : 2);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void atomic_past_kernel(int *a, int n)
{
  __hip_atomic_fetch_add(a + threadIdx.x % n, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); // FINDS atomic_past_end: out of bounds
}

static void atomic_past_end(bool fixed)
{
  int *a = make<int>(16);
  OK(hipMemset(a, 0, 64));
  atomic_past_kernel<<<1, 64>>>(a, fixed ? 16 : 17);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void row_kernel(const float *a, float *sum, int columns, int pitch)
{
  float x = 0;
  for (int i = 0; i < columns; i++)
    x += a[threadIdx.x * pitch + i]; // FINDS wrong_pitch: out of bounds
  sum[threadIdx.x] = x;
}

static void wrong_pitch(bool fixed)
{
  float *a = make<float>(64 * 10), *sum = make<float>(64);
  OK(hipMemset(a, 0, 64 * 10 * sizeof(float)));
  row_kernel<<<1, 64>>>(a, sum, 10, fixed ? 10 : 11);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(sum));
}

__global__ void shared_past_kernel(int *a, int n)
{
  extern __shared__ int box[];
  box[threadIdx.x + n] = threadIdx.x; // FINDS shared_past_end: LDS out of range
  __syncthreads();
  a[threadIdx.x] = box[threadIdx.x + n];
}

static void shared_past_end(bool fixed)
{
  int *a = make<int>(N);
  shared_past_kernel<<<1, 64, 64 * sizeof(int)>>>(a, fixed ? 0 : 1);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void shared_read_kernel(int *a, int n)
{
  extern __shared__ int box[];
  box[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int i = (threadIdx.x * n) % 4096;
  a[threadIdx.x] = box[i]; // FINDS shared_read_far: LDS out of range
}

static void shared_read_far(bool fixed)
{
  int *a = make<int>(N);
  shared_read_kernel<<<1, 64, 64 * sizeof(int)>>>(a, fixed ? 1 : 33);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

// ---- races in a dispatch ----

__global__ void neighbour_kernel(int *a, int fixed)
{
  __shared__ int box[256];
  int i = threadIdx.x;
  box[i] = i; // FINDS shared_without_barrier: race in LDS
  if (fixed)
    __syncthreads();
  a[i] = box[255 - i]; // FINDS shared_without_barrier: race in LDS
}

static void shared_without_barrier(bool fixed)
{
  int *a = make<int>(256);
  neighbour_kernel<<<1, 256>>>(a, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void reduce_kernel(const float *a, float *sum, int fixed)
{
  __shared__ float box[256];
  int i = threadIdx.x;
  box[i] = a[i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (i < half)
      box[i] += box[i + half]; // FINDS reduce_without_barrier: race in LDS
    if (fixed || half <= 64)
      __syncthreads();
  }
  if (i == 0)
    *sum = box[0];
}

static void reduce_without_barrier(bool fixed)
{
  float *a = make<float>(256), *sum = make<float>(1);
  OK(hipMemset(a, 0, 256 * sizeof(float)));
  reduce_kernel<<<1, 256>>>(a, sum, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(sum));
}

__global__ void tile_kernel(const int *a, int *b, int fixed)
{
  __shared__ int tile[256];
  int i = threadIdx.x, x = 0;
  for (int k = 0; k < 4; k++) {
    tile[i] = a[256 * k + i]; // FINDS tile_overwritten: race in LDS
    __syncthreads();
    x += tile[(i + 64) % 256]; // FINDS tile_overwritten: race in LDS
    if (fixed)
      __syncthreads();
  }
  b[i] = x;
}

static void tile_overwritten(bool fixed)
{
  int *a = make<int>(1024), *b = make<int>(256);
  OK(hipMemset(a, 0, 1024 * sizeof(int)));
  tile_kernel<<<1, 256>>>(a, b, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void histogram_kernel(const unsigned *a, unsigned *out, int fixed)
{
  __shared__ unsigned bins[16];
  int i = threadIdx.x;
  if (i < 16)
    bins[i] = 0;
  __syncthreads();
  if (fixed)
    atomicAdd(&bins[a[i] % 16], 1u);
  else
    bins[a[i] % 16] += 1; // FINDS histogram_without_atomics: race in LDS
  __syncthreads();
  if (i < 16)
    out[i] = bins[i];
}

static void histogram_without_atomics(bool fixed)
{
  unsigned *a = make<unsigned>(256), *out = make<unsigned>(16);
  OK(hipMemset(a, 0, 256 * sizeof(unsigned)));
  histogram_kernel<<<1, 256>>>(a, out, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(out));
}

__global__ void total_kernel(int *total, int fixed)
{
  if (fixed)
    atomicAdd(total, 1);
  else
    *total = *total + 1; // FINDS total_without_atomics: race between workgroups
}

static void total_without_atomics(bool fixed)
{
  int *a = make<int>(1);
  OK(hipMemset(a, 0, sizeof(int)));
  total_kernel<<<8, 1>>>(a, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void shift_kernel(int *a, int *b, int fixed)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[i + 1]; // FINDS shift_in_place: race between workgroups
  int *to = fixed ? b : a;
  to[i] = x; // FINDS shift_in_place: race between workgroups
}

static void shift_in_place(bool fixed)
{
  int *a = make<int>(N + 1), *b = make<int>(N);
  OK(hipMemset(a, 0, (N + 1) * sizeof(int)));
  shift_kernel<<<N / 64, 64>>>(a, b, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void halo_kernel(int *a, int fixed)
{
  int i = threadIdx.x;
  a[i] = i; // FINDS global_without_barrier: race in a workgroup
  if (fixed)
    __syncthreads();
  a[256 + i] = a[255 - i]; // FINDS global_without_barrier: race in a workgroup
}

static void global_without_barrier(bool fixed)
{
  int *a = make<int>(512);
  halo_kernel<<<1, 256>>>(a, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void last_kernel(int *part, int *count, int *sum, int fixed)
{
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x;
    if (fixed)
      __threadfence();
    last = fixed ? atomicAdd(count, 1) == (int)gridDim.x - 1
                 : blockIdx.x == gridDim.x - 1;
    if (fixed)
      __threadfence();
    if (last) {
      int x = 0;
      for (unsigned i = 0; i < gridDim.x; i++)
        x += part[i]; // FINDS last_block_guessed: race between workgroups
      *sum = x;
    }
  }
}

static void last_block_guessed(bool fixed)
{
  int *part = make<int>(8), *count = make<int>(1), *sum = make<int>(1);
  OK(hipMemset(count, 0, sizeof(int)));
  last_kernel<<<8, 64>>>(part, count, sum, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(part));
  OK(hipFree(count));
  OK(hipFree(sum));
}

__device__ __attribute__((noinline)) int twice_of(int x)
{
  return 2 * x;
}
__global__ void patch(int *a, int fixed)
{
  int *code = fixed ? a : (int *)(size_t)twice_of;
  code[threadIdx.x] = 0; // FINDS code_written: write to read-only memory
  a[64 + threadIdx.x] = twice_of(threadIdx.x);
}
static void code_written(bool fixed)
{
  int *a = make<int>(128);
  patch<<<1, 64>>>(a, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void consume(int *a, int n)
{
  int *own = n ? a : (int *)__builtin_amdgcn_kernarg_segment_ptr() + 2;
  own[0] = n - 1; // FINDS argument_written: write to read-only memory
}
static void argument_written(bool fixed)
{
  int *a = make<int>(1);
  consume<<<1, 1>>>(a, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

// gfx90a adds floats in its cache, which does not keep the host's memory.
__global__ void energy(const double *a, double *sum)
{
  __builtin_amdgcn_global_atomic_fadd_f64((__attribute__((address_space(1))) double *)sum, a[threadIdx.x]); // FINDS dropped_atomic: dropped atomic
}
static void dropped_atomic(bool fixed)
{
  double *a = make<double>(64), *sum;
  OK(hipMemset(a, 0, 64 * sizeof *a));
  if (fixed)
    OK(hipMalloc((void **)&sum, sizeof *sum));
  else
    OK(hipHostMalloc((void **)&sum, sizeof *sum, 0));
  OK(hipMemset(sum, 0, sizeof *sum));
  energy<<<1, 64>>>(a, sum);
  OK(hipDeviceSynchronize());
  OK(fixed ? hipFree(sum) : hipHostFree(sum));
  OK(hipFree(a));
}

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(streams_of_one_queue),
    CASE(fill_before_atomics),
    CASE(value_not_waited),
    CASE(edge_missing),
    CASE(read_before_event),
    CASE(write_behind_read),
    CASE(write_write),
    CASE(event_too_early),
    CASE(one_of_two_waited),
    CASE(fill_not_waited),
    CASE(upload_not_waited),
    CASE(download_not_waited),
    CASE(write_past_end),
    CASE(read_before_begin),
    CASE(wide_read_past_end),
    CASE(byte_past_end),
    CASE(write_in_redzone),
    CASE(use_after_free),
    CASE(write_to_null),
    CASE(read_wild),
    CASE(misaligned_atomic),
    CASE(atomic_past_end),
    CASE(wrong_pitch),
    CASE(shared_past_end),
    CASE(shared_read_far),
    CASE(shared_without_barrier),
    CASE(reduce_without_barrier),
    CASE(tile_overwritten),
    CASE(histogram_without_atomics),
    CASE(total_without_atomics),
    CASE(shift_in_place),
    CASE(global_without_barrier),
    CASE(last_block_guessed),
    CASE(dropped_atomic),
    CASE(code_written),
    CASE(argument_written),
};
