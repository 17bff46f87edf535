/* SPDX-License-Identifier: MIT */
/* Jobs on their way to a queue: submitted or rejected, by the policy or in its
 * place. */
#include "config.h"

#include <inttypes.h>

#include "common/array.h"
#include "study/loop/decider.h"

/* ---- queues ---- */

bool aq_decider_queue_note(aq_decider *d, aq_runner_queue *queue,
                           uint32_t device, bool own)
{
  if (!AQ_ARRAY_RESERVE_ZEROED(d->queues, d->queue_capacity,
                               (size_t)queue->number + 1))
    return false;
  d->queues[queue->number] =
      (aq_decider_queue){.queue = queue,
                         .own = own,
                         .view = {.device = device},
                         .ring = aq_feed_ring(queue->queue)->id,
                         .newest = AQ_JOB_NO_INDEX,
                         .vacated = AQ_TIME_NONE};
  return true;
}

uint32_t aq_decider_queue_default(aq_decider *d, const aq_held *held)
{
  aq_runner_queue *queue;
  aq_diag diag = AQ_DIAG_INIT;
  aq_status status = aq_runner_queue_find(d->run, &held->job, &queue, &diag);
  if (status != AQ_OK) {
    aq_decider_break(d, status, &diag);
    return AQ_POLICY_NONE;
  }
  if ((queue->number >= d->queue_capacity || !d->queues[queue->number].queue) &&
      !aq_decider_queue_note(d, queue, held->view.device, false)) {
    aq_decider_fail(d, "no memory for a queue");
    return AQ_POLICY_NONE;
  }
  return queue->number;
}

/* ---- jobs ---- */

void aq_decider_ready_later(aq_held *held, void *decider)
{
  aq_decider *d = decider;
  held->next_ready = NULL;
  if (d->ready_first)
    d->ready_last->next_ready = held;
  else
    d->ready_first = held;
  d->ready_last = held;
}

static aq_status part_note(aq_decider *d, uint32_t index,
                           const aq_decider_part *part)
{
  if (!AQ_ARRAY_RESERVE(d->parts, d->part_capacity, (size_t)index + 1))
    return aq_decider_fail(d, "out of memory");
  d->parts[index] = *part;
  aq_decider_part_link(d, index);
  return AQ_OK;
}

aq_status aq_decider_submit(aq_decider *d, aq_held *held, uint32_t queue,
                            uint32_t commands)
{
  aq_decider_queue *at = &d->queues[queue];
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
    return aq_decider_break(d, status, &diag);
  status = part_note(
      d, index,
      &(aq_decider_part){.held = held,
                         .queue = queue,
                         .commands = commands,
                         .first_command = view->submitted,
                         .first = d->run->first,
                         .behind = part.marker ? d->run->first + commands : 0});
  d->flying++;
  d->idle_timers = 0;
  aq_decider_vacate_end(d, queue, AQ_TIME_NONE);
  at->client = held->job.client;
  at->entry = held->job.entry;
  at->view.jobs++;
  at->view.commands += commands;
  view->submitted += commands;
  held->last_part = part.id;
  held->waits[0] = part.id;
  held->wait_count = 1;
  aq_decider_log(
      d, "\"act\":\"submit\",\"job\":%" PRIu64 ",\"queue\":%u,\"commands\":%u",
      held->job.id, queue, commands);
  if (view->submitted == view->count && d->ops.flags & AQ_POLICY_AHEAD)
    aq_held_release(&d->held, held, &part.id, aq_decider_ready_later, d);
  return status;
}

static void job_reject(aq_decider *d, aq_held *held)
{
  aq_workload_source *source = d->run->source;
  const uint64_t id = held->job.id;
  const aq_time now = d->run->ops->now(d->run->transport);
  d->run->totals.rejected++;
  aq_held_reject(&d->held, held, aq_decider_ready_later, d);
  if (source->rejected)
    source->rejected(source, id, now);
  else if (source->done)
    source->done(source, id, now);
}

/* Jobs are rejected before the ones that they depend on. A stack of jobs, since
 * each may depend on the one before it. */
void aq_decider_reject(aq_decider *d, aq_held *held)
{
  held->above = NULL;
  while (held) {
    aq_held *on = aq_held_dependent_take(&d->held, held);
    if (!on) {
      aq_held *above = held->above;
      job_reject(d, held);
      held = above;
    } else if (on->state == AQ_HELD_REJECTED) {
      aq_held_reject(&d->held, on, aq_decider_ready_later, d);
    } else {
      on->above = held;
      held = on;
    }
  }
}
