/* SPDX-License-Identifier: MIT */
/* Atomics and waits for values by the kernels of the device library, whose code
 * is executed, on a device of each generation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "queue/operations.h"
#include "support/aqtest.h"
#include "transport/registry/device_models.h"

typedef struct rig {
  struct aq_transport_stack *stack;
  aq_transport *t;
  const aq_transport_ops *ops;
  aq_transport_info info;
  aq_context *context;
  aq_queue *queues[2];
  uint64_t *memory;
  aq_diag diag;
} rig;

#define ck_ok(call) ck_assert_status(call, AQ_OK, &r->diag)

static const char *const devices[] = {"mi210", "mi300x", "rx7900xtx",
                                      "rx9070xt"};
enum { DEVICES = sizeof devices / sizeof *devices };

static void rig_open(rig *r, const char *device)
{
  char path[4096];
  void *memory;
  const char *root = getenv("AQ_BUILDDIR");
  memset(r, 0, sizeof *r);
  snprintf(path, sizeof path, "%s/.libs/libhsa-runtime64.so.1",
           root ? root : ".");
  setenv("AQUEDUCT_LIBHSA_PATH", path, 1);
  setenv("AQUEDUCT_DEVICE", device, 1);
  setenv("AQUEDUCT_KERNELS_FROM", "isa", 1);
  ck_ok(aq_transport_stack_create("hsa,kernels=objects", NULL, &r->stack,
                                  &r->diag));
  ck_ok(aq_transport_stack_open(
      r->stack,
      &(aq_transport_options){.size = sizeof(aq_transport_options),
                              .mode = AQ_MODE_LIVE},
      &r->t, &r->diag));
  r->ops = r->t->ops;
  r->ops->info(r->t, &r->info);
  ck_assert_uint_eq(r->info.caps & AQ_CAP_HOST_KERNELS, 0);
  ck_ok(aq_context_create(
      &(aq_context_options){.size = sizeof(aq_context_options),
                            .transport = r->t},
      &r->context, &r->diag));
  for (int i = 0; i < 2; i++)
    ck_ok(aq_queue_create(
        r->context,
        &(aq_queue_options){.size_of = sizeof(aq_queue_options), .size = 64},
        &r->queues[i], &r->diag));
  ck_ok(r->ops->mem_alloc(r->t, 0, AQ_MEMORY_HOST, 4096, &memory, &r->diag));
  r->memory = memory;
}

static void rig_close(rig *r)
{
  for (int i = 0; i < 2; i++)
    aq_queue_destroy(r->queues[i]);
  aq_context_destroy(r->context);
  r->ops->close(r->t);
  aq_transport_stack_destroy(r->stack);
}

static void atomics_try(const char *device)
{
  static const struct {
    aq_atomic_op op;
    uint64_t before, operand, expected, after;
  } changes[] = {{AQ_ATOMIC_STORE, 1, 0x123456789a, 0, 0x123456789a},
                 {AQ_ATOMIC_ADD, 0xffffffff, 3, 0, 0x100000002},
                 {AQ_ATOMIC_AND, 0xff00ff00ff, 0x0ff00ff00f, 0, 0x0f000f000f},
                 {AQ_ATOMIC_OR, 0xf000000000, 0xf, 0, 0xf00000000f},
                 {AQ_ATOMIC_XOR, 0xff, 0xf0000000f0, 0, 0xf00000000f},
                 {AQ_ATOMIC_SWAP, 5, 0x700000006, 0, 0x700000006},
                 {AQ_ATOMIC_CAS, 5, 9, 5, 9},
                 {AQ_ATOMIC_CAS, 5, 9, 6, 5}};
  rig rig_here, *r = &rig_here;
  rig_open(r, device);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    for (uint32_t size = 4; size <= 8; size += 4) {
      const uint64_t bits = size == 4 ? UINT32_MAX : UINT64_MAX;
      const uint64_t high = UINT64_C(0xcccccccc00000000) & ~bits;
      const bool returns = changes[i].op != AQ_ATOMIC_STORE;
      r->memory[0] = (changes[i].before & bits) | high;
      r->memory[1] = UINT64_C(0xcccccccccccccccc);
      ck_ok(
          aq_queue_atomic(r->queues[0], NULL,
                          &(aq_atomic){.target = r->memory,
                                       .size = size,
                                       .op = changes[i].op,
                                       .operand = changes[i].operand,
                                       .expected = changes[i].expected,
                                       .result = returns ? r->memory + 1 : NULL,
                                       .way = AQ_VALUE_KERNEL},
                          &r->diag));
      ck_ok(aq_queue_wait_idle(r->queues[0], AQ_TIME_MAX, &r->diag));
      ck_assert_uint_eq(r->memory[0], (changes[i].after & bits) | high);
      if (returns)
        ck_assert_uint_eq(r->memory[1] & bits, changes[i].before & bits);
    }
  rig_close(r);
}

START_TEST(atomics_of_the_device_library_change_their_values)
{
  for (size_t i = 0; i < DEVICES; i++)
    atomics_try(devices[i]);
}
END_TEST

/* The queues count to 10 in turns. */
static void turns_take(rig *r, aq_value_way way)
{
  memset(r->memory, 0, 4096);
  for (uint64_t i = 0; i < 10; i++)
    for (int q = 0; q < 2; q++) {
      const aq_value_wait wait = {.address = r->memory + 1 - q,
                                  .size = i % 2 ? 4 : 8,
                                  .condition = i % 3 ? AQ_GE : AQ_EQ,
                                  .value = i + (uint64_t)q,
                                  .mask = 0xffff,
                                  .way = way};
      const aq_atomic count = {.target = r->memory + q,
                               .size = 8,
                               .op = AQ_ATOMIC_ADD,
                               .operand = 1,
                               .way = AQ_VALUE_KERNEL};
      ck_ok(aq_queue_wait_value(r->queues[q], NULL, &wait, &r->diag));
      ck_ok(aq_queue_atomic(r->queues[q], NULL, &count, &r->diag));
    }
  for (int q = 0; q < 2; q++)
    ck_ok(aq_queue_wait_idle(r->queues[q], AQ_TIME_MAX, &r->diag));
  ck_assert_uint_eq(r->memory[0], 10);
  ck_assert_uint_eq(r->memory[1], 10);
}

START_TEST(queues_wait_for_each_other_by_the_kernel_that_polls)
{
  rig rig_here, *r = &rig_here;
  for (size_t i = 0; i < DEVICES; i++) {
    rig_open(r, devices[i]);
    turns_take(r, AQ_VALUE_KERNEL);
    turns_take(r, AQ_VALUE_CHOOSE);
    rig_close(r);
  }
}
END_TEST

AQ_TEST_MAIN("queue/values_code",
             atomics_of_the_device_library_change_their_values,
             queues_wait_for_each_other_by_the_kernel_that_polls)
