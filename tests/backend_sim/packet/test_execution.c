/* SPDX-License-Identifier: MIT */
/*
 * Kernels that are code, run by an executor of a few operations: a kernel
 * object points to the list of the kernel's operations in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core.h"
#include "backend_sim/rig.h"
#include "backend_sim/sim.h"

/* ---- the executor ---- */

typedef enum op_kind {
  OP_END,
  OP_STORE,   /* *address = value */
  OP_SPIN,    /* waits until *address == value */
  OP_WORK,    /* `value` instructions that store nothing */
  OP_ELAPSE,  /* the device takes `value` ps for the next ones at once */
  OP_CLOCK,   /* reads a clock that says how long the kernel takes */
  OP_ILLEGAL, /* faults */
  OP_TRAP,
  OP_MISS, /* touches `address`, where nothing is */
} op_kind;

typedef struct op {
  op_kind kind;
  int64_t *address;
  int64_t value;
} op;

typedef struct toy {
  int begun, ended, steps;
  bool refuses, predicts;
  aq_execution_desc last;
  aq_kernel_packet packet; /* of `last` */
} toy;

typedef struct toy_execution {
  toy *toy;
  const op *at;
  int64_t left; /* of WORK */
  bool told;
} toy_execution;

static aq_status toy_begin(void *user, const aq_execution_desc *desc,
                           void **out, aq_diag *diag)
{
  toy *t = user;
  if (t->refuses)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "no code for %s", desc->gfx);
  toy_execution *e = calloc(1, sizeof *e);
  ck_assert_ptr_nonnull(e);
  t->begun++;
  t->last = *desc;
  t->packet = *desc->packet;
  e->toy = t;
  e->at = (const op *)(uintptr_t)desc->packet->kernel_object;
  e->left = e->at->kind == OP_WORK ? e->at->value : 0;
  *out = e;
  return AQ_OK;
}

static aq_execution_state fault(aq_execution_step *out,
                                aq_execution_fault_kind kind, const op *at)
{
  out->fault = (aq_execution_fault){
      .kind = kind, .address = (uintptr_t)at->address, .pc = (uintptr_t)at};
  snprintf(out->fault.text, sizeof out->fault.text, "toy fault %d", (int)kind);
  return AQ_EXECUTION_FAULT;
}

static aq_execution_state toy_step(void *execution, uint64_t budget,
                                   uint64_t ticks, aq_execution_step *out)
{
  toy_execution *e = execution;
  (void)ticks;
  e->toy->steps++;
  *out = (aq_execution_step){0};
  for (; out->instructions < budget; e->at++) {
    out->instructions++;
    switch (e->at->kind) {
    case OP_END:
      out->told = e->told;
      return AQ_EXECUTION_DONE;
    case OP_CLOCK:
      e->told = true;
      break;
    case OP_STORE:
      __atomic_store_n(e->at->address, e->at->value, __ATOMIC_RELEASE);
      break;
    case OP_SPIN:
      if (__atomic_load_n(e->at->address, __ATOMIC_ACQUIRE) != e->at->value)
        return AQ_EXECUTION_WAITS;
      break;
    case OP_WORK:
      if (e->left > (int64_t)budget) {
        e->left -= (int64_t)budget;
        return AQ_EXECUTION_MORE;
      }
      break;
    case OP_ELAPSE:
      out->elapsed += e->at->value;
      break;
    case OP_ILLEGAL:
      return fault(out, AQ_EXECUTION_FAULT_ILLEGAL, e->at);
    case OP_TRAP:
      return fault(out, AQ_EXECUTION_FAULT_TRAP, e->at);
    case OP_MISS:
      return fault(out, AQ_EXECUTION_FAULT_MEMORY, e->at);
    }
  }
  return AQ_EXECUTION_MORE;
}

static void toy_end(void *execution)
{
  toy_execution *e = execution;
  e->toy->ended++;
  free(e);
}

static bool toy_predicts(void *user)
{
  return ((toy *)user)->predicts;
}

static aq_executor toy_executor(toy *t)
{
  return (aq_executor){.abi = AQ_EXECUTOR_ABI,
                       .size = sizeof(aq_executor),
                       .name = "toy",
                       .user = t,
                       .begin = toy_begin,
                       .step = toy_step,
                       .end = toy_end,
                       .predicts = toy_predicts};
}

/* ---- the bench ---- */

typedef struct bench {
  rig rig;
  toy toy;
  aq_executor executor;
  aq_ring *queue;
  char lines[4][300];
  int line_count;
  uint32_t reason;
  char reason_text[300];
  uint64_t missing;
} bench;

static void on_event(const aq_system_event *event, void *user)
{
  bench *b = user;
  b->missing = event->address;
}

static void on_error(const aq_queue_error *error, void *user)
{
  bench *b = user;
  b->reason = error->reason;
  snprintf(b->reason_text, sizeof b->reason_text, "%s", error->text);
}

static aq_ring *bench_queue(bench *b)
{
  aq_ring *queue;
  aq_queue_desc desc = {.size = 64, .error = on_error, .user = b};
  ck_assert_status(
      b->rig.t->ops->queue_create(b->rig.t, &desc, &queue, &b->rig.diag), AQ_OK,
      &b->rig.diag);
  return queue;
}

static void bench_open(bench *b)
{
  memset(b, 0, sizeof *b);
  b->executor = toy_executor(&b->toy);
  rig_open_with(&b->rig, &aqsim_transport_ops,
                &(aq_transport_options){.executor = &b->executor,
                                        .event = on_event,
                                        .event_user = b});
  b->queue = bench_queue(b);
}

/* A kernel of that code which takes `duration` by its cost model. */
static uint64_t code_kernel(bench *b, const op *code, aq_time duration)
{
  return rig_kernel_with(
      &b->rig,
      &(aq_kernel_desc){.name = "code",
                        .cost = {.kind = AQ_COST_FIXED, .base = duration},
                        .object = (uintptr_t)code,
                        .code = true});
}

static void submit(bench *b, aq_ring *queue, uint64_t object, aq_signal done)
{
  aq_packet packet = rig_dispatch(object, true, done);
  rig_submit(&b->rig, queue, &packet);
}

static aq_wait_item is_zero(aq_signal signal)
{
  return (aq_wait_item){signal, AQ_EQ, 0};
}

/* ---- tests ---- */

START_TEST(what_code_stores_is_there_when_the_kernel_completes)
{
  bench b;
  bench_open(&b);
  int64_t word = 0;
  const op code[] = {{OP_STORE, &word, 7}, {OP_END, NULL, 0}};
  aq_signal done = rig_signal(&b.rig, 1, 0);
  submit(&b, b.queue, code_kernel(&b, code, 5 * AQ_US), done);
  aq_wait_item item = is_zero(done);
  ck_assert_int_eq(rig_wait(&b.rig, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK);
  ck_assert_int_eq(word, 7);
  ck_assert_int_eq(b.toy.begun, 1);
  ck_assert_int_eq(b.toy.ended, 1);
  rig_run(&b.rig);
  rig_close(&b.rig);
}
END_TEST

START_TEST(an_execution_is_given_its_dispatch)
{
  bench b;
  bench_open(&b);
  const op code[] = {{OP_END, NULL, 0}};
  submit(&b, b.queue, code_kernel(&b, code, AQ_US), rig_none);
  rig_run(&b.rig);
  ck_assert_str_eq(b.toy.last.kernel, "code");
  ck_assert_str_eq(b.toy.last.gfx, "gfx942");
  ck_assert_uint_eq(b.toy.last.wave_size, 64);
  ck_assert_uint_eq(b.toy.last.cus, 304);
  ck_assert_ptr_eq(b.toy.last.queue->hsa.base, b.queue->packets);
  rig_close(&b.rig);
}
END_TEST

START_TEST(an_execution_has_sizes_of_1_where_the_packet_has_no_dimension)
{
  bench b;
  bench_open(&b);
  const op code[] = {{OP_END, NULL, 0}};
  aq_packet packet = rig_dispatch(code_kernel(&b, code, AQ_US), true, rig_none);
  packet.kernel.setup = 1;
  packet.kernel.workgroup_size[1] = packet.kernel.workgroup_size[2] = 0;
  packet.kernel.grid_size[1] = packet.kernel.grid_size[2] = 0;
  rig_submit(&b.rig, b.queue, &packet);
  rig_run(&b.rig);
  ck_assert_int_eq(b.toy.begun, 1);
  for (int i = 1; i < 3; i++) {
    ck_assert_uint_eq(b.toy.packet.workgroup_size[i], 1);
    ck_assert_uint_eq(b.toy.packet.grid_size[i], 1);
  }
  rig_close(&b.rig);
}
END_TEST

/* Timing is the cost model's: an executor that claims no time changes none. */
START_TEST(code_takes_the_time_of_its_cost_model)
{
  const op code[] = {{OP_END, NULL, 0}};
  aq_record rows[2];
  for (int with = 0; with < 2; with++) {
    bench b;
    bench_open(&b);
    uint64_t object = with ? code_kernel(&b, code, 5 * AQ_US)
                           : rig_kernel(&b.rig, "code", 5 * AQ_US);
    submit(&b, b.queue, object, rig_none);
    submit(&b, b.queue, object, rig_none);
    rig_run(&b.rig);
    ck_assert_int_eq(b.toy.begun, with ? 2 : 0);
    rows[with] = *rig_record(&b.rig, b.queue, 1);
    rig_close(&b.rig);
  }
  ck_assert_time_eq(rows[0].start, rows[1].start);
  ck_assert_time_eq(rows[0].end, rows[1].end);
  ck_assert_time_eq(rows[0].complete, rows[1].complete);
}
END_TEST

START_TEST(time_that_the_executor_knows_extends_the_kernel)
{
  bench b;
  bench_open(&b);
  const op slower[] = {{OP_ELAPSE, NULL, 9 * AQ_US}, {OP_END, NULL, 0}};
  aq_ring *other = bench_queue(&b);
  const op faster[] = {{OP_ELAPSE, NULL, 9 * AQ_US}, {OP_END, NULL, 0}};
  submit(&b, b.queue, code_kernel(&b, slower, 2 * AQ_US), rig_none);
  submit(&b, other, code_kernel(&b, faster, 20 * AQ_US), rig_none);
  rig_run(&b.rig);
  const aq_record *row = rig_record(&b.rig, b.queue, 0);
  ck_assert_time_eq(row->end - row->start, 9 * AQ_US);
  ck_assert_int_eq(row->flags, AQ_FLAG_EXECUTED);
  row = rig_record(&b.rig, other, 0);
  ck_assert_time_eq(row->end - row->start, 20 * AQ_US);
  ck_assert_int_eq(row->flags, 0);
  rig_close(&b.rig);
}
END_TEST

/* Packets follow on one another in the memory of one packet in flight. */
START_TEST(nothing_of_an_execution_stays_for_the_next_packet)
{
  bench b;
  bench_open(&b);
  const op slow[] = {{OP_ELAPSE, NULL, 9 * AQ_US}, {OP_END, NULL, 0}};
  const op reads[] = {
      {OP_CLOCK, NULL, 0}, {OP_ELAPSE, NULL, AQ_US}, {OP_END, NULL, 0}};
  const op fast[] = {{OP_ELAPSE, NULL, AQ_US}, {OP_END, NULL, 0}};
  submit(&b, b.queue, code_kernel(&b, slow, 2 * AQ_US), rig_none);
  rig_run(&b.rig);
  submit(&b, b.queue, rig_kernel(&b.rig, "no code", AQ_US), rig_none);
  rig_run(&b.rig);
  ck_assert_int_eq(rig_record(&b.rig, b.queue, 0)->flags, AQ_FLAG_EXECUTED);
  ck_assert_int_eq(rig_record(&b.rig, b.queue, 1)->flags, 0);
  b.toy.predicts = true;
  submit(&b, b.queue, code_kernel(&b, reads, 2 * AQ_US), rig_none);
  rig_run(&b.rig);
  submit(&b, b.queue, code_kernel(&b, fast, 2 * AQ_US), rig_none);
  rig_run(&b.rig);
  ck_assert_int_eq(rig_record(&b.rig, b.queue, 2)->flags & AQ_FLAG_PREDICTED,
                   0);
  ck_assert_int_ne(rig_record(&b.rig, b.queue, 3)->flags & AQ_FLAG_PREDICTED,
                   0);
  rig_close(&b.rig);
}
END_TEST

/* PM4 commands that dispatch the code at a multiple of 256. */
static aq_packet commands_make(uint32_t ib[14], const op *code)
{
  const uint64_t entry = (uintptr_t)code >> 8;
  const uint32_t set = 3u << 30 | 0x76 << 8, dispatch = 3u << 30 | 0x15 << 8,
                 jump = 3u << 30 | 2 << 16 | 0x3f << 8;
  const uint32_t words[14] = {set | 3 << 16,
                              512 + 7,
                              64,
                              1,
                              1,
                              set | 2 << 16,
                              512 + 12,
                              (uint32_t)entry,
                              (uint32_t)(entry >> 32),
                              dispatch | 3 << 16,
                              1,
                              1,
                              1,
                              1};
  memcpy(ib, words, sizeof words);
  aq_packet packet = {0};
  packet.pm4_ib = (aq_pm4_ib_packet){
      .header =
          aq_packet_header(AQ_PACKET_VENDOR, 0, AQ_SCOPE_NONE, AQ_SCOPE_NONE),
      .format = AQ_AMD_FORMAT_PM4_IB,
      .ib_jump = {jump, (uint32_t)(uintptr_t)ib,
                  (uint32_t)((uintptr_t)ib >> 32), 14 | 1u << 23},
      .remaining = 0xa};
  return packet;
}

START_TEST(nothing_of_code_that_commands_dispatch_stays_for_the_next_packet)
{
  bench b;
  bench_open(&b);
  static const _Alignas(256)
      op reads[] = {{OP_CLOCK, NULL, 0}, {OP_END, NULL, 0}};
  const op fast[] = {{OP_ELAPSE, NULL, AQ_US}, {OP_END, NULL, 0}};
  uint32_t ib[14];
  b.toy.predicts = true;
  ck_assert_uint_eq(code_kernel(&b, reads, AQ_US), (uintptr_t)reads);
  const aq_packet commands = commands_make(ib, reads);
  rig_submit(&b.rig, b.queue, &commands);
  rig_run(&b.rig);
  ck_assert_int_eq(b.toy.ended, 1);
  submit(&b, b.queue, code_kernel(&b, fast, 2 * AQ_US), rig_none);
  rig_run(&b.rig);
  ck_assert_int_ne(rig_record(&b.rig, b.queue, 1)->flags & AQ_FLAG_PREDICTED,
                   0);
  rig_close(&b.rig);
}
END_TEST

START_TEST(long_code_is_executed_in_steps_and_its_time_stays)
{
  bench b;
  bench_open(&b);
  int64_t word = 0;
  const op code[] = {
      {OP_WORK, NULL, 10000000}, {OP_STORE, &word, 1}, {OP_END, NULL, 0}};
  submit(&b, b.queue, code_kernel(&b, code, AQ_US), rig_none);
  rig_run(&b.rig);
  const aq_record *row = rig_record(&b.rig, b.queue, 0);
  ck_assert_time_eq(row->end - row->start, AQ_US);
  ck_assert_int_gt(b.toy.steps, 10);
  ck_assert_int_eq(word, 1);
  rig_close(&b.rig);
}
END_TEST

START_TEST(kernels_of_two_queues_that_wait_for_each_other_both_end)
{
  bench b;
  bench_open(&b);
  int64_t ping = 0, pong = 0;
  const op first[] = {
      {OP_STORE, &ping, 1}, {OP_SPIN, &pong, 1}, {OP_END, NULL, 0}};
  const op second[] = {
      {OP_SPIN, &ping, 1}, {OP_STORE, &pong, 1}, {OP_END, NULL, 0}};
  aq_ring *other = bench_queue(&b);
  submit(&b, other, code_kernel(&b, second, AQ_US), rig_none);
  submit(&b, b.queue, code_kernel(&b, first, 50 * AQ_US), rig_none);
  rig_run(&b.rig);
  ck_assert_int_eq(pong, 1);
  ck_assert_int_eq(b.toy.ended, 2);
  /* The first one to be ready waited for the store of the other. */
  ck_assert_time_eq(rig_record(&b.rig, b.queue, 0)->end -
                        rig_record(&b.rig, b.queue, 0)->start,
                    50 * AQ_US);
  rig_close(&b.rig);
}
END_TEST

START_TEST(code_that_waits_for_the_host_ends_when_the_host_stores)
{
  bench b;
  bench_open(&b);
  int64_t word = 0;
  const op code[] = {{OP_SPIN, &word, 1}, {OP_END, NULL, 0}};
  aq_signal done = rig_signal(&b.rig, 1, 0);
  submit(&b, b.queue, code_kernel(&b, code, AQ_US), done);
  aq_time later = b.rig.t->ops->now(b.rig.t) + AQ_MS;
  rig_sleep(&b.rig, later);
  ck_assert_int_eq(rig_load(&b.rig, done), 1);
  word = 1;
  rig_run(&b.rig);
  ck_assert_int_eq(rig_load(&b.rig, done), 0);
  const aq_record *row = rig_record(&b.rig, b.queue, 0);
  ck_assert_int_ge(row->end, later);
  ck_assert_int_lt(row->end, later + 10 * AQ_US);
  rig_close(&b.rig);
}
END_TEST

START_TEST(a_store_of_code_to_a_signal_opens_a_barrier_packet)
{
  bench b;
  bench_open(&b);
  aq_signal dep_wait = rig_signal(&b.rig, 1, 0),
            done = rig_signal(&b.rig, 1, 0);
  aq_ring *other = bench_queue(&b);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &dep_wait, 1, done);
  rig_submit(&b.rig, other, &barrier);
  const op code[] = {
      {OP_STORE,
       (int64_t *)&((aq_amd_signal *)(uintptr_t)dep_wait.handle)->value, 0},
      {OP_END, NULL, 0}};
  submit(&b, b.queue, code_kernel(&b, code, AQ_US), rig_none);
  aq_wait_item item = is_zero(done);
  ck_assert_int_eq(rig_wait(&b.rig, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK);
  rig_close(&b.rig);
}
END_TEST

START_TEST(a_fault_stops_the_queue_with_its_reason)
{
  static const struct {
    op_kind kind;
    uint32_t reason;
  } cases[] = {{OP_ILLEGAL, 0x40000000}, {OP_TRAP, 0x80000000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b;
    bench_open(&b);
    const op code[] = {{cases[i].kind, NULL, 0}};
    aq_signal done = rig_signal(&b.rig, 1, 0);
    submit(&b, b.queue, code_kernel(&b, code, AQ_US), done);
    rig_run(&b.rig);
    ck_assert_uint_eq(b.reason, cases[i].reason);
    ck_assert_ptr_nonnull(strstr(b.reason_text, "toy fault"));
    ck_assert_int_eq(rig_load(&b.rig, done), 1);
    ck_assert_int_eq(b.toy.ended, 1);
    rig_close(&b.rig);
  }
}
END_TEST

START_TEST(an_access_that_misses_is_a_memory_fault_of_the_system)
{
  bench b;
  bench_open(&b);
  const op code[] = {{OP_MISS, (int64_t *)(uintptr_t)0x1230, 0}};
  submit(&b, b.queue, code_kernel(&b, code, AQ_US), rig_none);
  rig_run(&b.rig);
  ck_assert_uint_eq(b.missing, 0x1230);
  ck_assert_uint_eq(b.reason, 0); /* the queue's callback is not called */
  rig_close(&b.rig);
}
END_TEST

START_TEST(code_that_the_executor_refuses_stops_the_queue)
{
  bench b;
  bench_open(&b);
  b.toy.refuses = true;
  const op code[] = {{OP_END, NULL, 0}};
  submit(&b, b.queue, code_kernel(&b, code, AQ_US), rig_none);
  rig_run(&b.rig);
  ck_assert_uint_eq(b.reason, 0x40000000);
  ck_assert_ptr_nonnull(strstr(b.reason_text, "no code for gfx942"));
  ck_assert_int_eq(b.toy.ended, 0);
  rig_close(&b.rig);
}
END_TEST

static int calls;

static void host(const aq_kernel_call *call)
{
  (void)call;
  calls++;
}

START_TEST(a_host_function_takes_the_place_of_code)
{
  bench b;
  bench_open(&b);
  calls = 0;
  const op code[] = {{OP_END, NULL, 0}};
  uint64_t object =
      rig_kernel_with(&b.rig, &(aq_kernel_desc){.name = "both",
                                                .function = host,
                                                .object = (uintptr_t)code,
                                                .code = true});
  submit(&b, b.queue, object, rig_none);
  rig_run(&b.rig);
  ck_assert_int_eq(calls, 1);
  ck_assert_int_eq(b.toy.begun, 0);
  rig_close(&b.rig);
}
END_TEST

START_TEST(code_whose_workgroups_share_the_device_is_executed_once)
{
  bench b;
  bench_open(&b);
  int64_t word = 0;
  const op code[] = {{OP_STORE, &word, 3}, {OP_END, NULL, 0}};
  uint64_t object = rig_kernel_with(
      &b.rig,
      &(aq_kernel_desc){.name = "waves",
                        .cost = {.kind = AQ_COST_WORKGROUP, .base = 3 * AQ_US},
                        .object = (uintptr_t)code,
                        .code = true});
  submit(&b, b.queue, object, rig_none);
  rig_run(&b.rig);
  ck_assert_int_eq(word, 3);
  ck_assert_int_eq(b.toy.begun, 1);
  ck_assert_time_eq(rig_record(&b.rig, b.queue, 0)->end -
                        rig_record(&b.rig, b.queue, 0)->start,
                    3 * AQ_US);
  rig_close(&b.rig);
}
END_TEST

START_TEST(destroying_a_queue_ends_what_its_kernels_execute)
{
  bench b;
  bench_open(&b);
  int64_t word = 0;
  const op code[] = {{OP_SPIN, &word, 1}, {OP_END, NULL, 0}};
  submit(&b, b.queue, code_kernel(&b, code, AQ_US), rig_none);
  rig_sleep(&b.rig, b.rig.t->ops->now(b.rig.t) + AQ_MS);
  ck_assert_int_eq(b.toy.begun, 1);
  b.rig.t->ops->queue_destroy(b.rig.t, b.queue);
  ck_assert_int_eq(b.toy.ended, 1);
  b.queue = bench_queue(&b);
  submit(&b, b.queue, code_kernel(&b, code, AQ_US), rig_none);
  rig_sleep(&b.rig, b.rig.t->ops->now(b.rig.t) + AQ_MS);
  rig_close(&b.rig);
  ck_assert_int_eq(b.toy.ended, 2);
}
END_TEST

START_TEST(an_executor_of_another_abi_is_refused)
{
  toy t = {0};
  aq_executor executor = toy_executor(&t);
  executor.abi = 99;
  aq_transport *out = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  aq_transport_options options = {.size = sizeof options,
                                  .executor = &executor};
  ck_assert_int_eq(aqsim_transport_ops.open(&options, &out, &diag),
                   AQ_ERR_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(diag.text, "executor toy has ABI 99"));
}
END_TEST

AQ_TEST_MAIN("backend_sim/packet/execution",
             what_code_stores_is_there_when_the_kernel_completes,
             an_execution_is_given_its_dispatch,
             an_execution_has_sizes_of_1_where_the_packet_has_no_dimension,
             code_takes_the_time_of_its_cost_model,
             time_that_the_executor_knows_extends_the_kernel,
             nothing_of_an_execution_stays_for_the_next_packet,
             nothing_of_code_that_commands_dispatch_stays_for_the_next_packet,
             long_code_is_executed_in_steps_and_its_time_stays,
             kernels_of_two_queues_that_wait_for_each_other_both_end,
             code_that_waits_for_the_host_ends_when_the_host_stores,
             a_store_of_code_to_a_signal_opens_a_barrier_packet,
             a_fault_stops_the_queue_with_its_reason,
             an_access_that_misses_is_a_memory_fault_of_the_system,
             code_that_the_executor_refuses_stops_the_queue,
             a_host_function_takes_the_place_of_code,
             code_whose_workgroups_share_the_device_is_executed_once,
             destroying_a_queue_ends_what_its_kernels_execute,
             an_executor_of_another_abi_is_refused)
