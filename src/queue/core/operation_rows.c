/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/core/operation_rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256 };

struct aq_operation_rows {
  aq_record_sink *sink;
  bool live; /* more than one thread may come */
  pthread_mutex_t lock;
  aq_diag failure; /* the sink's; it takes no more then */
  int64_t names[AQ_OPERATION_COUNT];
  size_t count;
  aq_record rows[BATCH];
};

static void rows_lock(aq_operation_rows *rows)
{
  if (rows->live)
    pthread_mutex_lock(&rows->lock);
}

static void rows_unlock(aq_operation_rows *rows)
{
  if (rows->live)
    pthread_mutex_unlock(&rows->lock);
}

aq_status aq_operation_rows_create(aq_record_sink *sink, bool live,
                                   aq_operation_rows **out, aq_diag *diag)
{
  aq_operation_rows *rows = calloc(1, sizeof *rows);
  if (!rows)
    return aq_diag_no_memory(diag);
  rows->sink = sink;
  rows->live = live;
  for (int i = 1; i < AQ_OPERATION_COUNT; i++) {
    const char *name = aq_operation_name((aq_operation)i);
    aq_status status =
        sink->name(sink, name, strlen(name), &rows->names[i], diag);
    if (status != AQ_OK) {
      free(rows);
      return status;
    }
  }
  pthread_mutex_init(&rows->lock, NULL);
  *out = rows;
  return AQ_OK;
}

/* With the lock. */
static void rows_put(aq_operation_rows *rows)
{
  if (rows->count > 0 && rows->failure.status == AQ_OK)
    rows->failure.status =
        rows->sink->put(rows->sink, rows->rows, rows->count, &rows->failure);
  rows->count = 0;
}

void aq_operation_rows_destroy(aq_operation_rows *rows)
{
  if (!rows)
    return;
  rows_put(rows);
  pthread_mutex_destroy(&rows->lock);
  free(rows);
}

aq_status aq_operation_rows_queue(aq_operation_rows *rows,
                                  const aq_device_info *info, uint32_t device,
                                  uint32_t ring, int64_t *device_ordinal,
                                  int64_t *queue_ordinal, aq_diag *diag)
{
  aq_record_sink *sink = rows->sink;
  rows_lock(rows);
  aq_status status = sink->device(sink,
                                  &(aq_run_device){.source_id = device,
                                                   .name = info->name,
                                                   .gfx = info->gfx,
                                                   .cus = info->cus},
                                  device_ordinal, diag);
  if (status == AQ_OK)
    status = sink->queue(sink, &(aq_run_queue){*device_ordinal, ring},
                         queue_ordinal, diag);
  rows_unlock(rows);
  return status;
}

static int64_t time_of(aq_time time)
{
  return time == AQ_TIME_NONE ? AQ_NONE : time;
}

static void row_fill(aq_record *row, const aq_operation_report *report)
{
  const uint32_t edges = 1u << AQ_WAIT_ONE_EDGE | 1u << AQ_WAIT_MANY_EDGES;
  aq_record_init(row);
  row->kind = AQ_KIND_OPERATION;
  row->via = AQ_VIA_NONE;
  row->flags = (report->rules & edges ? AQ_FLAG_EDGE : 0) |
               (report->status == AQ_OK ? 0 : AQ_FLAG_ERROR);
  row->correlation = (int64_t)report->number;
  row->packet = (int64_t)report->first;
  row->host_begin = time_of(report->begin);
  row->host_end = time_of(report->submitted);
  row->start = time_of(report->start);
  row->end = time_of(report->end);
  row->observe = time_of(report->retired);
  row->operation = report->operation;
  row->strategy = report->rules;
  row->depth = report->depth;
  row->packets = (int64_t)report->packets;
}

void aq_operation_rows_add(aq_operation_rows *rows, int64_t device,
                           int64_t queue, const aq_operation_report *report)
{
  rows_lock(rows);
  if (rows->count == BATCH)
    rows_put(rows);
  aq_record *row = &rows->rows[rows->count++];
  row_fill(row, report);
  row->device = device;
  row->queue = queue;
  row->name = rows->names[report->operation];
  rows_unlock(rows);
}

aq_status aq_operation_rows_name(aq_operation_rows *rows, const char *name,
                                 int64_t *out, aq_diag *diag)
{
  rows_lock(rows);
  aq_status status =
      rows->sink->name(rows->sink, name, strlen(name), out, diag);
  rows_unlock(rows);
  return status;
}

void aq_operation_rows_put(aq_operation_rows *rows, const aq_record *row)
{
  rows_lock(rows);
  if (rows->count == BATCH)
    rows_put(rows);
  rows->rows[rows->count++] = *row;
  rows_unlock(rows);
}

void aq_operation_rows_fail(aq_operation_rows *rows, const aq_diag *diag)
{
  rows_lock(rows);
  if (rows->failure.status == AQ_OK)
    rows->failure = *diag;
  rows_unlock(rows);
}

aq_status aq_operation_rows_flush(aq_operation_rows *rows, aq_diag *diag)
{
  rows_lock(rows);
  rows_put(rows);
  const aq_diag failure = rows->failure;
  rows_unlock(rows);
  return failure.status == AQ_OK
             ? AQ_OK
             : aq_diag_set(diag, failure.status, "%s", failure.text);
}
