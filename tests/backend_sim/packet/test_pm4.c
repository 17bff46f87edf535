/* SPDX-License-Identifier: MIT */
/* Conformance 7: PM4 indirect buffers, command by command. */
#include "backend_sim/rig.h"

#include <string.h>

#include "backend_sim/packet/packets.h"
#include "backend_sim/sim.h"

enum {
  ACQUIRE = 46000,
  RELEASE = 300000,
  BARRIER = 8700000, /* barrier_process */
  POLL = 10660000,
  SETUP = 3154000, /* dispatch_setup */
  OP_NOP = 0x10,
  OP_DISPATCH = 0x15,
  OP_WRITE = 0x37,
  OP_WAIT = 0x3c,
  OP_IB = 0x3f,
  OP_COPY = 0x40,
  OP_EVENT = 0x46,
  OP_RELEASE = 0x49,
  OP_ACQUIRE = 0x58,
  OP_SET_SH = 0x76,
  OP_WAIT64 = 0x93,
  TO_MEMORY = 5 << 8,
};

typedef struct pm4_rig {
  rig r;
  aq_ring *queue;
  aq_signal done;
  uint32_t ib[64], count;
  int errors;
  aq_time when; /* of the error */
  uint32_t reason;
  char text[600];
} pm4_rig;

static void on_error(const aq_queue_error *error, void *user)
{
  pm4_rig *p = user;
  p->errors++;
  p->when = p->r.t->ops->now(p->r.t);
  p->reason = error->reason;
  strncpy(p->text, error->text, sizeof p->text - 1);
}

static void pm4_open(pm4_rig *p)
{
  memset(p, 0, sizeof *p);
  rig_open(&p->r, &aqsim_transport_ops, NULL);
  aq_queue_desc desc = {.size = 64, .error = on_error, .user = p};
  ck_assert_status(
      p->r.t->ops->queue_create(p->r.t, &desc, &p->queue, &p->r.diag), AQ_OK,
      &p->r.diag);
  p->done = rig_signal(&p->r, 1, 0);
}

static void pm4_close(pm4_rig *p)
{
  rig_close(&p->r);
}

static uint32_t low(const void *address)
{
  return (uint32_t)(uintptr_t)address;
}

static uint32_t high(const void *address)
{
  return (uint32_t)((uintptr_t)address >> 32);
}

static void add(pm4_rig *p, uint32_t op, const uint32_t *words, uint32_t count)
{
  p->ib[p->count++] = 3u << 30 | (count - 1) << 16 | op << 8;
  memcpy(&p->ib[p->count], words, count * sizeof *words);
  p->count += count;
}

#define ADD(p, op, ...)                                                        \
  add(p, op, (const uint32_t[]){__VA_ARGS__},                                  \
      sizeof((uint32_t[]){__VA_ARGS__}) / 4)

static aq_packet pm4_packet(const uint32_t *ib, uint32_t count, aq_signal done)
{
  aq_packet packet = {0};
  packet.pm4_ib = (aq_pm4_ib_packet){
      .header =
          aq_packet_header(AQ_PACKET_VENDOR, 0, AQ_SCOPE_NONE, AQ_SCOPE_NONE),
      .format = AQ_AMD_FORMAT_PM4_IB,
      .ib_jump = {3u << 30 | 2u << 16 | OP_IB << 8, low(ib), high(ib),
                  count | 1u << 23},
      .remaining = 0xa,
      .completion_signal = done};
  return packet;
}

static void submit(pm4_rig *p)
{
  aq_packet packet = pm4_packet(p->ib, p->count, p->done);
  rig_submit(&p->r, p->queue, &packet);
}

static void run(pm4_rig *p)
{
  submit(p);
  rig_run(&p->r);
}

static aq_time took(pm4_rig *p)
{
  const aq_record *row = rig_record(&p->r, p->queue, 0);
  return row->end - row->start;
}

START_TEST(data_is_written_and_copied_before_the_completion)
{
  pm4_rig p;
  uint32_t words[4] = {0};
  uint64_t source = 0x1122334455667788, copy = 0, immediate = 0, clock = 0;
  pm4_open(&p);
  p.ib[p.count++] = 0xffff1000; /* a NOP that is its header alone */
  ADD(&p, OP_NOP, 1, 2, 3);
  ADD(&p, OP_WRITE, TO_MEMORY, low(words), high(words), 7, 8, 9);
  ADD(&p, OP_COPY, 2 | 2 << 8 | 1 << 16, low(&source), high(&source),
      low(&copy), high(&copy));
  ADD(&p, OP_COPY, 5 | TO_MEMORY, 99, 0, low(&immediate), high(&immediate));
  ADD(&p, OP_COPY, 9 | TO_MEMORY | 1 << 16, 0, 0, low(&clock), high(&clock));
  run(&p);
  ck_assert_int_eq(p.errors, 0);
  ck_assert_uint_eq(words[0] + words[1] + words[2] + words[3], 7 + 8 + 9);
  ck_assert_uint_eq(copy, source);
  ck_assert_uint_eq(immediate, 99);
  ck_assert_uint_gt(clock, 0);
  ck_assert_int_eq(rig_load(&p.r, p.done), 0);
  ck_assert_time_eq(took(&p), 0);
  pm4_close(&p);
}
END_TEST

START_TEST(fences_cost_what_the_device_model_says)
{
  pm4_rig p;
  uint64_t fence = 0;
  pm4_open(&p);
  ADD(&p, OP_ACQUIRE, 0, 0, 0, 0, 0, 0);
  ADD(&p, OP_RELEASE, 0, 2u << 29, low(&fence), high(&fence), 5, 6, 0);
  ADD(&p, OP_EVENT, 7 | 4 << 8);
  run(&p);
  ck_assert_int_eq(p.errors, 0);
  ck_assert_uint_eq(fence, 6ull << 32 | 5);
  ck_assert_time_eq(took(&p), ACQUIRE + RELEASE);
  pm4_close(&p);
}
END_TEST

/* Both widths, at a signal's value and at plain memory. */
START_TEST(a_wait_sees_memory_that_a_kernel_or_a_host_changes)
{
  for (int wide = 0; wide < 2; wide++) {
    pm4_rig p;
    pm4_open(&p);
    aq_signal signal = rig_signal(&p.r, 2, 0);
    const int64_t *value =
        &((const aq_amd_signal *)(uintptr_t)signal.handle)->value;
    uint32_t mine = 0;
    ADD(&p, OP_WAIT, 3 | 1 << 4, low(&mine), high(&mine), 4, 0xc, 10);
    if (wide)
      ADD(&p, OP_WAIT64, 1 | 1 << 4, low(value), high(value), 1, 0, ~0u, ~0u,
          10);
    else
      ADD(&p, OP_WAIT, 1 | 1 << 4, low(value), high(value), 1, ~0u, 10);
    submit(&p);
    rig_run(&p.r);
    ck_assert_int_eq(rig_load(&p.r, p.done), 1);
    __atomic_store_n(&mine, 0xf5, __ATOMIC_RELEASE);
    rig_sleep(&p.r, 50 * AQ_US);
    rig_run(&p.r);
    ck_assert_int_eq(rig_load(&p.r, p.done), 1);
    /* Two kernels decrement the signal to 0. */
    aq_ring *other = rig_queue(&p.r, 64);
    aq_packet kernel = rig_dispatch(rig_kernel(&p.r, "k", AQ_US), true, signal);
    rig_submit(&p.r, other, &kernel);
    rig_submit(&p.r, other, &kernel);
    rig_run(&p.r);
    ck_assert_int_eq(rig_load(&p.r, p.done), 0);
    ck_assert_time_eq(rig_record(&p.r, p.queue, 0)->end,
                      rig_record(&p.r, other, 1)->complete + POLL);
    pm4_close(&p);
  }
}
END_TEST

START_TEST(a_write_releases_a_barrier_and_a_host_wait)
{
  pm4_rig p;
  pm4_open(&p);
  aq_signal gate = rig_signal(&p.r, 1, 0), after = rig_signal(&p.r, 1, 0);
  int64_t *value = &((aq_amd_signal *)(uintptr_t)gate.handle)->value;
  aq_ring *other = rig_queue(&p.r, 64);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &gate, 1, after);
  rig_submit(&p.r, other, &barrier);
  ADD(&p, OP_WRITE, TO_MEMORY, low(value), high(value), 0, 0);
  submit(&p);
  aq_wait_item items[2] = {{gate, AQ_EQ, 0}, {after, AQ_EQ, 0}};
  ck_assert_status(rig_wait(&p.r, items, 2, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                   &p.r.diag);
  pm4_close(&p);
}
END_TEST

static void count_call(const aq_kernel_call *call)
{
  *(uint32_t *)call->user += *(uint32_t *)call->kernarg *
                             call->packet->grid_size[0] *
                             call->packet->workgroup_size[1];
}

START_TEST(a_dispatch_runs_the_kernel_that_the_registers_name)
{
  pm4_rig p;
  uint32_t calls = 0, argument = 10, fence = 0;
  pm4_open(&p);
  uint64_t object = rig_kernel_with(
      &p.r, &(aq_kernel_desc){.name = "k",
                              .function = count_call,
                              .user = &calls,
                              .cost = {AQ_COST_FIXED, 5 * AQ_US, 0}});
  ck_assert_uint_eq(object & 0xff, 0);
  ADD(&p, OP_SET_SH, 512 + 7, 8, 2, 1);
  ADD(&p, OP_SET_SH, 512 + 12, (uint32_t)(object >> 8),
      (uint32_t)(object >> 40));
  ADD(&p, OP_SET_SH, 512 + 64, low(&argument), high(&argument));
  ADD(&p, OP_DISPATCH, 3, 1, 1, 1);
  ADD(&p, OP_RELEASE, 0, 1u << 29, low(&fence), high(&fence), 77, 0);
  run(&p);
  ck_assert_msg(p.errors == 0, "%s", p.text);
  ck_assert_uint_eq(calls, 10 * 24 * 2);
  ck_assert_uint_eq(fence, 77);
  ck_assert_time_eq(took(&p), SETUP + 5 * AQ_US + RELEASE);
  pm4_close(&p);
}
END_TEST

START_TEST(dispatches_that_share_the_device_follow_one_another)
{
  pm4_rig p;
  pm4_open(&p);
  uint64_t object = rig_kernel_with(
      &p.r, &(aq_kernel_desc){
                .name = "k",
                .cost = {.kind = AQ_COST_WORKGROUP, .base = 50 * AQ_US}});
  ADD(&p, OP_SET_SH, 512 + 7, 1, 1, 1);
  ADD(&p, OP_SET_SH, 512 + 12, (uint32_t)(object >> 8),
      (uint32_t)(object >> 40));
  for (int i = 0; i < 3; i++)
    ADD(&p, OP_DISPATCH, 1, 1, 1, 1);
  run(&p);
  ck_assert_time_eq(took(&p), 3 * (SETUP + 50 * AQ_US));
  pm4_close(&p);
}
END_TEST

START_TEST(dispatches_without_a_function_overlap_until_a_flush)
{
  pm4_rig p;
  pm4_open(&p);
  uint64_t object = rig_kernel(&p.r, "k", 50 * AQ_US);
  ADD(&p, OP_SET_SH, 512 + 7, 1, 1, 1);
  ADD(&p, OP_SET_SH, 512 + 12, (uint32_t)(object >> 8),
      (uint32_t)(object >> 40));
  for (int i = 0; i < 3; i++)
    ADD(&p, OP_DISPATCH, 1, 1, 1, 1);
  run(&p);
  ck_assert_time_eq(took(&p), 3 * SETUP + 50 * AQ_US);
  pm4_close(&p);
}
END_TEST

START_TEST(buffers_call_and_chain_others)
{
  pm4_rig p;
  uint32_t out[3] = {0};
  pm4_open(&p);
  uint32_t called[] = {3u << 30 | 3 << 16 | OP_WRITE << 8, TO_MEMORY,
                       low(&out[0]), high(&out[0]), 1};
  uint32_t chained[] = {3u << 30 | 3 << 16 | OP_WRITE << 8, TO_MEMORY,
                        low(&out[2]), high(&out[2]), 3};
  ADD(&p, OP_IB, low(called), high(called), 5);
  ADD(&p, OP_WRITE, TO_MEMORY, low(&out[1]), high(&out[1]), 2);
  ADD(&p, OP_IB, low(chained), high(chained), 5 | 1 << 20);
  ADD(&p, OP_WRITE, TO_MEMORY, low(&out[1]), high(&out[1]), 99);
  run(&p);
  ck_assert_int_eq(p.errors, 0);
  ck_assert_uint_eq(out[0] * 100 + out[1] * 10 + out[2], 123);
  pm4_close(&p);
}
END_TEST

static void write_command(pm4_rig *p, uint32_t *words, const char **expected,
                          int which)
{
  switch (which) {
  case 0:
    ADD(p, 0x28, 0, 0);
    *expected = "unknown opcode 0x28";
    break;
  case 1:
    p->ib[p->count++] = 3u << 30 | 20 << 16 | OP_WRITE << 8;
    *expected = "PM4 WRITE_DATA: wrong number of words: 0x15";
    break;
  case 2:
    ADD(p, OP_WRITE, TO_MEMORY, low(words) + 1, high(words), 1);
    *expected = "misaligned destination";
    break;
  case 3:
    ADD(p, OP_COPY, 1 | TO_MEMORY, low(words) + 2, high(words), low(words),
        high(words));
    *expected = "COPY_DATA: misaligned";
    break;
  case 4:
    ADD(p, OP_WRITE, 0, low(words), high(words), 1);
    *expected = "destination is not memory";
    break;
  case 5:
    ADD(p, OP_WAIT, 3, low(words), high(words), 0, 0, 0);
    *expected = "waits for a register";
    break;
  case 6:
    ADD(p, OP_SET_SH, 600, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
        34, 35, 36, 37, 38, 39, 40, 41);
    *expected = "no compute register";
    break;
  case 7:
    ADD(p, OP_DISPATCH, 1, 1, 1, 1);
    *expected = "is not a kernel";
    break;
  case 8:
    ADD(p, OP_IB, low(p->ib), high(p->ib), 4);
    *expected = "nested deeper";
    break;
  case 9:
    ADD(p, OP_IB, low(p->ib), high(p->ib), 4 | 1 << 20);
    *expected = "never ends";
    break;
  case 10:
    p->ib[p->count++] = 0x80000000;
    *expected = "not of type 3";
    break;
  default:
    ADD(p, OP_RELEASE, 0, 7u << 29, low(words), high(words), 0, 0);
    *expected = "data is not served";
  }
}

/* Conformance 7, 44: the error names the command, after the release fence. */
START_TEST(anything_else_is_a_queue_error_that_names_it)
{
  for (int which = 0; which < 12; which++) {
    pm4_rig p;
    uint32_t words[4] = {0};
    const char *expected = NULL;
    pm4_open(&p);
    write_command(&p, words, &expected, which);
    aq_packet packet = pm4_packet(p.ib, p.count, p.done);
    packet.header |= AQ_SCOPE_SYSTEM << AQ_HEADER_RELEASE_SHIFT;
    rig_submit(&p.r, p.queue, &packet);
    rig_run(&p.r);
    ck_assert_msg(p.errors == 1, "case %d", which);
    ck_assert_msg(strstr(p.text, expected), "case %d: %s", which, p.text);
    ck_assert_int_eq(rig_load(&p.r, p.done), 1);
    const aq_record *row = rig_record(&p.r, p.queue, 0);
    ck_assert_int_eq(row->flags, AQ_FLAG_ERROR);
    ck_assert_time_eq(p.when, row->launch + BARRIER + RELEASE);
    pm4_close(&p);
  }
}
END_TEST

START_TEST(a_packet_must_jump_to_a_buffer)
{
  pm4_rig p;
  pm4_open(&p);
  aq_packet packet = pm4_packet(p.ib, 0, p.done);
  packet.pm4_ib.ib_jump[0] = 3u << 30 | 2u << 16 | OP_NOP << 8;
  rig_submit(&p.r, p.queue, &packet);
  rig_run(&p.r);
  ck_assert_uint_eq(p.reason, AQSIM_FAULT_VENDOR_FORMAT);
  ck_assert_ptr_nonnull(strstr(p.text, "not an INDIRECT_BUFFER"));
  pm4_close(&p);
}
END_TEST

AQ_TEST_MAIN("backend_sim/packet/pm4",
             data_is_written_and_copied_before_the_completion,
             fences_cost_what_the_device_model_says,
             a_wait_sees_memory_that_a_kernel_or_a_host_changes,
             a_write_releases_a_barrier_and_a_host_wait,
             a_dispatch_runs_the_kernel_that_the_registers_name,
             dispatches_that_share_the_device_follow_one_another,
             dispatches_without_a_function_overlap_until_a_flush,
             buffers_call_and_chain_others,
             anything_else_is_a_queue_error_that_names_it,
             a_packet_must_jump_to_a_buffer)
