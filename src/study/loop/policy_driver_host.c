/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/loop/policy_driver.h"

enum { LINE_SIZE = 512 };

static const char *const phases[] = {
    [AQ_PHASE_NONE] = "outside of its hooks",
    [AQ_PHASE_START] = "in start",
    [AQ_PHASE_ADMIT] = "in admit",
    [AQ_PHASE_HOOK] = "here",
};

static aq_policy_driver *decider_of(aq_policy_host *host)
{
  return (aq_policy_driver *)host;
}

/* Whether an action is legal now; false after any failure. */
static bool is_legal(aq_policy_driver *d, const char *action,
                     aq_policy_driver_phase a, aq_policy_driver_phase b)
{
  if (d->status != AQ_OK)
    return false;
  if (d->phase == a || d->phase == b || d->phase == AQ_PHASE_HOOK)
    return true;
  aq_policy_driver_fail(d, "%s is not legal %s", action, phases[d->phase]);
  return false;
}

static aq_policy_job_state *held_of(aq_policy_job *job)
{
  return (aq_policy_job_state *)job;
}

/* ---- queues ---- */

static aq_policy_driver_queue *queue_at(aq_policy_driver *d, uint32_t queue)
{
  if (queue < d->queue_capacity && d->queues[queue].queue)
    return &d->queues[queue];
  aq_policy_driver_fail(d, "there is no queue %u", queue);
  return NULL;
}

static aq_status control(aq_policy_driver *d,
                         const aq_policy_driver_queue *queue,
                         aq_queue_control what,
                         const aq_queue_control_args *args)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_status status =
      aq_aql_queue_change(queue->queue->queue, what, args, &diag);
  return status == AQ_OK || status == AQ_REDUCED
             ? AQ_OK
             : aq_policy_driver_break(d, status, &diag);
}

static aq_status host_queue_priority(aq_policy_host *host, uint32_t queue,
                                     int32_t priority)
{
  aq_policy_driver *d = decider_of(host);
  if (!is_legal(d, "queue_priority", AQ_PHASE_START, AQ_PHASE_START))
    return AQ_ERR_INVALID;
  aq_policy_driver_queue *at = queue_at(d, queue);
  if (!at)
    return AQ_ERR_INVALID;
  aq_policy_driver_log(d, "\"act\":\"priority\",\"queue\":%u,\"priority\":%d",
                       queue, priority);
  at->view.priority = priority;
  return control(d, at, AQ_CONTROL_PRIORITY,
                 &(aq_queue_control_args){.value = priority});
}

static aq_status host_queue_cu_mask(aq_policy_host *host, uint32_t queue,
                                    const uint32_t *mask, uint32_t count)
{
  aq_policy_driver *d = decider_of(host);
  if (!is_legal(d, "queue_cu_mask", AQ_PHASE_START, AQ_PHASE_START))
    return AQ_ERR_INVALID;
  const aq_policy_driver_queue *at = queue_at(d, queue);
  if (!at)
    return AQ_ERR_INVALID;
  aq_policy_driver_log(d, "\"act\":\"cu_mask\",\"queue\":%u,\"bits\":%u", queue,
                       count);
  return control(d, at, AQ_CONTROL_CU_MASK,
                 &(aq_queue_control_args){.count = count, .mask = mask});
}

static uint32_t host_queue_open(aq_policy_host *host,
                                const aq_policy_queue_desc *desc)
{
  aq_policy_driver *d = decider_of(host);
  aq_policy_queue_desc own = {0};
  aq_runner_queue *queue;
  aq_diag diag = AQ_DIAG_INIT;
  if (!is_legal(d, "queue_open", AQ_PHASE_START, AQ_PHASE_START))
    return AQ_POLICY_NONE;
  memcpy(&own, desc, desc->size < sizeof own ? desc->size : sizeof own);
  if (own.device >= d->run->info.device_count) {
    aq_policy_driver_fail(d, "there is no device %u", own.device);
    return AQ_POLICY_NONE;
  }
  aq_status status = aq_runner_queue_create(d->run, own.device, &queue, &diag);
  if (status != AQ_OK) {
    aq_policy_driver_break(d, status, &diag);
    return AQ_POLICY_NONE;
  }
  if (!aq_policy_driver_queue_note(d, queue, own.device, true)) {
    aq_runner_queue_destroy(queue);
    aq_policy_driver_fail(d, "no memory for a queue");
    return AQ_POLICY_NONE;
  }
  aq_policy_driver_log(d, "\"act\":\"open\",\"queue\":%u,\"device\":%u",
                       queue->number, own.device);
  if (own.priority)
    host_queue_priority(host, queue->number, own.priority);
  if (own.mask_count)
    host_queue_cu_mask(host, queue->number, own.cu_mask, own.mask_count);
  return d->status == AQ_OK ? queue->number : AQ_POLICY_NONE;
}

static uint32_t host_queue_default(aq_policy_host *host,
                                   const aq_policy_job *job)
{
  return aq_policy_driver_queue_default(decider_of(host),
                                        (const aq_policy_job_state *)job);
}

static void host_queue_view(aq_policy_host *host, uint32_t queue,
                            aq_policy_queue_view *out)
{
  const aq_policy_driver_queue *at = queue_at(decider_of(host), queue);
  *out = at ? at->view : (aq_policy_queue_view){0};
}

static aq_status host_queue_vacate(aq_policy_host *host, uint32_t queue)
{
  aq_policy_driver *d = decider_of(host);
  if (!is_legal(d, "queue_vacate", AQ_PHASE_HOOK, AQ_PHASE_HOOK) ||
      !queue_at(d, queue))
    return AQ_ERR_INVALID;
  aq_policy_driver_log(d, "\"act\":\"vacate\",\"queue\":%u", queue);
  aq_policy_driver_vacate_begin(d, queue);
  return AQ_OK;
}

/* ---- jobs ---- */

static aq_status host_submit(aq_policy_host *host, aq_policy_job *job,
                             uint32_t queue, uint32_t commands)
{
  aq_policy_driver *d = decider_of(host);
  const unsigned long long id = job->id;
  aq_policy_job_state *held = held_of(job);
  if (!is_legal(d, "submit", AQ_PHASE_HOOK, AQ_PHASE_HOOK))
    return AQ_ERR_INVALID;
  const aq_policy_driver_queue *at = queue_at(d, queue);
  if (!at)
    return AQ_ERR_INVALID;
  if (held->state != AQ_POLICY_JOB_READY)
    return aq_policy_driver_fail(d, "it submits job %llu, which is not ready",
                                 id);
  if (at->view.device != job->device)
    return aq_policy_driver_fail(
        d,
        "it submits job %llu of device %u to queue %u of "
        "device %u",
        id, job->device, queue, at->view.device);
  if (commands > job->count - job->submitted || job->submitted == job->count)
    return aq_policy_driver_fail(
        d,
        "it submits %u commands of job %llu, of which %u "
        "are left",
        commands, id, job->count - job->submitted);
  return aq_policy_driver_submit(d, held, queue, commands);
}

static aq_status host_reject(aq_policy_host *host, aq_policy_job *job)
{
  aq_policy_driver *d = decider_of(host);
  aq_policy_job_state *held = held_of(job);
  if (!is_legal(d, "reject", AQ_PHASE_HOOK, AQ_PHASE_HOOK))
    return AQ_ERR_INVALID;
  if (held->state == AQ_POLICY_JOB_DEFERRED || job->submitted > 0)
    return aq_policy_driver_fail(d, "it rejects job %" PRIu64 ", %s", job->id,
                                 job->submitted ? "which is in flight"
                                                : "which was not accepted yet");
  aq_policy_driver_log(d, "\"act\":\"reject\",\"job\":%" PRIu64, job->id);
  aq_policy_driver_reject(d, held);
  return AQ_OK;
}

/* ---- time and words ---- */

static aq_time host_now(aq_policy_host *host)
{
  return decider_of(host)->now;
}

static uint64_t host_random(aq_policy_host *host)
{
  return aq_rng_bits(&decider_of(host)->rng);
}

static uint64_t host_timer_add(aq_policy_host *host, aq_time at,
                               uint64_t cookie)
{
  aq_policy_driver *d = decider_of(host);
  if (!is_legal(d, "timer_add", AQ_PHASE_START, AQ_PHASE_ADMIT))
    return 0;
  if (at < d->now) {
    aq_policy_driver_fail(d, "it sets a timer to a time that is past");
    return 0;
  }
  const uint64_t id = aq_policy_timer_add(&d->agenda, at, cookie, NULL);
  if (!id)
    aq_policy_driver_fail(d, "no memory for a timer");
  return id;
}

static bool host_timer_cancel(aq_policy_host *host, uint64_t timer)
{
  aq_policy_driver *d = decider_of(host);
  return is_legal(d, "timer_cancel", AQ_PHASE_START, AQ_PHASE_ADMIT) &&
         aq_policy_timer_cancel(&d->agenda, timer);
}

static void host_fail_run(aq_policy_host *host, const char *fmt, ...)
{
  char text[LINE_SIZE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  aq_policy_driver_fail(decider_of(host), "%s", text);
}

/* Quotes, backslashes and control characters become spaces: the line stays
 * JSON. */
static void host_log(aq_policy_host *host, const char *fmt, ...)
{
  aq_policy_driver *d = decider_of(host);
  char text[LINE_SIZE / 2];
  va_list args;
  if (!d->logs)
    return;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  for (char *at = text; *at; at++)
    if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ')
      *at = ' ';
  aq_policy_driver_log(d, "\"log\":\"%s\"", text);
}

void aq_policy_driver_host_init(aq_policy_driver *d)
{
  d->logs = d->run->options->decision != NULL;
  d->host = (aq_policy_host){
      .abi = AQ_POLICY_ABI,
      .size = sizeof d->host,
      .now = host_now,
      .random = host_random,
      .queue_open = host_queue_open,
      .queue_default = host_queue_default,
      .queue_view = host_queue_view,
      .queue_priority = host_queue_priority,
      .queue_cu_mask = host_queue_cu_mask,
      .submit = host_submit,
      .reject = host_reject,
      .timer_add = host_timer_add,
      .timer_cancel = host_timer_cancel,
      .fail_run = host_fail_run,
      .log = host_log,
      .queue_vacate = host_queue_vacate,
  };
}
