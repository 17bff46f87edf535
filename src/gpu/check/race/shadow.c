/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/check/core/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void aq_check_shadow_fini(aq_check_shadow *shadow)
{
  for (size_t i = 0; i < shadow->page_count; i++)
    free(shadow->list[i]);
  free(shadow->list);
  aq_map_fini(&shadow->pages);
  aq_access_history_fini(&shadow->states);
  *shadow = (aq_check_shadow){.page_count = 0};
}

aq_check_page *aq_check_shadow_make(aq_check_shadow *shadow, uint64_t address)
{
  const uint64_t key = address / AQ_CHECK_PAGE;
  uint64_t found = 0;
  if (!aq_map_get(&shadow->pages, key, &found)) {
    aq_check_page *page = calloc(1, sizeof *page);
    if (!page || !aq_map_put(&shadow->pages, key, (uintptr_t)page) ||
        !AQ_ARRAY_PUSH(shadow->list, shadow->page_count, shadow->capacity,
                       page)) {
      aq_map_remove(&shadow->pages, key, NULL);
      free(page);
      return NULL;
    }
    found = (uintptr_t)page;
  }
  shadow->near[key % AQ_CHECK_NEAR].key = key;
  shadow->near[key % AQ_CHECK_NEAR].page = (aq_check_page *)(uintptr_t)found;
  return (aq_check_page *)(uintptr_t)found;
}

void aq_check_shadow_clear(aq_check_shadow *shadow, uint64_t address,
                           uint64_t size)
{
  const uint64_t end = address + size;
  while (address < end) {
    const uint64_t page_end = (address / AQ_CHECK_PAGE + 1) * AQ_CHECK_PAGE,
                   to = page_end < end ? page_end : end;
    uint64_t found;
    if (aq_map_get(&shadow->pages, address / AQ_CHECK_PAGE, &found)) {
      aq_check_page *page = (aq_check_page *)(uintptr_t)found;
      const uint64_t first = address % AQ_CHECK_PAGE / 4,
                     last = (to - 1) % AQ_CHECK_PAGE / 4;
      for (uint64_t i = first; i <= last; i++)
        aq_access_history_leave(&shadow->states, page->words[i], 1);
      memset(&page->words[first], 0,
             (last - first + 1) * sizeof page->words[0]);
    }
    address = to;
  }
}
