/* SPDX-License-Identifier: MIT */
/* Line tables of DWARF. The code objects of the corpus are clang's, of one
 * source, with tables of version 4 and 5, the latter also as llvm-objcopy
 * compresses it; the rows expected of them are llvm-dwarfdump's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/codeobj/line_table.h"
#include "support/aqtest.h"

typedef struct loaded {
  unsigned char *bytes;
  size_t size;
  aq_codeobj code;
} loaded;

static void load(const char *name, loaded *out)
{
  char path[1024];
  aq_diag diag = AQ_DIAG_INIT;
  const char *srcdir = getenv("AQ_SRCDIR");
  snprintf(path, sizeof path, "%s/tests/fuzz/corpus/codeobj/%s",
           srcdir ? srcdir : ".", name);
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  out->bytes = malloc(1 << 16);
  out->size = fread(out->bytes, 1, 1 << 16, file);
  fclose(file);
  ck_assert_status(aq_codeobj_read(out->bytes, out->size, &out->code, &diag),
                   AQ_OK, &diag);
}

static void unload(loaded *l)
{
  aq_codeobj_fini(&l->code);
  free(l->bytes);
}

/* llvm-dwarfdump-22 --debug-line; the first row of a function has its line. */
static const struct {
  uint64_t address;
  uint32_t line;
} rows[] = {{0x1500, 1}, {0x1504, 1}, {0x1508, 1}, {0x1600, 3}, {0x1610, 4},
            {0x1628, 4}, {0x1638, 4}, {0x1644, 4}, {0x1650, 5}, {0x1658, 6}};

static const char *const objects[] = {"lines4.hsaco", "lines5.hsaco",
                                      "lines5-zlib.hsaco", "lines5-zstd.hsaco"};

#ifdef HAVE_ZSTD
enum { OBJECTS = 4 };
#else
enum { OBJECTS = 3 };
#endif

START_TEST(rows_are_those_of_llvm)
{
  for (size_t k = 0; k < OBJECTS; k++) {
    loaded l;
    aq_code_lines lines;
    aq_diag diag = AQ_DIAG_INIT;
    load(objects[k], &l);
    ck_assert(aq_code_lines_are(l.bytes, l.size));
    ck_assert_status(
        aq_code_lines_read(l.bytes, l.size, &l.code, &lines, &diag), AQ_OK,
        &diag);
    ck_assert_uint_eq(lines.count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < lines.count; i++) {
      const aq_code_line *row = &lines.list[i];
      ck_assert_uint_eq(row->address, rows[i].address);
      ck_assert_uint_eq(row->line, rows[i].line);
      const char *path = aq_names_text(&lines.files, row->file);
      ck_assert_str_eq(strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
                       "tiny.c");
      ck_assert_ptr_eq(aq_code_lines_find(&lines, row->end - 4), row);
    }
    ck_assert_ptr_null(aq_code_lines_find(&lines, 0x165c));
    ck_assert_ptr_null(aq_code_lines_find(&lines, 0));
    ck_assert_ptr_null(aq_code_lines_find(&lines, UINT64_MAX));
    aq_code_lines_fini(&lines);
    unload(&l);
  }
}
END_TEST

START_TEST(a_file_without_a_table_has_no_lines)
{
  loaded l;
  aq_code_lines lines;
  aq_diag diag = AQ_DIAG_INIT;
  load("gfx90a.hsaco", &l);
  ck_assert(!aq_code_lines_are(l.bytes, l.size));
  ck_assert_status(aq_code_lines_read(l.bytes, l.size, &l.code, &lines, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(lines.count, 0);
  aq_code_lines_fini(&lines);
  unload(&l);
}
END_TEST

/* The line table's place in the file. */
static unsigned char *table_find(const loaded *l, unsigned version)
{
  /* The length of the only unit, then the version; "tiny.c" is not far. */
  for (size_t i = 0; i + 6 < l->size; i++) {
    uint32_t length;
    memcpy(&length, l->bytes + i, sizeof length);
    if (length > 60 && length < 400 && l->bytes[i + 4] == version &&
        l->bytes[i + 5] == 0 && i + length + 4 <= l->size &&
        l->bytes[i + length + 3] == 1 && l->bytes[i + length + 2] == 1)
      return l->bytes + i;
  }
  ck_abort_msg("no line table");
  return NULL;
}

START_TEST(unknown_versions_and_lengths_beyond_the_end_are_refused)
{
  for (unsigned k = 0; k < 2; k++) {
    loaded l;
    aq_code_lines lines;
    aq_diag diag = AQ_DIAG_INIT;
    load(objects[k], &l);
    unsigned char *table = table_find(&l, 4 + k);
    table[4] = 6;
    ck_assert_status(
        aq_code_lines_read(l.bytes, l.size, &l.code, &lines, &diag),
        AQ_ERR_UNSUPPORTED, &diag);
    ck_assert_ptr_nonnull(strstr(diag.text, "version 6"));
    table[4] = (unsigned char)(4 + k);
    table[2] = 1;
    ck_assert_status(
        aq_code_lines_read(l.bytes, l.size, &l.code, &lines, &diag),
        AQ_ERR_INPUT, &diag);
    ck_assert_ptr_nonnull(strstr(diag.text, "damaged"));
    unload(&l);
  }
}
END_TEST

/* Whatever a byte becomes, reading ends, within the bytes, with rows in order
 * or an error. */
START_TEST(damaged_bytes_give_an_error_or_rows_in_order)
{
  for (unsigned k = 0; k < 2; k++) {
    loaded l;
    load(objects[k], &l);
    unsigned char *table = table_find(&l, 4 + k);
    uint32_t length;
    memcpy(&length, table, sizeof length);
    for (uint32_t i = 0; i < length + 4; i++)
      for (unsigned bit = 0; bit < 8; bit++) {
        aq_code_lines lines;
        table[i] ^= 1u << bit;
        if (aq_code_lines_read(l.bytes, l.size, &l.code, &lines, NULL) ==
            AQ_OK) {
          for (size_t n = 1; n < lines.count; n++)
            ck_assert(lines.list[n - 1].address <= lines.list[n].address);
          aq_code_lines_fini(&lines);
        }
        table[i] ^= 1u << bit;
      }
    unload(&l);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/codeobj/lines", rows_are_those_of_llvm,
             a_file_without_a_table_has_no_lines,
             unknown_versions_and_lengths_beyond_the_end_are_refused,
             damaged_bytes_give_an_error_or_rows_in_order)
