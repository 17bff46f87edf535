/* SPDX-License-Identifier: MIT */
/*
 * Peaks of GPUs by their data sheets: for shares of a kernel's operations and
 * bytes. Constant table; any thread.
 */
#ifndef AQ_REPORT_STATS_DEVICE_PEAKS_H
#define AQ_REPORT_STATS_DEVICE_PEAKS_H

#include "common/record.h"
#include "report/stats/op_work.h"

/* Operations a second of a type, with matrix instructions where `matrix`; not a
 * number where the device, or the type, is not in the table. */
double aq_device_peak_flops(const aq_run_device *device, aq_op_type type,
                            bool matrix);

/* Bytes a second of its memory. */
double aq_device_peak_bytes(const aq_run_device *device);

#endif
