/* SPDX-License-Identifier: MIT */
/*
 * Images and samplers, for host functions of kernels (kernel.h): a kernel gets
 * their handles in its kernarg segment. A handle is the address of words, which
 * the client of the HSA runtime owns: those by which instructions of the device
 * access the image, then its format. A runtime may copy the words; a texture
 * object of HIP is the address of such copies, the image first.
 *
 * These functions read them for every device. Images lie in memory row by row.
 * Pure functions, for any thread.
 */
#ifndef AQ_COMMON_KERNEL_IMAGE_H
#define AQ_COMMON_KERNEL_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

enum { AQ_KERNEL_IMAGE_WORDS = 12, AQ_KERNEL_SAMPLER_WORDS = 8 };

/* The layout of the words before the format, in bits 16 to 23 of the last one.
 * Below are the geometry and the bytes of an element. */
enum {
  AQ_KERNEL_IMAGE_PLAIN,  /* address (two words), rows, slices, row pitch */
  AQ_KERNEL_IMAGE_GFX9,   /* the resource of gfx9's image instructions */
  AQ_KERNEL_IMAGE_BUFFER, /* the resource of buffer instructions */
  AQ_KERNEL_IMAGE_GFX10,
};

typedef struct aq_kernel_image {
  void *data;
  uint32_t width;        /* elements of a row */
  uint32_t height;       /* rows of a slice, at least 1 */
  uint32_t slices;       /* depth, or layers; at least 1 */
  uint64_t row_pitch;    /* bytes from one row to the next */
  uint64_t slice_pitch;  /* bytes from one slice to the next */
  uint32_t type, order;  /* of channels, as hsa_ext_image.h numbers them */
  uint16_t geometry;     /* as hsa_ext_image.h numbers them */
  uint16_t element_size; /* bytes */
} aq_kernel_image;

typedef struct aq_kernel_sampler {
  uint32_t coordinates, filter, addressing[3]; /* as in hsa_ext_image.h */
} aq_kernel_sampler;

/* The image that a handle, or a copy of its words, stands for. */
static inline aq_kernel_image
aq_kernel_image_of(const uint32_t words[AQ_KERNEL_IMAGE_WORDS])
{
  const uint32_t *w = words;
  uint64_t address = w[0] | (uint64_t)(w[1] & 0xffff) << 32;
  aq_kernel_image image;
  image.type = w[8];
  image.order = w[9];
  image.width = w[10];
  image.geometry = (uint16_t)(w[11] & 0xff);
  image.element_size = (uint16_t)(w[11] >> 8 & 0xff);
  image.height = image.slices = 1;
  image.row_pitch = (uint64_t)image.width * image.element_size;
  if (w[11] >> 16 == AQ_KERNEL_IMAGE_GFX9) {
    address = (w[0] | (uint64_t)(w[1] & 0xff) << 32) << 8;
    image.height = (w[2] >> 14 & 0x3fff) + 1;
    image.slices = (w[4] & 0x1fff) + 1;
    image.row_pitch =
        (uint64_t)((w[4] >> 13 & 0xffff) + 1) * image.element_size;
  } else if (w[11] >> 16 == AQ_KERNEL_IMAGE_GFX10) {
    const uint32_t type = w[3] >> 28;
    const bool alone = type == 8 || type == 9; /* neither slices nor layers */
    address = (w[0] | (uint64_t)(w[1] & 0xff) << 32) << 8;
    image.height = (w[2] >> 14 & 0x3fff) + 1;
    image.slices = alone ? 1 : (w[4] & 0x1fff) + 1;
    image.row_pitch = alone
                          ? (uint64_t)((w[4] & 0x3fff) + 1) * image.element_size
                          : (image.row_pitch + 255) / 256 * 256;
  } else if (w[11] >> 16 == AQ_KERNEL_IMAGE_PLAIN) {
    image.height = w[2];
    image.slices = w[3];
    image.row_pitch = w[4];
  }
  image.data = (void *)(uintptr_t)address;
  image.slice_pitch = image.row_pitch * image.height;
  return image;
}

/* The sampler that a handle, or a copy of its words, stands for. The first four
 * words are the device's. */
static inline aq_kernel_sampler
aq_kernel_sampler_of(const uint32_t words[AQ_KERNEL_SAMPLER_WORDS])
{
  aq_kernel_sampler sampler;
  sampler.coordinates = words[4] & 0xff;
  sampler.filter = words[4] >> 8 & 0xff;
  for (int i = 0; i < 3; i++)
    sampler.addressing[i] = words[5] >> (8 * i) & 0xff;
  return sampler;
}

/* The address of an element. Layers of an array are slices. */
static inline void *aq_kernel_image_at(const aq_kernel_image *image, uint64_t x,
                                       uint64_t y, uint64_t z)
{
  return (char *)image->data + x * image->element_size + y * image->row_pitch +
         z * image->slice_pitch;
}

AQ_END_DECLS

#endif
