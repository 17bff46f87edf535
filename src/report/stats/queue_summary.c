/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/queue_summary.h"

#include <stdlib.h>

enum { BATCH = 512 };

static aq_queue_summary queue_begin(aq_run_reader *reader, int64_t ordinal)
{
  const aq_run_queue *queue = aq_run_reader_queue(reader, ordinal);
  const aq_run_device *device =
      queue ? aq_run_reader_device(reader, queue->device) : NULL;
  const char *name = device ? device->name : NULL;
  return (aq_queue_summary){.ordinal = ordinal,
                            .device = queue ? queue->device : AQ_NONE,
                            .source_id = queue ? queue->source_id : AQ_NONE,
                            .gpu = name && *name ? name
                                   : device      ? device->gfx
                                                 : NULL,
                            .first_start = AQ_TIME_NONE,
                            .last_end = AQ_TIME_NONE};
}

static void queue_count(aq_queue_summary *queue, const aq_record *row)
{
  if (row->kind == AQ_KIND_KERNEL)
    queue->kernels++;
  else if (row->kind == AQ_KIND_COPY || row->kind == AQ_KIND_FILL)
    queue->copies++;
  else
    queue->others++;
  queue->with_host += row->host_end != AQ_NONE;
}

/* Rows come by start, so that what overlaps is next to each other. */
static void queue_time(aq_queue_summary *queue, const aq_record *row)
{
  if (row->kind == AQ_KIND_RANGE || row->start == AQ_NONE ||
      row->end == AQ_NONE)
    return;
  if (queue->first_start == AQ_TIME_NONE)
    queue->first_start = row->start;
  aq_time from = aq_time_max(row->start, queue->last_end);
  if (row->end > from)
    queue->busy += row->end - from;
  queue->last_end = aq_time_max(queue->last_end, row->end);
}

static aq_status read_rows(aq_run_reader *reader, aq_queue_summary *queues,
                           size_t count, aq_diag *diag)
{
  aq_record *rows = malloc(BATCH * sizeof *rows);
  aq_status status = AQ_OK;
  size_t got;
  if (!rows)
    return aq_diag_no_memory(diag);
  while ((status = aq_run_reader_next(reader, rows, NULL, BATCH, &got, diag)) ==
             AQ_OK &&
         got > 0)
    for (size_t i = 0; i < got; i++) {
      if (rows[i].queue < 0 || (uint64_t)rows[i].queue >= count)
        continue;
      queue_count(&queues[rows[i].queue], &rows[i]);
      queue_time(&queues[rows[i].queue], &rows[i]);
    }
  free(rows);
  return status;
}

aq_status aq_queue_summaries_read(aq_run_reader *reader, aq_queue_summary **out,
                                  size_t *count, aq_diag *diag)
{
  size_t n = aq_run_reader_queue_count(reader);
  aq_queue_summary *queues = calloc(n + 1, sizeof *queues);
  if (!queues)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < n; i++)
    queues[i] = queue_begin(reader, (int64_t)i);
  aq_status status = read_rows(reader, queues, n, diag);
  if (status != AQ_OK) {
    free(queues);
    return status;
  }
  *out = queues;
  *count = n;
  return AQ_OK;
}
