/* SPDX-License-Identifier: MIT */
/*
 * The resource (four scalar registers) through which buffer instructions with a
 * format read and write an array of elements in memory: what runtimes put in
 * front of a buffer's image. Pure functions.
 */
#ifndef AQ_WAVE_RESOURCE_H
#define AQ_WAVE_RESOURCE_H

#include <stdint.h>

enum { AQ_WAVE_RESOURCE_WORDS = 4, AQ_WAVE_RESOURCE_COMPONENTS = 4 };

/* How an instruction gets a component, from the resource's selection: 0, 1, or
 * the n-th component in memory from AQ_WAVE_SELECT_FIRST on. */
enum { AQ_WAVE_SELECT_0, AQ_WAVE_SELECT_1, AQ_WAVE_SELECT_FIRST = 4 };

/* How the bits of a component are a number, as gfx9 numbers it. */
typedef enum aq_wave_number {
  AQ_WAVE_UNORM = 0,
  AQ_WAVE_SNORM = 1,
  AQ_WAVE_UINT = 4,
  AQ_WAVE_SINT = 5,
  AQ_WAVE_FLOAT = 7
} aq_wave_number;

typedef struct aq_wave_elements {
  uint64_t address;
  uint32_t count;
  uint16_t size;      /* bytes of an element, at most 16 */
  uint8_t components; /* of an element, all of the same size */
  aq_wave_number number;
  uint8_t select[AQ_WAVE_RESOURCE_COMPONENTS]; /* what x, y, z and w are */
} aq_wave_elements;

/* Writes the resource of a device's instruction set. Where the set has no such
 * format, the resource has format 0, which typed instructions refuse. */
void aq_wave_resource_make(const char *gfx, const aq_wave_elements *elements,
                           uint32_t out[AQ_WAVE_RESOURCE_WORDS]);

#endif
