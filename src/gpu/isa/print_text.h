/* SPDX-License-Identifier: MIT */
/* The text of an instruction while it is made: print.c has the name and the
 * operands, print_modifiers.c the rest. Within isa only. One thread. */
#ifndef AQ_GPU_ISA_PRINT_TEXT_H
#define AQ_GPU_ISA_PRINT_TEXT_H

#include "gpu/isa/isa.h"

typedef struct aq_isa_text {
  char *text; /* of AQ_ISA_TEXT_SIZE */
  size_t used;
} aq_isa_text;

/* Appends; a text that is full keeps its beginning. */
void aq_isa_put(aq_isa_text *out, const char *format, ...) AQ_PRINTF(2, 3);

void aq_isa_put_modifiers(aq_isa_text *out, const aq_isa_inst *inst);

#endif
