/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/run_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/commands/runs.h"
#include "common/record_modes.h"
#include "common/text.h"
#include "common/time_text.h"

/* ---- options ---- */

static aq_semantics semantics_read(const aq_cli *cli)
{
  const char *text = cli->values[AQ_CLI_OPT_SEMANTICS];
  return text && strcmp(text, "foundation") == 0 ? AQ_SEMANTICS_FOUNDATION
                                                 : AQ_SEMANTICS_ROCR;
}

static aq_status policy_read(aq_cli *cli, aq_performance_options *out)
{
  const char *error = cli->values[AQ_CLI_OPT_ON_POLICY_ERROR];
  out->policy = cli->values[AQ_CLI_OPT_POLICY];
  out->decision_log = cli->values[AQ_CLI_OPT_DECISION_LOG];
  out->policy_fallback = error && strcmp(error, "fallback") == 0;
  if (error && !out->policy_fallback && strcmp(error, "fail") != 0)
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "--on-policy-error %s: expected fail or fallback",
                       error);
  if (!out->policy && (error || out->decision_log))
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID, "--%s needs a --policy",
                       out->decision_log ? "decision-log" : "on-policy-error");
  return AQ_OK;
}

static void words_keep(const aq_cli *cli, aq_performance_options *out)
{
  static const aq_cli_option_id kept[AQ_PERFORMANCE_WORDS_MAX] = {
      AQ_CLI_OPT_PACE, AQ_CLI_OPT_TIMEOUT, AQ_CLI_OPT_SEMANTICS,
      AQ_CLI_OPT_COUNTERS};
  for (size_t i = 0; i < AQ_PERFORMANCE_WORDS_MAX; i++)
    if (cli->values[kept[i]]) {
      out->words[out->word_count].key = aq_cli_options[kept[i]].name;
      out->words[out->word_count++].text = cli->values[kept[i]];
    }
}

/* Whether SIGUSR1 came, which is blocked meanwhile. */
static bool signal_came(void *user)
{
  sigset_t asked;
  const struct timespec now = {0, 0};
  (void)user;
  sigemptyset(&asked);
  sigaddset(&asked, SIGUSR1);
  return sigtimedwait(&asked, NULL, &now) == SIGUSR1;
}

static void line_print(const char *text, void *user)
{
  (void)user;
  fprintf(stderr, "aqueduct: %s\n", text);
}

aq_status aq_cli_performance_options(aq_cli *cli, aq_performance_options *out)
{
  aq_profiling profiling;
  aq_status status =
      aq_profiling_read(cli->values[AQ_CLI_OPT_PROFILE],
                        cli->values[AQ_CLI_OPT_RECORD], &profiling, &cli->diag);
  if (status != AQ_OK)
    return status;
  aq_performance_options read = {
      .transport = cli->values[AQ_CLI_OPT_TRANSPORT],
      .faults = cli->values[AQ_CLI_OPT_FAULTS],
      .device = cli->values[AQ_CLI_OPT_DEVICE],
      .record = profiling.record,
      .record_limit = cli->values[AQ_CLI_OPT_RECORD_LIMIT],
      .edits = aq_cli_repeats(cli, AQ_CLI_OPT_SET),
      .profile_isa = profiling.code || aq_cli_flag(cli, AQ_CLI_OPT_PROFILE_ISA),
      .trace_isa = cli->values[AQ_CLI_OPT_TRACE_ISA],
      .compile = cli->values[AQ_CLI_OPT_COMPILE],
      .traces =
          aq_profiling_traced(&profiling, cli->values[AQ_CLI_OPT_TRACE_ISA]),
      .cost = cli->values[AQ_CLI_OPT_COST],
      .timeout_needs_live = cli->given[AQ_CLI_OPT_TIMEOUT],
      .asked = signal_came,
      .line = line_print};
  const char *text = cli->values[AQ_CLI_OPT_PACE];
  if (text && !aq_pace_read(text, &read.pace))
    status =
        aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                    "--pace %s: expected V or V/W, whole numbers from 1 to "
                    "4294967295",
                    text);
  if (status == AQ_OK)
    status = aq_cli_time(cli, AQ_CLI_OPT_TIMEOUT, &read.timeout);
  if (status == AQ_OK)
    status = aq_cli_time(cli, AQ_CLI_OPT_COUNTERS, &read.counters);
  read.semantics = semantics_read(cli);
  if (status == AQ_OK)
    status = policy_read(cli, &read);
  if (status != AQ_OK)
    return status;
  read.live = aq_cli_flag(cli, AQ_CLI_OPT_LIVE) || read.pace.wall;
  words_keep(cli, &read);
  *out = read;
  return AQ_OK;
}

aq_status aq_cli_performance_init(aq_cli *cli, aq_session *out)
{
  aq_performance_options options;
  aq_status status = aq_cli_performance_options(cli, &options);
  return status == AQ_OK
             ? aq_session_init(out, &options, cli->watch, &cli->diag)
             : status;
}

aq_status aq_cli_queues(aq_cli *cli, uint32_t *out)
{
  int64_t queues;
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_QUEUES, 1, 0, &queues);
  if (status == AQ_OK && queues > UINT32_MAX)
    status = aq_diag_set(&cli->diag, AQ_ERR_INVALID, "--queues %lld: too many",
                         (long long)queues);
  if (status == AQ_OK)
    *out = (uint32_t)queues;
  return status;
}

/* ---- the run ---- */

void aq_cli_status_block(sigset_t *before)
{
  sigset_t asked;
  sigemptyset(&asked);
  sigaddset(&asked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &asked, before);
}

void aq_cli_status_unblock(const sigset_t *before)
{
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

aq_status aq_cli_performed_print(aq_cli *cli, const aq_run_info *info,
                                 const aq_performed *performed)
{
  const aq_run_totals *totals = &performed->totals;
  char trust[AQ_CLI_TRUST_SIZE];
  aq_json_out *json;
  aq_run_info made = *info;
  made.complete = true;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (totals->fallback.text[0])
    aq_cli_note(cli, "%s; continued without it", totals->fallback.text);
  if (aq_cli_run_trust(info, trust))
    aq_cli_note(cli, "%s", trust);
  else if (info->device_model)
    aq_cli_note(cli,
                "measured, but the HSA runtime is the simulator with device "
                "model %s",
                info->device_model);
  aq_cli_run_losses_note(cli, NULL, &made);
  if (totals->devices_folded > 0)
    aq_cli_note(cli,
                "%" PRIu32
                " device%s of the workload not simulated: work placed "
                "on the others; --device MODEL*N opens N",
                totals->devices_folded, aq_text_plural(totals->devices_folded));
  aq_cli_run_print(cli, json, info, performed->run);
  return aq_cli_json_end_if(cli, json);
}
