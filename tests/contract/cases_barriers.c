/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

static void all_null_and_completes(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal done = contract_signal(c, 1);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, NULL, 0, done);
  contract_submit(c, queue, &barrier);
  contract_wait_zero(c, done);
}

static void null_and_dependency_is_satisfied(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal held = contract_signal(c, 1), done = contract_signal(c, 1);
  aq_signal dependencies[] = {rig_none, rig_none, held, rig_none, rig_none};
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, dependencies, 5, done);
  contract_submit(c, queue, &barrier);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 1);
  contract_store(c, held, 0);
  contract_wait_zero(c, done);
}

static void and_needs_all_five(contract *c)
{
  aq_ring *queue = contract_queue_sized(c, 64);
  for (int last = 0; last < 5; last++) {
    aq_signal dependencies[5], done = contract_signal(c, 1);
    for (int i = 0; i < 5; i++)
      dependencies[i] = contract_signal(c, 1);
    aq_packet barrier =
        rig_barrier(AQ_PACKET_BARRIER_AND, dependencies, 5, done);
    contract_submit(c, queue, &barrier);
    for (int i = 0; i < 5; i++) {
      contract_settle(c);
      ck_assert_int_eq(contract_value(c, done), 1);
      contract_store(c, dependencies[(last + i) % 5], 0);
    }
    contract_wait_zero(c, done);
  }
}

/* The dependencies are 0 one after the other, never at the same time. */
static void and_remembers_what_it_saw(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal dependencies[] = {contract_signal(c, 1), contract_signal(c, 1)};
  aq_signal done = contract_signal(c, 1);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, dependencies, 2, done);
  contract_submit(c, queue, &barrier);
  contract_settle(c);
  contract_store(c, dependencies[0], 0);
  contract_settle(c);
  contract_store(c, dependencies[0], 1);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 1);
  contract_store(c, dependencies[1], 0);
  contract_wait_zero(c, done);
}

static void or_needs_any(contract *c)
{
  aq_ring *queue = contract_queue_sized(c, 64);
  for (int one = 0; one < 5; one++) {
    aq_signal dependencies[5], done = contract_signal(c, 1);
    for (int i = 0; i < 5; i++)
      dependencies[i] = contract_signal(c, 1);
    aq_packet barrier =
        rig_barrier(AQ_PACKET_BARRIER_OR, dependencies, 5, done);
    contract_submit(c, queue, &barrier);
    contract_settle(c);
    ck_assert_int_eq(contract_value(c, done), 1);
    contract_store(c, dependencies[one], 0);
    contract_wait_zero(c, done);
  }
}

static void or_sees_what_is_0_already(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal dependencies[] = {contract_signal(c, 4), rig_none,
                              contract_signal(c, 0)};
  aq_signal done = contract_signal(c, 1);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_OR, dependencies, 3, done);
  contract_submit(c, queue, &barrier);
  contract_wait_zero(c, done);
}

static void null_or_never_completes(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal done = contract_signal(c, 1);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_OR, NULL, 0, done);
  contract_submit(c, queue, &barrier);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 1);
}

static void null_or_dependency_does_not_satisfy(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal dependencies[] = {rig_none, contract_signal(c, 1), rig_none};
  aq_signal done = contract_signal(c, 1);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_OR, dependencies, 3, done);
  contract_submit(c, queue, &barrier);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 1);
  contract_store(c, dependencies[1], 0);
  contract_wait_zero(c, done);
}

static void nothing_passes_a_barrier(contract *c)
{
  static const aq_packet_type types[] = {AQ_PACKET_BARRIER_AND,
                                         AQ_PACKET_BARRIER_OR};
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  for (uint64_t i = 0; i < 2; i++) {
    aq_signal held = contract_signal(c, 1), done = contract_signal(c, 1);
    aq_packet barrier = rig_barrier(types[i], &held, 1, rig_none);
    aq_packet packet = contract_dispatch(kernel, i, false, done);
    contract_submit(c, queue, &barrier);
    contract_submit(c, queue, &packet);
    contract_settle(c);
    ck_assert_uint_eq(c->ran_count, i);
    contract_store(c, held, 0);
    contract_wait_zero(c, done);
    ck_assert_uint_eq(c->ran_count, i + 1);
  }
}

static void chained_barriers_take_more_than_five(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal dependencies[12], done = contract_signal(c, 1);
  for (int i = 0; i < 12; i++)
    dependencies[i] = contract_signal(c, 1);
  for (int i = 0; i < 12; i += 5) {
    uint32_t count = 12 - i < 5 ? (uint32_t)(12 - i) : 5;
    aq_packet barrier =
        rig_barrier(AQ_PACKET_BARRIER_AND, &dependencies[i], count, rig_none);
    contract_submit(c, queue, &barrier);
  }
  aq_packet packet = contract_dispatch(kernel, 3, false, done);
  contract_submit(c, queue, &packet);
  for (int i = 11; i >= 0; i--) {
    contract_settle(c);
    contract_check_ran(c, "");
    contract_store(c, dependencies[i], 0);
  }
  contract_wait_zero(c, done);
  contract_check_ran(c, "3");
}

static void cross_queue_chain(contract *c)
{
  enum { QUEUES = 6 };
  uint64_t kernel = contract_kernel(c, 2 * AQ_US);
  aq_ring *queues[QUEUES];
  aq_signal done[QUEUES + 1];
  for (int i = 0; i <= QUEUES; i++)
    done[i] = contract_signal(c, 1);
  /* The last link is submitted first. */
  for (int i = QUEUES - 1; i >= 0; i--) {
    queues[i] = contract_queue(c);
    aq_packet barrier =
        rig_barrier(AQ_PACKET_BARRIER_AND, &done[i], 1, rig_none);
    aq_packet packet =
        contract_dispatch(kernel, (uint64_t)i, false, done[i + 1]);
    contract_submit(c, queues[i], &barrier);
    contract_submit(c, queues[i], &packet);
  }
  contract_settle(c);
  contract_check_ran(c, "");
  contract_store(c, done[0], 0);
  contract_wait_zero(c, done[QUEUES]);
  contract_check_ran(c, "0 1 2 3 4 5");
}

static void positive_waits_zero_satisfies(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal held = contract_signal(c, 3), done = contract_signal(c, 1);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &held, 1, done);
  contract_submit(c, queue, &barrier);
  for (int value = 2; value >= 0; value--) {
    contract_settle(c);
    ck_assert_int_eq(contract_value(c, done), 1);
    contract_add(c, held, -1);
  }
  contract_wait_zero(c, done);
}

static void negative_waits_under_rocr(contract *c)
{
  static const aq_packet_type types[] = {AQ_PACKET_BARRIER_AND,
                                         AQ_PACKET_BARRIER_OR};
  for (int i = 0; i < 2; i++) {
    aq_ring *queue = contract_queue(c);
    aq_signal held = contract_signal(c, -1), done = contract_signal(c, 1);
    aq_packet barrier = rig_barrier(types[i], &held, 1, done);
    contract_submit(c, queue, &barrier);
    contract_settle(c);
    ck_assert_int_eq(contract_value(c, done), 1);
    contract_store(c, held, 0);
    contract_wait_zero(c, done);
  }
}

static void kernels_satisfy_barriers(contract *c)
{
  uint64_t kernel = contract_kernel(c, 30 * AQ_US);
  aq_ring *one = contract_queue(c), *two = contract_queue(c);
  aq_signal ready = contract_signal(c, 2), done = contract_signal(c, 1);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &ready, 1, done);
  aq_packet packet = contract_dispatch(kernel, 1, false, ready);
  contract_submit(c, two, &barrier);
  contract_submit(c, one, &packet);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 1);
  contract_submit(c, one, &packet);
  contract_wait_zero(c, done);
}

const contract_case contract_barriers[] = {
    {"a barrier-AND with null dependencies completes at once", "50", 0,
     all_null_and_completes},
    {"a null dependency of a barrier-AND is satisfied", "50", 0,
     null_and_dependency_is_satisfied},
    {"a barrier-AND needs all of its five dependencies", "49", 0,
     and_needs_all_five},
    {"dependencies of a barrier-AND need not be 0 at the same time", "49", 0,
     and_remembers_what_it_saw},
    {"a barrier-OR needs any of its dependencies", "51", 0, or_needs_any},
    {"a barrier-OR sees a dependency that is 0 already", "51", 0,
     or_sees_what_is_0_already},
    {"a barrier-OR with null dependencies only never completes", "52", 0,
     null_or_never_completes},
    {"a null dependency does not satisfy a barrier-OR", "52", 0,
     null_or_dependency_does_not_satisfy},
    {"nothing launches before a barrier packet is complete", "53",
     AQ_CAP_HOST_KERNELS, nothing_passes_a_barrier},
    {"chained barriers take more than five dependencies", "54",
     AQ_CAP_HOST_KERNELS, chained_barriers_take_more_than_five},
    {"a chain across queues runs in its order", "55", AQ_CAP_HOST_KERNELS,
     cross_queue_chain},
    {"a positive value waits, 0 satisfies", "56", 0,
     positive_waits_zero_satisfies},
    {"a negative value waits under rocr semantics", "57", 0,
     negative_waits_under_rocr},
    {"kernels of another queue satisfy a barrier", "42", AQ_CAP_HOST_KERNELS,
     kernels_satisfy_barriers},
    {NULL}};
