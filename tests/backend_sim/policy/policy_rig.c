/* SPDX-License-Identifier: MIT */
#include "backend_sim/policy/policy_rig.h"

void policy_put(rig *r, aq_ring *queue, uint32_t workgroups)
{
  const uint64_t kernel = rig_kernel_with(
      r, &(aq_kernel_desc){.name = "k",
                           .cost = {.kind = AQ_COST_WORKGROUP, .base = D}});
  aq_packet packet = rig_dispatch(kernel, true, rig_none);
  packet.kernel.workgroup_size[0] = 64;
  packet.kernel.grid_size[0] = 64 * workgroups;
  rig_submit(r, queue, &packet);
}

aq_ring *policy_start(rig *r, uint32_t workgroups)
{
  aq_ring *queue = rig_queue(r, 64);
  policy_put(r, queue, workgroups);
  return queue;
}

bool policy_identify(void *user, uint32_t ring, uint64_t packet, uint64_t *job,
                     uint32_t *command, bool *idempotent)
{
  (void)user;
  (void)ring;
  *job = packet;
  *command = 0;
  *idempotent = true;
  return true;
}
