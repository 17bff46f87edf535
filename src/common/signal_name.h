/* SPDX-License-Identifier: MIT */
/*
 * How a process ended that a signal of the system ended: "signal 11 (SIGSEGV)".
 * Any thread.
 */
#ifndef AQ_COMMON_SIGNAL_NAME_H
#define AQ_COMMON_SIGNAL_NAME_H

#include <stdio.h>
#include <string.h>

enum { AQ_SIGNAL_NAME = 32 };

/* Returns `text`. Signals of real time have a number alone. */
static inline const char *aq_signal_name(int number, char text[AQ_SIGNAL_NAME])
{
  const char *name = sigabbrev_np(number);
  snprintf(text, AQ_SIGNAL_NAME, name ? "signal %d (SIG%s)" : "signal %d",
           number, name ? name : "");
  return text;
}

#endif
