/* SPDX-License-Identifier: MIT */
/*
 * Studies: statistics of the requests of many runs. Runs that differ only in
 * the seed are replications of one row.
 *
 * Left out: incomplete runs, runs without requests, runs that continued without
 * their policy, runs that a newer one of their setting replaces since an input
 * of it has changed, and all but the first of a row with one seed. One thread.
 */
#ifndef AQ_STUDY_SWEEP_STUDY_H
#define AQ_STUDY_SWEEP_STUDY_H

#include <stdbool.h>

#include "common/map.h"
#include "report/stats/confidence.h"
#include "store/store.h"

enum aq_figure {
#define F(name, unit, meaning) AQ_FIGURE_##name,
#include "study/sweep/figures.def"
#undef F
  AQ_FIGURE_COUNT
};

/* "mean", "us"; NULL, -1: there is none. */
const char *aq_figure_name(size_t figure);
const char *aq_figure_unit(size_t figure);
int aq_figure_find(const char *name);

typedef enum aq_warmup_rule {
  AQ_WARMUP_MSER5,
  AQ_WARMUP_PART, /* a part of the requests; 0: none */
} aq_warmup_rule;

typedef struct aq_study_options {
  const char *plan; /* only runs of it; NULL: any */
  aq_warmup_rule warmup;
  double part;
  bool by_client; /* a row for each entry of the clients */
  bool responses; /* keep them, for plots */
} aq_study_options;

/* One run in a row. */
typedef struct aq_study_replica {
  int64_t run, seed;
  double figures[AQ_FIGURE_COUNT];
  aq_estimate response; /* of this run alone, by batches */
  double *responses;    /* us, by arrival, after the warm-up; or NULL */
  bool kept;            /* its figures were kept, its requests not */
  size_t response_count;
} aq_study_replica;

/* Texts are the study's; NULL where a run is of no plan. */
typedef struct aq_study_row {
  char *workload, *parameters, *device, *policy, *client;
  char *durations; /* of its first run with predicted ones; NULL: none has */
  char *setting;   /* all parts but the policy */
  char *transport;
  int64_t entry;              /* of the client; -1: all */
  int64_t number;             /* of the first point in its plan */
  int64_t alone;              /* a client alone: only a measure for others */
  aq_study_replica *replicas; /* by seed */
  size_t count, capacity;
} aq_study_row;

typedef struct aq_study {
  aq_study_row *rows; /* by number, then in the order of their first runs */
  size_t count, capacity;
  size_t left_out;  /* runs without figures */
  size_t fell_back; /* runs that continued without their policy; of a plan 0 */
  size_t outdated;  /* runs of inputs that have changed since */
  size_t repeated;  /* runs with the seed of an earlier one of their row */
  bool transports;  /* rows differ in it */
  aq_names keys;    /* of rows, by which aq_study_row_find finds them */
  size_t *places;   /* of each key, among the rows */
} aq_study;

/* `runs`: ids, or NULL for all of the store. */
aq_status aq_study_make(aq_store *store, const int64_t *runs, size_t run_count,
                        const aq_study_options *options, aq_study *out,
                        aq_diag *diag);
void aq_study_fini(aq_study *study);

/* The row of `row`'s setting and client with another policy; NULL: none. */
const aq_study_row *aq_study_row_find(const aq_study *study,
                                      const aq_study_row *row,
                                      const char *policy);

/* The mean of a figure over the replicas of a row; where there is one, the mean
 * response gets the interval of its batches. */
aq_estimate aq_study_estimate(const aq_study_row *row, size_t figure);

/* `row` less `baseline`, pair by pair of equal seeds. *base: the mean of the
 * baseline over these pairs; may be NULL. */
aq_estimate aq_study_paired(const aq_study_row *row,
                            const aq_study_row *baseline, size_t figure,
                            double *base);

#endif
