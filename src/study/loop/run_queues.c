/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "study/loop/run_priv.h"

enum {
  QUEUE_SIZE_DEFAULT = 16384, /* packets, as HIP makes its queues */
};

/* A queue stopped: keeps the packet's origin for the end of the run. */
static void queue_failed(const aq_queue_error *error, void *user)
{
  aq_runner *run = ((aq_runner_queue *)user)->run;
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
void aq_runner_event(const aq_system_event *event, void *user)
{
  aq_runner *run = user;
  if (run->failed != AQ_OK)
    return;
  aq_status failed =
      aq_diag_set(&run->failure, AQ_ERR_QUEUE, "%s", event->text);
  __atomic_store_n(&run->failed, failed, __ATOMIC_RELEASE);
}

static void note_fill(const aq_runner *run, aq_packet_note *note)
{
  const aq_job *job = run->part->job;
  note->via = job->via;
  note->correlation = job->correlation;
  note->stream = job->stream;
  note->pid = job->pid;
  note->tid = job->tid;
  note->host_begin = job->host_begin;
  note->host_end = job->host_end;
}

/* Packets of the current job are about to be published. */
static void packets_note(const aq_aql_queue_packets *packets, void *user)
{
  const aq_runner_queue *queue = user;
  aq_runner *run = queue->run;
  uint64_t id = packets->first;
  for (uint32_t i = 0; i < packets->waits; i++) {
    aq_packet_note *note =
        aq_record_annotator_note(&run->sink, queue->number, id++);
    note_fill(run, note);
    note->kind = note->origin = note->name = note->bytes = AQ_NONE;
    note->flags = 0;
    note->unknown = 0;
  }
  for (uint32_t i = 0; i < packets->payload; i++) {
    const aq_command *command = &run->part->commands[packets->index + i];
    aq_packet_note *note =
        aq_record_annotator_note(&run->sink, queue->number, id++);
    note_fill(run, note);
    note->kind = command->kind;
    note->origin = command->origin;
    note->name = command->name;
    note->bytes = command->bytes;
    note->flags = command->flags;
    note->unknown = command->unknown;
    if (run->edge && packets->index + i == 0)
      note->flags |= AQ_FLAG_EDGE;
  }
}

aq_status aq_runner_queue_create(aq_runner *run, uint32_t device,
                                 aq_runner_queue **out, aq_diag *diag)
{
  const aq_device_info *info = &run->info.devices[device];
  aq_runner_queue *queue = calloc(1, sizeof *queue);
  if (!queue)
    return aq_diag_no_memory(diag);
  queue->run = run;
  queue->number = run->queue_count;
  const uint32_t wanted =
      run->options->queue_size ? run->options->queue_size : QUEUE_SIZE_DEFAULT;
  aq_status status = aq_aql_queue_create(
      &(aq_aql_queue_options){
          .transport = run->transport,
          .device = device,
          .size = aq_runner_clamp(wanted, info->queue_size_min,
                                  info->queue_size_max),
          .patience =
              run->live ? aq_runner_wall_scaled(run, run->options->timeout) : 0,
          .error = queue_failed,
          .packets = run->records ? packets_note : NULL,
          .user = queue,
      },
      &queue->queue, diag);
  if (status == AQ_OK && run->records)
    status = aq_record_annotator_add(&run->sink,
                                     aq_aql_queue_ring(queue->queue), diag);
  if (status == AQ_OK && run->measure.on)
    status = aq_signal_timestamps_queue(
        &run->sink.sink, info, device, aq_aql_queue_ring(queue->queue),
        &queue->device_row, &queue->queue_row, diag);
  if (status != AQ_OK) {
    aq_runner_queue_destroy(queue);
    return status;
  }
  run->queue_count++;
  *out = queue;
  return AQ_OK;
}

void aq_runner_queue_destroy(aq_runner_queue *queue)
{
  aq_aql_queue_destroy(queue->queue);
  free(queue);
}

/* Ids of streams are small or addresses: their top bits are free. */
int64_t aq_runner_stream_key(const aq_runner *run, const aq_job *job)
{
  const uint64_t fold = job->device / run->info.device_count;
  const int64_t stream = job->queue != AQ_NONE ? job->queue : job->stream;
  return (int64_t)((uint64_t)stream ^ fold << 48);
}

aq_status aq_runner_queue_find(aq_runner *run, const aq_job *job,
                               aq_runner_queue **out, aq_diag *diag)
{
  uint32_t at;
  const uint32_t device = job->device % run->info.device_count;
  aq_status status = aq_queue_map_find(
      run->map, device, aq_runner_stream_key(run, job), &at, diag);
  if (status != AQ_OK)
    return status;
  aq_runner_queue **slot = &run->queues[device * run->queues_max + at];
  if (!*slot)
    status = aq_runner_queue_create(run, device, slot, diag);
  if (status == AQ_OK)
    *out = *slot;
  return status;
}

aq_status aq_runner_trouble(aq_runner *run, aq_diag *diag)
{
  /* Acquire pairs with the device's release: the words are there. */
  aq_status failed = __atomic_load_n(&run->failed, __ATOMIC_ACQUIRE);
  if (failed != AQ_OK) {
    if (diag)
      *diag = run->failure;
    return failed;
  }
  return run->records ? aq_record_annotator_check(&run->sink, diag) : AQ_OK;
}
