/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/match_devices.h"

#include <stdlib.h>

#include "common/array.h"

/* What dispatches have of both. */
typedef struct place {
  int64_t device, rank;
  int64_t rank_of_all; /* its rank, else the only one of its device */
  int64_t id;          /* the source's, of the device */
  size_t at;           /* among the places */
  uint32_t number;
} place;

typedef struct places {
  place *list; /* by device and rank; an unknown rank first */
  size_t count, capacity;
} places;

static int order(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

static int by_device(const void *left, const void *right)
{
  const place *a = left, *b = right;
  const int by = order(a->device, b->device);
  return by ? by : order(a->rank, b->rank);
}

static int by_rank(const void *left, const void *right)
{
  const place *a = left, *b = right;
  int by = order(a->rank_of_all, b->rank_of_all);
  by = by ? by : order(a->id, b->id);
  return by ? by : order(a->device, b->device);
}

/* One for each device and rank, of the dispatches whose device is known. */
static bool places_find(const aq_dispatches *d, places *out)
{
  place last = {.device = AQ_NONE, .rank = AQ_NONE};
  size_t kept = 0;
  for (size_t i = 0; i < d->count; i++) {
    const place p = {.device = d->rows[i].device, .rank = d->rows[i].rank};
    if (p.device == AQ_NONE || by_device(&p, &last) == 0)
      continue;
    last = p;
    if (!AQ_ARRAY_PUSH(out->list, out->count, out->capacity, p))
      return false;
  }
  if (out->count > 0)
    qsort(out->list, out->count, sizeof *out->list, by_device);
  for (size_t i = 0; i < out->count; i++)
    if (kept == 0 || by_device(&out->list[kept - 1], &out->list[i]) != 0)
      out->list[kept++] = out->list[i];
  out->count = kept;
  return true;
}

/* Dispatches without a rank belong to that of the others, if that is one. */
static void places_describe(places *p, const int64_t *ids, size_t id_count)
{
  for (size_t i = 0; i < p->count; i++) {
    place *at = &p->list[i];
    const bool one = i + 1 < p->count && at[1].device == at->device &&
                     (i + 2 == p->count || at[2].device != at->device);
    at->at = i;
    at->id = at->device >= 0 && (size_t)at->device < id_count ? ids[at->device]
                                                              : at->device;
    at->rank_of_all = at->rank == AQ_NONE && one ? at[1].rank : at->rank;
  }
}

/* Gives each place its number. */
static bool places_number(places *p, aq_match_devices *out)
{
  place *ranked = malloc((p->count + 1) * sizeof *ranked);
  out->ordinals = malloc((p->count + 1) * sizeof *out->ordinals);
  if (!ranked || !out->ordinals) {
    free(ranked);
    return false;
  }
  for (size_t i = 0; i < p->count; i++)
    ranked[i] = p->list[i];
  if (p->count > 0)
    qsort(ranked, p->count, sizeof *ranked, by_rank);
  for (size_t i = 0; i < p->count; i++) {
    out->count += i == 0 || by_rank(&ranked[i - 1], &ranked[i]) != 0;
    out->ordinals[out->count] = ranked[i].device;
    p->list[ranked[i].at].number = (uint32_t)out->count;
  }
  free(ranked);
  return true;
}

bool aq_match_devices_number(const aq_dispatches *dispatches,
                             const int64_t *ids, size_t id_count,
                             aq_match_devices *out)
{
  const aq_dispatches *d = dispatches;
  places p = {0};
  aq_match_devices made = {.numbers =
                               calloc(d->count + 1, sizeof *made.numbers)};
  bool done = made.numbers && places_find(d, &p);
  if (done) {
    places_describe(&p, ids, id_count);
    done = places_number(&p, &made);
  }
  for (size_t i = 0; done && i < d->count; i++) {
    const place own = {.device = d->rows[i].device, .rank = d->rows[i].rank};
    const place *at = own.device == AQ_NONE ? NULL
                                            : bsearch(&own, p.list, p.count,
                                                      sizeof own, by_device);
    made.numbers[i] = at ? at->number : 0;
  }
  free(p.list);
  if (done)
    *out = made;
  else
    aq_match_devices_fini(&made);
  return done;
}

void aq_match_devices_fini(aq_match_devices *devices)
{
  free(devices->numbers);
  free(devices->ordinals);
  *devices = (aq_match_devices){0};
}
