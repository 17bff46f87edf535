/* SPDX-License-Identifier: MIT */
/* Spools: for any bytes, stored rows name only existing things. */
#include <stdlib.h>

#include "common/memory_sink.h"
#include "common/spool.h"
#include "fuzz/fuzz.h"

static void row_check(const aq_memory_sink *to, const aq_record *row)
{
  if (row->name != AQ_NONE && !aq_names_text(&to->names, row->name))
    abort();
  if (row->device != AQ_NONE && (size_t)row->device >= to->device_count)
    abort();
  if (row->queue != AQ_NONE && (size_t)row->queue >= to->queue_count)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  aq_memory_sink_init(&to);
  if (aq_spool_open(&reader, "fuzz", data, size, &diag) == AQ_OK) {
    aq_spool_text(&reader, "device_model");
    aq_spool_drain(&reader, &to.sink, &diag);
  }
  for (size_t i = 0; i < to.count; i++)
    row_check(&to, &to.rows[i]);
  aq_memory_sink_fini(&to);
  return 0;
}
