/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/hidden.h"

#include <string.h>

void aq_launch_hidden_put(const aq_code_arg *arg, const aq_launch_shape *shape,
                          unsigned char *kernarg)
{
  static const struct {
    const char *kind;
    int axis;
    enum { BLOCKS, SIZE, REST } what;
  } hidden[] = {
      {"hidden_block_count_x", 0, BLOCKS}, {"hidden_block_count_y", 1, BLOCKS},
      {"hidden_block_count_z", 2, BLOCKS}, {"hidden_group_size_x", 0, SIZE},
      {"hidden_group_size_y", 1, SIZE},    {"hidden_group_size_z", 2, SIZE},
      {"hidden_remainder_x", 0, REST},     {"hidden_remainder_y", 1, REST},
      {"hidden_remainder_z", 2, REST},
  };
  const uint32_t *grid = shape->grid;
  uint64_t value = 0;
  if (arg->kind && strcmp(arg->kind, "hidden_grid_dims") == 0)
    value = grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1;
  if (arg->kind && strcmp(arg->kind, "hidden_dynamic_lds_size") == 0)
    value = shape->lds;
  for (size_t i = 0; arg->kind && i < sizeof hidden / sizeof *hidden; i++) {
    const uint32_t items = grid[hidden[i].axis];
    const uint32_t group = shape->workgroup[hidden[i].axis];
    if (strcmp(arg->kind, hidden[i].kind) == 0)
      value = hidden[i].what == BLOCKS ? items / group
              : hidden[i].what == SIZE ? group
                                       : items % group;
  }
  memcpy(kernarg + arg->offset, &value, arg->size < 8 ? arg->size : 8);
}
