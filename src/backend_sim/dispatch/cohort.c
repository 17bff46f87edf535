/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/dispatch/cohort.h"

aq_time aqsim_cohort_start(const aqsim_cohort *c, uint64_t index)
{
  const __int128 latest = AQ_TIME_MAX / 2;
  __int128 after;
  /* It waits either for the dispatcher or for the end of the slot's last
   * workgroup. */
  if ((__int128)c->slots * c->interval >= c->duration)
    after = (__int128)index * c->interval;
  else
    after = (__int128)(index % c->slots) * c->interval +
            (__int128)(index / c->slots) * c->duration;
  return (aq_time)(c->begin + after < latest ? c->begin + after : latest);
}

aq_time aqsim_cohort_last_end(const aqsim_cohort *c)
{
  const aq_time last = aqsim_cohort_end(c, c->count - 1);
  if (c->body == 0 || c->body == c->count)
    return last;
  return aq_time_max(last, aqsim_cohort_end(c, c->body - 1));
}

uint64_t aqsim_cohort_started(const aqsim_cohort *c, aq_time time)
{
  uint64_t low = 0, high = c->count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (aqsim_cohort_start(c, middle) < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

uint64_t aqsim_cohort_running(const aqsim_cohort *c, uint64_t first,
                              uint64_t last, aq_time time)
{
  while (first < last) {
    const uint64_t middle = first + (last - first) / 2;
    if (aqsim_cohort_end(c, middle) <= time)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}
