/* SPDX-License-Identifier: MIT */
/* The disassembler tests of LLVM for gfx9 and RDNA, which AQ_LLVM_TESTS names
 * (llvm/test/MC/Disassembler/AMDGPU): our text of each of their encodings is
 * llvm-objdump-22's. With AQ_LLVM_ROWS=FILE each processor adds a row to it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objdump.h"
#include "support/aqtest.h"

enum { STRIDE = 16, PATH = 512, LINE = 4096, LENGTHS = 2 };

static const struct {
  const char *option, *processor;
} processors[] = {{"-mcpu=gfx900 ", "gfx900"},   {"-mcpu=gfx906 ", "gfx906"},
                  {"-mcpu=gfx908 ", "gfx908"},   {"-mcpu=gfx90a ", "gfx90a"},
                  {"-mcpu=gfx940 ", "gfx942"},   {"-mcpu=gfx942 ", "gfx942"},
                  {"-mcpu=gfx950 ", "gfx950"},   {"-mcpu=gfx1010 ", "gfx1010"},
                  {"-mcpu=gfx1030 ", "gfx1030"}, {"-mcpu=gfx1100 ", "gfx1100"},
                  {"-mcpu=gfx1150 ", "gfx1150"}, {"-mcpu=gfx1200 ", "gfx1200"},
                  {"-mcpu=gfx1201 ", "gfx1201"}, {"-mcpu=gfx1250 ", "gfx1250"}};
enum { PROCESSORS = sizeof processors / sizeof *processors };

/* A line "0x00,0x01,0x82,0xbf" or the same in brackets, as words. */
static unsigned line_words(const char *line, uint32_t words[STRIDE / 4])
{
  unsigned bytes = 0;
  line += strspn(line, " [");
  memset(words, 0, STRIDE);
  while (strncmp(line, "0x", 2) == 0 && bytes < STRIDE) {
    char *end;
    words[bytes / 4] |= (uint32_t)strtoul(line, &end, 16) << (8 * (bytes % 4));
    bytes++;
    line = end + strspn(end, ", ");
  }
  return (bytes + 3) / 4;
}

/* Writes the encodings of a test STRIDE bytes apart. */
static size_t source_write(const char *test, const char *processor,
                           const char *path)
{
  char line[LINE];
  size_t count = 0;
  FILE *from = fopen(test, "r"), *to = fopen(path, "w");
  ck_assert(from && to);
  fprintf(to, ".amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n.text\n", processor);
  while (fgets(line, sizeof line, from)) {
    uint32_t words[STRIDE / 4];
    const unsigned n = line_words(line, words);
    if (n == 0)
      continue;
    for (unsigned i = 0; i < STRIDE / 4; i++)
      fprintf(to, ".long 0x%x\n", i < n ? words[i] : 0xbf800000);
    count++;
  }
  fclose(from);
  ck_assert_int_eq(fclose(to), 0);
  return count;
}

static objdump_comparison comparison_for(const char *processor, bool wave64)
{
  objdump_comparison on = objdump_comparison_for(processor, STRIDE);
  on.decoder.wave32 &= !wave64;
  return on;
}

static bool is_rdna(const objdump_comparison *on)
{
  return on->decoder.target & AQ_ISA_RDNA;
}

static void test_compare(objdump_comparison *on, const char *processor,
                         const char *test)
{
  char source[PATH], object[PATH], command[3 * PATH];
  snprintf(source, sizeof source, "%s/test.s", aqtest_tmpdir());
  snprintf(object, sizeof object, "%s/test.o", aqtest_tmpdir());
  snprintf(command, sizeof command,
           "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=%s %s -filetype=obj "
           "-o %s %s",
           processor,
           is_rdna(on) && !on->decoder.wave32 ? "-mattr=+wavefrontsize64" : "",
           object, source);
  if (source_write(test, processor, source) == 0)
    return;
  ck_assert_int_eq(system(command), 0); /* NOLINT: paths of ours */
  objdump_compare(on, object);
}

/* Bits of the processors that a test's RUN lines name, for waves as gfx9 or
 * by default, or for waves of 64 lanes of RDNA. */
static void processors_of(const char *test, unsigned bits[LENGTHS])
{
  char line[LINE];
  FILE *file = fopen(test, "r");
  ck_assert_ptr_nonnull(file);
  bits[0] = bits[1] = 0;
  while (fgets(line, sizeof line, file))
    for (unsigned i = 0; i < PROCESSORS; i++)
      if (strstr(line, "RUN:") && strstr(line, processors[i].option))
        bits[strcasestr(line, "+wavefrontsize64") != NULL] |= 1u << i;
  fclose(file);
}

static void row_put(const objdump_comparison *on, unsigned number)
{
  const char *path = getenv("AQ_LLVM_ROWS");
  char processor[16] = "";
  sscanf(processors[number].option, "-mcpu=%15s", processor);
  const char *waves = !is_rdna(on)         ? ""
                      : on->decoder.wave32 ? ", waves of 32"
                                           : ", waves of 64";
  fprintf(stderr,
          "%s%s: %zu encodings have llvm-objdump's text, %zu differ, %zu are "
          "none, %zu of graphics\n",
          processor, waves, on->instructions, on->failures, on->refused,
          on->graphics);
  if (!path || on->instructions == 0)
    return;
  FILE *rows = fopen(path, "a");
  ck_assert_ptr_nonnull(rows);
  fprintf(rows, "%s%s\t%zu\t%zu\t%zu\t%zu\n", processor, waves,
          on->instructions, on->failures, on->refused, on->graphics);
  ck_assert_int_eq(fclose(rows), 0);
}

START_TEST(encodings_of_llvms_tests_have_llvm_objdumps_text)
{
  const char *folder = getenv("AQ_LLVM_TESTS");
  DIR *tests = folder ? opendir(folder) : NULL;
  objdump_comparison on[LENGTHS][PROCESSORS];
  size_t instructions = 0, failures = 0, files = 0;
  if (!tests || !objdump_is_here()) {
    aqtest_skip("AQ_LLVM_TESTS names no folder of LLVM's disassembler tests, "
                "or there is no llvm-objdump-22 with llvm-mc-22");
    return;
  }
  for (unsigned w = 0; w < LENGTHS; w++)
    for (unsigned i = 0; i < PROCESSORS; i++)
      on[w][i] = comparison_for(processors[i].processor, w);
  for (const struct dirent *entry; (entry = readdir(tests));) {
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    const size_t length = strlen(path);
    if (length < 4 || strcmp(path + length - 4, ".txt") != 0)
      continue;
    unsigned bits[LENGTHS];
    processors_of(path, bits);
    files += (bits[0] | bits[1]) != 0;
    for (unsigned w = 0; w < LENGTHS; w++)
      for (unsigned i = 0; i < PROCESSORS; i++)
        if (bits[w] >> i & 1)
          test_compare(&on[w][i], processors[i].processor, path);
  }
  closedir(tests);
  for (unsigned i = 0; i < PROCESSORS; i++)
    for (unsigned w = 0; w < LENGTHS; w++) {
      instructions += on[w][i].instructions;
      failures += on[w][i].failures;
      if (w == 0 || is_rdna(&on[w][i]))
        row_put(&on[w][i], i);
    }
  fprintf(stderr, "%zu encodings in %zu files\n", instructions, files);
  ck_assert_uint_gt(instructions, 0);
  ck_assert_uint_eq(failures, 0);
}
END_TEST

AQ_TEST_MAIN("gpu/isa/llvm", encodings_of_llvms_tests_have_llvm_objdumps_text)
