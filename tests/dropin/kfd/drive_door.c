/* SPDX-License-Identifier: MIT */
/*
 * A program above `exec --runtime installed` without AMD's libraries: it opens
 * /dev/kfd and makes the calls that libhsakmt makes. Each command prints a
 * line.
 *
 *   run N          N dispatches, one after the other
 *   processes N    N processes at once, of one dispatch each
 *   fork           a dispatch, and one of a child that opens the driver itself
 *   threads T N    T threads with a queue each, N dispatches in all
 *   memory N       N dispatches: how much memory came after the first tenth
 *   share          a block by its file, under a second address
 *   handle         a block by its IPC handle, mapped by the driver alone; and
 *                  calls of munmap that fail
 *   cus            compute units of device 0, as its render node has them
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dropin/kfd/client.h"
#include "gpu/codeobj/code_object.h"

enum { PAGE = 4096 };

/* What one thread dispatches with. */
typedef struct worker {
  client *c;
  client_block text, data;
  client_queue queue;
  uint64_t object;
  uint32_t event;
  unsigned count;
  pthread_t thread;
} worker;

static void worker_open(worker *w, client *c)
{
  *w = (worker){.c = c,
                .text = client_allocate(c, PAGE, CLIENT_CODE),
                .data = client_allocate(c, PAGE, CLIENT_PLAIN),
                .event = client_event(c, AQKFD_EVENT_SIGNAL, true),
                .queue = client_queue_create(c)};
  w->object = client_kernel(&w->text, client_store_42, CLIENT_STORE_WORDS);
  *(uint64_t *)(void *)(w->data.at + 64) = (uintptr_t)w->data.at;
}

static void worker_dispatch(worker *w)
{
  int *word = (void *)w->data.at;
  *word = 0;
  client_dispatch(&w->queue, w->object, w->data.at + 64,
                  client_signal(w->c, &w->data, 1024, w->event));
  ck_assert_int_eq(client_wait(w->c, w->event, 60000, NULL),
                   AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(*word, 42);
}

static void *worker_run(void *user)
{
  worker *w = user;
  for (unsigned i = 0; i < w->count; i++)
    worker_dispatch(w);
  return NULL;
}

static int64_t wall_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void run(unsigned count)
{
  client c;
  worker w;
  client_open_door(&c);
  worker_open(&w, &c);
  w.count = count;
  worker_run(&w);
  printf("%u dispatches\n", count);
}

static void processes(const char *self, unsigned count)
{
  unsigned ended = 0;
  for (unsigned i = 0; i < count; i++)
    if (fork() == 0) {
      execl(self, self, "run", "1", NULL);
      _exit(127);
    }
  for (int status; wait(&status) > 0;)
    ended += status == 0;
  printf("%u of %u processes\n", ended, count);
}

static void forked(void)
{
  run(1);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    run(1);
    exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  printf("the child ended with %d\n", status);
}

static void threads(unsigned count, unsigned dispatches)
{
  client c;
  client_open_door(&c);
  worker *all = calloc(count, sizeof *all);
  for (unsigned i = 0; i < count; i++) {
    worker_open(&all[i], &c);
    all[i].count = dispatches / count;
    worker_dispatch(&all[i]); /* its kernel is known */
  }
  const int64_t begin = wall_ns();
  for (unsigned i = 0; i < count; i++)
    pthread_create(&all[i].thread, NULL, worker_run, &all[i]);
  for (unsigned i = 0; i < count; i++)
    pthread_join(all[i].thread, NULL);
  const double s = (double)(wall_ns() - begin) / 1e9;
  const unsigned made = dispatches / count * count;
  printf("%u threads, %u dispatches, %.3f s, %.0f a second\n", count, made, s,
         made / s);
  free(all);
}

static long resident_kib(void)
{
  FILE *file = fopen("/proc/self/statm", "r");
  long pages = 0;
  ck_assert_int_eq(fscanf(file, "%*d %ld", &pages), 1);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void memory(unsigned count)
{
  client c;
  worker w;
  client_open_door(&c);
  worker_open(&w, &c);
  w.count = count / 10;
  worker_run(&w);
  const long begin = resident_kib();
  w.count = count - count / 10;
  worker_run(&w);
  printf("%u dispatches, %ld KiB resident, %ld more\n", count, begin,
         resident_kib() - begin);
}

static void share(void)
{
  client c;
  worker w;
  uint32_t device = 2;
  client_open_door(&c);
  worker_open(&w, &c);
  const client_block block = client_allocate(&c, PAGE, CLIENT_PLAIN);
  aqkfd_export_dmabuf out = {.handle = block.handle};
  ck_assert_int_eq(CALL(&c, 0x24, &out), 0);
  char *at = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  aqkfd_import_dmabuf_args in = {
      .va_addr = (uintptr_t)at, .gpu_id = device, .dmabuf_fd = out.fd};
  ck_assert_int_eq(CALL(&c, 0x1d, &in), 0);
  ck_assert_int_eq(client_map(&c, in.handle, true), 0);
  ck_assert_ptr_eq(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, (int)out.fd, 0),
                   MAP_FAILED); /* it would be another block's */
  close((int)out.fd);
  /* The device stores under the second address. */
  *(uint64_t *)(void *)(w.data.at + 64) = (uintptr_t)at;
  client_dispatch(&w.queue, w.object, w.data.at + 64,
                  client_signal(&c, &w.data, 1024, w.event));
  ck_assert_int_eq(client_wait(&c, w.event, 60000, NULL), AQKFD_WAIT_COMPLETE);
  printf("shared %d\n", *(int *)(void *)block.at);
}

static void handle(void)
{
  client c;
  worker w;
  client_open_door(&c);
  worker_open(&w, &c);
  const client_block block = client_allocate(&c, PAGE, CLIENT_PLAIN);
  aqkfd_ipc_export_args out = {.handle = block.handle, .gpu_id = 2};
  ck_assert_int_eq(CALL(&c, AQKFD_IPC_EXPORT, &out), 0);
  char *at = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  aqkfd_ipc_import_args in = {.va_addr = (uintptr_t)at, .gpu_id = 2};
  memcpy(in.share_handle, out.share_handle, sizeof in.share_handle);
  ck_assert_int_eq(CALL(&c, AQKFD_IPC_IMPORT, &in), 0);
  ck_assert_int_eq(client_map(&c, in.handle, true), 0);
  ck_assert_int_eq(munmap(w.data.at + 8, 100), -1); /* nothing goes */
  ck_assert_int_eq(munmap(w.data.at, 0), -1);
  *(uint64_t *)(void *)(w.data.at + 64) = (uintptr_t)at;
  client_dispatch(&w.queue, w.object, w.data.at + 64,
                  client_signal(&c, &w.data, 1024, w.event));
  ck_assert_int_eq(client_wait(&c, w.event, 60000, NULL), AQKFD_WAIT_COMPLETE);
  /* Pages of its own there, which go while the device has them. */
  ck_assert_int_eq(client_map(&c, in.handle, false), 0);
  ck_assert_ptr_eq(mmap(at, PAGE, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_FIXED, c.file, (off_t)in.mmap_offset),
                   at);
  ck_assert_int_eq(*(int *)(void *)at, 42);
  ck_assert_int_eq(client_map(&c, in.handle, true), 0);
  ck_assert_int_eq(munmap(at, PAGE), 0);
  w.count = 1;
  *(uint64_t *)(void *)(w.data.at + 64) = (uintptr_t)w.data.at;
  worker_run(&w);
  printf("handled %d\n", *(int *)(void *)block.at);
}

static void cus(void)
{
  const int file = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  aqkfd_render_device device = {0};
  aqkfd_render_info info = {.out = (uintptr_t)&device,
                            .size = sizeof device,
                            .query = AQKFD_RENDER_DEVICE};
  ck_assert_int_ge(file, 0);
  ck_assert_int_eq(
      ioctl(file, _IOC(_IOC_WRITE, 'd', AQKFD_RENDER_INFO, sizeof info), &info),
      0);
  printf("%u compute units\n", device.cus);
}

static unsigned number(const char *text)
{
  return (unsigned)strtoul(text, NULL, 10);
}

static struct {
  int count;
  char **words;
  bool known;
} line;

static bool is(const char *command, int count)
{
  line.known |= line.count == count && strcmp(line.words[1], command) == 0;
  return line.count == count && strcmp(line.words[1], command) == 0;
}

/* Assertions need a test around them. */
START_TEST(the_command_runs)
{
  char **words = line.words;
  if (is("run", 3))
    run(number(words[2]));
  if (is("processes", 3))
    processes(words[0], number(words[2]));
  if (is("fork", 2))
    forked();
  if (is("threads", 4))
    threads(number(words[2]), number(words[3]));
  if (is("memory", 3))
    memory(number(words[2]));
  if (is("share", 2))
    share();
  if (is("handle", 2))
    handle();
  if (is("cus", 2))
    cus();
  ck_assert(line.known);
}
END_TEST

int main(int count, char **words)
{
  if (count < 2)
    return 2;
  line.count = count;
  line.words = words;
  Suite *suite = suite_create("door");
  TCase *tests = tcase_create("door");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, the_command_runs);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_SILENT);
  const int failed = srunner_ntests_failed(runner);
  TestResult **results = srunner_failures(runner);
  for (int i = 0; i < failed; i++)
    fprintf(stderr, "%s\n", tr_msg(results[i]));
  free(results);
  srunner_free(runner);
  return failed > 0;
}
