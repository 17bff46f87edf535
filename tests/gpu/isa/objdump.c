/* SPDX-License-Identifier: MIT */
#include "objdump.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

enum { WORDS = 4, REPORTED = 50 };

bool objdump_is_here(void)
{
  return system("command -v llvm-objdump-22 > /dev/null && "
                "command -v llvm-mc-22 > /dev/null") ==
         0; /* NOLINT: fixed names */
}

objdump_comparison objdump_comparison_for(const char *processor,
                                          unsigned stride)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_target target;
  objdump_comparison on = {.stride = stride};
  ck_assert_status(
      aq_target_parse(processor, strlen(processor), &target, &diag), AQ_OK,
      &diag);
  ck_assert_status(aq_isa_decoder_init(&on.decoder, target.processor, &diag),
                   AQ_OK, &diag);
  return on;
}

/* Reads "// 000000001000: C0020104 00000000" into words; false where a line has
 * no such comment. The line ends before it afterwards. */
static bool line_split(char *line, uint64_t *address, uint32_t words[WORDS],
                       size_t *count)
{
  char *comment = strstr(line, "// "), *at;
  if (line[0] != '\t' || !comment)
    return false;
  *address = strtoull(comment + 3, &at, 16);
  if (*at != ':')
    return false;
  *count = 0;
  for (at++; *count < WORDS; (*count)++) {
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

/* A comment that is no VGPR of another bank: gfx1250. */
static bool has_remark(const char *text)
{
  for (const char *at = text; (at = strstr(at, "/*")); at += 2)
    if (at[2] != 'v')
      return true;
  return false;
}

/* What llvm-objdump itself marks as no instruction, or as one that no assembler
 * takes. */
static bool is_refused(const char *text)
{
  return strstr(text, ".long") || strcmp(text, "v_illegal") == 0 ||
         strstr(text, "Invalid ") || has_remark(text);
}

/* gfx10 has the images of gfx9 in the table, not its own. */
static bool is_own_image(const char *text)
{
  static const char *const parts[] = {"image_bvh", "image_msaa", "_g16",
                                      "image_atomic_f"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(text, parts[i]))
      return true;
  return false;
}

/* Other images, exports and interpolation of RDNA are not in the table. */
static bool is_of_graphics(const aq_isa_decoder *decoder, const char *text)
{
  static const char *const starts[] = {"image_",    "exp ", "export ",
                                       "v_interp",  "lds_", "ds_param_",
                                       "ds_direct_"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (decoder->target & AQ_ISA_RDNA &&
        strncmp(text, starts[i], strlen(starts[i])) == 0)
      return i > 0 || !(decoder->target & AQ_ISA_GFX10) || is_own_image(text);
  return false;
}

static void line_compare(objdump_comparison *on, const char *text,
                         const uint32_t *words, size_t count)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_isa_inst inst;
  const uint8_t banks = on->banks;
  char ours[AQ_ISA_TEXT_SIZE] = "";
  if (is_refused(text)) {
    on->refused++;
    return;
  }
  aq_status status =
      aq_isa_decode(&on->decoder, words, 4 * count, 0, &inst, &diag);
  if (status == AQ_OK) {
    aq_isa_banks_set(&inst, banks);
    aq_isa_print(&inst, ours);
    on->banks = aq_isa_banks_next(&inst, banks);
  }
  if (status == AQ_OK && strcmp(ours, text) == 0 && inst.size == 4 * count) {
    on->instructions++;
    return;
  }
  if (is_of_graphics(&on->decoder, text)) {
    on->graphics++;
    return;
  }
  if (on->failures++ < REPORTED)
    fprintf(stderr, "# 0x%08x 0x%08x: llvm '%s', ours '%s' of %u bytes%s%s\n",
            words[0], count > 1 ? words[1] : 0, text, ours,
            status ? 0 : inst.size, status ? ": " : "",
            status ? diag.text : "");
}

void objdump_compare(objdump_comparison *on, const char *path)
{
  char command[512], line[1024];
  const bool wave64 = on->decoder.target & AQ_ISA_RDNA && !on->decoder.wave32;
  snprintf(command, sizeof command, "llvm-objdump-22 -d %s %s",
           wave64 ? "--mattr=+wavefrontsize64" : "", path);
  FILE *pipe = popen(command, "r"); /* NOLINT: a path of ours */
  ck_assert_ptr_nonnull(pipe);
  while (fgets(line, sizeof line, pipe)) {
    uint64_t address;
    uint32_t words[WORDS];
    size_t count;
    const bool warns = strstr(line, "; Warning:");
    if (line[0] != '\t' && strchr(line, '<'))
      on->banks = 0; /* a function */
    if (line_split(line, &address, words, &count) && !warns &&
        address % on->stride == 0)
      line_compare(on, line + 1, words, count);
  }
  ck_assert_int_eq(pclose(pipe), 0);
}
