/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/run_figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/sweep/serving_figures.h"
#include "study/sweep/summary.h"

enum { CLIENTS_MAX = 4096 };

/* ---- its place ---- */

/* A member's text; NULL: none. */
static const char *text_of(const aq_json_node *root, const char *key)
{
  aq_json_node node;
  const char *text = NULL;
  if (aq_json_member(root, key, &node) && aq_json_is_text(&node) &&
      aq_json_text(&node, &text) != AQ_OK)
    return NULL;
  return text;
}

static int64_t number_of(const aq_json_node *root, const char *key)
{
  aq_json_node node;
  int64_t value = 0;
  if (aq_json_member(root, key, &node) &&
      aq_json_integer(&node, INT64_MIN, INT64_MAX, &value) != AQ_OK)
    return 0;
  return value;
}

/* The texts of a list, one after the other; NULL: out of memory. */
static char *list_of(const aq_json_node *root, const char *key)
{
  aq_json_node list;
  char *out = NULL;
  size_t size, count = 0;
  FILE *stream = open_memstream(&out, &size);
  if (!stream)
    return NULL;
  if (aq_json_member(root, key, &list) &&
      aq_json_array(&list, 0, SIZE_MAX, &count) != AQ_OK)
    count = 0;
  for (size_t i = 0; i < count; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    const char *text;
    if (aq_json_text(&element, &text) == AQ_OK)
      fprintf(stream, "%s%s", i ? " " : "", text);
  }
  return fclose(stream) == 0 ? out : NULL;
}

/* The inputs that the setting only names. */
static bool inputs_fill(const aq_run_info *info, const char *inputs,
                        aq_study_place *out)
{
  const size_t files = inputs ? strcspn(inputs, "-") : 0;
  out->version = strdup(info->version ? info->version : "");
  out->constants = strdup(info->model_hash ? info->model_hash : "");
  out->transport = strdup(info->transport ? info->transport : "");
  out->files = strndup(inputs ? inputs : "", files);
  out->code = strdup(inputs ? inputs + files : "");
  return out->version && out->constants && out->transport && out->files &&
         out->code;
}

static bool place_fill(const aq_run_info *info, const aq_json_node *root,
                       aq_study_place *out)
{
  const char *workload = text_of(root, "workload");
  const char *device = text_of(root, "device");
  const char *policy = text_of(root, "policy");
  const char *plan = text_of(root, "plan");
  char *edits = list_of(root, "set");
  bool good = edits != NULL;
  out->workload = strdup(workload ? workload : "");
  out->parameters = list_of(root, "parameters");
  out->policy = strdup(policy ? policy : "");
  out->alone = number_of(root, "alone");
  out->seed = number_of(root, "seed");
  out->number = number_of(root, "number");
  out->points = number_of(root, "points");
  out->plan = strdup(plan ? plan : "");
  if (good && asprintf(&out->device, "%s%s%s", device ? device : "",
                       edits[0] ? " " : "", edits) < 0)
    out->device = NULL;
  free(edits);
  good = good && out->plan && out->workload && out->parameters && out->policy &&
         out->device && inputs_fill(info, text_of(root, "inputs"), out);
  if (good &&
      asprintf(&out->setting, "%s\n%s\n%s\n%s\n%s\n%" PRId64 "\n%" PRId64,
               out->plan, out->workload, out->parameters, out->device,
               out->transport, number_of(root, "queues"),
               number_of(root, "live")) < 0)
    out->setting = NULL;
  return good && out->setting;
}

/* A run that did not store its place is a row of its own. */
static bool place_alone(const aq_run_info *info, aq_study_place *out)
{
  out->plan = strdup("");
  out->workload = strdup(info->source ? info->source : "");
  out->parameters = strdup("");
  out->device = strdup(info->device_model ? info->device_model : "");
  out->policy = strdup("");
  out->seed = info->seed;
  if (asprintf(&out->setting, "run %" PRId64, info->id) < 0)
    out->setting = NULL;
  return out->plan && out->workload && out->parameters && out->device &&
         out->policy && out->setting && inputs_fill(info, NULL, out);
}

void aq_study_place_fini(aq_study_place *place)
{
  free(place->workload);
  free(place->parameters);
  free(place->device);
  free(place->policy);
  free(place->setting);
  free(place->transport);
  free(place->plan);
  free(place->version);
  free(place->files);
  free(place->constants);
  free(place->code);
  free(place->durations);
  *place = (aq_study_place){0};
}

bool aq_study_run_fell_back(const aq_run_info *info)
{
  return info->complete && info->summary && info->notes &&
         strstr(info->notes, "\"fallback\":");
}

bool aq_study_run_counts(const aq_run_info *info)
{
  return info->complete && info->summary && !aq_study_run_fell_back(info);
}

aq_status aq_study_place_read(const aq_run_info *info, const char *point,
                              aq_study_place *out, aq_diag *diag)
{
  aq_json_doc doc;
  bool good = true;
  *out = (aq_study_place){0};
  if (point) {
    aq_status status = aq_json_parse(&doc, point, strlen(point), "a run", diag);
    if (status != AQ_OK)
      return status;
    const aq_json_node root = aq_json_root(&doc);
    good = place_fill(info, &root, out);
    aq_json_free(&doc);
  } else {
    good = place_alone(info, out);
  }
  if (good && aq_run_is_predicted(info))
    good = (out->durations = strdup(info->durations)) != NULL;
  if (good)
    return AQ_OK;
  aq_study_place_fini(out);
  return aq_diag_no_memory(diag);
}

/* ---- its summary ---- */

static double objective_of(const aq_json_node *client, const char *key)
{
  const int64_t ps = number_of(client, key);
  return ps > 0 ? (double)ps / 1e6 : NAN;
}

/* Two clients of one name; a client without one has its number. */
static bool shared_mark(aq_study_run *run)
{
  aq_names labels = AQ_NAMES_INIT;
  size_t *first = calloc(run->client_count, sizeof *first);
  bool good = first != NULL;
  for (size_t i = 0; good && i < run->client_count; i++) {
    char number[24];
    snprintf(number, sizeof number, "%zu", i);
    const char *label = run->clients[i].name ? run->clients[i].name : number;
    const size_t before = labels.count;
    const int64_t id = aq_names_id(&labels, label, strlen(label));
    good = id >= 0;
    if (good && labels.count > before)
      first[id] = i;
    else if (good)
      run->clients[i].shared = run->clients[first[id]].shared = true;
  }
  aq_names_fini(&labels);
  free(first);
  return good;
}

static aq_status clients_read(aq_study_run *run, const aq_json_node *root,
                              aq_diag *diag)
{
  aq_json_node list;
  aq_status status = aq_json_need(root, "clients", &list);
  if (status == AQ_OK)
    status = aq_json_array(&list, 1, CLIENTS_MAX, &run->client_count);
  if (status != AQ_OK)
    return status;
  run->clients = calloc(run->client_count, sizeof *run->clients);
  if (!run->clients)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < run->client_count; i++) {
    const aq_json_node client = aq_json_element(&list, i);
    const int64_t weight = number_of(&client, "weight");
    run->clients[i].name = text_of(&client, "name");
    run->clients[i].weight = weight > 0 ? (double)weight : 1;
    run->clients[i].ttft = objective_of(&client, "ttft_ps");
    run->clients[i].tpot = objective_of(&client, "tpot_ps");
  }
  return shared_mark(run) ? AQ_OK : aq_diag_no_memory(diag);
}

static double utilisation_read(const aq_json_node *root)
{
  aq_json_node list;
  size_t count = 0;
  double busy = 0;
  const double span =
      (double)number_of(root, "end_ps") - (double)number_of(root, "begin_ps");
  if (!aq_json_member(root, "busy_ps", &list) ||
      aq_json_array(&list, 0, SIZE_MAX, &count) != AQ_OK || count == 0 ||
      span <= 0)
    return NAN;
  for (size_t i = 0; i < count; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    int64_t value;
    if (aq_json_integer(&element, 0, INT64_MAX, &value) == AQ_OK)
      busy += (double)value;
  }
  return 100 * busy / span / (double)count;
}

/* ---- requests ---- */

static double micros(int64_t ps)
{
  return (double)ps / 1e6;
}

static bool is_done(const aq_request *request)
{
  return !request->rejected && request->complete != AQ_NONE;
}

static double response(const aq_request *request)
{
  return micros(request->complete - request->arrival);
}

/* Responses from `first` on, by arrival. */
static double *responses_of(const aq_study_run *run, int entry, size_t first,
                            size_t *count)
{
  double *out = malloc((run->requests.count + 1) * sizeof *out);
  *count = 0;
  for (size_t i = first; out && i < run->requests.count; i++) {
    const aq_request *request = &run->requests.requests[i];
    if (is_done(request) && (entry < 0 || request->entry == entry))
      out[(*count)++] = response(request);
  }
  return out;
}

static bool warmup_cut(aq_study_run *run, const aq_study_options *options)
{
  size_t count, cut;
  double *values = responses_of(run, -1, 0, &count);
  if (!values)
    return false;
  cut = options->warmup == AQ_WARMUP_MSER5
            ? aq_mser5(values, count)
            : (size_t)(options->part * (double)count);
  free(values);
  for (run->first = 0; run->first < run->requests.count; run->first++) {
    if (!is_done(&run->requests.requests[run->first]))
      continue;
    if (cut == 0)
      break;
    cut--;
  }
  return true;
}

static aq_status requests_read(aq_store *store, aq_study_run *run,
                               const aq_study_options *options, aq_diag *diag)
{
  aq_status status = aq_store_requests(store, run->id, &run->requests, diag);
  if (status == AQ_OK) {
    /* That there are none says something only where they were kept. */
    const aq_json_node root = aq_json_root(&run->summary);
    aq_json_node kept;
    run->preempted_known = aq_json_member(&root, "preemptions_kept", &kept);
    status = aq_store_preemptions(store, run->id, &run->preempted, diag);
    if (status == AQ_OK && run->preempted.count > 0)
      run->preempted_known = true;
  }
  if (status == AQ_OK && !warmup_cut(run, options))
    status = aq_diag_no_memory(diag);
  return status;
}

aq_status aq_study_run_open(aq_store *store, const aq_run_info *info,
                            aq_study_place *place,
                            const aq_study_options *options, aq_study_run *out,
                            bool *wanted, aq_diag *diag)
{
  aq_study_run run = {.id = info->id, .place = *place};
  *place = (aq_study_place){0};
  aq_status status = aq_json_parse(&run.summary, info->summary,
                                   strlen(info->summary), "a run", diag);
  if (status == AQ_OK) {
    const aq_json_node root = aq_json_root(&run.summary);
    run.utilisation = utilisation_read(&root);
    run.kept = aq_kept_has(&root);
    status = clients_read(&run, &root, diag);
  }
  if (status == AQ_OK)
    status = run.kept ? aq_kept_check(info->id, options, diag)
                      : requests_read(store, &run, options, diag);
  *wanted = status == AQ_OK && (run.kept || run.requests.count > 0);
  if (*wanted)
    *out = run;
  else
    aq_study_run_close(&run);
  return status;
}

void aq_study_run_close(aq_study_run *run)
{
  aq_study_place_fini(&run->place);
  if (run->summary.root)
    aq_json_free(&run->summary);
  free(run->clients);
  aq_request_list_fini(&run->requests);
  aq_preempted_list_fini(&run->preempted);
}

/* ---- figures ---- */

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* As report/stats/quantile.h defines it. */
static double quantile(const double *sorted, size_t count, size_t permille)
{
  if (count == 0)
    return NAN;
  const size_t at = count / 1000 * permille + count % 1000 * permille / 1000;
  return sorted[at < count ? at : count - 1];
}

/* Of completed requests by weight, over all clients there are requests of. */
static double jain(const aq_study_run *run, int entry)
{
  size_t clients = 0;
  double sum = 0, squares = 0, *of;
  for (size_t i = 0; i < run->requests.count; i++)
    if (run->requests.requests[i].client >= (int64_t)clients)
      clients = (size_t)run->requests.requests[i].client + 1;
  of = calloc(clients + 1, 2 * sizeof *of);
  if (!of)
    return NAN;
  for (size_t i = run->first; i < run->requests.count; i++) {
    const aq_request *request = &run->requests.requests[i];
    if ((entry >= 0 && request->entry != entry) ||
        request->entry >= (int64_t)run->client_count)
      continue;
    of[2 * request->client + 1] = 1;
    if (is_done(request))
      of[2 * request->client] += 1 / run->clients[request->entry].weight;
  }
  double count = 0;
  for (size_t i = 0; i < clients; i++) {
    count += of[2 * i + 1];
    sum += of[2 * i];
    squares += of[2 * i] * of[2 * i];
  }
  free(of);
  return squares > 0 ? sum * sum / (count * squares) : NAN;
}

/* The requests that completed, and the time they took. */
typedef struct served {
  double requests, seconds;
} served;

static served ratios_fill(const aq_study_run *run, int entry, double *out)
{
  double due = 0, met = 0, rejected = 0, done = 0;
  int64_t end = INT64_MIN, begin = INT64_MAX;
  for (size_t i = run->first; i < run->requests.count; i++) {
    const aq_request *r = &run->requests.requests[i];
    if (i == run->first)
      begin = r->arrival;
    if (entry >= 0 && r->entry != entry)
      continue;
    rejected += r->rejected != 0;
    done += is_done(r);
    if (is_done(r) && r->complete > end)
      end = r->complete;
    if (r->deadline == AQ_NONE)
      continue;
    due++;
    met += is_done(r) && r->complete <= r->deadline;
  }
  out[AQ_FIGURE_requests] = done + rejected;
  out[AQ_FIGURE_met] = due > 0 ? 100 * met / due : NAN;
  out[AQ_FIGURE_rejected] =
      done + rejected > 0 ? 100 * rejected / (done + rejected) : NAN;
  const double seconds = end > begin ? (double)(end - begin) / 1e12 : NAN;
  out[AQ_FIGURE_throughput] = done / seconds;
  return (served){done, seconds};
}

/* Of victims of the entry, from the end of the warm-up on. A preemption that
 * had not ended with the run, or was given up, has no length. */
static bool preempted_fill(const aq_study_run *run, int entry, served of,
                           double *out)
{
  const int64_t begin = run->first < run->requests.count
                            ? run->requests.requests[run->first].arrival
                            : INT64_MAX;
  size_t asked = 0, count = 0;
  double wasted = 0;
  if (!run->preempted_known)
    return true;
  double *took = malloc((run->preempted.count + 1) * sizeof *took);
  if (!took)
    return false;
  for (size_t i = 0; i < run->preempted.count; i++) {
    const aq_preempted *p = &run->preempted.preemptions[i];
    if (p->asked < begin || (entry >= 0 && p->entry != entry))
      continue;
    asked++;
    if (p->wasted != AQ_NONE)
      wasted += micros(p->wasted);
    if (p->freed != AQ_NONE)
      took[count++] = micros(p->freed - p->asked);
  }
  qsort(took, count, sizeof *took, compare);
  out[AQ_FIGURE_preemptions] = (double)asked / of.seconds;
  out[AQ_FIGURE_wasted] = of.requests > 0 ? wasted / of.requests : NAN;
  out[AQ_FIGURE_preempt_p50] = quantile(took, count, 500);
  out[AQ_FIGURE_preempt_p99] = quantile(took, count, 990);
  free(took);
  return true;
}

bool aq_study_run_figures(const aq_study_run *run, int entry,
                          const aq_study_options *options,
                          aq_study_replica *out)
{
  static const struct {
    size_t figure, permille;
  } quantiles[] = {{AQ_FIGURE_p50, 500},  {AQ_FIGURE_p90, 900},
                   {AQ_FIGURE_p95, 950},  {AQ_FIGURE_p99, 990},
                   {AQ_FIGURE_p999, 999}, {AQ_FIGURE_max, 1000}};
  const aq_json_node summary = aq_json_root(&run->summary);
  size_t count;
  out->kept = run->kept;
  if (run->kept) {
    aq_kept_read(&summary, entry, out);
    return true;
  }
  double *values = responses_of(run, entry, run->first, &count);
  if (!values)
    return false;
  for (size_t i = 0; i < AQ_FIGURE_COUNT; i++)
    out->figures[i] = NAN;
  out->response = aq_estimate_batches(values, count);
  out->figures[AQ_FIGURE_mean] = out->response.mean;
  if (options->responses) {
    out->responses = malloc((count + 1) * sizeof *values);
    if (!out->responses) {
      free(values);
      return false;
    }
    memcpy(out->responses, values, count * sizeof *values);
    out->response_count = count;
  }
  qsort(values, count, sizeof *values, compare);
  for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
    out->figures[quantiles[i].figure] =
        quantile(values, count, quantiles[i].permille);
  free(values);
  const served of = ratios_fill(run, entry, out->figures);
  out->figures[AQ_FIGURE_jain] = jain(run, entry);
  out->figures[AQ_FIGURE_utilisation] = entry < 0 ? run->utilisation : NAN;
  if (preempted_fill(run, entry, of, out->figures) &&
      aq_serving_figures(run, entry, of.seconds, out->figures))
    return true;
  free(out->responses);
  out->responses = NULL;
  return false;
}

bool aq_study_run_means(const aq_study_run *run, aq_study_means *out)
{
  out->of = malloc((run->client_count + 1) * sizeof *out->of);
  out->count = run->client_count;
  for (size_t i = 0; out->of && i < run->client_count; i++) {
    const aq_json_node summary = aq_json_root(&run->summary);
    aq_study_replica replica;
    size_t count;
    if (run->kept) {
      aq_kept_read(&summary, (int)i, &replica);
      out->of[i] = replica.figures[AQ_FIGURE_mean];
      continue;
    }
    double *values = responses_of(run, (int)i, run->first, &count);
    if (!values) {
      free(out->of);
      return false;
    }
    out->of[i] = aq_estimate_of(values, count).mean;
    free(values);
  }
  return out->of != NULL;
}
