/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "wave/instructions.h"
#include "wave/lane_math.h"

#pragma GCC optimize("O3")

enum { LANES = AQ_WAVE_LANES, ROWS = 2, NO_LANE = 255 };

/* Rows of three sources and of a result, where they are not registers. */
typedef struct aq_wave_rows {
  _Alignas(64) uint32_t a[ROWS * LANES];
  _Alignas(64) uint32_t b[ROWS * LANES];
  _Alignas(64) uint32_t c[ROWS * LANES];
} aq_wave_rows;

const uint32_t *aq_wave_source_rows(const aq_wave *wave,
                                    const aq_wave_source *source,
                                    uint32_t *rows)
{
  switch (source->kind) {
  case AQ_WAVE_VGPR:
    return aq_wave_row(wave, source->number);
  case AQ_WAVE_CONSTANT:
    return source->constant;
  case AQ_WAVE_SGPR:
    for (unsigned r = 0; r < source->rows; r++) {
      const uint32_t value = wave->s[source->number + r];
      for (unsigned i = 0; i < LANES; i++)
        rows[r * LANES + i] = value;
    }
    return rows;
  default:
    return rows;
  }
}

static void rows_merge(uint32_t *d, const uint32_t *value, uint64_t lanes,
                       unsigned rows)
{
  for (unsigned r = 0; r < rows; r++, d += LANES, value += LANES)
    for (unsigned i = 0; i < LANES; i++)
      d[i] = lanes >> i & 1 ? value[i] : d[i];
}

/* ---- modifiers ---- */

/* SDWA: a byte or a word of each lane. */
static void select_part(uint32_t *rows, unsigned select, bool sext)
{
  if (select > 5)
    return;
  const unsigned shift = select < 4 ? select * 8 : (select - 4) * 16;
  const uint32_t mask = select < 4 ? 0xff : 0xffff, sign = (mask >> 1) + 1;
  for (unsigned i = 0; i < LANES; i++) {
    const uint32_t part = rows[i] >> shift & mask;
    rows[i] = sext ? (part ^ sign) - sign : part;
  }
}

/* DPP: the lane that each lane reads, or NO_LANE. */
static void dpp_lanes(uint16_t ctrl, uint8_t lanes[LANES])
{
  for (unsigned i = 0; i < LANES; i++) {
    const unsigned row = i & ~15u, at = i & 15, n = ctrl & 15;
    unsigned from = NO_LANE;
    if (ctrl < 0x100)
      from = (i & ~3u) | (ctrl >> (i & 3) * 2 & 3);
    else if (ctrl < 0x110)
      from = at + n < 16 ? i + n : NO_LANE;
    else if (ctrl < 0x120)
      from = at >= n ? i - n : NO_LANE;
    else if (ctrl < 0x130)
      from = row | ((at - n) & 15);
    else if (ctrl == 0x130)
      from = i < 63 ? i + 1 : NO_LANE;
    else if (ctrl == 0x134)
      from = (i + 1) & 63;
    else if (ctrl == 0x138)
      from = i > 0 ? i - 1 : NO_LANE;
    else if (ctrl == 0x13c)
      from = (i - 1) & 63;
    else if (ctrl == 0x140)
      from = row | (15 - at);
    else if (ctrl == 0x141)
      from = (i & ~7u) | (7 - (i & 7));
    else if (ctrl == 0x142)
      from = i >= 16 ? row - 1 : NO_LANE;
    else if (ctrl == 0x143)
      from = i >= 32 ? 31 : NO_LANE;
    else if (ctrl >= 0x150)
      from = row | n;
    lanes[i] = (uint8_t)from;
  }
}

/* Moves lanes as DPP says. Returns the lanes that may be written. */
static uint64_t dpp_move(const aq_wave *w, const aq_isa_inst *inst,
                         uint32_t *rows, unsigned count)
{
  uint8_t lanes[LANES];
  uint64_t written = 0;
  const uint64_t exec = aq_wave_exec(w);
  uint32_t from[ROWS * LANES];
  memcpy(from, rows, count * LANES * sizeof *rows);
  dpp_lanes(inst->dpp_ctrl, lanes);
  for (unsigned i = 0; i < LANES; i++) {
    const bool valid = lanes[i] != NO_LANE && exec >> lanes[i] & 1;
    const bool enabled =
        inst->row_mask >> (i >> 4) & 1 && inst->bank_mask >> (i >> 2 & 3) & 1;
    if (enabled && (valid || inst->bound_ctrl))
      written |= UINT64_C(1) << i;
    for (unsigned r = 0; r < count; r++)
      rows[r * LANES + i] = valid ? from[r * LANES + lanes[i]] : 0;
  }
  return written;
}

static void float_modify(uint32_t *rows, const aq_isa_operand *operand)
{
  const uint32_t sign = operand->bits == 16 ? 0x8000 : 0x80000000;
  uint32_t *high = operand->bits == 64 ? rows + LANES : rows;
  if (operand->modifiers & AQ_ISA_ABS)
    for (unsigned i = 0; i < LANES; i++)
      high[i] &= ~sign;
  if (operand->modifiers & AQ_ISA_NEG)
    for (unsigned i = 0; i < LANES; i++)
      high[i] ^= sign;
}

/* Copies a source into `rows` and applies what the instruction says of it. */
static const uint32_t *source_modify(const aq_wave *w, const aq_wave_op *o,
                                     const aq_wave_source *source, char role,
                                     uint32_t *rows, uint64_t *written)
{
  const aq_isa_operand *operand = aq_isa_operand_find(o->inst, role);
  const uint32_t *from = aq_wave_source_rows(w, source, rows);
  if (source->kind == AQ_WAVE_NONE || !operand)
    return from;
  if (from != rows)
    memcpy(rows, from, source->rows * LANES * sizeof *rows);
  if (o->inst->form == AQ_ISA_DPP && role == 'A')
    *written &= dpp_move(w, o->inst, rows, source->rows);
  if (o->inst->form == AQ_ISA_SDWA)
    select_part(rows, operand->select, operand->modifiers & AQ_ISA_SEXT);
  if (o->inst->op_sel >> (role - 'A') & 1 && o->inst->row->flags & AQ_ISA_OPSEL)
    select_part(rows, 5, false);
  float_modify(rows, operand);
  return rows;
}

static f32 clamped(f32 value)
{
  return value > 0 ? value < 1 ? value : 1 : 0;
}

/* omod, then clamp: of floats only; others are refused when decoded. */
static void result_modify(const aq_wave_op *o, uint32_t *rows)
{
  static const f32 factors[] = {1, 2, 4, 0.5f};
  const f32 factor = factors[o->inst->omod];
  for (unsigned i = 0; i < LANES; i++)
    if (o->float_bits == 32) {
      f32 value = as_f32(rows[i]) * factor;
      rows[i] = bits_f32(o->inst->clamp ? clamped(value) : value);
    } else if (o->float_bits == 16) {
      f32 value = as_f16(rows[i]) * factor;
      rows[i] = bits_f16(o->inst->clamp ? clamped(value) : value);
    } else {
      f64 value = as_f64((u64)rows[i + LANES] << 32 | rows[i]) * (f64)factor;
      if (o->inst->clamp)
        value = value > 0 ? value < 1 ? value : 1 : 0;
      const u64 bits = bits_f64(value);
      rows[i] = (u32)bits;
      rows[i + LANES] = (u32)(bits >> 32);
    }
}

/* SDWA's destination and op_sel's upper half: a part of the register. */
static void result_place(const aq_wave_op *o, uint32_t *rows,
                         const uint32_t *old)
{
  unsigned select = o->inst->form == AQ_ISA_SDWA ? o->inst->dst_sel : 6;
  unsigned unused = o->inst->dst_unused;
  if (o->inst->row->flags & AQ_ISA_OPSEL && o->inst->op_sel >> 3 & 1)
    select = 5, unused = 2;
  else if (o->inst->row->flags & AQ_ISA_OPSEL && o->inst->op_sel)
    select = 4, unused = 2;
  if (select > 5)
    return;
  const unsigned shift = select < 4 ? select * 8 : (select - 4) * 16;
  const uint32_t mask = select < 4 ? 0xff : 0xffff, sign = (mask >> 1) + 1;
  for (unsigned i = 0; i < LANES; i++) {
    const uint32_t part = rows[i] & mask;
    rows[i] = unused == 2   ? (old[i] & ~(mask << shift)) | part << shift
              : unused == 1 ? ((part ^ sign) - sign) << shift
                            : part << shift;
  }
}

/* ---- values and masks ---- */

void aq_wave_value_execute(aq_wave *w, const aq_wave_op *o)
{
  aq_wave_rows rows;
  _Alignas(64) uint32_t result[ROWS * LANES];
  uint32_t *d = aq_wave_row(w, o->dst);
  uint64_t lanes = aq_wave_exec(w);
  if (o->plain) {
    const uint32_t *a = aq_wave_source_rows(w, &o->a, rows.a);
    const uint32_t *b = aq_wave_source_rows(w, &o->b, rows.b);
    const uint32_t *c = aq_wave_source_rows(w, &o->c, rows.c);
    if (lanes == ~UINT64_C(0)) {
      o->value(d, a, b, c);
      return;
    }
    o->value(result, a, b, c);
  } else {
    const uint32_t *a = source_modify(w, o, &o->a, 'A', rows.a, &lanes);
    const uint32_t *b = source_modify(w, o, &o->b, 'B', rows.b, &lanes);
    const uint32_t *c = source_modify(w, o, &o->c, 'C', rows.c, &lanes);
    o->value(result, a, b, c);
    if (o->inst->omod || o->inst->clamp)
      result_modify(o, result);
    result_place(o, result, d);
  }
  rows_merge(d, result, lanes, o->dst_rows);
}

/* Carry and comparison. Bits of lanes that are off become 0. */
void aq_wave_mask_execute(aq_wave *w, const aq_wave_op *o)
{
  aq_wave_rows rows;
  _Alignas(64) uint32_t result[ROWS * LANES];
  const uint64_t exec = aq_wave_exec(w);
  uint64_t lanes = exec;
  const bool carry_in = o->c.kind == AQ_WAVE_SGPR;
  const uint64_t in = carry_in ? aq_wave_pair(w, o->c.number) : 0;
  const uint32_t *a = o->plain
                          ? aq_wave_source_rows(w, &o->a, rows.a)
                          : source_modify(w, o, &o->a, 'A', rows.a, &lanes);
  const uint32_t *b = o->plain
                          ? aq_wave_source_rows(w, &o->b, rows.b)
                          : source_modify(w, o, &o->b, 'B', rows.b, &lanes);
  const uint64_t mask = o->mask(result, a, b, rows.c, in) & lanes;
  if (o->dst_rows) {
    if (!o->plain)
      result_place(o, result, aq_wave_row(w, o->dst));
    rows_merge(aq_wave_row(w, o->dst), result, lanes, o->dst_rows);
  }
  aq_wave_pair_set(w, o->sdst, mask);
  if (o->compare_exec)
    aq_wave_pair_set(w, AQ_ISA_EXEC, mask);
}

/* ---- lanes that are chosen one by one ---- */

#define X(name) static void name(aq_wave *w, const aq_wave_op *o)

static unsigned first_lane(const aq_wave *w)
{
  const uint64_t exec = aq_wave_exec(w);
  return exec ? (unsigned)__builtin_ctzll(exec) : 0;
}

static uint32_t scalar_value(const aq_wave *w, const aq_wave_source *s)
{
  return s->kind == AQ_WAVE_CONSTANT ? (uint32_t)s->value : w->s[s->number];
}

X(v_nop)
{
  (void)w, (void)o;
}

X(v_readfirstlane_b32)
{
  w->s[o->sdst] = aq_wave_row(w, o->a.number)[first_lane(w)];
}

X(v_readlane_b32)
{
  w->s[o->sdst] = aq_wave_row(w, o->a.number)[scalar_value(w, &o->b) & 63];
}

X(v_writelane_b32)
{
  aq_wave_row(w, o->dst)[scalar_value(w, &o->b) & 63] = scalar_value(w, &o->a);
}

X(v_swap_b32)
{
  uint32_t *d = aq_wave_row(w, o->dst), *a = aq_wave_row(w, o->a.number);
  const uint64_t exec = aq_wave_exec(w);
  for (unsigned i = 0; i < LANES; i++)
    if (exec >> i & 1) {
      const uint32_t value = d[i];
      d[i] = a[i];
      a[i] = value;
    }
}

/* Set bits of `a` below the lane, in half a mask. */
static void mask_count(aq_wave *w, const aq_wave_op *o, unsigned base)
{
  aq_wave_rows rows;
  _Alignas(64) uint32_t result[LANES];
  const uint32_t *a = aq_wave_source_rows(w, &o->a, rows.a);
  const uint32_t *b = aq_wave_source_rows(w, &o->b, rows.b);
  for (unsigned i = 0; i < LANES; i++) {
    const unsigned below = i <= base ? 0 : i - base;
    const uint32_t mask = below >= 32 ? ~0u : (1u << below) - 1;
    result[i] = b[i] + bits_set(a[i] & mask);
  }
  rows_merge(aq_wave_row(w, o->dst), result, aq_wave_exec(w), 1);
}

X(v_mbcnt_lo_u32_b32)
{
  mask_count(w, o, 0);
}

X(v_mbcnt_hi_u32_b32)
{
  mask_count(w, o, 32);
}

X(v_cndmask_b32)
{
  aq_wave_rows rows;
  _Alignas(64) uint32_t result[LANES];
  uint64_t lanes = aq_wave_exec(w);
  const uint32_t *a = o->plain
                          ? aq_wave_source_rows(w, &o->a, rows.a)
                          : source_modify(w, o, &o->a, 'A', rows.a, &lanes);
  const uint32_t *b = o->plain
                          ? aq_wave_source_rows(w, &o->b, rows.b)
                          : source_modify(w, o, &o->b, 'B', rows.b, &lanes);
  const uint64_t chosen = aq_wave_pair(w, o->c.number);
  for (unsigned i = 0; i < LANES; i++)
    result[i] = chosen >> i & 1 ? b[i] : a[i];
  if (!o->plain)
    result_place(o, result, aq_wave_row(w, o->dst));
  rows_merge(aq_wave_row(w, o->dst), result, lanes, 1);
}

/* ---- results in a register and a mask ---- */

static u64 wide(const uint32_t *rows, unsigned lane)
{
  return (u64)rows[lane + LANES] << 32 | rows[lane];
}

static void wide_set(uint32_t *rows, unsigned lane, u64 value)
{
  rows[lane] = (u32)value;
  rows[lane + LANES] = (u32)(value >> 32);
}

static void mad_64(aq_wave *w, const aq_wave_op *o, bool is_signed)
{
  aq_wave_rows rows;
  _Alignas(64) uint32_t result[ROWS * LANES];
  const uint32_t *a = aq_wave_source_rows(w, &o->a, rows.a);
  const uint32_t *b = aq_wave_source_rows(w, &o->b, rows.b);
  const uint32_t *c = aq_wave_source_rows(w, &o->c, rows.c);
  uint64_t carries = 0;
  for (unsigned i = 0; i < LANES; i++) {
    const u64 product =
        is_signed ? (u64)((i64)(i32)a[i] * (i32)b[i]) : (u64)a[i] * b[i];
    const u64 addend = wide(c, i), sum = product + addend;
    const bool carry =
        is_signed ? (product ^ sum) & (addend ^ sum) & UINT64_C(1) << 63
                  : sum < addend;
    carries |= (u64)carry << i;
    wide_set(result, i, sum);
  }
  rows_merge(aq_wave_row(w, o->dst), result, aq_wave_exec(w), 2);
  aq_wave_pair_set(w, o->sdst, carries & aq_wave_exec(w));
}

X(v_mad_u64_u32)
{
  mad_64(w, o, false);
}

X(v_mad_i64_i32)
{
  mad_64(w, o, true);
}

typedef struct aq_wave_sources {
  const uint32_t *a, *b, *c;
} aq_wave_sources;

static aq_wave_sources sources_read(const aq_wave *w, const aq_wave_op *o,
                                    aq_wave_rows *rows, uint64_t *lanes)
{
  return (aq_wave_sources){source_modify(w, o, &o->a, 'A', rows->a, lanes),
                           source_modify(w, o, &o->b, 'B', rows->b, lanes),
                           source_modify(w, o, &o->c, 'C', rows->c, lanes)};
}

X(v_div_scale_f32)
{
  aq_wave_rows rows;
  _Alignas(64) uint32_t result[LANES];
  uint64_t lanes = aq_wave_exec(w), scaled = 0;
  const aq_wave_sources s = sources_read(w, o, &rows, &lanes);
  for (unsigned i = 0; i < LANES; i++) {
    f32 value;
    scaled |= (u64)div_scale_f32(as_f32(s.a[i]), as_f32(s.b[i]), as_f32(s.c[i]),
                                 &value)
              << i;
    result[i] = bits_f32(value);
  }
  rows_merge(aq_wave_row(w, o->dst), result, lanes, 1);
  aq_wave_pair_set(w, o->sdst, scaled & lanes);
}

X(v_div_scale_f64)
{
  aq_wave_rows rows;
  _Alignas(64) uint32_t result[ROWS * LANES];
  uint64_t lanes = aq_wave_exec(w), scaled = 0;
  const aq_wave_sources s = sources_read(w, o, &rows, &lanes);
  for (unsigned i = 0; i < LANES; i++) {
    f64 value;
    scaled |= (u64)div_scale_f64(as_f64(wide(s.a, i)), as_f64(wide(s.b, i)),
                                 as_f64(wide(s.c, i)), &value)
              << i;
    wide_set(result, i, bits_f64(value));
  }
  rows_merge(aq_wave_row(w, o->dst), result, lanes, 2);
  aq_wave_pair_set(w, o->sdst, scaled & lanes);
}

X(v_div_fmas_f32)
{
  aq_wave_rows rows;
  _Alignas(64) uint32_t result[LANES];
  uint64_t lanes = aq_wave_exec(w);
  const uint64_t scaled = aq_wave_pair(w, AQ_ISA_VCC);
  const aq_wave_sources s = sources_read(w, o, &rows, &lanes);
  for (unsigned i = 0; i < LANES; i++) {
    const f32 a = as_f32(s.a[i]), b = as_f32(s.b[i]), c = as_f32(s.c[i]);
    result[i] = result_f32(
        scaled >> i & 1 ? div_fmas_f32(a, b, c) : fmaf(a, b, c), a, b, c);
  }
  rows_merge(aq_wave_row(w, o->dst), result, lanes, 1);
}

X(v_div_fmas_f64)
{
  aq_wave_rows rows;
  _Alignas(64) uint32_t result[ROWS * LANES];
  uint64_t lanes = aq_wave_exec(w);
  const uint64_t scaled = aq_wave_pair(w, AQ_ISA_VCC);
  const aq_wave_sources s = sources_read(w, o, &rows, &lanes);
  for (unsigned i = 0; i < LANES; i++) {
    const f64 a = as_f64(wide(s.a, i)), b = as_f64(wide(s.b, i)),
              c = as_f64(wide(s.c, i));
    const f64 value = scaled >> i & 1 ? div_fmas_f64(a, b, c) : fma(a, b, c);
    wide_set(result, i, result_f64(value, a, b, c));
  }
  rows_merge(aq_wave_row(w, o->dst), result, lanes, 2);
}

#undef X
static const aq_wave_instruction instructions[] = {
#define X(name)                                                                \
  {                                                                            \
#name, name                                                                \
  }
    X(v_nop),
    X(v_readfirstlane_b32),
    X(v_readlane_b32),
    X(v_writelane_b32),
    X(v_swap_b32),
    X(v_mbcnt_lo_u32_b32),
    X(v_mbcnt_hi_u32_b32),
    X(v_cndmask_b32),
    X(v_mad_u64_u32),
    X(v_mad_i64_i32),
    X(v_div_scale_f32),
    X(v_div_scale_f64),
    X(v_div_fmas_f32),
    X(v_div_fmas_f64),
};

const aq_wave_instruction *aq_wave_cross_find(const char *name)
{
  return aq_wave_instruction_find(
      instructions, sizeof instructions / sizeof *instructions, name);
}
