/* SPDX-License-Identifier: MIT */
/* How the parts of a submission get into the ring. */
#include "config.h"

#include "queue/ring/packet_batch.h"

void aq_submit_ring(aq_aql_queue *queue, aq_submit *submit)
{
  aq_packet_batch_ring(queue);
  submit->result.doorbells++;
  submit->doorbell_pending = false;
}

/* ---- room ---- */

/* Gives the kernargs of all packets back that the read index has passed. */
static void kernargs_reclaim(aq_aql_queue *queue)
{
  const uint64_t read = aq_ring_read_index(queue->ring);
  const uint32_t mask = queue->ring->size - 1;
  while (queue->reclaim_first < queue->reclaim_end) {
    const aq_reclaim *entry = &queue->reclaims[queue->reclaim_first & mask];
    if (entry->packet >= read)
      return;
    aq_kernarg_ring_free(&queue->kernargs, entry->head);
    queue->reclaim_first++;
  }
}

aq_status aq_submit_room(aq_aql_queue *queue, aq_submit *submit,
                         aq_packet_span *part, aq_diag *diag)
{
  while (!aq_packet_batch_reserve_space(part, queue)) {
    kernargs_reclaim(queue);
    if (aq_packet_batch_reserve_space(part, queue))
      break;
    const uint32_t space = aq_ring_space(queue->ring);
    /* Rings for published packets first: without the doorbell they would never
     * make room. */
    const uint32_t slots = space < part->slots ? part->slots : space + 1;
    if (submit->doorbell_pending)
      aq_submit_ring(queue, submit);
    uint64_t before;
    aq_status status;
    do { /* as long as packets complete */
      before = aq_ring_read_index(queue->ring);
      status = queue->ops->queue_wait_space(queue->options.transport,
                                            queue->ring, slots,
                                            aq_aql_queue_deadline(queue), diag);
    } while (status == AQ_ERR_TIMEOUT &&
             aq_ring_read_index(queue->ring) != before);
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

/* ---- parts ---- */

/* A packet of its own for the completion: when the last packet of the program
 * is out already, or carries a signal of the observer's. */
static bool needs_trailer(const aq_submit *submit)
{
  return submit->submission->observer && submit->submission->completion.handle;
}

/* Barrier-AND packets hold back all later ones; one takes five signals. */
static void waits_fill(aq_submit *submit, aq_packet_span *span)
{
  const aq_submission *submission = submit->submission;
  while (submit->waits_done < submit->waits && span->packets < span->slots) {
    aq_barrier_packet *packet =
        &aq_packet_batch_next(span,
                              aq_packet_header(AQ_PACKET_BARRIER_AND, 1,
                                               AQ_SCOPE_NONE, AQ_SCOPE_NONE))
             ->barrier;
    const uint32_t from = submit->waits_done++ * AQ_BARRIER_DEPENDENCIES;
    for (uint32_t i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
      if (from + i < submission->wait_count)
        packet->dependency[i] = submission->waits[from + i];
  }
}

/* A barrier packet without dependencies, for a signal. */
static aq_packet barrier_for(aq_signal signal)
{
  return (aq_packet){
      .barrier = {.header = aq_packet_header(AQ_PACKET_BARRIER_AND, 1,
                                             AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM),
                  .completion_signal = signal}};
}

static aq_walk payload_fill(aq_aql_queue *queue, aq_submit *submit,
                            aq_packet_span *span)
{
  const aq_observer *observer = submit->submission->observer;
  /* Waits hold back only what carries the barrier bit. */
  if (span->packets > 0)
    submit->processor.carry |= 1 << AQ_HEADER_BARRIER_SHIFT;
  if (submit->submission->log) {
    span->log = submit->submission->log;
    return aq_processor_fill_times(&submit->processor, span);
  }
  if (!observer)
    return aq_processor_fill(&submit->processor, span);
  span->log = &queue->page->log;
  return observer->what == AQ_OBSERVE_TIMES
             ? aq_processor_fill_times(&submit->processor, span)
             : aq_processor_fill_stats(&submit->processor, span);
}

/* The last part carries the completion. */
static void completion_add(const aq_submit *submit, aq_packet_span *span)
{
  const aq_signal completion = submit->submission->completion;
  if (completion.handle == 0)
    return;
  if (needs_trailer(submit) || span->packets == 0) {
    const aq_packet barrier = barrier_for(completion);
    aq_packet_batch_add(span, &barrier);
    return;
  }
  const uint64_t last = span->first + span->packets - 1;
  aq_ring_slot(span->ring, last)->kernel.completion_signal = completion;
  aq_walk_log *log = submit->submission->log;
  if (log && log->used > 0 && log->entries[log->used - 1].packet == last)
    log->entries[log->used - 1].signal = AQ_WALK_COMPLETION;
}

static void submit_publish(aq_aql_queue *queue, aq_submit *submit,
                           const aq_packet_span *span)
{
  aq_packet_batch_close(span, queue);
  if (span->packets == 0)
    return;
  aq_packet_batch_publish(span, queue);
  if (submit->result.packets == 0)
    submit->result.first = span->first;
  submit->doorbell_pending = true;
  submit->result.packets += span->packets;
  /* Releases the arguments used so far once `packet` is read. */
  const uint64_t packet = span->first + span->packets - 1;
  const uint32_t mask = queue->ring->size - 1;
  if (queue->reclaim_end - queue->reclaim_first > mask)
    kernargs_reclaim(queue);
  queue->reclaims[queue->reclaim_end++ & mask] =
      (aq_reclaim){packet, queue->kernargs.head};
}

/* The reason why a walk stopped. */
static aq_status walk_resume(aq_aql_queue *queue, aq_submit *submit,
                             aq_walk walk, aq_diag *diag)
{
  const aq_observer *observer = submit->submission->observer;
  aq_status status = AQ_OK;
  if (walk == AQ_WALK_BUDGET)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "the program entered more than %llu blocks",
                       (unsigned long long)(submit->submission->visits
                                                ? submit->submission->visits
                                                : AQ_VISITS_DEFAULT));
  if (walk == AQ_WALK_DEPTH)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "the program has more than %d calls within calls",
                       AQ_CALL_DEPTH);
  if (submit->doorbell_pending && (walk == AQ_WALK_DRAIN || observer))
    aq_submit_ring(queue, submit);
  if (walk == AQ_WALK_DRAIN) {
    status = aq_aql_queue_await(queue, queue->drain, diag);
    queue->ops->signal_store(queue->options.transport, queue->drain, 1,
                             AQ_RELEASE);
  }
  if (status == AQ_OK && observer && submit->payload)
    status = aq_page_turn(queue, observer, diag);
  return status;
}

/* Fills and publishes the next part of a submission. */
static aq_status part_submit(aq_aql_queue *queue, aq_submit *submit,
                             aq_diag *diag)
{
  aq_packet_span span;
  aq_packet_batch_begin(&span, queue);
  span.drain = &submit->drain;
  /* Slots and kernarg bytes of the next part: all that the flow is known to
   * need, or as much as the ring holds. */
  const uint64_t most = queue->ring->size;
  uint64_t slots = submit->waits - submit->waits_done;
  uint64_t payload = 0, bytes = 0;
  if (submit->payload) {
    aq_processor_demand(&submit->processor, most, &payload, &bytes);
    slots += payload + needs_trailer(submit);
    /* The end may be near, without a packet for the completion. */
    if (slots == 0)
      slots = 1;
  }
  const uint64_t limit = aq_kernarg_ring_limit(&queue->kernargs);
  span.slots = (uint32_t)(slots < most ? slots : most);
  span.kernarg_size = (uint32_t)(bytes < limit ? bytes : limit);
  aq_status status = aq_submit_room(queue, submit, &span, diag);
  if (status != AQ_OK)
    return status;
  waits_fill(submit, &span);
  const uint32_t waits = span.packets;
  aq_walk walk = AQ_WALK_END;
  if (submit->payload) {
    span.slots -= needs_trailer(submit);
    walk = payload_fill(queue, submit, &span);
  }
  if (walk == AQ_WALK_END && submit->waits_done == submit->waits) {
    submit->payload = false;
    completion_add(submit, &span);
  }
  if (queue->options.packets && span.packets != 0)
    queue->options.packets(
        &(aq_aql_queue_packets){
            .first = span.first,
            .waits = waits,
            .payload = span.packets - waits,
            .index = submit->payload_done,
        },
        queue->options.user);
  submit->payload_done += span.packets - waits;
  submit_publish(queue, submit, &span);
  return walk_resume(queue, submit, walk, diag);
}

aq_status aq_submit_waits(aq_aql_queue *queue, aq_submit *submit,
                          const aq_packet *last, aq_diag *diag)
{
  const uint64_t most = queue->ring->size;
  bool added = false;
  while (!added) {
    const uint64_t slots = submit->waits - submit->waits_done + UINT64_C(1);
    aq_packet_span span;
    aq_packet_batch_begin(&span, queue);
    span.slots = (uint32_t)(slots < most ? slots : most);
    aq_status status = aq_submit_room(queue, submit, &span, diag);
    if (status != AQ_OK)
      return status;
    waits_fill(submit, &span);
    if (span.packets < span.slots) {
      aq_packet_batch_add(&span, last);
      added = true;
    }
    submit_publish(queue, submit, &span);
  }
  return AQ_OK;
}

aq_status aq_submit_run(aq_aql_queue *queue, aq_submit *submit, aq_diag *diag)
{
  const aq_observer *observer = submit->submission->observer;
  const bool payload = submit->payload;
  aq_status status = AQ_OK;
  if (payload && submit->link->program->flags & AQ_PROGRAM_DRAINS) {
    status = aq_aql_queue_signal(queue, &queue->drain, diag);
    submit->drain = barrier_for(queue->drain);
  }
  while (status == AQ_OK &&
         (submit->waits_done < submit->waits || submit->payload))
    status = part_submit(queue, submit, diag);
  if (status == AQ_OK && payload) {
    queue->carry = submit->processor.carry;
    if (observer) {
      if (submit->doorbell_pending)
        aq_submit_ring(queue, submit);
      status = aq_page_turn(queue, observer, diag);
    }
  }
  return status;
}
