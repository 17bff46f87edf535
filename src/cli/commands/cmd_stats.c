/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/group_by.h"
#include "cli/commands/runs.h"
#include "cli/commands/show_profile.h"
#include "cli/commands/stats_context.h"
#include "cli/commands/table_output.h"
#include "cli/commands/window.h"
#include "common/json_out.h"
#include "common/text.h"
#include "report/stats/launch_context.h"
#include "report/stats/range_summary.h"
#include "report/stats/work_summary.h"
#include "study/session/peak_utilization.h"

static void cell_us(aq_cli_rows *rows, const aq_stats_spread *spread,
                    aq_time time)
{
  aq_cli_cell_time(rows, spread->count ? time : AQ_TIME_NONE);
}

/* A document has the spreads whole. */
static void put_group(aq_cli_rows *rows, aq_json_out *json,
                      const aq_stats_group *g, aq_time all)
{
  const aq_stats_spread *kernel = &g->kernel;
  char key[32] = "unknown";
  if (g->key != AQ_NONE)
    snprintf(key, sizeof key, "%" PRId64, g->key);
  aq_cli_row_begin(rows);
  aq_cli_cell_text(rows, g->name ? g->name : key);
  aq_cli_cell_int(rows, g->key);
  aq_cli_cell_text(rows, g->name);
  aq_cli_cell_int(rows, g->calls);
  aq_cli_cell_int(rows, g->predicted ? g->predicted : AQ_NONE);
  aq_cli_cell_int(rows, g->predicted);
  aq_cli_cell_int(rows, g->bytes);
  aq_cli_cell_real(rows, "%.1f",
                   all > 0 ? 100.0 * (double)kernel->total / (double)all : 0);
  cell_us(rows, kernel, kernel->total);
  cell_us(rows, kernel, kernel->total / g->calls);
  cell_us(rows, kernel, kernel->p50);
  cell_us(rows, kernel, kernel->p99);
  cell_us(rows, kernel, kernel->most);
  cell_us(rows, &g->api, g->api.p50);
  cell_us(rows, &g->queue, g->queue.p50);
  cell_us(rows, &g->gap, g->gap.p50);
  for (size_t i = 0; i < AQ_STATS_PEAK_COUNT; i++)
    aq_cli_cell_real(rows, "%.1f", g->peaks[i]);
  aq_cli_work_cells(rows, &g->work);
  if (json)
    aq_stats_spreads_json(json, g);
  aq_cli_row_end(rows);
}

/* The values of the options. */
typedef struct asked {
  aq_stats_by by;
  int64_t top;           /* groups, at most */
  bool limited, context; /* the program around launches is read */
  size_t all;            /* dispatches of the run */
  aq_run_window window;
  aq_window_counts counts; /* of the window */
  aq_lateness lateness;    /* by collective */
  aq_step_summaries steps; /* by step */
} asked;

static aq_status put_groups(aq_cli *cli, aq_json_out *json,
                            const aq_stats *stats, const asked *a)
{
  char title[32];
  const aq_cli_column columns[] = {{title, NULL},
                                   {NULL, "key"},
                                   {NULL, "name"},
                                   {">calls", "calls"},
                                   {"?>predicted", NULL},
                                   {NULL, "predicted"},
                                   {NULL, "bytes"},
                                   {">kernel %", NULL},
                                   {">kernel us", NULL},
                                   {">mean", NULL},
                                   {"+>p50", NULL},
                                   {">p99", NULL},
                                   {"+>max", NULL},
                                   {"+>api p50", NULL},
                                   {"+>queue p50", NULL},
                                   {"+>idle-gap p50", NULL},
#define P(id, name) {"?>" name " %", name "_percent"},
                                   AQ_STATS_PEAKS(P)
#undef P
                                       AQ_CLI_WORK_COLUMNS,
                                   {NULL, NULL}};
  aq_time all = 0, shown = 0;
  snprintf(title, sizeof title, "%c%s", a->by == AQ_STATS_BY_KERNEL ? '~' : '=',
           aq_stats_by_names[a->by]);
  const size_t count =
      (uint64_t)a->top < stats->count ? (size_t)a->top : stats->count;
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "groups", columns);
  for (size_t i = 0; i < stats->count; i++)
    all += stats->groups[i].kernel.total;
  for (size_t i = 0; i < count; i++) {
    put_group(rows, json, &stats->groups[i], all);
    shown += stats->groups[i].kernel.total;
  }
  const aq_status status = aq_cli_rows_end(cli, rows);
  if (json)
    aq_json_out_int(json, "groups_left_out", (int64_t)(stats->count - count));
  else if (status == AQ_OK && count < stats->count)
    fprintf(cli->out, "%zu more group%s: %.1f %% of the kernel time\n",
            stats->count - count, aq_text_plural(stats->count - count),
            all > 0 ? 100.0 * (double)(all - shown) / (double)all : 0);
  return status;
}

/* A table of its own, where the program marked ranges. */
static aq_status put_ranges(aq_cli *cli, aq_json_out *json,
                            const aq_dispatches *dispatches,
                            aq_run_reader *reader)
{
  static const aq_cli_column columns[] = {
      {"=range", "name"},          {"on", "on"},
      {">ranges", "ranges"},       {"?>untimed", "untimed"},
      {">total us", "total_ns"},   {">min", "min_ns"},
      {">max", "max_ns"},          {">dispatches", "dispatches"},
      {">kernel us", "kernel_ns"}, {NULL, NULL}};
  aq_range_summary *list;
  size_t count;
  aq_status status =
      aq_range_summaries_make(dispatches, reader, &list, &count, &cli->diag);
  if (status != AQ_OK || (count == 0 && !json))
    return status;
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "ranges", columns);
  for (size_t i = 0; i < count; i++) {
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, list[i].name);
    aq_cli_cell_text(rows, list[i].device ? "device" : "host");
    aq_cli_cell_int(rows, list[i].count);
    aq_cli_cell_int(rows, list[i].untimed ? list[i].untimed : AQ_NONE);
    aq_cli_cell_time(rows, list[i].total);
    aq_cli_cell_time(rows, list[i].least);
    aq_cli_cell_time(rows, list[i].most);
    aq_cli_cell_int(rows, list[i].launched);
    aq_cli_cell_time(rows, list[i].work);
    aq_cli_row_end(rows);
  }
  free(list);
  return aq_cli_rows_end(cli, rows);
}

static aq_status put_stats(aq_cli *cli, const aq_run_info *run,
                           const aq_stats *stats, const asked *a,
                           const aq_dispatches *dispatches,
                           aq_run_reader *reader)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "run", run->id);
    aq_cli_run_caveats_json(json, "caveats", run);
    aq_json_out_text(json, "by", aq_stats_by_names[a->by]);
    aq_json_out_text(json, "rows",
                     stats->operations ? "operations" : "dispatches");
    aq_json_out_ns(json, "makespan_ns", stats->makespan);
    if (a->limited)
      aq_cli_window_json(json, "window", &a->window, &a->counts);
    if (a->context)
      aq_cli_context_json(json, dispatches, a->all);
  }
  status = put_groups(cli, json, stats, a);
  if (status == AQ_OK && !a->limited) /* times of whole ranges */
    status = put_ranges(cli, json, dispatches, reader);
  if (status == AQ_OK && a->by == AQ_STATS_BY_STEP)
    status = aq_cli_steps_put(cli, json, dispatches, &a->steps);
  if (status == AQ_OK && a->by == AQ_STATS_BY_COLLECTIVE)
    status = aq_cli_lateness_put(cli, json, dispatches, reader, &a->lateness);
  if (json) {
    aq_json_out_close_map(json);
  } else if (status == AQ_OK) {
    if (a->limited)
      aq_cli_window_put(cli->out, &a->window, &a->counts);
    if (a->context || a->by == AQ_STATS_BY_RANGE)
      aq_cli_context_put(cli, dispatches, a->by, a->all);
    fprintf(cli->out, "first start to last end%s: %.3f us\n",
            a->limited && a->window.range ? " of each range, added up" : "",
            (double)stats->makespan / (double)AQ_US);
    aq_cli_run_caveats(cli, "", run);
  }
  return aq_cli_json_finish(cli, json, status);
}

static aq_status stats_of(aq_cli *cli, aq_store *store, const aq_run_info *run,
                          asked *a)
{
  aq_run_reader *reader;
  aq_dispatches dispatches = {0};
  aq_stats stats = {0};
  aq_status status =
      aq_run_reader_open(store, run->id, AQ_ORDER_STORED, &reader, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_part_read(
      store, run->id, reader, aq_stats_by_rows(a->by, AQ_WANT_EITHER), a->by,
      a->limited ? &a->window : NULL, &dispatches, &a->counts, &cli->diag);
  a->all = a->counts.all;
  if (status == AQ_OK && a->by == AQ_STATS_BY_COLLECTIVE &&
      !aq_lateness_match(&dispatches, &a->lateness))
    status = aq_diag_no_memory(&cli->diag);
  if (status == AQ_OK && a->by == AQ_STATS_BY_STEP &&
      !aq_step_summaries_make(&dispatches, true, &a->steps))
    status = aq_diag_no_memory(&cli->diag);
  aq_dispatches_limit(&dispatches);
  if (status == AQ_OK)
    status = aq_stats_make(&dispatches, reader, a->by, &stats, &cli->diag);
  if (status == AQ_OK && aq_stats_by_has_work(a->by) &&
      !aq_work_summary_add(&dispatches, reader, a->by, &stats))
    status = aq_diag_no_memory(&cli->diag);
  if (status == AQ_OK && a->by == AQ_STATS_BY_KERNEL)
    status = aq_peaks_share(store, run, &stats, &cli->diag);
  if (status == AQ_OK)
    status = put_stats(cli, run, &stats, a, &dispatches, reader);
  if (status == AQ_OK && dispatches.operations &&
      a->by != AQ_STATS_BY_OPERATION)
    aq_cli_note(cli,
                "run %" PRId64 " has no kernel, copy or fill with a start "
                "and an end: the rows are operations of host queues",
                run->id);
  aq_lateness_fini(&a->lateness);
  free(a->steps.list);
  aq_stats_fini(&stats);
  aq_dispatches_fini(&dispatches);
  aq_run_reader_close(reader);
  return status;
}

aq_status aq_cli_stats(aq_cli *cli)
{
  aq_store *store;
  aq_run_info *run;
  asked a = {.by = AQ_STATS_BY_KERNEL};
  aq_status status = aq_cli_grouping(cli, &a.by);
  if (status == AQ_OK)
    status = aq_cli_number(cli, AQ_CLI_OPT_TOP, 1, INT64_MAX, &a.top);
  if (status == AQ_OK)
    status = aq_cli_window(cli, &a.window, &a.limited);
  a.context = aq_stats_by_needs_context(a.by) || cli->given[AQ_CLI_OPT_STEP];
  if (status == AQ_OK && cli->given[AQ_CLI_OPT_MEMORY] &&
      (a.limited || cli->given[AQ_CLI_OPT_BY]))
    status = aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                         "--memory is of the whole run, by device and op: it "
                         "takes no --by, --between, --step or --time");
  if (status == AQ_OK)
    status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = aq_store_find(store, cli->args[0], &run, &cli->diag);
  if (status == AQ_OK && cli->given[AQ_CLI_OPT_MEMORY]) {
    status = aq_cli_stats_memory(cli, store, run, a.top);
    aq_run_info_free(run);
  } else if (status == AQ_OK) {
    status = stats_of(cli, store, run, &a);
    if (status == AQ_OK)
      status = aq_cli_profile_mention(cli, store, run);
    aq_run_info_free(run);
  }
  aq_store_close(store);
  return status;
}
