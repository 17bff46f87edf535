/* SPDX-License-Identifier: MIT */
/*
 * The structs that the handles of images and samplers point to, for host
 * functions of kernels (kernel.h): a kernel gets such handles in its
 * kernarg segment. Images lie in memory row by row. Plain data, which the
 * client of the HSA runtime owns; the sizes match the descriptors on
 * hardware, and type, order and width have their place there, so that runtimes
 * that copy descriptors copy these.
 */
#ifndef AQ_COMMON_KERNEL_IMAGE_H
#define AQ_COMMON_KERNEL_IMAGE_H

#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

/* Of a one-dimensional buffer, whose elements code reads by instructions of
 * buffers, the first four words are their resource: `data` has the element size
 * above its 48 bits, `height` is the number of elements and `slices` the
 * format. aq_kernel_image_at() reads both kinds. */
typedef struct aq_kernel_image {
  void *data;
  uint32_t height;       /* rows of a slice, at least 1 */
  uint32_t slices;       /* depth, or layers; at least 1 */
  uint64_t row_pitch;    /* bytes from one row to the next */
  uint64_t slice_pitch;  /* bytes from one slice to the next */
  uint32_t type, order;  /* of channels, as hsa_ext_image.h numbers them */
  uint32_t width;        /* elements of a row */
  uint16_t geometry;     /* as hsa_ext_image.h numbers them */
  uint16_t element_size; /* bytes */
} aq_kernel_image;

AQ_STATIC_ASSERT(sizeof(aq_kernel_image) == 48, "12 words, as on hardware");

typedef struct aq_kernel_sampler {
  uint32_t coordinates, filter, addressing[3]; /* as in hsa_ext_image.h */
  uint32_t reserved[3];
} aq_kernel_sampler;

AQ_STATIC_ASSERT(sizeof(aq_kernel_sampler) == 32, "8 words, as on hardware");

/* The address of an element. Layers of an array are slices. */
static inline void *aq_kernel_image_at(const aq_kernel_image *image, uint64_t x,
                                       uint64_t y, uint64_t z)
{
  const uint64_t address = (uint64_t)(uintptr_t)image->data & 0xffffffffffffu;
  return (char *)(uintptr_t)address + x * image->element_size +
         y * image->row_pitch + z * image->slice_pitch;
}

AQ_END_DECLS

#endif
