/* SPDX-License-Identifier: MIT */
/*
 * The lead of a host thread over the handlers that it adds.
 *
 * A GPU's interrupt takes some microseconds to reach a handler, and programs
 * rely on them without knowing: HIP until 6.1 attaches the times of a command
 * after it rang for it, and a handler that comes earlier takes the host's clock
 * for the device's. A simulated packet may complete within the doorbell's
 * store.
 *
 * So a handler is not called while the thread that added it only added handlers
 * and rang doorbells since. The lead ends with another operation of that
 * thread, when it sleeps, yields again and again or ends, or after a
 * millisecond of its processor time: one that was preempted keeps it.
 *
 * Thread rule: any thread. A thread's id chooses its word; threads that share
 * one lose leads, nothing else.
 */
#ifndef AQSIM_INTERRUPT_DELAY_H
#define AQSIM_INTERRUPT_DELAY_H

#include <stdint.h>
#include <sys/types.h>

enum { AQSIM_LEADS = 64 };

typedef struct aqsim_leads {
  uint32_t has[AQSIM_LEADS]; /* atomic: by thread id */
} aqsim_leads;

/* The calling thread. */
pid_t aqsim_lead_thread(void);

/* It is about to add a handler or to ring, which publishes the word. */
static inline void aqsim_lead_begin(aqsim_leads *leads)
{
  uint32_t *has = &leads->has[aqsim_lead_thread() % AQSIM_LEADS];
  if (!__atomic_load_n(has, __ATOMIC_RELAXED))
    __atomic_store_n(has, 1, __ATOMIC_RELEASE);
}

/* It does anything else. */
static inline void aqsim_lead_end(aqsim_leads *leads)
{
  uint32_t *has = &leads->has[aqsim_lead_thread() % AQSIM_LEADS];
  if (__atomic_load_n(has, __ATOMIC_RELAXED))
    __atomic_store_n(has, 0, __ATOMIC_RELEASE);
}

/* Waits, half a second at most, until the lead of `thread` ends. The
 * simulator's locks are not held. */
void aqsim_lead_wait(const aqsim_leads *leads, pid_t thread);

#endif
