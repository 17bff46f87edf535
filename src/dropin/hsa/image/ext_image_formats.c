/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/image/ext_image_formats.h"

#include <math.h>
#include <string.h>

/* ---- what there is ---- */

#define T(type) (UINT32_C(1) << HSA_EXT_IMAGE_CHANNEL_TYPE_##type)
#define NORMALIZED                                                             \
  (T(SNORM_INT8) | T(SNORM_INT16) | T(UNORM_INT8) | T(UNORM_INT16))
#define INTEGERS                                                               \
  (T(SIGNED_INT8) | T(SIGNED_INT16) | T(SIGNED_INT32) | T(UNSIGNED_INT8) |     \
   T(UNSIGNED_INT16) | T(UNSIGNED_INT32))
#define T_IS(type, set) ((set) >> (type)&1)
#define FLOATS          (T(HALF_FLOAT) | T(FLOAT))
#define PACKED          (T(UNORM_SHORT_555) | T(UNORM_SHORT_565) | T(UNORM_SHORT_101010))
#define BYTES                                                                  \
  (T(SNORM_INT8) | T(UNORM_INT8) | T(SIGNED_INT8) | T(UNSIGNED_INT8))

enum {
  READ_ONLY = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY,
  READ_OR_WRITE = READ_ONLY | HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY,
  READ_WRITE = READ_OR_WRITE | HSA_EXT_IMAGE_CAPABILITY_READ_WRITE,
};

typedef struct channel_order {
  uint32_t order;
  const char *components;
  uint32_t types, capability;
} channel_order;

static const channel_order orders[] = {
#define O(order, components, types, capability)                                \
  {HSA_EXT_IMAGE_CHANNEL_ORDER_##order, components, types, capability},
#include "dropin/hsa/image/ext_image_orders.def"
#undef O
};

/* Bits of a component; of a packed type the bits of its whole element. */
static const uint8_t type_bits[] = {
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8] = 8,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16] = 16,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8] = 8,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16] = 16,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555] = 16,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565] = 16,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010] = 32,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8] = 8,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16] = 16,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32] = 32,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8] = 8,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16] = 16,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32] = 32,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT] = 16,
    [HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT] = 32};

static bool is_packed(uint32_t type)
{
  return T_IS(type, PACKED);
}

/* Depth images have depth in them; buffers cannot be read as standard colours,
 * nor by parts of a byte. */
static bool geometry_has(uint32_t geometry, uint32_t order, uint32_t type)
{
  switch (geometry) {
  case HSA_EXT_IMAGE_GEOMETRY_2DDEPTH:
  case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH:
    return order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH;
  case HSA_EXT_IMAGE_GEOMETRY_1DB:
    return order != HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA &&
           type != HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555 &&
           type != HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565;
  default:
    return geometry <= HSA_EXT_IMAGE_GEOMETRY_2DADEPTH;
  }
}

aqdrop_ext_format aqdrop_ext_format_find(const hsa_ext_image_format_t *format,
                                         uint32_t geometry)
{
  const uint32_t type = format->channel_type;
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    const channel_order *o = &orders[i];
    if (o->order != format->channel_order || type >= sizeof type_bits ||
        !T_IS(type, o->types) || !geometry_has(geometry, o->order, type))
      continue;
    const size_t parts = is_packed(type) ? 1 : strlen(o->components);
    return (aqdrop_ext_format){
        o->capability, (uint32_t)(parts * type_bits[type] / 8), o->components};
  }
  return (aqdrop_ext_format){0, 0, ""};
}

/* ---- colours ---- */

/* The nearest of 0 to `most`, for 0 to 1. */
static uint32_t unorm(float value, uint32_t most)
{
  if (!(value > 0)) /* not a number is 0 */
    return 0;
  return value >= 1 ? most : (uint32_t)lrintf(value * (float)most);
}

static uint32_t snorm(float value, int32_t most)
{
  if (isnan(value))
    return 0;
  const float bounded = fmaxf(-1, fminf(1, value));
  return (uint32_t)lrintf(bounded * (float)most);
}

static int64_t bounded(int64_t value, int64_t least, int64_t most)
{
  return value < least ? least : value > most ? most : value;
}

/* Rounds to the nearest, to even between two. */
static uint32_t half_from(float value)
{
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  const uint32_t sign = word >> 16 & 0x8000;
  const float size = fabsf(value);
  if (isnan(value))
    return sign | 0x7e00;
  if (size >= 65520) /* half an unit above the largest */
    return sign | 0x7c00;
  if (size < 0x1p-14f) /* counted in the smallest there is */
    return sign | (uint32_t)lrintf(size * 0x1p24f);
  int exponent;
  const float part = frexpf(size, &exponent); /* 0.5 to 1 */
  const uint32_t mantissa = (uint32_t)lrintf(part * 0x1p11f);
  return sign | (((uint32_t)(exponent + 13) << 10) + mantissa);
}

static float to_standard(float linear)
{
  if (!(linear > 0))
    return 0;
  if (linear >= 1)
    return 1;
  return linear < 0.0031308f ? 12.92f * linear
                             : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
}

uint8_t aqdrop_to_standard(uint8_t linear)
{
  return (uint8_t)unorm(to_standard((float)linear / UINT8_MAX), UINT8_MAX);
}

uint8_t aqdrop_to_linear(uint8_t standard)
{
  const float value = (float)standard / UINT8_MAX;
  return (uint8_t)unorm(value <= 0.04045f
                            ? value / 12.92f
                            : powf((value + 0.055f) / 1.055f, 2.4f),
                        UINT8_MAX);
}

/* ---- elements ---- */

/* The bits of one component, in the low ones. */
static uint32_t component_bits(uint32_t type, float real, uint32_t word)
{
  const int64_t natural = (int32_t)word;
  switch (type) {
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8:
    return snorm(real, INT8_MAX);
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16:
    return snorm(real, INT16_MAX);
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8:
    return unorm(real, UINT8_MAX);
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16:
    return unorm(real, UINT16_MAX);
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8:
    return (uint32_t)bounded(natural, INT8_MIN, INT8_MAX);
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16:
    return (uint32_t)bounded(natural, INT16_MIN, INT16_MAX);
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8:
    return (uint32_t)bounded(word, 0, UINT8_MAX);
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16:
    return (uint32_t)bounded(word, 0, UINT16_MAX);
  case HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT:
    return half_from(real);
  default: /* 32 bits: a float or an integer, as it is */
    return word;
  }
}

/* Where a component is in a colour. */
static size_t component_index(char component)
{
  return (size_t)(strchr("RGBA", component) - "RGBA");
}

void aqdrop_ext_format_encode(const hsa_ext_image_format_t *format,
                              const void *colour, void *element)
{
  const uint32_t type = format->channel_type;
  const size_t bytes = type_bits[type] / 8;
  const char *components =
      aqdrop_ext_format_find(format, HSA_EXT_IMAGE_GEOMETRY_2D).components;
  float real[4];
  uint32_t words[4];
  char *to = element;
  memcpy(real, colour, sizeof real);
  memcpy(words, colour, sizeof words);
  for (int i = 0; i < 3; i++)
    if (format->channel_order == HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA)
      real[i] = to_standard(real[i]);
  if (is_packed(type)) {
    /* Red is in the highest bits. */
    const uint32_t wide =
        type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010 ? 10 : 5;
    const uint32_t green =
        type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565 ? 6 : wide;
    const uint32_t bits = unorm(real[2], (1U << wide) - 1) |
                          unorm(real[1], (1U << green) - 1) << wide |
                          unorm(real[0], (1U << wide) - 1) << (wide + green);
    memcpy(to, &bits, bytes); /* the low ones */
    return;
  }
  for (; *components; components++, to += bytes) {
    const size_t at = component_index(*components);
    const uint32_t bits = component_bits(type, real[at], words[at]);
    memcpy(to, &bits, bytes);
  }
}
