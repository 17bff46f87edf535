/* SPDX-License-Identifier: MIT */
/* Steps of grids: workgroups that begin and end, threads that share a grid, and
 * code that changes. */
#include "support/aqtest.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/allocations.h"
#include "gpu/codeobj/descriptor.h"
#include "gpu/wave/core/observe.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/threads/thread_pool.h"

enum { PAGE = 4096, USER_REGISTERS = 2 << 1, KERNARG_POINTER = 1 << 3 };

typedef struct code {
  aq_kernel_descriptor descriptor;
  uint32_t words[24];
} code;

#define DESCRIPTOR                                                             \
  {                                                                            \
    .kernarg_size = 16, .entry_offset = sizeof(aq_kernel_descriptor),          \
    .rsrc2 = USER_REGISTERS, .properties = KERNARG_POINTER                     \
  }

/* Stores 1 to *kernarg. */
static const code stores __attribute__((aligned(256))) = {
    .descriptor = DESCRIPTOR,
    .words = {
        0xc0060100, 0x00000000, /* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
        0x7e000280,             /* v_mov_b32_e32 v0, 0 */
        0x7e020281,             /* v_mov_b32_e32 v1, 1 */
        0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
        0xdc708000, 0x00040100, /* global_store_dword v0, v1, s[4:5] */
        0xbf810000,             /* s_endpgm */
    }};
enum { STORED_WORD = 3 };

/* Reads *kernarg for ever. */
static const code reads __attribute__((aligned(256))) = {
    .descriptor = DESCRIPTOR,
    .words = {
        0xc0060100, 0x00000000, /* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
        0x7e000280,             /* v_mov_b32_e32 v0, 0 */
        0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
        0xdc508000, 0x02040000, /* global_load_dword v2, v0, s[4:5] */
        0xbf82fffd,             /* s_branch 65533 */
    }};

/* Counts down from 0x4000, then reads *kernarg until it is not 0: gfx1100. */
static const code counts_and_reads __attribute__((aligned(256))) = {
    .descriptor = {.kernarg_size = 16,
                   .entry_offset = sizeof(aq_kernel_descriptor),
                   .rsrc2 = USER_REGISTERS,
                   .properties = KERNARG_POINTER | AQ_KERNEL_WAVE32},
    .words = {
        0xf4040100, 0xf8000000, /* s_load_b64 s[4:5], s[0:1], 0x0 */
        0xb0064000,             /* s_movk_i32 s6, 0x4000 */
        0xbf89fc07,             /* s_waitcnt lgkmcnt(0) */
        0x80868106,             /* s_sub_u32 s6, s6, 1 */
        0xbf078006,             /* s_cmp_lg_u32 s6, 0 */
        0xbfa2fffd,             /* s_cbranch_scc1 -3 */
        0xf40001c2, 0xf8000000, /* s_load_b32 s7, s[4:5], 0x0 */
        0xbf89fc07,             /* s_waitcnt lgkmcnt(0) */
        0xbf068007,             /* s_cmp_eq_u32 s7, 0 */
        0xbfa2fffb,             /* s_cbranch_scc1 -5 */
        0xbfb00000,             /* s_endpgm */
    }};

typedef struct bench {
  aq_wave_machine *machine;
  const aq_executor *executor;
  aq_diag diag;
  aq_kernel_packet packet;
  aq_execution_desc desc;
  aq_execution_step step;
} bench;

static void open_bench(bench *b)
{
  memset(b, 0, sizeof *b);
  b->diag = (aq_diag)AQ_DIAG_INIT;
  ck_assert_status(aq_wave_machine_create(&b->machine, &b->diag), AQ_OK,
                   &b->diag);
  b->executor = aq_wave_machine_executor(b->machine);
}

/* An execution of workgroups of `items` each. */
static void *begin(bench *b, const char *gfx, const void *kernel,
                   const void *kernarg, uint32_t items, uint32_t groups)
{
  void *execution;
  b->packet = (aq_kernel_packet){.setup = 1,
                                 .workgroup_size = {(uint16_t)items, 1, 1},
                                 .grid_size = {items * groups, 1, 1},
                                 .kernel_object = (uintptr_t)kernel,
                                 .kernarg_address = (uintptr_t)kernarg};
  b->desc.packet = &b->packet;
  b->desc.kernel = "k";
  b->desc.gfx = gfx;
  b->desc.cus = 1;
  ck_assert_status(
      b->executor->begin(b->executor->user, &b->desc, &execution, &b->diag),
      AQ_OK, &b->diag);
  return execution;
}

static aq_execution_state step(bench *b, void *execution)
{
  return b->executor->step(execution, 1 << 16, 0, &b->step);
}

static void run(bench *b, void *execution)
{
  aq_execution_state state;
  while ((state = step(b, execution)) == AQ_EXECUTION_MORE)
    ;
  ck_assert_msg(state == AQ_EXECUTION_DONE, "%s", b->step.fault.text);
  b->executor->end(execution);
}

/* ---- several threads ---- */

/* The device has room for one workgroup, of 32 waves: the second thread has
 * nothing to execute, but workgroups are left. */
START_TEST(a_grid_waits_when_the_only_thread_with_waves_does)
{
  bench b;
  uint32_t word = 0;
  const uint32_t *kernarg[2] = {&word};
  unsigned steps = 0;
  if (aq_thread_pool_processors() < 2) {
    aqtest_leave_out("one processor executes alone");
    return;
  }
  open_bench(&b);
  b.desc.concurrent = true;
  void *execution = begin(&b, "gfx1100", &counts_and_reads, kernarg, 1024, 3);
  while (step(&b, execution) == AQ_EXECUTION_MORE)
    ck_assert_uint_lt(steps++, 1000);
  ck_assert_uint_gt(steps, 0);
  word = 1;
  run(&b, execution);
  aq_wave_machine_destroy(b.machine);
}
END_TEST

/* ---- workgroups ---- */

static unsigned groups_ended;

static void *observed_begin(void *user, aq_wave_grid *grid)
{
  (void)grid;
  return user;
}

static void observed_end(aq_wave_grid *grid)
{
  (void)grid;
}

static void nothing(void *user)
{
  (void)user;
}

static bool group_begin(aq_wave_group *group)
{
  group->observed = group->grid->observed;
  return true;
}

static void group_end(aq_wave_group *group)
{
  (void)group;
  groups_ended++;
}

static const aq_wave_op *plain_run(aq_wave *w, const aq_wave_op *o,
                                   int64_t *left)
{
  while (*left > 0) {
    const aq_wave_op *next = o->run(w, o);
    --*left;
    if (!next)
      break;
    o = next;
  }
  return o;
}

START_TEST(an_observer_sees_the_end_of_a_workgroup_once)
{
  bench b;
  uint32_t word = 0;
  uint32_t *kernarg[2] = {&word};
  const aq_wave_observer observer = {.user = &word,
                                     .begin = observed_begin,
                                     .end = observed_end,
                                     .enter = nothing,
                                     .leave = nothing,
                                     .group_begin = group_begin,
                                     .group_end = group_end,
                                     .run = plain_run};
  open_bench(&b);
  aq_wave_machine_observe(b.machine, &observer);
  groups_ended = 0;
  run(&b, begin(&b, "gfx90a", &stores, kernarg, 64, 3));
  ck_assert_uint_eq(word, 1);
  ck_assert_uint_eq(groups_ended, 3);
  aq_wave_machine_destroy(b.machine);
}
END_TEST

/* Bytes of address space. */
static long address_space(void)
{
  long pages = 0;
  FILE *in = fopen("/proc/self/statm", "r");
  ck_assert_ptr_nonnull(in);
  ck_assert_int_eq(fscanf(in, "%ld", &pages), 1);
  fclose(in);
  return pages * PAGE;
}

/* Arguments that are preloaded into registers, from memory that may not be
 * read; an allocator may map unmapped memory again. */
static void start_without_arguments(void)
{
  static code preloads __attribute__((aligned(256)));
  bench b;
  void *gone = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(gone, MAP_FAILED);
  open_bench(&b);
  ck_assert(aq_allocations_add(b.executor->allocations,
                               &(aq_allocation){.base = (uintptr_t)gone,
                                                .size = PAGE,
                                                .readers = 1,
                                                .writers = 1,
                                                .kind = AQ_ALLOCATION_POOL}));
  ck_assert_int_eq(mprotect(gone, PAGE, PROT_NONE), 0);
  preloads = stores;
  preloads.descriptor.kernarg_preload = 2;
  void *execution = begin(&b, "gfx90a", &preloads, gone, 64, 1);
  ck_assert_int_eq(step(&b, execution), AQ_EXECUTION_FAULT);
  ck_assert_msg(strstr(b.step.fault.text, "its arguments at") != NULL, "%s",
                b.step.fault.text);
  b.executor->end(execution);
  aq_wave_machine_destroy(b.machine);
  munmap(gone, PAGE);
}

START_TEST(a_workgroup_that_cannot_start_leaves_no_memory_behind)
{
  enum { TIMES = 64 };
  start_without_arguments();
  const long before = address_space();
  for (int i = 0; i < TIMES; i++)
    start_without_arguments();
  /* A wave has more than 100 KiB. */
  ck_assert_int_lt(address_space() - before, TIMES * 100 * 1024);
}
END_TEST

/* ---- code ---- */

static aq_allocation code_allocation(const void *at)
{
  return (aq_allocation){.base = (uintptr_t)at,
                         .size = PAGE,
                         .readers = 1,
                         .device = 0,
                         .kind = AQ_ALLOCATION_CODE,
                         .executable = true};
}

START_TEST(code_that_replaces_unloaded_code_executes_while_a_kernel_runs)
{
  bench b;
  uint32_t word = 0, never = 0;
  uint32_t *kernarg[2] = {&word};
  const uint32_t *other[2] = {&never};
  code *loaded = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(loaded, MAP_FAILED);
  *loaded = stores;
  open_bench(&b);
  aq_allocations *map = b.executor->allocations;
  const aq_allocation allocation = code_allocation(loaded);
  void *running = begin(&b, "gfx90a", &reads, other, 64, 1);
  ck_assert_int_eq(step(&b, running), AQ_EXECUTION_WAITS);
  ck_assert(aq_allocations_add(map, &allocation));
  run(&b, begin(&b, "gfx90a", loaded, kernarg, 64, 1));
  ck_assert_uint_eq(word, 1);
  ck_assert(aq_allocations_remove(map, allocation.base, allocation.kind));
  loaded->words[STORED_WORD] = 0x7e020282; /* v_mov_b32_e32 v1, 2 */
  ck_assert(aq_allocations_add(map, &allocation));
  run(&b, begin(&b, "gfx90a", loaded, kernarg, 64, 1));
  ck_assert_uint_eq(word, 2);
  ck_assert_int_eq(step(&b, running), AQ_EXECUTION_WAITS);
  b.executor->end(running);
  aq_wave_machine_destroy(b.machine);
  munmap(loaded, PAGE);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/grid", a_grid_waits_when_the_only_thread_with_waves_does,
             an_observer_sees_the_end_of_a_workgroup_once,
             a_workgroup_that_cannot_start_leaves_no_memory_behind,
             code_that_replaces_unloaded_code_executes_while_a_kernel_runs)
