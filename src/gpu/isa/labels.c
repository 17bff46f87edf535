/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/isa/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/isa/control_flow.h"

bool aq_isa_labels_add(aq_isa_labels *labels, const aq_isa_inst *inst,
                       uint64_t pc)
{
  if (!aq_isa_flow_is_direct(aq_isa_flow_of(inst)))
    return true;
  const uint64_t target = aq_isa_branch_target(inst, pc);
  return target < labels->base || target >= labels->end ||
         AQ_ARRAY_PUSH(labels->targets, labels->count, labels->capacity,
                       target);
}

static int by_address(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

void aq_isa_labels_sort(aq_isa_labels *labels)
{
  size_t kept = 0;
  if (labels->count == 0)
    return;
  qsort(labels->targets, labels->count, sizeof *labels->targets, by_address);
  for (size_t i = 1; i < labels->count; i++)
    if (labels->targets[i] != labels->targets[kept])
      labels->targets[++kept] = labels->targets[i];
  labels->count = kept + 1;
}

void aq_isa_labels_fini(aq_isa_labels *labels)
{
  free(labels->targets);
  *labels = (aq_isa_labels){0};
}

int64_t aq_isa_label_at(const aq_isa_labels *labels, uint64_t pc)
{
  size_t first = 0, end = labels->count;
  while (first < end) {
    const size_t middle = (first + end) / 2;
    if (labels->targets[middle] < pc)
      first = middle + 1;
    else
      end = middle;
  }
  return first < labels->count && labels->targets[first] == pc ? (int64_t)first
                                                               : -1;
}

void aq_isa_labels_print(const aq_isa_labels *labels, const aq_isa_inst *inst,
                         uint64_t pc, const char *name,
                         char text[AQ_ISA_TEXT_SIZE])
{
  aq_isa_print(inst, text);
  if (!aq_isa_flow_is_direct(aq_isa_flow_of(inst)))
    return;
  const int64_t label = aq_isa_label_at(labels, aq_isa_branch_target(inst, pc));
  char *distance = strrchr(text, ' ');
  if (!distance++ || (label < 0 && !name))
    return;
  const size_t room = AQ_ISA_TEXT_SIZE - (size_t)(distance - text);
  if (label >= 0)
    snprintf(distance, room, "L%" PRId64, label);
  else
    snprintf(distance, room, "<%s>", name);
}
