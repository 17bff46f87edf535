/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/coverage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exec/coverage_code.h"
#include "common/array.h"
#include "common/map.h"
#include "common/text.h"

typedef struct covered_line {
  uint32_t file, line;
  uint64_t count;
  uint64_t in_kernel; /* the most of the kernel that is being added */
} covered_line;

typedef struct covered_function {
  uint32_t file, line;
  int64_t name;
  uint64_t count;
} covered_function;

struct aq_coverage {
  const char *path; /* borrowed */
  FILE *out;
  aq_names files, functions;
  aq_map line_places, function_places; /* of the lists */
  covered_line *lines;
  size_t line_count, line_capacity;
  covered_function *list;
  size_t count, capacity;
  size_t unknown_kernels; /* that were executed and have no lines */
  char unknown[200];      /* the first of them */
  char damage[200];       /* of the first code object that was not read */
  bool counted;           /* some run has counts */
};

aq_status aq_coverage_open(const char *file, aq_coverage **out, aq_diag *diag)
{
  *out = NULL;
  if (!file)
    return AQ_OK;
  aq_coverage *c = calloc(1, sizeof *c);
  if (!c)
    return aq_diag_no_memory(diag);
  *c = (aq_coverage){
      .path = file, .files = AQ_NAMES_INIT, .functions = AQ_NAMES_INIT};
  c->out = fopen(file, "we");
  if (!c->out) {
    free(c);
    return aq_diag_set(diag, AQ_ERR_IO, "--coverage %s: %s", file,
                       strerror(errno));
  }
  *out = c;
  return AQ_OK;
}

/* ---- lines and functions ---- */

/* NULL: out of memory. */
static covered_line *line_at(aq_coverage *c, uint32_t file, uint32_t line)
{
  const uint64_t key = (uint64_t)file << 32 | line;
  const covered_line made = {.file = file, .line = line};
  uint64_t place;
  if (aq_map_get(&c->line_places, key, &place))
    return &c->lines[place];
  if (!AQ_ARRAY_PUSH(c->lines, c->line_count, c->line_capacity, made))
    return NULL;
  if (!aq_map_put(&c->line_places, key, c->line_count - 1)) {
    c->line_count--;
    return NULL;
  }
  return &c->lines[c->line_count - 1];
}

static bool function_count(aq_coverage *c, const char *name, uint32_t file,
                           uint32_t line, uint64_t count)
{
  const int64_t id = aq_names_id(&c->functions, name, strlen(name));
  const covered_function made = {.file = file, .line = line, .name = id};
  uint64_t place;
  if (id < 0)
    return false;
  if (!aq_map_get(&c->function_places, (uint64_t)id, &place)) {
    place = c->count;
    if (!AQ_ARRAY_PUSH(c->list, c->count, c->capacity, made) ||
        !aq_map_put(&c->function_places, (uint64_t)id, place))
      return false;
  }
  c->list[place].count += count;
  return true;
}

/* The report's number of a file of an object; -1: out of memory. */
static int64_t file_of(aq_coverage *c, const aq_code_lines *lines,
                       uint32_t file)
{
  const char *path = aq_names_text(&lines->files, file);
  return path ? aq_names_id(&c->files, path, strlen(path)) : -1;
}

/* ---- a code object ---- */

/* All that could be executed counts 0 so far. */
static aq_status code_add(aq_coverage *c, const aq_covered_code *code,
                          aq_diag *diag)
{
  const aq_code_lines *lines = &code->lines;
  for (size_t i = 0; i < lines->count; i++) {
    const aq_code_line *l = &lines->list[i];
    if (l->line == 0)
      continue;
    const int64_t file = file_of(c, lines, l->file);
    if (file < 0 || !line_at(c, (uint32_t)file, l->line))
      return aq_diag_no_memory(diag);
  }
  for (size_t i = 0; i < code->object.kernel_count; i++) {
    const aq_code_kernel *kernel = &code->object.kernels[i];
    const aq_code_line *l = aq_code_lines_find(lines, aq_covered_entry(kernel));
    const int64_t file = l ? file_of(c, lines, l->file) : -1;
    if (l && l->line > 0 &&
        (file < 0 ||
         !function_count(c, kernel->name, (uint32_t)file, l->line, 0)))
      return aq_diag_no_memory(diag);
  }
  return AQ_OK;
}

/* ---- a kernel ---- */

/* The counts of one kernel: rows of the run with its name and code. */
typedef struct counts {
  const aq_instruction *rows;
  size_t count;
} counts;

/* Each line of the kernel gets the most of its instructions. */
static aq_status kernel_lines_add(aq_coverage *c, const aq_covered_code *code,
                                  uint64_t entry, const counts *of,
                                  aq_diag *diag)
{
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < of->count; i++) {
      const aq_instruction *row = &of->rows[i];
      const aq_code_line *l =
          aq_code_lines_find(&code->lines, entry + (uint64_t)row->offset);
      if (!l || l->line == 0)
        continue;
      const int64_t file = file_of(c, &code->lines, l->file);
      covered_line *line =
          file < 0 ? NULL : line_at(c, (uint32_t)file, l->line);
      if (!line)
        return aq_diag_no_memory(diag);
      if (pass == 0 && (uint64_t)row->issued > line->in_kernel)
        line->in_kernel = (uint64_t)row->issued;
      if (pass == 1) {
        line->count += line->in_kernel;
        line->in_kernel = 0;
      }
    }
  return AQ_OK;
}

static aq_status kernel_add(aq_coverage *c, const aq_covered_codes *codes,
                            const char *name, const counts *of, aq_diag *diag)
{
  const aq_code_kernel *kernel;
  const aq_covered_code *code =
      aq_covered_find(codes, name, of->rows, of->count, &kernel);
  if (!code) {
    if (c->unknown_kernels++ == 0)
      snprintf(c->unknown, sizeof c->unknown, "%s", name);
    return AQ_OK;
  }
  const uint64_t entry = aq_covered_entry(kernel);
  aq_status status = kernel_lines_add(c, code, entry, of, diag);
  const aq_code_line *l = aq_code_lines_find(&code->lines, entry);
  for (size_t i = 0; i < of->count && status == AQ_OK && l && l->line > 0; i++)
    if (of->rows[i].offset == 0 &&
        !function_count(c, name, (uint32_t)file_of(c, &code->lines, l->file),
                        l->line, (uint64_t)of->rows[i].issued))
      status = aq_diag_no_memory(diag);
  return status;
}

static bool is_same_kernel(const aq_instruction *a, const aq_instruction *b)
{
  return a->kernel == b->kernel && a->gfx == b->gfx && a->code == b->code;
}

aq_status aq_coverage_add(aq_coverage *c, aq_store *store, int64_t run,
                          const char *files, aq_diag *diag)
{
  aq_covered_codes codes;
  aq_instruction_list list;
  aq_run_reader *reader;
  if (!c)
    return AQ_OK;
  aq_status status = aq_covered_codes_read(files, &codes, diag);
  if (status != AQ_OK)
    return status;
  if (*codes.damage && !*c->damage)
    snprintf(c->damage, sizeof c->damage, "%s", codes.damage);
  for (size_t i = 0; i < codes.count && status == AQ_OK; i++)
    status = code_add(c, &codes.list[i], diag);
  if (status == AQ_OK)
    status = aq_store_instructions(store, run, &list, diag);
  if (status == AQ_OK) {
    c->counted |= list.count > 0;
    status = aq_run_reader_open(store, run, AQ_ORDER_STORED, &reader, diag);
    if (status == AQ_OK) {
      for (size_t i = 0, end; i < list.count && status == AQ_OK; i = end) {
        const aq_instruction *first = &list.instructions[i];
        for (end = i + 1; end < list.count &&
                          is_same_kernel(first, &list.instructions[end]);)
          end++;
        const char *name = aq_run_reader_name(reader, first->kernel);
        status = kernel_add(c, &codes, name ? name : "?",
                            &(counts){first, end - i}, diag);
      }
      aq_run_reader_close(reader);
    }
    aq_instruction_list_fini(&list);
  }
  aq_covered_codes_fini(&codes);
  return status;
}

/* ---- the file ---- */

static int by_place(const void *a, const void *b, void *files)
{
  const covered_line *x = a, *y = b;
  if (x->file != y->file)
    return strcmp(aq_names_text(files, x->file), aq_names_text(files, y->file));
  return (x->line > y->line) - (x->line < y->line);
}

static void file_put(const aq_coverage *c, uint32_t file,
                     const covered_line *lines, size_t count)
{
  size_t functions = 0, hit = 0, lines_hit = 0;
  fprintf(c->out, "TN:\nSF:%s\n", aq_names_text(&c->files, file));
  for (size_t i = 0; i < c->count; i++)
    if (c->list[i].file == file)
      fprintf(c->out, "FN:%" PRIu32 ",%s\n", c->list[i].line,
              aq_names_text(&c->functions, c->list[i].name));
  for (size_t i = 0; i < c->count; i++)
    if (c->list[i].file == file) {
      fprintf(c->out, "FNDA:%" PRIu64 ",%s\n", c->list[i].count,
              aq_names_text(&c->functions, c->list[i].name));
      functions++;
      hit += c->list[i].count > 0;
    }
  fprintf(c->out, "FNF:%zu\nFNH:%zu\n", functions, hit);
  for (size_t i = 0; i < count; i++) {
    fprintf(c->out, "DA:%" PRIu32 ",%" PRIu64 "\n", lines[i].line,
            lines[i].count);
    lines_hit += lines[i].count > 0;
  }
  fprintf(c->out, "LF:%zu\nLH:%zu\nend_of_record\n", count, lines_hit);
}

aq_status aq_coverage_close(aq_coverage **coverage, const aq_notes *notes,
                            aq_diag *diag)
{
  aq_coverage *c = *coverage;
  *coverage = NULL;
  if (!c)
    return AQ_OK;
  if (c->line_count > 0)
    qsort_r(c->lines, c->line_count, sizeof *c->lines, by_place, &c->files);
  for (size_t i = 0, end; i < c->line_count; i = end) {
    for (end = i + 1;
         end < c->line_count && c->lines[end].file == c->lines[i].file;)
      end++;
    file_put(c, c->lines[i].file, &c->lines[i], end - i);
  }
  if (notes) {
    if (*c->damage)
      aq_note(notes, "the coverage lacks a code object: %s", c->damage);
    if (c->unknown_kernels > 0)
      aq_note(notes,
              "%zu executed kernel%s without lines, not in the coverage (%s); "
              "-gline-tables-only or -g of the compiler adds lines",
              c->unknown_kernels, aq_text_plural(c->unknown_kernels),
              c->unknown);
    else if (!c->counted)
      aq_note(notes, "the coverage has no counts: no code of kernels was "
                     "executed, or its processes were killed");
  }
  bool done = ferror(c->out) == 0;
  done &= fclose(c->out) == 0;
  aq_status status =
      done ? AQ_OK
           : aq_diag_set(diag, AQ_ERR_IO, "--coverage %s: it cannot be written",
                         c->path);
  aq_map_fini(&c->line_places);
  aq_map_fini(&c->function_places);
  aq_names_fini(&c->files);
  aq_names_fini(&c->functions);
  free(c->lines);
  free(c->list);
  free(c);
  return status;
}
