/* SPDX-License-Identifier: MIT */
/*
 * Jobs in flight: one completion signal each, recycled.
 *
 * A signal may be armed again only when nothing waits for it any more: a job
 * that others wait for keeps its signal until they have completed too. Memory
 * is bounded by the jobs in flight, not by all jobs of the run. One thread.
 */
#ifndef AQ_STUDY_LOOP_INFLIGHT_JOBS_H
#define AQ_STUDY_LOOP_INFLIGHT_JOBS_H

#include "common/transport.h"
#include "common/workload.h"

/* Dependencies, the job before in the stream, and the part before. */
enum { AQ_JOB_WAITS = AQ_JOB_DEPENDENCIES + 2 };

typedef struct aq_live_job {
  aq_signal signal;
  aq_signal gate; /* made when first asked for */
  uint64_t id;
  uint32_t queue;      /* where it was submitted */
  uint32_t references; /* jobs in flight that wait for it */
  uint32_t waits_for[AQ_JOB_WAITS];
  uint32_t wait_count;
  uint32_t next_free;
  bool complete;
} aq_live_job;

/* An id and its place in the pool, in order of submission. */
typedef struct aq_job_place {
  uint64_t id;
  uint32_t index;
} aq_job_place;

typedef struct aq_inflight_jobs {
  aq_transport *transport;
  uint32_t flags; /* of signals, besides AQ_SIGNAL_DRAIN */
  aq_live_job *jobs;
  uint32_t count, capacity;
  uint32_t first_free;
  uint32_t live;       /* not complete */
  aq_job_place *order; /* ids rise; entries of completed jobs are stale */
  size_t order_count, order_capacity;
} aq_inflight_jobs;

#define AQ_JOB_NO_INDEX UINT32_MAX

void aq_inflight_jobs_init(aq_inflight_jobs *jobs, aq_transport *transport);
/* Leaves the signals to the transport. */
void aq_inflight_jobs_fini(aq_inflight_jobs *jobs);

/* A place for job `id`, its signal armed with 1. `user` of the signal is the
 * index. Ids must rise. */
aq_status aq_inflight_jobs_add(aq_inflight_jobs *jobs, uint64_t id,
                               uint32_t queue, uint32_t *index, aq_diag *diag);

/* The job in flight with this id, or AQ_JOB_NO_INDEX if it is complete. */
uint32_t aq_inflight_jobs_find(const aq_inflight_jobs *jobs, uint64_t id);

/* Notes that a job waits for the signal of another one in flight. */
void aq_inflight_jobs_depend(aq_inflight_jobs *jobs, uint32_t index,
                             uint32_t on);

/* A signal for the job's packets to wait for, 1 until the caller opens it by
 * storing 0; at the latest before the job can complete. */
aq_status aq_inflight_jobs_start_signal(aq_inflight_jobs *jobs, uint32_t index,
                                        aq_signal *out, aq_diag *diag);
void aq_inflight_jobs_start(aq_inflight_jobs *jobs, uint32_t index);

/* The job's signal has been decremented. */
void aq_inflight_jobs_complete(aq_inflight_jobs *jobs, uint32_t index);

#endif
