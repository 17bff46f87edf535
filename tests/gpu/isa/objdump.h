/* SPDX-License-Identifier: MIT */
/*
 * Compares the text of instructions with llvm-objdump-22's, for the tests of
 * src/gpu/isa.
 */
#ifndef AQ_TESTS_ISA_OBJDUMP_H
#define AQ_TESTS_ISA_OBJDUMP_H

#include "gpu/isa/isa.h"

typedef struct objdump_comparison {
  aq_isa_decoder decoder; /* its waves are llvm-objdump's too */
  unsigned stride;        /* compares each instruction at a multiple of it */
  size_t instructions;    /* equal so far */
  size_t refused;         /* by llvm-objdump */
  size_t failures;        /* reported on stderr */
  size_t graphics;        /* not in the table */
  uint8_t banks;          /* of VGPRs at the next instruction: gfx1250 */
} objdump_comparison;

bool objdump_is_here(void);

/* Of no code so far. */
objdump_comparison objdump_comparison_for(const char *processor,
                                          unsigned stride);

/* Adds the code of a file of the decoder's processor. */
void objdump_compare(objdump_comparison *on, const char *path);

#endif
