/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/operand_modifiers.h"
#include "gpu/wave/jit/jit_segment.h"

/* ---- sources ---- */

/* Where a row's value of before the open part is. */
static void row_place(aq_wave_segment *g, unsigned row, char *text)
{
  const uint32_t array = g->rows[row].array;
  if (aq_wave_segment_waits(g, array))
    snprintf(text, NAME, "T%u", array);
  else if (array)
    snprintf(text, NAME, "t%u[l]", array);
  else if (g->rows[row].affine)
    snprintf(text, NAME, "(y%u + d%u * (uint32_t)l)", g->rows[row].affine,
             g->rows[row].affine);
  else
    snprintf(text, NAME, "R(%u)", row);
}

static row_value *row_read(aq_wave_segment *g, unsigned row)
{
  row_value *r = &g->rows[row];
  if (!r->number) {
    char place[NAME];
    row_place(g, row, place);
    r->number = ++g->numbers;
    r->begun = WORD;
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
  if (r[0].array || r[1].array || r[0].affine || r[1].affine)
    fprintf(g->each, "const uint64_t x%u = %s | (uint64_t)%s << 32;\n", number,
            low, high);
  else
    fprintf(g->each, "const uint64_t x%u = P(%u, %u);\n", number, row, row + 1);
  for (int i = 0; i < 2; i++) {
    r[i].number = number;
    r[i].part = i ? HIGH : LOW;
    r[i].begun = i ? PAIR_HIGH : PAIR_LOW;
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
  if (o->kind[i] != AQ_WAVE_VGPR)
    aq_wave_segment_scalar_source(g, o, i, words, text);
  else if (words == 2)
    row_pair(g, o->source[i], text);
  else
    aq_wave_segment_row(g, o->source[i], text);
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
    all &= !*t->sources[k] || o->kind[k] == AQ_WAVE_CONSTANT;
  const uint32_t k =
      (uint32_t)(o->constant[i] >>
                 (aq_wave_type_words(t->sources[i]) == 2 ? 32 : 0));
  return o->kind[i] == AQ_WAVE_CONSTANT
             ? floats || all || k == 0 || k == 0x80000000 || k == 0x7fffffff
         : o->kind[i] == AQ_WAVE_SGPR ? g->scalars[o->source[i]].written
                                      : false;
}

static void constant_hide(aq_wave_segment *g, const aq_wave_op *o,
                          const aq_wave_text *t, int i, char *text)
{
  if (!constant_is_secret(g, o, t, i))
    return;
  const uint32_t number = ++g->numbers;
  fprintf(g->steps, "uint%u_t k%u = %s; HIDE(k%u);\n",
          32 * aq_wave_type_words(t->sources[i]), number, text, number);
  snprintf(text, PAIR, "k%u", number);
}

static unsigned signs_of(const aq_wave_op *o, unsigned source)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  unsigned i = 0;
  if (o->run != aq_wave_form_run)
    return 0;
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (inst->operands[k].role != 'D' && inst->operands[k].role != 'E' &&
        i++ == source)
      return inst->operands[k].modifiers;
  return 0;
}

/* The part of a source that SDWA selects, or NULL. */
static const aq_wave_form_source *part_of(const aq_wave_op *o, int i)
{
  if (o->run != aq_wave_form_run || !o->decoded->form->sources[i].down)
    return NULL;
  return &o->decoded->form->sources[i];
}

static const char *type_of(const char *type)
{
  static const char *const types[][2] = {
      {"u32", "uint32_t"}, {"i32", "int32_t"}, {"f32", "float"},
      {"u64", "uint64_t"}, {"i64", "int64_t"}, {"f64", "double"},
      {"u16", "uint16_t"}, {"i16", "int16_t"}, {"f16", "float"}};
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
  const row_value *r = &g->rows[o->source[i]];
  if (o->kind[i] != AQ_WAVE_VGPR)
    return 0;
  if (words == 1)
    return r->part == WHOLE ? r->number : 0;
  return r[0].number == r[1].number && r[0].part == LOW && r[1].part == HIGH
             ? r->number
             : 0;
}

/* Sums and products of NaNs are NaNs, so that only the last of a chain has to
 * be looked at. */
static void aq_wave_segment_float_used(aq_wave_segment *g, uint32_t number)
{
  for (unsigned i = 0; number && i < g->float_count; i++)
    if (g->floats[i] >> 1 == number)
      g->floats[i] = g->floats[--g->float_count];
}

static void aq_wave_segment_float_made(aq_wave_segment *g, uint32_t number,
                                       unsigned words)
{
  g->floats[g->float_count++] = number << 1 | (words == 2);
}

/* Whether one of the open part's floats is a NaN, two at once. */
void aq_wave_segment_floats(aq_wave_segment *g)
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

/* ---- instructions ---- */

/* Declares a source as a, b or c; `moved`: the first one's value, or NULL. */
static void operand_write(aq_wave_segment *g, const aq_wave_op *o,
                          const aq_wave_text *t, int i,
                          const aq_wave_moved *moved)
{
  char text[PART], whole[PAIR];
  const char *type = t->sources[i];
  const aq_wave_form_source *part = part_of(o, i);
  const unsigned words = aq_wave_type_words(type),
                 signs = signs_of(o, (unsigned)i);
  const char *sign = words == 2 ? "sign64" : "sign32"; /* hidden */
  if (moved && i == 0)
    snprintf(whole, sizeof whole, "%s", moved->source);
  else
    lane_source(g, o, i, words, whole);
  if (t->shape == AQ_WAVE_TEXT_NAN && !part && !moved)
    aq_wave_segment_float_used(g, source_number(g, o, i, words));
  constant_hide(g, o, t, i, whole);
  if (!part)
    snprintf(text, PART, "%s", whole);
  else if (part->extends)
    snprintf(text, PART, "((uint32_t)((int32_t)((uint32_t)%s << %u) >> %u))",
             whole, part->up, part->down);
  else
    snprintf(text, PART, "((uint32_t)%s << %u >> %u)", whole, part->up,
             part->down);
  const char *load = strncmp(type, "f32", 3) == 0   ? "lane_f32"
                     : strncmp(type, "f64", 3) == 0 ? "lane_f64"
                     : strncmp(type, "f16", 3) == 0 ? "lane_comparable16"
                                                    : "";
  fprintf(g->each, "const %s %c = (%s)%s(((uint%u_t)%s%s%s)%s%s);\n",
          type_of(type), 'a' + i, type_of(type), load, 32 * words, text,
          signs & AQ_ISA_ABS ? " & ~" : "", signs & AQ_ISA_ABS ? sign : "",
          signs & AQ_ISA_NEG ? " ^ " : "", signs & AQ_ISA_NEG ? sign : "");
}

/* The bit of the lane of a mask that the instruction reads. */
static void mask_write(aq_wave_segment *g, const aq_wave_op *o, char *text)
{
  const scalar_value *s = &g->scalars[o->source[2]];
  char pair[PAIR];
  if (s->mask) {
    snprintf(text, NAME,
             s->part == g->parts || s->part == AQ_WAVE_PART_UNIFORM
                 ? "c%u"
                 : "(b%u[l] & 1)",
             s->mask);
    return;
  }
  const uint32_t number = ++g->numbers;
  if (g->wave32)
    aq_wave_segment_scalar_name(g, o->source[2], pair);
  else
    aq_wave_segment_scalars(g, o->source[2], pair);
  fprintf(g->each, "const uint32_t bit%u = (uint32_t)(%s >> g) >> j & 1;\n",
          number, pair);
  snprintf(text, NAME, "bit%u", number);
}

void aq_wave_segment_mask_written(aq_wave_segment *g, unsigned code,
                                  uint32_t number)
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
    r->affine = 0;
  }
}

/* Results that are two words of their own. */
static void words_write(aq_wave_segment *g, const aq_wave_op *o,
                        const aq_wave_text *t)
{
  char low[PAIR], high[PAIR], texts[3][400];
  int n = 0;
  for (; n < 3 && *t->sources[n]; n++) {
    const bool wide = aq_wave_type_words(t->sources[n]) == 2;
    snprintf(high, sizeof high, "0");
    if (o->kind[n] == AQ_WAVE_VGPR) {
      aq_wave_segment_row(g, o->source[n], low);
      if (wide)
        aq_wave_segment_row(g, o->source[n] + 1u, high);
    } else if (o->kind[n] == AQ_WAVE_SGPR) {
      aq_wave_segment_scalar_name(g, o->source[n], low);
      if (wide)
        aq_wave_segment_scalar_name(g, o->source[n] + 1u, high);
    } else {
      snprintf(low, sizeof low, "0x%xu", (uint32_t)o->constant[n]);
      snprintf(high, sizeof high, "0x%xu", (uint32_t)(o->constant[n] >> 32));
    }
    snprintf(texts[n], sizeof texts[n], "%s, %ch = %s", low, 'a' + n, high);
  }
  const uint32_t first = ++g->numbers, second = ++g->numbers;
  fprintf(g->each, "uint32_t x%u, x%u; { uint32_t lo, hi;\n", first, second);
  for (int i = 0; i < n; i++)
    fprintf(g->each, "const uint32_t %cl = %s; (void)%ch;\n", 'a' + i, texts[i],
            'a' + i);
  fprintf(g->each, "%s x%u = lo; x%u = hi; }\n", t->expression, first, second);
  row_written(g, o->dest, 1, first);
  row_written(g, o->dest + 1u, 1, second);
}

/* Lanes that DPP turns off keep their words; their bits are 0. */
static void lanes_off_write(const aq_wave_segment *g,
                            const aq_wave_moved *moved, uint32_t number,
                            bool bit, const char *kept)
{
  if (*kept)
    fprintf(g->each, "x%u = (x%u & %s) | (%s & ~%s);\n", number, number,
            moved->mask, kept, moved->mask);
  if (bit)
    fprintf(g->each, "c%u &= %s;\n", number, moved->mask);
}

/* Rows that are read for the first time are declared outside of the braces. */
static void rows_declare(aq_wave_segment *g, const aq_wave_op *o,
                         const aq_wave_text *t, const aq_wave_moved *moved,
                         char *kept)
{
  char ignored[PAIR];
  if (moved && *moved->mask && *t->result)
    aq_wave_segment_row(g, o->dest, kept);
  for (int i = moved ? 1 : 0; i < 3; i++)
    if (o->kind[i] == AQ_WAVE_VGPR && *t->sources[i])
      lane_source(g, o, i, aq_wave_type_words(t->sources[i]), ignored);
}

void aq_wave_segment_lane(aq_wave_segment *g, const aq_wave_op *o,
                          const aq_wave_text *t)
{
  const unsigned words = aq_wave_type_words(t->result);
  const bool moves = aq_wave_text_move(o) != NULL;
  aq_wave_moved values = {0};
  const aq_wave_moved *const moved = moves ? &values : NULL;
  char array[NAME], mask[NAME] = "", kept[NAME] = "";
  if (moves) {
    aq_wave_segment_array(g, o->source[0], array);
    aq_wave_segment_move(g, o, array, &values);
  }
  const uint32_t number = ++g->numbers;
  g->open = true;
  g->wide |= words == 2 && t->shape <= AQ_WAVE_TEXT_NAN;
  if (t->shape == AQ_WAVE_TEXT_WORDS) {
    words_write(g, o, t);
    return;
  }
  if (t->shape == AQ_WAVE_TEXT_PICK || t->carry_in)
    mask_write(g, o, mask);
  rows_declare(g, o, t, moved, kept);
  if (words)
    fprintf(g->each, "uint%u_t x%u;\n", 32 * words, number);
  const bool bit =
      t->shape == AQ_WAVE_TEXT_CARRY || t->shape == AQ_WAVE_TEXT_COMPARE;
  if (bit)
    fprintf(g->each, "uint32_t c%u;\n", number);
  fprintf(g->each, "{\n");
  for (int i = 0; i < 3 && *t->sources[i]; i++)
    operand_write(g, o, t, i, moved);
  switch (t->shape) {
  case AQ_WAVE_TEXT_NAN:
    fprintf(g->each, "const %s r = %s; x%u = lane_bits%u(r); }\n",
            words == 2 ? "double" : "float", t->expression, number, 32 * words);
    g->nan = true;
    aq_wave_segment_float_made(g, number, words);
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
  if (moved && *moved->mask)
    lanes_off_write(g, moved, number, bit, kept);
  if (words)
    row_written(g, o->dest, words, number);
  if (bit)
    aq_wave_segment_mask_written(
        g, t->shape == AQ_WAVE_TEXT_COMPARE ? o->dest : o->dest2, number);
}

/* Whether a vector instruction must come after the segment so far. */
bool aq_wave_segment_lane_conflicts(const aq_wave_segment *g,
                                    const aq_wave_op *o, const aq_wave_text *t)
{
  const bool masked = t->shape == AQ_WAVE_TEXT_PICK || t->carry_in;
  const unsigned words = g->wave32 ? 1 : 2;
  if (aq_wave_segment_move_conflicts(g, o))
    return true;
  for (int i = 0; i < 3; i++)
    if (o->kind[i] == AQ_WAVE_SGPR && *t->sources[i] &&
        aq_wave_segment_has_mask(g, o->source[i],
                                 aq_wave_type_words(t->sources[i])))
      return true;
  if (masked && !g->scalars[o->source[2]].mask &&
      aq_wave_segment_has_mask(g, o->source[2], words))
    return true;
  if (masked && g->scalars[o->source[2]].mask && words == 2 &&
      !g->scalars[o->source[2] + 1].second)
    return true;
  if (t->shape != AQ_WAVE_TEXT_CARRY && t->shape != AQ_WAVE_TEXT_COMPARE)
    return g->exec;
  /* Masks that overlap. */
  const uint16_t to = t->shape == AQ_WAVE_TEXT_COMPARE ? o->dest : o->dest2;
  const scalar_value *s = &g->scalars[to];
  return g->exec || s->second || (words == 2 && s[1].mask);
}
