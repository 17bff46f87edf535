/* SPDX-License-Identifier: MIT */
/* Reports of operations, and their rows in the record, on every ground. */
#include "queue/ground.h"

#include <string.h>

#include "common/memory_sink.h"
#include "queue/operations.h"

typedef struct reports {
  unsigned count;
  aq_operation_report last[4];
} reports;

static void reported(const aq_operation_report *report, void *user)
{
  reports *r = user;
  if (r->count < 4)
    r->last[r->count] = *report;
  r->count++;
}

static void each_operation_is_reported_with_its_times(ground *g)
{
  reports r = {0};
  const bool profile = g->info.caps & AQ_CAP_PROFILING;
  aq_queue *other = ground_queue(g, NULL);
  aq_queue *queue = ground_queue(
      g, &(aq_queue_options){
             .size = 256, .profile = profile, .report = reported, .user = &r});
  aq_semaphore *a = ground_semaphore(g, 0), *b = ground_semaphore(g, 0);
  uint64_t cell = 1;
  ground_sync s;
  ck_assert_ok(g, ground_dispatch(g, other, ground_sync_make(&s, NULL, 0, a, 1),
                                  &cell, 1));
  ck_assert_ok(
      g, ground_dispatch(g, queue, ground_sync_make(&s, a, 1, b, 1), &cell, 2));
  ck_assert_ok(g, aq_queue_barrier(queue, ground_sync_make(&s, NULL, 0, b, 2),
                                   &g->diag));
  ground_wait(g, b, 2);
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  ck_assert_uint_eq(r.count, 2);
  ck_assert_str_eq(r.last[0].what, "dispatch");
  ck_assert_str_eq(r.last[1].what, "barrier");
  ck_assert_int_eq(r.last[0].status, AQ_OK);
  ck_assert_int_eq(__builtin_popcount(r.last[0].rules), 1);
  ck_assert_uint_eq(r.last[1].rules, 0);
  ck_assert_int_le(r.last[0].begin, r.last[0].submitted);
  ck_assert_int_le(r.last[0].submitted, r.last[0].retired);
  ck_assert_uint_gt(r.last[1].first, r.last[0].first);
  if (profile && g->kind->mode == AQ_MODE_VIRTUAL) {
    ck_assert_int_lt(r.last[0].submitted, r.last[0].end);
    ck_assert_int_le(r.last[0].end, r.last[0].retired);
  }
  aq_queue_destroy(queue);
  aq_queue_destroy(other);
  aq_semaphore_release(a);
  aq_semaphore_release(b);
}

/* The rows of a context's operations. */
static void rows_check(ground *g, const aq_memory_sink *sink, uint64_t edges)
{
  static const char *const names[] = {"dispatch", "dispatch", "execute"};
  const bool timed = g->info.caps & AQ_CAP_PROFILING;
  ck_assert_uint_eq(sink->count, 3);
  ck_assert_uint_eq(sink->queue_count, 2);
  for (size_t i = 0; i < sink->count; i++) {
    const aq_record *row = &sink->rows[i];
    ck_assert_int_eq(row->kind, AQ_KIND_OPERATION);
    ck_assert_str_eq(aq_names_text(&sink->names, row->name), names[i]);
    ck_assert_str_eq(aq_operation_name((aq_operation)row->operation), names[i]);
    ck_assert_int_le(row->host_begin, row->host_end);
    ck_assert_int_le(row->host_end, row->observe);
    ck_assert_int_eq(row->start != AQ_NONE, timed);
    if (timed)
      ck_assert_int_lt(row->start, row->end);
    ck_assert_int_ge(row->depth, 1);
  }
  const aq_record *second = &sink->rows[1], *third = &sink->rows[2];
  ck_assert_int_ne(second->queue, sink->rows[0].queue);
  ck_assert_int_eq(__builtin_popcount((unsigned)second->strategy), 1);
  ck_assert_int_eq((second->flags & AQ_FLAG_EDGE) != 0, edges > 0);
  ck_assert_int_eq(third->strategy, 0);
  ck_assert_int_ge(third->packets, 4);
  if (timed) /* four kernels of 1 us, one after the other */
    ck_assert_int_ge(third->end - third->start, 4 * AQ_US);
}

/* On a context of its own, beside the ground's. */
static void operations_become_rows_of_the_record(ground *g)
{
  ground own = *g;
  aq_memory_sink sink;
  aq_memory_sink_init(&sink);
  ck_assert_ok(g, aq_context_create(
                      &(aq_context_options){.size = sizeof(aq_context_options),
                                            .transport = g->t,
                                            .way = g->kind->way,
                                            .records = &sink.sink},
                      &own.context, &g->diag));
  aq_queue *first = ground_queue(&own, NULL),
           *second = ground_queue(&own, NULL);
  aq_semaphore *a = ground_semaphore(&own, 0), *b = ground_semaphore(&own, 0);
  uint64_t cell = 1;
  ground_sync s;
  aq_builder *builder;
  aq_link *link = ground_steps_link(g, 4, &builder);
  const aq_binding binding = {&cell, sizeof cell};
  ck_assert_ok(g, ground_dispatch(g, first, ground_sync_make(&s, NULL, 0, a, 1),
                                  &cell, 1));
  ck_assert_ok(g, ground_dispatch(g, second, ground_sync_make(&s, a, 1, b, 1),
                                  &cell, 2));
  ck_assert_ok(g,
               aq_queue_execute(second, ground_sync_make(&s, NULL, 0, b, 2),
                                &(aq_execution){link, &binding, 1}, &g->diag));
  /* So that its row is the first. */
  ck_assert_ok(g, aq_queue_wait_idle(first, AQ_TIME_MAX, &g->diag));
  ground_wait(&own, b, 2);
  aq_queue_stats stats;
  aq_queue_stats_get(second, &stats);
  aq_queue_destroy(first);
  aq_queue_destroy(second);
  ck_assert_ok(g, aq_context_records_flush(own.context, &g->diag));
  rows_check(g, &sink, stats.edge_packets);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  aq_semaphore_release(a);
  aq_semaphore_release(b);
  aq_context_destroy(own.context);
  aq_memory_sink_fini(&sink);
}

static const ground_case cases[] = {
    GROUND_CASE(each_operation_is_reported_with_its_times),
    GROUND_CASE(operations_become_rows_of_the_record),
};

int main(void)
{
  return ground_main("queue/reports", cases, sizeof cases / sizeof *cases);
}
