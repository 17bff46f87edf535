/* SPDX-License-Identifier: MIT */
/*
 * Packets as a consumer reads them: the errors in one, and their wording.
 * Pure functions.
 */
#ifndef AQSIM_PACKET_VALIDATE_H
#define AQSIM_PACKET_VALIDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/code/kernels.h"
#include "common/aql.h"

/* Bits of the inactive signal, as ROCr reports them. */
enum aqsim_packet_fault {
  AQSIM_FAULT_NONE = 0,
  AQSIM_FAULT_SCRATCH = 1, /* more private memory than scratch can hold */
  AQSIM_FAULT_DIMENSIONS = 2,
  AQSIM_FAULT_GROUP_SEGMENT = 4,
  AQSIM_FAULT_KERNEL_OBJECT = 8,
  AQSIM_FAULT_PACKET_FORMAT = 32,
  AQSIM_FAULT_WORKGROUP_SIZE = 64,
  AQSIM_FAULT_VENDOR_FORMAT = 256,
  AQSIM_FAULT_APERTURE = 0x20000000,       /* of a flat address, alignment */
  AQSIM_FAULT_ILLEGAL = 0x40000000,        /* instruction */
  AQSIM_FAULT_EXCEPTION = -0x7fffffff - 1, /* bit 31 */
};

typedef struct aqsim_packet_limits {
  uint64_t workgroup_max;     /* work-items */
  uint64_t lds_per_workgroup; /* bytes */
  bool foundation; /* a workgroup that is too large has wrong dimensions */
} aqsim_packet_limits;

enum {
  AQSIM_FAULT_TEXT_MAX = 512,
  AQSIM_PRIVATE_MAX = 262128, /* bytes a work-item: what scratch can hold */
};

/* The error in a kernel dispatch; `kernel` is the kernel of its object, NULL
 * for none. Writes a line to `text` only if there is an error. */
uint32_t aqsim_kernel_packet_check(const aq_kernel_packet *packet,
                                   const aqsim_kernel *kernel,
                                   const aqsim_packet_limits *limits,
                                   char text[AQSIM_FAULT_TEXT_MAX]);

/* Words the fault of a packet of an unsupported type, and returns it. */
uint32_t aqsim_packet_type_fault(const aq_packet *packet,
                                 char text[AQSIM_FAULT_TEXT_MAX]);

/* The same of a barrier-value packet's condition. */
uint32_t aqsim_barrier_value_fault(uint32_t condition,
                                   char text[AQSIM_FAULT_TEXT_MAX]);

static inline uint32_t aqsim_packet_dimensions(const aq_kernel_packet *packet)
{
  return packet->setup < 3 ? packet->setup : 3;
}

/* Workgroups of a dispatch: partial ones count, unused dimensions do not; 0
 * when a used dimension is empty. */
static inline uint64_t aqsim_packet_workgroups(const aq_kernel_packet *packet)
{
  uint64_t workgroups = 1;
  for (uint32_t i = 0; i < aqsim_packet_dimensions(packet); i++) {
    uint32_t size = packet->workgroup_size[i], grid = packet->grid_size[i];
    if (size == 0 || grid == 0)
      return 0;
    /* 2^96 work-items fit the packet, not the product: it saturates. */
    if (__builtin_mul_overflow(workgroups, (uint64_t)((grid - 1) / size) + 1,
                               &workgroups))
      workgroups = UINT64_MAX;
  }
  return workgroups;
}

/* A vendor packet in an unknown format: perhaps half-written. */
static inline bool aqsim_packet_is_strange(uint32_t header_setup)
{
  unsigned format = header_setup >> 16 & 0xff;
  return aq_header_type(header_setup) == AQ_PACKET_VENDOR &&
         format != AQ_AMD_FORMAT_PM4_IB &&
         format != AQ_AMD_FORMAT_BARRIER_VALUE;
}

/* "kernel dispatch", "barrier-AND", …; never NULL. */
const char *aqsim_packet_type_name(unsigned type);

#endif
