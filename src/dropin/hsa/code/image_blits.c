/* SPDX-License-Identifier: MIT */
/*
 * The kernels that HIP's runtime (ROCclr) moves images with, as host functions.
 * Each reads the arguments of its OpenCL kernel, in which vectors of four are
 * aligned to their size.
 */
#include "config.h"

#include <string.h>

#include "common/kernel_image.h"
#include "dropin/hsa/base/kernels.h"
#include "dropin/hsa/base/protected.h"
#include "dropin/hsa/image/ext_image_formats.h"

typedef struct int4 {
  int32_t x, y, z, w;
} int4;

typedef struct ulong4 {
  uint64_t x, y, z, w;
} ulong4;

/* The image of a descriptor, where a host function reaches it. */
static aq_kernel_image image_of(const uint32_t *words)
{
  const aqdrop *runtime = aqdrop_runtime();
  aq_kernel_image image = aq_kernel_image_of(words);
  if (runtime)
    image.data = aqdrop_reach(runtime, image.data);
  return image;
}

/* ---- rows ---- */

/* A row of a box of an image; the layers of 1D arrays come second or third. */
static char *image_row(const aq_kernel_image *image, const int4 *origin,
                       uint64_t y, uint64_t z)
{
  const uint64_t x = (uint64_t)origin->x;
  y += (uint64_t)origin->y;
  z += (uint64_t)origin->z;
  return image->geometry == HSA_EXT_IMAGE_GEOMETRY_1DA
             ? aq_kernel_image_at(image, x, 0, y + z)
             : aq_kernel_image_at(image, x, y, z);
}

/* A row of a buffer: it begins at some words (or at the elements, if those are
 * smaller), and its pitches count elements. */
static size_t buffer_row(const aq_kernel_image *image, const ulong4 *origin,
                         const ulong4 *pitch, uint64_t y, uint64_t z)
{
  const size_t size = image->element_size;
  return origin->x * (size < 4 ? size : 4) +
         (y * pitch->x + z * pitch->y) * size;
}

static size_t row_bytes(const aq_kernel_image *image, const int4 *size)
{
  return (size_t)size->x * image->element_size;
}

/* How many rows a box has, and which the n-th is. */
static uint64_t row_count(const int4 *size)
{
  return (uint64_t)size->y * (uint64_t)size->z;
}

static uint64_t row_y(const int4 *size, uint64_t n)
{
  return n % (uint64_t)size->y;
}

static uint64_t row_z(const int4 *size, uint64_t n)
{
  return n / (uint64_t)size->y;
}

/* ---- kernels ---- */

static void copy_buffer_to_image(const aq_kernel_call *call)
{
  const struct {
    const char *from;
    const uint32_t *to;
    uint8_t pad[16];
    ulong4 from_origin;
    int4 to_origin, size, format;
    uint8_t pad1[16];
    ulong4 pitch;
  } *args = call->kernarg;
  const int4 *size = &args->size;
  const aq_kernel_image to = image_of(args->to);
  for (uint64_t i = 0; i < row_count(size); i++) {
    const uint64_t y = row_y(size, i), z = row_z(size, i);
    memcpy(image_row(&to, &args->to_origin, y, z),
           args->from + buffer_row(&to, &args->from_origin, &args->pitch, y, z),
           row_bytes(&to, size));
  }
}

static void copy_image_to_buffer(const aq_kernel_call *call)
{
  const struct {
    const uint32_t *from;
    char *to[3]; /* the same, for elements of each size */
    int4 from_origin;
    uint8_t pad[16];
    ulong4 to_origin;
    int4 size, format;
    ulong4 pitch;
  } *args = call->kernarg;
  const int4 *size = &args->size;
  const aq_kernel_image from = image_of(args->from);
  for (uint64_t i = 0; i < row_count(size); i++) {
    const uint64_t y = row_y(size, i), z = row_z(size, i);
    memcpy(args->to[0] +
               buffer_row(&from, &args->to_origin, &args->pitch, y, z),
           image_row(&from, &args->from_origin, y, z), row_bytes(&from, size));
  }
}

static void copy_image(const aq_kernel_call *call)
{
  const struct {
    const uint32_t *from, *to;
    int4 from_origin, to_origin, size;
  } *args = call->kernarg;
  const int4 *size = &args->size;
  const aq_kernel_image from = image_of(args->from);
  const aq_kernel_image to = image_of(args->to);
  for (uint64_t i = 0; i < row_count(size); i++) {
    const uint64_t y = row_y(size, i), z = row_z(size, i);
    memmove(image_row(&to, &args->to_origin, y, z),
            image_row(&from, &args->from_origin, y, z), row_bytes(&to, size));
  }
}

static void fill_image(const aq_kernel_call *call)
{
  const struct {
    const uint32_t *to;
    uint8_t pad[8];
    int4 colours[3]; /* as floats, as integers with and without sign */
    int4 origin, size;
    uint32_t which;
  } *args = call->kernarg;
  const aq_kernel_image to = image_of(args->to);
  const hsa_ext_image_format_t format = {to.type, to.order};
  const int4 *size = &args->size;
  char element[AQDROP_ELEMENT_MAX];
  if (args->which > 2) {
    aq_kernel_fail(call, "a colour of an unknown kind");
    return;
  }
  aqdrop_ext_format_encode(&format, &args->colours[args->which], element);
  for (uint64_t i = 0; i < row_count(size); i++) {
    char *row = image_row(&to, &args->origin, row_y(size, i), row_z(size, i));
    for (size_t x = 0; x < row_bytes(&to, size); x += to.element_size)
      memcpy(row + x, element, to.element_size);
  }
}

const aq_kernel_entry aqdrop_image_blits[] = {
    {.name = "__amd_rocclr_copyBufferToImage",
     .function = copy_buffer_to_image},
    {.name = "__amd_rocclr_copyImageToBuffer",
     .function = copy_image_to_buffer},
    {.name = "__amd_rocclr_copyImage", .function = copy_image},
    {.name = "__amd_rocclr_copyImage1DA", .function = copy_image},
    {.name = "__amd_rocclr_fillImage", .function = fill_image},
    {.name = NULL},
};
