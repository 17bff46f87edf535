// SPDX-License-Identifier: MIT
// A HIP program as anybody writes it; it knows nothing of the simulator.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

#define CHECK(call)                                                            \
  do {                                                                         \
    hipError_t error = (call);                                                 \
    if (error != hipSuccess) {                                                 \
      printf("%s: %s\n", #call, hipGetErrorString(error));                     \
      return 1;                                                                \
    }                                                                          \
  } while (0)

enum { N = 4096 };
static float host[N], back[N];

__global__ void vadd(const float *a, const float *b, float *c, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

extern "C" __global__ void fetch(hipTextureObject_t texture, float *out,
                                 int width)
{
  int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex2D<float>(texture, x, y);
}

static bool is_filled(const float *values, unsigned char byte)
{
  for (size_t i = 0; i < N * sizeof *values; i++)
    if (((const unsigned char *)values)[i] != byte)
      return false;
  return true;
}

/* Arrays are images, which kernels of the runtime fill and read; textures are
 * how kernels of the program read them. */
static int arrays(float *c)
{
  enum { SIDE = 32, ROW = SIDE * sizeof *host, FROM = 1024 };
  hipTextureObject_t texture;
  hipResourceDesc resource = {};
  hipTextureDesc sampler = {};
  hipChannelFormatDesc format =
      hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
  hipArray *array;
  memset(back, 0, sizeof back);
  CHECK(hipMallocArray(&array, &format, SIDE, SIDE));
  CHECK(hipMemcpy2DToArray(array, 0, 0, host + FROM, ROW, ROW, SIDE,
                           hipMemcpyHostToDevice));
  CHECK(hipMemcpy2DFromArray(back + FROM, ROW, array, 0, 0, ROW, SIDE,
                             hipMemcpyDeviceToHost));
  printf("arrays %s\n", memcmp(back + FROM, host + FROM, ROW * SIDE) == 0
                            ? "agree"
                            : "differ");
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  CHECK(hipCreateTextureObject(&texture, &resource, &sampler, nullptr));
  fetch<<<SIDE, SIDE>>>(texture, c, SIDE);
  CHECK(hipMemcpy(back, c, ROW * SIDE, hipMemcpyDeviceToHost));
  printf("textures %s\n", memcmp(back, host + FROM, ROW * SIDE) == 0
                              ? "agree"
                              : "differ");
  CHECK(hipDestroyTextureObject(texture));
  CHECK(hipFreeArray(array));
  return 0;
}

static void note(hipStream_t, hipError_t, void *called)
{
  *(int *)called = 1;
}

/* What is less common: callbacks, graphs, cooperative launches, managed
 * memory, masks of compute units, two dimensions. */
static int less_common(float *a, float *b, float *c)
{
  hipStream_t stream, masked;
  hipGraph_t graph;
  hipGraphExec_t exec;
  float *managed, *locked;
  static unsigned char rows[10][100];
  int called = 0, n = N;
  uint32_t mask[] = {0xff};
  void *args[] = {&a, &b, &c, &n};
  size_t size = sizeof host;
  CHECK(hipStreamCreateWithPriority(&stream, 0, -1));
  CHECK(hipStreamAddCallback(stream, note, &called, 0));
  CHECK(hipStreamSynchronize(stream));
  printf("callback %s\n", called ? "came" : "did not come");
  CHECK(hipMemset(c, 0, size));
  CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  vadd<<<N / 256, 256, 0, stream>>>(a, b, c, N);
  CHECK(hipMemcpyAsync(back, c, size, hipMemcpyDeviceToHost, stream));
  CHECK(hipStreamEndCapture(stream, &graph));
  CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK(hipGraphLaunch(exec, stream));
  CHECK(hipStreamSynchronize(stream));
  printf("graph %s\n", back[7] == 14 ? "agrees" : "differs");
  CHECK(hipMemset(c, 0, size));
  CHECK(hipLaunchCooperativeKernel((const void *)vadd, dim3(N / 256),
                                   dim3(256), args, 0, stream));
  CHECK(hipStreamSynchronize(stream));
  CHECK(hipMemcpy(back, c, size, hipMemcpyDeviceToHost));
  printf("cooperative %s\n", back[7] == 14 ? "agrees" : "differs");
  CHECK(hipMallocManaged(&managed, size));
  CHECK(hipMemset(managed, 1, size));
  CHECK(hipDeviceSynchronize());
  printf("managed %s\n", is_filled(managed, 1) ? "agrees" : "differs");
  CHECK(hipExtStreamCreateWithCUMask(&masked, 1, mask));
  vadd<<<N / 256, 256, 0, masked>>>(a, b, managed, N);
  CHECK(hipStreamSynchronize(masked));
  printf("masked %s\n", managed[7] == 14 ? "agrees" : "differs");
  CHECK(hipHostRegister(host, sizeof host, hipHostRegisterDefault));
  CHECK(hipHostGetDevicePointer((void **)&locked, host, 0));
  vadd<<<N / 256, 256, 0, stream>>>(locked, locked, locked, N);
  CHECK(hipStreamSynchronize(stream));
  CHECK(hipHostUnregister(host));
  printf("locked %s\n", host[7] == 14 ? "agrees" : "differs");
  CHECK(hipMemset2D(c, 256, 7, 100, 10));
  CHECK(hipMemcpy2D(rows, 100, c, 256, 100, 10, hipMemcpyDeviceToHost));
  printf("rows %s\n", rows[0][0] == 7 && rows[9][99] == 7 ? "agree" : "differ");
  return arrays(c);
}

int main()
{
  hipDeviceProp_t device;
  hipStream_t stream;
  hipEvent_t begin, end;
  float *a, *b, *c, *pinned, ms;
  size_t size = sizeof host;
  CHECK(hipGetDeviceProperties(&device, 0));
  printf("device %s\n", device.gcnArchName);
  for (int i = 0; i < N; i++)
    host[i] = (float)i;
  CHECK(hipMalloc(&a, size));
  CHECK(hipMalloc(&b, size));
  CHECK(hipMalloc(&c, size));
  CHECK(hipHostMalloc(&pinned, size, 0));
  CHECK(hipMemcpy(a, host, size, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(b, a, size, hipMemcpyDeviceToDevice));
  CHECK(hipMemcpy(back, b, size, hipMemcpyDeviceToHost));
  printf("memcpy %s\n", memcmp(back, host, size) ? "differs" : "agrees");
  CHECK(hipMemset(c, 0x5a, size));
  CHECK(hipMemcpy(back, c, size, hipMemcpyDeviceToHost));
  printf("memset %s\n", is_filled(back, 0x5a) ? "agrees" : "differs");
  CHECK(hipStreamCreate(&stream));
  CHECK(hipEventCreate(&begin));
  CHECK(hipEventCreate(&end));
  CHECK(hipEventRecord(begin, stream));
  vadd<<<N / 256, 256, 0, stream>>>(a, b, c, N);
  CHECK(hipEventRecord(end, stream));
  CHECK(hipMemcpyAsync(pinned, c, size, hipMemcpyDeviceToHost, stream));
  CHECK(hipStreamSynchronize(stream));
  CHECK(hipEventElapsedTime(&ms, begin, end));
  printf("elapsed %s\n", ms > 0 && ms < 1 ? "plausible" : "odd");
  bool right = true;
  for (int i = 0; i < N; i++)
    right &= pinned[i] == 2 * host[i];
  printf("vadd %s\n", right ? "agrees" : "differs");
  if (less_common(a, b, c) != 0)
    return 1;
  CHECK(hipFree(a));
  return 0;
}
