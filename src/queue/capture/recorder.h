/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the recording half; only they include it. Functions
 * are called with the capture's lock unless a comment says otherwise.
 */
#ifndef AQ_QUEUE_CAPTURE_RECORDER_H
#define AQ_QUEUE_CAPTURE_RECORDER_H

#include <pthread.h>
#include <stdbool.h>

#include "common/map.h"
#include "queue/capture/capture.h"
#include "queue/capture/format.h"
#include "queue/submit_hooks.h"

/* Bytes that grow. */
typedef struct aq_cap_bytes {
  unsigned char *data;
  size_t size, capacity;
} aq_cap_bytes;

typedef struct aq_cap_known {
  void *address;
  uint64_t size;
  aq_memory_kind kind;
  uint32_t device;
  aq_capture_policy policy;
  bool there;
} aq_cap_known;

/* Programs and links that are in the file: where their records are. */
typedef struct aq_cap_kept {
  size_t *at;
  uint32_t count, capacity;
} aq_cap_kept;

struct aq_capture {
  aq_context *context;
  aq_transport *transport;
  aq_submit_hooks hooks;
  pthread_mutex_t lock;
  aq_cap_bytes out; /* the file, from its header on */
  uint64_t records;
  uint32_t devices;
  aq_status status; /* the first failure */
  aq_diag cause;
  aq_map queues, semaphores, kernels; /* by pointer or object: number */
  uint32_t queue_count, semaphore_count, kernel_count;
  aq_semaphore **retained; /* by number */
  uint32_t retained_capacity;
  aq_queue **live; /* by number; NULL: destroyed */
  uint32_t live_capacity;
  aq_cap_known *memory; /* by number */
  uint32_t memory_count, memory_capacity, sorted_capacity;
  uint32_t *sorted; /* the present ones, by address */
  uint32_t sorted_count;
  aq_cap_kept programs, links;
};

/* ---- capture.c ---- */

/* The first failure counts. */
void aq_cap_fail(aq_capture *capture, aq_status status, const char *format, ...)
    AQ_PRINTF(3, 4);

/* Appends bytes; false, and failed, without memory. */
bool aq_cap_put(aq_capture *capture, const void *bytes, uint64_t size);

/* A record; bytes put meanwhile belong to it. Returns where it is. */
size_t aq_cap_open(aq_capture *capture, aq_cap_kind kind);
void aq_cap_close(aq_capture *capture, size_t at);

/* Fails for good: out of memory. */
void aq_cap_no_memory(aq_capture *capture);

/* ---- memory.c ---- */

/* The number of memory that is known from now on. */
uint32_t aq_cap_memory_add(aq_capture *capture, const aq_cap_known *memory);
/* It is at an address from now on. */
void aq_cap_memory_place(aq_capture *capture, uint32_t number, void *address);
void aq_cap_memory_drop(aq_capture *capture, uint32_t number);

/* The known memory at an address; NULL: none. */
const aq_cap_known *aq_cap_memory_at(const aq_capture *capture,
                                     uint64_t address, uint32_t *number);

/* A range of known memory; failed, and NONE, when it is not. */
aq_cap_place aq_cap_place_of(aq_capture *capture, const void *address,
                             uint64_t size, const char *what);

/* ---- operations.c ---- */

uint64_t aq_cap_begin(const aq_submit_event *event, void *user);
void aq_cap_end(uint64_t token, aq_status status, void *address, void *user);

#endif
