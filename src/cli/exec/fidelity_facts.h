/* SPDX-License-Identifier: MIT */
/*
 * The kernels of one run: the facts that its process left, and counts of the
 * run's rows.
 */
#ifndef AQ_CLI_EXEC_FIDELITY_FACTS_H
#define AQ_CLI_EXEC_FIDELITY_FACTS_H

#include "store/store.h"

/* What gave a kernel its effect, in the order of reports. */
typedef enum aq_fidelity_by {
  AQ_BY_CODE,
  AQ_BY_PLUG_IN,
  AQ_BY_BUILT_IN,
  AQ_BY_NOTHING, /* it took its time only */
  AQ_BY_REFUSED, /* its code cannot be executed */
  AQ_BY_SEVERAL, /* its dispatches differ: code of several devices */
  AQ_BY_UNKNOWN,
  AQ_BY_COUNT,
} aq_fidelity_by;

typedef struct aq_fidelity_kernel {
  char *name;
  unsigned ways;               /* 1 << aq_fidelity_by bits, of the facts */
  char *refused;               /* why, or NULL */
  bool indirect;               /* it calls addresses that are not known */
  uint64_t instructions;       /* that its code can reach; 0: not known */
  uint64_t dispatches, failed; /* rows */
  uint64_t ends;               /* rows whose end is that of the executed code */
} aq_fidelity_kernel;

typedef struct aq_fidelity_inexact {
  size_t kernel; /* number */
  char *class, *instruction;
  uint64_t count;
} aq_fidelity_inexact;

typedef struct aq_fidelity_facts {
  aq_fidelity_kernel *kernels;
  size_t kernel_count, kernel_capacity;
  aq_fidelity_inexact *inexact;
  size_t inexact_count, inexact_capacity;
  char **functions;
  size_t function_count, function_capacity;
  char gfx[128]; /* "gfx90a, gfx942": processors of the run's devices */
  bool found;    /* the process left facts */
} aq_fidelity_facts;

/* Reads the file of facts, which need not be there, and the rows of the run.
 * The caller frees *out with fini, also after errors. */
aq_status aq_fidelity_facts_read(const char *path, aq_store *store, int64_t run,
                                 aq_fidelity_facts *out, aq_diag *diag);
void aq_fidelity_facts_fini(aq_fidelity_facts *facts);

/* Whether the report has the kernel: it was dispatched, or looked through. */
bool aq_fidelity_kernel_counts(const aq_fidelity_kernel *kernel);
aq_fidelity_by aq_fidelity_kernel_by(const aq_fidelity_kernel *kernel);

#endif
