/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/threads/hand.h"

aq_status aq_wave_hand_code(aq_wave_hand *hand, const char *gfx, bool wave32,
                            aq_wave_code **out, aq_diag *diag)
{
  for (unsigned i = 0; i < hand->code_count; i++)
    if (hand->codes[i].wave32 == wave32 &&
        strcmp(hand->codes[i].gfx, gfx) == 0) {
      *out = hand->codes[i].code;
      return AQ_OK;
    }
  if (hand->code_count == AQ_WAVE_CODES_MAX ||
      strlen(gfx) >= sizeof hand->codes[0].gfx)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "code of more than %d kinds of processors",
                       AQ_WAVE_CODES_MAX);
  aq_status status =
      aq_wave_code_create(gfx, wave32, aq_wave_handler_named,
                          hand->reachable.allocations, hand->level, out, diag);
  if (status != AQ_OK)
    return status;
  if (hand->keeps_waits)
    aq_wave_code_keep_waits(*out);
  strcpy(hand->codes[hand->code_count].gfx, gfx);
  hand->codes[hand->code_count].wave32 = wave32;
  hand->codes[hand->code_count++].code = *out;
  return AQ_OK;
}

void aq_wave_hand_refresh(aq_wave_hand *hand)
{
  for (unsigned i = 0; i < hand->code_count; i++)
    aq_wave_code_refresh(hand->codes[i].code);
}

void aq_wave_hand_fini(aq_wave_hand *hand)
{
  for (unsigned i = 0; i < hand->code_count; i++)
    aq_wave_code_destroy(hand->codes[i].code);
  aq_wave_reachable_fini(&hand->reachable);
  aq_wave_pool_fini(&hand->pool);
}
