/* SPDX-License-Identifier: MIT */
/* Images: what devices can do, how large they are, making them. */
#include "config.h"

#include "dropin/hsa/base/ext_images.h"

#include <string.h>

#include "dropin/hsa/base/memory.h"
#include "dropin/hsa/image/ext_image_formats.h"
#include "gpu/wave/image/image_descriptor.h"

enum {
  PITCH_ALIGN = 256, /* bytes, of rows and of the image */
  WIDTH_MAX = 16384,
  DEPTH_MAX = 8192, /* and layers */
  READ_HANDLES_MAX = 128,
  WRITE_HANDLES_MAX = 64,
  SAMPLERS_MAX = 16,
  VENDOR = 0x1002,
  SWIZZLE_WORD = 3, /* of a device's descriptor: how elements are arranged */
  SWIZZLE_SHIFT = 20,
  SWIZZLE_MASK = 0x1f, /* 0: linear */
};

/* ---- what devices can do ---- */

bool aqdrop_agent_has_images(const aqdrop_agent *agent)
{
  return agent->info && agent->persona->images;
}

/* The largest image of a geometry: width, height, depth, layers. */
static void dimensions_max(uint32_t geometry, uint32_t out[4])
{
  const bool rows = geometry == HSA_EXT_IMAGE_GEOMETRY_2D ||
                    geometry == HSA_EXT_IMAGE_GEOMETRY_3D ||
                    geometry == HSA_EXT_IMAGE_GEOMETRY_2DA ||
                    geometry == HSA_EXT_IMAGE_GEOMETRY_2DDEPTH ||
                    geometry == HSA_EXT_IMAGE_GEOMETRY_2DADEPTH;
  const bool layers = geometry == HSA_EXT_IMAGE_GEOMETRY_1DA ||
                      geometry == HSA_EXT_IMAGE_GEOMETRY_2DA ||
                      geometry == HSA_EXT_IMAGE_GEOMETRY_2DADEPTH;
  out[0] = geometry == HSA_EXT_IMAGE_GEOMETRY_1DB ? UINT32_MAX : WIDTH_MAX;
  out[1] = rows ? WIDTH_MAX : 1;
  out[2] = geometry == HSA_EXT_IMAGE_GEOMETRY_3D ? DEPTH_MAX : 1;
  out[3] = layers ? DEPTH_MAX : 1;
}

/* The first of the largest dimensions of a geometry. */
static hsa_status_t put_dimensions(const aqdrop_agent *agent, uint32_t geometry,
                                   size_t count, void *value)
{
  uint32_t most[4] = {0};
  if (aqdrop_agent_has_images(agent))
    dimensions_max(geometry, most);
  memcpy(value, most, count * sizeof *most);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t aqdrop_ext_images_info(const aqdrop_agent *agent,
                                    uint32_t attribute, void *value)
{
  static const struct {
    uint8_t geometry, count;
  } sizes[] = {
      {HSA_EXT_IMAGE_GEOMETRY_1D, 1},       {HSA_EXT_IMAGE_GEOMETRY_1DA, 1},
      {HSA_EXT_IMAGE_GEOMETRY_1DB, 1},      {HSA_EXT_IMAGE_GEOMETRY_2D, 2},
      {HSA_EXT_IMAGE_GEOMETRY_2DA, 2},      {HSA_EXT_IMAGE_GEOMETRY_2DDEPTH, 2},
      {HSA_EXT_IMAGE_GEOMETRY_2DADEPTH, 2}, {HSA_EXT_IMAGE_GEOMETRY_3D, 3}};
  const uint32_t index = attribute - HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS;
  const bool has = aqdrop_agent_has_images(agent);
  if (index < sizeof sizes / sizeof *sizes)
    return put_dimensions(agent, sizes[index].geometry, sizes[index].count,
                          value);
  switch (attribute) {
  case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS:
    return aqdrop_put32(value, has ? DEPTH_MAX : 0);
  case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES:
    return aqdrop_put32(value, has ? READ_HANDLES_MAX : 0);
  case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES:
    return aqdrop_put32(value, has ? WRITE_HANDLES_MAX : 0);
  case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS:
    return aqdrop_put32(value, has ? SAMPLERS_MAX : 0);
  case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT:
    return aqdrop_put32(value, has ? PITCH_ALIGN : 0);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t agent,
                                            uint32_t attribute, void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!value || attribute > HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return aqdrop_ext_images_info(a, attribute, value);
}

hsa_status_t
hsa_ext_image_get_capability(hsa_agent_t agent, uint32_t geometry,
                             const hsa_ext_image_format_t *image_format,
                             uint32_t *capability_mask)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!image_format || !capability_mask ||
      geometry > HSA_EXT_IMAGE_GEOMETRY_2DADEPTH)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *capability_mask =
      aqdrop_agent_has_images(a)
          ? aqdrop_ext_format_find(image_format, geometry).capability
          : 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_get_capability_with_layout(
    hsa_agent_t agent, uint32_t geometry,
    const hsa_ext_image_format_t *image_format, uint32_t image_data_layout,
    uint32_t *capability_mask)
{
  AQDROP_ENTER(runtime);
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (image_data_layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return hsa_ext_image_get_capability(agent, geometry, image_format,
                                      capability_mask);
}

/* ---- how large they are ---- */

static uint32_t at_least_one(size_t value)
{
  return value ? (uint32_t)value : 1;
}

static uint64_t aligned(uint64_t size)
{
  return (size + PITCH_ALIGN - 1) & ~(uint64_t)(PITCH_ALIGN - 1);
}

/* The pitches that the client asks for; 0: from its width and height. The
 * layout of a buffer is its width. */
static hsa_status_t pitches_take(aq_kernel_image *image, size_t row,
                                 size_t slice)
{
  const uint64_t least = (uint64_t)image->width * image->element_size;
  image->row_pitch = row ? row : least;
  image->slice_pitch = slice ? slice : image->row_pitch * image->height;
  if (image->geometry == HSA_EXT_IMAGE_GEOMETRY_1DB) {
    image->row_pitch = image->slice_pitch = least;
    return HSA_STATUS_SUCCESS;
  }
  return image->row_pitch < least || image->row_pitch % PITCH_ALIGN != 0 ||
                 image->slice_pitch != image->row_pitch * image->height
             ? HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED
             : HSA_STATUS_SUCCESS;
}

/* Describes an image without its memory. `pitches`: row and slice of the linear
 * layout, or NULL where the layout is ours to choose. */
static hsa_status_t image_describe(const aqdrop_agent *agent,
                                   const hsa_ext_image_descriptor_t *from,
                                   const size_t pitches[2],
                                   aq_kernel_image *out)
{
  uint32_t most[4];
  const aqdrop_ext_format format =
      aqdrop_ext_format_find(&from->format, from->geometry);
  if (!aqdrop_agent_has_images(agent) || format.capability == 0)
    return HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
  dimensions_max(from->geometry, most);
  if (from->width == 0 || from->width > most[0] || from->height > most[1] ||
      from->depth > most[2] || from->array_size > most[3])
    return HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED;
  *out = (aq_kernel_image){.height = at_least_one(from->height),
                           .slices = at_least_one(from->depth) *
                                     at_least_one(from->array_size),
                           .type = from->format.channel_type,
                           .order = from->format.channel_order,
                           .width = (uint32_t)from->width,
                           .geometry = (uint16_t)from->geometry,
                           .element_size = (uint16_t)format.size};
  if (pitches)
    return pitches_take(out, pitches[0], pitches[1]);
  out->row_pitch = aligned((uint64_t)out->width * out->element_size);
  out->slice_pitch = out->row_pitch * out->height;
  return HSA_STATUS_SUCCESS;
}

static bool is_permission(uint32_t permission)
{
  return permission >= HSA_ACCESS_PERMISSION_RO &&
         permission <= HSA_ACCESS_PERMISSION_RW;
}

static hsa_status_t data_info(aqdrop *runtime, hsa_agent_t agent,
                              const hsa_ext_image_descriptor_t *descriptor,
                              uint32_t permission, const size_t pitches[2],
                              hsa_ext_image_data_info_t *out)
{
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  aq_kernel_image image;
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!descriptor || !out || !is_permission(permission))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = image_describe(a, descriptor, pitches, &image);
  *out = (hsa_ext_image_data_info_t){0, 0};
  if (status == HSA_STATUS_SUCCESS)
    *out = (hsa_ext_image_data_info_t){
        aligned(image.slice_pitch * image.slices), PITCH_ALIGN};
  return status;
}

hsa_status_t hsa_ext_image_data_get_info(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor,
    uint32_t access_permission, hsa_ext_image_data_info_t *image_data_info)
{
  AQDROP_ENTER(runtime);
  return data_info(runtime, agent, image_descriptor, access_permission, NULL,
                   image_data_info);
}

hsa_status_t hsa_ext_image_data_get_info_with_layout(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor,
    uint32_t access_permission, uint32_t image_data_layout,
    size_t image_data_row_pitch, size_t image_data_slice_pitch,
    hsa_ext_image_data_info_t *image_data_info)
{
  AQDROP_ENTER(runtime);
  const size_t pitches[] = {image_data_row_pitch, image_data_slice_pitch};
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (image_data_layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return data_info(runtime, agent, image_descriptor, access_permission, pitches,
                   image_data_info);
}

/* ---- life ---- */

static hsa_status_t image_make(aqdrop *runtime, hsa_agent_t agent,
                               const hsa_ext_image_descriptor_t *descriptor,
                               const void *data, uint32_t permission,
                               const size_t pitches[2], hsa_ext_image_t *out)
{
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  aqdrop_ext made = {.kind = AQDROP_EXT_IMAGE, .agent = a};
  aq_kernel_image image;
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!descriptor || !data || !out || !is_permission(permission))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = image_describe(a, descriptor, pitches, &image);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if ((uintptr_t)data % PITCH_ALIGN != 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  /* Where code executes, it names the address as the client does; host
   * functions for the others take what lies there. */
  image.data = aq_wave_images_target(a->info->gfx)
                   ? aqdrop_memory_seen(runtime, data, 1)
                   : aqdrop_memory_reach(runtime, data, 1);
  if (!aqdrop_ext_image_descriptor(a->info->gfx, &image, made.words.image))
    return HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED;
  return aqdrop_ext_keep(runtime, &made, &out->handle);
}

hsa_status_t hsa_ext_image_create(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor,
    const void *image_data, uint32_t access_permission, hsa_ext_image_t *image)
{
  AQDROP_ENTER(runtime);
  return image_make(runtime, agent, image_descriptor, image_data,
                    access_permission, NULL, image);
}

hsa_status_t hsa_ext_image_create_with_layout(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor,
    const void *image_data, uint32_t access_permission,
    uint32_t image_data_layout, size_t image_data_row_pitch,
    size_t image_data_slice_pitch, hsa_ext_image_t *image)
{
  AQDROP_ENTER(runtime);
  const size_t pitches[] = {image_data_row_pitch, image_data_slice_pitch};
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (image_data_layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return image_make(runtime, agent, image_descriptor, image_data,
                    access_permission, pitches, image);
}

/* The words follow the layout of a descriptor on hardware. */
hsa_status_t hsa_amd_image_create(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor,
    const hsa_amd_image_descriptor_t *image_layout, const void *image_data,
    uint32_t access_permission, hsa_ext_image_t *image)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!image_descriptor || !image_layout || !image_data || !image)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if ((uintptr_t)image_data % PITCH_ALIGN != 0)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const uint32_t *words = image_layout->data;
  if (!aqdrop_agent_has_images(a) || image_layout->version != 1 ||
      image_layout->deviceID != (VENDOR << 16 | a->persona->chip) ||
      (words[SWIZZLE_WORD] >> SWIZZLE_SHIFT & SWIZZLE_MASK) != 0)
    return HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
  return image_make(runtime, agent, image_descriptor, image_data,
                    access_permission, NULL, image);
}

/* ---- descriptors with levels of detail ---- */

/* An image of one level is described as ever; false: it has more. */
static bool level_one(aqdrop *runtime,
                      const hsa_ext_image_descriptor_v2_t *from,
                      hsa_ext_image_descriptor_t *to)
{
  __atomic_store_n(&runtime->knows_levels, true, __ATOMIC_RELAXED);
  if (from)
    *to = (hsa_ext_image_descriptor_t){from->geometry,   from->width,
                                       from->height,     from->depth,
                                       from->array_size, from->format};
  return !from || from->mipmap_levels <= 1;
}

hsa_status_t hsa_ext_image_data_get_info_v2(
    hsa_agent_t agent, const hsa_ext_image_descriptor_v2_t *image_descriptor,
    uint32_t access_permission, hsa_ext_image_data_info_t *image_data_info)
{
  AQDROP_ENTER(runtime);
  hsa_ext_image_descriptor_t one;
  if (!level_one(runtime, image_descriptor, &one))
    return HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED;
  return data_info(runtime, agent, image_descriptor ? &one : NULL,
                   access_permission, NULL, image_data_info);
}

hsa_status_t hsa_ext_image_create_v2(
    hsa_agent_t agent, const hsa_ext_image_descriptor_v2_t *image_descriptor,
    const void *image_data, uint32_t access_permission, hsa_ext_image_t *image)
{
  AQDROP_ENTER(runtime);
  hsa_ext_image_descriptor_t one;
  if (!level_one(runtime, image_descriptor, &one))
    return HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED;
  return image_make(runtime, agent, image_descriptor ? &one : NULL, image_data,
                    access_permission, NULL, image);
}

hsa_status_t hsa_amd_image_create_v2(
    hsa_agent_t agent, const hsa_ext_image_descriptor_v2_t *image_descriptor,
    const hsa_amd_image_descriptor_t *image_layout, const void *image_data,
    uint32_t access_permission, hsa_ext_image_t *image)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  hsa_ext_image_descriptor_t one;
  aqdrop *runtime = aqdrop_runtime();
  if (runtime && !level_one(runtime, image_descriptor, &one))
    return HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED;
  return hsa_amd_image_create(agent, image_descriptor ? &one : NULL,
                              image_layout, image_data, access_permission,
                              image);
}

hsa_status_t hsa_ext_image_destroy_v2(hsa_agent_t agent, hsa_ext_image_t image)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  return hsa_ext_image_destroy(agent, image);
}

hsa_status_t hsa_ext_image_destroy(hsa_agent_t agent, hsa_ext_image_t image)
{
  AQDROP_ENTER(runtime);
  return aqdrop_ext_destroy(runtime, agent, AQDROP_EXT_IMAGE, image.handle);
}

const aqdrop_any_function *aqdrop_image_functions;
