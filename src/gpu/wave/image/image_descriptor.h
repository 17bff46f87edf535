/* SPDX-License-Identifier: MIT */
/*
 * The resource (eight scalar registers) and the sampler (four) of image
 * instructions on gfx9 and gfx10: what runtimes write, and what instructions
 * read. Images have one level of detail, and rows one after the other. Pure
 * functions. Sources: the bit fields of ROCr (resource_ai.h, resource_nv.h) and
 * Mesa's ac_descriptors.c. Targets are isa.h's.
 */
#ifndef AQ_GPU_WAVE_IMAGE_IMAGE_DESCRIPTOR_H
#define AQ_GPU_WAVE_IMAGE_IMAGE_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/wave/core/format.h"

enum { AQ_WAVE_IMAGE_WORDS = 8, AQ_WAVE_SAMPLER_WORDS = 4 };

typedef enum aq_wave_image_type {
  AQ_WAVE_IMAGE_1D = 8,
  AQ_WAVE_IMAGE_2D = 9,
  AQ_WAVE_IMAGE_3D = 10,
  AQ_WAVE_IMAGE_1D_ARRAY = 12,
  AQ_WAVE_IMAGE_2D_ARRAY = 13,
} aq_wave_image_type;

typedef struct aq_wave_image {
  uint64_t address;              /* a multiple of 256 */
  uint32_t width, height, depth; /* elements; depth: slices or layers */
  uint32_t pitch;                /* elements from a row to the next */
  aq_wave_image_type type;
  uint8_t layout, number;             /* as gfx9 numbers them: format.h */
  uint8_t select[AQ_WAVE_COMPONENTS]; /* what x, y, z and w are */
} aq_wave_image;

/* What coordinates outside of an image are. */
typedef enum aq_wave_clamp {
  AQ_WAVE_CLAMP_WRAP,
  AQ_WAVE_CLAMP_MIRROR,
  AQ_WAVE_CLAMP_EDGE,
  AQ_WAVE_CLAMP_BORDER = 6,
} aq_wave_clamp;

typedef enum aq_wave_border {
  AQ_WAVE_BORDER_CLEAR, /* all 0 */
  AQ_WAVE_BORDER_BLACK, /* w is 1 */
  AQ_WAVE_BORDER_WHITE, /* all 1 */
} aq_wave_border;

typedef struct aq_wave_sampler {
  aq_wave_clamp clamp[3]; /* of x, y, z */
  aq_wave_border border;
  bool linear;       /* else the nearest element */
  bool unnormalized; /* coordinates count elements */
  bool truncates;    /* coordinates to 1/256 of an element, else it rounds */
} aq_wave_sampler;

/* The target of a device whose instruction set has these, else 0. */
uint16_t aq_wave_images_target(const char *gfx);
bool aq_wave_images_are_gfx10(uint16_t target);

/* False: the words of the target have no place for the pitch. */
bool aq_wave_image_make(uint16_t target, const aq_wave_image *image,
                        uint32_t out[AQ_WAVE_IMAGE_WORDS]);
void aq_wave_sampler_make(const aq_wave_sampler *sampler,
                          uint32_t out[AQ_WAVE_SAMPLER_WORDS]);

/* NULL, or which part of the words is not simulated. */
const char *aq_wave_image_read(uint16_t target,
                               const uint32_t words[AQ_WAVE_IMAGE_WORDS],
                               aq_wave_image *out);
const char *aq_wave_sampler_read(const uint32_t words[AQ_WAVE_SAMPLER_WORDS],
                                 aq_wave_sampler *out);

/* Dimensions beside the layers of an array. */
static inline unsigned aq_wave_image_dimensions(aq_wave_image_type type)
{
  return type >= AQ_WAVE_IMAGE_1D_ARRAY ? type - AQ_WAVE_IMAGE_1D_ARRAY + 1
                                        : type - AQ_WAVE_IMAGE_1D + 1;
}

static inline bool aq_wave_image_is_array(aq_wave_image_type type)
{
  return type >= AQ_WAVE_IMAGE_1D_ARRAY;
}

#endif
