/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/workload/distribution.h"

#include <math.h>

enum { SHAPE_MAX = 1000, CHOICES_MAX = 1000000 };

static double exponential(double mean, aq_rng *rng)
{
  return -log(aq_rng_unit(rng)) * mean;
}

/* Box and Muller's method; the second number is not kept, so that a draw takes
 * the same from the generator wherever it stands. */
static double standard_normal(aq_rng *rng)
{
  const double radius = sqrt(-2 * log(aq_rng_unit(rng)));
  return radius * cos(2 * M_PI * aq_rng_unit(rng));
}

/* Draws of long tails stay far from the end of time. */
static aq_time from_double(double ps)
{
  const double most = (double)(AQ_TIME_MAX / 16);
  return ps <= 0 ? 0 : (aq_time)(ps < most ? ps : most);
}

static aq_time erlang(const aq_distribution *d, aq_rng *rng)
{
  double sum = 0;
  for (uint32_t i = 0; i < d->shape; i++)
    sum += exponential((double)d->a / d->shape, rng);
  return from_double(sum);
}

aq_time aq_distribution_draw(const aq_distribution *d, aq_rng *rng)
{
  switch (d->kind) {
  case AQ_CONSTANT:
    break;
  case AQ_UNIFORM:
    return d->a + (aq_time)(aq_rng_unit(rng) * (double)(d->b - d->a));
  case AQ_EXPONENTIAL:
    return from_double(exponential((double)d->a, rng));
  case AQ_NORMAL:
    return from_double((double)d->a + standard_normal(rng) * (double)d->b);
  case AQ_LOGNORMAL:
    return from_double((double)d->a * exp(standard_normal(rng) * d->sigma));
  case AQ_ERLANG:
    return erlang(d, rng);
  case AQ_CHOICE:
    return d->choices[(size_t)(aq_rng_unit(rng) * (double)d->choice_count)];
  }
  return d->a;
}

bool aq_distribution_is_zero(const aq_distribution *d)
{
  if (d->kind == AQ_CHOICE) {
    size_t i = 0;
    while (i < d->choice_count && d->choices[i] == 0)
      i++;
    return i == d->choice_count;
  }
  return d->a == 0 && d->b == 0;
}

/* ---- reading ---- */

static aq_status uniform_read(const aq_json_node *node, aq_arena *arena,
                              aq_distribution *out)
{
  (void)arena;
  size_t count;
  aq_status status = aq_json_array(node, 2, 2, &count);
  if (status != AQ_OK)
    return status;
  const aq_json_node low = aq_json_element(node, 0);
  const aq_json_node high = aq_json_element(node, 1);
  status = aq_json_time(&low, &out->a);
  if (status == AQ_OK)
    status = aq_json_time(&high, &out->b);
  if (status == AQ_OK && out->b < out->a)
    status = aq_json_error(&high, "less than the lower end");
  return status;
}

static aq_status exponential_read(const aq_json_node *node, aq_arena *arena,
                                  aq_distribution *out)
{
  (void)arena;
  return aq_json_time(node, &out->a);
}

static aq_status time_member(const aq_json_node *node, const char *key,
                             aq_time *out)
{
  aq_json_node member;
  aq_status status = aq_json_need(node, key, &member);
  return status == AQ_OK ? aq_json_time(&member, out) : status;
}

static aq_status normal_read(const aq_json_node *node, aq_arena *arena,
                             aq_distribution *out)
{
  static const char *const keys[] = {"mean", "deviation", NULL};
  (void)arena;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = time_member(node, "mean", &out->a);
  if (status == AQ_OK)
    status = time_member(node, "deviation", &out->b);
  return status;
}

static aq_status lognormal_read(const aq_json_node *node, aq_arena *arena,
                                aq_distribution *out)
{
  static const char *const keys[] = {"median", "sigma", NULL};
  aq_json_node sigma;
  (void)arena;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = time_member(node, "median", &out->a);
  if (status == AQ_OK)
    status = aq_json_need(node, "sigma", &sigma);
  return status == AQ_OK ? aq_json_number(&sigma, 0, 10, &out->sigma) : status;
}

static aq_status erlang_read(const aq_json_node *node, aq_arena *arena,
                             aq_distribution *out)
{
  static const char *const keys[] = {"mean", "shape", NULL};
  aq_json_node shape;
  int64_t value;
  (void)arena;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = time_member(node, "mean", &out->a);
  if (status == AQ_OK)
    status = aq_json_need(node, "shape", &shape);
  if (status == AQ_OK)
    status = aq_json_integer(&shape, 1, SHAPE_MAX, &value);
  if (status == AQ_OK)
    out->shape = (uint32_t)value;
  return status;
}

static aq_status choice_read(const aq_json_node *node, aq_arena *arena,
                             aq_distribution *out)
{
  size_t count;
  aq_status status = aq_json_array(node, 1, CHOICES_MAX, &count);
  if (status != AQ_OK)
    return status;
  aq_time *choices = aq_arena_alloc(arena, count * sizeof *choices);
  if (!choices)
    return aq_json_no_memory(node);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(node, i);
    status = aq_json_time(&element, &choices[i]);
  }
  out->choices = choices;
  out->choice_count = count;
  return status;
}

static const struct {
  const char *key;
  aq_distribution_kind kind;
  aq_status (*read)(const aq_json_node *node, aq_arena *arena,
                    aq_distribution *out);
} readers[] = {
    {"uniform", AQ_UNIFORM, uniform_read},
    {"exponential", AQ_EXPONENTIAL, exponential_read},
    {"normal", AQ_NORMAL, normal_read},
    {"lognormal", AQ_LOGNORMAL, lognormal_read},
    {"erlang", AQ_ERLANG, erlang_read},
    {"choice", AQ_CHOICE, choice_read},
};

aq_status aq_distribution_read(const aq_json_node *node, aq_arena *arena,
                               aq_distribution *out)
{
  static const char *const keys[] = {"uniform",   "exponential", "normal",
                                     "lognormal", "erlang",      "choice",
                                     NULL};
  aq_distribution read = {.kind = AQ_CONSTANT};
  aq_status status = AQ_OK;
  size_t count;
  if (!aq_json_is_object(node)) {
    status = aq_json_time(node, &read.a);
  } else {
    status = aq_json_object(node, keys);
    if (status == AQ_OK)
      status = aq_json_members(node, &count);
    if (status == AQ_OK && count != 1)
      status = aq_json_error(node, "one distribution expected, not %zu", count);
    for (size_t i = 0; status == AQ_OK && i < sizeof readers / sizeof *readers;
         i++) {
      aq_json_node member;
      if (!aq_json_member(node, readers[i].key, &member))
        continue;
      read.kind = readers[i].kind;
      status = readers[i].read(&member, arena, &read);
    }
  }
  if (status == AQ_OK)
    *out = read;
  return status;
}
