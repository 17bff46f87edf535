/* SPDX-License-Identifier: MIT */
/*
 * The unwritten bits of memory: a byte of such bits for each byte, in
 * pages that are made when they are first accessed. The allocations in a page
 * say how it begins: memory of a device that the program allocated is
 * unwritten, all other memory counts as written.
 *
 * The host may write such memory without a call. So an allocation is filled
 * with a pattern of its addresses; unwritten bytes that differ from it are
 * written after all, and with them the 64 bytes around them.
 *
 * One thread at a time.
 */
#ifndef AQ_GPU_CHECK_CORE_UNWRITTEN_H
#define AQ_GPU_CHECK_CORE_UNWRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"

enum { AQ_CHECK_BITS_PAGE = 1 << 14 /* bytes */, AQ_CHECK_BITS_NEAR = 16 };

typedef struct aq_check_bits_page {
  bool shared; /* all written: one page stands for all such */
  uint8_t bits[AQ_CHECK_BITS_PAGE];
  uint8_t stored[AQ_CHECK_BITS_PAGE / 8]; /* bytes that a store gave bits */
} aq_check_bits_page;

typedef struct aq_check_unwritten {
  aq_map pages; /* address / AQ_CHECK_BITS_PAGE → page */
  struct {
    uint64_t key;
    aq_check_bits_page *page; /* NULL: none */
  } near[AQ_CHECK_BITS_NEAR]; /* of the last ones, by their numbers */
  aq_check_bits_page **list;
  size_t count, capacity;
  bool lost; /* out of memory */
  void *user;
  /* Sets the bits of unwritten bytes in a page at `base`, which are 0; false:
   * there are none. */
  bool (*begin)(void *user, uint64_t base, uint8_t bits[AQ_CHECK_BITS_PAGE]);
} aq_check_unwritten;

void aq_check_unwritten_fini(aq_check_unwritten *memory);

/* The page of an address; one that is written throughout where memory ran
 * out. */
const aq_check_bits_page *aq_check_unwritten_find(aq_check_unwritten *memory,
                                                  uint64_t address);

static inline const aq_check_bits_page *
aq_check_unwritten_page(aq_check_unwritten *memory, uint64_t address)
{
  const uint64_t key = address / AQ_CHECK_BITS_PAGE;
  const unsigned at = key % AQ_CHECK_BITS_NEAR;
  return memory->near[at].page && memory->near[at].key == key
             ? memory->near[at].page
             : aq_check_unwritten_find(memory, address);
}

/* Fills fresh memory. */
void aq_check_unwritten_fill(void *memory, size_t size);

/* Looks whether the host wrote a range, which is mapped: then it is written. */
void aq_check_unwritten_look(aq_check_unwritten *memory, uint64_t address,
                             unsigned size);

/* Reads and sets the bits of a range. */
void aq_check_unwritten_get(aq_check_unwritten *memory, uint64_t address,
                            unsigned size, uint8_t *bits);
void aq_check_unwritten_put(aq_check_unwritten *memory, uint64_t address,
                            unsigned size, const uint8_t *bits);
void aq_check_unwritten_set(aq_check_unwritten *memory, uint64_t address,
                            uint64_t size, bool unwritten);

/* Whether any byte of a range has such bits; the first goes to *where. */
bool aq_check_unwritten_any(aq_check_unwritten *memory, uint64_t address,
                            uint64_t size, uint64_t *where);

/* Copies the bits of a range to another. */
void aq_check_unwritten_copy(aq_check_unwritten *memory, uint64_t to,
                             uint64_t from, uint64_t size);

/* An allocation: changes the pages that exist. */
void aq_check_unwritten_allocated(aq_check_unwritten *memory, uint64_t base,
                                  uint64_t size, bool unwritten);

#endif
