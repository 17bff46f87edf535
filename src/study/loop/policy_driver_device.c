/* SPDX-License-Identifier: MIT */
/* Requests of a policy's device half and of the device itself to a run, and
 * packets that come back from the device. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "study/loop/policy_driver.h"

/* ---- requests of a device ---- */

static uint32_t device_host_queue(void *user, uint32_t ring)
{
  return aq_policy_driver_queue_of_ring(user, ring);
}

/* Packets are asked for from the oldest to the newest, about as they were
 * submitted: few parts lie before the right one. */
static bool device_identify(void *user, uint32_t ring, uint64_t packet,
                            uint64_t *job, uint32_t *command, bool *idempotent)
{
  const aq_policy_driver *d = user;
  const uint32_t queue = aq_policy_driver_queue_of_ring(d, ring);
  if (queue == AQ_POLICY_NONE)
    return false;
  uint32_t index = d->queues[queue].newest;
  while (index != AQ_JOB_NO_INDEX &&
         !(packet >= d->parts[index].first &&
           packet - d->parts[index].first < d->parts[index].commands))
    index = d->parts[index].older;
  if (index == AQ_JOB_NO_INDEX)
    return false;
  const aq_policy_driver_part *part = &d->parts[index];
  *job = part->held->job.id;
  *command = part->first_command + (uint32_t)(packet - part->first);
  *idempotent = part->held->job.job_flags & AQ_JOB_IDEMPOTENT;
  return true;
}

static void device_failed(void *user, const char *text)
{
  aq_policy_driver_fail(user, "%s", text);
}

static void device_logged(void *user, aq_time now, const char *text)
{
  aq_policy_driver *d = user;
  const aq_time before = d->now;
  d->now = now;
  aq_policy_driver_log(d, "\"device\":\"%s\"", text);
  d->now = before;
}

static void device_evicted(void *user, uint32_t ring, uint64_t first,
                           uint32_t packets)
{
  aq_policy_driver *d = user;
  const uint32_t queue = aq_policy_driver_queue_of_ring(d, ring);
  if (queue == AQ_POLICY_NONE) {
    aq_policy_driver_fail(d,
                          "it takes packets off a queue that is not the run's");
    return;
  }
  if (!AQ_ARRAY_PUSH(d->evicted, d->evicted_count, d->evicted_capacity,
                     (aq_policy_driver_evicted){queue, first, packets})) {
    aq_policy_driver_fail(d, "no memory for packets that come back");
    return;
  }
}

static void device_woken(void *user, uint64_t cookie)
{
  aq_policy_driver *d = user;
  const aq_time heard =
      aq_time_add(d->run->ops->now(d->run->transport), d->timing.latency);
  if (!aq_policy_timer_add(&d->agenda, heard, cookie, NULL))
    aq_policy_driver_fail(d, "no memory for a timer");
}

void aq_policy_driver_binding_init(aq_policy_driver *d,
                                   const aq_policy_choice *choice)
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
      .preempted = aq_policy_driver_preempted,
  };
  memcpy(d->binding.timing, aq_policy_choice_timing(choice),
         sizeof d->binding.timing);
}

/* ---- packets that come back ---- */

/* The packet that carried the completion is gone: another one does. */
static void part_complete_behind(aq_policy_driver *d, uint32_t index)
{
  aq_policy_driver_part *part = &d->parts[index];
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_runner_complete_behind(d->run, d->queues[part->queue].queue, index,
                                &diag) != AQ_OK)
    aq_policy_driver_fail(d, "%s", diag.text);
  part->behind = d->run->first;
}

/* Commands from `kept` on will not run: the part shrinks, or is gone. */
static void part_shrink(aq_policy_driver *d, uint32_t index, uint32_t kept)
{
  if (kept == 0) {
    aq_policy_driver_part_unlink(d, index);
    d->flying--;
    aq_inflight_jobs_complete(&d->run->jobs, index);
    return;
  }
  d->parts[index].commands = kept;
  part_complete_behind(d, index);
}

/* The newest commands of a part came back. */
static void part_evicted(aq_policy_driver *d, uint32_t index, uint32_t count)
{
  const aq_policy_driver_part part = d->parts[index];
  aq_policy_job_state *held = part.held;
  aq_policy_queue_view *view = &d->queues[part.queue].view;
  const unsigned long long id = held->job.id;
  if (part.first_command + part.commands != held->view.submitted) {
    aq_policy_driver_fail(
        d,
        "it takes commands of job %llu off a queue, of which later "
        "ones are in another",
        id);
    return;
  }
  if (held->released || d->run->jobs.jobs[index].references > 0) {
    aq_policy_driver_fail(
        d, "it takes job %llu off a queue, which others wait for", id);
    return;
  }
  held->view.submitted -= count;
  view->commands -= count;
  view->jobs -= count == part.commands;
  part_shrink(d, index, part.commands - count);
  aq_policy_driver_log(
      d, "\"hook\":\"evicted\",\"job\":%llu,\"queue\":%u,\"commands\":%u", id,
      part.queue, count);
  if (d->status != AQ_OK)
    return;
  if (d->ops.evicted)
    d->ops.evicted(d->policy, &held->view, part.queue, count);
  else
    aq_policy_driver_submit(d, held, part.queue, count);
}

void aq_policy_driver_evictions_handle(aq_policy_driver *d)
{
  const aq_policy_driver_evicted e = d->evicted[0];
  memmove(d->evicted, d->evicted + 1, --d->evicted_count * sizeof *d->evicted);
  const uint64_t end = e.first + e.packets;
  uint32_t index = d->queues[e.queue].newest, older;
  for (; index != AQ_JOB_NO_INDEX && d->status == AQ_OK; index = older) {
    const aq_policy_driver_part part = d->parts[index];
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
