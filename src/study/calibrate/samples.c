/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/calibrate/samples.h"

#include <stdlib.h>
#include <string.h>

#include "report/stats/quantile.h"
#include "study/calibrate/idle_ramp.h"
#include "study/calibrate/run_rows.h"

static const struct {
  const char *name;
  size_t least;
} figures[] = {
#define F(id, name, least, meaning) {name, least},
#include "study/calibrate/samples.def"
#undef F
};

const char *aq_calibrate_name(aq_calibrate_figure figure)
{
  return figures[figure].name;
}

size_t aq_calibrate_least(aq_calibrate_figure figure)
{
  return figures[figure].least;
}

aq_calibrate *aq_calibrate_create(void)
{
  return calloc(1, sizeof(aq_calibrate));
}

void aq_calibrate_destroy(aq_calibrate *calibrate)
{
  if (!calibrate)
    return;
  for (int i = 0; i < AQ_CALIBRATE_COUNT; i++)
    free(calibrate->values[i].at);
  free(calibrate->launches.at);
  free(calibrate->launch_starts.at);
  free(calibrate->nears.at);
  free(calibrate->handlers.at);
  for (size_t i = 0; i < calibrate->skewed_count; i++) {
    aq_clock_witnesses_fini(&calibrate->skewed[i].witnesses);
    free(calibrate->skewed[i].launches.at);
  }
  free(calibrate->skewed);
  free(calibrate->graphs);
  aq_calibrate_gaps_free(calibrate->gaps);
  free(calibrate);
}

/* ---- samples ---- */

static int pair_compare(const void *a, const void *b)
{
  const aq_calibrate_pair *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->value > y->value) - (x->value < y->value);
}

static void sort(aq_calibrate_pairs *pairs)
{
  if (pairs->count > 0)
    qsort(pairs->at, pairs->count, sizeof *pairs->at, pair_compare);
}

aq_time aq_calibrate_launch_start(aq_calibrate *calibrate, size_t nth)
{
  aq_calibrate_pairs *starts = &calibrate->launch_starts;
  sort(starts);
  return nth >= 1 && nth <= starts->count ? starts->at[nth - 1].key
                                          : AQ_TIME_NONE;
}

static const aq_calibrate_sample nothing = {0,
                                            AQ_TIME_NONE,
                                            AQ_TIME_NONE,
                                            AQ_TIME_NONE,
                                            AQ_TIME_NONE,
                                            AQ_TIME_NONE,
                                            AQ_TIME_NONE};

/* Of the keys. */
static aq_calibrate_sample sample(aq_calibrate_pairs *pairs)
{
  sort(pairs);
  const size_t n = pairs->count;
  if (n == 0)
    return nothing;
  return (aq_calibrate_sample){n,
                               pairs->at[0].key,
                               pairs->at[aq_quantile_index(n, 10)].key,
                               pairs->at[aq_quantile_index(n, 50)].key,
                               pairs->at[aq_quantile_index(n, 90)].key,
                               pairs->at[n - 1].key,
                               pairs->at[(n - 1) / 2].key};
}

static bool sample_of(const aq_time *values, size_t count,
                      aq_calibrate_sample *out)
{
  aq_calibrate_pairs pairs = {NULL, 0, 0};
  bool good = true;
  for (size_t i = 0; i < count && good; i++)
    good = aq_calibrate_pairs_add(&pairs, values[i], 0);
  *out = good ? sample(&pairs) : nothing;
  free(pairs.at);
  return good;
}

/* ---- the step from warm to cold ---- */

/* Launches on each side of a step, and on both: of ten alike launches, chance
 * makes four the slowest of all once in 210 cases. */
enum { STEP_LEAST = 4, STEP_LEAST_BOTH = 10 };

/* How many launches found the device idle for less than a time. */
static size_t launches_below(const aq_calibrate_pairs *launches, aq_time idle)
{
  size_t count = 0;
  while (count < launches->count && launches->at[count].key < idle)
    count++;
  return count;
}

/* 0 where there are none. */
static aq_time middle(const aq_calibrate_pair *at, size_t count,
                      aq_time *scratch)
{
  if (count == 0)
    return 0;
  for (size_t i = 0; i < count; i++)
    scratch[i] = at[i].value;
  return aq_median(scratch, count);
}

/* How far the values are from the middle of their side. */
static aq_time deviation(const aq_calibrate_pair *at, size_t count,
                         aq_time around)
{
  aq_time sum = 0;
  for (size_t i = 0; i < count; i++) {
    const aq_time distance = llabs(at[i].value - around);
    sum += aq_time_min(distance, 10 * AQ_US); /* a stray launch is but one */
  }
  return sum;
}

/* Whether a step parts the launches: at most one in ten of either side is
 * nearer to the other's middle. Overlapping launches have no step, wherever a
 * cut leaves the least deviation. */
static bool step_parts(const aq_calibrate_pair *at, size_t cut, size_t n,
                       aq_time middle_of_both)
{
  size_t low = 0, high = 0;
  for (size_t i = 0; i < n; i++)
    if (i < cut)
      low += at[i].value > middle_of_both;
    else
      high += at[i].value < middle_of_both;
  return low * 10 <= cut && high * 10 <= n - cut;
}

/* The sum of deviations on both sides of a cut, and the middles of the sides.
 */
static aq_time cut_loss(const aq_calibrate_pair *at, size_t cut, size_t n,
                        aq_time *scratch, aq_time *low, aq_time *high)
{
  *low = middle(at, cut, scratch);
  *high = middle(at + cut, n - cut, scratch);
  return deviation(at, cut, *low) + deviation(at + cut, n - cut, *high);
}

/* Launches in the order of idle time: the place that parts them best, where
 * latencies step up by more than a microsecond and by more than their spread.
 * One at `known` (AQ_TIME_NONE: there is none) stays if it parts them as well.
 */
static bool step_find(const aq_calibrate_pairs *launches, aq_time known,
                      aq_calibrate_facts *out)
{
  enum { LOOKS = 400 };
  const aq_calibrate_pair *at = launches->at;
  const size_t n = launches->count;
  aq_time *scratch = malloc((n + 1) * sizeof *scratch);
  aq_time best = AQ_TIME_MAX, low, high;
  if (!scratch)
    return false;
  if (known != AQ_TIME_NONE)
    best =
        cut_loss(at, launches_below(launches, known), n, scratch, &low, &high);
  for (size_t cut = STEP_LEAST; n >= STEP_LEAST_BOTH && cut + STEP_LEAST <= n;
       cut += n / LOOKS + 1) {
    const aq_time loss = cut_loss(at, cut, n, scratch, &low, &high);
    if (loss >= best || at[cut - 1].key == at[cut].key || high - low < AQ_US ||
        loss / (aq_time)n > (high - low) / 2 ||
        !step_parts(at, cut, n, low + (high - low) / 2))
      continue;
    best = loss;
    out->idle_step = (at[cut - 1].key + at[cut].key) / 2;
    out->idle_below = at[cut - 1].key;
    out->idle_above = at[cut].key;
  }
  free(scratch);
  return true;
}

/* The ramp that latencies contain, the one that a fit writes. */
static aq_time ramp_of(aq_calibrate_figure which, aq_time model, bool kept,
                       const aq_calibrate_facts *facts)
{
  const aq_calibrate_sample *seen = &facts->figures[which];
  return kept || seen->n < figures[which].least ? model : seen->p50;
}

static bool launches_part(const aq_calibrate *c,
                          const aq_calibrate_model *model, aq_time step,
                          aq_calibrate_facts *out)
{
  const size_t n = c->launches.count;
  aq_time *values = malloc((n + 1) * sizeof *values);
  if (!values)
    return false;
  const size_t cut = launches_below(&c->launches, step);
  out->figures[AQ_CALIBRATE_WARM_RAMP] =
      aq_calibrate_ramp(c->launches.at, cut, AQ_US, values);
  out->figures[AQ_CALIBRATE_COLD_RAMP] =
      aq_calibrate_ramp(c->launches.at + cut, n - cut, step, values);
  const aq_time warm = ramp_of(AQ_CALIBRATE_WARM_RAMP, model->idle_ramp,
                               model->idle_ramp_kept, out);
  const aq_time cold = ramp_of(AQ_CALIBRATE_COLD_RAMP, model->remap_ramp,
                               model->remap_ramp_kept, out);
  for (size_t i = 0; i < n; i++)
    values[i] = c->launches.at[i].value -
                (i < cut ? aq_time_ramp(c->launches.at[i].key, AQ_US, warm)
                         : aq_time_ramp(c->launches.at[i].key, step, cold));
  const bool good =
      sample_of(values, cut, &out->figures[AQ_CALIBRATE_WARM]) &&
      sample_of(values + cut, n - cut, &out->figures[AQ_CALIBRATE_COLD]);
  free(values);
  return good;
}

/* ---- back-to-back starts ---- */

/* How long before the previous end a submission has to be to leave no gap: the
 * place with the fewest on the wrong side, told by its two neighbours. */
static aq_calibrate_sample lead_find(aq_calibrate_pairs *nears)
{
  sort(nears);
  size_t wrong = 0, best = SIZE_MAX, place = 0, early = 0;
  for (size_t i = 0; i < nears->count; i++)
    early += nears->at[i].value != 0;
  wrong = nears->count - early; /* all are long enough before */
  for (size_t i = 0; i <= nears->count; i++) {
    if (wrong < best) {
      best = wrong;
      place = i;
    }
    if (i < nears->count)
      wrong += nears->at[i].value ? 1 : -(size_t)1;
  }
  if (place == 0 || place == nears->count || best * 10 > nears->count)
    return nothing;
  const aq_time low = nears->at[place - 1].key, high = nears->at[place].key;
  return (aq_calibrate_sample){
      nears->count, low, low, (low + high) / 2, high, high, (low + high) / 2};
}

/* ---- graphs ---- */

/* Call -> first node contains a launch, warm or cold, and the time of the nodes
 * that have the first doorbell: as much as the call takes for as many. */
static bool graphs_report(const aq_calibrate *c, aq_time step, int64_t head,
                          aq_calibrate_facts *out)
{
  const aq_calibrate_sample *warm = &out->figures[AQ_CALIBRATE_WARM];
  const aq_calibrate_sample *cold = &out->figures[AQ_CALIBRATE_COLD];
  aq_calibrate_pairs first = {NULL, 0, 0}, node = {NULL, 0, 0};
  bool good = true;
  for (size_t i = 0; i < c->graph_count; i++) {
    const aq_calibrate_graph *graph = &c->graphs[i];
    const aq_calibrate_sample *launch = graph->idle < step ? warm : cold;
    if (launch->n > 0 && graph->nodes > head)
      good &= aq_calibrate_pairs_add(
          &first,
          ((graph->latency - launch->p50) * graph->nodes - head * graph->call) /
              (graph->nodes - head),
          0);
  }
  out->figures[AQ_CALIBRATE_GRAPH] = sample(&first);
  for (size_t i = 0; i < c->graph_count && first.count > 0; i++)
    good &= aq_calibrate_pairs_add(
        &node,
        (c->graphs[i].call - out->figures[AQ_CALIBRATE_GRAPH].p50) /
            c->graphs[i].nodes,
        0);
  out->figures[AQ_CALIBRATE_GRAPH_NODE] = sample(&node);
  free(first.at);
  free(node.at);
  return good;
}

/* The offset of the clocks that warm launches of all runs contain, as runs
 * whose own offset is known show it. */
static bool clocks_report(const aq_calibrate *c,
                          const aq_calibrate_model *model, aq_time step,
                          aq_calibrate_facts *out)
{
  const aq_calibrate_sample *warm = &out->figures[AQ_CALIBRATE_WARM];
  const aq_time ramp = ramp_of(AQ_CALIBRATE_WARM_RAMP, model->idle_ramp,
                               model->idle_ramp_kept, out);
  aq_calibrate_pairs offsets = {NULL, 0, 0};
  aq_clock_offset clock;
  bool good = true;
  for (size_t i = 0; i < c->skewed_count && warm->n > 0; i++) {
    const aq_calibrate_skewed *run = &c->skewed[i];
    aq_clock_offset_of(&run->witnesses, model->interrupt_to_host,
                       model->copy_return, &clock);
    for (size_t j = 0; j < run->launches.count; j++) {
      const aq_calibrate_pair *launch = &run->launches.at[j];
      if (launch->key < step)
        good &= aq_calibrate_pairs_add(
            &offsets,
            warm->p50 - (launch->value - clock.offset -
                         aq_time_ramp(launch->key, AQ_US, ramp)),
            0);
    }
  }
  out->figures[AQ_CALIBRATE_CLOCK] = sample(&offsets);
  free(offsets.at);
  return good;
}

aq_status aq_calibrate_report(aq_calibrate *c, const aq_calibrate_model *model,
                              aq_calibrate_facts *out, aq_diag *diag)
{
  bool good = true;
  *out = (aq_calibrate_facts){.idle_step = AQ_TIME_NONE,
                              .idle_below = AQ_TIME_NONE,
                              .idle_above = AQ_TIME_NONE,
                              .timestamp_step = c->step_differs ? 0 : c->step,
                              .gaps = c->gaps};
  for (int i = 0; i < AQ_CALIBRATE_COUNT; i++)
    out->figures[i] = sample(&c->values[i]);
  sort(&c->launches);
  if (!model->unmap_after_kept)
    good = step_find(
        &c->launches,
        model->unmap_after_prior ? model->unmap_after : AQ_TIME_NONE, out);
  const aq_time step =
      out->idle_step == AQ_TIME_NONE ? model->unmap_after : out->idle_step;
  good &= launches_part(c, model, step, out);
  /* Doorbells that a profiler's handler held: its start -> the kernel's. */
  aq_calibrate_pairs held = {NULL, 0, 0};
  for (size_t i = 0; i < c->handlers.count; i++)
    if (c->handlers.at[i].key >= -model->handler_guard &&
        c->handlers.at[i].key < model->handler_window)
      good &= aq_calibrate_pairs_add(&held, c->handlers.at[i].value, 0);
  out->figures[AQ_CALIBRATE_HANDLER] = sample(&held);
  free(held.at);
  good &= clocks_report(c, model, step, out);
  out->figures[AQ_CALIBRATE_BACK_TO_BACK] = lead_find(&c->nears);
  good &= graphs_report(c, step, model->graph_head, out);
  return good ? AQ_OK : aq_diag_no_memory(diag);
}
