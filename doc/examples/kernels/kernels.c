/* SPDX-License-Identifier: MIT */
/* A plug-in that stands for the kernels of device.c on the simulator. */
#include <aqueduct/kernel.h>

enum { GROUP = 256 }; /* what reduce is made for */

/* As `aqueduct show device-gfx90a.hsaco` lists them; `show --stub` writes them.
 */
typedef struct vadd_args {
  const float *a, *b;
  float *sum;
  uint32_t count;
} vadd_args;

typedef struct reduce_args {
  const float *in;
  float *sums;
  uint32_t count;
} reduce_args;

/* No work-item looks at what another one does: the whole grid at once. */
static void vadd(const aq_kernel_call *call)
{
  const vadd_args *args = call->kernarg;
  const uint32_t items = call->packet->grid_size[0];
  for (uint32_t i = 0; i < items && i < args->count; i++)
    args->sum[i] = args->a[i] + args->b[i];
}

/* A tree in the group segment. Each loop over the work-items ends with a
 * barrier; in between it reads as the device code does. */
static void reduce(const aq_workgroup *group)
{
  const reduce_args *args = group->kernarg;
  float *part = group->lds;
  if (group->full[0] != GROUP || group->lds_size < GROUP * sizeof *part) {
    aq_kernel_fail(group->call, "expected workgroups of 256 work-items");
    return;
  }
  AQ_WORK_ITEMS(item, group)
  {
    const uint32_t i = item.global[0];
    part[item.flat] = i < args->count ? args->in[i] : 0;
  }
  for (uint32_t half = GROUP / 2; half > 0; half /= 2)
    AQ_WORK_ITEMS(item, group)
    {
      if (item.flat < half && item.flat + half < group->items)
        part[item.flat] += part[item.flat + half];
    }
  args->sums[group->id[0]] = part[0];
}

const aq_kernels *aq_kernels_plugin(void)
{
  static const aq_kernel_entry entries[] = {
      {.name = "vadd",
       .function = vadd,
       .cost = {AQ_COST_PER_WORKGROUP, 2 * AQ_US, 4 * AQ_NS}},
      {.name = "reduce",
       .workgroup = reduce,
       .cost = {AQ_COST_WORKGROUP, 3 * AQ_US}},
      {.name = NULL}};
  static const aq_kernels table = {AQ_KERNELS_ABI, sizeof table, "example",
                                   "vadd and reduce", entries};
  return &table;
}
