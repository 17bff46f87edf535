/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/runs.h"
#include "common/json_in.h"
#include "common/json_out.h"
#include "common/text.h"
#include "report/explain.h"

enum { NAME_SHOWN = 80 }; /* bytes of a kernel's name, in text */

static double percent(const aq_explain *e, aq_time part)
{
  return e->time > 0 ? 100.0 * (double)part / (double)e->time : 0;
}

/* ---- text ---- */

static aq_status put_shares(aq_cli *cli, const aq_explain *e)
{
  static const char *const names[] = {
      "where the time went", ">%",   ">us", ">times",
      ">longest us",         ">row", NULL};
  aq_cli_columns *table = aq_cli_columns_new(names);
  if (!table)
    return aq_diag_no_memory(&cli->diag);
  for (int i = 0; i < AQ_CAUSE_COUNT; i++) {
    const aq_explain_share *share = &e->shares[i];
    char cells[5][32];
    if (share->time == 0)
      continue;
    snprintf(cells[0], 32, "%.1f", percent(e, share->time));
    snprintf(cells[1], 32, "%.3f", (double)share->time / (double)AQ_US);
    snprintf(cells[2], 32, "%" PRId64, share->gaps);
    snprintf(cells[3], 32, "%.3f", (double)share->worst / (double)AQ_US);
    snprintf(cells[4], 32, "%" PRId64, share->worst_row);
    const char *const row[] = {aq_explain_causes[i].name,
                               cells[0],
                               cells[1],
                               cells[2],
                               cells[3],
                               cells[4]};
    aq_cli_columns_row(table, row);
  }
  return aq_cli_columns_print(table, cli->out) ? AQ_OK
                                               : aq_diag_no_memory(&cli->diag);
}

/* The name of the dispatch behind the longest case of a cause. */
static const char *worst_name(const aq_explain *e, aq_explain_cause cause,
                              aq_run_reader *reader,
                              const aq_dispatches *dispatches)
{
  for (size_t i = 0; i < dispatches->count; i++)
    if (dispatches->rows[i].number == e->shares[cause].worst_row)
      return aq_run_reader_name(reader, dispatches->rows[i].name);
  return NULL;
}

static aq_status put_text(aq_cli *cli, const aq_run_info *run,
                          const aq_explain *e, aq_run_reader *reader,
                          const aq_dispatches *dispatches)
{
  char label[AQ_CLI_LABEL_SIZE], trust[AQ_CLI_TRUST_SIZE];
  const aq_explain_share *share = &e->shares[e->bottleneck];
  const aq_explain_term *term = &aq_explain_causes[e->bottleneck];
  const char *name = worst_name(e, e->bottleneck, reader, dispatches);
  aq_cli_run_label(run, label);
  char *clean = aq_text_line(label, strlen(label));
  char *kernel = name ? aq_text_line(name, strlen(name)) : NULL;
  fprintf(cli->out, "%s is %s: %s, for %.1f %% of its time\n",
          clean ? clean : "", term->verdict, term->meaning,
          percent(e, share->time));
  fprintf(cli->out, "  longest: %.3f us, row %" PRId64 "%s%.*s%s\n",
          (double)share->worst / (double)AQ_US, share->worst_row,
          kernel ? ", " : "", NAME_SHOWN, kernel ? kernel : "",
          kernel && strlen(kernel) > NAME_SHOWN ? " ..." : "");
  free(kernel);
  free(clean);
  if (aq_cli_run_trust(run, trust))
    fprintf(cli->out, "  %s\n", trust);
  if (e->shapeless)
    fprintf(cli->out,
            "  %" PRId64 " kernels, %.1f %% of the time, have no grid or "
            "workgroup size: their tail is unknown\n",
            e->shapeless, percent(e, e->shapeless_time));
  aq_cli_run_caveats(cli, "  ", run);
  fprintf(cli->out, "%" PRId64 " dispatches on %" PRId64 " device%s\n\n",
          e->dispatches, e->devices, e->devices == 1 ? "" : "s");
  return put_shares(cli, e);
}

/* ---- JSON ---- */

static void json_explain(aq_json_out *json, const aq_run_info *run,
                         const aq_explain *e, aq_run_reader *reader,
                         const aq_dispatches *dispatches)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "run", run->id);
  aq_json_out_text(json, "kind", aq_cli_run_kind_name(run->kind));
  aq_cli_run_caveats_json(json, "caveats", run);
  aq_json_out_text(json, "bottleneck",
                   aq_explain_causes[e->bottleneck].verdict);
  aq_json_out_ns(json, "time_ns", e->time);
  aq_json_out_int(json, "dispatches", e->dispatches);
  aq_json_out_int(json, "devices", e->devices);
  aq_json_out_int(json, "shapeless", e->shapeless);
  aq_json_out_ns(json, "shapeless_ns", e->shapeless_time);
  aq_json_out_array(json, "causes");
  for (int i = 0; i < AQ_CAUSE_COUNT; i++) {
    const aq_explain_share *share = &e->shares[i];
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "cause", aq_explain_causes[i].name);
    aq_json_out_text(json, "meaning", aq_explain_causes[i].meaning);
    aq_json_out_ns(json, "time_ns", share->time);
    aq_json_out_real(json, "percent", percent(e, share->time));
    aq_json_out_int(json, "times", share->gaps);
    aq_json_out_ns(json, "longest_ns", share->worst);
    aq_json_out_int(json, "row", share->worst_row);
    aq_json_out_text(json, "name",
                     worst_name(e, (aq_explain_cause)i, reader, dispatches));
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

/* ---- the command ---- */

/* Whether a policy decided when jobs were submitted: the notes say which. */
static bool has_policy(const aq_run_info *run)
{
  aq_diag ignored = AQ_DIAG_INIT;
  aq_json_doc doc;
  aq_json_node policy;
  if (!run->notes || aq_json_parse(&doc, run->notes, strlen(run->notes),
                                   "notes", &ignored) != AQ_OK)
    return false;
  const aq_json_node root = aq_json_root(&doc);
  const bool found =
      aq_json_is_object(&root) && aq_json_member(&root, "policy", &policy);
  aq_json_free(&doc);
  return found;
}

static aq_status put(aq_cli *cli, const aq_run_info *run, const aq_explain *e,
                     aq_run_reader *reader, const aq_dispatches *dispatches)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (!json)
    return put_text(cli, run, e, reader, dispatches);
  json_explain(json, run, e, reader, dispatches);
  return aq_cli_json_end_if(cli, json);
}

static aq_status explain_reader(aq_cli *cli, const aq_run_info *run,
                                aq_run_reader *reader)
{
  const size_t devices = aq_run_reader_device_count(reader);
  int64_t *cus = calloc(devices + 1, sizeof *cus);
  aq_dispatches dispatches = {0};
  aq_explain e;
  if (!cus)
    return aq_diag_no_memory(&cli->diag);
  for (size_t i = 0; i < devices; i++) {
    const aq_run_device *device = aq_run_reader_device(reader, (int64_t)i);
    cus[i] = device->cus == AQ_NONE ? 0 : device->cus;
  }
  aq_status status = aq_dispatches_read(reader, &dispatches, &cli->diag);
  if (status == AQ_OK)
    status = aq_explain_make(&dispatches, cus, devices, has_policy(run), &e,
                             &cli->diag);
  if (status == AQ_OK)
    status = put(cli, run, &e, reader, &dispatches);
  aq_dispatches_fini(&dispatches);
  free(cus);
  return status;
}

aq_status aq_cli_explain(aq_cli *cli)
{
  aq_store *store;
  aq_run_info *run = NULL;
  aq_run_reader *reader;
  aq_status status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = aq_store_find(store, cli->args[0], &run, &cli->diag);
  if (status == AQ_OK)
    status = aq_run_reader_open(store, run->id, AQ_ORDER_STORED, &reader,
                                &cli->diag);
  if (status == AQ_OK) {
    status = explain_reader(cli, run, reader);
    aq_run_reader_close(reader);
  }
  aq_run_info_free(run);
  aq_store_close(store);
  return status;
}
