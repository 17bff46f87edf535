/* SPDX-License-Identifier: MIT */
#include "model/program.h"

#include <inttypes.h>
#include <string.h>

#include "common/rng.h"

/* ---- draws ---- */

static uint64_t below(aq_rng *rng, uint64_t limit)
{
  return aq_rng_bits(rng) % limit;
}

static bool chance(aq_rng *rng, unsigned percent)
{
  return below(rng, 100) < percent;
}

/* Times of very different sizes, and 0 now and then. */
static aq_time time_draw(aq_rng *rng)
{
  static const aq_time scales[] = {1, 100, 10 * AQ_NS, AQ_US, 20 * AQ_US};
  return (aq_time)below(rng, (uint64_t)scales[below(rng, 5)]);
}

static void device_draw(model_device *device, aq_rng *rng)
{
#define T(name) device->name = time_draw(rng);
  MODEL_TIMES(T)
#undef T
  /* Without these, the events of one instant would have no order. */
  device->doorbell_to_fetch++;
  device->signal_write++;
  device->barrier_process++;
  device->wait_process = 1 + time_draw(rng);
  device->unmap_after++;
  device->idle_ramp = device->packet_fetch / 7;
  device->remap_ramp = device->packet_decode / 5;
  device->fetch_batch = 1 + (uint32_t)below(rng, 6);
  device->fetch_window = chance(rng, 75)
                             ? MODEL_PACKETS
                             : device->fetch_batch + (uint32_t)below(rng, 6);
  device->pipes = MODEL_QUEUES;
  device->slots = 1;
  device->quantum = AQ_S;
  device->back_to_back = chance(rng, 50);
  device->advance_at_launch = chance(rng, 30);
}

/* ---- signals and packets ---- */

/* A signal that packets may still complete, because nothing waits for it. */
static int completion_draw(model_program *p, aq_rng *rng, bool *waited)
{
  if (chance(rng, 15))
    return MODEL_NONE;
  for (int tries = 0; tries < 2 && p->signal_count > 0; tries++) {
    int signal = (int)below(rng, p->signal_count);
    if (!waited[signal] && p->signals[signal].kind != MODEL_STORED)
      return signal;
  }
  if (p->signal_count == MODEL_SIGNALS)
    return MODEL_NONE;
  p->signals[p->signal_count] =
      (model_signal){.kind = chance(rng, 8) ? MODEL_NEVER : MODEL_COUNTED};
  return (int)p->signal_count++;
}

/* A condition of a barrier-value: each holds at 0, which the signals that it
 * may wait for come to; some hold now and then before. */
static void condition_draw(model_packet *packet, aq_rng *rng)
{
  static const struct {
    aq_condition condition;
    int64_t mask, value;
  } conditions[] = {{AQ_EQ, -1, 0}, {AQ_LT, -1, 2}, {AQ_EQ, 1, 0},
                    {AQ_EQ, 2, 0},  {AQ_GE, -1, 0}, {AQ_NE, 3, 2}};
  size_t i = below(rng, sizeof conditions / sizeof *conditions);
  packet->condition = conditions[i].condition;
  packet->mask = conditions[i].mask;
  packet->value = conditions[i].value;
}

/* A barrier-AND may not wait for what never comes; a barrier-OR needs one
 * signal that comes. */
static void dependencies_draw(model_program *p, model_packet *packet,
                              aq_rng *rng, bool *waited)
{
  bool any = packet->type == AQ_PACKET_BARRIER_OR, good = false;
  int most = packet->type == MODEL_VALUE_TYPE ? 1 : AQ_BARRIER_DEPENDENCIES;
  for (int i = 0; i < most; i++) {
    if (p->signal_count == 0 || chance(rng, 50))
      continue;
    int signal = (int)below(rng, p->signal_count);
    if (p->signals[signal].kind == MODEL_NEVER && !any)
      continue;
    packet->dependency[i] = signal;
    waited[signal] = true;
    good = good || p->signals[signal].kind != MODEL_NEVER;
  }
  if (any && !good)
    packet->type = AQ_PACKET_BARRIER_AND;
  if (any && !good)
    for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
      packet->dependency[i] = MODEL_NONE;
}

static void packet_draw(model_program *p, model_packet *packet, aq_rng *rng,
                        bool *waited)
{
  static const unsigned types[] = {AQ_PACKET_KERNEL_DISPATCH,
                                   AQ_PACKET_KERNEL_DISPATCH,
                                   AQ_PACKET_KERNEL_DISPATCH,
                                   AQ_PACKET_KERNEL_DISPATCH,
                                   AQ_PACKET_KERNEL_DISPATCH,
                                   AQ_PACKET_BARRIER_AND,
                                   AQ_PACKET_BARRIER_OR,
                                   MODEL_VALUE_TYPE,
                                   MODEL_PM4_TYPE};
  static const unsigned host_types[] = {
      AQ_PACKET_AGENT_DISPATCH, AQ_PACKET_BARRIER_AND, AQ_PACKET_BARRIER_OR};
  unsigned queue = (unsigned)below(rng, p->queue_count);
  *packet =
      (model_packet){.queue = queue,
                     .type = p->queue_host[queue] ? host_types[below(rng, 3)]
                                                  : types[below(rng, 9)],
                     .barrier = chance(rng, 35),
                     .acquire = (unsigned)below(rng, 3),
                     .release = (unsigned)below(rng, 3),
                     .duration = time_draw(rng),
                     .host = chance(rng, 30)};
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
    packet->dependency[i] = MODEL_NONE;
  condition_draw(packet, rng);
  if (model_is_barrier(packet))
    dependencies_draw(p, packet, rng, waited);
  packet->completion = completion_draw(p, rng, waited);
}

/* ---- bursts ---- */

static void action_swap(model_action *a, model_action *b)
{
  model_action kept = *a;
  *a = *b;
  *b = kept;
}

/* Publishes the packets in some order: mostly as reserved. */
static void actions_shuffle(model_action *actions, unsigned count, aq_rng *rng)
{
  bool wild = chance(rng, 40);
  for (unsigned i = 1; i < count; i++)
    if (wild || actions[i].store)
      action_swap(&actions[i], &actions[below(rng, i + 1)]);
}

static void burst_draw(model_program *p, aq_rng *rng, bool *waited)
{
  model_burst *burst = &p->bursts[p->burst_count++];
  model_action *actions = &p->actions[p->action_count];
  unsigned used[MODEL_QUEUES] = {0}, want = 1 + (unsigned)below(rng, 8);
  *burst = (model_burst){0, 0};
  if (chance(rng, 25) && p->signal_count < MODEL_SIGNALS) {
    p->signals[p->signal_count] = (model_signal){.kind = MODEL_STORED};
    actions[burst->actions++] =
        (model_action){.store = true, .index = (int)p->signal_count++};
  }
  while (burst->packets < want && p->packet_count < MODEL_PACKETS) {
    model_packet *packet = &p->packets[p->packet_count];
    packet_draw(p, packet, rng, waited);
    if (used[packet->queue]++ == p->queue_size[packet->queue])
      break; /* it would never get its slot */
    burst->packets++;
    actions[burst->actions++] = (model_action){.index = (int)p->packet_count++,
                                               .ring = (int)below(rng, 3)};
  }
  actions_shuffle(actions, burst->actions, rng);
  for (unsigned i = 0; i < burst->actions; i++)
    if (i == 0 || chance(rng, 40))
      actions[i].pause = 1 + time_draw(rng);
  p->action_count += burst->actions;
}

/* The last packet of a queue may be an unsupported one. */
static void errors_draw(model_program *p, aq_rng *rng)
{
  bool last[MODEL_QUEUES];
  memset(last, 1, sizeof last);
  for (unsigned i = p->packet_count; i-- > 0;) {
    model_packet *packet = &p->packets[i];
    if (last[packet->queue] && packet->completion == MODEL_NONE &&
        chance(rng, 50))
      packet->type = MODEL_BAD_TYPE;
    last[packet->queue] = false;
  }
}

void model_program_settle(model_program *p)
{
  uint64_t ids[MODEL_QUEUES] = {0};
  for (unsigned i = 0; i < p->signal_count; i++)
    p->signals[i].initial = p->signals[i].kind == MODEL_STORED  ? 3
                            : p->signals[i].kind == MODEL_NEVER ? 1000
                                                                : 0;
  for (unsigned i = 0; i < p->packet_count; i++) {
    model_packet *packet = &p->packets[i];
    if (packet->removed)
      continue;
    packet->id = ids[packet->queue]++;
    if (packet->completion != MODEL_NONE &&
        p->signals[packet->completion].kind == MODEL_COUNTED)
      p->signals[packet->completion].initial++;
  }
}

void model_program_make(model_program *p, uint64_t seed)
{
  bool waited[MODEL_SIGNALS] = {false};
  aq_rng rng;
  memset(p, 0, sizeof *p);
  aq_rng_init(&rng, seed, 0);
  p->seed = seed;
  device_draw(&p->device, &rng);
  p->queue_count = 1 + (unsigned)below(&rng, MODEL_QUEUES);
  for (unsigned i = 0; i < p->queue_count; i++) {
    p->queue_size[i] = 2u << below(&rng, 6);
    p->queue_host[i] = chance(&rng, 15);
  }
  unsigned bursts = 1 + (unsigned)below(&rng, MODEL_BURSTS);
  for (unsigned i = 0; i < bursts; i++)
    burst_draw(p, &rng, waited);
  errors_draw(p, &rng);
  model_program_settle(p);
}

void model_program_contend(model_program *p)
{
  aq_rng rng;
  aq_rng_init(&rng, p->seed, 1);
  p->device.pipes = 1 + (uint32_t)below(&rng, MODEL_QUEUES / 2);
  p->device.slots = 1 + (uint32_t)below(&rng, 3);
  /* Queues take turns as often as it fits into the time of their kernels. */
  p->device.quantum = AQ_NS + time_draw(&rng);
  p->device.drain = chance(&rng, 50);
  for (unsigned i = 0; i < p->queue_count; i++)
    p->queue_priority[i] = (int32_t)below(&rng, 3) - 1;
}

static bool is_behind_barrier(const model_program *p,
                              const model_packet *packet)
{
  for (unsigned i = 0; i < p->packet_count; i++)
    if (!p->packets[i].removed && p->packets[i].queue == packet->queue &&
        p->packets[i].id + 1 == packet->id)
      return model_is_barrier(&p->packets[i]);
  return false;
}

aq_time model_look(const model_program *p, unsigned index)
{
  const model_device *device = &p->device;
  const model_packet *packet = &p->packets[index];
  bool waits = false;
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
    waits |= packet->dependency[i] != MODEL_NONE;
  if (!waits || !device->wait_process)
    return device->barrier_process;
  return device->wait_process +
         (is_behind_barrier(p, packet) ? device->dispatch_setup : 0);
}

uint64_t model_queue_packets(const model_program *p, unsigned queue)
{
  uint64_t count = 0;
  for (unsigned i = 0; i < p->packet_count; i++)
    count += p->packets[i].queue == queue && !p->packets[i].removed;
  return count;
}

/* ---- text ---- */

static void packet_print(const model_program *p, unsigned index, FILE *file)
{
  static const char *const types[] = {
      [AQ_PACKET_KERNEL_DISPATCH] = "kernel",
      [AQ_PACKET_BARRIER_AND] = "and",
      [AQ_PACKET_BARRIER_OR] = "or",
      [AQ_PACKET_AGENT_DISPATCH] = "agent",
      [MODEL_BAD_TYPE] = "bad",
      [MODEL_VALUE_TYPE] = "value",
      [MODEL_PM4_TYPE] = "pm4",
  };
  const model_packet *packet = &p->packets[index];
  fprintf(file, "# packet %u: queue %u id %" PRIu64 " %s%s scopes %u %u", index,
          packet->queue, packet->id, types[packet->type],
          packet->barrier ? " barrier" : "", packet->acquire, packet->release);
  if (packet->type == AQ_PACKET_KERNEL_DISPATCH)
    fprintf(file, " takes %" PRId64 "%s", packet->duration,
            packet->host ? " (host function)" : "");
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
    if (packet->dependency[i] != MODEL_NONE)
      fprintf(file, " waits %d", packet->dependency[i]);
  if (packet->type == MODEL_VALUE_TYPE)
    fprintf(file, " for & %" PRId64 " condition %d %" PRId64, packet->mask,
            (int)packet->condition, packet->value);
  if (packet->completion != MODEL_NONE)
    fprintf(file, " completes %d", packet->completion);
  fputc('\n', file);
}

void model_program_print(const model_program *p, FILE *file)
{
  fprintf(file, "# seed %" PRIu64 "\n# device:", p->seed);
#define T(name) fprintf(file, " " #name "=%" PRId64, p->device.name);
  MODEL_TIMES(T)
#undef T
  fprintf(file,
          " pipes=%u slots=%u quantum=%" PRId64 " %s fetch_batch=%u "
          "fetch_window=%u %s advance_at_%s\n",
          p->device.pipes, p->device.slots, p->device.quantum,
          p->device.drain ? "drain" : "switch", p->device.fetch_batch,
          p->device.fetch_window, p->device.back_to_back ? "glued" : "wave",
          p->device.advance_at_launch ? "launch" : "completion");
  for (unsigned i = 0; i < p->queue_count; i++)
    fprintf(file, "# queue %u: %u slots%s, priority %d\n", i, p->queue_size[i],
            p->queue_host[i] ? " of the host" : "", p->queue_priority[i]);
  for (unsigned i = 0; i < p->signal_count; i++)
    fprintf(file, "# signal %u: %" PRId64 "\n", i, p->signals[i].initial);
  for (unsigned i = 0; i < p->packet_count; i++)
    if (!p->packets[i].removed)
      packet_print(p, i, file);
  for (unsigned i = 0, burst = 0, left = 0; i < p->action_count; i++, left--) {
    while (left == 0 && burst < p->burst_count)
      left = p->bursts[burst++].actions;
    const model_action *action = &p->actions[i];
    if (action->store || !p->packets[action->index].removed)
      fprintf(file, "# burst %u: pause %" PRId64 ", %s %d ring %d\n", burst - 1,
              action->pause, action->store ? "store" : "publish", action->index,
              action->ring);
  }
}
