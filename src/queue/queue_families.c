/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/queue_families.h"

#include <stddef.h>

const char *aq_queue_family_name(aq_queue_family_kind kind)
{
  static const char *const names[AQ_QUEUE_FAMILY_COUNT] = {
      [AQ_QUEUE_FAMILY_COMPUTE] = "compute",
      [AQ_QUEUE_FAMILY_COPY] = "copy",
      [AQ_QUEUE_FAMILY_HOST] = "host"};
  return (unsigned)kind < AQ_QUEUE_FAMILY_COUNT ? names[kind] : NULL;
}

uint32_t aq_queue_families(const aq_transport_info *info, uint32_t device,
                           aq_queue_family out[AQ_QUEUE_FAMILY_COUNT])
{
  const uint32_t of_queues = AQ_CAP_PRIORITY | AQ_CAP_CU_MASK |
                             AQ_CAP_COOPERATIVE | AQ_CAP_PM4 |
                             AQ_CAP_BARRIER_VALUE | AQ_CAP_PROFILING;
  if (device >= info->device_count)
    return 0;
  const aq_device_info *d = &info->devices[device];
  const uint32_t caps = aq_device_caps(info, device);
  out[0] = (aq_queue_family){.kind = AQ_QUEUE_FAMILY_COMPUTE,
                             .count = d->queues_max,
                             .caps = caps & of_queues};
  uint32_t count = 1;
  if (caps & AQ_CAP_COPY) {
    out[count] =
        (aq_queue_family){.kind = AQ_QUEUE_FAMILY_COPY,
                          .count = d->copy_engines + d->copy_engines_peer,
                          .peer = d->copy_engines_peer};
    count++;
  }
  out[count] = (aq_queue_family){.kind = AQ_QUEUE_FAMILY_HOST, .count = 1};
  return count + 1;
}
