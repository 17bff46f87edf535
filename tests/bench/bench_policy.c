/* SPDX-License-Identifier: MIT */
/*
 * An M/M/1 queue on the simulator, host time a job from its arrival to its
 * completion told to the source, without records: each policy against a run
 * without one (the floor). With `immediate` every hook is left out; with `fifo`
 * three are called a job. Processor time: one thread does it all.
 */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "backend_sim/sim.h"
#include "common/rng.h"
#include "study/loop/run.h"

enum { ROUNDS = 5, JOBS = 400000, MANY = 10000000, HOOKS = 3 };

typedef struct arrivals {
  aq_workload_source source; /* first */
  aq_rng rng;
  uint64_t next, jobs;
  aq_time due;
  aq_command command;
} arrivals;

static aq_time draw(arrivals *a, double mean)
{
  return (aq_time)(-log(aq_rng_unit(&a->rng)) * mean);
}

static aq_time arrivals_peek(aq_workload_source *source)
{
  const arrivals *a = (arrivals *)source;
  return a->next < a->jobs ? a->due : AQ_TIME_MAX;
}

static aq_status arrivals_next(aq_workload_source *source, aq_job *out,
                               bool *got, aq_diag *diag)
{
  arrivals *a = (arrivals *)source;
  (void)diag;
  a->command.cost.base = draw(a, 50e6);
  *out = (aq_job){.id = a->next++,
                  .stream = AQ_NONE,
                  .queue = AQ_NONE,
                  .submit = a->due,
                  .deadline = AQ_TIME_NONE,
                  .commands = &a->command,
                  .command_count = 1};
  a->due += draw(a, 100e6);
  *got = true;
  return AQ_OK;
}

static const char *arrivals_name(aq_workload_source *source, int64_t id)
{
  (void)source;
  (void)id;
  return "serve";
}

static double processor_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double mm1_run(const char *policy, uint64_t jobs)
{
  arrivals a = {.source = {.peek = arrivals_peek,
                           .next = arrivals_next,
                           .name = arrivals_name},
                .jobs = jobs,
                .command = {.kind = AQ_KIND_KERNEL,
                            .cost = {.kind = AQ_COST_SPIN},
                            .grid = {64, 1, 1},
                            .workgroup = {64, 1, 1},
                            .bytes = AQ_NONE,
                            .origin = AQ_NONE}};
  aq_policy_choice *choice = NULL;
  aq_run_totals totals;
  aq_diag diag = AQ_DIAG_INIT;
  aq_rng_init(&a.rng, 1, 0);
  if (policy && aq_policy_choice_create(policy, &choice, &diag) != AQ_OK)
    abort();
  const aq_run_options options = {.transport = &aqsim_transport_ops,
                                  .policy = choice};
  const double begin = processor_now();
  if (aq_run(&options, &a.source, NULL, &totals, &diag) != AQ_OK)
    abort();
  const double took = processor_now() - begin;
  aq_policy_choice_destroy(choice);
  return took * 1e9 / (double)jobs;
}

static double without(void *context)
{
  (void)context;
  return mm1_run(NULL, JOBS);
}

static double with(void *context)
{
  return mm1_run(context, JOBS);
}

/* The cost of a hook that replaces the built-in default. */
static double hook(void *context)
{
  static char immediate[] = "immediate";
  const double base = with(immediate);
  return (with(context) - base) / HOOKS;
}

static double many_without(void *context)
{
  (void)context;
  return mm1_run(NULL, MANY) * MANY * 1e-9;
}

static double many_with(void *context)
{
  return mm1_run(context, MANY) * MANY * 1e-9;
}

int main(int argc, char **argv)
{
  static char immediate[] = "immediate", fifo[] = "fifo";
  if (argc > 2) { /* POLICY JOBS: once, to count instructions */
    printf("%.1f ns/job\n", mm1_run(argv[1][0] == '-' ? NULL : argv[1],
                                    strtoull(argv[2], 0, 10)));
    return 0;
  }
  aqbench_compare("mm1_immediate", "ns/job", ROUNDS, without, with, immediate);
  aqbench_compare("mm1_fifo", "ns/job", ROUNDS, without, with, fifo);
  aqbench_compare("mm1_hook", "ns", ROUNDS, NULL, hook, fifo);
  aqbench_compare("mm1_fifo_10M", "s", 1, many_without, many_with, fifo);
  return 0;
}
