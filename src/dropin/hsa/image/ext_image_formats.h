/* SPDX-License-Identifier: MIT */
/* Formats of image elements: what there is, and turning colours into them.
 * Pure functions. */
#ifndef AQDROP_EXT_IMAGE_FORMATS_H
#define AQDROP_EXT_IMAGE_FORMATS_H

#include <stdbool.h>

#include "dropin/hsa/base/hsa.h"

enum { AQDROP_ELEMENT_MAX = 16 /* bytes */ };

typedef struct aqdrop_ext_format {
  uint32_t capability;    /* HSA_EXT_IMAGE_CAPABILITY_*, 0: not supported */
  uint32_t size;          /* bytes of an element */
  const char *components; /* in memory, of "RGBA" */
} aqdrop_ext_format;

/* What devices with images make of a format in a geometry. */
aqdrop_ext_format aqdrop_ext_format_find(const hsa_ext_image_format_t *format,
                                         uint32_t geometry);

/* The element of a colour: four floats, or four integers where the type is of
 * integers, in the order RGBA. Linear colours become standard ones where the
 * order demands it. The format is a supported one. */
void aqdrop_ext_format_encode(const hsa_ext_image_format_t *format,
                              const void *colour, void *element);

/* One byte of a colour, from linear to standard or back. */
uint8_t aqdrop_to_standard(uint8_t linear);
uint8_t aqdrop_to_linear(uint8_t standard);

#endif
