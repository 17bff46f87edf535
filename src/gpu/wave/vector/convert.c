/* SPDX-License-Identifier: MIT */
/*
 * Conversions to and from floats of 8, 6 and 4 bits, with scales and with
 * stochastic rounding. They round to nearest whatever MODE says.
 *
 * A scale is the exponent of an f32: a conversion to fewer bits divides by it,
 * the other way multiplies. Stochastic rounding adds the upper bits of a random
 * number to the bits that are dropped, and drops them; each further element
 * takes the next random number of v_prng_b32. Where no format has an infinity
 * or a NaN, the largest number stands for them.
 */
#include "config.h"

#include "gpu/wave/core/lane_handlers.h"
#include "gpu/wave/core/small_floats.h"

enum { ROUNDS_OVERFLOW = 1 << 23 /* MODE: overflows are the largest number */ };

typedef struct conversion {
  uint8_t from, to; /* element_type */
  uint8_t count;
  bool scaled, stochastic;
} conversion;

/* ---- numbers ---- */

static uint32_t random_next(uint32_t x)
{
  return x << 1 ^ (x >> 31 ? 197 : 0);
}

/* The largest finite code. */
static uint32_t code_largest(element_type type)
{
  const uint32_t ones = (1u << (element_formats[type].width - 1)) - 1;
  return element_formats[type].specials == IEEE
             ? (ones & ~((1u << element_formats[type].mantissa) - 1)) - 1
         : element_formats[type].specials == ONES_NAN ? ones - 1
                                                      : ones;
}

/* Beyond the largest one: an infinity, a NaN, or the largest one. */
static uint32_t code_overflow(element_type type, bool nan, bool saturates)
{
  const uint32_t largest = code_largest(type);
  switch (element_formats[type].specials) {
  case IEEE:
    return nan ? (largest + 1) | 1u << (element_formats[type].mantissa - 1)
           : saturates ? largest
                       : largest + 1;
  case ONES_NAN:
  case FNUZ:
    return nan || !saturates ? largest + 1 : largest;
  default:
    return largest;
  }
}

/* A magnitude in units of the last place, rounded to nearest even, or with a
 * random number. */
static uint32_t units_round(double x, const uint32_t *random)
{
  if (!random)
    return (uint32_t)nearbyint(x);
  return (uint32_t)(((uint64_t)(x * 0x1p32) + *random) >> 32);
}

static uint32_t number_narrow(double x, element_type type,
                              const uint32_t *random, bool saturates)
{
  const int mantissa = element_formats[type].mantissa;
  const int lowest = 1 - element_formats[type].bias;
  const uint64_t bits = lane_bits64(x);
  const uint32_t sign = (uint32_t)(bits >> 63)
                        << (element_formats[type].width - 1);
  const double size = fabs(x);
  const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  const int e = exponent > lowest ? exponent : lowest;
  uint32_t code = UINT32_MAX;
  if (x != x)
    return sign | code_overflow(type, true, saturates);
  if (e < 256)
    code = ((uint32_t)(e - lowest) << mantissa) +
           units_round(size * element_power(mantissa - e), random);
  if (isinf(x) && element_formats[type].specials == IEEE)
    return sign | (code_largest(type) + 1);
  if (code > code_largest(type))
    code = code_overflow(type, false, saturates);
  /* Without -0; the NaN has the sign's bit alone. */
  if (element_formats[type].specials == FNUZ && (code == 0 || code > 0x7f))
    return code ? 0x80 : 0;
  return sign | code;
}

static double number_wide(uint32_t bits, element_type type)
{
  const double x =
      type == F32 ? (double)lane_f32(bits) : element_split(type, bits).value;
  const bool negative = element_formats[type].specials != FNUZ &&
                        bits >> (element_formats[type].width - 1);
  return x == x ? x : copysign(NAN, negative ? -1 : 1);
}

static uint32_t number_put(double x, element_type type, const uint32_t *random,
                           bool saturates)
{
  if (type != F32)
    return number_narrow(x, type, random, saturates);
  return x == x ? lane_bits32((float)x) : 0x7fc00000;
}

/* 2^e of an f32's exponent; NaN: it is that of infinities. */
static double scale_of(uint32_t bits)
{
  const int exponent = (int)(bits >> 23 & 0xff);
  return exponent == 0xff ? (double)NAN : element_power(exponent - 127);
}

/* A NaN keeps the sign of the number. */
static double scaled_by(double x, double scale, bool divides)
{
  return scale != scale ? copysign(NAN, x) : divides ? x / scale : x * scale;
}

/* ---- operands ---- */

bool aq_wave_convert_selects(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  const bool widens = strstr(name, "_f32_fp8") || strstr(name, "_f32_bf8");
  if (inst->row->encoding == AQ_ISA_VOP1)
    return aq_isa_form_is_e64(inst->form) && widens;
  return inst->row->encoding == AQ_ISA_VOP3 &&
         (strncmp(name, "v_cvt_scalef32_", 15) == 0 ||
          strncmp(name, "v_cvt_sr_", 9) == 0 ||
          strncmp(name, "v_cvt_pk_fp8_", 13) == 0 ||
          strncmp(name, "v_cvt_pk_bf8_", 13) == 0);
}

typedef struct source {
  const uint32_t *rows; /* NULL: one value for all lanes */
  uint32_t value, keep, flip;
} source;

static source source_of(const aq_wave *w, const aq_wave_op *o, int i,
                        element_type type)
{
  const aq_isa_operand *operand =
      aq_isa_operand_find(&o->decoded->inst, (char)('A' + i));
  const bool signed_here = aq_wave_convert_selects(&o->decoded->inst);
  const unsigned signs = operand && signed_here ? operand->modifiers : 0;
  const uint32_t sign = type == F32 ? 0x80000000u : 0x80008000u;
  source out = {.keep = signs & AQ_ISA_ABS ? ~sign : UINT32_MAX,
                .flip = signs & AQ_ISA_NEG ? sign : 0};
  if (o->kind[i] == AQ_WAVE_VGPR)
    out.rows = w->v[o->source[i]];
  else
    out.value = aq_wave_s32(w, o, i);
  return out;
}

static uint32_t source_word(const source *s, int row, int lane)
{
  const uint32_t x = s->rows ? s->rows[row * AQ_WAVE_LANES + lane] : s->value;
  return (x & s->keep) ^ s->flip;
}

/* `width` bits from bit `at` on of a lane's registers. */
static uint32_t bits_get(const source *s, int lane, int at, int width)
{
  const int row = at / 32, shift = at % 32;
  uint64_t x = source_word(s, row, lane);
  if (shift + width > 32)
    x |= (uint64_t)source_word(s, row + 1, lane) << 32;
  return (uint32_t)(x >> shift & ((1ull << width) - 1));
}

static void bits_put(uint32_t *rows, int lane, int at, int width, uint32_t x)
{
  const int shift = at % 32;
  uint32_t *word = &rows[at / 32 * AQ_WAVE_LANES + lane];
  const uint64_t mask = ((1ull << width) - 1) << shift;
  const uint64_t bits = (uint64_t)x << shift;
  *word = (uint32_t)((*word & ~mask) | bits);
  if (shift + width > 32)
    word[AQ_WAVE_LANES] = (word[AQ_WAVE_LANES] & ~(uint32_t)(mask >> 32)) |
                          (uint32_t)(bits >> 32);
}

/* The part of the destination that is written begins here. */
static int first_of(const aq_isa_inst *inst, int bits)
{
  return bits == 8    ? 8 * (inst->op_sel >> 2 & 3)
         : bits == 16 ? 16 * (inst->op_sel >> 3 & 1)
                      : 0;
}

/* The byte that a source begins with. gfx12 counts its bits the other way. */
static int byte_of(const aq_isa_inst *inst)
{
  const int low = inst->op_sel & 1, high = inst->op_sel >> 1 & 1;
  return inst->target & AQ_ISA_GFX12 ? high | low << 1 : low | high << 1;
}

/* Elements of two operands take turns. */
static bool takes_two(const conversion *c, const aq_isa_inst *inst)
{
  const aq_isa_operand *b = aq_isa_operand_find(inst, 'B');
  return c->from == F32 && c->count > 1 && !c->stochastic && b;
}

static const aq_wave_op *convert(aq_wave *w, const aq_wave_op *o,
                                 const conversion *c)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  const element_type from =
                         element_of_target((element_type)c->from, inst->target),
                     to = element_of_target((element_type)c->to, inst->target);
  const int width = element_formats[from].bits, out = element_formats[to].bits;
  const bool two = takes_two(c, inst), narrows = out < width;
  const bool saturates = w->mode & ROUNDS_OVERFLOW;
  const source a = source_of(w, o, 0, from), b = source_of(w, o, 1, from),
               s = source_of(w, o, two || c->stochastic ? 2 : 1, F32);
  const int part = width * c->count; /* of a word that is selected */
  const int begin = narrows || part >= 32 ? 0
                    : part == 8           ? 8 * byte_of(inst)
                                          : 16 * (inst->op_sel & 1);
  const int first = first_of(inst, out * c->count);
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    const double scale = c->scaled ? scale_of(source_word(&s, 0, l)) : 1;
    uint32_t random = c->stochastic ? source_word(&b, 0, l) : 0;
    uint32_t results[32];
    for (int i = 0; i < c->count; i++) {
      const source *of = two && i & 1 ? &b : &a;
      const double x = number_wide(
          bits_get(of, l, begin + (two ? i / 2 : i) * width, width), from);
      results[i] = number_put(scaled_by(x, scale, narrows), to,
                              c->stochastic ? &random : NULL, saturates);
      random = random_next(random);
    }
    for (int i = 0; i < c->count; i++)
      bits_put(w->v[o->dest], l, first + i * out, out, results[i]);
  }
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

/* name, from, to, elements, scaled, stochastic */
#define PLAIN(X)                                                               \
  X(v_cvt_f32_fp8, FP8, F32, 1, 0, 0)                                          \
  X(v_cvt_f32_bf8, BF8, F32, 1, 0, 0)                                          \
  X(v_cvt_pk_f32_fp8, FP8, F32, 2, 0, 0)                                       \
  X(v_cvt_pk_f32_bf8, BF8, F32, 2, 0, 0)                                       \
  X(v_cvt_pk_fp8_f32, F32, FP8, 2, 0, 0)                                       \
  X(v_cvt_pk_bf8_f32, F32, BF8, 2, 0, 0)                                       \
  X(v_cvt_sr_fp8_f32, F32, FP8, 1, 0, 1)                                       \
  X(v_cvt_sr_bf8_f32, F32, BF8, 1, 0, 1)                                       \
  X(v_cvt_sr_f16_f32, F32, F16, 1, 0, 1)                                       \
  X(v_cvt_sr_bf16_f32, F32, BF16, 1, 0, 1)

/* Both formats of 8 bits, and of 6. */
#define SCALED(X)                                                              \
  X(v_cvt_scalef32_pk_fp8_f32, F32, FP8, 2, 1, 0)                              \
  X(v_cvt_scalef32_pk_bf8_f32, F32, BF8, 2, 1, 0)                              \
  X(v_cvt_scalef32_sr_fp8_f32, F32, FP8, 1, 1, 1)                              \
  X(v_cvt_scalef32_sr_bf8_f32, F32, BF8, 1, 1, 1)                              \
  X(v_cvt_scalef32_pk_fp8_f16, F16, FP8, 2, 1, 0)                              \
  X(v_cvt_scalef32_pk_bf8_f16, F16, BF8, 2, 1, 0)                              \
  X(v_cvt_scalef32_sr_fp8_f16, F16, FP8, 1, 1, 1)                              \
  X(v_cvt_scalef32_sr_bf8_f16, F16, BF8, 1, 1, 1)                              \
  X(v_cvt_scalef32_pk_fp8_bf16, BF16, FP8, 2, 1, 0)                            \
  X(v_cvt_scalef32_pk_bf8_bf16, BF16, BF8, 2, 1, 0)                            \
  X(v_cvt_scalef32_sr_fp8_bf16, BF16, FP8, 1, 1, 1)                            \
  X(v_cvt_scalef32_sr_bf8_bf16, BF16, BF8, 1, 1, 1)                            \
  X(v_cvt_scalef32_pk_f32_fp8, FP8, F32, 2, 1, 0)                              \
  X(v_cvt_scalef32_pk_f32_bf8, BF8, F32, 2, 1, 0)                              \
  X(v_cvt_scalef32_f32_fp8, FP8, F32, 1, 1, 0)                                 \
  X(v_cvt_scalef32_f32_bf8, BF8, F32, 1, 1, 0)                                 \
  X(v_cvt_scalef32_pk_f16_fp8, FP8, F16, 2, 1, 0)                              \
  X(v_cvt_scalef32_pk_f16_bf8, BF8, F16, 2, 1, 0)                              \
  X(v_cvt_scalef32_f16_fp8, FP8, F16, 1, 1, 0)                                 \
  X(v_cvt_scalef32_f16_bf8, BF8, F16, 1, 1, 0)                                 \
  X(v_cvt_scalef32_pk_bf16_fp8, FP8, BF16, 2, 1, 0)                            \
  X(v_cvt_scalef32_pk_bf16_bf8, BF8, BF16, 2, 1, 0)                            \
  X(v_cvt_scalef32_pk_fp4_f32, F32, FP4, 2, 1, 0)                              \
  X(v_cvt_scalef32_sr_pk_fp4_f32, F32, FP4, 2, 1, 1)                           \
  X(v_cvt_scalef32_pk_fp4_f16, F16, FP4, 2, 1, 0)                              \
  X(v_cvt_scalef32_sr_pk_fp4_f16, F16, FP4, 2, 1, 1)                           \
  X(v_cvt_scalef32_pk_fp4_bf16, BF16, FP4, 2, 1, 0)                            \
  X(v_cvt_scalef32_sr_pk_fp4_bf16, BF16, FP4, 2, 1, 1)                         \
  X(v_cvt_scalef32_pk_f32_fp4, FP4, F32, 2, 1, 0)                              \
  X(v_cvt_scalef32_pk_f16_fp4, FP4, F16, 2, 1, 0)                              \
  X(v_cvt_scalef32_pk_bf16_fp4, FP4, BF16, 2, 1, 0)                            \
  X(v_cvt_scalef32_2xpk16_fp6_f32, F32, FP6, 32, 1, 0)                         \
  X(v_cvt_scalef32_2xpk16_bf6_f32, F32, BF6, 32, 1, 0)                         \
  X(v_cvt_scalef32_sr_pk32_fp6_f32, F32, FP6, 32, 1, 1)                        \
  X(v_cvt_scalef32_sr_pk32_bf6_f32, F32, BF6, 32, 1, 1)                        \
  X(v_cvt_scalef32_pk32_fp6_f16, F16, FP6, 32, 1, 0)                           \
  X(v_cvt_scalef32_pk32_bf6_f16, F16, BF6, 32, 1, 0)                           \
  X(v_cvt_scalef32_pk32_fp6_bf16, BF16, FP6, 32, 1, 0)                         \
  X(v_cvt_scalef32_pk32_bf6_bf16, BF16, BF6, 32, 1, 0)                         \
  X(v_cvt_scalef32_sr_pk32_fp6_f16, F16, FP6, 32, 1, 1)                        \
  X(v_cvt_scalef32_sr_pk32_bf6_f16, F16, BF6, 32, 1, 1)                        \
  X(v_cvt_scalef32_sr_pk32_fp6_bf16, BF16, FP6, 32, 1, 1)                      \
  X(v_cvt_scalef32_sr_pk32_bf6_bf16, BF16, BF6, 32, 1, 1)                      \
  X(v_cvt_scalef32_pk32_f32_fp6, FP6, F32, 32, 1, 0)                           \
  X(v_cvt_scalef32_pk32_f32_bf6, BF6, F32, 32, 1, 0)                           \
  X(v_cvt_scalef32_pk32_f16_fp6, FP6, F16, 32, 1, 0)                           \
  X(v_cvt_scalef32_pk32_f16_bf6, BF6, F16, 32, 1, 0)                           \
  X(v_cvt_scalef32_pk32_bf16_fp6, FP6, BF16, 32, 1, 0)                         \
  X(v_cvt_scalef32_pk32_bf16_bf6, BF6, BF16, 32, 1, 0)

#define HANDLER(name, ...)                                                     \
  BODY(name)                                                                   \
  {                                                                            \
    static const conversion c = {__VA_ARGS__};                                 \
    return convert(w, o, &c);                                                  \
  }
PLAIN(HANDLER)
SCALED(HANDLER)

#define ENTRY(name, ...) {#name, name##_},
const aq_wave_semantics aq_wave_convert[] = {PLAIN(ENTRY)
                                                 SCALED(ENTRY){NULL, NULL}};
