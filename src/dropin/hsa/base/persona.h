/* SPDX-License-Identifier: MIT */
/* What devices look like to clients, by product or instruction set
 * (personas.def). */
#ifndef AQDROP_PERSONA_H
#define AQDROP_PERSONA_H

#include <stdbool.h>
#include <stdint.h>

typedef struct aqdrop_persona {
  const char *part;        /* product, or gfx */
  uint32_t chip, revision; /* revision: of the chip */
  uint64_t memory_gib;
  uint32_t bus_bits, memory_mhz;
  uint32_t l1_kib, l2_kib, l3_kib;
  uint32_t engines, arrays; /* arrays: of an engine */
  bool images;              /* kernels can read images */
} aqdrop_persona;

/* Never NULL: an unknown part looks like a plain one. */
const aqdrop_persona *aqdrop_persona_find(const char *product, const char *gfx);

#endif
