/* SPDX-License-Identifier: MIT */
/*
 * A sweep of 1,000 short points, store and all: with two workers against one
 * (the floor). Wall time, which needs two idle cores, and processor time, which
 * shows the cost of sharing the work on any machine.
 */
#include "bench/bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 5 };

typedef struct cost {
  double wall, processor; /* s */
} cost;

static double seconds(struct timeval t)
{
  return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* The program with a fresh store; its workers are waited for by it. */
static cost sweep(const char *jobs)
{
  const char *top = getenv("AQ_SRCDIR");
  char dir[] = "/tmp/aqbench-XXXXXX", plan[4096], store[64], clean[96];
  struct rusage usage;
  int how;
  if (!mkdtemp(dir))
    abort();
  snprintf(plan, sizeof plan, "%s/tests/bench/sweep.json", top ? top : ".");
  snprintf(store, sizeof store, "%s/runs.db", dir);
  snprintf(clean, sizeof clean, "rm -rf %s", dir);
  const double begin = aqbench_now();
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execl("./aqueduct", "aqueduct", "sweep", plan, "-q", "--jobs", jobs,
          "--store", store, (char *)NULL);
    _exit(127);
  }
  if (wait4(pid, &how, 0, &usage) != pid || how != 0 || system(clean) != 0)
    abort();
  return (cost){aqbench_now() - begin,
                seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

static double one_wall(void *context)
{
  (void)context;
  return sweep("1").wall;
}

static double two_wall(void *context)
{
  (void)context;
  return sweep("2").wall;
}

static double one_processor(void *context)
{
  (void)context;
  return sweep("1").processor;
}

static double two_processor(void *context)
{
  (void)context;
  return sweep("2").processor;
}

int main(void)
{
  aqbench_compare("sweep_1000_points", "s", ROUNDS, one_wall, two_wall, NULL);
  aqbench_compare("sweep_1000_points_processor", "s", ROUNDS, one_processor,
                  two_processor, NULL);
  return 0;
}
