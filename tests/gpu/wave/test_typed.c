/* SPDX-License-Identifier: MIT */
/* Buffers: typed ones, their bounds, and loads to LDS. Formats follow the
 * Vulkan specification (Fixed-Point Data Conversions, Unsigned 11-Bit and
 * 10-Bit Floating-Point Numbers); AMD names their components from the upper
 * bits on. Bounds and addresses: CDNA3 ISA, chapter 9. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "gpu/wave/core/reach.h"
#include "support/aqtest.h"

enum { LANES = 64, BYTES = 4096, LDS = 4096 };

static uint8_t memory[BYTES] __attribute__((aligned(16)));
static uint32_t lds[LDS / 4];
static aq_wave_reachable reachable;

/* s[4:7] is a resource of `records` bytes, or of that many records. */
static void bed_fill(bed *b, uint32_t records, unsigned stride, uint32_t word3)
{
  const uint64_t base = (uint64_t)(uintptr_t)memory;
  b->wave->s[4] = (uint32_t)base;
  b->wave->s[5] = (uint32_t)(base >> 32) | stride << 16;
  b->wave->s[6] = records;
  b->wave->s[7] = word3;
  memset(lds, 0xee, sizeof lds);
  for (unsigned i = 0; i < BYTES; i++)
    memory[i] = (uint8_t)(i * 7 + (i >> 8));
}

static void bed_attach(bed *b)
{
  b->grid.lds_size = LDS;
  b->group.lds = (uint8_t *)lds;
  reachable = (aq_wave_reachable){.allocations = b->allocations};
  b->grid.reachable = &reachable;
}

static bool open_one(bed *b, const char *gfx, const char *text,
                     uint32_t records, unsigned stride, uint32_t word3)
{
  if (!bed_open_one(b, gfx, text))
    return false;
  bed_attach(b);
  bed_fill(b, records, stride, word3);
  return true;
}

static void close_one(bed *b)
{
  aq_wave_reachable_fini(&reachable);
  bed_close(b);
}

static float f32(uint32_t bits)
{
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

static uint32_t bits32(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}

/* ---- formats ---- */

typedef struct format_case {
  const char *format;
  uint8_t memory[16];
  float values[4];
  bool integers;
} format_case;

/* clang-format off */
static const format_case formats[] = {
    {"BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM", {0, 255, 51, 1}, {0, 1, 0.2f, 1 / 255.0f}, false},
    {"BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SNORM", {0x7f, 0x81, 0, 0xc1}, {1, -1, 0, -63 / 127.0f}, false},
    {"BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_USCALED", {0, 255, 7, 128}, {0, 255, 7, 128}, false},
    {"BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SSCALED", {0, 255, 7, 128}, {0, -1, 7, -128}, false},
    {"BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT", {0, 255, 7, 128}, {0, 255, 7, 128}, true},
    {"BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SINT", {0, 255, 7, 128}, {0, -1, 7, -128}, true},
    {"BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT", {200}, {200, 0, 0, 1}, true},
    {"BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT", {0x00, 0x3c, 0x01, 0x80}, {1, -0x1p-24f, 0, 1}, false},
    {"BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_UNORM", {0xff, 0xff, 0, 0, 0x33, 0x33, 1, 0}, {1, 0, 0.2f, 1 / 65535.0f}, false},
    {"BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_FLOAT", {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, {1, -2, 0, 1}, false},
    {"BUF_DATA_FORMAT_32_32_32,BUF_NUM_FORMAT_SINT", {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 3, 0, 0, 0}, {1, -2, 3, 1}, true},
    /* A2B10G10R10: R is in the lowest bits. */
    {"BUF_DATA_FORMAT_2_10_10_10,BUF_NUM_FORMAT_UINT", {0x01, 0x08, 0x30, 0xc0}, {1, 2, 3, 3}, true},
    {"BUF_DATA_FORMAT_2_10_10_10,BUF_NUM_FORMAT_UNORM", {0xff, 0x03, 0, 0x40}, {1, 0, 0, 1 / 3.0f}, false},
    {"BUF_DATA_FORMAT_10_10_10_2,BUF_NUM_FORMAT_UINT", {0x07, 0x20, 0, 0x01}, {3, 1, 2, 4}, true},
};
/* clang-format on */

static bool is_rdna(const char *gfx)
{
  return strncmp(gfx, "gfx1", 4) == 0;
}

static bool is_from_11(const char *gfx)
{
  return is_rdna(gfx) && strncmp(gfx, "gfx10", 5) != 0;
}

/* "format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT]", of RDNA
 * "format:[BUF_FMT_8_UINT]". */
static void format_write(const char *gfx, const char *format, char out[100])
{
  const char *data = strchr(strchr(format, 'F') + 1, 'F') + 7;
  const char *number = strrchr(format, '_') + 1;
  if (is_rdna(gfx))
    snprintf(out, 100, "format:[BUF_FMT_%.*s_%s]", (int)strcspn(data, ","),
             data, number);
  else
    snprintf(out, 100, "format:[%s]", format);
}

/* Only some numbers of this layout are left from gfx11 on. */
static bool target_has(const char *gfx, const char *format)
{
  return !is_from_11(gfx) || !strstr(format, "10_10_10_2") ||
         !strstr(format, "SCALED");
}

/* No offset in a scalar register. */
static const char *no_scalar(const char *gfx)
{
  return strncmp(gfx, "gfx12", 5) == 0 ? "null" : "0";
}

enum { OOB_INDEX = 1 << 28, OOB_EMPTY = 2 << 28, OOB_RAW = 3 << 28 };

static uint32_t expected(const format_case *c, unsigned i)
{
  return c->integers ? (uint32_t)(int32_t)c->values[i] : bits32(c->values[i]);
}

static void load_text(const char *gfx, const char *format, char out[BED_TEXT])
{
  snprintf(out, BED_TEXT,
           "tbuffer_load_format_xyzw v[8:11], v0, s[4:7], %s %s offen "
           "offset:16",
           no_scalar(gfx), format);
}

static void load_check(bed *b, size_t number, const format_case *c)
{
  bed_fill(b, BYTES, 0, is_rdna(b->gfx) ? OOB_RAW : 0);
  b->wave->s64[AQ_ISA_EXEC / 2] = UINT64_MAX;
  for (uint32_t l = 0; l < LANES; l++)
    b->wave->v[0][l] = 16 * l;
  memcpy(memory + 16 * (3 + 1), c->memory, 16);
  ck_assert_msg(bed_run(b, number), "%s of %s: %s", c->format, b->gfx,
                b->grid.fault.text);
  for (unsigned k = 0; k < 4; k++)
    ck_assert_msg(b->wave->v[8 + k][3] == expected(c, k),
                  "%s of %s: component %u is 0x%x, expected 0x%x", c->format,
                  b->gfx, k, b->wave->v[8 + k][3], expected(c, k));
}

static void store_text(const char *gfx, const char *format, char out[BED_TEXT])
{
  snprintf(out, BED_TEXT,
           "tbuffer_store_format_xyzw v[8:11], v0, s[4:7], %s %s idxen",
           no_scalar(gfx), format);
}

static void store_check(bed *b, size_t number, const format_case *c)
{
  uint8_t before[BYTES];
  bed_fill(b, 64, 16, 0);
  memcpy(before, memory, sizeof before);
  b->wave->s64[AQ_ISA_EXEC / 2] = 4;
  b->wave->v[0][2] = 5;
  for (unsigned k = 0; k < 4; k++)
    b->wave->v[8 + k][2] = expected(c, k);
  ck_assert_msg(bed_run(b, number), "%s of %s: %s", c->format, b->gfx,
                b->grid.fault.text);
  const unsigned bytes = strstr(c->format, "32_32_32")      ? 12
                         : strstr(c->format, "32_32")       ? 8
                         : strstr(c->format, "16_16_16_16") ? 8
                         : strstr(c->format, "FORMAT_8,")   ? 1
                                                            : 4;
  memcpy(before + 16 * 5, c->memory, bytes);
  ck_assert_msg(memcmp(memory, before, BYTES) == 0, "%s of %s", c->format,
                b->gfx);
}

/* The formats of a processor are assembled at once. */
static void each_format(const char *gfx,
                        void (*write)(const char *gfx, const char *format,
                                      char out[BED_TEXT]),
                        void (*check)(bed *b, size_t number,
                                      const format_case *c))
{
  enum { FORMATS = sizeof formats / sizeof *formats };
  static char texts[FORMATS][BED_TEXT];
  const format_case *of[FORMATS];
  size_t count = 0;
  bed b;
  for (size_t i = 0; i < FORMATS; i++) {
    char format[100];
    if (!target_has(gfx, formats[i].format))
      continue;
    format_write(gfx, formats[i].format, format);
    write(gfx, format, texts[count]);
    of[count++] = &formats[i];
  }
  bed_open_all(&b, gfx, 64, texts, count);
  bed_attach(&b);
  for (size_t i = 0; i < count; i++)
    check(&b, i, of[i]);
  close_one(&b);
}

static const char *const rdna[] = {"gfx1010", "gfx1030", "gfx1100", "gfx1150",
                                   "gfx1200"};
enum { RDNA = sizeof rdna / sizeof *rdna };

START_TEST(typed_loads_convert_from_their_format)
{
  if (!bed_tools_are_here())
    return;
  each_format("gfx90a", load_text, load_check);
  for (int i = 0; i < RDNA; i++)
    each_format(rdna[i], load_text, load_check);
}
END_TEST

START_TEST(typed_stores_convert_to_their_format)
{
  if (!bed_tools_are_here())
    return;
  each_format("gfx942", store_text, store_check);
  for (int i = 0; i < RDNA; i++)
    each_format(rdna[i], store_text, store_check);
}
END_TEST

/* Ranges as Mesa describes OOB_SELECT (radv_buffer_view.c). */
START_TEST(resources_of_rdna_choose_what_is_out_of_range)
{
  enum { STRIDE = 8, RECORDS = 4 };
  static const struct {
    const char *gfx;
    uint32_t check;
    bool indexed;
    uint32_t index, offset;
    bool reads;
  } cases[] = {
      {"gfx1030", 0, true, 3, 4, true},
      {"gfx1030", 0, true, 4, 0, false},
      {"gfx1030", 0, true, 3, 8, false},
      {"gfx1030", 0, true, 3, 6, true}, /* the first byte counts */
      {"gfx1100", 0, true, 3, 6, false},
      {"gfx1100", 0, true, 3, 4, true},
      {"gfx1200", 0, true, 4, 0, false},
      {"gfx1030", OOB_INDEX, true, 3, 100, true},
      {"gfx1100", OOB_INDEX, true, 4, 0, false},
      {"gfx1200", OOB_EMPTY, true, 40, 0, true},
      {"gfx1030", OOB_RAW, false, 0, 3, true},
      {"gfx1030", OOB_RAW, false, 0, 4, false},
      {"gfx1100", OOB_RAW, false, 0, 0, true},
      {"gfx1150", OOB_RAW, false, 0, 1, false},
      {"gfx1200", OOB_RAW, false, 0, 4, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *gfx = cases[i].gfx;
    bed b;
    char text[BED_TEXT];
    snprintf(text, sizeof text, "buffer_load_%s v8, v[0:1], s[4:7], %s %s",
             is_from_11(gfx) ? "b32" : "dword", no_scalar(gfx),
             cases[i].indexed ? "idxen offen" : "offen");
    if (!cases[i].indexed)
      memcpy(strstr(text, "v[0:1]"), "v0    ", 6);
    if (!open_one(&b, gfx, text, RECORDS, STRIDE, cases[i].check))
      return;
    for (uint32_t l = 0; l < LANES; l++) {
      b.wave->v[0][l] = cases[i].indexed ? cases[i].index : cases[i].offset;
      b.wave->v[1][l] = cases[i].offset;
    }
    uint32_t x;
    memcpy(&x, memory + STRIDE * cases[i].index + cases[i].offset, 4);
    ck_assert_msg(bed_run(&b, 0), "%s: %s", text, b.grid.fault.text);
    ck_assert_msg(b.wave->v[8][9] == (cases[i].reads ? x : 0),
                  "case %zu of %s: 0x%x", i, gfx, b.wave->v[8][9]);
    close_one(&b);
  }
}
END_TEST

/* Records of 8 bytes in groups of 8, of four bytes each in turn. */
START_TEST(swizzled_buffers_of_rdna_have_elements_of_four_bytes)
{
  static const struct {
    const char *gfx, *name;
    uint32_t bit; /* of the second word */
  } cases[] = {{"gfx1030", "dword", 1u << 31}, {"gfx1100", "b32", 1u << 30}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b;
    char text[BED_TEXT];
    snprintf(text, sizeof text,
             "buffer_load_%s v8, v[0:1], s[4:7], 0 idxen offen", cases[i].name);
    if (!open_one(&b, cases[i].gfx, text, 64, 8, 0))
      return;
    b.wave->s[5] |= cases[i].bit;
    for (uint32_t l = 0; l < LANES; l++) {
      b.wave->v[0][l] = l;
      b.wave->v[1][l] = 4;
    }
    ck_assert_msg(bed_run(&b, 0), "%s", b.grid.fault.text);
    for (uint32_t l = 0; l < LANES; l++) {
      uint32_t x;
      memcpy(&x, memory + l / 8 * 64 + 32 + 4 * (l % 8), 4);
      ck_assert_uint_eq(b.wave->v[8][l], x);
    }
    close_one(&b);
  }
}
END_TEST

/* 11 bits: 5 of exponent, 6 of mantissa; 10 bits: 5 and 5. */
START_TEST(packed_floats_are_those_of_vulkan)
{
  bed b;
  if (!open_one(&b, "gfx900",
                "tbuffer_load_format_xyz v[8:10], off, s[4:7], 0 "
                "format:[BUF_DATA_FORMAT_10_11_11,BUF_NUM_FORMAT_FLOAT]",
                BYTES, 0, 0))
    return;
  /* 1.5, 2^-14 / 64, 65024 is the largest; upper ten bits: 0.5. */
  const uint32_t word = (15u << 6 | 32) | 1u << 11 | (14u << 5) << 22;
  memcpy(memory, &word, 4);
  ck_assert(bed_run(&b, 0));
  ck_assert(f32(b.wave->v[8][9]) == 1.5f);
  ck_assert(f32(b.wave->v[9][9]) == 0x1p-20f);
  ck_assert(f32(b.wave->v[10][9]) == 0.5f);
  close_one(&b);
}
END_TEST

/* The resource's format, and where its components go: 4 to 7 are they. */
START_TEST(formats_of_resources_select_components)
{
  enum { SELECT = 6 | 1 << 3 | 4 << 6 | 0 << 9, UNORM = 0, BYTES4 = 10 << 15 };
  bed b;
  if (!open_one(&b, "gfx908", "buffer_load_format_xyzw v[8:11], off, s[4:7], 0",
                BYTES, 0, SELECT | UNORM | BYTES4))
    return;
  memcpy(memory, (uint8_t[]){51, 102, 255, 0}, 4);
  ck_assert(bed_run(&b, 0));
  ck_assert(f32(b.wave->v[8][0]) == 1.0f);
  ck_assert(f32(b.wave->v[9][0]) == 1.0f);
  ck_assert(f32(b.wave->v[10][0]) == 0.2f);
  ck_assert(b.wave->v[11][0] == 0);
  close_one(&b);
}
END_TEST

START_TEST(d16_components_are_halves_of_registers)
{
  bed b;
  if (!open_one(&b, "gfx90a",
                "tbuffer_load_format_d16_xyzw v[8:9], off, s[4:7], 0 "
                "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM]",
                BYTES, 0, 0))
    return;
  memcpy(memory, (uint8_t[]){255, 0, 255, 255}, 4);
  ck_assert(bed_run(&b, 0));
  ck_assert_uint_eq(b.wave->v[8][0], 0x00003c00);
  ck_assert_uint_eq(b.wave->v[9][0], 0x3c003c00);
  close_one(&b);
}
END_TEST

START_TEST(values_that_a_format_cannot_hold_are_refused)
{
  bed b;
  if (!open_one(&b, "gfx90a",
                "tbuffer_store_format_x v8, off, s[4:7], 0 "
                "format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT]",
                BYTES, 0, 0))
    return;
  b.wave->v[8][0] = 256;
  ck_assert(!bed_run(&b, 0));
  ck_assert_ptr_nonnull(strstr(b.grid.fault.text, "cannot hold"));
  close_one(&b);
}
END_TEST

/* ---- bounds ---- */

START_TEST(words_out_of_a_buffers_range_read_as_zero_and_are_not_stored)
{
  bed b;
  if (!open_one(&b, "gfx90a", "buffer_load_dword v8, v0, s[4:7], 0 offen", 100,
                0, 0))
    return;
  for (uint32_t l = 0; l < LANES; l++)
    b.wave->v[0][l] = 4 * l;
  ck_assert(bed_run(&b, 0));
  for (unsigned l = 0; l < LANES; l++) {
    uint32_t x;
    memcpy(&x, memory + 4 * l, 4);
    ck_assert_uint_eq(b.wave->v[8][l], l < 25 ? x : 0);
  }
  close_one(&b);
  ck_assert(open_one(&b, "gfx90a", "buffer_store_dword v8, v0, s[4:7], 0 idxen",
                     25, 4, 0));
  uint8_t before[BYTES];
  memcpy(before, memory, sizeof before);
  for (uint32_t l = 0; l < LANES; l++) {
    b.wave->v[0][l] = l;
    memcpy(before + 4 * l, &(uint32_t){0}, l < 25 ? 4 : 0);
  }
  ck_assert(bed_run(&b, 0));
  ck_assert_mem_eq(memory, before, BYTES);
  close_one(&b);
}
END_TEST

enum { RECORDS = 1026, REST = 0x1234567 };

/* The offsets of a wave's lanes, all in range, some far outside, some partly
 * so, some that wrap within an access. */
static uint32_t bounds_offset(unsigned draw, uint32_t l)
{
  return draw == 0                  ? 16 * (63 - l)
         : draw == 1 && l % 3 == 1  ? 0x80000000 + l
         : draw == 2 && l % 16 == 9 ? RECORDS - 1 - l % 7 * 4
         : draw == 3 && l == 40     ? (uint32_t)-12
                                    : 4 * l;
}

static bool bounds_has(uint32_t offset)
{
  return offset <= RECORDS - 4;
}

/* A load or store of `words`, whose offsets begin at `first`. */
static void bounds_check(const char *gfx, const char *text, unsigned words,
                         uint32_t first, bool store, unsigned draw)
{
  const uint64_t exec = draw % 2 ? 0xfffffff0ffff7fff : UINT64_MAX;
  static uint8_t before[BYTES];
  bed b;
  if (!open_one(&b, gfx, text, RECORDS, 0, is_rdna(gfx) ? OOB_RAW : 0))
    return;
  AQ_WAVE_EXEC(b.wave) = exec;
  for (uint32_t l = 0; l < LANES; l++) {
    b.wave->v[0][l] = exec >> l & 1 ? bounds_offset(draw, l) : 0x70000000;
    for (unsigned k = 0; k < words; k++)
      b.wave->v[8 + k][l] = REST * (l + 1) + k;
  }
  memcpy(before, memory, sizeof before);
  ck_assert_msg(bed_run(&b, 0), "%s: %s", text, b.grid.fault.text);
  for (uint32_t l = 0; l < LANES; l++)
    for (unsigned k = 0; k < words; k++) {
      const uint32_t at = bounds_offset(draw, l) + first + 4 * k;
      uint32_t x = REST * (l + 1) + k;
      if (store && exec >> l & 1 && bounds_has(at))
        memcpy(before + at, &x, 4);
      if (!store && exec >> l & 1) {
        x = 0;
        memcpy(&x, memory + (bounds_has(at) ? at : 0), bounds_has(at) ? 4 : 0);
      }
      ck_assert_msg(b.wave->v[8 + k][l] == x, "%s, %s: lane %u, word %u", gfx,
                    text, l, k);
    }
  ck_assert_mem_eq(memory, before, BYTES);
  close_one(&b);
}

START_TEST(words_of_each_lane_are_in_a_buffers_range_or_not)
{
  static const char *const targets[] = {"gfx90a", "gfx1100"};
  static const struct {
    const char *name, *rdna, *data;
    unsigned words;
  } accesses[] = {{"dword", "b32", "v8", 1},
                  {"dwordx2", "b64", "v[8:9]", 2},
                  {"dwordx3", "b96", "v[8:10]", 3},
                  {"dwordx4", "b128", "v[8:11]", 4}};
  for (unsigned i = 0; i < 2 * 2 * 4 * 4; i++) {
    const unsigned a = i >> 2 & 3, draw = i & 3;
    const bool store = i >> 4 & 1, rdna_too = i >> 5;
    char text[BED_TEXT];
    snprintf(text, sizeof text,
             "buffer_%s_%s %s, v0, s[4:7], 0 offen offset:%u",
             store ? "store" : "load",
             rdna_too ? accesses[a].rdna : accesses[a].name, accesses[a].data,
             4 * draw);
    bounds_check(targets[rdna_too], text, accesses[a].words, 4 * draw, store,
                 draw);
  }
}
END_TEST

typedef struct small_case {
  const char *name;
  unsigned bytes;
  uint32_t kept; /* of the register */
  bool store;
} small_case;

/* Bytes and halves; the part of the register that is not kept is read from its
 * lowest bit on, or stored. */
static void small_check(const small_case *c, unsigned draw)
{
  const uint64_t exec = draw % 2 ? 0xfffffff0ffff7fff : UINT64_MAX;
  const unsigned shift = c->kept == 0xffff ? 16 : 0;
  static uint8_t before[BYTES];
  char text[BED_TEXT];
  bed b;
  snprintf(text, sizeof text, "buffer_%s v8, v0, s[4:7], 0 offen offset:%u",
           c->name, 4 * draw);
  if (!open_one(&b, "gfx90a", text, RECORDS, 0, 0))
    return;
  AQ_WAVE_EXEC(b.wave) = exec;
  for (uint32_t l = 0; l < LANES; l++) {
    b.wave->v[0][l] = bounds_offset(draw, l);
    b.wave->v[8][l] = REST * (l + 1);
  }
  memcpy(before, memory, sizeof before);
  ck_assert_msg(bed_run(&b, 0), "%s: %s", text, b.grid.fault.text);
  for (uint32_t l = 0; l < LANES; l++) {
    const uint32_t at = bounds_offset(draw, l) + 4 * draw, old = REST * (l + 1);
    const bool on = exec >> l & 1, inside = at <= RECORDS - c->bytes;
    uint32_t x = 0;
    memcpy(&x, memory + (inside ? at : 0), inside ? c->bytes : 0);
    if (on && inside && c->store)
      memcpy(before + at, &(uint32_t){old >> shift}, c->bytes);
    x = on && !c->store ? (old & c->kept) | x << shift : old;
    ck_assert_msg(b.wave->v[8][l] == x, "%s: lane %u", text, l);
  }
  ck_assert_mem_eq(memory, before, BYTES);
  close_one(&b);
}

START_TEST(bytes_and_halves_are_in_a_buffers_range_or_not)
{
  static const small_case cases[] = {{"load_ubyte", 1, 0, false},
                                     {"load_ushort", 2, 0, false},
                                     {"load_short_d16", 2, 0xffff0000, false},
                                     {"load_ubyte_d16_hi", 1, 0xffff, false},
                                     {"store_byte", 1, 0, true},
                                     {"store_short", 2, 0, true},
                                     {"store_short_d16_hi", 2, 0xffff, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned draw = 0; draw < 4; draw++)
      small_check(&cases[i], draw);
}
END_TEST

/* ---- to LDS ---- */

typedef struct direct_case {
  const char *gfx, *text;
  unsigned bytes, offset;
  bool is_signed, buffer;
} direct_case;

static const direct_case directs[] = {
    {"gfx900", "buffer_load_dword v0, s[4:7], 0 offen offset:32 lds", 4, 32,
     false, true},
    {"gfx90a", "buffer_load_sbyte v0, s[4:7], 0 offen lds", 1, 0, true, true},
    {"gfx90a", "buffer_load_ushort v0, s[4:7], 0 offen lds", 2, 0, false, true},
    {"gfx950", "buffer_load_dwordx3 v0, s[4:7], 0 offen lds", 12, 0, false,
     true},
    {"gfx950", "buffer_load_dwordx4 v0, s[4:7], 0 offen offset:16 lds", 16, 16,
     false, true},
    {"gfx942", "global_load_lds_dword v[0:1], off offset:64", 4, 64, false,
     false},
    {"gfx942", "global_load_lds_sshort v0, s[4:5]", 2, 0, true, false},
    {"gfx942", "global_load_lds_ubyte v[0:1], off offset:4", 1, 4, false,
     false},
    {"gfx942", "global_load_lds_sbyte v[0:1], off", 1, 0, true, false},
    {"gfx942", "global_load_lds_ushort v[0:1], off", 2, 0, false, false},
    {"gfx950", "global_load_lds_dwordx3 v[0:1], off", 12, 0, false, false},
    {"gfx950", "global_load_lds_dwordx4 v[0:1], off", 16, 0, false, false},
};

static uint32_t extended(const direct_case *c, const uint8_t *from, unsigned k)
{
  if (c->bytes >= 4) {
    uint32_t x;
    memcpy(&x, from + 4 * k, 4);
    return x;
  }
  const uint32_t x = c->bytes == 1 ? from[0] : from[0] | (uint32_t)from[1] << 8;
  return !c->is_signed   ? x
         : c->bytes == 1 ? (uint32_t)(int8_t)x
                         : (uint32_t)(int16_t)x;
}

START_TEST(loads_to_lds_follow_the_lanes_number)
{
  enum { M0 = 0x80 };
  for (size_t i = 0; i < sizeof directs / sizeof *directs; i++) {
    const direct_case *c = &directs[i];
    bed b;
    if (!open_one(&b, c->gfx, c->text, BYTES, 0, 0))
      return;
    const uint64_t exec = 0x0ffffffffffffff7, base = (uintptr_t)memory;
    const bool pair = !c->buffer && strstr(c->text, "off");
    const unsigned step = c->bytes < 4 ? 4 : c->bytes;
    b.wave->s64[AQ_ISA_EXEC / 2] = exec;
    b.wave->s[AQ_ISA_M0] = M0;
    b.wave->s[5] &= 0xffff;
    for (uint32_t l = 0; l < LANES; l++) {
      const uint64_t at = (pair ? base : 0) + 20 * (63 - l);
      b.wave->v[0][l] = (uint32_t)at;
      b.wave->v[1][l] = (uint32_t)(at >> 32);
    }
    ck_assert_msg(bed_run(&b, 0), "%s: %s", c->text, b.grid.fault.text);
    for (unsigned l = 0; l < LANES; l++)
      for (unsigned k = 0; k < step / 4; k++) {
        const uint32_t x = extended(c, memory + 20 * (63 - l) + c->offset, k);
        ck_assert_msg(lds[(M0 + c->offset + step * l) / 4 + k] ==
                          (exec >> l & 1 ? x : 0xeeeeeeee),
                      "%s, lane %u", c->text, l);
      }
    close_one(&b);
  }
}
END_TEST

/* Words of lanes lie side by side in private memory. */
START_TEST(loads_from_private_memory_to_lds_extend_their_value)
{
  static const struct {
    const char *text;
    unsigned bytes;
    bool is_signed;
  } loads[] = {{"scratch_load_lds_dword v0, off", 4, false},
               {"scratch_load_lds_ubyte v0, off", 1, false},
               {"scratch_load_lds_sbyte v0, off", 1, true},
               {"scratch_load_lds_ushort v0, off", 2, false},
               {"scratch_load_lds_sshort v0, off", 2, true}};
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
    bed b;
    if (!open_one(&b, "gfx942", loads[i].text, BYTES, 0, 0))
      return;
    b.wave->scratch = memory;
    b.wave->scratch_size = b.wave->scratch_room = BYTES / LANES;
    b.grid.scratch_size = BYTES / LANES;
    for (uint32_t l = 0; l < LANES; l++)
      b.wave->v[0][l] = 4 * (l % 5);
    ck_assert_msg(bed_run(&b, 0), "%s", b.grid.fault.text);
    for (unsigned l = 0; l < LANES; l++) {
      uint32_t x;
      memcpy(&x, memory + (size_t)(l % 5) * 256 + 4 * (size_t)l, 4);
      x = loads[i].bytes == 4 ? x
          : loads[i].bytes == 2
              ? (loads[i].is_signed ? (uint32_t)(int16_t)x : (uint16_t)x)
          : loads[i].is_signed ? (uint32_t)(int8_t)x
                               : (uint8_t)x;
      ck_assert_msg(lds[l] == x, "%s, lane %u", loads[i].text, l);
    }
    close_one(&b);
  }
}
END_TEST

/* ---- some components ---- */

/* Formats of words and halves: bytes move as they are. */
typedef struct parts_case {
  const char *components;
  const char *format, *format16;
  unsigned count, data, data16; /* components, the formats' numbers */
  /* RDNA's numbers of UINT, before gfx11 and from it on. */
  uint8_t rdna[2], rdna16[2];
} parts_case;

static const parts_case parts[] = {
    {"x", "32", "16", 1, 4, 2, {20, 20}, {11, 11}},
    {"xy", "32_32", "16_16", 2, 11, 5, {62, 48}, {27, 27}},
    {"xyz", "32_32_32", NULL, 3, 13, 0, {72, 58}, {0, 0}},
    {"xyzw", "32_32_32_32", "16_16_16_16", 4, 14, 12, {75, 61}, {69, 55}},
};

enum { ITEM = 16, SELECT_XYZW = 4 | 5 << 3 | 6 << 6 | 7 << 9, UINT = 4 << 12 };

/* The fourth word of a resource. */
static uint32_t parts_word3(const char *gfx, const parts_case *c, bool half)
{
  const int from_11 = is_from_11(gfx);
  return is_rdna(gfx)
             ? SELECT_XYZW | OOB_RAW |
                   (uint32_t)(half ? c->rdna16 : c->rdna)[from_11] << 12
             : SELECT_XYZW | UINT | (half ? c->data16 : c->data) << 15;
}

static void parts_check(const char *gfx, const parts_case *c, bool typed,
                        bool load, bool half)
{
  const unsigned bytes = c->count * (half ? 2 : 4), words = (bytes + 3) / 4;
  char text[BED_TEXT], registers[16], suffix[100] = "", format[100];
  bed b;
  snprintf(format, sizeof format, "BUF_DATA_FORMAT_%s,BUF_NUM_FORMAT_UINT",
           half ? c->format16 : c->format);
  if (typed)
    format_write(gfx, format, suffix);
  snprintf(registers, sizeof registers, words == 1 ? "v8" : "v[8:%u]",
           7 + words);
  snprintf(text, sizeof text, "%sbuffer_%s_%s%s%s %s, v0, s[4:7], %s %s offen",
           typed ? "t" : "", load ? "load" : "store",
           half && is_from_11(gfx) ? "d16_format_" : "format_",
           half && !is_from_11(gfx) ? "d16_" : "", c->components, registers,
           no_scalar(gfx), suffix);
  if (!open_one(&b, gfx, text, BYTES, 0, parts_word3(gfx, c, half)))
    return;
  uint8_t after[BYTES];
  memcpy(after, memory, sizeof after);
  for (uint32_t l = 0; l < LANES; l++) {
    b.wave->v[0][l] = ITEM * (63 - l);
    for (unsigned k = 0; k < words; k++)
      b.wave->v[8 + k][l] = 0x9e3779b9 * (l + 1 + 64 * k);
    if (!load)
      for (unsigned k = 0; k < bytes; k++)
        after[ITEM * (63 - l) + k] =
            (uint8_t)(b.wave->v[8 + k / 4][l] >> (8 * (k % 4)));
  }
  ck_assert_msg(bed_run(&b, 0), "%s: %s", text, b.grid.fault.text);
  ck_assert_msg(memcmp(memory, after, BYTES) == 0, "%s", text);
  for (unsigned l = 0; load && l < LANES; l++)
    for (unsigned k = 0; k < words; k++) {
      uint32_t x = 0;
      const unsigned size = bytes - 4 * k < 4 ? bytes - 4 * k : 4;
      memcpy(&x, memory + ITEM * (63 - l) + 4 * k, size);
      ck_assert_msg((b.wave->v[8 + k][l] ^ x) << (32 - 8 * size) == 0,
                    "%s, lane %u, word %u: 0x%x, expected 0x%x", text, l, k,
                    b.wave->v[8 + k][l], x);
    }
  close_one(&b);
}

START_TEST(components_move_between_memory_and_registers)
{
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    for (unsigned k = 0; k < 8; k++)
      if (!(k & 4) || parts[i].format16) {
        parts_check("gfx90a", &parts[i], k & 1, k & 2, k & 4);
        for (int r = 0; r < RDNA; r++)
          parts_check(rdna[r], &parts[i], k & 1, k & 2, k & 4);
      }
}
END_TEST

/* Three components of halves: of the fourth, memory keeps its default, 0. */
static void three_halves_check(const char *gfx, bool typed)
{
  char text[BED_TEXT], suffix[100] = "";
  const char *name = is_from_11(gfx) ? "d16_format_xyz" : "format_d16_xyz";
  const uint32_t word3 = parts_word3(gfx, &parts[3], true);
  bed b;
  if (typed)
    format_write(gfx, "BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_UINT",
                 suffix);
  snprintf(text, sizeof text, "%sbuffer_load_%s v[8:9], off, s[4:7], %s %s",
           typed ? "t" : "", name, no_scalar(gfx), suffix);
  if (!open_one(&b, gfx, text, BYTES, 0, word3))
    return;
  ck_assert(bed_run(&b, 0));
  ck_assert_uint_eq(b.wave->v[8][5], memory[0] | memory[1] << 8 |
                                         memory[2] << 16 |
                                         (uint32_t)memory[3] << 24);
  ck_assert_uint_eq(b.wave->v[9][5] & 0xffff, memory[4] | memory[5] << 8);
  close_one(&b);
  snprintf(text, sizeof text, "%sbuffer_store_%s v[8:9], off, s[4:7], %s %s",
           typed ? "t" : "", name, no_scalar(gfx), suffix);
  ck_assert(open_one(&b, gfx, text, BYTES, 0, word3));
  b.wave->s64[AQ_ISA_EXEC / 2] = 1;
  b.wave->v[8][0] = 0x22221111;
  b.wave->v[9][0] = 0x3333;
  ck_assert(bed_run(&b, 0));
  ck_assert_mem_eq(memory, "\x11\x11\x22\x22\x33\x33", 6);
  close_one(&b);
}

START_TEST(three_halves_are_in_two_registers)
{
  for (int typed = 0; typed < 2; typed++) {
    three_halves_check("gfx942", typed);
    for (int r = 0; r < RDNA; r++)
      three_halves_check(rdna[r], typed);
  }
}
END_TEST

static void upper_half_check(const char *gfx)
{
  const uint32_t word3 = parts_word3(gfx, &parts[0], true);
  const char *name = is_from_11(gfx) ? "d16_hi_format_x" : "format_d16_hi_x";
  char text[BED_TEXT];
  bed b;
  snprintf(text, sizeof text, "buffer_load_%s v8, off, s[4:7], %s", name,
           no_scalar(gfx));
  if (!open_one(&b, gfx, text, BYTES, 0, word3))
    return;
  b.wave->v[8][7] = 0x12345678;
  ck_assert(bed_run(&b, 0));
  ck_assert_uint_eq(b.wave->v[8][7], 0x5678u | (uint32_t)memory[0] << 16 |
                                         (uint32_t)memory[1] << 24);
  close_one(&b);
  snprintf(text, sizeof text, "buffer_store_%s v8, off, s[4:7], %s", name,
           no_scalar(gfx));
  ck_assert(open_one(&b, gfx, text, BYTES, 0, word3));
  b.wave->s64[AQ_ISA_EXEC / 2] = 1;
  b.wave->v[8][0] = 0xabcd0000;
  ck_assert(bed_run(&b, 0));
  ck_assert(memory[0] == 0xcd && memory[1] == 0xab);
  close_one(&b);
}

START_TEST(upper_halves_take_one_component)
{
  upper_half_check("gfx90a");
  for (int r = 0; r < RDNA; r++)
    upper_half_check(rdna[r]);
}
END_TEST

START_TEST(loads_to_lds_out_of_range_store_zeros)
{
  bed b;
  if (!open_one(&b, "gfx950", "buffer_load_dwordx4 v0, s[4:7], 0 offen lds",
                500, 0, 0))
    return;
  for (uint32_t l = 0; l < LANES; l++)
    b.wave->v[0][l] = 16 * l;
  ck_assert(bed_run(&b, 0));
  for (unsigned i = 0; i < 4 * LANES; i++) {
    uint32_t x;
    memcpy(&x, memory + 4 * i, 4);
    ck_assert_uint_eq(lds[i], i < 125 ? x : 0);
  }
  close_one(&b);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/typed", typed_loads_convert_from_their_format,
             typed_stores_convert_to_their_format,
             resources_of_rdna_choose_what_is_out_of_range,
             swizzled_buffers_of_rdna_have_elements_of_four_bytes,
             packed_floats_are_those_of_vulkan,
             formats_of_resources_select_components,
             d16_components_are_halves_of_registers,
             values_that_a_format_cannot_hold_are_refused,
             words_out_of_a_buffers_range_read_as_zero_and_are_not_stored,
             words_of_each_lane_are_in_a_buffers_range_or_not,
             bytes_and_halves_are_in_a_buffers_range_or_not,
             components_move_between_memory_and_registers,
             three_halves_are_in_two_registers, upper_halves_take_one_component,
             loads_to_lds_follow_the_lanes_number,
             loads_from_private_memory_to_lds_extend_their_value,
             loads_to_lds_out_of_range_store_zeros)
