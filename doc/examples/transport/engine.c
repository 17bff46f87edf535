/* SPDX-License-Identifier: MIT */
#include "fixed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fixed_queue *queue_from(aq_ring *ring)
{
  return (fixed_queue *)(void *)ring;
}

/* ---- dependencies ---- */

static bool is_zero(aq_signal signal)
{
  return __atomic_load_n(&signal_from(signal)->abi.value, __ATOMIC_ACQUIRE) ==
         0;
}

/* Bits of the dependencies that are 0 now, or are none. */
static uint32_t zeros(const aq_signal *signals, uint32_t count)
{
  uint32_t bits = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!signals[i].handle || is_zero(signals[i]))
      bits |= UINT32_C(1) << i;
  return bits;
}

/* A barrier-AND has seen each dependency at 0, not necessarily at once; a
 * barrier-OR sees one, and an empty one is none. */
static bool barrier_is_open(fixed_queue *queue, const aq_barrier_packet *packet)
{
  uint32_t bits = zeros(packet->dependency, AQ_BARRIER_DEPENDENCIES);
  queue->zeros |= bits;
  if (aq_header_type(packet->header) == AQ_PACKET_BARRIER_AND)
    return queue->zeros == (1u << AQ_BARRIER_DEPENDENCIES) - 1;
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
    if (packet->dependency[i].handle && (bits >> i & 1))
      return true;
  return false;
}

static bool all_zero(const aq_signal *signals, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (signals[i].handle && !is_zero(signals[i]))
      return false;
  return true;
}

static void signal_complete(fixed *f, aq_signal handle, aq_time start)
{
  fixed_signal *signal = signal_from(handle);
  if (!signal)
    return;
  signal->start = start;
  signal->end = f->now;
  fixed_signal_change(f, signal, -1);
}

static void record_put(fixed *f, const aq_record *row)
{
  if (f->failure.status == AQ_OK)
    f->records->put(f->records, row, 1, &f->failure);
}

/* ---- packets ---- */

static unsigned packet_type(const aq_packet *packet)
{
  return aq_header_type(aq_packet_load_header(packet));
}

static aq_packet *packet_in_turn(const fixed_queue *queue)
{
  return aq_ring_slot(&queue->ring, queue->read_index);
}

static fixed_kernel *kernel_find(const fixed *f, uint64_t object)
{
  fixed_kernel *kernel = f->kernels;
  while (kernel && (uintptr_t)kernel != object)
    kernel = kernel->next;
  return kernel;
}

static bool kernel_is_empty(const aq_kernel_packet *packet)
{
  for (int i = 0; i < packet->setup; i++)
    if (packet->grid_size[i] == 0 || packet->workgroup_size[i] == 0)
      return true;
  return false;
}

/* The error of a packet, as inactive-signal bits and as text. */
static uint32_t packet_check(const fixed *f, const aq_packet *packet,
                             const char **words)
{
  unsigned type = aq_header_type(packet->header);
  if (type == AQ_PACKET_BARRIER_AND || type == AQ_PACKET_BARRIER_OR)
    return 0;
  if (type != AQ_PACKET_KERNEL_DISPATCH) {
    *words = "packets of this type are not served";
    return type == AQ_PACKET_VENDOR ? 256 : 32;
  }
  const aq_kernel_packet *kernel = &packet->kernel;
  if (kernel->setup < 1 || kernel->setup > 3) {
    *words = "setup names no 1 to 3 dimensions";
    return 2;
  }
  if (!kernel_find(f, kernel->kernel_object)) {
    *words = "the kernel object is none";
    return 8;
  }
  return 0;
}

static void queue_fail(fixed *f, fixed_queue *queue, uint32_t reason,
                       const char *words)
{
  const aq_packet packet = *packet_in_turn(queue);
  char text[160];
  snprintf(text, sizeof text,
           "queue %" PRIu32 ": packet %" PRIu64 " (header 0x%04x): %s",
           queue->ring.id, queue->read_index, packet.header, words);
  queue->stopped = true;
  if (!queue->desc.error)
    return;
  f->depth++;
  queue->desc.error(&(aq_queue_error){queue->ring.id, queue->read_index,
                                      &packet, reason, text},
                    queue->desc.user);
  f->depth--;
}

static void packet_record(fixed *f, const fixed_queue *queue,
                          const aq_packet *packet, uint64_t id)
{
  static const aq_record_kind kinds[] = {
      [AQ_PACKET_KERNEL_DISPATCH] = AQ_KIND_KERNEL,
      [AQ_PACKET_BARRIER_AND] = AQ_KIND_BARRIER_AND,
      [AQ_PACKET_BARRIER_OR] = AQ_KIND_BARRIER_OR};
  aq_record row;
  aq_record_init(&row);
  row.kind = kinds[aq_header_type(packet->header)];
  row.flags = 0;
  row.device = f->record_device;
  row.queue = queue->record;
  row.packet = (int64_t)id;
  row.header = packet->header_setup;
  row.submit = queue->submitted[id & (queue->ring.size - 1)];
  row.start = queue->start;
  row.end = row.complete = f->now;
  if (row.kind == AQ_KIND_KERNEL) {
    const aq_kernel_packet *kernel = &packet->kernel;
    row.name = kernel_find(f, kernel->kernel_object)->record_name;
    row.grid_x = kernel->grid_size[0];
    row.grid_y = kernel->grid_size[1];
    row.grid_z = kernel->grid_size[2];
    row.wg_x = kernel->workgroup_size[0];
    row.wg_y = kernel->workgroup_size[1];
    row.wg_z = kernel->workgroup_size[2];
  }
  record_put(f, &row);
}

static void kernel_call(fixed *f, const aq_packet *packet)
{
  const aq_kernel_packet *p = &packet->kernel;
  const aq_kernel_desc *desc = &kernel_find(f, p->kernel_object)->desc;
  if (!desc->function || kernel_is_empty(p))
    return;
  f->depth++;
  desc->function(
      &(aq_kernel_call){.packet = p,
                        .kernarg = (void *)(uintptr_t)p->kernarg_address,
                        .user = desc->user,
                        .scope = desc->scope});
  f->depth--;
}

static void packet_end(fixed *f, fixed_queue *queue)
{
  aq_packet *slot = packet_in_turn(queue), packet = *slot;
  queue->busy = false;
  if (aq_header_type(packet.header) == AQ_PACKET_KERNEL_DISPATCH)
    kernel_call(f, &packet);
  if (queue->destroyed)
    return;
  uint64_t id = queue->read_index;
  if (f->records)
    packet_record(f, queue, &packet, id);
  __atomic_store_n(&slot->header_setup, (uint32_t)AQ_PACKET_INVALID,
                   __ATOMIC_RELAXED);
  /* Release: the slot is INVALID before a producer may take it. */
  __atomic_store_n(&queue->read_index, id + 1, __ATOMIC_RELEASE);
  signal_complete(f, packet.kernel.completion_signal, queue->start);
}

/* Packets that are published now were submitted now. */
static void queue_notice(fixed *f, fixed_queue *queue)
{
  uint64_t write = aq_ring_write_index(&queue->ring);
  uint64_t end = queue->read_index + queue->ring.size;
  end = write < end ? write : end;
  while (queue->seen < end &&
         packet_type(aq_ring_slot(&queue->ring, queue->seen)) !=
             AQ_PACKET_INVALID)
    queue->submitted[queue->seen++ & (queue->ring.size - 1)] = f->now;
}

/* Starts the packet in turn if it is there and waits for nothing. */
static void queue_start(fixed *f, fixed_queue *queue)
{
  queue_notice(f, queue);
  if (queue->stopped || queue->busy || queue->destroyed ||
      queue->seen <= queue->read_index)
    return;
  const aq_packet *packet = packet_in_turn(queue);
  const char *words;
  uint32_t reason = packet_check(f, packet, &words);
  if (reason) {
    queue_fail(f, queue, reason, words);
    return;
  }
  unsigned type = aq_header_type(packet->header);
  if (type != AQ_PACKET_KERNEL_DISPATCH &&
      !barrier_is_open(queue, &packet->barrier))
    return;
  queue->zeros = 0;
  queue->busy = true;
  queue->start = f->now;
  queue->end = f->now + f->takes;
}

/* ---- copies ---- */

static void copy_start(fixed *f, fixed_copy *copy)
{
  if (copy->busy || !all_zero(copy->dependencies, copy->count))
    return;
  copy->busy = true;
  copy->start = f->now;
  copy->end = f->now + f->takes;
}

static void copy_move(const fixed_copy *copy)
{
  const aq_copy_box *box = &copy->box;
  if (box->width == 0)
    memmove(copy->to, copy->from, copy->size);
  for (uint32_t z = 0; box->width > 0 && z < box->slices; z++)
    for (uint32_t y = 0; y < box->rows; y++)
      memmove((char *)copy->to + z * box->to.slice + y * box->to.row,
              (const char *)copy->from + z * box->from.slice +
                  y * box->from.row,
              box->width);
}

static void copy_end(fixed *f, fixed_copy *copy)
{
  fixed_copy **link = &f->copies;
  while (*link != copy)
    link = &(*link)->next;
  *link = copy->next;
  copy_move(copy);
  if (f->records) {
    aq_record row;
    aq_record_init(&row);
    row.kind = AQ_KIND_COPY;
    row.flags = 0;
    row.device = f->record_device;
    row.bytes = (int64_t)copy->size;
    row.submit = copy->submit;
    row.start = copy->start;
    row.end = row.complete = f->now;
    record_put(f, &row);
  }
  signal_complete(f, copy->completion, copy->start);
  free(copy);
}

static bool is_here(uint32_t device)
{
  return device == 0 || device == AQ_DEVICE_HOST ||
         device == AQ_DEVICE_OF_ADDRESS;
}

/* Wherever the bytes are, they take the same time. */
aq_status fixed_copy_submit(aq_transport *t, const aq_copy_desc *desc,
                            aq_diag *diag)
{
  fixed *f = fixed_from(t);
  const uint32_t count = desc->dependency_count;
  if (desc->device != 0 || !is_here(desc->to_device) ||
      !is_here(desc->from_device))
    return aq_diag_set(diag, AQ_ERR_INVALID, "a copy of device %u; expected 0",
                       desc->device);
  if (desc->engine != AQ_COPY_ENGINE_ANY)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "copy engine %u; there is none to choose", desc->engine);
  if (desc->box &&
      (uint64_t)desc->box->width * desc->box->rows * desc->box->slices !=
          desc->size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "rows that are not the %zu bytes of the copy",
                       desc->size);
  fixed_copy *copy = calloc(1, sizeof *copy + count * sizeof(aq_signal));
  if (!copy)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for a copy");
  copy->to = desc->to;
  copy->from = desc->from;
  copy->size = desc->size;
  if (desc->box)
    copy->box = *desc->box;
  copy->completion = desc->completion;
  copy->submit = f->now;
  copy->count = count;
  for (uint32_t i = 0; i < count; i++)
    copy->dependencies[i] = desc->dependencies[i];
  fixed_copy **link = &f->copies;
  while (*link)
    link = &(*link)->next;
  *link = copy;
  copy_start(f, copy);
  return AQ_OK;
}

aq_status fixed_copy_async(aq_transport *t, uint32_t device, void *to,
                           const void *from, size_t size,
                           const aq_signal *dependencies, uint32_t count,
                           aq_signal completion, aq_diag *diag)
{
  const aq_copy_desc copy = aq_copy_by_address(device, to, from, size,
                                               dependencies, count, completion);
  return fixed_copy_submit(t, &copy, diag);
}

uint32_t fixed_copy_engines_idle(aq_transport *t, uint32_t device)
{
  (void)t, (void)device;
  return 0; /* there are none to choose */
}

/* ---- events ---- */

/* Whatever can start now does. */
void fixed_start_all(fixed *f)
{
  for (fixed_queue *q = f->queues; q; q = q->next)
    queue_start(f, q);
  for (fixed_copy *c = f->copies; c; c = c->next)
    copy_start(f, c);
}

/* Ends what ends first, if it does by `limit`; of several the oldest queue,
 * then the oldest copy. */
static bool step(fixed *f, aq_time limit)
{
  fixed_queue *queue = NULL;
  fixed_copy *copy = NULL;
  aq_time first = AQ_TIME_MAX;
  for (fixed_queue *q = f->queues; q; q = q->next)
    if (q->busy && !q->stopped && !q->destroyed && q->end < first) {
      queue = q;
      first = q->end;
    }
  for (fixed_copy *c = f->copies; c; c = c->next)
    if (c->busy && c->end < first) {
      copy = c;
      first = c->end;
    }
  if ((!queue && !copy) || first > limit)
    return false;
  f->now = first;
  if (copy)
    copy_end(f, copy);
  else
    packet_end(f, queue);
  fixed_start_all(f);
  return true;
}

/* ---- operations that move time ---- */

static aq_status time_enter(fixed *f, aq_diag *diag)
{
  if (f->depth > 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "time cannot be moved from inside a callback");
  fixed_start_all(f);
  return AQ_OK;
}

static aq_status time_leave(fixed *f, aq_status status, aq_diag *diag)
{
  fixed_queues_sweep(f);
  if (f->failure.status != AQ_OK)
    return aq_diag_set(diag, f->failure.status, "%s", f->failure.text);
  return status;
}

/* Nothing is left to happen: says what blocks first. */
static aq_status deadlock(const fixed *f, const char *what, aq_diag *diag)
{
  for (const fixed_queue *q = f->queues; q; q = q->next) {
    const char *why = "waits for a signal that nothing changes";
    if (q->read_index >= aq_ring_write_index(&q->ring))
      continue;
    if (q->stopped)
      why = "will not be served: the queue stopped";
    else if (q->seen <= q->read_index)
      why = "is reserved but not published";
    return aq_diag_set(diag, AQ_ERR_DEADLOCK,
                       "%s never ends: queue %" PRIu32 ": packet %" PRIu64
                       " %s",
                       what, q->ring.id, q->read_index, why);
  }
  return aq_diag_set(diag, AQ_ERR_DEADLOCK,
                     "%s never ends: nothing is left to happen", what);
}

static aq_status too_late(fixed *f, aq_time deadline, const char *what,
                          aq_diag *diag)
{
  if (deadline == AQ_TIME_MAX)
    return deadlock(f, what, diag);
  f->now = aq_time_max(f->now, deadline);
  return aq_diag_set(diag, AQ_ERR_TIMEOUT, "%s: the deadline passed", what);
}

/* The index of an item that holds (any) or 0 (all); `count` if not. */
static uint32_t items_hold(const aq_wait_item *items, uint32_t count,
                           aq_wait_mode mode)
{
  for (uint32_t i = 0; i < count; i++) {
    int64_t value = __atomic_load_n(&signal_from(items[i].signal)->abi.value,
                                    __ATOMIC_ACQUIRE);
    bool holds = aq_condition_holds(items[i].condition, value, items[i].value);
    if (holds != (mode == AQ_WAIT_ALL))
      return holds ? i : count;
  }
  return mode == AQ_WAIT_ALL ? 0 : count;
}

aq_status fixed_wait(aq_transport *t, const aq_wait_request *request,
                     aq_wait_result *out, aq_diag *diag)
{
  fixed *f = fixed_from(t);
  const aq_wait_item *items = request->items;
  const uint32_t count = request->count;
  if (count == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID, "wait: no signals");
  for (uint32_t i = 0; i < count; i++)
    if (!items[i].signal.handle)
      return aq_diag_set(diag, AQ_ERR_INVALID, "wait: item %u has no signal",
                         i);
  aq_status status = time_enter(f, diag);
  if (status != AQ_OK)
    return status;
  uint32_t index = items_hold(items, count, request->mode);
  while (index == count && step(f, request->deadline))
    index = items_hold(items, count, request->mode);
  if (index == count) {
    status = too_late(f, request->deadline, "wait", diag);
    for (index = 0; items_hold(&items[index], 1, AQ_WAIT_ANY) == 0; index++)
      ;
  }
  status = time_leave(f, status, diag);
  if (out && (status == AQ_OK || status == AQ_ERR_TIMEOUT)) {
    const aq_signal seen = items[index].signal;
    *out = (aq_wait_result){index, t->ops->signal_load(t, seen, AQ_ACQUIRE)};
  }
  return status;
}

aq_status fixed_sleep_until(aq_transport *t, aq_time until, bool wake,
                            aq_diag *diag)
{
  fixed *f = fixed_from(t);
  aq_status status = time_enter(f, diag);
  if (status != AQ_OK)
    return status;
  while (!(wake && f->done_count > 0) && step(f, until))
    ;
  if (!(wake && f->done_count > 0) && until != AQ_TIME_MAX)
    f->now = aq_time_max(f->now, until);
  return time_leave(f, AQ_OK, diag);
}

aq_status fixed_queue_wait_space(aq_transport *t, aq_ring *ring, uint32_t count,
                                 aq_time deadline, aq_diag *diag)
{
  fixed *f = fixed_from(t);
  fixed_queue *queue = queue_from(ring);
  if (count > ring->size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "room for %u packets; the ring has %u", count,
                       ring->size);
  aq_status status = time_enter(f, diag);
  if (status != AQ_OK)
    return status;
  while (status == AQ_OK && aq_ring_space(ring) < count) {
    if (queue->stopped)
      status =
          aq_diag_set(diag, AQ_ERR_QUEUE, "queue %u has stopped", ring->id);
    else if (!step(f, deadline))
      status = too_late(f, deadline, "wait for room", diag);
  }
  return time_leave(f, status, diag);
}

void fixed_queue_doorbell(aq_transport *t, aq_ring *ring, uint64_t id)
{
  /* Release: a reader of the cell sees the packets up to id. */
  __atomic_store_n(ring->doorbell, id, __ATOMIC_RELEASE);
  queue_start(fixed_from(t), queue_from(ring));
}

void fixed_engine_close(fixed *f)
{
  for (fixed_queue *q = f->queues; q; q = q->next)
    q->destroyed = true;
  fixed_queues_sweep(f);
  for (fixed_copy *c = f->copies, *next; c; c = next) {
    next = c->next;
    free(c);
  }
}
