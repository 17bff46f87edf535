/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/inspect/reachability.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/isa/cfg_walk.h"
#include "gpu/wave/core/wave.h"

enum { NOT_ASKED, EXECUTES, MISSING };

struct aq_reach_memo {
  uint8_t *rows; /* of the table of instructions */
};

typedef struct reach_walk {
  const aq_disassembly *d;
  aq_reach_memo *memo;
  aq_reach *out;
} reach_walk;

aq_reach_memo *aq_reach_memo_create(void)
{
  aq_reach_memo *memo = calloc(1, sizeof *memo);
  if (memo && !(memo->rows = calloc(aq_isa_row_count(), 1))) {
    free(memo);
    return NULL;
  }
  return memo;
}

void aq_reach_memo_destroy(aq_reach_memo *memo)
{
  if (memo)
    free(memo->rows);
  free(memo);
}

static bool executes(const aq_reach_memo *memo, const aq_isa_inst *inst)
{
  uint8_t *row = &memo->rows[inst->row - aq_isa_row_at(0)];
  if (*row == NOT_ASKED)
    *row = aq_wave_row_executes(inst->row, inst->target) ? EXECUTES : MISSING;
  return *row == EXECUTES && aq_wave_instruction_executes(inst);
}

/* ---- the walk's questions ---- */

static size_t reach_code(void *user, uint64_t address, const void **bytes)
{
  const reach_walk *w = user;
  const aq_code_function *of = aq_code_function_at(&w->d->functions, address);
  if (!of)
    return 0;
  w->out->functions[of - w->d->functions.list] = 1;
  *bytes = of->bytes + (address - of->address);
  return of->size - (address - of->address);
}

/* A pointer in the file's own data, such as its table of addresses. */
static bool reach_pointer(void *user, uint64_t address, uint64_t *value)
{
  const aq_codeobj *code = ((const reach_walk *)user)->d->code;
  const aq_code_relocation *found = NULL;
  for (size_t i = 0; !found && i < code->relocation_count; i++)
    if (code->relocations[i].address == address)
      found = &code->relocations[i];
  if (!found || found->is_absolute || found->undefined ||
      (found->type != AQ_RELOC_ABS64 && found->type != AQ_RELOC_RELATIVE64))
    return false;
  *value = found->value + (uint64_t)found->addend;
  return true;
}

static bool missing_add(aq_reach *out, const char *name, uint64_t pc)
{
  for (size_t i = 0; i < out->missing_count; i++) {
    aq_reach_missing *missing = &out->missing[i];
    if (strcmp(missing->name, name) == 0) {
      missing->count++;
      missing->first_pc = pc < missing->first_pc ? pc : missing->first_pc;
      return true;
    }
  }
  return AQ_ARRAY_PUSH(out->missing, out->missing_count, out->missing_capacity,
                       (aq_reach_missing){name, pc, 1});
}

static bool reach_visit(void *user, uint64_t pc, const aq_isa_inst *inst)
{
  const reach_walk *w = user;
  w->out->instructions++;
  if (!inst)
    return missing_add(w->out, "no instruction", pc);
  return executes(w->memo, inst) || missing_add(w->out, inst->row->name, pc);
}

/* ---- the whole ---- */

/* Functions that a pointer may mean: all that are no kernel's code. */
static bool others_walk(aq_isa_walk *walk, const aq_code_functions *functions)
{
  for (size_t i = 0; i < functions->count; i++)
    if (!functions->list[i].kernel &&
        !aq_isa_walk_from(walk, functions->list[i].address))
      return false;
  return true;
}

aq_status aq_reach_find(const aq_disassembly *disassembly,
                        const aq_code_kernel *kernel, aq_reach_memo *memo,
                        aq_reach *out, aq_diag *diag)
{
  aq_reach made = {.instructions = 0};
  reach_walk user = {.d = disassembly, .memo = memo, .out = &made};
  /* RDNA: its descriptor says how many lanes a wave of the kernel has. */
  aq_isa_decoder decoder = disassembly->decoder;
  decoder.wave32 &= (kernel->descriptor.properties & AQ_KERNEL_WAVE32) != 0;
  aq_isa_walk walk = {.decoder = &decoder,
                      .code = reach_code,
                      .pointer = reach_pointer,
                      .visit = reach_visit,
                      .user = &user};
  if (!kernel->has_descriptor)
    return aq_diag_set(diag, AQ_ERR_INPUT, "kernel %s: the file has no code",
                       kernel->name);
  made.functions = calloc(disassembly->functions.count + 1, 1);
  bool ok =
      made.functions &&
      aq_isa_walk_from(&walk, kernel->address +
                                  (uint64_t)kernel->descriptor.entry_offset);
  made.indirect = walk.unresolved;
  if (ok && walk.unresolved)
    ok = others_walk(&walk, &disassembly->functions);
  aq_isa_walk_fini(&walk);
  if (!ok) {
    aq_reach_fini(&made);
    return aq_diag_no_memory(diag);
  }
  *out = made;
  return AQ_OK;
}

void aq_reach_fini(aq_reach *reach)
{
  free(reach->missing);
  free(reach->functions);
  *reach = (aq_reach){.instructions = 0};
}
