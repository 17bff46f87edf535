/* SPDX-License-Identifier: MIT */
/*
 * Compressed offload bundles (CCOB), versions 1 to 3, and the methods that they
 * share with sections of ELF. Within codeobj only.
 */
#ifndef AQ_GPU_CODEOBJ_DECOMPRESS_H
#define AQ_GPU_CODEOBJ_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"

typedef enum aq_compression {
  AQ_COMPRESSION_ZLIB,
  AQ_COMPRESSION_ZSTD
} aq_compression;

/* Fills `to` with the `expected` bytes of `size` compressed ones; `what` begins
 * a message. AQ_ERR_INPUT: they are damaged, or not as many;
 * AQ_ERR_UNSUPPORTED: this build or machine lacks the method. */
aq_status aq_inflate(aq_compression method, const char *what, const void *from,
                     size_t size, void *to, size_t expected, aq_diag *diag);

bool aq_unpack_is(const void *bytes, size_t size);

/* Bytes that it takes with its head; 0: its head does not say (version 1), or
 * is damaged. */
size_t aq_unpack_extent(const void *bytes, size_t size);

/* The unpacked bytes, the caller's to free; AQ_ERR_INPUT if it is more than
 * `max` or damaged, AQ_ERR_UNSUPPORTED if this build lacks the method. */
aq_status aq_unpack(const void *bytes, size_t size, uint64_t max,
                    unsigned char **out, size_t *out_size, aq_diag *diag);

#endif
