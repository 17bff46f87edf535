/* SPDX-License-Identifier: MIT */
/* How a machine compiles hot code for the host (jit.h). */
#ifndef AQ_GPU_WAVE_CORE_JIT_OPTIONS_H
#define AQ_GPU_WAVE_CORE_JIT_OPTIONS_H

#include <stdbool.h>

typedef struct aq_jit_options {
  bool always;    /* all code, before it executes; else hot code */
  unsigned level; /* of the machine, which sets it */
  /* The machine reports once why hot code is interpreted from now on. By any
   * thread, under no lock. NULL: no report. */
  void (*tell)(void *user, const char *why);
  void *user;
} aq_jit_options;

#endif
