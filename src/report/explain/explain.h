/* SPDX-License-Identifier: MIT */
/*
 * Explain: where a run's time went, and the resource that holds it back.
 *
 * The time of each device from its first start to its last end, or of a part of
 * the run that of its occurrences (part_spans.h), is divided, to the
 * picosecond, among the causes below: running work, or a reason for idling.
 * Work outside of the part hides communication and copies as work of the part
 * does. AQ_EXPLAIN_RULE is the rule of the headline. doc/stats.md says how each
 * is found. Pure functions; one thread.
 */
#ifndef AQ_REPORT_EXPLAIN_EXPLAIN_H
#define AQ_REPORT_EXPLAIN_EXPLAIN_H

#include "report/stats/dispatches.h"

/* C(id, name, verdict, share, meaning): `share` follows a percentage. */
#define AQ_EXPLAIN_CAUSES(C)                                                   \
  C(KERNEL, "kernels", "kernel-bound", "kernels",                              \
    "kernels ran and filled the device")                                       \
  C(TAIL, "tail", "tail-bound", "tail effects",                                \
    "kernels ran with too few workgroups for the compute units, or in the "    \
    "last, partial round of them")                                             \
  C(COMMUNICATION, "communication", "communication-bound", "communication",    \
    "only kernels of RCCL or NCCL ran")                                        \
  C(COPY, "copies", "copy-bound", "copies", "only copies and fills ran")       \
  C(OUTSIDE, "outside", "busy with dispatches outside of the part",            \
    "dispatches outside of the part",                                          \
    "dispatches outside of the part ran: alone, or kernels that hide its "     \
    "communication or copies")                                                 \
  C(HOST, "host", "host-bound", "idle, host between calls",                    \
    "nothing ran: the host had not called to submit the next dispatch")        \
  C(LAUNCH, "launch", "launch-bound", "idle, host in a launch call",           \
    "nothing ran: the host was in the call that submits the next dispatch")    \
  C(LOADING, "loading", "loading-bound", "idle, host loading code",            \
    "nothing ran: the host was in the first launch of a kernel, a call of "    \
    "over 1 ms that loads its code (warm-up)")                                 \
  C(SYNC, "sync", "sync-bound", "idle, host in a wait for the device",         \
    "nothing ran: the host was in a call that waits for the device")           \
  C(BARRIER, "barrier", "barrier-bound", "idle, packets at a barrier",         \
    "nothing ran: the next packet was fetched and waited for its barrier or "  \
    "for another queue")                                                       \
  C(QUEUE, "queue", "queue-oversubscribed", "idle, packets not fetched",       \
    "nothing ran: the next packet lay in its ring for longer than fetching "   \
    "takes")                                                                   \
  C(DISPATCH, "dispatch", "dispatch-bound", "idle, packets being launched",    \
    "nothing ran: the next packet was being fetched and launched")             \
  C(UNEXPLAINED, "unexplained", "unexplained", "idle, cause not recorded",     \
    "nothing ran: submitted, but started > 200 us later; the trace shows no "  \
    "reason")                                                                  \
  C(POLICY, "policy", "policy-bound", "idle, jobs delayed by the policy",      \
    "nothing ran: the scheduling policy delayed the next job")                 \
  C(UNKNOWN, "unknown", "idle for unknown reasons", "idle, host not recorded", \
    "nothing recorded ran: the host's times are missing, or the record of a "  \
    "kernel that was launched then")

typedef enum aq_explain_cause {
#define C(id, name, verdict, share, meaning) AQ_CAUSE_##id,
  AQ_EXPLAIN_CAUSES(C)
#undef C
      AQ_CAUSE_COUNT
} aq_explain_cause;

typedef struct aq_explain_term {
  const char *name, *verdict, *share, *meaning;
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
  "none does, it has no single bottleneck."

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
 * part of a run it is the time of its occurrences on each device
 * (part_spans.h). `ran` (may be NULL) gets, by row, the part of `kernels` and
 * `tail` that is its own: they sum to these. A run without dispatches is
 * AQ_ERR_INPUT. */
aq_status aq_explain_make(const aq_dispatches *dispatches, const int64_t *cus,
                          size_t device_count, bool policy, aq_time *ran,
                          aq_explain *out, aq_diag *diag);

/* By row number up to *count: work whose record the trace lost may have run in
 * the gap before the row on its device. The caller frees it; NULL: no memory.
 */
bool *aq_explain_lost_gaps(const aq_dispatches *dispatches, int64_t *count);

#endif
