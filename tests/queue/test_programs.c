/* SPDX-License-Identifier: MIT */
/* Programs on the host queue, on every ground: larger than the ring, with
 * values that decide, with kernels that need something. */
#include "queue/ground.h"

#include <string.h>

#include "queue/operations.h"

static void nothing(const aq_kernel_call *call)
{
  (void)call;
}

enum { NEEDED = 7 };

/* What "needs" takes, and launches that each fail by one figure. */
static const aq_launch launches[NEEDED + 1] = {
    {0, {8, 2, 1}, {4, 2, 1}, 1024, 16, "", 64},
    {0, {8, 2, 1}, {4, 2, 1}, 1024, 16, "", 63},
    {0, {8, 2, 1}, {4, 2, 1}, 1023, 16, "", 64},
    {0, {8, 2, 1}, {4, 2, 1}, 1024, 15, "", 64},
    {0, {8, 2, 1}, {2, 4, 1}, 1024, 16, "", 64},
    {0, {8, 2, 1}, {8, 1, 1}, 1024, 16, "", 64},
    {0, {8, 2, 1}, {4, 1, 1}, 1024, 16, "", 64},
    {0, {8, 2, 1}, {4, 2, 2}, 1024, 16, "", 64},
};

static const char *const refusals[NEEDED] = {
    "63 bytes of arguments are given; it needs 64",
    "1023 bytes of group memory are given; it needs 1024",
    "15 bytes of private memory are given; it needs 16",
    "2x4x1 work-items; the kernel requires 4x2x1",
    "8x1x1 work-items; the kernel requires 4x2x1",
    "4x1x1 work-items; the kernel requires 4x2x1",
    "4x2x2 work-items; the kernel requires 4x2x1",
};

static uint64_t needy_register(ground *g, bool fixed)
{
  aq_kernel_info info;
  ck_assert_ok(g,
               g->ops->kernel_register(
                   g->t,
                   &(aq_kernel_desc){.name = "needs",
                                     .function = nothing,
                                     .cost = {AQ_COST_FIXED, AQ_US},
                                     .kernarg_size = 64,
                                     .group_size = 1024,
                                     .private_size = 16,
                                     .workgroup_max = fixed ? 8 : 4,
                                     .workgroup = {fixed ? 4 : 0, fixed ? 2 : 0,
                                                   fixed ? 1 : 0}},
                   &info, &g->diag));
  return info.object;
}

static void refused(ground *g, aq_status status, const char *words)
{
  ck_assert_status(status, AQ_ERR_INVALID, &g->diag);
  ck_assert_msg(strstr(g->diag.text, "kernel needs: "), "%s", g->diag.text);
  ck_assert_msg(strstr(g->diag.text, words), "%s", g->diag.text);
}

static void a_launch_that_lacks_what_its_kernel_needs_is_refused(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  char args[64] = "";
  for (int i = 0; i <= NEEDED; i++) {
    aq_launch launch = launches[i];
    launch.object = needy_register(g, true);
    launch.kernargs = args;
    aq_status status = aq_queue_dispatch(queue, NULL, &launch, &g->diag);
    if (i == 0)
      ck_assert_ok(g, status);
    else
      refused(g, status, refusals[i - 1]);
    ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  }
  aq_launch launch = launches[0];
  launch.object = needy_register(g, false);
  launch.kernargs = args;
  refused(g, aq_queue_dispatch(queue, NULL, &launch, &g->diag),
          "8 work-items; the kernel takes at most 4");
  memcpy(launch.workgroup, (const uint16_t[]){1, 2, 4},
         sizeof launch.workgroup);
  refused(g, aq_queue_dispatch(queue, NULL, &launch, &g->diag),
          "8 work-items; the kernel takes at most 4");
  aq_queue_destroy(queue);
}

/* Programs with one launch of each kind, linked with and without memory of
 * their own. */
static void a_program_that_lacks_what_its_kernels_need_is_refused(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  const uint64_t object = needy_register(g, true);
  char args[64] = "";
  for (int i = 0; i <= 2 * NEEDED + 1; i++) {
    const bool one_shot = i > NEEDED;
    const int which = i % (NEEDED + 1);
    const aq_launch *launch = &launches[which];
    const aq_dispatch dispatch = {.grid = {8, 2, 1},
                                  .workgroup = {launch->workgroup[0],
                                                launch->workgroup[1],
                                                launch->workgroup[2]},
                                  .group_size = launch->group_size,
                                  .private_size = launch->private_size,
                                  .constants = args,
                                  .constant_size = launch->kernarg_size};
    aq_builder *builder;
    aq_program program;
    aq_link *link = NULL, borrowed;
    uint32_t kernel;
    ck_assert_ok(g,
                 aq_builder_create(&(aq_builder_options){.one_shot = one_shot},
                                   &builder, &g->diag));
    ck_assert_ok(
        g, aq_builder_kernel(builder, "needs", object, &kernel, &g->diag));
    ck_assert_ok(g, aq_builder_dispatch(builder, &dispatch, &g->diag));
    ck_assert_ok(g, aq_builder_end(builder, &program, &g->diag));
    aq_status status =
        one_shot
            ? aq_link_init(&borrowed, &program, NULL, &g->diag)
            : aq_link_create(&program, &(aq_link_options){.transport = g->t},
                             &link, &g->diag);
    if (status == AQ_OK)
      status = aq_queue_execute(
          queue, NULL, &(aq_execution){one_shot ? &borrowed : link, NULL, 0},
          &g->diag);
    if (which == 0)
      ck_assert_ok(g, status);
    else
      refused(g, status, refusals[which - 1]);
    ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
    aq_link_destroy(link);
    aq_builder_destroy(builder);
  }
  aq_queue_destroy(queue);
}

/* Kernels in turn, each in a launch that would do for the other. */
static void each_launch_of_a_program_is_checked_by_its_own_kernel(ground *g)
{
  const uint64_t needy = needy_register(g, true);
  for (int order = 0; order < 2; order++) {
    aq_dispatch dispatch = {.grid = {8, 2, 1}, .workgroup = {8, 1, 1}};
    aq_kernel_info plain;
    aq_builder *builder;
    aq_program program;
    aq_link *link;
    uint32_t kernels[2];
    ck_assert_ok(g, g->ops->kernel_register(
                        g->t,
                        &(aq_kernel_desc){.name = "plain",
                                          .function = nothing,
                                          .cost = {AQ_COST_FIXED, AQ_US}},
                        &plain, &g->diag));
    ck_assert_ok(g, aq_builder_create(NULL, &builder, &g->diag));
    ck_assert_ok(g, aq_builder_kernel(builder, "plain", plain.object,
                                      &kernels[order], &g->diag));
    ck_assert_ok(g, aq_builder_kernel(builder, "needs", needy, &kernels[!order],
                                      &g->diag));
    for (int i = 0; i < 2; i++) {
      dispatch.kernel = kernels[i];
      ck_assert_ok(g, aq_builder_dispatch(builder, &dispatch, &g->diag));
    }
    ck_assert_ok(g, aq_builder_end(builder, &program, &g->diag));
    refused(g,
            aq_link_create(&program, &(aq_link_options){.transport = g->t},
                           &link, &g->diag),
            "8x1x1 work-items; the kernel requires 4x2x1");
    ck_assert_msg(strstr(g->diag.text, order ? "command 0" : "command 1"), "%s",
                  g->diag.text);
    aq_builder_destroy(builder);
  }
}

/* A command buffer larger than the ring, replayed with different tables. */
static void larger_program_run(ground *g, uint32_t flags)
{
  enum { DISPATCHES = 500 };
  aq_builder *builder;
  aq_link *link = ground_steps_link(g, DISPATCHES, &builder);
  aq_queue *queue =
      ground_queue(g, &(aq_queue_options){.size = 64, .kernarg_size = 16384});
  aq_semaphore *done = ground_semaphore(g, 0);
  uint64_t cells[2] = {1, 2}, expected[2] = {1, 2};
  for (uint64_t i = 0; i < 2; i++) {
    aq_binding binding = {&cells[i], sizeof cells[i]};
    ground_sync s;
    ck_assert_ok(g, aq_queue_execute(
                        queue, ground_sync_make(&s, NULL, 0, done, i + 1),
                        &(aq_execution){link, &binding, 1, flags}, &g->diag));
    memset(&binding, 0xee, sizeof binding); /* it was copied if need be */
    for (uint64_t k = 0; k < DISPATCHES; k++)
      expected[i] = ground_stepped(expected[i], k);
  }
  ground_wait(g, done, 2);
  ck_assert_uint_eq(cells[0], expected[0]);
  ck_assert_uint_eq(cells[1], expected[1]);
  aq_queue_stats stats;
  aq_queue_stats_get(queue, &stats);
  ck_assert_uint_eq(stats.operations, 2);
  ck_assert_uint_gt(stats.epochs, 2);
  aq_queue_destroy(queue);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  aq_semaphore_release(done);
}

static void a_program_larger_than_the_ring_is_one_operation(ground *g)
{
  larger_program_run(g, 0);
}

static void the_device_walks_a_program_larger_than_the_ring(ground *g)
{
  larger_program_run(g, AQ_EXECUTE_ON_DEVICE);
}

/* The walk's memory stays behind it, and the queue reports the failure as any
 * other. */
static void a_queue_stops_after_the_device_has_walked_a_program(ground *g)
{
  aq_builder *builder;
  aq_link *link = ground_steps_link(g, 4, &builder);
  aq_queue *queue = ground_queue(g, NULL);
  uint64_t cell = 1;
  const aq_binding binding = {&cell, sizeof cell};
  const aq_launch broken = {
      .object = 0, .grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  ck_assert_ok(g, aq_queue_execute(
                      queue, NULL,
                      &(aq_execution){link, &binding, 1, AQ_EXECUTE_ON_DEVICE},
                      &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  ck_assert_uint_ne(cell, 1);
  ck_assert_ok(g, aq_queue_dispatch(queue, NULL, &broken, &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  ck_assert_int_eq(aq_queue_barrier(queue, NULL, &g->diag), AQ_ERR_QUEUE);
  ck_assert_ptr_nonnull(strstr(g->diag.text, "kernel"));
  aq_queue_destroy(queue);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
}

static bool takes_pm4(const ground *g)
{
  return g->info.caps & AQ_CAP_PM4;
}

/* 500 dispatches in a kernarg ring that holds the commands of a few. */
static void a_program_larger_than_the_ring_runs_as_pm4(ground *g)
{
  if (takes_pm4(g))
    larger_program_run(g, AQ_EXECUTE_PM4);
}

/* Four steps again and again until the cell is large enough, in blocks that
 * hold few of them: the host looks at the cell between the parts. */
static void values_program_run(ground *g, uint32_t flags, aq_memory_kind where)
{
  enum { STEPS_A_TURN = 4 };
  const bool hidden = where == AQ_MEMORY_DEVICE && ground_hides(g);
  const int64_t enough = INT64_C(1000000000000000);
  const aq_ref ref = aq_ref_slot(0, 0);
  const aq_test test = {ref, enough, AQ_LT, true};
  aq_builder *builder;
  aq_program program;
  aq_link *link;
  aq_label loop;
  uint32_t kernel;
  ck_assert_ok(g, aq_builder_create(&(aq_builder_options){.block_size = 512},
                                    &builder, &g->diag));
  ck_assert_ok(
      g, aq_builder_kernel(builder, "step", g->kernel, &kernel, &g->diag));
  ck_assert_ok(g, aq_builder_label(builder, &loop, &g->diag));
  ck_assert_ok(g, aq_builder_place(builder, loop, &g->diag));
  for (uint64_t i = 0; i < STEPS_A_TURN; i++) {
    const aq_dispatch step = {.kernel = kernel,
                              .grid = {1, 1, 1},
                              .workgroup = {1, 1, 1},
                              .bindings = &ref,
                              .binding_count = 1,
                              .constants = &i,
                              .constant_size = sizeof i};
    ck_assert_ok(g, aq_builder_dispatch(builder, &step, &g->diag));
    aq_builder_barrier(builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  }
  ck_assert_ok(g, aq_builder_branch_if(builder, &test, loop, &g->diag));
  ck_assert_ok(g, aq_builder_end(builder, &program, &g->diag));
  ck_assert_uint_ne(program.flags & AQ_PROGRAM_DRAINS, 0);
  ck_assert_uint_gt(program.block_count, 1);
  ck_assert_ok(g,
               aq_link_create(&program, &(aq_link_options){.transport = g->t},
                              &link, &g->diag));
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0);
  uint64_t *cell, expected = 1, turns = 0, value = 1;
  void *memory;
  ck_assert_ok(
      g, g->ops->mem_alloc(g->t, 0, where, sizeof *cell, &memory, &g->diag));
  cell = memory;
  ground_move(g, cell, &value, sizeof value);
  const aq_binding binding = {cell, sizeof *cell};
  ground_sync s;
  do {
    for (uint64_t i = 0; i < STEPS_A_TURN; i++)
      expected = ground_stepped(expected, i);
    turns++;
  } while ((int64_t)expected < enough);
  ck_assert_ok(
      g, aq_queue_execute(queue, ground_sync_make(&s, NULL, 0, done, 1),
                          &(aq_execution){link, &binding, 1, flags}, &g->diag));
  /* Later operations of the queue run behind all of it. */
  ck_assert_ok(g,
               ground_dispatch(g, queue, ground_sync_make(&s, NULL, 0, done, 2),
                               cell, 77));
  ground_wait(g, done, 2);
  ground_move(g, &value, cell, sizeof value);
  ck_assert_uint_eq(value, ground_stepped(expected, 77));
  aq_queue_stats stats;
  aq_queue_stats_get(queue, &stats);
  ck_assert_uint_gt(turns, 1);
  /* The device walks where the host cannot look. */
  ck_assert_uint_gt(stats.epochs, flags || hidden ? 2 : turns);
  ck_assert_uint_eq(stats.operations, 2);
  aq_queue_destroy(queue);
  g->ops->mem_free(g->t, memory);
  aq_semaphore_release(done);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
}

static void
a_program_that_looks_at_values_goes_on_when_they_are_there(ground *g)
{
  values_program_run(g, 0, AQ_MEMORY_HOST);
}

static void a_value_in_memory_of_the_device_decides(ground *g)
{
  values_program_run(g, 0, AQ_MEMORY_DEVICE);
}

static void the_device_looks_at_values_itself(ground *g)
{
  values_program_run(g, AQ_EXECUTE_ON_DEVICE, AQ_MEMORY_HOST);
}

static void pm4_looks_at_values_between_its_parts(ground *g)
{
  if (takes_pm4(g))
    values_program_run(g, AQ_EXECUTE_PM4, AQ_MEMORY_HOST);
}

static const ground_case cases[] = {
    GROUND_CASE(a_queue_stops_after_the_device_has_walked_a_program),
    GROUND_CASE(a_program_larger_than_the_ring_is_one_operation),
    GROUND_CASE(the_device_walks_a_program_larger_than_the_ring),
    GROUND_CASE(a_program_larger_than_the_ring_runs_as_pm4),
    GROUND_CASE(a_program_that_looks_at_values_goes_on_when_they_are_there),
    GROUND_CASE(a_value_in_memory_of_the_device_decides),
    GROUND_CASE(the_device_looks_at_values_itself),
    GROUND_CASE(pm4_looks_at_values_between_its_parts),
    GROUND_CASE(a_launch_that_lacks_what_its_kernel_needs_is_refused),
    GROUND_CASE(a_program_that_lacks_what_its_kernels_need_is_refused),
    GROUND_CASE(each_launch_of_a_program_is_checked_by_its_own_kernel),
};

int main(void)
{
  return ground_main("queue/programs", cases, sizeof cases / sizeof *cases);
}
