/* SPDX-License-Identifier: MIT */
/* Conditions of the wave as sources: GCN3 ISA, table of operands, 251 to 253.
 */
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "support/aqtest.h"

/* What v16 and s[16:17] are when s[4:5] is 41 and each condition as given. */
static const struct {
  const char *text;
  uint32_t scc, vcc, exec;
  uint32_t vector, low, high; /* ~0: as before */
  uint32_t scc_then;
} cases[] = {
    {"s_mov_b32 s16, src_scc", 1, 1, 1, ~0u, 1, ~0u, 1},
    {"s_mov_b32 s16, src_scc", 0, 1, 1, ~0u, 0, ~0u, 0},
    {"s_mov_b64 s[16:17], src_scc", 1, 1, 1, ~0u, 1, 0, 1},
    {"s_add_u32 s16, s4, src_scc", 1, 1, 1, ~0u, 42, ~0u, 0},
    {"s_add_u32 s16, src_execz, s4", 0, 1, 0, ~0u, 42, ~0u, 0},
    {"s_add_u32 s16, src_execz, s4", 0, 1, 1, ~0u, 41, ~0u, 0},
    {"s_sub_u32 s16, src_vccz, s4", 0, 0, 1, ~0u, -40u, ~0u, 1},
    {"s_sub_u32 s16, src_scc, src_vccz", 1, 0, 1, ~0u, 0, ~0u, 0},
    {"s_cmp_eq_u32 src_scc, 1", 1, 1, 1, ~0u, ~0u, ~0u, 1},
    {"s_cmp_eq_u32 src_scc, 1", 0, 1, 1, ~0u, ~0u, ~0u, 0},
    {"v_mov_b32_e32 v16, src_scc", 1, 1, 1, 1, ~0u, ~0u, 1},
    {"v_add_u32_e32 v16, src_vccz, v4", 0, 0, 1, 8, ~0u, ~0u, 0},
    {"v_add_u32_e32 v16, src_vccz, v4", 0, 2, 1, 7, ~0u, ~0u, 0},
    {"v_sub_u32_e64 v16, v4, src_scc", 1, 1, 1, 6, ~0u, ~0u, 1},
    {"v_mad_i32_i24 v16, v4, src_scc, v4", 1, 1, 1, 14, ~0u, ~0u, 1},
};

enum { COUNT = sizeof cases / sizeof *cases };

START_TEST(conditions_of_the_wave_are_sources_of_zero_and_one)
{
  static char texts[COUNT][BED_TEXT];
  bed b;
  if (!bed_tools_are_here())
    return;
  for (size_t i = 0; i < COUNT; i++)
    strcpy(texts[i], cases[i].text);
  bed_open(&b, "gfx906", texts, COUNT, 0);
  for (size_t i = 0; i < COUNT; i++) {
    aq_wave *w = b.wave;
    ck_assert_msg(!b.refused[i], "%s", texts[i]);
    w->s[4] = 41;
    w->s[16] = w->s[17] = w->v[16][0] = ~0u;
    w->v[4][0] = 7;
    w->scc = cases[i].scc;
    AQ_WAVE_VCC(w) = cases[i].vcc;
    AQ_WAVE_EXEC(w) = cases[i].exec;
    ck_assert_msg(bed_run(&b, i), "%s: %s", texts[i], b.grid.fault.text);
    ck_assert_msg(w->s[16] == cases[i].low && w->s[17] == cases[i].high,
                  "%zu, %s: 0x%x 0x%x", i, texts[i], w->s[16], w->s[17]);
    ck_assert_msg(w->v[16][0] == cases[i].vector, "%zu, %s: v16 %u", i,
                  texts[i], w->v[16][0]);
    ck_assert_msg(w->scc == cases[i].scc_then, "%zu, %s: SCC", i, texts[i]);
  }
  bed_close(&b);
}
END_TEST

START_TEST(a_condition_with_a_clamp_is_refused)
{
  static char texts[1][BED_TEXT] = {"v_add_f32_e64 v16, src_scc, v4 clamp"};
  bed b;
  if (!bed_tools_are_here())
    return;
  bed_open(&b, "gfx906", texts, 1, 0);
  ck_assert(!b.refused[0]);
  ck_assert(!bed_run(&b, 0));
  bed_close(&b);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/flags",
             conditions_of_the_wave_are_sources_of_zero_and_one,
             a_condition_with_a_clamp_is_refused)
