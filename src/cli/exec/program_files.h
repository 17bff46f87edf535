/* SPDX-License-Identifier: MIT */
/*
 * The files of a program with code for GPUs: its own and the libraries that its
 * loader finds for it. Code that a program opens or compiles later is not seen.
 */
#ifndef AQ_CLI_EXEC_PROGRAM_FILES_H
#define AQ_CLI_EXEC_PROGRAM_FILES_H

#include "backend_sim/match/program_code.h"

/* Reads the code of a program, found as execvp finds it. A program that cannot
 * be found, and one that is not ELF, has none. A file whose code is damaged
 * gets a note and counts as one without. AQ_ERR_NO_MEMORY. */
aq_status aq_program_code_read(const char *program, aq_program_code *out,
                               const aq_notes *notes, aq_diag *diag);

#endif
