/* SPDX-License-Identifier: MIT */
/*
 * Packets of SDMA against a table of their fields: word, first bit, number of
 * bits, as AMD's public headers have them (Linux: vega10_sdma_pkt_open.h,
 * navi10_sdma_pkt_open.h; ROCr: sdma_registers.h for gfx12). The table shares
 * no constant with the decoder.
 */
#include <stdio.h>
#include <string.h>

#include "backend_sim/sdma/sdma_packet.h"
#include "common/rng.h"
#include "support/aqtest.h"

enum { FIELDS = 16, ROUNDS = 400 };

typedef struct field {
  const char *name;
  unsigned word, first, count;
} field;

typedef struct packet_row {
  const char *name;
  unsigned opcode, sub, words;
  bool from10, gfx12, before12; /* generations that have it; none: all */
  field fields[FIELDS];
} packet_row;

#define ADDRESS(name, word)                                                    \
  {name, word, 0, 32},                                                         \
  {                                                                            \
    name "_hi", (word) + 1, 0, 16                                              \
  }

static const packet_row forms[] = {
    {"NOP", 0, 0, 1, .fields = {{"count", 0, 16, 14}}},
    {"COPY_LINEAR", 1, 0, 7,
     .fields = {{"count", 1, 0, 22}, ADDRESS("src", 3), ADDRESS("dst", 5)}},
    {"COPY_LINEAR_SUB_WINDOW", 1, 4, 13, .before12 = true,
     .fields = {{"element", 0, 29, 3},
                ADDRESS("src", 1),
                {"src_x", 3, 0, 14},
                {"src_y", 3, 16, 14},
                {"src_z", 4, 0, 11},
                {"src_pitch", 4, 13, 19},
                {"src_slice", 5, 0, 28},
                ADDRESS("dst", 6),
                {"dst_pitch", 9, 13, 19},
                {"dst_slice", 10, 0, 28},
                {"rect_x", 11, 0, 14},
                {"rect_y", 11, 16, 14},
                {"rect_z", 12, 0, 11}}},
    {"COPY_LINEAR_SUB_WINDOW", 1, 4, 13, .gfx12 = true,
     .fields = {{"element", 0, 29, 3},
                ADDRESS("src", 1),
                {"src_x", 3, 0, 16},
                {"src_y", 3, 16, 16},
                {"src_z", 4, 0, 14},
                {"src_pitch", 4, 16, 16},
                {"src_slice", 5, 0, 32},
                ADDRESS("dst", 6),
                {"dst_pitch", 9, 16, 16},
                {"dst_slice", 10, 0, 32},
                {"rect_x", 11, 0, 16},
                {"rect_y", 11, 16, 16},
                {"rect_z", 12, 0, 14}}},
    {"WRITE_LINEAR", 2, 0, 4,
     .fields = {ADDRESS("dst", 1), {"count", 3, 0, 20}}},
    {"FENCE", 5, 0, 4, .fields = {ADDRESS("dst", 1), {"data", 3, 0, 32}}},
    {"TRAP", 6, 0, 2, .fields = {{"data", 1, 0, 28}}},
    {"POLL_REGMEM", 8, 0, 6,
     .fields = {{"func", 0, 28, 3},
                {"mem", 0, 31, 1},
                ADDRESS("src", 1),
                {"data", 3, 0, 32},
                {"mask", 4, 0, 32},
                {"interval", 5, 0, 16},
                {"retries", 5, 16, 12}}},
    {"ATOMIC", 10, 0, 8,
     .fields = {{"operation", 0, 25, 7},
                ADDRESS("dst", 1),
                {"data", 3, 0, 32},
                {"data_hi", 4, 0, 32},
                {"compare", 5, 0, 32},
                {"compare_hi", 6, 0, 32},
                {"interval", 7, 0, 13}}},
    {"CONST_FILL", 11, 0, 5,
     .fields = {{"fillsize", 0, 30, 2},
                ADDRESS("dst", 1),
                {"data", 3, 0, 32},
                {"count", 4, 0, 22}}},
    {"TIMESTAMP", 13, 1, 3, .fields = {ADDRESS("dst", 1)}},
    {"TIMESTAMP_GLOBAL", 13, 2, 3, .fields = {ADDRESS("dst", 1)}},
    {"GCR", 17, 1, 5, .from10 = true, .fields = {{"base", 1, 7, 25}}},
};

enum { FORMS = sizeof forms / sizeof *forms };

static const struct {
  const char *gfx;
  unsigned generation, count_bits;
} targets[] = {{"gfx900", 9, 22},   {"gfx906", 9, 22},   {"gfx908", 9, 22},
               {"gfx90a", 9, 30},   {"gfx942", 9, 30},   {"gfx950", 9, 30},
               {"gfx1010", 10, 22}, {"gfx1030", 10, 30}, {"gfx1100", 11, 30},
               {"gfx1151", 11, 30}, {"gfx1201", 12, 30}};

enum { TARGETS = sizeof targets / sizeof *targets };

static bool has(const packet_row *f, unsigned generation)
{
  return (!f->from10 || generation >= 10) && (!f->gfx12 || generation == 12) &&
         (!f->before12 || generation < 12);
}

static const field *field_of(const packet_row *f, const char *name)
{
  for (int i = 0; i < FIELDS && f->fields[i].name; i++)
    if (strcmp(f->fields[i].name, name) == 0)
      return &f->fields[i];
  return NULL;
}

static void put(const packet_row *f, uint32_t *words, const char *name,
                uint32_t value)
{
  const field *at = field_of(f, name);
  const uint32_t mask = (uint32_t)((UINT64_C(1) << at->count) - 1);
  words[at->word] = (words[at->word] & ~(mask << at->first)) | (value & mask)
                                                                   << at->first;
}

static uint64_t get(const packet_row *f, const uint32_t *words,
                    const char *name)
{
  char high[32];
  const field *at = field_of(f, name);
  if (!at)
    return 0;
  const uint32_t mask = (uint32_t)((UINT64_C(1) << at->count) - 1);
  uint64_t value = words[at->word] >> at->first & mask;
  snprintf(high, sizeof high, "%s_hi", name);
  if (field_of(f, high))
    value |= get(f, words, high) << 32;
  return value;
}

/* Every field random, but fields whose values may make it a refused packet. */
static void form_fill(const packet_row *f, aq_rng *rng, uint32_t *words)
{
  memset(words, 0, AQSIM_SDMA_WORDS_MAX * sizeof *words);
  words[0] = f->opcode | f->sub << 8;
  for (int i = 0; i < FIELDS && f->fields[i].name; i++)
    put(f, words, f->fields[i].name, (uint32_t)aq_rng_bits(rng));
  if (field_of(f, "element"))
    put(f, words, "element", (uint32_t)aq_rng_bits(rng) % 5);
  if (field_of(f, "fillsize"))
    put(f, words, "fillsize", (uint32_t)aq_rng_bits(rng) % 2 * 2);
  if (field_of(f, "retries"))
    put(f, words, "retries", 0xfff);
  if (field_of(f, "mem"))
    put(f, words, "mem", 1);
  if (field_of(f, "func"))
    put(f, words, "func", (uint32_t)aq_rng_bits(rng) % 7);
  if (field_of(f, "dst") && strcmp(f->name, "COPY_LINEAR") != 0)
    put(f, words, "dst", (uint32_t)aq_rng_bits(rng) & ~7u);
  if (field_of(f, "src") && strcmp(f->name, "COPY_LINEAR") != 0)
    put(f, words, "src", (uint32_t)aq_rng_bits(rng) & ~7u);
}

static void rect_compare(const packet_row *f, const uint32_t *words,
                         const aqsim_sdma_packet *p)
{
  const unsigned element = (unsigned)get(f, words, "element");
  const uint64_t unit = UINT64_C(1) << element;
  const uint64_t row = (get(f, words, "src_pitch") + 1) * unit,
                 slice = (get(f, words, "src_slice") + 1) * unit;
  ck_assert_uint_eq(p->kind, AQSIM_SDMA_MOVE);
  ck_assert_uint_eq(p->box.from.row, row);
  ck_assert_uint_eq(p->box.from.slice, slice);
  ck_assert_uint_eq(p->box.to.row, (get(f, words, "dst_pitch") + 1) * unit);
  ck_assert_uint_eq(p->box.to.slice, (get(f, words, "dst_slice") + 1) * unit);
  ck_assert_uint_eq(p->from, get(f, words, "src") +
                                 get(f, words, "src_x") * unit +
                                 get(f, words, "src_y") * row +
                                 get(f, words, "src_z") * slice);
  ck_assert_uint_eq(p->to, get(f, words, "dst"));
  ck_assert_uint_eq(p->box.width, (get(f, words, "rect_x") + 1) * unit);
  ck_assert_uint_eq(p->box.rows, get(f, words, "rect_y") + 1);
  ck_assert_uint_eq(p->box.slices, get(f, words, "rect_z") + 1);
  ck_assert_uint_eq(p->size,
                    (uint64_t)p->box.width * p->box.rows * p->box.slices);
}

static void packet_compare(const packet_row *f, const uint32_t *words,
                           const aqsim_sdma_packet *p)
{
  const uint64_t count = get(f, words, "count") + 1;
  uint64_t bytes = count;
  switch (f->opcode) {
  case 0:
    ck_assert_uint_eq(p->kind, AQSIM_SDMA_NOTHING);
    ck_assert_uint_eq(p->words, count); /* the header, and `count` words */
    break;
  case 1:
    if (f->sub == 4) {
      rect_compare(f, words, p);
      break;
    }
    ck_assert_uint_eq(p->kind, AQSIM_SDMA_MOVE);
    ck_assert_uint_eq(p->size, count);
    ck_assert_uint_eq(p->from, get(f, words, "src"));
    break;
  case 2:
    ck_assert_uint_eq(p->kind, AQSIM_SDMA_STORE);
    ck_assert_uint_eq(p->size, 4 * count);
    ck_assert_uint_eq(p->words, 4 + count);
    break;
  case 6:
    ck_assert_uint_eq(p->kind, AQSIM_SDMA_TRAP);
    break;
  case 8:
    ck_assert_uint_eq(p->kind, AQSIM_SDMA_POLL);
    ck_assert_uint_eq(p->from, get(f, words, "src"));
    ck_assert_uint_eq(p->function, get(f, words, "func"));
    ck_assert_uint_eq(p->mask, get(f, words, "mask"));
    break;
  case 10:
    ck_assert_uint_eq(p->kind, AQSIM_SDMA_CHANGE);
    ck_assert_uint_eq(p->operation, get(f, words, "operation"));
    ck_assert_uint_eq(p->compare, get(f, words, "compare"));
    ck_assert_uint_eq(p->unit, p->operation & 32 ? 8 : 4);
    break;
  case 11: /* a count of bytes less one, in whole values */
    if (get(f, words, "fillsize") == 2)
      bytes = (count - 1) / 4 * 4 + 4;
    ck_assert_uint_eq(p->kind, AQSIM_SDMA_SET);
    ck_assert_uint_eq(p->size, bytes);
    ck_assert_uint_eq(p->unit, get(f, words, "fillsize") == 2 ? 4 : 1);
    break;
  default:
    break;
  }
  if (field_of(f, "dst") && f->sub != 4)
    ck_assert_uint_eq(p->to, get(f, words, "dst"));
  if (f->opcode == 11 && p->unit == 1)
    ck_assert_uint_eq(p->value, get(f, words, "data") & 255);
  else if (field_of(f, "data"))
    ck_assert_uint_eq(p->value, get(f, words, "data"));
}

START_TEST(every_field_of_every_packet_is_read_where_the_headers_have_it)
{
  aq_rng rng;
  uint32_t words[AQSIM_SDMA_WORDS_MAX];
  char text[AQSIM_SDMA_TEXT_MAX];
  aq_rng_init(&rng, 49, 49);
  for (int t = 0; t < TARGETS; t++) {
    const aq_sdma_form form = aq_sdma_form_of(targets[t].gfx);
    ck_assert_uint_eq(form.generation, targets[t].generation);
    for (int i = 0; i < FORMS; i++)
      for (int n = 0; n < ROUNDS && has(&forms[i], form.generation); n++) {
        aqsim_sdma_packet p;
        form_fill(&forms[i], &rng, words);
        ck_assert_msg(aqsim_sdma_decode(&form, words, 1 << 22, &p, text) ==
                          AQSIM_SDMA_OK,
                      "%s on %s: %s", forms[i].name, targets[t].gfx, text);
        ck_assert_str_eq(p.name, forms[i].name);
        if (forms[i].opcode != 0 && forms[i].opcode != 2)
          ck_assert_uint_eq(p.words, forms[i].words);
        packet_compare(&forms[i], words, &p);
      }
  }
}
END_TEST

START_TEST(a_packet_waits_for_its_last_word)
{
  aq_rng rng;
  uint32_t words[AQSIM_SDMA_WORDS_MAX];
  char text[AQSIM_SDMA_TEXT_MAX];
  const aq_sdma_form form = aq_sdma_form_of("gfx90a");
  aq_rng_init(&rng, 49, 50);
  for (int i = 0; i < FORMS; i++) {
    aqsim_sdma_packet p;
    if (!has(&forms[i], 9))
      continue;
    form_fill(&forms[i], &rng, words);
    ck_assert_uint_eq(aqsim_sdma_decode(&form, words, 1 << 22, &p, text),
                      AQSIM_SDMA_OK);
    const uint32_t whole = p.words;
    for (uint32_t n = 0; n < whole && n < 40; n++)
      ck_assert_uint_eq(aqsim_sdma_decode(&form, words, n, &p, text),
                        AQSIM_SDMA_MORE);
    ck_assert_uint_eq(aqsim_sdma_decode(&form, words, whole - 1, &p, text),
                      AQSIM_SDMA_MORE);
    ck_assert_uint_eq(aqsim_sdma_decode(&form, words, whole, &p, text),
                      AQSIM_SDMA_OK);
  }
}
END_TEST

/* All 2^16 opcodes with sub-opcodes, on each generation. */
START_TEST(what_is_no_packet_is_refused_by_its_opcode)
{
  uint32_t words[AQSIM_SDMA_WORDS_MAX] = {0};
  char text[AQSIM_SDMA_TEXT_MAX], expected[AQSIM_SDMA_TEXT_MAX];
  for (int t = 0; t < TARGETS; t++) {
    const aq_sdma_form form = aq_sdma_form_of(targets[t].gfx);
    for (uint32_t code = 0; code < 0x10000; code++) {
      bool known = false;
      aqsim_sdma_packet p;
      for (int i = 0; i < FORMS; i++)
        known |= has(&forms[i], form.generation) &&
                 (forms[i].opcode | forms[i].sub << 8) == code;
      words[0] = code;
      const aqsim_sdma_result result =
          aqsim_sdma_decode(&form, words, 1 << 22, &p, text);
      if (known)
        continue;
      ck_assert_uint_eq(result, AQSIM_SDMA_BAD);
      snprintf(expected, sizeof expected,
               "opcode %u, sub-opcode %u is not one that engines of gfx%u "
               "execute here",
               code & 255, code >> 8, form.generation);
      ck_assert_str_eq(text, expected);
    }
  }
  ck_assert_uint_eq(aq_sdma_form_of("gfx1250").generation, 0);
  ck_assert_uint_eq(aq_sdma_form_of("gfx803").generation, 0);
  ck_assert_uint_eq(aq_sdma_form_of(NULL).generation, 0);
}
END_TEST

static void refused(const char *gfx, const uint32_t words[16], const char *why)
{
  aqsim_sdma_packet p;
  char text[AQSIM_SDMA_TEXT_MAX];
  const aq_sdma_form form = aq_sdma_form_of(gfx);
  ck_assert_uint_eq(aqsim_sdma_decode(&form, words, 64, &p, text),
                    AQSIM_SDMA_BAD);
  ck_assert_str_eq(text, why);
}

START_TEST(fields_with_another_meaning_are_refused_by_name)
{
  const uint32_t all = 0xfff << 16;
  refused("gfx90a", (uint32_t[16]){1 | 1 << 27}, /* broadcast */
          "flags that are not served, header 0x8000001");
  refused("gfx90a", (uint32_t[16]){1 | 1 << 16}, /* encrypted */
          "flags that are not served, header 0x10001");
  refused("gfx900", (uint32_t[16]){1, 1 << 22},
          "reserved bits in the count 0x400000");
  refused("gfx90a", (uint32_t[16]){1, 1u << 30},
          "reserved bits in the count 0x40000000");
  refused("gfx942", (uint32_t[16]){1, 0, 1 << 16},
          "swaps bytes, parameter 0x10000");
  refused("gfx90a", (uint32_t[16]){1 | 4 << 8 | 5u << 29},
          "elements of 2 to the power of 0x5");
  refused("gfx90a", (uint32_t[16]){1 | 4 << 8, 1002},
          "misaligned address 0x3ea");
  refused("gfx90a", (uint32_t[16]){2, 0, 0, 1 << 24},
          "swaps bytes or has reserved bits, count 0x1000000");
  refused("gfx90a", (uint32_t[16]){5, 2}, "misaligned address 0x2");
  refused("gfx90a", (uint32_t[16]){6, 1u << 28},
          "reserved bits in the context 0x10000000");
  refused("gfx90a", (uint32_t[16]){8 | 3u << 28, 0x1234},
          "waits for a register, at 0x1234");
  refused("gfx90a", (uint32_t[16]){8 | 7u << 28 | 1u << 31, 64, 0, 0, 0, all},
          "unknown function 0x7");
  refused("gfx90a", (uint32_t[16]){8 | 3u << 28 | 1u << 31, 64, 0, 0, 0, 9},
          "gives up; expected 0xfff retries, got 0");
  refused("gfx90a", (uint32_t[16]){10 | 47u << 25, 4},
          "misaligned address 0x4");
  refused("gfx90a", (uint32_t[16]){10 | 8u << 25 | 1 << 16, 4},
          "repeats until it has compared equal, operation 0x8");
  refused("gfx90a", (uint32_t[16]){11 | 1u << 30},
          "values of 2 to the power of 0x1");
  refused("gfx90a", (uint32_t[16]){11, 0, 0, 0, 1 << 22},
          "reserved bits in the count 0x400000");
  refused("gfx90a", (uint32_t[16]){13 | 2 << 8, 4}, "misaligned address 0x4");
}
END_TEST

/* ROCr's flush of the host's path to memory, as it stands in its header. */
START_TEST(a_flush_is_a_poll_of_a_register_that_compares_nothing)
{
  const uint32_t words[AQSIM_SDMA_WORDS_MAX] = {0x8, 0, 0x80000000, 0, 0, 0};
  aqsim_sdma_packet p;
  char text[AQSIM_SDMA_TEXT_MAX];
  const aq_sdma_form form = aq_sdma_form_of("gfx90a");
  ck_assert_uint_eq(aqsim_sdma_decode(&form, words, 6, &p, text),
                    AQSIM_SDMA_OK);
  ck_assert_uint_eq(p.kind, AQSIM_SDMA_NOTHING);
  ck_assert_uint_eq(p.words, 6);
}
END_TEST

AQ_TEST_MAIN("backend_sim/sdma/sdma_packet",
             every_field_of_every_packet_is_read_where_the_headers_have_it,
             a_packet_waits_for_its_last_word,
             what_is_no_packet_is_refused_by_its_opcode,
             fields_with_another_meaning_are_refused_by_name,
             a_flush_is_a_poll_of_a_register_that_compares_nothing)
