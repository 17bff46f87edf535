/* SPDX-License-Identifier: MIT */
/* A capture that holds code objects is replayed by executing their code. */
#include "queue/capture/capture.h"
#include "queue/capture/capture_player.h"
#include "queue/ground.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1000, SIZE = COUNT * 4, CODE_MAX = 65536 };

static const ground_kind mi210 = {"sim, mi210", "sim", AQ_MODE_VIRTUAL,
                                  AQ_EDGE_BARRIER_VALUE, "mi210"};
static const ground_kind mi300x = {"sim, mi300x", "sim", AQ_MODE_VIRTUAL,
                                   AQ_EDGE_BARRIER_VALUE, "mi300x"};
static const ground_kind null = {"null", "null", AQ_MODE_VIRTUAL,
                                 AQ_EDGE_BARRIER_AND, "mi210"};

typedef struct vadd_args {
  const float *a, *b;
  float *sum;
  uint32_t count, padding;
} vadd_args;

static void vadd_wrong(const aq_kernel_call *call)
{
  const vadd_args *args = call->kernarg;
  args->sum[0] = -1;
}

static const aq_kernel_entry wrong[] = {
    {"vadd", vadd_wrong, {AQ_COST_FIXED, AQ_US, 0}},
    {NULL, NULL, {0, 0, 0, NULL}}};

static const char *path_make(void)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/code.aqcap", aqtest_tmpdir());
  return path;
}

static size_t code_read(char *bytes)
{
  const char *path =
      aqtest_source("../doc/examples/kernels/device-gfx90a.hsaco");
  FILE *in = fopen(path, "rb");
  ck_assert_ptr_nonnull(in);
  const size_t size = fread(bytes, 1, CODE_MAX, in);
  fclose(in);
  return size;
}

/* Adds two arrays on the simulated device, by the code of the kernel. */
static void program_run(ground *g, aq_capture *capture, bool with_module)
{
  static char code[CODE_MAX];
  const size_t size = code_read(code);
  uint64_t module;
  aq_kernel_info kernel;
  float *memory[3];
  ck_assert_ok(g, g->ops->module_load(g->t, 0, code, size, &module, &g->diag));
  ck_assert_ok(g,
               g->ops->kernel_lookup(g->t, module, "vadd", &kernel, &g->diag));
  aq_capture_add_kernel(capture, "vadd", kernel.object);
  if (with_module)
    aq_capture_add_module(capture, code, size);
  static const char *const names[] = {"a", "b", "sum"};
  for (int i = 0; i < 3; i++) {
    void *block;
    ck_assert_ok(g, g->ops->mem_alloc(g->t, 0, AQ_MEMORY_DEVICE, SIZE, &block,
                                      &g->diag));
    memory[i] = block;
    for (int k = 0; k < COUNT; k++)
      memory[i][k] = (float)(i < 2 ? k * (i + 1) : 0);
    aq_capture_add_memory(capture,
                          &(aq_capture_memory){.name = names[i],
                                               .address = block,
                                               .size = SIZE,
                                               .kind = AQ_MEMORY_DEVICE,
                                               .policy = AQ_CAPTURE_ALL});
  }
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0);
  ground_sync s;
  const vadd_args args = {memory[0], memory[1], memory[2], COUNT, 0};
  ck_assert_ok(g,
               aq_queue_dispatch(queue, ground_sync_make(&s, NULL, 0, done, 1),
                                 &(aq_launch){.object = kernel.object,
                                              .grid = {COUNT, 1, 1},
                                              .workgroup = {256, 1, 1},
                                              .kernargs = &args,
                                              .kernarg_size = sizeof args},
                                 &g->diag));
  ground_wait(g, done, 1);
  ck_assert_float_eq(memory[2][COUNT - 1], 3.0f * (COUNT - 1));
  aq_queue_destroy(queue);
  aq_semaphore_release(done);
}

static aq_cap_file *capture_make(bool with_module)
{
  ground g;
  aq_capture *capture;
  aq_cap_file *file;
  ground_open(&g, &mi210, NULL, NULL);
  ck_assert_ok(&g, aq_capture_create(g.context, &capture, &g.diag));
  program_run(&g, capture, with_module);
  ck_assert_ok(&g, aq_capture_finish(capture, path_make(), &g.diag));
  aq_capture_destroy(capture);
  ground_close(&g);
  ck_assert_ok(&g, aq_cap_file_open(path_make(), &file, &g.diag));
  unlink(path_make());
  return file;
}

static aq_status replay(const aq_cap_file *file, const ground_kind *kind,
                        const aq_kernel_entry *entries, aq_kernels_from from,
                        aq_diag *diag)
{
  ground g;
  aq_cap_player *player;
  aq_cap_played played;
  ground_open(&g, kind, NULL, NULL);
  const aq_cap_player_options options = {.size = sizeof options,
                                         .transport = g.t,
                                         .kernels = entries,
                                         .from = from};
  aq_status status = aq_cap_player_create(file, &options, &player, diag);
  if (status == AQ_OK) {
    status = aq_cap_player_run(player, &played, diag);
    if (status == AQ_OK)
      ck_assert_uint_eq(played.digests, 3);
    aq_cap_player_destroy(player);
  }
  ground_close(&g);
  return status;
}

START_TEST(the_code_of_a_capture_computes_what_it_did)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_cap_file *file = capture_make(true);
  ck_assert_status(replay(file, &mi210, NULL, AQ_KERNELS_FROM_AUTO, &diag),
                   AQ_OK, &diag);
  ck_assert_int_eq(replay(file, &mi210, wrong, AQ_KERNELS_FROM_AUTO, &diag),
                   AQ_ERR_DIFFERENT);
  ck_assert_ptr_nonnull(strstr(diag.text, "sum differs"));
  ck_assert_int_eq(replay(file, &mi210, wrong, AQ_KERNELS_FROM_HOST, &diag),
                   AQ_ERR_DIFFERENT);
  ck_assert_status(replay(file, &mi210, wrong, AQ_KERNELS_FROM_ISA, &diag),
                   AQ_OK, &diag);
  aq_cap_file_close(file);
}
END_TEST

START_TEST(a_kernel_with_neither_function_nor_code_is_refused)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_cap_file *file = capture_make(true);
  ck_assert_int_eq(replay(file, &mi210, NULL, AQ_KERNELS_FROM_HOST, &diag),
                   AQ_ERR_NOT_FOUND);
  ck_assert_ptr_nonnull(strstr(diag.text, "'vadd' has no host function; a "));
  ck_assert_int_ne(replay(file, &mi300x, NULL, AQ_KERNELS_FROM_AUTO, &diag),
                   AQ_OK);
  ck_assert_ptr_nonnull(strstr(diag.text, "gfx90a"));
  ck_assert_int_eq(replay(file, &null, wrong, AQ_KERNELS_FROM_ISA, &diag),
                   AQ_ERR_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(diag.text, "the transport null takes no code"));
  aq_cap_file_close(file);
  file = capture_make(false);
  ck_assert_int_eq(replay(file, &mi210, NULL, AQ_KERNELS_FROM_AUTO, &diag),
                   AQ_ERR_NOT_FOUND);
  ck_assert_ptr_nonnull(strstr(diag.text, "the capture has no modules"));
  ck_assert_int_eq(replay(file, &mi210, wrong, AQ_KERNELS_FROM_ISA, &diag),
                   AQ_ERR_NOT_FOUND);
  ck_assert_ptr_nonnull(strstr(diag.text, "in none of its 0 modules"));
  aq_cap_file_close(file);
}
END_TEST

AQ_TEST_MAIN("queue/capture/captured_code",
             the_code_of_a_capture_computes_what_it_did,
             a_kernel_with_neither_function_nor_code_is_refused)
