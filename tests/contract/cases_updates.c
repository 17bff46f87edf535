/* SPDX-License-Identifier: MIT */
/* Updates, orders, consumers and handlers of signals. */
#include "contract/contract.h"

#include <time.h>

static const aq_order orders[] = {AQ_RELAXED, AQ_ACQUIRE, AQ_RELEASE,
                                  AQ_ACQ_REL};
enum { ORDERS = sizeof orders / sizeof *orders };

static void every_update_in_every_order(contract *c)
{
  static const struct {
    aq_signal_op op;
    int64_t operand, expected, result;
  } updates[] = {
      {AQ_UPDATE_ADD, 5, 0, 17},
      {AQ_UPDATE_SUB, 5, 0, 7},
      {AQ_UPDATE_AND, 10, 0, 8},
      {AQ_UPDATE_OR, 3, 0, 15},
      {AQ_UPDATE_XOR, 5, 0, 9},
      {AQ_UPDATE_EXCHANGE, -1, 0, -1},
      {AQ_UPDATE_CAS, 99, 12, 99},
      {AQ_UPDATE_CAS, 99, 13, 12},
      {AQ_UPDATE_STORE_SILENT, 77, 0, 77},
  };
  aq_signal s = contract_signal(c, 0);
  for (size_t i = 0; i < sizeof updates / sizeof *updates; i++)
    for (int k = 0; k < ORDERS; k++) {
      c->ops->signal_store(c->t, s, 12, orders[k]);
      int64_t before =
          c->ops->signal_update(c->t, s, updates[i].op, updates[i].operand,
                                updates[i].expected, orders[k]);
      ck_assert_int_eq(before, 12);
      ck_assert_int_eq(c->ops->signal_load(c->t, s, orders[k]),
                       updates[i].result);
    }
}

static void updates_wrap_around(contract *c)
{
  aq_signal s = contract_signal(c, INT64_MAX);
  c->ops->signal_update(c->t, s, AQ_UPDATE_ADD, 1, 0, AQ_ACQ_REL);
  ck_assert_int_eq(contract_value(c, s), INT64_MIN);
  c->ops->signal_update(c->t, s, AQ_UPDATE_SUB, 1, 0, AQ_ACQ_REL);
  ck_assert_int_eq(contract_value(c, s), INT64_MAX);
}

/* A barrier waits for `s`; `op` makes it 0. */
static void update_satisfies(contract *c, int64_t value, aq_signal_op op,
                             int64_t operand, int64_t expected)
{
  aq_ring *queue = contract_queue(c);
  aq_signal s = contract_signal(c, value), done = contract_signal(c, 1);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &s, 1, done);
  contract_submit(c, queue, &barrier);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 1);
  c->ops->signal_update(c->t, s, op, operand, expected, AQ_ACQ_REL);
  contract_wait_zero(c, done);
}

static void every_update_is_noticed(contract *c)
{
  update_satisfies(c, 1, AQ_UPDATE_ADD, -1, 0);
  update_satisfies(c, 2, AQ_UPDATE_SUB, 2, 0);
  update_satisfies(c, 4, AQ_UPDATE_AND, 3, 0);
  update_satisfies(c, 9, AQ_UPDATE_XOR, 9, 0);
  update_satisfies(c, 7, AQ_UPDATE_EXCHANGE, 0, 0);
  update_satisfies(c, 7, AQ_UPDATE_CAS, 0, 7);
  update_satisfies(c, 7, AQ_UPDATE_STORE_SILENT, 0, 0);
}

static aq_status make(contract *c, const uint32_t *consumers, uint32_t count,
                      uint32_t flags)
{
  aq_signal_desc desc = {.value = 1,
                         .flags = flags,
                         .consumers = consumers,
                         .consumer_count = count};
  aq_signal signal;
  return c->ops->signal_create(c->t, &desc, &signal, &c->rig.diag);
}

static void consumers_are_named_once(contract *c)
{
  const uint32_t good[] = {0, AQ_DEVICE_HOST}, device[] = {0};
  const uint32_t twice[] = {0, AQ_DEVICE_HOST, 0};
  const uint32_t hosts[] = {AQ_DEVICE_HOST, AQ_DEVICE_HOST};
  const uint32_t unknown[] = {c->info.device_count};
  ck_assert_status(make(c, NULL, 0, 0), AQ_OK, &c->rig.diag);
  ck_assert_status(make(c, good, 2, 0), AQ_OK, &c->rig.diag);
  ck_assert_status(make(c, device, 1, 0), AQ_OK, &c->rig.diag);
  ck_assert_status(make(c, twice, 3, 0), AQ_ERR_INVALID, &c->rig.diag);
  ck_assert_status(make(c, hosts, 2, 0), AQ_ERR_INVALID, &c->rig.diag);
  ck_assert_status(make(c, unknown, 1, 0), AQ_ERR_INVALID, &c->rig.diag);
}

/* How long after the decrement a blocked wait for such a signal returns. */
static aq_time wake_after(contract *c, uint32_t flags, aq_wait_hint hint)
{
  uint64_t kernel = contract_kernel(c, 10 * AQ_US);
  aq_ring *queue = contract_queue(c);
  aq_signal done = contract_signal_with(c, 1, flags);
  aq_packet packet = contract_dispatch(kernel, 0, false, done);
  contract_submit(c, queue, &packet);
  aq_wait_item item = {done, AQ_EQ, 0};
  aq_wait_request request = {
      .items = &item, .count = 1, .hint = hint, .deadline = AQ_TIME_MAX};
  ck_assert_status(c->ops->wait(c->t, &request, NULL, &c->rig.diag), AQ_OK,
                   &c->rig.diag);
  return c->ops->now(c->t) - rig_record(&c->rig, queue, 0)->complete;
}

static void some_signals_are_polled(contract *c)
{
  ck_assert_int_gt(wake_after(c, 0, AQ_WAIT_BLOCKED), 0);
  ck_assert_int_eq(wake_after(c, 0, AQ_WAIT_ACTIVE), 0);
  ck_assert_int_eq(wake_after(c, AQ_SIGNAL_IPC, AQ_WAIT_BLOCKED), 0);
  ck_assert_int_eq(wake_after(c, AQ_SIGNAL_GPU_ONLY, AQ_WAIT_BLOCKED), 0);
}

static void waits_report_what_they_saw(contract *c)
{
  aq_signal a = contract_signal(c, 5), b = contract_signal(c, 7);
  const aq_wait_item items[] = {{a, AQ_EQ, 0}, {b, AQ_GE, 7}};
  aq_wait_result result = {9, 99};
  aq_wait_request request = {
      .items = items, .count = 2, .mode = AQ_WAIT_ANY, .deadline = AQ_TIME_MAX};
  ck_assert_status(c->ops->wait(c->t, &request, &result, &c->rig.diag), AQ_OK,
                   &c->rig.diag);
  ck_assert_uint_eq(result.index, 1);
  ck_assert_int_eq(result.value, 7);
  request.mode = AQ_WAIT_ALL;
  request.deadline = c->ops->now(c->t) + 10 * AQ_US;
  ck_assert_status(c->ops->wait(c->t, &request, &result, &c->rig.diag),
                   AQ_ERR_TIMEOUT, &c->rig.diag);
  ck_assert_uint_eq(result.index, 0);
  ck_assert_int_eq(result.value, 5);
}

/* ---- handlers ---- */

typedef struct calls {
  int count, keep; /* how often it stays armed */
  int64_t last;
} calls;

static bool handle(int64_t value, void *user)
{
  calls *h = user;
  h->last = value;
  return __atomic_add_fetch(&h->count, 1, __ATOMIC_ACQ_REL) <= h->keep;
}

/* The number of calls. In live mode they come from another thread, so that many
 * are waited for; more may still come. */
static int calls_made(const contract *c, const calls *h, int awaited)
{
  const struct timespec nap = {0, AQ_MS / AQ_NS};
  for (int i = 0; contract_can(c, AQ_CAP_LIVE) && i < 10000 &&
                  __atomic_load_n(&h->count, __ATOMIC_ACQUIRE) < awaited;
       i++)
    nanosleep(&nap, NULL);
  return __atomic_load_n(&h->count, __ATOMIC_ACQUIRE);
}

static void arm(contract *c, aq_signal s, aq_condition condition, int64_t value,
                calls *h)
{
  ck_assert_status(c->ops->signal_handler(c->t, s, condition, value, handle, h,
                                          &c->rig.diag),
                   AQ_OK, &c->rig.diag);
}

static void handlers_are_called_when_it_holds(contract *c)
{
  aq_signal s = contract_signal(c, 2);
  calls h = {0};
  arm(c, s, AQ_LT, 1, &h);
  contract_settle(c);
  contract_store(c, s, 1);
  contract_settle(c);
  ck_assert_int_eq(calls_made(c, &h, 0), 0);
  contract_store(c, s, -4);
  contract_settle(c);
  ck_assert_int_eq(calls_made(c, &h, 1), 1);
  ck_assert_int_eq(h.last, -4);
}

static void true_arms_again_false_removes(contract *c)
{
  aq_signal s = contract_signal(c, 0);
  calls twice = {.keep = 2}, once = {0};
  arm(c, s, AQ_GE, 1, &twice);
  arm(c, s, AQ_GE, 1, &once);
  for (int64_t value = 1; value <= 6; value++) {
    contract_store(c, s, value);
    contract_settle(c);
    ck_assert_int_eq(calls_made(c, &once, 1), 1);
    ck_assert_int_eq(calls_made(c, &twice, value < 3 ? (int)value : 3),
                     value < 3 ? (int)value : 3);
    contract_store(c, s, 0);
    contract_settle(c);
  }
}

static void packets_call_handlers(contract *c)
{
  uint64_t kernel = contract_kernel(c, 10 * AQ_US);
  aq_signal done = contract_signal(c, 2);
  calls h = {0};
  arm(c, done, AQ_EQ, 0, &h);
  aq_ring *queue = contract_queue(c);
  aq_packet packet = contract_dispatch(kernel, 0, true, done);
  contract_submit(c, queue, &packet);
  contract_settle(c);
  ck_assert_int_eq(calls_made(c, &h, 0), 0);
  contract_submit(c, queue, &packet);
  contract_settle(c);
  ck_assert_int_eq(calls_made(c, &h, 1), 1);
  ck_assert_int_eq(h.last, 0);
}

static void destroyed_signals_call_nothing(contract *c)
{
  aq_signal s = contract_signal(c, 1);
  calls h = {0};
  arm(c, s, AQ_EQ, 0, &h);
  c->ops->signal_destroy(c->t, s);
  contract_settle(c);
  ck_assert_int_eq(calls_made(c, &h, 0), 0);
}

const contract_case contract_updates[] = {
    {"every update of a signal works in every order and returns the old value",
     "70", 0, every_update_in_every_order},
    {"values wrap around", "70", 0, updates_wrap_around},
    {"a barrier notices every kind of update", "70", 0,
     every_update_is_noticed},
    {"a consumer that is named twice or unknown is refused", "71", 0,
     consumers_are_named_once},
    {"IPC and GPU-only signals are polled, others interrupt", "72",
     AQ_CAP_HOST_KERNELS | AQ_CAP_RECORDS | AQ_CAP_TIMING | AQ_CAP_VIRTUAL_TIME,
     some_signals_are_polled},
    {"a wait reports the value it saw, also when it timed out", "48, 73", 0,
     waits_report_what_they_saw},
    {"a handler is called when its condition holds, with the value", "74",
     AQ_CAP_HANDLERS, handlers_are_called_when_it_holds},
    {"a handler that returns true stays, one that returns false goes", "74",
     AQ_CAP_HANDLERS, true_arms_again_false_removes},
    {"completions of packets call handlers", "74",
     AQ_CAP_HANDLERS | AQ_CAP_HOST_KERNELS, packets_call_handlers},
    {"handlers go with their signal", "74", AQ_CAP_HANDLERS,
     destroyed_signals_call_nothing},
    {NULL}};
