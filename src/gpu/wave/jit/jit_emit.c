/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/jit_emit.h"

#include <stdlib.h>

#include "gpu/wave/core/mode.h"
#include "gpu/wave/jit/jit_segment.h"

/* ---- life ---- */

static bool streams_open(aq_wave_segment *g)
{
  FILE **files[] = {&g->heads, &g->steps, &g->each,
                    &g->body,  &g->tail,  &g->group};
  bool ok = true;
  for (int i = 0; i < STREAMS; i++) {
    *files[i] = open_memstream(&g->texts_made[i], &g->sizes[i]);
    ok &= *files[i] != NULL;
  }
  return ok;
}

void aq_wave_segment_texts_end(aq_wave_segment *g)
{
  FILE *files[] = {g->heads, g->steps, g->each, g->body, g->tail, g->group};
  for (int i = 0; i < STREAMS; i++)
    if (files[i])
      fclose(files[i]);
  g->heads = g->steps = g->each = g->body = g->tail = g->group = NULL;
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
  g->lanes = g->exec = g->nan = g->wide = g->doubles = false;
  g->loads = g->far_loads = g->stores = g->moves = false;
  g->open = false;
  g->float_count = g->affine_uses = 0;
  memset(g->rows, 0, sizeof g->rows);
  memset(g->scalars, 0, sizeof g->scalars);
  memset(&g->scc, 0, sizeof g->scc);
}

static aq_wave_segment *form_create(const aq_wave_texts *texts,
                                    const aq_wave_op *ops,
                                    const aq_wave_lives *lives, bool wave32,
                                    FILE *out)
{
  aq_wave_segment *g = calloc(1, sizeof *g);
  if (!g)
    return NULL;
  g->texts = texts;
  g->ops = ops;
  g->lives = lives;
  g->wave32 = wave32;
  g->out = out;
  segment_clear(g);
  if (streams_open(g))
    return g;
  aq_wave_segment_destroy(g);
  return NULL;
}

aq_wave_segment *aq_wave_segment_create(const aq_wave_texts *texts,
                                        const aq_wave_op *ops,
                                        const aq_wave_lives *lives, bool wave32,
                                        FILE *out)
{
  aq_wave_segment *g = form_create(texts, ops, lives, wave32, out);
  if (!g)
    return NULL;
  g->fast = form_create(texts, ops, lives, wave32, out);
  if (g->fast)
    return g;
  aq_wave_segment_destroy(g);
  return NULL;
}

void aq_wave_segment_destroy(aq_wave_segment *g)
{
  if (!g)
    return;
  aq_wave_segment_destroy(g->fast);
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

/* ---- parts ---- */

/* The open part's results go into arrays. */
static void part_results(aq_wave_segment *g)
{
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++) {
    row_value *r = &g->rows[i];
    if (r->open) {
      r->array = ++g->numbers;
      fprintf(g->body, "uint32_t t%u[LANES] ALIGNED;\n", r->array);
      fprintf(g->each, "t%u[l] = (uint32_t)(x%u%s);\n", r->array, r->number,
              r->part == HIGH ? " >> 32" : "");
    }
    r->open = false;
    r->number = 0;
    r->part = WHOLE;
  }
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++) {
    const scalar_value *s = &g->scalars[i];
    if (s->mask && s->part == g->parts) {
      fprintf(g->body, "uint32_t b%u[LANES] ALIGNED;\n", s->mask);
      fprintf(g->each, "b%u[l] = 0u - c%u;\n", s->mask, s->mask);
    }
  }
}

/* Forgets the text of a stream. */
static void stream_renew(aq_wave_segment *g, FILE **file, int i)
{
  fclose(*file);
  free(g->texts_made[i]);
  g->texts_made[i] = NULL;
  *file = open_memstream(&g->texts_made[i], &g->sizes[i]);
}

void aq_wave_segment_close(aq_wave_segment *g)
{
  if (!g->open)
    return;
  const bool nan = g->float_count > 0;
  aq_wave_segment_floats(g);
  part_results(g);
  fflush(g->each);
  fflush(g->group);
  aq_wave_segment_part(g, g->texts_made[2], g->texts_made[5], nan);
  stream_renew(g, &g->each, 2);
  stream_renew(g, &g->group, 5);
  g->open = false;
  g->float_count = 0;
  g->parts++;
}

/* ---- the whole ---- */

/* Whether an instruction must come after the segment so far; *exec: it reads or
 * writes EXEC as a scalar. */
static bool conflicts(const aq_wave_segment *g, const aq_wave_op *o,
                      const aq_wave_transfer *transfer, const aq_wave_text *t,
                      bool *exec)
{
  const bool follows = g->stores && !(transfer && transfer->store);
  if (transfer)
    return follows || aq_wave_segment_excludes(g, o, transfer);
  if (aq_wave_text_is_vector(t))
    return follows || aq_wave_segment_lane_conflicts(g, o, t);
  return aq_wave_segment_scalar_conflicts(g, o, t, exec) || follows;
}

bool aq_wave_segment_add(aq_wave_segment *g, const aq_wave_op *o, unsigned rest)
{
  const aq_wave_transfer *transfer = aq_wave_transfer_for(g->texts, o);
  const aq_wave_text *t = transfer ? NULL : aq_wave_text_for(g->texts, o);
  bool exec = false;
  if (!t && !transfer) {
    aq_wave_segment_flush(g);
    return false;
  }
  if (g->count == AQ_WAVE_SEGMENT_MAX || conflicts(g, o, transfer, t, &exec))
    aq_wave_segment_flush(g);
  g->rests[g->count] = (uint16_t)rest;
  g->list[g->count++] = (uint16_t)(o - g->ops);
  if (transfer) {
    aq_wave_segment_transfer(g, o, transfer);
  } else if (aq_wave_text_is_vector(t)) {
    g->lanes = true;
    aq_wave_segment_lane(g, o, t);
  } else {
    g->exec |= exec;
    aq_wave_segment_scalar(g, o, t);
  }
  return true;
}

bool aq_wave_segment_row_lives(const aq_wave_segment *g, unsigned row)
{
  return g->rows[row].written &&
         aq_wave_lives_row(g->lives, g->list[g->count - 1], row);
}

bool aq_wave_segment_scalar_lives(const aq_wave_segment *g, unsigned code)
{
  return aq_wave_lives_scalar(g->lives, g->list[g->count - 1], code);
}

static bool mask_lives(const aq_wave_segment *g, unsigned code)
{
  return aq_wave_segment_scalar_lives(g, code) ||
         (!g->wave32 && aq_wave_segment_scalar_lives(g, code + 1));
}

void aq_wave_segment_masks_commit(const aq_wave_segment *g, const char *how)
{
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask && mask_lives(g, i))
      fprintf(g->out,
              g->wave32 ? "s[%u] %s (uint32_t)(m%u & exec);\n"
                        : "*(words *)&s[%u] %s m%u & exec;\n",
              i, how, g->scalars[i].mask);
}

static bool scalar_commits(const aq_wave_segment *g, unsigned code)
{
  const scalar_value *s = &g->scalars[code];
  return code < AQ_WAVE_SCALARS && s->written && !s->mask && !s->second &&
         aq_wave_segment_scalar_lives(g, code);
}

/* Two at once: a read of both then does not wait for two writes. */
static void scalars_commit(const aq_wave_segment *g)
{
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++) {
    if (!scalar_commits(g, i))
      continue;
    const uint32_t number = g->scalars[i].number;
    if (i % 2 == 0 && scalar_commits(g, i + 1)) {
      fprintf(g->out, "*(words *)&s[%u] = s%u_%u | (uint64_t)s%u_%u << 32;\n",
              i, i, number, i + 1, g->scalars[i + 1].number);
      i++;
    } else {
      fprintf(g->out, "s[%u] = s%u_%u;\n", i, i, number);
    }
  }
  if (g->scc.written)
    fprintf(g->out, "SCC = scc_%u;\n", g->scc.number);
}

void aq_wave_segment_list(const aq_wave_segment *g, const char *name,
                          const uint16_t *numbers)
{
  fprintf(g->out, "static const uint16_t %s[] = {", name);
  for (unsigned i = 0; i < g->count; i++)
    fprintf(g->out, "%u,", numbers[i]);
  fprintf(g->out, "};\n");
}

/* The handlers do the segment. */
static void slow_write(const aq_wave_segment *g)
{
  fprintf(g->out, "goto N%u;\nF%u: {\n", g->list[0], g->list[0]);
  aq_wave_segment_list(g, "list", g->list);
  aq_wave_segment_list(g, "rests", g->rests);
  fprintf(g->out,
          "const unsigned k = slow(w, ops, list, %u, EXEC);\n"
          "if (k < %u) OUT(0, n + rests[k]);\n}\n",
          g->count, g->count);
}

static void lanes_flush(const aq_wave_segment *g)
{
  fprintf(g->out, "const uint64_t exec = %s; uint32_t bad = 0; (void)bad;\n",
          g->fast ? "EXEC" : "ALL");
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask)
      fprintf(g->out, "uint64_t m%u = 0;\n", g->scalars[i].mask);
  if (g->wide)
    fprintf(g->out, "if (UNLIKELY(SPLIT)) goto %c%u;\n",
            aq_wave_segment_else(g), g->list[0]);
  fprintf(g->out, "if (UNLIKELY(!exec)) {\n");
  scalars_commit(g);
  aq_wave_segment_masks_commit(g, "=");
  fprintf(g->out, "goto N%u; }\n%s", g->list[0], g->texts_made[3]);
  if (g->nan)
    fprintf(g->out, "if (UNLIKELY(bad)) goto %c%u;\n", aq_wave_segment_else(g),
            g->list[0]);
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (aq_wave_segment_row_lives(g, i))
      fprintf(g->out,
              g->fast ? "put(v[%u], t%u, exec);\n" : "row_copy(v[%u], t%u);\n",
              i, g->rows[i].array);
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask && mask_lives(g, i))
      fprintf(g->out,
              g->scalars[i].part == AQ_WAVE_PART_UNIFORM
                  ? "m%u = 0 - (uint64_t)c%u;\n"
                  : "m%u = bits64(b%u);\n",
              g->scalars[i].mask, g->scalars[i].mask);
  scalars_commit(g);
  aq_wave_segment_masks_commit(g, "=");
  fputs(g->texts_made[4], g->out);
}

/* Ends the texts and writes them. */
static void form_write(aq_wave_segment *g)
{
  aq_wave_segment_close(g);
  aq_wave_segment_bound(g);
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (aq_wave_segment_row_lives(g, i)) {
      aq_wave_affine_array(g, i);
      aq_wave_segment_fetch(g, g->rows[i].array);
    }
  aq_wave_segment_texts_end(g);
  fprintf(g->out,
          "{\nconst uint32_t ieee = MODE & %d, scc0 = SCC; (void)ieee; SIGNS "
          "(void)scc0;\n%s%s",
          AQ_WAVE_MODE_IEEE, g->texts_made[0], g->texts_made[1]);
  if (g->lanes)
    lanes_flush(g);
  else
    scalars_commit(g);
}

/* Before the general form, which the fast one skips. */
static void fast_write(aq_wave_segment *g)
{
  aq_wave_segment *fast = g->fast;
  aq_wave_fast_fill(g, fast);
  if (fast->affine_uses > 0) {
    fprintf(g->out, "if (UNLIKELY(EXEC != ALL)) goto G%u;\n", g->list[0]);
    form_write(fast);
    fprintf(g->out, "goto N%u; }\nG%u:;\n", g->list[0], g->list[0]);
  } else {
    aq_wave_segment_texts_end(fast);
  }
  aq_wave_segment_restart(fast);
}

void aq_wave_segment_flush(aq_wave_segment *g)
{
  if (g->count == 0)
    return;
  if (g->lanes)
    fast_write(g);
  form_write(g);
  if (g->nan || g->wide || g->loads)
    slow_write(g);
  fprintf(g->out, "}\nN%u:;\n", g->list[0]);
  aq_wave_segment_restart(g);
}
