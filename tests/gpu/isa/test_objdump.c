/* SPDX-License-Identifier: MIT */
/* The text of every instruction against llvm-objdump in a
 * library that is installed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/codeobj/bundle.h"
#include "objdump.h"
#include "support/aqtest.h"

/* ROCm's libraries of Debian; rocSPARSE has 1.3 GB of code and is compared
 * with AQ_ORACLES only. AQ_ISA_LIBRARY names another one. */
static const char rocrand[] = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";
static const char rocsparse[] = "/usr/lib/x86_64-linux-gnu/librocsparse.so.0";
static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";

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
    objdump_comparison on = {.stride = 4};
    if (!entry->has_target || !entry->size ||
        aq_isa_decoder_init(&on.decoder, entry->target.processor, NULL))
      continue;
    objdump_compare(&on, aqtest_write("code.co", entry->bytes, entry->size));
    ck_assert_uint_gt(on.instructions, 0);
    ck_assert_uint_eq(on.failures, 0);
    instructions += on.instructions;
  }
  return instructions;
}

static size_t library_compare(const char *path)
{
  size_t size, instructions = 0;
  unsigned char *bytes = file_read(path, &size);
  for (unsigned char *at = bytes;
       bytes &&
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
  return instructions;
}

START_TEST(every_instruction_of_a_library_has_llvm_objdumps_text)
{
  const char *own = getenv("AQ_ISA_LIBRARY");
  const char *libraries[] = {own ? own : rocrand,
                             getenv("AQ_ORACLES") ? rocsparse : NULL};
  size_t compared = 0;
  for (size_t i = 0; objdump_is_here() && i < 2 && libraries[i]; i++) {
    const size_t instructions = library_compare(libraries[i]);
    if (instructions > 0)
      fprintf(stderr, "%s: %zu instructions have llvm-objdump's text\n",
              libraries[i], instructions);
    compared += instructions;
  }
  if (compared == 0)
    aqtest_skip("no librocrand.so.1 or no llvm-objdump-22 here");
}
END_TEST

AQ_TEST_MAIN("gpu/isa/objdump",
             every_instruction_of_a_library_has_llvm_objdumps_text)
