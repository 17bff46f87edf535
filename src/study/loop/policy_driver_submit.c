/* SPDX-License-Identifier: MIT */
/* Jobs on their way to a queue: submitted or rejected, by the policy or in its
 * place. */
#include "config.h"

#include <inttypes.h>

#include "common/array.h"
#include "study/loop/policy_driver.h"

/* ---- queues ---- */

bool aq_policy_driver_queue_note(aq_policy_driver *d, aq_runner_queue *queue,
                                 uint32_t device, bool own)
{
  if (!AQ_ARRAY_RESERVE_ZEROED(d->queues, d->queue_capacity,
                               (size_t)queue->number + 1))
    return false;
  d->queues[queue->number] =
      (aq_policy_driver_queue){.queue = queue,
                               .own = own,
                               .view = {.device = device},
                               .ring = aq_aql_queue_ring(queue->queue)->id,
                               .newest = AQ_JOB_NO_INDEX,
                               .vacated = AQ_TIME_NONE};
  return true;
}

uint32_t aq_policy_driver_queue_default(aq_policy_driver *d,
                                        const aq_policy_job_state *held)
{
  aq_runner_queue *queue;
  aq_diag diag = AQ_DIAG_INIT;
  aq_status status = aq_runner_queue_find(d->run, &held->job, &queue, &diag);
  if (status != AQ_OK) {
    aq_policy_driver_break(d, status, &diag);
    return AQ_POLICY_NONE;
  }
  if ((queue->number >= d->queue_capacity || !d->queues[queue->number].queue) &&
      !aq_policy_driver_queue_note(d, queue, held->view.device, false)) {
    aq_policy_driver_fail(d, "no memory for a queue");
    return AQ_POLICY_NONE;
  }
  return queue->number;
}

/* ---- jobs ---- */

void aq_policy_driver_ready_later(aq_policy_job_state *held, void *driver)
{
  aq_policy_driver *d = driver;
  held->next_ready = NULL;
  if (d->ready_first)
    d->ready_last->next_ready = held;
  else
    d->ready_first = held;
  d->ready_last = held;
}

static aq_status part_note(aq_policy_driver *d, uint32_t index,
                           const aq_policy_driver_part *part)
{
  if (!AQ_ARRAY_RESERVE(d->parts, d->part_capacity, (size_t)index + 1))
    return aq_policy_driver_fail(d, "out of memory");
  d->parts[index] = *part;
  aq_policy_driver_part_link(d, index);
  return AQ_OK;
}

aq_status aq_policy_driver_submit(aq_policy_driver *d,
                                  aq_policy_job_state *held, uint32_t queue,
                                  uint32_t commands)
{
  aq_policy_driver_queue *at = &d->queues[queue];
  uint32_t index;
  aq_diag diag = AQ_DIAG_INIT;
  aq_policy_job *view = &held->view;
  const uint32_t left = view->count - view->submitted;
  if (commands == 0)
    commands = left;
  const aq_runner_part part = {
      .job = &held->job,
      .id = ++d->part_last,
      .commands = held->commands + view->submitted,
      .command_count = commands,
      .waits = held->waits,
      .wait_count = held->wait_count,
      .marker = held->job.marker && commands == left,
      .gated = held->job.job_flags & AQ_JOB_GATED && view->submitted == 0,
  };
  aq_status status = aq_runner_submit(d->run, at->queue, &part, &index, &diag);
  if (status != AQ_OK)
    return aq_policy_driver_break(d, status, &diag);
  status = part_note(d, index,
                     &(aq_policy_driver_part){
                         .held = held,
                         .queue = queue,
                         .commands = commands,
                         .first_command = view->submitted,
                         .first = d->run->first,
                         .behind = part.marker ? d->run->first + commands : 0});
  d->flying++;
  d->idle_timers = 0;
  aq_policy_driver_vacate_end(d, queue, AQ_TIME_NONE);
  at->client = held->job.client;
  at->entry = held->job.entry;
  at->view.jobs++;
  at->view.commands += commands;
  view->submitted += commands;
  held->last_part = part.id;
  held->waits[0] = part.id;
  held->wait_count = 1;
  aq_policy_driver_log(
      d, "\"act\":\"submit\",\"job\":%" PRIu64 ",\"queue\":%u,\"commands\":%u",
      held->job.id, queue, commands);
  if (view->submitted == view->count && d->ops.flags & AQ_POLICY_AHEAD)
    aq_policy_jobs_release(&d->held, held, &part.id,
                           aq_policy_driver_ready_later, d);
  return status;
}

/* Jobs are rejected before the ones that they depend on. A stack of jobs, since
 * each may depend on the one before it. */
void aq_policy_driver_reject(aq_policy_driver *d, aq_policy_job_state *held)
{
  held->above = NULL;
  while (held) {
    aq_policy_job_state *on = aq_policy_jobs_dependent_pop(&d->held, held);
    if (!on) {
      aq_policy_job_state *above = held->above;
      aq_workload_source *source = d->run->source;
      const uint64_t id = held->job.id;
      const aq_time now = d->run->ops->now(d->run->transport);
      d->run->totals.rejected++;
      aq_policy_jobs_reject(&d->held, held, aq_policy_driver_ready_later, d);
      if (source->rejected)
        source->rejected(source, id, now);
      else if (source->done)
        source->done(source, id, now);
      held = above;
    } else if (on->state == AQ_POLICY_JOB_REJECTED) {
      aq_policy_jobs_reject(&d->held, on, aq_policy_driver_ready_later, d);
    } else {
      on->above = held;
      held = on;
    }
  }
}
