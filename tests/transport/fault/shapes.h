/* SPDX-License-Identifier: MIT */
/*
 * Three small programs that faults are injected into: one queue, a barrier
 * across two queues, and a ring that is full all the time. Queue `shape.queue`
 * is the one that faults concern; each has a barrier packet and, at its end, a
 * copy that waits for the last packet.
 */
#ifndef AQ_TESTS_WRAP_SHAPES_H
#define AQ_TESTS_WRAP_SHAPES_H

#include "transport/fault/faulty.h"

typedef enum shape_kind {
  SHAPE_ONE_QUEUE,
  SHAPE_CROSS_QUEUE,
  SHAPE_FULL_RING,
  SHAPES
} shape_kind;

enum { SHAPE_PACKETS = 300, SHAPE_RING = 64 };

typedef struct shape {
  shape_kind kind;
  faulty f;
  aq_ring *queues[2];
  uint64_t kernel;
  aq_signal signals[SHAPE_PACKETS]; /* one a packet, at first 1 */
  aq_ring *on[SHAPE_PACKETS];
  uint64_t ids[SHAPE_PACKETS];
  uint32_t packets; /* submitted */
  uint32_t calls;   /* of the kernel's host function */
  aq_signal copied; /* of the copy, 0: not submitted */
  char from[64], to[64];
  uint32_t errors; /* calls of the callback, and the last one */
  aq_queue_error error;
  aq_packet error_packet;
  char error_text[256];
  aq_status status; /* how it ended; the words are in f.rig.diag */
} shape;

/* The queue and the last packet and doorbell of it that faults can concern. */
uint32_t shape_queue(shape_kind kind);
uint64_t shape_last(shape_kind kind);

/* Opens a stack, runs the program to its end and lets all happen that still
 * can. Fails the test if a packet completes twice, is recorded twice, is
 * recorded but not complete, or the other way round. */
void shape_run(shape *s, shape_kind kind, const char *names,
               const char *schedule, const aq_device_hooks *hooks);
void shape_close(shape *s);

#endif
