/* SPDX-License-Identifier: MIT */
/*
 * The price of records: a client on the drop-in, and a scenario, with all rows,
 * kernel rows only, and one row in a hundred; the floor of each is the same
 * without rows.
 *
 * record_exec_* is wall time a packet, in bursts with a doorbell each, of a
 * process of its own with a spool. Its packets are barriers, so that
 * record_exec_kernels leaves every row out. record_run_* is wall time a request
 * of two kernels, into a store in memory.
 */
#include "config.h"

#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/hsa_client.h"
#include "study/session/runs.h"

enum {
  ROUNDS = 5,
  QUEUE = 256,
  BURST = 128,
  PACKETS = BURST * 1500,
  REQUESTS = 20000
};

static char folder[] = "/tmp/aqbench-XXXXXX";
static char scenario[sizeof folder + 16];

/* ---- a client on the drop-in ---- */

static double packets_run(void)
{
  hsa_signal_t done;
  client_check(hsa_init());
  const hsa_queue_t *queue = client_queue(QUEUE);
  client_check(hsa_signal_create(0, 0, NULL, &done));
  const double begin = aqbench_now();
  for (uint32_t i = 0; i < PACKETS; i += BURST) {
    hsa_signal_store_relaxed(done, BURST);
    for (uint32_t j = 0; j < BURST; j++)
      client_submit(queue, done);
    hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                              HSA_WAIT_STATE_BLOCKED);
  }
  const double seconds = aqbench_now() - begin;
  client_check(hsa_shut_down());
  return seconds / PACKETS * 1e9;
}

/* In a child: the drop-in makes one spool a process. */
static double exec_measure(const char *record)
{
  char path[sizeof folder + 32];
  double ns = 0;
  int result[2];
  if (pipe(result) != 0)
    exit(1);
  const pid_t child = fork();
  if (child == 0) {
    setenv("AQUEDUCT_SPOOL", folder, 1);
    setenv("AQUEDUCT_RECORD", record, 1);
    ns = packets_run();
    _exit(write(result[1], &ns, sizeof ns) != sizeof ns);
  }
  close(result[1]);
  if (read(result[0], &ns, sizeof ns) != sizeof ns)
    exit(1);
  close(result[0]);
  waitpid(child, NULL, 0);
  snprintf(path, sizeof path, "%s/%ld.spool", folder, (long)child);
  unlink(path);
  return ns;
}

/* ---- a scenario ---- */

static void scenario_write(void)
{
  snprintf(scenario, sizeof scenario, "%s/s.json", folder);
  FILE *file = fopen(scenario, "w");
  if (!file)
    exit(1);
  fprintf(file,
          "{\"version\": 1, \"device\": \"mi300x\",\n"
          " \"kernels\": {\"k\": {\"cost\": {\"exponential\": \"8us\"}}},\n"
          " \"requests\": {\"r\": {\"steps\": [{\"kernel\": \"k\","
          " \"repeat\": 2}]}},\n"
          " \"clients\": [{\"name\": \"a\", \"request\": \"r\","
          " \"open\": {\"poisson\": \"20us\"}, \"requests\": %d}]}\n",
          REQUESTS);
  fclose(file);
}

static double run_measure(const char *record)
{
  const aq_performance_options options = {.size = sizeof options,
                                          .record = record};
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store;
  int64_t run;
  aq_status status = aq_store_open(":memory:", AQ_STORE_WRITE, &store, &diag);
  const double begin = aqbench_now();
  if (status == AQ_OK)
    status =
        aq_scenario_run(store, scenario, NULL, &options, NULL, &run, &diag);
  const double seconds = aqbench_now() - begin;
  if (status != AQ_OK) {
    fprintf(stderr, "bench_record: %s\n", diag.text);
    exit(1);
  }
  aq_store_close(store);
  return seconds / REQUESTS * 1e9;
}

/* ---- both ---- */

typedef struct subject {
  double (*measure)(const char *record);
  const char *bench, *unit, *record;
} subject;

static double measure_bounded(void *context)
{
  const subject *s = context;
  return s->measure(s->record);
}

static double measure_silent(void *context)
{
  return ((const subject *)context)->measure("none");
}

int main(void)
{
  static subject subjects[] = {
      {exec_measure, "record_exec_all", "ns/packet", "all"},
      {exec_measure, "record_exec_kernels", "ns/packet", "kernels"},
      {exec_measure, "record_exec_sample_100", "ns/packet", "sample=100"},
      {run_measure, "record_run_all", "ns/request", "all"},
      {run_measure, "record_run_sample_100", "ns/request", "sample=100"}};
  if (!mkdtemp(folder))
    return 1;
  scenario_write();
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
    aqbench_compare(subjects[i].bench, subjects[i].unit, ROUNDS, measure_silent,
                    measure_bounded, &subjects[i]);
  unlink(scenario);
  rmdir(folder);
  return 0;
}
