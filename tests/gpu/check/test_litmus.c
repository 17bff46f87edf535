/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests: random programs of two to four waves, compiled for a processor
 * and executed in every order of their accesses.
 *
 * The text. Vector clocks over the program, in every interleaving, are C11's
 * happens-before: does it race (program_races)?
 *
 * The machine (strong). Its code has more order than the text: in a workgroup
 * every atomic releases and acquires; a wave that waited for its stores, for a
 * release or for a load, has released them to all atomics behind that; a store
 * needs no acquire.
 *
 * The checker. It is judged in each order alone: where the machine has a
 * race in that order, there is a finding, and where the text has none, there is
 * no error. A turn is an access or a barrier, with the fences before it;
 * compilers merge no accesses here.
 *
 * The outcomes. The values that it loaded, and memory in the end. A program
 * without atomics that is silent has one outcome, and one with several outcomes
 * is found.
 *
 * AQ_LITMUS_SEED=N makes other programs.
 */
#include "model_page.h"
#include "model_run.h"

enum {
  WAVES = 4,
  OPS = 5,
  PLACES = 2,    /* of data, and of flags: the flags come behind */
  APART = 32,    /* words */
  ORDERS = 2600, /* of a program, at most */
};

typedef enum kind {
  STORE,
  LOAD,
  FLAG_STORE,
  FLAG_LOAD, /* the wave ends if it loads 0 */
  FLAG_ADD,
  FENCE,
  BARRIER,
} kind;

typedef struct op {
  kind kind;
  unsigned place;
  bool releases, acquires;
} op;

typedef struct program {
  bool group; /* waves of one workgroup, else of one each */
  unsigned waves, count[WAVES];
  op ops[WAVES][OPS];
  bool atomics;
} program;

/* ---- programs ---- */

static op op_make(aq_rng *rng, bool group, bool atomics)
{
  const unsigned which = (unsigned)(aq_rng_bits(rng) >> 40) % 16;
  op made = {.place = (unsigned)(aq_rng_bits(rng) >> 40) % PLACES};
  const unsigned order = (unsigned)(aq_rng_bits(rng) >> 40) % 4;
  if (!atomics) {
    made.kind = which < 7 ? STORE : which < 14 || !group ? LOAD : BARRIER;
    return made;
  }
  made.kind = which < 4              ? STORE
              : which < 8            ? LOAD
              : which < 10           ? FLAG_STORE
              : which < 12           ? FLAG_LOAD
              : which < 14           ? FLAG_ADD
              : which < 15 || !group ? FENCE
                                     : BARRIER;
  if (made.kind == FLAG_STORE)
    made.releases = order > 0;
  else if (made.kind == FLAG_LOAD)
    made.acquires = order > 0;
  else if (made.kind == FLAG_ADD)
    made.releases = order & 1, made.acquires = order & 2;
  else if (made.kind == FENCE)
    made.releases = order & 1, made.acquires = !made.releases;
  if (made.kind == FLAG_STORE || made.kind == FLAG_LOAD ||
      made.kind == FLAG_ADD)
    made.place = PLACES; /* one flag: more would seldom meet */
  return made;
}

static uint64_t orders_of(const program *p)
{
  uint64_t orders = 1, all = 0;
  for (unsigned w = 0; w < p->waves; w++)
    for (unsigned i = 1; i <= p->count[w]; i++)
      orders = orders * ++all / i;
  return orders;
}

/* A compiler would not repeat a plain load that nothing between can have
 * changed; the checker takes one that is repeated for an atomic. */
static void repeats_drop(program *p)
{
  for (unsigned w = 0; w < p->waves; w++) {
    bool loaded[PLACES + 1] = {false};
    for (unsigned i = 0; i < p->count[w]; i++) {
      op *o = &p->ops[w][i];
      if (o->kind == LOAD && loaded[o->place])
        o->kind = STORE;
      if (o->kind == LOAD)
        loaded[o->place] = true;
      else if (o->kind != FLAG_LOAD && o->kind != FENCE)
        memset(loaded, 0, sizeof loaded);
    }
  }
}

/* Message passing is likely: wave 0 stores and raises, wave 1 waits and loads.
 */
static program program_make(aq_rng *rng, unsigned number)
{
  program p;
  do {
    memset(&p, 0, sizeof p);
    p.group = number % 2;
    p.atomics = number % 8 > 1;
    p.waves = 2 + (unsigned)(aq_rng_bits(rng) >> 40) % 3;
    for (unsigned w = 0; w < p.waves; w++) {
      p.count[w] = 1 + (unsigned)(aq_rng_bits(rng) >> 40) % (OPS - 1);
      for (unsigned i = 0; i < p.count[w]; i++)
        p.ops[w][i] = op_make(rng, p.group, p.atomics);
    }
    if (p.atomics && number % 4 > 1) {
      p.ops[0][0] = (op){.kind = STORE};
      p.ops[1][0] = (op){
          .kind = FLAG_LOAD, .place = PLACES, .acquires = number % 16 < 12};
    }
    repeats_drop(&p);
  } while (orders_of(&p) > ORDERS);
  return p;
}

static const char *order_text(const op *o)
{
  return o->releases && o->acquires ? "__ATOMIC_ACQ_REL"
         : o->releases              ? "__ATOMIC_RELEASE"
         : o->acquires              ? "__ATOMIC_ACQUIRE"
                                    : "__ATOMIC_RELAXED";
}

static void op_print(FILE *to, const program *p, unsigned w, unsigned i)
{
  const op *o = &p->ops[w][i];
  const char *scope =
      p->group ? "__MEMORY_SCOPE_WRKGRP" : "__MEMORY_SCOPE_DEVICE";
  const unsigned at = o->place * APART;
  switch (o->kind) {
  case STORE:
    fprintf(to, "    m[%u] = %u;\n", at, 10 * w + i + 1);
    break;
  case LOAD:
    fprintf(to, "    r[%u] = m[%u + none];\n", i, at);
    break;
  case FLAG_STORE:
    fprintf(to, "    __scoped_atomic_store_n(m + %u, 1, %s, %s);\n", at,
            order_text(o), scope);
    break;
  case FLAG_LOAD:
    fprintf(to, "    if (!__scoped_atomic_load_n(m + %u, %s, %s)) break;\n", at,
            order_text(o), scope);
    break;
  case FLAG_ADD:
    fprintf(to, "    r[%u] = __scoped_atomic_fetch_add(m + %u, 1, %s, %s);\n",
            i, at, order_text(o), scope);
    break;
  case FENCE:
    fprintf(to, "    __builtin_amdgcn_fence(%s, \"%s\");\n", order_text(o),
            p->group ? "workgroup" : "agent");
    break;
  case BARRIER:
    fprintf(to,
            "    __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");\n"
            "    __builtin_amdgcn_s_barrier();\n"
            "    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");\n");
  }
  fprintf(to, "    KEEP;\n");
}

static void program_print(FILE *to, const program *p, unsigned number)
{
  fprintf(to,
          "__attribute__((amdgpu_kernel)) void p%u(GLOBAL unsigned *m,\n"
          "    GLOBAL unsigned *out)\n{\n"
          "  unsigned none; NONE(none);\n"
          "  if (__builtin_amdgcn_workitem_id_x() %% LANES) return;\n"
          "  switch (%s) {\n",
          number,
          p->group ? "__builtin_amdgcn_readfirstlane("
                     "__builtin_amdgcn_workitem_id_x() / LANES)"
                   : "__builtin_amdgcn_workgroup_id_x()");
  for (unsigned w = 0; w < p->waves; w++) {
    fprintf(to, "  case %u: {\n    unsigned r[%u] = {0};\n    do {\n", w, OPS);
    for (unsigned i = 0; i < p->count[w]; i++)
      op_print(to, p, w, i);
    fprintf(to, "    } while (0);\n");
    for (unsigned i = 0; i < p->count[w]; i++) /* behind all turns */
      fprintf(to, "    out[%u] = r[%u];\n", (w * OPS + i) * APART, i);
    fprintf(to, "    break;\n  }\n");
  }
  fprintf(to, "  }\n}\n");
}

/* ---- the model ---- */

typedef struct clocks {
  unsigned of[WAVES];
} clocks;

typedef struct state {
  bool strong;        /* the machine's */
  unsigned at[WAVES]; /* the next operation */
  bool ended[WAVES], waits[WAVES];
  clocks now[WAVES], released[WAVES], pending[WAVES];
  clocks flag; /* that a reader of it acquires */
  unsigned value;
  /* The last accesses of each wave to each place, plain or not. */
  unsigned write[PLACES + 1][WAVES], read[PLACES + 1][WAVES];
} state;

static void join(clocks *to, const clocks *from)
{
  for (int i = 0; i < WAVES; i++)
    to->of[i] = to->of[i] > from->of[i] ? to->of[i] : from->of[i];
}

/* A plain access; flags have none. */
static bool access_races(state *s, unsigned w, unsigned place, bool writes)
{
  clocks knows = s->now[w];
  bool races = false;
  if (s->strong && writes)
    join(&knows, &s->pending[w]);
  for (unsigned u = 0; u < WAVES; u++)
    races |= u != w && (s->write[place][u] > knows.of[u] ||
                        (writes && s->read[place][u] > knows.of[u]));
  (writes ? s->write : s->read)[place][w] = s->now[w].of[w];
  if (s->strong && !writes)
    s->released[w] = s->now[w];
  return races;
}

static void flag_access(state *s, unsigned w, const op *o, bool group)
{
  const bool always = s->strong && group;
  if (o->kind != FLAG_STORE) {
    join(&s->pending[w], &s->flag);
    if (o->acquires || always)
      join(&s->now[w], &s->flag);
  }
  if (o->kind == FLAG_LOAD)
    return;
  const clocks gives = o->releases || always ? s->now[w] : s->released[w];
  if (o->releases && s->strong)
    s->released[w] = s->now[w];
  if (o->kind == FLAG_STORE)
    s->flag = gives;
  else
    join(&s->flag, &gives);
  s->value = o->kind == FLAG_STORE ? 1 : s->value + 1;
}

/* Every wave that has not ended waits: all continue. */
static void barrier_open(state *s, unsigned waves)
{
  clocks all = {{0}};
  for (unsigned w = 0; w < waves; w++)
    if (!s->ended[w] && !s->waits[w])
      return;
  for (unsigned w = 0; w < waves; w++) /* an ended one comes before it, too */
    join(&all, &s->now[w]);
  for (unsigned w = 0; w < waves; w++)
    if (s->waits[w]) {
      s->waits[w] = false;
      s->now[w] = all;
      s->now[w].of[w]++;
    }
}

/* Whether an operation of a wave races with one before. */
static bool step_races(const program *p, state *s, unsigned w)
{
  const op *o = &p->ops[w][s->at[w]++];
  bool races = false;
  s->now[w].of[w]++;
  switch (o->kind) {
  case STORE:
  case LOAD:
    races = access_races(s, w, o->place, o->kind == STORE);
    break;
  case FLAG_LOAD:
    flag_access(s, w, o, p->group);
    s->ended[w] |= s->value == 0;
    break;
  case FLAG_STORE:
  case FLAG_ADD:
    flag_access(s, w, o, p->group);
    break;
  case FENCE:
    if (o->releases)
      s->released[w] = s->now[w];
    else
      join(&s->now[w], &s->pending[w]);
    break;
  case BARRIER:
    s->waits[w] = true;
  }
  s->ended[w] |= s->at[w] == p->count[w] && !s->waits[w];
  return races;
}

/* A program under way, as the text has it and as the machine does. */
typedef struct both {
  state text, machine;
} both;

static bool is_over(const program *p, const state *s, unsigned w)
{
  unsigned at = s->at[w];
  while (at < p->count[w] && p->ops[w][at].kind == FENCE)
    at++;
  return s->ended[w] || s->waits[w] || at == p->count[w];
}

/* The fences of a wave, and one operation; whether that races. */
static bool turn_races(const program *p, state *s, unsigned w)
{
  while (p->ops[w][s->at[w]].kind == FENCE)
    step_races(p, s, w);
  const bool races = step_races(p, s, w);
  if (p->group)
    barrier_open(s, p->waves);
  for (unsigned u = 0; u < p->waves; u++)
    s->ended[u] |= !s->waits[u] && is_over(p, s, u);
  return races;
}

/* ---- executing ---- */

enum { CLASSES = 4 };

/* How an order was judged, with others of its class. */
typedef struct counts {
  unsigned programs, orders, text, machine, errors, possible, doubted;
} counts;

typedef struct verdict {
  unsigned found, outcomes;
  bool races;
  const char *wrong; /* the first judgement that is, and its order */
  uint8_t order[WAVES * OPS];
  unsigned turns;
  uint64_t seen[8]; /* outcomes */
} verdict;

typedef struct bench {
  model m;
  aq_code_image image;
  const char *gfx;
  unsigned number; /* of the program */
  counts of[CLASSES], *at;
  verdict v;
  uint32_t memory[(PLACES + 1) * APART], out[WAVES * OPS * APART];
} bench;

static void outcome_keep(bench *b)
{
  verdict *v = &b->v;
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < sizeof b->memory / 4; i += APART)
    hash = (hash ^ b->memory[i]) * 1099511628211u;
  for (size_t i = 0; i < sizeof b->out / 4; i += APART)
    hash = (hash ^ b->out[i]) * 1099511628211u;
  for (unsigned i = 0; i < v->outcomes; i++)
    if (v->seen[i] == hash)
      return;
  if (v->outcomes < 8)
    v->seen[v->outcomes++] = hash;
}

/* One order, of which text and machine race. */
static void order_run(bench *b, const program *p, const uint8_t *order,
                      unsigned turns, bool text, bool machine)
{
  const void *arguments[32] = {b->memory, b->out};
  char name[16];
  verdict *v = &b->v;
  snprintf(name, sizeof name, "p%u", b->number);
  memset(b->memory, 0, sizeof b->memory);
  memset(b->out, 0, sizeof b->out);
  b->m.order = order;
  b->m.turns = turns;
  const unsigned found =
      model_execute(&b->m, &b->image, b->gfx, name, p->group ? 1 : p->waves,
                    p->group ? p->waves : 1, arguments);
  b->at->orders++;
  b->at->text += text;
  b->at->machine += machine;
  b->at->errors += (found & MODEL_SURE) != 0;
  b->at->possible += found == MODEL_POSSIBLE;
  b->at->doubted += found && !text;
  v->found |= found;
  v->races |= text;
  const char *wrong =
      b->m.skipped || b->m.turn != turns ? "an order was not followed"
      : machine && !text                 ? "a race of the machine alone"
      : machine && !found                ? "a race is not found"
      : !text && found & MODEL_SURE      ? "an error without a race"
      : !text && found && !p->atomics    ? "possible without an atomic"
                                         : NULL;
  if (wrong && !v->wrong) {
    v->wrong = wrong;
    v->turns = turns;
    memcpy(v->order, order, turns);
  }
  outcome_keep(b);
}

/* All orders that begin so. */
static void orders_run(bench *b, const program *p, const both *from,
                       uint8_t order[WAVES * OPS], unsigned length, bool text,
                       bool machine)
{
  bool more = false;
  for (unsigned w = 0; w < p->waves; w++) {
    both next = *from;
    if (is_over(p, &next.text, w))
      continue;
    more = true;
    order[length] = (uint8_t)w;
    const bool races = turn_races(p, &next.text, w),
               machine_races = turn_races(p, &next.machine, w);
    orders_run(b, p, &next, order, length + 1, text || races,
               machine || machine_races);
  }
  if (!more)
    order_run(b, p, order, length, text, machine);
}

/* ---- judgements ---- */

static const char *const classes[CLASSES] = {
    "no atomics", "relaxed atomics", "release and acquire", "with fences"};

static unsigned class_of(const program *p)
{
  unsigned class = p->atomics;
  for (unsigned w = 0; w < p->waves; w++)
    for (unsigned i = 0; i < p->count[w]; i++) {
      const op *o = &p->ops[w][i];
      const unsigned of = o->kind == FENCE             ? 3
                          : o->releases || o->acquires ? 2
                                                       : 0;
      class = of > class ? of : class;
    }
  return class;
}

/* Whether it is judged rightly in each order. */
static bool program_judge(bench *b, const program *p, unsigned number)
{
  uint8_t order[WAVES * OPS];
  both begin = {.text = {.strong = false}, .machine = {.strong = true}};
  for (unsigned w = 0; w < p->waves; w++) {
    begin.text.ended[w] = is_over(p, &begin.text, w);
    begin.machine.ended[w] = begin.text.ended[w];
  }
  b->number = number;
  b->v = (verdict){.found = 0};
  b->at = &b->of[class_of(p)];
  b->at->programs++;
  model_open(&b->m);
  orders_run(b, p, &begin, order, 0, false, false);
  model_close(&b->m);
  verdict *v = &b->v;
  if (!v->wrong && !p->atomics && !v->races && v->outcomes > 1)
    v->wrong = "several outcomes without a race";
  if (!v->wrong)
    return true;
  fprintf(stderr, "%s: %s, in order", b->gfx, v->wrong);
  for (unsigned i = 0; i < v->turns; i++)
    fprintf(stderr, " %u", v->order[i]);
  fprintf(stderr, ":\n");
  program_print(stderr, p, number);
  return false;
}

static const char *const processors[] = {"gfx90a", "gfx942", "gfx1030",
                                         "gfx1100"};

static bool programs_compile(const program *list, unsigned count,
                             const char *gfx, char path[512])
{
  char source[512], command[1600];
  snprintf(source, sizeof source, "%s/litmus-%s.c", aqtest_tmpdir(), gfx);
  snprintf(path, 512, "%s/litmus-%s.co", aqtest_tmpdir(), gfx);
  FILE *to = fopen(source, "w");
  ck_assert_ptr_nonnull(to);
  fprintf(to, "#define GLOBAL __attribute__((address_space(1)))\n"
              "#define KEEP __asm__ volatile(\"\" ::: \"memory\")\n"
              /* 0, of each lane: an access by it is no scalar one */
              "#define NONE(x) __asm__(\"v_mov_b32 %%0, 0\" : \"=v\"(x))\n");
  for (unsigned i = 0; i < count; i++)
    program_print(to, &list[i], i);
  ck_assert_int_eq(fclose(to), 0);
  snprintf(command, sizeof command,
           "clang-22 -target amdgcn-amd-amdhsa -mcpu=%s -nogpulib -O1 "
           "-DLANES=%d -x c %s -o %s",
           gfx, gfx_lanes(gfx), source, path);
  return system(command) == 0; /* NOLINT: paths of ours */
}

/* The rows of this process, for the page. */
static char rows[4096];

static void row_judge(const bench *b, unsigned class, bool is_of_page)
{
  const counts *c = &b->of[class];
  char row[256];
  snprintf(row, sizeof row, "| %s | %s | %u | %u | %u | %u | %u | %u | %u |\n",
           b->gfx, classes[class], c->programs, c->orders, c->text, c->machine,
           c->errors, c->possible, c->doubted);
  printf("# %s", row);
  strncat(rows, row, sizeof rows - strlen(rows) - 1);
  if (is_of_page && !getenv("AQ_WRITE_DOCS"))
    ck_assert_msg(strstr(model_page_read(), row) != NULL,
                  "the page lacks %srun make memory-model-docs", row);
}

START_TEST(every_order_of_a_program_agrees_with_the_model)
{
  enum { MOST = 320 };
  static program list[MOST];
  const unsigned count = aqtest_is_long() ? MOST : 48;
  static bench b;
  unsigned wrong = 0, races = 0, orders = 0;
  char path[512];
  memset(&b, 0, sizeof b);
  b.gfx = processors[_i];
  if (!compiler_is_here()) {
    aqtest_skip("no clang-22 with ld.lld-22 here");
    return;
  }
  aq_rng rng;
  const char *seed = getenv("AQ_LITMUS_SEED");
  aq_rng_init(&rng, seed ? strtoull(seed, NULL, 10) : 7, 0);
  for (unsigned i = 0; i < count; i++)
    list[i] = program_make(&rng, i);
  ck_assert(programs_compile(list, count, b.gfx, path));
  b.image = image_load(path);
  for (unsigned i = 0; i < count; i++)
    wrong += !program_judge(&b, &list[i], i);
  aq_code_image_unload(&b.image);
  for (unsigned i = 0; i < CLASSES; i++) {
    races += b.of[i].text;
    orders += b.of[i].orders;
    row_judge(&b, i, aqtest_is_long() && !seed);
  }
  ck_assert_uint_ge(races, orders / 32);
  ck_assert_uint_ge(orders - races, orders / 32);
  ck_assert_msg(wrong == 0, "%s: %u of %u programs", b.gfx, wrong, count);
}
END_TEST

START_TEST(the_rows_are_written_to_the_page)
{
  char text[8192];
  ck_assert(aqtest_is_long() && compiler_is_here());
  snprintf(text, sizeof text,
           "| processor | programs | how many | orders | a race of the text | "
           "of the machine code | errors | possible | possible without a race "
           "|\n|---|---|---|---|---|---|---|---|---|\n%s",
           rows);
  model_page_write(model_page_read(), "litmus", text);
}
END_TEST

int main(void)
{
  enum { COUNT = sizeof processors / sizeof *processors };
  static char names[COUNT][64];
  aqtest_case cases[COUNT + 1] = {
      [COUNT] = {.name = "the_rows_are_written_to_the_page",
                 .test = the_rows_are_written_to_the_page}};
  for (int i = 0; i < COUNT; i++) {
    snprintf(names[i], sizeof names[i],
             "every_order_of_a_program_agrees_with_the_model_on_%s",
             processors[i]);
    cases[i] =
        (aqtest_case){.name = names[i],
                      .test = every_order_of_a_program_agrees_with_the_model,
                      .index = i,
                      .timeout = 600};
  }
  return aqtest_run("gpu/check/litmus", cases,
                    getenv("AQ_WRITE_DOCS") ? COUNT + 1 : COUNT);
}
