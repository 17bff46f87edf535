/* SPDX-License-Identifier: MIT */
/* Compiled code against the interpreter: blocks of random instructions, every
 * one that has a rule and every transfer, with branches, random operands,
 * signs, parts of words, values of other lanes, addresses, EXEC, MODE, NaNs and
 * denormals leave the same registers, SCC, masks, memory, LDS, budget and
 * faults. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bed.h"
#include "gpu/wave/core/address_translate.h"
#include "gpu/wave/core/jit.h"
#include "gpu/wave/core/mode.h"
#include "gpu/wave/jit/jit_builder.h"
#include "native_programs.h"
#include "support/aqtest.h"

enum {
  BATCH = 40, /* programs that are assembled at once, each in its page */
  APART = 256,
};

/* Of memory and of all that an offset of 32 bits reaches behind it. */
#define AROUND ((size_t)5 << 30)
static uint32_t *memory;             /* nothing lies behind it */
static uint32_t lds[BYTES / 4 + 16]; /* offsets of its own words */
static uint32_t kept[2][BYTES / 4];  /* memory and LDS of before a program */
static uint32_t orphaned[2][BYTES / 4];
static aq_wave_reachable reachable;

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

/* An f16 whose products lie next to the middle between two others, and next to
 * that of the least denormals. */
static uint32_t half_make(void)
{
  static const uint16_t exponents[] = {0, 1, 3, 4, 8, 12, 15},
                        fractions[] = {0, 1, 0x200, 0x3fe, 0x3ff};
  return below(2) << 15 | (uint32_t)exponents[below(7)] << 10 |
         fractions[below(5)];
}

/* Addresses in rows of one, two and four words, one, any, odd ones, or some
 * that are nowhere: far, 0, behind. */
static void addresses_make(aq_wave *w, unsigned number)
{
  const uint64_t from = (uintptr_t)memory + BYTES / 4;
  const uint32_t skew = number % 8 == 3 ? 1 + below(3) : 0;
  for (unsigned l = 0; l < AQ_WAVE_LANES; l++) {
    const uint32_t plain = number % 6 == 0   ? 4 * l
                           : number % 6 == 3 ? 4 * (l % 16 + 8 * (l / 16))
                           : number % 6 == 5 ? 8 * l << number / 6 % 2
                           : number % 3 == 1 ? 4 * (l / 16)
                                             : 4 * below(256);
    const uint32_t at = plain + skew;
    const bool off = number % 4 == 3 && below(64) == 0,
               far = off && number / 4 % 3 == 0;
    const uint64_t edge = BYTES - 4 * below(2) - BYTES / 4,
                   away = !far       ? at
                          : below(3) ? edge
                          : below(2) ? (uint64_t)1 << 44
                                     : 256 - from;
    w->v[ADDRESS][l] = (uint32_t)(from + away);
    w->v[ADDRESS + 1][l] = (uint32_t)((from + away) >> 32);
    w->v[ADDRESS + 4][l] = at;
    w->v[OFFSET][l] = !off || number / 4 % 3 != 1 ? at
                      : below(3)                  ? (uint32_t)edge
                                                  : UINT32_MAX - 3;
    w->v[SHARED][l] = off && number / 4 % 3 == 2 ? BYTES - 4 * below(2) : at;
  }
  aq_wave_put64(w, BASE, from);
}

/* In a row, some of them across the end of memory, every second one, or any. */
static void indices_make(aq_wave *w)
{
  const unsigned kind = below(6);
  for (unsigned l = 0; l < AQ_WAVE_LANES; l++)
    w->v[INDEX][l] = kind == 0   ? l
                     : kind == 1 ? 64 + l
                     : kind == 2 ? 650 + l
                     : kind == 3 ? 2 * l
                     : kind == 4 ? 1 + l + (l == 40)
                                 : 100 + below(64);
  w->s[42] = below(3);
  w->s[43] = below(16);
  w->s[44] = 1 + below(2);
  w->s[45] = below(2) ? w->v[INDEX][0] + below(64) : 1u << below(21);
}

/* Bytes of both sources, signs of their halves, 0 and 0xff; in some states no
 * bytes that machine code leaves to the handler. */
static void selectors_make(aq_wave *w, unsigned number)
{
  static const uint8_t kinds[] = {0, 1, 2,  3,  4,    5,    6,    7,    0x0c,
                                  8, 9, 10, 11, 0x0d, 0x0e, 0x0f, 0x80, 0xff};
  const unsigned count = number % 3 ? 9 : sizeof kinds;
  for (unsigned l = 0; l < AQ_WAVE_LANES; l++) {
    w->v[SELECTORS][l] = 0;
    for (unsigned k = 0; k < 4; k++)
      w->v[SELECTORS][l] |= (uint32_t)kinds[below(count)] << 8 * k;
  }
}

static void state_make(aq_wave *w, unsigned number)
{
  const bool special = number % 3 != 0;
  const uint64_t masks[] = {UINT64_MAX, aq_rng_bits(&rng), 1, 0xffff0000};
  /* Without a bit of their exponents halves are no infinities and NaNs. */
  const uint32_t bits = number % 6 == 0 ? 0xbfffbfff : UINT32_MAX;
  for (unsigned r = 0; r < ROWS; r++)
    for (unsigned l = 0; l < AQ_WAVE_LANES; l++)
      w->v[r][l] = word_make(special) & bits;
  for (unsigned i = 0; i < AQ_ISA_EXEC; i++)
    w->s[i] = word_make(false);
  addresses_make(w, number);
  indices_make(w);
  selectors_make(w, number);
  w->s64[AQ_ISA_EXEC / 2] =
      masks[below(2) ? 0 : number % 4] & (w->wave32 ? UINT32_MAX : UINT64_MAX);
  w->s[33] = 5;
  w->scc = below(2);
  /* Machine code of f16 has one MODE, which every other finite state has. */
  w->mode = number % 2 || (number % 6 == 0 && below(2))
                ? 0xf0 | AQ_WAVE_MODE_IEEE
                : (uint32_t)aq_rng_bits(&rng) & 0x3ff;
  w->pc = 0;
  w->state = AQ_WAVE_RUNS;
}

/* All lanes have such f16, in the MODE that machine code computes in. */
static void halves_make(aq_wave *w)
{
  for (unsigned r = 0; r < ROWS; r++)
    for (unsigned l = 0; l < AQ_WAVE_LANES; l++)
      w->v[r][l] = half_make() | half_make() << 16;
  w->s64[AQ_ISA_EXEC / 2] = w->wave32 ? UINT32_MAX : UINT64_MAX;
  w->mode = 0xf0 | AQ_WAVE_MODE_IEEE;
}

/* ---- comparing ---- */

static void differs(const bed *b, unsigned first, char (*texts)[BED_TEXT],
                    const char *what)
{
  fprintf(stderr, "# %s of %s differ after:\n", what, b->gfx);
  for (size_t i = 0; i < COUNT; i++)
    if (!b->refused[first + i])
      fprintf(stderr, "# %zu: %s\n", i, texts[first + i]);
  ck_abort_msg("compiled code differs: %s", what);
}

enum { BUDGET = 1 << 14 };

/* The instructions of an interpreted run, in their order. */
static const aq_wave_op *trail[BUDGET + 1];

/* Runs to the end, or to a fault; the rest of a budget. */
static int64_t program_interpret(bed *b, const aq_wave_op *first)
{
  int64_t left = BUDGET;
  aq_wave_mode_enter(b->wave);
  for (const aq_wave_op *o = first; o && left > 0; left--) {
    trail[BUDGET - left] = o;
    o = o->run(b->wave, o);
  }
  return left;
}

/* The same by compiled code; `sliced`: with small budgets, each of which ends
 * before the instruction that the interpreter executes then. */
static int64_t program_compiled(bed *b, const aq_wave_op *first, bool sliced)
{
  int64_t left = BUDGET;
  const aq_wave_op *o = first;
  aq_wave_mode_enter(b->wave);
  while (b->wave->state == AQ_WAVE_RUNS && left > 0) {
    const int64_t slice = sliced ? 1 + below(1u << below(9)) : left;
    int64_t rest = slice;
    o = aq_jit_run(b->wave, o, &rest);
    left -= slice - rest;
    if (b->wave->state == AQ_WAVE_RUNS) {
      ck_assert_int_eq(rest, 0);
      ck_assert_ptr_eq(o, trail[BUDGET - left]);
    }
  }
  return left;
}

static void grid_make(bed *b, aq_jit *native)
{
  b->wave->grid = &b->grid;
  b->wave->group = &b->group;
  b->grid.code = b->code;
  b->grid.desc.kernel = "native";
  b->grid.native = native;
  b->grid.native_from = UINT64_MAX;
  b->grid.lds_size = BYTES;
  b->group.lds = (uint8_t *)lds;
  aq_wave_reachable_fini(&reachable);
  reachable = (aq_wave_reachable){.allocations = b->allocations};
  b->grid.reachable = &reachable;
}

static void memory_copy(uint32_t (*to)[BYTES / 4])
{
  memcpy(to[0], memory, BYTES);
  memcpy(to[1], lds, BYTES);
}

static void memory_restore(void)
{
  memcpy(memory, kept[0], BYTES);
  memcpy(lds, kept[1], BYTES);
}

/* How many units' blocks a program has in its first page. */
static unsigned blocks_count(const aq_wave_op *first)
{
  enum { PAGE_OPS = 1024 };
  const aq_wave_op *end = aq_wave_code_ops((aq_wave_op *)(uintptr_t)first);
  unsigned count = 0;
  end += PAGE_OPS;
  for (unsigned i = 0; i < COUNT * BED_STRIDE / 4 && first + i < end; i++)
    count += first[i].entry && first[i].entry != UINT16_MAX;
  return count;
}

static void fault_take(bed *b, aq_execution_fault *fault)
{
  *fault = b->grid.fault;
  memset(&b->grid.fault, 0, sizeof b->grid.fault);
}

/* What programs compared. */
typedef struct comparison {
  unsigned states; /* of a program */
  bool halves;     /* all lanes have f16 that round narrowly */
  unsigned faults;
  uint64_t blocks, texts, refused; /* by the assembler */
} comparison;

/* The program whose first instruction has a number. */
static void program_compare(bed *b, unsigned at, char (*texts)[BED_TEXT],
                            aq_jit *native, comparison *c)
{
  static aq_wave before, expected;
  aq_wave *w = b->wave;
  const uint64_t begin = (uintptr_t)b->bytes + (uint64_t)at * BED_STRIDE;
  const aq_wave_op *first = aq_wave_code_at(b->code, begin);
  grid_make(b, native);
  aq_jit_begin(native, b->code, begin);
  ck_assert_uint_ne(first->entry, 0);
  c->blocks += blocks_count(first);
  for (unsigned i = 0; i < c->states; i++) {
    aq_execution_fault fault, compiled;
    const uint32_t host = aq_wave_mode_save();
    state_make(w, i);
    if (c->halves)
      halves_make(w);
    memcpy(&before, w, sizeof before);
    const int64_t left = program_interpret(b, first);
    fault_take(b, &fault);
    memcpy(&expected, w, sizeof expected);
    memcpy(w, &before, sizeof before);
    memory_copy(orphaned);
    memory_restore();
    const int64_t rest = program_compiled(b, first, i % 3 == 1);
    fault_take(b, &compiled);
    aq_wave_mode_restore(host);
    if (w->state != expected.state || left != rest ||
        strcmp(fault.text, compiled.text) != 0) {
      fprintf(stderr, "# interpreted: %s\n# compiled: %s\n", fault.text,
              compiled.text);
      differs(b, at, texts, "states");
    }
    ck_assert_int_eq(left, rest);
    ck_assert_uint_eq(fault.pc, compiled.pc);
    ck_assert_uint_eq(fault.address, compiled.address);
    ck_assert_str_eq(fault.text, compiled.text);
    if (memcmp(memory, orphaned[0], BYTES) != 0 ||
        memcmp(lds, orphaned[1], BYTES) != 0)
      differs(b, at, texts, "memory or LDS");
    memory_restore();
    c->faults += w->state == AQ_WAVE_FAULTS;
    if (w->state == AQ_WAVE_FAULTS)
      continue;
    ck_assert_int_eq(w->state, AQ_WAVE_ENDED);
    if (memcmp(w->s, expected.s, 4 * (AQ_ISA_EXEC + 2)) != 0 ||
        w->scc != expected.scc)
      differs(b, at, texts, "scalars");
    for (unsigned r = 0; r < ROWS; r++)
      if (memcmp(w->v[r], expected.v[r], w->wave32 ? 4 * 32 : 4 * 64) != 0)
        differs(b, at, texts, "vectors");
  }
}

/* Programs reach their code and `memory`, and no other mapping of this
 * process, of which the interpreter would read what lies at a wild address. */
static void memory_publish(bed *b)
{
  const aq_allocation own = {.base = (uintptr_t)memory,
                             .size = BYTES,
                             .readers = AQ_DEVICES_ALL,
                             .writers = AQ_DEVICES_ALL,
                             .kind = AQ_ALLOCATION_POOL},
                      code = {.base = (uintptr_t)b->bytes,
                              .size = b->count * BED_STRIDE,
                              .readers = AQ_DEVICES_ALL,
                              .kind = AQ_ALLOCATION_TEXT,
                              .executable = true};
  aq_allocations_open(b->allocations, false);
  ck_assert(aq_allocations_add(b->allocations, &own));
  ck_assert(aq_allocations_add(b->allocations, &code));
}

/* Programs that lie APART in `texts`. */
static void programs_compare(const program_target *of, unsigned count,
                             char (*texts)[BED_TEXT],
                             const aq_jit_options *options, comparison *c)
{
  const unsigned level = aq_wave_level_count() - 1;
  bed b;
  aq_jit *native = aq_jit_create(options, level);
  bed_open_in(&b, of->gfx, of->wave32 ? 32 : 64, texts, (size_t)APART * count,
              level);
  memory_publish(&b);
  for (size_t i = 0; i < b.count; i++)
    c->refused += b.refused[i];
  c->texts += (uint64_t)COUNT * count;
  for (unsigned i = 0; i < count; i++)
    program_compare(&b, APART * i, texts, native, c);
  bed_close(&b);
  aq_jit_destroy(native);
}

static char batch_texts[BATCH * APART][BED_TEXT];

/* Programs of a target, `batch` of them at once. */
static void target_compare(const program_target *of, unsigned from,
                           unsigned batch, const aq_jit_options *options,
                           deck *all, comparison *c)
{
  for (unsigned i = from; i < from + batch; i++) {
    char(*program)[BED_TEXT] = batch_texts + (size_t)APART * (i - from);
    program_texts(program, i, all, of);
    for (unsigned k = COUNT; k < APART; k++)
      snprintf(program[k], BED_TEXT, "s_endpgm");
  }
  programs_compare(of, batch, batch_texts, options, c);
}

/* False: the test is skipped. */
static bool native_begin(aq_jit_builder **builder, aq_jit_options *options,
                         deck *all)
{
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_wave_level_count() < 2) {
    aqtest_leave_out("the processor has no AVX2");
    return false;
  }
  if (system("command -v clang-22 > /dev/null") != 0) { /* NOLINT: fixed name */
    aqtest_skip("no clang-22 here");
    return false;
  }
  aq_rng_init(&rng, 24, 0);
  ck_assert_status(
      aq_jit_builder_create(AQ_JIT_ALWAYS, NULL, NULL, builder, &diag), AQ_OK,
      &diag);
  aq_jit_builder_options(*builder, options);
  memory = mmap(NULL, AROUND, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ck_assert(memory != MAP_FAILED);
  ck_assert_int_eq(mprotect(memory, BYTES, PROT_READ | PROT_WRITE), 0);
  for (unsigned i = 0; i < BYTES / 4; i++) {
    memory[i] = word_make(true);
    lds[i] = 4 * below(BYTES / 8);
  }
  memory_copy(kept);
  deck_make(all, aq_wave_texts_create(aq_wave_level_count() - 1));
  return true;
}

static void native_end(aq_jit_builder *builder, const deck *all)
{
  aq_wave_reachable_fini(&reachable);
  munmap(memory, AROUND);
  aq_wave_texts_destroy((aq_wave_texts *)(uintptr_t)all->table);
  aq_jit_builder_destroy(builder);
}

static const program_target targets[] = {
    {"gfx90a", false, false}, {"gfx900", false, false},
    {"gfx1030", true, false}, {"gfx1030", true, true},
    {"gfx1100", true, true},  {"gfx1201", true, true}};
enum { TARGETS = sizeof targets / sizeof *targets };

/* $AQ_BLOCKS of each target, else some thousand. */
START_TEST(random_blocks_as_machine_code_leave_what_the_interpreter_leaves)
{
  const char *wanted = getenv("AQ_BLOCKS");
  const uint64_t count = wanted             ? strtoull(wanted, NULL, 10)
                         : aqtest_is_long() ? 4000
                                            : 1000;
  aq_jit_builder *builder;
  aq_jit_options options;
  deck all_texts;
  if (!native_begin(&builder, &options, &all_texts))
    return;
  for (unsigned t = 0; t < TARGETS; t++) {
    comparison c = {.states = wanted ? 6 : 12};
    for (unsigned i = 0; c.blocks < count; i += BATCH)
      target_compare(&targets[t], i, BATCH, &options, &all_texts, &c);
    ck_assert_uint_lt(c.refused, c.texts / 8);
    ck_assert_uint_gt(c.faults, 0);
  }
  native_end(builder, &all_texts);
}
END_TEST

START_TEST(sums_of_products_of_f16_round_once_as_machine_code)
{
  static const char *const sums[] = {
      "v_pk_fma_f16 v0, v1, v2, v3",
      "v_fma_f16 v4, v5, v6, v7",
      "v_pk_fma_f16 v8, v1, v2, v4 op_sel:[1,0,1] op_sel_hi:[0,1,1]",
      "v_fma_f16 v9, v8, s3, v10",
      "v_pk_fma_f16 v11, v8, v3, 1.0 neg_lo:[1,0,1]",
      "v_pk_mul_f16 v12, v0, v11",
      "v_pk_add_f16 v13, v12, v8",
      READS_ALL};
  enum { SUMS = sizeof sums / sizeof *sums };
  aq_jit_builder *builder;
  aq_jit_options options;
  deck all_texts;
  if (!native_begin(&builder, &options, &all_texts))
    return;
  for (unsigned k = 0; k < APART; k++)
    snprintf(batch_texts[k], BED_TEXT, "%s", k < SUMS ? sums[k] : "s_endpgm");
  for (unsigned t = 0; t < TARGETS; t++) {
    comparison c = {.states = 200, .halves = true};
    programs_compare(&targets[t], 1, batch_texts, &options, &c);
    ck_assert_uint_eq(c.faults, 0);
  }
  native_end(builder, &all_texts);
}
END_TEST

/* A minute of a processor in long tests, on machines that do other work. */
int main(void)
{
  const aqtest_case cases[] = {
      {"random_blocks_as_machine_code_leave_what_the_interpreter_leaves",
       random_blocks_as_machine_code_leave_what_the_interpreter_leaves,
       .timeout = 600},
      {"sums_of_products_of_f16_round_once_as_machine_code",
       sums_of_products_of_f16_round_once_as_machine_code},
  };
  return aqtest_run("gpu/wave/native", cases, sizeof cases / sizeof *cases);
}
