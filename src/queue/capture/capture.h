/* SPDX-License-Identifier: MIT */
/*
 * Capture: an application's submissions to the queues of a context, in a file
 * that replay sends through any transport (doc/formats/capture.md).
 *
 * Attach it to a context before queues and semaphores are made; name the
 * kernels and the memory that operations refer to; finish when the application
 * is done. Addresses in kernel arguments are found by their value: each aligned
 * quad word that points into known memory is kept as a place in it. What memory
 * itself holds, and constants of recorded programs, are bytes.
 *
 * A failure to capture fails the capture, never the application: the first
 * reason is kept, and aq_capture_finish reports it and writes nothing. Such
 * are: memory, kernels, queues or semaphores that it does not know, host calls
 * without a name, operations that fail.
 *
 * Ownership: the context is borrowed, and outlives the capture. Thread rule: as
 * the context's.
 */
#ifndef AQ_QUEUE_CAPTURE_CAPTURE_H
#define AQ_QUEUE_CAPTURE_CAPTURE_H

#include "common/export.h"
#include "queue/operations.h"

AQ_BEGIN_DECLS

typedef struct aq_capture aq_capture;

/* Attaches a capture to a context, which has one at most. */
AQ_API aq_status aq_capture_create(aq_context *context, aq_capture **out,
                                   aq_diag *diag);

/* Without a file, if it was not finished. NULL is allowed. */
AQ_API void aq_capture_destroy(aq_capture *capture);

/* ---- what operations refer to ---- */

/* The kept part of the bytes that memory has when it is made known. */
typedef enum aq_capture_policy {
  AQ_CAPTURE_REFERENCE, /* nothing: it starts as zeros, and is not checked */
  AQ_CAPTURE_RANGES,    /* some ranges; the rest starts as zeros */
  AQ_CAPTURE_ALL,
  AQ_CAPTURE_FAIL, /* whatever touches it fails the capture */
  AQ_CAPTURE_POLICIES
} aq_capture_policy;

typedef struct aq_capture_range {
  uint64_t offset, size; /* bytes */
} aq_capture_range;

typedef struct aq_capture_memory {
  const char *name; /* for printing; NULL: its number */
  void *address;
  uint64_t size;
  aq_memory_kind kind; /* of the memory that a replay makes in its place */
  uint32_t device;
  aq_capture_policy policy;
  const aq_capture_range *ranges; /* of RANGES */
  uint32_t range_count;
} aq_capture_memory;

/* Memory that alloca made is known already. */
AQ_API void aq_capture_add_memory(aq_capture *capture,
                                  const aq_capture_memory *memory);
AQ_API void aq_capture_drop_memory(aq_capture *capture, const void *address);

/* The host has written to it, between two calls. */
AQ_API void aq_capture_wrote(aq_capture *capture, const void *address,
                             uint64_t size);

/* Under this name a replay finds it: in a captured module, or among the host
 * functions of its process. */
AQ_API void aq_capture_add_kernel(aq_capture *capture, const char *name,
                                  uint64_t object);

/* A code object with kernels in it. */
AQ_API void aq_capture_add_module(aq_capture *capture, const void *image,
                                  size_t size);

/* ---- the end ---- */

/* The first thing that could not be captured; AQ_OK so far. */
AQ_API aq_status aq_capture_check(aq_capture *capture, aq_diag *diag);

/* Waits until all queues are idle, keeps digests of the memory there is, and
 * writes the file, which is there only when all of it is. Afterwards nothing is
 * captured any more. */
AQ_API aq_status aq_capture_finish(aq_capture *capture, const char *path,
                                   aq_diag *diag);

AQ_END_DECLS

#endif
