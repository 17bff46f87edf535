/* SPDX-License-Identifier: MIT */
/* What context.c notes and context_put.c joins. Only they include this. */
#ifndef AQ_TRACE_IMPORT_CONTEXT_PRIV_H
#define AQ_TRACE_IMPORT_CONTEXT_PRIV_H

#include "trace/import/context.h"

#define AQ_CONTEXT_MAX      ((size_t)UINT32_MAX - 2)
#define AQ_CONTEXT_LANES    ((size_t)1 << 22)
#define AQ_CONTEXT_MODULE   UINT32_MAX
#define AQ_CONTEXT_FUNCTION (UINT32_MAX - 1)
#define AQ_CONTEXT_NO_NODE  UINT32_MAX

struct aq_context_span {
  /* ns of the source's clock, and ps behind it; in ps of the run from
   * spans_arrange() on. */
  int64_t begin;
  int64_t end; /* ps of its length; of the run from there on */
  uint32_t name;
  uint32_t lane : 22, begin_ps : 10;
  uint32_t what;  /* its op, or AQ_CONTEXT_MODULE or _FUNCTION */
  uint32_t place; /* in the order in which they came */
};

struct aq_context_op {
  int64_t sequence, external, forward_thread;
  int64_t arguments; /* id of the context's names, or -1 */
  int64_t number;    /* among the put ones, or -1 */
  int64_t parent;    /* number, or -1 */
  uint32_t span;     /* its span, set when it is put */
  uint32_t node;     /* frame of a forward op */
  bool annotation, forward;
  bool launches; /* or only allocates */
};

/* A row of the device; an allocation has -1 - its number as its row. */
struct aq_context_launch {
  int64_t row, at, pid, tid, device;
  uint32_t lane;
  uint32_t op;   /* index, or AQ_CONTEXT_NO_NODE */
  uint32_t node; /* frame, or AQ_CONTEXT_NO_NODE */
  bool backward;
};

/* A frame under another one. */
struct aq_context_node {
  uint32_t parent, name;
  bool module;
  int64_t number; /* among the put ones, or -1 */
};

/* The lane of a thread; lane_count: it has none. */
uint32_t aq_context_lane_find(const aq_context *context, int64_t pid,
                              int64_t tid, uint64_t *key);

#endif
