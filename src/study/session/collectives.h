/* SPDX-License-Identifier: MIT */
/*
 * The collective kernels of a run, split into waiting and transfer: a kernel
 * waits until the last rank has begun, then all transfer. Only the transfer
 * follows the links and the device; waiting follows the ranks. doc/whatif.md
 * has the rules.
 *
 * A rank is a device of a process. The collectives own their memory. One
 * thread.
 */
#ifndef AQ_STUDY_SESSION_COLLECTIVES_H
#define AQ_STUDY_SESSION_COLLECTIVES_H

#include "common/map.h"
#include "gpu/duration/kernel_class.h"
#include "report/stats/collective_calls.h"
#include "store/store.h"

typedef struct aq_collective {
  int64_t row;
  bool meets;       /* with one kernel of each other rank */
  aq_time start;    /* measured */
  aq_time measured; /* duration */
  aq_time transfer; /* part of it */
  aq_time wait;     /* now, before the transfer */
  aq_time kept;     /* the wait that aq_collectives_keep kept */
  aq_time begins;   /* in the last replay */
  int64_t name, pid, device;
  int64_t grid;
} aq_collective;

typedef struct aq_collectives {
  aq_collective *items; /* in the order of their starts */
  size_t count, capacity;
  aq_collective_calls calls; /* matched; `place` is the item's */
  aq_map by_row;             /* row → item */
  size_t ranks, met;
  size_t next;               /* whose duration is asked for next */
  size_t begun;              /* kernels of the replay that began */
  aq_time waiting, transfer; /* sums of the measured parts */
} aq_collectives;

aq_status aq_collectives_read(aq_store *store, int64_t run, aq_collectives *out,
                              aq_diag *diag);
void aq_collectives_fini(aq_collectives *c);

/* How long kernels wait in the first replay of a series. */
typedef enum aq_collectives_from {
  AQ_FROM_MEASURED, /* as in the measured run */
  AQ_FROM_KEPT,     /* as aq_collectives_keep kept it */
  AQ_FROM_LAST,     /* as the replay before settled it */
} aq_collectives_from;

/* The next replay begins. */
void aq_collectives_begin(aq_collectives *c, aq_collectives_from from);

/* Keeps the waits of now for later series. */
void aq_collectives_keep(aq_collectives *c);

/* The duration of the next collective kernel of the run, in the order of
 * starts. Other changes turned `measured` into `found`; links are `link`
 * times as fast. */
aq_time aq_collectives_duration(aq_collectives *c, aq_time measured,
                                aq_time found, double link, aq_end end);

/* A row of the replay that began at `start`; rows of other than collective
 * kernels are passed over. */
void aq_collectives_began(aq_collectives *c, int64_t origin, aq_time start);

/* Has each kernel that meets wait for the last of its set, by those starts;
 * *moved: by how much a wait changed at most. INVALID: kernels of the run did
 * not begin in the replay. */
aq_status aq_collectives_settle(aq_collectives *c, aq_time *moved,
                                aq_diag *diag);

#endif
