/* SPDX-License-Identifier: MIT */
#include "queue/queue.h"

#include <assert.h>
#include <stdlib.h>

#include "cmdbuf/processor.h"
#include "queue/kernarg_ring.h"

/* Kernargs that are free once the read index has passed `packet`. */
typedef struct reclaim {
  uint64_t packet;
  uint64_t head; /* position of the kernarg ring */
} reclaim;

struct aq_queue {
  aq_queue_options options;
  const aq_transport_ops *ops;
  aq_ring *ring;
  aq_kernarg_ring kernargs;
  uint32_t *headers; /* of the packets being written, as many as the ring */
  reclaim *reclaims; /* ring of entries, one a part, as many as the ring */
  uint64_t reclaim_first, reclaim_end;
  uint16_t carry; /* barrier bits that the last program left */
  bool broken;
};

/* What is left to do of one submission. */
typedef struct submit_state {
  const aq_submission *submission;
  aq_processor processor;
  uint32_t waits, waits_done;
  uint64_t payload, payload_done, kernarg_left;
  aq_submitted result;
  bool unrung; /* published packets that no doorbell has told yet */
} submit_state;

static aq_status options_check(const aq_queue_options *options, aq_diag *diag)
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

/* The queue's own memory and what it gets from the transport. */
static aq_status queue_init(aq_queue *queue, aq_diag *diag)
{
  const aq_queue_options *options = &queue->options;
  queue->headers = calloc(options->size, sizeof *queue->headers);
  queue->reclaims = calloc(options->size, sizeof *queue->reclaims);
  if (!queue->headers || !queue->reclaims)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a queue");
  void *memory;
  aq_status status = queue->ops->mem_alloc(
      options->transport, options->device, AQ_MEMORY_KERNARG,
      options->kernarg_size, &memory, diag);
  if (status != AQ_OK)
    return status;
  queue->kernargs =
      (aq_kernarg_ring){.memory = memory, .capacity = options->kernarg_size};
  return queue->ops->queue_create(options->transport,
                                  &(aq_queue_desc){
                                      .device = options->device,
                                      .size = options->size,
                                      .type = AQ_QUEUE_SINGLE,
                                      .error = options->error,
                                      .user = options->user,
                                  },
                                  &queue->ring, diag);
}

aq_status aq_queue_create(const aq_queue_options *options, aq_queue **out,
                          aq_diag *diag)
{
  aq_queue_options chosen = *options;
  if (chosen.kernarg_size == 0)
    chosen.kernarg_size = (uint64_t)chosen.size * 2 * AQ_KERNARG_ALIGN;
  aq_status status = options_check(&chosen, diag);
  if (status != AQ_OK)
    return status;
  aq_queue *queue = calloc(1, sizeof *queue);
  if (!queue)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a queue");
  queue->options = chosen;
  queue->ops = chosen.transport->ops;
  status = queue_init(queue, diag);
  if (status != AQ_OK) {
    aq_queue_destroy(queue);
    return status;
  }
  *out = queue;
  return AQ_OK;
}

void aq_queue_destroy(aq_queue *queue)
{
  if (!queue)
    return;
  if (queue->ring)
    queue->ops->queue_destroy(queue->options.transport, queue->ring);
  if (queue->kernargs.memory)
    queue->ops->mem_free(queue->options.transport, queue->kernargs.memory);
  free(queue->reclaims);
  free(queue->headers);
  free(queue);
}

const aq_ring *aq_queue_ring(const aq_queue *queue)
{
  return queue->ring;
}

/* Gives the kernargs of all packets back that the read index has passed. */
static void kernargs_reclaim(aq_queue *queue)
{
  const uint64_t read = aq_ring_read_index(queue->ring);
  const uint32_t mask = queue->ring->size - 1;
  while (queue->reclaim_first < queue->reclaim_end) {
    const reclaim *entry = &queue->reclaims[queue->reclaim_first & mask];
    if (entry->packet >= read)
      return;
    aq_kernarg_ring_give(&queue->kernargs, entry->head);
    queue->reclaim_first++;
  }
}

/* Slots and kernarg bytes of the next part: all that is left, or as much as
 * the ring holds. */
static void part_plan(const aq_queue *queue, const submit_state *state,
                      aq_packet_span *span)
{
  const uint64_t waits = state->waits - state->waits_done;
  const uint64_t payload = state->payload - state->payload_done;
  const uint64_t most = queue->ring->size;
  const uint64_t slots = waits + payload < most ? waits + payload : most;
  uint64_t dispatches = slots > waits ? slots - waits : 0;
  uint64_t bytes = state->kernarg_left;
  const uint64_t limit = aq_kernarg_ring_limit(&queue->kernargs);
  if (dispatches > 0 && (dispatches < payload || bytes > limit)) {
    const uint64_t each = state->submission->program->kernarg_max;
    if (each > 0 && dispatches > limit / each)
      dispatches = limit / each;
    if (bytes > dispatches * each)
      bytes = dispatches * each;
  }
  span->slots = (uint32_t)(slots > waits ? waits + dispatches : slots);
  span->kernarg_size = (uint32_t)(dispatches > 0 ? bytes : 0);
}

static void doorbell_ring(aq_queue *queue, submit_state *state)
{
  queue->ops->queue_doorbell(queue->options.transport, queue->ring,
                             aq_ring_write_index(queue->ring) - 1);
  state->result.doorbells++;
  state->unrung = false;
}

/* Waits until `slots` are free; what is already published must be on its way
 * then, or it would wait for itself. */
static aq_status space_wait(aq_queue *queue, submit_state *state,
                            uint32_t slots, aq_diag *diag)
{
  if (state->unrung)
    doorbell_ring(queue, state);
  aq_transport *t = queue->options.transport;
  uint64_t before;
  aq_status status;
  do { /* as long as packets complete */
    before = aq_ring_read_index(queue->ring);
    aq_time deadline = queue->options.patience
                           ? queue->ops->now(t) + queue->options.patience
                           : AQ_TIME_MAX;
    status =
        queue->ops->queue_wait_space(t, queue->ring, slots, deadline, diag);
  } while (status == AQ_ERR_TIMEOUT &&
           aq_ring_read_index(queue->ring) != before);
  return status;
}

static aq_status part_reserve(aq_queue *queue, submit_state *state,
                              aq_packet_span *span, aq_diag *diag)
{
  while (aq_ring_space(queue->ring) < span->slots) {
    aq_status status = space_wait(queue, state, span->slots, diag);
    if (status != AQ_OK)
      return status;
  }
  span->kernarg = aq_kernarg_ring_take(&queue->kernargs, span->kernarg_size);
  while (!span->kernarg) {
    kernargs_reclaim(queue);
    span->kernarg = aq_kernarg_ring_take(&queue->kernargs, span->kernarg_size);
    if (span->kernarg)
      break;
    aq_status status =
        space_wait(queue, state, aq_ring_space(queue->ring) + 1, diag);
    if (status != AQ_OK)
      return status;
  }
  if (!aq_ring_try_reserve_single(queue->ring, span->slots, &span->first))
    assert(!"the only producer lost the space it saw");
  return AQ_OK;
}

/* Barrier-AND packets hold back what follows; one takes five signals. */
static void waits_fill(submit_state *state, aq_packet_span *span)
{
  const aq_submission *submission = state->submission;
  while (state->waits_done < state->waits && span->packets < span->slots) {
    aq_barrier_packet *packet =
        &aq_ring_slot(span->ring, span->first + span->packets)->barrier;
    packet->reserved0 = 0;
    packet->reserved1 = 0;
    packet->reserved2 = 0;
    packet->completion_signal.handle = 0;
    const uint32_t from = state->waits_done++ * AQ_BARRIER_DEPENDENCIES;
    for (uint32_t i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
      packet->dependency[i] = from + i < submission->wait_count
                                  ? submission->waits[from + i]
                                  : (aq_signal){0};
    span->headers[span->packets++] = aq_packet_header(
        AQ_PACKET_BARRIER_AND, 1, AQ_SCOPE_NONE, AQ_SCOPE_NONE);
  }
}

static void part_tell(aq_queue *queue, const submit_state *state,
                      const aq_packet_span *span)
{
  if (!queue->options.packets)
    return;
  const uint32_t left = state->waits - state->waits_done;
  const uint32_t waits = left < span->slots ? left : span->slots;
  queue->options.packets(
      &(aq_queue_packets){
          .first = span->first,
          .waits = waits,
          .payload = span->slots - waits,
          .index = state->payload_done,
      },
      queue->options.user);
}

static void part_publish(aq_queue *queue, submit_state *state,
                         const aq_packet_span *span)
{
  for (uint32_t i = 0; i < span->packets; i++)
    aq_packet_publish(aq_ring_slot(span->ring, span->first + i),
                      (uint16_t)span->headers[i],
                      (uint16_t)(span->headers[i] >> 16));
  state->unrung = true;
  const uint32_t mask = queue->ring->size - 1;
  if (queue->reclaim_end - queue->reclaim_first > mask)
    kernargs_reclaim(queue);
  queue->reclaims[queue->reclaim_end++ & mask] =
      (reclaim){span->first + span->packets - 1, queue->kernargs.head};
}

/* Reserves, writes and publishes the next part of a submission. */
static aq_status part_submit(aq_queue *queue, submit_state *state,
                             aq_diag *diag)
{
  aq_packet_span span = {.ring = queue->ring, .headers = queue->headers};
  part_plan(queue, state, &span);
  aq_status status = part_reserve(queue, state, &span, diag);
  if (status != AQ_OK)
    return status;
  part_tell(queue, state, &span);
  if (state->result.packets == 0)
    state->result.first = span.first;

  waits_fill(state, &span);
  const uint32_t waits = span.packets;
  bool ended = true;
  if (state->payload > 0) {
    /* Waits hold back only what carries the barrier bit. */
    if (waits > 0)
      state->processor.carry |= 1 << AQ_HEADER_BARRIER_SHIFT;
    ended = aq_processor_fill(&state->processor, &span);
    state->payload_done += span.packets - waits;
    state->kernarg_left -= span.kernarg_used;
  }
  assert(span.packets == span.slots);
  if (ended && state->waits_done == state->waits)
    aq_ring_slot(queue->ring, span.first + span.packets - 1)
        ->kernel.completion_signal = state->submission->completion;
  part_publish(queue, state, &span);
  state->result.packets += span.packets;
  return AQ_OK;
}

static aq_status submission_check(const aq_queue *queue,
                                  const aq_submission *submission,
                                  aq_diag *diag)
{
  if (queue->broken)
    return aq_diag_set(diag, AQ_ERR_QUEUE,
                       "queue %u has failed and takes no more",
                       queue->ring->id);
  const uint64_t limit = aq_kernarg_ring_limit(&queue->kernargs);
  if (submission->program && submission->program->kernarg_max > limit)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%u bytes of kernel arguments: the queue's kernarg ring "
                       "takes at most %llu",
                       submission->program->kernarg_max,
                       (unsigned long long)limit);
  return AQ_OK;
}

aq_status aq_queue_submit(aq_queue *queue, const aq_submission *submission,
                          aq_submitted *out, aq_diag *diag)
{
  aq_status status = submission_check(queue, submission, diag);
  if (status != AQ_OK)
    return status;
  submit_state state = {.submission = submission};
  state.waits = (submission->wait_count + AQ_BARRIER_DEPENDENCIES - 1) /
                AQ_BARRIER_DEPENDENCIES;
  if (submission->program && submission->program->packets > 0) {
    state.payload = submission->program->packets;
    state.kernarg_left = submission->program->kernarg_size;
    aq_processor_start(&state.processor, submission->program, queue->carry);
  } else if (state.waits == 0 && submission->completion.handle != 0) {
    state.waits = 1;
  }
  state.result.waits = state.waits;
  while (state.waits_done < state.waits || state.payload_done < state.payload) {
    status = part_submit(queue, &state, diag);
    if (status != AQ_OK) {
      queue->broken = true;
      return status;
    }
  }
  if (state.payload > 0)
    queue->carry = state.processor.carry;
  if (state.unrung)
    doorbell_ring(queue, &state);
  if (out)
    *out = state.result;
  return AQ_OK;
}
