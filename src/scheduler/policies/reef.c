/* SPDX-License-Identifier: MIT */
/* REEF: real-time jobs (priority above 0) go at once, in one queue, first come
 * first served. Best-effort jobs have at most `depth` commands in each of their
 * queues; when a real-time job comes to a device without one, its packets are
 * taken back and its running kernels are reset, to be repeated later. Meanwhile
 * a best-effort kernel is launched only as padding: when the real-time kernel
 * has issued all its workgroups, does not end sooner than the other would, and
 * leaves room, on the compute units that it leaves free and no more than fit.
 * M. Han, H. Zhang, R. Chen, H. Chen, "Microsecond-scale preemption for
 * concurrent GPU-accelerated DNN inferences", OSDI 2022. */
#include "config.h"

#include <string.h>

#include "common/array.h"
#include "common/policy_queues.h"
#include "scheduler/policies/job_list.h"
#include "scheduler/policies/policies.h"

enum { DEPTH, PADDING };

enum { MASK_WORDS = 32 };

typedef struct part {
  aq_policy_device *device;
  uint32_t rt_queue;      /* of the host half */
  uint32_t rt_jobs;       /* in flight */
  uint32_t rt_kernel;     /* that runs, or AQ_POLICY_NONE */
  uint32_t resetting;     /* queues */
  aq_job_list waiting;    /* best effort, not all submitted */
  aq_policy_job *present; /* best effort, linked by user */
  aq_device_cu *cus;
  uint32_t mask[MASK_WORDS];
} part;

struct aq_policy {
  aq_policy_host *host;
  uint32_t depth;
  bool pads;
  part *parts; /* by device */
  uint32_t part_capacity;
};

static aq_status open(const aq_policy_open *args, aq_policy **out,
                      aq_diag *diag)
{
  const int64_t depth = args->values[DEPTH].count;
  if (depth < 1 || depth > UINT32_MAX)
    return aq_diag_set(diag, AQ_ERR_INVALID, "depth=%lld; expected 1 or more",
                       (long long)depth);
  aq_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->host = args->host;
  p->depth = (uint32_t)depth;
  p->pads = args->values[PADDING].count != 0;
  *out = p;
  return AQ_OK;
}

static void close(aq_policy *p)
{
  for (uint32_t i = 0; p->parts && i < p->host->device_count; i++)
    free(p->parts[i].cus);
  free(p->parts);
  free(p);
}

static void attach(aq_policy *p, aq_policy_device *device)
{
  aq_device_cu *cus = calloc(device->cus, sizeof *cus);
  if (!cus || !AQ_ARRAY_RESERVE_ZEROED(p->parts, p->part_capacity,
                                       (size_t)device->device + 1)) {
    free(cus);
    device->fail_run(device, "out of memory");
    return;
  }
  p->parts[device->device] =
      (part){.device = device, .rt_kernel = AQ_POLICY_NONE, .cus = cus};
}

static void start(aq_policy *p)
{
  for (uint32_t i = 0; i < p->host->device_count; i++) {
    const aq_policy_queue_desc desc = {
        .size = sizeof desc, .device = i, .priority = 1};
    p->parts[i].rt_queue = p->host->queue_open(p->host, &desc);
  }
}

/* ---- host half ---- */

/* Fills the queue of a job; true when commands are left. */
static bool fill(aq_policy *p, aq_policy_job *job)
{
  aq_policy_queue_view view;
  const uint32_t queue = p->host->queue_default(p->host, job);
  p->host->queue_view(p->host, queue, &view);
  for (; view.commands < p->depth && job->submitted < job->count;
       view.commands++)
    p->host->submit(p->host, job, queue, 1);
  return job->submitted < job->count;
}

static void fill_all(aq_policy *p, part *at)
{
  if (at->resetting)
    return;
  for (uint32_t n = at->waiting.count; n > 0; n--) {
    aq_policy_job *job = aq_job_list_take(&at->waiting);
    if (fill(p, job))
      aq_job_list_put(&at->waiting, job);
  }
}

/* Takes every best-effort queue back. */
static void reset_all(part *at)
{
  aq_policy_device *device = at->device;
  aq_device_queue queue;
  for (uint32_t i = 0; i < device->queues; i++) {
    if (!device->queue(device, i, &queue) || queue.host_queue == at->rt_queue ||
        queue.ready + queue.running == 0)
      continue;
    at->resetting++;
    device->preempt(device, &(aq_preemption){.size = sizeof(aq_preemption),
                                             .mode = AQ_PREEMPT_RESET,
                                             .scope = AQ_PREEMPT_QUEUE,
                                             .target = i});
  }
}

static void ready(aq_policy *p, aq_policy_job *job)
{
  part *at = &p->parts[job->device];
  if (job->priority > 0) {
    if (at->rt_jobs++ == 0 && at->resetting == 0)
      reset_all(at);
    p->host->submit(p->host, job, at->rt_queue, 0);
    return;
  }
  aq_present_put(&at->present, job);
  aq_job_list_put(&at->waiting, job);
  fill_all(p, at);
}

static bool list_has(const aq_job_list *list, const aq_policy_job *job)
{
  const aq_policy_job *on = list->first;
  while (on && on != job)
    on = on->link;
  return on != NULL;
}

static void evicted(aq_policy *p, aq_policy_job *job, uint32_t queue,
                    uint32_t commands)
{
  part *at = &p->parts[job->device];
  (void)queue;
  (void)commands;
  if (!list_has(&at->waiting, job))
    aq_job_list_put_first(&at->waiting, job);
}

static void part_done(aq_policy *p, aq_policy_job *job, uint32_t queue,
                      uint32_t commands)
{
  part *at = &p->parts[job->device];
  (void)queue;
  (void)commands;
  if (job->priority > 0)
    at->rt_jobs--;
  fill_all(p, at);
}

static void done(aq_policy *p, aq_policy_job *job)
{
  aq_present_remove(&p->parts[job->device].present, job);
}

static void timer(aq_policy *p, uint64_t device)
{
  fill_all(p, &p->parts[device]);
}

/* ---- device half ---- */

static void preempted(aq_policy *p, aq_policy_device *device,
                      const aq_preempt_result *result)
{
  part *at = &p->parts[device->device];
  (void)result;
  if (--at->resetting == 0)
    device->host_wake(device, device->device);
}

static bool is_rt(const aq_policy *p, aq_policy_device *device, uint32_t queue)
{
  aq_device_queue view;
  return device->queue(device, queue, &view) &&
         view.host_queue == p->parts[device->device].rt_queue;
}

/* Whether a best-effort packet may pad the real-time kernel. */
static bool pads(aq_policy *p, part *at, const aq_device_packet *packet)
{
  aq_policy_device *device = at->device;
  aq_device_kernel rt;
  if (!p->pads || at->rt_kernel == AQ_POLICY_NONE ||
      !device->kernel(device, at->rt_kernel, &rt) ||
      rt.issued < rt.workgroups || rt.workgroup_time == AQ_TIME_NONE)
    return false;
  const aq_time end = rt.started + rt.workgroup_time;
  /* How long a workgroup of the command runs on a full compute unit. */
  const aq_policy_job *job =
      aq_present_find(at->present, packet->job, packet->command);
  const aq_time needs =
      job ? aq_present_workgroup(&job->commands[packet->command].cost,
                                 UINT32_MAX)
          : AQ_TIME_MAX;
  return needs != AQ_TIME_MAX && device->now(device) + needs <= end;
}

static uint32_t pick(aq_policy *p, aq_policy_device *device, uint32_t pipe,
                     const aq_device_packet *packets, uint32_t count)
{
  part *at = &p->parts[device->device];
  (void)pipe;
  for (uint32_t i = 0; i < count; i++)
    if (is_rt(p, device, packets[i].queue))
      return i;
  for (uint32_t i = 0; i < count; i++)
    if (at->rt_jobs == 0 || pads(p, at, &packets[i]))
      return i;
  return AQ_POLICY_NONE;
}

/* Padding goes where there is room now, and takes no more than that. */
static void launch(aq_policy *p, aq_policy_device *device,
                   const aq_device_kernel *kernel, aq_device_launch *out)
{
  part *at = &p->parts[device->device];
  if (is_rt(p, device, kernel->queue)) {
    at->rt_kernel = kernel->kernel;
    return;
  }
  if (at->rt_jobs == 0 || device->cus > 32 * MASK_WORDS)
    return;
  memset(at->mask, 0, sizeof at->mask);
  device->free_slots(device, kernel->kernel, at->cus);
  for (uint32_t cu = 0; cu < device->cus; cu++) {
    out->budget += at->cus[cu].free;
    if (at->cus[cu].free)
      at->mask[cu / 32] |= UINT32_C(1) << cu % 32;
  }
  if (out->budget == 0)
    return;
  out->cu_mask = at->mask;
  out->mask_count = device->cus;
}

static void complete(aq_policy *p, aq_policy_device *device,
                     const aq_device_kernel *kernel)
{
  part *at = &p->parts[device->device];
  if (at->rt_kernel == kernel->kernel)
    at->rt_kernel = AQ_POLICY_NONE;
}

const aq_policy_ops aq_policy_reef = {
    .abi = AQ_POLICY_ABI,
    .size = sizeof(aq_policy_ops),
    .name = "reef",
    .summary = "urgent jobs at once; best effort is reset for them, and pads",
    .source = "Han 2022",
    .settings =
        (const aq_policy_setting[]){
            {"depth", AQ_SETTING_COUNT, "2",
             "best-effort commands in each queue"},
            {"padding", AQ_SETTING_COUNT, "1",
             "best-effort kernels beside urgent ones: 0 or 1"},
            {0}},
    .needs = AQ_NEED_PICK | AQ_NEED_LAUNCH | AQ_NEED_RESET | AQ_NEED_EVICT,
    .open = open,
    .close = close,
    .start = start,
    .attach = attach,
    .ready = ready,
    .part_done = part_done,
    .done = done,
    .evicted = evicted,
    .timer = timer,
    .preempted = preempted,
    .pick = pick,
    .launch = launch,
    .complete = complete,
};
