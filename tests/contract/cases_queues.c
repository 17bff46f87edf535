/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static aq_status create(contract *c, const aq_queue_desc *desc, aq_ring **out)
{
  return c->ops->queue_create(c->t, desc, out, &c->rig.diag);
}

static void refused(contract *c, uint32_t size, aq_status expected)
{
  aq_ring *queue = NULL;
  aq_queue_desc desc = {.size = size};
  ck_assert_status(create(c, &desc, &queue), expected, &c->rig.diag);
  ck_assert_ptr_null(queue);
  ck_assert_str_ne(c->rig.diag.text, "");
}

static void sizes_are_powers_of_two(contract *c)
{
  refused(c, 0, AQ_ERR_INVALID);
  refused(c, c->size + 1, AQ_ERR_INVALID);
  refused(c, c->size * 3, AQ_ERR_INVALID);
  refused(c, c->size * 4 - 1, AQ_ERR_INVALID);
}

static void small_sizes_are_refused(contract *c)
{
  refused(c, c->size / 2, AQ_ERR_INVALID);
}

static void large_sizes_are_out_of_resources(contract *c)
{
  uint32_t size = c->device->queue_size_max;
  if (size <= UINT32_MAX / 2)
    refused(c, size * 2, AQ_ERR_RESOURCES);
}

static void the_largest_works(contract *c)
{
  aq_ring *queue = contract_queue_sized(c, c->device->queue_size_max);
  ck_assert_uint_eq(queue->size, c->device->queue_size_max);
  ck_assert_uint_eq(aq_ring_space(queue), queue->size);
}

static void fresh_queues_are_empty(contract *c)
{
  aq_ring *queue = contract_queue(c);
  ck_assert_uint_eq(queue->size, c->size);
  ck_assert_uint_eq(aq_ring_write_index(queue), 0);
  ck_assert_uint_eq(aq_ring_read_index(queue), 0);
  ck_assert_uint_eq((uintptr_t)queue->packets % 64, 0);
  for (uint32_t i = 0; i < queue->size; i++)
    ck_assert_uint_eq(aq_header_type(aq_packet_load_header(&queue->packets[i])),
                      AQ_PACKET_INVALID);
}

static void ids_are_never_used_twice(contract *c)
{
  uint32_t seen[20];
  for (int i = 0; i < 20; i++) {
    aq_ring *queue = contract_queue(c);
    seen[i] = queue->id;
    for (int k = 0; k < i; k++)
      ck_assert_uint_ne(seen[k], seen[i]);
    if (i % 2)
      c->ops->queue_destroy(c->t, queue);
  }
}

static void types_are_kept(contract *c)
{
  static const aq_queue_type types[] = {AQ_QUEUE_MULTI, AQ_QUEUE_SINGLE};
  for (int i = 0; i < 2; i++) {
    aq_queue_desc desc = {.size = c->size, .type = types[i]};
    aq_ring *queue;
    ck_assert_status(create(c, &desc, &queue), AQ_OK, &c->rig.diag);
  }
}

static void bad_devices_are_refused(contract *c)
{
  aq_ring *queue = NULL;
  aq_queue_desc desc = {.device = c->info.device_count, .size = c->size};
  ck_assert_status(create(c, &desc, &queue), AQ_ERR_INVALID, &c->rig.diag);
  ck_assert_ptr_null(queue);
}

static void too_many_are_out_of_resources(contract *c)
{
  uint32_t max = c->device->queues_max;
  aq_ring *last = NULL;
  for (uint32_t i = 0; i < max; i++)
    last = contract_queue(c);
  refused(c, c->size, AQ_ERR_RESOURCES);
  c->ops->queue_destroy(c->t, last);
  contract_queue(c);
}

static void inactive_queues_ignore_packets(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue(c);
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = contract_dispatch(kernel, 1, false, done);
  ck_assert_status(c->ops->queue_control(c->t, queue, AQ_CONTROL_INACTIVATE,
                                         NULL, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  uint64_t id = contract_submit(c, queue, &packet);
  contract_settle(c);
  contract_check_ran(c, "");
  ck_assert_int_eq(contract_value(c, done), 1);
  /* The slot is as it was written. */
  const aq_packet *slot = aq_ring_slot(queue, id);
  ck_assert_uint_eq(aq_header_type(slot->header), AQ_PACKET_KERNEL_DISPATCH);
  ck_assert_uint_eq(slot->kernel.kernarg_address, 1);
  ck_assert_status(c->ops->queue_control(c->t, queue, AQ_CONTROL_INACTIVATE,
                                         NULL, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  ck_assert_uint_eq(c->error_count, 0);
  c->ops->queue_destroy(c->t, queue);
}

static void inactive_queues_have_no_space(contract *c)
{
  aq_ring *queue = contract_queue(c);
  uint64_t first;
  ck_assert(aq_ring_try_reserve(queue, queue->size, &first));
  c->ops->queue_control(c->t, queue, AQ_CONTROL_INACTIVATE, NULL, NULL);
  ck_assert_status(
      c->ops->queue_wait_space(c->t, queue, 1, AQ_TIME_MAX, &c->rig.diag),
      AQ_ERR_QUEUE, &c->rig.diag);
}

static void controls_match_caps(contract *c)
{
  static const struct {
    aq_queue_control control;
    uint32_t cap;
    aq_queue_control_args args;
  } controls[] = {{AQ_CONTROL_PRIORITY, AQ_CAP_PRIORITY, {.value = 1}},
                  {AQ_CONTROL_CU_MASK, AQ_CAP_CU_MASK, {.count = 0}}};
  aq_ring *queue = contract_queue(c);
  for (int i = 0; i < 2; i++)
    ck_assert_status(c->ops->queue_control(c->t, queue, controls[i].control,
                                           &controls[i].args, &c->rig.diag),
                     contract_can(c, controls[i].cap) ? AQ_OK
                                                      : AQ_ERR_UNSUPPORTED,
                     &c->rig.diag);
}

static void priorities_are_low_normal_high(contract *c)
{
  aq_ring *queue = contract_queue(c);
  for (int value = -2; value <= 2; value++) {
    aq_queue_control_args args = {.value = value};
    ck_assert_status(c->ops->queue_control(c->t, queue, AQ_CONTROL_PRIORITY,
                                           &args, &c->rig.diag),
                     value >= -1 && value <= 1 ? AQ_OK : AQ_ERR_INVALID,
                     &c->rig.diag);
  }
}

static void destroy_drops_what_is_in_flight(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_MS);
  aq_ring *queue = contract_queue(c), *other = contract_queue(c);
  aq_signal never = contract_signal(c, 1), done = contract_signal(c, 1);
  aq_packet packet = contract_dispatch(kernel, 1, false, rig_none);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &never, 1, rig_none);
  contract_submit(c, queue, &packet);
  contract_submit(c, queue, &barrier);
  rig_sleep(&c->rig, c->ops->now(c->t) + 20 * AQ_US);
  c->ops->queue_destroy(c->t, queue);
  c->ops->signal_destroy(c->t, never);
  packet = contract_dispatch(kernel, 2, false, done);
  contract_submit(c, other, &packet);
  contract_wait_zero(c, done);
}

typedef struct destroyer {
  contract *c;
  aq_ring *queue;
} destroyer;

static void destroy_own_queue(const aq_kernel_call *call)
{
  destroyer *d = call->user;
  d->c->ops->queue_destroy(d->c->t, d->queue);
}

static void kernels_may_destroy_their_queue(contract *c)
{
  destroyer d = {c, contract_queue(c)};
  aq_kernel_desc desc = {
      .name = "destroyer", .function = destroy_own_queue, .user = &d};
  aq_signal done = contract_signal(c, 1);
  aq_packet packet =
      contract_dispatch(rig_kernel_with(&c->rig, &desc), 0, false, done);
  contract_submit(c, d.queue, &packet);
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 1);
}

/* ---- many threads ---- */

enum { CHURNERS = 4, CHURNS = 40 };

typedef struct churner {
  contract *c;
  pthread_t thread;
  aq_status status; /* the first that was not AQ_OK */
  aq_diag diag;
  uint32_t ids[CHURNS];
} churner;

static aq_status queue_live_once(contract *c, uint32_t *id, aq_diag *diag)
{
  const aq_transport_ops *ops = c->ops;
  aq_ring *queue;
  aq_signal done;
  aq_queue_desc desc = {.size = c->size};
  aq_status status = ops->queue_create(c->t, &desc, &queue, diag);
  if (status != AQ_OK)
    return status;
  *id = queue->id;
  status = ops->signal_create(c->t, &(aq_signal_desc){.value = 1}, &done, diag);
  if (status == AQ_OK) {
    aq_packet packet = rig_barrier(AQ_PACKET_BARRIER_AND, NULL, 0, done);
    aq_wait_item item = {done, AQ_EQ, 0};
    aq_wait_request request = {
        .items = &item, .count = 1, .deadline = ops->now(c->t) + 60 * AQ_S};
    ops->queue_doorbell(c->t, queue, rig_put(queue, &packet));
    status = ops->wait(c->t, &request, NULL, diag);
  }
  ops->queue_destroy(c->t, queue);
  return status;
}

static void *churn(void *argument)
{
  churner *self = argument;
  for (int i = 0; i < CHURNS && self->status == AQ_OK; i++)
    self->status = queue_live_once(self->c, &self->ids[i], &self->diag);
  return NULL;
}

static int ids_compare(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void threads_create_and_destroy(contract *c)
{
  static churner churners[CHURNERS];
  uint32_t ids[CHURNERS * CHURNS];
  memset(churners, 0, sizeof churners);
  for (int i = 0; i < CHURNERS; i++) {
    churners[i].c = c;
    ck_assert_int_eq(
        pthread_create(&churners[i].thread, NULL, churn, &churners[i]), 0);
  }
  for (int i = 0; i < CHURNERS; i++) {
    pthread_join(churners[i].thread, NULL);
    memcpy(&ids[i * CHURNS], churners[i].ids, sizeof churners[i].ids);
  }
  for (int i = 0; i < CHURNERS; i++)
    ck_assert_status(churners[i].status, AQ_OK, &churners[i].diag);
  qsort(ids, CHURNERS * CHURNS, sizeof ids[0], ids_compare);
  for (int i = 1; i < CHURNERS * CHURNS; i++)
    ck_assert_uint_ne(ids[i], ids[i - 1]);
}

const contract_case contract_queues[] = {
    {"a size that is 0 or no power of two is refused", "12", 0,
     sizes_are_powers_of_two},
    {"a size below the smallest is refused", "13", 0, small_sizes_are_refused},
    {"a size above the largest is out of resources", "14", 0,
     large_sizes_are_out_of_resources},
    {"the largest size works", "14", 0, the_largest_works},
    {"a fresh queue has indices 0 and only INVALID slots", "15", 0,
     fresh_queues_are_empty},
    {"queue ids are never used twice", "16", 0, ids_are_never_used_twice},
    {"MULTI and SINGLE queues can be made", NULL, 0, types_are_kept},
    {"a queue of a device that is not there is refused", NULL, 0,
     bad_devices_are_refused},
    {"one queue more than queues_max is out of resources until one goes", "22",
     0, too_many_are_out_of_resources},
    {"an inactive queue ignores packets and keeps its slots; twice is once",
     "24", AQ_CAP_HOST_KERNELS, inactive_queues_ignore_packets},
    {"waiting for space in an inactive queue ends with its state", "24", 0,
     inactive_queues_have_no_space},
    {"priority and CU mask are as the capabilities say", NULL, 0,
     controls_match_caps},
    {"priorities are low, normal and high, nothing else", "78", AQ_CAP_PRIORITY,
     priorities_are_low_normal_high},
    {"destroying a queue drops its packets in flight, nothing else", NULL,
     AQ_CAP_HOST_KERNELS | AQ_CAP_TIMING, destroy_drops_what_is_in_flight},
    {"a host function may destroy the queue it runs on", NULL,
     AQ_CAP_HOST_KERNELS, kernels_may_destroy_their_queue},
    {"queues are created and destroyed by several threads at once", "16, 23",
     AQ_CAP_LIVE, threads_create_and_destroy},
    {NULL}};
