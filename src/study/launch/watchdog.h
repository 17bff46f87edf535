/* SPDX-License-Identifier: MIT */
/*
 * Dispatches that may never end, under a limit of wall time. They run on a
 * thread of their own, since neither a host function nor a GPU that hangs can
 * be made to return.
 */
#ifndef AQ_STUDY_LAUNCH_WATCHDOG_H
#define AQ_STUDY_LAUNCH_WATCHDOG_H

#include "common/transports.h"
#include "study/launch/launch.h"

/* aq_launch_run, but AQ_ERR_TIMEOUT after `timeout` (0: never) of wall time,
 * worded with the dispatch that has not ended, `culprit`, what hangs, and where
 * the waves of its code are, which the stack reports; on the caller's thread
 * without a timeout. After AQ_ERR_TIMEOUT the thread still runs
 * in the transport, with sink and out: nothing of them may be freed,
 * and the process has to leave by _exit. */
aq_status aq_launch_watch(aq_transport_stack *stack, aq_transport *t,
                          const aq_launch *launch, uint32_t count,
                          aq_record_sink *sink, aq_launch_times *out,
                          aq_time timeout, const char *culprit, aq_diag *diag);

#endif
