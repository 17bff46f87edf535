/* SPDX-License-Identifier: MIT */
/* The contents of queues in memory: indices, packets, the signals of barriers.
 * The inside of the hardware cannot be seen. */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "backend_hsa/core.h"

enum { LINE = 320, SLOTS_TOLD = 64, DEPENDENCIES = 5 };

typedef struct teller {
  void (*line)(const char *text, void *user);
  void *user;
} teller;

static void dependencies_print(const teller *t, const aq_packet *packet)
{
  char text[LINE];
  for (int i = 0; i < DEPENDENCIES; i++) {
    const aq_signal signal = packet->barrier.dependency[i];
    if (!signal.handle)
      continue;
    snprintf(text, sizeof text,
             "    waits for signal 0x%" PRIx64 ", value %" PRId64,
             signal.handle,
             __atomic_load_n(
                 &((const aq_amd_signal *)(uintptr_t)signal.handle)->value,
                 __ATOMIC_ACQUIRE));
    t->line(text, t->user);
  }
}

static void slot_print(const teller *t, const aq_ring *ring, uint64_t id)
{
  static const char *const types[] = {"vendor packet",   "not published",
                                      "kernel dispatch", "barrier-AND",
                                      "agent dispatch",  "barrier-OR"};
  char text[LINE];
  const aq_packet *slot = aq_ring_slot(ring, id);
  const uint32_t header = aq_packet_load_header(slot);
  const unsigned type = aq_header_type(header);
  int used = snprintf(
      text, sizeof text, "  packet %" PRIu64 ": %s, header 0x%x", id,
      type < 6 ? types[type] : "unknown type", (unsigned)(header & 0xffff));
  if (type == AQ_PACKET_KERNEL_DISPATCH)
    snprintf(text + used, sizeof text - (size_t)used,
             ", object 0x%" PRIx64 ", grid %ux%ux%u, completion 0x%" PRIx64,
             slot->kernel.kernel_object, slot->kernel.grid_size[0],
             slot->kernel.grid_size[1], slot->kernel.grid_size[2],
             slot->kernel.completion_signal.handle);
  t->line(text, t->user);
  if (type == AQ_PACKET_BARRIER_AND || type == AQ_PACKET_BARRIER_OR)
    dependencies_print(t, slot);
}

static void queue_print(const teller *t, const aqhsa_queue *queue)
{
  static const char *const states[] = {[AQHSA_QUEUE_ACTIVE] = "active",
                                       [AQHSA_QUEUE_INACTIVE] = "inactive",
                                       [AQHSA_QUEUE_FAILED] = "failed"};
  char text[LINE];
  const aq_ring *ring = &queue->ring;
  const uint64_t read = aq_ring_read_index(ring);
  const uint64_t write = aq_ring_write_index(ring);
  snprintf(text, sizeof text,
           "queue %" PRIu32 ": %s, device %" PRIu32 ", size %" PRIu32
           ", read %" PRIu64 ", write %" PRIu64,
           ring->id, states[__atomic_load_n(&queue->state, __ATOMIC_ACQUIRE)],
           queue->device, ring->size, read, write);
  t->line(text, t->user);
  for (uint64_t id = read; id < write && id < read + SLOTS_TOLD; id++)
    slot_print(t, ring, id);
}

void aqhsa_inspect(aq_transport *t, void (*line)(const char *text, void *user),
                   void *user)
{
  aqhsa *hsa = aqhsa_from(t);
  const teller to = {line, user};
  pthread_mutex_lock(&hsa->lock);
  for (aqhsa_held *held = hsa->queues.first; held; held = held->next)
    queue_print(&to,
                (const aqhsa_queue *)(void *)((char *)held -
                                              offsetof(aqhsa_queue, held)));
  pthread_mutex_unlock(&hsa->lock);
}
