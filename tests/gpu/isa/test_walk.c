/* SPDX-License-Identifier: MIT */
/* Instructions reached from an entry, in code assembled by hand. */
#include <string.h>

#include "gpu/isa/cfg_walk.h"
#include "gpu/isa/control_flow.h"
#include "gpu/isa/labels.h"
#include "support/aqtest.h"

enum { BASE = 0x1000 };

/* Instructions of gfx90a; branches count words from the next one. */
#define BRANCH(words)  (0xbf820000u | ((words)&0xffff))
#define CBRANCH(words) (0xbf840000u | ((words)&0xffff)) /* scc0 */
#define ENDPGM         0xbf810000u
#define NOP            0xbf800000u
#define GETPC_S4       0xbe841c00u
#define ADD_S4_LITERAL 0x8004ff04u
#define ADDC_S5_0      0x82058005u
#define SWAPPC_S30_S4  0xbe9e1e04u
#define SETPC_S30      0xbe801d1eu
#define LOAD_S4_S4_8   0xc0060102u, 0x00000008u
#define TRAP(id)       (0xbf920000u | (id))
#define NO_INSTRUCTION 0xffffffffu

typedef struct reached {
  const uint32_t *words;
  size_t count;
  uint64_t pointer_at, pointer; /* the one that is known */
  bool at[64];                  /* by word */
  size_t visits, unknown;
} reached;

static size_t code_at(void *user, uint64_t address, const void **bytes)
{
  const reached *r = user;
  const uint64_t into = address - BASE;
  if (into >= 4 * r->count)
    return 0;
  *bytes = (const char *)r->words + into;
  return 4 * r->count - into;
}

static bool pointer_at(void *user, uint64_t address, uint64_t *value)
{
  const reached *r = user;
  *value = r->pointer;
  return address == r->pointer_at;
}

static bool visit(void *user, uint64_t pc, const aq_isa_inst *inst)
{
  reached *r = user;
  r->visits++;
  r->unknown += !inst;
  if ((pc - BASE) / 4 < 64)
    r->at[(pc - BASE) / 4] = true;
  return true;
}

static aq_isa_decoder decoder(void)
{
  aq_target target;
  aq_isa_decoder made;
  ck_assert_int_eq(aq_target_parse("gfx90a", 6, &target, NULL), AQ_OK);
  ck_assert_int_eq(aq_isa_decoder_init(&made, target.processor, NULL), AQ_OK);
  return made;
}

/* Walks from the first word; whether a call was not resolved. */
static bool walk(reached *r)
{
  const aq_isa_decoder with = decoder();
  aq_isa_walk w = {.decoder = &with,
                   .code = code_at,
                   .pointer = pointer_at,
                   .visit = visit,
                   .user = r};
  ck_assert(aq_isa_walk_from(&w, BASE));
  aq_isa_walk_fini(&w);
  return w.unresolved;
}

#define WALK(name, ...)                                                        \
  static const uint32_t name##_words[] = {__VA_ARGS__};                        \
  reached name = {.words = name##_words,                                       \
                  .count = sizeof name##_words / sizeof *name##_words};        \
  const bool name##_unresolved = walk(&name)

START_TEST(both_sides_of_a_branch_are_reached_once)
{
  WALK(r, CBRANCH(2), NOP, BRANCH(1), NOP, ENDPGM, NOP);
  ck_assert(!r_unresolved);
  for (size_t i = 0; i < 5; i++)
    ck_assert_msg(r.at[i], "word %zu", i);
  ck_assert(!r.at[5]); /* behind the end */
  ck_assert_uint_eq(r.visits, 5);
}
END_TEST

/* Compilers put nothing behind the trap of an abort. */
START_TEST(code_behind_a_trap_is_not_reached)
{
  WALK(r, TRAP(3), TRAP(2), NO_INSTRUCTION);
  ck_assert(!r_unresolved);
  ck_assert_uint_eq(r.visits, 2);
  ck_assert_uint_eq(r.unknown, 0);
}
END_TEST

START_TEST(a_loop_ends_the_walk)
{
  WALK(r, NOP, CBRANCH(-2), BRANCH(-3));
  ck_assert(!r_unresolved);
  ck_assert_uint_eq(r.visits, 3);
}
END_TEST

/* The call is at word 4; the function, at word 7, is 24 bytes behind what
 * s_getpc gives. */
START_TEST(a_call_to_an_address_from_getpc_reaches_the_function)
{
  WALK(r, GETPC_S4, ADD_S4_LITERAL, 24, ADDC_S5_0, SWAPPC_S30_S4, ENDPGM, NOP,
       NOP, SETPC_S30);
  ck_assert(!r_unresolved);
  ck_assert(r.at[5] && r.at[7] && r.at[8]);
  ck_assert(!r.at[6]);
}
END_TEST

START_TEST(a_call_through_a_known_pointer_reaches_the_function)
{
  static const uint32_t words[] = {GETPC_S4, LOAD_S4_S4_8, SWAPPC_S30_S4,
                                   ENDPGM,   NOP,          SETPC_S30};
  reached r = {.words = words,
               .count = sizeof words / sizeof *words,
               .pointer_at = BASE + 4 + 8,
               .pointer = BASE + 4 * 6};
  ck_assert(!walk(&r));
  ck_assert(r.at[4] && r.at[6]);
  ck_assert(!r.at[5]);
}
END_TEST

START_TEST(a_call_through_a_pointer_from_outside_is_not_resolved)
{
  WALK(loaded, LOAD_S4_S4_8, SWAPPC_S30_S4, ENDPGM);
  ck_assert(loaded_unresolved);
  ck_assert(loaded.at[3]); /* the call may return */
}
END_TEST

START_TEST(words_that_are_no_instruction_are_told)
{
  WALK(r, CBRANCH(1), ENDPGM, NO_INSTRUCTION, NOP);
  ck_assert(!r_unresolved);
  ck_assert_uint_eq(r.unknown, 1);
  ck_assert(r.at[2] && !r.at[3]);
}
END_TEST

START_TEST(labels_are_numbered_by_address)
{
  const aq_isa_decoder with = decoder();
  static const uint32_t words[] = {CBRANCH(2), NOP, BRANCH(-2), ENDPGM,
                                   BRANCH(100)};
  static const char *const texts[] = {"s_cbranch_scc0 L1", "s_nop 0",
                                      "s_branch L0", "s_endpgm",
                                      "s_branch <far>"};
  aq_isa_labels labels = {.base = BASE, .end = BASE + sizeof words};
  aq_isa_inst inst[5];
  for (size_t i = 0; i < 5; i++) {
    ck_assert_int_eq(aq_isa_decode(&with, &words[i], 4, 0, &inst[i], NULL),
                     AQ_OK);
    ck_assert(aq_isa_labels_add(&labels, &inst[i], BASE + 4 * i));
  }
  aq_isa_labels_sort(&labels);
  ck_assert_uint_eq(labels.count, 2);
  ck_assert_int_eq(aq_isa_label_at(&labels, BASE + 4), 0);
  ck_assert_int_eq(aq_isa_label_at(&labels, BASE + 12), 1);
  ck_assert_int_eq(aq_isa_label_at(&labels, BASE + 8), -1);
  for (size_t i = 0; i < 5; i++) {
    char text[AQ_ISA_TEXT_SIZE];
    aq_isa_labels_print(&labels, &inst[i], BASE + 4 * i, "far", text);
    ck_assert_str_eq(text, texts[i]);
  }
  aq_isa_labels_fini(&labels);
}
END_TEST

AQ_TEST_MAIN("gpu/isa/walk", both_sides_of_a_branch_are_reached_once,
             code_behind_a_trap_is_not_reached, a_loop_ends_the_walk,
             a_call_to_an_address_from_getpc_reaches_the_function,
             a_call_through_a_known_pointer_reaches_the_function,
             a_call_through_a_pointer_from_outside_is_not_resolved,
             words_that_are_no_instruction_are_told,
             labels_are_numbered_by_address)
