/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/atomics.h"

/* ---- names ---- */

static const struct {
  const char *name;
  aq_wave_atomic op;
} names[] = {
    {"swap", AQ_WAVE_SWAP},
    {"fcmpswap", AQ_WAVE_CMPSWAP_F},
    {"fmin", AQ_WAVE_MIN_F},
    {"fmax", AQ_WAVE_MAX_F},
    {"min_num_", AQ_WAVE_MIN_NUM_F},
    {"max_num_", AQ_WAVE_MAX_NUM_F},
    {"csub", AQ_WAVE_SUB_CLAMP},
    {"sub_clamp_", AQ_WAVE_SUB_CLAMP},
    {"cond_sub_", AQ_WAVE_COND_SUB},
    {"wrxchg_rtn", AQ_WAVE_SWAP},
    {"cmpswap", AQ_WAVE_CMPSWAP},
    {"cmpst_b", AQ_WAVE_CMPSWAP},
    {"cmpst_rtn_b", AQ_WAVE_CMPSWAP},
    {"cmpst_f", AQ_WAVE_CMPSWAP_F},
    {"cmpst_rtn_f", AQ_WAVE_CMPSWAP_F},
    {"add_f", AQ_WAVE_ADD_F},
    {"add_rtn_f", AQ_WAVE_ADD_F},
    {"min_f", AQ_WAVE_MIN_F},
    {"min_rtn_f", AQ_WAVE_MIN_F},
    {"max_f", AQ_WAVE_MAX_F},
    {"max_rtn_f", AQ_WAVE_MAX_F},
    {"pk_add_f16", AQ_WAVE_PK_ADD_F16},
    {"pk_add_rtn_f16", AQ_WAVE_PK_ADD_F16},
    {"pk_add_bf16", AQ_WAVE_PK_ADD_BF16},
    {"pk_add_rtn_bf16", AQ_WAVE_PK_ADD_BF16},
    {"min_i", AQ_WAVE_SMIN},
    {"min_rtn_i", AQ_WAVE_SMIN},
    {"max_i", AQ_WAVE_SMAX},
    {"max_rtn_i", AQ_WAVE_SMAX},
    {"min_u", AQ_WAVE_UMIN},
    {"min_rtn_u", AQ_WAVE_UMIN},
    {"max_u", AQ_WAVE_UMAX},
    {"max_rtn_u", AQ_WAVE_UMAX},
    {"smin", AQ_WAVE_SMIN},
    {"umin", AQ_WAVE_UMIN},
    {"smax", AQ_WAVE_SMAX},
    {"umax", AQ_WAVE_UMAX},
    {"add", AQ_WAVE_ADD},
    {"rsub", AQ_WAVE_RSUB},
    {"sub", AQ_WAVE_SUB},
    {"and", AQ_WAVE_AND},
    {"mskor", AQ_WAVE_MSKOR},
    {"or", AQ_WAVE_OR},
    {"xor", AQ_WAVE_XOR},
    {"inc", AQ_WAVE_INC},
    {"dec", AQ_WAVE_DEC},
    {"wrap_rtn", AQ_WAVE_WRAP},
};

aq_wave_atomic aq_wave_atomic_named(const char *name)
{
  const char *rest = strstr(name, "_atomic_");
  if (rest)
    rest += strlen("_atomic_");
  else if (strncmp(name, "ds_", 3) == 0 && !strstr(name, "src2") &&
           !strstr(name, "xchg2"))
    rest = name + 3;
  for (size_t i = 0; rest && i < sizeof names / sizeof *names; i++)
    if (strncmp(rest, names[i].name, strlen(names[i].name)) == 0)
      return names[i].op;
  return AQ_WAVE_NO_ATOMIC;
}

bool aq_wave_atomic_is_dropped(aq_wave_atomic op, uint16_t target)
{
  switch (op) {
  case AQ_WAVE_ADD_F:
  case AQ_WAVE_MIN_F:
  case AQ_WAVE_MAX_F:
  case AQ_WAVE_PK_ADD_F16:
  case AQ_WAVE_PK_ADD_BF16:
    return target &
           (AQ_ISA_GFX908 | AQ_ISA_GFX90A | AQ_ISA_GFX10 | AQ_ISA_GFX11);
  default:
    return false;
  }
}

/* ---- values ---- */

static uint32_t add_f16(uint32_t a, uint32_t b)
{
  uint32_t r = 0;
  for (int i = 0; i < 32; i += 16) {
    const uint16_t x = (uint16_t)(a >> i), y = (uint16_t)(b >> i);
    r |= (uint32_t)lane_nan3_16(lane_f16(x) + lane_f16(y), x, y, x) << i;
  }
  return r;
}

static float bf16(uint32_t bits)
{
  return lane_f32(bits << 16);
}

/* Rounded to the nearest, ties to even. */
static uint32_t to_bf16(float x)
{
  const uint32_t bits = lane_bits32(x);
  return x != x ? (bits >> 16 | 0x40)
                : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint32_t add_bf16(uint32_t a, uint32_t b)
{
  return to_bf16(bf16(a & 0xffff) + bf16(b & 0xffff)) |
         to_bf16(bf16(a >> 16) + bf16(b >> 16)) << 16;
}

/* The operations on integers, alike in both widths. */
#define INTEGER_CASES(sint)                                                    \
  case AQ_WAVE_SWAP:                                                           \
    return b;                                                                  \
  case AQ_WAVE_CMPSWAP:                                                        \
    return old == c ? b : old;                                                 \
  case AQ_WAVE_ADD:                                                            \
    return old + b;                                                            \
  case AQ_WAVE_SUB:                                                            \
    return old - b;                                                            \
  case AQ_WAVE_RSUB:                                                           \
    return b - old;                                                            \
  case AQ_WAVE_SMIN:                                                           \
    return (sint)old < (sint)b ? old : b;                                      \
  case AQ_WAVE_UMIN:                                                           \
    return old < b ? old : b;                                                  \
  case AQ_WAVE_SMAX:                                                           \
    return (sint)old > (sint)b ? old : b;                                      \
  case AQ_WAVE_UMAX:                                                           \
    return old > b ? old : b;                                                  \
  case AQ_WAVE_AND:                                                            \
    return old & b;                                                            \
  case AQ_WAVE_OR:                                                             \
    return old | b;                                                            \
  case AQ_WAVE_XOR:                                                            \
    return old ^ b;                                                            \
  case AQ_WAVE_INC:                                                            \
    return old >= b ? 0 : old + 1;                                             \
  case AQ_WAVE_DEC:                                                            \
    return old == 0 || old > b ? b : old - 1;                                  \
  case AQ_WAVE_MSKOR:                                                          \
    return (old & ~b) | c;                                                     \
  case AQ_WAVE_SUB_CLAMP:                                                      \
    return old < b ? 0 : old - b;                                              \
  case AQ_WAVE_COND_SUB:                                                       \
    return old < b ? old : old - b;

uint32_t aq_wave_atomic32(aq_wave_atomic op, uint32_t old, uint32_t b,
                          uint32_t c)
{
  const float x = lane_f32(old), y = lane_f32(b);
  switch (op) {
  case AQ_WAVE_NO_ATOMIC:
    break;
    INTEGER_CASES(int32_t)
  case AQ_WAVE_CMPSWAP_F:
    return x == lane_f32(c) ? b : old;
  case AQ_WAVE_WRAP:
    return old >= b ? old - b : old + c;
  case AQ_WAVE_ADD_F:
    return lane_nan2(x + y, x, y);
  case AQ_WAVE_MIN_F:
    return x != x ? b : y < x ? b : old;
  case AQ_WAVE_MAX_F:
    return x != x ? b : y > x ? b : old;
  case AQ_WAVE_MIN_NUM_F:
    return x != x && y != y ? b | 0x400000
           : x != x         ? b
           : y != y         ? old
           : y < x          ? b
           : x < y          ? old
                            : old | b;
  case AQ_WAVE_MAX_NUM_F:
    return x != x && y != y ? b | 0x400000
           : x != x         ? b
           : y != y         ? old
           : y > x          ? b
           : x > y          ? old
                            : old & b;
  case AQ_WAVE_PK_ADD_F16:
    return add_f16(old, b);
  case AQ_WAVE_PK_ADD_BF16:
    return add_bf16(old, b);
  }
  return old;
}

uint64_t aq_wave_atomic64(aq_wave_atomic op, uint64_t old, uint64_t b,
                          uint64_t c)
{
  const double x = lane_f64(old), y = lane_f64(b);
  switch (op) {
    INTEGER_CASES(int64_t)
  case AQ_WAVE_CMPSWAP_F:
    return x == lane_f64(c) ? b : old;
  case AQ_WAVE_ADD_F:
    return lane_nan2_64(x + y, x, y);
  case AQ_WAVE_MIN_F:
    return x != x ? b : y < x ? b : old;
  case AQ_WAVE_MAX_F:
    return x != x ? b : y > x ? b : old;
  case AQ_WAVE_MIN_NUM_F:
    return x != x && y != y ? b | (uint64_t)1 << 51
           : x != x         ? b
           : y != y         ? old
           : y < x          ? b
           : x < y          ? old
                            : old | b;
  case AQ_WAVE_MAX_NUM_F:
    return x != x && y != y ? b | (uint64_t)1 << 51
           : x != x         ? b
           : y != y         ? old
           : y > x          ? b
           : x > y          ? old
                            : old & b;
  case AQ_WAVE_NO_ATOMIC:
  case AQ_WAVE_WRAP:
  case AQ_WAVE_PK_ADD_F16:
  case AQ_WAVE_PK_ADD_BF16:
    break;
  }
  return old;
}

/* ---- memory ---- */

uint32_t aq_wave_compute32(aq_wave_atomic op, void *at, uint32_t b, uint32_t c)
{
  uint32_t *p = at, old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, aq_wave_atomic32(op, old, b, c),
                                      false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED))
    ;
  return old;
}

uint64_t aq_wave_compute64(aq_wave_atomic op, void *at, uint64_t b, uint64_t c)
{
  uint64_t *p = at, old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, aq_wave_atomic64(op, old, b, c),
                                      false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED))
    ;
  return old;
}
