/* SPDX-License-Identifier: MIT */
/* Queues by descriptors: several at once, with all that they are set to. */
#include "config.h"

#include "common/aql.h"
#include "dropin/hsa/base/runtime.h"

static bool bytes_are_zero(const void *bytes, size_t size)
{
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++)
    if (at[i])
      return false;
  return true;
}

static bool desc_is_valid(const hsa_amd_queue_create_desc_t *desc)
{
  return desc->version == 1 && desc->engine <= HSA_AMD_QUEUE_ENGINE_AIE &&
         desc->size % sizeof(aq_packet) == 0 &&
         desc->priority <= HSA_AMD_QUEUE_PRIORITY_HIGH &&
         (desc->compute.cu_mask_count == 0) ==
             (desc->compute.cu_mask == NULL) &&
         desc->traffic_class == 0 &&
         bytes_are_zero(desc->reserved0, sizeof desc->reserved0) &&
         bytes_are_zero(desc->compute.reserved,
                        sizeof desc->compute.reserved) &&
         bytes_are_zero(desc->reserved1, sizeof desc->reserved1);
}

/* A ring in memory of the device, and queues of other engines, are not served.
 */
static hsa_status_t desc_create(hsa_agent_t agent,
                                hsa_amd_queue_create_desc_t *desc)
{
  hsa_queue_t *queue;
  if (!desc_is_valid(desc))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (desc->flags || desc->engine != HSA_AMD_QUEUE_ENGINE_COMPUTE)
    return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
  hsa_status_t status =
      hsa_queue_create(agent, desc->size / (uint32_t)sizeof(aq_packet),
                       desc->compute.type, desc->callback, desc->data,
                       desc->compute.private_segment_size, UINT32_MAX, &queue);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (desc->priority != HSA_AMD_QUEUE_PRIORITY_NORMAL)
    status = hsa_amd_queue_set_priority(queue, desc->priority);
  if (status == HSA_STATUS_SUCCESS && desc->compute.cu_mask_count > 0)
    status = hsa_amd_queue_cu_set_mask(queue, desc->compute.cu_mask_count,
                                       desc->compute.cu_mask);
  if (status != HSA_STATUS_SUCCESS) {
    hsa_queue_destroy(queue);
    return status;
  }
  desc->queue = queue;
  return status;
}

/* Descriptors are independent: an error of one does not stop the others. */
hsa_status_t hsa_amd_queue_create(hsa_agent_t agent,
                                  hsa_amd_queue_create_desc_t *descs,
                                  uint32_t num_descs)
{
  AQDROP_ENTER_UNRECORDED(runtime);
  hsa_status_t first = HSA_STATUS_SUCCESS;
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!descs || num_descs == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < num_descs; i++) {
    descs[i].queue = NULL;
    const hsa_status_t status = desc_create(agent, &descs[i]);
    if (first == HSA_STATUS_SUCCESS)
      first = status;
  }
  return first;
}
