/* SPDX-License-Identifier: MIT */
/* Probing the first device of a transport into a stored run. One thread. */
#ifndef AQ_STUDY_CALIBRATE_PROBE_RUN_H
#define AQ_STUDY_CALIBRATE_PROBE_RUN_H

#include "study/calibrate/probe_results.h"
#include "study/session/session.h"

typedef struct aq_probed {
  int64_t run; /* its id in the store */
  aq_probe_result result;
  /* Of the device; an empty model: hardware. */
  char name[128], gfx[64], model[256], hash[65], verdict[16];
  char *notes; /* owned; the run's info borrows it and the texts above */
} aq_probed;

/* Stores the probe under `info` with its results in the notes, for
 * aq_calibration_make. Nothing stays in the store on errors. */
aq_status aq_probe_perform(const aq_session *session, aq_store *store,
                           aq_run_info *info, aq_probed *out, aq_diag *diag);
void aq_probed_fini(aq_probed *probed);

#endif
