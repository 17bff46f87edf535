/* SPDX-License-Identifier: MIT */
/*
 * Builds the C of hot code (gpu/wave/core/native.h) with the system's compiler
 * and loads it. Built libraries are kept in the folder "native" of the cache
 * (gpu/compile/folder.h), which only this user may enter; a file there is
 * loaded only if it is this user's, no other user may write it, its digest is
 * right and the C that it was made of is the same, byte by byte.
 *
 * One thread at a time; several processes may share the folder.
 */
#ifndef AQ_GPU_WAVE_JIT_BUILDER_H
#define AQ_GPU_WAVE_JIT_BUILDER_H

#include <stdint.h>

#include "common/diag.h"
#include "gpu/wave/core/wave.h"

typedef enum aq_native_mode {
  AQ_NATIVE_OFF,
  AQ_NATIVE_AUTO,   /* hot code */
  AQ_NATIVE_ALWAYS, /* everything, before it executes */
} aq_native_mode;

/* "off", "auto" or "always". AQ_ERR_INVALID names them. */
aq_status aq_native_mode_read(const char *text, aq_native_mode *out,
                              aq_diag *diag);

typedef struct aq_native_builder aq_native_builder;

typedef struct aq_native_built {
  uint64_t built, loaded; /* libraries: compiled, and found in the cache */
  int64_t build_ns;       /* in the compiler */
  uint64_t bytes;         /* of the libraries */
} aq_native_built;

/* `print` gets a line when nothing can be compiled, once; NULL: no line. OFF:
 * no builder, *out is NULL. */
aq_status aq_native_builder_create(aq_native_mode mode,
                                   void (*print)(const char *line, void *user),
                                   void *user, aq_native_builder **out,
                                   aq_diag *diag);

/* Makes a machine use it; the builder outlives the machine. */
aq_status aq_native_builder_use(aq_native_builder *builder,
                                aq_wave_machine *machine, aq_diag *diag);

/* The options of a machine (gpu/wave/core/wave.h) that uses the builder. */
void aq_native_builder_options(aq_native_builder *builder,
                               aq_wave_native_options *out);

void aq_native_builder_put(const aq_native_builder *builder,
                           aq_native_built *out);

/* Unloads everything; NULL is allowed. */
void aq_native_builder_destroy(aq_native_builder *builder);

#endif
