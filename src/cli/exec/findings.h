/* SPDX-License-Identifier: MIT */
/*
 * The report of `exec --check`: the findings of stored runs, as text like the
 * sanitizers', as JSON, and as SARIF for code review, without the findings that
 * a file of suppressions names.
 *
 * One thread at a time.
 */
#ifndef AQ_CLI_EXEC_FINDINGS_H
#define AQ_CLI_EXEC_FINDINGS_H

#include <stdbool.h>
#include <stdio.h>

#include "common/json_out.h"
#include "store/store.h"

typedef struct aq_findings aq_findings;

/* All borrowed until close. */
typedef struct aq_findings_options {
  const char *checks;   /* as asked for: "memory,race" */
  const char *file;     /* of the report; NULL: standard error */
  const char *sarif;    /* or NULL */
  const char *suppress; /* file of suppressions, or NULL */
  bool json;            /* the report */
} aq_findings_options;

/* Reads the suppressions and makes the files, so that bad ones show before the
 * program runs. */
aq_status aq_findings_open(const aq_findings_options *options,
                           aq_findings **out, aq_diag *diag);

/* Writes the findings of a run, as text or as the member "findings"; nothing
 * where it has none and `json` is NULL. */
aq_status aq_findings_show(aq_store *store, int64_t run, FILE *out,
                           aq_json_out *json, aq_diag *diag);

/* Reports the findings of a run; NULL is allowed for `findings`. */
aq_status aq_findings_add(aq_findings *findings, aq_store *store, int64_t run,
                          aq_diag *diag);

/* The number of findings that were not suppressed, and the first one, as text,
 * valid until the next call; empty: none. */
const char *aq_findings_text(aq_findings *findings);

/* Writes the rest: the summary, the files. `cut` says what ended the program
 * before its own end, or is NULL. `*count`: findings that were not suppressed.
 * `*findings` is NULL then; NULL is allowed. */
aq_status aq_findings_close(aq_findings **findings, const char *cut,
                            uint64_t *count, aq_diag *diag);

/* Frees it instead, after an error; NULL is allowed. */
void aq_findings_drop(aq_findings **findings);

#endif
