/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

#include <string.h>

/* The body of a packet, and then its header, in a slot that is reserved. */
static void slot_write(aq_ring *queue, uint64_t id, const aq_packet *packet)
{
  aq_packet *slot = aq_ring_slot(queue, id);
  memcpy((char *)slot + 4, (const char *)packet + 4, 60);
  aq_packet_publish(slot, packet->header, packet->setup);
}

static void slots_are_64_bytes_apart(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0);
  aq_ring *queue = contract_queue(c);
  /* Past the end of the ring, written without the helpers of ring.h. */
  for (uint64_t id = 0; id < queue->size + 2ull; id++) {
    aq_packet packet = contract_dispatch(kernel, id, false, rig_none);
    __atomic_fetch_add(queue->write_index, 1, __ATOMIC_RELAXED);
    unsigned char *slot =
        (unsigned char *)queue->packets + 64 * (id % queue->size);
    memcpy(slot + 4, (unsigned char *)&packet + 4, 60);
    __atomic_store_n((uint32_t *)(void *)slot, packet.header_setup,
                     __ATOMIC_RELEASE);
    contract_ring(c, queue, id);
    contract_settle(c);
  }
  ck_assert_uint_eq(c->ran_count, queue->size + 2);
  for (uint32_t i = 0; i < c->ran_count; i++)
    ck_assert_uint_eq(c->ran[i], i);
}

static void invalid_stalls(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0);
  aq_ring *queue = contract_queue_sized(c, 64);
  uint64_t first;
  ck_assert(aq_ring_try_reserve(queue, 3, &first));
  for (uint64_t id = 1; id < 3; id++) {
    aq_packet packet = contract_dispatch(kernel, id, false, rig_none);
    slot_write(queue, id, &packet);
  }
  contract_ring(c, queue, 2);
  contract_settle(c);
  contract_check_ran(c, "");
  ck_assert_uint_eq(aq_ring_read_index(queue), 0);
  aq_packet packet = contract_dispatch(kernel, 0, false, rig_none);
  slot_write(queue, 0, &packet);
  contract_settle(c);
  contract_check_ran(c, "0 1 2");
}

static void body_counts_when_the_header_does(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_packet packet = contract_dispatch(kernel, 1, false, rig_none);
  uint64_t id;
  ck_assert(aq_ring_try_reserve(queue, 1, &id));
  aq_packet *slot = aq_ring_slot(queue, id);
  memcpy((char *)slot + 4, (char *)&packet + 4, 60);
  contract_ring(c, queue, id);
  contract_settle(c);
  contract_check_ran(c, "");
  slot->kernel.kernarg_address = 2;
  aq_packet_publish(slot, packet.header, packet.setup);
  contract_ring(c, queue, id);
  contract_settle(c);
  contract_check_ran(c, "2");
}

/* Some clients store the header in two steps: 0 first, the type OR-ed in. */
static void half_a_header_is_not_misread(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_packet packet = contract_dispatch(kernel, 7, false, rig_none);
  uint64_t id;
  ck_assert(aq_ring_try_reserve(queue, 1, &id));
  aq_packet *slot = aq_ring_slot(queue, id);
  memcpy((char *)slot + 4, (char *)&packet + 4, 60);
  __atomic_store_n(&slot->header_setup, 0, __ATOMIC_RELEASE);
  rig_sleep(&c->rig, c->ops->now(c->t)); /* it may look */
  __atomic_fetch_or(&slot->header_setup, packet.header_setup, __ATOMIC_ACQ_REL);
  contract_ring(c, queue, id);
  contract_settle(c);
  ck_assert_uint_eq(c->error_count, 0);
  contract_check_ran(c, "7");
}

static void multi_reserves_by_add_or_cas(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0);
  aq_ring *queue = contract_queue_sized(c, 64);
  uint64_t a = __atomic_fetch_add(queue->write_index, 1, __ATOMIC_ACQ_REL);
  uint64_t b = 1;
  ck_assert(__atomic_compare_exchange_n(queue->write_index, &b, 2, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  ck_assert_uint_eq(a, 0);
  /* The second producer is ready first. */
  for (int i = 1; i >= 0; i--) {
    aq_packet packet = contract_dispatch(kernel, (uint64_t)i, false, rig_none);
    slot_write(queue, (uint64_t)i, &packet);
    contract_ring(c, queue, (uint64_t)i);
  }
  contract_settle(c);
  contract_check_ran(c, "0 1");
}

static void single_reserves_by_store(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0), id;
  aq_queue_desc desc = {.size = c->size, .type = AQ_QUEUE_SINGLE};
  aq_ring *queue;
  ck_assert_status(c->ops->queue_create(c->t, &desc, &queue, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  for (uint64_t i = 0; i < 2; i++) {
    ck_assert(aq_ring_try_reserve_single(queue, 1, &id));
    ck_assert_uint_eq(id, i);
    aq_packet packet = contract_dispatch(kernel, i, false, rig_none);
    slot_write(queue, id, &packet);
    contract_ring(c, queue, id);
  }
  contract_settle(c);
  contract_check_ran(c, "0 1");
}

/* A barrier that holds the queue, so that the ring can fill. */
static aq_signal hold(contract *c, aq_ring *queue)
{
  aq_signal held = contract_signal(c, 1);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &held, 1, rig_none);
  contract_submit(c, queue, &barrier);
  return held;
}

static void full_is_write_at_read_plus_size(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0), id;
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal done = contract_signal(c, 63);
  aq_signal held = hold(c, queue);
  for (uint64_t i = 1; i < 64; i++) {
    ck_assert_uint_eq(aq_ring_space(queue), 64 - i);
    aq_packet packet = contract_dispatch(kernel, i, false, done);
    contract_submit(c, queue, &packet);
  }
  ck_assert_uint_eq(aq_ring_space(queue), 0);
  ck_assert(!aq_ring_try_reserve(queue, 1, &id));
  ck_assert_uint_eq(aq_ring_write_index(queue), 64);
  contract_store(c, held, 0);
  contract_wait_zero(c, done);
  contract_settle(c);
  ck_assert_uint_eq(aq_ring_read_index(queue), 64);
  ck_assert_uint_eq(aq_ring_space(queue), 64);
  ck_assert_uint_eq(c->ran_count, 63);
}

static void space_is_waited_for(contract *c)
{
  uint64_t kernel = contract_kernel(c, 10 * AQ_US);
  aq_ring *queue = contract_queue(c);
  aq_signal done = contract_signal(c, 5 * queue->size);
  for (uint64_t i = 0; i < 5ull * queue->size; i++) {
    aq_status status =
        c->ops->queue_wait_space(c->t, queue, 1, AQ_TIME_MAX, &c->rig.diag);
    ck_assert_status(status, AQ_OK, &c->rig.diag);
    ck_assert_uint_ge(aq_ring_space(queue), 1);
    aq_packet packet = contract_dispatch(kernel, i, i % 2, done);
    ck_assert_uint_eq(contract_submit(c, queue, &packet), i);
  }
  contract_wait_zero(c, done);
  ck_assert_uint_eq(c->ran_count, 5 * queue->size);
  for (uint32_t i = 0; i < c->ran_count; i++)
    ck_assert_uint_eq(c->ran[i], i);
}

static void space_that_cannot_come(contract *c)
{
  aq_ring *queue = contract_queue_sized(c, 64);
  hold(c, queue);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, NULL, 0, rig_none);
  for (uint64_t i = 1; i < 64; i++)
    contract_submit(c, queue, &barrier);
  aq_time deadline = c->ops->now(c->t) + 50 * AQ_US;
  ck_assert_status(
      c->ops->queue_wait_space(c->t, queue, 1, deadline, &c->rig.diag),
      AQ_ERR_TIMEOUT, &c->rig.diag);
  if (contract_can(c, AQ_CAP_VIRTUAL_TIME))
    ck_assert_status(
        c->ops->queue_wait_space(c->t, queue, 1, AQ_TIME_MAX, &c->rig.diag),
        AQ_ERR_DEADLOCK, &c->rig.diag);
}

static void read_index_means_consumed(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue(c);
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = contract_dispatch(kernel, 0, false, done);
  contract_submit(c, queue, &packet);
  contract_wait_zero(c, done);
  contract_settle(c);
  ck_assert_uint_eq(aq_ring_read_index(queue), aq_ring_write_index(queue));
  ck_assert_uint_eq(aq_header_type(queue->packets[0].header),
                    AQ_PACKET_INVALID);
}

static void doorbell_holds_the_id(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0);
  aq_ring *queue = contract_queue_sized(c, 64);
  for (uint64_t i = 0; i < 3; i++) {
    aq_packet packet = contract_dispatch(kernel, i, false, rig_none);
    uint64_t id = contract_submit(c, queue, &packet);
    ck_assert_uint_eq(id, i);
    ck_assert_uint_eq(__atomic_load_n(queue->doorbell, __ATOMIC_ACQUIRE), i);
  }
}

static void odd_rings_are_harmless(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  for (uint64_t i = 0; i < 4; i++) {
    aq_packet packet = contract_dispatch(kernel, i, false, rig_none);
    contract_put(queue, &packet);
  }
  static const uint64_t rings[] = {2, 0, 0, 3, 1, 3};
  for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
    contract_ring(c, queue, rings[i]);
  contract_settle(c);
  contract_ring(c, queue, 3);
  contract_ring(c, queue, 0);
  contract_settle(c);
  contract_check_ran(c, "0 1 2 3");
}

static void one_ring_a_batch(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US), last = 0;
  aq_ring *queue = contract_queue_sized(c, 64);
  for (uint64_t i = 0; i < 64; i++) {
    aq_packet packet = contract_dispatch(kernel, i, false, rig_none);
    last = contract_put(queue, &packet);
  }
  contract_ring(c, queue, last);
  contract_settle(c);
  ck_assert_uint_eq(c->ran_count, 64);
}

static void packets_may_be_consumed_before_the_ring(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_packet packet = contract_dispatch(kernel, 4, false, rig_none);
  uint64_t id = contract_put(queue, &packet);
  contract_settle(c); /* consumed already, or not */
  ck_assert_uint_le(c->ran_count, 1);
  contract_ring(c, queue, id);
  contract_settle(c);
  contract_check_ran(c, "4");
}

static void raw_stores_are_noticed(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal done = contract_signal(c, 3);
  for (uint64_t i = 0; i < 3; i++) {
    aq_packet packet = contract_dispatch(kernel, i, false, done);
    uint64_t id = __atomic_fetch_add(queue->write_index, 1, __ATOMIC_ACQ_REL);
    slot_write(queue, id, &packet);
    __atomic_store_n(queue->doorbell, id, __ATOMIC_RELEASE);
    if (i == 1)
      contract_settle(c);
  }
  contract_wait_zero(c, done);
  contract_check_ran(c, "0 1 2");
}

typedef struct publisher {
  contract *c;
  aq_ring *queue;
  aq_packet packet;
  uint64_t id;
} publisher;

static void publish_late(const aq_kernel_call *call)
{
  publisher *p = call->user;
  slot_write(p->queue, p->id, &p->packet);
}

static void kernels_publish_later_packets(contract *c)
{
  aq_ring *queue = contract_queue_sized(c, 64);
  uint64_t kernel = contract_kernel(c, AQ_US);
  publisher p = {c, queue, contract_dispatch(kernel, 9, false, rig_none), 1};
  aq_kernel_desc desc = {
      .name = "publisher", .function = publish_late, .user = &p};
  aq_packet first =
      contract_dispatch(rig_kernel_with(&c->rig, &desc), 0, false, rig_none);
  contract_put(queue, &first);
  uint64_t id;
  ck_assert(aq_ring_try_reserve(queue, 1, &id));
  ck_assert_uint_eq(id, p.id);
  contract_ring(c, queue, id);
  contract_settle(c);
  contract_check_ran(c, "9");
}

const contract_case contract_rings[] = {
    {"the packet of an id lies at base + 64 (id mod size)", "1",
     AQ_CAP_HOST_KERNELS, slots_are_64_bytes_apart},
    {"an INVALID slot stalls the queue though later slots are valid", "9",
     AQ_CAP_HOST_KERNELS, invalid_stalls},
    {"a body counts when its header is stored, not before", "10",
     AQ_CAP_HOST_KERNELS, body_counts_when_the_header_does},
    {"a header stored as 0 and OR-ed afterwards is not misread", "11",
     AQ_CAP_HOST_KERNELS | AQ_CAP_TIMING, half_a_header_is_not_misread},
    {"slots are reserved by add or by exchange, and run in order of id", "27",
     AQ_CAP_HOST_KERNELS, multi_reserves_by_add_or_cas},
    {"the producer of a SINGLE queue reserves by a plain store", "27",
     AQ_CAP_HOST_KERNELS, single_reserves_by_store},
    {"a ring is full when the id is the read index plus the size", "28",
     AQ_CAP_HOST_KERNELS, full_is_write_at_read_plus_size},
    {"waiting for space lets packets through and wraps the ring", "28",
     AQ_CAP_HOST_KERNELS, space_is_waited_for},
    {"space that cannot come is a timeout, or a deadlock if time is modelled",
     NULL, 0, space_that_cannot_come},
    {"read index equal to write index: all consumed, slots INVALID", "29, 36",
     AQ_CAP_HOST_KERNELS, read_index_means_consumed},
    {"the doorbell cell holds the packet's id", "30", AQ_CAP_HOST_KERNELS,
     doorbell_holds_the_id},
    {"duplicate and out-of-order rings are harmless", "31", AQ_CAP_HOST_KERNELS,
     odd_rings_are_harmless},
    {"one ring is enough for a batch", "32", AQ_CAP_HOST_KERNELS,
     one_ring_a_batch},
    {"a packet consumed before its ring runs once", "32", AQ_CAP_HOST_KERNELS,
     packets_may_be_consumed_before_the_ring},
    {"raw stores to write index and doorbell are noticed", "33",
     AQ_CAP_HOST_KERNELS, raw_stores_are_noticed},
    {"a packet published by an earlier kernel runs", "9", AQ_CAP_HOST_KERNELS,
     kernels_publish_later_packets},
    {NULL}};
