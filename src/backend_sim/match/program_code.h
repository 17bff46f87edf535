/* SPDX-License-Identifier: MIT */
/*
 * The code for GPUs in the files of a program, and how well it fits a device.
 *
 * Ownership: the caller ends the program_code. One thread at a time.
 */
#ifndef AQ_BACKEND_SIM_MATCH_PROGRAM_CODE_H
#define AQ_BACKEND_SIM_MATCH_PROGRAM_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/notes.h"
#include "gpu/codeobj/code_file.h"

typedef struct aq_program_code {
  aq_code_file *files; /* files with code */
  size_t count, capacity;
  bool own; /* the first is the program's own file */
} aq_program_code;

/* Adds a file, if it has code. A file whose code is damaged gets a note and
 * counts as one without. AQ_ERR_NO_MEMORY. */
aq_status aq_program_code_add(aq_program_code *code, const char *path,
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
