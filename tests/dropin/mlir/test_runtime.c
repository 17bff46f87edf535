/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/mlir/runtime.h"
#include "gpu/devlib/devlib.h"

enum { COUNT = 5000 };

static aq_diag diag;

#define ck_ok(call) ck_assert_status(call, AQ_OK, &diag)

static aq_mlir *mlir_open(const char *transport, const char *device)
{
  const aq_mlir_options options = {
      .transport = transport, .device = device, .out = stdout};
  aq_mlir *m = NULL;
  diag = (aq_diag)AQ_DIAG_INIT;
  ck_ok(aq_mlir_open(&options, &m, &diag));
  aq_mlir_lock(m);
  return m;
}

static void mlir_close(aq_mlir *m)
{
  aq_mlir_unlock(m);
  ck_ok(aq_mlir_close(m, &diag));
}

static aq_mlir_function *fill_kernel(aq_mlir *m, const char *target)
{
  const void *image;
  size_t size;
  aq_mlir_module *module = NULL;
  aq_mlir_function *function = NULL;
  ck_ok(aq_devlib_image(target, &image, &size, &diag));
  ck_ok(aq_mlir_module_load(m, 0, image, size, &module, &diag));
  ck_ok(aq_mlir_function_find(m, module, "aq_fill", &function, &diag));
  return function;
}

static aq_status fill_launch(aq_mlir *m, aq_mlir_function *f, void *target,
                             uint32_t value, aq_mlir_stream *stream)
{
  aq_fill_args args = {target, COUNT * sizeof(uint32_t), value, 4};
  void *const params[] = {&args};
  const aq_mlir_launch launch = {
      .blocks = {(COUNT * 4 / AQ_DEVLIB_BYTES + AQ_DEVLIB_WORKGROUP - 1) /
                     AQ_DEVLIB_WORKGROUP,
                 1, 1},
      .threads = {AQ_DEVLIB_WORKGROUP, 1, 1},
      .params = params,
      .param_count = 1};
  return aq_mlir_launch_submit(m, f, &launch, stream, &diag);
}

static void values_check(const uint32_t *values, uint32_t expected)
{
  for (size_t i = 0; i < COUNT; i++)
    ck_assert_uint_eq(values[i], expected);
}

/* A kernel writes memory of the device, which is copied to the host. */
static void round_trip(const char *transport)
{
  static uint32_t host[COUNT];
  void *there;
  aq_mlir_stream *stream;
  aq_mlir *m = mlir_open(transport, "mi210");
  ck_ok(aq_mlir_stream_create(m, 0, &stream, &diag));
  ck_ok(aq_mlir_memory_alloc(m, 0, sizeof host, false, &there, &diag));
  ck_ok(fill_launch(m, fill_kernel(m, "gfx90a"), there, 42, stream));
  ck_ok(aq_mlir_copy(m, host, there, sizeof host, stream, &diag));
  ck_ok(aq_mlir_memory_free(m, there, stream, &diag));
  ck_ok(aq_mlir_stream_wait(m, stream, &diag));
  values_check(host, 42);
  ck_ok(aq_mlir_stream_destroy(m, stream, &diag));
  mlir_close(m);
}

START_TEST(a_kernel_computes_what_the_host_reads)
{
  round_trip("sim");
}
END_TEST

START_TEST(the_drop_in_serves_the_same_calls)
{
  char path[4096];
  const char *root = getenv("AQ_BUILDDIR");
  snprintf(path, sizeof path, "%s/.libs/libhsa-runtime64.so.1",
           root ? root : ".");
  setenv("AQUEDUCT_LIBHSA_PATH", path, 1);
  setenv("AQUEDUCT_DEVICE", "mi210", 1);
  round_trip("hsa");
}
END_TEST

START_TEST(kernels_reach_registered_memory_of_the_host)
{
  static uint32_t host[COUNT];
  void *there;
  aq_mlir *m = mlir_open("sim", "mi210");
  ck_assert_int_eq(aq_mlir_device_address(m, host, &there, &diag),
                   AQ_ERR_INVALID);
  for (int i = 0; i < 2; i++)
    ck_ok(aq_mlir_register(m, host, sizeof host, &diag));
  ck_ok(aq_mlir_unregister(m, host, &diag)); /* one registration is left */
  ck_ok(aq_mlir_device_address(m, host, &there, &diag));
  ck_ok(fill_launch(m, fill_kernel(m, "gfx90a"), there, 7, NULL));
  values_check(host, 7);
  ck_ok(aq_mlir_unregister(m, host, &diag));
  ck_assert_int_eq(aq_mlir_unregister(m, host, &diag), AQ_ERR_INVALID);
  mlir_close(m);
}
END_TEST

START_TEST(copies_and_fills_of_a_stream_do_not_wait)
{
  static uint32_t host[COUNT];
  void *there;
  aq_mlir_stream *stream;
  aq_mlir *m = mlir_open("sim", "mi210");
  memset(host, 0, sizeof host);
  ck_ok(aq_mlir_stream_create(m, 0, &stream, &diag));
  ck_ok(aq_mlir_memory_alloc(m, 0, sizeof host, false, &there, &diag));
  ck_ok(aq_mlir_fill(m, there, 9, 4, COUNT, stream, &diag));
  ck_ok(aq_mlir_copy(m, host, there, sizeof host, stream, &diag));
  values_check(host, 0);
  ck_ok(aq_mlir_stream_wait(m, stream, &diag));
  values_check(host, 9);
  mlir_close(m);
}
END_TEST

START_TEST(a_fill_of_two_bytes_writes_two_bytes)
{
  uint16_t host[5] = {1, 1, 1, 1, 1};
  aq_mlir *m = mlir_open("sim", "mi210");
  ck_ok(aq_mlir_register(m, host, sizeof host, &diag));
  ck_ok(aq_mlir_fill(m, host + 1, 0xabcd, 2, 3, NULL, &diag));
  ck_assert_uint_eq(host[0], 1);
  ck_assert_uint_eq(host[1], 0xabcd);
  ck_assert_uint_eq(host[3], 0xabcd);
  ck_assert_uint_eq(host[4], 1);
  mlir_close(m);
}
END_TEST

/* Stream b does nothing but wait for an event of a. */
START_TEST(a_wait_for_a_stream_includes_the_events_that_it_waits_for)
{
  static uint32_t host[COUNT];
  aq_mlir_stream *a, *b;
  aq_mlir_event *event;
  void *there;
  aq_mlir *m = mlir_open("sim", "mi210");
  memset(host, 0, sizeof host);
  ck_ok(aq_mlir_stream_create(m, 0, &a, &diag));
  ck_ok(aq_mlir_stream_create(m, 0, &b, &diag));
  ck_ok(aq_mlir_event_create(m, &event, &diag));
  ck_ok(aq_mlir_memory_alloc(m, 0, sizeof host, false, &there, &diag));
  ck_ok(fill_launch(m, fill_kernel(m, "gfx90a"), there, 3, a));
  ck_ok(aq_mlir_copy(m, host, there, sizeof host, a, &diag));
  ck_ok(aq_mlir_stream_wait_event(m, b, event, &diag)); /* not recorded */
  ck_ok(aq_mlir_stream_wait(m, b, &diag));
  values_check(host, 0);
  ck_ok(aq_mlir_event_record(m, event, a, &diag));
  ck_ok(aq_mlir_stream_wait_event(m, b, event, &diag));
  ck_ok(aq_mlir_event_destroy(m, event, &diag));
  ck_ok(aq_mlir_stream_wait(m, b, &diag));
  values_check(host, 3);
  mlir_close(m);
}
END_TEST

START_TEST(a_destroyed_stream_runs_to_its_end)
{
  static uint32_t host[COUNT];
  void *there;
  aq_mlir_stream *stream;
  aq_mlir *m = mlir_open("sim", "mi210");
  ck_ok(aq_mlir_stream_create(m, 0, &stream, &diag));
  ck_ok(aq_mlir_memory_alloc(m, 0, sizeof host, false, &there, &diag));
  ck_ok(aq_mlir_fill(m, there, 5, 4, COUNT, stream, &diag));
  ck_ok(aq_mlir_copy(m, host, there, sizeof host, stream, &diag));
  ck_ok(aq_mlir_stream_destroy(m, stream, &diag));
  ck_assert_int_eq(aq_mlir_stream_wait(m, stream, &diag), AQ_ERR_INVALID);
  ck_ok(aq_mlir_stream_wait(m, NULL, &diag));
  values_check(host, 5);
  mlir_close(m);
}
END_TEST

START_TEST(code_of_another_target_names_both)
{
  const void *image;
  size_t size;
  aq_mlir_module *module = NULL;
  aq_mlir *m = mlir_open("sim", "mi210");
  ck_ok(aq_devlib_image("gfx942", &image, &size, &diag));
  ck_assert_int_eq(aq_mlir_module_load(m, 0, image, size, &module, &diag),
                   AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(diag.text, "gfx942"));
  ck_assert_ptr_nonnull(strstr(diag.text, "gfx90a"));
  ck_assert_int_eq(aq_mlir_module_load(m, 0, "nothing", 7, &module, &diag),
                   AQ_ERR_INPUT);
  ck_assert_ptr_null(module);
  mlir_close(m);
}
END_TEST

START_TEST(code_that_the_simulator_does_not_execute_is_refused)
{
  const void *image;
  size_t size;
  aq_mlir_module *module = NULL;
  aq_mlir *m = mlir_open("sim", "mi210");
  ck_ok(aq_devlib_image("gfx90a", &image, &size, &diag));
  mlir_close(m);
  m = mlir_open("null", NULL);
  ck_assert_int_ne(aq_mlir_module_load(m, 0, image, size, &module, &diag),
                   AQ_OK);
  ck_assert_ptr_null(module);
  mlir_close(m);
}
END_TEST

START_TEST(an_unknown_kernel_names_those_that_there_are)
{
  const void *image;
  size_t size;
  aq_mlir_module *module = NULL;
  aq_mlir_function *function = NULL;
  aq_mlir *m = mlir_open("sim", "mi210");
  ck_ok(aq_devlib_image("gfx90a", &image, &size, &diag));
  ck_ok(aq_mlir_module_load(m, 0, image, size, &module, &diag));
  ck_assert_int_eq(aq_mlir_function_find(m, module, "fil", &function, &diag),
                   AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(diag.text, "'fil'"));
  ck_assert_ptr_nonnull(strstr(diag.text, "aq_fill"));
  ck_ok(aq_mlir_module_unload(m, module, &diag));
  ck_assert_int_eq(aq_mlir_module_unload(m, module, &diag), AQ_ERR_INVALID);
  mlir_close(m);
}
END_TEST

START_TEST(launches_that_cannot_be_are_refused)
{
  aq_mlir *m = mlir_open("sim", "mi210");
  aq_mlir_function *f = fill_kernel(m, "gfx90a");
  aq_fill_args args = {0};
  void *const params[] = {&args, &args};
  aq_mlir_launch launch = {.blocks = {1, 1, 1},
                           .threads = {64, 1, 1},
                           .params = params,
                           .param_count = 2};
  ck_assert_int_eq(aq_mlir_launch_submit(m, f, &launch, NULL, &diag),
                   AQ_ERR_INVALID);
  ck_assert_ptr_nonnull(strstr(diag.text, "takes 1 arguments"));
  launch.param_count = 1;
  launch.threads[1] = 0;
  ck_assert_int_eq(aq_mlir_launch_submit(m, f, &launch, NULL, &diag),
                   AQ_ERR_INVALID);
  launch.threads[1] = 64; /* 4096 work-items */
  ck_assert_int_eq(aq_mlir_launch_submit(m, f, &launch, NULL, &diag),
                   AQ_ERR_INVALID);
  launch.threads[1] = 1;
  launch.blocks[0] = INT64_C(1) << 30;
  ck_assert_int_eq(aq_mlir_launch_submit(m, f, &launch, NULL, &diag),
                   AQ_ERR_INVALID);
  mlir_close(m);
}
END_TEST

START_TEST(a_kernel_that_faults_is_the_error_of_the_wait)
{
  aq_mlir_stream *stream;
  aq_mlir *m = mlir_open("sim", "mi210");
  ck_ok(aq_mlir_stream_create(m, 0, &stream, &diag));
  ck_ok(fill_launch(m, fill_kernel(m, "gfx90a"), NULL, 1, stream));
  ck_assert_int_ne(aq_mlir_stream_wait(m, stream, &diag), AQ_OK);
  ck_assert_ptr_nonnull(strstr(diag.text, "aq_fill"));
  aq_mlir_unlock(m);
  ck_assert_int_ne(aq_mlir_close(m, &diag), AQ_OK);
}
END_TEST

START_TEST(memory_is_freed_once)
{
  void *there, *shared;
  aq_mlir *m = mlir_open("sim", "mi210");
  ck_ok(aq_mlir_memory_alloc(m, 0, 0, false, &there, &diag));
  ck_assert_ptr_null(there);
  ck_ok(aq_mlir_memory_free(m, NULL, NULL, &diag));
  ck_ok(aq_mlir_memory_alloc(m, 0, 100, true, &shared, &diag));
  memset(shared, 1, 100); /* the host reaches it */
  ck_assert_int_eq(aq_mlir_memory_free(m, (char *)shared + 1, NULL, &diag),
                   AQ_ERR_INVALID);
  ck_ok(aq_mlir_memory_free(m, shared, NULL, &diag));
  ck_assert_int_eq(aq_mlir_memory_free(m, shared, NULL, &diag), AQ_ERR_INVALID);
  mlir_close(m);
}
END_TEST

START_TEST(devices_have_streams_and_modules_of_their_own)
{
  static uint32_t host[COUNT];
  const void *image;
  size_t size;
  void *there;
  aq_mlir_module *module;
  aq_mlir_function *f;
  aq_mlir_stream *first, *second;
  aq_mlir *m = mlir_open("sim", "mi210*2");
  ck_assert_uint_eq(aq_mlir_device_count(m), 2);
  ck_ok(aq_devlib_image("gfx90a", &image, &size, &diag));
  ck_ok(aq_mlir_module_load(m, 1, image, size, &module, &diag));
  ck_ok(aq_mlir_function_find(m, module, "aq_fill", &f, &diag));
  ck_ok(aq_mlir_stream_create(m, 0, &first, &diag));
  ck_ok(aq_mlir_stream_create(m, 1, &second, &diag));
  ck_ok(aq_mlir_memory_alloc(m, 1, sizeof host, false, &there, &diag));
  ck_assert_int_eq(fill_launch(m, f, there, 1, first), AQ_ERR_INVALID);
  ck_ok(fill_launch(m, f, there, 11, second));
  ck_ok(aq_mlir_copy(m, host, there, sizeof host, second, &diag));
  ck_ok(aq_mlir_stream_wait(m, second, &diag));
  values_check(host, 11);
  mlir_close(m);
}
END_TEST

AQ_TEST_MAIN("dropin/mlir/runtime", a_kernel_computes_what_the_host_reads,
             the_drop_in_serves_the_same_calls,
             kernels_reach_registered_memory_of_the_host,
             copies_and_fills_of_a_stream_do_not_wait,
             a_fill_of_two_bytes_writes_two_bytes,
             a_wait_for_a_stream_includes_the_events_that_it_waits_for,
             a_destroyed_stream_runs_to_its_end,
             code_of_another_target_names_both,
             code_that_the_simulator_does_not_execute_is_refused,
             an_unknown_kernel_names_those_that_there_are,
             launches_that_cannot_be_are_refused,
             a_kernel_that_faults_is_the_error_of_the_wait,
             memory_is_freed_once,
             devices_have_streams_and_modules_of_their_own)
