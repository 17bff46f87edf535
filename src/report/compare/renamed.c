/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/renamed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "report/stats/launch_context.h"

/* The calls of one name that are alike. */
typedef struct use {
  int64_t family, shape, stem; /* ids of the names; no shape: AQ_NONE */
  int64_t calls;
  uint32_t name;
  int side;
  bool paired;
} use;

/* A name of each run, and the calls in which they are partners. */
typedef struct candidate {
  uint32_t names[2];
  int64_t family, shape, largest; /* the uses with most of them */
  int64_t calls;
} candidate;

typedef struct work {
  aq_names *names;
  size_t name_count;
  int64_t *calls[2]; /* by name */
  aq_time *times[2];
  int64_t *stems;     /* by name; AQ_NONE: not known so far */
  int64_t *shared[2]; /* by text of the dispatches: its id; AQ_NONE: as stems */
  use *uses;
  size_t use_count, use_capacity;
  candidate *candidates;
  size_t count, capacity;
} work;

static int order(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

/* ---- stems ---- */

static size_t digits_skip(const char *word, size_t at, size_t length)
{
  while (at < length && isdigit((unsigned char)word[at]))
    at++;
  return at;
}

/* A number, "v" and a number, or numbers joined by "x" behind letters. */
static bool is_version(const char *word, size_t length)
{
  size_t letters = 0, at, numbers = 1;
  while (letters < length && isalpha((unsigned char)word[letters]))
    letters++;
  at = digits_skip(word, letters, length);
  if (at == letters)
    return false;
  while (at + 1 < length && word[at] == 'x') {
    const size_t end = digits_skip(word, at + 1, length);
    if (end == at + 1)
      return false;
    numbers++;
    at = end;
  }
  return at == length &&
         (numbers > 1 || letters == 0 ||
          (letters == 1 && tolower((unsigned char)word[0]) == 'v'));
}

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* The id of the words of a name that are no versions; -1: no memory. */
static int64_t stem_of(work *w, uint32_t name)
{
  if (w->stems[name] != AQ_NONE)
    return w->stems[name];
  const char *text = aq_names_text(w->names, name);
  char *stem = malloc(2 * strlen(text) + 1);
  size_t kept = 0;
  if (!stem)
    return -1;
  while (*text) {
    size_t length = 0;
    while (is_word(text[length]))
      length++;
    if (length > 0 && !is_version(text, length)) {
      memcpy(stem + kept, text, length);
      kept += length;
      stem[kept++] = ' ';
    }
    text += length > 0 ? length : 1;
  }
  w->stems[name] = aq_names_id(w->names, stem, kept);
  free(stem);
  return w->stems[name];
}

/* ---- uses ---- */

static bool is_kernel(const aq_dispatch_row *row)
{
  return row->kind == AQ_KIND_KERNEL && !row->outside;
}

static int64_t *ids_make(size_t count)
{
  int64_t *ids = malloc((count + 1) * sizeof *ids);
  for (size_t i = 0; ids && i < count; i++)
    ids[i] = AQ_NONE;
  return ids;
}

static bool totals_make(work *w, const aq_renamed_side sides[2])
{
  w->name_count = w->names->count;
  w->stems = ids_make(w->name_count);
  if (!w->stems)
    return false;
  for (int s = 0; s < 2; s++) {
    const aq_dispatches *d = sides[s].dispatches;
    w->calls[s] = calloc(w->name_count + 1, sizeof *w->calls[s]);
    w->times[s] = calloc(w->name_count + 1, sizeof *w->times[s]);
    w->shared[s] = ids_make(d->texts.count);
    if (!w->calls[s] || !w->times[s] || !w->shared[s])
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

/* The id, in both runs, of a text of one; -1: no memory. */
static int64_t shared_id(work *w, const aq_dispatches *d, int side,
                         int64_t text)
{
  if (w->shared[side][text] == AQ_NONE) {
    const char *of = aq_names_text(&d->texts, text);
    w->shared[side][text] = aq_names_id(w->names, of, strlen(of));
  }
  return w->shared[side][text];
}

/* An operator's text has brackets where its inputs were recorded, and "?]"
 * where one is not readable. */
static bool has_inputs(const aq_dispatches *d, const aq_dispatch_row *row)
{
  const char *text =
      row->shape == AQ_NONE ? NULL : aq_names_text(&d->texts, row->shape);
  return text && strchr(text, '[') && !strstr(text, "?]");
}

static bool use_add(work *w, const aq_dispatches *d, const aq_dispatch_row *at,
                    int side, uint32_t name)
{
  const char *family = aq_names_text(&d->texts, at->family);
  if (strcmp(family, AQ_FAMILY_OTHER_KERNELS) == 0 ||
      aq_names_length(w->names, name) == 0)
    return true;
  const bool shaped = has_inputs(d, at);
  const use u = {.family = shared_id(w, d, side, at->family),
                 .shape = shaped ? shared_id(w, d, side, at->shape) : AQ_NONE,
                 .stem = stem_of(w, name),
                 .calls = 1,
                 .name = name,
                 .side = side};
  return u.family >= 0 && u.stem >= 0 && (!shaped || u.shape >= 0) &&
         AQ_ARRAY_PUSH(w->uses, w->use_count, w->use_capacity, u);
}

static int use_compare(const void *left, const void *right)
{
  const use *a = left, *b = right;
  int by = order(a->family, b->family);
  by = by ? by : order(a->shape, b->shape);
  by = by ? by : order(a->stem, b->stem);
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
      if (is_kernel(&d->rows[i]) &&
          !aq_map_get(sides[!s].kernels, name, NULL) &&
          !use_add(w, d, &d->rows[i], s, name))
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

/* Pairs the uses of [from, to) that have no partner, if they are one of each
 * run. */
static bool only_pair(work *w, size_t from, size_t to)
{
  use *only[2] = {NULL, NULL};
  for (size_t i = from; i < to; i++) {
    use *u = &w->uses[i];
    if (u->paired)
      continue;
    if (only[u->side])
      return true;
    only[u->side] = u;
  }
  if (!only[0] || !only[1])
    return true;
  const int64_t calls =
      only[0]->calls < only[1]->calls ? only[0]->calls : only[1]->calls;
  only[0]->paired = only[1]->paired = true;
  return AQ_ARRAY_PUSH(w->candidates, w->count, w->capacity,
                       (candidate){{only[0]->name, only[1]->name},
                                   only[0]->family,
                                   only[0]->shape,
                                   calls,
                                   calls});
}

/* Like calls are neighbours, and among them the ones of a stem: each use has at
 * most one partner, in one pass. */
static bool candidates_add(work *w)
{
  bool done = true;
  for (size_t i = 0, end = 0; done && i < w->use_count; i = end) {
    const use *first = &w->uses[i];
    while (done && end < w->use_count && w->uses[end].family == first->family &&
           w->uses[end].shape == first->shape) {
      const size_t from = end;
      while (end < w->use_count && w->uses[end].family == first->family &&
             w->uses[end].shape == first->shape &&
             w->uses[end].stem == w->uses[from].stem)
        end++;
      if (aq_names_length(w->names, w->uses[from].stem) > 0)
        done = only_pair(w, from, end);
    }
    if (done && first->shape != AQ_NONE)
      done = only_pair(w, i, end);
  }
  return done;
}

static int names_compare(const void *left, const void *right)
{
  const candidate *a = left, *b = right;
  const int by = order(a->names[0], b->names[0]);
  return by ? by : order(a->names[1], b->names[1]);
}

/* Joins candidates of the same names. */
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
}

static int renamed_compare(const void *left, const void *right)
{
  const aq_renamed *a = left, *b = right;
  const int by =
      order(llabs(b->times[1] - b->times[0]), llabs(a->times[1] - a->times[0]));
  return by ? by : order(a->names[0], b->names[0]);
}

/* A call has one partner at most: no name has two with more than half. */
static bool certain_take(const work *w, aq_renamed_list *out)
{
  bool done = true;
  for (size_t i = 0; done && i < w->count; i++) {
    const candidate *c = &w->candidates[i];
    const uint32_t was = c->names[0], is = c->names[1];
    const int64_t calls[] = {w->calls[0][was], w->calls[1][is]};
    if (2 * c->calls > calls[0] && 2 * c->calls > calls[1])
      done = AQ_ARRAY_PUSH(
          out->list, out->count, out->capacity,
          (aq_renamed){.names = {was, is},
                       .family = aq_names_text(w->names, c->family),
                       .shape = aq_names_text(w->names, c->shape),
                       .calls = {calls[0], calls[1]},
                       .times = {w->times[0][was], w->times[1][is]}});
  }
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
  done = done && certain_take(&w, out);
  for (int s = 0; s < 2; s++) {
    free(w.calls[s]);
    free(w.times[s]);
    free(w.shared[s]);
  }
  free(w.stems);
  free(w.uses);
  free(w.candidates);
  return done;
}
