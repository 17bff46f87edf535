/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the targets of the importers: bytes go in as a file of a format,
 * and the rows must be consistent.
 */
#ifndef AQ_TESTS_FUZZ_IMPORT_H
#define AQ_TESTS_FUZZ_IMPORT_H

#include <stdlib.h>
#include <string.h>

#include "common/memory_sink.h"
#include "fuzz/fuzz.h"
#include "trace/import/trace.h"

#define FUZZ_REQUIRE(condition)                                                \
  do {                                                                         \
    if (!(condition))                                                          \
      abort();                                                                 \
  } while (0)

/* Rows name only announced things, end after they start, and are counted. Waits
 * and ranges of the host have no device. */
static void fuzz_check_rows(const aq_memory_sink *sink,
                            const aq_trace_result *result)
{
  uint64_t counted = 0;
  for (size_t i = 0; i < sink->count; i++) {
    const aq_record *row = &sink->rows[i];
    FUZZ_REQUIRE(aq_record_kind_name(row->kind));
    FUZZ_REQUIRE(aq_names_text(&sink->names, row->name));
    if (row->kind == AQ_KIND_CALL) /* whose launched work is lost */
      continue;
    counted++;
    const bool range = row->kind == AQ_KIND_RANGE && row->queue == AQ_NONE;
    FUZZ_REQUIRE(!range || row->host_end >= row->host_begin);
    if (range || row->kind == AQ_KIND_WAIT)
      continue;
    FUZZ_REQUIRE((size_t)row->device < sink->device_count);
    FUZZ_REQUIRE((size_t)row->queue < sink->queue_count);
    FUZZ_REQUIRE(row->end >= row->start ||
                 aq_record_is(row, AQ_FLAG_CONTRADICTED));
  }
  FUZZ_REQUIRE(counted == result->dispatches + result->copies + result->waits +
                              result->ranges);
}

/* format NULL: detected, among ours and the modules'. */
static inline int fuzz_import_by(const aq_trace_module *modules,
                                 const char *format, const uint8_t *data,
                                 size_t size)
{
  aq_memory_sink sink;
  aq_trace_result result;
  aq_diag diag = AQ_DIAG_INIT;
  aq_trace_options options = {.format = format, .modules = modules};
  aq_memory_sink_init(&sink);
  aq_status status = aq_trace_import_bytes("fuzz", data, size, &options,
                                           &sink.sink, &result, &diag);
  FUZZ_REQUIRE(status == AQ_OK || diag.text[0] != '\0');
  FUZZ_REQUIRE(!strchr(diag.text, '\n'));
  if (status == AQ_OK)
    fuzz_check_rows(&sink, &result);
  aq_memory_sink_fini(&sink);
  return 0;
}

static inline int fuzz_import(const char *format, const uint8_t *data,
                              size_t size)
{
  return fuzz_import_by(NULL, format, data, size);
}

#endif
