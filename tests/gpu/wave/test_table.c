/* SPDX-License-Identifier: MIT */
/* The page of instructions: it is that of the code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/wave/core/atomics.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/observe/exactness.h"
#include "support/aqtest.h"

static const struct {
  const char *name;
  uint16_t bit;
} targets[] = {{"gfx900", AQ_ISA_GFX900},   {"gfx906", AQ_ISA_GFX906},
               {"gfx908", AQ_ISA_GFX908},   {"gfx90a", AQ_ISA_GFX90A},
               {"gfx942", AQ_ISA_GFX940},   {"gfx950", AQ_ISA_GFX950},
               {"gfx1010", AQ_ISA_GFX1010}, {"gfx1030", AQ_ISA_GFX1030},
               {"gfx1100", AQ_ISA_GFX1100}, {"gfx1150", AQ_ISA_GFX1150},
               {"gfx1200", AQ_ISA_GFX1200}, {"gfx1250", AQ_ISA_GFX1250}};
enum { TARGETS = sizeof targets / sizeof *targets };

static const char *const encodings[] = {
    [AQ_ISA_SOP2] = "SOP2",     [AQ_ISA_SOPK] = "SOPK",
    [AQ_ISA_SOP1] = "SOP1",     [AQ_ISA_SOPC] = "SOPC",
    [AQ_ISA_SOPP] = "SOPP",     [AQ_ISA_SMEM] = "SMEM",
    [AQ_ISA_VOP2] = "VOP2",     [AQ_ISA_VOP1] = "VOP1",
    [AQ_ISA_VOPC] = "VOPC",     [AQ_ISA_VOP3] = "VOP3",
    [AQ_ISA_VOP3P] = "VOP3P",   [AQ_ISA_VOP3PX2] = "VOP3PX2",
    [AQ_ISA_VOPD] = "VOPD",     [AQ_ISA_VOPD3] = "VOPD3",
    [AQ_ISA_TENSOR] = "TENSOR", [AQ_ISA_DS] = "DS",
    [AQ_ISA_FLAT] = "FLAT",     [AQ_ISA_SCRATCH] = "SCRATCH",
    [AQ_ISA_GLOBAL] = "GLOBAL", [AQ_ISA_MUBUF] = "MUBUF",
    [AQ_ISA_MTBUF] = "MTBUF",   [AQ_ISA_MIMG] = "MIMG",
    [AQ_ISA_EXP] = "EXP",       [AQ_ISA_VINTRP] = "VINTRP"};

static const char head[] =
    "# Instructions of gfx9 and RDNA\n\n"
    "Every opcode of the table of `src/gpu/isa/`, and what becomes of it on "
    "each "
    "target:\n**x** executes, d decodes and prints but is not simulated (a "
    "kernel that reaches\nit stops its queue, and `aqueduct show FILE --asm` "
    "names it), blank: the target\ndoes not have it. Of instructions of "
    "graphics "
    "(images, exports, interpolation) none\nexecutes, and the table has them "
    "of gfx9 only. A column stands for its family:\ngfx1030 for gfx103x and "
    "gfx10-3-generic, gfx1200 for gfx1201 and so on. Code of gfx1251\nis "
    "neither decoded nor executed; each use of it is refused with the name "
    "of\nits processor. Made by `make isa-docs` from the tables of the "
    "code.\n";

static char mark(const aq_isa_row *row, uint16_t target)
{
  return !(row->targets & target)            ? ' '
         : aq_wave_row_executes(row, target) ? 'x'
                                             : 'd';
}

static void sums_put(FILE *out)
{
  fputs("\n| | executes | decodes only |\n|---|---|---|\n", out);
  for (int t = 0; t < TARGETS; t++) {
    size_t executes = 0, decodes = 0;
    for (size_t i = 0; i < aq_isa_row_count(); i++) {
      const char is = mark(aq_isa_row_at(i), targets[t].bit);
      executes += is == 'x';
      decodes += is == 'd';
    }
    fprintf(out, "| %s | %zu | %zu |\n", targets[t].name, executes, decodes);
  }
}

static void rows_put(FILE *out, unsigned encoding)
{
  fprintf(out, "\n## %s\n\n| opcode | instruction |", encodings[encoding]);
  for (int t = 0; t < TARGETS; t++)
    fprintf(out, " %s |", targets[t].name);
  fputs("\n|---|---|", out);
  for (int t = 0; t < TARGETS; t++)
    fputs("---|", out);
  fputc('\n', out);
  for (size_t i = 0; i < aq_isa_row_count(); i++) {
    const aq_isa_row *row = aq_isa_row_at(i);
    if (row->encoding != encoding)
      continue;
    fprintf(out, "| 0x%02x | `%s` |", row->opcode, row->name);
    for (int t = 0; t < TARGETS; t++)
      switch (mark(row, targets[t].bit)) {
      case 'x':
        fputs(" **x** |", out);
        break;
      case 'd':
        fputs(" d |", out);
        break;
      default:
        fputs(" |", out);
      }
    fputc('\n', out);
  }
}

static char *page_make(void)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  ck_assert_ptr_nonnull(out);
  fputs(head, out);
  sums_put(out);
  for (unsigned e = 0; e < AQ_ISA_ENCODINGS; e++)
    rows_put(out, e);
  fclose(out);
  return text;
}

static char *file_read(const char *path)
{
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s is not there; run make isa-docs", path);
  fseek(file, 0, SEEK_END);
  const size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = calloc(1, size + 1);
  ck_assert_uint_eq(fread(text, 1, size, file), size);
  fclose(file);
  return text;
}

/* `make isa-docs` writes it. */
START_TEST(the_page_of_instructions_is_that_of_the_code)
{
  const char *path = aqtest_source("../doc/tables/isa.md");
  char *made = page_make();
  if (getenv("AQ_WRITE_DOCS")) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(made, file);
    ck_assert_int_eq(fclose(file), 0);
  } else {
    char *page = file_read(path);
    ck_assert_msg(
        strcmp(page, made) == 0,
        "doc/tables/isa.md is not that of the code; run make isa-docs");
    free(page);
  }
  free(made);
}
END_TEST

/* Of each verdict an example that the issue of the ISA decides, not the table:
 * arithmetic executes everywhere, its own instructions only where they are. */
START_TEST(verdicts_hold_for_known_instructions)
{
  static const struct {
    const char *name, *marks; /* a letter a target */
  } known[] = {{"v_add_f32", "xxxxxxxxxxxx"},
               {"s_endpgm", "xxxxxxxxxxxx"},
               {"s_cbranch_g_fork", "dddddd      "},
               {"v_dual_mov_b32", "        xxxx"},
               {"v_mfma_f32_32x32x1f32", "  xx        "},
               {"v_mfma_f64_16x16x4f64", "   x        "},
               {"v_pk_add_f32", "   xxx     x"},
               {"v_wmma_f32_16x16x32_f16", "           d"},
               {"buffer_load_b32", "        xxxd"}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    char marks[TARGETS + 1];
    memset(marks, ' ', TARGETS);
    marks[TARGETS] = 0;
    for (size_t i = 0; i < aq_isa_row_count(); i++) {
      const aq_isa_row *row = aq_isa_row_at(i);
      for (int t = 0; strcmp(row->name, known[k].name) == 0 && t < TARGETS; t++)
        if (row->targets & targets[t].bit)
          marks[t] = mark(row, targets[t].bit);
    }
    ck_assert_msg(strcmp(marks, known[k].marks) == 0, "%s: '%s'", known[k].name,
                  marks);
  }
}
END_TEST

static const aq_isa_row *row_named(const char *name)
{
  for (size_t i = 0; i < aq_isa_row_count(); i++)
    if (strcmp(aq_isa_row_at(i)->name, name) == 0)
      return aq_isa_row_at(i);
  ck_abort_msg("no instruction %s", name);
}

/* doc/execution.md, "Exactness". */
START_TEST(instructions_have_the_class_that_the_documents_state)
{
  static const struct {
    const char *name;
    uint16_t target;
    const char *key; /* NULL: exact */
  } cases[] = {{"v_rcp_f32", AQ_ISA_GFX906, "ulp"},
               {"v_rcp_iflag_f32", AQ_ISA_GFX906, "ulp"},
               {"v_exp_legacy_f32", AQ_ISA_GFX90A, "ulp"},
               {"v_rcp_f16", AQ_ISA_GFX90A, "ulp"},
               {"v_rcp_f64", AQ_ISA_GFX90A, "estimate"},
               {"v_frexp_exp_i32_f64", AQ_ISA_GFX90A, NULL},
               {"v_fma_f64", AQ_ISA_GFX90A, NULL},
               {"v_mfma_f32_32x32x1f32", AQ_ISA_GFX90A, "matrix"},
               {"v_mfma_f32_32x32x16_fp8_fp8", AQ_ISA_GFX940, "matrix"},
               {"v_mfma_f32_32x32x16_fp8_fp8", AQ_ISA_GFX950, "matrix-assumed"},
               {"v_mfma_i32_16x16x16i8", AQ_ISA_GFX90A, NULL},
               {"v_smfmac_f32_16x16x32_f16", AQ_ISA_GFX940, "matrix-assumed"},
               {"v_smfmac_i32_16x16x64_i8", AQ_ISA_GFX940, "matrix-assumed"},
               {"v_wmma_f32_16x16x16_f16", AQ_ISA_GFX1100, "matrix-assumed"},
               {"v_wmma_i32_16x16x16_iu4", AQ_ISA_GFX1200, NULL},
               {"v_swmmac_i32_16x16x32_iu8", AQ_ISA_GFX1200, NULL},
               {"v_cvt_sr_bf16_f32", AQ_ISA_GFX950, "assumed"},
               {"v_cvt_scalef32_pk_fp4_f32", AQ_ISA_GFX950, "assumed"},
               {"ds_read_b64_tr_b4", AQ_ISA_GFX950, "assumed"},
               {"ds_read_b64_tr_b8", AQ_ISA_GFX950, NULL},
               {"s_memtime", AQ_ISA_GFX900, "clock"},
               {"s_memrealtime", AQ_ISA_GFX900, "clock"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const aq_wave_class *class =
        aq_wave_class_of(row_named(cases[i].name), cases[i].target);
    if (!cases[i].key)
      ck_assert_msg(!class, "%s", cases[i].name);
    else
      ck_assert_msg(class && strcmp(class->key, cases[i].key) == 0, "%s: %s",
                    cases[i].name, class ? class->key : "exact");
  }
}
END_TEST

/* AMD's page "Hardware atomics operation support". */
START_TEST(float_atomics_in_fine_grained_memory_are_dropped_where_amd_says_so)
{
  static const struct {
    const char *name;
    uint16_t target;
    bool dropped;
  } cases[] = {{"global_atomic_add_f32", AQ_ISA_GFX908, true},
               {"global_atomic_add_f64", AQ_ISA_GFX90A, true},
               {"global_atomic_max_f64", AQ_ISA_GFX90A, true},
               {"flat_atomic_min_f64", AQ_ISA_GFX90A, true},
               {"buffer_atomic_pk_add_f16", AQ_ISA_GFX90A, true},
               {"global_atomic_add", AQ_ISA_GFX90A, false},
               {"global_atomic_cmpswap_x2", AQ_ISA_GFX90A, false},
               {"global_atomic_add_f64", AQ_ISA_GFX940, false},
               {"global_atomic_pk_add_bf16", AQ_ISA_GFX950, false},
               {"global_atomic_fmin", AQ_ISA_GFX1030, true},
               {"global_atomic_add_f32", AQ_ISA_GFX1100, true},
               {"global_atomic_add_f32", AQ_ISA_GFX1200, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    ck_assert_msg(aq_wave_atomic_is_dropped(aq_wave_atomic_named(cases[i].name),
                                            cases[i].target) ==
                      cases[i].dropped,
                  "%s on %#x", cases[i].name, cases[i].target);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/table", the_page_of_instructions_is_that_of_the_code,
             verdicts_hold_for_known_instructions,
             instructions_have_the_class_that_the_documents_state,
             float_atomics_in_fine_grained_memory_are_dropped_where_amd_says_so)
