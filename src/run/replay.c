/* SPDX-License-Identifier: MIT */
#include "run/replay.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/map.h"

enum { INPUT_BATCH = 256 };

/* What replay keeps of a measured row. */
typedef struct replay_row {
  int64_t number; /* of the row in its run */
  aq_time start, end, host_begin, host_end, submit;
  int64_t correlation, pid, tid, stream, name, bytes;
  uint32_t grid[3];
  uint16_t workgroup[3];
  uint8_t kind, via, flags, spin_flags;
  uint32_t lds, scratch;
  uint32_t queue; /* index of a replay_queue */
  uint32_t next;  /* row of the same job + 1, or 0 */
} replay_row;

/* One host call on one queue: rows in the order of their starts. */
typedef struct replay_job {
  aq_time submit;
  uint32_t first, last, count; /* rows */
  bool marker;                 /* ends a graph launch */
} replay_job;

/* A queue of the measured run, and how far its rows have been sorted. */
typedef struct replay_queue {
  uint32_t device;
  int64_t id; /* ordinal in the measured run, or its stream */
  bool is_stream;
  aq_time last_end, last_submit; /* AQ_TIME_NONE before the first row */
  uint32_t last_job;             /* + 1, or 0 */
  uint32_t last_graph;           /* row of the last graph launch + 1, or 0 */
} replay_queue;

typedef struct replay {
  aq_workload_source source; /* first */
  aq_replay_input *input;
  aq_replay_options options;
  replay_row *rows;
  size_t row_count, row_capacity;
  replay_job *jobs;
  size_t job_count, job_capacity;
  replay_queue *queues;
  size_t queue_count, queue_capacity;
  aq_map queue_map;
  aq_time typical_call;
  aq_command *commands; /* of the job handed out last */
  size_t command_capacity;
  size_t next;
} replay;

/* The array with room for one more element, moved if need be; NULL when out of
 * memory, the old one is untouched then. */
static void *array_grow(void *array, size_t count, size_t *capacity,
                        size_t size)
{
  if (count < *capacity)
    return array;
  size_t wanted = *capacity ? *capacity * 2 : INPUT_BATCH;
  void *grown = realloc(array, wanted * size);
  if (grown)
    *capacity = wanted;
  return grown;
}

static aq_status out_of_memory(const replay *r, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory to replay %zu rows",
                     r->row_count);
}

static int64_t known_or(int64_t value, int64_t otherwise)
{
  return value == AQ_NONE ? otherwise : value;
}

static uint32_t clamp(int64_t value, uint32_t low, uint32_t high)
{
  if (value == AQ_NONE || value < low)
    return low;
  return value > high ? high : (uint32_t)value;
}

/* ---- reading ---- */

/* The index of a row's queue: its hardware queue, or else its stream. */
static bool queue_find(replay *r, const aq_record *row, uint32_t *index)
{
  const replay_queue wanted = {
      .device = clamp(row->device, 0, UINT32_MAX),
      .id = row->queue != AQ_NONE ? row->queue : known_or(row->stream, 0),
      .is_stream = row->queue == AQ_NONE,
      .last_end = AQ_TIME_NONE,
      .last_submit = AQ_TIME_NONE,
  };
  uint64_t found, key = (uint64_t)wanted.id ^ (uint64_t)wanted.device << 40 ^
                        (uint64_t)wanted.is_stream << 63;
  /* Queues with equal keys take the following ones. */
  for (; aq_map_get(&r->queue_map, key, &found); key++) {
    const replay_queue *queue = &r->queues[found];
    if (queue->device == wanted.device && queue->id == wanted.id &&
        queue->is_stream == wanted.is_stream) {
      *index = (uint32_t)found;
      return true;
    }
  }
  replay_queue *queues = array_grow(r->queues, r->queue_count,
                                    &r->queue_capacity, sizeof *r->queues);
  if (!queues)
    return false;
  r->queues = queues;
  if (!aq_map_put(&r->queue_map, key, r->queue_count))
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

static aq_status row_add(replay *r, const aq_record *row, int64_t number,
                         aq_diag *diag)
{
  uint32_t queue;
  if (r->row_count >= UINT32_MAX - 1)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "replay: more than %u rows",
                       UINT32_MAX - 1);
  replay_row *rows =
      array_grow(r->rows, r->row_count, &r->row_capacity, sizeof *r->rows);
  if (rows)
    r->rows = rows;
  if (!rows || !queue_find(r, row, &queue))
    return out_of_memory(r, diag);
  r->rows[r->row_count++] = (replay_row){
      .number = number,
      .start = row->start,
      .end = aq_time_max(row->end, row->start),
      .host_begin = row->host_begin,
      .host_end = row->host_end,
      .submit = row->submit,
      .correlation = row->correlation,
      .pid = row->pid,
      .tid = row->tid,
      .stream = row->stream,
      .name = row->name,
      .bytes = row->bytes,
      .grid = {clamp(row->grid_x, 1, UINT32_MAX),
               clamp(row->grid_y, 1, UINT32_MAX),
               clamp(row->grid_z, 1, UINT32_MAX)},
      .workgroup = {(uint16_t)clamp(row->wg_x, 1, UINT16_MAX),
                    (uint16_t)clamp(row->wg_y, 1, UINT16_MAX),
                    (uint16_t)clamp(row->wg_z, 1, UINT16_MAX)},
      .kind = (uint8_t)row->kind,
      .via = (uint8_t)clamp(row->via, AQ_VIA_NONE, AQ_VIA_COUNT - 1),
      .lds = clamp(row->lds, 0, UINT32_MAX),
      .scratch = clamp(row->scratch, 0, UINT32_MAX),
      .queue = queue,
  };
  return AQ_OK;
}

static aq_status rows_read(replay *r, aq_diag *diag)
{
  aq_record *rows = malloc(INPUT_BATCH * sizeof *rows);
  int64_t *numbers = malloc(INPUT_BATCH * sizeof *numbers);
  aq_status status = AQ_OK;
  size_t count = rows && numbers;
  if (count == 0)
    status = out_of_memory(r, diag);
  while (count > 0 && status == AQ_OK) {
    status = r->input->next(r->input, rows, numbers, INPUT_BATCH, &count, diag);
    for (size_t i = 0; i < count && status == AQ_OK; i++)
      if (row_is_work(&rows[i]))
        status = row_add(r, &rows[i], numbers[i], diag);
  }
  free(numbers);
  free(rows);
  return status;
}

/* ---- sorting into jobs ---- */

static int time_compare(const void *a, const void *b)
{
  const aq_time x = *(const aq_time *)a, y = *(const aq_time *)b;
  return (x > y) - (x < y);
}

/* A call that returned before its work started has rung the doorbell by then,
 * and its duration is what submitting takes on this host. */
static bool call_returned_in_time(const replay_row *row)
{
  return row->host_end != AQ_TIME_NONE && row->host_end <= row->start;
}

/* The median duration of the direct calls that returned in time. */
static aq_status typical_call_find(replay *r, aq_diag *diag)
{
  size_t count = 0;
  aq_time *calls = malloc((r->row_count + 1) * sizeof *calls);
  if (!calls)
    return out_of_memory(r, diag);
  for (size_t i = 0; i < r->row_count; i++) {
    const replay_row *row = &r->rows[i];
    if (row->via == AQ_VIA_DIRECT && row->host_begin != AQ_TIME_NONE &&
        call_returned_in_time(row) && row->host_end >= row->host_begin)
      calls[count++] = row->host_end - row->host_begin;
  }
  qsort(calls, count, sizeof *calls, time_compare);
  r->typical_call = count ? calls[count / 2] : 0;
  free(calls);
  return AQ_OK;
}

/* When the doorbell rang for a row, as far as the host's side tells;
 * AQ_TIME_NONE if it does not. Ringing it is the last that a kernel launch
 * does. A copy or graph launch that had not returned when its work started rang
 * it inside the call, after what submitting takes. */
static aq_time row_submitted(const replay *r, const replay_row *row)
{
  if (row->via == AQ_VIA_NONE)
    return AQ_TIME_NONE;
  if (row->host_end == AQ_TIME_NONE)
    return row->submit;
  const bool launch = row->kind == AQ_KIND_KERNEL && row->via == AQ_VIA_DIRECT;
  if (launch || call_returned_in_time(row) || row->host_begin == AQ_TIME_NONE)
    return row->host_end;
  return aq_time_min(row->host_end, row->host_begin + r->typical_call);
}

/* The doorbell that makes an idle device start a row when it did start. */
static aq_time row_pin(const replay *r, const replay_queue *queue,
                       const replay_row *row)
{
  const aq_replay_options *o = &r->options;
  const aq_time warm = row->start - o->latency_warm;
  const bool cold = queue->last_end == AQ_TIME_NONE ||
                    warm - queue->last_end > o->unmap_after;
  return cold ? row->start - o->latency_cold : warm;
}

static bool rows_share_call(const replay_row *a, const replay_row *b)
{
  return a->via == AQ_VIA_GRAPH && b->via == AQ_VIA_GRAPH &&
         a->correlation != AQ_NONE && a->correlation == b->correlation &&
         a->pid == b->pid && a->tid == b->tid;
}

/* What the row's neighbours in its queue say about it. */
static void row_mark(const replay *r, const replay_queue *queue,
                     replay_row *row)
{
  const aq_time gap = queue->last_end == AQ_TIME_NONE
                          ? AQ_TIME_MAX
                          : row->start - queue->last_end;
  if (gap <= r->options.timestamp_step)
    row->spin_flags |= AQ_SPIN_GLUED;
  if (row->via == AQ_VIA_GRAPH &&
      (queue->last_graph == 0 ||
       !rows_share_call(&r->rows[queue->last_graph - 1], row)))
    row->flags |= AQ_FLAG_GRAPH_FIRST;
}

static aq_status row_sort(replay *r, uint32_t index, aq_diag *diag)
{
  replay_row *row = &r->rows[index];
  replay_queue *queue = &r->queues[row->queue];
  row_mark(r, queue, row);
  aq_time submit = row_submitted(r, row);
  if (submit == AQ_TIME_NONE || queue->last_job == 0) {
    submit = row_pin(r, queue, row);
    row->flags |= AQ_FLAG_PINNED;
  }
  replay_job *last = queue->last_job ? &r->jobs[queue->last_job - 1] : NULL;
  if (last && rows_share_call(&r->rows[last->last], row)) {
    r->rows[last->last].next = index + 1;
    last->last = index;
    last->count++;
  } else {
    replay_job *jobs =
        array_grow(r->jobs, r->job_count, &r->job_capacity, sizeof *r->jobs);
    if (!jobs)
      return out_of_memory(r, diag);
    r->jobs = jobs;
    r->jobs[r->job_count++] = (replay_job){
        .submit = submit, .first = index, .last = index, .count = 1};
    queue->last_job = (uint32_t)r->job_count;
  }
  if (row->via == AQ_VIA_GRAPH)
    queue->last_graph = index + 1;
  queue->last_end = aq_time_max(queue->last_end, row->end);
  return AQ_OK;
}

/* Packets of a queue stand in the order of their starts, so one cannot have
 * been seen before the doorbell of the one in front of it. */
static void job_put(replay *r, replay_job *jobs, size_t *count, replay_job job)
{
  replay_queue *queue = &r->queues[r->rows[job.first].queue];
  queue->last_submit = aq_time_max(queue->last_submit, job.submit);
  job.submit = queue->last_submit;
  jobs[(*count)++] = job;
}

/* A graph launch: its first nodes may go ahead of the others. */
static void graph_put(replay *r, replay_job *jobs, size_t *count,
                      replay_job job)
{
  const aq_replay_options *o = &r->options;
  const replay_row *row = &r->rows[job.first];
  const uint32_t head = job.count < o->graph_head ? job.count : o->graph_head;
  const aq_time ahead = row->host_begin + o->graph_launch;
  const aq_time rest = ahead + (aq_time)(job.count - head) * o->graph_per_node;
  job.marker = true;
  if (row->flags & AQ_FLAG_PINNED) {
    job_put(r, jobs, count, job);
    return;
  }
  if (head > 0 && head < job.count) {
    replay_job first = job;
    first.submit = aq_time_min(ahead, row->host_end);
    first.count = head;
    first.marker = false;
    job_put(r, jobs, count, first);
    for (uint32_t i = 0; i < head; i++)
      job.first = r->rows[job.first].next - 1;
    job.count -= head;
  }
  job.submit = aq_time_min(rest, row->host_end);
  job_put(r, jobs, count, job);
}

/* Settles when the doorbells of all jobs ring, queue by queue in order. */
static aq_status jobs_time(replay *r, aq_diag *diag)
{
  size_t count = 0;
  replay_job *jobs = malloc((2 * r->job_count + 1) * sizeof *jobs);
  if (!jobs)
    return out_of_memory(r, diag);
  for (size_t i = 0; i < r->job_count; i++) {
    const replay_row *row = &r->rows[r->jobs[i].first];
    if (row->via == AQ_VIA_GRAPH && r->options.graph_launch > 0 &&
        row->host_begin != AQ_TIME_NONE && row->host_end != AQ_TIME_NONE)
      graph_put(r, jobs, &count, r->jobs[i]);
    else
      job_put(r, jobs, &count, r->jobs[i]);
  }
  free(r->jobs);
  r->jobs = jobs;
  r->job_count = r->job_capacity = count;
  return AQ_OK;
}

static int job_compare(const void *a, const void *b)
{
  const replay_job *x = a, *y = b;
  if (x->submit != y->submit)
    return x->submit < y->submit ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

static aq_status jobs_sort(replay *r, aq_diag *diag)
{
  aq_status status = typical_call_find(r, diag);
  for (uint32_t i = 0; i < r->row_count && status == AQ_OK; i++)
    status = row_sort(r, i, diag);
  if (status == AQ_OK)
    status = jobs_time(r, diag);
  if (status == AQ_OK && r->job_count > 0)
    qsort(r->jobs, r->job_count, sizeof *r->jobs, job_compare);
  return status;
}

/* ---- the source ---- */

static aq_time replay_peek(aq_workload_source *source)
{
  const replay *r = (replay *)source;
  return r->next < r->job_count ? r->jobs[r->next].submit : AQ_TIME_MAX;
}

static aq_command command_of_row(const replay_row *row)
{
  return (aq_command){
      .kind = (aq_record_kind)row->kind,
      .cost = {.kind = AQ_COST_SPIN, .base = row->end - row->start},
      .spin_flags = row->spin_flags,
      .grid = {row->grid[0], row->grid[1], row->grid[2]},
      .workgroup = {row->workgroup[0], row->workgroup[1], row->workgroup[2]},
      .lds = row->lds,
      .scratch = row->scratch,
      .bytes = row->bytes,
      .name = row->name,
      .origin = row->number,
      .flags = row->flags,
  };
}

static aq_status commands_fill(replay *r, const replay_job *job, aq_diag *diag)
{
  size_t count = 0;
  for (uint32_t at = job->first + 1; count < job->count;
       at = r->rows[at - 1].next) {
    aq_command *commands = array_grow(r->commands, count, &r->command_capacity,
                                      sizeof *r->commands);
    if (!commands)
      return out_of_memory(r, diag);
    r->commands = commands;
    r->commands[count++] = command_of_row(&r->rows[at - 1]);
  }
  return AQ_OK;
}

static aq_status replay_next(aq_workload_source *source, aq_job *out, bool *got,
                             aq_diag *diag)
{
  replay *r = (replay *)source;
  if (r->next == r->job_count) {
    *got = false;
    return AQ_OK;
  }
  const replay_job *job = &r->jobs[r->next];
  const replay_row *row = &r->rows[job->first];
  const replay_queue *queue = &r->queues[row->queue];
  aq_status status = commands_fill(r, job, diag);
  if (status != AQ_OK)
    return status;
  *out = (aq_job){
      .id = r->next++,
      .device = queue->device,
      .stream = known_or(row->stream, queue->id),
      .queue = row->queue,
      .submit = job->submit,
      .host_begin = row->host_begin,
      .host_end = row->host_end,
      .deadline = AQ_TIME_NONE,
      .via = (aq_record_via)row->via,
      .marker = job->marker,
      .correlation = row->correlation,
      .pid = row->pid,
      .tid = row->tid,
      .commands = r->commands,
      .command_count = job->count,
  };
  *got = true;
  return AQ_OK;
}

static const char *replay_name(aq_workload_source *source, int64_t id)
{
  replay *r = (replay *)source;
  return r->input->name(r->input, id);
}

static void replay_close(aq_workload_source *source)
{
  replay *r = (replay *)source;
  aq_map_fini(&r->queue_map);
  free(r->commands);
  free(r->queues);
  free(r->jobs);
  free(r->rows);
  free(r);
}

aq_status aq_replay_open(aq_replay_input *input,
                         const aq_replay_options *options,
                         aq_workload_source **out, aq_time *first_submit,
                         aq_diag *diag)
{
  replay *r = calloc(1, sizeof *r);
  if (!r)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a replay");
  r->source = (aq_workload_source){.peek = replay_peek,
                                   .next = replay_next,
                                   .name = replay_name,
                                   .close = replay_close};
  r->input = input;
  r->options = *options;
  aq_status status = rows_read(r, diag);
  if (status == AQ_OK)
    status = jobs_sort(r, diag);
  if (status != AQ_OK) {
    replay_close(&r->source);
    return status;
  }
  if (first_submit)
    *first_submit = r->job_count ? r->jobs[0].submit : 0;
  *out = &r->source;
  return AQ_OK;
}
