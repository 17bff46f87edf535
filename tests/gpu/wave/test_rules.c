/* SPDX-License-Identifier: MIT */
/* Each rule of machine code (strip.h) writes an instruction that is executed by
 * no handler: neither is it left out of the machine code, nor do its strips
 * leave, with ordinary operands. test_native compares the results, which a
 * rule that always leaves would get right too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bed.h"
#include "gpu/wave/core/address_translate.h"
#include "gpu/wave/core/jit.h"
#include "gpu/wave/core/mode.h"
#include "gpu/wave/jit/jit_builder.h"
#include "gpu/wave/jit/strip.h"
#include "support/aqtest.h"

enum {
  RULES = 256, /* at most */
  APART = 256, /* instructions of a page, of which a program has three */
  LDS_BYTES = 4096,
  ADDRESS = 20, /* registers: an address, */
  OFFSET = 22,  /* one from s[BASE], */
  SHARED = 23,  /* and one in LDS */
  BASE = 40,
  MODE = 0xf0, /* denormals are numbers */
};

static uint32_t memory[2048], lds[LDS_BYTES / 4 + AQ_WAVE_LDS_BEHIND / 4];

/* ---- programs ---- */

typedef struct text {
  char *to;
  const char *between;
} text;

static void operand_add(text *t, const char *operand)
{
  const size_t length = strlen(t->to);
  snprintf(t->to + length, BED_TEXT - length, "%s%s", t->between, operand);
  t->between = ", ";
}

static void registers_add(text *t, unsigned first, unsigned count)
{
  char operand[24];
  snprintf(operand, sizeof operand, count > 1 ? "v[%u:%u]" : "v%u", first,
           first + count - 1);
  operand_add(t, operand);
}

/* By the letters of a rule: aq_strip_rule. */
static void operands_add(text *t, const char *letters, unsigned first)
{
  for (; *letters; letters++, first += 2)
    if (*letters == 'm')
      operand_add(t, "vcc");
    else if (*letters == 'n')
      operand_add(t, "5");
    else
      registers_add(t, first,
                    *letters == 'U'   ? 2
                    : *letters == 'u' ? 1
                                      : (unsigned)(*letters - '0'));
}

static bool is_named(const aq_strip_rule *rule, const char *name)
{
  return strcmp(rule->name, name) == 0;
}

static void rule_text(const aq_strip_rule *rule, const aq_strip_rule *table,
                      char *to)
{
  enum { RESULT = 8 };
  text t = {to, " "};
  snprintf(to, BED_TEXT, "%s", rule->name);
  operands_add(&t, rule->results, RESULT);
  if (table == aq_strip_rules_loads) {
    registers_add(&t, ADDRESS, 2);
    operand_add(&t, "off");
  } else if (table == aq_strip_rules_offset_loads) {
    registers_add(&t, OFFSET, 1);
    operand_add(&t, "s[40:41]");
  } else if (table == aq_strip_rules_shared) {
    registers_add(&t, SHARED, 1);
    t.between = " ";
    if (strstr(rule->name, "read2"))
      operand_add(&t, "offset1:1");
  } else if (!*rule->sources) { /* ds_bpermute_b32 */
    registers_add(&t, SHARED, 1);
    registers_add(&t, 2, 1);
  } else if (is_named(rule, "v_dot4c_i32_i8")) { /* adds to its result */
    operands_add(&t, "uu", 2);
  } else if (is_named(rule, "v_div_scale_f32")) {
    snprintf(to, BED_TEXT, "v_div_scale_f32 v8, vcc, v2, v2, v4");
  } else {
    operands_add(&t, rule->sources, 2);
  }
}

/* ---- running ---- */

/* Lanes that are on, and whether their addresses are in a row. */
typedef struct lane_order {
  uint64_t exec;
  bool mixed;
} lane_order;

static const lane_order ordinary[] = {{UINT64_MAX, false},
                                      {UINT64_MAX, true},
                                      {0x5555555555555555, false},
                                      {0x00ff0000f00f0001, true},
                                      {1, false}};
enum { ORDINARY = sizeof ordinary / sizeof *ordinary };

/* Ordinary floats of 16, 32 and 64 bits; v6 selects bytes of v_perm_b32. */
static void state_make(aq_wave *w, lane_order of)
{
  for (unsigned l = 0; l < AQ_WAVE_LANES; l++) {
    for (unsigned r = 0; r < ADDRESS; r++)
      w->v[r][l] = r == 6 ? 0x0c070401 : 0x3c003c00 + 0x10001 * (l + r);
    const uint32_t offset = 4 * (of.mixed ? 5 * l % AQ_WAVE_LANES : l);
    const uint64_t at = (uintptr_t)memory + offset;
    w->v[ADDRESS][l] = (uint32_t)at;
    w->v[ADDRESS + 1][l] = (uint32_t)(at >> 32);
    w->v[OFFSET][l] = w->v[SHARED][l] = offset;
  }
  aq_wave_put64(w, BASE, (uintptr_t)memory);
  w->s64[AQ_ISA_EXEC / 2] = of.exec & (w->wave32 ? UINT32_MAX : UINT64_MAX);
  w->s64[AQ_ISA_VCC / 2] = 0; /* v_div_scale_f32 scaled no lane */
  w->mode = MODE;
  w->pc = 0;
  w->state = AQ_WAVE_RUNS;
}

static void grid_make(bed *b, aq_jit *native)
{
  b->wave->grid = &b->grid;
  b->wave->group = &b->group;
  b->grid.code = b->code;
  b->grid.desc.kernel = "rules";
  b->grid.native = native;
  b->grid.native_from = UINT64_MAX;
  b->grid.lds_size = LDS_BYTES;
  b->group.lds = (uint8_t *)lds;
}

/* The first instruction of the page of a program, which is compiled now. */
static aq_wave_op *program_compile(bed *b, aq_jit *native, size_t number)
{
  const uint64_t begin =
      (uintptr_t)b->bytes + (uint64_t)number * APART * BED_STRIDE;
  aq_wave_op *first = (aq_wave_op *)(uintptr_t)aq_wave_code_at(b->code, begin);
  aq_jit_begin(native, b->code, begin);
  ck_assert_uint_ne(first->entry, 0);
  return first;
}

enum { BUDGET = 8 };

/* False: it faulted. */
static bool program_run(bed *b, const aq_wave_op *first, bool compiled)
{
  const uint32_t host = aq_wave_mode_save();
  int64_t left = BUDGET;
  aq_wave_mode_enter(b->wave);
  if (compiled)
    aq_jit_run(b->wave, first, &left);
  for (const aq_wave_op *o = first; !compiled && o && left > 0; left--)
    o = o->run(b->wave, o);
  aq_wave_mode_restore(host);
  memset(&b->grid.fault, 0, sizeof b->grid.fault);
  ck_assert_int_ne(b->wave->state, AQ_WAVE_RUNS);
  return b->wave->state == AQ_WAVE_ENDED;
}

static aq_wave_handler *handler;
static unsigned handled;

static const aq_wave_op *handler_count(aq_wave *w, const aq_wave_op *o)
{
  handled++;
  return handler(w, o);
}

/* How often a handler executes the first instruction, once the range of its
 * address is known. */
static unsigned handlers_count(bed *b, aq_wave_op *first)
{
  unsigned times = 0;
  for (int i = 0; i < ORDINARY; i++) {
    state_make(b->wave, ordinary[i]);
    ck_assert(program_run(b, first, true));
    handler = first->run;
    first->run = handler_count;
    handled = 0;
    state_make(b->wave, ordinary[i]);
    ck_assert(program_run(b, first, true));
    first->run = handler;
    times += handled;
  }
  return times;
}

static bool builder_make(aq_jit_builder **builder, aq_jit_options *options)
{
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_wave_level_count() < 2) {
    aqtest_leave_out("the processor has no AVX2");
    return false;
  }
  if (!bed_tools_are_here())
    return false;
  setenv("AQUEDUCT_CACHE", aqtest_tmpdir(), 1);
  ck_assert_status(
      aq_jit_builder_create(AQ_JIT_ALWAYS, NULL, NULL, builder, &diag), AQ_OK,
      &diag);
  aq_jit_builder_options(*builder, options);
  return true;
}

/* Its sources are not known: all registers count as read. */
#define READS_ALL "s_incperflevel 0"

/* ---- each rule ---- */

typedef struct program {
  const aq_strip_rule *rule, *table;
  bool ran;
} program;

static unsigned programs_make(program *out)
{
  unsigned count = 0;
  for (size_t i = 0; aq_strip_tables[i]; i++)
    for (const aq_strip_rule *r = aq_strip_tables[i]; r->name; r++) {
      ck_assert_uint_lt(count, RULES);
      out[count++] = (program){r, aq_strip_tables[i], false};
    }
  return count;
}

/* The programs that a target has and no earlier one had; how many rules are
 * left to handlers. */
static unsigned target_run(const char *gfx, int lanes, program *programs,
                           unsigned count, const aq_jit_options *options)
{
  static char texts[RULES * APART][BED_TEXT];
  const unsigned level = aq_wave_level_count() - 1;
  unsigned left = 0;
  bed b;
  for (unsigned i = 0; i < count; i++) {
    char(*own)[BED_TEXT] = texts + (size_t)APART * i;
    for (unsigned k = 0; k < APART; k++)
      snprintf(own[k], BED_TEXT, "s_endpgm");
    if (programs[i].ran)
      continue;
    rule_text(programs[i].rule, programs[i].table, own[0]);
    snprintf(own[1], BED_TEXT, READS_ALL);
  }
  aq_jit *native = aq_jit_create(options, level);
  ck_assert_ptr_nonnull(native);
  bed_open_in(&b, gfx, lanes, texts, (size_t)APART * count, level);
  aq_wave_reachable reachable = {.allocations = b.allocations};
  b.grid.reachable = &reachable;
  grid_make(&b, native);
  for (unsigned i = 0; i < count; i++) {
    const size_t at = (size_t)APART * i;
    if (programs[i].ran || b.refused[at])
      continue;
    programs[i].ran = true;
    const unsigned times = handlers_count(&b, program_compile(&b, native, i));
    if (times > 0)
      fprintf(stderr, "# %s: a handler executes %s, %u times\n", gfx, texts[at],
              times);
    left += times > 0;
  }
  aq_wave_reachable_fini(&reachable);
  bed_close(&b);
  aq_jit_destroy(native);
  return left;
}

START_TEST(no_rule_leaves_its_instruction_to_a_handler)
{
  static const struct {
    const char *gfx;
    int lanes;
  } targets[] = {
      {"gfx90a", 64}, {"gfx942", 64}, {"gfx1100", 32}, {"gfx1201", 32}};
  static program programs[RULES];
  const unsigned count = programs_make(programs);
  aq_jit_builder *builder;
  aq_jit_options options;
  unsigned left = 0;
  if (!builder_make(&builder, &options))
    return;
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    left +=
        target_run(targets[i].gfx, targets[i].lanes, programs, count, &options);
  aq_jit_builder_destroy(builder);
  for (unsigned i = 0; i < count; i++)
    ck_assert_msg(programs[i].ran, "no target has a program of the rule of %s",
                  programs[i].rule->name);
  ck_assert_uint_gt(count, 0);
  ck_assert_uint_eq(left, 0);
}
END_TEST

/* ---- windows of memory ---- */

enum { SIDE = 4096 /* bytes on each side of a multiple of 2^32 */ };

/* Low addresses may all be a sanitizer's. */
static uint8_t *border_map(void)
{
  for (uint64_t k = 16; k < 1 << 15; k = k < 256 ? k + 1 : 2 * k) {
    uint8_t *want = (uint8_t *)(uintptr_t)((k << 32) - SIDE);
    uint8_t *got =
        mmap(want, (size_t)2 * SIDE, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == want)
      return got;
    if (got != MAP_FAILED)
      munmap(got, (size_t)2 * SIDE);
  }
  return NULL;
}

/* Where a lane loads: strips take turns on the sides, or all are on one; in a
 * row, or every second lane elsewhere. */
static uint32_t border_place(unsigned kind, unsigned lane, unsigned bytes)
{
  const uint32_t side = (kind & 2 ? lane / 8 : kind) & 1 ? SIDE : 0;
  return 256 + side + (kind & 4 ? 16 * (lane ^ (lane & 1) << 5) : bytes * lane);
}

/* The lanes have the bytes at their addresses and 16. */
static void border_check(const bed *b, unsigned bytes, const char *name)
{
  for (unsigned l = 0; l < AQ_WAVE_LANES; l++) {
    const uint64_t at =
        b->wave->v[ADDRESS][l] | (uint64_t)b->wave->v[ADDRESS + 1][l] << 32;
    uint32_t words[4] = {0};
    memcpy(words, (const uint8_t *)(uintptr_t)at + 16, bytes);
    for (unsigned k = 0; k < (bytes + 3) / 4; k++)
      ck_assert_msg(b->wave->v[8 + k][l] == words[k], "%s: lane %u, word %u",
                    name, l, k);
  }
}

/* Also in memory whose addresses have two upper words. */
START_TEST(loads_beside_a_multiple_of_2_to_32_are_no_handlers)
{
  static const struct {
    const char *text;
    unsigned bytes;
  } loads[] = {{"global_load_ubyte v8, v[20:21], off offset:16", 1},
               {"global_load_ushort v8, v[20:21], off offset:16", 2},
               {"global_load_dword v8, v[20:21], off offset:16", 4},
               {"global_load_dwordx2 v[8:9], v[20:21], off offset:16", 8},
               {"global_load_dwordx3 v[8:10], v[20:21], off offset:16", 12},
               {"global_load_dwordx4 v[8:11], v[20:21], off offset:16", 16}};
  enum { LOADS = sizeof loads / sizeof *loads, KINDS = 8 };
  static char texts[LOADS * APART][BED_TEXT];
  aq_jit_builder *builder;
  aq_jit_options options;
  bed b;
  if (!builder_make(&builder, &options))
    return;
  uint8_t *border = border_map();
  ck_assert_ptr_nonnull(border);
  for (unsigned i = 0; i < 2 * SIDE; i++)
    border[i] = (uint8_t)(i / 4 * 29 + i % 4 * 71);
  for (size_t i = 0; i < LOADS * (size_t)APART; i++)
    snprintf(texts[i], BED_TEXT, "%s",
             i % APART == 0   ? loads[i / APART].text
             : i % APART == 1 ? READS_ALL
                              : "s_endpgm");
  aq_jit *native = aq_jit_create(&options, aq_wave_level_count() - 1);
  ck_assert_ptr_nonnull(native);
  bed_open_all(&b, "gfx90a", 64, texts, LOADS * (size_t)APART);
  aq_wave_reachable reachable = {.allocations = b.allocations};
  b.grid.reachable = &reachable;
  grid_make(&b, native);
  for (size_t i = 0; i < LOADS; i++) {
    aq_wave_op *first = program_compile(&b, native, i);
    for (unsigned kind = 0; kind < 2 * KINDS; kind++) {
      state_make(b.wave, ordinary[0]);
      for (unsigned l = 0; l < AQ_WAVE_LANES; l++) {
        const uint64_t at =
            (uintptr_t)border + border_place(kind % KINDS, l, loads[i].bytes);
        b.wave->v[ADDRESS][l] = (uint32_t)at;
        b.wave->v[ADDRESS + 1][l] = (uint32_t)(at >> 32);
      }
      handler = first->run;
      handled = 0;
      first->run = kind < KINDS ? handler : handler_count;
      ck_assert(program_run(&b, first, true));
      first->run = handler;
      ck_assert_msg(handled == 0, "a handler executes %s, order %u",
                    loads[i].text, kind % KINDS);
      border_check(&b, loads[i].bytes, loads[i].text);
    }
  }
  aq_wave_reachable_fini(&reachable);
  bed_close(&b);
  aq_jit_destroy(native);
  aq_jit_builder_destroy(builder);
  munmap(border, (size_t)2 * SIDE);
}
END_TEST

/* A range is known from before a part of it was unmapped, in which the lanes
 * that are off have their addresses. */
START_TEST(lanes_that_are_off_load_nothing)
{
  static const char *const loads[] = {
      "global_load_ubyte v8, v[20:21], off",
      "global_load_ushort v8, v[20:21], off",
      "global_load_dword v8, v[20:21], off",
      "global_load_dwordx2 v[8:9], v[20:21], off",
      "global_load_dwordx3 v[8:10], v[20:21], off",
      "global_load_ubyte v8, v22, s[40:41]",
      "global_load_dword v8, v22, s[40:41]"};
  enum { LOADS = sizeof loads / sizeof *loads, PAGE = 4096, LEFT = 2 * PAGE };
  static char texts[LOADS * APART][BED_TEXT];
  static const uint32_t stale[] = {PAGE, UINT32_MAX - PAGE};
  static const uint64_t masks[] = {0x5555555555555555, 0x00ff0000f00f0001};
  aq_jit_builder *builder;
  aq_jit_options options;
  bed b;
  if (!builder_make(&builder, &options))
    return;
  uint8_t *pages = mmap(NULL, (size_t)4 * PAGE, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert(pages != MAP_FAILED);
  for (size_t i = 0; i < LOADS * (size_t)APART; i++)
    snprintf(texts[i], BED_TEXT, "%s",
             i % APART == 0   ? loads[i / APART]
             : i % APART == 1 ? READS_ALL
                              : "s_endpgm");
  aq_jit *native = aq_jit_create(&options, aq_wave_level_count() - 1);
  ck_assert_ptr_nonnull(native);
  bed_open_all(&b, "gfx90a", 64, texts, LOADS * (size_t)APART);
  aq_wave_reachable reachable = {.allocations = b.allocations};
  b.grid.reachable = &reachable;
  grid_make(&b, native);
  for (size_t i = 0; i < 4 * (size_t)LOADS; i++) {
    aq_wave_op *first = program_compile(&b, native, i / 4);
    const uint64_t exec = masks[i % 2];
    ck_assert_int_eq(
        mprotect(pages + PAGE, (size_t)2 * PAGE, PROT_READ | PROT_WRITE), 0);
    handler = first->run;
    for (int after = 0; after < 2; after++) {
      state_make(b.wave, (lane_order){after ? exec : UINT64_MAX, false});
      for (unsigned l = 0; l < AQ_WAVE_LANES; l++) {
        const bool off = after && !(exec >> l & 1);
        const uint32_t at = off ? stale[i / 2 % 2] : LEFT + 16 * (l ^ 5);
        const uint64_t place = (uintptr_t)pages + at;
        memset(pages + LEFT + 16 * l, (int)(l ^ 5) + 1, 16);
        b.wave->v[ADDRESS][l] = (uint32_t)place;
        b.wave->v[ADDRESS + 1][l] = (uint32_t)(place >> 32);
        b.wave->v[OFFSET][l] = at - PAGE;
      }
      aq_wave_put64(b.wave, BASE, (uintptr_t)pages + PAGE);
      handled = 0;
      first->run = after ? handler_count : handler;
      ck_assert(program_run(&b, first, true));
      first->run = handler;
      ck_assert_msg(handled == 0, "a handler executes %s", loads[i / 4]);
      for (unsigned l = 0; l < AQ_WAVE_LANES; l++)
        ck_assert_uint_eq(b.wave->v[8][l] & 0xff,
                          !after || exec >> l & 1 ? l + 1 : (8 + l) & 0xff);
      ck_assert_int_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
    }
  }
  aq_wave_reachable_fini(&reachable);
  bed_close(&b);
  aq_jit_destroy(native);
  aq_jit_builder_destroy(builder);
  munmap(pages, (size_t)4 * PAGE);
}
END_TEST

/* ---- stores to LDS ---- */

/* Stores have no rule: aq_memory_write. In each of the lanes' orders they and
 * the interpreter leave the same bytes, lanes that are off none. */
START_TEST(no_store_to_LDS_is_left_to_a_handler)
{
  static const char *const stores[] = {
      "ds_write_b32 v23, v2",
      "ds_write_b64 v23, v[2:3] offset:8",
      "ds_write_b128 v23, v[2:5] offset:16",
      "ds_write2_b32 v23, v2, v4 offset0:1 offset1:3",
      "ds_write2_b64 v23, v[2:3], v[4:5] offset1:1",
      "ds_write2st64_b32 v23, v2, v4 offset1:2"};
  enum { STORES = sizeof stores / sizeof *stores };
  static char texts[STORES * APART][BED_TEXT];
  static uint32_t expected[LDS_BYTES / 4];
  aq_jit_builder *builder;
  aq_jit_options options;
  bed b;
  if (!builder_make(&builder, &options))
    return;
  for (size_t i = 0; i < STORES * (size_t)APART; i++)
    snprintf(texts[i], BED_TEXT, "%s",
             i % APART ? "s_endpgm" : stores[i / APART]);
  aq_jit *native = aq_jit_create(&options, aq_wave_level_count() - 1);
  ck_assert_ptr_nonnull(native);
  bed_open_all(&b, "gfx90a", 64, texts, STORES * (size_t)APART);
  grid_make(&b, native);
  for (size_t i = 0; i < STORES; i++) {
    aq_wave_op *first = program_compile(&b, native, i);
    ck_assert_msg(handlers_count(&b, first) == 0, "a handler executes %s",
                  stores[i]);
    for (int k = 0; k < ORDINARY; k++) {
      memset(lds, 0xa5, sizeof lds);
      state_make(b.wave, ordinary[k]);
      ck_assert(program_run(&b, first, false));
      memcpy(expected, lds, sizeof expected);
      memset(lds, 0xa5, sizeof lds);
      state_make(b.wave, ordinary[k]);
      ck_assert(program_run(&b, first, true));
      ck_assert_msg(memcmp(lds, expected, sizeof expected) == 0,
                    "%s stores other words in lanes %d", stores[i], k);
    }
  }
  bed_close(&b);
  aq_jit_destroy(native);
  aq_jit_builder_destroy(builder);
}
END_TEST

/* They are the longest machine code: 2.6 KB each. */
START_TEST(a_page_of_stores_to_LDS_is_machine_code)
{
  static char texts[APART][BED_TEXT];
  aq_jit_builder *builder;
  aq_jit_options options;
  bed b;
  if (!builder_make(&builder, &options))
    return;
  for (size_t i = 0; i < APART; i++)
    snprintf(texts[i], BED_TEXT, "%s",
             i + 1 < APART ? "ds_write2_b64 v23, v[2:3], v[4:5] offset1:1"
                           : "s_endpgm");
  aq_jit *native = aq_jit_create(&options, aq_wave_level_count() - 1);
  ck_assert_ptr_nonnull(native);
  bed_open_all(&b, "gfx90a", 64, texts, APART);
  grid_make(&b, native);
  ck_assert_uint_ne(program_compile(&b, native, 0)->entry, 0);
  bed_close(&b);
  aq_jit_destroy(native);
  aq_jit_builder_destroy(builder);
}
END_TEST

/* ---- windows of LDS ---- */

/* Words of a lane from its address on. */
typedef struct shared_program {
  const char *text;
  unsigned count;
  uint32_t offsets[4];
} shared_program;

/* Lanes' addresses: the first, how far each of a strip's eight is behind the
 * one before, and where one lane is instead. */
typedef struct shared_lanes {
  uint32_t first, step;
  int odd; /* of a strip; -1: none */
  int32_t odd_step;
} shared_lanes;

static uint32_t shared_address(const shared_lanes *at, unsigned lane)
{
  const unsigned k = lane % 8;
  return (int)k == at->odd ? at->first + (uint32_t)at->odd_step
                           : at->first + k * at->step;
}

/* Compiled and interpreted words are the words of LDS. False: one lies
 * behind LDS, which both report. */
static bool shared_check(bed *b, const aq_wave_op *first,
                         const shared_program *p, const shared_lanes *at,
                         uint64_t exec)
{
  static aq_wave before, expected;
  aq_wave *w = b->wave;
  state_make(w, ordinary[0]);
  for (unsigned l = 0; l < AQ_WAVE_LANES; l++)
    w->v[SHARED][l] = shared_address(at, l);
  w->s64[AQ_ISA_EXEC / 2] = exec;
  memcpy(&before, w, sizeof before);
  const bool ended = program_run(b, first, false);
  memcpy(&expected, w, sizeof expected);
  memcpy(w, &before, sizeof before);
  ck_assert_int_eq(program_run(b, first, true), ended);
  if (!ended)
    return false;
  for (unsigned l = 0; l < AQ_WAVE_LANES; l++)
    for (unsigned k = 0; k < p->count; k++) {
      const uint32_t own = w->v[8 + k][l],
                     byte = shared_address(at, l) + p->offsets[k];
      ck_assert_msg(own == expected.v[8 + k][l],
                    "%s: lane %u, word %u, first %u, step %u, odd %d %d",
                    p->text, l, k, at->first, at->step, at->odd, at->odd_step);
      if (!(exec >> l & 1))
        ck_assert_uint_eq(own, before.v[8 + k][l]);
      else if (byte % 4 == 0 && byte < LDS_BYTES - 16)
        ck_assert_uint_eq(own, lds[byte / 4]);
    }
  return true;
}

START_TEST(loads_at_the_edges_of_a_window_get_their_words)
{
  enum { END = LDS_BYTES, PROGRAMS = 7 };
  static const shared_program programs[PROGRAMS] = {
      {"ds_read_b32 v8, v23", 1, {0}},
      {"ds_read_b32 v8, v23 offset:28", 1, {28}},
      {"ds_read_b64 v[8:9], v23", 2, {0, 4}},
      {"ds_read_b96 v[8:10], v23", 3, {0, 4, 8}},
      {"ds_read_b128 v[8:11], v23", 4, {0, 4, 8, 12}},
      {"ds_read2_b32 v[8:9], v23 offset1:7", 2, {0, 28}},
      {"ds_read2st64_b32 v[8:9], v23 offset1:1", 2, {0, 256}}};
  static const uint32_t firsts[] = {0,        4,        64,       END - 64,
                                    END - 36, END - 32, END - 28, END - 8,
                                    END - 4,  END,      66};
  static const uint64_t masks[] = {UINT64_MAX, 0xfffffffffffffffe, 0x80,
                                   0x7f7f7f7f7f7f7f7f};
  static char texts[PROGRAMS * APART][BED_TEXT];
  aq_jit_builder *builder;
  aq_jit_options options;
  unsigned ended = 0;
  bed b;
  if (!builder_make(&builder, &options))
    return;
  for (size_t i = 0; i < sizeof lds / sizeof *lds; i++)
    lds[i] = 0x01000193 * ((uint32_t)i + 1);
  for (unsigned i = 0; i < PROGRAMS; i++)
    for (unsigned k = 0; k < APART; k++)
      snprintf(texts[i * APART + k], BED_TEXT, "%s",
               k == 0   ? programs[i].text
               : k == 1 ? READS_ALL
                        : "s_endpgm");
  const unsigned level = aq_wave_level_count() - 1;
  aq_jit *native = aq_jit_create(&options, level);
  bed_open_in(&b, "gfx90a", 64, texts, sizeof texts / sizeof *texts, level);
  grid_make(&b, native);
  for (unsigned i = 0; i < PROGRAMS; i++) {
    const aq_wave_op *first = program_compile(&b, native, i);
    ck_assert(!b.refused[(size_t)APART * i]);
    for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++)
      for (uint32_t step = 0; step <= 8; step += 4)
        for (int odd = -1; odd < 8; odd++)
          for (int32_t by = -4; by <= 32; by += odd < 0 ? 64 : 4)
            for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
              ended += shared_check(&b, first, &programs[i],
                                    &(shared_lanes){firsts[f], step, odd, by},
                                    masks[m]);
  }
  ck_assert_uint_gt(ended, 20000);
  bed_close(&b);
  aq_jit_destroy(native);
  aq_jit_builder_destroy(builder);
}
END_TEST

/* ---- EXEC ---- */

/* The result becomes EXEC and the destination; of waves of 32 lanes only its
 * lower word is lanes. */
static void wrexec_check(const char *gfx, int lanes,
                         const aq_jit_options *options)
{
  static const char *const names[] = {"s_andn1_wrexec_b64",
                                      "s_andn2_wrexec_b64"};
  static const uint64_t values[] = {0, UINT64_MAX, 0x0123456789abcdef,
                                    0xffffffff00000000};
  static char texts[2 * APART][BED_TEXT];
  const uint64_t all = lanes == 32 ? UINT32_MAX : UINT64_MAX;
  bed b;
  for (unsigned i = 0; i < 2; i++) {
    for (unsigned k = 0; k < APART; k++)
      snprintf(texts[i * APART + k], BED_TEXT, "s_endpgm");
    snprintf(texts[i * APART], BED_TEXT, "%s s[4:5], s[6:7]", names[i]);
    snprintf(texts[i * APART + 1], BED_TEXT, "v_mov_b32 v8, 1");
    snprintf(texts[i * APART + 2], BED_TEXT, READS_ALL);
  }
  const unsigned level = aq_wave_level_count() - 1;
  aq_jit *native = aq_jit_create(options, level);
  bed_open_in(&b, gfx, lanes, texts, sizeof texts / sizeof *texts, level);
  grid_make(&b, native);
  for (unsigned i = 0; i < 2; i++) {
    aq_wave *w = b.wave;
    const aq_wave_op *first = program_compile(&b, native, i);
    ck_assert(!b.refused[(size_t)APART * i]);
    for (unsigned n = 0; n < 32; n++) {
      const uint64_t source = values[n % 4], exec = values[n / 4 % 4] & all,
                     result = i ? source & ~exec : ~source & exec;
      state_make(w, ordinary[0]);
      w->s64[3] = source;
      w->s64[AQ_ISA_EXEC / 2] = exec;
      ck_assert(program_run(&b, first, n / 16));
      ck_assert_uint_eq(w->s64[AQ_ISA_EXEC / 2] & all, result & all);
      ck_assert_uint_eq(w->s64[2], result);
      ck_assert_int_eq(w->scc, result != 0);
      for (int l = 0; l < lanes; l++)
        ck_assert_int_eq(w->v[8][l] == 1, result >> l & 1);
    }
  }
  bed_close(&b);
  aq_jit_destroy(native);
}

START_TEST(wrexec_b64_writes_the_lanes_of_both_sizes_of_waves)
{
  aq_jit_builder *builder;
  aq_jit_options options;
  if (!builder_make(&builder, &options))
    return;
  wrexec_check("gfx900", 64, &options);
  wrexec_check("gfx1030", 64, &options);
  wrexec_check("gfx1030", 32, &options);
  aq_jit_builder_destroy(builder);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/rules", no_rule_leaves_its_instruction_to_a_handler,
             loads_beside_a_multiple_of_2_to_32_are_no_handlers,
             lanes_that_are_off_load_nothing,
             no_store_to_LDS_is_left_to_a_handler,
             a_page_of_stores_to_LDS_is_machine_code,
             loads_at_the_edges_of_a_window_get_their_words,
             wrexec_b64_writes_the_lanes_of_both_sizes_of_waves)
