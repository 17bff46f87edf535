/* SPDX-License-Identifier: MIT */
/* The two halves of the validator: blocks alone, and how they are connected. */
#ifndef AQ_CMDBUF_VALIDATE_PRIV_H
#define AQ_CMDBUF_VALIDATE_PRIV_H

#include "cmdbuf/validate.h"

/* Cycles and calls; the blocks have been found to be sound. */
aq_status aq_program_check_flow(const aq_program *program, aq_diag *diag);

/* Of a recording: calls nest at most AQ_CALL_DEPTH deep. Calls that can come
 * back without a return, as in a loop that calls, are the recorder's matter. */
aq_status aq_program_check_depth(const aq_program *program, aq_diag *diag);

#endif
