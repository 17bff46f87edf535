/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/grid/wave_status.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu/wave/core/code.h"

typedef struct census {
  const aq_wave *chosen; /* NULL: none is resident */
  uint32_t run, sleep, barrier;
} census;

static void wave_count(census *c, const aq_wave *w)
{
  const uint8_t state = w->state;
  if (state == AQ_WAVE_ENDED || state == AQ_WAVE_FAULTS)
    return;
  c->run += state == AQ_WAVE_RUNS;
  c->sleep += state == AQ_WAVE_SLEEPS;
  c->barrier += state == AQ_WAVE_BARRIER;
  /* One that waits at a barrier waits for the others. */
  if (!c->chosen ||
      (c->chosen->state == AQ_WAVE_BARRIER && state != AQ_WAVE_BARRIER))
    c->chosen = w;
}

static void part_count(census *c, const aq_wave_grid *part)
{
  for (const aq_wave_group *group = part->first; group; group = group->next)
    for (uint32_t i = 0; i < group->wave_count; i++)
      wave_count(c, group->waves[i]);
}

/* The instruction at a pc; "" where there is none. */
static void instruction_print(const aq_wave *w, char text[AQ_ISA_TEXT_SIZE])
{
  const aq_wave_op *o = aq_wave_code_in(w->grid->code, w->pc, w->banks);
  *text = 0;
  if (o && o->decoded && o->decoded->inst.row)
    aq_isa_print(&o->decoded->inst, text);
}

void aq_wave_status_text(const aq_wave_grid *grid,
                         char text[AQ_EXECUTION_TEXT_SIZE])
{
  census c = {.chosen = NULL};
  char instruction[AQ_ISA_TEXT_SIZE];
  if (grid->parts)
    for (unsigned i = 0; i < grid->part_count; i++)
      part_count(&c, grid->parts[i]);
  else
    part_count(&c, grid);
  if (!c.chosen) {
    snprintf(text, AQ_EXECUTION_TEXT_SIZE, "kernel %.60s: no wave is resident",
             grid->desc.kernel);
    return;
  }
  const aq_wave *w = c.chosen;
  const uint64_t entry = grid->entry;
  const bool before =
      w->pc < entry; /* a function that lies before the kernel */
  const uint32_t *group = w->group->id;
  instruction_print(w, instruction);
  snprintf(text, AQ_EXECUTION_TEXT_SIZE,
           "kernel %.60s%c0x%" PRIx64 " (pc 0x%" PRIx64 "): %.80s%s"
           "workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32 " wave %" PRIu32
           " after %" PRIu64 " instructions; of the resident waves %" PRIu32
           " run, %" PRIu32 " sleep, %" PRIu32 " wait at a barrier",
           grid->desc.kernel, before ? '-' : '+',
           before ? entry - w->pc : w->pc - entry, w->pc, instruction,
           *instruction ? ": " : "", group[0], group[1], group[2], w->number,
           w->issued, c.run, c.sleep, c.barrier);
}
