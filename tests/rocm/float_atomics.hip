// SPDX-License-Identifier: MIT
// Float atomics of gfx90a in each kind of memory: AMD's page on atomics says
// that fine-grained memory stays as it is, and that the old value is 0.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define MUST(call)                                                             \
  do {                                                                         \
    hipError_t error_ = (call);                                                \
    if (error_ != hipSuccess) {                                                \
      printf("%s: %s\n", #call, hipGetErrorString(error_));                    \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

typedef __attribute__((address_space(1))) double global_double;

__global__ void change(double *p, double *old)
{
#if defined(__gfx90a__)
  old[0] = __builtin_amdgcn_global_atomic_fadd_f64((global_double *)p, 10.0);
  old[1] =
      __builtin_amdgcn_global_atomic_fmax_f64((global_double *)(p + 1), 10.0);
#endif
  // The compiler makes it of a comparison and an exchange, which works
  // anywhere.
  old[2] = atomicAdd(p + 2, 10.0);
}

static double *old, before[4], after[4];

static void run(double *p)
{
  const double values[4] = {5, 5, 5, 0};
  MUST(hipMemcpy(p, values, sizeof values, hipMemcpyDefault));
  change<<<1, 1>>>(p, old);
  MUST(hipMemcpy(after, p, sizeof after, hipMemcpyDefault));
  MUST(hipMemcpy(before, old, sizeof before, hipMemcpyDefault));
}

static void check(const char *name, double *p, bool fine)
{
  run(p);
  const double sum = fine ? 5 : 15, most = fine ? 5 : 10, was = fine ? 0 : 5;
  const bool right = after[0] == sum && after[1] == most && after[2] == 15 &&
                     before[0] == was && before[1] == was && before[2] == 5;
  printf("%s %s\n", name, right ? "ok" : "WRONG");
}

int main()
{
  static double own[512];
  double *p;
  MUST(hipMalloc((void **)&old, 4 * sizeof(double)));
  MUST(hipMalloc((void **)&p, 4 * sizeof(double)));
  check("memory of the device", p, false);
  MUST(hipExtMallocWithFlags((void **)&p, 4 * sizeof(double),
                             hipDeviceMallocFinegrained));
  check("fine-grained memory of the device", p, true);
  MUST(hipHostMalloc((void **)&p, 4 * sizeof(double), hipHostMallocCoherent));
  check("coherent memory of the host", p, true);
  MUST(
      hipHostMalloc((void **)&p, 4 * sizeof(double), hipHostMallocNonCoherent));
  check("other memory of the host", p, false);
  MUST(hipHostRegister(own, sizeof own, hipHostRegisterDefault));
  MUST(hipHostGetDevicePointer((void **)&p, own, 0));
  check("registered memory", p, true);
  return 0;
}
