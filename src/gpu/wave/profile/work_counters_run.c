/* SPDX-License-Identifier: MIT */
/* What each instruction of a counted workgroup adds. */
#include "config.h"

#include "gpu/wave/core/address_translate.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/core/instrumented_loop.h"
#include "gpu/wave/core/observe.h"
#include "gpu/wave/core/trace.h"
#include "gpu/wave/core/wave_trace_rows.h"
#include "gpu/wave/core/work_counters.h"
#include "gpu/wave/profile/access_pattern.h"
#include "gpu/wave/profile/work_counters_priv.h"

enum { SEGMENT_SHIFT = 6, LINE_SHIFT = 7, PAGE_SHIFT = 16 };

/* Cycles, to order the accesses of a wave by; of CDNA 3, rounded. The times of
 * kernels come from a device model's latencies, not from these. */
static const int16_t nominal[AQ_WAVE_PLACES] = {
    [AQ_WAVE_AT_L1] = 120,    [AQ_WAVE_AT_L2] = 300, [AQ_WAVE_AT_FAR] = 800,
    [AQ_WAVE_AT_STORE] = 300, [AQ_WAVE_AT_LDS] = 64, [AQ_WAVE_AT_SMEM] = 200};

/* ---- waiting ---- */

static void queue_drain(aq_work_counters *tally, aq_wave_timeline *line,
                        aq_wave_queue *queue, unsigned left)
{
  while (queue->count > left) {
    const unsigned at = queue->first;
    const int64_t wait = queue->done[at] - line->now;
    if (wait > 0) {
      const uint8_t place = queue->place[at];
      tally->waits[place] += 1000 * wait / nominal[place];
      line->now = queue->done[at];
    }
    queue->first = (at + 1) % AQ_WAVE_OUTSTANDING;
    queue->count--;
  }
}

static void queue_add(aq_work_counters *tally, aq_wave_timeline *line,
                      aq_wave_queue *queue, aq_wave_place place)
{
  if (queue->count == AQ_WAVE_OUTSTANDING)
    queue_drain(tally, line, queue, AQ_WAVE_OUTSTANDING - 1);
  const unsigned at = (queue->first + queue->count++) % AQ_WAVE_OUTSTANDING;
  queue->place[at] = (uint8_t)place;
  queue->done[at] = line->now + nominal[place];
}

/* The fields of s_waitcnt of gfx9. */
static void waitcnt(aq_work_counters *tally, aq_wave_timeline *line,
                    uint32_t imm)
{
  queue_drain(tally, line, &line->vector, (imm & 15) | (imm >> 14 & 3) << 4);
  queue_drain(tally, line, &line->other, imm >> 8 & 15);
}

/* ---- memory ---- */

static unsigned lanes_count(uint64_t lanes)
{
  return lanes == UINT64_MAX ? AQ_WAVE_LANES
                             : (unsigned)__builtin_popcountll(lanes);
}

/* Adds the allocation of a page that is new. */
static void footprint_add(aq_wave *w, uint64_t address)
{
  aq_work_counters *tally = w->grid->tally;
  const aq_allocations *map = w->grid->reachable->allocations;
  aq_allocation found;
  if (!aq_allocations_find(map, address, w->grid->desc.device, AQ_ACCESS_READ,
                           &found))
    return;
  for (unsigned i = 0; i < tally->base_count; i++)
    if (tally->bases[i] == found.base)
      return;
  if (tally->base_count == AQ_WAVE_FOOTPRINT)
    return;
  tally->bases[tally->base_count++] = found.base;
  tally->sum.footprint += (int64_t)found.size;
}

static void page_add(aq_wave *w, uint64_t page)
{
  aq_work_counters *tally = w->grid->tally;
  aq_wave_group_tally *own = w->group->tally;
  uint64_t *seen = &own->pages[page % AQ_WAVE_GROUP_PAGES];
  if (*seen == page + 1)
    return;
  *seen = page + 1;
  tally->sum.page_uses++;
  if (!aq_wave_set_add(&tally->pages, page << 5 | own->xcc))
    return;
  tally->sum.pages++;
  footprint_add(w, page << PAGE_SHIFT);
}

/* A line that the cache passes on, or that is written through it. */
static aq_wave_place line_pass(aq_work_counters *tally, uint64_t line,
                               bool writes)
{
  if (!aq_wave_set_add(&tally->lines, line << 1 | writes))
    return AQ_WAVE_AT_L2;
  const bool other = aq_wave_set_has(&tally->lines, line << 1 | !writes);
  if (writes)
    tally->sum.far_writes++;
  else if (!other)
    tally->sum.far_reads++;
  return other ? AQ_WAVE_AT_L2 : AQ_WAVE_AT_FAR;
}

typedef struct lanes {
  uint64_t segment, line, page; /* of the last lane; segments in a row count
                                   once */
  unsigned segments;
  aq_wave_place place;
} lanes;

static inline void line_touch(aq_wave *w, const aq_wave_unit *unit,
                              uint64_t line, lanes *l)
{
  const bool passes = unit->writes || unit->atomic;
  const uint64_t page = line >> (PAGE_SHIFT - LINE_SHIFT);
  if (page != l->page)
    page_add(w, page);
  l->page = page;
  if (!passes && aq_wave_cache_touch(&w->group->tally->l1, line))
    return; /* no place is nearer */
  aq_work_counters *tally = w->grid->tally;
  const aq_wave_place place = line_pass(tally, line, passes);
  tally->sum.l2 += passes ? 0 : 2;
  if (place > l->place)
    l->place = place;
}

static inline void segment_touch(aq_wave *w, const aq_wave_unit *unit,
                                 uint64_t segment, lanes *l)
{
  l->segment = segment;
  l->segments++;
  if (segment >> 1 == l->line)
    return;
  l->line = segment >> 1;
  line_touch(w, unit, l->line, l);
}

/* In the order of lanes; adjacent ones are one range. */
static void lanes_touch(aq_wave *w, const aq_wave_unit *unit,
                        const aq_wave_access_info *touch, lanes *l)
{
  const unsigned behind = unit->access - 1;
  if (touch->row && !(touch->shared | touch->scratch)) {
    const uint64_t last = (touch->most + behind) >> SEGMENT_SHIFT;
    for (uint64_t s = touch->least >> SEGMENT_SHIFT; s <= last; s++)
      segment_touch(w, unit, s, l);
    return;
  }
  for (uint64_t rest = touch->global; rest; rest &= rest - 1) {
    const uint64_t at = touch->at[__builtin_ctzll(rest)];
    const uint64_t last = (at + behind) >> SEGMENT_SHIFT;
    for (uint64_t s = at >> SEGMENT_SHIFT; s <= last; s++)
      if (s != l->segment)
        segment_touch(w, unit, s, l);
  }
}

aq_wave_place aq_work_counters_access(aq_wave *w, const aq_wave_op *o)
{
  const aq_wave_unit *unit = &o->decoded->unit;
  aq_counted *sum = &w->grid->tally->sum;
  lanes l = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, AQ_WAVE_AT_L1};
  aq_wave_access_info touch;
  aq_wave_access_info_find(w, o, unit->access, &touch);
  if (touch.shared) {
    sum->bank_cycles += aq_wave_bank_cycles(&touch);
    if (!touch.global)
      return AQ_WAVE_AT_LDS;
  }
  lanes_touch(w, unit, &touch, &l);
  const unsigned bytes = lanes_count(touch.global) * unit->access;
  const unsigned least = (bytes + 63) / 64;
  sum->bytes += bytes;
  sum->l1 += l.segments > least ? l.segments : least;
  if (!unit->writes && !unit->atomic)
    return l.place;
  sum->l2 += l.segments;
  return unit->writes ? AQ_WAVE_AT_STORE : AQ_WAVE_AT_L2;
}

/* ---- instructions ---- */

static void memory_count(aq_wave *w, const aq_wave_op *o,
                         aq_wave_timeline *line)
{
  const aq_wave_unit *unit = &o->decoded->unit;
  aq_work_counters *tally = w->grid->tally;
  tally->sum.atomics += unit->atomic;
  switch (unit->class) {
  case AQ_ISA_CLASS_SMEM:
    tally->sum.smem++;
    queue_add(tally, line, &line->other, AQ_WAVE_AT_SMEM);
    break;
  case AQ_ISA_CLASS_LDS:
    tally->sum.shared++;
    if (unit->access)
      aq_work_counters_access(w, o);
    queue_add(tally, line, &line->other, AQ_WAVE_AT_LDS);
    break;
  default:
    tally->sum.vmem++;
    if (unit->access)
      queue_add(tally, line, &line->vector, aq_work_counters_access(w, o));
  }
}

static void instruction_count(aq_wave *w, const aq_wave_op *o,
                              aq_wave_timeline *line)
{
  aq_wave_unit *unit = &o->decoded->unit;
  aq_work_counters *tally = w->grid->tally;
  aq_counted *sum = &tally->sum;
  if (!unit->known)
    *unit = aq_wave_unit_of(&o->decoded->inst);
  if (unit->serial != tally->serial) {
    unit->serial = tally->serial;
    sum->code += o->decoded->inst.size;
  }
  sum->issued++;
  w->group->tally->issued++;
  line->now += unit->cycles;
  switch (unit->class) {
  case AQ_ISA_CLASS_WAIT:
    if (unit->waits)
      waitcnt(tally, line, (uint16_t)o->imm);
    return;
  case AQ_ISA_CLASS_SALU:
  case AQ_ISA_CLASS_BRANCH:
  case AQ_ISA_CLASS_MESSAGE:
    sum->scalar++;
    return;
  case AQ_ISA_CLASS_MATRIX:
    sum->matrix += unit->matrix;
    break;
  case AQ_ISA_CLASS_VALU:
    sum->valu += unit->cycles;
    break;
  default:
    memory_count(w, o, line);
  }
  if (unit->class != AQ_ISA_CLASS_SMEM) {
    sum->vector++;
    sum->lanes += lanes_count(AQ_WAVE_EXEC(w));
  }
}

/* Counts a decoded instruction, and runs it as its grid wants. */
static const aq_wave_op *step(aq_wave *w, const aq_wave_op *o, bool traced,
                              aq_wave_steps *steps)
{
  const aq_wave_grid *grid = w->grid;
  aq_wave_timeline *line = &w->group->tally->waves[w->number];
  const int64_t cycle = line->now;
  instruction_count(w, o, line);
  if (steps && !aq_wave_steps_add(steps, w, o, grid->tally->serial - 1, cycle,
                                  line->now))
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "out of memory for its steps");
  if (grid->watched)
    return aq_wave_watched_step(w, o, traced);
  return w->index_on ? aq_wave_indexed_run(w, o) : o->run(w, o);
}

const aq_wave_op *aq_wave_counted_run(aq_wave *w, const aq_wave_op *o,
                                      int64_t *left)
{
  const aq_wave_grid *grid = w->grid;
  const bool traced = grid->trace && aq_wave_trace_wants(grid->trace, w);
  aq_wave_steps *steps =
      grid->steps && aq_wave_steps_wants(grid->steps, w) ? grid->steps : NULL;
  while (*left > 0) {
    /* Without `more` it decodes itself, or goes to the next page: no
     * instruction, so that turns do not depend on earlier decoding. */
    *left -= o->decoded != NULL;
    const aq_wave_op *next =
        o->decoded ? step(w, o, traced, steps) : o->run(w, o);
    if (!next)
      break;
    o = next;
  }
  if (!grid->steps)
    aq_work_counters_cut(w->group);
  return o;
}
