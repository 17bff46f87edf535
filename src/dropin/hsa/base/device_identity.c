/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/device_identity.h"

#include <stddef.h>
#include <string.h>

static const aqdrop_identity personas[] = {
#define P(...) {__VA_ARGS__},
#include "dropin/hsa/base/device_identities.def"
#undef P
};

enum { LAST = sizeof personas / sizeof *personas - 1 };

static size_t part_find(const char *part)
{
  size_t i = 0;
  while (i < LAST && strcmp(personas[i].part, part) != 0)
    i++;
  return i;
}

const aqdrop_identity *aqdrop_identity_find(const char *product,
                                            const char *gfx)
{
  const size_t i = part_find(product);
  return &personas[i < LAST ? i : part_find(gfx)];
}
