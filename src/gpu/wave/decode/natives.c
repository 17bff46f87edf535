/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/natives.h"

#include <stdlib.h>

void aq_wave_natives_fini(aq_wave_natives *natives)
{
  free(natives->units);
  *natives = (aq_wave_natives){0};
}
