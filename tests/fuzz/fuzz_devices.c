/* SPDX-License-Identifier: MIT */
/* Lists of devices and of visible devices: the text up to a line end is the
 * list that --device takes, the rest what ROCR_VISIBLE_DEVICES holds. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

#include "backend_sim/model/device_set.h"
#include "common/visible_devices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const aq_device_info devices[] = {{.uuid = "GPU-00ab000000000001"},
                                           {.uuid = "GPU-00ab000000000002"},
                                           {.uuid = NULL}};
  aq_diag diag = AQ_DIAG_INIT;
  uint32_t count, visible[3];
  aqsim_device_set set;
  char *text = malloc(size + 1);
  if (!text)
    return 0;
  memcpy(text, data, size);
  text[size] = 0;
  char *rest = strchr(text, '\n');
  if (rest)
    *rest++ = 0;
  if (aqsim_device_set_count(text, &count, &diag) == AQ_OK &&
      (count == 0 || count > AQSIM_DEVICES_MAX))
    abort();
  /* Files are for another target. */
  if (!strchr(text, '/') && !strstr(text, ".device") &&
      aqsim_device_set_load(text, NULL, &set, &diag) == AQ_OK)
    aqsim_device_set_fini(&set);
  count = aq_visible_devices(rest, devices, 3, visible);
  if (count > 3)
    abort();
  free(text);
  return 0;
}
