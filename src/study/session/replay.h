/* SPDX-License-Identifier: MIT */
/*
 * Replaying a stored run into a new one (study/loop/replay.h defines a replay).
 * Texts are borrowed; one thread.
 */
#ifndef AQ_STUDY_SESSION_REPLAY_H
#define AQ_STUDY_SESSION_REPLAY_H

#include "common/notes.h"
#include "gpu/duration/kernel_class.h"
#include "study/loop/replay.h"
#include "study/session/fitted_part.h"
#include "study/session/runs.h"
#include "study/session/session.h"

/* The hooks of a caller into a replay; each may be NULL. */
typedef struct aq_replay_hooks {
  /* As of aq_replay_options, with one user. */
  aq_time (*duration)(void *user, const aq_record *row, const char *name,
                      aq_time measured);
  void (*waited)(void *user, int64_t pid, aq_time time, int64_t row);
  void *user;
  aq_end end;             /* of durations predicted for another GPU */
  aq_replay_facts *facts; /* gets the facts of the replay */
  /* Whose constants the session's edits contain already; goes to the notes. Its
   * clock stands for the run's. */
  const aq_fitted_part *fitted;
  const char *not_fitted; /* why there is none, if one was tried; so too */
  const struct aq_interval *interval; /* goes to the notes (uncertainty.h) */
  const char *device_option; /* what chooses a device model, for errors; NULL:
                                --device */
  size_t met;                /* so do collective kernels that wait for
                                each other (collectives.h) */
} aq_replay_hooks;

/* The device models that a replay of a run takes, as --device has them; the
 * caller frees *out. Not for hardware. */
aq_status aq_replay_device_find(const aq_session *session, aq_store *store,
                                const char *origin, char **out, aq_diag *diag);

/* Replays the run and stores it under `info`. A session without a device
 * that is not for hardware gets the device models of the GPUs that the run
 * names, which a note reports; `hooks` and `notes`
 * may be NULL. `out` is as of aq_session_run,
 * and to be finished with aq_performed_fini. */
aq_status aq_replay_perform(aq_session *session, aq_store *store,
                            const aq_replay_ask *ask,
                            const aq_replay_hooks *hooks, aq_run_info *info,
                            aq_performed *out, const aq_notes *notes,
                            aq_diag *diag);

/* The same in one go: collective kernels of several GPUs keep the durations
 * that `hooks` or the run give them. aq_replay_perform has each wait for the
 * last of its set, by repeating the replay without storing it until no wait
 * changes, where the run has several devices, the replay is of level 1 and in
 * virtual time, and `hooks` gives no durations. */
aq_status aq_replay_once(aq_session *session, aq_store *store,
                         const aq_replay_ask *ask, const aq_replay_hooks *hooks,
                         aq_run_info *info, aq_performed *out,
                         const aq_notes *notes, aq_diag *diag);

#endif
