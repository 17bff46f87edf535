/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/compile/mlir_objects.h"

static const char two[] =
    "llvm.func @f() attributes {x = \"gpu.binary @no [\"} {\n"
    "gpu.binary @k  [#gpu.object<#rocdl.target, kernels = "
    "<[#gpu.kernel_metadata<\"f\", !llvm.func<i32 (ptr)>, m = {a = (i1) -> "
    "i1}>]>, bin = \"\\7FE\\\\\\22x\">, #gpu.object<#rocdl.target<O = 3, "
    "chip = \"gfx90a\">, assembly = \"s_endpgm\\0A\">]\n"
    "gpu.binary @\"a b\" <#gpu.select_object<0 : i64>> "
    "[#gpu.object<#rocdl.target<chip = \"gfx942\">, \"BC\">]\n";

static aq_diag diag;

START_TEST(binaries_and_objects_are_found)
{
  aq_mlir_objects objects;
  ck_assert_status(aq_mlir_objects_find(two, strlen(two), &objects, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(objects.binary_count, 2);
  ck_assert_uint_eq(objects.object_count, 3);
  ck_assert_uint_eq(objects.binaries[0].count, 2);
  ck_assert(!objects.binaries[0].chooses);
  ck_assert(objects.binaries[1].chooses);
  ck_assert_str_eq(objects.objects[0].chip, "gfx900"); /* MLIR's default */
  ck_assert_str_eq(objects.objects[1].chip, "gfx90a");
  ck_assert_str_eq(objects.objects[2].chip, "gfx942");
  aq_mlir_objects_fini(&objects);
}
END_TEST

START_TEST(escaped_bytes_are_read)
{
  aq_mlir_objects objects;
  size_t size;
  ck_assert_status(aq_mlir_objects_find(two, strlen(two), &objects, &diag),
                   AQ_OK, &diag);
  unsigned char *bytes = aq_mlir_object_bytes(two, &objects.objects[0], &size);
  ck_assert_uint_eq(size, 5);
  ck_assert_mem_eq(bytes, "\177E\\\"x", 5);
  free(bytes);
  aq_mlir_objects_fini(&objects);
}
END_TEST

START_TEST(the_object_for_the_chip_is_chosen)
{
  char *text;
  size_t size;
  ck_assert_status(
      aq_mlir_objects_choose(two, strlen(two), "gfx90a", &text, &size, &diag),
      AQ_OK, &diag);
  ck_assert_ptr_nonnull(
      strstr(text, "@k  <#gpu.select_object<1 : i64>> [#gpu.object"));
  ck_assert_uint_eq(size,
                    strlen(two) + strlen("<#gpu.select_object<1 : i64>> "));
  free(text);
}
END_TEST

START_TEST(a_module_without_code_for_the_chip_names_its_chips)
{
  char *text;
  size_t size;
  ck_assert_int_eq(
      aq_mlir_objects_choose(two, strlen(two), "gfx1100", &text, &size, &diag),
      AQ_ERR_INPUT);
  ck_assert_str_eq(diag.text, "GPU module @k: its code is for gfx900, gfx90a; "
                              "the device is gfx1100");
}
END_TEST

START_TEST(a_text_that_is_cut_anywhere_is_an_error_or_has_fewer_binaries)
{
  for (size_t i = 0; i < strlen(two); i++) {
    aq_mlir_objects objects;
    char *cut = malloc(i ? i : 1);
    memcpy(cut, two, i);
    if (aq_mlir_objects_find(cut, i, &objects, &diag) == AQ_OK) {
      ck_assert_uint_le(objects.binary_count, 2);
      aq_mlir_objects_fini(&objects);
    }
    free(cut);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/compile/objects", binaries_and_objects_are_found,
             escaped_bytes_are_read, the_object_for_the_chip_is_chosen,
             a_module_without_code_for_the_chip_names_its_chips,
             a_text_that_is_cut_anywhere_is_an_error_or_has_fewer_binaries)
