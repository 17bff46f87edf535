/* SPDX-License-Identifier: MIT */
/* One server on each device that takes the job that comes first in an order,
 * and stops a worse one for it: strict priority (A. Cobham 1954, preemptive by
 * D. Miller 1960), last come first served, or the least remaining work (L.
 * Schrage, "A proof of the optimality of the shortest remaining processing
 * time discipline", 1968). A stopped job continues at the same place (switch),
 * starts its kernel anew (reset), or only gets no more workgroups (drain). */
#include "config.h"

#include <string.h>

#include "common/array.h"
#include "common/policy_queues.h"
#include "scheduler/policies/policies.h"

enum { ORDER, MODE };

typedef enum order { BY_PRIORITY, BY_ARRIVAL, BY_WORK } order;

/* The policy's state of a job that has begun; in job->user. */
typedef struct begun {
  struct begun *next; /* spare ones */
  uint32_t queue;
  uint32_t kernel; /* AQ_POLICY_NONE: not launched yet */
  bool stopped;
  aq_time left, since;
} begun;

typedef struct station {
  aq_policy_device *device;
  aq_job_heap waiting;
  aq_policy_job *running, *stopping;
  aq_policy_job *stopped; /* the host half has not heard of it */
  begun *spare;
} station;

struct aq_policy {
  aq_policy_host *host;
  const aq_policy_value *values;
  order order;
  aq_preempt_mode mode;
  station *stations;
  uint32_t station_capacity;
};

static const aq_time RETRY = 100 * AQ_NS;

static int text_find(const char *text, const char *const *list)
{
  int i = 0;
  while (list[i] && strcmp(list[i], text) != 0)
    i++;
  return list[i] ? i : -1;
}

static aq_status open(const aq_policy_open *args, aq_policy **out,
                      aq_diag *diag)
{
  static const char *const orders[] = {"priority", "lcfs", "srpt", NULL};
  static const char *const modes[] = {"drain", "switch", "reset", "kill", NULL};
  const int by = text_find(args->values[ORDER].text, orders);
  const int mode = text_find(args->values[MODE].text, modes);
  if (by < 0 || mode < 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "order=%s,mode=%s; expected order priority, lcfs or "
                       "srpt and mode drain, switch, reset or kill",
                       args->values[ORDER].text, args->values[MODE].text);
  aq_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->host = args->host;
  p->order = (order)by;
  p->mode = (aq_preempt_mode)mode;
  *out = p;
  return AQ_OK;
}

static void close(aq_policy *p)
{
  for (uint32_t i = 0; p->stations && i < p->host->device_count; i++) {
    station *s = &p->stations[i];
    aq_job_heap_fini(&s->waiting);
    for (begun *b; (b = s->spare);) {
      s->spare = b->next;
      free(b);
    }
  }
  free(p->stations);
  free(p);
}

static station *station_of(aq_policy *p, const aq_policy_job *job)
{
  return &p->stations[job->device];
}

static begun *begun_of(const aq_policy_job *job)
{
  return job->user.pointer;
}

/* Devices are attached before the host half starts. */
static void attach(aq_policy *p, aq_policy_device *device)
{
  if (!AQ_ARRAY_RESERVE_ZEROED(p->stations, p->station_capacity,
                               (size_t)device->device + 1)) {
    device->fail_run(device, "out of memory");
    return;
  }
  p->stations[device->device] = (station){.device = device};
}

static int64_t key_of(const aq_policy *p, const aq_policy_job *job)
{
  const begun *b = begun_of(job);
  switch (p->order) {
  case BY_PRIORITY:
    return -(int64_t)job->priority;
  case BY_ARRIVAL:
    return -(int64_t)job->id;
  case BY_WORK:
    break;
  }
  if (!b)
    return job->hint;
  return b->stopped ? b->left : b->left - (p->host->now(p->host) - b->since);
}

/* Unknown work stays unknown; only the order by work needs it. */
static void work_spend(begun *b, aq_time until)
{
  if (b->left != AQ_TIME_NONE)
    b->left -= until - b->since;
}

/* A queue of its own, kept for a later one. */
static begun *begin(aq_policy *p, station *s, const aq_policy_job *job)
{
  begun *b = s->spare;
  if (b) {
    s->spare = b->next;
    return b;
  }
  const aq_policy_queue_desc desc = {.size = sizeof desc,
                                     .device = job->device};
  b = calloc(1, sizeof *b);
  if (!b) {
    p->host->fail_run(p->host, "out of memory");
    return NULL;
  }
  b->queue = p->host->queue_open(p->host, &desc);
  return b;
}

static void run(aq_policy *p, station *s, aq_policy_job *job)
{
  begun *b = begun_of(job);
  s->running = job;
  if (b && b->stopped) {
    b->stopped = false;
    b->since = p->host->now(p->host);
    s->device->resume(s->device, b->kernel);
    return;
  }
  if (!b && !(b = begin(p, s, job)))
    return;
  if (!job->user.pointer)
    b->left = job->hint;
  job->user.pointer = b;
  b->kernel = AQ_POLICY_NONE;
  b->since = p->host->now(p->host);
  p->host->submit(p->host, job, b->queue, 1);
}

static void put(aq_policy *p, station *s, aq_policy_job *job)
{
  job->key = key_of(p, job);
  if (!aq_job_heap_put(&s->waiting, job))
    p->host->fail_run(p->host, "out of memory");
}

static void serve(aq_policy *p, station *s)
{
  if (!s->running && !s->stopping && !s->stopped && s->waiting.count)
    run(p, s, aq_job_heap_take(&s->waiting));
}

/* Stops the running job if the first that waits comes before it. */
static void compare(aq_policy *p, station *s)
{
  aq_policy_job *job = s->running;
  if (!job || s->stopping || s->stopped || !s->waiting.count ||
      s->waiting.jobs[0]->key >= key_of(p, job))
    return;
  const begun *b = begun_of(job);
  if (b->kernel == AQ_POLICY_NONE) { /* on its way to the device */
    p->host->timer_add(p->host, p->host->now(p->host) + RETRY, job->device);
    return;
  }
  s->running = NULL;
  s->stopping = job;
  s->device->preempt(s->device, &(aq_preemption){.size = sizeof(aq_preemption),
                                                 .mode = p->mode,
                                                 .scope = AQ_PREEMPT_KERNEL,
                                                 .target = b->kernel});
}

static void ready(aq_policy *p, aq_policy_job *job)
{
  station *s = station_of(p, job);
  put(p, s, job);
  serve(p, s);
  compare(p, s);
}

/* A kernel was stopped, or is launched by now. */
static void timer(aq_policy *p, uint64_t device)
{
  station *s = &p->stations[device];
  if (s->stopped)
    put(p, s, s->stopped);
  s->stopped = NULL;
  serve(p, s);
  compare(p, s);
}

static void part_done(aq_policy *p, aq_policy_job *job, uint32_t queue,
                      uint32_t commands)
{
  station *s = station_of(p, job);
  begun *b = begun_of(job);
  (void)queue;
  (void)commands;
  work_spend(b, p->host->now(p->host));
  if (s->running == job)
    s->running = NULL;
  else if (s->stopping == job)
    s->stopping = NULL; /* it ended before it could be stopped */
  else if (s->stopped == job)
    s->stopped = NULL;
  b->stopped = false;
  b->kernel = AQ_POLICY_NONE;
  if (job->completed < job->count) {
    b->since = p->host->now(p->host);
    put(p, s, job);
  } else {
    b->next = s->spare;
    s->spare = b;
  }
  serve(p, s);
}

static void launch(aq_policy *p, aq_policy_device *device,
                   const aq_device_kernel *kernel, aq_device_launch *out)
{
  station *s = &p->stations[device->device];
  (void)out;
  if (s->running && s->running->id == kernel->job)
    begun_of(s->running)->kernel = kernel->kernel;
}

static void preempted(aq_policy *p, aq_policy_device *device,
                      const aq_preempt_result *result)
{
  station *s = &p->stations[device->device];
  aq_policy_job *job = s->stopping;
  if (!job || begun_of(job)->kernel != result->target)
    return;
  begun *b = begun_of(job);
  s->stopping = NULL;
  if (p->mode != AQ_PREEMPT_RESET)
    work_spend(b, result->asked);
  b->stopped = true;
  s->stopped = job;
  device->host_wake(device, device->device);
}

const aq_policy_ops aq_policy_preemptive = {
    .abi = AQ_POLICY_ABI,
    .size = sizeof(aq_policy_ops),
    .name = "preemptive",
    .summary = "the first in an order alone; a worse one is stopped for it",
    .source = "Miller 1960; Schrage 1968",
    .settings =
        (const aq_policy_setting[]){
            {"order", AQ_SETTING_TEXT, "priority", "priority, lcfs or srpt"},
            {"mode", AQ_SETTING_TEXT, "switch",
             "how a kernel is stopped: drain, switch, reset or kill"},
            {0}},
    .needs = AQ_NEED_LAUNCH | AQ_NEED_DRAIN | AQ_NEED_SWITCH | AQ_NEED_RESET |
             AQ_NEED_KILL,
    .open = open,
    .close = close,
    .attach = attach,
    .ready = ready,
    .part_done = part_done,
    .timer = timer,
    .launch = launch,
    .preempted = preempted,
};
