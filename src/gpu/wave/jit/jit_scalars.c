/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/jit_segment.h"

#include <inttypes.h>

const char *aq_wave_segment_scalar_name(aq_wave_segment *g, unsigned code,
                                        char *name)
{
  scalar_value *s = &g->scalars[code];
  if (!s->number) {
    s->number = ++g->numbers;
    fprintf(g->heads, "const uint32_t s%u_%u = s[%u];\n", code, s->number,
            code);
  }
  snprintf(name, NAME, "s%u_%u", code, s->number);
  return name;
}

void aq_wave_segment_scalars(aq_wave_segment *g, unsigned code, char *text)
{
  char low[NAME], high[NAME];
  aq_wave_segment_scalar_name(g, code, low);
  aq_wave_segment_scalar_name(g, code + 1, high);
  snprintf(text, PAIR, "(%s | (uint64_t)%s << 32)", low, high);
}

/* A source of a scalar instruction, or one that is the same in all lanes. */
void aq_wave_segment_scalar_source(aq_wave_segment *g, const aq_wave_op *o,
                                   int i, unsigned words, char *text)
{
  if (o->kind[i] == AQ_WAVE_CONSTANT && words == 2)
    snprintf(text, PAIR, "0x%" PRIx64 "ull", o->constant[i]);
  else if (o->kind[i] == AQ_WAVE_CONSTANT)
    snprintf(text, PAIR, "0x%xu", (uint32_t)o->constant[i]);
  else if (words == 2)
    aq_wave_segment_scalars(g, o->source[i], text);
  else
    aq_wave_segment_scalar_name(g, o->source[i], text);
}

static void scalar_written(aq_wave_segment *g, unsigned code, uint32_t number)
{
  g->scalars[code] = (scalar_value){.number = number, .written = true};
}

bool aq_wave_segment_has_mask(const aq_wave_segment *g, unsigned code,
                              unsigned words)
{
  for (unsigned i = 0; i < words; i++)
    if (g->scalars[code + i].mask || g->scalars[code + i].second)
      return true;
  return false;
}

/* Whether a scalar instruction must come after the segment so far. */
bool aq_wave_segment_scalar_conflicts(const aq_wave_segment *g,
                                      const aq_wave_op *o,
                                      const aq_wave_text *t, bool *exec)
{
  const unsigned to = aq_wave_type_words(t->result);
  bool conflict = to && aq_wave_segment_has_mask(g, o->dest, to);
  *exec =
      t->shape == AQ_WAVE_TEXT_SAVE ||
      (to && (aq_wave_is_exec(o->dest) || aq_wave_is_exec(o->dest + to - 1u)));
  for (int i = 0; i < 2; i++) {
    const unsigned n = aq_wave_type_words(t->sources[i]);
    const bool old = t->immediate && i == 0;
    const unsigned code = old ? o->dest : o->source[i];
    if (n == 0 ||
        (!old && (o->kind[i] != AQ_WAVE_SGPR || (t->immediate && i == 1))))
      continue;
    conflict |= aq_wave_segment_has_mask(g, code, n);
    *exec |= aq_wave_is_exec(code) || aq_wave_is_exec(code + n - 1);
  }
  if (t->reads_old || t->immediate) {
    conflict |= aq_wave_segment_has_mask(g, o->dest, 1);
    *exec |= aq_wave_is_exec(o->dest);
  }
  return conflict || (*exec && (g->lanes || g->loads));
}

static void result_write(aq_wave_segment *g, unsigned code, unsigned words,
                         const char *what)
{
  for (unsigned i = 0; i < words; i++) {
    const uint32_t number = ++g->numbers;
    fprintf(g->heads, "uint32_t s%u_%u;\n", code + i, number);
    fprintf(g->steps, "s%u_%u = (uint32_t)(%s%s);\n", code + i, number, what,
            i ? " >> 32" : "");
    scalar_written(g, code + i, number);
  }
}

static uint32_t scc_written(aq_wave_segment *g)
{
  g->scc = (scalar_value){.number = ++g->numbers, .written = true};
  fprintf(g->heads, "uint32_t scc_%u;\n", g->scc.number);
  return g->scc.number;
}

static void save_write(aq_wave_segment *g, const aq_wave_op *o,
                       const aq_wave_text *t)
{
  const unsigned n = aq_wave_type_words(t->result);
  char a[PAIR], x[PAIR];
  aq_wave_segment_scalar_source(g, o, 0, n, a);
  if (n == 2)
    aq_wave_segment_scalars(g, AQ_ISA_EXEC, x);
  else
    aq_wave_segment_scalar_name(g, AQ_ISA_EXEC, x);
  fprintf(g->steps,
          "{ const uint%u_t a = %s, x = %s; const uint%u_t r = %s; "
          "const uint%u_t kept = %s;\n",
          32 * n, a, x, 32 * n, t->expression, 32 * n, t->second);
  result_write(g, o->dest, n, "kept");
  result_write(g, AQ_ISA_EXEC, n,
               n == 2 ? "(r & UINT64_MAX >> (64 - LANES))" : "r");
  fprintf(g->steps, "scc_%u = r != 0; }\n", scc_written(g));
}

void aq_wave_segment_scalar(aq_wave_segment *g, const aq_wave_op *o,
                            const aq_wave_text *t)
{
  char s[2][PAIR], in[NAME], old[PAIR] = "0";
  const unsigned to = aq_wave_type_words(t->result);
  if (t->shape == AQ_WAVE_TEXT_SAVE) {
    save_write(g, o, t);
    return;
  }
  for (int i = 0; i < 2; i++) {
    const unsigned n = aq_wave_type_words(t->sources[i]);
    if (n == 0)
      snprintf(s[i], PAIR, "0");
    else if (t->immediate && i == 1)
      snprintf(s[i], PAIR, "(uint32_t)%" PRId32, o->imm);
    else if (t->immediate)
      aq_wave_segment_scalar_name(g, o->dest, s[i]);
    else
      aq_wave_segment_scalar_source(g, o, i, n, s[i]);
  }
  if (t->reads_old && to == 2)
    aq_wave_segment_scalars(g, o->dest, old);
  else if (t->reads_old)
    aq_wave_segment_scalar_name(g, o->dest, old);
  const char *types[] = {
      aq_wave_type_words(t->sources[0]) == 2 ? "uint64_t" : "uint32_t",
      aq_wave_type_words(t->sources[1]) == 2 ? "uint64_t" : "uint32_t"};
  fprintf(g->steps, "{ const %s a = %s; const %s b = %s; (void)a; (void)b;\n",
          types[0], s[0], types[1], s[1]);
  if (t->shape == AQ_WAVE_TEXT_TEST) {
    fprintf(g->steps, "scc_%u = %s; }\n", scc_written(g), t->expression);
    return;
  }
  if (!g->scc.number) {
    g->scc.number = ++g->numbers;
    fprintf(g->heads, "const uint32_t scc_%u = scc0;\n", g->scc.number);
  }
  snprintf(in, NAME, "scc_%u", g->scc.number);
  fprintf(g->steps,
          "const uint32_t in = %s; uint32_t scc = in; (void)scc;\n"
          "const uint%u_t OLD%u = %s; (void)OLD%u;\n"
          "const uint%u_t r = (uint%u_t)(%s); %s;\n",
          in, 32 * to, 32 * to, old, 32 * to, 32 * to, 32 * to, t->expression,
          t->second);
  result_write(g, o->dest, to, "r");
  if (strcmp(t->second, "KEEP") != 0)
    fprintf(g->steps, "scc_%u = scc; }\n", scc_written(g));
  else
    fprintf(g->steps, "}\n");
}
