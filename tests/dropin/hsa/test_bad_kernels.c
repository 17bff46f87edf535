/* SPDX-License-Identifier: MIT */
/*
 * Kernels that go wrong, each dispatched by a client on a queue of its own: the
 * right error with words that name the mistake, and a process whose next kernel
 * computes.
 */
#include "dropin/hsa/client.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/hsa_sim.h"
#include "gpu/codeobj/descriptor.h"

enum { PAGE = 4096, WORDS = 16, USER_REGISTERS = 2 << 1, KERNARG = 1 << 3 };

/* The target of the arguments' first pointer. */
typedef enum pointer {
  NOTHING,
  WILD,
  SMALL,  /* one page of the device's pool */
  FENCED, /* one page with nothing beside it */
  FREED,
  READ_ONLY,
  NO_ACCESS,
  HEAP, /* of the program */
} pointer;

/* How a dispatch ends. */
typedef enum outcome {
  EVENT,   /* a memory fault of the system: a page that is not there */
  EVENT_W, /* that may not be written */
  EVENT_X, /* that may not be executed */
  APERTURE,
  ILLEGAL,
  EXCEPTION,
  GROUP,
  SCRATCH,
  SIZE,
} outcome;

typedef struct bad_kernel {
  const char *name, *source, *text;
  uint32_t words[WORDS];
  pointer first;
  outcome end;
  uint32_t group, private, rsrc2, properties;
  unsigned waves;                   /* 0: one */
  bool none, short_, gone, endless; /* arguments, descriptor, code */
} bad_kernel;

#define short short_
static const bad_kernel kernels[] = {
#include "dropin/hsa/bad_kernels.def"
};
#undef short

static const uint32_t prologue[] = {
    0x7e3e0300,             /* v_mov_b32_e32 v31, v0 */
    0xc00a0100, 0x00000000, /* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
    0x7e000280,             /* v_mov_b32_e32 v0, 0 */
    0x7e020281,             /* v_mov_b32_e32 v1, 1 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
};

/* Writes 1 where the second pointer points to. */
static const bad_kernel good = {
    .name = "good",
    .words = {0xdc708000, 0x00060100, /* global_store_dword v0, v1, s[6:7] */
              0xbf810000},            /* s_endpgm */
};

/* The calls of the callbacks. */
typedef struct heard {
  int events, errors; /* atomic */
  uint32_t reasons;   /* of the event */
  uint64_t address;   /* of the event */
  hsa_status_t status;
} heard;

static hsa_status_t event_hear(const hsa_amd_event_t *event, void *data)
{
  heard *h = data;
  ck_assert_uint_eq(event->type, HSA_AMD_GPU_MEMORY_FAULT_EVENT);
  h->reasons = event->reasons;
  h->address = event->address;
  __atomic_fetch_add(&h->events, 1, __ATOMIC_RELEASE);
  return HSA_STATUS_SUCCESS;
}

static void error_hear(hsa_status_t status, hsa_queue_t *queue, void *data)
{
  heard *h = data;
  (void)queue;
  h->status = status;
  __atomic_fetch_add(&h->errors, 1, __ATOMIC_RELEASE);
}

typedef struct bench {
  client c;
  aq_hsa_sim sim;
  char *code;          /* a page that may be executed, of each kernel */
  uint64_t *arguments; /* the fenced page */
  uint32_t *result;
  void *small, *freed, *heap, *read_only, *no_access;
  heard heard;
} bench;

static void *allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags)
{
  void *memory;
  ck_assert_done(hsa_amd_memory_pool_allocate(pool, size, flags, &memory));
  return memory;
}

/* A page of mapped memory in the middle of three that are reserved. */
static void *map(const client *c, uint32_t permissions)
{
  char *va;
  hsa_amd_vmem_alloc_handle_t memory;
  const hsa_amd_memory_access_desc_t access = {permissions, c->device};
  ck_assert_done(
      hsa_amd_vmem_handle_create(c->device_coarse, PAGE, 1, 0, &memory));
  ck_assert_done(hsa_amd_vmem_address_reserve((void **)(void *)&va,
                                              3 * (size_t)PAGE, 0, 0));
  va += PAGE;
  ck_assert_done(hsa_amd_vmem_map(va, PAGE, 0, memory, 0));
  ck_assert_done(hsa_amd_vmem_set_access(va, PAGE, &access, 1));
  return va;
}

static void bench_open(bench *b)
{
  *b = (bench){.heard = {0}};
  client_open(&b->c);
  ck_assert_done(hsa_system_get_major_extension_table(
      AQ_HSA_EXTENSION_SIM, AQ_HSA_SIM_MAJOR, sizeof b->sim, &b->sim));
  b->small = allocate(b->c.device_coarse, PAGE, 0);
  b->freed = allocate(b->c.device_coarse, 16 * (size_t)PAGE, 0);
  b->arguments = map(&b->c, HSA_ACCESS_PERMISSION_RW);
  b->result = allocate(b->c.host_fine, PAGE, 0);
  b->heap = malloc(PAGE);
  b->read_only = map(&b->c, HSA_ACCESS_PERMISSION_RO);
  b->no_access = map(&b->c, HSA_ACCESS_PERMISSION_NONE);
  ck_assert_done(hsa_amd_memory_pool_free(b->freed));
  ck_assert_done(hsa_amd_register_system_event_handler(event_hear, &b->heard));
}

static uint64_t first_pointer(const bench *b, pointer first)
{
  const void *const pointers[] = {[FENCED] = b->arguments,
                                  [NOTHING] = NULL,
                                  [SMALL] = b->small,
                                  [FREED] = b->freed,
                                  [READ_ONLY] = b->read_only,
                                  [NO_ACCESS] = b->no_access,
                                  [HEAP] = b->heap};
  return first == WILD ? 0x123456789000 : (uintptr_t)pointers[first];
}

/* Lays the kernel's code behind its descriptor; all of the page is s_nop if it
 * has no end. */
static uint64_t kernel_write(const bench *b, const bad_kernel *k)
{
  const uint32_t nop = 0xbf800000;
  const aq_kernel_descriptor descriptor = {
      .group_size = k->group,
      .private_size = k->private,
      .kernarg_size = 16,
      .entry_offset = sizeof descriptor,
      .rsrc2 = USER_REGISTERS | k->rsrc2 | (k->private > 0),
      .properties = (uint16_t)(KERNARG | k->properties)};
  for (size_t at = 0; at < PAGE; at += sizeof nop)
    memcpy(b->code + at, &nop, sizeof nop);
  memcpy(b->code, &descriptor, sizeof descriptor);
  memcpy(b->code + sizeof descriptor, prologue, sizeof prologue);
  if (!k->endless)
    memcpy(b->code + sizeof descriptor + sizeof prologue, k->words,
           sizeof k->words);
  return (uintptr_t)b->code;
}

static aq_packet packet_make(bench *b, const bad_kernel *k)
{
  uint64_t *arguments =
      k->short_ ? b->arguments + (PAGE - 16) / 8 : b->arguments;
  const uint32_t items = 64 * (k->waves ? k->waves : 1);
  arguments[0] = first_pointer(b, k->first);
  arguments[1] = (uintptr_t)b->result;
  uint64_t object = kernel_write(b, k);
  void *gone = NULL;
  if (k->gone) {
    gone = allocate(b->c.device_coarse, PAGE, 0);
    object = (uintptr_t)gone;
  }
  const aq_kernel_desc desc = {
      .name = k->name, .object = object, .code = true, .kernarg_size = 16};
  uint64_t registered;
  ck_assert_done(b->sim.kernel_register(&desc, &registered));
  ck_assert_uint_eq(registered, object);
  if (gone)
    ck_assert_done(hsa_amd_memory_pool_free(gone));
  return (aq_packet){
      .kernel = {.setup = 1,
                 .workgroup_size = {(uint16_t)items, 1, 1},
                 .grid_size = {items, 1, 1},
                 .group_segment_size = k->group,
                 .private_segment_size = k->private,
                 .kernel_object = object,
                 .kernarg_address = k->none ? 0 : (uintptr_t)arguments,
                 .completion_signal = client_signal(1)}};
}

/* The queue has the fault of the event, if there was one. */
static void fault_check(const heard *h, hsa_queue_t *queue)
{
  const client_fault fault = client_queue_fault(queue);
  ck_assert_int_eq(fault.faulted, h->events > 0);
  ck_assert_uint_eq(fault.reasons, h->events ? h->reasons : 0);
  ck_assert_uint_eq(fault.address, h->events ? h->address : 0);
}

/* Dispatches the kernel on a queue of its own, with `first` as its first
 * argument if it is not NULL, and unmaps that page once the kernel runs. Waits
 * until the kernel has ended, in one way or another; the queue's diagnosis goes
 * to `words`. */
static void kernel_run_on(bench *b, const bad_kernel *k, void *first,
                          char words[1024])
{
  hsa_queue_t *queue;
  b->heard = (heard){0};
  b->code =
      allocate(b->c.device_coarse, PAGE, HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG);
  ck_assert_done(hsa_queue_create(b->c.device, 64, HSA_QUEUE_TYPE_MULTI,
                                  error_hear, &b->heard, UINT32_MAX, UINT32_MAX,
                                  &queue));
  const aq_packet packet = packet_make(b, k);
  const hsa_signal_t done = packet.kernel.completion_signal;
  if (first)
    b->arguments[0] = (uintptr_t)first;
  client_submit(queue, &packet,
                aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1, AQ_SCOPE_SYSTEM,
                                 AQ_SCOPE_SYSTEM));
  while (first && !__atomic_load_n(b->result, __ATOMIC_ACQUIRE))
    nanosleep(&(struct timespec){0, 10000}, NULL);
  if (first)
    ck_assert_done(hsa_amd_vmem_unmap(first, PAGE));
  for (int i = 0; i < 60000 && hsa_signal_load_scacquire(done) != 0 &&
                  !__atomic_load_n(&b->heard.events, __ATOMIC_ACQUIRE) &&
                  !__atomic_load_n(&b->heard.errors, __ATOMIC_ACQUIRE);
       i++)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  ck_assert_done(b->sim.queue_words(queue, 1024, words));
  fault_check(&b->heard, queue);
  ck_assert_done(hsa_queue_destroy(queue));
  ck_assert_done(b->sim.kernel_unregister(packet.kernel.kernel_object));
  ck_assert_done(hsa_amd_memory_pool_free(b->code));
  ck_assert_done(hsa_signal_destroy(done));
}

static void kernel_run(bench *b, const bad_kernel *k, char words[1024])
{
  kernel_run_on(b, k, NULL, words);
}

static void bad_check(bench *b, const bad_kernel *k)
{
  static const hsa_status_t statuses[] = {
      [APERTURE] = HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
      [ILLEGAL] = HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION,
      [EXCEPTION] = HSA_STATUS_ERROR_EXCEPTION,
      [GROUP] = HSA_STATUS_ERROR_INVALID_ALLOCATION,
      [SCRATCH] = HSA_STATUS_ERROR_OUT_OF_RESOURCES,
      [SIZE] = HSA_STATUS_ERROR_INVALID_ARGUMENT};
  char words[1024];
  __atomic_store_n(b->result, 0, __ATOMIC_RELEASE);
  kernel_run(b, k, words);
  ck_assert_msg(*b->result == 0, "%s: something of it ran", k->name);
  const heard *h = &b->heard;
  const bool is_event = k->end <= EVENT_X;
  ck_assert_msg(h->events == is_event && h->errors == !is_event,
                "%s: %d events, %d errors; %s", k->name, h->events, h->errors,
                words);
  /* Behind code without an end is no page, or one of data. */
  const bool is_data = k->endless && h->reasons == 1u << (EVENT_X - EVENT);
  ck_assert_msg(!is_event || is_data || h->reasons == 1u << (k->end - EVENT),
                "%s: reasons %#x; %s", k->name, h->reasons, words);
  ck_assert_msg(is_event || h->status == statuses[k->end], "%s: status %#x; %s",
                k->name, h->status, words);
  ck_assert_msg(strstr(words, k->text) != NULL, "%s: no \"%s\" in: %s", k->name,
                k->text, words);
  ck_assert_msg(strstr(words, k->name) != NULL, "no \"%s\" in: %s", k->name,
                words);
}

static void good_check(bench *b, const char *before)
{
  char words[1024];
  __atomic_store_n(b->result, 0, __ATOMIC_RELEASE);
  kernel_run(b, &good, words);
  ck_assert_msg(__atomic_load_n(b->result, __ATOMIC_ACQUIRE) == 1 &&
                    !b->heard.events && !b->heard.errors,
                "after %s a good kernel fails: %s", before, words);
}

START_TEST(a_bad_kernel_is_an_error_that_names_it_and_the_next_one_computes)
{
  bench b;
  bench_open(&b);
  good_check(&b, "nothing");
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    bad_check(&b, &kernels[i]);
    good_check(&b, kernels[i].name);
  }
  ck_assert_uint_ge(sizeof kernels / sizeof *kernels, 30);
  free(b.heap);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* The hardware allocates 512 bytes for any fewer. */
START_TEST(lds_reaches_to_the_end_of_its_granule)
{
  static const bad_kernel last = {
      .name = "last",
      .words = {0x7e0402ff, 0x000001fc, /* v_mov_b32_e32 v2, 0x1fc */
                0xd81a0000, 0x00000102, /* ds_write_b32 v2, v1 */
                0xd86c0000, 0x03000002, /* ds_read_b32 v3, v2 */
                0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
                0xdc708000, 0x00060300, /* global_store_dword v0, v3, s[6:7] */
                0xbf810000},            /* s_endpgm */
      .group = 256};
  bench b;
  char words[1024];
  bench_open(&b);
  __atomic_store_n(b.result, 0, __ATOMIC_RELEASE);
  kernel_run(&b, &last, words);
  ck_assert_msg(__atomic_load_n(b.result, __ATOMIC_ACQUIRE) == 1, "%s", words);
  ck_assert(!b.heard.events && !b.heard.errors);
  free(b.heap);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(memory_that_is_unmapped_under_a_kernel_is_a_fault)
{
  static const bad_kernel stores = {
      .name = "stores",
      .words = {0xdc708000, 0x00060100, /* global_store_dword v0, v1, s[6:7] */
                0xdc708000, 0x00040100, /* global_store_dword v0, v1, s[4:5] */
                0xbf82fffd}};           /* s_branch to the second */
  enum { TIMES = 20 };
  bench b;
  char words[1024];
  bench_open(&b);
  for (int i = 0; i < TIMES; i++) {
    __atomic_store_n(b.result, 0, __ATOMIC_RELEASE);
    kernel_run_on(&b, &stores, map(&b.c, HSA_ACCESS_PERMISSION_RW), words);
    ck_assert_msg(b.heard.events == 1 && b.heard.errors == 0,
                  "%d events, %d errors; %s", b.heard.events, b.heard.errors,
                  words);
    ck_assert_msg(strstr(words, "stores") != NULL, "%s", words);
  }
  good_check(&b, "twenty pages that went away");
  free(b.heap);
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/bad_kernels",
             a_bad_kernel_is_an_error_that_names_it_and_the_next_one_computes,
             lds_reaches_to_the_end_of_its_granule,
             memory_that_is_unmapped_under_a_kernel_is_a_fault)
