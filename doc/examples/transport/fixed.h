/* SPDX-License-Identifier: MIT */
/*
 * "fixed": a transport as a plug-in. Every packet and every copy takes the same
 * time, in virtual time; a queue serves its packets one after the other.
 *
 * fixed.c has the table and the operations that take no time, queues.c the life
 * of queues, engine.c packets, copies and time. One thread drives it.
 */
#ifndef FIXED_H
#define FIXED_H

#include <aqueduct/transport.h>

typedef struct fixed fixed;

typedef struct fixed_signal {
  aq_amd_signal abi; /* first: the handle is its address */
  uint32_t flags;    /* aq_signal_flag */
  uint64_t user;
  aq_time start, end; /* of the packet or copy that decremented it last */
  struct fixed_signal *next, *previous;
} fixed_signal;

typedef struct fixed_kernel {
  aq_kernel_desc desc;
  char *name;
  int64_t record_name; /* id in the record sink, or AQ_NONE */
  struct fixed_kernel *next;
} fixed_kernel;

typedef struct fixed_block {
  struct fixed_block *next, *previous;
  _Alignas(64) unsigned char bytes[];
} fixed_block;

typedef struct fixed_locked {
  struct fixed_locked *next;
  void *address;
} fixed_locked;

typedef struct fixed_queue {
  aq_ring ring; /* first: what clients hold */
  uint64_t write_index, read_index, doorbell;
  aq_queue_desc desc;
  int64_t record;     /* ordinal in the record sink, or AQ_NONE */
  bool stopped, busy; /* by an error; the packet in turn runs */
  bool destroyed;     /* from inside a callback: freed later */
  uint32_t zeros;     /* dependencies of the barrier in turn that
                         were seen at 0 */
  uint64_t seen;      /* packets before it have a submit time */
  aq_time *submitted; /* by slot */
  aq_time start, end; /* of the packet in turn */
  struct fixed_queue *next;
} fixed_queue;

typedef struct fixed_copy {
  void *to;
  const void *from;
  size_t size;
  aq_copy_box box; /* width 0: one run of bytes */
  aq_signal completion;
  bool busy;
  aq_time submit, start, end;
  struct fixed_copy *next;
  uint32_t count;
  aq_signal dependencies[];
} fixed_copy;

struct fixed {
  aq_transport base; /* first */
  aq_time now, takes;
  aq_record_sink *records;
  int64_t record_device;
  fixed_signal signals; /* ends of a list */
  fixed_block blocks;   /* the same */
  fixed_locked *locked;
  fixed_kernel *kernels;
  fixed_queue *queues; /* in the order of creation */
  fixed_copy *copies;
  uint32_t queues_created;
  unsigned depth; /* of callbacks: time may not be moved inside */
  aq_completion *done;
  size_t done_first, done_count, done_capacity;
  aq_diag failure; /* of the record sink, or of memory */
};

static inline fixed *fixed_from(aq_transport *t)
{
  return (fixed *)t;
}

static inline fixed_signal *signal_from(aq_signal signal)
{
  return (fixed_signal *)(uintptr_t)signal.handle;
}

enum { FIXED_QUEUE_MIN = 2, FIXED_QUEUE_MAX = 1 << 16, FIXED_QUEUES = 1024 };

/* ---- fixed.c ---- */

/* Adds to a signal and returns the value before; decrements of drain signals
 * are noted. */
int64_t fixed_signal_change(fixed *f, fixed_signal *signal, int64_t value);

/* ---- engine.c and queues.c: operations of the table ---- */

/* Whatever can start now does; called whenever a signal has changed. */
void fixed_start_all(fixed *f);

aq_status fixed_queue_create(aq_transport *t, const aq_queue_desc *desc,
                             aq_ring **out, aq_diag *diag);
void fixed_queue_destroy(aq_transport *t, aq_ring *ring);
void fixed_queue_doorbell(aq_transport *t, aq_ring *ring, uint64_t id);
aq_status fixed_queue_wait_space(aq_transport *t, aq_ring *ring, uint32_t count,
                                 aq_time deadline, aq_diag *diag);
aq_status fixed_queue_control(aq_transport *t, aq_ring *ring,
                              aq_queue_control control,
                              const aq_queue_control_args *args, aq_diag *diag);
aq_status fixed_copy_async(aq_transport *t, uint32_t device, void *to,
                           const void *from, size_t size,
                           const aq_signal *dependencies, uint32_t count,
                           aq_signal completion, aq_diag *diag);
aq_status fixed_copy_submit(aq_transport *t, const aq_copy_desc *desc,
                            aq_diag *diag);
uint32_t fixed_copy_engines_idle(aq_transport *t, uint32_t device);
aq_status fixed_wait(aq_transport *t, const aq_wait_request *request,
                     aq_wait_result *out, aq_diag *diag);
aq_status fixed_sleep_until(aq_transport *t, aq_time until, bool wake,
                            aq_diag *diag);

/* ---- queues.c ---- */

/* Frees the queues that are destroyed, outside of callbacks. */
void fixed_queues_sweep(fixed *f);

/* ---- engine.c ---- */

/* Frees queues and copies. */
void fixed_engine_close(fixed *f);

#endif
