/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/loop/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "study/loop/policy_driver.h"

enum { ROUNDS_BETWEEN_ASKING = 256 };

static aq_status job_submit(aq_runner *run, const aq_job *job, aq_diag *diag)
{
  aq_runner_queue *queue;
  uint32_t index;
  aq_status status = aq_runner_job_check(job, diag);
  if (status == AQ_OK)
    status = aq_runner_queue_find(run, job, &queue, diag);
  if (status == AQ_OK)
    status = aq_runner_submit(run, queue,
                              &(aq_runner_part){
                                  .job = job,
                                  .id = job->id,
                                  .commands = job->commands,
                                  .command_count = job->command_count,
                                  .waits = job->dependencies,
                                  .wait_count = job->dependency_count,
                                  .marker = job->marker,
                                  .gated = job->job_flags & AQ_JOB_GATED,
                              },
                              &index, diag);
  if (status == AQ_OK)
    aq_runner_count(run, job);
  return status;
}

/* The next job of the source has come. */
static aq_status job_take(aq_runner *run, aq_diag *diag)
{
  aq_job job;
  bool got;
  aq_status status = run->source->next(run->source, &job, &got, diag);
  if (status != AQ_OK || !got)
    return status;
  return run->driver ? aq_policy_driver_arrival(run->driver, &job, diag)
                     : job_submit(run, &job, diag);
}

/* One thing after the other: completions, then reports to the policy, and
 * then a job, or time moves. *over: nothing is left. */
static aq_status round_run(aq_runner *run, bool *over, aq_diag *diag)
{
  aq_runner_completions_collect(run);
  aq_runner_gates_open(run);
  if (run->driver) {
    aq_status status = aq_policy_driver_decide(run->driver, diag);
    if (status != AQ_OK)
      return status;
  }
  const aq_time next = run->driver ? aq_policy_driver_next(run->driver)
                                   : run->source->peek(run->source);
  const aq_time due = aq_time_min(next, aq_policy_timer_next(&run->gates));
  if (due == AQ_TIME_MAX && run->jobs.live == 0) {
    *over = true;
    return AQ_OK;
  }
  if (due == AQ_TIME_MAX)
    return aq_runner_completion_await(run, diag);
  if (due > run->ops->now(run->transport))
    return aq_runner_due_await(run, due, run->driver || run->source->done,
                               diag);
  return run->source->peek(run->source) <= due ? job_take(run, diag) : AQ_OK;
}

static aq_status run_loop(aq_runner *run, aq_diag *diag)
{
  aq_status status;
  bool over = false;
  for (uint64_t round = 0; !over; round++) {
    if (round % ROUNDS_BETWEEN_ASKING == 0 || run->options->open.pace.wall)
      aq_runner_standing_report(run);
    status = round_run(run, &over, diag);
    if (status != AQ_OK && run->driver && run->driver->status != AQ_OK) {
      status = run->driver->status;
      if (diag)
        *diag = run->driver->failure;
    }
    if (status == AQ_OK || status == AQ_ERR_QUEUE) {
      aq_status trouble = aq_runner_trouble(run, diag);
      if (trouble != AQ_OK)
        status = trouble;
    }
    if (status == AQ_ERR_TIMEOUT && run->options->line)
      run->ops->inspect(run->transport, run->options->line, run->options->user);
    if (status != AQ_OK)
      return status;
  }
  status = run->ops->sleep_until(run->transport, AQ_TIME_MAX, false, diag);
  run->ops->info(run->transport, &run->info);
  run->totals.reproducible = run->info.reproducible;
  return status == AQ_OK ? aq_runner_trouble(run, diag) : status;
}

static aq_status run_open(aq_runner *run, aq_record_sink *sink, aq_diag *diag)
{
  aq_transport_options open = run->options->open;
  open.size = sizeof open;
  run->records = sink != NULL;
  open.records = sink ? &run->sink.sink : NULL;
  open.event = aq_runner_event;
  open.event_user = run;
  aq_record_annotator_init(&run->sink, sink, run->source);
  aq_status status = AQ_OK;
  if (run->options->policy)
    status =
        aq_policy_driver_create(run, run->options->policy, &run->driver, diag);
  if (status != AQ_OK)
    return status;
  open.policy = run->driver ? aq_policy_driver_binding(run->driver) : NULL;
  status = run->ops->open(&open, &run->transport, diag);
  if (status != AQ_OK)
    return status;
  run->ops = run->transport->ops;
  run->ops->info(run->transport, &run->info);
  run->live = run->info.caps & AQ_CAP_LIVE;
  aq_inflight_jobs_init(&run->jobs, run->transport);
  status = aq_builder_create(&(aq_builder_options){.one_shot = true},
                             &run->builder, diag);
  aq_kernels_init(&run->kernels, run->transport, run->builder,
                  run->options->code);
  aq_signal_timestamps_init(&run->measure, run->transport,
                            run->records && aq_run_measures(run->info.caps));
  if (run->measure.on)
    run->jobs.flags = AQ_SIGNAL_PROFILE;
  if (status == AQ_OK)
    status = aq_queue_map_create(run->info.device_count, &run->map, diag);
  if (status != AQ_OK)
    return status;

  if (run->info.device_count == 0)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s: there is no device",
                       run->ops->name);
  for (uint32_t i = 0; i < run->info.device_count; i++) {
    const aq_device_info *device = &run->info.devices[i];
    const uint32_t most = device->queues_max ? device->queues_max : 1;
    const uint32_t queues = run->options->queues
                                ? aq_runner_clamp(run->options->queues, 1, most)
                                : most;
    aq_queue_map_limit(run->map, i, queues);
    if (queues > run->queues_max)
      run->queues_max = queues;
  }
  run->queues = calloc((size_t)run->info.device_count * run->queues_max,
                       sizeof(*run->queues));
  if (!run->queues)
    return aq_diag_no_memory(diag);
  aq_run_totals_init(&run->totals, run->info.devices, run->info.device_count);
  if (run->source->devices)
    status = run->source->devices(run->source, &run->info, diag);
  if (status != AQ_OK)
    return status;
  return run->driver ? aq_policy_driver_start(run->driver, diag) : AQ_OK;
}

/* Frees everything; the transport may put its last rows when it closes. */
static void run_close(aq_runner *run)
{
  aq_policy_driver_destroy(run->driver);
  const size_t queues = (size_t)run->info.device_count * run->queues_max;
  for (size_t i = 0; run->queues && i < queues; i++)
    if (run->queues[i])
      aq_runner_queue_destroy(run->queues[i]);
  free(run->queues);
  aq_queue_map_destroy(run->map);
  aq_builder_destroy(run->builder);
  aq_signal_timestamps_fini(&run->measure);
  aq_policy_timers_fini(&run->gates);
  aq_inflight_jobs_fini(&run->jobs);
  aq_kernels_fini(&run->kernels);
  if (run->transport)
    run->ops->close(run->transport);
}

aq_status aq_run(const aq_run_options *options, aq_workload_source *workload,
                 aq_record_sink *sink, aq_run_totals *totals, aq_diag *diag)
{
  aq_runner *run = calloc(1, sizeof *run);
  if (!run)
    return aq_diag_no_memory(diag);
  run->options = options;
  run->source = workload;
  run->ops = options->transport;
  aq_status status = run_open(run, sink, diag);
  if (status == AQ_OK)
    status = run_loop(run, diag);
  run_close(run);
  if (status == AQ_OK && sink)
    status = aq_record_annotator_flush(&run->sink, diag);
  if (status == AQ_OK && totals)
    *totals = run->totals;
  aq_record_annotator_fini(&run->sink);
  free(run);
  return status;
}
