/* SPDX-License-Identifier: MIT */
/* How a wave stops. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "wave/code.h"

const aq_wave_op *aq_wave_stop(aq_wave *w, const aq_wave_op *o,
                               aq_wave_state state)
{
  w->state = (uint8_t)state;
  w->pc = aq_wave_code_pc(o) + 4 * (uint64_t)o->words;
  return NULL;
}

const aq_wave_op *aq_wave_fault(aq_wave *w, const aq_wave_op *o,
                                aq_execution_fault_kind kind, uint64_t address,
                                const char *what)
{
  aq_execution_fault *fault = &w->grid->fault;
  char text[AQ_ISA_TEXT_SIZE] = "";
  const uint64_t pc = aq_wave_code_pc(o), entry = w->grid->entry;
  const bool before = pc < entry; /* a function that lies before the kernel */
  if (o->more && o->more->inst.row)
    aq_isa_print(&o->more->inst, text);
  *fault = (aq_execution_fault){.kind = kind, .address = address, .pc = pc};
  snprintf(fault->text, sizeof fault->text,
           "kernel %.40s%c0x%" PRIx64 ": %.60s: %s", w->grid->desc.kernel,
           before ? '-' : '+', before ? entry - pc : pc - entry, text, what);
  w->state = AQ_WAVE_FAULTS;
  w->pc = pc;
  return NULL;
}
