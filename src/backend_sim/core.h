/* SPDX-License-Identifier: MIT */
/*
 * The open transport. Its devices are in device_state.h, its queues in
 * queue_state.h. Included by backend_sim only.
 *
 * Single-threaded: the thread that drives the transport runs everything below
 * it; in live mode, the thread that holds its lock.
 * Events run one after the other; the functions they call may schedule events
 * and change signals, never move time.
 */
#ifndef AQSIM_CORE_H
#define AQSIM_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/code/kernels.h"
#include "backend_sim/engine/calendar.h"
#include "backend_sim/engine/dependency_wait.h"
#include "backend_sim/engine/signal_handlers.h"
#include "backend_sim/engine/signals.h"
#include "backend_sim/model/device_set.h"
#include "backend_sim/observe/recorder.h"
#include "backend_sim/transfer/bandwidth.h"
#include "backend_sim/transfer/links.h"
#include "backend_sim/transfer/memory.h"
#include "backend_sim/types.h"
#include "common/order_hooks.h"
#include "common/transport.h"

/* Of copies: from and to the host or a device, and fills. */
enum { AQSIM_DIRECTIONS = 5 };

/* What packets ask of the slots and doorbells of queues, which lie above them;
 * sim.c sets it. */
typedef struct aqsim_queue_ops {
  /* aqsim_slots_progress, aqsim_slots_gate_opened, aqsim_queue_unmap */
  void (*progress)(aqsim_queue *queue);
  bool (*gate_opened)(aqsim_queue *queue);
  void (*unmap)(aqsim_queue *queue);
  /* aqsim_queues_notice: a host function may have published packets */
  void (*notice)(aqsim *sim);
} aqsim_queue_ops;

struct aqsim {
  aq_transport base; /* first */

  /* Time. */
  aq_time now;
  aqsim_calendar calendar;
  unsigned depth;   /* of events: time may not be moved inside */
  bool plain;       /* no live mode, no hooks of the device or the order */
  bool touched;     /* an event stored to memory that others may wait for */
  bool executed;    /* an event of this turn executed code, for long */
  aqsim_wait *wait; /* under way, or NULL */
  void *waiters;    /* scratch of wait, kept for the next one */
  uint32_t waiter_capacity;

  /* Signals. */
  aqsim_dep_waits dep_waits;
  aqsim_signals signals;
  aqsim_handlers handlers;
  aq_time interrupt;   /* interrupt_to_host of the device that acts */
  aq_time observe;     /* when a blocked host sees the decrement that was made
                          last, or AQ_NONE */
  bool interrupt_lost; /* of the decrement that is being made */
  size_t drain_lost;   /* completions that wait for drain() without a wake-up */
  uint64_t destroyed_completions; /* of signals that were gone by then */

  /* Devices and what lies between them. */
  aqsim_device_set models;
  aqsim_device *devices;
  aq_device_info *infos;
  uint32_t device_count;
  aqsim_links links;
  aqsim_bandwidth traffic;
  aqsim_memory memory;
  struct aq_allocations *allocations; /* of the executor, or NULL */

  /* Code. */
  aqsim_kernels kernels;
  struct aqsim_module *modules; /* loaded code objects, the newest first */
  const aq_executor *executor;  /* of code objects' kernels, NULL: none */
  bool executes;                /* it does kernels of every device */

  /* Queues. */
  const aqsim_queue_ops *queue_ops;
  const struct aqsim_client *client; /* client.h; NULL: none */
  aqsim_queue *first_queue, *last_queue;
  aq_slab queues; /* their memory, and the part of it that is free */
  aqsim_queue *queues_free;
  uint32_t queues_created;
  aqsim_queue *destroyed; /* queues to free when no event runs */
  aq_semantics semantics;
  bool polls; /* packets need no doorbell */

  /* Copies under way, the newest first. */
  aqsim_copy *copies;
  uint64_t copies_created;
  int64_t copy_names[AQSIM_DIRECTIONS]; /* in the record sink, or AQ_NONE */

  /* Rings of copy engines, in the order of creation. */
  aqsim_sdma *first_sdma, *last_sdma;
  uint32_t sdma_created;

  /* Records and counters. */
  aqsim_recorder recorder;
  aq_time sample_at;      /* counters are due; AQ_TIME_MAX: never */
  aqsim_sampler *sampler; /* NULL: none */

  /* Its opener's functions. */
  void (*report)(const char *line, void *user); /* queue errors, NULL: stderr */
  void *report_user;
  void (*event)(const aq_system_event *event, void *user); /* NULL: report */
  void *event_user;
  const aq_device_hooks *hooks; /* NULL: none */
  const aq_order_hooks *order;  /* NULL: none */
  bool policy_notified;         /* whoever opened it, by a policy */

  /* Live mode; NULL otherwise. */
  aqsim_live *live;
  const uint32_t *wanted; /* threads that want the simulator, atomic */
  /* Has the callback of a queue called by a thread that holds no lock; false
   * when it cannot. */
  bool (*error_defer)(aqsim_live *live, const aqsim_queue *queue,
                      const aq_queue_error *error);
  /* The same for the callback of system events. */
  bool (*event_defer)(aqsim_live *live, const aq_system_event *event);
  /* Around a host function of a queue: other threads may use the simulator, but
   * not move time. */
  void (*outside_begin)(aqsim_live *live, const aqsim_queue *queue);
  void (*outside_end)(aqsim_live *live);
};

static inline aqsim *aqsim_from(aq_transport *transport)
{
  return (aqsim *)transport;
}

#endif
