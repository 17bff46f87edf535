/* SPDX-License-Identifier: MIT */
/* Three ways to compare: a replay is scored against its origin; other runs are
 * matched dispatch by dispatch, and their differences listed; repeated runs of
 * two versions are compared by their sums. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/compare_print.h"
#include "cli/commands/group_by.h"
#include "cli/commands/runs.h"
#include "cli/commands/window.h"
#include "report/compare/ab_compare.h"
#include "report/compare/ci_report.h"
#include "report/compare/diff_window.h"
#include "report/stats/compare_runs.h"

typedef enum style { STYLE_TEXT, STYLE_JUNIT, STYLE_MARKDOWN } style;

typedef struct comparison {
  aq_cli *cli;
  aq_store *store;
  style style;
  bool matched; /* asked for by an option */
  aq_match_by by;
  aq_stats_by group;
  bool part; /* of each run: of this window */
  aq_run_window window;
  aq_threshold *limits;
  size_t count;
  aq_json_out *json; /* of matched runs */
  aq_status judged;
} comparison;

/* ---- options ---- */

static aq_status read_match(aq_cli *cli, aq_match_by *out)
{
  const char *text = cli->values[AQ_CLI_OPT_MATCH];
  for (int i = 0; i < AQ_MATCH_COUNT; i++)
    if (strcmp(text, aq_match_names[i]) == 0) {
      *out = (aq_match_by)i;
      return AQ_OK;
    }
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "--match %s: expected auto, replay, order, correlation, "
                     "name or align",
                     text);
}

static aq_status read_style(aq_cli *cli, style *out)
{
  const char *text = cli->values[AQ_CLI_OPT_FORMAT];
  *out = STYLE_TEXT;
  if (!text || strcmp(text, "text") == 0)
    return AQ_OK;
  if (strcmp(text, "junit") == 0)
    *out = STYLE_JUNIT;
  else if (strcmp(text, "markdown") == 0)
    *out = STYLE_MARKDOWN;
  else
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--format %s: expected text, junit or markdown", text);
  if (aq_cli_flag(cli, AQ_CLI_OPT_JSON))
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--json and --format %s: expected one of them", text);
  return AQ_OK;
}

static aq_status read_options(comparison *c)
{
  aq_cli *cli = c->cli;
  aq_status status = read_style(cli, &c->style);
  if (status == AQ_OK && cli->values[AQ_CLI_OPT_MATCH])
    status = read_match(cli, &c->by);
  if (status == AQ_OK)
    status = aq_cli_grouping(cli, &c->group);
  if (status == AQ_OK)
    status = aq_cli_window(cli, &c->window, &c->part);
  c->matched = cli->values[AQ_CLI_OPT_MATCH] || cli->values[AQ_CLI_OPT_BY] ||
               c->part || cli->arg_count > 2;
  if (status != AQ_OK)
    return status;
  status = aq_thresholds_read(aq_cli_repeats(cli, AQ_CLI_OPT_FAIL_ABOVE),
                              &c->limits, &c->count, &cli->diag);
  return status == AQ_OK ? AQ_OK : aq_diag_prefix(&cli->diag, "--fail-above");
}

/* ---- what both have in common ---- */

static void put_verdict(comparison *c, const aq_run_info *run,
                        const aq_run_info *reference, const aq_figures *figures)
{
  char labels[2][AQ_CLI_LABEL_SIZE];
  aq_cli_run_label(run, labels[0]);
  aq_cli_run_label(reference, labels[1]);
  const aq_verdict verdict = {labels[0], labels[1], figures, c->limits,
                              c->count};
  if (c->style == STYLE_JUNIT)
    aq_verdict_junit(c->cli->out, &verdict);
  else
    aq_verdict_markdown(c->cli->out, &verdict);
}

/* Reports threshold violations after all output. */
static void judge(comparison *c, const aq_figures *figures)
{
  if (c->judged == AQ_OK)
    c->judged =
        aq_thresholds_judge(c->limits, c->count, figures, &c->cli->diag);
}

/* ---- a replay ---- */

/* The target of a replay's score, as far as the command line names it. */
static aq_status find_other(comparison *c, const aq_run_info *a,
                            aq_run_info **out)
{
  aq_cli *cli = c->cli;
  if (cli->arg_count > 1)
    return aq_store_find(c->store, cli->args[1], out, &cli->diag);
  if (a->origin != AQ_NONE)
    return aq_store_run(c->store, a->origin, out, &cli->diag);
  return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                     "run %" PRId64 " replays no other run; name the run to "
                     "compare it with",
                     a->id);
}

/* The durations of a replay are the measured GPU's: against it, a replay
 * on another one is no accuracy. */
static aq_status check_gpus(comparison *c, const aq_run_info *a,
                            const aq_run_info *b)
{
  char names[2][96];
  bool differ = false;
  const bool first = a->origin == b->id;
  const aq_run_info *run = first ? a : b, *measured = first ? b : a;
  if (run->origin != measured->id || measured->kind != AQ_RUN_MEASURED ||
      aq_cli_flag(c->cli, AQ_CLI_OPT_AS_IF))
    return AQ_OK;
  aq_status status = aq_compare_runs_gpus(c->store, run, measured, &differ,
                                          names, &c->cli->diag);
  if (status != AQ_OK || !differ)
    return status;
  return aq_diag_set(&c->cli->diag, AQ_ERR_INPUT,
                     "run %" PRId64 " replays durations of %s on device model "
                     "%s (%s): not scored against another GPU; --as-if "
                     "compares anyway",
                     run->id, names[1][0] ? names[1] : "another GPU",
                     run->device_model ? run->device_model : "?",
                     names[0][0] ? names[0] : "?");
}

static aq_status score(comparison *c, const aq_run_info *a,
                       const aq_run_info *b)
{
  aq_cli *cli = c->cli;
  aq_compare_runs compare;
  int64_t worst;
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_WORST, 0, 0, &worst);
  if (status == AQ_OK)
    status = check_gpus(c, a, b);
  if (status == AQ_OK)
    status = aq_compare_runs_init(c->store, a, b, (size_t)worst, &compare,
                                  &cli->diag);
  if (status != AQ_OK)
    return status;
  const aq_figures figures = {.compare = &compare.figures};
  if (aq_cli_flag(cli, AQ_CLI_OPT_JSON))
    status = aq_cli_compare_json(cli, &compare, c->limits, c->count);
  else if (c->style == STYLE_TEXT)
    status = aq_cli_compare_text(cli, &compare);
  else
    put_verdict(c, compare.run, compare.reference, &figures);
  if (status == AQ_OK)
    judge(c, &figures);
  aq_compare_runs_fini(&compare);
  return status;
}

/* ---- any runs ---- */

static aq_status report_apart(comparison *c, const aq_run_info *a,
                              const aq_run_info *b)
{
  aq_cli *cli = c->cli;
  aq_diff diff;
  aq_diff_verdict verdict = {.names = AQ_NAMES_INIT};
  aq_window_counts counts[2];
  const aq_cli_parts parts = {&c->window, &counts[0], &counts[1]};
  aq_status status = aq_diff_window(c->store, a, b, c->by, c->group,
                                    c->part ? &c->window : NULL, counts,
                                    &verdict, &diff, &cli->diag);
  if (status != AQ_OK) {
    aq_diff_verdict_fini(&verdict);
    return status;
  }
  const aq_figures figures = {.diff = &diff};
  if (c->json)
    status = aq_cli_diff_json(cli, c->json, a, b, c->part ? &parts : NULL,
                              &verdict, &diff);
  else if (c->style == STYLE_TEXT)
    status =
        aq_cli_diff_text(cli, a, b, c->part ? &parts : NULL, &verdict, &diff);
  else
    put_verdict(c, b, a, &figures);
  if (status == AQ_OK)
    judge(c, &figures);
  aq_diff_verdict_fini(&verdict);
  aq_diff_fini(&diff);
  return status;
}

/* Each run after the first with the first. */
static aq_status report_all_apart(comparison *c, const aq_run_info *a,
                                  const aq_run_info *b)
{
  aq_cli *cli = c->cli;
  aq_status status = aq_cli_json_begin_if(cli, &c->json);
  if (status != AQ_OK)
    return status;
  if (c->json)
    aq_json_out_array(c->json, NULL);
  status = report_apart(c, a, b);
  for (int i = 2; i < cli->arg_count && status == AQ_OK; i++) {
    aq_run_info *other;
    status = aq_store_find(c->store, cli->args[i], &other, &cli->diag);
    if (status == AQ_OK) {
      status = report_apart(c, a, other);
      aq_run_info_free(other);
    }
  }
  return aq_cli_json_results_end(cli, c->json, status);
}

/* ---- repeated runs of two versions ---- */

/* Names a version: its first run, of predicted durations where it has any. */
static const aq_run_info *shown(const aq_run_info *const *runs, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (aq_run_is_predicted(runs[i]))
      return runs[i];
  return runs[0];
}

static aq_status print_versions(comparison *c, const aq_run_info *const *runs,
                                size_t after, size_t count,
                                const aq_versions *versions)
{
  const aq_figures figures = {.versions = versions};
  const aq_cli_parts parts = {&c->window, &versions->before_part,
                              &versions->after_part};
  aq_status status = AQ_OK;
  if (c->style == STYLE_JUNIT)
    aq_verdict_junit_begin(c->cli->out);
  if (c->style == STYLE_TEXT)
    status =
        aq_cli_versions_print(c->cli, c->part ? &parts : NULL, versions, runs);
  else
    put_verdict(c, shown(runs, after), shown(runs + after, count - after),
                &figures);
  if (c->style == STYLE_JUNIT)
    aq_verdict_junit_end(c->cli->out);
  if (status != AQ_OK)
    return status;
  judge(c, &figures);
  return c->judged;
}

static aq_status compare_versions(comparison *c)
{
  aq_cli *cli = c->cli;
  aq_run_info **runs;
  size_t after, count;
  aq_versions versions;
  aq_status status = aq_cli_versions_find(cli, c->store, &runs, &after, &count);
  if (status != AQ_OK)
    return status;
  const aq_run_info *const *given = (const aq_run_info *const *)runs;
  status = aq_versions_compare(c->store, given + after, count - after, given,
                               after, c->group, c->part ? &c->window : NULL,
                               &versions, &cli->diag);
  if (status == AQ_OK) {
    status = print_versions(c, given, after, count, &versions);
    aq_versions_fini(&versions);
  }
  aq_cli_versions_free(runs, count);
  return status;
}

/* ---- the command ---- */

static aq_status compare_infos(comparison *c, const aq_run_info *a,
                               const aq_run_info *b)
{
  const bool scored =
      !c->matched &&
      (a->id == b->id || a->origin == b->id || b->origin == a->id ||
       (a->origin != AQ_NONE && a->origin == b->origin));
  if (c->style == STYLE_JUNIT)
    aq_verdict_junit_begin(c->cli->out);
  /* The first of two runs is the reference; a replay that is given alone, or
   * first, is the one to judge. */
  const bool turned = c->cli->arg_count < 2;
  aq_status status = scored   ? score(c, a, b)
                     : turned ? report_all_apart(c, b, a)
                              : report_all_apart(c, a, b);
  if (c->style == STYLE_JUNIT && status == AQ_OK)
    aq_verdict_junit_end(c->cli->out);
  return status == AQ_OK ? c->judged : status;
}

static aq_status compare_named(comparison *c)
{
  aq_run_info *a = NULL, *b = NULL;
  aq_status status =
      aq_store_find(c->store, c->cli->args[0], &a, &c->cli->diag);
  if (status != AQ_OK)
    return status;
  status = find_other(c, a, &b);
  if (status == AQ_OK) {
    status = compare_infos(c, a, b);
    aq_run_info_free(b);
  }
  aq_run_info_free(a);
  return status;
}

aq_status aq_cli_compare(aq_cli *cli)
{
  comparison c = {.cli = cli};
  aq_status status = read_options(&c);
  if (status == AQ_OK) {
    status = aq_cli_store_open(cli, AQ_STORE_READ, &c.store);
    if (status == AQ_OK) {
      status = cli->values[AQ_CLI_OPT_AGAINST] ? compare_versions(&c)
                                               : compare_named(&c);
      aq_store_close(c.store);
    }
  }
  free(c.limits);
  return status;
}
