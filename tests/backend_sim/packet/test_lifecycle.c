/* SPDX-License-Identifier: MIT */
/* Timelines of the life cycle, to the picosecond, with the constants of the
 * mi300x model (lifecycle.def). */
#include "backend_sim/rig.h"

#include <string.h>

#include "backend_sim/sim.h"

enum {
  DECODE = 1470000,    /* doorbell_to_fetch + packet_fetch + packet_decode */
  NEXT_DECODE = 70000, /* of the next packet in the batch */
  SETUP = 3200000,     /* acquire_agent + dispatch_setup */
  LATENCY = 4670000,   /* DECODE + SETUP */
  REMAP = 4360000,
  FINISH = 400000, /* release_agent + signal_write */
  FLOOR = 3600000, /* FINISH + SETUP */
  UNMAP = 105000000,
  BARRIER = 8700000, /* barrier_process */
  POLL = 7270000,    /* dependency_poll */
  WRITE = 100000,    /* signal_write */
};

/* A rig with one queue that is mapped and idle at the returned time. */
static aq_time warm_open(rig *r, aq_ring **queue, uint64_t *object,
                         aq_time duration)
{
  rig_open(r, &aqsim_transport_ops, NULL);
  *queue = rig_queue(r, 64);
  *object = rig_kernel(r, "k", duration);
  aq_packet packet = rig_dispatch(*object, true, rig_none);
  rig_submit(r, *queue, &packet);
  rig_run(r);
  return r->t->ops->now(r->t);
}

START_TEST(a_fresh_queue_is_unmapped_and_pays_the_remap)
{
  rig r;
  aq_ring *queue;
  uint64_t object;
  warm_open(&r, &queue, &object, 10 * AQ_US);
  const aq_record *row = rig_record(&r, queue, 0);
  ck_assert_time_eq(row->submit, 0);
  ck_assert_time_eq(row->fetch, REMAP + DECODE);
  ck_assert_time_eq(row->launch, REMAP + DECODE);
  ck_assert_time_eq(row->start, REMAP + LATENCY);
  ck_assert_time_eq(row->end, row->start + 10 * AQ_US);
  ck_assert_time_eq(row->complete, row->end + FINISH);
  ck_assert_time_eq(row->observe, AQ_NONE);
  rig_close(&r);
}
END_TEST

START_TEST(an_idle_mapped_queue_starts_4_67_us_after_the_doorbell)
{
  rig r;
  aq_ring *queue;
  uint64_t object;
  aq_time begin = warm_open(&r, &queue, &object, 10 * AQ_US) + 50 * AQ_US;
  rig_sleep(&r, begin);
  aq_packet packet = rig_dispatch(object, true, rig_none);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  const aq_record *row = rig_record(&r, queue, 1);
  ck_assert_time_eq(row->submit, begin);
  ck_assert_time_eq(row->fetch, begin + DECODE);
  ck_assert_time_eq(row->start, begin + LATENCY);
  ck_assert_time_eq(row->end, begin + LATENCY + 10 * AQ_US);
  ck_assert_int_eq(row->flags, 0);
  rig_close(&r);
}
END_TEST

START_TEST(queued_kernels_complete_3_60_us_apart_and_start_back_to_back)
{
  rig r;
  aq_ring *queue;
  uint64_t object;
  aq_time begin = warm_open(&r, &queue, &object, 2 * AQ_US);
  for (int i = 0; i < 3; i++) {
    aq_packet packet = rig_dispatch(object, true, rig_none);
    rig_put(queue, &packet);
  }
  rig_ring(&r, queue, 3);
  rig_run(&r);
  const aq_record *a = rig_record(&r, queue, 1), *b = rig_record(&r, queue, 2),
                  *c = rig_record(&r, queue, 3);
  ck_assert_time_eq(a->start, begin + LATENCY);
  ck_assert_time_eq(b->fetch, begin + DECODE + NEXT_DECODE);
  ck_assert_time_eq(b->launch, a->complete);
  ck_assert_time_eq(b->start, a->end);
  ck_assert_time_eq(b->end, a->end + FLOOR + 2 * AQ_US);
  ck_assert_time_eq(b->complete - a->complete, FLOOR + 2 * AQ_US);
  ck_assert_time_eq(c->start, b->end);
  ck_assert_int_eq(a->flags, 0);
  ck_assert_int_eq(b->flags, AQ_FLAG_BACK_TO_BACK);
  ck_assert_int_eq(c->flags, AQ_FLAG_BACK_TO_BACK);
  rig_close(&r);
}
END_TEST

START_TEST(a_doorbell_shortly_before_the_end_leaves_a_gap)
{
  /* Submitted `lead` before the end of the running kernel. */
  static const struct {
    aq_time lead, start_after_end;
    int64_t flags;
  } cases[] = {
      {3670000, 0, AQ_FLAG_BACK_TO_BACK}, /* decoded glue_lead before the end */
      {3669999, FLOOR, 0}, /* the decode hides, the launch does not */
      {1000000, DECODE - 1000000 + SETUP, 0}, /* decoded after completion */
      {0, LATENCY, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r;
    aq_ring *queue;
    uint64_t object;
    aq_time begin = warm_open(&r, &queue, &object, 20 * AQ_US);
    aq_packet packet = rig_dispatch(object, true, rig_none);
    rig_submit(&r, queue, &packet);
    aq_time end = begin + LATENCY + 20 * AQ_US;
    rig_sleep(&r, end - cases[i].lead);
    rig_submit(&r, queue, &packet);
    rig_run(&r);
    const aq_record *row = rig_record(&r, queue, 2);
    ck_assert_time_eq(rig_record(&r, queue, 1)->end, end);
    ck_assert_time_eq(row->start, end + cases[i].start_after_end);
    ck_assert_int_eq(row->flags, cases[i].flags);
    /* The waves start after the launch, whatever the stamp says. */
    ck_assert_time_eq(row->end, aq_time_max(row->fetch, end + FINISH) + SETUP +
                                    20 * AQ_US);
    rig_close(&r);
  }
}
END_TEST

START_TEST(a_queue_is_unmapped_after_105_us_of_idleness)
{
  for (aq_time less = 0; less < 2; less++) {
    rig r;
    aq_ring *queue;
    uint64_t object;
    aq_time begin = warm_open(&r, &queue, &object, AQ_US) + UNMAP - less;
    rig_sleep(&r, begin);
    aq_packet packet = rig_dispatch(object, true, rig_none);
    rig_submit(&r, queue, &packet);
    rig_run(&r);
    ck_assert_time_eq(rig_record(&r, queue, 1)->start,
                      begin + LATENCY + (less ? 0 : REMAP));
    rig_close(&r);
  }
}
END_TEST

/* What sleeps is the device: a queue that has been idle for long pays nothing
 * while another one works, or has done so a moment ago. */
START_TEST(an_idle_queue_pays_no_remap_beside_one_that_works)
{
  for (int ended = 0; ended < 2; ended++) {
    rig r;
    aq_ring *queue;
    uint64_t object;
    aq_time begin = warm_open(&r, &queue, &object, AQ_US) + 5 * UNMAP;
    aq_ring *other = rig_queue(&r, 64);
    aq_packet packet =
        rig_dispatch(rig_kernel(&r, "long", 10 * UNMAP), true, rig_none);
    rig_submit(&r, other, &packet);
    if (ended) {
      rig_run(&r);
      begin = r.t->ops->now(r.t) + UNMAP / 2;
    }
    rig_sleep(&r, begin);
    packet = rig_dispatch(object, true, rig_none);
    rig_submit(&r, queue, &packet);
    rig_run(&r);
    ck_assert_time_eq(rig_record(&r, queue, 1)->start, begin + LATENCY);
    rig_close(&r);
  }
}
END_TEST

/* The same where the other one ends by an error behind its kernel, and while
 * that kernel still runs. */
START_TEST(a_kernel_before_an_error_keeps_the_device_awake)
{
  for (int running = 0; running < 2; running++) {
    rig r;
    aq_ring *queue;
    uint64_t object;
    aq_time begin = warm_open(&r, &queue, &object, AQ_US) + 5 * UNMAP;
    aq_ring *other = rig_queue(&r, 64);
    aq_packet packets[] = {
        rig_dispatch(rig_kernel(&r, "long", 10 * UNMAP), true, rig_none),
        rig_dispatch(0, !running, rig_none)};
    for (int i = 0; i < 2; i++)
      rig_submit(&r, other, &packets[i]);
    if (!running) {
      rig_run(&r);
      begin = r.t->ops->now(r.t) + UNMAP / 2;
    }
    rig_sleep(&r, begin);
    const aq_packet packet = rig_dispatch(object, true, rig_none);
    rig_submit(&r, queue, &packet);
    rig_run(&r);
    ck_assert_time_eq(rig_record(&r, queue, 1)->start, begin + LATENCY);
    rig_close(&r);
  }
}
END_TEST

START_TEST(the_info_tells_the_latencies_that_are_simulated)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_transport_info info;
  r.t->ops->info(r.t, &info);
  ck_assert_uint_eq(info.device_count, 1);
  ck_assert_time_eq(info.devices[0].dispatch_latency_warm, LATENCY);
  ck_assert_time_eq(info.devices[0].dispatch_latency_cold, LATENCY + REMAP);
  ck_assert_time_eq(info.devices[0].unmap_after, UNMAP);
  ck_assert_str_eq(info.devices[0].verdict, "partly");
  ck_assert(info.reproducible);
  rig_close(&r);
}
END_TEST

START_TEST(packets_without_fences_do_not_pay_for_them)
{
  rig r;
  aq_ring *queue;
  uint64_t object;
  aq_time begin = warm_open(&r, &queue, &object, AQ_US);
  aq_packet packet = rig_dispatch(object, true, rig_none);
  packet.header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1, AQ_SCOPE_NONE,
                                   AQ_SCOPE_NONE);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  const aq_record *row = rig_record(&r, queue, 1);
  ck_assert_time_eq(row->start, begin + LATENCY - 46 * AQ_NS);
  ck_assert_time_eq(row->complete, row->end + WRITE);
  rig_close(&r);
}
END_TEST

/* Conformance 38: with the bit clear a packet launches once its predecessor
 * has launched, and completions may be out of order. */
START_TEST(without_the_barrier_bit_completions_may_be_out_of_order)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet slow =
      rig_dispatch(rig_kernel(&r, "slow", 100 * AQ_US), false, rig_none);
  aq_packet fast = rig_dispatch(rig_kernel(&r, "fast", AQ_US), false, rig_none);
  rig_put(queue, &slow);
  rig_put(queue, &fast);
  rig_ring(&r, queue, 1);
  rig_run(&r);
  const aq_record *a = rig_record(&r, queue, 0), *b = rig_record(&r, queue, 1);
  ck_assert_time_eq(b->launch, a->start);
  ck_assert_int_lt(b->complete, a->end);
  /* Records come in the order of completion, slots go back in order. */
  ck_assert_int_eq(r.sink.rows[0].packet, 1);
  ck_assert_uint_eq(aq_ring_read_index(queue), 2);
  rig_close(&r);
}
END_TEST

/* Conformance 39: the barrier bit waits for all predecessors of the queue,
 * not only for the last. Conformance 41: it holds back its own packet only. */
START_TEST(the_barrier_bit_waits_for_all_before_and_blocks_nothing_after)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  uint64_t slow = rig_kernel(&r, "slow", 100 * AQ_US);
  uint64_t fast = rig_kernel(&r, "fast", AQ_US);
  aq_packet packets[] = {
      rig_dispatch(slow, false, rig_none), rig_dispatch(fast, false, rig_none),
      rig_dispatch(slow, true, rig_none), rig_dispatch(fast, false, rig_none)};
  for (int i = 0; i < 4; i++)
    rig_put(queue, &packets[i]);
  rig_ring(&r, queue, 3);
  rig_run(&r);
  const aq_record *first = rig_record(&r, queue, 0),
                  *waits = rig_record(&r, queue, 2),
                  *after = rig_record(&r, queue, 3);
  ck_assert_time_eq(waits->launch, first->complete);
  ck_assert_time_eq(waits->start, first->end); /* back-to-back */
  ck_assert_time_eq(after->launch, first->complete + SETUP);
  ck_assert_int_lt(after->complete, waits->end);
  rig_close(&r);
}
END_TEST

/* Conformance 50: an AND without dependencies completes. 43: it acquires once
 * it is satisfied. */
START_TEST(a_barrier_packet_takes_its_time)
{
  rig r;
  aq_ring *queue;
  uint64_t object;
  aq_time begin = warm_open(&r, &queue, &object, AQ_US);
  aq_signal done = rig_signal(&r, 1, 0);
  aq_packet packet = rig_barrier(AQ_PACKET_BARRIER_AND, NULL, 0, done);
  packet.header = aq_packet_header(AQ_PACKET_BARRIER_AND, 0, AQ_SCOPE_AGENT,
                                   AQ_SCOPE_SYSTEM);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  const aq_record *row = rig_record(&r, queue, 1);
  ck_assert_int_eq(row->kind, AQ_KIND_BARRIER_AND);
  ck_assert_time_eq(row->launch, begin + DECODE);
  ck_assert_time_eq(row->start, row->launch + BARRIER);
  ck_assert_time_eq(row->end, row->start + 46 * AQ_NS);
  ck_assert_time_eq(row->complete, row->end + FINISH);
  ck_assert_int_eq(rig_load(&r, done), 0);
  rig_close(&r);
}
END_TEST

/* Conformance 53, 55, 56: a barrier packet waits for another queue, and later
 * packets wait for the barrier packet. */
START_TEST(a_barrier_packet_carries_a_dependency_between_queues)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  uint64_t object = rig_kernel(&r, "k", 30 * AQ_US);
  aq_signal edge = rig_signal(&r, 2, 0);
  aq_packet kernel = rig_dispatch(object, true, edge);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &edge, 1, rig_none);
  aq_packet after = rig_dispatch(object, false, rig_none);
  rig_put(b, &barrier);
  rig_put(b, &after);
  rig_ring(&r, b, 1);
  rig_put(a, &kernel);
  rig_put(a, &kernel);
  rig_ring(&r, a, 1);
  rig_run(&r);
  const aq_record *last = rig_record(&r, a, 1),
                  *dep_wait = rig_record(&r, b, 0),
                  *next = rig_record(&r, b, 1);
  ck_assert_time_eq(dep_wait->start, last->complete + POLL);
  ck_assert_time_eq(dep_wait->complete, dep_wait->start + WRITE);
  ck_assert_time_eq(next->launch, dep_wait->complete);
  ck_assert_int_eq(next->flags, 0); /* no kernel before it */
  rig_close(&r);
}
END_TEST

/* Conformance 49: AND needs all. 51: OR needs any one of its signals. */
START_TEST(and_waits_for_the_last_signal_and_or_for_the_first)
{
  for (int type = AQ_PACKET_BARRIER_AND; type <= AQ_PACKET_BARRIER_OR;
       type += 2) {
    rig r;
    rig_open(&r, &aqsim_transport_ops, NULL);
    aq_ring *queue = rig_queue(&r, 64);
    aq_signal signals[2] = {rig_signal(&r, 1, 0), rig_signal(&r, 1, 0)};
    aq_packet packet = rig_barrier((aq_packet_type)type, signals, 2, rig_none);
    rig_submit(&r, queue, &packet);
    rig_sleep(&r, 20 * AQ_US);
    r.t->ops->signal_store(r.t, signals[1], 0, AQ_RELEASE);
    rig_sleep(&r, 20 * AQ_US + 200 * AQ_NS);
    r.t->ops->signal_store(r.t, signals[0], 0, AQ_RELEASE);
    rig_run(&r);
    aq_time seen = 20 * AQ_US + POLL;
    ck_assert_time_eq(rig_record(&r, queue, 0)->start,
                      type == AQ_PACKET_BARRIER_AND ? seen + 200 * AQ_NS
                                                    : seen);
    rig_close(&r);
  }
}
END_TEST

/* Conformance 49: seen 0, not has been 0. 57 (rocr): negative is not 0. */
START_TEST(a_signal_that_changes_again_before_the_look_is_not_seen)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal signal = rig_signal(&r, 1, 0);
  aq_packet packet = rig_barrier(AQ_PACKET_BARRIER_AND, &signal, 1, rig_none);
  rig_submit(&r, queue, &packet);
  rig_sleep(&r, 20 * AQ_US);
  r.t->ops->signal_store(r.t, signal, 0, AQ_RELEASE);
  rig_sleep(&r, 20 * AQ_US + POLL / 2);
  r.t->ops->signal_update(r.t, signal, AQ_UPDATE_ADD, -1, 0, AQ_ACQ_REL);
  rig_sleep(&r, 40 * AQ_US);
  ck_assert(!rig_has_record(&r, queue, 0));
  r.t->ops->signal_update(r.t, signal, AQ_UPDATE_ADD, 1, 0, AQ_ACQ_REL);
  rig_run(&r);
  ck_assert_time_eq(rig_record(&r, queue, 0)->start, 40 * AQ_US + POLL);
  rig_close(&r);
}
END_TEST

/* Conformance 47: a signal of n serves n packets. 45: it is decremented. */
START_TEST(a_completion_signal_is_decremented_by_one)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal signal = rig_signal(&r, 5, 0);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", 0), true, signal);
  for (int i = 0; i < 3; i++)
    rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(rig_load(&r, signal), 2);
  rig_close(&r);
}
END_TEST

/* Runs a spin kernel twice, back-to-back, and returns the second's record. */
static aq_record spin_second(const char *const *edits, uint32_t flags,
                             aq_time duration)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  aq_kernel_desc desc = {.name = "spin", .cost = {.kind = AQ_COST_SPIN}};
  aq_packet packet = rig_dispatch(rig_kernel_with(&r, &desc), true, rig_none);
  void *args;
  ck_assert_status(r.t->ops->mem_alloc(r.t, 0, AQ_MEMORY_KERNARG,
                                       2 * sizeof(aq_spin_args), &args,
                                       &r.diag),
                   AQ_OK, &r.diag);
  aq_spin_args *spin = args;
  spin[0] = (aq_spin_args){.duration = 20 * AQ_US};
  spin[1] = (aq_spin_args){.duration = duration, .flags = flags};
  for (int i = 0; i < 2; i++) {
    packet.kernel.kernarg_address = (uintptr_t)&spin[i];
    rig_put(queue, &packet);
  }
  rig_ring(&r, queue, 1);
  rig_run(&r);
  ck_assert_time_eq(rig_record(&r, queue, 0)->end -
                        rig_record(&r, queue, 0)->start,
                    20 * AQ_US);
  aq_record row = *rig_record(&r, queue, 1);
  rig_close(&r);
  return row;
}

START_TEST(a_back_to_back_duration_is_reproduced_and_not_charged_twice)
{
  const char *no[] = {"glued_duration_contains_launch=no", NULL};
  const char *slow[] = {"dispatch_setup=20us", NULL};
  aq_record row = spin_second(NULL, AQ_SPIN_BACK_TO_BACK, 10 * AQ_US);
  ck_assert_int_eq(row.flags, AQ_FLAG_BACK_TO_BACK);
  ck_assert_time_eq(row.end - row.start, 10 * AQ_US);
  /* Shorter than the model's launch: the measured device launched faster. */
  row = spin_second(NULL, AQ_SPIN_BACK_TO_BACK, 2 * AQ_US);
  ck_assert_time_eq(row.end - row.start, 2 * AQ_US);
  row = spin_second(NULL, AQ_SPIN_BACK_TO_BACK, 0);
  ck_assert_int_gt(row.end, row.start);
  row = spin_second(slow, AQ_SPIN_BACK_TO_BACK, 10 * AQ_US); /* an edit asks */
  ck_assert_int_gt(row.end - row.start, 20 * AQ_US);
  row = spin_second(NULL, 0, 10 * AQ_US);
  ck_assert_time_eq(row.end - row.start, FLOOR + 10 * AQ_US);
  row = spin_second(no, AQ_SPIN_BACK_TO_BACK, 10 * AQ_US);
  ck_assert_time_eq(row.end - row.start, FLOOR + 10 * AQ_US);
  row = spin_second(NULL, 0, -5);
  ck_assert_time_eq(row.end - row.start, FLOOR);
}
END_TEST

START_TEST(kernels_cost_what_their_model_says_and_the_dispatcher_allows)
{
  static const struct {
    aq_cost cost;
    uint32_t grid, workgroup;
    aq_time run;
  } cases[] = {
      {{AQ_COST_FIXED, 5000, 0}, 64, 64, 5000},
      {{AQ_COST_FIXED, 5000, 0}, 64000, 64, 479000},
      {{AQ_COST_FIXED, 5000, 0}, 65, 64, 5000},
      {{AQ_COST_PER_WORKGROUP, 5000, 1000}, 640, 64, 15000},
      {{AQ_COST_PER_WORKGROUP, 0, 100}, 640, 64, 4790},
      {{AQ_COST_PER_WORKGROUP, 0, 1000}, 641, 64, 11000}, /* 64: partial */
      {{AQ_COST_FIXED, 5000, 0}, 0, 64, 0},               /* 64: no work */
      {{AQ_COST_FIXED, 5000, 0}, 64, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r;
    rig_open(&r, &aqsim_transport_ops, NULL);
    aq_ring *queue = rig_queue(&r, 64);
    aq_kernel_desc desc = {.name = "k", .cost = cases[i].cost, .vgprs = 7};
    aq_packet packet = rig_dispatch(rig_kernel_with(&r, &desc), true, rig_none);
    packet.kernel.grid_size[0] = cases[i].grid;
    packet.kernel.workgroup_size[0] = (uint16_t)cases[i].workgroup;
    rig_submit(&r, queue, &packet);
    rig_run(&r);
    const aq_record *row = rig_record(&r, queue, 0);
    ck_assert_time_eq(row->end - row->start, cases[i].run);
    ck_assert_int_eq(row->grid_x, cases[i].grid);
    ck_assert_int_eq(row->vgpr, 7);
    ck_assert_int_eq(row->header, packet.header_setup);
    rig_close(&r);
  }
}
END_TEST

/* A busy little program on three queues; its records as bytes. */
static size_t busy_run(aq_record *rows, size_t capacity)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queues[3];
  uint64_t objects[3];
  uint32_t state = 1;
  for (int i = 0; i < 3; i++) {
    queues[i] = rig_queue(&r, 64);
    objects[i] = rig_kernel(&r, "k", (i + 1) * 700 * AQ_NS);
  }
  aq_signal last = rig_none;
  for (int i = 0; i < 120; i++) {
    state = state * 1664525u + 1013904223u;
    aq_ring *queue = queues[(state >> 20) % 3];
    aq_signal done = rig_signal(&r, 1, 0);
    aq_packet packet =
        (state >> 28) < 4 && last.handle
            ? rig_barrier(AQ_PACKET_BARRIER_AND, &last, 1, done)
            : rig_dispatch(objects[(state >> 24) % 3], state >> 31, done);
    if (aq_ring_space(queue) == 0)
      ck_assert_status(
          r.t->ops->queue_wait_space(r.t, queue, 1, AQ_TIME_MAX, &r.diag),
          AQ_OK, &r.diag);
    rig_submit(&r, queue, &packet);
    last = done;
    rig_sleep(&r, r.t->ops->now(r.t) + (state >> 12) % 4096 * AQ_NS);
  }
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, 120);
  ck_assert_uint_le(r.sink.count, capacity);
  memcpy(rows, r.sink.rows, r.sink.count * sizeof *rows);
  size_t count = r.sink.count;
  rig_close(&r);
  return count;
}

START_TEST(two_runs_give_the_same_bytes)
{
  static aq_record a[120], b[120];
  size_t count = busy_run(a, 120);
  ck_assert_uint_eq(busy_run(b, 120), count);
  ck_assert_mem_eq(a, b, count * sizeof *a);
  for (size_t i = 1; i < count; i++)
    ck_assert_int_ge(a[i].complete, a[i - 1].complete);
}
END_TEST

/* While another queue has the unit that fetches, a queue wants it for one
 * packet, for which its window has room, and then gets a second one. */
START_TEST(packets_that_come_while_a_fetch_waits_do_not_pass_the_window)
{
  static const char *const edits[] = {"pipes=1", "fetch_batch=2",
                                      "fetch_window=2", "packet_fetch=100 us",
                                      NULL};
  const aq_time us = AQ_US, long_kernel = 10000 * AQ_US;
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  const aq_packet packet =
      rig_dispatch(rig_kernel(&r, "k", long_kernel), true, rig_none);
  rig_put(a, &packet); /* runs */
  rig_put(a, &packet); /* waits for it: one of the window's two */
  rig_ring(&r, a, 1);
  rig_sleep(&r, 500 * us);
  rig_submit(&r, b, &packet); /* has the unit until 600 us, and later */
  rig_sleep(&r, 560 * us);
  rig_submit(&r, a, &packet); /* wants it, and fills the window */
  rig_sleep(&r, 570 * us);
  rig_submit(&r, a, &packet);
  rig_run(&r);
  ck_assert_int_lt(rig_record(&r, a, 2)->fetch, long_kernel);
  ck_assert_int_ge(rig_record(&r, a, 2)->fetch, 600 * us);
  ck_assert_int_ge(rig_record(&r, a, 3)->fetch, rig_record(&r, a, 0)->end);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/lifecycle",
             a_fresh_queue_is_unmapped_and_pays_the_remap,
             an_idle_mapped_queue_starts_4_67_us_after_the_doorbell,
             queued_kernels_complete_3_60_us_apart_and_start_back_to_back,
             a_doorbell_shortly_before_the_end_leaves_a_gap,
             a_queue_is_unmapped_after_105_us_of_idleness,
             an_idle_queue_pays_no_remap_beside_one_that_works,
             a_kernel_before_an_error_keeps_the_device_awake,
             the_info_tells_the_latencies_that_are_simulated,
             packets_without_fences_do_not_pay_for_them,
             without_the_barrier_bit_completions_may_be_out_of_order,
             the_barrier_bit_waits_for_all_before_and_blocks_nothing_after,
             a_barrier_packet_takes_its_time,
             a_barrier_packet_carries_a_dependency_between_queues,
             and_waits_for_the_last_signal_and_or_for_the_first,
             a_signal_that_changes_again_before_the_look_is_not_seen,
             a_completion_signal_is_decremented_by_one,
             a_back_to_back_duration_is_reproduced_and_not_charged_twice,
             kernels_cost_what_their_model_says_and_the_dispatcher_allows,
             two_runs_give_the_same_bytes,
             packets_that_come_while_a_fetch_waits_do_not_pass_the_window)
