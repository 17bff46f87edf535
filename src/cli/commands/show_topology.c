/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/show_file.h"

#include <stdio.h>

#include "cli/commands/table_output.h"
#include "transport/registry/device_models.h"

static aq_status put_devices(aq_cli *cli, aq_json_out *json,
                             const aq_transport_info *info)
{
  static const aq_cli_column columns[] = {{">device", "device"},
                                          {"model", "model"},
                                          {NULL, "hash"},
                                          {"constants", "constants"},
                                          {"UUID", "uuid"},
                                          {">copy engines", "copy_engines"},
                                          {">for peers", "copy_engines_peer"},
                                          {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "devices", columns);
  for (uint32_t i = 0; i < info->device_count; i++) {
    const aq_device_info *device = &info->devices[i];
    aq_cli_row_begin(rows);
    aq_cli_cell_int(rows, i);
    aq_cli_cell_text(rows, device->model);
    aq_cli_cell_text(rows, device->model_hash);
    aq_cli_cell_text(rows, device->verdict);
    aq_cli_cell_text(rows, device->uuid);
    aq_cli_cell_int(rows, device->copy_engines);
    aq_cli_cell_int(rows, device->copy_engines_peer);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

static aq_status put_links(aq_cli *cli, aq_json_out *json,
                           const aq_transport_info *info)
{
  static const aq_cli_column columns[] = {
      {">from", "a"},    {">to", "b"},          {"link", "type"},
      {">hops", "hops"}, {">latency ns", NULL}, {NULL, "latency_ps"},
      {">GB/s", NULL},   {NULL, "bandwidth"},   {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "links", columns);
  for (uint32_t i = 0; i < info->link_count; i++) {
    const aq_link_info *link = &info->links[i];
    aq_cli_row_begin(rows);
    aq_cli_cell_int(rows, link->a);
    if (link->b == AQ_DEVICE_HOST)
      aq_cli_cell_text(rows, "host");
    else
      aq_cli_cell_int(rows, link->b);
    aq_cli_cell_text(rows, link->type == AQ_LINK_XGMI ? "xGMI" : "PCIe");
    aq_cli_cell_int(rows, link->hops);
    aq_cli_cell_int(rows, link->latency / AQ_NS);
    aq_cli_cell_int(rows, link->latency);
    aq_cli_cell_real(rows, "%.1f", (double)link->bandwidth / 1e9);
    aq_cli_cell_int(rows, (int64_t)link->bandwidth);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

static aq_status print(aq_cli *cli, const aq_transport_info *info)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json)
    aq_json_out_map(json, NULL);
  status = put_devices(cli, json, info);
  if (!json)
    fputc('\n', cli->out);
  if (status == AQ_OK)
    status = put_links(cli, json, info);
  if (json)
    aq_json_out_close_map(json);
  return aq_cli_json_finish(cli, json, status);
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
