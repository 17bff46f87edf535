/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/forward_ops.h"

#include <stdlib.h>

#include "common/array.h"

void aq_forward_ops_fini(aq_forward_ops *forward)
{
  free(forward->ops);
  free(forward->threads);
}

static int op_order(const void *a, const void *b)
{
  const aq_forward_op *x = a, *y = b;
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  if (x->sequence != y->sequence)
    return x->sequence < y->sequence ? -1 : 1;
  if (x->lane != y->lane)
    return x->lane < y->lane ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static bool ops_collect(aq_context *c, aq_forward_ops *f)
{
  for (size_t i = 0; i < c->span_count; i++) {
    const aq_context_span *span = &c->spans[i];
    if (span->what >= AQ_CONTEXT_FUNCTION)
      continue;
    const aq_context_op *op = &c->ops[span->what];
    if (op->sequence == AQ_NONE || op->forward_thread != AQ_NONE ||
        op->annotation)
      continue;
    if (!AQ_ARRAY_PUSH(f->ops, f->count, f->capacity,
                       (aq_forward_op){c->lanes[span->lane].pid, op->sequence,
                                       span->lane, span->what, i}))
      return false;
  }
  if (f->count > 0)
    qsort(f->ops, f->count, sizeof *f->ops, op_order);
  size_t kept = 0;
  for (size_t i = 0; i < f->count; i++) {
    const aq_forward_op *next = i + 1 < f->count ? &f->ops[i + 1] : NULL;
    if (next && next->pid == f->ops[i].pid &&
        next->sequence == f->ops[i].sequence && next->lane == f->ops[i].lane)
      continue;
    c->ops[f->ops[i].op].forward = true;
    f->ops[kept++] = f->ops[i];
  }
  f->count = kept;
  return true;
}

/* The ops of a process with a sequence number; how many. */
static size_t ops_of(const aq_forward_ops *f, int64_t pid, int64_t sequence,
                     const aq_forward_op **first)
{
  size_t low = 0, high = f->count, count = 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const aq_forward_op *op = &f->ops[middle];
    if (op->pid < pid || (op->pid == pid && op->sequence < sequence))
      low = middle + 1;
    else
      high = middle;
  }
  *first = f->ops + low;
  while (low + count < f->count && f->ops[low + count].pid == pid &&
         f->ops[low + count].sequence == sequence)
    count++;
  return count;
}

/* ---- threads ---- */

static int thread_order(const void *a, const void *b)
{
  const aq_forward_thread *x = a, *y = b;
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  return x->lane < y->lane ? -1 : x->lane > y->lane;
}

static int claim_order(const void *a, const void *b)
{
  const aq_forward_thread *x = a, *y = b;
  if (x->lane != y->lane)
    return x->lane < y->lane ? -1 : 1;
  return x->votes > y->votes ? -1 : x->votes < y->votes;
}

/* One vote for each backward op whose number one thread alone has. */
static bool votes_collect(const aq_context *c, aq_forward_ops *f)
{
  for (size_t i = 0; i < c->span_count; i++) {
    const aq_context_span *span = &c->spans[i];
    const aq_forward_op *first;
    if (span->what >= AQ_CONTEXT_FUNCTION)
      continue;
    const aq_context_op *op = &c->ops[span->what];
    const int64_t pid = c->lanes[span->lane].pid;
    if (op->sequence == AQ_NONE || op->forward_thread == AQ_NONE ||
        ops_of(f, pid, op->sequence, &first) != 1)
      continue;
    if (!AQ_ARRAY_PUSH(
            f->threads, f->thread_count, f->thread_capacity,
            (aq_forward_thread){pid, op->forward_thread, first->lane, 1}))
      return false;
  }
  return true;
}

/* Adds up equal votes, and leaves of each id the thread with the most; none of
 * two with as many. */
static void votes_count(aq_forward_ops *f)
{
  aq_forward_thread *t = f->threads;
  size_t kept = 0;
  for (size_t i = 0, end; i < f->thread_count; i = end) {
    aq_forward_thread best = {0};
    bool tied = false;
    for (end = i; end < f->thread_count && t[end].pid == t[i].pid &&
                  t[end].id == t[i].id;) {
      aq_forward_thread one = t[end++];
      for (; end < f->thread_count && thread_order(&t[end], &one) == 0; end++)
        one.votes++;
      tied = one.votes == best.votes || (tied && one.votes < best.votes);
      if (one.votes > best.votes)
        best = one;
    }
    if (!tied)
      t[kept++] = best;
  }
  f->thread_count = kept;
}

/* Two ids are two threads: the one with the most votes has the lane. */
static void claims_settle(aq_forward_ops *f)
{
  aq_forward_thread *t = f->threads;
  size_t kept = 0;
  for (size_t i = 0, end; i < f->thread_count; i = end) {
    for (end = i + 1; end < f->thread_count && t[end].lane == t[i].lane;)
      end++;
    if (end == i + 1 || t[i].votes > t[i + 1].votes)
      t[kept++] = t[i];
  }
  f->thread_count = kept;
}

bool aq_forward_ops_find(aq_context *context, aq_forward_ops *out)
{
  *out = (aq_forward_ops){0};
  if (!ops_collect(context, out) || !votes_collect(context, out))
    return false;
  if (out->thread_count == 0)
    return true;
  qsort(out->threads, out->thread_count, sizeof *out->threads, thread_order);
  votes_count(out);
  qsort(out->threads, out->thread_count, sizeof *out->threads, claim_order);
  claims_settle(out);
  qsort(out->threads, out->thread_count, sizeof *out->threads, thread_order);
  return true;
}

/* The thread of an id; NULL: not known. */
static const aq_forward_thread *thread_of(const aq_forward_ops *f, int64_t pid,
                                          int64_t id)
{
  size_t low = 0, high = f->thread_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const aq_forward_thread *t = &f->threads[middle];
    if (t->pid < pid || (t->pid == pid && t->id < id))
      low = middle + 1;
    else
      high = middle;
  }
  return low < f->thread_count && f->threads[low].pid == pid &&
                 f->threads[low].id == id
             ? &f->threads[low]
             : NULL;
}

aq_forward_found aq_forward_op_of(const aq_forward_ops *forward, int64_t pid,
                                  const aq_context_op *backward, uint32_t *op)
{
  const aq_forward_op *first;
  const size_t count = ops_of(forward, pid, backward->sequence, &first);
  const aq_forward_thread *thread =
      thread_of(forward, pid, backward->forward_thread);
  for (size_t i = 0; thread && i < count; i++)
    if (first[i].lane == thread->lane) {
      *op = first[i].op;
      return AQ_FORWARD_FOUND;
    }
  return count ? AQ_FORWARD_UNCERTAIN : AQ_FORWARD_NONE;
}
