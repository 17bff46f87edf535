/* SPDX-License-Identifier: MIT */
/*
 * IREE's published figures for gfx1100 (traces/published.tsv), compared with
 * the packets that the host queue puts into the rings, not with a scenario's.
 * Kernels have the scenarios' durations.
 */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "cmdbuf/builder.h"
#include "common/memory_sink.h"
#include "queue/operations.h"
#include "queue/queue.h"

enum { OPERATIONS = 64, CHAIN = 512 };

#define FIRST_TIME (200 * AQ_US)  /* while everything is submitted */
#define TINY_TIME  (2840 * AQ_NS) /* edge-dispatch.json */
#define WORK_TIME  (1280 * AQ_NS) /* chain-512.json */
#define CALL_TIME  (420 * AQ_NS)  /* of the host, an edge */

static aq_diag diag = AQ_DIAG_INIT;

#define ok(call) ck_assert_status((call), AQ_OK, &diag)

typedef struct bed {
  aq_memory_sink sink;
  aq_transport *t;
  aq_context *context;
  aq_queue *queues[2];
  aq_semaphore *done;
} bed;

static void bed_open(bed *b)
{
  memset(b, 0, sizeof *b);
  aq_memory_sink_init(&b->sink);
  ok(aqsim_transport_ops.open(
      &(aq_transport_options){.size = sizeof(aq_transport_options),
                              .device = "rx7900xtx-unprofiled",
                              .records = &b->sink.sink},
      &b->t, &diag));
  ok(aq_context_create(&(aq_context_options){.size = sizeof(aq_context_options),
                                             .transport = b->t},
                       &b->context, &diag));
  for (int i = 0; i < 2; i++)
    ok(aq_queue_create(
        b->context,
        &(aq_queue_options){.size_of = sizeof(aq_queue_options), .size = 1024},
        &b->queues[i], &diag));
  ok(aq_semaphore_create(b->context, 0, 0, &b->done, &diag));
}

static void bed_wait(bed *b, uint64_t value)
{
  const aq_point end = {b->done, value};
  ok(aq_semaphore_wait(&end, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &diag));
}

/* All rows are in the sink afterwards. */
static void bed_close(bed *b)
{
  aq_queue_destroy(b->queues[0]);
  aq_queue_destroy(b->queues[1]);
  aq_semaphore_release(b->done);
  aq_context_destroy(b->context);
  b->t->ops->close(b->t);
}

static uint64_t kernel(bed *b, const char *name, aq_time cost)
{
  aq_kernel_info info;
  ok(b->t->ops->kernel_register(
      b->t, &(aq_kernel_desc){.name = name, .cost = {AQ_COST_FIXED, cost, 0}},
      &info, &diag));
  return info.object;
}

static void dispatch(bed *b, int queue, uint64_t object, const aq_sync *sync)
{
  ok(aq_queue_dispatch(b->queues[queue], sync,
                       &(aq_launch){.object = object,
                                    .grid = {64, 1, 1},
                                    .workgroup = {64, 1, 1}},
                       &diag));
}

static bool is_named(const bed *b, const aq_record *row, const char *name)
{
  return row->name != AQ_NONE &&
         strcmp(aq_names_text(&b->sink.names, row->name), name) == 0;
}

typedef enum behind { BARRIER, TINY, FILL, COPY } behind;

/* The work behind an edge; fills and copies are of 4 bytes, by kernel. */
static void put(bed *b, int queue, behind what, uint64_t object, void *memory,
                const aq_sync *sync)
{
  if (what == BARRIER)
    ok(aq_queue_barrier(b->queues[queue], sync, &diag));
  else if (what == TINY)
    dispatch(b, queue, object, sync);
  else if (what == FILL)
    ok(aq_queue_fill(b->queues[queue], sync,
                     &(aq_fill){.target = memory,
                                .size = 4,
                                .pattern = 7,
                                .pattern_size = 4,
                                .way = AQ_COPY_KERNEL},
                     &diag));
  else
    ok(aq_queue_copy(b->queues[queue], sync,
                     &(aq_copy){.target = memory,
                                .source = (char *)memory + 64,
                                .size = 4,
                                .way = AQ_COPY_KERNEL},
                     &diag));
}

/* Operations that wait for each other alternately, the first one long enough
 * for all to be submitted; the mean distance of their ends, in µs. */
static double per_edge(behind what)
{
  bed b;
  void *memory;
  bed_open(&b);
  ok(b.t->ops->mem_alloc(b.t, 0, AQ_MEMORY_DEVICE, 4096, &memory, &diag));
  const uint64_t first = kernel(&b, "first", FIRST_TIME);
  const uint64_t object = kernel(&b, "tiny", TINY_TIME);
  for (uint64_t i = 0; i < OPERATIONS; i++) {
    const aq_point wait = {b.done, i}, signal = {b.done, i + 1};
    const aq_sync sync = {
        .waits = &wait, .wait_count = 1, .signals = &signal, .signal_count = 1};
    if (i == 0)
      dispatch(&b, 0, first, &sync);
    else
      put(&b, i % 2, what, object, memory, &sync);
    ok(b.t->ops->sleep_until(b.t, b.t->ops->now(b.t) + CALL_TIME, false,
                             &diag));
  }
  bed_wait(&b, OPERATIONS);
  aq_queue_stats stats;
  aq_queue_stats_get(b.queues[1], &stats);
  ck_assert_uint_eq(stats.rules[AQ_WAIT_ONE_EDGE], OPERATIONS / 2);
  bed_close(&b);
  aq_time begin = AQ_TIME_MAX, end = 0;
  size_t count = 0;
  for (size_t i = 0; i < b.sink.count; i++) {
    const aq_record *row = &b.sink.rows[i];
    const bool counts =
        what == BARRIER
            ? row->kind == AQ_KIND_VENDOR /* it waits and completes */
            : row->kind == AQ_KIND_KERNEL && !is_named(&b, row, "first");
    if (!counts)
      continue;
    begin = aq_time_min(begin, row->complete);
    end = aq_time_max(end, row->complete);
    count++;
  }
  ck_assert_uint_eq(count, OPERATIONS - 1);
  aq_memory_sink_fini(&b.sink);
  return (double)(end - begin) / (double)(count - 1) / (double)AQ_US;
}

/* A command buffer of dispatches with barriers between: from the call until
 * the host knows, in µs. */
static double chain(void)
{
  bed b;
  aq_builder *builder;
  aq_program program;
  aq_link *link;
  uint32_t number;
  bed_open(&b);
  ok(aq_builder_create(NULL, &builder, &diag));
  ok(aq_builder_kernel(builder, "work", kernel(&b, "work", WORK_TIME), &number,
                       &diag));
  for (int i = 0; i < CHAIN; i++) {
    ok(aq_builder_dispatch(builder,
                           &(aq_dispatch){.kernel = number,
                                          .grid = {64, 1, 1},
                                          .workgroup = {64, 1, 1}},
                           &diag));
    aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  }
  ok(aq_builder_end(builder, &program, &diag));
  ok(aq_link_create(&program, &(aq_link_options){.transport = b.t}, &link,
                    &diag));
  const aq_time begin = b.t->ops->now(b.t);
  const aq_point signal = {b.done, 1};
  ok(aq_queue_execute(b.queues[0],
                      &(aq_sync){.signals = &signal, .signal_count = 1},
                      &(aq_execution){.link = link}, &diag));
  bed_wait(&b, 1);
  const aq_time end = b.t->ops->now(b.t);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  bed_close(&b);
  aq_memory_sink_fini(&b.sink);
  return (double)(end - begin) / (double)AQ_US;
}

/* The published figure, in µs. */
static double published(const char *name, double *tolerance)
{
  char path[512], line[512], figure[128];
  const char *top = getenv("srcdir");
  snprintf(path, sizeof path, "%s/traces/published.tsv", top ? top : "..");
  FILE *file = fopen(path, "r");
  double us = 0;
  ck_assert_ptr_nonnull(file);
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "%127s %lf %lf", figure, &us, tolerance) == 3 &&
        strcmp(figure, name) == 0) {
      fclose(file);
      return us;
    }
  fclose(file);
  ck_abort_msg("%s: no figure %s", path, name);
}

static void compare(const char *name, double us)
{
  double tolerance = 0;
  const double expected = published(name, &tolerance);
  const double error = (us / expected - 1) * 100;
  fprintf(stderr, "%s: %.3f us, published %.3f (%+.1f %%)\n", name, us,
          expected, error);
  ck_assert_msg(error <= tolerance && -error <= tolerance,
                "%s: %.3f us; expected %.3f within %.0f %%", name, us, expected,
                tolerance);
}

START_TEST(an_edge_between_queues_takes_what_was_published)
{
  compare("edge_gfx1100", per_edge(BARRIER));
}
END_TEST

START_TEST(an_edge_and_a_tiny_dispatch_take_what_was_published)
{
  compare("edge_dispatch_gfx1100", per_edge(TINY));
}
END_TEST

/* A dispatch without work is the edge alone. */
START_TEST(an_edge_and_no_work_take_what_was_published)
{
  compare("edge_noop_gfx1100", per_edge(BARRIER));
}
END_TEST

START_TEST(an_edge_and_a_fill_or_copy_take_what_was_published)
{
  compare("edge_fill_gfx1100", per_edge(FILL));
  compare("edge_copy_gfx1100", per_edge(COPY));
}
END_TEST

START_TEST(a_chain_of_512_dispatches_takes_what_was_published)
{
  const double us = chain();
  compare("chain_512_gfx1100", us);
  compare("chain_512_dynamic_gfx1100", us);
  compare("chain_512_validated_gfx1100", us);
}
END_TEST

AQ_TEST_MAIN("queue/published", an_edge_between_queues_takes_what_was_published,
             an_edge_and_a_tiny_dispatch_take_what_was_published,
             an_edge_and_no_work_take_what_was_published,
             an_edge_and_a_fill_or_copy_take_what_was_published,
             a_chain_of_512_dispatches_takes_what_was_published)
