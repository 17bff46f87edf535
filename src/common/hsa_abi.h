/* SPDX-License-Identifier: MIT */
/*
 * Our own declarations of the HSA memory ABI that clients and hardware share:
 * signals and queues as they lie in memory. Building needs no HSA headers; a
 * test checks these layouts against the <hsa/…> headers where they are
 * installed. Sources: HSA Runtime Programmer's Reference 1.2, amd_hsa_signal.h,
 * amd_hsa_queue.h.
 *
 * Thread and ordering rule: value, indices and doorbells are shared by host
 * threads and the device; access them with atomics (ring.h has the accessors).
 */
#ifndef AQ_COMMON_HSA_ABI_H
#define AQ_COMMON_HSA_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

/* An opaque signal: the address of an aq_amd_signal, or 0 for none. */
typedef struct aq_signal {
  uint64_t handle;
} aq_signal;

enum { AQ_AMD_SIGNAL_USER = 1, AQ_AMD_SIGNAL_DOORBELL = -1 };

typedef struct aq_amd_signal {
  int64_t kind;      /* AQ_AMD_SIGNAL_* */
  int64_t value;     /* atomic; doorbells keep a pointer here */
  uint64_t mailbox;  /* event mailbox address, 0 for none */
  uint32_t event_id; /* value written to the mailbox */
  uint32_t reserved1;
  uint64_t start_ts; /* device ticks, filled when profiling */
  uint64_t end_ts;
  uint64_t queue; /* aq_amd_queue of a doorbell signal */
  uint32_t reserved3[2];
} aq_amd_signal;

AQ_STATIC_ASSERT(sizeof(aq_amd_signal) == 64, "amd_signal_t is 64 bytes");
AQ_STATIC_ASSERT(offsetof(aq_amd_signal, value) == 8, "value at 8");
AQ_STATIC_ASSERT(offsetof(aq_amd_signal, start_ts) == 32, "start_ts at 32");

typedef struct aq_hsa_queue {
  uint32_t type; /* 0 MULTI, 1 SINGLE, 2 COOPERATIVE */
  uint32_t features;
  void *base; /* the ring */
  aq_signal doorbell;
  uint32_t size; /* packets, a power of two */
  uint32_t reserved1;
  uint64_t id;
} aq_hsa_queue;

AQ_STATIC_ASSERT(sizeof(aq_hsa_queue) == 40, "hsa_queue_t is 40 bytes");

typedef struct aq_amd_queue {
  aq_hsa_queue hsa;
  uint32_t reserved1[4];
  uint64_t write_dispatch_id; /* atomic: packets reserved so far */
  uint32_t group_segment_aperture_hi;
  uint32_t private_segment_aperture_hi;
  uint32_t max_cu_id;
  uint32_t max_wave_id;
  uint64_t max_legacy_doorbell;
  uint32_t legacy_doorbell_lock;
  uint32_t reserved2[9];
  uint64_t read_dispatch_id; /* atomic: packets whose slot is free again */
  uint32_t read_dispatch_id_offset; /* of read_dispatch_id in this struct */
  uint32_t compute_tmpring_size;
  uint32_t scratch_resource[4];
  uint64_t scratch_backing;
  uint64_t scratch_size;
  uint32_t scratch_wave64_lane_byte_size;
  uint32_t properties;
  uint32_t reserved3[2];
  aq_signal inactive_signal;
  uint32_t reserved4[14];
} aq_amd_queue;

AQ_STATIC_ASSERT(sizeof(aq_amd_queue) == 256, "amd_queue_t is 256 bytes");
AQ_STATIC_ASSERT(offsetof(aq_amd_queue, write_dispatch_id) == 56, "at 56");
AQ_STATIC_ASSERT(offsetof(aq_amd_queue, max_cu_id) == 72, "at 72");
AQ_STATIC_ASSERT(offsetof(aq_amd_queue, read_dispatch_id) == 128, "at 128");
AQ_STATIC_ASSERT(offsetof(aq_amd_queue, read_dispatch_id_offset) == 136,
                 "at 136");
AQ_STATIC_ASSERT(offsetof(aq_amd_queue, properties) == 180, "at 180");
AQ_STATIC_ASSERT(offsetof(aq_amd_queue, inactive_signal) == 192, "at 192");

AQ_END_DECLS

#endif
