/* SPDX-License-Identifier: MIT */
/*
 * A client that submits without any call: it writes packets, amd_queue_t and
 * doorbell cell itself, as drivers do, and reads the results from memory.
 */
#include "dropin/hsa/client.h"

#include <pthread.h>
#include <time.h>

#include "common/ring.h"

enum { SIZE = 64, THREADS = 4, EACH = 300 };

typedef struct raw {
  client c;
  aq_amd_queue *queue;
  aq_packet *slots;
  uint64_t *doorbell; /* the cell */
  hsa_signal_t done;
} raw;

static void raw_open(raw *r, int64_t count)
{
  client_open(&r->c);
  hsa_queue_t *queue = client_queue(&r->c, SIZE);
  r->queue = (aq_amd_queue *)(void *)queue;
  r->slots = queue->base;
  const aq_amd_signal *doorbell =
      (const aq_amd_signal *)(uintptr_t)queue->doorbell.handle;
  ck_assert_int_eq(doorbell->kind, AQ_AMD_SIGNAL_DOORBELL);
  r->doorbell = (uint64_t *)(uintptr_t)doorbell->value;
  r->done = client_signal(count);
}

static void raw_close(raw *r)
{
  ck_assert_done(hsa_queue_destroy(&r->queue->hsa));
  ck_assert_done(hsa_signal_destroy(r->done));
  ck_assert_done(hsa_shut_down());
}

static uint64_t read_index(const raw *r)
{
  return __atomic_load_n(&r->queue->read_dispatch_id, __ATOMIC_ACQUIRE);
}

static void packet_write(const raw *r, uint64_t id)
{
  aq_packet *slot = &r->slots[id % SIZE];
  while (id - read_index(r) >= SIZE)
    sched_yield();
  for (int i = 1; i < 7; i++)
    slot->qword[i] = 0;
  slot->qword[7] = r->done.handle;
  __atomic_store_n(&slot->header_setup, AQ_PACKET_BARRIER_AND,
                   __ATOMIC_RELEASE);
}

static void doorbell_write(const raw *r, uint64_t id)
{
  __atomic_store_n(r->doorbell, id, __ATOMIC_RELEASE);
}

/* Spins on the signal's memory: no call that could let time pass. */
static void done_await(const raw *r)
{
  const aq_amd_signal *done = (const aq_amd_signal *)(uintptr_t)r->done.handle;
  const struct timespec nap = {0, 100000};
  for (int i = 0; i < 300000; i++) {
    if (__atomic_load_n(&done->value, __ATOMIC_ACQUIRE) == 0)
      return;
    nanosleep(&nap, NULL);
  }
  ck_abort_msg("nothing noticed the stores");
}

START_TEST(stores_to_write_index_and_doorbell_are_noticed)
{
  raw r;
  raw_open(&r, 3);
  for (uint64_t i = 0; i < 3; i++) {
    uint64_t id =
        __atomic_fetch_add(&r.queue->write_dispatch_id, 1, __ATOMIC_ACQ_REL);
    ck_assert_uint_eq(id, i);
    packet_write(&r, id);
    doorbell_write(&r, id);
  }
  done_await(&r);
  raw_close(&r);
}
END_TEST

START_TEST(the_queue_is_the_first_member_of_an_amd_queue)
{
  raw r;
  raw_open(&r, 1);
  const hsa_queue_t *queue = &r.queue->hsa;
  ck_assert_uint_eq(queue->size, SIZE);
  ck_assert_uint_eq(r.queue->read_dispatch_id_offset,
                    offsetof(aq_amd_queue, read_dispatch_id));
  ck_assert_uint_ne(r.queue->inactive_signal.handle, 0);
  /* The functions see stored values, and the other way round. */
  __atomic_store_n(&r.queue->write_dispatch_id, 7, __ATOMIC_RELEASE);
  ck_assert_uint_eq(hsa_queue_load_write_index_scacquire(queue), 7);
  hsa_queue_store_write_index_screlease(queue, 0);
  ck_assert_uint_eq(r.queue->write_dispatch_id, 0);
  ck_assert_uint_eq(hsa_queue_load_read_index_scacquire(queue), 0);
  raw_close(&r);
}
END_TEST

typedef struct producer {
  const raw *r;
  pthread_t thread;
} producer;

static void *produce(void *argument)
{
  const raw *r = ((const producer *)argument)->r;
  for (int i = 0; i < EACH; i++) {
    uint64_t id = i % 2
                      ? hsa_queue_add_write_index_scacq_screl(&r->queue->hsa, 1)
                      : __atomic_fetch_add(&r->queue->write_dispatch_id, 1,
                                           __ATOMIC_ACQ_REL);
    packet_write(r, id);
    doorbell_write(r, id);
  }
  return NULL;
}

START_TEST(calls_and_raw_atomics_reserve_each_id_once)
{
  raw r;
  producer producers[THREADS];
  raw_open(&r, THREADS * EACH);
  for (int i = 0; i < THREADS; i++) {
    producers[i].r = &r;
    ck_assert_int_eq(
        pthread_create(&producers[i].thread, NULL, produce, &producers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(producers[i].thread, NULL);
  done_await(&r);
  ck_assert_uint_eq(r.queue->write_dispatch_id, THREADS * EACH);
  raw_close(&r);
}
END_TEST

START_TEST(slots_become_invalid_and_the_read_index_follows_in_order)
{
  raw r;
  raw_open(&r, 2 * SIZE);
  for (uint64_t id = 0; id < 2 * SIZE; id++) {
    ck_assert_uint_le(read_index(&r), id);
    __atomic_fetch_add(&r.queue->write_dispatch_id, 1, __ATOMIC_ACQ_REL);
    packet_write(&r, id);
    doorbell_write(&r, id);
  }
  done_await(&r);
  while (read_index(&r) < 2 * SIZE)
    sched_yield();
  for (int i = 0; i < SIZE; i++)
    ck_assert_uint_eq(aq_header_type(aq_packet_load_header(&r.slots[i])),
                      AQ_PACKET_INVALID);
  raw_close(&r);
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/raw", stores_to_write_index_and_doorbell_are_noticed,
             the_queue_is_the_first_member_of_an_amd_queue,
             calls_and_raw_atomics_reserve_each_id_once,
             slots_become_invalid_and_the_read_index_follows_in_order)
