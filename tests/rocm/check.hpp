// SPDX-License-Identifier: MIT
// What the programs of this folder share: device memory as vectors, and a line
// a check.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Ends the program where a call fails.
#define MUST(call)                                                             \
  do {                                                                         \
    const int code = (int)(call);                                              \
    if (code) {                                                                \
      printf("%s: %d\n", #call, code);                                         \
      exit(2);                                                                 \
    }                                                                          \
  } while (0)

// Memory of the device that stays until the program's end, which frees it.
static std::vector<void *> kept;

static inline void *space_of(size_t size)
{
  void *out;
  MUST(hipMalloc(&out, size ? size : 1));
  kept.push_back(out);
  return out;
}

static inline void kept_free()
{
  for (void *at : kept)
    MUST(hipFree(at));
  kept.clear();
}

template <class T> static T *device_of(const std::vector<T> &from)
{
  T *out = (T *)space_of(from.size() * sizeof(T));
  MUST(hipMemcpy(out, from.data(), from.size() * sizeof(T),
                 hipMemcpyHostToDevice));
  return out;
}

template <class T> static std::vector<T> fetched(const T *device, size_t n)
{
  std::vector<T> out(n);
  MUST(hipMemcpy(out.data(), device, n * sizeof(T), hipMemcpyDeviceToHost));
  return out;
}

static inline void report(const char *name, bool ok)
{
  printf("%s %s\n", name, ok ? "ok" : "differs");
}

// The largest difference, relative to the value and at least to 1/1000.
template <class T, class U>
static double off(const std::vector<T> &got, const std::vector<U> &expected)
{
  double most = got.size() == expected.size() ? 0 : INFINITY;
  for (size_t i = 0; i < got.size() && i < expected.size(); i++)
    most = std::fmax(most, std::fabs((double)got[i] - (double)expected[i]) /
                               (1e-3 + std::fabs((double)expected[i])));
  return most;
}

#endif
