/* SPDX-License-Identifier: MIT */
/*
 * The values of signals as the capture knows them. Calls and the device change
 * signals inside of a bracket (aqdrop_capture_change); a value that differs
 * outside of one was stored by the program or by a kernel without a call, and
 * becomes an update. The first packet that refers to a signal which no call
 * made, the program's own amd_signal_t, captures it.
 */
#include "config.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "dropin/hsa/record/capture_writer.h"

enum { YIELDS_MAX = 1000 };

struct aqdrop_captured_signal {
  struct aqdrop_captured_signal *next;
  aq_signal signal;
  int64_t value; /* after the last change that is in the file */
  aq_time since; /* of the last line that is about it */
  bool own;      /* the program's own memory, which may go away */
};

static const int64_t *value_of(aq_signal signal)
{
  return (const int64_t *)(uintptr_t)(signal.handle +
                                      offsetof(aq_amd_signal, value));
}

/* False: there is no memory. */
static bool value_read(aq_signal signal, bool own, int64_t *out)
{
  if (!own) {
    *out = __atomic_load_n(value_of(signal), __ATOMIC_SEQ_CST);
    return true;
  }
  struct iovec to = {out, sizeof *out},
               from = {(void *)(uintptr_t)value_of(signal), sizeof *out};
  return signal.handle % sizeof *out == 0 &&
         process_vm_readv(getpid(), &to, 1, &from, 1, 0) ==
             (ssize_t)sizeof *out;
}

static aqdrop_captured_signal *signal_find(const aqdrop_capture *capture,
                                           aq_signal signal)
{
  uint64_t found = 0;
  aq_map_get(&capture->by_signal, signal.handle, &found);
  return (aqdrop_captured_signal *)(uintptr_t)found;
}

/* With the lock. Without memory the signal's raw stores are not captured. */
static void signal_add(aqdrop_capture *capture, aq_signal signal, int64_t value,
                       aq_time time, bool own)
{
  aqdrop_captured_signal *s = signal_find(capture, signal);
  if (!s && (s = malloc(sizeof *s))) {
    if (!aq_map_put(&capture->by_signal, signal.handle, (uintptr_t)s)) {
      free(s);
      return;
    }
    s->next = capture->first_signal;
    capture->first_signal = s;
  }
  if (s) {
    s->signal = signal;
    s->value = value;
    s->since = time;
    s->own = own;
  }
}

void aqdrop_capture_signal_add(aqdrop_capture *capture, aq_signal signal,
                               int64_t value, aq_time time)
{
  pthread_mutex_lock(&capture->lock);
  signal_add(capture, signal, value, time, false);
  pthread_mutex_unlock(&capture->lock);
}

static void signal_drop(aqdrop_capture *capture, aq_signal signal)
{
  uint64_t found;
  if (!aq_map_remove(&capture->by_signal, signal.handle, &found))
    return;
  aqdrop_captured_signal **link = &capture->first_signal, *s;
  while ((uintptr_t)*link != found)
    link = &(*link)->next;
  s = *link;
  *link = s->next;
  free(s);
}

void aqdrop_capture_signal_drop(aqdrop_capture *capture, aq_signal signal)
{
  pthread_mutex_lock(&capture->lock);
  signal_drop(capture, signal);
  pthread_mutex_unlock(&capture->lock);
}

void aqdrop_capture_signals_fini(aqdrop_capture *capture)
{
  while (capture->first_signal)
    signal_drop(capture, capture->first_signal->signal);
  aq_map_fini(&capture->by_signal);
}

void aqdrop_capture_change(aqdrop_capture *capture, aq_signal signal,
                           aq_time time, bool done)
{
  pthread_mutex_lock(&capture->lock);
  aqdrop_captured_signal *s = signal_find(capture, signal);
  if (!done)
    capture->changing++;
  else if (--capture->changing, s) {
    value_read(signal, s->own, &s->value);
    s->since = time;
  }
  pthread_mutex_unlock(&capture->lock);
}

void aqdrop_capture_scan_locked(aqdrop_capture *capture, aq_time time)
{
  int64_t value;
  if (capture->changing > 0)
    return;
  for (aqdrop_captured_signal *s = capture->first_signal; s; s = s->next)
    if (value_read(s->signal, s->own, &value) && value != s->value) {
      s->value = value;
      /* The store came before the moment at which it was seen. */
      aqdrop_line line;
      s->since = aq_time_max(s->since, time - 1);
      aqdrop_line_begin(&line, "update", s->since);
      aqdrop_line_number(&line, "signal", (int64_t)s->signal.handle);
      aqdrop_line_number(&line, "op", AQ_UPDATE_EXCHANGE);
      aqdrop_line_number(&line, "operand", s->value);
      aqdrop_line_number(&line, "expected", 0);
      aqdrop_line_put(capture, &line);
    }
}

void aqdrop_capture_quiet_lock(aqdrop_capture *capture)
{
  pthread_mutex_lock(&capture->lock);
  for (int i = 0; i < YIELDS_MAX && capture->changing > 0; i++) {
    pthread_mutex_unlock(&capture->lock);
    sched_yield();
    pthread_mutex_lock(&capture->lock);
  }
}

void aqdrop_capture_refer_locked(aqdrop_capture *capture, aq_signal signal,
                                 aq_time time)
{
  aqdrop_line line;
  int64_t value;
  if (!signal.handle || signal_find(capture, signal) ||
      !value_read(signal, true, &value))
    return;
  signal_add(capture, signal, value, time, true);
  aqdrop_line_begin(&line, "signal", time);
  aqdrop_line_number(&line, "signal", (int64_t)signal.handle);
  aqdrop_line_number(&line, "value", value);
  aqdrop_line_number(&line, "flags", 0);
  aqdrop_line_put(capture, &line);
}
