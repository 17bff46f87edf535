/* SPDX-License-Identifier: MIT */
#include "transport/fault/shapes.h"

#include <stdio.h>
#include <string.h>

enum { ONE_PACKETS = 10, CROSS_PACKETS = 8, FULL_PACKETS = 4 * SHAPE_RING };

uint32_t shape_queue(shape_kind kind)
{
  return kind == SHAPE_CROSS_QUEUE ? 1 : 0;
}

uint64_t shape_last(shape_kind kind)
{
  static const uint64_t last[SHAPES] = {ONE_PACKETS - 1, CROSS_PACKETS - 1,
                                        FULL_PACKETS - 1};
  return last[kind];
}

static void kernel_count(const aq_kernel_call *call)
{
  shape *s = call->user;
  s->calls++;
}

static void error_note(const aq_queue_error *error, void *user)
{
  shape *s = user;
  s->errors++;
  s->error = *error;
  s->error_packet = *error->packet;
  snprintf(s->error_text, sizeof s->error_text, "%s", error->text);
}

/* ---- the program; each step returns the transport's status ---- */

static aq_status objects_make(shape *s)
{
  const aq_transport_ops *ops = s->f.ops;
  aq_diag *diag = &s->f.rig.diag;
  aq_queue_desc queue = {.size = SHAPE_RING, .error = error_note, .user = s};
  aq_kernel_desc kernel = {.name = "count",
                           .function = kernel_count,
                           .user = s,
                           .cost = {.kind = AQ_COST_FIXED, .base = AQ_US}};
  aq_kernel_info info = {0};
  aq_status status = AQ_OK;
  for (int i = 0; i < 2 && status == AQ_OK; i++)
    status = ops->queue_create(s->f.t, &queue, &s->queues[i], diag);
  if (status == AQ_OK)
    status = ops->kernel_register(s->f.t, &kernel, &info, diag);
  s->kernel = info.object;
  return status;
}

/* Waits for room where there is none, and submits with a doorbell. */
static aq_status submit(shape *s, aq_ring *queue, aq_packet packet)
{
  aq_diag *diag = &s->f.rig.diag;
  aq_signal done;
  aq_status status = s->f.ops->signal_create(
      s->f.t, &(aq_signal_desc){.value = 1, .user = 100 + s->packets}, &done,
      diag);
  if (status == AQ_OK && aq_ring_space(queue) == 0)
    status = s->f.ops->queue_wait_space(s->f.t, queue, 1, AQ_TIME_MAX, diag);
  if (status != AQ_OK)
    return status;
  packet.kernel.completion_signal = done;
  s->signals[s->packets] = done;
  s->on[s->packets] = queue;
  s->ids[s->packets] = rig_submit(&s->f.rig, queue, &packet);
  s->packets++;
  return AQ_OK;
}

static aq_status submit_kernels(shape *s, aq_ring *queue, uint32_t count)
{
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < count && status == AQ_OK; i++)
    status = submit(s, queue, rig_dispatch(s->kernel, i % 2, rig_none));
  return status;
}

/* A barrier-AND on the packet submitted last. */
static aq_status submit_barrier(shape *s, aq_ring *queue)
{
  return submit(s, queue,
                rig_barrier(AQ_PACKET_BARRIER_AND, &s->signals[s->packets - 1],
                            1, rig_none));
}

static aq_status submit_copy(shape *s)
{
  aq_diag *diag = &s->f.rig.diag;
  aq_status status = s->f.ops->signal_create(
      s->f.t, &(aq_signal_desc){.value = 1, .user = 99}, &s->copied, diag);
  if (status != AQ_OK)
    return status;
  memset(s->from, 'x', sizeof s->from);
  status =
      s->f.ops->copy_async(s->f.t, 0, s->to, s->from, sizeof s->to,
                           &s->signals[s->packets - 1], 1, s->copied, diag);
  if (status != AQ_OK)
    s->copied = rig_none;
  return status;
}

static aq_status submit_all(shape *s)
{
  aq_ring *queue = s->queues[shape_queue(s->kind)];
  uint32_t left = (uint32_t)shape_last(s->kind) + 1;
  aq_status status = AQ_OK;
  if (s->kind == SHAPE_CROSS_QUEUE) {
    status = submit_kernels(s, s->queues[0], 4);
  } else {
    status = submit_kernels(s, queue, 4);
    left -= 4;
  }
  if (status == AQ_OK)
    status = submit_barrier(s, queue);
  if (status == AQ_OK)
    status = submit_kernels(s, queue, left - 1);
  return status == AQ_OK ? submit_copy(s) : status;
}

static aq_status wait_all(shape *s)
{
  aq_wait_item items[SHAPE_PACKETS + 1];
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->packets; i++)
    items[count++] = (aq_wait_item){s->signals[i], AQ_EQ, 0};
  if (s->copied.handle)
    items[count++] = (aq_wait_item){s->copied, AQ_EQ, 0};
  return rig_wait(&s->f.rig, items, count, AQ_WAIT_ALL, AQ_TIME_MAX);
}

/* ---- invariants of every end ---- */

static uint32_t records_of(const shape *s, uint32_t packet, bool *complete)
{
  const aq_memory_sink *sink = &s->f.rig.sink;
  uint32_t count = 0;
  for (size_t i = 0; i < sink->count; i++) {
    const aq_record *row = &sink->rows[i];
    if (row->queue == AQ_NONE || row->packet != (int64_t)s->ids[packet] ||
        sink->queues[row->queue].source_id != s->on[packet]->id)
      continue;
    count++;
    *complete = row->complete != AQ_NONE;
  }
  return count;
}

static void check_packets(shape *s)
{
  uint32_t kernels = 0;
  for (uint32_t i = 0; i < s->packets; i++) {
    int64_t value = rig_load(&s->f.rig, s->signals[i]);
    bool complete = false;
    uint32_t records = records_of(s, i, &complete);
    ck_assert_msg(value == 0 || value == 1, "packet %u: signal is %lld", i,
                  (long long)value);
    ck_assert_msg(records <= 1, "packet %u: %u records", i, records);
    ck_assert_msg((value == 0) == complete,
                  "packet %u: its signal is %lld and its record %s", i,
                  (long long)value, complete ? "complete" : "not");
    kernels += value == 0;
  }
  ck_assert_uint_le(s->calls, kernels);
  ck_assert_uint_le(s->errors, 2);
}

void shape_run(shape *s, shape_kind kind, const char *names,
               const char *schedule, const aq_device_hooks *hooks)
{
  memset(s, 0, sizeof *s);
  s->kind = kind;
  faulty_open(&s->f, names, schedule, hooks);
  s->status = objects_make(s);
  if (s->status == AQ_OK)
    s->status = submit_all(s);
  if (s->status == AQ_OK)
    s->status = wait_all(s);
  aq_diag rest = AQ_DIAG_INIT;
  ck_assert_status(s->f.ops->sleep_until(s->f.t, AQ_TIME_MAX, false, &rest),
                   AQ_OK, &rest);
  check_packets(s);
}

void shape_close(shape *s)
{
  faulty_close(&s->f);
}
