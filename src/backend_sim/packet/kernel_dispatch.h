/* SPDX-License-Identifier: MIT */
/*
 * Kernels under dispatch: between the launch of a packet and the end of its
 * last wave, where the cost model leaves that to the device's dispatcher.
 */
#ifndef AQSIM_KERNEL_DISPATCH_H
#define AQSIM_KERNEL_DISPATCH_H

#include "backend_sim/packet/inflight.h"

/* Such a kernel reaches the dispatcher at `start`; the packet has at least one
 * workgroup. */
aqsim_flow aqsim_kernel_dispatch_begin(aqsim_inflight *inflight,
                                       const aqsim_kernel *kernel,
                                       const aq_kernel_packet *packet,
                                       aq_time start);

/* The step: looks whether the last wave has ended. */
aqsim_flow aqsim_step_waves(aqsim_inflight *inflight);

/* The queue's compute units changed: its running kernels follow. */
void aqsim_kernel_dispatch_mask(aqsim_queue *queue);

/* A kernel of a queue that lost its slot: its running workgroups end, the
 * others wait until the queue has a slot again. Whether it is one to hold. */
bool aqsim_kernel_dispatch_is_running(const aqsim_inflight *inflight);
void aqsim_kernel_dispatch_hold(aqsim_inflight *inflight);
void aqsim_kernel_dispatch_release(aqsim_inflight *inflight);

/* Room became free, or masks and limits changed: kernels of the device may end
 * earlier than was thought. */
void aqsim_kernel_dispatch_rescan(aqsim_device *device);

/* A kernel is thrown off the device. */
void aqsim_kernel_dispatch_drop(aqsim_inflight *inflight);

/* The queue goes: its running kernels are no more. */
void aqsim_kernel_dispatch_cancel(aqsim_queue *queue);

/* Frees a device's state for them. */
void aqsim_kernel_dispatch_fini(aqsim_device *device);

#endif
