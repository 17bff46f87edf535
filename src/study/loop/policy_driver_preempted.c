/* SPDX-License-Identifier: MIT */
/* Preemptions as they are kept beside the records. */
#include "config.h"

#include "study/loop/policy_driver.h"

static void row_put(aq_policy_driver *d, uint32_t queue, aq_preempted row)
{
  aq_record_sink *sink = d->run->options->preemptions;
  aq_diag diag = AQ_DIAG_INIT;
  row.device = row.queue = row.client = row.entry = AQ_NONE;
  if (queue != AQ_POLICY_NONE) {
    const aq_policy_driver_queue *at = &d->queues[queue];
    row.device = at->view.device;
    row.queue = queue;
    row.client = at->client;
    row.entry = at->entry;
  }
  aq_status status = sink->put_preempted(sink, &row, 1, &diag);
  if (status != AQ_OK)
    aq_policy_driver_break(d, status, &diag);
}

static bool is_kept(const aq_policy_driver *d)
{
  const aq_record_sink *sink = d->run->options->preemptions;
  return sink && sink->put_preempted;
}

void aq_policy_driver_preempted(void *driver, uint32_t ring,
                                const aq_preempted *row)
{
  aq_policy_driver *d = driver;
  if (is_kept(d))
    row_put(d, aq_policy_driver_queue_of_ring(d, ring), *row);
}

void aq_policy_driver_vacate_begin(aq_policy_driver *d, uint32_t queue)
{
  aq_policy_driver_queue *at = &d->queues[queue];
  if (at->newest != AQ_JOB_NO_INDEX && at->vacated == AQ_TIME_NONE)
    at->vacated = d->now;
}

void aq_policy_driver_vacate_end(aq_policy_driver *d, uint32_t queue,
                                 aq_time freed)
{
  aq_policy_driver_queue *at = &d->queues[queue];
  if (at->vacated == AQ_TIME_NONE)
    return;
  if (is_kept(d))
    row_put(d, queue,
            (aq_preempted){.job = AQ_NONE,
                           .mode = AQ_PREEMPTED_VACATE,
                           .asked = at->vacated,
                           .freed = freed == AQ_TIME_NONE ? AQ_NONE : freed});
  at->vacated = AQ_TIME_NONE;
}
