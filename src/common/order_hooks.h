/* SPDX-License-Identifier: MIT */
/*
 * Order hooks: the points at which a simulated device orders its packets and
 * copies. A checker builds happens-before of them.
 *
 * Calls come on the thread that drives time, one at a time, in live mode under
 * the simulator's lock, but for copy_submit, which comes on the caller's
 * thread under that lock, and signal_handled, which comes on that of the
 * handlers without it. A hook calls nothing of the transport. All pointers
 * are borrowed for the call. Every function is filled.
 */
#ifndef AQ_COMMON_ORDER_HOOKS_H
#define AQ_COMMON_ORDER_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "aql.h"
#include "hsa_abi.h"
#include "transport.h"

/* A packet that was launched. */
typedef struct aq_order_packet {
  const aq_amd_queue *queue;
  uint32_t queue_id, device;
  uint64_t id; /* in its queue */
  const aq_packet *packet;
  bool blocks; /* later packets of the queue wait for its end */
} aq_order_packet;

typedef struct aq_order_hooks {
  void *user;
  /* It leaves its queue's line; all earlier packets have launched and, with the
   * barrier bit, completed. */
  void (*launch)(void *user, const aq_order_packet *packet);
  /* A barrier packet has seen its dependencies. */
  void (*seen)(void *user, const aq_order_packet *packet);
  /* It has seen the value that it waited for at a place of memory, which may be
   * that of a signal. */
  void (*memory_seen)(void *user, const aq_order_packet *packet,
                      uint64_t address);
  /* It ended; its completion signal is about to be decremented. */
  void (*complete)(void *user, const aq_order_packet *packet);
  /* Copies, by their number: ordered, free of their dependencies, moving their
   * bytes, about to decrement their completion signal. `packet` is the name of
   * the one that asks for it, as FENCE, which stores and copies nothing; NULL:
   * a copy. */
  void (*copy_submit)(void *user, uint64_t copy, const aq_copy_desc *desc,
                      const char *packet);
  void (*copy_ready)(void *user, uint64_t copy);
  void (*copy_move)(void *user, uint64_t copy);
  void (*copy_complete)(void *user, uint64_t copy);
  /* A handler of the host is about to be called for a signal. */
  void (*signal_handled)(void *user, aq_signal signal);
} aq_order_hooks;

#endif
