/* SPDX-License-Identifier: MIT */
/*
 * A run's description besides its rows: its origin and how far it
 * can be trusted. Plain data: the owner of an aq_run_info owns its texts; NULL
 * or AQ_NONE means not known.
 */
#ifndef AQ_COMMON_RUN_INFO_H
#define AQ_COMMON_RUN_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

typedef enum aq_run_kind {
  AQ_RUN_MEASURED = 1,
  AQ_RUN_SIMULATED = 2,
} aq_run_kind;

typedef struct aq_run_info {
  int64_t id; /* given by the store */
  aq_run_kind kind;
  const char *name;          /* unique in its store, or NULL */
  int64_t origin;            /* id of the run that this one replays */
  const char *source;        /* file or scenario it was read from */
  const char *format;        /* name of that file's format */
  const char *transport;     /* "sim", "hsa", …; NULL for imported runs */
  const char *device_model;  /* name of the device model */
  const char *model_hash;    /* hex digest of the constants in force */
  const char *model_verdict; /* calibrated, partly or assumed */
  const char *command;       /* command line that made it */
  const char *version;       /* of aqueduct */
  const char *notes;         /* JSON: repairs, edits, mode; or NULL */
  const char *summary;       /* JSON: its result, the clients served; or NULL */
  const char *point;         /* JSON: its place in a sweep; or NULL */
  const char *content_key;   /* hex digest of all that a point depends on */
  int64_t seed;
  int64_t base_ns;  /* the source's clock at time 0 of the run, ns */
  int64_t created;  /* seconds since 1970, UTC */
  int64_t left_out; /* rows that were made, but not kept */
  /* Where the durations of its rows come from: "measured here", "measured on
   * AMD Instinct MI300X", "executed", "assumed"…; NULL: not known. */
  const char *durations;
  /* Which of its rows were kept, "kernels only; left out: 12 other rows", or of
   * the run it replays; NULL: all. */
  const char *recorded;
  /* What its trace, or that of the run it replays, lost, repeats or
   * contradicts: "90 launches without a record"; NULL: nothing known. */
  const char *damage;
  const char *failed; /* why its point of a sweep failed; NULL: it did not */
  bool complete;      /* false: the writer did not finish */
  bool truncated;     /* its trace, or that of the run it replays, was cut */
  bool reproducible;  /* same inputs and seed give the same rows */
} aq_run_info;

/* Describes a reproducible run of this version of the library; every other
 * field is unknown. `version` is static. */
AQ_API void aq_run_info_init(aq_run_info *info, aq_run_kind kind);

/* Whether some of its durations are predictions. */
AQ_API bool aq_run_is_predicted(const aq_run_info *info);

/* Facts that a reader of any view of a run has to know, one line each. */
enum { AQ_RUN_CAVEATS = 5, AQ_RUN_CAVEAT_SIZE = 448 };

/* Fills the lines that apply, returns how many. Pure. */
AQ_API size_t aq_run_caveats(const aq_run_info *info,
                             char lines[AQ_RUN_CAVEATS][AQ_RUN_CAVEAT_SIZE]);

AQ_END_DECLS

#endif
