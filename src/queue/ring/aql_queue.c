/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/ring/aql_queue.h"

#include <stdlib.h>

#include "cmdbuf/link_image.h"
#include "queue/ring/aql_queue_priv.h"

static aq_status options_check(const aq_aql_queue_options *options,
                               aq_diag *diag)
{
  const uint64_t kernargs = options->kernarg_size;
  if (options->size < 2 || (options->size & (options->size - 1)) != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue size %u: a power of two expected", options->size);
  if (kernargs < UINT64_C(2) * AQ_KERNARG_ALIGN ||
      (kernargs & (kernargs - 1)) != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "kernarg ring of %llu bytes: a power of two expected",
                       (unsigned long long)kernargs);
  return AQ_OK;
}

/* Acquire: its submitter may have made it just now. */
static void waiter_fail(const aq_aql_queue *queue, const aq_signal *signal)
{
  const aq_signal made = {__atomic_load_n(&signal->handle, __ATOMIC_ACQUIRE)};
  if (made.handle)
    queue->ops->signal_store(queue->options.transport, made, -1, AQ_RELEASE);
}

/* Fails everything that waits for this queue. On the transport's thread. */
static void queue_failed(const aq_queue_error *error, void *user)
{
  const aq_aql_queue *queue = user;
  waiter_fail(queue, &queue->drain);
  waiter_fail(queue, &queue->walk_done);
  queue->options.error(error, queue->options.user);
}

/* The queue's own memory and its resources of the transport. */
static aq_status queue_init(aq_aql_queue *queue, aq_diag *diag)
{
  const aq_aql_queue_options *options = &queue->options;
  /* Written before they are read: a ring as HIP makes it has 16384 of each. */
  queue->headers = malloc(options->size * sizeof *queue->headers);
  queue->reclaims = malloc(options->size * sizeof *queue->reclaims);
  if (!queue->headers || !queue->reclaims)
    return aq_diag_no_memory(diag);
  void *memory;
  aq_status status = queue->ops->mem_alloc(
      options->transport, options->device, AQ_MEMORY_KERNARG,
      options->kernarg_size, &memory, diag);
  if (status != AQ_OK)
    return status;
  queue->kernargs =
      (aq_kernarg_ring){.memory = memory, .capacity = options->kernarg_size};
  return queue->ops->queue_create(
      options->transport,
      &(aq_queue_desc){
          .device = options->device,
          .size = options->size,
          .type = options->cooperative ? AQ_QUEUE_COOPERATIVE : AQ_QUEUE_SINGLE,
          .error = options->error ? queue_failed : NULL,
          .user = queue,
      },
      &queue->ring, diag);
}

aq_status aq_aql_queue_create(const aq_aql_queue_options *options,
                              aq_aql_queue **out, aq_diag *diag)
{
  aq_aql_queue_options chosen = *options;
  if (chosen.kernarg_size == 0)
    chosen.kernarg_size = (uint64_t)chosen.size * 2 * AQ_KERNARG_ALIGN;
  aq_status status = options_check(&chosen, diag);
  if (status != AQ_OK)
    return status;
  aq_aql_queue *queue = calloc(1, sizeof *queue);
  if (!queue)
    return aq_diag_no_memory(diag);
  queue->options = chosen;
  queue->ops = chosen.transport->ops;
  status = queue_init(queue, diag);
  if (status != AQ_OK) {
    aq_aql_queue_destroy(queue);
    return status;
  }
  *out = queue;
  return AQ_OK;
}

void aq_aql_queue_destroy(aq_aql_queue *queue)
{
  if (!queue)
    return;
  aq_transport *t = queue->options.transport;
  aq_aql_queue_finish(queue, NULL);
  /* First: packets of a queue that failed may still use all of the rest. */
  if (queue->ring)
    queue->ops->queue_destroy(t, queue->ring);
  aq_walk_close(queue);
  aq_page_close(queue);
  aq_builtins_release(t, &queue->builtins);
  if (queue->drain.handle)
    queue->ops->signal_destroy(t, queue->drain);
  if (queue->kernargs.memory)
    queue->ops->mem_free(t, queue->kernargs.memory);
  free(queue->pm4);
  free(queue->reclaims);
  free(queue->headers);
  free(queue);
}

const aq_ring *aq_aql_queue_ring(const aq_aql_queue *queue)
{
  return queue->ring;
}

aq_status aq_aql_queue_change(aq_aql_queue *queue, aq_queue_control control,
                              const aq_queue_control_args *args, aq_diag *diag)
{
  return queue->ops->queue_control(queue->options.transport, queue->ring,
                                   control, args, diag);
}

/* ---- submissions ---- */

static aq_status builtins_find(aq_aql_queue *queue, const aq_program *program,
                               aq_diag *diag)
{
  if (queue->builtins_known || !(program->flags & AQ_PROGRAM_NEEDS))
    return AQ_OK;
  aq_status status = aq_builtins_register(
      queue->options.transport, queue->options.device, &queue->builtins, diag);
  queue->builtins_known = status == AQ_OK;
  return status;
}

static aq_status link_find(aq_aql_queue *queue, aq_submit *submit,
                           aq_diag *diag)
{
  const aq_submission *submission = submit->submission;
  aq_status status = AQ_OK;
  submit->link = submission->link;
  if (submission->program) {
    status = builtins_find(queue, submission->program, diag);
    if (status == AQ_OK)
      status = aq_link_init(&submit->direct, submission->program,
                            &queue->builtins, diag);
    submit->link = &submit->direct;
  }
  if (status != AQ_OK || !submit->link)
    return status;
  return aq_link_check_slots(submit->link, submission->bindings,
                             submission->binding_count, diag);
}

static aq_status submission_check(aq_aql_queue *queue, aq_submit *submit,
                                  aq_diag *diag)
{
  if (queue->broken)
    return aq_diag_set(diag, AQ_ERR_QUEUE,
                       "queue %u has failed and takes no more",
                       queue->ring->id);
  aq_status status = link_find(queue, submit, diag);
  if (status != AQ_OK)
    return status;
  /* The host cannot look at values that are hidden from it. */
  submit->on_device =
      submit->submission->on_device ||
      (submit->link &&
       !aq_link_is_visible(submit->link, submit->submission->bindings,
                           queue->options.transport));
  if (submit->on_device && submit->submission->observer)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a program that is walked on the device cannot be "
                       "observed");
  if (!submit->link)
    return AQ_OK;
  const aq_walk_log *log = submit->submission->log;
  if (log && (submit->submission->observer || submit->on_device ||
              log->capacity - log->used < submit->link->program->packets))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a log takes %u packets, of a program of %u that is "
                       "neither observed nor walked on the device",
                       log->capacity - log->used,
                       (unsigned)submit->link->program->packets);
  const uint64_t limit = aq_kernarg_ring_limit(&queue->kernargs);
  if (submit->link->program->kernarg_max > limit)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%u bytes of kernel arguments: the queue's kernarg ring "
                       "takes at most %llu",
                       submit->link->program->kernarg_max,
                       (unsigned long long)limit);
  return AQ_OK;
}

static void submit_start(aq_aql_queue *queue, aq_submit *submit)
{
  const aq_submission *submission = submit->submission;
  submit->waits = (submission->wait_count + AQ_BARRIER_DEPENDENCIES - 1) /
                  AQ_BARRIER_DEPENDENCIES;
  submit->payload = submit->link && submit->link->program->packets > 0;
  if (submit->payload)
    aq_processor_start(&submit->processor, submit->link, submission->bindings,
                       queue->carry, submission->visits);
  else if (submit->waits == 0 && submission->completion.handle != 0)
    submit->waits = 1;
  submit->result.waits = submit->waits;
}

aq_status aq_aql_queue_submit(aq_aql_queue *queue,
                              const aq_submission *submission,
                              aq_submitted *out, aq_diag *diag)
{
  aq_submit submit;
  submit.submission = submission;
  submit.waits_done = 0;
  submit.payload_done = 0;
  submit.result = (aq_submitted){0};
  submit.doorbell_pending = false;
  aq_status status = aq_aql_queue_finish(queue, diag);
  if (status == AQ_OK)
    status = submission_check(queue, &submit, diag);
  if (status == AQ_OK && submission->observer)
    status = aq_page_open(queue, submission->observer, diag);
  if (status != AQ_OK)
    return status;
  submit_start(queue, &submit);
  status = submit.on_device && submit.payload
               ? aq_walk_submit(queue, &submit, diag)
               : aq_submit_run(queue, &submit, diag);
  if (submit.doorbell_pending)
    aq_submit_ring(queue, &submit);
  if (status != AQ_OK) {
    queue->broken |= status != AQ_ERR_RESOURCES;
    return status;
  }
  if (submission->observer)
    aq_page_total(queue, submission->observer, &submit.result);
  if (out)
    *out = submit.result;
  return AQ_OK;
}
