/* SPDX-License-Identifier: MIT */
/* `sweep --emit`, `--slurm` and `--status`: sweeps on clusters. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands/sweep_cluster.h"
#include "cli/commands/table_output.h"
#include "common/text.h"
#include "study/sweep/completeness.h"
#include "study/sweep/sweep_folder.h"
#include "study/sweep/sweep_scripts.h"

enum { PATH_SIZE = 4096 };

/* ---- emitting ---- */

aq_status aq_cli_sweep_emit(aq_cli *cli)
{
  char program[PATH_SIZE];
  int64_t shards = 0, cpus = 0, jobs[2];
  size_t points = 0;
  aq_sweep_engine engine;
  const char *folder = cli->values[AQ_CLI_OPT_OUTPUT];
  if (!folder || !cli->values[AQ_CLI_OPT_SHARDS] || cli->arg_count != 1 ||
      (cli->given[AQ_CLI_OPT_SLURM] && cli->values[AQ_CLI_OPT_EMIT_JOBS]))
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--emit or --slurm needs a PLAN, --shards N, and -o DIR "
                       "for the folder");
  const ssize_t length = readlink("/proc/self/exe", program, PATH_SIZE - 1);
  program[length > 0 ? length : 0] = 0;
  aq_status status = aq_sweep_engine_find(
      cli->given[AQ_CLI_OPT_SLURM] ? "slurm"
                                   : cli->values[AQ_CLI_OPT_EMIT_JOBS],
      &engine, &cli->diag);
  if (status == AQ_OK)
    status = aq_cli_number(cli, AQ_CLI_OPT_SHARDS, 1, 0, &shards);
  if (status == AQ_OK)
    status = aq_cli_number(cli, AQ_CLI_OPT_JOBS, 1, 1, &cpus);
  if (status == AQ_OK && (shards > 1000000 || cpus > 4096))
    status = aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                         "at most 1000000 shards of 4096 jobs expected");
  if (status == AQ_OK)
    status =
        aq_sweep_folder_emit(&(aq_sweep_emission){.plan = cli->args[0],
                                                  .folder = folder,
                                                  .data = getenv("AQ_DATA"),
                                                  .program = program,
                                                  .engine = engine,
                                                  .shards = (uint32_t)shards,
                                                  .cpus = (uint32_t)cpus},
                             &points, &cli->diag);
  if (status != AQ_OK)
    return status;
  aq_cli_note(cli, "%s: %zu point%s in %" PRId64 " shard%s", folder, points,
              aq_text_plural(points), shards, aq_text_plural(shards));
  if (!cli->given[AQ_CLI_OPT_SLURM])
    return AQ_OK;
  status =
      aq_sweep_submit(folder, cli->values[AQ_CLI_OPT_SLURM], jobs, &cli->diag);
  if (status == AQ_OK)
    fprintf(cli->out, "%" PRId64 "\n%" PRId64 "\n", jobs[0], jobs[1]);
  return status;
}

/* ---- the status ---- */

static const char *const states[] = {"waiting", "running", "stopped", "ended"};

static aq_status shards_print(aq_cli *cli, aq_json_out *json,
                              const aq_sweep_status *status)
{
  static const aq_cli_column columns[] = {
      {">shard", "shard"},     {"state", "state"},     {">points", "points"},
      {">done", "done"},       {">failed", "failed"},  {">held", "held"},
      {">missing", "missing"}, {">per h", "per_hour"}, {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "shards", columns);
  for (uint32_t i = 0; i < status->count; i++) {
    const aq_shard *shard = &status->shards[i];
    aq_cli_row_begin(rows);
    aq_cli_cell_int(rows, i + 1);
    aq_cli_cell_text(rows, states[shard->state]);
    aq_cli_cell_int(rows, (int64_t)shard->points);
    aq_cli_cell_int(rows, (int64_t)shard->done);
    aq_cli_cell_int(rows, (int64_t)shard->failed);
    aq_cli_cell_int(rows, (int64_t)shard->held);
    aq_cli_cell_int(rows, (int64_t)shard->missing);
    aq_cli_cell_real(rows, "%.0f", shard->rate > 0 ? shard->rate : NAN);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

aq_status aq_cli_sweep_status(aq_cli *cli)
{
  const char *folder = cli->values[AQ_CLI_OPT_STATUS];
  aq_sweep_status s;
  aq_json_out *json;
  if (cli->arg_count != 0)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--status takes the folder, and no PLAN");
  aq_status status = aq_sweep_folder_status(folder, time(NULL), &s, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_cli_json_begin_if(cli, &json);
  if (status == AQ_OK && json) {
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "points", (int64_t)s.points);
    aq_json_out_int(json, "done", (int64_t)s.done);
    aq_json_out_int(json, "failed", (int64_t)s.failed);
    aq_json_out_int(json, "held", (int64_t)s.held);
    aq_json_out_int(json, "missing", (int64_t)s.missing);
    aq_json_out_real(json, "per_hour", s.rate);
  }
  if (status == AQ_OK)
    status = shards_print(cli, json, &s);
  if (json) {
    aq_json_out_close_map(json);
    const aq_status written = aq_cli_json_end_if(cli, json);
    status = status == AQ_OK ? written : status;
  }
  char *advice = aq_sweep_status_text(&s);
  aq_cli_note(cli, "%s: %s", folder, advice ? advice : "out of memory");
  free(advice);
  if (s.done < s.points)
    cli->exit_code = 1;
  aq_sweep_status_fini(&s);
  return status;
}

/* ---- points that a store lacks ---- */

aq_status aq_cli_plans_check(aq_cli *cli, aq_store *store, const char *plan)
{
  const aq_notes notes = aq_cli_notes(cli);
  size_t lines;
  aq_status status =
      aq_plans_incomplete(store, plan, &notes, &lines, &cli->diag);
  if (status == AQ_OK && lines)
    cli->exit_code = 1;
  return status;
}
