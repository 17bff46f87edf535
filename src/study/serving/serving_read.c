/* SPDX-License-Identifier: MIT */
/* The "serving" part of a scenario (doc/formats/scenario.md). */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/serving/serving_priv.h"

enum { PATH_SIZE = 4096, WEIGHT_MAX = 1000000, PRIORITY_MAX = 1000 };

static const double RATE_LEAST = 1e-6, RATE_MOST = 1e6;

/* ---- small members ---- */

static aq_status integer_read(const aq_json_node *node, const char *key,
                              int64_t least, int64_t most, uint32_t *out)
{
  aq_json_node member;
  int64_t value = *out;
  aq_status status = AQ_OK;
  if (aq_json_member(node, key, &member))
    status = aq_json_integer(&member, least, most, &value);
  *out = (uint32_t)value;
  return status;
}

static aq_status bool_read(const aq_json_node *node, const char *key, bool *out)
{
  aq_json_node member;
  return aq_json_member(node, key, &member) ? aq_json_bool(&member, out)
                                            : AQ_OK;
}

static aq_status text_keep(aq_serving *sv, const aq_json_node *node,
                           const char **out)
{
  const char *text;
  aq_status status = aq_json_text(node, &text);
  if (status != AQ_OK)
    return status;
  *out = aq_arena_text(&sv->arena, text, strlen(text));
  return *out ? AQ_OK : aq_json_no_memory(node);
}

static aq_status priority_read(const aq_json_node *node, int32_t *out)
{
  static const char *const words[] = {"low", "normal", "high"};
  aq_json_node member;
  const char *text;
  int64_t value = 0;
  if (!aq_json_member(node, "priority", &member))
    return AQ_OK;
  if (!aq_json_is_text(&member)) {
    aq_status status =
        aq_json_integer(&member, -PRIORITY_MAX, PRIORITY_MAX, &value);
    *out = (int32_t)value;
    return status;
  }
  aq_status status = aq_json_text(&member, &text);
  for (int i = 0; status == AQ_OK && i < 3; i++)
    if (strcmp(text, words[i]) == 0) {
      *out = i - 1;
      return AQ_OK;
    }
  return status == AQ_OK
             ? aq_json_error(&member,
                             "\"%.40s\": low, normal, high or a whole "
                             "number expected",
                             text)
             : status;
}

/* ---- requests ---- */

/* A file beside the scenario. */
static aq_status file_read(const aq_json_node *node, aq_llm_requests *out,
                           aq_diag *diag)
{
  const char *file = node->doc->file, *slash = strrchr(file, '/'), *name;
  char path[PATH_SIZE];
  aq_status status = aq_json_text(node, &name);
  if (status != AQ_OK)
    return status;
  const int folder = slash && name[0] != '/' ? (int)(slash - file) + 1 : 0;
  if (snprintf(path, sizeof path, "%.*s%s", folder, file, name) >= PATH_SIZE)
    return aq_json_error(node, "path too long");
  aq_diag why = AQ_DIAG_INIT;
  status = aq_llm_requests_read(path, out, &why);
  if (status == AQ_ERR_INPUT)
    return aq_json_error(node, "%s", why.text);
  return status == AQ_OK ? AQ_OK : aq_diag_set(diag, status, "%s", why.text);
}

static aq_status requests_read(const aq_json_node *node,
                               aq_serving_server *server, aq_diag *diag)
{
  static const char *const keys[] = {"file", "count", "rate", NULL};
  aq_json_node requests, member;
  int64_t count = 0;
  server->rate = 1;
  if (!aq_json_member(node, "requests", &requests))
    return server->role == AQ_SV_DECODE
               ? AQ_OK
               : aq_json_need(node, "requests", &requests);
  if (server->role == AQ_SV_DECODE)
    return aq_json_error(&requests, "a decode server gets its requests from "
                                    "the servers that name it in \"to\"");
  aq_status status = aq_json_object(&requests, keys);
  if (status == AQ_OK && aq_json_member(&requests, "count", &member))
    status = aq_json_integer(&member, 1, INT32_MAX, &count);
  if (status == AQ_OK && aq_json_member(&requests, "rate", &member))
    status = aq_json_number(&member, RATE_LEAST, RATE_MOST, &server->rate);
  if (status == AQ_OK)
    status = aq_json_need(&requests, "file", &member);
  if (status == AQ_OK)
    status = file_read(&member, &server->requests, diag);
  server->count = (uint64_t)count;
  return status;
}

/* ---- a server ---- */

static aq_status role_read(const aq_json_node *node, aq_serving_server *server)
{
  static const char *const roles[] = {"both", "prefill", "decode"};
  aq_json_node member;
  const char *text;
  if (!aq_json_member(node, "role", &member))
    return AQ_OK;
  aq_status status = aq_json_text(&member, &text);
  for (int i = 0; status == AQ_OK && i < 3; i++)
    if (strcmp(text, roles[i]) == 0) {
      server->role = (aq_serving_role)i;
      return AQ_OK;
    }
  return status == AQ_OK
             ? aq_json_error(
                   &member, "\"%.40s\": both, prefill or decode expected", text)
             : status;
}

static aq_status devices_read(const aq_json_node *node,
                              aq_serving_server *server)
{
  aq_json_node list;
  size_t count = 1;
  server->device_count = 1;
  if (!aq_json_member(node, "devices", &list))
    return AQ_OK;
  aq_status status = aq_json_array(&list, 1, AQ_SV_DEVICES_MAX, &count);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    int64_t value;
    status = aq_json_integer(&element, 0, 63, &value);
    if (status != AQ_OK)
      break;
    server->devices[i] = (uint32_t)value;
    for (size_t k = 0; k < i && status == AQ_OK; k++)
      if (server->devices[k] == server->devices[i])
        status = aq_json_error(&element, "device %lld again", (long long)value);
  }
  server->device_count = (uint32_t)count;
  return status;
}

static aq_status batching_read(const aq_json_node *node,
                               aq_serving_server *server)
{
  aq_batcher_options *o = &server->batching;
  *o = (aq_batcher_options){.max_seqs = 256,
                            .max_tokens = 2048,
                            .block_tokens = 16,
                            .prefix_cache = true,
                            .chunked = true,
                            .reserve_full = true,
                            .cache_transfer = server->role == AQ_SV_PREFILL};
  aq_status status = integer_read(node, "max_seqs", 1, 65536, &o->max_seqs);
  if (status == AQ_OK)
    status = integer_read(node, "max_tokens", 1, 1 << 24, &o->max_tokens);
  if (status == AQ_OK)
    status = integer_read(node, "block", 1, 65536, &o->block_tokens);
  aq_json_node member;
  if (status == AQ_OK)
    status = aq_json_need(node, "blocks", &member);
  if (status == AQ_OK)
    status = integer_read(node, "blocks", 1, 1 << 28, &o->blocks);
  if (status == AQ_OK)
    status = integer_read(node, "long_prefill", 0, 1 << 24, &o->long_prefill);
  if (status == AQ_OK)
    status = bool_read(node, "prefix_cache", &o->prefix_cache);
  if (status == AQ_OK)
    status = bool_read(node, "chunked", &o->chunked);
  if (status == AQ_OK)
    status = bool_read(node, "reserve_full", &o->reserve_full);
  return status;
}

static aq_status objective_read(const aq_json_node *node,
                                aq_serving_server *server)
{
  static const char *const keys[] = {"ttft", "tpot", NULL};
  aq_json_node objective, member;
  server->ttft = server->tpot = AQ_TIME_NONE;
  if (!aq_json_member(node, "objective", &objective))
    return AQ_OK;
  aq_status status = aq_json_object(&objective, keys);
  if (status == AQ_OK && aq_json_member(&objective, "ttft", &member))
    status = aq_json_time(&member, &server->ttft);
  if (status == AQ_OK && aq_json_member(&objective, "tpot", &member))
    status = aq_json_time(&member, &server->tpot);
  return status;
}

static aq_status hashes_check(const aq_json_node *node,
                              const aq_serving_server *server)
{
  const uint32_t hash = server->requests.hash_block;
  const uint32_t block = server->batching.block_tokens;
  if (!server->batching.prefix_cache || hash == 0 || hash % block == 0)
    return AQ_OK;
  return aq_json_error(node,
                       "blocks of %u tokens do not divide the %u tokens of a "
                       "prefix in its requests; a divisor expected, or "
                       "\"prefix_cache\": false",
                       block, hash);
}

static aq_status server_read(aq_serving *sv, const aq_json_node *node,
                             aq_serving_server *server, aq_diag *diag)
{
  static const char *const keys[] = {
      "name",         "model",        "requests",   "role",         "to",
      "devices",      "max_seqs",     "max_tokens", "block",        "blocks",
      "long_prefill", "prefix_cache", "chunked",    "reserve_full", "graphs",
      "idempotent",   "objective",    "priority",   "weight",       NULL};
  aq_json_node member;
  aq_status status = aq_json_object(node, keys);
  server->weight = 1;
  server->graphs = true;
  if (status == AQ_OK)
    status = aq_json_need(node, "name", &member);
  if (status == AQ_OK)
    status = text_keep(sv, &member, &server->name);
  if (status == AQ_OK)
    status = aq_json_need(node, "model", &member);
  if (status == AQ_OK)
    status = aq_model_open(&member, &server->model);
  if (status == AQ_OK)
    status = role_read(node, server);
  if (status == AQ_OK)
    status = devices_read(node, server);
  if (status == AQ_OK)
    status = batching_read(node, server);
  if (status == AQ_OK)
    status = objective_read(node, server);
  if (status == AQ_OK)
    status = bool_read(node, "graphs", &server->graphs);
  if (status == AQ_OK)
    status = bool_read(node, "idempotent", &server->idempotent);
  if (status == AQ_OK)
    status = priority_read(node, &server->priority);
  if (status == AQ_OK)
    status = integer_read(node, "weight", 1, WEIGHT_MAX, &server->weight);
  if (status == AQ_OK)
    status = requests_read(node, server, diag);
  return status == AQ_OK ? hashes_check(node, server) : status;
}

/* Which server continues the requests of each prefill server. */
static aq_status to_read(aq_serving *sv, const aq_json_node *node,
                         aq_serving_server *server)
{
  aq_json_node member;
  const char *name;
  const bool has = aq_json_member(node, "to", &member);
  if (server->role != AQ_SV_PREFILL)
    return has ? aq_json_error(&member, "only a prefill server hands over")
               : AQ_OK;
  aq_status status = aq_json_need(node, "to", &member);
  if (status == AQ_OK)
    status = aq_json_text(&member, &name);
  if (status != AQ_OK)
    return status;
  for (uint32_t i = 0; i < sv->server_count; i++)
    if (strcmp(sv->servers[i].name, name) == 0) {
      server->to = i;
      return sv->servers[i].role == AQ_SV_DECODE
                 ? AQ_OK
                 : aq_json_error(&member, "\"%.64s\" is no decode server",
                                 name);
    }
  return aq_json_error(&member, "no server is named \"%.64s\"", name);
}

static aq_status level_read(aq_serving *sv, const aq_json_node *node)
{
  aq_json_node member;
  const char *text;
  if (!aq_json_member(node, "level", &member))
    return AQ_OK;
  aq_status status = aq_json_text(&member, &text);
  if (status != AQ_OK)
    return status;
  sv->steps = strcmp(text, "step") == 0;
  return sv->steps || strcmp(text, "dispatch") == 0
             ? AQ_OK
             : aq_json_error(&member, "\"%.40s\": dispatch or step expected",
                             text);
}

static bool shares(const aq_serving_server *a, const aq_serving_server *b)
{
  for (uint32_t i = 0; i < a->device_count; i++)
    for (uint32_t k = 0; k < b->device_count; k++)
      if (a->devices[i] == b->devices[k])
        return true;
  return false;
}

aq_status aq_serving_read(aq_serving *sv, const aq_json_node *node,
                          aq_diag *diag)
{
  static const char *const keys[] = {"level", "servers", NULL};
  aq_json_node list;
  size_t count = 0;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = level_read(sv, node);
  if (status == AQ_OK)
    status = aq_json_need(node, "servers", &list);
  if (status == AQ_OK)
    status = aq_json_array(&list, 1, AQ_SV_SERVERS_MAX, &count);
  if (status != AQ_OK)
    return status;
  sv->servers = aq_arena_alloc(&sv->arena, count * sizeof *sv->servers);
  if (!sv->servers)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    status = server_read(sv, &element, &sv->servers[sv->server_count++], diag);
  }
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    status = to_read(sv, &element, &sv->servers[i]);
  }
  for (uint32_t i = 0; i < sv->server_count; i++) {
    aq_serving_server *server = &sv->servers[i];
    const aq_serving_server *to = &sv->servers[server->to];
    server->local = aq_peers_local(server->devices, server->device_count,
                                   to->devices, to->device_count);
    sv->servers[i].alone = true;
    for (uint32_t k = 0; k < sv->server_count; k++)
      if (k != i && shares(&sv->servers[i], &sv->servers[k]))
        sv->servers[i].alone = false;
  }
  return status;
}
