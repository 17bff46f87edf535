/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/image/image_descriptor.h"

#include "gpu/codeobj/target.h"
#include "gpu/isa/isa.h"

/* A field of a word. */
typedef struct field {
  uint8_t word, shift, bits;
} field;

static const field ADDRESS = {0, 0, 32}, ADDRESS_HIGH = {1, 0, 8},
                   LAYOUT = {1, 20, 6}, NUMBER = {1, 26, 4}, WIDTH = {2, 0, 14},
                   HEIGHT = {2, 14, 14},
                   SELECT = {3, 0, 3}, /* and three more behind it */
    BASE_LEVEL = {3, 12, 4}, LAST_LEVEL = {3, 16, 4}, SWIZZLE = {3, 20, 5},
                   TYPE = {3, 28, 4}, DEPTH = {4, 0, 13}, PITCH = {4, 13, 16},
                   BASE_LAYER = {5, 0, 13}, COMPRESSED = {6, 21, 1};

/* gfx10 has one number for layout and number, and a pitch in place of the depth
 * of images that have none. */
static const field FORMAT_10 = {1, 20, 9}, WIDTH_LOW_10 = {1, 30, 2},
                   WIDTH_HIGH_10 = {2, 0, 12}, VIEWS_10 = {2, 31, 1},
                   PITCH_10 = {4, 0, 14}, BASE_LAYER_10 = {4, 16, 13},
                   COMPRESSED_10 = {6, 21, 1};

static const field CLAMP = {0, 0, 3}, /* and two more behind it */
    ANISOTROPY = {0, 9, 3}, COMPARES = {0, 12, 3}, UNNORMALIZED = {0, 15, 1},
                   TRUNCATES = {0, 27, 1}, FILTER_MODE = {0, 29, 2},
                   MAX_LEVEL = {1, 12, 12}, MAGNIFIES = {2, 20, 2},
                   MINIFIES = {2, 22, 2}, BORDER = {3, 30, 2};

enum { ADDRESS_UNIT = 8 /* bits */, ALL_LEVELS = 0xfff, ROW = 256 /* bytes */ };

static uint32_t get(const uint32_t *words, field f)
{
  return words[f.word] >> f.shift & (uint32_t)((UINT64_C(1) << f.bits) - 1);
}

static void put(uint32_t *words, field f, uint64_t value)
{
  words[f.word] |= (uint32_t)(value & ((UINT64_C(1) << f.bits) - 1)) << f.shift;
}

/* The i-th of equal fields one behind the other. */
static field nth(field f, unsigned i)
{
  return (field){f.word, (uint8_t)(f.shift + i * f.bits), f.bits};
}

uint16_t aq_wave_images_target(const char *gfx)
{
  aq_target target;
  aq_isa_decoder decoder;
  return aq_target_of_device(gfx, false, &target, NULL) == AQ_OK &&
                 aq_isa_decoder_init(&decoder, target.processor, NULL) == AQ_OK
             ? decoder.target & AQ_ISA_IMAGES
             : 0;
}

bool aq_wave_images_are_gfx10(uint16_t target)
{
  return target & AQ_ISA_GFX10;
}

/* ---- formats of gfx10 ---- */

/* Images have these beside the formats of buffers. */
static const struct {
  uint8_t layout, number, format;
} formats[] = {{1, AQ_WAVE_SRGB, 128},
               {3, AQ_WAVE_SRGB, 129},
               {10, AQ_WAVE_SRGB, 130},
               {AQ_WAVE_LAYOUT_565, AQ_WAVE_UNORM, 133},
               {AQ_WAVE_LAYOUT_1555, AQ_WAVE_UNORM, 134}};
enum { FORMATS = sizeof formats / sizeof *formats, BUFFER_FORMATS = 128 };

static uint32_t format_make(uint16_t target, const aq_wave_image *image)
{
  unsigned layout, number;
  for (unsigned i = 0; i < FORMATS; i++)
    if (formats[i].layout == image->layout &&
        formats[i].number == image->number)
      return formats[i].format;
  for (uint32_t f = 1; f < BUFFER_FORMATS; f++)
    if (aq_isa_rdna_format_find((uint8_t)f, target, &layout, &number) &&
        layout == image->layout && number == image->number)
      return f;
  return 0;
}

/* ---- images ---- */

static bool has_pitch_10(aq_wave_image_type type)
{
  return type == AQ_WAVE_IMAGE_1D || type == AQ_WAVE_IMAGE_2D;
}

/* Rows that begin at multiples of 256 bytes, next to each other. */
static uint32_t pitch_of(const aq_wave_image *image)
{
  aq_wave_format f;
  if (!aq_wave_format_find(image->layout, image->number, &f))
    return image->width;
  return (image->width * f.bytes + ROW - 1) / ROW * ROW / f.bytes;
}

static bool make_10(uint16_t target, const aq_wave_image *image, uint32_t *out)
{
  put(out, FORMAT_10, format_make(target, image));
  put(out, WIDTH_LOW_10, image->width - 1);
  put(out, WIDTH_HIGH_10, (image->width - 1) >> WIDTH_LOW_10.bits);
  put(out, VIEWS_10, 1);
  if (has_pitch_10(image->type))
    put(out, PITCH_10, image->pitch - 1);
  else
    put(out, DEPTH, image->depth - 1);
  return has_pitch_10(image->type) ? image->pitch <= 1u << PITCH_10.bits
                                   : image->pitch == pitch_of(image);
}

static bool make_9(const aq_wave_image *image, uint32_t *out)
{
  put(out, LAYOUT, image->layout);
  put(out, NUMBER, image->number);
  put(out, WIDTH, image->width - 1);
  put(out, DEPTH, image->depth - 1);
  put(out, PITCH, image->pitch - 1);
  return image->pitch <= 1u << PITCH.bits;
}

bool aq_wave_image_make(uint16_t target, const aq_wave_image *image,
                        uint32_t out[AQ_WAVE_IMAGE_WORDS])
{
  for (int i = 0; i < AQ_WAVE_IMAGE_WORDS; i++)
    out[i] = 0;
  put(out, ADDRESS, image->address >> ADDRESS_UNIT);
  put(out, ADDRESS_HIGH, image->address >> (ADDRESS_UNIT + ADDRESS.bits));
  put(out, HEIGHT, image->height - 1);
  put(out, TYPE, image->type);
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++)
    put(out, nth(SELECT, i), image->select[i]);
  return target & AQ_ISA_RDNA ? make_10(target, image, out)
                              : make_9(image, out);
}

static bool type_is_known(uint32_t type)
{
  return type == AQ_WAVE_IMAGE_1D || type == AQ_WAVE_IMAGE_2D ||
         type == AQ_WAVE_IMAGE_3D || type == AQ_WAVE_IMAGE_1D_ARRAY ||
         type == AQ_WAVE_IMAGE_2D_ARRAY;
}

static void read_9(const uint32_t *words, aq_wave_image *out)
{
  out->layout = (uint8_t)get(words, LAYOUT);
  out->number = (uint8_t)get(words, NUMBER);
  out->width = get(words, WIDTH) + 1;
  out->depth = get(words, DEPTH) + 1;
  out->pitch = get(words, PITCH) + 1;
}

static void read_10(uint16_t target, const uint32_t *words, aq_wave_image *out)
{
  const bool has_pitch = has_pitch_10(out->type);
  /* Layout 0 where there is no such format. */
  uint32_t format = get(words, FORMAT_10);
  unsigned layout = 0, number = 0;
  for (unsigned i = 0; i < FORMATS; i++)
    if (formats[i].format == format) {
      layout = formats[i].layout;
      number = formats[i].number;
    }
  if (format < BUFFER_FORMATS &&
      !aq_isa_rdna_format_find((uint8_t)format, target, &layout, &number))
    layout = 0;
  out->layout = (uint8_t)layout;
  out->number = (uint8_t)number;
  out->width = (get(words, WIDTH_LOW_10) | get(words, WIDTH_HIGH_10)
                                               << WIDTH_LOW_10.bits) +
               1;
  out->depth = has_pitch ? 1 : get(words, DEPTH) + 1;
  out->pitch = pitch_of(out);
  if (has_pitch && get(words, PITCH_10)) /* from gfx1030 on */
    out->pitch = get(words, PITCH_10) + 1;
}

const char *aq_wave_image_read(uint16_t target,
                               const uint32_t words[AQ_WAVE_IMAGE_WORDS],
                               aq_wave_image *out)
{
  const bool rdna = target & AQ_ISA_RDNA;
  if (!type_is_known(get(words, TYPE)))
    return "a type of image that is not simulated";
  if (get(words, SWIZZLE) || get(words, rdna ? COMPRESSED_10 : COMPRESSED))
    return "an image whose rows do not lie one after the other";
  if (get(words, BASE_LEVEL) || get(words, LAST_LEVEL) ||
      get(words, rdna ? BASE_LAYER_10 : BASE_LAYER))
    return "an image with levels of detail, or a view of one";
  *out = (aq_wave_image){
      .address =
          (get(words, ADDRESS) | (uint64_t)get(words, ADDRESS_HIGH) << 32)
          << ADDRESS_UNIT,
      .height = get(words, HEIGHT) + 1,
      .type = (aq_wave_image_type)get(words, TYPE)};
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++)
    out->select[i] = (uint8_t)get(words, nth(SELECT, i));
  if (rdna)
    read_10(target, words, out);
  else
    read_9(words, out);
  return NULL;
}

/* ---- samplers ---- */

void aq_wave_sampler_make(const aq_wave_sampler *sampler,
                          uint32_t out[AQ_WAVE_SAMPLER_WORDS])
{
  for (int i = 0; i < AQ_WAVE_SAMPLER_WORDS; i++)
    out[i] = 0;
  for (unsigned i = 0; i < 3; i++)
    put(out, nth(CLAMP, i), sampler->clamp[i]);
  put(out, UNNORMALIZED, sampler->unnormalized);
  put(out, TRUNCATES, sampler->truncates);
  put(out, MAX_LEVEL, ALL_LEVELS);
  put(out, MAGNIFIES, sampler->linear);
  put(out, MINIFIES, sampler->linear);
  put(out, BORDER, sampler->border);
}

static bool clamp_is_known(uint32_t clamp)
{
  return clamp <= AQ_WAVE_CLAMP_EDGE || clamp == AQ_WAVE_CLAMP_BORDER;
}

const char *aq_wave_sampler_read(const uint32_t words[AQ_WAVE_SAMPLER_WORDS],
                                 aq_wave_sampler *out)
{
  const uint32_t filter = get(words, MAGNIFIES);
  bool clamps = true;
  for (unsigned i = 0; i < 3; i++)
    clamps &= clamp_is_known(get(words, nth(CLAMP, i)));
  if (!clamps)
    return "a sampler with an addressing mode that is not simulated";
  if (filter > 1 || get(words, MINIFIES) != filter || get(words, ANISOTROPY) ||
      get(words, COMPARES) || get(words, FILTER_MODE))
    return "a sampler with a filter that is not simulated";
  if (get(words, BORDER) > AQ_WAVE_BORDER_WHITE)
    return "a sampler with a table of border colours";
  *out = (aq_wave_sampler){.border = (aq_wave_border)get(words, BORDER),
                           .linear = filter,
                           .unnormalized = get(words, UNNORMALIZED),
                           .truncates = get(words, TRUNCATES)};
  for (unsigned i = 0; i < 3; i++)
    out->clamp[i] = (aq_wave_clamp)get(words, nth(CLAMP, i));
  return NULL;
}
