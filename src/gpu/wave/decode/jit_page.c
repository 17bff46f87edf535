/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/jit_page.h"

#include <stdlib.h>

void aq_jit_page_fini(aq_jit_page *jit_page)
{
  free(jit_page->units);
  *jit_page = (aq_jit_page){0};
}
