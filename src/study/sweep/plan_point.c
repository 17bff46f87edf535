/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/plan_point.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_in.h"
#include "common/json_out.h"
#include "store/maintenance.h"
#include "study/session/inputs_digest.h"
#include "study/sweep/summary.h"

/* ---- keys ---- */

/* The sweep's options, replaced by the point's where it has some. */
static aq_performance_options point_options(const aq_sweep *sweep,
                                            const aq_plan_point *point)
{
  aq_performance_options options = sweep->options;
  options.edits = point->edits;
  options.policy = point->policy;
  options.queues = sweep->plan->queues;
  if (point->device)
    options.device = point->device;
  return options;
}

static aq_status scenario_load(const aq_sweep *sweep,
                               const aq_plan_point *point,
                               aq_workload_source **out,
                               aq_scenario_facts *facts, aq_diag *diag)
{
  return aq_scenario_load(
      point->file,
      &(aq_scenario_options){.seed = point->seed,
                             .parameters = point->parameters,
                             .data = sweep->data,
                             .alone = point->alone},
      out, facts, diag);
}

/* The constants in force; a transport without a model by its name. */
static aq_status transport_digest(const aq_session *session, aq_digest *out,
                                  aq_diag *diag)
{
  aq_transport *transport;
  aq_transport_info info;
  aq_status status = aq_session_open(session, NULL, &transport, diag);
  if (status != AQ_OK)
    return status;
  transport->ops->info(transport, &info);
  *out = aq_digest_text(aq_digest_begin(),
                        aq_transport_stack_name(session->transport));
  *out = aq_digest_names(*out, session->options.device);
  for (uint32_t i = 0; i < info.device_count; i++)
    *out = aq_digest_text(*out, info.devices[i].model_hash);
  transport->ops->close(transport);
  return AQ_OK;
}

static aq_status model_digest(const aq_sweep *sweep, const aq_plan_point *point,
                              aq_digest *out, aq_diag *diag)
{
  aq_performance_options options = point_options(sweep, point);
  aq_session session;
  aq_scenario_facts facts;
  aq_workload_source *source;
  options.policy = NULL;
  aq_status status = aq_session_init(&session, &options, NULL, diag);
  if (status != AQ_OK)
    return status;
  status = scenario_load(sweep, point, &source, &facts, diag);
  if (status == AQ_OK) {
    if (!session.options.device && !session.hardware)
      session.options.device = facts.device;
    status = transport_digest(&session, out, diag);
    source->close(source);
  }
  aq_session_fini(&session);
  return status;
}

aq_status aq_point_key(aq_keyring *ring, const aq_plan_point *point,
                       char out[static AQ_POINT_KEY_SIZE], aq_diag *diag)
{
  const aq_plan_point *last = ring->last;
  const aq_plan *plan = ring->sweep->plan;
  const bool same_set = last && last->parameters == point->parameters;
  aq_status status = AQ_OK;
  if (!same_set)
    status = aq_digest_workload(point->file, point->parameters,
                                ring->sweep->data, &ring->workload, diag);
  if (status == AQ_OK && (!same_set || last->device != point->device ||
                          last->edits != point->edits))
    status = model_digest(ring->sweep, point, &ring->device, diag);
  if (status == AQ_OK && (!last || last->policy != point->policy))
    status = aq_digest_policy(point->policy, &ring->policy, diag);
  if (status != AQ_OK)
    return status;
  ring->last = point;
  const int64_t numbers[] = {point->seed, point->alone, plan->queues,
                             plan->rows};
  aq_digest hash = aq_digest_text(aq_digest_begin(), PACKAGE_VERSION);
  hash = aq_digest_bytes(hash, &ring->workload, sizeof ring->workload);
  hash = aq_digest_bytes(hash, &ring->device, sizeof ring->device);
  hash = aq_digest_bytes(hash, &ring->policy, sizeof ring->policy);
  hash = aq_digest_bytes(hash, numbers, sizeof numbers);
  if (plan->figures) /* keys of other plans stay as they were */
    hash = aq_digest_text(hash, "figures");
  snprintf(out, AQ_POINT_KEY_SIZE, "%016" PRIx64 "%016" PRIx64,
           (uint64_t)(hash >> 64), (uint64_t)hash);
  return AQ_OK;
}

/* ---- the run ---- */

static void put_list(aq_json_out *json, const char *key,
                     const char *const *list)
{
  aq_json_out_array(json, key);
  for (size_t i = 0; list[i]; i++)
    aq_json_out_text(json, NULL, list[i]);
  aq_json_out_close_array(json);
}

/* Its place in the plan; every part but the seed names its row in tables. */
static char *place_make(const aq_sweep *sweep, const aq_plan_point *point,
                        const char *device, const char *inputs, int64_t seed)
{
  const aq_plan *plan = sweep->plan;
  aq_json_out *json = aq_json_out_begin(false);
  if (!json)
    return NULL;
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "plan", plan->name);
  aq_json_out_text(json, "workload", point->workload);
  put_list(json, "parameters", point->parameters);
  aq_json_out_text(json, "device", device);
  put_list(json, "set", point->edits);
  aq_json_out_text(json, "policy", point->policy ? point->policy : "none");
  aq_json_out_int(json, "queues", plan->queues);
  aq_json_out_text(json, "inputs", inputs);
  aq_json_out_int(json, "alone", point->alone);
  aq_json_out_int(json, "seed", seed);
  aq_json_out_int(json, "number", point - plan->points);
  if (sweep->distinct)
    aq_json_out_int(json, "points", (int64_t)sweep->distinct);
  aq_json_out_close_map(json);
  return aq_json_out_take(json);
}

aq_status aq_point_place(const aq_sweep *sweep, const aq_plan_point *point,
                         const aq_run_info *run, char **out, aq_diag *diag)
{
  char inputs[AQ_INPUTS_SIZE];
  const char *device = point->device;
  aq_json_doc doc;
  aq_json_node member;
  aq_status status =
      aq_json_parse(&doc, run->point, strlen(run->point), "a run", diag);
  if (status != AQ_OK)
    return status;
  const aq_json_node root = aq_json_root(&doc);
  if (!device && aq_json_member(&root, "device", &member) &&
      aq_json_is_text(&member))
    status = aq_json_text(&member, &device);
  if (status == AQ_OK)
    status = aq_inputs_text(point->file, point->parameters, sweep->data,
                            point->policy, inputs, diag);
  if (status == AQ_OK &&
      !(*out = place_make(sweep, point, device, inputs, run->seed)))
    status = aq_diag_no_memory(diag);
  aq_json_free(&doc);
  return status;
}

static aq_run_info info_make(const aq_sweep *sweep, const aq_plan_point *point,
                             const char *key, const char *place,
                             aq_run_kind kind, int64_t seed)
{
  aq_run_info info;
  aq_run_info_init(&info, kind);
  info.source = point->file;
  info.format = "scenario";
  info.command = sweep->command;
  info.point = place;
  info.content_key = key;
  info.seed = seed;
  return info;
}

static aq_status point_perform(const aq_sweep *sweep, aq_store *store,
                               const aq_plan_point *point, const char *key,
                               aq_session *session, aq_store_writer **out,
                               aq_diag *diag)
{
  aq_performance_options *options = &session->options;
  aq_workload_source *source;
  aq_scenario_facts facts;
  aq_session_facts probed;
  aq_performed performed;
  aq_status status = scenario_load(sweep, point, &source, &facts, diag);
  if (status != AQ_OK)
    return status;
  if (!options->device && !session->hardware)
    options->device = facts.device;
  options->seed = (uint64_t)facts.seed;
  session->facts = &facts;
  session->sums_only = !sweep->plan->rows;
  session->late = true;
  char *place = NULL, inputs[AQ_INPUTS_SIZE];
  status = aq_inputs_text(point->file, point->parameters, sweep->data,
                          point->policy, inputs, diag);
  if (status == AQ_OK) {
    place = place_make(sweep, point, options->device, inputs, facts.seed);
    status = place ? aq_session_probe(session, &probed, diag)
                   : aq_diag_no_memory(diag);
  }
  if (status == AQ_OK) {
    aq_run_info info =
        info_make(sweep, point, key, place, probed.kind, facts.seed);
    status = aq_session_run(session, store, 0, source, &info, &performed, diag);
  }
  if (status == AQ_OK) {
    *out = performed.writer;
    aq_performed_fini(&performed);
    if (!performed.writer && sweep->plan->figures)
      status = aq_kept_make(store, performed.run, diag);
  }
  session->facts = NULL;
  free(place);
  source->close(source);
  return status;
}

aq_status aq_point_run(const aq_sweep *sweep, aq_store *store,
                       const aq_plan_point *point, const char *key,
                       aq_policy_watchdog *watch, aq_store_writer **out,
                       aq_diag *diag)
{
  const aq_performance_options options = point_options(sweep, point);
  aq_session session;
  aq_status status = aq_session_init(&session, &options, watch, diag);
  if (status != AQ_OK)
    return status;
  status = point_perform(sweep, store, point, key, &session, out, diag);
  aq_session_fini(&session);
  return status;
}

aq_status aq_point_store(const aq_sweep *sweep, aq_store *store,
                         aq_store_writer *writer, int64_t run, aq_diag *diag)
{
  aq_store_number(store, run);
  aq_status status = aq_store_writer_finish(writer, NULL, diag);
  /* In the group, though it takes time: figures are made of stored requests. */
  if (status == AQ_OK && sweep->plan->figures)
    status = aq_kept_make(store, run, diag);
  return status;
}

aq_status aq_point_fail(const aq_sweep *sweep, aq_store *store,
                        const aq_plan_point *point, const char *key,
                        const char *why, aq_diag *diag)
{
  aq_store_writer *writer;
  aq_diag unknown = AQ_DIAG_INIT; /* it may be why the point failed */
  char inputs[AQ_INPUTS_SIZE];
  if (aq_inputs_text(point->file, point->parameters, sweep->data, point->policy,
                     inputs, &unknown) != AQ_OK)
    inputs[0] = 0;
  char *place = place_make(sweep, point, point->device, inputs, point->seed);
  if (!place)
    return aq_diag_no_memory(diag);
  aq_run_info info =
      info_make(sweep, point, key, place, AQ_RUN_SIMULATED, point->seed);
  info.failed = why;
  aq_status status = aq_store_writer_open(store, &info, &writer, diag);
  if (status == AQ_OK)
    status = aq_store_writer_leave(writer, NULL, diag);
  free(place);
  return status;
}
