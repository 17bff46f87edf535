/* SPDX-License-Identifier: MIT */
/* Queues of the host agent, soft and cooperative queues, and hints. */
#include "contract/contract.h"

#include <string.h>

static uint64_t agent_note(const aq_agent_packet *packet, void *user)
{
  contract *c = user;
  c->ran[c->ran_count++] = packet->type;
  return packet->argument[0] * packet->argument[3];
}

static aq_status create(contract *c, const aq_queue_desc *desc, aq_ring **out)
{
  return c->ops->queue_create(c->t, desc, out, &c->rig.diag);
}

static aq_ring *agent_queue(contract *c)
{
  aq_queue_desc desc = {.device = AQ_DEVICE_HOST,
                        .size = 64,
                        .agent = agent_note,
                        .error = contract_error_note,
                        .user = c};
  aq_ring *queue;
  ck_assert_status(create(c, &desc, &queue), AQ_OK, &c->rig.diag);
  return queue;
}

static aq_packet agent_packet(uint16_t type, uint64_t *result,
                              aq_signal completion)
{
  aq_packet packet = {
      .agent = {.header = aq_packet_header(AQ_PACKET_AGENT_DISPATCH, 1,
                                           AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM),
                .type = type,
                .return_address = (uintptr_t)result,
                .argument = {6, 0, 0, 7},
                .completion_signal = completion}};
  return packet;
}

static void the_host_serves_agent_dispatches(contract *c)
{
  uint64_t result = 0;
  aq_ring *queue = agent_queue(c);
  aq_signal held = contract_signal(c, 1), done = contract_signal(c, 2);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &held, 1, rig_none);
  aq_packet first = agent_packet(0x8001, &result, done);
  aq_packet second = agent_packet(2, NULL, done);
  contract_submit(c, queue, &barrier);
  contract_submit(c, queue, &first);
  contract_submit(c, queue, &second);
  contract_settle(c);
  contract_check_ran(c, "");
  contract_store(c, held, 0);
  contract_wait_zero(c, done);
  contract_check_ran(c, "32769 2");
  ck_assert_uint_eq(result, 42);
}

static void the_host_runs_no_kernels(contract *c)
{
  aq_ring *queue = agent_queue(c);
  aq_packet packet =
      contract_dispatch(contract_kernel(c, 0), 1, false, rig_none);
  contract_submit(c, queue, &packet);
  contract_settle(c);
  contract_check_ran(c, "");
  ck_assert_uint_eq(c->error_count, 1);
  ck_assert_uint_eq(c->errors[0].reason, 32);
}

static void a_soft_queue_is_the_applications(contract *c)
{
  aq_signal doorbell = contract_signal(c, -1);
  aq_queue_desc desc = {.device = AQ_DEVICE_HOST,
                        .size = 64,
                        .type = AQ_QUEUE_SOFT,
                        .doorbell = doorbell};
  aq_ring *queue;
  ck_assert_status(create(c, &desc, &queue), AQ_OK, &c->rig.diag);
  uint64_t result = 0;
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = agent_packet(3, &result, done);
  uint64_t id = contract_put(queue, &packet);
  contract_ring(c, queue, id);
  contract_settle(c);
  /* No device consumed it, and the doorbell is the application's signal. */
  ck_assert_int_eq(contract_value(c, doorbell), 0);
  ck_assert_uint_eq(aq_ring_read_index(queue), 0);
  ck_assert_int_eq(contract_value(c, done), 1);
  aq_packet *slot = aq_ring_slot(queue, 0);
  ck_assert_uint_eq(aq_header_type(slot->header), AQ_PACKET_AGENT_DISPATCH);
  ck_assert_uint_eq(slot->agent.type, 3);
  aq_packet_publish(slot, AQ_PACKET_INVALID, 0);
  __atomic_store_n(queue->read_index, 1, __ATOMIC_RELEASE);
  contract_settle(c);
  ck_assert_uint_eq(aq_ring_read_index(queue), 1);
  ck_assert_uint_eq(aq_ring_space(queue), 64);
  c->ops->queue_destroy(c->t, queue);
}

static void cooperative_queues_are_one(contract *c)
{
  aq_queue_desc desc = {.size = c->size, .type = AQ_QUEUE_COOPERATIVE};
  aq_ring *one, *two;
  ck_assert_status(create(c, &desc, &one), AQ_OK, &c->rig.diag);
  ck_assert_status(create(c, &desc, &two), AQ_OK, &c->rig.diag);
  ck_assert_ptr_eq(one, two);
  c->ops->queue_destroy(c->t, one);
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = rig_barrier(AQ_PACKET_BARRIER_AND, NULL, 0, done);
  contract_submit(c, two, &packet);
  contract_wait_zero(c, done);
  c->ops->queue_destroy(c->t, two);
}

static void private_hints_have_a_limit(contract *c)
{
  static const struct {
    uint32_t hint;
    aq_status status;
  } hints[] = {{0, AQ_OK},
               {262128, AQ_OK},
               {262129, AQ_ERR_RESOURCES},
               {AQ_SEGMENT_NO_HINT, AQ_OK}};
  for (int i = 0; i < 4; i++) {
    aq_ring *queue;
    aq_queue_desc desc = {.size = c->size,
                          .private_segment_hint = hints[i].hint,
                          .group_segment_hint = AQ_SEGMENT_NO_HINT};
    ck_assert_status(create(c, &desc, &queue), hints[i].status, &c->rig.diag);
  }
}

const contract_case contract_agents[] = {
    {"a queue of the host agent serves barriers and agent dispatches", "81",
     AQ_CAP_AGENT_QUEUES, the_host_serves_agent_dispatches},
    {"a queue of the host agent runs no kernels", "21",
     AQ_CAP_AGENT_QUEUES | AQ_CAP_HOST_KERNELS, the_host_runs_no_kernels},
    {"a soft queue has the application's doorbell and no consumer", "26, 81",
     AQ_CAP_AGENT_QUEUES, a_soft_queue_is_the_applications},
    {"cooperative queues of a device are one, until the last is destroyed",
     "18", AQ_CAP_COOPERATIVE, cooperative_queues_are_one},
    {"a private segment hint above 262128 is out of resources", "20",
     AQ_CAP_TIMING, private_hints_have_a_limit},
    {NULL}};
