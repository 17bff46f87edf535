/* SPDX-License-Identifier: MIT */
/* Requests of a policy's device half and of the device itself to a run, and
 * packets that come back from the device. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "study/loop/decider.h"

/* ---- requests of a device ---- */

static bool part_has(const aq_decider_part *part, uint64_t packet)
{
  return packet >= part->first && packet - part->first < part->commands;
}

static uint32_t device_host_queue(void *user, uint32_t ring)
{
  return aq_decider_queue_of_ring(user, ring);
}

/* Packets are asked for from the oldest to the newest, about as they were
 * submitted: few parts lie before the right one. */
static bool device_identify(void *user, uint32_t ring, uint64_t packet,
                            uint64_t *job, uint32_t *command, bool *idempotent)
{
  const aq_decider *d = user;
  const uint32_t queue = aq_decider_queue_of_ring(d, ring);
  if (queue == AQ_POLICY_NONE)
    return false;
  uint32_t index = d->queues[queue].newest;
  while (index != AQ_JOB_NO_INDEX && !part_has(&d->parts[index], packet))
    index = d->parts[index].older;
  if (index == AQ_JOB_NO_INDEX)
    return false;
  const aq_decider_part *part = &d->parts[index];
  *job = part->held->job.id;
  *command = part->first_command + (uint32_t)(packet - part->first);
  *idempotent = part->held->job.job_flags & AQ_JOB_IDEMPOTENT;
  return true;
}

static void device_failed(void *user, const char *text)
{
  aq_decider_fail(user, "%s", text);
}

static void device_logged(void *user, aq_time now, const char *text)
{
  aq_decider *d = user;
  const aq_time before = d->now;
  d->now = now;
  aq_decider_log(d, "\"device\":\"%s\"", text);
  d->now = before;
}

static void device_evicted(void *user, uint32_t ring, uint64_t first,
                           uint32_t packets)
{
  aq_decider *d = user;
  const uint32_t queue = aq_decider_queue_of_ring(d, ring);
  if (queue == AQ_POLICY_NONE) {
    aq_decider_fail(d, "it takes packets off a queue that is not the run's");
    return;
  }
  if (!AQ_ARRAY_PUSH(d->evicted, d->evicted_count, d->evicted_capacity,
                     (aq_decider_evicted){queue, first, packets})) {
    aq_decider_fail(d, "no memory for packets that come back");
    return;
  }
}

static void device_woken(void *user, uint64_t cookie)
{
  aq_decider *d = user;
  const aq_time heard =
      aq_time_add(d->run->ops->now(d->run->transport), d->timing.latency);
  if (!aq_agenda_timer_add(&d->agenda, heard, cookie, NULL))
    aq_decider_fail(d, "no memory for a timer");
}

void aq_decider_binding_init(aq_decider *d, const aq_policy_choice *choice)
{
  d->binding = (aq_policy_binding){
      .size = sizeof d->binding,
      .ops = aq_policy_choice_ops(choice),
      .policy = d->policy,
      .seed = d->run->options->open.seed,
      .failed = device_failed,
      .logged = d->run->options->decision ? device_logged : NULL,
      .evicted = device_evicted,
      .identify = device_identify,
      .user = d,
      .woken = device_woken,
      .host_queue = device_host_queue,
      .preempted = aq_decider_preempted,
  };
  memcpy(d->binding.timing, aq_policy_choice_timing(choice),
         sizeof d->binding.timing);
}

/* ---- packets that come back ---- */

/* The packet that carried the completion is gone: another one does. */
static void part_complete_behind(aq_decider *d, uint32_t index)
{
  aq_decider_part *part = &d->parts[index];
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_runner_complete_behind(d->run, d->queues[part->queue].queue, index,
                                &diag) != AQ_OK)
    aq_decider_fail(d, "%s", diag.text);
  part->behind = d->run->first;
}

/* Commands from `kept` on will not run: the part shrinks, or is gone. */
static void part_shrink(aq_decider *d, uint32_t index, uint32_t kept)
{
  if (kept == 0) {
    aq_decider_part_unlink(d, index);
    d->flying--;
    aq_jobs_complete(&d->run->jobs, index);
    return;
  }
  d->parts[index].commands = kept;
  part_complete_behind(d, index);
}

/* The newest commands of a part came back. */
static void part_evicted(aq_decider *d, uint32_t index, uint32_t count)
{
  const aq_decider_part part = d->parts[index];
  aq_held *held = part.held;
  aq_policy_queue_view *view = &d->queues[part.queue].view;
  const unsigned long long id = held->job.id;
  if (part.first_command + part.commands != held->view.submitted) {
    aq_decider_fail(d,
                    "it takes commands of job %llu off a queue, of which later "
                    "ones are in another",
                    id);
    return;
  }
  if (held->released || d->run->jobs.jobs[index].references > 0) {
    aq_decider_fail(d, "it takes job %llu off a queue, which others wait for",
                    id);
    return;
  }
  held->view.submitted -= count;
  view->commands -= count;
  view->jobs -= count == part.commands;
  part_shrink(d, index, part.commands - count);
  aq_decider_log(
      d, "\"hook\":\"evicted\",\"job\":%llu,\"queue\":%u,\"commands\":%u", id,
      part.queue, count);
  if (d->status != AQ_OK)
    return;
  if (d->ops.evicted)
    d->ops.evicted(d->policy, &held->view, part.queue, count);
  else
    aq_decider_submit(d, held, part.queue, count);
}

void aq_decider_evictions_take(aq_decider *d)
{
  const aq_decider_evicted e = d->evicted[0];
  memmove(d->evicted, d->evicted + 1, --d->evicted_count * sizeof *d->evicted);
  const uint64_t end = e.first + e.packets;
  uint32_t index = d->queues[e.queue].newest, older;
  for (; index != AQ_JOB_NO_INDEX && d->status == AQ_OK; index = older) {
    const aq_decider_part part = d->parts[index];
    const uint64_t last = part.first + part.commands;
    older = part.older;
    if (part.first >= end || last <= e.first) {
      if (part.behind >= e.first && part.behind < end && part.behind)
        part_complete_behind(d, index);
      continue;
    }
    if (last > end)
      continue; /* the shrunken list begins later */
    part_evicted(
        d, index,
        (uint32_t)(last - (part.first > e.first ? part.first : e.first)));
  }
}
