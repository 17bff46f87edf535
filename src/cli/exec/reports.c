/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/reports.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/spool.h"

aq_status aq_exec_reports_open(const aq_exec_report_wish *wish,
                               aq_exec_reports *out, aq_diag *diag)
{
  *out = (aq_exec_reports){.fidelity = NULL};
  aq_status status = aq_junit_open(wish->junit, wish->args, &out->junit, diag);
  if (status == AQ_OK)
    status = aq_fidelity_open(wish->fidelity, wish->json, &out->fidelity, diag);
  if (status == AQ_OK)
    status = aq_coverage_open(wish->coverage, &out->coverage, diag);
  return status;
}

aq_status aq_exec_reports_device(aq_exec_reports *reports, const char *asked,
                                 const char *chosen, aq_diag *diag)
{
  aq_fidelity_device(reports->fidelity, asked, chosen);
  return aq_junit_property(reports->junit, "device", chosen, diag);
}

aq_status aq_exec_reports_add(const aq_exec_reports *reports, aq_store *store,
                              const aq_run_info *info, int64_t run, int64_t pid,
                              const char *files, aq_diag *diag)
{
  char number[24];
  snprintf(number, sizeof number, "%" PRId64, run);
  aq_status status =
      aq_fidelity_add(reports->fidelity, store, info, run, pid, files, diag);
  if (status == AQ_OK)
    status = aq_coverage_add(reports->coverage, store, run, files, diag);
  if (status == AQ_OK)
    status = aq_findings_add(reports->findings, store, run, diag);
  if (status == AQ_OK)
    status = aq_junit_property(reports->junit, "run", number, diag);
  return status;
}

aq_status aq_exec_reports_found(aq_exec_reports *reports, const char *cut,
                                uint64_t *count, aq_diag *diag)
{
  char number[24];
  const bool any = reports->findings != NULL;
  aq_status status = aq_junit_failure(
      reports->junit, aq_findings_text(reports->findings), diag);
  if (!cut && reports->left)
    cut = "processes of the program still run";
  if (!cut && reports->unchecked)
    cut = "the checker ran out of memory or dispatches";
  if (!cut && reports->unended)
    cut = "a process ended without its exit handlers";
  if (status == AQ_OK && any)
    status = aq_junit_property(reports->junit, "incomplete", cut, diag);
  const aq_status closed =
      aq_findings_close(&reports->findings, cut, count, diag);
  snprintf(number, sizeof number, "%" PRIu64, *count);
  if (status == AQ_OK && any)
    status = aq_junit_property(reports->junit, "findings", number, diag);
  return closed != AQ_OK ? closed : status;
}

aq_status aq_exec_reports_close(aq_exec_reports *reports, const aq_notes *notes,
                                aq_diag *diag)
{
  aq_status fidelity = aq_fidelity_close(&reports->fidelity, diag);
  aq_status coverage = aq_coverage_close(&reports->coverage, notes,
                                         fidelity == AQ_OK ? diag : NULL);
  return fidelity == AQ_OK ? coverage : fidelity;
}

/* ---- the folder ---- */

static bool has_suffix(const char *name, const char *suffix)
{
  const size_t length = strlen(name), end = strlen(suffix);
  return length > end && strcmp(name + length - end, suffix) == 0;
}

static int is_for_reports(const struct dirent *entry)
{
  return has_suffix(entry->d_name, AQ_SPOOL_FIDELITY) ||
         has_suffix(entry->d_name, AQ_SPOOL_CODE);
}

void aq_exec_reports_remove(const char *folder)
{
  struct dirent **names;
  char *path;
  int count = scandir(folder, &names, is_for_reports, NULL);
  for (int i = 0; i < count; i++) {
    if (asprintf(&path, "%s/%s", folder, names[i]->d_name) >= 0) {
      unlink(path);
      free(path);
    }
    free(names[i]);
  }
  if (count >= 0)
    free(names);
}

aq_status aq_exec_extract_begin(const char *text, aq_dispatch_choice *out,
                                aq_diag *diag)
{
  *out = (aq_dispatch_choice){0};
  if (!text)
    return AQ_OK;
  if (aq_dispatch_choice_read(text, out, diag) != AQ_OK)
    return aq_diag_prefix(diag, "--extract-dispatch");
  return unlink(out->file) == 0 || errno == ENOENT
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_IO, "--extract-dispatch %s: %s",
                           out->file, strerror(errno));
}

void aq_exec_extract_end(const aq_dispatch_choice *choice,
                         const aq_notes *notes)
{
  if (choice->file && access(choice->file, F_OK) != 0)
    aq_note(notes,
            "no process made dispatch %" PRIu64 " a file: %s is not there",
            choice->number, choice->file);
}
