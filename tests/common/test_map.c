/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <string.h>

#include "common/map.h"

START_TEST(map_keeps_what_was_put_through_growth_and_removal)
{
  aq_map map = AQ_MAP_INIT;
  for (uint64_t k = 0; k < 10000; k++)
    ck_assert(aq_map_put(&map, k * 64, k));
  for (uint64_t k = 0; k < 10000; k += 2) {
    uint64_t value;
    ck_assert(aq_map_remove(&map, k * 64, &value));
    ck_assert_uint_eq(value, k);
  }
  ck_assert_uint_eq(map.count, 5000);
  for (uint64_t k = 0; k < 10000; k++) {
    uint64_t value = 0;
    ck_assert_int_eq(aq_map_get(&map, k * 64, &value), k % 2);
    ck_assert(k % 2 == 0 || value == k);
  }
  aq_map_fini(&map);
}
END_TEST

START_TEST(map_with_a_bounded_population_does_not_grow)
{
  aq_map map = AQ_MAP_INIT;
  for (uint64_t k = 0; k < 1000000; k++) {
    ck_assert(aq_map_put(&map, k, k));
    if (k >= 30)
      ck_assert(aq_map_remove(&map, k - 30, NULL));
  }
  ck_assert_uint_le(map.capacity, 64);
  aq_map_fini(&map);
}
END_TEST

START_TEST(map_put_twice_replaces_and_missing_keys_are_missing)
{
  aq_map map = AQ_MAP_INIT;
  uint64_t value;
  ck_assert(!aq_map_get(&map, 1, &value));
  ck_assert(!aq_map_remove(&map, 1, &value));
  ck_assert(aq_map_put(&map, 1, 10));
  ck_assert(aq_map_put(&map, 1, 11));
  ck_assert(aq_map_get(&map, 1, &value));
  ck_assert_uint_eq(value, 11);
  ck_assert_uint_eq(map.count, 1);
  aq_map_fini(&map);
}
END_TEST

START_TEST(names_get_dense_ids_and_keep_their_bytes)
{
  aq_names names = AQ_NAMES_INIT;
  ck_assert_int_eq(aq_names_id(&names, "gemm", 4), 0);
  ck_assert_int_eq(aq_names_id(&names, "copy\0x", 6), 1);
  ck_assert_int_eq(aq_names_id(&names, "gemm", 4), 0);
  ck_assert_int_eq(aq_names_id(&names, "", 0), 2);
  ck_assert_int_eq(memcmp(aq_names_text(&names, 1), "copy\0x", 7), 0);
  ck_assert_uint_eq(aq_names_length(&names, 1), 6);
  ck_assert_uint_eq(aq_names_length(&names, 2), 0);
  ck_assert_uint_eq(aq_names_length(&names, 3), 0);
  ck_assert_ptr_null(aq_names_text(&names, 3));
  ck_assert_ptr_null(aq_names_text(&names, -1));
  aq_names_fini(&names);
}
END_TEST

AQ_TEST_MAIN("common/map", map_keeps_what_was_put_through_growth_and_removal,
             map_with_a_bounded_population_does_not_grow,
             map_put_twice_replaces_and_missing_keys_are_missing,
             names_get_dense_ids_and_keep_their_bytes)
