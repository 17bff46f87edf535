/* SPDX-License-Identifier: MIT */
/*
 * The dispatcher of one accelerator complex: a part of dispatcher.h.
 *
 * A part is the share of a grid that was dealt to the complex. At one instant
 * first workgroups end, then parts arrive, then workgroups start: one, then the
 * next `interval` later. The next workgroup comes from the parts with room and
 * the lowest rank number, round robin in the order of submission; it goes to
 * the first compute unit with room at or
 *
 * The complex is `alone` while one part has it to itself from an empty start:
 * then nothing is kept of single workgroups. When another part arrives, they
 * are made of the closed form.
 */
#ifndef AQSIM_XCC_H
#define AQSIM_XCC_H

#include "backend_sim/dispatch/cohort.h"
#include "backend_sim/dispatch/dispatcher.h"

typedef struct aqsim_part aqsim_part;
typedef struct aqsim_xcc aqsim_xcc;

/* A full wave of workgroups, and the rest: AQSIM_FRESH classes of workgroups
 * from their beginning. Saved workgroups continue first, the one with the least
 * to run before the others, so that ends are in the order of starts. */
enum {
  AQSIM_BODY,
  AQSIM_TAIL,
  AQSIM_FRESH,
  AQSIM_SAVED = AQSIM_FRESH,
  AQSIM_LEAVING, /* stopped, and keep their place until their state is saved */
  AQSIM_CLASSES
};

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
  aq_time duration[AQSIM_FRESH];
  uint32_t first[AQSIM_CLASSES], last[AQSIM_CLASSES]; /* running */
  uint32_t running; /* leaving ones included */
  uint32_t leaving;
  bool open;    /* in the complex's list: not ended */
  bool arrived; /* at the complex */
  aq_time end;  /* the latest end of the started workgroups */
  uint32_t cu_count;
  aqsim_cu_bits cus, room; /* it may use; have room for one more of them */
  aq_time issued;          /* what workgroups that started run, in all */
  uint32_t budget;         /* may run at once; 0: no limit */
  uint16_t *mine;          /* running, by compute unit; NULL: not counted */
  aq_time *saved;          /* what saved workgroups have to run, ascending */
  uint32_t saved_first, saved_capacity;
  bool refused; /* no compute unit was good enough; until something changes */
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
  aq_resources *cus;
  aqsim_workgroup *workgroups; /* workgroups[0] is none */
  uint32_t ordinal, stride;    /* compute unit n is ordinal + n * stride */
  uint32_t padded;             /* parts for which others leave room */
  aqsim_watch *watch;          /* NULL: workgroups need not be single */
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
  aq_resources need;
  unsigned rank;
  uint32_t most; /* on one compute unit */
  uint32_t open; /* parts that have not ended */
  uint64_t workgroups;
  aqsim_grid_limits limits;
  uint16_t *mine; /* of all parts; owned, kept with the place */
  void *user;
  aqsim_part parts[];
};

/* False: out of memory. fini is right in any case. */
bool aqsim_xcc_init(aqsim_xcc *xcc, const aqsim_model *model, uint32_t cus);
void aqsim_xcc_fini(aqsim_xcc *xcc);

/* Adds a part whose counts and durations are set, to go to compute units of
 * `cus`. */
void aqsim_part_open(aqsim_part *part, const aqsim_cu_bits *cus);

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

/* How many may run at once; 0: no limit. */
void aqsim_part_budget(aqsim_part *part, uint32_t budget);

/* Running workgroups on compute units of `where` (NULL: all) stop: with `save`
 * they still have to run the time they had left, else they start anew. Their
 * places are free at `until`. False: out of memory, and nothing changed. */
bool aqsim_part_stop(aqsim_part *part, const aqsim_cu_bits *where, bool save,
                     aq_time until, aqsim_stopped *out);

/* Takes saved workgroups of another part of the grid. False: out of memory. */
bool aqsim_part_adopt(aqsim_part *part, aqsim_part *from);

/* When something happens next if nothing else comes; AQ_TIME_MAX: never. */
aq_time aqsim_xcc_next(const aqsim_xcc *xcc);

/* How many more workgroups fit on a compute unit now, of a part (NULL: of no
 * present part), `most` of them in all. */
uint32_t aqsim_xcc_free(const aqsim_xcc *xcc, const aqsim_part *part,
                        const aq_resources *need, uint32_t most, uint32_t cu);

/* Drops the workgroups that have not started, and those running. */
void aqsim_part_cancel(aqsim_part *part);

/* Ends an open part that has nothing left and nothing running. */
void aqsim_part_close(aqsim_part *part);

/* Adds the state at `now`. */
void aqsim_xcc_scan(const aqsim_xcc *xcc, aqsim_dispatcher_sample *out);

#endif
