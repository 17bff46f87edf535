/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/diag.h"

typedef struct pair {
  uint64_t a, b;
} pair;

START_TEST(pushed_items_stay_in_order_and_growing_is_rare)
{
  pair *items = NULL;
  uint32_t count = 0, capacity = 0;
  unsigned moves = 0;
  for (uint64_t i = 0; i < 100000; i++) {
    const uint32_t before = capacity;
    ck_assert(AQ_ARRAY_PUSH(items, count, capacity, (pair){i, ~i}));
    ck_assert_uint_le(count, capacity);
    moves += capacity != before;
  }
  ck_assert_uint_eq(count, 100000);
  for (uint64_t i = 0; i < count; i++)
    ck_assert(items[i].a == i && items[i].b == ~i);
  ck_assert_uint_le(moves, 17); /* log2(100000) */
  free(items);
}
END_TEST

START_TEST(reserve_makes_room_for_what_is_asked_and_keeps_items)
{
  size_t capacity = 0;
  int *items = NULL;
  ck_assert(AQ_ARRAY_RESERVE(items, capacity, 1));
  items[0] = 42;
  ck_assert(AQ_ARRAY_RESERVE(items, capacity, 1000));
  ck_assert_uint_ge(capacity, 1000);
  items[999] = 7;
  ck_assert_int_eq(items[0], 42);
  const int *at = items;
  ck_assert(AQ_ARRAY_RESERVE(items, capacity, 1000));
  ck_assert_ptr_eq(items, at);
  free(items);
}
END_TEST

START_TEST(zeroed_tables_are_zero_past_what_was_written)
{
  uint32_t capacity = 0;
  uint64_t *items = NULL;
  ck_assert(AQ_ARRAY_RESERVE_ZEROED(items, capacity, 3));
  for (uint32_t i = 0; i < capacity; i++)
    ck_assert_uint_eq(items[i], 0);
  const uint32_t first = capacity;
  for (uint32_t i = 0; i < first; i++)
    items[i] = i + 1;
  ck_assert(AQ_ARRAY_RESERVE_ZEROED(items, capacity, 5000));
  for (uint32_t i = 0; i < capacity; i++)
    ck_assert_uint_eq(items[i], i < first ? i + 1 : 0);
  free(items);
}
END_TEST

START_TEST(sizes_that_overflow_are_out_of_memory_and_change_nothing)
{
  pair *items = NULL;
  size_t capacity = 0;
  ck_assert(AQ_ARRAY_RESERVE(items, capacity, 4));
  items[0] = (pair){1, 2};
  const pair *at = items;
  const size_t before = capacity;
  /* 16 bytes each: the product wraps to 16, to 0, and is beyond the address
   * space. */
  ck_assert(!AQ_ARRAY_RESERVE(items, capacity, SIZE_MAX / sizeof *items + 2));
  ck_assert(!AQ_ARRAY_RESERVE(items, capacity, SIZE_MAX / sizeof *items + 1));
  ck_assert(!AQ_ARRAY_RESERVE(items, capacity, SIZE_MAX / 2));
  ck_assert_ptr_eq(items, at);
  ck_assert_uint_eq(capacity, before);
  ck_assert_uint_eq(items[0].b, 2);
  free(items);
}
END_TEST

START_TEST(a_narrow_capacity_does_not_wrap)
{
  char *items = NULL;
  uint32_t capacity = 0;
  volatile size_t beyond = (size_t)UINT32_MAX + 1; /* the compiler would warn */
  ck_assert(!AQ_ARRAY_RESERVE(items, capacity, beyond));
  ck_assert_ptr_null(items);
  ck_assert_uint_eq(capacity, 0);
}
END_TEST

START_TEST(out_of_memory_has_one_wording)
{
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_int_eq(aq_diag_no_memory(&diag), AQ_ERR_NO_MEMORY);
  ck_assert_int_eq(diag.status, AQ_ERR_NO_MEMORY);
  ck_assert_str_eq(diag.text, aq_status_text(AQ_ERR_NO_MEMORY));
  ck_assert_int_eq(aq_diag_no_memory(NULL), AQ_ERR_NO_MEMORY);
}
END_TEST

AQ_TEST_MAIN("common/array", pushed_items_stay_in_order_and_growing_is_rare,
             reserve_makes_room_for_what_is_asked_and_keeps_items,
             zeroed_tables_are_zero_past_what_was_written,
             sizes_that_overflow_are_out_of_memory_and_change_nothing,
             a_narrow_capacity_does_not_wrap, out_of_memory_has_one_wording)
