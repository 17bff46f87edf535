/* SPDX-License-Identifier: MIT */
/*
 * Futexes of this process; their timeouts count on the clock of
 * common/wall_clock.h. Waking and waiting may be spurious: callers look again.
 * Linux only, as the drivers are whose place the simulator takes.
 */
#ifndef AQSIM_FUTEX_H
#define AQSIM_FUTEX_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/wall_clock.h"

/* The kinds of change; a sleeper is woken by the kinds it names. */
#define AQSIM_FUTEX_ANY UINT32_MAX

/* Sleeps while *word is `seen`, for `ns` at most; `what`: not 0. */
static inline void aqsim_futex_wait(const uint32_t *word, uint32_t seen,
                                    int64_t ns, uint32_t what)
{
  const int64_t end = aq_wall_ns() + ns; /* on CLOCK_MONOTONIC */
  struct timespec timeout = {end / 1000000000, end % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, seen, &timeout, NULL,
          what);
}

/* Changes *word and wakes every thread that sleeps on it for some of `what`.
 * Sequentially consistent: a thread that decided before the change to sleep
 * does not miss it. */
static inline void aqsim_futex_wake(uint32_t *word, uint32_t what)
{
  __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, word, FUTEX_WAKE_BITSET_PRIVATE, INT32_MAX, NULL, NULL,
          what);
}

/* Hints to the processor that a loop polls. */
static inline void aqsim_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

#endif
