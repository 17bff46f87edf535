/* SPDX-License-Identifier: MIT */
#include "gpu/wave/jit/jit_builder.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "support/aqtest.h"

static unsigned descriptors_count(void)
{
  unsigned count = 0;
  DIR *all = opendir("/proc/self/fd");
  ck_assert_ptr_nonnull(all);
  while (readdir(all))
    count++;
  closedir(all);
  return count;
}

START_TEST(libraries_are_told_apart_without_open_files)
{
  enum { UNITS = 5 };
  typedef int unit(void);
  aq_jit_builder *builder;
  aq_diag diag = AQ_DIAG_INIT;
  aq_jit_options options;
  unit *units[UNITS];
  ck_assert_status(
      aq_jit_builder_create(AQ_JIT_CC_ALWAYS, NULL, NULL, &builder, &diag),
      AQ_OK, &diag);
  aq_jit_builder_options(builder, &options);
  const unsigned before = descriptors_count();
  for (int i = 0; i < UNITS; i++) {
    char text[128];
    aq_jit_function *run = NULL;
    snprintf(text, sizeof text,
             "__attribute__((visibility(\"default\"))) int aq_unit(void) "
             "{ return %d; }",
             i);
    ck_assert(options.build(options.user, text, strlen(text), 0, true, &run));
    ck_assert_ptr_nonnull((void *)run);
    memcpy(&units[i], &run, sizeof run);
  }
  ck_assert_uint_eq(descriptors_count(), before);
  for (int i = 0; i < UNITS; i++)
    ck_assert_int_eq(units[i](), i);
  aq_jit_builder_destroy(builder);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/jit/builder",
             libraries_are_told_apart_without_open_files)
