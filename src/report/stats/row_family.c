/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/row_family.h"

const char *aq_row_family(const aq_dispatches *dispatches,
                          const aq_dispatch_row *row, const char *name,
                          aq_family_memo *memo)
{
  if (row->family != AQ_NONE && !row->other_family)
    return aq_names_text(&dispatches->texts, row->family);
  const aq_family family = row->name == AQ_NONE
                               ? AQ_FAMILY_UNKNOWN
                               : aq_family_recall(memo, row->name, name);
  return family == AQ_FAMILY_UNKNOWN ? "other kernels" : aq_family_name(family);
}
