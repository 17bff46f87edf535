/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/native_emit.h"

#include <inttypes.h>
#include <stddef.h>
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

static void streams_close(aq_wave_segment *g)
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
  streams_close(g);
  texts_free(g);
  free(g);
}

/* ---- which instructions ---- */

static bool is_exec(unsigned code)
{
  return code == AQ_ISA_EXEC || code == AQ_ISA_EXEC + 1;
}

static unsigned words_of(const char *type)
{
  return !*type ? 0 : type[1] == '6' ? 2 : 1;
}

static bool is_vector(const aq_wave_text *t)
{
  return t->shape <= AQ_WAVE_TEXT_PICK;
}

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
        (signs && operand->bits != 32 * words_of(t->sources[i])) ||
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
  if (!is_vector(t))
    return t;
  for (int i = 0; i < 3; i++)
    if (o->kind[i] == AQ_WAVE_S && is_exec(o->r[i]))
      return NULL;
  const bool mask_in = t->shape == AQ_WAVE_TEXT_PICK ||
                       (t->shape == AQ_WAVE_TEXT_CARRY && t->carry_in);
  const uint16_t to = t->shape == AQ_WAVE_TEXT_COMPARE ? o->d : o->e;
  const bool mask_out =
      t->shape == AQ_WAVE_TEXT_COMPARE || t->shape == AQ_WAVE_TEXT_CARRY;
  return (mask_in && o->kind[2] != AQ_WAVE_S) || (mask_out && is_exec(to))
             ? NULL
             : t;
}

/* ---- scalars ---- */

static const char *scalar_name(aq_wave_segment *g, unsigned code, char *name)
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

static void scc_name(aq_wave_segment *g, char *name)
{
  if (!g->scc.number) {
    g->scc.number = ++g->numbers;
    fprintf(g->heads, "const uint32_t scc_%u = scc0;\n", g->scc.number);
  }
  snprintf(name, NAME, "scc_%u", g->scc.number);
}

void aq_wave_segment_scalars(aq_wave_segment *g, unsigned code, char *text)
{
  char low[NAME], high[NAME];
  scalar_name(g, code, low);
  scalar_name(g, code + 1, high);
  snprintf(text, PAIR, "(%s | (uint64_t)%s << 32)", low, high);
}

/* A source of a scalar instruction, or one that is the same in all lanes. */
static void scalar_source(aq_wave_segment *g, const aq_wave_op *o, int i,
                          unsigned words, char *text)
{
  if (o->kind[i] == AQ_WAVE_K && words == 2)
    snprintf(text, PAIR, "0x%" PRIx64 "ull", o->k[i]);
  else if (o->kind[i] == AQ_WAVE_K)
    snprintf(text, PAIR, "0x%xu", (uint32_t)o->k[i]);
  else if (words == 2)
    aq_wave_segment_scalars(g, o->r[i], text);
  else
    scalar_name(g, o->r[i], text);
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
static bool scalar_conflicts(const aq_wave_segment *g, const aq_wave_op *o,
                             const aq_wave_text *t, bool *exec)
{
  const unsigned to = words_of(t->result);
  bool conflict = to && aq_wave_segment_has_mask(g, o->d, to);
  *exec = t->shape == AQ_WAVE_TEXT_SAVE ||
          (to && (is_exec(o->d) || is_exec(o->d + to - 1u)));
  for (int i = 0; i < 2; i++) {
    const unsigned n = words_of(t->sources[i]);
    const bool old = t->immediate && i == 0;
    const unsigned code = old ? o->d : o->r[i];
    if (n == 0 ||
        (!old && (o->kind[i] != AQ_WAVE_S || (t->immediate && i == 1))))
      continue;
    conflict |= aq_wave_segment_has_mask(g, code, n);
    *exec |= is_exec(code) || is_exec(code + n - 1);
  }
  if (t->reads_old || t->immediate) {
    conflict |= aq_wave_segment_has_mask(g, o->d, 1);
    *exec |= is_exec(o->d);
  }
  return conflict || (*exec && g->lanes);
}

static void sources_write(aq_wave_segment *g, const aq_wave_op *o,
                          const aq_wave_text *t, char texts[2][PAIR])
{
  for (int i = 0; i < 2; i++) {
    const unsigned n = words_of(t->sources[i]);
    if (n == 0)
      snprintf(texts[i], PAIR, "0");
    else if (t->immediate && i == 1)
      snprintf(texts[i], PAIR, "(uint32_t)%" PRId32, o->imm);
    else if (t->immediate)
      scalar_name(g, o->d, texts[i]);
    else
      scalar_source(g, o, i, n, texts[i]);
  }
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
  const unsigned n = words_of(t->result);
  char a[PAIR], x[PAIR];
  scalar_source(g, o, 0, n, a);
  if (n == 2)
    aq_wave_segment_scalars(g, AQ_ISA_EXEC, x);
  else
    scalar_name(g, AQ_ISA_EXEC, x);
  fprintf(g->steps,
          "{ const uint%u_t a = %s, x = %s; const uint%u_t r = %s; "
          "const uint%u_t kept = %s;\n",
          32 * n, a, x, 32 * n, t->expression, 32 * n, t->second);
  result_write(g, o->d, n, "kept");
  result_write(g, AQ_ISA_EXEC, n, "r");
  fprintf(g->steps, "scc_%u = r != 0; }\n", scc_written(g));
}

static void scalar_write(aq_wave_segment *g, const aq_wave_op *o,
                         const aq_wave_text *t)
{
  char s[2][PAIR], in[NAME], old[PAIR] = "0";
  const unsigned to = words_of(t->result);
  if (t->shape == AQ_WAVE_TEXT_SAVE) {
    save_write(g, o, t);
    return;
  }
  sources_write(g, o, t, s);
  if (t->reads_old && to == 2)
    aq_wave_segment_scalars(g, o->d, old);
  else if (t->reads_old)
    scalar_name(g, o->d, old);
  const char *types[] = {words_of(t->sources[0]) == 2 ? "uint64_t" : "uint32_t",
                         words_of(t->sources[1]) == 2 ? "uint64_t"
                                                      : "uint32_t"};
  fprintf(g->steps, "{ const %s a = %s; const %s b = %s; (void)a; (void)b;\n",
          types[0], s[0], types[1], s[1]);
  if (t->shape == AQ_WAVE_TEXT_TEST) {
    fprintf(g->steps, "scc_%u = %s; }\n", scc_written(g), t->expression);
    return;
  }
  scc_name(g, in);
  fprintf(g->steps,
          "const uint32_t in = %s; uint32_t scc = in; (void)scc;\n"
          "const uint%u_t OLD%u = %s; (void)OLD%u;\n"
          "const uint%u_t r = (uint%u_t)(%s); %s;\n",
          in, 32 * to, 32 * to, old, 32 * to, 32 * to, 32 * to, t->expression,
          t->second);
  result_write(g, o->d, to, "r");
  if (strcmp(t->second, "KEEP") != 0)
    fprintf(g->steps, "scc_%u = scc; }\n", scc_written(g));
  else
    fprintf(g->steps, "}\n");
}

/* ---- lanes ---- */

/* Where a row's value of the group is: a temporary, or the register. */
static void row_place(const aq_wave_segment *g, unsigned row, char *text)
{
  snprintf(text, NAME, g->rows[row].held ? "t%u[j]" : "R(%u)", row);
}

static row_value *row_read(aq_wave_segment *g, unsigned row)
{
  row_value *r = &g->rows[row];
  if (!r->number) {
    char place[NAME];
    row_place(g, row, place);
    r->number = ++g->numbers;
    r->begun = WORD;
    r->read = true;
    fprintf(g->each, "const uint32_t x%u = %s;\n", r->number, place);
  }
  return r;
}

/* Two rows that were not read so far. */
static void pair_read(aq_wave_segment *g, unsigned row)
{
  row_value *r = &g->rows[row];
  const uint32_t number = ++g->numbers;
  char low[NAME], high[NAME];
  row_place(g, row, low);
  row_place(g, row + 1, high);
  if (r[0].held || r[1].held)
    fprintf(g->each, "const uint64_t x%u = %s | (uint64_t)%s << 32;\n", number,
            low, high);
  else
    fprintf(g->each, "const uint64_t x%u = P(%u, %u);\n", number, row, row + 1);
  for (int i = 0; i < 2; i++) {
    r[i].number = number;
    r[i].part = i ? HIGH : LOW;
    r[i].begun = i ? PAIR_HIGH : PAIR_LOW;
    r[i].read = true;
  }
}

void aq_wave_segment_row(aq_wave_segment *g, unsigned row, char *text)
{
  const row_value *r = row_read(g, row);
  snprintf(text, NAME, "%s(x%u%s)", r->part == WHOLE ? "" : "(uint32_t)",
           r->number, r->part == HIGH ? " >> 32" : "");
}

static void row_pair(aq_wave_segment *g, unsigned row, char *text)
{
  char low[NAME], high[NAME];
  if (!g->rows[row].number && !g->rows[row + 1].number)
    pair_read(g, row);
  const row_value *a = row_read(g, row), *b = row_read(g, row + 1);
  if (a->number == b->number && a->part == LOW && b->part == HIGH) {
    snprintf(text, PAIR, "x%u", a->number);
    return;
  }
  aq_wave_segment_row(g, row, low);
  aq_wave_segment_row(g, row + 1, high);
  snprintf(text, PAIR, "(%s | (uint64_t)%s << 32)", low, high);
}

static void lane_source(aq_wave_segment *g, const aq_wave_op *o, int i,
                        unsigned words, char *text)
{
  if (o->kind[i] != AQ_WAVE_V)
    scalar_source(g, o, i, words, text);
  else if (words == 2)
    row_pair(g, o->r[i], text);
  else
    aq_wave_segment_row(g, o->r[i], text);
}

/* Whether the host's compiler must not know a source as a constant: it would
 * compute with it, without MODE. A 0 makes other values constant; a mask of the
 * sign is a negation to it, which it moves as if rounding were to nearest. */
static bool constant_is_secret(const aq_wave_segment *g, const aq_wave_op *o,
                               const aq_wave_text *t, int i)
{
  const bool floats =
      *t->sources[i] == 'f' || strncmp(t->name, "v_cvt", 5) == 0;
  bool all = true;
  for (int k = 0; k < 3; k++)
    all &= !*t->sources[k] || o->kind[k] == AQ_WAVE_K;
  const uint32_t k =
      (uint32_t)(o->k[i] >> (words_of(t->sources[i]) == 2 ? 32 : 0));
  return o->kind[i] == AQ_WAVE_K
             ? floats || all || k == 0 || k == 0x80000000 || k == 0x7fffffff
         : o->kind[i] == AQ_WAVE_S ? g->scalars[o->r[i]].written
                                   : false;
}

static void constant_hide(aq_wave_segment *g, const aq_wave_op *o,
                          const aq_wave_text *t, int i, char *text)
{
  if (!constant_is_secret(g, o, t, i))
    return;
  const uint32_t number = ++g->numbers;
  fprintf(g->steps, "uint%u_t k%u = %s; HIDE(k%u);\n",
          32 * words_of(t->sources[i]), number, text, number);
  snprintf(text, PAIR, "k%u", number);
}

static unsigned signs_of(const aq_wave_op *o, unsigned source)
{
  const aq_isa_inst *inst = &o->more->inst;
  unsigned i = 0;
  if (o->run != aq_wave_form_run)
    return 0;
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (inst->operands[k].role != 'D' && inst->operands[k].role != 'E' &&
        i++ == source)
      return inst->operands[k].modifiers;
  return 0;
}

static const char *type_of(const char *type)
{
  static const char *const types[][2] = {
      {"u32", "uint32_t"}, {"i32", "int32_t"}, {"f32", "float"},
      {"u64", "uint64_t"}, {"i64", "int64_t"}, {"f64", "double"},
      {"u16", "uint16_t"}, {"i16", "int16_t"}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strncmp(types[i][0], type, 3) == 0)
      return types[i][1];
  return "uint32_t";
}

/* ---- NaNs ---- */

/* The variable that has all of a source; 0: none has. */
static uint32_t source_number(const aq_wave_segment *g, const aq_wave_op *o,
                              int i, unsigned words)
{
  const row_value *r = &g->rows[o->r[i]];
  if (o->kind[i] != AQ_WAVE_V)
    return 0;
  if (words == 1)
    return r->part == WHOLE ? r->number : 0;
  return r[0].number == r[1].number && r[0].part == LOW && r[1].part == HIGH
             ? r->number
             : 0;
}

/* Sums and products of NaNs are NaNs, so that only the last of a chain has to
 * be looked at. */
static void float_used(aq_wave_segment *g, uint32_t number)
{
  for (unsigned i = 0; number && i < g->float_count; i++)
    if (g->floats[i] >> 1 == number)
      g->floats[i] = g->floats[--g->float_count];
}

static void float_made(aq_wave_segment *g, uint32_t number, unsigned words)
{
  g->floats[g->float_count++] = number << 1 | (words == 2);
}

/* Whether one of the open part's floats is a NaN, two at once. */
static void floats_write(aq_wave_segment *g)
{
  uint32_t before[2] = {0};
  for (unsigned i = 0; i < g->float_count; i++) {
    const uint32_t number = g->floats[i] >> 1, wide = g->floats[i] & 1;
    const unsigned bits = 32u << wide;
    if (before[wide])
      fprintf(g->each,
              "nan |= __builtin_isunordered(lane_f%u(x%u), lane_f%u(x%u));\n",
              bits, before[wide], bits, number);
    before[wide] = before[wide] ? 0 : number;
  }
  for (unsigned wide = 0; wide < 2; wide++) {
    const unsigned bits = 32u << wide;
    if (before[wide])
      fprintf(g->each, "nan |= lane_f%u(x%u) != lane_f%u(x%u);\n", bits,
              before[wide], bits, before[wide]);
  }
}

/* Declares a source as a, b or c. */
static void operand_write(aq_wave_segment *g, const aq_wave_op *o,
                          const aq_wave_text *t, int i)
{
  char text[PAIR];
  const char *type = t->sources[i];
  const unsigned words = words_of(type), signs = signs_of(o, (unsigned)i);
  const char *sign = words == 2 ? "sign64" : "sign32"; /* hidden */
  lane_source(g, o, i, words, text);
  if (t->shape == AQ_WAVE_TEXT_NAN)
    float_used(g, source_number(g, o, i, words));
  constant_hide(g, o, t, i, text);
  const char *load = strncmp(type, "f32", 3) == 0   ? "lane_f32"
                     : strncmp(type, "f64", 3) == 0 ? "lane_f64"
                                                    : "";
  fprintf(g->each, "const %s %c = (%s)%s(((uint%u_t)%s%s%s)%s%s);\n",
          type_of(type), 'a' + i, type_of(type), load, 32 * words, text,
          signs & AQ_ISA_ABS ? " & ~" : "", signs & AQ_ISA_ABS ? sign : "",
          signs & AQ_ISA_NEG ? " ^ " : "", signs & AQ_ISA_NEG ? sign : "");
}

/* The bit of the lane of a mask that the instruction reads. */
static void mask_write(aq_wave_segment *g, const aq_wave_op *o, char *text)
{
  const scalar_value *s = &g->scalars[o->r[2]];
  char pair[PAIR];
  if (s->mask) {
    snprintf(text, NAME, s->part == g->parts ? "c%u" : "(b%u[j] & 1)", s->mask);
    return;
  }
  const uint32_t number = ++g->numbers;
  if (g->wave32)
    scalar_name(g, o->r[2], pair);
  else
    aq_wave_segment_scalars(g, o->r[2], pair);
  fprintf(g->each, "const uint32_t p%u = (uint32_t)(%s >> g) >> j & 1;\n",
          number, pair);
  snprintf(text, NAME, "p%u", number);
}

static void mask_written(aq_wave_segment *g, unsigned code, uint32_t number)
{
  g->scalars[code].mask = number;
  g->scalars[code].part = g->parts;
  g->scalars[code].second = false;
  if (g->wave32)
    return;
  g->scalars[code + 1].mask = 0;
  g->scalars[code + 1].second = true;
}

static void row_written(aq_wave_segment *g, unsigned row, unsigned words,
                        uint32_t number)
{
  for (unsigned i = 0; i < words; i++) {
    row_value *r = &g->rows[row + i];
    r->number = number;
    r->stamp = ++g->numbers;
    r->part = words == 1 ? WHOLE : i ? HIGH : LOW;
    r->written = r->open = true;
  }
}

/* Results that are two words of their own. */
static void words_write(aq_wave_segment *g, const aq_wave_op *o,
                        const aq_wave_text *t)
{
  char low[PAIR], high[PAIR], texts[3][400];
  int n = 0;
  for (; n < 3 && *t->sources[n]; n++) {
    const bool wide = words_of(t->sources[n]) == 2;
    snprintf(high, sizeof high, "0");
    if (o->kind[n] == AQ_WAVE_V) {
      aq_wave_segment_row(g, o->r[n], low);
      if (wide)
        aq_wave_segment_row(g, o->r[n] + 1u, high);
    } else if (o->kind[n] == AQ_WAVE_S) {
      scalar_name(g, o->r[n], low);
      if (wide)
        scalar_name(g, o->r[n] + 1u, high);
    } else {
      snprintf(low, sizeof low, "0x%xu", (uint32_t)o->k[n]);
      snprintf(high, sizeof high, "0x%xu", (uint32_t)(o->k[n] >> 32));
    }
    snprintf(texts[n], sizeof texts[n], "%s, %ch = %s", low, 'a' + n, high);
  }
  const uint32_t first = ++g->numbers, second = ++g->numbers;
  fprintf(g->each, "uint32_t x%u, x%u; { uint32_t lo, hi;\n", first, second);
  for (int i = 0; i < n; i++)
    fprintf(g->each, "const uint32_t %cl = %s; (void)%ch;\n", 'a' + i, texts[i],
            'a' + i);
  fprintf(g->each, "%s x%u = lo; x%u = hi; }\n", t->expression, first, second);
  row_written(g, o->d, 1, first);
  row_written(g, o->d + 1u, 1, second);
}

static void lane_write(aq_wave_segment *g, const aq_wave_op *o,
                       const aq_wave_text *t)
{
  const unsigned words = words_of(t->result);
  const uint32_t number = ++g->numbers;
  char mask[NAME] = "";
  g->open = true;
  g->wide |= words == 2 && t->shape <= AQ_WAVE_TEXT_NAN;
  if (t->shape == AQ_WAVE_TEXT_WORDS) {
    words_write(g, o, t);
    return;
  }
  if (t->shape == AQ_WAVE_TEXT_PICK || t->carry_in)
    mask_write(g, o, mask);
  /* Rows that are read for the first time are declared outside. */
  char ignored[PAIR];
  for (int i = 0; i < 3; i++)
    if (o->kind[i] == AQ_WAVE_V && *t->sources[i])
      lane_source(g, o, i, words_of(t->sources[i]), ignored);
  if (words)
    fprintf(g->each, "uint%u_t x%u;\n", 32 * words, number);
  const bool bit =
      t->shape == AQ_WAVE_TEXT_CARRY || t->shape == AQ_WAVE_TEXT_COMPARE;
  if (bit)
    fprintf(g->each, "uint32_t c%u;\n", number);
  fprintf(g->each, "{\n");
  for (int i = 0; i < 3 && *t->sources[i]; i++)
    operand_write(g, o, t, i);
  switch (t->shape) {
  case AQ_WAVE_TEXT_NAN:
    fprintf(g->each, "const %s r = %s; x%u = lane_bits%u(r); }\n",
            words == 2 ? "double" : "float", t->expression, number, 32 * words);
    g->nan = true;
    float_made(g, number, words);
    g->doubles |= words == 2;
    break;
  case AQ_WAVE_TEXT_CARRY:
    fprintf(g->each,
            "const uint32_t i = %s; (void)i; const uint%u_t r = %s;\n"
            "x%u = r; c%u = (%s) ? 1 : 0; }\n",
            *mask ? mask : "0", 32 * words, t->expression, number, number,
            t->second);
    break;
  case AQ_WAVE_TEXT_COMPARE:
    fprintf(g->each, "(void)a; (void)b; c%u = (%s) ? 1 : 0; }\n", number,
            t->expression);
    break;
  case AQ_WAVE_TEXT_PICK:
    fprintf(g->each, "x%u = %s ? b : a; }\n", number, mask);
    break;
  default:
    fprintf(g->each, "x%u = (uint%u_t)(%s); }\n", number, 32 * words,
            t->expression);
  }
  if (words)
    row_written(g, o->d, words, number);
  if (bit)
    mask_written(g, t->shape == AQ_WAVE_TEXT_COMPARE ? o->d : o->e, number);
}

/* Whether a vector instruction must come after the segment so far. */
static bool lane_conflicts(const aq_wave_segment *g, const aq_wave_op *o,
                           const aq_wave_text *t)
{
  const bool masked = t->shape == AQ_WAVE_TEXT_PICK || t->carry_in;
  const unsigned words = g->wave32 ? 1 : 2;
  for (int i = 0; i < 3; i++)
    if (o->kind[i] == AQ_WAVE_S && *t->sources[i] &&
        aq_wave_segment_has_mask(g, o->r[i], words_of(t->sources[i])))
      return true;
  if (masked && !g->scalars[o->r[2]].mask &&
      aq_wave_segment_has_mask(g, o->r[2], words))
    return true;
  if (masked && g->scalars[o->r[2]].mask && words == 2 &&
      !g->scalars[o->r[2] + 1].second)
    return true;
  if (t->shape != AQ_WAVE_TEXT_CARRY && t->shape != AQ_WAVE_TEXT_COMPARE)
    return g->exec;
  /* Masks that overlap. */
  const uint16_t to = t->shape == AQ_WAVE_TEXT_COMPARE ? o->d : o->e;
  const scalar_value *s = &g->scalars[to];
  return g->exec || s->second || (words == 2 && s[1].mask);
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
  floats_write(g);
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
      (load           ? aq_wave_segment_excludes(g, o, load)
       : is_vector(t) ? lane_conflicts(g, o, t)
                      : scalar_conflicts(g, o, t, &exec)))
    aq_wave_segment_flush(g);
  g->rests[g->count] = (uint16_t)rest;
  g->list[g->count++] = (uint16_t)(o - g->ops);
  if (load) {
    aq_wave_segment_load(g, o, load);
  } else if (is_vector(t)) {
    g->lanes = true;
    lane_write(g, o, t);
  } else {
    g->exec |= exec;
    scalar_write(g, o, t);
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

static void masks_commit(const aq_wave_segment *g, const char *how)
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
  masks_commit(g, "|=");
  fprintf(g->out, "}\n");
}

static void lanes_commit(const aq_wave_segment *g)
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
  lanes_commit(g);
  fprintf(g->out, "}\n");
}

void aq_wave_segment_flush(aq_wave_segment *g)
{
  if (g->count == 0)
    return;
  aq_wave_segment_close(g);
  aq_wave_segment_fetch(g);
  streams_close(g);
  fprintf(g->out,
          "{\nconst uint32_t ieee = MODE & %d, scc0 = SCC; (void)ieee; SIGNS "
          "(void)scc0;\n%s%s",
          AQ_WAVE_MODE_IEEE, g->texts_made[0], g->texts_made[1]);
  if (g->lanes)
    lanes_flush(g);
  scalars_commit(g);
  if (g->lanes)
    masks_commit(g, "=");
  if (has_slow(g))
    slow_write(g);
  fprintf(g->out, "}\n");
  if (has_slow(g))
    fprintf(g->out, "N%u:;\n", g->list[0]);
  texts_free(g);
  segment_clear(g);
  streams_open(g);
}

/* ---- loops ---- */

/* Whether it reads a scalar before lanes write it as a mask: the next turn
 * would read the mask. */
static bool reads_masks(const aq_wave_segment *g)
{
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].number && (g->scalars[i].mask || g->scalars[i].second))
      return true;
  return false;
}

/* Whether two rows are one value from turn to turn. */
static bool is_pair(const aq_wave_segment *g, unsigned row)
{
  const row_value *a = &g->rows[row], *b = a + 1;
  return row + 1 < AQ_WAVE_ROWS && a->number && a->number == b->number &&
         a->part == LOW && b->part == HIGH &&
         (a->begun == UNREAD || a->begun == PAIR_LOW) &&
         (b->begun == UNREAD || b->begun == PAIR_HIGH);
}

static bool is_word(const aq_wave_segment *g, unsigned row)
{
  return g->rows[row].number && !is_pair(g, row) &&
         !(row > 0 && is_pair(g, row - 1));
}

/* Scalars live in `sl` and `scc0` from turn to turn. */
static void turn_scalars_write(const aq_wave_segment *g)
{
  fprintf(g->out, "%s%s", g->texts_made[0], g->texts_made[1]);
}

static void turn_scalars_end(const aq_wave_segment *g)
{
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].written)
      fprintf(g->out, "s[%u] = s%u_%u;\n", i, i, g->scalars[i].number);
  if (g->scc.written)
    fprintf(g->out, "scc0 = scc_%u;\n", g->scc.number);
}

static void turns_begin(const aq_wave_segment *g, const char *name)
{
  fprintf(g->out, "uint32_t %s[%d]; uint32_t scc0 = SCC; (void)scc0;\n", name,
          AQ_WAVE_SCALARS);
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].number)
      fprintf(g->out, "%s[%u] = s[%u];\n", name, i, i);
}

/* How often the loop runs, and the scalars after it. */
static void turns_count(const aq_wave_segment *g, const char *condition,
                        unsigned count)
{
  fprintf(g->out,
          "uint32_t turns = 0; uint32_t after[%d], scc_after;\n"
          "const uint32_t most = (uint32_t)((n + %u) / %u);\n{\n",
          AQ_WAVE_SCALARS, count, count);
  turns_begin(g, "sl");
  fprintf(g->out, "{ uint32_t *const s = sl; (void)s; do {\n");
  turn_scalars_write(g);
  turn_scalars_end(g);
  fprintf(g->out, "turns++; } while ((%s) && turns < most); }\n", condition);
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].written)
      fprintf(g->out, "after[%u] = sl[%u];\n", i, i);
  fprintf(g->out, "scc_after = scc0; }\n(void)after;\n");
}

/* Lanes of a group, all turns. */
static void turns_lanes_write(const aq_wave_segment *g)
{
  turns_begin(g, "sl");
  fprintf(g->out, "uint32_t *const vrow = &v[0][g]; (void)vrow;\n");
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (g->rows[i].number)
      fprintf(g->out, "uint32_t t%u[16] ALIGNED; keep(t%u, &vrow[ROW * %u]);\n",
              i, i, i);
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (is_pair(g, i))
      fprintf(g->out,
              "uint64_t q%u[16] ALIGNED; EACH(j) q%u[j] = t%u[j] | "
              "(uint64_t)t%u[j] << 32;\n",
              i, i, i, i + 1);
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask)
      fprintf(g->out, "uint32_t b%u[16] ALIGNED = {0};\n", g->scalars[i].mask);
  if (g->nan)
    fprintf(g->out, "uint32_t nans[16] ALIGNED = {0};\n");
  fprintf(g->out, "for (uint32_t turn = 0; turn < turns; turn++) {\n"
                  "uint32_t *const s = sl; (void)s;\n");
  turn_scalars_write(g);
  fprintf(g->out, "EACH(j) { const int l = g + j; (void)l;\n%s",
          g->nan ? "uint32_t nan = 0;\n" : "");
  for (unsigned i = 0; i + 1 < AQ_WAVE_ROWS; i++)
    if (is_pair(g, i))
      fprintf(g->out, "const uint64_t p%u = q%u[j];\n", i, i);
    else if (g->rows[i].begun == PAIR_LOW)
      fprintf(g->out, "const uint64_t p%u = t%u[j] | (uint64_t)t%u[j] << 32;\n",
              i, i, i + 1);
  fputs(g->texts_made[2], g->out);
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (is_pair(g, i) && g->rows[i].written)
      fprintf(g->out, "q%u[j] = x%u;\n", i, g->rows[i].number);
    else if (is_word(g, i) && g->rows[i].written)
      fprintf(g->out, "t%u[j] = (uint32_t)(x%u%s);\n", i, g->rows[i].number,
              g->rows[i].part == HIGH ? " >> 32" : "");
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask)
      fprintf(g->out, "b%u[j] = 0u - c%u;\n", g->scalars[i].mask,
              g->scalars[i].mask);
  fprintf(g->out, "%s}\n", g->nan ? "nans[j] |= 0u - nan;\n" : "");
  turn_scalars_end(g);
  fprintf(g->out, "}\n");
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (is_pair(g, i))
      fprintf(g->out,
              "EACH(j) { t%u[j] = (uint32_t)q%u[j]; t%u[j] = "
              "(uint32_t)(q%u[j] >> 32); }\n",
              i, i, i + 1, i);
}

static void slow_turns_write(const aq_wave_segment *g, const char *exec)
{
  fprintf(g->out, "static const uint16_t list[] = {");
  for (unsigned i = 0; i < g->count; i++)
    fprintf(g->out, "%u,", g->list[i]);
  fprintf(g->out,
          "}; for (uint32_t turn = 0; turn < turns; turn++) "
          "slow(w, ops, list, %u, %s);\n",
          g->count, exec);
}

static void turns_groups_write(const aq_wave_segment *g)
{
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask)
      fprintf(g->out, "uint64_t m%u = 0;\n", g->scalars[i].mask);
  if (g->wide) {
    fprintf(g->out, "if (UNLIKELY(SPLIT)) {\n");
    slow_turns_write(g, "exec");
    fprintf(g->out, "goto N%u; }\n", g->list[0]);
  }
  fprintf(g->out, "#undef R\n#define R(i) t##i[j]\n"
                  "#undef P\n#define P(i, k) p##i\n"
                  "for (int g = 0; g < LANES; g += 16) {\n"
                  "const uint32_t on = (uint32_t)(exec >> g) & 0xffff;\n"
                  "if (UNLIKELY(!on)) continue;\n");
  turns_lanes_write(g);
  if (g->nan) {
    fprintf(g->out, "if (UNLIKELY(bits(nans) & on)) {\n");
    slow_turns_write(g, "exec & ~(uint64_t)0 << g");
    masks_commit(g, "|=");
    fprintf(g->out, "goto N%u; }\n", g->list[0]);
  }
  lanes_commit(g);
  fprintf(g->out, "}\n#undef R\n#define R(i) v[i][l]\n"
                  "#undef P\n#define P(i, k) (v[i][l] | (uint64_t)v[k][l] << "
                  "32)\n");
}

bool aq_wave_segment_loop(aq_wave_segment *g, const char *condition,
                          unsigned added, unsigned count)
{
  if (g->count != added || !g->lanes || g->exec || g->parts > 0 ||
      reads_masks(g) || !g->doubles)
    return false;
  const bool named = g->nan || g->wide;
  floats_write(g);
  streams_close(g);
  fprintf(g->out,
          "{\nconst uint32_t ieee = MODE & %d; (void)ieee; SIGNS\n"
          "const uint64_t exec = EXEC;\n",
          AQ_WAVE_MODE_IEEE);
  turns_count(g, condition, count);
  fprintf(g->out, "n -= (int64_t)(turns - 1) * %u;\n", count);
  turns_groups_write(g);
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].written && !g->scalars[i].mask && !g->scalars[i].second)
      fprintf(g->out, "s[%u] = after[%u];\n", i, i);
  fprintf(g->out, "SCC = scc_after;\n");
  masks_commit(g, "=");
  fprintf(g->out, "}\n");
  if (named)
    fprintf(g->out, "N%u:;\n", g->list[0]);
  texts_free(g);
  segment_clear(g);
  streams_open(g);
  return true;
}

/* ---- prelude ---- */

void aq_wave_prelude_write(FILE *out, bool wave32)
{
  fprintf(out,
          "#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n"
          "enum { LANES = %d };\n"
          "#define S_AT %zu\n#define V_AT %zu\n#define SCC_AT %zu\n"
          "#define MODE_AT %zu\n#define OP %zu\n#define ROW %d\n"
          "#define GRID (*(char **)(w + %zu))\n"
          "#define AT (*(const char **)(w + %zu))\n"
          "#define LDS (*(uint8_t **)(*(char **)(w + %zu) + %zu))\n"
          "#define LDS_SIZE (*(uint32_t *)(GRID + %zu))\n"
          "#define RANGE_AT %zu\n#define RANGES_AT %zu\n#define RANGES %d\n",
          wave32 ? 32 : 64, offsetof(aq_wave, s), offsetof(aq_wave, v),
          offsetof(aq_wave, scc), offsetof(aq_wave, mode), sizeof(aq_wave_op),
          AQ_WAVE_LANES, offsetof(aq_wave, grid), offsetof(aq_wave, at),
          offsetof(aq_wave, group), offsetof(aq_wave_group, lds),
          offsetof(aq_wave_grid, lds_size), offsetof(aq_wave_grid, range),
          offsetof(aq_wave_grid, ranges), AQ_WAVE_RANGES);
  fputs("#define SCC (*(uint32_t *)(w + SCC_AT))\n"
        "#define MODE (*(uint32_t *)(w + MODE_AT))\n"
        "#define EXEC (*(pair *)(w + S_AT + 4 * 126))\n"
        "#define VCC (*(pair *)(w + S_AT + 4 * 106))\n"
        "#define SPLIT ((MODE ^ MODE >> 2) & 0x33)\n"
        "#define ALIGNED __attribute__((aligned(64)))\n"
        "#define LIKELY(x) __builtin_expect(x, 1)\n"
        "#define UNLIKELY(x) __builtin_expect(x, 0)\n"
        "#define HIDE(x) __asm__(\"\" : \"+r\"(x))\n"
        "#define SIGNS uint32_t sign32 = 0x80000000u; HIDE(sign32); uint64_t "
        "sign64 = (uint64_t)1 << 63; HIDE(sign64);\n"
        "#define R(i) v[i][l]\n"
        "#define P(i, k) (v[i][l] | (uint64_t)v[k][l] << 32)\n"
        "#define EACH(j) for (int j = 0; j < 16; j++)\n"
        "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
        "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
        "#define MED3(a, b, c) MAX(MIN(a, b), MIN(MAX(a, b), c))\n"
        "#define NAN2D(r) (r)\n#define NAN3D(r) (r)\n#define IEEE ieee\n"
        "#define UBYTE(n) lane_bits32((float)(a >> (8 * n) & 0xff))\n"
        "#define KEEP (void)0\n#define NONZERO scc = r != 0\n"
        "typedef uint64_t __attribute__((may_alias)) pair;\n"
        "typedef uint32_t __attribute__((vector_size(64), may_alias)) row16;\n"
        "typedef const char *handler(char *w, const char *o);\n"
        "typedef struct outcome { const char *next; int64_t left; } outcome;\n",
        out);
  fputs(aq_wave_text_functions, out);
  fputs(
      "static inline void keep(uint32_t *d, const uint32_t *t) {\n"
      "  *(row16 *)d = *(const row16 *)t;\n}\n"
      "static inline void mix(uint32_t *d, const uint32_t *t, uint32_t on) {\n"
      "  EACH(j) { const uint32_t m = 0u - (on >> j & 1);\n"
      "    d[j] = (t[j] & m) | (d[j] & ~m); }\n}\n"
      "static inline uint32_t bits(const uint32_t *b) {\n"
      "#if defined(__AVX512F__) && !defined(__clang__)\n"
      "  typedef int v16 __attribute__((vector_size(64)));\n"
      "  const v16 x = (v16)*(const row16 *)b;\n"
      "  return (uint32_t)(uint16_t)__builtin_ia32_ptestmd512(x, x, "
      "(short)-1);\n"
      "#else\n"
      "  uint32_t r = 0; EACH(j) r |= b[j] & 1u << j; return r;\n"
      "#endif\n}\n"
      "static __attribute__((noinline, cold)) unsigned slow(char *w, const "
      "char *ops, const uint16_t *list, unsigned count, uint64_t some) {\n"
      "  const uint64_t all = EXEC; EXEC = some; unsigned k = 0;\n"
      "  for (; k < count; k++) {\n"
      "    const char *o = ops + OP * list[k];\n"
      "    if (!(*(handler **)o)(w, o)) break; }\n"
      "  EXEC = all; return k;\n}\n"
      "#define RUN(i) (*(handler **)(ops + OP * (i)))(w, ops + OP * (i))\n"
      "#define OUT(to, n) return (outcome){to, n}\n"
      "#define CALL(i, next, rest) do { const char *to = RUN(i); \\\n"
      "  if (UNLIKELY(to != ops + OP * (next))) OUT(to, n + (rest)); } while "
      "(0)\n",
      out);
  fputs(aq_wave_load_functions, out);
}
