/* SPDX-License-Identifier: MIT */
/*
 * Dispatch files (doc/formats/dispatch.md): one dispatch of a kernel with all
 * memory that its device may access, at its addresses. `exec
 * --extract-dispatch` writes them, `launch` repeats them.
 *
 * The bytes of a file may be anything: they are checked. One thread at a time.
 */
#ifndef AQ_COMMON_DISPATCH_FILE_H
#define AQ_COMMON_DISPATCH_FILE_H

#include "allocations.h"
#include "aql.h"
#include "diag.h"

/* Pages that are mapped next to each other. */
typedef struct aq_dispatch_run {
  uint64_t base, size; /* of the host, whole pages */
} aq_dispatch_run;

/* Bytes that are not all 0. */
typedef struct aq_dispatch_bytes {
  uint64_t address, size;
  const unsigned char *bytes; /* within the file */
} aq_dispatch_bytes;

typedef struct aq_dispatch_file {
  aq_kernel_packet packet;
  char gfx[24];
  const char *kernel;         /* its name */
  aq_allocation *allocations; /* as the map had them */
  aq_dispatch_run *runs;      /* by address, apart from each other */
  aq_dispatch_bytes *bytes;   /* by address, each within a run */
  uint32_t allocation_count, run_count, bytes_count;
  const unsigned char *file;
  size_t size;
} aq_dispatch_file;

/* Writes the dispatch and the memory of `map` that its device (an ordinal) may
 * access. A file of that name stays as it is: AQ_ERR_EXISTS.
 * AQ_ERR_UNSUPPORTED: the map is open, so all memory of the process would
 * belong to it. */
aq_status aq_dispatch_file_write(const char *path,
                                 const aq_kernel_packet *packet,
                                 const char *gfx, const char *kernel,
                                 uint32_t device, aq_allocations *map,
                                 aq_diag *diag);

/* Whether a file begins as one. */
bool aq_dispatch_file_is(const char *path);

/* AQ_ERR_INPUT names the file and the damaged part. */
aq_status aq_dispatch_file_open(const char *path, aq_dispatch_file *out,
                                aq_diag *diag);

/* The same of bytes, which the caller keeps. */
aq_status aq_dispatch_file_read(const void *bytes, size_t size,
                                aq_dispatch_file *out, aq_diag *diag);
void aq_dispatch_file_close(aq_dispatch_file *file);

#endif
