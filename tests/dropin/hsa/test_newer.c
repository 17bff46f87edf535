/* SPDX-License-Identifier: MIT */
/* Functions and attributes that runtimes of ROCm 7 ask for. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dropin/hsa/client.h"

enum { PART = 4096 };

static char *memory_make(const client *c, size_t size, char fill)
{
  char *memory;
  ck_assert_done(hsa_amd_memory_pool_allocate(c->device_fine, size, 0,
                                              (void **)(void *)&memory));
  memset(memory, fill, size);
  return memory;
}

/* Tests poll memory that a copy without a signal writes meanwhile. */
__attribute__((no_sanitize("thread"))) static bool
holds(const char *memory, size_t size, char value)
{
  for (size_t i = 0; i < size; i++)
    if (memory[i] != value)
      return false;
  return true;
}

/* ---- batches of copies ---- */

_Static_assert(sizeof(hsa_amd_memory_copy_op_t) == 128, "a copy's operation");
_Static_assert(offsetof(hsa_amd_memory_copy_op_t, dst) == 40, "dst");
_Static_assert(offsetof(hsa_amd_memory_copy_op_t, wait) == 64, "wait");
_Static_assert(offsetof(hsa_amd_memory_copy_op_t, signal) == 96, "signal");

static hsa_amd_memory_copy_op_t op_make(const client *c, uint16_t type,
                                        hsa_signal_t completion)
{
  hsa_amd_memory_copy_op_t op;
  memset(&op, 0, sizeof op);
  op.version = 1;
  op.type = type;
  op.completion_signal = completion;
  op.src_agent = c->device;
  op.dst_agent = c->device;
  return op;
}

START_TEST(a_batch_copies_one_several_and_to_several)
{
  client c;
  client_open(&c);
  char *from = memory_make(&c, 2 * PART, 1), *to = memory_make(&c, 8 * PART, 0);
  memset(from + PART, 2, PART);
  hsa_signal_t first = client_signal(1), shared = client_signal(3),
               gate = client_signal(1);
  hsa_agent_t agents[] = {c.device, c.device, c.host};
  void *sources[] = {from, from + PART};
  void *targets[] = {to + 2 * PART, to + 3 * PART};
  void *all[] = {to + 4 * PART, to + 5 * PART, to + 6 * PART};
  size_t sizes[] = {PART, PART / 2};
  hsa_amd_memory_copy_op_t ops[4];
  ops[0] = op_make(&c, HSA_AMD_MEMORY_COPY_OP_LINEAR, first);
  ops[0].src = from;
  ops[0].dst = to;
  ops[0].size = 2 * PART;
  ops[1] = op_make(&c, HSA_AMD_MEMORY_COPY_OP_LINEAR, shared);
  ops[1].num_entries = 2;
  ops[1].src_list = sources;
  ops[1].dst_list = targets;
  ops[1].dst_agent_list = agents;
  ops[1].size_list = sizes;
  ops[2] = op_make(&c, HSA_AMD_MEMORY_COPY_OP_LINEAR_BROADCAST, shared);
  ops[2].num_entries = 3;
  ops[2].src = from + PART;
  ops[2].dst_list = all;
  ops[2].dst_agent_list = agents;
  ops[2].size = PART;
  ops[3] = op_make(&c, HSA_AMD_MEMORY_COPY_OP_LINEAR, shared);
  ops[3].src = from;
  ops[3].dst = to + 7 * PART;
  ops[3].size = 1;
  ck_assert_done(hsa_amd_memory_async_batch_copy(ops, 4, 1, &gate));
  usleep(2000);
  ck_assert(holds(to, 8 * PART, 0));
  hsa_signal_store_screlease(gate, 0);
  client_wait_zero(first);
  client_wait_zero(shared);
  ck_assert(holds(to, PART, 1) && holds(to + PART, PART, 2));
  ck_assert(holds(to + 2 * PART, PART, 1));
  ck_assert(holds(to + 3 * PART, PART / 2, 2));
  ck_assert(holds(to + 3 * PART + PART / 2, PART / 2, 0));
  ck_assert(holds(to + 4 * PART, 3 * PART, 2));
  ck_assert_int_eq(to[7 * PART], 1);
  ck_assert_int_eq(to[7 * PART + 1], 0);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_batch_with_an_operation_that_is_not_served_copies_nothing)
{
  enum { SWAP = 2, INDIRECT = 3, CASES = 9 };
  client c;
  client_open(&c);
  char *from = memory_make(&c, PART, 1), *to = memory_make(&c, PART, 0);
  hsa_signal_t done = client_signal(2), deps[6];
  hsa_amd_memory_copy_op_t good =
      op_make(&c, HSA_AMD_MEMORY_COPY_OP_LINEAR, done);
  good.src = from;
  good.dst = to;
  good.size = PART;
  for (int i = 0; i < CASES; i++) {
    hsa_amd_memory_copy_op_t ops[] = {good, good};
    ops[1].version = i == 0 ? 2 : 1;
    ops[1].type = i == 1 ? SWAP : i == 2 ? INDIRECT : i == 3 ? 77 : 0;
    if (i == 4)
      ops[1].src = NULL;
    if (i == 5)
      ops[1].num_entries = 1; /* its lists are missing */
    if (i == 6)
      ops[1].wait.function = 3;
    if (i == 7)
      ops[1].signal.operation = 1;
    if (i == 8)
      ops[1].type = HSA_AMD_MEMORY_COPY_OP_LINEAR_BROADCAST;
    if (i == 5)
      ops[1].dst_agent_list = NULL;
    ck_assert_hsa(hsa_amd_memory_async_batch_copy(ops, 2, 0, NULL),
                  HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  for (int i = 0; i < 6; i++)
    deps[i] = client_signal(0);
  ck_assert_hsa(hsa_amd_memory_async_batch_copy(&good, 1, 6, deps),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  good.completion_signal.handle = 12345;
  ck_assert_hsa(hsa_amd_memory_async_batch_copy(&good, 1, 0, NULL),
                HSA_STATUS_ERROR_INVALID_SIGNAL);
  good.completion_signal = done;
  good.src_agent.handle = 5;
  ck_assert_hsa(hsa_amd_memory_async_batch_copy(&good, 1, 0, NULL),
                HSA_STATUS_ERROR_INVALID_AGENT);
  usleep(2000);
  ck_assert(holds(to, PART, 0));
  ck_assert_int_eq(hsa_signal_load_relaxed(done), 2);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_batch_needs_no_signal)
{
  client c;
  client_open(&c);
  char *from = memory_make(&c, 2 * PART, 1), *to = memory_make(&c, 2 * PART, 0);
  hsa_agent_t agents[] = {c.device, c.device};
  void *targets[] = {to, to + PART};
  hsa_amd_memory_copy_op_t op =
      op_make(&c, HSA_AMD_MEMORY_COPY_OP_LINEAR_BROADCAST, (hsa_signal_t){0});
  op.num_entries = 2;
  op.src = from;
  op.dst_list = targets;
  op.dst_agent_list = agents;
  op.size = PART;
  ck_assert_done(hsa_amd_memory_async_batch_copy(&op, 1, 0, NULL));
  for (int i = 0; i < 2000 && !holds(to, 2 * PART, 1); i++)
    usleep(1000);
  ck_assert(holds(to, 2 * PART, 1));
  ck_assert_done(hsa_shut_down());
}
END_TEST

static hsa_amd_memory_copy_op_t list_make(const client *c, void **from,
                                          void **to, hsa_agent_t *agents,
                                          size_t *sizes,
                                          hsa_signal_t completion)
{
  hsa_amd_memory_copy_op_t op =
      op_make(c, HSA_AMD_MEMORY_COPY_OP_LINEAR, completion);
  op.num_entries = 2;
  op.src_list = from;
  op.dst_list = to;
  op.dst_agent_list = agents;
  op.size_list = sizes;
  return op;
}

/* Copies from the host have one engine: one after the other. */
START_TEST(entries_take_from_the_first_start_to_the_last_end)
{
  enum { SIZE = 1 << 20 };
  static char from[SIZE];
  hsa_amd_profiling_async_copy_time_t one, both;
  client c;
  client_open(&c);
  char *to = memory_make(&c, 2 * SIZE, 0);
  hsa_signal_t done = client_signal(1);
  void *sources[] = {from, from}, *targets[] = {to, to + SIZE};
  hsa_agent_t agents[] = {c.device, c.device};
  size_t sizes[] = {SIZE, SIZE};
  hsa_amd_memory_copy_op_t op =
      list_make(&c, sources, targets, agents, sizes, done);
  op.src_agent = c.host;
  ck_assert_done(hsa_amd_profiling_async_copy_enable(true));
  ck_assert_done(hsa_amd_memory_async_copy(to, c.device, from, c.host, SIZE, 0,
                                           NULL, done));
  client_wait_zero(done);
  ck_assert_done(hsa_amd_profiling_get_async_copy_time(done, &one));
  hsa_signal_store_relaxed(done, 1);
  ck_assert_done(hsa_amd_memory_async_batch_copy(&op, 1, 0, NULL));
  client_wait_zero(done);
  ck_assert_done(hsa_amd_profiling_get_async_copy_time(done, &both));
  ck_assert_uint_ge(both.end - both.start + 2, 2 * (one.end - one.start));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(an_entry_without_bytes_does_not_hold_the_others_up)
{
  client c;
  client_open(&c);
  char *from = memory_make(&c, PART, 1), *to = memory_make(&c, PART, 0);
  hsa_signal_t done = client_signal(1);
  void *sources[] = {from, from}, *targets[] = {to, to};
  hsa_agent_t agents[] = {c.device, c.device};
  size_t sizes[] = {0, PART};
  hsa_amd_memory_copy_op_t op =
      list_make(&c, sources, targets, agents, sizes, done);
  ck_assert_done(hsa_amd_memory_async_batch_copy(&op, 1, 0, NULL));
  client_wait_zero(done);
  ck_assert(holds(to, PART, 1));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_list_has_as_many_entries_as_its_number_says)
{
  enum { ENTRIES = 3000 };
  static void *sources[ENTRIES], *targets[ENTRIES];
  static hsa_agent_t agents[ENTRIES];
  static size_t sizes[ENTRIES];
  static uint16_t from[ENTRIES], to[ENTRIES];
  client c;
  client_open(&c);
  const hsa_signal_t done = client_signal(1);
  for (int i = 0; i < ENTRIES; i++) {
    from[i] = (uint16_t)(i + 1);
    sources[i] = &from[i];
    targets[i] = &to[i];
    agents[i] = c.device;
    sizes[i] = sizeof from[i];
  }
  hsa_amd_memory_copy_op_t op =
      list_make(&c, sources, targets, agents, sizes, done);
  op.num_entries = ENTRIES;
  op.src_agent = c.host;
  ck_assert_done(hsa_amd_memory_async_batch_copy(&op, 1, 0, NULL));
  client_wait_zero(done);
  ck_assert_mem_eq(from, to, sizeof from);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* Every fifth allocation of the device fails, from the `first` on. */
static void shortage_set(int first, int count)
{
  static char faults[1 << 18];
  size_t used = 0;
  for (int i = 0; i < count; i++)
    used += (size_t)snprintf(faults + used, sizeof faults - used,
                             "out-of-memory,0,%d,0,0,0;", first + 5 * i);
  ck_assert_uint_lt(used, sizeof faults);
  ck_assert_int_eq(setenv("AQUEDUCT_EXEC_FAULTS", faults, 1), 0);
}

/* Waits for each copy, so that none are in line. */
static int batches_refused(const client *c, const hsa_amd_memory_copy_op_t *op,
                           int count)
{
  static char from[1], to[1];
  const hsa_signal_t end = client_signal(1);
  int refused = 0;
  for (int i = 0; i < count; i++) {
    refused += hsa_amd_memory_async_batch_copy(op, 1, 0, NULL) ==
               HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    hsa_signal_store_relaxed(end, 1);
    while (hsa_amd_memory_async_copy(to, c->device, from, c->host, 1, 0, NULL,
                                     end) != HSA_STATUS_SUCCESS)
      ;
    client_wait_zero(end);
  }
  ck_assert_done(hsa_signal_destroy(end));
  return refused;
}

/* Two entries take two signals and two copies, the copy that is waited for is
 * the fifth. So from the second failure on, the last entry's copy fails. Lists
 * of the device may grow once, memory that is lost is lost in each round. */
START_TEST(a_batch_that_fails_midway_holds_no_memory)
{
  enum { FEW = 100, MANY = 2000, ROUNDS = 3, SPARE = 65536 /* bytes */ };
  client c;
  shortage_set(203, FEW + ROUNDS * MANY);
  client_open(&c);
  ck_assert_int_eq(unsetenv("AQUEDUCT_EXEC_FAULTS"), 0); /* of other tests */
  static char from[1], to[2];
  void *sources[] = {from, from}, *targets[] = {to, to + 1};
  hsa_agent_t agents[] = {c.device, c.device};
  size_t sizes[] = {1, 1};
  hsa_signal_t done = client_signal(1 << 30);
  hsa_amd_memory_copy_op_t op =
      list_make(&c, sources, targets, agents, sizes, done);
  op.src_agent = c.host;
  const int64_t left = (1 << 30) - FEW + batches_refused(&c, &op, FEW);
  while (hsa_signal_load_scacquire(done) != left)
    usleep(1000);
  size_t before = 0, after = SIZE_MAX;
  for (int round = 0; round < ROUNDS && after > before + SPARE; round++) {
    before = mallinfo2().uordblks;
    ck_assert_int_eq(batches_refused(&c, &op, MANY), MANY);
    for (int i = 0; i < 5000 && mallinfo2().uordblks > before + SPARE; i++)
      usleep(1000);
    after = mallinfo2().uordblks;
  }
  ck_assert_uint_le(after, before + SPARE);
  ck_assert_int_eq(hsa_signal_load_scacquire(done), left);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* Batches that wait for a signal that stays. */
static void batches_leave(int count)
{
  enum { ENTRIES = 1000 };
  static void *sources[ENTRIES], *targets[ENTRIES];
  static hsa_agent_t agents[ENTRIES];
  static size_t sizes[ENTRIES];
  static char from, to;
  client c;
  client_open(&c);
  const hsa_signal_t gate = client_signal(1);
  for (int i = 0; i < ENTRIES; i++) {
    sources[i] = &from;
    targets[i] = &to;
    agents[i] = c.device;
    sizes[i] = 1;
  }
  hsa_amd_memory_copy_op_t op =
      list_make(&c, sources, targets, agents, sizes, (hsa_signal_t){0});
  op.num_entries = ENTRIES;
  op.src_agent = c.host;
  for (int i = 0; i < count; i++)
    ck_assert_done(hsa_amd_memory_async_batch_copy(&op, 1, 1, &gate));
  ck_assert_done(hsa_shut_down());
}

START_TEST(batches_under_way_end_with_the_runtime)
{
  enum { OPENED = 20, BATCH = 32000 /* bytes, at least */ };
  batches_leave(10);
  const size_t before = mallinfo2().uordblks;
  for (int i = 0; i < OPENED; i++)
    batches_leave(10);
  ck_assert_uint_le(mallinfo2().uordblks, before + OPENED * 10 * BATCH / 2);
}
END_TEST

/* ---- queues ---- */

_Static_assert(sizeof(hsa_amd_queue_create_desc_t) == 96,
               "a queue's descriptor");
_Static_assert(offsetof(hsa_amd_queue_create_desc_t, queue) == 32, "queue");
_Static_assert(offsetof(hsa_amd_queue_create_desc_t, compute) == 40, "engine");
_Static_assert(offsetof(hsa_amd_queue_create_desc_t, traffic_class) == 72,
               "class");

static hsa_amd_queue_create_desc_t desc_make(void)
{
  return (hsa_amd_queue_create_desc_t){
      .version = 1,
      .engine = HSA_AMD_QUEUE_ENGINE_COMPUTE,
      .size = 64 * sizeof(aq_packet),
      .priority = HSA_AMD_QUEUE_PRIORITY_NORMAL,
      .compute = {.type = HSA_QUEUE_TYPE_MULTI,
                  .private_segment_size = UINT32_MAX}};
}

START_TEST(each_descriptor_of_a_queue_stands_for_itself)
{
  client c;
  const uint32_t mask[] = {0xf};
  uint32_t got[1] = {0};
  client_open(&c);
  hsa_amd_queue_create_desc_t descs[] = {desc_make(), desc_make(), desc_make(),
                                         desc_make()};
  descs[0].priority = HSA_AMD_QUEUE_PRIORITY_HIGH;
  descs[1].engine = HSA_AMD_QUEUE_ENGINE_SDMA;
  descs[2].size += 1;
  descs[3].compute.cu_mask = mask;
  descs[3].compute.cu_mask_count = 32;
  ck_assert_hsa(hsa_amd_queue_create(c.device, descs, 4),
                HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  ck_assert_ptr_null(descs[1].queue);
  ck_assert_ptr_null(descs[2].queue);
  for (int i = 0; i < 4; i += 3) {
    ck_assert_uint_eq(descs[i].queue->size, 64);
    hsa_signal_t done = client_signal(1);
    client_submit(descs[i].queue,
                  &(aq_packet){.barrier.completion_signal = done},
                  AQ_PACKET_BARRIER_AND);
    client_wait_zero(done);
  }
  ck_assert_done(hsa_amd_queue_cu_get_mask(descs[3].queue, 32, got));
  ck_assert_uint_eq(got[0], 0xf);
  ck_assert_hsa(hsa_amd_queue_create(c.device, &descs[2], 1),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  descs[0].flags = 1; /* a ring in memory of the device */
  ck_assert_hsa(hsa_amd_queue_create(c.device, descs, 1),
                HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  ck_assert_hsa(hsa_amd_queue_create((hsa_agent_t){7}, descs, 1),
                HSA_STATUS_ERROR_INVALID_AGENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- memory ---- */

START_TEST(discarding_ranges_comes_after_what_it_waits_for)
{
  client c;
  client_open(&c);
  char *memory = memory_make(&c, 2 * PART, 3);
  void *ranges[] = {memory, memory + PART};
  size_t sizes[] = {PART, PART};
  hsa_signal_t gate = client_signal(1), done = client_signal(1);
  ck_assert_done(
      hsa_amd_svm_discard_batch_async(ranges, sizes, 2, 1, &gate, done));
  usleep(2000);
  ck_assert_int_eq(hsa_signal_load_relaxed(done), 1);
  hsa_signal_store_screlease(gate, 0);
  client_wait_zero(done);
  sizes[1] = 0;
  ck_assert_hsa(
      hsa_amd_svm_discard_batch_async(ranges, sizes, 2, 0, NULL, done),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(files_are_read_into_memory_of_a_device_and_written_from_it)
{
  client c;
  uint64_t copied = 0;
  int32_t error = 7;
  char host[PART];
  client_open(&c);
  char *memory = memory_make(&c, 2 * PART, 5);
  FILE *file = tmpfile();
  const hsa_amd_ais_file_handle_t handle = {.fd = fileno(file)};
  ck_assert_done(
      hsa_amd_ais_file_write(handle, memory, PART, 100, &copied, &error));
  ck_assert_uint_eq(copied, PART);
  ck_assert_int_eq(error, 0);
  memset(memory, 0, PART);
  ck_assert_done(hsa_amd_ais_file_read(handle, memory + 1, 2 * PART - 1, 0,
                                       &copied, NULL));
  ck_assert_uint_eq(copied, PART + 100);
  ck_assert(holds(memory, 101, 0) && holds(memory + 101, PART, 5));
  ck_assert_hsa(hsa_amd_ais_file_read(handle, host, PART, 0, &copied, &error),
                HSA_STATUS_ERROR);
  ck_assert_hsa(
      hsa_amd_ais_file_read(handle, memory, 2 * PART + 1, 0, &copied, &error),
      HSA_STATUS_ERROR);
  fclose(file);
  ck_assert_hsa(hsa_amd_ais_file_read(handle, memory, PART, 0, NULL, &error),
                HSA_STATUS_ERROR);
  ck_assert_int_lt(error, 0);
  ck_assert_hsa(hsa_amd_ais_file_read(handle, memory, 0, 0, NULL, NULL),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_buffer_of_another_library_is_as_large_as_expected)
{
  client c;
  int file;
  uint64_t offset;
  size_t size;
  void *mapped;
  client_open(&c);
  char *memory = memory_make(&c, PART, 3);
  ck_assert_done(hsa_amd_portable_export_dmabuf(memory, PART, &file, &offset));
  ck_assert_hsa(hsa_amd_interop_map_buffer_with_size(1, &c.device, file, 0,
                                                     2 * PART, &size, &mapped,
                                                     NULL, NULL),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_interop_map_buffer_with_size(
      1, &c.device, file, 0, PART, &size, &mapped, NULL, NULL));
  ck_assert_uint_eq(size, PART);
  ck_assert(holds(mapped, PART, 3));
  ck_assert_done(hsa_amd_interop_unmap_buffer(mapped));
  ck_assert_done(hsa_amd_portable_close_dmabuf(file));
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- images ---- */

START_TEST(an_image_of_one_level_is_as_ever_and_others_are_refused)
{
  client c;
  hsa_ext_image_data_info_t info, same;
  hsa_ext_image_t image;
  const hsa_ext_image_format_t format = {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
                                         HSA_EXT_IMAGE_CHANNEL_ORDER_R};
  const hsa_ext_image_descriptor_t one = {.geometry = HSA_EXT_IMAGE_GEOMETRY_2D,
                                          .width = 20,
                                          .height = 10,
                                          .format = format};
  hsa_ext_image_descriptor_v2_t d = {.geometry = HSA_EXT_IMAGE_GEOMETRY_2D,
                                     .width = 20,
                                     .height = 10,
                                     .format = format,
                                     .mipmap_levels = 1};
  setenv("AQUEDUCT_DEVICE", "rx6900xt", 1);
  client_open(&c);
  unsetenv("AQUEDUCT_DEVICE");
  ck_assert_done(hsa_ext_image_data_get_info(c.device, &one,
                                             HSA_ACCESS_PERMISSION_RW, &same));
  ck_assert_done(hsa_ext_image_data_get_info_v2(
      c.device, &d, HSA_ACCESS_PERMISSION_RW, &info));
  ck_assert_uint_eq(info.size, same.size);
  ck_assert_uint_eq(info.alignment, same.alignment);
  char *memory = memory_make(&c, info.size, 0);
  ck_assert_done(hsa_ext_image_create_v2(c.device, &d, memory,
                                         HSA_ACCESS_PERMISSION_RW, &image));
  ck_assert_done(hsa_ext_image_destroy_v2(c.device, image));
  ck_assert_hsa(hsa_ext_image_destroy(c.device, image),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  d.mipmap_levels = 3;
  ck_assert_hsa(hsa_ext_image_create_v2(c.device, &d, memory,
                                        HSA_ACCESS_PERMISSION_RW, &image),
                HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
  ck_assert_hsa(hsa_ext_image_data_get_info_v2(c.device, &d,
                                               HSA_ACCESS_PERMISSION_RW, &info),
                HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- attributes ---- */

START_TEST(the_pci_address_of_a_device_is_none_of_the_host)
{
  client c;
  uint32_t domain = 0, bdf = 0;
  char path[64];
  client_open(&c);
  ck_assert_done(
      hsa_agent_get_info(c.host, HSA_AMD_AGENT_INFO_DOMAIN, &domain));
  ck_assert_uint_eq(domain, 0);
  ck_assert_done(
      hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_DOMAIN, &domain));
  ck_assert_done(hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_BDFID, &bdf));
  ck_assert_uint_ne(domain, 0);
  ck_assert_uint_le(domain, 0xffff);
  snprintf(path, sizeof path, "/sys/bus/pci/devices/%04x:%02x:%02x.%x", domain,
           bdf >> 8 & 0xff, bdf >> 3 & 0x1f, bdf & 7);
  ck_assert_int_ne(access(path, F_OK), 0);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(newer_attributes_of_agents_are_answered)
{
  client c;
  bool yes = true;
  uint64_t luid = 1;
  client_open(&c);
  ck_assert_done(
      hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_PM4_EMULATION, &yes));
  ck_assert(!yes);
  yes = true;
  ck_assert_done(hsa_agent_get_info(
      c.device, HSA_AMD_AGENT_INFO_HAS_EXPERT_SCHED_MODE, &yes));
  ck_assert(!yes);
  ck_assert_done(hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_LUID, &luid));
  ck_assert_uint_eq(luid, 0);
  uint64_t groups = 0, dim[3] = {0, 0, 0};
  ck_assert_done(hsa_agent_get_info(
      c.device, HSA_AMD_AGENT_INFO_CLUSTER_MAX_SIZE, &groups));
  ck_assert_uint_eq(groups, 1);
  ck_assert_done(
      hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_CLUSTER_MAX_DIM, dim));
  ck_assert(dim[0] == 1 && dim[1] == 1 && dim[2] == 1);
  ck_assert_done(
      hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_KERNEL_WG_MAX_DIM, dim));
  ck_assert(dim[0] == INT32_MAX && dim[1] == 65535 && dim[2] == 65535);
  ck_assert_done(hsa_agent_get_info(
      c.device, HSA_AMD_AGENT_INFO_KERNEL_WG_MAX_SIZE, &groups));
  ck_assert_uint_eq(groups, UINT64_C(0x7fffffff) * 65535 * 65535);
  ck_assert_hsa(hsa_agent_get_info(c.device, 0xa1ff, &luid),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(attributes_of_2026_are_answered_for_host_and_device)
{
  client c;
  client_open(&c);
  const hsa_agent_t agents[] = {c.host, c.device};
  for (int i = 0; i < 2; i++) {
    uint32_t regions = 1;
    bool exported = false;
    uint8_t cuid[17];
    memset(cuid, 0x55, sizeof cuid);
    ck_assert_done(hsa_agent_get_info(
        agents[i], HSA_AMD_AGENT_INFO_MAX_DATA_PREFETCH_REGIONS, &regions));
    ck_assert_uint_eq(regions, 0);
    ck_assert_done(hsa_agent_get_info(
        agents[i], HSA_AMD_AGENT_INFO_HOST_ALLOC_DMABUF_SUPPORTED, &exported));
    ck_assert(exported);
    ck_assert_done(
        hsa_agent_get_info(agents[i], HSA_AMD_AGENT_INFO_CUID, cuid));
    for (int j = 0; j < 16; j++)
      ck_assert_uint_eq(cuid[j], 0);
    ck_assert_uint_eq(cuid[16], 0x55);
  }
  bool fabric = true;
  ck_assert_done(hsa_system_get_info(
      HSA_AMD_SYSTEM_INFO_FABRIC_HANDLES_SUPPORTED, &fabric));
  ck_assert(!fabric);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(devices_alone_can_be_preloaded)
{
  client c;
  client_open(&c);
  ck_assert_done(hsa_amd_agent_preload(c.device, 0));
  ck_assert_done(hsa_amd_agent_preload(c.device, 3));
  ck_assert_hsa(hsa_amd_agent_preload(c.host, 0),
                HSA_STATUS_ERROR_INVALID_AGENT);
  ck_assert_hsa(hsa_amd_agent_preload((hsa_agent_t){1}, 0),
                HSA_STATUS_ERROR_INVALID_AGENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(newer_attributes_of_queues_are_answered)
{
  enum {
    FIRST = HSA_AMD_QUEUE_INFO_PREFETCH_METADATA_DISPATCH_PKT_VERSION_MAJOR,
    LAST = HSA_AMD_QUEUE_INFO_PREFETCH_METADATA_BARRIER_PKT_VERSION_MINOR
  };
  client c;
  uint32_t one = 0, other = 0, uses = 0;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64), *second = client_queue(&c, 64);
  ck_assert_done(
      hsa_amd_queue_get_info(queue, HSA_QUEUE_INFO_USE_COUNT, &uses));
  ck_assert_uint_eq(uses, UINT32_MAX);
  ck_assert_done(hsa_amd_queue_get_info(queue, HSA_QUEUE_INFO_HW_ID, &one));
  ck_assert_done(hsa_amd_queue_get_info(second, HSA_QUEUE_INFO_HW_ID, &other));
  ck_assert_uint_eq(one, queue->id);
  ck_assert_uint_ne(one, other);
  for (uint32_t attribute = FIRST; attribute <= LAST; attribute++) {
    uint8_t version = 0;
    ck_assert_done(hsa_amd_queue_get_info(queue, attribute, &version));
    ck_assert_uint_eq(version, 0xff);
  }
  uint64_t ring = 1, properties = 1;
  ck_assert_done(hsa_amd_queue_get_info(
      queue, HSA_AMD_QUEUE_INFO_PREFETCH_METADATA_RING_BUFFER, &ring));
  ck_assert_done(hsa_amd_queue_get_info(queue, HSA_AMD_QUEUE_INFO_PROPERTIES,
                                        &properties));
  ck_assert(!ring && !properties);
  const client_fault fault = client_queue_fault(queue);
  ck_assert(!fault.faulted && !fault.address && !fault.reasons);
  ck_assert_hsa(hsa_amd_queue_get_info(
                    queue, HSA_AMD_QUEUE_INFO_VM_FAULT_REASON + 1, &uses),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_signal_has_no_event)
{
  client c;
  hsa_signal_t signal;
  uint32_t event = 1;
  client_open(&c);
  ck_assert_done(hsa_signal_create(1, 0, NULL, &signal));
  ck_assert_done(hsa_amd_signal_get_event_id(signal, &event));
  ck_assert_uint_eq(event, 0);
  ck_assert_hsa(hsa_amd_signal_get_event_id(signal, NULL),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_signal_get_event_id((hsa_signal_t){0}, &event),
                HSA_STATUS_ERROR_INVALID_SIGNAL);
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/newer", a_batch_copies_one_several_and_to_several,
             a_batch_with_an_operation_that_is_not_served_copies_nothing,
             a_batch_needs_no_signal,
             entries_take_from_the_first_start_to_the_last_end,
             an_entry_without_bytes_does_not_hold_the_others_up,
             a_list_has_as_many_entries_as_its_number_says,
             a_batch_that_fails_midway_holds_no_memory,
             batches_under_way_end_with_the_runtime,
             each_descriptor_of_a_queue_stands_for_itself,
             discarding_ranges_comes_after_what_it_waits_for,
             files_are_read_into_memory_of_a_device_and_written_from_it,
             a_buffer_of_another_library_is_as_large_as_expected,
             an_image_of_one_level_is_as_ever_and_others_are_refused,
             newer_attributes_of_agents_are_answered,
             attributes_of_2026_are_answered_for_host_and_device,
             devices_alone_can_be_preloaded,
             newer_attributes_of_queues_are_answered, a_signal_has_no_event,
             the_pci_address_of_a_device_is_none_of_the_host)
