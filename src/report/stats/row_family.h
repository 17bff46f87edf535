/* SPDX-License-Identifier: MIT */
/* The family of a kernel: that of its operator, where the source recorded one,
 * else by its name. One thread. */
#ifndef AQ_REPORT_STATS_ROW_FAMILY_H
#define AQ_REPORT_STATS_ROW_FAMILY_H

#include "gpu/duration/kernel_class.h"
#include "report/stats/dispatches.h"

/* "gemm", "attention", …; "other kernels" where nothing says. The text lives as
 * long as the dispatches, which have their families (launch_context.h). `name`
 * is the kernel's, the memo the run's. */
const char *aq_row_family(const aq_dispatches *dispatches,
                          const aq_dispatch_row *row, const char *name,
                          aq_family_memo *memo);

#endif
