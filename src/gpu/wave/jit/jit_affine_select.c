/* SPDX-License-Identifier: MIT */
/*
 * Which instructions of a segment its fast form computes as two scalars
 * (jit_affine.c): what addresses and comparisons need, found backwards. The
 * others are computed lane by lane there too.
 */
#include "config.h"

#include "gpu/wave/jit/jit_segment.h"

/* The registers that later instructions need to be affine. */
typedef struct needs {
  bool rows[AQ_WAVE_ROWS + 4], masks[AQ_WAVE_SCALARS];
} needs;

static void transfer_needs(const aq_wave_op *o, const aq_wave_transfer *t,
                           needs *n)
{
  const unsigned words = t->words * (t->scale ? 2u : 1u);
  if (t->scalar)
    return;
  for (unsigned k = 0; !t->store && k < words; k++)
    n->rows[o->dest + k] = false;
  if (t->shared)
    return;
  n->rows[o->source[1]] = true;
  n->rows[o->source[1] + 1] |= o->dest2 == AQ_WAVE_NONE;
}

/* Whether a vector instruction is to be affine. */
static bool lane_needs(const aq_wave_op *o, const aq_wave_text *t, needs *n)
{
  const bool has_rule = aq_wave_affine_has_rule(o, t);
  bool hit = has_rule && t->shape == AQ_WAVE_TEXT_COMPARE;
  for (unsigned k = 0; k < aq_wave_type_words(t->result); k++) {
    hit |= n->rows[o->dest + k];
    n->rows[o->dest + k] = false;
  }
  if (t->shape == AQ_WAVE_TEXT_CARRY) {
    hit |= n->masks[o->dest2];
    n->masks[o->dest2] = false;
  }
  if (!hit || !has_rule)
    return false;
  for (int i = 0; i < 3; i++)
    for (unsigned k = 0;
         o->kind[i] == AQ_WAVE_VGPR && k < aq_wave_type_words(t->sources[i]);
         k++)
      n->rows[o->source[i] + k] = true;
  if (t->carry_in)
    n->masks[o->source[2]] = true;
  return true;
}

static void relevant_find(const aq_wave_segment *g,
                          bool relevant[AQ_WAVE_SEGMENT_MAX])
{
  needs n = {.rows = {false}};
  for (unsigned i = g->count; i-- > 0;) {
    const aq_wave_op *o = g->ops + g->list[i];
    const aq_wave_transfer *transfer = aq_wave_transfer_for(g->texts, o);
    const aq_wave_text *t = transfer ? NULL : aq_wave_text_for(g->texts, o);
    relevant[i] = t && aq_wave_text_is_vector(t) && lane_needs(o, t, &n);
    if (transfer)
      transfer_needs(o, transfer, &n);
  }
}

void aq_wave_fast_fill(const aq_wave_segment *g, aq_wave_segment *fast)
{
  bool relevant[AQ_WAVE_SEGMENT_MAX];
  relevant_find(g, relevant);
  for (unsigned i = 0; i < g->count; i++) {
    const aq_wave_op *o = g->ops + g->list[i];
    const aq_wave_transfer *transfer = aq_wave_transfer_for(g->texts, o);
    const aq_wave_text *t = transfer ? NULL : aq_wave_text_for(g->texts, o);
    fast->rests[fast->count] = g->rests[i];
    fast->list[fast->count++] = g->list[i];
    if (transfer) {
      aq_wave_segment_transfer(fast, o, transfer);
    } else if (aq_wave_text_is_vector(t)) {
      fast->lanes = true;
      if (!relevant[i] || !aq_wave_affine_lane(fast, o, t))
        aq_wave_segment_lane(fast, o, t);
    } else {
      aq_wave_segment_scalar(fast, o, t);
    }
  }
}
