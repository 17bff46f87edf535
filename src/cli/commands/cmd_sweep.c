/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/policy_process.h"
#include "cli/commands/run_options.h"
#include "cli/commands/runs.h"
#include "cli/commands/sweep_cluster.h"
#include "common/json_out.h"
#include "common/text.h"
#include "common/wall_clock.h"
#include "study/sweep/sweep_folder.h"
#include "study/sweep/sweep_scripts.h"
#include "study/sweep/sweep_tasks.h"
#include "study/sweep/workers.h"

typedef struct sweep {
  aq_cli *cli;
  aq_plan plan;
  aq_sweep sweep;
  aq_sweep_tasks tasks;
  size_t made, failed;
  uint32_t shard, shards; /* from 0 */
  int64_t processes, begun;
  bool shown;     /* progress is drawn */
  FILE *progress; /* of a folder, or NULL */
  int64_t said;   /* when a line was printed last, s */
} sweep;

/* ---- tasks ---- */

static aq_status known_find(sweep *s)
{
  aq_store *store;
  aq_status status = aq_cli_store_open(s->cli, AQ_STORE_WRITE, &store);
  if (status != AQ_OK)
    return status;
  status = aq_sweep_tasks_find(
      &s->tasks, store, aq_cli_flag(s->cli, AQ_CLI_OPT_RETRY), &s->cli->diag);
  if (status == AQ_OK)
    status = aq_sweep_tasks_share(&s->sweep, &s->tasks, store, &s->cli->diag);
  aq_store_close(store);
  return status;
}

/* ---- progress ---- */

static int64_t seconds(void)
{
  return aq_wall_ns() / 1000000000;
}

static void progress_draw(const sweep *s)
{
  const size_t over = s->made + s->failed, all = aq_sweep_tasks_left(&s->tasks);
  const int64_t took = seconds() - s->begun;
  const int64_t left =
      over ? (int64_t)((double)took * (double)(all - over) / (double)over) : 0;
  fprintf(stderr, "\r%zu of %zu points, %" PRId64 ":%02" PRId64 " left\033[K",
          over, all, left / 60, left % 60);
}

/* A line twice a minute where nothing is drawn, and a sign of life. */
static void tick(void *user)
{
  enum { BETWEEN = 30 };
  sweep *s = user;
  const int64_t now = seconds();
  if (now - s->said < BETWEEN)
    return;
  s->said = now;
  aq_sweep_progress_touch(s->progress);
  if (!s->shown)
    aq_cli_note(s->cli, "%zu of %zu points", s->made + s->failed,
                aq_sweep_tasks_left(&s->tasks));
}

static void task_done(size_t task, const char *why, void *user)
{
  sweep *s = user;
  aq_sweep_progress_put(s->progress, why ? "failed" : "done",
                        (size_t)(s->tasks.list[task].point - s->plan.points));
  if (!why) {
    s->made++;
  } else {
    const aq_plan_point *point = s->tasks.list[task].point;
    s->failed++;
    if (s->shown)
      fputs("\r\033[K", stderr);
    aq_cli_note(s->cli, "%s, policy %s, seed %" PRId64 ": %s", point->workload,
                point->policy ? point->policy : "none", point->seed, why);
  }
  if (s->shown)
    progress_draw(s);
}

static void stop_report(const sweep *s)
{
  enum { TERMINATED = 128 + SIGTERM };
  aq_cli_note(s->cli,
              "ended by SIGTERM after %zu of %zu points; the same command "
              "continues the sweep",
              s->made + s->failed, aq_sweep_tasks_left(&s->tasks));
  s->cli->exit_code = TERMINATED;
}

/* ---- the command ---- */

static aq_status result_print(sweep *s)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(s->cli, &json);
  if (status != AQ_OK)
    return status;
  if (!json) {
    for (size_t i = 0; i < s->tasks.count; i++)
      if (s->tasks.list[i].run != AQ_NONE)
        fprintf(s->cli->out, "%" PRId64 "\n", s->tasks.list[i].run);
    return AQ_OK;
  }
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "plan", s->plan.name);
  aq_json_out_int(json, "points", (int64_t)s->tasks.count);
  aq_json_out_int(json, "skipped", (int64_t)s->tasks.known);
  aq_json_out_int(json, "made", (int64_t)s->made);
  aq_json_out_int(json, "failed", (int64_t)s->failed);
  aq_json_out_int(json, "failed_before", (int64_t)s->tasks.skipped);
  aq_json_out_array(json, "runs");
  for (size_t i = 0; i < s->tasks.count; i++)
    aq_json_out_int(json, NULL, s->tasks.list[i].run);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  return aq_cli_json_end_if(s->cli, json);
}

/* Points of a plan have their own devices, if it names some. */
static aq_status device_check(sweep *s)
{
  for (size_t i = 0; i < s->plan.count; i++)
    if (s->plan.points[i].device && s->cli->given[AQ_CLI_OPT_DEVICE])
      return aq_diag_set(&s->cli->diag, AQ_ERR_INVALID,
                         "--device does not apply to %s: the plan names "
                         "devices",
                         s->cli->args[0]);
  return AQ_OK;
}

static aq_status sweep_run(sweep *s)
{
  s->sweep = (aq_sweep){.plan = &s->plan,
                        .data = getenv("AQ_DATA"),
                        .command = s->cli->command_line};
  aq_policy_limits limits;
  aq_status status = aq_cli_performance_options(s->cli, &s->sweep.options);
  if (status == AQ_OK)
    status = aq_cli_policy_limits(s->cli, &limits);
  if (status == AQ_OK)
    status =
        aq_plan_open(s->cli->args[0], s->sweep.data, &s->plan, &s->cli->diag);
  if (status == AQ_OK)
    status = device_check(s);
  if (status == AQ_OK) {
    status = aq_sweep_tasks_make(&s->sweep, s->shard, s->shards, &s->tasks,
                                 &s->cli->diag);
    if (status != AQ_OK)
      aq_diag_prefix(&s->cli->diag, "%s", s->cli->args[0]);
  }
  s->sweep.distinct = s->tasks.distinct;
  if (status == AQ_OK && s->cli->values[AQ_CLI_OPT_FOLDER])
    status =
        aq_sweep_folder_join(s->cli->values[AQ_CLI_OPT_FOLDER], &s->tasks,
                             s->shard, s->shards, &s->progress, &s->cli->diag);
  if (status == AQ_OK)
    status = known_find(s);
  if (status != AQ_OK)
    return status;
  aq_sweep_progress_begin(s->progress, &s->plan, &s->tasks);
  const size_t left = aq_sweep_tasks_left(&s->tasks);
  if (s->processes > (int64_t)left)
    s->processes = (int64_t)left;
  s->shown = !aq_cli_flag(s->cli, AQ_CLI_OPT_QUIET) && isatty(STDERR_FILENO);
  s->begun = s->said = seconds();
  const volatile int *stopped = aq_sweep_stop_watch();
  aq_sweep_work work = {.sweep = &s->sweep,
                        .store = s->cli->values[AQ_CLI_OPT_STORE],
                        .tasks = s->tasks.list,
                        .count = s->tasks.count,
                        .processes = (uint32_t)s->processes,
                        .limits = limits,
                        .on_done = task_done,
                        .tick = tick,
                        .user = s,
                        .alone = s->progress != NULL,
                        .stop = stopped};
  sigset_t before;
  aq_cli_status_block(&before); /* each process prints where its run stands */
  if (left)
    status = aq_sweep_work_share(&work, &s->cli->diag);
  aq_cli_status_unblock(&before);
  if (s->shown)
    fputs("\r\033[K", stderr);
  aq_sweep_progress_put(s->progress, *stopped ? "stopped" : "end", 0);
  if (status != AQ_OK)
    return status;
  if (*stopped)
    stop_report(s);
  aq_cli_note(s->cli,
              "%zu point%s: %zu run, %zu had been run before, %zu failed",
              s->tasks.count, aq_text_plural(s->tasks.count), s->made,
              s->tasks.known, s->failed);
  if (s->tasks.repeated)
    aq_cli_note(s->cli, "%zu point%s more than once in the plan: run once",
                s->tasks.repeated, aq_text_plural(s->tasks.repeated));
  if (s->tasks.skipped)
    aq_cli_note(s->cli,
                "%zu point%s not run, failed before; --retry runs failed "
                "points again",
                s->tasks.skipped, aq_text_plural(s->tasks.skipped));
  if ((s->failed || s->tasks.skipped) && !*stopped)
    s->cli->exit_code = 1;
  return result_print(s);
}

/* A plan names its seeds, and a sweep makes many runs. */
static const aq_cli_option_id sweep_foreign[] = {
    AQ_CLI_OPT_SEED, AQ_CLI_OPT_NAME, AQ_CLI_OPT_REPLACE, AQ_CLI_OPT_COUNT};

/* Other commands than this one run the points. */
static const aq_cli_option_id emit_foreign[] = {
    AQ_CLI_OPT_SHARD,     AQ_CLI_OPT_TASKS,          AQ_CLI_OPT_RETRY,
    AQ_CLI_OPT_FOLDER,    AQ_CLI_OPT_STORE,          AQ_CLI_OPT_DEVICE,
    AQ_CLI_OPT_TRANSPORT, AQ_CLI_OPT_POLICY_TIMEOUT, AQ_CLI_OPT_POLICY_MEMORY,
    AQ_CLI_OPT_COUNT};
static const aq_cli_option_id tasks_foreign[] = {
    AQ_CLI_OPT_SHARD,          AQ_CLI_OPT_JOBS,          AQ_CLI_OPT_RETRY,
    AQ_CLI_OPT_FOLDER,         AQ_CLI_OPT_DEVICE,        AQ_CLI_OPT_TRANSPORT,
    AQ_CLI_OPT_POLICY_TIMEOUT, AQ_CLI_OPT_POLICY_MEMORY, AQ_CLI_OPT_COUNT};
static const aq_cli_option_id status_foreign[] = {
    AQ_CLI_OPT_SHARD,         AQ_CLI_OPT_SHARDS, AQ_CLI_OPT_EMIT_JOBS,
    AQ_CLI_OPT_SLURM,         AQ_CLI_OPT_FOLDER, AQ_CLI_OPT_TASKS,
    AQ_CLI_OPT_JOBS,          AQ_CLI_OPT_RETRY,  AQ_CLI_OPT_POLICY_TIMEOUT,
    AQ_CLI_OPT_POLICY_MEMORY, AQ_CLI_OPT_STORE,  AQ_CLI_OPT_DEVICE,
    AQ_CLI_OPT_TRANSPORT,     AQ_CLI_OPT_COUNT};

static aq_status options_check(aq_cli *cli, bool emits)
{
  aq_status status = aq_cli_refuse(cli, sweep_foreign, "sweep");
  if (status != AQ_OK)
    return status;
  if (cli->values[AQ_CLI_OPT_STATUS])
    return aq_cli_refuse(cli, status_foreign, "sweep --status");
  if (emits)
    return aq_cli_refuse(cli, emit_foreign, "sweep --emit");
  return cli->values[AQ_CLI_OPT_TASKS]
             ? aq_cli_refuse(cli, tasks_foreign, "sweep --tasks")
             : AQ_OK;
}

aq_status aq_cli_sweep(aq_cli *cli)
{
  sweep s = {.cli = cli};
  int64_t tasks = 0;
  const bool emits = cli->values[AQ_CLI_OPT_EMIT_JOBS] ||
                     cli->given[AQ_CLI_OPT_SLURM] ||
                     cli->values[AQ_CLI_OPT_SHARDS];
  aq_status status = options_check(cli, emits);
  if (status != AQ_OK)
    return status;
  if (cli->values[AQ_CLI_OPT_STATUS])
    return aq_cli_sweep_status(cli);
  if (emits)
    return aq_cli_sweep_emit(cli);
  if (cli->arg_count != 1)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID, "a PLAN expected");
  status = aq_sweep_shard_read(cli->values[AQ_CLI_OPT_SHARD], &s.shard,
                               &s.shards, &cli->diag);
  if (status == AQ_OK)
    status = aq_cli_number(cli, AQ_CLI_OPT_TASKS, 1, 0, &tasks);
  if (status == AQ_OK)
    status =
        aq_cli_number(cli, AQ_CLI_OPT_JOBS, 1, aq_sweep_cores(), &s.processes);
  if (status == AQ_OK && s.processes > 4096)
    status = aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                         "--jobs: at most 4096 expected");
  if (status != AQ_OK)
    return status;
  if (tasks) {
    const char *store = cli->values[AQ_CLI_OPT_STORE];
    if (!store)
      return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                         "--tasks needs --store: each task gets a store of its "
                         "own beside it, FILE.1 and so on");
    aq_sweep_commands_print(cli->out, cli->args[0], store, tasks);
    return AQ_OK;
  }
  status = sweep_run(&s);
  if (s.progress)
    fclose(s.progress);
  aq_sweep_tasks_fini(&s.tasks);
  aq_plan_close(&s.plan);
  return status;
}
