/* SPDX-License-Identifier: MIT */
/*
 * Programs of a few instructions, and the registers that an RDNA 3 GPU has
 * after each: traces/rdna3-vectors.tsv, figures of tinygrad's tests,
 * which compare their emulator with hardware. A line has a name, the number of
 * lanes, the ulps by which floats may differ, the words of the program, the
 * registers that are not 0 at its end and registers that are not compared.
 *
 * A program begins with zeros in v0 to v15 and s0 to s15, its lane in v255 and
 * the address of its arguments in s[80:81]: the address of memory.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "gpu/wave/core/address_translate.h"
#include "gpu/wave/core/mode.h"
#include "seen.h"
#include "support/aqtest.h"

enum {
  LANES = 32,
  KEPT = 16, /* VGPRs and SGPRs that are compared */
  LINE = 1 << 16,
  LDS = 1 << 16,
  SCRATCH = 1 << 16,
  STEPS = 10000,
  CODE = 4096
};

typedef struct figures {
  char *name;
  int lanes;
  unsigned ulps;
  size_t words;
  char *values, *skipped;
} figures;

static uint32_t code_words[CODE] __attribute__((aligned(4096)));
static uint8_t lds[LDS] __attribute__((aligned(16)));
static uint8_t memory[1 << 16] __attribute__((aligned(256)));
static uint64_t arguments;
static uint8_t *scratch;

/* Programs whose registers differ here, and why. Of v_div_scale, AMD's
 * documents say something else than these figures, and quotients come out right
 * by the documents (test_kernels.c). */
static const struct {
  const char *name, *reason;
} differing[] = {
    {"test_sop.TestBarrier.", "two waves"},
    {"test_vop3.TestDivScale.test_div_scale_f32_denorm_denom", "documents"},
    {"test_vop3.TestDivScale.test_div_scale_f32_result_would_be_denorm",
     "documents"},
    {"test_vop3.TestDivScale.test_div_scale_f32_tiny_numer", "documents"},
    {"test_vop3.TestDivScale.test_div_scale_f32_zero_denom", "documents"},
    {"test_vop3.TestDivScale.test_div_scale_f32_zero_numer", "documents"},
    {"test_vop3.TestDivScaleF64.test_div_scale_f64_mixed_vcc", "documents"},
    {"test_vop3.TestDivScaleF64.test_div_scale_f64_zero_denom", "documents"}};

static const char *difference_known(const char *name)
{
  for (size_t i = 0; i < sizeof differing / sizeof *differing; i++)
    if (strncmp(differing[i].name, name, strlen(differing[i].name)) == 0)
      return differing[i].reason;
  return NULL;
}

static char *column(char **at)
{
  char *start = *at;
  *at = strpbrk(start, "\t\n");
  ck_assert_ptr_nonnull(*at);
  *(*at)++ = 0;
  return start;
}

static figures figures_read(char *line)
{
  enum { ENDPGM = 0xbfb00000 };
  figures f;
  char *at = line;
  f.name = column(&at);
  f.lanes = atoi(column(&at));
  f.ulps = (unsigned)atoi(column(&at));
  const char *hex = column(&at);
  f.values = column(&at);
  f.skipped = column(&at);
  f.words = strlen(hex) / 8;
  ck_assert_uint_lt(f.words, CODE - 4);
  memset(code_words, 0, sizeof code_words);
  for (size_t i = 0; i < f.words * 4; i++) {
    unsigned byte;
    ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
    code_words[i / 4] |= byte << (8 * (i % 4));
  }
  code_words[f.words] = ENDPGM;
  return f;
}

/* A register's value in the line; false: it is not compared. */
static bool value_of(const figures *f, const char *name, uint32_t *out)
{
  char key[40];
  const char *at = f->skipped;
  const size_t length = strlen(name);
  for (; (at = strstr(at, name)); at++)
    if ((at == f->skipped || at[-1] == ' ') &&
        (at[length] == ' ' || at[length] == 0))
      return false;
  snprintf(key, sizeof key, "%s=", name);
  *out = 0;
  for (at = f->values; (at = strstr(at, key)); at++)
    if (at == f->values || at[-1] == ' ') {
      *out = (uint32_t)strtoul(at + length + 1, NULL, 16);
      return true;
    }
  return true;
}

static bool is_nan(uint32_t x)
{
  return (x & 0x7fffffff) > 0x7f800000;
}

static bool is_equal(uint32_t ours, uint32_t theirs, unsigned ulps)
{
  const uint32_t apart = ours > theirs ? ours - theirs : theirs - ours;
  return ours == theirs || apart <= ulps || (is_nan(ours) && is_nan(theirs));
}

static void wave_start(aq_wave *w, const figures *f)
{
  memset(w, 0, sizeof *w);
  w->wave32 = true;
  w->mode = 0xc0 | AQ_WAVE_MODE_IEEE | AQ_WAVE_MODE_DX10_CLAMP;
  w->s64[AQ_ISA_EXEC / 2] =
      f->lanes >= LANES ? UINT32_MAX : (1u << f->lanes) - 1;
  for (uint32_t l = 0; l < LANES; l++)
    w->v[255][l] = l;
  arguments = (uint64_t)(uintptr_t)memory;
  const uint64_t at = (uint64_t)(uintptr_t)&arguments;
  w->s[80] = (uint32_t)at;
  w->s[81] = (uint32_t)(at >> 32);
  w->scratch = scratch;
  w->scratch_size = w->scratch_room = SCRATCH;
}

/* False: the wave faults, for the reason `why`. */
static bool program_run(bed *b, const char **why)
{
  aq_wave *w = b->wave;
  const uint64_t pc = (uint64_t)(uintptr_t)code_words;
  const uint32_t saved = aq_wave_mode_save();
  w->grid = &b->grid;
  w->group = &b->group;
  b->grid.code = b->code;
  b->grid.desc.kernel = "figures";
  b->grid.lanes = LANES;
  b->grid.lds_size = LDS;
  b->grid.scratch_size = SCRATCH;
  b->group.lds = lds;
  b->group.wave_count = 1;
  w->state = AQ_WAVE_RUNS;
  aq_wave_code_refresh(b->code);
  aq_wave_mode_enter(w);
  const aq_wave_op *o = aq_wave_code_at(b->code, pc);
  for (int steps = 0; o && steps < STEPS; steps++) {
    const aq_wave_op *next = o->run(w, o);
    if (!next && w->state == AQ_WAVE_BARRIER) { /* the only wave of it */
      w->state = AQ_WAVE_RUNS;
      next = aq_wave_code_at(b->code, w->pc);
    }
    if (o->decoded)
      seen_row(o->decoded->inst.row, o->decoded->inst.target);
    o = next;
  }
  aq_wave_mode_restore(saved);
  *why = b->grid.fault.text;
  return w->state == AQ_WAVE_ENDED;
}

/* The registers that differ are counted; the first one is printed. */
static bool figures_compare(const aq_wave *w, const figures *f)
{
  unsigned differences = 0;
  for (int i = 0; i < KEPT * (f->lanes + 1) + 2; i++) {
    char name[32];
    uint32_t ours, theirs;
    if (i < KEPT * f->lanes) {
      snprintf(name, sizeof name, "v%d.%d", i / f->lanes, i % f->lanes);
      ours = w->v[i / f->lanes][i % f->lanes];
    } else if (i < KEPT * (f->lanes + 1)) {
      snprintf(name, sizeof name, "s%d", i - KEPT * f->lanes);
      ours = w->s[i - KEPT * f->lanes];
    } else {
      const bool scc = i - KEPT * (f->lanes + 1);
      strcpy(name, scc ? "scc" : "vcc");
      ours = scc ? w->scc : w->s[AQ_ISA_VCC];
    }
    if (!value_of(f, name, &theirs) || is_equal(ours, theirs, f->ulps))
      continue;
    if (differences++ == 0)
      fprintf(stderr, "# %s: %s is 0x%x, on hardware 0x%x\n", f->name, name,
              ours, theirs);
  }
  return differences == 0;
}

static void machine_open(bed *b)
{
  aq_diag diag = AQ_DIAG_INIT;
  *b = (bed){.gfx = "gfx1151", .wave32 = true};
  b->allocations = aq_allocations_create();
  ck_assert_ptr_nonnull(b->allocations);
  aq_allocations_open(b->allocations, true);
  ck_assert_status(
      aq_wave_code_create(b->gfx, true, aq_wave_handler_named, b->allocations,
                          aq_wave_level_count() - 1, &b->code, &diag),
      AQ_OK, &diag);
  b->wave = aligned_alloc(64, (sizeof *b->wave + 63) / 64 * 64);
  scratch = calloc(64, SCRATCH);
  ck_assert(b->wave && scratch);
}

static void machine_close(bed *b)
{
  aq_wave_code_destroy(b->code);
  aq_allocations_destroy(b->allocations);
  free(b->wave);
  free(scratch);
}

START_TEST(programs_leave_the_registers_that_hardware_leaves)
{
  static char line[LINE];
  static aq_wave_reachable reachable;
  FILE *file = fopen(aqtest_source("../traces/rdna3-vectors.tsv"), "r");
  size_t programs = 0, equal = 0, known = 0;
  bed b;
  ck_assert_ptr_nonnull(file);
  machine_open(&b);
  while (fgets(line, sizeof line, file)) {
    if (*line == '#')
      continue; /* a comment */
    const char *why = "";
    const figures f = figures_read(line);
    memset(memory, 0, sizeof memory);
    memset(lds, 0, sizeof lds);
    memset(scratch, 0, (size_t)64 * SCRATCH);
    aq_wave_reachable_fini(&reachable);
    reachable = (aq_wave_reachable){.allocations = b.allocations};
    b.grid = (aq_wave_grid){.reachable = &reachable};
    wave_start(b.wave, &f);
    programs++;
    const bool ends = program_run(&b, &why);
    const char *reason = difference_known(f.name);
    if (!ends)
      fprintf(stderr, "# %s: %s\n", f.name, why);
    const bool same = ends && figures_compare(b.wave, &f);
    equal += same;
    known += !same && reason;
  }
  fclose(file);
  aq_wave_reachable_fini(&reachable);
  machine_close(&b);
  fprintf(stderr,
          "%zu of %zu programs leave the registers of hardware, %zu differ for "
          "a reason that the test lists\n",
          equal, programs, known);
  ck_assert_uint_gt(programs, 0);
  ck_assert_uint_eq(equal + known, programs);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/published",
             programs_leave_the_registers_that_hardware_leaves)
