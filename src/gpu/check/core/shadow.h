/* SPDX-License-Identifier: MIT */
/*
 * The shadow of memory: for each word of four bytes its state. Pages are made
 * when they are first touched.
 *
 * One thread at a time.
 */
#ifndef AQ_GPU_CHECK_CORE_SHADOW_H
#define AQ_GPU_CHECK_CORE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/map.h"
#include "gpu/check/core/access_history.h"

enum {
  AQ_CHECK_PAGE = 1 << 14, /* bytes of memory that a page shadows */
  AQ_CHECK_WORDS = AQ_CHECK_PAGE / 4,
  AQ_CHECK_NEAR = 16,
};

typedef struct aq_check_page {
  uint32_t words[AQ_CHECK_WORDS]; /* their states */
} aq_check_page;

typedef struct aq_check_shadow {
  aq_access_history states;
  aq_map pages; /* address / AQ_CHECK_PAGE → page */
  struct {
    uint64_t key;
    aq_check_page *page;
  } near[AQ_CHECK_NEAR]; /* of the last ones, by their numbers */
  aq_check_page **list;
  size_t page_count, capacity;
} aq_check_shadow;

void aq_check_shadow_fini(aq_check_shadow *shadow);

/* The page of an address, made if need be; NULL: out of memory. */
aq_check_page *aq_check_shadow_make(aq_check_shadow *shadow, uint64_t address);

static inline aq_check_page *aq_check_shadow_page(aq_check_shadow *shadow,
                                                  uint64_t address)
{
  const uint64_t key = address / AQ_CHECK_PAGE;
  return shadow->near[key % AQ_CHECK_NEAR].page &&
                 shadow->near[key % AQ_CHECK_NEAR].key == key
             ? shadow->near[key % AQ_CHECK_NEAR].page
             : aq_check_shadow_make(shadow, address);
}

/* Forgets the accesses to a range. */
void aq_check_shadow_clear(aq_check_shadow *shadow, uint64_t address,
                           uint64_t size);

#endif
