/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Names from outside (kernels, files) end up in diagnostics: keep the terminal
 * safe and the diagnostic on one line. */
static void text_make_printable(char *text)
{
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      *c = '?';
}

static void text_mark_cut(char *text, int needed)
{
  if (needed >= AQ_DIAG_TEXT_MAX)
    memcpy(text + AQ_DIAG_TEXT_MAX - 4, "...", 4);
}

aq_status aq_diag_set(aq_diag *diag, aq_status status, const char *fmt, ...)
{
  if (!diag)
    return status;
  va_list args;
  va_start(args, fmt);
  int needed = vsnprintf(diag->text, sizeof diag->text, fmt, args);
  va_end(args);
  text_mark_cut(diag->text, needed);
  text_make_printable(diag->text);
  diag->status = status;
  return status;
}

aq_status aq_diag_no_memory(aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "%s",
                     aq_status_text(AQ_ERR_NO_MEMORY));
}

aq_status aq_diag_prefix(aq_diag *diag, const char *fmt, ...)
{
  if (!diag)
    return AQ_ERR_INVALID;
  char prefix[AQ_DIAG_TEXT_MAX], old[AQ_DIAG_TEXT_MAX];
  va_list args;
  va_start(args, fmt);
  vsnprintf(prefix, sizeof prefix, fmt, args);
  va_end(args);
  memcpy(old, diag->text, sizeof old);
  int needed = snprintf(diag->text, sizeof diag->text, "%s: %s", prefix, old);
  text_mark_cut(diag->text, needed);
  text_make_printable(diag->text);
  return diag->status;
}
