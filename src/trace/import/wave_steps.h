/* SPDX-License-Identifier: MIT */
/*
 * Traced waves of a run: for each its steps, and where it lies on the timeline
 * of its dispatch. One thread at a time.
 */
#ifndef AQ_TRACE_IMPORT_WAVE_STEPS_H
#define AQ_TRACE_IMPORT_WAVE_STEPS_H

#include "trace/import/trace.h"

typedef struct aq_traced_wave {
  const aq_traced *steps; /* borrowed from the source */
  size_t count;
  int64_t queue; /* ordinal, or AQ_NONE: the run does not have it */
  aq_time start; /* of its dispatch, or AQ_TIME_NONE */
} aq_traced_wave;

/* All zero: none. */
typedef struct aq_step_reader {
  aq_traced_wave *list; /* by dispatch */
  size_t count, capacity;
} aq_step_reader;

/* The source's waves; on errors there is nothing to free. */
aq_status aq_step_reader_open(aq_trace_source *source, aq_step_reader *out,
                              aq_diag *diag);
void aq_step_reader_fini(aq_step_reader *waves);

/* Takes the start of the waves whose dispatch the row is. */
void aq_step_reader_meet(aq_step_reader *waves, const aq_record *row);

/* The begin of a step, or of the one behind the last; AQ_TIME_NONE where the
 * dispatch or the clock is not known. */
aq_time aq_traced_wave_time(const aq_traced_wave *wave, size_t step);

#endif
