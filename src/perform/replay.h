/* SPDX-License-Identifier: MIT */
/*
 * Replaying a stored run into a new one (run/replay.h defines a replay).
 * Texts are borrowed; one thread.
 */
#ifndef AQ_PERFORM_REPLAY_H
#define AQ_PERFORM_REPLAY_H

#include "common/notes.h"
#include "perform/perform.h"
#include "perform/runs.h"
#include "run/replay.h"

/* Replays the run and stores it under `info`. A performance without a device
 * that is not for hardware gets the device models of the GPUs that the run
 * names, which a note reports; `notes` may be NULL. `out` is as of aq_perform,
 * and to be finished with aq_performed_fini. */
aq_status aq_replay_perform(aq_performance *performance, aq_store *store,
                            const aq_replay_ask *ask, aq_run_info *info,
                            aq_performed *out, const aq_notes *notes,
                            aq_diag *diag);

#endif
