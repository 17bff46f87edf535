/* SPDX-License-Identifier: MIT */
/*
 * The parts of the run loop: what run.c opens, the loop drives, and queues and
 * submissions share. One thread, but for the words of a failure.
 */
#ifndef AQ_STUDY_LOOP_RUN_PRIV_H
#define AQ_STUDY_LOOP_RUN_PRIV_H

#include "cmdbuf/builder.h"
#include "queue/ring/aql_queue.h"
#include "scheduler/queue_map.h"
#include "study/loop/inflight_jobs.h"
#include "study/loop/kernels.h"
#include "study/loop/policy_timers.h"
#include "study/loop/record_annotator.h"
#include "study/loop/run.h"
#include "study/loop/signal_timestamps.h"

typedef struct aq_runner aq_runner;

/* One hardware queue in use. */
typedef struct aq_runner_queue {
  aq_runner *run;
  aq_aql_queue *queue;
  uint32_t number; /* of the queue in this run */
  /* Ordinals of the sink, where the loop makes the records. */
  int64_t device_row, queue_row;
  uint64_t awaited; /* id + 1 of the job that it awaited last */
} aq_runner_queue;

/* A batch published at once: commands of one job. */
typedef struct aq_runner_part {
  const aq_job *job;
  uint64_t id; /* of the completion that they share; rises */
  const aq_command *commands;
  uint32_t command_count;
  const uint64_t *waits; /* ids that have to complete first */
  uint32_t wait_count;
  bool marker; /* a barrier packet follows */
  bool gated;  /* its first packet is held until the job's gate */
} aq_runner_part;

struct aq_runner {
  const aq_run_options *options;
  struct aq_policy_driver *driver; /* NULL: no policy */
  aq_workload_source *source;
  aq_transport *transport;
  const aq_transport_ops *ops;
  aq_transport_info info;
  aq_record_annotator sink;
  bool records;                 /* the sink is in use */
  aq_signal_timestamps measure; /* in use where the loop makes the records */
  aq_queue_map *map;
  aq_runner_queue **queues; /* by device and number within it */
  uint32_t queues_max, queue_count;
  aq_kernels kernels;
  aq_inflight_jobs jobs;
  aq_policy_timers gates; /* timers; the cookie is a place in jobs */
  aq_signal met; /* 0: the signal for packets whose dependency has ended */
  aq_builder *builder;
  const aq_runner_part *part; /* being submitted */
  bool edge;                  /* it waits for another queue */
  uint64_t first; /* packet id of the first command of the part before */
  aq_run_totals totals;
  bool live;        /* others drive time */
  int64_t heard;    /* wall ns when something completed or was submitted */
  aq_status failed; /* by a queue, told by callback */
  aq_diag failure;
};

/* ---- run_queues.c ---- */

static inline uint32_t aq_runner_clamp(uint32_t value, uint32_t low,
                                       uint32_t high)
{
  if (high > 0 && value > high)
    value = high;
  return value < low ? low : value;
}

aq_status aq_runner_queue_create(aq_runner *run, uint32_t device,
                                 aq_runner_queue **out, aq_diag *diag);
void aq_runner_queue_destroy(aq_runner_queue *queue);

/* Distinguishes the streams of devices that share one of the transport's. */
int64_t aq_runner_stream_key(const aq_runner *run, const aq_job *job);

/* The queue of a job's stream, made when first used. */
aq_status aq_runner_queue_find(aq_runner *run, const aq_job *job,
                               aq_runner_queue **out, aq_diag *diag);

/* The transport's event callback: memory that is not there. */
void aq_runner_event(const aq_system_event *event, void *user);

/* Errors that only callbacks told of: a queue that stopped, a full store. */
aq_status aq_runner_trouble(aq_runner *run, aq_diag *diag);

/* ---- run_submit.c ---- */

aq_status aq_runner_job_check(const aq_job *job, aq_diag *diag);

/* Records and publishes; *index is its place in run->jobs. */
aq_status aq_runner_submit(aq_runner *run, aq_runner_queue *queue,
                           const aq_runner_part *part, uint32_t *index,
                           aq_diag *diag);

/* The packet that carried the completion at `index` of run->jobs is gone:
 * another one behind the queue's present packets carries it now. */
aq_status aq_runner_complete_behind(aq_runner *run, aq_runner_queue *queue,
                                    uint32_t index, aq_diag *diag);

/* Opens the gates that are due. */
void aq_runner_gates_open(aq_runner *run);

/* A job is on its way: counts it. */
void aq_runner_count(aq_runner *run, const aq_job *job);

/* ---- run_totals.c ---- */

/* Before anything has run; the models come from the devices. */
void aq_run_totals_init(aq_run_totals *totals, const aq_device_info *devices,
                        uint32_t count);

/* ---- run_wall.c ---- */

/* Something completed or was submitted: the run does not hang. */
void aq_runner_heard(aq_runner *run);

/* How much the transport's time moves in some wall time. */
aq_time aq_runner_wall_scaled(const aq_runner *run, aq_time wall);

/* Until the run counts as hanging. */
aq_time aq_runner_patience_left(const aq_runner *run);

/* ---- run_wait.c ---- */

/* Shows where the run stands, if the caller asked. */
void aq_runner_standing_report(aq_runner *run);

/* Lets time move to `due`; with `wake` only to the next completion. */
aq_status aq_runner_due_await(aq_runner *run, aq_time due, bool wake,
                              aq_diag *diag);

/* Nothing to submit before a completion: lets time move to the next one. When
 * there is none although jobs are in flight, the transport words why. */
aq_status aq_runner_completion_await(aq_runner *run, aq_diag *diag);

/* Reports all completed jobs to the source; true if there were any. */
bool aq_runner_completions_collect(aq_runner *run);

#endif
