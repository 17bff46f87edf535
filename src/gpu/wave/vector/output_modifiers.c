/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/output_modifiers.h"

#include <ctype.h>

#include "gpu/wave/core/vector_f16.h"

#define LANES(l)                                                               \
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1)                \
    for (int l = __builtin_ctzll(rest), once = 1; once; once = 0)

/* ---- floats ---- */

typedef enum result_type {
  INTEGER,
  F16,
  F32,
  F64,
  PAIR_F16,
  PAIR_F32,
  BF16
} type;

/* The first type in a name is the result's: v_add_f32, v_cvt_f16_u16. */
static type result_of(const char *name)
{
  name = aq_wave_name_of(name);
  const bool pair =
      strncmp(name, "v_cvt_pk", 8) == 0 || strncmp(name, "v_pk_", 5) == 0;
  for (name = strchr(name, '_'); name; name = strchr(name, '_')) {
    name++;
    if (strncmp(name, "bf16", 4) == 0)
      return BF16;
    if (!strchr("biuf", *name) || !isdigit((unsigned char)name[1]))
      continue;
    if (strncmp(name, "f16", 3) == 0)
      return pair ? PAIR_F16 : F16;
    if (strncmp(name, "f32", 3) == 0)
      return pair ? PAIR_F32 : F32;
    return strncmp(name, "f64", 3) == 0 ? F64 : INTEGER;
  }
  return INTEGER;
}

/* Multiplication is left out where MODE is IEEE or keeps denormals; it makes
 * every zero positive and flushes denormals. */
static bool multiplies(const aq_wave *w, const aq_isa_inst *inst, type of)
{
  const unsigned denormals = of == F32 ? w->mode >> 4 & 3 : w->mode >> 6 & 3;
  return inst->omod && !(w->mode & AQ_WAVE_MODE_IEEE) && !(denormals & 2);
}

static double output_modify(const aq_wave *w, const aq_isa_inst *inst, type of,
                            double x)
{
  static const double scales[] = {1, 2, 4, 0.5};
  if (multiplies(w, inst, of))
    x *= scales[inst->omod & 3];
  return inst->clamp ? aq_wave_clamp_unit(w, x) : x;
}

static uint32_t half_modify(const aq_wave *w, const aq_isa_inst *inst,
                            uint16_t bits)
{
  const double x = output_modify(w, inst, F16, (double)lane_f16(bits));
  if (x != x || !multiplies(w, inst, F16))
    return x == x ? lane_half(x) : bits;
  const uint16_t half = half_out(w, lane_half(x));
  return half & 0x7fff ? half : 0;
}

static uint32_t single_modify(const aq_wave *w, const aq_isa_inst *inst,
                              uint32_t bits)
{
  const double x = output_modify(w, inst, F32, (double)lane_f32(bits));
  if (x != x)
    return bits;
  const uint32_t single = lane_bits32((float)x);
  return single << 1 || !multiplies(w, inst, F32) ? single : 0;
}

static uint64_t wide_modify(const aq_wave *w, const aq_isa_inst *inst,
                            uint64_t bits)
{
  const double x = output_modify(w, inst, F64, lane_f64(bits));
  if (x != x)
    return bits;
  return x == 0 && multiplies(w, inst, F64) ? 0 : lane_bits64(x);
}

static void float_finish(aq_wave *w, const aq_isa_inst *inst, type of,
                         uint32_t *row)
{
  const bool split = of != F32 && of != PAIR_F32 && aq_wave_mode_is_split(w);
  if (split)
    aq_wave_mode_enter64(w);
  LANES(l)
  {
    uint32_t *high = &row[AQ_WAVE_LANES + l];
    if (of == F64) {
      const uint64_t x = wide_modify(w, inst, lane_u64(row, l));
      row[l] = (uint32_t)x;
      *high = (uint32_t)(x >> 32);
    } else if (of == F16 || of == PAIR_F16) {
      row[l] =
          half_modify(w, inst, (uint16_t)row[l]) |
          (of == F16 ? 0
                     : half_modify(w, inst, (uint16_t)(row[l] >> 16)) << 16);
    } else {
      row[l] = single_modify(w, inst, row[l]);
      if (of == PAIR_F32)
        *high = single_modify(w, inst, *high);
    }
  }
  if (split)
    aq_wave_mode_enter(w);
}

/* ---- integers ---- */

typedef enum sum {
  ADD,
  SUB,
  REVERSE,
  MULTIPLY,
  MAD,
  ABOVE, /* a result below its last source has overflowed */
  CARRY, /* their carry is set */
  BORROW,
  BOUNDED
} sum;

typedef struct saturation {
  const char *name;
  sum sum;
  bool is_signed;
  uint8_t width, from, last; /* bits: the result, the sources, the last one */
} saturation;

/* clang-format off */
static const saturation saturations[] = {
    {"v_add_u16", ADD, false, 16, 16, 16},
    {"v_sub_u16", SUB, false, 16, 16, 16},
    {"v_subrev_u16", REVERSE, false, 16, 16, 16},
    {"v_add_i16", ADD, true, 16, 16, 16},
    {"v_sub_i16", SUB, true, 16, 16, 16},
    {"v_add_u32", ADD, false, 32, 32, 32},
    {"v_sub_u32", SUB, false, 32, 32, 32},
    {"v_subrev_u32", REVERSE, false, 32, 32, 32},
    {"v_add_i32", ADD, true, 32, 32, 32},
    {"v_sub_i32", SUB, true, 32, 32, 32},
    {"v_add_co_u32", CARRY, false, 32, 32, 32},
    {"v_sub_co_u32", BORROW, false, 32, 32, 32},
    {"v_subrev_co_u32", BORROW, false, 32, 32, 32},
    {"v_addc_co_u32", CARRY, false, 32, 32, 32},
    {"v_subb_co_u32", BORROW, false, 32, 32, 32},
    {"v_subbrev_co_u32", BORROW, false, 32, 32, 32},
    {"v_mul_i32_i24", MULTIPLY, true, 32, 24, 32},
    {"v_mul_u32_u24", MULTIPLY, false, 32, 24, 32},
    {"v_mad_i32_i24", MAD, true, 32, 24, 32},
    {"v_mad_u32_u24", MAD, false, 32, 24, 32},
    {"v_mad_u16", MAD, false, 16, 16, 16},
    {"v_mad_i16", MAD, true, 16, 16, 16},
    {"v_mad_legacy_u16", MAD, false, 16, 16, 16},
    {"v_mad_legacy_i16", MAD, true, 16, 16, 16},
    {"v_mad_u32_u16", MAD, false, 32, 16, 32},
    {"v_mad_i32_i16", MAD, true, 32, 16, 32},
    {"v_mad_u64_u32", MAD, false, 64, 32, 64},
    {"v_mad_i64_i32", MAD, true, 64, 32, 64},
    {"v_sad_u8", ABOVE, false, 32, 32, 32},
    {"v_sad_hi_u8", ABOVE, false, 32, 32, 32},
    {"v_sad_u16", ABOVE, false, 32, 32, 32},
    {"v_sad_u32", ABOVE, false, 32, 32, 32},
    {"v_msad_u8", ABOVE, false, 32, 32, 32},
    /* These saturate, or cannot overflow. */
    {"v_cvt_", BOUNDED, false, 0, 0, 0},
    {"v_frexp_exp_", BOUNDED, false, 0, 0, 0},
    {"v_dot", BOUNDED, false, 0, 0, 0},
    {"v_min3_", BOUNDED, false, 0, 0, 0},
    {"v_max3_", BOUNDED, false, 0, 0, 0},
    {"v_med3_", BOUNDED, false, 0, 0, 0},
    {"v_pk_fmac_f16", BOUNDED, false, 0, 0, 0},
};
/* clang-format on */

static const saturation *saturation_find(const char *name)
{
  name = aq_wave_name_of(name);
  for (size_t i = 0; i < sizeof saturations / sizeof *saturations; i++)
    if (saturations[i].sum == BOUNDED
            ? strncmp(saturations[i].name, name, strlen(saturations[i].name)) ==
                  0
            : strcmp(saturations[i].name, name) == 0)
      return &saturations[i];
  return NULL;
}

typedef __int128 wide;

static wide extend(uint64_t x, unsigned bits, bool is_signed)
{
  const unsigned unused = 64 - bits;
  return is_signed ? (wide)((int64_t)(x << unused) >> unused)
                   : (wide)(x << unused >> unused);
}

static uint64_t saturate(const saturation *s, wide x)
{
  const wide one = 1;
  const wide most = (one << (s->width - s->is_signed)) - 1;
  const wide least = s->is_signed ? -most - 1 : 0;
  return (uint64_t)(x < least ? least : x > most ? most : x);
}

static uint64_t sum_saturated(const saturation *s, const uint32_t *pa,
                              const uint32_t *pb, const uint32_t *pc, int l)
{
  const wide a = extend(pa[l], s->from, s->is_signed),
             b = extend(pb[l], s->from, s->is_signed);
  if (s->sum == ADD)
    return saturate(s, a + b);
  if (s->sum == SUB || s->sum == REVERSE)
    return saturate(s, s->sum == SUB ? a - b : b - a);
  if (s->sum == MULTIPLY)
    return saturate(s, a * b);
  const uint64_t c = s->last == 64 ? lane_u64(pc, l) : pc[l];
  return saturate(s, a * b + extend(c, s->last, s->is_signed));
}

static bool integer_clamp(aq_wave *w, const aq_wave_op *plain, uint32_t *row)
{
  const saturation *s = saturation_find(plain->decoded->inst.row->name);
  if (!s || s->sum == BOUNDED)
    return s != NULL;
  const uint32_t *pa = lanes_source(w, plain, 0),
                 *pb = lanes_source(w, plain, 1),
                 *pc = s->last == 64 ? lanes_source64(w, plain, 2)
                                     : lanes_source(w, plain, 2);
  const bool carries = s->sum == CARRY || s->sum == BORROW;
  const uint64_t carry =
      carries ? w->s[plain->dest2] | (uint64_t)w->s[plain->dest2 + 1] << 32 : 0;
  LANES(l)
  {
    if (s->sum == ABOVE) {
      row[l] = row[l] < pc[l] ? UINT32_MAX : row[l];
      continue;
    }
    if (carries) {
      if (carry >> l & 1)
        row[l] = s->sum == CARRY ? UINT32_MAX : 0;
      continue;
    }
    const uint64_t x = sum_saturated(s, pa, pb, pc, l);
    row[l] = s->width == 16 ? (uint32_t)x & 0xffff : (uint32_t)x;
    if (s->width == 64)
      row[AQ_WAVE_LANES + l] = (uint32_t)(x >> 32);
  }
  return true;
}

bool aq_wave_finish_executes(const aq_isa_inst *inst)
{
  const type of = result_of(inst->row->name);
  return of != BF16 &&
         (of != INTEGER || !inst->clamp || inst->row->encoding == AQ_ISA_VOPC ||
          saturation_find(inst->row->name));
}

bool aq_wave_finish(aq_wave *w, const aq_wave_op *plain, uint16_t row)
{
  const aq_isa_inst *inst = &plain->decoded->inst;
  const type of = result_of(inst->row->name);
  if (of == BF16)
    return false;
  if (of != INTEGER) {
    float_finish(w, inst, of, w->v[row]);
    return true;
  }
  return !inst->clamp || integer_clamp(w, plain, w->v[row]);
}
