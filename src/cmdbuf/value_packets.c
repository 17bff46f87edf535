/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/value_packets.h"

#include <stddef.h>
#include <string.h>

#include "common/pm4.h"

#define LOW(value)  ((uint32_t)(value))
#define HIGH(value) ((uint32_t)((uint64_t)(value) >> 32))

AQ_STATIC_ASSERT(sizeof(aq_atomic_args) <= AQ_VALUE_KERNARG, "a line");
AQ_STATIC_ASSERT(sizeof(aq_wait_args) <= AQ_VALUE_KERNARG, "a line");
AQ_STATIC_ASSERT(AQ_VALUE_WORDS * 4 <= AQ_VALUE_KERNARG, "a line");

enum { SIGNAL_VALUE = 8 /* bytes from a signal to its value */ };
AQ_STATIC_ASSERT(offsetof(aq_amd_signal, value) == SIGNAL_VALUE, "at 8");

/* ---- commands ---- */

uint32_t aq_wait_words(const aq_wait_args *wait, uint32_t words[AQ_VALUE_WORDS])
{
  static const uint8_t functions[] = {[AQ_EQ] = AQ_PM4_EQUAL,
                                      [AQ_NE] = AQ_PM4_NOT_EQUAL,
                                      [AQ_LT] = AQ_PM4_LESS,
                                      [AQ_GE] = AQ_PM4_GREATER_EQUAL};
  const uint64_t at = (uintptr_t)wait->address;
  uint32_t count = 1;
  words[count++] = functions[wait->condition & 3] | (uint32_t)AQ_PM4_MEMORY;
  words[count++] = LOW(at);
  words[count++] = HIGH(at);
  words[count++] = LOW(wait->value);
  if (wait->size == 8)
    words[count++] = HIGH(wait->value);
  words[count++] = LOW(wait->mask);
  if (wait->size == 8)
    words[count++] = HIGH(wait->mask);
  words[count++] = AQ_PM4_POLL;
  words[0] = aq_pm4_header(
      wait->size == 8 ? AQ_PM4_WAIT_REG_MEM64 : AQ_PM4_WAIT_REG_MEM, count);
  return count;
}

uint32_t aq_atomic_words(const aq_atomic_args *atomic,
                         uint32_t words[AQ_VALUE_WORDS])
{
  static const uint8_t operations[AQ_ATOMIC_OP_COUNT] = {
      [AQ_ATOMIC_STORE] = AQ_PM4_ATOMIC_SWAP,
      [AQ_ATOMIC_ADD] = AQ_PM4_ATOMIC_ADD,
      [AQ_ATOMIC_AND] = AQ_PM4_ATOMIC_AND,
      [AQ_ATOMIC_OR] = AQ_PM4_ATOMIC_OR,
      [AQ_ATOMIC_XOR] = AQ_PM4_ATOMIC_XOR,
      [AQ_ATOMIC_SWAP] = AQ_PM4_ATOMIC_SWAP,
      [AQ_ATOMIC_CAS] = AQ_PM4_ATOMIC_CAS};
  const uint64_t at = (uintptr_t)atomic->target;
  words[0] = aq_pm4_header(AQ_PM4_ATOMIC_MEM, AQ_PM4_ATOMIC_WORDS);
  words[1] = operations[atomic->op] |
             (atomic->size == 8 ? (uint32_t)AQ_PM4_ATOMIC_64 : 0);
  words[2] = LOW(at);
  words[3] = HIGH(at);
  words[4] = LOW(atomic->operand);
  words[5] = HIGH(atomic->operand);
  words[6] = LOW(atomic->expected);
  words[7] = HIGH(atomic->expected);
  words[8] = 0; /* a single pass */
  return AQ_PM4_ATOMIC_WORDS;
}

/* ---- bodies ---- */

static void body_clear(aq_packet *slot)
{
  memset((unsigned char *)slot + sizeof slot->header_setup, 0,
         sizeof *slot - sizeof slot->header_setup);
}

static uint32_t kernel_write(aq_packet *slot, uint64_t object,
                             const unsigned char *kernarg, uint64_t completion)
{
  aq_kernel_packet *packet = &slot->kernel;
  body_clear(slot);
  for (int i = 0; i < 3; i++)
    packet->workgroup_size[i] = packet->grid_size[i] = 1;
  packet->kernel_object = object;
  packet->kernarg_address = (uint64_t)(uintptr_t)kernarg;
  packet->completion_signal.handle = completion;
  return AQ_PACKET_KERNEL_DISPATCH | UINT32_C(1) << 16;
}

static uint32_t jump_write(aq_packet *slot, const unsigned char *words,
                           uint32_t count, uint64_t completion)
{
  body_clear(slot);
  aq_pm4_jump(&slot->pm4_ib, (uint64_t)(uintptr_t)words, count);
  slot->pm4_ib.completion_signal.handle = completion;
  return AQ_PACKET_VENDOR | (uint32_t)AQ_AMD_FORMAT_PM4_IB << 16;
}

/* The packet compares 8 bytes: 32 bits are their lower or their higher half. */
static uint32_t barrier_value_write(const aq_wait_args *wait, aq_packet *slot,
                                    uint64_t completion)
{
  aq_barrier_value_packet *packet = &slot->barrier_value;
  const uint64_t at = (uintptr_t)wait->address;
  const unsigned shift = (at & 4) * 8;
  body_clear(slot);
  packet->signal.handle = (at & ~UINT64_C(7)) - SIGNAL_VALUE;
  packet->value = (int64_t)(wait->value << shift);
  packet->mask = (int64_t)(wait->mask << shift);
  packet->condition = wait->condition;
  packet->completion_signal.handle = completion;
  return AQ_PACKET_VENDOR | (uint32_t)AQ_AMD_FORMAT_BARRIER_VALUE << 16;
}

uint32_t aq_wait_packet_write(const aq_wait_args *wait, aq_value_way way,
                              uint64_t object, aq_packet *slot,
                              unsigned char *kernarg, uint64_t completion)
{
  uint32_t words[AQ_VALUE_WORDS];
  if (way == AQ_VALUE_PACKET)
    return barrier_value_write(wait, slot, completion);
  if (way == AQ_VALUE_PM4) {
    const uint32_t count = aq_wait_words(wait, words);
    memcpy(kernarg, words, count * sizeof *words);
    return jump_write(slot, kernarg, count, completion);
  }
  memcpy(kernarg, wait, sizeof *wait);
  return kernel_write(slot, object, kernarg, completion);
}

uint32_t aq_atomic_packet_write(const aq_atomic_args *atomic, uint64_t object,
                                aq_packet *slot, unsigned char *kernarg,
                                uint64_t completion)
{
  memcpy(kernarg, atomic, sizeof *atomic);
  return kernel_write(slot, object, kernarg, completion);
}

uint32_t aq_atomic_pm4_write(const aq_atomic_args *atomic, aq_packet *slot,
                             unsigned char *kernarg, uint64_t completion)
{
  uint32_t words[AQ_VALUE_WORDS];
  const uint32_t count = aq_atomic_words(atomic, words);
  memcpy(kernarg, words, count * sizeof *words);
  return jump_write(slot, kernarg, count, completion);
}

bool aq_wait_of_packet(const aq_barrier_value_packet *packet, aq_wait_args *out)
{
  if (packet->signal.handle == 0)
    return false;
  *out = (aq_wait_args){
      .address =
          (const void *)(uintptr_t)(packet->signal.handle + SIGNAL_VALUE),
      .value = (uint64_t)packet->value,
      .mask = (uint64_t)packet->mask,
      .condition = packet->condition,
      .size = 8};
  return true;
}
