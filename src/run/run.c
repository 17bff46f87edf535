/* SPDX-License-Identifier: MIT */
#include "run/run.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmdbuf/builder.h"
#include "queue/feed.h"
#include "run/jobs.h"
#include "run/kernels.h"
#include "run/run_sink.h"
#include "scheduler/queue_map.h"

enum {
  QUEUE_SIZE_DEFAULT = 16384, /* packets, as HIP makes its queues */
  COMPLETION_BATCH = 64,
  LOOK_MS = 100, /* of wall time, between looks at what may have been asked */
  GUESS_MS = 20, /* waiting this long, a transport says what seems to hang */
};

typedef struct runner runner;

/* One hardware queue in use. */
typedef struct run_queue {
  runner *run;
  aq_feed *queue;
  uint32_t number; /* of the queue in this run */
} run_queue;

struct runner {
  const aq_run_options *options;
  aq_workload_source *source;
  aq_transport *transport;
  const aq_transport_ops *ops;
  aq_transport_info info;
  aq_run_sink sink;
  bool records; /* the sink is in use */
  aq_queue_map *map;
  run_queue **queues; /* by device and number within it, see queue_slot */
  uint32_t queues_max, queue_count;
  aq_kernels kernels;
  aq_jobs jobs;
  aq_builder *builder;
  const aq_job *job; /* being submitted */
  bool edge;         /* it waits for another queue */
  aq_run_totals totals;
  bool live;        /* others drive time */
  int64_t heard;    /* wall ns when something completed or was submitted */
  aq_status failed; /* by a queue, told by callback */
  aq_diag failure;
};

/* ---- wall time, of live mode only ---- */

static int64_t wall_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* How much the transport's time moves in some wall time. */
static aq_time wall_scaled(const runner *run, aq_time wall)
{
  const aq_pace pace = run->options->open.pace;
  __int128 scaled = wall;
  if (pace.wall)
    scaled = scaled * pace.virtual_time / pace.wall;
  return scaled < AQ_TIME_MAX / 4 ? (aq_time)scaled : AQ_TIME_MAX / 4;
}

/* Until the run counts as hanging. */
static aq_time patience_left(const runner *run)
{
  if (run->options->timeout == 0)
    return AQ_TIME_MAX / 4;
  return run->options->timeout - (wall_ns() - run->heard) * AQ_NS;
}

static void something_heard(runner *run)
{
  if (run->live)
    run->heard = wall_ns();
}

/* ---- queues and jobs ---- */

/* A queue stopped: keeps what the packet was for the end of the run. */
static void queue_failed(const aq_queue_error *error, void *user)
{
  runner *run = ((run_queue *)user)->run;
  if (run->failed != AQ_OK)
    return;
  const aq_packet *packet = error->packet;
  aq_status failed = aq_diag_set(
      &run->failure, AQ_ERR_QUEUE,
      "queue %u stopped at packet %llu: %s (header 0x%04x, setup %u, "
      "kernel object 0x%llx, reason 0x%x)",
      error->queue, (unsigned long long)error->packet_id,
      error->text ? error->text : "queue error", packet ? packet->header : 0,
      packet ? packet->setup : 0,
      packet ? (unsigned long long)packet->kernel.kernel_object : 0,
      error->reason);
  /* Release: in live mode another thread reads the words when it sees this. */
  __atomic_store_n(&run->failed, failed, __ATOMIC_RELEASE);
}

/* Memory is not there: the queue's callback is never told. */
static void system_failed(const aq_system_event *event, void *user)
{
  runner *run = user;
  if (run->failed != AQ_OK)
    return;
  aq_status failed =
      aq_diag_set(&run->failure, AQ_ERR_QUEUE, "%s", event->text);
  __atomic_store_n(&run->failed, failed, __ATOMIC_RELEASE);
}

static void note_fill(const runner *run, aq_packet_note *note)
{
  const aq_job *job = run->job;
  note->via = job->via;
  note->correlation = job->correlation;
  note->stream = job->stream;
  note->pid = job->pid;
  note->tid = job->tid;
  note->host_begin = job->host_begin;
  note->host_end = job->host_end;
}

/* Packets of the current job are about to be published. */
static void packets_note(const aq_feed_packets *packets, void *user)
{
  const run_queue *queue = user;
  runner *run = queue->run;
  uint64_t id = packets->first;
  for (uint32_t i = 0; i < packets->waits; i++) {
    aq_packet_note *note = aq_run_sink_note(&run->sink, queue->number, id++);
    note_fill(run, note);
    note->kind = note->origin = note->name = note->bytes = AQ_NONE;
    note->flags = 0;
  }
  for (uint32_t i = 0; i < packets->payload; i++) {
    const aq_command *command = &run->job->commands[packets->index + i];
    aq_packet_note *note = aq_run_sink_note(&run->sink, queue->number, id++);
    note_fill(run, note);
    note->kind = command->kind;
    note->origin = command->origin;
    note->name = command->name;
    note->bytes = command->bytes;
    note->flags = command->flags;
    if (run->edge && packets->index + i == 0)
      note->flags |= AQ_FLAG_EDGE;
  }
}

static uint32_t clamp_u32(uint32_t value, uint32_t low, uint32_t high)
{
  if (high > 0 && value > high)
    value = high;
  return value < low ? low : value;
}

static aq_status queue_open(runner *run, uint32_t device, run_queue **slot,
                            aq_diag *diag)
{
  const aq_device_info *info = &run->info.devices[device];
  run_queue *queue = calloc(1, sizeof *queue);
  if (!queue)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a queue");
  queue->run = run;
  queue->number = run->queue_count;
  const uint32_t wanted =
      run->options->queue_size ? run->options->queue_size : QUEUE_SIZE_DEFAULT;
  aq_status status = aq_feed_create(
      &(aq_feed_options){
          .transport = run->transport,
          .device = device,
          .size = clamp_u32(wanted, info->queue_size_min, info->queue_size_max),
          .patience = run->live ? wall_scaled(run, run->options->timeout) : 0,
          .error = queue_failed,
          .packets = run->records ? packets_note : NULL,
          .user = queue,
      },
      &queue->queue, diag);
  if (status == AQ_OK && run->records)
    status = aq_run_sink_add(&run->sink, aq_feed_ring(queue->queue), diag);
  if (status != AQ_OK) {
    aq_feed_destroy(queue->queue);
    free(queue);
    return status;
  }
  run->queue_count++;
  *slot = queue;
  return AQ_OK;
}

/* What tells the streams of devices apart that share one of the transport's.
 * Ids of streams are small or addresses: their top bits are free. */
static int64_t stream_key(const runner *run, const aq_job *job)
{
  const uint64_t fold = job->device / run->info.device_count;
  const int64_t stream = job->queue != AQ_NONE ? job->queue : job->stream;
  return (int64_t)((uint64_t)stream ^ fold << 48);
}

/* The queue of a job's stream, made when first used. */
static aq_status queue_find(runner *run, const aq_job *job, run_queue **out,
                            aq_diag *diag)
{
  uint32_t at;
  const uint32_t device = job->device % run->info.device_count;
  aq_status status =
      aq_queue_map_find(run->map, device, stream_key(run, job), &at, diag);
  if (status != AQ_OK)
    return status;
  run_queue **slot = &run->queues[device * run->queues_max + at];
  if (!*slot)
    status = queue_open(run, device, slot, diag);
  if (status == AQ_OK)
    *out = *slot;
  return status;
}

static aq_status job_check(const aq_job *job, aq_diag *diag)
{
  const unsigned long long id = job->id;
  if (job->command_count == 0)
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

static aq_status command_record(runner *run, const aq_command *command,
                                aq_diag *diag)
{
  uint32_t kernel;
  const char *text =
      command->name < 0 ? NULL : run->source->name(run->source, command->name);
  aq_status status = aq_kernels_find(&run->kernels, command->name, text,
                                     &command->cost, &kernel, diag);
  if (status != AQ_OK)
    return status;
  const bool spin = command->cost.kind == AQ_COST_SPIN;
  const aq_spin_args args = {.duration = command->cost.base,
                             .flags = command->spin_flags};
  /* HIP sets the barrier bit and agent scope fences on every dispatch. */
  aq_builder_barrier(run->builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
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

static aq_status job_record(runner *run, const aq_job *job, aq_program *program,
                            aq_diag *diag)
{
  aq_builder_reset(run->builder);
  for (uint32_t i = 0; i < job->command_count; i++) {
    aq_status status = command_record(run, &job->commands[i], diag);
    if (status != AQ_OK)
      return status;
  }
  aq_builder_barrier(run->builder, AQ_SCOPE_NONE, AQ_SCOPE_AGENT);
  return aq_builder_end(run->builder, program, diag);
}

/* The signals that a job has to wait for: those of jobs still in flight in
 * other queues. Its own queue keeps the order by itself. */
static uint32_t job_waits(runner *run, const aq_job *job, uint32_t index,
                          aq_signal *waits)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < job->dependency_count; i++) {
    uint32_t on = aq_jobs_find(&run->jobs, job->dependencies[i]);
    if (on == AQ_JOB_NO_INDEX ||
        run->jobs.jobs[on].queue == run->jobs.jobs[index].queue)
      continue;
    waits[count++] = run->jobs.jobs[on].signal;
    aq_jobs_depend(&run->jobs, index, on);
  }
  return count;
}

/* A job's packets; its completion is carried by the last of them, or by the
 * marker behind it. */
static aq_status packets_submit(runner *run, run_queue *queue,
                                aq_submission *submission, aq_diag *diag)
{
  const aq_signal completion = submission->completion;
  aq_submitted submitted;
  if (run->job->marker)
    submission->completion = (aq_signal){0};
  aq_status status = aq_feed_submit(queue->queue, submission, &submitted, diag);
  if (status != AQ_OK)
    return status;
  run->totals.packets += submitted.packets;
  run->totals.doorbells += submitted.doorbells;
  if (!run->job->marker)
    return AQ_OK;
  status =
      aq_feed_submit(queue->queue, &(aq_submission){.completion = completion},
                     &submitted, diag);
  if (status != AQ_OK)
    return status;
  run->totals.packets += submitted.packets;
  run->totals.doorbells += submitted.doorbells;
  return AQ_OK;
}

static aq_status job_submit(runner *run, const aq_job *job, aq_diag *diag)
{
  run_queue *queue;
  aq_program program;
  uint32_t index;
  aq_signal waits[AQ_JOB_DEPENDENCIES];
  aq_status status = job_check(job, diag);
  if (status == AQ_OK)
    status = queue_find(run, job, &queue, diag);
  if (status == AQ_OK)
    status = job_record(run, job, &program, diag);
  if (status == AQ_OK)
    status = aq_jobs_take(&run->jobs, job->id, queue->number, &index, diag);
  if (status != AQ_OK)
    return status;

  const uint32_t wait_count = job_waits(run, job, index, waits);
  run->job = job;
  run->edge = wait_count > 0;
  if (run->totals.jobs == 0)
    run->totals.begin = run->ops->now(run->transport);
  status = packets_submit(run, queue,
                          &(aq_submission){
                              .program = &program,
                              .waits = waits,
                              .wait_count = wait_count,
                              .completion = run->jobs.jobs[index].signal,
                          },
                          diag);
  run->job = NULL;
  if (status != AQ_OK)
    return status;
  if (job->device >= run->info.device_count + run->totals.devices_folded)
    run->totals.devices_folded = job->device + 1 - run->info.device_count;
  run->totals.jobs++;
  something_heard(run);
  return AQ_OK;
}

/* Tells the source of everything that has completed; true if anything has. */
static bool completions_take(runner *run)
{
  aq_completion done[COMPLETION_BATCH];
  bool any = false;
  uint32_t count;
  do {
    count = run->ops->drain(run->transport, done, COMPLETION_BATCH);
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t index = (uint32_t)done[i].user;
      const uint64_t id = run->jobs.jobs[index].id;
      aq_jobs_complete(&run->jobs, index);
      run->totals.end = aq_time_max(run->totals.end, done[i].time);
      if (run->source->done)
        run->source->done(run->source, id, done[i].time);
    }
    any |= count > 0;
  } while (count == COMPLETION_BATCH);
  if (any)
    something_heard(run);
  return any;
}

/* Errors that only callbacks told of: a queue that stopped, a full store. */
static aq_status trouble_check(runner *run, aq_diag *diag)
{
  /* Acquire pairs with the device's release: the words are there. */
  aq_status failed = __atomic_load_n(&run->failed, __ATOMIC_ACQUIRE);
  if (failed != AQ_OK) {
    if (diag)
      *diag = run->failure;
    return failed;
  }
  return run->records ? aq_run_sink_check(&run->sink, diag) : AQ_OK;
}

enum { ROUNDS_BETWEEN_ASKING = 256 };

/* Tells where the run stands, if somebody asked. */
static void standing_tell(runner *run)
{
  const aq_run_options *options = run->options;
  if (options->asked && options->asked(options->user))
    run->ops->inspect(run->transport, options->line, options->user);
}

/* Where others drive time, nobody sleeps longer than until the next look,
 * unless a simulator runs free: then it is over as soon as it has computed. */
static aq_time sleep_limit(const runner *run, aq_time until)
{
  const bool free = run->info.devices[0].model && !run->options->open.pace.wall;
  if (!run->live || free)
    return until;
  const aq_time look = aq_time_min(patience_left(run), LOOK_MS * AQ_MS);
  return aq_time_min(until, run->ops->now(run->transport) +
                                wall_scaled(run, aq_time_max(look, 0)));
}

/* Nothing has completed for so long that it counts as a hang. */
static aq_status hang_word(const runner *run, aq_diag *diag)
{
  char guess[AQ_DIAG_TEXT_MAX] = "";
  if (diag)
    snprintf(guess, sizeof guess, "%s", diag->text);
  return aq_diag_set(diag, AQ_ERR_TIMEOUT, "nothing completed for %g s: %s",
                     (double)run->options->timeout / (double)AQ_S, guess);
}

/* Nothing to submit before a completion: lets time move to the next one. When
 * there is none although jobs are in flight, the transport words why. */
static aq_status completion_await(runner *run, aq_diag *diag)
{
  aq_status status = run->ops->sleep_until(
      run->transport, sleep_limit(run, AQ_TIME_MAX), true, diag);
  if (status == AQ_OK)
    status = trouble_check(run, diag);
  if (status != AQ_OK || completions_take(run))
    return status;
  uint32_t oldest = 0;
  while (run->jobs.jobs[oldest].complete)
    oldest++;
  const aq_wait_item item = {run->jobs.jobs[oldest].signal, AQ_LT, 1};
  aq_wait_request request = {
      .items = &item, .count = 1, .deadline = AQ_TIME_MAX};
  if (run->live) {
    aq_time look = aq_time_min(patience_left(run), LOOK_MS * AQ_MS);
    request.deadline = run->ops->now(run->transport) +
                       wall_scaled(run, aq_time_max(look, GUESS_MS * AQ_MS));
  }
  status = run->ops->wait(run->transport, &request, NULL, diag);
  if (status != AQ_ERR_TIMEOUT || !run->live || completions_take(run))
    return status == AQ_ERR_TIMEOUT ? AQ_OK : status;
  standing_tell(run);
  return patience_left(run) > 0 ? AQ_OK : hang_word(run, diag);
}

/* Lets time move to the submission of the next job. A source that reacts to
 * completions gets to know of each when it happens: it may bring a job
 * forward. */
static aq_status due_await(runner *run, aq_time due, aq_diag *diag)
{
  return run->ops->sleep_until(run->transport, sleep_limit(run, due),
                               run->source->done != NULL, diag);
}

static aq_status run_loop(runner *run, aq_diag *diag)
{
  aq_status status;
  for (uint64_t round = 0;; round++) {
    if (round % ROUNDS_BETWEEN_ASKING == 0 || run->options->open.pace.wall)
      standing_tell(run);
    completions_take(run);
    const aq_time due = run->source->peek(run->source);
    if (due == AQ_TIME_MAX && run->jobs.live == 0)
      break;
    if (due == AQ_TIME_MAX) {
      status = completion_await(run, diag);
    } else if (due > run->ops->now(run->transport)) {
      status = due_await(run, due, diag);
    } else {
      aq_job job;
      bool got;
      status = run->source->next(run->source, &job, &got, diag);
      if (status == AQ_OK && got)
        status = job_submit(run, &job, diag);
    }
    if (status == AQ_OK || status == AQ_ERR_QUEUE) {
      aq_status trouble = trouble_check(run, diag);
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
  return status == AQ_OK ? trouble_check(run, diag) : status;
}

static void text_copy(char *to, size_t size, const char *from)
{
  snprintf(to, size, "%s", from ? from : "");
}

/* What the run is stored with: the model of the first device. */
static void totals_init(aq_run_totals *totals, const aq_device_info *device)
{
  totals->begin = totals->end = AQ_TIME_NONE;
  text_copy(totals->device_model, sizeof totals->device_model, device->model);
  text_copy(totals->model_hash, sizeof totals->model_hash, device->model_hash);
  text_copy(totals->model_verdict, sizeof totals->model_verdict,
            device->verdict);
}

static aq_status run_open(runner *run, aq_record_sink *sink, aq_diag *diag)
{
  aq_transport_options open = run->options->open;
  open.size = sizeof open;
  run->records = sink != NULL;
  open.records = sink ? &run->sink.sink : NULL;
  open.event = system_failed;
  open.event_user = run;
  aq_run_sink_init(&run->sink, sink, run->source);
  aq_status status = run->ops->open(&open, &run->transport, diag);
  if (status != AQ_OK)
    return status;
  run->ops = run->transport->ops;
  run->ops->info(run->transport, &run->info);
  run->live = run->info.caps & AQ_CAP_LIVE;
  aq_jobs_init(&run->jobs, run->transport);
  status = aq_builder_create(&(aq_builder_options){.one_shot = true},
                             &run->builder, diag);
  aq_kernels_init(&run->kernels, run->transport, run->builder);
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
    const uint32_t queues =
        run->options->queues ? clamp_u32(run->options->queues, 1, most) : most;
    aq_queue_map_limit(run->map, i, queues);
    if (queues > run->queues_max)
      run->queues_max = queues;
  }
  run->queues = calloc((size_t)run->info.device_count * run->queues_max,
                       sizeof(*run->queues));
  if (!run->queues)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for queues");
  totals_init(&run->totals, run->info.devices);
  return AQ_OK;
}

/* Frees everything; the transport may put its last rows when it closes. */
static void run_close(runner *run)
{
  const size_t queues = (size_t)run->info.device_count * run->queues_max;
  for (size_t i = 0; run->queues && i < queues; i++)
    if (run->queues[i]) {
      aq_feed_destroy(run->queues[i]->queue);
      free(run->queues[i]);
    }
  free(run->queues);
  aq_queue_map_destroy(run->map);
  aq_builder_destroy(run->builder);
  aq_jobs_fini(&run->jobs);
  aq_kernels_fini(&run->kernels);
  if (run->transport)
    run->ops->close(run->transport);
}

aq_status aq_run(const aq_run_options *options, aq_workload_source *workload,
                 aq_record_sink *sink, aq_run_totals *totals, aq_diag *diag)
{
  runner *run = calloc(1, sizeof *run);
  if (!run)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a run");
  run->options = options;
  run->source = workload;
  run->ops = options->transport;
  aq_status status = run_open(run, sink, diag);
  if (status == AQ_OK)
    status = run_loop(run, diag);
  run_close(run);
  if (status == AQ_OK && sink)
    status = aq_run_sink_flush(&run->sink, diag);
  if (status == AQ_OK && totals)
    *totals = run->totals;
  aq_run_sink_fini(&run->sink);
  free(run);
  return status;
}
