/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/isa/cfg_walk.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/isa/control_flow.h"

enum { SGPRS = 102, RETURN_ADDRESS = 30 };

/* Known values of scalar registers since the stretch of code began. */
typedef struct knowledge {
  bool known[SGPRS];
  uint32_t value[SGPRS];
  bool carry_known, carry;
} knowledge;

/* ---- registers ---- */

static bool pair_get(const knowledge *k, unsigned code, uint64_t *out)
{
  if (code + 1 >= SGPRS || !k->known[code] || !k->known[code + 1])
    return false;
  *out = k->value[code] | (uint64_t)k->value[code + 1] << 32;
  return true;
}

static void word_put(knowledge *k, unsigned code, uint32_t value)
{
  if (code >= SGPRS)
    return;
  k->known[code] = true;
  k->value[code] = value;
}

static void pair_put(knowledge *k, unsigned code, uint64_t value)
{
  word_put(k, code, (uint32_t)value);
  word_put(k, code + 1, (uint32_t)(value >> 32));
}

static void forget(knowledge *k, const aq_isa_operand *to)
{
  if (!to || to->file != 's')
    return;
  for (unsigned i = 0; i < (to->bits + 31u) / 32 && to->code + i < SGPRS; i++)
    k->known[to->code + i] = false;
}

static bool word_of(const knowledge *k, const aq_isa_inst *inst,
                    const aq_isa_operand *from, uint32_t *out)
{
  const unsigned code = from ? from->code : SGPRS;
  if (!from || from->file != 's')
    return false;
  if (code == AQ_ISA_LITERAL)
    *out = inst->literal;
  else if (code >= AQ_ISA_INT_0 && code <= AQ_ISA_INT_0 + 64)
    *out = code - AQ_ISA_INT_0;
  else if (code >= AQ_ISA_INT_NEGATIVE && code < AQ_ISA_INT_NEGATIVE + 16)
    *out = 0u - (code - AQ_ISA_INT_NEGATIVE + 1);
  else if (code < SGPRS && k->known[code])
    *out = k->value[code];
  else
    return false;
  return true;
}

/* ---- instructions that make addresses ---- */

static void add_learn(knowledge *k, const aq_isa_inst *inst,
                      const aq_isa_operand *to, bool with_carry)
{
  uint32_t a, b;
  const bool known = word_of(k, inst, aq_isa_operand_find(inst, 'A'), &a) &&
                     word_of(k, inst, aq_isa_operand_find(inst, 'B'), &b) &&
                     (!with_carry || k->carry_known);
  forget(k, to);
  k->carry_known = known;
  if (!known)
    return;
  const uint64_t sum = (uint64_t)a + b + (with_carry && k->carry);
  word_put(k, to->code, (uint32_t)sum);
  k->carry = sum >> 32 != 0;
}

static void move_learn(knowledge *k, const aq_isa_inst *inst,
                       const aq_isa_operand *to)
{
  const aq_isa_operand *from = aq_isa_operand_find(inst, 'A');
  uint64_t pair;
  uint32_t word;
  if (to->bits == 64) {
    const bool known =
        from && from->file == 's' && pair_get(k, from->code, &pair);
    forget(k, to);
    if (known)
      pair_put(k, to->code, pair);
  } else {
    const bool known = word_of(k, inst, from, &word);
    forget(k, to);
    if (known)
      word_put(k, to->code, word);
  }
}

static void learn(knowledge *k, const aq_isa_inst *inst, uint64_t pc,
                  const aq_isa_walk *walk)
{
  const aq_isa_operand *to = aq_isa_operand_find(inst, 'D');
  const char *name = inst->row->name;
  if (!to)
    return;
  if (strcmp(name, "s_getpc_b64") == 0 || strcmp(name, "s_get_pc_i64") == 0) {
    pair_put(k, to->code, pc + inst->size);
  } else if (strcmp(name, "s_add_u32") == 0 ||
             strcmp(name, "s_add_co_u32") == 0) {
    add_learn(k, inst, to, false);
  } else if (strcmp(name, "s_addc_u32") == 0 ||
             strcmp(name, "s_add_co_ci_u32") == 0) {
    add_learn(k, inst, to, true);
  } else if (strcmp(name, "s_mov_b32") == 0 || strcmp(name, "s_mov_b64") == 0) {
    move_learn(k, inst, to);
  } else if (strcmp(name, "s_load_dwordx2") == 0 ||
             strcmp(name, "s_load_b64") == 0) {
    const aq_isa_operand *base = aq_isa_operand_find(inst, 'A'),
                         *scalar = aq_isa_operand_find(inst, 'S');
    uint64_t address, value;
    const bool known =
        base && walk->pointer && (!scalar || !scalar->file) &&
        pair_get(k, base->code, &address) &&
        walk->pointer(walk->user, address + (uint64_t)(int64_t)inst->offset,
                      &value);
    forget(k, to);
    if (known)
      pair_put(k, to->code, value);
  } else {
    forget(k, to);
    forget(k, aq_isa_operand_find(inst, 'E'));
    if (inst->row->encoding <= AQ_ISA_SOPC)
      k->carry_known = false;
  }
}

/* ---- the walk ---- */

typedef struct work {
  uint64_t *pcs;
  size_t count, capacity;
} work;

static bool later(work *w, const aq_isa_walk *walk, uint64_t pc)
{
  return aq_map_get(&walk->seen, pc, NULL) ||
         AQ_ARRAY_PUSH(w->pcs, w->count, w->capacity, pc);
}

/* Notes where an instruction leads beside the next one. True: the next one is
 * reached too. */
static bool leave(work *w, aq_isa_walk *walk, const knowledge *k,
                  const aq_isa_inst *inst, uint64_t pc, bool *memory)
{
  const aq_isa_flow flow = aq_isa_flow_of(inst);
  const aq_isa_operand *from = aq_isa_operand_find(inst, 'A');
  uint64_t target;
  switch (flow) {
  case AQ_ISA_FLOW_NEXT:
    return true;
  case AQ_ISA_FLOW_BRANCH:
  case AQ_ISA_FLOW_JUMP:
  case AQ_ISA_FLOW_CALL:
    *memory = later(w, walk, aq_isa_branch_target(inst, pc));
    return flow != AQ_ISA_FLOW_JUMP;
  case AQ_ISA_FLOW_INDIRECT_JUMP:
  case AQ_ISA_FLOW_INDIRECT_CALL:
    if (from && from->file == 's' && pair_get(k, from->code, &target))
      *memory = later(w, walk, target);
    else if (flow == AQ_ISA_FLOW_INDIRECT_CALL ||
             (from && from->code != RETURN_ADDRESS))
      walk->unresolved = true;
    return flow == AQ_ISA_FLOW_INDIRECT_CALL;
  case AQ_ISA_FLOW_END:
    break;
  }
  return false;
}

/* Instructions one after the other, until one has been seen. */
static bool stretch_walk(work *w, aq_isa_walk *walk, uint64_t pc)
{
  knowledge k = {.carry = false};
  bool memory = true, goes_on = true;
  while (memory && goes_on && !aq_map_get(&walk->seen, pc, NULL)) {
    const void *bytes;
    aq_isa_inst inst;
    const size_t size = walk->code(walk->user, pc, &bytes);
    const bool is_code = size > 0 && aq_isa_decode(walk->decoder, bytes, size,
                                                   pc, &inst, NULL) == AQ_OK;
    if (!aq_map_put(&walk->seen, pc, 1) ||
        !walk->visit(walk->user, pc, is_code ? &inst : NULL))
      return false;
    if (!is_code)
      break;
    goes_on = leave(w, walk, &k, &inst, pc, &memory);
    if (aq_isa_flow_of(&inst) == AQ_ISA_FLOW_NEXT)
      learn(&k, &inst, pc, walk);
    else if (aq_isa_flow_of(&inst) != AQ_ISA_FLOW_BRANCH)
      k = (knowledge){.carry = false}; /* a function was called */
    pc += inst.size;
  }
  return memory;
}

bool aq_isa_walk_from(aq_isa_walk *walk, uint64_t entry)
{
  work w = {NULL, 0, 0};
  bool ok = later(&w, walk, entry);
  while (ok && w.count > 0)
    ok = stretch_walk(&w, walk, w.pcs[--w.count]);
  free(w.pcs);
  return ok;
}

void aq_isa_walk_fini(aq_isa_walk *walk)
{
  aq_map_fini(&walk->seen);
}
