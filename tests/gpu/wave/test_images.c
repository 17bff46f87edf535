/* SPDX-License-Identifier: MIT */
/* Images of gfx9 and gfx10. Expected samples follow the Vulkan specification
 * (Texel Input and Image Sampling Operations: unnormalized coordinates,
 * wrapping, weights of the linear filter, the order of a gather), with weights
 * that are multiples of 1/256; bits of resources and samplers ROCr's
 * resource_ai.h and resource_nv.h; the standard curve IEC 61966-2-1. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bed.h"
#include "gpu/wave/core/address_translate.h"
#include "gpu/wave/image/image_descriptor.h"
#include "support/aqtest.h"

enum { LANES = 64, WIDTH = 5, HEIGHT = 3, DEPTH = 4, PITCH = 64 };
enum { RESOURCE = 8, SAMPLER = 16 }; /* the first of their scalars */

static float texels[DEPTH][HEIGHT][PITCH] __attribute__((aligned(256)));
static aq_wave_reachable reachable;

static float f32(uint32_t bits)
{
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

static uint32_t bits32(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}

/* An image of one float an element. */
static aq_wave_image image_of(aq_wave_image_type type)
{
  return (aq_wave_image){.address = (uint64_t)(uintptr_t)texels,
                         .width = WIDTH,
                         .height = type == AQ_WAVE_IMAGE_1D ? 1 : HEIGHT,
                         .depth = type == AQ_WAVE_IMAGE_3D ||
                                          type >= AQ_WAVE_IMAGE_1D_ARRAY
                                      ? DEPTH
                                      : 1,
                         .pitch = PITCH,
                         .type = type,
                         .layout = 4,
                         .number = AQ_WAVE_FLOAT,
                         .select = {4, 0, 0, 1}};
}

static void words_set(bed *b, const aq_wave_image *image,
                      const aq_wave_sampler *sampler)
{
  ck_assert(aq_wave_image_make(aq_wave_images_target(b->gfx), image,
                               &b->wave->s[RESOURCE]));
  aq_wave_sampler_make(sampler, &b->wave->s[SAMPLER]);
}

static bool open_one(bed *b, const char *gfx, const char *text,
                     const aq_wave_image *image, const aq_wave_sampler *sampler)
{
  if (!bed_open_one(b, gfx, text))
    return false;
  reachable = (aq_wave_reachable){.allocations = b->allocations};
  b->grid.reachable = &reachable;
  for (int z = 0; z < DEPTH; z++)
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < PITCH; x++)
        texels[z][y][x] =
            x < WIDTH ? (float)(x * x + 32 * y * y + 1024 * z * z) : 1e30f;
  words_set(b, image, sampler);
  return true;
}

static void close_one(bed *b)
{
  aq_wave_reachable_fini(&reachable);
  bed_close(b);
}

/* ---- words ---- */

START_TEST(resources_and_samplers_have_the_bits_of_rocr)
{
  const aq_wave_image image = {.address = 0x123456789a00,
                               .width = 100,
                               .height = 50,
                               .depth = 7,
                               .pitch = 128,
                               .type = AQ_WAVE_IMAGE_2D_ARRAY,
                               .layout = 10,
                               .number = AQ_WAVE_SINT,
                               .select = {6, 5, 4, 7}};
  const aq_wave_sampler sampler = {
      .clamp = {AQ_WAVE_CLAMP_EDGE, AQ_WAVE_CLAMP_BORDER, AQ_WAVE_CLAMP_MIRROR},
      .linear = true,
      .unnormalized = true};
  uint32_t r[AQ_WAVE_IMAGE_WORDS], s[AQ_WAVE_SAMPLER_WORDS];
  aq_wave_image back;
  aq_wave_sampler sampled;
  ck_assert(aq_wave_image_make(AQ_ISA_GFX90A, &image, r));
  ck_assert_uint_eq(r[0], 0x3456789a);
  ck_assert_uint_eq(r[1], 0x12 | 10 << 20 | 5 << 26);
  ck_assert_uint_eq(r[2], 99 | 49 << 14);
  ck_assert_uint_eq(r[3], 0xf2eu | 13u << 28);
  ck_assert_uint_eq(r[4], 6 | 127 << 13);
  ck_assert_uint_eq(r[5] | r[6] | r[7], 0);
  ck_assert_ptr_null(aq_wave_image_read(AQ_ISA_GFX90A, r, &back));
  ck_assert_uint_eq(back.address, image.address);
  ck_assert_uint_eq(back.width, image.width);
  ck_assert_uint_eq(back.height, image.height);
  ck_assert_uint_eq(back.depth, image.depth);
  ck_assert_uint_eq(back.pitch, image.pitch);
  ck_assert_int_eq(back.type, image.type);
  ck_assert_uint_eq(back.layout, image.layout);
  ck_assert_uint_eq(back.number, image.number);
  ck_assert_mem_eq(back.select, image.select, sizeof image.select);
  aq_wave_sampler_make(&sampler, s);
  ck_assert_uint_eq(s[0], 2 | 6 << 3 | 1 << 6 | 1 << 15);
  ck_assert_uint_eq(s[1], 0xfff000);
  ck_assert_uint_eq(s[2], 1 << 20 | 1 << 22);
  ck_assert_uint_eq(s[3], 0);
  ck_assert_ptr_null(aq_wave_sampler_read(s, &sampled));
  ck_assert_mem_eq(sampled.clamp, sampler.clamp, sizeof sampler.clamp);
  ck_assert(sampled.linear && sampled.unnormalized && !sampled.truncates);
}
END_TEST

START_TEST(resources_of_gfx10_have_the_bits_of_rocr)
{
  aq_wave_image image = {.address = 0x123456789a00,
                         .width = 0x1236,
                         .height = 50,
                         .depth = 1,
                         .pitch = 0x1280,
                         .type = AQ_WAVE_IMAGE_2D,
                         .layout = 10,
                         .number = AQ_WAVE_UNORM,
                         .select = {6, 5, 4, 7}};
  uint32_t r[AQ_WAVE_IMAGE_WORDS];
  aq_wave_image back;
  ck_assert(aq_wave_image_make(AQ_ISA_GFX1030, &image, r));
  ck_assert_uint_eq(r[0], 0x3456789a);
  ck_assert_uint_eq(r[1], 0x12 | 56 << 20 | 1u << 30); /* 0x1235 ends in 01 */
  ck_assert_uint_eq(r[2], 0x1235u >> 2 | 49 << 14 | 1u << 31);
  ck_assert_uint_eq(r[3], 0xf2eu | 9u << 28);
  ck_assert_uint_eq(r[4], 0x127f);
  ck_assert_uint_eq(r[5] | r[6] | r[7], 0);
  ck_assert_ptr_null(aq_wave_image_read(AQ_ISA_GFX1030, r, &back));
  ck_assert(back.width == image.width && back.pitch == image.pitch &&
            back.depth == 1 && back.layout == 10 &&
            back.number == AQ_WAVE_UNORM);
  r[4] = 0; /* as on gfx1010: rows of whole 256 bytes */
  ck_assert_ptr_null(aq_wave_image_read(AQ_ISA_GFX1010, r, &back));
  ck_assert_uint_eq(back.pitch, 0x1240);
  image.type = AQ_WAVE_IMAGE_2D_ARRAY;
  image.depth = 7;
  ck_assert(!aq_wave_image_make(AQ_ISA_GFX1030, &image, r));
  image.pitch = 0x1240;
  image.number = AQ_WAVE_SRGB;
  ck_assert(aq_wave_image_make(AQ_ISA_GFX1030, &image, r));
  ck_assert_uint_eq(r[1] >> 20 & 511, 130);
  ck_assert_uint_eq(r[4], 6);
  ck_assert_ptr_null(aq_wave_image_read(AQ_ISA_GFX1030, r, &back));
  ck_assert(back.depth == 7 && back.pitch == 0x1240 &&
            back.number == AQ_WAVE_SRGB);
}
END_TEST

START_TEST(other_words_are_refused_by_name)
{
  static const struct {
    int word;
    uint32_t bits;
    const char *what;
  } images[] = {{3, 1u << 20, "one after the other"},
                {3, 1u << 16, "levels"},
                {3, 1u << 12, "levels"},
                {3, 2u << 28, "a type"}, /* 9 | 2: a cube */
                {5, 1, "a view"},
                {6, 1u << 21, "one after the other"}},
    samplers[] = {{0, 3, "addressing mode"},
                  {0, 1u << 9, "a filter"},
                  {0, 1u << 29, "a filter"},
                  {2, 2u << 20, "a filter"},
                  {3, 3u << 30, "border colours"}};
  const aq_wave_image image = image_of(AQ_WAVE_IMAGE_2D);
  const aq_wave_sampler sampler = {.linear = false};
  aq_wave_image got;
  aq_wave_sampler sampled;
  for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
    uint32_t words[AQ_WAVE_IMAGE_WORDS];
    aq_wave_image_make(AQ_ISA_GFX906, &image, words);
    words[images[i].word] |= images[i].bits;
    const char *why = aq_wave_image_read(AQ_ISA_GFX906, words, &got);
    ck_assert_ptr_nonnull(why);
    ck_assert_ptr_nonnull(strstr(why, images[i].what));
  }
  for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++) {
    uint32_t words[AQ_WAVE_SAMPLER_WORDS];
    aq_wave_sampler_make(&sampler, words);
    words[samplers[i].word] |= samplers[i].bits;
    const char *why = aq_wave_sampler_read(words, &sampled);
    ck_assert_ptr_nonnull(why);
    ck_assert_ptr_nonnull(strstr(why, samplers[i].what));
  }
}
END_TEST

/* ---- elements ---- */

START_TEST(loads_read_elements_inside_and_zeros_outside)
{
  const aq_wave_image image = image_of(AQ_WAVE_IMAGE_3D);
  bed b;
  if (!open_one(&b, "gfx90a",
                "image_load v[8:11], v[0:3], s[8:15] dmask:0xf unorm", &image,
                &(aq_wave_sampler){0}))
    return;
  for (uint32_t l = 0; l < LANES; l++) {
    b.wave->v[0][l] = l % 8 - 1; /* -1 to 6 */
    b.wave->v[1][l] = l / 8 % 4;
    b.wave->v[2][l] = l / 16 + 1;
  }
  ck_assert(bed_run(&b, 0));
  for (uint32_t l = 0; l < LANES; l++) {
    const uint32_t x = l % 8 - 1, y = l / 8 % 4, z = l / 16 + 1;
    const bool inside = x < WIDTH && y < HEIGHT && z < DEPTH;
    ck_assert(f32(b.wave->v[8][l]) == (inside ? texels[z][y][x] : 0));
    ck_assert_uint_eq(b.wave->v[9][l], 0);
    ck_assert_uint_eq(b.wave->v[11][l], inside ? bits32(1) : 0);
  }
  close_one(&b);
}
END_TEST

START_TEST(masks_choose_components_and_halves_share_registers)
{
  aq_wave_image image = image_of(AQ_WAVE_IMAGE_2D);
  const uint8_t bytes[4] = {51, 102, 255, 0};
  bed b;
  image.layout = 10;
  image.number = AQ_WAVE_UNORM;
  memcpy(image.select, (uint8_t[]){6, 5, 4, 7}, 4); /* blue comes first */
  if (!open_one(&b, "gfx90a",
                "image_load v[8:9], v[0:1], s[8:15] dmask:0x5 unorm", &image,
                &(aq_wave_sampler){0}))
    return;
  memcpy(&texels[0][1][2], bytes, sizeof bytes);
  b.wave->v[0][3] = 2;
  b.wave->v[1][3] = 1;
  ck_assert(bed_run(&b, 0));
  ck_assert(f32(b.wave->v[8][3]) == 1);
  ck_assert(f32(b.wave->v[9][3]) == 0.2f);
  close_one(&b);
  ck_assert(open_one(&b, "gfx90a",
                     "image_load v[8:9], v[0:1], s[8:15] dmask:0x7 unorm d16",
                     &image, &(aq_wave_sampler){0}));
  memcpy(&texels[0][0][0], bytes, sizeof bytes);
  memset(b.wave->v[0], 0, sizeof b.wave->v[0]);
  memset(b.wave->v[1], 0, sizeof b.wave->v[1]);
  ck_assert(bed_run(&b, 0));
  ck_assert_uint_eq(b.wave->v[8][0], 0x3c00 | 0x3666u << 16); /* 1, 0.4 */
  ck_assert_uint_eq(b.wave->v[9][0], 0x3266);                 /* 0.2 */
  close_one(&b);
}
END_TEST

static void store_check(const char *gfx, const char *text)
{
  aq_wave_image image = image_of(AQ_WAVE_IMAGE_2D_ARRAY);
  bed b;
  image.layout = 10;
  image.number = AQ_WAVE_UNORM;
  memcpy(image.select, (uint8_t[]){6, 5, 4, 7}, 4);
  if (!open_one(&b, gfx, text, &image, &(aq_wave_sampler){0}))
    return;
  for (uint32_t l = 0; l < LANES; l++) {
    b.wave->v[0][l] = l; /* lanes from WIDTH on are outside */
    b.wave->v[1][l] = 1;
    b.wave->v[2][l] = 3;
    for (uint32_t i = 0; i < 4; i++)
      b.wave->v[8 + i][l] = bits32((float)i / 5);
  }
  ck_assert(bed_run(&b, 0));
  for (int x = 0; x < PITCH; x++) {
    if (x < WIDTH)
      ck_assert_mem_eq(&texels[3][1][x], ((uint8_t[]){102, 51, 0, 153}), 4);
    else
      ck_assert(texels[3][1][x] == 1e30f);
  }
  close_one(&b);
}

START_TEST(stores_write_what_loads_would_read)
{
  store_check("gfx900",
              "image_store v[8:11], v[0:3], s[8:15] dmask:0xf unorm da");
  store_check("gfx1030", "image_store v[8:11], v[0:2], s[8:15] dmask:0xf "
                         "dim:SQ_RSRC_IMG_2D_ARRAY unorm");
}
END_TEST

START_TEST(sizes_are_those_of_the_resource)
{
  const aq_wave_image image = image_of(AQ_WAVE_IMAGE_2D_ARRAY);
  bed b;
  if (!open_one(&b, "gfx906",
                "image_get_resinfo v[8:11], v0, s[8:15] dmask:0xf unorm da",
                &image, &(aq_wave_sampler){0}))
    return;
  ck_assert(bed_run(&b, 0));
  ck_assert_uint_eq(b.wave->v[8][1], WIDTH);
  ck_assert_uint_eq(b.wave->v[9][1], HEIGHT);
  ck_assert_uint_eq(b.wave->v[10][1], DEPTH);
  ck_assert_uint_eq(b.wave->v[11][1], 1);
  close_one(&b);
}
END_TEST

/* ---- samples ---- */

/* Where Vulkan's wrapping puts an element; -1: the border. */
static int wrapped(aq_wave_clamp clamp, int i, int size)
{
  const int n = ((i % (2 * size)) + 2 * size) % (2 * size);
  switch (clamp) {
  case AQ_WAVE_CLAMP_WRAP:
    return ((i % size) + size) % size;
  case AQ_WAVE_CLAMP_MIRROR: /* (size-1) - mirror(n - size) */
    return (size - 1) - (n - size >= 0 ? n - size : -(1 + (n - size)));
  case AQ_WAVE_CLAMP_EDGE:
    return i < 0 ? 0 : i > size - 1 ? size - 1 : i;
  default:
    return i < 0 || i >= size ? -1 : i;
  }
}

static double texel_at(const aq_wave_sampler *s, int x, int y, int z)
{
  const int i = wrapped(s->clamp[0], x, WIDTH),
            j = wrapped(s->clamp[1], y, HEIGHT),
            k = wrapped(s->clamp[2], z, DEPTH);
  return i < 0 || j < 0 || k < 0 ? s->border == AQ_WAVE_BORDER_WHITE
                                 : (double)texels[k][j][i];
}

static double nearest(const aq_wave_sampler *s, double u, double v, double w)
{
  return texel_at(s, (int)floor(u), (int)floor(v), (int)floor(w));
}

static double linear(const aq_wave_sampler *s, double u, double v, double w)
{
  const double at[3] = {u - 0.5, v - 0.5, w - 0.5};
  double sum = 0;
  for (int corner = 0; corner < 8; corner++) {
    int place[3];
    double weight = 1;
    for (int i = 0; i < 3; i++) {
      const double part = at[i] - floor(at[i]);
      place[i] = (int)floor(at[i]) + (corner >> i & 1);
      weight *= corner >> i & 1 ? part : 1 - part;
    }
    sum += weight * texel_at(s, place[0], place[1], place[2]);
  }
  return sum;
}

/* Coordinates of 1/256, within and around the image. */
static double coordinate(uint32_t l, int axis, int size)
{
  static const int steps[3] = {1637, 2311, 977};
  const int span = 256 * (4 * size);
  return ((int)(l * (uint32_t)steps[axis] + 19u) % span) / 256.0 - 1.5 * size;
}

static void samples_check(const char *gfx, const char *text,
                          const aq_wave_sampler *sampler)
{
  const aq_wave_image image = image_of(AQ_WAVE_IMAGE_3D);
  bed b;
  if (!open_one(&b, gfx, text, &image, sampler))
    return;
  const int sizes[3] = {WIDTH, HEIGHT, DEPTH};
  for (uint32_t l = 0; l < LANES; l++)
    for (int i = 0; i < 3; i++)
      b.wave->v[i][l] = bits32((float)(coordinate(l, i, sizes[i]) /
                                       (sampler->unnormalized ? 1 : sizes[i])));
  ck_assert(bed_run(&b, 0));
  for (uint32_t l = 0; l < LANES; l++) {
    const double u = coordinate(l, 0, WIDTH), v = coordinate(l, 1, HEIGHT),
                 w = coordinate(l, 2, DEPTH);
    const double want =
        sampler->linear ? linear(sampler, u, v, w) : nearest(sampler, u, v, w);
    ck_assert_msg(f32(b.wave->v[8][l]) == (float)want,
                  "lane %u at %g %g %g: %g, expected %g", l, u, v, w,
                  (double)f32(b.wave->v[8][l]), want);
  }
  close_one(&b);
}

START_TEST(samples_are_those_of_vulkan_in_every_addressing_mode)
{
  static const aq_wave_clamp clamps[] = {
      AQ_WAVE_CLAMP_WRAP, AQ_WAVE_CLAMP_MIRROR, AQ_WAVE_CLAMP_EDGE,
      AQ_WAVE_CLAMP_BORDER};
  enum { CLAMPS = sizeof clamps / sizeof *clamps };
  for (unsigned n = 0; n < 4 * CLAMPS; n++) {
    aq_wave_sampler sampler = {.border = n % 3 ? AQ_WAVE_BORDER_CLEAR
                                               : AQ_WAVE_BORDER_WHITE,
                               .linear = n / CLAMPS & 1,
                               .unnormalized = n / CLAMPS & 2};
    for (unsigned i = 0; i < 3; i++)
      sampler.clamp[i] = clamps[(n + i * (n / CLAMPS)) % CLAMPS];
    samples_check("gfx90a",
                  "image_sample v8, v[0:3], s[8:15], s[16:19] dmask:0x1",
                  &sampler);
    samples_check("gfx1030",
                  "image_sample_lz v8, [v0, v1, v2], s[8:15], s[16:19] "
                  "dmask:0x1 dim:SQ_RSRC_IMG_3D",
                  &sampler);
  }
}
END_TEST

/* 2^33 elements of five repeat at the third, 2^33 + 2^10 at the first; 3 * 2^38
 * of a normalized coordinate is a whole number of images. */
START_TEST(images_repeat_however_far_away)
{
  static const struct {
    float coordinate;
    bool unnormalized;
    int expected;
  } cases[] = {{0x1p33f, true, 2},
               {0x1p33f + 0x1p10f, true, 1},
               {-0x1p33f, true, 3},
               {0x1.8p39f, false, 0},
               {INFINITY, true, 0}};
  aq_wave_image image = image_of(AQ_WAVE_IMAGE_1D);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const aq_wave_sampler sampler = {.unnormalized = cases[i].unnormalized};
    bed b;
    if (!open_one(&b, "gfx90a",
                  "image_sample v8, v0, s[8:15], s[16:19] dmask:0x1", &image,
                  &sampler))
      return;
    for (uint32_t l = 0; l < LANES; l++)
      b.wave->v[0][l] = bits32(cases[i].coordinate);
    ck_assert(bed_run(&b, 0));
    ck_assert(f32(b.wave->v[8][0]) == texels[0][0][cases[i].expected]);
    close_one(&b);
  }
}
END_TEST

START_TEST(samples_of_arrays_take_the_nearest_layer)
{
  const aq_wave_image image = image_of(AQ_WAVE_IMAGE_2D_ARRAY);
  const aq_wave_sampler sampler = {.clamp = {2, 2, 2}, .unnormalized = true};
  static const float layers[] = {-1, 0.4f, 0.6f, 1.5f, 2.5f, 3, 9};
  static const int expected[] = {0, 0, 1, 2, 2, 3, 3}; /* ties to even */
  enum { COUNT = sizeof layers / sizeof *layers };
  bed b;
  if (!open_one(&b, "gfx906",
                "image_sample_lz v8, v[0:3], s[8:15], s[16:19] dmask:0x1 da",
                &image, &sampler))
    return;
  for (uint32_t l = 0; l < LANES; l++) {
    b.wave->v[0][l] = bits32(3.5f);
    b.wave->v[1][l] = bits32(1.5f);
    b.wave->v[2][l] = bits32(layers[l % COUNT]);
  }
  ck_assert(bed_run(&b, 0));
  for (uint32_t l = 0; l < LANES; l++)
    ck_assert(f32(b.wave->v[8][l]) == texels[expected[l % COUNT]][1][3]);
  close_one(&b);
}
END_TEST

/* Levels, biases and derivatives stand where the ISA puts them, and change
 * nothing. The first element of a gather is the one of the last row. */
START_TEST(forms_of_samples_find_their_coordinates)
{
  static const struct {
    const char *gfx, *text;
    unsigned first;
  } forms[] = {
      {"gfx908", "image_sample_l v8, v[0:3], s[8:15], s[16:19] dmask:0x1", 0},
      {"gfx908", "image_sample_cl v8, v[0:3], s[8:15], s[16:19] dmask:0x1", 0},
      {"gfx908", "image_sample_b v8, v[0:3], s[8:15], s[16:19] dmask:0x1", 1},
      {"gfx908", "image_sample_d v8, v[0:7], s[8:15], s[16:19] dmask:0x1", 4},
      {"gfx908", "image_sample_d_cl v8, v[0:7], s[8:15], s[16:19] dmask:0x1",
       4},
      {"gfx908", "image_sample_cd v8, v[0:7], s[8:15], s[16:19] dmask:0x1", 4},
      {"gfx908", "image_sample_cd_cl v8, v[0:7], s[8:15], s[16:19] dmask:0x1",
       4},
      {"gfx908", "image_sample_b_cl v8, v[0:3], s[8:15], s[16:19] dmask:0x1",
       1},
      {"gfx908", "image_gather4 v[8:11], v[0:1], s[8:15], s[16:19] dmask:0x1",
       0},
      {"gfx908",
       "image_gather4_cl v[8:11], v[0:3], s[8:15], s[16:19] dmask:0x1", 0},
      {"gfx908", "image_gather4_l v[8:11], v[0:3], s[8:15], s[16:19] dmask:0x1",
       0},
      {"gfx908", "image_gather4_b v[8:11], v[0:3], s[8:15], s[16:19] dmask:0x1",
       1},
      {"gfx908",
       "image_gather4_b_cl v[8:11], v[0:3], s[8:15], s[16:19] dmask:0x1", 1},
      {"gfx1030",
       "image_sample_d v8, v[0:5], s[8:15], s[16:19] dmask:0x1 "
       "dim:SQ_RSRC_IMG_2D",
       4},
      {"gfx1010",
       "image_sample_b_cl v8, [v3, v0, v1, v7], s[8:15], s[16:19] dmask:0x1 "
       "dim:SQ_RSRC_IMG_2D",
       0},
      {"gfx1030",
       "image_gather4_l v[8:11], [v5, v6, v0], s[8:15], s[16:19] dmask:0x1 "
       "dim:SQ_RSRC_IMG_2D",
       5},
  };
  const aq_wave_image image = image_of(AQ_WAVE_IMAGE_2D);
  const aq_wave_sampler sampler = {.clamp = {2, 2, 2}, .unnormalized = true};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    bed b;
    if (!open_one(&b, forms[i].gfx, forms[i].text, &image, &sampler))
      return;
    for (uint32_t l = 0; l < LANES; l++) {
      for (uint32_t r = 0; r < 8; r++)
        b.wave->v[r][l] = bits32(0.25f);
      b.wave->v[forms[i].first][l] = bits32(4.5f);
      b.wave->v[forms[i].first + 1][l] = bits32(2.5f);
    }
    ck_assert(bed_run(&b, 0));
    ck_assert(f32(b.wave->v[8][5]) == texels[0][2][4]);
    close_one(&b);
  }
}
END_TEST

START_TEST(gathers_have_four_elements_against_the_clock)
{
  const aq_wave_image image = image_of(AQ_WAVE_IMAGE_2D);
  const aq_wave_sampler sampler = {.clamp = {2, 2, 2}, .unnormalized = true};
  bed b;
  if (!open_one(&b, "gfx906",
                "image_gather4_lz v[8:11], v[0:1], s[8:15], s[16:19] dmask:0x1",
                &image, &sampler))
    return;
  for (uint32_t l = 0; l < LANES; l++) {
    b.wave->v[0][l] = bits32(2.75f);
    b.wave->v[1][l] = bits32(1.75f);
  }
  ck_assert(bed_run(&b, 0));
  ck_assert(f32(b.wave->v[8][0]) == texels[0][2][2]);
  ck_assert(f32(b.wave->v[9][0]) == texels[0][2][3]);
  ck_assert(f32(b.wave->v[10][0]) == texels[0][1][3]);
  ck_assert(f32(b.wave->v[11][0]) == texels[0][1][2]);
  close_one(&b);
}
END_TEST

START_TEST(standard_colours_become_linear_and_their_opacity_stays)
{
  aq_wave_image image = image_of(AQ_WAVE_IMAGE_1D);
  const aq_wave_sampler sampler = {.clamp = {2, 2, 2}, .unnormalized = true};
  bed b;
  image.layout = 10;
  image.number = AQ_WAVE_SRGB;
  memcpy(image.select, (uint8_t[]){4, 5, 6, 7}, 4);
  if (!open_one(&b, "gfx90a",
                "image_sample v[8:11], v0, s[8:15], s[16:19] dmask:0xf", &image,
                &sampler))
    return;
  memcpy(&texels[0][0][1], (uint8_t[]){10, 188, 255, 51}, 4);
  for (uint32_t l = 0; l < LANES; l++)
    b.wave->v[0][l] = bits32(1.5f);
  ck_assert(bed_run(&b, 0));
  ck_assert(f32(b.wave->v[8][0]) == (float)(10 / 255.0 / 12.92));
  ck_assert(fabsf(f32(b.wave->v[9][0]) -
                  powf((188 / 255.0f + 0.055f) / 1.055f, 2.4f)) < 1e-6f);
  ck_assert(f32(b.wave->v[10][0]) == 1);
  ck_assert(f32(b.wave->v[11][0]) == 0.2f);
  close_one(&b);
}
END_TEST

START_TEST(what_is_not_simulated_stops_the_queue_by_name)
{
  aq_wave_image image = image_of(AQ_WAVE_IMAGE_2D);
  aq_wave_sampler sampler = {.linear = true};
  bed b;
  image.number = AQ_WAVE_UINT;
  if (!open_one(&b, "gfx90a",
                "image_sample v8, v[0:1], s[8:15], s[16:19] dmask:0x1", &image,
                &sampler))
    return;
  ck_assert(!bed_run(&b, 0));
  ck_assert_ptr_nonnull(strstr(b.grid.fault.text, "linear filter of integers"));
  close_one(&b);
  image = image_of(AQ_WAVE_IMAGE_2D_ARRAY);
  sampler.linear = false;
  ck_assert(open_one(&b, "gfx90a",
                     "image_sample v8, v[0:1], s[8:15], s[16:19] dmask:0x1",
                     &image, &sampler));
  ck_assert(!bed_run(&b, 0));
  ck_assert_ptr_nonnull(strstr(b.grid.fault.text, "other dimensions"));
  close_one(&b);
  ck_assert(open_one(&b, "gfx1030",
                     "image_load v8, v[0:1], s[8:15] dmask:0x1 "
                     "dim:SQ_RSRC_IMG_2D",
                     &image, &sampler));
  ck_assert(!bed_run(&b, 0));
  ck_assert_ptr_nonnull(strstr(b.grid.fault.text, "other dimensions"));
  close_one(&b);
}
END_TEST

START_TEST(images_out_of_memory_are_a_fault)
{
  aq_wave_image image = image_of(AQ_WAVE_IMAGE_2D);
  bed b;
  image.address = 0x100;
  if (!open_one(&b, "gfx90a", "image_load v8, v[0:1], s[8:15] dmask:0x1 unorm",
                &image, &(aq_wave_sampler){0}))
    return;
  memset(b.wave->v[0], 0, sizeof b.wave->v[0]);
  memset(b.wave->v[1], 0, sizeof b.wave->v[1]);
  ck_assert(!bed_run(&b, 0));
  ck_assert_uint_eq(b.grid.fault.address, 0x100);
  close_one(&b);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/images", resources_and_samplers_have_the_bits_of_rocr,
             resources_of_gfx10_have_the_bits_of_rocr,
             other_words_are_refused_by_name,
             loads_read_elements_inside_and_zeros_outside,
             masks_choose_components_and_halves_share_registers,
             stores_write_what_loads_would_read,
             sizes_are_those_of_the_resource,
             samples_are_those_of_vulkan_in_every_addressing_mode,
             images_repeat_however_far_away,
             samples_of_arrays_take_the_nearest_layer,
             forms_of_samples_find_their_coordinates,
             gathers_have_four_elements_against_the_clock,
             standard_colours_become_linear_and_their_opacity_stays,
             what_is_not_simulated_stops_the_queue_by_name,
             images_out_of_memory_are_a_fault)
