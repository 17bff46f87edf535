/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/calibrate/probe.h"

#include <string.h>

#include "study/loop/kernels.h"
#include "study/loop/signal_timestamps.h"

enum {
  RING = 1024,
  SHOTS = 40, /* of an experiment, spread over the timestamp's step */
  CHAIN = 64, /* kernels of a chain */
  BISECTIONS = 11,
  FEW_GROUPS = 4096,
  MANY_GROUPS = 65536,
  GROUP = 64, /* work-items */
  FEW_BYTES = 1 << 20,
  MANY_BYTES = 1 << 24,
};

static const aq_time spin = 20 * AQ_US; /* kernels of chains */
static const aq_time rest =
    50 * AQ_US; /* between shots: the queue stays warm */
static const aq_time silence = 2 * AQ_MS;

typedef struct probe {
  aq_transport *t;
  const aq_transport_ops *ops;
  uint32_t device;
  aq_ring *queues[2];
  aq_signal signals[CHAIN * 2];
  uint64_t objects[2];   /* of an empty kernel, and of one that spins */
  aq_spin_args *args[2]; /* no time, and `spin` */
  aq_time step;
  aq_time
      grain; /* the largest that all spans between stamps are multiples of */
  aq_time last_end;
  aq_time reading; /* the time to read the clock */
  aq_record_sink *sink;
  int64_t device_row, queue_rows[2];
  aq_diag *diag;
  aq_status status; /* the first that was not AQ_OK */
  int64_t value[AQ_PROBE_COUNT];
} probe;

/* ---- packets ---- */

static bool failed(probe *p, aq_status status)
{
  if (p->status == AQ_OK)
    p->status = status;
  return p->status != AQ_OK;
}

typedef struct shot {
  bool spins, barrier;
  aq_fence_scope acquire, release;
  uint32_t groups;
} shot;

static uint64_t packet_put(probe *p, uint32_t queue, const aq_packet *packet)
{
  aq_ring *ring = p->queues[queue];
  uint64_t id = 0;
  if (!aq_ring_try_reserve(ring, 1, &id)) {
    failed(p, aq_diag_set(p->diag, AQ_ERR_AGAIN, "a probe's queue is full"));
    return 0;
  }
  aq_packet *slot = aq_ring_slot(ring, id);
  memcpy((char *)slot + sizeof slot->header_setup,
         (const char *)packet + sizeof slot->header_setup,
         sizeof *slot - sizeof slot->header_setup);
  aq_packet_publish(slot, packet->header, packet->setup);
  return id;
}

static uint64_t kernel_put(probe *p, uint32_t queue, const shot *s,
                           aq_signal done)
{
  const uint32_t groups = s->groups ? s->groups : 1;
  const aq_packet packet = {
      .kernel = {.header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH,
                                            s->barrier, s->acquire, s->release),
                 .setup = 1,
                 .workgroup_size = {GROUP, 1, 1},
                 .grid_size = {GROUP * groups, 1, 1},
                 .kernel_object = p->objects[s->spins],
                 .kernarg_address = (uintptr_t)p->args[s->spins],
                 .completion_signal = done}};
  return packet_put(p, queue, &packet);
}

static uint64_t barrier_put(probe *p, uint32_t queue, aq_signal dependency,
                            aq_signal done)
{
  const aq_packet packet = {
      .barrier = {.header = aq_packet_header(AQ_PACKET_BARRIER_AND, 1,
                                             AQ_SCOPE_NONE, AQ_SCOPE_NONE),
                  .dependency = {dependency},
                  .completion_signal = done}};
  return packet_put(p, queue, &packet);
}

static void arm(const probe *p, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    p->ops->signal_store(p->t, p->signals[i], 1, AQ_RELEASE);
}

static void await(probe *p, aq_signal signal, aq_wait_hint hint)
{
  const aq_wait_item item = {signal, AQ_EQ, 0};
  const aq_wait_request request = {.items = &item,
                                   .count = 1,
                                   .hint = hint,
                                   .deadline = p->ops->now(p->t) + 10 * AQ_S};
  if (p->status == AQ_OK)
    failed(p, p->ops->wait(p->t, &request, NULL, p->diag));
}

static void grain_note(probe *p, aq_time span)
{
  aq_time a = p->grain, b = span < 0 ? -span : span;
  while (b != 0) {
    const aq_time rest_of = a % b;
    a = b;
    b = rest_of;
  }
  p->grain = a;
}

static void times_read(probe *p, aq_signal signal, aq_time *start, aq_time *end)
{
  *start = *end = 0;
  if (p->status == AQ_OK &&
      p->ops->dispatch_times(p->t, signal, start, end) != AQ_OK)
    failed(p, aq_diag_set(p->diag, AQ_ERR_INVALID,
                          "a packet of the probe has no timestamps"));
  if (p->last_end)
    grain_note(p, *end - p->last_end);
  grain_note(p, *end - *start);
  p->last_end = *end;
}

static void pause_for(probe *p, aq_time span, uint32_t shot_number)
{
  /* Each shot at another place between two ticks of the timestamps. */
  const aq_time shift = p->step * (aq_time)shot_number / SHOTS;
  aq_time until = p->ops->now(p->t) + span;
  until += p->step - until % p->step + shift;
  if (p->status == AQ_OK)
    failed(p, p->ops->sleep_until(p->t, until, false, p->diag));
}

static void record(probe *p, const char *name, uint32_t queue, uint64_t packet,
                   aq_time submit, aq_time start, aq_time end)
{
  aq_record row;
  if (!p->sink || p->status != AQ_OK)
    return;
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.via = AQ_VIA_DIRECT;
  row.device = p->device_row;
  row.queue = p->queue_rows[queue];
  row.packet = (int64_t)packet;
  row.submit = submit;
  row.start = start;
  row.end = end;
  if (!failed(p,
              p->sink->name(p->sink, name, strlen(name), &row.name, p->diag)))
    failed(p, p->sink->put(p->sink, &row, 1, p->diag));
}

static const shot plain = {.acquire = AQ_SCOPE_NONE, .release = AQ_SCOPE_NONE};

/* ---- experiments ---- */

/* Means of many shots, in ps. */
typedef struct latency {
  aq_time launch; /* doorbell until start */
  aq_time run;    /* start until end */
  aq_time finish; /* end until the wait returned */
} latency;

/* One kernel on an idle queue, again and again. Stamps are cut to their step:
 * half of it is what that costs on average. */
static latency single(probe *p, const char *name, const shot *s, aq_time idle,
                      uint32_t shots, aq_wait_hint hint)
{
  latency sum = {0};
  for (uint32_t i = 0; i < shots && p->status == AQ_OK; i++) {
    aq_time start, end;
    pause_for(p, idle, i * (SHOTS / shots));
    arm(p, 1);
    const aq_time begin = p->ops->now(p->t);
    const uint64_t id = kernel_put(p, 0, s, p->signals[0]);
    p->ops->queue_doorbell(p->t, p->queues[0], id);
    await(p, p->signals[0], hint);
    const aq_time seen = p->ops->now(p->t);
    times_read(p, p->signals[0], &start, &end);
    record(p, name, 0, id, begin, start, end);
    sum.launch += start - begin;
    sum.run += end - start;
    sum.finish += seen - p->reading - end;
  }
  return (latency){sum.launch / shots + p->step / 2, sum.run / shots,
                   sum.finish / shots - p->step / 2};
}

/* From end to end in a chain of kernels, with a barrier packet behind each or
 * without. */
static aq_time chain(probe *p, const char *name, const shot *s, bool barriers)
{
  uint64_t first = 0, last = 0;
  aq_time begin_start, begin_end, start, end;
  pause_for(p, rest, 0);
  arm(p, CHAIN * 2);
  for (uint32_t i = 0; i < CHAIN; i++) {
    last = kernel_put(p, 0, s, p->signals[i * 2]);
    first = i == 0 ? last : first;
    if (barriers && i + 1 < CHAIN)
      barrier_put(p, 0, (aq_signal){0}, p->signals[i * 2 + 1]);
  }
  const aq_time submit = p->ops->now(p->t);
  p->ops->queue_doorbell(p->t, p->queues[0], last);
  for (uint32_t i = 0; i < CHAIN; i++) {
    await(p, p->signals[i * 2], AQ_WAIT_BLOCKED);
    times_read(p, p->signals[i * 2], &start, &end);
    record(p, name, 0, first + i * (barriers ? 2 : 1), submit, start, end);
  }
  times_read(p, p->signals[0], &begin_start, &begin_end);
  return (end - begin_end) / (CHAIN - 1);
}

/* End of a kernel until one on another queue starts that waits for it. */
static aq_time edge(probe *p, const shot *s)
{
  aq_time sum = 0;
  for (uint32_t i = 0; i < SHOTS && p->status == AQ_OK; i++) {
    aq_time start[2], end[2];
    pause_for(p, rest, i);
    arm(p, 3);
    barrier_put(p, 1, p->signals[0], p->signals[2]);
    const aq_time submit = p->ops->now(p->t);
    const uint64_t consumer = kernel_put(p, 1, s, p->signals[1]);
    p->ops->queue_doorbell(p->t, p->queues[1], consumer);
    const uint64_t producer = kernel_put(p, 0, s, p->signals[0]);
    p->ops->queue_doorbell(p->t, p->queues[0], producer);
    await(p, p->signals[1], AQ_WAIT_BLOCKED);
    for (int k = 0; k < 2; k++)
      times_read(p, p->signals[k], &start[k], &end[k]);
    record(p, "edge producer", 0, producer, submit, start[0], end[0]);
    record(p, "edge consumer", 1, consumer, submit, start[1], end[1]);
    sum += start[1] - end[0];
  }
  return sum / SHOTS;
}

static aq_time launch_after(probe *p, aq_time idle)
{
  return single(p, "after silence", &plain, idle, 4, AQ_WAIT_ACTIVE).launch;
}

static void probe_silence(probe *p, aq_time warm)
{
  const aq_time remap =
      single(p, "after silence", &plain, silence, SHOTS / 4, AQ_WAIT_ACTIVE)
          .launch -
      warm;
  aq_time low = rest, high = silence;
  p->value[AQ_PROBE_REMAP] = remap;
  if (remap < 4 * p->step)
    return;
  for (int i = 0; i < BISECTIONS; i++) {
    const aq_time middle = low + (high - low) / 2;
    if (launch_after(p, middle) - warm > remap / 2)
      high = middle;
    else
      low = middle;
  }
  p->value[AQ_PROBE_UNMAP] = high;
  /* Longer silence adds more (remap_ramp). */
  p->value[AQ_PROBE_REMAP] = launch_after(p, high) - warm;
}

static void probe_fences(probe *p)
{
  static const struct {
    shot shot;
    aq_probe_id acquire, release;
    const char *name;
  } fences[] = {{{.acquire = AQ_SCOPE_AGENT, .release = AQ_SCOPE_AGENT},
                 AQ_PROBE_ACQUIRE_AGENT,
                 AQ_PROBE_RELEASE_AGENT,
                 "fences of the agent"},
                {{.acquire = AQ_SCOPE_SYSTEM, .release = AQ_SCOPE_SYSTEM},
                 AQ_PROBE_ACQUIRE_SYSTEM,
                 AQ_PROBE_RELEASE_SYSTEM,
                 "fences of the system"}};
  const latency none =
      single(p, "no fences", &plain, rest, SHOTS, AQ_WAIT_ACTIVE);
  const latency blocked =
      single(p, "blocked wait", &plain, rest, SHOTS, AQ_WAIT_BLOCKED);
  for (int i = 0; i < 2; i++) {
    const latency with =
        single(p, fences[i].name, &fences[i].shot, rest, SHOTS, AQ_WAIT_ACTIVE);
    p->value[fences[i].acquire] = with.launch - none.launch;
    p->value[fences[i].release] = with.finish - none.finish;
  }
  p->value[AQ_PROBE_SIGNAL] = none.finish;
  p->value[AQ_PROBE_INTERRUPT] = blocked.finish - none.finish;
  p->value[AQ_PROBE_FRONT] = none.launch; /* less setup, when that is known */
  probe_silence(p, none.launch);
}

static void probe_chains(probe *p)
{
  int64_t *value = p->value;
  const shot on = {.spins = true,
                   .barrier = true,
                   .acquire = AQ_SCOPE_AGENT,
                   .release = AQ_SCOPE_AGENT};
  const shot off = {.acquire = AQ_SCOPE_AGENT, .release = AQ_SCOPE_AGENT};
  const aq_time period = chain(p, "barrier bit", &on, false) - spin;
  const aq_time barred = chain(p, "barrier packets", &on, true) - spin;
  const aq_time open = chain(p, "no barrier bit", &off, false);
  const aq_time fences = value[AQ_PROBE_ACQUIRE_AGENT] +
                         value[AQ_PROBE_RELEASE_AGENT] + value[AQ_PROBE_SIGNAL];
  value[AQ_PROBE_PERIOD_ON] = period;
  value[AQ_PROBE_PERIOD_OFF] = open;
  value[AQ_PROBE_SETUP] = period - fences;
  value[AQ_PROBE_FRONT] -= value[AQ_PROBE_SETUP];
  value[AQ_PROBE_BARRIER] = barred - period - value[AQ_PROBE_SIGNAL];
  value[AQ_PROBE_EDGE] =
      edge(p, &on) - fences - value[AQ_PROBE_SIGNAL] - value[AQ_PROBE_SETUP];
}

/* From the call to the end. */
static aq_time copy_run(probe *p, void *to, const void *from, size_t size)
{
  aq_time sum = 0;
  for (uint32_t i = 0; i < SHOTS / 4 && p->status == AQ_OK; i++) {
    aq_time start, end;
    pause_for(p, rest, i * 4);
    arm(p, 1);
    const aq_time begin = p->ops->now(p->t);
    if (failed(p, p->ops->copy_async(p->t, p->device, to, from, size, NULL, 0,
                                     p->signals[0], p->diag)))
      break;
    await(p, p->signals[0], AQ_WAIT_BLOCKED);
    times_read(p, p->signals[0], &start, &end);
    sum += end - begin;
  }
  return sum / (SHOTS / 4) + p->step / 2;
}

static void probe_copies(probe *p)
{
  void *host = NULL, *device = NULL;
  if (failed(p, p->ops->mem_alloc(p->t, p->device, AQ_MEMORY_HOST, MANY_BYTES,
                                  &host, p->diag)))
    return;
  if (!failed(p, p->ops->mem_alloc(p->t, p->device, AQ_MEMORY_DEVICE,
                                   MANY_BYTES, &device, p->diag))) {
    memset(host, 0, MANY_BYTES);
    const aq_time few = copy_run(p, device, host, FEW_BYTES);
    const aq_time many = copy_run(p, device, host, MANY_BYTES);
    const int64_t bytes = MANY_BYTES - FEW_BYTES;
    if (many > few) {
      p->value[AQ_PROBE_COPY_RATE] =
          (int64_t)((__int128)bytes * AQ_S / (many - few));
      p->value[AQ_PROBE_COPY_LATENCY] =
          few - (aq_time)((__int128)FEW_BYTES * (many - few) / bytes);
    }
    p->ops->mem_free(p->t, device);
  }
  p->ops->mem_free(p->t, host);
}

/* ---- life ---- */

static void probe_make(probe *p, aq_kernels_code *code,
                       const aq_device_info *info)
{
  void *kernarg = NULL;
  for (int i = 0; i < 2 && p->status == AQ_OK; i++)
    failed(p, p->ops->queue_create(
                  p->t,
                  &(aq_queue_desc){.device = p->device,
                                   .size = RING,
                                   .private_segment_hint = AQ_SEGMENT_NO_HINT,
                                   .group_segment_hint = AQ_SEGMENT_NO_HINT},
                  &p->queues[i], p->diag));
  for (int i = 0; i < CHAIN * 2 && p->status == AQ_OK; i++)
    failed(p,
           p->ops->signal_create(
               p->t, &(aq_signal_desc){.value = 1, .flags = AQ_SIGNAL_PROFILE},
               &p->signals[i], p->diag));
  if (p->status == AQ_OK)
    failed(p, aq_kernels_spin(p->t, p->device, code, p->objects, p->diag));
  if (p->status != AQ_OK ||
      failed(p, p->ops->mem_alloc(p->t, p->device, AQ_MEMORY_KERNARG,
                                  2 * sizeof(aq_spin_args), &kernarg, p->diag)))
    return;
  p->args[0] = kernarg;
  p->args[1] = p->args[0] + 1;
  const uint32_t clock = aq_spin_clock_khz(info);
  *p->args[0] = (aq_spin_args){.clock_khz = clock};
  *p->args[1] = (aq_spin_args){.duration = spin, .clock_khz = clock};
  p->ops->mem_publish(p->t, kernarg, 2 * sizeof(aq_spin_args));
  for (int i = 0; p->sink && i < 2 && p->status == AQ_OK; i++)
    failed(p, aq_signal_timestamps_queue(p->sink, info, p->device, p->queues[i],
                                         &p->device_row, &p->queue_rows[i],
                                         p->diag));
}

static void probe_free(probe *p)
{
  p->ops->mem_free(p->t, p->args[0]);
  for (int i = 0; i < CHAIN * 2; i++)
    if (p->signals[i].handle)
      p->ops->signal_destroy(p->t, p->signals[i]);
  for (int i = 0; i < 2; i++)
    if (p->queues[i])
      p->ops->queue_destroy(p->t, p->queues[i]);
}

/* The resolution of a figure: the step, but for figures that count otherwise.
 */
static int64_t resolution_of(const probe *p, aq_probe_id id)
{
  switch (id) {
  case AQ_PROBE_STEP:
    return 0;
  case AQ_PROBE_UNMAP:
    return (silence >> BISECTIONS) + 2 * p->step;
  case AQ_PROBE_WORKGROUP:
    return p->step / (MANY_GROUPS - FEW_GROUPS) + 1;
  case AQ_PROBE_COPY_RATE:
    return p->value[id] / 1000 + 1;
  default:
    return p->step;
  }
}

aq_status aq_device_probe(aq_transport *t, uint32_t device,
                          aq_kernels_code *code, aq_record_sink *sink,
                          aq_probe_result *out, aq_diag *diag)
{
  static const aq_probe_fact facts[] = {
#define P(id, key, unit, meaning) {key, unit, meaning, AQ_NONE, 0},
#include "study/calibrate/probe.def"
#undef P
  };
  aq_transport_info info;
  t->ops->info(t, &info);
  if (device >= info.device_count || !(info.caps & AQ_CAP_PROFILING) ||
      !(info.caps & AQ_CAP_TIMING))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: no device %u whose times mean something",
                       t->ops->name, device);
  probe p = {.t = t,
             .ops = t->ops,
             .device = device,
             .step = info.devices[device].timestamp_step,
             .sink = sink,
             .diag = diag};
  for (int i = 0; i < AQ_PROBE_COUNT; i++)
    p.value[i] = AQ_NONE;
  /* The least of many: others were interrupted. */
  p.reading = AQ_TIME_MAX;
  for (int i = 0; i < SHOTS; i++) {
    const aq_time first = p.ops->now(p.t);
    p.reading = aq_time_min(p.reading, p.ops->now(p.t) - first);
  }
  probe_make(&p, code, &info.devices[device]);
  if (p.status == AQ_OK) {
    /* The step of the timestamps, of kernels at many places between two. The
     * first ones make sure that the queue is mapped. */
    for (uint32_t i = 0; i < SHOTS && p.status == AQ_OK; i++)
      single(&p, "warm up", &plain, rest + (aq_time)i * p.step, 1,
             AQ_WAIT_ACTIVE);
    p.step = p.grain > 0 ? p.grain : 1;
  }
  if (p.status == AQ_OK)
    probe_fences(&p);
  if (p.status == AQ_OK)
    probe_chains(&p);
  if (p.status == AQ_OK) {
    shot s = plain;
    s.groups = FEW_GROUPS;
    const aq_time few =
        single(&p, "workgroups", &s, rest, SHOTS, AQ_WAIT_ACTIVE).run;
    s.groups = MANY_GROUPS;
    const aq_time many =
        single(&p, "workgroups", &s, rest, SHOTS, AQ_WAIT_ACTIVE).run;
    if (many > few)
      p.value[AQ_PROBE_WORKGROUP] = (many - few) / (MANY_GROUPS - FEW_GROUPS);
  }
  if (p.status == AQ_OK && (info.caps & AQ_CAP_COPY))
    probe_copies(&p);
  p.value[AQ_PROBE_STEP] = p.grain;
  probe_free(&p);
  if (p.status != AQ_OK)
    return p.status;
  memcpy(out->facts, facts, sizeof facts);
  for (int i = 0; i < AQ_PROBE_COUNT; i++) {
    out->facts[i].value = p.value[i];
    out->facts[i].resolution = resolution_of(&p, (aq_probe_id)i);
  }
  return AQ_OK;
}
