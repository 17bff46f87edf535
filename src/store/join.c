/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "store/join.h"

#include <stdlib.h>
#include <string.h>

#include "store/foreach_row.h"

/* A run on its way into the joined one. */
typedef struct part {
  aq_run_join *join;
  aq_run_reader *reader;
  int64_t rank;
  aq_time shift;
  bool moved;
  int64_t *devices, *queues; /* ordinals in the joined run */
  bool *launched;            /* by row: what launched it is known */
  size_t rows;
  bool late; /* a time is out of range */
  aq_status status;
  aq_diag *diag;
} part;

void aq_run_join_fini(aq_run_join *join)
{
  aq_map_fini(&join->pids);
}

/* An id of the part, apart from the ids of other parts. */
static int64_t apart(const part *p, int64_t id)
{
  return id == AQ_NONE ? id : (int64_t)((uint64_t)id ^ p->join->parts << 40);
}

static int64_t pid_of(const part *p, int64_t pid)
{
  return p->moved ? apart(p, pid) : pid;
}

static int64_t time_of(part *p, int64_t time)
{
  int64_t moved;
  if (time == AQ_NONE)
    return time;
  if (__builtin_add_overflow(time, p->shift, &moved) || moved == AQ_NONE) {
    p->late = true;
    return AQ_NONE;
  }
  return moved;
}

static aq_status name_put(const part *p, int64_t id, int64_t *out)
{
  aq_record_sink *sink = p->join->sink;
  const char *text = id == AQ_NONE ? NULL : aq_run_reader_name(p->reader, id);
  *out = AQ_NONE;
  return text ? sink->name(sink, text, strlen(text), out, p->diag) : AQ_OK;
}

/* ---- places ---- */

/* Devices of the ranks have equal ids: the rank becomes bits 32 and up. */
static aq_status places_put(part *p)
{
  aq_record_sink *sink = p->join->sink;
  const size_t devices = aq_run_reader_device_count(p->reader);
  const size_t queues = aq_run_reader_queue_count(p->reader);
  p->devices = malloc((devices + 1) * sizeof *p->devices);
  p->queues = malloc((queues + 1) * sizeof *p->queues);
  if (!p->devices || !p->queues)
    return aq_diag_no_memory(p->diag);
  aq_status status = AQ_OK;
  for (size_t i = 0; i < devices && status == AQ_OK; i++) {
    aq_run_device device = *aq_run_reader_device(p->reader, (int64_t)i);
    device.source_id =
        (int64_t)((uint64_t)device.source_id ^ (uint64_t)p->rank << 32);
    status = sink->device(sink, &device, &p->devices[i], p->diag);
  }
  for (size_t i = 0; i < queues && status == AQ_OK; i++) {
    aq_run_queue queue = *aq_run_reader_queue(p->reader, (int64_t)i);
    if (queue.device >= 0 && (size_t)queue.device < devices)
      queue.device = p->devices[queue.device];
    status = sink->queue(sink, &queue, &p->queues[i], p->diag);
  }
  return status;
}

static int64_t ordinal_of(const int64_t *ordinals, size_t count, int64_t at)
{
  return at >= 0 && (size_t)at < count ? ordinals[at] : AQ_NONE;
}

/* ---- rows ---- */

static bool pid_look(void *user, const aq_record *row, int64_t number,
                     const char *name)
{
  part *p = user;
  (void)number;
  (void)name;
  p->rows++;
  uint64_t by;
  p->moved |= row->pid != AQ_NONE &&
              aq_map_get(&p->join->pids, (uint64_t)row->pid, &by) &&
              by != p->join->parts;
  return true;
}

static bool row_put(void *user, const aq_record *row, int64_t number,
                    const char *name)
{
  part *p = user;
  aq_record_sink *sink = p->join->sink;
  aq_record put;
  int64_t values[AQ_RECORD_FIELD_COUNT];
  (void)name;
  memcpy(values, row, sizeof values);
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++)
    if (strcmp(aq_record_fields[i].unit, "ps") == 0)
      values[i] = time_of(p, values[i]);
  memcpy(&put, values, sizeof put);
  put.device = ordinal_of(p->devices, aq_run_reader_device_count(p->reader),
                          row->device);
  put.queue =
      ordinal_of(p->queues, aq_run_reader_queue_count(p->reader), row->queue);
  put.correlation = apart(p, row->correlation);
  put.pid = pid_of(p, row->pid);
  p->status = name_put(p, row->name, &put.name);
  if (p->status == AQ_OK)
    p->status = sink->put(sink, &put, 1, p->diag);
  /* A row of the device without an op has a rank all the same. */
  p->launched[number] = row->kind != AQ_KIND_KERNEL &&
                        row->kind != AQ_KIND_COPY && row->kind != AQ_KIND_FILL;
  return p->status == AQ_OK &&
         (put.pid == AQ_NONE ||
          aq_map_put(&p->join->pids, (uint64_t)put.pid, p->join->parts));
}

/* Goes through the rows; `add` may fail with p->status. */
static aq_status rows_each(aq_store *from, int64_t run, part *p, aq_row_add add)
{
  aq_run_reader *reader;
  aq_status status =
      aq_run_reader_open(from, run, AQ_ORDER_STORED, &reader, p->diag);
  if (status != AQ_OK)
    return status;
  p->status = AQ_OK;
  status = aq_run_reader_each(reader, add, p, p->diag);
  aq_run_reader_close(reader);
  return p->status != AQ_OK ? p->status : status;
}

static aq_status edges_put(part *p)
{
  const aq_edge *edges;
  size_t count;
  aq_record_sink *sink = p->join->sink;
  aq_status status = aq_run_reader_edges(p->reader, &edges, &count, p->diag);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    aq_edge edge = edges[i];
    edge.from += p->join->rows;
    edge.to += p->join->rows;
    status = sink->put_edges(sink, &edge, 1, p->diag);
  }
  return status;
}

/* Samples of devices; profiles of ranks have no others. */
static aq_status samples_put(part *p)
{
  const aq_sample *samples;
  size_t count;
  aq_record_sink *sink = p->join->sink;
  aq_status status =
      aq_run_reader_samples(p->reader, &samples, &count, p->diag);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    aq_sample one = samples[i];
    if (aq_counters[one.counter].scope != AQ_COUNTER_OF_DEVICE)
      continue;
    one.ordinal = ordinal_of(p->devices, aq_run_reader_device_count(p->reader),
                             one.ordinal);
    one.time = time_of(p, one.time);
    status = sink->put_counters(sink, &one, 1, p->diag);
  }
  return status;
}

/* ---- the program around launches ---- */

static int64_t moved_by(int64_t number, int64_t by)
{
  return number == AQ_NONE ? number : number + by;
}

/* The ops of the part are numbered from join->ops on. */
static aq_status allocations_put(part *p, aq_store *from, int64_t run)
{
  aq_memory_block_list list = {0};
  aq_record_sink *sink = p->join->sink;
  aq_status status = aq_store_memory_blocks(from, run, &list, p->diag);
  for (size_t i = 0; i < list.count && status == AQ_OK; i++) {
    aq_memory_block one = list.rows[i];
    one.device = ordinal_of(p->devices, aq_run_reader_device_count(p->reader),
                            one.device);
    one.allocated = time_of(p, one.allocated);
    one.freed = time_of(p, one.freed);
    one.op = moved_by(one.op, p->join->ops);
    status = sink->put_memory_blocks(sink, &one, 1, p->diag);
  }
  aq_memory_block_list_fini(&list);
  return status;
}

static aq_status ops_put(part *p, aq_store *from, int64_t run)
{
  aq_host_op_list ops = {0};
  aq_record_sink *sink = p->join->sink;
  aq_status status = aq_store_ops(from, run, &ops, p->diag);
  for (size_t i = 0; i < ops.count && status == AQ_OK; i++) {
    aq_host_op op = ops.rows[i];
    op.parent = moved_by(op.parent, p->join->ops);
    op.begins = time_of(p, op.begins);
    op.ends = time_of(p, op.ends);
    op.pid = pid_of(p, op.pid);
    status = name_put(p, ops.rows[i].name, &op.name);
    if (status == AQ_OK)
      status = name_put(p, ops.rows[i].arguments, &op.arguments);
    if (status == AQ_OK)
      status = sink->put_ops(sink, &op, 1, p->diag);
  }
  const int64_t count = (int64_t)ops.count;
  aq_host_op_list_fini(&ops);
  aq_frame_list frames = {0};
  if (status == AQ_OK)
    status = aq_store_frames(from, run, &frames, p->diag);
  for (size_t i = 0; i < frames.count && status == AQ_OK; i++) {
    aq_frame frame = frames.rows[i];
    frame.parent = moved_by(frame.parent, p->join->frames);
    status = name_put(p, frames.rows[i].name, &frame.name);
    if (status == AQ_OK)
      status = sink->put_frames(sink, &frame, 1, p->diag);
  }
  const int64_t frame_count = (int64_t)frames.count;
  aq_frame_list_fini(&frames);
  aq_launched_list launched = {0};
  if (status == AQ_OK)
    status = aq_store_launched(from, run, &launched, p->diag);
  for (size_t i = 0; i < launched.count && status == AQ_OK; i++) {
    aq_launched one = launched.rows[i];
    if (one.row >= 0 && (size_t)one.row < p->rows)
      p->launched[one.row] = true;
    one.row = moved_by(one.row, p->join->rows);
    one.op = moved_by(one.op, p->join->ops);
    one.frame = moved_by(one.frame, p->join->frames);
    one.rank = p->rank;
    status = sink->put_launched(sink, &one, 1, p->diag);
  }
  aq_launched_list_fini(&launched);
  for (size_t i = 0; i < p->rows && status == AQ_OK; i++)
    if (!p->launched[i]) {
      const aq_launched one = {(int64_t)i + p->join->rows, AQ_NONE, AQ_NONE,
                               AQ_NONE, p->rank};
      status = sink->put_launched(sink, &one, 1, p->diag);
    }
  if (status == AQ_OK)
    status = allocations_put(p, from, run);
  p->join->ops += count;
  p->join->frames += frame_count;
  return status;
}

aq_status aq_run_join_add(aq_run_join *join, aq_store *from, int64_t run,
                          int64_t rank, aq_time shift, bool *moved,
                          aq_diag *diag)
{
  part p = {.join = join, .rank = rank, .shift = shift, .diag = diag};
  aq_status status =
      aq_run_reader_open(from, run, AQ_ORDER_STORED, &p.reader, diag);
  if (status != AQ_OK)
    return status;
  status = rows_each(from, run, &p, pid_look);
  p.launched = calloc(p.rows + 1, sizeof *p.launched);
  if (!p.launched)
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = places_put(&p);
  if (status == AQ_OK)
    status = rows_each(from, run, &p, row_put);
  if (status == AQ_OK)
    status = edges_put(&p);
  if (status == AQ_OK)
    status = samples_put(&p);
  if (status == AQ_OK)
    status = ops_put(&p, from, run);
  if (status == AQ_OK && p.late)
    status = aq_diag_set(diag, AQ_ERR_INPUT,
                         "rank %lld: its times are too far from the times of "
                         "the first rank",
                         (long long)rank);
  join->rows += (int64_t)p.rows;
  join->parts++;
  *moved = p.moved;
  free(p.devices);
  free(p.queues);
  free(p.launched);
  aq_run_reader_close(p.reader);
  return status;
}
