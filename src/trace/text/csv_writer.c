/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/text/csv_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/utf8.h"

enum { ROWS = 256 };

static void field_begin(aq_csv_writer *out)
{
  if (out->begun)
    putc(',', out->file);
  out->begun = true;
}

/* Quotes are doubled; bytes that are not UTF-8 become U+FFFD. */
static void characters_put(aq_csv_writer *out, const char *text)
{
  for (size_t left = strlen(text); left > 0;) {
    const size_t known = aq_utf8_length(text, left, NULL);
    const size_t size = known > 0 ? known : 1;
    if (*text == '"')
      putc('"', out->file);
    if (known > 0)
      fwrite(text, 1, size, out->file);
    else
      fputs("\xef\xbf\xbd", out->file);
    text += size;
    left -= size;
  }
}

void aq_csv_writer_text(aq_csv_writer *out, const char *text)
{
  field_begin(out);
  if (!text)
    return;
  const bool quoted = text[strcspn(text, ",\"\r\n")];
  if (quoted)
    putc('"', out->file);
  characters_put(out, text);
  if (quoted)
    putc('"', out->file);
}

void aq_csv_writer_int(aq_csv_writer *out, int64_t value)
{
  field_begin(out);
  if (value != AQ_NONE)
    fprintf(out->file, "%" PRId64, value);
}

void aq_csv_writer_row(aq_csv_writer *out)
{
  putc('\n', out->file);
  out->begun = false;
}

aq_status aq_csv_writer_end(aq_csv_writer *out, aq_diag *diag)
{
  if (fflush(out->file) != 0 || ferror(out->file))
    return aq_diag_set(diag, AQ_ERR_IO, "export: %s", strerror(errno));
  return AQ_OK;
}

aq_status aq_csv_writer_rows(aq_csv_writer *out, aq_trace_source *source,
                             void (*put)(aq_csv_writer *out,
                                         aq_trace_source *source,
                                         const aq_record *row, int64_t number),
                             aq_diag *diag)
{
  aq_record rows[ROWS];
  int64_t numbers[ROWS];
  size_t count;
  do {
    aq_status status = source->next(source, rows, numbers, ROWS, &count, diag);
    if (status != AQ_OK)
      return status;
    for (size_t i = 0; i < count; i++)
      put(out, source, &rows[i], numbers[i]);
  } while (count > 0);
  return AQ_OK;
}
