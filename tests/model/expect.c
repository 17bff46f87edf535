/* SPDX-License-Identifier: MIT */
/*
 * The timeline as the rules and constants give it. Packets wait only for
 * packets before them, so one pass in the order of reservation is enough: each
 * time is the latest of the awaited times, plus a constant.
 */
#include "model/timeline.h"

#include <inttypes.h>
#include <string.h>

/* Times that a record does not have. */
typedef struct extra {
  aq_time look;      /* a barrier packet first looks at its signals */
  aq_time gone;      /* the next packet may launch */
  aq_time slot_free; /* of itself, not of the ones before it */
} extra;

typedef struct expectation {
  const model_program *p;
  const model_device *device;
  model_timeline *out;
  extra extras[MODEL_PACKETS];
  aq_time host;                   /* where the host is */
  aq_record known[MODEL_PACKETS]; /* rows of the pass before */
  struct {
    aq_time mapped, batch_start, batch_end, submit;
    unsigned in_batch;
  } queues[MODEL_QUEUES];
} expectation;

bool model_is_exact(const model_program *p)
{
  if (model_is_contended(p))
    return false;
  for (unsigned q = 0; q < p->queue_count; q++) {
    if (p->device.fetch_window < p->queue_size[q])
      return false;
    /* As many packets may be in flight as the ring has slots. */
    if (p->device.advance_at_launch &&
        model_queue_packets(p, q) > p->queue_size[q])
      return false;
  }
  return true;
}

static bool before(const expectation *e, unsigned i, unsigned j)
{
  const model_packet *a = &e->p->packets[i], *b = &e->p->packets[j];
  return a->queue == b->queue && a->id < b->id && !a->removed;
}

static aq_time acquire_of(const expectation *e, const model_packet *packet)
{
  const aq_time times[] = {0, e->device->acquire_agent,
                           e->device->acquire_system};
  return times[packet->acquire];
}

static aq_time release_of(const expectation *e, const model_packet *packet)
{
  const aq_time times[] = {0, e->device->release_agent,
                           e->device->release_system};
  return times[packet->release];
}

/* The latest completion of the packets before `index` in its queue. */
static aq_time all_complete(const expectation *e, unsigned index)
{
  aq_time latest = 0;
  for (unsigned i = 0; i < index; i++)
    if (before(e, i, index))
      latest = aq_time_max(latest, e->out->rows[i].complete);
  return latest;
}

/* A row's queue is busy until then: its completion, or the error of a packet
 * before which the queue ended. */
static aq_time busy_until(const expectation *e, unsigned index)
{
  aq_time until = e->known[index].complete;
  for (unsigned i = 0; i <= index; i++)
    if (e->p->packets[i].type == MODEL_BAD_TYPE &&
        (i == index || before(e, i, index)))
      until = e->known[i].launch;
  return until;
}

/* How long the device has had nothing to do: a queue of the host agent
 * alone, all others together. */
static aq_time idle_find(const expectation *e, unsigned index, aq_time time)
{
  const unsigned queue = e->p->packets[index].queue;
  aq_time since = all_complete(e, index);
  for (unsigned i = 0; i < e->p->packet_count; i++) {
    const model_packet *packet = &e->p->packets[i];
    const aq_record *row = &e->known[i];
    if (packet->removed || packet->queue == queue ||
        e->p->queue_host[packet->queue] || e->p->queue_host[queue] ||
        row->kind == 0 || row->submit >= time)
      continue;
    if (busy_until(e, i) > time)
      return aq_time_min(time - since, 0);
    if (packet->type != MODEL_BAD_TYPE && row->complete <= time)
      since = aq_time_max(since, row->complete);
  }
  return time - since;
}

/* ---- the ring ---- */

/* The packet is noticed when it and all before it are published. */
static void submit_find(expectation *e, unsigned index)
{
  const model_packet *packet = &e->p->packets[index];
  aq_record *row = &e->out->rows[index];
  row->submit =
      aq_time_max(e->out->published[index], e->queues[packet->queue].submit);
  e->queues[packet->queue].submit = row->submit;
  const model_device *device = e->device;
  const aq_time idle = idle_find(e, index, row->submit);
  aq_time *mapped = &e->queues[packet->queue].mapped;
  if (packet->id == 0)
    *mapped = row->submit + device->remap_latency;
  else if (idle >= device->unmap_after)
    *mapped = row->submit + device->remap_latency +
              aq_time_ramp(idle, device->unmap_after, device->remap_ramp);
  else if (idle >= 0)
    *mapped = aq_time_max(
        *mapped, row->submit + aq_time_ramp(idle, AQ_US, device->idle_ramp));
}

/* It joins the batch before it if it was known when that was read. */
static void fetch_find(expectation *e, unsigned index)
{
  const model_packet *packet = &e->p->packets[index];
  aq_record *row = &e->out->rows[index];
  aq_time known = aq_time_max(row->submit, e->queues[packet->queue].mapped) +
                  e->device->doorbell_to_fetch;
  aq_time *start = &e->queues[packet->queue].batch_start;
  aq_time *end = &e->queues[packet->queue].batch_end;
  unsigned *count = &e->queues[packet->queue].in_batch;
  if (packet->id == 0 || *count == e->device->fetch_batch || known > *start) {
    *start = aq_time_max(known, *end);
    *end = *start + e->device->packet_fetch;
    *count = 0;
  }
  ++*count;
  *end += e->device->packet_decode;
  row->fetch = *end;
}

/* ---- launch to completion ---- */

static void launch_find(expectation *e, unsigned index)
{
  const model_packet *packet = &e->p->packets[index];
  aq_record *row = &e->out->rows[index];
  row->launch = row->fetch;
  for (unsigned i = 0; i < index; i++) {
    if (!before(e, i, index))
      continue;
    row->launch = aq_time_max(row->launch, e->extras[i].gone);
    if (packet->barrier || model_blocks(&e->p->packets[i]))
      row->launch = aq_time_max(row->launch, e->out->rows[i].complete);
  }
}

/* The end of the last kernel before it, if its start is back-to-back. */
static aq_time last_end_find(const expectation *e, unsigned index)
{
  const aq_record *row = &e->out->rows[index];
  aq_time last = AQ_TIME_NONE;
  bool kernel_before = false;
  for (unsigned i = 0; i < index; i++) {
    if (!before(e, i, index))
      continue;
    kernel_before = e->p->packets[i].type == AQ_PACKET_KERNEL_DISPATCH;
    if (kernel_before)
      last = aq_time_max(last, e->out->rows[i].end);
  }
  if (!e->device->back_to_back || !kernel_before ||
      !e->p->packets[index].barrier || row->fetch + e->device->glue_lead > last)
    return AQ_TIME_NONE;
  return last;
}

static void kernel_find(expectation *e, unsigned index)
{
  const model_packet *packet = &e->p->packets[index];
  aq_record *row = &e->out->rows[index];
  aq_time wave =
      row->launch + acquire_of(e, packet) + e->device->dispatch_setup;
  aq_time stamp = last_end_find(e, index);
  row->kind = AQ_KIND_KERNEL;
  row->flags = stamp == AQ_TIME_NONE ? 0 : AQ_FLAG_BACK_TO_BACK;
  row->start = stamp == AQ_TIME_NONE ? wave : stamp;
  row->end = wave + packet->duration;
  e->extras[index].gone = wave;
  e->out->calls[index] = packet->host;
}

/* A look at an instant sees the instant's events, except the host's, which come
 * last. */
static bool is_there(const model_change *change, aq_time look)
{
  return change->host ? change->time < look : change->time <= look;
}

/* When a packet that first looks at `look` sees a signal satisfied: at once, or
 * dependency_poll after a change, if it is still satisfied then. */
static aq_time seen_find(const expectation *e, const model_packet *packet,
                         int signal, aq_time look)
{
  model_change changes[MODEL_PACKETS + 1];
  unsigned i = 0, count = model_history(e->p, e->out, signal, changes);
  int64_t value = e->p->signals[signal].initial;
  for (;;) {
    while (i < count && is_there(&changes[i], look))
      value = changes[i++].value;
    if (model_satisfies(packet, value))
      return look;
    while (i < count && !model_satisfies(packet, changes[i].value))
      value = changes[i++].value;
    if (i == count)
      return AQ_TIME_MAX;
    value = changes[i].value;
    look = changes[i++].time + e->device->dependency_poll;
  }
}

static void barrier_find(expectation *e, unsigned index)
{
  const model_packet *packet = &e->p->packets[index];
  aq_record *row = &e->out->rows[index];
  bool any = packet->type == AQ_PACKET_BARRIER_OR;
  aq_time look = row->launch + model_look(e->p, index);
  row->start = any ? AQ_TIME_MAX : look;
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++) {
    if (packet->dependency[i] == MODEL_NONE)
      continue;
    aq_time seen = seen_find(e, packet, packet->dependency[i], look);
    row->start =
        any ? aq_time_min(row->start, seen) : aq_time_max(row->start, seen);
  }
  row->kind = any                                ? AQ_KIND_BARRIER_OR
              : packet->type == MODEL_VALUE_TYPE ? AQ_KIND_VENDOR
                                                 : AQ_KIND_BARRIER_AND;
  row->flags = 0;
  row->end = row->start + acquire_of(e, packet);
  e->extras[index].gone = look;
}

/* An agent dispatch, or a buffer without commands: only its fences take time,
 * and the buffer's way there. */
static void call_find(expectation *e, unsigned index)
{
  const model_packet *packet = &e->p->packets[index];
  aq_record *row = &e->out->rows[index];
  bool agent = packet->type == AQ_PACKET_AGENT_DISPATCH;
  row->kind = agent ? AQ_KIND_AGENT : AQ_KIND_VENDOR;
  row->flags = 0;
  row->start = row->end = row->launch + acquire_of(e, packet) +
                          (agent ? 0 : e->device->barrier_process);
  e->extras[index].gone = row->start;
  e->out->calls[index] = agent;
}

static void packet_find(expectation *e, unsigned index)
{
  const model_packet *packet = &e->p->packets[index];
  aq_record *row = &e->out->rows[index];
  submit_find(e, index);
  fetch_find(e, index);
  launch_find(e, index);
  e->out->records[index] = 1;
  if (packet->type == MODEL_BAD_TYPE) {
    row->kind = AQ_KIND_VENDOR;
    row->flags = AQ_FLAG_ERROR;
    row->start = row->end = row->complete = AQ_TIME_NONE;
    e->out->errors[packet->queue] = 1;
    return;
  }
  if (model_is_barrier(packet))
    barrier_find(e, index);
  else if (packet->type == AQ_PACKET_KERNEL_DISPATCH)
    kernel_find(e, index);
  else
    call_find(e, index);
  row->complete = row->end + release_of(e, packet) + e->device->signal_write;
  if (packet->type == AQ_PACKET_KERNEL_DISPATCH)
    row->complete += e->device->end_of_pipe;
  e->extras[index].slot_free =
      e->device->advance_at_launch ? row->launch : row->complete;
  e->out->read_index[packet->queue]++;
  if (packet->completion != MODEL_NONE)
    e->out->values[packet->completion]--;
}

/* ---- the host ---- */

/* Slots come back in order, so the last one that is needed decides with all
 * before it. */
static void space_wait(expectation *e, unsigned first, unsigned count)
{
  uint64_t need[MODEL_QUEUES] = {0};
  for (unsigned i = first; i < first + count; i++)
    if (!e->p->packets[i].removed)
      need[e->p->packets[i].queue] = e->p->packets[i].id + 1;
  for (unsigned i = 0; i < first; i++) {
    const model_packet *packet = &e->p->packets[i];
    if (!packet->removed &&
        packet->id + e->p->queue_size[packet->queue] < need[packet->queue])
      e->host = aq_time_max(e->host, e->extras[i].slot_free);
  }
}

static void actions_do(expectation *e, const model_action *action,
                       unsigned count)
{
  for (; count-- > 0; action++) {
    e->host += action->pause;
    if (action->store)
      e->out->stored[action->index] = e->host;
    else if (!e->p->packets[action->index].removed)
      e->out->published[action->index] = e->host;
  }
}

static void pass(expectation *e)
{
  const model_program *p = e->p;
  model_timeline *out = e->out;
  memset(out, 0, sizeof *out);
  for (unsigned i = 0; i < p->signal_count; i++)
    out->values[i] =
        p->signals[i].kind == MODEL_STORED ? 0 : p->signals[i].initial;
  unsigned first = 0, action = 0;
  for (unsigned b = 0; b < p->burst_count; b++) {
    space_wait(e, first, p->bursts[b].packets);
    actions_do(e, &p->actions[action], p->bursts[b].actions);
    for (unsigned i = first; i < first + p->bursts[b].packets; i++)
      if (!p->packets[i].removed)
        packet_find(e, i);
    first += p->bursts[b].packets;
    action += p->bursts[b].actions;
  }
}

/* Whether the device sleeps at a doorbell follows from packets of all queues,
 * later ones in the order of reservation too: passes are repeated until they
 * agree. */
void model_expect(const model_program *p, model_timeline *out)
{
  enum { PASSES_MAX = 2 * MODEL_PACKETS };
  aq_record known[MODEL_PACKETS];
  memset(known, 0, sizeof known);
  for (unsigned i = 0; i < PASSES_MAX; i++) {
    expectation e = {.p = p, .device = &p->device, .out = out};
    memcpy(e.known, known, sizeof known);
    pass(&e);
    if (memcmp(known, out->rows, sizeof known) == 0)
      return;
    memcpy(known, out->rows, sizeof known);
  }
}

/* ---- comparing ---- */

bool model_timeline_same(const model_program *p, const model_timeline *got,
                         const model_timeline *expected, char text[256])
{
#define COMPARE(what, index, member)                                           \
  if (got->member != expected->member) {                                       \
    snprintf(text, 256, "%s %u: " #member " is %lld, expected %lld", what,     \
             index, (long long)got->member, (long long)expected->member);      \
    return false;                                                              \
  }
  for (unsigned i = 0; i < p->packet_count; i++) {
    if (p->packets[i].removed)
      continue;
    COMPARE("packet", i, published[i])
    COMPARE("packet", i, records[i])
    COMPARE("packet", i, rows[i].submit)
    COMPARE("packet", i, rows[i].fetch)
    COMPARE("packet", i, rows[i].launch)
    COMPARE("packet", i, rows[i].start)
    COMPARE("packet", i, rows[i].end)
    COMPARE("packet", i, rows[i].complete)
    COMPARE("packet", i, rows[i].kind)
    COMPARE("packet", i, rows[i].flags)
    COMPARE("packet", i, calls[i])
  }
  for (unsigned i = 0; i < p->signal_count; i++) {
    COMPARE("signal", i, stored[i])
    COMPARE("signal", i, values[i])
  }
  for (unsigned i = 0; i < p->queue_count; i++) {
    COMPARE("queue", i, read_index[i])
    COMPARE("queue", i, errors[i])
  }
#undef COMPARE
  return true;
}
