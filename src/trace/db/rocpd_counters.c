/* SPDX-License-Identifier: MIT */
/* Samples of counters: a moment on a track, and the value it has there. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "trace/db/rocpd_export.h"

/* Above the threads that stand for queues. */
enum { DEVICE_TID = (1 << 30) + (1 << 29) };

/* Shared by the samples of one counter of one place. */
typedef struct series {
  int64_t pmc, track;
} series;

static int64_t device_of(const aq_rocpd_writer *w, const aq_sample *sample)
{
  if (aq_counters[sample->counter].scope != AQ_COUNTER_OF_QUEUE)
    return sample->ordinal;
  return w->source->queue(w->source, sample->ordinal)->device;
}

static bool put_pmc(aq_rocpd_writer *w, const aq_sample *sample,
                    int64_t process, int64_t id)
{
  const aq_counter *counter = &aq_counters[sample->counter];
  sqlite3_stmt *statement = w->statements[AQ_ROCPD_PMC];
  const struct {
    int at;
    const char *text;
  } texts[] = {{5, "GPU"},         {6, counter->name},
               {7, counter->name}, {8, counter->meaning},
               {9, "aqueduct"},    {10, counter->unit},
               {11, "ABS"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    sqlite3_bind_text(statement, texts[i].at, texts[i].text, -1, SQLITE_STATIC);
  const int64_t values[] = {id, AQ_ROCPD_NODE_ID, process,
                            AQ_ROCPD_GPU + device_of(w, sample)};
  return aq_rocpd_put(w, AQ_ROCPD_PMC, values, 4);
}

static bool series_begin(aq_rocpd_writer *w, const aq_sample *sample,
                         series *of)
{
  const aq_counter *counter = &aq_counters[sample->counter];
  const bool queue = counter->scope == AQ_COUNTER_OF_QUEUE;
  int64_t process, thread, text;
  char name[64];
  snprintf(name, sizeof name, "%s %" PRId64, queue ? "queue" : "device",
           sample->ordinal);
  of->pmc++;
  if (!aq_rocpd_process_id(w, AQ_NONE, &process) ||
      !aq_rocpd_thread_id(w, AQ_NONE,
                          sample->ordinal +
                              (queue ? AQ_ROCPD_QUEUE_TID : DEVICE_TID),
                          name, &thread) ||
      !put_pmc(w, sample, process, of->pmc))
    return false;
  return aq_rocpd_string_id(w, counter->name, &text) &&
         aq_rocpd_track(w, process, thread, text, &of->track);
}

static bool put_sample(aq_rocpd_writer *w, const aq_sample *sample,
                       const series *of)
{
  int64_t event;
  if (!aq_rocpd_event(w, "", AQ_NONE, NULL, &event))
    return false;
  const int64_t moment[] = {of->track, aq_rocpd_ns(w, sample->time), event};
  const int64_t value[] = {event, of->pmc, sample->value};
  return aq_rocpd_put(w, AQ_ROCPD_SAMPLE, moment, 3) &&
         aq_rocpd_put(w, AQ_ROCPD_PMC_EVENT, value, 3);
}

bool aq_rocpd_counters(aq_rocpd_writer *w, const aq_sample *samples,
                       size_t count)
{
  series of = {0, 0};
  for (size_t i = 0; i < count; i++) {
    const aq_sample *s = &samples[i];
    const bool first =
        i == 0 || s[-1].counter != s->counter || s[-1].ordinal != s->ordinal;
    if ((first && !series_begin(w, s, &of)) || !put_sample(w, s, &of))
      return false;
  }
  return true;
}
