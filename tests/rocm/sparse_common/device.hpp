// SPDX-License-Identifier: MIT
// Device memory, freed with its scope.
#ifndef SPARSE_DEVICE_HPP
#define SPARSE_DEVICE_HPP

#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static inline void hip_must(hipError_t error, const char *call)
{
  if (error != hipSuccess) {
    printf("%s: %s\n", call, hipGetErrorName(error));
    exit(2);
  }
}
#define HIP(call) hip_must(call, #call)

template <class T> struct device {
  T *at = nullptr;
  size_t count = 0;

  explicit device(size_t n) : count(n)
  {
    allocate();
  }
  explicit device(const std::vector<T> &from) : count(from.size())
  {
    allocate();
    if (count)
      HIP(hipMemcpy(at, from.data(), count * sizeof(T), hipMemcpyHostToDevice));
  }
  device(const device &) = delete;
  device &operator=(const device &) = delete;
  ~device()
  {
    (void)hipFree(at);
  }
  std::vector<T> host() const
  {
    std::vector<T> out(count);
    if (count)
      HIP(hipMemcpy(out.data(), at, count * sizeof(T), hipMemcpyDeviceToHost));
    return out;
  }

private:
  void allocate()
  {
    HIP(hipMalloc((void **)&at, (count ? count : 1) * sizeof(T)));
    HIP(hipMemset(at, 0xa5, (count ? count : 1) * sizeof(T)));
  }
};
typedef device<char> space;

#endif
