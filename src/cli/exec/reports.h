/* SPDX-License-Identifier: MIT */
/*
 * The reports of an execution that its options ask for, from the runs of its
 * processes: fidelity, coverage, JUnit's, and the findings of a check. One
 * thread at a time.
 */
#ifndef AQ_CLI_EXEC_REPORTS_H
#define AQ_CLI_EXEC_REPORTS_H

#include "cli/exec/coverage.h"
#include "cli/exec/fidelity.h"
#include "cli/exec/findings.h"
#include "cli/exec/junit.h"
#include "common/dispatch_selector.h"
#include "common/notes.h"

/* Each is NULL where no option asks for it. */
typedef struct aq_exec_reports {
  aq_fidelity *fidelity;
  aq_coverage *coverage;
  aq_junit *junit;
  aq_findings *findings; /* opened, closed by the caller */
  uint32_t left;         /* processes of the program that still run */
  bool unchecked;        /* findings of a process are missing */
  bool unended;          /* a process ended without its exit handlers */
} aq_exec_reports;

/* Files, or NULL; borrowed until the reports are closed. */
typedef struct aq_exec_report_wish {
  const char *fidelity, *coverage, *junit;
  bool json;         /* of the fidelity */
  char *const *args; /* the program and its arguments, ended by NULL */
} aq_exec_report_wish;

/* Makes the files. Whatever it returns, the caller closes *out. */
aq_status aq_exec_reports_open(const aq_exec_report_wish *wish,
                               aq_exec_reports *out, aq_diag *diag);

/* How the device was chosen, as aq_exec_device_choose was asked and answered.
 */
aq_status aq_exec_reports_device(aq_exec_reports *reports, const char *asked,
                                 const char *chosen, aq_diag *diag);

/* Adds a run of the store, of process `pid`, whose files have paths that begin
 * with `files`. */
aq_status aq_exec_reports_add(const aq_exec_reports *reports, aq_store *store,
                              const aq_run_info *info, int64_t run, int64_t pid,
                              const char *files, aq_diag *diag);

/* Ends the findings' report: `*count` of them, which fail JUnit's test case.
 * `cut` says what ended the program early, or is NULL. */
aq_status aq_exec_reports_found(aq_exec_reports *reports, const char *cut,
                                uint64_t *count, aq_diag *diag);

/* Ends the reports but JUnit's, which reports the end of exec itself. The first
 * error. */
aq_status aq_exec_reports_close(aq_exec_reports *reports, const aq_notes *notes,
                                aq_diag *diag);

/* Reads --extract-dispatch (NULL: not given; *out is all zero). The file of an
 * earlier run goes, so that a file is this program's. */
aq_status aq_exec_extract_begin(const char *text, aq_dispatch_choice *out,
                                aq_diag *diag);

/* A note where no process made the file. */
void aq_exec_extract_end(const aq_dispatch_choice *choice,
                         const aq_notes *notes);

/* Removes what processes left for reports in a folder. */
void aq_exec_reports_remove(const char *folder);

#endif
