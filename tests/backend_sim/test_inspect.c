/* SPDX-License-Identifier: MIT */
/* Inspection: every queue, each occupied slot, the cause of its wait. */
#include "backend_sim/rig.h"

#include <stdio.h>
#include <string.h>

#include "backend_sim/sim.h"

typedef struct told {
  char text[8000];
  int lines;
} told;

static void keep(const char *line, void *user)
{
  told *t = user;
  size_t length = strlen(t->text);
  snprintf(t->text + length, sizeof t->text - length, "%s\n", line);
  t->lines++;
}

static void expect(const told *t, const char *words)
{
  ck_assert_msg(strstr(t->text, words), "expected '%s' in:\n%s", words,
                t->text);
}

START_TEST(every_occupied_slot_is_decoded_with_what_it_waits_for)
{
  rig r;
  told t = {0};
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64), *other = rig_queue(&r, 64);
  aq_signal dep_wait = rig_signal(&r, 2, 0), done = rig_signal(&r, 1, 0);
  aq_packet kernel = rig_dispatch(rig_kernel(&r, "walk", AQ_US), true, done);
  aq_packet barrier =
      rig_barrier(AQ_PACKET_BARRIER_AND, &dep_wait, 1, rig_none);
  rig_submit(&r, queue, &kernel);
  rig_submit(&r, queue, &barrier);
  rig_submit(&r, queue, &kernel);
  rig_submit(&r, queue, &kernel);
  uint64_t reserved;
  ck_assert(aq_ring_try_reserve(queue, 1, &reserved));
  rig_run(&r);
  r.t->ops->inspect(r.t, keep, &t);
  expect(&t, "queue 0: active, device 0, size 64, read 1, write 5, doorbell 3, "
             "fetched 4, 2 decoded, 1 active, priority normal, 304 CUs\n");
  expect(&t, "  packet 1: waits for signal 0 (user 0, value 2) (barrier-AND, "
             "header 0x0003, needs signal 0)\n");
  expect(&t, "  packet 2: waits for the packet that blocks the queue (kernel "
             "dispatch, header 0x0b02, barrier bit, 1 dimensions, grid 1x1x1, "
             "workgroup 1x1x1, kernel walk, completes signal 1)\n");
  expect(&t, "  packet 3: waits for the packet before it (");
  expect(&t, "  packet 4: reserved, not published (INVALID");
  expect(&t,
         "queue 1: active, device 0, size 64, read 0, write 0, doorbell -1");
  ck_assert_int_eq(t.lines, 1 + 5 + 1);
  (void)other;
  rig_close(&r);
}
END_TEST

START_TEST(failures_soft_queues_and_copies_are_told)
{
  rig r;
  told t = {0};
  rig_open_with(&r, &aqsim_transport_ops,
                &(aq_transport_options){.report = keep, .report_user = &t});
  aq_ring *queue = rig_queue(&r, 64), *soft;
  aq_signal dep_wait = rig_signal(&r, 1, 0), bell = rig_signal(&r, -1, 0);
  aq_queue_desc desc = {.size = 64, .type = AQ_QUEUE_SOFT, .doorbell = bell};
  ck_assert_status(r.t->ops->queue_create(r.t, &desc, &soft, &r.diag), AQ_OK,
                   &r.diag);
  aq_packet bad = rig_dispatch(0, true, rig_none);
  rig_submit(&r, queue, &bad);
  rig_submit(&r, queue, &bad);
  rig_submit(&r, soft, &bad);
  char bytes[8] = "";
  ck_assert_status(r.t->ops->copy_async(r.t, 0, bytes, bytes + 4, 4, &dep_wait,
                                        1, rig_none, &r.diag),
                   AQ_OK, &r.diag);
  rig_run(&r);
  r.t->ops->inspect(r.t, keep, &t);
  expect(&t, "queue 0: failed");
  expect(&t, "  packet 0: stopped the queue: kernel object 0 is not a kernel");
  expect(&t, "  packet 1: ignored: the queue is inactive");
  expect(&t, "queue 1: soft");
  expect(&t, "  packet 0: for the application to serve");
  expect(&t, "copy 0 of device 0: 4 bytes, host to host, waits for signal 0 "
             "(user 0, value 1)");
  rig_close(&r);
}
END_TEST

START_TEST(live_queues_can_be_inspected_while_they_work)
{
  rig r;
  told t = {0};
  rig_open_with(&r, &aqsim_transport_ops,
                &(aq_transport_options){.mode = AQ_MODE_LIVE});
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal never = rig_signal(&r, 1, 0), done = rig_signal(&r, 1, 0);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_OR, &never, 1, done);
  rig_submit(&r, queue, &barrier);
  aq_wait_item item = {done, AQ_EQ, 0};
  ck_assert_status(
      rig_wait(&r, &item, 1, AQ_WAIT_ALL, r.t->ops->now(r.t) + 5 * AQ_MS),
      AQ_ERR_TIMEOUT, &r.diag);
  r.t->ops->inspect(r.t, keep, &t);
  expect(&t, "  packet 0: waits for signal 0 (user 0, value 1) (barrier-OR");
  rig_close(&r);
}
END_TEST

START_TEST(copies_that_move_are_told_with_rate_engine_and_path)
{
  rig r;
  told t = {0};
  rig_open_with(&r, &aqsim_transport_ops,
                &(aq_transport_options){.device = "mi300x*2"});
  static char bytes[2][64000];
  for (uint32_t engine = 0; engine < 2; engine++) {
    aq_copy_desc copy = aq_copy_by_address(1, bytes[0], bytes[1],
                                           sizeof bytes[0], NULL, 0, rig_none);
    copy.engine = engine;
    copy.to_device = 1;
    ck_assert_status(r.t->ops->copy_submit(r.t, &copy, &r.diag), AQ_OK,
                     &r.diag);
  }
  r.t->ops->inspect(r.t, keep, &t);
  expect(&t, "copy 0 of device 1: 64000 bytes, host to device 1, begins on "
             "engine 0\n");
  rig_sleep(&r, 5500 * AQ_NS);
  t = (told){0};
  r.t->ops->inspect(r.t, keep, &t);
  expect(&t, "copy 1 of device 1: 64000 bytes, host to device 1, moves at "
             "32000000000 B/s on engine 1\n");
  expect(&t, "device 1: copies use 64000000000 B/s of its memory\n");
  rig_close(&r);
}
END_TEST

START_TEST(running_workgroups_are_told_with_what_limits_their_number)
{
  rig r;
  told t = {0};
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  uint64_t object =
      rig_kernel_with(&r, &(aq_kernel_desc){.name = "k",
                                            .vgprs = 256,
                                            .cost = {.kind = AQ_COST_WORKGROUP,
                                                     .base = 100 * AQ_US}});
  aq_packet packet = rig_dispatch(object, true, rig_none);
  packet.kernel.workgroup_size[0] = 256;
  packet.kernel.grid_size[0] = 256 * 700;
  rig_submit(&r, queue, &packet);
  rig_sleep(&r, 50 * AQ_US);
  r.t->ops->inspect(r.t, keep, &t);
  expect(&t, "active, step WAVES: 2 workgroups fit on a compute unit, limited "
             "by its vector registers");
  expect(&t, "device 0: 608 workgroups, 2432 waves, run on 304 of 304 compute "
             "units\n");
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/inspect",
             copies_that_move_are_told_with_rate_engine_and_path,
             every_occupied_slot_is_decoded_with_what_it_waits_for,
             failures_soft_queues_and_copies_are_told,
             live_queues_can_be_inspected_while_they_work,
             running_workgroups_are_told_with_what_limits_their_number)
