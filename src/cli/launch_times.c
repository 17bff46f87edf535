/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/launch_times.h"

#include <stddef.h>
#include <stdlib.h>

static const struct {
  const char *text, *keys[3]; /* middle, least, most */
  size_t from, to;            /* of aq_launch_times */
} spans[] = {
    {"submit-start",
     {"latency_ns", "latency_ns_min", "latency_ns_max"},
     offsetof(aq_launch_times, submit),
     offsetof(aq_launch_times, start)},
    {"start-end",
     {"duration_ns", "duration_ns_min", "duration_ns_max"},
     offsetof(aq_launch_times, start),
     offsetof(aq_launch_times, end)},
    {"whole",
     {"whole_ns", "whole_ns_min", "whole_ns_max"},
     offsetof(aq_launch_times, submit),
     offsetof(aq_launch_times, observed)},
};

enum { SPANS = sizeof spans / sizeof *spans };

static aq_time time_at(const aq_launch_times *times, size_t offset)
{
  return *(const aq_time *)(const void *)((const char *)times + offset);
}

static int by_time(const void *a, const void *b)
{
  const aq_time x = *(const aq_time *)a, y = *(const aq_time *)b;
  return (x > y) - (x < y);
}

/* Middle, least and most of each span. */
static bool spread_find(const aq_launch_times *times, uint32_t count,
                        aq_time out[SPANS][3])
{
  aq_time *sorted = calloc(count, sizeof *sorted);
  for (size_t s = 0; sorted && s < SPANS; s++) {
    bool known = true;
    for (uint32_t i = 0; i < count; i++) {
      const aq_time from = time_at(&times[i], spans[s].from);
      const aq_time to = time_at(&times[i], spans[s].to);
      known &= from != AQ_TIME_NONE && to != AQ_TIME_NONE;
      sorted[i] = to - from;
    }
    qsort(sorted, count, sizeof *sorted, by_time);
    out[s][0] = known ? sorted[count / 2] : AQ_TIME_NONE;
    out[s][1] = known ? sorted[0] : AQ_TIME_NONE;
    out[s][2] = known ? sorted[count - 1] : AQ_TIME_NONE;
  }
  free(sorted);
  return sorted != NULL;
}

static double us(aq_time time)
{
  return (double)time / (double)AQ_US;
}

bool aq_cli_launch_times_print(const aq_launch_times *times, uint32_t count,
                               FILE *out)
{
  aq_time spread[SPANS][3];
  if (!spread_find(times, count, spread))
    return false;
  for (size_t s = 0; s < SPANS; s++) {
    const aq_time *t = spread[s];
    if (t[0] == AQ_TIME_NONE)
      fprintf(out, "%-12s -\n", spans[s].text);
    else if (count == 1)
      fprintf(out, "%-12s %.3f us\n", spans[s].text, us(t[0]));
    else
      fprintf(out, "%-12s min %.3f, median %.3f, max %.3f us\n", spans[s].text,
              us(t[1]), us(t[0]), us(t[2]));
  }
  return true;
}

bool aq_cli_launch_times_json(const aq_launch_times *times, uint32_t count,
                              aq_json_out *json)
{
  aq_time spread[SPANS][3];
  if (!spread_find(times, count, spread))
    return false;
  for (size_t s = 0; s < SPANS; s++)
    for (size_t i = 0; i < (count > 1 ? 3 : 1); i++)
      aq_json_out_ns(json, spans[s].keys[i], spread[s][i]);
  return true;
}
