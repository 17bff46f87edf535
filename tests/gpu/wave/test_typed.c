/* SPDX-License-Identifier: MIT */
/* Buffers: typed ones, their bounds, and loads to LDS. Formats follow the
 * Vulkan specification (Fixed-Point Data Conversions, Unsigned 11-Bit and
 * 10-Bit Floating-Point Numbers); AMD names their components from the upper
 * bits on. Bounds and addresses: CDNA3 ISA, chapter 9. */
#include "gpu/wave/typed.h"

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

AQ_TEST_MAIN("gpu/wave/typed", typed_loads_convert_from_their_format,
             typed_stores_convert_to_their_format,
             resources_of_rdna_choose_what_is_out_of_range,
             swizzled_buffers_of_rdna_have_elements_of_four_bytes,
             packed_floats_are_those_of_vulkan,
             formats_of_resources_select_components,
             d16_components_are_halves_of_registers,
             values_that_a_format_cannot_hold_are_refused,
             components_move_between_memory_and_registers,
             three_halves_are_in_two_registers, upper_halves_take_one_component)
