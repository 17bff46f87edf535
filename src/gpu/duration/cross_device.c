/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/duration/cross_device.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Fixed part of a short kernel: of 320 GEMM problems measured on gfx942 and
 * gfx950 (gemm.def), the time below which both take as long. */
#define FIXED (7 * AQ_US)

/* Of products on three pairs of AMD GPUs and one of two sizes of one, each with
 * one weight. */
const aq_transfer_spread aq_transfer_tuned = {0.37, 1.36};

static const struct {
  const char *gfx;
  double operations;
} parts[] = {
#define M(gfx, operations, source) {gfx, operations},
#include "gpu/duration/parts.def"
#undef M
};

double aq_matrix_operations(const char *gfx)
{
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strcmp(parts[i].gfx, gfx) == 0)
      return parts[i].operations;
  return 0;
}

bool aq_peaks_of(const char *gfx, int64_t cus, int64_t clock_hz,
                 int64_t vector_flops, int64_t memory_bandwidth, aq_peaks *out)
{
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strcmp(parts[i].gfx, gfx) == 0 && cus > 0 && clock_hz > 0 &&
        vector_flops > 0 && memory_bandwidth > 0) {
      *out = (aq_peaks){parts[i].operations * (double)cus * (double)clock_hz,
                        (double)vector_flops, (double)memory_bandwidth};
      return true;
    }
  return false;
}

static bool uses_matrices(aq_family family)
{
  return family == AQ_FAMILY_GEMM || family == AQ_FAMILY_CONVOLUTION ||
         family == AQ_FAMILY_ATTENTION;
}

/* An end of the spread, as a part of the middle. Only products were measured on
 * pairs of AMD GPUs: kernels of other families may lie twice as far from the
 * prediction, in logarithms, which is assumed. */
static double spread_end(aq_family family, const aq_transfer_spread *spread,
                         aq_end end)
{
  const double tuned = end == AQ_END_MOST ? spread->most : spread->least;
  return family == AQ_FAMILY_GEMM ? tuned : tuned * tuned;
}

aq_time aq_transfer_within(aq_family family, aq_time measured,
                           const aq_peaks *from, const aq_peaks *to,
                           const aq_transfer_spread *spread, aq_end end)
{
  const double compute = uses_matrices(family) ? to->matrix / from->matrix
                                               : to->vector / from->vector;
  const double memory = to->memory / from->memory;
  const aq_time fixed = aq_time_min(measured, FIXED);
  const aq_time rest = measured - fixed;
  const aq_time middle =
      fixed + aq_family_scale(family, rest, compute, memory, AQ_END_MIDDLE);
  if (end == AQ_END_MIDDLE || (compute == 1 && memory == 1))
    return middle;
  const aq_time bound =
      fixed + aq_family_scale(family, rest, compute, memory, end);
  const aq_time other =
      (aq_time)llround((double)middle * spread_end(family, spread, end));
  if (end == AQ_END_LEAST)
    return aq_time_min(bound, other);
  /* The other GPU's fixed part may be longer than a short kernel; products'
   * were measured. */
  const aq_time floor = family == AQ_FAMILY_GEMM ? 0 : FIXED;
  return aq_time_max(floor, aq_time_max(bound, other));
}

aq_time aq_transfer(aq_family family, aq_time measured, const aq_peaks *from,
                    const aq_peaks *to, aq_end end)
{
  return aq_transfer_within(family, measured, from, to, &aq_transfer_tuned,
                            end);
}
