/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/topology_show.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/columns.h"
#include "common/json_out.h"
#include "transports/device_models.h"

enum { CELL = 32 };

static const char *type_name(aq_link_type type)
{
  return type == AQ_LINK_XGMI ? "xGMI" : "PCIe";
}

/* ---- JSON ---- */

static void json_devices(aq_json_out *json, const aq_transport_info *info)
{
  aq_json_out_array(json, "devices");
  for (uint32_t i = 0; i < info->device_count; i++) {
    const aq_device_info *device = &info->devices[i];
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "device", i);
    aq_json_out_text(json, "model", device->model);
    aq_json_out_text(json, "hash", device->model_hash);
    aq_json_out_text(json, "constants", device->verdict);
    aq_json_out_text(json, "uuid", device->uuid);
    aq_json_out_int(json, "copy_engines", device->copy_engines);
    aq_json_out_int(json, "copy_engines_peer", device->copy_engines_peer);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
}

static void json_links(aq_json_out *json, const aq_transport_info *info)
{
  aq_json_out_array(json, "links");
  for (uint32_t i = 0; i < info->link_count; i++) {
    const aq_link_info *link = &info->links[i];
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "a", link->a);
    if (link->b == AQ_DEVICE_HOST)
      aq_json_out_text(json, "b", "host");
    else
      aq_json_out_int(json, "b", link->b);
    aq_json_out_text(json, "type", type_name(link->type));
    aq_json_out_int(json, "hops", link->hops);
    aq_json_out_int(json, "latency_ps", link->latency);
    aq_json_out_int(json, "bandwidth", (int64_t)link->bandwidth);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
}

/* ---- tables ---- */

static bool put_devices(aq_cli *cli, const aq_transport_info *info)
{
  static const char *const names[] = {">device", "model",         "constants",
                                      "UUID",    ">copy engines", ">for peers",
                                      NULL};
  aq_cli_columns *table = aq_cli_columns_new(names);
  if (!table)
    return false;
  for (uint32_t i = 0; i < info->device_count; i++) {
    const aq_device_info *device = &info->devices[i];
    char number[CELL], engines[CELL], peers[CELL];
    snprintf(number, CELL, "%" PRIu32, i);
    snprintf(engines, CELL, "%" PRIu32, device->copy_engines);
    snprintf(peers, CELL, "%" PRIu32, device->copy_engines_peer);
    const char *cells[] = {number,       device->model, device->verdict,
                           device->uuid, engines,       peers};
    aq_cli_columns_row(table, cells);
  }
  return aq_cli_columns_print(table, cli->out);
}

static bool put_links(aq_cli *cli, const aq_transport_info *info)
{
  static const char *const names[] = {">from",       ">to",   "link", ">hops",
                                      ">latency ns", ">GB/s", NULL};
  aq_cli_columns *table = aq_cli_columns_new(names);
  if (!table)
    return false;
  for (uint32_t i = 0; i < info->link_count; i++) {
    const aq_link_info *link = &info->links[i];
    char a[CELL], b[CELL] = "host", hops[CELL], latency[CELL], rate[CELL];
    snprintf(a, CELL, "%" PRIu32, link->a);
    if (link->b != AQ_DEVICE_HOST)
      snprintf(b, CELL, "%" PRIu32, link->b);
    snprintf(hops, CELL, "%" PRIu32, link->hops);
    snprintf(latency, CELL, "%" PRId64, link->latency / AQ_NS);
    snprintf(rate, CELL, "%.1f", (double)link->bandwidth / 1e9);
    const char *cells[] = {a, b, type_name(link->type), hops, latency, rate};
    aq_cli_columns_row(table, cells);
  }
  return aq_cli_columns_print(table, cli->out);
}

static aq_status print(aq_cli *cli, const aq_transport_info *info)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    json_devices(json, info);
    json_links(json, info);
    aq_json_out_close_map(json);
    return aq_cli_json_end_if(cli, json);
  }
  bool good = put_devices(cli, info);
  fputc('\n', cli->out);
  return good && put_links(cli, info) ? AQ_OK : aq_diag_no_memory(&cli->diag);
}

aq_status aq_cli_show_topology(aq_cli *cli, const char *devices)
{
  const aq_transport_options options = {.size = sizeof options,
                                        .device = devices};
  aq_transport_stack *stack;
  aq_transport *t;
  aq_transport_info info;
  aq_status status = aq_transport_stack_create("sim", NULL, &stack, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_transport_stack_open(stack, &options, &t, &cli->diag);
  if (status == AQ_OK) {
    t->ops->info(t, &info);
    status = print(cli, &info);
    t->ops->close(t);
  }
  aq_transport_stack_destroy(stack);
  return status;
}
