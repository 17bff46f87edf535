/* SPDX-License-Identifier: MIT */
/*
 * A duration that was measured on one GPU, on another: the parts of the
 * kernel's family (families.def) follow the two GPUs' peaks, a fixed time
 * follows neither. Pure functions. doc/durations.md has the errors on measured
 * pairs.
 */
#ifndef AQ_GPU_DURATION_CROSS_DEVICE_H
#define AQ_GPU_DURATION_CROSS_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/duration/kernel_class.h"

/* Peaks of a GPU: operations and bytes a second. */
typedef struct aq_peaks {
  double matrix, vector, memory;
} aq_peaks;

/* 16-bit operations of a compute unit in a cycle, with matrix instructions; 0:
 * not known. */
double aq_matrix_operations(const char *gfx);

/* From the constants of a device model. False where the matrix arithmetic of
 * `gfx` is not known, or a constant is not above 0. */
bool aq_peaks_of(const char *gfx, int64_t cus, int64_t clock_hz,
                 int64_t vector_flops, int64_t memory_bandwidth, aq_peaks *out);

/* How far kernels tuned for another GPU lie from the prediction: of measured
 * over predicted, 5 % and 95 %. */
typedef struct aq_transfer_spread {
  double least, most;
} aq_transfer_spread;

/* Of measured products (make score-transfer). */
extern const aq_transfer_spread aq_transfer_tuned;

/* The duration on `to` of a kernel of the family that took `measured` on
 * `from`. The ends bound a 90 % interval: the bounds of the family's parts and
 * the spread. */
aq_time aq_transfer_within(aq_family family, aq_time measured,
                           const aq_peaks *from, const aq_peaks *to,
                           const aq_transfer_spread *spread, aq_end end);

/* The same within aq_transfer_tuned. */
aq_time aq_transfer(aq_family family, aq_time measured, const aq_peaks *from,
                    const aq_peaks *to, aq_end end);

#endif
