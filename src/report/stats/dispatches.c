/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/dispatches.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "gpu/duration/kernel_class.h"
#include "report/stats/launch_ranges.h"
#include "report/stats/part_spans.h"

enum { BATCH = 512 };

/* The fields that are read, in any order. */
#define FIELDS(F)                                                              \
  F(kind)                                                                      \
  F(via)                                                                       \
  F(flags)                                                                     \
  F(origin)                                                                    \
  F(name)                                                                      \
  F(correlation)                                                               \
  F(device)                                                                    \
  F(queue)                                                                     \
  F(stream)                                                                    \
  F(pid)                                                                       \
  F(tid)                                                                       \
  F(grid_x)                                                                    \
  F(grid_y)                                                                    \
  F(grid_z)                                                                    \
  F(wg_x)                                                                      \
  F(wg_y)                                                                      \
  F(wg_z)                                                                      \
  F(bytes)                                                                     \
  F(host_begin)                                                                \
  F(host_end)                                                                  \
  F(submit)                                                                    \
  F(fetch)                                                                     \
  F(launch)                                                                    \
  F(start)                                                                     \
  F(end)                                                                       \
  F(complete)

/* The fields read of a row, and no more: a field that the reader is not asked
 * for would silently be unknown. */
typedef struct seen {
#define F(field) int64_t field;
  FIELDS(F)
#undef F
} seen;

static uint64_t fields_read(void)
{
#define F(field) | UINT64_C(1) << AQ_RECORD_FIELD_##field
  return 0 FIELDS(F);
#undef F
}

static seen seen_of(const aq_record *row)
{
  return (seen){
#define F(field) .field = row->field,
      FIELDS(F)
#undef F
  };
}

static int64_t items_over(int64_t grid, int64_t group)
{
  return grid == AQ_NONE || group == AQ_NONE || group <= 0
             ? AQ_NONE
             : grid / group + (grid % group != 0);
}

static int64_t workgroups_of(const seen *row)
{
  const int64_t x = items_over(row->grid_x, row->wg_x);
  const int64_t y = items_over(row->grid_y, row->wg_y);
  const int64_t z = items_over(row->grid_z, row->wg_z);
  int64_t product;
  if (x == AQ_NONE || y == AQ_NONE || z == AQ_NONE ||
      __builtin_mul_overflow(x, y, &product) ||
      __builtin_mul_overflow(product, z, &product))
    return AQ_NONE;
  return product;
}

static aq_dispatch_row dispatch_of(const seen *row, int64_t number)
{
  return (aq_dispatch_row){
      .number = number,
      .origin = row->origin,
      .correlation = row->correlation,
      .kind = row->kind,
      .via = row->via,
      .flags = row->flags == AQ_NONE ? 0 : row->flags,
      .name = row->name,
      .device = row->device,
      .queue = row->queue,
      .stream = row->stream,
      .pid = row->pid,
      .tid = row->tid,
      .bytes = row->bytes,
      .workgroups = row->kind == AQ_KIND_KERNEL ? workgroups_of(row) : AQ_NONE,
      .host_begin = row->host_begin,
      .host_end = row->host_end,
      .submit = row->submit,
      .fetch = row->fetch,
      .launch = row->launch,
      .start = row->start,
      .end = row->end,
      .complete = row->complete,
      .submission = row->submit == AQ_TIME_NONE ? row->host_end : row->submit,
      .gap = AQ_NONE,
      .range = AQ_NONE,
      .op = AQ_NONE,
      .op_name = AQ_NONE,
      .module = AQ_NONE,
      .line = AQ_NONE,
      .stack = AQ_NONE,
      .path = AQ_NONE,
      .step = AQ_NONE,
      .rank = AQ_NONE,
      .work = AQ_NONE,
      .shape = AQ_NONE,
      .family = AQ_NONE,
      .collective = AQ_NONE,
      .group = AQ_NONE,
      .group_size = AQ_NONE,
  };
}

/* The rows of one kind or the other, as they come. */
typedef struct row_list {
  aq_dispatch_row *rows;
  size_t count, capacity;
} row_list;

/* Rows that are not wanted are not kept. */
typedef struct reading {
  aq_dispatches d;
  row_list dispatches, operations;
  bool want_dispatches, want_operations;
} reading;

/* A row that started and has no end is lost from there on. */
static bool list_add(reading *r, row_list *list, bool wanted, const seen *row,
                     int64_t number)
{
  if (!wanted || row->start == AQ_TIME_NONE)
    return true;
  if (row->end == AQ_TIME_NONE)
    return AQ_ARRAY_PUSH(r->d.lost, r->d.lost_count, r->d.lost_capacity,
                         (aq_lost_call){row->start, row->pid, true});
  return AQ_ARRAY_PUSH(list->rows, list->count, list->capacity,
                       dispatch_of(row, number));
}

static bool add_row(reading *r, const seen *row, int64_t number)
{
  aq_dispatches *d = &r->d;
  switch (row->kind) {
  case AQ_KIND_KERNEL:
  case AQ_KIND_COPY:
  case AQ_KIND_FILL:
    return list_add(r, &r->dispatches, r->want_dispatches, row, number);
  case AQ_KIND_OPERATION:
    return list_add(r, &r->operations, r->want_operations, row, number);
  case AQ_KIND_RANGE:
    return AQ_ARRAY_PUSH(d->ranges, d->range_count, d->range_capacity,
                         dispatch_of(row, number));
  case AQ_KIND_WAIT:
    if (row->host_begin == AQ_TIME_NONE || row->host_end == AQ_TIME_NONE)
      return true;
    return AQ_ARRAY_PUSH(
        d->waits, d->wait_count, d->wait_capacity,
        (aq_host_wait){row->host_begin, row->host_end, row->pid, row->tid});
  case AQ_KIND_CALL:
    if (row->flags == AQ_NONE || !(row->flags & AQ_FLAG_LOST) ||
        row->host_begin == AQ_TIME_NONE)
      return true;
    return AQ_ARRAY_PUSH(d->lost, d->lost_count, d->lost_capacity,
                         (aq_lost_call){row->host_begin, row->pid, false});
  default:
    return true;
  }
}

static int lost_order(const void *a, const void *b)
{
  const aq_lost_call *x = a, *y = b;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

static int wait_order(const void *a, const void *b)
{
  const aq_host_wait *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

static int row_order(const void *a, const void *b)
{
  const aq_dispatch_row *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static int operation_order(const void *a, const void *b)
{
  const aq_dispatch_row *x = a, *y = b;
  if (x->correlation != y->correlation)
    return x->correlation < y->correlation ? -1 : 1;
  return row_order(a, b);
}

/* Most runs are nearly sorted. */
static void rows_sort(aq_dispatches *d)
{
  int (*order)(const void *, const void *) =
      d->operations ? operation_order : row_order;
  size_t i = 1;
  while (i < d->count && order(&d->rows[i - 1], &d->rows[i]) < 0)
    i++;
  if (i < d->count)
    qsort(d->rows, d->count, sizeof *d->rows, order);
}

/* Each row's time since the latest end on its queue. */
static bool find_gaps(aq_dispatches *d)
{
  aq_map ends = AQ_MAP_INIT;
  bool found = true;
  for (size_t i = 0; i < d->count && found; i++) {
    aq_dispatch_row *row = &d->rows[i];
    uint64_t end;
    const bool later = aq_map_get(&ends, (uint64_t)row->queue, &end);
    if (later)
      row->gap = row->start - (aq_time)end;
    if (!later || row->end > (aq_time)end)
      found = aq_map_put(&ends, (uint64_t)row->queue, (uint64_t)row->end);
  }
  aq_map_fini(&ends);
  return found;
}

static void communication_find(aq_dispatches *d, aq_run_reader *reader)
{
  aq_family_memo families = {0};
  for (size_t i = 0; i < d->count; i++) {
    aq_dispatch_row *row = &d->rows[i];
    const char *name = row->kind == AQ_KIND_KERNEL && row->name >= 0
                           ? aq_run_reader_name(reader, row->name)
                           : NULL;
    row->communicates = name && aq_family_recall(&families, row->name, name) ==
                                    AQ_FAMILY_COLLECTIVE;
  }
  aq_family_memo_fini(&families);
}

aq_status aq_dispatches_read(aq_run_reader *reader, aq_rows_wanted wanted,
                             aq_dispatches *out, aq_diag *diag)
{
  reading r = {.want_dispatches = wanted != AQ_WANT_OPERATIONS,
               .want_operations = wanted != AQ_WANT_DISPATCHES};
  aq_dispatches *d = &r.d;
  size_t count;
  aq_status status = aq_run_reader_want(reader, fields_read(), diag);
  if (status == AQ_OK) {
    do {
      aq_record rows[BATCH];
      int64_t numbers[BATCH];
      status = aq_run_reader_next(reader, rows, numbers, BATCH, &count, diag);
      for (size_t i = 0; i < count && status == AQ_OK; i++) {
        const seen row = seen_of(&rows[i]);
        if (!add_row(&r, &row, numbers[i]))
          status = aq_diag_no_memory(diag);
      }
    } while (count > 0 && status == AQ_OK);
  }
  d->operations = r.want_operations && r.dispatches.count == 0 &&
                  (r.operations.count > 0 || !r.want_dispatches);
  const row_list *kept = d->operations ? &r.operations : &r.dispatches;
  free(d->operations ? r.dispatches.rows : r.operations.rows);
  d->rows = kept->rows;
  d->count = kept->count;
  rows_sort(d);
  communication_find(d, reader);
  if (status == AQ_OK && !(find_gaps(d) && aq_launch_ranges_assign(d)))
    status = aq_diag_no_memory(diag);
  if (status != AQ_OK) {
    aq_dispatches_fini(d);
    return status;
  }
  if (d->wait_count)
    qsort(d->waits, d->wait_count, sizeof *d->waits, wait_order);
  if (d->lost_count)
    qsort(d->lost, d->lost_count, sizeof *d->lost, lost_order);
  *out = *d;
  return AQ_OK;
}

bool aq_dispatch_blocks(const aq_dispatch_row *row)
{
  return row->kind != AQ_KIND_KERNEL && row->via == AQ_VIA_DIRECT &&
         row->host_begin != AQ_TIME_NONE && row->host_end != AQ_TIME_NONE &&
         row->host_end >= row->end;
}

aq_time aq_dispatches_makespan(const aq_dispatches *dispatches)
{
  const aq_dispatches *d = dispatches;
  if (d->count == 0)
    return 0;
  size_t spans;
  aq_time time = 0;
  const aq_part_span *span = aq_part_spans(d, AQ_PART_STARTS, &spans);
  for (size_t i = 0; i < spans; i++)
    time += span[i].to - span[i].from;
  if (spans > 0)
    return time;
  aq_time first = d->rows[0].start, last = d->rows[0].end;
  for (size_t i = 1; i < d->count; i++) {
    first = aq_time_min(first, d->rows[i].start);
    last = aq_time_max(last, d->rows[i].end);
  }
  return last - first;
}

void aq_dispatches_fini(aq_dispatches *dispatches)
{
  free(dispatches->rows);
  free(dispatches->ranges);
  free(dispatches->waits);
  free(dispatches->lost);
  free(dispatches->stalls);
  free(dispatches->spans);
  aq_names_fini(&dispatches->texts);
  free(dispatches->works);
  *dispatches = (aq_dispatches){0};
}
