/* SPDX-License-Identifier: MIT */
/* What devices look like to clients, by product or instruction set
 * (device_identities.def). */
#ifndef AQDROP_DEVICE_IDENTITY_H
#define AQDROP_DEVICE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct aqdrop_identity {
  const char *part;        /* product, or gfx */
  uint32_t chip, revision; /* revision: of the chip */
  uint64_t memory_gib;
  uint32_t bus_bits, memory_mhz;
  uint32_t l1_kib, l2_kib, l3_kib;
  uint32_t engines, arrays; /* arrays: of an engine */
  bool images;              /* kernels can read images */
} aqdrop_identity;

/* Never NULL: an unknown part looks like a plain one. */
const aqdrop_identity *aqdrop_identity_find(const char *product,
                                            const char *gfx);

#endif
