/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "transport/null/null_retire.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/packet/packet_validate.h"

static bool is_zero(aq_signal signal)
{
  return aqsim_signal_load(aqsim_signal_from(signal)) == 0;
}

static bool all_zero(const aq_signal *signals, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (signals[i].handle && !is_zero(signals[i]))
      return false;
  return true;
}

/* Each dependency has been seen 0, not necessarily at the same time. */
static bool all_seen_zero(aqsim_null_queue *queue, const aq_signal *signals)
{
  for (uint32_t i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
    if (!signals[i].handle || is_zero(signals[i]))
      queue->seen |= 1u << i;
  return queue->seen == (1u << AQ_BARRIER_DEPENDENCIES) - 1;
}

static bool any_zero(const aq_signal *signals, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (signals[i].handle && is_zero(signals[i]))
      return true;
  return false;
}

static void signal_decrement(aqsim_null *n, aq_signal handle)
{
  if (!handle.handle)
    return;
  aqsim_signal_add(&n->signals, aqsim_signal_from(handle), -1, n->now);
  n->changed = true;
}

const aqsim_kernel *aqsim_null_kernel(aqsim_null *n, uint64_t object)
{
  if (!n->recent || n->recent_object != object) {
    n->recent = aqsim_kernel_from(&n->kernels, object);
    n->recent_object = object;
  }
  return n->recent;
}

static uint32_t kernel_run(aqsim_null *n, const aq_kernel_packet *packet,
                           char *text)
{
  static const aqsim_packet_limits limits = {.workgroup_max = UINT64_MAX,
                                             .lds_per_workgroup = UINT64_MAX};
  const aqsim_kernel *kernel = aqsim_null_kernel(n, packet->kernel_object);
  uint32_t fault = aqsim_kernel_packet_check(packet, kernel, &limits, text);
  if (fault || !kernel->desc.function || aqsim_packet_workgroups(packet) == 0)
    return fault;
  char error[AQ_KERNEL_ERROR_SIZE] = "";
  kernel->desc.function(
      &(aq_kernel_call){packet, (void *)(uintptr_t)packet->kernarg_address,
                        kernel->desc.user, 0, error, kernel->desc.scope});
  n->changed = true; /* memory, for which a packet may wait */
  if (!error[0])
    return AQSIM_FAULT_NONE;
  snprintf(text, AQSIM_FAULT_TEXT_MAX, "kernel %.60s: %s", kernel->desc.name,
           error);
  return (uint32_t)AQSIM_FAULT_EXCEPTION;
}

static void queue_fail(aqsim_null_queue *queue, const aq_packet *packet,
                       uint32_t fault, const char *text)
{
  char words[AQSIM_FAULT_TEXT_MAX + 100];
  queue->active = false;
  snprintf(words, sizeof words,
           "queue %" PRIu32 ": packet %" PRIu64 " (%s, header 0x%04x): %s",
           queue->ring.id, queue->read_index,
           aqsim_packet_type_name(aq_header_type(packet->header)),
           packet->header, text);
  if (queue->error)
    queue->error(&(aq_queue_error){queue->ring.id, queue->read_index, packet,
                                   fault, words},
                 queue->user);
}

/* Of a signal, or of any memory 8 bytes below a value. */
static uint32_t value_seen(const aq_barrier_value_packet *packet, bool *done,
                           char *text)
{
  if (packet->format != AQ_AMD_FORMAT_BARRIER_VALUE)
    return aqsim_packet_type_fault((const aq_packet *)packet, text);
  if (packet->condition > AQ_GE)
    return aqsim_barrier_value_fault(packet->condition, text);
  const int64_t *at = (const void *)(uintptr_t)(packet->signal.handle +
                                                offsetof(aq_amd_signal, value));
  *done =
      packet->signal.handle == 0 ||
      aq_condition_holds((aq_condition)packet->condition,
                         __atomic_load_n(at, __ATOMIC_ACQUIRE) & packet->mask,
                         packet->value);
  return AQSIM_FAULT_NONE;
}

/* Whether the packet is complete; false stops the queue there. */
__attribute__((always_inline)) static inline bool
packet_run(aqsim_null *n, aqsim_null_queue *queue, const aq_packet *packet)
{
  char text[AQSIM_FAULT_TEXT_MAX];
  uint32_t fault = 0;
  bool done = true;
  switch (aq_header_type(packet->header)) {
  case AQ_PACKET_KERNEL_DISPATCH:
    fault = kernel_run(n, &packet->kernel, text);
    break;
  case AQ_PACKET_BARRIER_AND:
    done = all_seen_zero(queue, packet->barrier.dependency);
    break;
  case AQ_PACKET_BARRIER_OR:
    done = any_zero(packet->barrier.dependency, AQ_BARRIER_DEPENDENCIES);
    break;
  case AQ_PACKET_VENDOR:
    fault = value_seen(&packet->barrier_value, &done, text);
    break;
  default:
    fault = aqsim_packet_type_fault(packet, text);
  }
  if (fault)
    queue_fail(queue, packet, fault, text);
  return done && !fault;
}

void aqsim_null_queue_run(aqsim_null *n, aqsim_null_queue *queue)
{
  while (queue->active &&
         queue->read_index < aq_ring_write_index(&queue->ring)) {
    aq_packet *slot = aq_ring_slot(&queue->ring, queue->read_index);
    uint32_t header = aq_packet_load_header(slot);
    if (aq_header_type(header) == AQ_PACKET_INVALID)
      return;
    aq_signal completion = slot->kernel.completion_signal;
    if (!packet_run(n, queue, slot)) {
      n->waiting = true;
      return;
    }
    if (queue->destroyed)
      return;
    queue->seen = 0;
    __atomic_store_n(&slot->header_setup, (uint32_t)AQ_PACKET_INVALID,
                     __ATOMIC_RELAXED);
    /* Release: the slot is INVALID before a producer may take it. */
    __atomic_store_n(&queue->read_index, queue->read_index + 1,
                     __ATOMIC_RELEASE);
    signal_decrement(n, completion);
  }
}

void aqsim_null_queue_free(aqsim_null_queue *queue)
{
  free(queue->ring.packets);
  free(queue);
}

void aqsim_null_stop(aqsim_null *n)
{
  n->running = false;
  if (n->destroyed) {
    /* Frees the queues that were destroyed while packets retired. */
    aqsim_null_queue **link = &n->queues;
    while (*link) {
      aqsim_null_queue *queue = *link;
      if (queue->destroyed) {
        *link = queue->next;
        aqsim_null_queue_free(queue);
      } else {
        link = &queue->next;
      }
    }
  }
  n->destroyed = false;
}

void aqsim_null_settle(aqsim_null *n)
{
  if (n->running)
    return;
  n->running = true;
  do {
    n->changed = n->waiting = false;
    for (aqsim_null_queue *q = n->queues; q; q = q->next)
      aqsim_null_queue_run(n, q);
    aqsim_null_copy **link = &n->copies;
    while (*link) {
      aqsim_null_copy *copy = *link;
      if (!all_zero(copy->dependencies, copy->count)) {
        n->waiting = true;
        link = &copy->next;
        continue;
      }
      *link = copy->next;
      aqsim_copy_rect_move(&copy->box, copy->to, copy->from);
      n->changed = true;
      signal_decrement(n, copy->completion);
      free(copy);
    }
  } while (n->changed && n->waiting);
  aqsim_null_stop(n);
}
