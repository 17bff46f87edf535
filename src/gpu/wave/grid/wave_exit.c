/* SPDX-License-Identifier: MIT */
/* How a wave stops. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu/wave/core/address_translate.h"
#include "gpu/wave/core/code.h"

const aq_wave_op *aq_wave_stop(aq_wave *w, const aq_wave_op *o,
                               aq_wave_state state)
{
  w->state = (uint8_t)state;
  aq_wave_resume_at(w, aq_wave_next(o));
  return NULL;
}

void aq_wave_fault_at(aq_wave *w, uint64_t pc, const char *instruction,
                      aq_execution_fault_kind kind, uint64_t address,
                      const char *what)
{
  aq_execution_fault *fault = &w->grid->fault;
  const uint64_t entry = w->grid->entry;
  const bool before = pc < entry; /* a function that lies before the kernel */
  const uint32_t *group = w->group->id;
  *fault = (aq_execution_fault){.kind = kind, .address = address, .pc = pc};
  snprintf(fault->text, sizeof fault->text,
           "kernel %.60s%c0x%" PRIx64 " (pc 0x%" PRIx64
           "): %.80s: workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32
           " wave %" PRIu32 " %s",
           w->grid->desc.kernel, before ? '-' : '+',
           before ? entry - pc : pc - entry, pc, instruction, group[0],
           group[1], group[2], w->number, what);
  w->state = AQ_WAVE_FAULTS;
  w->pc = pc;
  w->resumed = 0;
}

const aq_wave_op *aq_wave_fault(aq_wave *w, const aq_wave_op *o,
                                aq_execution_fault_kind kind, uint64_t address,
                                const char *what)
{
  char text[AQ_ISA_TEXT_SIZE] = "";
  if (o->decoded && o->decoded->inst.row)
    aq_isa_print(&o->decoded->inst, text);
  aq_wave_fault_at(w, aq_wave_code_pc(o), text, kind, address, what);
  return NULL;
}

static bool is_aperture(uint64_t address)
{
  const uint32_t high = (uint32_t)(address >> 32);
  return high == AQ_WAVE_SHARED_HI || high == AQ_WAVE_PRIVATE_HI;
}

/* Why an address cannot be accessed, and what lies there. */
static void miss_name(const aq_wave *w, uint64_t address, bool write,
                      char *text, size_t size)
{
  aq_allocations *map = w->grid->reachable->allocations;
  char place[AQ_ALLOCATION_TEXT_SIZE] = "";
  aq_allocation found;
  const uint32_t device = w->grid->desc.device;
  const uint32_t high = (uint32_t)(address >> 32);
  if (high == AQ_WAVE_SHARED_HI)
    snprintf(text, size, "the workgroup has %" PRIu32 " bytes of LDS",
             w->grid->lds_asked);
  else if (high == AQ_WAVE_PRIVATE_HI)
    snprintf(text, size, "a work-item has %" PRIu32 " bytes of scratch",
             w->scratch_size);
  else
    aq_allocations_name(map, address, place);
  if (!*place)
    return;
  if (aq_allocations_find(map, address, device,
                          write ? AQ_ACCESS_WRITE : AQ_ACCESS_READ, &found))
    snprintf(text, size, "across its end: %s", place);
  else if (aq_allocations_cover(map, address))
    snprintf(text, size, "which device %" PRIu32 " may not %s: %s", device,
             write ? "write" : "read", place);
  else
    snprintf(text, size, "%s: %s",
             aq_allocations_are_open(map) ? "which is not mapped"
                                          : "which is not allocated",
             place);
}

/* Whether the device may read or write there, but not execute. */
static bool is_data(const aq_wave *w, uint64_t pc)
{
  aq_allocation found;
  return aq_allocations_find(w->grid->reachable->allocations, pc,
                             w->grid->desc.device, AQ_ACCESS_READ, &found) &&
         !found.executable;
}

aq_execution_fault_kind aq_wave_fetch_fault(const aq_wave *w, uint64_t pc)
{
  return is_data(w, pc) ? AQ_EXECUTION_FAULT_NO_EXECUTE
                        : AQ_EXECUTION_FAULT_MEMORY;
}

const aq_wave_op *aq_wave_fetch_miss(aq_wave *w, const aq_wave_op *o,
                                     uint64_t pc, const char *how)
{
  aq_allocations *map = w->grid->reachable->allocations;
  char place[AQ_ALLOCATION_TEXT_SIZE], what[AQ_ALLOCATION_TEXT_SIZE + 160];
  const char *why = pc % 4 != 0                          ? "is not aligned"
                    : is_data(w, pc)                     ? "is no code"
                    : aq_allocations_executable(map, pc) ? "cannot be executed"
                                                         : "is not allocated";
  aq_allocations_name(map, pc, place);
  snprintf(what, sizeof what, "%s 0x%" PRIx64 ", which %s: %s", how, pc, why,
           place);
  return aq_wave_fault(w, o, aq_wave_fetch_fault(w, pc), pc, what);
}

/* Of an access that is not allowed. */
static aq_execution_fault_kind miss_kind(const aq_wave *w, uint64_t address,
                                         bool write)
{
  aq_allocation found;
  if (is_aperture(address))
    return AQ_EXECUTION_FAULT_APERTURE;
  return write && aq_allocations_find(w->grid->reachable->allocations, address,
                                      w->grid->desc.device, AQ_ACCESS_READ,
                                      &found)
             ? AQ_EXECUTION_FAULT_READ_ONLY
             : AQ_EXECUTION_FAULT_MEMORY;
}

const aq_wave_op *aq_wave_access_fault(aq_wave *w, const aq_wave_op *o,
                                       int lane, uint64_t address, bool write)
{
  char what[AQ_ALLOCATION_TEXT_SIZE + 160], why[AQ_ALLOCATION_TEXT_SIZE + 60],
      who[20] = "";
  if (lane >= 0)
    snprintf(who, sizeof who, "lane %d ", lane);
  miss_name(w, address, write, why, sizeof why);
  snprintf(what, sizeof what, "%s%s 0x%" PRIx64 ", %s", who,
           write ? "writes" : "reads", address, why);
  return aq_wave_fault(w, o, miss_kind(w, address, write), address, what);
}

const aq_wave_op *aq_wave_misaligned(aq_wave *w, const aq_wave_op *o, int lane,
                                     uint64_t address)
{
  char what[80], who[20] = "";
  if (lane >= 0)
    snprintf(who, sizeof who, "lane %d ", lane);
  snprintf(what, sizeof what,
           "%saccesses 0x%" PRIx64 " atomically, which is not aligned", who,
           address);
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_APERTURE, address, what);
}
