/* SPDX-License-Identifier: MIT */
/*
 * Why readers may look at any time (allocations.c): nothing that they could
 * have a pointer to is freed before the table.
 *
 *   directory   replaced by one twice as large; smaller ones stay (`before`)
 *   block       leaves the directory when it is empty, and waits in `spare` for
 *               the next that is needed; all that were made are in `all`
 *
 * The memory is bound: directories together have less than twice the places of
 * the newest, and blocks are made only when `spare` has too few, so there are
 * at most as many as were in use at once, and as many more as entries come in
 * one change. Each in use has an entry.
 *
 * A reader keeps a view: a directory, and no more blocks of it than its
 * capacity. A place in it that has no block yet, or none any more, reads as a
 * block without entries. Counts are at most BLOCK_ENTRIES, so a count of one
 * block is within the bounds of any. Searches run over such numbers in one
 * direction, hence they end whatever a writer does.
 *
 * Entries are in the order of BASE. REACH is the greatest END up to there, so a
 * search backwards stops at the first entry whose REACH is not above the
 * address. A change of one entry changes REACH from there on, to the first
 * entry where it stays.
 */
#include "config.h"

#include "common/allocation_table.h"

#include <stdlib.h>

enum { BLOCK_ENTRIES = 128 };

struct aq_allocation_block {
  size_t count;
  aq_allocation_block *next_spare, *next; /* of all that were made */
  aq_allocation_entry entries[BLOCK_ENTRIES];
};

/* An array that readers may still look at after a larger one took its place. */
struct aq_allocation_directory {
  aq_allocation_directory *before;
  size_t capacity;
  aq_allocation_block *blocks[];
};

void aq_allocation_table_destroy(aq_allocation_table *table)
{
  while (table->now) {
    aq_allocation_directory *directory = table->now;
    table->now = directory->before;
    free(directory);
  }
  while (table->all) {
    aq_allocation_block *block = table->all;
    table->all = block->next;
    free(block);
  }
}

/* ---- what readers see ---- */

static size_t size_get(const size_t *size)
{
  return __atomic_load_n(size, __ATOMIC_ACQUIRE);
}

static void size_set(size_t *size, size_t value)
{
  __atomic_store_n(size, value, __ATOMIC_RELEASE);
}

/* A directory and its blocks, within bounds while a writer works. */
typedef struct view {
  const aq_allocation_directory *directory;
  size_t blocks;
} view;

static view view_of(const aq_allocation_table *table)
{
  view v = {__atomic_load_n(&table->now, __ATOMIC_ACQUIRE),
            size_get(&table->blocks)};
  const size_t capacity = v.directory ? v.directory->capacity : 0;
  if (v.blocks > capacity)
    v.blocks = capacity;
  return v;
}

/* Of a place that a writer left behind: a block without entries. */
static aq_allocation_block *block_at(view v, size_t i)
{
  static aq_allocation_block none;
  aq_allocation_block *block =
      i < v.blocks ? __atomic_load_n(&v.directory->blocks[i], __ATOMIC_ACQUIRE)
                   : NULL;
  return block ? block : &none;
}

static uint64_t base_of(const aq_allocation_entry *e)
{
  return aq_entry_get(&e->words[AQ_ENTRY_BASE]);
}

/* How many blocks begin at or below an address. */
static size_t blocks_below(view v, uint64_t address)
{
  size_t low = 0, high = v.blocks;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (base_of(&block_at(v, middle)->entries[0]) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static size_t entries_below(const aq_allocation_block *block, uint64_t address)
{
  size_t low = 0, high = size_get(&block->count);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (base_of(&block->entries[middle]) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

aq_allocation_place aq_allocation_table_above(const aq_allocation_table *table,
                                              uint64_t address)
{
  const view v = view_of(table);
  const size_t blocks = blocks_below(v, address);
  if (blocks == 0)
    return (aq_allocation_place){0, 0};
  return (aq_allocation_place){blocks - 1,
                               entries_below(block_at(v, blocks - 1), address)};
}

aq_allocation_entry *
aq_allocation_table_before(const aq_allocation_table *table,
                           aq_allocation_place *place)
{
  const view v = view_of(table);
  while (place->at == 0) {
    if (place->block == 0)
      return NULL;
    place->at = size_get(&block_at(v, --place->block)->count);
  }
  return &block_at(v, place->block)->entries[--place->at];
}

aq_allocation_entry *
aq_allocation_table_behind(const aq_allocation_table *table,
                           aq_allocation_place *place)
{
  const view v = view_of(table);
  while (place->at >= size_get(&block_at(v, place->block)->count)) {
    if (place->block + 1 >= v.blocks)
      return NULL;
    *place = (aq_allocation_place){place->block + 1, 0};
  }
  return &block_at(v, place->block)->entries[place->at++];
}

/* ---- the writer ---- */

static void entry_write(aq_allocation_entry *to,
                        const aq_allocation_entry *from)
{
  for (int i = 0; i < AQ_ENTRY_WORDS; i++)
    aq_entry_put(&to->words[i], from->words[i]);
}

static void block_put(aq_allocation_table *table, size_t i,
                      aq_allocation_block *block)
{
  __atomic_store_n(&table->now->blocks[i], block, __ATOMIC_RELEASE);
}

/* An entry fills one block more at most: the one that splits for it. */
static bool spares_make(aq_allocation_table *table, size_t count)
{
  const aq_allocation_block *spare = table->spare;
  for (; spare && count > 0; spare = spare->next_spare)
    count--;
  for (; count > 0; count--) {
    aq_allocation_block *block = calloc(1, sizeof *block);
    if (!block)
      return false;
    block->next = table->all;
    block->next_spare = table->spare;
    table->all = table->spare = block;
  }
  return true;
}

bool aq_allocation_table_reserve(aq_allocation_table *table, size_t count)
{
  const aq_allocation_directory *old = table->now;
  size_t capacity = old ? old->capacity : 0;
  if (!spares_make(table, count))
    return false;
  if (table->blocks + count <= capacity)
    return true;
  while (table->blocks + count > capacity)
    capacity = capacity ? 2 * capacity : 16;
  aq_allocation_directory *new =
      calloc(1, sizeof *new + capacity * sizeof(aq_allocation_block *));
  if (!new)
    return false;
  new->capacity = capacity;
  new->before = table->now;
  for (size_t i = 0; i < table->blocks; i++)
    new->blocks[i] = old->blocks[i];
  __atomic_store_n(&table->now, new, __ATOMIC_RELEASE);
  return true;
}

/* Takes the spare block in as the i-th. */
static aq_allocation_block *block_insert(aq_allocation_table *table, size_t i)
{
  aq_allocation_block *block = table->spare;
  table->spare = block->next_spare;
  for (size_t j = table->blocks; j > i; j--)
    block_put(table, j, table->now->blocks[j - 1]);
  block_put(table, i, block);
  size_set(&table->blocks, table->blocks + 1);
  return block;
}

static void block_remove(aq_allocation_table *table, size_t i)
{
  aq_allocation_block *block = table->now->blocks[i];
  for (size_t j = i; j + 1 < table->blocks; j++)
    block_put(table, j, table->now->blocks[j + 1]);
  size_set(&table->blocks, table->blocks - 1);
  block->next_spare = table->spare;
  table->spare = block;
}

static void block_split(aq_allocation_table *table, size_t i)
{
  aq_allocation_block *low = table->now->blocks[i];
  aq_allocation_block *high = block_insert(table, i + 1);
  const size_t kept = low->count / 2;
  for (size_t j = kept; j < low->count; j++)
    entry_write(&high->entries[j - kept], &low->entries[j]);
  size_set(&high->count, low->count - kept);
  size_set(&low->count, kept);
}

/* Follows a change of the entries at and behind a place, to the first whose
 * REACH stays; `fresh`: the one at the place has none so far. */
static void reaches_set(aq_allocation_table *table, aq_allocation_place place,
                        bool fresh)
{
  aq_allocation_place before = place;
  const aq_allocation_entry *last = aq_allocation_table_before(table, &before);
  uint64_t reach = last ? last->words[AQ_ENTRY_REACH] : 0;
  aq_allocation_entry *e;
  while ((e = aq_allocation_table_behind(table, &place))) {
    const uint64_t end = e->words[AQ_ENTRY_END];
    reach = end > reach ? end : reach;
    if (!fresh && e->words[AQ_ENTRY_REACH] == reach)
      return;
    fresh = false;
    aq_entry_put(&e->words[AQ_ENTRY_REACH], reach);
  }
}

void aq_allocation_table_insert(aq_allocation_table *table,
                                const aq_allocation_entry *entry)
{
  const uint64_t base = entry->words[AQ_ENTRY_BASE];
  if (table->blocks == 0)
    block_insert(table, 0);
  aq_allocation_place p = aq_allocation_table_above(table, base);
  if (table->now->blocks[p.block]->count == BLOCK_ENTRIES) {
    block_split(table, p.block);
    p = aq_allocation_table_above(table, base);
  }
  aq_allocation_block *block = table->now->blocks[p.block];
  for (size_t i = block->count; i > p.at; i--)
    entry_write(&block->entries[i], &block->entries[i - 1]);
  entry_write(&block->entries[p.at], entry);
  size_set(&block->count, block->count + 1);
  table->count++;
  reaches_set(table, p, true);
}

void aq_allocation_table_remove(aq_allocation_table *table,
                                aq_allocation_place behind)
{
  aq_allocation_block *block = table->now->blocks[behind.block];
  const size_t at = behind.at - 1;
  for (size_t i = at; i + 1 < block->count; i++)
    entry_write(&block->entries[i], &block->entries[i + 1]);
  size_set(&block->count, block->count - 1);
  table->count--;
  aq_allocation_place place = {behind.block, at};
  if (block->count == 0)
    block_remove(table, behind.block);
  reaches_set(table, place, false);
}
