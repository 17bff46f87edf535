/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/model/cost.h"

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
aq_time aqsim_cost_launch(const aqsim_model *model)
{
  return model->end_of_pipe + model->release_agent + model->signal_write +
         model->acquire_agent + model->dispatch_setup;
}

aq_spin_args aqsim_cost_spin_args(const aq_kernel_packet *packet,
                                  const aq_allocations *map)
{
  const uint64_t at = aq_allocations_reach(map, packet->kernarg_address);
  aq_spin_args args;
  memcpy(&args, (const void *)(uintptr_t)at, sizeof args);
  return args;
}

aq_time aqsim_cost_launch_excess(const aqsim_model *model, const aq_cost *cost,
                                 const aq_kernel_packet *packet,
                                 const aq_allocations *map)
{
  if (cost->kind != AQ_COST_SPIN || !model->glued_duration_contains_launch)
    return 0;
  const aq_spin_args args = aqsim_cost_spin_args(packet, map);
  if (!(args.flags & AQ_SPIN_BACK_TO_BACK))
    return 0;
  return aq_time_max(model->launch - aq_time_max(args.duration, 0), 0);
}

static aq_time spin_duration(const aqsim_model *model,
                             const aq_kernel_packet *packet,
                             const aq_allocations *map)
{
  const aq_spin_args args = aqsim_cost_spin_args(packet, map);
  aq_time duration = aq_time_min(args.duration, AQ_TIME_MAX / 4);
  if ((args.flags & AQ_SPIN_BACK_TO_BACK) &&
      model->glued_duration_contains_launch)
    duration = duration < aqsim_cost_launch(model)
                   ? 0
                   : duration - aqsim_cost_launch(model);
  return aq_time_max(duration, 0);
}

/* The last workgroup cannot start before the dispatcher came to it. It is as
 * fast as the compute units take workgroups: fewer of them, slower by that. */
static aq_time dispatch_duration(const aqsim_model *model, uint64_t workgroups,
                                 uint32_t cus)
{
  aq_time dispatch = times(model->workgroup_interval, workgroups);
  if (cus < model->cus)
    dispatch = (aq_time)((__int128)dispatch * model->cus / cus);
  return aq_time_min(dispatch, AQ_TIME_MAX / 4);
}

aq_time aqsim_cost_workgroup(const aq_cost *cost,
                             const aq_kernel_packet *packet,
                             const aq_allocations *map)
{
  aq_spin_args args = {.duration = cost->base};
  if (cost->kind == AQ_COST_SPIN_WORKGROUP)
    args = aqsim_cost_spin_args(packet, map);
  return aq_time_max(aq_time_min(args.duration, AQ_TIME_MAX / 4), 0);
}

/* work / (rate × part / whole), in ps, rounded up. */
static aq_time work_time(uint64_t work, uint64_t count, int64_t rate,
                         uint64_t part, uint64_t whole)
{
  const unsigned __int128 longest = AQ_TIME_MAX / 4, one = 1;
  const unsigned __int128 total = one * work * count;
  if (total >> 64)
    return (aq_time)longest;
  const unsigned __int128 speed = one * (uint64_t)rate * part;
  unsigned __int128 time = total * (uint64_t)AQ_S;
  /* 104 bits so far; the number of compute units has at most 12. */
  time = (time * whole + speed - 1) / speed;
  return (aq_time)(time < longest ? time : longest);
}

aqsim_roofline aqsim_cost_roofline(const aqsim_model *model,
                                   const aq_cost_detail *detail,
                                   uint64_t workgroups, uint32_t cus)
{
  const uint64_t used = workgroups < cus ? workgroups : cus;
  const aq_time compute = work_time(
      detail->flops, workgroups, model->peak_flops, used, (uint64_t)model->cus);
  const aq_time memory =
      work_time(detail->bytes, workgroups, model->memory_bandwidth, 1, 1);
  aq_time time = aq_time_max(compute, memory);
  time = aq_time_max(time, dispatch_duration(model, workgroups, cus));
  aqsim_roofline out = {.time = time, .rate = model->memory_bandwidth};
  if (__builtin_mul_overflow(detail->bytes, workgroups, &out.bytes))
    out.bytes = UINT64_MAX;
  if (time > memory)
    out.rate = (int64_t)(((unsigned __int128)out.bytes * (uint64_t)AQ_S +
                          (uint64_t)time - 1) /
                         (uint64_t)time);
  return out;
}

aq_time aqsim_cost_duration(const aqsim_model *model, const aq_cost *cost,
                            const aq_kernel_packet *packet, uint64_t workgroups,
                            uint32_t cus, const aq_allocations *map)
{
  if (workgroups == 0)
    return 0;
  if (cost->kind == AQ_COST_SPIN)
    return spin_duration(model, packet, map);
  aq_time duration = aq_time_min(cost->base, AQ_TIME_MAX / 4);
  if (cost->kind == AQ_COST_PER_WORKGROUP)
    duration += times(cost->per_workgroup, workgroups);
  return aq_time_max(duration, dispatch_duration(model, workgroups, cus));
}

aq_resources aqsim_workgroup_need(const aqsim_model *model,
                                  const aq_kernel_desc *desc,
                                  const aq_kernel_packet *packet)
{
  aq_workgroup_shape shape = {.items = (uint64_t)packet->workgroup_size[0] *
                                       packet->workgroup_size[1] *
                                       packet->workgroup_size[2],
                              .wave_size = desc->wave_size,
                              .vgprs = desc->vgprs,
                              .agprs = desc->agprs,
                              .sgprs = desc->sgprs,
                              .lds = packet->group_segment_size};
  if (desc->cost.kind == AQ_COST_OCCUPANCY)
    shape.most = desc->cost.detail->latency_count;
  return aqsim_workgroup_resources(model, &shape);
}
