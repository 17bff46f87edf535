/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include "backend_sim/engine/calendar.h"

static aqsim_event events[1000];

static int pop(aqsim_calendar *calendar, aq_time limit, aq_time *time)
{
  aqsim_event *event = aqsim_calendar_pop(calendar, limit, time);
  return event ? (int)(event - events) : -1;
}

START_TEST(events_come_by_time_then_priority_then_in_the_order_they_were_made)
{
  aqsim_calendar c = AQSIM_CALENDAR_INIT;
  aq_time time;
  ck_assert(aqsim_calendar_reserve(&c, 6));
  aqsim_calendar_push(&c, &events[0], 20, AQSIM_AT_END);
  aqsim_calendar_push(&c, &events[1], 10, AQSIM_AT_LAUNCH);
  aqsim_calendar_push(&c, &events[2], 10, AQSIM_AT_END);
  aqsim_calendar_push(&c, &events[3], 10, AQSIM_AT_LAUNCH);
  aqsim_calendar_push(&c, &events[4], 10, AQSIM_AT_COMPLETE);
  aqsim_calendar_push(&c, &events[5], 5, AQSIM_AT_LAUNCH);
  const int expected[] = {5, 2, 4, 1, 3, 0};
  for (int i = 0; i < 6; i++)
    ck_assert_int_eq(pop(&c, AQ_TIME_MAX, &time), expected[i]);
  ck_assert(time == 20);
  ck_assert(aqsim_calendar_empty(&c));
  aqsim_calendar_fini(&c);
}
END_TEST

/* The last rank of a priority comes before the first rank of the next. */
START_TEST(ranks_order_within_a_priority_only)
{
  aqsim_calendar c = AQSIM_CALENDAR_INIT;
  aq_time time;
  int count = 0, expected = 0;
  ck_assert(aqsim_calendar_reserve(&c, 100));
  /* Made in the opposite order, so that nothing comes right by its sequence. */
  for (int priority = AQSIM_AT_LAUNCH; priority >= AQSIM_AT_END; priority--)
    for (int rank = AQSIM_RANKS - 1; rank >= 0; rank--, count++)
      aqsim_calendar_push_ranked(&c, &events[priority * AQSIM_RANKS + rank], 7,
                                 (aqsim_priority)priority, (aqsim_rank)rank);
  for (; expected < count; expected++)
    ck_assert_int_eq(pop(&c, AQ_TIME_MAX, &time), expected);
  aqsim_calendar_fini(&c);
}
END_TEST

START_TEST(nothing_comes_before_its_limit)
{
  aqsim_calendar c = AQSIM_CALENDAR_INIT;
  aq_time time = -1;
  ck_assert(aqsim_calendar_reserve(&c, 1));
  ck_assert_int_eq(pop(&c, AQ_TIME_MAX, &time), -1);
  aqsim_calendar_push(&c, &events[0], 10, AQSIM_AT_END);
  ck_assert_int_eq(pop(&c, 9, &time), -1);
  ck_assert_int_eq(time, -1);
  ck_assert_int_eq(pop(&c, 10, &time), 0);
  aqsim_calendar_fini(&c);
}
END_TEST

/* A small generator: any sequence will do. */
static uint32_t next_number(uint32_t *state)
{
  return *state = *state * 1664525u + 1013904223u;
}

START_TEST(random_holds_come_in_order)
{
  aqsim_calendar c = AQSIM_CALENDAR_INIT;
  uint32_t state = 7;
  aq_time now = 0, time;
  int pushed[1000], pushes = 0, last = -1;
  ck_assert(aqsim_calendar_reserve(&c, 1000));
  for (int i = 0; i < 1000; i++) {
    aqsim_calendar_push(&c, &events[i], next_number(&state) >> 24,
                        AQSIM_AT_END);
    pushed[i] = pushes++;
  }
  for (int i = 0; i < 20000; i++) {
    int index = pop(&c, AQ_TIME_MAX, &time);
    ck_assert_int_ge(time, now);
    /* Events of one instant come in the order of pushing. */
    if (time == now)
      ck_assert_int_gt(pushed[index], last);
    last = pushed[index];
    now = time;
    /* One in three leaves, until few are left: far and near are both used. */
    if (i % 3 != 0 || aqsim_calendar_count(&c) < 5) {
      aqsim_calendar_push(&c, &events[index], now + (next_number(&state) >> 24),
                          AQSIM_AT_END);
      pushed[index] = pushes++;
    }
    if (aqsim_calendar_empty(&c))
      break;
  }
  aqsim_calendar_fini(&c);
}
END_TEST

START_TEST(forgotten_events_never_come_and_the_others_keep_their_order)
{
  aqsim_calendar c = AQSIM_CALENDAR_INIT;
  aq_time time;
  ck_assert(aqsim_calendar_reserve(&c, 100));
  for (int i = 0; i < 100; i++)
    aqsim_calendar_push(&c, &events[i], 1000 - i / 2, AQSIM_AT_END);
  aqsim_calendar_forget(&c, &events[10], 50 * sizeof *events);
  for (int expected = 98; expected >= 0; expected -= 2)
    for (int i = expected; i < expected + 2; i++)
      if (i < 10 || i >= 60)
        ck_assert_int_eq(pop(&c, AQ_TIME_MAX, &time), i);
  ck_assert(aqsim_calendar_empty(&c));
  aqsim_calendar_fini(&c);
}
END_TEST

AQ_TEST_MAIN("backend_sim/calendar",
             events_come_by_time_then_priority_then_in_the_order_they_were_made,
             ranks_order_within_a_priority_only, nothing_comes_before_its_limit,
             random_holds_come_in_order,
             forgotten_events_never_come_and_the_others_keep_their_order)
