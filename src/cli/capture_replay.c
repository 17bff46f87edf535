/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/capture_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/packets.h"
#include "capture/reader.h"
#include "cli/perform.h"
#include "cli/runs.h"
#include "common/json_out.h"
#include "common/kernel_set.h"
#include "common/text.h"
#include "run/run.h"

enum { BENCH_MAX = 1000000 };

typedef struct capture_job {
  aq_cap_file *file;
  aq_packet_file *packets; /* instead of `file` */
  aq_performance performance;
  aq_kernel_set kernels;
  aq_kernel_entry *entries; /* owned; of the set */
  aq_run_info info;
  char model[64], hash[64], verdict[64];
  aq_cap_played played;
  int64_t repeats;
  aq_cap_played *bench; /* one a repetition */
} capture_job;

/* ---- playing ---- */

static aq_status play_packets(aq_cli *cli, capture_job *job,
                              aq_transport *transport, aq_cap_played *out)
{
  return aq_packet_file_play(job->packets, transport,
                             job->performance.options.timeout, out, &cli->diag);
}

/* `count` times on one transport; nothing is kept of the first `warm`. */
static aq_status play(aq_cli *cli, capture_job *job, aq_transport *transport,
                      int64_t warm, int64_t count, aq_cap_played *out)
{
  aq_cap_player *player;
  aq_cap_played first;
  const aq_cap_player_options options = {.size = sizeof options,
                                         .transport = transport,
                                         .kernels = job->entries,
                                         .timeout =
                                             job->performance.options.timeout};
  aq_status status = AQ_OK;
  for (int64_t i = -warm; job->packets && i < count && status == AQ_OK; i++)
    status = play_packets(cli, job, transport, i < 0 ? &first : &out[i]);
  if (job->packets)
    return status;
  status = aq_cap_player_create(job->file, &options, &player, &cli->diag);
  if (status != AQ_OK)
    return status;
  for (int64_t i = -warm; i < count && status == AQ_OK; i++)
    status = aq_cap_player_run(player, i < 0 ? &first : &out[i], &cli->diag);
  aq_cap_player_destroy(player);
  return status;
}

static void text_keep(char to[64], const char *from)
{
  snprintf(to, 64, "%s", from ? from : "");
}

/* What the transport says of itself, while it is open. */
static void info_ask(capture_job *job, aq_transport *transport)
{
  aq_transport_info info;
  transport->ops->info(transport, &info);
  job->info.kind =
      aq_run_measures(info.caps) ? AQ_RUN_MEASURED : AQ_RUN_SIMULATED;
  job->info.reproducible = info.reproducible;
  if (info.device_count == 0)
    return;
  text_keep(job->model, info.devices[0].model);
  text_keep(job->hash, info.devices[0].model_hash);
  text_keep(job->verdict, info.devices[0].verdict);
  job->info.device_model = job->model[0] ? job->model : NULL;
  job->info.model_hash = job->hash[0] ? job->hash : NULL;
  job->info.model_verdict = job->verdict[0] ? job->verdict : NULL;
}

static aq_status play_recorded(aq_cli *cli, capture_job *job,
                               aq_record_sink *records)
{
  aq_transport *transport;
  aq_status status =
      aq_performance_open(&job->performance, records, &transport, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = play(cli, job, transport, 0, 1, &job->played);
  info_ask(job, transport);
  transport->ops->close(transport);
  return status;
}

static aq_status play_bench(aq_cli *cli, capture_job *job)
{
  aq_transport *transport;
  if (job->repeats == 0)
    return AQ_OK;
  job->bench = calloc((size_t)job->repeats, sizeof *job->bench);
  if (!job->bench)
    return aq_diag_no_memory(&cli->diag);
  aq_status status =
      aq_performance_open(&job->performance, NULL, &transport, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = play(cli, job, transport, 1, job->repeats, job->bench);
  transport->ops->close(transport);
  return status;
}

/* ---- what is told ---- */

static int by_value(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Least, middle and most; ns. */
static void bench_spread(const capture_job *job, bool host, int64_t *sorted,
                         int64_t out[3])
{
  for (int64_t i = 0; i < job->repeats; i++)
    sorted[i] =
        host ? (int64_t)job->bench[i].host_ns : job->bench[i].span / AQ_NS;
  qsort(sorted, (size_t)job->repeats, sizeof *sorted, by_value);
  out[0] = sorted[0];
  out[1] = sorted[job->repeats / 2];
  out[2] = sorted[job->repeats - 1];
}

static aq_status bench_tell(aq_cli *cli, const capture_job *job)
{
  int64_t host[3], device[3];
  if (job->repeats == 0)
    return AQ_OK;
  int64_t *sorted = calloc((size_t)job->repeats, sizeof *sorted);
  if (!sorted)
    return aq_diag_no_memory(&cli->diag);
  bench_spread(job, true, sorted, host);
  bench_spread(job, false, sorted, device);
  free(sorted);
  aq_cli_note(cli,
              "%" PRId64 " repetitions: submission %.3f us of the host "
              "(%.3f to %.3f), all of it %.3f us in the transport's time "
              "(%.3f to %.3f)",
              job->repeats, (double)host[1] / 1e3, (double)host[0] / 1e3,
              (double)host[2] / 1e3, (double)device[1] / 1e3,
              (double)device[0] / 1e3, (double)device[2] / 1e3);
  return AQ_OK;
}

static void bench_json(aq_json_out *json, const capture_job *job, bool host,
                       const char *key)
{
  aq_json_out_array(json, key);
  for (int64_t i = 0; i < job->repeats; i++)
    aq_json_out_int(json, NULL,
                    host ? (int64_t)job->bench[i].host_ns
                         : job->bench[i].span / AQ_NS);
  aq_json_out_close_array(json);
}

static void capture_notes(aq_json_out *json, const void *user)
{
  const capture_job *job = user;
  aq_json_out_map(json, "capture");
  aq_json_out_int(json, "operations", (int64_t)job->played.operations);
  aq_json_out_int(json, "checked", (int64_t)job->played.digests);
  aq_json_out_int(json, "idle_host_calls", (int64_t)job->played.idle_calls);
  aq_json_out_int(json, "host_ns", (int64_t)job->played.host_ns);
  aq_json_out_int(json, "span_ns", job->played.span / AQ_NS);
  if (job->repeats > 0) {
    bench_json(json, job, true, "bench_host_ns");
    bench_json(json, job, false, "bench_span_ns");
  }
  aq_json_out_close_map(json);
}

/* ---- the run ---- */

static aq_status run_finish(aq_cli *cli, capture_job *job,
                            aq_store_writer *writer)
{
  aq_json_out *json;
  char *notes;
  const int64_t id = aq_store_writer_run(writer);
  job->performance.notes = capture_notes;
  job->performance.notes_user = job;
  aq_status status =
      aq_performance_notes(&job->performance, NULL, &notes, &cli->diag);
  if (status != AQ_OK) {
    aq_store_writer_abort(writer);
    return status;
  }
  job->info.notes = notes;
  status = aq_store_writer_finish(writer, &job->info, &cli->diag);
  if (status == AQ_OK)
    status = aq_cli_json_begin_if(cli, &json);
  if (status == AQ_OK)
    status = bench_tell(cli, job);
  if (status == AQ_OK) {
    if (job->played.idle_calls > 0)
      aq_cli_note(cli, "%" PRIu64 " host calls did nothing",
                  job->played.idle_calls);
    aq_cli_run_print(cli, json, &job->info, id);
    status = aq_cli_json_end_if(cli, json);
  }
  job->info.notes = NULL;
  free(notes);
  return status;
}

static aq_status run_store(aq_cli *cli, capture_job *job, aq_store *store)
{
  aq_store_writer *writer;
  aq_status status =
      aq_store_writer_open(store, &job->info, &writer, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = play_recorded(cli, job, aq_store_writer_sink(writer));
  if (status == AQ_OK)
    status = play_bench(cli, job);
  if (status != AQ_OK) {
    aq_store_writer_abort(writer);
    return status;
  }
  return run_finish(cli, job, writer);
}

/* What has no meaning for a capture is refused, not ignored. */
static aq_status options_check(aq_cli *cli, capture_job *job)
{
  static const aq_cli_option_id foreign[] = {
      AQ_CLI_OPT_MODE, AQ_CLI_OPT_LEVEL, AQ_CLI_OPT_QUEUES, AQ_CLI_OPT_EDGES,
      AQ_CLI_OPT_AS_GRAPH};
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (cli->given[foreign[i]])
      return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                         "--%s does not apply to a capture",
                         aq_cli_options[foreign[i]].name);
  if (job->performance.policy)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--policy does not apply to a capture, which names its "
                       "queues");
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_BENCH, 1, 0, &job->repeats);
  if (status == AQ_OK && job->repeats > BENCH_MAX)
    status =
        aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                    "--bench %" PRId64 ": at most %d", job->repeats, BENCH_MAX);
  return status;
}

static aq_status capture_replay(aq_cli *cli, capture_job *job)
{
  aq_store *store;
  aq_status status = options_check(cli, job);
  if (status == AQ_OK)
    status = aq_packet_file_is(cli->args[0])
                 ? aq_packet_file_open(cli->args[0], &job->packets, &cli->diag)
                 : aq_cap_file_open(cli->args[0], &job->file, &cli->diag);
  if (status == AQ_OK)
    status = aq_kernel_set_open_default(&job->kernels,
                                        aq_cli_repeats(cli, AQ_CLI_OPT_KERNELS),
                                        NULL, &cli->diag);
  if (status == AQ_OK)
    status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status != AQ_OK)
    return status;
  job->info.transport = aq_transport_stack_name(job->performance.transport);
  job->info.source = cli->args[0];
  job->info.format = job->packets ? "packets" : "capture";
  job->info.base_ns = 0;
  status = run_store(cli, job, store);
  aq_store_close(store);
  return status;
}

aq_status aq_cli_replay_capture(aq_cli *cli)
{
  capture_job job = {.info = aq_cli_run_info(cli, AQ_RUN_SIMULATED)};
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_SEED, 0, 0, &job.info.seed);
  if (status == AQ_OK)
    status = aq_cli_performance_init(cli, &job.performance);
  if (status != AQ_OK)
    return status;
  job.performance.options.seed = (uint64_t)job.info.seed;
  status = capture_replay(cli, &job);
  free(job.bench);
  free(job.entries);
  aq_kernel_set_close(&job.kernels);
  aq_packet_file_close(job.packets);
  aq_cap_file_close(job.file);
  aq_performance_fini(&job.performance);
  return status;
}

/* ---- show ---- */

static void line_put(const char *line, void *user)
{
  aq_cli *cli = user;
  char *clean = aq_text_line(line, strlen(line));
  fprintf(cli->out, "%s\n", clean ? clean : "");
  free(clean);
}

static void line_json(const char *line, void *user)
{
  aq_json_out_text(user, NULL, line);
}

static void file_json(aq_json_out *json, const aq_cap_file *file)
{
  const aq_cap_counts *counts = &file->counts;
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "bytes", (int64_t)file->size);
  aq_json_out_int(json, "devices", file->devices);
  aq_json_out_int(json, "queues", counts->queues);
  aq_json_out_int(json, "semaphores", counts->semaphores);
  aq_json_out_int(json, "memories", counts->memories);
  aq_json_out_int(json, "modules", counts->modules);
  aq_json_out_int(json, "programs", counts->programs);
  aq_json_out_int(json, "operations", counts->operations);
  aq_json_out_int(json, "digests", counts->digests);
  aq_json_out_array(json, "kernels");
  for (uint32_t i = 0; i < counts->kernels; i++)
    aq_json_out_text(json, NULL, file->kernels[i]);
  aq_json_out_close_array(json);
  aq_json_out_array(json, "records");
  aq_cap_file_print(file, line_json, json);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

aq_status aq_cli_show_capture(aq_cli *cli)
{
  aq_cap_file *file;
  aq_json_out *json = NULL;
  aq_status status = aq_cap_file_open(cli->args[0], &file, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_cli_json_begin_if(cli, &json);
  if (status == AQ_OK && json)
    file_json(json, file);
  else if (status == AQ_OK)
    aq_cap_file_print(file, line_put, cli);
  if (status == AQ_OK)
    status = aq_cli_json_end_if(cli, json);
  aq_cap_file_close(file);
  return status;
}
