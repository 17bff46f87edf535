/* SPDX-License-Identifier: MIT */
/*
 * Cost models: how long a dispatch runs, from its first wave to its last.
 * Pure functions.
 */
#ifndef AQSIM_COST_H
#define AQSIM_COST_H

#include "backend_sim/model/device_model.h"
#include "backend_sim/model/occupancy.h"
#include "common/allocations.h"
#include "common/aql.h"
#include "common/kernel_desc.h"
#include "common/spin.h"

/* The arguments of a spin kernel. `map`, here and below, says where memory is
 * reached, or is NULL. */
aq_spin_args aqsim_cost_spin_args(const aq_kernel_packet *packet,
                                  const aq_allocations *map);

/* Never negative; 0 for a dispatch without workgroups. `workgroups` is how many
 * the packet has, `cus` how many compute units its queue may use. */
aq_time aqsim_cost_duration(const aqsim_model *model, const aq_cost *cost,
                            const aq_kernel_packet *packet, uint64_t workgroups,
                            uint32_t cus, const aq_allocations *map);

/* From the end of a dispatch to the first wave of one that waits for it. */
aq_time aqsim_cost_launch(const aqsim_model *model);

/* How much longer than the kernel's duration a launch takes on the model before
 * its edits, where that duration was measured back-to-back and so contains one;
 * else 0. An edit asks what another device would do. */
aq_time aqsim_cost_launch_excess(const aqsim_model *model, const aq_cost *cost,
                                 const aq_kernel_packet *packet,
                                 const aq_allocations *map);

/* Launch of a barrier packet until it looks at its dependencies, if it has any.
 * Behind a kernel its setup passes while the kernel runs; behind another
 * barrier packet nothing hides it. */
static inline aq_time aqsim_barrier_time(const aqsim_model *model, bool waits,
                                         bool behind_barrier)
{
  if (!waits || !model->wait_process)
    return model->barrier_process;
  return model->wait_process + (behind_barrier ? model->dispatch_setup : 0);
}

/* Whether workgroups of a kernel share the device with other kernels. */
static inline bool aqsim_cost_is_dispatched(const aq_cost *cost)
{
  return cost->kind > AQ_COST_SPIN;
}

/* How long a workgroup runs, where that does not depend on how many there are.
 */
aq_time aqsim_cost_workgroup(const aq_cost *cost,
                             const aq_kernel_packet *packet,
                             const aq_allocations *map);

/* A kernel that has the memory for itself. */
typedef struct aqsim_roofline {
  aq_time time;   /* it runs */
  uint64_t bytes; /* it moves */
  int64_t rate;   /* bytes a second that it has to move to be done in time */
} aqsim_roofline;

aqsim_roofline aqsim_cost_roofline(const aqsim_model *model,
                                   const aq_cost_detail *detail,
                                   uint64_t workgroups, uint32_t cus);

/* The share of a compute unit that a workgroup of a kernel takes. */
aq_resources aqsim_workgroup_need(const aqsim_model *model,
                                  const aq_kernel_desc *desc,
                                  const aq_kernel_packet *packet);

#endif
