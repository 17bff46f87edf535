/* SPDX-License-Identifier: MIT */
/*
 * Keeps what became of each request of a workload: a source that hands on the
 * jobs of another one and follows them to their completion.
 *
 * Requests go to the sink when they end, in that order. Jobs that are part
 * of no request are handed on and forgotten. One thread; arguments are
 * borrowed, and the caller closes the inner source.
 */
#ifndef AQ_STUDY_WORKLOAD_REQUEST_LOG_H
#define AQ_STUDY_WORKLOAD_REQUEST_LOG_H

#include "common/record.h"
#include "common/workload.h"

typedef struct aq_request_log aq_request_log;

/* The sink has put_requests. */
aq_status aq_request_log_create(aq_workload_source *inner, aq_record_sink *sink,
                                aq_request_log **out, aq_diag *diag);
void aq_request_log_destroy(aq_request_log *log);

/* What to run instead of the inner source; owned by the log, its close does
 * nothing. */
aq_workload_source *aq_request_log_source(aq_request_log *log);

/* Hands on the rest at the end of the run; returns the first error. */
aq_status aq_request_log_flush(aq_request_log *log, aq_diag *diag);

#endif
