/* SPDX-License-Identifier: MIT */
/*
 * The ground of tests of the host queue: a transport in one of its modes, a
 * context whose queues wait in one way, and a kernel whose effect shows the
 * order of its dispatches. Everything fails the test when it does not work.
 */
#ifndef AQ_TESTS_QUEUE_GROUND_H
#define AQ_TESTS_QUEUE_GROUND_H

#include <pthread.h>

#include "cmdbuf/builder.h"
#include "queue/queue.h"
#include "support/aqtest.h"

/* One that the suite runs on. */
typedef struct ground_kind {
  const char *label;
  const char *transport; /* as users name it */
  aq_time_mode mode;
  aq_edge_way way;
  const char *device; /* model; NULL: the default */
  bool strict;        /* the host cannot touch memory of devices */
} ground_kind;

extern const ground_kind ground_kinds[];
extern const unsigned ground_kind_count;

typedef struct ground {
  const ground_kind *kind;
  struct aq_transport_stack *stack;
  aq_transport *t;
  const aq_transport_ops *ops;
  aq_transport_info info;
  aq_context *context;
  pthread_mutex_t event_lock; /* no event reaches a context that goes */
  uint64_t kernel;            /* object of the step kernel */
  aq_diag diag;
} ground;

/* Arguments of the step kernel: *cell = *cell × 31 + value. */
typedef struct ground_step {
  uint64_t *cell;
  uint64_t value;
} ground_step;

static inline uint64_t ground_stepped(uint64_t cell, uint64_t value)
{
  return cell * 31 + value;
}

/* edits and hooks may be NULL. */
void ground_open(ground *g, const ground_kind *kind, const char *const *edits,
                 const aq_device_hooks *hooks);
/* Rows of the transport, if it makes some, and of operations go to a sink. */
void ground_open_recorded(ground *g, const ground_kind *kind,
                          aq_record_sink *records);
void ground_close(ground *g);

aq_queue *ground_queue(ground *g, const aq_queue_options *options);
aq_semaphore *ground_semaphore(ground *g, uint64_t value);

/* A dispatch of the step kernel; sync may be NULL. */
aq_status ground_dispatch(ground *g, aq_queue *queue, const aq_sync *sync,
                          uint64_t *cell, uint64_t value);

/* A command buffer of steps 0, 1, 2… of the cell in slot 0. */
aq_link *ground_steps_link(ground *g, uint64_t steps, aq_builder **builder);

/* Moves bytes to or from memory of a device, which the host may not touch. */
void ground_move(ground *g, void *to, const void *from, size_t size);
static inline bool ground_hides(const ground *g)
{
  return g->info.devices[0].memory_hidden;
}

/* Waits until a semaphore has reached a value. */
void ground_wait(ground *g, aq_semaphore *semaphore, uint64_t value);

/* sync of one wait and one signal; a NULL semaphore: none. */
typedef struct ground_sync {
  aq_point wait, signal;
  aq_sync sync;
} ground_sync;
aq_sync *ground_sync_make(ground_sync *s, aq_semaphore *wait,
                          uint64_t wait_value, aq_semaphore *signal,
                          uint64_t signal_value);

#define ck_assert_ok(g, call) ck_assert_status((call), AQ_OK, &(g)->diag)

/* A case that runs on every ground. */
typedef struct ground_case {
  const char *name;
  void (*run)(ground *g);
} ground_case;

#define GROUND_CASE(name)                                                      \
  {                                                                            \
#name, name                                                                \
  }

/* Runs each case on each ground as a test of its own, "GROUND: CASE"; returns
 * main()'s exit code. The cases stay. */
int ground_main(const char *suite, const ground_case *cases, size_t count);

#endif
