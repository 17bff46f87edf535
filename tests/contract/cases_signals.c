/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

static void load_store_add(contract *c)
{
  aq_signal s = contract_signal(c, -5);
  ck_assert_int_eq(contract_value(c, s), -5);
  contract_store(c, s, INT64_MAX);
  ck_assert_int_eq(contract_value(c, s), INT64_MAX);
  contract_store(c, s, 10);
  ck_assert_int_eq(contract_add(c, s, -3), 10);
  ck_assert_int_eq(contract_add(c, s, 1), 7);
  ck_assert_int_eq(contract_value(c, s), 8);
  c->ops->signal_destroy(c->t, s);
}

static void handle_is_the_abi(contract *c)
{
  aq_signal s = contract_signal(c, 77);
  const aq_amd_signal *abi = (const aq_amd_signal *)(uintptr_t)s.handle;
  ck_assert_int_eq(abi->kind, AQ_AMD_SIGNAL_USER);
  ck_assert_int_eq(__atomic_load_n(&abi->value, __ATOMIC_ACQUIRE), 77);
}

static void every_condition_holds_at_once(contract *c)
{
  aq_signal s = contract_signal(c, 3);
  const aq_wait_item items[] = {
      {s, AQ_EQ, 3}, {s, AQ_NE, 4}, {s, AQ_LT, 4}, {s, AQ_GE, 3}};
  aq_time before = c->ops->now(c->t);
  for (int i = 0; i < 4; i++) {
    uint32_t which = 9;
    ck_assert_status(
        contract_wait(c, &items[i], 1, AQ_WAIT_ANY, AQ_TIME_MAX, &which), AQ_OK,
        &c->rig.diag);
    ck_assert_uint_eq(which, 0);
  }
  ck_assert_status(contract_wait(c, items, 4, AQ_WAIT_ALL, AQ_TIME_MAX, NULL),
                   AQ_OK, &c->rig.diag);
  if (contract_can(c, AQ_CAP_VIRTUAL_TIME))
    ck_assert_int_eq(c->ops->now(c->t), before);
}

static void conditions_that_do_not_hold_time_out(contract *c)
{
  aq_signal s = contract_signal(c, 3);
  const aq_wait_item items[] = {
      {s, AQ_EQ, 4}, {s, AQ_NE, 3}, {s, AQ_LT, 3}, {s, AQ_GE, 4}};
  for (int i = 0; i < 4; i++) {
    aq_time deadline = c->ops->now(c->t) + 20 * AQ_US;
    ck_assert_status(
        contract_wait(c, &items[i], 1, AQ_WAIT_ANY, deadline, NULL),
        AQ_ERR_TIMEOUT, &c->rig.diag);
    /* In live mode deadlines count in wall time. */
    if (contract_can(c, AQ_CAP_VIRTUAL_TIME))
      ck_assert_int_ge(c->ops->now(c->t), deadline);
    ck_assert_int_eq(contract_value(c, s), 3);
  }
}

static void any_says_which(contract *c)
{
  uint64_t slow = contract_kernel(c, 50 * AQ_US);
  uint64_t fast = contract_kernel(c, 5 * AQ_US);
  aq_signal a = contract_signal(c, 1), b = contract_signal(c, 1);
  aq_packet one = contract_dispatch(slow, 1, false, a);
  aq_packet two = contract_dispatch(fast, 2, false, b);
  contract_submit(c, contract_queue(c), &one);
  contract_submit(c, contract_queue(c), &two);
  const aq_wait_item items[] = {{a, AQ_EQ, 0}, {b, AQ_LT, 1}};
  uint32_t which = 9;
  ck_assert_status(contract_wait(c, items, 2, AQ_WAIT_ANY, AQ_TIME_MAX, &which),
                   AQ_OK, &c->rig.diag);
  /* Without modelled time both may hold by now; then the first one counts. */
  ck_assert_uint_eq(which, contract_value(c, a) == 0 ? 0 : 1);
  ck_assert_status(contract_wait(c, items, 2, AQ_WAIT_ALL, AQ_TIME_MAX, &which),
                   AQ_OK, &c->rig.diag);
  ck_assert_uint_eq(which, 0);
  ck_assert_int_eq(contract_value(c, a), 0);
  ck_assert_int_eq(contract_value(c, b), 0);
}

static void timed_out_wait_leaves_the_rest_running(contract *c)
{
  uint64_t kernel = contract_kernel(c, 100 * AQ_US);
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = contract_dispatch(kernel, 1, false, done);
  contract_submit(c, contract_queue(c), &packet);
  aq_wait_item item = {done, AQ_EQ, 0};
  aq_time deadline = c->ops->now(c->t) + 30 * AQ_US;
  ck_assert_status(contract_wait(c, &item, 1, AQ_WAIT_ALL, deadline, NULL),
                   AQ_ERR_TIMEOUT, &c->rig.diag);
  ck_assert_int_eq(contract_value(c, done), 1);
  contract_wait_zero(c, done);
}

static void hopeless_wait_is_a_deadlock(contract *c)
{
  aq_signal s = contract_signal(c, 1);
  aq_wait_item item = {s, AQ_EQ, 0};
  ck_assert_status(contract_wait(c, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL),
                   AQ_ERR_DEADLOCK, &c->rig.diag);
}

static void n_serves_n(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal done = contract_signal(c, 10);
  for (uint64_t i = 0; i < 10; i++) {
    aq_packet packet = contract_dispatch(kernel, i, false, done);
    contract_submit(c, queue, &packet);
  }
  contract_wait_zero(c, done);
  ck_assert_uint_eq(c->ran_count, 10);
}

static void completion_is_a_decrement(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue(c);
  aq_signal done = contract_signal(c, 100);
  aq_packet packet = contract_dispatch(kernel, 0, false, done);
  contract_submit(c, queue, &packet);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 99);
  contract_store(c, done, 0);
  contract_submit(c, queue, &packet);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), -1);
}

static void drain_hands_out_in_order(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal plain = contract_signal(c, 1);
  for (uint64_t i = 0; i < 20; i++) {
    aq_signal s = contract_signal_tagged(c, 1, AQ_SIGNAL_DRAIN, 100 + i);
    aq_packet packet = contract_dispatch(kernel, i, true, s);
    contract_submit(c, queue, &packet);
  }
  aq_packet last = contract_dispatch(kernel, 20, true, plain);
  contract_submit(c, queue, &last);
  contract_wait_zero(c, plain);
  aq_completion out[32];
  ck_assert_uint_eq(c->ops->drain(c->t, out, 3), 3);
  ck_assert_uint_eq(c->ops->drain(c->t, out + 3, 29), 17);
  ck_assert_uint_eq(c->ops->drain(c->t, out, 0), 0);
  for (uint64_t i = 0; i < 20; i++) {
    ck_assert_uint_eq(out[i].user, 100 + i);
    ck_assert_int_eq(contract_value(c, out[i].signal), 0);
    ck_assert(i == 0 || out[i].time >= out[i - 1].time);
  }
}

static void drain_reports_each_decrement(contract *c)
{
  aq_signal s = contract_signal_with(c, 3, AQ_SIGNAL_DRAIN);
  contract_add(c, s, -1);
  contract_add(c, s, 5);
  contract_add(c, s, -1);
  aq_completion out[4];
  ck_assert_uint_eq(c->ops->drain(c->t, out, 4), 2);
  ck_assert_uint_eq(out[0].signal.handle, s.handle);
}

static void profile_gives_start_and_end(contract *c)
{
  uint64_t kernel = contract_kernel(c, 40 * AQ_US);
  aq_signal done = contract_signal_with(c, 1, AQ_SIGNAL_PROFILE);
  aq_signal plain = contract_signal(c, 1);
  aq_packet packet = contract_dispatch(kernel, 0, false, done);
  aq_ring *queue = contract_queue(c);
  contract_submit(c, queue, &packet);
  packet.kernel.completion_signal = plain;
  contract_submit(c, queue, &packet);
  contract_wait_zero(c, done);
  contract_wait_zero(c, plain);
  aq_time start, end, step = c->device->timestamp_step;
  ck_assert_int_eq(c->ops->dispatch_times(c->t, done, &start, &end), AQ_OK);
  ck_assert_int_ge(end - start, 40 * AQ_US - step);
  ck_assert_int_le(end - start, 40 * AQ_US + step);
  ck_assert_int_eq(c->ops->dispatch_times(c->t, plain, &start, &end),
                   AQ_ERR_INVALID);
  const aq_amd_signal *abi = (const aq_amd_signal *)(uintptr_t)done.handle;
  ck_assert_uint_gt(abi->end_ts, abi->start_ts);
}

const contract_case contract_signals[] = {
    {"a signal is loaded, stored and added to", NULL, 0, load_store_add},
    {"a handle is the address of a signal as the HSA ABI lays it out", NULL, 0,
     handle_is_the_abi},
    {"a wait for what holds already returns at once, for each condition", "48",
     0, every_condition_holds_at_once},
    {"a wait for what never holds ends at its deadline", "73", 0,
     conditions_that_do_not_hold_time_out},
    {"a wait for any says which, a wait for all waits for all", "48",
     AQ_CAP_HOST_KERNELS, any_says_which},
    {"a wait that timed out leaves the value and the work alone", "73",
     AQ_CAP_HOST_KERNELS | AQ_CAP_TIMING,
     timed_out_wait_leaves_the_rest_running},
    {"a wait that nothing can end is a deadlock", NULL, AQ_CAP_VIRTUAL_TIME,
     hopeless_wait_is_a_deadlock},
    {"a signal of n serves n packets", "47", AQ_CAP_HOST_KERNELS, n_serves_n},
    {"completion subtracts 1, whatever the value is", "45", AQ_CAP_HOST_KERNELS,
     completion_is_a_decrement},
    {"drain hands completions out in the order they happened", NULL,
     AQ_CAP_HOST_KERNELS, drain_hands_out_in_order},
    {"drain reports each decrement, and nothing else", NULL, 0,
     drain_reports_each_decrement},
    {"a profiled signal keeps start and end in ticks, another does not", "76",
     AQ_CAP_HOST_KERNELS | AQ_CAP_TIMING, profile_gives_start_and_end},
    {NULL}};
