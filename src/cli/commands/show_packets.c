/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/show_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_out.h"
#include "common/text.h"
#include "queue/capture/packet_summary.h"
#include "queue/capture/reader.h"

/* The counts of a capture besides its packets and kernels. */
static const struct {
  const char *text, *key;
  aq_packet_event_kind event;
} counted[] = {{"openings", "openings", AQ_PACKET_E_OPEN},
               {"queues", "queues", AQ_PACKET_E_QUEUE},
               {"signals", "signals", AQ_PACKET_E_SIGNAL},
               {"host updates", "updates", AQ_PACKET_E_UPDATE},
               {"waits", "waits", AQ_PACKET_E_WAIT},
               {"copies", "copies", AQ_PACKET_E_COPY},
               {"executions", "executions", AQ_PACKET_E_EXECUTE},
               {"memory pieces", "memories", AQ_PACKET_E_MEMORY}};

enum { COUNTED = sizeof counted / sizeof *counted };

static void summary_json(aq_json_out *json, const aq_packet_summary *s)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "processes", (int64_t)s->processes);
  for (size_t i = 0; i < COUNTED; i++)
    aq_json_out_int(json, counted[i].key, (int64_t)s->events[counted[i].event]);
  aq_json_out_int(json, "copied_bytes", (int64_t)s->copied);
  aq_json_out_ns(json, "span_ns", s->last - s->first);
  aq_json_out_map(json, "packets");
  for (size_t i = 0; i < AQ_PACKET_TYPES; i++)
    aq_json_out_int(json, aq_packet_type_name(i), (int64_t)s->packets[i]);
  aq_json_out_close_map(json);
  aq_json_out_array(json, "kernels");
  for (size_t i = 0; i < s->kernel_count; i++) {
    char *name = aq_text_utf8(s->kernels[i].name, strlen(s->kernels[i].name));
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "name", name);
    aq_json_out_int(json, "dispatches", (int64_t)s->kernels[i].dispatches);
    aq_json_out_close_map(json);
    free(name);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

static void summary_print(FILE *out, const aq_packet_summary *s)
{
  fprintf(out, "%-14s %" PRIu64 "\n", "processes", s->processes);
  for (size_t i = 0; i < COUNTED; i++)
    fprintf(out, "%-14s %" PRIu64 "\n", counted[i].text,
            s->events[counted[i].event]);
  fprintf(out, "%-14s %" PRIu64 "\n", "copied bytes", s->copied);
  fprintf(out, "%-14s %.3f us\n", "span",
          (double)(s->last - s->first) / (double)AQ_US);
  fputs("\npackets\n", out);
  for (size_t i = 0; i < AQ_PACKET_TYPES; i++)
    if (s->packets[i] > 0)
      fprintf(out, "  %-12s %" PRIu64 "\n", aq_packet_type_name(i),
              s->packets[i]);
  fputs("\nkernels\n", out);
  for (size_t i = 0; i < s->kernel_count; i++) {
    char *name = aq_text_line(s->kernels[i].name, strlen(s->kernels[i].name));
    fprintf(out, "  %s: %" PRIu64 "\n", name ? name : "",
            s->kernels[i].dispatches);
    free(name);
  }
}

aq_status aq_cli_show_packets(aq_cli *cli)
{
  aq_packet_file *file;
  aq_packet_summary summary;
  aq_json_out *json = NULL;
  aq_status status = aq_packet_file_open(cli->args[0], &file, &cli->diag);
  if (status != AQ_OK)
    return status;
  if (file->cut)
    aq_cli_note(cli, "%s:%u: the capture that begins here is truncated",
                cli->args[0], file->cut);
  status = aq_packet_summary_make(file, &summary, &cli->diag);
  if (status == AQ_OK) {
    status = aq_cli_json_begin_if(cli, &json);
    if (status == AQ_OK && json)
      summary_json(json, &summary);
    else if (status == AQ_OK)
      summary_print(cli->out, &summary);
    if (status == AQ_OK)
      status = aq_cli_json_end_if(cli, json);
    aq_packet_summary_fini(&summary);
  }
  aq_packet_file_close(file);
  return status;
}

/* ---- operations ---- */

static void line_put(const char *line, void *user)
{
  aq_cli *cli = user;
  char *clean = aq_text_line(line, strlen(line));
  fprintf(cli->out, "%s\n", clean ? clean : "");
  free(clean);
}

static void line_json(const char *line, void *user)
{
  aq_json_out_text(user, NULL, line);
}

static void file_json(aq_json_out *json, const aq_cap_file *file)
{
  const aq_cap_counts *counts = &file->counts;
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "bytes", (int64_t)file->size);
  aq_json_out_int(json, "devices", file->devices);
  aq_json_out_int(json, "queues", counts->queues);
  aq_json_out_int(json, "semaphores", counts->semaphores);
  aq_json_out_int(json, "memories", counts->memories);
  aq_json_out_int(json, "modules", counts->modules);
  aq_json_out_int(json, "programs", counts->programs);
  aq_json_out_int(json, "operations", counts->operations);
  aq_json_out_int(json, "digests", counts->digests);
  aq_json_out_array(json, "kernels");
  for (uint32_t i = 0; i < counts->kernels; i++)
    aq_json_out_text(json, NULL, file->kernels[i]);
  aq_json_out_close_array(json);
  aq_json_out_array(json, "records");
  aq_cap_file_print(file, line_json, json);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

aq_status aq_cli_show_capture(aq_cli *cli)
{
  aq_cap_file *file;
  aq_json_out *json = NULL;
  aq_status status = aq_cap_file_open(cli->args[0], &file, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_cli_json_begin_if(cli, &json);
  if (status == AQ_OK && json)
    file_json(json, file);
  else if (status == AQ_OK)
    aq_cap_file_print(file, line_put, cli);
  if (status == AQ_OK)
    status = aq_cli_json_end_if(cli, json);
  aq_cap_file_close(file);
  return status;
}
