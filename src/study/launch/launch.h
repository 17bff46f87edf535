/* SPDX-License-Identifier: MIT */
/*
 * Dispatches of one kernel, one after the other on a queue of their own: what
 * `aqueduct launch` does, on any transport. One thread.
 */
#ifndef AQ_STUDY_LAUNCH_LAUNCH_H
#define AQ_STUDY_LAUNCH_LAUNCH_H

#include <pthread.h>

#include "common/diag.h"
#include "common/record.h"
#include "common/transport.h"

enum { AQ_LAUNCH_FAULT_SIZE = 1024 };

/* Memory faults of the transport, which stop a queue without its error
 * callback. Initialised with PTHREAD_MUTEX_INITIALIZER and zeros. */
typedef struct aq_launch_faults {
  pthread_mutex_t lock;
  aq_transport *t;                 /* NULL: no dispatch waits */
  aq_signal done;                  /* of the dispatch that waits */
  char text[AQ_LAUNCH_FAULT_SIZE]; /* the first one, or "" */
} aq_launch_faults;

/* For aq_transport_options.event; `user` is an aq_launch_faults. */
void aq_launch_fault_read(const aq_system_event *event, void *user);

typedef struct aq_launch {
  const char *name; /* of the kernel, for its record */
  uint32_t device;
  aq_kernel_info kernel;
  uint32_t grid[3];      /* work-items, at least 1 each */
  uint16_t workgroup[3]; /* work-items, at least 1 each */
  uint32_t lds;          /* bytes of group segment besides the kernel's own */
  void *kernarg;         /* memory of the transport, or NULL: no arguments */
  aq_launch_faults *faults; /* that the transport's events reach, or NULL */
} aq_launch;

/* In the transport's time; AQ_TIME_NONE where it is not known. */
typedef struct aq_launch_times {
  aq_time submit, start, end, observed;
} aq_launch_times;

/* Dispatches it `count` times, at least once, each when the one before it has
 * ended, and puts the times of each into `out`. A stop of the queue is the
 * error. On a transport that measures, their records go into the sink (or
 * NULL). `*ended`, unless NULL, counts the launches that have ended,
 * atomically. */
aq_status aq_launch_run(aq_transport *t, const aq_launch *launch,
                        uint32_t count, aq_record_sink *sink,
                        aq_launch_times *out, uint32_t *ended, aq_diag *diag);

#endif
