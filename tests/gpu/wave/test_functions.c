/* SPDX-License-Identifier: MIT */
/* exp, log, sine and cosine of f32: handlers of every level of the host's
 * processor give the bits of the one that computes lane by lane, for numbers
 * of all exponents, near quarters of a turn, zeros, denormals, infinities and
 * NaNs, with any EXEC and MODE. All 2^32 numbers with AQ_ORACLES=all. */
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/mode.h"
#include "gpu/wave/core/wave.h"
#include "support/aqtest.h"

static aq_wave wave, before, expected;

/* Numbers from `x` on, `step` apart. */
static void numbers_make(aq_rng *rng, uint64_t x, uint32_t step)
{
  for (unsigned l = 0; l < AQ_WAVE_LANES; l++) {
    wave.v[0][l] = (uint32_t)(x + (uint64_t)step * l);
    wave.v[1][l] = l;
  }
  const uint64_t some = aq_rng_bits(rng);
  AQ_WAVE_EXEC(&wave) = some % 2 ? UINT64_MAX : some;
}

static void handlers_compare(const char *name, unsigned level, uint32_t mode,
                             uint64_t first, uint64_t end, uint32_t step)
{
  aq_wave_handler *by_lane = aq_wave_handler_named(0, name),
                  *handler = aq_wave_handler_named(level, name);
  aq_rng rng;
  aq_rng_init(&rng, mode, 0);
  for (uint64_t x = first; x < end; x += (uint64_t)AQ_WAVE_LANES * step) {
    /* Into another register, or into the source's. */
    const aq_wave_op o = {.words = 1,
                          .dest = x / AQ_WAVE_LANES % 3 ? 1 : 0,
                          .kind = {AQ_WAVE_VGPR}};
    numbers_make(&rng, x, step);
    memcpy(before.v, wave.v, 2 * sizeof *wave.v);
    by_lane(&wave, &o);
    memcpy(expected.v, wave.v, 2 * sizeof *wave.v);
    memcpy(wave.v, before.v, 2 * sizeof *wave.v);
    handler(&wave, &o);
    for (unsigned i = 0; i < 2 * AQ_WAVE_LANES; i++) {
      const unsigned row = i / AQ_WAVE_LANES, l = i % AQ_WAVE_LANES;
      ck_assert_msg(wave.v[row][l] == expected.v[row][l],
                    "%s of 0x%08x, MODE 0x%x: 0x%08x, not 0x%08x", name,
                    before.v[0][l], mode, wave.v[row][l], expected.v[row][l]);
    }
  }
}

START_TEST(functions_have_the_same_bits_on_every_level)
{
  static const char *const names[] = {"v_exp_f32", "v_log_f32", "v_sin_f32",
                                      "v_cos_f32"};
  static const uint32_t modes[] = {0xf0, 0xc0, 0xf1, 0xd2, 0xe3};
  /* A quarter, a half, three quarters, and one. */
  static const uint32_t turns[] = {0x3e800000, 0x3f000000, 0x3f400000,
                                   0x3f800000};
  const char *all = getenv("AQ_ORACLES");
  const uint32_t step = all && strcmp(all, "all") == 0 ? 1 : 4001;
  const uint32_t host = aq_wave_mode_save();
  for (unsigned level = 1; level < aq_wave_level_count(); level++)
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
      for (unsigned k = 0; k < sizeof modes / sizeof *modes; k++) {
        wave.mode = modes[k];
        aq_wave_mode_enter(&wave);
        handlers_compare(names[i], level, modes[k], 0, (uint64_t)1 << 32,
                         k == 0 ? step : 40009);
        for (unsigned turn = 0; turn < 4; turn++)
          handlers_compare(names[i], level, modes[k], turns[turn] - 1024,
                           turns[turn] + 1024, 1);
        aq_wave_mode_restore(host);
      }
}
END_TEST

AQ_TEST_MAIN("gpu/wave/functions", functions_have_the_same_bits_on_every_level)
