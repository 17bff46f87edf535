/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/step_match.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/text.h"

static int by_number(const void *left, const void *right)
{
  const int64_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

bool aq_run_steps_take(const aq_dispatches *dispatches, aq_run_steps *out)
{
  const aq_dispatches *d = dispatches;
  aq_run_steps steps = {.kind = d->context.steps, .period = d->context.period};
  steps.numbers = malloc((d->count + 1) * sizeof *steps.numbers);
  if (!steps.numbers)
    return false;
  size_t all = 0;
  for (size_t i = 0; i < d->count; i++)
    if (d->rows[i].step != AQ_NONE)
      steps.numbers[all++] = d->rows[i].step;
  qsort(steps.numbers, all, sizeof *steps.numbers, by_number);
  for (size_t i = 0; i < all; i++)
    if (i == 0 || steps.numbers[i] != steps.numbers[steps.count - 1])
      steps.numbers[steps.count++] = steps.numbers[i];
  *out = steps;
  return true;
}

void aq_run_steps_fini(aq_run_steps *steps)
{
  free(steps->numbers);
  *steps = (aq_run_steps){0};
}

bool aq_run_steps_differ(const aq_run_steps *a, const aq_run_steps *b)
{
  return a->kind != AQ_STEPS_NONE && b->kind != AQ_STEPS_NONE &&
         a->kind != b->kind;
}

static void steps_text(const aq_run_steps *steps, char *out, size_t size)
{
  if (steps->kind == AQ_STEPS_MARKED)
    snprintf(out, size, "ProfilerStep");
  else
    snprintf(out, size, "a repeated sequence of %zu kernel%s", steps->period,
             aq_text_plural(steps->period));
}

aq_status aq_run_steps_refuse(const aq_run_steps *a, int64_t a_run,
                              const aq_run_steps *b, int64_t b_run,
                              aq_diag *diag)
{
  char texts[2][80];
  steps_text(a, texts[0], sizeof texts[0]);
  steps_text(b, texts[1], sizeof texts[1]);
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "a step of run %lld is %s, of run %lld %s: not compared "
                     "by step",
                     (long long)a_run, texts[0], (long long)b_run, texts[1]);
}

/* The place of a number; `count`: it is none of them. */
static size_t place_of(const aq_run_steps *steps, int64_t number)
{
  const int64_t *found = steps->count
                             ? bsearch(&number, steps->numbers, steps->count,
                                       sizeof *steps->numbers, by_number)
                             : NULL;
  return found ? (size_t)(found - steps->numbers) : steps->count;
}

bool aq_run_steps_by_order(const aq_run_steps *a, const aq_run_steps *b)
{
  if (a->kind != AQ_STEPS_MARKED || b->kind != AQ_STEPS_MARKED ||
      a->count == 0 || b->count == 0)
    return false;
  for (size_t i = 0; i < b->count; i++)
    if (place_of(a, b->numbers[i]) < a->count)
      return false;
  return true;
}

int64_t aq_run_steps_nth(const aq_run_steps *from, int64_t number,
                         const aq_run_steps *to)
{
  const size_t place = place_of(from, number);
  return place < from->count && place < to->count ? to->numbers[place]
                                                  : AQ_NONE;
}

void aq_run_steps_map(const aq_run_steps *first, const aq_run_steps *own,
                      int64_t *keys, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const int64_t number = aq_run_steps_nth(own, keys[i], first);
    if (number != AQ_NONE)
      keys[i] = number;
  }
}
