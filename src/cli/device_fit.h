/* SPDX-License-Identifier: MIT */
/*
 * The constants of a device model that follow from what calibration found
 * (doc/calibrate.md). Runs tell sums; the shares that they do not tell apart
 * stay as the model has them.
 */
#ifndef AQ_CLI_DEVICE_FIT_H
#define AQ_CLI_DEVICE_FIT_H

#include "cli/transports.h"
#include "report/calibrate.h"

typedef enum aq_device_fit_id {
#define F(id, figure, less, meaning) AQ_DEVICE_FIT_##id,
#include "cli/device_fit.def"
#undef F
  AQ_DEVICE_FIT_COUNT
} aq_device_fit_id;

typedef struct aq_device_fit {
  const char *key, *meaning;
  const aq_calibrate_sample *sample; /* of the facts, or NULL */
  int64_t was, value;                /* ps, or a count */
  bool count;
  char why_not[120]; /* why it was not fitted, or "" */
} aq_device_fit;

/* Fits all constants. False, with the reason of each, when nothing that counts
 * follows: the runs are too thin. Pure. */
bool aq_device_fit_all(const aq_device_model *model,
                       const aq_calibrate_facts *facts,
                       aq_device_fit out[AQ_DEVICE_FIT_COUNT]);

/* A constant of a model by its key, 0 when it has none of that name. */
int64_t aq_device_model_number(const aq_device_model *model, const char *key);

#endif
