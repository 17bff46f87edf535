/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions of RDNA. WMMA: D = A * B + C. SWMMAC: D = A * B + D,
 * where A holds two of four elements and an index says which. EXEC and MODE do
 * not matter.
 *
 * Exact: where elements lie (AMD's matrix instruction calculator), integers,
 * and products. Assumed: sums of floats are f32, one product after the other in
 * the order of k, rounded to the nearest with denormals, and D of 16 bits is
 * rounded at the end; a NaN is the positive default one.
 */
#include "config.h"

#include "gpu/wave/core/mode.h"
#include "gpu/wave/core/small_floats.h"

#pragma GCC optimize("O3", "fp-contract=off")

enum { SIDE = 16, K_MOST = 64 };

typedef struct wmma_shape {
  uint8_t k, bits;
  uint8_t a, b, d; /* element_type; I8: integers of `bits`, D of 32 */
} wmma_shape;

typedef struct wmma_work {
  const wmma_shape *shape;
  const aq_isa_inst *inst;
  bool sparse, rdna4, wave32;
  int count;                  /* elements of a row of A */
  uint8_t from[SIDE][K_MOST]; /* k of a row's n-th element */
  union {
    float f[K_MOST][SIDE];
    int32_t i[K_MOST][SIDE];
  } a, b; /* by k, or the element's number, then row or column */
} wmma_work;

/* ---- where elements lie ---- */

typedef struct wmma_place {
  int lane, at; /* of row or column 0; elements before it in the lane */
} wmma_place;

/* Of `count` elements of a row or column the n-th. Lanes come in groups of 16,
 * each of which takes `run` elements in its turn. */
static wmma_place place_of(const wmma_work *w, int count, int n)
{
  static const int8_t forward[] = {0, 1, 2, 3}, crossed[] = {0, 2, 1, 3};
  const int bits = w->shape->bits;
  const int8_t *order = forward;
  int groups = 4, run = count / 4;
  if (!w->rdna4)
    return (wmma_place){0, n};
  if (w->wave32) {
    groups = 2;
    run = bits == 16 ? count / 4 : count / 2;
  } else if (bits < 16 && count * bits < 128) { /* they fill 32 lanes */
    groups = 2;
    run = count / 2;
  } else if (bits < 16) {
    order = crossed;
  }
  const int turn = n / run;
  return (wmma_place){SIDE * order[turn % groups],
                      turn / groups * run + n % run};
}

/* Of D and C: registers and lanes of a row's column 0, halves of a register
 * where elements have 16 bits. */
typedef struct wmma_result {
  int row, lane, shift;
} wmma_result;

static wmma_result result_of(const wmma_work *w, int i)
{
  const bool half = w->shape->d == F16 || w->shape->d == BF16;
  const int lanes = w->wave32 ? 2 : 4; /* groups of them */
  if (!w->rdna4)
    return (wmma_result){.row = i / lanes,
                         .lane = i % lanes * SIDE,
                         .shift = half && w->inst->op_sel & 4 ? 16 : 0};
  const int at = w->wave32 ? i % 8 : i % 4;
  return (wmma_result){.row = half ? at / 2 : at,
                       .lane =
                           SIDE * (w->wave32 ? i / 8 : i / 4 % 2 * 2 + i / 8),
                       .shift = half ? at % 2 * 16 : 0};
}

/* gfx11: the other lanes have to repeat the first 16. */
static bool lanes_repeat(const aq_wave *wave, const wmma_work *w, int first)
{
  const int rows = w->shape->k * w->shape->bits / 32;
  for (int r = first; r < first + rows; r++)
    for (int lane = SIDE; lane < (w->wave32 ? 32 : 64); lane++)
      if (wave->v[r][lane] != wave->v[r][lane % SIDE])
        return false;
  return true;
}

/* ---- sources ---- */

static uint32_t element_bits(const aq_wave *wave, const wmma_work *w, int row,
                             int count, int side, int n)
{
  const wmma_place p = place_of(w, count, n);
  const int bit = p.at * w->shape->bits;
  const uint32_t word = wave->v[row + bit / 32][p.lane + side];
  return word >> (bit % 32) & ((1u << w->shape->bits) - 1);
}

static int32_t integer_of(uint32_t bits, int width, bool is_signed)
{
  return is_signed ? (int32_t)(bits << (32 - width)) >> (32 - width)
                   : (int32_t)bits;
}

static float float_of(element_type type, uint32_t bits)
{
  return type == F16    ? lane_f16((uint16_t)bits)
         : type == BF16 ? lane_f32(bits << 16)
                        : (float)element_split(type, bits).value;
}

/* Signs of floats of 16 bits: NEG of even elements, NEG_HI of odd ones. NEG of
 * integers says that they are signed. */
static void operand_read(const aq_wave *wave, wmma_work *w, bool is_a, int row)
{
  const wmma_shape *s = w->shape;
  const int count = is_a ? w->count : s->k, which = is_a ? 0 : 1;
  const aq_isa_operand *o = aq_isa_operand_find(w->inst, is_a ? 'A' : 'B');
  const bool low = o->modifiers & AQ_ISA_NEG,
             high = w->inst->neg_hi >> which & 1;
  const element_type type = (element_type)(is_a ? s->a : s->b);
  for (int n = 0; n < count; n++)
    for (int side = 0; side < SIDE; side++) {
      uint32_t bits = element_bits(wave, w, row, count, side, n);
      if (s->d == I8) {
        (is_a ? w->a.i : w->b.i)[n][side] = integer_of(bits, s->bits, low);
        continue;
      }
      if (s->bits == 16 && (n & 1 ? high : low))
        bits ^= 0x8000;
      (is_a ? w->a.f : w->b.f)[n][side] = float_of(type, bits);
    }
}

/* Which k the elements of sparse A have: two bits of the index for each, in the
 * lane that holds it. */
static bool index_read(wmma_work *w, const uint32_t *index)
{
  const int each = 2 * (place_of(w, w->count, w->count - 1).at + 1);
  const int part = w->sparse ? w->inst->op_sel * each : 0;
  if (part + each > 32)
    return false;
  for (int i = 0; i < SIDE; i++)
    for (int n = 0; n < w->count; n++) {
      const wmma_place p = place_of(w, w->count, n);
      const uint32_t bits = index[p.lane + i] >> (part + 2 * p.at);
      w->from[i][n] = (uint8_t)(w->sparse ? n / 2 * 4 + (int)(bits & 3) : n);
    }
  return true;
}

/* ---- sums ---- */

/* Whether the product of any two elements is exact in f32. */
static bool products_are_exact(const wmma_work *w)
{
  const float least = 0x1p-60f, most = 0x1p60f;
  bool exact = true;
  if (w->shape->a != BF16)
    return true;
  for (int n = 0; n < w->count; n++)
    for (int i = 0; i < SIDE; i++) {
      const float a = fabsf(w->a.f[n][i]);
      exact &= a == 0 || (a >= least && a <= most);
    }
  for (int k = 0; k < w->shape->k; k++)
    for (int j = 0; j < SIDE; j++) {
      const float b = fabsf(w->b.f[k][j]);
      exact &= b == 0 || (b >= least && b <= most);
    }
  return exact;
}

static void row_sum(const wmma_work *w, int i, bool exact, float sum[SIDE])
{
  for (int n = 0; n < w->count; n++) {
    const float a = w->a.f[n][i], *b = w->b.f[w->from[i][n]];
    if (exact)
      for (int j = 0; j < SIDE; j++)
        sum[j] += a * b[j];
    else
      for (int j = 0; j < SIDE; j++)
        sum[j] = fmaf(a, b[j], sum[j]);
  }
}

/* Clamp saturates the sum. */
static void row_sum_integers(const wmma_work *w, int i, uint32_t sum[SIDE])
{
  for (int j = 0; j < SIDE; j++) {
    int64_t total = (int32_t)sum[j];
    for (int n = 0; n < w->count; n++)
      total += (int64_t)w->a.i[n][i] * w->b.i[w->from[i][n]][j];
    if (w->inst->clamp)
      total = total > INT32_MAX   ? INT32_MAX
              : total < INT32_MIN ? INT32_MIN
                                  : total;
    sum[j] = (uint32_t)total;
  }
}

/* To the nearest bf16. */
static uint32_t brain_bits(float x)
{
  const uint32_t bits = lane_bits32(x);
  return x != x ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint32_t float_bits(element_type type, float x)
{
  return type == F16    ? (x == x ? lane_bits16(x) : 0x7e00)
         : type == BF16 ? brain_bits(x)
         : x == x       ? lane_bits32(x)
                        : 0x7fc00000;
}

/* Signs of C: NEG, and NEG_HI for its absolute value. */
static float addend_of(const wmma_work *w, uint32_t bits)
{
  const aq_isa_operand *o = aq_isa_operand_find(w->inst, 'C');
  float x = w->shape->d == F32
                ? lane_f32(bits)
                : float_of((element_type)w->shape->d, bits & 0xffff);
  if (w->sparse)
    return x;
  if (w->inst->neg_hi & 4)
    x = fabsf(x);
  return o->modifiers & AQ_ISA_NEG ? -x : x;
}

/* ---- instructions ---- */

static void rows_run(aq_wave *wave, const wmma_work *w, const aq_wave_op *o)
{
  const bool half = w->shape->d == F16 || w->shape->d == BF16;
  const bool constant = !w->sparse && o->kind[2] == AQ_WAVE_CONSTANT;
  const uint16_t c = w->sparse ? o->dest : o->source[2];
  const bool exact = w->shape->d == I8 || products_are_exact(w);
  uint32_t d[8][AQ_WAVE_LANES];
  memcpy(d, wave->v[o->dest], sizeof d);
  for (int i = 0; i < SIDE; i++) {
    const wmma_result at = result_of(w, i);
    uint32_t bits[SIDE];
    float sum[SIDE];
    for (int j = 0; j < SIDE; j++)
      bits[j] = constant ? (uint32_t)o->constant[2]
                         : wave->v[c + at.row][at.lane + j] >> at.shift;
    if (w->shape->d == I8) {
      row_sum_integers(w, i, bits);
    } else {
      for (int j = 0; j < SIDE; j++)
        sum[j] = addend_of(w, bits[j]);
      row_sum(w, i, exact, sum);
      for (int j = 0; j < SIDE; j++)
        bits[j] = float_bits((element_type)w->shape->d, sum[j]);
    }
    for (int j = 0; j < SIDE; j++) {
      uint32_t *to = &d[at.row][at.lane + j];
      *to =
          half ? (*to & ~(0xffffu << at.shift)) | bits[j] << at.shift : bits[j];
    }
  }
  const aq_isa_operand *result = aq_isa_operand_find(w->inst, 'D');
  memcpy(wave->v[o->dest], d, sizeof d[0] * (result->bits / 32));
}

static const aq_wave_op *wmma_run(aq_wave *wave, const aq_wave_op *o,
                                  const wmma_shape *s)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  wmma_work w = {.shape = s,
                 .inst = inst,
                 .sparse = strncmp(inst->row->name, "v_sw", 4) == 0,
                 .rdna4 = inst->target & AQ_ISA_GFX12,
                 .wave32 = wave->wave32};
  w.count = w.sparse ? s->k / 2 : s->k;
  if (!w.rdna4 && !(lanes_repeat(wave, &w, o->source[0]) &&
                    lanes_repeat(wave, &w, o->source[1])))
    return aq_wave_fault(wave, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "lanes from 16 on do not repeat A and B of the first "
                         "16");
  if (!index_read(&w, wave->v[w.sparse ? o->source[2] : o->source[0]]))
    return aq_wave_fault(wave, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "the index has no such part");
  aq_wave_mode_enter_nearest();
  operand_read(wave, &w, true, o->source[0]);
  operand_read(wave, &w, false, o->source[1]);
  rows_run(wave, &w, o);
  aq_wave_mode_enter(wave);
  return aq_wave_next(o);
}

#define W(name, ...)                                                           \
  static const aq_wave_op *name##_(aq_wave *wave, const aq_wave_op *o)         \
  {                                                                            \
    static const wmma_shape shape = {__VA_ARGS__};                             \
    return wmma_run(wave, o, &shape);                                          \
  }
#include "gpu/wave/matrix/wmma_shapes.def"
#undef W

#define W(name, ...) {#name, name##_},
const aq_wave_semantics aq_wave_wmma[] = {
#include "gpu/wave/matrix/wmma_shapes.def"
    {NULL, NULL}};
#undef W
