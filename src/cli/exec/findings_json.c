/* SPDX-License-Identifier: MIT */
/* Findings as JSON, and as results of SARIF 2.1.0. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/exec/findings_priv.h"
#include "common/demangle.h"
#include "common/text.h"

static void text_put(aq_json_out *json, const char *key, const char *text)
{
  char *own = text ? aq_text_utf8(text, strlen(text)) : NULL;
  aq_json_out_text(json, key, own);
  free(own);
}

static void name_put(aq_json_out *json, const char *key, const char *symbol)
{
  char *plain = symbol ? aq_demangle(symbol) : NULL;
  text_put(json, key, plain ? plain : symbol);
  free(plain);
}

static void stack_put(aq_json_out *json, const char *key, const char *lines)
{
  aq_json_out_array(json, key);
  while (lines && *lines) {
    const size_t length = strcspn(lines, "\n");
    char *frame = aq_finding_frame(lines, length);
    text_put(json, NULL, frame);
    free(frame);
    lines += length + (lines[length] == '\n');
  }
  aq_json_out_close_array(json);
}

static void triple_put(aq_json_out *json, const char *key, int64_t x, int64_t y,
                       int64_t z)
{
  aq_json_out_array(json, key);
  if (x != AQ_NONE) {
    aq_json_out_int(json, NULL, x);
    aq_json_out_int(json, NULL, y);
    aq_json_out_int(json, NULL, z);
  }
  aq_json_out_close_array(json);
}

void aq_finding_json(const aq_finding_texts *f, aq_json_out *json)
{
  const aq_finding *row = &f->row;
  aq_json_out_map(json, NULL);
  text_put(json, "check", f->category);
  text_put(json, "kind", f->kind);
  aq_json_out_bool(json, "possible", row->possible == AQ_FINDING_POSSIBLE);
  aq_json_out_bool(json, "note", row->possible == AQ_FINDING_NOTE);
  text_put(json, "message", f->message);
  char *line = aq_finding_line(f);
  text_put(json, "text", line);
  free(line);
  aq_json_out_int(json, "count", row->count);
  text_put(json, "symbol", f->kernel);
  name_put(json, "kernel", f->kernel);
  aq_json_out_int(json, "offset", row->offset);
  text_put(json, "instruction", f->instruction);
  text_put(json, "file", f->file);
  aq_json_out_int(json, "line", row->line);
  aq_json_out_int(json, "queue", row->queue);
  aq_json_out_int(json, "packet", row->packet);
  triple_put(json, "workgroup", row->group_x, row->group_y, row->group_z);
  triple_put(json, "work_item", row->item_x, row->item_y, row->item_z);
  aq_json_out_int(json, "lanes", row->lanes);
  aq_json_out_int(json, "address", row->address);
  aq_json_out_int(json, "bytes", row->bytes);
  text_put(json, "place", f->place);
  stack_put(json, "called_by", f->called);
  stack_put(json, "allocated_by", f->made);
  stack_put(json, "freed_by", f->freed);
  if (f->other) {
    aq_json_out_map(json, "other");
    text_put(json, "access", f->other);
    text_put(json, "symbol", f->other_kernel);
    name_put(json, "kernel", f->other_kernel);
    text_put(json, "instruction", f->other_instruction);
    text_put(json, "file", f->other_file);
    aq_json_out_int(json, "line", f->row.other_line);
    aq_json_out_int(json, "queue", f->row.other_queue);
    aq_json_out_int(json, "packet", f->row.other_packet);
    aq_json_out_close_map(json);
  }
  text_put(json, "missing", f->missing);
  aq_json_out_close_map(json);
}

/* ---- SARIF ---- */

/* Relative to the folder of the call, which is the checkout's in CI; otherwise
 * absolute. NULL: out of memory. */
static char *uri_of(const char *file)
{
  static const char plain[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
      "0123456789/-._~!$&'()*+,;=@";
  char *folder = getcwd(NULL, 0), *out = NULL;
  const size_t length = folder ? strlen(folder) : 0;
  size_t size = 0;
  if (length > 1 && strncmp(file, folder, length) == 0 && file[length] == '/')
    file += length + 1;
  free(folder);
  FILE *to = open_memstream(&out, &size);
  if (!to)
    return NULL;
  fputs(*file == '/' ? "file://" : "", to);
  for (; *file; file++)
    fprintf(to, strchr(plain, *file) ? "%c" : "%%%02X", (unsigned char)*file);
  if (fclose(to) == 0)
    return out;
  free(out);
  return NULL;
}

static void locations_put(aq_json_out *json, const char *key, const char *file,
                          int64_t line)
{
  if (!file || line == AQ_NONE)
    return;
  aq_json_out_array(json, key);
  char *uri = uri_of(file);
  aq_json_out_map(json, NULL);
  aq_json_out_map(json, "physicalLocation");
  aq_json_out_map(json, "artifactLocation");
  aq_json_out_text(json, "uri", uri ? uri : "");
  free(uri);
  aq_json_out_close_map(json);
  aq_json_out_map(json, "region");
  aq_json_out_int(json, "startLine", line);
  aq_json_out_close_map(json);
  aq_json_out_close_map(json);
  aq_json_out_close_map(json);
  aq_json_out_close_array(json);
}

void aq_finding_sarif(const aq_finding_texts *f, aq_json_out *json)
{
  aq_json_out_map(json, NULL);
  /* A rule is a kind; its id has no blanks. */
  const char *kind = f->kind;
  char *id = strdup(kind);
  for (char *at = id; at && *at; at++)
    if (*at == ' ')
      *at = '-';
  aq_json_out_text(json, "ruleId", id);
  free(id);
  aq_json_out_text(json, "level",
                   f->row.possible == AQ_FINDING_NOTE       ? "note"
                   : f->row.possible == AQ_FINDING_POSSIBLE ? "warning"
                                                            : "error");
  char *text = aq_finding_line(f);
  aq_json_out_map(json, "message");
  text_put(json, "text", text ? text : f->kind);
  aq_json_out_close_map(json);
  free(text);
  locations_put(json, "locations", f->file, f->row.line);
  locations_put(json, "relatedLocations", f->other_file, f->row.other_line);
  aq_json_out_int(json, "occurrenceCount", f->row.count);
  aq_json_out_close_map(json);
}

void aq_findings_sarif_begin(aq_json_out *json)
{
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "version", "2.1.0");
  aq_json_out_text(json, "$schema",
                   "https://json.schemastore.org/sarif-2.1.0.json");
  aq_json_out_array(json, "runs");
  aq_json_out_map(json, NULL);
  aq_json_out_map(json, "tool");
  aq_json_out_map(json, "driver");
  aq_json_out_text(json, "name", "aqueduct exec --check");
  aq_json_out_text(json, "version", PACKAGE_VERSION);
  aq_json_out_close_map(json);
  aq_json_out_close_map(json);
  aq_json_out_array(json, "results");
}

void aq_findings_sarif_end(aq_json_out *json, const char *cut)
{
  aq_json_out_close_array(json);
  aq_json_out_array(json, "invocations");
  aq_json_out_map(json, NULL);
  aq_json_out_bool(json, "executionSuccessful", !cut);
  if (cut) {
    aq_json_out_array(json, "toolExecutionNotifications");
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "level", "error");
    aq_json_out_map(json, "message");
    text_put(json, "text", cut);
    aq_json_out_close_map(json);
    aq_json_out_close_map(json);
    aq_json_out_close_array(json);
  }
  aq_json_out_close_map(json);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}
