/* SPDX-License-Identifier: MIT */
/*
 * How a program ended that a signal ended: which one, and the last call that it
 * made, with its place in the source where the program has lines. Pure but for
 * reading that file.
 */
#ifndef AQ_CLI_EXEC_ENDED_H
#define AQ_CLI_EXEC_ENDED_H

#include "common/diag.h"
#include "common/spool.h"

/* `status` is that of waitpid, of a program that a signal ended; `last` NULL:
 * no call is known. Returns AQ_ERR_INPUT, with one line. */
aq_status aq_exec_ended(const char *program, int status,
                        const aq_spool_call *last, aq_diag *diag);

#endif
