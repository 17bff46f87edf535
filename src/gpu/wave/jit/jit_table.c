/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/jit_table.h"

#include <stdlib.h>

#include "gpu/wave/core/dpp.h"
#include "gpu/wave/core/operand_modifiers.h"

/* clang-format off */
#define V1(n, td, ta, e)                                                       \
  {.name = #n, .shape = AQ_WAVE_TEXT_LANE, .result = #td, .sources = {#ta}},
#define V2(n, td, ta, tb, e)                                                   \
  {.name = #n, .shape = AQ_WAVE_TEXT_LANE, .result = #td,                      \
   .sources = {#ta, #tb}},
#define V3(n, td, ta, tb, tc, e)                                               \
  {.name = #n, .shape = AQ_WAVE_TEXT_LANE, .result = #td,                      \
   .sources = {#ta, #tb, #tc}},
#define V1_F32(n, e)                                                           \
  {.name = #n, .shape = AQ_WAVE_TEXT_NAN, .result = "b32",                     \
   .sources = {"f32"}},
#define V2_F32(n, e)                                                           \
  {.name = #n, .shape = AQ_WAVE_TEXT_NAN, .result = "b32",                     \
   .sources = {"f32", "f32"}},
#define V3_F32(n, e)                                                           \
  {.name = #n, .shape = AQ_WAVE_TEXT_NAN, .result = "b32",                     \
   .sources = {"f32", "f32", "f32"}},
#define V2_F64(n, w, e)                                                        \
  {.name = #n, .shape = AQ_WAVE_TEXT_NAN, .result = "b64",                     \
   .sources = {"f64", "f64"}},
#define V3_F64(n, w, e)                                                        \
  {.name = #n, .shape = AQ_WAVE_TEXT_NAN, .result = "b64",                     \
   .sources = {"f64", "f64", "f64"}},
#define CARRY(n, cin, e, out)                                                  \
  {.name = #n, .shape = AQ_WAVE_TEXT_CARRY, .result = "b32",                   \
   .sources = {"u32", "u32"}, .carry_in = cin},
#define BOTH(op, t, e)                                                         \
  {.name = "v_cmp_" #op "_" #t, .shape = AQ_WAVE_TEXT_COMPARE,                 \
   .sources = {#t, #t}},
#define SCALAR(n, r, ta, tb, e, scc)                                           \
  {.name = #n, .shape = AQ_WAVE_TEXT_SCALAR, .result = r,                      \
   .sources = {ta, tb}, .expression = e, .second = scc},
#define A32(n, e, scc) SCALAR(n, "b32", "u32", "u32", #e, #scc)
#define A64(n, e, scc) SCALAR(n, "b64", "u64", "u64", #e, #scc)
#define S64(n, e, scc) SCALAR(n, "b64", "u64", "u32", #e, #scc)
#define N64(n, e, scc) SCALAR(n, "b32", "u64", "", #e, #scc)
#define SAVE(n, w)                                                             \
  {.name = #n, .shape = AQ_WAVE_TEXT_SAVE, .result = "b" w,                    \
   .sources = {"u" w}},
#define SAVEEXEC(n, e)   SAVE(n, "64")
#define WREXEC(n, e)     SAVE(n, "64")
#define EXEC32(n, e, k)  SAVE(n, "32")
#define TEST(n, ta, tb)                                                        \
  {.name = #n, .shape = AQ_WAVE_TEXT_TEST, .sources = {ta, tb}},
#define CMP32(n, t, op)  TEST(n, "u32", "u32")
#define CMP64(n, op)     TEST(n, "u64", "u64")
#define CMPK(n, t, k, op)                                                      \
  {.name = #n, .shape = AQ_WAVE_TEXT_TEST, .sources = {"u32", "u32"},          \
   .immediate = true},
#define BIT(n, w, want)  TEST(n, "u" #w, "u32")

static const aq_wave_text rows[] = {
#include "gpu/wave/scalar/scalar.def"
#include "gpu/wave/vector/vector.def"
    /* Handlers of their own in vector.inc and scalar.c. */
    {.name = "v_lshlrev_b64", .shape = AQ_WAVE_TEXT_WORDS, .result = "b64",
     .sources = {"u32", "u64"}},
    {.name = "v_mad_u64_u32", .shape = AQ_WAVE_TEXT_CARRY, .result = "b64",
     .sources = {"u32", "u32", "u64"}},
    {.name = "v_cndmask_b32", .shape = AQ_WAVE_TEXT_PICK, .result = "b32",
     .sources = {"u32", "u32"}},
    {.name = "s_movk_i32", .shape = AQ_WAVE_TEXT_SCALAR, .result = "b32",
     .sources = {"", "u32"}, .immediate = true,
     .expression = "(uint32_t)(int16_t)b", .second = "KEEP"},
    {.name = "s_cmovk_i32", .shape = AQ_WAVE_TEXT_SCALAR, .result = "b32",
     .sources = {"", "u32"}, .immediate = true,
     .expression = "in ? (uint32_t)(int16_t)b : OLD32", .second = "KEEP"},
    {.name = "s_addk_i32", .shape = AQ_WAVE_TEXT_SCALAR, .result = "b32",
     .sources = {"", "u32"}, .immediate = true,
     .expression = "OLD32 + (uint32_t)(int16_t)b",
     .second = "scc = (~(OLD32 ^ (uint32_t)(int16_t)b) & (OLD32 ^ r)) >> 31"},
    {.name = "s_mulk_i32", .shape = AQ_WAVE_TEXT_SCALAR, .result = "b32",
     .sources = {"", "u32"}, .immediate = true,
     .expression = "OLD32 * (uint32_t)(int16_t)b", .second = "KEEP"},
};
/* clang-format on */

#define GLOBAL(n, w)                                                           \
  {.name = "global_load_" n, .words = w},                                      \
  {                                                                            \
    .name = "global_store_" n, .words = w, .store = true                       \
  }
#define SHARED(n, w, by)                                                       \
  {.name = "ds_read" n, .words = w, .scale = by, .shared = true},              \
  {                                                                            \
    .name = "ds_write" n, .words = w, .scale = by, .shared = true,             \
    .store = true                                                              \
  }
static const aq_wave_transfer transfers[] = {
    GLOBAL("dword", 1),
    GLOBAL("dwordx2", 2),
    GLOBAL("dwordx3", 3),
    GLOBAL("dwordx4", 4),
    SHARED("_b32", 1, 0),
    SHARED("_b64", 2, 0),
    SHARED("_b96", 3, 0),
    SHARED("_b128", 4, 0),
    SHARED("2_b32", 1, 1),
    SHARED("2_b64", 2, 1),
    SHARED("2st64_b32", 1, 64),
    SHARED("2st64_b64", 2, 64),
    {.name = "s_load_dword", .scalar = true},
};

static const aq_wave_ruled ruled[] = {
    {.name = "v_add_f16", .sources = 2},
    {.name = "v_sub_f16", .sources = 2},
    {.name = "v_subrev_f16", .sources = 2},
    {.name = "v_mul_f16", .sources = 2},
    {.name = "v_fma_f16", .sources = 3},
    {.name = "v_min_f16", .sources = 2},
    {.name = "v_max_f16", .sources = 2},
    {.name = "v_pk_add_f16", .sources = 2, .packed = true},
    {.name = "v_pk_mul_f16", .sources = 2, .packed = true},
    {.name = "v_pk_fma_f16", .sources = 3, .packed = true},
    {.name = "v_pk_min_f16", .sources = 2, .packed = true},
    {.name = "v_pk_max_f16", .sources = 2, .packed = true},
    {.name = "v_cvt_f32_f16", .sources = 1, .converts = true},
    {.name = "v_cvt_f16_f32", .sources = 1, .converts = true},
    {.name = "v_fma_mix_f32", .sources = 3, .packed = true},
    {.name = "v_dot4_i32_i8", .sources = 3, .packed = true},
    {.name = "v_dot4c_i32_i8", .sources = 3, .packed = true},
    {.name = "v_dot4_u32_u8", .sources = 3, .packed = true},
    {.name = "ds_bpermute_b32"},
    {.name = "v_div_scale_f32",
     .sources = 3,
     .divides = true,
     .writes_mask = true},
    {.name = "v_div_fmas_f32",
     .sources = 3,
     .divides = true,
     .reads_vcc = true},
    {.name = "v_div_fixup_f32", .sources = 3, .divides = true},
    {.name = "global_load_ubyte", .loads = true},
    {.name = "global_load_sbyte", .loads = true},
    {.name = "global_load_ushort", .loads = true},
    {.name = "global_load_sshort", .loads = true},
};

enum {
  ROWS = sizeof rows / sizeof *rows,
  TRANSFERS = sizeof transfers / sizeof *transfers,
  RULED = sizeof ruled / sizeof *ruled
};

struct aq_wave_texts {
  aq_wave_text rows[ROWS]; /* by handler */
  aq_wave_transfer transfers[TRANSFERS];
  aq_wave_ruled ruled[RULED];
};

static int handlers_order(const void *a, const void *b)
{
  const uintptr_t x = (uintptr_t)((const aq_wave_text *)a)->run,
                  y = (uintptr_t)((const aq_wave_text *)b)->run;
  return (x > y) - (x < y);
}

aq_wave_texts *aq_wave_texts_create(unsigned level)
{
  aq_wave_texts *texts = malloc(sizeof *texts);
  if (!texts)
    return NULL;
  memcpy(texts->rows, rows, sizeof rows);
  for (size_t i = 0; i < ROWS; i++) {
    aq_wave_text *row = &texts->rows[i];
    row->run = aq_wave_handler_named(level, row->name);
    row->reads_old =
        row->shape == AQ_WAVE_TEXT_SCALAR &&
        (strstr(row->expression, "OLD") || strstr(row->second, "OLD"));
  }
  memcpy(texts->transfers, transfers, sizeof transfers);
  for (size_t i = 0; i < TRANSFERS; i++)
    texts->transfers[i].run = aq_wave_handler_named(level, transfers[i].name);
  memcpy(texts->ruled, ruled, sizeof ruled);
  for (size_t i = 0; i < RULED; i++)
    texts->ruled[i].run = aq_wave_handler_named(level, ruled[i].name);
  qsort(texts->rows, ROWS, sizeof *texts->rows, handlers_order);
  return texts;
}

void aq_wave_texts_rules_put(aq_wave_texts *texts,
                             const struct aq_strip_rule *(*named)(const char *))
{
  for (size_t i = 0; i < ROWS; i++)
    texts->rows[i].rule = named(texts->rows[i].name);
  for (size_t i = 0; i < RULED; i++)
    texts->ruled[i].rule = named(texts->ruled[i].name);
}

void aq_wave_texts_destroy(aq_wave_texts *texts)
{
  free(texts);
}

const aq_wave_text *aq_wave_text_of(const aq_wave_texts *texts,
                                    aq_wave_handler *run)
{
  const aq_wave_text key = {.run = run};
  return bsearch(&key, texts->rows, ROWS, sizeof key, handlers_order);
}

const aq_wave_transfer *aq_wave_transfer_for(const aq_wave_texts *texts,
                                             const aq_wave_op *o)
{
  for (size_t i = 0; i < TRANSFERS; i++) {
    const aq_wave_transfer *t = &texts->transfers[i];
    if (t->run == o->run)
      return t->scalar && o->dest + o->decoded->bytes / 4u > AQ_ISA_EXEC ? NULL
                                                                         : t;
  }
  return NULL;
}

const struct aq_wave_form *aq_wave_ruled_part(const aq_wave_op *o)
{
  return o->run == aq_wave_form_run && o->decoded->form->mask ? o->decoded->form
                                                              : NULL;
}

static bool has_modifiers(const aq_isa_inst *inst)
{
  bool has = inst->op_sel || inst->omod;
  for (unsigned k = 0; k < inst->operand_count; k++)
    has |= inst->operands[k].modifiers != 0;
  return has;
}

const aq_wave_ruled *aq_wave_ruled_for(const aq_wave_texts *texts,
                                       const aq_wave_op *o)
{
  const bool formed = o->run == aq_wave_form_run;
  aq_wave_handler *const run = formed ? o->decoded->base : o->run;
  const aq_wave_form *form = formed ? o->decoded->form : NULL;
  for (size_t i = 0; i < RULED; i++) {
    const aq_wave_ruled *h = &texts->ruled[i];
    if (h->run != run)
      continue;
    if (formed
            ? h->packed || h->divides || o->decoded->move || !form->is_vector ||
                  form->signs || form->finishes || form->adds_upper
            : o->decoded->inst.clamp)
      return NULL;
    if (h->converts && !formed && has_modifiers(&o->decoded->inst))
      return NULL;
    if (h->divides && o->dest2 != AQ_WAVE_NONE && aq_wave_is_exec(o->dest2))
      return NULL;
    for (unsigned k = 0; k < h->sources; k++)
      if (o->kind[k] == AQ_WAVE_SGPR && aq_wave_is_exec(o->source[k]))
        return NULL;
    return h;
  }
  return NULL;
}

const aq_wave_text *aq_wave_text_at(const aq_wave_texts *texts, size_t number)
{
  return number < ROWS ? &texts->rows[number] : NULL;
}

const aq_wave_transfer *aq_wave_transfer_at(const aq_wave_texts *texts,
                                            size_t number)
{
  return number < TRANSFERS ? &texts->transfers[number] : NULL;
}

/* ---- instructions ---- */

const struct aq_wave_move *aq_wave_text_move(const aq_wave_op *o)
{
  return o->run == aq_wave_form_run ? o->decoded->move : NULL;
}

bool aq_wave_text_keeps(const aq_wave_op *o)
{
  const aq_wave_move *move = aq_wave_text_move(o);
  return move && !(move->zeroes && move->writes == UINT64_MAX);
}

/* Words of a register's row; a wave of 32 lanes has no other lanes. */
static bool move_has_text(const aq_wave_op *o, const aq_wave_text *t)
{
  uint8_t most = 0;
  for (int l = 0; l < AQ_WAVE_LANES / 2; l++)
    if (o->decoded->move->from[l] > most)
      most = o->decoded->move->from[l];
  return o->kind[0] == AQ_WAVE_VGPR && aq_wave_type_words(t->sources[0]) == 1 &&
         aq_wave_type_words(t->result) <= 1 &&
         (most < AQ_WAVE_LANES / 2 || !(o->decoded->inst.target & AQ_ISA_RDNA));
}

/* Signs of operands, parts of them by SDWA, and DPP are the forms that have a
 * text. The result is a whole register. */
static bool form_has_text(const aq_wave_op *o, const aq_wave_text *t)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  const aq_wave_form *form = o->decoded->form;
  const bool parts = inst->form == AQ_ISA_SDWA;
  const unsigned changes = AQ_ISA_NEG | AQ_ISA_ABS | (parts ? AQ_ISA_SEXT : 0);
  if ((o->decoded->move && !move_has_text(o, t)) ||
      (parts && form->is_vector && form->mask) || inst->clamp || inst->omod ||
      inst->op_sel || inst->row->flags & AQ_ISA_OPSEL ||
      inst->row->encoding == AQ_ISA_VOP3P || aq_wave_form_keeps_half(inst))
    return false;
  unsigned i = 0;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    const aq_isa_operand *operand = &inst->operands[k];
    if (operand->role == 'D' || operand->role == 'E')
      continue;
    const unsigned signs = operand->modifiers;
    if ((operand->select < 6 && !parts) || (signs && i >= 3) ||
        (signs && operand->bits != 32 * aq_wave_type_words(t->sources[i])) ||
        signs & ~changes)
      return false;
    i++;
  }
  return t->shape != AQ_WAVE_TEXT_WORDS;
}

const aq_wave_text *aq_wave_text_for(const aq_wave_texts *texts,
                                     const aq_wave_op *o)
{
  const bool formed = o->run == aq_wave_form_run;
  const aq_wave_text *t =
      aq_wave_text_of(texts, formed ? o->decoded->base : o->run);
  if (!t || (formed && !form_has_text(o, t)))
    return NULL;
  if (!aq_wave_text_is_vector(t))
    return t;
  for (int i = 0; i < 3; i++)
    if (o->kind[i] == AQ_WAVE_SGPR && aq_wave_is_exec(o->source[i]))
      return NULL;
  const bool mask_in = t->shape == AQ_WAVE_TEXT_PICK ||
                       (t->shape == AQ_WAVE_TEXT_CARRY && t->carry_in);
  const uint16_t to = t->shape == AQ_WAVE_TEXT_COMPARE ? o->dest : o->dest2;
  const bool mask_out =
      t->shape == AQ_WAVE_TEXT_COMPARE || t->shape == AQ_WAVE_TEXT_CARRY;
  return (mask_in && o->kind[2] != AQ_WAVE_SGPR) ||
                 (mask_out && aq_wave_is_exec(to))
             ? NULL
             : t;
}

/* ---- branches ---- */

const aq_wave_condition *aq_wave_condition_of(const aq_wave_op *o)
{
  static const aq_wave_condition conditions[] = {
      {"s_branch", AQ_WAVE_IF_ANY, true},
      {"s_cbranch_scc0", AQ_WAVE_IF_SCC, false},
      {"s_cbranch_scc1", AQ_WAVE_IF_SCC, true},
      {"s_cbranch_vccz", AQ_WAVE_IF_VCC, false},
      {"s_cbranch_vccnz", AQ_WAVE_IF_VCC, true},
      {"s_cbranch_execz", AQ_WAVE_IF_EXEC, false},
      {"s_cbranch_execnz", AQ_WAVE_IF_EXEC, true}};
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
    if (strcmp(conditions[i].name, o->decoded->inst.row->name) == 0)
      return &conditions[i];
  return NULL;
}
