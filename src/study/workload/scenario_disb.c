/* SPDX-License-Identifier: MIT */
/*
 * Workloads of DISB (the benchmark of REEF's authors) and of REEF's evaluation,
 * as scenarios. Each client has one request in progress; clients in "rt", or
 * whose name ends in "_rt", have high priority, the others low.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/workload/scenario_model.h"

enum { TASKS_MAX = 1000, TRACE_MAX = 1000000 };

/* Names of models there and here. */
static const struct {
  const char *disb, *reef;
} models[] = {
    {"vgg19-imagenet", "vgg"},
    {"resnet152-imagenet", "resnet152"},
    {"densenet201-imagenet", "densenet"},
    {"inceptionv3-imagenet", "inception"},
    {"distilbert", "bert"},
};

bool aq_disb_is(const aq_json_node *root)
{
  aq_json_node member;
  return aq_json_is_object(root) && !aq_json_member(root, "version", &member) &&
         aq_json_member(root, "time", &member) &&
         (aq_json_member(root, "tasks", &member) ||
          aq_json_member(root, "rt", &member) ||
          aq_json_member(root, "be", &member));
}

static bool is_name(const char *text)
{
  return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                      "0123456789_-.") == strlen(text) &&
         strlen(text) < 128;
}

static aq_status name_read(const aq_json_node *node, const char *key,
                           const char **out)
{
  aq_json_node member;
  aq_status status = aq_json_need(node, key, &member);
  if (status == AQ_OK)
    status = aq_json_text(&member, out);
  return status == AQ_OK && !is_name(*out)
             ? aq_json_error(&member, "a name of letters and digits expected")
             : status;
}

static const char *reef_name(const char *name)
{
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    if (strcmp(models[i].disb, name) == 0)
      return models[i].reef;
  return name;
}

static void client_open(FILE *out, const char *name, const char *model,
                        bool urgent)
{
  fprintf(out,
          ",\n  {\"name\": \"%s\", \"request\": \"%s\", \"priority\": \"%s\", "
          "\"idempotent\": true, \"hint\": \"exact\", \"until\": \"$time\"",
          name, model, urgent ? "high" : "low");
}

static aq_status rate_put(FILE *out, const aq_json_node *node, const char *kind)
{
  aq_json_node frequency;
  double value;
  aq_status status = aq_json_need(node, "frequency", &frequency);
  if (status == AQ_OK)
    status = aq_json_number(&frequency, 1e-3, 1e9, &value);
  if (status == AQ_OK)
    fprintf(out, ", \"blocks\": true, \"open\": {\"%s\": \"%.0fps\"}}", kind,
            1e12 / value);
  return status;
}

/* Milliseconds, perhaps out of order. */
static aq_status trace_put(FILE *out, const aq_json_node *node)
{
  size_t count;
  int64_t before = 0;
  aq_status status = aq_json_array(node, 1, TRACE_MAX, &count);
  if (status == AQ_OK)
    fputs(", \"blocks\": true, \"open\": {\"at\": [", out);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(node, i);
    int64_t at;
    status = aq_json_integer(&element, 0, 1000000000, &at);
    if (status == AQ_OK && at < before)
      status = aq_json_error(&element, "earlier than the one before it");
    if (status == AQ_OK)
      fprintf(out, "%s\"%lldms\"", i ? ", " : "", (long long)at);
    before = at;
  }
  fputs("]}}", out);
  return status;
}

static aq_status load_put(FILE *out, const aq_json_node *load)
{
  aq_json_node trace;
  const char *type;
  aq_status status = name_read(load, "type", &type);
  if (status != AQ_OK)
    return status;
  if (strcmp(type, "continuous") == 0) {
    fputs(", \"closed\": {}}", out);
    return AQ_OK;
  }
  if (strcmp(type, "periodic") == 0 || strcmp(type, "uniform") == 0)
    return rate_put(out, load, "every");
  if (strcmp(type, "poisson") == 0)
    return rate_put(out, load, "poisson");
  if (strcmp(type, "trace") == 0) {
    status = aq_json_need(load, "trace", &trace);
    return status == AQ_OK ? trace_put(out, &trace) : status;
  }
  return aq_json_error(load,
                       "load \"%s\": continuous, periodic, uniform, poisson or "
                       "trace expected",
                       type);
}

static aq_status request_put(FILE *out, aq_names *known, const char *model,
                             const aq_json_node *node)
{
  const size_t had = known->count;
  const int64_t id = aq_names_id(known, model, strlen(model));
  if (id < 0)
    return aq_json_no_memory(node);
  if (known->count > had)
    fprintf(out, "%s\"%s\": {\"model\": \"reef:%s\"}", had ? ", " : "", model,
            model);
  return AQ_OK;
}

static bool ends_in(const char *text, const char *end)
{
  const size_t length = strlen(text), of_end = strlen(end);
  return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

/* ---- DISB: {"tasks": [{"id", "load", "client": {"model_name"}}]} ---- */

static aq_status task_put(FILE *requests, FILE *clients, aq_names *known,
                          const aq_json_node *task)
{
  aq_json_node client, load;
  const char *id, *model;
  aq_status status = name_read(task, "id", &id);
  if (status == AQ_OK)
    status = aq_json_need(task, "client", &client);
  if (status == AQ_OK)
    status = name_read(&client, "model_name", &model);
  if (status == AQ_OK)
    status = aq_json_need(task, "load", &load);
  if (status == AQ_OK)
    status = request_put(requests, known, reef_name(model), task);
  if (status != AQ_OK)
    return status;
  client_open(clients, id, reef_name(model), ends_in(id, "_rt"));
  return load_put(clients, &load);
}

/* ---- REEF: {"rt": [{"name", "frequency", "trace"}], "be": […]} ---- */

static aq_status reef_put(FILE *requests, FILE *clients, aq_names *known,
                          const aq_json_node *task, bool urgent, size_t number)
{
  aq_json_node trace;
  const char *model;
  char name[160];
  aq_status status = name_read(task, "name", &model);
  if (status == AQ_OK)
    status = request_put(requests, known, model, task);
  if (status != AQ_OK)
    return status;
  snprintf(name, sizeof name, "%s_%s%zu", model, urgent ? "rt" : "be", number);
  client_open(clients, name, model, urgent);
  if (!urgent) {
    fputs(", \"closed\": {}}", clients);
    return AQ_OK;
  }
  return aq_json_member(task, "trace", &trace)
             ? trace_put(clients, &trace)
             : rate_put(clients, task, "every");
}

static aq_status list_put(FILE *requests, FILE *clients, aq_names *known,
                          const aq_json_node *root, const char *key)
{
  aq_json_node list;
  size_t count;
  if (!aq_json_member(root, key, &list))
    return AQ_OK;
  aq_status status = aq_json_array(&list, 0, TASKS_MAX, &count);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node task = aq_json_element(&list, i);
    status = strcmp(key, "tasks") == 0
                 ? task_put(requests, clients, known, &task)
                 : reef_put(requests, clients, known, &task,
                            strcmp(key, "rt") == 0, i);
  }
  return status;
}

static aq_status document_put(const aq_json_node *root, FILE *requests,
                              FILE *clients)
{
  static const char *const keys[] = {"time", "tasks", "rt", "be", NULL};
  aq_names known = AQ_NAMES_INIT;
  aq_status status = aq_json_object(root, keys);
  for (size_t i = 1; keys[i] && status == AQ_OK; i++)
    status = list_put(requests, clients, &known, root, keys[i]);
  aq_names_fini(&known);
  return status;
}

aq_status aq_disb_convert(const aq_json_node *root, char **out, size_t *size)
{
  char *text[2] = {NULL, NULL};
  size_t sizes[2] = {0, 0};
  aq_json_node time;
  double seconds;
  aq_status status = aq_json_need(root, "time", &time);
  if (status == AQ_OK)
    status = aq_json_number(&time, 1e-6, 1e6, &seconds);
  if (status != AQ_OK)
    return status;
  FILE *requests = open_memstream(&text[0], &sizes[0]);
  FILE *clients = open_memstream(&text[1], &sizes[1]);
  if (!requests || !clients)
    status = aq_json_no_memory(root);
  else
    status = document_put(root, requests, clients);
  if ((requests && fclose(requests)) | (clients && fclose(clients)) &&
      status == AQ_OK)
    status = aq_json_no_memory(root);
  if (status == AQ_OK && sizes[1] == 0)
    status = aq_json_error(root, "no client has a request");
  if (status == AQ_OK) {
    const int length =
        asprintf(out,
                 "{\"version\": 1, \"parameters\": {\"time\": \"%.17gs\"},\n"
                 " \"requests\": {%s},\n \"clients\": [%s\n]}\n",
                 seconds, text[0], text[1] + 1);
    if (length < 0)
      status = aq_json_no_memory(root);
    else
      *size = (size_t)length;
  }
  free(text[0]);
  free(text[1]);
  return status;
}
