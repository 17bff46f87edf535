/* SPDX-License-Identifier: MIT */
/* Compiled code against the interpreter: programs of random instructions, every
 * one that has a text, with random operands, signs, EXEC, MODE, NaNs and
 * denormals leave the same registers, SCC, masks and budget. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "common/rng.h"
#include "native/builder.h"
#include "support/aqtest.h"
#include "wave/mode.h"
#include "wave/native.h"
#include "wave/native_table.h"

enum {
  COUNT = 160, /* instructions of a program, in one page */
  ROWS = 16,   /* registers that programs use */
  SCALARS = 32,
  STATES = 24, /* in which a program runs */
  PROGRAMS = 60,
};

static aq_rng rng;

static unsigned below(unsigned n)
{
  return (unsigned)(aq_rng_bits(&rng) >> 33) % n;
}

/* ---- programs ---- */

static bool is_wide(const char *type)
{
  return type[0] && type[1] == '6';
}

static void registers(char *text, size_t size, char file, unsigned n, bool wide)
{
  if (wide)
    snprintf(text, size, "%c[%u:%u]", file, n & ~1u, (n & ~1u) + 1);
  else
    snprintf(text, size, "%c%u", file, n);
}

static void constant(char *text, size_t size)
{
  static const char *const some[] = {"0",   "1",   "31",   "64", "-1", "-16",
                                     "0.5", "1.0", "-4.0", "17", "5",  "2.0"};
  snprintf(text, size, "%s", some[below(sizeof some / sizeof *some)]);
}

static void vector_source(char *text, size_t size, const char *type)
{
  char plain[24];
  const unsigned kind = below(8);
  if (kind == 0)
    constant(plain, sizeof plain);
  else
    registers(plain, sizeof plain, kind == 1 ? 's' : 'v',
              below(kind == 1 ? SCALARS : ROWS), is_wide(type));
  const unsigned signs = *type == 'f' && kind > 1 ? below(6) : 5;
  snprintf(text, size,
           signs == 0   ? "-%s"
           : signs == 1 ? "|%s|"
           : signs == 2 ? "-|%s|"
                        : "%s",
           plain);
}

static void scalar_source(char *text, size_t size, const char *type)
{
  if (below(4) == 0)
    constant(text, size);
  else
    registers(text, size, 's', below(SCALARS), is_wide(type));
}

static void mask(char *text, size_t size)
{
  if (below(2))
    snprintf(text, size, "vcc");
  else
    registers(text, size, 's', below(SCALARS), true);
}

static void vector_text(char *out, const aq_wave_text *t)
{
  char d[24] = "", e[24] = "", m[24] = "", s[3][32] = {""}, name[32];
  const bool bits = t->shape == AQ_WAVE_TEXT_CARRY,
             compares = t->shape == AQ_WAVE_TEXT_COMPARE;
  snprintf(name, sizeof name, "%s", t->name);
  if (compares)
    mask(d, sizeof d);
  else
    registers(d, sizeof d, 'v', below(ROWS), is_wide(t->result));
  if (bits)
    mask(e, sizeof e);
  if (t->carry_in || t->shape == AQ_WAVE_TEXT_PICK)
    mask(m, sizeof m);
  for (int i = 0; i < 3; i++)
    if (*t->sources[i])
      vector_source(s[i], sizeof s[i], t->sources[i]);
  snprintf(out, BED_TEXT, "%s %s%s%s, %s%s%s%s%s%s%s", name, d, *e ? ", " : "",
           e, s[0], *s[1] ? ", " : "", s[1], *s[2] ? ", " : "", s[2],
           *m ? ", " : "", m);
}

static void scalar_text(char *out, const aq_wave_text *t)
{
  char d[24] = "", a[24], b[24];
  const bool test = t->shape == AQ_WAVE_TEXT_TEST;
  registers(d, sizeof d, 's', below(SCALARS), is_wide(t->result));
  scalar_source(a, sizeof a, t->sources[0]);
  scalar_source(b, sizeof b, t->sources[1]);
  if (t->immediate)
    snprintf(out, BED_TEXT, "%s %s, 0x%x", t->name, d, below(0x10000));
  else if (test)
    snprintf(out, BED_TEXT, "%s %s, %s", t->name, a, b);
  else if (t->shape == AQ_WAVE_TEXT_SAVE || below(2))
    snprintf(out, BED_TEXT, "%s %s, %s", t->name, d, a);
  else
    snprintf(out, BED_TEXT, "%s %s, %s, %s", t->name, d, a, b);
}

/* All instructions that have a text, shuffled. */
typedef struct deck {
  const aq_wave_text *texts[512];
  unsigned count, next;
} deck;

static void deck_make(deck *d, const aq_wave_texts *table)
{
  const aq_wave_text *t;
  d->next = d->count = 0;
  while ((t = aq_wave_text_at(table, d->count)) && d->count < 512)
    d->texts[d->count++] = t;
  for (unsigned i = d->count - 1; i > 0; i--) {
    const unsigned k = below(i + 1);
    t = d->texts[i];
    d->texts[i] = d->texts[k];
    d->texts[k] = t;
  }
}

/* A loop of five turns without anything that needs a handler. */
static void loop_make(char (*texts)[BED_TEXT], deck *d)
{
  static const char *const ends[] = {"s_add_i32 s33, s33, -1",
                                     "s_cmp_lg_i32 s33, 0", "s_cbranch_scc1 L0",
                                     "s_endpgm"};
  enum { LOOP = 20 };
  snprintf(texts[0], BED_TEXT, "L0: s_nop 0");
  for (unsigned i = 1; i < LOOP;) {
    const aq_wave_text *t = d->texts[d->next++ % d->count];
    const bool doubles = t->sources[0][0] == 'f' && is_wide(t->sources[0]);
    if (t->shape > AQ_WAVE_TEXT_PICK || (i % 2 && !doubles))
      continue;
    vector_text(texts[i++], t);
  }
  for (unsigned i = 0; i < COUNT - LOOP; i++)
    snprintf(texts[LOOP + i], BED_TEXT, "%s", ends[i < 4 ? i : 3]);
}

static void program_make(char (*texts)[BED_TEXT], deck *d)
{
  static const char *const others[] = {
      "v_fmac_f32 v3, v1, v2",
      "v_readfirstlane_b32 s5, v7",
      "s_mov_b64 exec, -1",
      "v_mov_b32_dpp v2, v3 quad_perm:[1,0,3,2]",
      "v_rcp_f32 v9, v3",
      "s_nop 0",
      "v_fmac_f64 v[4:5], v[2:3], v[6:7]"};
  for (unsigned i = 0; i + 1 < COUNT; i++) {
    const aq_wave_text *t = d->texts[d->next++ % d->count];
    if (i % 16 == 15)
      snprintf(texts[i], BED_TEXT, "%s",
               others[below(sizeof others / sizeof *others)]);
    else if (t->shape <= AQ_WAVE_TEXT_PICK)
      vector_text(texts[i], t);
    else
      scalar_text(texts[i], t);
  }
  snprintf(texts[COUNT - 1], BED_TEXT, "s_endpgm");
}

/* ---- states ---- */

static uint32_t word_make(bool special)
{
  static const uint32_t some[] = {0x7fc00001, 0xff800001, 0x7f800000,
                                  0x80000000, 1,          0x807fffff,
                                  0x7ff00000, 0xfff80001, 0x000fffff};
  const uint32_t bits = (uint32_t)aq_rng_bits(&rng);
  if (special && bits % 8 == 0)
    return some[(bits >> 8) % (sizeof some / sizeof *some)];
  return bits % 4 == 1 ? 0x3f000000 + (bits >> 8) : bits;
}

static void state_make(aq_wave *w, unsigned number)
{
  const bool special = number % 3 != 0;
  const uint64_t masks[] = {UINT64_MAX, aq_rng_bits(&rng), 1, 0xffff0000,
                            UINT64_MAX};
  for (unsigned r = 0; r < ROWS; r++)
    for (unsigned l = 0; l < AQ_WAVE_LANES; l++)
      w->v[r][l] = word_make(special);
  for (unsigned i = 0; i < AQ_ISA_EXEC; i++)
    w->s[i] = word_make(false);
  w->s64[AQ_ISA_EXEC / 2] = masks[number % 5];
  w->s[33] = 5;
  w->scc = below(2);
  w->mode = number % 2 ? 0xf0 | AQ_WAVE_MODE_IEEE
                       : (uint32_t)aq_rng_bits(&rng) & 0x3ff;
  w->pc = 0;
  w->state = AQ_WAVE_RUNS;
}

/* ---- comparing ---- */

static void differs(const bed *b, char (*texts)[BED_TEXT], const char *what)
{
  fprintf(stderr, "# %s of %s differ after:\n", what, b->gfx);
  for (size_t i = 0; i < b->count; i++)
    if (!b->refused[i])
      fprintf(stderr, "# %zu: %s\n", i, texts[i]);
  ck_abort_msg("compiled code differs: %s", what);
}

static void program_compare(bed *b, char (*texts)[BED_TEXT],
                            aq_wave_native *native)
{
  static aq_wave before, expected;
  aq_wave *w = b->wave;
  w->grid = &b->grid;
  w->group = &b->group;
  b->grid.code = b->code;
  b->grid.desc.kernel = "native";
  const uint64_t begin = (uintptr_t)b->bytes;
  const aq_wave_op *first = aq_wave_code_at(b->code, begin);
  b->grid.native = native;
  b->grid.native_from = UINT64_MAX;
  aq_wave_native_begin(native, b->code, begin);
  ck_assert_uint_ne(first->entry, 0);
  for (unsigned i = 0; i < STATES; i++) {
    int64_t left = 1 << 14, spent = left;
    const uint32_t host = aq_wave_mode_save();
    state_make(w, i);
    memcpy(&before, w, sizeof before);
    aq_wave_mode_enter(w);
    for (const aq_wave_op *o = first; o; spent--)
      o = o->run(w, o);
    memcpy(&expected, w, sizeof expected);
    memcpy(w, &before, sizeof before);
    aq_wave_mode_enter(w);
    aq_wave_native_run(w, first, &left);
    aq_wave_mode_restore(host);
    ck_assert_int_eq(w->state, AQ_WAVE_ENDED);
    ck_assert_int_eq(left, spent);
    if (memcmp(w->s, expected.s, 4 * (AQ_ISA_EXEC + 2)) != 0 ||
        w->scc != expected.scc)
      differs(b, texts, "scalars");
    if (memcmp(w->v, expected.v, sizeof *w->v * ROWS) != 0)
      differs(b, texts, "vectors");
  }
}

START_TEST(random_programs_leave_what_the_interpreter_leaves)
{
  static char texts[COUNT][BED_TEXT];
  static const char *const targets[] = {"gfx90a", "gfx900"};
  const char *all = getenv("AQ_ORACLES");
  const unsigned count = all && strcmp(all, "all") == 0 ? PROGRAMS : 3;
  const unsigned level = aq_wave_level_count() - 1;
  aq_diag diag = AQ_DIAG_INIT;
  aq_native_builder *builder;
  aq_wave_native_options options;
  deck all_texts;
  if (system("command -v clang-22 > /dev/null && command -v cc > /dev/null") !=
      0) { /* NOLINT: fixed names */
    aqtest_skip("no clang-22 or no cc here");
    return;
  }
  setenv("AQUEDUCT_CACHE", aqtest_tmpdir(), 1); /* nothing is built so far */
  aq_rng_init(&rng, 24, 0);
  ck_assert_status(
      aq_native_builder_create(AQ_NATIVE_ALWAYS, NULL, &builder, &diag), AQ_OK,
      &diag);
  aq_native_builder_options(builder, &options);
  aq_wave_texts *table = aq_wave_texts_create(level);
  deck_make(&all_texts, table);
  for (unsigned i = 0; i < count; i++) {
    bed b;
    if (i % 3 == 2)
      loop_make(texts, &all_texts);
    else
      program_make(texts, &all_texts);
    aq_wave_native *native = aq_wave_native_create(&options, level);
    bed_open(&b, targets[i % 2], texts, COUNT, level);
    program_compare(&b, texts, native);
    bed_close(&b);
    aq_wave_native_destroy(native);
  }
  aq_wave_texts_destroy(table);
  aq_native_builder_destroy(builder);
}
END_TEST

AQ_TEST_MAIN("wave/native", random_programs_leave_what_the_interpreter_leaves)
