/* SPDX-License-Identifier: MIT */
/* What gfx1250 has besides gfx12: banks of VGPRs, addresses with a signed
 * offset, offsets that count elements, 64-bit literals and integers. */
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "gpu/wave/core/wave.h"
#include "support/aqtest.h"

enum { CASES = 24, LANES = 32 };

static char texts[CASES][BED_TEXT];
static size_t text_count;

static void text_add(const char *text)
{
  ck_assert_uint_lt(text_count, CASES);
  strcpy(texts[text_count++], text);
}

static void open_texts(bed *b)
{
  bed_open_all(b, "gfx1250", LANES, texts, text_count);
  b->wave->mode = 0xf0;
}

static void run(bed *b, size_t i)
{
  AQ_WAVE_EXEC(b->wave) = UINT32_MAX;
  ck_assert_msg(bed_run(b, i), "%s: %s", texts[i], b->grid.fault.text);
}

/* The memory that the wave may access. */
static void reach(bed *b, const void *memory, size_t size)
{
  const uint64_t at = (uint64_t)(uintptr_t)memory;
  b->grid.range = (aq_wave_range){.base = at, .end = at + size};
}

START_TEST(banks_move_sources_and_destinations_alone)
{
  bed b;
  text_count = 0;
  if (!bed_tools_are_here())
    return;
  text_add("s_set_vgpr_msb 0x41"); /* source 0 and the destination */
  text_add("v_sub_nc_u32 v1, v2, v3");
  text_add("s_set_vgpr_msb 0");
  text_add("v_sub_nc_u32 v1, v2, v3");
  open_texts(&b);
  for (int l = 0; l < LANES; l++) {
    b.wave->v[2][l] = 5;
    b.wave->v[256 + 2][l] = 1000u + (unsigned)l;
    b.wave->v[3][l] = 7;
    b.wave->v[256 + 3][l] = 99;
  }
  run(&b, 0);
  run(&b, 1);
  for (int l = 0; l < LANES; l++) {
    ck_assert_uint_eq(b.wave->v[256 + 1][l], 993u + (unsigned)l);
    ck_assert_uint_eq(b.wave->v[1][l], 0);
  }
  run(&b, 2);
  run(&b, 3);
  for (int l = 0; l < LANES; l++)
    ck_assert_uint_eq(b.wave->v[1][l], UINT32_MAX - 1);
  bed_close(&b);
}
END_TEST

START_TEST(registers_from_v512_on_are_refused_by_name)
{
  bed b;
  text_count = 0;
  if (!bed_tools_are_here())
    return;
  text_add("s_set_vgpr_msb 0x80");
  text_add("v_mov_b32 v1, v2");
  open_texts(&b);
  run(&b, 0);
  AQ_WAVE_EXEC(b.wave) = UINT32_MAX;
  ck_assert(!bed_run(&b, 1));
  ck_assert_msg(strstr(b.grid.fault.text, "v1 /*v513*/") != NULL, "%s",
                b.grid.fault.text);
  bed_close(&b);
}
END_TEST

/* LLVM: the offset of a lane is signed on gfx1250 (hasSignedGVSOffset). */
START_TEST(offsets_of_lanes_are_signed_and_count_elements)
{
  static const struct {
    const char *text;
    int bytes; /* of an element */
  } cases[] = {{"global_load_b32 v1, v2, s[4:5]", 1},
               {"global_load_b32 v1, v2, s[4:5] scale_offset", 4},
               {"flat_load_b32 v1, v2, s[4:5] scale_offset", 4},
               {"flat_load_b32 v1, v2, s[4:5]", 1}};
  static uint32_t memory[2 * LANES];
  bed b;
  text_count = 0;
  if (!bed_tools_are_here())
    return;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    text_add(cases[i].text);
  open_texts(&b);
  reach(&b, memory, sizeof memory);
  for (uint32_t i = 0; i < 2 * LANES; i++)
    memory[i] = 100 + i;
  for (size_t i = 0; i < text_count; i++) {
    const uint64_t middle = (uint64_t)(uintptr_t)&memory[LANES];
    memcpy(&b.wave->s[4], &middle, sizeof middle);
    for (int l = 0; l < LANES; l++) /* each other one below the base */
      b.wave->v[2][l] =
          (uint32_t)((l % 2 ? -l : l) * (cases[i].bytes == 1 ? 4 : 1));
    run(&b, i);
    for (int l = 0; l < LANES; l++)
      ck_assert_msg(b.wave->v[1][l] ==
                        (uint32_t)(100 + LANES + (l % 2 ? -l : l)),
                    "%s, lane %d: %u", texts[i], l, b.wave->v[1][l]);
  }
  bed_close(&b);
}
END_TEST

START_TEST(scalar_offsets_count_elements)
{
  static const uint64_t memory[] = {11, 22, 33, 44};
  const uint64_t at = (uint64_t)(uintptr_t)memory;
  bed b;
  text_count = 0;
  if (!bed_tools_are_here())
    return;
  text_add("s_load_b64 s[8:9], s[4:5], s6 offset:0x0 scale_offset");
  text_add("s_load_b64 s[8:9], s[4:5], s6 offset:0x8");
  open_texts(&b);
  reach(&b, memory, sizeof memory);
  memcpy(&b.wave->s[4], &at, sizeof at);
  b.wave->s[6] = 2;
  run(&b, 0);
  ck_assert_uint_eq(b.wave->s[8], 33);
  b.wave->s[6] = 16;
  run(&b, 1);
  ck_assert_uint_eq(b.wave->s[8], 44);
  bed_close(&b);
}
END_TEST

START_TEST(literals_and_integers_have_64_bits)
{
  const int64_t x = -5, y = 0x123456789abcdef0;
  static const char *const list[] = {
      "s_mov_b64 s[8:9], 0x123456789abcdef0",
      "v_add_nc_u64 v[6:7], 0x123456789abcdef0, v[2:3]",
      "v_sub_nc_u64 v[6:7], v[2:3], v[4:5]",
      "v_mul_u64 v[6:7], v[2:3], v[4:5]",
      "v_min_i64 v[6:7], v[2:3], v[4:5]",
      "v_max_i64 v[6:7], v[2:3], v[4:5]",
      "v_min_u64 v[6:7], v[2:3], v[4:5]",
      "v_max_u64 v[6:7], v[2:3], v[4:5]",
      "v_mad_nc_u64_u32 v[6:7], v2, v4, v[4:5]"};
  const uint64_t want[] = {(uint64_t)y,
                           (uint64_t)(x + y),
                           (uint64_t)(x - y),
                           (uint64_t)x * (uint64_t)y,
                           (uint64_t)x,
                           (uint64_t)y,
                           (uint64_t)y,
                           (uint64_t)x,
                           (uint64_t)(uint32_t)x * (uint32_t)y + (uint64_t)y};
  bed b;
  text_count = 0;
  if (!bed_tools_are_here())
    return;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    text_add(list[i]);
  open_texts(&b);
  b.wave->s[0] = b.wave->s[1] = 77;
  for (size_t i = 0; i < text_count; i++) {
    uint64_t got;
    for (int l = 0; l < LANES; l++) {
      b.wave->v[2][l] = (uint32_t)x, b.wave->v[3][l] = UINT32_MAX;
      b.wave->v[4][l] = (uint32_t)y, b.wave->v[5][l] = (uint32_t)(y >> 32);
    }
    run(&b, i);
    memcpy(&got, &b.wave->s[8], sizeof got);
    if (i > 0)
      got = b.wave->v[6][3] | (uint64_t)b.wave->v[7][3] << 32;
    ck_assert_msg(got == want[i], "%s: 0x%llx, not 0x%llx", texts[i],
                  (unsigned long long)got, (unsigned long long)want[i]);
  }
  ck_assert_uint_eq(b.wave->s[0], 77); /* no carry goes anywhere */
  bed_close(&b);
}
END_TEST

START_TEST(both_halves_of_a_long_pair_have_three_sources)
{
  bed b;
  text_count = 0;
  if (!bed_tools_are_here())
    return;
  text_add(
      "v_dual_fma_f32 v1, v2, v3, -v4 :: v_dual_fma_f32 v10, v11, v12, -v13");
  text_add(
      "v_dual_cndmask_b32 v1, v2, v3, s4 :: v_dual_bitop2_b32 v10, v11, v12 "
      "bitop3:0x14");
  open_texts(&b);
  for (int l = 0; l < LANES; l++) {
    const float f[] = {3, 5, 7, 11, 13, 17};
    memcpy(&b.wave->v[2][l], &f[0], 4);
    memcpy(&b.wave->v[3][l], &f[1], 4);
    memcpy(&b.wave->v[4][l], &f[2], 4);
    memcpy(&b.wave->v[11][l], &f[3], 4);
    memcpy(&b.wave->v[12][l], &f[4], 4);
    memcpy(&b.wave->v[13][l], &f[5], 4);
  }
  run(&b, 0);
  for (int l = 0; l < LANES; l++) {
    float x, y;
    memcpy(&x, &b.wave->v[1][l], 4);
    memcpy(&y, &b.wave->v[10][l], 4);
    ck_assert(x == 8 && y == 126);
  }
  b.wave->s[4] = 0x5555;
  run(&b, 1);
  for (int l = 0; l < LANES; l++) {
    ck_assert_uint_eq(b.wave->v[1][l], b.wave->v[0x5555u >> l & 1 ? 3 : 2][l]);
    ck_assert_uint_eq(b.wave->v[10][l], b.wave->v[11][l] ^ b.wave->v[12][l]);
  }
  bed_close(&b);
}
END_TEST

START_TEST(what_no_oracle_checks_is_refused)
{
  static const char *const refused[] = {
      "s_barrier_signal -3",
      "s_alloc_vgpr s4",
      "v_wmma_f32_16x16x32_f16 v[24:31], v[0:7], v[8:15], v[16:23]",
      "v_tanh_f32 v0, v1",
      "v_pk_add_bf16 v0, v1, v2",
      "buffer_load_b32 v0, v1, s[4:7], s3 offen",
      "s_buffer_load_b32 s0, s[4:7], 0x0",
      "global_load_async_to_lds_b32 v0, v1, s[2:3]",
      "cluster_load_b32 v0, v1, s[2:3]",
      "global_load_tr16_b128 v[0:3], v1, s[2:3]",
      "tensor_load_to_lds s[0:3], s[4:11]",
      "v_mov_b32 v0, src_flat_scratch_base_lo"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    bed b;
    aq_diag diag = AQ_DIAG_INIT;
    aq_isa_inst inst;
    text_count = 0;
    if (!bed_tools_are_here())
      return;
    text_add(refused[i]);
    open_texts(&b);
    ck_assert_status(aq_isa_decode(aq_wave_code_decoder(b.code), b.bytes, 16, 0,
                                   &inst, &diag),
                     AQ_OK, &diag);
    ck_assert_msg(!aq_wave_row_executes(inst.row, inst.target) ||
                      !aq_wave_instruction_executes(&inst),
                  "%s", refused[i]);
    bed_close(&b);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/wave/gfx1250", banks_move_sources_and_destinations_alone,
             registers_from_v512_on_are_refused_by_name,
             offsets_of_lanes_are_signed_and_count_elements,
             scalar_offsets_count_elements, literals_and_integers_have_64_bits,
             both_halves_of_a_long_pair_have_three_sources,
             what_no_oracle_checks_is_refused)
