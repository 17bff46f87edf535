/* SPDX-License-Identifier: MIT */
/*
 * Executable traces of a session: the clocks of its devices, for the steps
 * of traced waves. One thread at a time.
 */
#ifndef AQ_STUDY_SESSION_TRACES_H
#define AQ_STUDY_SESSION_TRACES_H

#include "common/transports.h"

typedef struct aq_session_traces aq_session_traces;

/* Asks the stack to keep the steps of the wave (as --trace-isa has it); NULL in
 * *out for a NULL wave. */
aq_status aq_session_traces_create(const char *wave, aq_transport_stack *stack,
                                   aq_session_traces **out, aq_diag *diag);
void aq_session_traces_destroy(aq_session_traces *traces);

/* Reads the clocks of an open transport; NULL traces: nothing to do.
 * AQ_ERR_UNSUPPORTED: it has no device models. */
aq_status aq_session_traces_open(aq_session_traces *traces, aq_transport *t,
                                 const char *devices, const char *const *edits,
                                 aq_diag *diag);

#endif
