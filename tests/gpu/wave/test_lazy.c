/* SPDX-License-Identifier: MIT */
/* Of a library of thousands of kernels, pages that no wave reaches take no
 * memory, and instructions that none reaches are not decoded. */
#include "support/aqtest.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/allocations.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/mode.h"

enum {
  PAGE = 4096,
  PAGES = 4096, /* as many as rocSPARSE's code for one processor has */
  KERNEL = 8,   /* words, the end not counted */
  S_MOV = 0xbe800001,
  S_ENDPGM = 0xbf810000,
  MOST_BYTES = 1 << 20,
  PAGE_LEAST = 16 << 10, /* of memory, for a page that is reached */
};

/* Each page has a kernel at its start and one in its middle, and no
 * instruction elsewhere. */
typedef struct library {
  uint32_t (*pages)[PAGE / 4];
  aq_allocations *allocations;
  aq_wave_code *code;
  aq_wave *wave;
  aq_wave_group group;
  aq_wave_grid grid;
} library;

static void kernel_put(uint32_t *words)
{
  for (size_t i = 0; i < KERNEL; i++)
    words[i] = S_MOV;
  words[KERNEL] = S_ENDPGM;
}

static void library_open(library *l)
{
  aq_diag diag = AQ_DIAG_INIT;
  *l = (library){.pages =
                     mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
  ck_assert_ptr_ne(l->pages, MAP_FAILED);
  memset(l->pages, 0xff, (size_t)PAGES * PAGE);
  for (size_t i = 0; i < PAGES; i++) {
    kernel_put(l->pages[i]);
    kernel_put(l->pages[i] + PAGE / 8);
  }
  l->allocations = aq_allocations_create();
  ck_assert_ptr_nonnull(l->allocations);
  aq_allocations_open(l->allocations, true);
  ck_assert_status(aq_wave_code_create("gfx90a", false, aq_wave_handler_named,
                                       l->allocations, 0, &l->code, &diag),
                   AQ_OK, &diag);
  l->wave = aligned_alloc(64, (sizeof *l->wave + 63) / 64 * 64);
  ck_assert_ptr_nonnull(l->wave);
  memset(l->wave, 0, sizeof *l->wave);
  l->grid.code = l->code;
  l->grid.desc.kernel = "lazy";
  l->wave->grid = &l->grid;
  l->wave->group = &l->group;
}

static void library_close(library *l)
{
  aq_wave_code_destroy(l->code);
  aq_allocations_destroy(l->allocations);
  munmap(l->pages, (size_t)PAGES * PAGE);
  free(l->wave);
}

/* A wave from the words on to the kernel's end. */
static void kernel_run(library *l, const uint32_t *words)
{
  const uint64_t end = (uint64_t)(uintptr_t)(words + KERNEL);
  const uint32_t saved = aq_wave_mode_save();
  l->wave->state = AQ_WAVE_RUNS;
  aq_wave_mode_enter(l->wave);
  const aq_wave_op *o = aq_wave_code_at(l->code, (uint64_t)(uintptr_t)words);
  while (o && aq_wave_code_pc(o) != end)
    o = o->run(l->wave, o);
  aq_wave_mode_restore(saved);
  ck_assert_ptr_nonnull(o);
}

/* Instructions of a page that are decoded. */
static unsigned decoded(const library *l, size_t page)
{
  unsigned count = 0;
  for (size_t i = 0; i < PAGE / 4; i++)
    count += aq_wave_code_at(l->code, (uint64_t)(uintptr_t)&l->pages[page][i])
                 ->decoded != NULL;
  return count;
}

START_TEST(only_what_runs_is_decoded)
{
  library l;
  library_open(&l);
  kernel_run(&l, l.pages[7]);
  ck_assert_uint_eq(decoded(&l, 7), KERNEL);
  ck_assert_uint_eq(decoded(&l, 8), 0);
  kernel_run(&l, l.pages[7] + PAGE / 8);
  ck_assert_uint_eq(decoded(&l, 7), 2 * KERNEL);
  kernel_run(&l, l.pages[7]);
  ck_assert_uint_eq(decoded(&l, 7), 2 * KERNEL);
  library_close(&l);
}
END_TEST

/* 0: another allocator, of a sanitizer. */
static size_t used(void)
{
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

START_TEST(only_what_runs_takes_memory)
{
  const size_t before = used();
  const size_t some = 64;
  library l;
  if (before == 0) {
    aqtest_skip("the allocator counts nothing here");
    return;
  }
  library_open(&l);
  kernel_run(&l, l.pages[0]);
  const size_t one = used();
  ck_assert_uint_lt(one - before, MOST_BYTES);
  for (size_t i = 0; i < some; i++)
    kernel_run(&l, l.pages[PAGES - 1 - i]);
  const size_t more = used() - one;
  ck_assert_uint_ge(more, some * PAGE_LEAST);
  ck_assert_uint_lt(more, some * MOST_BYTES);
  library_close(&l);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/lazy", only_what_runs_is_decoded,
             only_what_runs_takes_memory)
