/* SPDX-License-Identifier: MIT */
/*
 * A policy at work in a run: between the loop, which knows of arrivals and
 * completions, and the policy's host half, which decides on submissions.
 *
 * The loop reports events when they happen; the decider reports them to the
 * policy after its host latency and the end of its last decision (host cost),
 * one hook at a time. The first failure sticks: from then on the policy is not
 * called, and the loop ends the run or, by option, continues without it.
 *
 * policy_driver.c delivers, policy_driver_host.c serves the calls of policies.
 * One thread.
 */
#ifndef AQ_STUDY_LOOP_POLICY_DRIVER_H
#define AQ_STUDY_LOOP_POLICY_DRIVER_H

#include "common/rng.h"
#include "scheduler/registry.h"
#include "study/loop/policy_jobs.h"
#include "study/loop/policy_timers.h"
#include "study/loop/run_priv.h"

/* What actions are legal now. */
typedef enum aq_policy_driver_phase {
  AQ_PHASE_NONE, /* outside of hooks */
  AQ_PHASE_START,
  AQ_PHASE_ADMIT,
  AQ_PHASE_HOOK,
} aq_policy_driver_phase;

typedef struct aq_policy_driver_queue {
  aq_runner_queue *queue;
  bool own; /* opened by the policy */
  aq_policy_queue_view view;
  uint32_t ring;   /* id of its ring */
  uint32_t newest; /* part submitted last, AQ_JOB_NO_INDEX: none */
  aq_time vacated; /* since when nothing more comes; AQ_TIME_NONE: it does */
  uint32_t client, entry; /* whose job was submitted last */
} aq_policy_driver_queue;

/* Packets that the device returned, to be handled outside of its events. */
typedef struct aq_policy_driver_evicted {
  uint32_t queue;
  uint64_t first;
  uint32_t packets;
} aq_policy_driver_evicted;

/* The object of a completion; by its place in run->jobs. */
typedef struct aq_policy_driver_part {
  aq_policy_job_state *held;
  uint32_t queue, commands;
  uint32_t first_command;
  uint64_t first;        /* packet id of it */
  uint64_t behind;       /* of the packet with the completion, if it is apart;
                            0: it is that of the last command */
  uint32_t older, newer; /* parts in flight in the queue, or AQ_JOB_NO_INDEX */
} aq_policy_driver_part;

typedef struct aq_policy_driver {
  aq_policy_host host; /* first: policies hold pointers to it */
  aq_runner *run;
  aq_policy_ops ops;
  aq_policy *policy;
  aq_policy_timing timing; /* of the host side */
  aq_policy_binding binding;
  aq_rng rng;
  aq_policy_jobs held;
  aq_policy_timers agenda;
  aq_policy_driver_queue *queues; /* by number of the queue in the run */
  uint32_t queue_capacity;
  aq_policy_driver_part *parts;
  uint32_t part_capacity;
  uint64_t part_last; /* id */
  aq_policy_job_state *ready_first, *ready_last;
  aq_policy_driver_evicted *evicted;
  uint32_t evicted_count, evicted_capacity;
  uint32_t deferred;       /* to be asked after the next completion */
  uint32_t flying;         /* parts in flight */
  uint32_t idle_timers;    /* since something was in flight */
  uint32_t instant_timers; /* at `instant` */
  aq_time instant;         /* of the last timer */
  bool logs;
  aq_policy_driver_phase phase;
  aq_time now;        /* of the decision */
  aq_time busy_until; /* the end of the last one */
  aq_status status;   /* the first failure */
  aq_diag failure;
  bool fallen_back;
  bool broken; /* the failure is not the policy's */
} aq_policy_driver;

/* Opens the policy; the transport is not open yet. */
aq_status aq_policy_driver_create(aq_runner *run,
                                  const aq_policy_choice *choice,
                                  aq_policy_driver **out, aq_diag *diag);
void aq_policy_driver_destroy(aq_policy_driver *driver);

/* The device half for opening the transport; NULL: none. */
const aq_policy_binding *
aq_policy_driver_binding(const aq_policy_driver *driver);

/* The transport is open: refuses unsupported demands, then starts the policy.
 */
aq_status aq_policy_driver_start(aq_policy_driver *driver, aq_diag *diag);

/* A job of the source arrived. */
aq_status aq_policy_driver_arrival(aq_policy_driver *driver, const aq_job *job,
                                   aq_diag *diag);

/* The part at `index` of run->jobs has completed. */
void aq_policy_driver_completion(aq_policy_driver *driver, uint32_t index,
                                 aq_time time);

/* The next event of the source or for the policy. AQ_TIME_MAX: none, or only
 * timers of a policy to which nothing can happen any more. */
aq_time aq_policy_driver_next(const aq_policy_driver *driver);

/* The device half woke the host half, gave packets back or failed. */
bool aq_policy_driver_has_pending(const aq_policy_driver *driver);

/* Reports due events. Fails when the policy failed, or stalls: no event is
 * left, and jobs are waiting. */
aq_status aq_policy_driver_decide(aq_policy_driver *driver, aq_diag *diag);

/* ---- inflight_parts.c ---- */

/* Notes a part that was submitted, and forgets one that has completed. */
void aq_policy_driver_part_link(aq_policy_driver *driver, uint32_t index);
void aq_policy_driver_part_unlink(aq_policy_driver *driver, uint32_t index);

/* The queue of the run with this ring, or AQ_POLICY_NONE. */
uint32_t aq_policy_driver_queue_of_ring(const aq_policy_driver *driver,
                                        uint32_t ring);

/* ---- policy_driver_device.c ---- */

/* Fills in the callbacks of a policy's device half. */
void aq_policy_driver_binding_init(aq_policy_driver *driver,
                                   const aq_policy_choice *choice);

/* Handles the packets that the device returned: reports them to the policy, or
 * submits them again. */
void aq_policy_driver_evictions_handle(aq_policy_driver *driver);

/* ---- policy_driver_preempted.c ---- */

/* The queue is to be empty soon; it is now; something is submitted after all.
 */
void aq_policy_driver_vacate_begin(aq_policy_driver *driver, uint32_t queue);
void aq_policy_driver_vacate_end(aq_policy_driver *driver, uint32_t queue,
                                 aq_time freed);

/* The work that a policy's device half stopped (aq_policy_binding.preempted).
 */
void aq_policy_driver_preempted(void *driver, uint32_t ring,
                                const aq_preempted *row);

/* ---- policy_driver_host.c ---- */

/* Fills in what policies call. */
void aq_policy_driver_host_init(aq_policy_driver *driver);

/* ---- policy_driver_submit.c ---- */

/* A queue of the run is the decider's too; false: no memory. */
bool aq_policy_driver_queue_note(aq_policy_driver *driver,
                                 aq_runner_queue *queue, uint32_t device,
                                 bool own);

/* Submits for the policy, or in its place. */
aq_status aq_policy_driver_submit(aq_policy_driver *driver,
                                  aq_policy_job_state *held, uint32_t queue,
                                  uint32_t commands);

/* A job never runs, nor do the jobs that depend on it. */
void aq_policy_driver_reject(aq_policy_driver *driver,
                             aq_policy_job_state *held);

/* The queue of the job's stream; AQ_POLICY_NONE after a failure. */
uint32_t aq_policy_driver_queue_default(aq_policy_driver *driver,
                                        const aq_policy_job_state *held);

/* A dependent is to be reported ready after the present hook. */
void aq_policy_driver_ready_later(aq_policy_job_state *held, void *driver);

/* ---- decision_log.c ---- */

/* Something went wrong that is the policy's fault: keeps the first. */
aq_status aq_policy_driver_fail(aq_policy_driver *driver, const char *fmt, ...)
    AQ_PRINTF(2, 3);

/* Something went wrong that is not: the run ends with the error as it is. */
aq_status aq_policy_driver_break(aq_policy_driver *driver, aq_status status,
                                 const aq_diag *diag);

/* A line of the decision log, the members of a JSON object after "t". */
void aq_policy_driver_log_line(aq_policy_driver *driver, const char *fmt, ...)
    AQ_PRINTF(2, 3);

#define aq_policy_driver_log(driver, ...)                                      \
  ((driver)->logs ? aq_policy_driver_log_line(driver, __VA_ARGS__) : (void)0)

#endif
