/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/observe/recorder.h"

#include <stdlib.h>

/* Rows that the first-level cache holds: they are read at once again. */
enum { BATCH = 32 };

aq_status aqsim_recorder_init(aqsim_recorder *recorder, aq_record_sink *sink,
                              aq_diag *diag)
{
  *recorder = (aqsim_recorder){.sink = sink};
  if (!sink)
    return AQ_OK;
  recorder->rows = malloc(BATCH * sizeof *recorder->rows);
  if (recorder->rows)
    return AQ_OK;
  return aq_diag_no_memory(diag);
}

void aqsim_recorder_fini(aqsim_recorder *recorder)
{
  aqsim_recorder_flush(recorder);
  free(recorder->rows);
  free(recorder->samples);
  recorder->rows = NULL;
  recorder->samples = NULL;
  recorder->sink = NULL;
}

aq_record *aqsim_recorder_row(aqsim_recorder *recorder)
{
  if (recorder->count == BATCH)
    aqsim_recorder_flush(recorder);
  aq_record *row = &recorder->rows[recorder->count++];
  aq_record_init(row);
  return row;
}

static aq_status flush_samples(aqsim_recorder *recorder)
{
  size_t count = recorder->sample_count;
  recorder->sample_count = 0;
  if (count == 0 || recorder->failure.status != AQ_OK)
    return recorder->failure.status;
  aq_status status = recorder->sink->put_counters(
      recorder->sink, recorder->samples, count, &recorder->failure);
  recorder->failure.status = status;
  return status;
}

void aqsim_recorder_sample(aqsim_recorder *recorder, aq_sample sample)
{
  if (!recorder->samples)
    recorder->samples = malloc(BATCH * sizeof *recorder->samples);
  if (!recorder->samples) {
    recorder->failure.status = aq_diag_no_memory(&recorder->failure);
    return;
  }
  if (recorder->sample_count == BATCH)
    flush_samples(recorder);
  recorder->samples[recorder->sample_count++] = sample;
}

aq_status aqsim_recorder_flush(aqsim_recorder *recorder)
{
  size_t count = recorder->count;
  recorder->count = 0;
  if (count > 0 && recorder->failure.status == AQ_OK)
    recorder->failure.status = recorder->sink->put(
        recorder->sink, recorder->rows, count, &recorder->failure);
  return flush_samples(recorder);
}
