/* SPDX-License-Identifier: MIT */
/*
 * The kinds of packets: the effects of each type once launched, a launch
 * function and the steps that follow. type_kernel.c, type_barrier.c and
 * type_pm4.c have theirs, packet_types.c agent dispatches and the table of all.
 */
#ifndef AQSIM_PACKET_TYPES_H
#define AQSIM_PACKET_TYPES_H

#include "backend_sim/packet/inflight.h"
#include "common/executor.h"

aqsim_flow aqsim_step_execute(aqsim_inflight *inflight);
aqsim_flow aqsim_step_check(aqsim_inflight *inflight);
aqsim_flow aqsim_step_seen(aqsim_inflight *inflight);
aqsim_flow aqsim_step_run(aqsim_inflight *inflight);

/* The kind of most packets: kernels on queues of devices. */
extern const aqsim_packet_type_ops aqsim_kernel_kind;

extern const aqsim_packet_type_ops aqsim_barrier_and_kind,
    aqsim_barrier_or_kind, aqsim_barrier_value_kind, aqsim_pm4_kind;

/* ---- kernels, for the dispatches of PM4 buffers too ---- */

#define AQSIM_KERNARGS_MISSING                                                 \
  "memory fault, the kernel arguments are not mapped"

/* Looks the kernel of an object up, and remembers it by queue. */
const aqsim_kernel *aqsim_kernel_find_again(aqsim_queue *queue,
                                            uint64_t object);

/* The kernel of an object, NULL: none is registered. */
static inline const aqsim_kernel *aqsim_kernel_of(aqsim_queue *queue,
                                                  uint64_t object)
{
  const aqsim_kernel *last = queue->line.kernel;
  return __builtin_expect(last && last->desc.object == object && !last->retired,
                          true)
             ? last
             : aqsim_kernel_find_again(queue, object);
}

/* Whether the arguments from which a kernel reads its duration are unmapped:
 * *unmapped is the first such address. */
bool aqsim_kernargs_are_missing(aqsim_queue *queue, const aqsim_kernel *kernel,
                                const aq_kernel_packet *packet,
                                uint64_t workgroups, uint64_t *unmapped);

/* Executes a budget of the kernel's code, from its begin on. After FAULT the
 * flight continues with `*stopped`. */
aq_execution_state aqsim_code_step(aqsim_inflight *inflight,
                                   aqsim_flow *stopped);

/* When code that waits for memory looks at it again. */
aq_time aqsim_code_poll(const aqsim_inflight *inflight);

/* Calls the host function of a kernel. It may store to memory, publish packets
 * and destroy queues, this one too: then the result is false. */
bool aqsim_kernel_call(aqsim_inflight *inflight, const aqsim_kernel *kernel,
                       const aq_kernel_packet *packet,
                       char error[AQ_KERNEL_ERROR_SIZE]);

/* Stops the queue for a host function that could not do its work. */
aqsim_flow aqsim_kernel_fault(aqsim_inflight *inflight,
                              const aqsim_kernel *kernel, const char *error);

/* ---- waits, of PM4 buffers too ---- */

/* A packet that waits at a pending dependency wait needs no slot. */
aqsim_flow aqsim_dep_wait_packet(aqsim_queue *queue, bool open);

/* The memory of a dependency is not mapped, or not any more. */
aqsim_flow aqsim_dependency_fault(aqsim_inflight *inflight);

#endif
