/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "cli/commands.h"
#include "cli/device_choice.h"
#include "cli/perform.h"
#include "cli/runs.h"
#include "run/replay.h"

/* The rows of a stored run as replay wants them. */
typedef struct store_input {
  aq_replay_input input; /* first */
  aq_run_reader *reader;
} store_input;

static aq_status input_next(aq_replay_input *input, aq_record *rows,
                            int64_t *numbers, size_t capacity, size_t *count,
                            aq_diag *diag)
{
  store_input *from = (store_input *)input;
  return aq_run_reader_next(from->reader, rows, numbers, capacity, count, diag);
}

static const char *input_name(aq_replay_input *input, int64_t id)
{
  return aq_run_reader_name(((store_input *)input)->reader, id);
}

/* What one replay works with. */
typedef struct replay_job {
  aq_store *store;
  aq_cli_performance performance;
  aq_run_info info;
} replay_job;

static aq_status choose_device(aq_cli *cli, replay_job *job,
                               aq_run_reader *reader)
{
  if (job->performance.device)
    return AQ_OK;
  aq_status status =
      aq_device_choose(reader, &job->performance.device, &cli->diag);
  if (status == AQ_OK)
    aq_cli_note(cli, "device model %s, by the GPU that the run names",
                job->performance.device);
  return status;
}

static aq_status replay_rows(aq_cli *cli, replay_job *job,
                             aq_run_reader *reader)
{
  store_input from = {{input_next, input_name}, reader};
  aq_workload_source *workload;
  aq_time first = 0;
  aq_cli_probe probe;
  aq_status status = choose_device(cli, job, reader);
  if (status == AQ_OK)
    status = aq_cli_performance_probe(cli, &job->performance, &probe);
  if (status != AQ_OK)
    return status;
  aq_replay_options options = {
      .latency_warm = probe.device.dispatch_latency_warm,
      .latency_cold = probe.device.dispatch_latency_cold,
      .unmap_after = probe.device.unmap_after,
      .timestamp_step = probe.device.timestamp_step,
      .graph_launch = probe.device.graph_launch,
      .graph_per_node = probe.device.graph_per_node,
      .graph_head = probe.device.graph_head};
  status = aq_replay_open(&from.input, &options, &workload, &first, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_cli_perform(cli, job->store, &job->performance, first, workload,
                          &job->info);
  workload->close(workload);
  return status;
}

static aq_status replay_run(aq_cli *cli, replay_job *job)
{
  aq_run_info *origin;
  aq_run_reader *reader;
  aq_status status =
      aq_store_find(job->store, cli->args[0], &origin, &cli->diag);
  if (status != AQ_OK)
    return status;
  if (!origin->complete)
    aq_cli_note(cli, "run %" PRId64 " is incomplete: its writer was killed",
                origin->id);
  job->info.origin = origin->id;
  job->info.base_ns = origin->base_ns;
  status = aq_run_reader_open(job->store, origin->id, AQ_ORDER_START, &reader,
                              &cli->diag);
  if (status == AQ_OK) {
    status = replay_rows(cli, job, reader);
    aq_run_reader_close(reader);
  }
  aq_run_info_free(origin);
  return status;
}

/* Writing makes a store that is not there; a replay needs one that is. */
static aq_status open_existing_store(aq_cli *cli, aq_store **out)
{
  aq_store *store;
  aq_status status = aq_store_open(cli->values[AQ_CLI_OPT_STORE], AQ_STORE_READ,
                                   &store, &cli->diag);
  if (status != AQ_OK)
    return status;
  aq_store_close(store);
  return aq_cli_store_open(cli, AQ_STORE_WRITE, out);
}

aq_status aq_cli_replay(aq_cli *cli)
{
  replay_job job = {.info = aq_cli_run_info(cli, AQ_RUN_SIMULATED)};
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_SEED, 0, 0, &job.info.seed);
  if (status == AQ_OK)
    status = aq_cli_performance_init(cli, &job.performance);
  if (status != AQ_OK)
    return status;
  job.performance.seed = (uint64_t)job.info.seed;
  status = open_existing_store(cli, &job.store);
  if (status == AQ_OK) {
    status = replay_run(cli, &job);
    aq_store_close(job.store);
  }
  aq_cli_performance_fini(&job.performance);
  return status;
}
