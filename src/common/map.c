/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/array.h"
#include "common/wall_clock.h"

struct aq_map_entry {
  uint64_t key, value;
  bool used;
};

/* The finaliser of MurmurHash3: spreads ids that differ in few bits. */
static uint64_t hash_u64(uint64_t x)
{
  x ^= x >> 33;
  x *= UINT64_C(0xff51afd7ed558ccd);
  x ^= x >> 33;
  x *= UINT64_C(0xc4ceb9fe1a85ec53);
  return x ^ x >> 33;
}

/* Of the process, not 0: keys and texts come from files, and whoever writes one
 * must not know which of them meet. Nothing depends on the places of entries.
 */
static uint64_t seed_get(void)
{
  static uint64_t chosen;
  uint64_t seed = __atomic_load_n(&chosen, __ATOMIC_RELAXED), none = 0;
  if (__builtin_expect(seed != 0, true))
    return seed;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed)
    seed = hash_u64((uint64_t)aq_wall_ns());
  seed |= 1;
  return __atomic_compare_exchange_n(&chosen, &none, seed, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)
             ? seed
             : none;
}

/* Where the search for a key begins. */
static size_t map_home(const aq_map *map, uint64_t key)
{
  return hash_u64(key ^ seed_get()) & (map->capacity - 1);
}

void aq_map_fini(aq_map *map)
{
  free(map->entries);
  *map = (aq_map)AQ_MAP_INIT;
}

/* The entry of `key`, or the free one where it would go. */
static size_t map_find(const aq_map *map, uint64_t key)
{
  size_t i = map_home(map, key);
  while (map->entries[i].used && map->entries[i].key != key)
    i = (i + 1) & (map->capacity - 1);
  return i;
}

static bool map_grow(aq_map *map)
{
  aq_map bigger = {.capacity = map->capacity ? map->capacity * 2 : 64};
  bigger.entries = calloc(bigger.capacity, sizeof *bigger.entries);
  if (!bigger.entries)
    return false;
  for (size_t i = 0; i < map->capacity; i++)
    if (map->entries[i].used)
      bigger.entries[map_find(&bigger, map->entries[i].key)] = map->entries[i];
  bigger.count = map->count;
  free(map->entries);
  *map = bigger;
  return true;
}

bool aq_map_put(aq_map *map, uint64_t key, uint64_t value)
{
  if (map->count * 3 >= map->capacity * 2 && !map_grow(map))
    return false;
  aq_map_entry *entry = &map->entries[map_find(map, key)];
  map->count += !entry->used;
  *entry = (aq_map_entry){key, value, true};
  return true;
}

bool aq_map_get(const aq_map *map, uint64_t key, uint64_t *value)
{
  if (map->count == 0)
    return false;
  const aq_map_entry *entry = &map->entries[map_find(map, key)];
  if (entry->used && value)
    *value = entry->value;
  return entry->used;
}

bool aq_map_remove(aq_map *map, uint64_t key, uint64_t *value)
{
  if (!aq_map_get(map, key, value))
    return false;
  const size_t mask = map->capacity - 1;
  size_t hole = map_find(map, key);
  for (size_t i = (hole + 1) & mask; map->entries[i].used; i = (i + 1) & mask) {
    size_t home = map_home(map, map->entries[i].key);
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      map->entries[hole] = map->entries[i];
      hole = i;
    }
  }
  map->entries[hole].used = false;
  map->count--;
  return true;
}

struct aq_name {
  size_t length;
  char text[];
};

void aq_names_fini(aq_names *names)
{
  aq_map_fini(&names->by_hash);
  free(names->names);
  aq_arena_fini(&names->arena);
  *names = (aq_names)AQ_NAMES_INIT;
}

static int64_t names_append(aq_names *names, const char *text, size_t length)
{
  if (!AQ_ARRAY_RESERVE(names->names, names->capacity, names->count + 1))
    return -1;
  struct aq_name *name =
      aq_arena_alloc(&names->arena, sizeof *name + length + 1);
  if (!name)
    return -1;
  name->length = length;
  memcpy(name->text, text, length);
  names->names[names->count] = name;
  return (int64_t)names->count;
}

/* Eight bytes at a time: traces have millions of names. A zero byte more is
 * another length. */
static uint64_t text_hash(const char *text, size_t length)
{
  uint64_t hash = length ^ seed_get(), word = 0;
  for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
    memcpy(&word, text, sizeof word);
    hash = hash_u64(hash ^ word);
  }
  word = 0;
  memcpy(&word, text, length);
  return hash_u64(hash ^ word);
}

/* The id of a text; -1: *hash is its free key. */
static int64_t id_find(const aq_names *names, const char *text, size_t length,
                       uint64_t *hash)
{
  uint64_t id;
  /* Texts with equal hashes take the following keys. */
  for (*hash = text_hash(text, length); aq_map_get(&names->by_hash, *hash, &id);
       ++*hash) {
    const struct aq_name *name = names->names[id];
    if (name->length == length && memcmp(name->text, text, length) == 0)
      return (int64_t)id;
  }
  return -1;
}

int64_t aq_names_find(const aq_names *names, const char *text, size_t length)
{
  uint64_t hash;
  return id_find(names, text, length, &hash);
}

int64_t aq_names_id(aq_names *names, const char *text, size_t length)
{
  uint64_t hash;
  const int64_t known = id_find(names, text, length, &hash);
  if (known >= 0)
    return known;
  int64_t added = names_append(names, text, length);
  if (added < 0 || !aq_map_put(&names->by_hash, hash, (uint64_t)added))
    return -1;
  names->count++;
  return added;
}

const char *aq_names_text(const aq_names *names, int64_t id)
{
  return id < 0 || (size_t)id >= names->count ? NULL : names->names[id]->text;
}

size_t aq_names_length(const aq_names *names, int64_t id)
{
  return id < 0 || (size_t)id >= names->count ? 0 : names->names[id]->length;
}
