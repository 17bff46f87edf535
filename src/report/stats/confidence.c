/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/confidence.h"

#include <math.h>

enum { BATCHES = 20, MSER_BATCH = 5 };

/* The 97.5 % quantile of Student's t. */
static double student(size_t freedom)
{
  static const double exact[] = {NAN,   12.706, 4.303, 3.182, 2.776, 2.571,
                                 2.447, 2.365,  2.306, 2.262, 2.228};
  const double z = 1.959964, n = (double)freedom;
  if (freedom < sizeof exact / sizeof *exact)
    return exact[freedom];
  /* Cornish-Fisher: good to three digits from here on. */
  return z + (z * z * z + z) / (4 * n) +
         (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

aq_estimate aq_estimate_of(const double *values, size_t count)
{
  aq_estimate out = {NAN, NAN, count};
  double sum = 0, squares = 0;
  if (count == 0)
    return out;
  for (size_t i = 0; i < count; i++)
    sum += values[i];
  out.mean = sum / (double)count;
  for (size_t i = 0; i < count; i++)
    squares += (values[i] - out.mean) * (values[i] - out.mean);
  if (count > 1)
    out.half = student(count - 1) *
               sqrt(squares / (double)(count - 1) / (double)count);
  return out;
}

aq_estimate aq_estimate_batches(const double *values, size_t count)
{
  double means[BATCHES];
  aq_estimate out = aq_estimate_of(values, count);
  const size_t size = count / BATCHES;
  out.half = NAN;
  if (size == 0)
    return out;
  for (size_t b = 0; b < BATCHES; b++) {
    double sum = 0;
    for (size_t i = 0; i < size; i++)
      sum += values[b * size + i];
    means[b] = sum / (double)size;
  }
  out.half = aq_estimate_of(means, BATCHES).half;
  return out;
}

size_t aq_mser5(const double *values, size_t count)
{
  const size_t batches = count / MSER_BATCH;
  size_t cut = 0;
  double best = INFINITY, sum = 0, squares = 0;
  /* From the end: each step adds one batch to the rest. */
  for (size_t left = 1; left <= batches; left++) {
    const size_t at = batches - left;
    double batch = 0;
    for (size_t i = 0; i < MSER_BATCH; i++)
      batch += values[at * MSER_BATCH + i] / MSER_BATCH;
    sum += batch;
    squares += batch * batch;
    const double n = (double)left;
    const double error = (squares - sum * sum / n) / (n * n);
    if (at <= batches / 2 && error <= best) {
      best = error;
      cut = at;
    }
  }
  return cut * MSER_BATCH;
}
