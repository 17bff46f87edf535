/* SPDX-License-Identifier: MIT */
/*
 * The workgroup dispatcher of a device: gives the workgroups of kernels to
 * compute units, as room comes free, and reports the end of a kernel's last
 * one. doc/device.md has the rules; they make its times exact integers.
 *
 * It has no events of its own. The submitter of a grid asks for the earliest
 * time at which it may have ended, looks then, and gets the next such time
 * or learns that it has ended. Between looks the dispatcher does nothing; it
 * never looks at undisturbed workgroups one by one (cohort.h).
 *
 * Calls come in the order of their times. Grids and workgroups are taken from
 * pools; grids are the dispatcher's and live until they have ended or are
 * cancelled. One thread at a time.
 */
#ifndef AQSIM_DISPATCHER_H
#define AQSIM_DISPATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/model/device_model.h"
#include "backend_sim/model/occupancy.h"
#include "common/time.h"

typedef struct aqsim_dispatcher aqsim_dispatcher;
typedef struct aqsim_grid aqsim_grid;

enum { AQSIM_CU_WORDS = AQSIM_CUS_MAX / 64 };

/* Compute units of one complex, as bits. */
typedef struct aqsim_cu_bits {
  uint64_t word[AQSIM_CU_WORDS];
} aqsim_cu_bits;

/* Compute units of a device: number n is number n / xccs of complex n % xccs,
 * as the bits of a queue's CU mask are dealt out. */
typedef struct aqsim_cu_set {
  uint32_t count;
  aqsim_cu_bits of[AQSIM_XCCS_MAX];
} aqsim_cu_set;

/* The limits that a policy puts on a kernel; zeros: none. */
typedef struct aqsim_grid_limits {
  uint32_t per_cu;  /* at most so many of it on a compute unit */
  uint32_t budget;  /* and so many at a time; dealt to the complexes, at least
                       one each */
  uint32_t padding; /* for so many more others leave room on each of its
                       compute units */
} aqsim_grid_limits;

/* The dispatcher's view of a kernel. Borrowed for the call. */
typedef struct aqsim_grid_desc {
  aq_time start;       /* when it reaches the dispatcher, later than any look */
  uint64_t workgroups; /* at least 1 */
  aq_resources need;   /* of each */
  unsigned rank;       /* lower ones go first */
  const aqsim_cu_set *cus;
  /* How long a workgroup runs when there are n of them on its compute unit:
   * latency[n - 1], the last one for more. They need not be more than one; at
   * least as many as fit if they are. */
  const aq_time *latency;
  uint32_t latency_count;
  aq_time contained; /* of that is no run of the workgroup */
  aqsim_grid_limits limits;
  void *user; /* for the watcher */
} aqsim_grid_desc;

/* A workgroup that started or ended. */
typedef struct aqsim_workgroup_note {
  void *user; /* of its grid */
  uint32_t cu;
  bool started;
} aqsim_workgroup_note;

/* An observer of single workgroups, which may also place them. It must look at
 * the dispatcher whenever aqsim_dispatcher_next() says. */
typedef struct aqsim_watch {
  /* The compute unit of a workgroup that may start now, UINT32_MAX: none;
   * NULL: the dispatcher's own. */
  uint32_t (*place)(void *watcher, aqsim_grid *grid, void *user);
  void *watcher;
  bool single;   /* no closed forms: it asks for each workgroup */
  bool placing;  /* it is being asked: nothing happens meanwhile */
  bool notes_on; /* notes are taken */
  aqsim_workgroup_note *notes;
  size_t count, capacity;
  bool lost; /* notes, for lack of memory */
} aqsim_watch;

/* Workgroups that were made to stop. */
typedef struct aqsim_stopped {
  uint64_t workgroups;
  aq_time ran; /* by workgroups that start anew, up to now */
} aqsim_stopped;

/* What of a grid is so. */
typedef struct aqsim_grid_state {
  uint64_t workgroups, issued, finished, running;
  aq_time used;    /* that its workgroups ran */
  aq_time drained; /* when the running workgroups have ended */
} aqsim_grid_state;

/* A compute unit as one grid sees it. */
typedef struct aqsim_cu_room {
  uint32_t free, mine, other; /* workgroups */
} aqsim_cu_room;

/* The device's current activity. */
typedef struct aqsim_dispatcher_sample {
  uint64_t dispatched; /* workgroups, ever */
  uint64_t running;    /* workgroups */
  uint64_t waves;      /* of them */
  uint32_t busy;       /* compute units with at least one */
} aqsim_dispatcher_sample;

/* NULL: out of memory. The model is borrowed for the call. */
aqsim_dispatcher *aqsim_dispatcher_create(const aqsim_model *model);
void aqsim_dispatcher_destroy(aqsim_dispatcher *dispatcher);

/* Usage of the grid that ended last: time of its workgroups. */
aq_time aqsim_dispatcher_used(const aqsim_dispatcher *dispatcher);

/* The bits of `set` that are not in `less`; false: there are none. */
bool aqsim_cu_set_less(const aqsim_cu_set *set, const aqsim_cu_set *less,
                       aqsim_cu_set *out);

/* Every compute unit of the device. */
void aqsim_cu_set_fill(const aqsim_model *model, aqsim_cu_set *set);
void aqsim_cu_set_add(const aqsim_model *model, aqsim_cu_set *set, uint32_t cu);

/* NULL: out of memory. */
aqsim_grid *aqsim_grid_submit(aqsim_dispatcher *dispatcher,
                              const aqsim_grid_desc *desc);

/* The earliest time at which it may have ended; never too late. */
aq_time aqsim_grid_next(const aqsim_grid *grid);

/* True: it has ended, having run from *first to *end, and is no more; *end is
 * `now` if it was looked at as aqsim_grid_next() said. False: it has not; look
 * again at aqsim_grid_next(). */
bool aqsim_grid_scan(aqsim_grid *grid, aq_time now, aq_time *first,
                     aq_time *end);

/* How many of its workgroups fit on a compute unit, and what limits that. */
uint32_t aqsim_grid_room(const aqsim_grid *grid, aq_resource *limit);

/* None of its workgroups starts until it is released; running ones continue.
 * There is no time to look meanwhile. */
void aqsim_grid_hold(aqsim_grid *grid, aq_time now);
void aqsim_grid_release(aqsim_grid *grid, aq_time now);

/* From the next workgroup on it runs on these. Workgroups that wait at a
 * complex with none of them are dealt to the others. The time to look may move
 * earlier. */
void aqsim_grid_mask(aqsim_grid *grid, aq_time now, const aqsim_cu_set *cus);

/* How many of it may run at once from now on. The time to look may come
 * earlier. */
void aqsim_grid_budget(aqsim_grid *grid, aq_time now, uint32_t budget);

/* Workgroups that run on compute units of `where` (NULL: all) stop; with `save`
 * they later run for the time they had left, else they start anew. Their places
 * are free at `until`. They start again as soon as they may: hold or mask the
 * grid before. Callers that wait for another grid must ask again when to look.
 * False: out of memory, some may have stopped. */
bool aqsim_grid_stop(aqsim_grid *grid, aq_time now, const aqsim_cu_set *where,
                     bool save, aq_time until, aqsim_stopped *out);

void aqsim_grid_state_get(aqsim_grid *grid, aq_time now, aqsim_grid_state *out);

/* Running on compute units of `where`. */
uint64_t aqsim_grid_count_on(aqsim_grid *grid, aq_time now,
                             const aqsim_cu_set *where, aq_time *drained);

/* What there is room for of a grid (NULL: one that is not submitted yet) whose
 * workgroups need so much, `most` of them on a compute unit; one entry for each
 * compute unit of the device. */
void aqsim_dispatcher_rooms(aqsim_dispatcher *dispatcher, aq_time now,
                            const aqsim_grid *grid, const aq_resources *need,
                            uint32_t most, const aqsim_cu_set *cus,
                            aqsim_cu_room *out);

/* From now on workgroups are counted by compute unit, and `watch` is asked and
 * told. Borrowed; before the first grid. */
void aqsim_dispatcher_watch(aqsim_dispatcher *dispatcher, aqsim_watch *watch);

/* When a workgroup starts or ends next, as far as can be known; AQ_TIME_MAX:
 * never. Lets everything up to `now` happen. */
aq_time aqsim_dispatcher_next(aqsim_dispatcher *dispatcher, aq_time now);

/* A watcher that had no compute unit for some is to be asked again. */
void aqsim_dispatcher_ask(aqsim_dispatcher *dispatcher, aq_time now);

/* Its running workgroups vanish at `now`, the others never start. */
void aqsim_grid_cancel(aqsim_grid *grid, aq_time now);

/* The state at `now`, including workgroups that start then. */
void aqsim_dispatcher_scan(aqsim_dispatcher *dispatcher, aq_time now,
                           aqsim_dispatcher_sample *out);

#endif
