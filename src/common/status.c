/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/status.h"

static const struct {
  const char *text;
  int exit_code;
} statuses[AQ_STATUS_COUNT] = {
#define X(name, text, exit_code) [AQ_##name] = {text, exit_code},
#include "common/status.def"
#undef X
};

const char *aq_status_text(aq_status status)
{
  if ((unsigned)status >= AQ_STATUS_COUNT)
    return "unknown status";
  return statuses[status].text;
}

int aq_status_exit_code(aq_status status)
{
  if ((unsigned)status >= AQ_STATUS_COUNT)
    return 1;
  return statuses[status].exit_code;
}
