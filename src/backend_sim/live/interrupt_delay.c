/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/live/interrupt_delay.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend_sim/thread_yield.h"
#include "common/wall_clock.h"

enum {
  LEAD_NS = 1000000,      /* of processor time */
  YIELDS = 6,             /* locks of HIP yield 5 times before they sleep */
  NAP_NS = 20000,         /* between two looks */
  LONGEST_NS = 500000000, /* shorter than the wait for a callback to end */
};

pid_t aqsim_lead_thread(void)
{
  static __thread pid_t thread;
  if (thread == 0)
    thread = gettid();
  return thread;
}

/* Processor time, ns; -1: the thread has ended. pthread_getcpuclockid() reads a
 * pthread_t, which is gone by then. */
static int64_t thread_ran(pid_t thread)
{
  const clockid_t clock = (clockid_t)(~(unsigned)thread << 3 | 6);
  struct timespec ran;
  if (clock_gettime(clock, &ran) != 0)
    return -1;
  return (int64_t)ran.tv_sec * 1000000000 + ran.tv_nsec;
}

/* Whether it neither runs nor waits for a processor. */
static bool thread_sleeps(pid_t thread)
{
  char text[256];
  snprintf(text, sizeof text, "/proc/self/task/%d/stat", (int)thread);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return true;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size > 0 ? size : 0] = '\0';
  const char *state = strrchr(text, ')'); /* the name may have others */
  return !state || strncmp(state, ") R", 3) != 0;
}

static bool lead_ended(const aqsim_leads *leads, pid_t thread)
{
  return !__atomic_load_n(&leads->has[thread % AQSIM_LEADS], __ATOMIC_ACQUIRE);
}

static uint32_t thread_yields(pid_t thread)
{
  return aqueduct_yields
             ? __atomic_load_n(aq_yields_of(thread), __ATOMIC_RELAXED)
             : 0;
}

void aqsim_lead_wait(const aqsim_leads *leads, pid_t thread)
{
  const struct timespec nap = {.tv_nsec = NAP_NS};
  if (thread == aqsim_lead_thread() || lead_ended(leads, thread))
    return;
  const int64_t end = aq_wall_ns() + LONGEST_NS, begin = thread_ran(thread);
  const uint32_t yields = thread_yields(thread);
  int64_t before = begin;
  while (before >= 0 && before - begin < LEAD_NS && aq_wall_ns() < end) {
    nanosleep(&nap, NULL);
    const int64_t ran = thread_ran(thread);
    /* Twice the same: it may be between two operations of its own. */
    if (lead_ended(leads, thread) || thread_yields(thread) - yields >= YIELDS ||
        (ran == before && thread_sleeps(thread)))
      return;
    before = ran;
  }
}
