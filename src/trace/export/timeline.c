/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/export/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "trace/export/flow_events.h"
#include "trace/import/queue_depth.h"
#include "trace/import/wave_steps.h"

enum {
  ROWS = 512,
  /* Lanes of packets: one that finds none free at its submission is shown from
   * its fetch on, and the wait in the ring by the depth alone. */
  PACKET_LANES = 16,
};

/* Slices side by side: a lane is free from the end of its last slice on. */
typedef struct lane_set {
  const char *title;
  uint32_t process;
  size_t count, capacity;
  struct lane {
    aq_time free;
    uint32_t track;
  } * lane;
} lane_set;

/* The drawing state of one queue, or of one thread of the host. */
typedef struct track_group {
  lane_set run, packets, waves, ranges, ops;
  aq_queue_depth depth;
  char name[64];
  int64_t correlation, call; /* the host call drawn last */
} track_group;

typedef struct timeline {
  aq_trace_source *source;
  const aq_timeline_writer *ops;
  void *writer;
  aq_diag *diag;
  uint32_t tracks, processes;
  uint32_t *devices; /* process of each device, 0: not told yet */
  track_group *queues;
  aq_map hosts, threads; /* pid -> process; pid and tid -> index of a group */
  track_group **calls;
  size_t call_count, call_capacity;
  aq_flow_events arrows;
  aq_step_reader waves;
} timeline;

/* ---- tracks ---- */

static uint32_t track_report(timeline *t, aq_track_kind kind, uint32_t process,
                             const char *name)
{
  const aq_track track = {kind, ++t->tracks, process, name};
  t->ops->track(t->writer, &track);
  return track.id;
}

static uint32_t process_report(timeline *t, const char *name)
{
  track_report(t, AQ_TRACK_PROCESS, ++t->processes, name);
  return t->processes;
}

static uint32_t device_process(timeline *t, int64_t ordinal)
{
  char name[160];
  if (t->devices[ordinal] == 0) {
    const aq_run_device *device = t->source->device(t->source, ordinal);
    const char *words = device && device->name && device->name[0] ? device->name
                        : device && device->gfx                   ? device->gfx
                                                                  : "";
    snprintf(name, sizeof name, "device %" PRId64 "%s%s", ordinal,
             *words ? " " : "", words);
    t->devices[ordinal] = process_report(t, name);
  }
  return t->devices[ordinal];
}

/* The track of a lane that is free at `begin`, or 0: more than `most` lanes
 * would be needed. */
static aq_status lane_find(timeline *t, const track_group *group,
                           lane_set *lanes, aq_time begin, size_t most,
                           struct lane **out)
{
  *out = NULL;
  for (size_t i = 0; i < lanes->count; i++)
    if (lanes->lane[i].free <= begin) {
      *out = &lanes->lane[i];
      return AQ_OK;
    }
  if (lanes->count >= most)
    return AQ_OK;
  if (!AQ_ARRAY_RESERVE(lanes->lane, lanes->capacity, lanes->count + 1))
    return aq_diag_no_memory(t->diag);
  char name[sizeof group->name + 16];
  snprintf(name, sizeof name, "%s%s%s", group->name, *lanes->title ? " " : "",
           lanes->title);
  *out = &lanes->lane[lanes->count++];
  (*out)->track = track_report(t, AQ_TRACK_LANE, lanes->process, name);
  (*out)->free = begin;
  return AQ_OK;
}

static void slice_draw(timeline *t, const lane_set *lanes, struct lane *lane,
                       aq_slice slice)
{
  slice.track = lane->track;
  slice.process = lanes->process;
  if (slice.end > lane->free)
    lane->free = slice.end;
  t->ops->slice(t->writer, &slice);
}

/* ---- queues ---- */

static const char *row_name(const timeline *t, const aq_record *row)
{
  const char *name =
      row->name == AQ_NONE ? NULL : t->source->name(t->source, row->name);
  const char *kind = aq_record_kind_name(row->kind);
  return name ? name : kind ? kind : "?";
}

/* Ids of names that the run does not have: kinds and phases, after its own. */
#define NAME_KIND  (INT64_C(1) << 32)
#define NAME_PHASE (NAME_KIND + AQ_KIND_COUNT)

static int64_t row_name_id(const aq_record *row)
{
  return row->name != AQ_NONE ? row->name : NAME_KIND + row->kind;
}

static aq_status draw_run(timeline *t, track_group *group, const aq_record *row,
                          int64_t number)
{
  struct lane *lane;
  if (row->start == AQ_TIME_NONE || row->end < row->start)
    return AQ_OK;
  lane_set *run = row->kind == AQ_KIND_RANGE ? &group->ranges : &group->run;
  aq_status status = lane_find(t, group, run, row->start, SIZE_MAX, &lane);
  if (status != AQ_OK)
    return status;
  aq_slice slice = {.begin = row->start,
                    .end = row->end,
                    .name = row_name(t, row),
                    .name_id = row_name_id(row),
                    .row = row,
                    .number = number};
  aq_flow_events_of(&t->arrows, number, &slice);
  slice_draw(t, run, lane, slice);
  return AQ_OK;
}

/* The phases of a packet, each from one time of its row to the next. */
static const struct {
  const char *name;
  size_t from, to;
} phases[] = {
    {"in the ring", AQ_RECORD_FIELD_submit, AQ_RECORD_FIELD_fetch},
    {"waits", AQ_RECORD_FIELD_fetch, AQ_RECORD_FIELD_launch},
    {"launches", AQ_RECORD_FIELD_launch, AQ_RECORD_FIELD_start},
    {"runs", AQ_RECORD_FIELD_start, AQ_RECORD_FIELD_end},
    {"completes", AQ_RECORD_FIELD_end, AQ_RECORD_FIELD_complete},
};

static void draw_phases(timeline *t, const track_group *group,
                        struct lane *lane, const aq_record *row, aq_time begin)
{
  const int64_t *values = aq_record_values(row);
  for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
    aq_time from = values[phases[i].from], to = values[phases[i].to];
    /* A back-to-back start lies before the launch: the launch shows no phase.
     */
    if (from == AQ_TIME_NONE || to == AQ_TIME_NONE || to <= from)
      continue;
    from = from < begin ? begin : from;
    to = to > row->complete ? row->complete : to;
    if (phases[i].from == AQ_RECORD_FIELD_start && row->start < row->launch)
      from = row->launch;
    if (to > from)
      slice_draw(t, &group->packets, lane,
                 (aq_slice){.begin = from,
                            .end = to,
                            .name = phases[i].name,
                            .name_id = NAME_PHASE + (int64_t)i});
  }
}

static aq_status draw_packet(timeline *t, track_group *group,
                             const aq_record *row)
{
  struct lane *lane;
  if (row->submit == AQ_TIME_NONE || row->fetch == AQ_TIME_NONE ||
      row->launch == AQ_TIME_NONE || row->complete == AQ_TIME_NONE)
    return AQ_OK;
  aq_time begin = row->submit;
  aq_status status =
      lane_find(t, group, &group->packets, begin, PACKET_LANES, &lane);
  if (status == AQ_OK && !lane) {
    begin = row->fetch;
    status = lane_find(t, group, &group->packets, begin, SIZE_MAX, &lane);
  }
  if (status != AQ_OK)
    return status;
  slice_draw(t, &group->packets, lane,
             (aq_slice){.begin = begin,
                        .end = row->complete,
                        .name = row_name(t, row),
                        .name_id = row_name_id(row)});
  draw_phases(t, group, lane, row, begin);
  return AQ_OK;
}

/* ---- the host ---- */

static track_group *call_group(timeline *t, int64_t pid, int64_t tid)
{
  pid = pid == AQ_NONE ? 0 : pid;
  tid = tid == AQ_NONE ? 0 : tid;
  char name[64];
  uint64_t process, index;
  if (!aq_map_get(&t->hosts, (uint64_t)pid, &process)) {
    snprintf(name, sizeof name, "host process %" PRId64, pid);
    process = process_report(t, name);
    if (!aq_map_put(&t->hosts, (uint64_t)pid, process))
      return NULL;
  }
  const uint64_t key = process << 32 ^ (uint64_t)tid;
  if (aq_map_get(&t->threads, key, &index))
    return t->calls[index];
  track_group *group = calloc(1, sizeof *group);
  if (!group || !aq_map_put(&t->threads, key, t->call_count) ||
      !AQ_ARRAY_PUSH(t->calls, t->call_count, t->call_capacity, group)) {
    free(group);
    return NULL;
  }
  snprintf(group->name, sizeof group->name, "thread %" PRId64, tid);
  group->run.title = "";
  group->ops.title = "ops";
  group->run.process = group->ops.process = (uint32_t)process;
  group->call = AQ_NONE;
  return group;
}

/* A call that submitted several rows, as a graph launch, is drawn once. */
static aq_status draw_call(timeline *t, const aq_record *row)
{
  struct lane *lane;
  if (row->host_begin == AQ_TIME_NONE || row->host_end < row->host_begin)
    return AQ_OK;
  track_group *group = call_group(t, row->pid, row->tid);
  if (!group)
    return aq_diag_no_memory(t->diag);
  if (row->kind != AQ_KIND_RANGE && group->call == row->host_begin &&
      group->correlation == row->correlation)
    return AQ_OK;
  group->call = row->host_begin;
  group->correlation = row->correlation;
  aq_status status =
      lane_find(t, group, &group->run, row->host_begin, SIZE_MAX, &lane);
  if (status == AQ_OK)
    slice_draw(t, &group->run, lane,
               (aq_slice){.begin = row->host_begin,
                          .end = row->host_end,
                          .name = row_name(t, row),
                          .name_id = row_name_id(row)});
  return status;
}

/* ---- operators ---- */

static int op_compare(const void *left, const void *right)
{
  const aq_host_op *a = *(const aq_host_op *const *)left;
  const aq_host_op *b = *(const aq_host_op *const *)right;
  if (a->pid != b->pid)
    return a->pid < b->pid ? -1 : 1;
  if (a->tid != b->tid)
    return a->tid < b->tid ? -1 : 1;
  if (a->begins != b->begins)
    return a->begins < b->begins ? -1 : 1;
  if (a->ends != b->ends)
    return a->ends > b->ends ? -1 : 1;
  return (a > b) - (a < b); /* by number */
}

/* The ops of a thread that have not returned yet, outermost first. They
 * nest on its first lane. */
typedef struct op_stack {
  const aq_host_op **open;
  size_t count, capacity;
} op_stack;

/* One that leaves the op around it is on a lane of its own. */
static aq_status draw_op(timeline *t, op_stack *stack, const aq_host_op *op)
{
  track_group *group = call_group(t, op->pid, op->tid);
  if (!group)
    return aq_diag_no_memory(t->diag);
  while (stack->count > 0 && stack->open[stack->count - 1]->ends <= op->begins)
    stack->count--;
  const aq_host_op *around =
      stack->count > 0 ? stack->open[stack->count - 1] : NULL;
  struct lane *lane = NULL;
  if (around && op->ends <= around->ends && group->ops.count > 0)
    lane = &group->ops.lane[0];
  aq_status status =
      lane ? AQ_OK
           : lane_find(t, group, &group->ops, op->begins, SIZE_MAX, &lane);
  if (status != AQ_OK)
    return status;
  const char *name = t->source->name(t->source, op->name);
  slice_draw(t, &group->ops, lane,
             (aq_slice){.begin = op->begins,
                        .end = op->ends,
                        .name = name ? name : "?",
                        .name_id = name ? op->name : NAME_KIND});
  return lane != &group->ops.lane[0] ||
                 AQ_ARRAY_PUSH(stack->open, stack->count, stack->capacity, op)
             ? AQ_OK
             : aq_diag_no_memory(t->diag);
}

static aq_status draw_ops(timeline *t)
{
  const aq_host_op *ops = NULL;
  size_t count = 0;
  op_stack stack = {0};
  aq_status status =
      t->source->ops ? t->source->ops(t->source, &ops, &count, t->diag) : AQ_OK;
  if (status != AQ_OK || count == 0)
    return status;
  const aq_host_op **order = malloc(count * sizeof *order);
  if (!order)
    return aq_diag_no_memory(t->diag);
  size_t known = 0;
  for (size_t i = 0; i < count; i++)
    if (ops[i].begins != AQ_TIME_NONE && ops[i].ends >= ops[i].begins)
      order[known++] = &ops[i];
  qsort(order, known, sizeof *order, op_compare);
  t->source->ops_drawn = (int64_t)known;
  for (size_t i = 0; i < known && status == AQ_OK; i++) {
    if (i > 0 && (order[i]->pid != order[i - 1]->pid ||
                  order[i]->tid != order[i - 1]->tid))
      stack.count = 0;
    status = draw_op(t, &stack, order[i]);
  }
  free(stack.open);
  free(order);
  return status;
}

/* ---- all of it ---- */

static aq_status draw_row(timeline *t, const aq_record *row, int64_t number)
{
  aq_status status = draw_call(t, row);
  if (status != AQ_OK || row->queue == AQ_NONE ||
      (size_t)row->queue >= t->source->queue_count)
    return status;
  track_group *group = &t->queues[row->queue];
  if (!group->name[0]) {
    const aq_run_queue *queue = t->source->queue(t->source, row->queue);
    int64_t device = queue ? queue->device : row->device;
    snprintf(group->name, sizeof group->name, "queue %" PRId64, row->queue);
    group->run.process = group->packets.process = group->waves.process =
        group->ranges.process = device_process(t, device >= 0 ? device : 0);
    group->run.title = "";
    group->packets.title = "packets";
    group->ranges.title = "ranges";
    group->waves.title = "wave";
  }
  aq_step_reader_meet(&t->waves, row);
  status = draw_run(t, group, row, number);
  if (status == AQ_OK)
    status = draw_packet(t, group, row);
  if (status == AQ_OK && !aq_queue_depth_add(&group->depth, row))
    status = aq_diag_no_memory(t->diag);
  return status;
}

static aq_status draw_depths(timeline *t)
{
  for (size_t i = 0; i < t->source->queue_count; i++) {
    track_group *group = &t->queues[i];
    char name[sizeof group->name + 16];
    aq_time time;
    int64_t value;
    if (!aq_queue_depth_sort(&group->depth))
      continue;
    snprintf(name, sizeof name, "%s depth", group->name);
    const aq_track track = {AQ_TRACK_COUNTER, ++t->tracks, group->run.process,
                            name};
    t->ops->track(t->writer, &track);
    while (aq_queue_depth_next(&group->depth, &time, &value))
      t->ops->counter(t->writer, &track, time, value);
  }
  return AQ_OK;
}

/* The process of a sample's device, by way of its queue where it has one; 0:
 * the run does not have it. */
static uint32_t sample_process(timeline *t, const aq_sample *sample)
{
  int64_t device = sample->ordinal;
  if (aq_counters[sample->counter].scope == AQ_COUNTER_OF_QUEUE) {
    const aq_run_queue *queue = t->source->queue(t->source, sample->ordinal);
    device = queue ? queue->device : AQ_NONE;
  }
  return device >= 0 && (size_t)device < t->source->device_count
             ? device_process(t, device)
             : 0;
}

/* A track for each counter of each device and queue. The depth of queues is
 * drawn from the rows, exactly. */
static aq_status draw_samples(timeline *t)
{
  const aq_sample *samples;
  size_t count;
  char name[96];
  aq_track track = {AQ_TRACK_COUNTER, 0, 0, name};
  aq_status status =
      aq_trace_source_samples(t->source, &samples, &count, t->diag);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_sample *s = &samples[i];
    if (s->counter == AQ_COUNTER_depth)
      continue;
    if (i == 0 || s[-1].counter != s->counter || s[-1].ordinal != s->ordinal) {
      const aq_counter *counter = &aq_counters[s->counter];
      char of[32] = "";
      if (counter->scope == AQ_COUNTER_OF_QUEUE)
        snprintf(of, sizeof of, "queue %" PRId64 " ", s->ordinal);
      snprintf(name, sizeof name, "%s%s (%s)", of, counter->name,
               counter->unit);
      track.process = sample_process(t, s);
      track.id = track.process ? ++t->tracks : 0;
      if (track.process)
        t->ops->track(t->writer, &track);
    }
    if (track.process)
      t->ops->counter(t->writer, &track, s->time, s->value);
  }
  return status;
}

/* The instructions of a wave on a lane, which has no others meanwhile. */
static aq_status draw_wave(timeline *t, const aq_traced_wave *wave)
{
  track_group *group = &t->queues[wave->queue];
  struct lane *lane;
  aq_status status = lane_find(t, group, &group->waves,
                               aq_traced_wave_time(wave, 0), SIZE_MAX, &lane);
  for (size_t i = 0; i < wave->count && status == AQ_OK; i++)
    slice_draw(
        t, &group->waves, lane,
        (aq_slice){.begin = aq_traced_wave_time(wave, i),
                   .end = aq_traced_wave_time(wave, i + 1),
                   .name = t->source->name(t->source, wave->steps[i].text),
                   .name_id = wave->steps[i].text});
  return status;
}

static aq_status draw_rows(timeline *t)
{
  aq_record rows[ROWS];
  int64_t numbers[ROWS];
  size_t count;
  do {
    aq_status status =
        t->source->next(t->source, rows, numbers, ROWS, &count, t->diag);
    for (size_t i = 0; i < count && status == AQ_OK; i++)
      status = draw_row(t, &rows[i], numbers[i]);
    if (status != AQ_OK)
      return status;
  } while (count > 0);
  aq_status status = draw_ops(t);
  for (size_t i = 0; i < t->waves.count && status == AQ_OK; i++)
    if (aq_traced_wave_time(&t->waves.list[i], 0) != AQ_TIME_NONE)
      status = draw_wave(t, &t->waves.list[i]);
  if (status == AQ_OK)
    status = draw_depths(t);
  return status == AQ_OK ? draw_samples(t) : status;
}

static void timeline_fini(timeline *t)
{
  for (size_t i = 0; t->queues && i < t->source->queue_count; i++) {
    free(t->queues[i].run.lane);
    free(t->queues[i].packets.lane);
    free(t->queues[i].waves.lane);
    free(t->queues[i].ranges.lane);
    aq_queue_depth_fini(&t->queues[i].depth);
  }
  for (size_t i = 0; i < t->call_count; i++) {
    free(t->calls[i]->run.lane);
    free(t->calls[i]->ops.lane);
    free(t->calls[i]);
  }
  free(t->calls);
  free(t->queues);
  free(t->devices);
  aq_map_fini(&t->hosts);
  aq_map_fini(&t->threads);
  aq_flow_events_fini(&t->arrows);
  aq_step_reader_fini(&t->waves);
}

aq_status aq_timeline_base(aq_trace_source *source, int64_t base, int64_t *out,
                           aq_diag *diag)
{
  aq_time earliest = 0;
  aq_status status =
      source->earliest ? source->earliest(source, &earliest, diag) : AQ_OK;
  if (status == AQ_OK)
    *out = aq_timeline_ns(earliest) < -base ? -aq_timeline_ns(earliest) : base;
  if (status == AQ_OK)
    source->moved_ns = *out - base;
  return status;
}

aq_status aq_timeline_draw(aq_trace_source *source,
                           const aq_timeline_writer *ops, void *writer,
                           aq_diag *diag)
{
  timeline t = {.source = source,
                .ops = ops,
                .writer = writer,
                .diag = diag,
                .devices = calloc(source->device_count + 1, sizeof *t.devices),
                .queues = calloc(source->queue_count + 1, sizeof *t.queues)};
  const aq_edge *edges;
  size_t count;
  aq_status status = t.devices && t.queues
                         ? source->edges(source, &edges, &count, diag)
                         : aq_diag_no_memory(t.diag);
  if (status == AQ_OK && !aq_flow_events_init(&t.arrows, edges, count))
    status = aq_diag_no_memory(t.diag);
  if (status == AQ_OK)
    status = aq_step_reader_open(source, &t.waves, diag);
  if (status == AQ_OK)
    status = draw_rows(&t);
  timeline_fini(&t);
  return status;
}
