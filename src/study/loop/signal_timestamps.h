/* SPDX-License-Identifier: MIT */
/*
 * Records for a transport that makes none, from its measurements: each packet
 * has a signal with timestamps, the last of a job the job's own; they are read
 * when the job has completed. Signals are used again. One thread.
 */
#ifndef AQ_STUDY_LOOP_SIGNAL_TIMESTAMPS_H
#define AQ_STUDY_LOOP_SIGNAL_TIMESTAMPS_H

#include "cmdbuf/block_processor.h"
#include "common/transport.h"
#include "common/workload.h"

/* The measured times of one job in flight. */
typedef struct aq_measured {
  aq_walk_log log;
  aq_signal *signals;
  aq_walk_entry *entries;
  aq_record *rows; /* by command, without times */
  uint32_t capacity, count;
} aq_measured;

typedef struct aq_signal_timestamps {
  bool on;
  aq_transport *transport;
  aq_measured *jobs; /* by place of the job */
  uint32_t job_count;
} aq_signal_timestamps;

void aq_signal_timestamps_init(aq_signal_timestamps *measure,
                               aq_transport *transport, bool on);
/* Leaves the signals to the transport. */
void aq_signal_timestamps_fini(aq_signal_timestamps *measure);

/* Makes a queue and its device known to the sink. */
aq_status aq_signal_timestamps_queue(aq_record_sink *sink,
                                     const aq_device_info *info,
                                     uint32_t device, const aq_ring *ring,
                                     int64_t *device_row, int64_t *queue_row,
                                     aq_diag *diag);

/* A job is going to be submitted: gives the log for its packets. */
aq_status aq_signal_timestamps_begin(aq_signal_timestamps *measure,
                                     uint32_t job, const aq_command *commands,
                                     uint32_t count, int64_t device_row,
                                     int64_t queue_row, aq_walk_log **log,
                                     aq_diag *diag);

/* Its doorbell has rung. */
void aq_signal_timestamps_rung(aq_signal_timestamps *measure, uint32_t job,
                               aq_time now);

/* It has completed, `completion` being its signal: puts its rows. Errors stay
 * with the sink. */
void aq_signal_timestamps_end(aq_signal_timestamps *measure, uint32_t job,
                              aq_signal completion, aq_record_sink *sink);

#endif
