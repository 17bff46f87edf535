/* SPDX-License-Identifier: MIT */
/* FNV-1a of 64 bits: a digest of bytes against accidents, not against intent.
 */
#ifndef AQ_COMMON_FNV_H
#define AQ_COMMON_FNV_H

#include <stddef.h>
#include <stdint.h>

#define AQ_FNV_START UINT64_C(0xcbf29ce484222325)

/* Continues a digest that began at AQ_FNV_START. */
static inline uint64_t aq_fnv_add(uint64_t digest, const void *bytes,
                                  size_t size)
{
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++)
    digest = (digest ^ at[i]) * UINT64_C(0x100000001b3);
  return digest;
}

#endif
