/* SPDX-License-Identifier: MIT */
/* A capture of one transport is replayed on another, byte for byte; calls that
 * cannot be captured, and damaged files, are refused. */
#include "queue/capture/capture.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmdbuf/builder.h"
#include "queue/capture/capture_player.h"
#include "queue/capture/digest.h"
#include "queue/capture/reader.h"
#include "queue/ground.h"

enum { SIZE = 200000, COUNT = 1000 };

typedef struct add_args {
  const uint32_t *a, *b;
  uint32_t *sum;
  uint64_t count;
} add_args;

static void add(const aq_kernel_call *call)
{
  const add_args *args = call->kernarg;
  for (uint64_t i = 0; i < args->count; i++)
    args->sum[i] = args->a[i] + args->b[i];
}

/* As many as the grid has work-items. */
static void add_grid(const aq_kernel_call *call)
{
  add_args args = *(const add_args *)call->kernarg;
  args.count = call->packet->grid_size[0];
  add(&(aq_kernel_call){.kernarg = &args});
}

static const aq_kernel_entry kernels[] = {
    {"add", add, {AQ_COST_FIXED, AQ_US, 0}},
    {"add_grid", add_grid, {AQ_COST_FIXED, AQ_US, 0}},
    {NULL, NULL, {0, 0, 0, NULL}}};

static const char *path_make(void)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/test.aqcap", aqtest_tmpdir());
  return path;
}

/* ---- an application ---- */

typedef struct app {
  ground g;
  aq_capture *capture;
  aq_queue *queue, *other;
  aq_semaphore *s;
  uint64_t kernel, grid_kernel;
  uint32_t *host, *device;
  uint64_t point; /* of s */
} app;

static const ground_kind *kind_of(const char *label)
{
  for (unsigned i = 0; i < ground_kind_count; i++)
    if (strcmp(ground_kinds[i].label, label) == 0)
      return &ground_kinds[i];
  ck_abort_msg("%s", label);
}

static void app_open(app *a, aq_capture_policy policy)
{
  aq_kernel_info info;
  memset(a, 0, sizeof *a);
  ground_open(&a->g, kind_of("sim, barrier-value"), NULL, NULL);
  ck_assert_ok(&a->g, aq_capture_create(a->g.context, &a->capture, &a->g.diag));
  a->queue = ground_queue(&a->g, NULL);
  a->other = ground_queue(&a->g, NULL);
  a->s = ground_semaphore(&a->g, 3);
  a->point = 3;
  ck_assert_ok(&a->g,
               a->g.ops->kernel_register(
                   a->g.t, &(aq_kernel_desc){.name = "add", .function = add},
                   &info, &a->g.diag));
  a->kernel = info.object;
  aq_capture_add_kernel(a->capture, "add", a->kernel);
  ck_assert_ok(&a->g,
               a->g.ops->kernel_register(
                   a->g.t,
                   &(aq_kernel_desc){.name = "add_grid", .function = add_grid},
                   &info, &a->g.diag));
  a->grid_kernel = info.object;
  aq_capture_add_kernel(a->capture, "add_grid", a->grid_kernel);
  void *memory;
  a->host = malloc(SIZE);
  for (uint32_t i = 0; i < SIZE / 4; i++)
    a->host[i] = i * 7;
  ck_assert_ok(&a->g, a->g.ops->mem_alloc(a->g.t, 0, AQ_MEMORY_DEVICE, SIZE,
                                          &memory, &a->g.diag));
  a->device = memset(memory, 0, SIZE);
  aq_capture_add_memory(a->capture, &(aq_capture_memory){.name = "input",
                                                         .address = a->host,
                                                         .size = SIZE,
                                                         .kind = AQ_MEMORY_HOST,
                                                         .policy = policy});
  aq_capture_add_memory(a->capture,
                        &(aq_capture_memory){.name = "output",
                                             .address = a->device,
                                             .size = SIZE,
                                             .kind = AQ_MEMORY_DEVICE,
                                             .policy = AQ_CAPTURE_ALL});
}

static void app_close(app *a)
{
  aq_queue_destroy(a->queue);
  aq_queue_destroy(a->other);
  aq_semaphore_release(a->s);
  aq_capture_destroy(a->capture);
  ground_close(&a->g);
  free(a->host);
}

/* A wait for the last signal and the next one. */
static aq_sync *next(app *a, ground_sync *s)
{
  ground_sync_make(s, a->s, a->point, a->s, a->point + 1);
  a->point++;
  return &s->sync;
}

static void dispatch_add(app *a, uint32_t *x, uint32_t *y, uint32_t *sum)
{
  ground_sync s;
  const add_args args = {x, y, sum, COUNT};
  ck_assert_ok(&a->g,
               aq_queue_dispatch(a->other, next(a, &s),
                                 &(aq_launch){.object = a->kernel,
                                              .grid = {COUNT, 1, 1},
                                              .workgroup = {64, 1, 1},
                                              .kernargs = &args,
                                              .kernarg_size = sizeof args},
                                 &a->g.diag));
}

static aq_status host_double(void *user, aq_diag *diag)
{
  (void)user, (void)diag;
  return AQ_OK;
}

/* Its grid is read from slot 1 when its turn comes. */
static void grid_add(app *a, aq_builder *builder)
{
  ground *g = &a->g;
  const uint32_t grid[3] = {500, 1, 1};
  const aq_ref refs[] = {aq_ref_slot(1, 64), aq_ref_slot(1, 64),
                         aq_ref_slot(1, 4096)};
  const uint64_t count = 1;
  uint32_t kernel;
  ck_assert_ok(g, aq_builder_kernel(builder, "add_grid", a->grid_kernel,
                                    &kernel, &g->diag));
  ck_assert_ok(g, aq_builder_marker_named(builder, AQ_MARKER_BEGIN, 1, "second",
                                          &g->diag));
  ck_assert_ok(g, aq_builder_update(builder, aq_ref_slot(1, 6400), grid,
                                    sizeof grid, &g->diag));
  aq_builder_barrier(builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  ck_assert_ok(g, aq_builder_dispatch_params(
                      builder,
                      &(aq_dispatch){.kernel = kernel,
                                     .grid = {1, 1, 1},
                                     .workgroup = {64, 1, 1},
                                     .bindings = refs,
                                     .binding_count = 3,
                                     .constants = &count,
                                     .constant_size = sizeof count},
                      aq_ref_slot(1, 6400), &g->diag));
  ck_assert_ok(g, aq_builder_marker(builder, AQ_MARKER_END, 1, &g->diag));
}

/* A command buffer that adds slot 0 and a static buffer into slot 1, then, as
 * many as a word of slot 1 says, the sums to themselves. */
static aq_link *link_make(app *a, aq_builder *builder, aq_program *program)
{
  ground *g = &a->g;
  aq_ref statics;
  uint32_t kernel;
  aq_link *link;
  ck_assert_ok(g,
               aq_builder_kernel(builder, "add", a->kernel, &kernel, &g->diag));
  ck_assert_ok(g,
               aq_builder_buffer(builder, a->host, SIZE, &statics, &g->diag));
  const aq_ref refs[] = {aq_ref_slot(0, 0), statics, aq_ref_slot(1, 64)};
  const uint64_t count = COUNT;
  ck_assert_ok(
      g, aq_builder_dispatch(builder,
                             &(aq_dispatch){.kernel = kernel,
                                            .grid = {COUNT, 1, 1},
                                            .workgroup = {64, 1, 1},
                                            .bindings = refs,
                                            .binding_count = 3,
                                            .constants = &count,
                                            .constant_size = sizeof count},
                             &g->diag));
  grid_add(a, builder);
  aq_builder_barrier(builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  ck_assert_ok(
      g, aq_builder_atomic(builder,
                           &(aq_command_atomic){.target = aq_ref_slot(1, 6408),
                                                .size = 4,
                                                .op = AQ_ATOMIC_ADD,
                                                .operand = 1,
                                                .result = aq_ref_slot(1, 6412),
                                                .returns = true},
                           &g->diag));
  ck_assert_ok(
      g, aq_builder_wait_value(builder,
                               &(aq_command_wait){.value = aq_ref_slot(1, 6408),
                                                  .size = 4,
                                                  .condition = AQ_GE,
                                                  .against = 2},
                               &g->diag));
  ck_assert_ok(g, aq_builder_end(builder, program, &g->diag));
  ck_assert_ok(g, aq_link_create(program, &(aq_link_options){.transport = g->t},
                                 &link, &g->diag));
  return link;
}

/* Operations of every kind. */
static void app_run(app *a)
{
  ground *g = &a->g;
  ground_sync s;
  void *block;
  aq_builder *builder;
  aq_program program;
  const int in = memfd_create("in", MFD_CLOEXEC);
  const int out = memfd_create("out", MFD_CLOEXEC);
  ck_assert_int_eq(write(in, a->host, 8000), 8000);
  uint32_t *d = a->device;
  ck_assert_ok(g, aq_builder_create(NULL, &builder, &g->diag));
  aq_link *link = link_make(a, builder, &program);
  ck_assert_ok(g, aq_queue_copy(a->queue, next(a, &s),
                                &(aq_copy){.target = d,
                                           .source = a->host,
                                           .size = 40000,
                                           .path = AQ_PATH_HOST},
                                &g->diag));
  dispatch_add(a, d, d + 1000, d + 20000);
  ck_assert_ok(g, aq_queue_alloca(a->queue, next(a, &s),
                                  &(aq_memory_request){AQ_MEMORY_DEVICE, 8192},
                                  &block, &g->diag));
  uint32_t *b = block;
  ck_assert_ok(g, aq_queue_fill(a->queue, NULL,
                                &(aq_fill){b, 8192, 5, 4, AQ_COPY_CHOOSE},
                                &g->diag));
  ck_assert_ok(g, aq_queue_update(a->queue, next(a, &s),
                                  &(aq_update){b + 3, "abcdefgh", 8, 0},
                                  &g->diag));
  dispatch_add(a, b, d + 20000, d + 30000);
  for (int i = 0; i < 3; i++)
    ck_assert_ok(
        g,
        aq_queue_execute(
            a->queue, next(a, &s),
            &(aq_execution){
                link, (aq_binding[]){{d + 30000, 4000}, {d + 31000, 8000}}, 2},
            &g->diag));
  ground_wait(g, a->s, a->point);
  for (uint32_t i = 0; i < 502; i++)
    ck_assert_uint_eq(d[31000 + 1024 + i], i < 500 ? 2 * d[31000 + 16 + i] : 0);
  a->host[0] = 99;
  aq_capture_wrote(a->capture, a->host, 4);
  ck_assert_ok(g, aq_semaphore_signal(a->s, ++a->point, &g->diag));
  dispatch_add(a, a->host, d, d + 40000);
  ck_assert_ok(g, aq_queue_read(a->queue, next(a, &s),
                                &(aq_file_range){in, 100, d + 45000, 4000},
                                &g->diag));
  ck_assert_ok(g, aq_queue_write(a->queue, next(a, &s),
                                 &(aq_file_range){out, 0, d + 45000, 4000},
                                 &g->diag));
  ck_assert_ok(g, aq_queue_host_call(
                      a->queue, next(a, &s),
                      &(aq_host_call){.name = "log", .function = host_double},
                      &g->diag));
  ck_assert_ok(g, aq_queue_wait_value(a->other, NULL,
                                      &(aq_value_wait){.address = d + 48000,
                                                       .size = 8,
                                                       .condition = AQ_EQ,
                                                       .value = 0x100000005},
                                      &g->diag));
  ck_assert_ok(g, aq_queue_atomic(a->queue, next(a, &s),
                                  &(aq_atomic){.target = d + 48000,
                                               .size = 8,
                                               .op = AQ_ATOMIC_ADD,
                                               .operand = 0x100000005,
                                               .result = d + 48002},
                                  &g->diag));
  ck_assert_ok(g, aq_queue_dealloca(a->queue, next(a, &s), block, &g->diag));
  ck_assert_ok(g, aq_queue_barrier(a->other, next(a, &s), &g->diag));
  /* Refused calls are absent. */
  ck_assert_int_eq(
      aq_queue_fill(a->queue, NULL, &(aq_fill){d, 3, 0, 2, 0}, &g->diag),
      AQ_ERR_INVALID);
  ck_assert_ok(g, aq_queue_wait_idle(a->other, AQ_TIME_MAX, &g->diag));
  ck_assert_ok(g, aq_capture_finish(a->capture, path_make(), &g->diag));
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  close(in);
  close(out);
}

static aq_cap_file *file_open(void)
{
  aq_cap_file *file;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_cap_file_open(path_make(), &file, &diag), AQ_OK, &diag);
  return file;
}

/* ---- tests ---- */

static void replay_twice(const aq_cap_file *file, const ground_kind *kind,
                         uint32_t execute)
{
  ground g;
  aq_cap_player *player;
  ground_open(&g, kind, NULL, NULL);
  if (execute == AQ_EXECUTE_PM4 && !(g.info.caps & AQ_CAP_PM4)) {
    ground_close(&g);
    return;
  }
  const aq_cap_player_options options = {.size = sizeof options,
                                         .transport = g.t,
                                         .kernels = kernels,
                                         .execute = execute};
  if (ground_hides(&g)) { /* sizes of arguments are not known */
    ck_assert_int_eq(aq_cap_player_create(file, &options, &player, &g.diag),
                     AQ_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(g.diag.text, "hides its memory"));
    ground_close(&g);
    return;
  }
  ck_assert_ok(&g, aq_cap_player_create(file, &options, &player, &g.diag));
  aq_cap_played played[2];
  for (int k = 0; k < 2; k++)
    if (aq_cap_player_run(player, &played[k], &g.diag) != AQ_OK)
      ck_abort_msg("%s: %s", g.kind->label, g.diag.text);
  ck_assert_uint_eq(played[0].operations, 17);
  ck_assert_uint_eq(played[0].operations, played[1].operations);
  ck_assert_uint_eq(played[0].digests, 2);
  ck_assert_uint_eq(played[0].idle_calls, 1);
  if (g.info.caps & AQ_CAP_TIMING)
    ck_assert_int_gt(played[0].span, 5 * AQ_US);
  aq_cap_player_destroy(player);
  ground_close(&g);
}

START_TEST(a_capture_is_replayed_on_every_transport)
{
  static const uint32_t executes[] = {0, AQ_EXECUTE_ON_DEVICE, AQ_EXECUTE_PM4};
  app a;
  app_open(&a, AQ_CAPTURE_ALL);
  app_run(&a);
  app_close(&a);
  aq_cap_file *file = file_open();
  ck_assert_uint_eq(file->counts.queues, 2);
  ck_assert_uint_eq(file->counts.semaphores, 1);
  ck_assert_uint_eq(file->counts.programs, 1);
  ck_assert_uint_eq(file->counts.links, 1);
  for (unsigned i = 0; i < ground_kind_count; i++)
    for (size_t k = 0; k < sizeof executes / sizeof *executes; k++)
      replay_twice(file, &ground_kinds[i], executes[k]);
  aq_cap_file_close(file);
  unlink(path_make());
}
END_TEST

static void add_wrongly(const aq_kernel_call *call)
{
  const add_args *args = call->kernarg;
  add(call);
  args->sum[args->count - 1]++;
}

static aq_status replay_on_sim(const aq_cap_file *file,
                               const aq_kernel_entry *entries, aq_diag *diag)
{
  ground g;
  aq_cap_player *player;
  aq_cap_played played;
  ground_open(&g, kind_of("sim, barrier-value"), NULL, NULL);
  const aq_cap_player_options options = {
      .size = sizeof options, .transport = g.t, .kernels = entries};
  aq_status status = aq_cap_player_create(file, &options, &player, diag);
  if (status == AQ_OK) {
    status = aq_cap_player_run(player, &played, diag);
    aq_cap_player_destroy(player);
  }
  ground_close(&g);
  return status;
}

START_TEST(a_difference_is_told_with_its_place)
{
  static const aq_kernel_entry wrong[] = {
      {"add", add_wrongly, {AQ_COST_FIXED, AQ_US, 0}},
      {"add_grid", add_grid, {AQ_COST_FIXED, AQ_US, 0}},
      {NULL, NULL, {0, 0, 0, NULL}}};
  static const aq_kernel_entry none[] = {{NULL, NULL, {0, 0, 0, NULL}}};
  app a;
  aq_diag diag = AQ_DIAG_INIT;
  app_open(&a, AQ_CAPTURE_ALL);
  app_run(&a);
  app_close(&a);
  aq_cap_file *file = file_open();
  ck_assert_status(replay_on_sim(file, kernels, &diag), AQ_OK, &diag);
  ck_assert_int_eq(replay_on_sim(file, wrong, &diag), AQ_ERR_DIFFERENT);
  ck_assert_ptr_nonnull(strstr(diag.text, "memory 1, output differs in "));
  ck_assert_ptr_nonnull(strstr(diag.text, "first at byte 65536"));
  ck_assert_int_eq(replay_on_sim(file, none, &diag), AQ_ERR_NOT_FOUND);
  ck_assert_ptr_nonnull(strstr(diag.text, "'add'"));
  aq_cap_file_close(file);
  unlink(path_make());
}
END_TEST

/* Input that was not kept starts as zeros, and is not checked. */
START_TEST(policies_say_what_is_kept)
{
  static const aq_capture_range ranges[] = {{0, 8}, {4000, 4000}};
  for (int i = 0; i < 3; i++) {
    app a;
    aq_diag diag = AQ_DIAG_INIT;
    app_open(&a, AQ_CAPTURE_REFERENCE);
    if (i > 0) { /* the same, but it is said what matters */
      aq_capture_drop_memory(a.capture, a.host);
      aq_capture_add_memory(a.capture,
                            &(aq_capture_memory){.address = a.host,
                                                 .size = SIZE,
                                                 .kind = AQ_MEMORY_HOST,
                                                 .policy = AQ_CAPTURE_RANGES,
                                                 .ranges = ranges,
                                                 .range_count = (uint32_t)i});
      memset(a.host + 2, 0, 3992);
      memset(a.host + 2000, 0, SIZE - 8000);
    }
    dispatch_add(&a, a.host, a.host + 1000, a.device);
    ck_assert_ok(&a.g, aq_capture_finish(a.capture, path_make(), &a.g.diag));
    app_close(&a);
    aq_cap_file *file = file_open();
    ck_assert_int_eq(replay_on_sim(file, kernels, &diag),
                     i == 2 ? AQ_OK : AQ_ERR_DIFFERENT);
    aq_cap_file_close(file);
  }
  unlink(path_make());
}
END_TEST

/* A write that has ended, and one beside the bytes, are no reason. */
START_TEST(a_file_that_was_written_is_read_in_a_replay_too)
{
  app a;
  aq_diag diag = AQ_DIAG_INIT;
  app_open(&a, AQ_CAPTURE_ALL);
  const int fd = memfd_create("file", MFD_CLOEXEC);
  ck_assert_int_eq(ftruncate(fd, 2 * COUNT), 0);
  const aq_file_range from = {.fd = fd, .memory = a.host + 1, .size = COUNT},
                      to = {.fd = fd, .memory = a.device, .size = COUNT},
                      beside = {.fd = fd,
                                .offset = COUNT,
                                .memory = a.host,
                                .size = COUNT};
  ck_assert_ok(&a.g, aq_queue_write(a.queue, NULL, &from, &a.g.diag));
  ck_assert_ok(&a.g, aq_queue_wait_idle(a.queue, AQ_TIME_MAX, &a.g.diag));
  ck_assert_ok(&a.g, aq_queue_write(a.queue, NULL, &beside, &a.g.diag));
  ck_assert_ok(&a.g, aq_queue_read(a.queue, NULL, &to, &a.g.diag));
  ck_assert_ok(&a.g, aq_queue_wait_idle(a.queue, AQ_TIME_MAX, &a.g.diag));
  ck_assert_mem_eq(a.device, a.host + 1, COUNT);
  ck_assert_ok(&a.g, aq_capture_finish(a.capture, path_make(), &a.g.diag));
  close(fd);
  app_close(&a);
  aq_cap_file *file = file_open();
  ck_assert_status(replay_on_sim(file, kernels, &diag), AQ_OK, &diag);
  aq_cap_file_close(file);
  unlink(path_make());
}
END_TEST

/* ---- replays that fail ---- */

/* The host changes the word while the capture runs, without a record of it. The
 * replay ends for its timeout, though a queue of it waits for ever. */
START_TEST(a_replay_ends_whose_queue_waits_for_what_never_comes)
{
  app a;
  ground g;
  aq_cap_player *player;
  aq_cap_played played;
  app_open(&a, AQ_CAPTURE_ALL);
  const aq_value_wait wait = {.address = a.host, .size = 4, .value = 1};
  ck_assert_ok(&a.g, aq_queue_wait_value(a.queue, NULL, &wait, &a.g.diag));
  a.host[0] = 1;
  ck_assert_ok(&a.g, aq_queue_wait_idle(a.queue, AQ_TIME_MAX, &a.g.diag));
  ck_assert_ok(&a.g, aq_capture_finish(a.capture, path_make(), &a.g.diag));
  app_close(&a);
  aq_cap_file *file = file_open();
  ground_open(&g, kind_of("sim live, barrier-value"), NULL, NULL);
  /* What lies behind the options of an older caller is not theirs. */
  aq_cap_player_options options;
  memset(&options, 0x41, sizeof options);
  options.size = offsetof(aq_cap_player_options, records);
  options.transport = g.t;
  options.kernels = kernels;
  options.functions = NULL;
  options.timeout = 50 * AQ_MS;
  ck_assert_ok(&g, aq_cap_player_create(file, &options, &player, &g.diag));
  ck_assert_status(aq_cap_player_run(player, &played, &g.diag), AQ_ERR_TIMEOUT,
                   &g.diag);
  aq_cap_player_destroy(player);
  ground_close(&g);
  aq_cap_file_close(file);
  unlink(path_make());
}
END_TEST

/* ---- calls that cannot be captured ---- */

typedef void refusal(app *a);

static void by_unknown_memory(app *a)
{
  ck_assert_ok(&a->g, aq_queue_fill(a->queue, NULL,
                                    &(aq_fill){a->device - 8, 16, 0, 1, 0},
                                    &a->g.diag));
}

static void by_an_argument_that_points_to_unknown_memory(app *a)
{
  static uint32_t elsewhere[COUNT];
  dispatch_add(a, elsewhere, a->host, a->device);
}

static void by_a_kernel_without_a_name(app *a)
{
  uint64_t cell = 1;
  ck_assert_ok(&a->g, ground_dispatch(&a->g, a->queue, NULL, &cell, 1));
  ck_assert_ok(&a->g, aq_queue_wait_idle(a->queue, AQ_TIME_MAX, &a->g.diag));
}

static void by_a_host_call_without_a_name(app *a)
{
  ck_assert_ok(&a->g,
               aq_queue_host_call(a->queue, NULL,
                                  &(aq_host_call){.function = host_double},
                                  &a->g.diag));
}

static void by_memory_that_is_not_to_be_touched(app *a)
{
  aq_capture_drop_memory(a->capture, a->host);
  aq_capture_add_memory(a->capture,
                        &(aq_capture_memory){.address = a->host,
                                             .size = SIZE,
                                             .policy = AQ_CAPTURE_FAIL});
  ck_assert_ok(&a->g, aq_capture_check(a->capture, &a->g.diag));
  dispatch_add(a, a->host, a->device, a->device + 1000);
}

static void by_operations_that_fail(app *a)
{
  ground_sync s;
  aq_semaphore *bad = ground_semaphore(&a->g, 0);
  ck_assert_ok(&a->g,
               aq_queue_fill(a->queue, ground_sync_make(&s, bad, 1, a->s, 9),
                             &(aq_fill){a->device, 16, 0, 1, 0}, &a->g.diag));
  aq_semaphore_fail(bad, AQ_ERR_IO, "it was not to be");
  aq_semaphore_release(bad);
}

static void by_memory_that_overlaps(app *a)
{
  aq_capture_add_memory(
      a->capture, &(aq_capture_memory){.address = a->host + 1, .size = 8});
}

static void by_a_read_of_what_a_write_is_about_to_write(app *a)
{
  const int fd = memfd_create("file", MFD_CLOEXEC);
  ck_assert_int_eq(ftruncate(fd, COUNT), 0);
  const aq_file_range all = {.fd = fd, .memory = a->host, .size = COUNT},
                      end = {.fd = fd,
                             .offset = COUNT - 4,
                             .memory = a->device,
                             .size = 4};
  ck_assert_ok(&a->g, aq_queue_write(a->queue, NULL, &all, &a->g.diag));
  ck_assert_ok(&a->g, aq_queue_read(a->queue, NULL, &end, &a->g.diag));
  ck_assert_ok(&a->g, aq_queue_wait_idle(a->queue, AQ_TIME_MAX, &a->g.diag));
  close(fd);
}

static const struct {
  refusal *run;
  const char *words;
} refusals[] = {
    {by_a_read_of_what_a_write_is_about_to_write,
     "a write of these bytes is pending; wait for it before the read"},
    {by_unknown_memory, "fill: 16 bytes at"},
    {by_an_argument_that_points_to_unknown_memory, "kernel argument at byte 0"},
    {by_a_kernel_without_a_name, "has no name"},
    {by_a_host_call_without_a_name, "host call without a name"},
    {by_memory_that_is_not_to_be_touched, "is not to be captured"},
    {by_operations_that_fail, "not captured"},
    {by_memory_that_overlaps, "overlaps"},
};

START_TEST(what_cannot_be_captured_fails_the_capture)
{
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    app a;
    app_open(&a, AQ_CAPTURE_ALL);
    ck_assert_ok(&a.g, aq_capture_check(a.capture, &a.g.diag));
    refusals[i].run(&a);
    ck_assert_int_ne(aq_capture_finish(a.capture, path_make(), &a.g.diag),
                     AQ_OK);
    if (!strstr(a.g.diag.text, refusals[i].words))
      ck_abort_msg("%zu: %s", i, a.g.diag.text);
    ck_assert_int_ne(access(path_make(), F_OK), 0);
    app_close(&a);
  }
}
END_TEST

/* ---- damaged files ---- */

START_TEST(damaged_files_are_refused)
{
  app a;
  aq_diag diag = AQ_DIAG_INIT;
  app_open(&a, AQ_CAPTURE_REFERENCE);
  app_run(&a);
  app_close(&a);
  FILE *stream = fopen(path_make(), "rb");
  unsigned char *bytes = malloc(1 << 20);
  const size_t size = fread(bytes, 1, 1 << 20, stream);
  fclose(stream);
  aq_cap_file *file;
  ck_assert_uint_gt(size, 5000);
  for (size_t cut = 0; cut < size; cut += 13)
    ck_assert_int_eq(aq_cap_file_parse("x", bytes, cut, &file, &diag),
                     AQ_ERR_INPUT);
  /* One byte of many: padding may be anything. */
  unsigned accepted = 0, tried = 0;
  for (size_t at = 0; at < size; at += 101, tried++) {
    bytes[at] ^= 0x41;
    const aq_status status = aq_cap_file_parse("x", bytes, size, &file, &diag);
    bytes[at] ^= 0x41;
    if (status == AQ_OK) {
      aq_cap_file_close(file);
      accepted++;
    }
  }
  ck_assert_uint_lt(accepted * 50, tried);
  /* With correct checksums, their contents are checked. */
  for (size_t at = 64; at < size && at < 40000; at += 11) {
    bytes[at] ^= 0x81;
    size_t next = 64;
    while (size - next >= sizeof(aq_cap_head)) {
      aq_cap_head *head = (aq_cap_head *)(void *)(bytes + next);
      if (head->size > size - next - sizeof *head)
        break;
      head->checksum = aq_capture_checksum(head + 1, head->size);
      next += sizeof *head + aq_cap_round(head->size);
    }
    if (aq_cap_file_parse("x", bytes, size, &file, &diag) == AQ_OK)
      aq_cap_file_close(file);
    else
      ck_assert_int_eq(diag.status, AQ_ERR_INPUT);
    bytes[at] ^= 0x81;
  }
  free(bytes);
  unlink(path_make());
}
END_TEST

AQ_TEST_MAIN("queue/capture/capture", a_capture_is_replayed_on_every_transport,
             a_difference_is_told_with_its_place, policies_say_what_is_kept,
             a_file_that_was_written_is_read_in_a_replay_too,
             a_replay_ends_whose_queue_waits_for_what_never_comes,
             what_cannot_be_captured_fails_the_capture,
             damaged_files_are_refused)
