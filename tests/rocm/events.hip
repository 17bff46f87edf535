// SPDX-License-Identifier: MIT
// Times between events: what the device did, whichever thread noted them first.
// A handler of HIP's that comes too early takes the host's clock for the
// device's.
#include <hip/hip_runtime.h>

#include <hip/hip_ext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

enum { ROUNDS = 5, SHORT = 1, LONG = 2000 }; // kernels of so many workgroups

static int *out;
static hipEvent_t begin, end;

__global__ void number(int *p)
{
  p[blockIdx.x] = blockIdx.x;
}

static void check(const char *name, bool right)
{
  printf("%s %s\n", name, right ? "ok" : "WRONG");
}

// The time between the events in ms; the other way round it is its negative.
static float elapsed()
{
  float there, back;
  hipError_t status = hipErrorNotReady;
  while (status == hipErrorNotReady)
    status = hipEventElapsedTime(&there, begin, end);
  MUST(status);
  MUST(hipEventElapsedTime(&back, end, begin));
  return there == -back ? there : -1e9f;
}

enum synchronize { WITH_STREAM, WITH_EVENT, WITH_QUERIES, WITH_TIME, WAYS };

static void finish(hipStream_t stream, synchronize how)
{
  if (how == WITH_STREAM)
    MUST(hipStreamSynchronize(stream));
  else if (how == WITH_EVENT)
    MUST(hipEventSynchronize(end));
  else if (how == WITH_QUERIES)
    while (hipEventQuery(end) == hipErrorNotReady)
      ;
}

// A kernel between two events of a stream; groups 0: no kernel.
static float between(hipStream_t stream, int groups, synchronize how,
                     bool first)
{
  MUST(hipEventRecord(begin, stream));
  if (groups > 0)
    number<<<groups, 1, 0, stream>>>(out);
  MUST(hipEventRecord(end, stream));
  if (first)
    MUST(hipEventSynchronize(begin));
  finish(stream, how);
  return elapsed();
}

// Of each way to wait for the end, on two streams: the median of its rounds,
// since the host may lose its processor between two calls. The least first.
static std::vector<float> times(hipStream_t stream, int groups, int rounds)
{
  std::vector<float> ways;
  for (int way = 0; way < 4 * WAYS; way++) {
    std::vector<float> all;
    for (int i = 0; i < rounds; i++)
      all.push_back(between(way & 1 ? stream : nullptr, groups,
                            (synchronize)(way / 2 % WAYS), way / 2 / WAYS));
    std::sort(all.begin(), all.end());
    ways.push_back(all[rounds / 2]);
  }
  std::sort(ways.begin(), ways.end());
  return ways;
}

int main()
{
  hipStream_t first, second;
  MUST(hipMalloc((void **)&out, LONG * sizeof(int)));
  MUST(hipStreamCreate(&first));
  MUST(hipStreamCreate(&second));
  MUST(hipEventCreate(&begin));
  MUST(hipEventCreate(&end));
  // Loads the code. A second thread that calls HSA ends the simulator's
  // lockstep: from now on its device runs beside the host.
  between(first, SHORT, WITH_STREAM, false);
  std::thread([] { MUST(hipDeviceSynchronize()); }).join();

  const std::vector<float> none = times(first, 0, ROUNDS);
  check("nothing between two events takes some us at most",
        none.front() >= 0 && none.back() < 0.02f);
  const std::vector<float> little = times(first, SHORT, ROUNDS);
  check("a short kernel takes more, and the same time always",
        little.front() > none.back() && little.back() < little.front() * 1.5f);
  const std::vector<float> much = times(first, LONG, ROUNDS);
  check("a long kernel takes more, and the same time always",
        much.front() > little.back() && much.back() < much.front() * 1.5f);

  // The packets around a kernel are not its own time.
  float own;
  hipExtLaunchKernelGGL(number, dim3(LONG), dim3(1), 0, first, begin, end, 0,
                        out);
  MUST(hipStreamSynchronize(first));
  MUST(hipEventElapsedTime(&own, begin, end));
  check("a kernel's own events have its time",
        own > much.front() - little.back() && own < much.front());

  MUST(hipEventRecord(begin, first));
  number<<<LONG, 1, 0, first>>>(out);
  hipEvent_t passed;
  MUST(hipEventCreateWithFlags(&passed, hipEventDisableTiming));
  MUST(hipEventRecord(passed, first));
  MUST(hipStreamWaitEvent(second, passed, 0));
  number<<<LONG, 1, 0, second>>>(out);
  MUST(hipEventRecord(end, second));
  finish(second, WITH_EVENT);
  const float both = elapsed();
  check("kernels on two streams, one after the other, take both times",
        both > 1.5f * much.front() && both < 2.5f * much.back());

  MUST(hipEventRecord(begin, first));
  MUST(hipDeviceSynchronize());
  MUST(hipEventRecord(end, second));
  MUST(hipDeviceSynchronize());
  check("the later event of an idle stream is not earlier", elapsed() >= 0);
  return 0;
}
