/* SPDX-License-Identifier: MIT */
/*
 * The kernels of the device library as a packet calls them: their arguments.
 * Host and device code read this same header, so it needs no library.
 *
 * fill, copy and update are launched with workgroups of AQ_DEVLIB_WORKGROUP
 * work-items, one for each AQ_DEVLIB_BYTES bytes that began; patch, timestamp,
 * atomic and wait with one work-item; spin with any grid.
 */
#ifndef AQ_GPU_DEVLIB_DEVICE_ARGS_H
#define AQ_GPU_DEVLIB_DEVICE_ARGS_H

#include <stdint.h>

#include "common/aql.h"
#include "common/export.h"
#include "common/memory_value.h"
#include "common/spin.h"

AQ_BEGIN_DECLS

enum { AQ_DEVLIB_WORKGROUP = 256, AQ_DEVLIB_BYTES = 16 };

/* Writes a pattern again and again. */
typedef struct aq_fill_args {
  void *target;
  uint64_t bytes;        /* a multiple of pattern_size */
  uint64_t pattern;      /* in the low bytes */
  uint64_t pattern_size; /* bytes: 1, 2, 4 or 8 */
} aq_fill_args;

/* The two ranges do not overlap. */
typedef struct aq_copy_args {
  void *target;
  const void *source;
  uint64_t bytes;
} aq_copy_args;

/* The bytes follow. */
typedef struct aq_update_args {
  void *target;
  uint64_t bytes;
} aq_update_args;

/* Writes three 32-bit counts to the grid of `packet`, then publishes it: its
 * header is stored with release, as a producer would. */
typedef struct aq_patch_args {
  const void *params;
  aq_packet *packet;
  uint32_t header_setup;
  uint32_t zero;
} aq_patch_args;

/* Stores the device's clock (ticks). */
typedef struct aq_timestamp_args {
  uint64_t *target;
} aq_timestamp_args;

/* Changes a value. The value before goes to `result`, if that is not NULL. */
typedef struct aq_atomic_args {
  void *target; /* aligned to the size, as `result` is */
  void *result;
  uint64_t operand;
  uint64_t expected; /* of AQ_ATOMIC_CAS */
  uint32_t op;       /* aq_atomic_op */
  uint32_t size;     /* bytes: 4 or 8 */
} aq_atomic_args;

/* Ends when (the value & mask) fulfils the condition. */
typedef struct aq_wait_args {
  const void *address; /* aligned to the size */
  uint64_t value, mask;
  uint32_t condition; /* aq_condition */
  uint32_t size;      /* bytes: 4 or 8 */
} aq_wait_args;

AQ_STATIC_ASSERT(sizeof(aq_fill_args) == 32, "read by device code");
AQ_STATIC_ASSERT(sizeof(aq_copy_args) == 24, "read by device code");
AQ_STATIC_ASSERT(sizeof(aq_update_args) == 16, "read by device code");
AQ_STATIC_ASSERT(sizeof(aq_patch_args) == 24, "read by device code");
AQ_STATIC_ASSERT(sizeof(aq_timestamp_args) == 8, "read by device code");
AQ_STATIC_ASSERT(sizeof(aq_atomic_args) == 40, "read by device code");
AQ_STATIC_ASSERT(sizeof(aq_wait_args) == 32, "read by device code");

AQ_END_DECLS

#endif
