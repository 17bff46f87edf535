/* SPDX-License-Identifier: MIT */
/*
 * Metrics of a device as the amdgpu driver offers them: single files of sysfs
 * and hwmon, and the binary table gpu_metrics, whose bytes may be anything.
 * Pure but for reading files; any thread.
 */
#ifndef AQ_BACKEND_HSA_GPU_METRICS_H
#define AQ_BACKEND_HSA_GPU_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/record.h"

/* By AQ_COUNTER_…; AQ_NONE: not offered. */
typedef struct aqhsa_metrics {
  int64_t values[AQ_COUNTER_COUNT];
} aqhsa_metrics;

enum { AQHSA_GPU_METRICS_MAX = 4096 }; /* bytes of a table that is read */

/* Fills in the table's values that `out` lacks. False: it is too short, its
 * size differs from its header's, or its revision is none of 1.1 to 1.5. */
bool aqhsa_gpu_metrics_parse(const void *bytes, size_t size,
                             aqhsa_metrics *out);

/* Reads a device's folder, such as /sys/bus/pci/devices/0000:03:00.0. False:
 * it offers nothing. *revision gets format << 8 | content of a gpu_metrics that
 * is not understood, else 0. */
bool aqhsa_metrics_read(const char *folder, aqhsa_metrics *out,
                        unsigned *revision);

#endif
