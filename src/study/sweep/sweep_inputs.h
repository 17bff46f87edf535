/* SPDX-License-Identifier: MIT */
/* The files that a plan needs, and their copies in a folder. One thread. */
#ifndef AQ_STUDY_SWEEP_SWEEP_INPUTS_H
#define AQ_STUDY_SWEEP_SWEEP_INPUTS_H

#include "common/diag.h"
#include "common/map.h"
#include "study/workload/plan.h"

typedef struct aq_sweep_inputs {
  aq_names files; /* real paths; 0 is the plan's */
  char *root,
      *data; /* folders above all files, and above the files of `data` */
  aq_diag failure;
} aq_sweep_inputs;

/* Every file that the plan and its scenarios name. `data` as in aq_sweep. */
aq_status aq_sweep_inputs_find(const char *path, const aq_plan *plan,
                               const char *data, aq_sweep_inputs *out,
                               aq_diag *diag);
void aq_sweep_inputs_fini(aq_sweep_inputs *inputs);

/* Where a file lies in the folder: "inputs/…" or "data/…"; the caller frees
 * it. NULL: out of memory. */
char *aq_sweep_input_place(const aq_sweep_inputs *inputs, int64_t file);

/* Copies all of them. */
aq_status aq_sweep_inputs_copy(const aq_sweep_inputs *inputs,
                               const char *folder, aq_diag *diag);

#endif
