/* SPDX-License-Identifier: MIT */
/*
 * The fast form of a segment, for waves all of whose lanes are on: addresses
 * that grow by the same step from lane to lane are two scalars, the first
 * lane's and the step, and words in a row are one access with one check.
 * A segment tests the registers that it begins with before anything changes;
 * where a test fails, its general form executes all of it.
 */
#include "config.h"

#include "gpu/wave/jit/jit_segment.h"

#include <inttypes.h>

/* A value of lanes: y, y + d, y + 2 d and so on, modulo 2^32. */
typedef struct affine {
  char y[PAIR], d[NAME];
  bool uniform; /* d is 0 */
} affine;

typedef enum affine_rule {
  NONE,
  COPY,
  SUM,
  DIFFERENCE,
  OR,
  SHIFT,     /* b << a */
  SHIFT_ADD, /* (a << b) + c */
  ADD_SHIFT, /* (a + b) << c */
  SHIFT_OR,  /* (a << b) | c */
  PRODUCT,
  CARRIES, /* a + b, and c as carry in */
  SHIFT64,
  COMPARE, /* in order, with a scalar */
} affine_rule;

static bool is_ordered(const aq_wave_op *o, const aq_wave_text *t)
{
  const char *type = t->sources[0], *how = t->name + strlen("v_cmp_");
  return (strcmp(type, "u32") == 0 || strcmp(type, "i32") == 0) &&
         (strncmp(how, "l", 1) == 0 || strncmp(how, "g", 1) == 0) &&
         strncmp(how, "lg", 2) != 0 &&
         (o->kind[0] == AQ_WAVE_VGPR) != (o->kind[1] == AQ_WAVE_VGPR);
}

static affine_rule rule_of(const aq_wave_op *o, const aq_wave_text *t)
{
  static const struct {
    const char *name;
    affine_rule rule;
  } rules[] = {{"v_mov_b32", COPY},
               {"v_add_u32", SUM},
               {"v_add3_u32", SUM},
               {"v_sub_u32", DIFFERENCE},
               {"v_or_b32", OR},
               {"v_lshlrev_b32", SHIFT},
               {"v_lshl_add_u32", SHIFT_ADD},
               {"v_add_lshl_u32", ADD_SHIFT},
               {"v_lshl_or_b32", SHIFT_OR},
               {"v_mul_lo_u32", PRODUCT},
               {"v_add_co_u32", CARRIES},
               {"v_addc_co_u32", CARRIES},
               {"v_lshlrev_b64", SHIFT64}};
  if (o->run != t->run)
    return NONE; /* a form */
  if (t->shape == AQ_WAVE_TEXT_COMPARE)
    return is_ordered(o, t) ? COMPARE : NONE;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strcmp(rules[i].name, t->name) == 0)
      return rules[i].rule;
  return NONE;
}

bool aq_wave_affine_has_rule(const aq_wave_op *o, const aq_wave_text *t)
{
  return rule_of(o, t) != NONE;
}

/* ---- values ---- */

/* Whether a row is such a value, or was not written, so that it may be. */
static bool row_may_be(const aq_wave_segment *g, unsigned row)
{
  return g->rows[row].affine || !g->rows[row].written;
}

static void condition_write(aq_wave_segment *g, const char *condition)
{
  fprintf(g->steps, "if (UNLIKELY(!(%s))) goto G%u;\n", condition, g->list[0]);
}

/* Else the general form. */
#define REQUIRE(g, ...)                                                        \
  do {                                                                         \
    char condition[4 * PAIR];                                                  \
    snprintf(condition, sizeof condition, __VA_ARGS__);                        \
    condition_write(g, condition);                                             \
  } while (0)

static void row_take(aq_wave_segment *g, unsigned row, affine *out)
{
  row_value *r = &g->rows[row];
  if (!r->affine) {
    r->affine = ++g->numbers;
    r->uniform = false;
    fprintf(g->steps, "const uint32_t y%u = v[%u][0], d%u = v[%u][1] - y%u;\n",
            r->affine, row, r->affine, row, r->affine);
    REQUIRE(g, "is_affine(v[%u], y%u, d%u)", row, r->affine, r->affine);
  }
  out->uniform = r->uniform;
  snprintf(out->y, PAIR, "y%u", r->affine);
  snprintf(out->d, NAME, r->uniform ? "0u" : "d%u", r->affine);
}

static void source_take(aq_wave_segment *g, const aq_wave_op *o, int i,
                        affine *out)
{
  if (o->kind[i] == AQ_WAVE_VGPR) {
    row_take(g, o->source[i], out);
    return;
  }
  out->uniform = true;
  snprintf(out->d, NAME, "0u");
  aq_wave_segment_scalar_source(g, o, i, 1, out->y);
}

/* A word of the result, of C. */
static void result_put(aq_wave_segment *g, unsigned row, bool uniform,
                       const char *y, const char *d)
{
  const uint32_t number = ++g->numbers;
  fprintf(g->steps, "const uint32_t y%u = %s, d%u = %s;\n", number, y, number,
          uniform ? "0" : d);
  row_value *r = &g->rows[row];
  r->number = r->array = 0;
  r->part = WHOLE;
  r->open = false;
  r->written = true;
  r->stamp = ++g->numbers;
  r->affine = number;
  r->uniform = uniform;
}

/* ---- instructions ---- */

/* a + b, or a - b. */
static void sum_make(aq_wave_segment *g, const affine *a, const affine *b,
                     char sign, affine *out)
{
  const uint32_t number = ++g->numbers;
  fprintf(g->steps, "const uint32_t y%u = %s %c %s, d%u = %s %c %s;\n", number,
          a->y, sign, b->y, number, a->d, sign, b->d);
  out->uniform = a->uniform && b->uniform;
  snprintf(out->y, PAIR, "y%u", number);
  snprintf(out->d, NAME, out->uniform ? "0u" : "d%u", number);
}

/* a << by */
static void shift_make(aq_wave_segment *g, const affine *a, const affine *by,
                       affine *out)
{
  const uint32_t number = ++g->numbers;
  fprintf(g->steps,
          "const uint32_t y%u = %s << (%s & 31), d%u = %s << (%s & 31);\n",
          number, a->y, by->y, number, a->d, by->y);
  out->uniform = a->uniform;
  snprintf(out->y, PAIR, "y%u", number);
  snprintf(out->d, NAME, a->uniform ? "0u" : "d%u", number);
}

/* a | b, which is a sum if they have no bits in common. */
static bool or_make(aq_wave_segment *g, const affine *a, const affine *b,
                    affine *out)
{
  if (!a->uniform && !b->uniform)
    return false;
  if (!a->uniform)
    REQUIRE(g, "has_no_bits(%s, %s, %s)", b->y, a->y, a->d);
  else if (!b->uniform)
    REQUIRE(g, "has_no_bits(%s, %s, %s)", a->y, b->y, b->d);
  const uint32_t number = ++g->numbers;
  fprintf(g->steps, "const uint32_t y%u = %s | %s, d%u = %s + %s;\n", number,
          a->y, b->y, number, a->d, b->d);
  out->uniform = a->uniform && b->uniform;
  snprintf(out->y, PAIR, "y%u", number);
  snprintf(out->d, NAME, out->uniform ? "0u" : "d%u", number);
  return true;
}

static bool product_make(aq_wave_segment *g, const affine *a, const affine *b,
                         affine *out)
{
  const uint32_t number = ++g->numbers;
  if (!a->uniform && !b->uniform)
    return false;
  fprintf(g->steps, "const uint32_t y%u = %s * %s, d%u = %s * %s;\n", number,
          a->y, b->y, number, a->uniform ? b->d : a->d,
          a->uniform ? a->y : b->y);
  out->uniform = a->uniform && b->uniform;
  snprintf(out->y, PAIR, "y%u", number);
  snprintf(out->d, NAME, out->uniform ? "0u" : "d%u", number);
  return true;
}

/* The carry out has to be the same in all lanes: it grows with them. */
static bool carries_put(aq_wave_segment *g, const aq_wave_op *o,
                        const aq_wave_text *t, const affine *a, const affine *b)
{
  char in[NAME] = "0", y[4 * PAIR], d[2 * NAME + 8];
  if (t->carry_in) {
    const scalar_value *s = &g->scalars[o->source[2]];
    if (!s->mask || s->part != AQ_WAVE_PART_UNIFORM)
      return false;
    snprintf(in, sizeof in, "c%u", s->mask);
  }
  const uint32_t carry = ++g->numbers;
  if (!a->uniform)
    REQUIRE(g, "spans(%s, %s)", a->y, a->d);
  if (!b->uniform)
    REQUIRE(g, "spans(%s, %s)", b->y, b->d);
  fprintf(g->steps,
          "const uint32_t c%u = (uint32_t)(((uint64_t)%s + %s + %s) >> 32);\n",
          carry, a->y, b->y, in);
  if (!a->uniform || !b->uniform)
    REQUIRE(g, "((uint64_t)LAST(%s, %s) + LAST(%s, %s) + %s) >> 32 == c%u",
            a->y, a->d, b->y, b->d, in, carry);
  snprintf(y, sizeof y, "%s + %s + %s", a->y, b->y, in);
  snprintf(d, sizeof d, "%s + %s", a->d, b->d);
  result_put(g, o->dest, a->uniform && b->uniform, y, d);
  aq_wave_segment_mask_written(g, o->dest2, carry);
  g->scalars[o->dest2].part = AQ_WAVE_PART_UNIFORM;
  return true;
}

/* If the first and the last lane agree, all do. */
static bool compare_put(aq_wave_segment *g, const aq_wave_op *o,
                        const aq_wave_text *t, const affine *a, const affine *b)
{
  const uint32_t number = ++g->numbers;
  const bool is_signed = *t->sources[0] == 'i';
  const affine *x = a->uniform ? b : a;
  if (!x->uniform)
    REQUIRE(g, "%s(%s, %s)", is_signed ? "spans_signed" : "spans", x->y, x->d);
  fprintf(g->steps,
          "uint32_t c%u; { const %sint32_t a = %s, b = %s; c%u = ", number,
          is_signed ? "" : "u", a->y, b->y, number);
  fprintf(g->steps,
          "(%s) ? 1 : 0; }\n"
          "{ const %sint32_t a = LAST(%s, %s), b = LAST(%s, %s);\n"
          "if (UNLIKELY(c%u != ((%s) ? 1 : 0))) goto G%u; }\n",
          t->expression, is_signed ? "" : "u", a->y, a->d, b->y, b->d, number,
          t->expression, g->list[0]);
  aq_wave_segment_mask_written(g, o->dest, number);
  g->scalars[o->dest].part = AQ_WAVE_PART_UNIFORM;
  g->affine_uses++;
  return true;
}

/* The bits that pass from the lower word to the upper one have to be the same
 * in all lanes. */
static bool shift64_put(aq_wave_segment *g, const aq_wave_op *o)
{
  char y[4 * PAIR], d[2 * NAME];
  affine low, high;
  const unsigned by = (unsigned)o->constant[0] & 63;
  if (o->kind[0] != AQ_WAVE_CONSTANT || by == 0 || by > 31 ||
      o->kind[1] != AQ_WAVE_VGPR || !row_may_be(g, o->source[1]) ||
      !row_may_be(g, o->source[1] + 1u))
    return false;
  row_take(g, o->source[1], &low);
  row_take(g, o->source[1] + 1u, &high);
  if (!high.uniform)
    REQUIRE(g, "%s == 0", high.d);
  if (!low.uniform)
    REQUIRE(g, "spans(%s, %s) && (%s ^ LAST(%s, %s)) >> %u == 0", low.y, low.d,
            low.y, low.y, low.d, 32 - by);
  snprintf(y, sizeof y, "%s << %u", low.y, by);
  snprintf(d, sizeof d, "%s << %u", low.d, by);
  result_put(g, o->dest, low.uniform, y, d);
  snprintf(y, sizeof y, "%s << %u | %s >> %u", high.y, by, low.y, 32 - by);
  result_put(g, o->dest + 1u, true, y, "0");
  return true;
}

/* Of sums, shifts and products. */
static bool value_make(aq_wave_segment *g, affine_rule rule, const affine s[3],
                       bool third, affine *out)
{
  affine x;
  switch (rule) {
  case COPY:
    *out = s[0];
    return true;
  case SUM:
    sum_make(g, &s[0], &s[1], '+', third ? &x : out);
    if (third)
      sum_make(g, &x, &s[2], '+', out);
    return true;
  case DIFFERENCE:
    sum_make(g, &s[0], &s[1], '-', out);
    return true;
  case OR:
    return or_make(g, &s[0], &s[1], out);
  case SHIFT:
    shift_make(g, &s[1], &s[0], out);
    return true;
  case SHIFT_ADD:
    shift_make(g, &s[0], &s[1], &x);
    sum_make(g, &x, &s[2], '+', out);
    return true;
  case ADD_SHIFT:
    sum_make(g, &s[0], &s[1], '+', &x);
    shift_make(g, &x, &s[2], out);
    return true;
  case SHIFT_OR:
    shift_make(g, &s[0], &s[1], &x);
    return or_make(g, &x, &s[2], out);
  default:
    return product_make(g, &s[0], &s[1], out);
  }
}

/* The source that counts the places of a shift, which has to be one number; -1:
 * there is none. */
static int shift_source(affine_rule rule)
{
  return rule == SHIFT                           ? 0
         : rule == SHIFT_ADD || rule == SHIFT_OR ? 1
         : rule == ADD_SHIFT                     ? 2
                                                 : -1;
}

bool aq_wave_affine_lane(aq_wave_segment *g, const aq_wave_op *o,
                         const aq_wave_text *t)
{
  affine s[3], x;
  const affine_rule rule = rule_of(o, t);
  const int by = shift_source(rule);
  if (rule == NONE || rule == SHIFT64)
    return rule == SHIFT64 && shift64_put(g, o);
  if (by >= 0 && o->kind[by] == AQ_WAVE_VGPR)
    return false;
  for (int i = 0; i < 3; i++)
    if (*t->sources[i] && o->kind[i] == AQ_WAVE_VGPR &&
        !row_may_be(g, o->source[i]))
      return false;
  for (int i = 0; i < 3 && *t->sources[i]; i++)
    source_take(g, o, i, &s[i]);
  if (rule == COMPARE)
    return compare_put(g, o, t, &s[0], &s[1]);
  if (rule == CARRIES)
    return carries_put(g, o, t, &s[0], &s[1]);
  if (!value_make(g, rule, s, *t->sources[2], &x))
    return false;
  result_put(g, o->dest, x.uniform, x.y, x.d);
  return true;
}

/* ---- transfers ---- */

static bool transfer_may_be(const aq_wave_segment *g, const aq_wave_op *o,
                            const aq_wave_transfer *t)
{
  return !t->shared && !t->scalar && t->words == 1 && !t->scale &&
         row_may_be(g, o->source[1]) &&
         (o->dest2 != AQ_WAVE_NONE || row_may_be(g, o->source[1] + 1u));
}

bool aq_wave_affine_transfer(aq_wave_segment *g, const aq_wave_op *o,
                             const aq_wave_transfer *t)
{
  affine low, high;
  char base[PAIR], data[NAME];
  const unsigned number = (unsigned)(o - g->ops);
  const uint32_t place = ++g->numbers;
  if (g->fast || !transfer_may_be(g, o, t))
    return false;
  row_take(g, o->source[1], &low);
  if (o->dest2 == AQ_WAVE_NONE) {
    row_take(g, o->source[1] + 1u, &high);
    if (!high.uniform)
      REQUIRE(g, "%s == 0", high.d);
    snprintf(base, sizeof base, "((uint64_t)%.40s << 32)", high.y);
  } else {
    aq_wave_segment_scalars(g, o->dest2, base);
  }
  REQUIRE(g, "%s == 4 && spans(%s, 4)", low.d, low.y);
  if (t->store)
    aq_wave_segment_array(g, o->source[2], data);
  fprintf(g->body,
          "AT = ops + OP * %u; uint8_t *const q%u = reach_row(w, RANGE(%u), "
          "reach_more, %s + %s + (uint64_t)%" PRId64 ", %s);\n"
          "if (UNLIKELY(!q%u)) goto G%u;\nahead(STRIDE(%u), q%u);\n",
          number, place, number, base, low.y, (int64_t)o->imm,
          t->store ? "true" : "false", place, g->list[0], number, place);
  if (t->store)
    fprintf(g->tail, "QUIET = false; row_copy(q%u, %s);\n", place, data);
  else
    fprintf(g->body, "row_copy(t%u, q%u);\n",
            aq_wave_segment_loaded(g, o->dest), place);
  g->lanes = true;
  g->far_loads |= !t->store;
  g->affine_uses++;
  return true;
}

void aq_wave_affine_array(aq_wave_segment *g, unsigned row)
{
  row_value *r = &g->rows[row];
  if (!r->affine || r->array)
    return;
  r->array = ++g->numbers;
  fprintf(g->body, "uint32_t t%u[LANES] ALIGNED;\nrow_fill(t%u, y%u, d%u);\n",
          r->array, r->array, r->affine, r->affine);
}
