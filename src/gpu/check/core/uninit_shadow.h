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
#ifndef AQ_GPU_CHECK_CORE_UNINIT_SHADOW_H
#define AQ_GPU_CHECK_CORE_UNINIT_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/allocations.h"
#include "common/map.h"

enum { AQ_CHECK_BITS_PAGE = 1 << 14 /* bytes */, AQ_CHECK_BITS_NEAR = 16 };

typedef struct aq_check_bits_page {
  bool shared; /* all written: one page stands for all such */
  uint8_t bits[AQ_CHECK_BITS_PAGE];
  uint8_t stored[AQ_CHECK_BITS_PAGE / 8]; /* bytes that a store gave bits */
} aq_check_bits_page;

typedef struct aq_uninit_shadow {
  aq_map pages; /* address / AQ_CHECK_BITS_PAGE → page */
  struct {
    uint64_t key;
    aq_check_bits_page *page; /* NULL: none */
  } near[AQ_CHECK_BITS_NEAR]; /* of the last ones, by their numbers */
  aq_check_bits_page **list;
  size_t count, capacity;
  bool lost;                         /* out of memory */
  const aq_allocations *allocations; /* where memory is; or NULL */
  void *user;
  /* Sets the bits of unwritten bytes in a page at `base`, which are 0; false:
   * there are none. */
  bool (*begin)(void *user, uint64_t base, uint8_t bits[AQ_CHECK_BITS_PAGE]);
} aq_uninit_shadow;

void aq_uninit_shadow_fini(aq_uninit_shadow *memory);

/* The page of an address; one that is written throughout where memory ran
 * out. */
const aq_check_bits_page *aq_uninit_shadow_find(aq_uninit_shadow *memory,
                                                uint64_t address);

static inline const aq_check_bits_page *
aq_uninit_shadow_page(aq_uninit_shadow *memory, uint64_t address)
{
  const uint64_t key = address / AQ_CHECK_BITS_PAGE;
  const unsigned at = key % AQ_CHECK_BITS_NEAR;
  return memory->near[at].page && memory->near[at].key == key
             ? memory->near[at].page
             : aq_uninit_shadow_find(memory, address);
}

/* Looks whether the host wrote a range, which is mapped: then it is written.
 */
bool aq_uninit_shadow_check_host(aq_uninit_shadow *memory, uint64_t address,
                                 unsigned size);

/* Reads and sets the bits of a range. */
void aq_uninit_shadow_get(aq_uninit_shadow *memory, uint64_t address,
                          unsigned size, uint8_t *bits);
void aq_uninit_shadow_put(aq_uninit_shadow *memory, uint64_t address,
                          unsigned size, const uint8_t *bits);
void aq_uninit_shadow_set(aq_uninit_shadow *memory, uint64_t address,
                          uint64_t size, bool unwritten);

/* Whether any byte of a range has such bits; the first goes to *where. */
bool aq_uninit_shadow_any(aq_uninit_shadow *memory, uint64_t address,
                          uint64_t size, uint64_t *where);

/* Whether a store gave a byte its bits. */
bool aq_uninit_shadow_stored(aq_uninit_shadow *memory, uint64_t address);

/* Copies the bits of a range to another. */
void aq_uninit_shadow_copy(aq_uninit_shadow *memory, uint64_t to, uint64_t from,
                           uint64_t size);

/* An allocation: changes the pages that exist. */
void aq_uninit_shadow_allocated(aq_uninit_shadow *memory, uint64_t base,
                                uint64_t size, bool unwritten);

#endif
