/* SPDX-License-Identifier: MIT */
/*
 * Times as users write them: "3.5us". Units: ps ns us (or µs) ms s. Pure
 * functions.
 */
#ifndef AQ_COMMON_TIME_TEXT_H
#define AQ_COMMON_TIME_TEXT_H

#include "time.h"
#include "transport.h"

typedef enum aq_time_reading {
  AQ_TIME_READ,
  AQ_TIME_MALFORMED,
  AQ_TIME_TOO_LONG, /* more than AQ_TIME_MAX / 16 */
} aq_time_reading;

/* A time of 0 or more with its unit. */
aq_time_reading aq_time_read(const char *text, aq_time *out);

/* "V" or "V/W": V of virtual time for W (1) of wall time, whole numbers from 1
 * to UINT32_MAX. False for anything else. */
bool aq_pace_read(const char *text, aq_pace *out);

#endif
