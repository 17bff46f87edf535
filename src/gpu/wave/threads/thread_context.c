/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/threads/thread_context.h"

aq_status aq_wave_thread_code(aq_wave_thread *thread, const char *gfx,
                              bool wave32, aq_wave_code **out, aq_diag *diag)
{
  for (unsigned i = 0; i < thread->code_count; i++)
    if (thread->codes[i].wave32 == wave32 &&
        strcmp(thread->codes[i].gfx, gfx) == 0) {
      *out = thread->codes[i].code;
      return AQ_OK;
    }
  if (thread->code_count == AQ_WAVE_CODES_MAX ||
      strlen(gfx) >= sizeof thread->codes[0].gfx)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "code of more than %d kinds of processors",
                       AQ_WAVE_CODES_MAX);
  aq_status status = aq_wave_code_create(gfx, wave32, aq_wave_handler_named,
                                         thread->reachable.allocations,
                                         thread->level, out, diag);
  if (status != AQ_OK)
    return status;
  if (thread->keeps_waits)
    aq_wave_code_keep_waits(*out);
  strcpy(thread->codes[thread->code_count].gfx, gfx);
  thread->codes[thread->code_count].wave32 = wave32;
  thread->codes[thread->code_count++].code = *out;
  return AQ_OK;
}

void aq_wave_thread_refresh(aq_wave_thread *thread)
{
  for (unsigned i = 0; i < thread->code_count; i++)
    aq_wave_code_refresh(thread->codes[i].code);
}

void aq_wave_thread_fini(aq_wave_thread *thread)
{
  for (unsigned i = 0; i < thread->code_count; i++)
    aq_wave_code_destroy(thread->codes[i].code);
  aq_wave_reachable_fini(&thread->reachable);
  aq_wave_pool_fini(&thread->pool);
}
