/* SPDX-License-Identifier: MIT */
/*
 * Device models: the constants of a GPU and its software stack that the
 * simulator works with, by the names that users type (doc/formats/device.md).
 *
 * Ownership: names are static; a loaded model owns all its texts. Thread rule:
 * any thread; each call reads its model anew.
 */
#ifndef AQ_TRANSPORT_REGISTRY_DEVICE_MODELS_H
#define AQ_TRANSPORT_REGISTRY_DEVICE_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"
#include "common/export.h"
#include "common/occupancy.h"
#include "common/transports.h"

AQ_BEGIN_DECLS

/* The name of a built-in device model by its index; NULL behind the last. */
AQ_API const char *aq_device_model_name(size_t index);

typedef struct aq_device_constant {
  const char *key, *group, *meaning, *source;
  const char *from;  /* the model whose file set it, or "an edit" */
  const char *unit;  /* "" for counts, choices and texts */
  const char *value; /* exact, in that unit */
  int64_t number;    /* times in ps, rates in B/s, ...; 0 for texts */
  bool timing;       /* it moves the timeline */
  int64_t spread;    /* half of its 90 % interval, as number; 0: not stated */
} aq_device_constant;

/* How long behind the end of a kernel the next one of its queue starts. */
typedef struct aq_device_gap {
  const char *name; /* of the ended kernel */
  int64_t grid;     /* its work-items; 0: not known */
  int64_t time;     /* ps */
  int64_t spread;   /* half of its 90 % interval; 0: not stated */
  const char *source, *from;
} aq_device_gap;

typedef struct aq_device_model {
  const char *name;
  const char *hash;    /* hex digest of the constants in force */
  const char *verdict; /* calibrated, partly or assumed */
  const aq_device_constant *constants;
  size_t count; /* of constants */
  const aq_device_gap *gaps;
  size_t gap_count;
  aq_device_resources resources; /* for common/occupancy.h */
} aq_device_model;

/* Reads a device model by its name or the path of a file, with edits
 * ("KEY=VALUE UNIT", ended by NULL; or NULL: none). The caller frees *out with
 * aq_device_model_free. AQ_ERR_INPUT: no model has the name, or a file or edit
 * is malformed. */
AQ_API aq_status aq_device_model_load(const char *name,
                                      const char *const *edits,
                                      aq_device_model **out, aq_diag *diag);

/* A constant of a loaded model by its key: its number, 0 where no constant has
 * that key; and its value as text, "" where none has. The text lives as long as
 * the model. */
AQ_API int64_t aq_device_model_number(const aq_device_model *model,
                                      const char *key);
AQ_API const char *aq_device_model_text(const aq_device_model *model,
                                        const char *key);

/* Frees a model and all its texts. NULL is allowed. */
AQ_API void aq_device_model_free(aq_device_model *model);

AQ_END_DECLS

#endif
