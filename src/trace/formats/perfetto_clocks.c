/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/formats/perfetto.h"

enum {
  CLOCKS_CLOCK = 1,
  CLOCK_ID = 1,
  CLOCK_TIME = 2,
  CLOCK_INCREMENTAL = 3,
  CLOCK_UNIT = 4,
};

typedef struct clock_reading {
  uint64_t id, time, unit;
  bool incremental;
} clock_reading;

static bool clock_read(aq_perfetto *p, aq_pb_view *from, clock_reading *out)
{
  aq_pb_field field, inner;
  while (aq_perfetto_field(p, from, &field)) {
    if (field.number != CLOCKS_CLOCK || field.wire != AQ_PB_BYTES)
      continue;
    *out = (clock_reading){.unit = 1};
    while (aq_perfetto_field(p, &field.bytes, &inner)) {
      if (inner.number == CLOCK_ID)
        out->id = inner.value;
      else if (inner.number == CLOCK_TIME)
        out->time = inner.value;
      else if (inner.number == CLOCK_INCREMENTAL)
        out->incremental = inner.value != 0;
      else if (inner.number == CLOCK_UNIT && inner.value > 0)
        out->unit = inner.value;
    }
    return true;
  }
  return false;
}

/* False: out of range. */
static bool clock_ns(uint64_t time, uint64_t unit, int64_t *ns)
{
  return time <= INT64_MAX && unit <= INT64_MAX &&
         !__builtin_mul_overflow((int64_t)time, (int64_t)unit, ns) &&
         *ns <= INT64_MAX / 2;
}

/* Builtin clocks are related to BOOTTIME, clocks of the sequence to the first
 * builtin one. */
void aq_perfetto_clocks_read(aq_perfetto *p, aq_perfetto_sequence *sequence,
                             aq_pb_view from)
{
  aq_pb_view again = from;
  clock_reading reading;
  int64_t boot = AQ_NONE, first = AQ_NONE, ns;
  uint64_t first_id = 0;
  while (clock_read(p, &from, &reading)) {
    if (reading.id >= AQ_PERFETTO_LOCAL ||
        !clock_ns(reading.time, reading.unit, &ns))
      continue;
    if (first == AQ_NONE) {
      first = ns;
      first_id = reading.id;
    }
    if (reading.id == AQ_PERFETTO_BOOT)
      boot = ns;
  }
  while (clock_read(p, &again, &reading)) {
    if (reading.id >= AQ_PERFETTO_LOCAL_END ||
        !clock_ns(reading.time, reading.unit, &ns))
      continue;
    if (reading.id >= AQ_PERFETTO_LOCAL)
      sequence->clocks[reading.id - AQ_PERFETTO_LOCAL] =
          (aq_perfetto_clock){.known = first != AQ_NONE,
                              .incremental = reading.incremental,
                              .unit = (int64_t)reading.unit,
                              .last = ns,
                              .global = first_id,
                              .offset = first == AQ_NONE ? 0 : first - ns};
    else if (boot != AQ_NONE) {
      p->to_boot[reading.id] = boot - ns;
      p->has_to_boot[reading.id] = true;
    }
  }
}

aq_perfetto_stamp aq_perfetto_stamp_read(aq_perfetto_sequence *sequence,
                                         const uint64_t *clock, uint64_t time)
{
  aq_perfetto_stamp stamp = {.clock = clock ? *clock : sequence->clock};
  if (stamp.clock < AQ_PERFETTO_LOCAL) {
    stamp.known = clock_ns(time, 1, &stamp.ns);
    return stamp;
  }
  if (stamp.clock >= AQ_PERFETTO_LOCAL_END)
    return stamp;
  aq_perfetto_clock *local = &sequence->clocks[stamp.clock - AQ_PERFETTO_LOCAL];
  if (!local->known || !clock_ns(time, (uint64_t)local->unit, &stamp.ns))
    return stamp;
  if (local->incremental) {
    if (stamp.ns > INT64_MAX / 2 - local->last)
      return stamp;
    stamp.ns = local->last += stamp.ns;
  }
  return (aq_perfetto_stamp){true, local->global, stamp.ns + local->offset};
}

bool aq_perfetto_time(aq_perfetto *p, const aq_perfetto_stamp *stamp,
                      int64_t *out)
{
  const uint64_t id = stamp->clock;
  int64_t ns = stamp->ns;
  if (!stamp->known)
    return false;
  if (!p->clock)
    p->clock = id;
  if (id != p->clock &&
      (!p->has_to_boot[id] || !p->has_to_boot[p->clock] ||
       __builtin_add_overflow(ns, p->to_boot[id] - p->to_boot[p->clock], &ns)))
    return false;
  *out = ns;
  return true;
}
