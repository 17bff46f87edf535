/* SPDX-License-Identifier: MIT */
/*
 * Gaps between queued kernels by the name and grid of the kernel before them,
 * over the runs of a calibration. One thread.
 */
#ifndef AQ_STUDY_CALIBRATE_GAPS_H
#define AQ_STUDY_CALIBRATE_GAPS_H

#include <stdbool.h>
#include <stdio.h>

#include "common/json_out.h"
#include "study/calibrate/samples.h"

typedef struct aq_calibrate_gaps aq_calibrate_gaps;

/* Keeps a gap; false when out of memory. *gaps begins as NULL. */
bool aq_calibrate_gap_add(aq_calibrate_gaps **gaps, const char *name,
                          int64_t grid, aq_time gap);
void aq_calibrate_gaps_free(aq_calibrate_gaps *gaps);

/* How many kernels were seen, and how many of them often enough. */
size_t aq_calibrate_gaps_seen(const aq_calibrate_gaps *gaps);
size_t aq_calibrate_gaps_count(const aq_calibrate_gaps *gaps);

/* The lines of a device model (doc/formats/device.md) for kernels that were
 * seen often enough; `runs` names the runs in their sources. Sorts the gaps. */
void aq_calibrate_gaps_write(aq_calibrate_gaps *gaps, const char *runs,
                             FILE *out);

/* The same as a member "gaps". */
void aq_calibrate_gaps_json(aq_calibrate_gaps *gaps, aq_json_out *json);

#endif
