/* SPDX-License-Identifier: MIT */
/* Images of one-dimensional buffers, which kernels read by buffer
 * instructions. */
#include "config.h"

#include <string.h>

#include "dropin/ext_images.h"
#include "wave/resource.h"

static bool number_of(uint32_t type, aq_wave_number *out)
{
  switch (type) {
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16:
    *out = AQ_WAVE_SNORM;
    return true;
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16:
    *out = AQ_WAVE_UNORM;
    return true;
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32:
    *out = AQ_WAVE_SINT;
    return true;
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32:
    *out = AQ_WAVE_UINT;
    return true;
  case HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT:
  case HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT:
    *out = AQ_WAVE_FLOAT;
    return true;
  default: /* components of different sizes */
    return false;
  }
}

/* A colour of "RGBA" as kernels read it: a component in memory, or 0, or 1 for
 * the opacity that an image does not have. */
static uint8_t select_of(uint32_t order, const char *components, char colour)
{
  const char *at = strchr(components, colour);
  if (order == HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY ||
      (order == HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE && colour != 'A'))
    return AQ_WAVE_SELECT_FIRST;
  if (at)
    return (uint8_t)(AQ_WAVE_SELECT_FIRST + (at - components));
  return colour == 'A' ? AQ_WAVE_SELECT_1 : AQ_WAVE_SELECT_0;
}

void aqdrop_ext_buffer_describe(const char *gfx, const char *components,
                                aq_kernel_image *image)
{
  uint32_t words[AQ_WAVE_RESOURCE_WORDS];
  aq_wave_elements e = {.address = (uint64_t)(uintptr_t)image->data,
                        .count = image->width,
                        .size = image->element_size};
  if (number_of(image->type, &e.number))
    e.layout = (uint8_t)aq_wave_format_layout((unsigned)strlen(components),
                                              image->element_size);
  for (int i = 0; i < AQ_WAVE_COMPONENTS; i++)
    e.select[i] = select_of(image->order, components, "RGBA"[i]);
  aq_wave_resource_make(gfx, &e, words);
  memcpy(image, words, sizeof words);
}
