/* SPDX-License-Identifier: MIT */
/* What AMD's hardware scheduler does, as a policy: a queue with work gets a
 * free slot of the pipe with the fewest queues, else that of an idle queue,
 * else it displaces one of lower priority, or one of the same priority whose
 * quantum has ended. A pipe launches for the highest priority, round robin.
 * Linux amdkfd driver, kfd_device_queue_manager.c; the simulator without a
 * policy does the same (doc/hardware-queues.md) and more: this policy is a base
 * for changes. */
#include "config.h"

#include <stdlib.h>

#include "common/array.h"
#include "scheduler/policies/policies.h"

enum { QUANTUM };

enum { SLOTS_MAX = 256 };

/* Of a device. */
typedef struct part {
  uint32_t last[SLOTS_MAX]; /* queue that a pipe served last */
  uint64_t *turns;          /* when a queue got its last slot; 0: never */
  uint32_t turn_capacity;
  uint64_t turn; /* slots given so far */
} part;

struct aq_policy {
  aq_time quantum;
  part *parts; /* by device */
  uint32_t part_capacity;
};

static aq_status open(const aq_policy_open *args, aq_policy **out,
                      aq_diag *diag)
{
  aq_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->quantum = args->values[QUANTUM].time;
  *out = p;
  return AQ_OK;
}

static void close(aq_policy *p)
{
  for (uint32_t i = 0; i < p->part_capacity; i++)
    free(p->parts[i].turns);
  free(p->parts);
  free(p);
}

static void attach(aq_policy *p, aq_policy_device *device)
{
  if (!AQ_ARRAY_RESERVE_ZEROED(p->parts, p->part_capacity,
                               (size_t)device->device + 1))
    device->fail_run(device, "out of memory");
}

static bool has_work(const aq_device_queue *queue)
{
  return queue->ready + queue->running > 0;
}

/* The queue that gets the next slot: the most urgent one, then the one whose
 * last slot is longest ago. */
static bool waiter_find(const part *at, aq_policy_device *device,
                        aq_device_queue *best)
{
  aq_device_queue queue;
  bool found = false;
  for (uint32_t i = 0; i < device->queues; i++) {
    if (!device->queue(device, i, &queue) || !has_work(&queue) ||
        queue.slot != AQ_POLICY_NONE)
      continue;
    if (!found || queue.priority > best->priority ||
        (queue.priority == best->priority &&
         at->turns[queue.queue] < at->turns[best->queue]))
      *best = queue;
    found = true;
  }
  return found;
}

static bool yields(const aq_policy *p, aq_policy_device *device,
                   const aq_device_queue *queue, const aq_device_queue *waiter)
{
  return !has_work(queue) || queue->priority < waiter->priority ||
         (queue->priority == waiter->priority &&
          queue->mapped_at + p->quantum <= device->now(device));
}

static void map(aq_policy *p, aq_policy_device *device, aq_mapping *out)
{
  aq_device_queue waiter = {0}, queue;
  uint32_t used[SLOTS_MAX] = {0}, taken[SLOTS_MAX] = {0};
  const uint32_t each = device->slots / device->pipes;
  part *at = &p->parts[device->device];
  aq_time since = AQ_TIME_MAX;
  if (!AQ_ARRAY_RESERVE_ZEROED(at->turns, at->turn_capacity, device->queues)) {
    device->fail_run(device, "out of memory");
    return;
  }
  if (device->slots > SLOTS_MAX || !waiter_find(at, device, &waiter))
    return;
  out->mode = AQ_PREEMPT_SWITCH;
  out->quantum = p->quantum;
  for (uint32_t i = 0; i < device->queues; i++) {
    if (!device->queue(device, i, &queue) || queue.slot == AQ_POLICY_NONE)
      continue;
    taken[queue.slot] = 1;
    used[queue.slot / each]++;
    if (yields(p, device, &queue, &waiter) && queue.mapped_at < since) {
      since = queue.mapped_at;
      out->slot = queue.slot;
      out->queue = waiter.queue;
    }
  }
  for (uint32_t slot = 0, fewest = UINT32_MAX; slot < device->slots; slot++)
    if (!taken[slot] && used[slot / each] < fewest) {
      fewest = used[slot / each];
      out->slot = slot;
      out->queue = waiter.queue;
    }
  if (out->queue == waiter.queue)
    at->turns[waiter.queue] = ++at->turn;
}

static uint32_t pick(aq_policy *p, aq_policy_device *device, uint32_t pipe,
                     const aq_device_packet *packets, uint32_t count)
{
  part *at = &p->parts[device->device];
  aq_device_queue queue;
  uint32_t best = 0, best_turn = 0;
  int32_t best_priority = INT32_MIN;
  for (uint32_t i = 0; i < count; i++) {
    if (!device->queue(device, packets[i].queue, &queue))
      continue;
    const uint32_t turn = queue.queue - at->last[pipe % SLOTS_MAX] - 1;
    if (queue.priority > best_priority ||
        (queue.priority == best_priority && turn < best_turn)) {
      best = i;
      best_turn = turn;
      best_priority = queue.priority;
    }
  }
  at->last[pipe % SLOTS_MAX] = packets[best].queue;
  return best;
}

const aq_policy_ops aq_policy_amd = {
    .abi = AQ_POLICY_ABI,
    .size = sizeof(aq_policy_ops),
    .name = "amd",
    .summary =
        "AMD's hardware scheduler: pipes, priority, round robin, quantum",
    .source = "Linux amdkfd",
    .settings =
        (const aq_policy_setting[]){{"quantum", AQ_SETTING_TIME, "10ms",
                                     "how long a queue keeps its slot while "
                                     "another one waits"},
                                    {0}},
    .flags = AQ_POLICY_AHEAD,
    .needs = AQ_NEED_MAP | AQ_NEED_PICK | AQ_NEED_SWITCH,
    .open = open,
    .close = close,
    .attach = attach,
    .map = map,
    .pick = pick,
};
