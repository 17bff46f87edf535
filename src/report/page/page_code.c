/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/page/page_code.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gpu/inspect/profile.h"
#include "report/page/page_json.h"

enum { HOTTEST = 20 }; /* instructions of a kernel */

static void sum_put(FILE *out, const char *name, const aq_profile_sum *sum)
{
  const struct {
    const char *key;
    int64_t value;
  } figures[] = {{"instructions", sum->instructions},
                 {"issued", sum->issued},
                 {"vector_issued", sum->vector_issued},
                 {"lanes", sum->lanes},
                 {"segments", sum->segments},
                 {"segments_least", sum->segments_least},
                 {"bank_cycles", sum->bank_cycles},
                 {"bank_cycles_least", sum->bank_cycles_least}};
  fputs("{\"class\":", out);
  aq_page_text_put(out, name);
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    if (figures[i].value != AQ_NONE)
      fprintf(out, ",\"%s\":%" PRId64, figures[i].key, figures[i].value);
  putc('}', out);
}

static int more_issued(const void *a, const void *b)
{
  const aq_profile_line *x = *(const aq_profile_line *const *)a,
                        *y = *(const aq_profile_line *const *)b;
  if (x->row->issued != y->row->issued)
    return x->row->issued < y->row->issued ? 1 : -1;
  return (x > y) - (x < y);
}

static aq_status hottest_put(FILE *out, const aq_profile_kernel *kernel,
                             aq_diag *diag)
{
  const size_t count = kernel->line_count;
  const aq_profile_line **sorted = calloc(count + 1, sizeof *sorted);
  if (!sorted)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < count; i++)
    sorted[i] = &kernel->lines[i];
  qsort(sorted, count, sizeof *sorted, more_issued);
  fputs(",\"hottest\":[", out);
  for (size_t i = 0; i < count && i < HOTTEST; i++) {
    fprintf(out, "%s{\"offset\":%" PRId64 ",\"issued\":%" PRId64 ",\"text\":",
            i ? "," : "", sorted[i]->row->offset, sorted[i]->row->issued);
    aq_page_text_put(out, sorted[i]->text);
    putc('}', out);
  }
  putc(']', out);
  free(sorted);
  return AQ_OK;
}

static aq_status kernel_put(FILE *out, const char *name, const char *gfx,
                            const aq_profile_kernel *kernel, aq_diag *diag)
{
  fputs("{\"kernel\":", out);
  aq_page_text_put(out, name);
  fputs(",\"gfx\":", out);
  aq_page_text_put(out, gfx);
  fputs(",\"classes\":[", out);
  for (unsigned i = 0; i < AQ_ISA_CLASS_COUNT; i++)
    if (kernel->classes[i].instructions > 0) {
      sum_put(out, aq_isa_class_name(i), &kernel->classes[i]);
      putc(',', out);
    }
  sum_put(out, "all", &kernel->all);
  putc(']', out);
  aq_status status = hottest_put(out, kernel, diag);
  putc('}', out);
  return status;
}

static aq_status kernels_put(const aq_instruction_list *list,
                             aq_run_reader *reader, FILE *out, aq_diag *diag)
{
  aq_status status = AQ_OK;
  bool any = false;
  for (size_t at = 0; at < list->count && status == AQ_OK;) {
    const aq_instruction *rows = &list->instructions[at];
    const char *name = aq_run_reader_name(reader, rows->kernel),
               *gfx = aq_run_reader_name(reader, rows->gfx);
    const size_t count =
        aq_profile_rows_next(list->instructions, list->count, &at);
    aq_profile_kernel kernel;
    if (!name || !gfx)
      continue;
    status = aq_profile_kernel_make(rows, count, gfx, &kernel, diag);
    if (status != AQ_OK)
      break;
    if (any)
      putc(',', out);
    any = true;
    status = kernel_put(out, name, gfx, &kernel, diag);
    aq_profile_kernel_fini(&kernel);
  }
  return status;
}

aq_status aq_page_code_put(aq_store *store, int64_t run, aq_run_reader *reader,
                           FILE *out, aq_diag *diag)
{
  aq_instruction_list list;
  aq_status status = aq_store_instructions(store, run, &list, diag);
  if (status != AQ_OK)
    return status;
  fputs(",\"code\":[", out);
  status = kernels_put(&list, reader, out, diag);
  putc(']', out);
  aq_instruction_list_fini(&list);
  return status;
}
