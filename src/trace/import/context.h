/* SPDX-License-Identifier: MIT */
/*
 * The program around launches: spans of host threads (operators, annotations,
 * call frames) become the ops and frames of a run that launched work of the
 * device, with a link from each row (common/ops.h). Spans come in any order,
 * rows before or behind them; all is put at the end of the import.
 *
 * A row is in a span if the call that launched it began in the span, on the
 * same thread. Work of a backward operator has the frame of the forward one
 * with its sequence number (forward_ops.h).
 *
 * Memory: to the end of the import 32 bytes a span, 72 more an op, 32 a row,
 * and each different text once; of these, only what launched something is put.
 * Thread rule: one thread at a time per import.
 */
#ifndef AQ_TRACE_IMPORT_CONTEXT_H
#define AQ_TRACE_IMPORT_CONTEXT_H

#include "common/diag.h"
#include "common/map.h"
#include "common/record.h"
#include "trace/import/decimal.h"

struct aq_import;

typedef enum aq_span_kind {
  AQ_SPAN_OPERATOR,
  AQ_SPAN_ANNOTATION,
  AQ_SPAN_FUNCTION,
  AQ_SPAN_MODULE,
} aq_span_kind;

/* Texts are borrowed for the call. */
typedef struct aq_span {
  aq_span_kind kind;
  aq_tick begin, length; /* of the source's clock */
  int64_t pid, tid;
  const char *name;
  size_t name_length;
  /* Of operators: */
  int64_t external;       /* the source's id, or AQ_NONE */
  int64_t sequence;       /* autograd's, or AQ_NONE */
  int64_t forward_thread; /* of a backward op, whose sequence is that of its
                             forward op: the source's id of that one's thread;
                             AQ_NONE: no backward op */
  const char *arguments;
  size_t arguments_length; /* 0: none */
} aq_span;

typedef struct aq_context_span aq_context_span;
typedef struct aq_context_op aq_context_op;
typedef struct aq_context_launch aq_context_launch;
typedef struct aq_context_node aq_context_node;
typedef struct aq_context_lane {
  int64_t pid, tid;
} aq_context_lane;

typedef struct aq_context {
  bool active; /* the source may have spans: rows are noted */
  aq_context_span *spans;
  size_t span_count, span_capacity;
  aq_context_op *ops;
  size_t op_count, op_capacity;
  aq_context_launch *launches;
  size_t launch_count, launch_capacity;
  aq_context_lane *lanes;
  size_t lane_count, lane_capacity;
  aq_map lane_by_key;
  aq_names names;
  int64_t rank;   /* of devices that `ranks` lacks; AQ_NONE: not known */
  int64_t *ranks; /* by device, plus 1; 0: not known */
  size_t rank_capacity;
} aq_context;

void aq_context_init(aq_context *context);
void aq_context_fini(aq_context *context);

/* Notes a span. */
aq_status aq_context_span_add(struct aq_import *import, const aq_span *span);

/* Notes the rank of a device's process. */
aq_status aq_context_rank_set(struct aq_import *import, int64_t device,
                              int64_t rank);

/* Notes a row of the device, with the number that it is put under. */
aq_status aq_context_row(struct aq_import *import, const aq_record *row,
                         int64_t number);

/* Notes an allocation of import->memory, whose op is set by the put. */
aq_status aq_context_block_add(struct aq_import *import, size_t number,
                               aq_time at, int64_t pid, int64_t tid);

/* Puts ops, frames and links, and counts them in the import's result. */
aq_status aq_context_put(struct aq_import *import);

#endif
