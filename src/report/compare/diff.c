/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "report/compare/diff_window.h"
#include "report/compare/hash_names.h"
#include "report/compare/match.h"
#include "report/compare/renamed.h"
#include "report/compare/run_ordinals.h"
#include "report/compare/step_match.h"
#include "report/explain/explain_run.h"
#include "report/stats/launch_context.h"
#include "report/stats/selection.h"
#include "report/stats/stats.h"
#include "report/stats/steps.h"

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

/* Sums over pairs, as they come: Welford's, which loses no digits. Plain sums
 * are of picoseconds, which a double adds exactly. */
typedef struct sums {
  int64_t pairs;
  double a, b, mean, squares; /* ns */
  double changed, added, removed;
  int64_t added_rows, removed_rows;
} sums;

/* One of the runs. */
typedef struct side {
  aq_dispatches dispatches;
  uint32_t *names;          /* numbers, the same in both runs */
  aq_match_devices devices; /* of the whole run; numbers of the part */
  int64_t *keys;            /* of groups */
  aq_map kernels;           /* numbers of the names of the whole run */
  aq_run_steps steps;       /* by step */
} side;

/* What comparing two runs needs. */
typedef struct work {
  side sides[2];
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

static void sums_add(sums *s, aq_time was, aq_time is)
{
  const double a = (double)was / AQ_NS, b = (double)is / AQ_NS;
  const double delta = b - a, before = delta - s->mean;
  s->pairs++;
  s->a += (a - s->a) / (double)s->pairs;
  s->b += (b - s->b) / (double)s->pairs;
  s->mean += before / (double)s->pairs;
  s->squares += before * (delta - s->mean);
  s->changed += (double)is - (double)was;
}

static aq_diff_figure figure_of(const sums *s)
{
  aq_diff_figure f = {.pairs = s->pairs,
                      .a = s->a,
                      .b = s->b,
                      .delta = s->mean,
                      .changed = s->changed / AQ_NS,
                      .added = s->added / AQ_NS,
                      .removed = s->removed / AQ_NS,
                      .total = (s->changed + s->added - s->removed) / AQ_NS};
  const double n = (double)s->pairs;
  if (s->pairs == 0 && s->removed_rows > 0)
    f.a = f.removed / (double)s->removed_rows;
  if (s->pairs == 0 && s->added_rows > 0)
    f.b = f.added / (double)s->added_rows;
  if (s->pairs > 1)
    f.error = Z99 * sqrt(s->squares / (n - 1) / n);
  f.significant = s->pairs >= AQ_DIFF_PAIRS_MIN && fabs(f.delta) > f.error;
  return f;
}

/* A row without a partner: in its group, or in the other run. */
static void row_add(sums parts[AQ_DIFF_PART_COUNT], const aq_dispatch_row *row,
                    bool second)
{
  for (int p = 0; p < AQ_DIFF_PART_COUNT; p++) {
    const aq_time part = part_of(row, (aq_diff_part)p);
    if (part == AQ_NONE)
      continue;
    *(second ? &parts[p].added_rows : &parts[p].removed_rows) += 1;
    *(second ? &parts[p].added : &parts[p].removed) += (double)part;
  }
}

static void pair_add(sums parts[AQ_DIFF_PART_COUNT], const aq_dispatch_row *a,
                     const aq_dispatch_row *b)
{
  for (int p = 0; p < AQ_DIFF_PART_COUNT; p++) {
    const aq_time x = part_of(a, (aq_diff_part)p);
    const aq_time y = part_of(b, (aq_diff_part)p);
    if (x != AQ_NONE && y != AQ_NONE)
      sums_add(&parts[p], x, y);
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
static void part_limit(side *s)
{
  aq_dispatches *d = &s->dispatches;
  size_t kept = 0;
  for (size_t i = 0; i < d->count; i++) {
    if (d->rows[i].outside)
      continue;
    s->devices.numbers[kept] = s->devices.numbers[i];
    s->names[kept++] = s->names[i];
  }
  aq_dispatches_limit(d);
}

/* Devices by the ids of the source. */
static bool devices_number(side *s, aq_run_reader *reader)
{
  const size_t count = aq_run_reader_device_count(reader);
  int64_t *ids = malloc((count + 1) * sizeof *ids);
  if (!ids)
    return false;
  for (size_t i = 0; i < count; i++) {
    const aq_run_device *device = aq_run_reader_device(reader, (int64_t)i);
    ids[i] = device ? device->source_id : (int64_t)i;
  }
  const bool done =
      aq_match_devices_number(&s->dispatches, ids, count, &s->devices);
  free(ids);
  return done;
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

/* Queues that correspond are one group, under the first run's ordinal. */
static bool queues_join(side *s, aq_run_reader *reader, aq_run_ordinals *queues)
{
  return aq_run_ordinals_map(queues, reader, AQ_STATS_BY_QUEUE, s->keys,
                             s->dispatches.count);
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

static bool calls_count(grouping *g, const side *of, bool second)
{
  for (size_t i = 0; i < of->dispatches.count; i++) {
    group_sums *group = group_find(g, of->keys[i]);
    if (!group)
      return false;
    *(second ? &group->group.b_calls : &group->group.a_calls) += 1;
  }
  return true;
}

/* The rows of one run that have no partner in the other. */
static bool side_add(const side *of, const aq_matches *matches, bool second,
                     grouping *g, sums all[AQ_DIFF_PART_COUNT])
{
  const aq_dispatches *d = &of->dispatches;
  bool *matched = calloc(d->count + 1, sizeof *matched);
  if (!matched)
    return false;
  for (size_t i = 0; i < matches->count; i++)
    matched[second ? matches->pairs[i].b : matches->pairs[i].a] = true;
  for (size_t i = 0; i < d->count; i++) {
    if (matched[i])
      continue;
    row_add(group_find(g, of->keys[i])->parts, &d->rows[i], second);
    row_add(all, &d->rows[i], second);
  }
  free(matched);
  return true;
}

/* Whether a run recorded nothing to group by. */
static bool side_lacks(const side *s, aq_stats_by by)
{
  if (by == AQ_STATS_BY_RANGE || by == AQ_STATS_BY_PATH)
    return s->dispatches.range_count == 0;
  if (by == AQ_STATS_BY_STEP)
    return s->steps.kind != AQ_STEPS_MARKED;
  return aq_stats_by_needs_context(by) && s->dispatches.context.ops == 0 &&
         s->dispatches.context.frames == 0;
}

/* A replay has no operators and no call frames of its own, and queues in
 * another order: its dispatches are in the groups of their partners. */
static void keys_join(work *w, aq_stats_by by)
{
  side *a = &w->sides[0], *b = &w->sides[1];
  const bool a_lacks = side_lacks(a, by), b_lacks = side_lacks(b, by);
  if (w->matches.by != AQ_MATCH_REPLAY ||
      (a_lacks == b_lacks && by != AQ_STATS_BY_QUEUE &&
       (by != AQ_STATS_BY_STEP || !a_lacks)))
    return;
  const bool first = a_lacks && !b_lacks;
  side *joined = first ? a : b;
  for (size_t i = 0; by == AQ_STATS_BY_STEP && i < joined->dispatches.count;
       i++)
    joined->keys[i] = AQ_NONE;
  for (size_t i = 0; i < w->matches.count; i++) {
    const aq_match m = w->matches.pairs[i];
    if (first)
      a->keys[m.a] = b->keys[m.b];
    else
      b->keys[m.b] = a->keys[m.a];
  }
}

/* Steps that correspond are one group, under the first run's number. */
static aq_status steps_join(work *w, const aq_run_info *a, const aq_run_info *b,
                            aq_diff *out, aq_diag *diag)
{
  const side *first = &w->sides[0];
  side *second = &w->sides[1];
  out->a_steps = (aq_diff_steps){aq_steps_kind_names[first->steps.kind],
                                 (int64_t)first->steps.period};
  out->b_steps = (aq_diff_steps){aq_steps_kind_names[second->steps.kind],
                                 (int64_t)second->steps.period};
  if (w->matches.by == AQ_MATCH_REPLAY)
    return AQ_OK;
  if (aq_run_steps_differ(&first->steps, &second->steps))
    return aq_run_steps_refuse(&first->steps, a->id, &second->steps, b->id,
                               diag);
  out->steps_by_order = aq_run_steps_by_order(&first->steps, &second->steps);
  if (out->steps_by_order)
    aq_run_steps_map(&first->steps, &second->steps, second->keys,
                     second->dispatches.count);
  return AQ_OK;
}

/* Devices that correspond are one group, under the first run's ordinal. */
static void devices_join(work *w)
{
  const aq_match_devices *first = &w->sides[0].devices;
  side *b = &w->sides[1];
  if (first->count != b->devices.count)
    return;
  for (size_t i = 0; i < b->dispatches.count; i++)
    if (b->devices.numbers[i] > 0)
      b->keys[i] = first->ordinals[b->devices.numbers[i]];
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
  const side *a = &w->sides[0], *b = &w->sides[1];
  sums all[AQ_DIFF_PART_COUNT] = {{0}};
  if (!calls_count(g, a, false) || !calls_count(g, b, true) ||
      !side_add(a, &w->matches, false, g, all) ||
      !side_add(b, &w->matches, true, g, all))
    return false;
  for (size_t i = 0; i < w->matches.count; i++) {
    const aq_match m = w->matches.pairs[i];
    const aq_dispatch_row *x = &a->dispatches.rows[m.a];
    const aq_dispatch_row *y = &b->dispatches.rows[m.b];
    group_sums *group = group_find(g, a->keys[m.a]);
    pair_add(all, x, y);
    if (a->keys[m.a] == b->keys[m.b]) {
      pair_add(group->parts, x, y);
      group->group.pairs++;
    } else {
      row_add(group->parts, x, false);
      row_add(group_find(g, b->keys[m.b])->parts, y, true);
    }
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
    group->new_key = out->steps_by_order
                         ? aq_run_steps_nth(&a->steps, group->key, &b->steps)
                         : AQ_NONE;
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
  aq_run_ordinals *queues;
} question;

/* The run's causes, and its part in the verdict; the dispatches stay. */
static aq_status side_explain(const question *q, const aq_run_info *info,
                              aq_run_reader *reader, int which,
                              aq_dispatches *d, aq_explain **out, aq_diag *diag)
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
  if (q->verdict && !aq_diff_verdict_add(q->verdict, which, &explained, reader))
    status = aq_diag_no_memory(diag);
  *d = explained.dispatches;
  explained.dispatches = (aq_dispatches){0};
  aq_explained_fini(&explained);
  return status;
}

static aq_status side_read(const question *q, const aq_run_info *info,
                           aq_rows_wanted wanted, int which, side *out,
                           aq_window_counts *counts, aq_explain **explain,
                           aq_diag *diag)
{
  aq_dispatches *d = &out->dispatches;
  const aq_stats_by read =
      q->verdict && !aq_stats_by_has_families(q->group) ? AQ_STATS_BY_FAMILY
      : aq_stats_by_needs_context(q->group)             ? q->group
                                                        : AQ_STATS_BY_RANK;
  aq_run_reader *reader;
  aq_status status =
      aq_run_reader_open(q->store, info->id, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  status = aq_part_read(q->store, info->id, reader, wanted, read, q->window, d,
                        counts, diag);
  if (status == AQ_OK && counts->rows > 0 && !d->operations)
    status = side_explain(q, info, reader, which, d, explain, diag);
  if (status == AQ_OK) {
    out->names = name_rows(q->names, d, reader);
    if (!out->names || !kernels_take(d, out->names, &out->kernels) ||
        !devices_number(out, reader) ||
        (q->group == AQ_STATS_BY_STEP && !aq_run_steps_take(d, &out->steps)))
      status = aq_diag_no_memory(diag);
    else
      part_limit(out);
  }
  if (status == AQ_OK && d->count == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "no %s with a start and an end",
                         d->operations ? "operation of a host queue"
                                       : "kernel, copy or fill");
  if (status == AQ_OK) {
    out->keys = key_rows(q->names, d, out->names, reader, q->group);
    if (!out->keys ||
        (q->group == AQ_STATS_BY_QUEUE && !queues_join(out, reader, q->queues)))
      status = aq_diag_no_memory(diag);
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
  side *a = &w->sides[0], *b = &w->sides[1];
  const aq_renamed_side sides[] = {{&a->dispatches, a->names, &a->kernels},
                                   {&b->dispatches, b->names, &b->kernels}};
  aq_renamed_list *renamed = &q->verdict->renamed;
  aq_map old = AQ_MAP_INIT;
  if (a->dispatches.operations)
    return true;
  const bool done = aq_renamed_find(sides, q->names, renamed) &&
                    partners_map(renamed, 1, &old);
  for (size_t i = 0; done && i < b->dispatches.count; i++) {
    uint64_t name;
    if (!aq_map_get(&old, b->names[i], &name))
      continue;
    b->names[i] = (uint32_t)name;
    if (q->group == AQ_STATS_BY_KERNEL)
      b->keys[i] = (int64_t)name;
  }
  aq_map_fini(&old);
  return done;
}

/* Groups of another name than a kernel's: partners are one but for a hash. */
static bool keys_pair(work *w, const question *q, aq_map *now)
{
  side *a = &w->sides[0], *b = &w->sides[1];
  const aq_hash_side sides[] = {{a->keys, a->dispatches.count},
                                {b->keys, b->dispatches.count}};
  if (q->group == AQ_STATS_BY_KERNEL)
    return !q->verdict || partners_map(&q->verdict->renamed, 0, now);
  return !aq_stats_by_is_name(q->group) ||
         aq_hash_names_join(q->names, sides, now);
}

/* Groups of two names have both; `now` leads to the second run's. */
static void groups_rename(aq_diff *diff, const aq_map *now)
{
  uint64_t name;
  for (size_t i = 0; i < diff->count; i++)
    if (aq_map_get(now, (uint64_t)diff->groups[i].key, &name))
      diff->groups[i].new_name = aq_diff_name(diff, (int64_t)name);
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

/* Whether no kernel of one has the name of one of the other. */
static bool apart_find(const side *a, const side *b, bool *out)
{
  aq_map names = AQ_MAP_INIT;
  const bool done = kernels_take(&a->dispatches, a->names, &names);
  size_t kernels = 0, shared = 0;
  for (size_t i = 0; i < a->dispatches.count; i++)
    kernels += a->dispatches.rows[i].kind == AQ_KIND_KERNEL;
  for (size_t i = 0; done && i < b->dispatches.count; i++) {
    if (b->dispatches.rows[i].kind != AQ_KIND_KERNEL)
      continue;
    kernels++;
    shared += aq_map_get(&names, b->names[i], NULL);
  }
  aq_map_fini(&names);
  *out = kernels > 0 && shared == 0;
  return done;
}

static aq_status work_match(work *w, const aq_run_info *a, const aq_run_info *b,
                            aq_match_by by, aq_stats_by group, aq_diff *out,
                            aq_diag *diag)
{
  const side *first = &w->sides[0], *second = &w->sides[1];
  const aq_match_side sides[] = {
      {&first->dispatches, first->names, &first->devices},
      {&second->dispatches, second->names, &second->devices}};
  grouping g = {.by_key = AQ_MAP_INIT};
  aq_status status = aq_match_make(&sides[0], &sides[1], by, replay_of(a, b),
                                   &w->matches, diag);
  if (status == AQ_OK) {
    keys_join(w, group);
    if (group == AQ_STATS_BY_DEVICE)
      devices_join(w);
    if (group == AQ_STATS_BY_STEP)
      status = steps_join(w, a, b, out, diag);
  }
  if (status == AQ_OK) {
    status = groups_make(w, &g, group, out) ? AQ_OK : aq_diag_no_memory(diag);
  }
  free(g.groups);
  aq_map_fini(&g.by_key);
  if (status != AQ_OK)
    return status;
  out->by = w->matches.by;
  out->by_device = w->matches.by_device;
  if (!apart_find(first, second, &out->apart))
    return aq_diag_no_memory(diag);
  out->a_devices = (int64_t)first->devices.count;
  out->b_devices = (int64_t)second->devices.count;
  out->operations = first->dispatches.operations;
  out->a_calls = (int64_t)first->dispatches.count;
  out->b_calls = (int64_t)second->dispatches.count;
  out->pairs = (int64_t)w->matches.count;
  out->a_makespan = aq_dispatches_makespan(&first->dispatches);
  out->b_makespan = aq_dispatches_makespan(&second->dispatches);
  return AQ_OK;
}

static void side_fini(side *s)
{
  free(s->keys);
  free(s->names);
  aq_match_devices_fini(&s->devices);
  aq_map_fini(&s->kernels);
  aq_run_steps_fini(&s->steps);
  aq_dispatches_fini(&s->dispatches);
  *s = (side){.kernels = AQ_MAP_INIT};
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
  side *first = &w->sides[0], *second = &w->sides[1];
  aq_status status = side_read(q, a, aq_stats_by_rows(q->group, AQ_WANT_EITHER),
                               0, first, &counts[0], &diff->a_explain, diag);
  const bool operations = first->dispatches.operations;
  if (status == AQ_OK)
    status = side_read(q, b, operations ? AQ_WANT_OPERATIONS : AQ_WANT_EITHER,
                       1, second, &counts[1], &diff->b_explain, diag);
  if (status != AQ_OK || operations == second->dispatches.operations)
    return status;
  side_fini(first);
  causes_drop(diff, q->verdict);
  return side_read(q, a, AQ_WANT_OPERATIONS, 0, first, &counts[0],
                   &diff->a_explain, diag);
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
  work w = {.sides = {{.kernels = AQ_MAP_INIT}, {.kernels = AQ_MAP_INIT}}};
  aq_diff diff = {.group = group, .names = malloc(sizeof *diff.names)};
  if (!diff.names)
    return aq_diag_no_memory(diag);
  diff.names->names = (aq_names)AQ_NAMES_INIT;
  aq_run_ordinals queues = {0};
  const question q = {store,   group,  window, &diff.names->names,
                      verdict, &queues};
  aq_status status = work_read(&w, &q, a, b, counts, &diff, diag);
  aq_map now = AQ_MAP_INIT;
  if (status == AQ_OK &&
      ((verdict && !names_join(&w, &q)) || !keys_pair(&w, &q, &now)))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = work_match(&w, a, b, by, group, &diff, diag);
  if (status == AQ_OK)
    groups_rename(&diff, &now);
  aq_map_fini(&now);
  aq_run_ordinals_fini(&queues);
  aq_matches_fini(&w.matches);
  side_fini(&w.sides[0]);
  side_fini(&w.sides[1]);
  if (status == AQ_OK && verdict &&
      !aq_diff_verdict_finish(verdict, &diff.names->names))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    *out = diff;
  else
    aq_diff_fini(&diff);
  return status;
}

double aq_diff_percent(const aq_diff_figure *f)
{
  enum { MOST = 1000 };
  const double percent = f->a > 0        ? 100 * f->delta / f->a
                         : f->delta == 0 ? 0
                                         : NAN;
  return percent > MOST ? NAN : percent;
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
