/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/check/core/order.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* A chain is taken by an act that happens after the last act in it. */
typedef struct chain {
  uint32_t count;
} chain;

/* The host's knowledge when it published packets up to an id. */
typedef struct publication {
  uint64_t id;
  aq_check_knowledge knows;
} publication;

typedef struct queue {
  struct queue *next;
  const aq_amd_queue *address;
  aq_check_knowledge all;    /* packets that completed */
  aq_check_knowledge blocks; /* of them, packets that block later ones */
  publication *published;
  size_t count, capacity;
  uint32_t chain; /* taken last */
  aq_check_act **open;
  size_t open_count, open_capacity;
} queue;

struct aq_check_order {
  aq_check_act **acts; /* by serial - 1 */
  size_t count, capacity;
  chain *chains; /* [0] is the host's */
  size_t chain_count, chain_capacity;
  aq_check_knowledge host;
  queue *queues;
  aq_map signals; /* handle → aq_check_knowledge *, one of `released` */
  aq_check_knowledge **released;
  size_t released_count, released_capacity;
  aq_map copies; /* number → serial, while under way */
  bool full;
};

aq_check_order *aq_check_order_create(void)
{
  aq_check_order *order = calloc(1, sizeof *order);
  if (order && !AQ_ARRAY_PUSH(order->chains, order->chain_count,
                              order->chain_capacity, (chain){.count = 1})) {
    free(order);
    return NULL;
  }
  if (order)
    aq_check_clock_set(&order->host.of[AQ_CHECK_ORDERED], 0, 1);
  return order;
}

static void queue_clear(queue *q)
{
  for (size_t i = 0; i < q->count; i++)
    aq_check_knowledge_fini(&q->published[i].knows);
  q->count = q->open_count = 0;
  aq_check_knowledge_clear(&q->all);
  aq_check_knowledge_clear(&q->blocks);
}

void aq_check_order_destroy(aq_check_order *order)
{
  if (!order)
    return;
  for (size_t i = 0; i < order->count; i++) {
    aq_check_knowledge_fini(&order->acts[i]->knows);
    free(order->acts[i]->waits);
    free(order->acts[i]);
  }
  while (order->queues) {
    queue *q = order->queues;
    order->queues = q->next;
    queue_clear(q);
    aq_check_knowledge_fini(&q->all);
    aq_check_knowledge_fini(&q->blocks);
    free(q->published);
    free(q->open);
    free(q);
  }
  for (size_t i = 0; i < order->released_count; i++) {
    aq_check_knowledge_fini(order->released[i]);
    free(order->released[i]);
  }
  free(order->released);
  free(order->acts);
  free(order->chains);
  aq_check_knowledge_fini(&order->host);
  aq_map_fini(&order->signals);
  aq_map_fini(&order->copies);
  free(order);
}

bool aq_check_order_is_full(const aq_check_order *order)
{
  return order->full;
}

aq_check_act *aq_check_act_at(const aq_check_order *order, uint32_t serial)
{
  return serial > 0 && serial <= order->count ? order->acts[serial - 1] : NULL;
}

/* ---- acts ---- */

static aq_check_act *act_add(aq_check_order *order, aq_check_actor actor)
{
  if (order->count == AQ_CHECK_ACTS_MAX)
    order->full = true;
  aq_check_act *act = order->full ? NULL : calloc(1, sizeof *act);
  if (!act || !AQ_ARRAY_PUSH(order->acts, order->count, order->capacity, act)) {
    order->full = true;
    free(act);
    return NULL;
  }
  act->serial = (uint32_t)order->count;
  act->actor = (uint8_t)actor;
  act->kernel = -1;
  return act;
}

/* Puts the act behind the last one of a chain that it knows, or begins one. */
static void act_place(aq_check_order *order, aq_check_act *act, uint32_t wish)
{
  const aq_check_clock *known = &act->knows.of[AQ_CHECK_ORDERED];
  size_t at = order->chain_count;
  if (wish > 0 && aq_check_clock_get(known, wish) >= order->chains[wish].count)
    at = wish;
  for (size_t i = 1; i < order->chain_count && at == order->chain_count; i++)
    if (aq_check_clock_get(known, (uint32_t)i) >= order->chains[i].count)
      at = i;
  if (at == order->chain_count &&
      !AQ_ARRAY_PUSH(order->chains, order->chain_count, order->chain_capacity,
                     (chain){.count = 0}))
    order->full = true;
  if (order->full)
    return;
  act->chain = (uint32_t)at;
  act->count = ++order->chains[at].count;
  order->full |= !aq_check_clock_set(&act->knows.of[AQ_CHECK_ORDERED],
                                     act->chain, act->count);
}

/* The host and copies write to memory itself, but clean no caches: their
 * own bytes are released, nothing else. */
static bool own_release(aq_check_knowledge *k, uint32_t place)
{
  const uint32_t count = aq_check_clock_get(&k->of[AQ_CHECK_ORDERED], place);
  return aq_check_clock_set(&k->of[AQ_CHECK_RELEASED_AGENT], place, count) &&
         aq_check_clock_set(&k->of[AQ_CHECK_RELEASED_SYSTEM], place, count);
}

/* Its end is known: reports need the order alone. */
static void act_close(aq_check_act *act)
{
  act->done = true;
  for (int i = AQ_CHECK_ORDERED + 1; i < AQ_CHECK_LEVELS; i++) {
    free(act->knows.of[i].at);
    act->knows.of[i] = (aq_check_clock){0};
  }
  free(act->waits);
  act->waits = NULL;
}

/* ---- signals ---- */

static aq_check_knowledge *signal_at(aq_check_order *order, uint64_t signal)
{
  uint64_t found = 0;
  if (aq_map_get(&order->signals, signal, &found))
    return (aq_check_knowledge *)(uintptr_t)found;
  aq_check_knowledge *made = calloc(1, sizeof *made);
  if (!made || !AQ_ARRAY_PUSH(order->released, order->released_count,
                              order->released_capacity, made)) {
    free(made);
    order->full = true;
    return NULL;
  }
  if (!aq_map_put(&order->signals, signal, (uintptr_t)made)) {
    order->full = true;
    return NULL;
  }
  return made;
}

static void signal_join(aq_check_order *order, uint64_t signal,
                        const aq_check_knowledge *from)
{
  aq_check_knowledge *to = signal ? signal_at(order, signal) : NULL;
  if (to)
    order->full |= !aq_check_join(to, from);
}

static void signal_learn(aq_check_order *order, uint64_t signal,
                         aq_check_knowledge *to)
{
  uint64_t found = 0;
  if (signal && aq_map_get(&order->signals, signal, &found))
    order->full |=
        !aq_check_join(to, (const aq_check_knowledge *)(uintptr_t)found);
}

/* ---- queues ---- */

static queue *queue_at(aq_check_order *order, const aq_amd_queue *address)
{
  queue *q = order->queues;
  while (q && q->address != address)
    q = q->next;
  if (q)
    return q;
  q = calloc(1, sizeof *q);
  if (!q) {
    order->full = true;
    return NULL;
  }
  q->address = address;
  q->next = order->queues;
  order->queues = q;
  return q;
}

/* The host's knowledge when it published the packet. */
static void publication_learn(aq_check_order *order, queue *q, uint64_t id,
                              aq_check_knowledge *to)
{
  size_t past = 0;
  while (past < q->count && q->published[past].id < id)
    aq_check_knowledge_fini(&q->published[past++].knows);
  if (past > 0)
    memmove(q->published, q->published + past,
            (q->count - past) * sizeof *q->published);
  q->count -= past;
  order->full |=
      !aq_check_join(to, q->count ? &q->published[0].knows : &order->host);
}

static aq_check_act *open_find(const queue *q, uint64_t id)
{
  for (size_t i = 0; i < q->open_count; i++)
    if (q->open[i]->id == id)
      return q->open[i];
  return NULL;
}

aq_check_act *aq_check_order_packet(const aq_check_order *order,
                                    const aq_amd_queue *address, uint64_t id)
{
  for (const queue *q = order->queues; q; q = q->next)
    if (q->address == address)
      return open_find(q, id);
  return NULL;
}

aq_check_act *aq_check_order_launch(aq_check_order *order,
                                    const aq_order_packet *packet)
{
  queue *q = queue_at(order, packet->queue);
  aq_check_act *act = q ? open_find(q, packet->id) : NULL;
  if (!q || act)
    return act; /* a policy launches parts of a kernel one after the other */
  act = act_add(order, AQ_CHECK_KERNEL);
  if (!act)
    return NULL;
  act->header = packet->packet->header;
  act->queue_id = packet->queue_id;
  act->device = packet->device;
  act->id = packet->id;
  act->queue = packet->queue;
  act->blocks = packet->blocks;
  publication_learn(order, q, packet->id, &act->knows);
  order->full |= !aq_check_join(
      &act->knows, aq_header_barrier(act->header) ? &q->all : &q->blocks);
  if (!packet->blocks)
    order->full |=
        !aq_check_acquire(&act->knows, aq_header_acquire(act->header));
  act_place(order, act, q->chain);
  q->chain = act->chain;
  if (!AQ_ARRAY_PUSH(q->open, q->open_count, q->open_capacity, act))
    order->full = true;
  return act;
}

/* Dependencies of barrier packets; of a barrier-OR, signals that were not
 * satisfied have no completion to pass on. */
void aq_check_order_seen(aq_check_order *order, const aq_order_packet *packet)
{
  aq_check_act *act = aq_check_order_packet(order, packet->queue, packet->id);
  if (!act)
    return;
  if (aq_header_type(act->header) == AQ_PACKET_VENDOR)
    signal_learn(order, packet->packet->barrier_value.signal.handle,
                 &act->knows);
  else
    for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
      signal_learn(order, packet->packet->barrier.dependency[i].handle,
                   &act->knows);
  order->full |= !aq_check_acquire(&act->knows, aq_header_acquire(act->header));
}

void aq_check_order_complete(aq_check_order *order,
                             const aq_order_packet *packet)
{
  queue *q = queue_at(order, packet->queue);
  aq_check_act *act = q ? open_find(q, packet->id) : NULL;
  if (!act)
    return;
  bool ok = aq_check_release(&act->knows, aq_header_release(act->header));
  ok &= aq_check_join(&q->all, &act->knows);
  if (act->blocks)
    ok &= aq_check_join(&q->blocks, &act->knows);
  order->full |= !ok;
  signal_join(order, packet->packet->kernel.completion_signal.handle,
              &act->knows);
  for (size_t i = 0; i < q->open_count; i++)
    if (q->open[i] == act)
      q->open[i--] = q->open[--q->open_count];
  act_close(act);
}

void aq_check_order_queue_gone(aq_check_order *order,
                               const aq_amd_queue *address)
{
  for (queue *q = order->queues; q; q = q->next)
    if (q->address == address)
      queue_clear(q);
}

/* ---- copies ---- */

aq_check_act *aq_check_order_copy_submit(aq_check_order *order, uint64_t copy,
                                         const aq_copy_desc *desc)
{
  aq_check_act *act = act_add(order, AQ_CHECK_COPY);
  const uint32_t count = desc->dependency_count;
  if (!act)
    return NULL;
  act->id = copy;
  act->device = desc->device;
  act->copy = *desc;
  if (desc->box) {
    act->box = *desc->box;
    act->copy.box = &act->box;
  }
  act->waits = count ? malloc(count * sizeof *act->waits) : NULL;
  if ((count && !act->waits) ||
      !aq_map_put(&order->copies, copy, act->serial)) {
    order->full = true;
    return NULL;
  }
  if (count)
    memcpy(act->waits, desc->dependencies, count * sizeof *act->waits);
  order->full |= !aq_check_join(&act->knows, &order->host);
  return act;
}

aq_check_act *aq_check_order_copy(const aq_check_order *order, uint64_t copy)
{
  uint64_t serial = 0;
  return aq_map_get(&order->copies, copy, &serial)
             ? aq_check_act_at(order, (uint32_t)serial)
             : NULL;
}

void aq_check_order_copy_ready(aq_check_order *order, uint64_t copy)
{
  aq_check_act *act = aq_check_order_copy(order, copy);
  if (!act || act->launched)
    return;
  act->launched = true;
  for (uint32_t i = 0; i < act->copy.dependency_count; i++)
    signal_learn(order, act->waits[i].handle, &act->knows);
  order->full |= !aq_check_acquire(&act->knows, AQ_SCOPE_SYSTEM);
  act_place(order, act, 0);
}

void aq_check_order_copy_complete(aq_check_order *order, uint64_t copy)
{
  aq_check_act *act = aq_check_order_copy(order, copy);
  if (!act)
    return;
  order->full |= !own_release(&act->knows, act->chain);
  signal_join(order, act->copy.completion.handle, &act->knows);
  aq_map_remove(&order->copies, copy, NULL);
  act_close(act);
}

/* ---- the host ---- */

/* Later acts of the host are beyond the knowledge that it gave away. */
static void host_advance(aq_check_order *order)
{
  order->full |= !own_release(&order->host, 0);
  order->chains[0].count++;
  order->full |= !aq_check_clock_set(&order->host.of[AQ_CHECK_ORDERED], 0,
                                     order->chains[0].count);
}

void aq_check_order_publish(aq_check_order *order, const aq_amd_queue *address,
                            uint64_t id)
{
  queue *q = queue_at(order, address);
  publication made = {.id = id};
  if (!q || (q->count && q->published[q->count - 1].id >= id))
    return;
  order->full |= !own_release(&order->host, 0);
  if (!aq_check_join(&made.knows, &order->host) ||
      !AQ_ARRAY_PUSH(q->published, q->count, q->capacity, made)) {
    aq_check_knowledge_fini(&made.knows);
    order->full = true;
  }
  host_advance(order);
}

void aq_check_order_signal_set(aq_check_order *order, uint64_t signal)
{
  aq_check_knowledge *at = signal ? signal_at(order, signal) : NULL;
  if (!at)
    return;
  aq_check_knowledge_clear(at);
  aq_check_order_signal_add(order, signal);
}

void aq_check_order_signal_add(aq_check_order *order, uint64_t signal)
{
  order->full |= !own_release(&order->host, 0);
  signal_join(order, signal, &order->host);
  host_advance(order);
}

void aq_check_order_signal_seen(aq_check_order *order, uint64_t signal)
{
  signal_learn(order, signal, &order->host);
  order->full |= !aq_check_acquire(&order->host, AQ_SCOPE_SYSTEM);
}

aq_check_act *aq_check_order_host(aq_check_order *order)
{
  aq_check_act *act = act_add(order, AQ_CHECK_HOST);
  if (!act)
    return NULL;
  act->chain = 0;
  act->count = order->chains[0].count;
  order->full |= !aq_check_join(&act->knows, &order->host);
  return act;
}

/* ---- questions ---- */

bool aq_check_is_ordered(const aq_check_act *before, const aq_check_act *act)
{
  return aq_check_clock_get(&act->knows.of[AQ_CHECK_ORDERED], before->chain) >=
         before->count;
}

bool aq_check_is_visible(const aq_check_act *before, const aq_check_act *act)
{
  const bool here = before->actor == AQ_CHECK_KERNEL &&
                    act->actor == AQ_CHECK_KERNEL &&
                    before->device == act->device;
  if (before->actor == AQ_CHECK_HOST && act->actor == AQ_CHECK_HOST)
    return true;
  return aq_check_clock_get(&act->knows.of[here ? AQ_CHECK_VISIBLE_AGENT
                                                : AQ_CHECK_VISIBLE_SYSTEM],
                            before->chain) >= before->count;
}

void aq_check_order_atomic(aq_check_act *act, const aq_check_act *before)
{
  aq_check_join(&act->knows, &before->knows);
  for (int i = 0; i < AQ_CHECK_LEVELS; i++)
    aq_check_clock_set(&act->knows.of[i], before->chain, before->count);
}
