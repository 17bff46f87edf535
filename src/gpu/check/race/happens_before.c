/* SPDX-License-Identifier: MIT */
/*
 * Happens-before between dispatches, copies and the host.
 *
 * Chains. Acts that are ordered one behind the other share a chain, and have
 * counts in it: (chain, count) is the act's epoch. An act joins a chain only if
 * it knows the last count there (act_place); else the next chain that fits, or
 * a new one. So `a` came before `b` exactly if b's clock of order has, at a's
 * chain, a's count or more. Chain 0 is the host's, whose threads are one actor.
 *
 * Levels. To come later is not to see: a clock of its own has the acts whose
 * writes were released to the device, to the system, and of those the acquired.
 * A release copies the order into RELEASED, an acquire copies RELEASED into
 * VISIBLE, each for the scope in the header. Copies and the host write to
 * memory itself and release their own place alone (own_release).
 *
 * Knowledge passes on as follows:
 *
 *   dispatch, launched    the host when it published the packet; with the
 *                         barrier bit `all` of its queue, else `blocks`
 *   barrier, satisfied    its dependencies
 *   wait for memory       a signal's value: the signal's; any other: everything
 *                         so far, since its writer is not known (may hide a
 *                         race)
 *   copy, submitted       the host; ready: its dependencies
 *   host                  a signal that it sees satisfied
 *   atomics at one place  the other dispatch, both ways as they come
 *   complete              to its signal; a packet to `all` of its queue, and to
 *                         `blocks` if later packets wait for it; to the host
 *                         where its calls are not seen (may hide a race)
 *
 * A signal's knowledge grows, until the host sets the signal: then the
 * completions before belong to another round. A publication is kept until a
 * later packet of its queue launches; packets that launch out of their order
 * get the later publication, which may hide a race.
 *
 * States of an act: made (launched, or submitted) - under way - done. `open` of
 * a queue and `copies` have the acts under way. A done act has its facts, and a
 * packet its order; both stay, since the shadow may name it at any time.
 *
 * Bounds. Acts: 2^20 - 1. Clocks: a word for each chain, five clocks for each
 * act under way, signal, queue and publication, one for each packet that is
 * done. `full`: an act or a word was lost. Ordered acts may look unordered
 * from then on, or the reverse; aq_check_put reports it.
 *
 * Threads: one at a time, under the checker's lock. That is taken behind the
 * simulator's, which calls the hooks; an execution holds it for a whole step.
 */
#include "config.h"

#include "gpu/check/core/happens_before.h"

#include <stddef.h>
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
  aq_check_view knows;
} publication;

typedef struct queue {
  struct queue *next;
  const aq_amd_queue *address;
  aq_check_view all;      /* packets that completed */
  aq_check_view blocks;   /* of them, packets that block later ones */
  publication *published; /* of them, from `past` on are to come */
  size_t past, count, capacity;
  uint32_t chain;    /* taken last */
  uint64_t complete; /* one past the furthest packet that completed */
  aq_hb_event **open;
  size_t open_count, open_capacity;
} queue;

struct aq_hb {
  aq_hb_event **acts; /* by serial - 1 */
  size_t count, capacity;
  chain *chains; /* [0] is the host's */
  size_t chain_count, chain_capacity;
  aq_check_view host;
  queue *queues;
  aq_map signals; /* handle → aq_check_view *, one of `released` */
  aq_check_view **released;
  size_t released_count, released_capacity;
  aq_map copies; /* number → serial, while under way */
  bool host_unseen;
  bool full;
};

aq_hb *aq_hb_create(bool host_unseen)
{
  aq_hb *order = calloc(1, sizeof *order);
  if (order && !AQ_ARRAY_PUSH(order->chains, order->chain_count,
                              order->chain_capacity, (chain){.count = 1})) {
    free(order);
    return NULL;
  }
  if (order) {
    order->host_unseen = host_unseen;
    aq_vector_clock_set(&order->host.of[AQ_CHECK_ORDERED], 0, 1);
  }
  return order;
}

static void queue_clear(queue *q)
{
  for (size_t i = q->past; i < q->count; i++)
    aq_check_view_fini(&q->published[i].knows);
  q->past = q->count = q->open_count = 0;
  q->complete = 0;
  aq_check_view_clear(&q->all);
  aq_check_view_clear(&q->blocks);
}

void aq_hb_destroy(aq_hb *order)
{
  if (!order)
    return;
  for (size_t i = 0; i < order->count; i++) {
    aq_check_view_fini(&order->acts[i]->knows);
    free(order->acts[i]->waits);
    free(order->acts[i]);
  }
  while (order->queues) {
    queue *q = order->queues;
    order->queues = q->next;
    queue_clear(q);
    aq_check_view_fini(&q->all);
    aq_check_view_fini(&q->blocks);
    free(q->published);
    free(q->open);
    free(q);
  }
  for (size_t i = 0; i < order->released_count; i++) {
    aq_check_view_fini(order->released[i]);
    free(order->released[i]);
  }
  free(order->released);
  free(order->acts);
  free(order->chains);
  aq_check_view_fini(&order->host);
  aq_map_fini(&order->signals);
  aq_map_fini(&order->copies);
  free(order);
}

bool aq_hb_is_full(const aq_hb *order)
{
  return order->full;
}

aq_hb_event *aq_hb_event_at(const aq_hb *order, uint32_t serial)
{
  return serial > 0 && serial <= order->count ? order->acts[serial - 1] : NULL;
}

/* ---- acts ---- */

static aq_hb_event *act_add(aq_hb *order, aq_check_actor actor)
{
  if (order->count == AQ_HB_EVENTS_MAX)
    order->full = true;
  aq_hb_event *act = order->full ? NULL : calloc(1, sizeof *act);
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
static void act_place(aq_hb *order, aq_hb_event *act, uint32_t wish)
{
  const aq_vector_clock *known = &act->knows.of[AQ_CHECK_ORDERED];
  size_t at = order->chain_count;
  if (wish > 0 && aq_vector_clock_get(known, wish) >= order->chains[wish].count)
    at = wish;
  for (size_t i = 1; i < order->chain_count && at == order->chain_count; i++)
    if (aq_vector_clock_get(known, (uint32_t)i) >= order->chains[i].count)
      at = i;
  if (at == order->chain_count &&
      !AQ_ARRAY_PUSH(order->chains, order->chain_count, order->chain_capacity,
                     (chain){.count = 0}))
    order->full = true;
  if (order->full)
    return;
  act->chain = (uint32_t)at;
  act->count = ++order->chains[at].count;
  order->full |= !aq_vector_clock_set(&act->knows.of[AQ_CHECK_ORDERED],
                                      act->chain, act->count);
}

/* The host and copies write to memory itself, but clean no caches: their
 * own bytes are released, nothing else. */
static bool own_release(aq_check_view *k, uint32_t place)
{
  const uint32_t count = aq_vector_clock_get(&k->of[AQ_CHECK_ORDERED], place);
  return aq_vector_clock_set(&k->of[AQ_CHECK_RELEASED_AGENT], place, count) &&
         aq_vector_clock_set(&k->of[AQ_CHECK_RELEASED_SYSTEM], place, count);
}

/* Its end is known. An atomic of another kernel may still learn the order from
 * it; nothing asks for the knowledge of a copy or the host. */
static void act_close(aq_hb_event *act)
{
  const int kept = act->actor == AQ_CHECK_KERNEL ? AQ_CHECK_ORDERED + 1 : 0;
  act->done = true;
  for (int i = kept; i < AQ_CHECK_LEVELS; i++) {
    free(act->knows.of[i].at);
    act->knows.of[i] = (aq_vector_clock){0};
  }
  free(act->waits);
  act->waits = NULL;
}

/* ---- signals ---- */

static aq_check_view *signal_at(aq_hb *order, uint64_t signal)
{
  uint64_t found = 0;
  if (aq_map_get(&order->signals, signal, &found))
    return (aq_check_view *)(uintptr_t)found;
  aq_check_view *made = calloc(1, sizeof *made);
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

static void signal_join(aq_hb *order, uint64_t signal,
                        const aq_check_view *from)
{
  aq_check_view *to = signal ? signal_at(order, signal) : NULL;
  if (to)
    order->full |= !aq_check_join(to, from);
}

static void signal_learn(aq_hb *order, uint64_t signal, aq_check_view *to)
{
  uint64_t found = 0;
  if (signal && aq_map_get(&order->signals, signal, &found))
    order->full |= !aq_check_join(to, (const aq_check_view *)(uintptr_t)found);
}

/* ---- queues ---- */

static queue *queue_at(aq_hb *order, const aq_amd_queue *address)
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
static void publication_learn(aq_hb *order, queue *q, uint64_t id,
                              aq_check_view *to)
{
  while (q->past < q->count && q->published[q->past].id < id)
    aq_check_view_fini(&q->published[q->past++].knows);
  /* The host may be far ahead: they move up once half of them has gone. */
  if (q->past > q->count / 2) {
    memmove(q->published, q->published + q->past,
            (q->count - q->past) * sizeof *q->published);
    q->count -= q->past;
    q->past = 0;
  }
  order->full |= !aq_check_join(
      to, q->past < q->count ? &q->published[q->past].knows : &order->host);
}

static aq_hb_event *open_find(const queue *q, uint64_t id)
{
  for (size_t i = 0; i < q->open_count; i++)
    if (q->open[i]->id == id)
      return q->open[i];
  return NULL;
}

aq_hb_event *aq_hb_packet(const aq_hb *order, const aq_amd_queue *address,
                          uint64_t id)
{
  for (const queue *q = order->queues; q; q = q->next)
    if (q->address == address)
      return open_find(q, id);
  return NULL;
}

aq_hb_event *aq_hb_launch(aq_hb *order, const aq_order_packet *packet)
{
  queue *q = queue_at(order, packet->queue);
  aq_hb_event *act = q ? open_find(q, packet->id) : NULL;
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
  /* A barrier packet acquires again what its dependencies released. */
  order->full |= !aq_check_acquire(&act->knows, aq_header_acquire(act->header));
  act_place(order, act, q->chain);
  q->chain = act->chain;
  if (!AQ_ARRAY_PUSH(q->open, q->open_count, q->open_capacity, act))
    order->full = true;
  return act;
}

/* Dependencies of barrier packets; of a barrier-OR, signals that were not
 * satisfied have no completion to pass on. */
void aq_hb_seen(aq_hb *order, const aq_order_packet *packet)
{
  aq_hb_event *act = aq_hb_packet(order, packet->queue, packet->id);
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

/* All that has happened so far, and what packets under way have done. */
static void all_learn(aq_hb *order, aq_hb_event *act)
{
  bool ok = aq_check_join(&act->knows, &order->host);
  for (size_t i = 0; i < order->released_count; i++)
    ok &= aq_check_join(&act->knows, order->released[i]);
  for (const queue *q = order->queues; q; q = q->next) {
    ok &= aq_check_join(&act->knows, &q->all);
    for (size_t i = 0; i < q->open_count; i++)
      if (q->open[i] != act && q->open[i]->count > 0)
        aq_hb_atomic(order, act, q->open[i]);
  }
  order->full |= !ok;
}

void aq_hb_memory_seen(aq_hb *order, const aq_order_packet *packet,
                       uint64_t address)
{
  aq_hb_event *act = aq_hb_packet(order, packet->queue, packet->id);
  const uint64_t signal = address - offsetof(aq_amd_signal, value);
  if (!act)
    return;
  if (aq_map_get(&order->signals, signal, NULL))
    signal_learn(order, signal, &act->knows);
  else
    all_learn(order, act);
  order->full |= !aq_check_acquire(&act->knows, AQ_SCOPE_SYSTEM);
}

void aq_hb_complete(aq_hb *order, const aq_order_packet *packet)
{
  queue *q = queue_at(order, packet->queue);
  aq_hb_event *act = q ? open_find(q, packet->id) : NULL;
  if (q && q->complete <= packet->id)
    q->complete = packet->id + 1;
  if (!act)
    return;
  bool ok = aq_check_release(&act->knows, aq_header_release(act->header));
  ok &= aq_check_join(&q->all, &act->knows);
  if (act->blocks)
    ok &= aq_check_join(&q->blocks, &act->knows);
  order->full |= !ok;
  signal_join(order, packet->packet->kernel.completion_signal.handle,
              &act->knows);
  if (order->host_unseen)
    order->full |= !aq_check_join(&order->host, &act->knows);
  for (size_t i = 0; i < q->open_count; i++)
    if (q->open[i] == act)
      q->open[i--] = q->open[--q->open_count];
  act_close(act);
}

bool aq_hb_is_complete(const aq_hb *order, const aq_amd_queue *address,
                       uint64_t id)
{
  for (const queue *q = order->queues; q; q = q->next)
    if (q->address == address)
      return id < q->complete && !open_find(q, id);
  return false;
}

void aq_hb_queue_gone(aq_hb *order, const aq_amd_queue *address)
{
  for (queue *q = order->queues; q; q = q->next)
    if (q->address == address)
      queue_clear(q);
}

/* ---- copies ---- */

aq_hb_event *aq_hb_copy_submit(aq_hb *order, uint64_t copy,
                               const aq_copy_desc *desc)
{
  aq_hb_event *act = act_add(order, AQ_CHECK_COPY);
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

aq_hb_event *aq_hb_copy(const aq_hb *order, uint64_t copy)
{
  uint64_t serial = 0;
  return aq_map_get(&order->copies, copy, &serial)
             ? aq_hb_event_at(order, (uint32_t)serial)
             : NULL;
}

void aq_hb_copy_ready(aq_hb *order, uint64_t copy)
{
  aq_hb_event *act = aq_hb_copy(order, copy);
  if (!act || act->launched)
    return;
  act->launched = true;
  for (uint32_t i = 0; i < act->copy.dependency_count; i++)
    signal_learn(order, act->waits[i].handle, &act->knows);
  order->full |= !aq_check_acquire(&act->knows, AQ_SCOPE_SYSTEM);
  act_place(order, act, 0);
}

void aq_hb_copy_complete(aq_hb *order, uint64_t copy)
{
  aq_hb_event *act = aq_hb_copy(order, copy);
  if (!act)
    return;
  order->full |= !own_release(&act->knows, act->chain);
  signal_join(order, act->copy.completion.handle, &act->knows);
  if (order->host_unseen) { /* as if it had seen a signal of the copy */
    order->full |= !aq_check_join(&order->host, &act->knows);
    order->full |= !aq_check_acquire(&order->host, AQ_SCOPE_SYSTEM);
  }
  aq_map_remove(&order->copies, copy, NULL);
  act_close(act);
}

/* ---- the host ---- */

/* Later acts of the host are beyond the knowledge that it gave away. */
static void host_advance(aq_hb *order)
{
  order->full |= !own_release(&order->host, 0);
  order->chains[0].count++;
  order->full |= !aq_vector_clock_set(&order->host.of[AQ_CHECK_ORDERED], 0,
                                      order->chains[0].count);
}

void aq_hb_publish(aq_hb *order, const aq_amd_queue *address, uint64_t id)
{
  queue *q = queue_at(order, address);
  publication made = {.id = id};
  if (!q || (q->past < q->count && q->published[q->count - 1].id >= id))
    return;
  order->full |= !own_release(&order->host, 0);
  if (!aq_check_join(&made.knows, &order->host) ||
      !AQ_ARRAY_PUSH(q->published, q->count, q->capacity, made)) {
    aq_check_view_fini(&made.knows);
    order->full = true;
  }
  host_advance(order);
}

void aq_hb_signal_set(aq_hb *order, uint64_t signal)
{
  aq_check_view *at = signal ? signal_at(order, signal) : NULL;
  if (!at)
    return;
  aq_check_view_clear(at);
  aq_hb_signal_add(order, signal);
}

void aq_hb_signal_add(aq_hb *order, uint64_t signal)
{
  order->full |= !own_release(&order->host, 0);
  signal_join(order, signal, &order->host);
  host_advance(order);
}

void aq_hb_signal_seen(aq_hb *order, uint64_t signal)
{
  signal_learn(order, signal, &order->host);
  order->full |= !aq_check_acquire(&order->host, AQ_SCOPE_SYSTEM);
}

aq_hb_event *aq_hb_host(aq_hb *order)
{
  aq_hb_event *act = act_add(order, AQ_CHECK_HOST);
  if (!act)
    return NULL;
  act->chain = 0;
  act->count = order->chains[0].count;
  order->full |= !aq_check_join(&act->knows, &order->host);
  return act;
}

void aq_hb_host_done(aq_hb_event *act)
{
  act_close(act);
}

/* ---- questions ---- */

bool aq_check_is_ordered(const aq_hb_event *before, const aq_hb_event *act)
{
  return aq_vector_clock_get(&act->knows.of[AQ_CHECK_ORDERED], before->chain) >=
         before->count;
}

bool aq_check_is_visible(const aq_hb_event *before, const aq_hb_event *act)
{
  const bool here = before->actor == AQ_CHECK_KERNEL &&
                    act->actor == AQ_CHECK_KERNEL &&
                    before->device == act->device;
  if (before->actor == AQ_CHECK_HOST && act->actor == AQ_CHECK_HOST)
    return true;
  return aq_vector_clock_get(&act->knows.of[here ? AQ_CHECK_VISIBLE_AGENT
                                                 : AQ_CHECK_VISIBLE_SYSTEM],
                             before->chain) >= before->count;
}

void aq_hb_atomic(aq_hb *order, aq_hb_event *act, const aq_hb_event *before)
{
  bool ok = aq_check_join(&act->knows, &before->knows);
  for (int i = 0; i < AQ_CHECK_LEVELS; i++)
    ok &= aq_vector_clock_set(&act->knows.of[i], before->chain, before->count);
  order->full |= !ok;
}
