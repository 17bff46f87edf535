/* SPDX-License-Identifier: MIT */
/* Queues of the driver, on the core itself: packets, errors, changes, ends. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/allocations.h"
#include "common/transport.h"
#include "dropin/kfd/client.h"
#include "gpu/codeobj/code_object.h"

START_TEST(a_kernel_that_nobody_registered_runs_and_interrupts)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  client_queue queue = client_queue_create(&c);
  const uint64_t object =
      client_kernel(&text, client_store_42, CLIENT_STORE_WORDS);
  aq_amd_signal *signal = client_signal(&c, &data, 1024, event);
  uint64_t *argument = (void *)(data.at + 64);
  *argument = (uintptr_t)data.at;
  queue.abi->properties = 1 << 3; /* profiling */
  client_dispatch(&queue, object, argument, signal);
  ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE), 0);
  ck_assert_int_eq(*(int *)(void *)data.at, 42);
  ck_assert_uint_gt(signal->end_ts, signal->start_ts);
  ck_assert_str_eq(c.lines, "");
  aqkfd_destroy_queue_args gone = {queue.id, 0};
  ck_assert_int_eq(CALL(&c, 0x03, &gone), 0);
  ck_assert_int_eq(CALL(&c, 0x03, &gone), -EINVAL);
  client_close(&c);
}
END_TEST

START_TEST(a_kernel_is_read_anew_when_its_memory_was_unmapped)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  client_queue queue = client_queue_create(&c);
  uint32_t other[CLIENT_STORE_WORDS];
  uint64_t *argument = (void *)(data.at + 64);
  *argument = (uintptr_t)data.at;
  memcpy(other, client_store_42, sizeof other);
  for (uint32_t value = 42; value < 44; value++) {
    other[4] = 0x7e020280 + value;
    client_dispatch(&queue, client_kernel(&text, other, CLIENT_STORE_WORDS),
                    argument, client_signal(&c, &data, 1024, event));
    ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
    ck_assert_uint_eq(*(uint32_t *)(void *)data.at, value);
    ck_assert_int_eq(client_map(&c, text.handle, false), 0);
    ck_assert_int_eq(client_map(&c, text.handle, true), 0);
  }
  /* Now its code would lie where no code is: it is no kernel any more. */
  aq_amd_signal *inactive = client_signal(&c, &data, 2048, event);
  queue.abi->inactive_signal.handle = (uintptr_t)inactive;
  ((aq_kernel_descriptor *)(void *)text.at)->entry_offset = 1 << 30;
  client_dispatch(&queue, (uintptr_t)text.at, argument, NULL);
  ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(inactive->value, 8);
  client_close(&c);
}
END_TEST

START_TEST(a_fault_is_the_memory_event_with_address_and_kind)
{
  client c;
  aqkfd_event_data fault = {.age = 0};
  client_open(&c, "mi210", NULL);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_MEMORY, true);
  client_queue queue = client_queue_create(&c);
  uint64_t *argument = (void *)(data.at + 64);
  *argument = 0x123456008;
  client_dispatch(&queue,
                  client_kernel(&text, client_store_42, CLIENT_STORE_WORDS),
                  argument, NULL);
  ck_assert_int_eq(client_wait(&c, event, 20000, &fault), AQKFD_WAIT_COMPLETE);
  ck_assert_uint_eq(fault.memory.va, 0x123456000);
  ck_assert_uint_eq(fault.memory.gpu_id, 2);
  ck_assert_uint_eq(fault.memory.not_present, 1);
  ck_assert_uint_eq(fault.memory.read_only, 0);
  ck_assert(client_was_told(&c, "writes 0x123456008"));
  client_close(&c);
}
END_TEST

/* The client unmaps `at` for itself, as munmap does below a door. */
static void unmap(client *c, void *at, size_t size)
{
  aqkfd_unmapping(c->process, (uintptr_t)at, size);
  ck_assert_int_eq(munmap(at, size), 0);
}

START_TEST(a_queue_whose_memory_is_unmapped_ends_with_a_memory_fault)
{
  for (int part = 0; part < 2; part++) {
    client c;
    aqkfd_event_data fault = {.age = 0};
    client_open(&c, "mi210", NULL);
    const uint32_t event = client_event(&c, AQKFD_EVENT_MEMORY, true);
    client_queue queue = client_queue_create(&c),
                 other = client_queue_create(&c);
    const client_block data = client_allocate(&c, 4096, CLIENT_PLAIN);
    char *at = part ? (char *)queue.abi : (char *)queue.packets;
    unmap(&c, at, 4096);
    __atomic_store_n(queue.doorbell, 0, __ATOMIC_RELEASE);
    ck_assert_int_eq(client_wait(&c, event, 20000, &fault),
                     AQKFD_WAIT_COMPLETE);
    ck_assert_uint_eq(fault.memory.va, (uintptr_t)at);
    ck_assert_uint_eq(fault.memory.not_present, 1);
    ck_assert(client_was_told(&c, part ? "its read index" : "its ring"));
    /* It stays until it is destroyed, and nothing happens to it. */
    aqkfd_update_queue_args update = {
        .ring_base_address = (uintptr_t)queue.packets,
        .ring_size = CLIENT_PACKETS * AQ_PACKET_SIZE,
        .queue_id = queue.id,
        .queue_percentage = 100,
        .queue_priority = 7};
    ck_assert_int_eq(CALL(&c, 0x07, &update), part ? -EIO : -EFAULT);
    update.ring_base_address = 0;
    ck_assert_int_eq(CALL(&c, 0x07, &update), -EIO);
    aqkfd_destroy_queue_args gone = {queue.id, 0};
    ck_assert_int_eq(CALL(&c, 0x03, &gone), 0);
    /* Another queue works on. */
    const uint32_t reported = client_event(&c, AQKFD_EVENT_SIGNAL, true);
    other.abi->inactive_signal.handle =
        (uintptr_t)client_signal(&c, &data, 1024, reported);
    client_dispatch(&other, 4096, NULL, NULL); /* there is no kernel */
    ck_assert_int_eq(client_wait(&c, reported, 20000, NULL),
                     AQKFD_WAIT_COMPLETE);
    client_close(&c);
  }
}
END_TEST

START_TEST(a_queue_whose_ring_the_client_took_away_outlives_its_memory)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN),
                     ring = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t fault = client_event(&c, AQKFD_EVENT_MEMORY, true),
                 event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  client_queue queue = client_queue_create(&c);
  uint64_t *argument = (void *)(data.at + 64);
  aqkfd_update_queue_args update = {
      .queue_id = queue.id, .queue_percentage = 100, .queue_priority = 7};
  ck_assert_int_eq(CALL(&c, 0x07, &update), 0);
  unmap(&c, queue.packets, 4096);
  ck_assert_int_eq(client_wait(&c, fault, 0, NULL), AQKFD_WAIT_TIMEOUT);
  queue.packets = (void *)ring.at;
  for (unsigned i = 0; i < CLIENT_PACKETS; i++)
    queue.packets[i].header = AQ_PACKET_INVALID;
  update.ring_base_address = (uintptr_t)ring.at;
  update.ring_size = CLIENT_PACKETS * AQ_PACKET_SIZE;
  ck_assert_int_eq(CALL(&c, 0x07, &update), 0);
  *argument = (uintptr_t)data.at;
  client_dispatch(&queue,
                  client_kernel(&text, client_store_42, CLIENT_STORE_WORDS),
                  argument, client_signal(&c, &data, 1024, event));
  ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  unmap(&c, queue.packets, 4096); /* with its ring it ends */
  ck_assert_int_eq(client_wait(&c, fault, 0, NULL), AQKFD_WAIT_COMPLETE);
  client_close(&c);
}
END_TEST

START_TEST(a_queue_whose_ring_leaves_the_device_ends_with_a_memory_fault)
{
  client c;
  aqkfd_event_data fault = {.age = 0};
  client_open(&c, "mi210", NULL);
  const client_block block = client_allocate(&c, 3 * 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_MEMORY, true);
  aqkfd_create_queue_args args = {
      .ring_base_address = (uintptr_t)block.at,
      .ring_size = 4096,
      .gpu_id = 2,
      .queue_type = AQKFD_QUEUE_AQL,
      .queue_percentage = 100,
      .queue_priority = 7,
      .read_pointer_address = (uintptr_t)block.at + 8192,
      .write_pointer_address = (uintptr_t)block.at + 8200};
  ck_assert_int_eq(CALL(&c, 0x02, &args), 0);
  ck_assert_int_eq(client_map(&c, block.handle, false), 0);
  ck_assert_int_eq(client_wait(&c, event, 20000, &fault), AQKFD_WAIT_COMPLETE);
  ck_assert_uint_eq(fault.memory.va, (uintptr_t)block.at);
  client_close(&c);
}
END_TEST

typedef struct updater {
  client *c;
  aqkfd_update_queue_args args;
  int result;
} updater;

static void *updater_run(void *user)
{
  updater *u = user;
  u->result = CALL(u->c, 0x07, &u->args);
  return NULL;
}

typedef struct unmapper {
  client *c;
  char *at;
} unmapper;

static void *unmapper_run(void *user)
{
  const unmapper *u = user;
  unmap(u->c, u->at, 3 * 4096);
  return NULL;
}

/* A queue in plain memory, and memory that devices have at another address. The
 * processor looks at the queue all the time, so its unmapping waits. */
START_TEST(what_is_unmapped_while_another_thread_calls_goes_too)
{
  client c;
  pthread_t threads[2];
  client_open(&c, "mi210", NULL);
  const uint32_t event = client_event(&c, AQKFD_EVENT_MEMORY, true);
  char *at = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *user = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *va = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  aqkfd_create_queue_args args = {.ring_base_address = (uintptr_t)at,
                                  .ring_size = 4096,
                                  .gpu_id = 2,
                                  .queue_type = AQKFD_QUEUE_AQL,
                                  .queue_percentage = 100,
                                  .queue_priority = 7,
                                  .read_pointer_address = (uintptr_t)at + 8192,
                                  .write_pointer_address =
                                      (uintptr_t)at + 8200};
  ck_assert_int_eq(CALL(&c, 0x02, &args), 0);
  aqkfd_alloc_memory_of_gpu_args memory = {.va_addr = (uintptr_t)va,
                                           .size = 4096,
                                           .gpu_id = 2,
                                           .mmap_offset = (uintptr_t)user,
                                           .flags = AQKFD_MEMORY_USERPTR};
  ck_assert_int_eq(CALL(&c, 0x16, &memory), 0);
  ck_assert_int_eq(client_map(&c, memory.handle, true), 0);
  client_queue other = client_queue_create(&c);
  updater u = {&c,
               {.ring_base_address = (uintptr_t)other.packets,
                .ring_size = 2048, /* another size: a line, in the call */
                .queue_id = other.id,
                .queue_percentage = 100},
               0};
  unmapper of_queue = {&c, at};
  const size_t noted = strlen(c.memory);
  pthread_mutex_lock(&c.hold);
  pthread_create(&threads[0], NULL, updater_run, &u);
  for (int i = 0; i < 10000 && !__atomic_load_n(&c.held, __ATOMIC_ACQUIRE); i++)
    usleep(1000);
  ck_assert(__atomic_load_n(&c.held, __ATOMIC_ACQUIRE));
  pthread_create(&threads[1], NULL, unmapper_run, &of_queue);
  unmap(&c, user, 4096);
  usleep(50000);
  pthread_mutex_unlock(&c.hold);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  ck_assert_int_eq(u.result, -EINVAL);
  ck_assert(client_was_told(&c, "its ring"));
  ck_assert_str_eq(c.memory + noted, "g");
  ck_assert_int_eq(client_wait(&c, event, 0, NULL), AQKFD_WAIT_COMPLETE);
  client_close(&c);
}
END_TEST

START_TEST(a_signal_whose_page_is_unmapped_is_a_memory_fault)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN),
                     page = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_MEMORY, true);
  client_queue queue = client_queue_create(&c);
  uint64_t *argument = (void *)(data.at + 64);
  *argument = (uintptr_t)data.at;
  aq_amd_signal *signal = client_signal(&c, &page, 0, 0);
  unmap(&c, page.at, page.size);
  client_dispatch(&queue,
                  client_kernel(&text, client_store_42, CLIENT_STORE_WORDS),
                  argument, signal);
  ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  client_close(&c);
}
END_TEST

/* As the pages of a buffer object are the device's, too. */
START_TEST(kernels_keep_a_block_that_the_client_unmapped_for_itself)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN),
                     kernargs = client_allocate(&c, 4096, CLIENT_PLAIN),
                     signals = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  client_queue queue = client_queue_create(&c);
  uint64_t *argument = (void *)kernargs.at;
  *argument = (uintptr_t)data.at;
  unmap(&c, data.at, data.size);
  unmap(&c, kernargs.at, kernargs.size);
  client_dispatch(&queue,
                  client_kernel(&text, client_store_42, CLIENT_STORE_WORDS),
                  argument, client_signal(&c, &signals, 0, event));
  ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_str_eq(c.lines, "");
  client_close(&c);
}
END_TEST

START_TEST(a_bad_packet_is_the_value_of_the_inactive_signal)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block data = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  client_queue queue = client_queue_create(&c);
  aq_amd_signal *inactive = client_signal(&c, &data, 1024, event);
  queue.abi->inactive_signal.handle = (uintptr_t)inactive;
  client_dispatch(&queue, 4096, NULL, NULL); /* there is no kernel */
  ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(inactive->value, 8);
  ck_assert(client_was_told(&c, "is not a kernel"));
  client_close(&c);
}
END_TEST

/* queues_max of a device model is a promise of runtimes, which have queues of
 * their own besides. */
START_TEST(a_process_has_more_queues_than_a_runtime_promises)
{
  client c;
  client_open(&c, "mi210", NULL);
  for (uint32_t i = 0; i < 128 + 8; i++)
    ck_assert_uint_eq(client_queue_create(&c).id, i);
  client_close(&c);
}
END_TEST

START_TEST(queues_of_pm4_or_of_no_type_and_bad_rings_are_refused)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block block = client_allocate(&c, 3 * 4096, CLIENT_PLAIN);
  const aqkfd_create_queue_args good = {
      .ring_base_address = (uintptr_t)block.at,
      .ring_size = 4096,
      .gpu_id = 2,
      .queue_type = AQKFD_QUEUE_AQL,
      .queue_percentage = 100,
      .read_pointer_address = (uintptr_t)block.at + 8192,
      .write_pointer_address = (uintptr_t)block.at + 8200};
  aqkfd_create_queue_args args = good;
  args.queue_type = AQKFD_QUEUE_COMPUTE;
  ck_assert_int_eq(CALL(&c, 0x02, &args), -EINVAL);
  args.queue_type = AQKFD_QUEUE_SDMA_XGMI + 1;
  ck_assert_int_eq(CALL(&c, 0x02, &args), -EINVAL);
  args = good;
  for (uint32_t size = 0; size < 4096; size = size * 3 + 32) {
    args.ring_size = size == 32 ? 4096 + 32 : size;
    ck_assert_int_eq(CALL(&c, 0x02, &args), -EINVAL);
  }
  args = good;
  args.ring_base_address = 64;
  ck_assert_int_eq(CALL(&c, 0x02, &args), -EFAULT);
  args = good;
  args.gpu_id = 9;
  ck_assert_int_eq(CALL(&c, 0x02, &args), -EINVAL);
  args = good; /* indices of its own, not of an amd_queue_t */
  ck_assert_int_eq(CALL(&c, 0x02, &args), 0);
  client_close(&c);
}
END_TEST

/* ---- changes ---- */

/* gfx9: counts up where its argument points, for ever. */
static const uint32_t count_up[] = {
    0xc0060080, 0x00000000, /* s_load_dwordx2 s[2:3], s[0:1], 0x0 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0x7e000280,             /* v_mov_b32 v0, 0 */
    0x7e020280,             /* v_mov_b32 v1, 0 */
    0x68020281,             /* v_add_u32 v1, 1, v1 */
    0xdc708000, 0x00020100, /* global_store_dword v0, v1, s[2:3] */
    0xbf82fffc,             /* s_branch to the addition */
};

static uint32_t word_load(const void *at)
{
  return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

/* Whether a word changes within some seconds. */
static bool word_moves(const void *at)
{
  const uint32_t before = word_load(at);
  for (int i = 0; i < 10000 && word_load(at) == before; i++)
    usleep(1000);
  return word_load(at) != before;
}

static int queue_update(client *c, const client_queue *queue,
                        uint32_t percentage)
{
  aqkfd_update_queue_args args = {.ring_base_address =
                                      (uintptr_t)queue->packets,
                                  .queue_id = queue->id,
                                  .ring_size = CLIENT_PACKETS * AQ_PACKET_SIZE,
                                  .queue_percentage = percentage,
                                  .queue_priority = 7};
  return CALL(c, 0x07, &args);
}

START_TEST(a_queue_without_a_share_rests_and_goes_on)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN);
  client_queue queue = client_queue_create(&c);
  uint64_t *argument = (void *)(data.at + 64);
  *argument = (uintptr_t)data.at;
  client_dispatch(
      &queue,
      client_kernel(&text, count_up, sizeof count_up / sizeof *count_up),
      argument, NULL);
  ck_assert(word_moves(data.at));
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(queue_update(&c, &queue, 0), 0);
    /* No wave runs when the call returns. */
    const uint32_t at_rest = word_load(data.at);
    usleep(30000);
    ck_assert_uint_eq(word_load(data.at), at_rest);
    ck_assert_int_eq(queue_update(&c, &queue, 0), 0); /* twice is no error */
    ck_assert_int_eq(queue_update(&c, &queue, 100), 0);
    ck_assert(word_moves(data.at));
  }
  client_close(&c);
}
END_TEST

START_TEST(packets_of_a_queue_at_rest_run_when_it_goes_on)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  const uint64_t object =
      client_kernel(&text, client_store_42, CLIENT_STORE_WORDS);
  client_queue queue = client_queue_create(&c);
  uint64_t *argument = (void *)(data.at + 64);
  *argument = (uintptr_t)data.at;
  ck_assert_int_eq(queue_update(&c, &queue, 0), 0);
  client_dispatch(&queue, object, argument,
                  client_signal(&c, &data, 1024, event));
  ck_assert_int_eq(client_wait(&c, event, 50, NULL), AQKFD_WAIT_TIMEOUT);
  ck_assert_int_eq(*(int *)(void *)data.at, 0);
  ck_assert_int_eq(queue_update(&c, &queue, 100), 0);
  ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(*(int *)(void *)data.at, 42);
  client_close(&c);
}
END_TEST

/* The processor publishes its read index behind the packet's completion. */
static void read_index_becomes(const client_queue *queue, uint64_t wanted)
{
  const uint64_t *index = &queue->abi->read_dispatch_id;
  for (int ms = 0; ms < 5000; ms++) {
    if (__atomic_load_n(index, __ATOMIC_ACQUIRE) == wanted)
      break;
    usleep(1000);
  }
  ck_assert_uint_eq(__atomic_load_n(index, __ATOMIC_ACQUIRE), wanted);
}

START_TEST(an_update_is_checked_and_moves_an_empty_ring)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN),
                     other = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  const uint64_t object =
      client_kernel(&text, client_store_42, CLIENT_STORE_WORDS);
  client_queue queue = client_queue_create(&c);
  uint64_t *argument = (void *)(data.at + 64);
  *argument = (uintptr_t)data.at;
  const aqkfd_update_queue_args good = {
      .ring_base_address = (uintptr_t)other.at,
      .queue_id = queue.id,
      .ring_size = CLIENT_PACKETS * AQ_PACKET_SIZE,
      .queue_percentage = 100};
  aqkfd_update_queue_args args = good;
  args.ring_size = CLIENT_PACKETS * AQ_PACKET_SIZE - 64;
  ck_assert_int_eq(CALL(&c, 0x07, &args), -EINVAL);
  args.ring_size = CLIENT_PACKETS * AQ_PACKET_SIZE / 2; /* the size stays */
  ck_assert_int_eq(CALL(&c, 0x07, &args), -EINVAL);
  args = good;
  args.ring_base_address = 64;
  ck_assert_int_eq(CALL(&c, 0x07, &args), -EFAULT);
  args = good;
  args.queue_percentage = 101;
  ck_assert_int_eq(CALL(&c, 0x07, &args), -EINVAL);
  args = good;
  args.queue_priority = 16;
  ck_assert_int_eq(CALL(&c, 0x07, &args), -EINVAL);
  args = good;
  args.queue_id = 77;
  ck_assert_int_eq(CALL(&c, 0x07, &args), -EFAULT);
  /* A ring with a packet stays; without a ring the queue rests. */
  args = good;
  args.ring_base_address = 0;
  args.ring_size = 0;
  ck_assert_int_eq(CALL(&c, 0x07, &args), 0);
  client_dispatch(&queue, object, argument,
                  client_signal(&c, &data, 1024, event));
  ck_assert_int_eq(client_wait(&c, event, 50, NULL), AQKFD_WAIT_TIMEOUT);
  args = good;
  ck_assert_int_eq(CALL(&c, 0x07, &args), -EBUSY);
  ck_assert_int_eq(queue_update(&c, &queue, 100), 0);
  ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  /* The next packet lies in the other ring. */
  queue.packets = (void *)other.at;
  for (unsigned i = 0; i < CLIENT_PACKETS; i++)
    queue.packets[i].header = AQ_PACKET_INVALID;
  ck_assert_int_eq(CALL(&c, 0x07, &args), 0);
  *(int *)(void *)data.at = 0;
  client_dispatch(&queue, object, argument,
                  client_signal(&c, &data, 2048, event));
  ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(*(int *)(void *)data.at, 42);
  read_index_becomes(&queue, 2);
  client_close(&c);
}
END_TEST

START_TEST(the_read_index_is_the_processors_whatever_a_client_stores)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  const uint64_t object =
      client_kernel(&text, client_store_42, CLIENT_STORE_WORDS);
  client_queue queue = client_queue_create(&c);
  uint64_t *argument = (void *)(data.at + 64);
  *argument = (uintptr_t)data.at;
  for (uint64_t i = 0; i < 3; i++) {
    client_dispatch(&queue, object, argument,
                    client_signal(&c, &data, 1024, event));
    ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
    read_index_becomes(&queue, i + 1);
    queue.abi->read_dispatch_id = 1000;
  }
  client_close(&c);
}
END_TEST

/* ---- ends ---- */

typedef struct destroyer {
  client *c;
  uint32_t queue;
} destroyer;

static void *destroyer_run(void *user)
{
  destroyer *d = user;
  aqkfd_destroy_queue_args gone = {d->queue, 0};
  ck_assert_int_eq(CALL(d->c, 0x03, &gone), 0);
  return NULL;
}

START_TEST(a_late_report_does_not_reach_the_next_queue)
{
  client c;
  pthread_t thread;
  client_open(&c, "mi210", NULL);
  const client_block data = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  client_queue queue = client_queue_create(&c);
  queue.abi->inactive_signal.handle =
      (uintptr_t)client_signal(&c, &data, 1024, event);
  pthread_mutex_lock(&c.hold);
  client_dispatch(&queue, 4096, NULL, NULL); /* there is no kernel */
  for (int i = 0; i < 10000 && !__atomic_load_n(&c.held, __ATOMIC_ACQUIRE); i++)
    usleep(1000);
  ck_assert(__atomic_load_n(&c.held, __ATOMIC_ACQUIRE));
  /* The report waits for a lock: the call gives up after a second. */
  destroyer d = {&c, queue.id};
  pthread_create(&thread, NULL, destroyer_run, &d);
  pthread_join(thread, NULL);
  client_queue next = client_queue_create(&c);
  aq_amd_signal *inactive = client_signal(&c, &data, 2048, event);
  next.abi->inactive_signal.handle = (uintptr_t)inactive;
  pthread_mutex_unlock(&c.hold);
  ck_assert_int_eq(client_wait(&c, event, 200, NULL), AQKFD_WAIT_TIMEOUT);
  ck_assert_int_eq(inactive->value, 1);
  ck_assert(client_was_told(&c, "is not a kernel"));
  client_close(&c);
}
END_TEST

static unsigned files_count(void)
{
  DIR *folder = opendir("/proc/self/fd");
  unsigned count = 0;
  while (readdir(folder))
    count++;
  closedir(folder);
  return count;
}

static void line_count(const char *text, void *user)
{
  *(unsigned *)user += strncmp(text, "queue ", 6) == 0;
}

static unsigned queues_count(client *c)
{
  aq_transport *t = aqkfd_transport(c->driver);
  unsigned count = 0;
  t->ops->inspect(t, line_count, &count);
  return count;
}

/* Mappings of a process's file in this process. */
static unsigned mappings_count(void)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  unsigned count = 0;
  while (fgets(line, sizeof line, maps))
    count += strstr(line, "aqueduct-driver") != NULL;
  fclose(maps);
  return count;
}

START_TEST(a_process_that_closes_with_work_leaves_nothing)
{
  enum { TIMES = 2 };
  client c;
  aq_diag diag = AQ_DIAG_INIT;
  client_open(&c, "mi210*2", NULL);
  aq_allocations *map = aq_wave_machine_executor(c.waves)->allocations;
  const unsigned files = files_count();
  const size_t allocations = aq_allocations_list(map, NULL, 0);
  const uint64_t all = client_available(&c);
  unsigned of_client = mappings_count();
  for (int i = 0; i < TIMES; i++) {
    const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                       data = client_allocate(&c, 4096, CLIENT_PLAIN);
    client_event(&c, AQKFD_EVENT_SIGNAL, true);
    client_event(&c, AQKFD_EVENT_MEMORY, false);
    client_queue queue = client_queue_create(&c);
    *(uint64_t *)(void *)(data.at + 64) = (uintptr_t)data.at;
    client_dispatch(
        &queue,
        client_kernel(&text, count_up, sizeof count_up / sizeof *count_up),
        data.at + 64, NULL);
    ck_assert(word_moves(data.at));
    of_client += 4; /* two blocks, the queue's, its doorbell */
    aqkfd_process_close(c.process);
    /* It runs no more, and nothing is published, open or mapped. */
    const uint32_t end = word_load(data.at);
    usleep(20000);
    ck_assert_uint_eq(word_load(data.at), end);
    ck_assert_uint_eq(queues_count(&c), 0);
    ck_assert_uint_eq(aq_allocations_list(map, NULL, 0), allocations);
    ck_assert_uint_eq(files_count(), files - 1);
    ck_assert_uint_eq(mappings_count(), of_client);
    ck_assert_status(aqkfd_process_open(c.driver, &c.process, &diag), AQ_OK,
                     &diag);
    ck_assert_uint_eq(client_available(&c), all);
  }
  client_close(&c);
}
END_TEST

START_TEST(the_next_process_begins_without_retries_of_faults)
{
  client c;
  aq_diag diag = AQ_DIAG_INIT;
  client_open(&c, "mi210", NULL);
  aq_allocations *map = aq_wave_machine_executor(c.waves)->allocations;
  aqkfd_set_xnack_mode_args mode = {1};
  ck_assert_int_eq(CALL(&c, 0x21, &mode), 0);
  ck_assert(aq_allocations_are_open(map));
  client_queue queue = client_queue_create(&c);
  ck_assert_int_eq(CALL(&c, 0x21, &mode), -EBUSY); /* also to the same */
  mode.xnack_enabled = -1;
  ck_assert_int_eq(CALL(&c, 0x21, &mode), 0);
  ck_assert_int_eq(mode.xnack_enabled, 1);
  (void)queue;
  aqkfd_process_close(c.process);
  ck_assert(!aq_allocations_are_open(map));
  ck_assert_status(aqkfd_process_open(c.driver, &c.process, &diag), AQ_OK,
                   &diag);
  ck_assert_int_eq((mode.xnack_enabled = -1, CALL(&c, 0x21, &mode)), 0);
  ck_assert_int_eq(mode.xnack_enabled, 0);
  client_close(&c);
}
END_TEST

AQ_TEST_MAIN("dropin/kfd/queues",
             a_kernel_that_nobody_registered_runs_and_interrupts,
             a_kernel_is_read_anew_when_its_memory_was_unmapped,
             a_fault_is_the_memory_event_with_address_and_kind,
             a_queue_whose_memory_is_unmapped_ends_with_a_memory_fault,
             a_queue_whose_ring_the_client_took_away_outlives_its_memory,
             a_queue_whose_ring_leaves_the_device_ends_with_a_memory_fault,
             what_is_unmapped_while_another_thread_calls_goes_too,
             a_signal_whose_page_is_unmapped_is_a_memory_fault,
             kernels_keep_a_block_that_the_client_unmapped_for_itself,
             a_bad_packet_is_the_value_of_the_inactive_signal,
             a_process_has_more_queues_than_a_runtime_promises,
             queues_of_pm4_or_of_no_type_and_bad_rings_are_refused,
             a_queue_without_a_share_rests_and_goes_on,
             packets_of_a_queue_at_rest_run_when_it_goes_on,
             an_update_is_checked_and_moves_an_empty_ring,
             the_read_index_is_the_processors_whatever_a_client_stores,
             a_late_report_does_not_reach_the_next_queue,
             a_process_that_closes_with_work_leaves_nothing,
             the_next_process_begins_without_retries_of_faults)
