/* SPDX-License-Identifier: MIT */
/* How a machine compiles hot code for the host (jit.h). */
#ifndef AQ_GPU_WAVE_CORE_JIT_OPTIONS_H
#define AQ_GPU_WAVE_CORE_JIT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void aq_jit_function(void);

typedef struct aq_jit_options {
  bool always;    /* all code, before it executes; else hot code */
  unsigned level; /* of the machine, which sets it */
  /* Builds C of one function, `aq_unit`, for a level, or finds it built; with
   * `build` false only the latter: *out stays NULL where it is not. The
   * function stays until the machine ends. False: nothing can be built. Between
   * steps, on their thread. NULL: machine code of our own (emit_unit.h). */
  bool (*build)(void *user, const char *text, size_t size, unsigned level,
                bool build, aq_jit_function **out);
  /* The machine reports once why hot code is interpreted from now on. By any
   * thread, under no lock. NULL: no report. */
  void (*tell)(void *user, const char *why);
  void *user;
} aq_jit_options;

#endif
