/* SPDX-License-Identifier: MIT */
/*
 * How long a dispatch takes whose work was counted (common/counted.def), on a
 * device of known constants. doc/durations.md has the formula and its errors.
 * Pure functions.
 */
#ifndef AQ_GPU_DURATION_ROOFLINE_H
#define AQ_GPU_DURATION_ROOFLINE_H

#include <stdbool.h>

#include "common/counted.h"
#include "common/diag.h"
#include "common/time.h"

/* Where such durations come from, as runs say it: the width is that of the
 * interval's halves, in the mean. */
#define AQ_EXECUTED_DURATIONS "predicted ± 38 % from executed code"

/* The constants, by the names of a device model's keys. */
typedef struct aq_rates {
#define R(key) int64_t key;
#include "gpu/duration/rates.def"
#undef R
  double matrix; /* operations of 16 bits of a compute unit in a cycle; 0: not
                    known */
} aq_rates;

/* Of which dispatches the work is counted. */
typedef enum aq_executed_mode {
  AQ_EXECUTED_NONE,    /* "fixed" */
  AQ_EXECUTED_AUTO,    /* "auto": where no check watches the code; those like
                          counted ones take their time */
  AQ_EXECUTED_ALL,     /* "executed" */
  AQ_EXECUTED_SAMPLED, /* "sampled": only counted workgroups are executed */
} aq_executed_mode;

/* Reads the words above; NULL leaves *out. AQ_ERR_INVALID names them. */
aq_status aq_executed_mode_read(const char *text, aq_executed_mode *out,
                                aq_diag *diag);

/* Reads every constant by its key; `gfx` is the device's processor. */
void aq_rates_read(aq_rates *out, const char *gfx,
                   int64_t (*number)(const void *model, const char *key),
                   const void *model);

/* P(id, name, meaning) */
#define AQ_EXECUTED_PARTS(P)                                                   \
  P(LATENCY, "latency", "waves wait for one instruction after the other")      \
  P(ISSUE, "issue", "vector arithmetic")                                       \
  P(MATRIX, "matrix", "matrix instructions")                                   \
  P(L1, "l1", "the L1 caches")                                                 \
  P(LDS, "lds", "the banks of LDS")                                            \
  P(L2, "l2", "the L2 caches")                                                 \
  P(MEMORY, "memory", "memory and its translations")                           \
  P(WORKGROUPS, "workgroups", "workgroups start one after the other")

typedef enum aq_executed_part {
#define P(id, name, meaning) AQ_EXECUTED_##id,
  AQ_EXECUTED_PARTS(P)
#undef P
      AQ_EXECUTED_COUNT
} aq_executed_part;

extern const char *const aq_executed_names[AQ_EXECUTED_COUNT];

/* A duration with its 90 % interval: the spread of the programs that the model
 * was scored on, and the error of sampling. */
typedef struct aq_executed {
  aq_time time, least, most;
  aq_time parts[AQ_EXECUTED_COUNT]; /* each alone */
  aq_executed_part limit;           /* the largest one */
} aq_executed;

/* All zero for a dispatch of no counted workgroup. */
aq_executed aq_executed_predict(const aq_counted *work, const aq_rates *rates);

/* How long a dispatch's work takes at the device's peaks, on all of its compute
 * units, in ps; not a number where the peak or the work is not known. */
typedef struct aq_peak_times {
  double vector; /* cycles of the SIMDs for vector arithmetic */
  double matrix; /* operations of matrix instructions, as of 16 bits */
  /* Its lines, read or written once, each by the level that answers them: the
   * cache behind L2, as far as it holds the allocations, and memory. */
  double far;    /* at far_bandwidth; not a number where there is none */
  double memory; /* at memory_bandwidth */
} aq_peak_times;

aq_peak_times aq_executed_peaks(const aq_counted *work, const aq_rates *rates);

#endif
