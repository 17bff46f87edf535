/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/serving/text_lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void aq_llm_lines_fini(aq_llm_lines *lines)
{
  free(lines->line);
  lines->line = NULL;
}

aq_status aq_llm_lines_error(const aq_llm_lines *lines, aq_diag *diag,
                             const char *fmt, ...)
{
  char text[256];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s:%zu: %s", lines->path,
                     lines->number, text);
}

aq_status aq_llm_lines_next(aq_llm_lines *lines, bool *got, aq_diag *diag)
{
  *got = false;
  do {
    errno = 0;
    const ssize_t length = getline(&lines->line, &lines->capacity, lines->file);
    if (length < 0 && errno == ENOMEM)
      return aq_diag_no_memory(diag);
    if (length < 0)
      return ferror(lines->file) ? aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s",
                                               lines->path, strerror(errno))
                                 : AQ_OK;
    lines->number++;
    lines->length = (size_t)length;
    while (lines->length > 0 && (lines->line[lines->length - 1] == '\n' ||
                                 lines->line[lines->length - 1] == '\r'))
      lines->line[--lines->length] = 0;
    if (strlen(lines->line) != lines->length)
      return aq_llm_lines_error(lines, diag, "a NUL byte; text expected");
  } while (lines->length == 0);
  *got = true;
  return AQ_OK;
}

aq_status aq_llm_lines_split(aq_llm_lines *lines, aq_diag *diag)
{
  char *at = lines->line;
  for (lines->field_count = 0;;) {
    if (lines->field_count == AQ_LLM_FIELDS_MAX)
      return aq_llm_lines_error(lines, diag, "more than %d fields",
                                AQ_LLM_FIELDS_MAX);
    const bool quoted = *at == '"';
    at += quoted;
    lines->fields[lines->field_count++] = at;
    char *end = quoted ? strchr(at, '"') : strchr(at, ',');
    if (quoted && (!end || (end[1] && end[1] != ',')))
      return aq_llm_lines_error(lines, diag,
                                "a quote that does not end its field");
    if (quoted)
      *end++ = 0;
    if (!end || !*end)
      return AQ_OK;
    *end = 0;
    at = end + 1;
  }
}

int aq_llm_lines_find(const aq_llm_lines *lines, const char *name)
{
  for (size_t i = 0; i < lines->field_count; i++)
    if (strcmp(lines->fields[i], name) == 0)
      return (int)i;
  return -1;
}

aq_status aq_llm_lines_integer(const aq_llm_lines *lines, int field,
                               const char *name, int64_t least, int64_t most,
                               int64_t *out, aq_diag *diag)
{
  const char *text =
      (size_t)field < lines->field_count ? lines->fields[field] : "";
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (end == text || *end || errno || value < least || value > most)
    return aq_llm_lines_error(
        lines, diag, "%s \"%.40s\": a whole number from %lld to %lld expected",
        name, text, (long long)least, (long long)most);
  *out = value;
  return AQ_OK;
}

bool aq_llm_decimal(const char *text, int64_t scale, int64_t *out)
{
  __extension__ typedef __int128 wide;
  wide value = 0, unit = scale;
  size_t digits = 0;
  for (; *text >= '0' && *text <= '9'; text++, digits++) {
    value = value * 10 + (*text - '0');
    if (value > INT64_MAX)
      return false;
  }
  value *= scale;
  if (*text == '.')
    for (text++; *text >= '0' && *text <= '9'; text++, digits++) {
      if (unit % 10 != 0 && *text != '0')
        return false;
      unit /= 10;
      value += unit * (*text - '0');
    }
  if (*text || digits == 0 || value > INT64_MAX / 4)
    return false;
  *out = (int64_t)value;
  return true;
}
