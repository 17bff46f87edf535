/* SPDX-License-Identifier: MIT */
/* The loader: code objects in memory. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/object.h"
#include "gpu/codeobj/loader.h"
#include "gpu/devlib/devlib.h"
#include "support/aqtest.h"

enum { ADDEND = 24 };

static aq_status object_load(const object *o,
                             const aq_code_image_options *options,
                             aq_code_image *out, aq_diag *diag)
{
  return aq_code_image_load(o, sizeof *o, options, out, diag);
}

START_TEST(the_device_library_lies_in_memory_as_in_its_file)
{
  for (const aq_devlib_object *o = aq_devlib_objects; o->target; o++) {
    const aq_code_image_options options = {0};
    aq_diag diag = AQ_DIAG_INIT;
    aq_code_image image;
    ck_assert_status(
        aq_code_image_load(o->bytes, o->size, &options, &image, &diag), AQ_OK,
        &diag);
    for (int i = 0; i < AQ_DEVLIB_KERNEL_COUNT; i++) {
      const aq_code_kernel *k =
          aq_codeobj_kernel(&image.code, aq_devlib_entries[i].name);
      ck_assert_ptr_nonnull(k);
      const uint64_t at = aq_code_image_object(&image, k);
      ck_assert(aq_code_image_has(&image, at));
      ck_assert_uint_eq(at % 64, 0);
      ck_assert_mem_eq((void *)at, &k->descriptor, sizeof k->descriptor);
      /* Its code lies in an executable segment, and is 256-byte aligned. */
      const uint64_t entry = at + (uint64_t)k->descriptor.entry_offset;
      ck_assert(aq_code_image_has(&image, entry));
      ck_assert_uint_eq(entry % 256, 0);
      size_t found = 0;
      for (size_t s = 0; s < image.code.segment_count; s++) {
        const aq_code_segment *segment = &image.code.segments[s];
        if (!segment->executable)
          continue;
        found++;
        ck_assert_mem_eq((void *)(segment->address + image.bias),
                         o->bytes + segment->offset, segment->file_size);
      }
      ck_assert_uint_gt(found, 0);
    }
    aq_code_image_unload(&image);
  }
}
END_TEST

/* ---- relocations ---- */

static uint64_t outside_at(void *user, const char *name)
{
  ck_assert_str_eq(name, "outside");
  return *(const uint64_t *)user;
}

/* The results of the ABI's formulas for one relocation at the place of
 * `outside`, against a symbol at `symbol`. */
static void expect_reloc(uint32_t type, uint64_t symbol, uint64_t expected,
                         size_t size, bool relative)
{
  object *o = object_make_referring(OBJECT_GFX942);
  const aq_code_image_options options = {.resolve = outside_at,
                                         .resolve_user = &symbol};
  aq_diag diag = AQ_DIAG_INIT;
  aq_code_image image;
  o->relocations[1].r_info = ELF64_R_INFO(4, type);
  o->relocations[1].r_addend = ADDEND;
  o->sections[3].sh_size = 2 * sizeof(Elf64_Rela);
  memset(&o->outside, 0xee, sizeof o->outside);
  ck_assert_status(object_load(o, &options, &image, &diag), AQ_OK, &diag);
  const char *place = image.base + offsetof(object, outside);
  if (relative)
    expected -= (uintptr_t)place;
  if (relative && size == 4 && type == 11)
    expected >>= 32;
  ck_assert_mem_eq(place, &expected, size); /* little-endian */
  for (size_t i = size; i < 8; i++)
    ck_assert_uint_eq((unsigned char)place[i], 0xee);
  aq_code_image_unload(&image);
}

START_TEST(every_relocation_type_does_what_the_abi_says)
{
  const uint64_t s = UINT64_C(0x7123456789a0);
  expect_reloc(1, s, 0x456789a0 + ADDEND + UINT64_C(0), 4, false);
  expect_reloc(2, s, 0x7123, 4, false);
  expect_reloc(3, s, s + ADDEND, 8, false);
  expect_reloc(5, s, s + ADDEND, 8, true);
  expect_reloc(6, 0x1000, 0x1000 + ADDEND, 4, false);
  expect_reloc(10, s, s + ADDEND, 4, true);
  expect_reloc(11, s, s + ADDEND, 4, true);
}
END_TEST

/* A relocation within the object: a symbol of its own, known distances. */
static aq_status own_reloc(uint32_t type, int64_t addend, aq_code_image *image,
                           aq_diag *diag)
{
  object *o = object_make(OBJECT_GFX942);
  const aq_code_image_options options = {0};
  o->relocations[1] =
      (Elf64_Rela){.r_offset = offsetof(object, outside),
                   .r_info = ELF64_R_INFO(3, type), /* "variable" */
                   .r_addend = addend};
  o->sections[3].sh_size = 2 * sizeof(Elf64_Rela);
  return object_load(o, &options, image, diag);
}

START_TEST(relative_relocations_within_the_object_are_distances)
{
  const int64_t distance =
      (int64_t)offsetof(object, variable) - (int64_t)offsetof(object, outside);
  aq_diag diag = AQ_DIAG_INIT;
  aq_code_image image;
  int32_t near;
  int16_t words;
  ck_assert_status(own_reloc(4, 100, &image, &diag), AQ_OK, &diag); /* REL32 */
  memcpy(&near, image.base + offsetof(object, outside), sizeof near);
  ck_assert_int_eq(near, distance + 100);
  /* RELATIVE64 of object_make: the address of the first descriptor. */
  uint64_t variable;
  memcpy(&variable, image.base + offsetof(object, variable), 8);
  ck_assert_uint_eq(variable,
                    (uintptr_t)image.base + offsetof(object, kernels));
  aq_code_image_unload(&image);
  ck_assert_status(own_reloc(14, 44, &image, &diag), AQ_OK, &diag); /* REL16 */
  memcpy(&words, image.base + offsetof(object, outside), sizeof words);
  ck_assert_int_eq(words, (distance + 44 - 4) / 4);
  aq_code_image_unload(&image);
}
END_TEST

START_TEST(a_relocation_that_cannot_be_applied_is_refused_by_name)
{
  static const struct {
    uint32_t type;
    int64_t addend;
    const char *name;
  } cases[] = {{7, 0, "R_AMDGPU_GOTPCREL"},
               {8, 0, "R_AMDGPU_GOTPCREL32_LO"},
               {9, 0, "R_AMDGPU_GOTPCREL32_HI"},
               {12, 0, "reserved"},
               {15, 0, "no type of the ABI"},
               {6, INT64_C(1) << 33, "R_AMDGPU_ABS32"}, /* of 64 bits */
               {4, INT64_C(1) << 33, "R_AMDGPU_REL32"},
               {14, 1 << 20, "R_AMDGPU_REL16"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    aq_code_image image;
    ck_assert_status(own_reloc(cases[i].type, cases[i].addend, &image, &diag),
                     AQ_ERR_INPUT, &diag);
    ck_assert_msg(strstr(diag.text, cases[i].name) != NULL, "%s", diag.text);
  }
}
END_TEST

/* The same relocations in section after section: more than the file has. */
START_TEST(sections_of_relocations_that_overlap_are_refused)
{
  enum { SECTIONS = 60 };
  const object *o = object_make_referring(OBJECT_GFX942);
  const size_t own = (sizeof *o + 7) / 8 * 8;
  const size_t size = own + SECTIONS * sizeof(Elf64_Shdr);
  char *file = calloc(1, size);
  memcpy(file, o, sizeof *o);
  Elf64_Ehdr *head = (Elf64_Ehdr *)(void *)file;
  Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(file + own);
  for (int i = 0; i < SECTIONS; i++)
    sections[i] = o->sections[i < 4 ? i : 3];
  head->e_shoff = own;
  head->e_shnum = SECTIONS;
  aq_diag diag = AQ_DIAG_INIT;
  aq_codeobj code;
  ck_assert_status(
      aq_codeobj_read_to(file, size, AQ_CODEOBJ_DESCRIPTORS, &code, &diag),
      AQ_ERR_INPUT, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "sections of relocations overlap"));
  free(file);
}
END_TEST

START_TEST(a_variable_that_nobody_defines_is_named_unless_it_is_weak)
{
  object *o = object_make_referring(OBJECT_GFX942);
  const aq_code_image_options options = {0};
  aq_diag diag = AQ_DIAG_INIT;
  aq_code_image image;
  uint64_t got;
  ck_assert_status(object_load(o, &options, &image, &diag), AQ_ERR_NOT_FOUND,
                   &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "outside"));
  o->symbols[4].st_info = ELF64_ST_INFO(STB_WEAK, 0);
  o->outside = 7;
  ck_assert_status(object_load(o, &options, &image, &diag), AQ_OK, &diag);
  memcpy(&got, image.base + offsetof(object, outside), 8);
  ck_assert_uint_eq(got, 0);
  aq_code_image_unload(&image);
}
END_TEST

/* ---- targets and memory ---- */

START_TEST(code_for_another_device_is_refused_with_what_differs)
{
  enum { XNACK_ON = 3 << 8, SRAMECC_OFF = 2 << 10 }; /* e_flags from V4 on */
  static const struct {
    uint32_t flags;
    const char *device, *word; /* NULL: it fits */
  } cases[] = {
      {OBJECT_GFX942, "gfx90a:sramecc+:xnack-", "processors"},
      {OBJECT_GFX90A | 1 << 8 | 1 << 10, "gfx90a:sramecc+:xnack-", NULL},
      {OBJECT_GFX90A | XNACK_ON | 1 << 10, "gfx90a:sramecc+:xnack-", "XNACK"},
      {OBJECT_GFX90A | XNACK_ON | 1 << 10, "gfx90a:sramecc+:xnack+", NULL},
      {OBJECT_GFX90A | SRAMECC_OFF | 1 << 8, "gfx90a:sramecc+", "SRAM ECC"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    object *o = object_make(cases[i].flags);
    aq_target device;
    const aq_code_image_options options = {.device = &device};
    aq_diag diag = AQ_DIAG_INIT;
    aq_code_image image;
    aq_target_parse(cases[i].device, strlen(cases[i].device), &device, NULL);
    aq_status status = object_load(o, &options, &image, &diag);
    if (cases[i].word) {
      ck_assert_status(status, AQ_ERR_UNSUPPORTED, &diag);
      ck_assert_msg(strstr(diag.text, cases[i].word) != NULL, "%s", diag.text);
    } else {
      ck_assert_status(status, AQ_OK, &diag);
      aq_code_image_unload(&image);
    }
  }
}
END_TEST

typedef struct counted {
  size_t live, size, align;
  bool none;
} counted;

static void *counted_allocate(void *user, size_t size, size_t align)
{
  counted *c = user;
  void *memory = NULL;
  if (c->none || posix_memalign(&memory, align, size) != 0)
    return NULL;
  c->live++;
  c->size = size;
  c->align = align;
  return memset(memory, 0, size);
}

static void counted_release(void *user, void *base, size_t size)
{
  counted *c = user;
  ck_assert_uint_eq(size, c->size);
  c->live--;
  free(base);
}

START_TEST(an_image_lies_where_its_caller_wants_it)
{
  counted c = {0};
  const aq_code_memory memory = {counted_allocate, counted_release, &c};
  const aq_code_image_options options = {.memory = &memory};
  aq_diag diag = AQ_DIAG_INIT;
  aq_code_image image;
  object *o = object_make(OBJECT_GFX942);
  o->segment.p_align = 1 << 16;
  ck_assert_status(object_load(o, &options, &image, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(c.live, 1);
  ck_assert_uint_eq(c.align, 1 << 16);
  ck_assert_uint_eq((uintptr_t)image.base % (1 << 16), 0);
  /* Memory beyond the file's bytes is zero. */
  for (size_t i = 0; i < 100; i++)
    ck_assert_uint_eq(image.base[sizeof(object) + i], 0);
  aq_code_image_unload(&image);
  ck_assert_uint_eq(c.live, 0);
  o = object_make_referring(OBJECT_GFX942); /* fails after allocating */
  ck_assert_status(object_load(o, &options, &image, &diag), AQ_ERR_NOT_FOUND,
                   &diag);
  ck_assert_uint_eq(c.live, 0);
  c.none = true;
  o = object_make(OBJECT_GFX942);
  ck_assert_status(object_load(o, &options, &image, &diag), AQ_ERR_NO_MEMORY,
                   &diag);
  o->segment.p_align = 12345;
  ck_assert_status(object_load(o, &options, &image, &diag), AQ_ERR_INPUT,
                   &diag);
}
END_TEST

AQ_TEST_MAIN("gpu/codeobj/image",
             the_device_library_lies_in_memory_as_in_its_file,
             every_relocation_type_does_what_the_abi_says,
             relative_relocations_within_the_object_are_distances,
             a_relocation_that_cannot_be_applied_is_refused_by_name,
             sections_of_relocations_that_overlap_are_refused,
             a_variable_that_nobody_defines_is_named_unless_it_is_weak,
             code_for_another_device_is_refused_with_what_differs,
             an_image_lies_where_its_caller_wants_it)
