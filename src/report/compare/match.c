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

static void pair_add(aq_matches *m, size_t a, size_t b)
{
  /* There is room for as many as the smaller run has rows. */
  m->pairs[m->count++] = (aq_match){a, b};
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

static bool match_keys(const aq_match_side *a, const aq_match_side *b,
                       key_function *key, bool a_flag, bool b_flag,
                       aq_matches *out)
{
  aq_map rows = AQ_MAP_INIT;
  bool made = true;
  uint64_t at;
  for (size_t i = 0; made && i < b->dispatches->count; i++) {
    const int64_t k = key(&b->dispatches->rows[i], b_flag);
    if (k != AQ_NONE && !aq_map_get(&rows, (uint64_t)k, NULL))
      made = aq_map_put(&rows, (uint64_t)k, i);
  }
  for (size_t i = 0; made && i < a->dispatches->count; i++) {
    const int64_t k = key(&a->dispatches->rows[i], a_flag);
    if (k != AQ_NONE && aq_map_remove(&rows, (uint64_t)k, &at))
      pair_add(out, i, at);
  }
  aq_map_fini(&rows);
  return made;
}

/* The nth of a name with the nth of that name: a key of name and number. */
static bool number_names(const aq_match_side *side, uint64_t *keys)
{
  aq_map counts = AQ_MAP_INIT;
  bool made = true;
  for (size_t i = 0; made && i < side->dispatches->count; i++) {
    uint64_t nth = 0;
    aq_map_get(&counts, side->names[i], &nth);
    keys[i] = (uint64_t)side->names[i] << 32 | nth;
    made = aq_map_put(&counts, side->names[i], nth + 1);
  }
  aq_map_fini(&counts);
  return made;
}

static bool match_names(const aq_match_side *a, const aq_match_side *b,
                        aq_matches *out)
{
  const size_t n = a->dispatches->count, m = b->dispatches->count;
  uint64_t *keys = malloc((n + m + 1) * sizeof *keys);
  aq_map rows = AQ_MAP_INIT;
  uint64_t at;
  bool made = keys && number_names(a, keys) && number_names(b, keys + n);
  for (size_t i = 0; made && i < m; i++)
    made = aq_map_put(&rows, keys[n + i], i);
  for (size_t i = 0; made && i < n; i++)
    if (aq_map_get(&rows, keys[i], &at))
      pair_add(out, i, at);
  aq_map_fini(&rows);
  free(keys);
  return made;
}

/* ---- by order ---- */

static bool match_order(const aq_match_side *a, const aq_match_side *b,
                        aq_matches *out)
{
  const size_t n = a->dispatches->count, m = b->dispatches->count;
  for (size_t i = 0; i < n && i < m; i++)
    pair_add(out, i, i);
  return true;
}

static bool same_order(const aq_match_side *a, const aq_match_side *b)
{
  return a->dispatches->count == b->dispatches->count &&
         memcmp(a->names, b->names, a->dispatches->count * sizeof *a->names) ==
             0;
}

static bool match_align(const aq_match_side *a, const aq_match_side *b,
                        aq_matches *out)
{
  aq_alignment alignment;
  if (!aq_align(a->names, a->dispatches->count, b->names, b->dispatches->count,
                &alignment))
    return false;
  for (size_t r = 0; r < alignment.count; r++)
    for (size_t i = 0; i < alignment.runs[r].length; i++)
      pair_add(out, alignment.runs[r].a + i, alignment.runs[r].b + i);
  aq_alignment_fini(&alignment);
  return true;
}

/* ---- all of it ---- */

static bool match_by(const aq_match_side *a, const aq_match_side *b,
                     aq_match_replay replay, aq_matches *out)
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

aq_status aq_match_make(const aq_match_side *a, const aq_match_side *b,
                        aq_match_by by, aq_match_replay replay, aq_matches *out,
                        aq_diag *diag)
{
  const size_t n = a->dispatches->count, m = b->dispatches->count;
  if (by == AQ_MATCH_REPLAY && !replay.possible)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "neither run replays the other, and they do not replay "
                       "the same run");
  if (by == AQ_MATCH_AUTO)
    by = replay.possible    ? AQ_MATCH_REPLAY
         : same_order(a, b) ? AQ_MATCH_ORDER
                            : AQ_MATCH_ALIGN;
  aq_matches matches = {
      .pairs = malloc(((n < m ? n : m) + 1) * sizeof *matches.pairs), .by = by};
  if (!matches.pairs || !match_by(a, b, replay, &matches)) {
    aq_matches_fini(&matches);
    return aq_diag_no_memory(diag);
  }
  if (matches.count == 0) {
    aq_matches_fini(&matches);
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "the runs have no dispatch in common, by %s",
                       aq_match_names[by]);
  }
  *out = matches;
  return AQ_OK;
}

void aq_matches_fini(aq_matches *matches)
{
  free(matches->pairs);
  *matches = (aq_matches){0};
}
