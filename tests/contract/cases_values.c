/* SPDX-License-Identifier: MIT */
/*
 * Values in memory: what packets do with them, and that atomics and waits of
 * the host queue do the same on every transport, as operations and as commands.
 */
#include "contract/contract.h"

#include <string.h>

#include "cmdbuf/builder.h"
#include "cmdbuf/link.h"
#include "queue/operations.h"

static void *memory_make(contract *c)
{
  void *memory;
  ck_assert_status(
      c->ops->mem_alloc(c->t, 0, AQ_MEMORY_HOST, 4096, &memory, &c->rig.diag),
      AQ_OK, &c->rig.diag);
  memset(memory, 0, 4096);
  return memory;
}

#define ck_ok(call) ck_assert_status(call, AQ_OK, &c->rig.diag)

/* ---- packets ---- */

/* A handle 8 bytes below a value, which may be the first bytes of a page. */
static void barrier_values_wait_for_any_memory(contract *c)
{
  aq_ring *queue = contract_queue_sized(c, 64);
  int64_t *values = memory_make(c);
  for (uint64_t i = 0; i < 3; i++) {
    aq_signal done = contract_signal(c, 1);
    aq_packet packet = {
        .barrier_value = {.header = AQ_PACKET_VENDOR,
                          .format = AQ_AMD_FORMAT_BARRIER_VALUE,
                          .signal = {(uintptr_t)(values + i) - 8},
                          .value = 16,
                          .mask = 0xff,
                          .condition = AQ_EQ,
                          .completion_signal = done}};
    contract_submit(c, queue, &packet);
    contract_settle(c);
    ck_assert_int_eq(contract_value(c, done), 1);
    __atomic_store_n(values + i, 0x710, __ATOMIC_RELEASE);
    contract_wait_zero(c, done);
    ck_assert_int_eq(values[i], 0x710);
  }
}

static void unmapped_values_are_memory_faults(contract *c)
{
  static const uint64_t handles[] = {0x10000 - 8, 0x10004};
  for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
    aq_ring *queue = contract_queue(c);
    aq_packet packet = {.barrier_value = {.header = AQ_PACKET_VENDOR,
                                          .format = AQ_AMD_FORMAT_BARRIER_VALUE,
                                          .signal = {handles[i]},
                                          .value = 1,
                                          .mask = -1,
                                          .condition = AQ_EQ}};
    c->event_count = 0;
    contract_submit(c, queue, &packet);
    contract_settle(c);
    ck_assert_uint_eq(c->event_count, 1);
    ck_assert_int_eq(c->events[0].kind, AQ_EVENT_MEMORY_FAULT);
  }
}

/* ---- queues ---- */

typedef struct pair {
  aq_context *context;
  aq_queue *queues[2];
} pair;

static pair pair_open(contract *c)
{
  pair p;
  ck_ok(aq_context_create(
      &(aq_context_options){.size = sizeof(aq_context_options),
                            .transport = c->t},
      &p.context, &c->rig.diag));
  for (int i = 0; i < 2; i++)
    ck_ok(aq_queue_create(
        p.context,
        &(aq_queue_options){.size_of = sizeof(aq_queue_options), .size = 256},
        &p.queues[i], &c->rig.diag));
  return p;
}

static void pair_close(pair *p)
{
  for (int i = 0; i < 2; i++)
    aq_queue_destroy(p->queues[i]);
  aq_context_destroy(p->context);
}

static void atomics_change_values(contract *c)
{
  pair p = pair_open(c);
  uint64_t *m = memory_make(c);
  const aq_atomic changes[] = {
      {.op = AQ_ATOMIC_STORE, .operand = 12},
      {.op = AQ_ATOMIC_ADD, .operand = 5, .result = m + 1},
      {.op = AQ_ATOMIC_AND, .operand = 0x1e, .result = m + 2},
      {.op = AQ_ATOMIC_OR, .operand = 0x100, .result = m + 3},
      {.op = AQ_ATOMIC_XOR, .operand = 0x110, .result = m + 4},
      {.op = AQ_ATOMIC_SWAP, .operand = 7, .result = m + 5},
      {.op = AQ_ATOMIC_CAS, .operand = 9, .expected = 8, .result = m + 6},
      {.op = AQ_ATOMIC_CAS, .operand = 9, .expected = 7, .result = m + 7}};
  static const uint64_t expected[] = {9, 12, 17, 16, 0x110, 0, 7, 7};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    aq_atomic change = changes[i];
    change.target = m;
    change.size = 8;
    ck_ok(aq_queue_atomic(p.queues[0], NULL, &change, &c->rig.diag));
  }
  ck_ok(aq_queue_wait_idle(p.queues[0], AQ_TIME_MAX, &c->rig.diag));
  ck_assert_mem_eq(m, expected, sizeof expected);
  pair_close(&p);
}

static void queues_wait_for_values_of_each_other(contract *c)
{
  pair p = pair_open(c);
  uint32_t *m = memory_make(c);
  for (uint32_t i = 0; i < 30; i++)
    for (uint32_t q = 0; q < 2; q++) {
      const aq_value_wait wait = {.address = m + 1 - q,
                                  .size = 4,
                                  .condition = i % 2 ? AQ_EQ : AQ_GE,
                                  .value = i + q};
      const aq_atomic count = {
          .target = m + q, .size = 4, .op = AQ_ATOMIC_ADD, .operand = 1};
      ck_ok(aq_queue_wait_value(p.queues[q], NULL, &wait, &c->rig.diag));
      ck_ok(aq_queue_atomic(p.queues[q], NULL, &count, &c->rig.diag));
    }
  for (int q = 0; q < 2; q++)
    ck_ok(aq_queue_wait_idle(p.queues[q], AQ_TIME_MAX, &c->rig.diag));
  ck_assert_uint_eq(m[0], 30);
  ck_assert_uint_eq(m[1], 30);
  pair_close(&p);
}

static aq_link *counts_record(contract *c, aq_builder *builder, uint32_t q)
{
  aq_program program;
  aq_link *link;
  for (uint32_t i = 0; i < 30; i++) {
    const aq_command_wait wait = {.value = aq_ref_slot(0, 8 * (1 - q)),
                                  .size = 8,
                                  .condition = i % 2 ? AQ_EQ : AQ_GE,
                                  .against = i + q};
    const aq_command_atomic count = {.target = aq_ref_slot(0, 8 * q),
                                     .size = 8,
                                     .op = AQ_ATOMIC_ADD,
                                     .operand = 1,
                                     .result = aq_ref_slot(0, 16 + 8 * q),
                                     .returns = true};
    ck_ok(aq_builder_wait_value(builder, &wait, &c->rig.diag));
    ck_ok(aq_builder_atomic(builder, &count, &c->rig.diag));
  }
  ck_ok(aq_builder_end(builder, &program, &c->rig.diag));
  ck_ok(aq_link_create(&program, &(aq_link_options){.transport = c->t}, &link,
                       &c->rig.diag));
  return link;
}

static void counts_run(contract *c, uint32_t flags)
{
  static const uint64_t expected[] = {30, 30, 29, 29};
  pair p = pair_open(c);
  uint64_t *m = memory_make(c);
  const aq_binding slot = {m, 4096};
  aq_builder *builders[2];
  aq_link *links[2];
  for (uint32_t q = 0; q < 2; q++) {
    ck_ok(aq_builder_create(NULL, &builders[q], &c->rig.diag));
    links[q] = counts_record(c, builders[q], q);
    ck_ok(aq_queue_execute(p.queues[q], NULL,
                           &(aq_execution){links[q], &slot, 1, flags},
                           &c->rig.diag));
  }
  for (uint32_t q = 0; q < 2; q++)
    ck_ok(aq_queue_wait_idle(p.queues[q], AQ_TIME_MAX, &c->rig.diag));
  ck_assert_mem_eq(m, expected, sizeof expected);
  pair_close(&p);
  for (uint32_t q = 0; q < 2; q++) {
    aq_link_destroy(links[q]);
    aq_builder_destroy(builders[q]);
  }
}

static void command_buffers_wait_for_values_of_each_other(contract *c)
{
  counts_run(c, 0);
}

static void so_they_do_on_the_device(contract *c)
{
  counts_run(c, AQ_EXECUTE_ON_DEVICE);
}

static void so_they_do_as_pm4(contract *c)
{
  counts_run(c, AQ_EXECUTE_PM4);
}

const contract_case contract_values[] = {
    {"a barrier-value waits for any memory 8 bytes above its handle", "58",
     AQ_CAP_BARRIER_VALUE, barrier_values_wait_for_any_memory},
    {"a barrier-value of memory that is not there is a memory fault", "58",
     AQ_CAP_BARRIER_VALUE | AQ_CAP_EVENTS, unmapped_values_are_memory_faults},
    {"atomics of a queue change values and return those before", NULL, 0,
     atomics_change_values},
    /* Others refuse waits, or wait by PM4 or a kernel: test_values. */
    {"queues wait for values that others change", NULL, AQ_CAP_BARRIER_VALUE,
     queues_wait_for_values_of_each_other},
    {"command buffers wait for values that others change", NULL,
     AQ_CAP_BARRIER_VALUE, command_buffers_wait_for_values_of_each_other},
    {"the same command buffers are walked on the device", NULL,
     AQ_CAP_BARRIER_VALUE | AQ_CAP_HOST_KERNELS, so_they_do_on_the_device},
    {"the same command buffers run as PM4", NULL, AQ_CAP_PM4,
     so_they_do_as_pm4},
    {NULL}};
