/* SPDX-License-Identifier: MIT */
/* Happens-before of packets, copies and the host. */
#include <string.h>

#include "gpu/check/core/order.h"
#include "support/aqtest.h"

static aq_amd_queue queues[2];
static aq_check_order *order;

static aq_packet packet_of(unsigned type, bool barrier, unsigned acquire,
                           unsigned release)
{
  aq_packet packet;
  memset(&packet, 0, sizeof packet);
  packet.header = (uint16_t)(type << AQ_HEADER_TYPE_SHIFT |
                             (unsigned)barrier << AQ_HEADER_BARRIER_SHIFT |
                             acquire << AQ_HEADER_ACQUIRE_SHIFT |
                             release << AQ_HEADER_RELEASE_SHIFT);
  return packet;
}

static aq_packet kernel(bool barrier)
{
  return packet_of(AQ_PACKET_KERNEL_DISPATCH, barrier, AQ_SCOPE_SYSTEM,
                   AQ_SCOPE_SYSTEM);
}

static aq_order_packet at(int queue, uint64_t id, const aq_packet *packet)
{
  return (aq_order_packet){.queue = &queues[queue],
                           .queue_id = (uint32_t)queue,
                           .id = id,
                           .packet = packet,
                           .blocks = aq_header_type(packet->header) !=
                                     AQ_PACKET_KERNEL_DISPATCH};
}

static aq_check_act *launch(int queue, uint64_t id, const aq_packet *packet)
{
  const aq_order_packet p = at(queue, id, packet);
  return aq_check_order_launch(order, &p);
}

static void complete(int queue, uint64_t id, const aq_packet *packet)
{
  const aq_order_packet p = at(queue, id, packet);
  aq_check_order_complete(order, &p);
}

static void begin(void)
{
  order = aq_check_order_create();
  ck_assert_ptr_nonnull(order);
}

START_TEST(packets_of_one_queue_are_ordered_by_the_barrier_bit_alone)
{
  begin();
  const aq_packet with = kernel(true), without = kernel(false);
  const aq_check_act *a = launch(0, 0, &with);
  complete(0, 0, &with);
  const aq_check_act *b = launch(0, 1, &without);
  ck_assert(!aq_check_is_ordered(a, b));
  complete(0, 1, &without);
  const aq_check_act *c = launch(0, 2, &with);
  ck_assert(aq_check_is_ordered(a, c) && aq_check_is_ordered(b, c));
  ck_assert(!aq_check_is_ordered(c, a));
  aq_check_order_destroy(order);
}
END_TEST

START_TEST(queues_are_ordered_by_a_barrier_packet_that_waits_for_the_other)
{
  begin();
  aq_packet first = kernel(true), second = kernel(true);
  aq_packet waits =
      packet_of(AQ_PACKET_BARRIER_AND, true, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  first.kernel.completion_signal.handle = 64;
  waits.barrier.dependency[1].handle = 64;
  const aq_check_act *a = launch(0, 0, &first);
  complete(0, 0, &first);
  const aq_check_act *b = launch(1, 0, &second);
  ck_assert(!aq_check_is_ordered(a, b));
  complete(1, 0, &second);
  launch(1, 1, &waits);
  const aq_order_packet seen = at(1, 1, &waits);
  aq_check_order_seen(order, &seen);
  complete(1, 1, &waits);
  const aq_packet without = kernel(false);
  const aq_check_act *c = launch(1, 2, &without);
  ck_assert(aq_check_is_ordered(a, c) && aq_check_is_visible(a, c));
  aq_check_order_destroy(order);
}
END_TEST

START_TEST(the_host_orders_packets_that_it_publishes_after_its_wait)
{
  begin();
  aq_packet first = kernel(true), second = kernel(true);
  first.kernel.completion_signal.handle = 64;
  aq_check_order_signal_set(order, 64);
  const aq_check_act *a = launch(0, 0, &first);
  aq_check_order_publish(order, &queues[1], 0);
  complete(0, 0, &first);
  aq_check_order_signal_seen(order, 64);
  aq_check_order_publish(order, &queues[1], 1);
  /* Published before the wait, though launched after it. */
  const aq_check_act *b = launch(1, 0, &second);
  ck_assert(!aq_check_is_ordered(a, b));
  complete(1, 0, &second);
  const aq_check_act *c = launch(1, 1, &second);
  ck_assert(aq_check_is_ordered(a, c));
  aq_check_order_destroy(order);
}
END_TEST

START_TEST(ordered_packets_without_fences_do_not_see_each_others_writes)
{
  static const struct {
    unsigned release, acquire;
    bool visible;
  } cases[] = {{AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM, false},
               {AQ_SCOPE_AGENT, AQ_SCOPE_NONE, false},
               {AQ_SCOPE_AGENT, AQ_SCOPE_AGENT, true},
               {AQ_SCOPE_SYSTEM, AQ_SCOPE_AGENT, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    begin();
    const aq_packet writes = packet_of(AQ_PACKET_KERNEL_DISPATCH, true,
                                       AQ_SCOPE_SYSTEM, cases[i].release),
                    reads = packet_of(AQ_PACKET_KERNEL_DISPATCH, true,
                                      cases[i].acquire, AQ_SCOPE_SYSTEM);
    const aq_check_act *a = launch(0, 0, &writes);
    complete(0, 0, &writes);
    const aq_check_act *b = launch(0, 1, &reads);
    ck_assert(aq_check_is_ordered(a, b));
    ck_assert_int_eq(aq_check_is_visible(a, b), cases[i].visible);
    aq_check_order_destroy(order);
  }
}
END_TEST

START_TEST(a_copy_is_ordered_by_its_dependencies_and_needs_the_systems_scope)
{
  for (unsigned scope = AQ_SCOPE_AGENT; scope <= AQ_SCOPE_SYSTEM; scope++) {
    begin();
    aq_packet writes =
        packet_of(AQ_PACKET_KERNEL_DISPATCH, true, AQ_SCOPE_SYSTEM, scope);
    const aq_signal done = {64};
    writes.kernel.completion_signal = done;
    const aq_copy_desc free_copy = {.size = 4},
                       behind = {.size = 4,
                                 .dependencies = &done,
                                 .dependency_count = 1};
    const aq_check_act *a = launch(0, 0, &writes);
    complete(0, 0, &writes);
    aq_check_order_copy_submit(order, 0, &free_copy);
    aq_check_order_copy_submit(order, 1, &behind);
    aq_check_order_copy_ready(order, 0);
    aq_check_order_copy_ready(order, 1);
    ck_assert(!aq_check_is_ordered(a, aq_check_order_copy(order, 0)));
    const aq_check_act *copy = aq_check_order_copy(order, 1);
    ck_assert(aq_check_is_ordered(a, copy));
    ck_assert_int_eq(aq_check_is_visible(a, copy), scope == AQ_SCOPE_SYSTEM);
    aq_check_order_destroy(order);
  }
}
END_TEST

START_TEST(a_signal_that_the_host_sets_again_forgets_its_completions)
{
  begin();
  aq_packet first = kernel(true), second = kernel(true);
  first.kernel.completion_signal.handle = 64;
  const aq_check_act *a = launch(0, 0, &first);
  complete(0, 0, &first);
  aq_check_order_signal_set(order, 64);
  aq_check_order_signal_seen(order, 64);
  aq_check_order_publish(order, &queues[1], 0);
  ck_assert(!aq_check_is_ordered(a, launch(1, 0, &second)));
  aq_check_order_destroy(order);
}
END_TEST

AQ_TEST_MAIN("gpu/check/order",
             packets_of_one_queue_are_ordered_by_the_barrier_bit_alone,
             queues_are_ordered_by_a_barrier_packet_that_waits_for_the_other,
             the_host_orders_packets_that_it_publishes_after_its_wait,
             ordered_packets_without_fences_do_not_see_each_others_writes,
             a_copy_is_ordered_by_its_dependencies_and_needs_the_systems_scope,
             a_signal_that_the_host_sets_again_forgets_its_completions)
