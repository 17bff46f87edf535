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

struct aq_wave_counting {
  aq_wave_counting_options options;
  aq_names names;
  aq_map by_hash; /* of rows: equal ones are one */
  aq_wave_counted_row *rows;
  size_t count, capacity;
  uint32_t serial;   /* of grids */
  uint64_t included; /* workgroup + 1; 0: none */
  bool done;         /* the rows were put */
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
  unsigned held;          /* turns */
  double cycles, squares; /* of workgroups, and of their squares */
};

/* One access to memory of lanes. */
aq_wave_place aq_work_counters_access(aq_wave *w, const aq_wave_op *o);

#endif
