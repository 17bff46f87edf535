/* SPDX-License-Identifier: MIT */
/*
 * The variables of a code object that kernels may write, as its whole symbol
 * table has them: local ones too, which no loader needs. A file without local
 * symbols, which was stripped, has none. Pure functions of bytes, which may be
 * anything.
 */
#ifndef AQ_GPU_CODEOBJ_VARIABLES_H
#define AQ_GPU_CODEOBJ_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct aq_code_variable {
  const char *name;       /* in the bytes; NULL: a section of variables */
  uint64_t address, size; /* in the file's address space */
  bool ends; /* nothing is behind it in its page: a section without contents */
} aq_code_variable;

typedef void aq_code_variable_take(void *user, const aq_code_variable *one);

/* Each section, .data and .bss, and each variable in one of them. */
void aq_code_variables_each(const void *bytes, size_t size,
                            aq_code_variable_take *take, void *user);

#endif
