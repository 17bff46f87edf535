/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/whatif/timeline.h"

#include <stdlib.h>

#include "common/array.h"

static aq_status take_device(aq_record_sink *sink, const aq_run_device *device,
                             int64_t *ordinal, aq_diag *diag)
{
  (void)device;
  (void)diag;
  *ordinal = ((aq_timeline *)sink)->devices++;
  return AQ_OK;
}

static aq_status take_queue(aq_record_sink *sink, const aq_run_queue *queue,
                            int64_t *ordinal, aq_diag *diag)
{
  (void)queue;
  (void)diag;
  *ordinal = ((aq_timeline *)sink)->queues++;
  return AQ_OK;
}

/* The origin identifies a row: names are not kept. */
static aq_status take_name(aq_record_sink *sink, const char *text,
                           size_t length, int64_t *id, aq_diag *diag)
{
  (void)sink;
  (void)text;
  (void)length;
  (void)diag;
  *id = 0;
  return AQ_OK;
}

static bool is_work(const aq_record *row)
{
  return row->start != AQ_TIME_NONE && row->end != AQ_TIME_NONE &&
         (row->kind == AQ_KIND_KERNEL || row->kind == AQ_KIND_COPY ||
          row->kind == AQ_KIND_FILL);
}

static aq_status take_rows(aq_record_sink *sink, const aq_record *rows,
                           size_t count, aq_diag *diag)
{
  aq_timeline *t = (aq_timeline *)sink;
  for (size_t i = 0; i < count; i++) {
    const aq_record *row = &rows[i];
    if (!is_work(row))
      continue;
    if (!AQ_ARRAY_PUSH(t->rows, t->count, t->capacity,
                       (aq_timeline_row){.start = row->start,
                                         .end = row->end,
                                         .submit = row->submit,
                                         .host_begin = row->host_begin,
                                         .origin = row->origin,
                                         .queue = row->queue,
                                         .device = row->device,
                                         .pid = row->pid,
                                         .kind = row->kind,
                                         .flags = row->flags}))
      return aq_diag_no_memory(diag);
  }
  return AQ_OK;
}

void aq_timeline_init(aq_timeline *timeline)
{
  *timeline = (aq_timeline){.sink = {.device = take_device,
                                     .queue = take_queue,
                                     .name = take_name,
                                     .put = take_rows}};
}

void aq_timeline_fini(aq_timeline *timeline)
{
  free(timeline->rows);
  free(timeline->waits);
}

void aq_timeline_waited(void *user, int64_t pid, aq_time time, int64_t row)
{
  aq_timeline *t = user;
  if (!AQ_ARRAY_PUSH(t->waits, t->wait_count, t->wait_capacity,
                     (aq_timeline_wait){time, pid, row}))
    t->status = AQ_ERR_NO_MEMORY;
}

aq_time aq_timeline_makespan(const aq_timeline *timeline)
{
  aq_time first = AQ_TIME_MAX, last = -AQ_TIME_MAX;
  for (size_t i = 0; i < timeline->count; i++) {
    first = aq_time_min(first, timeline->rows[i].start);
    last = aq_time_max(last, timeline->rows[i].end);
  }
  return timeline->count ? last - first : 0;
}
