/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/loop/policy_driver.h"

#include <stdlib.h>

#include "common/text.h"

/* The policy's random numbers: a substream that no client of a workload has. */
static const uint64_t SUBSTREAM = UINT64_MAX;

/* Timers in a row without anything in flight: it waits for nothing. */
enum {
  IDLE_TIMERS_MAX = 1000000,
  INSTANT_TIMERS_MAX = 1000000,
};

/* ---- life ---- */

/* Refuses, before the first packet, a policy that needs deadlines which no job
 * of the source has. */
static aq_status deadlines_check(const aq_runner *run, uint32_t flags,
                                 const char *policy, aq_diag *diag)
{
  if (!run->source->no_deadlines ||
      !(flags & (AQ_POLICY_DEADLINES | AQ_POLICY_SOME_DEADLINES)))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "policy %s: it needs deadlines, and no job has one",
                     policy);
}

aq_status aq_policy_driver_create(aq_runner *run,
                                  const aq_policy_choice *choice,
                                  aq_policy_driver **out, aq_diag *diag)
{
  const aq_status fits =
      deadlines_check(run, aq_policy_choice_ops(choice)->flags,
                      aq_policy_choice_name(choice), diag);
  if (fits != AQ_OK)
    return fits;
  aq_policy_driver *d = calloc(1, sizeof *d);
  if (!d)
    return aq_diag_no_memory(diag);
  d->run = run;
  d->ops = *aq_policy_choice_ops(choice);
  d->timing = aq_policy_choice_timing(choice)[AQ_SIDE_HOST];
  d->failure = (aq_diag)AQ_DIAG_INIT;
  aq_rng_init(&d->rng, run->options->open.seed, SUBSTREAM);
  aq_policy_jobs_init(&d->held);
  aq_policy_driver_host_init(d);
  const aq_policy_open open = {.size = sizeof open,
                               .host = &d->host,
                               .values = aq_policy_choice_values(choice)};
  aq_status status = d->ops.open(&open, &d->policy, diag);
  if (status != AQ_OK) {
    d->ops.close = NULL;
    aq_policy_driver_destroy(d);
    return status;
  }
  aq_policy_driver_binding_init(d, choice);
  *out = d;
  return AQ_OK;
}

void aq_policy_driver_destroy(aq_policy_driver *d)
{
  if (!d)
    return;
  if (d->ops.close)
    d->ops.close(d->policy);
  for (uint32_t i = 0; i < d->queue_capacity; i++)
    if (d->queues[i].own)
      aq_runner_queue_destroy(d->queues[i].queue);
  free(d->queues);
  free(d->parts);
  free(d->evicted);
  aq_policy_timers_fini(&d->agenda);
  aq_policy_jobs_fini(&d->held);
  free(d);
}

const aq_policy_binding *aq_policy_driver_binding(const aq_policy_driver *d)
{
  return aq_policy_has_device_half(d->binding.ops) ? &d->binding : NULL;
}

/* ---- hooks ---- */

static bool failed(const aq_policy_driver *d)
{
  return d->status != AQ_OK;
}

/* A job without commands only orders others. */
static bool is_marker(const aq_policy_job_state *held)
{
  return held->view.count == 0;
}

static void notify_ready(aq_policy_driver *d, aq_policy_job_state *held)
{
  held->state = AQ_POLICY_JOB_READY;
  if (!is_marker(held))
    aq_policy_driver_log(d, "\"hook\":\"ready\",\"job\":%llu",
                         (unsigned long long)held->job.id);
  if (d->ops.ready && !is_marker(held)) {
    d->ops.ready(d->policy, &held->view);
  } else {
    const uint32_t queue = aq_policy_driver_queue_default(d, held);
    if (queue != AQ_POLICY_NONE)
      aq_policy_driver_submit(d, held, queue, 0);
  }
}

/* Hooks are not called within actions: reports the jobs made ready now. */
static void notify_ready_all(aq_policy_driver *d)
{
  while (d->ready_first && !failed(d)) {
    aq_policy_job_state *held = d->ready_first;
    d->ready_first = held->next_ready;
    notify_ready(d, held);
  }
}

static void hook_begin(aq_policy_driver *d, aq_time now)
{
  d->now = now;
  d->phase = AQ_PHASE_HOOK;
}

static void hook_end(aq_policy_driver *d)
{
  notify_ready_all(d);
  while (d->evicted_count && !failed(d)) {
    aq_policy_driver_evictions_handle(d);
    notify_ready_all(d);
  }
  d->phase = AQ_PHASE_NONE;
}

static bool flag_check(aq_policy_driver *d, const aq_policy_job_state *held)
{
  const unsigned long long id = held->job.id;
  if (d->ops.flags & AQ_POLICY_HINTS && held->view.hint == AQ_TIME_NONE)
    aq_policy_driver_fail(d, "it needs duration hints, and job %llu has none",
                          id);
  if (d->ops.flags & AQ_POLICY_DEADLINES && held->job.deadline == AQ_TIME_NONE)
    aq_policy_driver_fail(d, "it needs deadlines, and job %llu has none", id);
  return !failed(d);
}

static void accept(aq_policy_driver *d, aq_policy_job_state *held)
{
  held->state = AQ_POLICY_JOB_BLOCKED;
  if (held->blockers == 0)
    notify_ready(d, held);
}

static void defer(aq_policy_driver *d, aq_policy_job_state *held, aq_time again)
{
  held->asks = again == AQ_TIME_MAX;
  if (held->asks)
    d->deferred++;
  else if (again <= d->now)
    aq_policy_driver_fail(d, "it defers job %llu to a time that is past",
                          (unsigned long long)held->job.id);
  else if (!aq_policy_timer_add(&d->agenda, again, held->job.id, held))
    aq_policy_driver_fail(d, "no memory for a timer");
}

static const char *const admissions[] = {
    [AQ_ADMIT_ACCEPT] = "accept",
    [AQ_ADMIT_REJECT] = "reject",
    [AQ_ADMIT_DEFER] = "defer",
};

/* A job asks to be admitted, within a hook. */
static void admit(aq_policy_driver *d, aq_policy_job_state *held)
{
  aq_time again = AQ_TIME_MAX;
  aq_admission admission = AQ_ADMIT_ACCEPT;
  if (is_marker(held)) {
    accept(d, held);
    return;
  }
  if (!flag_check(d, held))
    return;
  if (d->ops.admit) {
    d->phase = AQ_PHASE_ADMIT;
    admission = d->ops.admit(d->policy, &held->view, &again);
    d->phase = AQ_PHASE_HOOK;
    if (failed(d))
      return;
    if (admission <= AQ_ADMIT_DEFER)
      aq_policy_driver_log(
          d, "\"hook\":\"admit\",\"job\":%llu,\"answer\":\"%s\"",
          (unsigned long long)held->job.id, admissions[admission]);
  }
  switch (admission) {
  case AQ_ADMIT_ACCEPT:
    accept(d, held);
    return;
  case AQ_ADMIT_REJECT:
    aq_policy_driver_reject(d, held);
    return;
  case AQ_ADMIT_DEFER:
    defer(d, held, again);
    return;
  }
  aq_policy_driver_fail(d, "admit answers %d", (int)admission);
}

/* A hook may have rejected it meanwhile, with its dependencies, and its place
 * may be another's. */
static void admit_if_there(aq_policy_driver *d, aq_policy_job_state *held,
                           uint64_t job)
{
  if (held->state == AQ_POLICY_JOB_DEFERRED && held->job.id == job)
    admit(d, held);
}

/* The next by arrival; an answer may have removed others. */
static aq_policy_job_state *held_behind(const aq_policy_driver *d,
                                        aq_policy_job_state *after, uint64_t id,
                                        uint64_t removed)
{
  if (d->held.removed == removed)
    return after;
  aq_policy_job_state *held = d->held.first;
  while (held && held->job.id <= id)
    held = held->after;
  return held;
}

/* Retry the jobs that wait for the next completion. */
static void deferred_ask(aq_policy_driver *d)
{
  uint32_t left = d->deferred;
  d->deferred = 0;
  aq_policy_job_state *held = d->held.first;
  while (left > 0 && held && !failed(d)) {
    const uint64_t id = held->job.id, removed = d->held.removed;
    aq_policy_job_state *after = held->after;
    if (held->state == AQ_POLICY_JOB_DEFERRED && held->asks) {
      left--;
      admit(d, held);
    }
    held = held_behind(d, after, id, removed);
  }
}

static void told_completion(aq_policy_driver *d, aq_policy_job_state *held,
                            uint32_t queue, uint32_t commands)
{
  aq_policy_queue_view *view = &d->queues[queue].view;
  view->jobs--;
  view->commands -= commands;
  held->view.completed += commands;
  const bool done = held->view.completed == held->view.count;
  aq_policy_driver_log(
      d, "\"hook\":\"%s\",\"job\":%llu,\"queue\":%u,\"commands\":%u",
      done ? "done" : "part_done", (unsigned long long)held->job.id, queue,
      commands);
  if (d->ops.part_done && !failed(d))
    d->ops.part_done(d->policy, &held->view, queue, commands);
  if (d->ops.done && done && !failed(d))
    d->ops.done(d->policy, &held->view);
  if (done && !held->released)
    aq_policy_jobs_release(&d->held, held, NULL, aq_policy_driver_ready_later,
                           d);
  if (done)
    aq_policy_jobs_remove(&d->held, held);
  notify_ready_all(d);
  if (d->deferred && !failed(d))
    deferred_ask(d);
}

/* ---- events of the loop ---- */

static void notice(aq_policy_driver *d, aq_policy_job_state *held,
                   uint32_t queue, uint32_t commands)
{
  const aq_time now = d->run->ops->now(d->run->transport);
  if (d->timing.cost == 0 && d->timing.latency == 0) {
    hook_begin(d, now);
    if (commands)
      told_completion(d, held, queue, commands);
    else
      admit(d, held);
    hook_end(d);
    return;
  }
  const aq_time heard = aq_time_add(now, d->timing.latency);
  if (!aq_policy_notice_add(
          &d->agenda,
          &(aq_policy_notice){heard, held, held->job.id, queue, commands}))
    aq_policy_driver_fail(d, "no memory for a notice");
}

aq_status aq_policy_driver_arrival(aq_policy_driver *d, const aq_job *job,
                                   aq_diag *diag)
{
  aq_policy_job_state *held;
  const int64_t key =
      aq_runner_stream_key(d->run, job) ^
      (int64_t)((uint64_t)(job->device % d->run->info.device_count) << 56);
  aq_status status = aq_runner_job_check(job, diag);
  if (status == AQ_OK)
    status = aq_policy_jobs_add(&d->held, job, key, &held, diag);
  if (status != AQ_OK)
    return status;
  held->view.device = job->device % d->run->info.device_count;
  aq_runner_count(d->run, job);
  notice(d, held, 0, 0);
  return AQ_OK;
}

void aq_policy_driver_completion(aq_policy_driver *d, uint32_t index,
                                 aq_time time)
{
  const aq_policy_driver_part part = d->parts[index];
  aq_policy_job_state *held = part.held;
  aq_workload_source *source = d->run->source;
  held->finished += part.commands;
  d->flying--;
  aq_policy_driver_part_unlink(d, index);
  if (d->queues[part.queue].newest == AQ_JOB_NO_INDEX)
    aq_policy_driver_vacate_end(d, part.queue, time);
  if (held->finished == held->view.count && source->done)
    source->done(source, held->job.id, time);
  if (is_marker(held)) {
    /* Only the jobs behind it need to know. */
    d->queues[part.queue].view.jobs--;
    hook_begin(d, d->run->ops->now(d->run->transport));
    if (!held->released)
      aq_policy_jobs_release(&d->held, held, NULL, aq_policy_driver_ready_later,
                             d);
    aq_policy_jobs_remove(&d->held, held);
    hook_end(d);
  } else {
    notice(d, held, part.queue, part.commands);
  }
}

/* ---- due items ---- */

/* The decision that comes next begins here. */
static aq_time decision_begin(const aq_policy_driver *d)
{
  const aq_time notice = aq_policy_notice_next(&d->agenda);
  const aq_time timer = aq_policy_timer_next(&d->agenda);
  const aq_time first = aq_time_min(notice, timer);
  return first == AQ_TIME_MAX ? first : aq_time_max(first, d->busy_until);
}

static aq_time decision_next(const aq_policy_driver *d)
{
  const aq_time begin = decision_begin(d);
  return begin == AQ_TIME_MAX ? begin : aq_time_add(begin, d->timing.cost);
}

aq_time aq_policy_driver_next(const aq_policy_driver *d)
{
  const aq_time arrival = d->run->source->peek(d->run->source);
  if (arrival == AQ_TIME_MAX && d->held.count == 0)
    return AQ_TIME_MAX;
  return aq_time_min(arrival, decision_next(d));
}

bool aq_policy_driver_has_pending(const aq_policy_driver *d)
{
  return failed(d) || d->evicted_count || d->agenda.timer_count;
}

static void timer_notify(aq_policy_driver *d)
{
  const aq_policy_timer timer = aq_policy_timer_pop(&d->agenda);
  if (timer.deferred) {
    admit_if_there(d, timer.deferred, timer.cookie);
    return;
  }
  if (d->flying == 0 && ++d->idle_timers > IDLE_TIMERS_MAX)
    aq_policy_driver_fail(
        d, "it stalls: %u job%s waiting, nothing in flight during %d timers",
        d->held.count, aq_text_plural(d->held.count), IDLE_TIMERS_MAX);
  if (d->instant != d->now)
    d->instant_timers = 0;
  d->instant = d->now;
  if (++d->instant_timers > INSTANT_TIMERS_MAX)
    aq_policy_driver_fail(d, "it stalls: %d timers went off at one instant",
                          INSTANT_TIMERS_MAX);
  aq_policy_driver_log(d, "\"hook\":\"timer\",\"cookie\":%llu",
                       (unsigned long long)timer.cookie);
  if (d->ops.timer && !failed(d))
    d->ops.timer(d->policy, timer.cookie);
}

static void decide_one(aq_policy_driver *d)
{
  const aq_time begin = decision_begin(d);
  d->busy_until = aq_time_add(begin, d->timing.cost);
  hook_begin(d, begin);
  if (aq_policy_notice_next(&d->agenda) <= aq_policy_timer_next(&d->agenda)) {
    const aq_policy_notice n = aq_policy_notice_pop(&d->agenda);
    if (n.commands)
      told_completion(d, n.held, n.queue, n.commands);
    else
      admit_if_there(d, n.held, n.job);
  } else {
    timer_notify(d);
  }
  hook_end(d);
}

/* Continues without a policy: submits the waiting jobs now. */
static void fall_back(aq_policy_driver *d)
{
  d->fallen_back = true;
  d->run->totals.fallback = d->failure;
  d->status = AQ_OK;
  d->ops = (aq_policy_ops){.close = d->ops.close, .name = d->ops.name};
  d->timing = (aq_policy_timing){0, 0};
  hook_begin(d, d->run->ops->now(d->run->transport));
  while (d->agenda.timer_count)
    aq_policy_timer_pop(&d->agenda);
  d->deferred = 0;
  while (d->agenda.notice_count) {
    const aq_policy_notice n = aq_policy_notice_pop(&d->agenda);
    if (n.commands)
      told_completion(d, n.held, n.queue, n.commands);
  }
  d->ready_first = NULL;
  for (aq_policy_job_state *held = d->held.first, *after; held && !failed(d);
       held = after) {
    after = held->after;
    if (held->state == AQ_POLICY_JOB_DEFERRED)
      held->state = AQ_POLICY_JOB_BLOCKED;
    const bool left = held->view.submitted < held->view.count ||
                      (is_marker(held) && held->last_part == 0);
    if (held->blockers == 0 && left)
      notify_ready(d, held);
  }
  hook_end(d);
}

aq_status aq_policy_driver_decide(aq_policy_driver *d, aq_diag *diag)
{
  if (d->agenda.timer_count || d->agenda.notice_count) {
    const aq_time now = d->run->ops->now(d->run->transport);
    while (!failed(d) && decision_next(d) <= now)
      decide_one(d);
  }
  if (d->evicted_count && !failed(d)) {
    hook_begin(d, d->run->ops->now(d->run->transport));
    hook_end(d);
  }
  if (!failed(d) && d->flying == 0 && d->held.count > 0 &&
      aq_policy_driver_next(d) == AQ_TIME_MAX) {
    /* Nothing will happen any more, and jobs are waiting. */
    const aq_policy_job_state *held = d->held.first;
    d->now = d->run->ops->now(d->run->transport);
    aq_policy_driver_fail(
        d,
        "it stalls: %u job%s waiting, nothing in flight, no timer set; the "
        "oldest is job %llu, %s",
        d->held.count, aq_text_plural(d->held.count),
        (unsigned long long)held->job.id,
        held->state == AQ_POLICY_JOB_READY      ? "ready"
        : held->state == AQ_POLICY_JOB_DEFERRED ? "deferred"
                                                : "blocked");
  }
  if (failed(d) && !d->broken && !d->fallen_back &&
      d->run->options->policy_fallback)
    fall_back(d);
  if (failed(d) && diag)
    *diag = d->failure;
  return d->status;
}

aq_status aq_policy_driver_start(aq_policy_driver *d, aq_diag *diag)
{
  const uint32_t missing = d->ops.caps & ~d->run->info.caps;
  const char *transport = d->run->ops->name;
  if (aq_policy_driver_binding(d) &&
      !(d->run->info.caps & AQ_CAP_DEVICE_POLICY))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "policy %s decides inside the device, which transport "
                       "%s does not offer",
                       d->ops.name, transport);
  if (missing)
    return aq_diag_set(
        diag, AQ_ERR_UNSUPPORTED,
        "policy %s needs %s, which transport %s does not offer", d->ops.name,
        aq_transport_cap_name(missing & (~missing + 1)), transport);
  d->host.caps = d->run->info.caps;
  d->host.device_count = d->run->info.device_count;
  d->host.devices = d->run->info.devices;
  if (d->ops.start) {
    d->now = d->run->ops->now(d->run->transport);
    d->phase = AQ_PHASE_START;
    d->ops.start(d->policy);
    d->phase = AQ_PHASE_NONE;
  }
  if (failed(d) && diag)
    *diag = d->failure;
  return d->status;
}
