/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/runs.h"
#include "cli/commands/table_output.h"
#include "cli/commands/window.h"
#include "common/json_out.h"
#include "common/text.h"
#include "report/explain/explain_run.h"
#include "report/stats/name_cuts.h"
#include "report/stats/short_names.h"
#include "study/whatif/recorded.h"

enum { NAME_SHOWN = 44 }; /* columns of a kernel's name, in text */

/* A table leaves out causes that took no time. */
static aq_status put_shares(aq_cli *cli, aq_json_out *json,
                            const aq_explained *explained,
                            aq_run_reader *reader)
{
  const aq_explain *e = &explained->explain;
  static const aq_cli_column columns[] = {{"where the time went", "cause"},
                                          {NULL, "meaning"},
                                          {">%", "percent"},
                                          {">us", "time_ns"},
                                          {">times", "times"},
                                          {">longest us", "longest_ns"},
                                          {">row", "row"},
                                          {NULL, "name"},
                                          {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "causes", columns);
  for (int i = 0; i < AQ_CAUSE_COUNT; i++) {
    const aq_explain_share *share = &e->shares[i];
    if (!json && share->time == 0)
      continue;
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, aq_explain_causes[i].name);
    aq_cli_cell_text(rows, aq_explain_causes[i].meaning);
    aq_cli_cell_real(rows, "%.1f", aq_explained_percent(e, share->time));
    aq_cli_cell_time(rows, share->time);
    aq_cli_cell_int(rows, share->gaps);
    aq_cli_cell_time(rows, share->worst);
    aq_cli_cell_int(rows, share->worst_row);
    aq_cli_cell_text(rows, json ? aq_explained_worst_name(
                                      explained, (aq_explain_cause)i, reader)
                                : NULL);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

/* The two largest causes and the longest case of the first. */
static void put_causes(const aq_cli *cli, const aq_explained *explained,
                       aq_run_reader *reader)
{
  const aq_explain *e = &explained->explain;
  const aq_explain_share *share = &e->shares[e->largest];
  const aq_explain_term *largest = &aq_explain_causes[e->largest];
  const aq_explain_term *next = &aq_explain_causes[e->next];
  const char *name = aq_explained_worst_name(explained, e->largest, reader);
  /* The name as in tables, on a line of 80 columns; NULL: none. */
  char *text = name ? aq_name_short(name) : NULL;
  char *kernel = text ? aq_text_line(text, strlen(text)) : NULL;
  free(text);
  if (kernel) {
    aq_name_cell cell = {.name = kernel, .width = NAME_SHOWN};
    aq_names_fit(&cell, 1);
    kernel = cell.name;
  }
  fprintf(cli->out, "%.1f %% %s", aq_explained_percent(e, share->time),
          largest->share);
  if (e->shares[e->next].time > 0)
    fprintf(cli->out, ", then %.1f %% %s",
            aq_explained_percent(e, e->shares[e->next].time), next->share);
  fprintf(cli->out, ": %s\n  %s\n", aq_explained_verdict(e), largest->meaning);
  fprintf(cli->out, "  longest: %.3f us, row %" PRId64 "%s%s\n",
          (double)share->worst / (double)AQ_US, share->worst_row,
          kernel ? ", " : "", kernel ? kernel : "");
  free(kernel);
}

static void put_head(aq_cli *cli, const aq_run_info *run,
                     const aq_explained *explained, aq_run_reader *reader)
{
  const aq_explain *e = &explained->explain;
  char label[AQ_CLI_LABEL_SIZE], trust[AQ_CLI_TRUST_SIZE];
  aq_cli_run_label(run, label);
  char *clean = aq_text_line(label, strlen(label));
  fprintf(cli->out, "%s: ", clean ? clean : "");
  free(clean);
  if (e->time > 0)
    put_causes(cli, explained, reader);
  else
    fprintf(cli->out, "%s: the first start is the last end\n",
            aq_explained_verdict(e));
  if (aq_cli_run_trust(run, trust))
    fprintf(cli->out, "  %s\n", trust);
  if (e->communication)
    fprintf(cli->out,
            "  communication kernels ran for %.3f us, %.1f %% of that beside "
            "other kernels\n",
            (double)e->communication / (double)AQ_US,
            100.0 * (double)aq_explained_overlap(e) / (double)e->communication);
  if (e->shapeless)
    fprintf(cli->out,
            "  %" PRId64 " kernel%s (%.1f %% of the time) without grid or "
            "workgroup size: no tail computed\n",
            e->shapeless, aq_text_plural(e->shapeless),
            aq_explained_percent(e, e->shapeless_time));
  if (e->unsized && e->unsized == e->devices)
    fputs("  CU count unknown: no tail computed\n", cli->out);
  else if (e->unsized)
    fprintf(cli->out,
            "  CU count of %" PRId64 " of %" PRId64
            " devices unknown: no tail computed there\n",
            e->unsized, e->devices);
  if (e->lost)
    fprintf(cli->out,
            "  %" PRId64
            " launch or copy call%s without a record: the work may "
            "have run in %.1f %% of the time (counted as unknown)\n",
            e->lost, aq_text_plural(e->lost),
            aq_explained_percent(e, e->lost_time));
  if (e->endless)
    fprintf(cli->out,
            "  %" PRId64
            " row%s without an end: idle time after that counted as unknown\n",
            e->endless, aq_text_plural(e->endless));
  if (e->stalls)
    fprintf(cli->out,
            "  %.3f us in %" PRId64 " wait%s of the measured run, cause not "
            "recorded: the replay is idle instead (counted as unexplained)\n",
            (double)e->stalled / (double)AQ_US, e->stalls,
            aq_text_plural(e->stalls));
  aq_cli_run_caveats(cli, "  ", run);
  fprintf(cli->out, "%" PRId64 " dispatch%s on %" PRId64 " device%s\n\n",
          e->dispatches, aq_text_plural_es(e->dispatches), e->devices,
          aq_text_plural(e->devices));
}

static void json_head(aq_json_out *json, const aq_run_info *run,
                      const aq_explain *e)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "run", run->id);
  aq_json_out_text(json, "kind", aq_cli_run_kind_name(run->kind));
  aq_cli_run_caveats_json(json, "caveats", run);
  aq_json_out_text(json, "bottleneck", aq_explained_verdict(e));
  aq_json_out_text(json, "largest",
                   e->time > 0 ? aq_explain_causes[e->largest].name : NULL);
  aq_json_out_text(json, "next",
                   e->time > 0 ? aq_explain_causes[e->next].name : NULL);
  aq_json_out_ns(json, "time_ns", e->time);
  aq_json_out_ns(json, "communication_ns", e->communication);
  aq_json_out_ns(json, "communication_overlap_ns", aq_explained_overlap(e));
  aq_json_out_int(json, "dispatches", e->dispatches);
  aq_json_out_int(json, "devices", e->devices);
  aq_json_out_int(json, "shapeless", e->shapeless);
  aq_json_out_ns(json, "shapeless_ns", e->shapeless_time);
  aq_json_out_int(json, "unsized", e->unsized);
  aq_json_out_int(json, "lost", e->lost);
  aq_json_out_int(json, "endless", e->endless);
  aq_json_out_ns(json, "lost_ns", e->lost_time);
  aq_json_out_int(json, "stalls", e->stalls);
  aq_json_out_ns(json, "stalled_ns", e->stalled);
}

/* Below the table, in one line. */
static void put_path(const aq_cli *cli, const aq_critical *path)
{
  fprintf(cli->out, "\ncritical path:");
  for (int i = 0; i < AQ_CRITICAL_COUNT; i++)
    if (path->parts[i] > 0)
      fprintf(cli->out, " %s %.1f %%", aq_critical_names[i],
              aq_critical_percent(path, i));
  fputc('\n', cli->out);
}

/* ---- the command ---- */

/* `window` and `path` may be NULL: all of the run, or no path of a part. */
static aq_status put(aq_cli *cli, const aq_run_info *run,
                     const aq_explained *explained, aq_run_reader *reader,
                     const aq_run_window *window, const aq_critical *path)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json)
    json_head(json, run, &explained->explain);
  if (json && window)
    aq_cli_window_json(json, "window", window, &explained->counts);
  if (!json && window)
    aq_cli_window_put(cli->out, window, &explained->counts);
  if (!json)
    put_head(cli, run, explained, reader);
  status = put_shares(cli, json, explained, reader);
  if (json) {
    if (path)
      aq_critical_put(json, "critical_path", path);
    aq_json_out_close_map(json);
  } else if (path && path->makespan > 0) {
    put_path(cli, path);
  }
  return aq_cli_json_finish(cli, json, status);
}

/* The critical path is one of the whole run. */
static aq_status explain_whole(aq_cli *cli, const aq_run_info *run,
                               const aq_explained *explained,
                               aq_run_reader *reader)
{
  const aq_edge *edges;
  size_t edge_count;
  aq_critical path;
  aq_status status =
      aq_run_reader_edges(reader, &edges, &edge_count, &cli->diag);
  if (status == AQ_OK)
    status = aq_critical_recorded(&explained->dispatches, edges, edge_count,
                                  &path, &cli->diag);
  return status == AQ_OK ? put(cli, run, explained, reader, NULL, &path)
                         : status;
}

aq_status aq_cli_explain(aq_cli *cli)
{
  aq_store *store;
  aq_run_info *run = NULL;
  aq_run_reader *reader;
  aq_run_window window;
  bool part;
  aq_status status = aq_cli_window(cli, &window, &part);
  if (status == AQ_OK)
    status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = aq_store_find(store, cli->args[0], &run, &cli->diag);
  if (status == AQ_OK)
    status = aq_run_reader_open(store, run->id, AQ_ORDER_STORED, &reader,
                                &cli->diag);
  if (status == AQ_OK) {
    aq_explained explained;
    status = aq_explained_make(store, run, reader, AQ_STATS_BY_ALL,
                               part ? &window : NULL, &explained, &cli->diag);
    if (status == AQ_OK) {
      status = part ? put(cli, run, &explained, reader, &window, NULL)
                    : explain_whole(cli, run, &explained, reader);
      aq_explained_fini(&explained);
    }
    aq_run_reader_close(reader);
  }
  aq_run_info_free(run);
  aq_store_close(store);
  return status;
}
