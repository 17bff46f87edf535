/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/time_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  aq_time ps;
} units[] = {{"ps", AQ_PS}, {"ns", AQ_NS}, {"us", AQ_US},
             {"ms", AQ_MS}, {"s", AQ_S},   {"\xc2\xb5s", AQ_US}};

aq_time_reading aq_time_read(const char *text, aq_time *out)
{
  char *unit = NULL;
  /* strtold also takes hexadecimal and names: a time starts with a digit. */
  const bool plain =
      strspn(text, "0123456789") > 0 && text[strspn(text, "0123456789")] != 'x';
  const long double value = plain ? strtold(text, &unit) : 0;
  for (size_t i = 0; plain && i < sizeof units / sizeof *units; i++) {
    if (strcmp(unit + strspn(unit, " "), units[i].name) != 0)
      continue;
    const long double ps = value * (long double)units[i].ps;
    if (ps > (long double)(AQ_TIME_MAX / 16))
      return AQ_TIME_TOO_LONG;
    *out = (aq_time)llroundl(ps);
    return AQ_TIME_READ;
  }
  return AQ_TIME_MALFORMED;
}

bool aq_pace_read(const char *text, aq_pace *out)
{
  unsigned long parts[2] = {0, 1};
  char *end = NULL;
  parts[0] = strtoul(text, &end, 10);
  if (*end == '/')
    parts[1] = strtoul(end + 1, &end, 10);
  if (*end || strchr(text, '-') || parts[0] == 0 || parts[1] == 0 ||
      parts[0] > UINT32_MAX || parts[1] > UINT32_MAX)
    return false;
  *out = (aq_pace){(uint32_t)parts[0], (uint32_t)parts[1]};
  return true;
}
