/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/formats/perfetto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum {
  CLOCKS_CLOCK = 1,
  CLOCKS_PRIMARY = 2,
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

static void readings_skip(aq_perfetto *p, uint64_t clock, const char *why,
                          size_t count)
{
  char text[24];
  snprintf(text, sizeof text, "clock %llu", (unsigned long long)clock);
  for (size_t i = 0; i < count; i++)
    aq_import_fault(p->import, AQ_REPAIR_CLOCK_READING, why, text,
                    strlen(text));
}

/* Later readings come behind earlier ones; a clock that went back begins anew.
 */
static aq_status reading_add(aq_perfetto *p, uint64_t clock, int64_t ns,
                             int64_t to_trace)
{
  aq_perfetto_readings *of = &p->readings[clock];
  if (of->count > 0 && of->list[of->count - 1].ns > ns) {
    readings_skip(p, clock, "clock that went back", of->count);
    of->count = 0;
  }
  return AQ_ARRAY_PUSH(of->list, of->count, of->capacity,
                       (aq_perfetto_reading){ns, to_trace})
             ? AQ_OK
             : aq_diag_no_memory(p->import->diag);
}

/* A snapshot relates each builtin clock to the clock of the trace: the
 * primary_trace_clock of a snapshot, else BOOTTIME. It relates the clocks of
 * its sequence to that clock, too, or, without it, to its first builtin one. */
aq_status aq_perfetto_clocks_read(aq_perfetto *p,
                                  aq_perfetto_sequence *sequence,
                                  aq_pb_view from)
{
  aq_pb_view again = from, third = from;
  aq_pb_field field;
  clock_reading reading;
  int64_t base = AQ_NONE, ns;
  uint64_t base_id = 0;
  while (aq_perfetto_field(p, &again, &field))
    if (field.number == CLOCKS_PRIMARY && field.value > 0 &&
        field.value < AQ_PERFETTO_LOCAL && field.value != p->trace_clock) {
      p->trace_clock = field.value;
      for (int i = 0; i < AQ_PERFETTO_LOCAL; i++) {
        readings_skip(p, (uint64_t)i, "clock of another trace clock",
                      p->readings[i].count);
        p->readings[i].count = 0;
      }
    }
  while (clock_read(p, &from, &reading))
    if (reading.id < AQ_PERFETTO_LOCAL &&
        (base == AQ_NONE || reading.id == p->trace_clock) &&
        clock_ns(reading.time, reading.unit, &ns)) {
      base = ns;
      base_id = reading.id;
    }
  aq_status status = AQ_OK;
  while (status == AQ_OK && clock_read(p, &third, &reading)) {
    if (reading.id >= AQ_PERFETTO_LOCAL_END ||
        !clock_ns(reading.time, reading.unit, &ns))
      continue;
    if (reading.id >= AQ_PERFETTO_LOCAL) {
      aq_perfetto_clock *of = &sequence->clocks[reading.id - AQ_PERFETTO_LOCAL];
      const int64_t offset = base == AQ_NONE ? 0 : base - ns;
      *of = (aq_perfetto_clock){.known = base != AQ_NONE,
                                .incremental = reading.incremental,
                                .unit = (int64_t)reading.unit,
                                .last = ns,
                                .global = base_id,
                                .offset = offset,
                                .earlier = of->unit && of->global == base_id &&
                                                   !reading.incremental
                                               ? of->offset
                                               : offset};
    } else if (base_id == p->trace_clock)
      status = reading_add(p, reading.id, ns, base - ns);
    else
      readings_skip(p, reading.id, "snapshot without the trace's clock", 1);
  }
  return status;
}

aq_perfetto_stamp aq_perfetto_stamp_read(const aq_perfetto *p,
                                         aq_perfetto_sequence *sequence,
                                         uint64_t clock, uint64_t time)
{
  aq_perfetto_stamp stamp = {.clock = clock             ? clock
                                      : sequence->clock ? sequence->clock
                                                        : p->trace_clock};
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
  return (aq_perfetto_stamp){
      true, local->global,
      stamp.ns + (stamp.ns < local->last ? local->earlier : local->offset)};
}

/* ns from a builtin clock to the trace's (or `back`, from that) by the last
 * reading that is not later, else by the first. False: none. */
static bool clock_move(const aq_perfetto *p, uint64_t clock, bool back,
                       int64_t *ns)
{
  const aq_perfetto_readings *of = &p->readings[clock];
  size_t low = 0, high = of->count;
  if (clock == p->trace_clock)
    return true;
  if (of->count == 0)
    return false;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    const aq_perfetto_reading *at = &of->list[middle];
    if (at->ns + (back ? at->to_trace : 0) <= *ns)
      low = middle;
    else
      high = middle;
  }
  const int64_t to_trace = of->list[low].to_trace;
  return !__builtin_add_overflow(*ns, back ? -to_trace : to_trace, ns);
}

bool aq_perfetto_time(aq_perfetto *p, const aq_perfetto_stamp *stamp,
                      int64_t *out)
{
  int64_t ns = stamp->ns;
  if (!stamp->known)
    return false;
  if (!p->clock)
    p->clock =
        p->readings[stamp->clock].count > 0 ? p->trace_clock : stamp->clock;
  if (stamp->clock != p->clock && !(clock_move(p, stamp->clock, false, &ns) &&
                                    clock_move(p, p->clock, true, &ns)))
    return false;
  *out = ns;
  return true;
}
