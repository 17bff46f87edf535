/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/launch/watchdog.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/executor.h"
#include "common/wall_clock.h"

typedef struct watch {
  aq_transport *t;
  aq_launch launch;
  uint32_t count, ended;
  aq_record_sink *sink;
  aq_launch_times *out;
  aq_status status;
  aq_diag diag;
  pthread_mutex_t lock;
  pthread_cond_t news;
  bool over;
  char where[AQ_EXECUTION_TEXT_SIZE]; /* its waves are, or "" */
} watch;

/* Where waves are is reported shortly before. */
enum { REPORT_BEFORE_NS = 100000000, REPORT_PART = 10 };

static void where_note(const char *line, void *user)
{
  watch *w = user;
  pthread_mutex_lock(&w->lock);
  snprintf(w->where, sizeof w->where, "%s", line);
  pthread_mutex_unlock(&w->lock);
}

static void *watch_main(void *user)
{
  watch *w = user;
  w->status = aq_launch_run(w->t, &w->launch, w->count, w->sink, w->out,
                            &w->ended, &w->diag);
  pthread_mutex_lock(&w->lock);
  w->over = true;
  pthread_cond_signal(&w->news);
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

/* Waits on the monotonic clock; false at the timeout. */
static bool watch_await(watch *w, aq_time timeout)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const int64_t ns = until.tv_nsec + timeout % AQ_S / AQ_NS;
  until.tv_sec += timeout / AQ_S + ns / 1000000000;
  until.tv_nsec = ns % 1000000000;
  int failed = 0;
  pthread_mutex_lock(&w->lock);
  while (!w->over && failed == 0)
    failed = pthread_cond_timedwait(&w->news, &w->lock, &until);
  const bool over = w->over;
  pthread_mutex_unlock(&w->lock);
  return over;
}

static watch *watch_create(void)
{
  pthread_condattr_t attributes;
  watch *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->news, &attributes);
  pthread_condattr_destroy(&attributes);
  return w;
}

static void watch_destroy(watch *w)
{
  pthread_cond_destroy(&w->news);
  pthread_mutex_destroy(&w->lock);
  free(w);
}

static void report_ask(watch *w, aq_transport_stack *stack, aq_time timeout)
{
  const int64_t ns = timeout / AQ_NS,
                before = ns / REPORT_PART < REPORT_BEFORE_NS ? ns / REPORT_PART
                                                             : REPORT_BEFORE_NS;
  aq_transport_stack_report_at(stack, aq_wall_ns() + ns - before, where_note,
                               w);
}

aq_status aq_launch_watch(aq_transport_stack *stack, aq_transport *t,
                          const aq_launch *launch, uint32_t count,
                          aq_record_sink *sink, aq_launch_times *out,
                          aq_time timeout, const char *culprit, aq_diag *diag)
{
  pthread_t thread;
  if (timeout == 0)
    return aq_launch_run(t, launch, count, sink, out, NULL, diag);
  watch *w = watch_create();
  if (!w)
    return aq_diag_no_memory(diag);
  w->t = t;
  w->launch = *launch;
  w->count = count;
  w->sink = sink;
  w->out = out;
  report_ask(w, stack, timeout);
  if (pthread_create(&thread, NULL, watch_main, w) != 0) {
    aq_transport_stack_report_at(stack, 0, NULL, NULL);
    watch_destroy(w);
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "launch: no thread");
  }
  if (!watch_await(w, timeout)) {
    pthread_detach(thread);
    pthread_mutex_lock(&w->lock);
    aq_status status = aq_diag_set(
        diag, AQ_ERR_TIMEOUT,
        "kernel %.100s: dispatch %u of %u did not end within %g s; "
        "%s hangs%s%s",
        w->launch.name, __atomic_load_n(&w->ended, __ATOMIC_ACQUIRE) + 1,
        w->count, (double)timeout / (double)AQ_S, culprit,
        *w->where ? ": " : "", w->where);
    pthread_mutex_unlock(&w->lock);
    return status;
  }
  pthread_join(thread, NULL);
  aq_transport_stack_report_at(stack, 0, NULL, NULL);
  aq_status status = w->status;
  if (status != AQ_OK)
    status = aq_diag_set(diag, status, "%s", w->diag.text);
  watch_destroy(w);
  return status;
}
