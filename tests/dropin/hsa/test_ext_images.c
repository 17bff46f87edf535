/* SPDX-License-Identifier: MIT */
/* Images and samplers, on a device that has them and on one that has none. */
#include <stdlib.h>
#include <string.h>

#include "common/hsa_sim.h"
#include "common/kernel_image.h"
#include "dropin/hsa/client.h"

#define TYPE(name)     HSA_EXT_IMAGE_CHANNEL_TYPE_##name
#define ORDER(name)    HSA_EXT_IMAGE_CHANNEL_ORDER_##name
#define GEOMETRY(name) HSA_EXT_IMAGE_GEOMETRY_##name

enum { RO = 1, READ_OR_WRITE = 3, RW = 7 };

static void device_open(client *c, const char *device)
{
  setenv("AQUEDUCT_DEVICE", device, 1);
  client_open(c);
  unsetenv("AQUEDUCT_DEVICE");
}

/* An image of new memory, which lives as long as the runtime. */
typedef struct picture {
  hsa_ext_image_t image;
  hsa_ext_image_descriptor_t descriptor;
  void *memory;
} picture;

static picture picture_make(const client *c,
                            const hsa_ext_image_descriptor_t *descriptor)
{
  picture p = {.descriptor = *descriptor};
  hsa_ext_image_data_info_t info;
  ck_assert_done(hsa_ext_image_data_get_info(c->device, descriptor,
                                             HSA_ACCESS_PERMISSION_RW, &info));
  ck_assert_done(
      hsa_amd_memory_pool_allocate(c->device_coarse, info.size, 0, &p.memory));
  memset(p.memory, 0, info.size);
  ck_assert_done(hsa_ext_image_create(c->device, descriptor, p.memory,
                                      HSA_ACCESS_PERMISSION_RW, &p.image));
  return p;
}

static picture picture_2d(const client *c, uint32_t width, uint32_t height,
                          uint32_t type, uint32_t order)
{
  const hsa_ext_image_descriptor_t d = {.geometry = GEOMETRY(2D),
                                        .width = width,
                                        .height = height,
                                        .format = {type, order}};
  return picture_make(c, &d);
}

static hsa_ext_image_region_t region(uint32_t x, uint32_t y, uint32_t z,
                                     uint32_t width, uint32_t height,
                                     uint32_t depth)
{
  return (hsa_ext_image_region_t){{x, y, z}, {width, height, depth}};
}

/* ---- what there is ---- */

static uint32_t capability(const client *c, uint32_t geometry, uint32_t type,
                           uint32_t order)
{
  const hsa_ext_image_format_t format = {type, order};
  uint32_t plain = 99, linear = 98;
  ck_assert_done(
      hsa_ext_image_get_capability(c->device, geometry, &format, &plain));
  ck_assert_done(hsa_ext_image_get_capability_with_layout(
      c->device, geometry, &format, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, &linear));
  ck_assert_uint_eq(plain, linear);
  return plain;
}

START_TEST(a_device_with_images_says_which)
{
  static const struct {
    uint32_t geometry, type, order, expected;
  } cases[] = {
      {GEOMETRY(2D), TYPE(UNORM_INT8), ORDER(RGBA), RW},
      {GEOMETRY(3D), TYPE(FLOAT), ORDER(R), RW},
      {GEOMETRY(1DB), TYPE(UNSIGNED_INT32), ORDER(RGBA), RW},
      {GEOMETRY(2D), TYPE(UNORM_INT8), ORDER(SRGBA), RO},
      {GEOMETRY(1DB), TYPE(UNORM_INT8), ORDER(SRGBA), 0},
      {GEOMETRY(2D), TYPE(UNORM_SHORT_565), ORDER(RGB), RW},
      {GEOMETRY(1DB), TYPE(UNORM_SHORT_565), ORDER(RGB), 0},
      {GEOMETRY(1DB), TYPE(UNORM_SHORT_101010), ORDER(RGB), RW},
      {GEOMETRY(2D), TYPE(UNORM_SHORT_565), ORDER(RGBA), 0},
      {GEOMETRY(2D), TYPE(UNORM_INT16), ORDER(BGRA), 0},
      {GEOMETRY(2D), TYPE(SIGNED_INT8), ORDER(ARGB), RW},
      {GEOMETRY(2D), TYPE(SIGNED_INT8), ORDER(INTENSITY), 0},
      {GEOMETRY(2DDEPTH), TYPE(FLOAT), ORDER(DEPTH), READ_OR_WRITE},
      {GEOMETRY(2DADEPTH), TYPE(UNORM_INT16), ORDER(DEPTH), READ_OR_WRITE},
      {GEOMETRY(2DDEPTH), TYPE(FLOAT), ORDER(R), 0},
      {GEOMETRY(2D), TYPE(FLOAT), ORDER(DEPTH_STENCIL), 0},
      {GEOMETRY(2D), 77, ORDER(RGBA), 0},
  };
  client c;
  uint8_t bits[128];
  uint32_t most[3], alignment;
  bool yes = false;
  device_open(&c, "mi50");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    ck_assert_msg(capability(&c, cases[i].geometry, cases[i].type,
                             cases[i].order) == cases[i].expected,
                  "case %zu", i);
  ck_assert_done(hsa_agent_get_info(c.device, HSA_AGENT_INFO_EXTENSIONS, bits));
  ck_assert_uint_eq(bits[0], 1 << HSA_EXTENSION_IMAGES);
  ck_assert_done(hsa_agent_extension_supported(HSA_EXTENSION_IMAGES, c.device,
                                               1, 0, &yes));
  ck_assert(yes);
  ck_assert_done(
      hsa_agent_extension_supported(HSA_EXTENSION_IMAGES, c.host, 1, 0, &yes));
  ck_assert(!yes);
  ck_assert_done(hsa_agent_get_info(
      c.device, HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS, most));
  ck_assert_uint_eq(most[0], 16384);
  ck_assert_uint_eq(most[2], 8192);
  ck_assert_done(hsa_amd_image_get_info_max_dim(
      c.device, HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS, most));
  ck_assert_uint_eq(most[0], 8192);
  ck_assert_done(hsa_agent_get_info(
      c.device, HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT,
      &alignment));
  ck_assert_uint_eq(alignment, 256);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_device_without_images_has_the_extension_and_no_limits)
{
  client c;
  const hsa_ext_image_descriptor_t d = {
      .geometry = GEOMETRY(1D), .width = 4, .format = {TYPE(FLOAT), ORDER(R)}};
  const hsa_ext_sampler_descriptor_t s = {0, 0, 0};
  _Alignas(256) static char memory[256];
  hsa_ext_image_data_info_t info;
  hsa_ext_image_t image;
  hsa_ext_sampler_t sampler;
  uint32_t most = 9;
  bool yes = false;
  uint8_t bits[128];
  void *table[1] = {NULL};
  device_open(&c, "mi300x");
  ck_assert_done(hsa_agent_get_info(c.device, HSA_AGENT_INFO_EXTENSIONS, bits));
  ck_assert_uint_eq(bits[0], 1 << HSA_EXTENSION_IMAGES);
  ck_assert_done(hsa_agent_get_info(c.host, HSA_AGENT_INFO_EXTENSIONS, bits));
  ck_assert_uint_eq(bits[0], 0);
  ck_assert_uint_eq(capability(&c, GEOMETRY(2D), TYPE(UNORM_INT8), ORDER(RGBA)),
                    0);
  ck_assert_done(
      hsa_system_extension_supported(HSA_EXTENSION_IMAGES, 1, 0, &yes));
  ck_assert(yes);
  ck_assert_done(hsa_system_get_major_extension_table(HSA_EXTENSION_IMAGES, 1,
                                                      sizeof table, table));
  ck_assert_ptr_nonnull(table[0]);
  ck_assert_done(hsa_agent_get_info(
      c.device, HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS, &most));
  ck_assert_uint_eq(most, 0);
  ck_assert_hsa(hsa_ext_image_data_get_info(c.device, &d,
                                            HSA_ACCESS_PERMISSION_RO, &info),
                HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
  ck_assert_hsa(hsa_ext_image_create(c.device, &d, memory,
                                     HSA_ACCESS_PERMISSION_RO, &image),
                HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
  ck_assert_hsa(hsa_ext_sampler_create(c.device, &s, &sampler),
                HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(sizes_follow_from_the_pitch_and_too_large_ones_are_refused)
{
  client c;
  hsa_ext_image_data_info_t info;
  hsa_ext_image_descriptor_t d = {.geometry = GEOMETRY(3D),
                                  .width = 65,
                                  .height = 3,
                                  .depth = 2,
                                  .format = {TYPE(UNORM_INT8), ORDER(RGBA)}};
  device_open(&c, "mi50");
#define INFO() hsa_ext_image_data_get_info(c.device, &d, 1, &info)
#define LINEAR(row, slice)                                                     \
  hsa_ext_image_data_get_info_with_layout(                                     \
      c.device, &d, 1, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, row, slice, &info)
  ck_assert_done(INFO());
  ck_assert_uint_eq(info.size, 512 * 3 * 2);
  ck_assert_uint_eq(info.alignment, 256);
  ck_assert_hsa(LINEAR(0, 0), HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
  ck_assert_uint_eq(info.size, 0);
  ck_assert_hsa(LINEAR(256, 0), HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
  ck_assert_hsa(LINEAR(768, 4096),
                HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
  ck_assert_done(LINEAR(768, 3 * 768));
  ck_assert_uint_eq(info.size, 768 * 3 * 2);
  ck_assert_hsa(
      hsa_ext_image_data_get_info_with_layout(
          c.device, &d, 1, HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE, 0, 0, &info),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
  d.height = 16385;
  ck_assert_hsa(INFO(), HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
  d = (hsa_ext_image_descriptor_t){
      .geometry = GEOMETRY(1D), .width = 4, .height = 2, .format = d.format};
  ck_assert_hsa(INFO(), HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
  d = (hsa_ext_image_descriptor_t){
      .geometry = GEOMETRY(1DB), .width = 100000, .format = d.format};
  ck_assert_done(LINEAR(0, 0));
  ck_assert_uint_eq(info.size, 400128);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(images_are_made_of_aligned_memory_and_known_layouts)
{
  _Alignas(256) static char memory[4096];
  client c;
  hsa_ext_image_t image;
  struct {
    uint32_t version, device, words[8];
  } layout = {1, 0x1002 << 16 | 0x66a1, {0}};
  const hsa_amd_image_descriptor_t *words = (const void *)&layout;
  const hsa_ext_image_descriptor_t d = {.geometry = GEOMETRY(2D),
                                        .width = 8,
                                        .height = 8,
                                        .format = {TYPE(FLOAT), ORDER(RG)}};
  device_open(&c, "mi50");
  ck_assert_hsa(hsa_ext_image_create(c.device, &d, memory + 64, 1, &image),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_ext_image_create(c.device, &d, memory, 0, &image),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_ext_image_create(c.host, &d, memory, 1, &image),
                HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
  ck_assert_done(hsa_ext_image_create_with_layout(
      c.device, &d, memory, 1, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, 512, 0,
      &image));
  aq_kernel_image seen = aq_kernel_image_of((void *)(uintptr_t)image.handle);
  ck_assert_uint_eq(seen.row_pitch, 512);
  ck_assert_done(hsa_ext_image_destroy(c.device, image));
  ck_assert_hsa(hsa_ext_image_destroy(c.device, image),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_image_create(c.device, &d, words, memory, 1, &image));
  seen = aq_kernel_image_of((void *)(uintptr_t)image.handle);
  ck_assert_ptr_eq(seen.data, memory);
  layout.words[3] = 9 << 20; /* a tiled arrangement */
  ck_assert_hsa(hsa_amd_image_create(c.device, &d, words, memory, 1, &image),
                HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
  layout.words[3] = 0;
  layout.device++;
  ck_assert_hsa(hsa_amd_image_create(c.device, &d, words, memory, 1, &image),
                HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
  ck_assert_hsa(
      hsa_amd_image_create(c.device, &d, words, memory + 8, 1, &image),
      HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* The words by CDNA3 ISA, 9.1.8 (buffer resource), and of RDNA by Mesa's
 * ac_descriptors.c and LLVM's SIDefines.h (UfmtGFX10). */
START_TEST(an_image_of_a_buffer_begins_with_its_resource)
{
  static const struct {
    const char *device;
    uint32_t type, order, size, word3;
  } cases[] = {
      {"mi50", TYPE(SIGNED_INT32), ORDER(R), 4, 4 << 15 | 5 << 12 | 0x204},
      {"mi50", TYPE(FLOAT), ORDER(RGBA), 16, 14 << 15 | 7 << 12 | 0xfac},
      {"mi50", TYPE(UNORM_INT8), ORDER(BGRA), 4, 10 << 15 | 0xf2e},
      {"mi50", TYPE(UNSIGNED_INT16), ORDER(RA), 4, 5 << 15 | 4 << 12 | 0xa04},
      {"mi50", TYPE(SNORM_INT16), ORDER(A), 2, 2 << 15 | 1 << 12 | 0x800},
      {"mi50", TYPE(HALF_FLOAT), ORDER(LUMINANCE), 2,
       2 << 15 | 7 << 12 | 0x324},
      {"mi50", TYPE(UNORM_SHORT_101010), ORDER(RGB), 4, 9 << 15 | 0x32e},
      {"rx6900xt", TYPE(SIGNED_INT32), ORDER(R), 4, 1 << 24 | 21 << 12 | 0x204},
      {"rx6900xt", TYPE(FLOAT), ORDER(RG), 8, 1 << 24 | 64 << 12 | 0x22c},
  };
  enum { COUNT = 5 };
  _Alignas(256) static uint8_t memory[256];
  for (size_t i = 0; i < sizeof memory; i++)
    memory[i] = (uint8_t)i;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    client c;
    hsa_ext_image_t image;
    uint8_t got[16 * COUNT];
    const hsa_ext_image_region_t some = region(1, 0, 0, COUNT - 1, 1, 1);
    const hsa_ext_image_descriptor_t d = {
        .geometry = GEOMETRY(1DB),
        .width = COUNT,
        .format = {cases[i].type, cases[i].order}};
    device_open(&c, cases[i].device);
    ck_assert_done(hsa_ext_image_create(c.device, &d, memory, 1, &image));
    uint32_t words[4];
    memcpy(words, (const void *)(uintptr_t)image.handle, sizeof words);
    ck_assert_uint_eq(words[0], (uint32_t)(uintptr_t)memory);
    ck_assert_uint_eq(words[1], (uint32_t)((uint64_t)(uintptr_t)memory >> 32) |
                                    cases[i].size << 16);
    ck_assert_uint_eq(words[2], COUNT);
    ck_assert_uint_eq(words[3], cases[i].word3);
    ck_assert_done(hsa_ext_image_export(c.device, image, got, 0, 0, &some));
    ck_assert_mem_eq(got, memory + cases[i].size, (COUNT - 1) * cases[i].size);
    ck_assert_done(hsa_ext_image_destroy(c.device, image));
    ck_assert_done(hsa_shut_down());
  }
}
END_TEST

/* ---- bytes ---- */

START_TEST(clearing_writes_the_colour_in_the_format_of_the_image)
{
  static const struct {
    uint32_t type, order;
    union {
      float real[4];
      int32_t natural[4];
    } colour;
    unsigned char expected[16];
    size_t size;
  } cases[] = {
      {TYPE(UNORM_INT8), ORDER(RGBA), {{0, 1, 0.5f, 2}}, {0, 255, 128, 255}, 4},
      {TYPE(UNORM_INT8), ORDER(BGRA), {{0, 1, 0.2f, -3}}, {51, 255, 0, 0}, 4},
      {TYPE(UNORM_INT8),
       ORDER(ARGB),
       {{0, 1, 0.2f, 0.4f}},
       {102, 0, 255, 51},
       4},
      {TYPE(UNORM_INT16), ORDER(RA), {{1, 9, 9, 0}}, {255, 255, 0, 0}, 4},
      {TYPE(SNORM_INT8), ORDER(RG), {{-1, 1}}, {0x81, 0x7f}, 2},
      {TYPE(SNORM_INT16), ORDER(R), {{-2}}, {0x01, 0x80}, 2},
      {TYPE(UNORM_INT8), ORDER(A), {{0, 0, 0, 1}}, {255}, 1},
      {TYPE(UNORM_INT8),
       ORDER(SRGBA),
       {{0.5f, 0.001f, 1, 0.5f}},
       {188, 3, 255, 128},
       4},
      {TYPE(UNORM_SHORT_565), ORDER(RGB), {{1, 0, 1}}, {0x1f, 0xf8}, 2},
      {TYPE(UNORM_SHORT_555), ORDER(RGB), {{1, 1, 0}}, {0xe0, 0x7f}, 2},
      {TYPE(UNORM_SHORT_101010), ORDER(RGB), {{0, 0, 1}}, {0xff, 3, 0, 0}, 4},
      {TYPE(SIGNED_INT8), ORDER(RG), {.natural = {-300, 7}}, {0x80, 7}, 2},
      {TYPE(UNSIGNED_INT8), ORDER(RG), {.natural = {300, 7}}, {255, 7}, 2},
      {TYPE(SIGNED_INT16), ORDER(R), {.natural = {-2}}, {0xfe, 0xff}, 2},
      {TYPE(UNSIGNED_INT32),
       ORDER(R),
       {.natural = {-2}},
       {0xfe, 0xff, 0xff, 0xff},
       4},
      {TYPE(HALF_FLOAT),
       ORDER(RGBA),
       {{1, -2, 65504, 1e9f}},
       {0, 0x3c, 0, 0xc0, 0xff, 0x7b, 0, 0x7c},
       8},
      {TYPE(HALF_FLOAT),
       ORDER(RG),
       {{0x1p-24f, 0x1.004p0f}},
       {1, 0, 1, 0x3c},
       4},
      {TYPE(FLOAT), ORDER(R), {{1}}, {0, 0, 0x80, 0x3f}, 4},
      {TYPE(FLOAT), ORDER(DEPTH), {{1}}, {0, 0, 0x80, 0x3f}, 4},
  };
  client c;
  unsigned char got[9][16];
  const hsa_ext_image_region_t middle = region(1, 1, 0, 1, 1, 1);
  const hsa_ext_image_region_t all = region(0, 0, 0, 3, 3, 1);
  device_open(&c, "mi50");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    picture p = picture_2d(&c, 3, 3, cases[i].type, cases[i].order);
    const size_t size = cases[i].size;
    ck_assert_done(
        hsa_ext_image_clear(c.device, p.image, &cases[i].colour, &middle));
    memset(got, 0xee, sizeof got);
    ck_assert_done(hsa_ext_image_export(c.device, p.image, got, 0, 0, &all));
    const unsigned char *bytes = got[0];
    for (size_t j = 0; j < size; j++) {
      ck_assert_msg(bytes[4 * size + j] == cases[i].expected[j],
                    "case %zu byte %zu: %#x", i, j, bytes[4 * size + j]);
      ck_assert_uint_eq(bytes[3 * size + j], 0);
      ck_assert_uint_eq(bytes[5 * size + j], 0);
    }
    ck_assert_uint_eq(bytes[9 * size], 0xee);
  }
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(regions_go_in_and_come_out_with_their_pitches)
{
  client c;
  uint16_t in[2][4][5], out[2 * 3 * 4];
  const hsa_ext_image_descriptor_t d = {
      .geometry = GEOMETRY(3D),
      .width = 10,
      .height = 10,
      .depth = 4,
      .format = {TYPE(UNSIGNED_INT16), ORDER(R)}};
  const hsa_ext_image_region_t box = region(2, 3, 1, 4, 3, 2);
  const hsa_ext_image_region_t outside = region(7, 3, 1, 4, 3, 2);
  device_open(&c, "mi50");
  picture p = picture_make(&c, &d);
  for (uint16_t i = 0; i < 40; i++)
    in[i / 20][i / 5 % 4][i % 5] = i;
  ck_assert_done(hsa_ext_image_import(c.device, in, sizeof in[0][0],
                                      sizeof in[0], p.image, &box));
  const aq_kernel_image seen =
      aq_kernel_image_of((void *)(uintptr_t)p.image.handle);
  ck_assert_uint_eq(*(uint16_t *)aq_kernel_image_at(&seen, 5, 5, 2),
                    in[1][2][3]);
  ck_assert_uint_eq(*(uint16_t *)aq_kernel_image_at(&seen, 6, 5, 2), 0);
  ck_assert_done(hsa_ext_image_export(c.device, p.image, out, 0, 0, &box));
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 3; y++)
      for (int x = 0; x < 4; x++)
        ck_assert_uint_eq(out[(z * 3 + y) * 4 + x], in[z][y][x]);
  ck_assert_hsa(hsa_ext_image_import(c.device, in, 0, 0, p.image, &outside),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_ext_image_export(c.device, p.image, out, 0, 0, &outside),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(the_layers_of_a_1d_array_come_third_or_second)
{
  client c;
  unsigned char layer[2] = {7, 8}, got[4] = {0};
  const hsa_ext_image_descriptor_t d = {
      .geometry = GEOMETRY(1DA),
      .width = 2,
      .array_size = 3,
      .format = {TYPE(UNSIGNED_INT8), ORDER(R)}};
  const hsa_ext_image_region_t third = region(0, 0, 1, 2, 1, 1);
  const hsa_ext_image_region_t second = region(0, 1, 0, 2, 2, 1);
  device_open(&c, "mi50");
  picture p = picture_make(&c, &d);
  ck_assert_done(hsa_ext_image_import(c.device, layer, 0, 0, p.image, &third));
  ck_assert_done(hsa_ext_image_export(c.device, p.image, got, 0, 0, &second));
  ck_assert_mem_eq(got, ((unsigned char[]){7, 8, 0, 0}), 4);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(images_are_copied_in_part_and_onto_themselves)
{
  client c;
  unsigned char in[16], got[16];
  const hsa_ext_image_region_t all = region(0, 0, 0, 4, 4, 1);
  const hsa_dim3_t origin = {0, 0, 0}, shifted = {1, 1, 0}, size = {3, 3, 1};
  const hsa_dim3_t far = {2, 2, 0};
  device_open(&c, "mi50");
  picture p = picture_2d(&c, 4, 4, TYPE(UNSIGNED_INT8), ORDER(R));
  picture other = picture_2d(&c, 4, 4, TYPE(SIGNED_INT8), ORDER(R));
  for (unsigned char i = 0; i < 16; i++)
    in[i] = i;
  ck_assert_done(hsa_ext_image_import(c.device, in, 0, 0, p.image, &all));
  ck_assert_done(
      hsa_ext_image_copy(c.device, p.image, &origin, p.image, &shifted, &size));
  ck_assert_done(hsa_ext_image_export(c.device, p.image, got, 0, 0, &all));
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 4; x++)
      ck_assert_uint_eq(got[y * 4 + x],
                        x && y ? in[(y - 1) * 4 + x - 1] : in[y * 4 + x]);
  ck_assert_hsa(
      hsa_ext_image_copy(c.device, p.image, &origin, p.image, &far, &size),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_ext_image_copy(c.device, p.image, &origin, other.image,
                                   &origin, &size),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(copies_between_linear_and_standard_colours_convert)
{
  client c;
  const unsigned char in[4] = {55, 128, 255, 77};
  unsigned char got[4];
  const hsa_ext_image_region_t all = region(0, 0, 0, 1, 1, 1);
  const hsa_dim3_t origin = {0, 0, 0}, size = {1, 1, 1};
  device_open(&c, "mi50");
  picture linear = picture_2d(&c, 1, 1, TYPE(UNORM_INT8), ORDER(RGBA));
  picture standard = picture_2d(&c, 1, 1, TYPE(UNORM_INT8), ORDER(SRGBA));
  ck_assert_done(hsa_ext_image_import(c.device, in, 0, 0, linear.image, &all));
  ck_assert_done(hsa_ext_image_copy(c.device, linear.image, &origin,
                                    standard.image, &origin, &size));
  ck_assert_done(
      hsa_ext_image_export(c.device, standard.image, got, 0, 0, &all));
  ck_assert_mem_eq(got, ((unsigned char[]){128, 188, 255, 77}), 4);
  ck_assert_done(hsa_ext_image_copy(c.device, standard.image, &origin,
                                    linear.image, &origin, &size));
  ck_assert_done(hsa_ext_image_export(c.device, linear.image, got, 0, 0, &all));
  ck_assert_mem_eq(got, in, 4);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- kernels ---- */

typedef struct sample_args {
  const uint32_t *image, *sampler; /* handles */
  uint32_t *out;
} sample_args;

/* Reads one element to the right of the image, as the sampler says. */
static void sample(const aq_kernel_call *call)
{
  const sample_args *args = call->kernarg;
  const aq_kernel_image image = aq_kernel_image_of(args->image);
  const aq_kernel_sampler sampler = aq_kernel_sampler_of(args->sampler);
  const uint32_t x =
      sampler.addressing[0] == HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT
          ? 0
          : image.width - 1;
  *args->out = *(const uint32_t *)aq_kernel_image_at(&image, x, 1, 0);
}

START_TEST(a_kernel_reads_image_and_sampler_by_their_handles)
{
  client c;
  aq_hsa_sim sim;
  uint32_t out = 0;
  const uint32_t in[] = {1, 2, 3, 4, 5, 6};
  const hsa_ext_image_region_t all = region(0, 0, 0, 3, 2, 1);
  hsa_ext_sampler_descriptor_t d = {
      .address_mode = HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE};
  const hsa_ext_sampler_descriptor_v2_t d2 = {
      .address_modes = {HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT, 1, 1}};
  hsa_ext_sampler_t samplers[2];
  device_open(&c, "mi50");
  picture p = picture_2d(&c, 3, 2, TYPE(UNSIGNED_INT32), ORDER(R));
  ck_assert_done(hsa_ext_image_import(c.device, in, 0, 0, p.image, &all));
  ck_assert_done(hsa_ext_sampler_create(c.device, &d, &samplers[0]));
  ck_assert_done(hsa_ext_sampler_create_v2(c.device, &d2, &samplers[1]));
  ck_assert_done(hsa_system_get_major_extension_table(AQ_HSA_EXTENSION_SIM, 1,
                                                      sizeof sim, &sim));
  const aq_kernel_desc kernel = {.name = "sample",
                                 .function = sample,
                                 .kernarg_size = sizeof(sample_args)};
  aq_packet packet = {0};
  packet.kernel.setup = 1;
  for (int i = 0; i < 3; i++)
    packet.kernel.workgroup_size[i] = packet.kernel.grid_size[i] = 1;
  ck_assert_done(sim.kernel_register(&kernel, &packet.kernel.kernel_object));
  hsa_queue_t *queue = client_queue(&c, 64);
  for (int i = 0; i < 2; i++) {
    const sample_args args = {(const uint32_t *)(uintptr_t)p.image.handle,
                              (const uint32_t *)(uintptr_t)samplers[i].handle,
                              &out};
    packet.kernel.kernarg_address = (uintptr_t)&args;
    packet.kernel.completion_signal = client_signal(1);
    client_submit(queue, &packet,
                  aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 0,
                                   AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM));
    client_wait_zero(packet.kernel.completion_signal);
    ck_assert_uint_eq(out, i == 0 ? 6 : 4);
    ck_assert_done(hsa_ext_sampler_destroy(c.device, samplers[i]));
    ck_assert_hsa(hsa_ext_sampler_destroy(c.device, samplers[i]),
                  HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  d.filter_mode = 7;
  ck_assert_hsa(hsa_ext_sampler_create(c.device, &d, &samplers[0]),
                HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED);
  ck_assert_hsa(hsa_ext_sampler_create(c.host, &d, &samplers[0]),
                HSA_STATUS_ERROR_INVALID_AGENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* Six words: the third is the filter between levels. */
START_TEST(samplers_of_clients_with_levels_have_another_member)
{
  const uint32_t without[] = {1, 1, 3, 4, 1}, with[] = {1, 1, 2, 3, 4, 1};
  const hsa_ext_image_descriptor_v2_t d = {.geometry = GEOMETRY(2D),
                                           .width = 4,
                                           .height = 4,
                                           .format = {TYPE(FLOAT), ORDER(R)},
                                           .mipmap_levels = 1};
  client c;
  device_open(&c, "mi210");
  for (int levels = 0; levels < 2; levels++) {
    const void *descriptor = levels ? with : without;
    hsa_ext_image_data_info_t info;
    hsa_ext_sampler_t sampler;
    if (levels)
      ck_assert_done(hsa_ext_image_data_get_info_v2(c.device, &d, 1, &info));
    ck_assert_done(hsa_ext_sampler_create_v2(c.device, descriptor, &sampler));
    const aq_kernel_sampler got =
        aq_kernel_sampler_of((void *)(uintptr_t)sampler.handle);
    ck_assert(got.coordinates == 1 && got.filter == 1);
    ck_assert_mem_eq(got.addressing, without + 2, sizeof got.addressing);
    ck_assert_done(hsa_ext_sampler_destroy(c.device, sampler));
  }
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(the_extensions_table_has_its_functions)
{
  client c;
  struct {
    hsa_status_t (*get_capability)(hsa_agent_t, uint32_t,
                                   const hsa_ext_image_format_t *, uint32_t *);
    void (*others[12])(void);
  } table;
  const hsa_ext_image_format_t format = {TYPE(FLOAT), ORDER(R)};
  uint32_t mask = 0;
  device_open(&c, "rx6900xt");
  ck_assert_done(hsa_system_get_major_extension_table(HSA_EXTENSION_IMAGES, 1,
                                                      sizeof table, &table));
  ck_assert_done(table.get_capability(c.device, GEOMETRY(2D), &format, &mask));
  ck_assert_uint_eq(mask, RW);
  ck_assert(table.others[11] ==
            (void (*)(void))hsa_ext_image_create_with_layout);
  memset(&table, 0, sizeof table);
  ck_assert_done(
      hsa_system_get_extension_table(HSA_EXTENSION_IMAGES, 1, 0, &table));
  ck_assert(table.others[8] == (void (*)(void))hsa_ext_sampler_destroy);
  ck_assert(table.others[9] == NULL);
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/ext_images", a_device_with_images_says_which,
             a_device_without_images_has_the_extension_and_no_limits,
             sizes_follow_from_the_pitch_and_too_large_ones_are_refused,
             images_are_made_of_aligned_memory_and_known_layouts,
             an_image_of_a_buffer_begins_with_its_resource,
             clearing_writes_the_colour_in_the_format_of_the_image,
             regions_go_in_and_come_out_with_their_pitches,
             the_layers_of_a_1d_array_come_third_or_second,
             images_are_copied_in_part_and_onto_themselves,
             copies_between_linear_and_standard_colours_convert,
             a_kernel_reads_image_and_sampler_by_their_handles,
             samplers_of_clients_with_levels_have_another_member,
             the_extensions_table_has_its_functions)
