/* SPDX-License-Identifier: MIT */
/* The parts of jobs in flight, by queue, the newest first. */
#include "config.h"

#include "study/loop/policy_driver.h"

void aq_policy_driver_part_link(aq_policy_driver *d, uint32_t index)
{
  aq_policy_driver_part *part = &d->parts[index];
  aq_policy_driver_queue *queue = &d->queues[part->queue];
  part->older = queue->newest;
  part->newer = AQ_JOB_NO_INDEX;
  if (part->older != AQ_JOB_NO_INDEX)
    d->parts[part->older].newer = index;
  queue->newest = index;
}

void aq_policy_driver_part_unlink(aq_policy_driver *d, uint32_t index)
{
  const aq_policy_driver_part *part = &d->parts[index];
  if (part->newer != AQ_JOB_NO_INDEX)
    d->parts[part->newer].older = part->older;
  else
    d->queues[part->queue].newest = part->older;
  if (part->older != AQ_JOB_NO_INDEX)
    d->parts[part->older].newer = part->newer;
}

uint32_t aq_policy_driver_queue_of_ring(const aq_policy_driver *d,
                                        uint32_t ring)
{
  for (uint32_t i = 0; i < d->queue_capacity; i++)
    if (d->queues[i].queue && d->queues[i].ring == ring)
      return i;
  return AQ_POLICY_NONE;
}
