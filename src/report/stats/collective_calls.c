/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/collective_calls.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"

bool aq_collective_calls_add(const aq_dispatches *dispatches, int64_t rank,
                             aq_names *operations, aq_collective_calls *out)
{
  const aq_dispatches *d = dispatches;
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    const int64_t of = rank != AQ_NONE ? rank : row->rank;
    char *text;
    if (row->collective == AQ_NONE || of == AQ_NONE)
      continue;
    const int length = asprintf(&text, "%s, group %s",
                                aq_names_text(&d->texts, row->collective),
                                aq_names_text(&d->texts, row->group));
    if (length < 0)
      return false;
    const int64_t operation = aq_names_id(operations, text, (size_t)length);
    free(text);
    if (operation < 0 ||
        !AQ_ARRAY_PUSH(
            out->list, out->count, out->capacity,
            (aq_collective_call){operation, of, i, row->start, row->end, 0}))
      return false;
  }
  return true;
}

/* As long as each `nth` is 0, by operation, rank and start. */
static int call_order(const void *a, const void *b)
{
  const aq_collective_call *x = a, *y = b;
  if (x->operation != y->operation)
    return x->operation < y->operation ? -1 : 1;
  if (x->nth != y->nth)
    return x->nth < y->nth ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

void aq_collective_calls_match(aq_collective_calls *calls)
{
  aq_collective_call *list = calls->list;
  if (calls->count == 0)
    return;
  qsort(list, calls->count, sizeof *list, call_order);
  for (size_t i = 1; i < calls->count; i++)
    if (list[i].operation == list[i - 1].operation &&
        list[i].rank == list[i - 1].rank)
      list[i].nth = list[i - 1].nth + 1;
  qsort(list, calls->count, sizeof *list, call_order);
}

size_t aq_collective_end(const aq_collective_calls *calls, size_t at)
{
  const aq_collective_call *first = &calls->list[at];
  while (++at < calls->count && calls->list[at].operation == first->operation &&
         calls->list[at].nth == first->nth)
    ;
  return at;
}

size_t aq_collective_operation_end(const aq_collective_calls *calls, size_t at)
{
  const int64_t operation = calls->list[at].operation;
  while (++at < calls->count && calls->list[at].operation == operation)
    ;
  return at;
}
