/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/log.h"

#include <inttypes.h>
#include <stdio.h>

/* Flags are bits of bytes, as many as fit a word. */
static bool flag_is_set(uint64_t flags, uint32_t flag)
{
  return flags >> flag & 1;
}

hsa_status_t hsa_amd_enable_logging(uint8_t *flags, void *file)
{
  AQDROP_ENTER(runtime);
  uint64_t word = 0;
  if (!flags)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (size_t i = 0; i < sizeof word; i++)
    word |= (uint64_t)flags[i] << 8 * i;
  __atomic_store_n(&runtime->log_file, file ? file : stderr, __ATOMIC_RELAXED);
  __atomic_store_n(&runtime->log_flags, word, __ATOMIC_RELEASE);
  return HSA_STATUS_SUCCESS;
}

void aqdrop_log_copy(const aqdrop *runtime, const aq_copy_desc *copy)
{
  char engine[16] = "any";
  if (!flag_is_set(__atomic_load_n(&runtime->log_flags, __ATOMIC_ACQUIRE),
                   HSA_AMD_LOG_FLAG_SDMA))
    return;
  if (copy->engine != AQ_COPY_ENGINE_ANY)
    snprintf(engine, sizeof engine, "%" PRIu32, copy->engine);
  FILE *file = __atomic_load_n(&runtime->log_file, __ATOMIC_RELAXED);
  fprintf(file,
          "SDMA copy: device %" PRIu32 ", engine %s, %zu bytes from %p to %p, "
          "dependencies %" PRIu32 ", completion signal %#" PRIx64 "\n",
          copy->device, engine, copy->size, copy->from, copy->to,
          copy->dependency_count, copy->completion.handle);
  fflush(file);
}
