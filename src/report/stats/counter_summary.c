/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/counter_summary.h"

#include <stdlib.h>

/* The first and the last sample of all. */
typedef struct span {
  aq_time first, last;
} span;

/* The group that begins at samples[0]; returns its length. Before its first
 * sample it is 0. */
static size_t summarize(const aq_sample *samples, size_t count, span all,
                        aq_counter_summary *out)
{
  double area = 0;
  size_t i = 0;
  *out = (aq_counter_summary){&aq_counters[samples->counter], samples->ordinal,
                              0, 0, 0};
  for (; i < count && samples[i].counter == samples->counter &&
         samples[i].ordinal == samples->ordinal;
       i++) {
    const bool more = i + 1 < count &&
                      samples[i + 1].counter == samples->counter &&
                      samples[i + 1].ordinal == samples->ordinal;
    const aq_time until = more ? samples[i + 1].time : all.last;
    area += (double)samples[i].value * (double)(until - samples[i].time);
    if (samples[i].value > out->most)
      out->most = samples[i].value;
  }
  out->samples = (int64_t)i;
  out->mean = all.last > all.first ? area / (double)(all.last - all.first) : 0;
  return i;
}

static span span_of(const aq_sample *samples, size_t count)
{
  span all = {AQ_TIME_MAX, -AQ_TIME_MAX};
  for (size_t i = 0; i < count; i++) {
    all.first = aq_time_min(all.first, samples[i].time);
    all.last = aq_time_max(all.last, samples[i].time);
  }
  return all;
}

aq_status aq_counter_summaries_make(aq_run_reader *reader,
                                    aq_counter_summary **out, size_t *count,
                                    aq_diag *diag)
{
  const aq_sample *samples;
  size_t all, at = 0, groups = 0;
  aq_status status = aq_run_reader_samples(reader, &samples, &all, diag);
  if (status != AQ_OK)
    return status;
  aq_counter_summary *made = calloc(all + 1, sizeof *made);
  if (!made)
    return aq_diag_no_memory(diag);
  const span whole = span_of(samples, all);
  while (at < all)
    at += summarize(samples + at, all - at, whole, &made[groups++]);
  *out = made;
  *count = groups;
  return AQ_OK;
}
