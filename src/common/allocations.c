/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/allocations.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/transport.h"

/* Words of an entry: readers copy them one by one, while a writer may be at
 * work; the sequence number then shows that the copy is of no use. */
enum { BASE, END, REACH, START, SIZE, READERS, WRITERS, SHIFT, FACTS, WORDS };

typedef struct entry {
  uint64_t words[WORDS];
} entry;

/* An array that readers may still look at after a larger one took its place. */
typedef struct table {
  struct table *before;
  size_t capacity;
  entry entries[];
} table;

struct aq_allocations {
  uint64_t sequence; /* odd while a writer is at work */
  table *now;
  size_t count;
  bool open;
  pthread_mutex_t lock;  /* of writers */
  uint64_t freed_count;  /* ever */
  uint64_t code_removed; /* atomic */
  uint64_t aliases;      /* atomic */
  uint64_t protected;    /* atomic */
  aq_allocation freed[AQ_ALLOCATIONS_FREED];
};

/* Acquire: the sequence number is read again behind the words. Orders of the
 * accesses themselves, not fences, which ThreadSanitizer does not know. */
static uint64_t get(const uint64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Release: a reader that sees the word sees that the sequence number is odd. */
static void put(uint64_t *word, uint64_t value)
{
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static entry entry_read(const entry *from)
{
  entry out;
  for (int i = 0; i < WORDS; i++)
    out.words[i] = get(&from->words[i]);
  return out;
}

static void entry_write(entry *to, const entry *from)
{
  for (int i = 0; i < WORDS; i++)
    put(&to->words[i], from->words[i]);
}

static uint64_t shift_of(const aq_allocation *a)
{
  return aq_address_is_alias(a->base) ? AQ_ALIAS_BASE : a->shift;
}

/* An entry came or went. */
static void shifted_count(aq_allocations *map, const entry *e, uint64_t by)
{
  if (aq_address_is_alias(e->words[START]))
    __atomic_fetch_add(&map->aliases, by, __ATOMIC_RELAXED);
  else if (e->words[SHIFT])
    __atomic_fetch_add(&map->protected, by, __ATOMIC_RELAXED);
}

static entry entry_pack(const aq_allocation *a)
{
  return (entry){{[BASE] = aq_allocation_first(a),
                  [END] = aq_allocation_end(a),
                  [START] = a->base,
                  [SIZE] = a->size,
                  [READERS] = a->readers,
                  [WRITERS] = a->writers,
                  [SHIFT] = shift_of(a),
                  [FACTS] = (uint64_t)a->device << 32 | (uint64_t)a->fine << 9 |
                            (uint64_t)a->executable << 8 | a->kind}};
}

static aq_allocation entry_unpack(const entry *e)
{
  return (aq_allocation){.base = e->words[START],
                         .size = e->words[SIZE],
                         .readers = e->words[READERS],
                         .writers = e->words[WRITERS],
                         .shift = e->words[SHIFT],
                         .device = (uint32_t)(e->words[FACTS] >> 32),
                         .kind = (uint8_t)e->words[FACTS],
                         .executable = e->words[FACTS] >> 8 & 1,
                         .fine = e->words[FACTS] >> 9 & 1};
}

/* ---- life ---- */

aq_allocations *aq_allocations_create(void)
{
  aq_allocations *map = calloc(1, sizeof *map);
  if (map)
    pthread_mutex_init(&map->lock, NULL);
  return map;
}

void aq_allocations_destroy(aq_allocations *map)
{
  if (!map)
    return;
  while (map->now) {
    table *t = map->now;
    map->now = t->before;
    free(t);
  }
  pthread_mutex_destroy(&map->lock);
  free(map);
}

void aq_allocations_open(aq_allocations *map, bool open)
{
  __atomic_store_n(&map->open, open, __ATOMIC_RELAXED);
}

bool aq_allocations_are_open(const aq_allocations *map)
{
  return __atomic_load_n(&map->open, __ATOMIC_RELAXED);
}

/* ---- writing ---- */

static void write_begin(aq_allocations *map)
{
  __atomic_fetch_add(&map->sequence, 1, __ATOMIC_ACQ_REL);
}

static void write_end(aq_allocations *map)
{
  __atomic_fetch_add(&map->sequence, 1, __ATOMIC_RELEASE);
}

/* The first entry whose base is above an address. */
static size_t index_above(const table *t, size_t count, uint64_t address)
{
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (get(&t->entries[middle].words[BASE]) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* REACH is the highest end of an entry and all before it: where a search
 * backwards may stop. */
static void reaches_set(aq_allocations *map, size_t from)
{
  table *t = map->now;
  uint64_t reach = from > 0 ? get(&t->entries[from - 1].words[REACH]) : 0;
  for (size_t i = from; i < map->count; i++) {
    const uint64_t end = get(&t->entries[i].words[END]);
    reach = end > reach ? end : reach;
    put(&t->entries[i].words[REACH], reach);
  }
}

static bool room_make(aq_allocations *map)
{
  const table *old = map->now;
  if (old && map->count < old->capacity)
    return true;
  const size_t capacity = old ? 2 * old->capacity : 64;
  table *t = calloc(1, sizeof *t + capacity * sizeof(entry));
  if (!t)
    return false;
  t->capacity = capacity;
  t->before = map->now;
  for (size_t i = 0; i < map->count; i++)
    t->entries[i] = entry_read(&old->entries[i]);
  write_begin(map);
  __atomic_store_n(&map->now, t, __ATOMIC_RELEASE);
  write_end(map);
  return true;
}

static void count_set(aq_allocations *map, size_t count)
{
  __atomic_store_n(&map->count, count, __ATOMIC_RELEASE);
}

bool aq_allocations_add(aq_allocations *map, const aq_allocation *allocation)
{
  const entry new = entry_pack(allocation);
  pthread_mutex_lock(&map->lock);
  const bool room = room_make(map);
  if (room) {
    entry *entries = map->now->entries;
    const size_t at = index_above(map->now, map->count, new.words[BASE]);
    write_begin(map);
    for (size_t i = map->count; i > at; i--) {
      const entry moved = entry_read(&entries[i - 1]);
      entry_write(&entries[i], &moved);
    }
    entry_write(&entries[at], &new);
    count_set(map, map->count + 1);
    shifted_count(map, &new, 1);
    reaches_set(map, at);
    write_end(map);
  }
  pthread_mutex_unlock(&map->lock);
  return room;
}

/* The newest entry of a kind with this base, or `count`; the lock is held. */
static size_t entry_of(const aq_allocations *map, uint64_t base,
                       aq_allocation_kind kind)
{
  size_t i = map->now ? index_above(map->now, map->count, base) : 0;
  for (; i > 0; i--) {
    const entry *e = &map->now->entries[i - 1];
    if (e->words[START] == base && (uint8_t)e->words[FACTS] == kind)
      return i - 1;
    if (base - e->words[BASE] >= AQ_ALLOCATION_PAGE)
      break;
  }
  return map->count;
}

bool aq_allocations_remove(aq_allocations *map, uint64_t base,
                           aq_allocation_kind kind)
{
  pthread_mutex_lock(&map->lock);
  const size_t at = entry_of(map, base, kind);
  const bool found = at < map->count;
  if (found) {
    entry *entries = map->now->entries;
    map->freed[map->freed_count++ % AQ_ALLOCATIONS_FREED] =
        entry_unpack(&entries[at]);
    if (entries[at].words[FACTS] >> 8 & 1)
      __atomic_fetch_add(&map->code_removed, 1, __ATOMIC_RELAXED);
    shifted_count(map, &entries[at], -UINT64_C(1));
    write_begin(map);
    for (size_t i = at; i + 1 < map->count; i++) {
      const entry moved = entry_read(&entries[i + 1]);
      entry_write(&entries[i], &moved);
    }
    count_set(map, map->count - 1);
    reaches_set(map, at);
    write_end(map);
  }
  pthread_mutex_unlock(&map->lock);
  return found;
}

bool aq_allocations_allow(aq_allocations *map, uint64_t base,
                          aq_allocation_kind kind, uint64_t readers,
                          uint64_t writers)
{
  pthread_mutex_lock(&map->lock);
  const size_t at = entry_of(map, base, kind);
  const bool found = at < map->count;
  if (found) {
    write_begin(map);
    put(&map->now->entries[at].words[READERS], readers);
    put(&map->now->entries[at].words[WRITERS], writers);
    write_end(map);
  }
  pthread_mutex_unlock(&map->lock);
  return found;
}

/* ---- looking up ---- */

static bool allows(const entry *e, uint64_t device, aq_access access)
{
  switch (access) {
  case AQ_ACCESS_READ:
    return e->words[READERS] & device;
  case AQ_ACCESS_WRITE:
    return e->words[WRITERS] & device;
  case AQ_ACCESS_EXECUTE:
    break;
  }
  return e->words[READERS] & device && e->words[FACTS] >> 8 & 1;
}

/* The caller drops the result if a writer moved entries meanwhile. */
static bool search(const table *t, size_t count, uint64_t address,
                   uint64_t device, aq_access access, entry *out)
{
  if (!t)
    return false;
  if (count > t->capacity)
    count = t->capacity;
  for (size_t i = index_above(t, count, address); i > 0; i--) {
    *out = entry_read(&t->entries[i - 1]);
    if (out->words[REACH] <= address)
      return false;
    if (out->words[END] > address && (!device || allows(out, device, access)))
      return true;
  }
  return false;
}

static bool lookup(const aq_allocations *map, uint64_t address, uint64_t device,
                   aq_access access, entry *out)
{
  for (;;) {
    const uint64_t before = __atomic_load_n(&map->sequence, __ATOMIC_ACQUIRE);
    if (before & 1)
      continue; /* a writer moves words: it has no reason to wait */
    const bool found = search(__atomic_load_n(&map->now, __ATOMIC_ACQUIRE),
                              __atomic_load_n(&map->count, __ATOMIC_ACQUIRE),
                              address, device, access, out);
    if (__atomic_load_n(&map->sequence, __ATOMIC_RELAXED) == before)
      return found;
  }
}

bool aq_allocations_find(const aq_allocations *map, uint64_t address,
                         uint32_t device, aq_access access, aq_allocation *out)
{
  entry found;
  if (!lookup(map, address, aq_device_bit(device), access, &found))
    return false;
  *out = entry_unpack(&found);
  return true;
}

bool aq_allocations_cover(const aq_allocations *map, uint64_t address)
{
  entry found;
  return lookup(map, address, 0, AQ_ACCESS_READ, &found);
}

uint64_t aq_allocations_code_removed(const aq_allocations *map)
{
  return __atomic_load_n(&map->code_removed, __ATOMIC_RELAXED);
}

uint64_t aq_allocations_aliases(const aq_allocations *map)
{
  return __atomic_load_n(&map->aliases, __ATOMIC_RELAXED);
}

bool aq_allocations_protect(const aq_allocations *map)
{
  return __atomic_load_n(&map->protected, __ATOMIC_RELAXED) != 0;
}

bool aq_allocations_protected(const aq_allocations *map, uint64_t address,
                              aq_allocation *out)
{
  entry found;
  if (!aq_allocations_protect(map) || aq_address_is_alias(address) ||
      !lookup(map, address, 0, AQ_ACCESS_READ, &found) || !found.words[SHIFT])
    return false;
  *out = entry_unpack(&found);
  return true;
}

uint64_t aq_allocations_reach(const aq_allocations *map, uint64_t address)
{
  aq_allocation found;
  return map && aq_allocations_protected(map, address, &found)
             ? address - found.shift
             : aq_address_host(address);
}

bool aq_allocations_executable(const aq_allocations *map, uint64_t address)
{
  entry found;
  return lookup(map, address, AQ_DEVICES_ALL, AQ_ACCESS_EXECUTE, &found) ||
         (aq_allocations_are_open(map) && !aq_allocations_cover(map, address));
}

bool aq_allocations_of_kind(aq_allocations *map, uint64_t address,
                            aq_allocation_kind kind, aq_allocation *out)
{
  bool found = false;
  pthread_mutex_lock(&map->lock);
  for (size_t i = map->now ? index_above(map->now, map->count, address) : 0;
       i > 0 && !found; i--) {
    const entry *e = &map->now->entries[i - 1];
    if (e->words[REACH] <= address)
      break;
    if (e->words[END] > address && (uint8_t)e->words[FACTS] == kind) {
      *out = entry_unpack(e);
      found = true;
    }
  }
  pthread_mutex_unlock(&map->lock);
  return found;
}

size_t aq_allocations_list(aq_allocations *map, aq_allocation *out,
                           size_t capacity)
{
  pthread_mutex_lock(&map->lock);
  const size_t count = map->count;
  for (size_t i = 0; i < count && i < capacity; i++)
    out[i] = entry_unpack(&map->now->entries[i]);
  pthread_mutex_unlock(&map->lock);
  return count;
}

/* ---- naming ---- */

const char *aq_allocation_kind_text(unsigned kind)
{
  static const char *const kinds[] = {
#define K(name, text) text,
#include "common/allocations.def"
#undef K
  };
  return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : NULL;
}

void aq_allocation_name(const aq_allocation *a, char *text, size_t size)
{
  const char *kind = aq_allocation_kind_text(a->kind);
  if (a->device == AQ_DEVICE_HOST)
    snprintf(text, size, "%" PRIu64 " bytes of %s at 0x%" PRIx64, a->size, kind,
             a->base);
  else
    snprintf(text, size,
             "%" PRIu64 " bytes of %s of device %" PRIu32 " at 0x%" PRIx64,
             a->size, kind, a->device, a->base);
}

/* The allocation that was asked for, not its pages; false: none. */
static bool live_at(const aq_allocations *map, uint64_t address,
                    aq_allocation *out)
{
  for (size_t i = map->count; i > 0; i--) {
    *out = entry_unpack(&map->now->entries[i - 1]);
    if (address - out->base < out->size)
      return true;
  }
  return false;
}

static const aq_allocation *freed_at(const aq_allocations *map,
                                     uint64_t address)
{
  for (uint64_t i = 0; i < AQ_ALLOCATIONS_FREED && i < map->freed_count; i++) {
    const aq_allocation *a =
        &map->freed[(map->freed_count - 1 - i) % AQ_ALLOCATIONS_FREED];
    if (address - a->base < a->size)
      return a;
  }
  return NULL;
}

/* How far an address lies outside. */
static uint64_t distance(const aq_allocation *a, uint64_t address)
{
  return address < a->base ? a->base - address
                           : address - (a->base + a->size - 1);
}

static void nearest_name(const aq_allocations *map, uint64_t address,
                         char text[AQ_ALLOCATION_TEXT_SIZE])
{
  char name[AQ_ALLOCATION_TEXT_SIZE - 48];
  aq_allocation best = {0}, a;
  for (size_t i = 0; i < map->count; i++) {
    a = entry_unpack(&map->now->entries[i]);
    if (best.size == 0 || distance(&a, address) < distance(&best, address))
      best = a;
  }
  if (best.size == 0) {
    snprintf(text, AQ_ALLOCATION_TEXT_SIZE, "nothing is allocated");
    return;
  }
  aq_allocation_name(&best, name, sizeof name);
  if (address < best.base)
    snprintf(text, AQ_ALLOCATION_TEXT_SIZE, "%" PRIu64 " bytes before %s",
             best.base - address, name);
  else
    snprintf(text, AQ_ALLOCATION_TEXT_SIZE,
             "%" PRIu64 " bytes past the end of %s",
             address - (best.base + best.size), name);
}

void aq_allocations_name(aq_allocations *map, uint64_t address,
                         char text[AQ_ALLOCATION_TEXT_SIZE])
{
  char name[AQ_ALLOCATION_TEXT_SIZE - 48];
  aq_allocation live;
  pthread_mutex_lock(&map->lock);
  const aq_allocation *old = freed_at(map, address);
  if (live_at(map, address, &live)) {
    aq_allocation_name(&live, name, sizeof name);
    snprintf(text, AQ_ALLOCATION_TEXT_SIZE, "byte %" PRIu64 " of %s",
             address - live.base, name);
  } else if (old) {
    aq_allocation_name(old, name, sizeof name);
    snprintf(text, AQ_ALLOCATION_TEXT_SIZE, "byte %" PRIu64 " of %s, freed",
             address - old->base, name);
  } else {
    nearest_name(map, address, text);
  }
  pthread_mutex_unlock(&map->lock);
}
