/* SPDX-License-Identifier: MIT */
/* Races: the access under way, and its report. Within check only; under the
 * checker's lock. */
#ifndef AQ_GPU_CHECK_RACE_RACES_H
#define AQ_GPU_CHECK_RACE_RACES_H

#include "gpu/check/core/core.h"

/* How the access under way changed the state of a word. */
typedef struct aq_check_change {
  uint32_t from, to;
  uint8_t mask; /* bytes of the word; 0: none */
} aq_check_change;

enum { AQ_CHECK_CHANGES = 8 };

/* The access under way. */
typedef struct aq_current_access {
  aq_check *check;
  aq_check_grid *grid; /* NULL: a copy or the host */
  aq_wave *wave;
  const aq_hb_event *act;
  aq_check_bits bits; /* of `act` */
  aq_check_epoch me;
  uint32_t site;
  aq_wave_access_info_kind kind;
  bool shared;   /* LDS */
  bool coherent; /* it passes the caches that may be stale */
  int lane;
  unsigned lanes, bytes;
  uint64_t address; /* of the lane's access */
  /* Lanes whose places are adjacent: the first one, and the word at work. */
  bool row;
  uint64_t least, place;
  aq_access_history *states;
  aq_check_change changes[AQ_CHECK_CHANGES]; /* by `from` */
  uint32_t made;                             /* state that it made last, or 0 */
  bool reported;                             /* in the change under way */
} aq_current_access;

/* How sure it is that the access under way and an unordered one conflict. */
typedef enum aq_check_certainty {
  AQ_CHECK_ATOMICS, /* both are atomics: they do not */
  AQ_CHECK_UNSURE,  /* both may be */
  AQ_CHECK_SURE,
} aq_check_certainty;

aq_check_certainty aq_check_certainty_of(const aq_current_access *d,
                                         aq_check_epoch e, uint32_t site,
                                         aq_wave_access_info_kind how);

/* Reports another access that it conflicts with, or that comes before it but is
 * not visible to it (`unfenced`). */
void aq_check_race_report(aq_current_access *d, aq_check_epoch e, uint32_t site,
                          aq_wave_access_info_kind how, bool unfenced);

#endif
