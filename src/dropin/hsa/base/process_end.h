/* SPDX-License-Identifier: MIT */
/*
 * The last work of a process that ends without its destructors: by _exit(),
 * which the library that `exec` preloads overrides (dropin/hsa/init/shim.c), or
 * by quick_exit(). Without that library, the symbol's address is NULL.
 */
#ifndef AQDROP_PROCESS_END_H
#define AQDROP_PROCESS_END_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* Atomic. A child of vfork() may call it, in the memory of its parent. */
extern
    __attribute__((weak,
                   visibility("default"))) void (*aqueduct_process_end)(void);

/* Whether it is this process that has opened HSA, and has not ended: once. */
static inline bool aqdrop_process_end_claim(pid_t *open)
{
  pid_t self = getpid();
  return __atomic_compare_exchange_n(open, &self, 0, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

static inline void aqdrop_process_end_set(void (*end)(void))
{
  (void)!at_quick_exit(end); /* without memory quick_exit ends without it */
  if (&aqueduct_process_end)
    __atomic_store_n(&aqueduct_process_end, end, __ATOMIC_RELEASE);
}

#endif
