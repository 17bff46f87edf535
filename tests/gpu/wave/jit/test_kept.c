/* SPDX-License-Identifier: MIT */
#include "gpu/wave/jit/library_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/aqtest.h"

enum { SIZE = 1000 };

static const char text[] = "int x;";

static void path_of(char path[256], const char *name)
{
  snprintf(path, 256, "%s/%s", aqtest_tmpdir(), name);
}

/* Writes a library that was used at a time. */
static void library(const char *name, time_t used)
{
  char path[256];
  static char bytes[SIZE];
  const struct timespec times[2] = {{used, 0}, {used, 0}};
  path_of(path, name);
  aq_jit_cache_write(path, text, sizeof text, bytes, sizeof bytes);
  ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const char *name)
{
  char path[256];
  path_of(path, name);
  return access(path, F_OK) == 0;
}

static void all_remove(void)
{
  static const char *const names[] = {"a.native", "b.native", "c.native",
                                      "other"};
  char path[256];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    path_of(path, names[i]);
    unlink(path);
  }
}

START_TEST(a_folder_keeps_the_libraries_that_were_used_last)
{
  all_remove();
  library("a.native", 3000);
  library("b.native", 1000);
  library("c.native", 2000);
  library("other", 500);
  aq_jit_cache_limit(aqtest_tmpdir(), 4 * SIZE);
  ck_assert(is_there("a.native") && is_there("b.native") &&
            is_there("c.native"));
  aq_jit_cache_limit(aqtest_tmpdir(), 3 * SIZE);
  ck_assert(!is_there("b.native"));
  ck_assert(is_there("a.native") && is_there("c.native"));
  aq_jit_cache_limit(aqtest_tmpdir(), 2 * SIZE);
  ck_assert(is_there("a.native") && !is_there("c.native"));
  aq_jit_cache_limit(aqtest_tmpdir(), 0);
  ck_assert(!is_there("a.native"));
  ck_assert(is_there("other")); /* is no library */
}
END_TEST

START_TEST(a_library_is_read_for_its_text_only)
{
  char path[256];
  size_t size = 0;
  all_remove();
  library("a.native", 1000);
  path_of(path, "a.native");
  char *bytes = aq_jit_cache_read(path, text, sizeof text, &size);
  ck_assert_ptr_nonnull(bytes);
  ck_assert_uint_eq(size, SIZE);
  free(bytes);
  ck_assert_ptr_null(aq_jit_cache_read(path, "int y;", sizeof text, &size));
  ck_assert_int_eq(chmod(path, 0666), 0); /* others may write it */
  ck_assert_ptr_null(aq_jit_cache_read(path, text, sizeof text, &size));
}
END_TEST

AQ_TEST_MAIN("gpu/wave/jit/kept",
             a_folder_keeps_the_libraries_that_were_used_last,
             a_library_is_read_for_its_text_only)
