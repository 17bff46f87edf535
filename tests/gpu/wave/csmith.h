/* SPDX-License-Identifier: MIT */
/*
 * What programs of csmith include, for the host and for a processor of gfx9.
 * On the host main prints the program's checksum; on the device kernel
 * csmith_run stores it. The safe operations are defined for all operands, the
 * same on both: where C leaves a result undefined, it is the first operand.
 */
#ifndef AQ_TESTS_WAVE_CSMITH_H
#define AQ_TESTS_WAVE_CSMITH_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

static int csmith_main(void);
static uint64_t crc32_context, csmith_result;

#if defined(__AMDGCN__)
__attribute__((amdgpu_kernel)) void csmith_run(__attribute__((address_space(1)))
                                               uint64_t *out)
{
  csmith_main();
  *out = csmith_result;
}
#else
int printf(const char *format, ...);
int main(void)
{
  csmith_main();
  return printf("%llx\n", (unsigned long long)csmith_result) < 0;
}
#endif
#define main        csmith_main
#define printf(...) ((void)0)

#define platform_main_begin() ((void)0)
#define crc32_gentab()        ((void)0)
#define transparent_crc(value, name, prints)                                   \
  ((void)(prints), csmith_add((uint64_t)(value)))
#define platform_main_end(value, prints)                                       \
  ((void)(prints), (void)(value), csmith_result = crc32_context)

/* Invertible, so that no value is lost. */
static inline void csmith_add(uint64_t value)
{
  uint64_t x = crc32_context ^ value;
  x *= UINT64_C(0x9e3779b97f4a7c15);
  crc32_context = x ^ x >> 29;
}

/* `lost`: quotients that C does not define. */
#define SAFE(T, s, lost)                                                       \
  static inline T safe_unary_minus_func_##T##_##s(T a)                         \
  {                                                                            \
    return (T)(0 - (uint64_t)a);                                               \
  }                                                                            \
  static inline T safe_add_func_##T##_##s##_##s(T a, T b)                      \
  {                                                                            \
    return (T)((uint64_t)a + (uint64_t)b);                                     \
  }                                                                            \
  static inline T safe_sub_func_##T##_##s##_##s(T a, T b)                      \
  {                                                                            \
    return (T)((uint64_t)a - (uint64_t)b);                                     \
  }                                                                            \
  static inline T safe_mul_func_##T##_##s##_##s(T a, T b)                      \
  {                                                                            \
    return (T)((uint64_t)a * (uint64_t)b);                                     \
  }                                                                            \
  static inline T safe_div_func_##T##_##s##_##s(T a, T b)                      \
  {                                                                            \
    return b == 0 || (lost) ? a : (T)(a / b);                                  \
  }                                                                            \
  static inline T safe_mod_func_##T##_##s##_##s(T a, T b)                      \
  {                                                                            \
    return b == 0 || (lost) ? a : (T)(a % b);                                  \
  }                                                                            \
  SHIFTS(T, s##_s, int)                                                        \
  SHIFTS(T, s##_u, unsigned)
#define SHIFTS(T, signs, By)                                                   \
  static inline T safe_lshift_func_##T##_##signs(T a, By by)                   \
  {                                                                            \
    return (unsigned)by >= 8 * sizeof(T) ? a : (T)((uint64_t)a << by);         \
  }                                                                            \
  static inline T safe_rshift_func_##T##_##signs(T a, By by)                   \
  {                                                                            \
    return (unsigned)by >= 8 * sizeof(T) ? a : (T)(a >> by);                   \
  }

SAFE(int8_t, s, 0)
SAFE(int16_t, s, 0)
SAFE(int32_t, s, a == INT32_MIN && b == -1)
SAFE(int64_t, s, a == INT64_MIN && b == -1)
SAFE(uint8_t, u, 0)
SAFE(uint16_t, u, 0)
SAFE(uint32_t, u, 0)
SAFE(uint64_t, u, 0)

#endif
