/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/packets.h"
#include "capture/reader.h"
#include "cli/capture_replay.h"
#include "cli/commands.h"
#include "cli/device_choice.h"
#include "cli/perform.h"
#include "cli/runs.h"
#include "common/text.h"
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
  aq_performance performance;
  aq_run_info info;
  const aq_run_info *origin_run; /* borrowed while the run is read */
  char *chosen; /* owned: devices that nobody asked for, or NULL */
  aq_replay_options options;
  aq_replay_facts facts;
  int64_t confidence; /* least of the edges; above 100: none */
} replay_job;

/* A loose dependency held nothing back in the measured run, but may when the
 * host follows the device. */
enum { CONFIDENCE = 50, CONFIDENCE_CLOSED = 30, NO_EDGES = 101 };

/* ---- options ---- */

static aq_status read_mode(aq_cli *cli, replay_job *job)
{
  static const char *const modes[] = {"open", "closed", NULL};
  const char *mode = cli->values[AQ_CLI_OPT_MODE];
  if (!mode || strcmp(mode, "open") == 0)
    return AQ_OK;
  if (strcmp(mode, "closed") == 0) {
    job->options.closed = true;
    return AQ_OK;
  }
  const char *near = aq_text_nearest(mode, modes);
  return aq_diag_set(
      &cli->diag, AQ_ERR_INVALID, "--mode '%s': open or closed expected%s%s%s",
      mode, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static aq_status read_level(aq_cli *cli, replay_job *job)
{
  int64_t level;
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_LEVEL, 1, 1, &level);
  if (status == AQ_OK && level > 2)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--level %" PRId64 ": 1 or 2 expected", level);
  job->options.predict = level == 2;
  return status;
}

static aq_status read_confidence(aq_cli *cli, replay_job *job)
{
  const char *text = cli->values[AQ_CLI_OPT_EDGES];
  if (text && strcmp(text, "none") == 0) {
    job->confidence = NO_EDGES;
    return AQ_OK;
  }
  aq_status status = aq_cli_number(
      cli, AQ_CLI_OPT_EDGES, 0,
      job->options.closed ? CONFIDENCE_CLOSED : CONFIDENCE, &job->confidence);
  if (status == AQ_OK && job->confidence > 100)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--edges %" PRId64 ": a percentage or none expected",
                       job->confidence);
  return status;
}

static aq_status read_options(aq_cli *cli, replay_job *job)
{
  job->options.as_graph = aq_cli_flag(cli, AQ_CLI_OPT_AS_GRAPH);
  aq_status status = read_mode(cli, job);
  if (status == AQ_OK)
    status = read_level(cli, job);
  if (status == AQ_OK)
    status = aq_cli_queues(cli, &job->options.queues);
  return status == AQ_OK ? read_confidence(cli, job) : status;
}

/* ---- notes ---- */

/* How it was replayed, for those who look at the run later. */
static void replay_notes(aq_json_out *json, const void *user)
{
  const replay_job *job = user;
  const aq_replay_facts *facts = &job->facts;
  aq_json_out_map(json, "replay");
  aq_json_out_text(json, "mode", job->options.closed ? "closed" : "open");
  aq_json_out_int(json, "level", job->options.predict ? 2 : 1);
  aq_json_out_text(json, "queues_from", facts->streams ? "streams" : "queues");
  aq_json_out_int(json, "queues", facts->queues ? facts->queues : AQ_NONE);
  if (facts->shapeless)
    aq_json_out_int(json, "shapeless", (int64_t)facts->shapeless);
  aq_json_out_int(json, "edges", (int64_t)facts->edges);
  aq_json_out_int(json, "edge_confidence",
                  job->confidence > 100 ? AQ_NONE : job->confidence);
  if (job->options.closed)
    aq_json_out_int(json, "waits", (int64_t)facts->waits);
  if (job->options.as_graph)
    aq_json_out_int(json, "graphs", (int64_t)facts->graphs);
  if (job->options.predict) {
    aq_json_out_int(json, "predicted", (int64_t)facts->predicted);
    aq_json_out_int(json, "unlike", (int64_t)facts->unlike);
  }
  aq_json_out_close_map(json);
}

static aq_status choose_device(aq_cli *cli, replay_job *job,
                               aq_run_reader *reader)
{
  if (job->performance.options.device || job->performance.hardware)
    return AQ_OK;
  aq_device_choice choice;
  aq_status status = aq_device_choose(job->store, job->origin_run, reader,
                                      &choice, &cli->diag);
  if (status != AQ_OK)
    return status;
  job->performance.options.device = job->chosen = choice.models;
  if (choice.step)
    aq_cli_note(cli,
                "device model %s, guessed from timestamps that step by %d ns: "
                "the run does not name its GPU",
                choice.models, choice.step);
  else
    aq_cli_note(cli, "device model %s, by the GPU that the run names",
                choice.models);
  return AQ_OK;
}

/* The edges of the run that are sure enough; the caller frees *out. */
static aq_status read_edges(aq_cli *cli, replay_job *job, aq_run_reader *reader,
                            aq_edge **out)
{
  const aq_edge *edges;
  size_t count;
  aq_status status = aq_run_reader_edges(reader, &edges, &count, &cli->diag);
  if (status != AQ_OK)
    return status;
  aq_edge *kept = malloc((count + 1) * sizeof *kept);
  if (!kept)
    return aq_diag_no_memory(&cli->diag);
  for (size_t i = 0; i < count; i++)
    if (edges[i].confidence >= job->confidence)
      kept[job->options.edge_count++] = edges[i];
  job->options.edges = *out = kept;
  return AQ_OK;
}

static void ask_device(replay_job *job, const aq_device_info *device)
{
  job->options.latency_warm = device->dispatch_latency_warm;
  job->options.latency_cold = device->dispatch_latency_cold;
  job->options.unmap_after = device->unmap_after;
  job->options.timestamp_step = device->timestamp_step;
  job->options.graph_launch = device->graph_launch;
  job->options.graph_per_node = device->graph_per_node;
  job->options.graph_head = device->graph_head;
}

static aq_status replay_source(aq_cli *cli, replay_job *job,
                               aq_run_reader *reader)
{
  store_input from = {{input_next, input_name}, reader};
  aq_workload_source *workload;
  aq_status status = aq_replay_open(&from.input, &job->options, &workload,
                                    &job->facts, &cli->diag);
  if (status != AQ_OK)
    return status;
  if (job->facts.shapeless)
    aq_cli_note(cli,
                "%" PRIu64 " kernels have no grid or workgroup size: their "
                "packets stand for one work-item or wave",
                job->facts.shapeless);
  job->performance.notes = replay_notes;
  job->performance.notes_user = job;
  status = aq_cli_perform(cli, job->store, &job->performance,
                          job->facts.first_submit, workload, &job->info);
  workload->close(workload);
  return status;
}

static aq_status replay_rows(aq_cli *cli, replay_job *job,
                             aq_run_reader *reader)
{
  aq_performance_facts probe;
  aq_edge *edges = NULL;
  aq_status status = choose_device(cli, job, reader);
  if (status == AQ_OK)
    status = aq_performance_probe(&job->performance, &probe, &cli->diag);
  if (status == AQ_OK)
    status = read_edges(cli, job, reader, &edges);
  if (status != AQ_OK)
    return status;
  ask_device(job, &probe.device);
  job->info.kind = probe.kind;
  status = replay_source(cli, job, reader);
  free(edges);
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
  job->info.truncated = origin->truncated;
  job->origin_run = origin;
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
  if (aq_cap_file_is(cli->args[0]) || aq_packet_file_is(cli->args[0]))
    return aq_cli_replay_capture(cli);
  if (cli->given[AQ_CLI_OPT_BENCH] || cli->given[AQ_CLI_OPT_KERNELS])
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--bench and --kernels are for captures, which '%s' is "
                       "not",
                       cli->args[0]);
  replay_job job = {.info = aq_cli_run_info(cli, AQ_RUN_SIMULATED)};
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_SEED, 0, 0, &job.info.seed);
  if (status == AQ_OK)
    status = read_options(cli, &job);
  if (status == AQ_OK)
    status = aq_cli_performance_init(cli, &job.performance);
  if (status != AQ_OK)
    return status;
  job.performance.options.seed = (uint64_t)job.info.seed;
  status = open_existing_store(cli, &job.store);
  if (status == AQ_OK) {
    status = replay_run(cli, &job);
    aq_store_close(job.store);
  }
  aq_performance_fini(&job.performance);
  free(job.chosen);
  return status;
}
