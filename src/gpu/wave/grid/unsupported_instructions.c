/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/grid/unsupported_instructions.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "gpu/isa/cfg_walk.h"
#include "gpu/wave/core/address_translate.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/observe/exactness.h"

typedef struct search {
  aq_wave_grid *grid;
  aq_wave_census *census; /* or NULL */
  aq_allocation object;   /* that the kernel is of; size 0: not known */
  aq_isa_inst first;      /* of those missing, by address; row NULL: none */
  uint64_t first_pc, missing;
  /* The last s_getpc_b64: an address that the code adds to it is a function's,
   * or a variable's. */
  bool has_pc;
  uint8_t pc_register;
  uint64_t pc;
  uint64_t *functions;
  size_t function_count, function_capacity;
} search;

/* ---- the walk's questions ---- */

static size_t code_at(void *user, uint64_t address, const void **bytes)
{
  const search *s = user;
  aq_wave_grid *grid = s->grid;
  if (!aq_allocations_executable(grid->reachable->allocations, address) ||
      !aq_wave_translate(grid, address, 4, false))
    return 0;
  *bytes = (const void *)(uintptr_t)address;
  const uint64_t left = grid->range.end - address;
  return grid->range.base <= address && left < SIZE_MAX ? (size_t)left : 4;
}

static bool pointer_at(void *user, uint64_t address, uint64_t *value)
{
  const search *s = user;
  const void *from = aq_wave_translate(s->grid, address, 8, false);
  if (from)
    memcpy(value, from, sizeof *value);
  return from != NULL;
}

/* Whether an address may be a function's of the kernel's code object. */
static bool is_code(const search *s, uint64_t address)
{
  return address % 4 == 0 && address - s->object.base < s->object.size &&
         aq_allocations_executable(s->grid->reachable->allocations, address);
}

static bool function_add(search *s, uint64_t address)
{
  return !is_code(s, address) || AQ_ARRAY_PUSH(s->functions, s->function_count,
                                               s->function_capacity, address);
}

/* s_getpc_b64 and the s_add_u32 behind it take an address. */
static bool address_scan(search *s, uint64_t pc, const aq_isa_inst *inst)
{
  const aq_isa_operand *to = aq_isa_operand_find(inst, 'D'),
                       *by = aq_isa_operand_find(inst, 'B');
  if (strcmp(aq_wave_name_of(inst->row->name), "s_getpc_b64") == 0 && to) {
    s->has_pc = true;
    s->pc_register = to->code;
    s->pc = pc + inst->size;
    return true;
  }
  if (!s->has_pc ||
      strcmp(aq_wave_name_of(inst->row->name), "s_add_u32") != 0 || !to ||
      to->code != s->pc_register || !by || by->code != AQ_ISA_LITERAL)
    return true;
  s->has_pc = false;
  return function_add(s, s->pc + (uint64_t)(int64_t)(int32_t)inst->literal);
}

static bool census_add(aq_wave_census *census, const aq_isa_inst *inst)
{
  const aq_wave_class *class = aq_wave_class_of(inst->row, inst->target);
  census->instructions++;
  if (!class)
    return true;
  for (size_t i = 0; i < census->count; i++)
    if (strcmp(census->rows[i].instruction, inst->row->name) == 0) {
      census->rows[i].count++;
      return true;
    }
  return AQ_ARRAY_PUSH(census->rows, census->count, census->capacity,
                       (aq_wave_inexact){inst->row->name, class->key, 1});
}

/* Words that are no instruction fault when they are reached: the words behind a
 * trap may be padding. */
static bool visit(void *user, uint64_t pc, const aq_isa_inst *inst)
{
  search *s = user;
  if (!inst)
    return true;
  if (s->census && !census_add(s->census, inst))
    return false;
  if (!aq_wave_code_executes(s->grid->code, inst)) {
    s->missing++;
    if (!s->first.row || pc < s->first_pc) {
      s->first = *inst;
      s->first_pc = pc;
    }
  }
  return address_scan(s, pc, inst);
}

/* Functions that a call may mean; the walk finds more of them on its way. */
static bool others_walk(const search *s, aq_isa_walk *walk)
{
  bool ok = true;
  for (size_t i = 0; ok && i < s->function_count; i++)
    ok = aq_isa_walk_from(walk, s->functions[i]);
  return ok;
}

/* ---- the whole ---- */

static aq_status refuse(const search *s, aq_diag *diag)
{
  char text[AQ_ISA_TEXT_SIZE];
  const uint64_t entry = s->grid->entry;
  const bool before = s->first_pc < entry;
  aq_isa_print(&s->first, text);
  return aq_diag_set(
      diag, AQ_ERR_UNSUPPORTED,
      "kernel %.60s%c0x%" PRIx64 ": %.80s: the kernel can reach this "
      "instruction, which is not simulated (%" PRIu64 " such in all)",
      s->grid->desc.kernel, before ? '-' : '+',
      before ? entry - s->first_pc : s->first_pc - entry, text, s->missing);
}

aq_status aq_wave_missing_check(aq_wave_grid *grid, aq_wave_census *census,
                                aq_diag *diag)
{
  search s = {.grid = grid, .census = census};
  aq_isa_walk walk = {.decoder = aq_wave_code_decoder(grid->code),
                      .code = code_at,
                      .pointer = pointer_at,
                      .visit = visit,
                      .user = &s};
  if (aq_wave_code_is_checked(grid->code, grid->entry))
    return AQ_OK;
  aq_allocations_of_kind(grid->reachable->allocations, grid->entry,
                         AQ_ALLOCATION_CODE, &s.object);
  bool ok = aq_isa_walk_from(&walk, grid->entry);
  if (ok && walk.unresolved && s.object.size > 0)
    ok = others_walk(&s, &walk);
  if (census)
    census->indirect = walk.unresolved;
  aq_isa_walk_fini(&walk);
  free(s.functions);
  if (!ok)
    return aq_diag_no_memory(diag);
  if (s.missing > 0)
    return refuse(&s, diag);
  aq_wave_code_check_keep(grid->code, grid->entry);
  return AQ_OK;
}
