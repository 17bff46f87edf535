/* SPDX-License-Identifier: MIT */
/*
 * The report of `exec --junit`: one test case, the program, in the format that
 * JUnit and CI services read. The program's processes are properties.
 *
 * One thread at a time.
 */
#ifndef AQ_CLI_EXEC_JUNIT_H
#define AQ_CLI_EXEC_JUNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/diag.h"

typedef struct aq_junit aq_junit;

/* How the execution ended. */
typedef struct aq_junit_end {
  const char *error;   /* of exec itself; or NULL */
  const char *failure; /* of the program, in place of its status */
  bool ran;            /* `status` counts */
  int status;          /* of waitpid */
} aq_junit_end;

/* Makes the file, "-" for standard error, so that a bad path shows before the
 * program runs; time counts from here. Borrows file, program and arguments
 * (ended by NULL). *out is NULL without a file. */
aq_status aq_junit_open(const char *file, char *const *args, aq_junit **out,
                        aq_diag *diag);

/* Adds a property. NULL is allowed for the report and the value. */
aq_status aq_junit_property(aq_junit *junit, const char *name,
                            const char *value, aq_diag *diag);

/* Why a program that succeeded failed after all; "": it did not. NULL is
 * allowed for the report. */
aq_status aq_junit_failure(aq_junit *junit, const char *why, aq_diag *diag);

/* Writes the report. `*junit` is NULL then. AQ_ERR_IO names the file. */
aq_status aq_junit_close(aq_junit **junit, const aq_junit_end *end,
                         aq_diag *diag);

#endif
