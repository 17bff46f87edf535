/* SPDX-License-Identifier: MIT */
/* The text of every instruction against llvm-objdump in a
 * library that is installed. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/bundle.h"
#include "isa/isa.h"
#include "support/aqtest.h"

/* ROCm's libraries of Debian; rocSPARSE has 1.3 GB of code and is compared
 * where AQ_ISA_LIBRARY names it. */
static const char rocrand[] = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";
static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";

typedef struct aq_comparison {
  aq_isa_decoder decoder;
  size_t instructions;
} aq_comparison;

static bool tool_is_there(const char *name)
{
  char command[128];
  snprintf(command, sizeof command, "command -v %s > /dev/null", name);
  return system(command) == 0; /* NOLINT: a fixed name */
}

/* Reads "// 000000001000: C0020104 00000000" into words; false where a line has
 * no such comment. `text` ends before it afterwards. */
static bool line_split(char *line, uint32_t words[4], size_t *count)
{
  char *comment = strstr(line, "// "),
       *at = comment ? strchr(comment, ':') : NULL;
  if (line[0] != '\t' || !at)
    return false;
  *count = 0;
  for (at++; *count < 4; (*count)++) {
    char *end;
    at += strspn(at, " ");
    if (!isxdigit((unsigned char)*at))
      break;
    words[*count] = (uint32_t)strtoul(at, &end, 16);
    at = end;
  }
  while (comment > line && isspace((unsigned char)comment[-1]))
    comment--;
  *comment = 0;
  return *count > 0;
}

/* What llvm-objdump itself marks as no instruction, or as one that no assembler
 * takes. */
static bool is_refused(const char *text)
{
  return strstr(text, ".long") || strstr(text, "Invalid register") ||
         strstr(text, "Warning:") || strstr(text, "/* ");
}

static void line_compare(aq_comparison *on, const char *text,
                         const uint32_t *words, size_t count)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_isa_inst inst;
  char ours[AQ_ISA_TEXT_SIZE] = "";
  aq_status status =
      aq_isa_decode(&on->decoder, words, 4 * count, 0, &inst, &diag);
  if (is_refused(text))
    return;
  ck_assert_msg(status == AQ_OK, "0x%08x: llvm '%s', ours: %s", words[0], text,
                diag.text);
  aq_isa_print(&inst, ours);
  ck_assert_msg(strcmp(ours, text) == 0 && inst.size == 4 * count,
                "0x%08x: llvm '%s', ours '%s' of %u bytes", words[0], text,
                ours, inst.size);
  on->instructions++;
}

static void file_compare(aq_comparison *on, const char *options,
                         const char *path)
{
  char command[512], line[1024];
  snprintf(command, sizeof command, "llvm-objdump-22 -d %s %s", options, path);
  FILE *pipe = popen(command, "r"); /* NOLINT: a path of ours */
  ck_assert_ptr_nonnull(pipe);
  while (fgets(line, sizeof line, pipe)) {
    uint32_t words[4];
    size_t count;
    if (line_split(line, words, &count))
      line_compare(on, line + 1, words, count);
  }
  ck_assert_int_eq(pclose(pipe), 0);
}

static unsigned char *file_read(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size);
  ck_assert(bytes && fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

static size_t bundle_compare(const aq_bundle *bundle)
{
  size_t instructions = 0;
  for (size_t i = 0; i < bundle->count; i++) {
    const aq_bundle_entry *entry = &bundle->entries[i];
    aq_comparison on = {0};
    if (!entry->has_target || !entry->size ||
        aq_isa_decoder_init(&on.decoder, entry->target.processor, NULL))
      continue;
    file_compare(&on, "", aqtest_write("code.co", entry->bytes, entry->size));
    ck_assert_uint_gt(on.instructions, 0);
    instructions += on.instructions;
  }
  return instructions;
}

START_TEST(every_instruction_of_a_library_has_llvm_objdumps_text)
{
  const char *path = getenv("AQ_ISA_LIBRARY");
  size_t size, instructions = 0;
  unsigned char *bytes = file_read(path ? path : rocrand, &size);
  if (!bytes || !tool_is_there("llvm-objdump-22")) {
    aqtest_skip("no librocrand.so.1 or no llvm-objdump-22 here");
    free(bytes);
    return;
  }
  for (unsigned char *at = bytes;
       (at = memmem(at, size - (size_t)(at - bytes), magic, sizeof magic - 1));
       at++) {
    aq_diag diag = AQ_DIAG_INIT;
    aq_bundle bundle;
    if (aq_bundle_read(at, size - (size_t)(at - bytes), &bundle, &diag))
      continue; /* the magic's text, not a bundle */
    instructions += bundle_compare(&bundle);
    aq_bundle_fini(&bundle);
  }
  free(bytes);
  ck_assert_uint_gt(instructions, 0);
  fprintf(stderr, "%zu instructions have llvm-objdump's text\n", instructions);
}
END_TEST

AQ_TEST_MAIN("isa/objdump",
             every_instruction_of_a_library_has_llvm_objdumps_text)
