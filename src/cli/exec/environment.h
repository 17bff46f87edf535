/* SPDX-License-Identifier: MIT */
/*
 * The environment in which a program runs on the drop-in: the variables that
 * the drop-in, the shim and the loader read. Texts are borrowed; NULL leaves a
 * variable as it is.
 */
#ifndef AQ_CLI_EXEC_ENVIRONMENT_H
#define AQ_CLI_EXEC_ENVIRONMENT_H

#include "common/diag.h"

typedef struct aq_exec_environment {
  const char *dropin, *shim; /* libraries; dropin NULL: the installed one */
  const char *pools;         /* library of the checker's, or NULL */
  const char *spools;        /* folder */
  const char *opened;        /* file that hsa_init makes */
  const char *device;
  const char *const *edits;   /* of the device model, ended by NULL */
  const char *const *kernels; /* plug-ins, ended by NULL */
  const char *kernels_from;   /* auto, host or isa; NULL: as it is */
  const char *missing_kernels;
  const char *record,
      *record_limit;          /* aq_record_filter_read(); NULL: as it is */
  const char *cost;           /* of executed kernels, or NULL */
  const char *compile;        /* of aq_jit_mode_read; NULL: as it is */
  const char *profile_isa;    /* "1", or NULL: as it is */
  const char *trace_isa;      /* the wave, or NULL: as it is */
  const char *traces;         /* the wave whose steps are kept, or NULL */
  const char *check;          /* checks, or NULL: none */
  const char *schedule;       /* of gpu/wave/grid/schedule.h, or NULL */
  const char *device_by_code; /* "1", "quiet", or NULL: exec chose it */
  const char *extract;        /* N:FILE, or NULL */
  const char *fidelity;       /* "1", or NULL: no facts are kept */
  const char *coverage;       /* "1", or NULL: no code is kept */
  const char *polls;          /* "1": packets need no doorbell */
  const char *semantics;      /* rocr or foundation; NULL: as it is */
  const char *strict_memory;  /* strict_memory.h; NULL: as it is */
  const char *libraries;      /* folder that the loader searches, or NULL */
  const char *faults;         /* "seed=N", or a file */
  const char *capture;        /* file; made at once, so that a bad path shows */
} aq_exec_environment;

/* Sets the environment of this process, which the program inherits.
 * AQ_ERR_INVALID: an unknown cost, or one beside another inspection of code. */
aq_status aq_exec_environment_set(const aq_exec_environment *e, aq_diag *diag);

/* The environment of a program that runs on the runtime of MLIR. */
typedef struct aq_exec_mlir {
  const char *spools; /* folder */
  const char *transport, *device, *seed;
  const char *const *edits;          /* of the device model, ended by NULL */
  const char *record, *record_limit; /* aq_record_filter_read() */
  const char *profile_isa;           /* "1", or NULL */
} aq_exec_mlir;

/* Sets the environment of this process, which the program inherits. */
aq_status aq_exec_mlir_set(const aq_exec_mlir *e, aq_diag *diag);

#endif
