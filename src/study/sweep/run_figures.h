/* SPDX-License-Identifier: MIT */
/* One run as a study sees it. */
#ifndef AQ_STUDY_SWEEP_RUN_FIGURES_H
#define AQ_STUDY_SWEEP_RUN_FIGURES_H

#include "common/json_in.h"
#include "study/sweep/study.h"

typedef struct aq_study_place {
  char *workload, *parameters, *device, *policy, *setting; /* owned */
  char *transport;
  char *plan;      /* "": none */
  char *version;   /* of the program */
  char *files;     /* digest of files that the setting names; "": not known */
  char *constants; /* digest; "": not known */
  char *code;      /* digest of a plug-in, or "" */
  char *durations; /* of predicted ones; NULL: they are not */
  int64_t alone, seed, number;
  int64_t points; /* of its plan; 0: not known */
} aq_study_place;

typedef struct aq_study_client {
  const char *name;
  bool shared; /* another client has the name, or it as its number */
  double weight;
  double ttft, tpot; /* objectives, us; NaN: none */
} aq_study_client;

typedef struct aq_study_run {
  int64_t id;
  aq_study_place place;
  aq_json_doc summary;
  aq_study_client *clients; /* by entry */
  size_t client_count;
  double utilisation; /* percent */
  aq_request_list requests;
  size_t first; /* after the warm-up */
  aq_preempted_list preempted;
  bool preempted_known; /* false: made before they were kept */
  bool kept;            /* figures instead of requests (summary.h) */
} aq_study_run;

/* Mean responses by entry. */
typedef struct aq_study_means {
  double *of;
  size_t count;
} aq_study_means;

/* Whether a run of requests ended, but from some point on without its policy,
 * which had failed (--on-policy-error fallback): its notes have that. */
bool aq_study_run_fell_back(const aq_run_info *info);

/* Whether a run may count: it ended, as its policy decided. */
bool aq_study_run_counts(const aq_run_info *info);

/* Where a run belongs; `point` is its own, or one of another plan; NULL: none.
 */
aq_status aq_study_place_read(const aq_run_info *info, const char *point,
                              aq_study_place *out, aq_diag *diag);
void aq_study_place_fini(aq_study_place *place);

/* *wanted: it counts; only then there is something to close. Takes the place.
 */
aq_status aq_study_run_open(aq_store *store, const aq_run_info *info,
                            aq_study_place *place,
                            const aq_study_options *options, aq_study_run *out,
                            bool *wanted, aq_diag *diag);
void aq_study_run_close(aq_study_run *run);

/* Of one entry of the clients, or of all (-1); false: out of memory. */
bool aq_study_run_figures(const aq_study_run *run, int entry,
                          const aq_study_options *options,
                          aq_study_replica *out);
bool aq_study_run_means(const aq_study_run *run, aq_study_means *out);

#endif
