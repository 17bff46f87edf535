/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/grid/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

aq_status aq_wave_schedule_read(const char *text, aq_wave_schedule *out,
                                aq_diag *diag)
{
  static const char seed[] = "seed=";
  const char *digits = text + sizeof seed - 1;
  char *end = NULL;
  *out = (aq_wave_schedule){.on = true};
  const bool begins = strncmp(text, seed, sizeof seed - 1) == 0 &&
                      *digits >= '0' && *digits <= '9';
  if (begins) {
    errno = 0;
    out->seed = strtoull(digits, &end, 10);
    out->start_order = strcmp(end, ",start-order") == 0;
  }
  if (begins && !errno && (*end == 0 || out->start_order))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "schedule '%.60s'; expected seed=N or seed=N,start-order",
                     text);
}

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static uint64_t next(uint64_t *state)
{
  *state += UINT64_C(0x9e3779b97f4a7c15);
  return mix(*state);
}

uint64_t aq_wave_schedule_begin(const aq_wave_schedule *schedule,
                                uint64_t dispatch, const char *kernel)
{
  uint64_t state = mix(schedule->seed + 1) ^ mix(~dispatch);
  for (; *kernel; kernel++)
    state = mix(state ^ (uint8_t)*kernel);
  return state | 1;
}

uint32_t aq_wave_schedule_draw(uint64_t *state, uint32_t n)
{
  return (uint32_t)((next(state) >> 32) * n >> 32);
}

void aq_wave_schedule_order(uint64_t *state, uint32_t count,
                            uint8_t out[AQ_WAVE_SCHEDULE_MAX])
{
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = aq_wave_schedule_draw(state, i + 1);
    out[i] = out[at];
    out[at] = (uint8_t)i;
  }
}

/* Four rounds of a Feistel network permute the numbers of twice `half` bits; a
 * result that is too large goes through again. */
uint64_t aq_wave_schedule_place(uint64_t seed, uint64_t at, uint64_t count)
{
  unsigned half = 1;
  while (half < 32 && (uint64_t)1 << 2 * half < count)
    half++;
  const uint64_t mask = ((uint64_t)1 << half) - 1;
  do {
    uint64_t left = at >> half, right = at & mask;
    for (uint64_t round = 0; round < 4; round++) {
      const uint64_t old = right;
      right = left ^ (mix(seed + round * mask + right) & mask);
      left = old;
    }
    at = left << half | right;
  } while (at >= count);
  return at;
}
