/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/dispatch_selector.h"

#include <errno.h>
#include <stdlib.h>

aq_status aq_dispatch_choice_read(const char *text, aq_dispatch_choice *out,
                                  aq_diag *diag)
{
  char *end;
  errno = 0;
  const unsigned long long number = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || errno || number == 0 || *end != ':' ||
      !end[1])
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: expected N:FILE, the number of a dispatch from 1 "
                       "and a file",
                       text);
  *out = (aq_dispatch_choice){number, end + 1};
  return AQ_OK;
}
