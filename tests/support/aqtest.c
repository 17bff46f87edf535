/* SPDX-License-Identifier: MIT */
#include "aqtest.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char tmpdir[256];
static pid_t tmpdir_owner; /* 0: nobody has made one */

int aqtest_main(const char *suite_name, const TTest *const *tests, size_t count)
{
  Suite *suite = suite_create(suite_name);
  for (size_t i = 0; i < count; i++) {
    TCase *tcase = tcase_create(tests[i]->name);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
  }
  SRunner *runner = srunner_create(suite);
  int tap = getenv("CK_TAP_LOG_FILE_NAME") != NULL;
  aqtest_tmpdir(); /* a test that is killed leaves its own in this one */
  srunner_run_all(runner, tap ? CK_SILENT : CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return tap ? 0 : failed != 0;
}

const char *aqtest_source(const char *name)
{
  static char path[4096];
  const char *root = getenv("AQ_SRCDIR");
  snprintf(path, sizeof path, "%s/tests/%s", root ? root : ".", name);
  return path;
}

const char *aqtest_data(const char *name)
{
  static char path[4096];
  const char *root = getenv("AQ_DATA");
  const char *source = getenv("AQ_SRCDIR");
  if (root)
    snprintf(path, sizeof path, "%s/%s", root, name);
  else
    snprintf(path, sizeof path, "%s/../shared/data/%s", source ? source : ".",
             name);
  return access(path, R_OK) == 0 ? path : NULL;
}

static int remove_entry(const char *path, const struct stat *info, int type,
                        struct FTW *walk)
{
  (void)info, (void)type, (void)walk;
  return remove(path);
}

/* Forked tests inherit the handler: only the maker removes. */
static void tmpdir_remove(void)
{
  if (getpid() == tmpdir_owner)
    nftw(tmpdir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *aqtest_tmpdir(void)
{
  if (tmpdir_owner == getpid())
    return tmpdir;
  char made[sizeof tmpdir];
  const char *base = tmpdir_owner ? tmpdir : getenv("TMPDIR");
  snprintf(made, sizeof made, "%.200s/aqtest-XXXXXX", base ? base : "/tmp");
  /* Others may pass, so that a test can look at what is in it as nobody. */
  if (!mkdtemp(made) || chmod(made, 0711) != 0) {
    perror(made);
    abort();
  }
  if (!tmpdir_owner)
    atexit(tmpdir_remove);
  memcpy(tmpdir, made, sizeof tmpdir);
  tmpdir_owner = getpid();
  return tmpdir;
}

const char *aqtest_write(const char *name, const void *bytes, size_t size)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", aqtest_tmpdir(), name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
    perror(path);
    abort();
  }
  return path;
}

void aqtest_skip(const char *why)
{
  fprintf(stderr, "skipped: %s\n", why);
}
