/* SPDX-License-Identifier: MIT */
/*
 * A task as parts of the ring (packet_batch.h), with everything that the host
 * queue adds to one: waits for other queues, an epoch and its notifications.
 * This and aql_queue_submit.c are the only publishers of a ring's packets on
 * the host.
 *
 * Steps of a part, with the queue's lock:
 *
 *   plan      what its waits need: edges, or the host (wait_elision.c)
 *   room      notifications, slots, kernel arguments; then signals and what its
 *             class prepares. Nothing has been taken when one is missing
 *   fill      bodies of packets, edges first, headers only noted
 *   issue     the epoch, then its notifications (aq_notify_publish, release)
 *   publish   headers in order (release), then the doorbell
 *
 * The notifications are visible before the packets are, so an epoch that is
 * seen complete has them; the epoch before the notifications, so the retirer
 * finds no entry of an epoch that it does not know.
 *
 * One producer. The lock makes the submitting threads one; the ring's room is
 * checked and taken without another in between. A device that puts packets
 * itself (`device_walk_epoch`) is the producer until its epoch is retired.
 *
 * Doorbells. `doorbell_pending` says that one is owed. AQ_SYNC_MORE may leave
 * it owed, and the next operation without, a flush, a ring without room or the
 * end of a resume pays. So it is never owed while an operation stays deferred.
 *
 * Kernel arguments. A part takes bytes of a ring, and gives the rest back when
 * it is closed. They are free again when the epoch is retired (kernarg_free),
 * unlike the bytes of an AQL queue, which go by the read index: here the device
 * may still read them when it has moved that on.
 *
 * Failure. Before the epoch is issued, everything is returned. A queue that
 * fails meanwhile stores 0 to the flags that it sees; the flag of an epoch that
 * was issued at that moment gets it at the end of task_publish, which looks at
 * `failed_from` after the epoch is visible: one of the two sees the other's
 * store. A counted queue needs nothing, its counter is 0 from then on.
 */
#include "config.h"

#include <string.h>

#include "queue/core/queue_priv.h"
#include "queue/ring/packet_batch.h"

/* The needs of a part. */
typedef struct part {
  aq_plan *plan; /* NULL: not the first part, or it waits for nothing */
  uint32_t edge_packets, edge_kernarg;
  aq_packet_span span;
  aq_epoch_signal *flag,
      *start; /* of the last packet and, to time it, the first */
  uint64_t epoch;
  bool whole;             /* the task ends with it */
  bool device_walk_epoch; /* the device puts packets behind it, and completes it
                           */
} part;

/* ---- room ---- */

static uint32_t notifications_of(const aq_task *task, const aq_plan *plan)
{
  uint32_t dues = 1 + task->sync.signal_count + (task->action != NULL) +
                  (task->on_done != NULL) + (task->sync.release != NULL);
  if (plan)
    dues += 2 * plan->edge_count + plan->waited_count;
  return dues;
}

static bool part_room(aq_queue *queue, const aq_task *task, part *p)
{
  if (aq_notify_space(&queue->notify_ring) < notifications_of(task, p->plan))
    return false;
  if (p->span.kernarg_size > 0)
    aq_kernarg_ring_free(
        &queue->aql_queue->kernargs,
        __atomic_load_n(&queue->kernarg_free, __ATOMIC_ACQUIRE));
  return aq_packet_batch_reserve_space(&p->span, queue->aql_queue);
}

/* ---- packets ---- */

static bool is_device_only(const aq_task *task)
{
  for (uint32_t i = 0; i < task->sync.signal_count; i++)
    if (!(task->sync.signals[i].semaphore->flags & AQ_SEMAPHORE_DEVICE))
      return false;
  return true;
}

static aq_fence_scope release_of(const aq_task *task, const part *p)
{
  if (!p->whole || (task->sync.signal_count == 0 && !task->action))
    return AQ_SCOPE_NONE;
  return is_device_only(task) && !task->action ? AQ_SCOPE_AGENT
                                               : AQ_SCOPE_SYSTEM;
}

static uint32_t header_release(uint32_t header, aq_fence_scope release)
{
  if (aq_header_release(header) >= (unsigned)release)
    return header;
  return (header &
          ~((uint32_t)AQ_HEADER_SCOPE_MASK << AQ_HEADER_RELEASE_SHIFT)) |
         (uint32_t)release << AQ_HEADER_RELEASE_SHIFT;
}

/* Whether a packet can carry the completion of all before it: it waits for
 * them, and no other code publishes it or has given it a signal. */
static bool can_carry(const aq_queue *queue, const aq_packet_span *span)
{
  if (span->packets == 0)
    return false;
  const uint32_t last = span->packets - 1;
  return aq_header_type(span->headers[last]) != AQ_PACKET_INVALID &&
         aq_header_barrier(span->headers[last]) &&
         aq_ring_slot(queue->ring, span->first + last)
                 ->kernel.completion_signal.handle == 0;
}

/* The last packet, or a barrier behind it, completes the epoch; or the device
 * does, which puts the packets. */
static void completion_add(aq_queue *queue, aq_task *task, part *p)
{
  aq_packet_span *span = &p->span;
  const aq_signal signal = p->flag ? p->flag->signal : queue->timeline->counter;
  if (p->device_walk_epoch) {
    task->class->complete(task, signal);
    return;
  }
  if (!can_carry(queue, span)) {
    aq_packet_batch_next(span, aq_packet_header(AQ_PACKET_BARRIER_AND, 1,
                                                AQ_SCOPE_NONE, AQ_SCOPE_NONE));
  }
  const uint32_t last = span->packets - 1;
  span->headers[last] =
      header_release(span->headers[last], release_of(task, p));
  aq_ring_slot(span->ring, span->first + last)->kernel.completion_signal =
      signal;
}

static aq_walk packets_fill(const aq_queue *queue, aq_task *task, part *p)
{
  aq_packet_span *span = &p->span;
  if (p->plan)
    aq_wait_packets_fill(queue->way, p->plan, span);
  if (!task->class->fill)
    return AQ_WALK_END;
  const bool system = p->plan && p->plan->system;
  span->slots--; /* for the completion */
  const aq_walk walk = task->class->fill(
      task,
      aq_packet_header((aq_packet_type)0, 1,
                       system ? AQ_SCOPE_SYSTEM : AQ_SCOPE_AGENT,
                       AQ_SCOPE_NONE),
      span);
  span->slots++;
  return walk;
}

/* ---- notifications ---- */

static void plan_notify(aq_queue *queue, const part *p)
{
  const aq_plan *plan = p->plan;
  if (queue->frontier.count + plan->edge_count + plan->acquired.count >
      AQ_FRONTIER_AXES)
    aq_sync_domain_prune(queue->sync_domain, &queue->frontier);
  for (uint32_t i = 0; i < plan->edge_count; i++) {
    const aq_epoch_ref *edge = &plan->edges[i].edge;
    aq_notify_put(&queue->notify_ring, AQ_NOTIFY_DEPENDENCY, edge->timeline,
                  edge->epoch, p->epoch, 0);
    if (edge->flag)
      aq_notify_put(&queue->notify_ring, AQ_NOTIFY_EPOCH_SIGNAL, edge->flag, 0,
                    p->epoch, 0);
    if (!plan->edges[i].implied)
      aq_frontier_add(&queue->frontier, edge->timeline->id, edge->epoch);
  }
  for (uint32_t i = 0; i < plan->waited_count; i++)
    aq_notify_put(&queue->notify_ring, AQ_NOTIFY_WAITED,
                  aq_semaphore_retain(plan->waited[i]), plan->waited_values[i],
                  p->epoch, 0);
  if (plan->needs_packet > 0)
    aq_frontier_merge(&queue->frontier, &plan->acquired);
  for (uint32_t i = 0; i < AQ_WAIT_RULES; i++)
    queue->stats.rules[i] += plan->rules[i];
  queue->stats.edge_packets += p->edge_packets;
}

static void signals_add_pending(aq_queue *queue, const aq_task *task,
                                const part *p)
{
  const aq_sync *sync = &task->sync;
  if (queue->frontier.overflow) {
    aq_sync_domain_prune(queue->sync_domain, &queue->frontier);
    queue->frontier.overflow = queue->frontier.count == AQ_FRONTIER_AXES;
  }
  for (uint32_t i = 0; i < sync->signal_count; i++) {
    aq_semaphore *semaphore = aq_semaphore_retain(sync->signals[i].semaphore);
    aq_notify_put(&queue->notify_ring, AQ_NOTIFY_SIGNAL, semaphore,
                  sync->signals[i].value, p->epoch, 0);
    aq_semaphore_add_pending_signal(
        semaphore,
        &(aq_pending_signal){.value = sync->signals[i].value,
                             .timeline = queue->timeline,
                             .epoch = p->epoch,
                             .flag = p->flag,
                             .host = task->action != NULL},
        queue->frontier.overflow ? NULL : &queue->frontier);
  }
}

/* Before the packets are published: they may be complete at once. */
static void notifications_put(aq_queue *queue, const aq_task *task,
                              const part *p)
{
  aq_notify_ring *notify_ring = &queue->notify_ring;
  if (p->plan)
    plan_notify(queue, p);
  if (p->whole && task->action)
    aq_notify_put(notify_ring, AQ_NOTIFY_ACTION, task->action_user,
                  (uint64_t)(uintptr_t)task->action, p->epoch, 0);
  aq_notify_put(notify_ring, AQ_NOTIFY_END, NULL,
                queue->aql_queue->kernargs.head, p->epoch, p->span.packets);
  if (task->on_done && (p->whole || task->parts))
    aq_notify_put(notify_ring, AQ_NOTIFY_DONE, task->on_done_user,
                  (uint64_t)(uintptr_t)task->on_done, p->epoch, 0);
  if (p->whole) {
    signals_add_pending(queue, task, p);
    if (task->sync.release)
      aq_notify_put(notify_ring, AQ_NOTIFY_RELEASE, task->sync.user,
                    (uint64_t)(uintptr_t)task->sync.release, p->epoch, 0);
  }
  if (queue->reports)
    queue->reports[p->epoch & (queue->notify_ring.size - 1)] =
        (aq_operation_report){.operation = p->whole ? task->class->kind
                                                    : AQ_OPERATION_NONE,
                              .what = aq_operation_name(task->class->kind),
                              .first = task->first,
                              .packets = task->packets,
                              .begin = task->begin,
                              .submitted = queue->ops->now(queue->transport),
                              .depth = queue->stats.depth,
                              .rules = task->rules,
                              .number = task->number};
  aq_notify_publish(notify_ring);
}

/* ---- parts ---- */

/* The signal of its epoch: that of its place, if that is free again. */
static aq_status epoch_signal_find(aq_queue *queue, part *p, aq_diag *diag)
{
  aq_epoch_signal **place = aq_queue_epoch_signal(queue, p->epoch);
  p->flag = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (p->flag)
    return AQ_OK;
  aq_status status =
      aq_epoch_signal_acquire(queue->sync_domain, &p->flag, diag);
  if (status == AQ_OK)
    __atomic_store_n(place, p->flag, __ATOMIC_RELEASE);
  return status;
}

static aq_status epoch_signals_find(aq_queue *queue, part *p, aq_diag *diag)
{
  aq_status status = queue->flags ? epoch_signal_find(queue, p, diag) : AQ_OK;
  if (status == AQ_OK && queue->starts)
    status = aq_epoch_signal_acquire(queue->sync_domain, &p->start, diag);
  return status;
}

/* The first packet says when the operation began, if it is not the last too: by
 * a signal that it completes anyway, or by one of ours. */
static void start_add(aq_queue *queue, const aq_task *task, part *p)
{
  const aq_packet_span *span = &p->span;
  aq_epoch_signal **place =
      &queue->starts[p->epoch & (queue->notify_ring.size - 1)];
  *place = NULL;
  if (span->packets > p->edge_packets + !p->device_walk_epoch) {
    aq_packet *slot = aq_ring_slot(span->ring, span->first + p->edge_packets);
    if (task->class->first_signal) {
      *place = aq_epoch_signal_retain(queue->sync_domain,
                                      task->class->first_signal(task));
    } else if (aq_header_type(span->headers[p->edge_packets]) !=
                   AQ_PACKET_INVALID &&
               slot->kernel.completion_signal.handle == 0) {
      slot->kernel.completion_signal = p->start->signal;
      *place = p->start;
      return;
    }
  }
  aq_epoch_signal_release(queue->sync_domain, p->start);
}

void aq_queue_ring_doorbell(aq_queue *queue)
{
  if (!queue->doorbell_pending)
    return;
  queue->doorbell_pending = false;
  queue->stats.doorbells++;
  aq_packet_batch_ring(queue->aql_queue);
}

static void task_publish(aq_queue *queue, aq_task *task, part *p)
{
  aq_packet_batch_close(&p->span, queue->aql_queue);
  if (!task->begun)
    task->first = p->span.first;
  task->packets += p->span.packets;
  aq_queue_stats *stats = &queue->stats;
  if (!task->begun && task->class->kind != AQ_OPERATION_NONE) {
    stats->operations++;
    stats->kinds[task->class->kind]++;
    stats->bytes += task->bytes;
    stats->copies[task->way] += task->way != AQ_COPY_CHOOSE;
  }
  stats->epochs++;
  stats->packets += p->span.packets;
  stats->depth = (uint32_t)(p->epoch - aq_queue_retired(queue));
  if (stats->depth > stats->depth_max)
    stats->depth_max = stats->depth;
  __atomic_store_n(&queue->epoch, p->epoch, __ATOMIC_RELEASE);
  notifications_put(queue, task, p);
  aq_packet_batch_publish(&p->span, queue->aql_queue);
  queue->doorbell_pending = true;
  if (!(task->sync.flags & AQ_SYNC_MORE) || !p->whole)
    aq_queue_ring_doorbell(queue);
  task->begun = true;
  if (p->whole && task->action)
    aq_queue_arm(queue, p->epoch);
  /* The device may have stopped before it knew of this epoch's signal. */
  if (p->flag &&
      aq_queue_timeline_failed_from(queue->timeline) != AQ_EPOCH_NEVER)
    aq_epoch_fail(queue, p->epoch, p->flag);
}

/* Field by field, see aq_task_start. */
static inline void part_init(part *p, const aq_queue *queue, aq_plan *plan)
{
  aq_packet_batch_begin(&p->span, queue->aql_queue);
  p->plan = plan;
  p->flag = p->start = NULL;
  p->device_walk_epoch = false;
  p->epoch = queue->epoch + 1;
}

static aq_issue_result part_put(aq_queue *queue, aq_task *task, aq_plan *plan,
                                aq_diag *diag)
{
  part p;
  part_init(&p, queue, plan);
  const uint64_t limit = aq_kernarg_ring_limit(&queue->aql_queue->kernargs);
  const uint32_t needs_packet = p.plan ? p.plan->needs_packet : 0;
  p.edge_packets = aq_wait_packets_count(queue->way, needs_packet);
  p.edge_kernarg = aq_wait_packets_kernarg(queue->way, needs_packet);
  const uint32_t most = queue->ring->size - p.edge_packets - 1;
  uint32_t packets = 0, kernargs = 0;
  if (task->class->demand)
    task->class->demand(task, most, &packets, &kernargs);
  if (task->class->demand && packets == 0)
    packets = 1; /* its flow is not known: a drain, or the end */
  p.span.slots = p.edge_packets + (packets < most ? packets : most) + 1;
  if (kernargs > limit - p.edge_kernarg)
    kernargs = (uint32_t)limit - p.edge_kernarg;
  p.span.kernarg_size = p.edge_kernarg + kernargs;
  if (!part_room(queue, task, &p))
    return AQ_ISSUE_FULL;
  if (epoch_signals_find(queue, &p, diag) != AQ_OK ||
      (task->class->prepare && !task->begun &&
       task->class->prepare(task, queue, diag) != AQ_OK)) {
    aq_packet_batch_drop(&p.span, queue->aql_queue);
    if (p.start)
      aq_epoch_signal_release(queue->sync_domain, p.start);
    return AQ_ISSUE_ERROR;
  }
  const aq_walk walk = packets_fill(queue, task, &p);
  p.whole = walk == AQ_WALK_END;
  p.device_walk_epoch = walk == AQ_WALK_DRAIN && task->class->complete;
  completion_add(queue, task, &p);
  if (queue->starts)
    start_add(queue, task, &p);
  task_publish(queue, task, &p);
  task->resume_at = walk == AQ_WALK_DRAIN || task->parts ? p.epoch : 0;
  if (p.device_walk_epoch)
    queue->device_walk_epoch = p.epoch;
  if (walk == AQ_WALK_BUDGET) {
    aq_diag_set(diag, AQ_ERR_RESOURCES, "the program entered too many blocks");
    return AQ_ISSUE_FAILED;
  }
  if (walk == AQ_WALK_DEPTH) {
    aq_diag_set(diag, AQ_ERR_RESOURCES,
                "the program has more than %d calls within calls",
                AQ_CALL_DEPTH);
    return AQ_ISSUE_FAILED;
  }
  return p.whole ? AQ_ISSUE_DONE : AQ_ISSUE_PART;
}

aq_issue_result aq_task_issue(aq_queue *queue, aq_task *task, aq_diag *diag)
{
  if (queue->device_walk_epoch > aq_queue_retired(queue))
    return AQ_ISSUE_FULL;
  if (task->begun || task->sync.wait_count == 0)
    return part_put(queue, task, NULL, diag);
  aq_plan plan;
  plan.edge_count = plan.needs_packet = plan.waited_count = 0;
  plan.system = false;
  plan.acquired.count = 0;
  plan.acquired.overflow = false;
  memset(plan.rules, 0, sizeof plan.rules);
  aq_status status = aq_plan_make(queue, task, &plan, diag);
  if (status == AQ_ERR_AGAIN)
    return AQ_ISSUE_WAIT;
  if (status != AQ_OK)
    return AQ_ISSUE_FAILED;
  task->rules = 0;
  for (uint32_t i = 0; i < AQ_WAIT_RULES; i++)
    task->rules |= plan.rules[i] > 0 ? 1u << i : 0;
  const aq_issue_result put = part_put(queue, task, &plan, diag);
  if (put == AQ_ISSUE_FULL || put == AQ_ISSUE_ERROR)
    aq_plan_drop(&plan);
  return put;
}

void aq_task_fail(const aq_task *task, aq_status status, const char *cause)
{
  if (task->on_done)
    task->on_done(status, cause, task->on_done_user);
  for (uint32_t i = 0; i < task->sync.signal_count; i++)
    aq_semaphore_fail(task->sync.signals[i].semaphore, status, cause);
  if (task->sync.release)
    task->sync.release(status, task->sync.user);
}
