/* SPDX-License-Identifier: MIT */
/* From spans and rows to ops, frames and links. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/import/forward_ops.h"
#include "trace/import/import.h"

/* A sweep over a thread's time: the spans that are open at a moment. */
typedef struct sweep {
  aq_import *import;
  aq_context *c;
  size_t *open; /* spans, the innermost last */
  size_t depth, open_capacity;
  uint32_t *nodes; /* the frame of each open span, of the first `known` */
  size_t known, nodes_capacity;
  aq_map node_by_key;
  aq_context_node *tree;
  size_t node_count, tree_capacity;
  aq_forward_ops forward;
  uint32_t *order; /* the ops to put */
  size_t order_count, order_capacity;
  int64_t frames;     /* that were put */
  uint64_t launching; /* ops that launched something */
} sweep;

/* ---- order ---- */

static int span_order(const void *a, const void *b)
{
  const aq_context_span *x = a, *y = b;
  if (x->lane != y->lane)
    return x->lane < y->lane ? -1 : 1;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static int launch_order(const void *a, const void *b)
{
  const aq_context_launch *x = a, *y = b;
  if (x->lane != y->lane)
    return x->lane < y->lane ? -1 : 1;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

static int row_order(const void *a, const void *b)
{
  const aq_context_launch *x = a, *y = b;
  return x->row < y->row ? -1 : x->row > y->row;
}

/* The lanes of the rows; of a row without one, lane_count. */
static void lanes_set(aq_context *c)
{
  uint64_t key;
  for (size_t i = 0; i < c->launch_count; i++) {
    aq_context_launch *l = &c->launches[i];
    l->op = l->node = AQ_CONTEXT_NO_NODE;
    l->lane = (uint32_t)c->lane_count;
    if (l->at == AQ_TIME_NONE)
      continue;
    l->lane = aq_context_lane_find(c, l->pid, l->tid, &key);
  }
}

/* The times of a span on the clock of the run; false: far from all rows. */
static bool times_of_run(sweep *s, aq_context_span *span)
{
  const aq_tick begin = {span->begin, (int)span->begin_ps};
  if (aq_import_time_is_near(s->import, begin, &span->begin) &&
      !__builtin_add_overflow(span->begin, span->end, &span->end))
    return true;
  aq_import_stray(s->import, AQ_REPAIR_SKIPPED_OP, begin.ns,
                  aq_names_text(&s->c->names, span->name),
                  aq_names_length(&s->c->names, span->name));
  return false;
}

/* Spans of threads that launch, in times of the run, by thread and begin; equal
 * ones as they came. */
static bool spans_arrange(sweep *s)
{
  aq_context *c = s->c;
  bool *launches = calloc(c->lane_count + 1, sizeof *launches);
  if (!launches)
    return false;
  for (size_t i = 0; i < c->launch_count; i++)
    launches[c->launches[i].lane] = true;
  size_t kept = 0;
  for (size_t i = 0; i < c->span_count; i++) {
    aq_context_span span = c->spans[i];
    if (times_of_run(s, &span) && launches[span.lane])
      c->spans[kept++] = span;
  }
  c->span_count = kept;
  free(launches);
  size_t i = 1;
  while (i < kept && span_order(&c->spans[i - 1], &c->spans[i]) <= 0)
    i++;
  if (i < kept)
    qsort(c->spans, kept, sizeof *c->spans, span_order);
  return true;
}

/* ---- frames ---- */

/* The frame of a name under another; AQ_CONTEXT_NO_NODE: no memory. */
static uint32_t node_under(sweep *s, uint32_t parent,
                           const aq_context_span *span)
{
  const uint64_t key = (uint64_t)parent << 32 | span->name;
  uint64_t known;
  if (aq_map_get(&s->node_by_key, key, &known))
    return (uint32_t)known;
  if (!AQ_ARRAY_PUSH(s->tree, s->node_count, s->tree_capacity,
                     (aq_context_node){parent, span->name,
                                       span->what == AQ_CONTEXT_MODULE, -1}) ||
      !aq_map_put(&s->node_by_key, key, s->node_count - 1))
    return AQ_CONTEXT_NO_NODE;
  return (uint32_t)s->node_count - 1;
}

/* The frame of the open spans. */
static bool frame_now(sweep *s, uint32_t *out)
{
  if (!AQ_ARRAY_RESERVE(s->nodes, s->nodes_capacity, s->depth))
    return false;
  for (; s->known < s->depth; s->known++) {
    const aq_context_span *span = &s->c->spans[s->open[s->known]];
    uint32_t node = s->known ? s->nodes[s->known - 1] : AQ_CONTEXT_NO_NODE;
    if (span->what >= AQ_CONTEXT_FUNCTION) {
      node = node_under(s, node, span);
      if (node == AQ_CONTEXT_NO_NODE)
        return false;
    }
    s->nodes[s->known] = node;
  }
  *out = s->depth ? s->nodes[s->depth - 1] : AQ_CONTEXT_NO_NODE;
  return true;
}

/* ---- the sweep ---- */

static void close_until(sweep *s, int64_t at)
{
  size_t left = 0;
  for (size_t i = 0; i < s->depth; i++) {
    if (s->c->spans[s->open[i]].end <= at)
      continue;
    if (i != left)
      s->known = s->known < left ? s->known : left;
    s->open[left++] = s->open[i];
  }
  s->depth = left;
  s->known = s->known < left ? s->known : left;
}

/* Opens a span; one that the trace has twice is left out. */
static bool span_open(sweep *s, size_t i)
{
  aq_context *c = s->c;
  const aq_context_span *span = &c->spans[i];
  if (s->depth > 0 && c->spans[s->open[0]].lane != span->lane)
    s->depth = 0;
  while (s->depth > 0 && c->spans[s->open[s->depth - 1]].end <= span->begin)
    s->depth--;
  s->known = s->known < s->depth ? s->known : s->depth;
  const bool is_op = span->what < AQ_CONTEXT_FUNCTION;
  if (is_op && s->depth > 0) {
    const aq_context_span *around = &c->spans[s->open[s->depth - 1]];
    if (around->what < AQ_CONTEXT_FUNCTION && around->begin == span->begin &&
        around->end == span->end && around->name == span->name &&
        c->ops[around->what].external != AQ_NONE &&
        c->ops[around->what].external == c->ops[span->what].external) {
      aq_import_fault(s->import, AQ_REPAIR_REPEATED, "op",
                      aq_names_text(&c->names, span->name),
                      aq_names_length(&c->names, span->name));
      return !c->ops[span->what].forward ||
             frame_now(s, &c->ops[span->what].node);
    }
  }
  if (!AQ_ARRAY_PUSH(s->open, s->depth, s->open_capacity, i))
    return false;
  if (!is_op || !c->ops[span->what].forward)
    return true;
  close_until(s, span->begin);
  return frame_now(s, &c->ops[span->what].node);
}

/* Numbers the open ops, the outer ones first; the innermost goes to *out. */
static bool ops_number(sweep *s, bool launches, uint32_t *out,
                       const aq_context_op **backward)
{
  int64_t parent = -1;
  *out = AQ_CONTEXT_NO_NODE;
  *backward = NULL;
  for (size_t i = 0; i < s->depth; i++) {
    const uint32_t index = s->c->spans[s->open[i]].what;
    if (index >= AQ_CONTEXT_FUNCTION)
      continue;
    aq_context_op *op = &s->c->ops[index];
    if (op->number < 0) {
      op->span = (uint32_t)s->open[i];
      op->parent = parent;
      op->number = (int64_t)s->order_count;
      if (!AQ_ARRAY_PUSH(s->order, s->order_count, s->order_capacity, index))
        return false;
    }
    s->launching += launches && !op->launches;
    op->launches |= launches;
    parent = op->number;
    *out = index;
    if (op->forward_thread != AQ_NONE && op->sequence != AQ_NONE)
      *backward = op;
  }
  return true;
}

static bool launch_join(sweep *s, aq_context_launch *launch)
{
  const aq_context_op *backward;
  close_until(s, launch->at);
  const bool launches = launch->row >= 0;
  if (!ops_number(s, launches, &launch->op, &backward) ||
      (launches && !frame_now(s, &launch->node)))
    return false;
  uint32_t forward;
  if (!backward || !launches)
    return true;
  const aq_forward_found found = aq_forward_op_of(
      &s->forward, s->c->lanes[launch->lane].pid, backward, &forward);
  if (found == AQ_FORWARD_FOUND) {
    /* Its frame may come later, on another thread: resolved at the end. */
    launch->backward = true;
    launch->node = forward;
  } else if (found == AQ_FORWARD_UNCERTAIN) {
    const int64_t name = s->c->spans[backward->span].name;
    aq_import_fault(s->import, AQ_REPAIR_FORWARD_UNCERTAIN, "launch of",
                    aq_names_text(&s->c->names, name),
                    aq_names_length(&s->c->names, name));
  }
  return true;
}

static bool is_before(const aq_context_span *span,
                      const aq_context_launch *launch)
{
  return span->lane != launch->lane ? span->lane < launch->lane
                                    : span->begin <= launch->at;
}

static bool sweep_run(sweep *s)
{
  aq_context *c = s->c;
  size_t at = 0;
  for (size_t i = 0; i < c->launch_count; i++) {
    aq_context_launch *launch = &c->launches[i];
    if (launch->lane == c->lane_count)
      break;
    while (at < c->span_count && is_before(&c->spans[at], launch))
      if (!span_open(s, at++))
        return false;
    if (s->depth > 0 && c->spans[s->open[0]].lane != launch->lane)
      s->depth = s->known = 0;
    if (!launch_join(s, launch))
      return false;
  }
  for (; at < c->span_count; at++) /* forward ops behind the last launch */
    if (!span_open(s, at))
      return false;
  for (size_t i = 0; i < c->launch_count; i++)
    if (c->launches[i].backward) {
      c->launches[i].node = c->ops[c->launches[i].node].node;
      c->launches[i].backward = c->launches[i].node != AQ_CONTEXT_NO_NODE;
    }
  return true;
}

/* ---- putting ---- */

static int64_t or_none(int64_t value)
{
  return value < 0 ? AQ_NONE : value;
}

static aq_status name_put(sweep *s, int64_t local, int64_t *out)
{
  *out = AQ_NONE;
  return local < 0
             ? AQ_OK
             : aq_import_name(s->import, aq_names_text(&s->c->names, local),
                              aq_names_length(&s->c->names, local), out);
}

static aq_status op_put(sweep *s, const aq_context_op *op)
{
  aq_record_sink *sink = s->import->sink;
  const aq_context_span *span = &s->c->spans[op->span];
  const aq_context_lane *lane = &s->c->lanes[span->lane];
  aq_host_op put = {.kind = op->annotation ? AQ_HOST_OP_ANNOTATION
                                           : AQ_HOST_OP_OPERATOR,
                    .parent = or_none(op->parent),
                    .begins = span->begin,
                    .ends = span->end,
                    .pid = lane->pid,
                    .tid = lane->tid,
                    .sequence = op->sequence};
  aq_status status = name_put(s, span->name, &put.name);
  if (status == AQ_OK)
    status = name_put(s, op->arguments, &put.arguments);
  return status == AQ_OK ? sink->put_ops(sink, &put, 1, s->import->diag)
                         : status;
}

/* Puts a frame and those around it, the outer ones first; each once. */
static aq_status frame_put(sweep *s, uint32_t node)
{
  aq_record_sink *sink = s->import->sink;
  aq_status status = AQ_OK;
  for (;;) {
    uint32_t next = node;
    if (s->tree[node].number >= 0)
      return AQ_OK;
    while (s->tree[next].parent != AQ_CONTEXT_NO_NODE &&
           s->tree[s->tree[next].parent].number < 0)
      next = s->tree[next].parent;
    aq_context_node *one = &s->tree[next];
    aq_frame put = {.kind = one->module ? AQ_FRAME_MODULE : AQ_FRAME_FUNCTION,
                    .parent = one->parent == AQ_CONTEXT_NO_NODE
                                  ? AQ_NONE
                                  : s->tree[one->parent].number};
    one->number = s->frames++;
    status = name_put(s, one->name, &put.name);
    if (status == AQ_OK)
      status = sink->put_frames(sink, &put, 1, s->import->diag);
    if (status != AQ_OK || next == node)
      return status;
  }
}

static int64_t rank_of(const aq_context *c, int64_t device)
{
  if (device >= 0 && (size_t)device < c->rank_capacity && c->ranks[device] > 0)
    return c->ranks[device] - 1;
  return c->rank;
}

static aq_status launches_put(sweep *s)
{
  aq_context *c = s->c;
  aq_record_sink *sink = s->import->sink;
  aq_status status = AQ_OK;
  for (size_t i = 0; i < c->launch_count && status == AQ_OK; i++) {
    const aq_context_launch *l = &c->launches[i];
    if (l->row < 0) {
      if (l->op != AQ_CONTEXT_NO_NODE)
        s->import->memory.list[-1 - l->row].op = c->ops[l->op].number;
      continue;
    }
    aq_launched put = {.row = l->row,
                       .op = l->op == AQ_CONTEXT_NO_NODE ? AQ_NONE
                                                         : c->ops[l->op].number,
                       .frame = AQ_NONE,
                       .backward = l->backward ? 1 : AQ_NONE,
                       .rank = rank_of(c, l->device)};
    if (l->node != AQ_CONTEXT_NO_NODE) {
      status = frame_put(s, l->node);
      put.frame = s->tree[l->node].number;
    }
    s->import->result->in_ops += put.op != AQ_NONE;
    if (status == AQ_OK &&
        (put.op != AQ_NONE || put.frame != AQ_NONE || put.rank != AQ_NONE))
      status = sink->put_launched(sink, &put, 1, s->import->diag);
  }
  return status;
}

static aq_status join_and_put(sweep *s)
{
  aq_context *c = s->c;
  lanes_set(c);
  if (c->launch_count > 0)
    qsort(c->launches, c->launch_count, sizeof *c->launches, launch_order);
  if (!spans_arrange(s) || !aq_forward_ops_find(c, &s->forward) ||
      !sweep_run(s))
    return aq_diag_no_memory(s->import->diag);
  qsort(c->launches, c->launch_count, sizeof *c->launches, row_order);
  aq_status status = AQ_OK;
  for (size_t i = 0; i < s->order_count && status == AQ_OK; i++)
    status = op_put(s, &c->ops[s->order[i]]);
  if (status == AQ_OK)
    status = launches_put(s);
  s->import->result->ops = s->launching;
  s->import->result->frames = (uint64_t)s->frames;
  return status;
}

aq_status aq_context_put(aq_import *import)
{
  aq_context *c = &import->context;
  const aq_record_sink *sink = import->sink;
  if (!sink->put_ops || !sink->put_frames || !sink->put_launched ||
      c->launch_count == 0)
    return AQ_OK;
  sweep s = {.import = import, .c = c};
  aq_status status = join_and_put(&s);
  free(s.open);
  free(s.nodes);
  free(s.tree);
  free(s.order);
  aq_map_fini(&s.node_by_key);
  aq_forward_ops_fini(&s.forward);
  return status;
}
