/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/timestamp_resolution.h"

#include <stdlib.h>

enum {
  STEP_ROWS = 4096,      /* rows that are looked at */
  STEP_NEEDED = 20,      /* intervals that determine the step */
  STEP_LONGEST = 50,     /* us */
  STEP_TOLERANCE = 1500, /* ps: both timestamps were rounded to ns */
  SCALE_STEPS = 250,     /* of 20 ppm: how far apart the clocks may run */
};

static const int step_sizes[] = {160, 40}; /* ns, the larger ones first */

struct aq_timestamps {
  aq_time values[2 * STEP_ROWS]; /* intervals */
  size_t count;
  size_t rows;    /* that were looked at */
  aq_record last; /* kernel; of another kind: none so far */
};

aq_timestamps *aq_timestamps_create(void)
{
  aq_timestamps *all = calloc(1, sizeof *all);
  if (all)
    all->last.kind = AQ_KIND_WAIT;
  return all;
}

void aq_timestamps_free(aq_timestamps *all)
{
  free(all);
}

static void interval_add(aq_timestamps *all, aq_time from, aq_time to)
{
  const aq_time length = to - from;
  if (length >= 2 * AQ_NS && length <= STEP_LONGEST * AQ_US &&
      all->count < sizeof all->values / sizeof *all->values)
    all->values[all->count++] = length;
}

bool aq_timestamps_add(aq_timestamps *all, const aq_record *row)
{
  if (all->rows >= STEP_ROWS)
    return false;
  all->rows++;
  if (row->kind != AQ_KIND_KERNEL || row->start == AQ_TIME_NONE ||
      row->end == AQ_TIME_NONE)
    return true;
  interval_add(all, row->start, row->end);
  if (all->last.kind == AQ_KIND_KERNEL && all->last.device == row->device)
    interval_add(all, all->last.end, row->start);
  all->last = *row;
  return true;
}

/* Whether nearly all are multiples of the step: some rows were repaired. Most
 * steps are none, and a few intervals show it. */
static bool step_fits(const aq_timestamps *all, aq_time step)
{
  size_t others = 0;
  for (size_t i = 0; i < all->count && others * 10 <= all->count; i++) {
    const aq_time rest = all->values[i] % step;
    others += rest > STEP_TOLERANCE && rest < step - STEP_TOLERANCE;
  }
  return others * 10 <= all->count;
}

/* Whether the intervals are multiples of a step and of no larger one: times
 * that were rounded to whole us are multiples of 40 ns too. */
static bool is_step(const aq_timestamps *all, aq_time step)
{
  static const int factors[] = {2, 3, 5};
  if (!step_fits(all, step))
    return false;
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    if (step_fits(all, step * factors[i]))
      return false;
  return true;
}

/* Profilers translate ticks to the host's clock, which runs a little faster or
 * slower: a step of 40 ns becomes one of 40.09. */
int aq_timestamps_step(const aq_timestamps *all)
{
  if (all->count < STEP_NEEDED)
    return 0;
  for (size_t i = 0; i < sizeof step_sizes / sizeof *step_sizes; i++)
    for (int scale = -SCALE_STEPS; scale <= SCALE_STEPS; scale++)
      if (is_step(all, step_sizes[i] * AQ_NS * (50000 + scale) / 50000))
        return step_sizes[i];
  return 0;
}

static aq_status rows_read(aq_run_reader *reader, aq_timestamps *all,
                           aq_diag *diag)
{
  enum { BATCH = 64 };
  aq_record rows[BATCH];
  size_t count = 1;
  bool more = true;
  aq_status status = AQ_OK;
  while (more && status == AQ_OK && count > 0) {
    status = aq_run_reader_next(reader, rows, NULL, BATCH, &count, diag);
    for (size_t i = 0; more && status == AQ_OK && i < count; i++)
      more = aq_timestamps_add(all, &rows[i]);
  }
  return status;
}

aq_status aq_timestamp_step_find(aq_store *store, int64_t run, int *step,
                                 aq_diag *diag)
{
  aq_run_reader *reader;
  aq_timestamps *all = aq_timestamps_create();
  if (!all)
    return aq_diag_no_memory(diag);
  aq_status status =
      aq_run_reader_open(store, run, AQ_ORDER_START, &reader, diag);
  if (status == AQ_OK) {
    status = rows_read(reader, all, diag);
    aq_run_reader_close(reader);
  }
  *step = aq_timestamps_step(all);
  aq_timestamps_free(all);
  return status;
}
