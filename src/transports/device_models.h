/* SPDX-License-Identifier: MIT */
/*
 * The device models of this build, beside its transports (transports.h, which
 * is installed). transports.c is the only file that names concrete backends.
 *
 * Everything is static or lives until the next call, as each line says. Pure
 * functions; device models are read anew at each call.
 */
#ifndef AQ_TRANSPORTS_DEVICE_MODELS_H
#define AQ_TRANSPORTS_DEVICE_MODELS_H

#include <stdbool.h>

#include "common/diag.h"
#include "common/transports.h"

/* ---- device models ---- */

/* Names of the device models that are built in, by index; NULL at the end. */
AQ_API const char *aq_device_model_name(size_t index);

typedef struct aq_device_constant {
  const char *key, *group, *meaning, *source;
  const char *from;  /* the model whose file set it, or "an edit" */
  const char *unit;  /* "" for counts, choices and texts */
  const char *value; /* exact, in that unit */
  int64_t number;    /* times in ps, rates in B/s, ...; 0 for texts */
  bool timing;       /* it moves the timeline */
} aq_device_constant;

typedef struct aq_device_model {
  const char *name, *hash, *verdict;
  const aq_device_constant *constants;
  size_t count;
} aq_device_model;

/* Reads a device model by name or path, with edits ("KEY=VALUE UNIT", ended by
 * NULL, or NULL). The caller frees it with aq_device_model_free. */
AQ_API aq_status aq_device_model_load(const char *name,
                                      const char *const *edits,
                                      aq_device_model **out, aq_diag *diag);
AQ_API void aq_device_model_free(aq_device_model *model);

#endif
