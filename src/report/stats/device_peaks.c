/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/device_peaks.h"

#include <math.h>
#include <string.h>

/* Operations of a compute unit in a cycle, dense; AMD's data sheets and CDNA
 * white papers. */
static const struct {
  const char *gfx, *name; /* a part of the marketing name; NULL: any */
  int64_t cus;
  double mhz, gbps; /* peak engine clock, memory */
  double matrix8, matrix16, matrix32, matrix64, vector32, vector64;
} peaks[] = {
    {"gfx942", "MI325", 304, 2100, 6000, 4096, 2048, 256, 256, 256, 128},
    {"gfx942", NULL, 304, 2100, 5300, 4096, 2048, 256, 256, 256, 128},
    {"gfx942", NULL, 228, 2100, 5300, 4096, 2048, 256, 256, 256, 128},
    {"gfx950", "MI350", 256, 2200, 8000, 8192, 4096, 256, 128, 256, 128},
    {"gfx950", NULL, 256, 2400, 8000, 8192, 4096, 256, 128, 256, 128},
    {"gfx90a", NULL, 104, 1700, 1638, 0, 1024, 256, 256, 128, 128},
    {"gfx90a", NULL, 110, 1700, 1638, 0, 1024, 256, 256, 128, 128},
};

enum { UNKNOWN = -1 };

static int find(const aq_run_device *device)
{
  for (size_t i = 0; device && device->gfx && i < sizeof peaks / sizeof *peaks;
       i++)
    if (strcmp(peaks[i].gfx, device->gfx) == 0 && peaks[i].cus == device->cus &&
        (!peaks[i].name ||
         (device->name && strstr(device->name, peaks[i].name))))
      return (int)i;
  return UNKNOWN;
}

double aq_device_peak_flops(const aq_run_device *device, aq_op_type type,
                            bool matrix)
{
  const int at = find(device);
  double rate = 0;
  if (at == UNKNOWN)
    return NAN;
  switch (type) {
  case AQ_TYPE_F8:
    rate = matrix ? peaks[at].matrix8 : peaks[at].vector32;
    break;
  case AQ_TYPE_F16:
  case AQ_TYPE_BF16:
    rate = matrix ? peaks[at].matrix16 : peaks[at].vector32;
    break;
  case AQ_TYPE_F32:
    rate = matrix ? peaks[at].matrix32 : peaks[at].vector32;
    break;
  case AQ_TYPE_F64:
    rate = matrix ? peaks[at].matrix64 : peaks[at].vector64;
    break;
  default:
    break;
  }
  return rate > 0 ? rate * (double)peaks[at].cus * peaks[at].mhz * 1e6 : NAN;
}

double aq_device_peak_bytes(const aq_run_device *device)
{
  const int at = find(device);
  return at == UNKNOWN ? NAN : peaks[at].gbps * 1e9;
}
