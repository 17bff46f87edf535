/* SPDX-License-Identifier: MIT */
/*
 * The contents of an open capture. Opening it (capture_file.h) has checked the
 * whole file: sizes, checksums, numbers that refer to something earlier, places
 * within memory, programs. A walk need not check again.
 *
 * Ownership: an open capture owns its bytes. Thread rule: read-only.
 */
#ifndef AQ_QUEUE_CAPTURE_READER_H
#define AQ_QUEUE_CAPTURE_READER_H

#include "cmdbuf/program_file.h"
#include "common/diag.h"
#include "queue/capture/capture_file.h"
#include "queue/capture/format.h"
#include "queue/operations.h"

typedef struct aq_cap_program {
  aq_program_file *file;
  aq_program program;
  void *bytes; /* aligned for it */
} aq_cap_program;

/* The memory that a number stands for. */
typedef struct aq_cap_memory_info {
  uint64_t size;
  uint32_t kind, device;
  uint32_t record; /* of records: MEMORY or the alloca */
} aq_cap_memory_info;

typedef struct aq_cap_counts {
  uint32_t queues, semaphores, memories, kernels, modules, programs, links,
      operations, digests;
} aq_cap_counts;

struct aq_cap_file {
  char *name;
  unsigned char *bytes;
  uint64_t size;
  uint32_t devices;
  const aq_cap_head **records;
  uint32_t record_count;
  aq_cap_counts counts;
  aq_cap_program *programs;
  aq_cap_memory_info *memories;
  const char **kernels;      /* names */
  const aq_cap_link **links; /* records */
};

/* ---- parts of records ---- */

static inline const void *aq_cap_fixed(const aq_cap_head *head)
{
  return head + 1;
}

static inline const aq_cap_point *
aq_cap_points(const aq_cap_operation *operation)
{
  return (const aq_cap_point *)(const void *)(operation + 1);
}

/* An operation's own fields, behind its points. */
static inline const void *aq_cap_detail(const aq_cap_operation *operation)
{
  return aq_cap_points(operation) + operation->wait_count +
         operation->signal_count;
}

/* "queue", "digest"… */
const char *aq_cap_kind_name(uint32_t kind);

#endif
