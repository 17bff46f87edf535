/* SPDX-License-Identifier: MIT */
/*
 * Disciplines that are a key: the job with the smallest goes first. The state
 * is a heap; `put` sets job->key and calls aq_keyed_put.
 */
#ifndef AQ_SCHEDULER_POLICIES_PRIORITY_QUEUE_H
#define AQ_SCHEDULER_POLICIES_PRIORITY_QUEUE_H

#include "scheduler/policies/server.h"

static inline bool aq_keyed_put(void *state, aq_policy_job *job, int64_t key)
{
  job->key = key;
  return aq_job_heap_put((aq_job_heap *)state, job);
}

static inline aq_policy_job *aq_keyed_pop(void *state)
{
  return aq_job_heap_take((aq_job_heap *)state);
}

static inline void aq_keyed_fini(void *state)
{
  aq_job_heap_fini((aq_job_heap *)state);
}

/* One command, so that order is decided anew behind each. */
static inline uint32_t aq_keyed_turn_one(void *state, const aq_policy_job *job)
{
  (void)state;
  (void)job;
  return 1;
}

/* The rest of the hinted duration, if all commands take the same time. */
static inline aq_time aq_job_remaining(const aq_policy_job *job)
{
  return (aq_time)((__int128)job->hint * (job->count - job->completed) /
                   job->count);
}

#define AQ_KEYED                                                               \
  .state_size = sizeof(aq_job_heap), .fini = aq_keyed_fini, .take = aq_keyed_pop

#define AQ_KEYED_SETTINGS                                                      \
  .settings = (const aq_policy_setting[])                                      \
  {                                                                            \
    AQ_SERVER_SETTINGS,                                                        \
    {                                                                          \
      0                                                                        \
    }                                                                          \
  }

#endif
