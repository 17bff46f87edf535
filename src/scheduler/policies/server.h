/* SPDX-License-Identifier: MIT */
/*
 * What queueing disciplines share: on each device, so many servers (AQL queues)
 * that take one turn of one job at a time. A discipline only says in which
 * order jobs wait and how many commands a turn has.
 *
 * A job waits, is taken, has a turn, and waits again until it has no commands
 * left. States are a device's, zeroed at first. One thread.
 */
#ifndef AQ_SCHEDULER_POLICIES_SERVER_H
#define AQ_SCHEDULER_POLICIES_SERVER_H

#include "common/policy_queues.h"

typedef struct aq_discipline {
  size_t state_size;
  /* Reads settings; NULL: there are none. False when out of memory. */
  bool (*init)(void *state, aq_policy_host *host,
               const aq_policy_value *values);
  void (*fini)(void *state); /* NULL: nothing to free */
  /* Whether a job may come in; NULL: yes. */
  bool (*admits)(void *state, const aq_policy_job *job);
  /* A job waits for its first or next turn. False when out of memory. */
  bool (*put)(void *state, aq_policy_job *job);
  /* The next job; NULL when none waits. */
  aq_policy_job *(*take)(void *state);
  /* Whether the job that was taken is to be rejected instead; NULL: never. */
  bool (*drops)(void *state, const aq_policy_job *job);
  /* Commands of its turn; NULL: all. */
  uint32_t (*turn)(void *state, const aq_policy_job *job);
  /* Its turn has ended and took so long; NULL: nothing. */
  void (*used)(void *state, aq_policy_job *job, aq_time time);
} aq_discipline;

/* Settings that come first, by place. */
enum { AQ_SERVER_SLOTS, AQ_SERVER_CAPACITY, AQ_SERVER_OWN };

#define AQ_SERVER_SETTINGS                                                     \
  {"slots", AQ_SETTING_COUNT, "1",                                             \
   "jobs in service at once on each device, each in a queue of its own"},      \
  {                                                                            \
    "capacity", AQ_SETTING_COUNT, "0",                                         \
        "jobs in service and waiting on each device; more are rejected; 0: "   \
        "no limit"                                                             \
  }

aq_status aq_server_open(const aq_policy_open *args,
                         const aq_discipline *discipline, aq_policy **out,
                         aq_diag *diag);
void aq_server_close(aq_policy *policy);
void aq_server_start(aq_policy *policy);
aq_admission aq_server_admit(aq_policy *policy, const aq_policy_job *job,
                             aq_time *again);
void aq_server_ready(aq_policy *policy, aq_policy_job *job);
void aq_server_part_done(aq_policy *policy, aq_policy_job *job, uint32_t queue,
                         uint32_t commands);

#define AQ_SERVER_OPS                                                          \
  .abi = AQ_POLICY_ABI, .size = sizeof(aq_policy_ops),                         \
  .close = aq_server_close, .start = aq_server_start,                          \
  .admit = aq_server_admit, .ready = aq_server_ready,                          \
  .part_done = aq_server_part_done

/* The table `aq_policy_ID` of a discipline. */
#define AQ_SERVER_POLICY(id, discipline, ...)                                  \
  static aq_status id##_open(const aq_policy_open *args, aq_policy **out,      \
                             aq_diag *diag)                                    \
  {                                                                            \
    return aq_server_open(args, &(discipline), out, diag);                     \
  }                                                                            \
  const aq_policy_ops aq_policy_##id = {AQ_SERVER_OPS, .name = #id,            \
                                        .open = id##_open, __VA_ARGS__}

#endif
