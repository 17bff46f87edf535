/* SPDX-License-Identifier: MIT */
/*
 * Runs code whose accesses may hit memory that goes away meanwhile: another
 * thread unmaps it, or truncates the file behind it. The signal that follows
 * becomes a result. doc/adr/0015-guarded-accesses.md has the reasons.
 *
 * The process's handlers of SIGSEGV and SIGBUS are ours while guarded code
 * runs that has armed its guard, in any thread, and the program's again
 * afterwards. A signal that is
 * not of guarded code goes to the program's handler, as if ours were not there.
 *
 * Any thread; guards of one thread do not nest.
 */
#ifndef AQ_GPU_WAVE_CORE_GUARD_H
#define AQ_GPU_WAVE_CORE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

/* Calls `run`. False: it was left in the middle, at the access to `*address`;
 * its locks and allocations stay. */
bool aq_wave_guard(void (*run)(void *user), void *user, uint64_t *address);

/* Guarded code calls it before its first such access, so that a step without
 * one makes no system call. Elsewhere it has no effect. */
void aq_wave_guard_arm(void);

#endif
