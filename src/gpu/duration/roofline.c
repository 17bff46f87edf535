/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/duration/roofline.h"

#include <math.h>
#include <string.h>

#include "gpu/duration/cross_device.h"

enum {
  SEGMENT = 64, /* bytes */
  LINE = 128,
  POWER = 3, /* parts overlap: the time is their norm */
};

/* 5 % and 95 % of measured over predicted durations of kernels of programs that
 * the fit did not see (make fit-executed). */
static const double SPREAD_LEAST = 0.7, SPREAD_MOST = 1.45;

const char *const aq_executed_names[AQ_EXECUTED_COUNT] = {
#define P(id, name, meaning) name,
    AQ_EXECUTED_PARTS(P)
#undef P
};

aq_status aq_executed_mode_read(const char *text, aq_executed_mode *out,
                                aq_diag *diag)
{
  static const char *const words[] = {[AQ_EXECUTED_NONE] = "fixed",
                                      [AQ_EXECUTED_AUTO] = "auto",
                                      [AQ_EXECUTED_ALL] = "executed",
                                      [AQ_EXECUTED_SAMPLED] = "sampled"};
  if (!text || !*text)
    return AQ_OK;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(text, words[i]) == 0) {
      *out = (aq_executed_mode)i;
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "'%.80s'; expected auto, fixed, executed or sampled",
                     text);
}

void aq_rates_read(aq_rates *out, const char *gfx,
                   int64_t (*number)(const void *model, const char *key),
                   const void *model)
{
#define R(key) out->key = number(model, #key);
#include "gpu/duration/rates.def"
#undef R
  out->matrix = aq_matrix_operations(gfx);
}

/* ---- shares ---- */

typedef struct shares {
  double groups, waves; /* of the dispatch, of a workgroup */
  double counted;       /* waves */
  double busiest;       /* workgroups of a compute unit */
  double rounds;        /* of workgroups after one another, at least 1 */
  double cached;        /* part of the accesses behind L2 that its cache has */
  double clock;         /* cycles in a ps */
} shares;

static double least_of(double a, double b)
{
  return a < b ? a : b;
}

static double most_of(double a, double b)
{
  return a > b ? a : b;
}

/* Workgroups that a compute unit holds. */
static double resident_of(const aq_counted *work, const aq_rates *rates)
{
  const double granule = (double)rates->vgpr_granule;
  const double vgprs =
      most_of(1, ceil((double)work->vgprs / granule)) * granule;
  const double waves = least_of((double)rates->waves_per_simd,
                                floor((double)rates->vgprs_per_simd / vgprs)) *
                       (double)rates->simds_per_cu;
  double groups = floor(waves / (double)work->waves);
  if (work->lds > 0)
    groups =
        least_of(groups, floor((double)rates->lds_per_cu / (double)work->lds));
  if (work->waves > 1)
    groups = least_of(groups, (double)rates->barriers_per_cu);
  return most_of(groups, 1);
}

/* The part of its lines that the cache behind L2 answers. */
static double cached_of(const aq_counted *work, const aq_rates *rates)
{
  if (rates->far_cache <= 0 || work->footprint <= 0)
    return rates->far_cache > 0;
  return least_of(1, (double)rates->far_cache / (double)work->footprint);
}

static shares shares_of(const aq_counted *work, const aq_rates *rates)
{
  const double resident = resident_of(work, rates);
  shares s = {.groups = (double)work->groups,
              .waves = (double)work->waves,
              .counted = (double)work->counted * (double)work->waves,
              .clock = (double)rates->clock / AQ_S};
  s.busiest = ceil(s.groups / (double)rates->cus);
  s.rounds = s.busiest <= resident
                 ? 1
                 : most_of(1, s.groups / ((double)rates->cus * resident));
  s.cached = cached_of(work, rates);
  return s;
}

/* ---- parts, in ps ---- */

/* A wave's instructions and waits, of the longest of its workgroup. */
static double latency_of(const aq_counted *work, const aq_rates *rates,
                         const shares *s)
{
  const double far = s->cached * (double)rates->far_latency +
                     (1 - s->cached) * (double)rates->memory_latency;
  const double waits =
      (double)work->waits_l1 * (double)rates->l1_latency +
      (double)work->waits_l2 * (double)rates->l2_latency +
      (double)work->waits_far * far +
      (double)work->waits_store * (double)rates->store_latency +
      (double)work->waits_lds * (double)rates->lds_latency +
      (double)work->waits_smem * (double)rates->scalar_latency;
  const double wave =
      ((double)work->issued * (double)rates->wave_issue + waits / 1000) /
      s->counted;
  const double longest = work->cycles > 0 ? (double)work->cycles_most *
                                                s->waves / (double)work->cycles
                                          : 1;
  return s->rounds * wave * longest;
}

/* Work of its workgroups on the busiest compute unit, at `rate` a cycle. */
static double unit_of(int64_t work, double rate, const aq_counted *of,
                      const shares *s)
{
  return s->busiest * (double)work / (double)of->counted / rate / s->clock;
}

static double l2_of(const aq_counted *work, const aq_rates *rates,
                    const shares *s)
{
  const double bytes = (double)work->l2 / (double)work->counted * SEGMENT;
  return s->groups * bytes / (double)rates->l2_cycle / (double)rates->xccs /
         s->clock;
}

static double memory_of(const aq_counted *work, const aq_rates *rates,
                        const shares *s)
{
  const double counted = (double)work->counted;
  const double lines = (double)(work->far_reads + work->far_writes);
  const double bytes = s->groups * lines / counted * LINE;
  const double memory =
      (double)rates->memory_bandwidth * (double)rates->memory_reached / 100;
  const double moved =
      bytes *
      (s->cached / (double)rates->far_bandwidth + (1 - s->cached) / memory) *
      AQ_S;
  const double missed =
      work->footprint > rates->page_reach
          ? 1 - (double)rates->page_reach / (double)work->footprint
          : 0;
  return moved + s->groups * (double)work->pages / counted *
                     (double)rates->page_walk * missed;
}

static aq_time time_of(double ps)
{
  return ps < (double)(AQ_TIME_MAX / 4) ? (aq_time)llround(ps)
                                        : AQ_TIME_MAX / 4;
}

aq_executed aq_executed_predict(const aq_counted *work, const aq_rates *rates)
{
  aq_executed out = {.time = 0};
  double parts[AQ_EXECUTED_COUNT], sum = 0;
  if (work->counted <= 0 || work->groups <= 0 || work->waves <= 0)
    return out;
  const shares s = shares_of(work, rates);
  const double simds = (double)rates->simds_per_cu;
  parts[AQ_EXECUTED_LATENCY] = latency_of(work, rates, &s);
  parts[AQ_EXECUTED_ISSUE] = unit_of(work->valu, simds, work, &s);
  parts[AQ_EXECUTED_MATRIX] =
      rates->matrix > 0 ? unit_of(work->matrix, rates->matrix, work, &s) : 0;
  parts[AQ_EXECUTED_L1] = unit_of(work->l1, 1, work, &s);
  parts[AQ_EXECUTED_LDS] = unit_of(work->bank_cycles, 1, work, &s);
  parts[AQ_EXECUTED_L2] = l2_of(work, rates, &s);
  parts[AQ_EXECUTED_MEMORY] = memory_of(work, rates, &s);
  parts[AQ_EXECUTED_WORKGROUPS] = s.groups * (double)rates->workgroup_interval;
  for (int i = 0; i < AQ_EXECUTED_COUNT; i++) {
    sum += pow(parts[i], POWER);
    out.parts[i] = time_of(parts[i]);
    if (parts[i] > parts[out.limit])
      out.limit = (aq_executed_part)i;
  }
  const double time = pow(sum, 1.0 / POWER);
  const double sampled =
      work->error > 0 ? 1.645 * (double)work->error / 1e6 : 0;
  out.time = time_of(time);
  out.least = time_of(time * SPREAD_LEAST * most_of(0, 1 - sampled));
  out.most = time_of(time * SPREAD_MOST * (1 + sampled));
  return out;
}

/* ---- peaks ---- */

static double at_peak(double work, double rate)
{
  return rate > 0 ? work / rate * AQ_S : NAN;
}

aq_peak_times aq_executed_peaks(const aq_counted *work, const aq_rates *rates)
{
  if (work->counted <= 0 || work->groups <= 0)
    return (aq_peak_times){NAN, NAN, NAN, NAN};
  const double all = (double)work->groups / (double)work->counted;
  const double cycles = (double)rates->cus * (double)rates->clock;
  const double lines = (double)(work->far_reads + work->far_writes);
  const double bytes = all * lines * LINE, cached = cached_of(work, rates);
  return (aq_peak_times){
      at_peak(all * (double)work->valu, cycles * (double)rates->simds_per_cu),
      at_peak(all * (double)work->matrix, cycles * rates->matrix),
      rates->far_cache > 0
          ? at_peak(cached * bytes, (double)rates->far_bandwidth)
          : NAN,
      at_peak((1 - cached) * bytes, (double)rates->memory_bandwidth)};
}
