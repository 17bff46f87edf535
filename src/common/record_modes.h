/* SPDX-License-Identifier: MIT */
/*
 * Profiling modes: names for parts of a run to keep (record_modes.def). Pure.
 */
#ifndef AQ_COMMON_RECORD_MODES_H
#define AQ_COMMON_RECORD_MODES_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"

typedef enum aq_profiling_mode {
#define M(id, name, meaning) AQ_PROFILING_##id,
#include "record_modes.def"
#undef M
  AQ_PROFILING_COUNT
} aq_profiling_mode;

/* The settings of a run that follow from the modes. */
typedef struct aq_profiling {
  unsigned modes;     /* 1 << aq_profiling_mode */
  const char *record; /* for aq_record_filter_read; static or as it was given */
  bool code;          /* counts of instructions */
  bool traces;        /* steps of traced waves */
} aq_profiling;

/* Reads modes with commas between them, or "all"; NULL: none. `record` is the
 * value of --record, NULL: not given. AQ_ERR_INPUT names the modes that there
 * are; AQ_ERR_INVALID: both choose rows. */
aq_status aq_profiling_read(const char *text, const char *record,
                            aq_profiling *out, aq_diag *diag);

/* The wave whose steps are kept, as --trace-isa chooses it (NULL: not given);
 * NULL: of none. */
const char *aq_profiling_traced(const aq_profiling *profiling,
                                const char *chosen);

/* The modes of events alone, of a list of their names; 0: it is none. */
unsigned aq_profiling_events_read(const char *text);

/* Whether one of the events is a row of the kind. */
bool aq_profiling_events_have(unsigned events, int64_t kind);

/* The list of the events that aq_profiling_events_read reads; static. */
const char *aq_profiling_events_text(unsigned events);

#endif
