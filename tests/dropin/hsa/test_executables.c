/* SPDX-License-Identifier: MIT */
/* Code objects: reading, loading, symbols, dispatching their kernels. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dropin/hsa/client.h"
#include "dropin/hsa/object.h"
#include "gpu/devlib/devlib.h"

static hsa_status_t object_load(const client *c, const void *bytes, size_t size,
                                hsa_executable_t *executable)
{
  hsa_code_object_reader_t reader;
  ck_assert_done(
      hsa_executable_create_alt(HSA_PROFILE_FULL, 0, NULL, executable));
  ck_assert_done(
      hsa_code_object_reader_create_from_memory(bytes, size, &reader));
  hsa_status_t status = hsa_executable_load_agent_code_object(
      *executable, c->device, reader, NULL, NULL);
  ck_assert_done(hsa_code_object_reader_destroy(reader));
  if (status == HSA_STATUS_SUCCESS)
    ck_assert_done(hsa_executable_freeze(*executable, NULL));
  return status;
}

static uint64_t symbol_word(hsa_executable_t executable, const client *c,
                            const char *name, uint32_t attribute)
{
  hsa_executable_symbol_t found;
  uint64_t value = 0;
  ck_assert_done(
      hsa_executable_get_symbol_by_name(executable, name, &c->device, &found));
  ck_assert_done(hsa_executable_symbol_get_info(found, attribute, &value));
  return value;
}

START_TEST(symbols_tell_what_the_descriptor_says)
{
  client c;
  hsa_executable_t e;
  client_open(&c);
  ck_assert_done(
      object_load(&c, object_make(OBJECT_GFX942), sizeof(object), &e));
#define WORD(name, what)                                                       \
  symbol_word(e, &c, name, HSA_EXECUTABLE_SYMBOL_INFO_##what)
  ck_assert_uint_eq(WORD("add.kd", TYPE), HSA_SYMBOL_KIND_KERNEL);
  ck_assert_uint_eq(WORD("add.kd", NAME_LENGTH), 6);
  ck_assert_uint_eq(WORD("add.kd", KERNEL_KERNARG_SEGMENT_SIZE), 24);
  ck_assert_uint_eq(WORD("add.kd", KERNEL_GROUP_SEGMENT_SIZE), 128);
  ck_assert_uint_eq(WORD("add.kd", KERNEL_PRIVATE_SEGMENT_SIZE), 16);
  ck_assert_uint_eq(WORD("add.kd", AGENT), c.device.handle);
  ck_assert_uint_eq(WORD("variable", TYPE), HSA_SYMBOL_KIND_VARIABLE);
  ck_assert_uint_eq(WORD("variable", VARIABLE_SIZE), 8);
  const uint64_t *variable =
      (const uint64_t *)(uintptr_t)WORD("variable", VARIABLE_ADDRESS);
  ck_assert_uint_eq(*variable, WORD("add.kd", KERNEL_OBJECT));
  const uint32_t *descriptor =
      (const uint32_t *)(uintptr_t)WORD("add.kd", KERNEL_OBJECT);
  ck_assert_uint_eq(descriptor[2], 24);
  hsa_executable_symbol_t none;
  ck_assert_hsa(hsa_executable_get_symbol_by_name(e, "none", NULL, &none),
                HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  ck_assert_done(
      hsa_executable_get_symbol(e, NULL, "other.kd", c.device, 0, &none));
  ck_assert_done(hsa_executable_destroy(e));
  ck_assert_hsa(hsa_executable_destroy(e), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static hsa_status_t symbol_count(hsa_executable_t e, hsa_agent_t agent,
                                 hsa_executable_symbol_t found, void *data)
{
  (void)e, (void)agent, (void)found;
  ++*(int *)data;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t any_symbol_count(hsa_executable_t e,
                                     hsa_executable_symbol_t found, void *data)
{
  return symbol_count(e, (hsa_agent_t){0}, found, data);
}

START_TEST(symbols_are_visited_and_executables_have_a_state)
{
  client c;
  hsa_executable_t e;
  uint32_t state, result = 9, profile;
  int count = 0;
  client_open(&c);
  ck_assert_done(
      object_load(&c, object_make(OBJECT_GFX942), sizeof(object), &e));
  ck_assert_done(
      hsa_executable_iterate_agent_symbols(e, c.device, symbol_count, &count));
  ck_assert_int_eq(count, 3);
  ck_assert_done(hsa_executable_iterate_symbols(e, any_symbol_count, &count));
  ck_assert_int_eq(count, 6);
  ck_assert_done(
      hsa_executable_iterate_program_symbols(e, any_symbol_count, &count));
  ck_assert_int_eq(count, 6);
  ck_assert_done(hsa_executable_get_info(e, HSA_EXECUTABLE_INFO_STATE, &state));
  ck_assert_uint_eq(state, HSA_EXECUTABLE_STATE_FROZEN);
  ck_assert_hsa(hsa_executable_freeze(e, NULL),
                HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  ck_assert_done(hsa_executable_validate(e, &result));
  ck_assert_uint_eq(result, 0);
  ck_assert_done(hsa_executable_validate_alt(e, NULL, &result));
  ck_assert_done(hsa_executable_create(
      HSA_PROFILE_BASE, HSA_EXECUTABLE_STATE_UNFROZEN, NULL, &e));
  ck_assert_done(
      hsa_executable_get_info(e, HSA_EXECUTABLE_INFO_PROFILE, &profile));
  ck_assert_uint_eq(profile, HSA_PROFILE_BASE);
  ck_assert_done(hsa_shut_down()); /* which unloads both */
}
END_TEST

START_TEST(foreign_and_damaged_code_objects_are_refused)
{
  client c;
  hsa_executable_t e;
  client_open(&c);
  ck_assert_hsa(object_load(&c, object_make(OBJECT_GFX90A), sizeof(object), &e),
                HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  ck_assert_hsa(object_load(&c, "no ELF", 6, &e),
                HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(no_damaged_byte_and_no_missing_end_crashes)
{
  client c;
  hsa_executable_t e;
  client_open(&c);
  const size_t changed = offsetof(object, kernels);
  for (size_t i = 0; i < changed; i++)
    for (int value = 0; value < 256; value += 85) {
      unsigned char *bytes = (unsigned char *)object_make(OBJECT_GFX942);
      bytes[i] = (unsigned char)value;
      object_load(&c, bytes, sizeof(object), &e);
      ck_assert_done(hsa_executable_destroy(e));
    }
  for (size_t size = 1; size < sizeof(object); size += 7) {
    char *cut = malloc(size); /* so that reading behind it is seen */
    ck_assert_ptr_nonnull(cut);
    memcpy(cut, object_make(OBJECT_GFX942), size);
    ck_assert_hsa(object_load(&c, cut, size, &e),
                  HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    free(cut);
  }
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_code_object_is_read_from_a_file)
{
  client c;
  hsa_executable_t e;
  hsa_code_object_reader_t reader;
  hsa_loaded_code_object_t loaded;
  client_open(&c);
  const char *path =
      aqtest_write("code.hsaco", object_make(OBJECT_GFX942), sizeof(object));
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  ck_assert_done(
      hsa_code_object_reader_create_from_file(fileno(file), &reader));
  fclose(file);
  ck_assert_done(hsa_executable_create_alt(HSA_PROFILE_FULL, 0, NULL, &e));
  ck_assert_done(hsa_executable_load_agent_code_object(e, c.device, reader,
                                                       NULL, &loaded));
  ck_assert_uint_ne(loaded.handle, 0);
  ck_assert_hsa(hsa_code_object_reader_create_from_file(-1, &reader),
                HSA_STATUS_ERROR_INVALID_FILE);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* The functions of the loader extension that are called here. */
typedef struct loader_table {
  hsa_status_t (*query_host_address)(const void *, const void **);
  hsa_status_t (*query_segment_descriptors)(void *, size_t *);
  hsa_status_t (*query_executable)(const void *, hsa_executable_t *);
} loader_table;

START_TEST(the_loader_extension_knows_what_is_loaded)
{
  client c;
  hsa_executable_t e, found;
  loader_table table;
  const void *address;
  size_t count = 0;
  client_open(&c);
  ck_assert_done(
      object_load(&c, object_make(OBJECT_GFX942), sizeof(object), &e));
  ck_assert_done(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER,
                                                      1, sizeof table, &table));
  const void *kernel = (const void *)(uintptr_t)symbol_word(
      e, &c, "add.kd", HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
  ck_assert_done(table.query_host_address(kernel, &address));
  ck_assert_ptr_eq(address, kernel);
  ck_assert_done(table.query_executable(kernel, &found));
  ck_assert_uint_eq(found.handle, e.handle);
  ck_assert_done(table.query_segment_descriptors(NULL, &count));
  ck_assert_uint_eq(count, 1);
  memset(&table, 0, sizeof table);
  ck_assert_done(
      hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 0, &table));
  ck_assert(table.query_executable != NULL);
  ck_assert_hsa(
      hsa_system_get_extension_table(HSA_EXTENSION_FINALIZER, 1, 0, &table),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- dispatching ---- */

typedef struct add_args {
  uint32_t a, b;
  uint32_t *sum;
} add_args;

typedef struct failure {
  hsa_signal_t told;
  hsa_status_t status;
} failure;

static void failure_note(hsa_status_t status, hsa_queue_t *source, void *data)
{
  failure *f = data;
  (void)source;
  f->status = status;
  hsa_signal_subtract_screlease(f->told, 1);
}

/* Dispatches a kernel of the object on a queue. */
static void kernel_submit(const client *c, hsa_queue_t *queue,
                          hsa_executable_t e, const char *name, void *args,
                          hsa_signal_t done)
{
  aq_packet packet = {0};
  packet.kernel = (aq_kernel_packet){
      .setup = 1,
      .workgroup_size = {4, 1, 1},
      .grid_size = {8, 1, 1},
      .kernel_object =
          symbol_word(e, c, name, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT),
      .kernarg_address = (uintptr_t)args,
      .completion_signal = done};
  client_submit(queue, &packet,
                aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1, AQ_SCOPE_SYSTEM,
                                 AQ_SCOPE_SYSTEM));
}

START_TEST(a_kernel_runs_by_the_host_function_of_a_plug_in)
{
  client c;
  hsa_executable_t e;
  uint32_t sum = 0;
  add_args args = {5, 3, &sum};
  hsa_amd_profiling_dispatch_time_t time;
  setenv("AQUEDUCT_KERNELS", TEST_KERNELS, 1);
  client_open(&c);
  unsetenv("AQUEDUCT_KERNELS");
  ck_assert_done(
      object_load(&c, object_make(OBJECT_GFX942), sizeof(object), &e));
  hsa_queue_t *queue = client_queue(&c, 64);
  ck_assert_done(hsa_amd_profiling_set_profiler_enabled(queue, 1));
  hsa_signal_t done = client_signal(1);
  kernel_submit(&c, queue, e, "add.kd", &args, done);
  client_wait_zero(done);
  ck_assert_uint_eq(sum, 5 + 3 * 8);
  ck_assert_done(hsa_amd_profiling_get_dispatch_time(c.device, done, &time));
  ck_assert_uint_ge(time.end - time.start, 3000); /* ns, as the plug-in says */
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- variables of host functions ---- */

typedef struct count_args { /* of the plug-in's kernel */
  const char *variable;
  uint64_t size;
  uint64_t *seen;
} count_args;

/* One whose second kernel is the plug-in's "count". */
static object *object_make_counting(void)
{
  object *o = object_make(OBJECT_GFX942);
  memcpy(o->texts + o->symbols[2].st_name, "count", strlen("count"));
  o->kernels[1][2] = sizeof(count_args);
  return o;
}

static void client_open_with_kernels(client *c)
{
  setenv("AQUEDUCT_KERNELS", TEST_KERNELS, 1);
  client_open(c);
  unsetenv("AQUEDUCT_KERNELS");
}

static uint64_t *variable_at(const client *c, hsa_executable_t e)
{
  return (uint64_t *)(uintptr_t)symbol_word(
      e, c, "variable", HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS);
}

START_TEST(a_host_function_finds_the_variable_of_its_executable)
{
  client c;
  hsa_executable_t e, other;
  uint64_t seen = 0;
  count_args args = {"variable", sizeof seen, &seen};
  client_open_with_kernels(&c);
  ck_assert_done(object_load(&c, object_make_counting(), sizeof(object), &e));
  ck_assert_done(
      object_load(&c, object_make_counting(), sizeof(object), &other));
  *variable_at(&c, e) = 41;
  *variable_at(&c, other) = 7;
  hsa_queue_t *queue = client_queue(&c, 64);
  for (uint64_t i = 0; i < 3; i++) {
    hsa_signal_t done = client_signal(1);
    kernel_submit(&c, queue, e, "count.kd", &args, done);
    client_wait_zero(done);
    ck_assert_uint_eq(seen, 41 + i);
  }
  ck_assert_uint_eq(*variable_at(&c, e), 44);
  ck_assert_uint_eq(*variable_at(&c, other), 7);
  hsa_signal_t done = client_signal(1);
  kernel_submit(&c, queue, other, "count.kd", &args, done);
  client_wait_zero(done);
  ck_assert_uint_eq(seen, 7);
  ck_assert_uint_eq(*variable_at(&c, e), 44);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_host_function_finds_what_the_client_defined)
{
  client c;
  hsa_executable_t e;
  hsa_code_object_reader_t reader;
  uint64_t seen = 0, mine = 12, programs = 20;
  count_args args = {"mine", sizeof seen, &seen};
  client_open_with_kernels(&c);
  ck_assert_done(hsa_executable_create_alt(HSA_PROFILE_FULL, 0, NULL, &e));
  ck_assert_done(
      hsa_executable_agent_global_variable_define(e, c.device, "mine", &mine));
  ck_assert_done(
      hsa_executable_global_variable_define(e, "programs", &programs));
  ck_assert_done(hsa_code_object_reader_create_from_memory(
      object_make_counting(), sizeof(object), &reader));
  ck_assert_done(
      hsa_executable_load_agent_code_object(e, c.device, reader, NULL, NULL));
  ck_assert_done(hsa_executable_freeze(e, NULL));
  hsa_queue_t *queue = client_queue(&c, 64);
  hsa_signal_t done = client_signal(1);
  kernel_submit(&c, queue, e, "count.kd", &args, done);
  client_wait_zero(done);
  ck_assert_uint_eq(seen, 12);
  ck_assert_uint_eq(mine, 13);
  args.variable = "programs";
  done = client_signal(1);
  kernel_submit(&c, queue, e, "count.kd", &args, done);
  client_wait_zero(done);
  ck_assert_uint_eq(seen, 20);
  ck_assert_uint_eq(programs, 21);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static const struct {
  const char *variable;
  uint64_t size;
} not_there[] = {{"none", 8},      {"variable", 9}, {"add.kd", 8},
                 {"count.kd", 64}, {"", 1},         {"variable.", 8}};

START_TEST(a_variable_that_is_not_there_fails_the_queue)
{
  client c;
  hsa_executable_t e;
  uint64_t seen = 77;
  client_open_with_kernels(&c);
  ck_assert_done(object_load(&c, object_make_counting(), sizeof(object), &e));
  for (size_t i = 0; i < sizeof not_there / sizeof *not_there; i++) {
    count_args args = {not_there[i].variable, not_there[i].size, &seen};
    failure f = {.told = client_signal(1)};
    hsa_queue_t *queue;
    ck_assert_done(hsa_queue_create(c.device, 64, HSA_QUEUE_TYPE_MULTI,
                                    failure_note, &f, UINT32_MAX, UINT32_MAX,
                                    &queue));
    kernel_submit(&c, queue, e, "count.kd", &args, client_signal(1));
    client_wait_zero(f.told);
    ck_assert_hsa(f.status, HSA_STATUS_ERROR_EXCEPTION);
    ck_assert_uint_eq(seen, 77);
  }
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- kernels that are gone or missing ---- */

START_TEST(a_kernel_is_gone_with_its_executable)
{
  client c;
  hsa_executable_t e, other;
  hsa_queue_t *queue;
  uint32_t sum = 0;
  add_args args = {5, 3, &sum};
  setenv("AQUEDUCT_KERNELS", TEST_KERNELS, 1);
  setenv("AQUEDUCT_KERNELS_FROM", "host", 1);
  client_open(&c);
  unsetenv("AQUEDUCT_KERNELS");
  failure f = {.told = client_signal(1)};
  hsa_signal_t done = client_signal(1);
  object *o = object_make(OBJECT_GFX942);
  ck_assert_done(object_load(&c, o, sizeof *o, &e));
  const uint64_t old =
      symbol_word(e, &c, "add.kd", HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
  ck_assert_done(hsa_queue_create(c.device, 64, HSA_QUEUE_TYPE_MULTI,
                                  failure_note, &f, UINT32_MAX, UINT32_MAX,
                                  &queue));
  kernel_submit(&c, queue, e, "add.kd", &args, done);
  client_wait_zero(done);
  ck_assert_uint_eq(sum, 5 + 3 * 8);
  ck_assert_done(hsa_executable_destroy(e));
  /* The same bytes, but for the name: no host function has that. */
  o = object_make(OBJECT_GFX942);
  o->texts[1] = 'z';
  ck_assert_done(object_load(&c, o, sizeof *o, &other));
  /* The loader mostly reuses the address; if not, nothing is there. */
  sum = 0;
  done = client_signal(1);
  aq_packet packet = {0};
  packet.kernel = (aq_kernel_packet){.setup = 1,
                                     .workgroup_size = {4, 1, 1},
                                     .grid_size = {8, 1, 1},
                                     .kernel_object = old,
                                     .kernarg_address = (uintptr_t)&args,
                                     .completion_signal = done};
  client_submit(queue, &packet,
                aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1, AQ_SCOPE_SYSTEM,
                                 AQ_SCOPE_SYSTEM));
  client_wait_zero(f.told);
  ck_assert_hsa(f.status, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  ck_assert_uint_eq(sum, 0);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(the_device_library_loads_and_its_kernels_run)
{
  client c;
  hsa_executable_t e;
  const aq_devlib_object *library;
  unsigned char target[40] = {0};
  client_open(&c);
  ck_assert_int_eq(aq_devlib_find("gfx942", &library, NULL), AQ_OK);
  ck_assert_done(object_load(&c, library->bytes, library->size, &e));
  for (int i = 0; i < AQ_DEVLIB_KERNEL_COUNT; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s.kd", aq_devlib_entries[i].name);
    ck_assert_uint_eq(
        symbol_word(e, &c, name,
                    HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE),
        aq_devlib_kernarg_sizes[i]);
  }
  aq_fill_args args = {target, 32, 0xab, 1};
  hsa_queue_t *queue = client_queue(&c, 64);
  hsa_signal_t done = client_signal(1);
  kernel_submit(&c, queue, e, "aq_fill.kd", &args, done);
  client_wait_zero(done);
  for (int i = 0; i < 40; i++)
    ck_assert_uint_eq(target[i], i < 32 ? 0xab : 0);
  ck_assert_done(hsa_executable_destroy(e));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_kernel_without_a_host_function_fails_the_queue)
{
  client c;
  hsa_executable_t e;
  hsa_queue_t *queue;
  setenv("AQUEDUCT_KERNELS_FROM", "host", 1);
  client_open(&c);
  failure f = {.told = client_signal(1)};
  hsa_signal_t done = client_signal(1);
  ck_assert_done(
      object_load(&c, object_make(OBJECT_GFX942), sizeof(object), &e));
  ck_assert_done(hsa_queue_create(c.device, 64, HSA_QUEUE_TYPE_MULTI,
                                  failure_note, &f, UINT32_MAX, UINT32_MAX,
                                  &queue));
  kernel_submit(&c, queue, e, "other.kd", NULL, done);
  client_wait_zero(f.told);
  ck_assert_hsa(f.status, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(it_only_takes_time_where_that_is_allowed)
{
  client c;
  hsa_executable_t e;
  setenv("AQUEDUCT_MISSING_KERNELS", "warn", 1);
  setenv("AQUEDUCT_KERNELS_FROM", "host", 1);
  client_open(&c);
  unsetenv("AQUEDUCT_MISSING_KERNELS");
  ck_assert_done(
      object_load(&c, object_make(OBJECT_GFX942), sizeof(object), &e));
  hsa_queue_t *queue = client_queue(&c, 64);
  hsa_signal_t done = client_signal(1);
  kernel_submit(&c, queue, e, "other.kd", NULL, done);
  client_wait_zero(done);
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/executables", symbols_tell_what_the_descriptor_says,
             symbols_are_visited_and_executables_have_a_state,
             foreign_and_damaged_code_objects_are_refused,
             no_damaged_byte_and_no_missing_end_crashes,
             a_code_object_is_read_from_a_file,
             the_loader_extension_knows_what_is_loaded,
             a_kernel_runs_by_the_host_function_of_a_plug_in,
             a_host_function_finds_the_variable_of_its_executable,
             a_host_function_finds_what_the_client_defined,
             a_variable_that_is_not_there_fails_the_queue,
             a_kernel_is_gone_with_its_executable,
             the_device_library_loads_and_its_kernels_run,
             a_kernel_without_a_host_function_fails_the_queue,
             it_only_takes_time_where_that_is_allowed)
