/* SPDX-License-Identifier: MIT */
/*
 * Fitting a device model to measured runs and to the runs of probes: which
 * constants they give, and the model file that has them.
 */
#ifndef AQ_STUDY_CALIBRATE_CALIBRATION_H
#define AQ_STUDY_CALIBRATE_CALIBRATION_H

#include <stdio.h>

#include "store/store.h"
#include "study/calibrate/fit.h"
#include "study/calibrate/gaps.h"
#include "study/calibrate/probe_results.h"

enum { AQ_CALIBRATION_TEXT = 96 };

typedef struct aq_calibration {
  aq_device_model *model;  /* owned: where the fit begins */
  aq_calibrate *calibrate; /* owned */
  aq_calibrate_facts facts;
  size_t run_count;      /* of runs that are no probes */
  aq_probe_result probe; /* of the last run that is one */
  bool is_probed;
  aq_device_fit fits[AQ_DEVICE_PROBED_COUNT + AQ_DEVICE_FIT_COUNT];
  size_t fit_count;
  aq_run_info **infos; /* of all runs, owned */
  size_t info_count;
  char runs[512];           /* their names, for sources */
  const char *const *edits; /* borrowed; as below */
} aq_calibration;

/* Reads the runs, names as aq_store_find takes them, and fits their figures.
 * Constants that `edits` set (KEY=VALUE, up to a NULL; NULL: none) stay so.
 * AQ_ERR_INPUT where a run is simulated, or all of them show too little. */
aq_status aq_calibration_make(aq_calibration *out, const char *model,
                              const char *const *edits, aq_store *store,
                              const char *const *runs, size_t count,
                              aq_diag *diag);
void aq_calibration_fini(aq_calibration *calibration);

/* A value in the unit of its constant; and how far its cases spread, or "". */
void aq_device_fit_value(const aq_device_fit *fit, int64_t value,
                         char text[AQ_CALIBRATION_TEXT]);
void aq_calibration_spread(const aq_calibration *calibration,
                           const aq_device_fit *fit,
                           char text[AQ_CALIBRATION_TEXT]);

/* Gaps between queued kernels by the kernel before; NULL: the device has none,
 * or none was seen. */
aq_calibrate_gaps *aq_calibration_gaps(const aq_calibration *calibration);

/* Writes the constants that were fitted as a device model (doc/formats/
 * device.md) with the base `base`. */
void aq_calibration_write(const aq_calibration *calibration, const char *base,
                          FILE *out);

#endif
