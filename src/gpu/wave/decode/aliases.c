/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/wave/core/execution_state.h"

/* Names of RDNA for what gfx9 has. */
typedef struct alias {
  const char *name, *same;
} alias;

static alias aliases[] = {
#define A(name, same) {name, same},
#include "gpu/wave/decode/aliases.def"
#undef A
};

enum { ALIASES = sizeof aliases / sizeof *aliases };

static int aliases_order(const void *a, const void *b)
{
  return strcmp(((const alias *)a)->name, ((const alias *)b)->name);
}

static void aliases_sort(void)
{
  qsort(aliases, ALIASES, sizeof *aliases, aliases_order);
}

const char *aq_wave_name_of(const char *name)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const alias key = {.name = name};
  pthread_once(&once, aliases_sort);
  const alias *found =
      bsearch(&key, aliases, ALIASES, sizeof key, aliases_order);
  return found ? found->same : name;
}
