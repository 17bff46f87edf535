/* SPDX-License-Identifier: MIT */
/*
 * Durations of a run's dispatches whose work was counted (doc/durations.md), on
 * a device model, without executing them again. One thread.
 */
#ifndef AQ_STUDY_SESSION_COUNTED_DURATIONS_H
#define AQ_STUDY_SESSION_COUNTED_DURATIONS_H

#include "gpu/duration/roofline.h"
#include "store/store.h"

typedef struct aq_counted_prediction {
  char *kernel; /* owned */
  aq_counted work;
  aq_executed found;
} aq_counted_prediction;

typedef struct aq_counted_predictions {
  char device[64]; /* name of the model */
  aq_counted_prediction *rows;
  size_t count;
} aq_counted_predictions;

/* `run` as aq_store_find takes it; `device` NULL: the model of the run. The
 * caller frees *out with aq_counted_predictions_fini. AQ_ERR_NOT_FOUND: the run
 * has no counted work; AQ_ERR_INVALID: no model is known. */
aq_status aq_counted_predict(aq_store *store, const char *run,
                             const char *device, const char *const *edits,
                             aq_counted_predictions *out, aq_diag *diag);
void aq_counted_predictions_fini(aq_counted_predictions *list);

#endif
