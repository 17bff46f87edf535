/* SPDX-License-Identifier: MIT */
/*
 * The entries of an allocation map (allocations.h), in the order of their first
 * byte: blocks of entries that split when they are full, and a directory of the
 * blocks. A change moves entries of one block and pointers of the directory, so
 * a map of many allocations stays fast.
 *
 * Threads: one writer at a time; it announces changes to readers by a sequence
 * number (aq_allocations). Readers may look at any time: they may see entries
 * that a writer moves, but only memory that stays until the table is destroyed.
 */
#ifndef AQ_COMMON_ALLOCATION_TABLE_H
#define AQ_COMMON_ALLOCATION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words of an entry: readers copy them one by one, while a writer may be at
 * work. REACH is the highest END of the entry and all before it: where a search
 * backwards may stop. */
enum {
  AQ_ENTRY_BASE,
  AQ_ENTRY_END,
  AQ_ENTRY_REACH,
  AQ_ENTRY_START,
  AQ_ENTRY_SIZE,
  AQ_ENTRY_READERS,
  AQ_ENTRY_WRITERS,
  AQ_ENTRY_SHIFT,
  AQ_ENTRY_FACTS,
  AQ_ENTRY_WORDS,
};

typedef struct aq_allocation_entry {
  uint64_t words[AQ_ENTRY_WORDS];
} aq_allocation_entry;

typedef struct aq_allocation_block aq_allocation_block;
typedef struct aq_allocation_directory aq_allocation_directory;

/* All zero: empty. */
typedef struct aq_allocation_table {
  aq_allocation_directory *now;
  size_t blocks; /* of the directory */
  size_t count;  /* entries; the writer's */
  aq_allocation_block *spare, *all;
} aq_allocation_table;

/* Behind `at` entries of a block; { 0, 0 } is the begin. */
typedef struct aq_allocation_place {
  size_t block, at;
} aq_allocation_place;

void aq_allocation_table_destroy(aq_allocation_table *table);

/* Makes room for `count` more entries; false: out of memory. The writer's,
 * before it announces a change. */
bool aq_allocation_table_reserve(aq_allocation_table *table, size_t count);

/* Adds an entry, for which there is room, and its REACH. The writer's. */
void aq_allocation_table_insert(aq_allocation_table *table,
                                const aq_allocation_entry *entry);

/* Removes the entry before a place. The writer's. */
void aq_allocation_table_remove(aq_allocation_table *table,
                                aq_allocation_place behind);

/* The place before the first entry whose BASE is above an address. */
aq_allocation_place aq_allocation_table_above(const aq_allocation_table *table,
                                              uint64_t address);

/* The entry before a place, to which the place moves; NULL: there is none. */
aq_allocation_entry *
aq_allocation_table_before(const aq_allocation_table *table,
                           aq_allocation_place *place);

/* The entry behind a place, over which the place moves; NULL: there is none. */
aq_allocation_entry *
aq_allocation_table_behind(const aq_allocation_table *table,
                           aq_allocation_place *place);

/* Acquire: the sequence number is read again behind the words. Orders of the
 * accesses themselves, not fences, which ThreadSanitizer does not know. */
static inline uint64_t aq_entry_get(const uint64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Release: a reader that sees the word sees that the sequence number is odd. */
static inline void aq_entry_put(uint64_t *word, uint64_t value)
{
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline aq_allocation_entry aq_entry_read(const aq_allocation_entry *from)
{
  aq_allocation_entry out;
  for (int i = 0; i < AQ_ENTRY_WORDS; i++)
    out.words[i] = aq_entry_get(&from->words[i]);
  return out;
}

#endif
