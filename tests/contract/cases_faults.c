/* SPDX-License-Identifier: MIT */
/* Unmapped memory: the system's event handler gets the fault, not the queue's
 * error callback. */
#include "contract/contract.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { WRITE_DATA = 0x37, COPY_DATA = 0x40, INDIRECT_BUFFER = 0x3f };
enum { TO_MEMORY = 5 << 8, FROM_MEMORY = 1, PAGE = 65536 };

/* Pages with these rights. Pages without rights stay reserved, so that no other
 * mapping takes their place. */
static uint64_t pages(int access)
{
  void *at = mmap(NULL, PAGE, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(at, MAP_FAILED);
  return (uint64_t)(uintptr_t)at;
}

static void pages_free(uint64_t at)
{
  munmap((void *)(uintptr_t)at, PAGE);
}

static aq_packet ib_packet(uint64_t words, uint32_t count, aq_signal completion)
{
  aq_packet packet = {
      .pm4_ib = {.header = AQ_PACKET_VENDOR,
                 .format = AQ_AMD_FORMAT_PM4_IB,
                 .ib_jump = {3u << 30 | 2u << 16 | INDIRECT_BUFFER << 8,
                             (uint32_t)words, (uint32_t)(words >> 32), count},
                 .remaining = 0xA,
                 .completion_signal = completion}};
  return packet;
}

/* A buffer with one command that writes to or reads from an address. */
static aq_packet command(contract *c, bool writes, uint64_t address,
                         aq_signal completion)
{
  uint32_t *words;
  void *memory;
  ck_assert_status(
      c->ops->mem_alloc(c->t, 0, AQ_MEMORY_HOST, 256, &memory, &c->rig.diag),
      AQ_OK, &c->rig.diag);
  words = memory;
  uint64_t target = (uintptr_t)&words[32];
  const uint32_t write[] = {3u << 30 | 3 << 16 | WRITE_DATA << 8, TO_MEMORY,
                            (uint32_t)address, (uint32_t)(address >> 32), 7};
  const uint32_t copy[] = {3u << 30 | 4 << 16 | COPY_DATA << 8,
                           FROM_MEMORY | TO_MEMORY,
                           (uint32_t)address,
                           (uint32_t)(address >> 32),
                           (uint32_t)target,
                           (uint32_t)(target >> 32)};
  memcpy(words, writes ? write : copy, writes ? sizeof write : sizeof copy);
  return ib_packet((uintptr_t)words, writes ? 5 : 6, completion);
}

/* Lets a good packet run and then a bad one: an event, a queue that stopped,
 * and neither an error nor a completion. */
static void faults_at(contract *c, const aq_packet *bad, uint64_t address)
{
  aq_signal first = contract_signal(c, 1), later = contract_signal(c, 1);
  aq_signal never = {bad->kernel.completion_signal.handle};
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_packet good = rig_barrier(AQ_PACKET_BARRIER_AND, NULL, 0, first);
  contract_submit(c, queue, &good);
  contract_wait_zero(c, first);
  c->event_count = c->error_count = 0;
  uint64_t id = contract_submit(c, queue, bad);
  good.kernel.completion_signal = later;
  contract_submit(c, queue, &good);
  contract_settle(c);
  const contract_event *event = &c->events[0];
  ck_assert_uint_eq(c->error_count, 0);
  ck_assert_uint_eq(c->event_count, 1);
  ck_assert_int_eq(event->kind, AQ_EVENT_MEMORY_FAULT);
  ck_assert_uint_eq(event->device, 0);
  /* Hardware does not say which packet it was. */
  if (event->queue != AQ_QUEUE_NONE) {
    ck_assert_uint_eq(event->queue, queue->id);
    ck_assert_uint_eq(event->packet_id, id);
  }
  ck_assert_uint_eq(event->address, address);
  ck_assert_msg(strstr(event->text, "memory fault") != NULL, "%s", event->text);
  ck_assert_int_eq(contract_value(c, never), 1);
  ck_assert_int_eq(contract_value(c, later), 1);
  aq_queue_control_args args = {.value = 0};
  ck_assert_status(c->ops->queue_control(c->t, queue, AQ_CONTROL_PRIORITY,
                                         &args, &c->rig.diag),
                   AQ_ERR_QUEUE, &c->rig.diag);
}

static void pm4_faults_are_events(contract *c)
{
  uint64_t gone = pages(PROT_NONE), readable = pages(PROT_READ);
  aq_signal done = contract_signal(c, 1);
  aq_packet write = command(c, true, gone + 8, done);
  faults_at(c, &write, gone + 8);
  aq_packet read = command(c, false, gone + 4096, done);
  faults_at(c, &read, gone + 4096);
  aq_packet null = command(c, true, 0, done);
  faults_at(c, &null, 0);
  aq_packet page_zero = command(c, false, 64, done);
  faults_at(c, &page_zero, 64);
  aq_packet constant = command(c, true, readable, done);
  faults_at(c, &constant, readable);
  aq_packet buffer = ib_packet(gone, 8, done);
  faults_at(c, &buffer, gone);
  pages_free(readable);
  pages_free(gone);
}

static void spin_arguments_are_events(contract *c)
{
  uint64_t gone = pages(PROT_NONE);
  uint64_t spin = rig_kernel_with(
      &c->rig,
      &(aq_kernel_desc){.name = "spin", .cost = {.kind = AQ_COST_SPIN}});
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = contract_dispatch(spin, gone, false, done);
  faults_at(c, &packet, gone);
  packet.kernel.kernarg_address = 0;
  faults_at(c, &packet, 0);
  /* Only the second of two pages is missing: another thread may map a page
   * that is unmapped. */
  uint64_t there = pages(PROT_READ | PROT_WRITE), end = there + PAGE / 2;
  ck_assert_int_eq(mprotect((void *)(uintptr_t)end, PAGE / 2, PROT_NONE), 0);
  packet.kernel.kernarg_address = end - 8;
  faults_at(c, &packet, end);
  pages_free(there);
  pages_free(gone);
}

/* The copy behind it works. */
static void copies_are_events(contract *c)
{
  uint64_t there = pages(PROT_READ | PROT_WRITE);
  char *bytes = (char *)(uintptr_t)there;
  ck_assert_int_eq(mprotect(bytes + PAGE / 2, PAGE / 2, PROT_NONE), 0);
  bytes[0] = 'x';
  static char to[PAGE];
  for (int writes = 0; writes < 2; writes++) {
    aq_signal never = contract_signal(c, 1), done = contract_signal(c, 1);
    c->event_count = 0;
    ck_assert_status(c->ops->copy_async(c->t, 0, writes ? bytes : to,
                                        writes ? to : bytes, PAGE, NULL, 0,
                                        never, &c->rig.diag),
                     AQ_OK, &c->rig.diag);
    ck_assert_status(
        c->ops->copy_async(c->t, 0, to, bytes, 8, NULL, 0, done, &c->rig.diag),
        AQ_OK, &c->rig.diag);
    contract_wait_zero(c, done);
    contract_settle(c); /* the event may come from another thread */
    ck_assert_int_eq(to[0], 'x');
    ck_assert_int_eq(contract_value(c, never), 1);
    ck_assert_uint_eq(c->event_count, 1);
    ck_assert_uint_eq(c->events[0].queue, AQ_QUEUE_NONE);
    ck_assert_uint_eq(c->events[0].address, there + PAGE / 2);
  }
  pages_free(there);
}

static void misaligned_is_an_error(contract *c)
{
  static uint32_t words[4];
  aq_packet packet = command(c, true, (uintptr_t)words + 2, rig_none);
  contract_submit(c, contract_queue(c), &packet);
  contract_settle(c);
  ck_assert_uint_eq(c->event_count, 0);
  ck_assert_uint_eq(c->error_count, 1);
}

const contract_case contract_faults[] = {
    {"a PM4 buffer that touches memory that is not there raises an event, no "
     "error",
     "68", AQ_CAP_EVENTS | AQ_CAP_PM4, pm4_faults_are_events},
    {"a spin kernel without arguments raises an event, no error", "68",
     AQ_CAP_EVENTS | AQ_CAP_HOST_KERNELS, spin_arguments_are_events},
    {"a copy of memory that is not there raises an event and never completes",
     "68", AQ_CAP_EVENTS | AQ_CAP_COPY, copies_are_events},
    {"a misaligned address is an error of the queue, no event", "68",
     AQ_CAP_EVENTS | AQ_CAP_PM4, misaligned_is_an_error},
    {NULL}};
