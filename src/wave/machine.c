/* SPDX-License-Identifier: MIT */
/* Executions: workgroups in dispatch order, their waves in turn. */
#include "config.h"

#include "wave/wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/descriptor.h"
#include "wave/execution.h"
#include "wave/memory_map.h"

enum {
  QUANTUM = 4096, /* instructions of a wave before the next one's turn */
  /* Workgroups that make progress together at most. */
  RESIDENT_MAX = 64,
};

struct aq_wave_machine {
  aq_executor executor;
  aq_wave_program programs[8]; /* by processor, as they come */
  const aq_processor *processors[8];
  size_t program_count;
  aq_wave_maps maps;
  uint64_t executions; /* begun so far */
};

/* ---- faults ---- */

static void code_fault(aq_wave *wave, aq_execution_fault_kind kind,
                       const char *text)
{
  aq_execution_fault *fault = wave->group->fault;
  wave->status = AQ_WAVE_FAULTED;
  fault->kind = kind;
  fault->address = wave->pc;
  fault->pc = wave->pc;
  snprintf(fault->text, sizeof fault->text, "%s", text);
}

/* ---- a wave ---- */

static aq_wave_page *page_enter(aq_wave_execution *e, aq_wave *wave)
{
  const uint64_t start = wave->pc & ~(uint64_t)(AQ_WAVE_PAGE_BYTES - 1);
  size_t size = AQ_WAVE_PAGE_BYTES + 8;
  if (wave->pc & 3 || !aq_wave_may(wave->group, wave->pc, 4, false)) {
    code_fault(wave, AQ_EXECUTION_FAULT_MEMORY, "no code there");
    return NULL;
  }
  if (!aq_wave_may(wave->group, start, size, false))
    size = AQ_WAVE_PAGE_BYTES;
  aq_wave_page *page =
      aq_wave_program_page(e->program, wave->pc, e->number, size);
  if (!page)
    code_fault(wave, AQ_EXECUTION_FAULT_ILLEGAL, "no memory for decoded code");
  return page;
}

static const aq_wave_op *op_decode(aq_wave_execution *e, aq_wave *wave,
                                   aq_wave_page *page)
{
  aq_diag diag = AQ_DIAG_INIT;
  const aq_wave_op *op = NULL;
  if (aq_wave_program_decode(e->program, page, wave->pc, &op, &diag))
    code_fault(wave, AQ_EXECUTION_FAULT_ILLEGAL, diag.text);
  return op;
}

/* Runs a wave until its status changes or it used up its quantum. */
static uint64_t wave_run(aq_wave_execution *e, aq_wave *wave, uint64_t quantum)
{
  uint64_t issued = 0;
  aq_wave_page *page = NULL;
  wave->status = AQ_WAVE_RUNS;
  while (wave->status == AQ_WAVE_RUNS && issued < quantum) {
    if (!page || wave->pc - page->address >= AQ_WAVE_PAGE_BYTES) {
      page = page_enter(e, wave);
      if (!page)
        break;
    }
    const aq_wave_op *op = page->ops[(wave->pc - page->address) / 4];
    if (!op) {
      op = op_decode(e, wave, page);
      if (!op)
        break;
    }
    wave->pc += op->size;
    issued += op->acts;
    op->execute(wave, op);
    wave->group->issued++;
  }
  return issued;
}

/* ---- a workgroup ---- */

static bool barrier_passes(const aq_wave_resident *r, unsigned waves)
{
  unsigned waiting = 0, ended = 0;
  for (unsigned i = 0; i < waves; i++) {
    waiting += r->waves[i].status == AQ_WAVE_AT_BARRIER;
    ended += r->waves[i].status == AQ_WAVE_ENDED;
  }
  return waiting && waiting + ended == waves;
}

/* One turn of each wave. Returns what became of the workgroup. */
static aq_execution_state group_run(aq_wave_execution *e, aq_wave_resident *r,
                                    uint64_t *issued)
{
  bool moved = false, alive = false;
  for (unsigned i = 0; i < e->waves; i++) {
    aq_wave *wave = &r->waves[i];
    if (wave->status == AQ_WAVE_ENDED || wave->status == AQ_WAVE_AT_BARRIER)
      continue;
    *issued += wave_run(e, wave, QUANTUM);
    if (wave->status == AQ_WAVE_FAULTED)
      return AQ_EXECUTION_FAULT;
    moved |= wave->status != AQ_WAVE_SLEEPS;
  }
  if (barrier_passes(r, e->waves)) {
    for (unsigned i = 0; i < e->waves; i++)
      if (r->waves[i].status == AQ_WAVE_AT_BARRIER)
        r->waves[i].status = AQ_WAVE_RUNS;
    moved = true;
  }
  for (unsigned i = 0; i < e->waves; i++)
    alive |= r->waves[i].status != AQ_WAVE_ENDED;
  return !alive  ? AQ_EXECUTION_DONE
         : moved ? AQ_EXECUTION_MORE
                 : AQ_EXECUTION_WAITS;
}

/* ---- an execution ---- */

/* Puts the next workgroup into a free place. False: none is left, or, with a
 * fault, there is no memory for it. */
static bool resident_fill(aq_wave_execution *e, aq_wave_resident *r,
                          aq_execution_fault *fault)
{
  if (e->next_group >= e->groups)
    return false;
  if (aq_wave_group_begin(e, r, e->next_group)) {
    e->next_group++;
    r->occupied = true;
    return true;
  }
  fault->kind = AQ_EXECUTION_FAULT_ILLEGAL;
  snprintf(fault->text, sizeof fault->text, "no memory for a workgroup");
  return false;
}

static aq_execution_state machine_step(void *execution, uint64_t budget,
                                       uint64_t ticks, aq_execution_step *out)
{
  aq_wave_execution *e = execution;
  *out = (aq_execution_step){0};
  while (out->instructions < budget) {
    bool occupied = false, moved = false;
    for (unsigned i = 0; i < e->resident_count; i++) {
      aq_wave_resident *r = &e->residents[i];
      if (!r->occupied && !resident_fill(e, r, &out->fault)) {
        if (out->fault.text[0])
          return AQ_EXECUTION_FAULT;
        continue;
      }
      r->group.fault = &out->fault;
      r->group.ticks = ticks;
      aq_execution_state state = AQ_EXECUTION_MORE;
      /* A workgroup that does not wait for others runs to its end. */
      for (unsigned turn = 0; turn < 16 && state == AQ_EXECUTION_MORE; turn++)
        state = group_run(e, r, &out->instructions);
      if (state == AQ_EXECUTION_FAULT)
        return state;
      if (state == AQ_EXECUTION_DONE)
        r->occupied = false;
      occupied |= r->occupied || e->next_group < e->groups;
      moved |= state != AQ_EXECUTION_WAITS;
      if (out->instructions >= budget && moved)
        return occupied || aq_wave_execution_is_alive(e) ? AQ_EXECUTION_MORE
                                                         : AQ_EXECUTION_DONE;
    }
    if (!occupied)
      return AQ_EXECUTION_DONE;
    if (!moved)
      return AQ_EXECUTION_WAITS;
  }
  return AQ_EXECUTION_MORE;
}

static aq_wave_program *machine_program(aq_wave_machine *machine,
                                        const char *gfx, aq_diag *diag)
{
  aq_target target;
  if (aq_target_parse(gfx, strlen(gfx), &target, diag))
    return NULL;
  for (size_t i = 0; i < machine->program_count; i++)
    if (machine->processors[i] == target.processor)
      return &machine->programs[i];
  if (machine->program_count ==
      sizeof machine->programs / sizeof *machine->programs) {
    aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                "%s is one processor more than a machine executes", gfx);
    return NULL;
  }
  aq_wave_program *program = &machine->programs[machine->program_count];
  if (aq_wave_program_init(program, target.processor, diag))
    return NULL;
  machine->processors[machine->program_count++] = target.processor;
  return program;
}

static aq_status machine_begin(void *user, const aq_execution_desc *desc,
                               void **out, aq_diag *diag)
{
  aq_wave_machine *machine = user;
  aq_diag own = AQ_DIAG_INIT;
  aq_diag *words = diag ? diag : &own;
  aq_wave_program *program = machine_program(machine, desc->gfx, words);
  if (!program)
    return words->status;
  const uint64_t object = desc->packet->kernel_object;
  aq_wave_maps_reset(&machine->maps);
  if (object % 8 || !aq_wave_maps_find(&machine->maps, object,
                                       sizeof(aq_kernel_descriptor), false))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "kernel %s: no kernel descriptor is at 0x%llx",
                       desc->kernel, (unsigned long long)object);
  aq_wave_execution *e = calloc(1, sizeof *e);
  if (!e)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for an execution");
  e->desc = *desc;
  e->packet = *desc->packet;
  e->program = program;
  e->maps = &machine->maps;
  e->number = ++machine->executions;
  aq_status status = aq_wave_execution_setup(e, RESIDENT_MAX, diag);
  if (status) {
    aq_wave_execution_end(e);
    return status;
  }
  *out = e;
  return AQ_OK;
}

static void machine_end(void *execution)
{
  aq_wave_execution_end(execution);
}

/* ---- life ---- */

bool aq_wave_machine_executes(const char *gfx)
{
  aq_target target;
  aq_isa_decoder decoder;
  return aq_target_parse(gfx, strlen(gfx), &target, NULL) == AQ_OK &&
         aq_isa_decoder_init(&decoder, target.processor, NULL) == AQ_OK;
}

aq_status aq_wave_machine_create(aq_wave_machine **out, aq_diag *diag)
{
  aq_wave_machine *machine = calloc(1, sizeof *machine);
  if (!machine)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for an executor");
  machine->executor = (aq_executor){.abi = AQ_EXECUTOR_ABI,
                                    .size = sizeof(aq_executor),
                                    .name = "isa",
                                    .user = machine,
                                    .begin = machine_begin,
                                    .step = machine_step,
                                    .end = machine_end};
  *out = machine;
  return AQ_OK;
}

void aq_wave_machine_destroy(aq_wave_machine *machine)
{
  if (!machine)
    return;
  for (size_t i = 0; i < machine->program_count; i++)
    aq_wave_program_fini(&machine->programs[i]);
  aq_wave_maps_fini(&machine->maps);
  free(machine);
}

const aq_executor *aq_wave_machine_executor(const aq_wave_machine *machine)
{
  return &machine->executor;
}
