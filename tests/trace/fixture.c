/* SPDX-License-Identifier: MIT */
#include "trace/fixture.h"

#include <stdio.h>
#include <string.h>

static fixture fixture_new(void)
{
  fixture f;
  memset(&f, 0, sizeof f);
  aq_memory_sink_init(&f.sink);
  return f;
}

fixture fixture_path(const char *path)
{
  fixture f = fixture_new();
  f.status = aq_trace_import(path, NULL, &f.sink.sink, &f.result, &f.diag);
  return f;
}

fixture fixture_data(const char *name)
{
  char below[256];
  snprintf(below, sizeof below, "trace/data/%s", name);
  fixture f = fixture_path(aqtest_source(below));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  return f;
}

fixture fixture_bytes(const void *bytes, size_t size)
{
  fixture f = fixture_new();
  f.status = aq_trace_import_bytes("in", bytes, size, NULL, &f.sink.sink,
                                   &f.result, &f.diag);
  return f;
}

fixture fixture_text(const char *text)
{
  return fixture_bytes(text, strlen(text));
}

void fixture_free(fixture *f)
{
  aq_memory_sink_fini(&f->sink);
}

const aq_record *fixture_row(const fixture *f, const char *name, int kind)
{
  const aq_record *found = NULL;
  for (size_t i = 0; i < f->sink.count; i++) {
    const aq_record *row = &f->sink.rows[i];
    if (row->kind != kind ||
        strcmp(aq_names_text(&f->sink.names, row->name), name) != 0)
      continue;
    ck_assert_msg(!found, "two rows named %s", name);
    found = row;
  }
  ck_assert_msg(found != NULL, "no row named %s", name);
  return found;
}

void fixture_repaired(const fixture *f, aq_trace_repair repair, uint64_t count)
{
  ck_assert_status(f->status, AQ_OK, &f->diag);
  for (int i = 0; i < AQ_REPAIR_COUNT; i++)
    ck_assert_msg(f->result.repairs[i] == (i == (int)repair ? count : 0),
                  "%llu %s", (unsigned long long)f->result.repairs[i],
                  aq_trace_repair_text((aq_trace_repair)i));
}

void fixture_refused(const char *text, const char *line)
{
  fixture f = fixture_text(text);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_str_eq(f.diag.text, line);
  fixture_free(&f);
}
