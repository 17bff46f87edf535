/* SPDX-License-Identifier: MIT */
/* KRISP: every kernel gets the fewest compute units on which it is as fast as
 * on all of them, the units with the fewest kernels. At most `overlap` of them
 * may have a kernel already (0 is KRISP-I: a kernel gets free units, and waits
 * for the first one; as many as the device has is KRISP-O). Its predecessors:
 * `per=model`, a partition for each queue, the fewest compute units on which
 * its first job takes at most `slack` longer than on all of them, where they
 * have to overlapping; and `per=equal`, disjoint partitions of one size. M.
 * Chow, A. Jahanshahi, D. Wong, "KRISP: enabling kernel-wise right-sizing for
 * spatial partitioned GPU inference servers", HPCA 2023. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "scheduler/policies/job_list.h"
#include "scheduler/policies/policies.h"

enum { PER, SHARES, OVERLAP, SLACK };

enum { CUS_MAX = 1024, WORDS = CUS_MAX / 32 };

/* The compute units of a running kernel or of a queue. */
typedef struct placed {
  struct placed *next;
  uint32_t owner; /* kernel or queue */
  uint32_t mask[WORDS];
} placed;

typedef struct part {
  uint32_t load[CUS_MAX]; /* kernels or queues on it */
  placed *placed, *spare;
} part;

typedef enum per { PER_KERNEL, PER_MODEL, PER_EQUAL, PER_COUNT } per;

static const char *const pers[PER_COUNT] = {"kernel", "model", "equal"};

struct aq_policy {
  aq_policy_host *host;
  per per;
  uint32_t shares, overlap;
  double slack;
  aq_policy_job *present;
  part *parts;
  uint32_t count, capacity;
};

static aq_status open(const aq_policy_open *args, aq_policy **out,
                      aq_diag *diag)
{
  const char *text = args->values[PER].text;
  const int64_t shares = args->values[SHARES].count;
  const int64_t overlap = args->values[OVERLAP].count;
  int kind = 0;
  while (kind < PER_COUNT && strcmp(text, pers[kind]) != 0)
    kind++;
  if (kind == PER_COUNT || shares < 1 || shares > CUS_MAX)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "per=%s,shares=%lld; expected kernel, model or equal, "
                       "and 1 to %d",
                       text, (long long)shares, CUS_MAX);
  aq_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->host = args->host;
  p->per = (per)kind;
  p->shares = (uint32_t)shares;
  p->overlap = overlap < CUS_MAX ? (uint32_t)overlap : CUS_MAX;
  p->slack = args->values[SLACK].number;
  *out = p;
  return AQ_OK;
}

static void list_free(placed *list)
{
  for (placed *next; list; list = next) {
    next = list->next;
    free(list);
  }
}

static void close(aq_policy *p)
{
  for (uint32_t i = 0; i < p->count; i++) {
    list_free(p->parts[i].placed);
    list_free(p->parts[i].spare);
  }
  free(p->parts);
  free(p);
}

static void attach(aq_policy *p, aq_policy_device *device)
{
  if (device->cus > CUS_MAX)
    device->fail_run(device, "%u compute units; expected at most %d",
                     device->cus, CUS_MAX);
  else if (!AQ_ARRAY_PUSH(p->parts, p->count, p->capacity, (part){0}))
    device->fail_run(device, "out of memory");
}

/* ---- host half: jobs go at once ---- */

static void ready(aq_policy *p, aq_policy_job *job)
{
  aq_present_put(&p->present, job);
  p->host->submit(p->host, job, p->host->queue_default(p->host, job), 0);
}

static void done(aq_policy *p, aq_policy_job *job)
{
  aq_present_remove(&p->present, job);
}

/* ---- right sizes ---- */

/* A command on so many compute units, as profiled: waves of workgroups that
 * fill them, and the rest spread evenly. */
static double time_on(const aq_command *command, uint32_t cus)
{
  const aq_cost *cost = &command->cost;
  const uint64_t workgroups = aq_command_workgroups(command);
  const uint32_t most =
      cost->kind == AQ_COST_OCCUPANCY ? cost->detail->latency_count : 1;
  const uint64_t wave = (uint64_t)most * cus;
  const uint64_t waves = workgroups / wave, rest = workgroups % wave;
  double time = (double)waves * (double)aq_present_workgroup(cost, most);
  if (rest)
    time +=
        (double)aq_present_workgroup(cost, (uint32_t)((rest + cus - 1) / cus));
  return time;
}

static double times_on(const aq_command *commands, uint32_t count, uint32_t cus)
{
  double sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += time_on(&commands[i], cus);
  return sum;
}

/* The fewest compute units that are not slower than all of them by more. */
static uint32_t right_size(const aq_command *commands, uint32_t count,
                           uint32_t cus, double slack)
{
  const double most = (1 + slack) * times_on(commands, count, cus);
  uint32_t size = 1;
  while (size < cus && times_on(commands, count, size) > most)
    size++;
  return size;
}

/* ---- device half: masks ---- */

/* The compute units with the least load, the first of them, of which at most
 * `overlap` have any. */
static void choose(part *at, placed *on, uint32_t cus, uint32_t size,
                   uint32_t overlap)
{
  for (uint32_t load = 0; size > 0; load++)
    for (uint32_t cu = 0; cu < cus && size > 0; cu++) {
      if (at->load[cu] != load || on->mask[cu / 32] >> cu % 32 & 1)
        continue;
      if (load > 0 && overlap-- == 0)
        return;
      on->mask[cu / 32] |= UINT32_C(1) << cu % 32;
      size--;
    }
}

static bool has(const placed *on, uint32_t cu)
{
  return on->mask[cu / 32] >> cu % 32 & 1;
}

static placed *placed_new(part *at, uint32_t owner)
{
  placed *on = at->spare;
  if (on)
    at->spare = on->next;
  else
    on = malloc(sizeof *on);
  if (!on)
    return NULL;
  *on = (placed){.next = at->placed, .owner = owner};
  at->placed = on;
  return on;
}

static placed *placed_find(const part *at, uint32_t owner)
{
  placed *on = at->placed;
  while (on && on->owner != owner)
    on = on->next;
  return on;
}

static void place(const aq_policy *p, part *at, placed *on,
                  const aq_device_kernel *kernel, uint32_t cus)
{
  const aq_policy_job *job =
      aq_present_find(p->present, kernel->job, kernel->command);
  if (p->per == PER_EQUAL) {
    const uint32_t queue = kernel->queue;
    const uint32_t share = queue % p->shares;
    const uint32_t end = (share + 1) * cus / p->shares;
    for (uint32_t cu = share * cus / p->shares; cu < end; cu++)
      on->mask[cu / 32] |= UINT32_C(1) << cu % 32;
  } else if (!job)
    choose(at, on, cus, cus, CUS_MAX);
  else if (p->per == PER_MODEL)
    choose(at, on, cus, right_size(job->commands, job->count, cus, p->slack),
           CUS_MAX);
  else
    choose(at, on, cus, right_size(&job->commands[kernel->command], 1, cus, 0),
           p->overlap);
  for (uint32_t cu = 0; cu < cus; cu++)
    at->load[cu] += has(on, cu);
}

static void launch(aq_policy *p, aq_policy_device *device,
                   const aq_device_kernel *kernel, aq_device_launch *out)
{
  part *at = &p->parts[device->device];
  const bool lasts = p->per != PER_KERNEL;
  const uint32_t owner = lasts ? kernel->queue : kernel->kernel;
  placed *on = lasts ? placed_find(at, owner) : NULL;
  if (!on) {
    on = placed_new(at, owner);
    if (!on) {
      device->fail_run(device, "out of memory");
      return;
    }
    place(p, at, on, kernel, device->cus);
  }
  out->cu_mask = on->mask;
  out->mask_count = device->cus;
}

/* Without overlap a kernel waits until a compute unit is free. */
static uint32_t pick(aq_policy *p, aq_policy_device *device, uint32_t pipe,
                     const aq_device_packet *packets, uint32_t count)
{
  const part *at = &p->parts[device->device];
  uint32_t cu = 0;
  (void)pipe;
  (void)packets;
  (void)count;
  if (p->per != PER_KERNEL || p->overlap > 0)
    return 0;
  while (cu < device->cus && at->load[cu])
    cu++;
  return cu < device->cus ? 0 : AQ_POLICY_NONE;
}

static void complete(aq_policy *p, aq_policy_device *device,
                     const aq_device_kernel *kernel)
{
  part *at = &p->parts[device->device];
  placed **link = &at->placed;
  if (p->per != PER_KERNEL)
    return;
  while (*link && (*link)->owner != kernel->kernel)
    link = &(*link)->next;
  placed *on = *link;
  if (!on)
    return;
  for (uint32_t cu = 0; cu < device->cus; cu++)
    at->load[cu] -= has(on, cu);
  *link = on->next;
  on->next = at->spare;
  at->spare = on;
}

const aq_policy_ops aq_policy_krisp = {
    .abi = AQ_POLICY_ABI,
    .size = sizeof(aq_policy_ops),
    .name = "krisp",
    .summary = "as many compute units for each kernel as it can use",
    .source = "Chow 2023",
    .settings =
        (const aq_policy_setting[]){
            {"per", AQ_SETTING_TEXT, "kernel",
             "the unit of sizing: kernel, model, or equal: shares of one size"},
            {"shares", AQ_SETTING_COUNT, "2", "of a device, with per=equal"},
            {"overlap", AQ_SETTING_COUNT, "0",
             "compute units of a kernel that others may have too"},
            {"slack", AQ_SETTING_NUMBER, "0.05",
             "by how much a model may be slower on fewer compute units"},
            {0}},
    .flags = AQ_POLICY_AHEAD,
    .needs = AQ_NEED_LAUNCH | AQ_NEED_PICK,
    .open = open,
    .close = close,
    .attach = attach,
    .ready = ready,
    .done = done,
    .launch = launch,
    .pick = pick,
    .complete = complete,
};
