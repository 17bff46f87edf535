/* SPDX-License-Identifier: MIT */
#include "bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "assembler.h"
#include "gpu/wave/core/mode.h"
#include "seen.h"
#include "support/aqtest.h"

enum { PAGE = 4096 };

/* ---- assembling ---- */

/* Two lines an instruction, at multiples of BED_STRIDE. */
static char *source_print(const bed *b, char (*texts)[BED_TEXT])
{
  char *source = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&source, &size);
  ck_assert_ptr_nonnull(out);
  for (size_t i = 0; i < b->count; i++)
    fprintf(out, ".p2align 4\n%s\n", b->refused[i] ? "s_nop 0" : texts[i]);
  fprintf(out, ".p2align 4\n");
  ck_assert_int_eq(fclose(out), 0);
  return source;
}

static void line_refuse(void *user, size_t line)
{
  const bed *b = user;
  ck_assert(line >= 2 && line / 2 <= b->count);
  b->refused[line / 2 - 1] = true;
}

/* Again without the lines that the assembler refuses. */
static uint8_t *assembled(bed *b, char (*texts)[BED_TEXT], size_t *size)
{
  const bool rdna = strncmp(b->gfx, "gfx1", 4) == 0;
  const char *features = !rdna       ? ""
                         : b->wave32 ? "+wavefrontsize32"
                                     : "+wavefrontsize64";
  uint8_t *code = NULL;
  for (int times = 0; !code; times++) {
    ck_assert_int_lt(times, 3);
    char *source = source_print(b, texts);
    code = assembler_run(b->gfx, features, source, line_refuse, b, size);
    free(source);
  }
  return code;
}

static void assemble(bed *b, char (*texts)[BED_TEXT])
{
  const size_t size = b->count * BED_STRIDE;
  size_t made = 0;
  uint8_t *code = assembled(b, texts, &made);
  ck_assert_uint_ge(made, size);
  b->bytes = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert(b->bytes != MAP_FAILED);
  memcpy(b->bytes, code, size);
  free(code);
}

/* ---- executing ---- */

static void open_with(bed *out, const char *gfx, bool wave32,
                      char (*texts)[BED_TEXT], size_t count, unsigned level)
{
  aq_diag diag = AQ_DIAG_INIT;
  *out = (bed){.gfx = gfx, .wave32 = wave32, .count = count};
  out->refused = calloc(count, sizeof *out->refused);
  ck_assert_ptr_nonnull(out->refused);
  assemble(out, texts);
  out->allocations = aq_allocations_create();
  ck_assert_ptr_nonnull(out->allocations);
  aq_allocations_open(out->allocations, true);
  ck_assert_status(aq_wave_code_create(gfx, wave32, aq_wave_handler_named,
                                       out->allocations, level, &out->code,
                                       &diag),
                   AQ_OK, &diag);
  out->wave = aligned_alloc(64, (sizeof *out->wave + 63) / 64 * 64);
  ck_assert_ptr_nonnull(out->wave);
  memset(out->wave, 0, sizeof *out->wave);
  out->wave->wave32 = wave32;
}

void bed_open(bed *out, const char *gfx, char (*texts)[BED_TEXT], size_t count,
              unsigned level)
{
  open_with(out, gfx, false, texts, count, level);
}

void bed_open_in(bed *out, const char *gfx, int lanes, char (*texts)[BED_TEXT],
                 size_t count, unsigned level)
{
  open_with(out, gfx, lanes == 32, texts, count, level);
}

void bed_open_all(bed *out, const char *gfx, int lanes, char (*texts)[BED_TEXT],
                  size_t count)
{
  open_with(out, gfx, lanes == 32, texts, count, aq_wave_level_count() - 1);
  for (size_t i = 0; i < count; i++)
    ck_assert_msg(!out->refused[i], "llvm refuses %s of %s", texts[i], gfx);
}

bool bed_tools_are_here(void)
{
  if (!assembler_is_here())
    aqtest_skip("no clang-22 with libLLVM here");
  return assembler_is_here();
}

bool bed_open_one(bed *out, const char *gfx, const char *text)
{
  static char texts[1][BED_TEXT];
  if (!bed_tools_are_here())
    return false;
  strcpy(texts[0], text);
  bed_open_all(out, gfx, 64, texts, 1);
  out->wave->s64[AQ_ISA_EXEC / 2] = UINT64_MAX;
  return true;
}

void bed_close(bed *b)
{
  aq_wave_code_destroy(b->code);
  aq_allocations_destroy(b->allocations);
  munmap(b->bytes, b->count * BED_STRIDE + PAGE);
  free(b->refused);
  free(b->wave);
}

/* The instructions of a text that were decoded. */
static void executed_see(bed *b, uint64_t pc)
{
  for (uint64_t at = pc; at < pc + BED_STRIDE; at += 4) {
    const aq_wave_op *o = aq_wave_code_at(b->code, at);
    if (!o->decoded)
      continue;
    const aq_isa_inst *inst = &o->decoded->inst;
    seen_row(inst->row, inst->target);
    if (inst->second)
      seen_row(inst->second, inst->target);
  }
}

bool bed_run(bed *b, size_t number)
{
  const uint64_t pc = (uint64_t)(uintptr_t)b->bytes + BED_STRIDE * number;
  const uint32_t saved = aq_wave_mode_save();
  aq_wave *w = b->wave;
  w->grid = &b->grid;
  w->group = &b->group;
  b->grid.code = b->code;
  b->grid.desc.kernel = "bed";
  w->state = AQ_WAVE_RUNS;
  aq_wave_mode_enter(w);
  const aq_wave_op *o = aq_wave_code_in(b->code, pc, b->wave->banks);
  for (int steps = 0; o && aq_wave_code_pc(o) == pc && steps < 3; steps++)
    o = o->run(w, o); /* the first one decodes */
  aq_wave_mode_restore(saved);
  b->next = o ? aq_wave_code_pc(o) : 0;
  if (o || (w->state != AQ_WAVE_FAULTS && w->state != AQ_WAVE_RUNS))
    executed_see(b, pc);
  return o != NULL;
}
