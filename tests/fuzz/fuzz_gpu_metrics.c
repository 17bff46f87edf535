/* SPDX-License-Identifier: MIT */
/* Tables of device metrics: for any bytes, a counter is unknown or not below
 * 0, and a known one stays. */
#include <stdlib.h>

#include "backend_hsa/gpu_metrics.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aqhsa_metrics m;
  for (int i = 0; i < AQ_COUNTER_COUNT; i++)
    m.values[i] = AQ_NONE;
  m.values[AQ_COUNTER_power] = 7;
  aqhsa_gpu_metrics_parse(data, size, &m);
  if (m.values[AQ_COUNTER_power] != 7)
    abort();
  for (int i = 0; i < AQ_COUNTER_COUNT; i++)
    if (m.values[i] != AQ_NONE && m.values[i] < 0)
      abort();
  return 0;
}
