/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/serving_figures.h"

#include <math.h>
#include <stdlib.h>

#include "study/serving/serving.h"

/* Times of requests, in us. */
typedef struct times {
  double *of;
  size_t count;
} times;

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double mean_of(const times *t)
{
  double sum = 0;
  for (size_t i = 0; i < t->count; i++)
    sum += t->of[i];
  return t->count ? sum / (double)t->count : NAN;
}

/* As report/stats/quantile.h defines it. */
static double quantile_of(const times *t, size_t percent)
{
  const size_t at = t->count * percent / 100;
  return t->count ? t->of[at < t->count ? at : t->count - 1] : NAN;
}

static bool is_counted(const aq_request *r, int entry)
{
  return r->prompt != AQ_NONE && (entry < 0 || r->entry == entry);
}

static double tpot_of(const aq_request *r)
{
  return (double)(r->complete - r->first) / (double)(r->tokens - 1) / 1e6;
}

static bool met(const aq_study_run *run, const aq_request *r)
{
  const aq_study_client *client = &run->clients[r->entry];
  return !r->rejected && r->first != AQ_NONE &&
         (isnan(client->ttft) ||
          (double)(r->first - r->arrival) / 1e6 <= client->ttft) &&
         (isnan(client->tpot) || r->tokens < 2 || tpot_of(r) <= client->tpot);
}

static void sums_fill(const aq_study_run *run, int entry, double seconds,
                      double *out)
{
  double tokens = 0, good = 0, prompt = 0, cached = 0, objectives = 0;
  for (size_t i = run->first; i < run->requests.count; i++) {
    const aq_request *r = &run->requests.requests[i];
    if (!is_counted(r, entry) || r->entry >= (int64_t)run->client_count)
      continue;
    const aq_study_client *client = &run->clients[r->entry];
    tokens += (double)r->tokens;
    prompt += (double)r->prompt;
    cached += (double)r->cached;
    objectives += !isnan(client->ttft) || !isnan(client->tpot);
    good += met(run, r);
  }
  out[AQ_FIGURE_tokens] = tokens / seconds;
  out[AQ_FIGURE_goodput] = objectives > 0 ? good / seconds : NAN;
  out[AQ_FIGURE_cached] = prompt > 0 ? 100 * cached / prompt : NAN;
}

/* Counts of gaps of one client, added to the counts of others. */
static uint64_t gaps_add(const aq_json_node *client, uint64_t *counts)
{
  aq_json_node list;
  size_t length = 0;
  uint64_t sum = 0;
  if (!aq_json_member(client, "gaps", &list) ||
      aq_json_array(&list, 0, 2 * AQ_GAP_COUNT, &length) != AQ_OK)
    return 0;
  for (size_t i = 0; i + 1 < length; i += 2) {
    const aq_json_node place = aq_json_element(&list, i);
    const aq_json_node count = aq_json_element(&list, i + 1);
    int64_t at, n;
    if (aq_json_integer(&place, 0, AQ_GAP_COUNT - 1, &at) != AQ_OK ||
        aq_json_integer(&count, 0, INT64_MAX, &n) != AQ_OK)
      return sum;
    counts[at] += (uint64_t)n;
    sum += (uint64_t)n;
  }
  return sum;
}

static double gap_quantile(const uint64_t *counts, uint64_t sum, double part)
{
  uint64_t below = 0;
  for (size_t i = 0; i < AQ_GAP_COUNT; i++) {
    below += counts[i];
    if ((double)below > part * (double)sum)
      return (double)aq_gap_limit(i) / 1e6;
  }
  return NAN;
}

static bool gaps_fill(const aq_study_run *run, int entry, double *out)
{
  const aq_json_node root = aq_json_root(&run->summary);
  aq_json_node list;
  size_t count = 0;
  uint64_t sum = 0;
  uint64_t *counts = calloc(AQ_GAP_COUNT, sizeof *counts);
  if (!counts)
    return false;
  if (aq_json_member(&root, "clients", &list) &&
      aq_json_array(&list, 0, SIZE_MAX, &count) == AQ_OK)
    for (size_t i = 0; i < count; i++) {
      const aq_json_node client = aq_json_element(&list, i);
      if (entry < 0 || (size_t)entry == i)
        sum += gaps_add(&client, counts);
    }
  out[AQ_FIGURE_itl_p50] = gap_quantile(counts, sum, 0.5);
  out[AQ_FIGURE_itl_p99] = gap_quantile(counts, sum, 0.99);
  free(counts);
  return true;
}

bool aq_serving_figures(const aq_study_run *run, int entry, double seconds,
                        double out[static AQ_FIGURE_COUNT])
{
  times first = {.of = malloc((run->requests.count + 1) * sizeof(double))};
  times each = {.of = malloc((run->requests.count + 1) * sizeof(double))};
  bool good = first.of && each.of, any = false;
  for (size_t i = run->first; good && i < run->requests.count; i++) {
    const aq_request *r = &run->requests.requests[i];
    if (!is_counted(r, entry))
      continue;
    any = true;
    if (r->rejected || r->first == AQ_NONE)
      continue;
    first.of[first.count++] = (double)(r->first - r->arrival) / 1e6;
    if (r->tokens > 1)
      each.of[each.count++] = tpot_of(r);
  }
  if (good && any) {
    out[AQ_FIGURE_ttft] = mean_of(&first);
    out[AQ_FIGURE_tpot] = mean_of(&each);
    qsort(first.of, first.count, sizeof *first.of, compare);
    qsort(each.of, each.count, sizeof *each.of, compare);
    out[AQ_FIGURE_ttft_p50] = quantile_of(&first, 50);
    out[AQ_FIGURE_ttft_p99] = quantile_of(&first, 99);
    out[AQ_FIGURE_tpot_p50] = quantile_of(&each, 50);
    out[AQ_FIGURE_tpot_p99] = quantile_of(&each, 99);
    sums_fill(run, entry, seconds, out);
    good = gaps_fill(run, entry, out);
  }
  free(first.of);
  free(each.of);
  return good;
}
