/* SPDX-License-Identifier: MIT */
/*
 * Builds the C of hot code (gpu/wave/core/jit.h) with the system's compiler
 * and loads it. Built libraries are kept in the folder "native" of the cache
 * (gpu/compile/temp_dir.h), which only this user may enter; a file there is
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

typedef enum aq_jit_mode {
  AQ_JIT_OFF,
  AQ_JIT_AUTO,      /* hot code, as machine code of our own */
  AQ_JIT_ALWAYS,    /* everything, before it executes */
  AQ_JIT_CC,        /* hot code, by C and the system's compiler */
  AQ_JIT_CC_ALWAYS, /* everything */
} aq_jit_mode;

/* "off", "auto", "always", "cc" or "cc-always". AQ_ERR_INVALID names them. */
aq_status aq_jit_mode_read(const char *text, aq_jit_mode *out, aq_diag *diag);

typedef struct aq_jit_builder aq_jit_builder;

typedef struct aq_jit_built {
  uint64_t built, loaded; /* libraries: compiled, and found in the cache */
  int64_t build_ns;       /* in the compiler */
  uint64_t bytes;         /* of the libraries */
} aq_jit_built;

/* The compiler of C: $AQUEDUCT_CC, else cc in PATH. The caller's to free; NULL:
 * there is none. */
char *aq_jit_compiler(void);

/* `print` gets a line when nothing can be compiled, or nothing more, once, by
 * any thread; NULL: no line. OFF: no builder, *out is NULL. */
aq_status aq_jit_builder_create(aq_jit_mode mode,
                                void (*print)(const char *line, void *user),
                                void *user, aq_jit_builder **out,
                                aq_diag *diag);

/* Makes a machine use it; the builder outlives the machine. */
aq_status aq_jit_builder_use(aq_jit_builder *builder, aq_wave_machine *machine,
                             aq_diag *diag);

/* The options of a machine (gpu/wave/core/wave.h) that uses the builder. */
void aq_jit_builder_options(aq_jit_builder *builder, aq_jit_options *out);

void aq_jit_builder_put(const aq_jit_builder *builder, aq_jit_built *out);

/* Unloads everything; NULL is allowed. */
void aq_jit_builder_destroy(aq_jit_builder *builder);

#endif
