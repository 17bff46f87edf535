/* SPDX-License-Identifier: MIT */
/* Memory that goes away while a kernel uses it, and the handlers of a program
 * whose process executes kernels. */
#include "support/aqtest.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/allocations.h"
#include "gpu/codeobj/descriptor.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/threads/thread_pool.h"

enum { PAGE = 4096, USER_REGISTERS = 2 << 1, KERNARG_POINTER = 1 << 3 };

/* Sets the first word to 1 and reads the second for ever. */
typedef struct kernel_code {
  aq_kernel_descriptor descriptor;
  uint32_t words[16];
} kernel_code;

static const kernel_code kernel __attribute__((aligned(256))) = {
    .descriptor = {.kernarg_size = 16,
                   .entry_offset = sizeof(aq_kernel_descriptor),
                   .rsrc2 = USER_REGISTERS,
                   .properties = KERNARG_POINTER},
    .words = {
        0xc00a0100, 0x00000000, /* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
        0x7e000280,             /* v_mov_b32_e32 v0, 0 */
        0x7e020281,             /* v_mov_b32_e32 v1, 1 */
        0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
        0xdc708000, 0x00040100, /* global_store_dword v0, v1, s[4:5] */
        0xdc508000, 0x02060000, /* global_load_dword v2, v0, s[6:7] */
        0xbf82fffd,             /* s_branch 65533 */
    }};

/* The same, each lane a word of its own, whose offset it forgets. */
static const kernel_code lanes_kernel __attribute__((aligned(256))) = {
    .descriptor = {.kernarg_size = 16,
                   .entry_offset = sizeof(aq_kernel_descriptor),
                   .rsrc2 = USER_REGISTERS,
                   .properties = KERNARG_POINTER},
    .words = {
        0xc00a0100, 0x00000000, /* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
        0x7e060280,             /* v_mov_b32_e32 v3, 0 */
        0x7e020281,             /* v_mov_b32_e32 v1, 1 */
        0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
        0xdc708000, 0x00040103, /* global_store_dword v3, v1, s[4:5] */
        0x24080082,             /* v_lshlrev_b32_e32 v4, 2, v0 */
        0xdc508000, 0x02060004, /* global_load_dword v2, v4, s[6:7] */
        0x7e080280,             /* v_mov_b32_e32 v4, 0 */
        0xbf82fffb,             /* s_branch 65531 */
    }};

typedef struct arguments {
  uint32_t *started;
  const uint32_t *read;
} arguments;

/* An execution of the kernel by a thread of its own, until a fault. */
typedef struct running {
  const kernel_code *code;
  bool compiled;
  arguments arguments;
  uint32_t started;
  aq_execution_step step;
  pthread_t thread;
} running;

static void *execute(void *user)
{
  running *r = user;
  aq_diag diag = AQ_DIAG_INIT;
  aq_wave_machine *machine;
  const aq_kernel_packet packet = {.setup = 1,
                                   .workgroup_size = {64, 1, 1},
                                   .grid_size = {64, 1, 1},
                                   .kernel_object = (uintptr_t)r->code,
                                   .kernarg_address = (uintptr_t)&r->arguments};
  const aq_execution_desc desc = {.packet = &packet,
                                  .kernel = "reads",
                                  .gfx = "gfx90a",
                                  .cus = 1,
                                  .wave_size = 64};
  void *execution;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL); /* as workers do */
  ck_assert_status(aq_wave_machine_create(&machine, &diag), AQ_OK, &diag);
  if (r->compiled)
    ck_assert_status(aq_wave_machine_compile(
                         machine, &(aq_jit_options){.always = true}, &diag),
                     AQ_OK, &diag);
  const aq_executor *executor = aq_wave_machine_executor(machine);
  ck_assert_status(executor->begin(executor->user, &desc, &execution, &diag),
                   AQ_OK, &diag);
  while (executor->step(execution, 1 << 16, 0, &r->step) != AQ_EXECUTION_FAULT)
    ;
  executor->end(execution);
  aq_wave_machine_destroy(machine);
  return NULL;
}

static void start_code(running *r, const kernel_code *code, bool compiled,
                       const uint32_t *read)
{
  *r = (running){
      .code = code, .compiled = compiled, .arguments = {.read = read}};
  r->arguments.started = &r->started;
  ck_assert_int_eq(pthread_create(&r->thread, NULL, execute, r), 0);
  while (!__atomic_load_n(&r->started, __ATOMIC_ACQUIRE))
    sched_yield();
}

static void start(running *r, const uint32_t *read)
{
  start_code(r, &kernel, false, read);
}

static void expect_lost(running *r, const void *address)
{
  pthread_join(r->thread, NULL);
  ck_assert_int_eq(r->step.fault.kind, AQ_EXECUTION_FAULT_MEMORY);
  ck_assert_uint_eq(r->step.fault.address, (uintptr_t)address);
  ck_assert_msg(strstr(r->step.fault.text, "kernel reads+0x1c ") != NULL &&
                    strstr(r->step.fault.text,
                           "global_load_dword v2, v0, s[6:7]: workgroup 0,0,0 "
                           "wave 0") != NULL,
                "%s", r->step.fault.text);
}

static void *page_map(void)
{
  void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(page, MAP_FAILED);
  return page;
}

static void no_handlers_check(void)
{
  static const int numbers[] = {SIGSEGV, SIGBUS};
  for (int i = 0; i < 2; i++) {
    struct sigaction now;
    sigaction(numbers[i], NULL, &now);
    ck_assert_ptr_eq((void *)now.sa_handler, (void *)SIG_DFL);
  }
}

START_TEST(memory_that_is_unmapped_meanwhile_is_a_fault)
{
  running r;
  uint32_t *page = page_map();
  signal(SIGSEGV, SIG_DFL);
  signal(SIGBUS, SIG_DFL);
  start(&r, page);
  munmap(page, PAGE);
  expect_lost(&r, page);
  no_handlers_check();
}
END_TEST

/* Compiled code has the lanes' offsets in registers of the host then. */
START_TEST(the_lane_is_named_whose_word_was_unmapped)
{
  enum { BEFORE = 40 };
  for (int compiled = 0; compiled < 2; compiled++) {
    running r;
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    char *second = pages + PAGE;
    start_code(&r, &lanes_kernel, compiled,
               (const uint32_t *)(const void *)second - BEFORE);
    munmap(second, PAGE);
    pthread_join(r.thread, NULL);
    /* Some lanes may have read theirs at that moment. */
    const uint64_t passed = (r.step.fault.address - (uintptr_t)second) / 4;
    char want[100];
    snprintf(want, sizeof want,
             "global_load_dword v2, v4, s[6:7]: workgroup 0,0,0 wave 0 lane "
             "%u accesses ",
             BEFORE + (unsigned)passed);
    ck_assert_uint_lt(passed, 64 - BEFORE);
    ck_assert_msg(strstr(r.step.fault.text, want) != NULL, "%s",
                  r.step.fault.text);
    munmap(pages, PAGE);
  }
}
END_TEST

START_TEST(a_file_that_is_truncated_meanwhile_is_a_fault)
{
  running r;
  const int file = memfd_create("truncated", MFD_CLOEXEC);
  ck_assert_int_ge(file, 0);
  ck_assert_int_eq(ftruncate(file, PAGE), 0);
  uint32_t *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);
  ck_assert_ptr_ne(page, MAP_FAILED);
  signal(SIGSEGV, SIG_DFL);
  signal(SIGBUS, SIG_DFL);
  start(&r, page + 3);
  ck_assert_int_eq(ftruncate(file, 0), 0);
  expect_lost(&r, page + 3);
  no_handlers_check();
  munmap(page, PAGE);
  close(file);
}
END_TEST

static sigjmp_buf program_out;
static void *volatile program_address;

static void program_handle(int number, siginfo_t *info, void *context)
{
  (void)number, (void)context;
  program_address = info->si_addr;
  siglongjmp(program_out, 1);
}

START_TEST(the_handler_of_the_program_gets_its_own_faults)
{
  running r;
  uint32_t *page = page_map(), *own = page_map();
  const struct sigaction action = {.sa_sigaction = program_handle,
                                   .sa_flags = SA_SIGINFO};
  struct sigaction now;
  mprotect(own, PAGE, PROT_NONE); /* nothing else takes its place */
  sigaction(SIGSEGV, &action, NULL);
  start(&r, page);
  for (int i = 0; i < 100; i++) {
    program_address = NULL;
    if (sigsetjmp(program_out, 1) == 0)
      *(volatile uint32_t *)own = 1;
    ck_assert_ptr_eq(program_address, own);
  }
  munmap(page, PAGE);
  expect_lost(&r, page);
  sigaction(SIGSEGV, NULL, &now);
  ck_assert_ptr_eq((void *)now.sa_sigaction, (void *)program_handle);
  signal(SIGSEGV, SIG_DFL);
  munmap(own, PAGE);
}
END_TEST

START_TEST(a_handler_that_is_set_meanwhile_stays)
{
  running r;
  uint32_t *page = page_map();
  const struct sigaction action = {.sa_sigaction = program_handle,
                                   .sa_flags = SA_SIGINFO};
  struct sigaction now;
  signal(SIGBUS, SIG_DFL);
  start(&r, page);
  sigaction(SIGBUS, &action, NULL);
  munmap(page, PAGE);
  expect_lost(&r, page);
  sigaction(SIGBUS, NULL, &now);
  ck_assert_ptr_eq((void *)now.sa_sigaction, (void *)program_handle);
  signal(SIGBUS, SIG_DFL);
}
END_TEST

START_TEST(a_forked_child_has_the_handlers_of_the_program)
{
  running r;
  uint32_t *page = page_map(), *own = page_map();
  int status;
  mprotect(own, PAGE, PROT_NONE); /* nothing else takes its place */
  signal(SIGSEGV, SIG_DFL);
  start(&r, page);
  for (int i = 0; i < 20; i++) {
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
      struct sigaction now;
      sigaction(SIGSEGV, NULL, &now);
      if (now.sa_handler != SIG_DFL)
        _exit(3);
      *(volatile uint32_t *)own = 1; /* NOLINT: has to fault */
      _exit(4);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGSEGV);
  }
  munmap(page, PAGE);
  expect_lost(&r, page);
  munmap(own, PAGE);
}
END_TEST

/* The signals that a thread of this process blocks. */
static unsigned long long blocked_by(const char *thread)
{
  char path[64], line[128];
  unsigned long long blocked = 0;
  snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
  FILE *in = fopen(path, "r");
  while (in && fgets(line, sizeof line, in))
    if (sscanf(line, "SigBlk: %llx", &blocked) == 1)
      break;
  if (in)
    fclose(in);
  return blocked;
}

/* Threads of this process; a sanitizer has one of its own. */
static unsigned threads_count(void)
{
  unsigned count = 0;
  DIR *tasks = opendir("/proc/self/task");
  ck_assert_ptr_nonnull(tasks);
  for (const struct dirent *task; (task = readdir(tasks));)
    count += strtol(task->d_name, NULL, 10) != 0;
  closedir(tasks);
  return count;
}

static void part_run(void *user, unsigned part)
{
  (void)user, (void)part;
}

START_TEST(threads_of_the_executor_block_the_signals_of_the_program)
{
  static const int numbers[] = {SIGINT,  SIGTERM, SIGCHLD,
                                SIGALRM, SIGUSR1, SIGPROF};
  sigset_t before, after;
  const unsigned others = threads_count();
  pthread_sigmask(SIG_SETMASK, NULL, &before);
  aq_thread_pool *thread_pool = aq_thread_pool_create(3);
  /* A thread that has not begun blocks all signals in any case. */
  aq_thread_pool_run(thread_pool, 3, part_run, NULL);
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  DIR *tasks = opendir("/proc/self/task");
  ck_assert_ptr_nonnull(tasks);
  for (const struct dirent *task; (task = readdir(tasks));) {
    const long id = strtol(task->d_name, NULL, 10);
    if (id == 0 || id == (long)getpid())
      continue;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
      ck_assert_msg(blocked_by(task->d_name) >> (numbers[i] - 1) & 1,
                    "thread %ld takes signal %d", id, numbers[i]);
  }
  closedir(tasks);
  ck_assert_uint_eq(threads_count() - others, 2);
  for (int i = 1; i < SIGRTMIN; i++)
    ck_assert_int_eq(sigismember(&before, i), sigismember(&after, i));
  aq_thread_pool_destroy(thread_pool);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/guard", memory_that_is_unmapped_meanwhile_is_a_fault,
             the_lane_is_named_whose_word_was_unmapped,
             a_file_that_is_truncated_meanwhile_is_a_fault,
             the_handler_of_the_program_gets_its_own_faults,
             a_handler_that_is_set_meanwhile_stays,
             a_forked_child_has_the_handlers_of_the_program,
             threads_of_the_executor_block_the_signals_of_the_program)
