/* SPDX-License-Identifier: MIT */
/*
 * AQL packets: the 64 bytes that a queue's ring holds, as the HSA System
 * Architecture specification and AMD's vendor packets define them. The same
 * bits reach a real GPU or the simulator.
 *
 * Ordering rule: write the body first, then publish the header and setup words
 * with one release store (ring.h); a reader loads them with acquire.
 */
#ifndef AQ_COMMON_AQL_H
#define AQ_COMMON_AQL_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "hsa_abi.h"

AQ_BEGIN_DECLS

enum { AQ_PACKET_SIZE = 64 };

/* Bits of the 16-bit header. */
enum {
  AQ_HEADER_TYPE_SHIFT = 0,
  AQ_HEADER_TYPE_MASK = 0xff,
  AQ_HEADER_BARRIER_SHIFT = 8,
  AQ_HEADER_ACQUIRE_SHIFT = 9,
  AQ_HEADER_RELEASE_SHIFT = 11,
  AQ_HEADER_SCOPE_MASK = 3,
};

typedef enum aq_packet_type {
  AQ_PACKET_VENDOR = 0,
  AQ_PACKET_INVALID = 1,
  AQ_PACKET_KERNEL_DISPATCH = 2,
  AQ_PACKET_BARRIER_AND = 3,
  AQ_PACKET_AGENT_DISPATCH = 4,
  AQ_PACKET_BARRIER_OR = 5,
} aq_packet_type;

typedef enum aq_fence_scope {
  AQ_SCOPE_NONE = 0,
  AQ_SCOPE_AGENT = 1,
  AQ_SCOPE_SYSTEM = 2,
} aq_fence_scope;

static inline uint16_t aq_packet_header(aq_packet_type type, int barrier,
                                        aq_fence_scope acquire,
                                        aq_fence_scope release)
{
  return (uint16_t)((type << AQ_HEADER_TYPE_SHIFT) |
                    ((barrier != 0) << AQ_HEADER_BARRIER_SHIFT) |
                    (acquire << AQ_HEADER_ACQUIRE_SHIFT) |
                    (release << AQ_HEADER_RELEASE_SHIFT));
}

static inline unsigned aq_header_type(uint32_t header)
{
  return header & AQ_HEADER_TYPE_MASK;
}

static inline int aq_header_barrier(uint32_t header)
{
  return (int)((header >> AQ_HEADER_BARRIER_SHIFT) & 1);
}

static inline unsigned aq_header_acquire(uint32_t header)
{
  return (header >> AQ_HEADER_ACQUIRE_SHIFT) & AQ_HEADER_SCOPE_MASK;
}

static inline unsigned aq_header_release(uint32_t header)
{
  return (header >> AQ_HEADER_RELEASE_SHIFT) & AQ_HEADER_SCOPE_MASK;
}

/* A kernel dispatch: `setup` holds the number of dimensions, 1..3. */
typedef struct aq_kernel_packet {
  uint16_t header, setup;
  uint16_t workgroup_size[3];
  uint16_t reserved0;
  uint32_t grid_size[3];         /* work-items */
  uint32_t private_segment_size; /* bytes a work-item */
  uint32_t group_segment_size;   /* bytes a workgroup */
  uint64_t kernel_object;        /* address of the kernel descriptor */
  uint64_t kernarg_address;
  uint64_t reserved2;
  aq_signal completion_signal;
} aq_kernel_packet;

/* Barrier-AND and barrier-OR. */
enum { AQ_BARRIER_DEPENDENCIES = 5 };
typedef struct aq_barrier_packet {
  uint16_t header, reserved0;
  uint32_t reserved1;
  aq_signal dependency[AQ_BARRIER_DEPENDENCIES];
  uint64_t reserved2;
  aq_signal completion_signal;
} aq_barrier_packet;

typedef struct aq_agent_packet {
  uint16_t header, type; /* type: application defined */
  uint32_t reserved0;
  uint64_t return_address;
  uint64_t argument[4];
  uint64_t reserved2;
  aq_signal completion_signal;
} aq_agent_packet;

/* AMD's vendor packets: the format is the byte after the header. */
enum { AQ_AMD_FORMAT_PM4_IB = 1, AQ_AMD_FORMAT_BARRIER_VALUE = 2 };
typedef struct aq_barrier_value_packet {
  uint16_t header;
  uint8_t format, reserved0;
  uint32_t reserved1;
  aq_signal signal;
  int64_t value, mask;
  uint32_t condition; /* aq_condition of transport.h, numbered as in HSA */
  uint32_t reserved2;
  uint64_t reserved3, reserved4;
  aq_signal completion_signal;
} aq_barrier_value_packet;

typedef struct aq_pm4_ib_packet {
  uint16_t header;
  uint8_t format, reserved0;
  uint32_t ib_jump[4];
  uint32_t remaining; /* 0xA: dwords of this packet that follow */
  uint32_t reserved1[8];
  aq_signal completion_signal;
} aq_pm4_ib_packet;

/* One slot of a ring. */
typedef union aq_packet {
  __extension__ struct {
    uint16_t header, setup;
  };
  uint32_t header_setup; /* published with one 32-bit release store */
  aq_kernel_packet kernel;
  aq_barrier_packet barrier;
  aq_agent_packet agent;
  aq_barrier_value_packet barrier_value;
  aq_pm4_ib_packet pm4_ib;
  uint64_t qword[8];
} aq_packet;

AQ_STATIC_ASSERT(sizeof(aq_packet) == AQ_PACKET_SIZE, "a packet is 64 bytes");
AQ_STATIC_ASSERT(sizeof(aq_kernel_packet) == 64, "kernel dispatch");
AQ_STATIC_ASSERT(sizeof(aq_barrier_packet) == 64, "barrier");
AQ_STATIC_ASSERT(sizeof(aq_agent_packet) == 64, "agent dispatch");
AQ_STATIC_ASSERT(sizeof(aq_barrier_value_packet) == 64, "barrier-value");
AQ_STATIC_ASSERT(sizeof(aq_pm4_ib_packet) == 64, "PM4 indirect buffer");
AQ_STATIC_ASSERT(offsetof(aq_kernel_packet, grid_size) == 12, "grid at 12");
AQ_STATIC_ASSERT(offsetof(aq_kernel_packet, kernel_object) == 32, "at 32");
AQ_STATIC_ASSERT(offsetof(aq_kernel_packet, completion_signal) == 56, "at 56");
AQ_STATIC_ASSERT(offsetof(aq_barrier_packet, dependency) == 8, "at 8");
AQ_STATIC_ASSERT(offsetof(aq_barrier_packet, completion_signal) == 56, "at 56");
AQ_STATIC_ASSERT(offsetof(aq_agent_packet, completion_signal) == 56, "at 56");
AQ_STATIC_ASSERT(offsetof(aq_barrier_value_packet, condition) == 32, "at 32");
AQ_STATIC_ASSERT(offsetof(aq_barrier_value_packet, completion_signal) == 56,
                 "at 56");
AQ_STATIC_ASSERT(offsetof(aq_pm4_ib_packet, remaining) == 20, "at 20");
AQ_STATIC_ASSERT(offsetof(aq_pm4_ib_packet, completion_signal) == 56, "at 56");

AQ_END_DECLS

#endif
