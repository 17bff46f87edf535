/* SPDX-License-Identifier: MIT */
/*
 * Device hooks: where a fault inside a simulated device comes from outside it.
 *
 * The opener of a transport may pass one table; a transport with the capability
 * AQ_CAP_DEVICE_HOOKS asks it at the points below and nowhere else. A hook
 * counts its own events. The table is borrowed until close; every function is
 * filled, except functions that may be NULL. Hooks run on the
 * thread that drives the transport, and call nothing of it. They have to be
 * deterministic.
 */
#ifndef AQ_COMMON_DEVICE_HOOKS_H
#define AQ_COMMON_DEVICE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aql.h"
#include "export.h"
#include "hsa_abi.h"
#include "time.h"

AQ_BEGIN_DECLS

/* What becomes of a packet that the device has read. */
typedef struct aq_packet_fate {
  aq_time delay;   /* its decode ends later by this, 0 or more */
  uint32_t reason; /* not 0: its queue stops there with these bits */
} aq_packet_fate;

typedef struct aq_device_hooks {
  uint32_t size; /* sizeof(aq_device_hooks) of the caller */
  void *user;
  /* Not asked in live mode, where hosts look on their own. The device
   * decremented a signal that the host waits for, or one that
   * drain() reports. False: the interrupt is lost. The host then sleeps on
   * until the next one, or its deadline, and looks at everything again. */
  bool (*interrupt)(void *user, aq_signal signal);
  /* A copy starts to move its bytes. Returns its extra time, 0 or more. */
  aq_time (*copy_start)(void *user, size_t size);
  /* An operation is about to allocate: memory, a signal, a queue, a kernel, a
   * copy. False: it ends with AQ_ERR_NO_MEMORY and nothing happens. */
  bool (*allocation)(void *user);
  /* The packet processor has read a packet of a queue (its number in the order
   * of creation); a change by the hook to the copy counts as read. NULL: not
   * asked. */
  aq_packet_fate (*packet)(void *user, uint32_t queue, uint64_t id,
                           aq_packet *packet);
  /* The device is about to complete a signal, and has (`done`). NULL: not
   * asked. */
  void (*completing)(void *user, aq_signal signal, aq_time now, bool done);
  /* A packet that waits for signals has found one satisfied, maybe by a value
   * that no call and no completion stored. NULL: not asked. */
  void (*noticed)(void *user, aq_time now);
} aq_device_hooks;

AQ_END_DECLS

#endif
