/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/copy_name.h"
#include "study/loop/replay_priv.h"

enum {
  INPUT_BATCH = 256,
  HIP_QUEUES = 4, /* GPU_MAX_HW_QUEUES, unless a program changed it */
  /* Bytes: HIP copies more through buffers of its own. As of the witnesses of
   * the clocks' offset (report/stats/clock_offset.c). */
  POLLED_MOST = 65536,
};

static uint32_t clamp(int64_t value, uint32_t low, uint32_t high)
{
  if (value == AQ_NONE || value < low)
    return low;
  return value > high ? high : (uint32_t)value;
}

static bool queue_find(aq_replay *r, const aq_record *row, uint32_t *index)
{
  /* The queue that a row belongs to: its hardware queue, or else its stream. */
  const bool is_stream = row->queue == AQ_NONE ||
                         (r->options.queues > 0 && row->stream != AQ_NONE);
  const aq_replay_queue wanted = (aq_replay_queue){
      .device = clamp(row->device, 0, UINT32_MAX),
      .id = is_stream ? (row->stream == AQ_NONE ? 0 : row->stream) : row->queue,
      .is_stream = is_stream,
      .stream = row->stream,
      .one_stream = true,
      .last_end = AQ_TIME_NONE,
      .last_complete = AQ_TIME_NONE,
      .last_submit = AQ_TIME_NONE,
      .next_submit = AQ_TIME_MAX,
  };
  uint64_t found, key = (uint64_t)wanted.id ^ (uint64_t)wanted.device << 40 ^
                        (uint64_t)wanted.is_stream << 63;
  /* Queues with equal keys take the following ones. */
  for (; aq_map_get(&r->queue_map, key, &found); key++) {
    aq_replay_queue *queue = &r->queues[found];
    if (queue->device == wanted.device && queue->id == wanted.id &&
        queue->is_stream == wanted.is_stream) {
      queue->one_stream &= queue->stream == row->stream;
      *index = (uint32_t)found;
      return true;
    }
  }
  if (!AQ_ARRAY_RESERVE(r->queues, r->queue_capacity, r->queue_count + 1) ||
      !aq_map_put(&r->queue_map, key, r->queue_count))
    return false;
  r->queues[r->queue_count] = wanted;
  *index = (uint32_t)r->queue_count++;
  return true;
}

/* Rows that a queue carried out and that have a place in time. */
static bool row_is_work(const aq_record *row)
{
  return row->start != AQ_TIME_NONE &&
         (row->kind == AQ_KIND_KERNEL || row->kind == AQ_KIND_COPY ||
          row->kind == AQ_KIND_FILL);
}

/* Whether three extents are known and fit into a packet. */
static bool is_extent(int64_t x, int64_t y, int64_t z, int64_t most)
{
  return x > 0 && y > 0 && z > 0 && x <= most && y <= most && z <= most;
}

/* The shape that the packet of a row has; unknown parts are marked. One
 * work-item stands for an unknown grid, a wave for an unknown workgroup. */
static void shape_take(aq_replay *r, aq_replay_row *to, const aq_record *row)
{
  const bool grid =
      is_extent(row->grid_x, row->grid_y, row->grid_z, UINT32_MAX);
  enum { WAVE = 64, WORKGROUP_MAX = 1024 };
  const bool workgroup =
      is_extent(row->wg_x, row->wg_y, row->wg_z, WORKGROUP_MAX) &&
      row->wg_x * row->wg_y * row->wg_z <= WORKGROUP_MAX;
  for (int i = 0; i < 3; i++) {
    to->grid[i] = 1;
    to->workgroup[i] = 1;
  }
  if (grid) {
    to->grid[0] = (uint32_t)row->grid_x;
    to->grid[1] = (uint32_t)row->grid_y;
    to->grid[2] = (uint32_t)row->grid_z;
    to->workgroup[0] = to->grid[0] < WAVE ? (uint16_t)to->grid[0] : WAVE;
  }
  if (workgroup) {
    to->workgroup[0] = (uint16_t)row->wg_x;
    to->workgroup[1] = (uint16_t)row->wg_y;
    to->workgroup[2] = (uint16_t)row->wg_z;
  }
  to->lds = clamp(row->lds, 0, UINT32_MAX);
  to->scratch = clamp(row->scratch, 0, UINT32_MAX);
  to->unknown =
      (uint8_t)((grid ? 0 : AQ_UNKNOWN_GRID) |
                (workgroup ? 0 : AQ_UNKNOWN_WORKGROUP) |
                (row->lds == to->lds ? 0 : AQ_UNKNOWN_LDS) |
                (row->scratch == to->scratch ? 0 : AQ_UNKNOWN_SCRATCH));
  r->facts.shapeless += row->kind == AQ_KIND_KERNEL && !(grid && workgroup);
}

/* The logarithm of the work-items, rounded down, + 1. */
static uint8_t size_of(const aq_replay_row *row)
{
  const double items =
      (double)row->grid[0] * (double)row->grid[1] * (double)row->grid[2];
  return row->unknown & AQ_UNKNOWN_GRID ? 0 : (uint8_t)(1 + ilogb(items));
}

/* Gaps are whole ns in the arguments of spin kernels. */
static uint32_t gap_flags(aq_replay *r, const aq_record *row, const char *name)
{
  const aq_replay_options *o = &r->options;
  if (!o->gap || row->kind != AQ_KIND_KERNEL || !name)
    return 0;
  const aq_time gap = o->gap(o->user, row, name);
  r->facts.gaps += gap > 0;
  return (uint32_t)(gap / AQ_NS) << AQ_SPIN_GAP_SHIFT;
}

static aq_status row_add(aq_replay *r, const aq_record *row, int64_t number,
                         aq_diag *diag)
{
  uint32_t queue;
  if (r->row_count >= UINT32_MAX - 1)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "replay: more than %u rows",
                       UINT32_MAX - 1);
  if (!AQ_ARRAY_RESERVE(r->rows, r->row_capacity, r->row_count + 1) ||
      !queue_find(r, row, &queue))
    return aq_diag_no_memory(diag);
  const aq_time end = aq_time_max(row->end, row->start);
  r->facts.endless += row->end == AQ_TIME_NONE;
  const aq_replay_options *o = &r->options;
  const char *name = row->name < 0 ? NULL : r->input->name(r->input, row->name);
  aq_time duration = end - row->start;
  /* A replay keeps the durations of its run, predicted ones too. */
  int64_t flags = row->flags == AQ_NONE ? 0 : row->flags & AQ_FLAG_PREDICTED;
  /* Work whose time the device alone decides: no link takes part in it. */
  if (o->duration &&
      (row->kind == AQ_KIND_KERNEL || row->kind == AQ_KIND_FILL ||
       (name && aq_copy_is_on_device(name)))) {
    duration = o->duration(o->user, row, name, duration);
    if (duration > 0 &&
        (row->kind == AQ_KIND_KERNEL || duration != end - row->start))
      flags |= AQ_FLAG_PREDICTED;
  }
  r->rows[r->row_count++] = (aq_replay_row){
      .number = number,
      .start = row->start,
      .end = end,
      .complete = row->complete,
      .duration = duration,
      .flags = (uint8_t)flags,
      .host_begin = row->host_begin,
      .host_end = row->host_end,
      .submit = row->submit,
      .correlation = row->correlation,
      .pid = row->pid,
      .tid = row->tid,
      .stream = row->stream,
      .name = row->name,
      .bytes = row->bytes,
      .kind = (uint8_t)row->kind,
      .spin_flags = gap_flags(r, row, name),
      .via = (uint8_t)clamp(row->via, AQ_VIA_NONE, AQ_VIA_COUNT - 1),
      .queue = queue,
  };
  aq_replay_row *added = &r->rows[r->row_count - 1];
  shape_take(r, added, row);
  r->facts.calls += aq_replay_is_called(added);
  added->size = size_of(added);
  added->host_copy = row->kind == AQ_KIND_COPY && name &&
                     (aq_copy_is_from_host(name) || aq_copy_is_to_host(name));
  added->blocks = row->kind != AQ_KIND_KERNEL && added->via == AQ_VIA_DIRECT &&
                  row->host_begin != AQ_TIME_NONE &&
                  row->host_end != AQ_TIME_NONE &&
                  row->host_end + o->clock_shift >= end;
  added->polled = o->copy_return > 0 && row->kind == AQ_KIND_COPY && name &&
                  row->bytes >= 0 && row->bytes <= POLLED_MOST &&
                  (aq_copy_is_from_host(name) || aq_copy_is_on_device(name));
  added->collective = aq_replay_is_collective(r, row, name);
  if (o->family && o->predict && name)
    added->family = (int16_t)o->family(o->user, row->name, name);
  return AQ_OK;
}

static aq_status wait_add(aq_replay *r, const aq_record *row, aq_diag *diag)
{
  if (row->host_begin == AQ_TIME_NONE || row->host_end == AQ_TIME_NONE)
    return AQ_OK;
  if (!AQ_ARRAY_RESERVE(r->waits, r->wait_capacity, r->wait_count + 1))
    return aq_diag_no_memory(diag);
  const char *name = row->name < 0 ? NULL : r->input->name(r->input, row->name);
  r->waits[r->wait_count++] = (aq_replay_wait){
      .begin = row->host_begin,
      .end = aq_time_max(row->host_end, row->host_begin),
      .pid = row->pid,
      .row = AQ_REPLAY_NOWHERE,
      .all = name && strstr(name, "DeviceSynchronize") != NULL,
  };
  return AQ_OK;
}

static aq_status record_add(aq_replay *r, const aq_record *row, int64_t number,
                            aq_diag *diag)
{
  if (row_is_work(row))
    return row_add(r, row, number, diag);
  if (row->kind == AQ_KIND_RANGE)
    return aq_replay_range_add(r, row, diag);
  const bool wanted = r->options.closed || r->options.as_graph;
  return row->kind == AQ_KIND_WAIT && wanted ? wait_add(r, row, diag) : AQ_OK;
}

/* Whether streams are all that is known of the queues. */
static bool queues_are_streams(const aq_replay *r)
{
  for (size_t i = 0; i < r->queue_count; i++) {
    const aq_replay_queue *queue = &r->queues[i];
    if (!queue->is_stream && (!queue->one_stream || queue->stream == AQ_NONE))
      return false;
    for (size_t j = 0; j < i; j++)
      if (r->queues[j].device == queue->device &&
          r->queues[j].stream == queue->stream)
        return false;
  }
  return true;
}

/* The lowest device of the queues, from `least` on. */
static bool device_next(const aq_replay *r, uint64_t least, uint32_t *out)
{
  bool found = false;
  for (size_t i = 0; i < r->queue_count; i++) {
    const uint32_t device = r->queues[i].device;
    if (device >= least && (!found || device < *out)) {
      *out = device;
      found = true;
    }
  }
  return found;
}

aq_status aq_replay_rows_read(aq_replay *r, aq_diag *diag)
{
  aq_record *rows = malloc(INPUT_BATCH * sizeof *rows);
  int64_t *numbers = malloc(INPUT_BATCH * sizeof *numbers);
  aq_status status = AQ_OK;
  size_t count = rows && numbers;
  if (count == 0)
    status = aq_diag_no_memory(diag);
  while (count > 0 && status == AQ_OK) {
    status = r->input->next(r->input, rows, numbers, INPUT_BATCH, &count, diag);
    for (size_t i = 0; i < count && status == AQ_OK; i++)
      status = record_add(r, &rows[i], numbers[i], diag);
  }
  free(numbers);
  free(rows);
  aq_replay_futures_find(r);
  aq_replay_facts *facts = &r->facts;
  facts->streams = queues_are_streams(r);
  facts->queues = r->options.queues;
  if (facts->queues == 0 && facts->streams)
    facts->queues = HIP_QUEUES;
  for (size_t i = 0; i < r->queue_count; i++) {
    uint32_t before = 0;
    for (size_t j = 0; j < i; j++)
      before += r->queues[j].device == r->queues[i].device;
    r->queues[i].hardware = facts->queues ? before % facts->queues : before;
  }
  /* The devices that have rows are numbered without gaps, in their order. */
  uint32_t device = 0;
  for (uint64_t at = 0; device_next(r, at, &device);
       at = (uint64_t)device + 1) {
    for (size_t i = 0; i < r->queue_count; i++)
      if (r->queues[i].device == device)
        r->queues[i].place = r->facts.devices;
    r->facts.devices++;
  }
  return status;
}
