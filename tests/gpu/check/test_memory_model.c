/* SPDX-License-Identifier: MIT */
/* The cells of the memory model: kernels of model.c, for each processor; the
 * page has the checker's verdicts on them. Their names end with a
 * demand: _silent, _found, or _looks where code of atomics may look plain.
 * `make memory-model-docs` writes the page. */
#include "model_page.h"
#include "model_run.h"

enum { WORDS = 1024 };

static const char *const processors[] = {"gfx906",  "gfx90a",  "gfx942",
                                         "gfx1030", "gfx1100", "gfx1201"};

typedef struct memory {
  uint32_t words[5][WORDS];
} memory;

static bool ends(const char *name, const char *end)
{
  const size_t length = strlen(name), tail = strlen(end);
  return length >= tail && strcmp(name + length - tail, end) == 0;
}

static unsigned cell_run(const aq_code_image *image, const char *gfx,
                         const char *name)
{
  memory *at = aligned_alloc(64, sizeof *at);
  const void *arguments[32] = {NULL};
  model m;
  ck_assert_ptr_nonnull(at);
  memset(at, 0, sizeof *at);
  for (int i = 0; i < 5; i++)
    arguments[i] = at->words[i];
  model_open(&m);
  const bool group = strncmp(name, "group_", 6) == 0,
             both = strncmp(name, "both_", 5) == 0,
             grid = strncmp(name, "grid_", 5) == 0;
  if (strncmp(name, "gws_", 4) == 0)
    model_execute(&m, image, gfx, "gws_init", 1, 1, arguments);
  const unsigned found = model_execute(&m, image, gfx, name,
                                       group          ? 1
                                       : both || grid ? 2
                                                      : 3,
                                       group || both ? 2 : 1, arguments);
  model_close(&m);
  free(at);
  return found;
}

/* ---- the page ---- */

enum { PROCESSORS = sizeof processors / sizeof *processors, CELLS = 128 };

/* The verdicts of this process. */
static struct {
  char name[64]; /* without the verdict */
  const char *on[PROCESSORS];
} cells[CELLS];
static unsigned cell_count;

static unsigned cell_of(const char *kernel)
{
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(strrchr(kernel, '_') - kernel),
           kernel);
  for (unsigned i = 0; i < cell_count; i++)
    if (strcmp(cells[i].name, name) == 0)
      return i;
  ck_assert_uint_lt(cell_count, CELLS);
  memcpy(cells[cell_count].name, name, sizeof name);
  return cell_count++;
}

/* The verdict in the row of a cell, in the column of a processor; a static
 * text. */
static const char *page_verdict(const char *page, const char *name,
                                int processor)
{
  static char verdict[16];
  char row[80];
  snprintf(row, sizeof row, "| `%.64s` |", name);
  const char *at = strstr(page, row);
  for (int i = 0; at && i < 1 + processor; i++)
    at = strchr(at + 1, '|');
  snprintf(verdict, sizeof verdict, "%.*s", at ? (int)strcspn(at + 2, " ") : 0,
           at ? at + 2 : "");
  return verdict;
}

/* Rows of cells.tsv: the descriptions, in the order of the page. */
static void rows_write(FILE *out)
{
  char line[256];
  unsigned silent = 0, found = 0;
  FILE *file = fopen(aqtest_source("gpu/check/cells.tsv"), "r");
  ck_assert_ptr_nonnull(file);
  for (unsigned i = 0; i < cell_count; i++) {
    bool all_silent = true, all_found = true;
    for (int p = 0; p < PROCESSORS; p++) {
      const char *v = cells[i].on[p];
      all_silent &= !v || strcmp(v, "silent") == 0;
      all_found &= !v || strcmp(v, "found") == 0;
    }
    silent += all_silent;
    found += all_found;
  }
  fprintf(out,
          "%u cells on %d processors: %u are silent and %u found on each.\n\n"
          "| cell |",
          cell_count, PROCESSORS, silent, found);
  for (int p = 0; p < PROCESSORS; p++)
    fprintf(out, " %s |", processors[p]);
  fprintf(out, " description |\n|---|");
  for (int p = 0; p < PROCESSORS; p++)
    fprintf(out, "---|");
  fprintf(out, "---|\n");
  unsigned rows = 0;
  for (; fgets(line, sizeof line, file); rows++) {
    char *tab = strchr(line, '\t');
    ck_assert_ptr_nonnull(tab);
    line[strcspn(line, "\n")] = 0;
    *tab = 0;
    unsigned i = 0;
    while (i < cell_count && strcmp(cells[i].name, line) != 0)
      i++;
    ck_assert_msg(i < cell_count, "cells.tsv: no cell %s", line);
    fprintf(out, "| `%s` |", line);
    for (int p = 0; p < PROCESSORS; p++)
      fprintf(out, " %s |", cells[i].on[p] ? cells[i].on[p] : "–");
    fprintf(out, " %s |\n", tab + 1);
  }
  ck_assert_uint_eq(rows, cell_count);
  fclose(file);
}

/* ---- cells ---- */

static const char *verdict_of(unsigned found)
{
  return found & MODEL_SURE ? "found" : found ? "possible" : "silent";
}

START_TEST(each_cell_has_the_verdict_of_the_page)
{
  const char *gfx = processors[_i];
  unsigned count = 0, wrong = 0;
  if (!compiler_is_here()) {
    aqtest_skip("no clang-22 with ld.lld-22 here");
    return;
  }
  const char *page = model_page_read();
  aq_code_image image = image_of("gpu/check/model.c", gfx, 1);
  for (size_t i = 0; i < image.code.kernel_count; i++) {
    const char *kernel = image.code.kernels[i].name;
    const bool silent = ends(kernel, "_silent"), finds = ends(kernel, "_found");
    if (!silent && !finds && !ends(kernel, "_looks"))
      continue;
    const unsigned found = cell_run(&image, gfx, kernel),
                   cell = cell_of(kernel);
    const char *verdict = cells[cell].on[_i] = verdict_of(found),
               *has = page_verdict(page, cells[cell].name, _i);
    /* Where atomics have bits of their own, nothing is unsure. */
    const bool marked = strcmp(gfx, "gfx942") == 0;
    count++;
    if ((getenv("AQ_WRITE_DOCS") || strcmp(has, verdict) == 0) &&
        (silent  ? found == 0
         : finds ? found != 0 && (!marked || found & MODEL_SURE)
                 : !marked || found != MODEL_POSSIBLE))
      continue;
    wrong++;
    fprintf(stderr, "%s: %s: %s; the page: %s\n", gfx, kernel, verdict, has);
  }
  aq_code_image_unload(&image);
  ck_assert_uint_ge(count, 50);
  ck_assert_msg(wrong == 0, "%s: %u of %u cells", gfx, wrong, count);
}
END_TEST

START_TEST(the_page_has_each_cell_once)
{
  if (!compiler_is_here()) {
    aqtest_skip("no clang-22 with ld.lld-22 here");
    return;
  }
  const char *page = model_page_read();
  if (getenv("AQ_WRITE_DOCS")) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    rows_write(out);
    fclose(out);
    model_page_write(page, "cells", text);
    free(text);
    return;
  }
  static const char *const both[] = {"gfx90a", "gfx1201"};
  unsigned rows = 0;
  for (int g = 0; g < 2; g++) { /* some cells are of one of them */
    aq_code_image image = image_of("gpu/check/model.c", both[g], 1);
    for (size_t i = 0; i < image.code.kernel_count; i++) {
      const char *name = image.code.kernels[i].name;
      if (ends(name, "_silent") || ends(name, "_looks") || ends(name, "_found"))
        cell_of(name);
    }
    aq_code_image_unload(&image);
  }
  const char *begin = strstr(page, "<!-- cells:begin");
  for (const char *at = begin; at && (at = strstr(at, "\n| `")); at++)
    rows++;
  ck_assert_uint_eq(rows, cell_count);
}
END_TEST

int main(void)
{
  static char names[PROCESSORS][64];
  aqtest_case cases[PROCESSORS + 1] = {
      [PROCESSORS] = {.name = "the_page_has_each_cell_once",
                      .test = the_page_has_each_cell_once}};
  for (int i = 0; i < PROCESSORS; i++) {
    snprintf(names[i], sizeof names[i],
             "each_cell_has_the_verdict_of_the_page_on_%s", processors[i]);
    cases[i] = (aqtest_case){.name = names[i],
                             .test = each_cell_has_the_verdict_of_the_page,
                             .index = i};
  }
  return aqtest_run("gpu/check/memory_model", cases, PROCESSORS + 1);
}
