/* SPDX-License-Identifier: MIT */
/*
 * The losses of each format: exports a run with all fields known in every
 * format and imports it where possible. The resulting table equals the one in
 * doc/tables/losses.md, line by line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/db/databases.h"

enum { ROWS = 6, LINE = 256 };

static const int64_t kinds[ROWS] = {AQ_KIND_KERNEL, AQ_KIND_COPY,
                                    AQ_KIND_FILL,   AQ_KIND_BARRIER_AND,
                                    AQ_KIND_WAIT,   AQ_KIND_RANGE};
static const char *const names[ROWS] = {
    "kernel",  "MEMORY_COPY_HOST_TO_DEVICE", "memset",
    "barrier", "hipDeviceSynchronize",       "step \"1\""};
static const aq_run_info info = {.kind = AQ_RUN_SIMULATED,
                                 .transport = "sim",
                                 .seed = 1,
                                 .base_ns = INT64_C(1775078550000000000)};

/* Values that no default has, and times between nanoseconds. */
static aq_record make_row(int i)
{
  aq_record row;
  int64_t *values = &row.kind;
  for (int k = 0; k < AQ_RECORD_FIELD_COUNT; k++)
    values[k] = 3 + k + 100 * i;
  for (int k = AQ_RECORD_FIELD_host_begin; k < AQ_RECORD_FIELD_COUNT; k++)
    values[k] = (int64_t)(i * 100 + k) * AQ_US + 7;
  row.kind = kinds[i];
  row.via = AQ_VIA_DIRECT;
  row.flags = AQ_FLAG_BACK_TO_BACK;
  row.device = row.queue = 0;
  row.pid = 4242;
  for (int k = AQ_RECORD_FIELD_grid_x; k < AQ_RECORD_FIELD_bytes; k++)
    values[k] = row.kind == AQ_KIND_KERNEL ? values[k] : AQ_NONE;
  if (row.kind != AQ_KIND_COPY && row.kind != AQ_KIND_FILL)
    row.bytes = AQ_NONE;
  if (row.kind == AQ_KIND_WAIT || row.kind == AQ_KIND_RANGE) {
    const int64_t begin = row.host_begin, end = row.host_end;
    const int64_t pid = row.pid, tid = row.tid, correlation = row.correlation;
    aq_record_init(&row);
    row.kind = kinds[i];
    row.flags = 0;
    row.host_begin = begin;
    row.host_end = end;
    row.pid = pid;
    row.tid = tid;
    row.correlation = i == ROWS - 1 ? AQ_NONE : correlation;
  }
  return row;
}

static void make_run(aq_memory_sink *m)
{
  aq_diag diag = AQ_DIAG_INIT;
  const aq_run_device device = {.source_id = 4,
                                .name = "AMD Instinct MI300X",
                                .gfx = "gfx942",
                                .cus = 304};
  int64_t ordinal;
  aq_memory_sink_init(m);
  m->sink.device(&m->sink, &device, &ordinal, &diag);
  m->sink.queue(&m->sink, &(aq_run_queue){ordinal, 5}, &ordinal, &diag);
  for (int i = 0; i < ROWS; i++) {
    aq_record row = make_row(i);
    m->sink.name(&m->sink, names[i], strlen(names[i]), &row.name, &diag);
    m->sink.put(&m->sink, &row, 1, &diag);
  }
}

/* ---- imported fields ---- */

static int64_t floor_ns(int64_t ps)
{
  return ps / AQ_NS - (ps % AQ_NS < 0);
}

/* A field's value such that two runs can be compared. */
static int64_t value_of(const aq_memory_sink *m, const aq_record *row,
                        int field)
{
  const int64_t value = aq_record_values(row)[field];
  if (value == AQ_NONE)
    return AQ_NONE;
  if (field == AQ_RECORD_FIELD_device)
    return m->devices[value].source_id;
  return field == AQ_RECORD_FIELD_queue ? m->queues[value].source_id : value;
}

/* '=': the same, '~': to the nanosecond, '-': lost. */
static char fate_of(const aq_memory_sink *m, const aq_record *row,
                    const fixture *f, const aq_record *back, int field)
{
  const int64_t was = value_of(m, row, field);
  const int64_t is = value_of(&f->sink, back, field);
  if (is == AQ_NONE)
    return '-';
  if (field == AQ_RECORD_FIELD_name)
    return '='; /* it is how the row was found */
  if (field < AQ_RECORD_FIELD_host_begin)
    return is == was ? '=' : '-';
  const int64_t shift = f->result.base_ns - info.base_ns;
  if (is + shift * AQ_NS == was)
    return '=';
  return floor_ns(is) + shift == floor_ns(was) ? '~' : '-';
}

static const aq_record *find(const fixture *f, int i)
{
  for (size_t k = 0; k < f->sink.count; k++)
    if (f->sink.rows[k].kind == kinds[i] &&
        !strcmp(aq_names_text(&f->sink.names, f->sink.rows[k].name), names[i]))
      return &f->sink.rows[k];
  return NULL;
}

/* The worst of all rows that came back. */
static const char *field_fate(const aq_memory_sink *m, const fixture *f,
                              int field)
{
  char worst = 0;
  for (int i = 0; i < ROWS; i++) {
    const aq_record *back = find(f, i), *row = &m->rows[i];
    if (!back || value_of(m, row, field) == AQ_NONE)
      continue;
    const char fate = fate_of(m, row, f, back, field);
    if (worst == 0 || fate == '-' || (fate == '~' && worst == '='))
      worst = fate;
  }
  return worst == '=' ? "same" : worst == '~' ? "ns" : "lost";
}

/* ---- the table ---- */

enum { JSONL, ROCPD, KERNELS, CSV, BACK_COUNT };

static fixture come_back(const aq_memory_sink *m, int format)
{
  static const char *const formats[] = {"jsonl", "rocpd", "rocpd-kernels",
                                        "rocprofv3-csv"};
  if (format == ROCPD || format == KERNELS)
    return database_import(
        database_export(m, &info, formats[format], "back.db"), NULL);
  char *text = NULL;
  size_t size;
  aq_diag diag = AQ_DIAG_INIT;
  fixture_source from = fixture_read(m, &info);
  FILE *out = open_memstream(&text, &size);
  ck_assert_status(aq_trace_export(formats[format], &from.source, out, &diag),
                   AQ_OK, &diag);
  fclose(out);
  fixture f = fixture_bytes(text, size);
  free(text);
  return f;
}

static uint64_t drawn_fields(const char *format)
{
  for (const aq_trace_format *f = aq_trace_formats(); f->name; f++)
    if (strcmp(f->name, format) == 0)
      return f->fields;
  return 0;
}

static void write_table(FILE *out)
{
  aq_memory_sink m;
  fixture back[BACK_COUNT];
  make_run(&m);
  for (int i = 0; i < BACK_COUNT; i++) {
    back[i] = come_back(&m, i);
    ck_assert_status(back[i].status, AQ_OK, &back[i].diag);
  }
  for (int i = 0; i < ROWS; i++) {
    fprintf(out, "| %s rows |", aq_record_kind_name(kinds[i]));
    for (int k = 0; k < BACK_COUNT; k++)
      fprintf(out, " %s |", find(&back[k], i) ? "same" : "lost");
    fprintf(out, " drawn |\n");
  }
  for (int field = 1; field < AQ_RECORD_FIELD_COUNT; field++) {
    fprintf(out, "| `%s` |", aq_record_fields[field].name);
    for (int k = 0; k < BACK_COUNT; k++)
      fprintf(out, " %s |", field_fate(&m, &back[k], field));
    const bool drawn = drawn_fields("perfetto") >> field & 1;
    fprintf(out, " %s |\n", drawn ? "drawn" : "lost");
  }
  for (int i = 0; i < BACK_COUNT; i++)
    fixture_free(&back[i]);
  aq_memory_sink_fini(&m);
}

START_TEST(the_table_of_losses_is_what_happens)
{
  char *table = NULL, line[LINE];
  size_t size, matched = 0, lines = 0;
  FILE *out = open_memstream(&table, &size);
  write_table(out);
  fclose(out);
  char path[512];
  snprintf(path, sizeof path, "%s/../doc/tables/losses.md", aqtest_source(""));
  FILE *doc = fopen(path, "r");
  ck_assert_msg(doc != NULL, "%s", path);
  const char *at = table;
  while (fgets(line, sizeof line, doc) && *at) {
    const size_t length = strcspn(at, "\n") + 1;
    if (strncmp(line, at, length) == 0 && line[length] == '\0') {
      at += length;
      matched++;
    }
  }
  fclose(doc);
  for (const char *c = table; *c; c++)
    lines += *c == '\n';
  ck_assert_msg(matched == lines,
                "doc/tables/losses.md has %zu of %zu lines in order; it has "
                "to have:\n%s",
                matched, lines, table);
  free(table);
}
END_TEST

AQ_TEST_MAIN("trace/db/losses", the_table_of_losses_is_what_happens)
