/* SPDX-License-Identifier: MIT */
/*
 * The records of an import so far, to find records that its source has twice.
 *
 * A record is known by a digest of 128 bits, so that two different ones are
 * never taken for one. Memory: some 30 bytes a record, to the end of the
 * import. One thread at a time.
 */
#ifndef AQ_TRACE_REPEATS_H
#define AQ_TRACE_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"

typedef struct aq_repeats {
  aq_map known; /* half of a digest → the other half */
} aq_repeats;

void aq_repeats_fini(aq_repeats *repeats);

/* Notes a record by its values; *again: it was noted before. False: out of
 * memory. */
bool aq_repeats_note(aq_repeats *repeats, const int64_t *values, size_t count,
                     bool *again);

#endif
