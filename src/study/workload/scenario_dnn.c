/* SPDX-License-Identifier: MIT */
/*
 * Requests that run a network whose kernels were measured one by one: a file of
 * launches, and beside it one of latencies by occupancy (NAME.profile.json), as
 * REEF published them for an MI50.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/workload/scenario_model.h"

enum { LATENCIES_MAX = 256, PATH_SIZE = 4096 };

/* The time of a kernel's launch and of the wait for it, which its measured
 * latency contains: just below the shortest of REEF's, 14 us in steps of 2. */
static const aq_time CONTAINED = 12 * AQ_US;

enum { BATCH_MAX = 1024 };

/* The options of a request's model. */
typedef struct dnn_options {
  aq_time contained;
  int64_t batch; /* inferences at once */
  bool each;     /* kernel is a call */
} dnn_options;

typedef struct model_file {
  char path[PATH_SIZE];
  char *text;
  aq_json_doc doc;
  aq_json_node root;
} model_file;

/* Whether the comma at `at` is the last thing before a closing bracket. */
static bool is_trailing(const char *text, size_t size, size_t at)
{
  do
    at++;
  while (at < size && memchr(" \r\n\t", text[at], 4));
  return at < size && (text[at] == ']' || text[at] == '}');
}

/* A comma before a closing bracket is not JSON, but in these files. */
static size_t commas_drop(char *text, size_t size)
{
  size_t kept = 0;
  bool quoted = false;
  for (size_t i = 0; i < size; i++) {
    if (quoted && text[i] == '\\' && i + 1 < size)
      text[kept++] = text[i++];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ',' && is_trailing(text, size, i))
      continue;
    text[kept++] = text[i];
  }
  return kept;
}

static aq_status file_open(model_file *file, const aq_json_node *node)
{
  size_t size;
  aq_diag *diag = node->doc->diag;
  aq_status status = aq_json_load(file->path, &file->text, &size, diag);
  if (status == AQ_ERR_INPUT) {
    const aq_diag why = *diag;
    return aq_json_error(node, "%s", why.text);
  }
  if (status != AQ_OK)
    return status;
  size = commas_drop(file->text, size);
  status = aq_json_parse(&file->doc, file->text, size, file->path, diag);
  if (status == AQ_OK)
    file->root = aq_json_root(&file->doc);
  return status;
}

static void file_close(model_file *file)
{
  if (file->doc.root)
    aq_json_free(&file->doc);
  free(file->text);
}

/* "reef:NAME", or a path seen from the scenario's folder. */
static aq_status path_find(const aq_scenario *scenario,
                           const aq_json_node *node, const char *name,
                           char *out)
{
  const char *file = node->doc->file, *slash = strrchr(file, '/');
  int length;
  if (strncmp(name, "reef:", 5) != 0) {
    const int folder = slash && name[0] != '/' ? (int)(slash - file) + 1 : 0;
    length = snprintf(out, PATH_SIZE, "%.*s%s", folder, file, name);
  } else if (!scenario->data || strchr(name, '/')) {
    return aq_json_error(node,
                         "\"%.64s\": such models lie in $AQ_DATA/workloads/"
                         "reef-mi50, and AQ_DATA is not set; expected that or "
                         "a path",
                         name);
  } else {
    length = snprintf(out, PATH_SIZE, "%s/workloads/reef-mi50/%s.json",
                      scenario->data, name + 5);
  }
  return length < PATH_SIZE ? AQ_OK : aq_json_error(node, "path too long");
}

/* Whole microseconds. */
static aq_status latency_read(const aq_json_node *node, aq_time *out)
{
  int64_t value;
  aq_status status = aq_json_integer(node, 0, 1000000000, &value);
  if (status == AQ_OK)
    *out = value * AQ_US;
  return status;
}

static aq_status cost_read(const aq_json_node *profile, aq_arena *arena,
                           const dnn_options *options, aq_sc_kernel *kernel)
{
  aq_json_node latency, total;
  size_t count;
  aq_status status = aq_json_need(profile, "latency", &latency);
  if (status == AQ_OK)
    status = aq_json_need(profile, "total_latency", &total);
  if (status == AQ_OK)
    status = latency_read(&total, &kernel->expected);
  if (status == AQ_OK)
    status = aq_json_array(&latency, 1, LATENCIES_MAX, &count);
  if (status != AQ_OK)
    return status;
  aq_time *times = aq_arena_alloc(arena, count * sizeof *times);
  aq_cost_detail *detail = aq_arena_alloc(arena, sizeof *detail);
  if (!times || !detail)
    return aq_json_no_memory(profile);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&latency, i);
    status = latency_read(&element, &times[i]);
  }
  *detail = (aq_cost_detail){.latency = times,
                             .latency_count = (uint32_t)count,
                             .contained = options->contained};
  kernel->command.cost = (aq_cost){.kind = AQ_COST_OCCUPANCY, .detail = detail};
  kernel->expected =
      options->batch * aq_time_max(kernel->expected - options->contained, 1);
  return status;
}

/* Workgroups in each dimension, then work-items of each. A batch has as many
 * times the workgroups. */
static aq_status shape_read(const aq_json_node *launch, int64_t batch,
                            aq_command *command)
{
  aq_json_node shape;
  size_t count;
  int64_t n[6] = {1, 1, 1, 1, 1, 1};
  aq_status status = aq_json_need(launch, "launch_params", &shape);
  if (status == AQ_OK)
    status = aq_json_array(&shape, 6, 6, &count);
  for (size_t i = 0; i < 6 && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&shape, i);
    status = aq_json_integer(&element, 1, i < 3 ? 1 << 21 : 1024, &n[i]);
  }
  if (status == AQ_OK && n[3] * n[4] * n[5] > 1024)
    status = aq_json_error(&shape, "more than 1024 work-items in a workgroup");
  n[0] *= batch;
  if (status == AQ_OK && n[0] * n[3] > UINT32_MAX)
    status = aq_json_error(&shape, "more than 2^32 work-items with batch %lld",
                           (long long)batch);
  for (int i = 0; i < 3; i++) {
    command->grid[i] = (uint32_t)(n[i] * n[i + 3]);
    command->workgroup[i] = (uint16_t)n[i + 3];
  }
  return status;
}

static aq_status kernel_read(aq_scenario *scenario, const aq_json_node *launch,
                             const aq_json_node *latencies,
                             const dnn_options *options, aq_sc_kernel *kernel)
{
  aq_json_node name, profile;
  const char *text;
  *kernel = (aq_sc_kernel){
      .command = {.kind = AQ_KIND_KERNEL, .bytes = AQ_NONE, .origin = AQ_NONE}};
  aq_status status = aq_json_need(launch, "name", &name);
  if (status == AQ_OK)
    status = aq_json_text(&name, &text);
  if (status == AQ_OK)
    status = aq_json_need(latencies, text, &profile);
  if (status == AQ_OK)
    status = shape_read(launch, options->batch, &kernel->command);
  if (status == AQ_OK)
    status = cost_read(&profile, &scenario->arena, options, kernel);
  if (status != AQ_OK)
    return status;
  kernel->command.name =
      aq_names_id(&scenario->kernel_names, text, strlen(text));
  return kernel->command.name < 0 ? aq_json_no_memory(launch) : AQ_OK;
}

/* Room for `count` more kernels; the new ones begin at *first. */
static aq_status kernels_grow(aq_scenario *scenario, const aq_json_node *node,
                              size_t count, uint32_t *first)
{
  const size_t had = scenario->kernel_count;
  if (had + count > AQ_SC_KERNELS_MAX)
    return aq_json_error(node, "with it there are more than %d kernels",
                         AQ_SC_KERNELS_MAX);
  aq_sc_kernel *grown =
      aq_arena_alloc(&scenario->arena, (had + count) * sizeof *grown);
  if (!grown)
    return aq_json_no_memory(node);
  if (had)
    memcpy(grown, scenario->kernels, had * sizeof *grown);
  scenario->kernels = grown;
  scenario->kernel_count = (uint32_t)(had + count);
  *first = (uint32_t)had;
  return AQ_OK;
}

static aq_status kernels_read(aq_scenario *scenario, const aq_json_node *node,
                              const model_file files[2],
                              const dnn_options *options, uint32_t *first,
                              size_t *count)
{
  aq_json_node kernels, latencies;
  aq_status status = aq_json_need(&files[0].root, "kernels", &kernels);
  if (status == AQ_OK)
    status = aq_json_need(&files[1].root, "kernel_latency", &latencies);
  if (status == AQ_OK)
    status = aq_json_array(&kernels, 1, AQ_SC_STEPS_MAX, count);
  if (status == AQ_OK)
    status = kernels_grow(scenario, node, *count, first);
  for (size_t i = 0; status == AQ_OK && i < *count; i++) {
    const aq_json_node launch = aq_json_element(&kernels, i);
    status = kernel_read(scenario, &launch, &latencies, options,
                         &scenario->kernels[*first + i]);
  }
  return status;
}

/* One call of all of them, or one call each. */
static aq_status steps_make(aq_scenario *scenario, const aq_json_node *node,
                            uint32_t first, size_t count, bool each,
                            aq_sc_request *request)
{
  aq_sc_launch *launches =
      aq_arena_alloc(&scenario->arena, count * sizeof *launches);
  const size_t steps = each ? count : 1;
  request->steps =
      aq_arena_alloc(&scenario->arena, steps * sizeof *request->steps);
  const int64_t stream = aq_names_id(&scenario->stream_names, "", 0);
  if (!launches || !request->steps || stream < 0)
    return aq_json_no_memory(node);
  for (size_t i = 0; i < count; i++)
    launches[i] = (aq_sc_launch){first + (uint32_t)i, 1};
  for (size_t i = 0; i < steps; i++) {
    const uint32_t of_step = each ? 1 : (uint32_t)count;
    request->steps[i] = (aq_sc_step){.stream = (uint32_t)stream,
                                     .launches = &launches[i],
                                     .launch_count = of_step,
                                     .command_count = of_step,
                                     .repeat = 1,
                                     .graph = !each,
                                     .last = i + 1 == steps};
  }
  request->step_count = (uint32_t)steps;
  return AQ_OK;
}

static aq_status calls_read(const aq_json_node *node, bool *each)
{
  aq_json_node calls;
  const char *text;
  *each = false;
  if (!aq_json_member(node, "calls", &calls))
    return AQ_OK;
  aq_status status = aq_json_text(&calls, &text);
  if (status != AQ_OK)
    return status;
  *each = strcmp(text, "each") == 0;
  return *each || strcmp(text, "one") == 0
             ? AQ_OK
             : aq_json_error(&calls, "\"%.40s\": one or each expected", text);
}

static aq_status options_read(const aq_json_node *node, dnn_options *options)
{
  aq_json_node member;
  *options = (dnn_options){.contained = CONTAINED, .batch = 1};
  aq_status status = calls_read(node, &options->each);
  if (status == AQ_OK && aq_json_member(node, "contained", &member))
    status = aq_json_time(&member, &options->contained);
  if (status == AQ_OK && aq_json_member(node, "batch", &member))
    status = aq_json_integer(&member, 1, BATCH_MAX, &options->batch);
  return status;
}

aq_status aq_scenario_dnn(aq_scenario *scenario, const aq_json_node *node,
                          aq_sc_request *request)
{
  static const char *const keys[] = {"model", "batch", "calls", "contained",
                                     NULL};
  static const char suffix[] = ".profile.json";
  model_file files[2] = {0};
  aq_json_node model;
  dnn_options options;
  const char *name;
  uint32_t first = 0;
  size_t count = 0;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = aq_json_need(node, "model", &model);
  if (status == AQ_OK)
    status = aq_json_text(&model, &name);
  if (status == AQ_OK)
    status = options_read(node, &options);
  if (status == AQ_OK)
    status = path_find(scenario, &model, name, files[0].path);
  if (status != AQ_OK)
    return status;
  const size_t length = strlen(files[0].path);
  const size_t stem = length > 5 && !strcmp(files[0].path + length - 5, ".json")
                          ? length - 5
                          : length;
  if (stem + sizeof suffix > PATH_SIZE)
    return aq_json_error(&model, "path too long");
  memcpy(files[1].path, files[0].path, stem);
  memcpy(files[1].path + stem, suffix, sizeof suffix);
  for (size_t i = 0; i < 2 && status == AQ_OK; i++)
    status = file_open(&files[i], &model);
  if (status == AQ_OK)
    status = kernels_read(scenario, &model, files, &options, &first, &count);
  if (status == AQ_OK)
    status = steps_make(scenario, node, first, count, options.each, request);
  for (size_t i = 0; i < 2; i++)
    file_close(&files[i]);
  return status;
}
