/* SPDX-License-Identifier: MIT */
/* The driver's memory, on the core itself: blocks, and ranges of the program's
 * own. It fails with the errno of the kernel's driver. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/allocations.h"
#include "dropin/kfd/client.h"

enum { PAGE = 4096 };

/* Memory of the program without access: an address for a block. */
static char *address_take(size_t size)
{
  char *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(at, MAP_FAILED);
  return at;
}

/* ---- blocks ---- */

START_TEST(memory_is_counted_and_bounded_by_the_device)
{
  client c;
  client_open(&c, "mi210", NULL);
  aqkfd_get_available_memory_args left = {.gpu_id = 2};
  ck_assert_int_eq(CALL(&c, 0x23, &left), 0);
  const uint64_t all = left.available;
  aqkfd_alloc_memory_of_gpu_args args = {.va_addr = 1 << 30,
                                         .size = all + 4096,
                                         .gpu_id = 2,
                                         .flags = CLIENT_CODE};
  ck_assert_int_eq(CALL(&c, 0x16, &args), -ENOMEM);
  args.size = 5000;
  ck_assert_int_eq(CALL(&c, 0x16, &args), 0);
  ck_assert_int_eq(CALL(&c, 0x23, &left), 0);
  ck_assert_uint_eq(left.available, all - 8192);
  aqkfd_free_memory_of_gpu_args gone = {args.handle};
  ck_assert_int_eq(CALL(&c, 0x17, &gone), 0);
  ck_assert_int_eq(CALL(&c, 0x17, &gone), -EINVAL);
  ck_assert_int_eq(CALL(&c, 0x23, &left), 0);
  ck_assert_uint_eq(left.available, all);
  args.flags = AQKFD_MEMORY_GTT | AQKFD_MEMORY_VRAM;
  ck_assert_int_eq(CALL(&c, 0x16, &args), -EINVAL);
  client_close(&c);
}
END_TEST

START_TEST(freed_memory_comes_back_zeroed_and_files_share_it)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block block = client_allocate(&c, 4096, CLIENT_PLAIN);
  memset(block.at, 7, 4096);
  aqkfd_export_dmabuf out = {.handle = block.handle};
  ck_assert_int_eq(CALL(&c, 0x24, &out), 0);
  aqkfd_get_dmabuf_info_args info = {.dmabuf_fd = out.fd};
  ck_assert_int_eq(CALL(&c, 0x1c, &info), 0);
  ck_assert_uint_eq(info.size, 4096);
  aqkfd_import_dmabuf_args in = {
      .va_addr = 1 << 30, .gpu_id = 2, .dmabuf_fd = out.fd};
  ck_assert_int_eq(CALL(&c, 0x1d, &in), 0);
  aqkfd_free_memory_of_gpu_args gone = {block.handle};
  ck_assert_int_eq(client_map(&c, block.handle, false), 0);
  ck_assert_int_eq(CALL(&c, 0x17, &gone), 0);
  ck_assert_int_eq(block.at[5], 7); /* the import has the pages */
  gone.handle = in.handle;
  ck_assert_int_eq(CALL(&c, 0x17, &gone), 0);
  ck_assert_int_eq(block.at[5], 0);
  in.dmabuf_fd = 0;
  ck_assert_int_eq(CALL(&c, 0x1d, &in), -EINVAL);
  close((int)out.fd);
  client_close(&c);
}
END_TEST

/* A checker may fill memory that is fresh, and no other. */
START_TEST(memory_is_fresh_until_the_client_or_a_device_may_have_written_it)
{
  enum { SIZE = 1 << 16 };
  client c;
  client_open(&c, "mi210", NULL);
  client_block block = client_allocate(&c, SIZE, CLIENT_CODE);
  ck_assert_str_eq(c.memory, "f");
  ck_assert_int_eq(client_map(&c, block.handle, false), 0);
  block.at[SIZE / 2] = 1;
  ck_assert_int_eq(client_map(&c, block.handle, true), 0);
  ck_assert_str_eq(c.memory, "fgr");
  client_close(&c);
}
END_TEST

START_TEST(addresses_that_a_device_cannot_have_are_refused)
{
  const struct {
    uint64_t va, size;
  } bad[] = {{(1 << 30) + 8, PAGE},
             {(1 << 30) + PAGE / 2, PAGE},
             {1 << 30, 0},
             {1 << 30, UINT64_MAX},
             {1 << 30, UINT64_MAX - PAGE + 2},
             {UINT64_MAX - PAGE + 1, PAGE},
             {(UINT64_C(1) << 47) - PAGE, 2 * PAGE},
             {UINT64_C(1) << 47, PAGE}};
  client c;
  client_open(&c, "mi210", NULL);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    aqkfd_alloc_memory_of_gpu_args args = {.va_addr = bad[i].va,
                                           .size = bad[i].size,
                                           .gpu_id = 2,
                                           .flags = CLIENT_PLAIN};
    ck_assert_msg(CALL(&c, 0x16, &args) == -EINVAL, "%zu", i);
  }
  const client_block block = client_allocate(&c, PAGE, CLIENT_PLAIN);
  aqkfd_export_dmabuf out = {.handle = block.handle};
  ck_assert_int_eq(CALL(&c, 0x24, &out), 0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    aqkfd_import_dmabuf_args in = {
        .va_addr = bad[i].va, .gpu_id = 2, .dmabuf_fd = out.fd};
    ck_assert_msg(
        CALL(&c, 0x1d, &in) ==
            (bad[i].va == 1 << 30 || bad[i].va == (UINT64_C(1) << 47) - PAGE
                 ? 0 /* the size is the file's */
                 : -EINVAL),
        "%zu", i);
  }
  close((int)out.fd);
  /* Memory of the program begins at a page. */
  aqkfd_alloc_memory_of_gpu_args user = {.va_addr = 1 << 30,
                                         .size = PAGE,
                                         .gpu_id = 2,
                                         .flags = AQKFD_MEMORY_USERPTR,
                                         .mmap_offset =
                                             (uintptr_t)block.at + 64};
  ck_assert_int_eq(CALL(&c, 0x16, &user), -EINVAL);
  user.mmap_offset = 0;
  ck_assert_int_eq(CALL(&c, 0x16, &user), -EINVAL);
  client_close(&c);
}
END_TEST

/* A block without a mapping of the client's: the arguments say the handle. */
static aqkfd_alloc_memory_of_gpu_args block_make(client *c, const void *at,
                                                 uint64_t size)
{
  aqkfd_alloc_memory_of_gpu_args args = {.va_addr = (uintptr_t)at,
                                         .size = size,
                                         .gpu_id = 2,
                                         .flags = CLIENT_PLAIN};
  ck_assert_int_eq(CALL(c, 0x16, &args), 0);
  return args;
}

START_TEST(two_blocks_at_one_address_are_not_mapped_at_once)
{
  client c;
  client_open(&c, "mi210", NULL);
  char *at = address_take(4 * PAGE);
  const aqkfd_alloc_memory_of_gpu_args first = block_make(&c, at, 2 * PAGE),
                                       next = block_make(&c, at + PAGE, PAGE),
                                       after =
                                           block_make(&c, at + 2 * PAGE, PAGE);
  ck_assert_int_eq(client_map(&c, first.handle, true), 0);
  ck_assert_int_eq(client_map(&c, first.handle, true), 0); /* has it already */
  ck_assert_int_eq(client_map(&c, next.handle, true), -EINVAL);
  ck_assert_int_eq(client_map(&c, after.handle, true), 0);
  ck_assert_int_eq(client_map(&c, first.handle, false), 0);
  ck_assert_int_eq(client_map(&c, next.handle, true), 0);
  /* And one without an address is never mapped. */
  const aqkfd_alloc_memory_of_gpu_args none = block_make(&c, NULL, PAGE);
  ck_assert_int_eq(client_map(&c, none.handle, true), -EINVAL);
  ck_assert_int_eq(client_map(&c, none.handle + 100, true), -ENOMEM);
  ck_assert_int_eq(client_map(&c, 100, true), -EINVAL);
  client_close(&c);
}
END_TEST

START_TEST(memory_that_is_mapped_or_has_the_events_is_not_freed)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block block = client_allocate(&c, PAGE, CLIENT_PLAIN);
  aqkfd_free_memory_of_gpu_args gone = {block.handle};
  ck_assert_int_eq(CALL(&c, 0x17, &gone), -EBUSY);
  ck_assert_int_eq(client_map(&c, block.handle, false), 0);
  ck_assert_int_eq(client_map(&c, block.handle, false), -EINVAL);
  ck_assert_int_eq(CALL(&c, 0x17, &gone), 0);
  ck_assert_int_eq(CALL(&c, 0x17, &gone), -EINVAL);
  const client_block page = client_allocate(&c, 8 * PAGE, CLIENT_PLAIN);
  aqkfd_create_event_args event = {.event_page_offset = page.handle};
  ck_assert_int_eq(CALL(&c, 0x08, &event), 0);
  event.event_page_offset = page.handle; /* it is given once */
  ck_assert_int_eq(CALL(&c, 0x08, &event), -EINVAL);
  ck_assert_int_eq(client_map(&c, page.handle, false), 0);
  gone.handle = page.handle;
  ck_assert_int_eq(CALL(&c, 0x17, &gone), -EPERM);
  client_close(&c);
}
END_TEST

/* Runs the kernel that stores 42 at an address. */
static void store_run(client *c, uint64_t at)
{
  const client_block text = client_allocate(c, PAGE, CLIENT_CODE),
                     data = client_allocate(c, PAGE, CLIENT_PLAIN);
  const uint32_t event = client_event(c, AQKFD_EVENT_SIGNAL, true);
  client_queue queue = client_queue_create(c);
  uint64_t *argument = (void *)(data.at + 64);
  *argument = at;
  client_dispatch(&queue,
                  client_kernel(&text, client_store_42, CLIENT_STORE_WORDS),
                  argument, client_signal(c, &data, 1024, event));
  ck_assert_int_eq(client_wait(c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_str_eq(c->lines, "");
}

START_TEST(devices_reach_blocks_that_the_client_has_not_mapped)
{
  client c;
  client_open(&c, "mi210", NULL);
  /* Nothing there; a part of it; memory of the program in its place. */
  for (int i = 0; i < 3; i++) {
    char *at = address_take(2 * PAGE);
    const aqkfd_alloc_memory_of_gpu_args block = block_make(&c, at, 2 * PAGE);
    const int file = aqkfd_process_file(c.process);
    int *elsewhere = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                          file, (off_t)block.mmap_offset);
    ck_assert_ptr_ne(elsewhere, MAP_FAILED);
    if (i == 1)
      ck_assert_ptr_eq(mmap(at, PAGE, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_FIXED, file,
                            (off_t)block.mmap_offset),
                       at);
    if (i == 2)
      ck_assert_int_eq(mprotect(at, 2 * PAGE, PROT_READ | PROT_WRITE), 0);
    ck_assert_int_eq(client_map(&c, block.handle, true), 0);
    store_run(&c, (uintptr_t)at + PAGE);
    ck_assert_int_eq(elsewhere[PAGE / sizeof(int)], 42);
    if (i == 2)
      ck_assert_int_eq(*(int *)(void *)(at + PAGE), 0);
  }
  client_close(&c);
}
END_TEST

static int map_for(client *c, uint64_t handle, uint32_t gpu)
{
  uint32_t devices[] = {gpu};
  aqkfd_map_memory_to_gpu_args args = {.handle = handle,
                                       .device_ids_array_ptr =
                                           (uintptr_t)devices,
                                       .n_devices = 1};
  const int result = CALL(c, 0x18, &args);
  ck_assert_uint_eq(args.n_success, result == 0);
  return result;
}

START_TEST(memory_of_the_program_that_went_comes_back_with_a_mapping)
{
  /* Mapped anew; for the same device; for another. */
  for (int i = 0; i < 3; i++) {
    client c;
    client_open(&c, "mi210*2", NULL);
    int *user = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *va = address_take(PAGE);
    aqkfd_alloc_memory_of_gpu_args args = {.va_addr = (uintptr_t)va,
                                           .size = PAGE,
                                           .gpu_id = 2,
                                           .mmap_offset = (uintptr_t)user,
                                           .flags = AQKFD_MEMORY_USERPTR |
                                                    AQKFD_MEMORY_WRITABLE};
    const uint32_t gpu = i == 2 ? 3 : 2;
    ck_assert_int_eq(CALL(&c, 0x16, &args), 0);
    ck_assert_int_eq(client_map(&c, args.handle, true), 0);
    aqkfd_unmapping(c.process, (uintptr_t)user, PAGE);
    ck_assert_int_eq(munmap(user, PAGE), 0);
    if (i == 0)
      ck_assert_int_eq(client_map(&c, args.handle, false), 0);
    ck_assert_int_eq(map_for(&c, args.handle, gpu), -EFAULT);
    ck_assert_ptr_eq(mmap(user, PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
                     user);
    ck_assert_int_eq(map_for(&c, args.handle, gpu), 0);
    store_run(&c, (uintptr_t)va);
    ck_assert_int_eq(*user, 42);
    ck_assert_int_eq(client_map(&c, args.handle, false), 0);
    client_close(&c);
  }
}
END_TEST

/* ---- ranges ---- */

START_TEST(attributes_of_ranges_are_cut_and_joined)
{
  client c;
  struct {
    aqkfd_svm_args head;
    aqkfd_svm_attribute list[2];
  } args;
  client_open(&c, "mi210", NULL);
  char *at = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const uint64_t first = (uintptr_t)at;
  args.head = (aqkfd_svm_args){first, 8 * PAGE, AQKFD_SVM_SET, 1};
  args.list[0] = (aqkfd_svm_attribute){AQKFD_SVM_ACCESS, 2};
  ck_assert_int_eq(CALL(&c, 0x20, &args), 0);
  args.head = (aqkfd_svm_args){first + 2 * PAGE, PAGE, AQKFD_SVM_SET, 2};
  args.list[0] = (aqkfd_svm_attribute){AQKFD_SVM_NO_ACCESS, 2};
  args.list[1] = (aqkfd_svm_attribute){AQKFD_SVM_PREFERRED, 2};
  ck_assert_int_eq(CALL(&c, 0x20, &args), 0);
  const struct {
    uint64_t from, pages;
    uint32_t access, preferred;
  } wanted[] = {{0, 2, AQKFD_SVM_ACCESS, UINT32_MAX},
                {2, 1, AQKFD_SVM_NO_ACCESS, 2},
                {1, 2, AQKFD_SVM_NO_ACCESS, UINT32_MAX},
                {3, 5, AQKFD_SVM_ACCESS, UINT32_MAX}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    args.head = (aqkfd_svm_args){first + wanted[i].from * PAGE,
                                 wanted[i].pages * PAGE, AQKFD_SVM_GET, 2};
    args.list[0] = (aqkfd_svm_attribute){AQKFD_SVM_ACCESS, 2};
    args.list[1] = (aqkfd_svm_attribute){AQKFD_SVM_PREFERRED, 0};
    ck_assert_int_eq(CALL(&c, 0x20, &args), 0);
    ck_assert_uint_eq(args.list[0].type, wanted[i].access);
    ck_assert_uint_eq(args.list[1].value, wanted[i].preferred);
  }
  ck_assert_int_eq(mprotect(at, PAGE, PROT_NONE), 0); /* but it is there */
  args.head = (aqkfd_svm_args){first, PAGE, AQKFD_SVM_SET, 1};
  args.list[0] = (aqkfd_svm_attribute){AQKFD_SVM_GRANULARITY, 5};
  ck_assert_int_eq(CALL(&c, 0x20, &args), 0);
  args.head.start_addr = PAGE; /* it is not */
  ck_assert_int_eq(CALL(&c, 0x20, &args), -EFAULT);
  aqkfd_unmapping(c.process, first + 4 * PAGE, 100); /* its whole page */
  args.head = (aqkfd_svm_args){first + 4 * PAGE, PAGE, AQKFD_SVM_GET, 1};
  args.list[0] = (aqkfd_svm_attribute){AQKFD_SVM_ACCESS, 2};
  ck_assert_int_eq(CALL(&c, 0x20, &args), 0);
  ck_assert_uint_eq(args.list[0].type, AQKFD_SVM_NO_ACCESS);
  args.head = (aqkfd_svm_args){first, 8 * PAGE, AQKFD_SVM_SET, 900};
  ck_assert_int_eq(CALL(&c, 0x20, &args), -EINVAL); /* more than there are */
  client_close(&c);
}
END_TEST

typedef struct svm_call {
  aqkfd_svm_args head;
  aqkfd_svm_attribute list[1];
} svm_call;

static int range_set(client *c, const void *at, uint64_t size, uint32_t type,
                     uint32_t value)
{
  svm_call args = {{(uintptr_t)at, size, AQKFD_SVM_SET, 1}, {{type, value}}};
  return CALL(c, 0x20, &args);
}

/* Whether device 0 may access it. */
static uint32_t range_access(client *c, const void *at, uint64_t size)
{
  svm_call args = {{(uintptr_t)at, size, AQKFD_SVM_GET, 1},
                   {{AQKFD_SVM_ACCESS, 2}}};
  ck_assert_int_eq(CALL(c, 0x20, &args), 0);
  return args.list[0].type;
}

static char *memory_take(size_t size)
{
  char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(at, MAP_FAILED);
  return at;
}

START_TEST(ranges_and_blocks_do_not_overlap)
{
  client c;
  client_open(&c, "mi210", NULL);
  char *at = memory_take(4 * PAGE);
  ck_assert_int_eq(range_set(&c, at + PAGE, PAGE, AQKFD_SVM_ACCESS, 2), 0);
  aqkfd_alloc_memory_of_gpu_args args = {.va_addr = (uintptr_t)at,
                                         .size = 2 * PAGE,
                                         .gpu_id = 2,
                                         .flags = CLIENT_PLAIN};
  ck_assert_int_eq(CALL(&c, 0x16, &args), -EADDRINUSE);
  args.flags = AQKFD_MEMORY_USERPTR;
  args.va_addr = 1 << 30;
  args.mmap_offset = (uintptr_t)at;
  ck_assert_int_eq(CALL(&c, 0x16, &args), -EADDRINUSE);
  args.mmap_offset = (uintptr_t)at + 2 * PAGE;
  ck_assert_int_eq(CALL(&c, 0x16, &args), 0);
  const client_block block = client_allocate(&c, 2 * PAGE, CLIENT_PLAIN);
  ck_assert_int_eq(range_set(&c, block.at + PAGE, PAGE, AQKFD_SVM_ACCESS, 2),
                   -EADDRINUSE);
  client_close(&c);
}
END_TEST

/* Looks an address up all the time, as executors do: without a lock. */
typedef struct finder {
  const aq_allocations *map;
  uint64_t address, lookups, misses;
  int stop; /* atomic */
} finder;

static void *finder_run(void *user)
{
  finder *f = user;
  aq_allocation found;
  while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
    f->misses +=
        !aq_allocations_find(f->map, f->address, 0, AQ_ACCESS_WRITE, &found);
    __atomic_fetch_add(&f->lookups, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

START_TEST(a_kernel_keeps_its_memory_while_attributes_change)
{
  /* gfx9: stores where its argument points, for ever. */
  static const uint32_t loop[] = {
      0xc0060080, 0x00000000, /* s_load_dwordx2 s[2:3], s[0:1], 0x0 */
      0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
      0x7e000280,             /* v_mov_b32 v0, 0 */
      0x7e020280,             /* v_mov_b32 v1, 0 */
      0x68020281,             /* v_add_u32 v1, 1, v1 */
      0xdc708000, 0x00020100, /* global_store_dword v0, v1, s[2:3] */
      0xbf82fffc,             /* s_branch to the addition */
  };
  enum { CHANGES = 300, LOOKUPS = 2000000 /* in which one would miss */ };
  client c;
  client_open(&c, "mi210", NULL);
  char *at = memory_take(4 * PAGE);
  ck_assert_int_eq(range_set(&c, at, 4 * PAGE, AQKFD_SVM_ACCESS, 2), 0);
  const client_block text = client_allocate(&c, PAGE, CLIENT_CODE),
                     data = client_allocate(&c, PAGE, CLIENT_PLAIN);
  client_queue queue = client_queue_create(&c);
  *(uint64_t *)(void *)data.at = (uintptr_t)at;
  client_dispatch(&queue,
                  client_kernel(&text, loop, sizeof loop / sizeof *loop),
                  data.at, NULL);
  uint32_t *word = (void *)at;
  while (__atomic_load_n(word, __ATOMIC_RELAXED) == 0)
    usleep(1000);
  finder f = {aq_wave_machine_executor(c.waves)->allocations, (uintptr_t)at, 0,
              0, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, finder_run, &f);
  for (int i = 0;
       i < CHANGES || __atomic_load_n(&f.lookups, __ATOMIC_RELAXED) < LOOKUPS;
       i++) {
    ck_assert_int_eq(range_set(&c, at, 4 * PAGE,
                               i % 2 ? AQKFD_SVM_ACCESS : AQKFD_SVM_IN_PLACE,
                               2),
                     0);
    /* A part is cut off, and the rest keeps its access. */
    ck_assert_int_eq(
        range_set(&c, at + (1 + i % 3) * PAGE, PAGE,
                  i % 2 ? AQKFD_SVM_SET_FLAGS : AQKFD_SVM_CLEAR_FLAGS,
                  AQKFD_SVM_FLAG_COHERENT),
        0);
  }
  __atomic_store_n(&f.stop, 1, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
  ck_assert_uint_eq(f.misses, 0);
  const uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (int i = 0; i < 5000; i++) {
    if (__atomic_load_n(word, __ATOMIC_RELAXED) != seen)
      break;
    usleep(1000);
  }
  ck_assert_uint_ne(__atomic_load_n(word, __ATOMIC_RELAXED), seen);
  ck_assert_str_eq(c.lines, "");
  client_close(&c);
}
END_TEST

typedef struct looker {
  client *c;
  char *at;
  uint64_t size;
  int stop; /* atomic */
} looker;

/* Keeps the process's lock busy. */
static void *looker_run(void *user)
{
  looker *l = user;
  while (!__atomic_load_n(&l->stop, __ATOMIC_RELAXED))
    range_access(l->c, l->at, l->size);
  return NULL;
}

START_TEST(ranges_end_that_are_unmapped_while_another_thread_calls)
{
  enum { RANGES = 4000 };
  client c;
  pthread_t thread;
  client_open(&c, "mi210", NULL);
  char *at = memory_take((size_t)RANGES * PAGE);
  for (uint32_t i = 0; i < RANGES; i++) /* each another one */
    ck_assert_int_eq(range_set(&c, at + (size_t)i * PAGE, PAGE,
                               i % 2 ? AQKFD_SVM_ACCESS : AQKFD_SVM_IN_PLACE,
                               2),
                     0);
  looker l = {&c, at, (uint64_t)RANGES * PAGE, 0};
  pthread_create(&thread, NULL, looker_run, &l);
  for (uint32_t i = 0; i < RANGES; i++)
    aqkfd_unmapping(c.process, (uintptr_t)at + (size_t)i * PAGE, PAGE);
  __atomic_store_n(&l.stop, 1, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
  for (uint32_t i = 0; i < RANGES; i++)
    ck_assert_uint_eq(range_access(&c, at + (size_t)i * PAGE, PAGE),
                      AQKFD_SVM_NO_ACCESS);
  client_close(&c);
}
END_TEST

AQ_TEST_MAIN("dropin/kfd/memory", memory_is_counted_and_bounded_by_the_device,
             freed_memory_comes_back_zeroed_and_files_share_it,
             memory_is_fresh_until_the_client_or_a_device_may_have_written_it,
             addresses_that_a_device_cannot_have_are_refused,
             two_blocks_at_one_address_are_not_mapped_at_once,
             memory_that_is_mapped_or_has_the_events_is_not_freed,
             devices_reach_blocks_that_the_client_has_not_mapped,
             memory_of_the_program_that_went_comes_back_with_a_mapping,
             attributes_of_ranges_are_cut_and_joined,
             ranges_and_blocks_do_not_overlap,
             a_kernel_keeps_its_memory_while_attributes_change,
             ranges_end_that_are_unmapped_while_another_thread_calls)
