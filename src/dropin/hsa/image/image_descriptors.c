/* SPDX-License-Identifier: MIT */
/* The words behind handles of images and samplers: what instructions of the
 * device access them by, and their formats (common/kernel_image.h). */
#include "config.h"

#include <string.h>

#include "dropin/hsa/base/ext_images.h"
#include "dropin/hsa/image/ext_image_formats.h"
#include "gpu/wave/core/buffer_descriptor.h"
#include "gpu/wave/image/image_descriptor.h"

/* ---- formats ---- */

static aq_wave_number number_of(const aq_kernel_image *image)
{
  if (image->order == HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA)
    return AQ_WAVE_SRGB;
  switch (image->type) {
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16:
    return AQ_WAVE_SNORM;
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32:
    return AQ_WAVE_SINT;
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32:
    return AQ_WAVE_UINT;
  case HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT:
    return AQ_WAVE_FLOAT;
  default:
    return AQ_WAVE_UNORM;
  }
}

/* gfx9's number of the layout of components. */
static unsigned layout_of(const aq_kernel_image *image, const char *components)
{
  switch (image->type) {
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555:
    return AQ_WAVE_LAYOUT_1555;
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565:
    return AQ_WAVE_LAYOUT_565;
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010:
    return AQ_WAVE_LAYOUT_2101010;
  default:
    return aq_wave_format_layout((unsigned)strlen(components),
                                 image->element_size);
  }
}

/* A colour of "RGBA" as kernels read it: a component in memory, or 0, or 1 for
 * the opacity that an image does not have. Packed components begin with blue,
 * in the lowest bits. */
static uint8_t select_of(uint32_t order, const char *components, char colour)
{
  const char *at = strchr(components, colour);
  const size_t place = at ? (size_t)(at - components) : 0;
  switch (order) {
  case HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY:
    return AQ_WAVE_SELECT_FIRST;
  case HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE:
    return colour == 'A' ? AQ_WAVE_SELECT_1 : AQ_WAVE_SELECT_FIRST;
  case HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH:
    return at ? AQ_WAVE_SELECT_FIRST : AQ_WAVE_SELECT_0;
  case HSA_EXT_IMAGE_CHANNEL_ORDER_RGB:
    return at ? (uint8_t)(AQ_WAVE_SELECT_FIRST + 2 - place) : AQ_WAVE_SELECT_1;
  default:
    return at              ? (uint8_t)(AQ_WAVE_SELECT_FIRST + place)
           : colour == 'A' ? AQ_WAVE_SELECT_1
                           : AQ_WAVE_SELECT_0;
  }
}

static void selects_make(const aq_kernel_image *image, const char *components,
                         uint8_t out[AQ_WAVE_COMPONENTS])
{
  for (int i = 0; i < AQ_WAVE_COMPONENTS; i++)
    out[i] = select_of(image->order, components, "RGBA"[i]);
}

/* ---- images ---- */

static aq_wave_image_type type_of(uint16_t geometry)
{
  switch (geometry) {
  case HSA_EXT_IMAGE_GEOMETRY_1D:
    return AQ_WAVE_IMAGE_1D;
  case HSA_EXT_IMAGE_GEOMETRY_1DA:
    return AQ_WAVE_IMAGE_1D_ARRAY;
  case HSA_EXT_IMAGE_GEOMETRY_3D:
    return AQ_WAVE_IMAGE_3D;
  case HSA_EXT_IMAGE_GEOMETRY_2DA:
  case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH:
    return AQ_WAVE_IMAGE_2D_ARRAY;
  default:
    return AQ_WAVE_IMAGE_2D;
  }
}

bool aqdrop_ext_image_descriptor(const char *gfx, const aq_kernel_image *image,
                                 uint32_t words[AQ_KERNEL_IMAGE_WORDS])
{
  const hsa_ext_image_format_t format = {image->type, image->order};
  const char *components =
      aqdrop_ext_format_find(&format, image->geometry).components;
  const uint16_t target = aq_wave_images_target(gfx);
  uint32_t layout = AQ_KERNEL_IMAGE_PLAIN;
  bool fits = true;
  memset(words, 0, AQ_KERNEL_IMAGE_WORDS * sizeof *words);
  if (image->geometry == HSA_EXT_IMAGE_GEOMETRY_1DB) {
    layout = AQ_KERNEL_IMAGE_BUFFER;
    aq_wave_elements e = {.address = (uint64_t)(uintptr_t)image->data,
                          .count = image->width,
                          .size = image->element_size,
                          .layout = (uint8_t)layout_of(image, components),
                          .number = number_of(image)};
    selects_make(image, components, e.select);
    aq_wave_resource_make(gfx, &e, words);
  } else if (target) {
    layout = aq_wave_images_are_gfx10(target) ? AQ_KERNEL_IMAGE_GFX10
                                              : AQ_KERNEL_IMAGE_GFX9;
    aq_wave_image made = {
        .address = (uint64_t)(uintptr_t)image->data,
        .width = image->width,
        .height = image->height,
        .depth = image->slices,
        .pitch = (uint32_t)(image->row_pitch / image->element_size),
        .type = type_of(image->geometry),
        .layout = (uint8_t)layout_of(image, components),
        .number = (uint8_t)number_of(image)};
    selects_make(image, components, made.select);
    fits = aq_wave_image_make(target, &made, words);
  } else {
    const uint64_t address = (uint64_t)(uintptr_t)image->data;
    words[0] = (uint32_t)address;
    words[1] = (uint32_t)(address >> 32);
    words[2] = image->height;
    words[3] = image->slices;
    words[4] = (uint32_t)image->row_pitch;
  }
  words[8] = image->type;
  words[9] = image->order;
  words[10] = image->width;
  words[11] =
      image->geometry | (uint32_t)image->element_size << 8 | layout << 16;
  return fits;
}

/* ---- samplers ---- */

static aq_wave_clamp clamp_of(uint32_t addressing)
{
  switch (addressing) {
  case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE:
    return AQ_WAVE_CLAMP_EDGE;
  case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER:
    return AQ_WAVE_CLAMP_BORDER;
  case HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT:
    return AQ_WAVE_CLAMP_MIRROR;
  default:
    return AQ_WAVE_CLAMP_WRAP;
  }
}

void aqdrop_ext_sampler_descriptor(const aq_kernel_sampler *sampler,
                                   uint32_t words[AQ_KERNEL_SAMPLER_WORDS])
{
  aq_wave_sampler made = {
      .linear = sampler->filter == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
      .unnormalized =
          sampler->coordinates == HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED};
  memset(words, 0, AQ_KERNEL_SAMPLER_WORDS * sizeof *words);
  words[4] = sampler->coordinates | sampler->filter << 8;
  for (int i = 0; i < 3; i++) {
    made.clamp[i] = clamp_of(sampler->addressing[i]);
    words[5] |= sampler->addressing[i] << (8 * i);
  }
  aq_wave_sampler_make(&made, words);
}
