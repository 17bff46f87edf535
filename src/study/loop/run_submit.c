/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/loop/run_priv.h"

enum { MARKER_PACKETS = 2 };

aq_status aq_runner_job_check(const aq_job *job, aq_diag *diag)
{
  const unsigned long long id = job->id;
  if (job->command_count == 0 && !job->marker)
    return aq_diag_set(diag, AQ_ERR_INVALID, "job %llu has no commands", id);
  if (job->dependency_count > AQ_JOB_DEPENDENCIES)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "job %llu has %u dependencies, at most %d", id,
                       job->dependency_count, AQ_JOB_DEPENDENCIES);
  for (uint32_t i = 0; i < job->dependency_count; i++)
    if (job->dependencies[i] >= job->id)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "job %llu depends on job %llu, which is not earlier",
                         id, (unsigned long long)job->dependencies[i]);
  return AQ_OK;
}

static uint64_t workgroups_of(const aq_command *command)
{
  uint64_t count = 1;
  for (int i = 0; i < 3; i++)
    count *= command->workgroup[i]
                 ? ((uint64_t)command->grid[i] + command->workgroup[i] - 1) /
                       command->workgroup[i]
                 : 0;
  return count;
}

/* How long each wave of a kernel that spins has to, so that it runs as long as
 * one of that cost. */
static aq_status command_duration(const aq_command *command, const char *name,
                                  aq_time *out, aq_diag *diag)
{
  const aq_cost *cost = &command->cost;
  switch (cost->kind) {
  case AQ_COST_OCCUPANCY:
  case AQ_COST_ROOFLINE:
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "kernel '%s': its %s is a model of the simulator's; "
                       "this transport runs kernels that spin for a time",
                       name ? name : "?",
                       cost->kind == AQ_COST_ROOFLINE ? "roofline"
                                                      : "occupancy table");
  case AQ_COST_PER_WORKGROUP:
    *out = cost->base + cost->per_workgroup * (aq_time)workgroups_of(command);
    return AQ_OK;
  case AQ_COST_FIXED:
  case AQ_COST_SPIN:
  case AQ_COST_WORKGROUP:
  case AQ_COST_SPIN_WORKGROUP:
    break;
  }
  *out = cost->base;
  return AQ_OK;
}

/* `release` is that of the command before. */
static aq_status command_record(aq_runner *run, uint32_t device,
                                const aq_command *command,
                                aq_fence_scope release, aq_diag *diag)
{
  uint32_t kernel;
  aq_spin_args args = {.flags = command->spin_flags,
                       .clock_khz =
                           aq_spin_clock_khz(&run->info.devices[device])};
  const bool spin = run->kernels.code || aq_cost_is_spin(command->cost.kind);
  const char *text =
      command->name < 0 ? NULL : run->source->name(run->source, command->name);
  aq_status status = AQ_OK;
  if (spin)
    status = command_duration(command, text, &args.duration, diag);
  if (status == AQ_OK)
    status =
        aq_kernels_find(&run->kernels, device, command, text, &kernel, diag);
  if (status != AQ_OK)
    return status;
  /* HIP sets the barrier bit on every dispatch. */
  aq_builder_barrier(run->builder, aq_command_scope(command->acquire), release);
  return aq_builder_dispatch(
      run->builder,
      &(aq_dispatch){
          .kernel = kernel,
          .grid = {command->grid[0], command->grid[1], command->grid[2]},
          .workgroup = {command->workgroup[0], command->workgroup[1],
                        command->workgroup[2]},
          .group_size = command->lds,
          .private_size = command->scratch,
          .constants = spin ? &args : NULL,
          .constant_size = spin ? sizeof args : 0,
      },
      diag);
}

static aq_status part_record(aq_runner *run, const aq_runner_part *part,
                             aq_program *program, aq_diag *diag)
{
  aq_fence_scope release = AQ_SCOPE_NONE;
  aq_builder_reset(run->builder);
  for (uint32_t i = 0; i < part->command_count; i++) {
    aq_status status =
        command_record(run, part->job->device % run->info.device_count,
                       &part->commands[i], release, diag);
    if (status != AQ_OK)
      return status;
    release = aq_command_scope(part->commands[i].release);
  }
  aq_builder_barrier(run->builder, AQ_SCOPE_NONE, release);
  return aq_builder_end(run->builder, program, diag);
}

/* Behind other work a packet that waits costs time even where its signal is
 * there by then. */
static bool wait_costs(const aq_runner_part *part, const aq_runner_queue *queue)
{
  const aq_ring *ring = aq_aql_queue_ring(queue->queue);
  return (part->job->job_flags & AQ_JOB_WAIT_PACKETS) &&
         aq_ring_space(ring) < ring->size;
}

/* The signals that a part has to wait for: those still in flight in other
 * queues. Its own queue keeps the order anyway, and so it does where a packet
 * of it awaited the same job last. HIP sends no packet for an event that it has
 * seen ready. */
static uint32_t part_waits(aq_runner *run, aq_runner_queue *queue,
                           const aq_runner_part *part, uint32_t index,
                           aq_signal *waits)
{
  const bool packets = part->job->job_flags & AQ_JOB_WAIT_PACKETS;
  const bool behind_copy = part->job->job_flags & AQ_JOB_BEHIND_COPY;
  const bool ready = part->job->job_flags & AQ_JOB_READY;
  uint32_t count = 0;
  bool met = false;
  for (uint32_t i = 0; i < part->wait_count; i++) {
    const uint64_t id = part->waits[i];
    const uint32_t on = aq_inflight_jobs_find(&run->jobs, id);
    const bool again = packets && queue->awaited == id + 1;
    if (on == AQ_JOB_NO_INDEX && !again && !ready && wait_costs(part, queue))
      met = true;
    else if (on == AQ_JOB_NO_INDEX || again)
      run->totals.waits_met++;
    else if (run->jobs.jobs[on].queue != run->jobs.jobs[index].queue) {
      waits[count++] = run->jobs.jobs[on].signal;
      aq_inflight_jobs_depend(&run->jobs, index, on);
    }
    queue->awaited = id + 1;
  }
  run->edge = met || count > 0;
  if (count == 0 && (met || (behind_copy && wait_costs(part, queue))))
    waits[count++] = run->met;
  return count;
}

static aq_status gate_add(aq_runner *run, const aq_runner_part *part,
                          uint32_t index, aq_signal *waits, uint32_t *count,
                          aq_diag *diag)
{
  if (!part->gated)
    return AQ_OK;
  aq_status status =
      aq_inflight_jobs_start_signal(&run->jobs, index, &waits[*count], diag);
  if (status != AQ_OK)
    return status;
  ++*count;
  return aq_policy_timer_add(&run->gates, part->job->gate, index, NULL)
             ? AQ_OK
             : aq_diag_no_memory(diag);
}

void aq_runner_gates_open(aq_runner *run)
{
  while (run->gates.timer_count &&
         run->gates.timers[0].at <= run->ops->now(run->transport))
    aq_inflight_jobs_start(&run->jobs,
                           (uint32_t)aq_policy_timer_pop(&run->gates).cookie);
}

static aq_status marker_submit(aq_runner *run, aq_runner_queue *queue,
                               bool event, aq_signal completion, aq_diag *diag)
{
  aq_submitted submitted;
  aq_status status = aq_aql_queue_submit(
      queue->queue,
      &(aq_submission){
          .waits = &run->met, .wait_count = event, .completion = completion},
      &submitted, diag);
  if (status != AQ_OK)
    return status;
  run->totals.packets += submitted.packets;
  run->totals.doorbells += submitted.doorbells;
  return AQ_OK;
}

/* A part's packets; its completion is carried by the last of them, or by the
 * marker behind it. */
static aq_status packets_submit(aq_runner *run, aq_runner_queue *queue,
                                aq_submission *submission, aq_diag *diag)
{
  const aq_signal completion = submission->completion;
  aq_submitted submitted;
  const bool marked = run->part->marker && submission->program;
  if (marked)
    submission->completion = (aq_signal){0};
  aq_status status =
      aq_aql_queue_submit(queue->queue, submission, &submitted, diag);
  if (status != AQ_OK)
    return status;
  run->totals.packets += submitted.packets;
  run->totals.doorbells += submitted.doorbells;
  run->first = submitted.first + submitted.waits;
  if (!marked)
    return AQ_OK;
  const uint32_t flags = run->part->job->job_flags;
  const aq_signal none = {0};
  const bool second = flags & AQ_JOB_FUTURE;
  status = marker_submit(run, queue, flags & AQ_JOB_EVENT,
                         second ? none : completion, diag);
  if (status == AQ_OK && (flags & AQ_JOB_EVENTS))
    status = marker_submit(run, queue, true, second ? completion : none, diag);
  return status;
}

aq_status aq_runner_submit(aq_runner *run, aq_runner_queue *queue,
                           const aq_runner_part *part, uint32_t *index,
                           aq_diag *diag)
{
  aq_program program;
  aq_signal waits[AQ_JOB_WAITS + 1]; /* and the gate */
  aq_status status = AQ_OK;
  if (part->command_count)
    status = part_record(run, part, &program, diag);
  if (status == AQ_OK)
    status =
        aq_inflight_jobs_add(&run->jobs, part->id, queue->number, index, diag);
  if (status != AQ_OK)
    return status;

  if (run->met.handle == 0 && (part->job->job_flags & AQ_JOB_WAIT_PACKETS))
    status = run->ops->signal_create(run->transport, &(aq_signal_desc){0},
                                     &run->met, diag);
  if (status != AQ_OK)
    return status;
  uint32_t wait_count = part_waits(run, queue, part, *index, waits);
  status = gate_add(run, part, *index, waits, &wait_count, diag);
  if (status == AQ_OK && run->gates.timer_count) {
    /* A ring that fills up behind a closed gate empties once that is open. */
    const uint32_t packets = part->command_count + wait_count + MARKER_PACKETS;
    const aq_ring *ring = aq_aql_queue_ring(queue->queue);
    while (run->gates.timer_count && aq_ring_space(ring) < packets &&
           status == AQ_OK) {
      status = run->ops->sleep_until(
          run->transport, aq_policy_timer_next(&run->gates), false, diag);
      aq_runner_gates_open(run);
    }
  }
  if (status != AQ_OK)
    return status;

  aq_walk_log *log = NULL;
  if (run->measure.on)
    status = aq_signal_timestamps_begin(&run->measure, *index, part->commands,
                                        part->command_count, queue->device_row,
                                        queue->queue_row, &log, diag);
  if (status != AQ_OK)
    return status;
  run->part = part;
  if (run->totals.begin == AQ_TIME_NONE)
    run->totals.begin = run->ops->now(run->transport);
  status = packets_submit(run, queue,
                          &(aq_submission){
                              .program = part->command_count ? &program : NULL,
                              .waits = waits,
                              .wait_count = wait_count,
                              .completion = run->jobs.jobs[*index].signal,
                              .log = log,
                          },
                          diag);
  run->part = NULL;
  if (log)
    aq_signal_timestamps_rung(&run->measure, *index,
                              run->ops->now(run->transport));
  if (status == AQ_OK)
    aq_runner_heard(run);
  return status;
}

aq_status aq_runner_complete_behind(aq_runner *run, aq_runner_queue *queue,
                                    uint32_t index, aq_diag *diag)
{
  aq_submitted submitted;
  const aq_live_job *job = &run->jobs.jobs[index];
  const aq_job none = {.via = AQ_VIA_DIRECT,
                       .correlation = (int64_t)job->id,
                       .stream = AQ_NONE,
                       .pid = AQ_NONE,
                       .tid = AQ_NONE,
                       .host_begin = AQ_TIME_NONE,
                       .host_end = AQ_TIME_NONE};
  const aq_runner_part part = {.job = &none};
  /* cppcheck-suppress autoVariables; until the submission returns */
  run->part = &part;
  aq_status status = aq_aql_queue_submit(
      queue->queue, &(aq_submission){.completion = job->signal}, &submitted,
      diag);
  run->part = NULL;
  if (status != AQ_OK)
    return status;
  run->first = submitted.first;
  run->totals.packets += submitted.packets;
  run->totals.doorbells += submitted.doorbells;
  return AQ_OK;
}

void aq_runner_count(aq_runner *run, const aq_job *job)
{
  if (job->device >= run->info.device_count + run->totals.devices_folded)
    run->totals.devices_folded = job->device + 1 - run->info.device_count;
  run->totals.jobs++;
}
