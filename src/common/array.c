/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 8 };

static size_t capacity_read(const void *capacity, size_t size)
{
  uint32_t narrow;
  size_t wide;
  if (size == sizeof narrow) {
    memcpy(&narrow, capacity, sizeof narrow);
    return narrow;
  }
  memcpy(&wide, capacity, sizeof wide);
  return wide;
}

static void capacity_write(void *capacity, size_t size, size_t value)
{
  const uint32_t narrow = (uint32_t)value;
  memcpy(capacity, size == sizeof narrow ? (const void *)&narrow : &value,
         size);
}

bool aq_array_grow(void *array, size_t item, void *capacity,
                   size_t capacity_size, size_t needed, bool zeroed)
{
  const size_t old = capacity_read(capacity, capacity_size);
  size_t most = PTRDIFF_MAX / item;
  if (capacity_size == sizeof(uint32_t) && most > UINT32_MAX)
    most = UINT32_MAX;
  if (needed > most)
    return false;
  size_t wanted = old > most / 2 ? most : 2 * old;
  if (wanted < CAPACITY_MIN)
    wanted = CAPACITY_MIN < most ? CAPACITY_MIN : most;
  if (wanted < needed)
    wanted = needed;
  /* `array` points to some T *, which may not be accessed as a void *. */
  void *items;
  memcpy(&items, array, sizeof items);
  char *grown = realloc(items, wanted * item);
  if (!grown)
    return false;
  if (zeroed)
    memset(grown + old * item, 0, (wanted - old) * item);
  memcpy(array, &grown, sizeof grown);
  capacity_write(capacity, capacity_size, wanted);
  /* cppcheck-suppress memleak; the caller's array points to it */
  return true;
}
