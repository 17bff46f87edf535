/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/allocations.h"
#include "common/transport.h"

static void add(aq_allocations *map, uint64_t base, uint64_t size,
                uint64_t readers, uint64_t writers)
{
  const aq_allocation allocation = {.base = base,
                                    .size = size,
                                    .readers = readers,
                                    .writers = writers,
                                    .device = AQ_DEVICE_HOST,
                                    .kind = AQ_ALLOCATION_POOL};
  ck_assert(aq_allocations_add(map, &allocation));
}

static bool may(const aq_allocations *map, uint64_t address, uint32_t device,
                aq_access access)
{
  aq_allocation found;
  return aq_allocations_find(map, address, device, access, &found);
}

START_TEST(an_access_needs_an_allocation_that_allows_it)
{
  aq_allocations *map = aq_allocations_create();
  add(map, 0x1000, 0x100, 3, 1);
  ck_assert(may(map, 0x1000, 0, AQ_ACCESS_WRITE));
  ck_assert(may(map, 0x10ff, 1, AQ_ACCESS_READ));
  ck_assert(!may(map, 0x10ff, 1, AQ_ACCESS_WRITE));
  ck_assert(!may(map, 0x10ff, 2, AQ_ACCESS_READ));
  ck_assert(!may(map, 0xfff, 0, AQ_ACCESS_READ));
  ck_assert_msg(may(map, 0x1fff, 0, AQ_ACCESS_WRITE),
                "a GPU maps the whole page");
  ck_assert(!may(map, 0x2000, 0, AQ_ACCESS_READ));
  ck_assert(!may(map, 0x1000, 0, AQ_ACCESS_EXECUTE));
  ck_assert(aq_allocations_allow(map, 0x1000, AQ_ALLOCATION_POOL, 4, 4));
  ck_assert(!may(map, 0x1000, 0, AQ_ACCESS_READ));
  ck_assert(may(map, 0x1000, 2, AQ_ACCESS_WRITE));
  ck_assert(aq_allocations_remove(map, 0x1000, AQ_ALLOCATION_POOL));
  ck_assert(!aq_allocations_remove(map, 0x1000, AQ_ALLOCATION_POOL));
  ck_assert(!may(map, 0x1000, 2, AQ_ACCESS_READ));
  aq_allocations_destroy(map);
}
END_TEST

START_TEST(allocations_that_overlap_count_each)
{
  aq_allocations *map = aq_allocations_create();
  add(map, 0x1000, 0x100000, 1, 1);
  for (uint64_t i = 0; i < 200; i++) /* short ones inside, for others */
    add(map, 0x1000 + 0x2000 * i, 0x10, 2, 2);
  ck_assert(may(map, 0x1000 + 0x2000 * 99 + 4, 0, AQ_ACCESS_READ));
  ck_assert(!may(map, 0x1000 + 0x2000 * 199 + 4, 0, AQ_ACCESS_READ));
  ck_assert(may(map, 0x4345, 0, AQ_ACCESS_WRITE));
  ck_assert(!may(map, 0x4345, 1, AQ_ACCESS_READ));
  ck_assert(may(map, 0x5304, 1, AQ_ACCESS_READ));
  ck_assert(aq_allocations_remove(map, 0x1000, AQ_ALLOCATION_POOL));
  ck_assert_msg(may(map, 0x1004, 0, AQ_ACCESS_READ),
                "the newest of two at one base goes first");
  ck_assert(!may(map, 0x1004, 1, AQ_ACCESS_READ));
  ck_assert(aq_allocations_remove(map, 0x1000, AQ_ALLOCATION_POOL));
  ck_assert(!may(map, 0x4345, 0, AQ_ACCESS_READ));
  ck_assert(may(map, 0x5304, 1, AQ_ACCESS_READ));
  aq_allocations_destroy(map);
}
END_TEST

#define ck_assert_name(map, address, expected)                                 \
  do {                                                                         \
    char text[AQ_ALLOCATION_TEXT_SIZE];                                        \
    aq_allocations_name(map, address, text);                                   \
    ck_assert_str_eq(text, expected);                                          \
  } while (0)

START_TEST(an_address_far_from_all_is_a_null_pointer_or_the_hosts_memory)
{
  int own;
  aq_allocations *map = aq_allocations_create();
  const uint64_t far = UINT64_C(1) << 40;
  add(map, far, 4096, 1, 1);
  ck_assert_name(map, 8, "a null pointer");
  ck_assert_ptr_nonnull(strstr(aq_address_stray((uintptr_t)&own), "XNACK"));
  ck_assert_ptr_null(aq_address_stray(UINT64_C(1) << 20));
  aq_allocations_destroy(map);
}
END_TEST

START_TEST(an_address_is_named_by_what_lies_nearest)
{
  aq_allocations *map = aq_allocations_create();
  ck_assert_name(map, 0x1000, "nothing is allocated");
  add(map, 0x1000, 4096, 1, 1);
  const aq_allocation code = {.base = 0x9000,
                              .size = 256,
                              .device = 3,
                              .kind = AQ_ALLOCATION_CODE,
                              .executable = true};
  ck_assert(aq_allocations_add(map, &code));
  ck_assert_name(map, 0x2000,
                 "0 bytes past the end of 4096 bytes of pool memory at 0x1000");
  ck_assert_name(map, 0x2008,
                 "8 bytes past the end of 4096 bytes of pool memory at 0x1000");
  ck_assert_name(
      map, 0x8ff8,
      "8 bytes before 256 bytes of a code object of device 3 at 0x9000");
  ck_assert_name(map, 0x1010, "byte 16 of 4096 bytes of pool memory at 0x1000");
  ck_assert_name(map, 0x9108,
                 "8 bytes past the end of 256 bytes of a code object of device "
                 "3 at 0x9000");
  aq_allocations_remove(map, 0x1000, AQ_ALLOCATION_POOL);
  ck_assert_name(map, 0x1010,
                 "byte 16 of 4096 bytes of pool memory at 0x1000, freed");
  for (uint64_t i = 0; i < AQ_ALLOCATIONS_FREED; i++) {
    add(map, 0x100000, 16, 1, 1);
    aq_allocations_remove(map, 0x100000, AQ_ALLOCATION_POOL);
  }
  ck_assert_name(
      map, 0x1010,
      "32752 bytes before 256 bytes of a code object of device 3 at 0x9000");
  aq_allocations_destroy(map);
}
END_TEST

START_TEST(an_open_map_executes_what_no_allocation_covers)
{
  aq_allocations *map = aq_allocations_create();
  add(map, 0x1000, 4096, AQ_DEVICES_ALL, AQ_DEVICES_ALL);
  ck_assert(!aq_allocations_are_open(map));
  ck_assert(!aq_allocations_executable(map, 0x1000));
  ck_assert(!aq_allocations_executable(map, 0x5000));
  aq_allocations_open(map, true);
  ck_assert(!aq_allocations_executable(map, 0x1000));
  ck_assert(aq_allocations_executable(map, 0x5000));
  aq_allocations_destroy(map);
}
END_TEST

enum { STEADY = 100, ROUNDS = 20000 };

static uint64_t steady_base(unsigned i)
{
  return 0x100000 + (uint64_t)i * 0x10000;
}

static void *change(void *user)
{
  for (unsigned i = 0; i < ROUNDS; i++) {
    const uint64_t base = steady_base(i % STEADY) + 0x8000;
    add(user, base, 64, 1, 1);
    aq_allocations_remove(user, base, AQ_ALLOCATION_POOL);
  }
  return NULL;
}

START_TEST(lookups_find_what_stays_while_others_change_the_map)
{
  aq_allocations *map = aq_allocations_create();
  pthread_t writers[2];
  for (unsigned i = 0; i < STEADY; i++)
    add(map, steady_base(i), 0x1000, 1, 1);
  for (int i = 0; i < 2; i++)
    ck_assert_int_eq(pthread_create(&writers[i], NULL, change, map), 0);
  for (unsigned i = 0; i < ROUNDS; i++) {
    aq_allocation found;
    const uint64_t base = steady_base(i * 7 % STEADY);
    ck_assert(
        aq_allocations_find(map, base + 0xfff, 0, AQ_ACCESS_WRITE, &found));
    ck_assert_uint_eq(found.base, base);
    ck_assert_uint_eq(found.size, 0x1000);
    ck_assert(!may(map, base + 0x1000, 0, AQ_ACCESS_READ));
  }
  for (int i = 0; i < 2; i++)
    pthread_join(writers[i], NULL);
  aq_allocations_destroy(map);
}
END_TEST

enum { PARTS = 600, LAPS = 20 };

static aq_allocation part_of(unsigned first, unsigned end)
{
  return (aq_allocation){.base = 0x100000 + (uint64_t)first * 0x1000,
                         .size = (uint64_t)(end - first) * 0x1000,
                         .readers = 1,
                         .writers = 1,
                         .device = AQ_DEVICE_HOST,
                         .kind = AQ_ALLOCATION_SVM};
}

/* Cuts a stretch into pages, from its begin on, and makes it whole again. */
static void *cut(void *user)
{
  for (unsigned lap = 0; lap < LAPS; lap++) {
    for (unsigned i = 0; i + 1 < PARTS; i++) {
      const aq_allocation parts[] = {part_of(i, i + 1), part_of(i + 1, PARTS)};
      ck_assert(aq_allocations_replace(user, parts[0].base, AQ_ALLOCATION_SVM,
                                       parts, 2));
    }
    for (unsigned i = PARTS - 1; i > 0; i--) {
      const aq_allocation rest = part_of(i - 1, PARTS);
      ck_assert(
          aq_allocations_replace(user, rest.base, AQ_ALLOCATION_SVM, &rest, 1));
      ck_assert(aq_allocations_remove(user, part_of(i, PARTS).base,
                                      AQ_ALLOCATION_SVM));
    }
  }
  return NULL;
}

START_TEST(what_is_replaced_is_found_all_the_time)
{
  aq_allocations *map = aq_allocations_create();
  const aq_allocation all = part_of(0, PARTS);
  pthread_t writer;
  /* In the place of none it is added. */
  ck_assert(aq_allocations_replace(map, all.base, AQ_ALLOCATION_SVM, &all, 1));
  ck_assert_int_eq(pthread_create(&writer, NULL, cut, map), 0);
  for (unsigned i = 0; i < 200000; i++)
    ck_assert(may(map, all.base + (uint64_t)(i * 7 % PARTS) * 0x1000 + 5, 0,
                  AQ_ACCESS_WRITE));
  pthread_join(writer, NULL);
  ck_assert_uint_eq(aq_allocations_list(map, NULL, 0), 1);
  ck_assert(aq_allocations_replace(map, all.base, AQ_ALLOCATION_SVM, NULL, 0));
  ck_assert_uint_eq(aq_allocations_list(map, NULL, 0), 0);
  aq_allocations_destroy(map);
}
END_TEST

START_TEST(a_list_is_in_the_order_of_addresses_and_says_how_long_it_is)
{
  aq_allocations *map = aq_allocations_create();
  aq_allocation list[2] = {{0}};
  ck_assert_uint_eq(aq_allocations_list(map, list, 2), 0);
  add(map, 0x9000, 0x10, 1, 1);
  add(map, 0x3000, 0x20, 2, 2);
  add(map, 0x5000, 0x30, 3, 3);
  ck_assert_uint_eq(aq_allocations_list(map, list, 2), 3);
  ck_assert_uint_eq(list[0].base, 0x3000);
  ck_assert_uint_eq(list[1].base, 0x5000);
  ck_assert_uint_eq(list[1].size, 0x30);
  ck_assert_str_eq(aq_allocation_kind_text(list[1].kind), "pool memory");
  aq_allocations_destroy(map);
}
END_TEST

enum { RANGES = 3000, STEPS = 20000 };

typedef struct range {
  uint64_t base, size, readers;
  bool live;
} range;

/* The answer of an array of all ranges: whether a live one allows it. */
static bool expected(const range *ranges, uint64_t address, uint32_t device)
{
  for (size_t i = 0; i < RANGES; i++) {
    const range *r = &ranges[i];
    const aq_allocation a = {.base = r->base, .size = r->size};
    if (r->live && r->readers & aq_device_bit(device) &&
        address >= aq_allocation_first(&a) && address < aq_allocation_end(&a))
      return true;
  }
  return false;
}

START_TEST(a_map_of_many_ranges_answers_as_an_array_of_them)
{
  range *ranges = calloc(RANGES, sizeof *ranges);
  aq_allocations *map = aq_allocations_create();
  unsigned seed = 7;
  for (size_t i = 0; i < RANGES; i++) /* one of 50 is long and covers others */
    ranges[i] =
        (range){.base = ((uint64_t)rand_r(&seed) % (RANGES * 4)) << 12 | i,
                .size = (uint64_t)rand_r(&seed) % 50 ? 0x800 : 0x40000,
                .readers = 1 + (uint64_t)rand_r(&seed) % 3};
  for (int step = 0; step < STEPS; step++) {
    /* Grows first, shrinks at the end. */
    range *r = &ranges[(uint64_t)rand_r(&seed) % RANGES];
    const bool grows = (uint64_t)rand_r(&seed) % STEPS > (uint64_t)step;
    if (r->live && !grows)
      ck_assert(aq_allocations_remove(map, r->base, AQ_ALLOCATION_POOL));
    else if (!r->live && grows)
      add(map, r->base, r->size, r->readers, 0);
    r->live = grows;
    const uint64_t address = ((uint64_t)rand_r(&seed) % (RANGES * 4 + 64))
                             << 12;
    const uint32_t device = (uint64_t)rand_r(&seed) % 2;
    ck_assert_int_eq(may(map, address, device, AQ_ACCESS_READ),
                     expected(ranges, address, device));
  }
  size_t live = 0;
  for (size_t i = 0; i < RANGES; i++)
    live += ranges[i].live;
  aq_allocation *list = calloc(RANGES, sizeof *list);
  ck_assert_uint_eq(aq_allocations_list(map, list, RANGES), live);
  for (size_t i = 1; i < live; i++)
    ck_assert_uint_le(aq_allocation_first(&list[i - 1]),
                      aq_allocation_first(&list[i]));
  free(list);
  free(ranges);
  aq_allocations_destroy(map);
}
END_TEST

AQ_TEST_MAIN("common/allocations", an_access_needs_an_allocation_that_allows_it,
             allocations_that_overlap_count_each,
             an_address_is_named_by_what_lies_nearest,
             an_address_far_from_all_is_a_null_pointer_or_the_hosts_memory,
             an_open_map_executes_what_no_allocation_covers,
             lookups_find_what_stays_while_others_change_the_map,
             what_is_replaced_is_found_all_the_time,
             a_list_is_in_the_order_of_addresses_and_says_how_long_it_is,
             a_map_of_many_ranges_answers_as_an_array_of_them)
