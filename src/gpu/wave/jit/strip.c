/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/strip.h"

#include "gpu/wave/core/operand_modifiers.h"

/* ---- rules ---- */

const aq_strip_rule *const aq_strip_tables[] = {aq_strip_rules_words,
                                                aq_strip_rules_floats,
                                                aq_strip_rules_halves,
                                                aq_strip_rules_moves,
                                                aq_strip_rules_divisions,
                                                aq_strip_rules_loads,
                                                aq_strip_rules_offset_loads,
                                                aq_strip_rules_shared,
                                                NULL};

const aq_strip_rule *aq_strip_rule_in(const aq_strip_rule *table,
                                      const char *name)
{
  while (table->name && strcmp(table->name, name) != 0)
    table++;
  return table->name ? table : NULL;
}

static const aq_strip_rule *rule_named(const char *name)
{
  const aq_strip_rule *rule = NULL;
  for (size_t i = 0; !rule && aq_strip_tables[i]; i++)
    rule = aq_strip_rule_in(aq_strip_tables[i], name);
  return rule;
}

void aq_strip_rules_give(aq_wave_texts *texts)
{
  aq_wave_texts_rules_put(texts, rule_named);
}

const aq_strip_rule *aq_strip_rule_of(const aq_wave_texts *texts,
                                      const aq_wave_op *o)
{
  const aq_wave_text *t = aq_wave_text_for(texts, o);
  const aq_wave_ruled *ruled = t ? NULL : aq_wave_ruled_for(texts, o);
  if (!t)
    return ruled && !ruled->loads ? ruled->rule : aq_strip_load_rule(texts, o);
  if (!t->rule || (aq_wave_text_move(o) && !aq_strip_move_fits(t->rule, o)))
    return NULL;
  for (int i = 0; t->rule->sources[i]; i++)
    if (t->rule->sources[i] == 'n' &&
        (o->kind[i] != AQ_WAVE_CONSTANT ||
         (o->run == aq_wave_form_run && o->decoded->form->sources[i].changes)))
      return NULL;
  return t->rule;
}

/* ---- adding ---- */

void aq_strip_begin(aq_strip *s, aq_x86 *x, const aq_wave_texts *texts,
                    const aq_wave_op *ops, const aq_wave_lives *lives,
                    bool wave32)
{
  memset(s, 0, sizeof *s);
  s->x = x;
  s->texts = texts;
  s->ops = ops;
  s->lives = lives;
  s->wave32 = wave32;
  s->strip = -1;
}

static bool is_scalar_read(const aq_strip *s, unsigned code)
{
  return s->scalars_read[code / 64] >> code % 64 & 1;
}

/* Whether words of scalars overlap one that the run writes as a mask. */
static bool overlaps_mask(const aq_strip *s, unsigned code, unsigned words,
                          bool allow_same)
{
  const unsigned each = s->wave32 ? 1 : 2;
  for (unsigned i = 0; i < s->mask_count; i++)
    if (code < s->masks[i] + each && s->masks[i] < code + words &&
        !(allow_same && s->masks[i] == code))
      return true;
  return false;
}

bool aq_strip_lets_pass(const aq_strip *s, const uint16_t reads[][2],
                        unsigned read_count, unsigned write_first,
                        unsigned write_count)
{
  if (s->count == 0)
    return true;
  for (unsigned i = 0; i < read_count; i++)
    if (overlaps_mask(s, reads[i][0], reads[i][1], false))
      return false;
  for (unsigned i = write_first; i < write_first + write_count; i++)
    if (aq_wave_is_exec(i) || is_scalar_read(s, i))
      return false;
  return !overlaps_mask(s, write_first, write_count, false);
}

static void source_put(aq_strip_op *op, uint16_t value, uint32_t number,
                       const aq_wave_form_source *change)
{
  op->sources[op->source_count++] =
      (aq_strip_source){.value = value, .number = number, .change = change};
}

/* Source `i` of the instruction, as the rule's letter asks for. */
static void source_read(aq_strip_op *op, const aq_wave_op *o, int i,
                        char letter)
{
  const aq_wave_form_source *change =
      o->run == aq_wave_form_run && o->decoded->form->sources[i].changes
          ? &o->decoded->form->sources[i]
          : NULL;
  const unsigned words = letter == 'U' ? 2 : 1;
  for (unsigned k = 0; k < words; k++) {
    const bool changed = change && k == words - 1;
    if (letter == 'm')
      source_put(op, (uint16_t)(AQ_STRIP_MASK + o->source[i]), 0, NULL);
    else if (o->kind[i] == AQ_WAVE_VGPR)
      source_put(op, (uint16_t)(o->source[i] + k), 0, changed ? change : NULL);
    else if (o->kind[i] == AQ_WAVE_SGPR)
      source_put(op, (uint16_t)(AQ_STRIP_SCALAR + o->source[i] + k), 0,
                 changed ? change : NULL);
    else
      source_put(op, AQ_STRIP_NUMBER, (uint32_t)(o->constant[i] >> (32 * k)),
                 changed ? change : NULL);
  }
}

static void results_read(aq_strip_op *op, const aq_wave_op *o)
{
  const char *results = op->rule->results;
  if (*results == 'm')
    op->results[op->result_count++] = (uint16_t)(AQ_STRIP_MASK + o->dest);
  const unsigned words = *results == 'U'   ? 2
                         : *results <= '4' ? (unsigned)(*results - '0')
                                           : 1;
  for (unsigned k = 0; *results != 'm' && k < words; k++)
    op->results[op->result_count++] = (uint16_t)(o->dest + k);
  if (*results != 'm' && results[1] == 'm')
    op->results[op->result_count++] = (uint16_t)(AQ_STRIP_MASK + o->dest2);
}

static bool row_is_written(const aq_strip *s, unsigned row)
{
  return s->written[row / 64] >> row % 64 & 1;
}

/* Whether the run can take it as it is now. */
static bool op_fits(const aq_strip *s, const aq_strip_op *op)
{
  const unsigned each = s->wave32 ? 1 : 2;
  for (unsigned i = 0; i < op->source_count; i++) {
    const unsigned v = op->sources[i].value;
    if (v >= AQ_STRIP_MASK && v < AQ_STRIP_MOVED &&
        overlaps_mask(s, v - AQ_STRIP_MASK, each, true))
      return false;
    if (v >= AQ_STRIP_SCALAR && v < AQ_STRIP_MASK &&
        overlaps_mask(s, v - AQ_STRIP_SCALAR, 1, false))
      return false;
  }
  for (unsigned i = 0; i < op->result_count; i++)
    if (op->results[i] >= AQ_STRIP_MASK &&
        (overlaps_mask(s, op->results[i] - AQ_STRIP_MASK, each, true) ||
         s->mask_count + 2 > AQ_STRIP_MASKS))
      return false;
  if (op->rule->nan == AQ_STRIP_LOAD &&
      (s->load_count == AQ_STRIP_LOADS ||
       (op->o->dest2 != AQ_WAVE_NONE &&
        overlaps_mask(s, op->o->dest2, 2, false))))
    return false;
  if (s->count > 0 &&
      (aq_strip_is_moved_float(&s->list[0]) || aq_strip_is_moved_float(op)))
    return false;
  /* The handlers of strips that leave would move rows that the others wrote. */
  if (op->moves ? s->may_leave || s->move_count == AQ_STRIP_MOVES ||
                      row_is_written(s, op->from)
                : s->move_count > 0 && op->rule->nan != AQ_STRIP_PLAIN)
    return false;
  return s->count < AQ_STRIP_MAX && s->rows_written + 4 < AQ_STRIP_SPILLS;
}

static void mask_add(aq_strip *s, unsigned code)
{
  for (unsigned i = 0; i < s->mask_count; i++)
    if (s->masks[i] == code)
      return;
  s->masks[s->mask_count++] = (uint16_t)code;
}

bool aq_strip_add(aq_strip *s, const aq_wave_op *o, unsigned rest)
{
  const aq_strip_rule *rule = aq_strip_rule_of(s->texts, o);
  if (!rule)
    return false;
  aq_strip_op op = {.o = o, .rule = rule, .move = aq_wave_text_move(o)};
  const bool loads = rule->nan == AQ_STRIP_LOAD;
  for (int i = 0; rule->sources[i]; i++)
    source_read(&op, o, i + loads, rule->sources[i]);
  results_read(&op, o);
  if (!rule->sources[0])
    source_put(&op, o->decoded->address, 0, NULL);
  op.moves = op.move || !rule->sources[0];
  op.from = op.move ? o->source[0] : o->decoded->data;
  const bool halves =
      rule->nan == AQ_STRIP_HALVES || rule->nan == AQ_STRIP_MIXES;
  if (halves && (op.part = aq_wave_ruled_part(o)))
    source_put(&op, op.results[0], 0, NULL); /* the rest of its register */
  if (rule->nan == AQ_STRIP_LOOKS_VCC)
    source_put(&op, AQ_STRIP_MASK + AQ_ISA_VCC, 0, NULL);
  if (!op_fits(s, &op))
    return false;
  for (unsigned i = 0; i < op.source_count; i++) {
    const unsigned v = op.sources[i].value;
    if (v >= AQ_STRIP_MASK && v < AQ_STRIP_MOVED) {
      for (unsigned k = 0; k < 2; k++)
        s->scalars_read[(v - AQ_STRIP_MASK + k) / 64] |=
            (uint64_t)1 << (v - AQ_STRIP_MASK + k) % 64;
    } else if (v >= AQ_STRIP_SCALAR && v < AQ_STRIP_MASK) {
      s->scalars_read[(v - AQ_STRIP_SCALAR) / 64] |=
          (uint64_t)1 << (v - AQ_STRIP_SCALAR) % 64;
    }
  }
  if (loads) {
    op.load = (uint8_t)s->load_count++;
    if (aq_strip_is_shared(&op))
      aq_strip_shared_join(s, &op);
    else
      s->reaches = true;
    for (unsigned k = 0; o->dest2 != AQ_WAVE_NONE && k < 2; k++)
      s->scalars_read[(o->dest2 + k) / 64] |= (uint64_t)1
                                              << (o->dest2 + k) % 64;
  }
  if (op.moves)
    aq_strip_move_join(s, &op);
  for (unsigned i = 0; i < op.result_count; i++)
    if (op.results[i] >= AQ_STRIP_MASK) {
      mask_add(s, op.results[i] - AQ_STRIP_MASK);
    } else if (op.results[i] < AQ_WAVE_ROWS) {
      s->rows_written++;
      s->written[op.results[i] / 64] |= (uint64_t)1 << op.results[i] % 64;
    }
  s->may_leave |= rule->nan != AQ_STRIP_PLAIN;
  s->doubles |= rule->nan == AQ_STRIP_WIDE;
  s->halves |= halves;
  s->program[s->count] = (aq_strip_step){.o = o, .rest = (uint16_t)rest};
  s->list[s->count++] = op;
  return true;
}
