// SPDX-License-Identifier: MIT
// f16 of HIP on the host.
#ifndef HOST_HIP_FP16_H
#define HOST_HIP_FP16_H

#include <cmath>

typedef _Float16 __half;
struct __half2 {
  __half x, y;
};

static inline __half __hadd(__half a, __half b)
{
  return a + b;
}
static inline __half __hmul(__half a, __half b)
{
  return a * b;
}
static inline __half __hdiv(__half a, __half b)
{
  return (__half)((float)a / (float)b);
}
static inline bool __hgt(__half a, __half b)
{
  return a > b;
}
static inline __half __float2half(float x)
{
  return (__half)x;
}
static inline float __half2float(__half x)
{
  return (float)x;
}
static inline __half hexp(__half x)
{
  return (__half)std::exp((double)x);
}
// The product is exact in double and so, for numbers of like size, is the sum.
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
  return {(__half)((double)a.x * (double)b.x + (double)c.x),
          (__half)((double)a.y * (double)b.y + (double)c.y)};
}

#endif
