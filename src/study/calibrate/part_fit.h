/* SPDX-License-Identifier: MIT */
/*
 * Fitting the constants that vary from run to run to a part of the run that is
 * to be replayed (doc/replay.md). The device model is the prior. One thread.
 */
#ifndef AQ_STUDY_CALIBRATE_PART_FIT_H
#define AQ_STUDY_CALIBRATE_PART_FIT_H

#include "common/notes.h"
#include "study/session/fitted_part.h"
#include "study/session/session.h"

enum { AQ_PART_FIT_EDIT = 96 };

typedef struct aq_part_fit {
  aq_fitted_part part;
  char texts[AQ_FITTED_CONSTANTS][AQ_PART_FIT_EDIT];
  const char **edits; /* owned: the fitted constants, then the session's own */
  const char *const *own; /* the session's own, which it gets back */
} aq_part_fit;

/* Fits the part that `asked` names (first=20%, first=500, first=2s,
 * range=1s..3s) of the run of `ask`, and notes the constants. The session then
 * borrows the edits until aq_part_fit_fini. AQ_ERR_INVALID: malformed text;
 * AQ_ERR_INPUT: the run is simulated, or the part has no row or fewer than
 * `least` (once it is extended), or no row is left; AQ_ERR_UNSUPPORTED on
 * hardware, and for devices of several models. */
aq_status aq_part_fit_make(aq_part_fit *out, const char *asked, int64_t least,
                           aq_session *session, aq_store *store,
                           const aq_replay_ask *ask, const aq_notes *notes,
                           aq_diag *diag);
/* The same with the part that is usual, first=20% of 20 rows. Where the run has
 * nothing to fit, `why_not` gets the reason, and `out` no edits. */
aq_status aq_part_fit_usual(aq_part_fit *out, aq_session *session,
                            aq_store *store, const aq_replay_ask *ask,
                            const aq_notes *notes, aq_diag *why_not,
                            aq_diag *diag);
void aq_part_fit_fini(aq_part_fit *fit, aq_session *session);

#endif
