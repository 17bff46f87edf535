/* SPDX-License-Identifier: MIT */
/* Calls of the host functions of kernels. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/completion.h"
#include "backend_sim/packet/packet_types.h"
#include "common/allocations.h"

/* The arguments at `*kernarg`, or a copy in `buffer` or the heap in which
 * addresses are the host's. False: out of memory. */
static bool arguments_find(const aqsim *sim, const aqsim_kernel *kernel,
                           void *buffer, size_t size, void **kernarg)
{
  const size_t bytes = kernel->desc.kernarg_size;
  if (!sim->allocations ||
      (aq_allocations_aliases(sim->allocations) == 0 &&
       !aq_allocations_protect(sim->allocations)) ||
      bytes == 0 || !*kernarg)
    return true;
  void *copy = bytes <= size ? buffer : malloc(bytes);
  if (!copy)
    return false;
  memcpy(copy, *kernarg, bytes);
  /* A host function reaches locked memory at the host's address alone, and
   * memory that is protected from the host where the device does. */
  unsigned char *at = copy;
  for (size_t i = 0; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, at + i, sizeof word);
    word = aq_allocations_reach(sim->allocations, word);
    memcpy(at + i, &word, sizeof word);
  }
  *kernarg = copy;
  return true;
}

bool aqsim_kernel_call(aqsim_inflight *inflight, const aqsim_kernel *kernel,
                       const aq_kernel_packet *packet,
                       char error[AQ_KERNEL_ERROR_SIZE])
{
  enum { NEAR = 512 };
  uint64_t near[NEAR / sizeof(uint64_t)];
  aqsim *sim = inflight->queue->sim;
  void *const given = (void *)(uintptr_t)aq_allocations_reach(
      sim->allocations, packet->kernarg_address);
  void *kernarg = given;
  error[0] = 0;
  if (!arguments_find(sim, kernel, near, sizeof near, &kernarg)) {
    snprintf(error, AQ_KERNEL_ERROR_SIZE, "no memory for its arguments");
    return true;
  }
  aq_kernel_call call = {
      packet,
      kernarg,
      kernel->desc.user,
      (uint64_t)aqsim_clock_ticks(inflight->queue->device, sim->now),
      error,
      kernel->desc.scope};
  sim->interrupt = inflight->queue->device->model->interrupt_to_host;
  sim->touched = true;
  if (sim->outside_begin)
    sim->outside_begin(sim->live, inflight->queue);
  kernel->desc.function(&call);
  if (sim->outside_begin)
    sim->outside_end(sim->live);
  if (kernarg != given && kernarg != near)
    free(kernarg);
  sim->queue_ops->notice(sim);
  return !inflight->queue->destroyed;
}
