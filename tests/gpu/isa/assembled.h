/* SPDX-License-Identifier: MIT */
/* Texts of instructions, assembled by llvm-mc-22 without the refused ones,
 * for the tests of src/gpu/isa. */
#ifndef AQ_TESTS_ISA_ASSEMBLED_H
#define AQ_TESTS_ISA_ASSEMBLED_H

#include "gpu/isa/isa.h"

enum { ASSEMBLED_STRIDE = 16 }; /* bytes from text to text in the object */

/* The caller owns the arrays, each of as many as there may be texts. */
typedef struct assembled {
  char (*text)[AQ_ISA_TEXT_SIZE];
  bool *refused; /* by the assembler; s_nop stands there instead */
  size_t count;
} assembled;

/* Writes the object of a processor; returns how many texts were refused. */
size_t assembled_make(assembled *of, const char *gfx, const char *object);

#endif
