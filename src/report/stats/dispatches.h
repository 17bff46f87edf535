/* SPDX-License-Identifier: MIT */
/*
 * The rows of one run as statistics want them: what ran, in the order of its
 * start, and the host's waits. Times are ps from the origin of the run, unknown
 * is AQ_NONE. Owns its arrays; names are the reader's. One thread at a time.
 */
#ifndef AQ_REPORT_STATS_DISPATCHES_H
#define AQ_REPORT_STATS_DISPATCHES_H

#include "common/map.h"
#include "store/store.h"

typedef struct aq_dispatch_row {
  int64_t number; /* of the row */
  int64_t origin, correlation;
  int64_t kind, via, flags, name, device, queue, stream, pid, tid, bytes;
  int64_t workgroups; /* AQ_NONE where the shape is not known */
  aq_time host_begin, host_end, submit, fetch, launch, start, end, complete;
  /* When it was handed to the device: submit, or the end of its host call. */
  aq_time submission;
  aq_time gap; /* from the end before it on its queue; AQ_NONE for the first */
  int64_t range; /* name of the innermost range around its launch, or AQ_NONE */
  bool communicates;  /* a collective kernel (kernel_class.h) */
  bool outside;       /* of the part of the run that was asked for */
  bool in_first_step; /* of its device in the whole run: it may hold warm-up */
  /* AQ_NONE: not known, or not asked for (launch_context.h). */
  int64_t op;                    /* number in the store's table */
  int64_t op_name, module, line; /* name ids */
  int64_t stack, path;           /* ids of the dispatches' texts */
  int64_t step, rank;
  /* The op whose work the row is part of; its shape and collective, and
   * the row's family, are ids of the dispatches' texts. */
  int64_t work, shape, family, collective;
  int64_t group, group_size; /* of a collective: its process group, an id of
                                the texts, and how many ranks that has */
} aq_dispatch_row;

typedef enum aq_steps_kind {
  AQ_STEPS_NONE,
  AQ_STEPS_MARKED,   /* by ranges ProfilerStep#N */
  AQ_STEPS_REPEATED, /* by a repeated sequence of kernels */
} aq_steps_kind;

/* How much is known of the program around launches. */
typedef struct aq_context_counts {
  size_t ops, frames;                 /* of the run */
  size_t in_ops, in_frames, in_steps; /* rows */
  size_t backward;   /* rows with the frame of their forward op */
  size_t unreadable; /* ops with arguments that are not readable (op_work.h),
                        the first with this shape */
  int64_t unreadable_shape;
  aq_steps_kind steps;
  size_t period;        /* kernels of a repeated step */
  int64_t step_queue;   /* whose kernels alone repeat, or AQ_NONE */
  size_t repetitions;   /* that are steps */
  int64_t within_range; /* around all of their launches: its name, an id of the
                           texts, or AQ_NONE */
} aq_context_counts;

/* A host call that waited for the device. */
typedef struct aq_host_wait {
  aq_time begin, end;
  int64_t pid, tid;
} aq_host_wait;

/* A launch or copy whose work the trace lost, or a row whose end it lost. */
typedef struct aq_lost_call {
  aq_time begin; /* of the host call; of a row, its start */
  int64_t pid;
  bool started; /* a row, whose end is not known */
} aq_lost_call;

/* A wait of the measured run that nothing recorded explains, as a replay of it
 * has to know: from the submission of a row to its end. */
typedef struct aq_unexplained_wait {
  aq_time from, to;
  int64_t row;    /* of the measured run */
  int64_t device; /* of the replay */
} aq_unexplained_wait;

/* Which rows are read as what ran. */
typedef enum aq_rows_wanted {
  AQ_WANT_DISPATCHES, /* kernels, copies and fills */
  AQ_WANT_OPERATIONS, /* operations of host queues */
  AQ_WANT_EITHER,     /* operations where no kernel, copy or fill has times: a
                         transport without records of packets */
} aq_rows_wanted;

/* Time of a part of the run (part_spans.h). */
typedef struct aq_part_span {
  int64_t of;    /* a device, or one of AQ_PART_* */
  aq_time begin; /* of the range that comes first, at most `from` */
  aq_time from, to;
} aq_part_span;

typedef struct aq_dispatches {
  aq_dispatch_row *rows; /* rows with start and end: by start; operations by the
                            order of their submission */
  bool operations;       /* `rows` are operations */
  size_t count;
  aq_dispatch_row *ranges; /* that the program marked, with times or without */
  size_t range_count, range_capacity;
  aq_host_wait *waits; /* in the order of their begin */
  size_t wait_count, wait_capacity;
  aq_lost_call *lost; /* in the order of their begin */
  size_t lost_count, lost_capacity;
  aq_unexplained_wait *stalls; /* of a replay, by device and begin */
  size_t stall_count, stall_capacity;
  aq_part_span *spans; /* by `of` and time; none: all of the run */
  size_t span_count;
  aq_names texts;            /* of call stacks, shapes, families */
  struct aq_op_work *works;  /* by number of the op (op_work.h) */
  aq_context_counts context; /* all 0 where it was not asked for */
} aq_dispatches;

/* Reads all rows of a reader, opened in any order: that in which they are
 * stored is read the fastest. */
aq_status aq_dispatches_read(aq_run_reader *reader, aq_rows_wanted wanted,
                             aq_dispatches *out, aq_diag *diag);

/* Whether the host call of a copy or fill returned when that was done. */
bool aq_dispatch_blocks(const aq_dispatch_row *row);

/* From the first start to the last end; 0 without rows. Of a part of a run, of
 * each occurrence (part_spans.h). */
aq_time aq_dispatches_makespan(const aq_dispatches *dispatches);

void aq_dispatches_fini(aq_dispatches *dispatches);

#endif
