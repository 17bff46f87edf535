/* SPDX-License-Identifier: MIT */
/* Level 2: durations that the first half of a run predicts of the second. */
#include "config.h"

#include <stdlib.h>

#include "study/loop/replay_priv.h"

/* How much alike rows have to be. */
typedef enum like_by {
  LIKE_SHAPE,
  LIKE_NAME,
  LIKE_FAMILY_SIZE,
  LIKE_FAMILY,
  LIKE_KIND,
} like_by;

typedef struct sorting {
  const aq_replay_row *rows;
  size_t half;
  like_by by_what;
} sorting;

static int order(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

static int compare_likes(const aq_replay_row *a, const aq_replay_row *b,
                         like_by by_what)
{
  int by = order(a->kind, b->kind);
  if (by == 0 && by_what <= LIKE_NAME)
    by = order(a->name, b->name);
  if (by == 0 && by_what < LIKE_KIND)
    by = order(a->family, b->family);
  if (by == 0 && by_what == LIKE_FAMILY_SIZE)
    by = order(a->size, b->size);
  if (by != 0 || by_what != LIKE_SHAPE)
    return by;
  by = order(a->bytes, b->bytes);
  for (int i = 0; i < 3 && by == 0; i++)
    by = order(a->grid[i], b->grid[i]);
  for (int i = 0; i < 3 && by == 0; i++)
    by = order(a->workgroup[i], b->workgroup[i]);
  return by;
}

/* Like rows together, the first half's before the others, shortest first. */
static int compare_rows(const void *left, const void *right, void *user)
{
  const sorting *s = user;
  const uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
  const aq_replay_row *a = &s->rows[i], *b = &s->rows[j];
  int by = compare_likes(a, b, s->by_what);
  by = by ? by : order(i >= s->half, j >= s->half);
  by = by ? by : order(a->end - a->start, b->end - b->start);
  return by ? by : order(i, j);
}

static int off_compare(const void *left, const void *right)
{
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* How far a prediction is off, in permille. */
static uint32_t off_of(aq_time predicted, aq_time own)
{
  const double off = (double)(predicted - own) / (double)own;
  const double permille = 1000 * (off < 0 ? -off : off);
  return permille < 4e9 ? (uint32_t)permille : UINT32_MAX;
}

/* Gives the rows of the second half that still lack one the median of their
 * likes; returns how many it found one for. `offs` gets how far each is off the
 * row's own duration. */
static uint64_t predict_by(aq_replay *r, uint32_t *places, bool *known,
                           uint32_t *offs, size_t *off_count, like_by by_what)
{
  sorting s = {r->rows, r->row_count / 2, by_what};
  uint64_t found = 0;
  qsort_r(places, r->row_count, sizeof *places, compare_rows, &s);
  for (size_t i = 0, end; i < r->row_count; i = end) {
    size_t learned = 0;
    for (end = i; end < r->row_count &&
                  compare_likes(&r->rows[places[i]], &r->rows[places[end]],
                                by_what) == 0;
         end++)
      learned += places[end] < s.half;
    const aq_replay_row *median = &r->rows[places[i + learned / 2]];
    for (size_t j = i + learned; j < end && learned > 0; j++) {
      if (known[places[j]])
        continue;
      known[places[j]] = true;
      aq_replay_row *row = &r->rows[places[j]];
      if (row->duration > 0)
        offs[(*off_count)++] = off_of(median->duration, row->duration);
      row->duration = median->duration;
      row->flags |= AQ_FLAG_PREDICTED;
      found++;
    }
  }
  return found;
}

/* Kernels of the second half that still lack a like row keep the durations that
 * they have; returns how many. */
static uint64_t new_keep(const aq_replay *r, bool *known)
{
  uint64_t kept = 0;
  for (size_t i = r->row_count / 2; i < r->row_count; i++)
    if (!known[i] && r->rows[i].kind == AQ_KIND_KERNEL) {
      known[i] = true;
      kept++;
    }
  return kept;
}

aq_status aq_replay_predict(aq_replay *r, aq_diag *diag)
{
  if (r->row_count == 0)
    return AQ_OK;
  uint32_t *places = malloc(r->row_count * sizeof *places);
  uint32_t *offs = malloc(r->row_count * sizeof *offs);
  bool *known = calloc(r->row_count, sizeof *known);
  size_t off_count = 0;
  const bool room = places && offs && known;
  for (size_t i = 0; i < r->row_count && room; i++) {
    places[i] = (uint32_t)i;
    if (i < r->row_count / 2)
      r->rows[i].flags |= AQ_FLAG_LEARNED;
  }
  r->facts.predicted = r->row_count - r->row_count / 2;
  r->facts.unlike = r->facts.unseen = r->facts.predicted;
  for (int by = LIKE_SHAPE; by <= LIKE_KIND && room; by++) {
    const uint64_t found =
        predict_by(r, places, known, offs, &off_count, (like_by)by);
    if (by == LIKE_SHAPE)
      r->facts.unlike -= found;
    if (by <= LIKE_NAME)
      r->facts.unseen -= found;
    if (by == LIKE_NAME && r->options.keep_new)
      r->facts.kept = new_keep(r, known);
  }
  if (off_count > 0)
    qsort(offs, off_count, sizeof *offs, off_compare);
  const size_t middle = off_count / 2;
  r->facts.prediction_error = off_count ? offs[middle] / 10.0 : 0;
  free(known);
  free(offs);
  free(places);
  return room ? AQ_OK : aq_diag_no_memory(diag);
}
