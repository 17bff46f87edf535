/* SPDX-License-Identifier: MIT */
#include "config.h"

#define AQ_WAVE_VALUES aq_wave_values_base
#define AQ_WAVE_LEVEL  "base"
#include "wave/values_level.inc"

const aq_wave_values *aq_wave_values_choose(void)
{
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return &aq_wave_values_v4;
  if (__builtin_cpu_supports("x86-64-v3"))
    return &aq_wave_values_v3;
#endif
  return &aq_wave_values_base;
}

const aq_wave_value_row *aq_wave_values_find(const aq_wave_values *values,
                                             const char *name)
{
  for (size_t i = 0; i < values->count; i++)
    if (strcmp(values->rows[i].name, name) == 0)
      return &values->rows[i];
  return NULL;
}

/* 2/pi in words, most significant first. */
static const uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
    0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5f8d, 0x5d085603,
    0x3046fc7b, 0x6babf0cf};

f64 aq_wave_trig_preop(f64 a, u32 part)
{
  enum { BITS = 53, EXPONENT = 1077, HUGE_EXPONENT = 1968, FRACTION = 1201 };
  const u32 exponent = exponent_f64(a);
  u32 shift = (part & 31) * BITS;
  if (exponent > EXPONENT)
    shift += exponent - EXPONENT;
  u64 bits = 0;
  for (u32 i = shift; i < shift + BITS; i++) {
    const bool known = i < FRACTION && i / 32 < sizeof two_over_pi / 4;
    bits = bits << 1 | (known ? two_over_pi[i / 32] >> (31 - i % 32) & 1 : 0);
  }
  const int scale = -BITS - (int)shift + (exponent >= HUGE_EXPONENT ? 128 : 0);
  return ldexp((f64)bits, scale);
}
