/* SPDX-License-Identifier: MIT */
/*
 * The device half of a policy at work in one device: one interface of
 * decisions, which packets, slots and engines ask by one call each. Without a
 * policy (device->policy is NULL) every call leaves the device's own choice,
 * and costs one comparison.
 *
 * The choices themselves are hooks of the hardware side, called where the
 * choice is, unless the side has latency or cost. Hooks of the firmware side,
 * and late items, are called by an event of their own, so that a hook may
 * change anything: none is ever called from within an action. The first failure
 * ends the policy: the device's own choices apply again, the kernels and queues
 * it held are released, and the opener of the transport gets the failure.
 *
 * From the bottom up: policy_events.c keeps due items and calls hooks,
 * preemption_report.c reports stopped kernels, policy_kernels.c keeps the
 * kernels, policy_preempt.c stops kernels, policy_queues.c queues, whose
 * packets it takes off, policy_actions.c has the actions of policies,
 * device_policy.c asks. They change the device through device_ops.h.
 */
#ifndef AQSIM_DEVICE_POLICY_H
#define AQSIM_DEVICE_POLICY_H

#include "backend_sim/policy/device_ops.h"
#include "backend_sim/queue_state.h"

/* AQ_NEED_* bits that devices of the simulator serve. */
extern const uint32_t aqsim_policy_serves;

/* Words what this simulator cannot do for a policy. */
aq_status aqsim_policy_check(const aq_policy_binding *binding, aq_diag *diag);

/* The binding and the operations are borrowed until close. */
aq_status aqsim_policy_open(aqsim_device *device,
                            const aq_policy_binding *binding,
                            const aqsim_device_ops *ops, aq_diag *diag);
void aqsim_policy_close(aqsim_device *device);

/* The device is complete: calls `attach`. */
void aqsim_policy_attach(aqsim_device *device);

/* ---- packets ---- */

/* Packets of a queue were read. */
void aqsim_policy_fetched(aqsim_queue *queue);

/* Whether the policy chooses which packet a pipe launches. */
static inline bool aqsim_policy_picks(const aqsim_device *device)
{
  return device->decides & AQSIM_DECIDES_LAUNCH;
}

/* How much later a pipe may launch what becomes ready. */
aq_time aqsim_policy_pick_delay(const aqsim_device *device);

/* Of the queues that want the launch unit, the one to be served; NULL: none
 * now. */
aqsim_queue *aqsim_policy_pick(aqsim_unit *unit);

/* Of the copies that wait for an engine, the one to be served, by its place in
 * the line that begins with `first`; AQ_POLICY_NONE: none now. */
uint32_t aqsim_policy_copy_pick(aqsim_device *device, uint32_t engine,
                                const aqsim_ready *first);

/* ---- kernels ---- */

/* A kernel is launched and starts at flight->start, which may become later.
 * False: out of memory. */
bool aqsim_policy_launch(aqsim_inflight *inflight);

/* Of a kernel that a policy decides about, its next grid: compute units, limits
 * and workgroups. */
void aqsim_policy_grid(const aqsim_inflight *inflight, aqsim_grid_desc *grid);

/* One was submitted. */
void aqsim_policy_grid_begun(aqsim_device *device);

/* The first start of a kernel, whose present grid started so. */
aq_time aqsim_policy_first(aqsim_inflight *inflight, aq_time start);

/* A grid ended. True: there is another slice to launch. */
bool aqsim_policy_grid_ended(aqsim_inflight *inflight);

/* It completes, or is gone: the run is no more. */
void aqsim_policy_complete(aqsim_inflight *inflight);
void aqsim_policy_forget(aqsim_inflight *inflight);

/* ---- slots ---- */

/* Whether the policy maps queues. */
static inline bool aqsim_policy_maps(const aqsim_device *device)
{
  return device->decides & AQSIM_DECIDES_MAP;
}

/* It has to be asked for a mapping: calls aqsim_device_ops.slots_map soon. */
void aqsim_policy_map(aqsim_device *device);

/* Asks; false: nothing is to change. */
bool aqsim_policy_map_next(aqsim_device *device, aq_mapping *out);

/* Its answer is not legal. */
void aqsim_policy_map_illegal(aqsim_device *device, const char *why);

/* Stops the running kernels of a queue that leaves its slot. */
void aqsim_policy_queue_stop(aqsim_queue *queue, aq_preempt_mode mode);

/* The queue left its slot. */
void aqsim_policy_queue_left(aqsim_queue *queue);

/* It got one, and its stopped kernels continue. */
void aqsim_policy_queue_mapped(aqsim_queue *queue);

/* The device has one more queue. */
void aqsim_policy_queue_new(aqsim_device *device);

#endif
