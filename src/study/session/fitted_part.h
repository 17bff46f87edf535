/* SPDX-License-Identifier: MIT */
/*
 * Constants of a device model that were fitted to a part of the run that is
 * replayed, and are not scored on it (study/calibrate/part_fit.h). Texts are
 * static.
 */
#ifndef AQ_STUDY_SESSION_FITTED_PART_H
#define AQ_STUDY_SESSION_FITTED_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/json_out.h"
#include "common/notes.h"
#include "common/time.h"
#include "study/session/replay_clock.h"

enum { AQ_FITTED_CONSTANTS = 8, AQ_FITTED_TEXT = 64 };

typedef struct aq_fitted_constant {
  const char *key;
  aq_time was, value;
  int64_t samples;   /* AQ_NONE: of the launches, where they step up */
  bool at_least;     /* the part shows less than it can be: it is 0 */
  char why_not[120]; /* why the model's value stays, or "" */
} aq_fitted_constant;

typedef struct aq_fitted_part {
  char asked[AQ_FITTED_TEXT]; /* "first=20%" */
  aq_time from, until;        /* rows of the replayed run that start in it */
  int64_t rows, of;           /* kernels, copies and fills; of all of them */
  int64_t extended_from;      /* rows of the part asked for; 0: `rows` */
  int64_t launches;           /* onto an idle queue, that made it longer */
  aq_replay_clock clock;      /* as the part shows it */
  aq_fitted_constant constants[AQ_FITTED_CONSTANTS];
  size_t count;
} aq_fitted_part;

enum { AQ_FITTED_NAME = AQ_FITTED_TEXT + 40 };

/* "first=20%", "first=20% and on to the tenth idle launch". */
void aq_fitted_part_name(const aq_fitted_part *part, char name[AQ_FITTED_NAME]);

void aq_fitted_part_note(const aq_fitted_part *part, const aq_notes *notes);
/* Writes a member "fit" of an open object. */
void aq_fitted_part_json(const aq_fitted_part *part, aq_json_out *json);

#endif
