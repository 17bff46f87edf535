/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/model/device_gaps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/model/device_value.h"
#include "common/array.h"

static const char word[] = "after";

static const aqsim_key time_key = {.name = word, .kind = AQSIM_KIND_TIME};

/* The rest of a line. */
typedef struct cursor {
  const char *at, *end;
} cursor;

static void blanks_skip(cursor *c)
{
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
    c->at++;
}

bool aqsim_gap_is_line(const char *line, size_t length)
{
  const size_t size = sizeof word - 1;
  return length > size && memcmp(line, word, size) == 0 &&
         (line[size] == ' ' || line[size] == '\t');
}

static bool grid_read(cursor *c, int64_t *grid)
{
  const char *first = c->at;
  int64_t value = 0;
  while (c->at < c->end && *c->at >= '0' && *c->at <= '9') {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *c->at - '0', &value))
      return false;
    c->at++;
  }
  *grid = value;
  return c->at > first;
}

/* A name in quotation marks; a backslash stands before a mark or a backslash
 * of the name. `name` has room for the rest of the line. */
static bool name_read(cursor *c, char *name)
{
  if (c->at == c->end || *c->at++ != '"')
    return false;
  for (; c->at < c->end && *c->at != '"'; *name++ = *c->at++)
    if (*c->at == '\\' && ++c->at == c->end)
      return false;
  *name = 0;
  return c->at++ < c->end;
}

/* "TIME" or "TIME +- SPREAD". */
static bool times_read(const char *text, aqsim_gap *gap)
{
  char expected[160], first[64];
  const char *sign = strstr(text, "+-");
  size_t length = sign ? (size_t)(sign - text) : strlen(text);
  while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
    length--;
  if (length == 0 || length >= sizeof first)
    return false;
  memcpy(first, text, length);
  first[length] = 0;
  if (sign)
    sign += 2 + strspn(sign + 2, " \t");
  return aqsim_value_read(&time_key, first, &gap->time, expected,
                          sizeof expected) &&
         (!sign || aqsim_value_read(&time_key, sign, &gap->spread, expected,
                                    sizeof expected));
}

static const char *value_read(cursor *c, aqsim_gap *gap, const char **source)
{
  char text[64];
  blanks_skip(c);
  if (c->at == c->end || *c->at++ != '=')
    return "expected '=' and a time behind the name";
  blanks_skip(c);
  const char *mark = memchr(c->at, ';', (size_t)(c->end - c->at));
  if (!mark)
    return "expected '; SOURCE' behind the time";
  size_t length = (size_t)(mark - c->at);
  while (length > 0 && (c->at[length - 1] == ' ' || c->at[length - 1] == '\t'))
    length--;
  if (length >= sizeof text)
    return "expected a time of at most 63 characters";
  memcpy(text, c->at, length);
  text[length] = 0;
  if (!times_read(text, gap))
    return "expected a time, or a time +- its spread";
  if (gap->time < AQ_NS || gap->time > 16 * AQ_MS)
    return "expected a gap of 1 ns to 16 ms";
  c->at = mark + 1;
  blanks_skip(c);
  *source = c->at;
  return c->at == c->end ? "expected '; SOURCE' behind the time" : NULL;
}

/* In place of an inherited gap of the same kernel, or behind the others. */
static const char *gap_put(aqsim_model *model, const aqsim_gap *gap)
{
  for (size_t i = 0; i < model->gap_count; i++) {
    aqsim_gap *old = &model->gaps[i];
    if (old->grid != gap->grid || strcmp(old->name, gap->name) != 0)
      continue;
    if (old->from == gap->from)
      return "the file has another gap of this kernel";
    *old = *gap;
    return NULL;
  }
  return AQ_ARRAY_PUSH(model->gaps, model->gap_count, model->gap_capacity, *gap)
             ? NULL
             : "out of memory";
}

const char *aqsim_gap_read(aqsim_model *model, const char *line, size_t length,
                           const char *from)
{
  cursor c = {line + sizeof word - 1, line + length};
  aqsim_gap gap = {.from = from};
  const char *source, *problem;
  char *name = malloc(length + 1);
  if (!name)
    return "out of memory";
  blanks_skip(&c);
  if (!grid_read(&c, &gap.grid)) {
    free(name);
    return "expected the number of work-items, 0 where it is not known";
  }
  blanks_skip(&c);
  if (!name_read(&c, name)) {
    free(name);
    return "expected a kernel's name in quotation marks";
  }
  problem = value_read(&c, &gap, &source);
  if (!problem) {
    gap.name = aq_arena_text(&model->arena, name, strlen(name));
    gap.source = aq_arena_text(&model->arena, source, (size_t)(c.end - source));
    problem = gap.name && gap.source ? gap_put(model, &gap) : "out of memory";
  }
  free(name);
  return problem;
}

void aqsim_gap_print(const aqsim_gap *gap, char *text, size_t size)
{
  snprintf(text, size, "%s %" PRId64 " %" PRId64, word, gap->grid, gap->time);
}
