/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/explain/explain_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_in.h"
#include "report/stats/selection.h"

double aq_explained_percent(const aq_explain *explain, aq_time part)
{
  return explain->time > 0 ? 100.0 * (double)part / (double)explain->time : 0;
}

const char *aq_explained_verdict(const aq_explain *explain)
{
  if (explain->time == 0)
    return "no time to explain";
  return explain->bound ? aq_explain_causes[explain->largest].verdict
                        : "no single bottleneck";
}

aq_time aq_explained_overlap(const aq_explain *explain)
{
  return explain->communication - explain->shares[AQ_CAUSE_COMMUNICATION].time;
}

const char *aq_explained_worst_name(const aq_explained *explained,
                                    aq_explain_cause cause,
                                    aq_run_reader *reader)
{
  const aq_dispatches *dispatches = &explained->dispatches;
  const int64_t row = explained->explain.shares[cause].worst_row;
  for (size_t i = 0; i < dispatches->count; i++)
    if (dispatches->rows[i].number == row)
      return aq_run_reader_name(reader, dispatches->rows[i].name);
  return NULL;
}

/* The settings of a run, from its notes. */
typedef struct made {
  bool policy;            /* one decided when jobs were submitted */
  bool replay, open_loop; /* the latter at the measured times */
} made;

static made run_made(const aq_run_info *run)
{
  aq_diag ignored = AQ_DIAG_INIT;
  aq_json_doc doc;
  aq_json_node member, mode;
  const char *loop;
  made out = {0};
  if (!run->notes || aq_json_parse(&doc, run->notes, strlen(run->notes),
                                   "notes", &ignored) != AQ_OK)
    return out;
  const aq_json_node root = aq_json_root(&doc);
  if (aq_json_is_object(&root)) {
    out.policy = aq_json_member(&root, "policy", &member);
    out.replay = aq_json_member(&root, "replay", &member) &&
                 aq_json_is_object(&member) &&
                 aq_json_member(&member, "mode", &mode) &&
                 aq_json_text(&mode, &loop) == AQ_OK;
    out.open_loop = out.replay && strcmp(loop, "open") == 0;
  }
  aq_json_free(&doc);
  return out;
}

/* A replay whose measured run is not in the store is explained without it. */
static aq_status origin_take(aq_store *store, int64_t origin,
                             aq_dispatches *dispatches, bool open,
                             aq_diag *diag)
{
  char id[24];
  aq_run_info *info;
  aq_run_reader *reader;
  aq_dispatches measured = {0};
  aq_diag ignored = AQ_DIAG_INIT;
  snprintf(id, sizeof id, "%" PRId64, origin);
  if (aq_store_find(store, id, &info, &ignored) != AQ_OK)
    return AQ_OK;
  aq_run_info_free(info);
  aq_status status =
      aq_run_reader_open(store, origin, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  status = aq_dispatches_read(reader, AQ_WANT_DISPATCHES, &measured, diag);
  if (status == AQ_OK)
    status = aq_explain_origin(dispatches, &measured, open, diag);
  aq_dispatches_fini(&measured);
  aq_run_reader_close(reader);
  return status;
}

aq_status aq_explained_take(aq_store *store, const aq_run_info *run,
                            aq_run_reader *reader, aq_dispatches *dispatches,
                            aq_explained *out, aq_diag *diag)
{
  const made how = run_made(run);
  const size_t devices = aq_run_reader_device_count(reader);
  int64_t *cus = calloc(devices + 1, sizeof *cus);
  aq_explained explained = {
      .ran = calloc(dispatches->count + 1, sizeof *explained.ran)};
  aq_status status = cus && explained.ran ? AQ_OK : aq_diag_no_memory(diag);
  for (size_t i = 0; i < devices && status == AQ_OK; i++) {
    const aq_run_device *device = aq_run_reader_device(reader, (int64_t)i);
    cus[i] = device->cus == AQ_NONE ? 0 : device->cus;
  }
  if (status == AQ_OK && how.replay && run->origin != AQ_NONE)
    status = origin_take(store, run->origin, dispatches, how.open_loop, diag);
  if (status == AQ_OK)
    status = aq_explain_make(dispatches, cus, devices, how.policy,
                             explained.ran, &explained.explain, diag);
  free(cus);
  if (status != AQ_OK) {
    free(explained.ran);
    return status;
  }
  explained.dispatches = *dispatches;
  *dispatches = (aq_dispatches){0};
  *out = explained;
  return AQ_OK;
}

aq_status aq_explained_make(aq_store *store, const aq_run_info *run,
                            aq_run_reader *reader, aq_stats_by by,
                            const aq_run_window *window, aq_explained *out,
                            aq_diag *diag)
{
  aq_dispatches dispatches = {0};
  aq_window_counts counts;
  aq_status status = aq_part_read(store, run->id, reader, AQ_WANT_DISPATCHES,
                                  by, window, &dispatches, &counts, diag);
  if (status == AQ_OK)
    status = aq_explained_take(store, run, reader, &dispatches, out, diag);
  if (status == AQ_OK)
    out->counts = counts;
  aq_dispatches_fini(&dispatches);
  return status;
}

void aq_explained_fini(aq_explained *explained)
{
  aq_dispatches_fini(&explained->dispatches);
  free(explained->ran);
}
