/* SPDX-License-Identifier: MIT */
/* The device model and the size of a stored run. One thread. */
#ifndef AQ_STUDY_SESSION_RUN_MODEL_H
#define AQ_STUDY_SESSION_RUN_MODEL_H

#include "store/store.h"
#include "transport/registry/device_models.h"

/* The model that a run was made with, and its edits; of several devices the
 * first one's. NULL where the model of this build has another digest, or there
 * is none. The caller frees it with aq_device_model_free. */
aq_device_model *aq_run_model_load(const aq_run_info *info);

/* The rows of a run; counting ends soon behind `most`. */
aq_status aq_run_rows_count(aq_store *store, int64_t run, size_t most,
                            size_t *out, aq_diag *diag);

#endif
