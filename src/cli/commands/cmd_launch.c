/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/run_options.h"
#include "cli/commands/runs.h"
#include "gpu/compile/compile.h"
#include "study/launch/expectations.h"
#include "study/launch/launcher.h"
#include "study/launch/times.h"
#include "transport/registry/device_models.h"

/* LDS_MAX is more than any device has: the sum with the kernel's own must not
 * wrap. */
enum { LDS_MAX = 1 << 30, REPEATS_MAX = 1000000 };

/* ---- options ---- */

/* Words behind KERNEL are its arguments, with --args before them or without;
 * with several --args their order would be unknown. */
static aq_status args_read(aq_cli *cli, aq_launch_ask *ask)
{
  const size_t words = cli->arg_count > 2 ? (size_t)cli->arg_count - 2 : 0;
  const char *const *given = aq_cli_repeats(cli, AQ_CLI_OPT_ARGS);
  size_t count = 0;
  aq_status status = AQ_OK;
  while (given[count])
    count++;
  ask->args = calloc(count + words + 1, sizeof *ask->args);
  if (!ask->args)
    return aq_diag_no_memory(&cli->diag);
  if (words > 0 && count > 1)
    status = aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                         "launch: '%s': pass all kernel arguments with --args, "
                         "or all after KERNEL",
                         cli->args[2]);
  for (size_t i = 0; i < count + words && status == AQ_OK; i++)
    status = aq_launch_arg_read(i < count ? given[i] : cli->args[2 + i - count],
                                &ask->args[ask->arg_count++], &cli->diag);
  return status;
}

static aq_status bounded_read(aq_cli *cli, aq_cli_option_id option,
                              int64_t least, int64_t most, uint32_t *out)
{
  int64_t value;
  aq_status status = aq_cli_number(cli, option, least, least, &value);
  if (status == AQ_OK && value > most)
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "--%s %" PRId64 ": expected at most %" PRId64,
                       aq_cli_options[option].name, value, most);
  *out = status == AQ_OK ? (uint32_t)value : 0;
  return status;
}

/* A dispatch file has the kernel, its sizes and its arguments. */
static aq_status kernel_check(aq_cli *cli, const aq_launch_ask *ask)
{
  static const aq_cli_option_id own[] = {AQ_CLI_OPT_GRID, AQ_CLI_OPT_WORKGROUP,
                                         AQ_CLI_OPT_LDS, AQ_CLI_OPT_KERNELS,
                                         AQ_CLI_OPT_KERNELS_FROM};
  const bool repeats = aq_launcher_repeats(ask->path);
  if (repeats != !ask->kernel)
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       repeats ? "launch: %s is a dispatch: expected no KERNEL"
                               : "launch: %s is not a dispatch file: expected "
                                 "KERNEL",
                       ask->path);
  for (size_t i = 0; repeats && i < sizeof own / sizeof *own; i++)
    if (cli->values[own[i]])
      return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                         "--%s: %s is a dispatch, which has its own",
                         aq_cli_options[own[i]].name, ask->path);
  return AQ_OK;
}

static aq_status ask_read(aq_cli *cli, aq_launch_ask *ask)
{
  const char *missing = cli->values[AQ_CLI_OPT_MISSING_KERNELS];
  aq_status status = kernel_check(cli, ask);
  if (status == AQ_OK)
    status = aq_launch_sizes_read("grid", cli->values[AQ_CLI_OPT_GRID],
                                  UINT32_MAX, ask->grid, &cli->diag);
  if (status == AQ_OK && ask->grid[0] == 0 && ask->kernel)
    status = aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                         "launch: no size; expected --grid X[,Y[,Z]] in "
                         "work-items");
  if (status == AQ_OK)
    status =
        aq_launch_sizes_read("workgroup", cli->values[AQ_CLI_OPT_WORKGROUP],
                             UINT16_MAX, ask->workgroup, &cli->diag);
  if (status == AQ_OK)
    status = bounded_read(cli, AQ_CLI_OPT_LDS, 0, LDS_MAX, &ask->lds);
  if (status == AQ_OK)
    status =
        bounded_read(cli, AQ_CLI_OPT_REPEAT, 1, REPEATS_MAX, &ask->repeats);
  if (status == AQ_OK)
    status = aq_kernels_from_read(cli->values[AQ_CLI_OPT_KERNELS_FROM],
                                  &ask->from, &cli->diag);
  ask->may_miss = missing && strcmp(missing, "warn") == 0;
  return status == AQ_OK ? args_read(cli, ask) : status;
}

/* ---- the result ---- */

static void result_json(const aq_launcher *l, const aq_launch_span *spans,
                        uint64_t most, const aq_run_info *info,
                        aq_json_out *json)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "run", l->run);
  aq_json_out_text(json, "kind", aq_cli_run_kind_name(info->kind));
  aq_json_out_text(json, "kernel", l->ask.kernel);
  aq_json_out_text(json, "device", l->device->name);
  aq_json_out_text(json, "gfx", l->device->gfx);
  aq_json_out_text(json, "simulated_by", l->device->model);
  aq_json_out_int(json, "dispatches", l->ask.repeats);
  aq_json_out_text(json, "durations", info->durations);
  for (size_t i = 0; i < AQ_LAUNCH_SPANS; i++)
    aq_launch_span_json(&spans[i], l->ask.repeats, json);
  aq_json_out_text(json, "printed", l->printed);
  aq_json_out_array(json, "results");
  for (size_t i = 0; i < l->ask.arg_count; i++)
    if (l->ask.args[i].is_out)
      aq_launch_arg_json(&l->ask.args[i], most, json);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

static aq_status result_print(aq_cli *cli, const aq_launcher *l, uint64_t most,
                              const aq_run_info *info)
{
  aq_launch_span spans[AQ_LAUNCH_SPANS];
  aq_json_out *json;
  if (!aq_launch_spans_find(l->times, l->ask.repeats, spans))
    return aq_diag_no_memory(&cli->diag);
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json)
    result_json(l, spans, most, info, json);
  for (size_t i = 0; !json && i < AQ_LAUNCH_SPANS; i++)
    aq_launch_span_print(&spans[i], l->ask.repeats, cli->out);
  if (!json)
    fprintf(cli->out, "%-12s %s\n", "durations", info->durations);
  for (size_t i = 0; !json && i < l->ask.arg_count; i++)
    if (l->ask.args[i].is_out)
      aq_launch_arg_print(&l->ask.args[i], most, cli->out);
  status = aq_cli_json_end_if(cli, json);
  if (status == AQ_OK)
    aq_cli_note(cli, "run %" PRId64 " on %s", l->run, l->device->name);
  return status;
}

/* ---- expected results ---- */

static aq_status expects_check(aq_cli *cli, const aq_launch_ask *ask)
{
  const char *const *texts = aq_cli_repeats(cli, AQ_CLI_OPT_EXPECT);
  aq_launch_expect expect;
  aq_status status = AQ_OK;
  for (size_t i = 0; texts[i] && status == AQ_OK; i++) {
    status = aq_launch_expect_read(texts[i], ask->args, ask->arg_count, &expect,
                                   &cli->diag);
    if (status == AQ_OK)
      status = aq_launch_expect_check(&expect, ask->args, &cli->diag);
  }
  return status;
}

/* ---- the command ---- */

static aq_status launch(aq_cli *cli, aq_launcher *l, uint64_t most)
{
  aq_store *store;
  aq_run_info info = aq_cli_run_info(cli, AQ_RUN_SIMULATED);
  aq_status status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status != AQ_OK)
    return status;
  status = aq_launcher_run(l, store, &info, &cli->diag);
  if (!l->hangs && l->printed_size > 0 &&
      (status != AQ_OK || !aq_cli_flag(cli, AQ_CLI_OPT_JSON)))
    fwrite(l->printed, 1, l->printed_size, status == AQ_OK ? cli->out : stderr);
  if (status == AQ_OK)
    status = result_print(cli, l, most, &info);
  if (status == AQ_OK)
    status = expects_check(cli, &l->ask);
  cli->abrupt = l->hangs;
  if (!cli->abrupt)
    aq_store_close(store);
  return status;
}

static aq_status launch_with(aq_cli *cli, aq_session *session,
                             const aq_launch_ask *ask, uint64_t most)
{
  const aq_notes notes = aq_cli_notes(cli);
  aq_launcher launcher;
  aq_status status =
      aq_launcher_open(&launcher, ask, session, &notes, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = launch(cli, &launcher, most);
  aq_launcher_close(&launcher);
  return status;
}

/* An error of a compiler that does not know the device names one that it knows.
 */
static aq_status compiler_blame(aq_cli *cli, const aq_compile_ask *ask,
                                aq_status status)
{
  char why[AQ_DIAG_TEXT_MAX];
  aq_compile_ask other = *ask;
  const char *name;
  if (status != AQ_ERR_INPUT || aq_compile_knows(ask))
    return status;
  snprintf(why, sizeof why, "%s", cli->diag.text);
  for (size_t i = 0; (name = aq_device_model_name(i)); i++) {
    aq_device_model *model;
    if (aq_device_model_load(name, NULL, &model, NULL) != AQ_OK)
      continue;
    other.gfx = aq_device_model_text(model, "gfx");
    if (aq_compile_knows(&other))
      aq_diag_set(&cli->diag, status,
                  "%.200s: the compiler does not know %s; it knows %s of "
                  "--device %s (%.400s)",
                  ask->path, ask->gfx, other.gfx, name, why);
    const bool found = strcmp(cli->diag.text, why) != 0;
    aq_device_model_free(model);
    if (found)
      break;
  }
  return status;
}

/* Compiles a source for the device first. */
static aq_status launch_source(aq_cli *cli, aq_session *session,
                               aq_launch_ask *ask, uint64_t most)
{
  aq_session_facts facts;
  aq_compiled compiled;
  aq_status status = aq_session_probe(session, &facts, &cli->diag);
  if (status != AQ_OK)
    return status;
  const aq_compile_ask source = {
      .path = ask->path,
      .gfx = facts.gfx,
      .level = cli->values[AQ_CLI_OPT_OPTIMIZE],
      .definitions = aq_cli_repeats(cli, AQ_CLI_OPT_DEFINE),
      .includes = aq_cli_repeats(cli, AQ_CLI_OPT_INCLUDE),
      .keep = cli->values[AQ_CLI_OPT_SAVE_TEMPS]};
  status = aq_compile(&source, &compiled, &cli->diag);
  if (status != AQ_OK)
    return compiler_blame(cli, &source, status);
  ask->source = ask->path;
  ask->path = compiled.path;
  status = launch_with(cli, session, ask, most);
  aq_compiled_fini(&compiled);
  return status;
}

aq_status aq_cli_launch(aq_cli *cli)
{
  const char *missing = cli->values[AQ_CLI_OPT_MISSING_KERNELS];
  aq_launch_ask ask = {.path = cli->args[0],
                       .kernel = cli->arg_count > 1 ? cli->args[1] : NULL,
                       .kernels = aq_cli_repeats(cli, AQ_CLI_OPT_KERNELS)};
  aq_session session;
  int64_t print = 0;
  aq_status status = ask_read(cli, &ask);
  if (status == AQ_OK) {
    const char *const *texts = aq_cli_repeats(cli, AQ_CLI_OPT_EXPECT);
    aq_launch_expect expect;
    status = AQ_OK;
    for (size_t i = 0; texts[i] && status == AQ_OK; i++)
      status = aq_launch_expect_read(texts[i], ask.args, ask.arg_count, &expect,
                                     &cli->diag);
  }
  if (status == AQ_OK)
    status = aq_cli_number(cli, AQ_CLI_OPT_PRINT, 0, 8, &print);
  /* A drop-in behind the transport `hsa` reads them in this process. */
  if (status == AQ_OK && !aq_kernel_names_export(ask.kernels, missing))
    status = aq_diag_no_memory(&cli->diag);
  if (!cli->values[AQ_CLI_OPT_COST])
    cli->values[AQ_CLI_OPT_COST] = "auto";
  if (status == AQ_OK)
    status = aq_cli_performance_init(cli, &session);
  if (status == AQ_OK) {
    session.options.timeout_needs_live = false;
    status = aq_compile_is_source(ask.path)
                 ? launch_source(cli, &session, &ask, (uint64_t)print)
                 : launch_with(cli, &session, &ask, (uint64_t)print);
    if (cli->abrupt) /* what hangs may use all of it */
      return status;
    aq_session_fini(&session);
  }
  free(ask.args);
  return status;
}
