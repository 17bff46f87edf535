/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

static void sleep_moves_time(contract *c)
{
  aq_time before = c->ops->now(c->t), until = before + 123 * AQ_US;
  rig_sleep(&c->rig, until);
  ck_assert_int_ge(c->ops->now(c->t), until);
  rig_sleep(&c->rig, before); /* the past */
  ck_assert_int_ge(c->ops->now(c->t), until);
}

static void sleep_is_exact(contract *c)
{
  aq_time until = c->ops->now(c->t) + 123456789;
  rig_sleep(&c->rig, until);
  ck_assert_int_eq(c->ops->now(c->t), until);
}

static void nothing_moves_by_itself(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_packet packet = contract_dispatch(kernel, 0, false, rig_none);
  aq_time before = c->ops->now(c->t);
  contract_submit(c, contract_queue(c), &packet);
  contract_signal(c, 1);
  ck_assert_int_eq(c->ops->now(c->t), before);
}

static void sleep_wakes_for_completions(contract *c)
{
  uint64_t kernel = contract_kernel(c, 10 * AQ_US);
  aq_signal done = contract_signal_with(c, 1, AQ_SIGNAL_DRAIN);
  aq_packet packet = contract_dispatch(kernel, 0, false, done);
  contract_submit(c, contract_queue(c), &packet);
  aq_time until = c->ops->now(c->t) + AQ_S;
  ck_assert_status(c->ops->sleep_until(c->t, until, true, &c->rig.diag), AQ_OK,
                   &c->rig.diag);
  ck_assert_int_lt(c->ops->now(c->t), until);
  ck_assert_int_eq(contract_value(c, done), 0);
  aq_completion out;
  ck_assert_uint_eq(c->ops->drain(c->t, &out, 1), 1);
}

static void correlation_agrees(contract *c)
{
  rig_sleep(&c->rig, c->ops->now(c->t) + 77 * AQ_US);
  aq_clock_pair pair;
  c->ops->clock_correlate(c->t, 0, &pair);
  if (contract_can(c, AQ_CAP_VIRTUAL_TIME)) {
    ck_assert_int_eq(pair.host, c->ops->now(c->t));
    ck_assert_int_le(pair.device, pair.host);
    ck_assert_int_gt(pair.device, pair.host - AQ_US);
  }
}

typedef struct time_mover {
  contract *c;
  aq_status status;
} time_mover;

static void move_time(const aq_kernel_call *call)
{
  time_mover *mover = call->user;
  contract *c = mover->c;
  mover->status = c->ops->sleep_until(c->t, AQ_TIME_MAX, false, NULL);
}

static void kernels_cannot_move_time(contract *c)
{
  time_mover mover = {c, AQ_OK};
  aq_kernel_desc desc = {
      .name = "mover", .function = move_time, .user = &mover};
  aq_packet packet =
      contract_dispatch(rig_kernel_with(&c->rig, &desc), 0, false, rig_none);
  contract_submit(c, contract_queue(c), &packet);
  contract_settle(c);
  ck_assert_int_eq(mover.status, AQ_ERR_INVALID);
}

static void same_calls_same_times(contract *c)
{
  aq_time ends[2];
  for (int round = 0; round < 2; round++) {
    aq_transport_options options = {.size = sizeof options, .seed = 5};
    contract other = {.size = c->size};
    other.rig.diag = c->rig.diag;
    ck_assert_status(contract_open(c, &options, &other.t, &c->rig.diag), AQ_OK,
                     &c->rig.diag);
    other.rig.t = other.t;
    other.ops = c->ops;
    other.info = c->info;
    uint64_t kernel = contract_kernel(&other, 9 * AQ_US);
    aq_ring *queue = contract_queue_sized(&other, 64);
    for (uint64_t i = 0; i < 50; i++) {
      aq_packet packet = contract_dispatch(kernel, i, i % 3 == 0, rig_none);
      contract_submit(&other, queue, &packet);
    }
    contract_settle(&other);
    ends[round] = c->ops->now(other.t);
    c->ops->close(other.t);
  }
  ck_assert_int_eq(ends[0], ends[1]);
}

const contract_case contract_time[] = {
    {"sleep moves time forward, never back", NULL, 0, sleep_moves_time},
    {"sleep ends at its time exactly", NULL, AQ_CAP_VIRTUAL_TIME,
     sleep_is_exact},
    {"submitting moves no time", NULL,
     AQ_CAP_VIRTUAL_TIME | AQ_CAP_HOST_KERNELS, nothing_moves_by_itself},
    {"sleep returns early for a completion to drain", NULL, AQ_CAP_HOST_KERNELS,
     sleep_wakes_for_completions},
    {"host and device clocks are read together", NULL, 0, correlation_agrees},
    {"a host function that tries to move time is refused", NULL,
     AQ_CAP_VIRTUAL_TIME | AQ_CAP_HOST_KERNELS, kernels_cannot_move_time},
    {"the same calls take the same time again", NULL,
     AQ_CAP_VIRTUAL_TIME | AQ_CAP_HOST_KERNELS, same_calls_same_times},
    {NULL}};
