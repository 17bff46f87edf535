/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/commands/commands.h"
#include "cli/commands/run_options.h"
#include "cli/commands/runs.h"
#include "cli/exec/ended.h"
#include "cli/exec/environment.h"
#include "cli/exec/program_process.h"
#include "cli/exec/spools.h"
#include "common/plugin.h"
#include "gpu/compile/mlir_emit.h"
#include "gpu/compile/mlir_lower.h"
#include "gpu/compile/mlir_runner.h"

enum { EXIT_SIGNAL = 128 /* and the signal's number */ };

/* In the child. */
static void failure_print(const char *text)
{
  fprintf(stderr, "aqueduct: error: %s\n", text);
}

/* ---- options ---- */

/* The chip of the device, "gfx90a", as the transport knows it. */
static aq_status chip_find(aq_cli *cli, char *chip, size_t size)
{
  aq_session session;
  aq_session_facts facts;
  aq_status status = aq_cli_performance_init(cli, &session);
  if (status != AQ_OK)
    return status;
  session.options.timeout_needs_live = false;
  session.options.timeout = 0;
  status = aq_session_probe(&session, &facts, &cli->diag);
  if (status == AQ_OK)
    snprintf(chip, size, "%.*s", (int)strcspn(facts.gfx, ":"), facts.gfx);
  aq_session_fini(&session);
  return status;
}

static aq_status pipeline_check(aq_cli *cli)
{
  const char *text = cli->values[AQ_CLI_OPT_PIPELINE];
  return !text || strncmp(text, "builtin.module(", 15) == 0
             ? AQ_OK
             : aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                           "--pipeline %.80s: expected builtin.module(PASS,"
                           "...), in which %%chip stands for the chip",
                           text);
}

/* ---- the program ---- */

static aq_status outcome(aq_cli *cli, const aq_program_end *end)
{
  if (end->timed_out)
    return aq_diag_set(&cli->diag, AQ_ERR_TIMEOUT, "%s: ended by --timeout %s",
                       cli->args[0], cli->values[AQ_CLI_OPT_TIMEOUT]);
  cli->exit_code = WIFSIGNALED(end->status)
                       ? EXIT_SIGNAL + WTERMSIG(end->status)
                       : WEXITSTATUS(end->status);
  return WIFSIGNALED(end->status)
             ? aq_exec_ended(cli->args[0], end->status, NULL, &cli->diag)
             : AQ_OK;
}

static aq_status program_run(aq_cli *cli, const aq_runner *runner,
                             aq_spools *spools)
{
  const aq_notes notes = aq_cli_notes(cli);
  const aq_spool_watch watch = aq_cli_spool_watch(cli, &notes);
  const aq_exec_mlir environment = {
      .spools = spools->folder,
      .transport = cli->values[AQ_CLI_OPT_TRANSPORT],
      .device = cli->values[AQ_CLI_OPT_DEVICE],
      .seed = cli->values[AQ_CLI_OPT_SEED],
      .edits = aq_cli_repeats(cli, AQ_CLI_OPT_SET),
      .record = cli->values[AQ_CLI_OPT_RECORD],
      .record_limit = cli->values[AQ_CLI_OPT_RECORD_LIMIT],
      .profile_isa = aq_cli_flag(cli, AQ_CLI_OPT_PROFILE_ISA) ? "1" : NULL};
  aq_program program = {.args = runner->args, .failed = failure_print};
  aq_program_end end = {0};
  aq_status status = aq_cli_time(cli, AQ_CLI_OPT_TIMEOUT, &program.timeout);
  if (status == AQ_OK)
    status = aq_exec_mlir_set(&environment, &cli->diag);
  if (status == AQ_OK)
    status = aq_program_run(&program, &end, &cli->diag);
  if (status == AQ_OK)
    status = aq_spools_store(spools, cli->values[AQ_CLI_OPT_STORE], end.child,
                             end.status, &watch, &cli->diag);
  return status == AQ_OK ? outcome(cli, &end) : status;
}

static aq_status lowered_run(aq_cli *cli, const aq_lowered *lowered)
{
  const char *function = cli->values[AQ_CLI_OPT_ENTRY];
  aq_spools spools = AQ_SPOOLS_NONE;
  aq_runner runner;
  char *library = NULL;
  aq_status status =
      aq_plugin_file_find("libaqueduct_mlir_runtime.so", &library, &cli->diag);
  if (status == AQ_OK)
    status = aq_runner_make(lowered, function ? function : "main", library,
                            &runner, &cli->diag);
  free(library);
  if (status != AQ_OK)
    return status == AQ_ERR_INPUT
               ? aq_diag_prefix(&cli->diag, "%s", cli->args[0])
               : status;
  aq_store *store;
  status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status == AQ_OK) {
    const aq_spool_wish wish = {PACKAGE_VERSION, cli->command_line,
                                cli->args[0], cli->values[AQ_CLI_OPT_NAME],
                                aq_cli_flag(cli, AQ_CLI_OPT_REPLACE)};
    status = aq_spools_create(store, &wish, &spools, &cli->diag);
    aq_store_close(store);
  }
  if (status == AQ_OK)
    status = program_run(cli, &runner, &spools);
  aq_spools_close(&spools);
  aq_runner_fini(&runner);
  return status;
}

aq_status aq_cli_mlir(aq_cli *cli)
{
  const char *emit = cli->values[AQ_CLI_OPT_EMIT];
  char chip[32] = "";
  aq_lowered lowered;
  aq_status status = pipeline_check(cli);
  if (status == AQ_OK)
    status = chip_find(cli, chip, sizeof chip);
  if (status != AQ_OK)
    return status;
  const aq_lower_ask ask = {.path = cli->args[0],
                            .chip = chip,
                            .pipeline = cli->values[AQ_CLI_OPT_PIPELINE],
                            .form = emit ? aq_emit_form(emit) : "fatbin",
                            .keep = cli->values[AQ_CLI_OPT_KEEP]};
  status = aq_lower(&ask, &lowered, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = emit ? aq_emit(&ask, &lowered, emit, cli->out, &cli->diag)
                : lowered_run(cli, &lowered);
  aq_lowered_fini(&lowered);
  return status;
}
