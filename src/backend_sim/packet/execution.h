/* SPDX-License-Identifier: MIT */
/*
 * Executions: the code of kernels at work, by the executor that the transport
 * was opened with (common/executor.h). One per packet in flight, from begin to
 * end.
 */
#ifndef AQSIM_EXECUTION_H
#define AQSIM_EXECUTION_H

#include "backend_sim/packet/inflight.h"

/* Whether an executor runs the kernel: it is code, and no host function stands
 * for it. */
static inline bool aqsim_kernel_is_executed(const aqsim *sim,
                                            const aqsim_kernel *kernel)
{
  return sim->executor && kernel->desc.code && !kernel->desc.function;
}

/* Whether the executor predicts how long the kernel takes, which then replaces
 * its cost. */
static inline bool aqsim_inflight_is_predicted(const aqsim_inflight *inflight)
{
  const aq_executor *executor = inflight->queue->sim->executor;
  return inflight->executes && executor->predicts &&
         executor->predicts(executor->user);
}

/* Makes the packet in flight's execution; on an error there is none. */
aq_status aqsim_execution_begin(aqsim_inflight *inflight, aq_diag *diag);

/* Executes a budget of instructions at `ticks` of the device's clock; memory
 * that others wait for may change. After DONE and FAULT the execution is gone;
 * FAULT writes `*fault`. */
aq_execution_state aqsim_execution_step(aqsim_inflight *inflight,
                                        uint64_t ticks,
                                        aq_execution_fault *fault);

#endif
