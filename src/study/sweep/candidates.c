/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"

/* ---- places that later sweeps found ---- */

typedef struct found_place {
  char *point;
  int64_t swept_us;
  size_t next; /* one more than the place of the next one of its key; or 0 */
} found_place;

typedef struct finder {
  aq_candidates found;
  const char *plan; /* NULL: all */
  bool shared;      /* runs have places in all plans */
  aq_names keys;    /* of places */
  size_t *first;    /* of each key, as `next` */
  size_t first_capacity;
  found_place *places;
  size_t place_count, place_capacity;
  aq_names names; /* of settings, and of rows */
  size_t *newest; /* of each, one more than the place of its newest candidate */
  size_t newest_capacity;
  bool good; /* memory sufficed */
} finder;

static void place_add(const aq_store_place *place, void *user)
{
  finder *f = user;
  if (!f->good || (f->plan && strcmp(place->plan, f->plan) != 0))
    return;
  const int64_t id =
      aq_names_id(&f->keys, place->content_key, strlen(place->content_key));
  f->good =
      id >= 0 &&
      AQ_ARRAY_RESERVE_ZEROED(f->first, f->first_capacity, (size_t)id + 1) &&
      AQ_ARRAY_RESERVE(f->places, f->place_capacity, f->place_count + 1);
  if (!f->good)
    return;
  found_place *made = &f->places[f->place_count];
  *made = (found_place){strdup(place->point), place->swept_us, f->first[id]};
  f->good = made->point != NULL;
  if (f->good)
    f->first[id] = ++f->place_count;
}

/* ---- the newest inputs ---- */

static bool is_newer(const aq_candidate *a, const aq_candidate *b)
{
  return a->time_us != b->time_us ? a->time_us > b->time_us
                                  : a->info->id > b->info->id;
}

/* Notes that candidate `at` belongs to the name; returns its id, or -1. */
static int64_t newest_note(finder *f, const char *name, size_t at)
{
  const aq_candidate *of = f->found.of;
  const int64_t id = name ? aq_names_id(&f->names, name, strlen(name)) : -1;
  if (id < 0 ||
      !AQ_ARRAY_RESERVE_ZEROED(f->newest, f->newest_capacity, (size_t)id + 1))
    return -1;
  size_t *newest = &f->newest[id];
  if (*newest == 0 || is_newer(&of[at], &of[*newest - 1]))
    *newest = at + 1;
  return id;
}

static bool is_same(const char *a, const char *b)
{
  return !a[0] || !b[0] || strcmp(a, b) == 0;
}

/* Policies are compared within a setting: all of its runs have the inputs of
 * the newest one. Of points that failed fewer are known. */
static bool is_outdated(const finder *f, const aq_candidate *of)
{
  const aq_candidate *newest = &f->found.of[f->newest[of->setting] - 1];
  const aq_candidate *row = &f->found.of[f->newest[of->row] - 1];
  const aq_study_place *a = &of->place, *b = &newest->place;
  const bool failed = of->info->failed || newest->info->failed;
  return strcmp(a->version, b->version) != 0 ||
         (failed ? !is_same(a->files, b->files) ||
                       !is_same(a->constants, b->constants)
                 : strcmp(a->files, b->files) != 0 ||
                       strcmp(a->constants, b->constants) != 0) ||
         (!of->info->failed && !row->info->failed &&
          strcmp(a->code, row->place.code) != 0);
}

/* ---- all of them ---- */

/* The run at `point`, instead of at an older place in this plan. */
static aq_status candidate_add(finder *f, const aq_run_info *info,
                               const char *point, int64_t time_us, bool own,
                               aq_diag *diag)
{
  aq_candidates *found = &f->found;
  aq_candidate made = {.info = info, .time_us = time_us};
  aq_status status = aq_study_place_read(info, point, &made.place, diag);
  if (status != AQ_OK)
    return status;
  aq_candidate *again = NULL;
  for (size_t i = found->count; i > 0 && found->of[i - 1].info == info; i--)
    if (strcmp(found->of[i - 1].place.plan, made.place.plan) == 0)
      again = &found->of[i - 1];
  const bool stale = again && time_us < again->time_us; /* of a removed run */
  const bool wanted = !stale && (f->plan ? strcmp(made.place.plan, f->plan) == 0
                                         : own || again || f->shared);
  if (wanted && again) {
    aq_study_place_fini(&again->place);
    *again = made;
  } else if (!wanted) {
    aq_study_place_fini(&made.place);
  } else if (!AQ_ARRAY_PUSH(found->of, found->count, found->capacity, made)) {
    aq_study_place_fini(&made.place);
    return aq_diag_no_memory(diag);
  }
  return AQ_OK;
}

static aq_status run_add(finder *f, const aq_run_info *info, aq_diag *diag)
{
  const bool failed = info->failed && info->point && info->content_key;
  if (!failed && !aq_study_run_counts(info))
    return AQ_OK;
  aq_status status =
      candidate_add(f, info, info->point, info->created * 1000000, true, diag);
  const int64_t key = info->content_key
                          ? aq_names_find(&f->keys, info->content_key,
                                          strlen(info->content_key))
                          : -1;
  for (size_t at = key < 0 ? 0 : f->first[key]; at && status == AQ_OK;
       at = f->places[at - 1].next)
    status = candidate_add(f, info, f->places[at - 1].point,
                           f->places[at - 1].swept_us, false, diag);
  return status;
}

static aq_status newest_find(finder *f, aq_diag *diag)
{
  for (size_t i = 0; i < f->found.count; i++) {
    aq_candidate *of = &f->found.of[i];
    char *row = NULL;
    if (asprintf(&row, "%s\n%s", of->place.policy, of->place.setting) < 0)
      row = NULL;
    of->setting = newest_note(f, of->place.setting, i);
    of->row = newest_note(f, row, i);
    free(row);
    if (of->setting < 0 || of->row < 0)
      return aq_diag_no_memory(diag);
  }
  for (size_t i = 0; i < f->found.count; i++)
    f->found.of[i].outdated = is_outdated(f, &f->found.of[i]);
  return AQ_OK;
}

static bool is_asked(int64_t id, const int64_t *runs, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (runs[i] == id)
      return true;
  return runs == NULL;
}

aq_status aq_candidates_read(aq_store *store, const int64_t *runs,
                             size_t run_count, const char *plan, bool shared,
                             aq_candidates *out, aq_diag *diag)
{
  finder f = {.plan = plan,
              .shared = shared,
              .keys = AQ_NAMES_INIT,
              .names = AQ_NAMES_INIT,
              .good = true};
  aq_status status = aq_store_list(store, &f.found.list, diag);
  if (status != AQ_OK)
    return status;
  status = aq_store_places(store, place_add, &f, diag);
  if (status == AQ_OK && !f.good)
    status = aq_diag_no_memory(diag);
  for (size_t i = 0; i < f.found.list.count && status == AQ_OK; i++) {
    const aq_run_info *info = f.found.list.runs[i];
    if (!is_asked(info->id, runs, run_count))
      continue;
    f.found.asked++;
    f.found.fell_back += aq_study_run_fell_back(info);
    status = run_add(&f, info, diag);
  }
  if (status == AQ_OK)
    status = newest_find(&f, diag);
  for (size_t i = 0; i < f.place_count; i++)
    free(f.places[i].point);
  free(f.places);
  free(f.first);
  free(f.newest);
  aq_names_fini(&f.keys);
  aq_names_fini(&f.names);
  if (status == AQ_OK)
    *out = f.found;
  else
    aq_candidates_fini(&f.found);
  return status;
}

void aq_candidates_fini(aq_candidates *candidates)
{
  for (size_t i = 0; i < candidates->count; i++)
    aq_study_place_fini(&candidates->of[i].place);
  free(candidates->of);
  aq_run_list_fini(&candidates->list);
  *candidates = (aq_candidates){0};
}
