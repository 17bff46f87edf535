/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/match.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "report/compare/sequence_align.h"

const char *const aq_match_names[AQ_MATCH_COUNT + 1] = {
#define M(id, name, meaning) name,
    AQ_MATCHES(M)
#undef M
        NULL,
};

/* The dispatches of one device of a run, or all of them. */
typedef struct part {
  const aq_dispatch_row *rows; /* of the run */
  const size_t *index;         /* among them, rising */
  const uint32_t *names;       /* by index */
  size_t count;
} part;

static void pair_add(aq_matches *m, const part *a, const part *b, size_t i,
                     size_t j)
{
  /* There is room for as many as the smaller run has rows. */
  m->pairs[m->count++] = (aq_match){a->index[i], b->index[j]};
}

/* ---- by a key ---- */

typedef int64_t key_function(const aq_dispatch_row *row, bool flag);

static int64_t replay_key(const aq_dispatch_row *row, bool by_origin)
{
  return by_origin ? row->origin : row->number;
}

static int64_t correlation_key(const aq_dispatch_row *row, bool unused)
{
  (void)unused;
  /* Calls that submitted several rows identify none. */
  return row->via == AQ_VIA_GRAPH ? AQ_NONE : row->correlation;
}

static bool match_keys(const part *a, const part *b, key_function *key,
                       bool a_flag, bool b_flag, aq_matches *out)
{
  aq_map rows = AQ_MAP_INIT;
  bool made = true;
  uint64_t at;
  for (size_t i = 0; made && i < b->count; i++) {
    const int64_t k = key(&b->rows[b->index[i]], b_flag);
    if (k != AQ_NONE && !aq_map_get(&rows, (uint64_t)k, NULL))
      made = aq_map_put(&rows, (uint64_t)k, i);
  }
  for (size_t i = 0; made && i < a->count; i++) {
    const int64_t k = key(&a->rows[a->index[i]], a_flag);
    if (k != AQ_NONE && aq_map_remove(&rows, (uint64_t)k, &at))
      pair_add(out, a, b, i, at);
  }
  aq_map_fini(&rows);
  return made;
}

/* The nth of a name with the nth of that name: a key of name and number. */
static bool number_names(const part *side, uint64_t *keys)
{
  aq_map counts = AQ_MAP_INIT;
  bool made = true;
  for (size_t i = 0; made && i < side->count; i++) {
    uint64_t nth = 0;
    aq_map_get(&counts, side->names[i], &nth);
    keys[i] = (uint64_t)side->names[i] << 32 | nth;
    made = aq_map_put(&counts, side->names[i], nth + 1);
  }
  aq_map_fini(&counts);
  return made;
}

static bool match_names(const part *a, const part *b, aq_matches *out)
{
  const size_t n = a->count, m = b->count;
  uint64_t *keys = malloc((n + m + 1) * sizeof *keys);
  aq_map rows = AQ_MAP_INIT;
  uint64_t at;
  bool made = keys && number_names(a, keys) && number_names(b, keys + n);
  for (size_t i = 0; made && i < m; i++)
    made = aq_map_put(&rows, keys[n + i], i);
  for (size_t i = 0; made && i < n; i++)
    if (aq_map_get(&rows, keys[i], &at))
      pair_add(out, a, b, i, at);
  aq_map_fini(&rows);
  free(keys);
  return made;
}

/* ---- by order ---- */

static bool match_order(const part *a, const part *b, aq_matches *out)
{
  const size_t n = a->count, m = b->count;
  for (size_t i = 0; i < n && i < m; i++)
    pair_add(out, a, b, i, i);
  return true;
}

static bool same_order(const part *a, const part *b)
{
  return a->count == b->count &&
         memcmp(a->names, b->names, a->count * sizeof *a->names) == 0;
}

static bool match_align(const part *a, const part *b, aq_matches *out)
{
  aq_alignment alignment;
  if (!aq_align(a->names, a->count, b->names, b->count, &alignment))
    return false;
  for (size_t r = 0; r < alignment.count; r++)
    for (size_t i = 0; i < alignment.runs[r].length; i++)
      pair_add(out, a, b, alignment.runs[r].a + i, alignment.runs[r].b + i);
  aq_alignment_fini(&alignment);
  return true;
}

/* ---- devices ---- */

/* The dispatches of a run by device: part n is that of the device of number n,
 * or with one part all are in it. */
typedef struct parts {
  part *list;
  size_t count;
  size_t *index;
  uint32_t *names;
} parts;

static size_t part_of(const aq_match_side *side, const parts *p, size_t i)
{
  return p->count > 1 ? side->devices->numbers[i] : 0;
}

static void parts_fini(parts *p)
{
  free(p->list);
  free(p->index);
  free(p->names);
}

static bool parts_make(const aq_match_side *side, size_t count, parts *out)
{
  const size_t n = side->dispatches->count;
  parts p = {.list = calloc(count, sizeof *p.list),
             .count = count,
             .index = malloc((n + 1) * sizeof *p.index),
             .names = malloc((n + 1) * sizeof *p.names)};
  size_t begin = 0;
  if (!p.list || !p.index || !p.names) {
    parts_fini(&p);
    return false;
  }
  for (size_t i = 0; i < n; i++)
    p.list[part_of(side, &p, i)].count++;
  for (size_t k = 0; k < count; k++) {
    part *at = &p.list[k];
    const size_t of = at->count;
    *at = (part){side->dispatches->rows, p.index + begin, p.names + begin, 0};
    begin += of;
  }
  for (size_t i = 0; i < n; i++) {
    part *at = &p.list[part_of(side, &p, i)];
    const size_t to = (size_t)(at->index - p.index) + at->count++;
    p.index[to] = i;
    p.names[to] = side->names[i];
  }
  *out = p;
  return true;
}

/* How many parts both runs have: devices, and dispatches of none. */
static size_t parts_shared(const aq_match_side *a, const aq_match_side *b,
                           bool *by_device)
{
  *by_device =
      !a->devices || !b->devices || a->devices->count == b->devices->count;
  return *by_device && a->devices && b->devices && a->devices->count > 1
             ? a->devices->count + 1
             : 1;
}

/* ---- all of it ---- */

static bool match_by(const part *a, const part *b, aq_match_replay replay,
                     aq_matches *out)
{
  switch (out->by) {
  case AQ_MATCH_REPLAY:
    return match_keys(a, b, replay_key, replay.a_by_origin, replay.b_by_origin,
                      out);
  case AQ_MATCH_CORRELATION:
    return match_keys(a, b, correlation_key, false, false, out);
  case AQ_MATCH_NAME:
    return match_names(a, b, out);
  case AQ_MATCH_ORDER:
    return match_order(a, b, out);
  default:
    return match_align(a, b, out);
  }
}

static int pair_order(const void *left, const void *right)
{
  const aq_match *a = left, *b = right;
  return (a->a > b->a) - (a->a < b->a);
}

static bool match_parts(const parts *a, const parts *b, aq_match_replay replay,
                        aq_matches *out)
{
  bool made = true, same = true;
  for (size_t k = 0; k < a->count; k++)
    same &= same_order(&a->list[k], &b->list[k]);
  if (out->by == AQ_MATCH_AUTO)
    out->by = same ? AQ_MATCH_ORDER : AQ_MATCH_ALIGN;
  for (size_t k = 0; made && k < a->count; k++)
    made = match_by(&a->list[k], &b->list[k], replay, out);
  if (made && a->count > 1 && out->count > 0)
    qsort(out->pairs, out->count, sizeof *out->pairs, pair_order);
  return made;
}

aq_status aq_match_make(const aq_match_side *a, const aq_match_side *b,
                        aq_match_by by, aq_match_replay replay, aq_matches *out,
                        aq_diag *diag)
{
  const size_t n = a->dispatches->count, m = b->dispatches->count;
  if (by == AQ_MATCH_REPLAY && !replay.possible)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "neither run replays the other, and they do not replay "
                       "the same run");
  if (by == AQ_MATCH_AUTO && replay.possible)
    by = AQ_MATCH_REPLAY;
  parts of_a = {0}, of_b = {0};
  aq_matches matches = {
      .pairs = malloc(((n < m ? n : m) + 1) * sizeof *matches.pairs), .by = by};
  size_t count = parts_shared(a, b, &matches.by_device);
  if (by == AQ_MATCH_REPLAY) {
    count = 1;
    matches.by_device = false;
  }
  const bool made = matches.pairs && parts_make(a, count, &of_a) &&
                    parts_make(b, count, &of_b) &&
                    match_parts(&of_a, &of_b, replay, &matches);
  parts_fini(&of_a);
  parts_fini(&of_b);
  if (!made) {
    aq_matches_fini(&matches);
    return aq_diag_no_memory(diag);
  }
  /* Other ids are an error; other names are an answer. */
  if (matches.count == 0 &&
      (matches.by == AQ_MATCH_REPLAY || matches.by == AQ_MATCH_CORRELATION)) {
    const char *name = aq_match_names[matches.by];
    aq_matches_fini(&matches);
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "the runs have no dispatch in common, by %s", name);
  }
  *out = matches;
  return AQ_OK;
}

void aq_matches_fini(aq_matches *matches)
{
  free(matches->pairs);
  *matches = (aq_matches){0};
}
