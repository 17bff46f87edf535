/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/check/core/uninit_shadow.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/check/core/check.h"

static aq_check_bits_page all_written = {.shared = true};

void aq_uninit_shadow_fini(aq_uninit_shadow *memory)
{
  for (size_t i = 0; i < memory->count; i++)
    free(memory->list[i]);
  free(memory->list);
  aq_map_fini(&memory->pages);
  memory->list = NULL;
  memset(memory->near, 0, sizeof memory->near);
  memory->count = memory->capacity = 0;
}

static aq_check_bits_page *page_add(aq_uninit_shadow *memory, uint64_t key)
{
  aq_check_bits_page *page = calloc(1, sizeof *page);
  if (page &&
      !AQ_ARRAY_PUSH(memory->list, memory->count, memory->capacity, page)) {
    free(page);
    page = NULL;
  }
  if (page && !aq_map_put(&memory->pages, key, (uintptr_t)page)) {
    memory->count--;
    free(page);
    page = NULL;
  }
  memory->lost |= !page;
  return page;
}

const aq_check_bits_page *aq_uninit_shadow_find(aq_uninit_shadow *memory,
                                                uint64_t address)
{
  const uint64_t key = address / AQ_CHECK_BITS_PAGE;
  uint64_t found = 0;
  aq_check_bits_page *page;
  if (aq_map_get(&memory->pages, key, &found)) {
    page = (aq_check_bits_page *)(uintptr_t)found;
  } else {
    uint8_t bits[AQ_CHECK_BITS_PAGE] = {0};
    page = memory->begin(memory->user, key * AQ_CHECK_BITS_PAGE, bits)
               ? page_add(memory, key)
               : NULL;
    if (page)
      memcpy(page->bits, bits, sizeof bits);
    else
      page = &all_written;
    if (page->shared && !aq_map_put(&memory->pages, key, (uintptr_t)page))
      memory->lost = true;
  }
  memory->near[key % AQ_CHECK_BITS_NEAR].key = key;
  return memory->near[key % AQ_CHECK_BITS_NEAR].page = page;
}

/* The page of an address as it is kept, which may be the shared one. */
static aq_check_bits_page **page_slot(aq_uninit_shadow *memory,
                                      uint64_t address)
{
  (void)aq_uninit_shadow_page(memory, address);
  return &memory->near[address / AQ_CHECK_BITS_PAGE % AQ_CHECK_BITS_NEAR].page;
}

/* One that may be written to: NULL where memory ran out. */
static aq_check_bits_page *page_own(aq_uninit_shadow *memory, uint64_t address)
{
  aq_check_bits_page **slot = page_slot(memory, address);
  if ((*slot)->shared) {
    aq_check_bits_page *made = page_add(memory, address / AQ_CHECK_BITS_PAGE);
    if (!made)
      return NULL;
    *slot = made;
  }
  return *slot;
}

/* The bytes of a range in the page of its begin. */
static uint64_t in_page(uint64_t address, uint64_t size)
{
  const uint64_t room = AQ_CHECK_BITS_PAGE - address % AQ_CHECK_BITS_PAGE;
  return size < room ? size : room;
}

static bool is_zero(const uint8_t *bits, uint64_t size)
{
  return size == 0 || (bits[0] == 0 && memcmp(bits, bits + 1, size - 1) == 0);
}

void aq_uninit_shadow_get(aq_uninit_shadow *memory, uint64_t address,
                          unsigned size, uint8_t *bits)
{
  while (size > 0) {
    const aq_check_bits_page *page = aq_uninit_shadow_page(memory, address);
    const unsigned n = (unsigned)in_page(address, size);
    memcpy(bits, page->bits + address % AQ_CHECK_BITS_PAGE, n);
    address += n;
    bits += n;
    size -= n;
  }
}

static void stored_set(aq_check_bits_page *page, uint64_t address,
                       const uint8_t *bits, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const uint64_t at = (address + i) % AQ_CHECK_BITS_PAGE;
    if (bits[i])
      page->stored[at / 8] |= (uint8_t)(1u << at % 8);
  }
}

void aq_uninit_shadow_put(aq_uninit_shadow *memory, uint64_t address,
                          unsigned size, const uint8_t *bits)
{
  while (size > 0) {
    const aq_check_bits_page *page = aq_uninit_shadow_page(memory, address);
    const unsigned n = (unsigned)in_page(address, size);
    aq_check_bits_page *own =
        page->shared && is_zero(bits, n) ? NULL : page_own(memory, address);
    if (own) {
      memcpy(own->bits + address % AQ_CHECK_BITS_PAGE, bits, n);
      stored_set(own, address, bits, n);
    }
    address += n;
    bits += n;
    size -= n;
  }
}

/* ---- writes of the host ---- */

/* Its words are negative, so that most loops that run so often end at once. */
static uint64_t pattern_at(uint64_t address)
{
  uint64_t x =
      (address % AQ_CHECK_PATTERN / 8 + 1) * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return (x ^ x >> 32) | UINT64_C(0x8000000080000000);
}

void aq_check_pattern_put(void *to, uint64_t address, size_t size)
{
  uint8_t *at = to;
  for (size_t i = 0; i < size; i += 8) {
    const uint64_t word = pattern_at(address + i);
    memcpy(at + i, &word, size - i < 8 ? size - i : 8);
  }
}

static bool is_pattern(const uint8_t *byte, uint64_t address)
{
  const uint64_t word = pattern_at(address);
  return *byte == ((const uint8_t *)&word)[address % 8];
}

/* A chunk of 64 bytes: one byte that the host wrote stands for all of it. */
static bool chunk_check(const aq_uninit_shadow *memory,
                        aq_check_bits_page *page, uint64_t base)
{
  enum { CHUNK = 64 };
  const uint8_t *at = (const uint8_t *)(uintptr_t)aq_allocations_reach(
      memory->allocations, base);
  uint8_t *bits = page->bits + base % AQ_CHECK_BITS_PAGE;
  const uint8_t *stored = page->stored + base % AQ_CHECK_BITS_PAGE / 8;
  bool wrote = false;
  for (unsigned i = 0; i < CHUNK && !wrote; i++)
    wrote = bits[i] && !(stored[i / 8] >> i % 8 & 1) &&
            !is_pattern(at + i, base + i);
  for (unsigned i = 0; i < CHUNK && wrote; i++)
    if (!(stored[i / 8] >> i % 8 & 1))
      bits[i] = 0;
  return wrote;
}

bool aq_uninit_shadow_check_host(aq_uninit_shadow *memory, uint64_t address,
                                 unsigned size)
{
  bool wrote = false;
  for (uint64_t at = address / 64 * 64; at < address + size; at += 64) {
    aq_check_bits_page *page = *page_slot(memory, at);
    if (!page->shared)
      wrote |= chunk_check(memory, page, at);
  }
  return wrote;
}

void aq_uninit_shadow_set(aq_uninit_shadow *memory, uint64_t address,
                          uint64_t size, bool unwritten)
{
  while (size > 0) {
    const aq_check_bits_page *page = aq_uninit_shadow_page(memory, address);
    const uint64_t n = in_page(address, size);
    aq_check_bits_page *own =
        page->shared && !unwritten ? NULL : page_own(memory, address);
    if (own)
      memset(own->bits + address % AQ_CHECK_BITS_PAGE, unwritten ? 0xff : 0, n);
    address += n;
    size -= n;
  }
}

bool aq_uninit_shadow_any(aq_uninit_shadow *memory, uint64_t address,
                          uint64_t size, uint64_t *where)
{
  while (size > 0) {
    const aq_check_bits_page *page = aq_uninit_shadow_page(memory, address);
    const uint64_t n = in_page(address, size);
    const uint8_t *bits = page->bits + address % AQ_CHECK_BITS_PAGE;
    if (!page->shared && !is_zero(bits, n)) {
      while (*bits == 0) {
        bits++;
        address++;
      }
      *where = address;
      return true;
    }
    address += n;
    size -= n;
  }
  return false;
}

bool aq_uninit_shadow_stored(aq_uninit_shadow *memory, uint64_t address)
{
  const aq_check_bits_page *page = aq_uninit_shadow_page(memory, address);
  const uint64_t at = address % AQ_CHECK_BITS_PAGE;
  return page->stored[at / 8] >> at % 8 & 1;
}

void aq_uninit_shadow_copy(aq_uninit_shadow *memory, uint64_t to, uint64_t from,
                           uint64_t size)
{
  uint8_t bits[512];
  while (size > 0) {
    const unsigned n = size < sizeof bits ? (unsigned)size : sizeof bits;
    aq_uninit_shadow_get(memory, from, n, bits);
    aq_uninit_shadow_put(memory, to, n, bits);
    from += n;
    to += n;
    size -= n;
  }
}

static void stored_clear(aq_check_bits_page *page, uint64_t base, uint64_t n)
{
  for (uint64_t i = 0; i < n && !page->shared; i++) {
    const uint64_t at = (base + i) % AQ_CHECK_BITS_PAGE;
    page->stored[at / 8] &= (uint8_t) ~(1u << at % 8);
  }
}

void aq_uninit_shadow_allocated(aq_uninit_shadow *memory, uint64_t base,
                                uint64_t size, bool unwritten)
{
  while (size > 0) {
    const uint64_t n = in_page(base, size);
    if (aq_map_get(&memory->pages, base / AQ_CHECK_BITS_PAGE, NULL)) {
      aq_uninit_shadow_set(memory, base, n, unwritten);
      stored_clear(*page_slot(memory, base), base, n);
    }
    base += n;
    size -= n;
  }
}
