/* SPDX-License-Identifier: MIT */
/*
 * Comparing two stored runs: which is the reference, how their rows join, and
 * the texts that the figures need. One thread at a time.
 */
#ifndef AQ_REPORT_STATS_COMPARE_RUNS_H
#define AQ_REPORT_STATS_COMPARE_RUNS_H

#include "common/export.h"
#include "report/stats/compare.h"
#include "report/stats/interval_class.h"
#include "store/store.h"

AQ_BEGIN_DECLS

enum {
  AQ_COMPARE_FIT_MAX = 16,
  AQ_COMPARE_FIT_TEXT = 64,
  AQ_COMPARE_FIT_PART = AQ_COMPARE_FIT_TEXT + 40
};

/* A constant of the device model that a replay fitted to a part of its run. */
typedef struct aq_compare_fit_constant {
  char key[AQ_COMPARE_FIT_TEXT];
  aq_time was, value;
  int64_t samples; /* AQ_NONE: not counted */
  bool kept;     /* the model's value stays: too few samples, or set by hand */
  bool at_least; /* it would be below 0, and is 0 */
} aq_compare_fit_constant;

typedef struct aq_compare_fit {
  char part[AQ_COMPARE_FIT_TEXT]; /* "first=20%"; "": nothing was fitted */
  aq_time from, until;   /* rows of the measured run that start in it */
  int64_t rows, of;      /* with a submission */
  int64_t extended_from; /* rows of `part`, if there are more; else AQ_NONE */
  size_t count;
  aq_compare_fit_constant constants[AQ_COMPARE_FIT_MAX];
} aq_compare_fit;

typedef struct aq_compare_runs {
  const aq_run_info *reference, *run; /* borrowed from the caller */
  aq_compare figures;
  /* Median latencies of scored rows, from submission to start; AQ_TIME_NONE:
   * none has one. Half of the 90 % intervals of a replay that found them
   * (replay --interval), of its makespan and this median; AQ_NONE: it did not.
   */
  aq_time latency_reference, latency;
  int64_t interval_makespan, interval_latency;
  int64_t interval_rows; /* whose errors gave them; AQ_NONE: constants did */
  aq_interval_class interval_class;
  /* By which a replay took the device's clock to be ahead of the host's, of so
   * many host waits; AQ_TIME_NONE: it knew of no offset. */
  aq_time clock_offset;
  int64_t clock_witnesses;
  /* Constants of the run, and of a reference that is a replay too, that were
   * fitted to a part of the measured run: rows of either part are not scored.
   */
  aq_compare_fit fit, reference_fit;
  char **worst_names; /* of figures.worst; NULL where a row has none */
} aq_compare_runs;

/* Compares `a` with `b`. One may be the origin of the other, in either order;
 * or both replay the same run, then `b` is the reference; or they are one and
 * the same. Runs that have no row in common are AQ_ERR_INPUT. Both infos must
 * outlive `out`. */
AQ_API aq_status aq_compare_runs_init(aq_store *store, const aq_run_info *a,
                                      const aq_run_info *b, size_t worst,
                                      aq_compare_runs *out, aq_diag *diag);
AQ_API void aq_compare_runs_fini(aq_compare_runs *compare);

/* The part as it was fitted, "first=20% and on to the tenth idle launch". */
AQ_API void aq_compare_fit_part(const aq_compare_fit *fit,
                                char part[AQ_COMPARE_FIT_PART]);

enum { AQ_COMPARE_LOOP_TEXT = 128 };

/* A line with how a replay's notes say it was made, "closed loop, level 2"; ""
 * for other runs. */
AQ_API void aq_compare_runs_loop(const aq_run_info *run,
                                 char text[AQ_COMPARE_LOOP_TEXT]);

/* Whether two GPUs are known to be of different models: by ISA, compute units,
 * or a name of which neither begins the other. */
AQ_API bool aq_compare_gpus_differ(const aq_run_device *a,
                                   const aq_run_device *b);

/* Whether the device of a run is another GPU than that of a measured one,
 * whose names go to `names` for messages. */
AQ_API aq_status aq_compare_runs_gpus(aq_store *store, const aq_run_info *run,
                                      const aq_run_info *measured, bool *differ,
                                      char names[2][96], aq_diag *diag);

AQ_END_DECLS

#endif
