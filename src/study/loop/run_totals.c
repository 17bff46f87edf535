/* SPDX-License-Identifier: MIT */
/* Facts to store with a run, from the devices that ran it. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "study/loop/run_priv.h"

static void text_copy(char *to, size_t size, const char *from)
{
  snprintf(to, size, "%s", from);
}

/* Adds "mi300x" or "mi300x*4" to a list. */
static void model_add(char *list, size_t size, const char *model,
                      uint32_t count)
{
  const size_t used = strlen(list);
  if (count == 1)
    snprintf(list + used, size - used, "%s%s", used ? "," : "", model);
  else
    snprintf(list + used, size - used, "%s%s*%u", used ? "," : "", model,
             count);
}

/* The stored description of the devices: the models as a list that opens them
 * again, one digest, and their common verdict. */
void aq_run_totals_init(aq_run_totals *totals, const aq_device_info *devices,
                        uint32_t count)
{
  totals->begin = totals->end = AQ_TIME_NONE;
  if (!devices[0].model || !devices[0].model_hash || !devices[0].verdict)
    return;
  const char *verdict = devices[0].verdict;
  uint64_t digest = UINT64_C(0xcbf29ce484222325);
  bool alike = true;
  for (uint32_t i = 0, same; i < count; i += same) {
    for (same = 1; i + same < count &&
                   strcmp(devices[i].model, devices[i + same].model) == 0;)
      same++;
    model_add(totals->device_model, sizeof totals->device_model,
              devices[i].model, same);
  }
  for (uint32_t i = 0; i < count; i++) {
    verdict = strcmp(verdict, devices[i].verdict) == 0 ? verdict : "partly";
    alike &= strcmp(devices[i].model_hash, devices[0].model_hash) == 0;
    for (const char *c = devices[i].model_hash; *c; c++)
      digest = (digest ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  }
  if (alike)
    text_copy(totals->model_hash, sizeof totals->model_hash,
              devices[0].model_hash);
  else
    snprintf(totals->model_hash, sizeof totals->model_hash, "%016" PRIx64,
             digest);
  text_copy(totals->model_verdict, sizeof totals->model_verdict, verdict);
}
