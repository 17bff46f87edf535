/* SPDX-License-Identifier: MIT */
/* Memory of one process in another: handles and files, and when pages are freed
 * as owner and importers end in any order. Other processes are forks that open
 * a driver of their own; their exit status is the line of a failed check. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dropin/kfd/client.h"

enum { PAGE = 4096, SIZE = 4 * PAGE, ROWS = 4096, ROUNDS = 200 };

static int alloc_file(const client *c)
{
  return aqkfd_process_file(c->process);
}

static aqkfd_ipc_export_args share(client *c, const client_block *block)
{
  aqkfd_ipc_export_args args = {
      .handle = block->handle, .gpu_id = 2, .flags = 77};
  ck_assert_int_eq(CALL(c, AQKFD_IPC_EXPORT, &args), 0);
  return args;
}

/* Imports it and maps it, as libhsakmt does: 0, or a negative errno. */
static int take(client *c, const aqkfd_ipc_export_args *from, client_block *out)
{
  aqkfd_ipc_import_args args = {.gpu_id = 2};
  char *at = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(args.share_handle, from->share_handle, sizeof args.share_handle);
  args.va_addr = (uintptr_t)at;
  const int result = CALL(c, AQKFD_IPC_IMPORT, &args);
  if (result != 0) {
    munmap(at, SIZE);
    return result;
  }
  uint64_t offset;
  const int file =
      aqkfd_import_file(c->process, args.mmap_offset, SIZE, &offset);
  ck_assert_int_ge(file, 0);
  ck_assert_ptr_eq(mmap(at, SIZE, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_FIXED, file, (off_t)offset),
                   at);
  close(file);
  ck_assert_uint_eq(args.flags, 77);
  *out = (client_block){.handle = args.handle, .size = SIZE, .at = at};
  return 0;
}

static void drop(client *c, const client_block *block)
{
  aqkfd_free_memory_of_gpu_args gone = {block->handle};
  ck_assert_int_eq(CALL(c, 0x17, &gone), 0);
}

/* Whether a block's pages exist, seen by its file. */
static bool has_data(int file)
{
  return lseek(file, 8192, SEEK_DATA) >= 0 &&
         lseek(file, 8192, SEEK_DATA) < (off_t)1 << 40;
}

/* ---- another process ---- */

typedef struct other {
  pid_t pid;
  int line[2]; /* ours, and the child's */
} other;

static void put(int to, const void *bytes, size_t size)
{
  ck_assert_int_eq(write(to, bytes, size), (ssize_t)size);
}

static void get(int from, void *bytes, size_t size)
{
  ck_assert_int_eq(read(from, bytes, size), (ssize_t)size);
}

static void step(int to)
{
  put(to, "", 1);
}

static void await(int from)
{
  char byte;
  get(from, &byte, 1);
}

/* Runs `work` in a process; before any driver is open here. */
static other start(void (*work)(int line))
{
  other o;
  ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, o.line), 0);
  o.pid = fork();
  if (o.pid == 0) {
    close(o.line[0]);
    work(o.line[1]);
    _exit(0);
  }
  close(o.line[1]); /* so that the end of the other is one of the line */
  return o;
}

static void finish(const other *o, int status)
{
  int ended;
  ck_assert_int_eq(waitpid(o->pid, &ended, 0), o->pid);
  ck_assert_msg(status < 0 ? WIFSIGNALED(ended)
                           : WIFEXITED(ended) && WEXITSTATUS(ended) == status,
                "status %x", (unsigned)ended);
}

#define MUST(it)                                                               \
  do {                                                                         \
    if (!(it))                                                                 \
      _exit(__LINE__ % 200 + 1);                                               \
  } while (0)

/* A kernel stores 42 into a block's first word. */
static void store_42(client *c, const client_block *to)
{
  const client_block text = client_allocate(c, PAGE, CLIENT_CODE);
  const client_block data = client_allocate(c, PAGE, CLIENT_PLAIN);
  client_queue queue = client_queue_create(c);
  const uint32_t event = client_event(c, AQKFD_EVENT_SIGNAL, true);
  aq_amd_signal *done = client_signal(c, &data, 0, event);
  memcpy(data.at + 512, &to->at, sizeof to->at);
  client_dispatch(&queue,
                  client_kernel(&text, client_store_42, CLIENT_STORE_WORDS),
                  data.at + 512, done);
  ck_assert_int_eq(client_wait(c, event, 20000, NULL), 0);
}

/* ---- handles ---- */

static void importer(int line)
{
  client c;
  client_block block;
  aqkfd_ipc_export_args handle;
  client_open(&c, "mi210", NULL);
  const uint64_t all = client_available(&c);
  get(line, &handle, sizeof handle);
  MUST(take(&c, &handle, &block) == 0);
  MUST(client_available(&c) == all);
  MUST(block.at[9] == 7);
  MUST(client_map(&c, block.handle, true) == 0);
  store_42(&c, &block);
  step(line);
  await(line); /* the owner has freed it */
  MUST(block.at[0] == 42 && block.at[9] == 7);
  client_block again;
  MUST(take(&c, &handle, &again) == -EINVAL);
  MUST(client_map(&c, block.handle, false) == 0);
  drop(&c, &block);
  step(line);
  await(line);
  client_close(&c);
}

START_TEST(pages_stay_until_owner_and_importer_have_freed_them)
{
  const other o = start(importer);
  client c;
  client_open(&c, "mi210", NULL);
  const client_block block =
      client_allocate(&c, SIZE, CLIENT_CODE | AQKFD_MEMORY_WRITABLE);
  memset(block.at, 7, SIZE);
  const aqkfd_ipc_export_args handle = share(&c, &block);
  put(o.line[0], &handle, sizeof handle);
  await(o.line[0]);
  ck_assert_int_eq(block.at[0], 42);
  ck_assert_int_eq(client_map(&c, block.handle, false), 0);
  drop(&c, &block);
  ck_assert(has_data(alloc_file(&c)));
  step(o.line[0]);
  await(o.line[0]);
  ck_assert(!has_data(alloc_file(&c)));
  step(o.line[0]);
  finish(&o, 0);
  client_close(&c);
}
END_TEST

static void killed_importer(int line)
{
  client c;
  client_block block;
  aqkfd_ipc_export_args handle;
  client_open(&c, "mi210", NULL);
  get(line, &handle, sizeof handle);
  MUST(take(&c, &handle, &block) == 0);
  step(line);
  pause();
}

START_TEST(an_importer_that_is_killed_leaves_the_owner_its_memory)
{
  const other o = start(killed_importer);
  client c;
  client_open(&c, "mi210", NULL);
  const client_block block = client_allocate(&c, SIZE, CLIENT_PLAIN);
  memset(block.at, 7, SIZE);
  const aqkfd_ipc_export_args handle = share(&c, &block);
  put(o.line[0], &handle, sizeof handle);
  await(o.line[0]);
  kill(o.pid, SIGKILL);
  finish(&o, -1);
  ck_assert_int_eq(block.at[5], 7);
  client_close(&c);
}
END_TEST

static void killed_owner(int line)
{
  client c;
  client_open(&c, "mi210", NULL);
  const client_block block = client_allocate(&c, SIZE, CLIENT_PLAIN);
  memset(block.at, 7, SIZE);
  const aqkfd_ipc_export_args handle = share(&c, &block);
  put(line, &handle, sizeof handle);
  pause();
}

START_TEST(an_owner_that_is_killed_leaves_importers_its_memory)
{
  const other o = start(killed_owner);
  client c;
  client_block block, again;
  aqkfd_ipc_export_args handle;
  client_open(&c, "mi210", NULL);
  get(o.line[0], &handle, sizeof handle);
  ck_assert_int_eq(take(&c, &handle, &block), 0);
  kill(o.pid, SIGKILL);
  finish(&o, -1);
  ck_assert_int_eq(block.at[5], 7);
  ck_assert_int_eq(client_map(&c, block.handle, true), 0);
  ck_assert_int_eq(take(&c, &handle, &again), -EINVAL);
  ck_assert(client_was_told(&c, "IPC memory of process "));
  client_close(&c);
}
END_TEST

START_TEST(handles_that_name_nothing_are_refused)
{
  client c;
  client_block taken;
  client_open(&c, "mi210", NULL);
  const client_block block = client_allocate(&c, SIZE, CLIENT_PLAIN);
  const aqkfd_ipc_export_args good = share(&c, &block);
  ck_assert_mem_eq(share(&c, &block).share_handle, good.share_handle,
                   sizeof good.share_handle);
  for (int word = 0; word < 4; word++) {
    aqkfd_ipc_export_args bad = good;
    bad.share_handle[word] ^= 4;
    ck_assert_int_eq(take(&c, &bad, &taken), -EINVAL);
  }
  ck_assert_int_eq(take(&c, &(aqkfd_ipc_export_args){0}, &taken), -EINVAL);
  aqkfd_ipc_import_args args = {.gpu_id = 9, .va_addr = 1 << 30};
  memcpy(args.share_handle, good.share_handle, sizeof args.share_handle);
  ck_assert_int_eq(CALL(&c, AQKFD_IPC_IMPORT, &args), -EINVAL);
  args.gpu_id = 2;
  args.va_addr++;
  ck_assert_int_eq(CALL(&c, AQKFD_IPC_IMPORT, &args), -EINVAL);
  uint64_t offset;
  ck_assert_int_eq(aqkfd_import_file(c.process, PAGE, PAGE, &offset), -1);
  /* In its own process it is one more block of the pages. */
  ck_assert_int_eq(take(&c, &good, &taken), 0);
  taken.at[3] = 5;
  ck_assert_int_eq(block.at[3], 5);
  aqkfd_ipc_export_args onward = {.handle = taken.handle, .gpu_id = 2};
  ck_assert_int_eq(CALL(&c, AQKFD_IPC_EXPORT, &onward), -EINVAL);
  onward.handle = 12345;
  ck_assert_int_eq(CALL(&c, AQKFD_IPC_EXPORT, &onward), -EINVAL);
  client_close(&c);
}
END_TEST

START_TEST(a_process_shares_so_many_blocks_at_once)
{
  client c;
  client_open(&c, "mi210", NULL);
  aqkfd_alloc_memory_of_gpu_args block = {
      .va_addr = 1 << 30, .size = PAGE, .gpu_id = 2, .flags = CLIENT_PLAIN};
  aqkfd_ipc_export_args out = {.gpu_id = 2};
  for (int i = 0; i < ROWS; i++) {
    ck_assert_int_eq(CALL(&c, 0x16, &block), 0);
    out.handle = block.handle;
    ck_assert_int_eq(CALL(&c, AQKFD_IPC_EXPORT, &out), 0);
  }
  aqkfd_free_memory_of_gpu_args last = {block.handle};
  ck_assert_int_eq(CALL(&c, 0x16, &block), 0);
  out.handle = block.handle;
  ck_assert_int_eq(CALL(&c, AQKFD_IPC_EXPORT, &out), -ENOSPC);
  ck_assert_int_eq(CALL(&c, 0x17, &last), 0);
  ck_assert_int_eq(CALL(&c, AQKFD_IPC_EXPORT, &out), 0);
  client_close(&c);
}
END_TEST

/* ---- files ---- */

static void file_send(int line, int fd)
{
  char byte = 0;
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof fd)];
  } control = {.head = {.cmsg_len = CMSG_LEN(sizeof fd),
                        .cmsg_level = SOL_SOCKET,
                        .cmsg_type = SCM_RIGHTS}};
  memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
  const struct msghdr message = {.msg_iov = &(struct iovec){&byte, 1},
                                 .msg_iovlen = 1,
                                 .msg_control = &control,
                                 .msg_controllen = sizeof control};
  ck_assert_int_eq(sendmsg(line, &message, 0), 1);
}

static int file_receive(int line)
{
  char byte;
  int fd = -1;
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof fd)];
  } control;
  struct msghdr message = {.msg_iov = &(struct iovec){&byte, 1},
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  MUST(recvmsg(line, &message, 0) == 1);
  memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
  return fd;
}

static void file_importer(int line)
{
  client c;
  client_open(&c, "mi210", NULL);
  const int fd = file_receive(line);
  aqkfd_get_dmabuf_info_args info = {.dmabuf_fd = (uint32_t)fd};
  MUST(CALL(&c, 0x1c, &info) == 0);
  MUST(info.size == SIZE && info.gpu_id == 2);
  char *at = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  aqkfd_import_dmabuf_args in = {
      .va_addr = (uintptr_t)at, .gpu_id = 2, .dmabuf_fd = (uint32_t)fd};
  MUST(CALL(&c, 0x1d, &in) == 0);
  const client_block block = {.handle = in.handle, .size = SIZE, .at = at};
  MUST(client_map(&c, block.handle, true) == 0);
  store_42(&c, &block);
  /* It stands for the block still, though pages behind it have data. */
  MUST(CALL(&c, 0x1c, &info) == 0 && info.size == SIZE);
  close(fd);
  client_close(&c);
}

START_TEST(a_file_of_a_block_serves_another_process)
{
  const other o = start(file_importer);
  client c;
  client_open(&c, "mi210", NULL);
  const client_block block = client_allocate(&c, SIZE, CLIENT_PLAIN);
  client_allocate(&c, 2 * SIZE, CLIENT_PLAIN).at[0] = 1;
  aqkfd_export_dmabuf out = {.handle = block.handle};
  ck_assert_int_eq(CALL(&c, 0x24, &out), 0);
  const off_t at = lseek((int)out.fd, 0, SEEK_CUR);
  file_send(o.line[0], (int)out.fd);
  finish(&o, 0);
  ck_assert_int_eq(block.at[0], 42);
  ck_assert_int_eq(lseek((int)out.fd, 0, SEEK_CUR), at);
  close((int)out.fd);
  /* A handle of the block has flags of its own. */
  client_block taken;
  const aqkfd_ipc_export_args handle = share(&c, &block);
  ck_assert_int_eq(take(&c, &handle, &taken), 0);
  client_close(&c);
}
END_TEST

/* ---- at once ---- */

static aqkfd_ipc_export_args current;
static int changes, stop;

static void *takers_run(void *user)
{
  client *c = user;
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    aqkfd_ipc_export_args handle;
    const int before = __atomic_load_n(&changes, __ATOMIC_ACQUIRE);
    for (size_t i = 0; i < 4; i++)
      handle.share_handle[i] =
          __atomic_load_n(&current.share_handle[i], __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (before % 2 || before != __atomic_load_n(&changes, __ATOMIC_RELAXED))
      continue;
    client_block block;
    if (take(c, &handle, &block) != 0)
      continue;
    /* Every word is the number of its block, as long as it is held. */
    const uint32_t *words = (const void *)block.at;
    ck_assert_uint_eq(words[0], words[SIZE / 4 - 1]);
    ck_assert_uint_ne(words[0], 0);
    munmap(block.at, SIZE);
    drop(c, &block);
  }
  return NULL;
}

START_TEST(blocks_come_and_go_while_others_take_them)
{
  client c;
  pthread_t takers[2];
  client_open(&c, "mi210", NULL);
  changes = 1;
  stop = 0;
  for (size_t i = 0; i < 2; i++)
    pthread_create(&takers[i], NULL, takers_run, &c);
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    const client_block block = client_allocate(&c, SIZE, CLIENT_PLAIN);
    for (size_t i = 0; i < SIZE / 4; i++)
      ((uint32_t *)(void *)block.at)[i] = round;
    const aqkfd_ipc_export_args handle = share(&c, &block);
    for (size_t i = 0; i < 4; i++)
      __atomic_store_n(&current.share_handle[i], handle.share_handle[i],
                       __ATOMIC_RELAXED);
    __atomic_fetch_add(&changes, 1, __ATOMIC_RELEASE);
    sched_yield();
    ck_assert_int_eq(client_map(&c, block.handle, false), 0);
    munmap(block.at, SIZE);
    drop(&c, &block);
    __atomic_fetch_add(&changes, 1, __ATOMIC_ACQ_REL);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  for (size_t i = 0; i < 2; i++)
    pthread_join(takers[i], NULL);
  /* All are freed: no page is left, and the first row is free. */
  ck_assert(!has_data(alloc_file(&c)));
  const client_block last = client_allocate(&c, SIZE, CLIENT_PLAIN);
  ck_assert_uint_eq(share(&c, &last).share_handle[1] % ROWS, 0);
  client_close(&c);
}
END_TEST

AQ_TEST_MAIN("dropin/kfd/sharing",
             pages_stay_until_owner_and_importer_have_freed_them,
             an_importer_that_is_killed_leaves_the_owner_its_memory,
             an_owner_that_is_killed_leaves_importers_its_memory,
             handles_that_name_nothing_are_refused,
             a_process_shares_so_many_blocks_at_once,
             a_file_of_a_block_serves_another_process,
             blocks_come_and_go_while_others_take_them)
