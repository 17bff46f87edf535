/* SPDX-License-Identifier: MIT */
/*
 * The structures of the null transport, and its retiring of packets. Included
 * by the null transport only; one thread at a time.
 */
#ifndef AQSIM_NULL_RETIRE_H
#define AQSIM_NULL_RETIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/code/kernels.h"
#include "backend_sim/engine/signals.h"
#include "backend_sim/transfer/copy_rect.h"
#include "backend_sim/transfer/memory.h"
#include "common/transport.h"

typedef struct aqsim_null_queue {
  aq_ring ring; /* first */
  struct aqsim_null_queue *next;
  bool active;
  bool destroyed; /* while packets retire: freed afterwards */
  uint32_t seen;  /* dependencies of the packet at the front, once 0 */
  void (*error)(const aq_queue_error *error, void *user);
  void *user;
  uint64_t write_index, read_index, doorbell;
} aqsim_null_queue;

typedef struct aqsim_null_copy {
  struct aqsim_null_copy *next;
  void *to;
  const void *from;
  aqsim_copy_rect box;
  aq_signal completion;
  uint32_t count;
  aq_signal dependencies[];
} aqsim_null_copy;

typedef struct aqsim_null {
  aq_transport base; /* first */
  aq_time now;
  aq_device_info *devices;
  uint32_t device_count;
  aqsim_signals signals;
  aqsim_kernels kernels;
  const aqsim_kernel *recent; /* the last one named; NULL: look it up */
  uint64_t recent_object;
  aqsim_memory memory;
  aqsim_null_queue *queues;
  aqsim_null_copy *copies; /* that wait, in order */
  uint32_t queue_count;
  uint32_t queues_created;
  bool running;   /* retiring packets; changes come back to it */
  bool changed;   /* a signal changed meanwhile */
  bool waiting;   /* some queue or copy waits for a signal */
  bool destroyed; /* a queue was destroyed meanwhile */
} aqsim_null;

/* The kernel of an object, or NULL. Remembers the last one: a packet mostly
 * names the kernel of the packet, or of the launch, before it. */
const aqsim_kernel *aqsim_null_kernel(aqsim_null *n, uint64_t object);

/* Retires the packets of one queue, up to one that has to wait. */
void aqsim_null_queue_run(aqsim_null *n, aqsim_null_queue *queue);

/* Retires everything, round and round until nothing changes any more. */
void aqsim_null_settle(aqsim_null *n);

/* Packets no longer retire: frees the queues that were destroyed meanwhile. */
void aqsim_null_stop(aqsim_null *n);

void aqsim_null_queue_free(aqsim_null_queue *queue);

#endif
