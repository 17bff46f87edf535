/* SPDX-License-Identifier: MIT */
/* Ended preemptions, and their reports. */
#include "config.h"

#include "backend_sim/policy/policy_priv.h"

void aqsim_policy_preempted_notify(aqsim_policy *p,
                                   const aq_preempt_result *result)
{
  aqsim_policy_notify(
      p, AQ_SIDE_FIRMWARE,
      &(aqsim_item){.kind = AQSIM_ITEM_PREEMPTED, .result = *result});
}

static void row_report(const aqsim_policy *p, const aqsim_queue *queue,
                       const aq_preempted *row)
{
  if (p->binding->preempted)
    p->binding->preempted(p->binding->user, queue->ring.id, row);
}

void aqsim_policy_kernel_preempted(const aqsim_policy_kernel *run,
                                   aq_time freed)
{
  aqsim_policy *p = run->policy;
  aqsim_policy_preempted_notify(
      p, &(aq_preempt_result){.cookie = run->cookie,
                              .target = run->handle,
                              .asked = run->asked,
                              .freed = freed,
                              .wasted = run->lost,
                              .workgroups = run->workgroups});
  row_report(p, run->inflight->queue,
             &(aq_preempted){.job = run->job == AQ_POLICY_NO_JOB
                                        ? AQ_NONE
                                        : (int64_t)run->job,
                             .mode = run->mode,
                             .asked = run->asked,
                             .freed = freed,
                             .wasted = run->lost,
                             .workgroups = run->workgroups});
}

void aqsim_queue_preempted(aqsim_queue *queue)
{
  aqsim_queue_policy *own = &queue->policy;
  aqsim_policy *p = queue->device->policy;
  const aq_time now = queue->sim->now;
  if (!own->preempting)
    return;
  own->preempting = false;
  aqsim_policy_preempted_notify(
      p, &(aq_preempt_result){.cookie = own->cookie,
                              .target = queue->number,
                              .asked = own->asked,
                              .freed = now,
                              .wasted = own->wasted,
                              .workgroups = own->workgroups});
  if (own->worked || own->returned)
    row_report(p, queue,
               &(aq_preempted){.job = AQ_NONE,
                               .mode = own->mode,
                               .asked = own->asked,
                               .freed = now,
                               .wasted = own->wasted,
                               .workgroups = own->workgroups,
                               .returned = own->returned});
}

bool aqsim_policy_queue_runs(const aqsim_policy *p, const aqsim_queue *queue)
{
  const aqsim_policy_kernel *run = p->runs;
  while (run &&
         !(run->inflight->queue == queue && run->state == AQSIM_RUN_GOES &&
           aqsim_policy_kernel_is_running(run)))
    run = run->next;
  return run != NULL;
}

/* ---- queues that are suspended ---- */

void aqsim_policy_suspend_begun(aqsim_queue *queue)
{
  aqsim_queue_policy *own = &queue->policy;
  if (own->suspending || !aqsim_policy_queue_runs(queue->device->policy, queue))
    return;
  own->suspending = true;
  own->suspended = queue->sim->now;
}

void aqsim_policy_suspend_done(aqsim_queue *queue, aq_time freed)
{
  aqsim_queue_policy *own = &queue->policy;
  if (!own->suspending)
    return;
  own->suspending = false;
  row_report(queue->device->policy, queue,
             &(aq_preempted){.job = AQ_NONE,
                             .mode = AQ_PREEMPTED_SUSPEND,
                             .asked = own->suspended,
                             .freed = freed == AQ_TIME_NONE ? AQ_NONE : freed});
}

void aqsim_policy_queue_rests(aqsim_queue *queue)
{
  if (queue->policy.suspending &&
      !aqsim_policy_queue_runs(queue->device->policy, queue))
    aqsim_policy_suspend_done(queue, queue->sim->now);
}
