/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/plan_point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_out.h"
#include "study/sweep/summary.h"

/* ---- keys ---- */

typedef unsigned __int128 digest;

/* FNV-1a, 128 bits: texts are short, and no attacker chooses them. */
static digest digest_begin(void)
{
  return (digest)UINT64_C(0x6c62272e07bb0142) << 64 |
         UINT64_C(0x62b821756295c58d);
}

static digest digest_bytes(digest hash, const void *bytes, size_t size)
{
  const digest prime = (digest)1 << 88 | 0x13b;
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ at[i]) * prime;
  return hash;
}

/* With its end, so that neighbours cannot be confused. */
static digest digest_text(digest hash, const char *text)
{
  return text ? digest_bytes(hash, text, strlen(text) + 1)
              : digest_bytes(hash, "\1", 2);
}

static digest digest_list(digest hash, const char *const *list)
{
  for (size_t i = 0; list[i]; i++)
    hash = digest_text(hash, list[i]);
  return digest_bytes(hash, "\2", 2);
}

static aq_status digest_file(digest *hash, const char *path, aq_diag *diag)
{
  char bytes[16384];
  FILE *file = fopen(path, "rb");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
    *hash = digest_bytes(*hash, bytes, size);
  const bool failed = ferror(file);
  fclose(file);
  return failed ? aq_diag_set(diag, AQ_ERR_INPUT, "%s: cannot be read", path)
                : AQ_OK;
}

/* Without folders: a copy of a plan elsewhere has the same points. */
static digest digest_name(digest hash, const char *text)
{
  if (!text)
    return digest_text(hash, text);
  while (*text) {
    const size_t length = strcspn(text, ",");
    size_t begin = length;
    while (begin > 0 && text[begin - 1] != '/')
      begin--;
    hash = digest_bytes(hash, text + begin, length - begin);
    hash = digest_bytes(hash, ",", 1);
    text += length + (text[length] != 0);
  }
  return digest_bytes(hash, "", 1);
}

/* A plug-in by its bytes, too. */
static aq_status policy_digest(const char *policy, digest *out, aq_diag *diag)
{
  *out = digest_name(digest_begin(), policy);
  const char *comma = policy ? strchr(policy, ',') : NULL;
  if (!policy || !strchr(policy, '/'))
    return AQ_OK;
  char *path =
      comma ? strndup(policy, (size_t)(comma - policy)) : strdup(policy);
  if (!path)
    return aq_diag_no_memory(diag);
  aq_status status = digest_file(out, path, diag);
  free(path);
  return status;
}

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
static aq_status transport_digest(const aq_session *session, digest *out,
                                  aq_diag *diag)
{
  aq_transport *transport;
  aq_transport_info info;
  aq_status status = aq_session_open(session, NULL, &transport, diag);
  if (status != AQ_OK)
    return status;
  transport->ops->info(transport, &info);
  *out =
      digest_text(digest_begin(), aq_transport_stack_name(session->transport));
  *out = digest_name(*out, session->options.device);
  for (uint32_t i = 0; i < info.device_count; i++)
    *out = digest_text(*out, info.devices[i].model_hash);
  transport->ops->close(transport);
  return AQ_OK;
}

static aq_status model_digest(const aq_sweep *sweep, const aq_plan_point *point,
                              digest *out, aq_diag *diag)
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

typedef struct named {
  digest hash;
  aq_status status;
  aq_diag *diag;
} named;

static void named_add(const char *path, void *user)
{
  named *n = user;
  if (n->status == AQ_OK)
    n->status = digest_file(&n->hash, path, n->diag);
}

/* A scenario, and the files that it names. */
static aq_status workload_digest(const aq_sweep *sweep,
                                 const aq_plan_point *point, digest *out,
                                 aq_diag *diag)
{
  named n = {.diag = diag};
  n.hash = digest_list(digest_begin(), point->parameters);
  aq_status status = digest_file(&n.hash, point->file, diag);
  if (status == AQ_OK)
    status = aq_scenario_files(point->file, point->parameters, sweep->data,
                               named_add, &n, diag);
  *out = n.hash;
  return status == AQ_OK ? n.status : status;
}

aq_status aq_point_key(aq_keyring *ring, const aq_plan_point *point,
                       char out[static AQ_POINT_KEY_SIZE], aq_diag *diag)
{
  const aq_plan_point *last = ring->last;
  const aq_plan *plan = ring->sweep->plan;
  const bool same_set = last && last->parameters == point->parameters;
  aq_status status = AQ_OK;
  if (!same_set)
    status = workload_digest(ring->sweep, point, &ring->workload, diag);
  if (status == AQ_OK && (!same_set || last->device != point->device ||
                          last->edits != point->edits))
    status = model_digest(ring->sweep, point, &ring->device, diag);
  if (status == AQ_OK && (!last || last->policy != point->policy))
    status = policy_digest(point->policy, &ring->policy, diag);
  if (status != AQ_OK)
    return status;
  ring->last = point;
  const int64_t numbers[] = {point->seed, point->alone, plan->queues,
                             plan->rows};
  digest hash = digest_text(digest_begin(), PACKAGE_VERSION);
  hash = digest_bytes(hash, &ring->workload, sizeof ring->workload);
  hash = digest_bytes(hash, &ring->device, sizeof ring->device);
  hash = digest_bytes(hash, &ring->policy, sizeof ring->policy);
  hash = digest_bytes(hash, numbers, sizeof numbers);
  if (plan->figures) /* keys of other plans stay as they were */
    hash = digest_text(hash, "figures");
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
                        const char *device, int64_t seed)
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
  aq_json_out_int(json, "alone", point->alone);
  aq_json_out_int(json, "seed", seed);
  aq_json_out_int(json, "number", point - plan->points);
  if (sweep->distinct)
    aq_json_out_int(json, "points", (int64_t)sweep->distinct);
  aq_json_out_close_map(json);
  return aq_json_out_take(json);
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
                               aq_session *session, int64_t *run, aq_diag *diag)
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
  char *place = place_make(sweep, point, options->device, facts.seed);
  status = place ? aq_session_probe(session, &probed, diag)
                 : aq_diag_no_memory(diag);
  if (status == AQ_OK) {
    aq_run_info info =
        info_make(sweep, point, key, place, probed.kind, facts.seed);
    status = aq_session_run(session, store, 0, source, &info, &performed, diag);
  }
  if (status == AQ_OK) {
    *run = performed.run;
    aq_performed_fini(&performed);
  }
  if (status == AQ_OK && sweep->plan->figures)
    status = aq_kept_make(store, *run, diag);
  session->facts = NULL;
  free(place);
  source->close(source);
  return status;
}

aq_status aq_point_run(const aq_sweep *sweep, aq_store *store,
                       const aq_plan_point *point, const char *key,
                       aq_policy_watchdog *watch, int64_t *run, aq_diag *diag)
{
  const aq_performance_options options = point_options(sweep, point);
  aq_session session;
  aq_status status = aq_session_init(&session, &options, watch, diag);
  if (status != AQ_OK)
    return status;
  status = point_perform(sweep, store, point, key, &session, run, diag);
  aq_session_fini(&session);
  return status;
}

aq_status aq_point_fail(const aq_sweep *sweep, aq_store *store,
                        const aq_plan_point *point, const char *key,
                        const char *why, aq_diag *diag)
{
  aq_store_writer *writer;
  char *place = place_make(sweep, point, point->device, point->seed);
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
