/* SPDX-License-Identifier: MIT */
#include "variant.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

unsigned variant_operands(const aq_isa_row *row, operand out[8])
{
  unsigned n = 0;
  for (const char *at = row->operands; *at; n++) {
    operand o = {.role = *at++};
    if (*at == 'v' || *at == 'a' || *at == 's')
      o.file = *at++;
    o.floats = *at == 'f';
    at += o.floats;
    if (*at == 'm') { /* a mask of lanes */
      o.bits = 64;
      at++;
    } else {
      o.bits = (unsigned)strtoul(at, (char **)(uintptr_t)&at, 10);
    }
    while (*at == ' ')
      at++;
    out[n] = o;
  }
  return n;
}

const operand *variant_operand(const operand *list, unsigned n, char role)
{
  for (unsigned i = 0; i < n; i++)
    if (list[i].role == role)
      return &list[i];
  return NULL;
}

bool variant_is_vector(const aq_isa_row *row)
{
  return row->encoding >= AQ_ISA_VOP2 && row->encoding <= AQ_ISA_VOP3P;
}

bool variant_accumulates(const char *name)
{
  return strncmp(name, "v_fmac_", 7) == 0 || strncmp(name, "v_mac_", 6) == 0 ||
         strncmp(name, "v_pk_fmac_", 10) == 0 || strstr(name, "c_f32_f16") ||
         strstr(name, "2c_f32_bf16") || strstr(name, "c_i32_i") ||
         strstr(name, "pkaccum");
}

bool variant_is_compare(const aq_isa_row *row)
{
  return row->encoding == AQ_ISA_VOPC;
}

bool variant_is_dpp(const variant *v)
{
  return v->form == AQ_ISA_DPP || v->form == AQ_ISA_E64_DPP;
}

bool variant_is_wide(const variant *v)
{
  return v->form == AQ_ISA_E64 || v->form == AQ_ISA_E64_DPP ||
         v->row->encoding == AQ_ISA_VOP3;
}

bool variant_is_half(const variant *v, const operand *o)
{
  const unsigned i = (unsigned)(o->role - 'A');
  return v->target & AQ_ISA_GFX11 && o->bits == 16 && o->role != 'K' &&
         variant_is_vector(v->row) && v->row->encoding != AQ_ISA_VOP3P &&
         (o->role == 'D' || (i < SOURCES && v->kind[i] == VECTOR));
}

/* ---- writing ---- */

const variant_constant variant_constants[] = {{"5", 5, 0},
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
                    {"row_newbcast:", true}, {"row_share:", true},
                    {"row_xmask:", true}};

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

static char *half_write(char *at, const variant *v, const operand *o)
{
  const unsigned i = o->role == 'D' ? 3 : (unsigned)(o->role - 'A');
  return variant_is_half(v, o) ? append(at, v->op_sel >> i & 1 ? ".h" : ".l")
                               : at;
}

static char *source_write(char *at, const variant *v, const operand *o)
{
  const unsigned i = (unsigned)(o->role - 'A');
  const bool neg = v->neg >> i & 1, abs = v->abs >> i & 1,
             sext = v->sext >> i & 1;
  at =
      append(at, "%s%s%s", sext ? "sext(" : "", neg ? "-" : "", abs ? "|" : "");
  if (v->kind[i] == CONSTANT)
    at = append(at, "%s", variant_constants[v->constant].text);
  else
    at = register_write(at, v->kind[i] == SCALAR ? 's' : 'v', FIRST + STEP * i,
                        o->bits);
  at = half_write(at, v, o);
  return append(at, "%s%s", abs ? "|" : "", sext ? ")" : "");
}

static char *bits_write(char *at, const char *name, unsigned bits, unsigned n)
{
  at = append(at, " %s:[", name);
  for (unsigned i = 0; i < n; i++)
    at = append(at, i ? ",%u" : "%u", bits >> i & 1);
  return append(at, "]");
}

static bool takes_selection(const aq_isa_row *row)
{
  return row->flags & (AQ_ISA_OPSEL | AQ_ISA_PACKED) &&
         strcmp(row->name, "v_dot2_f32_bf16") != 0;
}

static char *modifiers_write(char *at, const variant *v, unsigned sources)
{
  static const char *const selects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                        "WORD_0", "WORD_1", "DWORD"};
  static const char *const unused[] = {"PAD", "SEXT", "PRESERVE"};
  static const char *const omods[] = {"", " mul:2", " mul:4", " div:2"};
  const uint32_t flags = v->row->flags;
  if (strncmp(v->row->name, "v_bitop3", 8) == 0)
    at = append(at, " bitop3:%u", (unsigned)v->imm);
  if (v->row->encoding == AQ_ISA_VOP3P && flags & AQ_ISA_PACKED) {
    if (takes_selection(v->row)) {
      at = bits_write(at, "op_sel", v->op_sel, sources);
      at = bits_write(at, "op_sel_hi", v->op_sel_hi, sources);
    }
    if (v->as->kind != 'i') {
      at = bits_write(at, "neg_lo", v->neg, sources);
      at = bits_write(at, "neg_hi", v->neg_hi, sources);
    }
  } else if (v->form == AQ_ISA_E64 && flags & AQ_ISA_OPSEL && v->op_sel &&
             !(v->target & AQ_ISA_GFX11)) {
    at = bits_write(at, "op_sel",
                    (v->op_sel & ((1u << sources) - 1)) | (v->op_sel >> 3)
                                                              << sources,
                    sources + 1);
  }
  at = append(at, "%s%s", v->clamp ? " clamp" : "", omods[v->omod]);
  if (v->form == AQ_ISA_SDWA) {
    if (!variant_is_compare(v->row))
      at = append(at, " dst_sel:%s dst_unused:UNUSED_%s", selects[v->dst_sel],
                  unused[v->dst_unused]);
    for (unsigned i = 0; i < sources && i < 2; i++)
      at = append(at, " src%u_sel:%s", i, selects[v->select[i]]);
  }
  if (variant_is_dpp(v)) {
    at = append(at, " %s", dpp_controls[v->dpp].text);
    if (v->dpp == 0)
      at = append(at, ":[%u,%u,%u,%u]", v->quad & 3, v->quad >> 2 & 3,
                  v->quad >> 4 & 3, v->quad >> 6);
    if (dpp_controls[v->dpp].numbered)
      at = append(at, "%u", v->dpp_number);
    at = append(at, " row_mask:0x%x bank_mask:0x%x%s", v->row_mask,
                v->bank_mask, v->bound ? " bound_ctrl:1" : "");
    at = append(at, "%s", v->fetch ? " fi:1" : "");
  }
  return at;
}

void variant_write(const variant *v, char text[BED_TEXT])
{
  static const char *const suffixes[] = {
      [AQ_ISA_E32] = "_e32",   [AQ_ISA_E64] = "_e64",
      [AQ_ISA_SDWA] = "_sdwa", [AQ_ISA_DPP] = "_dpp",
      [AQ_ISA_DPP8] = "",      [AQ_ISA_E64_DPP] = "_e64_dpp"};
  operand list[8];
  const unsigned n = variant_operands(v->row, list);
  const uint8_t e = v->row->encoding;
  const bool shorter =
      e == AQ_ISA_VOP1 || e == AQ_ISA_VOP2 || variant_is_compare(v->row);
  const bool wide = variant_is_wide(v);
  const bool named = v->form == AQ_ISA_E64_DPP ||
                     (shorter && !(v->row->flags & AQ_ISA_NO_E64));
  unsigned sources = 0;
  char *at =
      append(text, "%s%s ", v->row->name, named ? suffixes[v->form] : "");
  for (unsigned i = 0; i < n; i++) {
    const operand *o = &list[i];
    at = append(at, "%s", i ? ", " : "");
    if (o->role == 'D' && variant_is_compare(v->row))
      at = wide ? append(at, "s[%d:%d]", MASK_OUT, MASK_OUT + 1)
                : append(at, "vcc");
    else if (o->role == 'D')
      at = half_write(register_write(at, variant_is_vector(v->row) ? 'v' : 's',
                                     RESULT, o->bits),
                      v, o);
    else if (o->role == 'E')
      at = wide ? append(at, "s[%d:%d]", MASK_OUT, MASK_OUT + 1)
                : append(at, "vcc");
    else if (o->role == 'C' && o->file == 's')
      at = wide ? append(at, "s[%d:%d]", MASK_IN, MASK_IN + 1)
                : append(at, "vcc");
    else if (o->role == 'K')
      at = append(at, "0x%x", v->literal & (o->bits == 16 ? 0xffff : ~0u));
    else if (o->role == 'X')
      at = append(at, "0x%x", (unsigned)(uint16_t)v->imm);
    else
      at = source_write(at, v, o);
    sources += o->role >= 'A' && o->role <= 'C' && o->file != 's';
  }
  modifiers_write(at, v, sources);
}

/* ---- choosing ---- */

unsigned variant_below(aq_rng *rng, unsigned n)
{
  return (unsigned)(aq_rng_bits(rng) >> 33) % n;
}

static void sources_choose(aq_rng *rng, variant *v, const operand *list,
                           unsigned n)
{
  for (unsigned i = 0; i < SOURCES; i++)
    v->kind[i] = variant_is_vector(v->row) ? VECTOR : SCALAR;
  const operand *a = variant_operand(list, n, 'A');
  if (!a || a->file || a->bits > 64 || v->form >= AQ_ISA_SDWA)
    return;
  const unsigned dice = variant_below(rng, 6);
  const bool floats = variant_is_vector(v->row) && v->as->kind != 'i';
  if (dice == 0 && !variant_operand(list, n, 'C') &&
      !variant_operand(list, n, 'K'))
    v->kind[0] = SCALAR;
  if (dice == 1 && !variant_operand(list, n, 'K') &&
      v->row->encoding != AQ_ISA_VOP3P) {
    v->kind[0] = CONSTANT;
    v->constant = (int)variant_below(rng, floats && a->floats ? 5 : 2);
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
      v->neg |= variant_below(rng, 2) << bit;
      v->abs |= (unsigned)(variant_below(rng, 3) == 0) << bit;
    } else if (v->form == AQ_ISA_SDWA && !o->floats) {
      v->sext |= variant_below(rng, 2) << bit;
    }
  }
}

/* A form that the target has. */
static aq_isa_form form_choose(aq_rng *rng, const aq_isa_row *row,
                               unsigned target)
{
  const bool compare = variant_is_compare(row);
  const bool shorter =
      row->encoding == AQ_ISA_VOP1 || row->encoding == AQ_ISA_VOP2 || compare;
  const bool from_11 = target & AQ_ISA_FROM_GFX11;
  const unsigned form = variant_below(rng, from_11 ? 5 : 4);
  const bool e64 = !(row->flags & AQ_ISA_NO_E64);
  if (form == 4 && (row->encoding == AQ_ISA_VOP3 || (shorter && e64)) &&
      !compare && !(row->flags & AQ_ISA_NO_DPP64))
    return AQ_ISA_E64_DPP;
  if (row->encoding == AQ_ISA_VOP3)
    return AQ_ISA_E64;
  if (shorter && form == 1 && e64)
    return AQ_ISA_E64;
  if (shorter && form == 2 && e64 && !from_11 && !(row->flags & AQ_ISA_NO_SDWA))
    return AQ_ISA_SDWA;
  if (shorter && form == 3 && e64 && !compare && !(row->flags & AQ_ISA_NO_DPP))
    return AQ_ISA_DPP;
  return AQ_ISA_E32;
}

variant variant_choose(aq_rng *rng, const aq_isa_row *row,
                       const opcode_case *as, unsigned target)
{
  variant v = {.row = row,
               .as = as,
               .target = target,
               .dst_sel = 6,
               .op_sel_hi = 7,
               .form = form_choose(rng, row, target)};
  operand list[8];
  const unsigned n = variant_operands(row, list);
  sources_choose(rng, &v, list, n);
  if (v.form != AQ_ISA_E32)
    signs_choose(rng, &v, list, n);
  if (v.form == AQ_ISA_DPP)
    v.abs &= 3;
  const bool modifies =
      v.form == AQ_ISA_E64 || v.form == AQ_ISA_SDWA || v.form == AQ_ISA_E64_DPP;
  if (modifies && as->kind != 'i' && !variant_is_compare(row)) {
    /* Their effect on packed bits and bf16 is not documented: refused. */
    const bool brain = strstr(row->name, "pk_bf16");
    v.clamp = row->flags & AQ_ISA_CLAMP && variant_below(rng, 4) == 0 &&
              strncmp(row->name, "v_pack_", 7) != 0 && !brain;
    v.omod = row->flags & AQ_ISA_OMOD && !brain && variant_below(rng, 4) == 0
                 ? variant_below(rng, 4)
                 : 0;
  }
  for (unsigned i = 0; i < SOURCES; i++)
    v.select[i] = v.form == AQ_ISA_SDWA ? variant_below(rng, 7) : 6;
  if (v.form == AQ_ISA_SDWA) {
    v.dst_sel = variant_below(rng, 7);
    v.dst_unused = variant_below(rng, 3);
  }
  v.dpp = target & AQ_ISA_RDNA ? variant_below(rng, 8) : variant_below(rng, 13);
  if (target & AQ_ISA_RDNA && v.dpp > 5)
    v.dpp += 7; /* row_share, row_xmask */
  v.fetch = target & AQ_ISA_RDNA && variant_below(rng, 3) == 0;
  v.dpp_number = 1 + variant_below(rng, 14);
  v.quad = variant_below(rng, 256);
  v.row_mask = variant_below(rng, 2) ? 15 : variant_below(rng, 16);
  v.bank_mask = variant_below(rng, 2) ? 15 : variant_below(rng, 16);
  v.bound = variant_below(rng, 2);
  v.op_sel = takes_selection(row) ||
                     (target & AQ_ISA_GFX11 && row->encoding != AQ_ISA_VOP3P)
                 ? variant_below(rng, 16)
                 : 0;
  if (v.form == AQ_ISA_E64_DPP && !(target & AQ_ISA_GFX11))
    v.op_sel = 0; /* its text is not written */
  if (row->flags & AQ_ISA_PACKED) {
    v.op_sel_hi = takes_selection(row) ? variant_below(rng, 8) : 7;
    v.neg = as->kind == 'i' ? 0 : variant_below(rng, 8);
    v.neg_hi = as->kind == 'i' ? 0 : variant_below(rng, 8);
  }
  v.literal = (uint32_t)aq_rng_bits(rng);
  v.imm = (int16_t)aq_rng_bits(rng);
  if (strncmp(row->name, "v_bitop3", 8) == 0)
    v.imm &= 255;
  return v;
}
