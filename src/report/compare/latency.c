/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/latency.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/map.h"
#include "common/text.h"
#include "report/stats/formula.h"
#include "report/stats/quantile.h"

static bool is_scored(const aq_compare_row *row)
{
  const int64_t left_out = AQ_FLAG_PINNED | AQ_FLAG_LEARNED | AQ_COMPARE_FITTED;
  return row->key != AQ_NONE && row->start != AQ_NONE &&
         aq_compare_submission(row) != AQ_NONE &&
         (row->flags == AQ_NONE || !(row->flags & left_out));
}

static aq_time latency_of(const aq_compare_row *row)
{
  return row->start - aq_compare_submission(row);
}

aq_status aq_latency_medians(const aq_compare_row *reference,
                             size_t reference_count, const aq_compare_row *rows,
                             size_t count, aq_time *of_reference,
                             aq_time *of_run, aq_diag *diag)
{
  aq_map by_key = AQ_MAP_INIT;
  aq_time *theirs = malloc((count + 1) * sizeof *theirs);
  aq_time *ours = malloc((count + 1) * sizeof *ours);
  bool good = theirs && ours;
  size_t n = 0;
  for (size_t i = 0; good && i < reference_count; i++)
    if (is_scored(&reference[i]))
      good = aq_map_put(&by_key, (uint64_t)reference[i].key, i);
  for (size_t i = 0; good && i < count; i++) {
    uint64_t at;
    if (!is_scored(&rows[i]) ||
        !aq_map_get(&by_key, (uint64_t)rows[i].key, &at))
      continue;
    theirs[n] = latency_of(&reference[at]);
    ours[n++] = latency_of(&rows[i]);
  }
  if (good) {
    *of_reference = aq_median(theirs, n);
    *of_run = aq_median(ours, n);
  }
  aq_map_fini(&by_key);
  free(theirs);
  free(ours);
  return good ? AQ_OK : aq_diag_no_memory(diag);
}

/* ---- output ---- */

static double us(aq_time time)
{
  return (double)time / (double)AQ_US;
}

static const char *place_of(aq_time error, int64_t half)
{
  return llabs(error) <= half ? "within" : "outside";
}

static aq_interval_cover cover_of(const aq_compare_runs *c)
{
  return aq_interval_cover_of(c->interval_class, c->interval_rows == AQ_NONE
                                                     ? AQ_INTERVAL_BY_CONSTANTS
                                                     : AQ_INTERVAL_BY_ROWS);
}

void aq_latency_text(const aq_compare_runs *c, char text[AQ_LATENCY_TEXT])
{
  const aq_compare *figures = &c->figures;
  const aq_time makespan =
      figures->makespan[AQ_PREDICTOR_RUN] - figures->makespan_reference;
  const aq_time latency = c->latency - c->latency_reference;
  text[0] = 0;
  if (c->latency == AQ_TIME_NONE)
    return;
  const int used = snprintf(
      text, AQ_LATENCY_TEXT,
      "median latency, submission to start: %.3f us measured, error of the "
      "run %+.3f us\n",
      us(c->latency_reference), us(latency));
  if (c->interval_makespan == AQ_NONE)
    return;
  char by[64] = "the spreads of the device's constants";
  if (c->interval_rows != AQ_NONE)
    snprintf(by, sizeof by, "the errors of %" PRId64 " fitted row%s",
             c->interval_rows, aq_text_plural(c->interval_rows));
  snprintf(text + used, AQ_LATENCY_TEXT - (size_t)used,
           "%s by %s: makespan +- %.3f us (%s), median latency +- %.3f us "
           "(%s)\n",
           cover_of(c).words, by, us(c->interval_makespan),
           place_of(makespan, c->interval_makespan), us(c->interval_latency),
           place_of(latency, c->interval_latency));
}

void aq_latency_json(aq_json_out *json, const aq_compare_runs *c)
{
  aq_json_out_map(json, "median_latency");
  aq_json_out_ns(json, "reference_ns", c->latency_reference);
  aq_json_out_ns(json, "run_ns", c->latency);
  aq_json_out_close_map(json);
  if (c->interval_makespan == AQ_NONE)
    return;
  const aq_interval_cover cover = cover_of(c);
  aq_json_out_map(json, "interval");
  aq_json_out_text(json, "class", aq_interval_class_name(c->interval_class));
  aq_json_out_int(json, "percent", cover.percent ? cover.percent : AQ_NONE);
  aq_json_out_int(json, "furthest_of",
                  cover.furthest_of ? cover.furthest_of : AQ_NONE);
  aq_json_out_ns(json, "makespan_half_ns", c->interval_makespan);
  aq_json_out_ns(json, "latency_half_ns", c->interval_latency);
  aq_json_out_int(json, "rows", c->interval_rows);
  aq_json_out_close_map(json);
}
