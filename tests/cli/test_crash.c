/* SPDX-License-Identifier: MIT */
/*
 * The program killed at any moment: import, replay, merge and sweep, by
 * SIGKILL, spread over the time that each takes. Earlier results stay whole:
 * `store check` finds nothing, an interrupted run is incomplete or absent, and
 * repeating the command works. AQ_KILLS=N sets how many moments in all (6), and
 * takes a larger run.
 */
#include "support/aqtest.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KILLS = 6, ROWS = 4000, ROWS_SOAK = 20000, WORDS = 12 };

static int kills(void)
{
  const char *text = getenv("AQ_KILLS");
  return text ? atoi(text) : KILLS;
}

/* A file of the test's folder; the same name gives the same text, which stays.
 */
static const char *in_dir(const char *name)
{
  static struct {
    const char *name;
    char path[512];
  } known[16];
  size_t i = 0;
  while (known[i].name && strcmp(known[i].name, name) != 0)
    i++;
  ck_assert_uint_lt(i, 16);
  known[i].name = name;
  snprintf(known[i].path, sizeof known[i].path, "%s/%s", aqtest_tmpdir(), name);
  return known[i].path;
}

/* Starts `aqueduct WORD…` without output; stdout goes to `out` if not NULL, and
 * stderr to a file. */
static pid_t start(const char *out, const char *const words[])
{
  const char *errors = in_dir("errors");
  char *argv[WORDS + 2] = {strdup("aqueduct")};
  const char *build = getenv("AQ_BUILDDIR");
  char program[4096];
  snprintf(program, sizeof program, "%s/aqueduct", build ? build : ".");
  for (int i = 0; i < WORDS && words[i]; i++)
    argv[i + 1] = strdup(words[i]);
  pid_t pid = fork();
  ck_assert_int_ge(pid, 0);
  if (pid > 0) {
    for (int i = 0; argv[i]; i++)
      free(argv[i]);
    return pid;
  }
  int to = open(out ? out : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(to, 1);
  if (!getenv("AQ_CRASH_LOUD"))
    dup2(open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
  execv(program, argv);
  _exit(127);
}

/* Its exit code; -1 when a signal ended it. */
static int end_of(pid_t pid)
{
  int state;
  ck_assert_int_eq(waitpid(pid, &state, 0), pid);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

#define RUN(...) end_of(start(NULL, (const char *const[]){__VA_ARGS__, NULL}))
#define RUN_TO(to, ...)                                                        \
  end_of(start(to, (const char *const[]){__VA_ARGS__, NULL}))

static char *read_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(size + 1);
  ck_assert_uint_eq(fread(text, 1, size, file), size);
  text[size] = '\0';
  fclose(file);
  return text;
}

/* Fails with the stderr of the last program, unless it ended well. */
static void ended_well(int code)
{
  if (code != 0)
    ck_abort_msg("exit %d: %s", code, read_file(in_dir("errors")));
}

static long now_us(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* A trace of many kernels, as an export of ours. */
static void make_trace(const char *path)
{
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs("{\"kind\":\"run\",\"run\":\"measured\",\"base_ns\":0,\"devices\":["
        "{\"ordinal\":0,\"id\":0,\"name\":\"AMD Instinct MI300X\","
        "\"gfx\":\"gfx942\",\"cus\":304}],"
        "\"queues\":[{\"ordinal\":0,\"id\":0,\"device\":0}]}\n",
        file);
  const long rows = getenv("AQ_KILLS") ? ROWS_SOAK : ROWS;
  for (long i = 0; i < rows; i++)
    fprintf(file,
            "{\"row\":%ld,\"kind\":\"kernel\",\"via\":\"direct\",\"name\":"
            "\"k%ld\",\"device\":{\"ordinal\":0,\"id\":0},\"queue\":{"
            "\"ordinal\":0,\"id\":0},\"host_begin\":%ld,\"host_end\":%ld,"
            "\"start\":%ld,\"end\":%ld}\n",
            i, i % 7, i * 20000000, i * 20000000 + 3000000,
            i * 20000000 + 9000000, i * 20000000 + 15000000);
  ck_assert_int_eq(fclose(file), 0);
}

static void copy_file(const char *from, const char *to)
{
  char command[8400];
  snprintf(command, sizeof command, "cp '%s' '%s' && rm -f '%s-wal' '%s-shm'",
           from, to, to, to);
  ck_assert_int_eq(system(command), 0);
}

/* The job that is killed, on a store that holds the complete run "m". */
typedef struct crash_case {
  const char *name;
  const char *words[8]; /* %1: the store, %2: the trace, %3: another store */
} crash_case;

static const crash_case jobs[] = {
    {"import", {"import", "%2", "--name", "new", "-q"}},
    {"replay",
     {"replay", "m", "--device", "mi300x", "--name", "new", "--counters=50us",
      "-q"}},
    {"merge", {"store", "merge", "%3", "-q"}},
};

static pid_t start_job(const crash_case *job, const char *store)
{
  const char *words[WORDS] = {NULL};
  int n = 0;
  for (; n < 8 && job->words[n]; n++)
    words[n] = strcmp(job->words[n], "%2") == 0   ? in_dir("t.jsonl")
               : strcmp(job->words[n], "%3") == 0 ? in_dir("other.db")
                                                  : job->words[n];
  words[n++] = "--store";
  words[n] = store;
  return start(NULL, words);
}

/* "m" is unchanged, and every complete run has all its rows. */
static void check_after(const char *store, const char *expected)
{
  const char *to = in_dir("found");
  ended_well(RUN_TO(to, "store", "check", "--store", store));
  char *found = read_file(to);
  ck_assert_msg(strstr(found, "problem") == NULL, "%s", found);
  free(found);
  const char *m = in_dir("m.jsonl");
  ended_well(RUN_TO(m, "export", "m", "--store", store));
  char *got = read_file(m);
  ck_assert_str_eq(got, expected);
  free(got);
}

/* How many runs are incomplete. */
static int incomplete(const char *store)
{
  const char *to = in_dir("list");
  ended_well(RUN_TO(to, "list", "runs", "--store", store));
  char *list = read_file(to);
  int count = 0;
  for (const char *at = list; (at = strstr(at, "incomplete")); at++)
    count++;
  free(list);
  return count;
}

static void make_stores(void)
{
  make_trace(in_dir("t.jsonl"));
  unlink(in_dir("base.db"));
  ended_well(RUN("import", in_dir("t.jsonl"), "--name", "m", "-q", "--store",
                 in_dir("base.db")));
  copy_file(in_dir("base.db"), in_dir("other.db"));
  ended_well(RUN("replay", "m", "--device", "mi300x", "-q", "--name", "also",
                 "--store", in_dir("other.db")));
  ended_well(RUN("import", in_dir("t.jsonl"), "--name", "third", "-q",
                 "--store", in_dir("other.db")));
}

static long time_of(const crash_case *job)
{
  const char *store = in_dir("timed.db");
  copy_file(in_dir("base.db"), store);
  long begin = now_us();
  ended_well(end_of(start_job(job, store)));
  return now_us() - begin;
}

/* Kills it after `us`; true if that was before its end. */
static bool kill_job(const crash_case *job, const char *store, long us)
{
  pid_t pid = start_job(job, store);
  usleep((useconds_t)us);
  kill(pid, SIGKILL);
  return end_of(pid) < 0;
}

/* The store as it was, on which the job is killed at a moment of the i-th part
 * of its time. When it had ended by then, its time was overrated. */
static void kill_in_part(const crash_case *job, const char *store, int i,
                         int count, long *whole)
{
  for (;;) {
    copy_file(in_dir("base.db"), store);
    if (kill_job(job, store,
                 *whole * i / count + rand() % (*whole / count + 1)))
      return;
    *whole -= *whole / 8;
    ck_assert_int_gt(*whole, 1000);
  }
}

static void crash(const crash_case *job, int count, const char *expected)
{
  const char *store = in_dir("killed.db");
  long whole = time_of(job);
  int cut = 0;
  srand(9);
  for (int i = 0; i < count; i++) {
    kill_in_part(job, store, i, count, &whole);
    check_after(store, expected);
    const int left = incomplete(store);
    cut += left;
    ck_assert_int_le(left, strcmp(job->name, "merge") != 0);
    ck_assert_int_eq(
        RUN("store", "prune", "incomplete", "-q", "--store", store), 0);
    const int again = end_of(start_job(job, store));
    ck_assert(again == 0 || again == 2); /* its name may be there */
    check_after(store, expected);
    ck_assert_int_eq(incomplete(store), 0);
  }
  fprintf(stderr, "# %s: killed at %d moments, %d runs cut off\n", job->name,
          count, cut);
}

static void crash_at_moments(const crash_case *job)
{
  make_stores();
  const char *m = in_dir("m.jsonl");
  ended_well(RUN_TO(m, "export", "m", "--store", in_dir("base.db")));
  char *expected = read_file(m);
  crash(job, kills() / 3 > 0 ? kills() / 3 : 1, expected);
  free(expected);
}

START_TEST(an_import_is_killed_at_any_moment)
{
  crash_at_moments(&jobs[0]);
}
END_TEST

START_TEST(a_replay_is_killed_at_any_moment)
{
  crash_at_moments(&jobs[1]);
}
END_TEST

START_TEST(a_merge_is_killed_at_any_moment)
{
  crash_at_moments(&jobs[2]);
}
END_TEST

/* Its study, which has every point once. */
static char *swept(const char *plan, const char *store)
{
  const char *to = in_dir("study");
  ended_well(RUN("sweep", plan, "-q", "--jobs", "2", "--store", store));
  ended_well(RUN_TO(to, "study", "--by-client", "--store", store));
  return read_file(to);
}

/* Points are stored whole: none is incomplete, and the same command runs the
 * missing points, and no other. */
START_TEST(a_sweep_is_killed_at_any_moment)
{
  const char *top = getenv("AQ_SRCDIR"), *store = in_dir("killed-sweep.db");
  char plan[4096];
  snprintf(plan, sizeof plan, "%s/tests/cli/plan.json", top ? top : ".");
  const crash_case job = {"sweep", {"sweep", plan, "-q", "--jobs", "2"}};
  char *expected = swept(plan, in_dir("swept.db"));
  const int count = kills() / 3 > 0 ? kills() / 3 : 1;
  ended_well(RUN("store", "check", "--store", in_dir("swept.db")));
  for (int i = 0; i < count; i++) {
    unlink(store);
    const long begin = now_us();
    ended_well(end_of(start_job(&job, store)));
    const long whole = now_us() - begin;
    unlink(store);
    kill_job(&job, store, whole * (2 * i + 1) / (2 * count));
    char *got = swept(plan, store);
    ck_assert_int_eq(incomplete(store), 0);
    ended_well(RUN("store", "check", "--store", store));
    ck_assert_str_eq(got, expected);
    free(got);
  }
  free(expected);
}
END_TEST

AQ_TEST_MAIN("cli/crash", an_import_is_killed_at_any_moment,
             a_replay_is_killed_at_any_moment, a_merge_is_killed_at_any_moment,
             a_sweep_is_killed_at_any_moment)
