/* SPDX-License-Identifier: MIT */
/* Happens-before of packets, copies and the host. */
#include <string.h>

#include "gpu/check/core/happens_before.h"
#include "support/aqtest.h"

static aq_amd_queue queues[3];
static aq_hb *order;

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

static aq_hb_event *launch(int queue, uint64_t id, const aq_packet *packet)
{
  const aq_order_packet p = at(queue, id, packet);
  return aq_hb_launch(order, &p);
}

static void complete(int queue, uint64_t id, const aq_packet *packet)
{
  const aq_order_packet p = at(queue, id, packet);
  aq_hb_complete(order, &p);
}

static void begin(void)
{
  order = aq_hb_create(false);
  ck_assert_ptr_nonnull(order);
}

START_TEST(packets_of_one_queue_are_ordered_by_the_barrier_bit_alone)
{
  begin();
  const aq_packet with = kernel(true), without = kernel(false);
  const aq_hb_event *a = launch(0, 0, &with);
  complete(0, 0, &with);
  const aq_hb_event *b = launch(0, 1, &without);
  ck_assert(!aq_check_is_ordered(a, b));
  complete(0, 1, &without);
  const aq_hb_event *c = launch(0, 2, &with);
  ck_assert(aq_check_is_ordered(a, c) && aq_check_is_ordered(b, c));
  ck_assert(!aq_check_is_ordered(c, a));
  aq_hb_destroy(order);
}
END_TEST

START_TEST(a_packet_is_complete_once_it_began_and_is_not_under_way)
{
  begin();
  const aq_packet without = kernel(false);
  ck_assert(!aq_hb_is_complete(order, &queues[0], 0));
  launch(0, 0, &without);
  launch(0, 1, &without);
  complete(0, 1, &without);
  ck_assert(!aq_hb_is_complete(order, &queues[0], 0));
  ck_assert(aq_hb_is_complete(order, &queues[0], 1));
  ck_assert(!aq_hb_is_complete(order, &queues[0], 2));
  complete(0, 0, &without);
  ck_assert(aq_hb_is_complete(order, &queues[0], 0));
  aq_hb_queue_gone(order, &queues[0]);
  ck_assert(!aq_hb_is_complete(order, &queues[0], 0));
  aq_hb_destroy(order);
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
  const aq_hb_event *a = launch(0, 0, &first);
  complete(0, 0, &first);
  const aq_hb_event *b = launch(1, 0, &second);
  ck_assert(!aq_check_is_ordered(a, b));
  complete(1, 0, &second);
  launch(1, 1, &waits);
  const aq_order_packet seen = at(1, 1, &waits);
  aq_hb_seen(order, &seen);
  complete(1, 1, &waits);
  const aq_packet without = kernel(false);
  const aq_hb_event *c = launch(1, 2, &without);
  ck_assert(aq_check_is_ordered(a, c) && aq_check_is_visible(a, c));
  aq_hb_destroy(order);
}
END_TEST

START_TEST(the_host_orders_packets_that_it_publishes_after_its_wait)
{
  begin();
  aq_packet first = kernel(true), second = kernel(true);
  first.kernel.completion_signal.handle = 64;
  aq_hb_signal_set(order, 64);
  const aq_hb_event *a = launch(0, 0, &first);
  aq_hb_publish(order, &queues[1], 0);
  complete(0, 0, &first);
  aq_hb_signal_seen(order, 64);
  aq_hb_publish(order, &queues[1], 1);
  /* Published before the wait, though launched after it. */
  const aq_hb_event *b = launch(1, 0, &second);
  ck_assert(!aq_check_is_ordered(a, b));
  complete(1, 0, &second);
  const aq_hb_event *c = launch(1, 1, &second);
  ck_assert(aq_check_is_ordered(a, c));
  aq_hb_destroy(order);
}
END_TEST

/* Where no caller reports the host's calls, it may have waited for each packet
 * that completed, and for no other. */
START_TEST(an_unseen_host_knows_of_the_packets_that_completed)
{
  begin();
  aq_hb_destroy(order);
  order = aq_hb_create(true);
  aq_packet first = kernel(true), second = kernel(true);
  const aq_hb_event *a = launch(0, 0, &first);
  const aq_hb_event *b = launch(1, 0, &second);
  ck_assert(!aq_check_is_ordered(a, b));
  complete(0, 0, &first);
  const aq_hb_event *c = launch(2, 0, &second);
  ck_assert(aq_check_is_ordered(a, c));
  ck_assert(!aq_check_is_ordered(b, c));
  /* And of copies, whose bytes it hands on: a scope of the device is enough. */
  const aq_packet reads = packet_of(AQ_PACKET_KERNEL_DISPATCH, true,
                                    AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  const aq_copy_desc copy = {.size = 1};
  const aq_hb_event *d = aq_hb_copy_submit(order, 0, &copy);
  aq_hb_copy_ready(order, 0);
  aq_hb_copy_complete(order, 0);
  aq_hb_publish(order, &queues[2], 1);
  const aq_hb_event *e = launch(2, 1, &reads);
  ck_assert(aq_check_is_ordered(d, e) && aq_check_is_visible(d, e));
  aq_hb_destroy(order);
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
    const aq_hb_event *a = launch(0, 0, &writes);
    complete(0, 0, &writes);
    const aq_hb_event *b = launch(0, 1, &reads);
    ck_assert(aq_check_is_ordered(a, b));
    ck_assert_int_eq(aq_check_is_visible(a, b), cases[i].visible);
    aq_hb_destroy(order);
  }
}
END_TEST

START_TEST(a_packet_of_commands_acquires_when_it_launches)
{
  begin();
  const aq_packet writes = packet_of(AQ_PACKET_KERNEL_DISPATCH, true,
                                     AQ_SCOPE_SYSTEM, AQ_SCOPE_AGENT),
                  commands = packet_of(AQ_PACKET_VENDOR, true, AQ_SCOPE_AGENT,
                                       AQ_SCOPE_AGENT);
  const aq_hb_event *a = launch(0, 0, &writes);
  complete(0, 0, &writes);
  const aq_hb_event *b = launch(0, 1, &commands);
  ck_assert(aq_check_is_ordered(a, b) && aq_check_is_visible(a, b));
  aq_hb_destroy(order);
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
    const aq_hb_event *a = launch(0, 0, &writes);
    complete(0, 0, &writes);
    aq_hb_copy_submit(order, 0, &free_copy);
    aq_hb_copy_submit(order, 1, &behind);
    aq_hb_copy_ready(order, 0);
    aq_hb_copy_ready(order, 1);
    ck_assert(!aq_check_is_ordered(a, aq_hb_copy(order, 0)));
    const aq_hb_event *copy = aq_hb_copy(order, 1);
    ck_assert(aq_check_is_ordered(a, copy));
    ck_assert_int_eq(aq_check_is_visible(a, copy), scope == AQ_SCOPE_SYSTEM);
    aq_hb_destroy(order);
  }
}
END_TEST

START_TEST(a_signal_that_the_host_sets_again_forgets_its_completions)
{
  begin();
  aq_packet first = kernel(true), second = kernel(true);
  first.kernel.completion_signal.handle = 64;
  const aq_hb_event *a = launch(0, 0, &first);
  complete(0, 0, &first);
  aq_hb_signal_set(order, 64);
  aq_hb_signal_seen(order, 64);
  aq_hb_publish(order, &queues[1], 0);
  ck_assert(!aq_check_is_ordered(a, launch(1, 0, &second)));
  aq_hb_destroy(order);
}
END_TEST

/* The writer of a value is not known: everything so far, unless it is a
 * signal's. */
START_TEST(a_wait_for_memory_is_behind_all_and_one_for_a_signal_behind_that)
{
  for (int is_signal = 0; is_signal < 2; is_signal++) {
    begin();
    aq_packet first = kernel(true), second = kernel(true);
    const aq_packet waits =
        packet_of(AQ_PACKET_VENDOR, true, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE);
    second.kernel.completion_signal.handle = 64;
    const aq_hb_event *a = launch(0, 0, &first);
    complete(0, 0, &first);
    const aq_hb_event *open = launch(0, 1, &first);
    const aq_hb_event *b = launch(1, 0, &second);
    complete(1, 0, &second);
    static aq_amd_queue third;
    aq_order_packet seen = at(0, 0, &waits);
    seen.queue = &third;
    const aq_hb_event *c = aq_hb_launch(order, &seen);
    ck_assert(!aq_check_is_ordered(a, c) && !aq_check_is_ordered(b, c));
    aq_hb_memory_seen(order, &seen, is_signal ? 64 + 8 : 4096);
    ck_assert(aq_check_is_ordered(b, c) && aq_check_is_visible(b, c));
    ck_assert_int_eq(aq_check_is_ordered(a, c), !is_signal);
    ck_assert_int_eq(aq_check_is_visible(a, c), !is_signal);
    ck_assert_int_eq(aq_check_is_ordered(open, c), !is_signal);
    aq_hb_destroy(order);
  }
}
END_TEST

static bool knows_nothing(const aq_hb_event *act)
{
  for (int i = 0; i < AQ_CHECK_LEVELS; i++)
    if (act->knows.of[i].at)
      return false;
  return true;
}

/* Only the dispatches of a program cost memory for each chain. */
START_TEST(copies_and_the_host_keep_no_knowledge_once_they_are_done)
{
  begin();
  const aq_packet packet = kernel(true);
  const aq_copy_desc desc = {.size = 4};
  aq_hb_event *host = aq_hb_host(order);
  const aq_hb_event *copy = aq_hb_copy_submit(order, 1, &desc);
  ck_assert(!knows_nothing(host) && !knows_nothing(copy));
  aq_hb_copy_ready(order, 1);
  aq_hb_copy_complete(order, 1);
  aq_hb_host_done(host);
  ck_assert(knows_nothing(host) && knows_nothing(copy));
  const aq_hb_event *dispatch = launch(0, 0, &packet);
  complete(0, 0, &packet);
  ck_assert_ptr_nonnull(dispatch->knows.of[AQ_CHECK_ORDERED].at);
  ck_assert_ptr_null(dispatch->knows.of[AQ_CHECK_VISIBLE_SYSTEM].at);
  aq_hb_destroy(order);
}
END_TEST

START_TEST(a_packet_knows_what_the_host_knew_however_far_it_was_ahead)
{
  enum { AHEAD = 3000 };
  begin();
  aq_packet first = kernel(true), later = kernel(false);
  first.kernel.completion_signal.handle = 64;
  const aq_hb_event *a = launch(0, 0, &first);
  for (uint64_t i = 0; i < AHEAD; i++)
    aq_hb_publish(order, &queues[1], i);
  complete(0, 0, &first);
  aq_hb_signal_seen(order, 64);
  for (uint64_t i = AHEAD; i < 2 * AHEAD; i++)
    aq_hb_publish(order, &queues[1], i);
  for (uint64_t i = 0; i < 2 * AHEAD; i++) {
    const aq_hb_event *b = launch(1, i, &later);
    ck_assert_int_eq(aq_check_is_ordered(a, b), i >= AHEAD);
    complete(1, i, &later);
  }
  aq_hb_queue_gone(order, &queues[1]);
  aq_hb_publish(order, &queues[1], 0);
  ck_assert(aq_check_is_ordered(a, launch(1, 0, &later)));
  aq_hb_destroy(order);
}
END_TEST

AQ_TEST_MAIN("gpu/check/order",
             copies_and_the_host_keep_no_knowledge_once_they_are_done,
             packets_of_one_queue_are_ordered_by_the_barrier_bit_alone,
             a_packet_is_complete_once_it_began_and_is_not_under_way,
             queues_are_ordered_by_a_barrier_packet_that_waits_for_the_other,
             the_host_orders_packets_that_it_publishes_after_its_wait,
             an_unseen_host_knows_of_the_packets_that_completed,
             ordered_packets_without_fences_do_not_see_each_others_writes,
             a_packet_of_commands_acquires_when_it_launches,
             a_copy_is_ordered_by_its_dependencies_and_needs_the_systems_scope,
             a_wait_for_memory_is_behind_all_and_one_for_a_signal_behind_that,
             a_signal_that_the_host_sets_again_forgets_its_completions,
             a_packet_knows_what_the_host_knew_however_far_it_was_ahead)
