/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/renamed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* The calls of one name that have one family and shape. */
typedef struct use {
  int64_t family, shape; /* ids of the names */
  uint32_t name;
  int side;
  int64_t calls;
} use;

/* A name of each run, and the calls that agree in family and shape. */
typedef struct candidate {
  uint32_t names[2];
  int64_t family, shape, largest; /* the use with most of them */
  int64_t calls;
  size_t alike; /* characters with which both names begin */
} candidate;

typedef struct work {
  aq_names *names;
  size_t name_count;
  int64_t *calls[2]; /* by name */
  aq_time *times[2];
  use *uses;
  size_t use_count, use_capacity;
  candidate *candidates;
  size_t count, capacity;
} work;

static int order(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

/* ---- uses ---- */

static bool is_kernel(const aq_dispatch_row *row)
{
  return row->kind == AQ_KIND_KERNEL && !row->outside;
}

static bool totals_make(work *w, const aq_renamed_side sides[2])
{
  for (int s = 0; s < 2; s++) {
    const aq_dispatches *d = sides[s].dispatches;
    for (size_t i = 0; i < d->count; i++)
      if (sides[s].numbers[i] >= w->name_count)
        w->name_count = (size_t)sides[s].numbers[i] + 1;
  }
  for (int s = 0; s < 2; s++) {
    const aq_dispatches *d = sides[s].dispatches;
    w->calls[s] = calloc(w->name_count + 1, sizeof *w->calls[s]);
    w->times[s] = calloc(w->name_count + 1, sizeof *w->times[s]);
    if (!w->calls[s] || !w->times[s])
      return false;
    for (size_t i = 0; i < d->count; i++) {
      if (!is_kernel(&d->rows[i]))
        continue;
      w->calls[s][sides[s].numbers[i]]++;
      w->times[s][sides[s].numbers[i]] += d->rows[i].end - d->rows[i].start;
    }
  }
  return true;
}

/* The id of the row's shape; AQ_NONE: not known, -1: no memory. An operator's
 * text has brackets where its inputs were recorded. */
static int64_t shape_of(work *w, const aq_dispatches *d,
                        const aq_dispatch_row *row)
{
  char launch[64];
  const char *text =
      row->shape == AQ_NONE ? NULL : aq_names_text(&d->texts, row->shape);
  if (!text || !strchr(text, '[')) {
    if (row->workgroups == AQ_NONE)
      return AQ_NONE;
    snprintf(launch, sizeof launch, "%" PRId64 " workgroups", row->workgroups);
    text = launch;
  }
  return aq_names_id(w->names, text, strlen(text));
}

static bool use_add(work *w, const aq_dispatches *d, size_t row, int side,
                    uint32_t name)
{
  const aq_dispatch_row *at = &d->rows[row];
  const int64_t shape = shape_of(w, d, at);
  if (shape == AQ_NONE)
    return true;
  const char *family = aq_names_text(&d->texts, at->family);
  const int64_t id = aq_names_id(w->names, family, strlen(family));
  return shape >= 0 && id >= 0 &&
         AQ_ARRAY_PUSH(w->uses, w->use_count, w->use_capacity,
                       (use){id, shape, name, side, 1});
}

static int use_compare(const void *left, const void *right)
{
  const use *a = left, *b = right;
  int by = order(a->family, b->family);
  by = by ? by : order(a->shape, b->shape);
  by = by ? by : order(a->side, b->side);
  return by ? by : order(a->name, b->name);
}

/* Of the names that one run alone has; equal ones together. */
static bool uses_make(work *w, const aq_renamed_side sides[2])
{
  size_t kept = 0;
  for (int s = 0; s < 2; s++) {
    const aq_dispatches *d = sides[s].dispatches;
    for (size_t i = 0; i < d->count; i++) {
      const uint32_t name = sides[s].numbers[i];
      if (is_kernel(&d->rows[i]) && w->calls[!s][name] == 0 &&
          !use_add(w, d, i, s, name))
        return false;
    }
  }
  if (w->use_count > 0)
    qsort(w->uses, w->use_count, sizeof *w->uses, use_compare);
  for (size_t i = 0; i < w->use_count; i++)
    if (kept > 0 && use_compare(&w->uses[kept - 1], &w->uses[i]) == 0)
      w->uses[kept - 1].calls++;
    else
      w->uses[kept++] = w->uses[i];
  w->use_count = kept;
  return true;
}

/* ---- candidates ---- */

static int names_compare(const void *left, const void *right)
{
  const candidate *a = left, *b = right;
  const int by = order(a->names[0], b->names[0]);
  return by ? by : order(a->names[1], b->names[1]);
}

static int best_compare(const void *left, const void *right)
{
  const candidate *a = left, *b = right;
  int by = order(b->calls, a->calls);
  by = by ? by : order((int64_t)b->alike, (int64_t)a->alike);
  return by ? by : names_compare(left, right);
}

/* Each use of the first run with each of the second, of a family and shape. */
static bool candidates_add(work *w)
{
  for (size_t i = 0; i < w->use_count; i++) {
    const use *a = &w->uses[i];
    for (size_t j = i + 1; a->side == 0 && j < w->use_count; j++) {
      const use *b = &w->uses[j];
      if (b->family != a->family || b->shape != a->shape)
        break;
      const int64_t calls = a->calls < b->calls ? a->calls : b->calls;
      if (b->side == 1 &&
          !AQ_ARRAY_PUSH(
              w->candidates, w->count, w->capacity,
              (candidate){
                  {a->name, b->name}, a->family, a->shape, calls, calls, 0}))
        return false;
    }
  }
  return true;
}

static size_t beginning(const char *a, const char *b)
{
  size_t length = 0;
  while (a[length] && a[length] == b[length])
    length++;
  return length;
}

/* Joins candidates of the same names; then the best first. */
static void candidates_merge(work *w)
{
  size_t kept = 0;
  if (w->count == 0)
    return;
  qsort(w->candidates, w->count, sizeof *w->candidates, names_compare);
  for (size_t i = 0; i < w->count; i++) {
    const candidate *from = &w->candidates[i];
    candidate *to = kept > 0 ? &w->candidates[kept - 1] : NULL;
    if (!to || names_compare(to, from) != 0) {
      w->candidates[kept++] = *from;
      continue;
    }
    to->calls += from->calls;
    if (from->largest > to->largest) {
      to->largest = from->largest;
      to->family = from->family;
      to->shape = from->shape;
    }
  }
  w->count = kept;
  for (size_t i = 0; i < kept; i++) {
    candidate *c = &w->candidates[i];
    c->alike = beginning(aq_names_text(w->names, c->names[0]),
                         aq_names_text(w->names, c->names[1]));
  }
  qsort(w->candidates, kept, sizeof *w->candidates, best_compare);
}

static int renamed_compare(const void *left, const void *right)
{
  const aq_renamed *a = left, *b = right;
  const int by =
      order(llabs(b->times[1] - b->times[0]), llabs(a->times[1] - a->times[0]));
  return by ? by : order(a->names[0], b->names[0]);
}

static bool best_take(work *w, aq_renamed_list *out)
{
  bool *taken = calloc(w->name_count + 1, sizeof *taken);
  bool done = taken != NULL;
  for (size_t i = 0; done && i < w->count; i++) {
    const candidate *c = &w->candidates[i];
    const uint32_t was = c->names[0], is = c->names[1];
    const int64_t calls[] = {w->calls[0][was], w->calls[1][is]};
    if (taken[was] || taken[is] || 2 * c->calls < calls[0] ||
        2 * c->calls < calls[1])
      continue;
    taken[was] = taken[is] = true;
    done = AQ_ARRAY_PUSH(
        out->list, out->count, out->capacity,
        (aq_renamed){.names = {was, is},
                     .family = aq_names_text(w->names, c->family),
                     .shape = aq_names_text(w->names, c->shape),
                     .calls = {calls[0], calls[1]},
                     .times = {w->times[0][was], w->times[1][is]}});
  }
  free(taken);
  if (done && out->count > 0)
    qsort(out->list, out->count, sizeof *out->list, renamed_compare);
  return done;
}

bool aq_renamed_find(const aq_renamed_side sides[2], aq_names *names,
                     aq_renamed_list *out)
{
  work w = {.names = names};
  *out = (aq_renamed_list){.count = 0};
  bool done =
      totals_make(&w, sides) && uses_make(&w, sides) && candidates_add(&w);
  if (done)
    candidates_merge(&w);
  done = done && best_take(&w, out);
  for (int s = 0; s < 2; s++) {
    free(w.calls[s]);
    free(w.times[s]);
  }
  free(w.uses);
  free(w.candidates);
  return done;
}
