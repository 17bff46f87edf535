/* SPDX-License-Identifier: MIT */
/* Happens-before among the waves of one dispatch. Within check only; under the
 * checker's lock. */
#ifndef AQ_GPU_CHECK_RACE_SYNCHRONISATION_H
#define AQ_GPU_CHECK_RACE_SYNCHRONISATION_H

#include "gpu/check/race/races.h"

/* A wave released its accesses when another one observed its atomic: of its
 * own up to a clock, of its workgroup's other waves those below `base`. */
typedef struct aq_sync_release {
  uint64_t time; /* in the dispatch */
  uint64_t memory, shared, base;
  uint32_t wave;
} aq_sync_release;

typedef struct aq_sync_wave {
  uint64_t clock; /* of its next access */
  uint64_t open;  /* of the first store that was not waited for; 0: none */
  /* Atomics from behind `late_from` up to `late_to` were stored before the
   * stores since late_from were waited for: the last such wait. */
  uint64_t late_from, late_to;
  /* Times of releases: that its read-modify-writes pass on, that it read the
   * value of, and that its loads of cached lines are behind. */
  uint64_t passed, seen, acquired;
  uint64_t near; /* as `seen`, of its workgroup, by loads that may be atomics */
  uint8_t stale; /* caches to be invalidated before they are equal */
  bool touched, flagged; /* at its clock: an access, an atomic */
  bool unwritten;        /* stores that no write-back covers */
  bool invalidated;      /* since its last global barrier */
  uint64_t met;          /* base of the last barrier that it passed */
  uint64_t arrived;      /* clock of its arrival at the next one; 0: not yet */
  /* From this clock on its accesses came behind its arrival at the barrier of
   * that base, which opened later; 0: none below the base. */
  uint64_t between, between_base;
  bool vague; /* it read a value of a workgroup that is not known any more */
  uint64_t updated[4]; /* words that it changed by atomics, the last ones */
  uint8_t updated_at;
} aq_sync_wave;

/* A workgroup: it stays until the dispatch ends if others may name it. */
struct aq_sync_group {
  uint64_t number;
  uint64_t base, before; /* clocks behind its last barrier, and the one before
                          */
  /* Of the last barrier, for each wave that passes it. */
  uint64_t seen, acquired, near;
  uint8_t stale;
  bool vague;
  uint64_t carried;    /* time that its atomics pass on, when it ended */
  aq_sync_wave *waves; /* NULL: it ended, and all stores were waited for */
  uint32_t wave_count;
  bool marked; /* an atomic may have been observed */
  aq_sync_release *log;
  uint32_t count, capacity;
};

/* Whether an earlier access of the dispatch comes before the one under way. */
bool aq_sync_is_before(const aq_current_access *d, aq_check_epoch e);

/* What orders one of another workgroup lacks. */
const char *aq_sync_missing(const aq_current_access *d, aq_check_epoch e);

/* The access under way reads a value that an atomic stored. */
void aq_sync_observe(aq_current_access *d, aq_check_epoch e,
                     aq_wave_access_info_kind how);

/* It reads the value of an atomic of its own wave, which may have had no
 * result. */
void aq_sync_reread(const aq_current_access *d);

/* The clock of an access that the wave is about to make. */
uint64_t aq_sync_access(aq_wave *w, const aq_check_site *site,
                        const aq_wave_access_info *touch);

/* Whether the wave changed the word by an atomic before. */
bool aq_sync_updated(const aq_wave *w, uint64_t address);

#endif
