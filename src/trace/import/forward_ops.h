/* SPDX-License-Identifier: MIT */
/*
 * The forward op of each backward op. Both have a sequence number, which each
 * thread counts for itself, and a backward op has the source's id of its
 * forward op's thread. Nothing states which thread of the trace that id means:
 * it is the one that most backward ops of the id point to whose sequence number
 * is one thread's alone. A backward op whose number that thread lacks, or of an
 * id without such a thread, has no certain forward op. One thread at a time.
 */
#ifndef AQ_TRACE_IMPORT_FORWARD_OPS_H
#define AQ_TRACE_IMPORT_FORWARD_OPS_H

#include "trace/import/context_priv.h"

/* Ops with a sequence number: of each thread and number the last one to begin,
 * since those around it have the number too. */
typedef struct aq_forward_op {
  int64_t pid, sequence;
  uint32_t lane, op; /* indices in the context */
  size_t place;      /* of its span */
} aq_forward_op;

/* The thread that backward ops mean by an id. */
typedef struct aq_forward_thread {
  int64_t pid, id;
  uint32_t lane;
  size_t votes;
} aq_forward_thread;

typedef struct aq_forward_ops {
  aq_forward_op *ops; /* by process, sequence and lane */
  size_t count, capacity;
  aq_forward_thread *threads; /* by process and id */
  size_t thread_count, thread_capacity;
} aq_forward_ops;

typedef enum aq_forward_found {
  AQ_FORWARD_NONE,      /* no op has the number */
  AQ_FORWARD_UNCERTAIN, /* several do, or one of another thread */
  AQ_FORWARD_FOUND,
} aq_forward_found;

/* Finds the forward ops of spans in the order of lanes and begins, and marks
 * them. False: no memory. The caller ends it in any case. */
bool aq_forward_ops_find(aq_context *context, aq_forward_ops *out);
void aq_forward_ops_fini(aq_forward_ops *forward);

/* The forward op of a backward one of a process; its index goes to *op. */
aq_forward_found aq_forward_op_of(const aq_forward_ops *forward, int64_t pid,
                                  const aq_context_op *backward, uint32_t *op);

#endif
