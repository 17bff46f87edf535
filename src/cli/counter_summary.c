/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/counter_summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/columns.h"

/* One counter of one device or queue. */
typedef struct summary {
  const aq_counter *counter;
  int64_t ordinal;
  int64_t samples, most;
  double mean; /* over time */
} summary;

/* The first and the last sample of all. */
typedef struct span {
  aq_time first, last;
} span;

/* The group that begins at samples[0]; returns its length. Before its first
 * sample it is 0. */
static size_t summarize(const aq_sample *samples, size_t count, span all,
                        summary *out)
{
  double area = 0;
  size_t i = 0;
  *out = (summary){&aq_counters[samples->counter], samples->ordinal, 0, 0, 0};
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

static void put_row(aq_cli_columns *table, const summary *of)
{
  char ordinal[24], samples[24], most[24], mean[40];
  snprintf(ordinal, sizeof ordinal, "%" PRId64, of->ordinal);
  snprintf(samples, sizeof samples, "%" PRId64, of->samples);
  snprintf(most, sizeof most, "%" PRId64, of->most);
  snprintf(mean, sizeof mean, "%.3g", of->mean);
  const char *cells[] = {of->counter->name,
                         of->counter->scope == AQ_COUNTER_OF_QUEUE ? "queue"
                                                                   : "device",
                         ordinal,
                         mean,
                         most,
                         of->counter->unit,
                         samples};
  aq_cli_columns_row(table, cells);
}

aq_status aq_cli_counters_print(aq_cli *cli, aq_run_reader *reader)
{
  static const char *const names[] = {"counter", "of",   ">number",  ">mean",
                                      ">most",   "unit", ">changes", NULL};
  const aq_sample *samples;
  size_t count, at = 0;
  aq_status status =
      aq_run_reader_samples(reader, &samples, &count, &cli->diag);
  if (status != AQ_OK || count == 0)
    return status;
  aq_cli_columns *table = aq_cli_columns_new(names);
  if (!table)
    return aq_diag_no_memory(&cli->diag);
  const span all = span_of(samples, count);
  while (at < count) {
    summary of;
    at += summarize(samples + at, count - at, all, &of);
    put_row(table, &of);
  }
  fputc('\n', cli->out);
  return aq_cli_columns_print(table, cli->out) ? AQ_OK
                                               : aq_diag_no_memory(&cli->diag);
}

aq_status aq_cli_counters_json(aq_cli *cli, aq_json_out *json,
                               aq_run_reader *reader)
{
  const aq_sample *samples;
  size_t count, at = 0;
  aq_status status =
      aq_run_reader_samples(reader, &samples, &count, &cli->diag);
  if (status != AQ_OK)
    return status;
  const span all = span_of(samples, count);
  aq_json_out_array(json, "counters");
  while (at < count) {
    summary of;
    at += summarize(samples + at, count - at, all, &of);
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "counter", of.counter->name);
    aq_json_out_text(json, "scope",
                     of.counter->scope == AQ_COUNTER_OF_QUEUE ? "queue"
                                                              : "device");
    aq_json_out_int(json, "ordinal", of.ordinal);
    aq_json_out_text(json, "unit", of.counter->unit);
    aq_json_out_int(json, "changes", of.samples);
    aq_json_out_real(json, "mean", of.mean);
    aq_json_out_int(json, "most", of.most);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  return AQ_OK;
}
