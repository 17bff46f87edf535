/* SPDX-License-Identifier: MIT */
/* Words, bytes and halves that lie in a buffer's range or not, and loads to
 * LDS. */
#include "gpu/wave/typed.h"

enum { RECORDS = 1026 };

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

AQ_TEST_MAIN("gpu/wave/bounds",
             words_out_of_a_buffers_range_read_as_zero_and_are_not_stored,
             words_of_each_lane_are_in_a_buffers_range_or_not,
             bytes_and_halves_are_in_a_buffers_range_or_not,
             loads_to_lds_follow_the_lanes_number,
             loads_from_private_memory_to_lds_extend_their_value,
             loads_to_lds_out_of_range_store_zeros)
