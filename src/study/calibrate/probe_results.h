/* SPDX-License-Identifier: MIT */
/*
 * The constants of a device model that follow from `device probe`, whose run
 * keeps the results in its notes (doc/hsa.md).
 */
#ifndef AQ_STUDY_CALIBRATE_PROBE_RESULTS_H
#define AQ_STUDY_CALIBRATE_PROBE_RESULTS_H

#include "common/json_out.h"
#include "study/calibrate/fit.h"
#include "study/calibrate/probe.h"

/* The format of the runs of probes. */
#define AQ_PROBE_FORMAT "probe"

enum {
#define Q(id, figure, less) AQ_DEVICE_PROBED_##id,
#include "study/calibrate/probe_results.def"
#undef Q
  AQ_DEVICE_PROBED_COUNT
};

/* Writes a probe's result as a member of a run's notes. */
void aq_device_probed_note(aq_json_out *json, const aq_probe_result *result);

/* Reads it from the notes of a run. */
aq_status aq_device_probed_read(const char *notes, const char *run,
                                aq_probe_result *out, aq_diag *diag);

/* The constants that follow. Pure. */
void aq_device_probed_fit(const aq_device_model *model,
                          const aq_probe_result *result,
                          aq_device_fit out[AQ_DEVICE_PROBED_COUNT]);

#endif
