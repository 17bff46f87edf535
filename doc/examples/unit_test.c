/* SPDX-License-Identifier: MIT */
/*
 * Testing code that makes AQL packets, without a GPU.
 *
 * Such a test checks that packets wait for their dependencies and for nothing
 * else. A simulated device runs them in virtual time, and the test asserts on
 * the timeline. It needs the installed library only:
 *
 *   cc unit_test.c $(pkg-config --cflags --libs aqueduct) && ./a.out
 *
 * Any test framework works; this program prints TAP without one.
 */
#include <aqueduct/testbed.h>

#include <stdio.h>
#include <string.h>

/* ---- the code under test: a pipeline of copy-in, compute, copy-out ---- */

typedef struct pipeline {
  uint64_t load, compute, store; /* kernels */
  aq_ring *in, *work, *out;
} pipeline;

/* Each stage waits for the one before it, across queues. */
static aq_signal pipeline_submit(aqsim_testbed *bed, const pipeline *p)
{
  const aq_signal none = {0};
  aq_signal loaded = aqsim_testbed_signal(bed, 1);
  aq_signal computed = aqsim_testbed_signal(bed, 1);
  aq_signal stored = aqsim_testbed_signal(bed, 1);
  aqsim_testbed_dispatch(bed, p->in, p->load, NULL, false, loaded);
  aqsim_testbed_barrier(bed, p->work, AQ_PACKET_BARRIER_AND, &loaded, 1, none);
  aqsim_testbed_dispatch(bed, p->work, p->compute, NULL, false, computed);
  aqsim_testbed_barrier(bed, p->out, AQ_PACKET_BARRIER_AND, &computed, 1, none);
  aqsim_testbed_dispatch(bed, p->out, p->store, NULL, false, stored);
  return stored;
}

/* ---- the tests ---- */

static int tests, failures;

static void check(int holds, const char *what)
{
  printf("%sok %d - %s\n", holds ? "" : "not ", ++tests, what);
  failures += !holds;
}

static aqsim_testbed *bed_open(void)
{
  /* Sets the device's constants that the tests use. */
  static const char *const edits[] = {"dependency_poll=500 ns",
                                      "interrupt_to_host=5 us", NULL};
  aqsim_testbed *bed;
  aq_diag diag = AQ_DIAG_INIT;
  if (aqsim_testbed_open("mi300x", edits, 1, &bed, &diag) == AQ_OK)
    return bed;
  printf("Bail out! %s\n", diag.text);
  return NULL;
}

static void stages_wait_for_one_another(void)
{
  aqsim_testbed *bed = bed_open();
  if (!bed)
    return;
  pipeline p = {aqsim_testbed_kernel(bed, "load", 20 * AQ_US, NULL, NULL),
                aqsim_testbed_kernel(bed, "compute", 50 * AQ_US, NULL, NULL),
                aqsim_testbed_kernel(bed, "store", 10 * AQ_US, NULL, NULL),
                aqsim_testbed_queue(bed, 64),
                aqsim_testbed_queue(bed, 64),
                aqsim_testbed_queue(bed, 64)};
  aq_signal stored = pipeline_submit(bed, &p);
  aqsim_testbed_run_until(bed, 30 * AQ_US);
  check(!aqsim_testbed_record(bed, p.work, 1), "at 30 us nothing is computed");
  aqsim_testbed_wait(bed, stored);
  check(!aqsim_testbed_problem(bed), "the pipeline ends");

  const aq_record *load = aqsim_testbed_record(bed, p.in, 0);
  const aq_record *barrier = aqsim_testbed_record(bed, p.work, 0);
  const aq_record *compute = aqsim_testbed_record(bed, p.work, 1);
  const aq_record *store = aqsim_testbed_record(bed, p.out, 1);
  if (load && barrier && compute && store) {
    check(compute->launch >= load->complete, "compute waits for load");
    check(barrier->start == load->complete + 500 * AQ_NS,
          "its barrier sees the signal one poll later");
    check(store->launch >= compute->complete, "store waits for compute");
    check(strcmp(aqsim_testbed_name(bed, store), "store") == 0,
          "records have names");
    check(store->observe == aqsim_testbed_now(bed) &&
              store->observe == store->complete + 5 * AQ_US,
          "the host wakes up one interrupt after the last decrement");
  }
  aqsim_testbed_close(bed);
}

static void count_call(const aq_kernel_call *call)
{
  ++*(int *)call->user;
}

static void independent_kernels_overlap(void)
{
  aqsim_testbed *bed = bed_open();
  if (!bed)
    return;
  const aq_signal none = {0};
  int calls = 0;
  uint64_t kernel =
      aqsim_testbed_kernel(bed, "k", 100 * AQ_US, count_call, &calls);
  aq_ring *queue = aqsim_testbed_queue(bed, 64);
  for (int i = 0; i < 3; i++)
    aqsim_testbed_dispatch(bed, queue, kernel, NULL, i == 2, none);
  aqsim_testbed_run(bed);
  size_t count;
  const aq_record *rows = aqsim_testbed_timeline(bed, &count);
  check(count == 3 && calls == 3, "three kernels ran");
  check(count == 3 && rows[1].start < rows[0].end,
        "without the barrier bit they overlap");
  check(count == 3 && rows[2].launch >= rows[1].complete,
        "with it the third waits for both");
  aqsim_testbed_close(bed);
}

static void bad_packets_are_named(void)
{
  aqsim_testbed *bed = bed_open();
  if (!bed)
    return;
  const aq_signal none = {0};
  aq_ring *queue = aqsim_testbed_queue(bed, 64);
  aqsim_testbed_dispatch(bed, queue, 0, NULL, false, none);
  aqsim_testbed_run(bed);
  const char *fault = aqsim_testbed_fault(bed, queue);
  check(fault && strstr(fault, "kernel object 0"),
        "a bad packet stops its queue, and the reason names it");
  aqsim_testbed_close(bed);
}

static void deadlocks_are_named(void)
{
  aqsim_testbed *bed = bed_open();
  if (!bed)
    return;
  aq_signal forgotten = aqsim_testbed_signal(bed, 1);
  aq_signal done = aqsim_testbed_signal(bed, 1);
  aq_ring *queue = aqsim_testbed_queue(bed, 64);
  aqsim_testbed_barrier(bed, queue, AQ_PACKET_BARRIER_AND, &forgotten, 1, done);
  aqsim_testbed_wait(bed, done);
  const char *problem = aqsim_testbed_problem(bed);
  check(problem && strstr(problem, "packet 0 (barrier-AND) waits for signal 0"),
        "a wait that cannot end is a problem, and names packet and signal");
  aqsim_testbed_close(bed);
}

int main(void)
{
  stages_wait_for_one_another();
  independent_kernels_overlap();
  bad_packets_are_named();
  deadlocks_are_named();
  printf("1..%d\n", tests);
  return failures != 0;
}
