// SPDX-License-Identifier: MIT
// Defects, one a case, each with a fixed twin: `sites CASE bad|fixed`. A comment
// "FINDS CASE: KIND" marks the line that the checker has to name for the bad
// one; test_sites.sh reads it.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#define OK(call)                                                               \
  do {                                                                         \
    hipError_t e_ = (call);                                                    \
    if (e_ != hipSuccess) {                                                    \
      fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(e_));               \
      exit(3);                                                                 \
    }                                                                          \
  } while (0)

static const int N = 512;

template <class T> static T *make(size_t count)
{
  T *p;
  OK(hipMalloc(&p, count * sizeof(T)));
  return p;
}

struct streams {
  hipStream_t a, b;
  hipEvent_t event;
  streams()
  {
    OK(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    OK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
  }
  ~streams()
  {
    OK(hipDeviceSynchronize());
    OK(hipEventDestroy(event));
    OK(hipStreamDestroy(a));
    OK(hipStreamDestroy(b));
  }
  void order()
  {
    OK(hipEventRecord(event, a));
    OK(hipStreamWaitEvent(b, event, 0));
  }
};

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


#define CASE(name) {#name, name}
static const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(read_before_event), CASE(write_behind_read), CASE(write_write),
    CASE(event_too_early),   CASE(one_of_two_waited), CASE(fill_not_waited),
    CASE(upload_not_waited), CASE(download_not_waited)};

int main(int argc, char **argv)
{
  if (argc == 1)
    for (const auto &c : cases)
      printf("%s\n", c.first.c_str());
  if (argc != 3 || !cases.count(argv[1]))
    return argc == 1 ? 0 : 2;
  cases.at(argv[1])(strcmp(argv[2], "fixed") == 0);
  OK(hipDeviceSynchronize());
  printf("done\n");
  return 0;
}
