/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "study/workload/scenario_model.h"

enum {
  CLIENTS_MAX = 4096,
  COUNT_MAX = 65536,    /* of identical clients */
  AGENTS_MAX = 1000000, /* clients × concurrency */
  CONCURRENCY_MAX = 4096,
  ARRIVALS_MAX = 10000000, /* of a list */
  BURST_MAX = 1000000,
  DEVICES_MAX = 1024,
  PRIORITY_MAX = 1000000,
  WEIGHT_MAX = 1000000,
};

static aq_status integer_read(const aq_json_node *node, const char *key,
                              int64_t min, int64_t max, int64_t otherwise,
                              int64_t *out)
{
  aq_json_node member;
  *out = otherwise;
  return aq_json_member(node, key, &member)
             ? aq_json_integer(&member, min, max, out)
             : AQ_OK;
}

static aq_status time_read(const aq_json_node *node, const char *key,
                           aq_time otherwise, aq_time *out)
{
  aq_json_node member;
  *out = otherwise;
  return aq_json_member(node, key, &member) ? aq_json_time(&member, out)
                                            : AQ_OK;
}

static aq_status flag_read(const aq_json_node *node, const char *key, bool *out)
{
  aq_json_node member;
  *out = false;
  return aq_json_member(node, key, &member) ? aq_json_bool(&member, out)
                                            : AQ_OK;
}

static aq_status draw_read(aq_scenario *scenario, const aq_json_node *node,
                           const char *key, aq_distribution *out)
{
  aq_json_node member;
  *out = (aq_distribution){.kind = AQ_CONSTANT};
  return aq_json_member(node, key, &member)
             ? aq_distribution_read(&member, &scenario->arena, out)
             : AQ_OK;
}

/* ---- requests of a client ---- */

/* An unknown name is added, which shows that it is one too many. */
static aq_status request_find(aq_scenario *scenario, const aq_json_node *node,
                              uint32_t *out)
{
  const char *name;
  aq_status status = aq_json_text(node, &name);
  if (status != AQ_OK)
    return status;
  const int64_t id = aq_names_id(&scenario->request_names, name, strlen(name));
  if (id < 0)
    return aq_json_no_memory(node);
  if (id >= scenario->request_count)
    return aq_json_error(node, "no request is named \"%.64s\"", name);
  *out = (uint32_t)id;
  return AQ_OK;
}

static aq_status choice_read(aq_scenario *scenario, const aq_json_node *node,
                             aq_sc_choice *out)
{
  static const char *const keys[] = {"request", "weight", NULL};
  aq_json_node request, weight;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = aq_json_need(node, "request", &request);
  if (status == AQ_OK)
    status = aq_json_need(node, "weight", &weight);
  if (status == AQ_OK)
    status = request_find(scenario, &request, &out->request);
  return status == AQ_OK ? aq_json_number(&weight, 1e-9, 1e9, &out->below)
                         : status;
}

static aq_status mix_read(aq_scenario *scenario, const aq_json_node *node,
                          aq_sc_client *client)
{
  aq_json_node request;
  size_t count = 1;
  aq_status status = aq_json_need(node, "request", &request);
  const bool list = status == AQ_OK && aq_json_is_array(&request);
  if (list)
    status = aq_json_array(&request, 1, scenario->request_count, &count);
  if (status != AQ_OK)
    return status;
  aq_sc_choice *mix = aq_arena_alloc(&scenario->arena, count * sizeof *mix);
  if (!mix)
    return aq_json_no_memory(node);
  mix[0].below = 1;
  if (!list)
    status = request_find(scenario, &request, &mix[0].request);
  for (size_t i = 0; list && i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&request, i);
    status = choice_read(scenario, &element, &mix[i]);
  }
  if (status != AQ_OK)
    return status;
  /* Turns weights into the upper ends of shares of the unit interval. */
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum = mix[i].below += sum;
  for (size_t i = 0; i < count; i++)
    mix[i].below /= sum;
  mix[count - 1].below = 1;
  for (size_t i = 0; i < count; i++) {
    const uint32_t steps = scenario->requests[mix[i].request].step_count;
    if (steps > client->steps_max)
      client->steps_max = steps;
  }
  client->mix = mix;
  client->mix_count = (uint32_t)count;
  return AQ_OK;
}

/* ---- when it asks ---- */

static aq_status bursts_read(aq_scenario *scenario, const aq_json_node *node,
                             aq_sc_client *client)
{
  static const char *const keys[] = {"every", "size", "spacing", NULL};
  aq_json_node every, size;
  int64_t value = 0;
  client->arrivals = AQ_SC_BURSTS;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = aq_json_need(node, "every", &every);
  if (status == AQ_OK)
    status = aq_distribution_read(&every, &scenario->arena, &client->every);
  if (status == AQ_OK)
    status = aq_json_need(node, "size", &size);
  if (status == AQ_OK)
    status = aq_json_integer(&size, 1, BURST_MAX, &value);
  client->burst = (uint32_t)value;
  return status == AQ_OK
             ? draw_read(scenario, node, "spacing", &client->spacing)
             : status;
}

static aq_status at_read(aq_scenario *scenario, const aq_json_node *node,
                         aq_sc_client *client)
{
  size_t count;
  client->arrivals = AQ_SC_AT;
  aq_status status = aq_json_array(node, 1, ARRIVALS_MAX, &count);
  if (status != AQ_OK)
    return status;
  aq_time *at = aq_arena_alloc(&scenario->arena, count * sizeof *at);
  if (!at)
    return aq_json_no_memory(node);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(node, i);
    status = aq_json_time(&element, &at[i]);
    if (status == AQ_OK && i > 0 && at[i] < at[i - 1])
      status = aq_json_error(&element, "earlier than the one before it");
  }
  client->at = at;
  client->at_count = count;
  return status;
}

static aq_status every_read(aq_scenario *scenario, const aq_json_node *node,
                            aq_sc_client *client)
{
  client->arrivals = AQ_SC_EVERY;
  return aq_distribution_read(node, &scenario->arena, &client->every);
}

static aq_status poisson_read(aq_scenario *scenario, const aq_json_node *node,
                              aq_sc_client *client)
{
  (void)scenario;
  client->arrivals = AQ_SC_EVERY;
  client->poisson = true;
  client->every.kind = AQ_EXPONENTIAL;
  return aq_json_time(node, &client->every.a);
}

static aq_status open_read(aq_scenario *scenario, const aq_json_node *node,
                           aq_sc_client *client)
{
  static const char *const keys[] = {"every", "poisson", "bursts", "at", NULL};
  static aq_status (*const readers[])(aq_scenario *, const aq_json_node *,
                                      aq_sc_client *) = {
      every_read, poisson_read, bursts_read, at_read};
  size_t count;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = aq_json_members(node, &count);
  if (status == AQ_OK && count != 1)
    status = aq_json_error(node, "one of every, poisson, bursts, at expected");
  for (size_t i = 0; keys[i] && status == AQ_OK; i++) {
    aq_json_node member;
    if (aq_json_member(node, keys[i], &member))
      status = readers[i](scenario, &member, client);
  }
  client->concurrency = 1;
  return status;
}

static aq_status closed_read(aq_scenario *scenario, const aq_json_node *node,
                             aq_sc_client *client)
{
  static const char *const keys[] = {"concurrency", "think", NULL};
  int64_t value;
  client->arrivals = AQ_SC_CLOSED;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = integer_read(node, "concurrency", 1, CONCURRENCY_MAX, 1, &value);
  if (status != AQ_OK)
    return status;
  client->concurrency = (uint32_t)value;
  return draw_read(scenario, node, "think", &client->think);
}

static aq_status arrivals_read(aq_scenario *scenario, const aq_json_node *node,
                               aq_sc_client *client)
{
  aq_json_node open, closed;
  const bool is_open = aq_json_member(node, "open", &open);
  if (is_open == aq_json_member(node, "closed", &closed))
    return aq_json_error(node, "either \"open\" or \"closed\" expected");
  aq_status status = is_open ? open_read(scenario, &open, client)
                             : closed_read(scenario, &closed, client);
  if (status == AQ_OK)
    status = flag_read(node, "blocks", &client->blocks);
  if (status == AQ_OK && client->blocks && !is_open)
    status = aq_json_error(node, "closed clients always block; \"blocks\" is "
                                 "for open ones");
  const bool endless = client->requests == 0 && client->arrivals != AQ_SC_AT;
  if (status == AQ_OK && endless && client->until == AQ_TIME_NONE)
    return aq_json_error(node,
                         "it never ends: \"requests\" or \"until\" is missing");
  if (status == AQ_OK && endless && is_open &&
      aq_distribution_is_zero(&client->every))
    return aq_json_error(
        node, "it never ends: no time passes between its requests, and "
              "\"requests\" is missing");
  return status;
}

/* ---- the client ---- */

static aq_status priority_read(const aq_json_node *node, int32_t *out)
{
  static const char *const names[] = {"low", "normal", "high"};
  aq_json_node member;
  const char *text;
  *out = 0;
  if (!aq_json_member(node, "priority", &member))
    return AQ_OK;
  if (!aq_json_is_text(&member)) {
    int64_t value = 0;
    aq_status read =
        aq_json_integer(&member, -PRIORITY_MAX, PRIORITY_MAX, &value);
    *out = (int32_t)value;
    return read;
  }
  aq_status status = aq_json_text(&member, &text);
  for (int32_t i = 0; i < 3 && status == AQ_OK; i++)
    if (strcmp(text, names[i]) == 0) {
      *out = i - 1;
      return AQ_OK;
    }
  return status != AQ_OK
             ? status
             : aq_json_error(&member,
                             "\"%.40s\": low, normal, high or a number "
                             "expected",
                             text);
}

/* "exact", a time, or {"error": sigma}. */
static aq_status hint_read(const aq_json_node *node, aq_sc_client *client)
{
  static const char *const keys[] = {"error", NULL};
  aq_json_node hint, error;
  const char *text;
  if (!aq_json_member(node, "hint", &hint))
    return AQ_OK;
  client->hint = AQ_SC_HINT_DRAWN;
  if (aq_json_is_object(&hint)) {
    aq_status status = aq_json_object(&hint, keys);
    if (status == AQ_OK)
      status = aq_json_need(&hint, "error", &error);
    return status == AQ_OK ? aq_json_number(&error, 0, 10, &client->hint_error)
                           : status;
  }
  aq_status status = aq_json_text(&hint, &text);
  if (status != AQ_OK || strcmp(text, "exact") == 0)
    return status;
  client->hint = AQ_SC_HINT_FIXED;
  return aq_json_time(&hint, &client->hint_time);
}

static aq_status bound_read(const aq_json_node *node, uint32_t *flags)
{
  aq_json_node member;
  const char *text;
  if (!aq_json_member(node, "bound", &member))
    return AQ_OK;
  aq_status status = aq_json_text(&member, &text);
  if (status != AQ_OK)
    return status;
  if (strcmp(text, "compute") == 0)
    *flags |= AQ_JOB_COMPUTE;
  else if (strcmp(text, "memory") == 0)
    *flags |= AQ_JOB_MEMORY;
  else
    return aq_json_error(&member, "\"%.40s\": compute or memory expected",
                         text);
  return AQ_OK;
}

/* What only policies look at. */
static aq_status needs_read(const aq_json_node *node, aq_sc_client *client)
{
  int64_t weight;
  bool idempotent = false;
  aq_status status = integer_read(node, "weight", 1, WEIGHT_MAX, 1, &weight);
  client->weight = (uint32_t)weight;
  if (status == AQ_OK)
    status = priority_read(node, &client->priority);
  if (status == AQ_OK)
    status = hint_read(node, client);
  if (status == AQ_OK)
    status = flag_read(node, "independent", &client->independent);
  if (status == AQ_OK)
    status = flag_read(node, "idempotent", &idempotent);
  if (idempotent)
    client->job_flags |= AQ_JOB_IDEMPOTENT;
  return status == AQ_OK ? bound_read(node, &client->job_flags) : status;
}

static aq_status client_read(aq_scenario *scenario, const aq_json_node *node,
                             aq_sc_client *client)
{
  static const char *const keys[] = {
      "name",     "count",  "device",  "request",     "open",       "closed",
      "call",     "start",  "stagger", "until",       "requests",   "deadline",
      "priority", "weight", "hint",    "independent", "idempotent", "bound",
      "seed",     "blocks", NULL};
  int64_t count = 1, device = 0, requests = 0;
  aq_json_node name;
  const char *text;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK && aq_json_member(node, "name", &name)) {
    status = aq_json_text(&name, &text);
    client->name = status == AQ_OK
                       ? aq_arena_text(&scenario->arena, text, strlen(text))
                       : NULL;
    if (status == AQ_OK && !client->name)
      status = aq_json_no_memory(node);
  }
  if (status == AQ_OK)
    status = integer_read(node, "count", 1, COUNT_MAX, 1, &count);
  if (status == AQ_OK)
    status = integer_read(node, "device", 0, DEVICES_MAX, 0, &device);
  if (status == AQ_OK)
    status = integer_read(node, "requests", 1, INT64_MAX, 0, &requests);
  if (status == AQ_OK)
    status = integer_read(node, "seed", 0, INT64_MAX, -1, &client->seed);
  if (status == AQ_OK)
    status = time_read(node, "start", 0, &client->start);
  if (status == AQ_OK)
    status = time_read(node, "stagger", 0, &client->stagger);
  if (status == AQ_OK)
    status = time_read(node, "until", AQ_TIME_NONE, &client->until);
  if (status == AQ_OK)
    status = time_read(node, "deadline", AQ_TIME_NONE, &client->deadline);
  client->count = (uint32_t)count;
  client->device = (uint32_t)device;
  client->requests = (uint64_t)requests;
  if (status == AQ_OK)
    status = draw_read(scenario, node, "call", &client->call);
  if (status == AQ_OK)
    status = needs_read(node, client);
  if (status == AQ_OK)
    status = mix_read(scenario, node, client);
  return status == AQ_OK ? arrivals_read(scenario, node, client) : status;
}

aq_status aq_scenario_clients(aq_scenario *scenario, const aq_json_node *node)
{
  size_t count;
  uint64_t agents = 0;
  aq_status status = aq_json_array(node, 1, CLIENTS_MAX, &count);
  if (status != AQ_OK)
    return status;
  scenario->client_count = (uint32_t)count;
  scenario->clients =
      aq_arena_alloc(&scenario->arena, count * sizeof *scenario->clients);
  if (!scenario->clients)
    return aq_json_no_memory(node);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(node, i);
    aq_sc_client *client = &scenario->clients[i];
    status = client_read(scenario, &element, client);
    agents += (uint64_t)client->count * client->concurrency;
    if (status == AQ_OK && agents > AGENTS_MAX)
      status = aq_json_error(&element,
                             "with it there are %llu requests at a time, at "
                             "most %d expected",
                             (unsigned long long)agents, AGENTS_MAX);
  }
  return status;
}
