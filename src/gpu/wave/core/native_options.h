/* SPDX-License-Identifier: MIT */
/* How a machine compiles hot code for the host (native.h). */
#ifndef AQ_GPU_WAVE_CORE_NATIVE_OPTIONS_H
#define AQ_GPU_WAVE_CORE_NATIVE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void aq_wave_native_function(void);

typedef struct aq_wave_native_options {
  bool always;    /* all code, before it executes; else hot code */
  unsigned level; /* of the machine, which sets it */
  /* Builds C of one function, `aq_unit`, for a level, or finds it built; with
   * `build` false only the latter: *out stays NULL where it is not. The
   * function stays until the machine ends. False: nothing can be built. Between
   * steps, on their thread. */
  bool (*build)(void *user, const char *text, size_t size, unsigned level,
                bool build, aq_wave_native_function **out);
  void *user;
} aq_wave_native_options;

typedef struct aq_wave_native_counts {
  uint64_t units;   /* attached, by each thread for itself */
  int64_t build_ns; /* wall time in the builder */
} aq_wave_native_counts;

#endif
