/* SPDX-License-Identifier: MIT */
#include "backend_sim/cost.h"

#include <string.h>

/* a × b, ending at the longest run that times can still be added to. */
static aq_time times(aq_time a, uint64_t b)
{
  const aq_time longest = AQ_TIME_MAX / 4;
  aq_time product;
  if (b > (uint64_t)longest || __builtin_mul_overflow(a, (aq_time)b, &product))
    return a == 0 ? 0 : longest;
  return aq_time_min(product, longest);
}

/* What lies between the end of a dispatch and the first wave of the next that
 * waits for it. A duration that was measured from end to end contains it, and
 * the life cycle charges it again. */
static aq_time launch_cost(const aqsim_model *model)
{
  return model->end_of_pipe + model->release_agent + model->signal_write +
         model->acquire_agent + model->dispatch_setup;
}

static aq_time spin_duration(const aqsim_model *model,
                             const aq_kernel_packet *packet)
{
  aq_spin_args args;
  memcpy(&args, (const void *)(uintptr_t)packet->kernarg_address, sizeof args);
  aq_time duration = aq_time_min(args.duration, AQ_TIME_MAX / 4);
  if ((args.flags & AQ_SPIN_GLUED) && model->glued_duration_contains_launch)
    duration =
        duration < launch_cost(model) ? 0 : duration - launch_cost(model);
  return aq_time_max(duration, 0);
}

aq_time aqsim_cost_duration(const aqsim_model *model,
                            const aqsim_kernel *kernel,
                            const aq_kernel_packet *packet, uint64_t workgroups,
                            uint32_t cus)
{
  const aq_cost *cost = &kernel->desc.cost;
  if (workgroups == 0)
    return 0;
  if (cost->kind == AQ_COST_SPIN)
    return spin_duration(model, packet);
  aq_time duration = aq_time_min(cost->base, AQ_TIME_MAX / 4);
  if (cost->kind == AQ_COST_PER_WORKGROUP)
    duration += times(cost->per_workgroup, workgroups);
  /* The last workgroup cannot start before the dispatcher came to it. It is as
   * fast as the compute units take workgroups: fewer of them, slower by that.
   */
  aq_time dispatch = times(model->workgroup_interval, workgroups);
  if (cus < model->cus)
    dispatch = (aq_time)((__int128)dispatch * model->cus / cus);
  return aq_time_max(duration, aq_time_min(dispatch, AQ_TIME_MAX / 4));
}
