/* SPDX-License-Identifier: MIT */
/* Programs: the same blocks give the same packets and results everywhere. */
#include "contract/contract.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder.h"
#include "cmdbuf/validate.h"
#include "queue/ring/aql_queue.h"

enum { BUFFER = 4096, RING = 64, PACKETS_MAX = 4096 };

/* A queue, a builder, and two buffers. The kernel notes its packet and its
 * group size, and adds 1 to the word that its first argument points at. */
typedef struct bench {
  contract *c;
  aq_aql_queue *queue;
  aq_builder *builder;
  aq_binding slots[2];
  aq_packet seen[PACKETS_MAX];
  uint32_t seen_count;
  uint32_t tags[PACKETS_MAX];
} bench;

static void note_run(const aq_kernel_call *call)
{
  bench *b = call->user;
  if (b->seen_count < PACKETS_MAX) {
    memcpy(&b->seen[b->seen_count], call->packet, sizeof(aq_packet));
    b->tags[b->seen_count++] = call->packet->group_segment_size;
  }
  if (call->kernarg) {
    uint64_t word;
    int64_t *counter;
    memcpy(&word, call->kernarg, sizeof word);
    counter = (int64_t *)(uintptr_t)word;
    ++*counter;
  }
}

static bench *bench_open(contract *c, bool one_shot)
{
  bench *b = calloc(1, sizeof *b);
  aq_diag *diag = &c->rig.diag;
  b->c = c;
  const aq_kernel_desc desc = {
      .name = "note", .function = note_run, .user = b, .kernarg_size = 8};
  uint32_t kernel;
  const uint64_t object = rig_kernel_with(&c->rig, &desc);
  const aq_builder_options options = {.block_size = 1024, .one_shot = one_shot};
  ck_assert_status(aq_builder_create(&options, &b->builder, diag), AQ_OK, diag);
  ck_assert_status(aq_builder_kernel(b->builder, "note", object, &kernel, diag),
                   AQ_OK, diag);
  for (int i = 0; i < 2; i++) {
    ck_assert_status(c->ops->mem_alloc(c->t, 0, AQ_MEMORY_HOST, BUFFER,
                                       &b->slots[i].address, diag),
                     AQ_OK, diag);
    b->slots[i].size = BUFFER;
    memset(b->slots[i].address, 0, BUFFER);
  }
  ck_assert_status(
      aq_aql_queue_create(&(aq_aql_queue_options){.transport = c->t,
                                                  .size = RING,
                                                  .kernarg_size = 65536},
                          &b->queue, diag),
      AQ_OK, diag);
  return b;
}

static void bench_close(bench *b)
{
  aq_aql_queue_destroy(b->queue);
  for (int i = 0; i < 2; i++)
    b->c->ops->mem_free(b->c->t, b->slots[i].address);
  aq_builder_destroy(b->builder);
  free(b);
}

static int64_t *word_of(const bench *b, int slot, uint32_t index)
{
  return (int64_t *)b->slots[slot].address + index;
}

/* A dispatch that adds 1 to a word of slot 0. */
static void add(bench *b, uint32_t tag, uint32_t index)
{
  const aq_ref ref = aq_ref_slot(0, 8 * index);
  const aq_dispatch d = {.grid = {1, 1, 1},
                         .workgroup = {1, 1, 1},
                         .group_size = tag,
                         .bindings = &ref,
                         .binding_count = 1};
  aq_builder_barrier(b->builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  ck_assert_status(aq_builder_dispatch(b->builder, &d, &b->c->rig.diag), AQ_OK,
                   &b->c->rig.diag);
}

/* Submits and waits until it has completed. */
static aq_status run_with(bench *b, aq_submission submission)
{
  contract *c = b->c;
  aq_program program;
  aq_diag *diag = &c->rig.diag;
  ck_assert_status(aq_builder_end(b->builder, &program, diag), AQ_OK, diag);
  ck_assert_status(aq_program_validate(&program, diag), AQ_OK, diag);
  const aq_signal done = contract_signal(c, 1);
  submission.program = &program;
  submission.bindings = b->slots;
  submission.binding_count = 2;
  submission.completion = done;
  aq_status status = aq_aql_queue_submit(b->queue, &submission, NULL, diag);
  if (status == AQ_OK)
    status = aq_aql_queue_finish(b->queue, diag);
  if (status == AQ_OK)
    contract_wait_zero(c, done);
  return status;
}

static void run(bench *b, bool on_device)
{
  ck_assert_status(run_with(b, (aq_submission){.on_device = on_device}), AQ_OK,
                   &b->c->rig.diag);
}

static void check_tags(const bench *b, const uint32_t *tags, uint32_t count)
{
  ck_assert_uint_eq(b->seen_count, count);
  ck_assert_mem_eq(b->tags, tags, count * sizeof *tags);
}

/* ---- straight programs ---- */

static void packets_are_what_was_recorded(contract *c)
{
  bench *b = bench_open(c, true);
  for (uint32_t i = 0; i < 200; i++) /* more than the ring */
    add(b, i, i % 3);
  run(b, false);
  ck_assert_uint_eq(b->seen_count, 200);
  for (uint32_t i = 0; i < 200; i++) {
    aq_packet want;
    memset(&want, 0, sizeof want);
    want.header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1, AQ_SCOPE_AGENT,
                                   i < 199 ? AQ_SCOPE_AGENT : AQ_SCOPE_NONE);
    want.setup = 1;
    for (int k = 0; k < 3; k++)
      want.kernel.grid_size[k] = want.kernel.workgroup_size[k] = 1;
    want.kernel.group_segment_size = i;
    want.kernel.kernel_object = b->seen[0].kernel.kernel_object;
    want.kernel.kernarg_address = b->seen[i].kernel.kernarg_address;
    want.kernel.completion_signal = b->seen[i].kernel.completion_signal;
    ck_assert_uint_eq(want.kernel.completion_signal.handle != 0, i == 199);
    ck_assert_mem_eq(&b->seen[i], &want, sizeof want);
  }
  ck_assert_int_eq(*word_of(b, 0, 0), 67);
  ck_assert_int_eq(*word_of(b, 0, 1), 67);
  ck_assert_int_eq(*word_of(b, 0, 2), 66);
  bench_close(b);
}

static void reusable_programs_are_replayed(contract *c)
{
  bench *b = bench_open(c, false);
  aq_diag *diag = &c->rig.diag;
  aq_program program;
  aq_link *link;
  aq_ref refs[2] = {0, aq_ref_slot(0, 8)};
  ck_assert_status(aq_builder_buffer(b->builder, b->slots[1].address, BUFFER,
                                     &refs[0], diag),
                   AQ_OK, diag);
  for (uint32_t i = 0; i < 10; i++) {
    /* Prepublished, dynamic and template in turn. */
    const aq_dispatch d = {.grid = {1, 1, 1},
                           .workgroup = {1, 1, 1},
                           .group_size = i,
                           .bindings = &refs[i % 3 == 1],
                           .binding_count = 1 + (i % 3 == 2)};
    aq_builder_barrier(b->builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
    ck_assert_status(aq_builder_dispatch(b->builder, &d, diag), AQ_OK, diag);
  }
  ck_assert_status(aq_builder_end(b->builder, &program, diag), AQ_OK, diag);
  ck_assert_status(aq_link_create(&program,
                                  &(aq_link_options){.transport = c->t}, &link,
                                  diag),
                   AQ_OK, diag);
  const aq_signal done = contract_signal(c, 50);
  for (int i = 0; i < 50; i++)
    ck_assert_status(aq_aql_queue_submit(b->queue,
                                         &(aq_submission){.link = link,
                                                          .bindings = b->slots,
                                                          .binding_count = 1,
                                                          .completion = done},
                                         NULL, diag),
                     AQ_OK, diag);
  contract_wait_zero(c, done);
  ck_assert_uint_eq(b->seen_count, 500);
  ck_assert_int_eq(*word_of(b, 1, 0), 50 * 7);
  ck_assert_int_eq(*word_of(b, 0, 1), 50 * 3);
  aq_link_destroy(link);
  bench_close(b);
}

static void transfers_move_bytes(contract *c)
{
  bench *b = bench_open(c, true);
  aq_diag *diag = &c->rig.diag;
  unsigned char want[BUFFER] = {0};
  aq_builder_fill(b->builder, aq_ref_slot(0, 16), 1000, 0x04030201, 4, diag);
  aq_builder_barrier(b->builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  aq_builder_update(b->builder, aq_ref_slot(0, 18), "hello", 5, diag);
  aq_builder_barrier(b->builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  aq_builder_copy(b->builder, aq_ref_slot(1, 3), aq_ref_slot(0, 8), 1200, diag);
  aq_builder_barrier(b->builder, AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM);
  run(b, false);
  for (int i = 0; i < 1000; i++)
    want[16 + i] = (unsigned char)(1 + i % 4);
  memcpy(want + 18, "hello", 5);
  ck_assert_mem_eq(b->slots[0].address, want, BUFFER);
  ck_assert_mem_eq((char *)b->slots[1].address + 3, want + 8, 1200);
  bench_close(b);
}

/* ---- grids and arguments from buffers ---- */

static void record_grid(bench *b)
{
  const uint32_t grid[3] = {5, 6, 7};
  const aq_dispatch d = {
      .grid = {1, 1, 2}, .workgroup = {1, 1, 1}, .group_size = 9};
  aq_diag *diag = &b->c->rig.diag;
  add(b, 1, 0);
  aq_builder_update(b->builder, aq_ref_slot(1, 20), grid, sizeof grid, diag);
  aq_builder_barrier(b->builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  ck_assert_status(
      aq_builder_dispatch_params(b->builder, &d, aq_ref_slot(1, 20), diag),
      AQ_OK, diag);
  add(b, 2, 0);
}

static void check_grid(const bench *b)
{
  const uint32_t tags[] = {1, 9, 2}, grid[3] = {5, 6, 7};
  check_tags(b, tags, 3);
  ck_assert_mem_eq(b->seen[1].kernel.grid_size, grid, sizeof grid);
  ck_assert_uint_eq(b->seen[1].setup, 3);
}

static void grids_are_read_when_their_turn_comes(contract *c)
{
  bench *b = bench_open(c, true);
  record_grid(b);
  run(b, false);
  check_grid(b);
  bench_close(b);
}

static void arguments_are_read_from_a_buffer(contract *c)
{
  bench *b = bench_open(c, true);
  const aq_dispatch d = {
      .grid = {1, 1, 1}, .workgroup = {1, 1, 1}, .group_size = 3};
  *word_of(b, 1, 4) = (int64_t)(uintptr_t)word_of(b, 0, 11);
  ck_assert_status(aq_builder_dispatch_args(b->builder, &d, aq_ref_slot(1, 32),
                                            8, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  run(b, false);
  ck_assert_int_eq(*word_of(b, 0, 11), 1);
  bench_close(b);
}

/* ---- flow ---- */

/* Adds to word 0 until it is `times`. */
static void record_loop(bench *b, int64_t times)
{
  aq_label loop;
  aq_diag *diag = &b->c->rig.diag;
  const aq_test test = {aq_ref_slot(0, 0), times, AQ_LT, true};
  aq_builder_label(b->builder, &loop, diag);
  aq_builder_place(b->builder, loop, diag);
  add(b, 1, 0);
  add(b, 2, 1);
  aq_builder_barrier(b->builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  ck_assert_status(aq_builder_branch_if(b->builder, &test, loop, diag), AQ_OK,
                   diag);
  add(b, 3, 2);
}

static void check_loop(const bench *b, int64_t times)
{
  ck_assert_int_eq(*word_of(b, 0, 0), times);
  ck_assert_int_eq(*word_of(b, 0, 1), times);
  ck_assert_int_eq(*word_of(b, 0, 2), 1);
}

static void loops_run_until_their_condition_fails(contract *c)
{
  bench *b = bench_open(c, true);
  record_loop(b, 10000);
  run(b, false);
  check_loop(b, 10000);
  bench_close(b);
}

/* The device's walk executes code, of which a slice has fewer turns. */
static void loops_run_on_the_device(contract *c)
{
  const int64_t times = aqtest_is_long() ? 10000 : 2000;
  bench *b = bench_open(c, true);
  record_loop(b, times);
  run(b, true);
  check_loop(b, times);
  /* The queue continues afterwards. */
  aq_builder_reset(b->builder);
  add(b, 4, 3);
  run(b, false);
  ck_assert_int_eq(*word_of(b, 0, 3), 1);
  bench_close(b);
}

/* The same where a device thread serves the host: both walks. */
static void loops_run_in_live_mode(contract *c)
{
  contract *live = malloc(sizeof *live);
  const aq_transport_options options = {.size = sizeof options,
                                        .mode = AQ_MODE_LIVE};
  *live = *c;
  if (contract_open(c, &options, &live->t, &c->rig.diag) != AQ_OK) {
    aqtest_leave_out("%s: it has no live mode", c->layer->ops->name);
    free(live);
    return;
  }
  live->rig.t = live->t;
  live->ops = live->t->ops;
  live->ops->info(live->t, &live->info);
  for (int on_device = 0; on_device < 2; on_device++) {
    bench *b = bench_open(live, true);
    record_loop(b, 300);
    run(b, on_device);
    check_loop(b, 300);
    bench_close(b);
  }
  live->ops->close(live->t);
  free(live);
}

/* Everything that changes the flow, and more packets than the ring. */
static void record_all(bench *b)
{
  aq_label body, skip;
  aq_diag *diag = &b->c->rig.diag;
  aq_builder_label(b->builder, &body, diag);
  aq_builder_label(b->builder, &skip, diag);
  for (uint32_t i = 0; i < 150; i++)
    add(b, 100 + i, 5);
  ck_assert_status(aq_builder_call(b->builder, body, diag), AQ_OK, diag);
  record_loop(b, 20);
  const aq_test test = {aq_ref_slot(0, 40), 150, AQ_EQ, false};
  aq_builder_branch_if(b->builder, &test, skip, diag);
  add(b, 999, 6);
  aq_builder_place(b->builder, skip, diag);
  ck_assert_status(aq_builder_call(b->builder, body, diag), AQ_OK, diag);
  record_grid(b);
  aq_builder_return(b->builder, diag);
  aq_builder_place(b->builder, body, diag);
  add(b, 50, 7);
  add(b, 51, 7);
  aq_builder_return(b->builder, diag);
}

static void the_device_makes_the_packets_of_the_host(contract *c)
{
  bench *host = bench_open(c, true), *device = bench_open(c, true);
  record_all(host);
  record_all(device);
  run(host, false);
  run(device, true);
  ck_assert_uint_eq(host->seen_count, 150 + 4 + 41 + 3);
  check_tags(device, host->tags, host->seen_count);
  for (uint32_t i = 0; i < host->seen_count; i++) {
    /* Headers but for barriers that only the walk's own packets need. */
    ck_assert_uint_eq(device->seen[i].header_setup, host->seen[i].header_setup);
    ck_assert_mem_eq(device->seen[i].kernel.grid_size,
                     host->seen[i].kernel.grid_size, 12);
  }
  ck_assert_mem_eq(host->slots[0].address, device->slots[0].address, BUFFER);
  bench_close(device);
  bench_close(host);
}

static void runaway_loops_end(contract *c)
{
  bench *b = bench_open(c, true);
  for (int on_device = 0; on_device < 2; on_device++) {
    aq_builder_reset(b->builder);
    *word_of(b, 0, 0) = INT64_MIN;
    record_loop(b, 0);
    ck_assert_status(
        run_with(b, (aq_submission){.visits = 100, .on_device = on_device}),
        AQ_ERR_RESOURCES, &c->rig.diag);
  }
  /* The queue is as good as before. */
  aq_builder_reset(b->builder);
  add(b, 4, 3);
  run(b, false);
  ck_assert_int_eq(*word_of(b, 0, 3), 1);
  bench_close(b);
}

/* ---- observed ---- */

typedef struct observed {
  aq_observed rows[PACKETS_MAX];
  uint32_t count, markers;
  aq_observed_totals totals;
} observed;

static void packet_observed(const aq_observed *packet, void *user)
{
  observed *o = user;
  o->rows[o->count++] = *packet;
}

static void marker_observed(const aq_walk_marker *marker, void *user)
{
  observed *o = user;
  ck_assert_uint_eq(marker->value, 1000 + o->markers);
  o->markers++;
}

static void totals_observed(const aq_observed_totals *totals, void *user)
{
  ((observed *)user)->totals = *totals;
}

static observed *observe(bench *b, aq_observe what)
{
  observed *o = calloc(1, sizeof *o);
  const aq_observer observer = {what, packet_observed, marker_observed,
                                totals_observed, o};
  ck_assert_status(run_with(b, (aq_submission){.observer = &observer}), AQ_OK,
                   &b->c->rig.diag);
  return o;
}

static void stats_tell_of_every_dispatch(contract *c)
{
  bench *b = bench_open(c, true);
  for (uint32_t i = 0; i < 600; i++) {
    aq_builder_marker(b->builder, AQ_MARKER_POINT, 1000 + i, &c->rig.diag);
    add(b, i, 0);
  }
  aq_builder_fill(b->builder, aq_ref_slot(1, 0), 8, 0, 8, &c->rig.diag);
  observed *o = observe(b, AQ_OBSERVE_STATS);
  ck_assert_uint_eq(o->count, 601);
  ck_assert_uint_eq(o->markers, 600);
  ck_assert_uint_eq(o->totals.dispatches, 600);
  ck_assert_uint_eq(o->totals.transfers, 1);
  ck_assert_uint_eq(o->totals.markers, 600);
  ck_assert_uint_eq(o->totals.packets, 602);
  for (uint32_t i = 0; i < 600; i++) {
    /* A marker lies between, and sometimes the end of a block. */
    if (i > 0)
      ck_assert_uint_ge(o->rows[i].command, o->rows[i - 1].command + 2);
    ck_assert_uint_eq(o->rows[i].packet, o->totals.first + i);
  }
  free(o);
  bench_close(b);
}

static void times_tell_start_and_end(contract *c)
{
  bench *b = bench_open(c, true);
  for (uint32_t i = 0; i < 600; i++)
    add(b, i, 0);
  observed *o = observe(b, AQ_OBSERVE_TIMES);
  ck_assert_uint_eq(o->count, 600);
  for (uint32_t i = 0; i < 600; i++) {
    ck_assert_int_le(o->rows[i].start, o->rows[i].end);
    if (i > 0)
      ck_assert_int_le(o->rows[i - 1].end, o->rows[i].end);
  }
  ck_assert_int_gt(o->rows[599].end, 0);
  const aq_observer observer = {.what = AQ_OBSERVE_TIMES};
  ck_assert_status(
      run_with(b, (aq_submission){.observer = &observer, .on_device = true}),
      AQ_ERR_INVALID, &c->rig.diag);
  free(o);
  bench_close(b);
}

const contract_case contract_programs[] = {
    {"a program's packets equal the recorded ones, in parts too", NULL,
     AQ_CAP_HOST_KERNELS, packets_are_what_was_recorded},
    {"a reusable program is linked once and replayed", NULL,
     AQ_CAP_HOST_KERNELS, reusable_programs_are_replayed},
    {"fills, copies and updates move bytes", NULL, AQ_CAP_HOST_KERNELS,
     transfers_move_bytes},
    {"a grid is read from a buffer when its turn comes", NULL,
     AQ_CAP_HOST_KERNELS, grids_are_read_when_their_turn_comes},
    {"arguments may lie in a buffer", NULL, AQ_CAP_HOST_KERNELS,
     arguments_are_read_from_a_buffer},
    {"a loop of 10000 runs until its condition fails", NULL,
     AQ_CAP_HOST_KERNELS, loops_run_until_their_condition_fails},
    {"the same loop is walked on the device", NULL, AQ_CAP_HOST_KERNELS,
     loops_run_on_the_device},
    {"loops run in live mode, on host and device", NULL, AQ_CAP_HOST_KERNELS,
     loops_run_in_live_mode},
    {"the device makes the packets that the host makes", NULL,
     AQ_CAP_HOST_KERNELS, the_device_makes_the_packets_of_the_host},
    {"a runaway loop ends with an error, not the queue", NULL,
     AQ_CAP_HOST_KERNELS, runaway_loops_end},
    {"statistics count every dispatch and marker", NULL, AQ_CAP_HOST_KERNELS,
     stats_tell_of_every_dispatch},
    {"times have start and end of every dispatch", NULL,
     AQ_CAP_HOST_KERNELS | AQ_CAP_PROFILING | AQ_CAP_TIMING,
     times_tell_start_and_end},
    {NULL}};
