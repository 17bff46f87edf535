/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/fidelity.h"

#include <inttypes.h>

#include "gpu/wave/core/wave.h"

static void scan_report(const aq_wave_code_scan *scan, void *user)
{
  const aqdrop_recording *r = user;
  if (scan->refused)
    aqdrop_recording_fact(r, "refused\t%s\t%s", scan->refused, scan->kernel);
  else
    aqdrop_recording_fact(r, "code\t%s\t%" PRIu64 "\t%d\t%s", scan->gfx,
                          scan->instructions, scan->indirect, scan->kernel);
  for (size_t i = 0; !scan->refused && i < scan->inexact_count; i++) {
    const aq_wave_inexact *inexact = &scan->inexact[i];
    aqdrop_recording_fact(r, "inexact\t%s\t%" PRIu64 "\t%s\t%s", inexact->class,
                          inexact->count, inexact->instruction, scan->kernel);
  }
}

void aqdrop_fidelity_begin(aqdrop *runtime)
{
  if (aqdrop_recording_wants_facts(runtime->recording))
    aq_wave_machine_on_scan(runtime->machine, scan_report, runtime->recording);
}

void aqdrop_fidelity_host(const aqdrop *runtime, const char *kernel,
                          const aq_kernel_entry *entry)
{
  aqdrop_recording_fact(runtime->recording, "host\t%s\t%s",
                        !entry                             ? "nothing"
                        : aqdrop_kernel_is_built_in(entry) ? "built-in"
                                                           : "plug-in",
                        kernel);
}

void aqdrop_fidelity_missing(const aqdrop *runtime, const char *kernel,
                             size_t length)
{
  aqdrop_recording_fact(runtime->recording,
                        "refused\tit has no host function\t%.*s", (int)length,
                        kernel);
}

void aqdrop_fidelity_function(const aqdrop *runtime, const char *name,
                              bool *reported)
{
  if (!__atomic_exchange_n(reported, true, __ATOMIC_RELAXED))
    aqdrop_recording_fact(runtime->recording, "function\t%s", name);
}
