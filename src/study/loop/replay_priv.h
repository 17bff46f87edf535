/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of a replay: rows are read (replay_rows.c), become jobs
 * (replay_jobs.c) and wait for one another (replay_waits.c); replay.c hands the
 * jobs out. Only they include this. One thread.
 */
#ifndef AQ_STUDY_LOOP_REPLAY_PRIV_H
#define AQ_STUDY_LOOP_REPLAY_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "common/map.h"
#include "study/loop/replay.h"

#define AQ_REPLAY_NOWHERE UINT32_MAX

/* What replay keeps of a measured row. */
typedef struct aq_replay_row {
  int64_t number; /* of the row in its run */
  aq_time start, end, complete, host_begin, host_end, submit;
  aq_time duration; /* that the replay gives it */
  int64_t correlation, pid, tid, stream, name, bytes;
  uint32_t grid[3];
  uint16_t workgroup[3];
  uint8_t kind, via, flags;
  uint32_t spin_flags;
  uint8_t unknown; /* aq_unknown bits */
  uint32_t lds, scratch;
  int16_t family; /* of its name, for level 2 */
  uint8_t size;   /* logarithm of its work-items; 0: not known */
  uint32_t queue; /* index of an aq_replay_queue */
  uint32_t next;  /* row of the same job + 1, or 0 */
  uint32_t job;   /* index, once the jobs are in order */
  bool awaits;    /* an edge leads to it */
  bool host_copy; /* to or from the host: a copy engine does it */
  bool blocks;    /* a copy or fill whose call returned when it was done */
  bool polled;    /* a copy that would return copy_return behind its end */
  /* PyTorch records two events behind it; the second one is awaited. */
  bool collective, future;
} aq_replay_row;

/* Whether its host call is recorded. */
static inline bool aq_replay_is_called(const aq_replay_row *row)
{
  return row->via != AQ_VIA_NONE && row->host_begin != AQ_TIME_NONE &&
         row->host_end != AQ_TIME_NONE;
}

/* One host call on one queue: rows in the order of their starts. */
typedef struct aq_replay_job {
  aq_time submit; /* measured time of the doorbell */
  aq_time before; /* latest end in front of it, or AQ_TIME_NONE */
  aq_time pin;    /* a doorbell then starts it in time, if it is pinned; else
                     AQ_TIME_NONE */
  aq_time gate;   /* opens then; AQ_TIME_NONE: there is none */
  /* In a closed loop: the row + 1 that the call of a blocking copy waits for,
   * and how long behind that and its own begin it rings; 0: it does not wait */
  uint32_t drains;
  aq_time lag;
  uint32_t first, last, count; /* rows */
  uint32_t process;
  uint32_t edge_first, edge_count; /* in `edges` */
  bool marker;                     /* ends a graph launch */
  bool awaited;                    /* by a job of another queue */
  bool behind_copy;                /* of the queue's row before it */
  bool ready;                      /* HIP had seen its dependencies ready */
  bool stretch;                    /* last part of merged launches */
  aq_time saved; /* host time of their calls that one launch does not take */
  uint64_t id;   /* once handed out, else UINT64_MAX */
  aq_time done;  /* AQ_TIME_NONE before */
} aq_replay_job;

/* A queue or stream of the measured run, and how far its rows are sorted. */
typedef struct aq_replay_queue {
  uint32_t device, place; /* of the run; among the devices that have rows */
  int64_t id;
  bool is_stream;
  int64_t hardware; /* number of the device's queue that it goes to */
  int64_t stream;   /* of all its rows, or AQ_NONE */
  bool one_stream;  /* so far */
  aq_time last_end, last_submit; /* AQ_TIME_NONE before the first row */
  aq_time last_complete;         /* of the last row, or AQ_TIME_NONE */
  aq_time next_submit;           /* AQ_TIME_MAX behind the last one */
  uint32_t last_job;             /* + 1, or 0 */
  uint32_t last_graph;           /* row of the last graph launch + 1, or 0 */
  uint32_t last_row;             /* that of last_end + 1, or 0 */
  bool last_copy;                /* a copy engine did the last row */
} aq_replay_queue;

/* A host call that waited for the device. */
typedef struct aq_replay_wait {
  aq_time begin, end;           /* measured */
  aq_time host_begin, host_end; /* on the host's own clock (replay_host.c) */
  int64_t pid;
  uint32_t process;
  uint32_t row; /* the row it waited for, or NOWHERE */
  bool all;     /* for everything submitted before it */
} aq_replay_wait;

/* A host call of a framework that made launches. */
typedef struct aq_replay_range {
  aq_time begin, end;
  int64_t pid, tid;
} aq_replay_range;

/* A row waits for another: both indices of rows, then of jobs. */
typedef struct aq_replay_edge {
  uint32_t from, to;
} aq_replay_edge;

/* One step of a process: the call of a blocking copy has waited for the work in
 * front of it, a job is submitted, a host wait returns, or the calls that one
 * graph launch stands for are skipped. */
typedef enum aq_replay_step {
  AQ_REPLAY_DRAIN,
  AQ_REPLAY_SUBMIT,
  AQ_REPLAY_WAIT,
  AQ_REPLAY_SKIP,
} aq_replay_step;

typedef struct aq_replay_item {
  aq_time time; /* measured */
  uint32_t process;
  uint32_t index; /* of the job or wait */
  aq_replay_step step;
} aq_replay_item;

/* Host threads of one process move together. */
typedef struct aq_replay_process {
  int64_t pid;
  size_t next, end; /* items */
  uint64_t live;    /* jobs in flight */
  aq_time shift;    /* what its clock is behind the measured one */
  aq_time last_done;
  uint32_t last_job; /* that was done then */
} aq_replay_process;

typedef struct aq_replay {
  aq_workload_source source; /* first */
  aq_replay_input *input;
  aq_replay_options options;
  aq_replay_facts facts;
  aq_replay_facts *facts_out; /* the caller's, or NULL */
  aq_replay_row *rows;
  size_t row_count, row_capacity;
  aq_replay_job *jobs;
  size_t job_count, job_capacity;
  aq_replay_queue *queues;
  size_t queue_count, queue_capacity;
  aq_map queue_map;
  aq_replay_wait *waits; /* by end */
  size_t wait_count, wait_capacity;
  aq_replay_range *ranges; /* of all-reduces */
  size_t range_count, range_capacity;
  bool gradients;        /* DistributedDataParallel makes them */
  aq_replay_edge *edges; /* by the job that waits */
  size_t edge_count;
  aq_replay_item *items; /* by process and time */
  aq_replay_process *processes;
  size_t process_count, process_capacity;
  uint32_t *handed; /* job by id */
  uint64_t next_id;
  aq_time last_time; /* handed out last */
  aq_time typical_call;
  aq_command *commands; /* of the job handed out last */
  size_t command_capacity;
} aq_replay;

/* replay_rows.c: reads the rows and waits. */
aq_status aq_replay_rows_read(aq_replay *r, aq_diag *diag);

/* replay_level.c: gives every row the duration of its like in the first half
 * of the run. */
aq_status aq_replay_predict(aq_replay *r, aq_diag *diag);

/* replay_jobs.c: makes jobs of the rows, in the order of their doorbells. */
aq_status aq_replay_jobs_make(aq_replay *r, aq_diag *diag);

/* replay_host.c: moves host times by the factors of the options, once the jobs
 * have their processes. */
aq_status aq_replay_host_stretch(aq_replay *r, aq_diag *diag);

/* replay_events.c: which rows PyTorch records events behind. */
bool aq_replay_is_collective(const aq_replay *r, const aq_record *row,
                             const char *name);
aq_status aq_replay_range_add(aq_replay *r, const aq_record *row,
                              aq_diag *diag);
void aq_replay_futures_find(aq_replay *r);

/* replay_waits.c: gives each blocking copy a wait; finds the rows of the edges;
 * then, with the jobs made, the waits between them, and the steps of each
 * process. */
aq_status aq_replay_copies_wait(aq_replay *r, aq_diag *diag);
aq_status aq_replay_edges_find(aq_replay *r, aq_diag *diag);
aq_status aq_replay_steps_make(aq_replay *r, aq_diag *diag);

#endif
