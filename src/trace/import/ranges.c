/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/ranges.h"

#include <stdlib.h>

#include "common/array.h"
#include "trace/import/import.h"

void aq_ranges_fini(aq_ranges *ranges)
{
  free(ranges->list);
}

aq_status aq_ranges_add(aq_import *import, aq_range range, const char *text,
                        size_t length)
{
  aq_ranges *ranges = &import->ranges;
  aq_status status = aq_import_name(import, text, length, &range.name);
  if (status != AQ_OK)
    return status;
  return AQ_ARRAY_PUSH(ranges->list, ranges->count, ranges->capacity, range)
             ? AQ_OK
             : aq_diag_no_memory(import->diag);
}

static int tick_order(const aq_tick *a, const aq_tick *b)
{
  if (a->ns != b->ns)
    return a->ns < b->ns ? -1 : 1;
  return (a->ps > b->ps) - (a->ps < b->ps);
}

static int range_order(const void *a, const void *b)
{
  const aq_range *x = a, *y = b;
  const int begin = tick_order(&x->begin, &y->begin);
  const int end = tick_order(&y->end, &x->end);
  if (begin || end)
    return begin ? begin : end;
  if (x->tid != y->tid)
    return x->tid < y->tid ? -1 : 1;
  return (x->name > y->name) - (x->name < y->name);
}

/* Whether a range ends more than a day before the work of all devices, or
 * begins more than a day after it: its clock is another one. */
static bool is_elsewhere(const aq_import *import, const aq_record *row)
{
  const double day = 86400e9 * AQ_NS;
  return import->earliest != AQ_TIME_NONE &&
         ((double)import->earliest - (double)row->host_end > day ||
          (double)row->host_begin - (double)import->latest > day);
}

static aq_status range_put(aq_import *import, const aq_range *range)
{
  aq_record row;
  aq_record_init(&row);
  if (!aq_import_between(import, range->begin, range->end, &row.host_begin,
                         &row.host_end)) {
    aq_import_skip(import, "times of a range out of range", NULL, 0);
    return AQ_OK;
  }
  if (is_elsewhere(import, &row)) {
    import->stray = true;
    import->stray_ns = range->begin.ns;
    aq_import_skip(import, "range", NULL, 0);
    return AQ_OK;
  }
  row.kind = AQ_KIND_RANGE;
  row.flags = 0;
  row.name = range->name;
  row.pid = range->pid;
  row.tid = range->tid;
  return aq_import_put(import, &row);
}

aq_status aq_ranges_put(aq_import *import)
{
  aq_ranges *ranges = &import->ranges;
  aq_status status = AQ_OK;
  const aq_range *last = NULL;
  if (ranges->count > 0)
    qsort(ranges->list, ranges->count, sizeof *ranges->list, range_order);
  import->place.unit = NULL; /* the file was read to its end */
  for (size_t i = 0; i < ranges->count && status == AQ_OK; i++) {
    const aq_range *range = &ranges->list[i];
    /* Whether two neighbours are one, recorded twice. */
    if (last && range_order(last, range) == 0 && last->pid == range->pid &&
        tick_order(&last->begin, &last->end) != 0) {
      aq_import_fault(import, AQ_REPAIR_REPEATED, "range", NULL, 0);
      continue;
    }
    last = range;
    status = range_put(import, range);
  }
  return status;
}
