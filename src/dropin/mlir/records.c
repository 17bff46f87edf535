/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/mlir/records.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

aq_status aq_mlir_records_init(aq_mlir_records *records, aq_record_sink *sink,
                               const aq_device_info *info, uint32_t device,
                               uint32_t number, aq_diag *diag)
{
  const aq_run_device d = {.source_id = device,
                           .name = info->name,
                           .gfx = info->gfx,
                           .cus = info->cus ? (int64_t)info->cus : AQ_NONE};
  *records = (aq_mlir_records){.sink = sink};
  pthread_mutex_init(&records->lock, NULL);
  if (!sink)
    return AQ_OK;
  aq_record_init(&records->base);
  records->base.via = AQ_VIA_DIRECT;
  aq_status status = sink->device(sink, &d, &records->base.device, diag);
  if (status != AQ_OK)
    return status;
  const aq_run_queue q = {.device = records->base.device, .source_id = number};
  return sink->queue(sink, &q, &records->base.queue, diag);
}

aq_status aq_mlir_records_fini(aq_mlir_records *records, aq_diag *diag)
{
  free(records->rows);
  pthread_mutex_destroy(&records->lock);
  return records->lost ? aq_diag_no_memory(diag) : AQ_OK;
}

void aq_mlir_records_note(aq_mlir_records *records, const aq_record *row,
                          const char *name)
{
  aq_record_sink *sink = records->sink;
  aq_record own = *row;
  if (!sink)
    return;
  own.via = records->base.via;
  own.device = records->base.device;
  own.queue = records->base.queue;
  pthread_mutex_lock(&records->lock);
  if (sink->name(sink, name, strlen(name), &own.name, NULL) != AQ_OK)
    records->lost = true;
  if (records->first == records->count)
    records->first = records->count = 0;
  if (!AQ_ARRAY_PUSH(records->rows, records->count, records->capacity, own))
    records->lost = true;
  pthread_mutex_unlock(&records->lock);
}

void aq_mlir_records_drop(aq_mlir_records *records)
{
  pthread_mutex_lock(&records->lock);
  if (records->count > records->first)
    records->count--;
  pthread_mutex_unlock(&records->lock);
}

static bool is_noted(aq_operation operation)
{
  return operation == AQ_OPERATION_DISPATCH || operation == AQ_OPERATION_COPY ||
         operation == AQ_OPERATION_FILL;
}

void aq_mlir_records_report(const aq_operation_report *report, void *user)
{
  aq_mlir_records *records = user;
  aq_record_sink *sink = records->sink;
  if (!sink || !is_noted(report->operation))
    return;
  pthread_mutex_lock(&records->lock);
  if (records->first < records->count) {
    aq_record row = records->rows[records->first++];
    row.packet = (int64_t)report->first;
    row.host_begin = report->begin;
    row.host_end = row.submit = report->submitted;
    row.observe = report->retired;
    if (report->start != AQ_TIME_NONE) {
      row.start = report->start;
      row.end = report->end;
    }
    if (report->status != AQ_OK)
      row.flags = AQ_FLAG_ERROR;
    if (sink->put(sink, &row, 1, NULL) != AQ_OK)
      records->lost = true;
  }
  pthread_mutex_unlock(&records->lock);
}
