/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/persona.h"

#include <stddef.h>
#include <string.h>

static const aqdrop_persona personas[] = {
#define P(...) {__VA_ARGS__},
#include "dropin/personas.def"
#undef P
};

const aqdrop_persona *aqdrop_persona_find(const char *gfx)
{
  size_t last = sizeof personas / sizeof *personas - 1, i = 0;
  while (i < last && strcmp(personas[i].gfx, gfx) != 0)
    i++;
  return &personas[i];
}
