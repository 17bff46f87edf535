/* SPDX-License-Identifier: MIT */
/* XSched. Level 1 (progressive launching): every stream keeps its queue, with
 * at most so many commands in flight; streams of clients less urgent than the
 * most urgent one with jobs launch nothing. Commands in flight cannot be taken
 * back, so a preemption waits for up to `threshold` commands. Commands are
 * launched, and heard of, `batch` at a time. Level 2 also
 * stops the queues of the others, so that it waits for one command; level 3
 * stops their kernels too, by a context switch. W. Shen and others, "XSched:
 * preemptive scheduling for diverse XPUs", OSDI 2025. */
#include "config.h"

#include "common/array.h"
#include "common/policy_queues.h"
#include "scheduler/policies/policies.h"

enum { THRESHOLD, BATCH };

/* Jobs that have commands left to launch, of one urgency. */
typedef struct level {
  int32_t priority;
  uint32_t present; /* ready and not done */
  aq_job_list list;
  aq_job_list fresh; /* behind those, not tried since they are ready */
} level;

/* A queue that a less urgent client used. */
typedef struct used_queue {
  uint32_t queue; /* of the host half */
  uint32_t device;
  int32_t priority;
  bool stopped;
} used_queue;

enum { DEVICES_MAX = 64 };

struct aq_policy {
  aq_policy_host *host;
  int xlevel;                             /* 1 to 3 */
  aq_policy_device *devices[DEVICES_MAX]; /* from level 2 on */
  used_queue *queues;
  uint32_t queue_count, queue_capacity;
  uint32_t threshold, batch;
  level *levels; /* the most urgent first */
  uint32_t level_count, level_capacity;
  int32_t served;    /* urgency of the level served last */
  bool serves_again; /* there was one */
};

static aq_status open_level(const aq_policy_open *args, int xlevel,
                            aq_policy **out, aq_diag *diag)
{
  aq_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->host = args->host;
  p->xlevel = xlevel;
  p->threshold = (uint32_t)args->values[THRESHOLD].count;
  p->batch = (uint32_t)args->values[BATCH].count;
  if (p->batch > p->threshold)
    p->batch = p->threshold;
  *out = p;
  return AQ_OK;
}

static aq_status open(const aq_policy_open *args, aq_policy **out,
                      aq_diag *diag)
{
  return open_level(args, 1, out, diag);
}

static aq_status open2(const aq_policy_open *args, aq_policy **out,
                       aq_diag *diag)
{
  return open_level(args, 2, out, diag);
}

static aq_status open3(const aq_policy_open *args, aq_policy **out,
                       aq_diag *diag)
{
  return open_level(args, 3, out, diag);
}

static void start(aq_policy *p)
{
  if (p->batch == 0)
    p->host->fail_run(p->host, "threshold=%u, batch=%u; expected 1 or more",
                      p->threshold, p->batch);
}

static void close(aq_policy *p)
{
  free(p->levels);
  free(p->queues);
  free(p);
}

static level *level_of(aq_policy *p, int32_t priority)
{
  uint32_t at = 0;
  while (at < p->level_count && p->levels[at].priority > priority)
    at++;
  if (at < p->level_count && p->levels[at].priority == priority)
    return &p->levels[at];
  if (!AQ_ARRAY_RESERVE(p->levels, p->level_capacity, p->level_count + 1)) {
    p->host->fail_run(p->host, "out of memory");
    return NULL;
  }
  for (uint32_t i = p->level_count++; i > at; i--)
    p->levels[i] = p->levels[i - 1];
  p->levels[at] = (level){.priority = priority};
  return &p->levels[at];
}

/* ---- queues that stand still ---- */

static void attach(aq_policy *p, aq_policy_device *device)
{
  if (device->device < DEVICES_MAX)
    p->devices[device->device] = device;
  else
    device->fail_run(device, "more than %d devices", DEVICES_MAX);
}

static void queue_note(aq_policy *p, uint32_t queue, const aq_policy_job *job)
{
  for (uint32_t i = 0; i < p->queue_count; i++)
    if (p->queues[i].queue == queue) {
      p->queues[i].priority = job->priority;
      return;
    }
  if (!AQ_ARRAY_PUSH(p->queues, p->queue_count, p->queue_capacity,
                     (used_queue){queue, job->device, job->priority, false}))
    p->host->fail_run(p->host, "out of memory");
}

/* Level 1 only launches nothing more. Level 3 takes the slot of the queue,
 * whose kernels are saved. */
static void queue_stop(const aq_policy *p, used_queue *q, bool stop)
{
  aq_policy_device *device = p->devices[q->device];
  aq_device_queue view;
  uint32_t i = 0;
  if (p->xlevel == 1) {
    q->stopped = stop;
    if (stop)
      p->host->queue_vacate(p->host, q->queue);
    return;
  }
  while (i < device->queues &&
         !(device->queue(device, i, &view) && view.host_queue == q->queue))
    i++;
  if (i == device->queues)
    return;
  q->stopped = stop;
  device->queue_suspend(device, i, stop);
  if (stop && p->xlevel == 3 && view.slot != AQ_POLICY_NONE)
    device->preempt(device, &(aq_preemption){.size = sizeof(aq_preemption),
                                             .mode = AQ_PREEMPT_SWITCH,
                                             .scope = AQ_PREEMPT_QUEUE,
                                             .target = i});
}

/* Launches what fits below the threshold; true when commands are left. *room
 * falls when the queue is full. */
static bool launch(aq_policy *p, aq_policy_job *job, uint32_t *room)
{
  aq_policy_queue_view view;
  const uint32_t queue = p->host->queue_default(p->host, job);
  p->host->queue_view(p->host, queue, &view);
  queue_note(p, queue, job);
  const bool full = view.commands >= p->threshold;
  bool left = false;
  for (uint32_t next; job->submitted < job->count; view.commands += next) {
    next = job->count - job->submitted;
    if (next > p->batch)
      next = p->batch;
    left = view.commands + next > p->threshold;
    if (left)
      break;
    p->host->submit(p->host, job, queue, next);
  }
  *room -= !full && view.commands >= p->threshold;
  return left;
}

/* Queues below the threshold. */
static uint32_t queues_with_room(const aq_policy *p)
{
  aq_policy_queue_view view;
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->queue_count; i++) {
    p->host->queue_view(p->host, p->queues[i].queue, &view);
    count += view.commands < p->threshold;
  }
  return count;
}

/* In order of arrival. Jobs that were tried wait for room in their queues; the
 * first time after another level, all of them claim their queues. */
static void level_serve(aq_policy *p, level *l)
{
  aq_job_list tried = {0};
  const bool again = p->serves_again && p->served == l->priority;
  uint32_t room = queues_with_room(p);
  p->served = l->priority;
  p->serves_again = true;
  for (aq_policy_job *job; (room > 0 || !again) && l->list.count > 0;) {
    job = aq_job_list_take(&l->list);
    if (launch(p, job, &room))
      aq_job_list_put(&tried, job);
  }
  if (tried.count > 0) {
    tried.last->link = l->list.first;
    l->list.first = tried.first;
    l->list.last = l->list.count > 0 ? l->list.last : tried.last;
    l->list.count += tried.count;
  }
  while (l->fresh.count > 0) {
    aq_policy_job *job = aq_job_list_take(&l->fresh);
    if (launch(p, job, &room))
      aq_job_list_put(&l->list, job);
  }
}

/* The most urgent that are present launch. */
static void serve(aq_policy *p)
{
  /* Queues less urgent than the most urgent that is present stand still. */
  level *top = NULL;
  for (uint32_t i = 0; i < p->level_count && !top; i++)
    if (p->levels[i].present)
      top = &p->levels[i];
  for (uint32_t i = 0; i < p->queue_count; i++) {
    used_queue *q = &p->queues[i];
    const bool stop = top && q->priority < top->priority;
    if (stop != q->stopped)
      queue_stop(p, q, stop);
  }
  if (top)
    level_serve(p, top);
}

static void ready(aq_policy *p, aq_policy_job *job)
{
  level *l = level_of(p, job->priority);
  if (!l)
    return;
  l->present++;
  aq_job_list_put(&l->fresh, job);
  serve(p);
}

static void part_done(aq_policy *p, aq_policy_job *job, uint32_t queue,
                      uint32_t commands)
{
  (void)queue;
  (void)commands;
  if (job->completed == job->count)
    level_of(p, job->priority)->present--;
  serve(p);
}

#define XSCHED_OPS                                                             \
  .abi = AQ_POLICY_ABI, .size = sizeof(aq_policy_ops),                         \
  .settings =                                                                  \
      (const aq_policy_setting[]){{"threshold", AQ_SETTING_COUNT, "8",         \
                                   "commands in flight in each queue"},        \
                                  {"batch", AQ_SETTING_COUNT, "4",             \
                                   "of them launched together, if they fit"},  \
                                  {0}},                                        \
  .close = close, .start = start, .ready = ready, .part_done = part_done

const aq_policy_ops aq_policy_xsched = {
    XSCHED_OPS,
    .name = "xsched",
    .summary = "the most urgent alone, few commands in flight in each queue",
    .source = "Shen 2025, level 1",
    .open = open,
};

const aq_policy_ops aq_policy_xsched2 = {
    XSCHED_OPS,
    .name = "xsched2",
    .summary = "xsched, and queues of the less urgent are stopped",
    .source = "Shen 2025, level 2",
    .needs = AQ_NEED_SUSPEND,
    .open = open2,
    .attach = attach,
};

const aq_policy_ops aq_policy_xsched3 = {
    XSCHED_OPS,
    .name = "xsched3",
    .summary = "xsched, and kernels of the less urgent are switched off",
    .source = "Shen 2025, level 3",
    .needs = AQ_NEED_SUSPEND | AQ_NEED_SWITCH,
    .open = open3,
    .attach = attach,
};
