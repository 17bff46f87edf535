/* SPDX-License-Identifier: MIT */
/* Registers of kernel descriptors, against what metadata counts. */
#include "config.h"

#include <string.h>

#include "gpu/codeobj/codeobj.h"
#include "gpu/devlib/devlib.h"
#include "support/aqtest.h"

static uint32_t round_up(uint32_t value, uint32_t granule)
{
  return (value + granule - 1) / granule * granule;
}

/* The hardware's allocation for a kernel's registers in the metadata. */
static void expect_registers(const char *target, const aq_code_kernel *k,
                             const aq_kernel_registers *got)
{
  const bool unified =
      strcmp(target, "gfx90a") == 0 || strcmp(target, "gfx942") == 0 ||
      strcmp(target, "gfx950") == 0 || strcmp(target, "gfx9-4-generic") == 0;
  const bool twice = strcmp(target, "gfx908") == 0; /* one file as large each */
  const bool gfx9 = strncmp(target, "gfx9", 4) == 0;
  ck_assert_uint_eq(got->wave_size, k->wave_size);
  ck_assert_uint_eq(got->vgprs + (twice ? 0 : got->agprs),
                    round_up(k->vgprs ? k->vgprs : 1, /* one granule */
                             unified || !gfx9 ? 8 : 4));
  if (unified)
    ck_assert_uint_eq(got->vgprs, round_up(k->vgprs - k->agprs, 4));
  else
    ck_assert_uint_eq(got->agprs, twice ? got->vgprs : 0);
  ck_assert_uint_eq(got->sgprs, gfx9 ? round_up(k->sgprs, 16) : 128);
}

START_TEST(the_device_library_has_the_registers_that_its_metadata_needs)
{
  for (const aq_devlib_object *o = aq_devlib_objects; o->target; o++) {
    aq_diag diag = AQ_DIAG_INIT;
    aq_codeobj code;
    ck_assert_status(aq_codeobj_read(o->bytes, o->size, &code, &diag), AQ_OK,
                     &diag);
    for (size_t i = 0; i < code.kernel_count; i++) {
      const aq_kernel_registers got = aq_kernel_descriptor_registers(
          &code.kernels[i].descriptor, &code.target);
      expect_registers(o->target, &code.kernels[i], &got);
    }
    aq_codeobj_fini(&code);
  }
}
END_TEST

START_TEST(each_family_counts_in_its_own_granules)
{
  static const struct {
    const char *target;
    aq_kernel_descriptor descriptor;
    aq_kernel_registers expected;
  } cases[] = {
      {"gfx906", {.rsrc1 = 5 | 4 << 6}, {24, 0, 48, 64}},
      {"gfx803", {.rsrc1 = 5 | 4 << 6}, {24, 0, 40, 64}},
      {"gfx908", {.rsrc1 = 5}, {24, 24, 16, 64}},
      {"gfx90a", {.rsrc1 = 3, .rsrc3 = 2}, {12, 20, 16, 64}},
      {"gfx942", {.rsrc1 = 3, .rsrc3 = 7}, {32, 0, 16, 64}},
      {"gfx9-4-generic", {.rsrc1 = 3, .rsrc3 = 0}, {4, 28, 16, 64}},
      {"gfx1030", {.rsrc1 = 2}, {12, 0, 128, 64}},
      {"gfx1030",
       {.rsrc1 = 2, .properties = AQ_KERNEL_WAVE32},
       {24, 0, 128, 32}},
      {"gfx1201",
       {.rsrc1 = 31, .properties = AQ_KERNEL_WAVE32},
       {256, 0, 128, 32}},
      /* The flag means nothing where waves have 64. */
      {"gfx906", {.rsrc1 = 0, .properties = AQ_KERNEL_WAVE32}, {4, 0, 16, 64}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_target target;
    ck_assert_int_eq(aq_target_parse(cases[i].target, strlen(cases[i].target),
                                     &target, NULL),
                     AQ_OK);
    const aq_kernel_registers got =
        aq_kernel_descriptor_registers(&cases[i].descriptor, &target);
    ck_assert_msg(memcmp(&got, &cases[i].expected, sizeof got) == 0,
                  "case %zu: %u %u %u %u", i, got.vgprs, got.agprs, got.sgprs,
                  got.wave_size);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/codeobj/descriptor",
             the_device_library_has_the_registers_that_its_metadata_needs,
             each_family_counts_in_its_own_granules)
