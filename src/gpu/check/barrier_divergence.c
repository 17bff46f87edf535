/* SPDX-License-Identifier: MIT */
/*
 * Barriers: all work-items of a workgroup have to reach the same one. The
 * machine code's barriers are of waves, so that a defect need not hang. GCC's
 * threads are waves, too: there nothing of the kind is a defect.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu/check/core/core.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/grid/workgroups.h"

typedef struct finding {
  const char *kind, *message, *missing, *other;
  uint8_t possible; /* aq_finding_certainty */
  uint32_t site, other_site;
  int lane;
  unsigned lanes;
} finding;

static void report(const aq_wave *w, const finding *f)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  const aq_check_what what = {.check = AQ_CHECK_SYNC,
                              .kind = f->kind,
                              .possible = f->possible,
                              .wave = w,
                              .act = grid->act,
                              .site = f->site,
                              .lane = f->lane,
                              .lanes = f->lanes,
                              .other_kernel = grid->kernel,
                              .other_site = f->other_site,
                              .other_text = f->other,
                              .message = f->message,
                              .missing = f->missing};
  aq_check_report(grid->check, &what);
}

void aq_check_sync_group(aq_wave_group *group)
{
  aq_check_group *mine = group->observed;
  for (uint32_t i = 0; i < group->grid->waves; i++)
    mine->sync[i] = (aq_check_sync){.lanes = AQ_WAVE_EXEC(group->waves[i])};
}

void aq_check_sync_meets(const aq_wave *w, uint32_t site)
{
  aq_check_sync *s = &aq_check_group_of(w)->sync[w->number];
  s->site = site;
  if (!aq_check_grid_of(w)->by_waves)
    s->skipped = s->lanes & ~AQ_WAVE_EXEC(w);
}

/* Lanes that were not at the barrier access memory behind it: they had not
 * ended. */
void aq_check_sync_access(const aq_wave *w, uint32_t site, uint64_t lanes)
{
  aq_check_sync *s = &aq_check_group_of(w)->sync[w->number];
  const uint64_t late = s->skipped & lanes;
  if (!late)
    return;
  const finding f = {
      .kind = "barrier in divergent flow",
      .message = "a part of the work-items reaches the barrier",
      .missing = "the barrier in the flow of all work-items of the workgroup",
      .other = "access of a work-item that was not at the barrier",
      .site = s->site,
      .other_site = site,
      .lane = __builtin_ctzll(late),
      .lanes = (unsigned)__builtin_popcountll(late)};
  report(w, &f);
  s->skipped = 0;
}

/* Every wave that has not ended waits. */
void aq_check_sync_opens(const aq_wave_group *group)
{
  const aq_check_sync *sync = ((aq_check_group *)group->observed)->sync;
  const aq_wave *first = NULL, *ended = NULL;
  if (aq_check_grid_of_grid(group->grid)->by_waves)
    return;
  for (uint32_t i = 0; i < group->wave_count; i++) {
    const aq_wave *w = group->waves[i];
    if (w->state == AQ_WAVE_ENDED && sync[i].lanes)
      ended = w;
    if (w->state != AQ_WAVE_BARRIER)
      continue;
    first = first ? first : w;
    if (sync[i].site == sync[first->number].site)
      continue;
    const finding f = {.kind = "mismatched barriers",
                       .message =
                           "waves of a workgroup wait at different barriers",
                       .missing = "one barrier that all work-items reach",
                       .other = "barrier of another wave",
                       .site = sync[i].site,
                       .other_site = sync[first->number].site,
                       .lane = -1};
    report(w, &f);
    return;
  }
  if (!first || !ended)
    return;
  const finding f = {
      .kind = "barrier without ended waves",
      .message = "waves of the workgroup ended before they reached the barrier",
      .missing = "the end behind the last barrier",
      .possible =
          AQ_FINDING_POSSIBLE, /* a wave that ended for good may be meant */
      .site = sync[first->number].site,
      .lane = -1};
  report(first, &f);
}

/* The wave that keeps the others waiting: it is not at a barrier. */
static const aq_wave *wave_choose(const aq_wave_grid *grid)
{
  const aq_wave *chosen = NULL;
  for (const aq_wave_group *group = grid->first; group; group = group->next)
    for (uint32_t i = 0; i < group->wave_count; i++) {
      const aq_wave *w = group->waves[i];
      if (w->state != AQ_WAVE_ENDED && w->state != AQ_WAVE_FAULTS &&
          (!chosen ||
           (chosen->state == AQ_WAVE_BARRIER && w->state != AQ_WAVE_BARRIER)))
        chosen = w;
    }
  return chosen;
}

void aq_check_sync_stuck(aq_wave_grid *grid)
{
  const aq_wave *w = wave_choose(grid);
  const aq_wave_op *o = w ? aq_wave_code_in(grid->code, w->pc, w->banks) : NULL;
  if (!o || !o->decoded)
    return;
  if (!o->decoded->note)
    o->decoded->note = aq_check_site_make(w, o);
  /* A workgroup that has not started may end the wait. */
  const bool order = grid->shuffle && aq_wave_groups_have_more(grid);
  char missing[AQ_CHECK_TEXT];
  snprintf(missing, sizeof missing,
           order ? "a wait for earlier workgroups only in the order of their "
                   "start (schedule seed=%" PRIu64 ",start-order)"
                 : "a write that ends the wait, by a wave that can run",
           grid->seed);
  const finding f = {.kind = order ? "order-dependent wait" : "endless wait",
                     .message =
                         "all waves wait for memory that nothing changes",
                     .missing = missing,
                     .site = o->decoded->note,
                     .lane = -1};
  report(w, &f);
}
