/* SPDX-License-Identifier: MIT */
/*
 * The ranges that a program marked in its own trace: roctx, NVTX, PyTorch's
 * record_function. They become the last rows of a run, so that the numbers of
 * its packets do not depend on whether its ranges were recorded.
 *
 * Memory: all ranges, to the end of the import, 48 bytes each.
 * Thread rule: one thread at a time per import.
 */
#ifndef AQ_TRACE_IMPORT_RANGES_H
#define AQ_TRACE_IMPORT_RANGES_H

#include "trace/import/decimal.h"

#include "common/diag.h"

struct aq_import;

typedef struct aq_range {
  aq_tick begin, end; /* of the source's clock */
  int64_t name;       /* id in the sink */
  int64_t pid, tid;
} aq_range;

typedef struct aq_ranges {
  aq_range *list;
  size_t count, capacity;
} aq_ranges;

void aq_ranges_fini(aq_ranges *ranges);

/* Keeps a range of the import; its name is `text`, whatever range.name is. */
aq_status aq_ranges_add(struct aq_import *import, aq_range range,
                        const char *text, size_t length);

/* Puts them by begin, the outer one of two first. */
aq_status aq_ranges_put(struct aq_import *import);

#endif
