/* SPDX-License-Identifier: MIT */
/* Rings without a transport: reserving and publishing from several threads. */
#include "common/ring.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

enum { SIZE = 64, PRODUCERS = 4, EACH = 5000 };

typedef struct bare_ring {
  aq_ring ring;
  _Alignas(64) aq_packet packets[SIZE];
  uint64_t write_index, read_index, doorbell;
} bare_ring;

static bare_ring *ring_make(void)
{
  bare_ring *b = aligned_alloc(64, sizeof *b);
  ck_assert_ptr_nonnull(b);
  memset(b, 0, sizeof *b);
  for (int i = 0; i < SIZE; i++)
    b->packets[i].header = AQ_PACKET_INVALID;
  b->ring = (aq_ring){.packets = b->packets,
                      .size = SIZE,
                      .write_index = &b->write_index,
                      .read_index = &b->read_index,
                      .doorbell = &b->doorbell};
  return b;
}

START_TEST(a_ring_has_room_for_its_size_and_not_for_one_more)
{
  bare_ring *b = ring_make();
  uint64_t id;
  ck_assert(!aq_ring_try_reserve(&b->ring, SIZE + 1, &id));
  ck_assert(aq_ring_try_reserve(&b->ring, SIZE - 1, &id));
  ck_assert_uint_eq(aq_ring_space(&b->ring), 1);
  ck_assert(!aq_ring_try_reserve(&b->ring, 2, &id));
  ck_assert(aq_ring_try_reserve(&b->ring, 1, &id));
  ck_assert_uint_eq(id, SIZE - 1);
  ck_assert(!aq_ring_try_reserve_single(&b->ring, 1, &id));
  b->read_index = 3;
  ck_assert(aq_ring_try_reserve_single(&b->ring, 3, &id));
  ck_assert_uint_eq(id, SIZE);
  ck_assert_uint_eq(aq_ring_space(&b->ring), 0);
  free(b);
}
END_TEST

START_TEST(a_client_that_took_more_than_there_is_leaves_no_space)
{
  bare_ring *b = ring_make();
  uint64_t id;
  b->write_index = SIZE + 5; /* a raw add does not look */
  ck_assert_uint_eq(aq_ring_space(&b->ring), 0);
  ck_assert(!aq_ring_try_reserve(&b->ring, 1, &id));
  free(b);
}
END_TEST

/* Each packet's body repeats its id and its producer. */
static void *produce(void *argument)
{
  bare_ring *b = argument;
  for (int i = 0; i < EACH; i++) {
    uint64_t id;
    while (!aq_ring_try_reserve(&b->ring, 1, &id))
      sched_yield();
    aq_packet *slot = aq_ring_slot(&b->ring, id);
    slot->kernel.kernarg_address = id;
    slot->kernel.kernel_object = ~id;
    aq_packet_publish(slot, AQ_PACKET_KERNEL_DISPATCH, 1);
  }
  return NULL;
}

/* The packet processor's side: in order, and every slot back. */
static bool consume(bare_ring *b, uint64_t id)
{
  aq_packet *slot = aq_ring_slot(&b->ring, id);
  while (aq_header_type(aq_packet_load_header(slot)) == AQ_PACKET_INVALID)
    sched_yield();
  bool good = slot->kernel.kernarg_address == id &&
              slot->kernel.kernel_object == ~id && slot->setup == 1;
  __atomic_store_n(&slot->header_setup, (uint32_t)AQ_PACKET_INVALID,
                   __ATOMIC_RELAXED);
  __atomic_store_n(&b->read_index, id + 1, __ATOMIC_RELEASE);
  return good;
}

START_TEST(packets_of_four_threads_arrive_whole_once_and_in_order_of_id)
{
  bare_ring *b = ring_make();
  pthread_t threads[PRODUCERS];
  bool good = true;
  for (int i = 0; i < PRODUCERS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, produce, b), 0);
  for (uint64_t id = 0; id < PRODUCERS * EACH; id++)
    good = consume(b, id) && good;
  for (int i = 0; i < PRODUCERS; i++)
    pthread_join(threads[i], NULL);
  ck_assert(good);
  ck_assert_uint_eq(aq_ring_write_index(&b->ring), PRODUCERS * EACH);
  ck_assert_uint_eq(aq_ring_space(&b->ring), SIZE);
  free(b);
}
END_TEST

AQ_TEST_MAIN("common/ring", a_ring_has_room_for_its_size_and_not_for_one_more,
             a_client_that_took_more_than_there_is_leaves_no_space,
             packets_of_four_threads_arrive_whole_once_and_in_order_of_id)
