/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/row_filter.h"

static aq_record_sink *filter_lock(aq_record_sink *sink)
{
  aq_row_filter *filter = (aq_row_filter *)sink;
  pthread_mutex_lock(&filter->lock);
  return filter->to;
}

static aq_status filter_unlock(aq_record_sink *sink, aq_status status)
{
  pthread_mutex_unlock(&((aq_row_filter *)sink)->lock);
  return status;
}

static aq_status filter_device(aq_record_sink *sink,
                               const aq_run_device *device, int64_t *ordinal,
                               aq_diag *diag)
{
  aq_record_sink *to = filter_lock(sink);
  return filter_unlock(sink, to->device(to, device, ordinal, diag));
}

static aq_status filter_queue(aq_record_sink *sink, const aq_run_queue *queue,
                              int64_t *ordinal, aq_diag *diag)
{
  aq_record_sink *to = filter_lock(sink);
  return filter_unlock(sink, to->queue(to, queue, ordinal, diag));
}

static aq_status filter_name(aq_record_sink *sink, const char *text,
                             size_t length, int64_t *id, aq_diag *diag)
{
  aq_record_sink *to = filter_lock(sink);
  return filter_unlock(sink, to->name(to, text, length, id, diag));
}

/* Hands on each stretch of neighbours that are kept with one call. */
static aq_status filter_put(aq_record_sink *sink, const aq_record *rows,
                            size_t count, aq_diag *diag)
{
  const aq_row_filter *filter = (aq_row_filter *)sink;
  aq_record_sink *to = filter_lock(sink);
  aq_status status = AQ_OK;
  for (size_t i = 0; i < count && status == AQ_OK;) {
    const size_t first = i;
    while (i < count && aq_record_filter_take(filter->choice, rows[i].kind))
      i++;
    if (i > first)
      status = to->put(to, rows + first, i - first, diag);
    i++; /* the row that ended the stretch is left out */
  }
  return filter_unlock(sink, status);
}

static aq_status filter_put_counters(aq_record_sink *sink,
                                     const aq_sample *samples, size_t count,
                                     aq_diag *diag)
{
  const aq_row_filter *filter = (aq_row_filter *)sink;
  aq_record_sink *to = filter_lock(sink);
  size_t kept = 0;
  while (kept < count &&
         aq_record_filter_take_bytes(filter->choice, sizeof *samples))
    kept++;
  for (size_t i = kept + 1; i < count; i++)
    aq_record_filter_take_bytes(filter->choice, sizeof *samples);
  return filter_unlock(sink, kept ? to->put_counters(to, samples, kept, diag)
                                  : AQ_OK);
}

void aq_row_filter_init(aq_row_filter *filter, aq_record_sink *to,
                        aq_record_filter *choice)
{
  *filter = (aq_row_filter){
      .sink = {.device = filter_device,
               .queue = filter_queue,
               .name = filter_name,
               .put = filter_put,
               .put_counters = to->put_counters ? filter_put_counters : NULL},
      .to = to,
      .choice = choice};
  pthread_mutex_init(&filter->lock, NULL);
}

void aq_row_filter_fini(aq_row_filter *filter)
{
  pthread_mutex_destroy(&filter->lock);
}
