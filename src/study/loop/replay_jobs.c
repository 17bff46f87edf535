/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "common/array.h"
#include "study/loop/graph_batch.h"
#include "study/loop/replay_priv.h"

static int time_compare(const void *a, const void *b)
{
  const aq_time x = *(const aq_time *)a, y = *(const aq_time *)b;
  return (x > y) - (x < y);
}

/* A call that returned before its work started has rung the doorbell by then,
 * and its duration is what submitting takes on this host. */
static bool call_returned_in_time(const aq_replay *r, const aq_replay_row *row)
{
  return row->host_end != AQ_TIME_NONE &&
         row->host_end + r->options.clock_shift <= row->start;
}

/* The median duration of the direct calls that returned in time. */
static aq_status typical_call_find(aq_replay *r, aq_diag *diag)
{
  size_t count = 0;
  aq_time *calls = malloc((r->row_count + 1) * sizeof *calls);
  if (!calls)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < r->row_count; i++) {
    const aq_replay_row *row = &r->rows[i];
    if (row->via == AQ_VIA_DIRECT && row->host_begin != AQ_TIME_NONE &&
        call_returned_in_time(r, row) && row->host_end >= row->host_begin)
      calls[count++] = row->host_end - row->host_begin;
  }
  qsort(calls, count, sizeof *calls, time_compare);
  r->typical_call = count ? calls[count / 2] : 0;
  free(calls);
  return AQ_OK;
}

/* The doorbell that makes an idle device start a row at a time. */
static aq_time doorbell_before(const aq_replay *r, const aq_replay_queue *queue,
                               aq_time start)
{
  const aq_replay_options *o = &r->options;
  const aq_time warm = start - o->latency_warm;
  if (queue->last_end == AQ_TIME_NONE)
    return start - o->latency_cold;
  const aq_time idle = warm - queue->last_end;
  if (idle > o->unmap_after)
    return start - o->latency_cold -
           aq_time_ramp(idle, o->unmap_after, o->remap_ramp);
  return warm - aq_time_ramp(idle, AQ_US, o->idle_ramp);
}

/* The doorbell that makes an idle device start a row when it did start. */
static aq_time row_pin(const aq_replay *r, const aq_replay_queue *queue,
                       const aq_replay_row *row)
{
  return doorbell_before(r, queue, row->start);
}

/* The doorbell of a copy that its call awaited: it rang early enough for the
 * copy to end copy_return before the return. A small one rang just then. The
 * call of another does more behind the end, so that rang earlier: after what
 * submitting takes. */
static aq_time awaited_submitted(const aq_replay *r,
                                 const aq_replay_queue *queue,
                                 const aq_replay_row *row, aq_time guess)
{
  const aq_replay_options *o = &r->options;
  const aq_time end = row->host_end + o->clock_offset - o->copy_return;
  const aq_time latest =
      doorbell_before(r, queue, end - (row->end - row->start));
  return row->polled ? aq_time_max(latest, row->host_begin + o->clock_shift)
                     : aq_time_min(guess, latest);
}

/* When the doorbell rang for a row, as far as the host's rows show;
 * AQ_TIME_NONE if it does not. Ringing it is the last that a kernel launch
 * does. A copy or graph launch that had not returned when its work started rang
 * it inside the call. */
static aq_time row_submitted(const aq_replay *r, const aq_replay_queue *queue,
                             const aq_replay_row *row)
{
  if (row->via == AQ_VIA_NONE)
    return AQ_TIME_NONE;
  if (row->host_end == AQ_TIME_NONE)
    return row->submit;
  const aq_time shift = r->options.clock_shift;
  const bool launch = row->kind == AQ_KIND_KERNEL && row->via == AQ_VIA_DIRECT;
  if (launch || call_returned_in_time(r, row) ||
      row->host_begin == AQ_TIME_NONE)
    return row->host_end + shift;
  const aq_time guess =
      aq_time_min(row->host_end, row->host_begin + r->typical_call) + shift;
  return row->blocks ? awaited_submitted(r, queue, row, guess) : guess;
}

/* A profiler's handler of the last completion holds the doorbell of a launch
 * at about the same time. */
static aq_time handler_wait(aq_replay *r, const aq_replay_queue *queue,
                            aq_time submit)
{
  const aq_replay_options *o = &r->options;
  const aq_time handled = queue->last_complete;
  if (o->handler_hold == 0 || submit == AQ_TIME_NONE ||
      handled == AQ_TIME_NONE || submit < handled - o->handler_guard ||
      submit >= handled + o->handler_window)
    return submit;
  const aq_time rings = aq_time_max(submit, handled + o->handler_hold);
  r->facts.held++;
  r->facts.moved++;
  r->facts.moved_most = aq_time_max(r->facts.moved_most, rings - submit);
  return rings;
}

/* A call that copied while its copy ran hides when it rang. In an open loop the
 * guess of row_submitted costs that row alone; in a closed one the host would
 * be off from then on, so the doorbell rings in time to start an idle device.
 * Where the row in front ended later than that, the copy was queued behind it:
 * the guess is as good. */
static bool row_hides_doorbell(const aq_replay *r, const aq_replay_queue *queue,
                               const aq_replay_row *row)
{
  return r->options.closed && row->kind != AQ_KIND_KERNEL &&
         row->via == AQ_VIA_DIRECT && row->host_begin != AQ_TIME_NONE &&
         !call_returned_in_time(r, row) &&
         (queue->last_end <= row->host_begin + r->options.clock_shift ||
          row_pin(r, queue, row) >= queue->last_end);
}

static bool rows_share_call(const aq_replay_row *a, const aq_replay_row *b)
{
  return a->via == AQ_VIA_GRAPH && b->via == AQ_VIA_GRAPH &&
         a->correlation != AQ_NONE && a->correlation == b->correlation &&
         a->pid == b->pid && a->tid == b->tid;
}

/* ---- one job a call ---- */

/* Whether host threads of the row's process waited between two times. */
static bool process_waited(const aq_replay *r, int64_t pid, aq_time from,
                           aq_time to)
{
  size_t low = 0, high = r->wait_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (r->waits[middle].end <= from)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < r->wait_count && r->waits[low].end <= to; low++)
    if (r->waits[low].pid == pid)
      return true;
  return false;
}

static bool call_is_long(const aq_replay_row *row)
{
  return row->host_end - row->host_begin > AQ_REPLAY_CALL_LONG;
}

/* Whether a direct launch goes into the graph that the launch before it on its
 * queue is made part of. */
static bool joins_stretch(const aq_replay *r, const aq_replay_job *job,
                          const aq_replay_row *row)
{
  const aq_replay_row *last = &r->rows[job->last];
  return r->options.as_graph && row->via == AQ_VIA_DIRECT &&
         last->via == AQ_VIA_DIRECT && !(last->flags & AQ_FLAG_PINNED) &&
         !(row->flags & AQ_FLAG_PINNED) && !row->awaits && !row->blocks &&
         row->host_begin != AQ_TIME_NONE && row->host_end != AQ_TIME_NONE &&
         last->host_end != AQ_TIME_NONE && !call_is_long(row) &&
         !call_is_long(last) && row->pid == last->pid &&
         row->tid == last->tid && row->host_begin >= last->host_end &&
         row->host_begin - last->host_end <= AQ_REPLAY_GRAPH_GAP &&
         !process_waited(r, row->pid, last->host_begin, row->host_begin);
}

static aq_status row_sort(aq_replay *r, uint32_t index, aq_diag *diag)
{
  aq_replay_row *row = &r->rows[index];
  aq_replay_queue *queue = &r->queues[row->queue];
  /* The evidence of the row's neighbours in its queue. */
  const aq_time gap = queue->last_end == AQ_TIME_NONE
                          ? AQ_TIME_MAX
                          : row->start - queue->last_end;
  if (gap <= r->options.timestamp_step)
    row->spin_flags |= AQ_SPIN_BACK_TO_BACK;
  if (row->via == AQ_VIA_GRAPH &&
      (queue->last_graph == 0 ||
       !rows_share_call(&r->rows[queue->last_graph - 1], row)))
    row->flags |= AQ_FLAG_GRAPH_FIRST;
  aq_time submit = handler_wait(r, queue, row_submitted(r, queue, row));
  aq_time pin = AQ_TIME_NONE, lag = 0;
  uint32_t drains = 0;
  if (submit == AQ_TIME_NONE || queue->last_job == 0) {
    pin = row_pin(r, queue, row);
    row->flags |= AQ_FLAG_PINNED;
  } else if (row_hides_doorbell(r, queue, row)) {
    submit = row_pin(r, queue, row);
    drains = row->blocks ? queue->last_row : 0;
    lag = submit - aq_time_max(queue->last_end,
                               row->host_begin + r->options.clock_shift);
  }
  aq_replay_job *last = queue->last_job ? &r->jobs[queue->last_job - 1] : NULL;
  if (last && (rows_share_call(&r->rows[last->last], row) ||
               joins_stretch(r, last, row))) {
    r->rows[last->last].next = index + 1;
    last->last = index;
    last->count++;
  } else {
    if (!AQ_ARRAY_PUSH(r->jobs, r->job_count, r->job_capacity,
                       (aq_replay_job){.submit = submit,
                                       .pin = pin,
                                       .gate = AQ_TIME_NONE,
                                       .before = queue->last_end,
                                       .drains = drains,
                                       .lag = lag,
                                       .behind_copy = queue->last_copy,
                                       .first = index,
                                       .last = index,
                                       .count = 1}))
      return aq_diag_no_memory(diag);
    queue->last_job = (uint32_t)r->job_count;
  }
  if (row->via == AQ_VIA_GRAPH)
    queue->last_graph = index + 1;
  if (row->end >= queue->last_end)
    queue->last_row = index + 1;
  queue->last_end = aq_time_max(queue->last_end, row->end);
  queue->last_complete = row->complete;
  queue->last_copy = row->host_copy;
  return AQ_OK;
}

/* Direct launches that go together are a graph launch from here on: as long as
 * all their calls, under the correlation of the first. */
static void stretches_close(aq_replay *r)
{
  for (size_t i = 0; i < r->job_count; i++) {
    aq_replay_job *job = &r->jobs[i];
    aq_replay_row *first = &r->rows[job->first];
    if (job->count < 2 || first->via != AQ_VIA_DIRECT)
      continue;
    const aq_replay_row last = r->rows[job->last];
    first->flags |= AQ_FLAG_GRAPH_FIRST;
    first->host_end = last.host_end;
    for (uint32_t at = job->first + 1; at != 0; at = r->rows[at - 1].next)
      r->rows[at - 1].via = AQ_VIA_GRAPH;
    job->stretch = true;
    r->facts.graphs++;
  }
}

/* ---- when the doorbells ring ---- */

/* Packets of a queue stand in the order of their starts, so one cannot have
 * been seen before the doorbell of the one in front of it. Pinned rows come
 * later: they follow the others. */
static void job_put(aq_replay *r, aq_replay_job *jobs, size_t *count,
                    aq_replay_job job)
{
  aq_replay_queue *queue = &r->queues[r->rows[job.first].queue];
  if (job.pin == AQ_TIME_NONE) {
    if (job.submit < queue->last_submit) {
      r->facts.moved += job.count;
      r->facts.moved_most =
          aq_time_max(r->facts.moved_most, queue->last_submit - job.submit);
    }
    queue->last_submit = aq_time_max(queue->last_submit, job.submit);
    job.submit = queue->last_submit;
  }
  jobs[(*count)++] = job;
}

/* From the doorbell, or the end in front, of a pinned row until a gate can
 * start it in time. Where half a barrier packet's time is left, the row is as
 * much too early without a gate as too late with one. */
static aq_time gate_needs(const aq_replay *r)
{
  return r->options.barrier_latency + r->options.gate_latency;
}

/* How much earlier than it should a pinned row would start without a gate. */
static aq_time pin_slack(const aq_replay *r, const aq_replay_job *job)
{
  const aq_time start = r->rows[job->first].start;
  aq_time slack = job->pin - job->submit;
  if (job->before != AQ_TIME_NONE)
    slack = aq_time_min(slack, start - job->before);
  return slack;
}

/* The doorbell of a pinned row, the one behind it ringing at `next`: when the
 * call returned, if it is known and a gate has time to work; else in time to
 * start an idle device. */
static aq_time pin_submit(const aq_replay *r, const aq_replay_job *job,
                          aq_time next)
{
  const bool known =
      job->submit != AQ_TIME_NONE && pin_slack(r, job) > gate_needs(r);
  return aq_time_min(known ? job->submit : job->pin, next);
}

/* A pinned row that would start too early is held by a gate. */
static void pin_hold(aq_replay *r, aq_replay_job *job)
{
  const aq_time slack = pin_slack(r, job);
  if (slack <= r->options.timestamp_step)
    return;
  r->facts.near += slack <= gate_needs(r);
  if (slack <= r->options.barrier_latency / 2)
    return;
  job->gate = r->rows[job->first].start - r->options.gate_latency;
  r->facts.gates++;
}

/* Settles the doorbells and gates of pinned rows between the doorbells of the
 * calls, which stay where they are. */
static void pins_settle(aq_replay *r)
{
  for (size_t i = r->job_count; i-- > 0;) {
    aq_replay_job *job = &r->jobs[i];
    aq_replay_queue *queue = &r->queues[r->rows[job->first].queue];
    if (job->pin != AQ_TIME_NONE)
      job->submit = pin_submit(r, job, queue->next_submit);
    queue->next_submit = job->submit;
  }
  for (size_t i = 0; i < r->queue_count; i++)
    r->queues[i].last_submit = AQ_TIME_NONE;
  for (size_t i = 0; i < r->job_count; i++) {
    aq_replay_job *job = &r->jobs[i];
    aq_replay_queue *queue = &r->queues[r->rows[job->first].queue];
    job->submit = aq_time_max(job->submit, queue->last_submit);
    queue->last_submit = job->submit;
    if (job->pin != AQ_TIME_NONE)
      pin_hold(r, job);
  }
}

/* Host time for each node: of a launch whose call is measured, its share of the
 * call. */
static aq_time graph_pace(const aq_replay *r, const aq_replay_job *job)
{
  const aq_replay_options *o = &r->options;
  const aq_replay_row *row = &r->rows[job->first];
  const aq_time call = row->host_end - row->host_begin - o->graph_launch;
  return job->stretch ? o->graph_per_node
                      : aq_time_max(call, 0) / (aq_time)job->count;
}

/* A graph launch: a job for each doorbell. */
static void graph_put(aq_replay *r, aq_replay_job *jobs, size_t *count,
                      aq_replay_job job)
{
  const aq_replay_row *row = &r->rows[job.first];
  const aq_time shift = r->options.clock_shift;
  const aq_time begin = row->host_begin + r->options.graph_launch + shift;
  const aq_time pace = graph_pace(r, &job), end = row->host_end + shift;
  uint32_t done = 0, size = 0;
  job.marker = true;
  while (!(row->flags & AQ_FLAG_PINNED) &&
         (size = aq_graph_batch(r->options.graph_head, r->options.graph_batch,
                                size, done)) < job.count) {
    aq_replay_job part = job;
    done += size;
    part.submit = aq_time_min(begin + (aq_time)done * pace, end);
    part.count = size;
    part.marker = part.stretch = false;
    job_put(r, jobs, count, part);
    for (uint32_t i = 0; i < size; i++)
      job.first = r->rows[job.first].next - 1;
    job.count -= size;
  }
  job.submit = aq_time_min(begin + (aq_time)(done + job.count) * pace, end);
  if (job.stretch)
    job.saved = end - job.submit;
  job_put(r, jobs, count, job);
}

/* Settles when the doorbells of all jobs ring, queue by queue in order. */
static aq_status jobs_time(aq_replay *r, aq_diag *diag)
{
  size_t count = 0;
  aq_replay_job *jobs = malloc((r->row_count + 1) * sizeof *jobs);
  if (!jobs)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < r->job_count; i++) {
    const aq_replay_row *row = &r->rows[r->jobs[i].first];
    if (row->via == AQ_VIA_GRAPH &&
        (r->options.graph_launch > 0 || r->options.graph_head > 0) &&
        row->host_begin != AQ_TIME_NONE && row->host_end != AQ_TIME_NONE)
      graph_put(r, jobs, &count, r->jobs[i]);
    else
      job_put(r, jobs, &count, r->jobs[i]);
  }
  free(r->jobs);
  r->jobs = jobs;
  r->job_count = r->job_capacity = count;
  pins_settle(r);
  return AQ_OK;
}

static int job_compare(const void *a, const void *b)
{
  const aq_replay_job *x = a, *y = b;
  if (x->submit != y->submit)
    return x->submit < y->submit ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

aq_status aq_replay_jobs_make(aq_replay *r, aq_diag *diag)
{
  aq_status status = typical_call_find(r, diag);
  for (uint32_t i = 0; i < r->row_count && status == AQ_OK; i++)
    status = row_sort(r, i, diag);
  if (status == AQ_OK && r->options.as_graph)
    stretches_close(r);
  if (status == AQ_OK)
    status = jobs_time(r, diag);
  if (status != AQ_OK)
    return status;
  if (r->job_count > 0)
    qsort(r->jobs, r->job_count, sizeof *r->jobs, job_compare);
  for (size_t i = 0; i < r->job_count; i++) {
    uint32_t at = r->jobs[i].first;
    for (uint32_t n = 0; n < r->jobs[i].count; n++) {
      r->rows[at].job = (uint32_t)i;
      at = r->rows[at].next - 1;
    }
  }
  return AQ_OK;
}
