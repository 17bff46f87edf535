/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/name_cuts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"

enum {
  MARK = 2,        /* ".." */
  HEAD = 8,        /* bytes of the beginning, at least */
  WORD_BEFORE = 8, /* of a word in front of a difference */
  WORD_BEHIND = 12,
  ROOM_BEHIND = 16,     /* behind the innermost frame of a stack */
  DIFFERENCES_MAX = 10, /* of one name */
  PIECES_MAX = DIFFERENCES_MAX + 4,
  NUMBER_SIZE = 24
};

/* A part of a name, in bytes. */
typedef struct piece {
  size_t begin, end;
} piece;

/* In order, with gaps wider than a mark between them. */
typedef struct layout {
  piece pieces[PIECES_MAX];
  size_t count;
} layout;

/* A name of the list, once. */
typedef struct cut {
  const char *name;
  size_t length; /* bytes */
  size_t width;  /* the least of its cells; fits: not cut */
  bool fits;
  size_t differences[DIFFERENCES_MAX]; /* from the most important one on */
  size_t count;
  size_t nearest; /* the difference to its most similar neighbour */
  char *shown;
} cut;

typedef struct cuts {
  cut *list; /* by text */
  size_t count;
} cuts;

/* ---- text ---- */

static bool is_continuation(char c)
{
  return ((unsigned char)c & 0xc0) == 0x80;
}

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

size_t aq_name_width(const char *name)
{
  size_t width = 0;
  for (; *name; name++)
    width += !is_continuation(*name);
  return width;
}

/* The code point at or before a byte; the one behind it. */
static size_t point_at(const char *text, size_t at)
{
  while (at > 0 && is_continuation(text[at]))
    at--;
  return at;
}

static size_t point_behind(const char *text, size_t at)
{
  for (at += text[at] != 0; is_continuation(text[at]);)
    at++;
  return at;
}

/* The byte at which the first code point begins that two names do not share. */
static size_t difference_of(const char *a, const char *b)
{
  size_t at = 0;
  while (a[at] && a[at] == b[at])
    at++;
  return point_at(a, at);
}

/* ---- pieces ---- */

/* The word around a difference, as far as it is near; of a number the word
 * before, too: "layer_7". */
static piece word_around(const cut *c, size_t at)
{
  piece p = {at, at};
  while (p.begin > 0 && at - p.begin < WORD_BEFORE &&
         (is_word(c->name[p.begin - 1]) ||
          (c->name[p.begin - 1] == '_' &&
           isdigit((unsigned char)c->name[p.begin]))))
    p.begin--;
  if (p.begin == c->length && p.begin > 0)
    p.begin--;
  p.begin = point_at(c->name, p.begin);
  p.end = point_behind(c->name, at);
  while (p.end - at < WORD_BEHIND && is_word(c->name[p.end]) &&
         is_word(c->name[at]))
    p.end = point_behind(c->name, p.end);
  return p;
}

/* "MT128x64x32" of a GEMM of Tensile; empty: none. */
static piece tile_of(const cut *c)
{
  for (const char *at = c->name; (at = strstr(at, "_MT")); at++) {
    size_t length = 3 + strspn(at + 3, "0123456789");
    if (length == 3 || at[length] != 'x')
      continue;
    length += strspn(at + length, "0123456789x");
    const size_t begin = (size_t)(at + 1 - c->name);
    return (piece){begin, begin + length - 1};
  }
  return (piece){0, 0};
}

/* The columns of a layout. */
static size_t layout_width(const layout *l, size_t length)
{
  size_t width = 0;
  for (size_t i = 0; i < l->count; i++)
    width += l->pieces[i].end - l->pieces[i].begin +
             (l->pieces[i].end < length ? MARK : 0);
  return width;
}

/* Joins pieces that a mark would not be shorter than the gap between. */
static void layout_join(layout *l, size_t length)
{
  size_t kept = 0;
  for (size_t i = 0; i < l->count; i++) {
    const piece next = l->pieces[i];
    piece *last = kept > 0 ? &l->pieces[kept - 1] : NULL;
    if (!last || next.begin > last->end + MARK)
      l->pieces[kept++] = next;
    else if (next.end > last->end)
      last->end = next.end;
  }
  l->count = kept;
  if (kept > 0 && l->pieces[kept - 1].end + MARK >= length)
    l->pieces[kept - 1].end = length;
}

/* Whether there is room for one more piece, which is then in the layout. */
static bool layout_add(layout *l, const cut *c, size_t width, piece p)
{
  layout more = *l;
  size_t at = more.count;
  if (more.count == PIECES_MAX)
    return false;
  for (; at > 0 && more.pieces[at - 1].begin > p.begin; at--)
    more.pieces[at] = more.pieces[at - 1];
  more.pieces[at] = p;
  more.count++;
  layout_join(&more, c->length);
  if (layout_width(&more, c->length) > width)
    return false;
  *l = more;
  return true;
}

/* The word of a difference, or its first letter. */
static void difference_add(layout *l, const cut *c, size_t width, size_t at)
{
  piece word = word_around(c, at);
  if (at < l->pieces[0].end || layout_add(l, c, width, word))
    return;
  word.begin = at < c->length ? at : word.begin;
  word.end = point_behind(c->name, at);
  layout_add(l, c, width, word);
}

/* Gives the pieces the room that is left, in turns: to the right, but at the
 * end of the name to the left. */
static void layout_grow(layout *l, const cut *c, size_t width)
{
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = 0; i < l->count; i++) {
      piece p = l->pieces[i];
      if (p.end < c->length)
        p.end = point_behind(c->name, p.end);
      else if (p.begin > 0)
        p.begin = point_at(c->name, p.begin - 1);
      else
        continue;
      grown |= layout_add(l, c, width, p);
    }
  }
}

/* ---- a name ---- */

/* Of a call stack, "inner < outer", the innermost frame, if it leaves room. */
static size_t head_of(const cut *c, size_t width)
{
  const size_t most = width > 2 * ROOM_BEHIND ? width - ROOM_BEHIND : width / 2;
  const char *outer = strstr(c->name, " < ");
  const size_t half = (width - MARK) / 2;
  size_t head = HEAD < half ? HEAD : half;
  if (outer && (size_t)(outer - c->name) > head)
    head = (size_t)(outer - c->name);
  return point_at(c->name, head < most ? head : most);
}

static layout layout_make(const cut *c, size_t width)
{
  layout l = {.pieces = {{0, head_of(c, width)}}, .count = 1};
  const piece tile = tile_of(c);
  const size_t half = (width - MARK) / 2;
  for (size_t i = 0; i < c->count; i++)
    difference_add(&l, c, width, c->differences[i]);
  if (tile.end > 0)
    layout_add(&l, c, width, tile);
  difference_add(&l, c, width, c->nearest);
  /* Its end distinguishes a name as well as its beginning. */
  if (l.count == 1 && l.pieces[0].end <= half) {
    l.pieces[0].end = point_at(c->name, half);
    l.pieces[l.count++] =
        (piece){point_behind(c->name, c->length - (width - MARK - half) - 1),
                c->length};
  }
  layout_grow(&l, c, width);
  return l;
}

/* The name in `width` columns; NULL: no memory. */
static char *name_show(const cut *c, size_t width, const char *number)
{
  const layout l = layout_make(c, width);
  const size_t most = layout_width(&l, c->length) + MARK + strlen(number);
  char *text = malloc(most + 1), *to = text;
  if (!text)
    return NULL;
  for (size_t i = 0; i < l.count; i++) {
    const piece p = l.pieces[i];
    memcpy(to, c->name + p.begin, p.end - p.begin);
    to += p.end - p.begin;
    memcpy(to, "..", MARK);
    to += p.end < c->length ? MARK : 0;
  }
  strcpy(to, number);
  return text;
}

static bool cut_show(cut *c)
{
  char *text = c->fits ? strdup(c->name) : name_show(c, c->width, "");
  if (!text)
    return false;
  free(c->shown);
  c->shown = text;
  return true;
}

/* Whether the name has to show one place more than before. */
static bool cut_differ(cut *c, size_t at)
{
  for (size_t i = 0; i < c->count; i++)
    if (c->differences[i] == at)
      return false;
  if (c->fits || c->count == DIFFERENCES_MAX)
    return false;
  c->differences[c->count++] = at;
  return true;
}

/* ---- names that look alike ---- */

/* The first and the last of the names that look the same; by text, they have
 * in common what all of them have. */
typedef struct likeness {
  size_t first, last;
} likeness;

/* Makes names that look the same show where they first differ; *found: some
 * changed. False: no memory. */
static bool likenesses_part(cuts *all, bool *found)
{
  aq_names shown = AQ_NAMES_INIT;
  likeness *same = malloc((all->count + 1) * sizeof *same);
  int64_t *ids = malloc((all->count + 1) * sizeof *ids);
  bool good = same && ids;
  *found = false;
  for (size_t i = 0; good && i < all->count; i++) {
    const size_t known = shown.count;
    const char *text = all->list[i].shown;
    ids[i] = aq_names_id(&shown, text, strlen(text));
    good = ids[i] >= 0;
    if (good && (size_t)ids[i] == known)
      same[ids[i]].first = i;
    if (good)
      same[ids[i]].last = i;
  }
  for (size_t i = 0; good && i < all->count; i++) {
    const likeness s = same[ids[i]];
    if (s.first == s.last ||
        !cut_differ(&all->list[i], difference_of(all->list[s.first].name,
                                                 all->list[s.last].name)))
      continue;
    *found = true;
    good = cut_show(&all->list[i]);
  }
  free(ids);
  free(same);
  aq_names_fini(&shown);
  return good;
}

/* Numbers a name that looks like another one, from 2 on. */
static bool cut_number(cut *c, aq_names *taken, aq_map *numbers)
{
  const int64_t like = aq_names_find(taken, c->shown, strlen(c->shown));
  uint64_t number = 1;
  if (like < 0)
    return aq_names_id(taken, c->shown, strlen(c->shown)) >= 0;
  aq_map_get(numbers, (uint64_t)like, &number);
  for (;;) {
    char text[NUMBER_SIZE];
    const int length =
        snprintf(text, sizeof text, " (%llu)", (unsigned long long)++number);
    char *shown = name_show(c, c->width - (size_t)length, text);
    if (!shown)
      return false;
    const bool is_new = aq_names_find(taken, shown, strlen(shown)) < 0;
    free(is_new ? c->shown : shown);
    if (!is_new)
      continue;
    c->shown = shown;
    return aq_map_put(numbers, (uint64_t)like, number) &&
           aq_names_id(taken, shown, strlen(shown)) >= 0;
  }
}

/* Numbers what still looks the same. */
static bool likenesses_number(cuts *all)
{
  aq_names taken = AQ_NAMES_INIT;
  aq_map numbers = AQ_MAP_INIT;
  bool good = true;
  for (size_t i = 0; good && i < all->count; i++)
    if (all->list[i].fits)
      good = aq_names_id(&taken, all->list[i].name, all->list[i].length) >= 0;
  for (size_t i = 0; good && i < all->count; i++)
    if (!all->list[i].fits)
      good = cut_number(&all->list[i], &taken, &numbers);
  aq_map_fini(&numbers);
  aq_names_fini(&taken);
  return good;
}

/* ---- all of them ---- */

static int by_name(const void *a, const void *b)
{
  return strcmp(((const cut *)a)->name, ((const cut *)b)->name);
}

static cut *cut_find(const cuts *all, const char *name)
{
  const cut key = {.name = name};
  return bsearch(&key, all->list, all->count, sizeof key, by_name);
}

/* Each name once, in the order of texts, with its difference to the nearest
 * one before or behind it. */
static void cuts_make(cuts *all, const aq_name_cell *cells, size_t count)
{
  size_t before = 0;
  for (size_t i = 0; i < count; i++)
    all->list[i] = (cut){.name = cells[i].name, .width = cells[i].width};
  qsort(all->list, count, sizeof *all->list, by_name);
  for (size_t i = 0; i < count; i++) {
    cut *last = all->count > 0 ? &all->list[all->count - 1] : NULL;
    if (!last || by_name(last, &all->list[i]) != 0)
      all->list[all->count++] = all->list[i];
    else if (all->list[i].width < last->width)
      last->width = all->list[i].width;
  }
  for (size_t i = 0; i < all->count; i++) {
    cut *c = &all->list[i];
    const size_t behind =
        i + 1 < all->count ? difference_of(c->name, c[1].name) : 0;
    c->length = strlen(c->name);
    c->fits = aq_name_width(c->name) <= c->width;
    c->nearest = before > behind ? before : behind;
    before = behind;
  }
}

/* Names of a row show their difference. */
static void rows_differ(const cuts *all, const aq_name_cell *cells,
                        size_t count)
{
  for (size_t i = 1; i < count; i++) {
    cut *a = cut_find(all, cells[i - 1].name);
    cut *b = cut_find(all, cells[i].name);
    if (cells[i - 1].row != cells[i].row || a == b)
      continue;
    const size_t at = difference_of(a->name, b->name);
    cut_differ(a, at);
    cut_differ(b, at);
  }
}

int aq_names_fit(aq_name_cell *cells, size_t count)
{
  cuts all = {.list = malloc((count + 1) * sizeof *all.list)};
  bool good = all.list != NULL, again = true;
  if (!good)
    return -1;
  cuts_make(&all, cells, count);
  rows_differ(&all, cells, count);
  for (size_t i = 0; good && i < all.count; i++)
    good = cut_show(&all.list[i]);
  while (good && again)
    good = likenesses_part(&all, &again);
  good = good && likenesses_number(&all);
  /* The cells own the names that are looked up, until all are replaced. */
  char **shown = calloc(count + 1, sizeof *shown);
  good = good && shown;
  for (size_t i = 0; good && i < count; i++) {
    shown[i] = strdup(cut_find(&all, cells[i].name)->shown);
    good = shown[i] != NULL;
  }
  for (size_t i = 0; shown && i < count; i++) {
    free(good ? cells[i].name : shown[i]);
    cells[i].name = good ? shown[i] : cells[i].name;
  }
  for (size_t i = 0; i < all.count; i++)
    free(all.list[i].shown);
  free(shown);
  free(all.list);
  return good ? 0 : -1;
}
