/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/groups.h"
#include "cli/runs.h"
#include "common/json_out.h"
#include "report/stats.h"

/* ---- text ---- */

static void cell_us(char cell[32], const aq_stats_spread *spread, aq_time time)
{
  if (spread->count)
    snprintf(cell, 32, "%.3f", (double)time / (double)AQ_US);
  else
    snprintf(cell, 32, "-");
}

static void put_group(aq_cli_columns *table, const aq_stats_group *g,
                      aq_time all)
{
  char key[32], calls[32], share[32], cells[8][32];
  const double part =
      all > 0 ? 100.0 * (double)g->kernel.total / (double)all : 0;
  if (g->key == AQ_NONE)
    snprintf(key, sizeof key, "unknown");
  else
    snprintf(key, sizeof key, "%" PRId64, g->key);
  snprintf(calls, sizeof calls, "%" PRId64, g->calls);
  snprintf(share, sizeof share, "%.1f", part);
  cell_us(cells[0], &g->kernel, g->kernel.total);
  cell_us(cells[1], &g->kernel, g->kernel.total / g->calls);
  cell_us(cells[2], &g->kernel, g->kernel.p50);
  cell_us(cells[3], &g->kernel, g->kernel.p99);
  cell_us(cells[4], &g->kernel, g->kernel.most);
  cell_us(cells[5], &g->api, g->api.p50);
  cell_us(cells[6], &g->queue, g->queue.p50);
  cell_us(cells[7], &g->gap, g->gap.p50);
  const char *const row[] = {g->name ? g->name : key,
                             calls,
                             share,
                             cells[0],
                             cells[1],
                             cells[2],
                             cells[3],
                             cells[4],
                             cells[5],
                             cells[6],
                             cells[7]};
  aq_cli_columns_row(table, row);
}

static aq_status put_text(aq_cli *cli, const aq_run_info *run,
                          const aq_stats *stats, aq_stats_by by)
{
  const char *const names[] = {by == AQ_STATS_BY_KERNEL ? "<kernel"
                                                        : aq_stats_by_names[by],
                               ">calls",
                               ">K %",
                               ">K us",
                               ">mean",
                               ">p50",
                               ">p99",
                               ">max",
                               ">A p50",
                               ">Q p50",
                               ">gap p50",
                               NULL};
  aq_time all = 0;
  aq_cli_columns *table = aq_cli_columns_new(names);
  if (!table)
    return aq_diag_no_memory(&cli->diag);
  for (size_t i = 0; i < stats->count; i++)
    all += stats->groups[i].kernel.total;
  for (size_t i = 0; i < stats->count; i++)
    put_group(table, &stats->groups[i], all);
  if (!aq_cli_columns_print(table, cli->out))
    return aq_diag_no_memory(&cli->diag);
  fprintf(cli->out, "first start to last end: %.3f us\n",
          (double)stats->makespan / (double)AQ_US);
  aq_cli_run_caveats(cli, "", run);
  return AQ_OK;
}

/* ---- JSON ---- */

static void json_spread(aq_json_out *json, const char *key,
                        const aq_stats_spread *spread)
{
  aq_json_out_map(json, key);
  aq_json_out_int(json, "count", spread->count);
  if (spread->count) {
    aq_json_out_ns(json, "min_ns", spread->least);
    aq_json_out_ns(json, "p50_ns", spread->p50);
    aq_json_out_ns(json, "p90_ns", spread->p90);
    aq_json_out_ns(json, "p99_ns", spread->p99);
    aq_json_out_ns(json, "max_ns", spread->most);
    aq_json_out_ns(json, "total_ns", spread->total);
  }
  aq_json_out_close_map(json);
}

static void json_stats(aq_json_out *json, const aq_run_info *run,
                       const aq_stats *stats, aq_stats_by by)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "run", run->id);
  aq_cli_run_caveats_json(json, "caveats", run);
  aq_json_out_text(json, "by", aq_stats_by_names[by]);
  aq_json_out_ns(json, "makespan_ns", stats->makespan);
  aq_json_out_array(json, "groups");
  for (size_t i = 0; i < stats->count; i++) {
    const aq_stats_group *g = &stats->groups[i];
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "key", g->key);
    aq_json_out_text(json, "name", g->name);
    aq_json_out_int(json, "calls", g->calls);
    aq_json_out_int(json, "bytes", g->bytes);
    json_spread(json, "api", &g->api);
    json_spread(json, "queue", &g->queue);
    json_spread(json, "kernel", &g->kernel);
    json_spread(json, "gap", &g->gap);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

/* ---- the command ---- */

static aq_status put_stats(aq_cli *cli, const aq_run_info *run,
                           const aq_stats *stats, aq_stats_by by)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (!json)
    return put_text(cli, run, stats, by);
  json_stats(json, run, stats, by);
  return aq_cli_json_end_if(cli, json);
}

static aq_status stats_of(aq_cli *cli, aq_store *store, const aq_run_info *run,
                          aq_stats_by by)
{
  aq_run_reader *reader;
  aq_dispatches dispatches = {0};
  aq_stats stats = {0};
  aq_status status =
      aq_run_reader_open(store, run->id, AQ_ORDER_STORED, &reader, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_dispatches_read(reader, &dispatches, &cli->diag);
  if (status == AQ_OK)
    status = aq_stats_make(&dispatches, reader, by, &stats, &cli->diag);
  if (status == AQ_OK)
    status = put_stats(cli, run, &stats, by);
  aq_stats_fini(&stats);
  aq_dispatches_fini(&dispatches);
  aq_run_reader_close(reader);
  return status;
}

aq_status aq_cli_stats(aq_cli *cli)
{
  aq_store *store;
  aq_run_info *run;
  aq_stats_by by = AQ_STATS_BY_KERNEL;
  aq_status status = aq_cli_grouping(cli, &by);
  if (status == AQ_OK)
    status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = aq_store_find(store, cli->args[0], &run, &cli->diag);
  if (status == AQ_OK) {
    status = stats_of(cli, store, run, by);
    aq_run_info_free(run);
  }
  aq_store_close(store);
  return status;
}
