/* SPDX-License-Identifier: MIT */
/* Rings, INVALID slots, queue errors and queue control. */
#include "backend_sim/rig.h"

#include <stdio.h>
#include <string.h>

#include "backend_sim/packet/packet_validate.h"
#include "backend_sim/sim.h"

/* Conformance 1, 15, 16, 34: the memory of a fresh queue. */
START_TEST(a_fresh_ring_is_invalid_and_its_indices_are_zero)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64), *other = rig_queue(&r, 128);
  ck_assert_uint_ne(queue->id, other->id);
  ck_assert_uint_eq(aq_ring_read_index(queue), 0);
  ck_assert_uint_eq(aq_ring_write_index(queue), 0);
  ck_assert_uint_eq((uintptr_t)queue->packets % AQ_PACKET_SIZE, 0);
  for (uint32_t i = 0; i < queue->size; i++)
    ck_assert_uint_eq(aq_header_type(queue->packets[i].header),
                      AQ_PACKET_INVALID);
  const aq_amd_queue *amd =
      (const aq_amd_queue *)(const void *)((const char *)queue->write_index -
                                           offsetof(aq_amd_queue,
                                                    write_dispatch_id));
  ck_assert_ptr_eq(amd->hsa.base, queue->packets);
  ck_assert_uint_eq(amd->hsa.size, 64);
  ck_assert_ptr_eq((const char *)amd + amd->read_dispatch_id_offset,
                   queue->read_index);
  rig_close(&r);
}
END_TEST

/* Conformance 12, 13, 14, 22. */
START_TEST(queues_of_a_wrong_size_or_too_many_are_refused)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  static const struct {
    aq_queue_desc desc;
    aq_status status;
  } cases[] = {
      {{.size = 0}, AQ_ERR_INVALID},
      {{.size = 100}, AQ_ERR_INVALID},
      {{.size = 32}, AQ_ERR_INVALID},
      {{.size = 262144}, AQ_ERR_RESOURCES},
      {{.size = 64, .device = 1}, AQ_ERR_INVALID},
      {{.size = 64, .type = (aq_queue_type)9}, AQ_ERR_UNSUPPORTED},
  };
  aq_ring *queue = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    ck_assert_status(
        r.t->ops->queue_create(r.t, &cases[i].desc, &queue, &r.diag),
        cases[i].status, &r.diag);
  ck_assert_ptr_null(queue);
  for (int i = 0; i < 128; i++)
    queue = rig_queue(&r, 64);
  aq_queue_desc desc = {.size = 64};
  aq_ring *more = NULL;
  ck_assert_status(r.t->ops->queue_create(r.t, &desc, &more, &r.diag),
                   AQ_ERR_RESOURCES, &r.diag);
  r.t->ops->queue_destroy(r.t, queue);
  ck_assert_status(r.t->ops->queue_create(r.t, &desc, &more, &r.diag), AQ_OK,
                   &r.diag);
  rig_close(&r);
}
END_TEST

/* Conformance 28, 36: full when id >= read + size; slots come back INVALID and
 * in order. */
START_TEST(packets_go_round_the_ring_and_wait_for_room_when_it_is_full)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", 100), true, rig_none);
  for (uint64_t i = 0; i < 1000; i++) {
    uint64_t first;
    if (aq_ring_space(queue) == 0) {
      ck_assert(!aq_ring_try_reserve(queue, 1, &first));
      ck_assert_status(
          r.t->ops->queue_wait_space(r.t, queue, 1, AQ_TIME_MAX, &r.diag),
          AQ_OK, &r.diag);
      ck_assert_uint_ge(aq_ring_space(queue), 1);
    }
    ck_assert_uint_eq(rig_submit(&r, queue, &packet), i);
  }
  rig_run(&r);
  ck_assert_uint_eq(aq_ring_read_index(queue), 1000);
  ck_assert_uint_eq(r.sink.count, 1000);
  for (size_t i = 0; i < 1000; i++)
    ck_assert_int_eq(r.sink.rows[i].packet, (int64_t)i);
  for (uint32_t i = 0; i < queue->size; i++)
    ck_assert_uint_eq(queue->packets[i].header, AQ_PACKET_INVALID);
  rig_close(&r);
}
END_TEST

START_TEST(waiting_for_room_ends_at_the_deadline)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_S), true, rig_none);
  for (int i = 0; i < 64; i++)
    rig_submit(&r, queue, &packet);
  ck_assert_status(
      r.t->ops->queue_wait_space(r.t, queue, 1, 50 * AQ_US, &r.diag),
      AQ_ERR_TIMEOUT, &r.diag);
  ck_assert_time_eq(r.t->ops->now(r.t), 50 * AQ_US);
  ck_assert_status(
      r.t->ops->queue_wait_space(r.t, queue, 65, AQ_TIME_MAX, &r.diag),
      AQ_ERR_INVALID, &r.diag);
  rig_close(&r);
}
END_TEST

/* Conformance 36: with read_index_advance = launch the slot is free while the
 * kernel still runs. */
START_TEST(slots_come_back_when_the_device_model_says)
{
  static const char *const advance[][2] = {
      {"read_index_advance=completion", NULL},
      {"read_index_advance=launch", NULL}};
  for (uint64_t i = 0; i < 2; i++) {
    rig r;
    rig_open(&r, &aqsim_transport_ops, advance[i]);
    aq_ring *queue = rig_queue(&r, 64);
    aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_MS), true, rig_none);
    rig_submit(&r, queue, &packet);
    rig_submit(&r, queue, &packet);
    rig_sleep(&r, 100 * AQ_US);
    ck_assert_uint_eq(aq_ring_read_index(queue), i);
    rig_run(&r);
    ck_assert_uint_eq(aq_ring_read_index(queue), 2);
    rig_close(&r);
  }
}
END_TEST

/* Conformance 9: an INVALID slot stalls even when later slots are valid. */
START_TEST(an_invalid_slot_stalls_until_its_header_changes)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  uint64_t hole;
  rig_put(queue, &packet);
  ck_assert(aq_ring_try_reserve(queue, 1, &hole));
  rig_put(queue, &packet);
  rig_ring(&r, queue, 2);
  rig_run(&r);
  ck_assert(rig_has_record(&r, queue, 0));
  ck_assert_uint_eq(r.sink.count, 1);
  ck_assert_uint_eq(aq_ring_read_index(queue), 1);
  aq_time later = r.t->ops->now(r.t) + 10 * AQ_US;
  rig_sleep(&r, later);
  aq_packet *slot = aq_ring_slot(queue, hole);
  memcpy(slot->qword + 1, packet.qword + 1, 56);
  slot->kernel.workgroup_size[0] = slot->kernel.workgroup_size[1] = 1;
  aq_packet_publish(slot, packet.header, packet.setup);
  rig_run(&r); /* no doorbell: noticed because time moves */
  ck_assert_time_eq(rig_record(&r, queue, 1)->submit, later);
  ck_assert_time_eq(rig_record(&r, queue, 2)->submit, later);
  rig_close(&r);
}
END_TEST

START_TEST(a_slot_that_turns_invalid_before_the_fetch_stalls_too)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  rig_submit(&r, queue, &packet);
  rig_submit(&r, queue, &packet);
  queue->packets[1].header = AQ_PACKET_INVALID;
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, 1);
  queue->packets[1].header = packet.header;
  rig_ring(&r, queue, 1);
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, 2);
  rig_close(&r);
}
END_TEST

/* Conformance 31, 32, 33: one ring a batch, doubled and late rings, and a raw
 * store to the doorbell cell are all the same. */
START_TEST(doorbells_may_be_rare_doubled_or_stored_raw)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  for (int i = 0; i < 3; i++)
    rig_put(queue, &packet);
  rig_ring(&r, queue, 2);
  rig_ring(&r, queue, 0);
  rig_ring(&r, queue, 2);
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, 3);
  rig_put(queue, &packet);
  __atomic_store_n(queue->doorbell, 3, __ATOMIC_RELEASE);
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, 4);
  rig_close(&r);
}
END_TEST

/* What hardware does, so that a forgotten doorbell shows. */
START_TEST(a_packet_that_no_doorbell_announced_never_executes)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  const aq_signal done = rig_signal(&r, 1, 0);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  rig_put(queue, &packet);
  packet.kernel.completion_signal = done;
  rig_put(queue, &packet);
  rig_ring(&r, queue, 0);
  rig_sleep(&r, AQ_S);
  ck_assert_uint_eq(r.sink.count, 1);
  const aq_wait_item item = {done, AQ_LT, 1};
  ck_assert_int_eq(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                   AQ_ERR_DEADLOCK);
  ck_assert_ptr_nonnull(
      strstr(r.diag.text, "is published, but no doorbell announced it"));
  rig_ring(&r, queue, 1);
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, 2);
  rig_close(&r);
}
END_TEST

enum { PRODUCERS = 4, STEPS = 2 * PRODUCERS };

/* One order of what producers with a packet each do, put it or store its id to
 * the doorbell; `looks` says after which steps the device looks. */
static void raw_order_run(rig *r, const bool stores[STEPS],
                          const int who[STEPS], unsigned looks)
{
  const size_t before = r->sink.count;
  aq_ring *queue = rig_queue(r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(r, "k", AQ_US), true, rig_none);
  for (int i = 0; i < STEPS; i++) {
    if (stores[i])
      __atomic_store_n(queue->doorbell, who[i], __ATOMIC_RELEASE);
    else
      rig_put(queue, &packet);
    if (looks >> i & 1)
      rig_run(r);
  }
  rig_run(r);
  ck_assert_msg(r->sink.count == before + PRODUCERS,
                "looks %#x: %zu of %d packets executed", looks,
                r->sink.count - before, PRODUCERS);
  r->t->ops->queue_destroy(r->t, queue);
}

/* Every order in which packets are put in turn and each store follows its
 * packet; `stored` has a bit per producer. */
static void raw_orders_run(rig *r, bool stores[STEPS], int who[STEPS], int step,
                           int put, unsigned stored)
{
  if (step == STEPS)
    for (unsigned looks = 0; looks < 1U << (STEPS - 1); looks++)
      raw_order_run(r, stores, who, looks);
  if (put < PRODUCERS) {
    stores[step] = false;
    raw_orders_run(r, stores, who, step + 1, put + 1, stored);
  }
  for (int i = 0; i < put; i++)
    if (!(stored >> i & 1)) {
      stores[step] = true;
      who[step] = i;
      raw_orders_run(r, stores, who, step + 1, put, stored | 1U << i);
    }
}

/* Several producers store without a call: the device sees the last store alone,
 * which may be that of an earlier packet. */
START_TEST(raw_doorbells_of_several_producers_lose_no_packet)
{
  rig r;
  bool stores[STEPS];
  int who[STEPS] = {0};
  rig_open(&r, &aqsim_transport_ops, NULL);
  raw_orders_run(&r, stores, who, 0, 0, 0);
  rig_close(&r);
}
END_TEST

START_TEST(devices_that_poll_need_no_doorbell)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aqsim_queues_poll(r.t);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  rig_put(queue, &packet);
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, 1);
  rig_close(&r);
}
END_TEST

/* ---- errors ---- */

typedef struct seen_error {
  int calls;
  uint64_t packet_id;
  uint32_t reason;
  uint16_t header;
  char text[400];
} seen_error;

static void error_seen(const aq_queue_error *error, void *user)
{
  seen_error *seen = user;
  seen->calls++;
  seen->packet_id = error->packet_id;
  seen->reason = error->reason;
  seen->header = error->packet->header;
  snprintf(seen->text, sizeof seen->text, "%s", error->text);
}

static aq_ring *watched_queue(rig *r, seen_error *seen)
{
  aq_ring *queue;
  *seen = (seen_error){0};
  aq_queue_desc desc = {.size = 64, .error = error_seen, .user = seen};
  ck_assert_status(r->t->ops->queue_create(r->t, &desc, &queue, &r->diag),
                   AQ_OK, &r->diag);
  return queue;
}

/* One wrong packet each. */
typedef enum bad_case {
  DIMENSIONS,
  GROUP,
  OBJECT,
  NO_OBJECT,
  WORKGROUP,
  AGENT,
  VENDOR,
  UNKNOWN,
  CASES
} bad_case;

static void packet_spoil(aq_packet *packet, bad_case how)
{
  switch (how) {
  case DIMENSIONS:
    packet->setup = 4;
    break;
  case GROUP:
    packet->kernel.group_segment_size = 65537;
    break;
  case OBJECT:
    packet->kernel.kernel_object = 0x1234;
    break;
  case NO_OBJECT:
    packet->kernel.kernel_object = 0;
    break;
  case WORKGROUP:
    packet->kernel.workgroup_size[0] = 1025;
    break;
  case AGENT:
    packet->header = AQ_PACKET_AGENT_DISPATCH;
    break;
  case VENDOR:
    packet->header = AQ_PACKET_VENDOR;
    packet->setup = 9;
    break;
  default:
    packet->header = 77;
  }
}

/* Room never comes on a queue that stopped, and nothing changes `signal`. */
static void expect_stopped(rig *r, aq_ring *queue, aq_signal signal)
{
  ck_assert_status(
      r->t->ops->queue_wait_space(r->t, queue, 64, AQ_TIME_MAX, &r->diag),
      AQ_ERR_QUEUE, &r->diag);
  ck_assert_ptr_nonnull(strstr(r->diag.text, "packet 1"));
  aq_wait_item item = {signal, AQ_EQ, 0};
  ck_assert_status(rig_wait(r, &item, 1, AQ_WAIT_ANY, AQ_TIME_MAX),
                   AQ_ERR_DEADLOCK, &r->diag);
  ck_assert_ptr_nonnull(strstr(r->diag.text, "stopped at packet 1"));
}

/* Conformance 8, 60 to 63, 66, 67, 81, with the bits of the inactive signal. */
START_TEST(bad_packets_stop_the_queue_and_are_explained_once)
{
  static const struct {
    uint32_t reason;
    const char *said;
  } expected[CASES] = {
      [DIMENSIONS] = {AQSIM_FAULT_DIMENSIONS, "4 dimensions; expected 1 to 3"},
      [GROUP] = {AQSIM_FAULT_GROUP_SEGMENT, "65537 bytes; expected at most"},
      [OBJECT] = {AQSIM_FAULT_KERNEL_OBJECT, "kernel object 0x1234"},
      [NO_OBJECT] = {AQSIM_FAULT_KERNEL_OBJECT, "kernel object 0"},
      [WORKGROUP] = {AQSIM_FAULT_WORKGROUP_SIZE, "1025 work-items"},
      [AGENT] = {AQSIM_FAULT_PACKET_FORMAT, "agent dispatch"},
      [VENDOR] = {AQSIM_FAULT_VENDOR_FORMAT, "vendor packet format 9"},
      [UNKNOWN] = {AQSIM_FAULT_PACKET_FORMAT, "packet type 77"},
  };
  for (int i = 0; i < CASES; i++) {
    rig r;
    seen_error seen;
    rig_open(&r, &aqsim_transport_ops, NULL);
    aq_ring *queue = watched_queue(&r, &seen);
    aq_signal done = rig_signal(&r, 3, 0);
    aq_packet good = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, done);
    aq_packet bad = good;
    packet_spoil(&bad, (bad_case)i);
    rig_put(queue, &good);
    rig_put(queue, &bad);
    rig_put(queue, &good);
    rig_ring(&r, queue, 2);
    rig_run(&r);
    ck_assert_int_eq(seen.calls, 1);
    ck_assert_uint_eq(seen.packet_id, 1);
    ck_assert_uint_eq(seen.header, bad.header);
    ck_assert_uint_eq(seen.reason, expected[i].reason);
    ck_assert_msg(strstr(seen.text, expected[i].said) != NULL, "%s", seen.text);
    ck_assert_msg(strstr(seen.text, "queue 0: packet 1 (") != NULL, "%s",
                  seen.text);
    ck_assert_int_eq(rig_load(&r, done), 2);
    ck_assert_int_eq(rig_record(&r, queue, 1)->flags, AQ_FLAG_ERROR);
    ck_assert_int_eq(rig_record(&r, queue, 1)->end, AQ_NONE);
    ck_assert(!rig_has_record(&r, queue, 2));
    expect_stopped(&r, queue, done);
    rig_close(&r);
  }
}
END_TEST

/* Conformance 65: over-specified sizes are legal. */
START_TEST(more_group_and_private_memory_than_needed_is_legal)
{
  rig r;
  seen_error seen;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = watched_queue(&r, &seen);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  packet.kernel.group_segment_size = 65536;
  packet.kernel.private_segment_size = 100000;
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(seen.calls, 0);
  ck_assert_int_eq(rig_record(&r, queue, 0)->lds, 65536);
  ck_assert_int_eq(rig_record(&r, queue, 0)->scratch, 100000);
  rig_close(&r);
}
END_TEST

/* Conformance 24: later packets are ignored, slots stay to be inspected, a
 * second inactivate does nothing. */
START_TEST(an_inactive_queue_ignores_what_has_not_launched)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet =
      rig_dispatch(rig_kernel(&r, "k", 100 * AQ_US), true, rig_none);
  for (int i = 0; i < 3; i++)
    rig_submit(&r, queue, &packet);
  rig_sleep(&r, 50 * AQ_US);
  for (int i = 0; i < 2; i++)
    ck_assert_status(r.t->ops->queue_control(r.t, queue, AQ_CONTROL_INACTIVATE,
                                             NULL, &r.diag),
                     AQ_OK, &r.diag);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, 1);
  ck_assert_uint_eq(queue->packets[1].header, packet.header);
  r.t->ops->queue_destroy(r.t, queue);
  rig_close(&r);
}
END_TEST

START_TEST(a_queue_is_destroyed_with_packets_in_every_step)
{
  for (aq_time when = 0; when < 30 * AQ_US; when += 700 * AQ_NS) {
    rig r;
    rig_open(&r, &aqsim_transport_ops, NULL);
    aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
    aq_signal never = rig_signal(&r, 1, 0);
    aq_packet kernel =
        rig_dispatch(rig_kernel(&r, "k", 3 * AQ_US), false, rig_none);
    aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &never, 1, rig_none);
    for (int i = 0; i < 3; i++) {
      rig_submit(&r, a, &kernel);
      rig_submit(&r, b, &kernel);
    }
    rig_submit(&r, a, &barrier);
    rig_submit(&r, a, &kernel);
    rig_sleep(&r, when);
    r.t->ops->queue_destroy(r.t, a);
    r.t->ops->signal_store(r.t, never, 0, AQ_RELEASE);
    rig_run(&r);
    for (uint64_t i = 0; i < 3; i++)
      ck_assert(rig_has_record(&r, b, i));
    rig_close(&r);
  }
}
END_TEST

/* ---- host functions ---- */

typedef struct device_side {
  rig *r;
  aq_ring *target;
  aq_packet packet;
  aq_signal signal;
  aq_time when;
  bool destroy;
  int64_t seen;
} device_side;

static void publish_on_device(const aq_kernel_call *call)
{
  device_side *d = call->user;
  const aq_transport_ops *ops = d->r->t->ops;
  aq_diag diag = AQ_DIAG_INIT;
  d->when = ops->now(d->r->t);
  d->seen =
      ops->signal_load(d->r->t, call->packet->completion_signal, AQ_ACQUIRE);
  *(int *)call->kernarg = 42;
  ck_assert_status(ops->sleep_until(d->r->t, AQ_TIME_MAX, false, &diag),
                   AQ_ERR_INVALID, &diag);
  if (d->destroy)
    ops->queue_destroy(d->r->t, d->target);
  else
    rig_ring(d->r, d->target, rig_put(d->target, &d->packet));
}

/* Conformance 46: memory effects come before the decrement. */
START_TEST(a_host_function_acts_at_the_end_of_its_kernel)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal done = rig_signal(&r, 1, 0);
  int argument = 0;
  device_side d = {.r = &r, .target = rig_queue(&r, 64)};
  d.packet = rig_dispatch(rig_kernel(&r, "child", AQ_US), true, rig_none);
  aq_kernel_desc desc = {.name = "parent",
                         .function = publish_on_device,
                         .user = &d,
                         .cost = {.base = 10 * AQ_US}};
  aq_packet packet = rig_dispatch(rig_kernel_with(&r, &desc), true, done);
  packet.kernel.kernarg_address = (uintptr_t)&argument;
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  const aq_record *parent = rig_record(&r, queue, 0);
  ck_assert_int_eq(argument, 42);
  ck_assert_int_eq(d.seen, 1);
  ck_assert_time_eq(d.when, parent->end);
  ck_assert_time_eq(parent->complete, parent->end + 400 * AQ_NS);
  ck_assert_time_eq(rig_record(&r, d.target, 0)->submit, parent->end);
  rig_close(&r);
}
END_TEST

START_TEST(a_host_function_may_destroy_the_queue_it_runs_on)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  int argument = 0;
  device_side d = {.r = &r, .target = rig_queue(&r, 64), .destroy = true};
  aq_signal done = rig_signal(&r, 1, 0);
  aq_kernel_desc desc = {
      .name = "parent", .function = publish_on_device, .user = &d};
  aq_packet packet = rig_dispatch(rig_kernel_with(&r, &desc), false, done);
  packet.kernel.kernarg_address = (uintptr_t)&argument;
  rig_submit(&r, d.target, &packet);
  rig_submit(&r, d.target, &packet);
  rig_run(&r);
  ck_assert_int_eq(rig_load(&r, done), 1);
  ck_assert_uint_eq(r.sink.count, 0);
  rig_close(&r);
}
END_TEST

START_TEST(kernels_are_looked_up_by_name)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_kernel_desc desc = {.name = "k", .kernarg_size = 24, .group_size = 8};
  uint64_t object = rig_kernel_with(&r, &desc);
  aq_kernel_info info;
  ck_assert_status(r.t->ops->kernel_lookup(r.t, 0, "k", &info, &r.diag), AQ_OK,
                   &r.diag);
  ck_assert_uint_eq(info.object, object);
  ck_assert_uint_eq(info.kernarg_size, 24);
  ck_assert_status(r.t->ops->kernel_lookup(r.t, 0, "l", &info, &r.diag),
                   AQ_ERR_NOT_FOUND, &r.diag);
  uint64_t module;
  ck_assert_status(r.t->ops->module_load(r.t, 0, "", 0, &module, &r.diag),
                   AQ_ERR_INPUT, &r.diag);
  desc.cost.base = -1;
  ck_assert_status(r.t->ops->kernel_register(r.t, &desc, &info, &r.diag),
                   AQ_ERR_INVALID, &r.diag);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/hwqueue/queues",
             a_fresh_ring_is_invalid_and_its_indices_are_zero,
             queues_of_a_wrong_size_or_too_many_are_refused,
             packets_go_round_the_ring_and_wait_for_room_when_it_is_full,
             waiting_for_room_ends_at_the_deadline,
             slots_come_back_when_the_device_model_says,
             an_invalid_slot_stalls_until_its_header_changes,
             a_slot_that_turns_invalid_before_the_fetch_stalls_too,
             doorbells_may_be_rare_doubled_or_stored_raw,
             a_packet_that_no_doorbell_announced_never_executes,
             raw_doorbells_of_several_producers_lose_no_packet,
             devices_that_poll_need_no_doorbell,
             bad_packets_stop_the_queue_and_are_explained_once,
             more_group_and_private_memory_than_needed_is_legal,
             an_inactive_queue_ignores_what_has_not_launched,
             a_queue_is_destroyed_with_packets_in_every_step,
             a_host_function_acts_at_the_end_of_its_kernel,
             a_host_function_may_destroy_the_queue_it_runs_on,
             kernels_are_looked_up_by_name)
