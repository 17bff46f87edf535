/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

#include <string.h>

static unsigned char *memory(contract *c, aq_memory_kind kind, size_t size)
{
  void *out = NULL;
  ck_assert_status(c->ops->mem_alloc(c->t, 0, kind, size, &out, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  return out;
}

static void each_kind_is_allocated(contract *c)
{
  static const aq_memory_kind kinds[] = {AQ_MEMORY_KERNARG, AQ_MEMORY_HOST,
                                         AQ_MEMORY_DEVICE};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    unsigned char *m = memory(c, kinds[i], 1000);
    ck_assert_ptr_nonnull(m);
    ck_assert_uint_eq((uintptr_t)m % 64, 0);
    if (kinds[i] != AQ_MEMORY_DEVICE)
      memset(m, 0xa5, 1000);
    c->ops->mem_publish(c->t, m, 1000);
    c->ops->mem_free(c->t, m);
  }
  c->ops->mem_free(c->t, NULL);
}

static void copy(contract *c, void *to, const void *from, size_t size,
                 const aq_signal *dependencies, uint32_t count,
                 aq_signal completion)
{
  ck_assert_status(c->ops->copy_async(c->t, 0, to, from, size, dependencies,
                                      count, completion, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
}

static void locked_memory_of_the_host_is_reached(contract *c)
{
  static unsigned char of_host[300];
  unsigned char *to = memory(c, AQ_MEMORY_HOST, 300);
  void *there = NULL;
  memset(of_host, 7, sizeof of_host);
  ck_assert_status(
      c->ops->mem_lock(c->t, of_host, sizeof of_host, &there, &c->rig.diag),
      AQ_OK, &c->rig.diag);
  aq_signal done = contract_signal(c, 1);
  copy(c, to, (unsigned char *)there + 100, 200, NULL, 0, done);
  contract_wait_zero(c, done);
  ck_assert_int_eq(memcmp(to, of_host, 200), 0);
  c->ops->mem_unlock(c->t, of_host);
}

static void memory_is_locked_once_until_unlocked(contract *c)
{
  static unsigned char of_host[64];
  void *there = c;
  ck_assert_int_eq(c->ops->mem_lock(c->t, of_host, 0, &there, &c->rig.diag),
                   AQ_ERR_INVALID);
  ck_assert_ptr_eq(there, c);
  for (int i = 0; i < 2; i++) {
    ck_assert_status(
        c->ops->mem_lock(c->t, of_host, sizeof of_host, &there, &c->rig.diag),
        AQ_OK, &c->rig.diag);
    ck_assert_int_eq(c->ops->mem_lock(c->t, of_host, 32, &there, &c->rig.diag),
                     AQ_ERR_INVALID);
    c->ops->mem_unlock(c->t, of_host);
    c->ops->mem_unlock(c->t, of_host);
  }
  c->ops->mem_unlock(c->t, NULL);
  ck_assert_status(
      c->ops->mem_lock(c->t, of_host, sizeof of_host, &there, &c->rig.diag),
      AQ_OK, &c->rig.diag); /* closing unlocks it */
}

static void bad_device_is_refused(contract *c)
{
  void *out = c;
  ck_assert_int_ne(c->ops->mem_alloc(c->t, c->info.device_count, AQ_MEMORY_HOST,
                                     1, &out, &c->rig.diag),
                   AQ_OK);
  ck_assert_ptr_eq(out, c);
}

static void copy_moves_and_decrements(contract *c)
{
  unsigned char *from = memory(c, AQ_MEMORY_HOST, 300);
  unsigned char *to = memory(c, AQ_MEMORY_HOST, 300);
  memset(from, 7, 300);
  aq_signal done = contract_signal(c, 1);
  copy(c, to, from, 299, NULL, 0, done);
  contract_wait_zero(c, done);
  ck_assert_int_eq(memcmp(to, from, 299), 0);
  ck_assert_uint_eq(to[299], 0);
}

static void memory_of_a_device_is_visible_or_moved(contract *c)
{
  unsigned char *from = memory(c, AQ_MEMORY_HOST, 5000);
  unsigned char *to = memory(c, AQ_MEMORY_HOST, 5000);
  unsigned char *there = memory(c, AQ_MEMORY_DEVICE, 5000);
  aq_signal in = contract_signal(c, 1), out = contract_signal(c, 1);
  for (int i = 0; i < 5000; i++)
    from[i] = (unsigned char)(i * 7 + i / 256);
  copy(c, there, from, 5000, NULL, 0, in);
  copy(c, to, there, 5000, &in, 1, out);
  contract_wait_zero(c, out);
  ck_assert_int_eq(memcmp(to, from, 5000), 0);
  ck_assert(c->ops->mem_visible(c->t, from, 5000));
  ck_assert(c->ops->mem_visible(c->t, &in, sizeof in));
  ck_assert_int_eq(c->ops->mem_visible(c->t, there + 1, 4000),
                   !c->device->memory_hidden);
  if (!c->device->memory_hidden)
    ck_assert_int_eq(memcmp(there, from, 5000), 0);
  c->ops->mem_free(c->t, there);
}

/* Adds to each byte of a pattern. */
typedef struct add_args {
  unsigned char *bytes;
  uint64_t count;
} add_args;

static void add(const aq_kernel_call *call)
{
  const add_args *args = call->kernarg;
  for (uint64_t i = 0; i < args->count; i++)
    args->bytes[i] = (unsigned char)(args->bytes[i] + i);
}

static void kernels_reach_memory_of_the_device(contract *c)
{
  unsigned char *there = memory(c, AQ_MEMORY_DEVICE, 100);
  unsigned char *here = memory(c, AQ_MEMORY_HOST, 100);
  add_args *args = (void *)memory(c, AQ_MEMORY_KERNARG, sizeof *args);
  const aq_kernel_desc desc = {.name = "add",
                               .function = add,
                               .cost = {AQ_COST_FIXED, AQ_US, 0},
                               .kernarg_size = sizeof *args};
  aq_kernel_info info;
  ck_assert_status(c->ops->kernel_register(c->t, &desc, &info, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  aq_signal in = contract_signal(c, 1), ran = contract_signal(c, 1),
            out = contract_signal(c, 1);
  memset(here, 9, 100);
  copy(c, there, here, 100, NULL, 0, in);
  copy(c, here, there, 100, &ran, 1, out);
  *args = (add_args){there, 100};
  contract_wait_zero(c, in);
  const aq_packet dispatch =
      contract_dispatch(info.object, (uintptr_t)args, false, ran);
  contract_submit(c, contract_queue(c), &dispatch);
  contract_wait_zero(c, out);
  for (int i = 0; i < 100; i++)
    ck_assert_int_eq(here[i], 9 + i);
}

static void copy_waits_for_all(contract *c)
{
  unsigned char *from = memory(c, AQ_MEMORY_HOST, 8);
  unsigned char *to = memory(c, AQ_MEMORY_HOST, 8);
  from[0] = 1;
  aq_signal dependencies[] = {contract_signal(c, 1), contract_signal(c, 2)};
  aq_signal done = contract_signal(c, 1);
  copy(c, to, from, 8, dependencies, 2, done);
  contract_settle(c);
  contract_store(c, dependencies[1], 0);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 1);
  ck_assert_uint_eq(to[0], 0);
  from[0] = 9; /* it has not been read yet */
  contract_store(c, dependencies[0], 0);
  contract_wait_zero(c, done);
  ck_assert_uint_eq(to[0], 9);
}

static void copies_chain(contract *c)
{
  unsigned char *m = memory(c, AQ_MEMORY_HOST, 4);
  aq_signal one = contract_signal(c, 1), two = contract_signal(c, 1);
  m[0] = 42;
  copy(c, m + 2, m + 1, 1, &one, 1, two);
  copy(c, m + 1, m, 1, NULL, 0, one);
  contract_wait_zero(c, two);
  ck_assert_uint_eq(m[2], 42);
}

static void copy_orders_a_packet(contract *c)
{
  unsigned char *m = memory(c, AQ_MEMORY_HOST, 2);
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue(c);
  aq_signal copied = contract_signal(c, 1), done = contract_signal(c, 1);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &copied, 1, rig_none);
  aq_packet dispatch = contract_dispatch(kernel, 5, false, done);
  contract_submit(c, queue, &barrier);
  contract_submit(c, queue, &dispatch);
  contract_settle(c);
  contract_check_ran(c, "");
  m[0] = 3;
  copy(c, m + 1, m, 1, NULL, 0, copied);
  contract_wait_zero(c, done);
  ck_assert_uint_eq(m[1], 3);
  contract_check_ran(c, "5");
}

const contract_case contract_memory[] = {
    {"memory of each kind is allocated, aligned and freed", NULL, 0,
     each_kind_is_allocated},
    {"memory of a device that is not there is refused", NULL, 0,
     bad_device_is_refused},
    {"locked memory of the host is reached", NULL, AQ_CAP_COPY,
     locked_memory_of_the_host_is_reached},
    {"memory is locked once, until it is unlocked", NULL, 0,
     memory_is_locked_once_until_unlocked},
    {"a copy moves its bytes, no more, and decrements its signal", "75",
     AQ_CAP_COPY, copy_moves_and_decrements},
    {"memory of a device is visible, or only moved", NULL, AQ_CAP_COPY,
     memory_of_a_device_is_visible_or_moved},
    {"kernels reach memory of their device", NULL,
     AQ_CAP_COPY | AQ_CAP_HOST_KERNELS, kernels_reach_memory_of_the_device},
    {"a copy waits until all its dependencies are 0", "75", AQ_CAP_COPY,
     copy_waits_for_all},
    {"copies wait for one another", "75", AQ_CAP_COPY, copies_chain},
    {"a packet waits for a copy", NULL, AQ_CAP_COPY | AQ_CAP_HOST_KERNELS,
     copy_orders_a_packet},
    {NULL}};
