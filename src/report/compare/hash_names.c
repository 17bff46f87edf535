/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/hash_names.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { HASH_LEAST = 32, DIGIT_LEAST = 16 /* of so many characters one */ };

/* A name that one run alone has. */
typedef struct hash_name {
  int64_t key;
  int64_t stem; /* the id of its text without hashes */
  size_t nth;   /* of the stem, in its run */
} hash_name;

typedef struct hash_list {
  hash_name *list;
  size_t count, capacity;
  aq_map of_stem; /* how many have it */
} hash_list;

static bool is_hash(const char *word, size_t length)
{
  size_t digits = 0;
  for (size_t i = 0; i < length; i++)
    digits += word[i] <= '9';
  return length >= HASH_LEAST && digits < length &&
         digits * DIGIT_LEAST >= length;
}

/* A name without its hashes, the caller's to free; *some: it has one. NULL: no
 * memory. */
static char *stem_make(const char *text, bool *some)
{
  char *stem = malloc(strlen(text) + 1), *to = stem;
  *some = false;
  while (stem && *text) {
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");
    const bool hash = is_hash(text, length);
    *some |= hash;
    length = length > 0 ? length : 1;
    if (!hash) {
      memcpy(to, text, length);
      to += length;
    }
    text += length;
  }
  if (stem)
    *to = 0;
  return stem;
}

/* Whether a name is new in a run, and the other run does not have it. */
static bool is_alone(int64_t key, const aq_map *seen, const aq_map *other)
{
  return key >= 0 && !aq_map_get(seen, (uint64_t)key, NULL) &&
         !aq_map_get(other, (uint64_t)key, NULL);
}

static bool keys_take(const aq_hash_side *side, aq_map *out)
{
  for (size_t i = 0; i < side->count; i++)
    if (side->keys[i] >= 0 && !aq_map_put(out, (uint64_t)side->keys[i], 1))
      return false;
  return true;
}

/* The names with hashes that a run alone has, by first appearance. */
static bool list_make(const aq_names *names, const aq_hash_side *side,
                      const aq_map *other, aq_names *stems, hash_list *out)
{
  aq_map seen = AQ_MAP_INIT;
  bool good = true;
  for (size_t i = 0; good && i < side->count; i++) {
    const int64_t key = side->keys[i];
    uint64_t nth = 0;
    bool some;
    if (!is_alone(key, &seen, other))
      continue;
    char *text = stem_make(aq_names_text(names, key), &some);
    const int64_t stem = text ? aq_names_id(stems, text, strlen(text)) : -1;
    free(text);
    good = stem >= 0 && aq_map_put(&seen, (uint64_t)key, 1);
    if (!good || !some)
      continue;
    aq_map_get(&out->of_stem, (uint64_t)stem, &nth);
    good = aq_map_put(&out->of_stem, (uint64_t)stem, nth + 1) &&
           AQ_ARRAY_PUSH(out->list, out->count, out->capacity,
                         (hash_name){key, stem, nth});
  }
  aq_map_fini(&seen);
  return good;
}

static int hash_order(const void *a, const void *b)
{
  const hash_name *x = a, *y = b;
  if (x->stem != y->stem)
    return x->stem < y->stem ? -1 : 1;
  return x->nth < y->nth ? -1 : x->nth > y->nth;
}

/* Whether both runs have equally many names of a stem: else one that is new
 * would move the partners of all behind it. */
static bool is_even(const hash_list lists[2], int64_t stem)
{
  uint64_t a = 0, b = 0;
  aq_map_get(&lists[0].of_stem, (uint64_t)stem, &a);
  aq_map_get(&lists[1].of_stem, (uint64_t)stem, &b);
  return a == b;
}

/* Leads from the first run's names to their partners, and back. */
static bool partners_find(hash_list lists[2], aq_map *now, aq_map *old)
{
  if (lists[0].count == 0 || lists[1].count == 0)
    return true;
  qsort(lists[0].list, lists[0].count, sizeof(hash_name), hash_order);
  for (size_t i = 0; i < lists[1].count; i++) {
    const hash_name *b = &lists[1].list[i];
    const hash_name *a = bsearch(b, lists[0].list, lists[0].count,
                                 sizeof(hash_name), hash_order);
    if (a && is_even(lists, b->stem) &&
        (!aq_map_put(now, (uint64_t)a->key, (uint64_t)b->key) ||
         !aq_map_put(old, (uint64_t)b->key, (uint64_t)a->key)))
      return false;
  }
  return true;
}

bool aq_hash_names_join(const aq_names *names, const aq_hash_side sides[2],
                        aq_map *now)
{
  aq_names stems = AQ_NAMES_INIT;
  aq_map keys[2] = {AQ_MAP_INIT, AQ_MAP_INIT}, old = AQ_MAP_INIT;
  hash_list lists[2] = {{.of_stem = AQ_MAP_INIT}, {.of_stem = AQ_MAP_INIT}};
  const bool good = keys_take(&sides[0], &keys[0]) &&
                    keys_take(&sides[1], &keys[1]) &&
                    list_make(names, &sides[0], &keys[1], &stems, &lists[0]) &&
                    list_make(names, &sides[1], &keys[0], &stems, &lists[1]) &&
                    partners_find(lists, now, &old);
  for (size_t i = 0; good && i < sides[1].count; i++) {
    uint64_t key;
    if (aq_map_get(&old, (uint64_t)sides[1].keys[i], &key))
      sides[1].keys[i] = (int64_t)key;
  }
  for (int s = 0; s < 2; s++) {
    free(lists[s].list);
    aq_map_fini(&lists[s].of_stem);
    aq_map_fini(&keys[s]);
  }
  aq_map_fini(&old);
  aq_names_fini(&stems);
  return good;
}
