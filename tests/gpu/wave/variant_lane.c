/* SPDX-License-Identifier: MIT */
/* The results of a lane, from the expressions of opcodes.h. */
#include "variant.h"

#include <fenv.h>

#include "gpu/wave/core/mode.h"

/* ---- numbers ---- */

uint64_t lane_number(aq_rng *rng, unsigned bits, bool floats, bool calm)
{
  static const uint16_t halves[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00,
                                    0xfc00, 0x7e01, 0x7d55, 0xfe77, 1,
                                    0x83ff, 0x7bff, 0x0400, 0x3555};
  static const uint32_t words[] = {
      0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
      0xff800000, 0x7fc00001, 0x7fa00055, 0xffc12345, 1,
      0x807fffff, 0x7f7fffff, 0x00800000, 0x3eaaaaab};
  static const uint64_t pairs[] = {0,
                                   0x8000000000000000,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000001,
                                   0x7ff4000000000055,
                                   0xfff8000000012345,
                                   1,
                                   0x800fffffffffffff,
                                   0x7fefffffffffffff,
                                   0x0010000000000000,
                                   0x3fd5555555555555};
  const uint64_t x = aq_rng_bits(rng);
  const unsigned dice = calm && floats ? 2 : variant_below(rng, 4);
  if (!floats)
    return dice == 0   ? x & 63
           : dice == 1 ? (uint64_t) - (int64_t)(x & 3) << (x >> 8 & 32)
                       : x;
  if (dice == 0)
    return bits == 64   ? pairs[x % 14]
           : bits == 32 ? words[x % 14]
                        : halves[x % 14] | (uint64_t)halves[x / 14 % 14] << 16;
  if (dice == 1)
    return x;
  /* Near 1, so that sums and products meet. */
  if (bits == 64)
    return (x & 0x800fffffffffffff) | (UINT64_C(1020) + x / 7 % 8) << 52;
  if (bits == 32)
    return (x & 0x807fffff) | (124 + x / 7 % 8) << 23;
  return (x & 0x83ff83ff) | (12 + x / 7 % 8) << 10 | (12 + x / 91 % 8) << 26;
}

/* ---- results of a lane ---- */

static uint64_t picked(uint64_t x, unsigned select, bool sext)
{
  if (select < 4) {
    x = x >> (8 * select) & 255;
    return sext && x & 128 ? x | 0xffffff00 : x;
  }
  if (select < 6) {
    x = x >> (16 * (select - 4)) & 0xffff;
    return sext && x & 0x8000 ? x | 0xffff0000 : x;
  }
  return x;
}

static int dpp_from(const variant *v, int l)
{
  const int row = l / 16 * 16, in = l % 16, n = (int)v->dpp_number;
  switch (v->dpp) {
  case 0:
    return l / 4 * 4 + (int)(v->quad >> (2 * (l % 4)) & 3);
  case 1:
    return in + n > 15 ? -1 : l + n;
  case 2:
    return in < n ? -1 : l - n;
  case 3:
    return row + (in + 16 - n) % 16;
  case 4:
    return row + 15 - in;
  case 5:
    return l / 8 * 8 + 7 - l % 8;
  case 6:
    return row ? row - 1 : -1;
  case 7:
    return l < 32 ? -1 : 31;
  case 8:
    return l == 63 ? -1 : l + 1;
  case 9:
    return (l + 1) % 64;
  case 10:
    return l - 1;
  case 11:
    return (l + 63) % 64;
  case 14:
    return row + (in ^ n);
  default:
    return row + n;
  }
}

uint64_t lane_constant(const variant *v, unsigned bits)
{
  const double x = variant_constants[v->constant].value;
  if (variant_constants[v->constant].integer)
    return (uint64_t)(int64_t)variant_constants[v->constant].integer;
  if (strcmp(v->row->name, "v_cvt_f32_bf16") == 0)
    return f32_bits((float)x) >> 16;
  return bits == 64   ? f64_bits(x)
         : bits == 16 ? f16_round((long double)x, 0)
                      : f32_bits((float)x);
}

uint64_t lane_source(const lane_state *s, unsigned i, unsigned bits, int l)
{
  const unsigned r = FIRST + STEP * i;
  if (s->v->kind[i] == CONSTANT)
    return lane_constant(s->v, bits);
  if (s->v->kind[i] == SCALAR)
    return s->scalars[r] |
           (bits > 32 && bits <= 1024 ? (uint64_t)s->scalars[r + 1] << 32 : 0);
  return s->before[r][l] |
         (bits > 32 && bits <= 1024 ? (uint64_t)s->before[r + 1][l] << 32 : 0);
}

static uint64_t signed_source(uint64_t x, unsigned bits, bool neg, bool abs)
{
  const uint64_t sign = UINT64_C(1) << (bits == 16 ? 15 : bits == 64 ? 63 : 31);
  if (abs)
    x &= ~sign;
  return neg ? x ^ sign : x;
}

/* Flushes a denormal of the case's kind. */
static uint64_t flushed(char kind, uint64_t x)
{
  switch (kind) {
  case 'F':
    return x & 0x7f800000 ? x : x & 0x80000000;
  case 'D':
    return x & 0x7ff0000000000000 ? x : x & 0x8000000000000000;
  default:
    return x & 0x7c00 ? x : x & 0x8000;
  }
}

static bool mode_flushes(const aq_wave *w, char kind)
{
  return kind == 'F'                  ? !(w->mode >> 4 & 3)
         : kind == 'D' || kind == 'H' ? !(w->mode >> 6 & 3)
                                      : false;
}

static int host_round(unsigned mode)
{
  static const int rounds[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                               FE_TOWARDZERO};
  return rounds[mode];
}

static void evaluate(const lane_state *s, opcode_in *in, opcode_out *out)
{
  const aq_wave *w = s->b->wave;
  const char kind = s->v->as->kind;
  const bool flushes = mode_flushes(w, kind);
  if (flushes) {
    in->a = flushed(kind, in->a);
    in->b = flushed(kind, in->b);
    in->c = flushed(kind, in->c);
  }
  opcodes_round = w->mode >> 2 & 3;
  fesetround(host_round(kind == 'F'                  ? w->mode & 3
                        : kind == 'D' || kind == 'H' ? w->mode >> 2 & 3
                                                     : 0));
  s->v->as->run(in, out);
  fesetround(FE_TONEAREST);
  if (flushes)
    out->d = flushed(kind, out->d);
}

/* The first type in a name, of the result. */
static char result_kind(const variant *v)
{
  const char *name = v->row->name;
  if (strncmp(name, "v_cvt_pknorm", 12) == 0 ||
      strncmp(name, "v_cvt_pk_norm", 13) == 0)
    return 'i';
  if (strncmp(name, "v_cvt_pk", 8) == 0 || strncmp(name, "v_pack", 6) == 0 ||
      strncmp(name, "v_pk_", 5) == 0)
    return 'p';
  for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_'))
    if (strchr("fiub", at[1]) && at[2] >= '0' && at[2] <= '9')
      return at[1] != 'f' ? 'i' : at[2] == '1' ? 'h' : at[2] == '3' ? 'f' : 'd';
  return 'i';
}

static uint64_t modified_bits(const lane_state *s, char kind, uint64_t bits)
{
  static const double scales[] = {1, 2, 4, 0.5};
  const aq_wave *w = s->b->wave;
  const unsigned denormals = kind == 'f' ? w->mode >> 4 & 3 : w->mode >> 6 & 3;
  const bool scales_too =
      s->v->omod && !(w->mode & AQ_WAVE_MODE_IEEE) && !(denormals & 2);
  long double x = kind == 'f'   ? (long double)f32_from(bits)
                  : kind == 'd' ? (long double)f64_from(bits)
                                : f16_from((uint16_t)bits);
  if (x != x)
    return s->v->clamp && w->mode & AQ_WAVE_MODE_DX10_CLAMP ? 0 : bits;
  if (scales_too)
    x = x == 0 ? 0 : x * (long double)scales[s->v->omod];
  if (s->v->clamp)
    x = x > 1 ? 1 : x > 0 ? x : 0;
  const int round = kind == 'f' ? (int)(w->mode & 3) : (int)(w->mode >> 2 & 3);
  fesetround(host_round((unsigned)round));
  const volatile float single = (float)x;
  const volatile double wide = (double)x;
  fesetround(FE_TONEAREST);
  bits = kind == 'f'   ? f32_bits(single)
         : kind == 'd' ? f64_bits(wide)
                       : f16_round(x, round);
  if (!scales_too)
    return bits;
  bits = flushed(kind == 'f' ? 'F' : kind == 'd' ? 'D' : 'H', bits);
  const uint64_t sign = kind == 'f'   ? 0x80000000
                        : kind == 'd' ? UINT64_C(1) << 63
                                      : 0x8000;
  return bits == sign ? 0 : bits;
}

static uint64_t modified(const lane_state *s, uint64_t bits)
{
  const char kind = result_kind(s->v);
  if ((!s->v->clamp && !s->v->omod) || kind == 'i')
    return bits;
  if (kind != 'p')
    return modified_bits(s, kind, bits);
  return strstr(s->v->row->name, "f16")
             ? modified_bits(s, 'h', bits & 0xffff) |
                   modified_bits(s, 'h', bits >> 16 & 0xffff) << 16
             : bits;
}

/* RDNA keeps the other half of a register where the result has 16 bits. */
static bool result_is_half(const variant *v)
{
  const char *name = v->row->name;
  if (v->form == AQ_ISA_SDWA || v->row->encoding == AQ_ISA_VOP3P ||
      strncmp(name, "v_pack", 6) == 0 || strncmp(name, "v_pk_", 5) == 0 ||
      strncmp(name, "v_sad_", 6) == 0 || strstr(name, "_pk_i16") ||
      strstr(name, "_pk_u16") || strstr(name, "pknorm") ||
      strstr(name, "pk_norm") || strstr(name, "pkrtz") ||
      strstr(name, "pk_rtz"))
    return false;
  if (strncmp(name, "v_sat_pk_u8", 11) == 0)
    return true;
  for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_'))
    if (strchr("fiub", at[1]) && at[2] >= '0' && at[2] <= '9')
      return at[2] == '1' && at[3] == '6';
  return false;
}

/* Where a half or a part of the register is written. */
static uint64_t placed(const lane_state *s, uint64_t old, uint64_t x)
{
  const variant *v = s->v;
  const char *name = v->row->name;
  const bool half = v->target & AQ_ISA_RDNA
                        ? result_is_half(v)
                        : v->row->flags & AQ_ISA_OPSEL &&
                              !strcmp(name + strlen(name) - 2, "16") &&
                              strncmp(name, "v_pack", 6) != 0 &&
                              strncmp(name, "v_cvt_pk", 8) != 0 &&
                              strncmp(name, "v_mad_u32", 9) != 0 &&
                              strncmp(name, "v_mad_i32", 9) != 0;
  if (half)
    return v->op_sel & 8 ? (old & 0xffff) | (x & 0xffff) << 16
                         : (old & 0xffff0000) | (x & 0xffff);
  if (v->form != AQ_ISA_SDWA || v->dst_sel == 6)
    return x;
  const unsigned width = v->dst_sel < 4 ? 8 : 16, at = width * (v->dst_sel % 4);
  const uint32_t ones = (1u << width) - 1, part = (uint32_t)x & ones;
  if (v->dst_unused == 2)
    return ((uint32_t)old & ~(ones << at)) | part << at;
  if (v->dst_unused == 1 && part >> (width - 1))
    return (uint32_t)((uint64_t)(part | ~ones) << at);
  return part << at;
}

/* Both halves of a packed instruction, each selected and signed. */
static uint64_t packed(const lane_state *s, const opcode_in *raw)
{
  const uint64_t sources[] = {raw->a, raw->b, raw->c};
  uint64_t r = 0;
  for (int high = 0; high < 2; high++) {
    uint64_t halves[SOURCES];
    opcode_out out = {0};
    for (unsigned i = 0; i < SOURCES; i++) {
      const unsigned select = high ? s->v->op_sel_hi : s->v->op_sel,
                     neg = high ? s->v->neg_hi : s->v->neg;
      halves[i] = sources[i] >> (select >> i & 1 ? 16 : 0) & 0xffff;
      halves[i] ^= neg >> i & 1 ? 0x8000 : 0;
    }
    opcode_in in = *raw;
    in.a = halves[0], in.b = halves[1], in.c = halves[2];
    evaluate(s, &in, &out);
    r |= (out.d & 0xffff) << (16 * high);
  }
  return r;
}

/* The sources of v_dot2: halves exchanged, and signed where they are floats. */
static uint64_t dot_source(const lane_state *s, uint64_t x, unsigned i)
{
  const variant *v = s->v;
  const uint64_t low = x >> (v->op_sel >> i & 1 ? 16 : 0) & 0xffff,
                 high = x >> (v->op_sel_hi >> i & 1 ? 16 : 0) & 0xffff;
  return (low ^ (v->neg >> i & 1 ? 0x8000 : 0)) |
         (high ^ (v->neg_hi >> i & 1 ? 0x8000 : 0)) << 16;
}

bool lane_expect(const lane_state *s, int l, opcode_out *out, uint64_t *d)
{
  const variant *v = s->v;
  const bool vop3p = v->row->encoding == AQ_ISA_VOP3P;
  opcode_in in = {.exec = s->exec, .imm = v->imm, .lane = l};
  uint64_t *values[] = {&in.a, &in.b, &in.c};
  const operand *result = variant_operand(s->list, s->n, 'D');
  unsigned next = 0;
  in.ieee = s->b->wave->mode & AQ_WAVE_MODE_IEEE;
  in.d = s->before[RESULT][l] | (result && result->bits == 64
                                     ? (uint64_t)s->before[RESULT + 1][l] << 32
                                     : 0);
  for (unsigned k = 0; k < s->n; k++) {
    const operand *o = &s->list[k];
    if (o->role == 'K') {
      *values[next++] = v->literal;
      continue;
    }
    if (o->role < 'A' || o->role > 'C')
      continue;
    if (o->file == 's') {
      in.carry = (variant_is_wide(v) ? s->scalars[MASK_IN + l / 32]
                                     : s->scalars[AQ_ISA_VCC + l / 32]) >>
                     (l % 32) &
                 1;
      continue;
    }
    const unsigned i = (unsigned)(o->role - 'A');
    int from = l;
    bool zero = false;
    if (variant_is_dpp(v) && i == 0) {
      from = dpp_from(v, l);
      zero = from < 0 || !(s->exec >> from & 1 || v->fetch);
      if (!(v->row_mask >> (l / 16) & 1) ||
          !(v->bank_mask >> (l / 4 % 4) & 1) || (zero && !v->bound))
        return false;
    }
    uint64_t x = zero ? 0 : lane_source(s, i, o->bits, from);
    if (v->form == AQ_ISA_SDWA)
      x = picked(x, v->select[i], v->sext >> i & 1);
    const bool selects = v->target & AQ_ISA_GFX11
                             ? variant_is_half(v, o)
                             : !vop3p && v->row->flags & AQ_ISA_OPSEL;
    if (selects && v->op_sel >> i & 1)
      x = (uint32_t)x >> 16;
    if (!vop3p && v->kind[i] != CONSTANT)
      x = signed_source(x, o->bits, v->neg >> i & 1, v->abs >> i & 1);
    if (strncmp(v->row->name, "v_dot2_", 7) == 0 && i < 2)
      x = dot_source(s, x, i);
    *values[next++] = x;
    if (o->bits == 128)
      in.c_high = s->before[FIRST + STEP * i + 2][l] |
                  (uint64_t)s->before[FIRST + STEP * i + 3][l] << 32;
  }
  if (variant_accumulates(v->row->name))
    in.c = result && variant_is_half(v, result) && v->op_sel & 8
               ? (uint32_t)in.d >> 16
               : in.d;
  if (vop3p && strncmp(v->row->name, "v_pk_", 5) == 0)
    *d = packed(s, &in);
  else {
    evaluate(s, &in, out);
    *d = placed(s, in.d, modified(s, out->d));
  }
  return true;
}
