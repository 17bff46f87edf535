/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/launch/expectations.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRONG_NAMED = 4 }; /* wrong elements that the error names */

static aq_status refuse(const char *text, const char *expected, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_INPUT, "expectation %.100s: expected %s",
                     text, expected);
}

/* "out=" or "N="; behind it, or `text` itself. */
static const char *arg_read(const char *text, const aq_launch_arg *args,
                            size_t count, size_t *out)
{
  size_t outs = 0;
  char *end;
  const unsigned long number = strtoul(text, &end, 10);
  if (*text >= '1' && *text <= '9' && *end == '=') {
    *out = number - 1;
    return end + 1;
  }
  *out = count;
  for (size_t i = 0; i < count; i++)
    if (args[i].is_out) {
      *out = i;
      outs++;
    }
  if (outs != 1)
    *out = count;
  return strncmp(text, "out=", 4) == 0 ? text + 4 : text;
}

/* A number behind the last colon. */
static size_t tolerance_read(const char *text, double *out)
{
  const char *colon = strrchr(text, ':');
  char *end;
  *out = 0;
  if (!colon || !colon[1])
    return strlen(text);
  const double value = strtod(colon + 1, &end);
  if (*end || !(value >= 0) || isinf(value))
    return strlen(text);
  *out = value;
  return (size_t)(colon - text);
}

aq_status aq_launch_expect_read(const char *text, const aq_launch_arg *args,
                                size_t count, aq_launch_expect *out,
                                aq_diag *diag)
{
  const char *fill = arg_read(text, args, count, &out->arg);
  const size_t length = tolerance_read(fill, &out->tolerance);
  if (out->arg >= count || !args[out->arg].is_out)
    return refuse(text,
                  "N=..., the number of an out buffer among the arguments; "
                  "`out` where there is only one",
                  diag);
  if (length == 0 || length >= sizeof out->fill)
    return refuse(text, "[ARG=]FILL[:TOLERANCE], FILL a number, iota or @FILE",
                  diag);
  memcpy(out->fill, fill, length);
  out->fill[length] = 0;
  return AQ_OK;
}

static aq_status difference_error(const aq_launch_arg *got,
                                  const aq_launch_arg *wanted, double tolerance,
                                  aq_diag *diag)
{
  char named[320] = "", is[AQ_LAUNCH_ELEMENT_SIZE],
       expected[AQ_LAUNCH_ELEMENT_SIZE];
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < got->count; i++) {
    const size_t used = strlen(named);
    if (!aq_launch_arg_differs(got, wanted, i, tolerance))
      continue;
    if (wrong++ >= WRONG_NAMED)
      continue;
    aq_launch_arg_element(got, i, is);
    aq_launch_arg_element(wanted, i, expected);
    snprintf(named + used, sizeof named - used,
             "%s element %" PRIu64 " is %s, expected %s", used ? ";" : "", i,
             is, expected);
  }
  return wrong == 0 ? AQ_OK
                    : aq_diag_set(diag, AQ_ERR_DIFFERENT,
                                  "%.80s: %" PRIu64 " of %" PRIu64
                                  " elements differ:%s%s",
                                  got->text, wrong, got->count, named,
                                  wrong > WRONG_NAMED ? "; ..." : "");
}

aq_status aq_launch_expect_check(const aq_launch_expect *expect,
                                 const aq_launch_arg *args, aq_diag *diag)
{
  const aq_launch_arg *got = &args[expect->arg];
  aq_launch_arg wanted;
  aq_status status = aq_launch_arg_like(got, expect->fill, &wanted, diag);
  if (status != AQ_OK)
    return aq_diag_prefix(diag, "expectation");
  status = difference_error(got, &wanted, expect->tolerance, diag);
  free(wanted.memory);
  return status;
}
