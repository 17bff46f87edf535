/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/modules.h"

static void queue_mark(aqsim_queue *queue)
{
  if (queue->kernel && queue->kernel->retired)
    queue->kernel = NULL;
  for (uint32_t i = 0; i < queue->fresh; i++) {
    aqsim_flight *flight = &queue->flights[i];
    if (!flight->in_use)
      flight->kernel = NULL;
    else if (flight->kernel)
      ((aqsim_kernel *)(uintptr_t)flight->kernel)->in_use = true;
  }
}

/* A policy keeps names of kernels that ended, and a host function that runs is
 * no longer referred to by its packet: both wait for a later call. */
static bool may_collect(const aqsim *sim)
{
  for (uint32_t i = 0; i < sim->device_count; i++)
    if (sim->devices[i].policy)
      return false;
  return sim->depth == 0 && !sim->destroyed;
}

void aqsim_kernels_collect(aqsim *sim)
{
  if (!sim->kernels.retired || !may_collect(sim))
    return;
  for (aqsim_queue *queue = sim->first_queue; queue; queue = queue->next)
    queue_mark(queue);
  aqsim_kernels_sweep(&sim->kernels);
}

void aqsim_kernel_forget(aqsim *sim, uint64_t object)
{
  if (aqsim_kernel_unregister(&sim->kernels, object))
    aqsim_kernels_collect(sim);
}
