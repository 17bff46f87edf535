/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/probe.h"
#include "cli/device_probed.h"
#include "cli/device_verbs.h"
#include "cli/perform.h"
#include "cli/runs.h"
#include "common/json_out.h"
#include "devlib/devlib.h"

/* ---- the result ---- */

static void facts_print(const aq_cli *cli, const aq_probe_result *result)
{
  for (int i = 0; i < AQ_PROBE_COUNT; i++) {
    const aq_probe_fact *fact = &result->facts[i];
    const bool time = strcmp(fact->unit, "ps") == 0;
    if (fact->value == AQ_NONE)
      fprintf(cli->out, "%-52s not seen\n", fact->key);
    else
      fprintf(cli->out, "%-52s %14.3f %-4s +- %.3f\n", fact->key,
              (double)fact->value / 1000, time ? "ns" : "kB/s",
              (double)fact->resolution / 1000);
  }
}

static void facts_json(aq_json_out *json, const aq_run_info *info, int64_t id,
                       const aq_device_info *device,
                       const aq_probe_result *result)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "run", id);
  aq_json_out_text(json, "kind", aq_cli_run_kind_name(info->kind));
  aq_json_out_text(json, "transport", info->transport);
  aq_json_out_text(json, "name", device->name);
  aq_json_out_text(json, "gfx", device->gfx);
  aq_json_out_text(json, "simulated_by", device->model);
  aq_json_out_array(json, "constants");
  for (int i = 0; i < AQ_PROBE_COUNT; i++) {
    const aq_probe_fact *fact = &result->facts[i];
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "key", fact->key);
    aq_json_out_int(json, "value", fact->value);
    aq_json_out_text(json, "unit", fact->unit);
    aq_json_out_int(json, "resolution", fact->resolution);
    aq_json_out_text(json, "meaning", fact->meaning);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

static aq_status result_tell(aq_cli *cli, const aq_run_info *info, int64_t id,
                             const aq_device_info *device,
                             const aq_probe_result *result)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json)
    facts_json(json, info, id, device, result);
  else
    facts_print(cli, result);
  status = aq_cli_json_end_if(cli, json);
  if (status == AQ_OK)
    aq_cli_note(cli, "run %" PRId64 " has every packet of the probe", id);
  return status;
}

/* ---- the probe ---- */

/* What the probe told is kept with its rows, for `calibrate`; the caller frees
 * it. */
static aq_status notes_make(aq_cli *cli, const aq_run_info *info,
                            const aq_device_info *device,
                            const aq_probe_result *result, char **out)
{
  aq_json_out *json = aq_json_out_begin(false);
  if (!json)
    return aq_diag_no_memory(&cli->diag);
  aq_json_out_map(json, NULL);
  if (info->kind == AQ_RUN_MEASURED && device->model)
    aq_json_out_text(json, "measured_on", "simulator");
  aq_device_probed_note(json, result);
  aq_json_out_close_map(json);
  *out = aq_json_out_take(json);
  return *out ? AQ_OK : aq_diag_no_memory(&cli->diag);
}

/* Probes the first device into a new run. */
static aq_status probe_store(aq_cli *cli, aq_store *store, aq_transport *t,
                             aq_run_info *info)
{
  aq_transport_info what;
  aq_probe_result result;
  aq_store_writer *writer;
  char *notes = NULL;
  t->ops->info(t, &what);
  const aq_device_info *device = &what.devices[0];
  info->device_model = device->model;
  info->model_hash = device->model_hash;
  info->model_verdict = device->verdict;
  info->kind = aq_run_measures(what.caps) ? AQ_RUN_MEASURED : AQ_RUN_SIMULATED;
  aq_status status = aq_store_writer_open(store, info, &writer, &cli->diag);
  if (status != AQ_OK)
    return status;
  const int64_t id = aq_store_writer_run(writer);
  status = aq_device_probe(t, 0, aq_devlib_image, aq_store_writer_sink(writer),
                           &result, &cli->diag);
  if (status == AQ_OK)
    status = notes_make(cli, info, device, &result, &notes);
  if (status != AQ_OK) {
    aq_store_writer_abort(writer);
    return status;
  }
  t->ops->info(t, &what);
  info->reproducible = what.reproducible;
  info->notes = notes;
  status = aq_store_writer_finish(writer, info, &cli->diag);
  info->notes = NULL;
  free(notes);
  return status == AQ_OK ? result_tell(cli, info, id, device, &result) : status;
}

aq_status aq_cli_device_probe(aq_cli *cli)
{
  aq_performance performance;
  aq_transport *t;
  aq_store *store;
  aq_run_info info = aq_cli_run_info(cli, AQ_RUN_SIMULATED);
  info.source = "device probe";
  info.format = AQ_CLI_PROBE_FORMAT;
  aq_status status = aq_cli_performance_init(cli, &performance);
  if (status != AQ_OK)
    return status;
  info.transport = aq_transport_stack_name(performance.transport);
  status = aq_performance_open(&performance, NULL, &t, &cli->diag);
  if (status == AQ_OK) {
    status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
    if (status == AQ_OK) {
      status = probe_store(cli, store, t, &info);
      aq_store_close(store);
    }
    t->ops->close(t);
  }
  aq_performance_fini(&performance);
  return status;
}
