/* SPDX-License-Identifier: MIT */
/* Kernels whose workgroups share the device, through rings and packets. */
#include "backend_sim/rig.h"

#include <stdlib.h>

#include "backend_sim/core.h"
#include "backend_sim/sim.h"

enum {
  WAVE = 100000000, /* ps: a workgroup */
  STEP = 8 * 479,   /* ps: two starts at one of eight complexes */
  CUS = 304,        /* of the device */
  ALL_LDS = 65536,  /* bytes: one workgroup fills a compute unit */
  SWEEP = 11,       /* points */
};

static uint64_t kernel_of(rig *r, aq_cost cost)
{
  return rig_kernel_with(r, &(aq_kernel_desc){.name = "k", .cost = cost});
}

static uint64_t wave_kernel(rig *r)
{
  return kernel_of(r, (aq_cost){.kind = AQ_COST_WORKGROUP, .base = WAVE});
}

static aq_packet grid_of(uint64_t object, uint32_t workgroups, uint32_t lds,
                         aq_signal completion)
{
  aq_packet packet = rig_dispatch(object, true, completion);
  packet.kernel.workgroup_size[0] = 256;
  packet.kernel.grid_size[0] = 256 * workgroups;
  packet.kernel.group_segment_size = lds;
  return packet;
}

/* ---- the published sweep ---- */

/* sarchlab/mgpusim @ 834d188, mi300x_ground_truth.csv: empty_kernel, launch and
 * wait, ns. */
static const struct {
  uint32_t workgroups;
  int64_t ns;
} sweep[SWEEP] = {{1, 8655},         {8, 8718},         {64, 8748},
                  {512, 8897},       {4096, 10635},     {32768, 24367},
                  {100000, 56520},   {262144, 134203},  {500000, 248277},
                  {1000000, 488163}, {2097152, 1014415}};

START_TEST(the_empty_kernel_takes_what_was_measured_and_a_handful_of_events)
{
  /* 8.66 us for a launch and a wait, no matter how long it was idle. */
  const char *edits[] = {"interrupt_to_host=3.59 us", "remap_latency=0 us",
                         NULL};
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  const aqsim *sim = aqsim_from(r.t);
  aq_ring *queue = rig_queue(&r, 64);
  uint64_t object = kernel_of(&r, (aq_cost){.kind = AQ_COST_WORKGROUP});
  uint64_t workgroups = 0, events = sim->calendar.sequence;
  for (int i = 0; i < SWEEP; i++) {
    aq_signal done = rig_signal(&r, 1, 0);
    aq_packet packet = grid_of(object, sweep[i].workgroups, 0, done);
    aq_time begin = r.t->ops->now(r.t);
    rig_submit(&r, queue, &packet);
    aq_wait_item item = {done, AQ_EQ, 0};
    ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                     &r.diag);
    double took = (double)(r.t->ops->now(r.t) - begin) / AQ_NS;
    double error = took / (double)sweep[i].ns - 1;
    ck_assert_msg(error > -0.03 && error < 0.03, "%u workgroups: %.0f ns",
                  sweep[i].workgroups, took);
    workgroups += sweep[i].workgroups;
  }
  events = sim->calendar.sequence - events;
  ck_assert_msg(events <= 8 * SWEEP && 100 * events <= workgroups,
                "%llu events for %llu workgroups", (unsigned long long)events,
                (unsigned long long)workgroups);
  rig_close(&r);
}
END_TEST

START_TEST(a_million_workgroups_that_wait_for_room_cost_a_handful_of_events)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  const aqsim *sim = aqsim_from(r.t);
  aq_ring *queue = rig_queue(&r, 64);
  uint32_t waves = 3300;
  aq_packet packet = grid_of(wave_kernel(&r), waves * CUS, ALL_LDS, rig_none);
  uint64_t events = sim->calendar.sequence;
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_uint_le(sim->calendar.sequence - events, 8);
  const aq_record *row = rig_record(&r, queue, 0);
  ck_assert_time_eq(row->end - row->start,
                    (aq_time)waves * WAVE + (CUS / 8 - 1) * STEP);
  rig_close(&r);
}
END_TEST

/* ---- sharing ---- */

START_TEST(kernels_of_two_queues_share_compute_units)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  uint64_t object = wave_kernel(&r);
  aq_packet half = grid_of(object, CUS, ALL_LDS / 2, rig_none);
  aq_packet full = grid_of(object, CUS, ALL_LDS, rig_none);
  rig_submit(&r, a, &half);
  rig_submit(&r, b, &half);
  rig_run(&r);
  /* They start in turn, and none waits for room. */
  aq_time begin =
      aq_time_min(rig_record(&r, a, 0)->start, rig_record(&r, b, 0)->start);
  for (int i = 0; i < 2; i++) {
    const aq_record *row = rig_record(&r, i ? b : a, 0);
    ck_assert_int_ge(row->end - row->start, WAVE + (CUS / 8 - 1) * STEP);
    ck_assert_int_lt(row->end, begin + WAVE + 2 * CUS / 8 * STEP);
  }
  /* Two that fill the device need two waves, of both. */
  rig_submit(&r, a, &full);
  rig_submit(&r, b, &full);
  rig_run(&r);
  const aq_record *x = rig_record(&r, a, 1), *y = rig_record(&r, b, 1);
  ck_assert_int_lt(y->start, x->end);
  aq_time run = aq_time_max(x->end, y->end) - aq_time_min(x->start, y->start);
  ck_assert_int_ge(run, 2 * WAVE);
  ck_assert_int_lt(run, 2 * WAVE + 2 * CUS / 8 * STEP + AQ_US * 20);
  rig_close(&r);
}
END_TEST

START_TEST(a_mask_acts_on_a_running_kernel_from_its_next_workgroup_on)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = grid_of(wave_kernel(&r), 2 * CUS, ALL_LDS, rig_none);
  rig_submit(&r, queue, &packet);
  rig_sleep(&r, r.t->ops->now(r.t) + WAVE / 2);
  /* The first half: 19 of the 38 of each complex. */
  uint32_t mask[5] = {~0u, ~0u, ~0u, ~0u, 0xffffff};
  aq_queue_control_args args = {.count = 160, .mask = mask};
  ck_assert_status(
      r.t->ops->queue_control(r.t, queue, AQ_CONTROL_CU_MASK, &args, &r.diag),
      AQ_OK, &r.diag);
  rig_run(&r);
  const aq_record *row = rig_record(&r, queue, 0);
  ck_assert_time_eq(row->end - row->start, 3 * WAVE + 18 * STEP);
  rig_close(&r);
}
END_TEST

static void count_calls(const aq_kernel_call *call)
{
  ++*(int *)call->user;
}

START_TEST(a_host_function_runs_at_the_end_of_the_last_wave)
{
  rig r;
  int calls = 0;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  uint64_t object = rig_kernel_with(
      &r, &(aq_kernel_desc){.name = "k",
                            .function = count_calls,
                            .user = &calls,
                            .cost = {.kind = AQ_COST_WORKGROUP, .base = WAVE}});
  aq_packet packet = grid_of(object, CUS + 1, ALL_LDS, rig_none);
  rig_submit(&r, queue, &packet);
  rig_sleep(&r, r.t->ops->now(r.t) + 2 * WAVE);
  ck_assert_int_eq(calls, 0);
  rig_run(&r);
  ck_assert_int_eq(calls, 1);
  const aq_record *row = rig_record(&r, queue, 0);
  ck_assert_time_eq(row->end - row->start, 2 * WAVE);
  rig_close(&r);
}
END_TEST

START_TEST(the_kernels_of_a_destroyed_queue_leave_their_compute_units)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  const aq_cost_detail work = {.bytes = 5300000};
  uint64_t object = wave_kernel(&r);
  uint64_t mover =
      kernel_of(&r, (aq_cost){.kind = AQ_COST_ROOFLINE, .detail = &work});
  aq_packet fills = grid_of(object, 4 * CUS, ALL_LDS, rig_none);
  aq_packet moves = grid_of(mover, 1000, 0, rig_none);
  moves.header &= (uint16_t) ~(1u << AQ_HEADER_BARRIER_SHIFT);
  rig_submit(&r, a, &fills);
  rig_submit(&r, a, &moves);
  rig_sleep(&r, r.t->ops->now(r.t) + WAVE);
  r.t->ops->queue_destroy(r.t, a);
  aq_packet packet = grid_of(object, CUS, ALL_LDS, rig_none);
  rig_submit(&r, b, &packet);
  rig_run(&r);
  const aq_record *row = rig_record(&r, b, 0);
  ck_assert_int_lt(row->start, 2 * WAVE);
  ck_assert_time_eq(row->end - row->start, WAVE + (CUS / 8 - 1) * STEP);
  rig_close(&r);
}
END_TEST

/* ---- memory ---- */

START_TEST(kernels_share_the_bandwidth_of_memory)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queues[2] = {rig_queue(&r, 64), rig_queue(&r, 64)};
  /* 1 ms each when alone. */
  const aq_cost_detail work = {.bytes = 5300000};
  uint64_t object =
      kernel_of(&r, (aq_cost){.kind = AQ_COST_ROOFLINE, .detail = &work});
  aq_packet packet = grid_of(object, 1000, 0, rig_none);
  for (int i = 0; i < 2; i++)
    rig_submit(&r, queues[i], &packet);
  rig_run(&r);
  const aq_record *a = rig_record(&r, queues[0], 0);
  const aq_record *b = rig_record(&r, queues[1], 0);
  aq_time first = aq_time_min(a->start, b->start);
  aq_time last = aq_time_max(a->end, b->end);
  ck_assert_time_eq(last - first, 2 * AQ_MS);
  ck_assert_int_gt(a->end, last - 100 * AQ_US);
  ck_assert_int_gt(b->end, last - 100 * AQ_US);
  rig_close(&r);
}
END_TEST

START_TEST(a_copy_takes_its_part_of_the_bandwidth_of_memory)
{
  const char *edits[] = {"copy_bandwidth=1325 GB/s",
                         "host_link_bandwidth=1325 GB/s", NULL};
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  const size_t size = 132500000; /* 100 us at a quarter of the bandwidth */
  char *bytes;
  ck_assert_status(r.t->ops->mem_alloc(r.t, 0, AQ_MEMORY_DEVICE, size,
                                       (void **)&bytes, &r.diag),
                   AQ_OK, &r.diag);
  char *host = malloc(size);
  ck_assert_ptr_nonnull(host);
  const aq_cost_detail work = {.bytes = 5300000};
  uint64_t object =
      kernel_of(&r, (aq_cost){.kind = AQ_COST_ROOFLINE, .detail = &work});
  aq_packet packet = grid_of(object, 1000, 0, rig_none);
  rig_submit(&r, queue, &packet);
  rig_sleep(&r, r.t->ops->now(r.t) + 200 * AQ_US);
  aq_copy_desc copy = {.device = 0,
                       .to = host,
                       .from = bytes,
                       .size = size,
                       .from_device = 0,
                       .to_device = AQ_DEVICE_HOST,
                       .engine = AQ_COPY_ENGINE_ANY};
  ck_assert_status(r.t->ops->copy_submit(r.t, &copy, &r.diag), AQ_OK, &r.diag);
  rig_run(&r);
  const aq_record *row = rig_record(&r, queue, 0);
  ck_assert_time_eq(row->end - row->start, AQ_MS + 25 * AQ_US);
  free(host);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/dispatch/waves",
             the_empty_kernel_takes_what_was_measured_and_a_handful_of_events,
             a_million_workgroups_that_wait_for_room_cost_a_handful_of_events,
             kernels_of_two_queues_share_compute_units,
             a_mask_acts_on_a_running_kernel_from_its_next_workgroup_on,
             a_host_function_runs_at_the_end_of_the_last_wave,
             the_kernels_of_a_destroyed_queue_leave_their_compute_units,
             kernels_share_the_bandwidth_of_memory,
             a_copy_takes_its_part_of_the_bandwidth_of_memory)
