/* SPDX-License-Identifier: MIT */
/*
 * Disciplines that share a device among clients: a list of jobs for each, and
 * two numbers of the discipline's own.
 */
#ifndef AQ_SCHEDULER_POLICIES_PER_CLIENT_H
#define AQ_SCHEDULER_POLICIES_PER_CLIENT_H

#include <string.h>

#include "common/array.h"
#include "scheduler/policies/server.h"

typedef struct aq_share {
  aq_job_list list;
  uint32_t weight;
  int64_t tag;
} aq_share;

typedef struct aq_shares {
  aq_share *clients; /* by number of the client */
  uint32_t count, capacity;
} aq_shares;

/* The share of a job's client, made when first seen; NULL when out of memory.
 * Valid until the next call. */
static inline aq_share *aq_shares_of(aq_shares *shares,
                                     const aq_policy_job *job)
{
  if (!AQ_ARRAY_RESERVE_ZEROED(shares->clients, shares->capacity,
                               (size_t)job->client + 1))
    return NULL;
  if (shares->count <= job->client)
    shares->count = job->client + 1;
  aq_share *share = &shares->clients[job->client];
  share->weight = job->weight;
  return share;
}

/* Device time in units in which a client of more weight uses less. */
static inline int64_t aq_share_units(aq_time time, uint32_t weight)
{
  return time / weight;
}

#endif
