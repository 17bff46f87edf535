/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/native_emit.h"

#include <stdlib.h>

#include "wave/mode.h"
#include "wave/native_segment.h"

/* ---- life ---- */

static bool streams_open(aq_wave_segment *g)
{
  FILE **files[] = {&g->heads, &g->steps, &g->each, &g->body};
  bool ok = true;
  for (int i = 0; i < STREAMS; i++) {
    *files[i] = open_memstream(&g->texts_made[i], &g->sizes[i]);
    ok &= *files[i] != NULL;
  }
  return ok;
}

void aq_wave_segment_texts_end(aq_wave_segment *g)
{
  FILE *files[] = {g->heads, g->steps, g->each, g->body};
  for (int i = 0; i < STREAMS; i++)
    if (files[i])
      fclose(files[i]);
  g->heads = g->steps = g->each = g->body = NULL;
}

static void texts_free(aq_wave_segment *g)
{
  for (int i = 0; i < STREAMS; i++) {
    free(g->texts_made[i]);
    g->texts_made[i] = NULL;
  }
}

static void segment_clear(aq_wave_segment *g)
{
  g->count = g->parts = g->addresses_made = g->pending_count = 0;
  g->numbers = 1;
  g->lanes = g->exec = g->nan = g->wide = g->doubles = g->loads = false;
  g->open = false;
  g->float_count = 0;
  memset(g->rows, 0, sizeof g->rows);
  memset(g->scalars, 0, sizeof g->scalars);
  memset(&g->scc, 0, sizeof g->scc);
}

aq_wave_segment *aq_wave_segment_create(const aq_wave_texts *texts,
                                        const aq_wave_op *ops, bool wave32,
                                        FILE *out)
{
  aq_wave_segment *g = calloc(1, sizeof *g);
  if (!g)
    return NULL;
  g->texts = texts;
  g->ops = ops;
  g->wave32 = wave32;
  g->out = out;
  segment_clear(g);
  if (streams_open(g))
    return g;
  aq_wave_segment_destroy(g);
  return NULL;
}

void aq_wave_segment_destroy(aq_wave_segment *g)
{
  if (!g)
    return;
  aq_wave_segment_texts_end(g);
  texts_free(g);
  free(g);
}

/* Begins the next segment. */
void aq_wave_segment_restart(aq_wave_segment *g)
{
  texts_free(g);
  segment_clear(g);
  streams_open(g);
}

/* ---- which instructions ---- */

/* Signs of plain operands are the only form that has a text. */
static bool form_is_signs(const aq_isa_inst *inst, const aq_wave_text *t)
{
  if ((inst->form != AQ_ISA_E64 && inst->form != AQ_ISA_E32) || inst->clamp ||
      inst->omod || inst->op_sel || inst->row->flags & AQ_ISA_OPSEL ||
      inst->row->encoding == AQ_ISA_VOP3P || aq_wave_form_keeps_half(inst))
    return false;
  unsigned i = 0;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    const aq_isa_operand *operand = &inst->operands[k];
    if (operand->role == 'D' || operand->role == 'E')
      continue;
    const unsigned signs = operand->modifiers;
    if (operand->select < 6 || (signs && i >= 3) ||
        (signs && operand->bits != 32 * aq_wave_type_words(t->sources[i])) ||
        signs & ~(unsigned)(AQ_ISA_NEG | AQ_ISA_ABS))
      return false;
    i++;
  }
  return t->shape != AQ_WAVE_TEXT_WORDS;
}

static const aq_wave_text *text_of(const aq_wave_segment *g,
                                   const aq_wave_op *o)
{
  const bool formed = o->run == aq_wave_form_run;
  const aq_wave_text *t =
      aq_wave_text_of(g->texts, formed ? o->more->base : o->run);
  if (!t || (formed && !form_is_signs(&o->more->inst, t)))
    return NULL;
  if (!aq_wave_text_is_vector(t))
    return t;
  for (int i = 0; i < 3; i++)
    if (o->kind[i] == AQ_WAVE_S && aq_wave_is_exec(o->r[i]))
      return NULL;
  const bool mask_in = t->shape == AQ_WAVE_TEXT_PICK ||
                       (t->shape == AQ_WAVE_TEXT_CARRY && t->carry_in);
  const uint16_t to = t->shape == AQ_WAVE_TEXT_COMPARE ? o->d : o->e;
  const bool mask_out =
      t->shape == AQ_WAVE_TEXT_COMPARE || t->shape == AQ_WAVE_TEXT_CARRY;
  return (mask_in && o->kind[2] != AQ_WAVE_S) ||
                 (mask_out && aq_wave_is_exec(to))
             ? NULL
             : t;
}

/* ---- parts ---- */

static void part_declare(const aq_wave_segment *g)
{
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (g->rows[i].open && !g->rows[i].held)
      fprintf(g->body, "uint32_t t%u[16] ALIGNED;\n", i);
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask && g->scalars[i].part == g->parts)
      fprintf(g->body, "uint32_t b%u[16] ALIGNED;\n", g->scalars[i].mask);
}

void aq_wave_segment_close(aq_wave_segment *g)
{
  if (!g->open)
    return;
  aq_wave_segment_fetch(g);
  const bool nan = g->float_count > 0;
  aq_wave_segment_floats(g);
  fclose(g->each);
  part_declare(g);
  fprintf(g->body, "EACH(j) { const int l = g + j; (void)l;\n%s%s",
          nan ? "uint32_t nan = 0;\n" : "", g->texts_made[2]);
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++) {
    row_value *r = &g->rows[i];
    if (r->open)
      fprintf(g->body, "t%u[j] = (uint32_t)(x%u%s);\n", i, r->number,
              r->part == HIGH ? " >> 32" : "");
    r->held |= r->open;
    r->open = false;
    r->number = 0;
    r->part = WHOLE;
  }
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask && g->scalars[i].part == g->parts)
      fprintf(g->body, "b%u[j] = 0u - c%u;\n", g->scalars[i].mask,
              g->scalars[i].mask);
  fprintf(g->body, "%s}\n", nan ? "nans[j] |= 0u - nan;\n" : "");
  free(g->texts_made[2]);
  g->texts_made[2] = NULL;
  g->each = open_memstream(&g->texts_made[2], &g->sizes[2]);
  g->open = false;
  g->float_count = 0;
  g->parts++;
}

/* ---- the whole ---- */

bool aq_wave_segment_add(aq_wave_segment *g, const aq_wave_op *o, unsigned rest)
{
  const aq_wave_load *load = aq_wave_load_of(g->texts, o->run);
  const aq_wave_text *t = load ? NULL : text_of(g, o);
  if (!t && !load) {
    aq_wave_segment_flush(g);
    return false;
  }
  bool exec = false;
  if (g->count == AQ_WAVE_SEGMENT_MAX ||
      (load ? aq_wave_segment_excludes(g, o, load)
       : aq_wave_text_is_vector(t)
           ? aq_wave_segment_lane_conflicts(g, o, t)
           : aq_wave_segment_scalar_conflicts(g, o, t, &exec)))
    aq_wave_segment_flush(g);
  g->rests[g->count] = (uint16_t)rest;
  g->list[g->count++] = (uint16_t)(o - g->ops);
  if (load) {
    aq_wave_segment_load(g, o, load);
  } else if (aq_wave_text_is_vector(t)) {
    g->lanes = true;
    aq_wave_segment_lane(g, o, t);
  } else {
    g->exec |= exec;
    aq_wave_segment_scalar(g, o, t);
  }
  return true;
}

static void scalars_commit(const aq_wave_segment *g)
{
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].written && !g->scalars[i].mask && !g->scalars[i].second)
      fprintf(g->out, "s[%u] = s%u_%u;\n", i, i, g->scalars[i].number);
  if (g->scc.written)
    fprintf(g->out, "SCC = scc_%u;\n", g->scc.number);
}

void aq_wave_segment_masks_commit(const aq_wave_segment *g, const char *how)
{
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask) {
      const uint32_t number = g->scalars[i].mask;
      fprintf(g->out, "s[%u] %s (uint32_t)(m%u & exec);\n", i, how, number);
      if (!g->wave32)
        fprintf(g->out, "s[%u] %s (uint32_t)((m%u & exec) >> 32);\n", i + 1,
                how, number);
    }
}

static void list_write(const aq_wave_segment *g, const char *name,
                       const uint16_t *numbers)
{
  fprintf(g->out, "static const uint16_t %s[] = {", name);
  for (unsigned i = 0; i < g->count; i++)
    fprintf(g->out, "%u,", numbers[i]);
  fprintf(g->out, "};\n");
}

/* The handlers do the segment for the lanes from group g on. */
static void slow_write(const aq_wave_segment *g)
{
  fprintf(g->out, "goto N%u;\nF%u: {\n", g->list[0], g->list[0]);
  list_write(g, "list", g->list);
  if (g->loads)
    list_write(g, "rests", g->rests);
  fprintf(g->out, "%sslow(w, ops, list, %u, exec & ~(uint64_t)0 << g);\n",
          g->loads ? "const unsigned k = " : "", g->count);
  if (g->loads)
    fprintf(g->out, "if (k < %u) OUT(0, n + rests[k]);\n", g->count);
  aq_wave_segment_masks_commit(g, "|=");
  fprintf(g->out, "}\n");
}

void aq_wave_segment_lanes_commit(const aq_wave_segment *g)
{
  fprintf(g->out, "if (LIKELY(on == 0xffff)) {\n");
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (g->rows[i].written)
      fprintf(g->out, "keep(&v[%u][g], t%u);\n", i, i);
  fprintf(g->out, "} else {\n");
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (g->rows[i].written)
      fprintf(g->out, "mix(&v[%u][g], t%u, on);\n", i, i);
  fprintf(g->out, "}\n");
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask)
      fprintf(g->out, "m%u |= (uint64_t)bits(b%u) << g;\n", g->scalars[i].mask,
              g->scalars[i].mask);
}

static bool has_slow(const aq_wave_segment *g)
{
  return g->nan || g->wide || g->loads;
}

static void lanes_flush(const aq_wave_segment *g)
{
  fprintf(g->out, "const uint64_t exec = EXEC; int g = 0;\n");
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask)
      fprintf(g->out, "uint64_t m%u = 0;\n", g->scalars[i].mask);
  if (g->wide)
    fprintf(g->out, "if (UNLIKELY(SPLIT)) goto F%u;\n", g->list[0]);
  fprintf(g->out,
          "for (; g < LANES; g += 16) {\n"
          "const uint32_t on = (uint32_t)(exec >> g) & 0xffff;\n"
          "if (UNLIKELY(!on)) continue;\n%s%s",
          g->nan ? "uint32_t nans[16] ALIGNED = {0};\n" : "", g->texts_made[3]);
  if (g->nan)
    fprintf(g->out, "if (UNLIKELY(bits(nans) & on)) goto F%u;\n", g->list[0]);
  aq_wave_segment_lanes_commit(g);
  fprintf(g->out, "}\n");
}

void aq_wave_segment_flush(aq_wave_segment *g)
{
  if (g->count == 0)
    return;
  aq_wave_segment_close(g);
  aq_wave_segment_fetch(g);
  aq_wave_segment_texts_end(g);
  fprintf(g->out,
          "{\nconst uint32_t ieee = MODE & %d, scc0 = SCC; (void)ieee; SIGNS "
          "(void)scc0;\n%s%s",
          AQ_WAVE_MODE_IEEE, g->texts_made[0], g->texts_made[1]);
  if (g->lanes)
    lanes_flush(g);
  scalars_commit(g);
  if (g->lanes)
    aq_wave_segment_masks_commit(g, "=");
  if (has_slow(g))
    slow_write(g);
  fprintf(g->out, "}\n");
  if (has_slow(g))
    fprintf(g->out, "N%u:;\n", g->list[0]);
  aq_wave_segment_restart(g);
}
