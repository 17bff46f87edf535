/* SPDX-License-Identifier: MIT */
/* Epochs in flight, as another thread may find them. */
#include "queue/ground.h"

#include "queue/core/queue_priv.h"

/* Between two stores of the retirer a flag has no reference and is still in its
 * place: whoever took one then would give the flag back a second time. In
 * virtual time an epoch is in flight until the host waits. */
START_TEST(a_flag_without_a_reference_is_not_taken)
{
  unsigned flagged = 0;
  for (unsigned i = 0; i < ground_kind_count; i++) {
    if (ground_kinds[i].mode != AQ_MODE_VIRTUAL)
      continue;
    ground g;
    ground_open(&g, &ground_kinds[i], NULL, NULL);
    uint64_t cell = 0;
    ground_sync s;
    aq_queue *queue = ground_queue(&g, NULL);
    aq_semaphore *done = ground_semaphore(&g, 0);
    ck_assert_ok(&g, ground_dispatch(&g, queue,
                                     ground_sync_make(&s, NULL, 0, done, 1),
                                     &cell, 7));
    const uint64_t epoch = aq_queue_epoch(queue);
    aq_epoch_ref edge;
    if (queue->flags) {
      ck_assert(aq_queue_oldest(queue, &edge));
      ck_assert_uint_eq(edge.epoch, epoch);
      aq_epoch_release(&edge);
      aq_epoch_signal *flag = *aq_queue_epoch_signal(queue, epoch);
      const uint32_t refs = flag->refs;
      flag->refs = 0;
      ck_assert(!aq_queue_oldest(queue, &edge));
      aq_queue_arm(queue, epoch);
      ck_assert_uint_eq(flag->refs, 0);
      flag->refs = refs;
      flagged++;
    }
    ground_wait(&g, done, 1);
    aq_semaphore_release(done);
    aq_queue_destroy(queue);
    ground_close(&g);
  }
  ck_assert_uint_gt(flagged, 0);
}
END_TEST

AQ_TEST_MAIN("queue/epoch", a_flag_without_a_reference_is_not_taken)
