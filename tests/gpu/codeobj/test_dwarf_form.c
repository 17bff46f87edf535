/* SPDX-License-Identifier: MIT */
/* Sections and values of DWARF: damaged ones, and forms that are not read, are
 * refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/codeobj/dwarf_form.h"
#include "gpu/codeobj/line_table.h"
#include "support/aqtest.h"

static unsigned char bytes[1 << 16];

static size_t object_load(void)
{
  char path[1024];
  const char *srcdir = getenv("AQ_SRCDIR");
  snprintf(path, sizeof path, "%s/tests/fuzz/corpus/codeobj/lines5.hsaco",
           srcdir ? srcdir : ".");
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return size;
}

/* Changes a section of the object in `bytes`: its flags, its size (0: stays)
 * and its name, to one that is no longer (NULL: stays). */
static void section_change(size_t size, const char *name, uint64_t flags,
                           uint64_t bytes_left, const char *other)
{
  aq_elf elf;
  Elf64_Shdr header, texts;
  ck_assert(aq_elf_open(bytes, size, &elf));
  ck_assert(aq_elf_section(&elf, elf.head.e_shstrndx, &texts));
  for (uint64_t i = 0; i < elf.sections; i++) {
    ck_assert(aq_elf_section(&elf, i, &header));
    const char *text = aq_elf_text(&elf, &texts, header.sh_name);
    if (!text || strcmp(text, name) != 0)
      continue;
    header.sh_flags |= flags;
    header.sh_size = bytes_left ? bytes_left : header.sh_size;
    memcpy(bytes + elf.head.e_shoff + i * sizeof header, &header,
           sizeof header);
    if (other)
      memcpy(bytes + texts.sh_offset + header.sh_name, other,
             strlen(other) + 1);
    return;
  }
  ck_abort_msg("no section %s", name);
}

static void is_refused(size_t size, aq_status status, const char *words)
{
  aq_code_lines lines;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_code_lines_read(bytes, size, NULL, &lines, &diag), status,
                   &diag);
  ck_assert_msg(strstr(diag.text, words) != NULL, "%s", diag.text);
}

/* The section as if it were compressed, with a head of a method and a size. */
static void section_compress(size_t size, const char *name, uint32_t method,
                             uint64_t when_decompressed)
{
  const Elf64_Chdr head = {.ch_type = method, .ch_size = when_decompressed};
  aq_elf elf;
  Elf64_Shdr header;
  section_change(size, name, SHF_COMPRESSED, 0, NULL);
  ck_assert(aq_elf_open(bytes, size, &elf));
  ck_assert(aq_elf_section_find(&elf, name, &header));
  ck_assert_uint_ge(header.sh_size, sizeof head);
  memcpy(bytes + header.sh_offset, &head, sizeof head);
}

START_TEST(compressed_sections_that_are_not_read_are_refused_by_name)
{
  static const char *const names[] = {".debug_line", ".debug_info",
                                      ".debug_abbrev", ".debug_str"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char words[80];
    size_t size = object_load();
    snprintf(words, sizeof words, "section %s is compressed by method 7",
             names[i]);
    section_compress(size, names[i], 7, 100);
    is_refused(size, AQ_ERR_UNSUPPORTED, words);
    size = object_load();
    snprintf(words, sizeof words, "section %s has 4294967296 bytes", names[i]);
    section_compress(size, names[i], ELFCOMPRESS_ZLIB, UINT64_C(1) << 32);
    is_refused(size, AQ_ERR_INPUT, words);
    size = object_load();
    snprintf(words, sizeof words, "section %s is compressed and has no head",
             names[i]);
    section_change(size, names[i], SHF_COMPRESSED, 8, NULL);
    is_refused(size, AQ_ERR_INPUT, words);
  }
  const size_t size = object_load();
  section_change(size, ".debug_line", 0, 0, ".other");
  section_change(size, ".debug_line_str", 0, 0, ".zdebug_line");
  is_refused(size, AQ_ERR_UNSUPPORTED, "section .zdebug_line is compressed");
}
END_TEST

START_TEST(places_beyond_a_section_are_none)
{
  const aq_dwarf_part part = {bytes, 64};
  aq_dwarf d = aq_dwarf_at(&part, 8, 6, 8);
  ck_assert(!d.bad);
  ck_assert_ptr_eq(d.at, bytes + 56);
  d = aq_dwarf_at(&part, 8, 7, 8);
  ck_assert(!d.bad && aq_dwarf_left(&d) == 0);
  static const uint64_t indexes[] = {8, UINT64_MAX / 8 + 1, UINT64_MAX / 8,
                                     UINT64_MAX};
  for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
    d = aq_dwarf_at(&part, 8, indexes[i], 8);
    ck_assert(d.bad && aq_dwarf_left(&d) == 0);
  }
  d = aq_dwarf_at(&part, UINT64_MAX, 1, 1);
  ck_assert(d.bad);
}
END_TEST

START_TEST(addresses_of_no_size_of_a_number_are_not_read)
{
  const aq_dwarf_unit unit = {.address_size = 200, .offset_size = 4};
  aq_dwarf d = {bytes, bytes + sizeof bytes, false};
  aq_dwarf_value value;
  ck_assert(!aq_dwarf_value_read(&unit, &d, NULL, AQ_DWARF_FORM_ADDR, &value));
  ck_assert(!aq_dwarf_value_read(&unit, &d, NULL, 0x21, &value));
  ck_assert(!aq_dwarf_value_read(&unit, &d, NULL, 0x7f, &value));
}
END_TEST

/* A table of version 4, with a program that begins beyond the addresses. */
START_TEST(a_line_behind_the_last_address_is_damage)
{
  static const unsigned char table[] = {
      48, 0,   0,   0,   4,   0,   25,  0,   0,   0, /* lengths, version */
      4,  1,   1,   251, 14,  13,                    /* 4 bytes a step */
      0,  1,   1,   1,   1,   0,   0,   0,   1,   0,   0, 1, /* operands */
      0,  'a', 0,   0,   0,   0,   0,                        /* a file */
      2,  255, 255, 255, 255, 255, 255, 255, 255, 255, 1,    /* advance_pc */
      1,  1,   1,   0,   1,   1};                            /* copy, end */
  const size_t size = object_load();
  aq_elf elf;
  Elf64_Shdr header;
  aq_code_lines lines;
  aq_diag diag = AQ_DIAG_INIT;
  section_change(size, ".debug_line", 0, sizeof table, NULL);
  ck_assert(aq_elf_open(bytes, size, &elf));
  ck_assert(aq_elf_section_find(&elf, ".debug_line", &header));
  ck_assert_uint_eq(table[0], sizeof table - 4);
  memcpy(bytes + header.sh_offset, table, sizeof table);
  ck_assert_status(aq_code_lines_read(bytes, size, NULL, &lines, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_msg(strstr(diag.text, "damaged") != NULL, "%s", diag.text);
}
END_TEST

AQ_TEST_MAIN("gpu/codeobj/dwarf_form",
             compressed_sections_that_are_not_read_are_refused_by_name,
             places_beyond_a_section_are_none,
             addresses_of_no_size_of_a_number_are_not_read,
             a_line_behind_the_last_address_is_damage)
