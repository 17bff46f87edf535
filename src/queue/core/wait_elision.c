/* SPDX-License-Identifier: MIT */
/* Which waits of a task need no packet. The rules are tried in the order of
 * aq_wait_rule; each has its function. */
#include "config.h"

#include "queue/core/queue_priv.h"

/* What one wait came to: a rule, or one of these. */
enum { WAIT_EDGE = AQ_WAIT_RULES, WAIT_FAILED };

/* Everything that ever promised a value of the semaphore is behind us: our own
 * epochs are. */
static bool is_all_dominated(const aq_queue *queue,
                             const aq_semaphore *semaphore)
{
  const aq_frontier *all = &semaphore->producers;
  if (all->overflow)
    return false;
  for (uint32_t i = 0; i < all->count; i++)
    if (all->entries[i].axis != queue->timeline->id &&
        !aq_frontier_dominates(&queue->frontier, all->entries[i].axis,
                               all->entries[i].epoch))
      return false;
  return all->count > 0;
}

static void edge_add(aq_plan *plan, const aq_pending_signal *pending,
                     bool implied)
{
  plan->edges[plan->edge_count++] = (aq_plan_edge){
      {aq_queue_timeline_retain(pending->timeline), pending->epoch,
       pending->flag ? aq_epoch_signal_retain(pending->timeline->sync_domain,
                                              pending->flag)
                     : NULL},
      implied};
  plan->needs_packet += !implied;
}

/* The plan has an edge to the same queue: the later one is enough. */
static bool edge_widen(aq_plan *plan, const aq_pending_signal *pending)
{
  for (uint32_t i = 0; i < plan->edge_count; i++) {
    aq_epoch_ref *edge = &plan->edges[i].edge;
    if (edge->timeline != pending->timeline || plan->edges[i].implied)
      continue;
    if (edge->epoch < pending->epoch) {
      const aq_epoch_ref before = *edge;
      *edge = (aq_epoch_ref){
          aq_queue_timeline_retain(pending->timeline), pending->epoch,
          pending->flag ? aq_epoch_signal_retain(pending->timeline->sync_domain,
                                                 pending->flag)
                        : NULL};
      aq_epoch_release(&before);
    }
    return true;
  }
  return false;
}

/* A wait for an epoch that is known. */
static int pending_signal_plan(const aq_queue *queue,
                               const aq_semaphore *semaphore,
                               const aq_pending_signal *pending, aq_plan *plan)
{
  if (pending->host || plan->edge_count == AQ_PLAN_EDGES)
    return AQ_WAIT_DEFERRED;
  if (pending->timeline == queue->timeline)
    return AQ_WAIT_SAME_QUEUE;
  if (pending->timeline == queue->timeline ||
      aq_frontier_dominates(&queue->frontier, pending->timeline->id,
                            pending->epoch)) {
    edge_add(plan, pending, true);
    return AQ_WAIT_DOMINATED;
  }
  /* Packets that wait for zero need a signal of the epoch's own; queues of a
   * context that waits in another way count their epochs in one. */
  if (queue->way == AQ_EDGE_DEFER ||
      (queue->way == AQ_EDGE_BARRIER_AND && !pending->flag))
    return AQ_WAIT_DEFERRED;
  if (pending == aq_semaphore_pending_signal_at(semaphore, 0))
    aq_frontier_merge(&plan->acquired, &semaphore->frontier);
  if (edge_widen(plan, pending))
    return AQ_WAIT_DOMINATED;
  edge_add(plan, pending, false);
  return WAIT_EDGE;
}

static int wait_plan_locked(const aq_queue *queue, const aq_point *point,
                            aq_plan *plan)
{
  aq_semaphore *semaphore = point->semaphore;
  if (aq_semaphore_value(semaphore) >= point->value)
    return AQ_WAIT_COMPLETE;
  if (aq_semaphore_failed(semaphore) != AQ_OK)
    return WAIT_FAILED;
  const aq_pending_signal *pending =
      aq_semaphore_find_pending_signal(semaphore, point->value);
  int met = AQ_WAIT_DEFERRED;
  if (plan->waited_count == AQ_PLAN_EDGES)
    return met;
  if (pending)
    met = pending_signal_plan(queue, semaphore, pending, plan);
  else if (point->value <= semaphore->pending_signal && !semaphore->hosted &&
           is_all_dominated(queue, semaphore))
    met = AQ_WAIT_ALL_DOMINATED;
  if (met != AQ_WAIT_DEFERRED) { /* its outcome counts, however it is met */
    plan->waited[plan->waited_count] = semaphore;
    plan->waited_values[plan->waited_count++] = point->value;
  }
  return met;
}

static int wait_plan(const aq_queue *queue, const aq_point *point,
                     aq_plan *plan)
{
  if (aq_semaphore_value(point->semaphore) >= point->value)
    return AQ_WAIT_COMPLETE;
  aq_lock(point->semaphore->sync_domain, &point->semaphore->lock);
  const int met = wait_plan_locked(queue, point, plan);
  aq_unlock(point->semaphore->sync_domain, &point->semaphore->lock);
  return met;
}

aq_status aq_plan_make(aq_queue *queue, aq_task *task, aq_plan *plan,
                       aq_diag *diag)
{
  const aq_sync *sync = &task->sync;
  bool host_waits = false;
  for (uint32_t i = 0; i < sync->wait_count; i++) {
    const aq_point *point = &sync->waits[i];
    const int met = wait_plan(queue, point, plan);
    if (met == WAIT_FAILED) {
      aq_plan_drop(plan);
      return aq_semaphore_failure(point->semaphore, diag);
    }
    plan->system |= !(point->semaphore->flags & AQ_SEMAPHORE_DEVICE);
    const bool before = task->host_waits && task->host_waits[i];
    host_waits |= met == AQ_WAIT_DEFERRED;
    if (met < AQ_WAIT_RULES)
      plan->rules[before ? AQ_WAIT_DEFERRED : met]++;
    if (met == AQ_WAIT_DEFERRED && task->host_waits)
      task->host_waits[i] = 1;
  }
  if (host_waits) {
    aq_plan_drop(plan);
    return AQ_ERR_AGAIN;
  }
  if (plan->needs_packet > 1) {
    /* What another edge's producer has waited for needs no edge of its own. */
    for (uint32_t i = 0; i < plan->edge_count; i++) {
      aq_plan_edge *edge = &plan->edges[i];
      if (edge->implied ||
          !aq_frontier_dominates(&plan->acquired, edge->edge.timeline->id,
                                 edge->edge.epoch))
        continue;
      edge->implied = true;
      plan->needs_packet--;
      plan->rules[AQ_WAIT_DOMINATED]++;
    }
  }
  plan->rules[plan->needs_packet == 1 ? AQ_WAIT_ONE_EDGE
                                      : AQ_WAIT_MANY_EDGES] +=
      plan->needs_packet;
  return AQ_OK;
}

void aq_plan_drop(aq_plan *plan)
{
  for (uint32_t i = 0; i < plan->edge_count; i++)
    aq_epoch_release(&plan->edges[i].edge);
  plan->edge_count = plan->needs_packet = 0;
}
