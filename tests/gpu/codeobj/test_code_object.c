/* SPDX-License-Identifier: MIT */
/* Code objects of the public API: the device library's, in files. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "gpu/codeobj/code_object.h"
#include "gpu/devlib/devlib.h"
#include "support/aqtest.h"

static const aq_devlib_object *devlib(const char *target)
{
  const aq_devlib_object *o = aq_devlib_objects;
  while (strcmp(o->target, target) != 0)
    o++;
  return o;
}

static const char *const bundled[] = {"gfx90a", "gfx942"};

/* A bundle file of two objects, as clang writes them. */
static const char *bundle_file(void)
{
  static char path[512];
  uint64_t number = 2, at = 24 + 8, body = 4096;
  snprintf(path, sizeof path, "%s/two.hsaco", aqtest_tmpdir());
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  fwrite("__CLANG_OFFLOAD_BUNDLE__", 24, 1, file);
  fwrite(&number, sizeof number, 1, file);
  for (int i = 0; i < 2; i++) {
    const aq_devlib_object *o = devlib(bundled[i]);
    char id[80];
    snprintf(id, sizeof id, "hipv4-amdgcn-amd-amdhsa--%s", bundled[i]);
    const uint64_t head[] = {body, o->size, strlen(id)};
    fseek(file, (long)at, SEEK_SET);
    fwrite(head, sizeof head, 1, file);
    fwrite(id, strlen(id), 1, file);
    fseek(file, (long)body, SEEK_SET);
    fwrite(o->bytes, o->size, 1, file);
    at += sizeof head + strlen(id);
    body += (o->size + 4095) / 4096 * 4096;
  }
  ck_assert_int_eq(fclose(file), 0);
  return path;
}

static void is_of_devlib(const aq_code_object *object, const char *target)
{
  const aq_devlib_object *o = devlib(target);
  const aq_code_object_info *info = aq_code_object_describe(object);
  ck_assert_str_eq(info->target, target);
  ck_assert_uint_eq(info->size, o->size);
  ck_assert_int_eq(memcmp(info->bytes, o->bytes, o->size), 0);
  /* The block processor and aq_wait, which no host function is for. */
  ck_assert_uint_eq(info->kernel_count, AQ_DEVLIB_KERNEL_COUNT + 2);
  for (int i = 0; i < AQ_DEVLIB_KERNEL_COUNT; i++) {
    const aq_code_kernel *k =
        aq_code_object_kernel(object, aq_devlib_entries[i].name);
    ck_assert_ptr_nonnull(k);
    ck_assert_uint_eq(k->kernarg_size, aq_devlib_kernarg_sizes[i]);
  }
  ck_assert_ptr_null(aq_code_object_kernel(object, "missing"));
}

START_TEST(the_code_of_a_bundle_for_a_device_is_opened)
{
  aq_diag diag = AQ_DIAG_INIT;
  for (int i = 0; i < 2; i++) {
    char name[32]; /* gone before the code object is */
    aq_code_object *object;
    snprintf(name, sizeof name, "%s", bundled[i]);
    ck_assert_status(aq_code_object_open(bundle_file(), name, &object, &diag),
                     AQ_OK, &diag);
    memset(name, 'x', sizeof name);
    is_of_devlib(object, bundled[i]);
    aq_code_object_close(object);
  }
}
END_TEST

START_TEST(a_device_without_code_is_told_the_targets_there_are)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_code_object *object = NULL;
  ck_assert_status(
      aq_code_object_open(bundle_file(), "gfx1100", &object, &diag),
      AQ_ERR_INPUT, &diag);
  ck_assert_msg(strstr(diag.text, "gfx90a") && strstr(diag.text, "gfx942") &&
                    strstr(diag.text, "two.hsaco"),
                "%s", diag.text);
  ck_assert_ptr_null(object);
}
END_TEST

START_TEST(a_bundle_needs_the_name_of_a_device)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_code_object *object = NULL;
  ck_assert_status(aq_code_object_open(bundle_file(), NULL, &object, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "a bundle of code"));
  ck_assert_status(aq_code_object_open("/nowhere.hsaco", NULL, &object, &diag),
                   AQ_ERR_NOT_FOUND, &diag);
  ck_assert_ptr_null(object);
}
END_TEST

START_TEST(a_code_object_in_memory_is_parsed_and_no_other_bytes)
{
  aq_diag diag = AQ_DIAG_INIT;
  const aq_devlib_object *o = devlib("gfx942");
  aq_code_object *object;
  ck_assert_status(aq_code_object_parse(o->bytes, o->size, &object, &diag),
                   AQ_OK, &diag);
  is_of_devlib(object, "gfx942");
  aq_code_object_close(object);
  object = NULL;
  ck_assert_status(aq_code_object_parse("no ELF file", 11, &object, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_ptr_null(object);
  aq_code_object_close(NULL);
}
END_TEST

static void line_keep(const char *text, void *user)
{
  char *kept = user;
  strncat(kept, text, 1000);
  strcat(kept, "\n");
}

START_TEST(it_is_printed_with_its_target_and_each_kernel)
{
  static char text[1 << 16];
  aq_diag diag = AQ_DIAG_INIT;
  const aq_devlib_object *o = devlib("gfx90a");
  aq_code_object *object;
  ck_assert_status(aq_code_object_parse(o->bytes, o->size, &object, &diag),
                   AQ_OK, &diag);
  aq_code_object_print(object, line_keep, text);
  ck_assert_ptr_nonnull(strstr(text, "target          gfx90a\n"));
  for (int i = 0; i < AQ_DEVLIB_KERNEL_COUNT; i++) {
    char line[200];
    snprintf(line, sizeof line, "\n%s: %u bytes of arguments\n",
             aq_devlib_entries[i].name, aq_devlib_kernarg_sizes[i]);
    ck_assert_msg(strstr(text, line), "no line '%s' in:\n%s", line, text);
  }
  aq_code_object_close(object);
}
END_TEST

AQ_TEST_MAIN("gpu/codeobj/code_object",
             the_code_of_a_bundle_for_a_device_is_opened,
             a_device_without_code_is_told_the_targets_there_are,
             a_bundle_needs_the_name_of_a_device,
             a_code_object_in_memory_is_parsed_and_no_other_bytes,
             it_is_printed_with_its_target_and_each_kernel)
