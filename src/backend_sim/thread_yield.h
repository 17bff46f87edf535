/* SPDX-License-Identifier: MIT */
/*
 * How often each thread gave up its processor by sched_yield(), by thread id.
 * The library that `exec` preloads counts (dropin/hsa/init/shim.c); the
 * simulator looks (backend_sim/live/interrupt_delay.h). Without that library,
 * the symbol's address is NULL.
 *
 * Thread rule: the words are atomic; threads that share one count together.
 */
#ifndef AQ_THREAD_YIELD_H
#define AQ_THREAD_YIELD_H

#include <stdint.h>
#include <sys/types.h>

enum { AQ_YIELDS = 64 };

extern __attribute__((weak, visibility("default")))
uint32_t aqueduct_yields[AQ_YIELDS];

static inline uint32_t *aq_yields_of(pid_t thread)
{
  return &aqueduct_yields[(uint32_t)thread % AQ_YIELDS];
}

#endif
