/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "report/compare/diff_window.h"
#include "report/compare/match.h"
#include "report/compare/renamed.h"
#include "report/explain/explain_run.h"
#include "report/stats/launch_context.h"
#include "report/stats/selection.h"
#include "report/stats/stats.h"

const char *const aq_diff_part_names[AQ_DIFF_PART_COUNT] = {
#define P(id, name, meaning) name,
    AQ_DIFF_PARTS(P)
#undef P
};

/* 99 % of a normal distribution lie within so many deviations. */
#define Z99 2.5758293035489004

struct aq_name_table {
  aq_names names;
};

/* Sums over pairs, as they come: Welford's, which loses no digits. */
typedef struct sums {
  int64_t pairs;
  double a, b, mean, squares, changed;
  int64_t added_rows, removed_rows;
  double added, removed;
} sums;

/* What comparing two runs needs. */
typedef struct work {
  aq_dispatches a, b;
  uint32_t *a_names, *b_names;
  int64_t *a_keys, *b_keys;    /* of groups */
  aq_map a_kernels, b_kernels; /* numbers of the names of the whole runs */
  aq_matches matches;
} work;

/* ---- parts ---- */

static aq_time part_of(const aq_dispatch_row *row, aq_diff_part part)
{
  switch (part) {
  case AQ_DIFF_API:
    return row->host_begin == AQ_TIME_NONE || row->host_end == AQ_TIME_NONE
               ? AQ_NONE
               : row->host_end - row->host_begin;
  case AQ_DIFF_QUEUE:
    return row->submission == AQ_TIME_NONE ? AQ_NONE
                                           : row->start - row->submission;
  default:
    return row->end - row->start;
  }
}

static void sums_add(sums *s, double a, double b)
{
  const double delta = b - a, before = delta - s->mean;
  s->pairs++;
  s->a += (a - s->a) / (double)s->pairs;
  s->b += (b - s->b) / (double)s->pairs;
  s->mean += before / (double)s->pairs;
  s->squares += before * (delta - s->mean);
  s->changed += delta;
}

static aq_diff_figure figure_of(const sums *s)
{
  aq_diff_figure f = {.pairs = s->pairs,
                      .a = s->a,
                      .b = s->b,
                      .delta = s->mean,
                      .changed = s->changed,
                      .added = s->added,
                      .removed = s->removed,
                      .total = s->changed + s->added - s->removed};
  const double n = (double)s->pairs;
  if (s->pairs == 0 && s->removed_rows > 0)
    f.a = s->removed / (double)s->removed_rows;
  if (s->pairs == 0 && s->added_rows > 0)
    f.b = s->added / (double)s->added_rows;
  if (s->pairs > 1)
    f.error = Z99 * sqrt(s->squares / (n - 1) / n);
  f.significant = s->pairs >= AQ_DIFF_PAIRS_MIN && fabs(f.delta) > f.error;
  return f;
}

/* The part of a row that one run alone has. */
static void one_add(sums *s, aq_time part, bool second)
{
  if (part == AQ_NONE)
    return;
  *(second ? &s->added_rows : &s->removed_rows) += 1;
  *(second ? &s->added : &s->removed) += (double)part / AQ_NS;
}

static void pair_add(sums parts[AQ_DIFF_PART_COUNT], const aq_dispatch_row *a,
                     const aq_dispatch_row *b)
{
  for (int p = 0; p < AQ_DIFF_PART_COUNT; p++) {
    const aq_time x = part_of(a, (aq_diff_part)p);
    const aq_time y = part_of(b, (aq_diff_part)p);
    if (x != AQ_NONE && y != AQ_NONE)
      sums_add(&parts[p], (double)x / AQ_NS, (double)y / AQ_NS);
  }
}

bool aq_diff_part_sums(aq_diff_part part)
{
  return part == AQ_DIFF_KERNEL;
}

/* ---- names, the same in both runs ---- */

/* Of a text, or of the word for none; -1: no memory. */
static int64_t text_number(aq_names *names, const char *text, const char *none)
{
  text = text ? text : none;
  return aq_names_id(names, text, strlen(text));
}

static int64_t name_number(aq_names *names, aq_run_reader *reader, int64_t name,
                           const char *none)
{
  return text_number(
      names, name == AQ_NONE ? NULL : aq_run_reader_name(reader, name), none);
}

static uint32_t *name_rows(aq_names *names, const aq_dispatches *d,
                           aq_run_reader *reader)
{
  uint32_t *numbers = malloc((d->count + 1) * sizeof *numbers);
  for (size_t i = 0; numbers && i < d->count; i++) {
    const int64_t id = name_number(names, reader, d->rows[i].name, "");
    if (id < 0) {
      free(numbers);
      return NULL;
    }
    numbers[i] = (uint32_t)id;
  }
  return numbers;
}

/* The numbers of the names of kernels. */
static bool kernels_take(const aq_dispatches *d, const uint32_t *numbers,
                         aq_map *out)
{
  for (size_t i = 0; i < d->count; i++)
    if (d->rows[i].kind == AQ_KIND_KERNEL && !aq_map_put(out, numbers[i], 1))
      return false;
  return true;
}

/* Leaves the rows of the part, and their numbers. */
static void part_limit(aq_dispatches *d, uint32_t *numbers)
{
  size_t kept = 0;
  for (size_t i = 0; i < d->count; i++)
    if (!d->rows[i].outside)
      numbers[kept++] = numbers[i];
  aq_dispatches_limit(d);
}

/* Groups are as in stats; by a name, names identify them in both runs. */
static int64_t *key_rows(aq_names *names, const aq_dispatches *d,
                         const uint32_t *numbers, aq_run_reader *reader,
                         aq_stats_by by)
{
  int64_t *keys = malloc((d->count + 1) * sizeof *keys);
  for (size_t i = 0; keys && i < d->count; i++) {
    const int64_t key = aq_stats_key(&d->rows[i], by);
    keys[i] =
        !aq_stats_by_is_name(by) ? key
        : by == AQ_STATS_BY_KERNEL
            ? (int64_t)numbers[i]
            : text_number(names, aq_launch_context_name(d, reader, key, by),
                          aq_stats_key_text(AQ_NONE, by));
    if (aq_stats_by_is_name(by) && keys[i] < 0) {
      free(keys);
      return NULL;
    }
  }
  return keys;
}

/* ---- groups ---- */

typedef struct group_sums {
  aq_diff_group group;
  sums parts[AQ_DIFF_PART_COUNT];
} group_sums;

typedef struct grouping {
  group_sums *groups;
  size_t count, capacity;
  aq_map by_key;
} grouping;

static group_sums *group_find(grouping *g, int64_t key)
{
  uint64_t at;
  if (aq_map_get(&g->by_key, (uint64_t)key, &at))
    return &g->groups[at];
  if (!AQ_ARRAY_RESERVE(g->groups, g->capacity, g->count + 1))
    return NULL;
  if (!aq_map_put(&g->by_key, (uint64_t)key, g->count))
    return NULL;
  group_sums *group = &g->groups[g->count++];
  *group = (group_sums){.group.key = key};
  return group;
}

static bool calls_count(grouping *g, const int64_t *keys, size_t count,
                        bool second)
{
  for (size_t i = 0; i < count; i++) {
    group_sums *group = group_find(g, keys[i]);
    if (!group)
      return false;
    *(second ? &group->group.b_calls : &group->group.a_calls) += 1;
  }
  return true;
}

/* The rows of one run that have no partner in the other. */
static bool side_add(const aq_dispatches *d, const int64_t *keys,
                     const aq_matches *matches, bool second, grouping *g,
                     sums all[AQ_DIFF_PART_COUNT])
{
  bool *matched = calloc(d->count + 1, sizeof *matched);
  if (!matched)
    return false;
  for (size_t i = 0; i < matches->count; i++)
    matched[second ? matches->pairs[i].b : matches->pairs[i].a] = true;
  for (size_t i = 0; i < d->count; i++) {
    if (matched[i])
      continue;
    group_sums *group = group_find(g, keys[i]);
    for (int p = 0; p < AQ_DIFF_PART_COUNT; p++) {
      const aq_time part = part_of(&d->rows[i], (aq_diff_part)p);
      one_add(&group->parts[p], part, second);
      one_add(&all[p], part, second);
    }
  }
  free(matched);
  return true;
}

static bool alone_add(const work *w, grouping *g, sums all[AQ_DIFF_PART_COUNT])
{
  return side_add(&w->a, w->a_keys, &w->matches, false, g, all) &&
         side_add(&w->b, w->b_keys, &w->matches, true, g, all);
}

static int group_order(const void *a, const void *b)
{
  const aq_diff_group *x = a, *y = b;
  const double p = fabs(x->parts[AQ_DIFF_KERNEL].total);
  const double q = fabs(y->parts[AQ_DIFF_KERNEL].total);
  if (p != q)
    return p > q ? -1 : 1;
  return x->key < y->key ? -1 : x->key > y->key;
}

static bool groups_make(const work *w, grouping *g, aq_stats_by by,
                        aq_diff *out)
{
  sums all[AQ_DIFF_PART_COUNT] = {{0}};
  if (!calls_count(g, w->a_keys, w->a.count, false) ||
      !calls_count(g, w->b_keys, w->b.count, true))
    return false;
  if (!alone_add(w, g, all))
    return false;
  for (size_t i = 0; i < w->matches.count; i++) {
    const aq_match m = w->matches.pairs[i];
    group_sums *group = group_find(g, w->a_keys[m.a]);
    pair_add(group->parts, &w->a.rows[m.a], &w->b.rows[m.b]);
    pair_add(all, &w->a.rows[m.a], &w->b.rows[m.b]);
    group->group.pairs++;
  }
  out->groups = calloc(g->count + 1, sizeof *out->groups);
  if (!out->groups)
    return false;
  for (size_t i = 0; i < g->count; i++) {
    aq_diff_group *group = &out->groups[out->count++];
    *group = g->groups[i].group;
    for (int p = 0; p < AQ_DIFF_PART_COUNT; p++)
      group->parts[p] = figure_of(&g->groups[i].parts[p]);
    group->name = aq_stats_by_is_name(by)
                      ? aq_names_text(&out->names->names, group->key)
                      : aq_stats_key_text(group->key, by);
  }
  for (int p = 0; p < AQ_DIFF_PART_COUNT; p++)
    out->parts[p] = figure_of(&all[p]);
  qsort(out->groups, out->count, sizeof *out->groups, group_order);
  return true;
}

/* ---- all of it ---- */

/* The comparison that both runs are read for. */
typedef struct question {
  aq_store *store;
  aq_stats_by group;
  const aq_run_window *window;
  aq_names *names;
  aq_diff_verdict *verdict; /* or NULL */
} question;

/* The run's causes, and its part in the verdict; the dispatches stay. */
static aq_status side_explain(const question *q, const aq_run_info *info,
                              aq_run_reader *reader, int side, aq_dispatches *d,
                              aq_explain **out, aq_diag *diag)
{
  aq_explained explained;
  aq_explain *explain = malloc(sizeof *explain);
  aq_status status =
      explain ? aq_explained_take(q->store, info, reader, d, &explained, diag)
              : aq_diag_no_memory(diag);
  if (status != AQ_OK) {
    free(explain);
    return status;
  }
  *explain = explained.explain;
  *out = explain;
  if (q->verdict && !aq_diff_verdict_add(q->verdict, side, &explained, reader))
    status = aq_diag_no_memory(diag);
  *d = explained.dispatches;
  explained.dispatches = (aq_dispatches){0};
  aq_explained_fini(&explained);
  return status;
}

static aq_status side_read(const question *q, const aq_run_info *info,
                           aq_rows_wanted wanted, int side, aq_dispatches *d,
                           uint32_t **numbers, int64_t **keys, aq_map *kernels,
                           aq_window_counts *counts, aq_explain **explain,
                           aq_diag *diag)
{
  const bool lacks_families = q->verdict && !aq_stats_by_has_families(q->group);
  aq_run_reader *reader;
  aq_status status =
      aq_run_reader_open(q->store, info->id, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  status = aq_part_read(q->store, info->id, reader, wanted,
                        lacks_families ? AQ_STATS_BY_FAMILY : q->group,
                        q->window, d, counts, diag);
  if (status == AQ_OK && counts->rows > 0 && !d->operations)
    status = side_explain(q, info, reader, side, d, explain, diag);
  if (status == AQ_OK) {
    *numbers = name_rows(q->names, d, reader);
    if (!*numbers || !kernels_take(d, *numbers, kernels))
      status = aq_diag_no_memory(diag);
    else
      part_limit(d, *numbers);
  }
  if (status == AQ_OK && d->count == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "no %s with a start and an end",
                         d->operations ? "operation of a host queue"
                                       : "kernel, copy or fill");
  if (status == AQ_OK) {
    *keys = key_rows(q->names, d, *numbers, reader, q->group);
    status = *keys ? AQ_OK : aq_diag_no_memory(diag);
  }
  aq_run_reader_close(reader);
  return status == AQ_OK
             ? AQ_OK
             : aq_diag_prefix(diag, "run %lld", (long long)info->id);
}

/* From the names of renamed kernels in one run to the names in the other. */
static bool partners_map(const aq_renamed_list *renamed, int from, aq_map *out)
{
  for (size_t i = 0; i < renamed->count; i++)
    if (!aq_map_put(out, (uint64_t)renamed->list[i].names[from],
                    (uint64_t)renamed->list[i].names[!from]))
      return false;
  return true;
}

/* Renamed kernels of the second run go by their names in the first. */
static bool names_join(work *w, const question *q)
{
  const aq_renamed_side sides[] = {{&w->a, w->a_names, &w->a_kernels},
                                   {&w->b, w->b_names, &w->b_kernels}};
  aq_renamed_list *renamed = &q->verdict->renamed;
  aq_map old = AQ_MAP_INIT;
  if (w->a.operations)
    return true;
  const bool done = aq_renamed_find(sides, q->names, renamed) &&
                    partners_map(renamed, 1, &old);
  for (size_t i = 0; done && i < w->b.count; i++) {
    uint64_t name;
    if (!aq_map_get(&old, w->b_names[i], &name))
      continue;
    w->b_names[i] = (uint32_t)name;
    if (q->group == AQ_STATS_BY_KERNEL)
      w->b_keys[i] = (int64_t)name;
  }
  aq_map_fini(&old);
  return done;
}

/* Groups by kernel have both names. */
static bool groups_rename(aq_diff *diff, const aq_renamed_list *renamed)
{
  aq_map now = AQ_MAP_INIT;
  const bool done = partners_map(renamed, 0, &now);
  for (size_t i = 0; done && i < diff->count; i++) {
    uint64_t name;
    if (aq_map_get(&now, (uint64_t)diff->groups[i].key, &name))
      diff->groups[i].new_name = aq_diff_name(diff, (int64_t)name);
  }
  aq_map_fini(&now);
  return done;
}

static aq_match_replay replay_of(const aq_run_info *a, const aq_run_info *b)
{
  const bool twins = a->origin != AQ_NONE && a->origin == b->origin;
  return (aq_match_replay){
      .possible =
          a->id == b->id || a->origin == b->id || b->origin == a->id || twins,
      .a_by_origin = a->id != b->id && (a->origin == b->id || twins),
      .b_by_origin = a->id != b->id && (b->origin == a->id || twins)};
}

static aq_status work_match(work *w, const aq_run_info *a, const aq_run_info *b,
                            aq_match_by by, aq_stats_by group, aq_diff *out,
                            aq_diag *diag)
{
  const aq_match_side sides[] = {{&w->a, w->a_names}, {&w->b, w->b_names}};
  grouping g = {.by_key = AQ_MAP_INIT};
  aq_status status = aq_match_make(&sides[0], &sides[1], by, replay_of(a, b),
                                   &w->matches, diag);
  if (status == AQ_OK && !groups_make(w, &g, group, out))
    status = aq_diag_no_memory(diag);
  free(g.groups);
  aq_map_fini(&g.by_key);
  if (status != AQ_OK)
    return status;
  out->by = w->matches.by;
  out->operations = w->a.operations;
  out->a_calls = (int64_t)w->a.count;
  out->b_calls = (int64_t)w->b.count;
  out->pairs = (int64_t)w->matches.count;
  out->a_makespan = aq_dispatches_makespan(&w->a);
  out->b_makespan = aq_dispatches_makespan(&w->b);
  return AQ_OK;
}

static void a_fini(work *w)
{
  free(w->a_keys);
  free(w->a_names);
  aq_map_fini(&w->a_kernels);
  aq_dispatches_fini(&w->a);
  w->a_keys = NULL;
  w->a_names = NULL;
}

/* Nothing explains operations. */
static void causes_drop(aq_diff *diff, aq_diff_verdict *verdict)
{
  free(diff->a_explain);
  free(diff->b_explain);
  diff->a_explain = diff->b_explain = NULL;
  if (!verdict)
    return;
  aq_diff_verdict_fini(verdict);
  *verdict = (aq_diff_verdict){.names = AQ_NAMES_INIT};
}

/* The same kind of rows of both: where one has operations only, the other's
 * operations. */
static aq_status work_read(work *w, const question *q, const aq_run_info *a,
                           const aq_run_info *b, aq_window_counts counts[2],
                           aq_diff *diff, aq_diag *diag)
{
  aq_status status = side_read(q, a, aq_stats_by_rows(q->group, AQ_WANT_EITHER),
                               0, &w->a, &w->a_names, &w->a_keys, &w->a_kernels,
                               &counts[0], &diff->a_explain, diag);
  if (status == AQ_OK)
    status =
        side_read(q, b, w->a.operations ? AQ_WANT_OPERATIONS : AQ_WANT_EITHER,
                  1, &w->b, &w->b_names, &w->b_keys, &w->b_kernels, &counts[1],
                  &diff->b_explain, diag);
  if (status != AQ_OK || w->a.operations == w->b.operations)
    return status;
  a_fini(w);
  causes_drop(diff, q->verdict);
  return side_read(q, a, AQ_WANT_OPERATIONS, 0, &w->a, &w->a_names, &w->a_keys,
                   &w->a_kernels, &counts[0], &diff->a_explain, diag);
}

aq_status aq_diff_runs(aq_store *store, const aq_run_info *a,
                       const aq_run_info *b, aq_match_by by, aq_stats_by group,
                       aq_diff *out, aq_diag *diag)
{
  aq_window_counts counts[2];
  return aq_diff_window(store, a, b, by, group, NULL, counts, NULL, out, diag);
}

aq_status aq_diff_window(aq_store *store, const aq_run_info *a,
                         const aq_run_info *b, aq_match_by by,
                         aq_stats_by group, const aq_run_window *window,
                         aq_window_counts counts[2], aq_diff_verdict *verdict,
                         aq_diff *out, aq_diag *diag)
{
  work w = {0};
  aq_diff diff = {.names = malloc(sizeof *diff.names)};
  if (!diff.names)
    return aq_diag_no_memory(diag);
  diff.names->names = (aq_names)AQ_NAMES_INIT;
  const question q = {store, group, window, &diff.names->names, verdict};
  aq_status status = work_read(&w, &q, a, b, counts, &diff, diag);
  if (status == AQ_OK && verdict && !names_join(&w, &q))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = work_match(&w, a, b, by, group, &diff, diag);
  if (status == AQ_OK && verdict && group == AQ_STATS_BY_KERNEL &&
      !groups_rename(&diff, &verdict->renamed))
    status = aq_diag_no_memory(diag);
  aq_matches_fini(&w.matches);
  free(w.b_keys);
  free(w.b_names);
  aq_map_fini(&w.b_kernels);
  aq_dispatches_fini(&w.b);
  a_fini(&w);
  if (status == AQ_OK && verdict &&
      !aq_diff_verdict_finish(verdict, &diff.names->names))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    *out = diff;
  else
    aq_diff_fini(&diff);
  return status;
}

const char *aq_diff_name(const aq_diff *diff, int64_t id)
{
  return aq_names_text(&diff->names->names, id);
}

void aq_diff_fini(aq_diff *diff)
{
  free(diff->groups);
  free(diff->a_explain);
  free(diff->b_explain);
  aq_names_fini(&diff->names->names);
  free(diff->names);
}
