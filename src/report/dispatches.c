/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/dispatches.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"

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
  };
}

static bool add_row(aq_dispatches *d, const seen *row, int64_t number)
{
  const bool runs = row->kind == AQ_KIND_KERNEL || row->kind == AQ_KIND_COPY ||
                    row->kind == AQ_KIND_FILL;
  if (row->kind == AQ_KIND_WAIT) {
    if (row->host_begin == AQ_TIME_NONE || row->host_end == AQ_TIME_NONE)
      return true;
    return AQ_ARRAY_PUSH(
        d->waits, d->wait_count, d->wait_capacity,
        (aq_host_wait){row->host_begin, row->host_end, row->pid, row->tid});
  }
  if (!runs || row->start == AQ_TIME_NONE || row->end == AQ_TIME_NONE) {
    d->barriers += !runs;
    return true;
  }
  return AQ_ARRAY_PUSH(d->rows, d->count, d->capacity,
                       dispatch_of(row, number));
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

/* By start, then row; most runs are nearly so. */
static void rows_sort(aq_dispatches *d)
{
  size_t i = 1;
  while (i < d->count && row_order(&d->rows[i - 1], &d->rows[i]) < 0)
    i++;
  if (i < d->count)
    qsort(d->rows, d->count, sizeof *d->rows, row_order);
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

static aq_status no_memory(aq_dispatches *d, aq_diag *diag)
{
  aq_dispatches_fini(d);
  return aq_diag_no_memory(diag);
}

aq_status aq_dispatches_read(aq_run_reader *reader, aq_dispatches *out,
                             aq_diag *diag)
{
  aq_dispatches d = {0};
  size_t count;
  aq_status status = aq_run_reader_want(reader, fields_read(), diag);
  if (status != AQ_OK)
    return status;
  do {
    aq_record rows[BATCH];
    int64_t numbers[BATCH];
    status = aq_run_reader_next(reader, rows, numbers, BATCH, &count, diag);
    if (status != AQ_OK) {
      aq_dispatches_fini(&d);
      return status;
    }
    for (size_t i = 0; i < count; i++) {
      const seen row = seen_of(&rows[i]);
      if (!add_row(&d, &row, numbers[i]))
        return no_memory(&d, diag);
    }
  } while (count > 0);
  rows_sort(&d);
  if (!find_gaps(&d))
    return no_memory(&d, diag);
  if (d.wait_count)
    qsort(d.waits, d.wait_count, sizeof *d.waits, wait_order);
  *out = d;
  return AQ_OK;
}

void aq_dispatches_fini(aq_dispatches *dispatches)
{
  free(dispatches->rows);
  free(dispatches->waits);
  free(dispatches->stalls);
  *dispatches = (aq_dispatches){0};
}
