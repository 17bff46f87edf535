/* SPDX-License-Identifier: MIT */
/* Helper of the tests of the importers: a trace, imported into memory. */
#ifndef AQ_TESTS_TRACE_FIXTURE_H
#define AQ_TESTS_TRACE_FIXTURE_H

#include "common/memory_sink.h"
#include "support/aqtest.h"
#include "trace/import/trace.h"

typedef struct fixture {
  aq_memory_sink sink;
  aq_trace_result result;
  aq_diag diag;
  aq_status status;
} fixture;

/* Imports a file or folder of tests/trace/data; it must succeed. */
fixture fixture_data(const char *name);

/* Imports a path, or a text under the name "in". Whatever comes of it. */
fixture fixture_path(const char *path);
fixture fixture_text(const char *text);
fixture fixture_bytes(const void *bytes, size_t size);
/* A text that is cut, imported because that is allowed. */
fixture fixture_cut(const char *text);
void fixture_free(fixture *f);

/* The rows as a source for exporters; `info` is borrowed. */
typedef struct fixture_source {
  aq_trace_source source;
  const aq_memory_sink *sink;
  size_t at;
} fixture_source;
fixture_source fixture_read(const aq_memory_sink *sink,
                            const aq_run_info *info);

/* The run in a format, as a measured one; the caller frees it. */
char *fixture_export(const fixture *f, const char *format);

/* The only row of this name and kind. */
const aq_record *fixture_row(const fixture *f, const char *name, int kind);

/* The run imported with exactly `count` of a repair and no other. */
void fixture_repaired(const fixture *f, aq_trace_repair repair, uint64_t count);

/* Fails unless the text is refused with exactly this line. */
void fixture_refused(const char *text, const char *line);

#endif
