/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/policy_process.h"
#include "cli/commands/run_options.h"
#include "cli/commands/runs.h"
#include "common/host_kernels.h"
#include "common/text.h"
#include "study/calibrate/part_fit.h"
#include "study/session/capture.h"
#include "study/session/replay.h"
#include "study/session/uncertainty.h"

/* Options that have no meaning for a kind of input are refused, not ignored. */
static const aq_cli_option_id run_options[] = {
    AQ_CLI_OPT_MODE,     AQ_CLI_OPT_LEVEL,        AQ_CLI_OPT_QUEUES,
    AQ_CLI_OPT_EDGES,    AQ_CLI_OPT_AS_GRAPH,     AQ_CLI_OPT_POLICY,
    AQ_CLI_OPT_INTERVAL, AQ_CLI_OPT_CLOCK_OFFSET, AQ_CLI_OPT_FIT,
    AQ_CLI_OPT_COUNT};
static const aq_cli_option_id capture_options[] = {
    AQ_CLI_OPT_BENCH,       AQ_CLI_OPT_KERNELS,   AQ_CLI_OPT_KERNELS_FROM,
    AQ_CLI_OPT_PROFILE_ISA, AQ_CLI_OPT_TRACE_ISA, AQ_CLI_OPT_BLOCKS,
    AQ_CLI_OPT_COST,        AQ_CLI_OPT_PROFILE,   AQ_CLI_OPT_COMPILE,
    AQ_CLI_OPT_COUNT};

/* ---- a stored run ---- */

static aq_status mode_read(aq_cli *cli, bool *closed)
{
  static const char *const modes[] = {"open", "closed", NULL};
  const char *mode = cli->values[AQ_CLI_OPT_MODE];
  *closed = mode && strcmp(mode, "closed") == 0;
  if (!mode || *closed || strcmp(mode, "open") == 0)
    return AQ_OK;
  const char *near = aq_text_nearest(mode, modes);
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "--mode must be open or closed, not '%s'%s%s%s", mode,
                     near ? "; did you mean " : "", near ? near : "",
                     near ? "?" : "");
}

static aq_status confidence_read(aq_cli *cli, int64_t *out)
{
  const char *text = cli->values[AQ_CLI_OPT_EDGES];
  if (text && strcmp(text, "none") == 0) {
    *out = AQ_REPLAY_EDGES_NONE;
    return AQ_OK;
  }
  aq_status status =
      aq_cli_number(cli, AQ_CLI_OPT_EDGES, 0, AQ_REPLAY_EDGES_DEFAULT, out);
  if (status == AQ_OK && *out > 100)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--edges %" PRId64 ": a percentage or none expected",
                       *out);
  return status;
}

static aq_status clocks_read(aq_cli *cli, uint32_t *keep)
{
  const char *text = cli->values[AQ_CLI_OPT_CLOCK_OFFSET];
  *keep = text && strcmp(text, "none") == 0;
  if (!text || *keep || strcmp(text, "auto") == 0)
    return AQ_OK;
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "--clock-offset '%s': auto or none expected", text);
}

static aq_status ask_read(aq_cli *cli, aq_replay_ask *ask)
{
  ask->origin = cli->args[0];
  ask->as_graph = aq_cli_flag(cli, AQ_CLI_OPT_AS_GRAPH);
  aq_status status = mode_read(cli, &ask->closed);
  if (status == AQ_OK) {
    int64_t level;
    status = aq_cli_number(cli, AQ_CLI_OPT_LEVEL, 1, 1, &level);
    if (status == AQ_OK && level > 2)
      status = aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                           "--level must be 1 or 2, not %" PRId64, level);
    else
      ask->predict = level == 2;
  }
  if (status == AQ_OK)
    status = aq_cli_queues(cli, &ask->queues);
  if (status == AQ_OK)
    status = clocks_read(cli, &ask->keep_clocks);
  return status == AQ_OK ? confidence_read(cli, &ask->confidence) : status;
}

/* Writing makes a store that is not there; a replay needs one that is. */
static aq_status existing_store_open(aq_cli *cli, aq_store **out)
{
  aq_store *store;
  aq_status status = aq_store_open(cli->values[AQ_CLI_OPT_STORE], AQ_STORE_READ,
                                   &store, &cli->diag);
  if (status != AQ_OK)
    return status;
  aq_store_close(store);
  return aq_cli_store_open(cli, AQ_STORE_WRITE, out);
}

/* Whether a replay repeats an imported run as it was, on the model of its own
 * GPU: then its constants are the run's. Edits are a question about a change,
 * which a fit would undo. */
static bool repeats_import(const aq_cli *cli, const aq_session *session,
                           const aq_replay_ask *ask, const aq_run_info *run)
{
  const char *transport = cli->values[AQ_CLI_OPT_TRANSPORT];
  return run->kind == AQ_RUN_MEASURED && run->format && !session->hardware &&
         (!transport || strcmp(transport, "sim") == 0) &&
         !(session->options.edits && session->options.edits[0]) &&
         !cli->values[AQ_CLI_OPT_DEVICE] && !cli->values[AQ_CLI_OPT_LIVE] &&
         !ask->closed && !ask->as_graph && !ask->predict;
}

/* Fits constants to a part of the run: the one that --fit names, else the usual
 * one, or `why_not` has the reason. */
static aq_status part_fit(aq_cli *cli, aq_session *session, aq_store *store,
                          const aq_replay_ask *ask, aq_part_fit *fit,
                          aq_replay_hooks *hooks, aq_diag *why_not)
{
  const char *asked = cli->values[AQ_CLI_OPT_FIT];
  const aq_notes notes = aq_cli_notes(cli);
  aq_run_info *run;
  if (asked && strcmp(asked, "none") == 0)
    return AQ_OK;
  if (asked) {
    hooks->fitted = &fit->part;
    aq_status status = aq_part_fit_make(fit, asked, 1, session, store, ask,
                                        &notes, &cli->diag);
    if (status != AQ_OK)
      aq_diag_prefix(&cli->diag, "--fit");
    return status;
  }
  aq_status status = aq_store_find(store, ask->origin, &run, &cli->diag);
  if (status != AQ_OK)
    return status;
  if (repeats_import(cli, session, ask, run)) {
    status = aq_part_fit_usual(fit, session, store, ask, &notes, why_not,
                               &cli->diag);
    hooks->fitted = fit->edits ? &fit->part : NULL;
    hooks->not_fitted = why_not->text[0] ? why_not->text : NULL;
  }
  aq_run_info_free(run);
  return status;
}

/* The origin by its id from now on; --replace must not remove it. */
static aq_status origin_find(aq_cli *cli, aq_store *store, aq_replay_ask *ask,
                             char id[AQ_RUN_ID_TEXT])
{
  aq_run_info *run;
  aq_status status = aq_store_find(store, ask->origin, &run, &cli->diag);
  if (status != AQ_OK)
    return status;
  if (aq_cli_flag(cli, AQ_CLI_OPT_REPLACE) && run->name &&
      strcmp(run->name, cli->values[AQ_CLI_OPT_NAME]) == 0)
    status = aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                         "--replace: would remove run %s, which is replayed",
                         run->name);
  snprintf(id, AQ_RUN_ID_TEXT, "%" PRId64, run->id);
  ask->origin = id;
  aq_run_info_free(run);
  return status;
}

static aq_status replay_run(aq_cli *cli, aq_session *session, aq_run_info *info)
{
  const aq_notes notes = aq_cli_notes(cli);
  aq_replay_ask ask = {0};
  aq_replay_hooks hooks = {0};
  aq_interval interval;
  aq_part_fit fit = {0};
  aq_performed performed;
  aq_store *store;
  sigset_t before;
  char origin[AQ_RUN_ID_TEXT];
  aq_status status = ask_read(cli, &ask);
  if (status == AQ_OK)
    status = existing_store_open(cli, &store);
  if (status != AQ_OK)
    return status;
  /* An option of captures: the input is a run, or a capture that is missing. */
  aq_run_info *run;
  aq_diag missing = AQ_DIAG_INIT, why_not = AQ_DIAG_INIT;
  status = aq_cli_refuse(cli, capture_options, "a stored run");
  if (status != AQ_OK) {
    if (aq_store_find(store, cli->args[0], &run, &missing) != AQ_OK)
      status = aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                           "there is no capture file %.200s; %s", cli->args[0],
                           missing.text);
    else
      aq_run_info_free(run);
  }
  aq_cli_status_block(&before);
  if (status == AQ_OK)
    status = origin_find(cli, store, &ask, origin);
  if (status == AQ_OK)
    status = part_fit(cli, session, store, &ask, &fit, &hooks, &why_not);
  if (status == AQ_OK && aq_cli_flag(cli, AQ_CLI_OPT_INTERVAL)) {
    hooks.interval = &interval;
    status = aq_replay_interval(session, store, &ask, hooks.fitted, &interval,
                                &notes, &cli->diag);
  }
  if (status == AQ_OK)
    status = aq_replay_perform(session, store, &ask, &hooks, info, &performed,
                               &notes, &cli->diag);
  aq_cli_status_unblock(&before);
  aq_part_fit_fini(&fit, session);
  if (status == AQ_OK && why_not.text[0])
    aq_cli_note(cli, "constants not fitted: %s", why_not.text);
  if (status == AQ_OK) {
    status = aq_cli_performed_print(cli, info, &performed);
    aq_performed_fini(&performed);
  }
  aq_store_close(store);
  return status;
}

/* ---- a capture ---- */

static int by_value(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Least, middle and most; ns. */
static void bench_spread(const aq_cap_played *bench, size_t count, bool host,
                         int64_t *sorted, int64_t out[3])
{
  for (size_t i = 0; i < count; i++)
    sorted[i] = host ? (int64_t)bench[i].host_ns : bench[i].span / AQ_NS;
  qsort(sorted, count, sizeof *sorted, by_value);
  out[0] = sorted[0];
  out[1] = sorted[count / 2];
  out[2] = sorted[count - 1];
}

static aq_status bench_note(aq_cli *cli, const aq_cap_played *bench,
                            int64_t repeats)
{
  int64_t host[3], device[3];
  if (repeats == 0)
    return AQ_OK;
  int64_t *sorted = calloc((size_t)repeats, sizeof *sorted);
  if (!sorted)
    return aq_diag_no_memory(&cli->diag);
  bench_spread(bench, (size_t)repeats, true, sorted, host);
  bench_spread(bench, (size_t)repeats, false, sorted, device);
  free(sorted);
  aq_cli_note(cli,
              "%" PRId64 " repetition%s: %.3f us of host time to submit (%.3f "
              "to %.3f), %.3f us of device time in all (%.3f to %.3f)",
              repeats, aq_text_plural(repeats), (double)host[1] / 1e3,
              (double)host[0] / 1e3, (double)host[2] / 1e3,
              (double)device[1] / 1e3, (double)device[0] / 1e3,
              (double)device[2] / 1e3);
  return AQ_OK;
}

static aq_status captured_print(aq_cli *cli, const aq_run_info *info,
                                const aq_captured *captured, int64_t repeats)
{
  aq_json_out *json;
  aq_status status = bench_note(cli, captured->bench, repeats);
  if (status == AQ_OK)
    status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (captured->played.idle_calls > 0)
    aq_cli_note(cli, "%" PRIu64 " host call%s did nothing",
                captured->played.idle_calls,
                aq_text_plural(captured->played.idle_calls));
  if (captured->played.plain_queues > 0)
    aq_cli_note(cli,
                "%" PRIu64 " queue%s replayed without the priority, CU mask or "
                "cooperative launches of the capture",
                captured->played.plain_queues,
                aq_text_plural(captured->played.plain_queues));
  /* Executions whose code the capture's program executed. */
  const aq_packet_computed *computed = &captured->computed;
  if (computed->executions > 0)
    aq_cli_note(cli,
                "%" PRIu64 " of %" PRIu64
                " executions computed the captured bytes",
                computed->computed, computed->executions);
  if (captured->played.idle_kernels > 0)
    aq_cli_note(cli, "%" PRIu64 " kernel%s took time and computed nothing%s%s",
                captured->played.idle_kernels,
                aq_text_plural(captured->played.idle_kernels),
                computed->why[0] ? ": " : "", computed->why);
  aq_cli_run_print(cli, json, info, captured->run);
  return aq_cli_json_end_if(cli, json);
}

static aq_status replay_capture(aq_cli *cli, aq_session *session,
                                aq_run_info *info)
{
  aq_capture_ask ask = {.path = cli->args[0],
                        .kernels = aq_cli_repeats(cli, AQ_CLI_OPT_KERNELS)};
  aq_captured captured;
  aq_store *store;
  aq_status status = aq_cli_refuse(cli, run_options, "a capture");
  if (status == AQ_OK)
    status = aq_kernels_from_read(cli->values[AQ_CLI_OPT_KERNELS_FROM],
                                  &ask.from, &cli->diag);
  if (status == AQ_OK)
    status = aq_capture_blocks_read(cli->values[AQ_CLI_OPT_BLOCKS],
                                    &ask.execute, &cli->diag);
  if (status == AQ_OK)
    status = aq_cli_number(cli, AQ_CLI_OPT_BENCH, 1, 0, &ask.repeats);
  if (status == AQ_OK && ask.repeats > AQ_CAPTURE_REPEATS_MAX)
    status = aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                         "--bench %" PRId64 ": at most %d", ask.repeats,
                         AQ_CAPTURE_REPEATS_MAX);
  if (status == AQ_OK)
    status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status != AQ_OK)
    return status;
  status =
      aq_capture_perform(session, store, &ask, info, &captured, &cli->diag);
  if (status == AQ_OK) {
    status = captured_print(cli, info, &captured, ask.repeats);
    aq_captured_fini(&captured);
  }
  aq_store_close(store);
  return status;
}

/* ---- the command ---- */

static aq_status replay_command(aq_cli *cli)
{
  aq_run_info info = aq_cli_run_info(cli, AQ_RUN_SIMULATED);
  aq_session session;
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_SEED, 0, 0, &info.seed);
  if (status == AQ_OK)
    status = aq_cli_performance_init(cli, &session);
  if (status != AQ_OK)
    return status;
  session.options.seed = (uint64_t)info.seed;
  status = aq_capture_is(cli->args[0]) ? replay_capture(cli, &session, &info)
                                       : replay_run(cli, &session, &info);
  aq_session_fini(&session);
  return status;
}

aq_status aq_cli_replay(aq_cli *cli)
{
  return aq_cli_contain(cli, replay_command);
}
