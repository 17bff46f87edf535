/* SPDX-License-Identifier: MIT */
/* Our constants and layouts against the HSA headers, where those are. */
#include <stddef.h>
#include <stdint.h>

#include "support/aqtest.h"

#if __has_include(<hsa/hsa_ext_finalize.h>)
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ven_amd_loader.h>

#define C(name, value) _Static_assert((unsigned)(name) == (value), #name);
#define N(name, value)
#include "common/hsa_constants.def"
#undef C
#undef N

_Static_assert(sizeof(hsa_queue_t) == 40, "hsa_queue_t");
_Static_assert(sizeof(hsa_pitched_ptr_t) == 24, "hsa_pitched_ptr_t");
_Static_assert(sizeof(hsa_dim3_t) == 12, "hsa_dim3_t");
_Static_assert(sizeof(hsa_ext_image_format_t) == 8, "image format");
_Static_assert(offsetof(hsa_ext_image_format_t, channel_order) == 4, "order");
_Static_assert(sizeof(hsa_ext_image_descriptor_t) == 48, "image descriptor");
_Static_assert(offsetof(hsa_ext_image_descriptor_t, width) == 8, "width");
_Static_assert(offsetof(hsa_ext_image_descriptor_t, format) == 40, "format");
_Static_assert(sizeof(hsa_ext_image_data_info_t) == 16, "image data info");
_Static_assert(sizeof(hsa_ext_image_region_t) == 24, "image region");
_Static_assert(sizeof(hsa_ext_sampler_descriptor_t) == 12, "sampler");
_Static_assert(offsetof(hsa_amd_image_descriptor_t, data) == 8, "words");
_Static_assert(sizeof(hsa_ext_images_1_00_pfn_t) == 10 * sizeof(void *),
               "functions of images 1.0");
_Static_assert(sizeof(hsa_ext_images_1_pfn_t) == 13 * sizeof(void *),
               "functions of images 1");
_Static_assert(offsetof(hsa_amd_pointer_info_t, agentOwner) == 40, "owner");
_Static_assert(offsetof(hsa_amd_memory_pool_link_info_t, link_type) == 20,
               "link type");

START_TEST(constants_and_layouts_are_those_of_the_headers)
{
  ck_assert_uint_eq(HSA_STATUS_SUCCESS, 0); /* the rest while compiling */
}
END_TEST
#else
START_TEST(constants_and_layouts_are_those_of_the_headers)
{
  aqtest_skip("no HSA headers are installed");
}
END_TEST
#endif

AQ_TEST_MAIN("dropin/hsa/abi", constants_and_layouts_are_those_of_the_headers)
