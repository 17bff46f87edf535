/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

#include <stdlib.h>

static aq_packet dispatch(contract *c, aq_time duration, uint64_t tag,
                          bool barrier)
{
  return contract_dispatch(contract_kernel(c, duration), tag, barrier,
                           rig_none);
}

static void without_the_bit_completions_cross(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_packet slow = dispatch(c, 100 * AQ_US, 0, false);
  aq_packet fast = dispatch(c, AQ_US, 1, false);
  contract_put(queue, &slow);
  contract_ring(c, queue, contract_put(queue, &fast));
  contract_settle(c);
  contract_check_ran(c, "1 0");
  const aq_record *a = rig_record(&c->rig, queue, 0);
  const aq_record *b = rig_record(&c->rig, queue, 1);
  ck_assert_int_ge(b->launch, a->launch);
  ck_assert_int_lt(b->complete, a->complete);
}

static void the_bit_waits_for_all(contract *c)
{
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_packet packets[] = {
      dispatch(c, 90 * AQ_US, 0, false), dispatch(c, 20 * AQ_US, 1, false),
      dispatch(c, 50 * AQ_US, 2, false), dispatch(c, AQ_US, 3, true)};
  for (int i = 0; i < 4; i++)
    contract_put(queue, &packets[i]);
  contract_ring(c, queue, 3);
  contract_settle(c);
  contract_check_ran(c, "1 2 0 3");
  const aq_record *last = rig_record(&c->rig, queue, 3);
  for (uint64_t i = 0; i < 3; i++)
    ck_assert_int_ge(last->launch, rig_record(&c->rig, queue, i)->complete);
}

static void the_bit_counts_for_barrier_packets(contract *c)
{
  for (int bit = 0; bit < 2; bit++) {
    aq_ring *queue = contract_queue_sized(c, 64);
    aq_packet slow = dispatch(c, 90 * AQ_US, 0, false);
    aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, NULL, 0, rig_none);
    barrier.header = aq_packet_header(AQ_PACKET_BARRIER_AND, bit, AQ_SCOPE_NONE,
                                      AQ_SCOPE_NONE);
    contract_put(queue, &slow);
    contract_ring(c, queue, contract_put(queue, &barrier));
    contract_settle(c);
    aq_time slow_ends = rig_record(&c->rig, queue, 0)->complete;
    aq_time launch = rig_record(&c->rig, queue, 1)->launch;
    ck_assert_int_eq(launch >= slow_ends, bit);
  }
}

static void the_bit_blocks_nothing_later(contract *c)
{
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_packet slow = dispatch(c, 200 * AQ_US, 0, true);
  aq_packet next = dispatch(c, AQ_US, 1, false);
  contract_put(queue, &slow);
  contract_ring(c, queue, contract_put(queue, &next));
  contract_settle(c);
  contract_check_ran(c, "1 0");
  ck_assert_int_lt(rig_record(&c->rig, queue, 1)->complete,
                   rig_record(&c->rig, queue, 0)->end);
}

static void queues_are_not_ordered(contract *c)
{
  aq_ring *one = contract_queue(c), *two = contract_queue(c);
  aq_packet slow = dispatch(c, 300 * AQ_US, 0, true);
  aq_packet fast = dispatch(c, AQ_US, 1, true);
  contract_submit(c, one, &slow);
  contract_submit(c, two, &fast);
  contract_settle(c);
  contract_check_ran(c, "1 0");
}

static void states_come_in_order(contract *c)
{
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal held = contract_signal(c, 1);
  for (uint64_t i = 0; i < 10; i++) {
    aq_packet kernel = dispatch(c, 7 * AQ_US, i, i % 3 == 1);
    aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &held, 1, rig_none);
    contract_put(queue, i == 5 ? &barrier : &kernel);
  }
  contract_ring(c, queue, 9);
  rig_sleep(&c->rig, c->ops->now(c->t) + 100 * AQ_US);
  contract_store(c, held, 0);
  contract_settle(c);
  aq_time launch = 0;
  for (uint64_t i = 0; i < 10; i++) {
    const aq_record *row = rig_record(&c->rig, queue, i);
    ck_assert_int_le(row->submit, row->fetch);
    ck_assert_int_le(row->fetch, row->launch);
    ck_assert_int_le(row->launch, row->end);
    ck_assert_int_le(row->start, row->end);
    ck_assert_int_lt(row->end, row->complete);
    ck_assert_int_ge(row->launch, launch);
    launch = row->launch;
  }
}

/* The end of a packet with fences of each scope, from its launch. */
static aq_record fenced(contract *c, aq_fence_scope acquire,
                        aq_fence_scope release)
{
  aq_ring *queue = contract_queue(c);
  aq_packet packet = dispatch(c, 10 * AQ_US, 0, false);
  packet.header =
      aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 0, acquire, release);
  contract_submit(c, queue, &packet);
  contract_settle(c);
  return *rig_record(&c->rig, queue, 0);
}

static void fences_lie_where_they_belong(contract *c)
{
  aq_record none = fenced(c, AQ_SCOPE_NONE, AQ_SCOPE_NONE);
  aq_record acquire = fenced(c, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE);
  aq_record release = fenced(c, AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM);
  /* Acquire: between launch and the first wave. */
  ck_assert_int_gt(acquire.start - acquire.launch, none.start - none.launch);
  ck_assert_int_eq(acquire.complete - acquire.end, none.complete - none.end);
  /* Release: between the end and the decrement. */
  ck_assert_int_eq(release.start - release.launch, none.start - none.launch);
  ck_assert_int_gt(release.complete - release.end, none.complete - none.end);
}

typedef struct look {
  contract *c;
  aq_signal done;
  int64_t value;
} look;

static void look_at_completion(const aq_kernel_call *call)
{
  look *l = call->user;
  l->value = contract_value(l->c, l->done);
}

static void decrement_comes_after_the_kernel(contract *c)
{
  look l = {c, contract_signal_with(c, 1, AQ_SIGNAL_PROFILE), -1};
  aq_kernel_desc desc = {.name = "look",
                         .function = look_at_completion,
                         .user = &l,
                         .cost = {.kind = AQ_COST_FIXED, .base = AQ_US}};
  aq_packet packet =
      contract_dispatch(rig_kernel_with(&c->rig, &desc), 0, false, l.done);
  contract_submit(c, contract_queue(c), &packet);
  contract_wait_zero(c, l.done);
  ck_assert_int_eq(l.value, 1);
}

static void timestamps_precede_the_decrement(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal done =
      contract_signal_with(c, 1, AQ_SIGNAL_PROFILE | AQ_SIGNAL_DRAIN);
  aq_packet packet = dispatch(c, 10 * AQ_US, 0, false);
  packet.kernel.completion_signal = done;
  contract_submit(c, queue, &packet);
  ck_assert_status(c->ops->sleep_until(c->t, AQ_S, true, &c->rig.diag), AQ_OK,
                   &c->rig.diag);
  /* At the very instant of the decrement both stamps are there. */
  const aq_record *row = rig_record(&c->rig, queue, 0);
  ck_assert_int_eq(c->ops->now(c->t), row->complete);
  aq_time start, end, step = c->device->timestamp_step;
  ck_assert_int_eq(c->ops->dispatch_times(c->t, done, &start, &end), AQ_OK);
  ck_assert_int_le(llabs(row->end - end), step);
  ck_assert_int_le(llabs(row->start - start), step);
  ck_assert_int_lt(row->end, row->complete);
}

static void interrupt_comes_after_the_decrement(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = dispatch(c, 10 * AQ_US, 0, false);
  packet.kernel.completion_signal = done;
  contract_submit(c, queue, &packet);
  contract_wait_zero(c, done);
  const aq_record *row = rig_record(&c->rig, queue, 0);
  ck_assert_int_gt(row->observe, row->complete);
  ck_assert_int_eq(c->ops->now(c->t), row->observe);
}

static void a_packet_is_recorded_once(contract *c)
{
  aq_ring *queue = contract_queue(c);
  for (uint64_t i = 0; i < 3ull * queue->size; i++) {
    aq_packet packet = dispatch(c, AQ_US, i, i % 2);
    ck_assert_status(
        c->ops->queue_wait_space(c->t, queue, 1, AQ_TIME_MAX, &c->rig.diag),
        AQ_OK, &c->rig.diag);
    contract_submit(c, queue, &packet);
  }
  contract_settle(c);
  ck_assert_uint_eq(c->rig.sink.count, 3 * queue->size);
  for (uint64_t i = 0; i < 3ull * queue->size; i++)
    ck_assert_int_ne(rig_record(&c->rig, queue, i)->complete, AQ_NONE);
}

enum { RECORDED = AQ_CAP_HOST_KERNELS | AQ_CAP_RECORDS | AQ_CAP_TIMING };

const contract_case contract_order[] = {
    {"without the barrier bit a packet launches after the one before it "
     "launched, and may complete first",
     "38", RECORDED, without_the_bit_completions_cross},
    {"with the barrier bit a packet launches after all before it are complete",
     "39", RECORDED, the_bit_waits_for_all},
    {"the barrier bit counts for barrier packets too", "40", RECORDED,
     the_bit_counts_for_barrier_packets},
    {"a kernel's barrier bit holds back nothing behind it", "41", RECORDED,
     the_bit_blocks_nothing_later},
    {"queues are not ordered among one another", "42", RECORDED,
     queues_are_not_ordered},
    {"in queue, launch, active, complete come in this order", "37", RECORDED,
     states_come_in_order},
    {"acquire lies at the end of launch, release before the decrement", "43",
     RECORDED, fences_lie_where_they_belong},
    {"the decrement comes after the kernel", "46", AQ_CAP_HOST_KERNELS,
     decrement_comes_after_the_kernel},
    {"timestamps are there when the signal is decremented", "46", RECORDED,
     timestamps_precede_the_decrement},
    {"a blocked host is interrupted after the decrement", "46",
     RECORDED | AQ_CAP_VIRTUAL_TIME, interrupt_comes_after_the_decrement},
    {"each packet is recorded once, whatever the ring wraps", NULL, RECORDED,
     a_packet_is_recorded_once},
    {NULL}};
