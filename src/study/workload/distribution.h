/* SPDX-License-Identifier: MIT */
/*
 * Random durations, which a scenario states where a time may vary. A draw is
 * never negative. Plain data, thread-compatible.
 */
#ifndef AQ_STUDY_WORKLOAD_DISTRIBUTION_H
#define AQ_STUDY_WORKLOAD_DISTRIBUTION_H

#include <stddef.h>

#include "common/arena.h"
#include "common/json_in.h"
#include "common/rng.h"
#include "common/time.h"

typedef enum aq_distribution_kind {
  AQ_CONSTANT,
  AQ_UNIFORM,     /* a ≤ x < b */
  AQ_EXPONENTIAL, /* mean a */
  AQ_NORMAL,      /* mean a, deviation b, cut at 0 */
  AQ_LOGNORMAL,   /* median a, sigma of the logarithm */
  AQ_ERLANG,      /* mean a, sum of `shape` exponentials */
  AQ_CHOICE,      /* one of `choices`, each as likely */
} aq_distribution_kind;

typedef struct aq_distribution {
  aq_distribution_kind kind;
  aq_time a, b; /* ps */
  double sigma;
  uint32_t shape;
  const aq_time *choices; /* owned by the arena it was read into */
  size_t choice_count;
} aq_distribution;

aq_time aq_distribution_draw(const aq_distribution *distribution, aq_rng *rng);

/* Whether every draw is 0. */
bool aq_distribution_is_zero(const aq_distribution *distribution);

/* Reads "3us", {"uniform": ["1us", "2us"]}, {"exponential": "3us"}, … */
aq_status aq_distribution_read(const aq_json_node *node, aq_arena *arena,
                               aq_distribution *out);

#endif
