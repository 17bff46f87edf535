/* SPDX-License-Identifier: MIT */
#include "aqtest.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char tmpdir[256];
static pid_t tmpdir_owner; /* 0: no process has made one */

/* Tests run in processes of their own: what one says of itself is shared. */
static struct note {
  bool skipped, left_out;
  char why[400];
} * note;

/* Why cases were not run, and how many for each reason. */
static struct absence {
  char why[400];
  size_t count;
} * absences;
static size_t absence_count;

static struct note *note_map(void)
{
  void *shared = mmap(NULL, sizeof *note, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    perror("mmap");
    abort();
  }
  return shared;
}

/* The first one counts. */
static void note_set(bool left_out, const char *fmt, va_list args)
{
  if (!note || note->skipped || note->left_out)
    return;
  vsnprintf(note->why, sizeof note->why, fmt, args);
  note->left_out = left_out;
  note->skipped = !left_out;
}

void aqtest_skip(const char *fmt, ...)
{
  va_list args;
  va_start(args, fmt);
  note_set(false, fmt, args);
  va_end(args);
}

void aqtest_skip_unpublished(void)
{
  aqtest_skip("no published traces in AQ_DATA");
}

void aqtest_leave_out(const char *fmt, ...)
{
  va_list args;
  va_start(args, fmt);
  note_set(true, fmt, args);
  va_end(args);
}

static void absence_count_one(const char *why)
{
  size_t i = 0;
  while (i < absence_count && strcmp(absences[i].why, why) != 0)
    i++;
  if (i == absence_count) {
    absences = realloc(absences, ++absence_count * sizeof *absences);
    if (!absences)
      abort();
    absences[i].count = 0;
    snprintf(absences[i].why, sizeof absences[i].why, "%s", why);
  }
  absences[i].count++;
}

static void absences_print(void)
{
  for (size_t i = 0; i < absence_count; i++)
    printf("# %zu cases do not apply: %s\n", absences[i].count,
           absences[i].why);
  free(absences);
  absences = NULL;
  absence_count = 0;
}

static void message_print(const char *text)
{
  for (const char *line = text; *line;) {
    const size_t length = strcspn(line, "\n");
    printf("# %.*s\n", (int)length, line);
    line += length + (line[length] != '\0');
  }
}

/* How many failed, of tests that begin at number `done` of the runner. */
static int failures_print(SRunner *runner, int done)
{
  TestResult **results = srunner_results(runner);
  int failed = 0;
  for (int i = done; i < srunner_ntests_run(runner); i++)
    if (tr_rtype(results[i]) != CK_PASS) {
      char place[600];
      snprintf(place, sizeof place, "%s:%d:", tr_lfile(results[i]),
               tr_lno(results[i]));
      message_print(place);
      message_print(tr_msg(results[i]));
      failed++;
    }
  free(results);
  return failed;
}

typedef enum outcome { FAILED, PASSED, SKIPPED, LEFT_OUT, OUTCOMES } outcome;

/* A case that does not apply has no line of its own. */
static outcome case_run(SRunner *runner, const aqtest_case *what, size_t number,
                        bool tap)
{
  if (what->lacks) {
    absence_count_one(what->lacks);
    return LEFT_OUT;
  }
  const int done = srunner_ntests_run(runner);
  *note = (struct note){0};
  fflush(stdout);
  srunner_run(runner, NULL, what->name, CK_SILENT);
  const bool ran = srunner_ntests_run(runner) > done;
  const bool failed = failures_print(runner, done) != 0 || !ran;
  const bool skipped = note->skipped && !failed;
  if (note->left_out && !failed) {
    absence_count_one(note->why);
    return LEFT_OUT;
  }
  if (tap || failed || skipped)
    printf("%sok %zu - %s%s%s\n", failed ? "not " : "", number, what->name,
           skipped ? " # SKIP " : "", skipped ? note->why : "");
  return failed ? FAILED : skipped ? SKIPPED : PASSED;
}

int aqtest_run(const char *suite_name, const aqtest_case *cases, size_t count)
{
  const char *only = getenv("CK_RUN_CASE");
  const bool tap = getenv("CK_TAP_LOG_FILE_NAME") != NULL;
  unsetenv("CK_TAP_LOG_FILE_NAME");
  Suite *suite = suite_create(suite_name);
  size_t number = 0, counts[OUTCOMES] = {0};
  for (size_t i = 0; i < count; i++) {
    TCase *tcase = tcase_create(cases[i].name);
    tcase_set_timeout(tcase, cases[i].timeout ? cases[i].timeout : 120);
    tcase_add_loop_test(tcase, cases[i].test, cases[i].index,
                        cases[i].index + 1);
    suite_add_tcase(suite, tcase);
  }
  SRunner *runner = srunner_create(suite);
  note = note_map();
  aqtest_tmpdir(); /* a test that is killed leaves its own in this one */
  for (size_t i = 0; i < count; i++)
    if (!only || strcmp(only, cases[i].name) == 0) {
      const outcome came = case_run(runner, &cases[i], number + 1, tap);
      counts[came]++;
      number += came != LEFT_OUT;
    }
  absences_print();
  if (tap)
    printf("1..%zu\n", number);
  else
    printf("%s: %zu of %zu passed, %zu skipped, %zu failed\n", suite_name,
           counts[PASSED], number, counts[SKIPPED], counts[FAILED]);
  srunner_free(runner);
  return tap ? 0 : counts[FAILED] != 0 || number == 0;
}

int aqtest_main(const char *suite_name, const TTest *const *tests, size_t count)
{
  aqtest_case *cases = calloc(count, sizeof *cases);
  if (!cases)
    abort();
  for (size_t i = 0; i < count; i++)
    cases[i] = (aqtest_case){.name = tests[i]->name, .test = tests[i]};
  const int code = aqtest_run(suite_name, cases, count);
  free(cases);
  return code;
}

bool aqtest_is_long(void)
{
  return getenv("AQ_LONG") || getenv("AQ_ORACLES");
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
  /* Others may pass, so that a test can read its contents as another user. */
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
