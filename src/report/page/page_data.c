/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/page/page_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "report/compare/compare_json.h"
#include "report/explain/explain_run.h"
#include "report/page/page_code.h"
#include "report/page/page_findings.h"
#include "report/page/page_json.h"
#include "report/page/page_program.h"
#include "report/page/page_rows.h"
#include "report/page/page_tracks.h"
#include "report/stats/compare_runs.h"
#include "report/stats/short_names.h"

static double ns(aq_time time)
{
  return (double)time / AQ_NS;
}

/* ---- a run ---- */

static void put_places(aq_run_reader *reader, FILE *out)
{
  aq_page_key_put(out, "devices");
  putc('[', out);
  for (size_t i = 0; i < aq_run_reader_device_count(reader); i++) {
    const aq_run_device *device = aq_run_reader_device(reader, (int64_t)i);
    fprintf(out, "%s{\"ordinal\":%zu", i ? "," : "", i);
    aq_page_member_put(out, "name", device->name);
    aq_page_member_put(out, "gfx", device->gfx);
    aq_page_number_put(out, "cus", device->cus);
    putc('}', out);
  }
  fputs("]", out);
  aq_page_key_put(out, "queues");
  putc('[', out);
  for (size_t i = 0; i < aq_run_reader_queue_count(reader); i++) {
    const aq_run_queue *queue = aq_run_reader_queue(reader, (int64_t)i);
    fprintf(out, "%s{\"device\":%" PRId64, i ? "," : "", queue->device);
    aq_page_number_put(out, "id", queue->source_id);
    putc('}', out);
  }
  fputs("]", out);
}

/* Names as a reader wants them, beside the whole ones. */
static aq_status put_short_names(aq_run_reader *reader, FILE *out,
                                 aq_diag *diag)
{
  char **names = NULL;
  size_t count = 0, capacity = 0;
  const char *name;
  bool good = true;
  for (int64_t i = 0; good && (name = aq_run_reader_name(reader, i)); i++) {
    char *copy = strdup(name);
    good = copy && AQ_ARRAY_PUSH(names, count, capacity, copy);
    if (!good)
      free(copy);
  }
  good = good && aq_names_short(names, count) == 0;
  aq_page_key_put(out, "short_names");
  putc('[', out);
  for (size_t i = 0; i < count; i++) {
    fputs(i ? "," : "", out);
    aq_page_text_put(out, names[i]);
    free(names[i]);
  }
  putc(']', out);
  free(names);
  return good ? AQ_OK : aq_diag_no_memory(diag);
}

static void put_causes(const aq_explained *explained, aq_run_reader *reader,
                       FILE *out)
{
  const aq_explain *explain = &explained->explain;
  const char *comma = "";
  fputs("{\"verdict\":", out);
  aq_page_text_put(out, aq_explained_verdict(explain));
  aq_page_member_put(out, "largest", aq_explain_causes[explain->largest].name);
  aq_page_member_put(out, "next", aq_explain_causes[explain->next].name);
  aq_page_number_put(out, "unsized_devices", explain->unsized);
  aq_page_number_put(out, "shapeless_kernels", explain->shapeless);
  aq_page_key_put(out, "causes");
  putc('[', out);
  for (int i = 0; i < AQ_CAUSE_COUNT; i++) {
    const aq_explain_share *share = &explain->shares[i];
    if (share->time == 0)
      continue;
    fprintf(out, "%s{\"time\":%.3f", comma, ns(share->time));
    fprintf(out, ",\"percent\":%.3f",
            aq_explained_percent(explain, share->time));
    aq_page_member_put(out, "name", aq_explain_causes[i].name);
    aq_page_member_put(out, "share", aq_explain_causes[i].share);
    aq_page_member_put(out, "meaning", aq_explain_causes[i].meaning);
    aq_page_number_put(out, "row", share->worst_row);
    fprintf(out, ",\"worst\":%.3f", ns(share->worst));
    aq_page_member_put(
        out, "worst_name",
        aq_explained_worst_name(explained, (aq_explain_cause)i, reader));
    putc('}', out);
    comma = ",";
  }
  fputs("]}", out);
}

/* null for a run without dispatches. */
static aq_status put_explanation(aq_store *store, const aq_page_run *run,
                                 FILE *out, aq_diag *diag)
{
  const aq_run_info *info = run->info;
  aq_run_reader *reader;
  aq_explained explained;
  aq_diag none = AQ_DIAG_INIT;
  aq_status status =
      aq_run_reader_open(store, info->id, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  aq_page_key_put(out, "explanation");
  status = aq_explained_make(store, info, reader, AQ_STATS_BY_ALL, run->window,
                             &explained, &none);
  if (status == AQ_OK) {
    put_causes(&explained, reader, out);
    aq_explained_fini(&explained);
  } else if (status == AQ_ERR_INPUT) {
    fputs("null", out);
    status = AQ_OK;
  } else {
    *diag = none;
  }
  aq_run_reader_close(reader);
  return status;
}

static void put_info(const aq_run_info *info, FILE *out)
{
  fprintf(out, "{\"id\":%" PRId64, info->id);
  aq_page_member_put(out, "name", info->name);
  aq_page_member_put(out, "kind",
                     info->kind == AQ_RUN_SIMULATED ? "simulated" : "measured");
  aq_page_number_put(out, "origin", info->origin);
  aq_page_member_put(out, "source", info->source);
  aq_page_member_put(out, "format", info->format);
  aq_page_member_put(out, "transport", info->transport);
  aq_page_member_put(out, "device_model", info->device_model);
  aq_page_member_put(out, "model_hash", info->model_hash);
  aq_page_member_put(out, "model_verdict", info->model_verdict);
  aq_page_member_put(out, "damage", info->damage);
  aq_page_member_put(out, "durations", info->durations);
  aq_page_member_put(out, "recorded", info->recorded);
  aq_page_number_put(out, "rows_left_out", info->left_out);
  aq_page_member_put(out, "command", info->command);
  aq_page_member_put(out, "version", info->version);
  aq_page_number_put(out, "seed", info->seed);
  aq_page_number_put(out, "created", info->created);
  aq_page_key_put(out, "complete");
  fputs(info->complete ? "true" : "false", out);
  aq_page_key_put(out, "truncated");
  fputs(info->truncated ? "true" : "false", out);
  aq_page_key_put(out, "reproducible");
  fputs(info->reproducible ? "true" : "false", out);
}

/* The part of its origin to which a replay fitted constants, which does not
 * score it; null for other runs. Times in ns. */
static aq_status put_fit(const aq_run_info *run, FILE *out, aq_diag *diag)
{
  aq_compare_fit fit;
  char part[AQ_COMPARE_FIT_PART];
  aq_status status = aq_compare_fit_read(run, &fit, diag);
  if (status != AQ_OK)
    return status;
  aq_page_key_put(out, "fit");
  if (!fit.part[0]) {
    fputs("null", out);
    return AQ_OK;
  }
  fprintf(out, "{\"from\":%.3f,\"until\":%.3f",
          (double)fit.from / (double)AQ_NS, (double)fit.until / (double)AQ_NS);
  aq_compare_fit_part(&fit, part);
  aq_page_member_put(out, "part", part);
  putc('}', out);
  return AQ_OK;
}

/* The GPU of a replay whose durations were measured on another one, whose
 * measurement does not score it; null for other runs. */
static aq_status put_other_gpu(aq_store *store, const aq_run_info *run,
                               FILE *out, aq_diag *diag)
{
  char names[2][96] = {"", ""};
  bool differ = false;
  aq_run_info *origin;
  aq_diag gone = AQ_DIAG_INIT;
  aq_status status = AQ_OK;
  if (run->origin != AQ_NONE &&
      aq_store_run(store, run->origin, &origin, &gone) == AQ_OK) {
    if (origin->kind == AQ_RUN_MEASURED)
      status = aq_compare_runs_gpus(store, run, origin, &differ, names, diag);
    aq_run_info_free(origin);
  }
  aq_page_member_put(out, "other_gpu", differ ? names[0] : NULL);
  return status;
}

static aq_status put_run(aq_store *store, const aq_page_run *run, FILE *out,
                         aq_diag *diag)
{
  aq_run_reader *reader;
  aq_status status =
      aq_run_reader_open(store, run->info->id, AQ_ORDER_START, &reader, diag);
  if (status != AQ_OK)
    return status;
  put_info(run->info, out);
  aq_page_member_put(out, "part", run->part_text);
  aq_page_key_put(out, "part_time");
  if (run->part)
    fprintf(out, "%.3f", ns(run->part->time));
  else
    fputs("null", out);
  if (run->part)
    status = aq_run_reader_select(
        reader,
        &(aq_row_selection){run->part->rows, run->part->spans,
                            run->part->span_count, false},
        diag);
  if (status == AQ_OK)
    status = put_fit(run->info, out, diag);
  if (status == AQ_OK)
    status = put_other_gpu(store, run->info, out, diag);
  if (status == AQ_OK)
    status = put_explanation(store, run, out, diag);
  if (status == AQ_OK) {
    aq_page_key_put(out, "constants");
    putc('[', out);
    for (size_t i = 0; i < run->constant_count; i++) {
      const aq_page_constant *constant = &run->constants[i];
      fputs(i ? ",{\"key\":" : "{\"key\":", out);
      aq_page_text_put(out, constant->key);
      aq_page_member_put(out, "value", constant->value);
      aq_page_member_put(out, "unit", constant->unit);
      aq_page_member_put(out, "source", constant->source);
      putc('}', out);
    }
    putc(']', out);
    /* A JSON text from elsewhere: only in strings does it have a '<'. */
    const char *json = run->whatif;
    aq_page_key_put(out, "whatif");
    if (!json)
      fputs("null", out);
    for (; json && *json; json++)
      if (*json == '<')
        fputs("\\u003c", out);
      else
        putc(*json, out);
    aq_page_member_put(out, "whatif_note", run->whatif_note);
    const char *name;
    aq_page_key_put(out, "names");
    putc('[', out);
    for (int64_t i = 0; (name = aq_run_reader_name(reader, i)); i++) {
      fputs(i ? "," : "", out);
      aq_page_text_put(out, name);
    }
    putc(']', out);
    status = put_short_names(reader, out, diag);
  }
  if (status == AQ_OK) {
    put_places(reader, out);
    status = aq_page_rows_put(reader, out, diag);
  }
  if (status == AQ_OK)
    status =
        aq_page_tracks_put(store, run->info->id, reader, run->part, out, diag);
  if (status == AQ_OK)
    status = aq_page_code_put(store, run->info->id, reader, out, diag);
  if (status == AQ_OK)
    status = aq_page_program_put(store, run, out, diag);
  if (status == AQ_OK)
    status = aq_page_findings_put(store, run->info->id, reader, out, diag);
  putc('}', out);
  aq_run_reader_close(reader);
  return status;
}

/* ---- versions ---- */

static void put_figure(FILE *out, const char *key, const aq_versions_figure *f)
{
  fprintf(out, ",\n\"%s\":{\"before\":%.3f", key, f->before);
  aq_page_real_put(out, "after", f->after);
  aq_page_real_put(out, "change", f->change);
  aq_page_real_put(out, "low", f->low);
  aq_page_real_put(out, "high", f->high);
  putc('}', out);
}

static void put_ids(FILE *out, const char *key, const aq_page_run *runs,
                    size_t count)
{
  aq_page_key_put(out, key);
  putc('[', out);
  for (size_t i = 0; i < count; i++)
    fprintf(out, "%s%" PRId64, i ? "," : "", runs[i].info->id);
  putc(']', out);
}

static void put_versions(FILE *out, const aq_report_page *page)
{
  const aq_versions *v = page->versions;
  fprintf(out, "{\"by\":\"kernel\"");
  put_ids(out, "after", page->runs, v->after_runs);
  put_ids(out, "before", page->runs + v->after_runs, v->before_runs);
  put_figure(out, "makespan", &v->makespan);
  put_figure(out, "kernel", &v->kernel);
  aq_page_key_put(out, "groups");
  putc('[', out);
  for (size_t i = 0; i < v->count; i++) {
    const aq_versions_group *g = &v->groups[i];
    fputs(i ? ",{\"name\":" : "{\"name\":", out);
    aq_page_text_put(out, g->name ? g->name : "");
    aq_page_real_put(out, "before_calls", g->before_calls);
    aq_page_real_put(out, "after_calls", g->after_calls);
    put_figure(out, "figure", &g->kernel);
    putc('}', out);
  }
  fputs("]}", out);
}

aq_status aq_page_data_write(aq_store *store, const aq_report_page *page,
                             FILE *out, aq_diag *diag)
{
  aq_status status = AQ_OK;
  fputs("{\"runs\":[", out);
  for (size_t i = 0; i < page->count && status == AQ_OK; i++) {
    fputs(i ? ",\n" : "\n", out);
    status = put_run(store, &page->runs[i], out, diag);
  }
  fputs("],\"versions\":", out);
  if (page->versions)
    put_versions(out, page);
  else
    fputs("null", out);
  fputs("}\n", out);
  return status;
}
