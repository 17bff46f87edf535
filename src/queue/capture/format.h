/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a capture: doc/formats/capture.md. Little endian; a file of the
 * other order is refused. Everything is aligned to 8 bytes.
 */
#ifndef AQ_QUEUE_CAPTURE_FORMAT_H
#define AQ_QUEUE_CAPTURE_FORMAT_H

#include <stdint.h>

enum {
  AQ_CAP_MAGIC = 0x50435141, /* "AQCP" */
  AQ_CAP_VERSION = 1,
  AQ_CAP_ORDER = 0x01020304,
  AQ_CAP_CHUNK = 65536, /* bytes of memory for each digest */
};

#define AQ_CAP_NONE UINT32_MAX /* no memory */

typedef struct aq_cap_header {
  uint32_t magic;
  uint16_t version, header_size;
  uint32_t order;
  uint32_t devices;   /* that queues name: 0 up to it */
  uint64_t file_size; /* bytes */
  uint64_t records;
  uint32_t reserved[7];
  uint32_t checksum; /* CRC-32 of the bytes before */
} aq_cap_header;

/* Before each record; the next one starts at the next multiple of 8. */
typedef struct aq_cap_head {
  uint32_t kind;     /* aq_cap_kind */
  uint32_t checksum; /* CRC-32 of its bytes */
  uint64_t size;     /* bytes, without this head */
} aq_cap_head;

_Static_assert(sizeof(aq_cap_header) == 64, "a file header is 64 bytes");
_Static_assert(sizeof(aq_cap_head) == 16, "a head is 16 bytes");

/* ---- parts ---- */

/* Things are numbered by kind, in the order of their records. */
typedef struct aq_cap_point {
  uint32_t semaphore, reserved;
  uint64_t value;
} aq_cap_point;

typedef struct aq_cap_place {
  uint32_t memory, reserved;
  uint64_t offset, size;
} aq_cap_place;

/* ---- records: the fixed part; the comment beside it has the rest ---- */

typedef struct aq_cap_void {
  char bytes[1]; /* of a kernel's name, a code object, a program file */
} aq_cap_void;

typedef struct aq_cap_queue {
  uint32_t device, size;
  uint64_t kernarg_size;
  uint32_t notifications, parked;
} aq_cap_queue;

/* Behind a queue that has them: the words of its CU mask follow. */
typedef struct aq_cap_queue_properties {
  int32_t priority;
  uint32_t words; /* and AQ_CAP_COOPERATIVE_QUEUE, if it is one */
} aq_cap_queue_properties;

#define AQ_CAP_COOPERATIVE_QUEUE (UINT32_C(1) << 31)

typedef struct aq_cap_queue_end {
  uint32_t queue, reserved;
} aq_cap_queue_end;

typedef struct aq_cap_semaphore {
  uint64_t value;
  uint32_t flags, reserved;
} aq_cap_semaphore;

/* Its name, then for each range an aq_cap_place (of itself) and its bytes. */
typedef struct aq_cap_memory {
  uint64_t size;
  uint32_t kind, device, policy, name_size, range_count, reserved;
} aq_cap_memory;

/* A place for each static buffer. */
typedef struct aq_cap_link {
  uint32_t program, device, static_count, reserved;
} aq_cap_link;

/* wait_count + signal_count points, then the operation's own fields. */
typedef struct aq_cap_operation {
  uint32_t operation, queue, wait_count, signal_count, flags, reserved;
} aq_cap_operation;

/* The points. */
typedef struct aq_cap_wait {
  uint32_t count, reserved;
} aq_cap_wait;

/* A CRC-32 for each AQ_CAP_CHUNK bytes that began. */
typedef struct aq_cap_digest {
  uint32_t memory, count;
} aq_cap_digest;

/* ---- what operations say ---- */

/* The kernel arguments, then the relocations: the quad word at `offset` is the
 * address of a place. */
typedef struct aq_cap_dispatch {
  uint32_t kernel, relocation_count;
  uint32_t grid[3];
  uint16_t workgroup[3], reserved;
  uint32_t group_size, private_size, kernarg_size;
} aq_cap_dispatch;

typedef struct aq_cap_relocation {
  uint32_t offset, memory;
  uint64_t at;
} aq_cap_relocation;

/* The places by slot. */
typedef struct aq_cap_execute {
  uint32_t link, count;
} aq_cap_execute;

/* It is memory from here on. */
typedef struct aq_cap_alloca {
  uint64_t size;
  uint32_t kind, memory; /* its number, as if it had a record of its own */
  uint32_t failed, reserved;
} aq_cap_alloca;

typedef struct aq_cap_fill {
  aq_cap_place target;
  uint64_t pattern;
  uint32_t pattern_size, way;
} aq_cap_fill;

typedef struct aq_cap_copy {
  aq_cap_place target, source;
  uint32_t path, way;
} aq_cap_copy;

/* The bytes: of an update. */
typedef struct aq_cap_update {
  aq_cap_place target;
  uint32_t way, reserved;
} aq_cap_update;

/* The place of the result, AQ_CAP_NONE: there is none. */
typedef struct aq_cap_atomic {
  aq_cap_place target, result;
  uint64_t operand, expected;
  uint32_t op, way;
} aq_cap_atomic;

typedef struct aq_cap_wait_value {
  aq_cap_place value;
  uint64_t against, mask;
  uint32_t condition, way;
} aq_cap_wait_value;

/* read: the bytes of the file. write, dealloca: nothing. */
typedef struct aq_cap_range {
  aq_cap_place memory;
} aq_cap_range;

/* The name. */
typedef struct aq_cap_host_call {
  aq_cap_place target; /* memory may be AQ_CAP_NONE */
  uint32_t name_size, reserved;
} aq_cap_host_call;

typedef enum aq_cap_kind {
  AQ_CAP_KIND_NONE,
#define R(NAME, name, fixed) AQ_CAP_##NAME,
#include "queue/capture/records.def"
#undef R
  AQ_CAP_KINDS
} aq_cap_kind;

static inline uint64_t aq_cap_round(uint64_t size)
{
  return (size + 7) & ~UINT64_C(7);
}

#endif
