/* SPDX-License-Identifier: MIT */
/* Queues of copy engines, on the driver's core itself: rings of a client's
 * words, as AMD's runtime writes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory_sink.h"
#include "dropin/kfd/client.h"

enum { RING = 4096, MS = 20000 };

#define VRAM (AQKFD_MEMORY_VRAM | AQKFD_MEMORY_PUBLIC | AQKFD_MEMORY_WRITABLE)

typedef struct copy_ring {
  uint32_t id;
  uint32_t *words;
  uint64_t *read, *written, *doorbell;
  uint64_t write;
} copy_ring;

/* 0, or a negative errno. */
static int ring_try_on(client *c, uint32_t gpu, uint32_t type, copy_ring *ring)
{
  const client_block block = client_allocate(c, 2 * RING, CLIENT_PLAIN);
  *ring = (copy_ring){.words = (void *)block.at,
                      .read = (void *)(block.at + RING),
                      .written = (void *)(block.at + RING + 8)};
  aqkfd_create_queue_args args = {.ring_base_address = (uintptr_t)ring->words,
                                  .ring_size = RING,
                                  .gpu_id = gpu,
                                  .queue_type = type,
                                  .queue_percentage = 100,
                                  .queue_priority = 7,
                                  .read_pointer_address = (uintptr_t)ring->read,
                                  .write_pointer_address =
                                      (uintptr_t)ring->written};
  const int result = CALL(c, 0x02, &args);
  if (result != 0)
    return result;
  ring->id = args.queue_id;
  const uint64_t page = args.doorbell_offset & ~UINT64_C(8191);
  char *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED,
                  aqkfd_process_file(c->process), (off_t)page);
  ck_assert_ptr_ne(at, MAP_FAILED);
  ring->doorbell = (void *)(at + (args.doorbell_offset - page));
  return 0;
}

static int ring_try(client *c, uint32_t type, copy_ring *ring)
{
  return ring_try_on(c, 2, type, ring);
}

static copy_ring ring_create(client *c)
{
  copy_ring ring;
  ck_assert_int_eq(ring_try(c, AQKFD_QUEUE_SDMA, &ring), 0);
  return ring;
}

static void put(copy_ring *ring, const uint32_t *words, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++, ring->write += 4)
    __atomic_store_n(&ring->words[ring->write % RING / 4], words[i],
                     __ATOMIC_RELEASE);
}

#define PUT(ring, ...)                                                         \
  put(ring, (const uint32_t[]){__VA_ARGS__},                                   \
      sizeof(const uint32_t[]){__VA_ARGS__} / 4)
#define WIDE(at)                                                               \
  (uint32_t)(uintptr_t)(at), (uint32_t)((uint64_t)(uintptr_t)(at) >> 32)

/* As the runtime: the write index, then the doorbell. */
static void submit(copy_ring *ring)
{
  __atomic_store_n(ring->written, ring->write, __ATOMIC_RELEASE);
  __atomic_store_n(ring->doorbell, ring->write, __ATOMIC_RELEASE);
}

static void put_copy(copy_ring *ring, void *to, const void *from, uint32_t size)
{
  PUT(ring, 1, size - 1, 0, WIDE(from), WIDE(to));
}

/* As AMD's runtime ends a copy: the signal's decrement, the event into its
 * mailbox, an interrupt. */
static void put_completion(copy_ring *ring, aq_amd_signal *signal)
{
  PUT(ring, 10 | 47u << 25, WIDE(&signal->value), 0xffffffff, 0xffffffff, 0, 0,
      0);
  PUT(ring, 5, WIDE(signal->mailbox), signal->event_id);
  PUT(ring, 6, signal->event_id);
}

/* The read index, which the engine moves. */
static uint64_t taken(const copy_ring *ring)
{
  return __atomic_load_n(ring->read, __ATOMIC_ACQUIRE);
}

static uint32_t load(const void *at)
{
  return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

START_TEST(a_copy_decrements_a_signal_interrupts_and_has_a_record)
{
  client c;
  aq_memory_sink sink;
  aq_memory_sink_init(&sink);
  client_open(&c, "mi210", &sink.sink);
  const client_block vram = client_allocate(&c, 1 << 16, VRAM),
                     host = client_allocate(&c, 1 << 16, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  copy_ring ring = ring_create(&c);
  for (int i = 0; i < 60000; i++)
    host.at[i] = (char)(i * 7 + i / 256);
  client_block back = client_allocate(&c, 1 << 16, CLIENT_PLAIN);
  client_block signals = client_allocate(&c, 4096, CLIENT_PLAIN);
  aq_amd_signal *signal = client_signal(&c, &signals, 0, event);
  put_copy(&ring, vram.at, host.at, 60000);
  put_copy(&ring, back.at, vram.at, 60000);
  put_completion(&ring, signal);
  submit(&ring);
  ck_assert_int_eq(client_wait(&c, event, MS, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE), 0);
  ck_assert_mem_eq(back.at, host.at, 60000);
  aqkfd_destroy_queue_args gone = {ring.id, 0};
  ck_assert_int_eq(CALL(&c, 0x03, &gone), 0);
  ck_assert_uint_eq(taken(&ring), ring.write);
  ck_assert_str_eq(c.lines, "");
  client_close(&c);
  ck_assert_uint_eq(sink.count, 2);
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(sink.rows[i].kind, AQ_KIND_COPY);
    ck_assert_int_eq(sink.rows[i].bytes, 60000);
    ck_assert_int_eq(sink.rows[i].engine, 0);
  }
  ck_assert_int_ne(sink.rows[0].name, sink.rows[1].name); /* directions */
  aq_memory_sink_fini(&sink);
}
END_TEST

START_TEST(only_the_doorbell_announces_not_the_write_index)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block host = client_allocate(&c, 4096, CLIENT_PLAIN);
  copy_ring ring = ring_create(&c);
  PUT(&ring, 5, WIDE(host.at), 1);
  const uint64_t one = ring.write;
  PUT(&ring, 5, WIDE(host.at + 4), 1);
  __atomic_store_n(ring.written, ring.write, __ATOMIC_RELEASE);
  __atomic_store_n(ring.doorbell, one, __ATOMIC_RELEASE);
  for (int i = 0; i < MS && load(host.at) == 0; i++)
    usleep(1000);
  ck_assert_uint_eq(load(host.at), 1);
  usleep(20000);
  ck_assert_uint_eq(load(host.at + 4), 0);
  ck_assert_uint_eq(taken(&ring), one);
  submit(&ring);
  for (int i = 0; i < MS && load(host.at + 4) == 0; i++)
    usleep(1000);
  ck_assert_uint_eq(load(host.at + 4), 1);
  client_close(&c);
}
END_TEST

/* mi210 has 2 engines for the host and 3 for others, with 8 rings each. */
START_TEST(a_device_has_as_many_rings_as_its_model_and_says_so)
{
  client c;
  copy_ring ring, first = {0};
  client_open(&c, "mi210", NULL);
  for (int i = 0; i < 16; i++) {
    ck_assert_int_eq(ring_try(&c, AQKFD_QUEUE_SDMA, &ring), 0);
    first = i == 0 ? ring : first;
  }
  ck_assert_int_eq(ring_try(&c, AQKFD_QUEUE_SDMA, &ring), -ENOMEM);
  ck_assert(client_was_told(&c, "no ring of a copy engine: device mi210 has 2 "
                                "with 8 each"));
  for (int i = 0; i < 24; i++)
    ck_assert_int_eq(ring_try(&c, AQKFD_QUEUE_SDMA_XGMI, &ring), 0);
  ck_assert_int_eq(ring_try(&c, AQKFD_QUEUE_SDMA_XGMI, &ring), -ENOMEM);
  aqkfd_destroy_queue_args gone = {first.id, 0};
  ck_assert_int_eq(CALL(&c, 0x03, &gone), 0);
  ck_assert_int_eq(ring_try(&c, AQKFD_QUEUE_SDMA, &ring), 0);
  ck_assert_int_eq(ring_try(&c, AQKFD_QUEUE_SDMA, &ring), -ENOMEM);
  client_close(&c);
  client_open(&c, "mi25", NULL);
  ck_assert_int_eq(ring_try(&c, AQKFD_QUEUE_SDMA_XGMI, &ring), -ENOMEM);
  ck_assert(client_was_told(&c, "for other devices: device mi25 has 0"));
  client_close(&c);
}
END_TEST

/* A bad packet names its device and its engine: rings of one device take no
 * engines of another. */
START_TEST(each_device_has_rings_from_its_first_engine_on)
{
  client c;
  char text[64];
  client_open(&c, "mi210*2", NULL);
  const uint32_t event = client_event(&c, AQKFD_EVENT_HARDWARE, true);
  for (uint32_t i = 0; i < 4; i++) {
    copy_ring ring;
    ck_assert_int_eq(ring_try_on(&c, 2 + i % 2, AQKFD_QUEUE_SDMA, &ring), 0);
    PUT(&ring, 9);
    submit(&ring);
    ck_assert_int_eq(client_wait(&c, event, MS, NULL), AQKFD_WAIT_COMPLETE);
    snprintf(text, sizeof text,
             "copy ring %u of device %u, engine %u: packet 0", i, i % 2, i / 2);
    ck_assert_msg(client_was_told(&c, text), "%s", text);
  }
  client_close(&c);
}
END_TEST

/* A bad packet names its engine. mi210: 0 and 1, then 2 to 4 for others. */
START_TEST(rings_go_round_the_engines_of_their_kind)
{
  static const struct {
    uint32_t type, engine;
  } rings[] = {{AQKFD_QUEUE_SDMA, 0},      {AQKFD_QUEUE_SDMA, 1},
               {AQKFD_QUEUE_SDMA, 0},      {AQKFD_QUEUE_SDMA_XGMI, 2},
               {AQKFD_QUEUE_SDMA_XGMI, 3}, {AQKFD_QUEUE_SDMA_XGMI, 4},
               {AQKFD_QUEUE_SDMA_XGMI, 2}};
  client c;
  char text[64];
  client_open(&c, "mi210", NULL);
  const uint32_t event = client_event(&c, AQKFD_EVENT_HARDWARE, true);
  for (unsigned i = 0; i < sizeof rings / sizeof *rings; i++) {
    copy_ring ring;
    ck_assert_int_eq(ring_try(&c, rings[i].type, &ring), 0);
    PUT(&ring, 9);
    submit(&ring);
    ck_assert_int_eq(client_wait(&c, event, MS, NULL), AQKFD_WAIT_COMPLETE);
    snprintf(text, sizeof text, "copy ring %u of device 0, engine %u: packet 0",
             i, rings[i].engine);
    ck_assert_msg(client_was_told(&c, text), "%s", text);
  }
  client_close(&c);
}
END_TEST

START_TEST(a_packet_that_is_none_is_the_event_of_hardware_exceptions)
{
  client c;
  aqkfd_event_data data = {.age = 0};
  client_open(&c, "mi210", NULL);
  const uint32_t event = client_event(&c, AQKFD_EVENT_HARDWARE, true);
  copy_ring ring = ring_create(&c);
  PUT(&ring, 0, 9);
  submit(&ring);
  ck_assert_int_eq(client_wait(&c, event, MS, &data), AQKFD_WAIT_COMPLETE);
  ck_assert_uint_eq(data.hardware.gpu_id, 2);
  ck_assert_uint_eq(data.hardware.reset_type, 1);
  ck_assert(client_was_told(&c, "engine 0: packet 1 at byte 4 (COND_EXE): "
                                "opcode 9, sub-opcode 0"));
  client_close(&c);
}
END_TEST

/* Memory of the program that the device was not given is none to the engine,
 * though this process could touch it; nor may it write read-only memory. */
START_TEST(an_engine_reaches_what_its_device_was_given)
{
  static char own[4096] __attribute__((aligned(4096)));
  for (int way = 0; way < 4; way++) {
    client c;
    aqkfd_event_data fault = {.age = 0};
    client_open(&c, "mi210", NULL);
    const client_block host = client_allocate(&c, 8192, CLIENT_PLAIN),
                       constant = client_allocate(&c, 8192, AQKFD_MEMORY_GTT);
    const uint32_t event = client_event(&c, AQKFD_EVENT_MEMORY, true);
    copy_ring ring = ring_create(&c);
    const char *at = way == 3 ? constant.at : own;
    if (way == 0)
      put_copy(&ring, host.at, own, 64);
    else if (way == 1)
      put_copy(&ring, own, host.at, 64);
    else if (way == 2)
      PUT(&ring, 5, WIDE(own), 1);
    else
      put_copy(&ring, constant.at, host.at, 64);
    submit(&ring);
    ck_assert_int_eq(client_wait(&c, event, MS, &fault), AQKFD_WAIT_COMPLETE);
    ck_assert_uint_eq(fault.memory.va, (uintptr_t)at);
    ck_assert_uint_eq(fault.memory.not_present, way != 3);
    ck_assert_uint_eq(fault.memory.read_only, way == 3);
    ck_assert_int_eq(own[0], 0);
    ck_assert(client_was_told(&c, way == 0 ? "memory fault, read of"
                                           : "memory fault, write to"));
    client_close(&c);
  }
}
END_TEST

/* A device that retries faults reaches memory that no call gave it. A block
 * keeps its device and its permissions then. */
START_TEST(with_retries_of_faults_blocks_keep_their_device_and_their_limits)
{
  static char own[4096] __attribute__((aligned(4096))) = "own";
  client c;
  aq_memory_sink sink;
  aqkfd_event_data fault = {.age = 0};
  aqkfd_set_xnack_mode_args retries = {1};
  aq_memory_sink_init(&sink);
  client_open(&c, "mi210", &sink.sink);
  ck_assert_int_eq(CALL(&c, 0x21, &retries), 0);
  const client_block vram = client_allocate(&c, 8192, VRAM),
                     constant = client_allocate(&c, 8192, AQKFD_MEMORY_GTT);
  const uint32_t event = client_event(&c, AQKFD_EVENT_MEMORY, true);
  copy_ring ring = ring_create(&c);
  put_copy(&ring, vram.at, own, 4096);
  put_copy(&ring, constant.at, vram.at, 64);
  submit(&ring);
  ck_assert_int_eq(client_wait(&c, event, MS, &fault), AQKFD_WAIT_COMPLETE);
  ck_assert_uint_eq(fault.memory.va, (uintptr_t)constant.at);
  ck_assert_uint_eq(fault.memory.read_only, 1);
  ring = ring_create(&c); /* the last page of all */
  put_copy(&ring, vram.at, (void *)(UINTPTR_MAX - 4095), 64);
  submit(&ring);
  ck_assert_int_eq(client_wait(&c, event, MS, &fault), AQKFD_WAIT_COMPLETE);
  ck_assert_uint_eq(fault.memory.va, UINTPTR_MAX - 4095);
  ck_assert_str_eq(vram.at, "own");
  client_close(&c);
  ck_assert_uint_eq(sink.count, 1);
  ck_assert_str_eq(aq_names_text(&sink.names, sink.rows[0].name),
                   "MEMORY_COPY_HOST_TO_DEVICE");
  aq_memory_sink_fini(&sink);
}
END_TEST

/* The addresses of two blocks follow one another, their bytes in the host do
 * not: bytes of no block lie behind the bytes of the first. */
START_TEST(a_packet_over_blocks_that_lie_apart_in_the_host_is_refused)
{
  enum { BLOCK = 4096, HALF = BLOCK / 2 };
  static char parts[3][BLOCK] __attribute__((aligned(4096)));
  client c;
  client_open(&c, "mi210", NULL);
  const client_block host = client_allocate(&c, BLOCK, CLIENT_PLAIN);
  char *const va =
      mmap(NULL, 2 * BLOCK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 2; i++) {
    aqkfd_alloc_memory_of_gpu_args block = {
        .va_addr = (uintptr_t)va + (uint64_t)i * BLOCK,
        .size = BLOCK,
        .mmap_offset = (uintptr_t)parts[1 - i],
        .gpu_id = 2,
        .flags = AQKFD_MEMORY_USERPTR | AQKFD_MEMORY_WRITABLE};
    ck_assert_int_eq(CALL(&c, 0x16, &block), 0);
    ck_assert_int_eq(client_map(&c, block.handle, true), 0);
  }
  memset(host.at, 1, BLOCK);
  const uint32_t event = client_event(&c, AQKFD_EVENT_HARDWARE, true);
  copy_ring ring = ring_create(&c);
  put_copy(&ring, va, host.at, BLOCK);
  put_copy(&ring, va + BLOCK, host.at, BLOCK);
  put_copy(&ring, va + HALF, host.at, BLOCK);
  submit(&ring);
  ck_assert_int_eq(client_wait(&c, event, MS, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert(client_was_told(&c,
                            "packet 2 at byte 56 (COPY_LINEAR): blocks that "
                            "lie apart in this process, from 0x"));
  ck_assert_mem_eq(parts[0], host.at, BLOCK);
  ck_assert_mem_eq(parts[1], host.at, BLOCK);
  ck_assert_int_eq(parts[2][0], 0);
  client_close(&c);
  munmap(va, 2 * BLOCK);
}
END_TEST

START_TEST(a_ring_without_a_share_rests_and_has_no_mask_or_other_place)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block host = client_allocate(&c, 4096, CLIENT_PLAIN);
  copy_ring ring = ring_create(&c);
  aqkfd_update_queue_args update = {.ring_base_address = (uintptr_t)ring.words,
                                    .queue_id = ring.id,
                                    .ring_size = RING,
                                    .queue_percentage = 0,
                                    .queue_priority = 7};
  ck_assert_int_eq(CALL(&c, 0x07, &update), 0);
  PUT(&ring, 5, WIDE(host.at), 1);
  submit(&ring);
  usleep(30000);
  ck_assert_uint_eq(load(host.at), 0);
  update.queue_percentage = 100;
  ck_assert_int_eq(CALL(&c, 0x07, &update), 0);
  for (int i = 0; i < MS && load(host.at) == 0; i++)
    usleep(1000);
  ck_assert_uint_eq(load(host.at), 1);
  update.ring_base_address = (uintptr_t)host.at;
  ck_assert_int_eq(CALL(&c, 0x07, &update), -EBUSY);
  const uint32_t mask = 1;
  aqkfd_set_cu_mask_args masked = {ring.id, 32, (uintptr_t)&mask};
  ck_assert_int_eq(CALL(&c, 0x1a, &masked), -EINVAL);
  aqkfd_alloc_queue_gws_args gws = {.queue_id = ring.id, .num_gws = 1};
  ck_assert_int_eq(CALL(&c, 0x1e, &gws), -EINVAL);
  client_close(&c);
}
END_TEST

START_TEST(a_process_that_closes_with_a_ring_at_work_leaves_nothing)
{
  client c;
  aq_diag diag = AQ_DIAG_INIT;
  client_open(&c, "mi210", NULL);
  const client_block a = client_allocate(&c, 1 << 20, CLIENT_PLAIN),
                     b = client_allocate(&c, 1 << 20, CLIENT_PLAIN);
  copy_ring copies = ring_create(&c), polls = ring_create(&c);
  b.at[0] = 1;
  PUT(&polls, 8 | 3u << 28 | 1u << 31, WIDE(b.at), 0, UINT32_MAX, 0xfff << 16);
  submit(&polls);
  for (int i = 0; i < 64; i++)
    put_copy(&copies, a.at, b.at, 1 << 20);
  submit(&copies);
  aqkfd_process_close(c.process);
  ck_assert_status(aqkfd_process_open(c.driver, &c.process, &diag), AQ_OK,
                   &diag);
  copies = ring_create(&c);
  client_close(&c);
}
END_TEST

AQ_TEST_MAIN("dropin/kfd/copy_rings",
             a_copy_decrements_a_signal_interrupts_and_has_a_record,
             only_the_doorbell_announces_not_the_write_index,
             a_device_has_as_many_rings_as_its_model_and_says_so,
             each_device_has_rings_from_its_first_engine_on,
             rings_go_round_the_engines_of_their_kind,
             a_packet_that_is_none_is_the_event_of_hardware_exceptions,
             an_engine_reaches_what_its_device_was_given,
             with_retries_of_faults_blocks_keep_their_device_and_their_limits,
             a_packet_over_blocks_that_lie_apart_in_the_host_is_refused,
             a_ring_without_a_share_rests_and_has_no_mask_or_other_place,
             a_process_that_closes_with_a_ring_at_work_leaves_nothing)
