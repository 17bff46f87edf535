/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/row_family.h"

#include <string.h>

#include "gpu/duration/kernel_class.h"

const char *aq_row_family(const aq_dispatches *dispatches,
                          const aq_dispatch_row *row, aq_run_reader *reader)
{
  const char *of_op = row->family == AQ_NONE
                          ? NULL
                          : aq_names_text(&dispatches->texts, row->family);
  if (of_op && strcmp(of_op, "other op") != 0)
    return of_op;
  const aq_family family = aq_family_find(
      row->name == AQ_NONE ? NULL : aq_run_reader_name(reader, row->name));
  return family == AQ_FAMILY_UNKNOWN ? "other kernels" : aq_family_name(family);
}
