/* SPDX-License-Identifier: MIT */
/* KRISP: every kernel gets the fewest compute units on which it takes as many
 * waves of workgroups as on all of them, the ones that have the fewest kernels.
 * `per=model` is what was there before: one partition of equal size for each
 * client, whatever the kernel. M. Chow, A. Jahanshahi, D. Wong, "KRISP:
 * enabling kernel-wise right-sizing for spatial partitioned GPU inference
 * servers", HPCA 2023. */
#include <stdlib.h>
#include <string.h>

#include "scheduler/policies/policies.h"

enum { PER, SHARES };

enum { CUS_MAX = 1024, WORDS = CUS_MAX / 32 };

/* A kernel that runs, and where. */
typedef struct placed {
  struct placed *next;
  uint32_t kernel;
  uint32_t mask[WORDS];
} placed;

typedef struct part {
  uint32_t load[CUS_MAX]; /* kernels on it */
  placed *placed, *spare;
} part;

struct aq_policy {
  bool per_model;
  uint32_t shares;
  part *parts;
  uint32_t count;
};

static aq_status open(const aq_policy_open *args, aq_policy **out,
                      aq_diag *diag)
{
  const char *per = args->values[PER].text;
  const int64_t shares = args->values[SHARES].count;
  if ((strcmp(per, "kernel") != 0 && strcmp(per, "model") != 0) || shares < 1 ||
      shares > CUS_MAX)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "per=%s,shares=%lld; expected kernel or model, and 1 to "
                       "%d",
                       per, (long long)shares, CUS_MAX);
  aq_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a policy");
  p->per_model = strcmp(per, "model") == 0;
  p->shares = (uint32_t)shares;
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
  part *grown = realloc(p->parts, (p->count + 1) * sizeof *grown);
  if (!grown || device->cus > CUS_MAX) {
    device->fail_run(device, "%u compute units; expected at most %d",
                     device->cus, CUS_MAX);
    return;
  }
  p->parts = grown;
  memset(&grown[p->count++], 0, sizeof *grown);
}

/* The fewest compute units for as many waves as on all of them. */
static uint32_t right_size(const aq_device_kernel *kernel, uint32_t cus)
{
  const uint64_t each = kernel->per_cu_max ? kernel->per_cu_max : 1;
  const uint64_t wave = each * cus;
  const uint64_t waves = (kernel->workgroups + wave - 1) / wave;
  const uint64_t needed =
      waves ? (kernel->workgroups + waves * each - 1) / (waves * each) : 1;
  return needed < 1 ? 1 : needed > cus ? cus : (uint32_t)needed;
}

static void mask_set(placed *on, part *at, uint32_t cu)
{
  on->mask[cu / 32] |= UINT32_C(1) << cu % 32;
  at->load[cu]++;
}

/* The `size` compute units that have the fewest kernels, the first of them. */
static void choose(part *at, placed *on, uint32_t cus, uint32_t size)
{
  for (uint32_t load = 0; size > 0; load++)
    for (uint32_t cu = 0; cu < cus && size > 0; cu++)
      if (at->load[cu] == load && !(on->mask[cu / 32] >> cu % 32 & 1)) {
        mask_set(on, at, cu);
        size--;
      }
}

static void choose_share(const aq_policy *p, part *at, placed *on,
                         uint32_t queue, uint32_t cus)
{
  const uint32_t share = queue % p->shares;
  const uint32_t end = (share + 1) * cus / p->shares;
  for (uint32_t cu = share * cus / p->shares; cu < end; cu++)
    mask_set(on, at, cu);
}

static void launch(aq_policy *p, aq_policy_device *device,
                   const aq_device_kernel *kernel, aq_device_launch *out)
{
  part *at = &p->parts[device->device];
  placed *on = at->spare;
  if (on)
    at->spare = on->next;
  else
    on = malloc(sizeof *on);
  if (!on) {
    device->fail_run(device, "out of memory");
    return;
  }
  *on = (placed){.next = at->placed, .kernel = kernel->kernel};
  at->placed = on;
  if (p->per_model)
    choose_share(p, at, on, kernel->queue, device->cus);
  else
    choose(at, on, device->cus, right_size(kernel, device->cus));
  out->cu_mask = on->mask;
  out->mask_count = device->cus;
}

static void complete(aq_policy *p, aq_policy_device *device,
                     const aq_device_kernel *kernel)
{
  part *at = &p->parts[device->device];
  placed **link = &at->placed;
  while (*link && (*link)->kernel != kernel->kernel)
    link = &(*link)->next;
  placed *on = *link;
  if (!on)
    return;
  for (uint32_t cu = 0; cu < device->cus; cu++)
    at->load[cu] -= on->mask[cu / 32] >> cu % 32 & 1;
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
             "what is sized: kernel, or model: equal shares"},
            {"shares", AQ_SETTING_COUNT, "2", "of a device, with per=model"},
            {0}},
    .flags = AQ_POLICY_AHEAD,
    .needs = AQ_NEED_LAUNCH,
    .open = open,
    .close = close,
    .attach = attach,
    .launch = launch,
    .complete = complete,
};
