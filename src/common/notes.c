/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "notes.h"

#include <stdarg.h>
#include <stdio.h>

void aq_note(const aq_notes *notes, const char *fmt, ...)
{
  char line[2048];
  va_list args;
  if (!notes)
    return;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  notes->line(line, notes->user);
}
