/* SPDX-License-Identifier: MIT */
/* VOP3P: two values side by side, mixed widths, dot products of integers. */
#include "config.h"

#include "wave/instructions.h"
#include "wave/lane_math.h"

#pragma GCC optimize("O3", "fp-contract=off")

enum { LANES = AQ_WAVE_LANES, ROWS = 2, SOURCES = 3 };

typedef struct aq_packed_sources {
  _Alignas(64) uint32_t rows[SOURCES][ROWS * LANES];
  const uint32_t *source[SOURCES];
  uint8_t neg_lo; /* a bit a source, as op_sel and neg_hi */
} aq_packed_sources;

static void sources_read(const aq_wave *w, const aq_wave_op *o,
                         aq_packed_sources *s)
{
  s->neg_lo = 0;
  s->source[0] = aq_wave_source_rows(w, &o->a, s->rows[0]);
  s->source[1] = aq_wave_source_rows(w, &o->b, s->rows[1]);
  s->source[2] = aq_wave_source_rows(w, &o->c, s->rows[2]);
  for (unsigned i = 0; i < o->inst->operand_count; i++) {
    const aq_isa_operand *operand = &o->inst->operands[i];
    if (operand->role != 'D' && operand->modifiers & AQ_ISA_NEG)
      s->neg_lo |= (uint8_t)(1 << (operand->role - 'A'));
  }
}

static void result_write(aq_wave *w, const aq_wave_op *o,
                         const uint32_t *result)
{
  const uint64_t exec = aq_wave_exec(w);
  uint32_t *d = aq_wave_row(w, o->dst);
  for (unsigned r = 0; r < o->dst_rows; r++)
    for (unsigned i = 0; i < LANES; i++)
      d[r * LANES + i] =
          exec >> i & 1 ? result[r * LANES + i] : d[r * LANES + i];
}

/* ---- two dwords ---- */

typedef uint32_t aq_packed_dword(uint32_t a, uint32_t b, uint32_t c);

static inline __attribute__((always_inline)) void
dwords_execute(aq_wave *w, const aq_wave_op *o, aq_packed_dword *function)
{
  aq_packed_sources s;
  uint32_t result[ROWS * LANES];
  sources_read(w, o, &s);
  for (unsigned half = 0; half < 2; half++) {
    const unsigned select = half ? o->inst->op_sel_hi : o->inst->op_sel;
    const unsigned neg = half ? o->inst->neg_hi : s.neg_lo;
    const uint32_t *from[SOURCES];
    uint32_t sign[SOURCES];
    for (unsigned k = 0; k < SOURCES; k++) {
      from[k] = s.source[k] + (select >> k & 1 ? LANES : 0);
      sign[k] = neg >> k & 1 ? 0x80000000 : 0;
    }
    for (unsigned i = 0; i < LANES; i++)
      result[half * LANES + i] =
          function(from[0][i] ^ sign[0], from[1][i] ^ sign[1],
                   o->c.kind ? from[2][i] ^ sign[2] : 0);
  }
  result_write(w, o, result);
}

/* op_sel picks the dword of each source; the second half is of the second. */
static void v_pk_mov_b32(aq_wave *w, const aq_wave_op *o)
{
  aq_packed_sources s;
  uint32_t result[ROWS * LANES];
  sources_read(w, o, &s);
  for (unsigned k = 0; k < 2; k++)
    for (unsigned i = 0; i < LANES; i++)
      result[k * LANES + i] =
          s.source[k][(o->inst->op_sel >> k & 1 ? LANES : 0) + i];
  result_write(w, o, result);
}

static uint32_t add_f32(uint32_t a, uint32_t b, uint32_t c)
{
  (void)c;
  return result_f32(as_f32(a) + as_f32(b), as_f32(a), as_f32(b), 0);
}

static uint32_t mul_f32(uint32_t a, uint32_t b, uint32_t c)
{
  (void)c;
  return result_f32(as_f32(a) * as_f32(b), as_f32(a), as_f32(b), 0);
}

static uint32_t fma_f32(uint32_t a, uint32_t b, uint32_t c)
{
  return result_f32(fmaf(as_f32(a), as_f32(b), as_f32(c)), as_f32(a), as_f32(b),
                    as_f32(c));
}

/* ---- two halves ---- */

typedef uint32_t aq_packed_half(uint32_t a, uint32_t b, uint32_t c);

static inline __attribute__((always_inline)) void
halves_execute(aq_wave *w, const aq_wave_op *o, aq_packed_half *function)
{
  aq_packed_sources s;
  uint32_t result[LANES] = {0};
  sources_read(w, o, &s);
  for (unsigned half = 0; half < 2; half++) {
    const unsigned select = half ? o->inst->op_sel_hi : o->inst->op_sel;
    const unsigned neg = half ? o->inst->neg_hi : s.neg_lo;
    for (unsigned i = 0; i < LANES; i++) {
      uint32_t value[SOURCES] = {0};
      for (unsigned k = 0; k < (o->c.kind ? 3u : 2u); k++)
        value[k] = (s.source[k][i] >> (select >> k & 1 ? 16 : 0) & 0xffff) ^
                   (neg >> k & 1 ? 0x8000u : 0);
      result[i] |= (function(value[0], value[1], value[2]) & 0xffff)
                   << (half ? 16 : 0);
    }
  }
  result_write(w, o, result);
}

#define HALF(name, value)                                                      \
  static uint32_t half_##name(uint32_t a, uint32_t b, uint32_t c)              \
  {                                                                            \
    (void)c;                                                                   \
    return (uint32_t)(value);                                                  \
  }
#define H2(operation)                                                          \
  result_f16(operation, as_f16(a), as_f16(b), c ? as_f16(c) : 0)
HALF(add_u16, a + b)
HALF(sub_u16, a - b)
HALF(mul_lo_u16, a *b)
HALF(mad_u16, a *b + c)
HALF(lshlrev_b16, b << (a & 15))
HALF(lshrrev_b16, b >> (a & 15))
HALF(ashrrev_i16, (i16)b >> (a & 15))
HALF(max_i16, max_i32((i16)a, (i16)b))
HALF(min_i16, min_i32((i16)a, (i16)b))
HALF(max_u16, max_u32(a, b))
HALF(min_u16, min_u32(a, b))
HALF(add_f16, H2(as_f16(a) + as_f16(b)))
HALF(mul_f16, H2(as_f16(a) * as_f16(b)))
HALF(max_f16, H2(max_f32(as_f16(a), as_f16(b))))
HALF(min_f16, H2(min_f32(as_f16(a), as_f16(b))))
HALF(fma_f16,
     fmaf(as_f16(a), as_f16(b), as_f16(c)) !=
             fmaf(as_f16(a), as_f16(b), as_f16(c))
         ? H2(NAN)
         : bits_f16_of_f64(fma((f64)as_f16(a), (f64)as_f16(b), (f64)as_f16(c))))

/* ---- mixed ---- */

/* A source is a half (op_sel_hi set; op_sel picks it) or a single float. */
static f32 mixed(const aq_wave_op *o, const aq_packed_sources *s, unsigned k,
                 unsigned lane)
{
  const uint32_t bits = s->source[k][lane];
  const unsigned shift = o->inst->op_sel >> k & 1 ? 16 : 0;
  f32 value =
      o->inst->op_sel_hi >> k & 1 ? as_f16(bits >> shift) : as_f32(bits);
  if (o->inst->neg_hi >> k & 1)
    value = fabsf(value);
  return s->neg_lo >> k & 1 ? -value : value;
}

static void mix_execute(aq_wave *w, const aq_wave_op *o, int shift)
{
  aq_packed_sources s;
  uint32_t result[LANES];
  const uint32_t *old = aq_wave_row(w, o->dst);
  sources_read(w, o, &s);
  for (unsigned i = 0; i < LANES; i++) {
    const f32 a = mixed(o, &s, 0, i), b = mixed(o, &s, 1, i),
              c = mixed(o, &s, 2, i);
    const f32 value = fmaf(a, b, c);
    result[i] = shift < 0
                    ? result_f32(value, a, b, c)
                    : (old[i] & ~(0xffffu << shift)) |
                          (value != value
                               ? result_f16(value, a, b, c)
                               : bits_f16_of_f64(fma((f64)a, (f64)b, (f64)c)))
                              << shift;
  }
  result_write(w, o, result);
}

static void v_fma_mix_f32(aq_wave *w, const aq_wave_op *o)
{
  mix_execute(w, o, -1);
}

static void v_fma_mixlo_f16(aq_wave *w, const aq_wave_op *o)
{
  mix_execute(w, o, 0);
}

static void v_fma_mixhi_f16(aq_wave *w, const aq_wave_op *o)
{
  mix_execute(w, o, 16);
}

/* ---- dot products ---- */

static void dot_execute(aq_wave *w, const aq_wave_op *o, unsigned bits,
                        bool is_signed)
{
  aq_packed_sources s;
  uint32_t result[LANES];
  const uint32_t mask = (1u << bits) - 1,
                 sign = is_signed ? 1u << (bits - 1) : 0;
  sources_read(w, o, &s);
  for (unsigned i = 0; i < LANES; i++) {
    uint32_t sum = s.source[2][i];
    for (unsigned at = 0; at < 32; at += bits)
      sum += (((s.source[0][i] >> at & mask) ^ sign) - sign) *
             (((s.source[1][i] >> at & mask) ^ sign) - sign);
    result[i] = sum;
  }
  result_write(w, o, result);
}

#define DWORDS(name)                                                           \
  static void v_pk_##name(aq_wave *w, const aq_wave_op *o)                     \
  {                                                                            \
    dwords_execute(w, o, name);                                                \
  }
#define HALVES(name, function)                                                 \
  static void v_pk_##name(aq_wave *w, const aq_wave_op *o)                     \
  {                                                                            \
    halves_execute(w, o, half_##function);                                     \
  }
#define DOT(name, bits, is_signed)                                             \
  static void name(aq_wave *w, const aq_wave_op *o)                            \
  {                                                                            \
    dot_execute(w, o, bits, is_signed);                                        \
  }
#define OTHER(name)
#include "wave/packed.def"
#undef DWORDS
#undef HALVES
#undef DOT
#undef OTHER

static const aq_wave_instruction instructions[] = {
#define DWORDS(name)               {"v_pk_" #name, v_pk_##name},
#define HALVES(name, function)     {"v_pk_" #name, v_pk_##name},
#define DOT(name, bits, is_signed) {#name, name},
#define OTHER(name)                {#name, name},
#include "wave/packed.def"
};

const aq_wave_instruction *aq_wave_packed_find(const char *name)
{
  return aq_wave_instruction_find(
      instructions, sizeof instructions / sizeof *instructions, name);
}
