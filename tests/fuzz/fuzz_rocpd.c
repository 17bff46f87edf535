/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz_import.h"
#include "trace/db/tracedb.h"

/* rocpd and rpd: the tables of a database show which. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return fuzz_import_by(aq_tracedb_modules, NULL, data, size);
}
