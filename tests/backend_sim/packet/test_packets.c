/* SPDX-License-Identifier: MIT */
/* Types of packets beyond kernels and barriers, and where semantics differ. */
#include "backend_sim/rig.h"

#include <string.h>

#include "backend_sim/packet/packet_validate.h"
#include "backend_sim/sim.h"

enum { BARRIER = 8700000, POLL = 7270000, WRITE = 100000 };

typedef struct told {
  int calls;
  uint32_t reason;
  char text[600];
} told;

static void on_error(const aq_queue_error *error, void *user)
{
  told *t = user;
  t->calls++;
  t->reason = error->reason;
  strncpy(t->text, error->text, sizeof t->text - 1);
}

static aq_ring *queue_told(rig *r, told *t)
{
  aq_ring *queue;
  *t = (told){0};
  ck_assert_status(
      r->t->ops->queue_create(
          r->t, &(aq_queue_desc){.size = 64, .error = on_error, .user = t},
          &queue, &r->diag),
      AQ_OK, &r->diag);
  return queue;
}

static aq_packet barrier_value(aq_signal signal, aq_condition condition,
                               int64_t value, int64_t mask,
                               aq_signal completion)
{
  aq_packet packet = {0};
  packet.barrier_value = (aq_barrier_value_packet){
      .header =
          aq_packet_header(AQ_PACKET_VENDOR, 0, AQ_SCOPE_NONE, AQ_SCOPE_NONE),
      .format = AQ_AMD_FORMAT_BARRIER_VALUE,
      .signal = signal,
      .value = value,
      .mask = mask,
      .condition = condition,
      .completion_signal = completion};
  return packet;
}

/* Conformance 58. */
START_TEST(a_barrier_value_compares_the_masked_signal_in_four_ways)
{
  static const struct {
    aq_condition condition;
    int64_t value, mask, before, after;
  } cases[] = {
      {AQ_EQ, 5, 0xff, 0x106, 0x205},
      {AQ_NE, 5, 0xff, 0x105, 0x106},
      {AQ_LT, -1, -1, 0, -2},
      {AQ_GE, 7, 0xf, 0xf6, 0xf7},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r;
    rig_open(&r, &aqsim_transport_ops, NULL);
    aq_ring *queue = rig_queue(&r, 64);
    aq_signal s = rig_signal(&r, cases[i].before, 0),
              done = rig_signal(&r, 1, 0);
    aq_packet packet = barrier_value(s, cases[i].condition, cases[i].value,
                                     cases[i].mask, done);
    rig_submit(&r, queue, &packet);
    rig_run(&r);
    ck_assert_int_eq(rig_load(&r, done), 1);
    aq_time changed = 50 * AQ_US;
    rig_sleep(&r, changed);
    r.t->ops->signal_store(r.t, s, cases[i].after, AQ_RELEASE);
    rig_run(&r);
    ck_assert_int_eq(rig_load(&r, done), 0);
    ck_assert_time_eq(rig_record(&r, queue, 0)->start, changed + POLL);
    ck_assert_int_eq(rig_record(&r, queue, 0)->kind, AQ_KIND_VENDOR);
    rig_close(&r);
  }
}
END_TEST

/* Conformance 50, 53, 58: a null signal is satisfied; it blocks as barriers
 * do. */
START_TEST(a_barrier_value_without_a_signal_is_satisfied)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = barrier_value(rig_none, AQ_EQ, 1, -1, rig_none);
  aq_packet kernel = rig_dispatch(rig_kernel(&r, "k", AQ_US), false, rig_none);
  rig_submit(&r, queue, &packet);
  rig_submit(&r, queue, &kernel);
  rig_run(&r);
  const aq_record *row = rig_record(&r, queue, 0);
  ck_assert_time_eq(row->start, row->launch + BARRIER);
  ck_assert_time_eq(rig_record(&r, queue, 1)->launch, row->complete);
  rig_close(&r);
}
END_TEST

START_TEST(a_barrier_value_with_an_unknown_condition_is_an_error)
{
  rig r;
  told t;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = queue_told(&r, &t);
  aq_packet packet = barrier_value(rig_none, (aq_condition)4, 0, -1, rig_none);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(t.calls, 1);
  ck_assert_uint_eq(t.reason, AQSIM_FAULT_VENDOR_FORMAT);
  ck_assert_ptr_nonnull(strstr(t.text, "condition 4"));
  rig_close(&r);
}
END_TEST

static uint64_t add_arguments(const aq_agent_packet *packet, void *user)
{
  *(int *)user += packet->type;
  return packet->argument[0] + packet->argument[3];
}

static aq_packet agent_dispatch(uint64_t *result, aq_signal done)
{
  aq_packet packet = {0};
  packet.agent = (aq_agent_packet){
      .header = aq_packet_header(AQ_PACKET_AGENT_DISPATCH, 0, AQ_SCOPE_SYSTEM,
                                 AQ_SCOPE_SYSTEM),
      .type = 7,
      .return_address = (uintptr_t)result,
      .argument = {40, 0, 0, 2},
      .completion_signal = done};
  return packet;
}

/* Conformance 81, 21, 40: the host serves agent dispatches and barriers. */
START_TEST(a_queue_of_the_host_serves_agent_dispatches_after_barriers)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  int served = 0;
  aq_queue_desc desc = {.device = AQ_DEVICE_HOST,
                        .size = 64,
                        .agent = add_arguments,
                        .user = &served};
  aq_ring *queue;
  ck_assert_status(r.t->ops->queue_create(r.t, &desc, &queue, &r.diag), AQ_OK,
                   &r.diag);
  uint64_t result = 0;
  aq_signal dep_wait = rig_signal(&r, 1, 0), done = rig_signal(&r, 1, 0);
  aq_packet barrier =
      rig_barrier(AQ_PACKET_BARRIER_AND, &dep_wait, 1, rig_none);
  aq_packet packet = agent_dispatch(&result, done);
  rig_submit(&r, queue, &barrier);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(served, 0);
  r.t->ops->signal_store(r.t, dep_wait, 0, AQ_RELEASE);
  rig_run(&r);
  ck_assert_int_eq(served, 7);
  ck_assert_uint_eq(result, 42);
  ck_assert_int_eq(rig_load(&r, done), 0);
  ck_assert_int_eq(rig_record(&r, queue, 1)->kind, AQ_KIND_AGENT);
  rig_close(&r);
}
END_TEST

START_TEST(a_queue_of_the_host_refuses_kernels)
{
  rig r;
  told t = {0};
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_queue_desc desc = {.device = AQ_DEVICE_HOST,
                        .size = 64,
                        .agent = add_arguments,
                        .error = on_error,
                        .user = &t};
  aq_ring *queue;
  ck_assert_status(r.t->ops->queue_create(r.t, &desc, &queue, &r.diag), AQ_OK,
                   &r.diag);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(t.calls, 1);
  ck_assert_uint_eq(t.reason, AQSIM_FAULT_PACKET_FORMAT);
  rig_close(&r);
}
END_TEST

/* Conformance 8, 81: the text has the index, the header and the fields. */
START_TEST(what_nobody_serves_is_a_queue_error_with_its_fields)
{
  rig r;
  told t;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = queue_told(&r, &t);
  uint64_t result = 0;
  aq_packet packet = agent_dispatch(&result, rig_none);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(t.calls, 1);
  ck_assert_ptr_nonnull(strstr(
      t.text,
      "packet 0 (agent dispatch, header 0x1404, function 7, arguments 0x28"));
  aq_ring *other = queue_told(&r, &t);
  memset(&packet, 0, sizeof packet);
  packet.setup = 9;
  rig_submit(&r, other, &packet);
  rig_run(&r);
  ck_assert_int_eq(t.calls, 1);
  ck_assert_uint_eq(t.reason, AQSIM_FAULT_VENDOR_FORMAT);
  ck_assert_ptr_nonnull(strstr(t.text, "format 9"));
  rig_close(&r);
}
END_TEST

/* Conformance 11. */
START_TEST(a_half_written_header_is_read_again_before_it_is_an_error)
{
  rig r;
  told t;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = queue_told(&r, &t);
  aq_signal done = rig_signal(&r, 1, 0);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, done);
  aq_packet half = packet;
  half.header = 0;
  half.setup = 0;
  uint64_t id = rig_put(queue, &half);
  rig_sleep(&r, 50 * AQ_US); /* no doorbell: it stalls */
  ck_assert_int_eq(t.calls, 0);
  rig_ring(&r, queue, id);
  rig_sleep(&r, 50 * AQ_US + 4360 * AQ_NS + 1470 * AQ_NS); /* launched */
  ck_assert_int_eq(t.calls, 0);
  aq_packet_publish(aq_ring_slot(queue, id), packet.header, packet.setup);
  rig_run(&r);
  ck_assert_int_eq(t.calls, 0);
  ck_assert_int_eq(rig_load(&r, done), 0);
  ck_assert_int_eq(rig_record(&r, queue, id)->kind, AQ_KIND_KERNEL);
  rig_close(&r);
}
END_TEST

/* Conformance 57, 56. */
START_TEST(a_negative_dependency_ends_a_barrier_in_foundation_mode_only)
{
  static const aq_packet_type types[] = {AQ_PACKET_BARRIER_AND,
                                         AQ_PACKET_BARRIER_OR};
  for (int i = 0; i < 4; i++) {
    rig r;
    aq_semantics semantics =
        i & 1 ? AQ_SEMANTICS_FOUNDATION : AQ_SEMANTICS_ROCR;
    rig_open_with(&r, &aqsim_transport_ops,
                  &(aq_transport_options){.semantics = semantics});
    aq_ring *queue = rig_queue(&r, 64);
    aq_signal needs[2] = {rig_signal(&r, 1, 0), rig_signal(&r, 1, 0)};
    aq_signal done = rig_signal(&r, 1, 0), next = rig_signal(&r, 1, 0);
    aq_packet packet = rig_barrier(types[i / 2], needs, 2, done);
    aq_packet after = rig_barrier(AQ_PACKET_BARRIER_AND, &done, 1, next);
    rig_submit(&r, queue, &packet);
    rig_submit(&r, queue, &after);
    rig_run(&r);
    r.t->ops->signal_store(r.t, needs[1], -3, AQ_RELEASE);
    rig_run(&r);
    bool ends = semantics == AQ_SEMANTICS_FOUNDATION;
    ck_assert_int_eq(rig_load(&r, done), ends ? -3 : 1);
    ck_assert_int_eq(rig_load(&r, next), ends ? -3 : 1);
    ck_assert_int_eq(rig_has_record(&r, queue, 0), ends);
    if (ends)
      ck_assert_int_eq(rig_record(&r, queue, 0)->flags, AQ_FLAG_ERROR);
    rig_close(&r);
  }
}
END_TEST

/* Conformance 63. */
START_TEST(a_workgroup_that_is_too_large_is_named_as_the_semantics_say)
{
  static const uint32_t reasons[] = {AQSIM_FAULT_WORKGROUP_SIZE,
                                     AQSIM_FAULT_DIMENSIONS};
  for (int i = 0; i < 2; i++) {
    rig r;
    told t;
    rig_open_with(&r, &aqsim_transport_ops,
                  &(aq_transport_options){.semantics = (aq_semantics)i});
    aq_ring *queue = queue_told(&r, &t);
    aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
    packet.kernel.workgroup_size[0] = 2048;
    rig_submit(&r, queue, &packet);
    rig_run(&r);
    ck_assert_uint_eq(t.reason, reasons[i]);
    rig_close(&r);
  }
}
END_TEST

/* How a kernel of one dimension ends: 0, or the reason of a queue error. */
static uint32_t reason_of(uint16_t x, uint16_t y, uint32_t group_segment)
{
  rig r;
  told t;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = queue_told(&r, &t);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  ck_assert_uint_eq(packet.kernel.setup, 1);
  packet.kernel.workgroup_size[0] = x;
  packet.kernel.workgroup_size[1] = y;
  packet.kernel.grid_size[0] = x;
  packet.kernel.group_segment_size = group_segment;
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  rig_close(&r);
  return t.reason;
}

/* 1024 work-items and 64 KiB of an MI300X. */
START_TEST(the_largest_workgroup_and_group_segment_fit)
{
  ck_assert_uint_eq(reason_of(1024, 1, 0), AQSIM_FAULT_NONE);
  ck_assert_uint_eq(reason_of(1025, 1, 0), AQSIM_FAULT_WORKGROUP_SIZE);
  ck_assert_uint_eq(reason_of(64, 1, 65536), AQSIM_FAULT_NONE);
  ck_assert_uint_eq(reason_of(64, 1, 65537), AQSIM_FAULT_GROUP_SEGMENT);
  /* A size beyond the dimensions of the packet does not count. */
  ck_assert_uint_eq(reason_of(1024, 2, 0), AQSIM_FAULT_NONE);
}
END_TEST

static void keep_line(const char *line, void *user)
{
  strncpy(user, line, 599);
}

/* Conformance 19. */
START_TEST(an_error_without_a_callback_is_reported)
{
  rig r;
  char line[600] = "";
  rig_open_with(
      &r, &aqsim_transport_ops,
      &(aq_transport_options){.report = keep_line, .report_user = line});
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(0, true, rig_none);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_ptr_nonnull(strstr(line, "queue 0: packet 0 (kernel dispatch"));
  rig_close(&r);
}
END_TEST

/* Conformance 46: the mailbox has the event after the decrement. */
START_TEST(a_completion_writes_the_event_mailbox)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal done = rig_signal(&r, 1, 0);
  uint64_t mailbox = 0;
  aq_amd_signal *abi = (aq_amd_signal *)(uintptr_t)done.handle;
  abi->mailbox = (uintptr_t)&mailbox;
  abi->event_id = 17;
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, done);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_uint_eq(mailbox, 17);
  ck_assert_int_eq(rig_load(&r, done), 0);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/packet/packets",
             a_barrier_value_compares_the_masked_signal_in_four_ways,
             a_barrier_value_without_a_signal_is_satisfied,
             a_barrier_value_with_an_unknown_condition_is_an_error,
             a_queue_of_the_host_serves_agent_dispatches_after_barriers,
             a_queue_of_the_host_refuses_kernels,
             what_nobody_serves_is_a_queue_error_with_its_fields,
             a_half_written_header_is_read_again_before_it_is_an_error,
             a_negative_dependency_ends_a_barrier_in_foundation_mode_only,
             a_workgroup_that_is_too_large_is_named_as_the_semantics_say,
             the_largest_workgroup_and_group_segment_fit,
             an_error_without_a_callback_is_reported,
             a_completion_writes_the_event_mailbox)
