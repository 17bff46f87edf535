/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include "queue/ring/kernarg_ring.h"

static unsigned char memory[256];

START_TEST(reservations_follow_each_other_until_the_ring_is_full)
{
  aq_kernarg_ring ring = {.memory = memory, .capacity = sizeof memory};
  ck_assert_ptr_eq(aq_kernarg_ring_reserve(&ring, 64), memory);
  ck_assert_ptr_eq(aq_kernarg_ring_reserve(&ring, 128), memory + 64);
  ck_assert_ptr_null(aq_kernarg_ring_reserve(&ring, 128));
  ck_assert_ptr_eq(aq_kernarg_ring_reserve(&ring, 64), memory + 192);
  ck_assert_ptr_null(aq_kernarg_ring_reserve(&ring, 64));
}
END_TEST

START_TEST(a_tail_that_is_too_short_is_skipped_and_given_back)
{
  aq_kernarg_ring ring = {.memory = memory, .capacity = sizeof memory};
  aq_kernarg_ring_reserve(&ring, 192);
  const uint64_t after = ring.head;
  ck_assert_ptr_null(aq_kernarg_ring_reserve(&ring, 128));
  aq_kernarg_ring_free(&ring, after);
  ck_assert_ptr_eq(aq_kernarg_ring_reserve(&ring, 128), memory);
  ck_assert_uint_eq(ring.head, 256 + 128);
  ck_assert_ptr_null(aq_kernarg_ring_reserve(&ring, 128));
  ck_assert_ptr_eq(aq_kernarg_ring_reserve(&ring, 64), memory + 128);
}
END_TEST

START_TEST(half_the_ring_always_fits_when_it_is_idle)
{
  aq_kernarg_ring ring = {.memory = memory, .capacity = sizeof memory};
  for (uint64_t at = 0; at < 512; at += 64) {
    ring.head = ring.tail = at;
    ck_assert_ptr_nonnull(
        aq_kernarg_ring_reserve(&ring, aq_kernarg_ring_limit(&ring)));
  }
}
END_TEST

AQ_TEST_MAIN("queue/kernarg_ring",
             reservations_follow_each_other_until_the_ring_is_full,
             a_tail_that_is_too_short_is_skipped_and_given_back,
             half_the_ring_always_fits_when_it_is_idle)
