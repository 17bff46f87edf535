/* SPDX-License-Identifier: MIT */
/*
 * Jobs that a policy decides about: their submitted commands, and the jobs they
 * wait for.
 *
 * A job is held from its arrival until it is done or rejected; it keeps a copy
 * of its commands. It is blocked by the jobs it depends on and by the one
 * before it in its stream, each until that has ended. Places are recycled;
 * memory is bounded by the jobs held at once. One thread.
 */
#ifndef AQ_STUDY_LOOP_POLICY_JOBS_H
#define AQ_STUDY_LOOP_POLICY_JOBS_H

#include "common/map.h"
#include "common/policy.h"
#include "study/loop/inflight_jobs.h"

typedef enum aq_policy_job_phase {
  AQ_POLICY_JOB_DEFERRED, /* not accepted yet */
  AQ_POLICY_JOB_BLOCKED,  /* accepted, waits for others */
  AQ_POLICY_JOB_READY,    /* may be submitted */
  AQ_POLICY_JOB_REJECTED, /* or over: at most its blockers still know it */
} aq_policy_job_phase;

/* A dependent, as its blocker keeps it. */
typedef struct aq_policy_job_edge aq_policy_job_edge;

typedef struct aq_policy_job_state aq_policy_job_state;
struct aq_policy_job_state {
  aq_policy_job view; /* first: policies hold pointers to it */
  aq_job job;         /* its commands are the copy */
  aq_policy_job_phase state;
  bool asks; /* deferred until the next completion */
  uint32_t blockers;
  aq_policy_job_edge *dependents; /* in reverse */
  bool released;                /* dependents are not blocked by it any more */
  uint64_t waits[AQ_JOB_WAITS]; /* parts that the next one waits for */
  uint32_t wait_count;
  uint64_t last_part;
  uint32_t finished; /* commands, whether told or not */
  int64_t stream_key;
  aq_command *commands;
  uint32_t command_capacity;
  aq_policy_job_state *before,
      *after; /* all held jobs by arrival; after: also free ones */
  aq_policy_job_state
      *next_ready;            /* in the list of jobs to report to a policy */
  aq_policy_job_state *above; /* while jobs are rejected: one it depends on */
};

typedef struct aq_policy_jobs {
  aq_policy_job_state *first, *last; /* by arrival */
  uint32_t count;
  uint64_t removed; /* so far */
  aq_policy_job_state *free;
  aq_policy_job_edge *free_edges;
  aq_map by_id, streams; /* id → job; stream → its last job */
  aq_arena arena;
} aq_policy_jobs;

void aq_policy_jobs_init(aq_policy_jobs *jobs);
void aq_policy_jobs_fini(aq_policy_jobs *jobs);

/* Holds a copy of a job; `key` names its stream in this run. */
aq_status aq_policy_jobs_add(aq_policy_jobs *jobs, const aq_job *job,
                             int64_t key, aq_policy_job_state **out,
                             aq_diag *diag);

/* Its dependents are not blocked by it any more: calls `ready` for each that
 * has no other blocker left, in order of arrival. With `part` they have to wait
 * for that part. */
void aq_policy_jobs_release(
    aq_policy_jobs *jobs, aq_policy_job_state *held, const uint64_t *part,
    void (*ready)(aq_policy_job_state *held, void *user), void *user);

/* Takes one of its dependents off, the last by arrival; NULL: there is none. It
 * has one blocker less. */
aq_policy_job_state *aq_policy_jobs_dependent_pop(aq_policy_jobs *jobs,
                                                  aq_policy_job_state *held);

/* It never runs: as soon as nothing blocks it, the later jobs of its stream are
 * released, and so is its place. Called again when it has one blocker less. */
void aq_policy_jobs_reject(aq_policy_jobs *jobs, aq_policy_job_state *held,
                           void (*ready)(aq_policy_job_state *held, void *user),
                           void *user);

/* Gives the place back; it was released or has no dependents. */
void aq_policy_jobs_remove(aq_policy_jobs *jobs, aq_policy_job_state *held);

#endif
