/* SPDX-License-Identifier: MIT */
/* Every instruction of the scalar and vector units that executes: random
 * operands, EXEC masks, forms and modifiers against the host's C, on every
 * level of the host's processor. */
#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bed.h"
#include "common/rng.h"
#include "opcodes.h"
#include "support/aqtest.h"
#include "wave/mode.h"
#include "wave/wave.h"

enum { LANES = 64, VARIANTS = 24, DRAWS = 2, SOURCES = 3 };
/* Registers: sources from v4, v8, v12 and s4, s8, s12; results in v16 and
 * s16; masks read in s[20:21], written in s[22:23]. */
enum { FIRST = 4, STEP = 4, RESULT = 16, MASK_IN = 20, MASK_OUT = 22 };

typedef enum source_kind { VECTOR, SCALAR, CONSTANT } source_kind;

/* How one instruction is written. */
typedef struct variant {
  const aq_isa_row *row;
  const opcode_case *as;
  aq_isa_form form;
  source_kind kind[SOURCES];
  int constant;            /* of source 0: 0 to 4 of `constants` */
  unsigned neg, abs, sext; /* a bit a source */
  bool clamp;
  unsigned omod;
  unsigned select[SOURCES], dst_sel, dst_unused; /* SDWA */
  unsigned dpp, dpp_number, row_mask, bank_mask, quad;
  bool bound;
  unsigned op_sel, op_sel_hi, neg_hi;
  uint32_t literal;
  int16_t imm;
} variant;

/* An operand of a row's list. */
typedef struct operand {
  char role, file;
  bool floats;
  unsigned bits;
} operand;

static unsigned operands_of(const aq_isa_row *row, operand out[8])
{
  unsigned n = 0;
  for (const char *at = row->operands; *at; n++) {
    operand o = {.role = *at++};
    if (*at == 'v' || *at == 'a' || *at == 's')
      o.file = *at++;
    o.floats = *at == 'f';
    at += o.floats;
    o.bits = (unsigned)strtoul(at, (char **)(uintptr_t)&at, 10);
    while (*at == ' ')
      at++;
    out[n] = o;
  }
  return n;
}

static const operand *operand_of(const operand *list, unsigned n, char role)
{
  for (unsigned i = 0; i < n; i++)
    if (list[i].role == role)
      return &list[i];
  return NULL;
}

/* ---- cases ---- */

static const opcode_case *case_find(const char *name)
{
  const opcode_case *lists[] = {opcodes_vector, opcodes_half, opcodes_scalar};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    for (const opcode_case *c = lists[i]; c->name; c++)
      if (strcmp(c->name, name) == 0)
        return c;
  return NULL;
}

static bool is_vector(const aq_isa_row *row)
{
  return row->encoding >= AQ_ISA_VOP2 && row->encoding <= AQ_ISA_VOP3P;
}

static bool accumulates(const char *name)
{
  return strncmp(name, "v_fmac_", 7) == 0 || strncmp(name, "v_mac_", 6) == 0 ||
         strncmp(name, "v_pk_fmac_", 10) == 0 || strstr(name, "c_f32_f16") ||
         strstr(name, "c_i32_i") || strstr(name, "pkaccum");
}

static bool is_compare(const aq_isa_row *row)
{
  return row->encoding == AQ_ISA_VOPC;
}

/* ---- writing ---- */

static const struct {
  const char *text;
  int integer; /* or */
  double value;
} constants[] = {{"5", 5, 0},
                 {"-7", -7, 0},
                 {"1.0", 0, 1.0},
                 {"-4.0", 0, -4.0},
                 {"0.5", 0, 0.5}};

static const struct {
  const char *text;
  bool numbered;
} dpp_controls[] = {{"quad_perm", false},    {"row_shl:", true},
                    {"row_shr:", true},      {"row_ror:", true},
                    {"row_mirror", false},   {"row_half_mirror", false},
                    {"row_bcast:15", false}, {"row_bcast:31", false},
                    {"wave_shl:1", false},   {"wave_rol:1", false},
                    {"wave_shr:1", false},   {"wave_ror:1", false},
                    {"row_newbcast:", true}};

static char *append(char *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static char *append(char *at, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  at += vsprintf(at, format, arguments);
  va_end(arguments);
  return at;
}

static char *register_write(char *at, char file, unsigned first, unsigned bits)
{
  const unsigned words = bits > 1024 ? 1 : (bits + 31) / 32;
  return words > 1 ? append(at, "%c[%u:%u]", file, first, first + words - 1)
                   : append(at, "%c%u", file, first);
}

static char *source_write(char *at, const variant *v, const operand *o)
{
  const unsigned i = (unsigned)(o->role - 'A');
  const bool neg = v->neg >> i & 1, abs = v->abs >> i & 1,
             sext = v->sext >> i & 1;
  at =
      append(at, "%s%s%s", sext ? "sext(" : "", neg ? "-" : "", abs ? "|" : "");
  if (v->kind[i] == CONSTANT)
    at = append(at, "%s", constants[v->constant].text);
  else
    at = register_write(at, v->kind[i] == SCALAR ? 's' : 'v', FIRST + STEP * i,
                        o->bits);
  return append(at, "%s%s", abs ? "|" : "", sext ? ")" : "");
}

static char *bits_write(char *at, const char *name, unsigned bits, unsigned n)
{
  at = append(at, " %s:[", name);
  for (unsigned i = 0; i < n; i++)
    at = append(at, i ? ",%u" : "%u", bits >> i & 1);
  return append(at, "]");
}

static char *modifiers_write(char *at, const variant *v, unsigned sources)
{
  static const char *const selects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                        "WORD_0", "WORD_1", "DWORD"};
  static const char *const unused[] = {"PAD", "SEXT", "PRESERVE"};
  static const char *const omods[] = {"", " mul:2", " mul:4", " div:2"};
  const uint32_t flags = v->row->flags;
  if (v->row->encoding == AQ_ISA_VOP3P && flags & AQ_ISA_PACKED) {
    at = bits_write(at, "op_sel", v->op_sel, sources);
    at = bits_write(at, "op_sel_hi", v->op_sel_hi, sources);
    if (v->as->kind != 'i') {
      at = bits_write(at, "neg_lo", v->neg, sources);
      at = bits_write(at, "neg_hi", v->neg_hi, sources);
    }
  } else if (v->form == AQ_ISA_E64 && flags & AQ_ISA_OPSEL && v->op_sel) {
    at = bits_write(at, "op_sel",
                    (v->op_sel & ((1u << sources) - 1)) | (v->op_sel >> 3)
                                                              << sources,
                    sources + 1);
  }
  if (strncmp(v->row->name, "v_bitop3", 8) == 0)
    at = append(at, " bitop3:%u", (unsigned)v->imm);
  at = append(at, "%s%s", v->clamp ? " clamp" : "", omods[v->omod]);
  if (v->form == AQ_ISA_SDWA) {
    if (!is_compare(v->row))
      at = append(at, " dst_sel:%s dst_unused:UNUSED_%s", selects[v->dst_sel],
                  unused[v->dst_unused]);
    for (unsigned i = 0; i < sources && i < 2; i++)
      at = append(at, " src%u_sel:%s", i, selects[v->select[i]]);
  }
  if (v->form == AQ_ISA_DPP) {
    at = append(at, " %s", dpp_controls[v->dpp].text);
    if (v->dpp == 0)
      at = append(at, ":[%u,%u,%u,%u]", v->quad & 3, v->quad >> 2 & 3,
                  v->quad >> 4 & 3, v->quad >> 6);
    if (dpp_controls[v->dpp].numbered)
      at = append(at, "%u", v->dpp_number);
    at = append(at, " row_mask:0x%x bank_mask:0x%x%s", v->row_mask,
                v->bank_mask, v->bound ? " bound_ctrl:1" : "");
  }
  return at;
}

static void text_write(const variant *v, char text[BED_TEXT])
{
  static const char *const suffixes[] = {"_e32", "_e64", "_sdwa", "_dpp"};
  operand list[8];
  const unsigned n = operands_of(v->row, list);
  const uint8_t e = v->row->encoding;
  const bool shorter =
      e == AQ_ISA_VOP1 || e == AQ_ISA_VOP2 || is_compare(v->row);
  const bool wide = v->form == AQ_ISA_E64 || e == AQ_ISA_VOP3;
  unsigned sources = 0;
  char *at = append(
      text, "%s%s ", v->row->name,
      !shorter || v->row->flags & AQ_ISA_NO_E64 ? "" : suffixes[v->form]);
  for (unsigned i = 0; i < n; i++) {
    const operand *o = &list[i];
    at = append(at, "%s", i ? ", " : "");
    if (o->role == 'D' && is_compare(v->row))
      at = wide ? append(at, "s[%d:%d]", MASK_OUT, MASK_OUT + 1)
                : append(at, "vcc");
    else if (o->role == 'D')
      at = register_write(at, is_vector(v->row) ? 'v' : 's', RESULT, o->bits);
    else if (o->role == 'E')
      at = wide ? append(at, "s[%d:%d]", MASK_OUT, MASK_OUT + 1)
                : append(at, "vcc");
    else if (o->role == 'C' && o->file == 's')
      at = wide ? append(at, "s[%d:%d]", MASK_IN, MASK_IN + 1)
                : append(at, "vcc");
    else if (o->role == 'K')
      at = append(at, "0x%x", v->literal);
    else if (o->role == 'X')
      at = append(at, "0x%x", (unsigned)(uint16_t)v->imm);
    else
      at = source_write(at, v, o);
    sources += o->role >= 'A' && o->role <= 'C' && o->file != 's';
  }
  modifiers_write(at, v, sources);
}

/* ---- choosing ---- */

static unsigned below(aq_rng *rng, unsigned n)
{
  return (unsigned)(aq_rng_bits(rng) >> 33) % n;
}

static void sources_choose(aq_rng *rng, variant *v, const operand *list,
                           unsigned n)
{
  for (unsigned i = 0; i < SOURCES; i++)
    v->kind[i] = is_vector(v->row) ? VECTOR : SCALAR;
  const operand *a = operand_of(list, n, 'A');
  if (!a || a->file || a->bits > 64 || v->form >= AQ_ISA_SDWA)
    return;
  const unsigned dice = below(rng, 6);
  const bool floats = is_vector(v->row) && v->as->kind != 'i';
  if (dice == 0 && !operand_of(list, n, 'C') && !operand_of(list, n, 'K'))
    v->kind[0] = SCALAR;
  if (dice == 1 && !operand_of(list, n, 'K') &&
      v->row->encoding != AQ_ISA_VOP3P) {
    v->kind[0] = CONSTANT;
    v->constant = (int)below(rng, floats && a->floats ? 5 : 2);
  }
}

static void signs_choose(aq_rng *rng, variant *v, const operand *list,
                         unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const operand *o = &list[i];
    const unsigned bit = (unsigned)(o->role - 'A');
    if (o->role < 'A' || o->role > 'C' || (o->role == 'C' && o->file == 's') ||
        v->kind[bit] == CONSTANT)
      continue;
    if (o->floats && o->bits != 1632 &&
        strncmp(v->row->name, "v_bitop3", 8) != 0) {
      v->neg |= below(rng, 2) << bit;
      v->abs |= (unsigned)(below(rng, 3) == 0) << bit;
    } else if (v->form == AQ_ISA_SDWA && !o->floats) {
      v->sext |= below(rng, 2) << bit;
    }
  }
}

static variant variant_choose(aq_rng *rng, const aq_isa_row *row,
                              const opcode_case *as)
{
  variant v = {.row = row, .as = as, .dst_sel = 6, .op_sel_hi = 7};
  operand list[8];
  const unsigned n = operands_of(row, list);
  const bool shorter = row->encoding == AQ_ISA_VOP1 ||
                       row->encoding == AQ_ISA_VOP2 || is_compare(row);
  const unsigned form = below(rng, 4);
  if (row->encoding == AQ_ISA_VOP3)
    v.form = AQ_ISA_E64;
  else if (shorter && form == 1 && !(row->flags & AQ_ISA_NO_E64))
    v.form = AQ_ISA_E64;
  else if (shorter && form == 2 &&
           !(row->flags & (AQ_ISA_NO_SDWA | AQ_ISA_NO_E64)))
    v.form = AQ_ISA_SDWA;
  else if (shorter && form == 3 && !is_compare(row) &&
           !(row->flags & (AQ_ISA_NO_DPP | AQ_ISA_NO_E64)))
    v.form = AQ_ISA_DPP;
  sources_choose(rng, &v, list, n);
  if (v.form != AQ_ISA_E32)
    signs_choose(rng, &v, list, n);
  if (v.form == AQ_ISA_DPP)
    v.abs &= 3;
  const bool modifies = v.form == AQ_ISA_E64 || v.form == AQ_ISA_SDWA;
  if (modifies && as->kind != 'i' && !is_compare(row)) {
    /* Their effect on packed bits and bf16 is not documented: refused. */
    const bool brain = strstr(row->name, "pk_bf16");
    v.clamp = row->flags & AQ_ISA_CLAMP && below(rng, 4) == 0 &&
              strncmp(row->name, "v_pack_", 7) != 0 && !brain;
    v.omod = row->flags & AQ_ISA_OMOD && !brain && below(rng, 4) == 0
                 ? below(rng, 4)
                 : 0;
  }
  for (unsigned i = 0; i < SOURCES; i++)
    v.select[i] = v.form == AQ_ISA_SDWA ? below(rng, 7) : 6;
  if (v.form == AQ_ISA_SDWA) {
    v.dst_sel = below(rng, 7);
    v.dst_unused = below(rng, 3);
  }
  v.dpp = below(rng, 13);
  v.dpp_number = 1 + below(rng, 14);
  v.quad = below(rng, 256);
  v.row_mask = below(rng, 2) ? 15 : below(rng, 16);
  v.bank_mask = below(rng, 2) ? 15 : below(rng, 16);
  v.bound = below(rng, 2);
  v.op_sel = row->flags & (AQ_ISA_OPSEL | AQ_ISA_PACKED) ? below(rng, 16) : 0;
  if (row->flags & AQ_ISA_PACKED) {
    v.op_sel_hi = below(rng, 8);
    v.neg = as->kind == 'i' ? 0 : below(rng, 8);
    v.neg_hi = as->kind == 'i' ? 0 : below(rng, 8);
  }
  v.literal = (uint32_t)aq_rng_bits(rng);
  v.imm = (int16_t)aq_rng_bits(rng);
  if (strncmp(row->name, "v_bitop3", 8) == 0)
    v.imm &= 255;
  return v;
}

/* ---- numbers ---- */

static uint64_t number_of_kind(aq_rng *rng, unsigned bits, bool floats)
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
  const unsigned dice = below(rng, 4);
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
  default:
    return row + n;
  }
}

static uint64_t constant_of(const variant *v, unsigned bits)
{
  const double x = constants[v->constant].value;
  if (constants[v->constant].integer)
    return (uint64_t)(int64_t)constants[v->constant].integer;
  if (strcmp(v->row->name, "v_cvt_f32_bf16") == 0)
    return f32_bits((float)x) >> 16;
  return bits == 64   ? f64_bits(x)
         : bits == 16 ? f16_round((long double)x, 0)
                      : f32_bits((float)x);
}

typedef struct state {
  const bed *b;
  const variant *v;
  operand list[8];
  unsigned n;
  const uint32_t (*before)[LANES]; /* rows of VGPRs */
  const uint32_t *scalars;
  uint64_t exec;
} state;

static uint64_t raw_source(const state *s, unsigned i, unsigned bits, int l)
{
  const unsigned r = FIRST + STEP * i;
  if (s->v->kind[i] == CONSTANT)
    return constant_of(s->v, bits);
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

static void evaluate(const state *s, opcode_in *in, opcode_out *out)
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
  if (strncmp(name, "v_cvt_pknorm", 12) == 0)
    return 'i';
  if (strncmp(name, "v_cvt_pk", 8) == 0 || strncmp(name, "v_pack", 6) == 0 ||
      strncmp(name, "v_pk_", 5) == 0)
    return 'p';
  for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_'))
    if (strchr("fiub", at[1]) && at[2] >= '0' && at[2] <= '9')
      return at[1] != 'f' ? 'i' : at[2] == '1' ? 'h' : at[2] == '3' ? 'f' : 'd';
  return 'i';
}

static uint64_t modified_bits(const state *s, char kind, uint64_t bits)
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

static uint64_t modified(const state *s, uint64_t bits)
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

/* Where a half or a part of the register is written. */
static uint64_t placed(const state *s, uint64_t old, uint64_t x)
{
  const variant *v = s->v;
  const char *name = v->row->name;
  const bool half =
      v->row->flags & AQ_ISA_OPSEL && !strcmp(name + strlen(name) - 2, "16") &&
      strncmp(name, "v_pack", 6) != 0 && strncmp(name, "v_cvt_pk", 8) != 0 &&
      strncmp(name, "v_mad_u32", 9) != 0 && strncmp(name, "v_mad_i32", 9) != 0;
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
static uint64_t packed(const state *s, const opcode_in *raw)
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
static uint64_t dot_source(const state *s, uint64_t x, unsigned i)
{
  const variant *v = s->v;
  const uint64_t low = x >> (v->op_sel >> i & 1 ? 16 : 0) & 0xffff,
                 high = x >> (v->op_sel_hi >> i & 1 ? 16 : 0) & 0xffff;
  return (low ^ (v->neg >> i & 1 ? 0x8000 : 0)) |
         (high ^ (v->neg_hi >> i & 1 ? 0x8000 : 0)) << 16;
}

/* The result of a lane; false: the lane is not written. */
static bool lane_expect(const state *s, int l, opcode_out *out, uint64_t *d)
{
  const variant *v = s->v;
  const bool vop3p = v->row->encoding == AQ_ISA_VOP3P;
  opcode_in in = {.exec = s->exec, .imm = v->imm};
  uint64_t *values[] = {&in.a, &in.b, &in.c};
  const operand *result = operand_of(s->list, s->n, 'D');
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
      in.carry = (v->form == AQ_ISA_E64 || v->row->encoding == AQ_ISA_VOP3
                      ? s->scalars[MASK_IN + l / 32]
                      : s->scalars[AQ_ISA_VCC + l / 32]) >>
                     (l % 32) &
                 1;
      continue;
    }
    const unsigned i = (unsigned)(o->role - 'A');
    int from = l;
    bool zero = false;
    if (v->form == AQ_ISA_DPP && i == 0) {
      from = dpp_from(v, l);
      zero = from < 0 || !(s->exec >> from & 1);
      if (!(v->row_mask >> (l / 16) & 1) ||
          !(v->bank_mask >> (l / 4 % 4) & 1) || (zero && !v->bound))
        return false;
    }
    uint64_t x = zero ? 0 : raw_source(s, i, o->bits, from);
    if (v->form == AQ_ISA_SDWA)
      x = picked(x, v->select[i], v->sext >> i & 1);
    if (!vop3p && v->row->flags & AQ_ISA_OPSEL && v->op_sel >> i & 1)
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
  if (accumulates(v->row->name))
    in.c = in.d;
  if (vop3p && strncmp(v->row->name, "v_pk_", 5) == 0)
    *d = packed(s, &in);
  else {
    evaluate(s, &in, out);
    *d = placed(s, in.d, modified(s, out->d));
  }
  return true;
}

/* ---- comparing ---- */

/* The opcodes that failed; each is reported once. */
static const aq_isa_row *failed[64];
static size_t failure_count;

static void mismatch(const variant *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void mismatch(const variant *v, const char *format, ...)
{
  va_list arguments;
  for (size_t i = 0; i < failure_count; i++)
    if (failed[i] == v->row)
      return;
  if (failure_count == sizeof failed / sizeof *failed)
    return;
  failed[failure_count++] = v->row;
  fprintf(stderr, "# ");
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
}

static bool is_near(const variant *v, uint64_t ours, uint64_t host)
{
  const uint64_t gap = ours > host ? ours - host : host - ours;
  const bool scaled = v->form == AQ_ISA_SDWA && v->dst_sel < 6;
  return ours == host || (!scaled && gap <= 2 * v->as->ulps) ||
         (scaled && v->as->ulps);
}

static void vector_check(bed *b, size_t number, const char *text,
                         const variant *v, aq_rng *rng, unsigned mode)
{
  static uint32_t before[AQ_WAVE_TEMP][LANES];
  uint32_t scalars[128];
  aq_wave *w = b->wave;
  state s = {.b = b, .v = v, .before = before, .scalars = scalars};
  const uint64_t masks[] = {UINT64_MAX, aq_rng_bits(rng), 0x5555555555555555, 1,
                            0};
  s.n = operands_of(v->row, s.list);
  s.exec = masks[below(rng, 5)];
  w->mode = mode;
  for (unsigned i = 0; i < 128; i++)
    w->s[i] = (uint32_t)aq_rng_bits(rng);
  for (unsigned r = 0; r < 24; r++)
    for (int l = 0; l < LANES; l++)
      w->v[r][l] = (uint32_t)aq_rng_bits(rng);
  for (unsigned k = 0; k < s.n; k++) {
    const operand *o = &s.list[k];
    const bool c = o->role == 'D' && accumulates(v->row->name);
    if (!c && (o->role < 'A' || o->role > 'C'))
      continue;
    const unsigned r = c ? RESULT : FIRST + STEP * (unsigned)(o->role - 'A');
    for (int l = 0; l < LANES; l++) {
      const bool floats = v->as->kind != 'i' &&
                          (c || o->floats || v->row->encoding == AQ_ISA_VOP3P);
      const unsigned bits =
          o->bits == 1632 || (v->row->encoding == AQ_ISA_VOP3P) ? 16
          : c ? (strstr(v->row->name, "f16") ? 16 : o->bits)
              : o->bits;
      const uint64_t x = number_of_kind(rng, bits, floats);
      w->v[r][l] = (uint32_t)x;
      if (o->bits > 32 && o->bits <= 128)
        w->v[r + 1][l] = (uint32_t)(x >> 32);
    }
  }
  w->s64[AQ_ISA_EXEC / 2] = s.exec;
  memcpy(before, w->v, sizeof before);
  memcpy(scalars, w->s, sizeof scalars);
  if (!bed_run(b, number)) {
    mismatch(v, "%s of %s: %s", text, b->gfx, b->grid.fault.text);
    return;
  }
  const operand *result = operand_of(s.list, s.n, 'D');
  const unsigned words = is_compare(v->row) ? 0
                         : result && result->bits <= 128
                             ? result->bits / 32 + (result->bits == 16)
                             : 1;
  uint64_t mask = 0;
  for (int l = 0; l < LANES; l++) {
    opcode_out out = {0};
    uint64_t d = 0;
    const bool writes = s.exec >> l & 1 && lane_expect(&s, l, &out, &d);
    if (writes && out.carry)
      mask |= UINT64_C(1) << l;
    if (writes && words) {
      uint64_t ours = w->v[RESULT][l];
      if (words > 1)
        ours |= (uint64_t)w->v[RESULT + 1][l] << 32;
      else
        d = (uint32_t)d;
      if (!is_near(v, ours, d))
        mismatch(v,
                 "%s of %s, MODE 0x%x, EXEC 0x%llx, lane %d: a 0x%llx, b "
                 "0x%llx, c 0x%llx, d 0x%x: 0x%llx, expected 0x%llx",
                 text, b->gfx, mode, (unsigned long long)s.exec, l,
                 (unsigned long long)raw_source(&s, 0, 64, l),
                 (unsigned long long)raw_source(&s, 1, 64, l),
                 (unsigned long long)raw_source(&s, 2, 64, l),
                 before[RESULT][l], (unsigned long long)ours,
                 (unsigned long long)d);
      if (words == 4)
        ck_assert_uint_eq(w->v[RESULT + 2][l] | (uint64_t)w->v[RESULT + 3][l]
                                                    << 32,
                          out.high);
    }
    for (unsigned r = 0; r < 24; r++)
      if (!writes || r < RESULT || r >= RESULT + words)
        if (w->v[r][l] != before[r][l])
          mismatch(v, "%s of %s, lane %d changes v%u", text, b->gfx, l, r);
  }
  if (is_compare(v->row) || operand_of(s.list, s.n, 'E')) {
    const unsigned at = v->form == AQ_ISA_E64 || v->row->encoding == AQ_ISA_VOP3
                            ? MASK_OUT
                            : AQ_ISA_VCC;
    const uint64_t ours = w->s[at] | (uint64_t)w->s[at + 1] << 32;
    if (ours != mask)
      mismatch(v, "%s of %s: mask 0x%llx, expected 0x%llx", text, b->gfx,
               (unsigned long long)ours, (unsigned long long)mask);
    if (strncmp(v->row->name, "v_cmpx", 6) == 0)
      if (w->s64[AQ_ISA_EXEC / 2] != mask)
        mismatch(v, "%s of %s: EXEC", text, b->gfx);
  }
}

static void scalar_check(bed *b, size_t number, const char *text,
                         const variant *v, aq_rng *rng)
{
  aq_wave *w = b->wave;
  operand list[8];
  opcode_out out = {0};
  const unsigned n = operands_of(v->row, list);
  const operand *result = operand_of(list, n, 'D');
  for (unsigned i = 0; i < 126; i++)
    w->s[i] = (uint32_t)number_of_kind(rng, 32, false);
  w->scc = below(rng, 2);
  w->s64[AQ_ISA_EXEC / 2] = aq_rng_bits(rng);
  opcode_in in = {.exec = w->s64[AQ_ISA_EXEC / 2],
                  .carry = w->scc,
                  .imm = v->imm,
                  .d = w->s[RESULT] | (uint64_t)w->s[RESULT + 1] << 32};
  uint64_t *values[] = {&in.a, &in.b};
  for (unsigned i = 0; i < 2; i++) {
    const operand *o = operand_of(list, n, (char)('A' + i));
    const unsigned r = FIRST + STEP * i;
    if (o)
      *values[i] =
          v->kind[i] == CONSTANT
              ? constant_of(v, o->bits)
              : w->s[r] | (o->bits == 64 ? (uint64_t)w->s[r + 1] << 32 : 0);
  }
  v->as->run(&in, &out);
  if (!bed_run(b, number)) {
    mismatch(v, "%s of %s: %s", text, b->gfx, b->grid.fault.text);
    return;
  }
  if (result) {
    const bool wide = result->bits == 64;
    const uint64_t ours =
        w->s[RESULT] | (wide ? (uint64_t)w->s[RESULT + 1] << 32 : 0);
    const uint64_t host = wide ? out.d : (uint32_t)out.d;
    if (ours != host)
      mismatch(v,
               "%s of %s: a 0x%llx, b 0x%llx, d 0x%llx, SCC %d: 0x%llx, "
               "expected 0x%llx",
               text, b->gfx, (unsigned long long)in.a, (unsigned long long)in.b,
               (unsigned long long)in.d, in.carry, (unsigned long long)ours,
               (unsigned long long)host);
  }
  if (w->scc != out.carry)
    mismatch(v, "%s of %s: a 0x%llx, b 0x%llx: SCC %u", text, b->gfx,
             (unsigned long long)in.a, (unsigned long long)in.b, w->scc);
  if (strstr(v->row->name, "exec"))
    if (w->s64[AQ_ISA_EXEC / 2] != out.exec)
      mismatch(v, "%s of %s: EXEC", text, b->gfx);
}

/* ---- all ---- */

/* MODE: round and denormals of f32, then of f64 and f16, DX10 clamp, IEEE. */
static unsigned mode_choose(aq_rng *rng, const variant *v)
{
  const unsigned clamp = below(rng, 2) ? AQ_WAVE_MODE_DX10_CLAMP : 0,
                 ieee = below(rng, 2) ? AQ_WAVE_MODE_IEEE : 0;
  unsigned denormals = 0xf0, round = 0;
  if (strchr("FDH", v->as->kind)) {
    round = below(rng, 16);
    denormals = below(rng, 2) ? 0xf0 : (below(rng, 2) ? 0x30 : 0xc0);
  }
  return round | denormals | clamp | ieee;
}

static size_t target_check(const char *gfx, unsigned bit, uint64_t seed)
{
  static char texts[1400 * VARIANTS][BED_TEXT];
  static variant variants[1400 * VARIANTS];
  size_t count = 0, with = 0, executing = 0, refused = 0;
  aq_rng rng;
  aq_rng_init(&rng, seed, 0);
  for (size_t i = 0; i < aq_isa_row_count(); i++) {
    const aq_isa_row *row = aq_isa_row_at(i);
    const opcode_case *as = case_find(row->name);
    if (!(row->targets & bit) || row->encoding == AQ_ISA_SOPP ||
        row->encoding == AQ_ISA_SMEM || row->encoding > AQ_ISA_VOP3P ||
        row->flags & AQ_ISA_MATRIX || !aq_wave_handler_named(0, row->name))
      continue;
    executing++;
    if (!as) {
      if (getenv("AQ_OPCODES_MISSING"))
        fprintf(stderr, "without vectors: %s\n", row->name);
      continue;
    }
    with++;
    for (unsigned k = 0; k < VARIANTS; k++, count++) {
      variants[count] = variant_choose(&rng, row, as);
      text_write(&variants[count], texts[count]);
    }
  }
  for (unsigned level = 0; level < aq_wave_level_count(); level++) {
    bed b;
    bed_open(&b, gfx, texts, count, level);
    aq_rng_init(&rng, seed + 1, 0);
    refused = 0;
    for (size_t i = 0; i < count; i++) {
      refused += b.refused[i];
      for (unsigned draw = 0; draw < DRAWS && !b.refused[i]; draw++)
        if (is_vector(variants[i].row))
          vector_check(&b, i, texts[i], &variants[i], &rng,
                       mode_choose(&rng, &variants[i]));
        else
          scalar_check(&b, i, texts[i], &variants[i], &rng);
    }
    bed_close(&b);
  }
  fprintf(stderr,
          "%s: %zu of %zu instructions of the scalar and vector units have "
          "vectors: %zu texts, %zu of them refused by the assembler\n",
          gfx, with, executing, count, refused);
  return with;
}

static bool tools_are_here(void)
{
  return system("command -v clang-22 > /dev/null && "
                "command -v llvm-objcopy-22 > /dev/null") ==
         0; /* NOLINT: fixed names */
}

START_TEST(instructions_compute_what_the_host_computes)
{
  static const struct {
    const char *gfx;
    unsigned bit;
  } targets[] = {{"gfx90a", AQ_ISA_GFX90A}, {"gfx942", AQ_ISA_GFX940},
                 {"gfx950", AQ_ISA_GFX950}, {"gfx900", AQ_ISA_GFX900},
                 {"gfx906", AQ_ISA_GFX906}, {"gfx908", AQ_ISA_GFX908}};
  if (!tools_are_here()) {
    aqtest_skip("no clang-22 with llvm-objcopy-22 here");
    return;
  }
  const char *seed_text = getenv("AQ_OPCODES_SEED");
  const uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 29;
  const char *all = getenv("AQ_ORACLES");
  const size_t quick = 2;
  for (size_t i = 0; i < (all ? sizeof targets / sizeof *targets : quick); i++)
    ck_assert_uint_gt(target_check(targets[i].gfx, targets[i].bit, seed), 300);
  ck_assert_uint_eq(failure_count, 0);
}
END_TEST

AQ_TEST_MAIN("wave/opcodes", instructions_compute_what_the_host_computes)
