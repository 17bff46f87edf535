/* SPDX-License-Identifier: MIT */
/*
 * Shared by the two files of the capture: lines and the state of the transport
 * (capture.c), and the recording table (capture_transport.c). No other file
 * includes it.
 */
#ifndef AQDROP_CAPTURE_WRITER_H
#define AQDROP_CAPTURE_WRITER_H

#include <pthread.h>
#include <stdio.h>

#include "common/map.h"
#include "dropin/hsa/record/capture.h"

typedef struct aqdrop_captured_queue {
  struct aqdrop_captured_queue *next;
  const aq_ring *ring;
  uint32_t id, references;
  uint64_t reported; /* packets below */
} aqdrop_captured_queue;

typedef struct aqdrop_captured_kernel {
  struct aqdrop_captured_kernel *next;
  uint64_t object;
  uint32_t kernarg_size;
  char name[];
} aqdrop_captured_kernel;

/* A handler of a client, until it returns false or its signal is destroyed. */
typedef struct aqdrop_captured_handler {
  struct aqdrop_captured_handler *next;
  aq_transport *transport;
  aq_wait_item item;
  aq_signal_function *function;
  void *user;
  bool running; /* the one that runs frees it */
  bool dropped; /* atomic: the capture may be gone, too */
} aqdrop_captured_handler;

typedef struct aqdrop_captured_signal aqdrop_captured_signal;

struct aqdrop_capture {
  aq_transport_ops table; /* first: the transport's functions */
  const aq_transport_ops *inner;
  pthread_mutex_t lock; /* of the following */
  int fd;               /* -1: it has ended */
  aqdrop_captured_queue *queues;
  aqdrop_captured_kernel *first_kernel;
  aq_map kernels; /* the same, by object */
  aqdrop_captured_handler *handlers;
  aqdrop_captured_signal *first_signal;
  aq_map by_signal;  /* the same, by handle */
  uint32_t changing; /* signals that a call or the device changes just now */
};

/* A line as it is put together; it stays where it was begun. Numbers are
 * decimal, times ps. */
typedef struct aqdrop_line {
  FILE *to; /* NULL: there was no memory */
  char *text;
  size_t size;
} aqdrop_line;

void aqdrop_line_begin(aqdrop_line *line, const char *event, aq_time time);
void aqdrop_line_number(aqdrop_line *line, const char *key, int64_t value);
void aqdrop_line_hex(aqdrop_line *line, const char *key, const void *bytes,
                     size_t size);
void aqdrop_line_text(aqdrop_line *line, const char *key, const char *text);
void aqdrop_line_end(aqdrop_line *line, aqdrop_capture *capture);
void aqdrop_line_put(aqdrop_capture *capture, aqdrop_line *line); /* locked */

/* A doorbell is about to be rung. */
void aqdrop_capture_rung(aqdrop_capture *capture, const aq_ring *ring,
                         uint64_t id, aq_time time);

void aqdrop_capture_queue_add(aqdrop_capture *capture, const aq_ring *ring);
void aqdrop_capture_queue_drop(aqdrop_capture *capture, uint32_t id);
void aqdrop_capture_kernel_add(aqdrop_capture *capture, uint64_t object,
                               const aq_kernel_desc *desc);
void aqdrop_capture_kernel_drop(aqdrop_capture *capture, uint64_t object);

/* A call made a signal, or destroys it. */
void aqdrop_capture_signal_add(aqdrop_capture *capture, aq_signal signal,
                               int64_t value, aq_time time);
void aqdrop_capture_signal_drop(aqdrop_capture *capture, aq_signal signal);
void aqdrop_capture_signals_fini(aqdrop_capture *capture);

/* A call or the device is about to change a signal, and has (`done`). */
void aqdrop_capture_change(aqdrop_capture *capture, aq_signal signal,
                           aq_time time, bool done);

/* With the lock: captures the values that were stored without a call, unless
 * a signal is being changed; and a signal of the program's own. */
void aqdrop_capture_scan_locked(aqdrop_capture *capture, aq_time time);
void aqdrop_capture_refer_locked(aqdrop_capture *capture, aq_signal signal,
                                 aq_time time);

/* Takes the lock, at a moment when no signal is being changed if one comes
 * soon. The calling thread holds no lock of the transport. */
void aqdrop_capture_quiet_lock(aqdrop_capture *capture);

/* Forgets the handlers of a signal, or of all: one that runs is freed when it
 * returns. */
void aqdrop_capture_handlers_drop(aqdrop_capture *capture, aq_signal signal);

/* The table that records, and passes on to `inner`. */
void aqdrop_capture_table(const aq_transport_ops *inner,
                          aq_transport_ops *table);

#endif
