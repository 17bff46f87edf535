/* SPDX-License-Identifier: MIT */
/*
 * What policies ask of commands, and jobs that a device half may be asked
 * about: a list linked by `user`, from `ready` to `done`.
 */
#ifndef AQ_SCHEDULER_POLICIES_JOB_LIST_H
#define AQ_SCHEDULER_POLICIES_JOB_LIST_H

#include "common/policy.h"

static inline void aq_present_put(aq_policy_job **first, aq_policy_job *job)
{
  job->user.pointer = *first;
  *first = job;
}

static inline void aq_present_remove(aq_policy_job **first, aq_policy_job *job)
{
  while (*first && *first != job)
    first = (aq_policy_job **)&(*first)->user.pointer;
  if (*first)
    *first = job->user.pointer;
}

/* The job of a packet that is of its commands; NULL: none that is present. */
static inline const aq_policy_job *
aq_present_find(const aq_policy_job *first, uint64_t job, uint32_t command)
{
  while (first && first->id != job)
    first = first->user.pointer;
  return first && command < first->count ? first : NULL;
}

/* At least 1; of a copy or fill it is that. */
static inline uint64_t aq_command_workgroups(const aq_command *command)
{
  uint64_t count = 1;
  for (int i = 0; i < 3; i++)
    if (command->grid[i] && command->workgroup[i])
      count *= (command->grid[i] + (uint64_t)command->workgroup[i] - 1) /
               command->workgroup[i];
  return count;
}

/* How long one of `together` workgroups on a compute unit runs; AQ_TIME_MAX:
 * not known. */
static inline aq_time aq_present_workgroup(const aq_cost *cost,
                                           uint32_t together)
{
  if (cost->kind == AQ_COST_OCCUPANCY) {
    const uint32_t count = cost->detail->latency_count;
    return aq_time_max(
        cost->detail->latency[(together < count ? together : count) - 1] -
            cost->detail->contained,
        0);
  }
  return cost->kind == AQ_COST_WORKGROUP || cost->kind == AQ_COST_SPIN_WORKGROUP
             ? cost->base
             : AQ_TIME_MAX;
}

#endif
