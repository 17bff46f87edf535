/* SPDX-License-Identifier: MIT */
/*
 * What generated kernels are written in. On the device a statement is one
 * work-item's; on the host it is a loop over the items of a workgroup, and each
 * variable an array of theirs. So whole workgroups exchange values on both.
 */
#ifndef AQ_TESTS_WAVE_GENERATED_H
#define AQ_TESTS_WAVE_GENERATED_H

#include "kernels.h"

typedef _Float16 f16;

enum { GENERATED_ITEMS = 256 };

static inline u32 bits_of_f16(f16 value)
{
  unsigned short bits;
  if (value != value)
    return 0x7e00;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline f16 f16_of(u32 bits)
{
  const unsigned short half = (unsigned short)bits;
  f16 value;
  __builtin_memcpy(&value, &half, sizeof value);
  return value;
}

/* Conversions that C defines for any float. */
static inline i32 i32_of(double x)
{
  return x > -2147483649.0 && x < 2147483648.0 ? (i32)x : 7;
}

#if defined(__AMDGCN__)

#define LDS __attribute__((address_space(3)))
static __attribute__((loader_uninitialized)) LDS u32 shared[GENERATED_ITEMS];
static __attribute__((loader_uninitialized)) LDS u32 counters[4];

static inline void barrier(void)
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#define GENERATED(name)                                                        \
  __attribute__((amdgpu_kernel)) void name(                                    \
      const GLOBAL u64 *a, const GLOBAL u64 *b, GLOBAL u64 *out, u32 group)
#define BEGIN                                                                  \
  const u32 t = __builtin_amdgcn_workitem_id_x();                              \
  const u32 i = work_item();                                                   \
  (void)group
#define VAR(type, name)   type name
#define V(name)           name
#define DO(mask, ...)     __VA_ARGS__
#define IF(to, mask, ...) if (__VA_ARGS__) {
#define ELSE(to, mask)                                                         \
  }                                                                            \
  else                                                                         \
  {
#define END }
/* Waves of 64 lanes of gfx10 and gfx11 shuffle each half; LLVM 22 takes a
 * shuffle by one lane number for v_readlane there too, which does not. */
#if REACH < WAVE
static inline u32 lane_hide(u32 lane)
{
  __asm__("" : "+v"(lane));
  return lane;
}
#else
#define lane_hide(lane) (lane)
#endif
#define SHUFFLE(to, from, lane)                                                \
  to = (u32)__builtin_amdgcn_ds_bpermute((i32)(lane_hide(lane) * 4),           \
                                         (i32)(from))
#define SHIFT_ROW(to, from, n)                                                 \
  to = (u32)__builtin_amdgcn_update_dpp(0, (i32)(from), 0x110 + n, 15, 15, 1)
#define BALLOT(to, condition) to = __builtin_amdgcn_ballot_w64(condition)
#define EXCHANGE(to, from, item)                                               \
  barrier();                                                                   \
  shared[t] = from;                                                            \
  barrier();                                                                   \
  to = shared[(item)&255]
#define COUNTERS_CLEAR                                                         \
  barrier();                                                                   \
  if (t < 4)                                                                   \
    counters[t] = 0;                                                           \
  barrier()
#define COUNT(mask, at, operation, value)                                      \
  __atomic_fetch_##operation(&counters[at], value, __ATOMIC_RELAXED)
#define COUNTER_READ(to, at)                                                   \
  barrier();                                                                   \
  to = counters[at]

#else

#define GENERATED(name)                                                        \
  void name(const u64 *a, const u64 *b, u64 *out, u32 group);                  \
  void name(const u64 *a, const u64 *b, u64 *out, u32 group)
#define EACH for (u32 t = 0, i = group * 256; t < GENERATED_ITEMS; t++, i++)
#define BEGIN                                                                  \
  u32 counters[4] = {0}, shared[GENERATED_ITEMS];                              \
  unsigned char m0[GENERATED_ITEMS];                                           \
  (void)counters, (void)shared;                                                \
  EACH m0[t] = 1
#define VAR(type, name) type name[GENERATED_ITEMS]
#define V(name)         name[t]
#define DO(mask, ...)                                                          \
  EACH if (mask[t] && i + 1)                                                   \
  {                                                                            \
    __VA_ARGS__;                                                               \
  }
#define IF(to, mask, ...)                                                      \
  {                                                                            \
    unsigned char to[GENERATED_ITEMS];                                         \
    EACH to[t] = mask[t] && i + 1 && (__VA_ARGS__);
#define ELSE(to, mask) EACH to[t] = mask[t] && i + 1 && !to[t];
#define END            }
#define SHUFFLE(to, from, lane)                                                \
  EACH shared[t] = from, (void)i;                                              \
  EACH to = shared[(t & ~(REACH - 1u)) + ((lane) & (REACH - 1u))], (void)i
#define SHIFT_ROW(to, from, n)                                                 \
  EACH shared[t] = from, (void)i;                                              \
  EACH to = t % 16 >= n ? shared[t - n] : 0, (void)i
#define BALLOT(to, condition)                                                  \
  {                                                                            \
    u64 votes[8] = {0};                                                        \
    EACH votes[t / WAVE] |= (u64)((condition) && i + 1) << t % WAVE;           \
    EACH to = votes[t / WAVE], (void)i;                                        \
  }
#define EXCHANGE(to, from, item)                                               \
  EACH shared[t] = from, (void)i;                                              \
  EACH to = shared[(item)&255], (void)i
#define COUNTERS_CLEAR                                                         \
  for (u32 k = 0; k < 4; k++)                                                  \
  counters[k] = 0
#define COUNT(mask, at, operation, value)                                      \
  EACH if (mask[t] && i + 1)                                                   \
      __atomic_fetch_##operation(&counters[at], value, __ATOMIC_RELAXED)
#define COUNTER_READ(to, at) EACH to = counters[at], (void)i

#endif

#endif
