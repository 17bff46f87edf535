/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exec/findings_priv.h"
#include "common/demangle.h"
#include "common/text.h"

static void text_put(FILE *out, const char *text)
{
  char *line = aq_text_line(text, strlen(text));
  fputs(line ? line : "?", out);
  free(line);
}

static void name_put(FILE *out, const char *symbol)
{
  char *plain = aq_demangle(symbol);
  text_put(out, plain ? plain : symbol);
  free(plain);
}

/* " at FILE:LINE" where it is known. */
static void source_put(FILE *out, const char *file, int64_t line)
{
  if (!file || line == AQ_NONE)
    return;
  fputs(" in ", out);
  text_put(out, file);
  fprintf(out, ":%" PRId64, line);
}

static void place_put(FILE *out, const aq_finding_texts *f)
{
  const aq_finding *row = &f->row;
  if (f->kernel) {
    fputs("    at ", out);
    name_put(out, f->kernel);
    if (row->offset != AQ_NONE)
      fprintf(out, "+0x%" PRIx64, (uint64_t)row->offset);
    source_put(out, f->file, row->line);
    fputc('\n', out);
  }
  if (f->instruction) {
    fputs("    instruction ", out);
    text_put(out, f->instruction);
    fputc('\n', out);
  }
  if (row->item_x != AQ_NONE)
    fprintf(out,
            "    by work-item (%" PRId64 ",%" PRId64 ",%" PRId64
            ") of workgroup (%" PRId64 ",%" PRId64 ",%" PRId64 ")",
            row->item_x, row->item_y, row->item_z, row->group_x, row->group_y,
            row->group_z);
  else if (row->group_x != AQ_NONE)
    fprintf(out, "    by workgroup (%" PRId64 ",%" PRId64 ",%" PRId64 ")",
            row->group_x, row->group_y, row->group_z);
  if (row->group_x != AQ_NONE && row->lanes != AQ_NONE)
    fprintf(out, ", %" PRId64 " of its wave's lanes", row->lanes);
  if (row->group_x != AQ_NONE)
    fputc('\n', out);
  if (row->queue != AQ_NONE)
    fprintf(out, "    in dispatch %" PRId64 " of queue %" PRId64 "\n",
            row->packet, row->queue);
  else if (row->packet != AQ_NONE)
    fprintf(out, "    in copy %" PRId64 "\n", row->packet);
}

char *aq_finding_frame(const char *line, size_t length)
{
  char *own = strndup(line, length), *out = NULL;
  char *end = own ? strchr(own, ' ') : NULL;
  if (!end)
    return own;
  *end = 0;
  char *plain = aq_demangle(own);
  if (asprintf(&out, "%s %s", plain ? plain : own, end + 1) < 0)
    out = NULL;
  free(plain);
  free(own);
  return out;
}

static void stack_put(FILE *out, const char *what, const char *lines)
{
  if (!lines)
    return;
  fprintf(out, "    %s\n", what);
  while (*lines) {
    const size_t length = strcspn(lines, "\n");
    char *frame = aq_finding_frame(lines, length);
    fputs("        ", out);
    text_put(out, frame ? frame : "?");
    fputc('\n', out);
    free(frame);
    lines += length + (lines[length] == '\n');
  }
}

static void other_put(FILE *out, const aq_finding_texts *f)
{
  if (!f->other)
    return;
  fputs("    other: ", out);
  text_put(out, f->other);
  fputc('\n', out);
  if (f->other_kernel) {
    fputs("        at ", out);
    name_put(out, f->other_kernel);
    source_put(out, f->other_file, f->row.other_line);
    fputc('\n', out);
  }
  if (f->other_instruction) {
    fputs("        instruction ", out);
    text_put(out, f->other_instruction);
    fputc('\n', out);
  }
}

/* "KIND: MESSAGE, in kernel K at FILE:LINE; other: …; missing: …". */
char *aq_finding_line(const aq_finding_texts *f)
{
  char *text = NULL, *kernel = f->kernel ? aq_demangle(f->kernel) : NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out) {
    fprintf(out, "%s: %s", f->kind, f->message ? f->message : "");
    if (f->kernel)
      fprintf(out, ", in kernel %s", kernel ? kernel : f->kernel);
    if (f->file && f->row.line != AQ_NONE)
      fprintf(out, " at %s:%" PRId64, f->file, f->row.line);
    if (f->other)
      fprintf(out, "; other: %s", f->other);
    if (f->missing)
      fprintf(out, "; missing: %s", f->missing);
    if (fclose(out) != 0) {
      free(text);
      text = NULL;
    }
  }
  free(kernel);
  return text;
}

void aq_finding_print(const aq_finding_texts *f, FILE *out)
{
  const aq_finding *row = &f->row;
  fprintf(out, "%s (%s): ",
          row->possible == AQ_FINDING_NOTE       ? "NOTE"
          : row->possible == AQ_FINDING_POSSIBLE ? "POSSIBLE"
                                                 : "ERROR",
          f->category);
  text_put(out, f->kind);
  fputs(": ", out);
  text_put(out, f->message ? f->message : "");
  if (row->count > 1)
    fprintf(out, " [%" PRId64 " times]", row->count);
  fputc('\n', out);
  place_put(out, f);
  if (row->address != AQ_NONE)
    fprintf(out, "    address 0x%" PRIx64 "%s%s\n", (uint64_t)row->address,
            f->place ? ": " : "", f->place ? f->place : "");
  stack_put(out, "called by", f->called);
  stack_put(out, "allocated by", f->made);
  stack_put(out, "freed by", f->freed);
  other_put(out, f);
  if (f->missing) {
    fputs("    missing: ", out);
    text_put(out, f->missing);
    fputc('\n', out);
  }
  fputc('\n', out);
}
