/* SPDX-License-Identifier: MIT */
/* Compressed offload bundles (CCOB), versions 1 to 3. Within codeobj only. */
#ifndef AQ_GPU_CODEOBJ_DECOMPRESS_H
#define AQ_GPU_CODEOBJ_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"

bool aq_unpack_is(const void *bytes, size_t size);

/* Bytes that it takes with its head; 0: its head does not say (version 1), or
 * is damaged. */
size_t aq_unpack_extent(const void *bytes, size_t size);

/* The unpacked bytes, the caller's to free; AQ_ERR_INPUT if it is more than
 * `max` or damaged, AQ_ERR_UNSUPPORTED if this build lacks the method. */
aq_status aq_unpack(const void *bytes, size_t size, uint64_t max,
                    unsigned char **out, size_t *out_size, aq_diag *diag);

#endif
