/* SPDX-License-Identifier: MIT */
/* Each rule by which a wait needs less than a packet applies where it should,
 * and the statistics count it. On the simulator in virtual time, where nothing
 * is complete before a thread waits. */
#include "queue/ground.h"

#include <string.h>

#include "queue/sync/frontier.h"

enum { QUEUES = 4 };

typedef struct table {
  ground g;
  aq_queue *queues[QUEUES];
  aq_semaphore *semaphores[QUEUES]; /* signalled by the queue of that number */
  uint64_t cell;
} table;

static void table_open(table *t)
{
  memset(t, 0, sizeof *t);
  ground_open(&t->g, &ground_kinds[0], NULL, NULL);
  for (int i = 0; i < QUEUES; i++) {
    t->queues[i] = ground_queue(&t->g, NULL);
    t->semaphores[i] = ground_semaphore(&t->g, 0);
  }
}

static void table_close(table *t)
{
  for (int i = 0; i < QUEUES; i++)
    ck_assert_ok(&t->g,
                 aq_queue_wait_idle(t->queues[i], AQ_TIME_MAX, &t->g.diag));
  for (int i = 0; i < QUEUES; i++) {
    aq_queue_destroy(t->queues[i]);
    aq_semaphore_release(t->semaphores[i]);
  }
  ground_close(&t->g);
}

/* A dispatch on a queue that waits for points and signals its semaphore. */
static void go(table *t, int queue, const aq_point *waits, uint32_t count,
               uint64_t value)
{
  const aq_point signal = {t->semaphores[queue], value};
  ck_assert_ok(&t->g, ground_dispatch(&t->g, t->queues[queue],
                                      &(aq_sync){.waits = waits,
                                                 .wait_count = count,
                                                 .signals = &signal,
                                                 .signal_count = value > 0},
                                      &t->cell, 1));
}

static aq_queue_stats stats_of(table *t, int queue)
{
  aq_queue_stats stats;
  aq_queue_stats_get(t->queues[queue], &stats);
  return stats;
}

#define ck_assert_rules(t, queue, rule, count, packets)                        \
  do {                                                                         \
    const aq_queue_stats got_ = stats_of(t, queue);                            \
    ck_assert_uint_eq(got_.rules[rule], count);                                \
    ck_assert_uint_eq(got_.edge_packets, packets);                             \
  } while (0)

START_TEST(what_is_complete_needs_nothing)
{
  table t;
  table_open(&t);
  go(&t, 0, NULL, 0, 1);
  ground_wait(&t.g, t.semaphores[0], 1);
  go(&t, 1, &(aq_point){t.semaphores[0], 1}, 1, 0);
  ck_assert_rules(&t, 1, AQ_WAIT_COMPLETE, 1, 0);
  table_close(&t);
}
END_TEST

START_TEST(what_the_queue_itself_signals_needs_nothing)
{
  table t;
  table_open(&t);
  go(&t, 0, NULL, 0, 1);
  go(&t, 0, &(aq_point){t.semaphores[0], 1}, 1, 0);
  ck_assert_rules(&t, 0, AQ_WAIT_SAME_QUEUE, 1, 0);
  table_close(&t);
}
END_TEST

START_TEST(what_was_waited_for_needs_nothing_again)
{
  table t;
  table_open(&t);
  go(&t, 0, NULL, 0, 1);
  go(&t, 1, &(aq_point){t.semaphores[0], 1}, 1, 0);
  ck_assert_rules(&t, 1, AQ_WAIT_ONE_EDGE, 1, 1);
  go(&t, 1, &(aq_point){t.semaphores[0], 1}, 1, 0);
  ck_assert_rules(&t, 1, AQ_WAIT_DOMINATED, 1, 1);
  table_close(&t);
}
END_TEST

START_TEST(what_a_producer_had_waited_for_needs_nothing)
{
  table t;
  table_open(&t);
  go(&t, 0, NULL, 0, 1);
  go(&t, 1, &(aq_point){t.semaphores[0], 1}, 1, 1);
  go(&t, 2, &(aq_point){t.semaphores[1], 1}, 1, 0);
  go(&t, 2, &(aq_point){t.semaphores[0], 1}, 1, 0);
  ck_assert_rules(&t, 2, AQ_WAIT_ONE_EDGE, 1, 1);
  ck_assert_rules(&t, 2, AQ_WAIT_DOMINATED, 1, 1);
  /* In one operation too. */
  const aq_point both[] = {{t.semaphores[0], 1}, {t.semaphores[1], 1}};
  go(&t, 3, both, 2, 0);
  ck_assert_rules(&t, 3, AQ_WAIT_ONE_EDGE, 1, 1);
  ck_assert_rules(&t, 3, AQ_WAIT_DOMINATED, 1, 1);
  table_close(&t);
}
END_TEST

/* More signals are in flight than a semaphore keeps apart, but the queue has
 * waited for the last of them. */
START_TEST(an_old_value_needs_nothing_when_everything_was_waited_for)
{
  table t;
  table_open(&t);
  for (uint64_t i = 1; i <= 8; i++)
    go(&t, 0, NULL, 0, i);
  go(&t, 1, &(aq_point){t.semaphores[0], 1}, 1, 0);
  ck_assert_rules(&t, 1, AQ_WAIT_DEFERRED, 0, 0); /* counted when it goes */
  ck_assert_uint_eq(stats_of(&t, 1).parked, 1);
  go(&t, 2, &(aq_point){t.semaphores[0], 8}, 1, 0);
  go(&t, 2, &(aq_point){t.semaphores[0], 1}, 1, 0);
  ck_assert_rules(&t, 2, AQ_WAIT_ALL_DOMINATED, 1, 1);
  ck_assert_ok(&t.g, aq_queue_wait_idle(t.queues[1], AQ_TIME_MAX, &t.g.diag));
  ck_assert_rules(&t, 1, AQ_WAIT_DEFERRED, 1, 0);
  table_close(&t);
}
END_TEST

START_TEST(several_producers_need_an_edge_each)
{
  table t;
  table_open(&t);
  aq_point waits[3];
  for (int i = 0; i < 3; i++) {
    go(&t, i, NULL, 0, 1);
    waits[i] = (aq_point){t.semaphores[i], 1};
  }
  go(&t, 3, waits, 3, 0);
  ck_assert_rules(&t, 3, AQ_WAIT_MANY_EDGES, 3, 3);
  table_close(&t);
}
END_TEST

START_TEST(a_value_that_nobody_has_promised_is_deferred)
{
  table t;
  table_open(&t);
  go(&t, 1, &(aq_point){t.semaphores[0], 1}, 1, 0);
  go(&t, 0, NULL, 0, 1);
  ck_assert_ok(&t.g, aq_queue_wait_idle(t.queues[1], AQ_TIME_MAX, &t.g.diag));
  ck_assert_rules(&t, 1, AQ_WAIT_DEFERRED, 1, 0);
  table_close(&t);
}
END_TEST

/* The edge is to the epoch that brings the value, not to a later one that
 * waits for this very queue. */
START_TEST(a_wait_for_an_early_value_does_not_wait_for_a_later_one)
{
  table t;
  table_open(&t);
  go(&t, 0, NULL, 0, 1);
  go(&t, 1, &(aq_point){t.semaphores[2], 1}, 1, 0); /* deferred */
  aq_semaphore *late = ground_semaphore(&t.g, 0);
  const aq_point wait = {t.semaphores[0], 1}, signal = {late, 1};
  go(&t, 0, &(aq_point){late, 1}, 1, 2); /* needs what queue 3 does */
  ck_assert_ok(&t.g, ground_dispatch(&t.g, t.queues[3],
                                     &(aq_sync){.waits = &wait,
                                                .wait_count = 1,
                                                .signals = &signal,
                                                .signal_count = 1},
                                     &t.cell, 1));
  ck_assert_rules(&t, 3, AQ_WAIT_ONE_EDGE, 1, 1);
  go(&t, 2, NULL, 0, 1);
  ground_wait(&t.g, t.semaphores[0], 2);
  aq_semaphore_release(late);
  table_close(&t);
}
END_TEST

START_TEST(a_frontier_that_overflows_is_not_handed_on_but_stays_true)
{
  static aq_frontier f;
  f.count = 0;
  f.overflow = false;
  for (uint32_t i = 0; i < AQ_FRONTIER_AXES; i++)
    aq_frontier_add(&f, i * 2, i + 1);
  ck_assert(!f.overflow);
  aq_frontier_add(&f, 4, 2); /* earlier than the present one */
  ck_assert_uint_eq(aq_frontier_epoch(&f, 4), 3);
  aq_frontier_add(&f, 4, 9);
  ck_assert_uint_eq(aq_frontier_epoch(&f, 4), 9);
  aq_frontier_add(&f, 5, 1);
  ck_assert(f.overflow);
  ck_assert_uint_eq(aq_frontier_epoch(&f, 5), 0);
  ck_assert(aq_frontier_dominates(&f, 4, 9));
  ck_assert(!aq_frontier_dominates(&f, 4, 10));
}
END_TEST

/* Of two epochs of one queue, the later one is waited for. */
START_TEST(of_two_epochs_of_a_queue_the_later_one_counts)
{
  table t;
  table_open(&t);
  uint64_t cell = 1, other = 0;
  const aq_point signals[] = {{t.semaphores[0], 1}, {t.semaphores[1], 1}};
  aq_sync sync = {.signals = &signals[0], .signal_count = 1};
  ck_assert_ok(&t.g, ground_dispatch(&t.g, t.queues[0], &sync, &other, 1));
  for (int i = 0; i < 50; i++)
    ck_assert_ok(&t.g, ground_dispatch(&t.g, t.queues[0], NULL, &other, 1));
  sync.signals = &signals[1];
  ck_assert_ok(&t.g, ground_dispatch(&t.g, t.queues[0], &sync, &cell, 5));
  const aq_sync both = {.waits = signals, .wait_count = 2};
  ck_assert_ok(&t.g, ground_dispatch(&t.g, t.queues[1], &both, &cell, 7));
  ck_assert_rules(&t, 1, AQ_WAIT_ONE_EDGE, 1, 1);
  for (int i = 0; i < 2; i++)
    ck_assert_ok(&t.g, aq_queue_wait_idle(t.queues[i], AQ_TIME_MAX, &t.g.diag));
  ck_assert_uint_eq(cell, ground_stepped(ground_stepped(1, 5), 7));
  table_close(&t);
}
END_TEST

/* More queues than a frontier has entries, of a short life. */
START_TEST(queues_that_are_gone_take_no_place_in_a_frontier)
{
  table t;
  table_open(&t);
  aq_semaphore *s = ground_semaphore(&t.g, 0);
  for (uint64_t i = 1; i <= 2 * AQ_FRONTIER_AXES; i++) {
    aq_queue *brief = ground_queue(&t.g, NULL);
    const aq_point signal = {s, i};
    ck_assert_ok(
        &t.g, ground_dispatch(&t.g, brief,
                              &(aq_sync){.signals = &signal, .signal_count = 1},
                              &t.cell, 1));
    go(&t, 0, &signal, 1, i);
    ground_wait(&t.g, t.semaphores[0], i);
    aq_queue_destroy(brief);
    ck_assert(stats_of(&t, 0).publishing);
  }
  ck_assert_uint_eq(stats_of(&t, 0).edge_packets, 2 * AQ_FRONTIER_AXES);
  aq_semaphore_release(s);
  table_close(&t);
}
END_TEST

/* As many that live: it hands nothing on until they are complete, and then
 * knows a producer's waits again. */
START_TEST(a_frontier_with_too_many_queues_is_handed_on_when_they_are_complete)
{
  enum { MANY = AQ_FRONTIER_AXES + 1 };
  table t;
  table_open(&t);
  aq_queue *many[MANY];
  aq_semaphore *s[MANY];
  for (int i = 0; i < MANY; i++) {
    many[i] = ground_queue(&t.g, NULL);
    s[i] = ground_semaphore(&t.g, 0);
    const aq_point signal = {s[i], 1};
    ck_assert_ok(
        &t.g, ground_dispatch(&t.g, many[i],
                              &(aq_sync){.signals = &signal, .signal_count = 1},
                              &t.cell, 1));
    go(&t, 0, &signal, 1, (uint64_t)i + 1);
  }
  ck_assert(!stats_of(&t, 0).publishing);
  ground_wait(&t.g, t.semaphores[0], MANY);
  go(&t, 1, NULL, 0, 1);
  go(&t, 0, &(aq_point){t.semaphores[1], 1}, 1, MANY + 1);
  ck_assert(stats_of(&t, 0).publishing);
  go(&t, 2, &(aq_point){t.semaphores[0], MANY + 1}, 1, 0);
  go(&t, 2, &(aq_point){t.semaphores[1], 1}, 1, 0);
  ck_assert_rules(&t, 2, AQ_WAIT_DOMINATED, 1, 1);
  for (int i = 0; i < MANY; i++) {
    aq_queue_destroy(many[i]);
    aq_semaphore_release(s[i]);
  }
  table_close(&t);
}
END_TEST

/* Device models choose how their queues wait. */
START_TEST(the_instruction_set_chooses_how_queues_wait)
{
  static const struct {
    const char *edit;
    aq_edge_way way;
  } models[] = {{"gfx=gfx90a", AQ_EDGE_BARRIER_VALUE},
                {"gfx=gfx942", AQ_EDGE_BARRIER_VALUE},
                {"gfx=gfx1100", AQ_EDGE_PM4},
                {"gfx=gfx1201", AQ_EDGE_DEFER}};
  for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
    const char *const edits[] = {models[i].edit, NULL};
    const ground_kind kind = {"sim", "sim", AQ_MODE_VIRTUAL, AQ_EDGE_CHOOSE};
    ground g;
    ground_open(&g, &kind, edits, NULL);
    ck_assert_str_eq(aq_edge_way_name(aq_context_edge_way(g.context, 0)),
                     aq_edge_way_name(models[i].way));
    ground_close(&g);
  }
}
END_TEST

AQ_TEST_MAIN(
    "queue/elision", what_is_complete_needs_nothing,
    what_the_queue_itself_signals_needs_nothing,
    what_was_waited_for_needs_nothing_again,
    what_a_producer_had_waited_for_needs_nothing,
    an_old_value_needs_nothing_when_everything_was_waited_for,
    several_producers_need_an_edge_each,
    a_value_that_nobody_has_promised_is_deferred,
    a_wait_for_an_early_value_does_not_wait_for_a_later_one,
    a_frontier_that_overflows_is_not_handed_on_but_stays_true,
    of_two_epochs_of_a_queue_the_later_one_counts,
    queues_that_are_gone_take_no_place_in_a_frontier,
    a_frontier_with_too_many_queues_is_handed_on_when_they_are_complete,
    the_instruction_set_chooses_how_queues_wait)
