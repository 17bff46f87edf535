/* SPDX-License-Identifier: MIT */
/*
 * The clocks of host and device in a replay: the offset between them that host
 * waits of the replayed run show, beyond the one that the device model's
 * latencies contain.
 */
#ifndef AQ_STUDY_SESSION_REPLAY_CLOCK_H
#define AQ_STUDY_SESSION_REPLAY_CLOCK_H

#include "common/diag.h"
#include "common/json_out.h"
#include "common/notes.h"
#include "common/time.h"
#include "report/stats/clock_offset.h"
#include "store/store.h"

typedef struct aq_replay_clock {
  aq_clock_offset run; /* without witnesses: the run shows no offset */
  aq_time contained;   /* in the model's latencies */
  aq_time shift;       /* doorbells ring so much later */
} aq_replay_clock;

/* Reads the run with a reader of its own. `device` is the replay's list of
 * device models, of which the first counts; NULL: a GPU replays the run. */
aq_status aq_replay_clock_find(aq_store *store, const aq_run_info *origin,
                               const char *device, const char *const *edits,
                               aq_replay_clock *out, aq_diag *diag);

/* Both write nothing where the run shows no offset; the second one writes a
 * member of an open object. */
void aq_replay_clock_note(const aq_replay_clock *clock, const aq_notes *notes);
void aq_replay_clock_json(const aq_replay_clock *clock, aq_json_out *json);

#endif
