/* SPDX-License-Identifier: MIT */
#include "fake_transport.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES_MAX = 64, DONE_MAX = 1 << 16 };

typedef struct fake_signal {
  aq_amd_signal abi; /* first: the handle */
  uint32_t flags;
  uint64_t user;
  aq_time changed; /* when it was decremented last */
  struct fake_signal *next;
} fake_signal;

typedef struct fake_queue {
  aq_ring ring;
  uint64_t write, read, cell;
  uint64_t rung; /* packets that doorbells have told */
  aq_time rung_at, free_at;
  aq_queue_desc desc;
  int64_t ordinal;
  bool stopped;
} fake_queue;

typedef struct fake {
  aq_transport base;
  aq_time now;
  aq_record_sink *records;
  void (*event)(const aq_system_event *event, void *user);
  void *event_user;
  int64_t devices[16];
  aq_device_info info[16];
  fake_queue *queues[QUEUES_MAX];
  uint32_t queue_count;
  aq_completion done[DONE_MAX];
  uint64_t done_first, done_end;
  aq_cost costs[FAKE_KERNELS_MAX];
  fake_signal *signals;
} fake;

static fake_state state;

fake_state *fake_reset(void)
{
  memset(&state, 0, sizeof state);
  return &state;
}

static aq_status fake_open(const aq_transport_options *options,
                           aq_transport **out, aq_diag *diag)
{
  fake *f = calloc(1, sizeof *f);
  f->base.ops = &fake_transport;
  f->now = options->epoch;
  f->records = options->records;
  f->event = options->event;
  f->event_user = options->event_user;
  const uint32_t count = state.device_count ? state.device_count : 1;
  for (uint32_t i = 0; i < count; i++) {
    f->info[i] = (aq_device_info){.name = "Fake",
                                  .gfx = "gfx0",
                                  .model = "fake",
                                  .model_hash = "00",
                                  .verdict = "assumed",
                                  .queues_max = QUEUES_MAX,
                                  .queue_size_min = 2,
                                  .queue_size_max = state.queue_size_max};
    aq_run_device device = {.source_id = i, .name = "Fake", .cus = AQ_NONE};
    if (f->records)
      f->records->device(f->records, &device, &f->devices[i], diag);
  }
  *out = &f->base;
  return AQ_OK;
}

static void fake_queue_destroy(aq_transport *t, aq_ring *ring)
{
  fake *f = (fake *)t;
  for (uint32_t i = 0; i < f->queue_count; i++)
    if (f->queues[i] && &f->queues[i]->ring == ring) {
      free(ring->packets);
      free(f->queues[i]);
      f->queues[i] = NULL;
      state.queues_live--;
    }
}

static void fake_close(aq_transport *t)
{
  fake *f = (fake *)t;
  for (fake_signal *s = f->signals, *next; s; s = next) {
    next = s->next;
    free(s);
  }
  free(f);
}

static void fake_info(aq_transport *t, aq_transport_info *out)
{
  fake *f = (fake *)t;
  out->caps = AQ_CAP_VIRTUAL_TIME | AQ_CAP_RECORDS | AQ_CAP_HOST_KERNELS;
  out->device_count = state.device_count ? state.device_count : 1;
  out->devices = f->info;
  out->reproducible = true;
}

static aq_status fake_mem_alloc(aq_transport *t, uint32_t device,
                                aq_memory_kind kind, size_t size, void **out,
                                aq_diag *diag)
{
  (void)t, (void)device, (void)kind, (void)diag;
  *out = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
  state.memory_live++;
  return AQ_OK;
}

static void fake_mem_free(aq_transport *t, void *address)
{
  (void)t;
  free(address);
  state.memory_live--;
}

static aq_status fake_kernel_register(aq_transport *t,
                                      const aq_kernel_desc *kernel,
                                      aq_kernel_info *out, aq_diag *diag)
{
  fake *f = (fake *)t;
  (void)diag;
  assert(state.kernels < FAKE_KERNELS_MAX);
  snprintf(state.kernel_names[state.kernels], sizeof state.kernel_names[0],
           "%s", kernel->name);
  f->costs[state.kernels] = kernel->cost;
  *out = (aq_kernel_info){.object = 0x1000 + state.kernels++,
                          .kernarg_size = kernel->kernarg_size};
  return AQ_OK;
}

/* Tests of the queue dispatch unregistered objects. */
static bool fake_kernel_describe(aq_transport *t, uint64_t object,
                                 aq_kernel_info *out)
{
  (void)t, (void)object, (void)out;
  return false;
}

/* Objects are not used again: tests compare them. */
static void fake_kernel_unregister(aq_transport *t, uint64_t object)
{
  (void)t;
  assert(object >= 0x1000 && object < 0x1000 + (uint64_t)state.kernels);
}

static aq_status fake_signal_create(aq_transport *t, const aq_signal_desc *desc,
                                    aq_signal *out, aq_diag *diag)
{
  fake *f = (fake *)t;
  (void)diag;
  fake_signal *s = calloc(1, sizeof *s);
  s->next = f->signals;
  f->signals = s;
  s->abi.value = desc->value;
  s->flags = desc->flags;
  s->user = desc->user;
  state.signals_made++;
  out->handle = (uint64_t)(uintptr_t)s;
  return AQ_OK;
}

static fake_signal *signal_of(aq_signal signal)
{
  return (fake_signal *)(uintptr_t)signal.handle;
}

static int64_t fake_signal_load(aq_transport *t, aq_signal signal,
                                aq_order order)
{
  (void)t, (void)order;
  return signal_of(signal)->abi.value;
}

static void fake_signal_store(aq_transport *t, aq_signal signal, int64_t value,
                              aq_order order)
{
  (void)t, (void)order;
  signal_of(signal)->abi.value = value;
}

static aq_status fake_queue_create(aq_transport *t, const aq_queue_desc *desc,
                                   aq_ring **out, aq_diag *diag)
{
  fake *f = (fake *)t;
  assert(f->queue_count < QUEUES_MAX);
  fake_queue *q = calloc(1, sizeof *q);
  q->desc = *desc;
  q->ring = (aq_ring){.packets = calloc(desc->size, sizeof(aq_packet)),
                      .size = desc->size,
                      .id = 100 + f->queue_count,
                      .write_index = &q->write,
                      .read_index = &q->read,
                      .doorbell = &q->cell};
  for (uint32_t i = 0; i < desc->size; i++)
    q->ring.packets[i].header = AQ_PACKET_INVALID;
  aq_run_queue run = {.device = f->devices[desc->device],
                      .source_id = q->ring.id};
  if (f->records)
    f->records->queue(f->records, &run, &q->ordinal, diag);
  f->queues[f->queue_count++] = q;
  state.queues_live++;
  *out = &q->ring;
  return AQ_OK;
}

static void fake_queue_doorbell(aq_transport *t, aq_ring *ring, uint64_t id)
{
  fake *f = (fake *)t;
  fake_queue *q = (fake_queue *)ring;
  state.doorbells++;
  assert(id + 1 > q->rung && id < q->write);
  for (uint64_t at = q->rung; at <= id; at++)
    assert(aq_header_type(aq_ring_slot(ring, at)->header) != AQ_PACKET_INVALID);
  q->rung = id + 1;
  q->rung_at = f->now;
}

static aq_time packet_duration(const fake *f, const aq_packet *packet)
{
  if (aq_header_type(packet->header) != AQ_PACKET_KERNEL_DISPATCH)
    return 0;
  const aq_cost *cost = &f->costs[packet->kernel.kernel_object - 0x1000];
  if (cost->kind != AQ_COST_SPIN)
    return cost->base;
  return ((const aq_spin_args *)(uintptr_t)packet->kernel.kernarg_address)
      ->duration;
}

/* When the head of a queue can end; AQ_TIME_MAX if nothing makes it. */
static aq_time head_end(const fake *f, const fake_queue *q, aq_time *start)
{
  if (q->stopped || q->read >= q->rung)
    return AQ_TIME_MAX;
  const aq_packet *packet = aq_ring_slot(&q->ring, q->read);
  *start = aq_time_max(q->rung_at, q->free_at);
  if (aq_header_type(packet->header) == AQ_PACKET_BARRIER_AND)
    for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++) {
      const fake_signal *s = signal_of(packet->barrier.dependency[i]);
      if (s && s->abi.value != 0)
        return AQ_TIME_MAX;
      if (s)
        *start = aq_time_max(*start, s->changed);
    }
  return *start + packet_duration(f, packet);
}

static void row_put(fake *f, const fake_queue *q, const fake_packet *p)
{
  aq_record row;
  aq_diag diag = AQ_DIAG_INIT;
  aq_record_init(&row);
  const bool kernel =
      aq_header_type(p->packet.header) == AQ_PACKET_KERNEL_DISPATCH;
  row.kind = kernel ? AQ_KIND_KERNEL : AQ_KIND_BARRIER_AND;
  row.device = f->devices[q->desc.device];
  row.queue = q->ordinal;
  row.packet = (int64_t)p->id;
  row.header = p->packet.header_setup;
  row.submit = p->doorbell;
  row.start = p->start;
  row.end = row.complete = p->end;
  f->records->put(f->records, &row, 1, &diag);
}

static void packet_log(fake *f, const fake_queue *q, aq_time start, aq_time end)
{
  const aq_packet *packet = aq_ring_slot(&q->ring, q->read);
  fake_packet p = {.queue = q->ring.id,
                   .id = q->read,
                   .doorbell = q->rung_at,
                   .start = start,
                   .end = end,
                   .packet = *packet};
  if (aq_header_type(packet->header) == AQ_PACKET_KERNEL_DISPATCH &&
      packet->kernel.kernarg_address)
    memcpy(p.kernarg, (void *)(uintptr_t)packet->kernel.kernarg_address, 64);
  if (state.consumed < FAKE_LOG_MAX)
    state.log[state.consumed] = p;
  state.consumed++;
  if (f->records)
    row_put(f, q, &p);
}

/* Ends the head of a queue. */
static void head_retire(fake *f, fake_queue *q, aq_time start, aq_time end)
{
  aq_packet *packet = aq_ring_slot(&q->ring, q->read);
  f->now = aq_time_max(f->now, end);
  if (state.fail_at && state.consumed >= state.fail_at) {
    q->stopped = true;
    if (state.fault && f->event)
      f->event(&(aq_system_event){.kind = AQ_EVENT_MEMORY_FAULT,
                                  .queue = q->ring.id,
                                  .packet_id = q->read,
                                  .text = "memory made to be missing"},
               f->event_user);
    else if (q->desc.error)
      q->desc.error(&(aq_queue_error){.queue = q->ring.id,
                                      .packet_id = q->read,
                                      .packet = packet,
                                      .reason = 0x20,
                                      .text = "made to fail"},
                    q->desc.user);
    return;
  }
  packet_log(f, q, start, end);
  q->free_at = end;
  fake_signal *s = signal_of(packet->kernel.completion_signal);
  if (s) {
    s->abi.value--;
    s->changed = end;
    if (s->flags & AQ_SIGNAL_DRAIN)
      f->done[f->done_end++ % DONE_MAX] =
          (aq_completion){packet->kernel.completion_signal, s->user, end};
  }
  packet->header_setup = AQ_PACKET_INVALID;
  q->read++;
}

/* The next packet to end; NULL when there is none up to `limit`. */
static fake_queue *next_queue(const fake *f, aq_time limit, aq_time *start,
                              aq_time *end)
{
  fake_queue *best = NULL;
  *end = AQ_TIME_MAX;
  for (uint32_t i = 0; i < f->queue_count; i++) {
    aq_time begin = 0;
    aq_time at = f->queues[i] ? head_end(f, f->queues[i], &begin) : AQ_TIME_MAX;
    if (at < *end && at <= limit) {
      best = f->queues[i];
      *start = begin;
      *end = at;
    }
  }
  return best;
}

static bool step_one(fake *f, aq_time limit)
{
  aq_time start, end;
  fake_queue *q = next_queue(f, limit, &start, &end);
  if (q)
    head_retire(f, q, start, end);
  return q != NULL;
}

static aq_status fake_queue_wait_space(aq_transport *t, aq_ring *ring,
                                       uint32_t count, aq_time deadline,
                                       aq_diag *diag)
{
  fake *f = (fake *)t;
  fake_queue *q = (fake_queue *)ring;
  state.space_waits++;
  while (aq_ring_space(ring) < count) {
    if (q->stopped)
      return aq_diag_set(diag, AQ_ERR_QUEUE, "fake queue stopped");
    if (!step_one(f, deadline))
      return aq_diag_set(diag, AQ_ERR_DEADLOCK, "fake queue never empties");
  }
  return AQ_OK;
}

static aq_time fake_now(aq_transport *t)
{
  return ((fake *)t)->now;
}

static aq_status fake_wait(aq_transport *t, const aq_wait_request *request,
                           aq_wait_result *out, aq_diag *diag)
{
  fake *f = (fake *)t;
  const aq_wait_item *item = request->items;
  assert(request->count == 1 && request->mode == AQ_WAIT_ANY);
  while (!aq_condition_holds(item->condition,
                             signal_of(item->signal)->abi.value, item->value))
    if (!step_one(f, request->deadline))
      return aq_diag_set(diag, AQ_ERR_DEADLOCK, "fake deadlock");
  if (out)
    *out = (aq_wait_result){0, signal_of(item->signal)->abi.value};
  return AQ_OK;
}

static uint32_t fake_drain(aq_transport *t, aq_completion *out,
                           uint32_t capacity)
{
  fake *f = (fake *)t;
  uint32_t count = 0;
  while (count < capacity && f->done_first < f->done_end)
    out[count++] = f->done[f->done_first++ % DONE_MAX];
  return count;
}

static aq_status fake_sleep_until(aq_transport *t, aq_time until, bool wake,
                                  aq_diag *diag)
{
  fake *f = (fake *)t;
  (void)diag;
  do {
    if (wake && f->done_first < f->done_end)
      return AQ_OK;
  } while (step_one(f, until));
  if (until != AQ_TIME_MAX)
    f->now = aq_time_max(f->now, until);
  return AQ_OK;
}

/* What these tests never call. */
static aq_status no_lock(aq_transport *t, void *address, size_t size,
                         void **out, aq_diag *diag)
{
  (void)t, (void)address, (void)size, (void)out;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "fake: no locked memory");
}

static bool is_visible(aq_transport *t, const void *address, size_t size)
{
  (void)t, (void)address, (void)size;
  return true;
}

static void no_unlock(aq_transport *t, void *address)
{
  (void)t, (void)address;
}

static void no_publish(aq_transport *t, const void *address, size_t size)
{
  (void)t, (void)address, (void)size;
}

const aq_transport_ops fake_transport = {
    .abi = AQ_TRANSPORT_ABI,
    .size = sizeof(aq_transport_ops),
    .name = "fake",
    .summary = "retires packets one after the other",
    .open = fake_open,
    .close = fake_close,
    .info = fake_info,
    .mem_alloc = fake_mem_alloc,
    .mem_free = fake_mem_free,
    .mem_publish = no_publish,
    .mem_lock = no_lock,
    .mem_unlock = no_unlock,
    .mem_visible = is_visible,
    .kernel_register = fake_kernel_register,
    .kernel_unregister = fake_kernel_unregister,
    .kernel_describe = fake_kernel_describe,
    .signal_create = fake_signal_create,
    .signal_load = fake_signal_load,
    .signal_store = fake_signal_store,
    .queue_create = fake_queue_create,
    .queue_destroy = fake_queue_destroy,
    .queue_doorbell = fake_queue_doorbell,
    .queue_wait_space = fake_queue_wait_space,
    .now = fake_now,
    .wait = fake_wait,
    .drain = fake_drain,
    .sleep_until = fake_sleep_until,
};
