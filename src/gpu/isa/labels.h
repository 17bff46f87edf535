/* SPDX-License-Identifier: MIT */
/*
 * Labels of a stretch of code, L0, L1 and so on: the targets of its branches
 * by address, as `llvm-objdump --symbolize-operands` names them.
 *
 * First every instruction is added, then the labels are sorted, then asked.
 * One thread at a time.
 */
#ifndef AQ_GPU_ISA_LABELS_H
#define AQ_GPU_ISA_LABELS_H

#include "gpu/isa/isa.h"

typedef struct aq_isa_labels {
  uint64_t base, end; /* the stretch; branches elsewhere have no label */
  uint64_t *targets;
  size_t count, capacity;
} aq_isa_labels;

/* Notes the target of an instruction at `pc`; false: out of memory. */
bool aq_isa_labels_add(aq_isa_labels *labels, const aq_isa_inst *inst,
                       uint64_t pc);
void aq_isa_labels_sort(aq_isa_labels *labels);
void aq_isa_labels_fini(aq_isa_labels *labels);

/* The number of the label at an address, or -1. */
int64_t aq_isa_label_at(const aq_isa_labels *labels, uint64_t pc);

/* Prints an instruction with the label, or "name" (NULL: none is known), in the
 * place of the target's distance. */
void aq_isa_labels_print(const aq_isa_labels *labels, const aq_isa_inst *inst,
                         uint64_t pc, const char *name,
                         char text[AQ_ISA_TEXT_SIZE]);

#endif
