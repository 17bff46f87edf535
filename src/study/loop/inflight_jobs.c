/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/loop/inflight_jobs.h"

#include <assert.h>
#include <stdlib.h>

#include "common/array.h"

void aq_inflight_jobs_init(aq_inflight_jobs *jobs, aq_transport *transport)
{
  *jobs =
      (aq_inflight_jobs){.transport = transport, .first_free = AQ_JOB_NO_INDEX};
}

void aq_inflight_jobs_fini(aq_inflight_jobs *jobs)
{
  free(jobs->order);
  free(jobs->jobs);
  *jobs = (aq_inflight_jobs){0};
}

static bool order_is_live(const aq_inflight_jobs *jobs,
                          const aq_job_place *place)
{
  const aq_live_job *job = &jobs->jobs[place->index];
  return job->id == place->id && !job->complete;
}

/* Drops stale places; grows only when most of them are live, so that one job
 * that never ends does not make the list grow as the others do. */
static aq_status order_make_room(aq_inflight_jobs *jobs, aq_diag *diag)
{
  size_t kept = 0;
  for (size_t i = 0; i < jobs->order_count; i++)
    if (order_is_live(jobs, &jobs->order[i]))
      jobs->order[kept++] = jobs->order[i];
  jobs->order_count = kept;
  if (kept < jobs->order_capacity / 2)
    return AQ_OK;
  return AQ_ARRAY_RESERVE(jobs->order, jobs->order_capacity,
                          jobs->order_capacity + 1)
             ? AQ_OK
             : aq_diag_no_memory(diag);
}

static aq_status pool_grow(aq_inflight_jobs *jobs, aq_diag *diag)
{
  if (!AQ_ARRAY_RESERVE(jobs->jobs, jobs->capacity, jobs->count + 1))
    return aq_diag_no_memory(diag);
  aq_live_job *job = &jobs->jobs[jobs->count];
  *job = (aq_live_job){.next_free = AQ_JOB_NO_INDEX};
  aq_status status = jobs->transport->ops->signal_create(
      jobs->transport,
      &(aq_signal_desc){.value = 1,
                        .flags = AQ_SIGNAL_DRAIN | jobs->flags,
                        .user = jobs->count},
      &job->signal, diag);
  if (status == AQ_OK)
    jobs->first_free = jobs->count++;
  return status;
}

aq_status aq_inflight_jobs_add(aq_inflight_jobs *jobs, uint64_t id,
                               uint32_t queue, uint32_t *index, aq_diag *diag)
{
  assert(jobs->order_count == 0 || jobs->order[jobs->order_count - 1].id < id);
  aq_status status = AQ_OK;
  if (jobs->order_count == jobs->order_capacity)
    status = order_make_room(jobs, diag);
  if (status == AQ_OK && jobs->first_free == AQ_JOB_NO_INDEX)
    status = pool_grow(jobs, diag);
  if (status != AQ_OK)
    return status;
  const uint32_t taken = jobs->first_free;
  aq_live_job *job = &jobs->jobs[taken];
  jobs->first_free = job->next_free;
  job->id = id;
  job->queue = queue;
  job->references = 0;
  job->wait_count = 0;
  job->complete = false;
  jobs->transport->ops->signal_store(jobs->transport, job->signal, 1,
                                     AQ_RELEASE);
  jobs->order[jobs->order_count++] = (aq_job_place){id, taken};
  jobs->live++;
  *index = taken;
  return AQ_OK;
}

uint32_t aq_inflight_jobs_find(const aq_inflight_jobs *jobs, uint64_t id)
{
  size_t low = 0, high = jobs->order_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (jobs->order[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == jobs->order_count || jobs->order[low].id != id ||
      !order_is_live(jobs, &jobs->order[low]))
    return AQ_JOB_NO_INDEX;
  return jobs->order[low].index;
}

/* Its packets have seen it when the job has ended, so the place keeps it. */
aq_status aq_inflight_jobs_start_signal(aq_inflight_jobs *jobs, uint32_t index,
                                        aq_signal *out, aq_diag *diag)
{
  const aq_transport_ops *ops = jobs->transport->ops;
  aq_signal *gate = &jobs->jobs[index].gate;
  if (gate->handle == 0) {
    aq_status status = ops->signal_create(
        jobs->transport, &(aq_signal_desc){.value = 1}, gate, diag);
    if (status != AQ_OK)
      return status;
  }
  ops->signal_store(jobs->transport, *gate, 1, AQ_RELEASE);
  *out = *gate;
  return AQ_OK;
}

void aq_inflight_jobs_start(aq_inflight_jobs *jobs, uint32_t index)
{
  jobs->transport->ops->signal_store(jobs->transport, jobs->jobs[index].gate, 0,
                                     AQ_RELEASE);
}

void aq_inflight_jobs_depend(aq_inflight_jobs *jobs, uint32_t index,
                             uint32_t on)
{
  aq_live_job *job = &jobs->jobs[index];
  assert(job->wait_count < AQ_JOB_WAITS);
  job->waits_for[job->wait_count++] = on;
  jobs->jobs[on].references++;
}

static void job_recycle(aq_inflight_jobs *jobs, uint32_t index)
{
  aq_live_job *job = &jobs->jobs[index];
  if (!job->complete || job->references > 0)
    return;
  job->next_free = jobs->first_free;
  jobs->first_free = index;
}

void aq_inflight_jobs_complete(aq_inflight_jobs *jobs, uint32_t index)
{
  aq_live_job *job = &jobs->jobs[index];
  assert(!job->complete);
  job->complete = true;
  jobs->live--;
  for (uint32_t i = 0; i < job->wait_count; i++) {
    jobs->jobs[job->waits_for[i]].references--;
    job_recycle(jobs, job->waits_for[i]);
  }
  job_recycle(jobs, index);
}
