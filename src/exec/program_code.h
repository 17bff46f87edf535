/* SPDX-License-Identifier: MIT */
/*
 * The code for GPUs that a program brings: in its own file and in the libraries
 * that its loader finds for it. Code that a program opens or compiles later is
 * not seen.
 *
 * Ownership: the caller ends the program_code that it read. One thread at a
 * time.
 */
#ifndef AQ_EXEC_PROGRAM_CODE_H
#define AQ_EXEC_PROGRAM_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "codeobj/code_file.h"
#include "common/notes.h"

typedef struct aq_program_code {
  aq_code_file *files; /* files with code */
  size_t count, capacity;
  bool own; /* the first is the program's own file */
} aq_program_code;

/* Reads the code of a program, found as execvp finds it. A program that cannot
 * be found, and one that is not ELF, has none. A file whose code is damaged
 * gets a note and counts as one without. AQ_ERR_NO_MEMORY. */
aq_status aq_program_code_read(const char *program, aq_program_code *out,
                               const aq_notes *notes, aq_diag *diag);
void aq_program_code_fini(aq_program_code *code);

/* How well the code fits a device, in the order of their weight. */
typedef struct aq_program_fit {
  size_t own;       /* bundles of the program that fit */
  size_t libraries; /* libraries whose bundles all fit */
  size_t bundles;   /* that fit, of all files */
} aq_program_fit;

aq_program_fit aq_program_code_fit(const aq_program_code *code,
                                   const aq_target *device);

/* Whether any fit is one: a program with code of its own needs that. */
bool aq_program_fit_is(const aq_program_code *code, const aq_program_fit *fit);

/* Below, at or above 0: a fits worse than, as well as, or better than b. */
int aq_program_fit_compare(const aq_program_fit *a, const aq_program_fit *b);

/* The targets of the first file, each once, with commas between; the text ends
 * with "…" where it does not hold all. */
void aq_program_code_targets(const aq_program_code *code, char *text,
                             size_t size);

#endif
