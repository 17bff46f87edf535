/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/strict_memory.h"

#include <string.h>

aq_status aq_strict_memory_read(const char *text, aq_strict_memory *out,
                                aq_diag *diag)
{
  static const char *const names[] = {[AQ_STRICT_OFF] = "off",
                                      [AQ_STRICT_NEVER] = "never",
                                      [AQ_STRICT_ALLOWED] = "allowed"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(text, names[i]) == 0) {
      *out = (aq_strict_memory)i;
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "'%s'; expected off, never or allowed", text);
}
