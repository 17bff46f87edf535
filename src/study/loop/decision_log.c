/* SPDX-License-Identifier: MIT */
/* Failures of a policy or of its run, and the decision log. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "study/loop/policy_driver.h"

enum { LINE_SIZE = 512 };

aq_status aq_policy_driver_fail(aq_policy_driver *d, const char *fmt, ...)
{
  char text[LINE_SIZE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  if (d->status == AQ_OK)
    d->status = aq_diag_set(&d->failure, AQ_ERR_INVALID, "policy %s: %s",
                            d->ops.name, text);
  return d->status;
}

aq_status aq_policy_driver_break(aq_policy_driver *d, aq_status status,
                                 const aq_diag *diag)
{
  if (d->status == AQ_OK) {
    d->broken = true;
    d->status = status;
    d->failure = *diag;
  }
  return status;
}

void aq_policy_driver_log_line(aq_policy_driver *d, const char *fmt, ...)
{
  char line[LINE_SIZE];
  int used = snprintf(line, sizeof line, "{\"t\":%" PRId64 ",", d->now);
  va_list args;
  va_start(args, fmt);
  used += vsnprintf(line + used, sizeof line - (size_t)used - 2, fmt, args);
  va_end(args);
  if (used > (int)sizeof line - 3)
    used = (int)sizeof line - 3;
  strcpy(line + used, "}");
  d->run->options->decision(line, d->run->options->decision_user);
}
