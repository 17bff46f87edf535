/* SPDX-License-Identifier: MIT */
/*
 * Explain: where a run's time went, and the resource that holds it back.
 *
 * The time of each device from its first start to its last end is divided, to
 * the picosecond, among the causes below: running work, or a reason for idling.
 * AQ_EXPLAIN_RULE is the rule of the headline. doc/stats.md says how each is
 * found.
 * Pure functions; one thread.
 */
#ifndef AQ_REPORT_EXPLAIN_EXPLAIN_H
#define AQ_REPORT_EXPLAIN_EXPLAIN_H

#include "report/stats/dispatches.h"

/* C(id, name, verdict, meaning) */
#define AQ_EXPLAIN_CAUSES(C)                                                   \
  C(KERNEL, "kernels", "kernel-bound", "kernels ran and filled the device")    \
  C(TAIL, "tail", "tail-bound",                                                \
    "kernels ran with too few workgroups for the compute units, or in the "    \
    "last, partial round of them")                                             \
  C(COMMUNICATION, "communication", "communication-bound",                     \
    "only kernels of RCCL or NCCL ran")                                        \
  C(COPY, "copies", "copy-bound", "only copies and fills ran")                 \
  C(OUTSIDE, "outside", "busy with dispatches outside of the part",            \
    "only dispatches outside of the part of the run ran")                      \
  C(HOST, "host", "host-bound",                                                \
    "nothing ran: the host had not called to submit the next dispatch")        \
  C(LAUNCH, "launch", "launch-bound",                                          \
    "nothing ran: the host was in the call that submits the next dispatch")    \
  C(LOADING, "loading", "loading-bound",                                       \
    "nothing ran: the host was in the first launch of a kernel, a call of "    \
    "over 1 ms: it loads the code (warm-up)")                                  \
  C(SYNC, "sync", "sync-bound",                                                \
    "nothing ran: the host was still waiting for the device, or returning "    \
    "from that")                                                               \
  C(BARRIER, "barrier", "barrier-bound",                                       \
    "nothing ran: the next packet was fetched and waited for its barrier or "  \
    "for another queue")                                                       \
  C(QUEUE, "queue", "queue-oversubscribed",                                    \
    "nothing ran: the next packet lay in its ring for longer than fetching "   \
    "takes")                                                                   \
  C(DISPATCH, "dispatch", "dispatch-bound",                                    \
    "nothing ran: the next packet was being fetched and launched")             \
  C(UNEXPLAINED, "unexplained", "unexplained",                                 \
    "nothing ran: the next dispatch was submitted, but started over 200 us "   \
    "later; the record (in a replay, that of the measured run) has no reason") \
  C(POLICY, "policy", "policy-bound",                                          \
    "nothing ran: the scheduling policy held the next job back")               \
  C(UNKNOWN, "unknown", "idle for unknown reasons",                            \
    "nothing recorded ran: the host's times are not recorded, or a launch "    \
    "then has no record of the launched work")

typedef enum aq_explain_cause {
#define C(id, name, verdict, meaning) AQ_CAUSE_##id,
  AQ_EXPLAIN_CAUSES(C)
#undef C
      AQ_CAUSE_COUNT
} aq_explain_cause;

typedef struct aq_explain_term {
  const char *name, *verdict, *meaning;
} aq_explain_term;

extern const aq_explain_term aq_explain_causes[AQ_CAUSE_COUNT];

enum {
  AQ_EXPLAIN_FETCH_US = 20,   /* in the ring for longer: oversubscribed */
  AQ_EXPLAIN_LAUNCH_US = 200, /* submission to start for longer: unexplained */
  AQ_EXPLAIN_LOAD_US = 1000,  /* a first launch took longer: it loaded code */
  AQ_EXPLAIN_BOUND_PERCENT = 50, /* AQ_EXPLAIN_RULE */
};

/* In help and doc/stats.md too. */
#define AQ_EXPLAIN_RULE                                                        \
  "A run is bound by the cause that takes at least half of its time; where "   \
  "none does, no one cause binds it."

typedef struct aq_explain_share {
  aq_time time;
  int64_t gaps;      /* for idle causes: how many gaps; else dispatches */
  int64_t worst_row; /* the row behind the longest of them, or AQ_NONE */
  aq_time worst;
} aq_explain_share;

typedef struct aq_explain {
  aq_time time; /* of all devices: the sum of the shares */
  aq_explain_share shares[AQ_CAUSE_COUNT];
  aq_explain_cause largest, next; /* shares */
  bool bound;                     /* by the largest: AQ_EXPLAIN_RULE */
  /* Of all devices: communication kernels ran, beside others or alone. */
  aq_time communication;
  int64_t dispatches, devices;
  int64_t lost;      /* launches and copies without a record … */
  int64_t endless;   /* … rows whose end is not known … */
  aq_time lost_time; /* … and the part of UNKNOWN in which they may have run */
  int64_t shapeless;      /* kernels whose workgroups are not known … */
  aq_time shapeless_time; /* … and their part of KERNEL: no tail is known */
  int64_t unsized; /* devices of unknown compute units: no tail is known */
  int64_t stalls;  /* of a replay: unexplained waits of the measured run … */
  aq_time stalled; /* … and their time, which the replay does not repeat */
} aq_explain;

/* Gives a replay the lost launches of its measured run: where the host of a
 * closed loop launches earlier or later, with the launch before them. An open
 * loop has the host waits, too, and the unexplained waits, whose time is idle
 * in the replay. */
aq_status aq_explain_origin(aq_dispatches *replay,
                            const aq_dispatches *measured, bool open,
                            aq_diag *diag);

/* `cus` is the number of compute units by device ordinal (0: not known);
 * `policy` whether a scheduling policy chose when jobs were submitted. Of a
 * part of a run (dispatches_mark) it is the time from the first start to the
 * last end of the part's rows on each device. `ran` (may be NULL) gets, by row,
 * the part of `kernels` and `tail` that is its own: they sum to these. A run
 * without dispatches is AQ_ERR_INPUT. */
aq_status aq_explain_make(const aq_dispatches *dispatches, const int64_t *cus,
                          size_t device_count, bool policy, aq_time *ran,
                          aq_explain *out, aq_diag *diag);

#endif
