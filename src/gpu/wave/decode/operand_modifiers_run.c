/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/dpp.h"
#include "gpu/wave/core/lanes.h"
#include "gpu/wave/core/operand_modifiers.h"
#include "gpu/wave/core/output_modifiers.h"

enum {
  SOURCES = AQ_WAVE_SCRATCH_ROWS + 8, /* copies, a pair of rows each */
  RESULT = AQ_WAVE_SCRATCH_ROWS + 16,
};

/* ---- sources ---- */

static void source_use(aq_wave_op *plain, int i)
{
  plain->kind[i] = AQ_WAVE_VGPR;
  plain->source[i] = (uint16_t)(SOURCES + 2 * i);
}

static inline uint32_t word_change(const aq_wave_form_source *s, uint32_t x)
{
  x = s->extends ? (uint32_t)((int32_t)(x << s->up) >> s->down)
                 : x << s->up >> s->down;
  return (x & s->keep) ^ s->flip;
}

/* Signs and parts apart: most forms have one of the two. */
static void row_change(const aq_wave_form_source *s, const uint32_t *from,
                       uint32_t *to)
{
  const uint32_t keep = s->keep, flip = s->flip;
  const unsigned up = s->up, down = s->down;
  if (!down)
    AQ_EACH_LANE(l) to[l] = (from[l] & keep) ^ flip;
  else if (s->extends)
    AQ_EACH_LANE(l)
  to[l] = ((uint32_t)((int32_t)(from[l] << up) >> down) & keep) ^ flip;
  else AQ_EACH_LANE(l) to[l] = ((from[l] << up >> down) & keep) ^ flip;
}

static void source_change(aq_wave *w, const aq_wave_op *o, int i,
                          const aq_wave_form_source *s, aq_wave_op *plain)
{
  uint32_t *to = w->v[SOURCES + 2 * i];
  if (plain->kind[i] != AQ_WAVE_VGPR) {
    const uint64_t value =
        s->is_wide ? aq_wave_s64(w, o, i) : aq_wave_s32(w, o, i);
    const uint32_t low =
        s->is_wide ? (uint32_t)value : word_change(s, (uint32_t)value);
    AQ_EACH_LANE(l) to[l] = low;
    if (s->is_wide) {
      const uint32_t high = word_change(s, (uint32_t)(value >> 32));
      AQ_EACH_LANE(l) to[AQ_WAVE_LANES + l] = high;
    }
  } else {
    const uint32_t *from = w->v[plain->source[i]];
    if (s->is_wide && to != from)
      memcpy(to, from, sizeof *to * AQ_WAVE_LANES);
    const unsigned upper = s->is_wide ? AQ_WAVE_LANES : 0;
    row_change(s, from + upper, to + upper);
  }
  source_use(plain, i);
}

/* The first source from other lanes; returns the lanes that write. */
static uint64_t source_move(aq_wave *w, const aq_wave_op *o, aq_wave_op *plain)
{
  const bool wide = o->decoded->form->sources[0].is_wide;
  const uint32_t *from = wide ? lanes_source64(w, o, 0) : lanes_source(w, o, 0);
  const uint64_t writes =
      aq_wave_move_rows(w, o->decoded->move, w->v[SOURCES], from, wide ? 2 : 1);
  source_use(plain, 0);
  return writes;
}

/* ---- results ---- */

static void result_place(aq_wave *w, const aq_wave_op *o,
                         const aq_wave_form *form)
{
  uint32_t *d = w->v[o->dest], *row = w->v[RESULT];
  const unsigned first = form->first, top = form->width - 1u;
  const uint32_t mask = form->mask, kept = form->kept, signs = form->signs;
  if (mask)
    AQ_EACH_LANE(l)
    {
      const uint32_t sign = (0u - (row[l] >> top & 1)) & signs;
      row[l] = (row[l] << first & mask) | sign | (d[l] & kept);
    }
  lanes_keep(w, d, row);
  if (form->is_wide)
    lanes_keep(w, w->v[o->dest + 1], w->v[RESULT + 1]);
}

static void upper_copy(aq_wave *w, aq_wave_op *plain)
{
  uint32_t *row = w->v[SOURCES + 4];
  const uint32_t *d = w->v[plain->dest];
  AQ_EACH_LANE(l) row[l] = d[l] >> 16;
  source_use(plain, 2);
}

/* ---- instructions ---- */

const aq_wave_op *aq_wave_form_run(aq_wave *w, const aq_wave_op *o)
{
  const aq_wave_form *form = o->decoded->form;
  const uint64_t exec = AQ_WAVE_EXEC(w);
  const bool whole = !form->mask && !form->finishes;
  aq_wave_op plain = *o;
  plain.run = o->decoded->base;
  const uint64_t writes = o->decoded->move ? source_move(w, o, &plain) : exec;
  for (int i = 0; i < 3; i++)
    if (form->sources[i].changes)
      source_change(w, o, i, &form->sources[i], &plain);
  if (form->adds_upper)
    upper_copy(w, &plain);
  AQ_WAVE_EXEC(w) = writes;
  if (form->is_vector && !whole)
    plain.dest = RESULT;
  if (!plain.run(w, &plain))
    return NULL;
  if (form->finishes && !aq_wave_finish(w, &plain, RESULT))
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "clamp of this instruction is not simulated");
  if (form->is_vector && !whole)
    result_place(w, o, form);
  if (!form->sets_exec)
    AQ_WAVE_EXEC(w) = exec;
  return aq_wave_next(o);
}
