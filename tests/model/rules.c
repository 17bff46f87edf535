/* SPDX-License-Identifier: MIT */
/*
 * The ordering rules of AQL over a recorded timeline, packet against packet.
 * Nothing here knows how the processor works; of the device only the
 * constants at which a condition counts as fulfilled are used.
 */
#include "model/timeline.h"

#include <stdarg.h>
#include <string.h>

typedef struct checker {
  const model_program *p;
  const model_timeline *t;
  char *text; /* of the first rule that is broken */
} checker;

static bool __attribute__((format(printf, 2, 3)))
broken(checker *c, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(c->text, 256, format, arguments);
  va_end(arguments);
  return false;
}

static bool before(const checker *c, unsigned i, unsigned j)
{
  const model_packet *a = &c->p->packets[i], *b = &c->p->packets[j];
  return a->queue == b->queue && a->id < b->id && !a->removed;
}

static bool fails(const model_packet *packet)
{
  return packet->type == MODEL_BAD_TYPE;
}

/* Each packet is recorded once, its times rise, and it is not touched before
 * the host published it. */
static bool life_check(checker *c, unsigned i)
{
  const model_packet *packet = &c->p->packets[i];
  const aq_record *row = &c->t->rows[i];
  if (c->t->records[i] != 1)
    return broken(c, "packet %u has %u records", i, c->t->records[i]);
  if (row->submit < c->t->published[i])
    return broken(c, "packet %u is noticed before it is published", i);
  if (row->fetch < row->submit || row->launch < row->fetch)
    return broken(c, "packet %u launches before it is fetched", i);
  if (fails(packet))
    return row->complete == AQ_NONE ||
           broken(c, "packet %u fails and completes", i);
  if (row->end < row->launch || row->complete < row->end ||
      row->start > row->end)
    return broken(c, "packet %u completes before it ends or launches", i);
  if (c->t->calls[i] !=
      (packet->type == AQ_PACKET_AGENT_DISPATCH ||
       (packet->type == AQ_PACKET_KERNEL_DISPATCH && packet->host)))
    return broken(c, "packet %u called its function %u times", i,
                  c->t->calls[i]);
  return true;
}

/* 38, 39, 40, 53: the events that must precede its launch. */
static bool order_check(checker *c, unsigned i)
{
  const aq_record *row = &c->t->rows[i];
  for (unsigned k = 0; k < c->p->packet_count; k++) {
    const aq_record *earlier = &c->t->rows[k];
    if (!before(c, k, i))
      continue;
    if (row->launch < earlier->launch)
      return broken(c, "packet %u launches before packet %u", i, k);
    if (c->p->packets[i].barrier && row->launch < earlier->complete)
      return broken(c, "packet %u has the barrier bit and does not wait for %u",
                    i, k);
    if (model_blocks(&c->p->packets[k]) && row->launch < earlier->complete)
      return broken(c, "packet %u passes barrier packet %u", i, k);
  }
  return true;
}

/* When a signal first satisfied a packet, and since when it always does;
 * AQ_TIME_MAX for never. */
static void satisfied_times(const checker *c, const model_packet *packet,
                            int signal, aq_time *first, aq_time *always)
{
  model_change changes[MODEL_PACKETS + 1];
  unsigned count = model_history(c->p, c->t, signal, changes);
  bool holds = model_satisfies(packet, c->p->signals[signal].initial);
  *first = *always = holds ? 0 : AQ_TIME_MAX;
  for (unsigned i = 0; i < count; i++) {
    holds = model_satisfies(packet, changes[i].value);
    if (!holds)
      *always = AQ_TIME_MAX;
    else if (*always == AQ_TIME_MAX)
      *always = changes[i].time;
    if (holds)
      *first = aq_time_min(*first, changes[i].time);
  }
}

/* 49 to 52, 58: a barrier packet is satisfied after its dependencies, and not
 * later than it can see them. */
static bool dependencies_check(checker *c, unsigned i)
{
  const model_packet *packet = &c->p->packets[i];
  const aq_record *row = &c->t->rows[i];
  if (!model_is_barrier(packet))
    return true;
  bool any = packet->type == AQ_PACKET_BARRIER_OR;
  aq_time first = any ? AQ_TIME_MAX : 0, always = first;
  for (int k = 0; k < AQ_BARRIER_DEPENDENCIES; k++) {
    aq_time one, one_always;
    if (packet->dependency[k] == MODEL_NONE)
      continue;
    satisfied_times(c, packet, packet->dependency[k], &one, &one_always);
    first = any ? aq_time_min(first, one) : aq_time_max(first, one);
    always =
        any ? aq_time_min(always, one_always) : aq_time_max(always, one_always);
  }
  if (row->start < first)
    return broken(c, "packet %u is satisfied before its signals are", i);
  aq_time look = row->launch + model_look(c->p, i);
  if (row->start > look && !model_is_contended(c->p) &&
      row->start > aq_time_add(always, c->p->device.dependency_poll))
    return broken(c, "packet %u is satisfied late", i);
  return true;
}

/* No order is invented: a packet launches at the instant the last of its own
 * conditions came true, if its queue has a pipe of its own. */
static bool promptness_check(checker *c, unsigned i)
{
  const model_device *device = &c->p->device;
  const aq_time acquire[] = {0, device->acquire_agent, device->acquire_system};
  aq_time launch = c->t->rows[i].launch;
  if (launch == c->t->rows[i].fetch || model_is_contended(c->p))
    return true;
  for (unsigned k = 0; k < c->p->packet_count; k++) {
    const model_packet *packet = &c->p->packets[k];
    if (!before(c, k, i))
      continue;
    bool waits = c->p->packets[i].barrier || model_blocks(packet);
    aq_time gone = c->t->rows[k].launch;
    if (model_blocks(packet))
      gone += packet->type == MODEL_PM4_TYPE ? device->barrier_process
                                             : model_look(c->p, k);
    else
      gone += acquire[packet->acquire];
    if (packet->type == AQ_PACKET_KERNEL_DISPATCH)
      gone += device->dispatch_setup;
    if (launch == gone || (waits && launch == c->t->rows[k].complete))
      return true;
  }
  return broken(c, "packet %u launches when nothing happens for it", i);
}

/* 45, 47: each completion subtracts 1, once. */
static bool signals_check(checker *c)
{
  for (unsigned i = 0; i < c->p->signal_count; i++) {
    const model_signal *signal = &c->p->signals[i];
    int64_t value = signal->kind == MODEL_STORED ? 0 : signal->initial;
    for (unsigned k = 0; k < c->p->packet_count; k++)
      value -=
          c->p->packets[k].completion == (int)i && !c->p->packets[k].removed;
    if (c->t->values[i] != value)
      return broken(c, "signal %u ends at %lld, expected %lld", i,
                    (long long)c->t->values[i], (long long)value);
  }
  return true;
}

/* 36, 67: all slots came back, but that of a packet in error. */
static bool queues_check(checker *c)
{
  for (unsigned q = 0; q < c->p->queue_count; q++) {
    unsigned errors = 0;
    for (unsigned i = 0; i < c->p->packet_count; i++)
      errors += c->p->packets[i].queue == q && !c->p->packets[i].removed &&
                fails(&c->p->packets[i]);
    if (c->t->errors[q] != errors)
      return broken(c, "queue %u reports %u errors", q, c->t->errors[q]);
    if (c->t->read_index[q] != model_queue_packets(c->p, q) - errors)
      return broken(c, "queue %u ends with read index %llu", q,
                    (unsigned long long)c->t->read_index[q]);
  }
  return true;
}

bool model_rules_check(const model_program *program,
                       const model_timeline *timeline, char text[256])
{
  checker c = {program, timeline, text};
  if (timeline->failure[0])
    return broken(&c, "%s", timeline->failure);
  for (unsigned i = 0; i < program->packet_count; i++)
    if (!program->packets[i].removed &&
        !(life_check(&c, i) && order_check(&c, i) &&
          dependencies_check(&c, i) && promptness_check(&c, i)))
      return false;
  return signals_check(&c) && queues_check(&c);
}
