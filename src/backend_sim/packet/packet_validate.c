/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/packet_validate.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const type_names[] = {
    [AQ_PACKET_VENDOR] = "vendor",
    [AQ_PACKET_INVALID] = "INVALID",
    [AQ_PACKET_KERNEL_DISPATCH] = "kernel dispatch",
    [AQ_PACKET_BARRIER_AND] = "barrier-AND",
    [AQ_PACKET_AGENT_DISPATCH] = "agent dispatch",
    [AQ_PACKET_BARRIER_OR] = "barrier-OR",
};

const char *aqsim_packet_type_name(unsigned type)
{
  return type < sizeof type_names / sizeof *type_names ? type_names[type]
                                                       : "unknown type";
}

static uint64_t workgroup_items(const aq_kernel_packet *packet)
{
  uint64_t items = 1;
  for (uint32_t i = 0; i < aqsim_packet_dimensions(packet); i++)
    items *= packet->workgroup_size[i];
  return items;
}

uint32_t aqsim_kernel_packet_check(const aq_kernel_packet *packet,
                                   const aqsim_kernel *kernel,
                                   const aqsim_packet_limits *limits,
                                   char text[AQSIM_FAULT_TEXT_MAX])
{
  if (packet->setup < 1 || packet->setup > 3) {
    snprintf(text, AQSIM_FAULT_TEXT_MAX,
             "setup names %u dimensions; expected 1 to 3", packet->setup);
    return AQSIM_FAULT_DIMENSIONS;
  }
  if (!kernel) {
    snprintf(text, AQSIM_FAULT_TEXT_MAX,
             "kernel object %#" PRIx64 " is not a kernel of this transport",
             packet->kernel_object);
    return AQSIM_FAULT_KERNEL_OBJECT;
  }
  uint64_t items = workgroup_items(packet);
  if (items > limits->workgroup_max) {
    snprintf(text, AQSIM_FAULT_TEXT_MAX,
             "workgroup of %" PRIu64 " work-items; expected at most %" PRIu64,
             items, limits->workgroup_max);
    return limits->foundation ? AQSIM_FAULT_DIMENSIONS
                              : AQSIM_FAULT_WORKGROUP_SIZE;
  }
  if (packet->group_segment_size > limits->lds_per_workgroup) {
    snprintf(text, AQSIM_FAULT_TEXT_MAX,
             "group segment of %" PRIu32 " bytes; expected at most %" PRIu64,
             packet->group_segment_size, limits->lds_per_workgroup);
    return AQSIM_FAULT_GROUP_SEGMENT;
  }
  if (packet->private_segment_size > AQSIM_PRIVATE_MAX) {
    snprintf(text, AQSIM_FAULT_TEXT_MAX,
             "private segment of %" PRIu32 " bytes a work-item; expected at "
             "most %d",
             packet->private_segment_size, AQSIM_PRIVATE_MAX);
    return AQSIM_FAULT_SCRATCH;
  }
  return AQSIM_FAULT_NONE;
}

uint32_t aqsim_packet_type_fault(const aq_packet *packet,
                                 char text[AQSIM_FAULT_TEXT_MAX])
{
  unsigned type = aq_header_type(packet->header);
  if (type == AQ_PACKET_VENDOR) {
    snprintf(text, AQSIM_FAULT_TEXT_MAX,
             "vendor packet format %u is not served here",
             packet->barrier_value.format);
    return AQSIM_FAULT_VENDOR_FORMAT;
  }
  snprintf(text, AQSIM_FAULT_TEXT_MAX, "packet type %u (%s) is not served here",
           type, aqsim_packet_type_name(type));
  return AQSIM_FAULT_PACKET_FORMAT;
}

uint32_t aqsim_barrier_value_fault(uint32_t condition,
                                   char text[AQSIM_FAULT_TEXT_MAX])
{
  snprintf(text, AQSIM_FAULT_TEXT_MAX,
           "barrier-value condition %u; expected 0 to 3 (==, !=, <, >=)",
           condition);
  return AQSIM_FAULT_VENDOR_FORMAT;
}
