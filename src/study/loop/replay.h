/* SPDX-License-Identifier: MIT */
/*
 * Replay: the submissions of a measured run as a workload.
 *
 * One host call is one job; a graph launch is one job of many commands. Each
 * command carries its measured duration, or a predicted one (level 2).
 *
 * Open loop: each host call is submitted when it was submitted in the measured
 * run, whatever the device does. Closed loop: a host call that waited for the
 * device returns as long after the awaited work as it did in the measured
 * run, and the later calls of its process follow at the same distance; so a
 * faster device moves the host. Host threads of a process move together.
 *
 * The doorbell is taken to ring when the call returns. A profiler whose handler
 * of the last completion runs then may hold it (handler_hold). Only a copy
 * whose call was still running when it started rang it earlier: after the
 * median duration of the run's calls that returned in time. Where the call
 * awaited the copy, early enough for the copy to end copy_return before the
 * call returned, and a small copy from the host, or on the device, at that
 * time. In a closed loop an awaited copy rings as long behind the row in front
 * of it as in the measured run: it is a wait of the host and then a copy. A
 * graph
 * launch rings in batches, as HIP's do: from graph_launch on, its call writes
 * packets at an even pace until it returns, and rings for graph_head of them
 * first, then for twice as many each time, graph_batch at most; once the device
 * is 16 packets behind, for graph_batch. A barrier packet ends it. Where the
 * device says nothing of graphs, they ring like copies.
 *
 * Rows without a host call, and the first row of each queue, are pinned: they
 * start when they started in the measured run, on an idle device. They keep the
 * queue honest and are never scored. They never move the doorbell of another
 * row: where the next call of their queue came before they started, they are
 * submitted no later than it and a gate holds them.
 */
#ifndef AQ_STUDY_LOOP_REPLAY_H
#define AQ_STUDY_LOOP_REPLAY_H

#include "common/diag.h"
#include "common/record.h"
#include "common/workload.h"

/* Where the measured rows come from, in AQ_ORDER_START; run/ does not know the
 * store. */
typedef struct aq_replay_input aq_replay_input;
struct aq_replay_input {
  aq_status (*next)(aq_replay_input *input, aq_record *rows, int64_t *numbers,
                    size_t capacity, size_t *count, aq_diag *diag);
  const char *(*name)(aq_replay_input *input, int64_t id);
}; /* borrowed until the source is closed */

/* A host that stays away longer between two calls did something that no capture
 * can hold: an allocation, a read of a result, work of its own. */
#define AQ_REPLAY_GRAPH_GAP (200 * AQ_US)

/* A launch call that took longer did more than launch: the first one of a
 * kernel loads its code. No graph saves that. */
#define AQ_REPLAY_CALL_LONG AQ_MS

typedef struct aq_replay_options {
  /* What of the device counts; from aq_device_info. */
  aq_time latency_warm, latency_cold, unmap_after, idle_ramp, remap_ramp;
  aq_time handler_guard, handler_window, handler_hold; /* of measured runs */
  /* The doorbell of each host call rings so much later: the device's clock is
   * so far ahead of the host's, beyond the offset that latency_* contains. */
  aq_time clock_shift;
  aq_time clock_offset; /* all of it, as host waits show it; 0: none does */
  /* End of a small copy from the host, or on the device, until the call that
   * awaited it returns; 0: not known. */
  aq_time copy_return;
  aq_time gate_latency, barrier_latency;
  aq_time timestamp_step; /* starts closer to the previous end: back-to-back */
  aq_time graph_launch, graph_per_node;
  uint32_t graph_head, graph_batch;
  /* What to replay. */
  bool closed;   /* loop; open otherwise */
  bool as_graph; /* direct launches between host waits become one launch,
                    as far as AQ_REPLAY_GRAPH_GAP allows */
  bool predict;  /* level 2: durations of the second half from the first */
  bool keep_new; /* but kernels of names that the first half lacks keep what
                    `duration` gave them */
  /* Hardware queues that the streams of a device share, in the order of their
   * first rows; then streams stand for the queues wherever a row has one. 0:
   * recorded queues are kept apart, streams share four, as HIP's do. */
  uint32_t queues;
  /* Kernels of RCCL are launched by PyTorch, which records two events behind
   * each. */
  bool collective_events;
  const aq_edge *edges; /* between row numbers; borrowed for the call */
  size_t edge_count;
  /* In a closed loop: launch calls take so many times as long, and so does the
   * host between its calls; 0 counts as 1. Waits follow the device. */
  double launch_factor, host_factor;
  /* Gives kernels, fills and copies within a device other durations than
   * measured ones, which `measured` holds; NULL: none. Called once a row while
   * the replay is opened; kernels that take any time, and other rows that take
   * another one, get AQ_FLAG_PREDICTED. */
  aq_time (*duration)(void *user, const aq_record *row, const char *name,
                      aq_time measured);
  /* How long behind the end of a kernel the next one of its queue starts, at
   * most 16 ms; 0: as the device has it. NULL: always so. Called once a kernel
   * while the replay is opened. */
  aq_time (*gap)(void *user, const aq_record *row, const char *name);
  /* Level 2: one number for all names of a kind, such as copies;
   * NULL: names that the first half lacks are all alike. */
  int (*family)(void *user, int64_t id, const char *name);
  /* In a closed loop: the host wait that returned at `time` followed the row of
   * this number, or AQ_NONE: none held it back. NULL: no watcher. */
  void (*waited)(void *user, int64_t pid, aq_time time, int64_t row);
  void *user;
} aq_replay_options;

/* Why a dependency of the run is none of the replay: D(id, name, meaning). */
#define AQ_REPLAY_DROPS(D)                                                     \
  D(ROW, "no_row", "the row is not replayed")                                  \
  D(INNER, "inner", "not of the first packet of a launch")                     \
  D(LATER, "later", "on a row that is submitted later")                        \
  D(BEHIND, "behind", "on a row of a process that is late")                    \
  D(MANY, "many", "a job waits for at most 16")

typedef enum aq_replay_drop {
#define D(id, name, meaning) AQ_REPLAY_DROP_##id,
  AQ_REPLAY_DROPS(D)
#undef D
      AQ_REPLAY_DROP_COUNT
} aq_replay_drop;

/* Findings about a replay, for the notes of the run. */
typedef struct aq_replay_facts {
  aq_time first_submit; /* the transport's epoch has to be at or before it */
  uint64_t jobs, waits; /* waits: host calls that a closed loop goes by */
  uint64_t calls;       /* rows whose host call is recorded */
  uint64_t uncalled;    /* the other ones */
  uint64_t called_jobs; /* jobs whose first row has its host call */
  uint64_t edges;       /* that jobs wait by */
  uint64_t dropped[AQ_REPLAY_DROP_COUNT]; /* edges that they do not wait by */
  uint64_t gates;                         /* pinned rows that a gate holds */
  uint64_t near;      /* pinned rows that start off by up to a barrier packet
                         and its signal: too little time is left for a gate */
  uint64_t moved;     /* rows whose doorbell rings later than in the measured
                         run: a packet in front of them was submitted later */
  aq_time moved_most; /* by how much */
  uint64_t held;      /* of them, held by a profiler's handler */
  uint64_t endless;   /* rows without an end, which take no time */
  uint64_t shapeless; /* kernels whose grid or workgroup is not known, or more
                         than a packet can say: 1 work-item stands for it */
  uint64_t gaps;      /* kernels with a gap of their own */
  uint64_t graphs;    /* made of direct launches */
  uint64_t predicted, unlike; /* rows of level 2; of them, without a like row in
                                 the first half */
  uint64_t unseen, kept;      /* of them, of names that the first half lacks; of
                                 these, kernels that keep their durations */
  double prediction_error; /* percent: the median over the predicted rows that
                              do not, of the difference from the duration
                              that the row would have at level 1 */
  uint32_t devices;        /* that have rows; jobs number them 0, 1, 2… */
  uint32_t queues; /* that the queues of a device share; 0: none are shared */
  bool streams; /* every queue of the run is one stream, or was taken as one */
} aq_replay_facts;

/* Reads every row (memory grows with the run) and sorts them into jobs.
 * `facts` may be NULL; what only the run shows (AQ_REPLAY_DROP_BEHIND) is
 * counted there until the source is closed. */
aq_status aq_replay_open(aq_replay_input *input,
                         const aq_replay_options *options,
                         aq_workload_source **out, aq_replay_facts *facts,
                         aq_diag *diag);

#endif
