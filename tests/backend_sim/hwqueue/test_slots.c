/* SPDX-License-Identifier: MIT */
/* Queues that share pipes and wait for slots, on timelines that are known to
 * the picosecond. The constants come from mi300x: a doorbell on an unmapped
 * queue is fetched 5.9 us later and decoded in 0.37 us, a kernel then starts
 * 3.2 us after its launch and completes 0.4 us after its end. */
#include "backend_sim/rig.h"

#include <stdio.h>

#include "backend_sim/core.h"
#include "backend_sim/hwqueue/slots.h"
#include "backend_sim/sim.h"

static const aq_time MAP = 4360 * AQ_NS;    /* remap_latency */
static const aq_time DECODE = 1470 * AQ_NS; /* doorbell to decode */
static const aq_time LAUNCH = 3200 * AQ_NS; /* launch to start */
static const aq_time FINISH = 400 * AQ_NS;  /* end to completion */
static const aq_time SWITCH = 20 * AQ_US;   /* queue_switch */
static const aq_time SAVE = 16384;          /* ps: state of one wave */

enum { MANY = 12 };

static const char *const one_slot_drain[] = {"pipes=1", "slots_per_pipe=1",
                                             "queue_quantum=1 ms",
                                             "preemption=drain", NULL};
static const char *const one_slot_switch[] = {"pipes=1", "slots_per_pipe=1",
                                              "queue_quantum=1 ms", NULL};

static void prioritise(rig *r, aq_ring *queue, int32_t value)
{
  ck_assert_status(r->t->ops->queue_control(
                       r->t, queue, AQ_CONTROL_PRIORITY,
                       &(aq_queue_control_args){.value = value}, &r->diag),
                   AQ_OK, &r->diag);
}

static void submit(rig *r, aq_ring *queue, aq_time duration)
{
  aq_packet packet = rig_dispatch(rig_kernel(r, "k", duration), true, rig_none);
  rig_submit(r, queue, &packet);
}

/* ---- pipes ---- */

START_TEST(queues_up_to_the_number_of_pipes_do_not_touch_each_other)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queues[4];
  for (int i = 0; i < 4; i++) {
    queues[i] = rig_queue(&r, 64);
    submit(&r, queues[i], AQ_US);
  }
  rig_run(&r);
  for (int i = 0; i < 4; i++)
    ck_assert_time_eq(rig_record(&r, queues[i], 0)->start,
                      MAP + DECODE + LAUNCH);
  rig_close(&r);
}
END_TEST

START_TEST(queues_of_one_pipe_are_fetched_and_launched_in_turn)
{
  const char *edits[] = {"pipes=1", NULL};
  const aq_time batch = 370 * AQ_NS; /* of one packet */
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queues[3];
  for (int i = 0; i < 3; i++) {
    queues[i] = rig_queue(&r, 64);
    for (int k = 0; k < 2; k++) {
      aq_packet packet =
          rig_dispatch(rig_kernel(&r, "k", 50 * AQ_US), false, rig_none);
      rig_put(queues[i], &packet);
    }
    rig_ring(&r, queues[i], 1);
  }
  rig_run(&r);
  for (int i = 0; i < 3; i++) {
    /* Two packets a batch; the batches one after the other. */
    ck_assert_time_eq(rig_record(&r, queues[i], 0)->fetch,
                      MAP + DECODE + i * (batch + 70 * AQ_NS));
    /* The first packets of all, then the second ones. */
    for (int k = 0; k < 2; k++)
      ck_assert_time_eq(rig_record(&r, queues[i], (uint64_t)k)->launch,
                        MAP + DECODE + (3 * k + i) * LAUNCH);
  }
  rig_close(&r);
}
END_TEST

/* Conformance 78: the effects of a priority. */
START_TEST(the_pipe_serves_high_priority_first_and_the_rest_in_turn)
{
  const char *edits[] = {"pipes=1", NULL};
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queues[4];
  for (int i = 0; i < 4; i++) {
    queues[i] = rig_queue(&r, 64);
    prioritise(&r, queues[i], i == 3 ? 1 : i == 0 ? -1 : 0);
  }
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 2; k++) {
      aq_packet packet =
          rig_dispatch(rig_kernel(&r, "k", 90 * AQ_US), false, rig_none);
      rig_submit(&r, queues[i], &packet);
    }
  rig_run(&r);
  /* The high one launches both of its packets, then the normal ones take turns;
   * the low one comes last. */
  static const struct {
    int queue;
    uint64_t packet;
  } order[] = {{3, 0}, {3, 1}, {1, 0}, {2, 0}, {1, 1}, {2, 1}, {0, 0}, {0, 1}};
  aq_time first = rig_record(&r, queues[3], 0)->launch;
  for (int i = 0; i < 8; i++)
    ck_assert_time_eq(
        rig_record(&r, queues[order[i].queue], order[i].packet)->launch,
        first + i * LAUNCH);
  rig_close(&r);
}
END_TEST

/* ---- slots ---- */

START_TEST(an_idle_queue_gives_its_slot_to_one_that_waits)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, one_slot_drain);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  submit(&r, a, 10 * AQ_US);
  submit(&r, b, 10 * AQ_US);
  rig_run(&r);
  aq_time done = MAP + DECODE + LAUNCH + 10 * AQ_US + FINISH;
  ck_assert_time_eq(rig_record(&r, a, 0)->complete, done);
  ck_assert_time_eq(rig_record(&r, b, 0)->fetch, done + MAP + DECODE);
  /* The other way round at once, though b has not been idle for unmap_after. */
  aq_time now = r.t->ops->now(r.t);
  submit(&r, a, 10 * AQ_US);
  rig_run(&r);
  ck_assert_time_eq(rig_record(&r, a, 1)->fetch, now + MAP + DECODE);
  rig_close(&r);
}
END_TEST

/* 2 × slots queues with endless work: each slot changes hands at every quantum,
 * in the order of the run list. */
START_TEST(queues_rotate_by_quantum_in_the_order_they_came)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, one_slot_drain);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  for (int i = 0; i < 4; i++) {
    submit(&r, a, 400 * AQ_US);
    submit(&r, b, 400 * AQ_US);
  }
  rig_run(&r);
  /* A queue is mapped, launches 3 kernels of 400 us in its quantum of 1 ms and
   * drains the third; the other one is mapped queue_switch later. */
  const aq_time period = LAUNCH + 400 * AQ_US + FINISH;
  aq_time mapped = MAP;
  aq_ring *turns[] = {a, b, a, b};
  for (int turn = 0; turn < 4; turn++) {
    int first = turn < 2 ? 0 : 3, count = turn < 2 ? 3 : 1;
    aq_time launch = mapped + DECODE;
    for (int i = first; i < first + count; i++, launch += period)
      ck_assert_time_eq(rig_record(&r, turns[turn], (uint64_t)i)->launch,
                        launch);
    /* Without work left, the queue goes without a switch. */
    mapped = launch + MAP + (count == 3 ? SWITCH : 0);
  }
  rig_close(&r);
}
END_TEST

START_TEST(a_context_switch_saves_the_kernel_and_goes_on_with_it)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, one_slot_switch);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  submit(&r, a, 1700 * AQ_US);
  submit(&r, b, 300 * AQ_US);
  rig_run(&r);
  aq_time start = MAP + DECODE + LAUNCH;
  aq_time saved = MAP + AQ_MS; /* the quantum runs from the mapping on */
  aq_time mapped = saved + SWITCH + SAVE + MAP;
  const aq_record *second = rig_record(&r, b, 0);
  ck_assert_time_eq(second->start, mapped + DECODE + LAUNCH);
  ck_assert_time_eq(second->end, second->start + 300 * AQ_US);
  /* b is idle then, and a continues where it was. */
  aq_time restored = second->complete + MAP + SAVE;
  const aq_record *first = rig_record(&r, a, 0);
  ck_assert_time_eq(first->start, start);
  ck_assert_time_eq(first->end, restored + start + 1700 * AQ_US - saved);
  ck_assert_time_eq(first->complete, first->end + FINISH);
  rig_close(&r);
}
END_TEST

/* A byte takes 1 us, and one of which a part has moved moves again. */
START_TEST(a_kernel_that_moves_bytes_goes_on_with_whole_bytes)
{
  static const char *const edits[] = {"pipes=1", "slots_per_pipe=1",
                                      "queue_quantum=1 ms",
                                      "memory_bandwidth=1 MB/s", NULL};
  enum { BYTES = 2000 };
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  const aq_cost_detail work = {.bytes = BYTES};
  aq_packet packet = rig_dispatch(
      rig_kernel_with(&r, &(aq_kernel_desc){.name = "k",
                                            .cost = {.kind = AQ_COST_ROOFLINE,
                                                     .detail = &work}}),
      true, rig_none);
  rig_submit(&r, a, &packet);
  submit(&r, b, 300 * AQ_US);
  rig_run(&r);
  const aq_record *first = rig_record(&r, a, 0);
  const aq_time start = MAP + DECODE + LAUNCH, saved = MAP + AQ_MS;
  const aq_time restored = rig_record(&r, b, 0)->complete + MAP + SAVE;
  ck_assert_time_eq(first->start, start);
  /* 995.33 bytes have moved. */
  ck_assert_int_eq((saved - start) / AQ_US, 995);
  ck_assert_time_eq(first->end, restored + (BYTES - 995) * AQ_US);
  rig_close(&r);
}
END_TEST

/* A quantum that ends before the first launch begins anew when the queue could
 * have decoded a packet. */
START_TEST(a_quantum_shorter_than_the_way_to_a_launch_is_extended_once)
{
  static const char *const edits[] = {"pipes=1", "slots_per_pipe=1",
                                      "queue_quantum=1 us", NULL};
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  submit(&r, a, 50 * AQ_US);
  submit(&r, b, AQ_US);
  rig_run(&r);
  const aq_time saved = MAP + AQ_US + DECODE + AQ_US;
  ck_assert_time_eq(rig_record(&r, a, 0)->launch, MAP + DECODE);
  ck_assert_time_eq(rig_record(&r, b, 0)->launch,
                    saved + SWITCH + SAVE + MAP + DECODE);
  rig_close(&r);
}
END_TEST

START_TEST(wave_state_counts_registers_and_resident_waves)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, one_slot_switch);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(
      rig_kernel_with(&r, &(aq_kernel_desc){.name = "k",
                                            .vgprs = 128,
                                            .sgprs = 104,
                                            .cost = {.kind = AQ_COST_FIXED,
                                                     .base = 2 * AQ_MS}}),
      true, rig_none);
  packet.kernel.workgroup_size[0] = 256;
  packet.kernel.grid_size[0] = 256 * 100000; /* more than fit */
  rig_submit(&r, a, &packet);
  submit(&r, b, AQ_US);
  rig_run(&r);
  /* 304 CUs × 4 SIMDs × 8 waves of (128 × 64 + 104) × 4 bytes at 1 TB/s. */
  aq_time save = (aq_time)304 * 4 * 8 * (128 * 64 + 104) * 4;
  ck_assert_time_eq(rig_record(&r, b, 0)->start,
                    MAP + AQ_MS + SWITCH + save + MAP + DECODE + LAUNCH);
  rig_close(&r);
}
END_TEST

START_TEST(high_priority_takes_a_slot_at_once_and_low_waits_until_it_is_idle)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, one_slot_drain);
  aq_ring *low = rig_queue(&r, 64), *high = rig_queue(&r, 64);
  prioritise(&r, low, -1);
  prioritise(&r, high, 1);
  submit(&r, low, 100 * AQ_US);
  submit(&r, low, 100 * AQ_US);
  rig_sleep(&r, 50 * AQ_US);
  for (int i = 0; i < 30; i++) /* three quanta */
    submit(&r, high, 100 * AQ_US);
  rig_run(&r);
  const aq_record *drained = rig_record(&r, low, 0);
  ck_assert_time_eq(rig_record(&r, high, 0)->launch,
                    drained->complete + SWITCH + MAP + DECODE);
  ck_assert_time_eq(rig_record(&r, low, 1)->launch,
                    rig_record(&r, high, 29)->complete + MAP + DECODE);
  rig_close(&r);
}
END_TEST

START_TEST(a_change_of_priority_of_a_mapped_queue_counts_at_once)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, one_slot_switch);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  submit(&r, a, 500 * AQ_US);
  submit(&r, b, AQ_US);
  rig_sleep(&r, 100 * AQ_US);
  prioritise(&r, a, -1);
  rig_run(&r);
  ck_assert_time_eq(rig_record(&r, b, 0)->launch,
                    100 * AQ_US + SWITCH + SAVE + MAP + DECODE);
  rig_close(&r);
}
END_TEST

/* The queue that would complete the signal has no slot; the one that waits for
 * it has. */
START_TEST(a_queue_that_waits_for_a_signal_yields_after_its_quantum)
{
  for (int priority = 0; priority < 2; priority++) {
    rig r;
    rig_open(&r, &aqsim_transport_ops, one_slot_drain);
    aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
    prioritise(&r, a, priority);
    aq_signal edge = rig_signal(&r, 1, 0), done = rig_signal(&r, 1, 0);
    aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &edge, 1, done);
    aq_packet kernel = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, edge);
    rig_submit(&r, a, &barrier);
    rig_submit(&r, b, &kernel);
    rig_run(&r);
    aq_time mapped = MAP + AQ_MS + SWITCH + MAP;
    const aq_record *row = rig_record(&r, b, 0);
    ck_assert_time_eq(row->launch, mapped + DECODE);
    ck_assert_time_eq(rig_record(&r, a, 0)->start,
                      row->complete + 7270 * AQ_NS + MAP);
    ck_assert_int_eq(rig_load(&r, done), 0);
    rig_close(&r);
  }
}
END_TEST

START_TEST(a_deadlock_on_few_slots_ends_and_is_told)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, one_slot_drain);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  aq_signal never = rig_signal(&r, 1, 0), done = rig_signal(&r, 1, 0);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &never, 1, done);
  rig_submit(&r, a, &barrier);
  rig_submit(&r, b, &barrier);
  aq_wait_item item = {done, AQ_EQ, 0};
  ck_assert_int_eq(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                   AQ_ERR_DEADLOCK);
  rig_close(&r);
}
END_TEST

/* The cost of many quanta: no time is lost and no switch is free. */
START_TEST(every_switch_is_accounted_for)
{
  const char *edits[] = {"pipes=1", "slots_per_pipe=1", "queue_quantum=100 us",
                         "queue_switch=7 us", NULL};
  const aq_time work = 1000 * AQ_US;
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  submit(&r, a, work);
  submit(&r, b, work);
  rig_run(&r);
  /* In its first turn a queue decodes and launches for 4.67 us; the later ones
   * are work only. A turn of 100 us costs the other one 7 us and twice the
   * state, saved and restored, and remap_latency. The first turn of b restores
   * nothing. */
  const aq_time first = 100 * AQ_US - DECODE - LAUNCH;
  const aq_time turns = 1 + (work - first + 100 * AQ_US - 1) / (100 * AQ_US);
  const aq_time rest = work - first - (turns - 2) * 100 * AQ_US;
  const aq_time change = 7 * AQ_US + SAVE + MAP;
  aq_time mapped = MAP + 100 * AQ_US + change; /* b, without state */
  mapped += 100 * AQ_US + change + SAVE;       /* a again */
  mapped += (turns - 2) * 2 * (100 * AQ_US + change + SAVE);
  ck_assert_time_eq(rig_record(&r, a, 0)->end, mapped + rest);
  /* a is idle when it is complete, without a switch. */
  ck_assert_time_eq(rig_record(&r, b, 0)->end,
                    mapped + rest + FINISH + MAP + SAVE + rest);
  rig_close(&r);
}
END_TEST

START_TEST(a_queue_can_be_told_to_leave_its_slot)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *ring = rig_queue(&r, 64);
  aqsim_queue *queue = (aqsim_queue *)ring;
  ck_assert(!aqsim_queue_preempt(queue, AQSIM_PREEMPT_SWITCH));
  submit(&r, ring, 100 * AQ_US);
  rig_sleep(&r, 50 * AQ_US);
  ck_assert(aqsim_queue_preempt(queue, AQSIM_PREEMPT_SWITCH));
  rig_run(&r);
  aq_time start = MAP + DECODE + LAUNCH;
  /* It gets the same slot again, since no pipe has fewer queues. */
  ck_assert_time_eq(rig_record(&r, ring, 0)->end,
                    start + 100 * AQ_US + SWITCH + SAVE + MAP + SAVE);
  rig_close(&r);
}
END_TEST

START_TEST(queues_that_stop_or_go_leave_their_slots)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, one_slot_switch);
  aq_ring *queues[4];
  for (int i = 0; i < 4; i++) {
    queues[i] = rig_queue(&r, 64);
    submit(&r, queues[i], 5 * AQ_MS);
  }
  rig_sleep(&r, 3 * AQ_MS); /* 0 and 1 are saved, 2 runs, 3 waits */
  ck_assert_status(r.t->ops->queue_control(
                       r.t, queues[2], AQ_CONTROL_INACTIVATE, NULL, &r.diag),
                   AQ_OK, &r.diag);
  ck_assert_status(r.t->ops->queue_control(
                       r.t, queues[1], AQ_CONTROL_INACTIVATE, NULL, &r.diag),
                   AQ_OK, &r.diag);
  r.t->ops->queue_destroy(r.t, queues[0]);
  rig_run(&r);
  /* Active packets of an inactive queue end, waiting queues are served. */
  ck_assert(rig_has_record(&r, queues[1], 0));
  ck_assert(rig_has_record(&r, queues[2], 0));
  ck_assert_time_eq(rig_record(&r, queues[3], 0)->launch,
                    3 * AQ_MS + MAP + DECODE);
  rig_close(&r);
}
END_TEST

/* Twelve queues on four slots, twice. */
static void many_run(aq_time ends[MANY])
{
  const char *edits[] = {"pipes=2", "slots_per_pipe=2", "queue_quantum=50 us",
                         NULL};
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queues[MANY];
  for (int i = 0; i < MANY; i++)
    queues[i] = rig_queue(&r, 64);
  for (int k = 0; k < 20; k++)
    for (int i = 0; i < MANY; i++)
      submit(&r, queues[i], (aq_time)(1 + (i * 7 + k * 5) % 40) * AQ_US);
  rig_run(&r);
  for (int i = 0; i < MANY; i++)
    ends[i] = rig_record(&r, queues[i], 19)->end;
  rig_close(&r);
}

START_TEST(oversubscription_is_the_same_again_and_fair)
{
  aq_time one[MANY], two[MANY], first = AQ_TIME_MAX, last = 0;
  many_run(one);
  many_run(two);
  for (int i = 0; i < MANY; i++) {
    ck_assert_time_eq(one[i], two[i]);
    first = aq_time_min(first, one[i]);
    last = aq_time_max(last, one[i]);
  }
  ck_assert_msg(last < 2 * first, "ends from %lld to %lld", (long long)first,
                (long long)last);
}
END_TEST

AQ_TEST_MAIN("backend_sim/hwqueue/slots",
             queues_up_to_the_number_of_pipes_do_not_touch_each_other,
             queues_of_one_pipe_are_fetched_and_launched_in_turn,
             the_pipe_serves_high_priority_first_and_the_rest_in_turn,
             an_idle_queue_gives_its_slot_to_one_that_waits,
             queues_rotate_by_quantum_in_the_order_they_came,
             a_context_switch_saves_the_kernel_and_goes_on_with_it,
             a_kernel_that_moves_bytes_goes_on_with_whole_bytes,
             a_quantum_shorter_than_the_way_to_a_launch_is_extended_once,
             wave_state_counts_registers_and_resident_waves,
             high_priority_takes_a_slot_at_once_and_low_waits_until_it_is_idle,
             a_change_of_priority_of_a_mapped_queue_counts_at_once,
             a_queue_that_waits_for_a_signal_yields_after_its_quantum,
             a_deadlock_on_few_slots_ends_and_is_told,
             every_switch_is_accounted_for,
             a_queue_can_be_told_to_leave_its_slot,
             queues_that_stop_or_go_leave_their_slots,
             oversubscription_is_the_same_again_and_fair)
