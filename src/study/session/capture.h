/* SPDX-License-Identifier: MIT */
/*
 * Replaying a capture of a program's submissions, operations or packets, into
 * a stored run. Texts are borrowed; one thread.
 */
#ifndef AQ_STUDY_SESSION_CAPTURE_H
#define AQ_STUDY_SESSION_CAPTURE_H

#include "queue/capture/capture_player.h"
#include "queue/capture/packet_memory.h"
#include "study/session/session.h"

enum { AQ_CAPTURE_REPEATS_MAX = 1000000 };

typedef struct aq_capture_ask {
  const char *path;
  const char *const *kernels; /* plug-ins as of aq_host_kernels_open_default */
  aq_kernels_from from;
  int64_t repeats;  /* that are timed, beside the run's; 0: none */
  uint32_t execute; /* aq_execution_flag bits of operations */
} aq_capture_ask;

typedef struct aq_captured {
  int64_t run; /* its id in the store */
  char model[64], hash[65], verdict[16], *notes,
      *recorded;                           /* the run's info borrows them */
  char durations[AQ_STORE_DURATIONS_SIZE]; /* so too */
  aq_cap_played played;
  aq_packet_computed computed; /* of captures of packets */
  aq_cap_played *bench;        /* one a repetition; or NULL */
} aq_captured;

/* Reads "host", "device" or "pm4" as flags of executions; NULL: host. */
aq_status aq_capture_blocks_read(const char *text, uint32_t *out,
                                 aq_diag *diag);

/* Whether a file is such a capture. */
bool aq_capture_is(const char *path);

/* Replays it and stores the run under `info`; its texts then borrow from
 * `out`. Nothing stays in the store on errors. AQ_ERR_DIFFERENT: its code, or
 * its operations, computed other bytes than those captured. */
aq_status aq_capture_perform(aq_session *session, aq_store *store,
                             const aq_capture_ask *ask, aq_run_info *info,
                             aq_captured *out, aq_diag *diag);
void aq_captured_fini(aq_captured *captured);

#endif
