/* SPDX-License-Identifier: MIT */
/*
 * Executions: the code of kernels at work, by the executor that the transport
 * was opened with (common/executor.h). One per flight, from begin to end.
 */
#ifndef AQSIM_EXECUTION_H
#define AQSIM_EXECUTION_H

#include "backend_sim/packet/flight.h"

/* Whether an executor runs the kernel: it is code, and no host function stands
 * for it. */
static inline bool aqsim_kernel_is_executed(const aqsim *sim,
                                            const aqsim_kernel *kernel)
{
  return sim->executor && kernel->desc.code && !kernel->desc.function;
}

/* Whether the executor predicts how long the kernel takes, which then replaces
 * its cost. */
static inline bool aqsim_flight_is_predicted(const aqsim_flight *flight)
{
  const aq_executor *executor = flight->queue->sim->executor;
  return flight->executes && executor->predicts &&
         executor->predicts(executor->user);
}

/* Makes the flight's execution; on an error there is none. */
aq_status aqsim_execution_begin(aqsim_flight *flight, aq_diag *diag);

/* Executes a budget of instructions at `ticks` of the device's clock; memory
 * that others wait for may change. After DONE and FAULT the execution is gone;
 * FAULT writes `*fault`. */
aq_execution_state aqsim_execution_step(aqsim_flight *flight, uint64_t ticks,
                                        aq_execution_fault *fault);

#endif
