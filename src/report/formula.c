/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/formula.h"

#include <stdlib.h>

#include "report/quantile.h"

/* Collects start − submission, by how long the queue had been idle, and
 * start − begin of the call. */
typedef struct latency_sample {
  int64_t *warm, *cold, *begin;
  size_t warm_count, cold_count, begin_count;
} latency_sample;

static void sample_row(latency_sample *sample, const aq_compare_row *row,
                       aq_time previous_end)
{
  aq_time submission = aq_compare_submission(row);
  aq_time begin = row->host_begin != AQ_NONE ? row->host_begin : submission;
  if (submission == AQ_NONE || row->via != AQ_VIA_DIRECT ||
      begin <= previous_end)
    return;
  sample->begin[sample->begin_count++] = row->start - begin;
  if (submission - previous_end > AQ_COMPARE_COLD_US * AQ_US)
    sample->cold[sample->cold_count++] = row->start - submission;
  else
    sample->warm[sample->warm_count++] = row->start - submission;
}

static void sample_rows(latency_sample *sample, const aq_compare_row *rows,
                        size_t count)
{
  aq_time previous_end = AQ_NONE;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && rows[i].queue != rows[i - 1].queue)
      previous_end = AQ_NONE;
    if (previous_end != AQ_NONE)
      sample_row(sample, &rows[i], previous_end);
    previous_end = aq_time_max(previous_end, rows[i].end);
  }
}

static void set_latencies(latency_sample *sample, aq_compare *out)
{
  aq_time warm = aq_median(sample->warm, sample->warm_count);
  aq_time cold = aq_median(sample->cold, sample->cold_count);
  out->latency_warm = warm != AQ_NONE ? warm : cold;
  out->latency_cold = cold != AQ_NONE ? cold : warm;
  out->latency_begin = aq_median(sample->begin, sample->begin_count);
  out->fitted_warm = (int64_t)sample->warm_count;
  out->fitted_cold = (int64_t)sample->cold_count;
}

aq_status aq_formula_fit(const aq_compare_row *rows, size_t count,
                         aq_compare *out, aq_diag *diag)
{
  int64_t *values = calloc(3 * count + 1, sizeof *values);
  if (!values)
    return aq_diag_no_memory(diag);
  latency_sample sample = {
      .warm = values, .cold = values + count, .begin = values + 2 * count};
  sample_rows(&sample, rows, count);
  set_latencies(&sample, out);
  free(values);
  return AQ_OK;
}

static aq_time formula_earliest(aq_compare_predictor formula,
                                const aq_compare *fit,
                                const aq_compare_row *row, aq_time previous_end)
{
  aq_time submission = aq_compare_submission(row);
  if (formula == AQ_PREDICTOR_E && row->via == AQ_VIA_GRAPH &&
      row->host_begin != AQ_NONE)
    return row->host_begin + fit->latency_begin;
  if (formula == AQ_PREDICTOR_E)
    return submission + (submission - previous_end > AQ_COMPARE_COLD_US * AQ_US
                             ? fit->latency_cold
                             : fit->latency_warm);
  if (row->submit != AQ_NONE)
    return row->submit;
  return row->host_begin != AQ_NONE ? row->host_begin : submission;
}

aq_time aq_formula_start(aq_compare_predictor formula, const aq_compare *fit,
                         const aq_compare_row *row, aq_time previous_end)
{
  if (previous_end == AQ_NONE || aq_compare_submission(row) == AQ_NONE ||
      (row->flags != AQ_NONE && row->flags & AQ_FLAG_PINNED) ||
      (formula == AQ_PREDICTOR_E && fit->latency_warm == AQ_TIME_NONE))
    return row->start;
  return aq_time_max(formula_earliest(formula, fit, row, previous_end),
                     previous_end);
}
