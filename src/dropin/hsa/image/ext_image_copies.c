/* SPDX-License-Identifier: MIT */
/* Moving elements into, out of and between images; all of it at once. */
#include "config.h"

#include <string.h>

#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/ext_images.h"
#include "dropin/hsa/base/memory.h"
#include "dropin/hsa/base/protected.h"
#include "dropin/hsa/image/ext_image_formats.h"

/* A box of elements of an image, and where the client has the image. */
typedef struct box {
  aq_kernel_image image;
  char *client;
  uint64_t at[3], size[3];
} box;

/* False for a box that is not inside. Dimensions that the image does not have
 * may be 0 in the size; the layers of a 1D array may come second or third. */
static bool box_make(const aqdrop *runtime, const aqdrop_ext *from,
                     const hsa_dim3_t *offset, const hsa_dim3_t *range,
                     box *out)
{
  aq_kernel_image made = aq_kernel_image_of(from->words.image);
  const aq_kernel_image *image = &made;
  const bool buffer = image->geometry == HSA_EXT_IMAGE_GEOMETRY_1DB;
  const uint64_t most[] = {image->width, buffer ? 1 : image->height,
                           buffer ? 1 : image->slices};
  hsa_dim3_t at = *offset, size = *range;
  if (image->geometry == HSA_EXT_IMAGE_GEOMETRY_1DA &&
      (at.y > 0 || size.y > 1) && at.z == 0 && size.z <= 1) {
    at = (hsa_dim3_t){at.x, 0, at.y};
    size = (hsa_dim3_t){size.x, 1, size.y};
  }
  char *const client = made.data;
  made.data = aqdrop_reach(runtime, client);
  *out = (box){made, client, {at.x, at.y, at.z}, {size.x, size.y, size.z}};
  for (int i = 1; i < 3; i++)
    if (most[i] == 1 && out->size[i] == 0)
      out->size[i] = 1;
  for (int i = 0; i < 3; i++)
    if (out->at[i] > most[i] || out->size[i] > most[i] - out->at[i])
      return false;
  return true;
}

static char *box_row(const box *b, uint64_t y, uint64_t z)
{
  return aq_kernel_image_at(&b->image, b->at[0], b->at[1] + y, b->at[2] + z);
}

static size_t box_row_bytes(const box *b)
{
  return b->size[0] * b->image.element_size;
}

/* The checker sees a call read or write a box. */
static void box_check(aqdrop *runtime, const box *b, bool write)
{
  const ptrdiff_t apart = b->client - (char *)b->image.data;
  for (uint64_t z = 0; runtime->check && z < b->size[2]; z++)
    for (uint64_t y = 0; y < b->size[1]; y++)
      aqdrop_check_host(runtime, box_row(b, y, z) + apart, box_row_bytes(b),
                        write);
}

/* The image and the box that a call names. */
static hsa_status_t box_find(aqdrop *runtime, hsa_agent_t agent,
                             hsa_ext_image_t handle, const hsa_dim3_t *offset,
                             const hsa_dim3_t *range, const aqdrop_ext **image,
                             box *out)
{
  *image = aqdrop_ext_from(runtime, AQDROP_EXT_IMAGE, handle.handle);
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  return *image && offset && range &&
                 box_make(runtime, *image, offset, range, out)
             ? HSA_STATUS_SUCCESS
             : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- memory ---- */

/* Memory beside a box. Pitches that are too small become the box's own. */
typedef struct buffer {
  void *memory;
  size_t row, slice; /* bytes */
} buffer;

static char *buffer_row(const buffer *with, const box *b, uint64_t y,
                        uint64_t z)
{
  const size_t bytes = box_row_bytes(b);
  const size_t row = with->row < bytes ? bytes : with->row;
  const size_t least = row * b->size[1];
  const size_t slice = with->slice < least ? least : with->slice;
  return (char *)with->memory + y * row + z * slice;
}

/* Copies a region of an image to memory, or from there. */
static hsa_status_t region_copy(hsa_agent_t agent, hsa_ext_image_t image,
                                const hsa_ext_image_region_t *region,
                                const buffer *with, bool into)
{
  AQDROP_ENTER_UNRECORDED(runtime);
  const aqdrop_ext *found;
  box b;
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!with->memory || !region)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const buffer seen = {aqdrop_memory_reach(runtime, with->memory, 1), with->row,
                       with->slice};
  hsa_status_t status = box_find(runtime, agent, image, &region->offset,
                                 &region->range, &found, &b);
  if (status == HSA_STATUS_SUCCESS)
    box_check(runtime, &b, into);
  for (uint64_t z = 0; status == HSA_STATUS_SUCCESS && z < b.size[2]; z++)
    for (uint64_t y = 0; y < b.size[1]; y++) {
      char *row = box_row(&b, y, z), *other = buffer_row(&seen, &b, y, z);
      aqdrop_check_host(runtime, buffer_row(with, &b, y, z), box_row_bytes(&b),
                        !into);
      memmove(into ? row : other, into ? other : row, box_row_bytes(&b));
    }
  return status;
}

hsa_status_t hsa_ext_image_import(hsa_agent_t agent, const void *src_memory,
                                  size_t src_row_pitch, size_t src_slice_pitch,
                                  hsa_ext_image_t dst_image,
                                  const hsa_ext_image_region_t *image_region)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  const buffer from = {(void *)(uintptr_t)src_memory, src_row_pitch,
                       src_slice_pitch};
  return region_copy(agent, dst_image, image_region, &from, true);
}

hsa_status_t hsa_ext_image_export(hsa_agent_t agent, hsa_ext_image_t src_image,
                                  void *dst_memory, size_t dst_row_pitch,
                                  size_t dst_slice_pitch,
                                  const hsa_ext_image_region_t *image_region)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  const buffer to = {dst_memory, dst_row_pitch, dst_slice_pitch};
  return region_copy(agent, src_image, image_region, &to, false);
}

/* ---- images ---- */

/* What becomes of the bytes of colours, or NULL: they stay. */
typedef uint8_t byte_change(uint8_t from);

/* Whether elements can be copied, and how. */
static bool formats_agree(const aq_kernel_image *from,
                          const aq_kernel_image *to, byte_change **change)
{
  *change = NULL;
  if (from->type == to->type && from->order == to->order)
    return true;
  if (from->type != HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8 ||
      to->type != from->type)
    return false;
  if (from->order == HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA &&
      to->order == HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA)
    *change = aqdrop_to_standard;
  if (from->order == HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA &&
      to->order == HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA)
    *change = aqdrop_to_linear;
  return *change != NULL;
}

/* Alpha is the fourth byte, which is linear anyway. */
static void colours_change(char *row, size_t size, byte_change *change)
{
  uint8_t *bytes = (uint8_t *)row;
  for (size_t i = 0; i < size; i++)
    if (i % 4 != 3)
      bytes[i] = change(bytes[i]);
}

/* Rows of an overlap are copied from the end that does not spoil them. */
static void boxes_copy(const box *from, const box *to, byte_change *change)
{
  const uint64_t rows = to->size[1] * to->size[2];
  const size_t size = box_row_bytes(to);
  const bool backwards = box_row(to, 0, 0) > box_row(from, 0, 0);
  for (uint64_t i = 0; i < rows; i++) {
    const uint64_t at = backwards ? rows - 1 - i : i;
    const uint64_t y = at % to->size[1], z = at / to->size[1];
    memmove(box_row(to, y, z), box_row(from, y, z), size);
    if (change)
      colours_change(box_row(to, y, z), size, change);
  }
}

hsa_status_t hsa_ext_image_copy(hsa_agent_t agent, hsa_ext_image_t src_image,
                                const hsa_dim3_t *src_offset,
                                hsa_ext_image_t dst_image,
                                const hsa_dim3_t *dst_offset,
                                const hsa_dim3_t *range)
{
  AQDROP_ENTER(runtime);
  const aqdrop_ext *from, *to;
  byte_change *change;
  box source, target;
  hsa_status_t status =
      box_find(runtime, agent, src_image, src_offset, range, &from, &source);
  if (status == HSA_STATUS_SUCCESS)
    status =
        box_find(runtime, agent, dst_image, dst_offset, range, &to, &target);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (from->agent != to->agent ||
      memcmp(source.size, target.size, sizeof source.size) != 0 ||
      !formats_agree(&source.image, &target.image, &change))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  box_check(runtime, &source, false);
  box_check(runtime, &target, true);
  boxes_copy(&source, &target, change);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_clear(hsa_agent_t agent, hsa_ext_image_t image,
                                 const void *data,
                                 const hsa_ext_image_region_t *image_region)
{
  AQDROP_ENTER(runtime);
  const aqdrop_ext *to;
  char element[AQDROP_ELEMENT_MAX];
  box b;
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!data || !image_region)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = box_find(runtime, agent, image, &image_region->offset,
                                 &image_region->range, &to, &b);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  box_check(runtime, &b, true);
  const size_t size = b.image.element_size;
  const hsa_ext_image_format_t format = {b.image.type, b.image.order};
  aqdrop_ext_format_encode(&format, data, element);
  for (uint64_t z = 0; z < b.size[2]; z++)
    for (uint64_t y = 0; y < b.size[1]; y++)
      for (uint64_t x = 0; x < b.size[0]; x++)
        memcpy(box_row(&b, y, z) + x * size, element, size);
  return HSA_STATUS_SUCCESS;
}
