/* SPDX-License-Identifier: MIT */
/* The closed forms of cohorts against their definition: workgroups one by one,
 * each in the slot that is free first, at least an interval apart. */
#include "support/aqtest.h"

#include "backend_sim/dispatch/cohort.h"

enum { MOST = 64, RUNS = 3000 };

/* A small generator: any sequence will do. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (*state >> 33) % below;
}

static aqsim_cohort cohort_draw(uint64_t *state)
{
  const uint64_t slots = 1 + draw(state, 8), tail = draw(state, slots + 1);
  const uint64_t body = slots * draw(state, MOST / 8);
  aqsim_cohort c = {.begin = (aq_time)draw(state, 100),
                    .interval = (aq_time)draw(state, 7),
                    .duration = 1 + (aq_time)draw(state, 40),
                    .body = body,
                    .count = body + tail,
                    .slots = slots};
  c.tail = 1 + (aq_time)draw(state, (uint64_t)c.duration);
  if (c.count == 0)
    c.count = c.body = slots;
  return c;
}

/* Starts and ends of all workgroups; bodies only start at the ends of bodies.
 */
static void cohort_simulate(const aqsim_cohort *c, aq_time *start, aq_time *end)
{
  aq_time free[MOST];
  for (uint64_t slot = 0; slot < c->slots; slot++)
    free[slot] = c->begin;
  for (uint64_t i = 0; i < c->count; i++) {
    uint64_t slot = 0;
    for (uint64_t k = 1; k < c->slots; k++)
      if (free[k] < free[slot])
        slot = k;
    const aq_time next = i ? start[i - 1] + c->interval : c->begin;
    start[i] = aq_time_max(free[slot], next);
    end[i] = start[i] + (i < c->body ? c->duration : c->tail);
    free[slot] = end[i];
  }
}

START_TEST(closed_forms_equal_workgroups_one_by_one)
{
  uint64_t state = 11;
  for (int run = 0; run < RUNS; run++) {
    const aqsim_cohort c = cohort_draw(&state);
    aq_time start[MOST + 8], end[MOST + 8], last = 0;
    cohort_simulate(&c, start, end);
    for (uint64_t i = 0; i < c.count; i++) {
      ck_assert_int_eq(aqsim_cohort_start(&c, i), start[i]);
      ck_assert_int_eq(aqsim_cohort_end(&c, i), end[i]);
      last = aq_time_max(last, end[i]);
    }
    ck_assert_int_eq(aqsim_cohort_last_end(&c), last);
    /* At each moment of them and beside it. */
    for (uint64_t i = 0; i < 6 * c.count; i++) {
      const aq_time time =
          (i % 2 ? start : end)[i / 6] + (aq_time)(i / 2 % 3) - 1;
      uint64_t started = 0, running = 0;
      while (started < c.count && start[started] < time)
        started++;
      ck_assert_uint_eq(aqsim_cohort_started(&c, time), started);
      while (running < c.body && end[running] <= time)
        running++;
      ck_assert_uint_eq(aqsim_cohort_running(&c, 0, c.body, time), running);
    }
  }
}
END_TEST

AQ_TEST_MAIN("backend_sim/cohort", closed_forms_equal_workgroups_one_by_one)
