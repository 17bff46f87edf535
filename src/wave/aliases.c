/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/state.h"

/* Names of RDNA for what gfx9 has. */
const char *aq_wave_name_of(const char *name)
{
  static const struct {
    const char *name, *same;
  } aliases[] = {
#define A(name, same) {name, same},
#include "wave/aliases.def"
#undef A
  };
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
    if (strcmp(aliases[i].name, name) == 0)
      return aliases[i].same;
  return name;
}
