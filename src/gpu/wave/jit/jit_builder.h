/* SPDX-License-Identifier: MIT */
/*
 * Whether hot code (gpu/wave/core/jit.h) is compiled, as users choose it, and a
 * line for them where that is not possible. One thread at a time.
 */
#ifndef AQ_GPU_WAVE_JIT_BUILDER_H
#define AQ_GPU_WAVE_JIT_BUILDER_H

#include "common/diag.h"
#include "gpu/wave/core/wave.h"

typedef enum aq_jit_mode {
  AQ_JIT_OFF,
  AQ_JIT_AUTO,   /* hot code */
  AQ_JIT_ALWAYS, /* everything, before it executes */
} aq_jit_mode;

/* "off", "auto" or "always". AQ_ERR_INVALID names them. */
aq_status aq_jit_mode_read(const char *text, aq_jit_mode *out, aq_diag *diag);

typedef struct aq_jit_builder aq_jit_builder;

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

/* NULL is allowed. */
void aq_jit_builder_destroy(aq_jit_builder *builder);

#endif
