/* SPDX-License-Identifier: MIT */
/*
 * The bandwidth of a device's memory, shared by whoever moves bytes: kernels
 * with a roofline and copies.
 *
 * A flow is work that takes `time` when nothing holds it up and moves `rate`
 * bytes a second meanwhile. When all flows together want more than there is,
 * what there is is shared evenly: each gets what it wants or an equal share,
 * whichever is less, and one that gets part of what it wants goes on at that
 * part of its speed. Speeds are multiples of 2^-32, rounded down; work is kept
 * in that unit of a picosecond, so that ends are exact integers and a flow that
 * is never held up ends after `time` precisely.
 *
 * Flows are their users' storage. One event a device, which its owner reserves.
 */
#ifndef AQSIM_BANDWIDTH_H
#define AQSIM_BANDWIDTH_H

#include "backend_sim/calendar.h"

typedef struct aqsim_bytes aqsim_bytes;
struct aqsim_bytes {
  void (*done)(aqsim_bytes *bytes); /* at the end, AQSIM_AT_END */
  int64_t rate;                     /* bytes a second it wants */
  /* Kept by the functions below. */
  aqsim_bytes *next;
  uint64_t speed;
  unsigned __int128 left;
};

typedef struct aqsim_bandwidth {
  aqsim_event event; /* first */
  aqsim_calendar *calendar;
  const aq_time *now;
  int64_t rate; /* bytes a second there are */
  aqsim_bytes *first, *last;
  aq_time since; /* `left` is as of then */
  aq_time due;   /* of the event, AQ_TIME_MAX: it is not pending */
} aqsim_bandwidth;

enum { AQSIM_BANDWIDTH_EVENTS = 1 };

void aqsim_bandwidth_init(aqsim_bandwidth *bandwidth, aqsim_calendar *calendar,
                          const aq_time *now, int64_t rate);

/* A flow begins now; `done` and `rate` are set. */
void aqsim_bytes_begin(aqsim_bandwidth *bandwidth, aqsim_bytes *bytes,
                       aq_time time);

/* It ends now, without `done`. */
void aqsim_bytes_cancel(aqsim_bandwidth *bandwidth, aqsim_bytes *bytes);

#endif
