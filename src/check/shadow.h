/* SPDX-License-Identifier: MIT */
/*
 * The shadow of memory: for each word the last write and two reads since, and
 * for each byte whether it was written at all. Pages are made when they are
 * first touched. A word stands for four bytes; masks say which of them.
 *
 * One thread at a time.
 */
#ifndef AQ_CHECK_SHADOW_H
#define AQ_CHECK_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/map.h"

enum {
  AQ_CHECK_PAGE = 1 << 14, /* bytes of memory that a page shadows */
  AQ_CHECK_WORDS = AQ_CHECK_PAGE / 4,
};

/*
 * An access: by a dispatch, copy or host call (serial of order.h), and of a
 * dispatch the workgroup, its wave and how many barriers the workgroup had
 * passed. 0: none.
 */
typedef uint64_t aq_check_epoch;

enum {
  AQ_CHECK_SERIAL_SHIFT = 44,
  AQ_CHECK_GROUP_SHIFT = 20,
  AQ_CHECK_WAVE_SHIFT = 15,
  AQ_CHECK_GROUP_MASK = (1 << 24) - 1,
  AQ_CHECK_WAVE_MASK = 31,
  AQ_CHECK_BARRIER_MASK = (1 << 15) - 1,
};

static inline uint32_t aq_check_epoch_serial(aq_check_epoch e)
{
  return (uint32_t)(e >> AQ_CHECK_SERIAL_SHIFT);
}

/* One word: the accesses, the instructions (sites) that made them, and which
 * bytes. */
typedef struct aq_check_word {
  aq_check_epoch write, read[2];
  uint32_t write_site, read_site[2];
  uint8_t write_mask, read_mask[2];
  uint8_t spare;
} aq_check_word;

typedef struct aq_check_page {
  aq_check_word words[AQ_CHECK_WORDS];
} aq_check_page;

typedef struct aq_check_shadow {
  aq_map pages; /* address / AQ_CHECK_PAGE → page */
  uint64_t last;
  aq_check_page *last_page;
  aq_check_page **list;
  size_t page_count, capacity;
} aq_check_shadow;

void aq_check_shadow_fini(aq_check_shadow *shadow);

/* The page of an address, made if need be; NULL: out of memory. */
aq_check_page *aq_check_shadow_make(aq_check_shadow *shadow, uint64_t address);

static inline aq_check_page *aq_check_shadow_page(aq_check_shadow *shadow,
                                                  uint64_t address)
{
  return shadow->last == address / AQ_CHECK_PAGE && shadow->last_page
             ? shadow->last_page
             : aq_check_shadow_make(shadow, address);
}

/* Forgets the accesses to a range. */
void aq_check_shadow_clear(aq_check_shadow *shadow, uint64_t address,
                           uint64_t size);

#endif
