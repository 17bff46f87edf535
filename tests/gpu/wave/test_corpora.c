/* SPDX-License-Identifier: MIT */
/* Opcodes that compilers emitted, by corpus and target (`isa/CORPUS.TARGET.tsv`
 * of the data folder): each is in the table and executes there. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/wave/core/wave.h"
#include "support/aqtest.h"

/* Lines of disassemblies that no wave executes. */
static const struct {
  const char *name, *why;
} unreached[] = {
    {"s_code_end", "fills the end of a function"},
    {"v_illegal", "a word of data"},
    {"s_sendmsg_rtn_b32", "follows s_trap 2, which ends the kernel"}};

/* IREE's binaries of a generation are for several processors. */
static const struct {
  const char *generation, *processor;
} generations[] = {{"gfx9", "gfx942"},
                   {"gfx10", "gfx1030"},
                   {"gfx11", "gfx1100"},
                   {"gfx12", "gfx1201"}};

static bool is_unreached(const char *name)
{
  for (size_t i = 0; i < sizeof unreached / sizeof *unreached; i++)
    if (strcmp(unreached[i].name, name) == 0)
      return true;
  return false;
}

/* The target's bit, by the part of a file's name between its points. */
static uint16_t target_of(const char *file)
{
  const char *from = strchr(file, '.');
  aq_diag diag = AQ_DIAG_INIT;
  aq_isa_decoder decoder;
  aq_target target;
  char name[32];
  if (!from || strcmp(file + strlen(file) - 4, ".tsv") != 0)
    return 0;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(from + 1, "._"), from + 1);
  for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
    if (strcmp(generations[i].generation, name) == 0)
      strcpy(name, generations[i].processor);
  if (aq_target_parse(name, strlen(name), &target, &diag) != AQ_OK ||
      aq_isa_decoder_init(&decoder, target.processor, &diag) != AQ_OK)
    return 0;
  return decoder.target;
}

static bool opcode_executes(const char *name, uint16_t target)
{
  for (size_t i = 0; i < aq_isa_row_count(); i++) {
    const aq_isa_row *row = aq_isa_row_at(i);
    if (row->targets & target && strcmp(row->name, name) == 0)
      return aq_wave_row_executes(row, target);
  }
  return false;
}

/* The number of opcodes of a corpus. */
static unsigned corpus_check(const char *folder, const char *file,
                             uint16_t target)
{
  char path[1024], line[512];
  unsigned opcodes = 0;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  FILE *in = fopen(path, "r");
  ck_assert_msg(in != NULL, "%s", path);
  ck_assert_ptr_nonnull(fgets(line, sizeof line, in));
  ck_assert_msg(strncmp(line, "opcode\t", 7) == 0, "%s", file);
  while (fgets(line, sizeof line, in)) {
    line[strcspn(line, "\t\n")] = 0;
    if (is_unreached(line))
      continue;
    opcodes++;
    ck_assert_msg(opcode_executes(line, target), "%s of %s", line, file);
  }
  fclose(in);
  return opcodes;
}

START_TEST(opcodes_that_compilers_emit_execute_on_their_target)
{
  const char *data = aqtest_data("isa");
  DIR *files = data ? opendir(data) : NULL;
  unsigned corpora = 0;
  if (!files) {
    aqtest_skip_unpublished();
    return;
  }
  for (const struct dirent *entry; (entry = readdir(files));) {
    const uint16_t target = target_of(entry->d_name);
    if (!target)
      continue;
    ck_assert_uint_gt(corpus_check(data, entry->d_name, target), 0);
    corpora++;
  }
  closedir(files);
  ck_assert_uint_gt(corpora, 0);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/corpora",
             opcodes_that_compilers_emit_execute_on_their_target)
