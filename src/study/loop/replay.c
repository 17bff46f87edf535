/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/loop/replay.h"

#include <stdlib.h>

#include "common/array.h"
#include "study/loop/replay_priv.h"

static aq_replay *from_source(aq_workload_source *source)
{
  return (aq_replay *)source;
}

/* ---- the clock of a process ---- */

/* When a wait returns; false while the awaited jobs are not done. It returns as
 * long after their end as in the measured run, or after its own time if they
 * had ended before it began. */
static bool wait_return(const aq_replay *r, const aq_replay_process *process,
                        const aq_replay_wait *wait, aq_time *out,
                        int64_t *held_by)
{
  const aq_time begin = wait->host_begin + process->shift;
  const aq_time length = wait->end - wait->begin;
  *out = begin + length;
  *held_by = AQ_NONE;
  if (wait->row == AQ_REPLAY_NOWHERE)
    return true;
  const aq_replay_row *row = &r->rows[wait->row];
  const aq_replay_job *job = &r->jobs[row->job];
  const aq_time done = wait->all ? process->last_done : job->done;
  if (job->id == UINT64_MAX)
    return true; /* another thread submits it only later */
  if ((wait->all && process->live > 0) || done == AQ_TIME_NONE)
    return false;
  const aq_time late =
      row->end > wait->begin
          ? done + aq_time_max(wait->end - row->end,
                               aq_time_min(-r->options.clock_shift, 0))
          : done;
  *out = row->end > wait->begin ? begin : *out;
  if (late > *out) {
    *out = late;
    const uint32_t last = wait->all ? process->last_job : row->job;
    *held_by = r->rows[r->jobs[last].last].number;
  }
  return true;
}

/* When the doorbell of a blocking copy rings; false while what its call waits
 * for is not done. Ending later than the call began, that holds it as long as
 * in the measured run. */
static bool drain_return(const aq_replay *r, const aq_replay_process *process,
                         const aq_replay_job *job, aq_time *out,
                         int64_t *held_by)
{
  const aq_replay_row *front = &r->rows[job->drains - 1];
  const aq_replay_job *before = &r->jobs[front->job];
  const aq_time begin = r->rows[job->first].host_begin + process->shift;
  *out = begin + r->options.clock_shift + job->lag;
  *held_by = AQ_NONE;
  if (before->id == UINT64_MAX)
    return true; /* another process submits it only later */
  if (before->done == AQ_TIME_NONE)
    return false;
  const aq_time late = before->done + aq_time_max(job->lag, 0);
  if (late >= *out) {
    *out = late;
    *held_by = front->number;
  }
  return true;
}

/* Whether a wait, or the wait of a blocking copy, has returned. */
static bool item_return(const aq_replay *r, aq_replay_process *process,
                        const aq_replay_item *item)
{
  const aq_replay_options *o = &r->options;
  const bool drains = item->step == AQ_REPLAY_DRAIN;
  aq_time returned, measured;
  int64_t held_by;
  if (drains ? !drain_return(r, process, &r->jobs[item->index], &returned,
                             &held_by)
             : !wait_return(r, process, &r->waits[item->index], &returned,
                            &held_by))
    return false;
  measured = drains ? item->time : r->waits[item->index].host_end;
  process->shift = returned - measured;
  if (o->waited)
    o->waited(o->user, process->pid, returned, held_by);
  return true;
}

/* Lets a process pass the waits that have ended, and skip calls that it does
 * not make. Its next step is a job then, or a pending wait, or there is none.
 */
static void process_advance(const aq_replay *r, aq_replay_process *process)
{
  for (; process->next < process->end; process->next++) {
    const aq_replay_item *item = &r->items[process->next];
    if (item->step == AQ_REPLAY_SUBMIT)
      return;
    if (item->step == AQ_REPLAY_SKIP) {
      process->shift -= r->jobs[item->index].saved;
      continue;
    }
    if (!item_return(r, process, item))
      return;
  }
}

/* The process with the earliest job, or NULL; *time is when it is due. */
static aq_replay_process *earliest(aq_replay *r, aq_time *time)
{
  aq_replay_process *first = NULL;
  *time = AQ_TIME_MAX;
  for (size_t i = 0; i < r->process_count; i++) {
    aq_replay_process *process = &r->processes[i];
    process_advance(r, process);
    if (process->next == process->end ||
        r->items[process->next].step != AQ_REPLAY_SUBMIT)
      continue;
    const aq_time due = r->items[process->next].time + process->shift;
    if (due < *time) {
      *time = due;
      first = process;
    }
  }
  if (first)
    *time = aq_time_max(*time, r->last_time);
  return first;
}

/* ---- the source ---- */

static aq_time replay_peek(aq_workload_source *source)
{
  aq_time time;
  earliest(from_source(source), &time);
  return time;
}

static aq_command command_of_row(const aq_replay_row *row)
{
  return (aq_command){
      .kind = (aq_record_kind)row->kind,
      .cost = {.kind = AQ_COST_SPIN, .base = row->duration},
      .spin_flags = row->spin_flags,
      .grid = {row->grid[0], row->grid[1], row->grid[2]},
      .unknown = row->unknown,
      .workgroup = {row->workgroup[0], row->workgroup[1], row->workgroup[2]},
      .lds = row->lds,
      .scratch = row->scratch,
      .bytes = row->bytes,
      .name = row->name,
      .origin = row->number,
      .flags = row->flags,
  };
}

static aq_status commands_fill(aq_replay *r, const aq_replay_job *job,
                               aq_diag *diag)
{
  size_t count = 0;
  for (uint32_t at = job->first + 1; count < job->count;
       at = r->rows[at - 1].next) {
    if (!AQ_ARRAY_PUSH(r->commands, count, r->command_capacity,
                       command_of_row(&r->rows[at - 1])))
      return aq_diag_no_memory(diag);
  }
  return AQ_OK;
}

static aq_time shifted(aq_time time, aq_time shift)
{
  return time == AQ_TIME_NONE ? time : time + shift;
}

static aq_status replay_next(aq_workload_source *source, aq_job *out, bool *got,
                             aq_diag *diag)
{
  aq_replay *r = from_source(source);
  aq_time due;
  aq_replay_process *process = earliest(r, &due);
  *got = process != NULL;
  if (!process)
    return AQ_OK;
  const uint32_t index = r->items[process->next].index;
  aq_replay_job *job = &r->jobs[index];
  const aq_replay_row *row = &r->rows[job->first];
  const aq_replay_queue *queue = &r->queues[row->queue];
  aq_status status = commands_fill(r, job, diag);
  if (status != AQ_OK)
    return status;
  *out = (aq_job){
      .id = r->next_id++,
      .device = queue->place,
      .stream = row->stream == AQ_NONE ? queue->id : row->stream,
      .queue = queue->hardware,
      .submit = due,
      .host_begin = shifted(row->host_begin, process->shift),
      .host_end = shifted(row->host_end, process->shift),
      .deadline = AQ_TIME_NONE,
      .via = (aq_record_via)row->via,
      .marker = job->marker || job->awaited || row->collective,
      .correlation = row->correlation,
      .pid = row->pid,
      .tid = row->tid,
      .commands = r->commands,
      .command_count = job->count,
  };
  out->job_flags |= AQ_JOB_WAIT_PACKETS;
  if ((job->awaited || row->collective) && !job->marker)
    out->job_flags |= AQ_JOB_EVENT;
  if (row->collective && !job->marker)
    out->job_flags |= AQ_JOB_EVENTS | (row->future ? AQ_JOB_FUTURE : 0);
  if (job->ready)
    out->job_flags |= AQ_JOB_READY;
  if (job->behind_copy)
    out->job_flags |= AQ_JOB_BEHIND_COPY;
  if (job->gate != AQ_TIME_NONE) {
    out->job_flags |= AQ_JOB_GATED;
    out->gate = job->gate + process->shift;
  }
  /* Only a job that was handed out before can be waited for: in a closed loop
   * another process may be behind. */
  for (uint32_t i = 0; i < job->edge_count; i++) {
    const aq_replay_edge *edge = &r->edges[job->edge_first + i];
    const uint64_t id = r->jobs[edge->from].id;
    if (id != UINT64_MAX) {
      out->dependencies[out->dependency_count++] = id;
    } else if (r->facts_out) {
      r->facts_out->dropped[AQ_REPLAY_DROP_BEHIND]++;
      r->facts_out->edges--;
    }
  }
  job->id = out->id;
  r->handed[out->id] = index;
  r->last_time = due;
  process->next++;
  process->live++;
  return AQ_OK;
}

static void replay_done(aq_workload_source *source, uint64_t id, aq_time time)
{
  aq_replay *r = from_source(source);
  aq_replay_job *job = &r->jobs[r->handed[id]];
  aq_replay_process *process = &r->processes[job->process];
  job->done = time;
  process->live--;
  if (time >= process->last_done || process->last_done == AQ_TIME_NONE) {
    process->last_done = time;
    process->last_job = (uint32_t)(job - r->jobs);
  }
}

static const char *replay_name(aq_workload_source *source, int64_t id)
{
  aq_replay *r = from_source(source);
  return r->input->name(r->input, id);
}

static void replay_close(aq_workload_source *source)
{
  aq_replay *r = from_source(source);
  aq_map_fini(&r->queue_map);
  free(r->commands);
  free(r->handed);
  free(r->processes);
  free(r->items);
  free(r->edges);
  free(r->waits);
  free(r->ranges);
  free(r->queues);
  free(r->jobs);
  free(r->rows);
  free(r);
}

aq_status aq_replay_open(aq_replay_input *input,
                         const aq_replay_options *options,
                         aq_workload_source **out, aq_replay_facts *facts,
                         aq_diag *diag)
{
  aq_replay *r = calloc(1, sizeof *r);
  if (!r)
    return aq_diag_no_memory(diag);
  r->source = (aq_workload_source){.peek = replay_peek,
                                   .next = replay_next,
                                   .done = options->closed ? replay_done : NULL,
                                   .name = replay_name,
                                   .close = replay_close,
                                   .no_deadlines = true};
  r->input = input;
  r->options = *options;
  if (r->options.launch_factor == 0)
    r->options.launch_factor = 1;
  if (r->options.host_factor == 0)
    r->options.host_factor = 1;
  r->last_time = AQ_TIME_NONE;
  aq_status status = aq_replay_rows_read(r, diag);
  if (status == AQ_OK)
    status = aq_replay_copies_wait(r, diag);
  if (status == AQ_OK && r->options.predict)
    status = aq_replay_predict(r, diag);
  if (status == AQ_OK)
    status = aq_replay_edges_find(r, diag);
  if (status == AQ_OK)
    status = aq_replay_jobs_make(r, diag);
  if (status == AQ_OK)
    status = aq_replay_steps_make(r, diag);
  r->facts.jobs = r->job_count;
  r->facts.uncalled = r->row_count - r->facts.calls;
  for (size_t i = 0; i < r->job_count; i++)
    r->facts.called_jobs += aq_replay_is_called(&r->rows[r->jobs[i].first]);
  r->facts.first_submit = r->job_count ? r->jobs[0].submit : 0;
  if (status != AQ_OK) {
    replay_close(&r->source);
    return status;
  }
  if (facts)
    *facts = r->facts;
  r->facts_out = facts;
  *out = &r->source;
  return AQ_OK;
}
