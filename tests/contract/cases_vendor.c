/* SPDX-License-Identifier: MIT */
/* AMD's vendor packets: barrier-value and PM4 indirect buffers. */
#include "contract/contract.h"

#include <stdio.h>
#include <string.h>

static aq_packet barrier_value(aq_signal signal, int64_t mask,
                               aq_condition condition, int64_t value,
                               aq_signal completion)
{
  aq_packet packet = {.barrier_value = {.header = AQ_PACKET_VENDOR,
                                        .format = AQ_AMD_FORMAT_BARRIER_VALUE,
                                        .signal = signal,
                                        .value = value,
                                        .mask = mask,
                                        .condition = condition,
                                        .completion_signal = completion}};
  return packet;
}

static void every_condition_of_the_masked_value(contract *c)
{
  static const struct {
    aq_condition condition;
    int64_t before, after; /* with mask 0xff against 16 */
  } conditions[] = {{AQ_EQ, 0x111, 0xa10},
                    {AQ_NE, 0x310, 0x311},
                    {AQ_LT, 0x010, 0xf0f},
                    {AQ_GE, 0x70f, 0x010}};
  aq_ring *queue = contract_queue(c);
  for (int i = 0; i < 4; i++) {
    aq_signal s = contract_signal(c, conditions[i].before);
    aq_signal done = contract_signal(c, 1);
    aq_packet packet =
        barrier_value(s, 0xff, conditions[i].condition, 16, done);
    contract_submit(c, queue, &packet);
    contract_settle(c);
    ck_assert_int_eq(contract_value(c, done), 1);
    contract_store(c, s, conditions[i].after);
    contract_wait_zero(c, done);
    ck_assert_int_eq(contract_value(c, s), conditions[i].after);
  }
}

static void null_signal_is_satisfied(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = barrier_value(rig_none, 0, AQ_NE, 0, done);
  contract_submit(c, queue, &packet);
  contract_wait_zero(c, done);
}

static void negative_values_compare_signed(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal s = contract_signal(c, 3), done = contract_signal(c, 1);
  aq_packet packet = barrier_value(s, -1, AQ_LT, -5, done);
  contract_submit(c, queue, &packet);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 1);
  contract_store(c, s, -6);
  contract_wait_zero(c, done);
}

static void nothing_passes_a_barrier_value(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal s = contract_signal(c, 0), done = contract_signal(c, 1);
  aq_packet barrier = barrier_value(s, -1, AQ_GE, 2, rig_none);
  aq_packet packet = contract_dispatch(kernel, 4, false, done);
  contract_submit(c, queue, &barrier);
  contract_submit(c, queue, &packet);
  contract_settle(c);
  contract_check_ran(c, "");
  contract_store(c, s, 2);
  contract_wait_zero(c, done);
  contract_check_ran(c, "4");
}

/* ---- PM4 ---- */

enum {
  NOP = 0x10,
  DISPATCH_DIRECT = 0x15,
  ATOMIC_MEM = 0x1e,
  WRITE_DATA = 0x37,
  WAIT_REG_MEM = 0x3c,
  INDIRECT_BUFFER = 0x3f,
  COPY_DATA = 0x40,
  EVENT_WRITE = 0x46,
  RELEASE_MEM = 0x49,
  ACQUIRE_MEM = 0x58,
  SET_SH_REG = 0x76,
  WAIT_REG_MEM64 = 0x93,
  IB_WORDS = 128,
};

/* An indirect buffer being written, in memory that the device reads. */
typedef struct ib {
  uint32_t *words;
  uint32_t count;
} ib;

static ib ib_make(contract *c)
{
  void *memory;
  ck_assert_status(c->ops->mem_alloc(c->t, 0, AQ_MEMORY_HOST, IB_WORDS * 4,
                                     &memory, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  return (ib){memory, 0};
}

static void ib_add(ib *b, uint32_t opcode, uint32_t count,
                   const uint32_t *words)
{
  ck_assert_uint_lt(b->count + count, IB_WORDS);
  b->words[b->count++] = 3u << 30 | (count - 1) << 16 | opcode << 8;
  memcpy(&b->words[b->count], words, count * sizeof *words);
  b->count += count;
}

#define IB_ADD(b, opcode, ...)                                                 \
  ib_add(b, opcode, sizeof((uint32_t[]){__VA_ARGS__}) / 4,                     \
         (uint32_t[]){__VA_ARGS__})

static uint32_t low(const void *address)
{
  return (uint32_t)(uintptr_t)address;
}

static uint32_t high(const void *address)
{
  return (uint32_t)((uintptr_t)address >> 32);
}

static aq_packet ib_packet(const ib *b, aq_signal completion)
{
  aq_packet packet = {
      .pm4_ib = {.header = AQ_PACKET_VENDOR,
                 .format = AQ_AMD_FORMAT_PM4_IB,
                 .ib_jump = {3u << 30 | 2u << 16 | INDIRECT_BUFFER << 8,
                             low(b->words), high(b->words), b->count},
                 .remaining = 0xA,
                 .completion_signal = completion}};
  return packet;
}

static void ib_run(contract *c, const ib *b)
{
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = ib_packet(b, done);
  contract_submit(c, contract_queue(c), &packet);
  contract_wait_zero(c, done);
  ck_assert_uint_eq(c->error_count, 0);
}

static void words_are_written_and_copied(contract *c)
{
  ib b = ib_make(c), data = ib_make(c);
  uint32_t *d = data.words;
  d[3] = 33;
  IB_ADD(&b, NOP, 0xdead);
  IB_ADD(&b, WRITE_DATA, 5 << 8, low(d), high(d), 11, 22);
  IB_ADD(&b, COPY_DATA, 1 | 5 << 8, low(&d[3]), high(&d[3]), low(&d[2]),
         high(&d[2]));
  IB_ADD(&b, COPY_DATA, 5 | 5 << 8 | 1 << 16, 44, 55, low(&d[4]), high(&d[4]));
  ib_run(c, &b);
  const uint32_t expected[] = {11, 22, 33, 33, 44, 55, 0};
  ck_assert_mem_eq(d, expected, sizeof expected);
}

static void fences_and_events_pass(contract *c)
{
  ib b = ib_make(c), data = ib_make(c);
  uint32_t *d = data.words;
  IB_ADD(&b, ACQUIRE_MEM, 0, 0, 0, 0, 0, 0);
  IB_ADD(&b, EVENT_WRITE, 7);
  IB_ADD(&b, RELEASE_MEM, 0, 2u << 29, low(d), high(d), 7, 8);
  ib_run(c, &b);
  ck_assert_uint_eq(d[0], 7);
  ck_assert_uint_eq(d[1], 8);
}

static void waits_for_memory(contract *c)
{
  ib b = ib_make(c), data = ib_make(c);
  uint32_t *d = data.words;
  IB_ADD(&b, WAIT_REG_MEM, 3 | 1 << 4, low(d), high(d), 5, 0xf, 4);
  IB_ADD(&b, WRITE_DATA, 5 << 8, low(&d[4]), high(&d[4]), 1);
  IB_ADD(&b, WAIT_REG_MEM64, 5 | 1 << 4, low(&d[2]), high(&d[2]), 0, 1,
         UINT32_MAX, UINT32_MAX, 4);
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = ib_packet(&b, done);
  contract_submit(c, contract_queue(c), &packet);
  contract_settle(c);
  ck_assert_uint_eq(d[4], 0);
  __atomic_store_n(&d[0], 0x35u, __ATOMIC_RELEASE);
  contract_settle(c);
  ck_assert_uint_eq(d[4], 1);
  ck_assert_int_eq(contract_value(c, done), 1);
  __atomic_store_n((uint64_t *)(void *)&d[2], UINT64_C(1) << 32,
                   __ATOMIC_RELEASE);
  contract_wait_zero(c, done);
}

static void buffers_nest(contract *c)
{
  ib outer = ib_make(c), inner = ib_make(c), data = ib_make(c);
  uint32_t *d = data.words;
  IB_ADD(&inner, WRITE_DATA, 5 << 8, low(d), high(d), 1);
  IB_ADD(&outer, INDIRECT_BUFFER, low(inner.words), high(inner.words),
         inner.count);
  IB_ADD(&outer, WRITE_DATA, 5 << 8, low(&d[1]), high(&d[1]), 2);
  ib_run(c, &outer);
  ck_assert_uint_eq(d[0], 1);
  ck_assert_uint_eq(d[1], 2);
}

static void unknown_opcodes_stop(contract *c)
{
  static const uint32_t opcodes[] = {0x00, 0x2d, 0x77, 0xff};
  for (int i = 0; i < 4; i++) {
    ib b = ib_make(c);
    aq_signal done = contract_signal(c, 1);
    c->error_count = 0;
    IB_ADD(&b, opcodes[i], 0);
    aq_packet packet = ib_packet(&b, done);
    contract_submit(c, contract_queue(c), &packet);
    contract_settle(c);
    ck_assert_uint_eq(c->error_count, 1);
    ck_assert_int_eq(contract_value(c, done), 1);
    char opcode[16];
    snprintf(opcode, sizeof opcode, opcodes[i] ? "%#x" : "opcode %x",
             opcodes[i]);
    /* Hardware has a status and no words. */
    ck_assert_msg(!c->device->model || strstr(c->errors[0].text, opcode), "%s",
                  c->errors[0].text);
  }
}

/* From launch to the callback of a buffer that fails: in virtual time, since a
 * live callback runs later. */
static aq_time failing_takes(contract *c, aq_fence_scope release)
{
  ib b = ib_make(c);
  aq_ring *queue = contract_queue(c);
  IB_ADD(&b, 0xff, 0);
  aq_packet packet = ib_packet(&b, rig_none);
  packet.header = aq_packet_header(AQ_PACKET_VENDOR, 0, AQ_SCOPE_NONE, release);
  c->error_count = 0;
  contract_submit(c, queue, &packet);
  contract_settle(c);
  ck_assert_uint_eq(c->error_count, 1);
  return c->errors[0].time - rig_record(&c->rig, queue, 0)->launch;
}

static void errors_still_release(contract *c)
{
  ck_assert_int_gt(failing_takes(c, AQ_SCOPE_SYSTEM),
                   failing_takes(c, AQ_SCOPE_NONE));
}

/* TC_OP: what 32 bits do; 64 bits are 0x20 more. */
static void atomics_change_words(contract *c)
{
  uint64_t *values;
  void *memory;
  ck_assert_status(
      c->ops->mem_alloc(c->t, 0, AQ_MEMORY_HOST, 64, &memory, &c->rig.diag),
      AQ_OK, &c->rig.diag);
  values = memory;
  static const uint32_t operations[] = {0x07, 0x08, 0x0f, 0x15, 0x16, 0x17};
  const uint64_t value = 0xa0000000ffffffff, operand = 0xf0000000f;
  for (int i = 0; i < 6; i++)
    for (uint32_t wide = 0; wide < 2; wide++) {
      const uint64_t results[] = {operand,         operand,
                                  value + operand, value & operand,
                                  value | operand, value ^ operand};
      const uint64_t bits = wide ? UINT64_MAX : UINT32_MAX;
      ib b = ib_make(c);
      aq_signal done = contract_signal(c, 1);
      values[0] = values[2] = 7;
      values[1] = value;
      IB_ADD(&b, ATOMIC_MEM, operations[i] + 0x20 * wide, low(&values[1]),
             high(&values[1]), (uint32_t)operand, (uint32_t)(operand >> 32),
             (uint32_t)value, (uint32_t)(value >> 32), 0);
      aq_packet packet = ib_packet(&b, done);
      contract_submit(c, contract_queue(c), &packet);
      contract_wait_zero(c, done);
      ck_assert_uint_eq(values[1], (results[i] & bits) | (value & ~bits));
      ck_assert_uint_eq(values[0], 7);
      ck_assert_uint_eq(values[2], 7);
    }
}

static void formats_have_their_numbers(contract *c)
{
  unsigned char bytes[64] = {0, 0, 2};
  aq_signal done = contract_signal(c, 2);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_packet packet;
  memcpy(bytes + 56, &done, sizeof done);
  memcpy(&packet, bytes, sizeof packet);
  contract_submit(c, queue, &packet); /* barrier-value of no signal */
  ib b = ib_make(c);
  IB_ADD(&b, NOP, 0);
  aq_packet pm4 = ib_packet(&b, done);
  memcpy(bytes, &pm4, sizeof bytes);
  ck_assert_uint_eq(bytes[2], 1);
  ck_assert_uint_eq(bytes[20], 0xa);
  contract_submit(c, queue, &pm4);
  contract_wait_zero(c, done);
}

enum { PM4 = AQ_CAP_PM4 };

const contract_case contract_vendor[] = {
    {"a barrier-value compares the masked value in all four ways", "6, 58",
     AQ_CAP_BARRIER_VALUE, every_condition_of_the_masked_value},
    {"a barrier-value of no signal is satisfied", "58", AQ_CAP_BARRIER_VALUE,
     null_signal_is_satisfied},
    {"a barrier-value compares signed values", "58", AQ_CAP_BARRIER_VALUE,
     negative_values_compare_signed},
    {"nothing launches before a barrier-value is complete", "53, 58",
     AQ_CAP_BARRIER_VALUE | AQ_CAP_HOST_KERNELS,
     nothing_passes_a_barrier_value},
    {"format 1 is a PM4 buffer, 2 a barrier-value, completion at 56", "5, 6",
     AQ_CAP_BARRIER_VALUE | PM4, formats_have_their_numbers},
    {"a PM4 buffer writes and copies words", "7", PM4,
     words_are_written_and_copied},
    {"a PM4 buffer acquires, releases with data, and writes events", "7", PM4,
     fences_and_events_pass},
    {"a PM4 buffer waits for memory of 32 and 64 bits", "7", PM4,
     waits_for_memory},
    {"a PM4 buffer changes memory of 32 and 64 bits at once", "7", PM4,
     atomics_change_words},
    {"PM4 buffers nest", "7", PM4, buffers_nest},
    {"an error in an active packet still applies its release", "44",
     PM4 | AQ_CAP_RECORDS | AQ_CAP_TIMING | AQ_CAP_VIRTUAL_TIME,
     errors_still_release},
    {"an opcode that PM4 buffers may not hold is an error that names it", "7",
     PM4, unknown_opcodes_stop},
    {NULL}};
