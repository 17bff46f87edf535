/* SPDX-License-Identifier: MIT */
/* Atomics and waits for values in memory, on every transport and way. */
#include <stdlib.h>
#include <string.h>

#include "common/memory_value.h"
#include "queue/ground.h"
#include "queue/operations.h"

/* ---- helpers ---- */

static void *memory_make(ground *g, aq_memory_kind kind, size_t size)
{
  void *memory;
  ck_assert_ok(g, g->ops->mem_alloc(g->t, 0, kind, size, &memory, &g->diag));
  return memory;
}

/* The value behind an operation, by its definition. */
static uint64_t changed(aq_atomic_op op, uint64_t value, uint64_t operand,
                        uint64_t expected, uint32_t size)
{
  const uint64_t bits = size == 4 ? UINT32_MAX : UINT64_MAX;
  uint64_t after = operand;
  if (op == AQ_ATOMIC_ADD)
    after = value + operand;
  if (op == AQ_ATOMIC_AND)
    after = value & operand;
  if (op == AQ_ATOMIC_OR)
    after = value | operand;
  if (op == AQ_ATOMIC_XOR)
    after = value ^ operand;
  if (op == AQ_ATOMIC_CAS && value != (expected & bits))
    after = value;
  return after & bits;
}

static uint64_t value_at(const void *at, uint32_t size)
{
  uint64_t value = 0;
  memcpy(&value, at, size);
  return value;
}

/* Lets everything happen that can. */
static void settle(ground *g, aq_queue *queue)
{
  const bool live = g->info.caps & AQ_CAP_LIVE;
  const aq_time until =
      live ? g->ops->now(g->t) + 3 * AQ_MS : g->ops->now(g->t) + 100 * AQ_US;
  ck_assert_ok(g, g->ops->sleep_until(g->t, until, false, &g->diag));
  aq_queue_poll(queue);
}

static uint64_t reached(ground *g, aq_semaphore *semaphore)
{
  uint64_t value;
  ck_assert_ok(g, aq_semaphore_query(semaphore, &value, &g->diag));
  return value;
}

static bool has_way(aq_status status)
{
  ck_assert(status == AQ_OK || status == AQ_ERR_UNSUPPORTED);
  return status == AQ_OK;
}

/* ---- atomics ---- */

static void atomics_try(ground *g, aq_queue *queue, uint32_t size,
                        aq_value_way way, bool returns)
{
  static const uint64_t values[] = {0, 5, UINT64_C(0x80000000ffffffff),
                                    UINT64_MAX};
  /* The value lies between others that stay. */
  _Alignas(8) unsigned char before[32], *memory;
  memory = memory_make(g, AQ_MEMORY_HOST, 64);
  for (int op = 0; op < AQ_ATOMIC_OP_COUNT; op++)
    for (int i = 0; i < 16; i++) {
      const uint64_t value = values[i % 4], operand = values[i / 4];
      const uint64_t expected = i % 2 ? value : value + 1;
      if (returns && op == AQ_ATOMIC_STORE)
        continue;
      memset(memory, 0xcc, 64);
      memcpy(memory + 8, &value, size);
      memcpy(before, memory, sizeof before);
      const aq_atomic atomic = {.target = memory + 8,
                                .size = size,
                                .op = (aq_atomic_op)op,
                                .operand = operand,
                                .expected = expected,
                                .result = returns ? memory + 32 : NULL,
                                .way = way};
      if (!has_way(aq_queue_atomic(queue, NULL, &atomic, &g->diag)))
        return;
      ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
      const uint64_t after =
          changed((aq_atomic_op)op, value_at(before + 8, size), operand,
                  expected, size);
      memcpy(before + 8, &after, size);
      ck_assert_mem_eq(memory, before, sizeof before);
      if (returns)
        ck_assert_uint_eq(value_at(memory + 32, size),
                          size == 4 ? (uint32_t)value : value);
    }
  g->ops->mem_free(g->t, memory);
}

static void every_atomic_changes_its_value_and_nothing_beside(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  for (uint32_t size = 4; size <= 8; size += 4) {
    atomics_try(g, queue, size, AQ_VALUE_CHOOSE, false);
    atomics_try(g, queue, size, AQ_VALUE_CHOOSE, true);
    atomics_try(g, queue, size, AQ_VALUE_KERNEL, false);
    atomics_try(g, queue, size, AQ_VALUE_PM4, false);
  }
  aq_queue_stats stats;
  aq_queue_stats_get(queue, &stats);
  ck_assert_uint_ge(stats.kinds[AQ_OPERATION_ATOMIC], 6 * 7 * 16 - 2 * 16);
  aq_queue_destroy(queue);
}

static void atomics_reach_memory_that_is_hidden_from_the_host(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  uint64_t *value = memory_make(g, AQ_MEMORY_DEVICE, 4096), seen = 7;
  ground_move(g, value + 1, &seen, sizeof seen);
  for (aq_value_way way = AQ_VALUE_CHOOSE; way < AQ_VALUE_WAY_COUNT; way++) {
    const aq_atomic add = {.target = value + 1,
                           .size = 8,
                           .op = AQ_ATOMIC_ADD,
                           .operand = 3,
                           .way = way};
    const aq_status status = aq_queue_atomic(queue, NULL, &add, &g->diag);
    ck_assert(status == AQ_OK || way != AQ_VALUE_CHOOSE);
    const aq_value_wait wait = {.address = value + 1,
                                .size = 8,
                                .condition = AQ_GE,
                                .value = 7,
                                .way = way};
    const aq_status waits = aq_queue_wait_value(queue, NULL, &wait, &g->diag);
    ck_assert(waits == AQ_OK || way != AQ_VALUE_CHOOSE);
    ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
    const uint64_t expected = seen + (status == AQ_OK ? 3 : 0);
    ground_move(g, &seen, value + 1, sizeof seen);
    ck_assert_uint_eq(seen, expected);
  }
  aq_queue_destroy(queue);
}

/* ---- waits ---- */

typedef struct condition_case {
  aq_condition condition;
  uint64_t value, mask;
  uint64_t before, after; /* does not fulfil it; does */
} condition_case;

static const condition_case conditions[] = {
    {AQ_EQ, 16, 0, 15, 16},
    {AQ_EQ, 0x10, 0xff, 0x111, 0xa10},
    {AQ_NE, 16, 0, 16, 0},
    {AQ_NE, 0, 0x30, 0x8f, 0x20},    /* a bit of several is set */
    {AQ_NE, 0x30, 0x30, 0x77, 0x67}, /* one is not */
    {AQ_LT, 16, 0, 16, 15},
    {AQ_LT, 0x10, 0xff, 0x010, 0xf0f},
    {AQ_GE, 16, 0, 15, 17},
    {AQ_GE, 0x7fffffff, 0, 0x7ffffffe, 0x7fffffff},
    {AQ_GE, 0x10, 0xff, 0x70f, 0x010},
};

/* One queue waits for what another one stores behind a step of its own. */
static void wait_try(ground *g, aq_queue *waits, aq_queue *stores, void *at,
                     uint32_t size, const condition_case *c, aq_value_way way)
{
  uint64_t cell = 1;
  ground_sync s;
  const aq_value_wait wait = {.address = at,
                              .size = size,
                              .condition = c->condition,
                              .value = c->value,
                              .mask = c->mask,
                              .way = way};
  memcpy(at, &c->before, size);
  if (!has_way(aq_queue_wait_value(waits, NULL, &wait, &g->diag)))
    return;
  aq_semaphore *done = ground_semaphore(g, 0);
  ck_assert_ok(g,
               ground_dispatch(g, waits, ground_sync_make(&s, NULL, 0, done, 1),
                               &cell, 2));
  settle(g, waits);
  ck_assert_uint_eq(reached(g, done), 0);
  ck_assert_ok(g, ground_dispatch(g, stores, NULL, &cell, 1));
  ck_assert_ok(g, aq_queue_atomic(stores, NULL,
                                  &(aq_atomic){.target = at,
                                               .size = size,
                                               .op = AQ_ATOMIC_STORE,
                                               .operand = c->after},
                                  &g->diag));
  ground_wait(g, done, 1);
  ck_assert_uint_eq(cell, ground_stepped(ground_stepped(1, 1), 2));
  aq_semaphore_release(done);
}

static void a_wait_holds_its_queue_until_the_value_fulfils_it(ground *g)
{
  aq_queue *waits = ground_queue(g, NULL), *stores = ground_queue(g, NULL);
  unsigned char *memory = memory_make(g, AQ_MEMORY_HOST, 64);
  const size_t count = sizeof conditions / sizeof *conditions;
  for (aq_value_way way = AQ_VALUE_CHOOSE; way < AQ_VALUE_WAY_COUNT; way++)
    for (size_t i = 0; i < count; i++) {
      memset(memory, 0xcc, 64);
      wait_try(g, waits, stores, memory, 8, &conditions[i], way);
      wait_try(g, waits, stores, memory + 16, 4, &conditions[i], way);
      /* The higher half of 8 bytes, beside one that would not fulfil it. */
      wait_try(g, waits, stores, memory + 28, 4, &conditions[i], way);
    }
  aq_queue_stats stats;
  aq_queue_stats_get(waits, &stats);
  /* Barrier-value packets refuse three conditions in the higher half. */
  ck_assert_uint_ge(stats.kinds[AQ_OPERATION_WAIT_VALUE], 2 * 3 * count - 3);
  ck_assert_uint_eq(stats.kinds[AQ_OPERATION_ATOMIC], 0);
  aq_queue_destroy(waits);
  aq_queue_destroy(stores);
}

static void the_host_may_fulfil_a_wait(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  uint32_t *value = memory_make(g, AQ_MEMORY_HOST, 64);
  aq_semaphore *done = ground_semaphore(g, 0);
  for (uint32_t i = 1; i <= 20; i++) {
    ground_sync s;
    __atomic_store_n(value, i - 1, __ATOMIC_RELEASE);
    ck_assert_ok(
        g, aq_queue_wait_value(
               queue, ground_sync_make(&s, NULL, 0, done, i),
               &(aq_value_wait){
                   .address = value, .size = 4, .condition = AQ_EQ, .value = i},
               &g->diag));
    __atomic_store_n(value, i, __ATOMIC_RELEASE);
    ground_wait(g, done, i);
  }
  aq_semaphore_release(done);
  aq_queue_destroy(queue);
}

/* The oracle is the number: 0x80000001 is not less than 5, wherever it lies. */
static void all_of_32_bits_are_compared_without_a_sign(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  uint32_t *values = memory_make(g, AQ_MEMORY_HOST, 64);
  aq_value_wait wait = {.size = 4, .condition = AQ_GE, .value = 5};
  if (!(g->info.caps & AQ_CAP_PM4)) {
    aq_queue_destroy(queue);
    return; /* it may have nothing but barrier-value packets */
  }
  values[0] = values[1] = 0x80000001;
  for (wait.way = AQ_VALUE_CHOOSE; wait.way < AQ_VALUE_WAY_COUNT; wait.way++)
    for (int half = 0; half < 2; half++) {
      wait.address = &values[half];
      const aq_status status =
          aq_queue_wait_value(queue, NULL, &wait, &g->diag);
      ck_assert(has_way(status) || wait.way != AQ_VALUE_CHOOSE);
      ck_assert_ok(g, aq_queue_wait_idle(queue, g->ops->now(g->t) + 20 * AQ_S,
                                         &g->diag));
    }
  aq_queue_destroy(queue);
}

/* Only virtual time knows. */
static void a_wait_whose_value_never_comes_is_a_deadlock(ground *g)
{
  if (g->info.caps & AQ_CAP_LIVE)
    return;
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0);
  uint64_t *value = memory_make(g, AQ_MEMORY_HOST, 64);
  ground_sync s;
  *value = 1;
  ck_assert_ok(
      g, aq_queue_wait_value(
             queue, ground_sync_make(&s, NULL, 0, done, 1),
             &(aq_value_wait){
                 .address = value, .size = 8, .condition = AQ_EQ, .value = 2},
             &g->diag));
  ck_assert_int_eq(aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag),
                   AQ_ERR_DEADLOCK);
  aq_queue_destroy(queue); /* the wait fails */
  ck_assert_int_ne(aq_semaphore_query(done, NULL, &g->diag), AQ_OK);
  aq_semaphore_release(done);
}

/* ---- command buffers ---- */

enum { TURNS = 12 };

/* Slot 0: two counters. Each program waits for the other's turn, steps the cell
 * of slot 1, and counts its own. */
static aq_link *turns_record(ground *g, uint64_t first, aq_builder **builder)
{
  aq_program program;
  uint32_t kernel;
  aq_link *link;
  ck_assert_ok(g, aq_builder_create(NULL, builder, &g->diag));
  ck_assert_ok(
      g, aq_builder_kernel(*builder, "step", g->kernel, &kernel, &g->diag));
  for (uint64_t i = 0; i < TURNS; i++) {
    const uint64_t value = 2 * i + first;
    const aq_ref cell = aq_ref_slot(1, 0);
    const aq_command_wait wait = {.value = aq_ref_slot(0, 8 * (1 - first)),
                                  .size = i % 2 ? 4 : 8,
                                  .condition = AQ_GE,
                                  .against = i + first,
                                  .mask = i % 3 ? 0 : 0xffff};
    const aq_dispatch step = {.kernel = kernel,
                              .grid = {1, 1, 1},
                              .workgroup = {1, 1, 1},
                              .bindings = &cell,
                              .binding_count = 1,
                              .constants = &value,
                              .constant_size = sizeof value};
    const aq_command_atomic count = {.target = aq_ref_slot(0, 8 * first),
                                     .size = 8,
                                     .op = AQ_ATOMIC_ADD,
                                     .operand = 1,
                                     .result = aq_ref_slot(0, 16 + 8 * first),
                                     .returns = i % 2};
    ck_assert_ok(g, aq_builder_wait_value(*builder, &wait, &g->diag));
    ck_assert_ok(g, aq_builder_dispatch(*builder, &step, &g->diag));
    aq_builder_barrier(*builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
    ck_assert_ok(g, aq_builder_atomic(*builder, &count, &g->diag));
  }
  ck_assert_ok(g, aq_builder_end(*builder, &program, &g->diag));
  ck_assert_ok(
      g, aq_link_create(&program,
                        &(aq_link_options){.transport = g->t, .device = 0},
                        &link, &g->diag));
  return link;
}

static void turns_try(ground *g, uint32_t flags)
{
  aq_queue *queues[2] = {ground_queue(g, NULL), ground_queue(g, NULL)};
  aq_semaphore *done = ground_semaphore(g, 0), *over = ground_semaphore(g, 0);
  aq_builder *builders[2];
  aq_link *links[2];
  uint64_t *counters = memory_make(g, AQ_MEMORY_HOST, 4096);
  uint64_t *cell = counters + 32, expected = 1;
  const aq_binding slots[] = {{counters, 64}, {cell, 8}};
  memset(counters, 0, 4096);
  *cell = 1;
  /* Program 1 counts at 8 and waits at 0, for program 0 to be ahead. */
  for (uint64_t i = 0; i < 2; i++)
    links[i] = turns_record(g, i, &builders[i]);
  for (int i = 1; i >= 0; i--) {
    ground_sync s;
    const aq_execution execution = {links[i], slots, 2, flags};
    ck_assert_ok(
        g, aq_queue_execute(queues[i],
                            ground_sync_make(&s, NULL, 0, i ? over : done, 1),
                            &execution, &g->diag));
  }
  ground_wait(g, done, 1);
  ground_wait(g, over, 1);
  for (uint64_t i = 0; i < 2 * TURNS; i++)
    expected = ground_stepped(expected, i);
  ck_assert_uint_eq(*cell, expected);
  ck_assert_uint_eq(counters[0], TURNS);
  ck_assert_uint_eq(counters[1], TURNS);
  ck_assert_uint_eq(counters[2], TURNS - 1); /* results of the last */
  ck_assert_uint_eq(counters[3], TURNS - 1);
  for (int i = 0; i < 2; i++) {
    aq_queue_destroy(queues[i]);
    aq_link_destroy(links[i]);
    aq_builder_destroy(builders[i]);
  }
  aq_semaphore_release(done);
  aq_semaphore_release(over);
}

static void command_buffers_take_turns_by_values(ground *g)
{
  turns_try(g, 0);
}

static void command_buffers_on_the_device_take_turns_by_values(ground *g)
{
  turns_try(g, AQ_EXECUTE_ON_DEVICE);
}

static void command_buffers_of_pm4_take_turns_by_values(ground *g)
{
  if (g->info.caps & AQ_CAP_PM4)
    turns_try(g, AQ_EXECUTE_PM4);
}

/* ---- deferred, refused ---- */

static void atomics_and_waits_are_deferred_with_what_they_need(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *gate = ground_semaphore(g, 0), *done = ground_semaphore(g, 0);
  uint64_t *memory = memory_make(g, AQ_MEMORY_HOST, 64);
  ground_sync s;
  memory[0] = memory[1] = 0;
  {
    aq_atomic add = {.target = memory,
                     .size = 8,
                     .op = AQ_ATOMIC_ADD,
                     .operand = 5,
                     .result = memory + 1};
    aq_value_wait wait = {
        .address = memory, .size = 8, .condition = AQ_EQ, .value = 5};
    ck_assert_ok(g,
                 aq_queue_atomic(queue, ground_sync_make(&s, gate, 1, NULL, 0),
                                 &add, &g->diag));
    ck_assert_ok(g, aq_queue_wait_value(queue,
                                        ground_sync_make(&s, NULL, 0, done, 1),
                                        &wait, &g->diag));
    memset(&add, 0xff, sizeof add);
    memset(&wait, 0xff, sizeof wait);
  }
  settle(g, queue);
  ck_assert_uint_eq(memory[0], 0);
  ck_assert_ok(g, aq_semaphore_signal(gate, 1, &g->diag));
  ground_wait(g, done, 1);
  ck_assert_uint_eq(memory[0], 5);
  aq_semaphore_release(gate);
  aq_semaphore_release(done);
  aq_queue_destroy(queue);
}

static aq_status nothing(void *user, aq_diag *diag)
{
  (void)user, (void)diag;
  return AQ_OK;
}

/* The atomic waits outside of its ring for the host's part of another
 * operation, and the host for the queue that waits. */
static void a_wait_ends_when_a_deferred_operation_changes_the_value(ground *g)
{
  aq_queue *waits = ground_queue(g, NULL), *stores = ground_queue(g, NULL);
  aq_semaphore *called = ground_semaphore(g, 0);
  uint64_t *value = memory_make(g, AQ_MEMORY_HOST, 64);
  ground_sync s;
  *value = 0;
  ck_assert_ok(g, aq_queue_wait_value(waits, NULL,
                                      &(aq_value_wait){.address = value,
                                                       .size = 8,
                                                       .condition = AQ_EQ,
                                                       .value = 3},
                                      &g->diag));
  for (uint64_t i = 1; i <= 3; i++) {
    ck_assert_ok(g,
                 aq_queue_host_call(
                     stores,
                     ground_sync_make(&s, called, 2 * i - 2, called, 2 * i - 1),
                     &(aq_host_call){.function = nothing}, &g->diag));
    ck_assert_ok(
        g,
        aq_queue_atomic(
            stores, ground_sync_make(&s, called, 2 * i - 1, called, 2 * i),
            &(aq_atomic){
                .target = value, .size = 8, .op = AQ_ATOMIC_ADD, .operand = 1},
            &g->diag));
  }
  ck_assert_ok(g, aq_queue_wait_idle(waits, AQ_TIME_MAX, &g->diag));
  ck_assert_uint_eq(*value, 3);
  aq_queue_destroy(waits);
  aq_queue_destroy(stores);
  aq_semaphore_release(called);
}

static void what_makes_no_sense_is_refused(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  char *m = memory_make(g, AQ_MEMORY_HOST, 64);
  const aq_atomic atomics[] = {
      {.target = NULL, .size = 8},
      {.target = m, .size = 2},
      {.target = m + 4, .size = 8},
      {.target = m + 2, .size = 4},
      {.target = m, .size = 8, .op = AQ_ATOMIC_OP_COUNT},
      {.target = m, .size = 8, .op = AQ_ATOMIC_STORE, .result = m + 8},
      {.target = m, .size = 8, .op = AQ_ATOMIC_ADD, .result = m + 4},
      {.target = m, .size = 8, .way = AQ_VALUE_WAY_COUNT}};
  const aq_value_wait waits[] = {
      {.address = NULL, .size = 8},
      {.address = m, .size = 1},
      {.address = m + 4, .size = 8},
      {.address = m, .size = 8, .condition = (aq_condition)4},
      {.address = m, .size = 8, .value = 0x100, .mask = 0xff},
      {.address = m, .size = 8, .condition = AQ_GE, .value = UINT64_MAX},
      {.address = m, .size = 4, .condition = AQ_LT, .value = 0x80000000},
      {.address = m, .size = 8, .way = AQ_VALUE_WAY_COUNT}};
  for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++)
    ck_assert_int_eq(aq_queue_atomic(queue, NULL, &atomics[i], &g->diag),
                     AQ_ERR_INVALID);
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
    ck_assert_int_eq(aq_queue_wait_value(queue, NULL, &waits[i], &g->diag),
                     AQ_ERR_INVALID);
  /* No packet waits and changes at once. */
  ck_assert_int_eq(
      aq_queue_atomic(
          queue, NULL,
          &(aq_atomic){.target = m, .size = 8, .way = AQ_VALUE_PACKET},
          &g->diag),
      AQ_ERR_UNSUPPORTED);
  ck_assert_ptr_nonnull(
      strstr(g->diag.text, "does not support way barrier-value"));
  aq_queue_stats stats;
  aq_queue_stats_get(queue, &stats);
  ck_assert_uint_eq(stats.operations, 0);
  aq_queue_destroy(queue);
}

/* ---- the suite on each ground ---- */

static const ground_case cases[] = {
    GROUND_CASE(every_atomic_changes_its_value_and_nothing_beside),
    GROUND_CASE(atomics_reach_memory_that_is_hidden_from_the_host),
    GROUND_CASE(a_wait_holds_its_queue_until_the_value_fulfils_it),
    GROUND_CASE(the_host_may_fulfil_a_wait),
    GROUND_CASE(all_of_32_bits_are_compared_without_a_sign),
    GROUND_CASE(a_wait_whose_value_never_comes_is_a_deadlock),
    GROUND_CASE(command_buffers_take_turns_by_values),
    GROUND_CASE(command_buffers_on_the_device_take_turns_by_values),
    GROUND_CASE(command_buffers_of_pm4_take_turns_by_values),
    GROUND_CASE(atomics_and_waits_are_deferred_with_what_they_need),
    GROUND_CASE(a_wait_ends_when_a_deferred_operation_changes_the_value),
    GROUND_CASE(what_makes_no_sense_is_refused),
};

int main(void)
{
  return ground_main("queue/values", cases, sizeof cases / sizeof *cases);
}
