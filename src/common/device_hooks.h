/* SPDX-License-Identifier: MIT */
/*
 * Device hooks: where a fault inside a simulated device comes from outside it.
 *
 * Whoever opens a transport may pass one table; a transport that says
 * AQ_CAP_DEVICE_HOOKS asks it at the points below and nowhere else. Everything
 * a hook is told is counted by the hook itself. The table is borrowed until
 * close; every function is filled. Hooks run on the thread that drives the
 * transport, and call nothing of it. They have to be deterministic.
 */
#ifndef AQ_COMMON_DEVICE_HOOKS_H
#define AQ_COMMON_DEVICE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hsa_abi.h"
#include "time.h"

typedef struct aq_device_hooks {
  uint32_t size; /* sizeof(aq_device_hooks) of the caller */
  void *user;
  /* The device decremented a signal that the host waits for, or one that
   * drain() reports. False: the interrupt is lost. The host then sleeps on
   * until the next one, or its deadline, and looks at everything again. */
  bool (*interrupt)(void *user, aq_signal signal);
  /* A copy starts to move its bytes. Returns what it takes longer, 0 or more.
   */
  aq_time (*copy_start)(void *user, size_t size);
  /* An operation is about to allocate: memory, a signal, a queue, a kernel, a
   * copy. False: it ends with AQ_ERR_NO_MEMORY and nothing happens. */
  bool (*allocation)(void *user);
} aq_device_hooks;

#endif
