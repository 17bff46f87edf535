/* SPDX-License-Identifier: MIT */
/*
 * Which object each register's value is the address of.
 *
 * Compilers make such an address of a constant (in a kernel, whose frame begins
 * at 0) or of the register that has the frame's base (in a function), by sums,
 * and spill it to lanes of vector registers, accumulation registers and private
 * memory. A constant may be a number as well: so a flat address counts only if
 * its upper word was made as private addresses are, and a sum of two objects is
 * of none. Each register that an instruction writes loses its tag or gets a new
 * one, in functions without debug information too.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/check/stack/stack.h"

/* ---- sites ---- */

static bool begins(const char *name, const char *with)
{
  return strncmp(name, with, strlen(with)) == 0;
}

static const struct {
  const char *name;
  uint8_t kind;
  const char *sums; /* of the operands, the ones that may be an address */
} ways[] = {
    {"s_mov_b", AQ_CHECK_TAGS_MOVE, NULL},
    {"s_movk_i32", AQ_CHECK_TAGS_MOVE, NULL},
    {"v_mov_b", AQ_CHECK_TAGS_MOVE, NULL},
    {"v_pk_mov_b32", AQ_CHECK_TAGS_MOVE, NULL},
    {"v_accvgpr_", AQ_CHECK_TAGS_MOVE, NULL},
    {"v_readfirstlane_b32", AQ_CHECK_TAGS_READ, NULL},
    {"v_readlane_b32", AQ_CHECK_TAGS_READ, NULL},
    {"v_writelane_b32", AQ_CHECK_TAGS_WRITE, NULL},
    {"s_cselect_b", AQ_CHECK_TAGS_SELECT, NULL},
    {"v_cndmask_b32", AQ_CHECK_TAGS_SELECT, NULL},
    {"s_add_", AQ_CHECK_TAGS_SUM, "AB"},
    {"s_addc_u32", AQ_CHECK_TAGS_SUM, "AB"},
    {"s_addk_", AQ_CHECK_TAGS_SUM, "D"},
    {"s_or_b32", AQ_CHECK_TAGS_SUM, "AB"},
    {"s_lshl1_add_u32", AQ_CHECK_TAGS_SUM, "B"},
    {"s_lshl2_add_u32", AQ_CHECK_TAGS_SUM, "B"},
    {"s_lshl3_add_u32", AQ_CHECK_TAGS_SUM, "B"},
    {"s_lshl4_add_u32", AQ_CHECK_TAGS_SUM, "B"},
    {"v_add_u32", AQ_CHECK_TAGS_SUM, "AB"},
    {"v_add_nc_u32", AQ_CHECK_TAGS_SUM, "AB"},
    {"v_add_co_u32", AQ_CHECK_TAGS_SUM, "AB"},
    {"v_add_co_ci_u32", AQ_CHECK_TAGS_SUM, "AB"},
    {"v_addc_co_u32", AQ_CHECK_TAGS_SUM, "AB"},
    {"v_or_b32", AQ_CHECK_TAGS_SUM, "AB"},
    {"v_add3_u32", AQ_CHECK_TAGS_SUM, "ABC"},
    {"v_lshl_add_u", AQ_CHECK_TAGS_SUM, "C"},
    {"v_lshl_or_b32", AQ_CHECK_TAGS_SUM, "C"},
    {"v_mad_u64_u32", AQ_CHECK_TAGS_SUM, "C"},
    {"v_mad_u32_u24", AQ_CHECK_TAGS_SUM, "C"},
    {"v_mad_i32_i24", AQ_CHECK_TAGS_SUM, "C"},
    {"s_sub_", AQ_CHECK_TAGS_SUM, "A"},
    {"v_sub_", AQ_CHECK_TAGS_SUM, "A"},
    {"v_subrev_", AQ_CHECK_TAGS_SUM, "B"},
    {"s_lshr_b32", AQ_CHECK_TAGS_SHIFT, NULL},
    {"v_lshrrev_b32", AQ_CHECK_TAGS_SHIFT, NULL},
    {"s_getreg_b32", AQ_CHECK_TAGS_UPPER, NULL},
    {"s_lshl_b32", AQ_CHECK_TAGS_UPPER, NULL},
};

/* Copies of both words of a pair, if it is that. */
static bool is_copy(const aq_isa_inst *inst)
{
  const aq_isa_operand *a = aq_isa_operand_find(inst, 'A'),
                       *b = aq_isa_operand_find(inst, 'B');
  return a && b && a->file == b->file && a->code == b->code &&
         inst->op_sel == 2;
}

static uint8_t kind_of(const aq_isa_inst *inst, const char **sums)
{
  const char *name = inst->row->name;
  if (inst->second || (inst->form != AQ_ISA_E32 && inst->form != AQ_ISA_E64))
    return AQ_CHECK_TAGS_CLEAR;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (begins(name, ways[i].name)) {
      *sums = ways[i].sums;
      return strcmp(name, "v_pk_mov_b32") == 0 && !is_copy(inst)
                 ? AQ_CHECK_TAGS_CLEAR
                 : ways[i].kind;
    }
  return AQ_CHECK_TAGS_CLEAR;
}

/* Of a store the data is a source. */
static bool is_result(const aq_check_site *site, const aq_check_registers *r)
{
  return r->dest && site->kind != AQ_WAVE_ACCESS_WRITE;
}

void aq_check_stack_site(const aq_check *check, aq_check_site *site)
{
  bool writes = site->writes[0] | site->writes[1];
  if (!check->stack || check->stack->object_count == 0)
    return;
  for (unsigned i = 0; i < site->name_count; i++)
    writes |= is_result(site, &site->names[i]);
  site->frame = aq_check_frame_at(check, site->pc);
  const uint8_t encoding = site->inst.row->encoding;
  if (site->by_m0 || (begins(site->inst.row->name, "v_") &&
                      strstr(site->inst.row->name, "swap")))
    site->tags = AQ_CHECK_TAGS_UNKNOWN;
  else if (writes && site->kind == AQ_WAVE_ACCESS_READ &&
           (encoding == AQ_ISA_FLAT || encoding == AQ_ISA_SCRATCH ||
            encoding == AQ_ISA_MUBUF))
    site->tags = AQ_CHECK_TAGS_LOAD;
  else if (writes)
    site->tags = kind_of(&site->inst, &site->sums);
}

/* ---- registers ---- */

aq_check_tags *aq_check_tags_of(const aq_wave *w)
{
  aq_check_group *group = aq_check_group_of(w);
  aq_check *check = aq_check_grid_of(w)->check;
  if (!check->stack || check->stack->object_count == 0 || w->scratch_size == 0)
    return NULL;
  if (!group->tags)
    group->tags = calloc(w->grid->waves, sizeof *group->tags);
  if (group->tags && !group->tags[w->number])
    group->tags[w->number] = calloc(1, sizeof **group->tags);
  aq_check_tags *tags = group->tags ? group->tags[w->number] : NULL;
  check->lost |= !tags;
  return tags;
}

static void tags_clear(aq_check_tags *t)
{
  memset(t->scalars, 0, sizeof t->scalars);
  for (unsigned row = 0; row < 2 * AQ_WAVE_ACC; row++)
    if (t->any[row / 64] >> row % 64 & 1)
      memset(t->rows[row], 0, sizeof t->rows[row]);
  memset(t->any, 0, sizeof t->any);
}

void aq_check_stack_group_clear(aq_check_group *group, const aq_wave_grid *grid)
{
  for (uint32_t i = 0; group->tags && i < grid->waves; i++)
    if (group->tags[i]) {
      tags_clear(group->tags[i]);
      free(group->tags[i]->words);
      group->tags[i]->words = NULL;
    }
}

void aq_check_stack_group_fini(aq_check_group *group, const aq_wave_grid *grid)
{
  for (uint32_t i = 0; group->tags && i < grid->waves; i++) {
    if (group->tags[i])
      free(group->tags[i]->words);
    free(group->tags[i]);
  }
  free(group->tags);
  group->tags = NULL;
}

static void row_put(aq_check_tags *t, unsigned row, const aq_check_tag *tags,
                    uint64_t lanes)
{
  bool any = false;
  if (row >= 2 * AQ_WAVE_ACC)
    return;
  const uint64_t bit = (uint64_t)1 << row % 64;
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    t->rows[row][l] = tags[l];
    any |= tags[l] != 0;
  }
  if (any)
    t->any[row / 64] |= bit;
}

static void row_drop(aq_check_tags *t, unsigned row, uint64_t lanes)
{
  static const aq_check_tag none[AQ_WAVE_LANES];
  if (row < 2 * AQ_WAVE_ACC && t->any[row / 64] >> row % 64 & 1)
    row_put(t, row, none, lanes);
}

/* ---- sources ---- */

typedef struct source {
  bool constant;
  uint32_t value; /* of a constant */
  bool scalar;
  unsigned at; /* code or row */
  bool frame;  /* the register of the frame's base */
} source;

static uint32_t constant_value(const aq_isa_inst *inst, const aq_isa_operand *o)
{
  return o->code == AQ_ISA_LITERAL      ? inst->literal
         : o->code <= AQ_ISA_INT_0 + 64 ? (uint32_t)o->code - AQ_ISA_INT_0
                                        : UINT32_MAX;
}

/* Word k of an operand; false: the instruction has none of that role. */
static bool source_find(const aq_wave *w, const aq_check_site *site, char role,
                        unsigned k, source *out)
{
  const aq_isa_inst *inst = &site->inst;
  const aq_isa_operand *o = aq_isa_operand_find(inst, role);
  *out = (source){.constant = true};
  if (!o && role == 'A' && begins(inst->row->name, "s_movk")) {
    out->value = (uint32_t)(int32_t)(int16_t)inst->imm;
    return true;
  }
  if (!o)
    return false;
  const bool register_ =
      (o->file == 's' && o->code < 128) || o->file == 'v' || o->file == 'a';
  if (!register_) {
    out->value = k > 0 ? 0 : constant_value(inst, o);
    return true;
  }
  out->constant = false;
  out->scalar = o->file == 's';
  out->at = o->code + k + (o->file == 'a' ? AQ_WAVE_ACC : 0);
  const aq_check_frame *frame =
      site->frame ? &aq_check_grid_of(w)->check->stack->frames[site->frame - 1]
                  : NULL;
  out->frame = frame && out->scalar && out->at == frame->base_register &&
               !aq_check_frame_is_kernel(w, frame);
  return true;
}

static bool is_upper(const aq_check_site *site, char role)
{
  const aq_isa_operand *o = aq_isa_operand_find(&site->inst, role);
  return o && o->file == 's' && o->code == AQ_ISA_SHARED_BASE + 2;
}

static aq_check_tag tag_get(const aq_check_tags *t, const source *s, int l)
{
  if (s->constant)
    return AQ_CHECK_TAG_CONSTANT;
  if (s->scalar)
    return s->at < 128 ? t->scalars[s->at] : AQ_CHECK_TAG_NONE;
  return s->at < 2 * AQ_WAVE_ACC ? t->rows[s->at][l] : AQ_CHECK_TAG_NONE;
}

/* A kernel's frame begins at 0: a constant may be an object's address. */
static aq_check_tag constant_tag(const aq_wave *w, const aq_check_site *site,
                                 uint32_t value)
{
  aq_check *check = aq_check_grid_of(w)->check;
  const struct aq_check_stack *stack = check->stack;
  if (!site->frame)
    return AQ_CHECK_TAG_CONSTANT;
  const aq_check_frame *frame = &stack->frames[site->frame - 1];
  const uint32_t object = aq_check_object_at(stack, frame, value);
  return aq_check_frame_is_kernel(w, frame) && object != AQ_CHECK_NO_OBJECT
             ? aq_check_place_tag(check, frame, 0, value,
                                  stack->objects[object].offset == value
                                      ? AQ_CHECK_PLACE_OBJECT
                                      : AQ_CHECK_PLACE_INSIDE)
             : AQ_CHECK_TAG_CONSTANT;
}

/* ---- results ---- */

/* Sums of constants, and of them and the address of a place: their values say
 * which object it is. */
#define RESOLVES     (UINT32_C(1) << 31)
#define CONSTANT_SUM (UINT32_C(1) << 30)

/* The sources of a sum. */
typedef struct sum {
  aq_check_tag place, inside; /* 0: none */
  bool mixed, upper, dynamic, constants;
  uint32_t constant; /* of the operands, the last one */
  bool has_constant;
} sum;

static void sum_add(const aq_wave *w, const aq_check_site *site, sum *s,
                    aq_check_tag tag, const source *from)
{
  const struct aq_check_stack *stack = aq_check_grid_of(w)->check->stack;
  if (from->constant) {
    /* Of two, an object's place is the address. */
    const aq_check_tag made = constant_tag(w, site, from->value);
    if (!s->has_constant ||
        (aq_check_tag_is_place(made) && !aq_check_tag_is_inside(stack, made)))
      s->constant = from->value;
    s->has_constant = true;
  } else if (aq_check_tag_is_inside(stack, tag)) {
    s->inside = s->inside ? AQ_CHECK_TAG_MIXED : tag;
  } else if (aq_check_tag_is_place(tag)) {
    s->mixed |= s->place != 0;
    s->place = tag;
  } else if (tag == AQ_CHECK_TAG_UPPER) {
    s->mixed |= s->upper;
    s->upper = true;
  } else if (tag == AQ_CHECK_TAG_CONSTANT) {
    s->constants = true;
  } else {
    s->mixed |= tag == AQ_CHECK_TAG_MIXED;
    s->dynamic |= tag == AQ_CHECK_TAG_NONE;
  }
}

static aq_check_tag sum_tag(const aq_wave *w, const aq_check_site *site,
                            const sum *s)
{
  if (s->mixed || (s->place && s->upper) ||
      (!s->place && s->inside == AQ_CHECK_TAG_MIXED))
    return AQ_CHECK_TAG_MIXED;
  if (s->upper)
    return AQ_CHECK_TAG_UPPER;
  if (!s->place && s->inside)
    return s->dynamic || !aq_check_tag_is_pure(s->inside) ? s->inside & ~1u
                                                          : CONSTANT_SUM;
  const struct aq_check_stack *stack = aq_check_grid_of(w)->check->stack;
  if (s->place && aq_check_tag_is_pure(s->place) && !s->dynamic)
    return s->constants && !s->has_constant &&
                   aq_check_place_of(stack, s->place)->kind ==
                       AQ_CHECK_PLACE_BASE
               ? s->place & ~1u
               : s->place | RESOLVES;
  if (s->place)
    return aq_check_tag_add(aq_check_grid_of(w)->check, s->place,
                            s->has_constant ? s->constant : 0);
  if (!s->dynamic)
    return CONSTANT_SUM;
  const aq_check_tag made =
      s->has_constant ? constant_tag(w, site, s->constant) : 0;
  return aq_check_tag_is_place(made) ? made & ~1u : AQ_CHECK_TAG_NONE;
}

/* Whether all operands of a sum are in `sums`, so that no other is added. */
static bool sums_all(const aq_check_site *site)
{
  return strcmp(site->sums, "AB") == 0 || strcmp(site->sums, "ABC") == 0 ||
         strcmp(site->sums, "D") == 0;
}

static aq_check_tag sum_of(const aq_wave *w, const aq_check_tags *t,
                           const aq_check_site *site, unsigned k, int l)
{
  sum s = {.dynamic = !sums_all(site)};
  for (const char *role = site->sums; *role; role++) {
    source from;
    if (!source_find(w, site, *role, k, &from))
      continue;
    aq_check_tag tag = tag_get(t, &from, l);
    if (from.frame && !aq_check_stack_scales(&site->inst))
      tag = aq_check_frame_tag(w, site, w->s[from.at]);
    sum_add(w, site, &s, tag, &from);
  }
  return sum_tag(w, site, &s);
}

static aq_check_tag move_of(const aq_wave *w, const aq_check_tags *t,
                            const aq_check_site *site, char role, unsigned k,
                            int l)
{
  source from;
  if (is_upper(site, role))
    return AQ_CHECK_TAG_UPPER;
  if (!source_find(w, site, role, k, &from))
    return AQ_CHECK_TAG_NONE;
  if (from.constant)
    return constant_tag(w, site, from.value);
  return from.frame && !aq_check_stack_scales(&site->inst)
             ? aq_check_frame_tag(w, site, w->s[from.at])
             : tag_get(t, &from, l);
}

static aq_check_tag select_of(const aq_wave *w, const aq_check_tags *t,
                              const aq_check_site *site, unsigned k, int l)
{
  bool second = w->scc == 0; /* s_cselect takes A if SCC is 1 */
  if (site->inst.row->name[0] == 'v') {
    source mask;
    if (!source_find(w, site, 'C', 0, &mask) || mask.constant || !mask.scalar ||
        mask.at >= 127)
      return AQ_CHECK_TAG_MIXED;
    const uint64_t bits =
        w->s[mask.at] |
        (w->grid->lanes == 64 ? (uint64_t)w->s[mask.at + 1] << 32 : 0);
    second = bits >> l & 1;
  }
  return move_of(w, t, site, second ? 'B' : 'A', k, l);
}

/* The frame's base in bytes of a wave becomes one in bytes of a lane; a
 * kernel's is the constant 0. */
static aq_check_tag shift_of(const aq_wave *w, const aq_check_tags *t,
                             const aq_check_site *site)
{
  const bool scalar = site->inst.row->name[0] == 's';
  source from, by;
  if (!source_find(w, site, scalar ? 'A' : 'B', 0, &from) || from.constant ||
      !from.scalar || from.at >= 128 ||
      !source_find(w, site, scalar ? 'B' : 'A', 0, &by) || !by.constant ||
      (1u << (by.value & 31)) != w->grid->lanes)
    return AQ_CHECK_TAG_NONE;
  return from.frame
             ? aq_check_frame_tag(w, site, w->s[from.at] / w->grid->lanes)
         : w->s[from.at] == 0 &&
                 (t->scalars[from.at] == AQ_CHECK_TAG_CONSTANT ||
                  aq_check_tag_is_pure(t->scalars[from.at]))
             ? CONSTANT_SUM
             : AQ_CHECK_TAG_NONE;
}

static aq_check_tag read_of(const aq_wave *w, const aq_check_tags *t,
                            const aq_check_site *site)
{
  source from, which;
  const uint64_t exec = AQ_WAVE_EXEC(w);
  int l = exec ? __builtin_ctzll(exec) : 0;
  if (source_find(w, site, 'B', 0, &which))
    l = (int)((which.constant ? which.value : w->s[which.at]) % AQ_WAVE_LANES);
  return source_find(w, site, 'A', 0, &from) ? tag_get(t, &from, l)
                                             : AQ_CHECK_TAG_NONE;
}

static aq_check_tag upper_of(const aq_wave *w, const aq_check_tags *t,
                             const aq_check_site *site)
{
  enum { SH_MEM_BASES = 15 };
  source from;
  if (begins(site->inst.row->name, "s_getreg"))
    return (site->inst.imm & 63) == SH_MEM_BASES ? AQ_CHECK_TAG_UPPER
                                                 : AQ_CHECK_TAG_NONE;
  return source_find(w, site, 'A', 0, &from) &&
                 tag_get(t, &from, 0) == AQ_CHECK_TAG_UPPER
             ? AQ_CHECK_TAG_UPPER
             : AQ_CHECK_TAG_NONE;
}

static bool is_choice(const aq_isa_row *half)
{
  return begins(half->name, "v_dual_mov") ||
         begins(half->name, "v_dual_cndmask");
}

/* Whether one of the two in a VOPD may move or select a constant address. One
 * inside of an object is a number if the other half computes. */
static bool has_place(const aq_wave *w, const aq_check_site *site)
{
  const aq_isa_inst *inst = &site->inst;
  const struct aq_check_stack *stack = aq_check_grid_of(w)->check->stack;
  if (!inst->second)
    return false;
  const bool moves = is_choice(inst->row) && is_choice(inst->second);
  for (unsigned i = 0; i < inst->operand_count; i++) {
    const aq_isa_operand *o = &inst->operands[i];
    if (o->file != 's' || o->code < 128)
      continue;
    const aq_check_tag tag = constant_tag(w, site, constant_value(inst, o));
    if (aq_check_tag_is_place(tag) &&
        (moves || !aq_check_tag_is_inside(stack, tag)))
      return true;
  }
  return false;
}

/* Another instruction may make an address of one; a product, a shifted value
 * and a loaded one are none. */
static aq_check_tag other_of(const aq_wave *w, const aq_check_tags *t,
                             const aq_check_site *site, int l)
{
  static const char *const numbers[] = {"v_lshl", "s_lshl", "v_mul",  "s_mul",
                                        "v_cvt",  "v_ashr", "s_ashr", "v_lshr",
                                        "s_lshr", "v_cmp",  "s_cmp",  "s_bfe",
                                        "v_bfe",  "s_bfm",  "v_rcp"};
  const struct aq_check_stack *stack = aq_check_grid_of(w)->check->stack;
  if (site->kind != AQ_WAVE_ACCESS_NONE)
    return AQ_CHECK_TAG_NONE;
  if (has_place(w, site))
    return AQ_CHECK_TAG_MIXED;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !site->inst.second;
       i++)
    if (begins(site->inst.row->name, numbers[i]))
      return AQ_CHECK_TAG_NONE;
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    for (unsigned k = 0; !r->dest && k < r->count; k++) {
      const source from = {.scalar = r->scalar, .at = r->first + k};
      const aq_check_tag tag = tag_get(t, &from, l);
      if (tag == AQ_CHECK_TAG_MIXED ||
          (aq_check_tag_is_place(tag) && !aq_check_tag_is_inside(stack, tag)))
        return AQ_CHECK_TAG_MIXED;
    }
  }
  return AQ_CHECK_TAG_NONE;
}

static aq_check_tag result_of(const aq_wave *w, const aq_check_tags *t,
                              const aq_check_site *site, unsigned k, int l)
{
  switch (site->tags) {
  case AQ_CHECK_TAGS_MOVE:
    return move_of(w, t, site, 'A', k, l);
  case AQ_CHECK_TAGS_SUM:
    return sum_of(w, t, site, k, l);
  case AQ_CHECK_TAGS_SELECT:
    return select_of(w, t, site, k, l);
  case AQ_CHECK_TAGS_SHIFT:
    return shift_of(w, t, site);
  case AQ_CHECK_TAGS_READ:
  case AQ_CHECK_TAGS_WRITE:
    return read_of(w, t, site);
  case AQ_CHECK_TAGS_UPPER:
    return upper_of(w, t, site);
  case AQ_CHECK_TAGS_CLEAR:
    return other_of(w, t, site, l);
  default:
    return AQ_CHECK_TAG_NONE;
  }
}

/* Whether a vector instruction may have an address in any source. */
static bool is_of_interest(const aq_check_tags *t, const aq_check_site *site)
{
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    for (unsigned k = 0; k < r->count; k++)
      if (!r->dest &&
          (r->scalar
               ? r->first + k < 128
               : r->first + k < 2 * AQ_WAVE_ACC &&
                     t->any[(r->first + k) / 64] >> (r->first + k) % 64 & 1))
        return true;
  }
  for (unsigned i = 0; i < site->inst.operand_count; i++)
    if (site->inst.operands[i].file == 's' &&
        site->inst.operands[i].code >= 128)
      return true;
  return false;
}

static const aq_check_registers *result_find(const aq_check_site *site)
{
  for (unsigned i = 0; i < site->name_count; i++)
    if (is_result(site, &site->names[i]) && site->names[i].role == 'D')
      return &site->names[i];
  return NULL;
}

void aq_check_stack_before(aq_wave *w, const aq_check_site *site)
{
  aq_check_tags *t = aq_check_tags_of(w);
  const aq_check_registers *d = result_find(site);
  if (!t || !d || d->count > AQ_CHECK_PENDING)
    return;
  if (!d->scalar && !is_of_interest(t, site)) {
    memset(t->pending, 0, sizeof t->pending);
    return;
  }
  for (unsigned k = 0; k < d->count; k++)
    if (d->scalar || site->tags == AQ_CHECK_TAGS_WRITE)
      t->pending[k][0] = result_of(w, t, site, k, 0);
    else
      for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1) {
        const int l = __builtin_ctzll(rest);
        t->pending[k][l] = result_of(w, t, site, k, l);
      }
}

/* The constant that a sum added, perhaps of a register that is as it was;
 * INT32_MAX: not known. */
static int32_t constant_of(const aq_wave *w, const aq_check_tags *t,
                           const aq_check_site *site)
{
  const aq_check_registers *d = result_find(site);
  const uint64_t exec = AQ_WAVE_EXEC(w);
  const int l = exec ? __builtin_ctzll(exec) : 0;
  source from;
  if (begins(site->inst.row->name, "s_addk"))
    return (int16_t)site->inst.imm;
  for (const char *role = site->sums; role && *role; role++) {
    if (!source_find(w, site, *role, 0, &from) ||
        tag_get(t, &from, l) != AQ_CHECK_TAG_CONSTANT)
      continue;
    if (from.constant)
      return (int32_t)from.value;
    if (from.scalar != d->scalar || from.at != d->first)
      return (int32_t)(from.scalar ? w->s[from.at] : w->v[from.at][l]);
  }
  return INT32_MAX;
}

static aq_check_tag resolved(const aq_wave *w, const aq_check_tags *t,
                             const aq_check_site *site, aq_check_tag tag,
                             uint32_t value)
{
  return tag & RESOLVES
             ? aq_check_tag_resolve(aq_check_grid_of(w)->check, tag & ~RESOLVES,
                                    value, constant_of(w, t, site))
         : tag & CONSTANT_SUM ? constant_tag(w, site, value)
                              : tag;
}

static void scalar_put(const aq_wave *w, aq_check_tags *t,
                       const aq_check_site *site, unsigned code,
                       aq_check_tag tag)
{
  if (code < 128)
    t->scalars[code] = resolved(w, t, site, tag, w->s[code]);
}

/* Scalars that it writes besides its result have no address. */
static void scalars_drop(aq_check_tags *t, const aq_check_site *site)
{
  for (int i = 0; i < 2; i++)
    for (uint64_t rest = site->writes[i]; rest; rest &= rest - 1)
      t->scalars[64 * i + __builtin_ctzll(rest)] = AQ_CHECK_TAG_NONE;
}

void aq_check_stack_after(aq_wave *w, const aq_check_site *site)
{
  aq_check_tags *t = aq_check_tags_of(w);
  const aq_check_registers *d = result_find(site);
  if (!t)
    return;
  if (site->tags == AQ_CHECK_TAGS_UNKNOWN || (site->moves && w->index_on)) {
    tags_clear(t);
    return;
  }
  scalars_drop(t, site);
  if (!d)
    return;
  for (unsigned i = 0; i < site->name_count; i++)
    for (unsigned k = 0; site->names[i].role == 'D' && !site->names[i].scalar &&
                         &site->names[i] != d && k < site->names[i].count;
         k++)
      row_put(t, site->names[i].first + k, t->pending[0], AQ_WAVE_EXEC(w));
  const bool clears =
      d->count > AQ_CHECK_PENDING ||
      (site->tags == AQ_CHECK_TAGS_CLEAR && site->kind != AQ_WAVE_ACCESS_NONE);
  const uint64_t exec = AQ_WAVE_EXEC(w);
  for (unsigned k = 0; k < d->count; k++) {
    const unsigned at = d->first + k;
    if (d->scalar)
      scalar_put(w, t, site, at, clears ? AQ_CHECK_TAG_NONE : t->pending[k][0]);
    else if (clears)
      row_drop(t, at, UINT64_MAX);
    else if (at < 2 * AQ_WAVE_ACC && site->tags == AQ_CHECK_TAGS_WRITE) {
      source which;
      const bool has = source_find(w, site, 'B', 0, &which);
      const unsigned l =
          has ? (which.constant ? which.value : w->s[which.at]) % AQ_WAVE_LANES
              : 0;
      aq_check_tag tags[AQ_WAVE_LANES] = {0};
      tags[l] = t->pending[k][0];
      row_put(t, at, tags, (uint64_t)1 << l);
    } else if (at < 2 * AQ_WAVE_ACC) {
      for (uint64_t rest = exec; rest; rest &= rest - 1) {
        const int l = __builtin_ctzll(rest);
        t->pending[k][l] = resolved(w, t, site, t->pending[k][l], w->v[at][l]);
      }
      row_put(t, at, t->pending[k], exec);
    }
  }
}
