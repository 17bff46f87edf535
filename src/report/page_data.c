/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/page_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/utf8.h"
#include "report/explain_run.h"
#include "report/page_code.h"
#include "report/short_names.h"

enum { BATCH = 512 };

/* ---- JSON text ---- */

/* Valid UTF-8, harmless inside of an HTML script element. */
void aq_page_text_put(FILE *out, const char *text)
{
  size_t left = text ? strlen(text) : 0;
  if (!text) {
    fputs("null", out);
    return;
  }
  putc('"', out);
  while (left > 0) {
    uint32_t code = 0;
    size_t size = aq_utf8_length(text, left, &code);
    if (size == 0)
      fputs("\\ufffd", out);
    else if (code < 0x20 || code == '"' || code == '\\' || code == '<' ||
             code == '>' || code == '&' || code == 0x2028 || code == 0x2029)
      fprintf(out, "\\u%04" PRIx32, code);
    else
      fwrite(text, 1, size, out);
    size += size == 0;
    text += size;
    left -= size;
  }
  putc('"', out);
}

static void put_key(FILE *out, const char *key)
{
  fprintf(out, ",\n\"%s\":", key);
}

static void put_member(FILE *out, const char *key, const char *text)
{
  put_key(out, key);
  aq_page_text_put(out, text);
}

static void put_number(FILE *out, const char *key, int64_t value)
{
  put_key(out, key);
  if (value == AQ_NONE)
    fputs("null", out);
  else
    fprintf(out, "%" PRId64, value);
}

/* ---- columns ---- */

/* C(name, type): in the order in which they are written. */
#define COLUMNS(C)                                                             \
  C(start, double)                                                             \
  C(end, double)                                                               \
  C(submit, float)                                                             \
  C(launch, float)                                                             \
  C(complete, float)                                                           \
  C(name, int32_t)                                                             \
  C(row, int32_t)                                                              \
  C(origin, int32_t)                                                           \
  C(queue, int16_t)                                                            \
  C(pinned, uint8_t)

typedef struct columns {
  size_t count, capacity;
#define C(name, type) type *name;
  COLUMNS(C)
#undef C
} columns;

static bool columns_reserve(columns *c, size_t more)
{
  if (c->count + more <= c->capacity)
    return true;
  size_t capacity = 2 * c->capacity + more;
#define C(name, type)                                                          \
  type *name = realloc(c->name, capacity * sizeof *name);                      \
  if (!name)                                                                   \
    return false;                                                              \
  c->name = name;
  COLUMNS(C)
#undef C
  c->capacity = capacity;
  return true;
}

static void columns_fini(columns *c)
{
#define C(name, type) free(c->name);
  COLUMNS(C)
#undef C
}

static double ns(aq_time time)
{
  return (double)time / AQ_NS;
}

static float ns_after(aq_time time, aq_time start)
{
  return time == AQ_TIME_NONE ? NAN : (float)ns(time - start);
}

static int32_t or_unknown(int64_t value)
{
  return value == AQ_NONE || value > INT32_MAX ? -1 : (int32_t)value;
}

static bool is_shown(const aq_record *row)
{
  return (row->kind == AQ_KIND_KERNEL || row->kind == AQ_KIND_COPY ||
          row->kind == AQ_KIND_FILL) &&
         row->start != AQ_TIME_NONE && row->end != AQ_TIME_NONE &&
         row->queue >= 0 && row->queue <= INT16_MAX;
}

static void columns_add(columns *c, const aq_record *row, int64_t number)
{
  const size_t i = c->count++;
  c->start[i] = ns(row->start);
  c->end[i] = ns(row->end);
  c->submit[i] = ns_after(row->submit, row->start);
  c->launch[i] = ns_after(row->launch, row->start);
  c->complete[i] = ns_after(row->complete, row->start);
  c->name[i] = or_unknown(row->name);
  c->row[i] = or_unknown(number);
  c->origin[i] = or_unknown(row->origin);
  c->queue[i] = (int16_t)row->queue;
  c->pinned[i] = row->flags != AQ_NONE && row->flags & AQ_FLAG_PINNED;
}

static void put_base64(FILE *out, const void *data, size_t size)
{
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *bytes = data;
  putc('"', out);
  for (size_t i = 0; i < size; i += 3) {
    const size_t left = size - i;
    const uint32_t word = (uint32_t)bytes[i] << 16 |
                          (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                          (left > 2 ? bytes[i + 2] : 0);
    const char four[] = {digits[word >> 18], digits[word >> 12 & 63],
                         (char)(left > 1 ? digits[word >> 6 & 63] : '='),
                         (char)(left > 2 ? digits[word & 63] : '=')};
    fwrite(four, 1, sizeof four, out);
  }
  putc('"', out);
}

static void columns_put(const columns *c, FILE *out)
{
  put_number(out, "count", (int64_t)c->count);
  put_key(out, "columns");
  const char *comma = "{";
#define C(name, type)                                                          \
  fprintf(out, "%s\n\"" #name "\":", comma);                                   \
  put_base64(out, c->name, c->count * sizeof(type));                           \
  comma = ",";
  COLUMNS(C)
#undef C
  putc('}', out);
}

static aq_status read_rows(aq_run_reader *reader, columns *c, aq_diag *diag)
{
  for (;;) {
    aq_record rows[BATCH];
    int64_t numbers[BATCH];
    size_t count = 0;
    aq_status status =
        aq_run_reader_next(reader, rows, numbers, BATCH, &count, diag);
    if (status != AQ_OK || count == 0)
      return status;
    if (!columns_reserve(c, count))
      return aq_diag_no_memory(diag);
    for (size_t i = 0; i < count; i++)
      if (is_shown(&rows[i]))
        columns_add(c, &rows[i], numbers[i]);
  }
}

/* ---- a run ---- */

static void put_places(aq_run_reader *reader, FILE *out)
{
  put_key(out, "devices");
  putc('[', out);
  for (size_t i = 0; i < aq_run_reader_device_count(reader); i++) {
    const aq_run_device *device = aq_run_reader_device(reader, (int64_t)i);
    fprintf(out, "%s{\"ordinal\":%zu", i ? "," : "", i);
    put_member(out, "name", device->name);
    put_member(out, "gfx", device->gfx);
    put_number(out, "cus", device->cus);
    putc('}', out);
  }
  fputs("]", out);
  put_key(out, "queues");
  putc('[', out);
  for (size_t i = 0; i < aq_run_reader_queue_count(reader); i++) {
    const aq_run_queue *queue = aq_run_reader_queue(reader, (int64_t)i);
    fprintf(out, "%s{\"device\":%" PRId64, i ? "," : "", queue->device);
    put_number(out, "id", queue->source_id);
    putc('}', out);
  }
  fputs("]", out);
}

static void put_names(aq_run_reader *reader, FILE *out)
{
  const char *name;
  put_key(out, "names");
  putc('[', out);
  for (int64_t i = 0; (name = aq_run_reader_name(reader, i)); i++) {
    fputs(i ? "," : "", out);
    aq_page_text_put(out, name);
  }
  putc(']', out);
}

/* Names as a reader wants them, beside the whole ones. */
static aq_status put_short_names(aq_run_reader *reader, FILE *out,
                                 aq_diag *diag)
{
  const char *name;
  put_key(out, "short_names");
  putc('[', out);
  for (int64_t i = 0; (name = aq_run_reader_name(reader, i)); i++) {
    char *text = aq_name_short(name);
    if (!text)
      return aq_diag_no_memory(diag);
    fputs(i ? "," : "", out);
    aq_page_text_put(out, text);
    free(text);
  }
  putc(']', out);
  return AQ_OK;
}

static void put_causes(const aq_explained *explained, aq_run_reader *reader,
                       FILE *out)
{
  const aq_explain *explain = &explained->explain;
  const char *comma = "";
  fputs("{\"verdict\":", out);
  aq_page_text_put(out, aq_explain_causes[explain->bottleneck].verdict);
  put_member(out, "bottleneck", aq_explain_causes[explain->bottleneck].name);
  put_number(out, "unsized_devices", explain->unsized);
  put_number(out, "shapeless_kernels", explain->shapeless);
  put_key(out, "causes");
  putc('[', out);
  for (int i = 0; i < AQ_CAUSE_COUNT; i++) {
    const aq_explain_share *share = &explain->shares[i];
    if (share->time == 0)
      continue;
    fprintf(out, "%s{\"time\":%.3f", comma, ns(share->time));
    fprintf(out, ",\"percent\":%.3f",
            aq_explained_percent(explain, share->time));
    put_member(out, "name", aq_explain_causes[i].name);
    put_member(out, "meaning", aq_explain_causes[i].meaning);
    put_number(out, "row", share->worst_row);
    fprintf(out, ",\"worst\":%.3f", ns(share->worst));
    put_member(out, "worst_name",
               aq_explained_worst_name(explained, (aq_explain_cause)i, reader));
    putc('}', out);
    comma = ",";
  }
  fputs("]}", out);
}

/* null for a run without dispatches. */
static aq_status put_explanation(aq_store *store, const aq_run_info *info,
                                 FILE *out, aq_diag *diag)
{
  aq_run_reader *reader;
  aq_explained explained;
  aq_diag none = AQ_DIAG_INIT;
  aq_status status =
      aq_run_reader_open(store, info->id, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  put_key(out, "explanation");
  status = aq_explained_make(store, info, reader, &explained, &none);
  if (status == AQ_OK) {
    put_causes(&explained, reader, out);
    aq_explained_fini(&explained);
  } else if (status == AQ_ERR_INPUT) {
    fputs("null", out);
    status = AQ_OK;
  } else {
    *diag = none;
  }
  aq_run_reader_close(reader);
  return status;
}

static void put_constants(const aq_page_run *run, FILE *out)
{
  put_key(out, "constants");
  putc('[', out);
  for (size_t i = 0; i < run->constant_count; i++) {
    const aq_page_constant *constant = &run->constants[i];
    fputs(i ? ",{\"key\":" : "{\"key\":", out);
    aq_page_text_put(out, constant->key);
    put_member(out, "value", constant->value);
    put_member(out, "unit", constant->unit);
    put_member(out, "source", constant->source);
    putc('}', out);
  }
  putc(']', out);
}

/* A JSON text from elsewhere: only in strings does it have a '<'. */
static void put_document(const char *key, const char *json, FILE *out)
{
  put_key(out, key);
  if (!json)
    fputs("null", out);
  for (; json && *json; json++)
    if (*json == '<')
      fputs("\\u003c", out);
    else
      putc(*json, out);
}

static void put_info(const aq_run_info *info, FILE *out)
{
  fprintf(out, "{\"id\":%" PRId64, info->id);
  put_member(out, "name", info->name);
  put_member(out, "kind",
             info->kind == AQ_RUN_SIMULATED ? "simulated" : "measured");
  put_number(out, "origin", info->origin);
  put_member(out, "source", info->source);
  put_member(out, "format", info->format);
  put_member(out, "transport", info->transport);
  put_member(out, "device_model", info->device_model);
  put_member(out, "model_hash", info->model_hash);
  put_member(out, "model_verdict", info->model_verdict);
  put_member(out, "durations", info->durations);
  put_member(out, "recorded", info->recorded);
  put_number(out, "rows_left_out", info->left_out);
  put_member(out, "command", info->command);
  put_member(out, "version", info->version);
  put_number(out, "seed", info->seed);
  put_number(out, "created", info->created);
  put_key(out, "complete");
  fputs(info->complete ? "true" : "false", out);
  put_key(out, "truncated");
  fputs(info->truncated ? "true" : "false", out);
  put_key(out, "reproducible");
  fputs(info->reproducible ? "true" : "false", out);
}

static aq_status put_run(aq_store *store, const aq_page_run *run, FILE *out,
                         aq_diag *diag)
{
  aq_run_reader *reader;
  aq_status status =
      aq_run_reader_open(store, run->info->id, AQ_ORDER_START, &reader, diag);
  if (status != AQ_OK)
    return status;
  columns c = {0};
  status = read_rows(reader, &c, diag);
  if (status == AQ_OK) {
    put_info(run->info, out);
    status = put_explanation(store, run->info, out, diag);
  }
  if (status == AQ_OK) {
    put_constants(run, out);
    put_document("whatif", run->whatif, out);
    put_names(reader, out);
    status = put_short_names(reader, out, diag);
  }
  if (status == AQ_OK) {
    put_places(reader, out);
    columns_put(&c, out);
    status = aq_page_code_put(store, run->info->id, reader, out, diag);
    putc('}', out);
  }
  columns_fini(&c);
  aq_run_reader_close(reader);
  return status;
}

aq_status aq_page_data_write(aq_store *store, const aq_page_run *runs,
                             size_t count, FILE *out, aq_diag *diag)
{
  aq_status status = AQ_OK;
  fputs("{\"runs\":[", out);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    fputs(i ? ",\n" : "\n", out);
    status = put_run(store, &runs[i], out, diag);
  }
  fputs("]}\n", out);
  return status;
}
