/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/run_info.h"

#include <stdio.h>
#include <string.h>

#include "common/record.h"

void aq_run_info_init(aq_run_info *info, aq_run_kind kind)
{
  *info = (aq_run_info){.id = AQ_NONE,
                        .kind = kind,
                        .origin = AQ_NONE,
                        .version = PACKAGE_VERSION,
                        .seed = AQ_NONE,
                        .base_ns = AQ_NONE,
                        .created = AQ_NONE,
                        .left_out = AQ_NONE,
                        .reproducible = true};
}

bool aq_run_is_predicted(const aq_run_info *info)
{
  return info->durations && strncmp(info->durations, "predicted", 9) == 0;
}

size_t aq_run_caveats(const aq_run_info *info,
                      char lines[AQ_RUN_CAVEATS][AQ_RUN_CAVEAT_SIZE])
{
  size_t count = 0;
  if (info->failed)
    snprintf(lines[count++], AQ_RUN_CAVEAT_SIZE, "failed: %.180s",
             info->failed);
  else if (!info->complete)
    snprintf(lines[count++], AQ_RUN_CAVEAT_SIZE,
             "incomplete: its writer did not finish");
  if (info->truncated)
    snprintf(lines[count++], AQ_RUN_CAVEAT_SIZE,
             "truncated: its trace was cut, what followed is missing");
  if (info->damage)
    snprintf(lines[count++], AQ_RUN_CAVEAT_SIZE, "damaged: %.430s",
             info->damage);
  if (info->recorded)
    snprintf(lines[count++], AQ_RUN_CAVEAT_SIZE, "recorded: %.180s",
             info->recorded);
  if (info->durations)
    snprintf(lines[count++], AQ_RUN_CAVEAT_SIZE, "durations: %.160s",
             info->durations);
  return count;
}
