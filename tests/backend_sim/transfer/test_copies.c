/* SPDX-License-Identifier: MIT */
#include "backend_sim/rig.h"

#include <string.h>

#include "backend_sim/sim.h"

enum {
  LATENCY = 5700000, /* copy_latency and two links: host to host */
  POLL = 7270000,    /* dependency_poll */
  WRITE = 100000,    /* signal_write */
};

static void copy(rig *r, void *to, const void *from, size_t size,
                 const aq_signal *dependencies, uint32_t count,
                 aq_signal completion)
{
  ck_assert_status(r->t->ops->copy_async(r->t, 0, to, from, size, dependencies,
                                         count, completion, &r->diag),
                   AQ_OK, &r->diag);
}

/* Conformance 75: waits for all dependencies, copies, decrements. */
START_TEST(bytes_move_after_the_dependencies_and_before_the_decrement)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  static char from[6400] = "payload", to[6400]; /* 100 ns at 64 GB/s */
  aq_signal first = rig_signal(&r, 1, 0), second = rig_signal(&r, 0, 0);
  aq_signal done = rig_signal(&r, 1, AQ_SIGNAL_PROFILE);
  const aq_signal dependencies[] = {first, second, rig_none};
  memset(to, 0, sizeof to);
  copy(&r, to, from, sizeof to, dependencies, 3, done);
  rig_sleep(&r, 30 * AQ_US);
  ck_assert_int_eq(to[0], 0);
  r.t->ops->signal_store(r.t, first, 0, AQ_RELEASE);
  aq_time begin = 30 * AQ_US + POLL + LATENCY;
  rig_sleep(&r, begin + 100 * AQ_NS - 1);
  ck_assert_int_eq(to[0], 0);
  rig_sleep(&r, begin + 100 * AQ_NS);
  ck_assert_str_eq(to, "payload");
  ck_assert_int_eq(rig_load(&r, done), 1);
  rig_run(&r);
  ck_assert_int_eq(rig_load(&r, done), 0);
  ck_assert_uint_eq(r.sink.count, 1);
  const aq_record *row = &r.sink.rows[0];
  ck_assert_int_eq(row->kind, AQ_KIND_COPY);
  ck_assert_int_eq(row->bytes, 6400);
  ck_assert_time_eq(row->submit, 0);
  ck_assert_time_eq(row->launch, 30 * AQ_US + POLL);
  ck_assert_time_eq(row->start, begin);
  ck_assert_time_eq(row->end, begin + 100 * AQ_NS);
  ck_assert_time_eq(row->complete, row->end + WRITE);
  rig_close(&r);
}
END_TEST

START_TEST(one_engine_serves_one_copy_at_a_time_in_the_order_of_readiness)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  static char a[64000], b[64000], c[64000]; /* 1 us each */
  aq_signal late = rig_signal(&r, 1, 0);
  copy(&r, a, b, sizeof a, &late, 1, rig_none);
  copy(&r, b, c, sizeof a, NULL, 0, rig_none);
  copy(&r, c, c, sizeof a, NULL, 0, rig_none);
  r.t->ops->signal_store(r.t, late, 0, AQ_RELEASE);
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, 3);
  for (int i = 0; i < 3; i++)
    ck_assert_time_eq(r.sink.rows[i].end, (i + 1) * (LATENCY + AQ_US));
  ck_assert_time_eq(r.sink.rows[2].launch, POLL); /* the first one */
  rig_close(&r);
}
END_TEST

/* Conformance 75. */
START_TEST(an_empty_copy_is_nothing_and_dependencies_must_agree)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_signal done = rig_signal(&r, 1, 0);
  char bytes[8] = "";
  copy(&r, NULL, NULL, 0, NULL, 0, done);
  rig_run(&r);
  ck_assert_int_eq(rig_load(&r, done), 1);
  ck_assert_uint_eq(r.sink.count, 0);
  ck_assert_status(
      r.t->ops->copy_async(r.t, 0, bytes, bytes + 4, 4, NULL, 1, done, &r.diag),
      AQ_ERR_INVALID, &r.diag);
  ck_assert_status(r.t->ops->copy_async(r.t, 0, bytes, bytes + 4, 4, &done, 0,
                                        done, &r.diag),
                   AQ_ERR_INVALID, &r.diag);
  ck_assert_status(
      r.t->ops->copy_async(r.t, 7, NULL, NULL, 0, NULL, 0, done, &r.diag),
      AQ_ERR_INVALID, &r.diag);
  rig_close(&r);
}
END_TEST

START_TEST(a_copy_that_waits_forever_is_named_and_freed_at_close)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_signal never = rig_signal(&r, 1, 0), done = rig_signal(&r, 1, 0);
  char bytes[8] = "";
  copy(&r, bytes, bytes + 4, 4, &never, 1, done);
  aq_wait_item item = {done, AQ_EQ, 0};
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                   AQ_ERR_DEADLOCK, &r.diag);
  ck_assert_ptr_nonnull(strstr(r.diag.text, "copy 0 waits for signal 0"));
  rig_close(&r);
}
END_TEST

START_TEST(memory_is_zeroed_aligned_and_freed_with_the_transport)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  for (size_t size = 0; size < 3; size++) {
    void *memory[3];
    for (int i = 0; i < 3; i++) {
      ck_assert_status(r.t->ops->mem_alloc(r.t, 0, (aq_memory_kind)i,
                                           size * 1000, &memory[i], &r.diag),
                       AQ_OK, &r.diag);
      ck_assert_uint_eq((uintptr_t)memory[i] % 64, 0);
      for (size_t j = 0; j < size * 1000; j++)
        ck_assert_int_eq(((char *)memory[i])[j], 0);
    }
    r.t->ops->mem_publish(r.t, memory[1], size);
    r.t->ops->mem_free(r.t, memory[1]);
  }
  r.t->ops->mem_free(r.t, NULL);
  void *none;
  ck_assert_status(
      r.t->ops->mem_alloc(r.t, 1, AQ_MEMORY_HOST, 1, &none, &r.diag),
      AQ_ERR_INVALID, &r.diag);
  ck_assert_status(
      r.t->ops->mem_alloc(r.t, 0, AQ_MEMORY_HOST, SIZE_MAX, &none, &r.diag),
      AQ_ERR_NO_MEMORY, &r.diag);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/transfer/copies",
             bytes_move_after_the_dependencies_and_before_the_decrement,
             one_engine_serves_one_copy_at_a_time_in_the_order_of_readiness,
             an_empty_copy_is_nothing_and_dependencies_must_agree,
             a_copy_that_waits_forever_is_named_and_freed_at_close,
             memory_is_zeroed_aligned_and_freed_with_the_transport)
