/* SPDX-License-Identifier: MIT */
/* Memory for malloc of kernels: aligned, published, bounded, taken back. */
#include "gpu/hostcall/heap.h"

#include <string.h>

#include "common/allocations.h"
#include "support/aqtest.h"

enum { MEGABYTE = 1 << 20 };

START_TEST(blocks_are_aligned_zero_and_published)
{
  static const uint64_t sizes[] = {
      1, 4096, 4097, MEGABYTE, 2 * (uint64_t)MEGABYTE, 5 * (uint64_t)MEGABYTE};
  aq_allocations *map = aq_allocations_create();
  aq_device_heap *heap = aq_device_heap_create(map, 64 * (uint64_t)MEGABYTE);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    unsigned char *block = aq_device_heap_alloc(heap, 1, sizes[i]);
    aq_allocation found;
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq((uintptr_t)block % (i < 4 ? 4096 : 2 * MEGABYTE), 0);
    ck_assert_uint_eq(block[0] + block[sizes[i] - 1], 0);
    memset(block, 1, sizes[i]);
    ck_assert(aq_allocations_find(map, (uintptr_t)block + sizes[i] - 1, 0,
                                  AQ_ACCESS_WRITE, &found));
    ck_assert_uint_eq(found.device, 1);
    ck_assert_uint_eq(found.kind, AQ_ALLOCATION_HEAP);
    ck_assert(aq_device_heap_free(heap, (uintptr_t)block));
    ck_assert(!aq_allocations_cover(map, (uintptr_t)block));
    ck_assert(!aq_device_heap_free(heap, (uintptr_t)block));
  }
  aq_device_heap_destroy(heap);
  aq_allocations_destroy(map);
}
END_TEST

START_TEST(the_limit_counts_what_is_held)
{
  aq_allocations *map = aq_allocations_create();
  aq_device_heap *heap = aq_device_heap_create(map, 3 * (uint64_t)MEGABYTE);
  void *first = aq_device_heap_alloc(heap, 0, 2 * (uint64_t)MEGABYTE);
  ck_assert_ptr_nonnull(first);
  ck_assert_ptr_null(aq_device_heap_alloc(heap, 0, 2 * (uint64_t)MEGABYTE));
  ck_assert_ptr_null(aq_device_heap_alloc(heap, 0, UINT64_MAX));
  ck_assert_ptr_null(aq_device_heap_alloc(heap, 0, 0));
  void *second = aq_device_heap_alloc(heap, 0, MEGABYTE);
  ck_assert_ptr_nonnull(second);
  ck_assert_ptr_null(aq_device_heap_alloc(heap, 0, 1));
  ck_assert(aq_device_heap_free(heap, (uintptr_t)first));
  ck_assert_ptr_nonnull(aq_device_heap_alloc(heap, 0, MEGABYTE));
  aq_device_heap_destroy(heap);
  ck_assert(!aq_allocations_cover(map, (uintptr_t)second));
  aq_allocations_destroy(map);
}
END_TEST

AQ_TEST_MAIN("gpu/hostcall/heap", blocks_are_aligned_zero_and_published,
             the_limit_counts_what_is_held)
