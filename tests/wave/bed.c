/* SPDX-License-Identifier: MIT */
#include "bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "seen.h"
#include "support/aqtest.h"
#include "wave/mode.h"

enum { PAGE = 4096, COMMAND = 4096 };

/* ---- assembling ---- */

static void source_write(const bed *b, char (*texts)[BED_TEXT],
                         const char *path)
{
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  for (size_t i = 0; i < b->count; i++)
    fprintf(file, ".p2align 4\n%s\n", b->refused[i] ? "s_nop 0" : texts[i]);
  fprintf(file, ".p2align 4\n");
  ck_assert_int_eq(fclose(file), 0);
}

/* Marks the lines that messages of the assembler name; the result counts. */
static size_t refusals_read(bed *b, const char *path)
{
  char line[1024];
  size_t count = 0;
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  while (fgets(line, sizeof line, file)) {
    const char *at = strstr(line, "bed.s:");
    const unsigned long number = at ? strtoul(at + 6, NULL, 10) : 0;
    const size_t i = number / 2 - 1; /* two lines an instruction */
    if (number < 2 || i >= b->count || !strstr(line, "error:") || b->refused[i])
      continue;
    b->refused[i] = true;
    count++;
  }
  fclose(file);
  return count;
}

static void assemble(bed *b, char (*texts)[BED_TEXT])
{
  char command[COMMAND], source[512], errors[512], binary[512];
  const bool rdna = strncmp(b->gfx, "gfx1", 4) == 0;
  snprintf(source, sizeof source, "%s/bed.s", aqtest_tmpdir());
  snprintf(errors, sizeof errors, "%s/bed.err", aqtest_tmpdir());
  snprintf(binary, sizeof binary, "%s/bed.bin", aqtest_tmpdir());
  snprintf(command, sizeof command,
           "clang-22 -target amdgcn-amd-amdhsa -mcpu=%s %s -c %s -o %s.o 2> %s "
           "&& llvm-objcopy-22 -O binary -j .text %s.o %s",
           b->gfx,
           !rdna       ? ""
           : b->wave32 ? "-mno-wavefrontsize64"
                       : "-mwavefrontsize64",
           source, source, errors, source, binary);
  source_write(b, texts, source);
  while (system(command) != 0) { /* NOLINT: paths of ours */
    ck_assert_uint_gt(refusals_read(b, errors), 0);
    source_write(b, texts, source);
  }
  const size_t size = b->count * BED_STRIDE;
  b->bytes = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert(b->bytes != MAP_FAILED);
  FILE *file = fopen(binary, "rb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fread(b->bytes, 1, size, file), size);
  fclose(file);
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

void bed_open_all(bed *out, const char *gfx, int lanes, char (*texts)[BED_TEXT],
                  size_t count)
{
  open_with(out, gfx, lanes == 32, texts, count, aq_wave_level_count() - 1);
  for (size_t i = 0; i < count; i++)
    ck_assert_msg(!out->refused[i], "llvm refuses %s of %s", texts[i], gfx);
}

bool bed_tools_are_here(void)
{
  static enum { UNKNOWN, HERE, ABSENT } tools;
  if (tools == UNKNOWN)
    tools = system("command -v clang-22 > /dev/null && "
                   "command -v llvm-objcopy-22 > /dev/null") == 0
                ? HERE
                : ABSENT;
  if (tools == ABSENT)
    aqtest_skip("no clang-22 with llvm-objcopy-22 here");
  return tools == HERE;
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
    if (!o->more)
      continue;
    const aq_isa_inst *inst = &o->more->inst;
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
