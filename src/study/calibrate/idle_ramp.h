/* SPDX-License-Identifier: MIT */
/*
 * How a latency grows with the idle time before it. One thread.
 */
#ifndef AQ_STUDY_CALIBRATE_IDLE_RAMP_H
#define AQ_STUDY_CALIBRATE_IDLE_RAMP_H

#include <stddef.h>

#include "study/calibrate/run_rows.h"

/* Launches in rising order of idle time (key), as far as they are beyond
 * `from`: n of them, and quantiles of what their latency (value) grows by with
 * each doubling, as pairs of groups of launches show it. A falling latency
 * grows by 0. `scratch` has room for `count`. */
aq_calibrate_sample aq_calibrate_ramp(const aq_calibrate_pair *launches,
                                      size_t count, aq_time from,
                                      aq_time *scratch);

#endif
