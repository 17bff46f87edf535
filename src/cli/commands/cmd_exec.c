/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/runs.h"
#include "cli/exec/device.h"
#include "cli/exec/driver_files.h"
#include "cli/exec/ended.h"
#include "cli/exec/environment.h"
#include "cli/exec/mount_namespace.h"
#include "cli/exec/program_process.h"
#include "cli/exec/reports.h"
#include "cli/exec/spools.h"
#include "common/plugin.h"
#include "common/record_filter.h"
#include "common/record_modes.h"
#include "gpu/check/core/check.h"
#include "gpu/wave/core/wave.h"

enum { EXIT_SIGNAL = 128 /* and the signal's number */ };

/* One program on the drop-in. */
typedef struct execution {
  aq_cli *cli;
  bool installed; /* AMD's runtime serves it */
  char *dropin, *shim, *pools;
  char *blas; /* folder of libhipblas.so, or NULL */
  aq_exec_device_wish wish;
  const char *device; /* NULL: the default one */
  aq_exec_reports reports;
  const char *checks; /* NULL: none */
  bool leaks;         /* are checked, when a process ends */
  aq_profiling profiling;
  aq_spools spools;
  aq_program program;
  aqsim_device_set devices; /* named ones; none: the process chooses */
  aq_program_end end;
  bool ran; /* and `end` is known */
} execution;

/* In the child. */
static void failure_print(const char *text)
{
  fprintf(stderr, "aqueduct: error: %s\n", text);
}

/* A successful program that left the simulator alone tested nothing. */
static aq_status host_only(const execution *e)
{
  aq_cli *cli = e->cli;
  const char *choice = cli->values[AQ_CLI_OPT_HOST_ONLY];
  if (access(e->spools.opened, F_OK) == 0)
    return AQ_OK;
  if (choice && strcmp(choice, "allow") == 0) {
    const aq_notes notes = aq_cli_notes(cli);
    aq_note(&notes, "%s ran on the host only", cli->args[0]);
    return AQ_OK;
  }
  return aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                     "%s never %s: nothing ran on the simulator", cli->args[0],
                     e->installed ? "opened /dev/kfd" : "called hsa_init");
}

/* The exit code for the way in which the program ended. */
static aq_status outcome(const execution *e)
{
  aq_cli *cli = e->cli;
  const aq_program_end *end = &e->end;
  if (end->timed_out)
    return aq_diag_set(&cli->diag, AQ_ERR_TIMEOUT, "%s: ended by --%s %s",
                       cli->args[0], e->program.budget ? "budget" : "timeout",
                       cli->values[e->program.budget ? AQ_CLI_OPT_BUDGET
                                                     : AQ_CLI_OPT_TIMEOUT]);
  cli->exit_code = WIFSIGNALED(end->status)
                       ? EXIT_SIGNAL + WTERMSIG(end->status)
                       : WEXITSTATUS(end->status);
  if (WIFSIGNALED(end->status)) {
    const aq_spool_call *last = e->spools.last.state ? &e->spools.last : NULL;
    const aq_status blamed =
        aq_exec_device_blame(&e->wish, end->status, &cli->diag);
    return blamed == AQ_OK
               ? aq_exec_ended(cli->args[0], end->status, last, &cli->diag)
               : blamed;
  }
  return cli->exit_code == 0 ? host_only(e) : AQ_OK;
}

static aq_status isolation_choose(execution *e)
{
  aq_cli *cli = e->cli;
  const char *text = cli->values[AQ_CLI_OPT_ISOLATION];
  aq_isolation how;
  aq_diag why = AQ_DIAG_INIT;
  aq_status status = aq_isolation_read(text, &how, &cli->diag);
  if (status != AQ_OK || how == AQ_ISOLATION_PRELOAD)
    return status;
  if (e->device) {
    status = aqsim_device_set_load(e->device, e->wish.edits, &e->devices,
                                   &cli->diag);
    if (status != AQ_OK)
      return status;
    e->program.devices = &e->devices;
  }
  status = aq_isolation_try(e->program.devices, &why);
  e->program.isolated = status == AQ_OK;
  return how == AQ_ISOLATION_AUTO || e->program.isolated
             ? AQ_OK
             : aq_diag_set(&cli->diag, status, "--isolation namespace: %s",
                           why.text);
}

/* The device is refused here, where the user asked for it: a HIP program would
 * call hsa_init again for each of its own errors. */
static aq_status device_choose(execution *e)
{
  aq_cli *cli = e->cli;
  const aq_notes notes = aq_cli_notes(cli);
  e->wish = (aq_exec_device_wish){cli->args[0], cli->values[AQ_CLI_OPT_DEVICE],
                                  aq_cli_repeats(cli, AQ_CLI_OPT_SET)};
  aq_status status =
      aq_exec_device_choose(&e->wish, &e->device, &notes, &cli->diag);
  return status == AQ_OK ? aq_exec_reports_device(&e->reports, e->wish.device,
                                                  e->device, &cli->diag)
                         : status;
}

static aq_status spools_create(execution *e)
{
  aq_cli *cli = e->cli;
  aq_store *store;
  aq_status status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status != AQ_OK)
    return status;
  status = aq_spools_create(
      store,
      &(aq_spool_wish){PACKAGE_VERSION, cli->command_line, cli->args[0],
                       cli->values[AQ_CLI_OPT_NAME],
                       aq_cli_flag(cli, AQ_CLI_OPT_REPLACE)},
      &e->spools, &cli->diag);
  e->spools.reports = &e->reports;
  aq_store_close(store);
  return status;
}

/* ---- the runtime ---- */

/* The drop-in alone sees calls of HSA and code objects. */
static aq_status runtime_choose(execution *e)
{
  static const struct {
    unsigned option;
    const char *name;
  } unseen[] = {
      {AQ_CLI_OPT_KERNELS, "kernels"},
      {AQ_CLI_OPT_KERNELS_FROM, "kernels-from"},
      {AQ_CLI_OPT_MISSING_KERNELS, "missing-kernels"},
      {AQ_CLI_OPT_BUDGET, "budget"},
      {AQ_CLI_OPT_CAPTURE, "capture"},
      {AQ_CLI_OPT_FAULTS, "faults"},
      {AQ_CLI_OPT_COST, "cost"},
      {AQ_CLI_OPT_SCHEDULE, "schedule"},
      {AQ_CLI_OPT_SEMANTICS, "semantics"},
      {AQ_CLI_OPT_STRICT_MEMORY, "strict-memory"},
      {AQ_CLI_OPT_POLL_QUEUES, "poll-queues"},
      {AQ_CLI_OPT_EXTRACT_DISPATCH, "extract-dispatch"},
      {AQ_CLI_OPT_REPORT_FIDELITY, "report-fidelity"},
      {AQ_CLI_OPT_COVERAGE, "coverage"},
      {AQ_CLI_OPT_PROFILE, "profile"},
  };
  aq_cli *cli = e->cli;
  const char *text = cli->values[AQ_CLI_OPT_RUNTIME];
  e->installed = text && strcmp(text, "installed") == 0;
  for (size_t i = 0; e->installed && i < sizeof unseen / sizeof *unseen; i++)
    if (cli->values[unseen[i].option] || aq_cli_flag(cli, unseen[i].option))
      return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                         "--%s with --runtime installed: the simulated driver "
                         "does not see it; expected --runtime aqueduct",
                         unseen[i].name);
  return AQ_OK;
}

/* The folder of the BLAS libraries, which lies beside the drop-in. */
static aq_status blas_find(execution *e)
{
  if (!aq_cli_flag(e->cli, AQ_CLI_OPT_WITH_BLAS))
    return AQ_OK;
  const aq_status status =
      aq_plugin_file_find("blas/libhipblas.so.2", &e->blas, &e->cli->diag);
  if (status == AQ_OK)
    *strrchr(e->blas, '/') = 0;
  return status;
}

static aq_status libraries_find(execution *e)
{
  aq_diag *diag = &e->cli->diag;
  if (e->installed)
    return aq_plugin_file_find("libaqueduct-driver.so", &e->shim, diag);
  aq_status status =
      aq_plugin_file_find("libhsa-runtime64.so.1", &e->dropin, diag);
  if (status == AQ_OK && e->checks)
    status = aq_plugin_file_find("libaqueduct-pools.so", &e->pools, diag);
  return status == AQ_OK
             ? aq_plugin_file_find("libaqueduct-shim.so", &e->shim, diag)
             : status;
}

static bool profiles_code(const execution *e)
{
  return e->profiling.code || aq_cli_flag(e->cli, AQ_CLI_OPT_PROFILE_ISA);
}

static aq_status environment_set(execution *e)
{
  aq_cli *cli = e->cli;
  const aq_exec_environment environment = {
      .dropin = e->dropin,
      .shim = e->shim,
      .pools = e->pools,
      .libraries = e->blas,
      .spools = e->spools.folder,
      .opened = e->spools.opened,
      .device = e->device,
      .device_by_code = e->device                            ? NULL
                        : aq_cli_flag(cli, AQ_CLI_OPT_QUIET) ? "quiet"
                                                             : "1",
      .edits = aq_cli_repeats(cli, AQ_CLI_OPT_SET),
      .kernels = aq_cli_repeats(cli, AQ_CLI_OPT_KERNELS),
      .kernels_from = cli->values[AQ_CLI_OPT_KERNELS_FROM],
      .profile_isa = profiles_code(e) || e->reports.coverage ? "1" : NULL,
      .cost = cli->values[AQ_CLI_OPT_COST],
      .compile = cli->values[AQ_CLI_OPT_COMPILE],
      .coverage = e->reports.coverage ? "1" : NULL,
      .trace_isa = cli->values[AQ_CLI_OPT_TRACE_ISA],
      .traces =
          aq_profiling_traced(&e->profiling, cli->values[AQ_CLI_OPT_TRACE_ISA]),
      .extract = cli->values[AQ_CLI_OPT_EXTRACT_DISPATCH],
      .fidelity = e->reports.fidelity ? "1" : NULL,
      .check = e->checks,
      .schedule = cli->values[AQ_CLI_OPT_SCHEDULE],
      .semantics = cli->values[AQ_CLI_OPT_SEMANTICS],
      .polls = aq_cli_flag(cli, AQ_CLI_OPT_POLL_QUEUES) ? "1" : NULL,
      .strict_memory = cli->values[AQ_CLI_OPT_STRICT_MEMORY],
      .missing_kernels = cli->values[AQ_CLI_OPT_MISSING_KERNELS],
      .record = e->profiling.record,
      .record_limit = cli->values[AQ_CLI_OPT_RECORD_LIMIT],
      .faults = cli->values[AQ_CLI_OPT_FAULTS],
      .capture = cli->values[AQ_CLI_OPT_CAPTURE]};
  return aq_exec_environment_set(&environment, &cli->diag);
}

static aq_status execution_run(execution *e)
{
  aq_cli *cli = e->cli;
  aq_status status = libraries_find(e);
  if (status == AQ_OK)
    status = blas_find(e);
  if (status == AQ_OK)
    status = spools_create(e);
  if (status == AQ_OK && e->installed)
    status = aq_exec_driver_files(e->spools.folder, &e->device, e->wish.edits,
                                  &cli->diag);
  if (status == AQ_OK)
    status = environment_set(e);
  if (status == AQ_OK)
    status = aq_program_run(&e->program, &e->end, &cli->diag);
  if (status != AQ_OK)
    return status;
  e->ran = true;
  const aq_notes notes = aq_cli_notes(cli);
  const aq_spool_watch watch = aq_cli_spool_watch(cli, &notes);
  status = aq_spools_store(&e->spools, cli->values[AQ_CLI_OPT_STORE],
                           e->end.child, e->end.status, &watch, &cli->diag);
  if (status == AQ_OK)
    status = aq_exec_reports_close(&e->reports, &notes, &cli->diag);
  return status == AQ_OK ? outcome(e) : status;
}

/* An error of exec is no failure of the program; its end by a timeout or a
 * signal is one. */
static aq_status junit_close(execution *e, aq_status status)
{
  aq_cli *cli = e->cli;
  const bool own =
      !e->ran || (status != AQ_ERR_TIMEOUT && !WIFSIGNALED(e->end.status));
  const char *why = status == AQ_OK ? NULL : cli->diag.text;
  const aq_junit_end end = {own ? why : NULL, own ? NULL : why, e->ran,
                            e->end.status};
  aq_status closed = aq_junit_close(&e->reports.junit, &end,
                                    status == AQ_OK ? &cli->diag : NULL);
  if (status == AQ_OK && closed != AQ_OK)
    cli->exit_code = AQ_EXEC_OURS;
  return status == AQ_OK ? closed : status;
}

/* The time that the program has. */
static aq_status time_read(execution *e)
{
  aq_cli *cli = e->cli;
  const bool budget = cli->given[AQ_CLI_OPT_BUDGET],
             timeout = cli->given[AQ_CLI_OPT_TIMEOUT];
  /* The command line wins over the environment. */
  e->program.budget = cli->values[AQ_CLI_OPT_BUDGET] && (budget || !timeout);
  if (budget && timeout)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--budget with --timeout; expected one of them");
  return aq_cli_time(cli,
                     e->program.budget ? AQ_CLI_OPT_BUDGET : AQ_CLI_OPT_TIMEOUT,
                     &e->program.timeout);
}

/* Options of the checker: an error shows before the program runs. */
static aq_status check_open(execution *e)
{
  aq_cli *cli = e->cli;
  const char *asked = cli->values[AQ_CLI_OPT_CHECK];
  unsigned checks;
  if (!asked)
    return AQ_OK;
  e->checks = *asked ? asked : "all";
  if (aq_check_read(e->checks, &checks, &cli->diag) != AQ_OK)
    return aq_diag_prefix(&cli->diag, "--check");
  e->leaks = checks & AQ_CHECK_LEAK;
  if (profiles_code(e) || e->profiling.traces ||
      cli->values[AQ_CLI_OPT_TRACE_ISA] || e->reports.coverage)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--check with --profile-isa, --trace-isa, --coverage or "
                       "a profile of code; expected one of them");
  const aq_findings_options options = {
      .checks = e->checks,
      .file = cli->values[AQ_CLI_OPT_CHECK_REPORT],
      .sarif = cli->values[AQ_CLI_OPT_SARIF],
      .suppress = cli->values[AQ_CLI_OPT_SUPPRESS],
      .json = aq_cli_flag(cli, AQ_CLI_OPT_JSON)};
  return aq_findings_open(&options, &e->reports.findings, &cli->diag);
}

/* Ends the report; findings, and findings that are missing, make a program that
 * succeeded fail. */
static aq_status check_close(execution *e, aq_status status)
{
  aq_diag diag = AQ_DIAG_INIT;
  uint64_t count;
  if (!e->ran) {
    aq_findings_drop(&e->reports.findings);
    return status;
  }
  const char *cut = status != AQ_OK  ? e->cli->diag.text
                    : e->end.refused ? "the program did not run"
                                     : NULL;
  const aq_status closed =
      aq_exec_reports_found(&e->reports, cut, &count, &diag);
  if (status != AQ_OK)
    return status;
  if (closed != AQ_OK)
    return aq_diag_set(&e->cli->diag, closed, "%s", diag.text);
  const bool missing = e->reports.unchecked || (e->leaks && e->reports.unended);
  if ((count > 0 || missing) && e->cli->exit_code == 0)
    e->cli->exit_code = 1;
  return AQ_OK;
}

aq_status aq_cli_exec(aq_cli *cli)
{
  execution e = {.cli = cli,
                 .spools = AQ_SPOOLS_NONE,
                 .program = {.args = cli->args, .failed = failure_print}};
  aq_record_filter rows; /* the drop-in's to use: an error shows here */
  aq_dispatch_choice extract = {0, NULL};
  const char *trace = cli->values[AQ_CLI_OPT_TRACE_ISA];
  const aq_exec_report_wish wish = {
      .fidelity = cli->values[AQ_CLI_OPT_REPORT_FIDELITY],
      .coverage = cli->values[AQ_CLI_OPT_COVERAGE],
      .junit = cli->values[AQ_CLI_OPT_JUNIT],
      .json = aq_cli_flag(cli, AQ_CLI_OPT_JSON),
      .args = cli->args};
  aq_wave_trace_options traced;
  const aq_notes notes = aq_cli_notes(cli);
  if (trace && aq_wave_trace_read(trace, &traced, &cli->diag) != AQ_OK)
    return aq_diag_prefix(&cli->diag, "--trace-isa");
  aq_status status = runtime_choose(&e);
  if (status == AQ_OK)
    status = time_read(&e);
  if (status == AQ_OK)
    status = aq_exec_reports_open(&wish, &e.reports, &cli->diag);
  if (status == AQ_OK)
    status = device_choose(&e);
  if (status == AQ_OK)
    status = aq_profiling_read(cli->values[AQ_CLI_OPT_PROFILE],
                               cli->values[AQ_CLI_OPT_RECORD], &e.profiling,
                               &cli->diag);
  if (status == AQ_OK)
    status = aq_record_filter_read(e.profiling.record,
                                   cli->values[AQ_CLI_OPT_RECORD_LIMIT], &rows,
                                   &cli->diag);
  if (status == AQ_OK)
    status = isolation_choose(&e);
  if (status == AQ_OK)
    status = check_open(&e);
  if (status == AQ_OK)
    status = aq_exec_extract_begin(cli->values[AQ_CLI_OPT_EXTRACT_DISPATCH],
                                   &extract, &cli->diag);
  if (status == AQ_OK)
    status = execution_run(&e);
  if (e.ran)
    aq_exec_extract_end(&extract, &notes);
  status = check_close(&e, status);
  aq_exec_reports_close(&e.reports, NULL, NULL);
  status = junit_close(&e, status);
  aq_spools_close(&e.spools);
  if (e.program.devices)
    aqsim_device_set_fini(&e.devices);
  free(e.dropin);
  free(e.shim);
  free(e.pools);
  free(e.blas);
  return status;
}
