/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/store_maintenance.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/runs.h"
#include "cli/commands/sweep_cluster.h"
#include "common/json_out.h"
#include "common/text.h"
#include "store/maintenance.h"

/* The output of a verb's findings: lines, or a document. */
typedef struct teller {
  aq_cli *cli;
  aq_json_out *json;
  const char *path; /* of the other store */
  int64_t problems;
} teller;

/* ---- check ---- */

static void report_finding(const aq_check_finding *finding, void *user)
{
  teller *to = user;
  const bool problem = finding->level == AQ_CHECK_PROBLEM;
  const char *level = problem ? "problem" : "remark";
  to->problems += problem;
  if (to->json) {
    aq_json_out_map(to->json, NULL);
    aq_json_out_text(to->json, "level", level);
    aq_json_out_int(to->json, "run", finding->run);
    aq_json_out_text(to->json, "text", finding->text);
    aq_json_out_close_map(to->json);
    return;
  }
  char *line = aq_text_line(finding->text, strlen(finding->text));
  fprintf(to->cli->out, "%s: ", level);
  if (finding->run != AQ_NONE)
    fprintf(to->cli->out, "run %" PRId64 ": ", finding->run);
  fprintf(to->cli->out, "%s\n", line ? line : "");
  free(line);
}

/* Opening the store recovered all spools that it could. */
static void report_spools(teller *to, const aq_store *store)
{
  const char *path = aq_store_path(store);
  const size_t count = aq_spools_count(path);
  char *text;
  if (count == 0 ||
      asprintf(&text,
               "%s.spool: %zu execution%s still running, or not recoverable",
               path, count, aq_text_plural(count)) < 0)
    return;
  report_finding(&(aq_check_finding){AQ_CHECK_REMARK, AQ_NONE, text}, to);
  free(text);
}

aq_status aq_cli_store_check(aq_cli *cli, aq_store *store)
{
  teller to = {.cli = cli};
  aq_status status = aq_cli_json_begin_if(cli, &to.json);
  if (status != AQ_OK)
    return status;
  if (to.json) {
    aq_json_out_map(to.json, NULL);
    aq_json_out_text(to.json, "store", aq_store_path(store));
    aq_json_out_array(to.json, "findings");
  }
  status = aq_store_check(store, report_finding, &to, &cli->diag);
  if (status != AQ_OK) {
    aq_json_out_drop(to.json);
    return status;
  }
  report_spools(&to, store);
  if (to.json) {
    aq_json_out_close_array(to.json);
    aq_json_out_int(to.json, "problems", to.problems);
    aq_json_out_close_map(to.json);
  }
  status = aq_cli_json_end_if(cli, to.json);
  if (status == AQ_OK && to.problems)
    status = aq_diag_set(&cli->diag, AQ_ERR_DIFFERENT,
                         "%s: %" PRId64 " problem%s", aq_store_path(store),
                         to.problems, aq_text_plural(to.problems));
  return status;
}

/* ---- merge ---- */

static void report_merged(const aq_merged_run *run, void *user)
{
  static const char *const fates[] = {[AQ_MERGE_COPIED] = "copied",
                                      [AQ_MERGE_PRESENT] = "present",
                                      [AQ_MERGE_INCOMPLETE] = "incomplete",
                                      [AQ_MERGE_FAILED] = "failed"};
  const teller *to = user;
  if (to->json) {
    aq_json_out_map(to->json, NULL);
    aq_json_out_text(to->json, "store", to->path);
    aq_json_out_int(to->json, "from", run->from);
    aq_json_out_int(to->json, "id", run->to);
    aq_json_out_text(to->json, "name", run->name);
    aq_json_out_text(to->json, "fate", fates[run->fate]);
    aq_json_out_close_map(to->json);
  } else if (run->fate == AQ_MERGE_COPIED) {
    fprintf(to->cli->out, "%" PRId64 "\n", run->to);
  } else {
    char *text = aq_merged_text(run, to->path);
    aq_cli_note(to->cli, "%s", text ? text : "out of memory");
    free(text);
  }
}

/* Runs merged before a bad store stay, and are printed. */
aq_status aq_cli_store_merge(aq_cli *cli, aq_store *store)
{
  teller to = {.cli = cli};
  aq_status status = aq_cli_json_begin_if(cli, &to.json);
  if (status != AQ_OK)
    return status;
  if (to.json)
    aq_json_out_array(to.json, NULL);
  for (int i = 1; i < cli->arg_count && status == AQ_OK; i++) {
    to.path = cli->args[i];
    status = aq_store_merge(store, to.path, report_merged, &to, &cli->diag);
  }
  status = aq_cli_json_results_end(cli, to.json, status);
  return status == AQ_OK ? aq_cli_plans_check(cli, store, NULL) : status;
}

/* ---- vacuum ---- */

aq_status aq_cli_store_vacuum(aq_cli *cli, aq_store *store)
{
  aq_vacuum_result result;
  aq_json_out *json;
  aq_status status = aq_store_vacuum(store, &result, &cli->diag);
  if (status == AQ_OK)
    status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "bytes_before", result.before);
    aq_json_out_int(json, "bytes", result.after);
    aq_json_out_close_map(json);
  } else {
    aq_cli_note(cli, "%s: %" PRId64 " bytes, was %" PRId64,
                aq_store_path(store), result.after, result.before);
  }
  return aq_cli_json_end_if(cli, json);
}
