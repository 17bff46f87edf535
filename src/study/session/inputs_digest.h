/* SPDX-License-Identifier: MIT */
/*
 * Digests of the inputs of runs. By them a sweep finds the runs that it has
 * made, and a study leaves out runs from before an edit. Pure, but for the
 * files that they read.
 */
#ifndef AQ_STUDY_SESSION_INPUTS_DIGEST_H
#define AQ_STUDY_SESSION_INPUTS_DIGEST_H

#include <stddef.h>

#include "common/diag.h"
#include "common/status.h"

/* FNV-1a, 128 bits: texts are short, and no attacker chooses them. */
typedef unsigned __int128 aq_digest;

aq_digest aq_digest_begin(void);
aq_digest aq_digest_bytes(aq_digest hash, const void *bytes, size_t size);

/* With its end, so that neighbours cannot be confused; NULL is none. */
aq_digest aq_digest_text(aq_digest hash, const char *text);

/* Names with commas between them, without folders: a copy of a plan elsewhere
 * has the same points. */
aq_digest aq_digest_names(aq_digest hash, const char *text);

/* A scenario, its parameters (ended by NULL; or NULL), and the files that it
 * names; `data` as of aq_scenario_options. */
aq_status aq_digest_workload(const char *path, const char *const *parameters,
                             const char *data, aq_digest *out, aq_diag *diag);

/* A policy by its name and settings, a plug-in by its bytes, too. */
aq_status aq_digest_policy(const char *policy, aq_digest *out, aq_diag *diag);

enum { AQ_INPUTS_SIZE = 34 };

/* Workload and plug-in as a text for the place of a run: runs of one place
 * with other inputs were made before a file of it was edited. */
aq_status aq_inputs_text(const char *path, const char *const *parameters,
                         const char *data, const char *policy,
                         char out[static AQ_INPUTS_SIZE], aq_diag *diag);

#endif
