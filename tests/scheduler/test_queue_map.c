/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include "scheduler/queue_map.h"

static aq_diag diag = AQ_DIAG_INIT;

static uint32_t find(aq_queue_map *map, uint32_t device, int64_t stream)
{
  uint32_t queue = 99;
  ck_assert_status(aq_queue_map_find(map, device, stream, &queue, &diag), AQ_OK,
                   &diag);
  return queue;
}

START_TEST(streams_take_queues_in_turn_in_order_of_first_use)
{
  aq_queue_map *map;
  ck_assert_status(aq_queue_map_create(1, &map, &diag), AQ_OK, &diag);
  aq_queue_map_limit(map, 0, 4);
  const int64_t streams[] = {70, 3, -5, 12, 9, 8};
  const uint32_t queues[] = {0, 1, 2, 3, 0, 1};
  for (int again = 0; again < 2; again++)
    for (int i = 0; i < 6; i++)
      ck_assert_uint_eq(find(map, 0, streams[i]), queues[i]);
  aq_queue_map_destroy(map);
}
END_TEST

START_TEST(devices_do_not_share_queues)
{
  aq_queue_map *map;
  ck_assert_status(aq_queue_map_create(2, &map, &diag), AQ_OK, &diag);
  aq_queue_map_limit(map, 0, 2);
  aq_queue_map_limit(map, 1, 3);
  ck_assert_uint_eq(find(map, 0, 1), 0);
  ck_assert_uint_eq(find(map, 0, 2), 1);
  ck_assert_uint_eq(find(map, 1, 2), 0);
  ck_assert_uint_eq(find(map, 1, 3), 1);
  ck_assert_uint_eq(find(map, 1, 4), 2);
  ck_assert_uint_eq(find(map, 0, 9), 0);
  aq_queue_map_destroy(map);
}
END_TEST

AQ_TEST_MAIN("scheduler/queue_map",
             streams_take_queues_in_turn_in_order_of_first_use,
             devices_do_not_share_queues)
