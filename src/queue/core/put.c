/* SPDX-License-Identifier: MIT */
/*
 * A task as parts of the ring (part.h), with everything that the host queue
 * adds to one: waits for other queues, an epoch and its notifications. This and
 * feed_submit.c are the only publishers of a ring's packets on the host.
 *
 * Steps of a part, with the queue's lock:
 *
 *   plan       what its waits need: edges, or the host (elide.c)
 *   room       notifications, slots, kernel arguments; then signals and what
 *              its class prepares. Nothing has been taken when one is missing
 *   fill       bodies of packets, edges first, headers only noted
 *   issue      the epoch, then its notifications (aq_due_tell, release)
 *   publish    headers in order (release), then the doorbell
 *
 * The notifications are visible before the packets are, so an epoch that is
 * seen complete has them; the epoch before the notifications, so the retirer
 * finds no entry of an epoch that it does not know.
 *
 * One producer. The lock makes the submitting threads one; the ring's room is
 * checked and taken without another in between. A device that puts packets
 * itself (`walked`) is the producer until its epoch is retired.
 *
 * Doorbells. `unrung` says that one is owed. AQ_SYNC_MORE may leave it owed,
 * and the next operation without, a flush, a ring without room, parking or the
 * end of a resume pays. So it is never owed while an operation is parked.
 *
 * Kernel arguments. A part takes bytes of a ring, and gives the rest back when
 * it is closed. They are free again when the epoch is retired (kernarg_free),
 * unlike the bytes of a feed, which go by the read index: here the device may
 * still read them when it has moved that on.
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
#include "queue/ring/part.h"

/* The needs of a part. */
typedef struct part {
  aq_plan *plan; /* NULL: not the first part, or it waits for nothing */
  uint32_t edge_packets, edge_kernarg;
  aq_packet_span span;
  aq_flag *flag, *start; /* of the last packet and, to time it, the first */
  uint64_t epoch;
  bool whole;  /* the task ends with it */
  bool walked; /* the device puts packets behind it, and completes it */
} part;

/* ---- room ---- */

static uint32_t dues_of(const aq_task *task, const aq_plan *plan)
{
  uint32_t dues = 1 + task->sync.signal_count + (task->action != NULL) +
                  (task->over != NULL) + (task->sync.release != NULL);
  if (plan)
    dues += 2 * plan->edge_count + plan->waited_count;
  return dues;
}

static void part_size(const aq_queue *queue, const aq_task *task, part *p)
{
  const uint64_t limit = aq_kernarg_ring_limit(&queue->feed->kernargs);
  const uint32_t loud = p->plan ? p->plan->loud : 0;
  p->edge_packets = aq_edges_packets(queue->way, loud);
  p->edge_kernarg = aq_edges_kernarg(queue->way, loud);
  const uint32_t most = queue->ring->size - p->edge_packets - 1;
  uint32_t packets = 0, kernargs = 0;
  if (task->class->demand)
    task->class->demand(task, most, &packets, &kernargs);
  if (task->class->demand && packets == 0)
    packets = 1; /* its flow is not known: a drain, or the end */
  p->span.slots = p->edge_packets + (packets < most ? packets : most) + 1;
  if (kernargs > limit - p->edge_kernarg)
    kernargs = (uint32_t)limit - p->edge_kernarg;
  p->span.kernarg_size = p->edge_kernarg + kernargs;
}

static bool part_room(aq_queue *queue, const aq_task *task, part *p)
{
  if (aq_due_room(&queue->due) < dues_of(task, p->plan))
    return false;
  if (p->span.kernarg_size > 0)
    aq_kernarg_ring_give(
        &queue->feed->kernargs,
        __atomic_load_n(&queue->kernarg_free, __ATOMIC_ACQUIRE));
  return aq_part_room(&p->span, queue->feed);
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
  const aq_signal signal = p->flag ? p->flag->signal : queue->axis->counter;
  if (p->walked) {
    task->class->complete(task, signal);
    return;
  }
  if (!can_carry(queue, span)) {
    aq_part_next(span, aq_packet_header(AQ_PACKET_BARRIER_AND, 1, AQ_SCOPE_NONE,
                                        AQ_SCOPE_NONE));
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
    aq_edges_fill(queue->way, p->plan, span);
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

static void plan_due(aq_queue *queue, const part *p)
{
  const aq_plan *plan = p->plan;
  if (queue->frontier.count + plan->edge_count + plan->gained.count >
      AQ_FRONTIER_AXES)
    aq_hub_prune(queue->hub, &queue->frontier);
  for (uint32_t i = 0; i < plan->edge_count; i++) {
    const aq_epoch_ref *edge = &plan->edges[i].edge;
    aq_due_put(&queue->due, AQ_DUE_EDGE, edge->axis, edge->epoch, p->epoch, 0);
    if (edge->flag)
      aq_due_put(&queue->due, AQ_DUE_FLAG, edge->flag, 0, p->epoch, 0);
    if (!plan->edges[i].silent)
      aq_frontier_add(&queue->frontier, edge->axis->id, edge->epoch);
  }
  for (uint32_t i = 0; i < plan->waited_count; i++)
    aq_due_put(&queue->due, AQ_DUE_WAITED, aq_semaphore_retain(plan->waited[i]),
               plan->waited_values[i], p->epoch, 0);
  if (plan->loud > 0)
    aq_frontier_merge(&queue->frontier, &plan->gained);
  for (uint32_t i = 0; i < AQ_WAIT_RULES; i++)
    queue->stats.rules[i] += plan->rules[i];
  queue->stats.edge_packets += p->edge_packets;
}

static void signals_promise(aq_queue *queue, const aq_task *task, const part *p)
{
  const aq_sync *sync = &task->sync;
  if (queue->frontier.overflow) {
    aq_hub_prune(queue->hub, &queue->frontier);
    queue->frontier.overflow = queue->frontier.count == AQ_FRONTIER_AXES;
  }
  for (uint32_t i = 0; i < sync->signal_count; i++) {
    aq_semaphore *semaphore = aq_semaphore_retain(sync->signals[i].semaphore);
    aq_due_put(&queue->due, AQ_DUE_SIGNAL, semaphore, sync->signals[i].value,
               p->epoch, 0);
    aq_semaphore_promise(semaphore,
                         &(aq_promise){.value = sync->signals[i].value,
                                       .axis = queue->axis,
                                       .epoch = p->epoch,
                                       .flag = p->flag,
                                       .host = task->action != NULL},
                         queue->frontier.overflow ? NULL : &queue->frontier);
  }
}

static void report_fill(aq_queue *queue, const aq_task *task, const part *p)
{
  queue->reports[p->epoch & (queue->due.size - 1)] = (aq_operation_report){
      .operation = p->whole ? task->class->kind : AQ_OPERATION_NONE,
      .what = aq_operation_name(task->class->kind),
      .first = task->first,
      .packets = task->packets,
      .begin = task->begin,
      .submitted = queue->ops->now(queue->transport),
      .depth = queue->stats.depth,
      .rules = task->rules,
      .number = task->number};
}

/* Before the packets are published: they may be complete at once. */
static void dues_put(aq_queue *queue, const aq_task *task, const part *p)
{
  aq_due_ring *due = &queue->due;
  if (p->plan)
    plan_due(queue, p);
  if (p->whole && task->action)
    aq_due_put(due, AQ_DUE_ACTION, task->action_user,
               (uint64_t)(uintptr_t)task->action, p->epoch, 0);
  aq_due_put(due, AQ_DUE_END, NULL, queue->feed->kernargs.head, p->epoch,
             p->span.packets);
  if (task->over && (p->whole || task->parts))
    aq_due_put(due, AQ_DUE_OVER, task->over_user,
               (uint64_t)(uintptr_t)task->over, p->epoch, 0);
  if (p->whole) {
    signals_promise(queue, task, p);
    if (task->sync.release)
      aq_due_put(due, AQ_DUE_RELEASE, task->sync.user,
                 (uint64_t)(uintptr_t)task->sync.release, p->epoch, 0);
  }
  if (queue->reports)
    report_fill(queue, task, p);
  aq_due_tell(due);
}

/* ---- parts ---- */

/* The signal of its epoch: that of its place, if that is free again. */
static aq_status flag_find(aq_queue *queue, part *p, aq_diag *diag)
{
  aq_flag **place = aq_queue_flag(queue, p->epoch);
  p->flag = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (p->flag)
    return AQ_OK;
  aq_status status = aq_flag_take(queue->hub, &p->flag, diag);
  if (status == AQ_OK)
    __atomic_store_n(place, p->flag, __ATOMIC_RELEASE);
  return status;
}

static aq_status flags_find(aq_queue *queue, part *p, aq_diag *diag)
{
  aq_status status = queue->flags ? flag_find(queue, p, diag) : AQ_OK;
  if (status == AQ_OK && queue->starts)
    status = aq_flag_take(queue->hub, &p->start, diag);
  return status;
}

/* The first packet says when the operation began, if it is not the last too: by
 * a signal that it completes anyway, or by one of ours. */
static void start_add(aq_queue *queue, const aq_task *task, part *p)
{
  const aq_packet_span *span = &p->span;
  aq_flag **place = &queue->starts[p->epoch & (queue->due.size - 1)];
  *place = NULL;
  if (span->packets > p->edge_packets + !p->walked) {
    aq_packet *slot = aq_ring_slot(span->ring, span->first + p->edge_packets);
    if (task->class->first_flag) {
      *place = aq_flag_retain(queue->hub, task->class->first_flag(task));
    } else if (aq_header_type(span->headers[p->edge_packets]) !=
                   AQ_PACKET_INVALID &&
               slot->kernel.completion_signal.handle == 0) {
      slot->kernel.completion_signal = p->start->signal;
      *place = p->start;
      return;
    }
  }
  aq_flag_release(queue->hub, p->start);
}

static void stats_count(aq_queue *queue, const aq_task *task, const part *p)
{
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
}

void aq_queue_ring_bell(aq_queue *queue)
{
  if (!queue->unrung)
    return;
  queue->unrung = false;
  queue->stats.doorbells++;
  aq_part_ring(queue->feed);
}

static void task_publish(aq_queue *queue, aq_task *task, part *p)
{
  aq_part_close(&p->span, queue->feed);
  if (!task->begun)
    task->first = p->span.first;
  task->packets += p->span.packets;
  stats_count(queue, task, p);
  __atomic_store_n(&queue->epoch, p->epoch, __ATOMIC_RELEASE);
  dues_put(queue, task, p);
  aq_part_publish(&p->span, queue->feed);
  queue->unrung = true;
  if (!(task->sync.flags & AQ_SYNC_MORE) || !p->whole)
    aq_queue_ring_bell(queue);
  task->begun = true;
  if (p->whole && task->action)
    aq_queue_arm(queue, p->epoch);
  /* The device may have stopped before it knew of this epoch's signal. */
  if (p->flag && aq_axis_failed_from(queue->axis) != AQ_EPOCH_NEVER)
    aq_epoch_fail(queue, p->epoch, p->flag);
}

/* Field by field, see aq_task_start. */
static inline void part_init(part *p, const aq_queue *queue, aq_plan *plan)
{
  aq_part_begin(&p->span, queue->feed);
  p->plan = plan;
  p->flag = p->start = NULL;
  p->walked = false;
  p->epoch = queue->epoch + 1;
}

static aq_put part_put(aq_queue *queue, aq_task *task, aq_plan *plan,
                       aq_diag *diag)
{
  part p;
  part_init(&p, queue, plan);
  part_size(queue, task, &p);
  if (!part_room(queue, task, &p))
    return AQ_PUT_ROOM;
  if (flags_find(queue, &p, diag) != AQ_OK ||
      (task->class->prepare && !task->begun &&
       task->class->prepare(task, queue, diag) != AQ_OK)) {
    aq_part_drop(&p.span, queue->feed);
    if (p.start)
      aq_flag_release(queue->hub, p.start);
    return AQ_PUT_ERROR;
  }
  const aq_walk walk = packets_fill(queue, task, &p);
  p.whole = walk == AQ_WALK_END;
  p.walked = walk == AQ_WALK_DRAIN && task->class->complete;
  completion_add(queue, task, &p);
  if (queue->starts)
    start_add(queue, task, &p);
  task_publish(queue, task, &p);
  task->resume_at = walk == AQ_WALK_DRAIN || task->parts ? p.epoch : 0;
  if (p.walked)
    queue->walked = p.epoch;
  if (walk == AQ_WALK_BUDGET) {
    aq_diag_set(diag, AQ_ERR_RESOURCES, "the program entered too many blocks");
    return AQ_PUT_FAILED;
  }
  return p.whole ? AQ_PUT_DONE : AQ_PUT_PART;
}

aq_put aq_task_put(aq_queue *queue, aq_task *task, aq_diag *diag)
{
  if (queue->walked > aq_queue_retired(queue))
    return AQ_PUT_ROOM;
  if (task->begun || task->sync.wait_count == 0)
    return part_put(queue, task, NULL, diag);
  aq_plan plan;
  plan.edge_count = plan.loud = plan.waited_count = 0;
  plan.system = false;
  plan.gained.count = 0;
  plan.gained.overflow = false;
  memset(plan.rules, 0, sizeof plan.rules);
  aq_status status = aq_plan_make(queue, task, &plan, diag);
  if (status == AQ_ERR_AGAIN)
    return AQ_PUT_WAIT;
  if (status != AQ_OK)
    return AQ_PUT_FAILED;
  task->rules = 0;
  for (uint32_t i = 0; i < AQ_WAIT_RULES; i++)
    task->rules |= plan.rules[i] > 0 ? 1u << i : 0;
  const aq_put put = part_put(queue, task, &plan, diag);
  if (put == AQ_PUT_ROOM || put == AQ_PUT_ERROR)
    aq_plan_drop(&plan);
  return put;
}

void aq_task_refuse(const aq_task *task, aq_status status, const char *cause)
{
  if (task->over)
    task->over(status, cause, task->over_user);
  for (uint32_t i = 0; i < task->sync.signal_count; i++)
    aq_semaphore_fail(task->sync.signals[i].semaphore, status, cause);
  if (task->sync.release)
    task->sync.release(status, task->sync.user);
}
