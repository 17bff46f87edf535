/* SPDX-License-Identifier: MIT */
/*
 * The recorder: rows on their way to the record sink, in batches.
 *
 * Rows are made when packets and copies complete, in that order, and handed
 * over when the batch is full and before time-moving operations return. After
 * an error of the sink nothing more is handed over. Without a sink nothing is
 * done at all.
 */
#ifndef AQSIM_RECORDER_H
#define AQSIM_RECORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/record.h"

typedef struct aqsim_recorder {
  aq_record_sink *sink; /* NULL: none */
  aq_record *rows;
  size_t count;
  aq_sample *samples; /* made with the first one */
  size_t sample_count;
  aq_diag failure; /* of the sink; AQ_OK while there is none */
} aqsim_recorder;

/* `sink` is borrowed until fini, and may be NULL. */
aq_status aqsim_recorder_init(aqsim_recorder *recorder, aq_record_sink *sink,
                              aq_diag *diag);

/* Hands over the remaining records. */
void aqsim_recorder_fini(aqsim_recorder *recorder);

static inline bool aqsim_recorder_on(const aqsim_recorder *recorder)
{
  return recorder->sink != NULL;
}

/* The next row, every field unknown; valid until the next call. */
aq_record *aqsim_recorder_row(aqsim_recorder *recorder);

/* A sample; the sink has put_counters. */
void aqsim_recorder_sample(aqsim_recorder *recorder, aq_sample sample);

/* Hands over what there is. Returns the first error the sink ever gave. */
aq_status aqsim_recorder_flush(aqsim_recorder *recorder);

#endif
