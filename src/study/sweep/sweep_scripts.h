/* SPDX-License-Identifier: MIT */
#ifndef AQ_STUDY_SWEEP_SWEEP_SCRIPTS_H
#define AQ_STUDY_SWEEP_SWEEP_SCRIPTS_H

#include "study/sweep/sweep_folder.h"

/* The scripts of an engine, in a folder that exists; `plan` is the plan's place
 * in it. */
aq_status aq_sweep_scripts_write(const aq_sweep_emission *emission,
                                 const char *plan, aq_diag *diag);

/* A command for each of `tasks` tasks, a line each, with stores of their own:
 * STORE.1 and so on. */
void aq_sweep_commands_print(FILE *out, const char *plan, const char *store,
                             int64_t tasks);

/* Submits a Slurm folder, and its merge behind it: the ids of both jobs.
 * `options` go to the array's sbatch, between spaces. AQ_ERR_IO: sbatch
 * refused; the folder is complete all the same. */
aq_status aq_sweep_submit(const char *folder, const char *options,
                          int64_t jobs[2], aq_diag *diag);

#endif
