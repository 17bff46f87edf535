/* SPDX-License-Identifier: MIT */
/*
 * Keeps what became of each request of a workload: a source that hands on the
 * jobs of another one and follows them to their completion.
 *
 * Requests go to the sink when they are over, in that order. Jobs that are part
 * of no request are handed on and forgotten. One thread; what is passed in is
 * borrowed, and the inner source is the caller's to close.
 */
#ifndef AQ_WORKLOAD_REQUEST_LOG_H
#define AQ_WORKLOAD_REQUEST_LOG_H

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

/* Hands on what is left, when the run is over; the first error of all. */
aq_status aq_request_log_flush(aq_request_log *log, aq_diag *diag);

#endif
