/* SPDX-License-Identifier: MIT */
/* What stopped a wave. */
#include "config.h"

#include <stdio.h>

#include "wave/state.h"

void aq_wave_fault(aq_wave *wave, const aq_wave_op *op,
                   aq_execution_fault_kind kind, uint64_t address,
                   const char *what)
{
  char text[AQ_ISA_TEXT_SIZE];
  aq_execution_fault *fault = wave->group->fault;
  aq_isa_print(op->inst, text);
  wave->status = AQ_WAVE_FAULTED;
  fault->kind = kind;
  fault->address = address;
  fault->pc = wave->pc - op->size;
  if (kind == AQ_EXECUTION_FAULT_MEMORY)
    snprintf(fault->text, sizeof fault->text, "%s of 0x%llx by '%.60s'", what,
             (unsigned long long)address, text);
  else
    snprintf(fault->text, sizeof fault->text, "%s by '%.60s'", what, text);
}
