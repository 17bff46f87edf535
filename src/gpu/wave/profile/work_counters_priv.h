/* SPDX-License-Identifier: MIT */
/* What work_counters.c, work_counters_run.c and counting_rows.c share. */
#ifndef AQ_GPU_WAVE_PROFILE_WORK_COUNTERS_PRIV_H
#define AQ_GPU_WAVE_PROFILE_WORK_COUNTERS_PRIV_H

#include "common/map.h"
#include "gpu/wave/core/work_counters.h"
#include "gpu/wave/profile/caches.h"

enum {
  AQ_WAVE_WINDOWS = 3,
  AQ_WAVE_OUTSTANDING = 64, /* accesses of a wave, as its counters count */
  AQ_WAVE_FOOTPRINT = 64,   /* allocations */
  AQ_WAVE_GROUP_PAGES = 256,
};

/* Where an access is answered; the order of the fields waits_l1 and so on. */
typedef enum aq_wave_place {
  AQ_WAVE_AT_L1,
  AQ_WAVE_AT_L2,
  AQ_WAVE_AT_FAR,
  AQ_WAVE_AT_STORE,
  AQ_WAVE_AT_LDS,
  AQ_WAVE_AT_SMEM,
  AQ_WAVE_PLACES
} aq_wave_place;

/* A row that was kept, with the texts of its names. */
typedef struct aq_wave_counted_row {
  aq_counted row;
  int64_t kernel; /* of `names` */
  int64_t gfx;
} aq_wave_counted_row;

/* Dispatches that are alike: of a kernel, its grid and LDS, and perhaps its
 * arguments but for pointers. */
typedef struct aq_wave_known {
  size_t row;        /* of the last that was counted */
  aq_time time;      /* of it */
  uint64_t seen;     /* dispatches */
  uint64_t next;     /* the number of the next one that is counted anyway */
  uint32_t agreeing; /* that were counted in a row with about that time */
  int64_t enough;    /* instructions that were to be counted */
} aq_wave_known;

#define AQ_WAVE_UNKNOWN SIZE_MAX /* in place of one */

struct aq_wave_counting {
  aq_wave_counting_options options;
  aq_names names;
  aq_map by_hash; /* of rows: equal ones are one */
  aq_wave_counted_row *rows;
  size_t count, capacity;
  uint32_t serial;   /* of grids */
  uint64_t included; /* workgroup + 1; 0: none */
  bool done;         /* the rows were put */
  int64_t executed;  /* instructions of all dispatches. Atomic */
  int64_t spent;     /* counted ones */
  aq_map known_by_hash;
  aq_wave_known *known;
  size_t known_count, known_capacity;
};

/* The accesses of a wave that it did not wait for, oldest first. */
typedef struct aq_wave_queue {
  int64_t done[AQ_WAVE_OUTSTANDING]; /* when, in cycles of the wave */
  uint8_t place[AQ_WAVE_OUTSTANDING];
  unsigned first, count;
} aq_wave_queue;

typedef struct aq_wave_timeline {
  int64_t now;                 /* cycles, with nominal latencies */
  aq_wave_queue vector, other; /* vmcnt, lgkmcnt */
} aq_wave_timeline;

struct aq_wave_group_tally {
  aq_wave_cache l1;
  uint64_t pages[AQ_WAVE_GROUP_PAGES]; /* + 1; seen, by their low bits */
  uint64_t xcc;
  int64_t issued;
  bool cut;
  aq_wave_timeline waves[]; /* of the group */
};

struct aq_work_counters {
  aq_wave_counting *counting;
  aq_counted sum;
  int64_t waits[AQ_WAVE_PLACES];
  uint32_t serial;
  uint64_t windows[AQ_WAVE_WINDOWS]; /* first workgroup of each */
  unsigned window_count, window;     /* the sets are of this window */
  uint64_t window_size;
  unsigned l1_sets;
  aq_wave_set lines, pages;
  uint64_t bases[AQ_WAVE_FOOTPRINT]; /* of allocations */
  unsigned base_count;
  int64_t active, ended;  /* counted workgroups, instructions of ended ones */
  int64_t enough;         /* instructions to count */
  unsigned closed;        /* windows that have ended */
  int64_t beyond;         /* instructions of cut workgroups, after the cut */
  size_t exact, loose;    /* dispatches alike: repeats.c */
  unsigned held;          /* turns */
  double cycles, squares; /* of workgroups, and of their squares */
};

/* One access to memory of lanes. */
aq_wave_place aq_work_counters_access(aq_wave *w, const aq_wave_op *o);

/* Ends the counting of a workgroup that has executed half of the instructions
 * to count: the rest is taken to be alike. */
void aq_work_counters_cut(aq_wave_group *group);

/* Whether a dispatch takes the time of counted dispatches, of *known; otherwise
 * it is like the dispatches of *exact and *loose (repeats.c). `enough`
 * instructions would be counted of it. */
bool aq_work_repeats_find(aq_wave_counting *counting, aq_wave_grid *grid,
                          int64_t enough, size_t *exact, size_t *loose,
                          size_t *known);

/* A dispatch was counted, took `time` and has the row. */
void aq_work_repeats_add(aq_wave_counting *counting,
                         const aq_work_counters *tally, size_t row,
                         aq_time time);

#endif
