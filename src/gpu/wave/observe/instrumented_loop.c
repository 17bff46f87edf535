/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/instrumented_loop.h"

#include "gpu/wave/core/trace.h"
#include "gpu/wave/profile/profile.h"

const aq_wave_op *aq_wave_watched_step(aq_wave *w, const aq_wave_op *o,
                                       bool traced)
{
  struct aq_wave_profile_kernel *profile = w->grid->profile;
  if (profile && !aq_wave_profile_count(profile, w, o))
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "out of memory for the profile");
  if (traced)
    aq_wave_trace_before(w->grid->trace, w, o);
  const aq_wave_op *next =
      w->index_on ? aq_wave_indexed_run(w, o) : o->run(w, o);
  if (traced)
    aq_wave_trace_after(w->grid->trace, w, o);
  if (profile && next && next != aq_wave_next(o))
    aq_wave_profile_branched(profile, o);
  return next;
}

const aq_wave_op *aq_wave_watched_run(aq_wave *w, const aq_wave_op *o,
                                      int64_t *left)
{
  const bool traced = w->grid->trace && aq_wave_trace_wants(w->grid->trace, w);
  while (*left > 0) {
    /* Without `more` it decodes itself, or goes to the next page. */
    const aq_wave_op *next =
        o->decoded ? aq_wave_watched_step(w, o, traced) : o->run(w, o);
    --*left;
    if (!next)
      break;
    o = next;
  }
  return o;
}
