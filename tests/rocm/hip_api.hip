// SPDX-License-Identifier: MIT
// Twelve parts of HIP's interface on two devices, each compared with what HIP's
// documentation promises: a line a part.
#include <hip/hip_runtime.h>

#include <hip/hip_cooperative_groups.h>
#include <hip/hiprtc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#define MUST(call)                                                             \
  do {                                                                         \
    hipError_t error_ = (call);                                                \
    if (error_ != hipSuccess) {                                                \
      printf("%s: %s\n", #call, hipGetErrorString(error_));                    \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static const int n = 1 << 14;
static const int groups = n / 256;

static void check(const char *name, bool right)
{
  printf("%s %s\n", name, right ? "ok" : "WRONG");
}

template <typename T> static T *device_array(size_t count)
{
  T *p;
  MUST(hipMalloc((void **)&p, count * sizeof(T)));
  return p;
}

template <typename T> static T *device_copy(const std::vector<T> &host)
{
  T *p = device_array<T>(host.size());
  MUST(hipMemcpy(p, host.data(), host.size() * sizeof(T),
                 hipMemcpyHostToDevice));
  return p;
}

template <typename T> static std::vector<T> host_copy(const T *p, size_t count)
{
  std::vector<T> host(count);
  MUST(hipMemcpy(host.data(), p, count * sizeof(T), hipMemcpyDeviceToHost));
  return host;
}

__global__ void add(int *p, int value, int count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    p[i] += value;
}

__global__ void saxpy(float a, const float *x, float *y, int count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    y[i] += a * x[i];
}

// Four streams of copies and kernels, each behind an event of the one before.
static void streams()
{
  enum { STREAMS = 4, KERNELS = 5 };
  hipStream_t stream[STREAMS];
  hipEvent_t begin[STREAMS], end[STREAMS];
  float *x[STREAMS], *y[STREAMS];
  const std::vector<float> ones(n, 1.0f);
  for (int i = 0; i < STREAMS; i++) {
    MUST(hipStreamCreateWithFlags(&stream[i], hipStreamNonBlocking));
    MUST(hipEventCreate(&begin[i]));
    MUST(hipEventCreate(&end[i]));
    x[i] = device_array<float>(n);
    y[i] = device_array<float>(n);
    MUST(hipMemcpyAsync(x[i], ones.data(), n * sizeof(float),
                        hipMemcpyHostToDevice, stream[i]));
    MUST(hipMemsetAsync(y[i], 0, n * sizeof(float), stream[i]));
    if (i > 0)
      MUST(hipStreamWaitEvent(stream[i], end[i - 1], 0));
    MUST(hipEventRecord(begin[i], stream[i]));
    for (int k = 0; k < KERNELS; k++)
      saxpy<<<groups, 256, 0, stream[i]>>>(i + 1.0f, x[i], y[i], n);
    MUST(hipEventRecord(end[i], stream[i]));
  }
  MUST(hipDeviceSynchronize());
  bool right = hipStreamQuery(stream[0]) == hipSuccess;
  for (int i = 0; i < STREAMS; i++) {
    float kernels, since;
    MUST(hipEventElapsedTime(&kernels, begin[i], end[i]));
    MUST(hipEventElapsedTime(&since, begin[0], begin[i]));
    for (float value : host_copy(y[i], n))
      right = right && value == KERNELS * (i + 1.0f);
    right = right && kernels > 0 && (i == 0 || since > 0);
  }
  check("streams", right);
}

static void graph()
{
  int *d = device_array<int>(n);
  std::vector<int> host(n);
  hipStream_t stream;
  hipGraph_t captured;
  hipGraphExec_t executable;
  size_t nodes = 0;
  MUST(hipStreamCreate(&stream));
  MUST(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  MUST(hipMemsetAsync(d, 0, n * sizeof(int), stream));
  for (int i = 0; i < 10; i++)
    add<<<groups, 256, 0, stream>>>(d, 1, n);
  MUST(hipMemcpyAsync(host.data(), d, n * sizeof(int), hipMemcpyDeviceToHost,
                      stream));
  MUST(hipStreamEndCapture(stream, &captured));
  MUST(hipGraphInstantiate(&executable, captured, nullptr, nullptr, 0));
  bool right = true;
  for (int launch = 0; launch < 3; launch++) {
    host.assign(n, 0);
    MUST(hipGraphLaunch(executable, stream));
    MUST(hipStreamSynchronize(stream));
    right = right && host == std::vector<int>(n, 10);
  }
  MUST(hipGraphGetNodes(captured, nullptr, &nodes));
  check("graph", right && nodes == 12);
}

// Pinned, managed and mapped memory, pitches, sizes, and too much of it.
static void memory()
{
  int *pinned, *managed, *mapped, *mapped_device;
  int *d = device_array<int>(n);
  const std::vector<char> rows(1000, 7);
  std::vector<char> read(1000);
  char *pitched;
  size_t pitch, free_bytes, total;
  void *huge;
  MUST(hipHostMalloc((void **)&pinned, n * sizeof(int), 0));
  MUST(hipMallocManaged((void **)&managed, n * sizeof(int)));
  MUST(hipHostMalloc((void **)&mapped, n * sizeof(int), hipHostMallocMapped));
  MUST(hipHostGetDevicePointer((void **)&mapped_device, mapped, 0));
  for (int i = 0; i < n; i++)
    pinned[i] = managed[i] = mapped[i] = i;
  MUST(hipMemcpy(d, pinned, n * sizeof(int), hipMemcpyHostToDevice));
  for (int *p : {d, managed, mapped_device})
    add<<<groups, 256>>>(p, 3, n);
  MUST(hipMemcpy(pinned, d, n * sizeof(int), hipMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < n; i++)
    right = right && pinned[i] == i + 3 && managed[i] == i + 3 &&
            mapped[i] == i + 3;
  MUST(hipMallocPitch((void **)&pitched, &pitch, 100, 10));
  MUST(hipMemcpy2D(pitched, pitch, rows.data(), 100, 100, 10,
                   hipMemcpyHostToDevice));
  MUST(hipMemset2D(pitched + 10, pitch, 9, 20, 5));
  MUST(hipMemcpy2D(read.data(), 100, pitched, pitch, 100, 10,
                   hipMemcpyDeviceToHost));
  for (int i = 0; i < 1000; i++) {
    const bool set = i < 500 && i % 100 >= 10 && i % 100 < 30;
    right = right && read[i] == (set ? 9 : 7);
  }
  MUST(hipMemGetInfo(&free_bytes, &total));
  right = right && free_bytes < total &&
          hipMalloc(&huge, (size_t)1 << 45) == hipErrorOutOfMemory;
  (void)hipGetLastError();
  check("memory", right);
}

__global__ void swap_pairs(int *p)
{
  __shared__ int shared[1024];
  shared[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = shared[threadIdx.x ^ 1];
}

// A multiprocessor has 32 places for waves of 64 lanes, or 64 for waves of 32,
// where HIP counts RDNA's workgroup processors. HIP 6 (clr 6.2 to 6.4 at least)
// takes the 1 with which code says that it runs on a whole one for false: half
// of its places.
static bool fills_a_multiprocessor(int threads, const hipDeviceProp_t &of)
{
  int version;
  MUST(hipRuntimeGetVersion(&version));
  const bool may_halve = of.warpSize == 32 && version >= 60000000;
  return of.maxThreadsPerMultiProcessor == 2048 &&
         (threads == 2048 || (may_halve && threads == 1024));
}

static void occupancy()
{
  int blocks, grid, block;
  hipDeviceProp_t properties;
  hipFuncAttributes attributes;
  MUST(hipGetDeviceProperties(&properties, 0));
  MUST(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, swap_pairs, 256,
                                                    0));
  MUST(hipOccupancyMaxPotentialBlockSize(&grid, &block, swap_pairs, 0, 0));
  MUST(hipFuncGetAttributes(&attributes, (const void *)swap_pairs));
  check("occupancy", fills_a_multiprocessor(blocks * 256, properties) &&
                         block == 1024 &&
                         grid == 2 * properties.multiProcessorCount &&
                         attributes.sharedSizeBytes == 4096);
}

__global__ void grid_sum(int *p, int count)
{
  cooperative_groups::grid_group all = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = i;
  all.sync();
  if (i == 0)
    for (int j = 0; j < count; j++)
      p[count] += p[j];
}

static void cooperative()
{
  int count = 1024, supported = 0;
  int *d = device_copy(std::vector<int>(count + 1));
  void *arguments[] = {&d, &count};
  MUST(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch,
                             0));
  MUST(hipLaunchCooperativeKernel((const void *)grid_sum, dim3(4), dim3(256),
                                  arguments, 0, 0));
  check("cooperative", supported != 0 && host_copy(d, count + 1)[count] ==
                                             count * (count - 1) / 2);
}

static void peers()
{
  int can = 0;
  hipStream_t stream;
  MUST(hipDeviceCanAccessPeer(&can, 0, 1));
  MUST(hipDeviceEnablePeerAccess(1, 0));
  int *first = device_copy(std::vector<int>(n, 5));
  add<<<groups, 256>>>(first, 1, n);
  MUST(hipDeviceSynchronize());
  MUST(hipSetDevice(1));
  int *second = device_array<int>(n);
  MUST(hipMemcpyPeer(second, 1, first, 0, n * sizeof(int)));
  add<<<groups, 256>>>(second, 10, n);
  MUST(hipDeviceSynchronize());
  MUST(hipStreamCreate(&stream));
  MUST(hipMemcpyPeerAsync(first, 0, second, 1, n * sizeof(int), stream));
  MUST(hipStreamSynchronize(stream));
  MUST(hipSetDevice(0));
  check("peers", can != 0 && host_copy(first, n) == std::vector<int>(n, 16));
}

__global__ void print()
{
  printf("lane %d of printf ok\n", (int)threadIdx.x);
}

// The kernel writes two lines.
static void printf_of_kernels()
{
  fflush(stdout);
  print<<<1, 2>>>();
  check("printf", hipDeviceSynchronize() == hipSuccess);
}

static void pools()
{
  hipStream_t stream;
  hipMemPool_t pool;
  uint64_t threshold = 1 << 20, used = 1;
  bool right = true;
  MUST(hipStreamCreate(&stream));
  for (int k = 0; k < 8; k++) {
    int *p, got = -1;
    MUST(hipMallocAsync((void **)&p, n * sizeof(int), stream));
    MUST(hipMemsetAsync(p, 0, n * sizeof(int), stream));
    add<<<groups, 256, 0, stream>>>(p, k, n);
    MUST(hipMemcpyAsync(&got, p + n - 1, sizeof got, hipMemcpyDeviceToHost,
                        stream));
    MUST(hipStreamSynchronize(stream));
    MUST(hipFreeAsync(p, stream));
    right = right && got == k;
  }
  MUST(hipStreamSynchronize(stream));
  MUST(hipDeviceGetDefaultMemPool(&pool, 0));
  MUST(
      hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  MUST(hipMemPoolTrimTo(pool, 0));
  MUST(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  check("pools", right && used == 0);
}

static std::vector<char> compiled(const char *source)
{
  hipDeviceProp_t properties;
  hiprtcProgram program;
  size_t size = 0;
  MUST(hipGetDeviceProperties(&properties, 0));
  const std::string target =
      std::string("--offload-arch=") + properties.gcnArchName;
  const char *options[] = {target.c_str()};
  if (hiprtcCreateProgram(&program, source, "scale.cu", 0, nullptr, nullptr) !=
          HIPRTC_SUCCESS ||
      hiprtcCompileProgram(program, 1, options) != HIPRTC_SUCCESS ||
      hiprtcGetCodeSize(program, &size) != HIPRTC_SUCCESS)
    return {};
  std::vector<char> code(size);
  return hiprtcGetCode(program, code.data()) == HIPRTC_SUCCESS
             ? code
             : std::vector<char>();
}

// A module that hipRTC compiles, launched by a buffer of arguments.
static void modules()
{
  const std::vector<char> code =
      compiled("__device__ int factor = 3;\n"
               "extern \"C\" __global__ void scale(int *p, int n)\n"
               "{ int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (i < n) p[i] *= factor; }\n");
  if (code.empty()) {
    check("modules", false);
    return;
  }
  hipModule_t module;
  hipFunction_t scale;
  hipDeviceptr_t factor;
  size_t factor_size;
  int five = 5;
  MUST(hipModuleLoadData(&module, code.data()));
  MUST(hipModuleGetFunction(&scale, module, "scale"));
  MUST(hipModuleGetGlobal(&factor, &factor_size, module, "factor"));
  struct {
    int *p;
    int count;
  } arguments = {device_copy(std::vector<int>(n, 2)), n};
  size_t size = sizeof arguments;
  void *by_buffer[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments,
                       HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                       HIP_LAUNCH_PARAM_END};
  void *by_pointers[] = {&arguments.p, &arguments.count};
  MUST(hipModuleLaunchKernel(scale, groups, 1, 1, 256, 1, 1, 0, 0, nullptr,
                             by_buffer));
  MUST(hipMemcpyHtoD(factor, &five, sizeof five));
  MUST(hipModuleLaunchKernel(scale, groups, 1, 1, 256, 1, 1, 0, 0, by_pointers,
                             nullptr));
  check("modules", factor_size == sizeof(int) &&
                       host_copy(arguments.p, n) == std::vector<int>(n, 30));
  MUST(hipModuleUnload(module));
}

// What HIP refuses, and that it goes on after it.
static void errors()
{
  int *d = device_array<int>(n);
  bool right = true;
  add<<<1, 2048>>>(d, 1, n);
  right = right && hipGetLastError() != hipSuccess;
  add<<<0, 64>>>(d, 1, n);
  right = right && hipGetLastError() != hipSuccess;
  right = right && hipSetDevice(99) == hipErrorInvalidDevice;
  right = right && hipFree((void *)0x1234) == hipErrorInvalidValue;
  right = right && hipMemcpy(nullptr, d, 16, hipMemcpyDeviceToHost) ==
                       hipErrorInvalidValue;
  (void)hipGetLastError();
  MUST(hipMemset(d, 0, n * sizeof(int)));
  add<<<groups, 256>>>(d, 1, n);
  check("errors", right && host_copy(d, n) == std::vector<int>(n, 1));
}

template <class T, int SIZE>
__global__ void block_sums(const T *in, T *out, int count)
{
  __shared__ T sums[SIZE];
  int t = threadIdx.x, i = blockIdx.x * SIZE + t;
  sums[t] = i < count ? in[i] : T(0);
  __syncthreads();
  for (int half = SIZE / 2; half > 0; half /= 2) {
    if (t < half)
      sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = sums[0];
}

template <class T> static bool sum_is_right()
{
  T *in = device_copy(std::vector<T>(1000, T(2)));
  T *out = device_array<T>(4);
  block_sums<T, 256><<<4, 256>>>(in, out, 1000);
  const std::vector<T> sums = host_copy(out, 4);
  return sums[0] + sums[1] + sums[2] + sums[3] == T(2000);
}

static void templates()
{
  check("templates", sum_is_right<float>() && sum_is_right<double>() &&
                         sum_is_right<int>() && sum_is_right<long long>());
}

__constant__ float coefficients[2];
__device__ int counter;

__global__ void line(float *p, int count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    p[i] = coefficients[0] + coefficients[1] * p[i];
    atomicAdd(&counter, 1);
  }
}

static std::atomic<int> callbacks;

static void called(hipStream_t, hipError_t, void *)
{
  callbacks++;
}

static bool threads_stream()
{
  hipStream_t stream;
  std::vector<float> host(1024);
  bool right = true;
  MUST(hipStreamCreate(&stream));
  float *d = device_array<float>(host.size());
  for (int repeat = 0; repeat < 20; repeat++) {
    host.assign(host.size(), 3);
    MUST(hipMemcpyAsync(d, host.data(), 4096, hipMemcpyHostToDevice, stream));
    line<<<4, 256, 0, stream>>>(d, 1024);
    MUST(hipMemcpyAsync(host.data(), d, 4096, hipMemcpyDeviceToHost, stream));
    MUST(hipStreamSynchronize(stream));
    right = right && host == std::vector<float>(host.size(), 7);
  }
  MUST(hipStreamAddCallback(stream, called, nullptr, 0));
  MUST(hipStreamSynchronize(stream));
  MUST(hipFree(d));
  MUST(hipStreamDestroy(stream));
  return right;
}

// Variables of the program, from four threads with a stream each.
static void symbols()
{
  const float values[] = {1, 2};
  int zero = 0, counted = 0;
  bool right[4];
  std::vector<std::thread> threads;
  MUST(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), values, sizeof values));
  MUST(hipMemcpyToSymbol(HIP_SYMBOL(counter), &zero, sizeof zero));
  for (bool &of_thread : right)
    threads.emplace_back([&of_thread] { of_thread = threads_stream(); });
  for (std::thread &thread : threads)
    thread.join();
  MUST(hipMemcpyFromSymbol(&counted, HIP_SYMBOL(counter), sizeof counted));
  check("symbols", right[0] && right[1] && right[2] && right[3] &&
                       counted == 4 * 20 * 1024 && callbacks == 4);
}

int main()
{
  streams();
  graph();
  memory();
  occupancy();
  cooperative();
  peers();
  printf_of_kernels();
  pools();
  modules();
  errors();
  templates();
  symbols();
}
