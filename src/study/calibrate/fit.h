/* SPDX-License-Identifier: MIT */
/*
 * The constants of a device model that follow from calibration
 * (doc/calibrate.md). Runs yield sums; shares that they cannot separate
 * stay as the model has them.
 */
#ifndef AQ_STUDY_CALIBRATE_FIT_H
#define AQ_STUDY_CALIBRATE_FIT_H

#include "study/calibrate/samples.h"
#include "transport/registry/device_models.h"

typedef enum aq_device_fit_id {
#define F(id, figure, less, meaning) AQ_DEVICE_FIT_##id,
#include "study/calibrate/fit.def"
#undef F
  AQ_DEVICE_FIT_COUNT
} aq_device_fit_id;

typedef enum aq_device_fit_unit {
  AQ_DEVICE_FIT_TIME, /* ps */
  AQ_DEVICE_FIT_RATE, /* bytes a second */
} aq_device_fit_unit;

typedef struct aq_device_fit {
  const char *key, *meaning;
  const aq_calibrate_sample *sample; /* of the facts, or NULL */
  bool probed;                       /* by a probe, not from runs */
  int64_t resolution;                /* of a probe's value */
  int64_t was, value;
  int64_t spread; /* half of the 90 % interval that the sample shows, 0: none */
  aq_device_fit_unit unit;
  bool at_least; /* the figure is less than the constants that it contains: the
                    value is 0, the nearest one */
  char why_not[120]; /* why it was not fitted, or "" */
} aq_device_fit;

/* Whether one of `edits` (KEY=VALUE, up to a NULL; NULL: none) sets a constant.
 */
bool aq_device_edits_set(const char *const *edits, const char *key);

/* Fits all constants, except the ones that `edits` set in the model; `known`
 * ones were fitted otherwise. False, with the reason of each, when nothing that
 * counts follows: the runs are too thin. Pure. */
bool aq_device_fit_all(const aq_device_model *model,
                       const aq_calibrate_facts *facts,
                       const aq_device_fit *known, size_t known_count,
                       const char *const *edits,
                       aq_device_fit out[AQ_DEVICE_FIT_COUNT]);

/* Constants that vary from run to run. */
enum { AQ_DEVICE_FIT_VARYING = 7 };

/* Fits them to the figures of one run, of which `shift` is the offset of its
 * clocks that launches contain beyond the model's. The model is the prior: the
 * fit counts as much as its values do, the model as a few of them. Pure. */
void aq_device_fit_varying(const aq_device_model *model,
                           const aq_calibrate_facts *facts, aq_time shift,
                           const char *const *edits,
                           aq_device_fit out[AQ_DEVICE_FIT_VARYING]);

/* The sum of constants, named with blanks between: as they were fitted (the
 * first `done` of `fits`, or `known`), else as the model has them. */
int64_t aq_device_fit_sum(const aq_device_model *model,
                          const aq_device_fit *fits, size_t done,
                          const aq_device_fit *known, size_t known_count,
                          const char *keys);

/* Whether queued kernels start behind a gap, not at the previous end. */
bool aq_device_model_has_gaps(const aq_device_model *model);

/* A constant of a model by its key, 0 when it has none of that name. */
int64_t aq_device_model_number(const aq_device_model *model, const char *key);

#endif
