/* SPDX-License-Identifier: MIT */
/* The family of a kernel: that of its operator, where the source recorded one,
 * else by its name. Pure but for the reader; one thread. */
#ifndef AQ_REPORT_STATS_ROW_FAMILY_H
#define AQ_REPORT_STATS_ROW_FAMILY_H

#include "report/stats/dispatches.h"

/* "gemm", "attention", …; "other kernels" where nothing says. The text lives as
 * long as the dispatches, which have their families (launch_context.h). */
const char *aq_row_family(const aq_dispatches *dispatches,
                          const aq_dispatch_row *row, aq_run_reader *reader);

#endif
