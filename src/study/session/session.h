/* SPDX-License-Identifier: MIT */
/*
 * A session: a workload through a transport, into a stored run.
 *
 * A session is the caller's request, checked: its transport and its
 * policy are found, nothing is open. aq_session_run() opens the transport, runs
 * the workload and stores the run; nothing stays in the store when it fails.
 *
 * Texts are borrowed unless a line says otherwise. One thread.
 */
#ifndef AQ_STUDY_SESSION_SESSION_H
#define AQ_STUDY_SESSION_SESSION_H

#include "common/diag.h"
#include "common/json_out.h"
#include "common/record_filter.h"
#include "common/run_info.h"
#include "common/transports.h"
#include "common/workload.h"
#include "scheduler/registry.h"
#include "store/store.h"
#include "study/loop/run.h"
#include "study/session/runs.h"
#include "study/workload/scenario.h"

typedef struct aq_session {
  aq_performance_options options;   /* device, queues and seed may change */
  aq_transport_stack *transport;    /* owned */
  const aq_executor *executor;      /* borrowed; NULL: the stack's own */
  struct aq_session_traces *traces; /* owned; NULL: none */
  struct aq_session_cost *cost;     /* owned; NULL: of a cost model */
  /* Memory faults, as of aq_transport_options; NULL: to standard error. */
  void (*event)(const aq_system_event *event, void *user);
  void *event_user;
  aq_policy_choice *policy;  /* owned; NULL: none */
  aq_policy_watchdog *watch; /* of the policy, or NULL */
  aq_record_filter rows;     /* of the options: no row is counted */
  bool hardware;             /* the innermost transport is that of real GPUs */
  bool on_simulator;         /* aq_session_probe found a simulator behind it */
  /* Whose requests are kept, and the run's results; NULL: neither. */
  const aq_scenario_facts *facts;
  bool sums_only; /* with facts: no rows, devices and queues are stored */
  bool late;      /* nothing is in the store before the run has ended: a short
                     one is left to the caller (aq_performed.writer) */
  aq_record_sink *instead; /* gets all rows; nothing is stored. Or NULL */
  /* Adds members to the run's notes, or NULL. */
  void (*notes)(aq_json_out *json, const void *user);
  const void *notes_user;
} aq_session;

/* Finds transport and policy. `watch` is noted (scheduler/policy_watchdog.h)
 * where the policy is; NULL: nowhere. An unknown name that is near one of those
 * built in is AQ_ERR_INVALID and names that one. */
aq_status aq_session_init(aq_session *out,
                          const aq_performance_options *options,
                          aq_policy_watchdog *watch, aq_diag *diag);
void aq_session_fini(aq_session *session);

/* Opens the transport as a run would, its records going to `sink` (NULL:
 * nowhere), which outlives it; the caller closes it. */
aq_status aq_session_open(const aq_session *session, aq_record_sink *sink,
                          aq_transport **out, aq_diag *diag);

/* Puts the counts of the code that its transports executed, and the counted
 * work, if the options ask for them. All executions have ended. */
aq_status aq_session_profile_put(const aq_session *session,
                                 aq_record_sink *sink, aq_diag *diag);

/* The transport's description of itself and of its first device (without
 * texts); all zero for a transport without devices. */
typedef struct aq_session_facts {
  uint32_t caps;
  aq_run_kind kind; /* of the runs that it makes */
  aq_device_info device;
  char gpu[96], gfx[32]; /* of the first device; "" where it has none */
  int64_t cus;           /* AQ_NONE: not known */
} aq_session_facts;

/* Opens and closes the transport. AQ_ERR_UNSUPPORTED where it lacks live mode
 * or counters that the options ask for, AQ_ERR_INVALID where a timeout has no
 * meaning. */
aq_status aq_session_probe(aq_session *session, aq_session_facts *out,
                           aq_diag *diag);

/* Where the durations of a run come from whose workload brings none that were
 * measured: static text for aq_run_info.durations, after a probe; when the rows
 * are written, aq_session_cost_durations knows more. */
const char *aq_session_durations(const aq_session *session, aq_run_kind kind);

/* How the run was asked for, as JSON for the notes of a run, with what became
 * of its policy (`totals` NULL: not known). The caller frees *out, which is
 * NULL when there is nothing to say. */
aq_status aq_session_notes(const aq_session *session,
                           const aq_run_totals *totals, char **out,
                           aq_diag *diag);

/* Words in info->recorded which rows were kept; it has the word of the run that
 * is replayed, or NULL. The caller frees *out, which `info` borrows. */
aq_status aq_session_recorded(const aq_record_filter *rows, aq_run_info *info,
                              char **out, aq_diag *diag);

/* The result of a session. */
typedef struct aq_performed {
  int64_t run;             /* its id in the store */
  aq_store_writer *writer; /* of a late session: has the run, for the caller to
                              finish (aq_store_writer_hold); NULL: stored */
  aq_run_totals totals;
  /* Owned; the run's info borrows them. */
  char *notes, *summary, *durations, *recorded, *damage;
  char mixed[AQ_STORE_DURATIONS_SIZE]; /* durations of several sources */
} aq_performed;

void aq_performed_fini(aq_performed *performed);

/* Runs the workload to its end and stores it under `info`, completed with the
 * transport's reports; its texts then borrow from `out`. */
aq_status aq_session_run(const aq_session *session, aq_store *store,
                         aq_time epoch, aq_workload_source *workload,
                         aq_run_info *info, aq_performed *out, aq_diag *diag);

#endif
