/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/launch/times.h"

#include <stddef.h>
#include <stdlib.h>

static const struct {
  const char *text, *key;
  size_t from, to; /* of aq_launch_times */
} spans[AQ_LAUNCH_SPANS] = {
    {"submit-start", "latency", offsetof(aq_launch_times, submit),
     offsetof(aq_launch_times, start)},
    {"start-end", "duration", offsetof(aq_launch_times, start),
     offsetof(aq_launch_times, end)},
    {"whole", "whole", offsetof(aq_launch_times, submit),
     offsetof(aq_launch_times, observed)},
};

static aq_time time_at(const aq_launch_times *times, size_t offset)
{
  return *(const aq_time *)(const void *)((const char *)times + offset);
}

static int by_time(const void *a, const void *b)
{
  const aq_time x = *(const aq_time *)a, y = *(const aq_time *)b;
  return (x > y) - (x < y);
}

bool aq_launch_spans_find(const aq_launch_times *times, uint32_t count,
                          aq_launch_span out[AQ_LAUNCH_SPANS])
{
  aq_time *sorted = calloc(count, sizeof *sorted);
  for (size_t s = 0; sorted && s < AQ_LAUNCH_SPANS; s++) {
    bool known = true;
    for (uint32_t i = 0; i < count; i++) {
      const aq_time from = time_at(&times[i], spans[s].from);
      const aq_time to = time_at(&times[i], spans[s].to);
      known &= from != AQ_TIME_NONE && to != AQ_TIME_NONE;
      sorted[i] = to - from;
    }
    qsort(sorted, count, sizeof *sorted, by_time);
    out[s] = (aq_launch_span){spans[s].text, spans[s].key,
                              known ? sorted[count / 2] : AQ_TIME_NONE,
                              known ? sorted[0] : AQ_TIME_NONE,
                              known ? sorted[count - 1] : AQ_TIME_NONE};
  }
  free(sorted);
  return sorted != NULL;
}

static double us(aq_time time)
{
  return (double)time / (double)AQ_US;
}

void aq_launch_span_print(const aq_launch_span *span, uint32_t count, FILE *out)
{
  if (span->median == AQ_TIME_NONE)
    fprintf(out, "%-12s -\n", span->text);
  else if (count == 1)
    fprintf(out, "%-12s %.3f us\n", span->text, us(span->median));
  else
    fprintf(out, "%-12s min %.3f, median %.3f, max %.3f us\n", span->text,
            us(span->least), us(span->median), us(span->most));
}

void aq_launch_span_json(const aq_launch_span *span, uint32_t count,
                         aq_json_out *json)
{
  char key[32];
  snprintf(key, sizeof key, "%s_ns", span->key);
  aq_json_out_ns(json, key, span->median);
  if (count == 1)
    return;
  snprintf(key, sizeof key, "%s_ns_min", span->key);
  aq_json_out_ns(json, key, span->least);
  snprintf(key, sizeof key, "%s_ns_max", span->key);
  aq_json_out_ns(json, key, span->most);
}
