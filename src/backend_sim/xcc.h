/* SPDX-License-Identifier: MIT */
/*
 * The dispatcher of one accelerator complex. Included by dispatcher.c.
 *
 * A part is what of a grid was dealt to the complex. At one instant first
 * workgroups end, then parts arrive, then workgroups start: one, then the next
 * `interval` later. Of the parts that have room, those of the lowest rank
 * number, and of them the next in the order of submission after the one served
 * last, goes on; its workgroup goes to the first compute unit with room at or
 * after the one that follows the last one used.
 *
 * The complex is `alone` while one part has it to itself from an empty start:
 * then nothing is kept of single workgroups. When another part arrives, they
 * are made of the closed form.
 */
#ifndef AQSIM_XCC_H
#define AQSIM_XCC_H

#include "backend_sim/cohort.h"
#include "backend_sim/dispatcher.h"

typedef struct aqsim_part aqsim_part;
typedef struct aqsim_xcc aqsim_xcc;

/* A full wave of workgroups, and the rest. */
enum { AQSIM_BODY, AQSIM_TAIL, AQSIM_CLASSES };

/* A workgroup that runs; in the order of their ends. Indices, 0: none. */
typedef struct aqsim_workgroup {
  aq_time end;
  uint32_t next;
  uint32_t cu;
} aqsim_workgroup;

struct aqsim_part {
  aqsim_part *next; /* in the order of (start, submission) */
  aqsim_grid *grid;
  aqsim_xcc *xcc;
  uint64_t left[AQSIM_CLASSES]; /* have not started */
  aq_time duration[AQSIM_CLASSES];
  uint32_t first[AQSIM_CLASSES], last[AQSIM_CLASSES]; /* running */
  uint32_t running;
  bool open;    /* in the complex's list: not ended */
  bool arrived; /* at the complex */
  aq_time end;  /* of the workgroup that ends last, of those that started */
  uint32_t cu_count;
  aqsim_cu_bits cus, room; /* it may use; have room for one more of them */
};

struct aqsim_xcc {
  aq_time now;      /* everything up to it has happened */
  aq_time interval; /* between two starts */
  aq_time free;     /* earliest next start */
  uint64_t turn;    /* submission number of the grid served last */
  uint32_t cu_count, words;
  uint32_t pointer; /* compute unit that is tried first */
  aqsim_part *parts;
  aqsim_part *alone;    /* has the complex to itself, or NULL */
  aqsim_cohort cohort;  /* its workgroups */
  uint32_t cohort_rank; /* of its compute units: where the first one went */
  aqsim_resources *cus;
  aqsim_workgroup *workgroups; /* workgroups[0] is none */
  uint32_t spare;              /* first of those not in use */
  uint32_t fresh, capacity;    /* never used yet; number of all */
  uint64_t dispatched;
};

struct aqsim_grid {
  aqsim_dispatcher *dispatcher;
  aqsim_grid *next;          /* free ones */
  uint64_t number;           /* of submission */
  aq_time start, first, end; /* first start, last end of workgroups so far */
  bool held;                 /* none of them starts */
  aqsim_resources need;
  unsigned rank;
  uint32_t most; /* on one empty compute unit */
  uint32_t open; /* parts that have not ended */
  aqsim_part parts[];
};

/* False: out of memory. fini is right in any case. */
bool aqsim_xcc_init(aqsim_xcc *xcc, const aqsim_model *model, uint32_t cus);
void aqsim_xcc_fini(aqsim_xcc *xcc);

/* Adds a part whose counts, durations and compute units are set. */
void aqsim_part_open(aqsim_part *part);

/* Lets everything up to and including `time` happen. */
void aqsim_xcc_advance(aqsim_xcc *xcc, aq_time time);

/* The earliest end of an open part, whatever else comes; after an advance to
 * its complex's `now`. */
aq_time aqsim_part_next(const aqsim_part *part);

/* Single workgroups are needed of it, everything up to `now` having happened.
 */
void aqsim_part_divide(aqsim_part *part);

/* Changes the compute units of an open part, from the next start on. */
void aqsim_part_mask(aqsim_part *part, const aqsim_cu_bits *cus);

/* What has not started will not; what runs vanishes. */
void aqsim_part_cancel(aqsim_part *part);

/* Ends an open part that has nothing left and nothing running. */
void aqsim_part_close(aqsim_part *part);

/* Adds what is so at `now`. */
void aqsim_xcc_look(const aqsim_xcc *xcc, aqsim_dispatcher_sample *out);

#endif
