/* SPDX-License-Identifier: MIT */
/* Passes of matrix instructions, from which their wait states follow, against
 * LLVM's model of the processor: llvm-mca says for how many cycles each of them
 * has its unit. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/check/core/core.h"
#include "gpu/check/hazards/hazards.h"

enum { LINE = 300 };

/* Words of each operand, "D512 A128 B128 C512" in bits, as registers of LLVM's
 * text; D and C are accumulation registers in gfx908,
 * which has no others there. */
static void text_make(const aq_isa_row *row, bool has_acc, char *out)
{
  int used = snprintf(out, LINE, "%s", row->name);
  for (const char *at = row->operands; at; at = strchr(at, ' ')) {
    unsigned bits;
    char role;
    at += *at == ' ';
    ck_assert_int_eq(sscanf(at, "%c%u", &role, &bits), 2);
    ck_assert_ptr_nonnull(strchr("ABCD", role));
    const bool result = role == 'D' || role == 'C', one = bits == 32;
    const unsigned first = 64 + 16 * (unsigned)(role - 'A');
    used += snprintf(out + used, (size_t)(LINE - used), "%s%s",
                     at == row->operands ? " " : ", ",
                     result && has_acc ? "a" : "v");
    /* D and C are the same ones: sparse instructions want it so. */
    const unsigned from = result && !one ? 0 : first;
    used += one ? snprintf(out + used, (size_t)(LINE - used), "%u", from)
                : snprintf(out + used, (size_t)(LINE - used), "[%u:%u]", from,
                           from + bits / 32 - 1);
  }
  ck_assert_int_lt(used, LINE - 1);
}

static unsigned passes_of(const aq_isa_row *row, uint16_t target)
{
  aq_check_site site = {.is = AQ_CHECK_IS_MATRIX};
  site.inst.row = row;
  site.inst.target = target;
  aq_check_matrix_site(&site);
  return site.passes;
}

/* The next instruction of llvm-mca's table: its cycles; 0: there is none. */
static unsigned cycles_next(FILE *from, char name[LINE])
{
  char line[4 * LINE];
  double cycles;
  while (fgets(line, sizeof line, from)) {
    const char *at = strstr(line, "v_");
    if (at && sscanf(line, "%*u %*u %lf", &cycles) == 1 &&
        sscanf(at, "%299s", name) == 1)
      return (unsigned)cycles;
  }
  return 0;
}

static unsigned target_compare(const char *gfx, uint16_t target)
{
  char path[200], command[500], name[LINE], text[LINE];
  unsigned count = 0;
  snprintf(path, sizeof path, "%s/%s.s", aqtest_tmpdir(), gfx);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  for (size_t i = 0; i < aq_isa_row_count(); i++) {
    const aq_isa_row *row = aq_isa_row_at(i);
    if (!(row->targets & target) || !passes_of(row, target))
      continue;
    text_make(row, target == AQ_ISA_GFX908, text);
    fprintf(file, "%s\n", text);
  }
  ck_assert_int_eq(fclose(file), 0);
  snprintf(command, sizeof command,
           "llvm-mca-22 -mtriple=amdgcn-amd-amdhsa -mcpu=%s "
           "-instruction-tables %s",
           gfx, path);
  FILE *told = popen(command, "r"); /* NOLINT: fixed names */
  ck_assert_ptr_nonnull(told);
  for (size_t i = 0; i < aq_isa_row_count(); i++) {
    const aq_isa_row *row = aq_isa_row_at(i);
    const unsigned passes = row->targets & target ? passes_of(row, target) : 0;
    if (!passes)
      continue;
    const unsigned cycles = cycles_next(told, name);
    ck_assert_str_eq(name, row->name);
    ck_assert_msg(passes == cycles, "%s of %s: %u passes, LLVM has %u", name,
                  gfx, passes, cycles);
    count++;
  }
  ck_assert_uint_eq(cycles_next(told, name), 0);
  ck_assert_int_eq(pclose(told), 0);
  return count;
}

START_TEST(matrix_instructions_have_the_passes_of_the_model_of_llvm)
{
  if (system("command -v llvm-mca-22 > /dev/null") != 0) { /* NOLINT */
    aqtest_skip("no llvm-mca-22 here");
    return;
  }
  ck_assert_uint_ge(target_compare("gfx908", AQ_ISA_GFX908), 20);
  ck_assert_uint_ge(target_compare("gfx90a", AQ_ISA_GFX90A), 27);
  ck_assert_uint_ge(target_compare("gfx942", AQ_ISA_GFX940), 40);
}
END_TEST

AQ_TEST_MAIN("gpu/check/matrix_passes",
             matrix_instructions_have_the_passes_of_the_model_of_llvm)
