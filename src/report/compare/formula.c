/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/formula.h"

#include <stdlib.h>

#include "report/stats/quantile.h"

/* Collects start − submission, by how long the queue had been idle,
 * start − begin of the call, and start − previous end of queued rows. */
typedef struct latency_sample {
  int64_t *warm, *cold, *begin, *gap;
  size_t warm_count, cold_count, begin_count, gap_count;
  aq_time ahead; /* of the previous end a queued row was submitted */
  bool all;      /* also rows that constants of the run were fitted to */
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

/* Only rows whose packet was there in time show the device's own gap. */
static void sample_gap(latency_sample *sample, const aq_compare_row *row,
                       aq_time previous_end)
{
  const aq_time submission = aq_compare_submission(row);
  if (submission != AQ_NONE && previous_end - submission >= sample->ahead &&
      !(row->flags != AQ_NONE && row->flags & AQ_FLAG_EDGE))
    sample->gap[sample->gap_count++] = row->start - previous_end;
}

static void sample_rows(latency_sample *sample, const aq_compare_row *rows,
                        size_t count,
                        void (*add)(latency_sample *, const aq_compare_row *,
                                    aq_time previous_end))
{
  aq_time previous_end = AQ_NONE;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && rows[i].queue != rows[i - 1].queue)
      previous_end = AQ_NONE;
    const bool gave =
        rows[i].flags != AQ_NONE && (rows[i].flags & AQ_COMPARE_FITTED) != 0;
    if (previous_end != AQ_NONE && (sample->all || !gave))
      add(sample, &rows[i], previous_end);
    previous_end = aq_time_max(previous_end, rows[i].end);
  }
}

aq_status aq_formula_fit(const aq_compare_row *rows, size_t count,
                         aq_compare *out, aq_diag *diag)
{
  int64_t *values = calloc(4 * count + 1, sizeof *values);
  if (!values)
    return aq_diag_no_memory(diag);
  latency_sample sample = {.warm = values,
                           .cold = values + count,
                           .begin = values + 2 * count,
                           .gap = values + 3 * count};
  sample_rows(&sample, rows, count, sample_row);
  if (sample.begin_count == 0) {
    sample.all = out->fitted_to_all = true;
    sample_rows(&sample, rows, count, sample_row);
  }
  aq_time warm = aq_median(sample.warm, sample.warm_count);
  aq_time cold = aq_median(sample.cold, sample.cold_count);
  out->latency_warm = warm != AQ_NONE ? warm : cold;
  out->latency_cold = cold != AQ_NONE ? cold : warm;
  out->latency_begin = aq_median(sample.begin, sample.begin_count);
  out->fitted_warm = (int64_t)sample.warm_count;
  out->fitted_cold = (int64_t)sample.cold_count;
  sample.ahead = AQ_COMPARE_NEAR_US * AQ_US;
  if (out->latency_cold != AQ_TIME_NONE)
    sample.ahead = aq_time_max(
        sample.ahead, aq_time_max(out->latency_warm, out->latency_cold));
  sample_rows(&sample, rows, count, sample_gap);
  out->gap = aq_median(sample.gap, sample.gap_count);
  out->fitted_gap = (int64_t)sample.gap_count;
  free(values);
  return AQ_OK;
}

/* By the submission alone. B without latencies, on a queue that was never
 * idle, has none to add. */
static aq_time formula_earliest(aq_compare_predictor formula,
                                const aq_compare *fit,
                                const aq_compare_row *row, aq_time previous_end)
{
  aq_time submission = aq_compare_submission(row);
  if (formula == AQ_PREDICTOR_ZERO) {
    if (row->submit != AQ_NONE)
      return row->submit;
    return row->host_begin != AQ_NONE ? row->host_begin : submission;
  }
  if (fit->latency_warm == AQ_TIME_NONE)
    return submission;
  if (row->via == AQ_VIA_GRAPH && row->host_begin != AQ_NONE)
    return row->host_begin + fit->latency_begin;
  return submission + (submission - previous_end > AQ_COMPARE_COLD_US * AQ_US
                           ? fit->latency_cold
                           : fit->latency_warm);
}

aq_time aq_formula_start(aq_compare_predictor formula, const aq_compare *fit,
                         const aq_compare_row *row, aq_time previous_end)
{
  if (previous_end == AQ_NONE || aq_compare_submission(row) == AQ_NONE ||
      (row->flags != AQ_NONE && row->flags & AQ_FLAG_PINNED) ||
      !aq_formula_fits(formula, fit))
    return row->start;
  return aq_time_max(formula_earliest(formula, fit, row, previous_end),
                     previous_end + (formula == AQ_PREDICTOR_B ? fit->gap : 0));
}
