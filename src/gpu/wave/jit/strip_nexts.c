/* SPDX-License-Identifier: MIT */
/* Readers of the values of a run (strip.h), and the floats it looks at for
 * NaNs: one that leads to another leaves that to it. */
#include "config.h"

#include "gpu/wave/core/operand_modifiers.h"
#include "gpu/wave/jit/strip.h"

enum { DEAD = AQ_STRIP_DEAD, END = AQ_STRIP_END };

/* Rows whose NaN gives one in a later result that is looked at: of f32, of f64
 * with the next row, of the lower and upper halves. */
typedef struct nan_chains {
  bool f32[AQ_WAVE_ROWS], f64[AQ_WAVE_ROWS + 1], low[AQ_WAVE_ROWS],
      high[AQ_WAVE_ROWS];
} nan_chains;

/* Whether an instruction has to look for NaNs in its result itself. */
static bool has_to_look(const nan_chains *c, const aq_strip_op *op)
{
  const unsigned row = op->results[0];
  switch (op->rule->nan) {
  case AQ_STRIP_CHAINS:
    return !c->f32[row];
  case AQ_STRIP_WIDE:
    return !c->f64[row];
  case AQ_STRIP_HALVES:
    return (op->part && op->part->first) || !c->low[row] ||
           !(c->high[row] || !aq_strip_is_pair(op));
  default:
    return false;
  }
}

static void row_unchain(nan_chains *c, unsigned row)
{
  c->f32[row] = c->f64[row] = c->low[row] = c->high[row] = false;
  if (row > 0)
    c->f64[row - 1] = false;
}

static void source_chain(nan_chains *c, const aq_strip_op *op, unsigned k)
{
  const aq_strip_source *source = &op->sources[k];
  const unsigned row = source->value;
  if (row >= AQ_STRIP_SCALAR)
    return;
  switch (op->rule->nan) {
  case AQ_STRIP_CHAINS:
    c->f32[row] |= !source->change || source->change->down == 0;
    break;
  case AQ_STRIP_WIDE:
    c->f64[row] |= op->rule->sources[0] == 'U' && k % 2 == 0;
    break;
  case AQ_STRIP_HALVES:
    c->low[row] |= aq_strip_half_is_taken(op, k, 0);
    c->high[row] |= aq_strip_half_is_taken(op, k, 1);
    break;
  default:
    break;
  }
}

void aq_strip_nexts_find(aq_strip *s, const aq_wave_op *store)
{
  nan_chains chains = {.f32 = {false}};
  bool kept[AQ_STRIP_VALUES] = {false};
  const unsigned last =
      (unsigned)((store ? store : s->program[s->count - 1].o) - s->ops);
  const uint64_t *rows = aq_wave_lives_rows(s->lives, last);
  for (unsigned v = 0; v < AQ_STRIP_SCALAR; v++)
    kept[v] = rows[v / 64] >> v % 64 & 1;
  for (unsigned k = 0; store && k < s->store_words; k++)
    kept[store->source[2] + k] = true;
  /* By its address a lane is found whose store faults. */
  for (unsigned k = 0; store && k < (store->dest2 == AQ_WAVE_NONE ? 2 : 1); k++)
    kept[store->source[1] + k] = true;
  for (unsigned i = 0; i < s->mask_count; i++)
    kept[AQ_STRIP_MASK + s->masks[i]] =
        aq_wave_lives_scalar(s->lives, last, s->masks[i]) ||
        (!s->wave32 && aq_wave_lives_scalar(s->lives, last, s->masks[i] + 1u));
  for (unsigned v = 0; v < AQ_STRIP_VALUES; v++)
    s->next_of[v] = kept[v] ? END : DEAD;
  for (unsigned i = s->count; i-- > 0;) {
    aq_strip_op *op = &s->list[i];
    op->is_dead = op->rule->nan != AQ_STRIP_LOAD; /* which may fault */
    for (unsigned k = 0; k < op->result_count; k++) {
      op->nexts[k] = s->next_of[op->results[k]];
      op->is_kept[k] = kept[op->results[k]];
      op->is_dead &= aq_strip_is_dead(op, k);
      s->next_of[op->results[k]] = DEAD;
      kept[op->results[k]] = false;
    }
    if (op->is_dead)
      continue; /* it reads nothing, and looks for no NaN */
    op->looks = has_to_look(&chains, op);
    for (unsigned k = 0; k < op->result_count; k++)
      if (op->results[k] < AQ_STRIP_SCALAR)
        row_unchain(&chains, op->results[k]);
    for (unsigned k = 0; k < op->source_count; k++)
      if (op->sources[k].value != AQ_STRIP_NUMBER)
        op->sources[k].next = s->next_of[op->sources[k].value];
    for (unsigned k = 0; k < op->source_count; k++)
      if (op->sources[k].value != AQ_STRIP_NUMBER) {
        s->next_of[op->sources[k].value] = (uint16_t)i;
        source_chain(&chains, op, k);
      }
  }
}
