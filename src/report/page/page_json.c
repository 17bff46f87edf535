/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/page/page_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/record.h"
#include "common/utf8.h"

/* Valid UTF-8, harmless inside of an HTML script element. */
void aq_page_text_put(FILE *out, const char *text)
{
  size_t left = text ? strlen(text) : 0;
  if (!text) {
    fputs("null", out);
    return;
  }
  putc('"', out);
  while (left > 0) {
    uint32_t code = 0;
    size_t size = aq_utf8_length(text, left, &code);
    if (size == 0)
      fputs("\\ufffd", out);
    else if (code < 0x20 || code == '"' || code == '\\' || code == '<' ||
             code == '>' || code == '&' || code == 0x2028 || code == 0x2029)
      fprintf(out, "\\u%04" PRIx32, code);
    else
      fwrite(text, 1, size, out);
    size += size == 0;
    text += size;
    left -= size;
  }
  putc('"', out);
}

void aq_page_key_put(FILE *out, const char *key)
{
  fprintf(out, ",\n\"%s\":", key);
}

void aq_page_member_put(FILE *out, const char *key, const char *text)
{
  aq_page_key_put(out, key);
  aq_page_text_put(out, text);
}

void aq_page_number_put(FILE *out, const char *key, int64_t value)
{
  aq_page_key_put(out, key);
  if (value == AQ_NONE)
    fputs("null", out);
  else
    fprintf(out, "%" PRId64, value);
}

void aq_page_real_put(FILE *out, const char *key, double value)
{
  aq_page_key_put(out, key);
  if (isfinite(value))
    fprintf(out, "%.9g", value);
  else
    fputs("null", out);
}

enum { GROUPS = 1024 }; /* of three bytes that are encoded at once */

static void base64_put(FILE *out, const unsigned char *bytes, size_t size)
{
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char text[4 * GROUPS], *end = text;
  for (size_t i = 0; i < size; i += 3) {
    const size_t left = size - i;
    const uint32_t word = (uint32_t)bytes[i] << 16 |
                          (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                          (left > 2 ? bytes[i + 2] : 0);
    *end++ = digits[word >> 18];
    *end++ = digits[word >> 12 & 63];
    *end++ = (char)(left > 1 ? digits[word >> 6 & 63] : '=');
    *end++ = (char)(left > 2 ? digits[word & 63] : '=');
    if (end == text + sizeof text) {
      fwrite(text, 1, sizeof text, out);
      end = text;
    }
  }
  if (end > text)
    fwrite(text, 1, (size_t)(end - text), out);
}

/* A number of each row, gathered in pieces whose sizes three divides. */
static void column_put(FILE *out, const aq_page_column *column,
                       const unsigned char *rows, size_t count, size_t stride)
{
  unsigned char piece[3 * GROUPS];
  const size_t most = sizeof piece / 3 / column->size * 3;
  putc('"', out);
  for (size_t at = 0; at < count; at += most) {
    const size_t now = count - at < most ? count - at : most;
    for (size_t i = 0; i < now; i++)
      memcpy(piece + i * column->size,
             rows + (at + i) * stride + column->offset, column->size);
    base64_put(out, piece, now * column->size);
  }
  putc('"', out);
}

void aq_page_columns_put(FILE *out, const void *rows, size_t count,
                         size_t stride, const aq_page_column *columns)
{
  fprintf(out, "{\"count\":%zu,\"columns\":{", count);
  for (const aq_page_column *c = columns; c->name; c++) {
    fprintf(out, "%s\n\"%s\":", c == columns ? "" : ",", c->name);
    column_put(out, c, rows, count, stride);
  }
  fputs("}", out);
}
