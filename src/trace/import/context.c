/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/context.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/import/context_priv.h"
#include "trace/import/import.h"

void aq_context_init(aq_context *context)
{
  *context = (aq_context){.rank = AQ_NONE};
}

void aq_context_fini(aq_context *context)
{
  aq_context *c = context;
  free(c->spans);
  free(c->ops);
  free(c->launches);
  free(c->lanes);
  free(c->ranks);
  aq_map_fini(&c->lane_by_key);
  aq_names_fini(&c->names);
}

/* ---- noting ---- */

uint32_t aq_context_lane_find(const aq_context *context, int64_t pid,
                              int64_t tid, uint64_t *key)
{
  const aq_context_lane *lanes = context->lanes;
  uint64_t known;
  *key = (uint64_t)pid * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)tid;
  for (; aq_map_get(&context->lane_by_key, *key, &known); ++*key)
    if (lanes[known].pid == pid && lanes[known].tid == tid)
      return (uint32_t)known;
  return (uint32_t)context->lane_count;
}

/* The lane of a thread, new or known; false: no memory. */
static bool lane_of(aq_context *c, int64_t pid, int64_t tid, uint32_t *out)
{
  uint64_t key;
  if (c->span_count > 0) {
    const uint32_t last = c->spans[c->span_count - 1].lane;
    if (c->lanes[last].pid == pid && c->lanes[last].tid == tid) {
      *out = last;
      return true;
    }
  }
  *out = aq_context_lane_find(c, pid, tid, &key);
  if (*out < c->lane_count)
    return true;
  return aq_map_put(&c->lane_by_key, key, c->lane_count) &&
         AQ_ARRAY_PUSH(c->lanes, c->lane_count, c->lane_capacity,
                       (aq_context_lane){pid, tid});
}

/* The begin and length of a span; false: not in range. Whether it is near the
 * rows is known when they have all been read. */
static bool times_of(const aq_span *span, aq_context_span *out)
{
  out->begin = span->begin.ns;
  out->begin_ps = (uint32_t)span->begin.ps & 1023;
  return span->length.ns >= 0 && span->length.ps >= 0 && span->begin.ns >= 0 &&
         span->begin.ps >= 0 &&
         !__builtin_mul_overflow(span->length.ns, INT64_C(1000), &out->end) &&
         !__builtin_add_overflow(out->end, span->length.ps, &out->end);
}

static bool op_add(aq_context *c, const aq_span *span, uint32_t *index)
{
  aq_context_op op = {.sequence = span->sequence,
                      .external = span->external,
                      .arguments = -1,
                      .number = -1,
                      .node = AQ_CONTEXT_NO_NODE,
                      .annotation = span->kind == AQ_SPAN_ANNOTATION,
                      .forward_thread = span->forward_thread};
  if (span->arguments_length > 0) {
    op.arguments =
        aq_names_id(&c->names, span->arguments, span->arguments_length);
    if (op.arguments < 0)
      return false;
  }
  *index = (uint32_t)c->op_count;
  return AQ_ARRAY_PUSH(c->ops, c->op_count, c->op_capacity, op);
}

aq_status aq_context_span_add(aq_import *import, const aq_span *span)
{
  aq_context *c = &import->context;
  aq_context_span kept;
  uint32_t lane;
  if (!times_of(span, &kept)) {
    aq_import_fault(import, AQ_REPAIR_SKIPPED_OP, "ts or dur out of range",
                    span->name, span->name_length);
    return AQ_OK;
  }
  const int64_t name = aq_names_id(&c->names, span->name, span->name_length);
  const bool is_op =
      span->kind == AQ_SPAN_OPERATOR || span->kind == AQ_SPAN_ANNOTATION;
  kept.what =
      span->kind == AQ_SPAN_MODULE ? AQ_CONTEXT_MODULE : AQ_CONTEXT_FUNCTION;
  if (name < 0 || c->span_count >= AQ_CONTEXT_MAX ||
      !lane_of(c, span->pid, span->tid, &lane) || lane >= AQ_CONTEXT_LANES ||
      (is_op && !op_add(c, span, &kept.what)))
    return aq_diag_no_memory(import->diag);
  kept.name = (uint32_t)name;
  kept.lane = lane & (AQ_CONTEXT_LANES - 1);
  kept.place = (uint32_t)c->span_count;
  return AQ_ARRAY_PUSH(c->spans, c->span_count, c->span_capacity, kept)
             ? AQ_OK
             : aq_diag_no_memory(import->diag);
}

aq_status aq_context_rank_set(aq_import *import, int64_t device, int64_t rank)
{
  aq_context *c = &import->context;
  if (!AQ_ARRAY_RESERVE_ZEROED(c->ranks, c->rank_capacity, device + 1))
    return aq_diag_no_memory(import->diag);
  c->ranks[device] = rank + 1;
  return AQ_OK;
}

aq_status aq_context_row(aq_import *import, const aq_record *row,
                         int64_t number)
{
  aq_context *c = &import->context;
  if (row->kind != AQ_KIND_KERNEL && row->kind != AQ_KIND_COPY &&
      row->kind != AQ_KIND_FILL)
    return AQ_OK;
  return AQ_ARRAY_PUSH(c->launches, c->launch_count, c->launch_capacity,
                       (aq_context_launch){.row = number,
                                           .at = row->host_begin,
                                           .pid = row->pid,
                                           .tid = row->tid,
                                           .device = row->device})
             ? AQ_OK
             : aq_diag_no_memory(import->diag);
}

aq_status aq_context_block_add(aq_import *import, size_t number, aq_time at,
                               int64_t pid, int64_t tid)
{
  aq_context *c = &import->context;
  return AQ_ARRAY_PUSH(c->launches, c->launch_count, c->launch_capacity,
                       (aq_context_launch){.row = -1 - (int64_t)number,
                                           .at = at,
                                           .pid = pid,
                                           .tid = tid,
                                           .device = AQ_NONE})
             ? AQ_OK
             : aq_diag_no_memory(import->diag);
}
