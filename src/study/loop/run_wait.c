/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>

#include "study/loop/policy_driver.h"

enum {
  COMPLETION_BATCH = 64,
  LOOK_MS = 100, /* of wall time, between looks for requests */
  GUESS_MS = 20, /* waiting this long, a transport says what seems to hang */
};

bool aq_runner_completions_collect(aq_runner *run)
{
  aq_completion done[COMPLETION_BATCH];
  bool any = false;
  uint32_t count;
  do {
    count = run->ops->drain(run->transport, done, COMPLETION_BATCH);
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t index = (uint32_t)done[i].user;
      const uint64_t id = run->jobs.jobs[index].id;
      if (run->measure.on)
        aq_signal_timestamps_end(&run->measure, index, done[i].signal,
                                 &run->sink.sink);
      aq_inflight_jobs_complete(&run->jobs, index);
      run->totals.end = aq_time_max(run->totals.end, done[i].time);
      if (run->driver)
        aq_policy_driver_completion(run->driver, index, done[i].time);
      else if (run->source->done)
        run->source->done(run->source, id, done[i].time);
    }
    any |= count > 0;
  } while (count == COMPLETION_BATCH);
  if (any)
    aq_runner_heard(run);
  return any;
}

void aq_runner_standing_report(aq_runner *run)
{
  const aq_run_options *options = run->options;
  if (options->asked && options->asked(options->user))
    run->ops->inspect(run->transport, options->line, options->user);
}

/* Where others drive time, a wait lasts at most until the next look,
 * unless a simulator runs free: then it ends as soon as it has computed. */
static aq_time sleep_limit(const aq_runner *run, aq_time until)
{
  const bool free = run->info.devices[0].model && !run->options->open.pace.wall;
  if (!run->live || free)
    return until;
  const aq_time look =
      aq_time_min(aq_runner_patience_left(run), LOOK_MS * AQ_MS);
  return aq_time_min(until,
                     run->ops->now(run->transport) +
                         aq_runner_wall_scaled(run, aq_time_max(look, 0)));
}

/* Nothing has completed for so long that it counts as a hang. */
static aq_status hang_error(const aq_runner *run, aq_diag *diag)
{
  char guess[AQ_DIAG_TEXT_MAX] = "";
  if (diag)
    snprintf(guess, sizeof guess, "%s", diag->text);
  return aq_diag_set(diag, AQ_ERR_TIMEOUT, "nothing completed for %g s: %s",
                     (double)run->options->timeout / (double)AQ_S, guess);
}

aq_status aq_runner_completion_await(aq_runner *run, aq_diag *diag)
{
  aq_status status = run->ops->sleep_until(
      run->transport, sleep_limit(run, AQ_TIME_MAX), true, diag);
  if (status == AQ_OK)
    status = aq_runner_trouble(run, diag);
  if (status != AQ_OK || aq_runner_completions_collect(run) ||
      (run->driver && aq_policy_driver_has_pending(run->driver)))
    return status;
  uint32_t oldest = 0;
  while (run->jobs.jobs[oldest].complete)
    oldest++;
  const aq_wait_item item = {run->jobs.jobs[oldest].signal, AQ_LT, 1};
  aq_wait_request request = {
      .items = &item, .count = 1, .deadline = AQ_TIME_MAX};
  if (run->live) {
    aq_time look = aq_time_min(aq_runner_patience_left(run), LOOK_MS * AQ_MS);
    request.deadline =
        run->ops->now(run->transport) +
        aq_runner_wall_scaled(run, aq_time_max(look, GUESS_MS * AQ_MS));
  }
  status = run->ops->wait(run->transport, &request, NULL, diag);
  if (status != AQ_ERR_TIMEOUT || !run->live ||
      aq_runner_completions_collect(run))
    return status == AQ_ERR_TIMEOUT ? AQ_OK : status;
  aq_runner_standing_report(run);
  return aq_runner_patience_left(run) > 0 ? AQ_OK : hang_error(run, diag);
}

aq_status aq_runner_due_await(aq_runner *run, aq_time due, bool wake,
                              aq_diag *diag)
{
  return run->ops->sleep_until(run->transport, sleep_limit(run, due), wake,
                               diag);
}
