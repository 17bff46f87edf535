/* SPDX-License-Identifier: MIT */
/* Which waits of a task need no packet. The rules are tried in the order of
 * aq_wait_rule; each has its function. */
#include "config.h"

#include "queue/core/queue_priv.h"

/* What one wait came to: a rule, or one of these. */
enum { WAIT_EDGE = AQ_WAIT_RULES, WAIT_FAILED };

static bool is_dominated(const aq_queue *queue, const aq_axis *axis,
                         uint64_t epoch)
{
  return axis == queue->axis ||
         aq_frontier_dominates(&queue->frontier, axis->id, epoch);
}

/* Everything that ever promised a value of the semaphore is behind us: our own
 * epochs are. */
static bool is_all_dominated(const aq_queue *queue,
                             const aq_semaphore *semaphore)
{
  const aq_frontier *all = &semaphore->producers;
  if (all->overflow)
    return false;
  for (uint32_t i = 0; i < all->count; i++)
    if (all->entries[i].axis != queue->axis->id &&
        !aq_frontier_dominates(&queue->frontier, all->entries[i].axis,
                               all->entries[i].epoch))
      return false;
  return all->count > 0;
}

static void edge_add(aq_plan *plan, const aq_promise *promise, bool silent)
{
  plan->edges[plan->edge_count++] = (aq_plan_edge){
      {aq_axis_retain(promise->axis), promise->epoch,
       promise->flag ? aq_flag_retain(promise->axis->hub, promise->flag)
                     : NULL},
      silent};
  plan->loud += !silent;
}

/* The plan has an edge to the same queue: the later one is enough. */
static bool edge_widen(aq_plan *plan, const aq_promise *promise)
{
  for (uint32_t i = 0; i < plan->edge_count; i++) {
    aq_epoch_ref *edge = &plan->edges[i].edge;
    if (edge->axis != promise->axis || plan->edges[i].silent)
      continue;
    if (edge->epoch < promise->epoch) {
      const aq_epoch_ref before = *edge;
      *edge = (aq_epoch_ref){
          aq_axis_retain(promise->axis), promise->epoch,
          promise->flag ? aq_flag_retain(promise->axis->hub, promise->flag)
                        : NULL};
      aq_epoch_release(&before);
    }
    return true;
  }
  return false;
}

/* Packets that wait for zero need a signal of the epoch's own; queues of a
 * context that waits in another way count their epochs in one. */
static bool is_unseen(const aq_queue *queue, const aq_promise *promise)
{
  return queue->way == AQ_EDGE_BARRIER_AND && !promise->flag;
}

/* A wait for an epoch that is known. */
static int promise_plan(const aq_queue *queue, const aq_semaphore *semaphore,
                        const aq_promise *promise, aq_plan *plan)
{
  if (promise->host || plan->edge_count == AQ_PLAN_EDGES)
    return AQ_WAIT_DEFERRED;
  if (promise->axis == queue->axis)
    return AQ_WAIT_SAME_QUEUE;
  if (is_dominated(queue, promise->axis, promise->epoch)) {
    edge_add(plan, promise, true);
    return AQ_WAIT_DOMINATED;
  }
  if (queue->way == AQ_EDGE_DEFER || is_unseen(queue, promise))
    return AQ_WAIT_DEFERRED;
  if (promise == aq_semaphore_promised(semaphore, 0))
    aq_frontier_merge(&plan->gained, &semaphore->frontier);
  if (edge_widen(plan, promise))
    return AQ_WAIT_DOMINATED;
  edge_add(plan, promise, false);
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
  const aq_promise *promise = aq_semaphore_covering(semaphore, point->value);
  int met = AQ_WAIT_DEFERRED;
  if (plan->waited_count == AQ_PLAN_EDGES)
    return met;
  if (promise)
    met = promise_plan(queue, semaphore, promise, plan);
  else if (point->value <= semaphore->promised && !semaphore->hosted &&
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
  aq_lock(point->semaphore->hub, &point->semaphore->lock);
  const int met = wait_plan_locked(queue, point, plan);
  aq_unlock(point->semaphore->hub, &point->semaphore->lock);
  return met;
}

/* What another edge's producer has waited for needs no edge of its own. */
static void edges_prune(aq_plan *plan)
{
  for (uint32_t i = 0; i < plan->edge_count; i++) {
    aq_plan_edge *edge = &plan->edges[i];
    if (edge->silent ||
        !aq_frontier_dominates(&plan->gained, edge->edge.axis->id,
                               edge->edge.epoch))
      continue;
    edge->silent = true;
    plan->loud--;
    plan->rules[AQ_WAIT_DOMINATED]++;
  }
}

aq_status aq_plan_make(aq_queue *queue, aq_task *task, aq_plan *plan,
                       aq_diag *diag)
{
  const aq_sync *sync = &task->sync;
  bool deferred = false;
  for (uint32_t i = 0; i < sync->wait_count; i++) {
    const aq_point *point = &sync->waits[i];
    const int met = wait_plan(queue, point, plan);
    if (met == WAIT_FAILED) {
      aq_plan_drop(plan);
      return aq_semaphore_word(point->semaphore, diag);
    }
    plan->system |= !(point->semaphore->flags & AQ_SEMAPHORE_DEVICE);
    const bool before = task->deferred && task->deferred[i];
    deferred |= met == AQ_WAIT_DEFERRED;
    if (met < AQ_WAIT_RULES)
      plan->rules[before ? AQ_WAIT_DEFERRED : met]++;
    if (met == AQ_WAIT_DEFERRED && task->deferred)
      task->deferred[i] = 1;
  }
  if (deferred) {
    aq_plan_drop(plan);
    return AQ_ERR_AGAIN;
  }
  if (plan->loud > 1)
    edges_prune(plan);
  plan->rules[plan->loud == 1 ? AQ_WAIT_ONE_EDGE : AQ_WAIT_MANY_EDGES] +=
      plan->loud;
  return AQ_OK;
}

void aq_plan_drop(aq_plan *plan)
{
  for (uint32_t i = 0; i < plan->edge_count; i++)
    aq_epoch_release(&plan->edges[i].edge);
  plan->edge_count = plan->loud = 0;
}
