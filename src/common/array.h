/* SPDX-License-Identifier: MIT */
/*
 * Growing arrays: a pointer and a capacity (and mostly a count) that the
 * caller keeps where it likes, from malloc and released by free().
 *
 * ARRAY is an lvalue `T *`, NULL while CAPACITY is 0; CAPACITY and COUNT are
 * lvalues of an unsigned type of 32 or 64 bits. The capacity at least doubles
 * when it grows, so that appending costs constant time on average. A size that
 * overflows is out of memory too. One thread at a time per array.
 */
#ifndef AQ_COMMON_ARRAY_H
#define AQ_COMMON_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for NEEDED items (evaluated twice). False: out of memory, and the
 * array is unchanged. */
#define AQ_ARRAY_RESERVE(array, capacity, needed)                              \
  ((size_t)(needed) <= (size_t)(capacity) ||                                   \
   aq_array_grow((void *)&(array), sizeof *(array), &(capacity),               \
                 sizeof(capacity), (needed), false))

/* The same for a table that is read by index: new items are zeroed. */
#define AQ_ARRAY_RESERVE_ZEROED(array, capacity, needed)                       \
  ((size_t)(needed) <= (size_t)(capacity) ||                                   \
   aq_array_grow((void *)&(array), sizeof *(array), &(capacity),               \
                 sizeof(capacity), (needed), true))

/* Appends a value, such as a compound literal. False: out of memory, and the
 * array is unchanged. */
#define AQ_ARRAY_PUSH(array, count, capacity, ...)                             \
  (AQ_ARRAY_RESERVE(array, capacity, (size_t)(count) + 1) &&                   \
   ((array)[(count)++] = (__VA_ARGS__), true))

/* For the macros: `array` points to a `T *` of items of `item` bytes,
 * `capacity` to an unsigned integer of `capacity_size` bytes. */
bool aq_array_grow(void *array, size_t item, void *capacity,
                   size_t capacity_size, size_t needed, bool zeroed);

#endif
