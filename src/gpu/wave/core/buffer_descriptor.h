/* SPDX-License-Identifier: MIT */
/*
 * The resource (four scalar registers) through which buffer instructions with a
 * format read and write an array of elements in memory: what runtimes put in
 * front of a buffer's image. Pure functions.
 */
#ifndef AQ_GPU_WAVE_CORE_BUFFER_DESCRIPTOR_H
#define AQ_GPU_WAVE_CORE_BUFFER_DESCRIPTOR_H

#include "gpu/wave/core/format.h"

enum { AQ_WAVE_RESOURCE_WORDS = 4 };

typedef struct aq_wave_elements {
  uint64_t address;
  uint32_t count;
  uint16_t size;  /* bytes of an element, at most 16 */
  uint8_t layout; /* of components, as gfx9 numbers it; 0: none */
  aq_wave_number number;
  uint8_t select[AQ_WAVE_COMPONENTS]; /* what x, y, z and w are */
} aq_wave_elements;

/* Writes the resource of a device's instruction set. Where the set has no such
 * format, the resource has format 0, which typed instructions refuse. */
void aq_wave_resource_make(const char *gfx, const aq_wave_elements *elements,
                           uint32_t out[AQ_WAVE_RESOURCE_WORDS]);

#endif
