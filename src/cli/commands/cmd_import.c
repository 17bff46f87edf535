/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/import_trace.h"
#include "cli/commands/progress.h"
#include "cli/commands/runs.h"
#include "common/json_out.h"
#include "common/map.h"
#include "common/text.h"
#include "report/stats/clock_offset.h"
#include "trace/db/tracedb.h"
#include "trace/import/trace.h"

/* "OUT_OF_ORDER" as a key: "out_of_order". */
static const char *repair_key(aq_trace_repair repair, char key[64])
{
  static const char *const ids[] = {
#define R(id, ...) [AQ_REPAIR_##id] = #id,
      AQ_TRACE_REPAIRS(R)
#undef R
  };
  size_t i = 0;
  for (; ids[repair][i] && i < 63; i++)
    key[i] = (char)tolower((unsigned char)ids[repair][i]);
  key[i] = 0;
  return key;
}

/* For the run's notes and for --json. */
void aq_cli_import_json(aq_json_out *json, const aq_trace_result *result)
{
  char key[64];
  aq_json_out_int(json, "dispatches", (int64_t)result->dispatches);
  aq_json_out_int(json, "copies", (int64_t)result->copies);
  aq_json_out_int(json, "waits", (int64_t)result->waits);
  aq_json_out_int(json, "ranges", (int64_t)result->ranges);
  aq_json_out_int(json, "with_host", (int64_t)result->with_host);
  if (result->ops + result->frames > 0) {
    aq_json_out_int(json, "ops", (int64_t)result->ops);
    aq_json_out_int(json, "frames", (int64_t)result->frames);
    aq_json_out_int(json, "in_ops", (int64_t)result->in_ops);
  }
  if (result->allocations > 0)
    aq_json_out_int(json, "allocations", (int64_t)result->allocations);
  if (result->wave_size > 0)
    aq_json_out_int(json, "wave_size", result->wave_size);
  if (result->cuda)
    aq_json_out_bool(json, "cuda", true);
  if (result->hip_version > 0)
    aq_json_out_int(json, "hip_version", result->hip_version);
  aq_json_out_map(json, "edges");
  for (int i = 1; i < AQ_EDGE_COUNT; i++)
    aq_json_out_int(json, aq_edge_kind_name(i), (int64_t)result->edges[i]);
  aq_json_out_int(json, "calls_without", (int64_t)result->edges[0]);
  aq_json_out_close_map(json);
  aq_json_out_map(json, "repairs");
  for (int i = 0; i < AQ_REPAIR_COUNT; i++)
    if (result->repairs[i])
      aq_json_out_int(json, repair_key(i, key), (int64_t)result->repairs[i]);
  aq_json_out_close_map(json);
  if (result->example_count > 0) {
    aq_json_out_array(json, "examples");
    for (size_t i = 0; i < result->example_count; i++)
      aq_json_out_text(json, NULL, result->examples[i].text);
    aq_json_out_close_array(json);
  }
  aq_json_out_text(json, "advice", result->advice);
}

static char *make_notes(const aq_trace_result *result)
{
  aq_json_out *json = aq_json_out_begin(false);
  if (!json)
    return NULL;
  aq_json_out_map(json, NULL);
  aq_cli_import_json(json, result);
  aq_json_out_close_map(json);
  return aq_json_out_take(json);
}

/* How many of a repair there were, and where the first one is. */
static void report_repair(const aq_cli *cli, const char *path,
                          const aq_trace_result *result, aq_trace_repair repair)
{
  char text[AQ_TRACE_REPAIR_SIZE];
  const char *first = NULL;
  for (size_t i = result->example_count; i-- > 0;)
    if (result->examples[i].repair == repair)
      first = result->examples[i].text;
  aq_trace_repair_text(repair, result->repairs[repair], text);
  aq_cli_note(cli, "%s: %s%s%s%s", path, text, first ? " (first: " : "",
              first ? first : "", first ? ")" : "");
}

void aq_cli_import_report(const aq_cli *cli, const char *path,
                          const aq_trace_result *result)
{
  aq_cli_note(cli,
              "%s: %s, %" PRIu64 " kernel%s, %" PRIu64 " %s, %" PRIu64
              " wait%s, %" PRIu64 " range%s; %" PRIu64 " with host times",
              path, result->format, result->dispatches,
              aq_text_plural(result->dispatches), result->copies,
              result->copies == 1 ? "copy" : "copies", result->waits,
              aq_text_plural(result->waits), result->ranges,
              aq_text_plural(result->ranges), result->with_host);
  if (result->ops + result->frames > 0)
    aq_cli_note(cli,
                "%s: %" PRIu64 " op%s and %" PRIu64
                " call frame%s launched work; %" PRIu64 " of %" PRIu64
                " dispatch%s in an op",
                path, result->ops, aq_text_plural(result->ops), result->frames,
                aq_text_plural(result->frames), result->in_ops,
                result->dispatches + result->copies,
                aq_text_plural_es(result->dispatches + result->copies));
  if (result->allocations)
    aq_cli_note(cli, "%s: %" PRIu64 " allocation%s of memory", path,
                result->allocations, aq_text_plural(result->allocations));
  if (result->edges[AQ_EDGE_CALL] + result->edges[AQ_EDGE_INFERRED])
    aq_cli_note(cli,
                "%s: dependencies across queues: %" PRIu64
                " by host calls, %" PRIu64 " inferred from times",
                path, result->edges[AQ_EDGE_CALL],
                result->edges[AQ_EDGE_INFERRED]);
  if (result->edges[0])
    aq_cli_note(cli,
                "%s: %" PRIu64 " host call%s waiting for another stream, "
                "without a dependency: no earlier work on another queue, or no "
                "later call of the thread",
                path, result->edges[0], aq_text_plural(result->edges[0]));
  for (int i = 0; i < AQ_REPAIR_COUNT; i++)
    if (result->repairs[i])
      report_repair(cli, path, result, (aq_trace_repair)i);
  if (result->advice)
    aq_cli_note(cli, "%s: %s", path, result->advice);
}

static const char *or_null(const char *text)
{
  return text[0] ? text : NULL;
}

/* The description of the run in an export of our own. The run it replays is in
 * another store. */
static void take_run(aq_run_info *info, const aq_trace_run *run)
{
  info->durations = or_null(run->durations);
  info->truncated |= run->truncated;
  if (!info->damage)
    info->damage = or_null(run->damage);
  info->recorded = or_null(run->recorded);
  if (run->kind)
    info->left_out = run->left_out;
  if (run->kind != AQ_RUN_SIMULATED)
    return;
  info->kind = run->kind;
  info->transport = or_null(run->transport);
  info->device_model = or_null(run->device_model);
  info->model_hash = or_null(run->model_hash);
  info->model_verdict = or_null(run->model_verdict);
  info->seed = run->seed;
  info->reproducible = run->reproducible;
}

/* The source of the durations of a measured run that does not name it. */
static void durations_describe(aq_run_info *info, const aq_trace_result *result,
                               char *text, size_t size)
{
  if (info->durations || info->kind != AQ_RUN_MEASURED)
    return;
  snprintf(text, size, "measured on %s%s",
           result->gpu[0] ? result->gpu : "a GPU that the trace does not name",
           result->more_gpus ? " and others" : "");
  info->durations = text;
}

aq_status aq_cli_import_clocks(aq_cli *cli, aq_store *store, const char *path,
                               int64_t run, const char *after)
{
  aq_clock_witnesses witnesses;
  aq_clock_offset clock;
  aq_status status =
      aq_clock_witnesses_find(store, run, &witnesses, &cli->diag);
  if (status == AQ_OK && aq_clock_offset_of(&witnesses, 0, 0, &clock))
    aq_cli_note(cli,
                "%s: %zu of %zu waits return up to %.1f us before the end of "
                "their work: clocks of host and device differ; %s",
                path, clock.proofs, witnesses.wait_count + witnesses.copy_count,
                (double)clock.proved / (double)AQ_US, after);
  aq_clock_witnesses_fini(&witnesses);
  return status;
}

static aq_status finish_run(aq_cli *cli, aq_json_out *json,
                            aq_store_writer *writer, aq_run_info *info,
                            const aq_trace_result *result)
{
  char *notes = make_notes(result), durations[160], damage[400];
  if (!notes) {
    aq_store_writer_abort(writer);
    return aq_diag_no_memory(&cli->diag);
  }
  int64_t id = aq_store_writer_run(writer);
  info->format = result->format;
  info->base_ns = result->base_ns;
  info->notes = notes;
  info->truncated = result->repairs[AQ_REPAIR_TRUNCATED] > 0;
  if (aq_trace_damage(result, damage, sizeof damage))
    info->damage = damage;
  take_run(info, &result->run);
  durations_describe(info, result, durations, sizeof durations);
  aq_status status = aq_store_writer_finish(writer, info, &cli->diag);
  if (status == AQ_OK) {
    aq_cli_import_report(cli, info->source, result);
    aq_cli_run_print(cli, json, info, id);
  }
  info->notes = info->durations = info->damage = NULL; /* all end here */
  free(notes);
  return status;
}

aq_status aq_cli_import_trace(aq_cli *cli, aq_store *store, aq_run_info *info,
                              aq_trace_result *result, aq_store_writer **out)
{
  aq_store_writer *writer;
  aq_status status = aq_store_writer_open(store, info, &writer, &cli->diag);
  if (status != AQ_OK)
    return status;
  aq_cli_progress bar;
  aq_trace_options options = {.format = cli->values[AQ_CLI_OPT_FORMAT],
                              .modules = aq_tracedb_modules,
                              .allow_truncated =
                                  aq_cli_flag(cli, AQ_CLI_OPT_ALLOW_TRUNCATED),
                              .progress = aq_cli_progress_update,
                              .user = &bar};
  aq_cli_progress_begin(&bar, cli, info->source);
  status = aq_trace_import(info->source, &options, aq_store_writer_sink(writer),
                           result, &cli->diag);
  aq_cli_progress_end(&bar);
  if (status == AQ_OK) {
    *out = writer;
    return AQ_OK;
  }
  char text[AQ_DIAG_TEXT_MAX];
  snprintf(text, sizeof text, "%s", cli->diag.text);
  if (result->repairs[AQ_REPAIR_TRUNCATED] && !options.allow_truncated)
    aq_diag_set(&cli->diag, status,
                "%s; --allow-truncated imports the part before", text);
  aq_store_writer_abort(writer);
  return status;
}

/* The ranks that files of one program name. */
typedef struct file_ranks {
  aq_map ranks;
  size_t files; /* of different ranks of as many ranks */
  int64_t of;   /* ranks that there are; 0: unknown */
} file_ranks;

static bool rank_count(file_ranks *r, const aq_trace_result *result)
{
  if (!result->has_rank || (r->files > 0 && result->world_size != r->of) ||
      aq_map_get(&r->ranks, (uint64_t)result->rank, NULL))
    return true;
  r->of = result->world_size;
  r->files++;
  return aq_map_put(&r->ranks, (uint64_t)result->rank, 1);
}

/* Files of ranks are runs of their own without --ranks. */
static void ranks_mention(const aq_cli *cli, const file_ranks *r)
{
  char of[48] = "";
  if (cli->arg_count < 2 || r->files != (size_t)cli->arg_count)
    return;
  if (r->of > 0)
    snprintf(of, sizeof of, " of %" PRId64, r->of);
  aq_cli_note(cli,
              "%zu files of different ranks%s: if they are of one program, "
              "import --ranks makes one run of them, with aligned clocks",
              r->files, of);
}

static aq_status import_file(aq_cli *cli, aq_json_out *json, aq_store *store,
                             const char *path, file_ranks *ranks)
{
  aq_run_info info = aq_cli_run_info(cli, AQ_RUN_MEASURED);
  aq_trace_result result = {0};
  aq_store_writer *writer;
  info.source = path;
  aq_status status = aq_cli_import_trace(cli, store, &info, &result, &writer);
  if (status != AQ_OK)
    return status;
  const int64_t run = aq_store_writer_run(writer);
  status = finish_run(cli, json, writer, &info, &result);
  if (status == AQ_OK && !rank_count(ranks, &result))
    status = aq_diag_no_memory(&cli->diag);
  return status == AQ_OK && result.waits > 0
             ? aq_cli_import_clocks(cli, store, path, run,
                                    "replay moves doorbells by the offset")
             : status;
}

/* Runs stored before a bad file stay, and are printed. */
static aq_status import_files(aq_cli *cli, aq_store *store)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json)
    aq_json_out_array(json, NULL);
  file_ranks ranks = {.ranks = AQ_MAP_INIT};
  for (int i = 0; status == AQ_OK && i < cli->arg_count; i++)
    status = import_file(cli, json, store, cli->args[i], &ranks);
  if (status == AQ_OK)
    ranks_mention(cli, &ranks);
  aq_map_fini(&ranks.ranks);
  return aq_cli_json_results_end(cli, json, status);
}

aq_status aq_cli_import(aq_cli *cli)
{
  aq_store *store;
  if (cli->values[AQ_CLI_OPT_WORKLOAD])
    return aq_cli_import_workload(cli);
  if (aq_cli_flag(cli, AQ_CLI_OPT_RANKS))
    return aq_cli_import_ranks(cli);
  if (cli->arg_count > 1 && cli->values[AQ_CLI_OPT_NAME])
    return aq_diag_set(
        &cli->diag, AQ_ERR_INVALID,
        "--name is for one file, %d given; --ranks makes one run "
        "of several files",
        cli->arg_count);
  aq_status status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status != AQ_OK)
    return status;
  status = import_files(cli, store);
  aq_store_close(store);
  return status;
}
