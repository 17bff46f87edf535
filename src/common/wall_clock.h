/* SPDX-License-Identifier: MIT */
/* The wall clock that timeouts and host costs count on: monotonic, in
 * nanoseconds, with any origin. Thread rule: any thread. */
#ifndef AQ_COMMON_WALL_CLOCK_H
#define AQ_COMMON_WALL_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t aq_wall_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
