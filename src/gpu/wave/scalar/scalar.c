/* SPDX-License-Identifier: MIT */
/* Scalar arithmetic: SOP1, SOP2, SOPC, SOPK. One line an instruction. */
#include "config.h"

#include "gpu/wave/core/execution_state.h"

#define BODY(name)                                                             \
  static const aq_wave_op *name##_(aq_wave *w, const aq_wave_op *o)

/* Sources a and b, the result r; `SCC` is what becomes of the condition. */
#define A32(name, EXPR, SCC)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t a = aq_wave_s32(w, o, 0), b = aq_wave_s32(w, o, 1);         \
    const uint32_t in = w->scc;                                                \
    uint32_t scc = in;                                                         \
    (void)in;                                                                  \
    (void)b, (void)a;                                                          \
    const uint32_t r = (uint32_t)(EXPR);                                       \
    SCC;                                                                       \
    w->scc = scc;                                                              \
    w->s[o->dest] = r;                                                         \
    return aq_wave_next(o);                                                    \
  }
#define A64(name, EXPR, SCC)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t a = aq_wave_s64(w, o, 0), b = aq_wave_s64(w, o, 1);         \
    const uint32_t in = w->scc;                                                \
    uint32_t scc = in;                                                         \
    (void)in;                                                                  \
    (void)b, (void)a;                                                          \
    const uint64_t r = (uint64_t)(EXPR);                                       \
    SCC;                                                                       \
    w->scc = scc;                                                              \
    aq_wave_put64(w, o->dest, r);                                              \
    return aq_wave_next(o);                                                    \
  }
/* 64 bits by a count or field of 32. */
#define S64(name, EXPR, SCC)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t a = aq_wave_s64(w, o, 0);                                   \
    const uint32_t b = aq_wave_s32(w, o, 1);                                   \
    const uint32_t in = w->scc;                                                \
    uint32_t scc = in;                                                         \
    (void)in;                                                                  \
    const uint64_t r = (uint64_t)(EXPR);                                       \
    SCC;                                                                       \
    w->scc = scc;                                                              \
    aq_wave_put64(w, o->dest, r);                                              \
    return aq_wave_next(o);                                                    \
  }
/* 32 bits of one source of 64. */
#define N64(name, EXPR, SCC)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t a = aq_wave_s64(w, o, 0);                                   \
    const uint32_t in = w->scc;                                                \
    uint32_t scc = in;                                                         \
    (void)in;                                                                  \
    const uint32_t r = (uint32_t)(EXPR);                                       \
    SCC;                                                                       \
    w->scc = scc;                                                              \
    w->s[o->dest] = r;                                                         \
    return aq_wave_next(o);                                                    \
  }
#define KEEP    (void)0
#define NONZERO scc = r != 0

/* EXEC becomes EXPR of the source a and itself, x; the old one is kept. A wave
 * of 32 lanes does not act upon the upper half, which stays 0. */
#define SAVEEXEC(name, EXPR)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t a = aq_wave_s64(w, o, 0), x = AQ_WAVE_EXEC(w);              \
    const uint64_t r = EXPR;                                                   \
    aq_wave_put64(w, o->dest, x);                                              \
    AQ_WAVE_EXEC(w) = aq_wave_mask_of(w, r);                                   \
    w->scc = r != 0;                                                           \
    return aq_wave_next(o);                                                    \
  }
/* The new EXEC goes to the destination too. */
#define WREXEC(name, EXPR)                                                     \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t a = aq_wave_s64(w, o, 0), x = AQ_WAVE_EXEC(w);              \
    const uint64_t r = EXPR;                                                   \
    aq_wave_put64(w, o->dest, r);                                              \
    AQ_WAVE_EXEC(w) = aq_wave_mask_of(w, r);                                   \
    w->scc = r != 0;                                                           \
    return aq_wave_next(o);                                                    \
  }

/* The same in waves of 32 lanes. */
#define EXEC32(name, EXPR, KEPT)                                               \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t a = aq_wave_s32(w, o, 0), x = w->s[AQ_ISA_EXEC];            \
    const uint32_t r = EXPR;                                                   \
    w->s[o->dest] = KEPT;                                                      \
    w->s[AQ_ISA_EXEC] = r;                                                     \
    w->scc = r != 0;                                                           \
    return aq_wave_next(o);                                                    \
  }

/* ---- comparisons ---- */

#define CMP32(name, T, OP)                                                     \
  BODY(name)                                                                   \
  {                                                                            \
    w->scc = (T)aq_wave_s32(w, o, 0) OP(T) aq_wave_s32(w, o, 1);               \
    return aq_wave_next(o);                                                    \
  }
#define CMP64(name, OP)                                                        \
  BODY(name)                                                                   \
  {                                                                            \
    w->scc = aq_wave_s64(w, o, 0) OP aq_wave_s64(w, o, 1);                     \
    return aq_wave_next(o);                                                    \
  }
/* With the immediate value, sign- or zero-extended as T says. */
#define CMPK(name, T, N, OP)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    w->scc = (T)w->s[o->dest] OP(T)(N) o->imm;                                 \
    return aq_wave_next(o);                                                    \
  }
#define BIT(name, W, WANT)                                                     \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t bit = aq_wave_s32(w, o, 1) & (W - 1);                       \
    w->scc = (aq_wave_s##W(w, o, 0) >> bit & 1) == WANT;                       \
    return aq_wave_next(o);                                                    \
  }

#define OLD32 w->s[o->dest]
#define OLD64 (w->s[o->dest] | (uint64_t)w->s[o->dest + 1] << 32)
#include "gpu/wave/scalar/scalar_functions.inc"

#include "gpu/wave/scalar/scalar.def"

/* ---- the others ---- */

BODY(s_bfm_b64)
{
  const uint32_t a = aq_wave_s32(w, o, 0), b = aq_wave_s32(w, o, 1);
  aq_wave_put64(w, o->dest, (((uint64_t)1 << (a & 63)) - 1) << (b & 63));
  return aq_wave_next(o);
}

BODY(s_bitset0_b64)
{
  const uint64_t bit = (uint64_t)1 << (aq_wave_s32(w, o, 0) & 63);
  const uint64_t old = w->s[o->dest] | (uint64_t)w->s[o->dest + 1] << 32;
  aq_wave_put64(w, o->dest, old & ~bit);
  return aq_wave_next(o);
}

BODY(s_bitset1_b64)
{
  const uint64_t bit = (uint64_t)1 << (aq_wave_s32(w, o, 0) & 63);
  const uint64_t old = w->s[o->dest] | (uint64_t)w->s[o->dest + 1] << 32;
  aq_wave_put64(w, o->dest, old | bit);
  return aq_wave_next(o);
}

BODY(s_bitreplicate_b64_b32)
{
  aq_wave_put64(w, o->dest, replicate(aq_wave_s32(w, o, 0)));
  return aq_wave_next(o);
}

/* Register indices: M0 is added, in range of the register file. */
BODY(s_movrels_b32)
{
  w->s[o->dest] = w->s[(o->source[0] + w->s[AQ_ISA_M0]) & 127];
  return aq_wave_next(o);
}

BODY(s_movreld_b32)
{
  w->s[(o->dest + w->s[AQ_ISA_M0]) & 127] = aq_wave_s32(w, o, 0);
  return aq_wave_next(o);
}

BODY(s_movrels_b64)
{
  const unsigned from = (o->source[0] + w->s[AQ_ISA_M0]) & 126;
  aq_wave_put64(w, o->dest, w->s[from] | (uint64_t)w->s[from + 1] << 32);
  return aq_wave_next(o);
}

BODY(s_movreld_b64)
{
  const unsigned to = (o->dest + w->s[AQ_ISA_M0]) & 126;
  aq_wave_put64(w, (uint16_t)to, aq_wave_s64(w, o, 0));
  return aq_wave_next(o);
}

/* RDNA: ten bits of M0 for each. */
BODY(s_movrelsd_2_b32)
{
  const uint32_t m0 = w->s[AQ_ISA_M0];
  w->s[(o->dest + (m0 >> 16 & 0x3ff)) & 127] =
      w->s[(o->source[0] + (m0 & 0x3ff)) & 127];
  return aq_wave_next(o);
}

BODY(s_movk_i32)
{
  w->s[o->dest] = (uint32_t)(int16_t)o->imm;
  return aq_wave_next(o);
}

BODY(s_cmovk_i32)
{
  if (w->scc)
    w->s[o->dest] = (uint32_t)(int16_t)o->imm;
  return aq_wave_next(o);
}

BODY(s_addk_i32)
{
  const uint32_t a = w->s[o->dest], b = (uint32_t)(int16_t)o->imm, r = a + b;
  w->scc = (~(a ^ b) & (a ^ r)) >> 31;
  w->s[o->dest] = r;
  return aq_wave_next(o);
}

BODY(s_mulk_i32)
{
  w->s[o->dest] *= (uint32_t)(int16_t)o->imm;
  return aq_wave_next(o);
}

/* clang-format off */
#define H(name) {#name, name##_}
#undef A32
#undef A64
#undef S64
#undef N64
#undef SAVEEXEC
#undef WREXEC
#undef EXEC32
#undef CMP32
#undef CMP64
#undef CMPK
#undef BIT
#define A32(name, ...) H(name),
#define A64(name, ...) H(name),
#define S64(name, ...) H(name),
#define N64(name, ...) H(name),
#define SAVEEXEC(name, ...) H(name),
#define WREXEC(name, ...) H(name),
#define EXEC32(name, ...) H(name),
#define CMP32(name, ...) H(name),
#define CMP64(name, ...) H(name),
#define CMPK(name, ...) H(name),
#define BIT(name, ...) H(name),
const aq_wave_semantics aq_wave_scalar[] = {
#include "gpu/wave/scalar/scalar.def"
    H(s_bfm_b64), H(s_bitset0_b64), H(s_bitset1_b64),
    H(s_bitreplicate_b64_b32), H(s_movrels_b32), H(s_movreld_b32),
    H(s_movrels_b64), H(s_movreld_b64), H(s_movrelsd_2_b32), H(s_movk_i32), H(s_cmovk_i32),
    H(s_addk_i32), H(s_mulk_i32), {NULL, NULL}};
/* clang-format on */
