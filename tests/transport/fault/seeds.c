/* SPDX-License-Identifier: MIT */
#include "transport/fault/seeds.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory_sink.h"
#include "common/rng.h"
#include "transport/registry/device_models.h"

enum { QUEUES = 4, RING = 64, KERNELS = 3 };

typedef struct packet {
  aq_ring *queue; /* NULL: a copy */
  uint64_t id;
  aq_signal done;
  unsigned drained;
} packet;

typedef struct program {
  aq_rng rng;
  aq_transport *t;
  const aq_transport_ops *ops;
  aq_memory_sink sink;
  aq_ring *queues[QUEUES];
  uint32_t queue_count;
  uint64_t unrung[QUEUES]; /* packets since the last doorbell */
  uint64_t kernels[KERNELS];
  packet packets[SEED_PACKETS];
  uint32_t count;
  unsigned calls, errors;
  char bytes[64];
  seed_outcome *out;
} program;

static uint64_t draw(program *p, uint64_t below)
{
  return aq_rng_bits(&p->rng) % below;
}

__attribute__((format(printf, 2, 3))) static void
broken(program *p, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  if (!p->out->broken[0])
    vsnprintf(p->out->broken, sizeof p->out->broken, format, args);
  va_end(args);
}

/* ---- objects ---- */

static void kernel_count(const aq_kernel_call *call)
{
  ((program *)call->user)->calls++;
}

static void error_count(const aq_queue_error *error, void *user)
{
  program *p = user;
  if (++p->errors > p->queue_count)
    broken(p, "queue %u: an error too many", error->queue);
}

static aq_status objects_make(program *p)
{
  aq_diag *diag = &p->out->diag;
  aq_queue_desc queue = {.size = RING, .error = error_count, .user = p};
  aq_status status = AQ_OK;
  uint32_t queues = 1 + (uint32_t)draw(p, QUEUES);
  for (uint32_t i = 0; i < queues && status == AQ_OK; i++) {
    status = p->ops->queue_create(p->t, &queue, &p->queues[i], diag);
    p->queue_count += status == AQ_OK;
  }
  for (int i = 0; i < KERNELS && status == AQ_OK; i++) {
    aq_kernel_info info;
    aq_kernel_desc desc = {
        .name = i ? "timed" : "counted",
        .function = i ? NULL : kernel_count,
        .user = p,
        .cost = {.kind = AQ_COST_FIXED, .base = (aq_time)draw(p, 20 * AQ_US)}};
    status = p->ops->kernel_register(p->t, &desc, &info, diag);
    if (status == AQ_OK)
      p->kernels[i] = info.object;
  }
  return status;
}

/* ---- actions of the host ---- */

/* The signal of an earlier packet, or none. */
static aq_signal earlier(program *p)
{
  if (p->count == 0 || draw(p, 4) == 0)
    return (aq_signal){0};
  uint32_t back = 1 + (uint32_t)draw(p, p->count < 20 ? p->count : 20);
  return p->packets[p->count - back].done;
}

static aq_packet packet_draw(program *p)
{
  aq_packet made = {0};
  uint64_t kind = draw(p, 10);
  if (kind < 7) {
    made.kernel = (aq_kernel_packet){
        .header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, draw(p, 2) == 0,
                                   (aq_fence_scope)draw(p, 3),
                                   (aq_fence_scope)draw(p, 3)),
        .setup = 1,
        .workgroup_size = {64, 1, 1},
        .grid_size = {256, 1, 1},
        .kernel_object = p->kernels[draw(p, KERNELS)]};
    return made;
  }
  bool any = kind == 9;
  made.barrier.header =
      aq_packet_header(any ? AQ_PACKET_BARRIER_OR : AQ_PACKET_BARRIER_AND,
                       draw(p, 2) == 0, AQ_SCOPE_NONE, AQ_SCOPE_NONE);
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
    made.barrier.dependency[i] = earlier(p);
  /* One without any dependency would never open. */
  if (any && p->count > 0)
    made.barrier.dependency[0] = p->packets[p->count - 1].done;
  else if (any)
    made.barrier.header = aq_packet_header(AQ_PACKET_BARRIER_AND, 0, 0, 0);
  return made;
}

static void doorbell(program *p, uint32_t queue)
{
  aq_ring *ring = p->queues[queue];
  uint64_t id = aq_ring_write_index(ring) - 1;
  if (p->unrung[queue] == 0)
    return;
  p->unrung[queue] = 0;
  if (draw(p, 5) == 0)
    __atomic_store_n(ring->doorbell, id, __ATOMIC_RELEASE);
  else
    p->ops->queue_doorbell(p->t, ring, id);
}

static aq_status submit(program *p, aq_signal done)
{
  uint32_t queue = (uint32_t)draw(p, p->queue_count);
  aq_ring *ring = p->queues[queue];
  aq_packet made = packet_draw(p);
  uint64_t id;
  while (!aq_ring_try_reserve(ring, 1, &id)) {
    for (uint32_t i = 0; i < p->queue_count; i++)
      doorbell(p, i); /* or it would wait for itself */
    aq_status status =
        p->ops->queue_wait_space(p->t, ring, 1, AQ_TIME_MAX, &p->out->diag);
    if (status != AQ_OK)
      return status;
  }
  made.kernel.completion_signal = done;
  aq_packet *slot = aq_ring_slot(ring, id);
  memcpy((char *)slot + 4, (const char *)&made + 4, sizeof made - 4);
  aq_packet_publish(slot, made.header, made.setup);
  p->packets[p->count++] = (packet){ring, id, done, 0};
  p->unrung[queue]++;
  if (draw(p, 3) == 0)
    doorbell(p, queue);
  return AQ_OK;
}

static aq_status copy(program *p, aq_signal done)
{
  aq_signal dependency = earlier(p);
  aq_status status =
      p->ops->copy_async(p->t, 0, p->bytes, p->bytes, sizeof p->bytes,
                         dependency.handle ? &dependency : NULL,
                         dependency.handle != 0, done, &p->out->diag);
  if (status == AQ_OK)
    p->packets[p->count++] = (packet){NULL, 0, done, 0};
  return status;
}

static void drain(program *p)
{
  aq_completion done[8];
  uint32_t count;
  do {
    count = p->ops->drain(p->t, done, 8);
    for (uint32_t i = 0; i < count; i++) {
      if (done[i].user >= p->count)
        broken(p, "drain reports packet %" PRIu64, done[i].user);
      else if (++p->packets[done[i].user].drained > 1)
        broken(p, "packet %" PRIu64 " completes twice", done[i].user);
    }
  } while (count == 8);
}

/* A wait that may end at its deadline, or a sleep. */
static aq_status pause(program *p)
{
  aq_time until = p->ops->now(p->t) + (aq_time)draw(p, 30 * AQ_US);
  aq_status status;
  if (p->count > 0 && draw(p, 2)) {
    aq_wait_item item = {p->packets[draw(p, p->count)].done, AQ_EQ, 0};
    status = p->ops->wait(
        p->t, &(aq_wait_request){.items = &item, .count = 1, .deadline = until},
        NULL, &p->out->diag);
    if (status == AQ_ERR_TIMEOUT)
      status = AQ_OK;
  } else {
    status = p->ops->sleep_until(p->t, until, draw(p, 2) == 0, &p->out->diag);
  }
  drain(p);
  return status;
}

static aq_status act(program *p)
{
  uint64_t what = draw(p, 12);
  aq_signal done;
  if (what == 0)
    return pause(p);
  aq_status status = p->ops->signal_create(
      p->t,
      &(aq_signal_desc){.value = 1,
                        .flags = draw(p, 2) ? AQ_SIGNAL_DRAIN : 0,
                        .user = p->count},
      &done, &p->out->diag);
  if (status != AQ_OK)
    return status;
  return what == 1 ? copy(p, done) : submit(p, done);
}

static aq_status wait_all(program *p)
{
  aq_wait_item items[SEED_PACKETS];
  for (uint32_t i = 0; i < p->queue_count; i++)
    doorbell(p, i);
  for (uint32_t i = 0; i < p->count; i++)
    items[i] = (aq_wait_item){p->packets[i].done, AQ_EQ, 0};
  return p->count == 0
             ? AQ_OK
             : p->ops->wait(p->t,
                            &(aq_wait_request){.items = items,
                                               .count = p->count,
                                               .mode = AQ_WAIT_ALL,
                                               .deadline = AQ_TIME_MAX},
                            NULL, &p->out->diag);
}

/* ---- invariants ---- */

static void check_packet(program *p, uint32_t index)
{
  const packet *of = &p->packets[index];
  int64_t value = p->ops->signal_load(p->t, of->done, AQ_ACQUIRE);
  unsigned records = 0, complete = 0;
  for (size_t i = 0; i < p->sink.count && of->queue; i++) {
    const aq_record *row = &p->sink.rows[i];
    if (row->queue == AQ_NONE || row->packet != (int64_t)of->id ||
        p->sink.queues[row->queue].source_id != of->queue->id)
      continue;
    records++;
    complete += row->complete != AQ_NONE;
  }
  if (value != 0 && value != 1)
    broken(p, "packet %u: its signal is %" PRId64, index, value);
  if (records > 1 || (of->queue && (value == 0) != (complete == 1)))
    broken(p, "packet %u: its signal is %" PRId64 ", %u records, %u complete",
           index, value, records, complete);
  if (of->drained && value != 0)
    broken(p, "packet %u: drained but not complete", index);
  if (p->out->status == AQ_OK && value != 0)
    broken(p, "packet %u: not complete in a run that ended well", index);
}

static uint64_t digest(const aq_memory_sink *sink)
{
  uint64_t hash = UINT64_C(14695981039346656037);
  const unsigned char *bytes = (const unsigned char *)sink->rows;
  for (size_t i = 0; i < sink->count * sizeof *sink->rows; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

static void program_run(program *p)
{
  seed_outcome *out = p->out;
  out->status = objects_make(p);
  uint32_t actions = 20 + (uint32_t)draw(p, SEED_PACKETS - 20);
  for (uint32_t i = 0; i < actions && out->status == AQ_OK; i++)
    out->status = act(p);
  if (out->status == AQ_OK)
    out->status = wait_all(p);
  aq_diag rest = AQ_DIAG_INIT;
  if (p->ops->sleep_until(p->t, AQ_TIME_MAX, false, &rest) != AQ_OK)
    broken(p, "the last sleep: %.150s", rest.text);
  drain(p);
  for (uint32_t i = 0; i < p->count; i++)
    check_packet(p, i);
  if (out->status == AQ_OK)
    out->diag = (aq_diag)AQ_DIAG_INIT; /* deadlines may have passed */
  out->end = p->ops->now(p->t);
}

void seed_run(uint64_t seed, const char *names, seed_outcome *out)
{
  program *p = calloc(1, sizeof *p);
  aq_transport_stack *stack = NULL;
  if (!p)
    abort();
  memset(out, 0, sizeof *out);
  p->out = out;
  aq_rng_init(&p->rng, seed, 1);
  aq_memory_sink_init(&p->sink);
  const aq_transport_options options = {.size = sizeof options,
                                        .records = &p->sink.sink};
  out->status = aq_transport_stack_create(names, NULL, &stack, &out->diag);
  if (out->status == AQ_OK)
    out->status = aq_transport_stack_open(stack, &options, &p->t, &out->diag);
  if (out->status == AQ_OK) {
    p->ops = p->t->ops;
    program_run(p);
    out->records = p->sink.count;
    out->digest = digest(&p->sink);
    p->ops->close(p->t);
  } else {
    broken(p, "open: %.150s", out->diag.text);
  }
  aq_transport_stack_destroy(stack);
  aq_memory_sink_fini(&p->sink);
  free(p);
}

/* ---- many of them ---- */

/* Why a run that did not come to its end may have stopped. */
static bool end_is_named(const seed_outcome *out)
{
  switch (out->status) {
  case AQ_OK:
    return true;
  case AQ_ERR_DEADLOCK:
  case AQ_ERR_QUEUE:
    return strstr(out->diag.text, "; injected: ") != NULL;
  case AQ_ERR_NO_MEMORY:
    return strstr(out->diag.text, "out of memory for ") != NULL;
  default:
    return false;
  }
}

static bool is_same(const seed_outcome *a, const seed_outcome *b)
{
  return a->status == b->status && a->end == b->end &&
         a->records == b->records && a->digest == b->digest &&
         strcmp(a->diag.text, b->diag.text) == 0;
}

static const char *seed_check(uint64_t seed, seed_outcome *out)
{
  char names[64];
  seed_outcome again;
  seed_run(seed, "sim", out);
  if (out->broken[0] || out->status != AQ_OK)
    return "without faults it does not end well";
  seed_run(seed, "fault+sim", &again);
  if (!is_same(out, &again))
    return "a wrapper without faults changes it";
  snprintf(names, sizeof names, "fault,seed=%" PRIu64 "+sim", seed);
  seed_run(seed, names, out);
  if (out->broken[0])
    return "an invariant does not hold";
  if (!end_is_named(out))
    return "it ends without a named reason";
  seed_run(seed, names, &again);
  return is_same(out, &again) ? NULL : "it is different the second time";
}

uint64_t seeds_check(uint64_t first, uint64_t count, uint64_t *ended)
{
  uint64_t failed = 0;
  *ended = 0;
  for (uint64_t seed = first; seed < first + count; seed++) {
    seed_outcome out;
    const char *wrong = seed_check(seed, &out);
    *ended += out.status != AQ_OK;
    if (!wrong)
      continue;
    failed++;
    printf("# seed %" PRIu64 ": %s: %s; status \"%s\": %s\n", seed, wrong,
           out.broken, aq_status_text(out.status), out.diag.text);
  }
  return failed;
}
