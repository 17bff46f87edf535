/* SPDX-License-Identifier: MIT */
/*
 * The allocation map: one writer at a time, readers without a lock.
 *
 * A writer takes `lock`, gets the memory that the change may need, and only
 * then makes `sequence` odd, changes words of the table, and makes it even
 * again. A reader notes `sequence`, waits while it is odd, searches, and throws
 * the result away if the number has changed. So lookups fail for no reason but
 * a missing allocation, and a change without memory has changed nothing.
 *
 * Memory order. The words of the table are stored with release, after the
 * increment that made the number odd, and loaded with acquire. A reader that
 * sees one word of a change therefore sees the odd number or a later one when
 * it loads `sequence` afterwards, though that load is relaxed: it comes behind
 * an acquire. The first load is an acquire: with an even number come all words
 * of the changes before. Orders stand at the accesses, and no fence is used,
 * since ThreadSanitizer knows none.
 *
 * A reader may meet, while a writer works: an entry twice or not at all,
 * words of two entries in one, a count of one block and the entries of another,
 * a directory that is not the newest. It never meets memory that is gone, nor a
 * place outside of it (allocation_table.c), and its search ends.
 *
 * Owner of each field: `table`, `freed` and `freed_count` are the writers',
 * under the lock, and readers see the table as above. The counts of
 * aliases, of protected allocations and of removed code are atomic, relaxed:
 * each is a hint to skip a search, and the thread that publishes memory hands
 * it to a device by something stronger.
 *
 * Locks: `lock` is a leaf. Naming addresses and listing take it, so a report
 * made under another lock (the checker's) may ask. It is never taken by an
 * execution's reads and writes, which a fault may leave by longjmp.
 *
 * A fork leaves the map to the parent: the child opens a runtime of its own.
 */
#include "config.h"

#include "common/allocations.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/allocation_table.h"
#include "common/transport.h"

struct aq_allocations {
  uint64_t sequence; /* odd while a writer is at work */
  aq_allocation_table table;
  bool open;
  pthread_mutex_t lock;  /* of writers */
  uint64_t freed_count;  /* ever */
  uint64_t code_removed; /* atomic */
  uint64_t aliases;      /* atomic */
  uint64_t protected;    /* atomic */
  aq_allocation freed[AQ_ALLOCATIONS_FREED];
};

/* An entry came or went. */
static void shifted_count(aq_allocations *map, const aq_allocation_entry *e,
                          uint64_t by)
{
  if (aq_address_is_alias(e->words[AQ_ENTRY_START]))
    __atomic_fetch_add(&map->aliases, by, __ATOMIC_RELAXED);
  else if (e->words[AQ_ENTRY_SHIFT])
    __atomic_fetch_add(&map->protected, by, __ATOMIC_RELAXED);
}

static aq_allocation_entry entry_pack(const aq_allocation *a)
{
  return (aq_allocation_entry){
      {[AQ_ENTRY_BASE] = aq_allocation_first(a),
       [AQ_ENTRY_END] = aq_allocation_end(a),
       [AQ_ENTRY_START] = a->base,
       [AQ_ENTRY_SIZE] = a->size,
       [AQ_ENTRY_READERS] = a->readers,
       [AQ_ENTRY_WRITERS] = a->writers,
       [AQ_ENTRY_SHIFT] =
           aq_address_is_alias(a->base) ? AQ_ALIAS_BASE : a->shift,
       [AQ_ENTRY_FACTS] = (uint64_t)a->device << 32 | (uint64_t)a->fine << 9 |
                          (uint64_t)a->executable << 8 | a->kind}};
}

static aq_allocation entry_unpack(const aq_allocation_entry *e)
{
  return (aq_allocation){.base = e->words[AQ_ENTRY_START],
                         .size = e->words[AQ_ENTRY_SIZE],
                         .readers = e->words[AQ_ENTRY_READERS],
                         .writers = e->words[AQ_ENTRY_WRITERS],
                         .shift = e->words[AQ_ENTRY_SHIFT],
                         .device = (uint32_t)(e->words[AQ_ENTRY_FACTS] >> 32),
                         .kind = (uint8_t)e->words[AQ_ENTRY_FACTS],
                         .executable = e->words[AQ_ENTRY_FACTS] >> 8 & 1,
                         .fine = e->words[AQ_ENTRY_FACTS] >> 9 & 1};
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
  aq_allocation_table_destroy(&map->table);
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

/* The lock is held, there is room, and readers wait. */
static void entry_insert(aq_allocations *map, const aq_allocation *allocation)
{
  const aq_allocation_entry new = entry_pack(allocation);
  aq_allocation_table_insert(&map->table, &new);
  shifted_count(map, &new, 1);
}

bool aq_allocations_add(aq_allocations *map, const aq_allocation *allocation)
{
  pthread_mutex_lock(&map->lock);
  const bool room = aq_allocation_table_reserve(&map->table, 1);
  if (room) {
    write_begin(map);
    entry_insert(map, allocation);
    write_end(map);
  }
  pthread_mutex_unlock(&map->lock);
  return room;
}

/* The newest entry of a kind with this base, and the place behind it, or NULL;
 * the lock is held. */
static aq_allocation_entry *entry_of(const aq_allocations *map, uint64_t base,
                                     aq_allocation_kind kind,
                                     aq_allocation_place *behind)
{
  *behind = aq_allocation_table_above(&map->table, base);
  aq_allocation_place place = *behind;
  aq_allocation_entry *e;
  while ((e = aq_allocation_table_before(&map->table, &place))) {
    if (e->words[AQ_ENTRY_START] == base &&
        (uint8_t)e->words[AQ_ENTRY_FACTS] == kind) {
      *behind = (aq_allocation_place){place.block, place.at + 1};
      return e;
    }
    if (base - e->words[AQ_ENTRY_BASE] >= AQ_ALLOCATION_PAGE)
      break;
  }
  return NULL;
}

/* Removes the entry before a place; readers wait. */
static void entry_remove(aq_allocations *map, const aq_allocation_entry *e,
                         aq_allocation_place behind)
{
  map->freed[map->freed_count++ % AQ_ALLOCATIONS_FREED] = entry_unpack(e);
  if (e->words[AQ_ENTRY_FACTS] >> 8 & 1)
    __atomic_fetch_add(&map->code_removed, 1, __ATOMIC_RELAXED);
  shifted_count(map, e, -UINT64_C(1));
  aq_allocation_table_remove(&map->table, behind);
}

bool aq_allocations_remove(aq_allocations *map, uint64_t base,
                           aq_allocation_kind kind)
{
  aq_allocation_place behind;
  pthread_mutex_lock(&map->lock);
  const aq_allocation_entry *e = entry_of(map, base, kind, &behind);
  if (e) {
    write_begin(map);
    entry_remove(map, e, behind);
    write_end(map);
  }
  pthread_mutex_unlock(&map->lock);
  return e != NULL;
}

bool aq_allocations_replace(aq_allocations *map, uint64_t base,
                            aq_allocation_kind kind, const aq_allocation *list,
                            size_t count)
{
  aq_allocation_place behind;
  pthread_mutex_lock(&map->lock);
  const bool room = aq_allocation_table_reserve(&map->table, count);
  if (room) {
    const aq_allocation_entry *e = entry_of(map, base, kind, &behind);
    write_begin(map);
    if (e)
      entry_remove(map, e, behind);
    for (size_t i = 0; i < count; i++)
      entry_insert(map, &list[i]);
    write_end(map);
  }
  pthread_mutex_unlock(&map->lock);
  return room;
}

bool aq_allocations_allow(aq_allocations *map, uint64_t base,
                          aq_allocation_kind kind, uint64_t readers,
                          uint64_t writers)
{
  aq_allocation_place behind;
  pthread_mutex_lock(&map->lock);
  aq_allocation_entry *e = entry_of(map, base, kind, &behind);
  if (e) {
    write_begin(map);
    aq_entry_put(&e->words[AQ_ENTRY_READERS], readers);
    aq_entry_put(&e->words[AQ_ENTRY_WRITERS], writers);
    write_end(map);
  }
  pthread_mutex_unlock(&map->lock);
  return e != NULL;
}

/* ---- looking up ---- */

static bool allows(const aq_allocation_entry *e, uint64_t device,
                   aq_access access)
{
  switch (access) {
  case AQ_ACCESS_READ:
    return e->words[AQ_ENTRY_READERS] & device;
  case AQ_ACCESS_WRITE:
    return e->words[AQ_ENTRY_WRITERS] & device;
  case AQ_ACCESS_EXECUTE:
    break;
  }
  return e->words[AQ_ENTRY_READERS] & device &&
         e->words[AQ_ENTRY_FACTS] >> 8 & 1;
}

/* The caller drops the result if a writer moved entries meanwhile. */
static bool search(const aq_allocation_table *table, uint64_t address,
                   uint64_t device, aq_access access, aq_allocation_entry *out)
{
  aq_allocation_place place = aq_allocation_table_above(table, address);
  const aq_allocation_entry *e;
  while ((e = aq_allocation_table_before(table, &place))) {
    *out = aq_entry_read(e);
    if (out->words[AQ_ENTRY_REACH] <= address)
      return false;
    if (out->words[AQ_ENTRY_END] > address &&
        (!device || allows(out, device, access)))
      return true;
  }
  return false;
}

static bool lookup(const aq_allocations *map, uint64_t address, uint64_t device,
                   aq_access access, aq_allocation_entry *out)
{
  for (;;) {
    const uint64_t before = __atomic_load_n(&map->sequence, __ATOMIC_ACQUIRE);
    if (before & 1)
      continue; /* a writer moves words: it has no reason to wait */
    const bool found = search(&map->table, address, device, access, out);
    if (__atomic_load_n(&map->sequence, __ATOMIC_RELAXED) == before)
      return found;
  }
}

bool aq_allocations_find(const aq_allocations *map, uint64_t address,
                         uint32_t device, aq_access access, aq_allocation *out)
{
  aq_allocation_entry found;
  if (!lookup(map, address, aq_device_bit(device), access, &found))
    return false;
  *out = entry_unpack(&found);
  return true;
}

bool aq_allocations_cover(const aq_allocations *map, uint64_t address)
{
  aq_allocation_entry found;
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
  aq_allocation_entry found;
  if (!aq_allocations_protect(map) || aq_address_is_alias(address) ||
      !lookup(map, address, 0, AQ_ACCESS_READ, &found) ||
      !found.words[AQ_ENTRY_SHIFT])
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
  aq_allocation_entry found;
  return lookup(map, address, AQ_DEVICES_ALL, AQ_ACCESS_EXECUTE, &found) ||
         (aq_allocations_are_open(map) && !aq_allocations_cover(map, address));
}

bool aq_allocations_of_kind(aq_allocations *map, uint64_t address,
                            aq_allocation_kind kind, aq_allocation *out)
{
  bool found = false;
  const aq_allocation_entry *e;
  pthread_mutex_lock(&map->lock);
  aq_allocation_place place = aq_allocation_table_above(&map->table, address);
  while (!found && (e = aq_allocation_table_before(&map->table, &place)) &&
         e->words[AQ_ENTRY_REACH] > address) {
    found = e->words[AQ_ENTRY_END] > address &&
            (uint8_t)e->words[AQ_ENTRY_FACTS] == kind;
    if (found)
      *out = entry_unpack(e);
  }
  pthread_mutex_unlock(&map->lock);
  return found;
}

/* The next allocation in the order of addresses, from the place { 0, 0 };
 * false: there is none. */
static bool next(const aq_allocations *map, aq_allocation_place *place,
                 aq_allocation *out)
{
  const aq_allocation_entry *e = aq_allocation_table_behind(&map->table, place);
  if (e)
    *out = entry_unpack(e);
  return e != NULL;
}

size_t aq_allocations_list(aq_allocations *map, aq_allocation *out,
                           size_t capacity)
{
  pthread_mutex_lock(&map->lock);
  const size_t count = map->table.count;
  aq_allocation_place place = {0, 0};
  for (size_t i = 0; i < capacity && next(map, &place, &out[i]); i++)
    ;
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
  aq_allocation_place place =
      aq_allocation_table_above(&map->table, UINT64_MAX);
  const aq_allocation_entry *e;
  while ((e = aq_allocation_table_before(&map->table, &place))) {
    *out = entry_unpack(e);
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

const char *aq_address_stray(uint64_t address)
{
  enum { NULL_PAGES = 1 << 16, PAGE = 4096 };
  unsigned char resident;
  if (address < NULL_PAGES)
    return "a null pointer";
  void *page = (void *)(uintptr_t)(address & ~(uint64_t)(PAGE - 1));
  return mincore(page, PAGE, &resident) == 0
             ? "memory of the host that no call gave to the device, which "
               "reaches such memory only with XNACK"
             : NULL;
}

static void nearest_name(const aq_allocations *map, uint64_t address,
                         char text[AQ_ALLOCATION_TEXT_SIZE])
{
  char name[AQ_ALLOCATION_TEXT_SIZE - 48];
  aq_allocation best = {0}, a;
  aq_allocation_place place = {0, 0};
  while (next(map, &place, &a)) {
    if (best.size == 0 || distance(&a, address) < distance(&best, address))
      best = a;
  }
  if (best.size == 0) {
    snprintf(text, AQ_ALLOCATION_TEXT_SIZE, "nothing is allocated");
    return;
  }
  enum { NEAR = 1 << 30 };
  const char *stray =
      distance(&best, address) > NEAR ? aq_address_stray(address) : NULL;
  if (stray) {
    snprintf(text, AQ_ALLOCATION_TEXT_SIZE, "%s", stray);
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
